"""Tables in and out: what a user's file holds, and the file that a map is written to."""

from .atomic import remove_all, share, together, written
from .preparation import NA_CHOICES, SCALES, UNEVEN, Prepared, Recipe, Wishes, placed_by, prepared
from .read import read_table
from .table import Table, pandas
from .write import check_output, write_table

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
