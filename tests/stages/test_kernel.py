"""Kernel functions against their formulas, their width in three words, centring, definiteness."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist

from unspool import kernel
from unspool.kernel import Centering, Kernel, edge_gamma, gamma_from

RANDOM = np.random.default_rng(0)
A, B = RANDOM.standard_normal((12, 4)), RANDOM.standard_normal((7, 4))
FORMULAS = {
    "linear": lambda x, y: x @ y,
    "homogeneous": lambda x, y: (x @ y) ** 2,
    "polynomial": lambda x, y: (0.3 * (x @ y) + 1.5) ** 2,
    "gaussian": lambda x, y: np.exp(-0.3 * np.sum((x - y) ** 2)),
    "laplacian": lambda x, y: np.exp(-0.3 * np.sum(np.abs(x - y))),
    "sigmoid": lambda x, y: np.tanh(0.3 * (x @ y) + 1.5),
    "thin-plate": lambda x, y: 0.6 * np.sum((x - y) ** 2) * np.log(0.6 * np.sum((x - y) ** 2)) / 2,
}
every_kernel = pytest.mark.parametrize("name", FORMULAS)


def made(name, **more):
    return Kernel(name, gamma=0.3, degree=2, coef0=1.5, **more)


@every_kernel
def test_tables_follow_the_formula(name):
    expected = [[FORMULAS[name](a, b) for b in B] for a in A]
    np.testing.assert_allclose(made(name)(A, B), expected, rtol=1e-12, atol=1e-14)


@every_kernel
@pytest.mark.parametrize("columns", [3, 20])
@pytest.mark.parametrize("origin", [0.0, 1e6])
def test_rows_to_fixed_points_are_those_of_the_table(name, columns, origin):
    points, queries = origin + RANDOM.standard_normal((600, columns)), RANDOM.random((9, columns))
    function = made(name, origin=np.full(columns, origin))
    found = function.rows_to(points)(queries + origin)
    np.testing.assert_allclose(found, function(queries + origin, points), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["gaussian", "laplacian"])
@pytest.mark.parametrize("origin", [None, np.ones(3)])
def test_a_set_with_itself_is_worked_on_in_tiles(name, origin):
    points = RANDOM.standard_normal((600, 3))  # two whole tiles and a part of one
    table = made(name, origin=origin)(points, points)
    np.testing.assert_array_equal(table, made(name, origin=origin)(points, points.copy()))
    np.testing.assert_array_equal(table, table.T)


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_gaussians_of_many_columns_by_products_lose_no_digits(offset):
    """Of clusters, duplicates and far data: the distances are those by differences."""
    centers = RANDOM.standard_normal((7, 40))
    points = offset + centers[RANDOM.integers(7, size=1_400)]
    points[:350] += 1e-4 * RANDOM.standard_normal((350, 40))
    points[350:1_300] += RANDOM.standard_normal((950, 40))
    for first, second in ((points, points), (points[:80], points), (points, points[700:])):
        table = Kernel("gaussian", gamma=0.01)(first, second)
        expected = np.exp(-0.01 * cdist(first, second, "sqeuclidean"))
        np.testing.assert_allclose(table, expected, rtol=1e-10, atol=0)
    table = Kernel("gaussian", gamma=1e6)(points, points)
    np.testing.assert_array_equal(table, table.T)
    assert (np.diag(table) == 1.0).all()
    near = Kernel("gaussian", gamma=1e6)(points[:350], points[:350])
    expected = np.exp(-1e6 * cdist(points[:350], points[:350], "sqeuclidean"))
    np.testing.assert_allclose(near, expected, rtol=1e-8)


def test_many_columns_are_not_compared_pair_by_pair(monkeypatch):
    def refuse(*_):
        raise AssertionError("by differences")

    points = RANDOM.standard_normal((800, 30))
    monkeypatch.setattr("scipy.spatial.distance.cdist", refuse)
    assert Kernel("gaussian", gamma=0.1)(points, points).shape == (800, 800)


def test_numbers_whose_squares_overflow_have_nothing_in_common():
    points = 1e200 * RANDOM.standard_normal((5, 12))
    np.testing.assert_array_equal(Kernel("gaussian", gamma=1.0)(points, points), np.eye(5))


@every_kernel
def test_the_diagonal_without_the_table(name):
    np.testing.assert_allclose(made(name).diagonal(A), np.diag(made(name)(A, A)), rtol=1e-12)


@pytest.mark.parametrize("name", ["homogeneous", "polynomial"])
@pytest.mark.parametrize("degree", [1, 2, 3, 4])
def test_slopes_of_polynomial_kernels_are_differences_of_their_values(name, degree):
    """Of numbers x and y the kernel is a function of x y alone; with x = 1 of y."""
    given = Kernel(name, gamma=0.3, degree=degree, coef0=1.5)
    y, step = np.array([-1.7, -0.2, 0.4, 2.9]), 1e-5
    above, below = (given(np.ones((1, 1)), (y + e)[:, None])[0] for e in (step, -step))
    np.testing.assert_allclose(given.slope(y), (above - below) / (2 * step), rtol=1e-8, atol=1e-9)


def test_a_function_of_ones_own():
    own = Kernel(lambda x, y: float(x @ y) + 1.0)
    np.testing.assert_allclose(own(A, B), A @ B.T + 1.0)
    np.testing.assert_allclose(own.diagonal(A), np.diag(A @ A.T) + 1.0)
    assert set(FORMULAS) | {"precomputed"} <= set(kernel.KERNELS)


@pytest.mark.parametrize("name", ["gaussian", "laplacian"])
def test_an_origin_changes_nothing_but_the_digits(name):
    moved = made(name).about(np.full(4, 3.0), centered=False)
    np.testing.assert_allclose(moved(A, B), made(name)(A, B), rtol=1e-12)
    np.testing.assert_allclose(moved.diagonal(A), 1.0)


def test_an_origin_is_taken_only_where_it_is_exact():
    origin = np.full(4, 3.0)
    assert made("linear").about(origin, centered=True).origin is not None
    assert made("linear").about(origin, centered=False).origin is None
    for name in ("polynomial", "homogeneous", "sigmoid"):
        assert made(name).about(origin, centered=True).origin is None


@every_kernel
def test_new_rows_are_rows_of_the_table(name):
    np.testing.assert_allclose(made(name)(A[:1], B), made(name)(A, B)[:1], rtol=1e-12)


# the width


def test_three_words_for_one_width():
    assert gamma_from(0.7, None, None) == 0.7
    assert gamma_from(None, 2.0, None) == 1 / 8  # exp(-d^2 / (2 sigma^2))
    assert gamma_from(None, None, 5.0) == 1 / 5  # exp(-d^2 / t)
    assert gamma_from(None, None, None) is None


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
def test_the_width_of_edges_follows_their_unit(unit):
    assert edge_gamma(unit * np.array([1.0, 2.0, 3.0])) == pytest.approx(3 / 14 / unit**2)
    assert edge_gamma(np.zeros(3)) == edge_gamma(np.zeros(0)) == 1.0


@pytest.mark.parametrize("widths", [(1.0, 1.0, None), (None, 1.0, 1.0), (1.0, 1.0, 1.0)])
def test_exactly_one_of_them(widths):
    with pytest.raises(ValueError, match="give exactly one of gamma, sigma, t"):
        gamma_from(*widths)


@pytest.mark.parametrize("bad", [0.0, -1.0, np.inf, np.nan])
def test_widths_are_positive_and_finite(bad):
    for position, name in enumerate(("gamma", "sigma", "t")):
        widths = [None, None, None]
        widths[position] = bad
        with pytest.raises(ValueError, match=f"{name} must be a positive finite number"):
            gamma_from(*widths)


def test_the_default_width_is_the_median_distance():
    gamma = kernel.median_gamma(A)
    np.testing.assert_allclose(1 / np.sqrt(2 * gamma), np.median(pdist(A)), rtol=1e-12)
    np.testing.assert_allclose(kernel.median_gamma(5 * A), gamma / 25, rtol=1e-12)
    np.testing.assert_allclose(kernel.median_gamma(A + 1e4), gamma, rtol=1e-9)


def test_the_default_width_of_many_points_is_taken_from_a_thousand():
    many = RANDOM.standard_normal((5000, 3))
    full = np.median(pdist(many))
    np.testing.assert_allclose(1 / np.sqrt(2 * kernel.median_gamma(many)), full, rtol=0.03)
    assert kernel.median_gamma(many) == kernel.median_gamma(many.copy())


def test_the_default_width_where_most_points_coincide():
    crowd = np.zeros((20, 2))
    assert kernel.median_gamma(crowd) == 0.5
    crowd[0] = 3.0, 4.0
    np.testing.assert_allclose(kernel.median_gamma(crowd), 1 / (2 * np.mean(pdist(crowd)) ** 2))
    assert kernel.median_gamma(crowd[:1]) == 0.5


def test_the_default_width_of_edges():
    assert kernel.edge_gamma(np.array([1.0, 3.0])) == 1 / 5
    assert kernel.edge_gamma(np.zeros(4)) == 1.0
    assert kernel.edge_gamma(np.zeros(0)) == 1.0


# centring


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_means_of_a_table_are_taken_strip_by_strip(dtype):
    table = RANDOM.standard_normal((700, 40)).astype(dtype)
    expected = table.astype(np.float64).mean(axis=0)
    np.testing.assert_allclose(Centering.of(table).column_means, expected, rtol=0, atol=1e-15)


def test_centring_of_table_and_rows():
    table, rows = made("gaussian")(A, A), made("gaussian")(B, A)
    n = len(A)
    H = np.eye(n) - np.full((n, n), 1 / n)
    np.testing.assert_allclose(kernel.double_centered(table), H @ table @ H, atol=1e-15)
    centering = Centering.of(table)
    np.testing.assert_allclose(centering.rows(table), H @ table @ H, atol=1e-15)
    # features of new points lose the mean of the old ones (Vidal, Ma, Sastry 2016, eq. 4.20)
    ones = np.full((len(B), n), 1 / n)
    expected = (
        rows - ones @ table - rows @ np.full((n, n), 1 / n) + ones @ table @ np.full((n, n), 1 / n)
    )
    np.testing.assert_allclose(centering.rows(rows), expected, atol=1e-15)
    np.testing.assert_allclose(centering.rows(rows[:1]), expected[:1], atol=1e-15)


# definiteness


@pytest.mark.parametrize("name", ["linear", "homogeneous", "polynomial", "gaussian", "laplacian"])
def test_kernels_are_positive_semidefinite(name):
    assert kernel.is_positive_semidefinite(made(name)(A, A))


def test_what_is_not():
    assert not kernel.is_positive_semidefinite(-np.eye(3))
    assert not kernel.is_positive_semidefinite(np.array([[1.0, 2.0], [2.0, 1.0]]))
    assert not kernel.is_positive_semidefinite(-0.5 * cdist(A, A) ** 2)
    assert kernel.is_positive_semidefinite(kernel.double_centered(-0.5 * cdist(A, A) ** 2))
    assert kernel.is_positive_semidefinite(np.zeros((3, 3)))
    assert kernel.is_positive_semidefinite(1e-30 * np.eye(3))
    assert not kernel.is_positive_semidefinite(1e-30 * np.array([[1.0, 2.0], [2.0, 1.0]]))


@pytest.mark.parametrize("size", [5, 60])
def test_definiteness_agrees_with_the_eigenvalues(size):
    for seed in range(20):
        random = np.random.default_rng(seed)
        table = random.standard_normal((size, size))
        table = table + table.T + random.uniform(0, 4) * np.sqrt(size) * np.eye(size)
        smallest = np.linalg.eigvalsh(table)[0]
        if abs(smallest) > 1e-6:
            assert kernel.is_positive_semidefinite(table) == (smallest > 0)


def test_tables_must_be_square_and_symmetric():
    with pytest.raises(ValueError, match=r"my table must be square; got shape \(2, 3\)"):
        kernel.check_symmetric(np.ones((2, 3)), "my table")
    with pytest.raises(ValueError, match=r"entry \(0, 1\) is 2 and \(1, 0\) is 3"):
        kernel.check_symmetric(np.array([[1.0, 2.0], [3.0, 1.0]]), "my table")
    kernel.check_symmetric(np.array([[1.0, 2.0], [2.0 + 1e-12, 1.0]]), "my table")
    with pytest.raises(ValueError, match="symmetric"):
        kernel.is_positive_semidefinite(np.array([[1.0, 2.0], [3.0, 1.0]]))


def test_combinations_of_centred_features_get_their_mean_back():
    """sum c_i (f_i - m) + m, written as a combination of the features themselves."""
    random = np.random.default_rng(8)
    features, coefficients = random.normal(size=(12, 5)), random.normal(size=(4, 12))
    mean = features.mean(axis=0)
    expected = coefficients @ (features - mean) + mean
    found = kernel.Centering.of(features @ features.T).add_mean(coefficients)
    np.testing.assert_allclose(found @ features, expected, atol=1e-12)
    np.testing.assert_array_equal(kernel.Uncentered().add_mean(coefficients), coefficients)
