"""The explorer in a browser: first draw, lasso and click of many points, and the server's memory.

python -m benchmarks.explorer [--points 100000,1000000] [--columns 50] [--before COMMAND]

The server runs in a process of its own, the page in Debian's Chromium with software WebGL. Seconds
are those of the page: from asking for it to the first frame with every point on it, from letting
the lasso go to the frame that shows the selection, from a click to the neighbours on the map.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.explorer.browser import launched, opened

LIMITS = {100_000: {"draw": 2, "click": 1}, 1_000_000: {"draw": 10, "lasso": 3, "click": 3}}
DRAWN = """(async () => {
  const page = () => document.querySelector(".unspool")?.explorer;
  while (!page()) await new Promise((done) => setTimeout(done, 5));
  const app = await page().opened;
  await app.board.drawn;
  app.board.panels.forEach((panel) => panel.view.drawNow());
  window.drawn = performance.now();
})();"""
SELECTED = """async () => {
  const app = await document.querySelector(".unspool").explorer.opened;
  while (!app.store.get().selection.length) await new Promise((done) => setTimeout(done, 5));
  await app.board.drawn;
  app.board.panels.forEach((panel) => panel.view.drawNow());
  return [performance.now(), app.store.get().selection.length];
}"""
CLICKED = """async () => {
  const app = await document.querySelector(".unspool").explorer.opened;
  while (app.store.get().focus === null || !document.querySelector(".neighbors .words")) {
    await new Promise((done) => setTimeout(done, 5));
  }
  await app.board.drawn;
  app.board.panels.forEach((panel) => panel.view.drawNow());
  return performance.now();
}"""
WHEN = "addEventListener('pointerup', () => { window.released = performance.now(); }, true)"


@dataclass(frozen=True)
class Running:
    """A server, and the size of its data."""

    points: int
    columns: int
    address: str
    pid: int


@dataclass(frozen=True)
class Measured:
    """One size of data."""

    points: int
    draw: float
    lasso: float
    selected: int
    click: float
    memory: float

    def told(self) -> str:
        return (
            f"{self.points:>9,} points: first draw {self.draw:.2f} s, lasso of {self.selected:,} "
            f"{self.lasso:.2f} s, click {self.click:.2f} s, server at most {self.memory:.2f} "
            "times the data as double precision"
        )

    def missed(self) -> list[str]:
        limits = LIMITS.get(self.points, {})
        return [
            f"{name} over {most} s" for name, most in limits.items() if getattr(self, name) > most
        ]


def clusters(n: int, columns: int, folder: Path) -> Path:
    """Write points of ten clusters as a table of single precision."""
    rng = np.random.default_rng(0)
    centers = rng.normal(scale=6, size=(10, columns))
    rows = rng.normal(size=(n, columns)).astype(np.float32)
    rows += centers[rng.integers(10, size=n)].astype(np.float32)
    path = folder / f"points-{n}.npy"
    np.save(path, rows)
    return path


@contextmanager
def served(path: Path) -> Iterator[tuple[str, int]]:
    """Serve a map of a file; give its address and the process."""
    command = [sys.executable, "-m", "unspool", "explore", str(path), "-m", "pca", "--no-browser"]
    merged = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, text=True, **merged) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if found := re.search(r"http://\S+", line):
                    yield found[0], process.pid
                    break
            else:
                raise RuntimeError("the server did not start")
        finally:
            process.send_signal(signal.SIGINT)


def family(pid: int) -> list[int]:
    """Return a process and all that it has started."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # a process may end while one looks
            fields = status.read_text().rpartition(")")[2].split()
            parents[int(status.parent.name)] = int(fields[1])
    found = [pid]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found


def peak(pid: int) -> int:
    """Return the most bytes that the server has held, without the worker that waits for a fit."""
    most = 0
    for one in family(pid):
        if b"explorer.jobs" in Path(f"/proc/{one}/cmdline").read_bytes():
            continue
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{one}/status").read_text())
        most = max(most, 1024 * int(found[1]) if found else 0)
    return most


def measure(browser: Any, running: Running) -> Measured:
    """Open the page and use it like a hand would."""
    with opened(browser, running.address, first=DRAWN) as window:
        window.until("window.drawn > 0")
        drawn = window.page.evaluate("window.drawn") / 1000  # since the page was asked for
        window.page.evaluate(WHEN)
        seen = window.frame_of()
        center = np.array([seen["left"] + seen["width"] / 2, seen["top"] + seen["height"] / 2])
        turns = np.linspace(0, 2 * np.pi, 60)
        radius = 0.3 * min(seen["width"], seen["height"])
        window.page.keyboard.press("l")
        window.drag(center + radius * np.stack([np.cos(turns), np.sin(turns)], axis=1), steps=1)
        ended, selected = window.page.evaluate(SELECTED)
        lasso = (ended - window.page.evaluate("window.released")) / 1000
        window.page.keyboard.press("v")
        window.page.mouse.click(*_some_point(window))
        click = (window.page.evaluate(CLICKED) - window.page.evaluate("window.released")) / 1000
        held = peak(running.pid) / (8 * running.points * running.columns)
        return Measured(running.points, drawn, lasso, selected, click, held)


def _some_point(window: Any) -> tuple[float, float]:
    return window.page.evaluate(
        """async () => {
          const app = await document.querySelector(".unspool").explorer.opened;
          const { view } = app.board.panels[0];
          const { left, top } = view.stage.getBoundingClientRect();
          const [x, y] = view.projector()(app.store.get().selection[0]);
          return [left + x, top + y];
        }"""
    )


def main() -> None:
    """Start a server for each size, then measure one after the other, and say what was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", default="100000,1000000")
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--before", nargs="+", default=[], help="a command for the measured part")
    parser.add_argument("--at", nargs=4, action="append", help="points columns address pid")
    chosen = parser.parse_args()
    if chosen.at:
        return _measure_all([Running(int(n), int(c), a, int(p)) for n, c, a, p in chosen.at])
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        command = [*chosen.before, sys.executable, "-m", "benchmarks.explorer"]
        for n in map(int, chosen.points.split(",")):
            path = clusters(n, chosen.columns, Path(folder))
            address, pid = stack.enter_context(served(path))
            command += ["--at", str(n), str(chosen.columns), address, str(pid)]
        subprocess.run(command, check=True)


def _measure_all(servers: list[Running]) -> None:
    with launched() as browser:
        for running in servers:
            found = measure(browser, running)
            print(found.told(), *found.missed(), sep="; ", flush=True)


if __name__ == "__main__":
    main()
