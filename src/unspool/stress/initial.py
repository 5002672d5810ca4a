"""Initial configurations of a descent of stress: classical scaling, landmarks, random, or given."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import graph, problem
from ..relation import place_roughly
from ..runtime import claim
from ..spectrum import solve
from ..values import Array
from .dissimilarities import Dissimilarities
from .raw_stress import Stress

NAMES = ("classical", "landmarks", "random")
LANDMARKS = 100
WIDE = 600  # columns, from which on decomposing X'X takes longer than a few products with it
FAINT = 1e-6  # of the largest eigenvalue
EXACT = 1e-12  # of sum w delta^2: a configuration with less stress is left as it is


def initial_configuration(
    start: Any, known: Dissimilarities, n_components: int, rng: np.random.Generator
) -> Array:
    """Return the configuration (n, n_components) that ``start`` names or is."""
    n, seed = known.n_points, int(rng.integers(2**31))
    if not isinstance(start, str):
        given = np.asarray(start, dtype=np.float64)
        return np.asarray(given - given.mean(axis=0))
    if start == "random":
        return rng.standard_normal((n, n_components))
    if start == "landmarks" or not known.all_rows_are_cheap:
        chosen = graph.choose_uniform(n, min(LANDMARKS, n), seed)
        configuration = _scale_through_landmarks(
            known.rows(chosen, seed), chosen, n_components, seed
        )
    else:
        configuration = _scale_classically(known.rows(np.arange(n), seed), n_components, seed)
    return _padded(configuration, n_components)


def principal_configuration(points: Array, n_components: int, rng: np.random.Generator) -> Array:
    """Return the classical scaling of Euclidean distances: PCA of the points, without a table."""
    seed = int(rng.integers(2**31))
    centered = points - points.mean(axis=0)
    axes = _principal_axes(centered, min(n_components, *points.shape), seed)
    return _padded(np.asarray(centered @ axes), n_components)


def _principal_axes(centered: Array, count: int, seed: int) -> Array:
    """Return the principal axes: of wide tables by products with X'X, as good as a start needs."""
    n, width = centered.shape
    if WIDE <= width <= n:
        squares = solve(problem.gram(centered.T @ centered, centered=False), count, seed=seed)
        if squares.values[-1] > FAINT * squares.values[0]:  # else squares have lost its digits
            return squares.vectors
    return solve(problem.covariance(centered), count, seed=seed).vectors


def check_start(start: Any, shape: tuple[int, int]) -> None:
    """Raise ValueError unless ``start`` is the name of a start or a configuration of this shape."""
    if isinstance(start, str):
        if start not in NAMES:
            raise ValueError(f"start must be an array or one of {', '.join(NAMES)}; got {start!r}")
        return
    given = np.asarray(start, dtype=np.float64)
    if given.shape != shape:
        raise ValueError(f"start must have shape {shape}, one row per point; got {given.shape}")
    if not np.isfinite(given).all():
        raise ValueError("start must be finite")
    if not np.ptp(given, axis=0).any():
        raise ValueError("start puts all points in one place, from where no direction leads down")


def perturb_empty_axes(configuration: Array, stress: Stress, rng: np.random.Generator) -> Array:
    """Return the configuration with a little noise on its empty axes, unless it is exact.

    Stress is level along an axis on which all points have the same coordinate, so that a descent
    would never leave it.
    """
    lengths = np.linalg.norm(configuration, axis=0)
    empty = lengths <= 1e-9 * lengths.max(initial=0.0)
    if not empty.any():
        return configuration
    if stress.loss_and_gradient(stress.rescale(configuration))[0] <= EXACT * stress.total:
        return configuration
    size = 1e-2 * float(np.sqrt(np.square(configuration).mean())) or 1.0
    return np.where(empty, size * rng.standard_normal(configuration.shape), configuration)


def first_of_equal_points(points: Array) -> Array:
    """Return for each point the first that has the same coordinates."""
    numbers: dict[bytes, int] = {}
    keys = ((point + 0.0).tobytes() for point in points)  # -0.0 is 0.0
    return np.array([numbers.setdefault(key, number) for number, key in enumerate(keys)])


def first_of_equal_rows(table: Any) -> Array:
    """Return for each row of a table of dissimilarities the first that is the same."""
    first = np.arange(table.shape[0])
    if sp.issparse(table):  # a row does not list its own point, so that no two are the same
        return first
    ends, others = np.nonzero(table == 0.0)
    for i, j in zip(ends[ends < others], others[ends < others], strict=True):
        if first[j] == j and np.array_equal(table[i], table[j], equal_nan=True):
            first[j] = first[i]
    return first


def _scale_classically(table: Array, n_components: int, seed: int) -> Array:
    claim(8 * table.size, "the classical start", "start='landmarks' needs no second table")
    similarity = np.square(table, dtype=np.float64)
    similarity *= -0.5
    spectrum = solve(problem.gram(similarity), min(n_components, len(table) - 1), seed=seed)
    return np.asarray(spectrum.vectors * np.sqrt(np.maximum(spectrum.values, 0.0)))


def _scale_through_landmarks(rows: Array, chosen: Array, n_components: int, seed: int) -> Array:
    """Return classical scaling of the landmarks, and all points placed by their rows (m, n)."""
    similarities = -0.5 * np.square(rows, dtype=np.float64).T
    return place_roughly(similarities, chosen, n_components, seed)


def _padded(configuration: Array, n_components: int) -> Array:
    return np.pad(configuration, ((0, 0), (0, n_components - configuration.shape[1])))
