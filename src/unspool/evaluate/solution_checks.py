"""What can be wrong before the map: the neighbour graph, the eigenproblem, landmarks, iterations.

A graph falls apart or takes short cuts; axes are chance where eigenvalues are equal; distances are
of no flat space; landmarks are too few; iterations end before they converge. Each check measures
one number and has one thing to say.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .. import distances, graph, quality
from ..kernel import double_centered
from ..quality import suspicious_edges
from ..spectrum import negative_mass
from .evidence import PICTURED, SHORTENED, Evidence, Measure, is_short_circuited, shortening

GROWTH, SHRINKAGE = (1.25, 1.5, 2.0, 3.0, 4.0), (0.8, 0.65, 0.5, 0.4, 0.3)
NEGATIVE = 0.15  # of the spectrum: a roll has 0.03, the same with short circuits 0.25
EQUAL = 0.03  # relative gap between eigenvalues below which their axes are one choice of many
MOVED = 0.02  # of the map's variance, when half of the landmarks are left out
SAMPLED = 800  # points whose table is decomposed for its negative eigenvalues


def connected_components(evidence: Evidence) -> Measure | None:
    """Count the connected components of the neighbour graph."""
    if not evidence.has_graph:
        return None
    sizes = np.bincount(evidence.model.component_labels_)
    name, count = "connected components of the graph", float(len(sizes))
    if len(sizes) == 1:
        return Measure(name, count, "1", True)
    told = (
        f"the neighbour graph has {len(sizes)} connected components (largest {sizes.max()} points)"
    )
    parameter, tried = _wider(evidence)
    for value in tried:
        if evidence.is_connected(evidence.graph_with(parameter, value)):
            advice = f"{told}: raise {parameter} to {value:g}, which joins them"
            return Measure(name, count, "1", False, advice, parameter, value)
    if evidence.model.components == "separate":  # as would be advised
        return Measure(name, count, "1, or components='separate'", True)
    largest = ", or components='largest' for the largest alone"
    advice = (
        f"{told} that more neighbours do not join: pass components='separate' for one map each"
        f"{'' if evidence.model.components == 'largest' else largest}"
    )
    return Measure(name, count, "1", False, advice, "components", "separate")


def short_circuits(evidence: Evidence) -> Measure | None:
    """Measure how much shorter paths are through edges that nothing else confirms."""
    if not evidence.has_graph:
        return None
    lost = evidence.shortening
    name, sound = "path length lost to doubtful edges", f"< {SHORTENED:g}"
    found = evidence.suspicious
    if not is_short_circuited(evidence.listed, found, lost):
        return Measure(name, lost, sound, True)
    told = (
        f"{len(found.edges)} of {found.n_edges} edges look like short circuits and shorten paths "
        f"by {lost:.0%}"
    )
    parameter, tried = _narrower(evidence)
    for value in tried:
        fewer = evidence.graph_with(parameter, value)
        doubted = suspicious_edges(fewer)
        left = shortening(fewer, doubted, evidence.seed)
        if evidence.is_connected(fewer) and not is_short_circuited(fewer, doubted, left):
            advice = f"{told}: lower {parameter} to {value:g}, where they are gone"
            return Measure(name, lost, sound, False, advice, parameter, value)
    told = f"{told}, and no {parameter} that keeps the graph whole avoids them"
    if evidence.rule == "mutual":
        advice = f"{told}: remove the points between the sheets from X"
        return Measure(name, lost, sound, False, advice, "X")
    advice = f"{told}: pass symmetrize='mutual', or remove the points between the sheets"
    return Measure(name, lost, sound, False, advice, "symmetrize", "mutual")


def _wider(evidence: Evidence) -> tuple[str, Iterable[float]]:
    """Return which parameter joins more points, and the values to try."""
    if evidence.count is None:
        radius = getattr(evidence.model, "radius", None)
        return "radius", [] if radius is None else [float(radius) * f for f in GROWTH]
    most = evidence.n_points - 1
    return "n_neighbors", sorted({min(most, int(np.ceil(evidence.count * f))) for f in GROWTH})


def _narrower(evidence: Evidence) -> tuple[str, Iterable[float]]:
    if evidence.count is None:
        radius = getattr(evidence.model, "radius", None)
        return "radius", [] if radius is None else [float(radius) * f for f in SHRINKAGE]
    fewest = max(3, evidence.width + 1)
    tried = {max(fewest, int(evidence.count * f)) for f in SHRINKAGE} - {evidence.count}
    return "n_neighbors", sorted(tried, reverse=True)


def eigengap(evidence: Evidence) -> Measure | None:
    """Measure the gap between the last eigenvalue that was kept and the next."""
    facts = spectrum_of(evidence.model)
    if facts is None or facts.get("next") is None or getattr(evidence.model, "independent", False):
        return None  # the last vector that was solved for is not the last coordinate
    gap = float(facts["gap"])
    name, sound, width = "eigengap after the last coordinate", f"> {EQUAL:g}", evidence.width
    if gap > EQUAL:
        return Measure(name, gap, sound, True)
    told = (
        f"eigenvalues {width} and {width + 1} differ by {gap:.1%} only, so the last axis is one "
        "choice of many"
    )
    after = evidence.trial("n_components", width + 1)
    facts = None if after is None else spectrum_of(after.model)
    is_apart = facts is not None and (facts.get("next") is None or float(facts["gap"]) > EQUAL)
    if not is_apart or width == PICTURED:  # a fourth coordinate would end the picture
        return Measure(name, gap, sound, False, remark=told)
    fewer = f"{width - 1} or " if width > 1 else ""
    advice = f"{told}; set n_components to {fewer}{width + 1}"
    return Measure(name, gap, sound, False, advice, "n_components", width + 1)


def negative_eigenvalues(evidence: Evidence) -> Measure | None:
    """Measure how far the distances are from those of points in a flat space."""
    if not hasattr(evidence.model, "negative_mass"):
        return None
    value = _negative_share(evidence)
    name, sound = "negative share of the spectrum", f"< {NEGATIVE:g}"
    if value < NEGATIVE:
        return Measure(name, value, sound, True)
    told = f"{value:.0%} of the spectrum is negative: no flat map has these distances"
    if evidence.keeps == "geodesics":
        advice = f"{told}; map the data by LTSA, which needs no distances"
        return Measure(name, value, sound, False, advice, "method", "ltsa")
    if hasattr(evidence.model, "additive_constant"):
        advice = f"{told}; pass additive_constant=True, which makes them Euclidean"
        return Measure(name, value, sound, False, advice, "additive_constant", True)
    advice = f"{told}; map them by MDS, which needs no eigenvalues"
    return Measure(name, value, sound, False, advice, "method", "mds")


def landmarks(evidence: Evidence) -> Measure | None:
    """Measure how far the map of the fitted points moves when half of the landmarks are left out.

    All points being landmarks, there is nothing that more of them could change.
    """
    model = evidence.model
    fitted_on = getattr(model, "_X", None)
    if getattr(model, "landmarks_", None) is None or fitted_on is None:
        return None
    count, n = _count_landmarks(model), int(fitted_on.shape[0])
    if count >= n or count // 2 <= model.embedding_.shape[1] + 1:
        return None
    if len(getattr(model, "charts_", ())) > 1:
        return None  # every connected component has its own landmarks, and its own frame
    from sklearn.base import clone

    half = clone(model).set_params(**_half(model, count)).fit(fitted_on)
    moved = quality.disparity(half.embedding_, model.embedding_)
    name, sound = "movement with half the landmarks", f"< {MOVED:g}"
    if moved < MOVED:
        return Measure(name, moved, sound, True)
    told = f"with half of the {count} landmarks the map moves by {moved:.1%} of its variance"
    wanted = min(n, 4 * count)
    if isinstance(model.landmarks, str):
        advice = f"{told}; raise n_landmarks to {wanted}"
        return Measure(name, moved, sound, False, advice, "n_landmarks", wanted)
    rule = type(model)().landmarks  # how the method chooses them by itself
    advice = f"{told}; name more of them, or pass landmarks={rule!r} and n_landmarks={wanted}"
    return Measure(name, moved, sound, False, advice, "landmarks", rule)


def _count_landmarks(model: Any) -> int:
    """Return how many landmarks a model has; k-means centers have no indices."""
    return len(model.landmarks_) or int(model.n_landmarks or 0)


def _half(model: Any, count: int) -> dict[str, Any]:
    """Return the parameters that leave half of the landmarks out, the same ones where indexed."""
    if len(model.landmarks_) == 0:
        return {"n_landmarks": count // 2}
    return {"landmarks": np.asarray(model.landmarks_)[: count // 2]}


def convergence(evidence: Evidence) -> Measure | None:
    """Ask whether the iterations came to rest."""
    report = getattr(evidence.model, "report_", None)
    stages = [s for s in getattr(report, "stages", ()) if "converged" in s.facts]
    if not stages or not hasattr(evidence.model, "max_iter"):
        return None
    last = stages[-1]
    steps, converged = float(last.facts["steps"]), bool(last.facts["converged"])
    name, sound = "iterations until convergence", f"<= {evidence.model.max_iter}"
    if converged:
        return Measure(name, steps, sound, True)
    done = int(evidence.model.max_iter)  # a step may be a round of several
    wanted = 4 * done
    advice = f"{done} iterations were not enough to converge; raise max_iter to {wanted}"
    return Measure(name, steps, "converged", False, advice, "max_iter", wanted)


def spectrum_of(model: Any) -> Any:
    """Return the facts of the eigenproblem whose vectors are the map (of the largest component)."""
    report = getattr(model, "report_", None)
    found = [s.facts for s in getattr(report, "stages", ()) if s.name == "spectrum"]
    if not found or not all("gap" in facts for facts in found):
        return None
    return found[0] if len(getattr(model, "charts_", ())) > 1 else found[-1]


def _negative_share(evidence: Evidence) -> float:
    """Return the negative share of the spectrum, of a sample of the points where they are many."""
    if evidence.n_points <= SAMPLED:
        return float(evidence.model.negative_mass())
    chosen = graph.choose_uniform(evidence.n_points, SAMPLED, evidence.seed)
    if evidence.keeps == "geodesics":
        members = evidence.model.charts_[0].members
        inside = np.flatnonzero(np.isin(members, chosen))
        lengths = evidence.model.charts_[0].relation.lengths_from(inside)[:, inside]
    elif evidence.metric == "precomputed":
        lengths = np.asarray(evidence.data)[np.ix_(chosen, chosen)]
    else:
        lengths = distances.pairwise_distances(
            evidence.data[chosen], evidence.data[chosen], evidence.metric
        )
    return negative_mass(double_centered(-0.5 * np.square(lengths)))
