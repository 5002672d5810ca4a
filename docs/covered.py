"""Write docs/coverage.md from docs/coverage.toml: ``python docs/covered.py``.

The table lists what the five texts ask software to do, and the tests, textbook items and pages that
cover it. An id counts as covered if it has a test or an item, because these can fail; what has
neither is listed as open, and what is covered in part says what it ``lacks``. ``--check`` changes
nothing and fails if the page is stale or if something that is named does not exist.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from unspool.textbook import items

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "docs" / "coverage.toml"
PAGE = ROOT / "docs" / "coverage.md"
FIELDS = {"part", "title", "tests", "items", "pages", "lacks"}

Entry = dict[str, Any]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="write docs/coverage.md")
    parser.add_argument("--check", action="store_true", help="change nothing; fail if stale")
    options = parser.parse_args(arguments)
    table = read()
    wrong = list(troubles(table))
    text = page(table)
    if options.check:
        if not PAGE.exists() or PAGE.read_text("utf-8") != text:
            wrong.append("docs/coverage.md is stale: run python docs/covered.py")
    elif not wrong:
        PAGE.write_text(text, "utf-8")
    print("\n".join(wrong) or f"{len(covered(table))} of {len(table)} ids are covered")
    return 1 if wrong else 0


def read() -> dict[str, Entry]:
    return tomllib.loads(TABLE.read_text("utf-8"))


def is_covered(entry: Entry) -> bool:
    return bool(entry.get("tests") or entry.get("items"))


def covered(table: dict[str, Entry]) -> list[str]:
    return [name for name, entry in table.items() if is_covered(entry)]


def troubles(table: dict[str, Entry]) -> Iterator[str]:
    """Yield a sentence for each test, item or page that is named and does not exist."""
    for name, entry in table.items():
        for field in sorted(set(entry) - FIELDS):
            yield f"{name}: there is no field {field!r}"
        for test in entry.get("tests", ()):
            if not _has_test(test):
                yield f"{name}: there is no test {test}"
        for one in entry.get("items", ()):
            if one not in items():
                yield f"{name}: there is no textbook item {one}"
        for path in entry.get("pages", ()):
            if not (ROOT / path).is_file():
                yield f"{name}: there is no page {path}"


def _has_test(test: str) -> bool:
    file, _, function = test.partition("::")
    path = ROOT / file
    pattern = rf"^def {re.escape(function)}\("
    return path.is_file() and re.search(pattern, path.read_text("utf-8"), re.MULTILINE) is not None


def page(table: dict[str, Entry]) -> str:
    """Return the page: a sentence, what is open, and a table for each part."""
    open_ids = [name for name in table if not is_covered(table[name])]
    lines = [
        "# Coverage",
        "",
        "What the five [texts](texts.md) ask software to do, and what covers it here: tests, items "
        "of the [executable textbook](textbook.md) and pages. An id counts as covered if a test or "
        "an item, which can fail, stands behind it.",
        "",
        f"**{len(table) - len(open_ids)} of {len(table)} ids are covered.** Written by "
        "`python docs/covered.py` from `docs/coverage.toml`; a test keeps both in step.",
        "",
        "## Open",
        "",
        *_table(("id", "what"), [(name, table[name]["title"]) for name in open_ids]),
        "",
        "## Covered in part",
        "",
        *_table(
            ("id", "what is missing"), [(n, e["lacks"]) for n, e in table.items() if "lacks" in e]
        ),
    ]
    for part in dict.fromkeys(entry["part"] for entry in table.values()):
        own = {name: entry for name, entry in table.items() if entry["part"] == part}
        lines += ["", f"## {part}", ""]
        rows = [(name, entry["title"], _by(entry)) for name, entry in own.items()]
        lines += _table(("id", "what", "covered by"), rows)
    return "\n".join(lines) + "\n"


def _by(entry: Entry) -> str:
    parts = [f"`{one}`" for one in entry.get("items", ())]
    parts += [_linked(test, f"../{test.partition('::')[0]}") for test in entry.get("tests", ())]
    parts += [_linked(path, path.removeprefix("docs/")) for path in entry.get("pages", ())]
    told = ", ".join(parts) or "*open*"
    return f"{told}; *lacks: {entry['lacks']}*" if "lacks" in entry else told


def _linked(name: str, target: str) -> str:
    """Return a link with a short name: the test's function, or the page's file."""
    file, _, function = name.partition("::")
    return f"[{function.removeprefix('test_') or Path(file).name}]({target})"


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    lines = [head, ("---",) * len(head), *rows]
    return ["| " + " | ".join(line) + " |" for line in lines]


if __name__ == "__main__":
    sys.exit(main())
