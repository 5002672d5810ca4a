"""Several maps, fits, new rows, files and notebooks, in a real browser."""

from __future__ import annotations

import json

import numpy as np
import pytest

import unspool
from tests.explorer.browser import opened, saved
from tests.explorer.server import make_explorer, running
from unspool.explorer.pages import widget_module, write_page


@pytest.fixture
def window(browser, client):
    with opened(browser, client.gate.address) as found:
        yield found


def test_maps_side_by_side_share_selection_and_point(window, session):
    assert window.state()["maps"] == ["m0", "m1"]
    places = session.view("m1").places.astype(float)
    pixels = window.pixels(places, "m1")
    low, high = np.quantile(pixels, 0.2, axis=0), np.quantile(pixels, 0.7, axis=0)
    inside = np.flatnonzero(np.all((pixels > low) & (pixels < high), axis=1))
    window.page.keyboard.press("r")
    window.drag(np.array([low, high]))
    window.settle()
    marks = window.page.evaluate(
        """async () => {
          const app = await document.getElementById("app").explorer.opened;
          return app.board.panels.map((panel) => [...panel.marks].filter((_, k) => k % 4 === 0));
        }"""
    )
    for states in marks:  # 3 is selected
        assert np.flatnonzero(np.array(states) == 3).tolist() == inside.tolist()
    window.page.keyboard.press("v")
    window.page.mouse.click(*pixels[5])
    window.settle()
    focus = window.state()["focus"]
    for map_ in ("m0", "m1"):
        at = window.pixels(session.view(map_).places.astype(float), map_)[focus]
        rings = [s for s in window.shapes(map_) if s["kind"] == "ellipse" and s["width"] == 2.5]
        assert np.allclose([rings[0]["x"], rings[0]["y"]], at, atol=0.5)


def test_choosing_another_map_moves_the_points_there(window, session):
    window.change(maps=["m0"])
    window.page.keyboard.press("4")
    window.page.evaluate(
        """async () => {
          const app = await document.getElementById("app").explorer.opened;
          window.seen = [];
          const view = app.board.panels[0].view;
          const look = () => {
            window.seen.push(view.projector()(3)[0]);
            requestAnimationFrame(look);
          };
          requestAnimationFrame(look);
        }"""
    )
    window.page.locator("[data-map=m1]").click()
    window.until(
        "document.querySelector('.map-chooser').value === 'm1' && new Set(window.seen).size > 2"
    )
    window.settle()
    assert window.state()["maps"] == ["m1"]
    places = session.view("m1").places.astype(float)
    drawn = window.page.evaluate(
        """async () => {
          const app = await document.getElementById("app").explorer.opened;
          const { left, top } = app.board.panels[0].view.stage.getBoundingClientRect();
          const [x, y] = app.board.panels[0].view.projector()(3);
          return [x + left, y + top];
        }"""
    )
    np.testing.assert_allclose(drawn, window.pixels(places, "m1")[3], atol=0.5)


@pytest.fixture(scope="module")
def own():
    """A server of its own: fits change it."""
    with running(make_explorer(), keep=True) as found:
        yield found


def test_a_slider_fits_again_and_shows_both_scores(browser, own):
    session = own.serving.site.explorer.session
    with opened(browser, own.gate.address) as window:
        window.change(maps=["m0"], tab="maps")
        slider = window.page.locator("input[type=range][data-parameter=n_neighbors]")
        slider.focus()
        window.page.evaluate(
            """() => {
              const slider = document.querySelector("[type=range][data-parameter=n_neighbors]");
              slider.value = 14;
              slider.dispatchEvent(new Event("input"));
              slider.dispatchEvent(new Event("change"));
            }"""
        )
        window.page.locator(".before-after").wait_for(timeout=60_000)
        window.settle()
        new = window.state()["active"]
        model = session.view(new).model
        assert (type(model).__name__, model.n_neighbors) == ("Isomap", 14)
        wanted = unspool.Isomap(2, n_neighbors=14).fit(session.data.points).embedding_
        assert unspool.quality.disparity(wanted, session.view(new).places) < 1e-6
        cells = window.page.locator(".before-after tbody tr").first.locator("td").all_inner_texts()
        told = {score["name"]: score["value"] for score in infos(window)[-1]["scores"]}
        first = infos(window)[-1]["scores"][0]["name"]
        assert float(cells[1].split()[0]) == pytest.approx(told[first], rel=1e-2)
        assert float(cells[0]) == pytest.approx(infos(window)[0]["scores"][0]["value"], rel=1e-2)
        window.page.keyboard.press("Escape")
        window.page.locator("[data-tab=maps]").focus()
        window.page.keyboard.press("u")  # and back to the map before
        window.settle()
        assert window.state()["active"] == "m0"
        assert "n_neighbors=14" in code_of(window, new)["python"]


def infos(window):
    return window.page.evaluate(
        "document.querySelector('.unspool').explorer.opened.then((app) => app.info.maps)"
    )


def code_of(window, map_):
    return window.page.evaluate(
        """async (map) => {
          const app = await document.getElementById("app").explorer.opened;
          return app.source.code(map);
        }""",
        map_,
    )


def test_a_fit_is_cancelled(browser, own):
    explorer = own.serving.site.explorer
    with opened(browser, own.gate.address) as window:
        before = len(explorer.session.views)
        window.change(tab="maps")
        window.page.evaluate(
            """async () => {
              const app = await document.getElementById("app").explorer.opened;
              const long = { start: "random", n_init: 100000 };
              window.asked = await app.source.fit("mds", long).catch((error) => error.message);
            }"""
        )
        cancel = window.page.locator("[data-cancel]")
        cancel.wait_for(timeout=60_000)
        cancel.click()
        window.page.get_by_text("The fit was cancelled").wait_for(timeout=10_000)
        assert explorer.jobs.running is None
        assert len(explorer.session.views) == before


def test_dropped_rows_are_placed_and_far_ones_flagged(window, session):
    near = session.data.points[10] + 0.01
    text = "x1,x2,x3\n" + ",".join(map(str, near)) + "\n500,500,500\n"
    window.change(maps=["m1"], active="m1")
    window.page.evaluate(
        """(text) => {
          const carried = new DataTransfer();
          carried.items.add(new File([text], "new.csv", { type: "text/csv" }));
          document.getElementById("app").dispatchEvent(
            new DragEvent("drop", { dataTransfer: carried, bubbles: true, cancelable: true }));
        }""",
        text,
    )
    words = window.page.locator("[data-part=drop] .words")
    words.wait_for()
    assert "1 of them far" in words.inner_text()
    view = session.view("m1")
    wanted = view.to_page(view.model.transform(np.vstack([near, [500.0] * 3])))
    diamonds = [
        shape["points"].mean(axis=0)
        for shape in window.shapes("m1")
        if shape["kind"] == "line" and len(shape["points"]) == 4
    ]
    np.testing.assert_allclose(diamonds, window.pixels(wanted, "m1"), rtol=1e-4, atol=0.5)


def test_more_dropped_rows_than_are_drawn_are_told(window, session):
    rows = np.resize(session.data.points, (5_100, 3))
    text = "x1,x2,x3\n" + "\n".join(",".join(map(str, row)) for row in rows) + "\n"
    window.change(maps=["m1"], active="m1", tab="rows")
    file = {"name": "many.csv", "mimeType": "text/csv", "buffer": text.encode()}
    window.page.locator("[data-part=drop] input[type=file]").set_input_files(file)
    window.page.locator("[data-cut]").wait_for()
    assert "Only the first 5,000 of 5,100 rows" in window.text("[data-cut]")
    lines = [shape for shape in window.shapes("m1") if shape["kind"] == "line"]
    assert sum(len(shape["points"]) == 4 for shape in lines) == 5_000


def test_a_file_from_disk_needs_no_server(browser, session, tmp_path):
    page = write_page(session, tmp_path / "map.html")
    places = session.view("m0").places.astype(float)
    with opened(browser, page.as_uri()) as window:
        window.change(maps=["m0"])
        assert window.text(".bar-count") == "150 of 150 shown"
        window.page.mouse.click(*window.pixels(places)[20])
        window.page.locator(".neighbors .words").wait_for()
        points = session.data.points
        near = [
            set(np.argsort(np.linalg.norm(rows - rows[20], axis=1))[1:11].tolist())
            for rows in (points, places)
        ]
        assert window.text(".neighbors .words").startswith(
            f"{len(near[0] & near[1])} of the 10 true neighbours"
        )
        window.change(ellipses=True, tab="trust")
        assert len([s for s in window.shapes() if s["kind"] == "ellipse"]) > 20
        window.page.locator("[data-part=pairs] canvas").wait_for()
        search = window.page.get_by_label("search", exact=True)
        search.fill("color>10")
        search.press("Enter")
        values = np.asarray(session.data.others["color"], dtype=float)
        window.until("document.querySelector('.bar-count .selected') !== null")
        assert window.state()["selection"] == np.flatnonzero(values > 10).tolist()
        file = saved(window, "[data-save=csv]", tmp_path)
        assert len(file.read_text().splitlines()) == 1 + np.sum(values > 10)


def test_the_page_saves_itself(window, tmp_path):
    window.page.keyboard.press("5")
    file = saved(window, "[data-page]", tmp_path)
    assert "unspool-answer" in file.read_text()


NOTEBOOK = """
async ([source, selection]) => {
  const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const { default: widget } = await import(address);
  const listeners = {};
  const tell = (name, ...given) => (listeners[name] ?? []).forEach((hear) => hear(...given));
  const traits = { selection, height: 500, theme: "light", still: "own" };
  window.model = {
    traits,
    get: (name) => traits[name],
    set: (name, value) => { traits[name] = value; },
    save_changes: () => {},
    on: (name, listener) => (listeners[name] ??= []).push(listener),
    off: () => {},
    tell,
    async send(message, callbacks, buffers) {
      const { method, path, query, body, id } = message;
      const fields = new URLSearchParams(query).toString();
      const answer = await window.ask(JSON.stringify(
        [method, fields ? `${path}?${fields}` : path, body ?? (buffers?.[0] ? "binary" : null)]));
      const { status, type, bytes } = JSON.parse(answer);
      const raw = Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0));
      tell("msg:custom", { kind: "answer", id, status, type }, [new DataView(raw.buffer)]);
    },
  };
  const place = document.createElement("div");
  document.body.append(place);
  document.body.insertAdjacentHTML("beforeend",
    "<p data-unspool-still='own'>picture</p><p data-unspool-still='other'>picture</p>");
  await widget.render({ model: window.model, el: place });
}
"""


def test_the_widget_selects_both_ways(browser, client, session, tmp_path):
    import base64

    def ask(text: str) -> str:
        method, path, body = json.loads(text)
        reply = client.ask(path, method, body)
        told = {"status": reply.status, "type": reply.headers["Content-Type"]}
        return json.dumps({**told, "bytes": base64.b64encode(reply.body).decode()})

    context = browser.new_context(viewport={"width": 1000, "height": 600})
    page = context.new_page()
    try:
        page.expose_function("ask", ask)
        page.goto("about:blank")
        page.evaluate(NOTEBOOK, [widget_module(), [4, 9]])
        page.locator(".bar-count .selected").wait_for()
        assert page.locator(".bar-count").inner_text().endswith("2 selected")
        # its own picture is for pages without a kernel
        assert not page.locator("[data-unspool-still=own]").is_visible()
        assert page.locator("[data-unspool-still=other]").is_visible()
        # JupyterLab would take Enter and letters for its own shortcuts
        assert page.locator("[data-lm-suppress-shortcuts=true] .search").count() == 1
        search = page.get_by_label("search", exact=True)
        search.fill("#33")
        search.press("Enter")
        page.wait_for_function("window.model.traits.selection.join() === '33'")
        page.evaluate("model.traits.selection = [1, 2, 3]; model.tell('change:selection')")
        page.wait_for_function(
            "document.querySelector('.bar-count .selected').textContent === '3 selected'"
        )
        page.evaluate("document.body.dataset.jpThemeLight = 'false'; model.traits.theme = 'auto'")
        page.evaluate("model.tell('change:theme')")
        page.locator(".unspool[data-theme=dark]").wait_for()
        page.evaluate("document.body.dataset.jpThemeLight = 'true'")
        page.locator(".unspool[data-theme=light]").wait_for()
    finally:
        context.close()
