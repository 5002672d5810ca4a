"""The files of the page, as they are served, and its modules packed into one text."""

from __future__ import annotations

import base64
import gzip
import json
import posixpath
import re
from functools import cache
from importlib.resources import files
from typing import Any

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
    sources = {name: body.decode() for name, body in page_files().items()}
    order: list[str] = []
    parts: dict[str, list[str]] = {}

    def visit(path: str, above: tuple[str, ...]) -> None:
        if path in above:
            raise ValueError(
                f"modules of the page import each other: {' -> '.join([*above, path])}"
            )
        if path in parts:
            return
        found = _split(sources[path], posixpath.dirname(path))
        for imported in found[1::2]:
            visit(imported, (*above, path))
        parts[path] = found
        order.append(path)

    visit(entry, ())
    return packed(json.dumps([{"path": path, "parts": parts[path]} for path in order]).encode())


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
