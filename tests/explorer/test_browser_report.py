"""A report of a real table in a real browser: its map answers, by day, by night, and on paper."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.datasets import load_digits

import unspool
from tests.explorer.browser import LAPTOP, PHONE, opened
from unspool.report import write_report

PAGES = 3  # of A4: maps with scores, what the maps lose, how it was made
SHOWN = "(name) => [...document.querySelectorAll(name)].map((one) => one.checkVisibility())"
PAPER = """() => {
  const { backgroundColor, color } = getComputedStyle(document.body);
  return [backgroundColor, color].map((words) => words.match(/\\d+/g).slice(0, 3).map(Number));
}"""


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    digits = unspool.datasets.real("pendigits")
    found = unspool.compare(
        digits["x_train"][:300].astype(float), color=[f"digit {y}" for y in digits["y_train"][:300]]
    )
    path = tmp_path_factory.mktemp("report") / "report.html"
    return write_report(found, path, source="pendigits", color_name="digit"), found


def brightness(color):
    return float(np.dot(color, [0.2126, 0.7152, 0.0722]))


def test_its_map_opens_and_answers(browser, report):
    path, found = report
    with opened(browser, f"file://{path}") as window:
        assert window.page.evaluate(SHOWN, ".answering") == [True]
        assert window.page.evaluate(SHOWN, ".still") == [False]
        assert len(window.state()["maps"]) == len(found.embeddings) >= 5
        window.change(maps=["m0"])
        first = next(iter(found.aligned.values()))
        x, y = window.pixels(first)[7]
        window.page.locator(".unspool").scroll_into_view_if_needed()
        x, y = window.pixels(first)[7]
        window.page.mouse.click(x, y)
        window.until(
            "document.querySelector('[data-part=focus]')?.innerText.includes('true neigh')"
        )
        assert window.state()["focus"] is not None


@pytest.mark.parametrize("size", [None, PHONE])
def test_it_is_dark_by_night(browser, report, size):
    options = {"color_scheme": "dark", **({"size": size} if size else {})}
    with opened(browser, f"file://{report[0]}", **options) as window:
        paper, ink = window.page.evaluate(PAPER)
        assert brightness(paper) < 40
        assert brightness(ink) > 200
        theme = window.page.locator(".unspool").first.get_attribute("data-theme")
        assert theme == "dark"
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert window.page.evaluate(wide) == 0  # nothing sticks out on a phone


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_prints_on_few_pages_with_its_maps(browser, report, scheme):
    path, found = report
    with opened(browser, f"file://{path}", color_scheme=scheme) as window:
        window.page.emulate_media(media="print")
        assert window.page.evaluate(SHOWN, ".answering") == [False]
        assert window.page.evaluate(SHOWN, ".still") == [True]
        assert window.page.evaluate(SHOWN, ".still img").count(True) >= len(found.embeddings)
        assert brightness(window.page.evaluate(PAPER)[1]) < 40  # ink, by night too
        printed = window.page.pdf(format="A4", prefer_css_page_size=True)
        assert 1 <= len(re.findall(rb"/Type\s*/Page\b(?!s)", printed)) <= PAGES


@pytest.mark.parametrize("size", [LAPTOP, PHONE])
def test_images_lie_on_its_map(browser, tmp_path, size):
    X, y = load_digits(return_X_y=True)
    found = unspool.compare(X[:150], ["pca", "isomap"], color=[f"digit {k}" for k in y[:150]])
    images = X[:150].reshape(-1, 8, 8)
    path = write_report(found, tmp_path / "report.html", source="digits", images=images)
    assert path.stat().st_size < 3e6
    with opened(browser, f"file://{path}", size=size) as window:
        for name in ("m0", "m1"):
            drawn = [shape for shape in window.shapes(name) if shape["kind"] == "image"]
            assert len(drawn) > 5
            seen = window.frame_of(name)
            assert max(shape["width"] for shape in drawn) < 0.2 * seen["width"]
