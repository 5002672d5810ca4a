"""The questions a page may ask, one function each: the same for a server, a widget and a file.

A host turns what it receives into an ``Asked`` and sends the ``Answer`` back; it decides who may
ask at all.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import unspool

from ..evaluate.comparison import COLUMNS
from ..evaluate.evidence import FAILURES
from ..io import write_table
from ..runtime import Cancelled
from ..values import Array
from . import honesty, verdicts
from .code import build_model, command_code, describe, list_methods, python_code
from .columns import Column, Data, histogram, sheet, thumbnail
from .jobs import Job, Jobs
from .questions import (
    FRAME,
    Answer,
    Asked,
    Busy,
    NotPossible,
    body_of,
    frame_answer,
    json_answer,
    pack,
    refusal,
    unpack,
)
from .session import PICTURED, Session, View

MORPHED = 200_000  # points up to which one map turns into another before the eye
EXPORTED = 100_000  # points up to which a page can stand alone in a file
UPLOAD = 256 * 2**20
SMALL = 64 * 2**10  # bytes of a question
LIMITS = {"morph": MORPHED, "export": EXPORTED, "upload": UPLOAD, "inverse": honesty.MOST_PLACES}
ROWS = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}


@dataclass(eq=False)
class Explorer:
    """A session with its jobs, and which of the questions its host can answer."""

    session: Session
    jobs: Jobs
    host: str = "server"
    frames: dict[str, bytes] = field(default_factory=dict)  # of maps, which do not change
    _preparing: threading.Thread | None = None

    @property
    def capabilities(self) -> dict[str, bool]:
        """What the page may offer."""
        asks = self.host != "file"
        points = self.session.data.is_points
        return {
            "fit": asks,
            "drop": asks and points,
            "inverse": asks and points,
            "path": asks,
            "search": True,
            "rows": True,
            "page": self.host == "server",
            "thumbnails": asks and self.session.data.image is not None,
            "images": self.session.data.image is not None,
        }

    def prepare(self) -> None:
        """Make ready what the first click and the first fit need, beside the rest, once."""

        def work() -> None:
            self.jobs.warm()
            _ = self.session.spacing
            for view in list(self.session.views.values()):
                view.index.nearest(view.places[:1].astype(np.float64), 1)

        if self._preparing is None:
            self._preparing = threading.Thread(target=work, daemon=True)
            self._preparing.start()

    def answer(self, asked: Asked) -> Answer:
        """Answer a question; what cannot be answered has its sentence and its status."""
        try:
            return self._route(asked)(self, asked)
        except NotPossible as error:
            return refusal(422, error)
        except Busy as error:
            return json_answer({"error": str(error), "job": error.job}, 409)
        except KeyError as error:
            return refusal(404, error.args[0] if error.args else "not found")
        except Cancelled:
            return refusal(503, "the explorer is closing")
        except ValueError as error:
            return refusal(400, error)
        except FAILURES as error:
            return refusal(422, error)

    def _route(self, asked: Asked) -> Callable[[Explorer, Asked], Answer]:
        path = "/api/jobs/" if asked.path.startswith("/api/jobs/") else asked.path
        ways = ROUTES.get(path)
        if ways is None:
            raise KeyError("there is nothing at this address")
        if asked.method not in ways:
            return lambda explorer, asked: refusal(405, f"{asked.method} is not known here")
        return ways[asked.method]

    def view(self, asked: Asked) -> View:
        """Return the map that is asked about."""
        return self.session.view(asked.word("map"))

    def point(self, asked: Asked, name: str = "point") -> int:
        """Return the point that is asked about."""
        asked.word(name)
        return asked.number(name, self.session.data.n_points)


def most_bytes(method: str, path: str, n_points: int) -> int:
    """Return how long the body of a question may be."""
    if method != "POST":
        return 0
    return {"/api/drop": UPLOAD, "/api/rows": 16 * n_points + SMALL}.get(path, SMALL)


def _info(explorer: Explorer, asked: Asked) -> Answer:
    data = explorer.session.data
    image = None if data.image is None else asdict(data.image)
    if image is not None:
        del image["folder"]
    return json_answer(
        {
            "version": unspool.__version__,
            "title": data.title,
            "source": data.source,
            "n_points": data.n_points,
            "n_features": int(data.points.shape[1]),
            "metric": data.metric if isinstance(data.metric, str) else "a function",
            "notes": list(data.notes),
            "columns": [_listed(column) for column in data.columns],
            "color": data.color_index,
            "id": data.id_index,
            "image": image,
            "maps": [_described(view) for view in list(explorer.session.views.values())],
            "scores": [_offered(score) for score in verdicts.SCORES],
            "methods": list_methods(data) if explorer.host != "file" else [],
            "limits": LIMITS,
            "capabilities": explorer.capabilities,
        }
    )


def _described(view: View) -> dict[str, Any]:
    told = describe(view)
    meanings = {column.name: column.meaning for column in COLUMNS}
    told["scores"] = [{**score, "meaning": meanings[score["name"]]} for score in told["scores"]]
    return told


def _listed(column: Column) -> dict[str, Any]:
    kept = ("index", "name", "kind", "mapped", "distinct", "low", "high")
    return {name: getattr(column, name) for name in kept}


def _offered(score: verdicts.Asked) -> dict[str, Any]:
    kept = ("name", "title", "meaning", "more_is_better", "job")
    return {name: getattr(score, name) for name in kept}


def _points(explorer: Explorer, asked: Asked) -> Answer:
    view = explorer.view(asked)
    axes = _axes(asked, view)
    key = f"{view.id} {axes}"
    if key not in explorer.frames:
        places = view.places if axes is None else np.ascontiguousarray(view.places[:, axes])
        facts = {
            "map": view.id,
            "n": len(places),
            "q": places.shape[1],
            "low": places.min(axis=0).tolist(),
            "high": places.max(axis=0).tolist(),
            "aligned_to": None if view.alignment is None else view.laid_on,
        }
        explorer.frames[key] = pack(facts, {"places": places})
    return Answer(explorer.frames[key], FRAME)


def _axes(asked: Asked, view: View) -> list[int] | None:
    """Return which coordinates are drawn; all of them up to three."""
    if view.width <= PICTURED:
        return None
    words = asked.query.get("axes", "0,1,2").split(",")
    if (
        not all(w.isdecimal() and w.isascii() and int(w) < view.width for w in words)
        or not 2 <= len(words) <= 3
    ):
        raise ValueError(f"axes are two or three numbers below {view.width}, as 0,1")
    return [int(word) for word in words]


def _column(explorer: Explorer, asked: Asked) -> Answer:
    data = explorer.session.data
    asked.word("index")
    column = data.columns[asked.number("index", len(data.columns))]
    facts: dict[str, Any] = {"kind": column.kind, "name": column.name}
    if column.kind == "text":
        return frame_answer({**facts, "distinct": column.distinct}, {})
    if column.kind == "category":
        codes, labels, counts = data.codes(column)
        return frame_answer({**facts, "labels": labels, "counts": counts}, {"codes": codes})
    values = data.numbers(column)
    known = values[np.isfinite(values)]
    ends = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    facts |= {"low": ends[0], "high": ends[1], "missing": len(values) - len(known)}
    facts["histogram"] = histogram(values)
    return frame_answer(facts, {"values": values.astype(np.float32)})


def _score(explorer: Explorer, asked: Asked) -> Answer:
    found = verdicts.score(explorer.view(asked), asked.word("name"))
    if found is None:
        name = asked.word("name")
        raise Busy(f"{name} takes several fits: start the job first", job=name)
    return frame_answer(found[0], {"values": found[1]})


def _row(explorer: Explorer, asked: Asked) -> Answer:
    return json_answer({**explorer.session.data.row(explorer.point(asked)), "label": None})


def _ids(explorer: Explorer, asked: Asked) -> Answer:
    found = explorer.session.data.ids()
    if found is None:
        raise KeyError("these rows have no names")
    return json_answer(found)


def _thumbnail(explorer: Explorer, asked: Asked) -> Answer:
    return Answer(thumbnail(explorer.session.data, explorer.point(asked)), "image/png")


def _sheet(explorer: Explorer, asked: Asked) -> Answer:
    if "sheet" not in explorer.frames:
        found = sheet(explorer.session.data)
        facts = {name: getattr(found, name) for name in ("columns", "width", "height", "type")}
        arrays = {"points": found.points, "image": np.frombuffer(found.image, np.uint8)}
        explorer.frames["sheet"] = pack(facts, arrays)
    return Answer(explorer.frames["sheet"], FRAME)


def _neighbors(explorer: Explorer, asked: Asked) -> Answer:
    view, point = explorer.view(asked), explorer.point(asked)
    k = max(1, asked.number("k", honesty.MOST_NEIGHBORS + 1, 10))
    return json_answer(honesty.neighbors(explorer.session, view, point, k))


def _neighbor_table(explorer: Explorer, asked: Asked) -> Answer:
    k = max(1, asked.number("k", honesty.MOST_NEIGHBORS + 1, 10))
    return frame_answer({"k": k}, honesty.neighbor_table(explorer.session, explorer.view(asked), k))


def _path(explorer: Explorer, asked: Asked) -> Answer:
    ends = explorer.point(asked, "from"), explorer.point(asked, "to")
    return json_answer(honesty.path(explorer.session, explorer.view(asked), *ends))


def _ellipses(explorer: Explorer, asked: Asked) -> Answer:
    return frame_answer(*honesty.ellipses(explorer.session, explorer.view(asked)))


def _pairs(explorer: Explorer, asked: Asked) -> Answer:
    return frame_answer(*honesty.pairs(explorer.view(asked)))


def _edges(explorer: Explorer, asked: Asked) -> Answer:
    return frame_answer(*honesty.edges(explorer.view(asked)))


def _charts(explorer: Explorer, asked: Asked) -> Answer:
    return json_answer(verdicts.charts(explorer.session, explorer.view(asked)))


def _diagnosis(explorer: Explorer, asked: Asked) -> Answer:
    return json_answer(verdicts.diagnosis(explorer.view(asked)))


def _inverse(explorer: Explorer, asked: Asked) -> Answer:
    given = body_of(asked)
    try:
        places = np.asarray(given.get("places"), dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("places must be a list of coordinates") from None
    return frame_answer(*honesty.inverse(explorer.session, explorer.view(asked), places))


def _search(explorer: Explorer, asked: Asked) -> Answer:
    return json_answer(explorer.session.data.search(asked.word("text")[:200]))


def _code(explorer: Explorer, asked: Asked) -> Answer:
    view = explorer.view(asked)
    return json_answer({"python": python_code(view), "command": command_code(view)})


def _start(explorer: Explorer, asked: Asked) -> Answer:
    given, data = body_of(asked), explorer.session.data
    if given.get("kind") == "stability":
        view = explorer.session.view(str(given.get("map")))
        if not describe(view)["can"]["stability"]:
            raise NotPossible("this map cannot be fitted again on parts of the data")
        model, places = _unfitted(view), view.embedding
        job = Job("stability", model, data.metric, map=view.id, embedding=places)
    elif given.get("kind") == "fit":
        model = build_model(data, given.get("method"), given.get("parameters", {}))
        job = Job("fit", model, data.metric)
    else:
        raise ValueError("kind must be 'fit' or 'stability'")
    return json_answer({"job": explorer.jobs.start(job).id}, 202)


def _unfitted(view: View) -> Any:
    from sklearn.base import clone

    return clone(view.model)


def _cancel(explorer: Explorer, asked: Asked) -> Answer:
    name = asked.path.rpartition("/")[2]
    if not explorer.jobs.cancel(name):
        raise KeyError(f"there is no job {name[:20]!r} that runs")
    return json_answer({"job": name, "cancelled": True})


def _drop(explorer: Explorer, asked: Asked) -> Answer:
    name, view = asked.word("name")[:200], explorer.view(asked)
    session = explorer.session
    placed = honesty.received(
        name, asked.body, lambda file: honesty.drop(session, view, name, file)
    )
    return frame_answer(*placed)


def _rows(explorer: Explorer, asked: Asked) -> Answer:
    kind = asked.query.get("format", "csv")
    if kind not in ROWS:
        raise ValueError("format must be csv or parquet")
    frame = explorer.session.data.chosen(*_selection(asked.body, explorer.session.data))
    with tempfile.TemporaryDirectory(prefix="unspool-") as folder:
        file = Path(folder) / f"rows.{kind}"
        write_table(file, frame)
        return Answer(file.read_bytes(), ROWS[kind], name=f"selection.{kind}")


def _selection(body: bytes, data: Data) -> tuple[Array, list[str]]:
    """Return the points of a selection and the label of each, if all of them are there."""
    sent = unpack(body)
    points, codes = (sent.arrays.get(name, np.zeros(0)) for name in ("points", "codes"))
    labels = sent.facts.get("labels")
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise ValueError("labels must be a list of names")
    if {points.dtype.kind, codes.dtype.kind} != {"u"} or {points.ndim, codes.ndim} != {1}:
        raise ValueError("points and codes must be two lists of whole numbers")
    if len(points) != len(codes):
        raise ValueError("points and codes must be of one length")
    if (points >= data.n_points).any() or (codes >= len(labels)).any():
        raise ValueError("a point or a label of the selection is not there")
    return points.astype(np.int64), [labels[code] for code in codes]


def _page(explorer: Explorer, asked: Asked) -> Answer:
    from .pages import page_of

    names = [name for name in asked.query.get("maps", "").split(",") if name]
    page = page_of(explorer.session, names or None)
    return Answer(page.encode(), "text/html; charset=utf-8", name="map.html")


ROUTES: dict[str, dict[str, Callable[[Explorer, Asked], Answer]]] = {
    "/api/info": {"GET": _info},
    "/api/points": {"GET": _points},
    "/api/column": {"GET": _column},
    "/api/score": {"GET": _score},
    "/api/row": {"GET": _row},
    "/api/ids": {"GET": _ids},
    "/api/thumbnail": {"GET": _thumbnail},
    "/api/sheet": {"GET": _sheet},
    "/api/neighbors": {"GET": _neighbors},
    "/api/neighbor-table": {"GET": _neighbor_table},
    "/api/path": {"GET": _path},
    "/api/ellipses": {"GET": _ellipses},
    "/api/pairs": {"GET": _pairs},
    "/api/edges": {"GET": _edges},
    "/api/charts": {"GET": _charts},
    "/api/diagnosis": {"GET": _diagnosis},
    "/api/inverse": {"POST": _inverse},
    "/api/search": {"GET": _search},
    "/api/code": {"GET": _code},
    "/api/jobs": {"POST": _start},
    "/api/jobs/": {"DELETE": _cancel},
    "/api/drop": {"POST": _drop},
    "/api/rows": {"POST": _rows},
    "/api/page": {"GET": _page},
}
