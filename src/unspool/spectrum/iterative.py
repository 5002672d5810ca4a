"""Eigensolvers that iterate: block Krylov on products, on an inverse, or on a polynomial filter.

Each serves one structure, and returns pairs from the wanted end, best first. Products find the
large end. The small end is the large end of an inverse, of the sparse matrix slightly shifted or
of its factor; or of a Chebyshev polynomial of the matrix, where no factorisation would stay sparse.

The small end of a Laplacian is looked at once more where parts of the graph are hardly joined.
Joined by weights of 1e-12, parts have eigenvalues below the rounding of the matrix, whose diagonal
has no room for such weights: any mix of the parts seems to be an eigenvector. The edges themselves
know better. As x'Lx is a sum of w_ij (x_i - x_j)^2, its root is a factor whose rows are differences
along edges, and inside of a part those are zero to rounding. Singular values of that factor, on the
span that a solver found, tell the mixes apart down to weights of about 1e-20.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sparse_linalg
from scipy.sparse.csgraph import connected_components

from ..elimination_order import PLANNED, SYMMETRIC, Elimination
from ..runtime import limit_blas_threads, run_apart, run_strips
from ..values import Array
from .krylov import ACCURACY, RitzPairs, leading_pairs, many_leading_pairs
from .operators import EigenPairs, NotSolved, StandardForm, SymmetricTriangles, Task, Triangles

SHORTEST, LONGEST = 24, 96  # products in one pass of the filter
STEEP, RISE = 4.0, 6.0  # over the root of bound to ceiling: the products after which it is steep
FILTERED = 8  # vectors that are filtered together at least: the kernel works on eight
WIDE = 16  # vectors of a block where hundreds are wanted: fewer take a product as long
DEAR_ACCURACY = 1e-6  # of a vector, where each product takes minutes
SHIFTS = (1e-12, 1e-9, 1e-6)  # of the norm. Small: LLE's wanted values are 1e-13..1e-9 of it
LONG = 5e8  # multiplications that may take a second: Ctrl-C must be heard meanwhile
FAINT = 1e-6  # of its largest entry: where the left null vector is smaller, the border is moved

Apply = Callable[[Array], Array]
EDGES = 1 << 18  # whose differences are held at a time


def solve_by_products(task: Task) -> EigenPairs:
    """Find the large end by products with the matrix alone."""
    form = task.form
    # a table in single precision is symmetric only up to its rounding
    rounding = 0.5 * np.finfo(np.float32).eps if form.is_float32 else np.finfo(np.float64).eps
    start = task.initial()
    with limit_blas_threads() if form.has_own_products(start) else nullcontext():
        found = leading_pairs(
            _trivial_last(form),
            start,
            task.wanted,
            task.running,
            noise=0.0 if form.is_operator else float(rounding) * form.norm_bound,
            accuracy=DEAR_ACCURACY if form.is_dear else ACCURACY,
        )
    return replace(_accepted(found, task), residuals=found.residuals[: task.wanted])


def solve_by_lanczos(task: Task) -> EigenPairs:
    """Find hundreds of pairs of the large end, by fewer products than a decomposition costs."""
    form = task.form
    start = replace(task, count=WIDE).initial()
    rounding = 0.5 * np.finfo(np.float32).eps if form.is_float32 else np.finfo(np.float64).eps
    with limit_blas_threads():
        found = many_leading_pairs(
            _trivial_last(form),
            start,
            task.wanted,
            task.count,
            task.running,
            noise=float(rounding) * form.norm_bound,
        )
    return replace(_accepted(found, task), residuals=found.residuals[: task.wanted])


def _trivial_last(form: StandardForm) -> Apply:
    """Return the product with the trivial directions moved past the unwanted end.

    Projected out they have the value zero, which is above the negative values of an indefinite
    matrix: rounding would bring them back among the wanted ones.
    """
    far = 2.0 * form.norm_bound if form.trivial.shape[1] else 0.0

    def apply(block: Array) -> Array:
        product = form.apply(block)
        return product - far * (form.trivial @ (form.trivial.T @ block)) if far else product

    return apply


@limit_blas_threads()  # thousands of small products: its threads take three times as long
def solve_by_factor_inverse(task: Task) -> EigenPairs:
    """Find the small end of B'B by solving with B and B', which keeps twice the digits."""
    form = task.form
    if form.trivial.shape[1] != 1 or task.plan is None:
        raise NotSolved("bordering needs exactly one trivial vector and a planned elimination")
    solver = Bordered.of(form.matrix, form.trivial, task.plan)

    def apply(block: Array) -> Array:
        inner = solver.solve(form.project(block), "T")
        return form.project(solver.solve(inner - solver.off(inner), "N"))

    found = leading_pairs(apply, task.initial(), task.wanted, task.running, max_passes=60)
    pairs = _rayleigh_ritz(task, _accepted(found, task).vectors)
    return replace(pairs, of_factor=True)


@dataclass(frozen=True)
class Bordered:
    """A factorised sparse square matrix B with one null vector, and the null vector of B'.

    B gets a border, [[B, e], [e', 0]] with e a coordinate vector: regular as long as neither null
    vector of B vanishes there. Its solutions are those of the pseudo-inverse once the null vectors
    are taken out. (A dense border would do for any B, but pivoting spreads it over the factor: 3.7
    times the fill for LLE's I - W on a Swiss roll.)
    """

    triangles: Triangles
    left_null: Array

    @classmethod
    def of(cls, matrix: Any, null: Array, plan: Elimination) -> Bordered:
        """Factorise B, which has this null vector, in the given order of elimination."""
        order = np.argsort(plan.position)
        permuted = sp.csr_array(matrix)[order][:, order]
        sizes = np.abs(null[order, 0])
        corner = int(np.flatnonzero(sizes >= 0.5 * sizes.max())[-1])  # late: it adds least fill
        factor, left_null = _factorised(permuted, corner, plan.flops)
        if abs(left_null[corner, 0]) < FAINT:
            factor, left_null = _factorised(permuted, int(np.abs(left_null).argmax()), plan.flops)
        unpermuted = np.empty_like(left_null)
        unpermuted[order] = left_null
        return cls(Triangles.of(factor, order), unpermuted / np.linalg.norm(unpermuted))

    def solve(self, block: Array, direction: str) -> Array:
        """Return a solution of B x = block ("N") or B' x = block ("T"), up to null vectors."""
        return self.triangles.solve(block, direction)

    def off(self, block: Array) -> Array:
        """Return the part of a block along the null vector of B'."""
        return np.asarray(self.left_null @ (self.left_null.T @ block))


def _factors_of(matrix: sp.csc_array, options: dict[str, Any], flops: float) -> Any:
    """Return the LU factors; apart where it takes long: 4 s went by unheard for 6,000 in 20-D."""
    work = partial(sparse_linalg.splu, matrix, **options)
    return run_apart(work) if flops > LONG else work()


def _factorised(matrix: sp.csr_array, corner: int, flops: float) -> tuple[Any, Array]:
    """Return the factor bordered at ``corner``, and B's left null vector (largest entry 1)."""
    n = matrix.shape[0]
    edge = sp.csr_array((np.ones(1), ([corner], [0])), shape=(n, 1))
    bordered = sp.csc_array(sp.block_array([[matrix, edge], [edge.T, None]]))
    try:
        factor = _factors_of(bordered, {**PLANNED, "diag_pivot_thresh": 0.1}, flops)
    except RuntimeError as error:
        raise NotSolved(str(error)) from error
    unit = np.zeros((n + 1, 1))
    unit[-1] = 1.0
    left_null = factor.solve(unit, "T")[:-1]
    size = float(np.abs(left_null).max())
    if not np.isfinite(size) or size == 0.0:
        raise NotSolved("the bordered matrix is singular")
    return factor, left_null / size


@limit_blas_threads()  # thousands of small products: its threads take three times as long
def solve_by_shift_invert(task: Task) -> EigenPairs:
    """Find the small end by products with the inverse of the slightly shifted sparse matrix."""
    form = task.form
    norm = max(form.norm_bound, float(np.finfo(float).tiny))
    reason = "no shift could be factorised"
    # a zero value that is not projected out dominates the inverse: a larger shift tames it
    for relative in SHIFTS if form.trivial.shape[1] else SHIFTS[::-1]:
        # zero is an exact eigenvalue: factorising at 0 would fail
        try:
            apply = _inverse_of(task, relative * norm)
        except NotSolved as singular:
            reason = str(singular)
            continue
        found = leading_pairs(apply, task.initial(), task.wanted, task.running, max_passes=60)
        if found.converged and (found.values[: task.wanted] > 0).all():
            return _rayleigh_ritz(task, _accepted(found, task).vectors)
        reason = f"not converged after {found.passes} passes at shift {relative:g}"
    raise NotSolved(reason)


def _inverse_of(task: Task, lift: float) -> Apply:
    """Return the product with (matrix + lift I)^-1."""
    form, plan = task.form, None if task.form.is_factor else task.plan
    matrix = form.sparse.T @ form.sparse if form.is_factor else form.sparse
    lifted = sp.csr_array(matrix + lift * sp.eye_array(form.size))
    order = np.arange(form.size) if plan is None else np.argsort(plan.position)
    options = SYMMETRIC if plan is None else {**PLANNED, "diag_pivot_thresh": 0.0}
    try:
        flops = np.inf if plan is None else plan.flops
        factor = _factors_of(sp.csc_array(lifted[order][:, order]), options, flops)
    except RuntimeError as error:
        raise NotSolved(str(error)) from error

    # an alignment may have several values of zero beside others that are wanted: LTSA of a flat
    # grid came to a residual of 8e-8 by one triangle used twice, and of 1e-13 by SuperLU's two
    triangles = SymmetricTriangles.of(factor) if _is_laplacian(task) else None
    solve = factor.solve if triangles is None else triangles.solve

    def apply(block: Array) -> Array:
        solution, given = np.empty_like(block), form.project(block)[order]
        solution[order] = solve(given)
        return form.project(solution)

    return apply


@limit_blas_threads()  # thousands of small products: its threads take three times as long
def solve_by_filter(task: Task) -> EigenPairs:
    """Find the small end by products alone, through a Chebyshev filter: no factorisation."""
    # a Laplacian's wanted values are far above rounding: residuals tell how exact its vectors are
    return (solve_by_refinement if _is_laplacian(task) else solve_by_polynomial)(task)


def _is_laplacian(task: Task) -> bool:
    return task.problem.ceiling is not None and not task.form.is_factor


def solve_by_polynomial(task: Task) -> EigenPairs:
    """Find the large end of a polynomial of the matrix.

    A few products with ceiling - matrix give Ritz values, which bound the wanted values from
    above. The filter is a polynomial that stays below one from there to the ceiling and grows
    steeply towards zero: its leading vectors are the wanted ones, and well apart.
    """
    form, ceiling = task.form, task.problem.ceiling
    top = form.norm_bound if ceiling is None else ceiling

    def turned_over(block: Array) -> Array:
        return form.project(top * block) - form.apply(block)

    initial = task.initial(FILTERED)
    rough = leading_pairs(turned_over, initial, task.wanted, task.running, max_passes=8)
    if len(rough.values) < task.count:
        raise NotSolved(f"{len(rough.values)} pairs came back")
    bound = top - float(rough.values[-1])
    # the trivial directions have value zero, where the filter is largest: they go before and after
    inner = ChebyshevFilter.of(task, min(max(bound, 1e-9 * top), 0.5 * top), top)

    def apply(block: Array) -> Array:
        return form.project(inner(form.project(block)))

    found = leading_pairs(
        apply, rough.vectors, task.wanted, task.running, max_passes=40, gives_up=True
    )
    return _rayleigh_ritz(task, _accepted(found, task).vectors)


@dataclass(frozen=True)
class ChebyshevFilter:
    """p(A), with p the Chebyshev polynomial of the span from ``bound`` to ``ceiling``.

    Between the two, p is at most one in size; below it grows like cosh(degree arccosh(...)), the
    fastest that a polynomial of this degree can. Scaled to one at zero, so that nothing overflows.
    The degree is even: p is positive below the bound. Rows and columns are in an order that keeps
    neighbours together, which caches like: products took a third of the time for 100,000 points.
    """

    matrix: tuple[Array, Array, Array]
    turned: tuple[Array, Array, Array]
    order: Array
    span: tuple[float, float]
    degree: int

    @classmethod
    def of(cls, task: Task, bound: float, ceiling: float) -> ChebyshevFilter:
        """Return the filter of the task's matrix: the longer, the nearer the bound is to zero."""
        form = task.form
        order = np.arange(form.size) if task.order is None else task.order
        matrix = sp.csr_array(form.sparse[order][:, order])
        turned = sp.csr_array(matrix.T if form.is_factor else (0, 0))
        degree = 2 * round(0.5 * min(max(STEEP / np.sqrt(bound / ceiling), SHORTEST), LONGEST))
        return cls(_by_rows(matrix), _by_rows(turned), order, (bound, ceiling), degree)

    def __call__(self, block: Array) -> Array:
        """Return p(A) times a block, eight columns by each thread: they know nothing of others."""
        from .operators_kernels import LANES, filter_columns

        product = np.empty_like(block)

        def work(columns: slice) -> None:
            eight, now, inner = np.zeros((3, len(block), LANES))
            width = min(columns.stop, block.shape[1]) - columns.start
            eight[:, :width] = block[self.order, columns]
            filter_columns(self.matrix, self.turned, self.span, self.degree, eight, now, inner)
            filtered = now if self.degree % 2 else eight
            product[self.order, columns] = filtered[:, :width]

        run_strips(work, block.shape[1], LANES)
        return product


def solve_by_refinement(task: Task) -> EigenPairs:
    """Find the small end of a Laplacian by Ritz vectors whose errors are filtered out, roughly.

    Ritz values of the matrix bound the wanted values from above, more closely with each pass, and
    so the filter, which is made anew for each, wastes little. It works on residuals in single
    precision, and need not be exact: the Ritz vectors are.
    """
    form, ceiling = task.form, task.problem.ceiling
    top = form.norm_bound if ceiling is None else float(ceiling)
    inner = ResidualFilter.of(task, top)

    def turned_over(block: Array) -> Array:
        return form.project(top * block) - form.apply(block)

    def improve(values: Array, misfit: Array) -> Array:
        return form.project(inner(top - values, misfit))

    found = leading_pairs(
        turned_over,
        task.initial(FILTERED),
        task.wanted,
        task.running,
        max_passes=40,
        gives_up=True,
        improve=improve,
    )
    return _rayleigh_ritz(task, _accepted(found, task).vectors)


@dataclass(frozen=True)
class ResidualFilter:
    """What a Chebyshev filter of the matrix would change of Ritz vectors, from their residuals."""

    matrix: tuple[Array, Array, Array]
    order: Array
    ceiling: float

    @classmethod
    def of(cls, task: Task, ceiling: float) -> ResidualFilter:
        """Return the filter of the task's matrix, which it keeps in single precision."""
        form = task.form
        order = np.arange(form.size) if task.order is None else task.order
        matrix = sp.csr_array(form.sparse[order][:, order])
        entries = np.asarray(matrix.data, dtype=np.float32)
        return cls((matrix.indptr, matrix.indices, entries), order, ceiling)

    def __call__(self, values: Array, residuals: Array) -> Array:
        """Return the change of each vector, up to its length: the span ends at the last value."""
        from .operators_kernels import LANES, filter_residuals

        ceiling = self.ceiling
        bound = min(max(float(values[-1]), 1e-9 * ceiling), 0.5 * ceiling)
        degree = 2 * round(0.5 * min(max(RISE / np.sqrt(bound / ceiling), SHORTEST), LONGEST))
        sizes = np.linalg.norm(residuals, axis=0)
        scaled = residuals / np.where(sizes > 0.0, sizes, 1.0)
        changes = np.empty_like(residuals)

        def work(columns: slice) -> None:
            given, before, now = np.zeros((3, len(residuals), LANES), dtype=np.float32)
            some = np.zeros(LANES)
            width = min(columns.stop, residuals.shape[1]) - columns.start
            some[:width] = values[columns]
            given[:, :width] = scaled[self.order, columns]
            filter_residuals(self.matrix, (bound, ceiling), degree, some, given, before, now)
            changes[self.order, columns] = before[:, :width]

        run_strips(work, residuals.shape[1], LANES)
        return changes


def _by_rows(matrix: sp.csr_array) -> tuple[Array, Array, Array]:
    return matrix.indptr, matrix.indices, np.asarray(matrix.data, dtype=np.float64)


def _accepted(found: RitzPairs, task: Task) -> EigenPairs:
    if not found.converged:
        worst = float(found.residuals[: task.wanted].max())
        raise NotSolved(f"residual {worst:.1e} after {found.passes} passes")
    return EigenPairs(found.values[: task.count], found.vectors[:, : task.count])


def _rayleigh_ritz(task: Task, vectors: Array) -> EigenPairs:
    """Return the values of the matrix itself at the vectors that its inverse singled out.

    The vectors keep the order of the inverse: there the small values are far apart, while products
    with the matrix cannot tell values below its rounding from each other.
    """
    vectors = np.linalg.qr(task.form.project(vectors))[0]
    values = np.einsum("ij,ij->j", vectors, task.form.apply(vectors))
    if task.form.is_factor:
        values = np.square(np.linalg.norm(task.form.matrix @ vectors, axis=0))
    order = np.argsort(values, kind="stable")
    return EigenPairs(values[order], vectors[:, order])


def is_one_graph(task: Task) -> bool:
    """Tell whether a matrix is the Laplacian of one connected graph.

    Components that nothing joins have the value zero each, and any mix of them is as good.
    """
    form, problem = task.form, task.problem
    if problem.end != "smallest" or problem.ceiling is None or not sp.issparse(form.matrix):
        return False
    if form.trivial.shape[1] != 1 or not (form.trivial != 0.0).all():
        return False
    return bool(connected_components(form.sparse, directed=False, return_labels=False) == 1)


def resolve_by_differences(task: Task, pairs: EigenPairs) -> EigenPairs:
    """Return the pairs of the same span, their values from differences along the edges."""
    triangle = np.zeros((0, len(pairs.values)))
    for rows in _differences(task.form, pairs.vectors):
        triangle = np.asarray(np.linalg.qr(np.vstack([triangle, rows]), mode="r"))
    _, singular, turned = np.linalg.svd(triangle)
    values = np.zeros(len(pairs.values))
    values[: len(singular)] = singular**2
    order = np.argsort(values, kind="stable")
    vectors = pairs.vectors @ turned.T[:, order]
    return replace(pairs, values=values[order], vectors=vectors, of_factor=True, residuals=None)


def _differences(form: StandardForm, vectors: Array) -> Iterator[Array]:
    """Yield the rows of the factor times the vectors, some edges at a time.

    With M t = 0, x'Mx is the sum over edges of -m_ij t_i t_j (x_i / t_i - x_j / t_j)^2.
    """
    known = form.trivial[:, 0]
    edges = sp.coo_array(sp.triu(form.sparse, k=1))
    ratios = vectors / known[:, None]
    for first in range(0, edges.nnz, EDGES):
        strip = slice(first, first + EDGES)
        i, j = edges.row[strip], edges.col[strip]
        roots = np.sqrt(np.maximum(-edges.data[strip] * known[i] * known[j], 0.0))
        yield roots[:, None] * (ratios[i] - ratios[j])
