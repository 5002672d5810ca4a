"""Write what the documentation takes from the textbook: ``python docs/textbook.py``.

That is docs/errata.md, and the list of items in docs/textbook.md, between
``<!-- generated: items -->`` and ``<!-- end -->``. ``--check`` changes nothing and fails if one of
them is stale.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from unspool.textbook import ERRATA, TEXTS, Erratum, Item, items

HERE = Path(__file__).parent
KINDS = {
    "misprint": "Misprints",
    "mistake": "Mistakes",
    "conflict": "Conflicts between or within the texts",
}
ERRATA_INTRODUCTION = """\
# Errata of the five texts

What the [texts](texts.md) have wrong, or say in two ways, and what is right. Each line is computed:
`unspool textbook run ID` with the id in its last column shows the number that the text has and the
one that comes out, and fails if the corrected statement does not hold or the text's does. Written
by `python docs/textbook.py` from `src/unspool/textbook/errata.toml`.
"""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="write docs/errata.md and the list of items")
    parser.add_argument("--check", action="store_true", help="change nothing; fail if stale")
    options = parser.parse_args(arguments)
    stale = [path for path, text in built() if not path.exists() or path.read_text("utf-8") != text]
    if options.check:
        print("\n".join(f"docs/{p.name} is stale: run python docs/textbook.py" for p in stale))
        return 1 if stale else 0
    for path, text in built():
        path.write_text(text, "utf-8")
    return 0


def built() -> list[tuple[Path, str]]:
    """Return both pages with the text that they should have."""
    page = HERE / "textbook.md"
    block = f"<!-- generated: items -->\n{item_tables()}<!-- end -->\n"
    pattern = r"<!-- generated: items -->\n.*?<!-- end -->\n"
    filled = re.sub(pattern, lambda _: block, page.read_text("utf-8"), flags=re.DOTALL)
    return [(page, filled), (HERE / "errata.md", errata())]


def item_tables() -> str:
    """Return a table of items for each text."""
    lines: list[str] = []
    for text in TEXTS:
        own = [one for one in items().values() if one.text == text.name]
        lines += [f"### {text.title}", ""]
        lines += ["| item | shows | place | data |", "|---|---|---|---|"]
        lines += [_item_row(one) for one in own] + [""]
    return "\n".join(lines)


def errata() -> str:
    """Return the page of errata, kind by kind."""
    lines = [ERRATA_INTRODUCTION]
    for kind, title in KINDS.items():
        lines += [f"## {title}", ""]
        lines += ["| where | it says | right is | shown by |", "|---|---|---|---|"]
        lines += [_erratum_row(one) for one in ERRATA.values() if one.kind == kind]
        lines += [""]
    return "\n".join(lines)


def _item_row(one: Item) -> str:
    return _row(f"`{one.id}`", one.title, one.source, ", ".join(f"`{name}`" for name in one.needs))


def _erratum_row(one: Erratum) -> str:
    return _row(one.where, one.said, one.right, f"`{one.shown_by}`")


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    sys.exit(main())
