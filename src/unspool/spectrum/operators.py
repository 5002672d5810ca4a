"""An eigenproblem in standard form: an operator on blocks of vectors, with the identity as mass.

With diagonal mass D the problem A v = value D v becomes D^-1/2 A D^-1/2 u = value u, v = D^-1/2 u:
always symmetric, so every solver here is a symmetric one. Solvers are given a ``Task`` and return
``EigenPairs``. Products of dense tables with few vectors read all entries once, which is all that
takes time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
import scipy.sparse as sp

from ..elimination_order import Elimination
from ..runtime import Running, limit_blas_threads, run_strips
from ..values import Array, EigenProblem, Matrix, Operator

ROWS = 32  # of a table at a time, where a copy of it is needed: one that the cache holds
PRODUCT_ROWS, BLAS_ROWS = 128, 512  # a thread takes at a time
FEW_ROWS = 1_000  # up to which threads cost more than they save
STRIPPED = 1 << 20  # entries, below which BLAS multiplies a table as a whole
SMALL = 1 << 23  # entries, below which any way is fast, and threads or kernels are not worth it
COPIED = 1 << 18  # entries, below which a copy of a whole table takes no memory worth a plan
FEW = 16  # vectors, up to which our product is faster than BLAS's (twice as fast for six)


@dataclass(frozen=True)
class StandardForm:
    """The symmetric matrix of a problem without mass, with the trivial directions split off.

    ``center`` is a row that is subtracted from every row of a factor.
    """

    given: Matrix
    trivial: Array  # orthonormal columns, possibly none
    root_mass: Array | None
    is_factor: bool = False
    center: Array | None = None

    @property
    def size(self) -> int:
        """Number of unknowns."""
        return int(self.given.shape[1])

    @cached_property
    def matrix(self) -> Matrix:
        """The matrix, or factor; a centred copy is made when it is first needed."""
        return self.given if self.center is None else np.asarray(self.given) - self.center

    @property
    def table(self) -> Array:
        """The matrix, or factor, as it was given, where that is a table."""
        return cast(Array, self.given)

    @property
    def stored(self) -> Array | sp.csr_array:
        """The matrix, or factor, where its entries are stored."""
        return cast("Array | sp.csr_array", self.matrix)

    @property
    def sparse(self) -> sp.csr_array:
        """The matrix, or factor, where it is sparse."""
        return self.matrix

    def apply(self, block: Array) -> Array:
        """Return the projected matrix times a block of vectors."""
        return self.project(self.product(self.project(block)))

    def product(self, block: Array) -> Array:
        """Return the matrix as it is times a block of vectors."""
        product = _times(self.matrix, block)
        return np.asarray(_times(self.stored.T, product) if self.is_factor else product)

    @property
    def is_float32(self) -> bool:
        """Tell whether the matrix is a table in single precision: one less its center is not."""
        is_single = isinstance(self.given, np.ndarray) and self.given.dtype == np.float32
        return is_single and self.center is None

    @property
    def is_operator(self) -> bool:
        """Tell whether the matrix is known by its products."""
        return not (isinstance(self.given, np.ndarray) or sp.issparse(self.given))

    @property
    def is_dear(self) -> bool:
        """Tell whether every product takes so long that it counts."""
        return self.is_operator and bool(getattr(self.given, "is_dear", True))

    @property
    def has_entries(self) -> bool:
        """Tell whether the matrix can be had as an array."""
        return not self.is_operator or hasattr(self.given, "toarray")

    def has_own_products(self, block: Array) -> bool:
        """Tell whether products with such blocks are our own threads' work, not BLAS's."""
        if self.is_operator:
            return not self.is_dear
        if self.is_factor or not isinstance(self.matrix, np.ndarray):
            return False
        return is_own_product(self.matrix, block)

    def project(self, block: Array) -> Array:
        """Return the block without its trivial part."""
        if self.trivial.shape[1] == 0:
            return block
        return np.asarray(block - self.trivial @ (self.trivial.T @ block))

    def vectors_of(self, standard_vectors: Array) -> Array:
        """Return the vectors of the original problem."""
        if self.root_mass is None:
            return standard_vectors
        return np.asarray(standard_vectors / self.root_mass[:, None])

    @cached_property
    def norm_bound(self) -> float:
        """A cheap bound of the matrix's norm: its own, or its largest absolute row sum."""
        if self.is_operator:
            return float(cast(Operator, self.matrix).norm_bound)
        across = _largest_row_sum(self.stored)
        return across * _largest_row_sum(self.stored.T) if self.is_factor else across

    def dense(self, trivial_value: float = 0.0) -> Array:
        """Return the projected matrix as an array, its trivial directions with this value.

        With W = A t, (I - tt') A (I - tt') + value tt' is A - t Z' - Z t' where
        Z = W - t (t'W + value I) / 2: one copy, changed strip by strip.
        """
        table = self.as_array().T @ self.as_array() if self.is_factor else self.as_array()
        table = np.array(table, dtype=np.float64)
        trivial = self.trivial
        if trivial.shape[1]:
            images = table @ trivial
            middle = trivial.T @ images + trivial_value * np.eye(trivial.shape[1])
            images -= 0.5 * trivial @ middle
            pairs = np.hstack([trivial, images]), np.hstack([images, trivial]).T

            def work(rows: slice) -> None:
                table[rows] -= pairs[0][rows] @ pairs[1]

            if len(table) <= FEW_ROWS:
                work(slice(None))
            else:
                run_strips(work, len(table), PRODUCT_ROWS)
        return table

    def as_array(self) -> Array:
        """Return the stored matrix, or factor, as a dense array."""
        is_array = isinstance(self.matrix, np.ndarray)
        return np.asarray(self.matrix if is_array else self.sparse.toarray())

    def pattern(self) -> sp.csr_array:
        """Return a sparse symmetric matrix with the pattern an elimination would start from."""
        return abs(self.sparse) + abs(self.sparse.T) if self.is_factor else self.sparse


def to_standard_form(problem: EigenProblem) -> StandardForm:
    """Return the problem in coordinates where mass is the identity."""
    n = problem.matrix.shape[1]
    trivial = np.zeros((n, 0)) if problem.trivial is None else problem.trivial
    if problem.mass is None:
        known, is_factor = _orthonormal(trivial), problem.is_factor
        return StandardForm(problem.matrix, known, None, is_factor, problem.center)
    root = np.sqrt(problem.mass)
    if sp.issparse(problem.matrix):
        inverse_root = sp.diags_array(1.0 / root)
        scaled = problem.matrix @ inverse_root
        matrix: Matrix = sp.csr_array(scaled if problem.is_factor else inverse_root @ scaled)
    else:
        matrix = np.asarray(problem.matrix) / root[None, :]
        matrix = matrix if problem.is_factor else matrix / root[:, None]
    return StandardForm(matrix, _orthonormal(trivial * root[:, None]), root, problem.is_factor)


def _times(matrix: Matrix, block: Array) -> Array:
    """Return matrix @ block in double precision, also of a table in single precision."""
    if isinstance(matrix, np.ndarray):
        return double_product(matrix, block)
    return np.asarray(matrix @ block)


def _largest_row_sum(matrix: Array | sp.csr_array) -> float:
    if sp.issparse(matrix):
        return float(abs(matrix).sum(axis=1).max())
    if matrix.size < COPIED:
        return float(np.abs(matrix).sum(axis=1).max(initial=0.0))
    largest = np.zeros(len(matrix))

    def work(rows: slice) -> None:
        largest[rows] = np.abs(matrix[rows]).sum(axis=1)

    run_strips(work, len(matrix), ROWS)
    return float(largest.max(initial=0.0))


def _orthonormal(block: Array) -> Array:
    return np.asarray(np.linalg.qr(block)[0]) if block.shape[1] else block


class NotSolved(Exception):
    """This solver gave no trustworthy answer; the message says why."""


@dataclass(frozen=True)
class EigenPairs:
    """Eigenpairs of a problem in standard form.

    ``of_factor`` says that the values are squares of singular values of F, found without forming
    F'F: those are known to rounding of F, so that values far below the rounding of F'F differ.
    """

    values: Array
    vectors: Array
    of_factor: bool = False
    residuals: Array | None = None  # where they were measured on the way
    norm: float | None = None  # of the matrix, where it was bounded on the way

    def with_means_of(self, groups: list[Array]) -> EigenPairs:
        """Return the pairs with the mean of each group of equal values in the place of all.

        LAPACK scatters them by rounding of the whole matrix, otherwise on another processor, and
        the first of them, by which a map is scaled, would be the one that erred most.
        """
        values = np.array(self.values)
        for group in groups:
            values[group] = values[group].mean()
        return replace(self, values=values)


@dataclass(frozen=True)
class Task:
    """What a solver works on: the standard form, how many pairs, how many of them strictly."""

    form: StandardForm
    problem: EigenProblem
    count: int
    wanted: int
    seed: int
    running: Running
    plan: Elimination | None = None
    order: Array | None = None  # of the points, neighbours near each other, where it is known

    def initial(self, fewest: int = 6) -> Array:
        """Return the block that an iteration starts from: given, or random, the same for a seed."""
        if self.problem.initial is not None:
            return self.form.project(self.problem.initial)
        width = min(max(self.count, fewest), self.form.size - self.form.trivial.shape[1])
        draws = np.random.default_rng(self.seed).standard_normal((self.form.size, width))
        return self.form.project(draws)


Columns = tuple[Array, Array, Array]  # starts, rows and entries of a sparse matrix by columns


@dataclass(frozen=True)
class Triangles:
    """The factors of a sparse matrix A = P' L U Q', to solve with for eight columns at a time.

    ``lower`` and ``upper`` are those of -L and -U without their diagonals, ``rows`` and
    ``columns`` the places that P and Q give to rows and columns. SuperLU takes as long with A, and
    four times as long with A': it works on dense blocks, which are a few columns wide here.
    """

    lower: Columns
    upper: Columns
    pivots: Array
    rows: Array
    columns: Array

    @classmethod
    def of(cls, factor: Any, order: Array) -> Triangles:
        """Return those that SuperLU found, of a matrix whose rows and columns had this order."""
        lower, upper = factor.L, factor.U
        ends, places = upper.indptr[1:] - 1, np.argsort(order)  # where SuperLU puts the diagonals
        pivots = upper.data[ends]
        return cls(
            _off_diagonal(lower, lower.indptr[:-1]),
            _off_diagonal(upper, ends),
            pivots,
            factor.perm_r[places],
            factor.perm_c[places],
        )

    def solve(self, block: Array, direction: str = "N") -> Array:
        """Return the solution of A x = block ("N") or A' x = block ("T") for each column."""
        from .operators_kernels import solve_by_columns, solve_by_rows

        ones = np.ones(len(self.pivots))

        def work(eight: Array) -> None:
            if direction == "N":
                solve_by_columns(self.lower, ones, False, eight)
                solve_by_columns(self.upper, self.pivots, True, eight)
            else:
                solve_by_rows(self.upper, self.pivots, False, eight)
                solve_by_rows(self.lower, ones, True, eight)

        given, found = (self.rows, self.columns)[:: 1 if direction == "N" else -1]
        return _by_lanes(work, block, len(ones), given, found)


@dataclass(frozen=True)
class SymmetricTriangles:
    """The factors L D L' of a symmetric matrix, of which one triangle is enough."""

    lower: Columns
    pivots: Array

    @classmethod
    def of(cls, factor: Any) -> SymmetricTriangles | None:
        """Return those of LU factors; None where rows or columns changed places."""
        places = np.arange(factor.shape[0])
        if not (np.array_equal(factor.perm_c, places) and np.array_equal(factor.perm_r, places)):
            return None
        lower, upper = factor.L, factor.U
        return cls(_off_diagonal(lower, lower.indptr[:-1]), upper.data[upper.indptr[1:] - 1])

    def solve(self, block: Array) -> Array:
        """Return the solution for each column of a block."""
        from .operators_kernels import solve_by_columns, solve_by_rows

        ones, places = np.ones(len(self.pivots)), np.arange(len(self.pivots))

        def work(eight: Array) -> None:
            solve_by_columns(self.lower, ones, False, eight)
            eight /= self.pivots[:, None]
            solve_by_rows(self.lower, ones, True, eight)

        return _by_lanes(work, block, len(ones), places, places)


def _off_diagonal(triangle: sp.csc_array, diagonal: Array) -> Columns:
    """Return the columns of minus a triangle, which it becomes, with zeros on its diagonal."""
    entries = np.negative(triangle.data, out=triangle.data)  # no copy of what may be large
    entries[diagonal] = 0.0
    return triangle.indptr, triangle.indices, entries


def _by_lanes(
    work: Callable[[Array], None], block: Array, n_places: int, given: Array, found: Array
) -> Array:
    """Let ``work`` change a block, eight columns at a time, with its rows in other places.

    These are ``given`` before and ``found`` after; places that no row has begin with zeros.
    """
    from .operators_kernels import LANES

    solution = np.empty_like(block)

    def change(columns: slice) -> None:
        width = min(columns.stop, block.shape[1]) - columns.start
        eight = np.zeros((n_places, LANES))
        eight[given, :width] = block[:, columns]
        work(eight)
        solution[:, columns] = eight[found, :width]

    run_strips(change, block.shape[1], LANES)
    return solution


def is_own_product(table: Array, block: Array) -> bool:
    """Tell whether ``double_product`` multiplies by itself, or leaves it to BLAS."""
    if table.size < SMALL:
        return False
    few = block.shape[1] <= FEW and table.flags.c_contiguous
    return bool(few or table.dtype != np.float64)


def double_product(table: Array, block: Array) -> Array:
    """Return table @ block, summed in double precision.

    Parameters
    ----------
    table : ndarray of shape (n_rows, n_columns)
        A table in single or double precision.
    block : ndarray of shape (n_columns, n_vectors)
        Vectors in double precision.

    Returns
    -------
    ndarray of shape (n_rows, n_vectors)
        The product.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import spectrum
    >>> spectrum.double_product(np.eye(2, dtype=np.float32), np.ones((2, 1))).dtype
    dtype('float64')
    """
    if not is_own_product(table, block):
        return _by_blas(table.astype(np.float64, copy=False), block)
    from .operators_kernels import add_up_products

    turned = np.ascontiguousarray(block.T, dtype=np.float64)
    product = np.empty((len(table), len(turned)))

    def work(rows: slice) -> None:
        add_up_products(table, turned, rows.start, rows.stop, product)

    run_strips(work, len(table), PRODUCT_ROWS)
    return product


def _by_blas(table: Array, block: Array) -> Array:
    """Return table @ block, a tall table's strips side by side.

    For two vectors BLAS's own threads are as fast, but spin for 30 ms when they have done.
    """
    if table.size < STRIPPED or not table.flags.c_contiguous or len(table) < table.shape[1]:
        return np.asarray(table @ block)
    with limit_blas_threads():
        return multiply_rows(table, block)


def multiply_rows(table: Array, block: Array) -> Array:
    """Return table @ block by strips of rows, each in the cache of its core.

    BLAS is to be kept to one thread meanwhile.
    """
    product = np.empty((len(table), block.shape[1]))

    def work(rows: slice) -> None:
        np.matmul(table[rows], block, out=product[rows])

    run_strips(work, len(table), BLAS_ROWS)
    return product
