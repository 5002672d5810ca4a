"""What a check returns.

What can be wrong with the neighbour graph: it falls apart, or takes short cuts.

What can be wrong with the solution: chance axes, negative values, few landmarks, few steps.

What can be wrong with the map: it does not keep what its method promises.

What can be wrong with a map: each check measures one number, and has one thing to say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import distances, graph, quality
from ..quality import suspicious_edges
from ..spectrum import negative_mass
from ..values import Array
from .evidence import SHORTENED, Case, is_short_circuited, shortening


@dataclass(frozen=True, slots=True)
class Measure:
    """A number that was measured, what it should be, and what to change if it is not.

    ``parameter`` and ``suggestion`` say it for programs; ``advice`` is the same as a sentence.
    """

    name: str
    value: float
    sound: str
    ok: bool
    advice: str = ""
    parameter: str = ""
    suggestion: Any = None


GROWTH, SHRINKAGE = (1.25, 1.5, 2.0, 3.0, 4.0), (0.8, 0.65, 0.5, 0.4, 0.3)


def pieces(case: Case) -> Measure | None:
    """Count the pieces of the neighbour graph."""
    if not case.has_graph:
        return None
    sizes = np.bincount(case.model.component_labels_)
    name, count = "pieces of the graph", float(len(sizes))
    if len(sizes) == 1:
        return Measure(name, count, "1", True)
    told = f"the neighbour graph is in {len(sizes)} pieces (largest {sizes.max()} points)"
    parameter, tried = _wider(case)
    for value in tried:
        if case.is_whole(case.graph_with(parameter, value)):
            advice = f"{told}: raise {parameter} to {value:g}, which joins them"
            return Measure(name, count, "1", False, advice, parameter, value)
    if case.model.components == "separate":  # as would be advised
        return Measure(name, count, "1, or components='separate'", True)
    largest = ", or components='largest' for the largest alone"
    advice = (
        f"{told} that more neighbours do not join: pass components='separate' for one map a piece"
        f"{'' if case.model.components == 'largest' else largest}"
    )
    return Measure(name, count, "1", False, advice, "components", "separate")


def short_circuits(case: Case) -> Measure | None:
    """Measure how much shorter paths are through edges that nothing else confirms."""
    if not case.has_graph:
        return None
    lost = case.shortening
    name, sound = "path length lost to doubtful edges", f"< {SHORTENED:g}"
    found = case.suspicious
    if not is_short_circuited(case.listed, found, lost):
        return Measure(name, lost, sound, True)
    told = (
        f"{len(found.edges)} of {found.n_edges} edges look like short circuits and shorten paths "
        f"by {lost:.0%}"
    )
    parameter, tried = _narrower(case)
    for value in tried:
        fewer = case.graph_with(parameter, value)
        doubted = suspicious_edges(fewer)
        left = shortening(fewer, doubted, case.seed)
        if case.is_whole(fewer) and not is_short_circuited(fewer, doubted, left):
            advice = f"{told}: lower {parameter} to {value:g}, where they are gone"
            return Measure(name, lost, sound, False, advice, parameter, value)
    told = f"{told}, and no {parameter} that keeps the graph whole avoids them"
    if case.rule == "mutual":
        advice = f"{told}: remove the points between the sheets from X"
        return Measure(name, lost, sound, False, advice, "X")
    advice = f"{told}: pass symmetrize='mutual', or remove the points between the sheets"
    return Measure(name, lost, sound, False, advice, "symmetrize", "mutual")


def _wider(case: Case) -> tuple[str, Iterable[float]]:
    """Return which parameter joins more points, and the values to try."""
    if case.count is None:
        radius = getattr(case.model, "radius", None)
        return "radius", [] if radius is None else [float(radius) * f for f in GROWTH]
    most = case.n_points - 1
    return "n_neighbors", sorted({min(most, int(np.ceil(case.count * f))) for f in GROWTH})


def _narrower(case: Case) -> tuple[str, Iterable[float]]:
    if case.count is None:
        radius = getattr(case.model, "radius", None)
        return "radius", [] if radius is None else [float(radius) * f for f in SHRINKAGE]
    fewest = max(3, case.width + 1)
    tried = {max(fewest, int(case.count * f)) for f in SHRINKAGE} - {case.count}
    return "n_neighbors", sorted(tried, reverse=True)


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


def convergence(case: Case) -> Measure | None:
    """Ask whether the iterations came to rest."""
    report = getattr(case.model, "report_", None)
    stages = [s for s in getattr(report, "stages", ()) if "converged" in s.facts]
    if not stages or not hasattr(case.model, "max_iter"):
        return None
    last = stages[-1]
    steps, converged = float(last.facts["steps"]), bool(last.facts["converged"])
    name, sound = "iterations until convergence", f"<= {case.model.max_iter}"
    if converged:
        return Measure(name, steps, sound, True)
    wanted = 4 * int(case.model.max_iter)
    advice = f"{steps:.0f} iterations were not enough to converge; raise max_iter to {wanted}"
    return Measure(name, steps, "converged", False, advice, "max_iter", wanted)


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
    chosen = graph.choose_uniform(case.n_points, SAMPLED, case.seed)
    if case.keeps == "geodesics":
        members = case.model.charts_[0].members
        inside = np.flatnonzero(np.isin(members, chosen))
        lengths = case.model.charts_[0].relation.lengths_from(inside)[:, inside]
    elif case.metric == "precomputed":
        lengths = np.asarray(case.data)[np.ix_(chosen, chosen)]
    else:
        lengths = distances.pairwise_distances(case.data[chosen], case.data[chosen], case.metric)
    squares = -0.5 * np.square(lengths)
    squares -= squares.mean(axis=0)
    return negative_mass(squares - squares.mean(axis=1, keepdims=True))


TRUSTED = 0.95  # Venna & Kaski's scores: below, one neighbour in a few is a stranger
STRESSED = 0.2  # Kruskal 1964 calls 0.2 a poor fit
UNEXPLAINED = 0.1  # of the variance of geodesics
STRETCHED = 0.7  # root mean square of log stretches: lengths are off by a factor of 2
UNEVEN = 1.5  # of log areas, tenth to ninetieth percentile: areas differ by a factor of 4.5


def trustworthiness(case: Case) -> Measure | None:
    """Ask whether neighbours on the map are neighbours in the data."""
    return _neighborhoods(case, "trustworthiness", "strangers lie among the neighbours on the map")


def continuity(case: Case) -> Measure | None:
    """Ask whether neighbours in the data are neighbours on the map."""
    return _neighborhoods(case, "continuity", "neighbours are torn apart on the map")


def stress(case: Case) -> Measure | None:
    """Ask whether a method that keeps straight distances does."""
    if case.keeps != "distances" or "stress" not in case.scores:
        return None
    value = case.scores["stress"].value
    name, sound = "stress", f"< {STRESSED:g}"
    if value < STRESSED:
        return Measure(name, value, sound, True)
    wanted = max(case.dimension, case.width + 1)
    advice = (
        f"stress is {value:.2f}: {case.width} coordinates do not hold these distances; raise "
        f"n_components to {wanted}"
    )
    return Measure(name, value, sound, False, advice, "n_components", wanted)


def residual_variance(case: Case) -> Measure | None:
    """Ask whether a method that keeps geodesics does."""
    if case.keeps != "geodesics" or "residual variance" not in case.scores:
        return None
    value = case.scores["residual variance"].value
    name, sound = "residual variance", f"< {UNEXPLAINED:g}"
    if value < UNEXPLAINED:
        return Measure(name, value, sound, True)
    wanted = max(case.dimension, case.width + 1)
    advice = (
        f"{value:.0%} of the variance of the distances along the manifold is not on the map; raise "
        f"n_components to {wanted}"
    )
    return Measure(name, value, sound, False, advice, "n_components", wanted)


def distortion(case: Case) -> Measure | None:
    """Ask whether a method that promises lengths, or tangent planes, stretches all places alike."""
    if case.distortion is None or case.keeps == "none" or case.width > case.data.shape[1]:
        return None
    if case.keeps == "tangents":  # known up to an affine map, which has one factor for all areas
        value = _spread(np.log(np.maximum(case.distortion.areas, 1e-30)))
        name, limit = "spread of log areas", UNEVEN
        how = f"areas differ by a factor of {np.exp(value):.3g}"
    else:
        value, name, limit = case.distortion.value, "local distortion", STRETCHED
        how = f"lengths are off by a factor of {np.exp(value):.1f}"
    sound = f"< {limit:g}"
    if value < limit:
        return Measure(name, value, sound, True)
    return Measure(name, value, sound, False, *_against_distortion(case, how))


def _spread(values: Array) -> float:
    low, high = np.quantile(values, [0.1, 0.9])
    return float(high - low)


def _against_distortion(case: Case, how: str) -> tuple[str, str, Any]:
    needed = case.dimension
    if needed > case.width:
        advice = f"{how} from place to place; raise n_components to {needed}"
        return advice, "n_components", needed
    if case.keeps == "distances":
        advice = f"{how} along the manifold: the data are curved, so map them by Isomap instead"
        return advice, "method", "isomap"
    if case.count is not None:
        wanted = min(case.n_points - 1, round(1.5 * case.count))
        advice = f"{how} from place to place; raise n_neighbors to {wanted}"
        return advice, "n_neighbors", wanted
    return f"{how} from place to place; raise radius", "radius", None


def _neighborhoods(case: Case, name: str, meaning: str) -> Measure | None:
    if name not in case.scores:
        return None
    value, sound = case.scores[name].value, f"> {TRUSTED:g}"
    if value > TRUSTED:
        return Measure(name, value, sound, True)
    told = f"{name} is {value:.3f}: {meaning}"
    needed = case.dimension
    if needed > case.width:
        advice = (
            f"{told}; the data have about {needed} dimensions, so raise n_components to {needed}"
        )
        return Measure(name, value, sound, False, advice, "n_components", needed)
    if case.has_graph and case.keeps == "none":
        wanted = case.width + 2
        advice = (
            f"{told}; on a long sheet the next coordinates repeat the first, so raise n_components "
            f"to {wanted}, or map it by Isomap"
        )
        return Measure(name, value, sound, False, advice, "n_components", wanted)
    if case.has_graph and case.count is not None:
        wanted = min(case.n_points - 1, round(1.5 * case.count))
        advice = f"{told}; raise n_neighbors to {wanted}"
        return Measure(name, value, sound, False, advice, "n_neighbors", wanted)
    advice = f"{told}; the data are curved, so map them by Isomap instead"
    return Measure(name, value, sound, False, advice, "method", "isomap")


Check = Callable[[Case], Measure | None]

# Causes come first: with one of them, what the map fails to keep is its consequence.
CAUSES: tuple[Check, ...] = (convergence, pieces, short_circuits)
PROMISES: tuple[Check, ...] = (
    trustworthiness,
    continuity,
    stress,
    residual_variance,
    distortion,
    negative_eigenvalues,
)
OTHERS: tuple[Check, ...] = (eigengap, landmarks)


def measures_of(case: Case) -> Iterator[Measure]:
    """Yield everything that can be measured, with one piece of advice for each parameter at most.

    What follows from something that was advised before is not sound either, but has no advice of
    its own: two changes for one cause would contradict each other.
    """
    advised: set[str] = set()
    for check in (*CAUSES, *PROMISES, *OTHERS):
        found = check(case)
        if found is None:
            continue
        follows = bool(advised) and check not in OTHERS
        if not found.ok and (follows or found.parameter in advised):
            found = replace(found, advice="", parameter="", suggestion=None)
        advised |= {found.parameter} - {""}
        yield found
