"""The command line: a table of commands, each loaded when it is called."""

from .main import COMMANDS, app, run

__all__ = ["COMMANDS", "app", "run"]
