"""One HTML page a text, with figures and code in it, and a page that leads to them.

A run of some items renews their part of the pages that an earlier run wrote to the same folder, and
leaves the rest as it was.

The few drawings that the items share are here too; matplotlib is imported when one is made.
"""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from .. import plot
from ..io import write_atomically
from ..plot import figure
from .checks import ERRATA, Check
from .runner import TEXTS, Result, Text, items, source_of, summary

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; background: #fff }
h2 { margin: 2.5rem 0 0.2rem; font-size: 1.15rem }
section h2 a { color: #999; text-decoration: none }
table { border-collapse: collapse; width: 100%; font-size: 0.85rem; margin: 0.6rem 0 }
td, th { border-bottom: 1px solid #ddd; padding: 0.2rem 0.5rem; text-align: left;
  vertical-align: top }
.place { color: #777 } .agrees { color: #19692c } .differs { color: #8a5a00 }
.fails { color: #b00020; font-weight: 600 } .skipped { color: #777 }
img { max-width: 100%; margin: 0.5rem 0 }
pre { background: #f6f6f6; padding: 0.7rem; overflow: auto; font-size: 0.8rem }
summary { cursor: pointer; color: #555 }
"""


SECTION = r'<section id="([^"]+)">.*?</section>'
LINE = r'<tr id="([^"]+)">.*?</tr>'


def write_pages(results: Sequence[Result], folder: Path) -> Path:
    """Write the figures, a page for each text that was run, and the index; return the index."""
    figures, index = folder / "figures", folder / "index.html"
    figures.mkdir(parents=True, exist_ok=True)
    for result in results:
        if result.figure is not None:
            _write(figures / f"{result.item.id}.png", _png(result))
    told = escape(summary(results))
    lines = _renewed(index, LINE, {result.item.id: _line(result) for result in results})
    there: set[str] = set()
    for text in TEXTS:
        page = folder / f"{text.name}.html"
        own = {r.item.id: _section(r) for r in results if r.item.text == text.name}
        sections = _renewed(page, SECTION, own)
        there |= sections.keys()
        if own:
            _write(page, _page(text, sections, told).encode("utf-8"))
    _write(index, _index({i: lines[i] for i in lines if i in there}, told).encode("utf-8"))
    return index


def _write(path: Path, content: bytes) -> None:
    with write_atomically(path) as file:
        file.write(content)


def _renewed(page: Path, pattern: str, fresh: Mapping[str, str]) -> dict[str, str]:
    """Return the parts of a page by item: fresh ones, and the others as they were, in order."""
    before = page.read_text("utf-8") if page.exists() else ""
    parts = {found[1]: found[0] for found in re.finditer(pattern, before, re.DOTALL)}
    parts |= fresh
    order = {name: place for place, name in enumerate(items())}
    return dict(sorted(parts.items(), key=lambda part: order.get(part[0], len(order))))


def _png(result: Result) -> bytes:
    buffer = io.BytesIO()
    result.figure.savefig(buffer, format="png", dpi=110)
    return buffer.getvalue()


def _document(title: str, body: str) -> str:
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}'
        f"</title><style>{STYLE}</style></head><body>\n<h1>{escape(title)}</h1>\n{body}\n"
        "</body></html>\n"
    )


def _page(text: Text, sections: Mapping[str, str], told: str) -> str:
    intro = f'<p><a href="index.html">all texts</a>. Last run: {told}.</p>'
    return _document(text.title, intro + "\n".join(sections.values()))


def _section(result: Result) -> str:
    one = result.item
    parts = [
        f'<section id="{one.id}">',
        f'<h2>{escape(one.title)} <a href="#{one.id}">{one.id}</a></h2>',
        f'<p class="place">{escape(one.source)} · <span class="{result.status}">{result.status}'
        f"</span> · {result.seconds:.1f} s</p>",
        f"<p>{escape(' '.join(one.about.split()))}</p>",
    ]
    if result.reason:
        parts.append(f'<p class="skipped">{escape(result.reason)}</p>')
    if result.outcome is not None:
        parts.append(_table(result.outcome.checks))
    if result.figure is not None:
        data = base64.b64encode(_png(result)).decode("ascii")
        parts.append(f'<img alt="{escape(one.title)}" src="data:image/png;base64,{data}">')
    code = escape(source_of(one))
    parts.append(f"<details><summary>code</summary><pre>{code}</pre></details>\n</section>")
    return "\n".join(parts)


def _table(checks: Iterable[Check]) -> str:
    rows = [_row(check) for check in checks]
    head = "<tr><th></th><th>stated</th><th>here</th><th></th></tr>"
    return f"<table>{head}{''.join(rows)}</table>"


def _row(check: Check) -> str:
    kind = "fails" if not check.holds else "differs" if check.erratum else "agrees"
    cells = (check.what, check.said, check.found)
    inside = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    return f'<tr>{inside}<td class="{kind}">{escape(check.judgement)}</td></tr>'


def _index(lines: Mapping[str, str], told: str) -> str:
    parts = [f"<p>Last run: {told}.</p>"]
    for text in TEXTS:
        own = [line for name, line in lines.items() if name.partition(".")[0] == text.name]
        if own:
            link = f'<a href="{text.name}.html">{escape(text.title)}</a>'
            parts.append(f"<h2>{link}</h2>\n<table>{''.join(own)}</table>")
    rows = [
        f"<tr><td>{escape(one.where)}</td><td>{escape(one.said)}</td><td>{escape(one.right)}</td>"
        f"<td>{_link(one.shown_by) if one.shown_by in lines else one.shown_by}</td></tr>"
        for one in ERRATA.values()
    ]
    parts.append(f"<h2>Errata</h2>\n<table>{''.join(rows)}</table>")
    return _document("The executable textbook", "\n".join(parts))


def _link(name: str) -> str:
    return f'<a href="{name.partition(".")[0]}.html#{name}">{name}</a>'


def _line(result: Result) -> str:
    one = result.item
    return (
        f'<tr id="{one.id}"><td>{_link(one.id)}</td><td>{escape(one.title)}</td>'
        f'<td class="{result.status}">{result.status}</td></tr>'
    )


DOT = 6.0


def canvas(rows: int = 1, columns: int = 1, *, size: float = 3.2, space: bool = False) -> Any:
    """Return a figure that needs no screen and its panels as a flat list."""
    made = figure(size * columns, 0.94 * size * rows)
    kind = {"projection": "3d"} if space else {}
    places = range(1, rows * columns + 1)
    return made, [made.add_subplot(rows, columns, place, **kind) for place in places]


def scatter(axes: Any, points: Any, color: Any = None, title: str = "", dot: float = DOT) -> None:
    """Draw points in the plane or in space, painted by a column."""
    columns = np.asarray(points).T
    if len(columns) == 1:
        columns = np.vstack([columns, np.zeros(columns.shape[1])])
    scale = None if color is None or isinstance(color, str) else "viridis"  # one colour has none
    axes.scatter(*columns, c=color, s=dot, cmap=scale, linewidths=0)
    _finish(axes, title)


def panels(maps: Mapping[str, Any], color: Any = None, *, columns: int = 3) -> Any:
    """Return a figure with one map a panel, all painted by the same column."""
    return plot.comparison(maps, color, columns=columns)


def in_space(clouds: Mapping[str, Any], colors: Sequence[Any], *, elevation: float = 12.0) -> Any:
    """Return a figure of points in three dimensions, side by side; rolls are seen from above."""
    made, places = canvas(1, len(clouds), space=True)
    for axes, (title, points), color in zip(places, clouds.items(), colors, strict=True):
        scatter(axes, points, color, title, dot=4.0)
        axes.view_init(elevation, -72)
    return made


def groups(axes: Any, places: Any, labels: Any, title: str = "", *, numbers: bool = True) -> None:
    """Draw points by group: one colour each, and their names in a legend."""
    for label in np.unique(labels):
        own = np.asarray(places)[np.asarray(labels) == label]
        axes.scatter(own[:, 0], own[:, 1], s=DOT, linewidths=0, label=str(label))
    if numbers:
        axes.legend(fontsize=6, markerscale=1.6, frameon=False)
    _finish(axes, title)


def named(axes: Any, places: Any, names: Sequence[str], title: str = "") -> None:
    """Draw the names of points where the points are."""
    axes.scatter(places[:, 0], places[:, 1], s=2, color="0.6")
    for (x, y), name in zip(places, names, strict=True):
        axes.annotate(str(name), (x, y), fontsize=5, ha="center")
    _finish(axes, title)


def lines(axes: Any, at: Any, curves: Mapping[str, Any], title: str, across: str, up: str) -> None:
    """Draw one or more curves over the same numbers, with dots and a legend."""
    for name, values in curves.items():
        axes.plot(at, values, marker="o", markersize=3, linewidth=1, label=name)
    if len(curves) > 1:
        axes.legend(fontsize=7, frameon=False)
    axes.set_xlabel(across, fontsize=8)
    axes.set_ylabel(up, fontsize=8)
    axes.set_title(title, fontsize=9)
    axes.tick_params(labelsize=7)


def _finish(axes: Any, title: str) -> None:
    axes.set_title(title, fontsize=9)
    axes.tick_params(labelsize=6)
