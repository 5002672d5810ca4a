"""The documentation says what the code says, is whole, and its examples print what they claim."""

import contextlib
import importlib.util
import io
import pkgutil
import re
import shlex
import tomllib
from pathlib import Path

import pytest

import unspool
from tests.interfaces.running import done
from unspool.catalog import METHODS

ROOT = Path(__file__).parents[2]
SECTIONS = (
    "Idea",
    "Formula",
    "Picture",
    "Parameters",
    "Cost",
    "When it fails",
    "New points",
    "Reference",
)
TEXTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
# all that shows Python as what runs (`py` is what needs a place of its own, such as a cluster); the
# tutorial, with what its commands print, is followed by test_site.py
RUN = [
    path
    for path in TEXTS
    if "\n```python\n" in path.read_text("utf-8") and path.name != "tutorial.md"
]
# seconds each of what tests of their own show, on a cluster and by long programs
LONG = ("clusters.md", "charting.md", "maximum-variance-unfolding.md")
COMMANDS = ("saving.md",)  # pages of which the commands are run, too
LARGEST_PICTURE = 80_000  # bytes: a page should open at once


def load_build():
    spec = importlib.util.spec_from_file_location("docs_build", ROOT / "docs" / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


build = load_build()


def named(path):
    return path.relative_to(ROOT).as_posix()


def page_of(method):
    return (ROOT / "docs" / "methods" / f"{method}.md").read_text("utf-8")


def without_code(text):
    return re.sub(r"```.*?```", "", text, flags=re.DOTALL)


def section(text, title):
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)[1]


def slugs(text):
    """Anchors of the headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", without_code(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_generated_blocks_are_fresh(capsys):
    assert build.main(["--check"]) == 0, capsys.readouterr().out


def test_a_stale_block_is_told_from_a_fresh_one():
    entry, text = METHODS["isomap"], page_of("isomap")
    assert build._page(text, entry) == text
    for old, new in (("| `radius` |", "| `reach` |"), (f"| {entry.gives} |", "| something else |")):
        stale = text.replace(old, new)
        assert stale != text
        assert build._page(stale, entry) == text


def test_a_page_without_blocks_gets_them():
    page = (
        "# Title\n\n## Idea\n\nText.\n\n## Parameters\n\n| name | meaning |\n|---|---|\n\nMore.\n"
    )
    entry = METHODS["pca"]
    made = build._page(page, entry)
    assert made.startswith(f"<!-- generated: summary -->\n# {entry.title}\n")
    assert "| `ddof` | `0` | whole number ≥ 0, ≤ 1 |" in section(made, "Parameters")
    assert "| name | meaning |" not in made
    assert made.endswith("\nMore.\n")
    assert build._page(made, entry) == made


@pytest.mark.parametrize("method", METHODS)
def test_a_method_has_a_whole_page(method):
    titles = re.findall(r"^## (.+)$", without_code(page_of(method)), re.MULTILINE)
    assert [title for title in titles if title in SECTIONS] == list(SECTIONS)


@pytest.mark.parametrize("method", METHODS)
def test_a_page_shows_its_picture(method):
    assert f"](../images/{method}.png)" in section(page_of(method), "Picture")
    assert (ROOT / "docs" / "images" / f"{method}.png").stat().st_size < LARGEST_PICTURE


@pytest.mark.parametrize("path", TEXTS, ids=named)
def test_links_lead_somewhere(path):
    text = path.read_text("utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(text)):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        there = (path.parent / file).resolve() if file else path
        assert there.exists(), f"{named(path)} links to {target}"
        if anchor:
            assert anchor in slugs(there.read_text("utf-8")), f"{named(path)} links to {target}"


def missing_files(text):
    """Return what a page names as a file of the repository, in `code`, and is not there."""
    named = re.findall(r"`((?:[\w.]+/)*[\w.]+\.(?:py|toml|md|html)|(?:[\w.]+/)+)`", text)
    homes = (ROOT, ROOT / "src" / "unspool", ROOT / "docs")
    return [name for name in named if not any((home / name).exists() for home in homes)]


@pytest.mark.parametrize("path", [path for path in TEXTS if path.name != "CHANGELOG.md"], ids=named)
def test_files_that_are_named_exist(path):
    missing = missing_files(without_code(path.read_text("utf-8")))
    assert [name for name in missing if not is_an_example(name)] == []


def is_an_example(name):
    """What a user's own files are called on the pages, or what a run writes."""
    return name.startswith((".", "report.", "map.", "table.", "book"))


def test_a_file_that_is_gone_is_told():
    text = "See `paths/dijkstra.py`, `spectrum/`, `docs/build.py`, `graph/pieces.py`, `iterate/`."
    assert missing_files(text) == ["graph/pieces.py", "iterate/"]


def missing_names(text):
    """Return what a page names as ours, in `code`, and is not: `quality.stress`, `unspool.io`."""
    rooms = "|".join(sorted({"unspool", *unspool._MODULES, "report", "textbook"}))
    named = re.findall(rf"`((?:{rooms})\.\w+(?:\.\w+)*)(?=[`(])", text)
    ours = [name for name in named if not name.endswith((".html", ".json", ".md", ".py"))]
    return [name for name in ours if not _resolves(f"unspool.{name.removeprefix('unspool.')}")]


def _resolves(name):
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


@pytest.mark.parametrize("path", [path for path in TEXTS if path.name != "CHANGELOG.md"], ids=named)
def test_names_that_are_documented_exist(path):
    assert missing_names(without_code(path.read_text("utf-8"))) == []


def test_a_name_that_is_gone_is_told():
    text = "`quality.stress`, `unspool.io`, `report.html`, `graph.nearest(X, 10)`, `spectrum.magic`"
    assert missing_names(text) == ["graph.nearest", "spectrum.magic"]


@pytest.mark.parametrize(
    "path",
    [pytest.param(p, marks=[pytest.mark.slow] if p.name in LONG else []) for p in RUN],
    ids=named,
)
def test_examples_print_what_they_claim(path, tmp_path, monkeypatch):
    """Blocks of a page share their names; a line ``# > text`` is what was printed.

    Commands that stand between them are run where files of theirs are read later.
    """
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "example"}
    found = re.findall(r"^```(python|sh)\n(.*?)^```", path.read_text("utf-8"), re.DOTALL | re.M)
    for language, block in found:
        if language == "sh":
            if path.name in COMMANDS:
                done(*shlex.split(block)[1:])
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block, named(path), "exec"), names)
        claimed = re.findall(r"^# > ?(.*)$", block, re.MULTILINE)
        if claimed:
            assert printed.getvalue().splitlines() == claimed


def test_tables_ship_by_the_rule_that_is_stated():
    page = (ROOT / "docs" / "data.md").read_text("utf-8")
    largest = 1000 * int(re.search(r"its file has at most (\d+) KB", page)[1])
    folder = ROOT / "src" / "unspool" / "datasets" / "shipped"
    shipped = {path.name: path.stat().st_size for path in folder.glob("*.npz")}
    assert max(shipped.values()) <= largest
    own = page.partition("## How to put")[0]
    assert set(re.findall(r"^\| `(\S+)` \|", own, re.MULTILINE)) == {*shipped}


def test_the_sdist_holds_what_a_repository_says_of_itself():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    held = {*project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]}
    told = {path.name for ending in ("md", "cff") for path in ROOT.glob(f"*.{ending}")}
    assert {"CITATION.cff", "CODE_OF_CONDUCT.md", "README.md", "SECURITY.md"} <= told <= held
