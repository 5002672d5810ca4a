"""Combinations of known vectors: a small psd matrix P says how much of each pair of them is taken.

With m vectors Q the kernel matrix is Q P Q', and what is asked of squared distances is a quadratic
function of the m (m + 1) / 2 entries of P, whatever the number of points. The program

    minimise  p'A p / 2 - b'p  where  P psd, and tr(P) = 1 if so asked

is solved by a primal-dual interior-point method whose Newton system is as small. Weinberger, Sha,
Zhu and Saul (2007) and Sha and Saul (2005) state it with a Schur complement; this is the same
program without that detour.

To keep angles, every neighbourhood i may be scaled by a factor s_i of its own. The program

    minimise  Σ_i Σ_jk ( |z_j - z_k|² - s_i |x_j - x_k|² )²   over  z = L y,  P = L'L,  tr(P) = 1

looks for the linear map L of the vectors y that is most nearly a similarity everywhere (Sha and
Saul 2005). For given P the best factors are known, and what is left is quadratic in P alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lu_factor, lu_solve

from ..optimize import Outcome, iterate
from ..values import Array

INSIDE = 0.95  # of the step to the border of the cone
SHORTER = 0.9  # of a step that led out of it
TRIALS = 200  # steps tried: 0.9^200 is nothing
AT_ONCE = 2**21  # numbers of pairs by products of vectors that are held at a time
RIDGE = 1e-12  # of the mean: where the vectors keep angles exactly there is no curvature left


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
    rows, columns = np.triu_indices(tables.shape[-1])
    factors = np.where(rows == columns, 1.0, np.sqrt(2.0))
    return np.asarray(tables[..., rows, columns] * factors)


def _as_table(vector: Array, size: int) -> Array:
    rows, columns = np.triu_indices(size)
    table = np.zeros((size, size))
    table[rows, columns] = vector / np.where(rows == columns, 1.0, np.sqrt(2.0))
    return np.asarray(table + np.triu(table, 1).T)


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
    rows, columns = np.triu_indices(size)
    root = np.where(rows == columns, np.sqrt(0.5), 1.0)  # of what counts once, not twice
    a, b = (rows[:, None], columns[:, None]), (rows, columns)

    def product(one: Array, two: Array, i: Array, j: Array, k: Array, h: Array) -> Array:
        return np.asarray(one[i, k] * two[j, h])

    total = np.zeros((len(rows), len(rows)))
    for one, two in ((first, second), (second, first)):
        total += product(one, two, a[0], a[1], b[0], b[1])
        total += product(one, two, a[0], a[1], b[1], b[0])
        total += product(one, two, a[1], a[0], b[0], b[1])
        total += product(one, two, a[1], a[0], b[1], b[0])
    return np.asarray(0.25 * total * root[:, None] * root[None, :])


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
    values, axes = np.linalg.eigh(matrix)
    values = np.maximum(values[::-1], 0.0)
    flat = half_vectorize(matrix)
    misfit = float(flat @ quadratic @ flat) / max(float(flat @ whole @ flat), 1e-300)
    return ConformalMap(values, axes[:, ::-1] * np.sqrt(values), misfit, found.steps)


def _misfit(products: Array, lengths: Array) -> tuple[Array, Array]:
    """Return the squares of all products, and what scaled squared distances explain of them."""
    flat = products.reshape(-1, products.shape[-1])
    along = np.einsum("bp,bpf->bf", lengths, products)
    norms = np.sqrt(np.maximum(np.square(lengths).sum(axis=1), 1e-300))[:, None]
    explained = along / norms
    return flat.T @ flat, explained.T @ explained
