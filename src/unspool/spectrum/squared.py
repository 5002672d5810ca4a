"""A dense factor F by its Gram matrix: F'F or FF', whichever is smaller, in one product.

Squaring halves the digits of small singular values, not of large ones: a value of F'F that is
1e-6 of the largest still has ten. Where a wanted one is smaller, the factor itself is decomposed.
Rows are centred a block at a time, while the cache holds them: the table is not copied.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from ..runtime import run_apart
from ..values import Array, EigenProblem
from .operators import EigenPairs, NotSolved, StandardForm, Task

SQUARED = 1e-6  # of the largest value: above, F'F gives ten digits
BLOCK = 1 << 19  # entries of a centred block
# Columns of the shorter side for each vector, up to which a Gram matrix is taken to cost less than
# products until they converge: an estimate, from some 30 passes at half of the speed.
PER_VECTOR = 120
LONG = 1e10  # multiplications that may take a second: Ctrl-C must be heard meanwhile
SAMPLE = 1000  # rows that tell how wide the points are spread
FEWEST = 24  # vectors that a product with fewer takes as long as: it waits for memory


def is_squared(task: Task, work: float) -> bool:
    """Tell whether the Gram matrix of a factor is the way: dense, its large end, and worth it.

    ``work`` are the multiplications below which the factor itself is decomposed.
    """
    form = task.form
    if not form.is_factor or form.is_operator or not isinstance(form.given, np.ndarray):
        return False
    shorter, longer = sorted(form.table.shape)
    few = shorter <= PER_VECTOR * max(task.count, FEWEST)
    is_free = form.trivial.shape[1] == 0 and form.root_mass is None
    is_large = float(shorter) ** 2 * longer > work
    return bool(task.problem.end == "largest" and is_free and few and is_large)


def solve_by_gram(task: Task) -> EigenPairs:
    """Decompose F'F, or FF' where F is wide, if every wanted value is large enough for it."""
    from .solve import decompose

    form = task.form
    rows, columns = form.table.shape
    square_up = partial(_gram_of_columns if rows >= columns else _gram_of_rows, form)
    work = float(min(rows, columns)) ** 2 * max(rows, columns)
    table = run_apart(square_up) if work > LONG else square_up()
    square = StandardForm(table, np.zeros((len(table), 0)), None)
    count = min(task.count, len(table))
    problem = EigenProblem(table, "largest")
    pairs = decompose(replace(task, form=square, problem=problem, count=count))
    values = np.maximum(pairs.values, 0.0)
    if len(values) < task.wanted or not values[task.wanted - 1] > SQUARED * values[0]:
        raise NotSolved("a wanted value is too small to be found from squares")
    kept, own = values[: task.wanted], pairs.vectors[:, : task.wanted]
    residuals = np.linalg.norm(table @ own - own * kept, axis=0)
    vectors = pairs.vectors
    if rows < columns:
        # nearly orthogonal, longest first: the triangle is nearly diagonal
        vectors = np.linalg.qr(_times_rows(form, vectors))[0]
        residuals = residuals * np.sqrt(values[0] / kept)
    return EigenPairs(values, vectors, residuals=residuals, norm=square.norm_bound)


def _gram_of_columns(form: StandardForm) -> Array:
    """Return F'F, by blocks of rows."""
    table = np.zeros((form.size, form.size))
    is_near = _is_near_origin(form)
    sums = np.zeros(form.size)
    for block in [form.table] if is_near else _centred_blocks(form):
        table += block.T @ block  # NumPy computes one triangle
        if form.center is not None:
            sums += len(block) * form.center if is_near else np.ones(len(block)) @ block
    if form.center is not None:  # the mean, or what rounding left of it
        table -= np.outer(sums, sums / len(form.table))
    return table


def _centred_blocks(form: StandardForm) -> Iterator[Array]:
    """Yield F, block by block in one workspace."""
    step = max(form.size, BLOCK // max(1, form.size))
    workspace = np.empty((min(step, len(form.table)), form.size))
    center = 0.0 if form.center is None else form.center
    for first in range(0, len(form.table), step):
        rows = form.table[first : first + step]
        yield np.subtract(rows, center, out=workspace[: len(rows)])


def _is_near_origin(form: StandardForm) -> bool:
    """Tell whether centring after squaring costs no digits: points spread wider than their mean."""
    given = form.table
    if form.center is None or given.dtype != np.float64 or not given.flags.c_contiguous:
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
