"""The executable textbook: tables, figures, statements and exercises of the five texts, runnable.

>>> from unspool.textbook import items, run
>>> run(items()["S4.table-16.1"]).status
'agrees'

An item computes what its text shows with the public names of this package and returns checks that
can fail: printed numbers to the printed digits, sentences against a stated bound. Where a text is
wrong, the check names the erratum.
"""

from .checks import (
    ERRATA,
    Check,
    Erratum,
    Outcome,
    equal,
    follows,
    measured,
    mostly,
    outcome,
    printed,
    printed_row,
    rising,
)
from .pages import write_pages
from .runner import (
    TEXTS,
    Absent,
    Item,
    Result,
    Text,
    chosen,
    item,
    items,
    left_out,
    listed,
    load,
    run,
    run_all,
    shifted,
    shifting,
    source_of,
    summary,
    told,
)

__all__ = [
    "ERRATA",
    "TEXTS",
    "Absent",
    "Check",
    "Erratum",
    "Item",
    "Outcome",
    "Result",
    "Text",
    "chosen",
    "equal",
    "follows",
    "item",
    "items",
    "left_out",
    "listed",
    "load",
    "measured",
    "mostly",
    "outcome",
    "printed",
    "printed_row",
    "rising",
    "run",
    "run_all",
    "shifted",
    "shifting",
    "source_of",
    "summary",
    "told",
    "write_pages",
]
