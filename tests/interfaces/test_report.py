"""The report is one file, says what the comparison says, and can be made again from itself."""

import base64
import builtins
import errno
import io
import os
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from PIL import Image

from unspool import datasets, plot
from unspool.dimension import intrinsic_dimension
from unspool.evaluate import compare, summarize
from unspool.io import UNEVEN
from unspool.methods import Isomap
from unspool.report import python_code, shell_command, write_report

ROLL = datasets.swiss_roll(150)
EVIL = '<script>alert("x")</script>'


def made(path, **options):
    found = compare(
        ROLL.points,
        ["pca", "isomap", "principal-curve"],
        truth=ROLL.coordinates,
        color=ROLL.color,
        n_neighbors=8,
    )
    write_report(
        found,
        path,
        source="demo:swiss-roll",
        columns=["x", EVIL, "z & y"],
        color_name=EVIL,
        notes=[f"rows of {EVIL} were dropped"],
        **options,
    )
    return found


class Page(HTMLParser):
    """What a browser would find: tags with their attributes, and the text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.words, self.open = [], [], []
        self.feed(text)
        self.text = " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in ("meta", "img", "source"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.words.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    found = made(path)
    text = path.read_text("utf-8")
    return found, text, Page(text)


def test_the_page_is_whole(report):
    _, text, page = report
    assert text.lstrip().lower().startswith("<!doctype html>")
    assert page.open == []
    assert [attributes["id"] for attributes in page.all("section")] == ["maps", "scores"]
    folded = [attributes["id"] for attributes in page.all("details") if "id" in attributes]
    assert folded == ["trust", "data", "dimension", "elbow", "shepard", "again"]
    assert page.all("html") == [{"lang": "en"}]


def test_it_needs_no_other_file_and_no_network(report):
    _, text, page = report
    assert all("src" not in script for script in page.all("script"))
    assert not page.all("link")
    assert all(image["src"].startswith("data:image/png;base64,") for image in page.all("img"))
    assert not re.search(r"https?://|url\(|@import", text)


def test_every_picture_is_one_and_is_told_in_words(report):
    found, _, page = report
    images = page.all("img")
    maps = 1 + 2  # the truth, and two maps
    assert len(images) == maps + 2 + 1 + 2 + 2  # trust, dimension, elbows, Shepard diagrams
    assert all(len(image["alt"]) > 20 for image in images)
    assert len({image["alt"] for image in images}) == len(images)
    trust = found.scores["Isomap"]["trustworthiness"].value
    told = f"Map of 150 points by Isomap, coloured by {EVIL}; trustworthiness {trust:.3f}"
    assert told in [image["alt"] for image in images]
    for image in images:
        data = base64.b64decode(image["src"].partition(",")[2])
        assert min(Image.open(io.BytesIO(data)).size) > 200


def test_names_are_text_and_never_markup(report):
    _, text, page = report
    types = {script.get("type") for script in page.all("script")}
    assert types == {"text/plain", "module"}  # packed answers, and the one script of the page
    assert text.count('<script type="module">') == 1
    assert EVIL not in text
    assert "alert(&#34;x&#34;)" in text
    assert EVIL in page.text
    assert "z & y" in page.text


def test_the_scores_are_those_of_the_comparison(report):
    found, _, page = report
    for scores in found.scores.values():
        for score in scores.values():
            assert f"{score.value:.3f}" in page.text
    assert found.failures["Principal curve"] in page.text
    assert found.basis() in page.text
    cells = re.findall(r'<td class="best">([\d.]+)', report[1])
    assert len(cells) == len(found.scored)


def test_the_dimension_is_told_with_its_spread(report):
    _, _, page = report
    assert "6 estimators of the intrinsic dimension say" in page.text
    for method in ("levina-bickel", "two-nearest", "local-pca", "elbow", "eigengap"):
        assert method in page.text


def test_estimators_that_were_left_out_are_not_counted(tmp_path):
    few = compare(ROLL.points[:12], ["pca"])
    found = intrinsic_dimension(ROLL.points[:12])
    assert 1 < len(found.estimates) < 6
    page = Page(write_report(few, tmp_path / "r.html").read_text("utf-8"))
    assert f" {len(found.estimates)} estimators of the intrinsic dimension say" in page.text


def test_the_data_are_described_as_they_were_before_the_fit(tmp_path):
    """Rows with gaps are dropped, columns scaled: missing entries and rows are the file's."""
    raw = np.vstack([np.full((12, 3), np.nan), ROLL.points * [1.0, 1e4, 1.0]])
    raw[12 + 30] = [300.0, 3e6, 300.0]
    found = compare(raw[12:] / raw[12:].std(axis=0), ["pca"])
    path = write_report(
        found, tmp_path / "r.html", data=raw, columns=list("abc"), rows=np.arange(13, 163)
    )
    text = Page(path.read_text("utf-8")).text
    assert "36 entries are missing, in a (12), b (12), c (12)" in text
    assert "such rows of the 162" in text
    assert "1 point lies far from all others (row 43)" in text
    assert "very different scales: b varies by" in text
    assert "they were brought to one scale before the points were mapped" in text
    assert "--scale standard" not in text


def test_the_same_comparison_gives_the_same_page(report, tmp_path):
    write_report(report[0], tmp_path / "a.html")
    write_report(report[0], tmp_path / "b.html")
    first, second = ((tmp_path / name).read_text("utf-8") for name in ("a.html", "b.html"))
    assert first.replace("a.html", "b.html") == second


def test_the_python_in_the_page_makes_the_comparison_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    loading = (
        "roll = unspool.datasets.swiss_roll(150)\n"
        "X, truth, color = roll.points, roll.coordinates, roll.color"
    )
    found = made(tmp_path / "first.html", loading=loading)
    text = (tmp_path / "first.html").read_text("utf-8")
    code = Page(text).words
    start = next(i for i, word in enumerate(code) if word.startswith("import unspool"))
    program = code[start].replace("first.html", "second.html")
    names = {}
    exec(compile(program, "the report", "exec"), names)
    again = names["comparison"]
    drop = {"seconds"}
    for one, two in zip(found.records(), again.records(), strict=True):
        assert {k: v for k, v in one.items() if k not in drop} == {
            k: v for k, v in two.items() if k not in drop
        }
    assert (tmp_path / "second.html").stat().st_size > 100_000


def test_the_shell_command_names_all_that_matters(report):
    found, _, page = report
    command = shell_command(found, "my file.csv", "out.html")
    assert command == (
        "unspool compare 'my file.csv' -o out.html --methods pca,isomap,principal-curve "
        "--n-components 2 --n-neighbors 8 --seed 0"
    )
    assert shell_command(found, "demo:swiss-roll", "report.html") in page.text
    settings = replace(found.settings, seed=7, n_neighbors=None)
    other = shell_command(replace(found, settings=settings), "a.csv", "out.html")
    assert other.endswith("--n-components 2 --seed 7")


def test_a_given_command_is_shown_as_it_is(report, tmp_path):
    path = write_report(
        report[0], tmp_path / "r.html", command="unspool compare 'a b.csv' -o r.html"
    )
    assert "unspool compare 'a b.csv' -o r.html" in Page(path.read_text("utf-8")).text


def test_code_without_loading_leaves_the_data_to_the_reader(report):
    code = python_code(report[0], "", "r.html")
    assert "X = ...  # your data" in code
    assert "truth = ..." in code
    assert "'Isomap': unspool.Isomap(n_neighbors=8)" in code
    compile(code, "report", "exec")


def test_tables_of_distances_can_be_reported(tmp_path):
    table = np.linalg.norm(ROLL.points[:, None] - ROLL.points, axis=2)
    found = compare(table, ["isomap"], metric="precomputed", n_neighbors=8)
    page = Page(write_report(found, tmp_path / "r.html").read_text("utf-8"))
    assert "given as a table of distances" in page.text
    assert "first coordinate of Isomap" in page.text


def test_a_comparison_without_any_map_can_be_reported(tmp_path):
    found = compare(ROLL.points, [Isomap(2, n_neighbors=999)])
    page = Page(write_report(found, tmp_path / "r.html").read_text("utf-8"))
    assert "has no map: n_neighbors=999" in page.text


def test_nothing_half_written_is_left(report, tmp_path, monkeypatch):
    path = tmp_path / "r.html"
    path.write_text("before")
    from unspool import report as room

    def fail(*args):
        raise ValueError("no picture")

    monkeypatch.setattr(room, "map_pictures", fail)
    with pytest.raises(ValueError, match="no picture"):
        write_report(report[0], path)
    assert path.read_text() == "before"
    assert [file.name for file in tmp_path.iterdir()] == ["r.html"]


def test_a_report_that_a_full_disk_cuts_off_leaves_the_one_before(report, tmp_path, monkeypatch):
    path = tmp_path / "r.html"
    path.write_text("before")

    def fail(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        write_report(report[0], path)
    assert path.read_text() == "before"
    assert [file.name for file in tmp_path.iterdir()] == ["r.html"]


def test_without_jinja_the_sentence_says_what_to_install(report, tmp_path, monkeypatch):
    original = builtins.__import__

    def without(name, *args, **options):
        if name.startswith("jinja2"):
            raise ImportError(name)
        return original(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"pip install 'unspool\[app\]'"):
        write_report(report[0], tmp_path / "r.html")


POINTS = np.random.default_rng(0).uniform(size=(200, 3))


def test_clean_data_have_no_warnings():
    found = summarize(POINTS, ["a", "b", "c"])
    assert found.warnings == ()
    assert (found.n_points, found.n_columns, found.duplicates, found.missing) == (200, 3, 0, 0)
    column = found.columns[1]
    expected = POINTS[:, 1].min(), np.median(POINTS[:, 1]), POINTS[:, 1].max(), POINTS[:, 1].std()
    assert (column.low, column.median, column.high, column.spread) == expected


def changed(change):
    points = POINTS.copy()
    change(points)
    return points


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda p: p.__setitem__(slice(0, 7), p[50:57]), "7 of 200 points repeat others"),
        (lambda p: p.__setitem__((slice(None), 1), 4.0), "1 column has one value only"),
        (lambda p: p.__setitem__((3, 2), np.nan), r"1 entry is missing, in c \(1\)"),
        (lambda p: p.__imul__([1.0, 2000.0, 1.0]), "scales: b varies by .*--scale standard"),
        (lambda p: p.__setitem__(17, 40.0), r"1 point lies far from all others \(row 17\)"),
    ],
)
def test_each_trouble_of_the_data_is_told(change, sentence):
    (warning,) = summarize(changed(change), ["a", "b", "c"]).warnings
    assert re.search(sentence, warning)


def test_columns_are_uneven_where_the_command_line_says_so():
    scaled = POINTS / POINTS.std(axis=0)
    assert summarize(scaled * [1.0, 0.99 * UNEVEN, 1.0]).warnings == ()
    assert len(summarize(scaled * [1.0, 1.01 * UNEVEN, 1.0]).warnings) == 1


def test_rows_are_counted_among_all_and_may_have_names():
    points = changed(lambda p: p.__setitem__(17, 40.0))
    points[:3, 0] = np.nan
    assert "(row 17)" in summarize(points).warnings[-1]
    named = summarize(points, rows=[f"r{i}" for i in range(200)])
    assert "(row r17)" in named.warnings[-1]
    dropped = summarize(points[3:], data=points, rows=np.arange(4, 201))
    assert "(row 18)" in dropped.warnings[-1]


def test_few_rows_many_columns_are_told():
    wide = np.random.default_rng(1).normal(size=(30, 60))
    found = summarize(wide)
    assert found.warnings == ("there are fewer points (30) than columns (60)",)
    assert len(found.columns) == 24
    assert found.columns[3].name == "column 3"


def test_copies_in_a_table_of_distances_are_counted():
    points = np.vstack([POINTS[:20], POINTS[:2]])
    table = np.linalg.norm(points[:, None] - points, axis=2)
    assert summarize(table, metric="precomputed").duplicates == 2


def test_every_picture_is_there_for_a_dark_page_too(report):
    _, _, page = report
    images, dark = page.all("img"), page.all("source")
    assert len(dark) == len(images)
    for image, other in zip(images, dark, strict=True):
        assert other["media"] == "screen and (prefers-color-scheme: dark)"
        light, night = (
            np.asarray(
                Image.open(io.BytesIO(base64.b64decode(text.partition(",")[2]))).convert("L")
            )
            for text in (image["src"], other["srcset"])
        )
        assert light.shape == night.shape
        assert light.mean() > 200
        assert night.mean() < 90


def test_what_the_colours_mean_stands_once(tmp_path):
    """Categories as words with their colours, for a light and for a dark page; numbers as a bar."""
    sides = np.where(ROLL.points[:, 1] > np.median(ROLL.points[:, 1]), "upper", EVIL)
    found = compare(ROLL.points, ["pca", "isomap"], color=sides)
    write_report(found, tmp_path / "a.html", color_name="side")
    text = (tmp_path / "a.html").read_text("utf-8")
    assert text.count('<ul class="key"') == 1
    assert text.count('<p class="key scale">') == 1  # that of trust
    (key,) = re.findall(r'<ul class="key".*?</ul>', text, re.DOTALL)
    assert EVIL not in key
    for word, entry in zip(("&lt;script", "upper"), plot.key(sides).entries, strict=True):
        assert word in key
        assert f"--day: {entry.day}; --night: {entry.night}" in key
    numbers = compare(ROLL.points, ["pca"], color=ROLL.color)
    write_report(numbers, tmp_path / "b.html")
    text = (tmp_path / "b.html").read_text("utf-8")
    assert '<ul class="key"' not in text
    assert text.count('<p class="key scale">') == 2
    assert f"{ROLL.color.min():.3g}" in text
