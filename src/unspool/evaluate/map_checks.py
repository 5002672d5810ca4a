"""What can be wrong with the map: it does not keep what its method promises.

What would help is tried before it is advised, on a sample where points are many: advice that cannot
be followed, or that would make the map worse, is not given. A map of two or three coordinates is a
picture, so nobody is sent to thirteen: the method that shows most in as many coordinates is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from ..catalog import entry_of
from ..relation import describe_localized, find_localized, unexplained
from ..values import Array
from .evidence import PICTURED, Evidence, Measure

TRUSTED = 0.95  # Venna & Kaski's scores: below, one neighbour in a few is a stranger
STRESSED = 0.2  # Kruskal 1964 calls 0.2 a poor fit
UNEXPLAINED = 0.1  # of the variance of geodesics
STRETCHED = 0.7  # root mean square of log stretches: lengths are off by a factor of 2
UNEVEN = 1.5  # of log areas, tenth to ninetieth percentile: areas differ by a factor of 4.5
REPEATED = 0.3  # of a coordinate's variance: with less of its own it repeats those before it
FELT = 0.03  # of a number: what is less better is not worth a change
LOST = 0.005  # of the neighbours kept: what a change may cost

Change = tuple[str, str, Any]  # what to do in words, the parameter, its value


def points_in_a_dot(evidence: Evidence) -> Measure | None:
    """Ask whether a few points carry a coordinate alone, so that all others lie in a dot."""
    found = find_localized(evidence.embedding)
    name, sound = "coordinates that few points carry", "0"
    if not found:
        return Measure(name, 0.0, sound, True)
    told = describe_localized(found, np.arange(evidence.n_points)) + ", so the others lie in a dot"
    measure = Measure(name, len(found), sound, False)
    return _with_advice(evidence, measure, told, _against_strays(evidence), _n_localized)


def _against_strays(evidence: Evidence) -> Iterator[Change]:
    if getattr(evidence.model, "outliers", "separate") != "separate":
        yield "pass outliers='separate'", "outliers", "separate"
    if evidence.keeps != "distances":
        yield from _another_method(evidence)
    found = find_localized(evidence.embedding)
    strays = np.unique(np.concatenate([localized.carriers for localized in found]))
    yield "remove these rows from X", "X", strays


def _n_localized(evidence: Evidence) -> float:
    return float(len(find_localized(evidence.embedding)))


def repeated_coordinates(evidence: Evidence) -> Measure | None:
    """Ask whether a coordinate is a function of those before it, as on a long sheet."""
    if evidence.width == 1 or not hasattr(evidence.model, "independent"):
        return None
    own, name = _own_shares(evidence), "coordinate's variance of its own"
    measure = Measure(name, float(own.min()), f"> {REPEATED:g}", bool(own.min() > REPEATED))
    if measure.ok:
        return measure
    number = int(own.argmin()) + 2
    before = "the first" if number == 2 else f"the {number - 1} before it"
    told = f"coordinate {number} is a function of {before}, but for {own.min():.0%} of its variance"
    changes = [("pass independent=True", "independent", True)]
    changes = [] if evidence.model.independent else changes
    return _with_advice(evidence, measure, told, changes, lambda e: -float(_own_shares(e).min()))


def _own_shares(evidence: Evidence) -> Array:
    """Return of each coordinate after the first what those before it do not tell."""
    places = evidence.embedding[evidence.model.component_labels_ == 0]
    shares = [unexplained(places[:, :i], places[:, i : i + 1])[0] for i in range(1, evidence.width)]
    return np.array(shares)


def trustworthiness(evidence: Evidence) -> Measure | None:
    """Ask whether neighbours on the map are neighbours in the data."""
    return _neighborhoods(
        evidence, "trustworthiness", "strangers lie among the neighbours on the map"
    )


def continuity(evidence: Evidence) -> Measure | None:
    """Ask whether neighbours in the data are neighbours on the map."""
    return _neighborhoods(evidence, "continuity", "neighbours are torn apart on the map")


def _neighborhoods(evidence: Evidence, name: str, meaning: str) -> Measure | None:
    if name not in evidence.scores:
        return None
    value, sound = evidence.scores[name].value, f"> {TRUSTED:g}"
    measure = Measure(name, value, sound, value > TRUSTED)
    if measure.ok:
        return measure
    told = f"{name} is {value:.3f}: {meaning}"
    changes = chain(
        _more_coordinates(evidence), _another_method(evidence), _more_neighbors(evidence)
    )
    return _with_advice(evidence, measure, told, changes, lambda e: 1.0 - e.scores[name].value)


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
    """Hold a score of lengths against its limit."""
    if name not in evidence.scores:
        return None
    value, sound = evidence.scores[name].value, f"< {limit:g}"
    measure = Measure(name, value, sound, value < limit)
    if measure.ok:
        return measure
    # stress is what MDS makes least, so no other method is better at straight distances
    best = "mds" if name == "stress" else ""
    changes = chain(_more_coordinates(evidence, 1), _another_method(evidence, best))
    return _with_advice(evidence, measure, tell(value), changes, lambda e: _score(e, name))


def _score(evidence: Evidence, name: str) -> float:
    """Return a score, of which less is better; a method that has none is no better."""
    return float(evidence.scores[name].value) if name in evidence.scores else np.inf


def distortion(evidence: Evidence) -> Measure | None:
    """Ask whether a method that promises lengths, or tangent planes, stretches all places alike."""
    if (
        evidence.distortion is None
        or evidence.keeps == "none"
        or evidence.width > evidence.data.shape[1]
    ):
        return None
    value, is_areas = _unevenness(evidence), evidence.keeps == "tangents"
    name, limit = ("spread of log areas", UNEVEN) if is_areas else ("local distortion", STRETCHED)
    measure = Measure(name, value, f"< {limit:g}", value < limit)
    if measure.ok:
        return measure
    how = (
        f"areas differ by a factor of {np.exp(value):.3g} from place to place"
        if is_areas
        else f"lengths are off by a factor of {np.exp(value):.1f} from place to place"
    )
    instead = _another_method(evidence, "isomap") if evidence.keeps == "distances" else ()
    changes = chain(_more_coordinates(evidence), _more_neighbors(evidence), instead)
    return _with_advice(evidence, measure, how, changes, _unevenness)


def _unevenness(evidence: Evidence) -> float:
    """Return the spread of areas of a map that is known up to an affine one, else the stretch."""
    if evidence.distortion is None:
        return np.inf
    if evidence.keeps != "tangents":
        return float(evidence.distortion.value)
    areas: Array = np.log(np.maximum(evidence.distortion.areas, 1e-30))
    low, high = np.quantile(areas, [0.1, 0.9])
    return float(high - low)


def _more_coordinates(evidence: Evidence, more: int = 0) -> Iterator[Change]:
    """Yield as many coordinates as the data need, unless that many would be no picture any more."""
    needed = max(evidence.dimension, evidence.width + more)
    if needed > evidence.width and (needed <= PICTURED or evidence.width > PICTURED):
        told = f"the data have about {evidence.dimension} dimensions, so raise n_components to"
        yield f"{told} {needed}", "n_components", needed


def _another_method(evidence: Evidence, name: str = "") -> Iterator[Change]:
    """Yield the method that shows most in as many coordinates."""
    best = name or evidence.shown_best_by
    if best and not (evidence.is_catalogued and entry_of(evidence.model).name == best):
        title = entry_of(best).title
        yield (
            f"{title} shows more in {evidence.width} coordinates, so map them by {title} instead",
            "method",
            best,
        )


def _more_neighbors(evidence: Evidence) -> Iterator[Change]:
    if evidence.has_graph and evidence.count is not None:
        wanted = min(evidence.n_points - 1, round(1.5 * evidence.count))
        yield f"raise n_neighbors to {wanted}", "n_neighbors", wanted


def _with_advice(
    evidence: Evidence,
    measure: Measure,
    told: str,
    changes: Iterable[Change],
    badness: Callable[[Evidence], float],
) -> Measure:
    """Return the measure with the first change that makes it better, or the remark that none does.

    Where nothing can be tried, as with a table of kernel values, the first is taken at its word.
    """
    for words, parameter, value in changes:
        if evidence.few is None or _helps(evidence, (parameter, value), badness):
            return replace(
                measure, advice=f"{told}; {words}", parameter=parameter, suggestion=value
            )
    return replace(measure, remark=f"{told}; {_what_is_left(evidence)}")


def _helps(
    evidence: Evidence, change: tuple[str, Any], badness: Callable[[Evidence], float]
) -> bool:
    """Tell whether a change helps a sample, and then also all points, unless these are many."""
    few, all_points = evidence.few, evidence.confirmed_on
    if few is None or all_points is None:
        return False
    if not _is_better(few, evidence.trial(*change), badness):
        return False
    return _is_better(all_points, evidence.confirmation(*change), badness)


def _is_better(
    before: Evidence, after: Evidence | None, badness: Callable[[Evidence], float]
) -> bool:
    """Tell whether a change helps: what is measured is less, and neighbours are kept as before."""
    if after is None or after.near < before.near - LOST:
        return False
    return badness(after) < (1.0 - FELT) * badness(before)


def _what_is_left(evidence: Evidence) -> str:
    """Say what as many coordinates can show, where nothing shows more."""
    width, needed = evidence.width, evidence.dimension
    if needed <= width:
        return "nothing that was tried shows more"
    elsewhere = f"; where no picture is needed, {needed} hold them" if width <= PICTURED else ""
    kept = evidence.scores["neighbours kept"].value if evidence.scores else 0.0
    return (
        f"the data have about {needed} dimensions, of which {width} coordinates show this much "
        f"({kept:.0%} of the nearest neighbours), and no method that was tried shows more"
        f"{elsewhere}"
    )
