"""What can be wrong with the map: it does not keep what its method promises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..catalog import entry_of
from ..relation import describe_localized, find_localized
from ..values import Array
from .evidence import Evidence, Measure

TRUSTED = 0.95  # Venna & Kaski's scores: below, one neighbour in a few is a stranger
STRESSED = 0.2  # Kruskal 1964 calls 0.2 a poor fit
UNEXPLAINED = 0.1  # of the variance of geodesics
STRETCHED = 0.7  # root mean square of log stretches: lengths are off by a factor of 2
UNEVEN = 1.5  # of log areas, tenth to ninetieth percentile: areas differ by a factor of 4.5


def points_in_a_dot(evidence: Evidence) -> Measure | None:
    """Ask whether a few points carry a coordinate alone, so that all others lie in a dot."""
    found = find_localized(evidence.embedding)
    name, sound = "coordinates that few points carry", "0"
    if not found:
        return Measure(name, 0.0, sound, True)
    told = describe_localized(found, np.arange(evidence.n_points))
    if getattr(evidence.model, "outliers", "separate") != "separate":
        advice = f"{told}, so the others lie in a dot; pass outliers='separate', or use Isomap"
        return Measure(name, len(found), sound, False, advice, "outliers", "separate")
    instead = "pca" if evidence.keeps == "geodesics" else "isomap"
    if evidence.keeps == "distances":
        advice = f"{told}, so the others lie in a dot; remove these rows from X"
        return Measure(name, len(found), sound, False, advice, "X")
    advice = f"{told}, so the others lie in a dot; map them by {entry_of(instead).title} instead"
    return Measure(name, len(found), sound, False, advice, "method", instead)


def trustworthiness(evidence: Evidence) -> Measure | None:
    """Ask whether neighbours on the map are neighbours in the data."""
    return _neighborhoods(
        evidence, "trustworthiness", "strangers lie among the neighbours on the map"
    )


def continuity(evidence: Evidence) -> Measure | None:
    """Ask whether neighbours in the data are neighbours on the map."""
    return _neighborhoods(evidence, "continuity", "neighbours are torn apart on the map")


def stress(evidence: Evidence) -> Measure | None:
    """Ask whether a method that keeps straight distances does."""
    if evidence.keeps != "distances":
        return None
    width = evidence.width
    return _lengths(
        evidence,
        "stress",
        STRESSED,
        lambda value: f"stress is {value:.2f}: {width} coordinates do not hold these distances",
    )


def residual_variance(evidence: Evidence) -> Measure | None:
    """Ask whether a method that keeps geodesics does."""
    if evidence.keeps != "geodesics":
        return None
    return _lengths(
        evidence,
        "residual variance",
        UNEXPLAINED,
        lambda value: (
            f"{value:.0%} of the variance of the distances along the manifold is not on the map"
        ),
    )


def _lengths(
    evidence: Evidence, name: str, limit: float, tell: Callable[[float], str]
) -> Measure | None:
    """Hold a score of lengths against its limit; more coordinates can always lower it."""
    if name not in evidence.scores:
        return None
    value, sound = evidence.scores[name].value, f"< {limit:g}"
    if value < limit:
        return Measure(name, value, sound, True)
    wanted = max(evidence.dimension, evidence.width + 1)
    advice = f"{tell(value)}; raise n_components to {wanted}"
    return Measure(name, value, sound, False, advice, "n_components", wanted)


def distortion(evidence: Evidence) -> Measure | None:
    """Ask whether a method that promises lengths, or tangent planes, stretches all places alike."""
    if (
        evidence.distortion is None
        or evidence.keeps == "none"
        or evidence.width > evidence.data.shape[1]
    ):
        return None
    if (
        evidence.keeps == "tangents"
    ):  # known up to an affine map, which has one factor for all areas
        value = _spread(np.log(np.maximum(evidence.distortion.areas, 1e-30)))
        name, limit = "spread of log areas", UNEVEN
        how = f"areas differ by a factor of {np.exp(value):.3g}"
    else:
        value, name, limit = evidence.distortion.value, "local distortion", STRETCHED
        how = f"lengths are off by a factor of {np.exp(value):.1f}"
    sound = f"< {limit:g}"
    if value < limit:
        return Measure(name, value, sound, True)
    return Measure(name, value, sound, False, *_against_distortion(evidence, how))


def _spread(values: Array) -> float:
    low, high = np.quantile(values, [0.1, 0.9])
    return float(high - low)


def _against_distortion(evidence: Evidence, how: str) -> tuple[str, str, Any]:
    needed = evidence.dimension
    if needed > evidence.width:
        advice = f"{how} from place to place; raise n_components to {needed}"
        return advice, "n_components", needed
    if evidence.keeps == "distances":
        advice = f"{how} along the manifold: the data are curved, so map them by Isomap instead"
        return advice, "method", "isomap"
    if evidence.count is not None:
        wanted = min(evidence.n_points - 1, round(1.5 * evidence.count))
        advice = f"{how} from place to place; raise n_neighbors to {wanted}"
        return advice, "n_neighbors", wanted
    return f"{how} from place to place; raise radius", "radius", None


def _neighborhoods(evidence: Evidence, name: str, meaning: str) -> Measure | None:
    if name not in evidence.scores:
        return None
    value, sound = evidence.scores[name].value, f"> {TRUSTED:g}"
    if value > TRUSTED:
        return Measure(name, value, sound, True)
    told = f"{name} is {value:.3f}: {meaning}"
    needed = evidence.dimension
    if needed > evidence.width:
        advice = (
            f"{told}; the data have about {needed} dimensions, so raise n_components to {needed}"
        )
        return Measure(name, value, sound, False, advice, "n_components", needed)
    if evidence.has_graph and evidence.keeps == "none":
        wanted = evidence.width + 2
        advice = (
            f"{told}; on a long sheet the next coordinates repeat the first, so raise n_components "
            f"to {wanted}, or map it by Isomap"
        )
        return Measure(name, value, sound, False, advice, "n_components", wanted)
    if evidence.has_graph and evidence.count is not None:
        wanted = min(evidence.n_points - 1, round(1.5 * evidence.count))
        advice = f"{told}; raise n_neighbors to {wanted}"
        return Measure(name, value, sound, False, advice, "n_neighbors", wanted)
    advice = f"{told}; the data are curved, so map them by Isomap instead"
    return Measure(name, value, sound, False, advice, "method", "isomap")
