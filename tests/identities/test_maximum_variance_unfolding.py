"""Maximum variance unfolding: closed forms, the dual program, another solver, rolls."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist, pdist
from threadpoolctl import threadpool_limits

from unspool import PCA, MaximumVarianceUnfolding, datasets, distances, quality
from unspool.relation import (
    DistanceBounds,
    half_vectorize,
    maximize_variance,
    solve_combination,
)


def shares(model, roll):
    return quality.explained_by(model.fit_transform(roll.points), roll.coordinates)


def all_pairs(points):
    first, second = np.triu_indices(len(points), 1)
    return first, second, pdist(points, "sqeuclidean")


def test_an_arc_becomes_a_straight_line():
    angle = np.linspace(0.0, 4.0, 25)
    arc = np.column_stack([np.cos(angle), np.sin(angle)])
    step = np.linalg.norm(arc[1] - arc[0])
    model = MaximumVarianceUnfolding(1, radius=1.01 * step, isometry="inequality", tol=1e-7)
    line = model.fit_transform(arc)[:, 0]
    wanted = step * (np.arange(25) - 12.0)
    assert np.abs(line * np.sign(line[-1]) - wanted).max() < 1e-3 * step
    assert model.gap_ <= 1e-7


def test_with_all_points_as_neighbours_it_is_pca():
    points = np.random.default_rng(0).standard_normal((30, 4))
    model = MaximumVarianceUnfolding(3, n_neighbors=29, isometry="inequality", tol=1e-7).fit(points)
    straight = PCA(3).fit_transform(points)
    assert np.abs(np.abs(model.embedding_) - np.abs(straight)).max() < 1e-3


def test_waves_of_all_lengths_are_as_stiff():
    """On a ring, whose waves are known: known ones are exact, others to the error of a series."""
    from unspool.relation.vector_combinations import LOWEST, _SmoothSteps

    n, number = 200, np.arange(1, 100)
    angle = 2.0 * np.pi * np.arange(n) / n
    waves = np.hstack([np.cos(np.outer(angle, number)), np.sin(np.outer(angle, number))])
    stiffness = np.tile(1.0 - np.cos(2.0 * np.pi * number / n), 2)
    ones, points = np.ones(n), np.arange(n)
    ring = DistanceBounds(points, (points + 1) % n, ones, ones, n)
    known = np.tile(number <= 6, 2)
    turned = _SmoothSteps.of(ring, waves[:, known])._stretched(waves)
    factors = (turned * waves).sum(axis=0) / np.square(waves).sum(axis=0)
    np.testing.assert_allclose(factors[known], stiffness[known] ** -0.5, rtol=1e-9)
    assert stiffness[known].min() < 0.05 * LOWEST  # none of which the series would resolve
    np.testing.assert_allclose(factors[~known], (stiffness[~known] + LOWEST) ** -0.5, rtol=0.03)


@pytest.mark.parametrize("isometry", ["equality", "inequality"])
def test_bounds_are_kept_and_the_weights_prove_the_optimum(isometry):
    points = datasets.swiss_roll(90, seed=3).points
    model = MaximumVarianceUnfolding(2, n_neighbors=5, isometry=isometry, slack=0.02).fit(points)
    kernel = model.kernel_()
    own = np.diag(kernel)
    squared = own[:, None] + own[None, :] - 2.0 * kernel
    lengths = cdist(points, points)
    near = np.argsort(lengths, axis=1)[:, 1:6]
    ratio = np.sqrt(np.take_along_axis(squared, near, 1)) / np.take_along_axis(lengths, near, 1)
    most = 1.02 if isometry == "equality" else 1.0
    assert ratio.max() <= most + 1e-4
    assert isometry == "inequality" or ratio.min() >= 0.98 - 1e-4
    assert 0.0 <= model.gap_ <= 1e-5
    assert np.trace(kernel) > np.square(points - points.mean(axis=0)).sum()  # than rolled up


def test_slack_and_inequality_each_allow_more_variance():
    """A map within (1 + slack) of its distances is, made smaller by as much, one of inequality."""
    points = datasets.swiss_roll(70, seed=4).points
    options = ({"slack": 0.01}, {"slack": 0.05}, {"isometry": "inequality"})
    variances = [
        np.trace(MaximumVarianceUnfolding(2, n_neighbors=5, **more).fit(points).kernel_())
        for more in options
    ]
    assert variances[0] < variances[1]
    assert variances[0] < 1.01**2 * variances[2]
    assert variances[1] < 1.05**2 * variances[2]


def test_angles_bind_more():
    points = datasets.swiss_roll(80, seed=5).points
    bound = [
        MaximumVarianceUnfolding(2, n_neighbors=4, slack=0.05, angles=angles).fit(points)
        for angles in (False, True)
    ]
    assert bound[1].n_pairs_ > bound[0].n_pairs_
    assert np.trace(bound[1].kernel_()) < np.trace(bound[0].kernel_())


def test_a_roll_is_unrolled():
    roll = datasets.swiss_roll(300, seed=1)
    model = MaximumVarianceUnfolding(2, n_neighbors=6)
    assert shares(model, roll).min() > 0.97
    reduced = MaximumVarianceUnfolding(2, n_neighbors=6, program="reduced").fit(roll.points)
    both = np.array([model.eigenvalues_, reduced.eigenvalues_])
    assert both[1, 0] == pytest.approx(both[0, 0], rel=0.01)  # nearly the same program
    assert reduced.broken_ < 0.005


def test_the_kernel_is_that_of_the_map():
    points = datasets.s_curve(90).points
    model = MaximumVarianceUnfolding(2, n_neighbors=6).fit(points)
    values, vectors = np.linalg.eigh(model.kernel_())
    again = vectors[:, ::-1][:, :2] * np.sqrt(values[::-1][:2])
    assert np.abs(np.abs(again) - np.abs(model.embedding_)).max() < 1e-8
    block = np.random.default_rng(0).standard_normal((90, 2))
    assert np.allclose(model.kernel_operator_() @ block, model.kernel_() @ block)


def test_copies_count_as_often_as_they_are_there():
    points = datasets.s_curve(60).points
    first, second, squared = all_pairs(points)
    near = squared < np.quantile(squared, 0.2)
    bounds = DistanceBounds(
        first[near], second[near], np.zeros(near.sum()), squared[near], len(points)
    )
    masses = np.ones(60)
    masses[:5] = 4.0
    heavy = maximize_variance(bounds, masses, 1e-6, 100).coordinates
    plain = maximize_variance(bounds, np.ones(60), 1e-6, 100).coordinates
    assert np.abs(masses @ heavy).max() < 1e-6 * np.abs(heavy).max()

    def variance(places):
        return float(masses @ np.square(places - masses @ places / masses.sum()).sum(axis=1))

    assert variance(heavy) > variance(plain) * (1.0 + 1e-6)


def test_pairs_by_pairs_is_the_product_of_two_tables():
    first, second, squared = all_pairs(np.random.default_rng(0).standard_normal((9, 2)))
    bounds = DistanceBounds(first, second, 0.5 * squared, squared, 9)
    table, others = (t @ t.T for t in np.random.default_rng(1).standard_normal((2, 9, 9)))
    columns = np.eye(9)[first] - np.eye(9)[second]
    wanted = np.tril((columns @ table @ columns.T) * (columns @ others @ columns.T))
    found = np.tril(bounds.pairs_by_pairs(table, others))
    np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_a_small_program_meets_its_conditions():
    random, m = np.random.default_rng(1), 5
    rows = random.standard_normal((60, m * (m + 1) // 2))
    quadratic = rows.T @ rows
    linear = quadratic @ half_vectorize(np.diag([2.0, 1.0, -1.0, -2.0, 0.5]))
    upper = np.triu_indices(m)
    for unit_trace in (False, True):
        found = solve_combination(
            quadratic, linear, unit_trace=unit_trace, tolerance=1e-10, max_steps=100
        ).state
        slope = quadratic @ half_vectorize(found) - linear
        gradient = np.zeros((m, m))
        gradient[upper] = slope / np.where(upper[0] == upper[1], 1.0, np.sqrt(2.0))
        gradient = gradient + np.triu(gradient, 1).T
        if unit_trace:
            assert np.trace(found) == pytest.approx(1.0, abs=1e-8)
            gradient = gradient - np.eye(m) * np.sum(gradient * found)
        size = np.abs(quadratic).max()
        assert np.linalg.eigvalsh(found).min() > -1e-8
        assert np.linalg.eigvalsh(gradient).min() > -1e-6 * size
        assert abs(np.sum(gradient * found)) < 1e-6 * size


def scs_variance(bounds):
    """Return the optimum of the same program by another solver, over the entries of K."""
    scs = pytest.importorskip("scs")
    n = bounds.n_points
    columns, rows = np.triu_indices(n)  # the lower triangle, column by column
    scale = np.where(rows == columns, 1.0, np.sqrt(2.0))
    number = np.zeros((n, n), dtype=int)
    number[rows, columns] = number[columns, rows] = np.arange(len(rows))
    pairs = sp.lil_array((bounds.count, len(rows)))
    for row, (i, j) in enumerate(zip(bounds.first, bounds.second, strict=True)):
        pairs[row, number[i, i]] = pairs[row, number[j, j]] = 1.0
        pairs[row, number[i, j]] = -np.sqrt(2.0)
    total = sp.csr_array(scale[None])
    data = {
        "A": sp.csc_matrix(sp.vstack([total, pairs, -pairs, -sp.identity(len(rows))])),
        "b": np.concatenate([[0.0], bounds.upper, -bounds.lower, np.zeros(len(rows))]),
        "c": -np.where(rows == columns, 1.0, 0.0),
    }
    cone = {"z": 1, "l": 2 * bounds.count, "s": [n]}
    settings = {"eps_abs": 1e-6, "eps_rel": 1e-6, "max_iters": 50_000, "verbose": False}
    return -scs.SCS(data, cone, **settings).solve()["info"]["pobj"]


@pytest.mark.slow
@pytest.mark.parametrize("lowest", [0.0, 0.96])
def test_another_solver_finds_the_same_variance(lowest):
    points = datasets.swiss_roll(60, seed=6).points / 10.0
    first, second, squared = all_pairs(points)
    near = squared < np.quantile(squared, 0.12)
    chosen = squared[near]
    bounds = DistanceBounds(first[near], second[near], lowest * chosen, chosen, 60)
    found = maximize_variance(bounds, np.ones(60), 1e-7, 200)
    assert np.square(found.coordinates).sum() == pytest.approx(scs_variance(bounds), rel=1e-4)


def test_distances_that_no_points_have_are_told():
    """A center at distance 0.4 from three corners that are 1 apart: no points lie so."""
    table = 1.0 - np.eye(4)
    table[3, :3] = table[:3, 3] = 0.4
    model = MaximumVarianceUnfolding(2, n_neighbors=3, metric="precomputed")
    with pytest.warns(UserWarning, match="did not converge.*are there points with these"):
        model.fit(table)
    shorter = MaximumVarianceUnfolding(
        2, n_neighbors=3, metric="precomputed", isometry="inequality"
    ).fit(table)
    lengths = np.linalg.norm(shorter.embedding_[3] - shorter.embedding_[:3], axis=1)
    assert np.abs(lengths - 0.4).max() < 1e-3


def joint_share(embedding, truth):
    """Return the share of the truth that an affine image of the map explains, all axes together."""
    weights = truth.var(axis=0)
    return quality.explained_by(embedding, truth) @ weights / weights.sum()


@pytest.mark.parametrize(
    ("n", "n_neighbors", "program", "basis"),
    [
        pytest.param(1_000, 6, "exact", "laplacian", marks=pytest.mark.slow),
        pytest.param(1_000, 8, "exact", "laplacian", marks=pytest.mark.slow),
        (1_000, 10, "auto", "laplacian"),
        (2_000, 8, "reduced", "laplacian"),
        (2_000, 8, "reduced", "lle"),
        pytest.param(20_000, 6, "reduced", "laplacian", marks=pytest.mark.slow),
    ],
)
def test_larger_rolls_are_unrolled(n, n_neighbors, program, basis):
    """Bounds are kept to what the model states: 1e-5 of a program, 1e-3 by descent.

    Length and height are explained, each. Of 1,000 points with 6 neighbours the optimum itself
    (the gap is 1e-5) gains length by slack and loses height by folds: 0.965 of it is explained.
    """
    roll = datasets.swiss_roll(n, seed=0)
    model = MaximumVarianceUnfolding(2, n_neighbors=n_neighbors, program=program, basis=basis)
    embedding = model.fit_transform(roll.points)
    assert joint_share(embedding, roll.coordinates) > 0.99
    if (n, n_neighbors) != (1_000, 6):
        assert quality.explained_by(embedding, roll.coordinates).min() > 0.99
    if program == "exact":
        assert model.gap_ < 1e-5
    assert model.broken_ <= (1e-4 if program == "exact" else 1e-3)
    near = distances.neighbor_graph(roll.points, n_neighbors)
    places = model._unfolded_places()
    kept = np.linalg.norm(places[near.rows] - places[near.neighbors], axis=1)
    changed = np.abs(kept / near.distances - 1.0)  # slack is 0.01
    assert np.median(changed) < 0.011
    assert np.quantile(changed, 0.99) < 0.015


@pytest.mark.parametrize(
    ("n", "seed", "most"), [(90, 4, 30), pytest.param(300, 2, 40, marks=pytest.mark.slow)]
)
def test_a_pair_much_nearer_than_the_others_does_not_hold_up_the_program(n, seed, most):
    """The second one has neighbours at a hundredth of the usual distance, and once never ended."""
    points = datasets.s_curve(n, seed=seed).points
    model = MaximumVarianceUnfolding(n_neighbors=12).fit(points)
    facts = model.report_.stage("semidefinite program").facts
    assert facts["loss"] <= 1e-5
    assert facts["steps"] <= most
    assert np.ptp(model.embedding_[:, 0]) > 4.0


def test_descent_is_the_same_with_any_number_of_threads():
    """Hundreds of steps carry a rounding far: 5e-4 of the map, when products were shared out."""
    points = datasets.swiss_roll(600, seed=1).points
    maps = []
    for count in (1, 2):
        with threadpool_limits(count):
            model = MaximumVarianceUnfolding(2, n_neighbors=6, program="reduced")
            maps.append(model.fit_transform(points))
    np.testing.assert_allclose(maps[0], maps[1], atol=1e-12 * np.ptp(maps[0]))
