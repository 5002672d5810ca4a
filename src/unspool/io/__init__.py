"""Tables in and out: what a user's file holds, and the file that a map is written to.

The names are loaded when they are first used: the process that waits for Ctrl-C and removes
unfinished files needs no NumPy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .atomic import remove_all, share, together, written
    from .preparation import (
        NA_CHOICES,
        SCALES,
        UNEVEN,
        Prepared,
        Recipe,
        Wishes,
        placed_by,
        prepared,
    )
    from .read import read_table
    from .table import Table, pandas
    from .write import check_output, write_table

_HOMES = {
    "NA_CHOICES": "preparation",
    "Prepared": "preparation",
    "Recipe": "preparation",
    "SCALES": "preparation",
    "Table": "table",
    "UNEVEN": "preparation",
    "Wishes": "preparation",
    "check_output": "write",
    "pandas": "table",
    "placed_by": "preparation",
    "prepared": "preparation",
    "read_table": "read",
    "remove_all": "atomic",
    "share": "atomic",
    "together": "atomic",
    "write_table": "write",
    "written": "atomic",
}

__all__ = [
    "NA_CHOICES",
    "SCALES",
    "UNEVEN",
    "Prepared",
    "Recipe",
    "Table",
    "Wishes",
    "check_output",
    "pandas",
    "placed_by",
    "prepared",
    "read_table",
    "remove_all",
    "share",
    "together",
    "write_table",
    "written",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
