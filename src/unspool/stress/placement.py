"""Where points are placed: where a descent of stress begins, and query points on a fixed map.

A descent begins at classical scaling, landmarks, random places, or given ones. Query points that
were fitted are recognized; each other one is placed by the stress of its own dissimilarities alone,
so that batches do not matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import graph, problem
from ..relation import place_roughly
from ..runtime import claim, run_strips, stage
from ..spectrum import solve
from ..values import Array
from .dissimilarities import Dissimilarities
from .raw_stress import Stress
from .tables import are_numbers, dense_with_gaps

NAMES = ("classical", "landmarks", "random")
LANDMARKS = 100
WIDE = 600  # columns, from which on decomposing X'X takes longer than a few products with it
CENTERED = 1 << 20  # entries of points that are centred at a time
FAINT = 1e-6  # of the largest eigenvalue
EXACT = 1e-12  # of sum w delta^2: a configuration with less stress is left as it is
PLACED_AT_ONCE = 1024  # query points placed between two looks at who wants to cancel, at most
DISTANCES_AT_ONCE = 2**21  # of them to the fitted points: about a second
ROWS_PER_CALL = 64  # query points that a thread places at a time
NEAREST = 3  # fitted points to descend from, beside the classical position


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
    mean = points.mean(axis=0, dtype=np.float64)
    axes = _principal_axes(points, mean, min(n_components, *points.shape), seed)
    placed = [block @ axes for block in _centered(points, mean)]
    return _padded(np.concatenate(placed), n_components)


def _principal_axes(points: Array, mean: Array, count: int, seed: int) -> Array:
    """Return the principal axes: of wide tables by products with X'X, as good as a start needs."""
    n, width = points.shape
    if WIDE <= width <= n:
        products = sum(block.T @ block for block in _centered(points, mean))
        squares = solve(problem.gram(np.asarray(products), centered=False), count, seed=seed)
        if squares.values[-1] > FAINT * squares.values[0]:  # else squares have lost its digits
            return squares.vectors
    return solve(problem.covariance(points - mean), count, seed=seed).vectors


def _centered(points: Array, mean: Array) -> Iterator[Array]:
    """Yield the points less their mean in float64, some at a time."""
    step = max(1, CENTERED // points.shape[1])
    for first in range(0, len(points), step):
        yield points[first : first + step] - mean


def check_start(start: Any, shape: tuple[int, int]) -> None:
    """Raise ValueError unless ``start`` is the name of a start or a configuration of this shape."""
    if isinstance(start, str):
        if start not in NAMES:
            raise ValueError(f"start must be an array or one of {', '.join(NAMES)}; got {start!r}")
        return
    if not are_numbers(start):
        raise ValueError(f"start must be a name, or numbers, of shape {shape}; got {start!r:.60}")
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


def rows_with_gaps(rows: Any) -> Array:
    """Return rows of dissimilarities as a dense table, NaN where nothing is known."""
    if sp.issparse(rows):
        rows = dense_with_gaps(rows)
    unseen = np.isnan(rows).all(axis=1)
    if unseen.any():
        raise ValueError(
            f"row {int(unseen.argmax())} has no known dissimilarity to any fitted point, so it has "
            "no place"
        )
    return np.asarray(rows)


class KnownPoints:
    """The fitted points, by which query points are recognized."""

    def __init__(self, fitted: Array) -> None:
        numbered = reversed(list(enumerate(fitted + 0.0)))  # of equal points the first remains
        self._numbers = {point.tobytes(): number for number, point in numbered}

    def match(self, points: Array, distances: Array) -> Array:
        """Return the fitted point that each query point is, or is at distance zero from, or -1.

        The point itself is looked for first: some metrics round its distance to above zero
        (cosine).
        """
        same = np.array([self._numbers.get(point.tobytes(), -1) for point in points + 0.0])
        nearest = distances.argmin(axis=1)
        least = np.take_along_axis(distances, nearest[:, None], axis=1)[:, 0]
        return np.where(same >= 0, same, np.where(least == 0.0, nearest, -1))


def match_rows(rows: Any, table: Any) -> Array:
    """Return which row of the fitted table each row is, or a point that it coincides with, or -1.

    The row itself is looked for first: several points may be at dissimilarity zero and yet differ.
    """
    touching = rows_with_gaps(rows) == 0.0
    beside = np.where(touching.any(axis=1), touching.argmax(axis=1), -1)
    if sp.issparse(rows) and sp.issparse(table):  # a row does not list its own point
        keys = {key: point for point, key in reversed(list(enumerate(_row_keys(table))))}
        same = np.array([keys.get(key, -1) for key in _row_keys(rows)])
        return np.where(same >= 0, same, beside)
    if not sp.issparse(rows) and not sp.issparse(table):
        for row in np.flatnonzero(touching.sum(axis=1) > 1):
            for point in np.flatnonzero(touching[row]):
                if np.array_equal(rows[row], table[point], equal_nan=True):
                    beside[row] = point
                    break
    return beside


def _row_keys(table: Any) -> Iterator[tuple[bytes, bytes]]:
    table = sp.csr_array(table).sorted_indices()
    columns = table.indices.astype(np.int64)
    for begin, end in pairwise(table.indptr):
        yield columns[begin:end].tobytes(), table.data[begin:end].tobytes()


def place_by_stress(rows: Array, weights: Array, configuration: Array) -> Array:
    """Return where each row of dissimilarities to the points of a configuration fits best.

    Newton's steps lead from the position of the nearest point to a minimum of
    sum_j w_j (|y - x_j| - delta_j)^2. Those from the next nearest and from the classical position
    count only where they lead lower by a tenth: a point that is beside a known one should stay
    there, though this be but a local minimum. Entries that are NaN do not count. Rows do not know
    of each other.
    """
    from .placement_kernels import place_rows

    answer = np.empty((len(rows), configuration.shape[1]))
    fixed = np.ascontiguousarray(configuration, dtype=np.float64)
    columns, unit = np.ascontiguousarray(fixed.T), float(np.abs(fixed).max(initial=0.0)) or 1.0
    columns32 = (columns / unit).astype(np.float32)

    def work(first: int, strip: slice) -> None:
        part = slice(first + strip.start, first + strip.stop)
        known = ~np.isnan(rows[part])
        row, weight = np.where(known, rows[part], 0.0), np.where(known, weights[part], 0.0)
        nearest = _nearest(rows[part])
        classical = _classical_positions(row, weight, fixed)
        initial = np.concatenate([fixed[nearest], classical[:, None]], axis=1)
        with np.errstate(over="ignore"):  # lengths too long for it are told by an infinite stress
            single = (row / unit).astype(np.float32), _shares(weight).astype(np.float32), columns32
        place_rows(row, weight, columns, single, unit, initial, answer[part])

    with stage("placing", total=len(rows)) as running:
        step = max(1, min(PLACED_AT_ONCE, DISTANCES_AT_ONCE // len(fixed)))
        for first in range(0, len(rows), step):
            size = min(step, len(rows) - first)
            run_strips(partial(work, first), size, ROWS_PER_CALL)
            running.advance(size)
    return answer


def nearest_two(rows: Array) -> Array:
    """Return the columns of the two least entries of each row, in order; NaN goes last."""
    answer = np.empty((len(rows), min(2, rows.shape[1])), np.intp)

    def work(strip: slice) -> None:
        answer[strip] = _nearest(rows[strip], 2)

    run_strips(work, len(rows), ROWS_PER_CALL)
    return answer


def _nearest(rows: Array, count: int = NEAREST) -> Array:
    """Return the columns of the least entries of each row, in order; NaN goes last."""
    from .placement_kernels import find_least

    found = np.empty((len(rows), min(count, rows.shape[1])), np.intp)
    find_least(np.ascontiguousarray(rows, dtype=np.float64), found)
    return found


def _shares(weights: Array) -> Array:
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _classical_positions(rows: Array, weights: Array, configuration: Array) -> Array:
    """Return where squares put points: 2 (x_j - c) y = |x_j - c|^2 - delta_j^2, less its mean."""
    if (weights == weights.flat[0]).all():
        return _classical_positions_alike(rows, configuration)
    shares = _shares(weights)
    centers = np.einsum("rj,jk->rk", shares, configuration)
    squares = np.einsum("jk,jk->j", configuration, configuration)
    excess = squares - 2.0 * np.einsum("rk,jk->rj", centers, configuration) - rows**2
    excess -= np.einsum("rj,rj->r", shares, excess)[:, None]
    products = configuration[:, :, None] * configuration[:, None, :]
    spread = np.einsum("rj,jkm->rkm", shares, products) - centers[:, :, None] * centers[:, None, :]
    side = 0.5 * np.einsum("rj,jk->rk", shares * excess, configuration)
    inverse = np.linalg.pinv(spread, hermitian=True)
    return np.asarray(centers + np.einsum("rkm,rm->rk", inverse, side))


def _classical_positions_alike(rows: Array, configuration: Array) -> Array:
    """Return the same where all weigh the same: center and spread are those of all points."""
    center = configuration.mean(axis=0)
    moved = configuration - center
    excess = np.einsum("jk,jk->j", moved, moved) - rows**2
    spread = np.einsum("jk,jm->km", moved, moved)
    side = 0.5 * np.einsum("rj,jk->rk", excess, moved)  # whose columns sum to zero
    inverse = np.linalg.pinv(spread, hermitian=True)
    return np.asarray(center + np.einsum("km,rm->rk", inverse, side))
