"""Where a descent of stress starts: classical scaling, landmarks, at random, or where one says."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import extension, graph, paths, problem
from ..kernel import Centering
from ..runtime import claim
from ..spectrum import solve
from ..values import Array
from .dissimilarities import Wanted, fill_gaps
from .objective import Objective

STARTS = ("classical", "landmarks", "random")
LANDMARKS = 100
EXACT = 1e-12  # of sum w delta^2: a start with less stress is left as it is
RELAYS = 32  # points over which the length of an unknown pair is guessed
WHOLE = 1000  # points for which all shortest ways through a list of known pairs are found


def starting_places(
    start: Any, wanted: Wanted, points: Array | None, count: int, rng: np.random.Generator
) -> Array:
    """Return the configuration (n, count) that ``start`` names.

    ``points`` are the data where the dissimilarities are their Euclidean distances: their
    classical scaling is PCA, and needs no table.
    """
    n, seed = wanted.n_points, int(rng.integers(2**31))
    if not isinstance(start, str):
        places = np.asarray(start, dtype=np.float64)
        return np.asarray(places - places.mean(axis=0))
    if start == "random":
        return rng.standard_normal((n, count))
    if start == "landmarks" or (wanted.sparse is not None and n > WHOLE):
        chosen = graph.choose_uniform(n, min(LANDMARKS, n), seed)
        places = _through_landmarks(_rows(wanted, chosen, seed), chosen, count, seed)
    elif points is not None and wanted.complete:
        places = _principal(points, count, seed)
    else:
        places = _classical(_rows(wanted, np.arange(n), seed), count, seed)
    return np.pad(places, ((0, 0), (0, count - places.shape[1])))


def check_start(start: Any, shape: tuple[int, int]) -> None:
    """Raise ValueError unless ``start`` is the name of a start or a configuration of this shape."""
    if isinstance(start, str):
        if start not in STARTS:
            raise ValueError(f"start must be an array or one of {', '.join(STARTS)}; got {start!r}")
        return
    places = np.asarray(start, dtype=np.float64)
    if places.shape != shape:
        raise ValueError(f"start must have shape {shape}, one row a point; got {places.shape}")
    if not np.isfinite(places).all():
        raise ValueError("start must be finite")
    if not np.ptp(places, axis=0).any():
        raise ValueError("start puts all points in one place, from where no direction leads down")


def has_empty_axis(places: Array) -> bool:
    """Tell whether all points have the same coordinate on some axis."""
    return bool(_empty_axes(places).any())


def lifted(places: Array, objective: Objective, rng: np.random.Generator) -> Array:
    """Return the configuration with a little noise on its empty axes, unless it is exact.

    Stress is level along an empty axis, so that a descent would never leave it.
    """
    if objective.slope(objective.scaled(places))[0] <= EXACT * objective.total:
        return places
    size = 1e-2 * float(np.sqrt(np.square(places).mean())) or 1.0
    return np.where(_empty_axes(places), size * rng.standard_normal(places.shape), places)


def _empty_axes(places: Array) -> Array:
    lengths = np.linalg.norm(places, axis=0)
    return np.asarray(lengths <= 1e-9 * lengths.max(initial=0.0))


def first_of_same(given: Any, *, table: bool) -> Array:
    """Return for each point the first that is the same: in its coordinates, or its row."""
    n = given.shape[0]
    first = np.arange(n)
    if not table:
        _, firsts, numbers = np.unique(given, axis=0, return_index=True, return_inverse=True)
        return np.asarray(firsts[numbers.reshape(-1)])
    if sp.issparse(given):  # a row does not list its own point, so that no two are the same
        return first
    ends, others = np.nonzero(given == 0.0)
    for i, j in zip(ends[ends < others], others[ends < others], strict=True):
        if first[j] == j and np.array_equal(given[i], given[j], equal_nan=True):
            first[j] = first[i]
    return first


def _rows(wanted: Wanted, chosen: Array, seed: int) -> Array:
    """Return the dissimilarities of chosen points to all, unknown ones by the shortest detour."""
    if wanted.sparse is not None:
        return paths.geodesic_distances(wanted.graph(), chosen)
    rows = wanted.table if len(chosen) == wanted.n_points else wanted.table[chosen]
    if wanted.complete:
        return rows
    relays = graph.choose_uniform(wanted.n_points, min(RELAYS, wanted.n_points), seed)
    filled = fill_gaps(rows, rows[:, relays], wanted.table[relays])
    if np.isinf(filled).any():
        ways = paths.geodesic_distances(wanted.graph(), relays)
        filled = fill_gaps(rows, ways[:, chosen].T, ways)
    return filled


def _classical(table: Array, count: int, seed: int) -> Array:
    claim(8 * table.size, "the classical start", "start='landmarks' needs no second table")
    similarity = np.square(table, dtype=np.float64)
    similarity *= -0.5
    spectrum = solve(problem.gram(similarity), min(count, len(table) - 1), seed=seed)
    return np.asarray(spectrum.vectors * np.sqrt(np.maximum(spectrum.values, 0.0)))


def _principal(points: Array, count: int, seed: int) -> Array:
    centred = points - points.mean(axis=0)
    spectrum = solve(problem.covariance(centred), min(count, *points.shape), seed=seed)
    return np.asarray(centred @ spectrum.vectors)


def _through_landmarks(rows: Array, chosen: Array, count: int, seed: int) -> Array:
    """Return classical scaling of the landmarks, and all points placed by their rows (m, n)."""
    similarity = -0.5 * np.square(rows, dtype=np.float64).T
    among = similarity[chosen]
    spectrum = solve(problem.gram(among), min(count, len(chosen) - 1), seed=seed)
    values = np.maximum(spectrum.values, 0.0)
    anchors = spectrum.vectors * np.sqrt(values)
    return extension.place(Centering.of(among).rows(similarity), anchors, values)
