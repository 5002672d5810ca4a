"""The pages about the textbook are fresh, and what the coverage names does exist."""

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def script(name):
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


coverage, textbook = script("covered"), script("textbook")


@pytest.mark.parametrize("pages", [coverage, textbook], ids=["coverage", "textbook"])
def test_pages_are_fresh(pages, capsys):
    assert pages.main(["--check"]) == 0, capsys.readouterr().out


def test_enough_is_covered_and_the_rest_is_listed_as_open():
    table = coverage.read()
    open_ids = set(table) - set(coverage.covered(table))
    assert len(coverage.covered(table)) >= 150
    text = coverage.page(table)
    listing = text.partition("## Open\n")[2].partition("\n## ")[0]
    assert all(f"| {name} |" in listing for name in open_ids)
    assert sum(line.startswith("| ") for line in listing.splitlines()) == len(open_ids) + 2


def test_names_of_nothing_are_told():
    bad = {
        "A-1": {
            "part": "p",
            "title": "t",
            "tests": ["tests/textbook/test_pages.py::test_of_nothing", "tests/none.py::test_x"],
            "items": ["S4.nothing"],
            "pages": ["docs/nothing.md"],
            "colour": "red",
        }
    }
    told = list(coverage.troubles(bad))
    assert len(told) == 5
    assert all(sentence.startswith("A-1: there is no ") for sentence in told)
    good = {"A-1": {"part": "p", "title": "t", "pages": ["docs/textbook.md"]}}
    assert not list(coverage.troubles(good))
    assert not coverage.is_covered(good["A-1"])  # a page alone cannot fail


def test_a_stale_page_is_told(monkeypatch, tmp_path, capsys):
    stale = tmp_path / "coverage.md"
    stale.write_text("old")
    monkeypatch.setattr(coverage, "PAGE", stale)
    assert coverage.main(["--check"]) == 1
    assert "stale" in capsys.readouterr().out
    assert stale.read_text() == "old"
