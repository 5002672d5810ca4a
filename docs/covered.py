"""Write docs/coverage.md from docs/coverage.toml: ``python docs/covered.py``.

The table lists what the five texts ask software to do, and the tests, textbook items and pages that
cover it. An id counts as covered if a test or an item with an assertion stands behind all of it.
What is covered in part says what it ``lacks`` and is counted apart; what has neither test nor item
is open. ``--check`` changes nothing and fails if the page is stale, if something that is named does
not exist, or if a test that is named asserts nothing.
"""

from __future__ import annotations

import argparse
import ast
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


def is_touched(entry: Entry) -> bool:
    return bool(entry.get("tests") or entry.get("items"))


def is_covered(entry: Entry) -> bool:
    return is_touched(entry) and "lacks" not in entry


def covered(table: dict[str, Entry]) -> list[str]:
    return [name for name, entry in table.items() if is_covered(entry)]


def troubles(table: dict[str, Entry]) -> Iterator[str]:
    """Yield a sentence for each test, item or page that is named and does not exist."""
    for name, entry in table.items():
        for field in sorted(set(entry) - FIELDS):
            yield f"{name}: there is no field {field!r}"
        for test in entry.get("tests", ()):
            function = _test(test)
            if function is None:
                yield f"{name}: there is no test {test}"
            elif not asserts(function):
                yield f"{name}: {test} asserts nothing"
        for one in entry.get("items", ()):
            if one not in items():
                yield f"{name}: there is no textbook item {one}"
        for path in entry.get("pages", ()):
            if not (ROOT / path).is_file():
                yield f"{name}: there is no page {path}"


def _test(test: str) -> ast.FunctionDef | None:
    """Return the function of a test, None where file or function are missing."""
    file, _, function = test.partition("::")
    path = ROOT / file
    if not path.is_file():
        return None
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return node
    return None


ASSERTING = re.compile(r"^(assert_|check|raises$|warns$)")


def asserts(function: ast.FunctionDef) -> bool:
    """Tell whether a test asserts: by assert, numpy.testing, a check, or an error it waits for."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if ASSERTING.match(name):
                return True
    return False


def page(table: dict[str, Entry]) -> str:
    """Return the page: a sentence, what is open, and a table for each part."""
    open_ids = [name for name in table if not is_touched(table[name])]
    partial = [name for name, entry in table.items() if is_touched(entry) and "lacks" in entry]
    lines = [
        "# Coverage",
        "",
        "What the five [texts](texts.md) ask software to do, and what covers it here: tests, items "
        "of the [executable textbook](textbook.md) and pages. An id counts as covered if a test or "
        "an item with an assertion stands behind all of it.",
        "",
        f"**{len(covered(table))} of {len(table)} ids are covered**, {len(partial)} in part, "
        f"{len(open_ids)} are open. Written by `python docs/covered.py` from `docs/coverage.toml`; "
        "a test keeps both in step.",
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
