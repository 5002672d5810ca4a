"""Write what the documentation takes from the textbook: ``python docs/textbook.py``.

That is docs/errata.md, and the list of items in docs/textbook.md, between
``<!-- generated: items -->`` and ``<!-- end -->``. ``--check`` changes nothing and fails if one of
them is stale.

``--chapters`` runs the items of docs/textbook/*.md and writes, between ``<!-- item: ID -->`` (or
``<!-- item: ID, 30 rows -->``) and ``<!-- end -->``, what each text says beside what comes out, and
the figures.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from unspool.textbook import ERRATA, TEXTS, Check, Erratum, Item, items, run

HERE = Path(__file__).parent
PICTURES = HERE / "images" / "textbook"
SHOWN = r"(<!-- item: (\S+?)(?:, (\d+) rows)? -->)\n.*?<!-- end -->"
DPI = 200
ROWS = 8  # of a table, unless the page asks for more; the command shows all
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
    parser.add_argument("--chapters", action="store_true", help="run and write the chapters' items")
    options = parser.parse_args(arguments)
    if options.chapters:
        write_chapters()
        return 0
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


def write_chapters() -> None:
    """Run the items of all chapters; write their tables into the pages, and their figures."""
    for page in sorted((HERE / "textbook").glob("*.md")):
        text = page.read_text("utf-8")
        page.write_text(re.sub(SHOWN, shown, text, flags=re.DOTALL), "utf-8")


def shown(place: re.Match[str]) -> str:
    """Return an item as a chapter shows it; its figure is written anew."""
    name, rows = place[2], int(place[3] or ROWS)
    result = run(items()[name], figures=True)
    if result.outcome is None:
        raise SystemExit(f"{name}: {result.reason}")
    if result.figure is not None:
        result.figure.savefig(PICTURES / f"{name}.png", dpi=DPI)
    checks = table_of(result.outcome.checks, rows)
    return f"{place[1]}\n{_picture(result.item)}{checks}{_again(name)}<!-- end -->"


def table_of(checks: Sequence[Check], rows: int) -> str:
    """Return the table of what the text says and what comes out, the first ``rows`` of it."""
    lines = ["| | the text | here | |", "|---|---|---|---|"]
    lines += [_row(*map(_plain, (c.what, c.said, c.found, _verdict(c)))) for c in checks[:rows]]
    more = len(checks) - rows
    return "\n".join(lines) + ("\n\n" if more <= 0 else f"\n\nAnd {more} more lines. ")


def _picture(one: Item) -> str:
    if not (PICTURES / f"{one.id}.png").exists():
        return ""
    return f"![{one.title}](../images/textbook/{one.id}.png)\n\n"


def _again(name: str) -> str:
    return f"{items()[name].source}: `unspool textbook run {name}`\n"


def _verdict(check: Check) -> str:
    return f"erratum: {ERRATA[check.erratum].right}" if check.erratum else check.verdict


def _plain(cell: str) -> str:
    """Return a cell whose signs are signs, not markup."""
    return re.sub(r"([\\`*_{}\[\]<>$#~])", r"\\\1", cell)


def _item_row(one: Item) -> str:
    return _row(f"`{one.id}`", one.title, one.source, ", ".join(f"`{name}`" for name in one.needs))


def _erratum_row(one: Erratum) -> str:
    return _row(one.where, one.said, one.right, f"`{one.shown_by}`")


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    sys.exit(main())
