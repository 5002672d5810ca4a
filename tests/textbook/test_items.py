"""Every item of the textbook runs and all its checks hold; without its data it is skipped."""

import re
from pathlib import Path

import pytest

from tests.textbook.running import result_of
from unspool.textbook import items

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = r"<!-- item: ([^\s,]+)[^\n]* -->\n(.*?)<!-- end -->"
CHAPTERS = {
    name: block
    for page in sorted((DOCS / "textbook").glob("*.md"))
    for name, block in re.findall(BLOCK, page.read_text("utf-8"), re.DOTALL)
}


def marked(one):
    return pytest.param(one, id=one.id, marks=[pytest.mark.slow] if one.slow else [])


@pytest.mark.parametrize("one", [marked(one) for one in items().values()])
def test_all_checks_hold(one):
    result = result_of(one.id)
    if result.status == "skipped":
        pytest.skip(result.reason)
    wrong = [str(check) for check in result.outcome.checks if not check.holds]
    assert result.status == "agrees", "\n".join(wrong)
    if result.outcome.draw is not None:
        assert result.outcome.draw().axes


def rows_of(block):
    """Return the cells of a chapter's table, its signs as they were."""
    lines = re.findall(r"^\| (.*) \|$", block, re.MULTILINE)[1:]
    return [[re.sub(r"\\(.)", r"\1", cell) for cell in line.split(" | ")] for line in lines]


def test_there_are_chapters_of_all_texts():
    assert {name.partition(".")[0] for name in CHAPTERS} == {"S0", "S1", "S2", "S3", "S4"}
    assert len(CHAPTERS) >= 20


@pytest.mark.parametrize("one", [marked(items()[name]) for name in CHAPTERS])
def test_chapters_show_what_comes_out(one):
    """Renewed by ``python docs/textbook.py --chapters``; numbers that are printed agree."""
    result = result_of(one.id)
    if result.status == "skipped":
        pytest.skip(result.reason)
    rows = rows_of(CHAPTERS[one.id])
    checks = result.outcome.checks[: len(rows)]
    assert rows
    assert [row[:2] for row in rows] == [[check.what, check.said] for check in checks]
    for row, check in zip(rows, checks, strict=True):
        if check.said.startswith(("printed", "follows")):
            assert float(row[2]) == pytest.approx(float(check.found), rel=1e-3, abs=1e-4)
    drawn = (DOCS / "images" / "textbook" / f"{one.id}.png").exists()
    assert drawn is (result.outcome.draw is not None)
    assert drawn is (f"images/textbook/{one.id}.png" in CHAPTERS[one.id])
