"""What a notebook shows of our values: short tables, with all text escaped."""

import base64
import inspect
import io
import re

import numpy as np
import pytest

from unspool import Isomap, compare, datasets, diagnose, plan
from unspool.report import write_report
from unspool.values import Report, Stage

ROLL = datasets.swiss_roll(120)


def shown(value):
    page = value._repr_html_()
    assert page.startswith("<table>")
    assert len(page) < 20_000
    return page


def test_a_comparison_is_a_table_of_its_scores():
    found = compare(ROLL.points, {"<b>PCA</b>": "pca", "ready": ROLL.coordinates})
    page = shown(found)
    assert "<b>" not in page
    assert "&lt;b&gt;PCA" in page
    rows = re.findall(r"<tr>(.*?)</tr>", page)
    assert len(rows) == 3
    trust = found.scores["ready"]["trustworthiness"].value
    assert f"<td>{trust:.3f}</td>" in rows[2]


def test_a_diagnosis_and_a_plan_are_tables():
    judged = diagnose(Isomap(n_neighbors=25).fit(ROLL.points), ROLL.points)
    page = shown(judged)
    assert page.count("<tr>") == len(judged.measures) + 1
    assert all(sentence.partition(" ")[0] in page for sentence in judged.advice)
    foreseen = plan("isomap", 5000, 10)
    assert shown(foreseen).count("<tr>") == len(foreseen.stages) + 1


def test_a_report_is_a_table_of_its_stages():
    with pytest.warns(UserWarning, match="2 connected components"):
        model = Isomap(n_neighbors=5).fit(np.vstack([ROLL.points, ROLL.points + 500]))
    page = shown(model.report_)
    rows = re.findall(r"<tr>(.*?)</tr>", page)
    assert [re.findall("<td>(.*?)</td>", row)[:2] for row in rows[1:]] == [
        [stage.name, f"{stage.seconds:.3f}"] for stage in model.report_.stages
    ]
    assert model.report_.advice
    assert page.count("<div>") == len(model.report_.advice)
    long = Report(
        (Stage("<i>", 1.5, 2_000_000, {"b": np.arange(900), "k": "<7", "r": 2 / 3}),), ("a < b",)
    )
    page = shown(long)
    assert "<td>&lt;i&gt;</td><td>1.500</td><td>2.0</td>" in page
    assert "k=&lt;7, r=0.6667</td>" in page
    assert page.endswith("<div>a &lt; b</div>")
    assert len(page) < 400


def test_a_sample_is_a_table_of_its_arrays():
    page = shown(ROLL)
    assert page.count("<tr>") == 4
    assert "<th>swiss-roll</th>" in page
    low, high = ROLL.points.min(), ROLL.points.max()
    assert f"<td>points</td><td>120 x 3</td><td>{low:.4g} to {high:.4g}</td>" in page
    assert "<td>color</td><td>120</td>" in page
    none = datasets.Sample("<none>", np.empty((0, 3)), np.empty((0, 2)), np.empty(0))
    assert "&lt;none&gt;" in shown(none)


def test_models_show_themselves_as_those_of_scikit_learn_do():
    assert "Isomap" in Isomap(n_neighbors=7)._repr_html_()


def report_of(tmp_path, points, methods, **options):
    write_report(compare(points, methods, n_neighbors=8), tmp_path / "r.html", **options)
    return (tmp_path / "r.html").read_text("utf-8")


def test_the_headline_names_the_maps_that_keep_neighbours(tmp_path):
    maps = {"flat": ROLL.coordinates, "noise": np.random.default_rng(0).random((120, 2))}
    page = report_of(tmp_path, ROLL.points, maps)
    told = re.search(r'class="headline">(.*?)</p>', page).group(1)
    assert told.startswith("flat keeps neighbours best (0.9")
    same = report_of(tmp_path, ROLL.points, {"a": ROLL.coordinates, "b": 2 * ROLL.coordinates})
    assert "All maps keep neighbours equally well" in same
    cloud = np.random.default_rng(1).standard_normal((120, 30))
    assert "No map keeps neighbours well: noise comes nearest" in report_of(
        tmp_path, cloud, {"noise": maps["noise"]}
    )


def test_a_map_in_a_dot_is_in_no_headline(tmp_path):
    points = np.random.default_rng(0).standard_normal((120, 2))
    dot = np.where(np.arange(120)[:, None] < 3, points + 1e4, points)
    noise = np.random.default_rng(1).random((120, 2))
    page = report_of(tmp_path, points, {"dot": dot, "noise": noise})
    assert "No map keeps neighbours well: noise comes nearest" in page


def test_warnings_come_first_and_the_rest_is_folded(tmp_path):
    points = np.vstack([ROLL.points, ROLL.points[:7]])
    page = report_of(tmp_path, points, ["pca"])
    assert page.index("7 of 127 points repeat others") < page.index('class="headline"')
    assert page.index('class="headline"') < page.index('id="maps"')
    for folded in ("trust", "data", "dimension", "shepard", "again"):
        assert f'<details class="section" id="{folded}">' in page
    for open_ in ("maps", "scores"):
        assert f'<section id="{open_}">' in page


def test_images_are_on_the_maps_of_a_report(tmp_path):
    bars = datasets.bars(40, size=8)
    images = bars.points.reshape(40, 8, 8)
    with_images = report_of(tmp_path, bars.points, ["pca"], images=images)
    assert with_images != report_of(tmp_path, bars.points, ["pca"])


CELLS = {
    "roll": """
        from unspool import LLE, Isomap, compare, datasets, diagnose, explore, plan
        roll = datasets.swiss_roll(150)
        roll""",
    "model": "model = Isomap(n_neighbors=8).fit(roll.points); model",
    "report": "model.report_",
    "comparison": "found = compare(roll.points, ['pca', 'isomap']); found",
    "diagnosis": "diagnose(model, roll.points)",
    "plan": "plan('isomap', 5000, 10)",
    "figure": "found.figure()",
    "explorer": "explore(model, roll.points)",
    "progress": "_ = LLE(n_neighbors=8, verbose=True).fit(roll.points)",
}


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    """A notebook that a kernel has run: what each cell shows, and the page that nbconvert makes."""
    nbformat = pytest.importorskip("nbformat")
    exporters = pytest.importorskip("nbconvert").exporters
    preprocessors = pytest.importorskip("nbconvert.preprocessors")
    pytest.importorskip("ipykernel")
    cells = [nbformat.v4.new_code_cell(inspect.cleandoc(code)) for code in CELLS.values()]
    book = nbformat.v4.new_notebook(cells=cells)
    runner = preprocessors.ExecutePreprocessor(timeout=300, kernel_name="python3")
    runner.preprocess(book, {"metadata": {"path": tmp_path_factory.mktemp("notebook")}})
    page, _ = exporters.HTMLExporter().from_notebook_node(book)
    return {name: cell.outputs for name, cell in zip(CELLS, cells, strict=True)}, page


def data_of(notebook, name):
    outputs, _ = notebook
    return [out["data"] for out in outputs[name] if "data" in out]


@pytest.mark.parametrize("name", ["roll", "report", "comparison", "diagnosis", "plan"])
def test_values_are_tables_in_a_notebook(notebook, name):
    (shown_,) = data_of(notebook, name)
    table = "".join(shown_["text/html"])
    assert table.startswith("<table>")
    assert table in notebook[1]  # and on the page
    assert shown_["text/plain"]  # for readers without HTML


def test_a_model_is_shown_as_those_of_scikit_learn(notebook):
    (shown_,) = data_of(notebook, "model")
    assert "sk-estimator" in "".join(shown_["text/html"])


@pytest.mark.parametrize("name", ["figure", "explorer"])
def test_a_notebook_shows_pictures(notebook, name):
    """The explorer's is what a page without a kernel has instead of the widget."""
    images = pytest.importorskip("PIL.Image")
    pictures = [shown_["image/png"] for shown_ in data_of(notebook, name) if "image/png" in shown_]
    assert len(pictures) == 1
    picture = images.open(io.BytesIO(base64.b64decode(pictures[0])))
    assert min(picture.size) > 150
    small = np.asarray(picture.convert("RGB").resize((64, 64))).reshape(-1, 3)
    assert len(np.unique(small, axis=0)) > 20  # a map, not a blank
    assert "".join(pictures[0].split())[:200] in notebook[1]  # with no option of nbconvert


def test_a_widget_comes_before_its_picture(notebook):
    widget, picture = data_of(notebook, "explorer")
    assert "application/vnd.jupyter.widget-view+json" in widget
    assert "image/png" not in widget  # else readers without widgets would show it twice
    assert picture["text/html"].startswith('<div data-unspool-still="')


def test_progress_is_a_bar_for_each_stage_in_a_notebook(notebook):
    outputs, page = notebook
    assert [out for out in outputs["progress"] if out["output_type"] == "stream"] == []
    (bars,) = data_of(notebook, "progress")
    rows = re.findall("<tr>(.*?)</tr>", bars["text/html"])
    assert [re.search("LLE: ([^<]+)<", row).group(1) for row in rows] == [
        "neighbours",
        "weights",
        "spectrum",
    ]
    for row in rows:
        done = re.search(r'<progress max="(\d+)" value="(\d+)">', row)
        assert done.group(1) == done.group(2)
        assert re.search(r"<td>in [\d.]+ m?s</td>", row)
    assert "<progress" in page
