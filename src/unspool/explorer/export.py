"""The page without a server: its modules in one text, and the answers it would have been given.

One HTML file holds everything and loads nothing; its policy forbids it to. Reports hold the same.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

from ..io import write_atomically
from ..runtime import stage
from .honesty import NotPossible
from .jobs import Jobs
from .pages import packed, packed_modules, page_style, start_script
from .questions import JSON, Asked
from .routes import EXPORTED, Explorer
from .session import Session
from .verdicts import SCORES

MAPPED = 64  # columns of numbers that a file holds beside the others
LISTED = 10  # neighbours of every point


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
