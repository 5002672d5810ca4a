"""Spectra of dense tables: leading pairs by a Gram matrix, and questions about whole spectra.

A dense factor F is solved by F'F or FF', whichever is smaller, in one product. Squaring halves the
digits of small singular values, not of large ones: a value of F'F that is 1e-6 of the largest still
has ten. Where a wanted one is smaller, the factor itself is decomposed. Rows are centred a block at
a time, while the cache holds them: the table is not copied.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from functools import partial

import numpy as np
import scipy.linalg

from ..runtime import check_cancelled, limit_blas_threads, run_apart, run_strips
from ..values import Array, EigenProblem
from .operators import EigenPairs, NotSolved, StandardForm, Task

SQUARED = 1e-6  # of the largest value: above, F'F gives ten digits
BLOCK = 1 << 19  # entries of a centred block
LONGEST = 1 << 23  # of one that is taken as it is
PARTS, TALL = 8, 4  # parts of the rows, added up apart, each so many times as tall as wide
# Columns of the shorter side for each vector, up to which a Gram matrix is taken to cost less than
# products until they converge: an estimate, from some 30 passes at half of the speed.
PER_VECTOR = 120
LONG = 1e10  # multiplications that may take a second: Ctrl-C must be heard meanwhile
SAMPLE = 1000  # rows that tell how wide the points are spread
ALONE = 1_000  # rows of a small table: one thread takes 22 ms for 784, two take 15 and spin for 60
FEWEST = 24  # vectors that a product with fewer takes as long as: it waits for memory


def is_squared(task: Task, work: float) -> bool:
    """Tell whether the Gram matrix of a factor is the way: dense, and worth it.

    ``work`` are the multiplications below which the factor itself is decomposed. Of the small end
    that is only so where all values are wanted, and the table is tall: then decomposing the factor
    takes ten times as long, and whether the smallest is large enough is seen at once.
    """
    form = task.form
    if not form.is_factor or form.is_operator or not isinstance(form.given, np.ndarray):
        return False
    shorter, longer = sorted(form.table.shape)
    few = shorter <= PER_VECTOR * max(task.count, FEWEST)
    is_free = form.trivial.shape[1] == 0 and form.root_mass is None
    is_large = float(shorter) ** 2 * longer > work
    all_of_tall = task.count >= shorter and len(form.table) >= TALL * shorter
    is_end = task.problem.end == "largest" or all_of_tall
    return bool(is_end and is_free and few and is_large)


def solve_by_gram(task: Task) -> EigenPairs:
    """Decompose F'F, or FF' where F is wide, if every wanted value is large enough for it."""
    form = task.form
    rows, columns = form.table.shape
    if rows >= columns:
        table = _gram_of_columns(form)
    else:
        square_up = partial(_gram_of_rows, form)
        is_long = float(rows) ** 2 * columns > LONG
        table = run_apart(square_up) if is_long else square_up()
    # a small one is decomposed by one thread: others would wait by spinning, on the cores that the
    # next pass over the points needs
    with limit_blas_threads() if len(table) <= ALONE else nullcontext():
        pairs = _decompose_square(task, table)
    if rows >= columns:
        return pairs
    # nearly orthogonal, longest first: the triangle is nearly diagonal
    vectors = np.linalg.qr(_times_rows(form, pairs.vectors))[0]
    shorter = np.sqrt(pairs.values[: task.wanted] / pairs.values.max())
    return replace(pairs, vectors=vectors, residuals=pairs.residuals / shorter)


def _decompose_square(task: Task, table: Array) -> EigenPairs:
    """Decompose F'F or FF'; NotSolved where a wanted value is too small for squares."""
    from .solve import decompose

    square = StandardForm(table, np.zeros((len(table), 0)), None)
    count = min(task.count, len(table))
    problem = EigenProblem(table, task.problem.end)
    pairs = decompose(replace(task, form=square, problem=problem, count=count))
    values = np.maximum(pairs.values, 0.0)
    kept, own = values[: task.wanted], pairs.vectors[:, : task.wanted]
    if len(kept) < task.wanted or not kept.min() > SQUARED * values.max():
        raise NotSolved("a wanted value is too small to be found from squares")
    residuals = np.linalg.norm(table @ own - own * kept, axis=0)
    return EigenPairs(values, pairs.vectors, residuals=residuals, norm=square.norm_bound)


def _gram_of_columns(form: StandardForm) -> Array:
    """Return F'F, by blocks of rows: parts of them side by side, as long as those are long."""
    n, size = len(form.table), form.size
    is_near = _is_near_origin(form)
    n_parts = _n_parts(n, size)
    bounds = np.linspace(0, n, n_parts + 1).astype(np.intp)
    tables, sums = np.zeros((n_parts, size, size)), np.zeros((n_parts, size))

    def work(numbers: slice) -> None:
        for part in range(numbers.start, numbers.stop):
            product, rows = np.empty((size, size)), slice(bounds[part], bounds[part + 1])
            for block in _near_blocks(form, rows) if is_near else _centred_blocks(form, rows):
                check_cancelled()
                tables[part] += np.matmul(block.T, block, out=product)  # one triangle of it
                if form.center is not None:
                    sums[part] += (
                        len(block) * form.center if is_near else np.ones(len(block)) @ block
                    )

    # one thread for each product: OpenBLAS shares out a product of this shape badly
    with limit_blas_threads() if n_parts > 1 else nullcontext():
        run_strips(work, n_parts, 1)
    for part in range(1, n_parts):
        tables[0] += tables[part]
    total = sums.sum(axis=0)  # of the mean, or what rounding left of it
    return np.asarray(tables[0] - np.outer(total, total / n))


def gram_bytes(n_rows: int, n_columns: int) -> float:
    """Return the bytes that solving a dense factor by its Gram matrix takes beside the factor.

    Parameters
    ----------
    n_rows : int
        Rows of the factor.
    n_columns : int
        Its columns.

    Returns
    -------
    float
        Bytes at the peak.

    Examples
    --------
    >>> from unspool import spectrum
    >>> spectrum.gram_bytes(60_000, 784) < 8 * 60_000 * 784
    True
    """
    side = min(n_rows, n_columns)
    # sums of the parts, two products at a time, and what decomposing one of them takes
    return 8.0 * side**2 * (_n_parts(n_rows, n_columns) + 3)


def _n_parts(n_rows: int, n_columns: int) -> int:
    """Return in how many parts the rows are added up: 1, 2, 4 or 8, which two threads share."""
    most = max(1, min(PARTS, n_rows // (TALL * n_columns)))
    return 1 << (most.bit_length() - 1)


def _near_blocks(form: StandardForm, rows: slice) -> Iterator[Array]:
    """Yield rows of F as they are, some at a time, so that Ctrl-C is heard in between."""
    step = max(form.size, LONGEST // form.size)
    for first in range(rows.start, rows.stop, step):
        yield form.table[first : min(first + step, rows.stop)]


def _centred_blocks(form: StandardForm, rows: slice) -> Iterator[Array]:
    """Yield rows of F less the center, block by block in one workspace."""
    step = max(form.size, BLOCK // max(1, form.size))
    workspace = np.empty((min(step, rows.stop - rows.start), form.size))
    center = 0.0 if form.center is None else form.center
    for first in range(rows.start, rows.stop, step):
        block = form.table[first : min(first + step, rows.stop)]
        yield np.subtract(block, center, out=workspace[: len(block)])


def _is_near_origin(form: StandardForm) -> bool:
    """Tell whether centring after squaring costs no digits: points spread wider than their mean."""
    given = form.table
    if form.center is None:
        return bool(given.dtype == np.float64)
    if given.dtype != np.float64 or not given.flags.c_contiguous:
        return False
    some = given[:: 1 + len(given) // SAMPLE] - form.center
    return bool(form.center @ form.center <= np.square(some).sum() / len(some))


def _gram_of_rows(form: StandardForm) -> Array:
    """Return FF', by blocks of columns."""
    table = np.zeros((len(form.table), len(form.table)))
    for columns in _column_blocks(form):
        block = _columns_of(form, columns)
        table += block @ block.T
    return table


def _times_rows(form: StandardForm, vectors: Array) -> Array:
    """Return F' times vectors."""
    product = np.empty((form.size, vectors.shape[1]))
    for columns in _column_blocks(form):
        product[columns] = _columns_of(form, columns).T @ vectors
    return product


def _column_blocks(form: StandardForm) -> Iterator[slice]:
    step = max(len(form.table), BLOCK // max(1, len(form.table)))
    for first in range(0, form.size, step):
        yield slice(first, first + step)


def _columns_of(form: StandardForm, columns: slice) -> Array:
    block = np.asarray(form.table[:, columns], dtype=np.float64)
    if form.center is None:
        return block
    block = block - form.center[columns]
    return np.asarray(block - block.mean(axis=0))  # what rounding left of the mean


def all_eigenvalues(table: Array) -> Array:
    """Return all eigenvalues of a symmetric table, largest first.

    Parameters
    ----------
    table : ndarray of shape (n_samples, n_samples)
        A symmetric table.

    Returns
    -------
    ndarray of shape (n_samples,)
        The eigenvalues.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import spectrum
    >>> spectrum.all_eigenvalues(np.diag([1.0, 3.0]))
    array([3., 1.])
    """
    found = run_apart(partial(scipy.linalg.eigvalsh, np.asarray(table, dtype=np.float64)))
    return np.asarray(found)[::-1]


def negative_mass(table: Array) -> float:
    """Return the share of a table's spectrum that is negative: sum of |negative| over sum of all.

    Zero for the inner products of points; what is left of a table of distances that no points have.

    Parameters
    ----------
    table : ndarray of shape (n_samples, n_samples)
        A symmetric table.

    Returns
    -------
    float
        The share, from 0 to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import spectrum
    >>> spectrum.negative_mass(np.diag([3.0, -1.0]))
    0.25
    """
    values = all_eigenvalues(table)
    total = float(np.abs(values).sum())
    return float(-values[values < 0].sum() / total) if total > 0 else 0.0


def additive_constant(squares: Array, distances: Array) -> float:
    """Return the least c for which the distances d + c (off the diagonal) are Euclidean.

    The largest real eigenvalue of [[0, 2 B], [-I, -4 C]], with B and C the centred -1/2 d^2 and
    -1/2 d (Cailliez 1983).

    Parameters
    ----------
    squares : ndarray of shape (n_samples, n_samples)
        The centred -1/2 d^2.
    distances : ndarray of shape (n_samples, n_samples)
        The centred -1/2 d.

    Returns
    -------
    float
        The constant.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import spectrum
    >>> from unspool.kernel import double_centered
    >>> d = np.array([[0.0, 1.0, 9.0], [1.0, 0.0, 1.0], [9.0, 1.0, 0.0]])
    >>> c = spectrum.additive_constant(double_centered(-0.5 * d**2), double_centered(-0.5 * d))
    >>> round(c, 9)
    7.0
    """
    n = len(squares)
    block = np.block([[np.zeros((n, n)), 2.0 * squares], [-np.eye(n), -4.0 * distances]])
    return float(np.max(np.real(run_apart(partial(scipy.linalg.eigvals, block)))))


def components_of_null_space(vectors: Array) -> Array:
    """Return the connected components of a graph from a basis of its Laplacian's null space.

    The basis is the components' indicators times a regular matrix (Vidal, Ma, Sastry 2016,
    prop. 4.12): rows are equal within a component and independent between components. One row of
    each component is found by pivoting; every row joins the nearest.

    Parameters
    ----------
    vectors : ndarray of shape (n_samples, n_components)
        A basis of the null space.

    Returns
    -------
    ndarray of shape (n_samples,)
        The component of every point.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import spectrum
    >>> labels = spectrum.components_of_null_space(np.array([[1.0, 1.0], [1.0, 1.0], [1.0, -1.0]]))
    >>> bool(labels[0] == labels[1] != labels[2])
    True
    """
    _, _, pivots = scipy.linalg.qr(vectors.T, mode="economic", pivoting=True)
    heads = vectors[np.sort(pivots[: vectors.shape[1]])]
    gaps = np.square(vectors[:, None, :] - heads[None, :, :]).sum(axis=2)
    return np.asarray(gaps.argmin(axis=1))
