"""Eigenproblems solved every way there is, against LAPACK on the full dense matrix."""

import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp

from tests.cases import roll
from tests.compare import angle_between, relative
from unspool import HessianLLE, ModifiedLLE, datasets, distances, graph, problem, runtime
from unspool.elimination_order import plan_elimination
from unspool.problem import reconstruction_weights
from unspool.runtime import resources
from unspool.spectrum import solve
from unspool.spectrum.iterative import (
    _accepted,
    solve_by_factor_inverse,
    solve_by_polynomial,
    solve_by_products,
    solve_by_refinement,
    solve_by_shift_invert,
)
from unspool.spectrum.operators import EigenPairs, NotSolved, Task, to_standard_form
from unspool.spectrum.solve import decompose, decompose_factor
from unspool.values import EigenProblem

RANDOM = np.random.default_rng(0)


def ring_weights(n):
    ones = sp.diags_array([np.ones(n - 1)], offsets=[1], shape=(n, n)).tolil()
    ones[0, n - 1] = 1.0
    return sp.csr_array(ones + ones.T)


def grid_weights(n):
    steps = ring_weights(n).tolil()
    steps[0, n - 1] = steps[n - 1, 0] = 0.0
    return sp.csr_array(
        sp.kron(sp.csr_array(steps), sp.eye_array(n))
        + sp.kron(sp.eye_array(n), sp.csr_array(steps))
    )


def roll_weights(n=250):
    found = graph.symmetrize(distances.neighbor_graph(roll(n).points, 8))
    return found.with_weights(np.exp(-0.1 * found.distances**2))


def barely_joined():
    """Two rolls joined by one edge of weight 1e-9: a tiny but true second value."""
    one = roll_weights(150)
    both = sp.block_diag([one, one]).tolil()
    both[0, 150] = both[150, 0] = 1e-9
    return sp.csr_array(both)


def lle_factor(n=250):
    from unspool import problem

    X = roll(n).points
    found = distances.neighbor_graph(X, 8)
    weights = reconstruction_weights(
        found, lambda p, near, _: problem.grams_of_points(X[p], X[near]), 1e-3, 3
    )
    return problem.reconstruction(weights)


def gram_table(n=120):
    X = RANDOM.standard_normal((n, 6)) * np.arange(6, 0, -1) + 3.0
    return X @ X.T


SPARSE = {
    "ring": problem.laplacian(ring_weights(120), "unnormalized"),
    "grid": problem.laplacian(grid_weights(12), "unnormalized"),
    "grid, symmetric": problem.laplacian(grid_weights(12), "symmetric"),
    "roll, random walk": problem.laplacian(roll_weights(), "random-walk"),
    "roll, symmetric": problem.laplacian(roll_weights(), "symmetric"),
    "barely joined": problem.laplacian(barely_joined(), "random-walk"),
    "given mass": EigenProblem(
        sp.csr_array(sp.diags_array(np.arange(1.0, 101.0))),
        "smallest",
        mass=RANDOM.uniform(0.5, 2.0, 100),
    ),
}
FACTORS = {"lle": lle_factor()}
DENSE = {
    "gram": problem.gram(gram_table()),
    "gram, not centred": problem.gram(gram_table(), centered=False),
    "covariance": problem.covariance(RANDOM.standard_normal((80, 30)) * np.arange(30, 0, -1)),
    "wide covariance": problem.covariance(RANDOM.standard_normal((30, 80))),
    "smallest of a dense matrix": EigenProblem(gram_table(), "smallest", trivial=np.ones((120, 1))),
    "indefinite": EigenProblem(gram_table() - 300 * np.eye(120), "largest"),
}
EVERYTHING = SPARSE | FACTORS | DENSE


def by_lapack(eigenproblem):
    """All values and vectors on the complement of what is trivial, from the wanted end."""
    matrix = eigenproblem.matrix
    matrix = matrix.toarray() if sp.issparse(matrix) else np.asarray(matrix)
    if eigenproblem.is_factor:
        matrix = matrix.T @ matrix
    mass = np.ones(len(matrix)) if eigenproblem.mass is None else eigenproblem.mass
    trivial = np.zeros((len(matrix), 0)) if eigenproblem.trivial is None else eigenproblem.trivial
    rest = (
        scipy.linalg.null_space((trivial * np.sqrt(mass)[:, None]).T)
        if trivial.shape[1]
        else np.eye(len(matrix))
    )
    inner = rest.T @ (matrix / np.sqrt(mass[:, None] * mass)) @ rest
    values, vectors = np.linalg.eigh(0.5 * (inner + inner.T))
    vectors = (rest @ vectors) / np.sqrt(mass)[:, None]
    order = slice(None) if eigenproblem.end == "smallest" else slice(None, None, -1)
    return values[order], vectors[:, order]


def task_for(eigenproblem, count=4, seed=0):
    form = to_standard_form(eigenproblem)
    spare = min(count + 4, eigenproblem.size - eigenproblem.n_trivial)
    plan = plan_elimination(form.pattern()) if sp.issparse(form.matrix) else None
    return Task(form, eigenproblem, spare, count, seed, runtime.Running("test", 1), plan)


def assert_solves(eigenproblem, values, vectors, count, accuracy=1e-9):
    """Hold the first pairs to LAPACK's: values, orthonormality, equations, spaces."""
    expected, axes = by_lapack(eigenproblem)
    size = np.abs(expected).max()
    np.testing.assert_allclose(values[:count], expected[:count], atol=1e-11 * size, rtol=1e-8)
    mass = np.ones(len(axes)) if eigenproblem.mass is None else eigenproblem.mass
    V = vectors[:, :count]
    np.testing.assert_allclose(V.T @ (mass[:, None] * V), np.eye(count), atol=1e-9)
    if eigenproblem.trivial is not None:
        np.testing.assert_allclose(V.T @ (mass[:, None] * eigenproblem.trivial), 0.0, atol=1e-9)
    # spaces where there is a gap to what follows
    for end in range(1, count + 1):
        gap = abs(expected[end] - expected[end - 1]) if end < len(expected) else size
        if gap > 1e-6 * size:
            scaled = np.sqrt(mass)[:, None]
            angle = angle_between(scaled * V[:, :end], scaled * axes[:, :end])
            assert angle < accuracy * size / gap + 1e-9, end


SOLVERS = {
    "dense": (decompose, SPARSE | {k: v for k, v in DENSE.items() if not v.is_factor}),
    "svd": (decompose_factor, FACTORS | {k: v for k, v in DENSE.items() if v.is_factor}),
    "block krylov": (solve_by_products, {k: v for k, v in DENSE.items() if v.end == "largest"}),
    "shift-invert": (solve_by_shift_invert, SPARSE | FACTORS),
    "chebyshev filter": (solve_by_polynomial, SPARSE),
    "filtered residuals": (
        solve_by_refinement,
        {k: v for k, v in SPARSE.items() if v.ceiling is not None},
    ),
    "inverse of the factor": (solve_by_factor_inverse, FACTORS),
}
PAIRED = [
    pytest.param(solver, eigenproblem, id=f"{name}: {label}")
    for name, (solver, problems) in SOLVERS.items()
    for label, eigenproblem in problems.items()
]


@pytest.mark.parametrize(("solver", "eigenproblem"), PAIRED)
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_every_solver_gives_what_lapack_gives(solver, eigenproblem, count):
    task = task_for(eigenproblem, count)
    pairs = solver(task)
    assert len(pairs.values) >= count
    vectors = task.form.vectors_of(pairs.vectors)
    assert_solves(eigenproblem, pairs.values, vectors, count, accuracy=1e-8)


@pytest.mark.parametrize("eigenproblem", EVERYTHING.values(), ids=EVERYTHING)
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_solve_gives_what_lapack_gives(eigenproblem, count):
    with runtime.recording() as record:
        found = solve(eigenproblem, count)
    assert "fallbacks" not in record.report().stage("spectrum").facts  # the first solver was right
    assert found.count == count
    assert found.vectors.shape == (eigenproblem.size, count)
    assert_solves(eigenproblem, found.values, found.vectors, count)
    expected = by_lapack(eigenproblem)[0]
    size = np.abs(expected).max()
    assert abs(found.next_value - expected[count]) < 1e-8 * size
    assert (found.residuals < 1e-9 * size).all()


@pytest.mark.parametrize("label", ["ring", "roll, random walk", "gram", "lle"])
def test_all_the_pairs_there_are(label):
    eigenproblem = EVERYTHING[label]
    count = eigenproblem.size - eigenproblem.n_trivial
    found = solve(eigenproblem, count)
    expected = by_lapack(eigenproblem)[0]
    np.testing.assert_allclose(found.values, expected, atol=1e-11 * np.abs(expected).max())
    assert found.next_value is None


@pytest.mark.parametrize("count", [0, -1, 120, 500])
def test_wrong_counts_are_refused(count):
    with pytest.raises(ValueError, match=rf"{count} coordinates were asked for.*only 119"):
        solve(problem.gram(gram_table()), count)


# large enough to leave the dense solvers


@pytest.mark.parametrize("n", [700, 1500])
@pytest.mark.parametrize("kind", ["unnormalized", "random-walk", "symmetric"])
def test_large_rings_come_in_pairs(n, kind):
    """Equal values in pairs: a single-vector iteration would miss the second."""
    found = solve(problem.laplacian(ring_weights(n), kind), 6)
    scale = 2.0 if kind == "unnormalized" else 1.0
    expected = scale * (1 - np.cos(2 * np.pi * np.array([1, 1, 2, 2, 3, 3]) / n))
    np.testing.assert_allclose(found.values, expected, atol=1e-10)
    turns = 2 * np.pi * np.arange(n)[:, None] / n * np.arange(1, 4)
    waves = np.hstack([np.cos(turns), np.sin(turns)])
    assert angle_between(found.vectors, waves) < 1e-6
    for pair in range(3):
        own = found.vectors[:, 2 * pair : 2 * pair + 2]
        assert angle_between(own, waves[:, [pair, pair + 3]]) < 1e-6


def test_a_large_grid_has_its_closed_form_values():
    """Sums of two paths' values, with the equal ones of a square grid."""
    n = 30
    one = 2 - 2 * np.cos(np.pi * np.arange(n) / n)
    expected = np.sort((one[:, None] + one).ravel())[1:9]
    found = solve(problem.laplacian(grid_weights(n), "unnormalized"), 8)
    assert found.solver == "shift-invert"
    np.testing.assert_allclose(found.values, expected, atol=1e-10)


def test_a_graph_that_is_barely_joined():
    """The second value is about 1e-9 of the rest, and its vector is a step."""
    one = roll_weights(400)
    both = sp.block_diag([one, one]).tolil()
    both[0, 400] = both[400, 0] = 1e-9
    found = solve(problem.laplacian(sp.csr_array(both), "unnormalized"), 3)
    np.testing.assert_allclose(found.values[0], 1e-9 * 4 / 800, rtol=1e-2)
    step = np.repeat([1.0, -1.0], 400)[:, None]
    assert angle_between(found.vectors[:, :1], step) < 1e-5
    alone = solve(problem.laplacian(one, "unnormalized"), 1)
    np.testing.assert_allclose(found.values[1:], alone.values[0], rtol=1e-6)


def test_a_large_gram_matrix():
    X = RANDOM.standard_normal((900, 8)) * np.arange(8, 0, -1)
    found = solve(problem.gram(X @ X.T + 4.0), 5)
    assert found.solver == "block krylov"
    expected = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2
    np.testing.assert_allclose(found.values, expected[:5], rtol=1e-11)
    beyond = solve(problem.gram(X @ X.T), 10)  # more than its rank
    np.testing.assert_allclose(beyond.values[8:], 0.0, atol=1e-9 * expected[0])


def test_vectors_of_values_far_below_rounding_of_the_square_are_told_apart():
    """Singular values 1e-8 to 4e-8: their squares are noise in F'F, but not in F."""
    from scipy.stats import ortho_group

    n = 200
    turn = sp.block_diag([ortho_group.rvs(8, random_state=1), sp.eye_array(n - 8)]).tocsr()
    singular = np.linspace(1.0, 2.0, n)
    singular[:4], singular[-1] = [1e-8, 2e-8, 3e-8, 4e-8], 0.0
    trivial = np.zeros((n, 1))
    trivial[-1] = 1.0
    factor = sp.csr_array(sp.diags_array(singular) @ turn)
    found = solve(EigenProblem(factor, "smallest", trivial=trivial, is_factor=True), 3)
    np.testing.assert_allclose(found.values, [1e-16, 4e-16, 9e-16], rtol=1e-4)
    truth = turn.toarray()[:3].T
    np.testing.assert_allclose(np.abs(truth.T @ found.vectors), np.eye(3), atol=1e-4)


# choosing, falling back, saying so


def facts_of(eigenproblem, count=2):
    with runtime.recording() as record:
        solve(eigenproblem, count)
    return record.report().stage("spectrum").facts


def test_structure_decides_the_solver():
    assert facts_of(problem.gram(gram_table()))["solver"] == "dense"
    assert facts_of(problem.covariance(np.eye(5) * np.arange(5)))["solver"] == "svd"
    large = problem.laplacian(ring_weights(700))
    facts = facts_of(large)
    assert facts["solver"] == "shift-invert"
    assert 1 <= facts["fill"] <= 5  # a ring fills in by about two entries a point
    assert facts_of(lle_factor(700))["solver"] == "inverse of the factor"


def test_many_of_the_pairs_are_found_densely():
    assert facts_of(problem.laplacian(ring_weights(700)), 300)["solver"] == "dense"


def test_a_large_share_of_a_dense_spectrum_is_found_densely():
    """A tenth of 1,000: a decomposition takes a fifth of the time of products."""
    X = np.random.default_rng(4).standard_normal((1000, 150)) * np.geomspace(1.0, 0.1, 150)
    table = problem.gram(X @ X.T)
    assert facts_of(table, 100)["solver"] == "dense"
    assert facts_of(table, 5)["solver"] == "block krylov"


def solve_module():
    return sys.modules["unspool.spectrum.solve"]  # the package's name is the function


def table_of_values(values, seed=0):
    """A dense table with these eigenvalues, and its vectors: reflections of the coordinates."""
    axis = np.random.default_rng(seed).standard_normal((len(values), 2))
    vectors = np.eye(len(values))
    for column in (axis / np.linalg.norm(axis, axis=0)).T:
        vectors -= 2.0 * np.outer(vectors @ column, column)
    return (vectors * values) @ vectors.T, vectors


LARGE = 2900  # rows: of fewer LAPACK is as fast


def test_hundreds_of_pairs_of_a_large_table_are_found_by_lanczos():
    values = 100.0 / (1.0 + np.arange(LARGE)) ** 0.9
    values[3] = values[2]
    table, vectors = table_of_values(values)
    stated = EigenProblem(table, "largest")
    assert facts_of(stated, 240)["solver"] == "block lanczos"
    found = solve(stated, 240)
    assert np.abs(found.values - values[:240]).max() <= 1e-10
    assert angle_between(found.vectors, vectors[:, :240]) <= 1e-8
    for first, last in ((0, 2), (2, 4), (4, 5), (100, 110)):
        assert angle_between(found.vectors[:, first:last], vectors[:, first:last]) <= 1e-8


def test_equal_values_beyond_a_block_do_not_hide():
    values = 100.0 / (1.0 + np.arange(LARGE)) ** 0.9
    values[:20] = values[0]
    facts = facts_of(EigenProblem(table_of_values(values)[0], "largest"), 240)
    assert facts["solver"] == "dense"
    assert "block lanczos" in facts["fallbacks"]


def test_lanczos_ends_where_the_rank_does():
    values = np.zeros(LARGE)
    values[:300] = np.linspace(9.0, 2.0, 300)
    table, _ = table_of_values(values)
    stated = EigenProblem(table, "largest")
    assert facts_of(stated, 240)["solver"] == "block lanczos"
    assert np.abs(solve(stated, 240).values - values[:240]).max() <= 1e-10


def test_a_solver_that_fails_is_followed_by_the_next_with_the_reason(monkeypatch):
    def refuses(task):
        raise NotSolved("a reason of its own")

    monkeypatch.setattr(solve_module(), "solve_by_shift_invert", refuses)
    eigenproblem = problem.laplacian(grid_weights(27), "unnormalized")
    facts = facts_of(eigenproblem)
    assert facts["solver"] == "chebyshev filter"
    assert facts["fallbacks"] == "shift-invert: a reason of its own"
    monkeypatch.setattr(solve_module(), "solve_by_filter", refuses)
    facts = facts_of(eigenproblem)
    assert facts["solver"] == "dense"
    assert facts["fallbacks"].count("a reason of its own") == 2


def test_too_few_pairs_count_as_failure(monkeypatch):
    def loses_one(task):
        pairs = solve_by_shift_invert(task)
        return EigenPairs(pairs.values[:1], pairs.vectors[:, :1])

    monkeypatch.setattr(solve_module(), "solve_by_shift_invert", loses_one)
    facts = facts_of(problem.laplacian(grid_weights(27), "unnormalized"))
    assert facts["solver"] == "chebyshev filter"
    assert "1 pairs came back" in facts["fallbacks"]


def test_when_nothing_works_all_reasons_are_told(monkeypatch):
    def refuses(task):
        raise NotSolved("no")

    for name in ("solve_by_shift_invert", "solve_by_filter", "decompose"):
        monkeypatch.setattr(solve_module(), name, refuses)
    with pytest.raises(np.linalg.LinAlgError, match=r"no eigensolver .*shift-invert: no"):
        solve(problem.laplacian(ring_weights(700)), 2)


@pytest.mark.parametrize("method", [HessianLLE, ModifiedLLE])
def test_where_memory_is_what_lacks_that_is_told(method, monkeypatch):
    """Products that do not converge, and no room for more: not a riddle about eigensolvers."""

    def refuses(task):
        raise NotSolved("residual 3e-05")

    points = datasets.swiss_roll(700, seed=1).points
    monkeypatch.setattr(solve_module(), "solve_by_filter", refuses)
    monkeypatch.setattr(solve_module(), "available_bytes", lambda: 1000)
    monkeypatch.setattr(resources, "available_bytes", lambda: 11_000_000)
    with pytest.raises(MemoryError, match=r"residual 3e-05.* 700 x 700 .* 11\.8 MB.* fit a sample"):
        method(2, n_neighbors=10).fit(points)


def test_memory_rules_out_what_does_not_fit(monkeypatch):
    """Neither a factor nor a dense copy: products alone, with the same answer."""
    eigenproblem = problem.laplacian(grid_weights(27), "random-walk")
    expected = solve(eigenproblem, 3)
    monkeypatch.setattr(solve_module(), "available_bytes", lambda: 1000)
    found = solve(eigenproblem, 3)
    assert (expected.solver, found.solver) == ("shift-invert", "chebyshev filter")
    np.testing.assert_allclose(found.values, expected.values, atol=1e-9)
    assert relative(found.vectors, expected.vectors) < 1e-5


def test_a_costly_factor_is_tried_last(monkeypatch):
    """A grid hardly fills in; a machine slow at factorising would rather multiply."""
    assert facts_of(problem.laplacian(grid_weights(27)))["solver"] == "shift-invert"
    monkeypatch.setattr(solve_module(), "FACTOR_SPEED", 1e5)
    assert facts_of(problem.laplacian(grid_weights(27)))["solver"] == "chebyshev filter"


def test_a_wide_graph_is_not_ordered_before_its_filter_fails(monkeypatch):
    """The cut alone tells that a factor fills in: no order of elimination is looked for."""
    points = np.random.default_rng(0).random((3_000, 6))
    weights = graph.symmetrize(distances.neighbor_graph(points, 10))
    weights = weights.with_weights(np.ones(weights.n_edges))
    stated = problem.laplacian(weights, "symmetric")
    facts = facts_of(stated)
    assert facts["solver"] == "chebyshev filter"
    assert facts["cut"] > 300
    assert "fill" not in facts
    expected = solve(stated, 2).values

    def refuses(task):
        raise NotSolved("no")

    monkeypatch.setattr(solve_module(), "solve_by_filter", refuses)
    facts = facts_of(stated)
    assert (facts["solver"], facts["fallbacks"]) == ("shift-invert", "chebyshev filter: no")
    assert facts["fill"] > 100
    np.testing.assert_allclose(solve(stated, 2).values, expected, rtol=1e-9)


def test_an_iteration_that_makes_no_progress_is_given_up():
    """Values that a filter hardly separates: a dozen passes are lost, not all forty."""
    from unspool.spectrum.krylov import WATCHED, leading_pairs

    values = 1.0 - 1e-4 * np.arange(4000) / 4000
    start = np.random.default_rng(0).standard_normal((4000, 8))
    run = runtime.Running("test", 1)
    options = {"max_passes": 40, "gives_up": True}
    found = leading_pairs(lambda block: values[:, None] * block, start, 4, run, **options)
    assert not found.converged
    assert found.passes == WATCHED
    far = 0.5 ** np.arange(4000.0)  # and one that falls steadily is not
    found = leading_pairs(lambda block: far[:, None] * block, start, 4, run, **options)
    assert found.converged


def test_an_iteration_that_did_not_converge_is_not_accepted():
    """Two hundred nearly equal values, and one pass: no answer rather than a wrong one."""
    from unspool.spectrum.krylov import leading_pairs

    values = 1.0 - 1e-5 * np.arange(300)
    start = np.random.default_rng(0).standard_normal((300, 6))
    found = leading_pairs(
        lambda block: values[:, None] * block, start, 4, runtime.Running("test", 1), max_passes=2
    )
    assert not found.converged
    with pytest.raises(NotSolved, match=r"residual .* after 2 passes"):
        _accepted(found, SimpleNamespace(wanted=4, count=4))


@pytest.mark.parametrize("width", [1, 8, 11])
def test_triangles_solve_as_superlu_does(width):
    from unspool.elimination_order import PLANNED
    from unspool.spectrum.operators import SymmetricTriangles

    matrix = sp.csc_array(problem.laplacian(grid_weights(9)).matrix + 0.1 * sp.eye_array(81))
    block = np.random.default_rng(0).standard_normal((81, width))
    factor = sp.linalg.splu(matrix, diag_pivot_thresh=0.0, **PLANNED)
    triangles = SymmetricTriangles.of(factor)
    assert triangles is not None
    np.testing.assert_allclose(triangles.solve(block), factor.solve(block), rtol=0, atol=1e-12)
    elsewhere = sp.linalg.splu(matrix[::-1], diag_pivot_thresh=1.0)  # rows changed places
    assert SymmetricTriangles.of(elsewhere) is None


@pytest.mark.parametrize("width", [1, 8, 11])
@pytest.mark.parametrize("direction", ["N", "T"])
def test_triangles_of_any_matrix_solve_with_it_and_its_transpose(width, direction):
    """Rows and columns change places, and the last row of the matrix is a border."""
    from unspool.spectrum.operators import Triangles

    generator = np.random.default_rng(0)
    matrix = sp.random_array((80, 80), density=0.1, rng=generator, format="csc")
    matrix = sp.csc_array(matrix + 0.5 * np.eye(80)[::-1])
    order, block = generator.permutation(79), generator.standard_normal((79, width))
    within = np.append(order, 79)
    factor = sp.linalg.splu(sp.csc_array(matrix[within][:, within]))
    solution = Triangles.of(factor, order).solve(block, direction)
    table = matrix.toarray() if direction == "N" else matrix.toarray().T
    padded = np.append(block, np.zeros((1, width)), axis=0)
    expected = np.linalg.solve(table, padded)[:79]
    np.testing.assert_allclose(solution, expected, rtol=0, atol=1e-10 * abs(expected).max())


@pytest.mark.parametrize("degree", [2, 8])
def test_filtered_residuals_are_what_a_filter_changes(degree):
    """p(A) v - p(value) v from (A - value) v alone, in single precision."""
    from unspool.spectrum.operators_kernels import LANES, filter_columns, filter_residuals

    matrix = sp.csr_array(problem.laplacian(grid_weights(7), "symmetric").matrix)
    vectors = np.random.default_rng(0).standard_normal((len(matrix.indptr) - 1, LANES))
    values = np.linspace(0.05, 0.4, LANES)
    residuals = (matrix @ vectors - vectors * values).astype(np.float32)
    rows, span = (matrix.indptr, matrix.indices, matrix.data), (0.5, 2.0)
    none = np.zeros(1, np.int32), np.zeros(0, np.int32), np.zeros(0)
    filtered, now, inner = vectors.copy(), np.zeros_like(vectors), np.zeros_like(vectors)
    filter_columns(rows, none, span, degree, filtered, now, inner)
    heights = np.zeros((1, LANES)) + 1.0  # p at the values: a filter of diagonal entries
    one = np.zeros(2, np.int32), np.zeros(1, np.int32), np.zeros(1)
    one[0][1] = 1
    for k in range(LANES):
        one[2][0], column, room = values[k], np.ones((1, LANES)), np.zeros((2, 1, LANES))
        filter_columns(one, none, span, degree, column, *room)
        heights[0, k] = column[0, 0]
    changes, other = np.zeros_like(residuals), np.zeros_like(residuals)
    single = rows[0], rows[1], rows[2].astype(np.float32)
    filter_residuals(single, span, degree, values, residuals, changes, other)
    assert relative(changes.astype(float), filtered - heights * vectors) < 1e-5


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_compiled_products_are_those_of_numpy(dtype):
    """Rows four at a time and those that are left, columns by panels, in double precision."""
    from unspool.spectrum.operators_kernels import PANEL, add_up_products

    table = RANDOM.standard_normal((11, PANEL + 9)).astype(dtype)
    block, product = RANDOM.standard_normal((PANEL + 9, 3)), np.full((11, 3), np.nan)
    add_up_products(table, np.ascontiguousarray(block.T), 1, 11, product)
    np.testing.assert_allclose(product[1:], table[1:].astype(float) @ block, rtol=1e-12)
    assert np.isnan(product[0]).all()


@pytest.mark.parametrize("solver", [solve_by_shift_invert, solve_by_factor_inverse])
def test_a_matrix_that_cannot_be_factorised_is_told(solver, monkeypatch):
    import scipy.sparse.linalg

    def fails(*_, **__):
        raise RuntimeError("Factor is exactly singular")

    eigenproblem = FACTORS["lle"]
    task = task_for(eigenproblem, 2)
    monkeypatch.setattr(scipy.sparse.linalg, "splu", fails)
    with pytest.raises(NotSolved, match=r"singular|could be factorised"):
        solver(task)


@pytest.mark.parametrize("eigenproblem", EVERYTHING.values(), ids=EVERYTHING)
def test_solvers_for_large_problems_on_small_ones(eigenproblem, monkeypatch):
    """Below the size where a decomposition is faster, the others must be right too."""
    monkeypatch.setattr(solve_module(), "DENSE_SIZE", 1)
    monkeypatch.setattr(solve_module(), "WHOLE", np.inf)
    with runtime.recording() as record:
        found = solve(eigenproblem, 3)
    if sp.issparse(eigenproblem.matrix) or eigenproblem.end == "largest":
        assert record.report().stage("spectrum").facts["solver"] not in ("dense", "svd")
    assert_solves(eigenproblem, found.values, found.vectors, 3, accuracy=1e-8)


def test_a_zero_value_that_is_kept_does_not_drown_the_others():
    """The inverse of an almost singular matrix is huge along its null vector."""
    eigenproblem = replace(problem.laplacian(roll_weights(700), "random-walk"), trivial=None)
    found = solve(eigenproblem, 4)
    assert found.solver == "shift-invert"
    assert abs(found.values[0]) < 1e-12
    assert_solves(eigenproblem, found.values, found.vectors, 4, accuracy=1e-10)
    assert (found.residuals < 1e-9).all()


def test_a_group_of_equal_values_is_taken_whole():
    """Nine of ten equal values beyond the two asked for: the axes are those of the whole space."""
    random = np.random.default_rng(3)
    turn = np.linalg.qr(random.standard_normal((40, 40)))[0]
    table = (turn * np.repeat([5.0, 1.0], [10, 30])) @ turn.T
    with runtime.recording() as record:
        few = solve(EigenProblem(table, "largest"), 2)
    every = solve(EigenProblem(table, "largest"), 10)
    np.testing.assert_allclose(few.vectors, every.vectors[:, :2], atol=1e-10)
    (advice,) = record.report().advice
    assert "eigenvalues 1 to 10 are equal" in advice
    assert "n_components=10 keeps them together" in advice


def test_the_seed_does_not_change_a_determined_answer():
    for eigenproblem in (
        problem.laplacian(grid_weights(27)),
        lle_factor(700),
        problem.gram(gram_table()),
    ):
        first, second = solve(eigenproblem, 2, seed=0), solve(eigenproblem, 2, seed=99)
        assert relative(second.vectors, first.vectors) < 1e-6


def test_nothing_is_changed():
    table = gram_table()
    kept = table.copy()
    eigenproblem = problem.gram(table)
    solve(eigenproblem, 3)
    np.testing.assert_array_equal(table, kept)
    weights = roll_weights()
    kept = weights.copy()
    solve(problem.laplacian(weights), 3)
    np.testing.assert_array_equal(weights.toarray(), kept.toarray())


@pytest.mark.parametrize("scale", [1e-60, 1e-12, 1e12, 1e60])
@pytest.mark.parametrize("label", ["gram", "ring", "lle", "covariance", "roll, symmetric"])
def test_the_scale_of_the_matrix_does_not_matter(label, scale):
    eigenproblem = EVERYTHING[label]
    factor = np.sqrt(scale) if eigenproblem.is_factor else scale
    ceiling = None if eigenproblem.ceiling is None else eigenproblem.ceiling * scale
    scaled = replace(eigenproblem, matrix=eigenproblem.matrix * factor, ceiling=ceiling)
    here, there = solve(eigenproblem, 2), solve(scaled, 2)
    np.testing.assert_allclose(there.values / scale, here.values, rtol=1e-7)
    assert angle_between(there.vectors, here.vectors) < 1e-6


# a factor by its Gram matrix


def factor_with(values, n, seed=0):
    """Return centred points with these singular values, and their axes."""
    random = np.random.default_rng(seed)
    left = random.standard_normal((n, len(values)))
    left = np.linalg.qr(left - left.mean(axis=0))[0]
    axes = np.linalg.qr(random.standard_normal((len(values), len(values))))[0]
    return (left * values) @ axes.T, axes


@pytest.mark.parametrize("offset", [0.0, 1e8])
@pytest.mark.parametrize("shape", ["tall", "wide"])
def test_large_values_of_a_factor_come_from_its_gram_matrix(shape, offset):
    if shape == "tall":
        points = factor_with(np.geomspace(1.0, 1e-2, 60), 6000)[0]
    else:
        points = factor_with(np.geomspace(1.0, 1e-2, 120), 4000)[0].T
    # adding and taking away again: what rounding to the offset leaves
    points = ((points * 1e6 + offset) - offset) / 1e6
    expected, axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[1:]
    moved = points * 1e6 + offset
    count = 20
    found = solve(problem.covariance(moved, 1e12, mean=moved.mean(axis=0)), count)
    assert found.solver == "gram matrix of the factor"
    np.testing.assert_allclose(found.values, expected[:count] ** 2, rtol=1e-10)
    for end in range(1, count + 1):
        assert angle_between(found.vectors[:, :end], axes[:end].T) < 1e-7
    assert abs(found.next_value / expected[count] ** 2 - 1) < 1e-9
    assert (found.residuals < 1e-13 * 1e12).all()  # of the matrix, before the divisor


@pytest.mark.parametrize("smallest", [1e-5, 0.0], ids=["small", "rank deficient"])
@pytest.mark.parametrize("turned", [False, True], ids=["tall", "wide"])
def test_small_values_of_a_factor_keep_their_digits(smallest, turned):
    """Squares of 1e-10 of the largest: from the factor itself, to rounding of the factor."""
    singular = np.concatenate([np.linspace(2.0, 1.0, 58), [2 * smallest, smallest]])
    points = factor_with(singular, 6000)[0]
    factor = points.T if turned else points
    facts = facts_of(problem.covariance(factor), 60)
    assert facts["solver"] == "svd"
    assert "too small" in facts["fallbacks"]
    found = solve(problem.covariance(factor), 60)
    np.testing.assert_allclose(np.sqrt(found.values), singular, rtol=1e-9, atol=1e-14)
    few = solve(problem.covariance(factor), 10)  # the large ones of the same table are squared
    assert few.solver == "gram matrix of the factor"
    np.testing.assert_allclose(few.values, singular[:10] ** 2, rtol=1e-10)


@pytest.mark.parametrize("smallest", [2e-3, 1e-5, 0.0])
def test_the_small_end_comes_from_squares_only_where_they_keep_its_digits(smallest):
    """All axes from the small end: by squares of 1e-6 and more, else from the factor itself."""
    singular = np.concatenate([[smallest], np.linspace(0.5, 1.0, 59)])
    factor, axes = factor_with(singular, 6000)
    small_end = replace(problem.covariance(factor), end="smallest")
    found = solve(small_end, 60)
    assert found.solver == ("gram matrix of the factor" if smallest == 2e-3 else "svd")
    np.testing.assert_allclose(np.sqrt(found.values), singular, rtol=1e-9, atol=1e-14)
    assert angle_between(found.vectors[:, :1], axes[:, :1]) < 1e-9
    assert solve(small_end, 3).solver != "gram matrix of the factor"  # few: nothing tells the rest


def test_a_factor_of_duplicates_and_equal_values():
    points = np.repeat(factor_with(np.repeat([3.0, 1.0], [2, 58]), 3000)[0], 2, axis=0)
    found = solve(problem.covariance(points), 2)
    assert found.solver == "gram matrix of the factor"
    np.testing.assert_allclose(found.values, 18.0, rtol=1e-12)
    other = solve(problem.covariance(points[::-1]), 2)
    np.testing.assert_allclose(other.vectors, found.vectors, atol=1e-9)


def test_a_table_in_single_precision_is_squared_in_double():
    points = factor_with(np.linspace(2.0, 1.0, 60), 6000)[0].astype(np.float32)
    mean = points.mean(axis=0, dtype=np.float64)
    found = solve(problem.covariance(points, mean=mean), 5)
    expected = np.linalg.svd(points - mean, compute_uv=False)[:5] ** 2
    np.testing.assert_allclose(found.values, expected, rtol=1e-12)


# what must not pass unnoticed


def test_the_constant_is_no_eigenvector_of_an_indefinite_gram_matrix():
    """Two positive values and six axes: the constant, at zero, would come third."""
    random = np.random.default_rng(7)
    n = 700
    axes = random.standard_normal((n, n))
    axes = np.linalg.qr(axes - axes.mean(axis=0))[0][:, : n - 1]
    values = np.concatenate([[5.0, 3.0], -1.0 - 1e-3 * np.arange(n - 3)])
    rows = 30 * random.standard_normal((n, 1))  # centring takes them out
    found = solve(problem.gram((axes * values) @ axes.T + 100.0 + rows + rows.T), 6)
    assert found.solver == "block krylov"
    np.testing.assert_allclose(found.values, values[:6], atol=1e-9)
    np.testing.assert_allclose(found.vectors.sum(axis=0) / np.sqrt(n), 0.0, atol=1e-9)


def test_an_answer_with_a_large_residual_is_not_accepted(monkeypatch):
    def wrong(task):
        pairs = solve_by_shift_invert(task)
        return EigenPairs(pairs.values, np.roll(pairs.vectors, 1, axis=1))

    monkeypatch.setattr(solve_module(), "solve_by_shift_invert", wrong)
    facts = facts_of(problem.laplacian(grid_weights(27), "unnormalized"))
    assert facts["solver"] == "chebyshev filter"
    assert "shift-invert: residual" in facts["fallbacks"]


def three_parts(n, joint):
    """Three rolls in a row, the second joint twice the first, and the vectors in the limit.

    As the joints go to zero, the first vectors are constant on each part, and on the parts they
    are those of three points in a row with the parts' masses.
    """
    W = sp.block_diag([roll_weights(n)] * 3).tolil()
    W[0, n] = W[n, 0] = joint
    W[n + 10, 2 * n] = W[2 * n, n + 10] = 2.0 * joint
    W, part = sp.csr_array(W), np.repeat([0, 1, 2], n)
    mass = np.bincount(part, np.asarray(W.sum(axis=1)).ravel())
    row = np.array([[1.0, -1.0, 0.0], [-1.0, 3.0, -2.0], [0.0, -2.0, 2.0]])
    values, vectors = scipy.linalg.eigh(row, np.diag(mass))
    return W, joint * values[1:], vectors[part, 1:]


def off(vectors, expected):
    unit, wanted = (v / np.linalg.norm(v, axis=0) for v in (vectors, expected))
    return np.abs(unit * np.sign((unit * wanted).sum(axis=0)) - wanted).max()


@pytest.mark.parametrize("n", [100, 300])  # decomposed, and iterated for
@pytest.mark.parametrize("joint", [1e-8, 1e-11, 1e-14, 1e-17, 1e-20])
def test_parts_that_are_hardly_joined_are_told_apart(n, joint):
    """Values far below the rounding of the matrix, right to six digits of the vectors."""
    W, values, vectors = three_parts(n, joint)
    with runtime.recording() as record:
        found = solve(problem.laplacian(W), 2)
    assert found.solver == ("dense" if n == 100 else "shift-invert")
    np.testing.assert_allclose(found.values, values, rtol=1e-5)
    assert off(found.vectors, vectors) < 1e-6
    assert not record.report().advice


@pytest.mark.parametrize("n", [100, 300])
@pytest.mark.parametrize(
    ("joint", "told"), [(1e-24, "wrong by|told from zero"), (1e-60, "told from zero")]
)
def test_parts_that_nothing_tells_apart_are_warned_of(n, joint, told):
    W, _, _ = three_parts(n, joint)
    with pytest.warns(UserWarning, match=rf"eigenvalues 1 to 2 .*({told}).* hardly joined"):
        solve(problem.laplacian(W), 2)


def test_parts_beyond_those_that_were_found_are_warned_of():
    """Twelve parts in a ring of joints that grow: two vectors are found among six of eleven."""
    n, part = 60, roll_weights(60)
    W = sp.block_diag([part] * 12).tolil()
    for i in range(12):
        a, b = i * n, ((i + 1) % 12) * n + 5
        W[a, b] = W[b, a] = 1e-15 * (1.0 + i)
    with pytest.warns(UserWarning, match="hardly joined"):
        solve(problem.laplacian(sp.csr_array(W)), 2)


def test_components_that_nothing_joins_need_no_warning():
    """Each has the value zero, and any mix of them is as good."""
    W = sp.csr_array(sp.block_diag([roll_weights(100)] * 3))
    found = solve(problem.laplacian(W), 2)
    assert np.abs(found.values).max() < 1e-14


def test_equal_values_are_one_value():
    """However rounding scatters them: the first would be the one that errs most."""
    basis = np.linalg.qr(np.random.default_rng(0).standard_normal((300, 300)))[0]
    values = np.where(np.arange(300) < 200, 2.0, 1.0)
    found = solve(EigenProblem((basis * values) @ basis.T, end="largest"), 3)
    assert len(set(found.values)) == 1
    assert abs(found.values[0] - 2.0) < 4e-15


@pytest.mark.parametrize("is_factor", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_masses_are_those_of_the_generalized_problem(form, is_factor):
    random = np.random.default_rng(3)
    factor, mass = random.standard_normal((40, 30)), random.uniform(0.5, 4.0, 30)
    table = factor.T @ factor
    stated = EigenProblem(
        form(factor if is_factor else table), end="largest", mass=mass, is_factor=is_factor
    )
    found = solve(stated, 3)
    values, vectors = scipy.linalg.eigh(table, np.diag(mass))
    np.testing.assert_allclose(found.values, values[::-1][:3], rtol=1e-10)
    cosines = np.abs(np.sum(vectors[:, ::-1][:, :3] * mass[:, None] * found.vectors, axis=0))
    np.testing.assert_allclose(cosines, 1.0, rtol=1e-10)


@pytest.mark.parametrize("unit", ["value", "complement"])
def test_rounding_is_told_in_the_unit_of_the_values(unit):
    """Of 1 - value it is as small as of the value: no value of 1 is called nothing but rounding."""
    table = np.diag(np.linspace(1.0, 0.5, 30))
    assert 0.0 < solve(EigenProblem(table, end="largest", unit=unit), 2).rounding < 1e-12
