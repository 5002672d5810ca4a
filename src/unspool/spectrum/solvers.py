"""A polynomial in a matrix that singles out the small end of its spectrum.

The eigensolvers, each for one structure. All return pairs from the wanted end, best first.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg as sparse_linalg

from ..ordering import PLANNED, SYMMETRIC, Elimination
from ..runtime import Running, limit_blas_threads
from ..values import Array, EigenProblem
from .bordered import Bordered, NotSolved
from .canonical import degenerate_groups
from .krylov import ACCURACY, Leading, leading_pairs
from .operators import Standard

DEGREE = 24  # products in one pass of the filter


def chebyshev_filter(
    apply: Callable[[Array], Array], bound: float, ceiling: float, degree: int = DEGREE
) -> Callable[[Array], Array]:
    """Return p(matrix), with p the Chebyshev polynomial of [bound, ceiling].

    Between the two, p is at most one in size; below ``bound`` it grows like
    cosh(degree arccosh(...)), the fastest that a polynomial of this degree can. Scaled to one at
    zero, so that nothing overflows. The degree is even: p is positive below ``bound``.
    """
    centre, half = 0.5 * (bound + ceiling), 0.5 * (ceiling - bound)
    start = half / (0.0 - centre)

    def filtered(block: Array) -> Array:
        # the recursion T_k = 2 t T_(k-1) - T_(k-2), each term over its value at zero
        scale = start
        before, now = block, (apply(block) - centre * block) * (scale / half)
        for _ in range(2, degree + 1):
            following = 1.0 / (2.0 / start - scale)
            step = (apply(now) - centre * now) * (2.0 * following / half)
            before, now, scale = now, step - (scale * following) * before, following
        return now

    return filtered


DEGENERATE = 1e2 * float(np.finfo(np.float64).eps)  # of the norm: values this close are equal
Apply = Callable[[Array], Array]
DEAR_ACCURACY = 1e-6  # of a vector, where each product takes minutes
SHIFTS = (1e-12, 1e-9, 1e-6)  # of the norm. Small: LLE's wanted values are 1e-13..1e-9 of it


@dataclass(frozen=True)
class Pairs:
    """Eigenpairs of a problem in standard form.

    ``of_factor`` says that the values are squares of singular values of F, found without forming
    F'F: those are known to rounding of F, so that values far below the rounding of F'F differ.
    """

    values: Array
    vectors: Array
    of_factor: bool = False
    residuals: Array | None = None  # where they were measured on the way

    def groups(self, norm: float) -> list[Array]:
        """Return the positions of values that rounding of a matrix of this norm cannot tell."""
        if self.of_factor:
            return degenerate_groups(np.sqrt(self.values), DEGENERATE * np.sqrt(norm))
        return degenerate_groups(self.values, DEGENERATE * norm)


@dataclass(frozen=True)
class Task:
    """What a solver works on: the standard form, how many pairs, how many of them strictly."""

    form: Standard
    problem: EigenProblem
    count: int
    wanted: int
    seed: int
    running: Running
    plan: Elimination | None = None

    def start(self) -> Array:
        """Return the random block that an iteration starts from, the same for the same seed."""
        if self.problem.guess is not None:
            return self.form.project(self.problem.guess)
        width = min(max(self.count, 6), self.form.size - self.form.trivial.shape[1])
        draws = np.random.default_rng(self.seed).standard_normal((self.form.size, width))
        return self.form.project(draws)


def dense(task: Task) -> Pairs:
    """Decompose the dense matrix; trivial directions are moved past the unwanted end first."""
    form, n, count = task.form, task.form.size, task.count
    smallest = task.problem.end == "smallest"
    norm = form.norm_bound
    far = 4.0 * (norm or 1.0) * (1.0 if smallest else -1.0)
    table = form.dense() + far * (form.trivial @ form.trivial.T)
    table = 0.5 * (table + table.T)
    first, last = (0, count - 1) if smallest else (n - count, n - 1)
    values, vectors = scipy.linalg.eigh(table, subset_by_index=[first, last], check_finite=False)
    order = slice(None) if smallest else slice(None, None, -1)
    # LAPACK's subset solver may lose pairs of a degenerate spectrum, or cut through equal values
    if len(values) < count or _is_cut(values[order], task, norm):
        values, vectors = scipy.linalg.eigh(table, driver="ev", check_finite=False)
    n_known = n - form.trivial.shape[1]
    values, vectors = values[order][:n_known], vectors[:, order][:, :n_known]
    if norm == 0.0:  # nothing but the rounding of ``far``
        values = np.zeros_like(values)
    return _whole_groups(Pairs(values, form.project(vectors)), task, norm)


def factored(task: Task) -> Pairs:
    """Decompose F itself where the matrix is F'F: no digits are lost by squaring."""
    form, smallest = task.form, task.problem.end == "smallest"
    factor = form.as_array()
    if form.trivial.shape[1]:
        factor = factor - (factor @ form.trivial) @ form.trivial.T
        # rows that give the trivial directions a value beyond the unwanted end
        far = 2.0 * np.sqrt(form.norm_bound) if smallest else 0.0
        factor = np.vstack([factor, far * form.trivial.T])
    if len(factor) >= 2 * form.size:  # a tall factor: its triangle has the same right vectors
        factor = scipy.linalg.qr(factor, mode="r", check_finite=False)[0][: form.size]
    missing = max(0, form.size - len(factor)) if smallest else 0
    factor = np.vstack([factor, np.zeros((missing, form.size))])
    _, singular, transposed = scipy.linalg.svd(factor, full_matrices=False, check_finite=False)
    order = slice(None, None, -1) if smallest else slice(None)
    n_known = form.size - form.trivial.shape[1]
    values, vectors = singular[order][:n_known] ** 2, transposed[order][:n_known].T
    return _whole_groups(Pairs(values, vectors, of_factor=True), task, form.norm_bound)


def products(task: Task) -> Pairs:
    """Find the large end by products with the matrix alone."""
    form = task.form
    # a table in single precision is symmetric only up to its rounding
    rounding = 0.5 * np.finfo(np.float32).eps if form.is_single else np.finfo(np.float64).eps
    start = task.start()
    with limit_blas_threads() if form.has_own_products(start) else nullcontext():
        found = leading_pairs(
            form.apply,
            start,
            task.wanted,
            task.running,
            noise=0.0 if form.is_product else float(rounding) * form.norm_bound,
            accuracy=DEAR_ACCURACY if form.is_product else ACCURACY,
        )
    return replace(_accepted(found, task), residuals=found.residuals[: task.wanted])


def inverted_factor(task: Task) -> Pairs:
    """Find the small end of B'B by solving with B and B', which keeps twice the digits."""
    form = task.form
    if form.trivial.shape[1] != 1 or task.plan is None:
        raise NotSolved("bordering needs exactly one trivial vector and a planned elimination")
    solver = Bordered.of(form.matrix, form.trivial, task.plan.position)

    def apply(block: Array) -> Array:
        inner = solver.solve(form.project(block), "T")
        return form.project(solver.solve(inner - solver.off(inner), "N"))

    found = leading_pairs(apply, task.start(), task.wanted, task.running, max_passes=60)
    pairs = _rayleigh_ritz(task, _accepted(found, task).vectors)
    return replace(pairs, of_factor=True)


def inverted(task: Task) -> Pairs:
    """Find the small end by products with the inverse of the slightly shifted sparse matrix."""
    form = task.form
    norm = max(form.norm_bound, float(np.finfo(float).tiny))
    reason = "no shift could be factorised"
    # a zero value that is not projected out dominates the inverse: a larger shift tames it
    for relative in SHIFTS if form.trivial.shape[1] else SHIFTS[::-1]:
        # zero is an exact eigenvalue: factorising at 0 would fail
        try:
            apply = _inverse_of(form, relative * norm, None if form.is_factor else task.plan)
        except NotSolved as singular:
            reason = str(singular)
            continue
        found = leading_pairs(apply, task.start(), task.wanted, task.running, max_passes=60)
        if found.converged and (found.values[: task.wanted] > 0).all():
            return _rayleigh_ritz(task, _accepted(found, task).vectors)
        reason = f"not converged after {found.passes} passes at shift {relative:g}"
    raise NotSolved(reason)


def _inverse_of(form: Standard, lift: float, plan: Elimination | None) -> Apply:
    """Return the product with (matrix + lift I)^-1."""
    matrix = form.matrix.T @ form.matrix if form.is_factor else form.matrix
    lifted = sp.csr_array(matrix + lift * sp.eye_array(form.size))
    order = np.arange(form.size) if plan is None else np.argsort(plan.position)
    options = SYMMETRIC if plan is None else {**PLANNED, "diag_pivot_thresh": 0.0}
    try:
        factor = sparse_linalg.splu(sp.csc_array(lifted[order][:, order]), **options)
    except RuntimeError as error:
        raise NotSolved(str(error)) from error

    def apply(block: Array) -> Array:
        solution = np.empty_like(block)
        solution[order] = factor.solve(form.project(block)[order])
        return form.project(solution)

    return apply


def filtered(task: Task) -> Pairs:
    """Find the small end by products alone, through a Chebyshev filter: no factorisation.

    A few products with ceiling - matrix give Ritz values, which bound the wanted values from
    above. The filter is a polynomial that stays below one from there to the ceiling and grows
    steeply towards zero: its leading vectors are the wanted ones, and well apart.
    """
    form, ceiling = task.form, task.problem.ceiling
    top = form.norm_bound if ceiling is None else ceiling

    def turned_over(block: Array) -> Array:
        return form.project(top * block) - form.apply(block)

    rough = leading_pairs(turned_over, task.start(), task.wanted, task.running, max_passes=8)
    if len(rough.values) < task.count:
        raise NotSolved(f"{len(rough.values)} pairs came back")
    bound = top - float(rough.values[task.count - 1])
    # the trivial directions have value zero, where the filter is largest: they go before and after
    inner = chebyshev_filter(form.product, min(max(bound, 1e-9 * top), 0.5 * top), top)

    def apply(block: Array) -> Array:
        return form.project(inner(form.project(block)))

    found = leading_pairs(apply, rough.vectors, task.wanted, task.running, max_passes=40)
    return _rayleigh_ritz(task, _accepted(found, task).vectors)


def _accepted(found: Leading, task: Task) -> Pairs:
    if not found.converged:
        worst = float(found.residuals[: task.wanted].max())
        raise NotSolved(f"residual {worst:.1e} after {found.passes} passes")
    return Pairs(found.values[: task.count], found.vectors[:, : task.count])


def _is_cut(values: Array, task: Task, norm: float) -> bool:
    """Tell whether values equal to the last wanted one may go on beyond the last one found."""
    more = len(values) < task.form.size - task.form.trivial.shape[1]
    return more and bool(abs(values[-1] - values[task.wanted - 1]) <= DEGENERATE * norm)


def _whole_groups(pairs: Pairs, task: Task, norm: float) -> Pairs:
    """Keep the pairs asked for, all that equal the last wanted one, and one that shows the gap."""
    ends = [int(group[-1]) + 1 for group in pairs.groups(norm)]
    count = max(task.count, next((end + 1 for end in ends if end >= task.wanted), 0))
    return replace(pairs, values=pairs.values[:count], vectors=pairs.vectors[:, :count])


def _rayleigh_ritz(task: Task, vectors: Array) -> Pairs:
    """Return the values of the matrix itself at the vectors that its inverse singled out.

    The vectors keep the order of the inverse: there the small values are far apart, while products
    with the matrix cannot tell values below its rounding from each other.
    """
    vectors = np.linalg.qr(task.form.project(vectors))[0]
    values = np.einsum("ij,ij->j", vectors, task.form.apply(vectors))
    if task.form.is_factor:
        values = np.square(np.linalg.norm(task.form.matrix @ vectors, axis=0))
    order = np.argsort(values, kind="stable")
    return Pairs(values[order], vectors[:, order])
