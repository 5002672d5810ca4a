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
    open_ids = {name for name, entry in table.items() if not coverage.is_touched(entry)}
    assert len(coverage.covered(table)) >= 150
    assert not any("lacks" in table[name] for name in coverage.covered(table))
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


def test_a_test_without_an_assertion_is_told(monkeypatch, tmp_path):
    (tmp_path / "test_it.py").write_text(
        "def test_runs():\n    print(1)\n\n\ndef test_holds():\n    assert 1\n\n\n"
        "def test_raises():\n    with pytest.raises(ValueError):\n        float('x')\n"
    )
    monkeypatch.setattr(coverage, "ROOT", tmp_path)
    names = ("test_runs", "test_holds", "test_raises")
    table = {name: {"part": "p", "title": "t", "tests": [f"test_it.py::{name}"]} for name in names}
    assert list(coverage.troubles(table)) == ["test_runs: test_it.py::test_runs asserts nothing"]


def test_what_lacks_something_is_not_counted():
    whole = {"part": "p", "title": "t", "items": ["S4.lle"]}
    table = {"A-1": whole, "A-2": {**whole, "lacks": "half"}, "A-3": {"part": "p", "title": "t"}}
    assert coverage.covered(table) == ["A-1"]
    assert "**1 of 3 ids are covered**, 1 in part, 1 are open." in coverage.page(table)


def test_a_stale_page_is_told(monkeypatch, tmp_path, capsys):
    stale = tmp_path / "coverage.md"
    stale.write_text("old")
    monkeypatch.setattr(coverage, "PAGE", stale)
    assert coverage.main(["--check"]) == 1
    assert "stale" in capsys.readouterr().out
    assert stale.read_text() == "old"
