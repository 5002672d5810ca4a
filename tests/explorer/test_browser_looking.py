"""Looking, in a real browser: open, colour, lasso, search, keys, phone, dark."""

from __future__ import annotations

import csv
import re

import numpy as np
import pytest

import unspool
from tests.explorer.browser import LAPTOP, PHONE, opened, saved
from tests.explorer.server import IMAGE, running
from unspool.explorer.start import data_of_array, explorer_of


def test_it_opens_with_every_point_shown(window, session):
    assert window.text(".bar-count") == "150 of 150 shown"
    assert session.data.title in window.page.title()
    assert "token" not in window.page.url
    drawn = window.page.evaluate(
        """async () => {
          const app = await document.getElementById("app").explorer.opened;
          const { view } = app.board.panels[0];
          view.drawNow();
          const copy = new OffscreenCanvas(view.points.width, view.points.height);
          copy.getContext("2d").drawImage(view.points, 0, 0);
          const pixels = copy.getContext("2d").getImageData(0, 0, copy.width, copy.height).data;
          return pixels.filter((value, k) => k % 4 === 3 && value > 100).length;
        }"""
    )
    assert drawn > 150 * 10  # each dot has some 38 pixels; few hide each other


def test_a_legend_hides_a_category_and_counts_it(window, session):
    column = next(c["index"] for c in window_info(window)["columns"] if c["name"] == IMAGE)
    window.page.get_by_label("colour by").select_option(f"column:{column}")
    window.settle()
    kinds = session.data.others[IMAGE]
    first = window.page.locator(".legend-entry[data-code='0']")  # by name, as in plots
    assert "inner" in first.inner_text()
    first.click()
    window.settle()
    assert window.text(".bar-count") == f"{np.sum(kinds == 'outer')} of 150 shown"
    assert window.page.locator("img").count() == 0  # a column named like markup stays text
    assert IMAGE in window.text("select[aria-label='colour by']")
    window.page.keyboard.press("u")
    window.settle()
    assert window.text(".bar-count") == "150 of 150 shown"


def test_a_range_of_values_is_kept(window, session):
    values = np.asarray(session.data.others["color"], dtype=np.float32)
    low = float(np.median(values))
    field = window.page.locator(".bound input").first
    field.fill(str(low))
    field.press("Tab")
    window.settle()
    assert window.text(".bar-count") == f"{np.sum(values >= np.float32(low))} of 150 shown"


def window_info(window):
    return window.page.evaluate(
        "document.getElementById('app').explorer.opened.then((app) => app.info)"
    )


def test_a_rectangle_selects_what_lies_inside(window, places):
    pixels = window.pixels(places)
    low, high = np.quantile(pixels, 0.3, axis=0), np.quantile(pixels, 0.8, axis=0)
    inside = np.flatnonzero(np.all((pixels > low) & (pixels < high), axis=1))
    window.page.keyboard.press("r")
    window.drag(np.array([low, high]))
    window.settle()
    assert window.state()["selection"] == inside.tolist()
    assert f"{len(inside)} selected" in window.text(".bar-count")


def test_a_lasso_selects_adds_and_takes_away(window, places, tmp_path):
    pixels = window.pixels(places)
    center = np.median(pixels, axis=0)
    corners = center + np.array([[320, 0], [0, 280], [-320, 0], [0, -280], [320, 0]])
    away = np.abs(pixels - center) / [320, 280]
    inside = np.flatnonzero(away.sum(axis=1) < 1)  # a rhombus
    assert 10 < len(inside) < 140
    window.page.keyboard.press("l")
    window.drag(corners, steps=8)
    window.settle()
    assert window.state()["selection"] == inside.tolist()
    other = next(p for p in range(150) if p not in inside)
    window.page.keyboard.press("v")
    window.page.keyboard.down("Shift")
    window.page.mouse.click(*pixels[other])
    window.page.keyboard.up("Shift")
    window.settle()
    assert window.state()["selection"] == sorted([*inside.tolist(), other])
    window.page.keyboard.press("l")
    window.page.keyboard.down("Alt")
    window.drag(corners, steps=8)
    window.page.keyboard.up("Alt")
    window.settle()
    assert window.state()["selection"] == [other]
    window.page.keyboard.press("u")
    window.settle()
    window.page.keyboard.press("5")
    file = saved(window, "[data-save=csv]", tmp_path)
    with file.open() as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == len(inside) + 1
    assert {row["label"] for row in rows} == {"selected"}


def test_the_address_holds_the_state(browser, client, window):
    window.change(selection=[3, 4, 5, 90], focus=7, size=6, color=None)
    window.until("location.hash.includes('selection')")
    address = client.gate.address + "#" + window.page.evaluate("location.hash.slice(1)")
    with opened(browser, address) as again:
        state = again.state()
        assert (state["selection"], state["focus"]) == ([3, 4, 5, 90], 7)
        assert (state["size"], state["color"]) == (6, None)


def test_search_by_row_and_by_value(window, session):
    values = np.asarray(session.data.others["color"], dtype=float)
    search = window.page.get_by_label("search", exact=True)
    search.fill("color>10")
    search.press("Enter")
    window.until("document.querySelector('.bar-count .selected') !== null")
    window.settle()
    assert window.state()["selection"] == np.flatnonzero(values > 10).tolist()
    search.fill("#17")
    search.press("Enter")
    window.until("document.querySelector('.bar-count .selected').textContent === '1 selected'")
    assert window.state()["focus"] == 17


def test_hover_shows_the_row(window, places, session):
    window.page.mouse.move(*window.pixels(places)[40])
    card = window.page.locator(".hover-card")
    card.wait_for(state="visible")
    assert "40" in card.inner_text()
    assert f"{session.data.points[40, 0]:.4g}"[:5] in card.inner_text().replace(",", "")


def test_keys_alone_reach_everything(window, places):
    page = window.page
    page.keyboard.press("m")
    before = window.frame_of()
    page.keyboard.press("+")
    page.keyboard.press("ArrowRight")
    window.until("location.hash.includes('cameras')")
    after = window.frame_of()
    assert after["span"] < before["span"]
    assert after["x"] > before["x"]
    page.keyboard.press("0")
    window.settle()
    page.keyboard.press("Shift+ArrowRight")  # the point next to the middle, then on
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Enter")
    window.until("document.querySelector('.neighbors .words') !== null")
    focus = window.state()["focus"]
    middle = np.median(window.pixels(places), axis=0)
    assert np.linalg.norm(window.pixels(places)[focus] - middle) < 400
    assert page.locator("[data-tab=point]").get_attribute("aria-selected") == "true"
    page.keyboard.press("2")
    assert window.state()["tab"] == "trust"
    page.keyboard.press("Escape")
    assert window.state()["focus"] is None
    page.keyboard.press("?")
    assert page.locator("dialog[open]").count() == 1
    page.keyboard.press("Escape")
    page.locator("[data-tab=trust]").focus()
    page.keyboard.press("ArrowLeft")
    assert window.state()["tab"] == "look"


@pytest.mark.parametrize("size", [LAPTOP, PHONE])
def test_nothing_lies_over_anything_else(browser, client, size):
    with opened(browser, client.gate.address, size) as window:
        boxes = window.page.evaluate(
            """() => [".bar", ".tools", ".board", ".side"].map((name) => {
              const box = document.querySelector(name).getBoundingClientRect();
              const { left, top, right, bottom } = box;
              return { name, left, top, right, bottom };
            })"""
        )
        for k, one in enumerate(boxes):
            assert 0 <= one["left"] < one["right"] <= size[0]
            assert 0 <= one["top"] < one["bottom"] <= size[1]
            for other in boxes[k + 1 :]:
                apart = (
                    one["right"] <= other["left"] + 1 or other["right"] <= one["left"] + 1
                ) or (one["bottom"] <= other["top"] + 1 or other["bottom"] <= one["top"] + 1)
                assert apart, (one, other)
        assert window.page.evaluate("document.documentElement.scrollWidth") <= size[0]
        for tab in ("look", "trust", "point", "maps", "rows"):
            window.page.locator(f"[data-tab={tab}]").click()
            wide = window.page.evaluate(
                "name => { const e = document.querySelector(`[data-panel=${name}]`);"
                " return e.scrollWidth - e.clientWidth; }",
                tab,
            )
            assert wide <= 0, tab


def test_maps_side_by_side_have_the_most_room_and_their_scores(browser, client):
    with opened(browser, client.gate.address, PHONE) as window:
        count = len(window.state()["maps"])
        assert count > 1
        boxes = [panel.bounding_box() for panel in window.page.locator(".panel").all()]
        assert min(box["width"] for box in boxes) >= 150
        for scores in window.page.locator(".panel .map-scores").all():
            assert scores.is_visible()
            assert "trust" in scores.inner_text()
            assert scores.evaluate("e => e.scrollWidth - e.clientWidth") <= 0
    with opened(browser, client.gate.address, LAPTOP) as window:
        board = window.page.locator(".board").bounding_box()
        columns = int(window.page.locator(".board").get_attribute("data-columns"))

        def room(across):
            down = -(-count // across)
            return min(board["width"] / across, board["height"] / down - 44)

        assert room(columns) == max(room(k) for k in range(1, count + 1))


def test_dark_follows_the_system_and_the_button(browser, client):
    background = "getComputedStyle(document.getElementById('app')).backgroundColor"
    with opened(browser, client.gate.address, color_scheme="dark") as window:
        assert window.page.evaluate(background) == "rgb(20, 24, 28)"
        window.page.get_by_label("Light or dark").click()
        assert window.page.evaluate(background) == "rgb(255, 255, 255)"


@pytest.mark.parametrize("format", ["png", "svg"])
def test_the_picture_is_the_map(window, format, tmp_path):
    window.page.keyboard.press("5")
    file = saved(window, f"[data-picture={format}]", tmp_path)
    content = file.read_bytes()
    if format == "png":
        assert content.startswith(b"\x89PNG")
        assert len(content) > 10_000
    else:
        text = content.decode()
        assert text.count("h0") == 150  # one dot for each point
        assert "<script" not in text
        assert "Isomap" in text


def test_an_svg_of_very_many_points_says_that_they_are_a_picture(browser, tmp_path):
    points = np.random.default_rng(0).normal(size=(30_001, 2))
    data = data_of_array(points, metric="euclidean")
    with (
        running(explorer_of(data, unspool.PCA(2).fit(points)), keep=True) as many,
        opened(browser, many.gate.address) as window,
    ):
        window.change(tab="rows")
        assert "30,000" in window.text("[data-svg]")
        text = saved(window, "[data-picture=svg]", tmp_path).read_text()
        assert "30,001 points as one picture" in window.text(".status")
    assert text.count("<image") == 1
    assert "h0" not in re.sub(r'href="[^"]*"', "", text)  # no dots beside the picture
