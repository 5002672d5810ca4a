"""What a map must not depend on: where the data lie, how they are turned, and in which order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ortho_group

from tests.cases import CLOSED_FORM, DIMENSIONS, bent
from tests.compare import relative, up_to_signs

X = bent(120)
every_method = pytest.mark.parametrize("case", CLOSED_FORM.values(), ids=CLOSED_FORM)
few = settings(max_examples=8, deadline=None, derandomize=True)
seeds = st.integers(0, 2**32 - 1)


@every_method
@given(seed=seeds, d=st.sampled_from(DIMENSIONS))
@few
def test_rotation_and_reflection(case, seed, d):
    rotation = ortho_group.rvs(5, random_state=seed)
    expected = case.make(n_components=d).fit(X).embedding_
    assert up_to_signs(case.make(n_components=d).fit(X @ rotation).embedding_, expected) < 1e-6


@every_method
@given(shift=st.lists(st.floats(-1e4, 1e4), min_size=5, max_size=5), d=st.sampled_from(DIMENSIONS))
@few
def test_translation(case, shift, d):
    """An offset of 1e4 costs 1e4 / 10 of the last digit of each difference, and no more."""
    expected = case.make(n_components=d).fit(X).embedding_
    moved = case.make(n_components=d).fit(X + np.array(shift)).embedding_
    assert up_to_signs(moved, expected) < 1e-6


@every_method
@given(exponent=st.floats(-12, 12), d=st.sampled_from(DIMENSIONS))
@few
def test_scaling(case, exponent, d):
    scale = 10.0**exponent
    expected = case.make(n_components=d).fit(X).embedding_
    scaled = case.make(n_components=d).fit(scale * X).embedding_
    assert up_to_signs(scaled / scale**case.power, expected) < 1e-6


@every_method
@given(seed=seeds, d=st.sampled_from(DIMENSIONS))
@few
def test_order_of_the_rows(case, seed, d):
    order = np.random.default_rng(seed).permutation(len(X))
    expected = case.make(n_components=d).fit(X).embedding_
    shuffled = case.make(n_components=d).fit(X[order]).embedding_
    assert up_to_signs(shuffled, expected[order]) < 1e-6


@every_method
def test_order_of_the_columns(case):
    expected = case.make().fit(X).embedding_
    assert up_to_signs(case.make().fit(X[:, ::-1]).embedding_, expected) < 1e-7


@every_method
def test_constant_columns_change_nothing(case):
    wider = np.column_stack([X, np.full(len(X), 3.0), np.zeros(len(X))])
    expected = case.make().fit(X).embedding_
    assert up_to_signs(case.make().fit(wider).embedding_, expected) < 1e-7


@every_method
def test_new_points_move_with_the_data(case):
    new = bent(20, seed=5)
    rotation, shift = ortho_group.rvs(5, random_state=3), np.array([5.0, -3.0, 8.0, 0.5, 1.0])
    here = case.make().fit(X)
    there = case.make().fit(X @ rotation + shift)
    signs = np.sign(np.einsum("ij,ij->j", there.embedding_, here.embedding_))
    assert relative(there.transform(new @ rotation + shift) * signs, here.transform(new)) < 1e-6


@pytest.mark.parametrize("offset", [1e2, 1e5, 1e7])
@every_method
def test_an_offset_costs_digits_of_the_data_only(case, offset):
    """Data at 1e7 carry 9 digits of what matters; the map keeps about as many."""
    expected = case.make().fit(X).embedding_
    moved = case.make().fit(X + offset).embedding_
    assert up_to_signs(moved, expected) < max(1e-9, 1e-8 * offset / 10)
