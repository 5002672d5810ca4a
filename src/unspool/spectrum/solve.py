"""EigenProblem -> Spectrum: picks the solver from the problem's structure, checks its work.

Small problems are solved densely. A large dense one by block Krylov products; a large sparse one,
at its small end, by block Krylov on the inverse where the factor stays sparse (its fill is counted
first), else by a Chebyshev filter of its products. What comes back is verified; a solver that
fails is followed by the next, and the report says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from ..ordering import plan_elimination
from ..runtime import Running, advise, available_bytes, stage
from ..values import Array, EigenProblem, Spectrum
from .bordered import NotSolved
from .canonical import canonical
from .operators import Standard, standard
from .solvers import (
    DEGENERATE,
    Pairs,
    Task,
    dense,
    factored,
    filtered,
    inverted,
    inverted_factor,
    products,
)

DENSE_SIZE = 600  # below, a full decomposition takes less than the set-up of anything cleverer
SPARE = 4  # pairs beyond the wanted ones: they show the gap, and complete degenerate groups
DECOMPOSED = 3e8  # multiplications, about: a factor that takes more is multiplied with instead
# Arcs a vertex from which on products are tried first. High fill means no small separators, which
# means a large gap at the small end, which products reach in few passes; and the other way round.
HIGH_FILL = 100
# Unless they are hardly more than the entries themselves: alignments of 20,000 points on a sheet
# fill in by 105 to 60 entries, and products there gave up after 40 s where a factor takes 1.3 s.
OWN = 4

Solver = Callable[[Task], Pairs]


def solve(problem: EigenProblem, count: int, *, seed: int = 0) -> Spectrum:
    """Return the eigenpairs at the wanted end, trivial directions left out.

    The structure of the problem picks the solver; every pair is verified by its residual, and where
    a solver fails the next one is tried.

    Parameters
    ----------
    problem : EigenProblem
        The problem, as ``unspool.problem`` states it.
    count : int
        Number of eigenpairs.
    seed : int, default=0
        Seed of the initial vectors.

    Returns
    -------
    Spectrum
        Eigenvalues beside their vectors, with signs and rotations fixed by one rule.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import problem, spectrum
    >>> points = np.array([[0.0], [2.0]])
    >>> spectrum.solve(problem.gram(points @ points.T), 1).values
    array([2.])
    """
    available = problem.size - problem.n_trivial
    if not 1 <= count <= available:
        raise ValueError(
            f"{count} coordinates were asked for, but this problem of size {problem.size} has only "
            f"{available}; lower n_components"
        )
    with stage("spectrum") as running:
        form = standard(problem)
        task = Task(form, problem, min(count + SPARE, available), count, seed, running)
        pairs = _first_that_works(task)
        spectrum = _finished(form, pairs, count, running)
    return spectrum


def _first_that_works(task: Task) -> Pairs:
    reasons: list[str] = []
    for name, solver, prepared in _candidates(task):
        try:
            pairs = solver(prepared)
        except NotSolved as reason:
            reasons.append(f"{name}: {reason}")
            continue
        if len(pairs.values) >= task.wanted:
            task.running.note(solver=name)
            if reasons:
                task.running.note(fallbacks="; ".join(reasons))
            return pairs
        reasons.append(f"{name}: {len(pairs.values)} pairs came back")
    raise np.linalg.LinAlgError("no eigensolver succeeded: " + "; ".join(reasons))


def _candidates(task: Task) -> Iterator[tuple[str, Solver, Task]]:
    """Yield the solvers for this structure, best first, the dense ones last if they fit at all."""
    form, problem = task.form, task.problem
    by_decomposition: tuple[str, Solver] = ("svd", factored) if form.is_factor else ("dense", dense)
    shorter = min(problem.matrix.shape)
    few = _decomposable(form) if form.is_factor else DENSE_SIZE
    if not form.is_product and (shorter <= few or task.count > form.size // 4):
        yield *by_decomposition, task
    if problem.end == "largest":
        yield "block krylov", products, task
    elif sp.issparse(form.matrix):
        yield from _sparse_candidates(task)
    if not form.is_product and 3 * form.size * shorter * 8 < available_bytes():
        yield *by_decomposition, task


def _decomposable(form: Standard) -> int:
    """Return the shorter side up to which a factor is decomposed at once."""
    if sp.issparse(form.matrix):
        return DENSE_SIZE
    longer = max(form.matrix.shape)
    return min(4 * DENSE_SIZE, int(np.sqrt(DECOMPOSED / longer)))


def _sparse_candidates(task: Task) -> Iterator[tuple[str, Solver, Task]]:
    form = task.form
    plan = plan_elimination(form.pattern())
    task = replace(task, plan=plan)
    task.running.note(fill=round(plan.fill / max(1, form.size), 1))
    by_factor: list[tuple[str, Solver, Task]] = []
    if 2 * 16 * plan.fill < available_bytes():
        if form.is_factor:
            by_factor.append(("inverse of the factor", inverted_factor, task))
        by_factor.append(("shift-invert", inverted, task))
    by_products: list[tuple[str, Solver, Task]] = [("chebyshev filter", filtered, task)]
    high = max(HIGH_FILL * form.size, OWN * form.matrix.nnz)
    yield from by_factor + by_products if plan.fill < high else by_products + by_factor


def _finished(form: Standard, pairs: Pairs, count: int, running: Running) -> Spectrum:
    """Fix signs and degenerate axes, cut to what was asked for, and measure the residuals."""
    norm = max(form.norm_bound, float(np.abs(pairs.values).max()))
    groups = pairs.groups(norm)
    rounding = DEGENERATE * norm
    notable = [group for group in groups if abs(pairs.values[group[0]]) > rounding]
    _advise_if_cut(notable, count, len(pairs.values), form.size - form.trivial.shape[1])
    # signs are read off the vectors of the original problem: the ones that the user sees
    kept = canonical(form.vectors_of(pairs.vectors), groups, count)
    residuals = pairs.residuals
    if residuals is None:
        residuals = _residuals(form, pairs.values[:count], kept)
    running.note(residual=float(residuals.max(initial=0.0)), holds=kept.nbytes)
    following = float(pairs.values[count]) if len(pairs.values) > count else None
    running.note(last=float(pairs.values[count - 1]), next=following, rounding=rounding)
    name = str(running.facts["solver"])
    return Spectrum(pairs.values[:count].copy(), kept, residuals, name, following, rounding)


def _residuals(form: Standard, values: Array, vectors: Array) -> Array:
    block = vectors if form.root_mass is None else vectors * form.root_mass[:, None]
    return np.asarray(np.linalg.norm(form.apply(block) - block * values, axis=0))


def _advise_if_cut(groups: list[Array], count: int, found: int, available: int) -> None:
    """Say so if the last wanted axis is one of a group of equal values that goes on beyond it."""
    for group in groups:
        first, last = int(group[0]) + 1, int(group[-1]) + 1
        if first <= count < last:
            whole = last < found or last == available
            keep = f"n_components={last} keeps them together" if whole else "more may follow"
            advise(
                f"eigenvalues {first} to {last} are equal, so the last axes of this map are one "
                f"choice of many; {keep}"
            )
