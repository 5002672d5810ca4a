"""Every erratum is shown by the item that it names, and every name that a check uses is known."""

import re

import pytest

from tests.textbook.running import result_of
from unspool.textbook import ERRATA, items, source_of


@pytest.mark.parametrize("one", ERRATA.values(), ids=lambda one: one.id)
def test_it_is_shown_by_its_item(one):
    assert one.shown_by in items(), f"{one.id} names an item that does not exist"
    result = result_of(one.shown_by)
    if result.status == "skipped":
        pytest.skip(result.reason)
    shown = [check for check in result.outcome.checks if check.erratum == one.id]
    assert shown, f"no check of {one.shown_by} names {one.id}"
    assert all(check.holds and check.verdict == "differs" for check in shown)


def test_every_check_of_an_erratum_says_what_the_text_claims():
    """A call with an erratum has the claim beside it, and cannot hold where the claim does."""
    for one in items().values():
        for call in re.findall(r'erratum=(?:"[^"]+"|erratum),\s*(\w+)=', source_of(one)):
            assert call in ("claimed", "right"), one.id


def test_no_unknown_names_are_used():
    used = {
        name
        for one in items().values()
        for name in re.findall(r'erratum="([^"]+)"', source_of(one))
    }
    assert used - set(ERRATA) == set()
