"""What the items say about random data holds for any draw: all seeds can be shifted."""

import ast
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from unspool import textbook
from unspool.cli.textbook import textbook_command
from unspool.textbook import Item, chosen, items, measured, mostly, outcome, run, shifted, shifting

FILES = sorted(Path(textbook.__file__).parent.glob("*.py"))
SHIFTS = range(1, 11)

# what one draw of all data, out of seven, made fail before claims were made over many draws
ONCE_FRAGILE = (
    "S0.algorithm-4.1",
    "S0.algorithm-4.3",
    "S0.fig-4.3",
    "S0.normalized-cut",
    "S2.example-bars",
    "S4.isomap-and-noise",
    "S4.isomap-and-short-circuits",
    "S4.lle",
    "S4.lle-and-false-connections",
    "S4.lle-and-shapes",
    "S4.network-and-circle",
    "S4.unrolling",
)


def failures(name, shift):
    result = run(items()[name], shift=shift)
    if result.status == "skipped":
        pytest.skip(result.reason)
    return [str(check) for check in result.outcome.checks if not check.holds]


def random_item():
    """Draw a number."""
    value = np.random.default_rng(shifted(7)).random()
    return outcome(measured("a random number", "in the unit interval", value, at_least=0.0))


DRAWN = Item("S0.drawn", "Drawn", "nowhere", (), False, random_item)


def found(shift):
    return run(DRAWN, shift=shift).outcome.checks[0].found


def test_a_shift_draws_anew_and_ends_with_the_run():
    assert found(0) == run(DRAWN).outcome.checks[0].found
    assert len({found(shift) for shift in range(5)}) == 5
    assert found(3) == found(3)
    with shifting(2):
        assert shifted(43) == 2043
        with shifting(1):
            assert shifted(43) == 1043
        assert shifted(43) == 2043
    assert shifted(43) == 43


def test_seeds_and_shifts_that_are_none():
    with pytest.raises(ValueError, match="0 to 999, got 1000"):
        shifted(1000)
    with pytest.raises(ValueError, match="0 or more, got -1"), shifting(-1):
        pass


def drawn_by_hand(text):
    """Return the calls in a source text whose random data would ignore a shift."""
    return [ast.unparse(call) for call in calls(text) if draws(call) and not is_shifted(call)]


def calls(text):
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]


def draws(call):
    """Tell whether a call makes a generator, takes a seed, or makes a data set (drawn or not)."""
    called = ast.unparse(call.func)
    if called in ("datasets.real", "datasets.real_names") or called.startswith("_"):
        return False  # the file's own functions shift what they are given
    if called == "datasets.helix":  # equally spaced but for noise
        return any(word.arg == "noise" for word in call.keywords)
    takes_seed = any(word.arg in ("seed", "random_state") for word in call.keywords)
    return takes_seed or called.endswith("default_rng") or called.startswith("datasets.")


def is_shifted(call):
    """Tell whether the seed of a call follows the shift."""
    seeds = [word.value for word in call.keywords if word.arg in ("seed", "random_state")]
    if ast.unparse(call.func).endswith("default_rng"):
        seeds += call.args
    return bool(seeds) and all(ast.unparse(seed).startswith("shifted(") for seed in seeds)


def test_there_are_items_to_look_at():
    assert len(FILES) > 15
    assert sum(text.count("datasets.") for text in map(Path.read_text, FILES)) > 50


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_draw_of_an_item_can_be_shifted(file):
    """A seed that stands alone would give the same data whatever the shift."""
    assert drawn_by_hand(file.read_text("utf-8")) == []


@pytest.mark.parametrize(
    "text",
    [
        "datasets.swiss_roll(100)",
        "datasets.three_clusters(\n    90,\n    seed=46,\n)",
        "datasets.union_of_lines(90, seed=draw + 1)",
        "datasets.helix(600, noise=0.1)",
        "np.random.default_rng(0)",
        "np.random.default_rng()",
        "PCA(2, random_state=0)",
    ],
)
def test_a_seed_that_stands_alone_is_found(text):
    assert drawn_by_hand(text) == [ast.unparse(ast.parse(text))]


def test_a_claim_over_draws_can_fail():
    values = [0.9] * 9 + [0.1]
    assert mostly("it", "claim", values, at_least=0.5, share=0.9).holds
    assert not mostly("it", "claim", values, at_least=0.5).holds
    assert not mostly("it", "claim", [*values, 0.1], at_least=0.5, share=0.9).holds
    assert not mostly("it", "claim", [float("nan")] * 3, at_least=0.5).holds
    check = mostly("it", "claim", values, at_least=0.5, at_most=1.0, share=0.9)
    assert check.said == "claim (bound >= 0.5 and <= 1 in 9 of 10 draws)"
    assert check.found == "9 of 10, median 0.9"
    with pytest.raises(ValueError, match="needs a bound"):
        mostly("it", "claim", values)
    for bad, share in (([0.9, 0.9], 1.0), (values, 0.5), (values, 1.1)):
        with pytest.raises(ValueError, match="three of them"):
            mostly("it", "claim", bad, at_least=0.5, share=share)


def test_the_command_takes_a_shift():
    ran = CliRunner().invoke(textbook_command, ["run", "S0.algorithm-4.1", "--shift", "3"])
    assert ran.exit_code == 0, ran.output
    other = CliRunner().invoke(textbook_command, ["run", "S0.algorithm-4.1", "--shift", "4"])
    assert [line for line in ran.output.splitlines() if "least of ten draws" in line] != [
        line for line in other.output.splitlines() if "least of ten draws" in line
    ]
    assert CliRunner().invoke(textbook_command, ["all", "--shift", "-1"]).exit_code == 2


@pytest.mark.parametrize("name", ["S0.algorithm-4.1", "S0.normalized-cut", "S4.lle"])
def test_quick_items_hold_for_a_draw_that_was_not_looked_at(name):
    assert not failures(name, 77)


@pytest.mark.slow
@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("name", ONCE_FRAGILE)
def test_what_was_fragile_holds_for_ten_draws(name, shift):
    assert not failures(name, shift)


@pytest.mark.slow
@pytest.mark.parametrize("shift", SHIFTS)
def test_everything_holds_for_ten_draws(shift):
    results = [run(one, shift=shift) for one in chosen(["S0", "S1", "S2", "S3", "S4"])]
    assert [result.item.id for result in results if result.status == "fails"] == []
