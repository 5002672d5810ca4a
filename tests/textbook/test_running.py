"""Runs, skips and failures are seen: by the runner, by the command line and on the pages."""

import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from unspool import textbook
from unspool.cli.textbook import textbook_command
from unspool.textbook import (
    ERRATA,
    TEXTS,
    Item,
    Result,
    chosen,
    items,
    left_out,
    listed,
    measured,
    outcome,
    printed,
    run,
    source_of,
    summary,
    told,
    write_pages,
)

QUICK = "S4.extended-size"


def failing():
    """An item that is wrong."""
    return outcome(printed("two and two", "5", 4), measured("it", "claim", 1, at_most=2))


WRONG = Item("S0.wrong", "Wrong", "nowhere", (), False, failing)


def test_items_are_well_formed():
    assert len(items()) >= 110
    for name, one in items().items():
        assert re.fullmatch(r"S[0-4]\.[a-zA-Z0-9.\-]+", name)
        assert one.id == name
        assert one.about.endswith("."), name
        assert one.title
        assert one.place
        assert "return outcome(" in source_of(one)
    assert {one.text for one in items().values()} == {text.name for text in TEXTS}


def test_items_are_chosen_by_id_text_and_pattern():
    assert [one.id for one in chosen([QUICK])] == [QUICK]
    assert {one.text for one in chosen(["s3"])} == {"S3"}
    assert [one.id for one in chosen(["S4.fig-16.1*"])] == [
        "S4.fig-16.1",
        "S4.fig-16.10",
        "S4.fig-16.11",
    ]
    assert len(chosen(["S4", "S4.fig-*"])) == len(chosen(["S4"]))
    with pytest.raises(ValueError, match="no item is called 'S9'"):
        chosen(["S9"])


def test_absent_data_are_told_and_nothing_is_fetched(monkeypatch, tmp_path):
    monkeypatch.setenv("UNSPOOL_DATA", str(tmp_path))

    def no_network(*args, **options):
        raise AssertionError("somebody fetched data without being asked")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", no_network)
    for name, hint in (("S4.fig-16.8", False), ("S3.exercise-15.6", True)):
        result = run(items()[name])
        assert result.status == "skipped"
        assert "UNSPOOL_DATA" in result.reason
        assert ("--download" in result.reason) is hint
        assert result.reason in told(result)


def test_the_last_line_says_what_was_skipped_and_why(monkeypatch, tmp_path):
    monkeypatch.setenv("UNSPOOL_DATA", str(tmp_path))
    wanted = ["S4.fig-16.8", "S4.exercise-16.7", "S1.whisky-map", QUICK]
    ran = CliRunner().invoke(textbook_command, ["run", *wanted])
    assert ran.output.splitlines()[-1] == (
        "3 items were skipped because swiss_roll_isomap, whisky are absent: put the files into "
        f"{tmp_path}, which UNSPOOL_DATA names (docs/data.md says where they come from)"
    )
    ran = CliRunner().invoke(textbook_command, ["run", QUICK])
    assert ran.output.splitlines()[-1] == "nothing was skipped"
    monkeypatch.delenv("UNSPOOL_DATA")
    skipped = [Result(items()["S1.whisky-map"], "skipped", 0.0)]
    monkeypatch.setattr("unspool.datasets.real_names", lambda: ["pendigits"])
    assert "1 item was skipped because whisky is absent" in left_out(skipped)
    assert "goes into the environment variable UNSPOOL_DATA" in left_out(skipped)


def test_the_page_of_data_has_a_row_for_every_table():
    page = (Path(__file__).parents[2] / "docs" / "data.md").read_text("utf-8")
    rows = set(re.findall(r"^\| `(\w+)\.(?:npz|csv)`", page, re.MULTILINE))
    assert {name for one in items().values() for name in one.needs} <= rows


def test_a_table_of_the_package_serves_an_item(monkeypatch, tmp_path):
    monkeypatch.setenv("UNSPOOL_DATA", str(tmp_path))
    assert run(items()["S1.map-from-driving-distances"]).status == "agrees"


def test_data_are_fetched_when_asked(monkeypatch, tmp_path):
    monkeypatch.setenv("UNSPOOL_DATA", str(tmp_path))
    images = np.arange(70_000)[:, None] * np.ones((1, 2))

    def fetch(name, **options):
        assert (name, options["version"]) == ("mnist_784", 1)
        return images, np.array(["7"] * 70_000)

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    table = textbook.load("mnist", download=True)
    assert len(table["x_train"]) == 60_000
    assert len(table["x_test"]) == 10_000
    assert table["x_test"].dtype == table["y_test"].dtype == np.uint8
    assert (table["y_test"] == 7).all()
    with pytest.raises(textbook.Absent, match="swiss_roll_isomap"):
        textbook.load("swiss_roll_isomap", download=True)


def test_an_error_is_not_swallowed():
    def broken():
        raise ZeroDivisionError("really")

    with pytest.raises(ZeroDivisionError):
        run(Item("S0.broken", "Broken", "nowhere", (), False, broken))


def test_the_command_lists():
    listing = CliRunner().invoke(textbook_command, ["list"])
    assert listing.exit_code == 0
    assert all(name in listing.output for name in items())
    one = CliRunner().invoke(textbook_command, ["list", "S2"])
    assert one.output.strip() == listed(chosen(["S2"]))
    assert "S4." not in one.output


def test_the_command_runs_and_shows_every_check():
    ran = CliRunner().invoke(textbook_command, ["run", "S4.fig-16.2"])
    assert ran.exit_code == 0, ran.output
    assert "printed 0.0174; here 0.174078: differs because the loading is 0.174" in ran.output
    assert "1 items agree (1 checks where the text is wrong), 0 fail" in ran.output


def test_the_command_fails_when_a_number_differs(monkeypatch):
    monkeypatch.setattr("unspool.textbook.chosen", lambda which: [WRONG])
    ran = CliRunner().invoke(textbook_command, ["run", "S0.wrong"])
    assert ran.exit_code == 1
    assert "S0.wrong" in ran.output
    assert "FAILS" in ran.output
    assert "! two and two: printed 5; here 4.00: differs, and no erratum is named" in ran.output
    monkeypatch.setattr("unspool.textbook.items", lambda: {"S0.wrong": WRONG})
    everything = CliRunner().invoke(textbook_command, ["all"])
    assert everything.exit_code == 1
    assert "it: claim" not in everything.output  # only what fails is shown


def test_pages_hold_everything(tmp_path):
    pytest.importorskip("matplotlib")
    names = ["S4.table-16.1", "S4.fig-16.2", "S0.fig-4.2", QUICK]
    results = [run(one, figures=True) for one in chosen(names)]
    results.append(run(WRONG))
    index = write_pages(results, tmp_path / "book")
    front = index.read_text("utf-8")
    page = (tmp_path / "book" / "S4.html").read_text("utf-8")
    assert "46.722" in page
    assert "0.174078" in page
    assert "def fig_16_2()" in page
    assert page.count("data:image/png;base64,") == 1
    assert not re.search(r'(src|href)="(https?:|/)', page + front)  # nothing from elsewhere
    assert (tmp_path / "book" / "figures" / "S4.fig-16.2.png").stat().st_size > 5_000
    assert all(f"{text}.html" in front for text in ("S0", "S4"))
    assert all(one.shown_by in front for one in ERRATA.values())
    assert 'class="fails"' in (tmp_path / "book" / "S0.html").read_text("utf-8")
    assert summary(results).startswith("5 items")


def links(page):
    return re.findall(r'href="([^"#]*)#?([^"]*)"', page.read_text("utf-8"))


def check_links(folder):
    """Every link of the index leads to a page that is there, and to a part that it has."""
    for file, part in links(folder / "index.html"):
        assert (folder / file).exists(), file
        assert not part or f'<section id="{part}">' in (folder / file).read_text("utf-8"), part


def test_pages_of_some_items_leave_the_others_alone(tmp_path):
    pytest.importorskip("matplotlib")
    first = [run(one) for one in chosen(["S4.table-16.1", QUICK, "S0.fig-4.2"])]
    write_pages(first, tmp_path)
    check_links(tmp_path)
    zero = (tmp_path / "S0.html").read_text("utf-8")
    write_pages([run(one) for one in chosen(["S4.fig-16.2", QUICK])], tmp_path)
    check_links(tmp_path)
    named = [part for _, part in links(tmp_path / "index.html") if part]
    assert set(named) == {"S4.table-16.1", "S4.fig-16.2", QUICK, "S0.fig-4.2"}
    page = (tmp_path / "S4.html").read_text("utf-8")
    assert re.findall(r'<section id="([^"]+)">', page) == [
        one for one in items() if one in named and one.startswith("S4")
    ]
    assert "46.722" in page  # of the table that was not run again
    assert (tmp_path / "S0.html").read_text("utf-8") == zero
    (tmp_path / "S0.html").unlink()
    write_pages([run(items()[QUICK])], tmp_path)
    check_links(tmp_path)
    assert "S0.html" not in (tmp_path / "index.html").read_text("utf-8")


def test_a_page_that_cannot_be_written_leaves_the_earlier_one(tmp_path, monkeypatch):
    results = [run(items()[QUICK])]
    index = write_pages(results, tmp_path)
    before = index.read_text("utf-8")
    monkeypatch.setattr("os.fsync", lambda file: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        write_pages(results, tmp_path)
    assert index.read_text("utf-8") == before
    assert not list(tmp_path.glob(".*"))
