"""Polynomial PCA: Izenman 2013, section 16.2, and equations read off the data."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

import unspool
from tests.compare import relative
from unspool import kernel
from unspool.methods import PolynomialPCA


def parabola():
    """The data of Izenman 2013, Table 16.1: X1 = -1.5(0.01)0.5, X2 = 4 X1^2 + 4 X1 + 2."""
    x = -1.5 + 0.01 * np.arange(201)
    return np.column_stack([x, 4 * x**2 + 4 * x + 2])


def sphere(n=150, radius=6.0, seed=0):
    directions = np.random.default_rng(seed).normal(size=(n, 3))
    return radius * directions / np.linalg.norm(directions, axis=1, keepdims=True)


def test_table_16_1_without_noise():
    model = PolynomialPCA().fit(parabola())
    printed = [46.722, 4.912, 0.052, 0.050, 0.000]
    np.testing.assert_array_equal(model.eigenvalues_.round(3), printed)
    # the columns of the book, but for its misprints 0.620 (0.662) and 0.243 (0.249)
    table = [
        [0.003, -0.173, -0.046, -0.979, 0.097],
        [-0.253, -0.013, 0.249, -0.102, -0.929],
        [0.662, 0.337, -0.578, -0.063, -0.333],
        [0.115, -0.909, -0.342, 0.165, -0.129],
        [0.696, -0.174, 0.696, 0.000, 0.000],
    ]
    signs = np.sign(np.sum(model.components_ * table, axis=1, keepdims=True))
    np.testing.assert_allclose(
        signs * model.components_, table, atol=1.2e-3
    )  # its last digit is not always rounded right
    assert np.abs(model.embedding_[:, -1]).max() < 1e-13  # the scores of the last are all zero
    with_ddof = PolynomialPCA(ddof=1).fit(parabola()).eigenvalues_
    np.testing.assert_array_equal(with_ddof[:2].round(3), [46.955, 4.937])


def test_the_equation_of_table_16_1():
    model = PolynomialPCA().fit(parabola())
    equation = model.equation()
    assert str(equation) == "4*x1 + 4*x1**2 - x2 + 2 = 0"
    assert equation.constant == 2.0
    assert equation.coefficients == (4.0, 4.0, -1.0)
    assert equation.residual < 1e-13
    assert equation(np.array([[0.0, 2.0], [1.0, 10.0], [0.0, 5.0]])).tolist() == [0.0, 0.0, -3.0]
    assert equation == model.equation(4)


def test_table_16_1_with_noise():
    # 5 to 95 % of 500 simulations; the book's own draw: 74.617 10.229 2.073 0.336 0.247
    low, high = [62.9, 11.6, 2.2, 0.28, 0.18], [97.5, 18.6, 4.7, 0.45, 0.32]
    random = np.random.default_rng(0)
    clean = PolynomialPCA().fit(parabola()).eigenvalues_
    draws = [
        PolynomialPCA().fit(parabola() + random.normal(size=(201, 2))).eigenvalues_
        for _ in range(60)
    ]
    inside = (draws >= np.array(low)) & (draws <= np.array(high))
    assert (inside.mean(axis=0) > 0.75).all()  # 0.9 expected, sd 0.04
    assert (np.mean(draws, axis=0) > clean).all()


@pytest.mark.parametrize("standardize", [False, True])
def test_exercise_16_1_without_noise(standardize):
    model = PolynomialPCA(standardize=standardize).fit(sphere())
    assert str(model.equation()) == "x1**2 + x2**2 + x3**2 - 36 = 0"
    direction = model.components_[-1] / model._projection.scales
    expected = np.array([0, 0, 0, 1, 1, 1, 0, 0, 0]) / np.sqrt(3)
    np.testing.assert_allclose(np.abs(direction) / np.linalg.norm(direction), expected, atol=1e-12)


def test_exercise_16_1_with_noise_on_one_variable():
    noisy = sphere()
    noisy[:, 1] += 0.5 * np.random.default_rng(1).normal(size=150)  # N(0, 0.25)
    clean, model = PolynomialPCA().fit(sphere()), PolynomialPCA().fit(noisy)
    assert model.eigenvalues_[-1] > 1e6 * clean.eigenvalues_[-1]
    equation = model.equation()
    # what is printed holds on the data nearly as well as the component itself
    np.testing.assert_allclose(np.sqrt(np.mean(equation(noisy) ** 2)), equation.residual, rtol=1e-9)
    length = np.linalg.norm(equation.coefficients)
    assert equation.residual / length < 1.05 * np.sqrt(model.eigenvalues_[-1])


CURVES = {
    "9*x1**2 + 4*x2**2 - 36 = 0": lambda t: [2 * np.cos(t), 3 * np.sin(t)],
    "4*x1 - 2*x2 - x2**2 - 9 = 0": lambda t: [(t**2 - 8 * t + 24) / 4, t - 5],
    "x1*x2 - 2 = 0": lambda t: [1 + t, 2 / (1 + t)],
    "3.14159265*x1**2 - x2 = 0": lambda t: [t, np.pi * t**2],
    "0.37*x1**2 - x2 - 1.5 = 0": lambda t: [t, 0.37 * t**2 - 1.5],
    "x1 - 5 = 0": lambda t: [5 + 0 * t, np.cos(40 * t)],
}


@pytest.mark.parametrize("expected", CURVES)
def test_equations_come_out_as_they_were_put_in(expected):
    t = np.linspace(0.1, 6.0, 200)
    points = np.column_stack(CURVES[expected](t))
    equation = PolynomialPCA().fit(points).equation()
    assert str(equation) == expected
    assert np.abs(equation(points)).max() <= 3 * equation.residual + 1e-12


def test_a_cubic_and_two_lines():
    t = np.linspace(-1.5, 1.5, 100)
    cubic = PolynomialPCA(degree=3).fit(np.column_stack([t, t**3 - t])).equation()
    assert str(cubic) == "x1 - x1**3 + x2 = 0"
    lines = np.vstack([t[:50, None] * [1.0, 2.0], t[50:, None] * [3.0, -1.0]])
    assert str(PolynomialPCA().fit(lines).equation()) == "2*x1**2 + 5*x1*x2 - 3*x2**2 = 0"


def test_equations_of_data_far_away_and_very_small():
    t = np.linspace(0, 7, 300)
    far = PolynomialPCA().fit(np.column_stack([t + 1e4, t**2])).equation()
    assert str(far) == "20000*x1 - x1**2 + x2 - 100000000 = 0"
    small = PolynomialPCA().fit(1e-5 * np.column_stack([t, t**2])).equation()
    assert str(small) == "x1**2 - 1e-05*x2 = 0"


def test_names_of_a_table_are_used():
    side = np.linspace(1, 2, 50)
    model = PolynomialPCA().fit(np.column_stack([side, side**2]))
    model.feature_names_in_ = np.array(["length", "area"], dtype=object)  # as a data frame sets it
    assert str(model.equation()) == "length**2 - area = 0"


def test_equations_of_every_component_keep_to_it():
    points = np.random.default_rng(2).normal(size=(300, 2))
    model = PolynomialPCA().fit(points)
    for component in range(5):
        equation = model.equation(component)
        left = equation(points)
        scores = model.embedding_[:, component]
        assert abs(np.corrcoef(left, scores)[0, 1]) > 0.96  # rounding takes a quarter at most
        np.testing.assert_allclose(np.sqrt(np.mean(left**2)), equation.residual, rtol=1e-9)


@pytest.mark.parametrize("noise", [0.003, 0.02])
def test_rounding_an_equation_hardly_adds_to_its_residual(noise):
    random = np.random.default_rng(12)
    angle = random.uniform(0, 2 * np.pi, 400)
    points = np.column_stack([2.0 * np.cos(angle), 0.7 * np.sin(angle)])
    points += noise * random.normal(size=points.shape)
    model = PolynomialPCA().fit(points)
    equation, vector = model.equation(), model.components_[-1]
    written = dict(zip(equation.exponents, equation.coefficients, strict=True))
    rounded = np.array([written.get(tuple(powers), 0.0) for powers in model.exponents_])
    unit = abs(rounded @ vector)
    left = np.sqrt(np.mean(np.square(equation(points)))) / unit
    assert left <= 1.04 * np.sqrt(model.eigenvalues_[-1])  # a quarter, at a right angle


def test_pca_of_the_extension_by_another_route():
    points = np.random.default_rng(3).normal(size=(80, 3))
    for degree in (1, 2, 3):
        extended = kernel.monomials(points, degree)
        values, vectors = np.linalg.eigh(np.cov(extended.T, ddof=0))
        model = PolynomialPCA(degree=degree).fit(points)
        assert relative(model.eigenvalues_, values[::-1]) < 1e-12
        overlap = np.abs(np.sum(model.components_ * vectors.T[::-1], axis=1))
        np.testing.assert_allclose(overlap, 1.0, atol=1e-9)
        correlation = PolynomialPCA(degree=degree, standardize=True, ddof=1).fit(points)
        expected = np.linalg.eigvalsh(np.corrcoef(extended.T))[::-1]
        assert relative(correlation.eigenvalues_, expected) < 1e-12
    linear = unspool.PCA(3).fit(points)
    np.testing.assert_allclose(PolynomialPCA(degree=1).fit(points).embedding_, linear.embedding_)


def test_the_smallest_eigenvalue_is_right_far_below_the_largest():
    random = np.random.default_rng(4)
    x = random.uniform(0, 30, size=400)
    points = np.column_stack([x, x**2 + 1e-4 * random.normal(size=400)])
    model = PolynomialPCA().fit(points)
    scores = model.embedding_
    np.testing.assert_allclose(scores.var(axis=0), model.eigenvalues_, rtol=1e-5)
    assert model.eigenvalues_[-1] / model.eigenvalues_[0] < 1e-13  # 5e-9 / 7e10
    assert np.abs(model.equation().residual) < 1.5e-4


@pytest.mark.parametrize("standardize", [False, True])
def test_new_points_and_the_way_back(standardize):
    random = np.random.default_rng(5)
    points, fresh = random.normal(size=(60, 3)) + 2.0, random.normal(size=(10, 3))
    model = PolynomialPCA(standardize=standardize).fit(points)
    np.testing.assert_array_equal(model.transform(points), model.embedding_)
    centred = (kernel.monomials(fresh, 2) - model.mean_) / model._projection.scales
    np.testing.assert_allclose(model.transform(fresh), centred @ model.components_.T, atol=1e-12)
    np.testing.assert_allclose(model.inverse_transform(model.transform(fresh)), fresh, atol=1e-11)
    few = PolynomialPCA(4, standardize=standardize).fit(points)
    np.testing.assert_array_equal(few.embedding_, model.embedding_[:, :4])
    np.testing.assert_array_equal(few.eigenvalues_, model.eigenvalues_)  # all of them, always
    np.testing.assert_allclose(few.inverse_transform(few.embedding_), points, atol=1e-8)


def test_a_constant_variable_is_not_turned_into_variance():
    points = np.column_stack([np.full(50, 0.1), np.random.default_rng(6).normal(size=50)])
    model = PolynomialPCA(standardize=True).fit(points)
    assert (model.eigenvalues_[3:] < 1e-20).all()
    np.testing.assert_allclose(model.eigenvalues_.sum(), 3.0)  # x2, x2^2 and x1 x2 vary


def test_too_few_points_are_told():
    points = np.random.default_rng(7).normal(size=(9, 3))
    with pytest.warns(UserWarning, match="9 points are too few for 9 monomials: at least 1 eig"):
        model = PolynomialPCA().fit(points)
    assert model.eigenvalues_.shape == (9,)
    assert model.eigenvalues_[-1] < 1e-25
    assert "9 points are too few" in model.report_.advice[0]
    with pytest.warns(UserWarning, match="at least 6 eigenvalues"):
        model = PolynomialPCA().fit(points[:4])
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(9), atol=1e-12)
    PolynomialPCA().fit(np.random.default_rng(7).normal(size=(10, 3)))  # no warning


def test_wrong_use_is_answered_before_the_work():
    points = np.random.default_rng(8).normal(size=(30, 2))
    with pytest.raises(MemoryError, match="100 variables to degree 6 has 1705904745 columns"):
        PolynomialPCA(degree=6).fit(np.ones((3, 100)))
    with pytest.raises(ValueError, match="more than the 5 monomials"):
        PolynomialPCA(6).fit(points)
    with pytest.raises(ValueError, match="scale the data down"):
        PolynomialPCA(degree=4).fit(points * 1e60)
    with pytest.raises(ValueError, match="no component 5 among 5"):
        PolynomialPCA().fit(points).equation(5)
    with pytest.raises(ValueError, match="X must have 2 columns"):
        PolynomialPCA().fit(points).equation()(np.ones((3, 3)))


@pytest.mark.filterwarnings("ignore:10 points are too few")  # as scikit-learn 1.6 tries it
def test_scikit_learn_finds_nothing():
    check_estimator(PolynomialPCA())
