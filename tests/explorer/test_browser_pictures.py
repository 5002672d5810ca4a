"""Rows that are pictures, maps in space, and a score that must be fitted for, in a real browser."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

import unspool
from tests.explorer.browser import opened
from tests.explorer.server import running
from unspool.explorer.pages import write_page
from unspool.explorer.start import data_of_array, explorer_of


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    X, y = X[:120], y[:120]
    data = data_of_array(X, metric="euclidean", color=[f"digit {k}" for k in y], image="8x8")
    models = {"flat": unspool.PCA(2).fit(X), "space": unspool.PCA(3).fit(X)}
    with running(explorer_of(data, models), keep=True) as found:
        yield found


@pytest.fixture
def window(browser, digits):
    with opened(browser, digits.gate.address) as found:
        yield found


def view_of(client, map_):
    return client.serving.site.explorer.session.view(map_)


def test_a_row_shows_its_picture(window, digits):
    window.change(maps=["m0"])
    places = view_of(digits, "m0").places.astype(float)
    window.page.mouse.move(*window.pixels(places)[7])
    image = window.page.locator(".hover-card img")
    image.wait_for()
    window.until("document.querySelector('.hover-card img').naturalWidth >= 8")
    assert image.get_attribute("src").startswith("blob:")
    assert "digit" in window.text(".hover-card")
    assert "x12" not in window.text(".hover-card")  # pixels are seen, not listed


def images_on(window, map_="m0"):
    return [shape for shape in window.shapes(map_) if shape["kind"] == "image"]


def boxes_of(images):
    half = np.array([[s["width"], s["height"]] for s in images]) / 2
    places = np.array([[s["x"], s["y"]] for s in images])
    return places - half, places + half


def covered(one, other):
    """Say which boxes of one list cover which of another."""
    (low, high), (least, most) = one, other
    return ((low[:, None] < most) & (high[:, None] > least)).all(axis=2)


def test_images_lie_at_their_points_where_there_is_room(window, digits):
    window.change(maps=["m0"])
    images = images_on(window)
    assert len(images) > 15
    points = [shape["point"] for shape in images]
    wanted = window.pixels(view_of(digits, "m0").places.astype(float))[points]
    np.testing.assert_allclose([[s["x"], s["y"]] for s in images], wanted, atol=1e-3)
    boxes = boxes_of(images)
    np.testing.assert_array_equal(covered(boxes, boxes), np.eye(len(images), dtype=bool))
    named = np.array([s["box"] for s in window.shapes() if s["kind"] == "text"])
    seen = window.frame_of()
    named += np.array([seen["left"], seen["top"]] * 2)
    assert len(named) > 3
    assert not covered(boxes, (named[:, :2], named[:, 2:])).any()
    window.change(images=False)
    assert images_on(window) == []


def test_images_come_and_go_with_what_is_shown_selected_and_near(window):
    window.change(maps=["m0"], labels=False)
    points = {shape["point"] for shape in images_on(window)}
    hidden = next(k for k in range(120) if k not in points)  # it had no room
    window.change(selection=[hidden])
    alpha = {shape["point"]: shape["alpha"] for shape in images_on(window)}
    assert alpha.pop(hidden) == 1
    assert set(alpha.values()) == {0.2}
    window.change(selection=[])
    window.change(hidden=list(range(9)))  # one digit is left
    assert 0 < len(images_on(window)) < len(points)
    window.change(hidden=[])
    seen = window.frame_of()
    camera = {key: seen[key] for key in ("x", "y", "span", "yaw", "pitch") if key in seen}
    window.change(cameras={"m0": {**camera, "span": camera["span"] / 4}})
    assert {shape["point"] for shape in images_on(window)} - points  # nearer, others have room


def test_saved_pictures_and_pages_have_the_images(window, browser, digits, tmp_path):
    window.change(maps=["m0"])
    count = len(images_on(window))
    text = window.page.evaluate(
        """async () => {
          const app = await document.querySelector(".unspool").explorer.opened;
          const { shapesToSVG } = await import("/page/shapes.js");
          return shapesToSVG(app.board.active().view.shapes());
        }"""
    )
    assert text.count('href="data:image/png;base64,') == count
    page = write_page(digits.serving.site.explorer.session, tmp_path / "page.html")
    with opened(browser, f"file://{page}") as alone:
        alone.change(maps=["m0"])
        assert {s["point"] for s in images_on(alone)} == {s["point"] for s in images_on(window)}
        alone.page.mouse.move(*alone.pixels(view_of(digits, "m0").places.astype(float))[7])
        alone.until("document.querySelector('.hover-card img')?.naturalWidth === 8")


def test_the_way_back_is_drawn_as_the_picture_that_inverse_transform_gives(window, digits):
    view = view_of(digits, "m0")
    window.change(maps=["m0"], tool="back", tab="point")
    place = np.median(view.places.astype(float), axis=0)
    x, y = np.round(window.pixels(place[None])[0])  # the pointer stands on a whole pixel
    seen = window.frame_of()
    unit = min(seen["width"], seen["height"]) / seen["span"]
    exact = [
        seen["x"] + (x - seen["left"] - seen["width"] / 2) / unit,
        seen["y"] - (y - seen["top"] - seen["height"] / 2) / unit,
    ]
    wanted = view.model.inverse_transform(view.from_page(np.array([exact])))[0]
    window.page.mouse.move(x, y)
    window.page.locator(".back-picture").wait_for()
    drawn = window.page.evaluate(
        """() => {
          const canvas = document.querySelector(".back-picture");
          return [...canvas.getContext("2d").getImageData(0, 0, 8, 8).data];
        }"""
    )
    info = window.page.evaluate(
        "document.getElementById('app').explorer.opened.then((app) => app.info.image)"
    )
    levels = 255 * (wanted - info["low"]) / (info["high"] - info["low"])
    np.testing.assert_allclose(np.array(drawn).reshape(-1, 4)[:, 0], levels.clip(0, 255), atol=1.5)


def test_a_map_in_space_is_turned_and_clicked(window, digits):
    window.change(maps=["m1"], active="m1", dimensions=3)
    places = view_of(digits, "m1").places.astype(float)
    seen = window.frame_of("m1")
    pixels = in_space(places, seen)
    apart = np.linalg.norm(pixels[:, None] - pixels[None], axis=2) + 1e9 * np.eye(len(pixels))
    lonely = int(np.argmax(apart.min(axis=1)))  # no other is near on the screen
    window.page.mouse.click(*pixels[lonely])
    window.page.locator(".neighbors .words").wait_for()
    assert window.state()["focus"] == lonely
    window.page.keyboard.press("m")
    window.page.keyboard.press("ArrowRight")
    window.until("location.hash.includes('yaw')")
    assert window.frame_of("m1")["yaw"] != seen["yaw"]
    window.page.keyboard.press("1")
    window.page.get_by_label("Three dimensions").uncheck()
    window.settle()
    assert window.state()["dimensions"] == 2


def in_space(places, seen):
    """Project as the page says it does: turned by yaw and pitch, seen from 2.4 spans away."""
    yaw, pitch = seen["yaw"], seen["pitch"]
    about_y = np.array([[np.cos(yaw), 0, np.sin(yaw)], [0, 1, 0], [-np.sin(yaw), 0, np.cos(yaw)]])
    about_x = np.array(
        [[1, 0, 0], [0, np.cos(pitch), -np.sin(pitch)], [0, np.sin(pitch), np.cos(pitch)]]
    )
    turned = (places - [seen["x"], seen["y"], seen["z"]]) @ (about_x @ about_y).T
    eye = 2.4 * seen["span"]
    unit = min(seen["width"], seen["height"]) / seen["span"]
    x, y = turned[:, :2].T * unit * (eye / (eye - turned[:, 2]))
    middle = (seen["left"] + seen["width"] / 2, seen["top"] + seen["height"] / 2)
    return np.stack([middle[0] + x, middle[1] - y], axis=1)


def test_movement_is_fitted_for_and_then_shown(window, digits):
    window.change(maps=["m0"], active="m0", tab="trust")
    window.page.locator("[data-score=stability]").click()
    window.until("location.hash.includes('stability')", seconds=90)
    window.settle()
    values = digits.ask("/api/score?map=m0&name=stability").frame.arrays["values"]
    shown = window.page.evaluate(
        """async () => {
          const app = await document.getElementById("app").explorer.opened;
          return [...(await app.colorData(app.store.get().color, "m0")).values];
        }"""
    )
    np.testing.assert_allclose(shown, values, rtol=1e-6)
    window.wrong = [told for told in window.wrong if "409" not in told]  # asked before it was there
