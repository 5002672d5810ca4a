"""The documentation site: the tutorial does what it says, every public name has its page, and the
built pages load nothing from elsewhere."""

import importlib.util
import inspect
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import unspool
from tests.interfaces.running import done
from tests.tutorial import follow

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


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
    beside = {*load("reference").BESIDE}
    modules = {name.rpartition(".")[2] for name in shown} - {"unspool"} - beside
    assert {*shown["unspool"], *modules} == set(unspool.__all__)
    page = "\n".join(load("reference")._sections())
    for module, names in shown.items():
        room = importlib.import_module(module)
        modules_of = {name for name in room.__all__ if inspect.ismodule(getattr(room, name))}
        assert {*names} | ({*room.__all__} & {*shown["unspool"]}) == {*room.__all__} - modules_of
        rest = page[page.index(f"`{module}`\n" if module != "unspool" else "## Methods") :]
        missing = [n for n in names if not re.search(rf"^(   |\| `){n}\b", rest, re.MULTILINE)]
        assert not missing, module


def test_values_of_the_reference_are_told_in_short():
    page = "\n".join(load("reference")._sections())
    assert "| `NA_CHOICES` | `('error', 'drop', 'mean')` |" in page
    assert "| `Precision` | `Literal['float32', 'float64']` |" in page
    assert re.search(r"^\| `METHODS` \| `pca, .*…` \|$", page, re.MULTILINE)
    assert " at 0x" not in page


def test_the_gallery_is_large_enough_and_explains_itself():
    examples = sorted((DOCS / "examples").rglob("plot_*.py"))
    assert len(examples) >= 20
    for path in examples:
        text = path.read_text("utf-8")
        assert re.match(r'"""\n\S.*\n=+\n\n\S', text), f"{path.name} has no title and text"
        compile(text, path.name, "exec")


ELSEWHERE = (
    (".html", '<link rel="stylesheet" href="//cdn.example/x.css">'),
    (".html", '<img src="a.png" srcset="a.png 1x, https://cdn.example/x.css 2x">'),
    (".html", '<video poster="a.png"><source src="https://cdn.example/x.css"></video>'),
    (".html", '<video src="https://cdn.example/x.css"></video>'),
    (".html", '<object data="https://cdn.example/x.css"></object>'),
    (".html", '<svg><image xlink:href="https://cdn.example/x.css"/></svg>'),
    (".html", '<p style="background: url(https://cdn.example/x.css)">'),
    (".html", '<style>@import "https://cdn.example/x.css";</style>'),
    (".html", '<script>fetch("https://cdn.example/x.css")</script>'),
    (".html", '<script type="module">import a from "https://cdn.example/x.css"</script>'),
    (".html", '<meta http-equiv="refresh" content="0; url=https://cdn.example/x.css">'),
    (".css", "@import url('https://cdn.example/x.css');"),
    (".css", "a { background: url(//cdn.example/x.css) }"),
    (".js", 'export * from "https://cdn.example/x.css";'),
    (".js", 'const a = await import("https://cdn.example/x.css");'),
    (".js", "fetch(`https://cdn.example/x.css`).then(read)"),
    (".js", 'request.open("GET", "https://cdn.example/x.css")'),
    (".js", 'image.src = "https://cdn.example/x.css"'),
    (".js", 'new WebSocket("wss://cdn.example/x.css")'),
)


@pytest.mark.parametrize(("ending", "text"), ELSEWHERE)
def test_an_address_elsewhere_is_found(ending, text):
    [found] = load("elsewhere").addresses_elsewhere(text, ending)
    assert found.endswith("//cdn.example/x.css")


HERE = (
    (".html", '<a href="https://b.c">read on</a><link rel="canonical" href="https://b.c">'),
    (".html", '<img src="a.png" srcset="a.png 1x, b.png 2x"><script src="x.js"></script>'),
    (".html", '<pre>fetch("https://b.c") and url(https://b.c)</pre>'),
    (".css", "/* https://b.c */ a { background: url(data:image/png;base64,AAAA) }"),
    (".js", '// https://b.c\nconst space = "http://www.w3.org/2000/svg"; fetch("a.json")'),
)


@pytest.mark.parametrize(("ending", "text"), HERE)
def test_what_is_here_or_only_linked_is_not_found(ending, text):
    assert load("elsewhere").addresses_elsewhere(text, ending) == []


def test_a_site_that_loads_something_is_told(tmp_path, capsys):
    elsewhere = load("elsewhere")
    assert elsewhere.main([str(tmp_path)]) == 1
    (tmp_path / "index.html").write_text("<p>text</p>")
    assert elsewhere.main([str(tmp_path)]) == 0
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.js").write_text('import "https://cdn.example/x.js"')
    assert elsewhere.main([str(tmp_path)]) == 1
    assert "deep/a.js loads https://cdn.example/x.js" in capsys.readouterr().out
    assert "docs/elsewhere.py docs/_build/html" in (ROOT / "Makefile").read_text("utf-8")


@pytest.mark.slow
def test_the_site_builds_without_warnings_and_loads_nothing(tmp_path):
    pytest.importorskip("sphinx_gallery", reason="pip install '.[docs]' builds the site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    done = subprocess.run([*command, DOCS, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert len(list(tmp_path.rglob("*.html"))) > 200
    assert list(load("elsewhere").loaded_elsewhere(tmp_path)) == []
