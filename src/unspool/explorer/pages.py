"""The page: its files as they are served, and itself where no server is, in a file or a notebook.

A file holds the modules of the page packed into one text, and the answers it would have been given;
it loads nothing, its policy forbids it to, and reports hold the same. In a notebook the questions
come as messages from the browser to the kernel.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import posixpath
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..io import write_atomically
from ..runtime import stage
from .jobs import Jobs
from .questions import JSON, Answer, Asked, NotPossible
from .routes import EXPORTED, Explorer, most_bytes
from .session import Session
from .verdicts import SCORES

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
    ".json": "application/json",
    ".txt": "text/plain; charset=utf-8",
}
_IMPORT = re.compile(r"""((?:\bfrom|\bimport)\s*\(?\s*)(["'])(\.{1,2}/[^"']+)\2""")
_STARTED = """{loader}
const packed = document.getElementById("unspool-modules").textContent;
const page = await load(packed);
document.querySelectorAll("[data-unspool]").forEach((element) => page.start(element));
document.documentElement.classList.add("unspool-live"); // a report then hides its still pictures
"""
_RENDERED = """{loader}
const packed = "{modules}";
export default {{
  async render(context) {{
    return (await load(packed)).default.render(context);
  }},
}};
"""
ENTRY = "server.js"  # the module that starts the page on its server
MAPPED = 64  # columns of numbers that a file holds beside the others
LISTED = 10  # neighbours of every point
HEIGHT = 640  # pixels


def page_files() -> dict[str, bytes]:
    """Return all files of the page that are served, by their path below ``page/``."""
    found: dict[str, bytes] = {}

    def walk(folder: Any, prefix: str) -> None:
        for item in folder.iterdir():
            if item.is_dir():
                walk(item, f"{prefix}{item.name}/")
            elif any(item.name.endswith(ending) for ending in TYPES):
                found[prefix + item.name] = item.read_bytes()

    walk(files("unspool.explorer") / "page", "")
    return found


@cache
def packed_modules(entry: str) -> str:
    """Return a module of the page and all that it imports, packed; the entry comes last."""
    parts = _with_imports(entry, page_files())
    return packed(json.dumps([{"path": path, "parts": parts[path]} for path in parts]).encode())


def served_files() -> dict[str, bytes]:
    """Return the files of the page for a server: the document names all its modules at once.

    A browser finds a module in the one that imports it, four one after the other here; named in the
    document they are fetched side by side.
    """
    found = page_files()
    links = "\n".join(
        f'<link rel="modulepreload" href="/page/{path}">' for path in _with_imports(ENTRY, found)
    )
    found["index.html"] = found["index.html"].replace(b"<!-- modules -->", links.encode())
    return found


def _with_imports(entry: str, sources: dict[str, bytes]) -> dict[str, list[str]]:
    """Return a module and all that it imports, each after those that it imports, cut at these."""
    parts: dict[str, list[str]] = {}

    def visit(path: str, above: tuple[str, ...]) -> None:
        if path in above:
            raise ValueError(
                f"modules of the page import each other: {' -> '.join([*above, path])}"
            )
        if path in parts:
            return
        found = _split(sources[path].decode(), posixpath.dirname(path))
        for imported in found[1::2]:
            visit(imported, (*above, path))
        parts[path] = found

    visit(entry, ())
    return parts


def _split(source: str, folder: str) -> list[str]:
    """Return a module cut at the modules that it imports: every second part is the path of one."""
    found, end = [], 0
    for match in _IMPORT.finditer(source):
        found.append(source[end : match.start(3)])
        found.append(posixpath.normpath(posixpath.join(folder, match[3])))
        end = match.end(3)
    return [*found, source[end:]]


def packed(body: bytes) -> str:
    """Return bytes as text that a document can hold: base64 of gzip."""
    return base64.b64encode(gzip.compress(body, 6, mtime=0)).decode("ascii")


def widget_module() -> str:
    """Return the page as one module for a notebook."""
    loader = page_files()["loader.js"].decode()
    return _RENDERED.format(loader=loader, modules=packed_modules("widget.js"))


def page_style() -> str:
    """Return the style of the page."""
    return page_files()["explorer.css"].decode()


def start_script() -> str:
    """Return the script that starts the page wherever a document has room for it."""
    return _STARTED.format(loader=page_files()["loader.js"].decode())


@dataclass(frozen=True, slots=True)
class Recorded:
    """An answer that a file holds: what was asked, and the packed text of what was said."""

    key: str
    type: str
    text: str


def recorded(
    session: Session, names: list[str] | None = None, *, brief: bool = False
) -> Iterator[Recorded]:
    """Yield all answers that a page without a server needs; ``brief`` leaves out what is slow."""
    shown = _chosen(session, names)
    explorer = Explorer(shown, Jobs(shown), "file")
    columns = _kept_columns(shown)
    yield _record_info(explorer, columns)
    for path, query in _questions(shown, columns, brief):
        answer = explorer.answer(Asked("GET", path, query))
        if answer.status == 200:
            yield Recorded(_key(path, query), answer.type, packed(answer.body))


def _chosen(session: Session, names: list[str] | None) -> Session:
    if session.data.n_points > EXPORTED:
        raise NotPossible(
            f"a page in a file holds up to {EXPORTED:,} points, and these are "
            f"{session.data.n_points:,}; use --sample"
        )
    kept = list(session.views) if names is None else names
    return Session(session.data, {name: session.view(name) for name in kept})


def _kept_columns(session: Session) -> list[int]:
    columns = session.data.columns
    mapped = [column.index for column in columns if column.mapped][:MAPPED]
    return mapped + [column.index for column in columns if not column.mapped]


def _record_info(explorer: Explorer, columns: list[int]) -> Recorded:
    info = json.loads(explorer.answer(Asked("GET", "/api/info")).body)
    info["columns"] = [column for column in info["columns"] if column["index"] in columns]
    left_out = len(explorer.session.data.columns) - len(columns)
    if left_out:
        info["notes"].append(f"{left_out} of the mapped columns are not in this file")
    return Recorded("/api/info", JSON, packed(json.dumps(info).encode()))


def _questions(
    session: Session, columns: list[int], brief: bool
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield what a page may ask without a server."""
    slow = () if brief else ("pairs", "edges", "charts", "diagnosis")
    yield "/api/ids", {}
    if session.data.image is not None:
        yield "/api/sheet", {}
    for index in columns:
        yield "/api/column", {"index": str(index)}
    for name, view in session.views.items():
        with stage(f"page: {view.fitted.label}"):
            yield "/api/points", {"map": name}
            yield "/api/neighbor-table", {"map": name, "k": str(LISTED)}
            for score in SCORES:
                if not (brief and score.name == "doubtful"):
                    yield "/api/score", {"map": name, "name": score.name}
            for path in ("ellipses", "code", *slow):
                yield f"/api/{path}", {"map": name}


def _key(path: str, query: dict[str, str]) -> str:
    fields = "&".join(f"{name}={query[name]}" for name in sorted(query))
    return f"{path}?{fields}" if fields else path


def embedded(session: Session, names: list[str] | None = None, *, brief: bool = False) -> str:
    """Return the elements that a document needs beside the script and the room for the page."""
    answers = (
        f'<script type="text/plain" class="unspool-answer" data-key="{escape(r.key)}" '
        f'data-type="{escape(r.type)}">{r.text}</script>'
        for r in recorded(session, names, brief=brief)
    )
    modules = packed_modules("file.js")
    held = f'<script type="text/plain" id="unspool-modules">{modules}</script>'
    return "\n".join([*answers, held])


def file_policy(script: str) -> str:
    """Return the policy of a document that runs this script alone, and loads nothing."""
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{allowed}' blob:; style-src 'unsafe-inline'; "
        "img-src blob: data:; base-uri 'none'; form-action 'none'"
    )


def page_of(session: Session, names: list[str] | None = None) -> str:
    """Return a session as one HTML file that needs no server and loads nothing."""
    script, title = start_script(), session.data.title or "Maps"
    lines = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(file_policy(script))}">',
        f"<title>{escape(title)} - unspool</title>",
        f"<style>{page_style()}</style></head>",
        '<body class="unspool-file"><div id="app" data-unspool></div>',
        "<noscript>This page needs JavaScript.</noscript>",
        embedded(session, names),
        f'<script type="module">{script}</script>',
        "</body></html>",
    ]
    return "\n".join(lines) + "\n"


def write_page(session: Session, path: str | os.PathLike[str]) -> Path:
    """Write a session as one HTML file, whole or not at all, and return its path."""
    goal, page = Path(path), page_of(session)
    with write_atomically(goal) as file:
        file.write(page.encode())
    return goal


def make_widget(explorer: Explorer, *, height: int = HEIGHT, theme: str = "auto") -> Any:
    """Return the widget of an explorer."""
    return _widget_class()(explorer, height=height, theme=theme)


@cache
def _widget_class() -> Any:
    try:
        import anywidget
        import traitlets
    except ModuleNotFoundError:
        raise ImportError("widgets need anywidget; pip install 'unspool[notebook]'") from None

    class Widget(anywidget.AnyWidget):
        """Maps in a notebook; ``selection`` are the chosen points, both ways."""

        _esm = widget_module()
        _css = page_style()
        selection = traitlets.List(traitlets.Int()).tag(sync=True)
        height = traitlets.Int(HEIGHT).tag(sync=True)
        theme = traitlets.Enum(["auto", "light", "dark"], default_value="auto").tag(sync=True)
        still = traitlets.Unicode().tag(sync=True)  # names the picture that a live page hides

        def __init__(self, explorer: Explorer, **traits: Any) -> None:
            super().__init__(still=secrets.token_hex(8), **traits)
            self.explorer = explorer
            self.on_msg(self._receive)
            explorer.jobs.hear(lambda event: self.send({"kind": "event", "event": event}))

        @traitlets.validate("selection")
        def _check_selection(self, proposal: Any) -> list[int]:
            n = self.explorer.session.data.n_points if hasattr(self, "explorer") else None
            points = [int(point) for point in proposal["value"]]
            if n is not None and any(not 0 <= point < n for point in points):
                raise traitlets.TraitError(f"a selection holds points from 0 to {n - 1}")
            return points

        def _receive(self, widget: Any, message: Any, buffers: Any) -> None:
            if isinstance(message, dict) and message.get("kind") == "request":
                self._answer(message, buffers)

        def _answer(self, message: dict[str, Any], buffers: Any) -> None:
            answer = answer_message(self.explorer, message, buffers)
            told = {"kind": "answer", "id": message.get("id"), "status": answer.status}
            self.send({**told, "type": answer.type}, buffers=[answer.body])

        def _ipython_display_(self) -> None:
            """Show the widget, and a picture for where widgets do not run."""
            found = self._repr_mimebundle_()
            show_both(found[0] if isinstance(found, tuple) else found, self.explorer, self.still)

        def close(self) -> None:
            """End the jobs, too."""
            self.explorer.jobs.close()
            super().close()

    return Widget


def answer_message(explorer: Explorer, message: dict[str, Any], buffers: Any) -> Answer:
    """Return the answer to a question that came as a message."""
    text = message.get("body")
    body = bytes(buffers[0]) if buffers else (text or "").encode()
    method, path = str(message.get("method")), str(message.get("path"))
    if len(body) > most_bytes(method, path, explorer.session.data.n_points):
        return Answer(b'{"error": "this is too long"}', status=413)
    query = {str(name): str(value) for name, value in (message.get("query") or {}).items()}
    return explorer.answer(Asked(method, path, query, body))


def show_both(widget: Any, explorer: Explorer, name: str) -> None:
    """Show a widget in a notebook, and below it the picture, which a live page hides by its name.

    It is an output of its own: a page that knows widgets shows nothing else of theirs, even where
    no kernel answers them.
    """
    import IPython.display

    display: Any = IPython.display.display
    picture = static_picture(explorer)
    image = f'<img alt="the first maps, as a picture" src="data:image/png;base64,{picture}">'
    page = f'<div data-unspool-still="{name}">{image}</div>'
    display(widget, raw=True)
    display({"text/html": page, "image/png": picture}, raw=True)


def static_picture(explorer: Explorer) -> str:
    """Return the first maps side by side as a PNG, in base64."""
    import base64
    import io

    from .. import plot

    session = explorer.session
    maps = {view.fitted.label: view.embedding for view in list(session.views.values())[:6]}
    index = session.data.color_index
    color = None
    if index is not None:
        column = session.data.columns[index]
        if column.kind == "number":
            color = session.data.numbers(column)
        else:
            color = session.data.others.iloc[:, column.place].to_numpy()
    drawn = io.BytesIO()
    figure = plot.comparison(maps, color=color, dimensions=2)
    figure.savefig(drawn, format="png", dpi=110, bbox_inches="tight")
    return base64.b64encode(drawn.getvalue()).decode("ascii")
