"""What can be wrong with the solution: chance axes, negative values, few landmarks, few steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import graph, quality
from ...spectrum import negative_mass
from ..case import Case
from .measure import Measure

NEGATIVE = 0.15  # of the spectrum: a roll has 0.03, the same with short circuits 0.25
EQUAL = 0.03  # relative gap between eigenvalues below which their axes are one choice of many
MOVED = 0.02  # of the map's variance, when half of the landmarks are left out
SAMPLED = 800  # points whose table is decomposed for its negative eigenvalues


def eigengap(case: Case) -> Measure | None:
    """Measure the gap between the last eigenvalue that was kept and the next."""
    facts = spectrum_of(case.model)
    if facts is None or facts.get("next") is None:
        return None
    last, following, rounding = (float(facts[key]) for key in ("last", "next", "rounding"))
    size = max(abs(last), abs(following))
    gap = abs(last - following) / size if size > rounding else 0.0
    name, sound, width = "eigengap after the last coordinate", f"> {EQUAL:g}", case.width
    if gap > EQUAL:
        return Measure(name, gap, sound, True)
    fewer = f"{width - 1} or " if width > 1 else ""
    advice = (
        f"eigenvalues {width} and {width + 1} differ by {gap:.1%} only, so the last axis is one "
        f"choice of many; set n_components to {fewer}{width + 1}"
    )
    return Measure(name, gap, sound, False, advice, "n_components", width + 1)


def negative_eigenvalues(case: Case) -> Measure | None:
    """Measure how far the distances are from those of points in a flat space."""
    if not hasattr(case.model, "negative_mass"):
        return None
    value = _negative_share(case)
    name, sound = "negative share of the spectrum", f"< {NEGATIVE:g}"
    if value < NEGATIVE:
        return Measure(name, value, sound, True)
    told = f"{value:.0%} of the spectrum is negative: no flat map has these distances"
    if case.keeps == "geodesics":
        advice = f"{told}; map the data by LTSA, which needs no distances"
        return Measure(name, value, sound, False, advice, "method", "ltsa")
    if hasattr(case.model, "additive_constant"):
        advice = f"{told}; pass additive_constant=True, which makes them Euclidean"
        return Measure(name, value, sound, False, advice, "additive_constant", True)
    advice = f"{told}; map them by MDS, which needs no eigenvalues"
    return Measure(name, value, sound, False, advice, "method", "mds")


def landmarks(case: Case) -> Measure | None:
    """Measure how far the map of the fitted points moves when half of the landmarks are left out.

    All points being landmarks, there is nothing that more of them could change.
    """
    model = case.model
    chosen, fitted_on = getattr(model, "landmarks_", None), getattr(model, "_given", None)
    if chosen is None or fitted_on is None or len(chosen) // 2 <= model.embedding_.shape[1] + 1:
        return None
    count, n = len(chosen), int(fitted_on.shape[0])
    if count >= n or len(getattr(model, "charts_", ())) > 1:
        return None  # every piece has its own landmarks, and its own frame
    from sklearn.base import clone

    half = clone(model).set_params(landmarks=_half(model, chosen)).fit(fitted_on)
    moved = quality.disparity(half.embedding_, model.embedding_)
    name, sound = "movement with half the landmarks", f"< {MOVED:g}"
    if moved < MOVED:
        return Measure(name, moved, sound, True)
    told = f"with half of the {count} landmarks the map moves by {moved:.1%} of its variance"
    parameter, wanted = _number_of_landmarks(model), min(n, 4 * count)
    if parameter == "n_landmarks" and not isinstance(model.landmarks, str):  # their number is moot
        advice = f"{told}; name more of them, or pass landmarks='maxmin' and n_landmarks={wanted}"
        return Measure(name, moved, sound, False, advice, "landmarks", "maxmin")
    advice = f"{told}; raise {parameter} to {wanted}"
    return Measure(name, moved, sound, False, advice, parameter, wanted)


def _number_of_landmarks(model: Any) -> str:
    """Return the parameter that says how many landmarks there are."""
    return "n_landmarks" if hasattr(model, "n_landmarks") else "landmarks"


def _half(model: Any, chosen: Any) -> Any:
    """Return the first half of the landmarks: indices, or their number where points are kept."""
    count = len(chosen) // 2
    if _number_of_landmarks(model) == "n_landmarks":
        return np.asarray(chosen)[:count]
    given = model.landmarks
    return count if np.ndim(given) == 0 else np.asarray(given)[:count]


def convergence(case: Case) -> Measure | None:
    """Ask whether the iterations came to rest."""
    report = getattr(case.model, "report_", None)
    stages = [s for s in getattr(report, "stages", ()) if "settled" in s.facts]
    if not stages or not hasattr(case.model, "max_iter"):
        return None
    last = stages[-1]
    steps, settled = float(last.facts["steps"]), bool(last.facts["settled"])
    name, sound = "iterations until settled", f"<= {case.model.max_iter}"
    if settled:
        return Measure(name, steps, sound, True)
    wanted = 4 * int(case.model.max_iter)
    advice = f"{steps:.0f} iterations were not enough to settle; raise max_iter to {wanted}"
    return Measure(name, steps, "settled", False, advice, "max_iter", wanted)


def spectrum_of(model: Any) -> Any:
    """Return the facts of the eigenproblem whose vectors are the map (of the largest piece)."""
    report = getattr(model, "report_", None)
    found = [s.facts for s in getattr(report, "stages", ()) if s.name == "spectrum"]
    if not found or not all("last" in facts for facts in found):
        return None
    return found[0] if len(getattr(model, "charts_", ())) > 1 else found[-1]


def _negative_share(case: Case) -> float:
    """Return the negative share of the spectrum, of a sample of the points where they are many."""
    if case.n_points <= SAMPLED:
        return float(case.model.negative_mass())
    chosen = graph.uniform(case.n_points, SAMPLED, case.seed)
    if case.keeps == "geodesics":
        members = case.model.charts_[0].members
        inside = np.flatnonzero(np.isin(members, chosen))
        lengths = case.model.charts_[0].relation.lengths_from(inside)[:, inside]
    elif case.metric == "precomputed":
        lengths = np.asarray(case.data)[np.ix_(chosen, chosen)]
    else:
        lengths = graph.cross(case.data[chosen], case.data[chosen], case.metric)
    squares = -0.5 * np.square(lengths)
    squares -= squares.mean(axis=0)
    return negative_mass(squares - squares.mean(axis=1, keepdims=True))
