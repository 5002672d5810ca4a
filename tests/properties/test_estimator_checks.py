"""scikit-learn's own checks, on every class, without expected failures."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.cases import CASES, IN_SPACE

LONG = ("ConformalEigenmaps",)  # a quarter of all seconds with its defaults, for one class of 27


def estimator_of(name, case):
    """As a user makes it first, unless that takes long."""
    return case.cls() if case.closed_form and name not in LONG else case.make()


# the checks' blobs are far apart, and a method that works by neighbours is right to say so
@pytest.mark.filterwarnings("ignore:the neighbour graph has")
@pytest.mark.filterwarnings("ignore:10 points are too few")  # as scikit-learn 1.6 tries it
@parametrize_with_checks([estimator_of(name, case) for name, case in CASES.items()])
def test_scikit_learn_check(estimator, check):
    check(estimator)


def takes_sparse_points(case):
    try:
        case.make().fit(sp.csr_array(np.random.default_rng(0).normal(size=(40, 5))))
    except (ValueError, TypeError) as refused:
        return "toarray" not in str(refused)
    return True


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("case", IN_SPACE.values(), ids=IN_SPACE)
def test_tags_tell_what_may_come_in(case):
    from sklearn.utils import get_tags

    assert not get_tags(case.make()).input_tags.pairwise
    assert get_tags(case.make()).input_tags.sparse == takes_sparse_points(case)
    assert get_tags(case.make(metric="precomputed")).input_tags.pairwise
