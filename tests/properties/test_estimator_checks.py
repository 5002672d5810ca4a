"""scikit-learn's own checks, on every class, without expected failures."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.cases import CASES, IN_SPACE


# the checks' blobs are far apart, and a method that works by neighbours is right to say so
@pytest.mark.filterwarnings("ignore:the neighbour graph has")
@parametrize_with_checks(
    [case.cls() if case.closed_form else case.make() for case in CASES.values()]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize("case", IN_SPACE.values(), ids=IN_SPACE)
def test_tags_tell_what_may_come_in(case):
    from sklearn.utils import get_tags

    assert not get_tags(case.make()).input_tags.pairwise
    assert not get_tags(case.make()).input_tags.sparse
    assert get_tags(case.make(metric="precomputed")).input_tags.pairwise
