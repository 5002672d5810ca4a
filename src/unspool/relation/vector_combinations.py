"""Combinations of known vectors: a small psd matrix P says how much of each pair of them is taken.

With m vectors Q the kernel matrix is Q P Q', and what is asked of squared distances is a quadratic
function of the m (m + 1) / 2 entries of P, whatever the number of points. The program

    minimise  p'A p / 2 - b'p  where  P psd, and tr(P) = 1 if so asked

is solved by a primal-dual interior-point method whose Newton system is as small. Weinberger, Sha,
Zhu and Saul (2007) and Sha and Saul (2005) state it with a Schur complement; this is the same
program without that detour.

For the largest variance of many points Q are the bottom eigenvectors of the Laplacian or of LLE:
distances between neighbours are kept in the sense of least squares, with a share of the variance as
reward (Weinberger, Sha, Zhu, Saul 2007). Descent on the coordinates of all points then keeps the
bounds ever more closely (augmented Lagrangian; Burer and Monteiro 2003).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import lu_factor, lu_solve

from ..optimize import Outcome, iterate, minimize, repeat
from ..runtime import limit_blas_threads
from ..values import Array
from .maximum_variance import DistanceBounds, Unfolding

INSIDE = 0.95  # of the step to the border of the cone
SHORTER = 0.9  # of a step that led out of it
TRIALS = 200  # steps tried: 0.9^200 is nothing

STIFFNESS = 3.0  # of the bounds at first: little, so that folds come out before they are held fast
SHARE = 1e-4  # of the largest variance: axes with less than that are not refined
AXES = 4  # that are refined at least: a fold comes out through a further dimension
REWARDED = 50.0  # times the variance: errors of all pairs that count as much as it does
BLOCK = 4_096  # pairs whose products of vectors are held at a time
ROUND = 60  # steps of descent before multipliers are renewed
STIFFER = 2.0  # times as stiff in the next round
SHIFT = 10.0  # of the loss, which is negative, so that shares of it are shares of something
PRECISE = 1e-7  # share of the loss that a step of descent must still change
LOWEST = 0.015  # of 2: waves that are longer are stretched as those are
STRETCH = np.polynomial.Chebyshev.interpolate(lambda x: (1.0 + x + LOWEST) ** -0.5, 20).coef


def half_vectorize(tables: Array) -> Array:
    """Return symmetric tables (..., m, m) as vectors whose products are those of the tables.

    Parameters
    ----------
    tables : ndarray of shape (..., m, m)
        Symmetric tables.

    Returns
    -------
    ndarray of shape (..., m * (m + 1) / 2)
        Their entries on and above the diagonal, the latter times sqrt(2).

    Examples
    --------
    >>> import numpy as np
    >>> from unspool.relation import half_vectorize
    >>> half_vectorize(np.array([[1.0, 0.0], [0.0, 2.0]]))
    array([1., 0., 2.])
    """
    rows, columns, factors = _triangle(tables.shape[-1])
    return np.asarray(tables[..., rows, columns] * factors)


@lru_cache(maxsize=8)
def _triangle(size: int) -> tuple[Array, Array, Array]:
    """Return the places on and above the diagonal, and what their entries are multiplied by."""
    rows, columns = np.triu_indices(size)
    return rows, columns, np.where(rows == columns, 1.0, np.sqrt(2.0))


def _as_table(vector: Array, size: int) -> Array:
    rows, columns, factors = _triangle(size)
    table = np.empty((size, size))
    table[rows, columns] = table[columns, rows] = vector / factors
    return table


@dataclass(frozen=True, slots=True)
class _Iterate:
    """P, its dual matrix, and the multiplier of the trace."""

    matrix: Array
    dual: Array
    multiplier: float


def solve_combination(
    quadratic: Array, linear: Array, *, unit_trace: bool, tolerance: float, max_steps: int
) -> Outcome[Array]:
    """Return the psd matrix P of least p'A p / 2 - b'p, with p the half-vectorized P.

    Parameters
    ----------
    quadratic : ndarray of shape (m * (m + 1) / 2, m * (m + 1) / 2)
        A, symmetric and psd.
    linear : ndarray of shape (m * (m + 1) / 2,)
        b.
    unit_trace : bool
        Whether tr(P) = 1; else A must be regular.
    tolerance : float
        The gap to the dual program, relative to the value.
    max_steps : int
        Steps of the interior-point method.

    Returns
    -------
    Outcome
        P, of shape (m, m), as its state, and how the gap fell.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool.relation import half_vectorize, solve_combination
    >>> wanted = half_vectorize(np.diag([2.0, -1.0]))
    >>> options = {"tolerance": 1e-9, "max_steps": 100}
    >>> found = solve_combination(np.eye(3), wanted, unit_trace=False, **options)
    >>> np.abs(found.state).round(4)
    array([[2., 0.],
           [0., 0.]])
    """
    size = int((np.sqrt(8 * len(linear) + 1) - 1) / 2)
    # in other units the entries of A are near 1, and so are those of the answer
    height = float(np.trace(quadratic)) / len(quadratic) or 1.0
    width = 1.0 if unit_trace else max(float(np.abs(linear).max()) / height, 1e-300)
    program = _Program(quadratic / height, linear / (height * width), unit_trace)
    initial = program.initial(size)

    def step(state: _Iterate) -> tuple[_Iterate, float]:
        after = program.step(state)
        return after, program.loss(after)

    def converged(losses: Sequence[float]) -> bool:
        return losses[-1] <= tolerance or losses[-1] == losses[-2]

    with limit_blas_threads():
        found = iterate(
            initial,
            program.loss(initial),
            step,
            converged,
            name="combination",
            max_steps=max_steps,
        )
    return Outcome(width * found.state.matrix, found.losses, found.converged)


@dataclass(frozen=True, slots=True)
class _Program:
    quadratic: Array
    linear: Array
    unit_trace: bool

    def initial(self, size: int) -> _Iterate:
        """Return a multiple of the identity on both sides."""
        return _Iterate(np.eye(size) / size, np.eye(size), 0.0)

    def _residual(self, state: _Iterate) -> Array:
        """Return what is left of A p - b - y tr = S, half-vectorized."""
        size = len(state.matrix)
        slope = self.quadratic @ half_vectorize(state.matrix) - self.linear
        shifted = state.dual + state.multiplier * np.eye(size)
        return np.asarray(slope - half_vectorize(shifted))

    def loss(self, state: _Iterate) -> float:
        """Return the largest of gap and residuals, relative to the sizes of what they are of."""
        matrix = half_vectorize(state.matrix)
        scale = abs(float(matrix @ self.quadratic @ matrix)) + abs(float(self.linear @ matrix))
        gap = float(np.sum(state.matrix * state.dual)) / max(scale, 1e-300)
        left = float(np.abs(self._residual(state)).max() * np.trace(state.matrix))
        trace = abs(float(np.trace(state.matrix)) - 1.0) if self.unit_trace else 0.0
        return max(gap, left / max(scale, 1e-300), trace)

    def step(self, state: _Iterate) -> _Iterate:
        """Return the next iterate, or the same one where rounding leaves no step."""
        size = len(state.matrix)
        level = float(np.sum(state.matrix * state.dual)) / size
        inverse = np.linalg.inv(state.matrix)
        scaling = _half_kronecker(inverse, state.dual)
        trace = half_vectorize(np.eye(size))
        system = self.quadratic + scaling
        if self.unit_trace:
            system = np.block([[system, -trace[:, None]], [trace[None], np.zeros((1, 1))]])
        factor = lu_factor(system, check_finite=False)

        def direction(target: float, curved: Array) -> tuple[Array, Array, float]:
            aimed = half_vectorize(target * inverse - state.dual - curved)
            rest = aimed - self._residual(state)
            if self.unit_trace:
                rest = np.append(rest, 1.0 - np.trace(state.matrix))
            found = lu_solve(factor, rest, check_finite=False)
            change, raised = found[: len(trace)], float(found[-1]) if self.unit_trace else 0.0
            dual = aimed - scaling @ change
            return _as_table(change, size), _as_table(dual, size), raised

        matrix, dual, _ = direction(0.0, np.zeros((size, size)))
        curved = inverse @ matrix @ dual
        reach = min(_reach(state.matrix, matrix, 1.0), _reach(state.dual, dual, 1.0))
        target = level * max(1.0 - reach, 1e-3) ** 2
        matrix, dual, raised = direction(target, 0.5 * (curved + curved.T))
        along = min(_reach(state.matrix, matrix, INSIDE), _reach(state.dual, dual, INSIDE))
        return _Iterate(
            state.matrix + along * matrix,
            state.dual + along * dual,
            state.multiplier + along * raised,
        )


def _half_kronecker(first: Array, second: Array) -> Array:
    """Return the matrix of D -> (first D second + second D first) / 2 on half vectors."""
    size = len(first)
    i, j, factors = _triangle(size)
    root = factors * np.sqrt(0.5)  # of what counts once, not twice
    total = np.zeros((len(i), len(i)))
    for one, two in ((first, second), (second, first)):
        ahead, behind = one[i], two[j]  # the other two products are these with ends exchanged
        total += ahead[:, i] * behind[:, j] + ahead[:, j] * behind[:, i]
    return np.asarray(0.5 * total * root[:, None] * root[None, :])


def _reach(matrix: Array, change: Array, share: float) -> float:
    """Return a step, at most 1; one longer by ``1 / share`` leaves the matrix positive definite."""
    along = 1.0
    for _ in range(TRIALS):
        try:
            np.linalg.cholesky(matrix + along / share * change)
        except np.linalg.LinAlgError:
            along *= SHORTER
        else:
            return along
    return 0.0


def unfold_smoothly(
    bounds: DistanceBounds,
    vectors: Array,
    masses: Array,
    tolerance: float,
    max_steps: int,
    most: int = AXES,
    stiffness: float = STIFFNESS,
) -> Unfolding:
    """Return nearly the coordinates of largest variance that keep the bounds.

    Parameters
    ----------
    bounds : DistanceBounds
        Bounds of squared distances between neighbours.
    vectors : ndarray of shape (n_points, n_vectors)
        Bottom eigenvectors of the graph Laplacian, without the constant one.
    masses : ndarray of shape (n_points,)
        How often each point counts.
    tolerance : float
        Share of a squared distance by which its bounds may be overstepped, in the root mean square.
    max_steps : int
        Steps of descent, in all.
    most : int, default=4
        Coordinates that are refined at most, at least 4.
    stiffness : float, default=3
        Weight of the bounds in the first round; large where the vectors are nearly the answer.

    Returns
    -------
    Unfolding
        The coordinates; nothing bounds what others could gain, so that there is no gap.
    """
    masses = masses / masses.mean()
    start = combine_vectors(bounds, vectors, masses, max_steps, max(most, AXES))
    smooth = _SmoothSteps.of(bounds, vectors)
    return _refine(bounds, start, masses, smooth, tolerance, max_steps, stiffness)


def combine_vectors(
    bounds: DistanceBounds, vectors: Array, masses: Array, max_steps: int, most: int = AXES
) -> Array:
    """Return the combinations of vectors that best keep distances and have most variance.

    Parameters
    ----------
    bounds : DistanceBounds
        Bounds of squared distances; their middle is aimed at where they are two, else the upper.
    vectors : ndarray of shape (n_points, n_vectors)
        What is combined.
    masses : ndarray of shape (n_points,)
        How often each point counts.
    max_steps : int
        Steps of the interior-point method.
    most : int, default=4
        Coordinates that are returned at most.

    Returns
    -------
    ndarray of shape (n_points, n_coordinates)
        Coordinates of decreasing variance; those with next to none are left out.
    """
    aims = np.where(bounds.lower > 0.0, 0.5 * (bounds.lower + bounds.upper), bounds.upper)
    share = masses / masses.sum()
    centered = vectors - share @ vectors
    # every vector is as long along the pairs: the small program is then well conditioned
    lengths = np.square(centered[bounds.first] - centered[bounds.second]).mean(axis=0)
    scaled = centered * np.sqrt(aims.mean() / np.maximum(lengths, 1e-300))
    quadratic, linear = _least_squares(bounds, scaled, aims)
    variance = half_vectorize((scaled * masses[:, None]).T @ scaled)
    solved = partial(solve_combination, unit_trace=False, tolerance=1e-7, max_steps=max_steps)
    close = solved(quadratic, linear).state
    reward = bounds.count / (REWARDED * float(variance @ half_vectorize(close)))
    found = solved(quadratic, linear + reward * variance).state
    values, axes = _decompose(found, (scaled * masses[:, None]).T @ scaled)
    kept = values > SHARE * values[0]
    kept[most:] = False
    return np.asarray(scaled @ axes[:, kept])


def _least_squares(bounds: DistanceBounds, vectors: Array, aims: Array) -> tuple[Array, Array]:
    """Return A and b of the sum over all pairs of (squared distance / aim - 1)^2 / 2."""
    size = vectors.shape[1]
    quadratic = np.zeros((size * (size + 1) // 2, size * (size + 1) // 2))
    linear = np.zeros(len(quadratic))
    for start in range(0, bounds.count, BLOCK):
        block = slice(start, start + BLOCK)
        steps = vectors[bounds.first[block]] - vectors[bounds.second[block]]
        products = half_vectorize(steps[:, :, None] * steps[:, None, :]) / aims[block, None]
        quadratic += products.T @ products
        linear += products.sum(axis=0)
    return quadratic, linear


def _decompose(matrix: Array, metric: Array) -> tuple[Array, Array]:
    """Return the variances, largest first, and axes L with L L' = P and L' metric L diagonal."""
    root = np.linalg.cholesky(matrix + 1e-12 * np.trace(matrix) * np.eye(len(matrix)))
    values, turned = np.linalg.eigh(root.T @ metric @ root)
    return values[::-1], np.asarray(root @ turned[:, ::-1])


@dataclass(frozen=True, slots=True)
class _SmoothSteps:
    """Steps of descent in which long waves are as stiff as short ones, so that few are needed.

    The stiffness of a wave along the pairs is its value of their graph Laplacian N, normalized by
    the degrees, which is at most 2. A step u moves the points by N^-1/2 u: a Chebyshev polynomial
    of N stands for that, and no matrix has to be factorised; its degree resolves values down to
    about ``LOWEST``. The longest waves, which are nearly the known vectors, get what is missing.
    """

    laplacian: sp.csr_array
    roots: Array  # of the degrees
    vectors: Array
    missing: Array

    @classmethod
    def of(cls, bounds: DistanceBounds, vectors: Array) -> _SmoothSteps:
        between = _differences(bounds)
        weighted = sp.csr_array(between.multiply(1.0 / np.sqrt(bounds.upper)[:, None]))
        table = sp.csr_array(weighted.T @ weighted)
        roots = np.sqrt(np.maximum(table.diagonal(), 1e-300))[:, None]
        turned = sp.csr_array(table.multiply(1.0 / roots).multiply(1.0 / roots.T))
        known = np.linalg.qr(roots * (vectors - vectors.mean(axis=0)))[0]
        values, axes = np.linalg.eigh(known.T @ (turned @ known))
        plain = np.polynomial.chebyshev.chebval(values - 1.0, STRETCH)
        wanted = 1.0 / np.sqrt(np.maximum(values, 1e-12))
        return cls(turned, roots, known @ axes, np.maximum(wanted - plain, 0.0)[:, None])

    def _stretched(self, block: Array) -> Array:
        """Return nearly N^-1/2 times a block."""
        before, now = block, self.laplacian @ block - block
        total = STRETCH[0] * before + STRETCH[1] * now
        for weight in STRETCH[2:]:
            before, now = now, 2.0 * (self.laplacian @ now - now) - before
            total += weight * now
        return np.asarray(total + self.vectors @ (self.missing * (self.vectors.T @ block)))

    def moved(self, steps: Array) -> Array:
        """Return by how much a step moves the points."""
        return np.asarray(self._stretched(steps) / self.roots)

    def slope(self, gradient: Array) -> Array:
        """Return the gradient by the step, of one by the points."""
        return self._stretched(gradient / self.roots)


@dataclass(frozen=True, slots=True)
class _Lagrangian:
    """Minus the variance, and what oversteps the bounds, by multipliers and squares of it."""

    bounds: DistanceBounds
    masses: Array
    differences: sp.csr_array
    variance: float
    stiffness: float
    weights: Array

    def pulls(self, squared: Array) -> Array:
        """Return the weights of the pairs: positive above the upper bound, negative below."""
        upper, lower = self.bounds.upper, self.bounds.lower
        longer = np.maximum(self.weights + self.stiffness * (squared / upper - 1.0), 0.0)
        shorter = np.minimum(self.weights + self.stiffness * (squared - lower) / upper, 0.0)
        return np.asarray(longer + np.where(lower > 0.0, shorter, 0.0))

    def __call__(self, places: Array) -> tuple[float, Array]:
        """Return the loss, as a share of the variance at the start, and its gradient."""
        centered = places - (self.masses @ places) / self.masses.sum()
        steps = self.differences @ centered
        pull = self.pulls(np.square(steps).sum(axis=1))
        spread = float(self.masses @ np.square(centered).sum(axis=1))
        loss = 0.5 * float(pull @ pull) / self.stiffness - spread
        slope = self.differences.T @ (steps * (2.0 * pull / self.bounds.upper)[:, None])
        slope -= 2.0 * self.masses[:, None] * centered
        return loss / self.variance, slope / self.variance


def _refine(
    bounds: DistanceBounds,
    start: Array,
    masses: Array,
    smooth: _SmoothSteps,
    tolerance: float,
    max_steps: int,
    stiffness: float,
) -> Unfolding:
    """Return where descent leads, with the multipliers of the bounds renewed every round."""
    unit = float(bounds.upper.mean())
    scaled = replace(bounds, lower=bounds.lower / unit, upper=bounds.upper / unit)
    places = start / np.sqrt(unit)
    variance = float(masses @ np.square(places).sum(axis=1))
    stiffness = 2.0 * stiffness * variance / bounds.count
    first = _Lagrangian(
        scaled, masses, _differences(bounds), variance, stiffness, np.zeros(bounds.count)
    )

    def descend(now: tuple[Array, _Lagrangian, int]) -> tuple[Any, float]:
        before, loss, steps = now  # of the loss that is descended next, and those taken so far
        found = _descend(loss, before, smooth, min(ROUND, max_steps - steps))
        squared = scaled.squared_between(found.state)
        broken = float(np.sqrt(np.mean(np.square(np.maximum(scaled.excess(squared), 0.0)))))
        loss = replace(loss, weights=loss.pulls(squared), stiffness=STIFFER * loss.stiffness)
        return (found.state, loss, steps + found.steps), broken

    most_rounds = -(-max_steps // ROUND)
    found = repeat(
        (places, first, 0), np.inf, descend, lambda losses: losses[-1] <= tolerance, most_rounds
    )
    places, _, steps = found.state
    reached = places * np.sqrt(unit)
    return Unfolding(reached, None, found.loss, found.converged, bounds.count, steps)


def _descend(
    loss: _Lagrangian, places: Array, smooth: _SmoothSteps, max_steps: int
) -> Outcome[Array]:
    """Return the coordinates that descent leads to, centred."""

    def objective(steps: Array) -> tuple[float, Array]:
        with np.errstate(over="ignore", invalid="ignore"):  # a trial step may lead anywhere
            value, slope = loss(places + smooth.moved(steps))
            slope = smooth.slope(slope)
        return (value + SHIFT, slope) if np.isfinite(value) else (np.inf, np.zeros_like(steps))

    found = minimize(
        objective,
        np.zeros_like(places),
        np.asarray(np.sqrt(4.0 * loss.stiffness / loss.variance)),
        tolerance=PRECISE,
        negligible=-np.inf,
        name="refinement",
        max_steps=max_steps,
    )
    reached = places + smooth.moved(found.state)
    centered = reached - (loss.masses @ reached) / loss.masses.sum()
    return Outcome(centered, found.losses, found.converged)


def _differences(bounds: DistanceBounds) -> sp.csr_array:
    """Return the table that takes coordinates to their differences along the pairs."""
    m = bounds.count
    ends = np.column_stack([bounds.first, bounds.second]).ravel()
    signs = np.tile([1.0, -1.0], m)
    return sp.csr_array((signs, ends, np.arange(0, 2 * m + 1, 2)), shape=(m, bounds.n_points))
