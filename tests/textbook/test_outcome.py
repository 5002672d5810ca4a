"""A check can fail: wrong numbers, bounds that are missed, errata that are none or unknown."""

import numpy as np
import pytest

from unspool.textbook import ERRATA, equal, follows, measured, outcome, printed, printed_row, rising

KNOWN = "S4-plane"


@pytest.mark.parametrize(
    ("number", "value", "holds"),
    [
        ("46.722", 46.7216, True),
        ("46.722", 46.7226, False),
        ("0.050", 0.0496, True),
        ("0.050", 0.0494, False),
        ("-0.174", -0.17408, True),
        ("-0.174", 0.17408, False),
        ("18,421", 18421, True),
        ("18,421", 18422, False),
        ("2", np.float64(2.4), True),
        ("0.25", 0.245, True),  # a tie may be rounded either way
        ("0.24", 0.245, True),
        ("1.0", float("nan"), False),
    ],
)
def test_a_printed_number_agrees_to_the_printed_digits(number, value, holds):
    check = printed("it", number, value)
    assert check.holds is holds
    assert follows("it", number, value).holds is holds
    assert check.verdict == ("agrees" if holds else "differs")
    assert ("no erratum is named" in check.judgement) is not holds


def test_an_erratum_must_be_right():
    assert printed("it", "0.0174", 0.17408, erratum=KNOWN, right="0.174").holds
    assert not printed("it", "0.0174", 0.5, erratum=KNOWN, right="0.174").holds
    stale = printed("it", "0.174", 0.17408, erratum=KNOWN, right="0.174")
    assert not stale.holds  # the text is right after all
    assert not printed("it", "0.0174", 0.17408, erratum="unheard-of", right="0.174").holds
    with pytest.raises(ValueError, match="needs the right number"):
        printed("it", "0.0174", 0.17408, erratum=KNOWN)


def test_the_judgement_gives_the_reason():
    check = printed("loading", "0.0174", 0.17408, erratum=KNOWN, right="0.174")
    assert check.judgement == f"differs because {ERRATA[KNOWN].right} [{KNOWN}]"
    assert "fails although" in printed("it", "1", 2.0, erratum=KNOWN, right="3").judgement


@pytest.mark.parametrize(
    ("bounds", "value", "holds"),
    [
        ({"at_most": 1.0}, 1.0, True),
        ({"at_most": 1.0}, 1.1, False),
        ({"at_least": 1.0}, 0.9, False),
        ({"at_least": 0.0, "at_most": 1.0}, 0.5, True),
        ({"at_least": 0.0, "at_most": 1.0}, -0.5, False),
        ({"at_most": 1.0}, float("nan"), False),
    ],
)
def test_a_sentence_is_measured_against_its_bound(bounds, value, holds):
    assert measured("it", "claim", value, **bounds).holds is holds
    wrong = {"erratum": KNOWN, "claimed": 7.0 if "at_most" in bounds else -7.0}
    assert measured("it", "claim", value, **wrong, **bounds).holds is holds
    assert not measured("it", "claim", value, **{**wrong, "erratum": "unheard-of"}, **bounds).holds


def test_a_claim_that_is_right_is_no_erratum():
    options = {"at_least": 0.5, "erratum": KNOWN}
    assert measured("off by", "the formula", 0.7, claimed=0.0, **options).verdict == "differs"
    stale = measured("off by", "the formula", 0.0, claimed=0.0, **options)
    assert (stale.holds, stale.verdict) == (False, "agrees")
    assert "the formula, that is 0 (bound >= 0.5)" in str(stale)
    for claimed in (None, 0.5, 0.6):  # bounds that the claim meets show nothing
        with pytest.raises(ValueError, match="needs a claimed number out of bounds"):
            measured("off by", "the formula", 0.7, claimed=claimed, **options)
    stale = equal("width", "five", 5, 3, erratum=KNOWN, claimed=5)
    assert (stale.holds, stale.verdict) == (False, "agrees")
    for claimed in (None, 3):
        with pytest.raises(ValueError, match="needs what is claimed instead of 3"):
            equal("width", "three", 3, 3, erratum=KNOWN, claimed=claimed)


def test_a_sentence_without_a_bound_is_refused():
    with pytest.raises(ValueError, match="bound that it could miss"):
        measured("it", "claim", 1.0)


def test_other_checks():
    assert equal("it", "two", 2, 2).holds
    assert not equal("it", "two", 3, 2).holds
    assert equal("it", "five", 3, 3, erratum=KNOWN, claimed=5).verdict == "differs"
    assert equal("it", "five", 3, 3, erratum=KNOWN, claimed=5).holds
    assert not equal("it", "five", 4, 3, erratum=KNOWN, claimed=5).holds
    assert not equal("it", "five", 3, 3, erratum="unheard-of", claimed=5).holds
    assert rising("it", "grows", [1, 2, 3]).holds
    assert not rising("it", "grows", [1, 2, 2]).holds
    row = printed_row("row", "1.0 2.0", [1.01, 2.2])
    assert [check.holds for check in row] == [True, False]
    with pytest.raises(ValueError, match="2 numbers are printed and 3"):
        printed_row("row", "1.0 2.0", [1, 2, 3])


def test_an_outcome_holds_if_all_its_checks_do():
    good, bad = measured("a", "b", 1, at_most=2), measured("a", "b", 3, at_most=2)
    assert outcome(good, [good, good]).holds
    assert not outcome(good, [good, bad]).holds
    with pytest.raises(ValueError, match="without a check"):
        outcome()
