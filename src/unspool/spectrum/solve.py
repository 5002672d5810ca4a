"""EigenProblem -> Spectrum: picks the solver from the problem's structure, checks its work.

Small problems are decomposed densely, here. A large dense one is solved by block Krylov products; a
large sparse one, at its small end, by block Krylov on the inverse where the factor stays sparse
(its fill is counted first), else by a Chebyshev filter of its products. What comes back is
verified; a solver that fails is followed by the next, and the report says why.

One rule fixes signs and the axes of degenerate eigenspaces, so that a map is reproducible. It looks
at entries that stand out by a margin far above rounding, so that neither the number of threads nor
the solver can flip them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from ..elimination_order import narrowest_cut, plan_elimination
from ..runtime import advise, available_bytes, claim, run_apart, stage, warn
from ..values import Array, EigenProblem, Spectrum
from .dense import is_squared, solve_by_gram
from .iterative import (
    solve_by_factor_inverse,
    solve_by_filter,
    solve_by_lanczos,
    solve_by_products,
    solve_by_shift_invert,
)
from .operators import EigenPairs, NotSolved, StandardForm, Task, to_standard_form

DENSE_SIZE = 600  # below, a full decomposition takes less than the set-up of anything cleverer
SPARE = 4  # pairs beyond the wanted ones: they show the gap, and complete degenerate groups
LONG = 1000  # rows whose decomposition may take a second: Ctrl-C must be heard meanwhile
DECOMPOSED = 3e8  # multiplications, about: a factor that takes more is multiplied with instead
# Products with a filter until it has converged, about: a normalised Laplacian (one with a ceiling)
# has gaps of hundredths at its small end where it fills in, an alignment of thousandths, and LLE's
# squares less. Measured on MNIST and on clouds in 3 and 8 dimensions, as are the seconds of an
# entry in a product with eight vectors, and the multiplications of a factorisation in a second.
FILTER_PRODUCTS = {"laplacian": 220, "alignment": 500, "factor": 8_000}
ENTRY_SECONDS, FACTOR_SPEED = 2e-9, 4e9
SQUARED_FROM = 2e7  # multiplications: a factor that takes fewer is decomposed in some 10 ms
# Seconds of one thread: decomposing a table, by n^3; products by n^2 count, rotations by n count^2.
# Measured on Gaussian kernel matrices of 1,000 and 2,000 points with 10 to 100 pairs.
WHOLE, PRODUCTS, ROTATIONS = 1.4e-10, 1.3e-9, 8e-8
# Where one in so many vectors of a table of so many rows takes LAPACK longer than all of them by
# divide and conquer: 204 of 784 took 0.11 s and all 0.06 s, but 260 of 3,000 took 1.6 s and all 2.7
ALL, FEW_ROWS = 16, 1_000
# 260 of 3,000 took block Lanczos 0.8 s, and LAPACK 1.4 s; a tenth of a table is about where it pays
LANCZOS = 10
DEGENERATE = 1e2 * float(np.finfo(np.float64).eps)  # of the norm: values this close are equal
VERIFIED = 1e-6  # of the norm: pairs with larger residuals are not accepted
TINY = 1e-7  # of the norm: rounding may turn vectors of smaller values by more than 1e-9
VAGUE = 1e-3  # of a vector: the user is told where the bound of its error is larger
HARDLY = ": parts of the data are hardly joined; more neighbours, or a map of each part, tells more"
MARGIN = 1e-4  # entries this close to the largest count as equally large; the first one decides

Solver = Callable[[Task], EigenPairs]


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
        form = to_standard_form(problem)
        task = Task(form, problem, min(count + SPARE, available), count, seed, running)
        pairs = _resolved(task, _first_that_works(task))
        spectrum = _finish(task, pairs, count)
    return spectrum


def _first_that_works(task: Task) -> EigenPairs:
    reasons: list[str] = []
    for name, solver, prepared in _candidates(task):
        try:
            pairs = solver(prepared)
        except NotSolved as reason:
            reasons.append(f"{name}: {reason}")
            continue
        pairs = _measured(prepared, pairs)
        if len(pairs.values) < task.wanted:
            reasons.append(f"{name}: {len(pairs.values)} pairs came back")
        elif not _is_verified(prepared, pairs):
            reasons.append(f"{name}: residual {_largest(pairs):.1e}")
        else:
            task.running.note(solver=name)
            if reasons:
                task.running.note(fallbacks="; ".join(reasons))
            return pairs
    told = "; ".join(reasons)
    if task.form.has_entries:  # the last resort was left out where memory is short
        shape = task.problem.matrix.shape
        claim(
            3 * task.form.size * min(shape) * 8,
            f"no eigensolver that needs little memory succeeded ({told}), and decomposing the "
            f"{shape[0]} x {shape[1]} matrix",
            "fit a sample and transform the rest, or lower n_neighbors",
        )
    raise np.linalg.LinAlgError("no eigensolver succeeded: " + told)


def _resolved(task: Task, pairs: EigenPairs) -> EigenPairs:
    """Return the pairs, told apart by other means where rounding of a Laplacian mixes them."""
    norm = _norm(task, pairs)
    if pairs.of_factor or pairs.values[0] > TINY * norm or task.problem.ceiling is None:
        return pairs
    from .iterative import is_one_graph, resolve_by_differences

    return _measured(task, resolve_by_differences(task, pairs)) if is_one_graph(task) else pairs


def _measured(task: Task, pairs: EigenPairs) -> EigenPairs:
    """Return the pairs with the residuals of the wanted ones."""
    if pairs.residuals is not None:
        return pairs
    wanted = pairs.vectors[:, : task.wanted]
    misfit = task.form.apply(wanted) - wanted * pairs.values[: task.wanted]
    size = float(np.abs(misfit).max(initial=0.0)) or 1.0  # squares of 1e160 overflow
    return replace(pairs, residuals=size * np.linalg.norm(misfit / size, axis=0))


def _is_verified(task: Task, pairs: EigenPairs) -> bool:
    """Tell whether the residuals are small for a matrix of this norm."""
    return _largest(pairs) <= VERIFIED * _norm(task, pairs)


def _norm(task: Task, pairs: EigenPairs) -> float:
    return task.form.norm_bound if pairs.norm is None else pairs.norm


def _largest(pairs: EigenPairs) -> float:
    return 0.0 if pairs.residuals is None else float(pairs.residuals.max(initial=0.0))


def _candidates(task: Task) -> Iterator[tuple[str, Solver, Task]]:
    """Yield the solvers for this structure, best first, the dense ones last if they fit at all."""
    form, problem = task.form, task.problem
    by_decomposition: tuple[str, Solver] = (
        ("svd", decompose_factor) if form.is_factor else ("dense", decompose)
    )
    shorter = min(problem.matrix.shape)
    if task.form.is_factor and is_squared(task, SQUARED_FROM):
        yield "gram matrix of the factor", solve_by_gram, task
        if 3 * form.size * shorter * 8 < available_bytes():  # small values: they need every digit
            yield *by_decomposition, task
    few = _decomposable(form) if form.is_factor else DENSE_SIZE
    is_share = task.count > form.size // 4 or _is_large_share(task)
    if not form.is_operator and (shorter <= few or is_share):
        if _lanczos_pays(task):
            yield "block lanczos", solve_by_lanczos, task
        yield *by_decomposition, task
    if problem.end == "largest":
        yield "block krylov", solve_by_products, task
    elif sp.issparse(form.matrix):
        yield from _sparse_candidates(task)
    if form.has_entries and 3 * form.size * shorter * 8 < available_bytes():
        yield *by_decomposition, task


def _is_large_share(task: Task) -> bool:
    """Tell whether decomposing a dense table costs less than products for so many pairs."""
    form, n = task.form, task.form.size
    if form.is_factor or not isinstance(form.given, np.ndarray) or task.problem.end != "largest":
        return False
    return 3 * n * n * 8 < available_bytes() and not products_pay(n, task.wanted)


def _lanczos_pays(task: Task) -> bool:
    """Tell whether a basis of several times as many vectors costs less than a decomposition."""
    form = task.form
    if form.is_factor or form.size < DENSE_SIZE or task.problem.end != "largest":
        return False
    return LANCZOS * task.count <= form.size and form.has_own_products(form.trivial[:, :0])


def products_pay(size: int, count: int) -> bool:
    """Tell whether products find the leading pairs of a table sooner than decomposing all of it.

    Parameters
    ----------
    size : int
        Number of rows of the table.
    count : int
        Number of eigenpairs that are wanted.

    Returns
    -------
    bool
        Whether it is expected to.

    Examples
    --------
    >>> from unspool import spectrum
    >>> spectrum.products_pay(10_000, 2), spectrum.products_pay(2_000, 1_000)
    (True, False)
    """
    n, asked = float(size), min(count + SPARE, size)
    return WHOLE * n**3 >= PRODUCTS * n**2 * asked + ROTATIONS * n * asked**2


def _decomposable(form: StandardForm) -> int:
    """Return the shorter side up to which a factor is decomposed at once."""
    if sp.issparse(form.matrix):
        return DENSE_SIZE
    longer = max(form.matrix.shape)
    return min(4 * DENSE_SIZE, int(np.sqrt(DECOMPOSED / longer)))


def _sparse_candidates(task: Task) -> Iterator[tuple[str, Solver, Task]]:
    form, pattern, seconds = task.form, task.form.pattern(), _filter_seconds(task)
    by_filter = "chebyshev filter", solve_by_filter
    order, cut = narrowest_cut(pattern)
    is_wide = float(cut) ** 3 > FACTOR_SPEED * seconds  # a cut that is eliminated is a dense table
    if is_wide:
        task.running.note(cut=cut)
        yield *by_filter, replace(task, order=order)
    plan = plan_elimination(pattern)
    task = replace(task, plan=plan, order=plan.vertex_at)
    task.running.note(fill=round(plan.fill / max(1, form.size), 1))
    by_factor: list[tuple[str, Solver, Task]] = []
    if 2 * 16 * plan.fill < available_bytes():
        if form.is_factor:
            by_factor.append(("inverse of the factor", solve_by_factor_inverse, task))
        by_factor.append(("shift-invert", solve_by_shift_invert, task))
    if is_wide:
        yield from by_factor
    elif plan.flops / FACTOR_SPEED < seconds:
        yield from [*by_factor, (*by_filter, task)]
    else:
        yield from [(*by_filter, task), *by_factor]


def _filter_seconds(task: Task) -> float:
    """Return about how long a filter would take."""
    kind = "alignment" if task.problem.ceiling is None else "laplacian"
    products = FILTER_PRODUCTS["factor" if task.form.is_factor else kind]
    return products * -(-task.count // 8) * ENTRY_SECONDS * float(task.form.sparse.nnz)


def decompose(task: Task) -> EigenPairs:
    """Decompose the dense matrix; trivial directions are moved past the unwanted end first."""
    form, n, count = task.form, task.form.size, task.count
    smallest = task.problem.end == "smallest"
    norm = form.norm_bound
    far = 4.0 * (norm or 1.0) * (1.0 if smallest else -1.0)
    table = form.dense(far)
    first, last = (0, count - 1) if smallest else (n - count, n - 1)

    def find(matrix: Array, **which: Any) -> Any:
        # the transpose, which is as good, is as LAPACK wants it: no copy is made
        options = {"check_finite": False, "overwrite_a": True, **which}
        decomposed = partial(scipy.linalg.eigh, matrix.T, **options)
        return run_apart(decomposed) if n > LONG else decomposed()

    if ALL * count > n and n <= FEW_ROWS:
        values, vectors = np.linalg.eigh(table)
    else:
        values, vectors = find(table, subset_by_index=[first, last])
    order = slice(None) if smallest else slice(None, None, -1)
    # LAPACK's subset solver may lose pairs of a degenerate spectrum, or cut through equal values
    if len(values) < count or _is_cut(values[order], task, norm):
        values, vectors = find(form.dense(far), driver="ev")
    n_known = n - form.trivial.shape[1]
    values, vectors = values[order][:n_known], vectors[:, order][:, :n_known]
    if norm == 0.0:  # nothing but the rounding of ``far``
        values = np.zeros_like(values)
    return _whole_groups(EigenPairs(values, form.project(vectors)), task, norm)


def decompose_factor(task: Task) -> EigenPairs:
    """Decompose F itself where the matrix is F'F: no digits are lost by squaring."""
    form, smallest = task.form, task.problem.end == "smallest"
    factor = form.as_array()
    if form.trivial.shape[1]:
        factor = factor - (factor @ form.trivial) @ form.trivial.T
        # rows that give the trivial directions a value beyond the unwanted end
        far = 2.0 * np.sqrt(form.norm_bound) if smallest else 0.0
        factor = np.vstack([factor, far * form.trivial.T])
    run = run_apart if min(factor.shape) > LONG else lambda work: work()
    if len(factor) >= 2 * form.size:  # a tall factor: its triangle has the same right vectors
        triangle = partial(scipy.linalg.qr, factor, mode="r", check_finite=False)
        factor = run(triangle)[0][: form.size]
    missing = max(0, form.size - len(factor)) if smallest else 0
    factor = np.vstack([factor, np.zeros((missing, form.size))])
    _, singular, transposed = run(
        partial(scipy.linalg.svd, factor, full_matrices=False, check_finite=False)
    )
    order = slice(None, None, -1) if smallest else slice(None)
    n_known = form.size - form.trivial.shape[1]
    values, vectors = singular[order][:n_known] ** 2, transposed[order][:n_known].T
    return _whole_groups(EigenPairs(values, vectors, of_factor=True), task, form.norm_bound)


def _is_cut(values: Array, task: Task, norm: float) -> bool:
    """Tell whether values equal to the last wanted one may go on beyond the last one found."""
    more = len(values) < task.form.size - task.form.trivial.shape[1]
    return more and bool(abs(values[-1] - values[task.wanted - 1]) <= DEGENERATE * norm)


def _whole_groups(pairs: EigenPairs, task: Task, norm: float) -> EigenPairs:
    """Keep the pairs asked for, all that equal the last wanted one, and one that shows the gap."""
    ends = [int(group[-1]) + 1 for group in _equal_groups(pairs, norm)]
    count = max(task.count, next((end + 1 for end in ends if end >= task.wanted), 0))
    return replace(pairs, values=pairs.values[:count], vectors=pairs.vectors[:, :count])


def _equal_groups(pairs: EigenPairs, norm: float) -> list[Array]:
    """Return the positions of values that rounding of a matrix of this norm cannot tell apart."""
    if pairs.of_factor:
        return degenerate_groups(np.sqrt(pairs.values), DEGENERATE * np.sqrt(norm))
    return degenerate_groups(pairs.values, DEGENERATE * norm)


def _finish(task: Task, pairs: EigenPairs, count: int) -> Spectrum:
    """Fix signs, axes and unit, cut to what was asked for, and measure the residuals."""
    form, running = task.form, task.running
    norm = max(_norm(task, pairs), float(np.abs(pairs.values).max()))
    groups = _equal_groups(pairs, norm)
    rounding = DEGENERATE * norm
    notable = [group for group in groups if abs(pairs.values[group[0]]) > rounding]
    pairs = pairs.with_means_of(notable)
    _advise_if_cut(notable, count, len(pairs.values), form.size - form.trivial.shape[1])
    # signs are read off the vectors of the original problem: the ones that the user sees
    kept = canonical_vectors(form.vectors_of(pairs.vectors), groups, count)
    residuals = np.zeros(count) if pairs.residuals is None else pairs.residuals
    _tell_if_vague(task, replace(pairs, residuals=residuals), groups, norm)
    running.note(residual=float(residuals.max(initial=0.0)), holds=kept.nbytes)
    values = _in_unit(task.problem, pairs.values[:count])
    following = gap = None
    if len(pairs.values) > count:
        following = float(_in_unit(task.problem, pairs.values[count : count + 1])[0])
        gap = _relative_gap(float(pairs.values[count - 1]), float(pairs.values[count]), rounding)
    running.note(count=count, last=float(values[-1]), next=following, gap=gap)
    smallest, zero = _in_unit(task.problem, np.array([rounding, 0.0]))
    name = str(running.facts["solver"])
    return Spectrum(values, kept, residuals, name, following, float(abs(smallest - zero)))


def _in_unit(problem: EigenProblem, values: Array) -> Array:
    """Return eigenvalues of the matrix as the numbers that the problem means by them."""
    scaled = values / problem.divisor
    if problem.unit == "complement":
        return np.asarray(1.0 - scaled)
    return np.asarray(np.sqrt(scaled) if problem.unit == "root" else scaled)


def _relative_gap(last: float, following: float, rounding: float) -> float:
    """Return by how much two eigenvalues of a matrix differ; 0 where both are rounding."""
    size = max(abs(last), abs(following))
    return abs(last - following) / size if size > rounding else 0.0


def _tell_if_vague(task: Task, pairs: EigenPairs, groups: list[Array], norm: float) -> None:
    """Say so if values are so close that their vectors are left open; warn of parts of a graph."""
    is_graph = task.problem.ceiling is not None and pairs.of_factor
    for before, after in pairwise(groups):
        error = _error_bound(pairs, before, after, norm)
        if error > VAGUE:
            gap = float(abs(pairs.values[after[0]] - pairs.values[before[-1]]))
            is_part = is_graph and pairs.values[before[-1]] <= TINY * norm
            (warn if is_part else advise)(
                f"eigenvalues {before[0] + 1} to {after[-1] + 1} differ by {gap:.1e} only, so the "
                f"axes that belong to them may be wrong by {min(error, 1.0):.0e}"
                f"{HARDLY if is_part else ''}"
            )
    last = groups[0][-1]
    if is_graph and last > 0 and pairs.values[last] <= (100 * DEGENERATE) ** 2 * norm:
        warn(
            f"eigenvalues 1 to {last + 1} cannot be told from zero, so the axes that belong to "
            f"them are one choice of many{HARDLY}"
        )


def _error_bound(pairs: EigenPairs, before: Array, after: Array, norm: float) -> float:
    """Return by how much vectors of neighbouring groups of values may be wrong (Davis, Kahan 1970).

    Those that came from the singular values of a factor on one common span are wrong among each
    other by rounding of the factor alone, and by what the span itself is wrong, squared.
    """
    values, residuals = pairs.values, np.asarray(pairs.residuals)
    near = np.concatenate([before, after])
    near = near[near < len(residuals)]
    if not len(near):
        return 0.0
    gap = float(abs(values[after[0]] - values[before[-1]]))
    residual = float(residuals[near].max())
    if not pairs.of_factor:
        return residual / gap
    outside = residual / max(gap, float(abs(values[-1] - values[near[-1]])))
    apart = float(np.sqrt(values[after[0]]) - np.sqrt(values[before[-1]]))
    inside = float(np.finfo(np.float64).eps) * np.sqrt(norm) / apart + outside * residual / gap
    return float(max(outside, inside))


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


def canonical_vectors(vectors: Array, groups: list[Array], count: int) -> Array:
    """Return the first vectors, groups of equal values rotated, signs fixed, by one rule.

    Parameters
    ----------
    vectors : ndarray of shape (n_samples, n_vectors)
        Eigenvectors.
    groups : list of ndarray
        Positions of equal values, as ``degenerate_groups`` gives them.
    count : int
        Number of vectors to return.

    Returns
    -------
    ndarray of shape (n_samples, count)
        The vectors.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import spectrum
    >>> spectrum.canonical_vectors(-np.eye(2), [np.array([0]), np.array([1])], 2)
    array([[1., 0.],
           [0., 1.]])
    """
    fixed = np.array(vectors[:, :count])
    for group in groups:
        if len(group) > 1 and group[0] < count:
            kept = group[group < count]
            fixed[:, kept] = _echelon(vectors[:, group], len(kept))
    return fixed * signs(fixed)


def signs(vectors: Array) -> Array:
    """Return the signs that make the first of each vector's largest entries positive.

    Parameters
    ----------
    vectors : ndarray of shape (n_samples, n_vectors)
        The vectors.

    Returns
    -------
    ndarray of shape (n_vectors,)
        A sign for each vector.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import spectrum
    >>> spectrum.signs(np.array([[1.0, -3.0], [0.5, 2.0]]))
    array([ 1., -1.])
    """
    if vectors.shape[0] == 0:
        return np.ones(vectors.shape[1])
    sizes = np.abs(vectors)
    leading = np.argmax(sizes >= (1.0 - MARGIN) * sizes.max(axis=0), axis=0)
    chosen = np.sign(vectors[leading, np.arange(vectors.shape[1])])
    return np.where(chosen == 0.0, 1.0, chosen)


def degenerate_groups(values: Array, tolerance: float) -> list[Array]:
    """Return the positions of values that are equal up to ``tolerance``, group by group.

    Parameters
    ----------
    values : ndarray of shape (n_values,)
        Sorted eigenvalues.
    tolerance : float
        Difference up to which neighbours count as equal.

    Returns
    -------
    list of ndarray
        The positions of each group.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import spectrum
    >>> [group.tolist() for group in spectrum.degenerate_groups(np.array([2.0, 1.0, 1.0]), 1e-9)]
    [[0], [1, 2]]
    """
    if len(values) == 0:
        return []
    breaks = np.flatnonzero(np.abs(np.diff(values)) > tolerance) + 1
    return np.split(np.arange(len(values)), breaks)


def _echelon(basis: Array, count: int) -> Array:
    """Return ``count`` axes of an orthonormal basis, each vanishing at the pivots of the earlier.

    The pivot of an axis is the first point whose row of what remains is among the longest; the axis
    points along that row, which makes it the most concentrated direction at that point.
    """
    rotated = np.empty((len(basis), count))
    rest = basis
    for axis in range(count):
        lengths = np.linalg.norm(rest, axis=1)
        pivot = int(np.argmax(lengths >= (1.0 - MARGIN) * lengths.max()))
        direction = rest[pivot] / lengths[pivot]
        rotated[:, axis] = rest @ direction
        rest = rest - np.outer(rotated[:, axis], direction)
    return rotated
