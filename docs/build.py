"""Write the parts of the documentation that the code knows: ``python docs/build.py``.

A page of a method is written by hand, but for two blocks: its title with what the catalogue says of
the method, and the table of its parameters, read from their declaration. Others are the README's
table of methods, the list of decisions, and the layers of the design, which are the ones that the
tests guard (tests/architecture/layers.py). A block stands between ``<!-- generated: name -->`` and
``<!-- end -->``; a page of a method that has none yet gets them, in the places of its title and of
its table of parameters.

``--check`` changes nothing and fails where a block is not what the code says now. ``--images``
draws the pictures anew (docs/pictures.py), all of them or the ones that are named.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any

from unspool.catalog import METHODS, Entry
from unspool.methods.parameters import Rule, parameters_of
from unspool.textbook import TEXTS

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "methods"
DECISIONS = ROOT / "docs" / "decisions"
END = "<!-- end -->"


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    if options.images is not None:
        sys.path.insert(0, str(Path(__file__).parent))
        import pictures

        pictures.draw(options.images)
    wrong = [sentence for path, text in built() if (sentence := _trouble(path, text))]
    if options.check:
        print("\n".join(wrong) or "all generated blocks are fresh")
        return 1 if wrong else 0
    for path, text in built():
        if text is not None and text != path.read_text("utf-8"):
            path.write_text(text, "utf-8")
            print(f"wrote {path.relative_to(ROOT)}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="write the generated parts of the documentation")
    parser.add_argument("--check", action="store_true", help="change nothing; fail if stale")
    parser.add_argument("--images", nargs="*", metavar="NAME", help="draw all pictures, or these")
    return parser


def built() -> list[tuple[Path, str | None]]:
    """Return every page with the text that it should have, or None where there is no page."""
    pages: list[tuple[Path, str | None]] = []
    for entry in METHODS.values():
        path = PAGES / f"{entry.page}.md"
        pages.append((path, _page(path.read_text("utf-8"), entry) if path.exists() else None))
    for path, name, table in (
        (ROOT / "README.md", "methods", methods_table("docs/methods/")),
        (DECISIONS / "README.md", "decisions", decisions_table()),
        (ROOT / "docs" / "design.md", "layers", layers_table()),
    ):
        pages.append((path, filled(path.read_text("utf-8"), name, table)))
    return pages


def _trouble(path: Path, text: str | None) -> str | None:
    place = path.relative_to(ROOT)
    if text is None:
        return f"{place} is missing: copy the headings of another page and write it"
    if text != path.read_text("utf-8"):
        return f"{place} is stale: run python docs/build.py"
    return None


def _page(text: str, entry: Entry) -> str:
    text = filled(_with_places(text), "summary", summary(entry))
    return filled(text, "parameters", parameters_table(entry.load()))


def _with_places(text: str) -> str:
    """Return the page with places for both blocks: instead of its title and its first table."""
    if "<!-- generated: summary -->" not in text:
        text = re.sub(r"\A# .*\n", _block("summary", ""), text)
    if "<!-- generated: parameters -->" not in text:
        heading, table = r"(## Parameters\n+)", r"(\|.*\n)*\n*"
        text = re.sub(heading + table, rf"\1{_block('parameters', '')}\n", text, count=1)
    return text


def filled(text: str, name: str, content: str) -> str:
    """Return ``text`` with the block called ``name`` holding ``content``."""
    pattern = rf"<!-- generated: {name} -->\n.*?{END}\n"
    return re.sub(pattern, lambda _: _block(name, content), text, flags=re.DOTALL)


def _block(name: str, content: str) -> str:
    return f"<!-- generated: {name} -->\n{content}{END}\n"


def summary(entry: Entry) -> str:
    """Return the title of a page, and what the catalogue says of the method."""
    facts = {
        "class": f"`{entry.cls.replace('.methods', '')}`",
        "needs": entry.needs,
        "gives": entry.gives,
        "family": f"[{entry.family}](../design.md#the-one-rule)",
        "reference": _cited(entry.reference),
    }
    return f"# {entry.title}\n\n" + _table(("", ""), list(facts.items()))


def _cited(reference: str) -> str:
    """Return a reference with a link to each of the five texts that it names."""
    texts = "|".join(re.escape(text.citation) for text in TEXTS)
    return re.sub(rf"({texts})", r"[\1](../texts.md)", reference)


def parameters_table(cls: Any) -> str:
    """Return the table of a method's parameters, from their declaration."""
    rows = [
        (f"`{name}`", f"`{default!r}`", allowed(rule), rule.help)
        for name, (default, rule) in parameters_of(cls).items()
    ]
    return _table(("name", "default", "may be", "meaning"), rows)


def methods_table(folder: str) -> str:
    """Return the table of all methods, each linked to its page in a folder."""
    rows = [
        (_linked(entry, folder), f"`{entry.cls.rpartition('.')[2]}`", entry.needs, entry.gives)
        for entry in METHODS.values()
    ]
    return _table(("method", "class", "needs", "gives"), rows)


def decisions_table() -> str:
    """Return the list of decisions: number, and the title that the page has."""
    rows = []
    for path in sorted(DECISIONS.glob("[0-9]*.md")):
        number, _, _ = path.stem.partition("-")
        title = path.read_text("utf-8").partition("\n")[0].lstrip("# ")
        rows.append((f"[{number}]({path.name})", title.removeprefix(f"{number}. ")))
    return _table(("", "decision"), rows)


def layers_table() -> str:
    """Return the layers from the bottom up, with each room's idea in the words of its docstring."""
    sys.path.insert(0, str(ROOT))
    from tests.architecture.layers import LAYERS, idea_of

    rows = [
        (f"{number} {layer.what}" if first else "", f"`{room}`", idea_of(room))
        for number, layer in enumerate(LAYERS)
        for first, room in ((room == layer.rooms[0], room) for room in layer.rooms)
    ]
    return _table(("layer", "room", "idea"), rows)


def _linked(entry: Entry, folder: str) -> str:
    there = (PAGES / f"{entry.page}.md").exists()
    return f"[{entry.title}]({folder}{entry.page}.md)" if there else entry.title


def allowed(rule: Rule) -> str:
    """Return in words what a parameter may be."""
    if rule.choices is not None:
        words = ", ".join(f"`{choice!r}`" for choice in rule.choices)
    elif rule.kind is bool:
        words = "`True`, `False`"
    elif rule.kind in (int, float):
        words = _number(rule)
    else:
        return ""
    return f"{words}, `None`" if rule.optional else words


def _number(rule: Rule) -> str:
    words = "whole number" if rule.kind is int else "number"
    bounds = (("≥", rule.at_least), (">", rule.above), ("≤", rule.at_most))
    limits = ", ".join(f"{sign} {bound:g}" for sign, bound in bounds if bound is not None)
    return ", ".join([f"{words} {limits}".rstrip(), *(f"`{word!r}`" for word in rule.words)])


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join("| " + " | ".join(_cells(line)) + " |\n" for line in lines)


def _cells(line: tuple[str, ...]) -> list[str]:
    return [cell.replace("|", "\\|") for cell in line]


if __name__ == "__main__":
    sys.exit(main())
