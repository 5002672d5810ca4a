"""The command line: a table of commands, each loaded when it is called."""

from .interrupt import run
from .main import COMMANDS, app

__all__ = ["COMMANDS", "app", "run"]
