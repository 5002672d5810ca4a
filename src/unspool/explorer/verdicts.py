"""What is said of a map as a whole, and point by point as colours: scores, charts, a diagnosis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import graph, quality
from ..evaluate import Diagnosis
from ..evaluate.solution_checks import spectrum_of
from ..quality import Score
from ..values import Array
from .columns import histogram
from .honesty import DOUBTED, known_distortion
from .questions import NotPossible
from .session import Session, View

DIAGNOSED = 100_000  # points up to which a diagnosis is made while one waits
RESAMPLES = 10  # that a fifth of the points is left out of


@dataclass(frozen=True, slots=True)
class Asked:
    """A score that the page can colour by, and where it is read."""

    name: str
    title: str
    meaning: str
    more_is_better: bool
    read: Callable[[View], Score | None]
    job: bool = False


def _of_map(name: str) -> Callable[[View], Score | None]:
    return lambda view: view.fitted.scores.get(name)


def _doubtful(view: View) -> Score | None:
    return view.measured("suspicious") if view.data.n_points <= DOUBTED else None


SCORES = (
    Asked(
        "trust",
        "Trustworthiness",
        "are its neighbours on the map neighbours in the data?",
        True,
        _of_map("trustworthiness"),
    ),
    Asked(
        "continuity",
        "Continuity",
        "do its neighbours in the data stay near on the map?",
        True,
        _of_map("continuity"),
    ),
    Asked(
        "kept",
        "Neighbours kept",
        "share of its nearest neighbours that are the same",
        True,
        _of_map("neighbours kept"),
    ),
    Asked(
        "distortion",
        "Local distortion",
        "how far lengths around it are from the typical stretch: 0.7 is a factor of 2",
        False,
        known_distortion,
    ),
    Asked(
        "stability",
        "Movement",
        "how far it moves when a fifth of the data is left out, in units of the map's size",
        False,
        lambda view: view.stability,
        job=True,
    ),
    Asked("stress", "Stress", "error of the straight distances to it", False, _of_map("stress")),
    Asked(
        "doubtful",
        "Doubtful edges",
        "edges of the neighbour graph that the rest of it does not confirm",
        False,
        _doubtful,
    ),
)


def score(view: View, name: str) -> tuple[dict[str, Any], Array] | None:
    """Return the facts and the values of a score, one per point; None where it is not known yet."""
    asked = next((each for each in SCORES if each.name == name), None)
    if asked is None:
        raise KeyError(f"there is no score {name[:40]!r}")
    found = asked.read(view)
    if found is None:
        if asked.job:
            return None
        limit = f"; it is looked at up to {DOUBTED:,} points" if asked.read is _doubtful else ""
        raise NotPossible(f"{asked.title} is not known for these data{limit}")
    values = np.full(view.data.n_points, np.nan, dtype=np.float32)
    values[found.sample] = found.per_point
    known = found.per_point[np.isfinite(found.per_point)]
    low, high = (float(q) for q in np.quantile(known, [0.02, 0.98])) if len(known) else (0.0, 1.0)
    facts = {
        "name": asked.name,
        "title": asked.title,
        "meaning": asked.meaning,
        "value": float(found.value),
        "standard_error": float(found.standard_error),
        "exact": bool(found.exact),
        "n_scored": len(found.sample),
        "low": low,
        "high": high if high > low else low + 1e-9,
        "more_is_better": asked.more_is_better,
        "histogram": histogram(found.per_point),
        "words": str(found),
    }
    return facts, values


def charts(session: Session, view: View) -> dict[str, Any]:
    """Return eigenvalues, elbows and estimates of the dimension."""
    found = session.dimension
    low, high = (None, None) if found is None else (float(v) for v in found.spread)
    shown = session.yardstick.data.shape[0]
    sampled = "" if shown == session.data.n_points else f"of a sample of {shown:,} points"
    return {
        "scree": _scree(view),
        "elbows": [
            {
                "method": elbow.method,
                "explains": elbow.explains,
                "at": np.asarray(elbow.curve.at).tolist(),
                "values": np.asarray(elbow.curve.values).tolist(),
            }
            for elbow in session.elbows
        ],
        "dimension": None
        if found is None
        else {
            "value": float(found.value),
            "low": low,
            "high": high,
            "estimates": [
                {"method": e.method, "value": e.value, "standard_error": e.standard_error}
                for e in found.estimates
            ],
        },
        "words": sampled,
    }


def _scree(view: View) -> dict[str, Any] | None:
    values = getattr(view.model, "eigenvalues_", None)
    if values is None or not len(values):
        return None
    kept = [float(v) for v in np.asarray(values, dtype=np.float64)]
    facts = spectrum_of(view.model)
    after = [] if facts is None or facts["next"] is None else [float(facts["next"])]
    whole = kept + after if facts is not None and facts["count"] == len(kept) else kept
    return {"values": whole, "kept": len(kept), "title": "Eigenvalues of the coordinates"}


_APART = {"kind": "edges", "doubtful": False}
# What a measure of a diagnosis speaks of, by a word of its name.
_LINKS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("trustworthiness", {"kind": "score", "name": "trust"}),
    ("continuity", {"kind": "score", "name": "continuity"}),
    ("stress", {"kind": "pairs"}),
    ("residual variance", {"kind": "pairs"}),
    ("doubtful edges", {"kind": "edges", "doubtful": True}),
    ("connected components", _APART),
    ("log areas", {"kind": "ellipses"}),
    ("distortion", {"kind": "ellipses"}),
    ("eigengap", {"kind": "scree"}),
    ("spectrum", {"kind": "scree"}),
    ("coordinate", {"kind": "scree"}),
)


def diagnosis(view: View) -> dict[str, Any]:
    """Return the sentences of a diagnosis, each linked to what it speaks of."""
    if view.data.n_points > DIAGNOSED:
        raise NotPossible(
            f"a diagnosis is made here of up to {DIAGNOSED:,} points; run `unspool diagnose`"
        )
    found = view.diagnosis
    sentences = _sentences(found)
    for one in sentences:
        if one["link"] == _APART and not one["ok"]:
            one["link"] = {"kind": "points", "points": _outside_largest(view)}
    return {"sound": found.sound, "sentences": sentences}


def _outside_largest(view: View) -> list[int]:
    """Return the points that the largest connected component does not hold."""
    found = graph.find_components(view.joined)
    return [int(point) for point in np.flatnonzero(found.labels != 0)]


def _sentences(found: Diagnosis) -> list[dict[str, Any]]:
    answer = []
    for measure in found.measures:
        fallback = f"{measure.name} is {measure.value:.4g} (sound if {measure.sound})"
        change = None
        if measure.parameter and measure.parameter not in ("X",):
            value = np.asarray(measure.suggestion).tolist()
            change = {"kind": "parameter", "name": measure.parameter, "value": value}
        link = next((dict(link) for word, link in _LINKS if word in measure.name), None)
        answer.append(
            {
                "text": measure.advice or measure.remark or fallback,
                "measure": measure.name,
                "ok": bool(measure.ok),
                "value": float(measure.value),
                "sound": measure.sound,
                "link": link or change,
                "also": change if link else None,
            }
        )
    return answer


def stability_of(model: Any, points: Array, embedding: Array) -> Score:
    """Return how far points move when a fifth of the data is left out, in turn."""
    from sklearn.base import clone

    reference = np.asarray(embedding, dtype=np.float64)
    return quality.stability(clone(model), points, n_resamples=RESAMPLES, reference=reference)
