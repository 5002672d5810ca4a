"""One rule for signs and for the axes of equal values, that no solver or rounding can sway."""

import numpy as np
import pytest
from scipy.stats import ortho_group

from unspool.spectrum.solve import canonical_vectors, degenerate_groups, signs

RANDOM = np.random.default_rng(0)


def alone(vectors):
    return [np.array([i]) for i in range(vectors.shape[1])]


def test_the_largest_entry_is_positive():
    vectors = np.array([[0.1, -0.2], [-0.9, 0.1], [0.3, -0.8]])
    fixed = canonical_vectors(vectors, alone(vectors), 2)
    np.testing.assert_array_equal(fixed, vectors * [-1.0, -1.0])


def test_of_entries_that_are_equally_large_the_first_decides():
    """Within a margin far above rounding, so that rounding cannot choose."""
    for noise in (0.0, 1e-12, -1e-12, 1e-6):
        vector = np.array([[-0.5], [0.5 + noise], [0.5], [-0.5 - noise]])
        assert signs(vector)[0] == -1.0


def test_signs_do_not_depend_on_the_sign_given():
    vectors = RANDOM.standard_normal((50, 8))
    flips = np.where(RANDOM.random(8) < 0.5, -1.0, 1.0)
    np.testing.assert_array_equal(
        canonical_vectors(vectors, alone(vectors), 8),
        canonical_vectors(vectors * flips, alone(vectors), 8),
    )


def test_a_zero_vector_stays_zero():
    assert not canonical_vectors(np.zeros((4, 1)), [np.array([0])], 1).any()


def test_groups_of_equal_values():
    def groups(values, tolerance):
        return [group.tolist() for group in degenerate_groups(np.array(values), tolerance)]

    assert groups([1.0, 1.0 + 1e-13, 2.0, 3.0, 3.0], 1e-10) == [[0, 1], [2], [3, 4]]
    assert groups([5.0, 4.0, 4.0, 4.0], 1e-10) == [[0], [1, 2, 3]]
    assert groups([1.0], 1e-10) == [[0]]
    assert groups([], 1e-10) == []


@pytest.mark.parametrize("size", [2, 3, 5])
@pytest.mark.parametrize("seed", range(5))
def test_the_axes_of_an_eigenspace_do_not_depend_on_the_basis_given(size, seed):
    """Any orthonormal basis of the same space leads to the same axes."""
    random = np.random.default_rng(seed)
    basis = np.linalg.qr(random.standard_normal((40, size)))[0]
    turned = basis @ ortho_group.rvs(size, random_state=seed)
    group = [np.arange(size)]
    expected = canonical_vectors(basis, group, size)
    np.testing.assert_allclose(canonical_vectors(turned, group, size), expected, atol=1e-12)
    np.testing.assert_allclose(expected.T @ expected, np.eye(size), atol=1e-12)
    # still the same space
    np.testing.assert_allclose(basis @ (basis.T @ expected), expected, atol=1e-12)


def test_later_axes_vanish_at_the_pivots_of_earlier_ones():
    basis = np.linalg.qr(RANDOM.standard_normal((30, 4)))[0]
    axes = canonical_vectors(basis, [np.arange(4)], 4)
    pivot = np.argmax(np.linalg.norm(basis, axis=1))
    np.testing.assert_allclose(axes[pivot, 1:], 0.0, atol=1e-12)
    np.testing.assert_allclose(axes[pivot, 0], np.linalg.norm(basis[pivot]), atol=1e-12)


def test_the_first_axes_are_the_same_however_many_are_kept():
    basis = np.linalg.qr(RANDOM.standard_normal((30, 6)))[0]
    groups = [np.array([0]), np.arange(1, 5), np.array([5])]
    every = canonical_vectors(basis, groups, 6)
    for count in range(1, 7):
        np.testing.assert_allclose(
            canonical_vectors(basis, groups, count), every[:, :count], atol=1e-12
        )


def test_vectors_with_values_of_their_own_are_not_mixed():
    vectors = np.linalg.qr(RANDOM.standard_normal((30, 3)))[0]
    fixed = canonical_vectors(vectors, [np.array([0, 1]), np.array([2])], 3)
    np.testing.assert_allclose(np.abs(fixed[:, 2]), np.abs(vectors[:, 2]))


def test_the_given_vectors_are_not_changed():
    vectors = RANDOM.standard_normal((10, 3))
    kept = vectors.copy()
    canonical_vectors(vectors, [np.arange(3)], 2)
    np.testing.assert_array_equal(vectors, kept)
