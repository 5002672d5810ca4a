"""Tables in and out: what a user's file holds, and the file that a map is written to.

    >>> import unspool
    >>> roll = unspool.io.read_points("demo:swiss-roll:200", scale="standard")
    >>> roll.points.shape, roll.names
    ((200, 3), ('x1', 'x2', 'x3'))

The names are loaded when they are first used: the process that waits for Ctrl-C and removes
unfinished files needs no NumPy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .atomic import write_atomically, write_together
    from .cells import scanpy_graph
    from .files import check_output, read_points, read_table, write_table
    from .pipeline import TableModel, TablePreparation, pass_through
    from .preparation import (
        NA_CHOICES,
        SCALES,
        UNEVEN,
        PreparedTable,
        Recipe,
        Selection,
        apply_recipe,
        prepare,
    )
    from .table import Table, table_of

_HOMES = {
    "NA_CHOICES": "preparation",
    "PreparedTable": "preparation",
    "Recipe": "preparation",
    "SCALES": "preparation",
    "Selection": "preparation",
    "Table": "table",
    "TableModel": "pipeline",
    "TablePreparation": "pipeline",
    "UNEVEN": "preparation",
    "apply_recipe": "preparation",
    "check_output": "files",
    "pass_through": "pipeline",
    "prepare": "preparation",
    "read_points": "files",
    "read_table": "files",
    "scanpy_graph": "cells",
    "table_of": "table",
    "write_atomically": "atomic",
    "write_table": "files",
    "write_together": "atomic",
}

__all__ = [
    "NA_CHOICES",
    "SCALES",
    "UNEVEN",
    "PreparedTable",
    "Recipe",
    "Selection",
    "Table",
    "TableModel",
    "TablePreparation",
    "apply_recipe",
    "check_output",
    "pass_through",
    "prepare",
    "read_points",
    "read_table",
    "scanpy_graph",
    "table_of",
    "write_atomically",
    "write_table",
    "write_together",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
