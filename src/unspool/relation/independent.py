"""Which combinations of eigenvectors become coordinates: independent ones, or those of true angles.

On a long sheet the second smoothest function is not the width but the length again, bent: a
function of the first coordinate (Gerber, Tasdizen, Whitaker 2007). More vectors are therefore
solved for, and those are chosen that the chosen ones do not tell (Dsilva et al. 2018), everywhere
alike (Chen and Meila 2019). Where vectors of nearly equal eigenvalues have mixed, as lengths and
widths do on a sheet of 8 x 1, no single one will do, and a combination of them is chosen.

To keep angles, every neighbourhood i may be scaled by a factor s_i of its own. The program

    minimise  Σ_i Σ_jk ( |z_j - z_k|² - s_i |x_j - x_k|² )²   over  z = L y,  P = L'L,  tr(P) = 1

looks for the linear map L of the vectors y that is most nearly a similarity everywhere (Sha and
Saul 2005). For given P the best factors are known, and what is left is quadratic in P alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh, null_space
from scipy.optimize import minimize

from .. import distances, graph
from ..runtime import advise, stage
from ..spectrum import canonical_vectors, degenerate_groups
from ..values import Array, NeighborGraph
from .vector_combinations import half_vectorize, solve_combination

SOLVED = 10  # vectors for each coordinate: a sheet of 8 x 1 has its width at the 8th or 9th
POINTS = 10  # for each vector at least: fewer cannot tell what is a function of what
SAMPLED = 2_000  # points at which dependence is measured
LOCAL = 10  # neighbours for each coefficient of a local line: what the chosen ones tell
AROUND = 60  # points whose spread is compared from place to place
ORTHOGONAL = 10.0  # weight of slopes along the chosen coordinates, where the search starts
REPEATED = 0.25  # weight of what the chosen ones tell already
FLOOR = 0.1  # of the mean spread: less, at the tip of a corner, is no worse than that
ALIKE = 0.03  # of the logarithm of the score: a single vector this near to the best is as good
AS_THEY_ARE = 0.15  # the same for the next vector in order: sound maps are left alone
AT_ONCE = 2**21  # numbers of pairs by products of vectors that are held at a time
RIDGE = 1e-12  # of the mean: where the vectors keep angles exactly there is no curvature left
EQUAL = 100.0  # tolerances of a program: eigenvalues of its answer that differ by no more are equal
TOLD = 0.2  # of a coordinate's variance: with less of its own it tells next to nothing


@dataclass(frozen=True, slots=True)
class Mixture:
    """The vectors that were solved for, and what each coordinate takes of them.

    ``weights`` (n_vectors, n_coordinates) has orthonormal columns: a coordinate that is a single
    vector has a single 1.
    """

    eigenvalues: Array
    weights: Array

    @property
    def leading(self) -> Array:
        """The vector that counts most for each coordinate."""
        return np.asarray(np.abs(self.weights).argmax(axis=0))

    def values(self) -> Array:
        """Return the eigenvalue of each coordinate, the mean of those it is mixed of."""
        return np.asarray(np.square(self.weights).T @ self.eigenvalues)


def n_vectors(n_points: int, n_coordinates: int) -> int:
    """Return how many vectors are solved for, to choose so many coordinates from."""
    return max(n_coordinates, min(SOLVED * n_coordinates, n_points // POINTS))


def unexplained(known: Array, columns: Array, seed: int = 0) -> Array:
    """Return the share of each column's variance that is no function of the known coordinates.

    Every point is predicted by a line through its neighbours by the known coordinates, itself left
    out.

    Parameters
    ----------
    known : ndarray of shape (n_samples, n_known)
        Coordinates.
    columns : ndarray of shape (n_samples, n_columns)
        What may be functions of them.
    seed : int, default=0
        Seed of the sample of points, where there are more than 2,000.

    Returns
    -------
    ndarray of shape (n_columns,)
        0 for a function of the known ones, about 1 for what they tell nothing of.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool.relation import unexplained
    >>> x = np.linspace(-1.0, 1.0, 400)
    >>> unexplained(x[:, None], np.column_stack([x**2, np.arange(400) % 2])).round(1)
    array([0., 1.])
    """
    at = _sample(len(known), seed)
    left = _residuals(known, columns, at)
    return np.asarray(np.square(left).mean(axis=0) / _variances(columns))


def choose_independent(
    vectors: Array, eigenvalues: Array, neighbors: NeighborGraph, n_coordinates: int, seed: int
) -> Mixture:
    """Choose coordinates among the vectors, one after the other; the first is the first vector.

    Each next one has most variance that the chosen ones do not tell, in the geometric mean over all
    places, for its Dirichlet energy on the neighbour graph. A single vector is preferred to a
    combination that is hardly better.
    """
    widths = np.sqrt(_variances(vectors))
    scaled, at = vectors / widths, _sample(len(vectors), seed)
    weights = np.zeros((vectors.shape[1], n_coordinates))
    weights[0, 0] = 1.0
    own = np.ones(n_coordinates)
    with stage("independence", total=n_coordinates) as running:
        slopes = _slopes(scaled, neighbors, at)
        for number in range(1, n_coordinates):
            running.advance(1)
            found = _next(scaled, at, slopes, weights[:, :number] * widths[:, None], widths)
            weights[:, number] = found
            told = unexplained(vectors @ weights[:, :number], vectors @ found[:, None], seed)
            own[number] = min(1.0, float(told[0]))
        mixture = Mixture(eigenvalues, weights)
        running.note(
            solved=vectors.shape[1],
            selected=[int(number) + 1 for number in mixture.leading],
            mixed=int((np.abs(weights).max(axis=0) < 1.0).sum()),
            own=[round(float(share), 2) for share in own],
        )
    repeated = [str(number + 1) for number in np.flatnonzero(own < TOLD)]
    if repeated:
        advise(
            f"coordinate {', '.join(repeated)} is nearly a function of those before it, and so are "
            f"all {vectors.shape[1]} vectors: n_components={n_coordinates - len(repeated)} tells "
            "the same"
        )
    return mixture


def _sample(n_points: int, seed: int) -> Array:
    return graph.choose_uniform(n_points, min(SAMPLED, n_points), seed)


def _variances(columns: Array) -> Array:
    found = columns.var(axis=0)
    return np.where(found > 0.0, found, 1.0)


def _next(vectors: Array, at: Array, slopes: Array, chosen: Array, widths: Array) -> Array:
    """Return the weights of the next coordinate, orthogonal to the chosen ones.

    ``vectors`` have variance 1, and their weights are those of the given ones times ``widths``.
    """
    known = vectors @ chosen
    left = _residuals(known, vectors, at)
    told = (vectors[at] - vectors.mean(axis=0)) - left
    spreads = _spreads(known, left, at)
    energy = slopes.mean(axis=0)
    energy += 1e-9 * np.trace(energy) * np.eye(len(energy))
    free = null_space((chosen / np.square(widths)[:, None]).T)
    start = _least_along(free, left, energy, _along(slopes, chosen))
    own, cost = float(np.square(left @ start).mean()), float(start @ energy @ start)
    energy = energy + REPEATED * cost / own * (told.T @ told) / len(at)
    score = _Score(spreads, energy)
    best = score.climb(free, start)
    singles = np.eye(len(energy))
    scores = np.array([score(single)[0] for single in singles])
    scores[np.abs(chosen).max(axis=1) > 0.0] = -np.inf  # not orthogonal to those chosen
    margins = np.full(len(scores), ALIKE)
    margins[np.argmax(scores > -np.inf)] = AS_THEY_ARE
    near = np.flatnonzero(scores > score(best)[0] - margins)
    weights = singles[near[0]] if len(near) else best
    weights = weights / widths
    weights = weights / np.linalg.norm(weights)
    return np.asarray(weights * np.sign(weights[np.abs(weights).argmax()]))


@dataclass(frozen=True, slots=True)
class _Score:
    """Mean logarithm of what is new at each place, less that of the energy it takes."""

    spreads: Array
    energy: Array

    def __call__(self, weights: Array) -> tuple[float, Array]:
        pulled = self.spreads @ weights
        new, mean = pulled @ weights, self.spreads.mean(axis=0) @ weights
        held = np.maximum(new, 0.0) + FLOOR * float(mean @ weights) + 1e-300
        cost = self.energy @ weights
        value = float(np.log(held).mean() - np.log(weights @ cost))
        gain = (pulled / held[:, None]).mean(axis=0) + FLOOR * (1.0 / held).mean() * mean
        return value, 2.0 * (gain - cost / (weights @ cost))

    def climb(self, free: Array, start: Array) -> Array:
        """Return the best weights among the combinations of ``free``."""

        def falling(inner: Array) -> tuple[float, Array]:
            value, slope = self(free @ inner)
            return -value, -(free.T @ slope)

        inner = free.T @ start
        found = minimize(falling, inner / np.linalg.norm(inner), jac=True, method="L-BFGS-B")
        return np.asarray(free @ found.x)


def _least_along(free: Array, left: Array, energy: Array, along: Array) -> Array:
    """Return the combination with most variance of its own and least slope along the chosen."""
    own = free.T @ (left.T @ left / len(left)) @ free
    cost = free.T @ (energy + ORTHOGONAL * along) @ free
    _, found = eigh(own, cost, subset_by_index=[len(own) - 1, len(own) - 1])
    return np.asarray(free @ found[:, 0])


def _slopes(vectors: Array, neighbors: NeighborGraph, at: Array) -> Array:
    """Return for each point the products of the vectors' differences to its neighbours, mean.

    They are the inner products of gradients, up to the local density (Perrault-Joncas and Meila
    2013).
    """
    table = np.empty((len(at), vectors.shape[1], vectors.shape[1]))
    for row, point in enumerate(at):
        around = neighbors.neighbors[neighbors.starts[point] : neighbors.starts[point + 1]]
        steps = vectors[around] - vectors[point]
        table[row] = steps.T @ steps / max(1, len(around))
    return table


def _along(slopes: Array, chosen: Array) -> Array:
    """Return the mean products of slopes along the gradients of the chosen coordinates."""
    across = slopes @ chosen
    gram = np.einsum("ki,nkj->nij", chosen, across)
    ridge = 1e-3 * float(np.trace(gram, axis1=1, axis2=2).mean())
    gram += ridge * np.eye(chosen.shape[1])
    return np.asarray(np.einsum("nki,nij,nlj->kl", across, np.linalg.inv(gram), across) / len(gram))


def _residuals(known: Array, columns: Array, at: Array) -> Array:
    """Return what is left of the columns at some points after a line through the others near by."""
    places = known / np.sqrt(_variances(known))
    width = places.shape[1] + 1
    count = min(LOCAL * width + 1, len(places))
    seen = distances.find_query_neighbors(distances.build_index(places), places[at], count)
    left = np.empty((len(at), columns.shape[1]))
    for rows, around, gaps in seen.by_count(1024):
        point = at[rows]
        reach = np.maximum(gaps.max(axis=1, keepdims=True), 1e-300) * 1.001
        trust = np.where(around == point[:, None], 0.0, (1.0 - (gaps / reach) ** 3) ** 3)
        offsets = (places[around] - places[point][:, None]) / reach[:, :, None]
        design = np.concatenate([np.ones((*gaps.shape, 1)), offsets], axis=2)
        weighted = design * trust[:, :, None]
        normal = np.einsum("bki,bkj->bij", design, weighted) + 1e-9 * np.eye(width)
        shares = np.einsum("bki,bi->bk", weighted, np.linalg.inv(normal)[:, :, 0])
        left[rows] = columns[point] - np.einsum("bk,bkm->bm", shares, columns[around])
    return left


def _spreads(known: Array, left: Array, at: Array) -> Array:
    """Return the mean products of what is left, among the points near each by the known ones."""
    places = (known / np.sqrt(_variances(known)))[at]
    count = min(AROUND, len(places))
    seen = distances.find_query_neighbors(distances.build_index(places), places, count)
    around = seen.neighbors.reshape(len(places), count)[:: max(1, len(places) // 400)]
    return np.stack([left[near].T @ left[near] / count for near in around])


@dataclass(frozen=True, slots=True)
class ConformalMap:
    """How much of each vector the coordinates take, and the spectrum of P, which sums to one.

    ``weights`` (n_vectors, n_vectors) holds a coordinate per column, most variance first;
    ``misfit`` is the share of the squared distances that no similarity explains.
    """

    values: Array
    weights: Array
    misfit: float
    steps: int


def keep_angles(
    vectors: Array, neighborhoods: Iterable[tuple[Array, Array]], tolerance: float, max_steps: int
) -> ConformalMap:
    """Return the combination of vectors that keeps the angles within neighbourhoods best.

    Parameters
    ----------
    vectors : ndarray of shape (n_points, n_vectors)
        What is combined, each of unit variance.
    neighborhoods : iterable of pairs of ndarray
        Batches of neighbourhoods: the points of each (b, m), and their squared distances
        (b, m, m).
    tolerance : float
        Relative gap at which the program is solved.
    max_steps : int
        Steps of the interior-point method.

    Returns
    -------
    ConformalMap
        The combination.
    """
    size = vectors.shape[1]
    quadratic = np.zeros((size * (size + 1) // 2,) * 2)
    whole = np.zeros_like(quadratic)
    for points, squared in neighborhoods:
        left, right = np.triu_indices(points.shape[1], 1)
        chunk = max(1, AT_ONCE // (len(left) * size**2))
        for start in range(0, len(points), chunk):
            rows = points[start : start + chunk]
            steps = vectors[rows[:, left]] - vectors[rows[:, right]]
            products = half_vectorize(steps[..., :, None] * steps[..., None, :])
            lengths = squared[start : start + chunk, left, right]
            added, taken = _misfit(products, lengths)
            quadratic += added - taken
            whole += added
    mean = float(np.trace(whole)) / len(whole)
    quadratic[np.diag_indices_from(quadratic)] += RIDGE * mean
    nothing = np.zeros(len(quadratic))
    found = solve_combination(
        quadratic, nothing, unit_trace=True, tolerance=tolerance, max_steps=max_steps
    )
    matrix = found.state
    values, axes = _principal(matrix, EQUAL * tolerance)
    flat = half_vectorize(matrix)
    misfit = float(flat @ quadratic @ flat) / max(float(flat @ whole @ flat), 1e-300)
    return ConformalMap(values, axes * np.sqrt(values), misfit, found.steps)


def _principal(matrix: Array, tolerance: float) -> tuple[Array, Array]:
    """Return eigenvalues, largest first, and axes, by one rule where values differ by no more.

    Two axes of a circle are equal but for what the program leaves: rounding would turn the map.
    """
    values, axes = eigh(matrix)
    values, axes = np.maximum(values[::-1], 0.0), axes[:, ::-1]
    groups = degenerate_groups(values, tolerance)
    for group in groups:
        values[group] = values[group].mean()
    return values, canonical_vectors(axes, groups, len(values))


def _misfit(products: Array, lengths: Array) -> tuple[Array, Array]:
    """Return the squares of all products, and what scaled squared distances explain of them."""
    flat = products.reshape(-1, products.shape[-1])
    along = np.einsum("bp,bpf->bf", lengths, products)
    norms = np.sqrt(np.maximum(np.square(lengths).sum(axis=1), 1e-300))[:, None]
    explained = along / norms
    return flat.T @ flat, explained.T @ explained
