"""A real browser on a real server: every request elsewhere and every broken policy is a failure."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FLAGS = (  # software WebGL, and no talk with the world behind our back
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
)
PLACES = ("chromium", "chromium-browser", "google-chrome")
WATCH = """
window.violations = [];
addEventListener("securitypolicyviolation", (event) => {
  window.violations.push(`${event.violatedDirective} ${event.blockedURI}`);
});
"""
LAPTOP, PHONE = (1440, 900), (390, 844)


def find_browser() -> str | None:
    """Return the path of a Chromium, from UNSPOOL_BROWSER or where systems install it."""
    named = os.environ.get("UNSPOOL_BROWSER")
    return named or next((path for name in PLACES if (path := shutil.which(name))), None)


@contextmanager
def launched() -> Iterator[Any]:
    """Start a browser, or skip with the reason."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = find_browser()
    if path is None:
        pytest.skip("no Chromium here: apt-get install chromium, or UNSPOOL_BROWSER=path")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Window:
    """One page, with all that went wrong in it."""

    page: Any
    origin: str
    wrong: list[str] = field(default_factory=list)

    def watch(self) -> None:
        self.page.add_init_script(WATCH)
        self.page.on("request", self._requested)
        self.page.on("console", self._told)
        self.page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))

    def _requested(self, request: Any) -> None:
        if not request.url.startswith((self.origin, "blob:", "data:")):
            self.wrong.append(f"a request to {request.url}")

    def _told(self, message: Any) -> None:
        if message.type == "error":
            self.wrong.append(f"console: {message.text}")

    def verify(self) -> None:
        found = self.page.evaluate("window.violations ?? []")
        assert self.wrong + found == []

    def settle(self) -> None:
        """Wait until everything that was asked for is on the maps."""
        self.page.evaluate(
            """async () => {
              const app = await document.querySelector(".unspool").explorer.opened;
              let last = null;
              while (last !== app.board.drawn) { last = app.board.drawn; await last; }
              while (!app.board.panels.every((panel) => panel.view.ready())) {
                await new Promise(requestAnimationFrame);
              }
            }"""
        )

    def state(self) -> dict[str, Any]:
        """Return what the page shows, as the value that it keeps."""
        return self.page.evaluate(
            "document.querySelector('.unspool').explorer.opened.then((app) => app.store.get())"
        )

    def change(self, **state: Any) -> None:
        self.page.evaluate(
            """async (change) => {
              (await document.querySelector(".unspool").explorer.opened).store.set(change);
            }""",
            state,
        )
        self.settle()

    def frame_of(self, map_: str = "m0") -> dict[str, Any]:
        """Return the camera of a map and where its view is on the page."""
        return self.page.evaluate(
            """async (map) => {
              const app = await document.querySelector(".unspool").explorer.opened;
              const { view } = app.board.panelOf(map);
              const { left, top, width, height } = view.stage.getBoundingClientRect();
              return { ...view.camera(), left, top, width, height };
            }""",
            map_,
        )

    def pixels(self, places: np.ndarray, map_: str = "m0") -> np.ndarray:
        """Return where places of a flat map are on the page, by the formula of the camera."""
        seen = self.frame_of(map_)
        unit = min(seen["width"], seen["height"]) / seen["span"]
        x = seen["left"] + seen["width"] / 2 + (places[:, 0] - seen["x"]) * unit
        y = seen["top"] + seen["height"] / 2 - (places[:, 1] - seen["y"]) * unit
        return np.stack([x, y], axis=1)

    def shapes(self, map_: str = "m0") -> list[dict[str, Any]]:
        """Return what is drawn over the points of a map, in pixels of the page."""
        seen = self.frame_of(map_)
        shapes = self.page.evaluate(
            """async (map) => {
              const app = await document.querySelector(".unspool").explorer.opened;
              return app.board.panelOf(map).view.shapes();
            }""",
            map_,
        )
        corner = (seen["left"], seen["top"])
        for shape in shapes:
            if "points" in shape:
                shape["points"] = np.asarray([p[:2] for p in shape["points"]]) + corner
            else:
                shape["x"], shape["y"] = shape["x"] + corner[0], shape["y"] + corner[1]
        return shapes

    def drag(self, corners: np.ndarray, steps: int = 3) -> None:
        mouse = self.page.mouse
        mouse.move(*corners[0])
        mouse.down()
        for corner in corners[1:]:
            mouse.move(*corner, steps=steps)
        mouse.up()

    def until(self, condition: str, seconds: float = 30) -> None:
        """Wait for a condition of the page; its policy forbids the driver's own way to wait."""
        end = time.monotonic() + seconds
        while not self.page.evaluate(condition):
            assert time.monotonic() < end, f"never true: {condition}"
            self.page.wait_for_timeout(30)

    def text(self, selector: str) -> str:
        return self.page.locator(selector).first.inner_text()


@contextmanager
def opened(
    browser: Any, address: str, size: tuple[int, int] = LAPTOP, first: str = "", **options: Any
) -> Iterator[Window]:
    """Open an address, and verify at the end that nothing went elsewhere or wrong.

    A script that is to run first starts with the page, before anything is waited for.
    """
    width, height = size
    context = browser.new_context(viewport={"width": width, "height": height}, **options)
    origin = address.split("/?")[0] + "/" if address.startswith("http") else address
    window = Window(context.new_page(), origin)
    window.page.set_default_timeout(30_000)
    window.watch()
    if first:
        window.page.add_init_script(first)
    try:
        window.page.goto(address)
        window.until("Boolean(document.querySelector('.unspool')?.explorer)")
        window.settle()
        yield window
        window.verify()
    finally:
        context.close()


def saved(window: Window, selector: str, folder: Path) -> Path:
    """Click what offers a file and return the file."""
    with window.page.expect_download() as download:
        window.page.locator(selector).first.click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path
