"""Explicit feature maps: their inner products are kernels, and curves become flat in them."""

from itertools import combinations_with_replacement
from math import comb, sqrt

import numpy as np
import pytest
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils.estimator_checks import check_estimator

import unspool
from tests.compare import relative, up_to_signs
from unspool import datasets, kernel

SHAPES = [(1, 1), (1, 4), (2, 2), (3, 2), (2, 5), (4, 3)]  # (variables, degree)


@pytest.mark.parametrize(("n_features", "degree"), SHAPES)
def test_veronese_lists_the_monomials_in_lexicographic_order(n_features, degree):
    points = np.random.default_rng(0).normal(size=(7, n_features))
    chosen = list(combinations_with_replacement(range(n_features), degree))
    expected = np.column_stack([points[:, list(variables)].prod(axis=1) for variables in chosen])
    found = kernel.veronese(points, degree)
    assert found.shape[1] == comb(degree + n_features - 1, degree)
    np.testing.assert_allclose(found, expected, rtol=1e-14)  # products in another order
    peer = PolynomialFeatures((degree, degree), include_bias=False).fit(points)
    np.testing.assert_array_equal(kernel.veronese_exponents(n_features, degree), peer.powers_)


@pytest.mark.parametrize(("n_features", "degree"), [*SHAPES, (3, 30)])
def test_inner_products_of_the_scaled_map_are_the_homogeneous_kernel(n_features, degree):
    points = np.random.default_rng(1).uniform(-1, 1, size=(9, n_features))
    features = kernel.veronese(points, degree, scaled=True)
    table = kernel.Kernel("homogeneous", degree=degree)(points, points)
    assert relative(features @ features.T, table) < 1e-13


def test_the_degree_two_map_of_the_text():
    x1, x2 = 3.0, -2.0
    expected = [[x1**2, sqrt(2) * x1 * x2, x2**2]]  # Vidal, Ma, Sastry 2016, eq. 4.2
    np.testing.assert_allclose(kernel.veronese([[x1, x2]], 2, scaled=True), expected, rtol=1e-15)


def test_monomials_come_in_the_order_of_the_book():
    x = np.array([[2.0, 3.0, 5.0]])
    squares_then_products = [[2, 3, 5, 4, 9, 25, 6, 10, 15]]  # Izenman 2013, Exercise 16.1
    np.testing.assert_array_equal(kernel.monomials(x, 2), squares_then_products)
    cubes = [8, 27, 125, 12, 20, 18, 50, 45, 75, 30]  # cubes, two variables, three variables
    np.testing.assert_array_equal(kernel.monomials(x, 3), [[*squares_then_products[0], *cubes]])


@pytest.mark.parametrize(("n_features", "degree"), SHAPES)
def test_exponents_say_what_the_columns_are(n_features, degree):
    points = np.random.default_rng(2).normal(size=(5, n_features))
    for values, powers in (
        (kernel.veronese(points, degree), kernel.veronese_exponents(n_features, degree)),
        (kernel.monomials(points, degree), kernel.monomial_exponents(n_features, degree)),
    ):
        expected = np.prod(points[:, None, :] ** powers, axis=2)
        np.testing.assert_allclose(values, expected, rtol=1e-13)
    assert kernel.n_monomials(n_features, degree) == len(
        kernel.monomial_exponents(n_features, degree)
    )


def test_size_of_the_quadratic_extension():
    for r, expected in ((2, 5), (3, 9), (10, 65), (20, 230)):  # Izenman 2013, section 16.2
        assert kernel.n_monomials(r, 2) == 2 * r + r * (r - 1) // 2 == expected


def test_maps_do_not_change_or_share_their_input():
    points = np.ones((4, 1))
    kernel.veronese(points, 1)[:] = 7.0
    kernel.monomials(points, 1)[:] = 7.0
    assert (points == 1.0).all()


@pytest.mark.parametrize("degree", [0, -1, 1.5, True])
def test_a_degree_that_is_none_is_refused(degree):
    with pytest.raises(ValueError, match="degree must be a whole number"):
        kernel.veronese(np.ones((3, 2)), degree)


def test_a_circle_lands_on_a_plane():
    points = datasets.circle(60, radius=3.0).points
    model = unspool.FeatureMapPCA(3, degree=2).fit(points)
    assert model.eigenvalues_[2] < 1e-28 * model.eigenvalues_[0]  # rounding of the SVD, squared
    normal = model.components_[2]
    np.testing.assert_allclose(np.abs(normal), [sqrt(0.5), 0, sqrt(0.5)], atol=1e-14)
    features = kernel.veronese(points, 2, scaled=True)
    np.testing.assert_allclose(np.abs(features @ normal), 9 * sqrt(0.5), rtol=1e-14)  # r^2 / sqrt 2


def test_two_lines_become_one_plane_whose_normal_is_the_product_polynomial():
    first, second = np.array([2.0, -1.0]), np.array([1.0, 3.0])  # b'x = 0 on each line
    along = np.random.default_rng(3).normal(size=(40, 1))
    lines = np.vstack([along[:20] * [1.0, 2.0], along[20:] * [3.0, -1.0]])
    product = np.array([2.0, 5.0, -3.0])  # (2 x1 - x2)(x1 + 3 x2)
    assert np.abs((lines @ first) * (lines @ second)).max() < 1e-13
    null_vector = np.linalg.svd(kernel.veronese(lines, 2))[2][-1]
    assert relative(null_vector / null_vector[0], product / product[0]) < 1e-13
    model = unspool.FeatureMapPCA(3, feature_map=lambda x: kernel.veronese(x, 2)).fit(lines)
    normal = model.components_[2]
    assert relative(normal / normal[0], product / product[0]) < 1e-13
    # a subspace, not only an affine one (Vidal, Ma, Sastry 2016, Example 4.1)
    assert np.abs(model.mean_ @ normal) < 1e-13


@pytest.mark.parametrize(("n_features", "degree", "form"), [(2, 3, "covariance"), (6, 3, "gram")])
@pytest.mark.parametrize("n_components", [1, 2, 3, 4])
def test_the_veronese_map_is_kernel_pca_with_the_homogeneous_kernel(
    n_features, degree, form, n_components
):
    points = np.random.default_rng(4).normal(size=(40, n_features))
    fresh = np.random.default_rng(5).normal(size=(10, n_features))
    explicit = unspool.FeatureMapPCA(n_components, degree=degree).fit(points)
    implicit = unspool.KernelPCA(n_components, kernel="homogeneous", degree=degree).fit(points)
    assert explicit.report_.stage("features").facts["form"] == form
    assert relative(explicit.eigenvalues_ * 40, implicit.eigenvalues_) < 1e-12
    assert up_to_signs(explicit.embedding_, implicit.embedding_) < 1e-10
    assert up_to_signs(explicit.transform(fresh), implicit.transform(fresh)) < 1e-10
    assert relative(explicit.kernel_(), implicit.kernel_()) < 1e-12


@pytest.mark.parametrize("wide", [False, True])
def test_both_forms_are_pca_of_the_features(wide):
    def waves(x):
        steps = np.arange(1, 60 if wide else 6)
        return np.hstack([np.sin(x[:, :1] * steps), np.cos(x[:, 1:] * steps)])

    points = np.random.default_rng(6).normal(size=(30, 2))
    model = unspool.FeatureMapPCA(4, feature_map=waves).fit(points)
    assert model.report_.stage("features").facts["form"] == ("gram" if wide else "covariance")
    linear = unspool.PCA(4).fit(waves(points))
    assert up_to_signs(model.embedding_, linear.embedding_) < 1e-12
    assert up_to_signs(model.components_.T, linear.components_.T) < 1e-12
    np.testing.assert_allclose(model.eigenvalues_, linear.eigenvalues_, rtol=1e-12)
    shares = linear.explained_variance_ratio_
    np.testing.assert_allclose(model.explained_variance_ratio_, shares, rtol=1e-12)
    np.testing.assert_array_equal(model.transform(points), model.embedding_)


def test_the_identity_map_is_pca_and_places_are_interpolated_back():
    points = datasets.swiss_roll(200).points
    model = unspool.FeatureMapPCA(3, feature_map=lambda x: x).fit(points)
    assert up_to_signs(model.embedding_, unspool.PCA(3).fit_transform(points)) < 1e-12
    np.testing.assert_allclose(model.inverse_transform(model.embedding_), points, atol=1e-8)
    middle = model.embedding_[:50].mean(axis=0, keepdims=True)  # affine maps come back exactly
    np.testing.assert_allclose(model.inverse_transform(middle)[0], points[:50].mean(axis=0))


def test_more_axes_than_the_points_span_stay_empty():
    points = np.repeat(np.random.default_rng(7).normal(size=(3, 8)), 4, axis=0)  # duplicates
    with pytest.warns(UserWarning, match="only 2 of 4 coordinates are nonzero"):
        model = unspool.FeatureMapPCA(4).fit(points)
    assert (model.components_[2:] == 0.0).all()
    assert (model.transform(points[:5])[:, 2:] == 0.0).all()


REFUSED = {
    "one row of features per point": lambda x: x[:, 0],
    "features of row 3 are not all numbers": lambda x: np.where(
        np.arange(20)[:, None] == 3, np.nan, x
    ),
    "powers of that overflow": lambda x: x * 1e200,
}


@pytest.mark.parametrize("message", REFUSED)
def test_feature_maps_that_cannot_be_used_are_refused(message):
    points = np.random.default_rng(8).normal(size=(20, 3))
    with pytest.raises(ValueError, match=message):
        unspool.FeatureMapPCA(feature_map=REFUSED[message]).fit(points)


def test_wrong_use_is_answered_before_the_work():
    points = np.random.default_rng(9).normal(size=(20, 3))
    with pytest.raises(ValueError, match="feature_map must be callable"):
        unspool.FeatureMapPCA(feature_map="veronese").fit(points)
    with pytest.raises(ValueError, match="use at most 6"):
        unspool.FeatureMapPCA(7).fit(points)
    with pytest.raises(MemoryError, match="degree 9 with 3911395881900 columns"):
        unspool.FeatureMapPCA(degree=9).fit(np.ones((2, 100)))
    model = unspool.FeatureMapPCA(1, feature_map=lambda x: x[:, : len(x)]).fit(points)
    with pytest.raises(ValueError, match="gave 3 features when it was fitted and gives 2 now"):
        model.transform(points[:2])


@pytest.mark.parametrize("degree", [2, 4])  # of ten points with five features: both forms
def test_scikit_learn_finds_nothing(degree):
    check_estimator(unspool.FeatureMapPCA(degree=degree))
