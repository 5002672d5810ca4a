"""The documentation site: the tutorial does what it says, every public name has its page, and the
built pages load nothing from elsewhere."""

import importlib.util
import re
import shlex
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import unspool
from tests.interfaces.running import done
from tests.tutorial import follow

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LOADING = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}


def load(name):
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_tutorial_can_be_followed(tmp_path, monkeypatch):
    """From a csv to a map, its report and its explanation, block by block as a reader would.

    Commands run in this process, which has loaded what they need; ``make dist`` has a shell.
    """

    def command(block):
        for line in block.splitlines():
            name, *words = shlex.split(line)
            assert name == "unspool"
            done(*words)

    monkeypatch.chdir(tmp_path)
    follow((DOCS / "tutorial.md").read_text("utf-8"), command)


def test_the_reference_has_every_public_name():
    shown = load("reference").public_names()
    modules = {name.rpartition(".")[2] for name in shown} - {"unspool"}
    assert {*shown["unspool"], *modules} == set(unspool.__all__)
    assert "trustworthiness" in shown["unspool.quality"]


def test_the_gallery_is_large_enough_and_explains_itself():
    examples = sorted((DOCS / "examples").rglob("plot_*.py"))
    assert len(examples) >= 20
    for path in examples:
        text = path.read_text("utf-8")
        assert re.match(r'"""\n\S.*\n=+\n\n\S', text), f"{path.name} has no title and text"
        compile(text, path.name, "exec")


class Loaded(HTMLParser):
    """What a page makes the browser load."""

    def __init__(self):
        super().__init__()
        self.addresses = []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        is_canonical = tag == "link" and given.get("rel") in ("canonical", "author", "license")
        if tag in LOADING and not is_canonical:
            self.addresses.append(given.get(LOADING[tag]) or "")


def addresses_elsewhere(page):
    parser = Loaded()
    parser.feed(page)
    styles = re.findall(r"url\(['\"]?([^)'\"]+)|@import ['\"]([^'\"]+)", page)
    found = [*parser.addresses, *(one for pair in styles for one in pair)]
    return [one for one in found if re.match(r"(https?:)?//", one)]


def test_an_address_elsewhere_is_found():
    page = (
        '<link rel="stylesheet" href="//cdn.example/x.css"><img src="a.png"><a href="https://b.c">'
    )
    assert addresses_elsewhere(page) == ["//cdn.example/x.css"]


@pytest.mark.slow
def test_the_site_builds_without_warnings_and_loads_nothing(tmp_path):
    pytest.importorskip("sphinx_gallery", reason="pip install '.[docs]' builds the site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    done = subprocess.run([*command, DOCS, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    pages = sorted(tmp_path.rglob("*.html"))
    assert len(pages) > 200
    elsewhere = {
        page.name: found
        for page in pages
        if (found := addresses_elsewhere(page.read_text("utf-8")))
    }
    assert elsewhere == {}
    for sheet in tmp_path.rglob("*.css"):
        assert addresses_elsewhere(f"<style>{sheet.read_text('utf-8')}</style>") == [], sheet.name
