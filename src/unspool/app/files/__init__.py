"""Tables in and out: what a user's file holds, and the file that a map is written to."""

from .reading import read_table
from .recipe import Recipe
from .rows import Prepared, Wishes, placed_by, prepared
from .table import Table
from .writing import check_output, write_table

__all__ = [
    "Prepared",
    "Recipe",
    "Table",
    "Wishes",
    "check_output",
    "placed_by",
    "prepared",
    "read_table",
    "write_table",
]
