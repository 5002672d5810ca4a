"""The eigensolvers, each for one structure. All return pairs from the wanted end, best first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg as sparse_linalg

from ..elimination import PLANNED, SYMMETRIC, Elimination
from ..progress import Running
from ..values import Array, EigenProblem
from .block import Leading, leading_pairs
from .operators import Standard

SHIFTS = (1e-12, 1e-9, 1e-6)  # of the norm. Small: LLE's wanted values are 1e-13..1e-9 of it


class NotSolved(Exception):
    """This solver gave no trustworthy answer; the message says why."""


@dataclass(frozen=True)
class Pairs:
    """Eigenpairs of a problem in standard form."""

    values: Array
    vectors: Array


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
        width = min(max(self.count, 6), self.form.size - self.form.trivial.shape[1])
        draws = np.random.default_rng(self.seed).standard_normal((self.form.size, width))
        return self.form.project(draws)


def dense(task: Task) -> Pairs:
    """Decompose the dense matrix; trivial directions are moved past the unwanted end first."""
    form, n, count = task.form, task.form.size, task.count
    smallest = task.problem.end == "smallest"
    far = 4.0 * max(form.norm_bound(), 1.0) * (1.0 if smallest else -1.0)
    table = form.dense() + far * (form.trivial @ form.trivial.T)
    table = 0.5 * (table + table.T)
    first, last = (0, count - 1) if smallest else (n - count, n - 1)
    values, vectors = scipy.linalg.eigh(table, subset_by_index=[first, last], check_finite=False)
    if len(values) < count:  # LAPACK's subset solver may lose pairs of a degenerate spectrum
        values, vectors = scipy.linalg.eigh(table, driver="ev", check_finite=False)
        values, vectors = values[first : last + 1], vectors[:, first : last + 1]
    order = slice(None) if smallest else slice(None, None, -1)
    return Pairs(values[order], form.project(vectors[:, order]))


def factored(task: Task) -> Pairs:
    """Decompose F itself where the matrix is F'F: no digits are lost by squaring."""
    form, smallest = task.form, task.problem.end == "smallest"
    factor = form.as_array()
    if form.trivial.shape[1]:
        factor = factor - (factor @ form.trivial) @ form.trivial.T
        # rows that give the trivial directions a value beyond the unwanted end
        far = 2.0 * np.sqrt(form.norm_bound()) if smallest else 0.0
        factor = np.vstack([factor, far * form.trivial.T])
    missing = max(0, form.size - len(factor)) if smallest else 0
    factor = np.vstack([factor, np.zeros((missing, form.size))])
    _, singular, transposed = scipy.linalg.svd(factor, full_matrices=False, check_finite=False)
    order = slice(None, None, -1) if smallest else slice(None)
    return Pairs(singular[order][: task.count] ** 2, transposed[order][: task.count].T)


def products(task: Task) -> Pairs:
    """Find the large end by products with the matrix alone."""
    found = leading_pairs(task.form.apply, task.start(), task.wanted, task.running)
    return _accepted(found, task)


def inverted_factor(task: Task) -> Pairs:
    """Find the small end of B'B by solving with B and B', which keeps twice the digits.

    B has the trivial vector q as its null vector, so B is bordered: [[B, u], [q', 0]] is regular
    for almost any u, and its solutions are those of the pseudo-inverse once the null vector of B'
    is taken out between the two solves.
    """
    form = task.form
    if form.trivial.shape[1] != 1 or task.plan is None:
        raise NotSolved("bordering needs exactly one trivial vector and a planned elimination")
    n = form.size
    column = np.random.default_rng(task.seed + 1).standard_normal((n, 1)) / np.sqrt(n)
    order = np.argsort(task.plan.position)
    permuted = sp.csr_array(form.matrix)[order][:, order]
    bordered = sp.block_array([[permuted, column[order]], [form.trivial[order].T, None]])
    try:
        factor = sparse_linalg.splu(sp.csc_array(bordered), **PLANNED, diag_pivot_thresh=0.1)
    except RuntimeError as error:
        raise NotSolved(str(error)) from error

    def bordered_solve(block: Array, trans: str) -> Array:
        padded = np.vstack([block[order], np.zeros((1, block.shape[1]))])
        solution = np.empty_like(block)
        solution[order] = factor.solve(padded, trans)[:-1]
        return solution

    unit = np.zeros((n + 1, 1))
    unit[-1] = 1.0
    left_null = np.empty((n, 1))
    left_null[order] = factor.solve(unit, "T")[:-1]
    left_null /= np.linalg.norm(left_null)

    def apply(block: Array) -> Array:
        inner = bordered_solve(form.project(block), "T")
        inner -= left_null @ (left_null.T @ inner)
        return form.project(bordered_solve(inner, "N"))

    found = leading_pairs(apply, task.start(), task.wanted, task.running, max_passes=60)
    return _rayleigh_ritz(task, _accepted(found, task).vectors)


def inverted(task: Task) -> Pairs:
    """Find the small end by products with the inverse of the slightly shifted sparse matrix."""
    form = task.form
    matrix = form.matrix.T @ form.matrix if form.is_factor else form.matrix
    norm = max(form.norm_bound(), float(np.finfo(float).tiny))
    reason = "no shift could be factorised"
    for relative in SHIFTS:
        shift = -relative * norm  # zero is an exact eigenvalue: factorising at 0 would fail
        shifted = sp.csc_array(matrix - shift * sp.eye_array(form.size))
        try:
            factor = sparse_linalg.splu(shifted, **SYMMETRIC)
        except RuntimeError as error:
            reason = str(error)
            continue

        def apply(block: Array, factor: sparse_linalg.SuperLU = factor) -> Array:
            return form.project(factor.solve(form.project(block)))

        found = leading_pairs(apply, task.start(), task.wanted, task.running, max_passes=60)
        if found.converged and (found.values[: task.wanted] > 0).all():
            return _rayleigh_ritz(task, _accepted(found, task).vectors)
        reason = f"not converged after {found.passes} passes at shift {relative:g}"
    raise NotSolved(reason)


def turned_over(task: Task) -> Pairs:
    """Find the small end as the large end of ceiling - matrix: no factorisation."""
    form, ceiling = task.form, task.problem.ceiling
    top = form.norm_bound() if ceiling is None else ceiling

    def apply(block: Array) -> Array:
        return form.project(top * block) - form.apply(block)

    found = leading_pairs(apply, task.start(), task.wanted, task.running, max_passes=600)
    return _rayleigh_ritz(task, _accepted(found, task).vectors)


def _accepted(found: Leading, task: Task) -> Pairs:
    if not found.converged:
        worst = float(found.residuals[: task.wanted].max())
        raise NotSolved(f"residual {worst:.1e} after {found.passes} passes")
    return Pairs(found.values[: task.count], found.vectors[:, : task.count])


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
