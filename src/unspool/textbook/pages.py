"""One HTML page a text, with figures and code in it, and a page that leads to them."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from .errata import ERRATA
from .outcome import Check
from .registry import TEXTS, Text, source_of
from .report import summary
from .runner import Result

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; background: #fff }
h2 { margin: 2.5rem 0 0.2rem; font-size: 1.15rem } h2 a { color: #999; text-decoration: none }
table { border-collapse: collapse; width: 100%; font-size: 0.85rem; margin: 0.6rem 0 }
td, th { border-bottom: 1px solid #ddd; padding: 0.2rem 0.5rem; text-align: left;
  vertical-align: top }
.place { color: #777 } .agrees { color: #19692c } .differs { color: #8a5a00 }
.fails { color: #b00020; font-weight: 600 } .skipped { color: #777 }
img { max-width: 100%; margin: 0.5rem 0 }
pre { background: #f6f6f6; padding: 0.7rem; overflow: auto; font-size: 0.8rem }
summary { cursor: pointer; color: #555 }
"""


def write_pages(results: Sequence[Result], folder: Path) -> Path:
    """Write the figures, a page for each text that was run, and the index; return the index."""
    figures = folder / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    for result in results:
        if result.figure is not None:
            (figures / f"{result.item.id}.png").write_bytes(_png(result))
    texts = [text for text in TEXTS if any(r.item.text == text.name for r in results)]
    for text in texts:
        own = [result for result in results if result.item.text == text.name]
        (folder / f"{text.name}.html").write_text(_page(text, own), "utf-8")
    index = folder / "index.html"
    index.write_text(_index(texts, results), "utf-8")
    return index


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


def _page(text: Text, results: Sequence[Result]) -> str:
    intro = f'<p><a href="index.html">all texts</a>. {escape(summary(results))}.</p>'
    return _document(f"{text.name}: {text.title}", intro + "\n".join(map(_section, results)))


def _section(result: Result) -> str:
    one = result.item
    parts = [
        f'<h2 id="{one.id}">{escape(one.title)} <a href="#{one.id}">{one.id}</a></h2>',
        f'<p class="place">{escape(one.place)} · <span class="{result.status}">{result.status}'
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
    parts.append(f"<details><summary>code</summary><pre>{code}</pre></details>")
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


def _index(texts: Sequence[Text], results: Sequence[Result]) -> str:
    parts = [f"<p>{escape(summary(results))}.</p>"]
    for text in texts:
        own = [result for result in results if result.item.text == text.name]
        parts.append(f'<h2><a href="{text.name}.html">{text.name}</a> {escape(text.title)}</h2>')
        parts.append(f"<table>{''.join(map(_line, own))}</table>")
    parts.append("<h2>Errata</h2>")
    rows = [
        f"<tr><td>{escape(one.where)}</td><td>{escape(one.said)}</td><td>{escape(one.right)}</td>"
        f'<td><a href="{one.shown_by.partition(".")[0]}.html#{one.shown_by}">{one.shown_by}</a>'
        "</td></tr>"
        for one in ERRATA.values()
    ]
    parts.append(f"<table>{''.join(rows)}</table>")
    return _document("The executable textbook", "\n".join(parts))


def _line(result: Result) -> str:
    one = result.item
    return (
        f'<tr><td><a href="{one.text}.html#{one.id}">{one.id}</a></td><td>{escape(one.title)}</td>'
        f'<td class="{result.status}">{result.status}</td></tr>'
    )
