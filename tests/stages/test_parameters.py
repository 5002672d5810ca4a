"""Parameters are declared once: default, range and help; the range is enforced at fit."""

import inspect

import numpy as np
import pytest

from tests.cases import CASES, bent
from unspool import SpectralClustering
from unspool.methods.parameters import (
    Rule,
    check_parameters,
    learned,
    method,
    parameter,
    parameters_of,
)

X = bent(60)
DECLARED = [
    pytest.param(case, name, rule, id=f"{label}.{name}")
    for label, case in CASES.items()
    for name, (_, rule) in parameters_of(case.cls).items()
]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_argument_is_declared_and_nothing_else(case):
    arguments = inspect.signature(case.cls).parameters
    declared = parameters_of(case.cls)
    assert list(arguments) == list(declared) or set(arguments) == set(declared)
    assert set(case.cls().get_params()) == set(declared)
    for name, (default, _) in declared.items():
        assert arguments[name].default is default or arguments[name].default == default
    keyword_only = {n for n, a in arguments.items() if a.kind is inspect.Parameter.KEYWORD_ONLY}
    first = "n_clusters" if case.cls is SpectralClustering else "n_components"
    assert set(arguments) - keyword_only == {first}


@pytest.mark.parametrize(("case", "name", "rule"), DECLARED)
def test_every_parameter_has_help_and_an_allowed_default(case, name, rule):
    assert len(rule.help) > 5
    assert rule.help == rule.help.strip()
    default = parameters_of(case.cls)[name][0]
    assert rule.problem_with(default) is None


BAD = {
    int: [1.5, "1", True, np.nan, None, [1]],
    float: ["1", True, np.nan, np.inf, -np.inf, [1.0]],
    bool: [0, 1, "True", None],
}


def wrong_values(rule):
    if rule.choices is not None:
        return ["no such choice", 7, True]
    values = list(BAD.get(rule.kind, []))
    if rule.at_least is not None:
        values.append(type(rule.at_least)(rule.at_least - 1))
    if rule.above is not None:
        values.append(rule.above)
    if rule.at_most is not None:
        values.append(type(rule.at_most)(rule.at_most + 1))
    return [value for value in values if not (value is None and rule.optional)]


@pytest.mark.parametrize(("case", "name", "rule"), DECLARED)
def test_what_is_out_of_range_is_refused_at_fit(case, name, rule):
    for bad in wrong_values(rule):
        model = case.make(**{name: bad})  # the constructor takes everything, as scikit-learn asks
        with pytest.raises(ValueError, match=rf"^{case.cls.__name__}: {name} m.*; got ") as error:
            model.fit(X)
        assert rule.help in str(error.value)
        assert not hasattr(model, "embedding_")


@pytest.mark.parametrize(("case", "name", "rule"), DECLARED)
def test_whole_numbers_of_numpy_are_numbers(case, name, rule):
    if rule.kind is int:
        assert rule.problem_with(np.int64(max(1, rule.at_least or 1))) is None
    if rule.kind is float:
        usual = 1 if rule.above is None or rule.above < 1 else int(rule.above) + 1
        assert rule.problem_with(np.float32(usual)) is None or rule.at_most is not None
        assert rule.problem_with(usual) is None or rule.at_most is not None
    if rule.kind is bool:
        assert rule.problem_with(np.True_) is None


ODD = {
    "an object": object(),
    "a list with a word": [1, "a"],
    "a dictionary": {},
    "a word": "zzz",
    "a negative number": -1,
    "NaN": float("nan"),
    "a complex number": 2 + 1j,
}
MAY_BE_NEGATIVE = ("n_jobs", "coef0", "weights")


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize(("case", "name", "rule"), DECLARED)
def test_odd_values_are_value_errors_of_one_line_that_name_the_parameter(case, name, rule, odd):
    model = case.cls(**{**case.options, name: ODD[odd]})
    if odd == "a negative number" and name in MAY_BE_NEGATIVE and rule.choices is None:
        model.fit(X[:30])  # every core, a constant of a kernel, and a power
        return
    with pytest.raises(ValueError, match=f"{name}|{name.removeprefix('n_')}") as error:
        model.fit(X[:30])
    assert "\n" not in str(error.value)


def test_rules_say_what_is_wrong():
    whole = Rule("a number", kind=int, at_least=1, at_most=3)
    assert whole.problem_with(2) is None
    assert whole.problem_with(0) == "must be at least 1"
    assert whole.problem_with(4) == "must be at most 3"
    assert whole.problem_with(2.0) == "must be a whole number"
    assert whole.problem_with(None) == "may not be None"
    real = Rule("a width", kind=float, above=0, optional=True)
    assert real.problem_with(None) is None
    assert real.problem_with(0) == "must be greater than 0"
    assert real.problem_with(np.inf) == "must be finite"
    assert real.problem_with("1") == "must be a number"
    choice = Rule("a choice", choices=("a", "b"))
    assert choice.problem_with("a") is None
    assert choice.problem_with("c") == "must be one of 'a', 'b'"
    assert choice.problem_with(np.array(["a"])) is not None
    assert Rule("a switch", kind=bool).problem_with(1) == "must be True or False"


def test_a_declaration_writes_the_constructor():
    @method
    class Example:
        """An example."""

        count: int = parameter(default=2, kw_only=False, kind=int, at_least=1, help="how many")
        width: float = parameter(default=1.0, kind=float, above=0, help="how wide")
        result_: float = learned(help="what came out")

    assert Example().count == 2
    assert Example(5, width=3.0).width == 3.0
    with pytest.raises(TypeError):
        Example(5, 3.0)
    assert not hasattr(Example(), "result_")
    assert list(parameters_of(Example)) == ["count", "width"]
    check_parameters(Example())
    with pytest.raises(ValueError, match=r"Example: count must be at least 1; got 0 \(how many\)"):
        check_parameters(Example(0))
