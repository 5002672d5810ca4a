"""Every item of the textbook runs and all its checks hold; without its data it is skipped."""

import pytest

from tests.textbook.running import result_of
from unspool.textbook import items


def marked(one):
    return pytest.param(one, id=one.id, marks=[pytest.mark.slow] if one.slow else [])


@pytest.mark.parametrize("one", [marked(one) for one in items().values()])
def test_all_checks_hold(one):
    result = result_of(one.id)
    if result.status == "skipped":
        pytest.skip(result.reason)
    wrong = [str(check) for check in result.outcome.checks if not check.holds]
    assert result.status == "agrees", "\n".join(wrong)
