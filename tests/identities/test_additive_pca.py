"""Additive principal components: their fixed point, their closed forms, and laws they find."""

import numpy as np
import pytest

from unspool import PCA, AdditivePCA, datasets
from unspool.relation import SplineBasis

# functions that vary most are powers, whose tails reach far
pytestmark = pytest.mark.filterwarnings("ignore:coordinate . is carried by")
RANDOM = np.random.default_rng(0)


def correlated(n, correlation, seed):
    first, second = np.random.default_rng(seed).standard_normal((2, n))
    return np.column_stack([first, correlation * first + np.sqrt(1 - correlation**2) * second])


def roughness(basis, unit):
    """Return the integrals of products of second derivatives."""
    return basis.bends(unit).T @ basis.bends(unit)


def share_explained(x, truth):
    """Return the square of the correlation."""
    return float(np.corrcoef(x, truth)[0, 1] ** 2)


@pytest.mark.parametrize("knots", [np.array([0.0, 1.0]), np.array([-1.0, 0.3, 0.5, 2.0, 7.0])])
def test_a_spline_is_one_at_its_knot_and_straight_beyond(knots):
    basis = SplineBasis(knots)
    assert np.allclose(basis.values(knots), np.eye(len(knots)), atol=1e-14)
    assert np.allclose(basis.values(np.linspace(-3, 9, 50)).sum(axis=1), 1.0)
    beyond = basis.values(knots[-1] + np.arange(4.0))
    assert np.allclose(np.diff(beyond, 2, axis=0), 0.0, atol=1e-12)
    assert np.allclose(np.diff(beyond, axis=0)[0], basis.slopes(knots[-1:])[0])


def test_slopes_and_roughness_are_those_of_the_functions():
    basis, step = SplineBasis(np.array([0.0, 1.0, 1.5, 4.0])), 1e-5
    at = np.linspace(0.05, 3.95, 40)
    slopes = (basis.values(at + step) - basis.values(at - step)) / (2 * step)
    assert np.allclose(basis.slopes(at), slopes, atol=1e-8)
    fine = np.linspace(0.0, 4.0, 40_001)
    bends = np.gradient(basis.slopes(fine), fine, axis=0)
    integrals = np.trapezoid(bends[:, :, None] * bends[:, None, :], fine, axis=0)
    assert np.allclose(roughness(basis, 1.0), integrals, atol=2e-3)
    assert np.allclose(roughness(basis, 2.0), 8.0 * integrals, atol=2e-2)  # z = x / 2


@pytest.mark.parametrize("smoothing", [0.0, 1e-3, 0.1])
@pytest.mark.parametrize("end", ["largest", "smallest"])
def test_smoothing_the_sum_over_a_variable_gives_its_function(end, smoothing):
    """The normal equations of a penalized least squares fit of the sum by one variable."""
    points = RANDOM.standard_normal((400, 3)) @ RANDOM.standard_normal((3, 3))
    model = AdditivePCA(3, end=end, smoothing=smoothing).fit(points)
    functions = model.transformations(points)
    assert np.allclose(functions.sum(axis=1), model.embedding_)
    for j, x in enumerate(points.T):
        basis = SplineBasis(model.knots_[j])
        table = basis.values(x)
        table -= table.mean(axis=0)
        price = 400 * smoothing * roughness(basis, float(x.std()))
        inner, along = table.T @ table, table.T @ model.embedding_
        own = model.components_[:, sum(map(len, model.knots_[:j])) :][:, : len(basis.knots)].T
        if end == "largest":
            assert np.allclose(along, model.eigenvalues_ * ((inner + price) @ own), atol=1e-7)
        else:
            assert np.allclose(along + price @ own, model.eigenvalues_ * (inner @ own), atol=1e-7)


def test_variances_add_up_to_one_and_coordinates_have_the_eigenvalues():
    model = AdditivePCA(4, smoothing=0.0).fit(RANDOM.standard_normal((300, 4)) ** 3)
    functions = model.transformations(model._X)
    assert np.allclose(functions.var(axis=0).sum(axis=0), 1.0)
    assert np.allclose(model.embedding_.var(axis=0), model.eigenvalues_)
    assert np.allclose(np.corrcoef(model.embedding_.T), np.eye(4), atol=1e-8)


def test_straight_functions_are_pca_of_correlations():
    points = RANDOM.standard_normal((200, 4)) * [1.0, 5.0, 0.1, 30.0] + 7.0
    standardized = (points - points.mean(axis=0)) / points.std(axis=0)
    expected = PCA(4).fit(standardized)
    for end, order in (("largest", slice(None)), ("smallest", slice(None, None, -1))):
        model = AdditivePCA(4, end=end, n_knots=2).fit(points)
        values = np.linalg.eigvalsh(np.corrcoef(points.T))[::-1]
        assert np.allclose(model.eigenvalues_, values[order])
        expected_map = expected.embedding_[:, order]
        signs = np.sign((model.embedding_ * expected_map).sum(axis=0))
        assert np.allclose(model.embedding_, expected_map * signs)


def test_straight_functions_of_unit_slope_are_pca():
    points = RANDOM.standard_normal((200, 3)) @ np.diag([3.0, 2.0, 0.5])
    model = AdditivePCA(3, n_knots=2, constraint="slope").fit(points)
    assert np.allclose(model.eigenvalues_, np.linalg.eigvalsh(np.cov(points.T, bias=True))[::-1])


@pytest.mark.parametrize("seed", range(3))
def test_two_normal_variables_have_the_powers_of_their_correlation(seed):
    """Pairs of Hermite polynomials of degree k, with the values 1 + r^k and 1 - r^k."""
    points = correlated(40_000, 0.8, seed)
    largest = AdditivePCA(3, n_knots=16, smoothing=0.0).fit(points).eigenvalues_
    assert np.allclose(largest, [1.8, 1.64, 1.512], atol=0.02)
    smallest = AdditivePCA(3, end="smallest", n_knots=16, smoothing=0.0).fit(points).eigenvalues_
    assert np.allclose(smallest, [0.2, 0.36, 0.488], atol=0.02)


@pytest.mark.parametrize("seed", range(3))
def test_the_steepest_functions_of_normal_variables_are_straight(seed):
    """The variance of a function is at most the largest variance times its mean squared slope."""
    random = np.random.default_rng(seed)
    points = random.standard_normal((20_000, 3)) @ np.diag([2.0, 1.0, 0.5])
    turned = points @ np.linalg.qr(random.standard_normal((3, 3)))[0]
    model = AdditivePCA(1, constraint="slope", smoothing=0.0).fit(turned)
    assert model.eigenvalues_[0] == pytest.approx(4.0, rel=0.06)
    assert share_explained(model.embedding_[:, 0], PCA(1).fit_transform(turned)[:, 0]) > 0.99


@pytest.mark.parametrize("seed", range(5))
def test_a_law_is_found_with_its_functions(seed):
    """x3 is a sum of functions of the others: one value is next to zero, the next is not."""
    x, y, other = np.random.default_rng(seed).uniform(-1.0, 1.0, (3, 600))
    points = np.column_stack([x, y, x**2 + np.exp(1.5 * y), other])
    model = AdditivePCA(2, end="smallest").fit(points)
    assert model.eigenvalues_[0] < 1e-3 * model.eigenvalues_[1]
    found = model.transformations(points)[:, :, 0]
    assert share_explained(found[:, 0], x**2) > 0.999
    assert share_explained(found[:, 1], np.exp(1.5 * y)) > 0.999
    assert share_explained(found[:, 2], points[:, 2]) > 0.999
    assert found[:, 3].std() < 0.02


def test_roughness_costs():
    points = correlated(300, 0.5, 1)
    rough, smooth = (AdditivePCA(1, smoothing=s, end="smallest").fit(points) for s in (0.0, 1e6))
    basis = SplineBasis(rough.knots_[0])
    bends = [
        m.components_[0, :10] @ roughness(basis, 1.0) @ m.components_[0, :10]
        for m in (rough, smooth)
    ]
    assert bends[1] < 1e-9 * bends[0]
    values = np.linalg.eigvalsh(np.corrcoef(points.T))
    assert smooth.eigenvalues_[0] == pytest.approx(values[0], rel=1e-3)  # straight lines again


def test_units_do_not_matter():
    points = RANDOM.gamma(2.0, size=(250, 3))
    model = AdditivePCA(2).fit(points)
    scaled = AdditivePCA(2).fit(points * [1e6, 1.0, 1e-6] + [3.0, -2.0, 0.0])
    assert np.allclose(scaled.eigenvalues_, model.eigenvalues_)
    assert np.allclose(scaled.embedding_, model.embedding_, atol=1e-6)


def test_constant_columns_and_columns_of_two_values():
    coin = np.arange(200) % 2.0
    points = np.column_stack([np.full(200, 3.0), coin, coin + 0.1 * RANDOM.standard_normal(200)])
    model = AdditivePCA(1).fit(points)
    assert [len(knots) for knots in model.knots_] == [1, 2, 10]
    assert np.allclose(model.transformations(points)[:, 0], 0.0)
    assert model.eigenvalues_[0] > 1.9  # of 2: one variable says the other
    with pytest.warns(UserWarning, match="only 1 of 2 coordinates are nonzero"):
        padded = AdditivePCA(2).fit(points[:, :2])
    assert np.allclose(padded.eigenvalues_, [1.0, 0.0], atol=1e-4)
    with pytest.raises(ValueError, match="more than the 1 functions that vary"):
        AdditivePCA(2, end="smallest").fit(points[:, :2])


def test_too_few_points_for_the_small_end_are_told():
    with pytest.warns(UserWarning, match="too few for 18 functions"):
        AdditivePCA(1, end="smallest").fit(RANDOM.standard_normal((15, 2)))


def test_a_real_table():
    """Forest cover: hill shades at 9, noon and 15 o'clock hang together by a law."""
    try:
        table = datasets.real("covtype")["numeric"][:4000].astype(float)
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    model = AdditivePCA(2, end="smallest").fit(table)
    shares = model.transformations(table).var(axis=0)[:, 0]
    assert set(np.argsort(shares)[-3:]) == {6, 7, 8}
    straight = AdditivePCA(1, end="smallest", n_knots=2).fit(table)
    assert model.eigenvalues_[0] < 0.7 * straight.eigenvalues_[0]
