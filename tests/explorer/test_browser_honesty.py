"""What the map says about itself, in a real browser, against brute force and the library."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse.csgraph as csgraph


def nearest(rows, point, k):
    away = np.linalg.norm(rows - rows[point], axis=1)
    away[point] = np.inf
    return set(np.argsort(away)[:k].tolist())


def same(one, other):
    """Whether two lists of places are the same within a pixel, in any order."""
    one, other = np.asarray(one), np.asarray(other)
    return np.allclose(one[np.lexsort(one.T)], other[np.lexsort(other.T)], atol=0.5)


@pytest.mark.parametrize("point", [12, 77])
def test_a_click_tells_and_draws_the_neighbors_of_a_brute_force_search(
    window, session, places, point
):
    true, mapped = nearest(session.data.points, point, 10), nearest(places, point, 10)
    lost, wrong = true - mapped, mapped - true
    pixels = window.pixels(places)
    window.page.mouse.click(*pixels[point])
    window.page.locator(".neighbors .words").wait_for()
    window.settle()
    assert window.state()["focus"] == point
    words = window.text(".neighbors .words")
    assert words.startswith(f"{10 - len(lost)} of the 10 true neighbours")
    counts = [int(count) for count in window.page.locator(".keys b").all_inner_texts()]
    assert counts == [len(lost), len(wrong), 10 - len(lost)]
    shapes = window.shapes()
    lines = [s["points"] for s in shapes if s["kind"] == "line" and s["width"] == 1.4]
    assert same([line[1] for line in lines], pixels[sorted(lost)])
    assert all(np.allclose(line[0], pixels[point], atol=0.5) for line in lines)
    crosses = [
        s["points"].mean(axis=0) for s in shapes if s["kind"] == "line" and s["width"] == 2.2
    ]
    assert same(crosses, np.repeat(pixels[sorted(wrong)], 2, axis=0))


def test_the_path_between_two_clicks_is_the_geodesic(window, session, places):
    ends = (int(np.argmin(places[:, 0])), int(np.argmax(places[:, 0])))
    graph = session.view("m0").joined
    table = graph.with_weights(graph.distances)
    length, before = csgraph.dijkstra(table, indices=ends[0], return_predecessors=True)
    way = [ends[1]]
    while way[-1] != ends[0]:
        way.append(int(before[way[-1]]))
    pixels = window.pixels(places)
    window.page.keyboard.press("g")
    for end in ends:
        window.page.mouse.click(*pixels[end])
    facts = window.page.locator("[data-part=path] .facts dd").first
    facts.wait_for()
    assert float(facts.inner_text()) == pytest.approx(length[ends[1]], rel=1e-3)
    window.settle()
    drawn = [s["points"] for s in window.shapes() if s["kind"] == "line" and s["width"] == 5]
    np.testing.assert_allclose(drawn[0], pixels[way[::-1]], atol=0.5)


def test_the_way_back_shows_inverse_transform(window, session, places):
    place = np.median(places, axis=0) + 0.3
    wanted = session.view("m0").model.inverse_transform(session.view("m0").from_page(place[None]))[
        0
    ]
    window.page.keyboard.press("b")
    window.page.keyboard.press("3")
    window.page.mouse.move(*window.pixels(place[None])[0])
    window.page.locator(".bars").wait_for()
    shown = [float(t) for t in window.page.locator(".bars dd span").all_inner_texts()]
    # three digits are written, and the pointer stands on a whole pixel
    np.testing.assert_allclose(shown, wanted, rtol=0.02, atol=0.05 * np.ptp(session.data.points))
    assert "nearest data" in window.text("[data-part=back]")


def test_a_drag_on_the_way_back_morphs_along_it(window, session, places):
    low, high = places.min(axis=0), places.max(axis=0)
    line = np.linspace(low + 0.35 * (high - low), low + 0.6 * (high - low), 8)
    window.page.keyboard.press("3")
    window.page.keyboard.press("b")
    window.drag(window.pixels(line))
    slider = window.page.get_by_label("place along the path")
    slider.wait_for()
    slider.focus()  # from here on nothing plays: the hand has it
    for key, place in (("Home", line[0]), ("End", line[-1])):
        slider.press(key)
        view = session.view("m0")
        wanted = view.model.inverse_transform(view.from_page(place[None]))[0]
        shown = [float(t) for t in window.page.locator(".bars dd span").all_inner_texts()]
        np.testing.assert_allclose(
            shown, wanted, rtol=0.02, atol=0.05 * np.ptp(session.data.points)
        )
    slider.press("Home")
    box = slider.bounding_box()
    middle = box["y"] + box["height"] / 2
    across = [[box["x"] + share * box["width"], middle] for share in (0.02, 0.5, 1.02)]
    window.drag(np.array(across), steps=4)
    assert slider.input_value() == slider.get_attribute("max")


def test_brushed_pairs_light_up(window, session, places, client):
    frame = client.ask("/api/pairs?map=m0").frame.arrays
    low, high = np.quantile(frame["data"], [0.02, 0.05])
    window.page.keyboard.press("2")
    window.change(lit={"kind": "pairs", "box": [float(low), 0, float(high), 0]})
    inside = (frame["data"] >= np.float32(low)) & (frame["data"] <= np.float32(high))
    pixels = window.pixels(places)
    lines = [s["points"] for s in window.shapes() if s["kind"] == "line" and s["width"] == 1.1]
    assert len(lines) == inside.sum() > 20
    ends = [np.vstack(line).ravel() for line in lines]
    first, second = frame["first"][inside], frame["second"][inside]
    assert same(ends, np.hstack([pixels[first], pixels[second]]))
    assert f"{inside.sum():,} pairs light up" in window.text("[data-lit=pairs]")


def test_a_chart_is_brushed_by_pointer_and_by_keys(window):
    window.page.keyboard.press("2")
    chart = window.page.locator("[data-part=edges] .brushable")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    middle = box["y"] + box["height"] / 2
    across = np.array([box["x"] + 20, box["x"] + 160])
    window.drag(np.stack([across, [middle, middle]], axis=1))
    window.settle()
    low, _, high, _ = window.state()["lit"]["box"]
    assert high > low
    window.page.locator("[data-part=edges] .brushable").focus()
    window.page.keyboard.press("ArrowRight")
    window.settle()
    assert window.state()["lit"]["box"][0] > low


def test_sentences_lead_to_what_they_speak_of(window):
    window.page.keyboard.press("2")
    window.page.locator(".sentences .link, .sentences summary").first.wait_for()
    for opener in window.page.locator(".sentences summary").all():
        opener.click()
    window.page.locator("[data-link=score]").first.click()
    window.settle()
    state = window.state()
    assert state["color"]["kind"] == "score"


def test_ellipses_are_drawn_where_there_is_room(window, session, places, client):
    window.change(ellipses=True)
    drawn = [s for s in window.shapes() if s["kind"] == "ellipse"]
    centers = np.array([[s["x"], s["y"]] for s in drawn])
    pixels = window.pixels(places)
    from_points = np.linalg.norm(centers[:, None] - pixels[None], axis=2)
    assert from_points.min(axis=1).max() < 0.5
    assert 20 < len(drawn) <= 150
    frame = client.ask("/api/ellipses?map=m0").frame
    axes, facts = frame.arrays["axes"], frame.facts
    enlarged = max(facts["scale"] * min_unit(window), 11 / facts["typical"])
    typical = np.exp(np.median(np.log(np.linalg.svd(axes, compute_uv=False))))
    assert facts["typical"] == pytest.approx(typical, rel=0.01)
    for shape, point in zip(drawn, from_points.argmin(axis=1), strict=True):
        stretches = np.linalg.svd(axes[point], compute_uv=False) * enlarged
        stretches *= min(1.0, 42 / stretches[0])  # smaller, but of the same form
        assert shape["rx"] == pytest.approx(stretches[0], rel=1e-3)
        assert shape["ry"] == pytest.approx(max(stretches[1], 0.4), rel=1e-3, abs=1e-3)
    zoomed = window.frame_of()
    camera = {k: zoomed[k] for k in ("x", "y", "z", "yaw", "pitch")}
    window.change(cameras={"m0": {**camera, "span": zoomed["span"] * 8}})
    assert len([s for s in window.shapes() if s["kind"] == "ellipse"]) < len(drawn)


def min_unit(window):
    seen = window.frame_of()
    return min(seen["width"], seen["height"]) / seen["span"]


@pytest.mark.parametrize("name", ["trust", "distortion"])
def test_scores_color_the_map(window, client, name):
    values = client.ask(f"/api/score?map=m0&name={name}").frame.arrays["values"]
    window.page.keyboard.press("2")
    window.page.locator(f"[data-score={name}]").click()
    window.settle()
    colors = window.page.evaluate(
        """async () => {
          const app = await document.getElementById("app").explorer.opened;
          return [...app.board.panels[0].look.rgba];
        }"""
    )
    red = np.array(colors).reshape(-1, 4)[:, :3]
    worst, best = int(np.argmax(values)), int(np.argmin(values))
    if name == "trust":
        worst, best = best, worst
    # what is at fault glows: farther from grey
    assert np.ptp(red[worst]) > np.ptp(red[best]) + 30
