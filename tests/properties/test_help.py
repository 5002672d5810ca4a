"""``help`` explains what is public: all parameters and attributes, every function by example."""

import doctest
import importlib
import inspect
import pydoc
import sys

import pytest

import unspool
from tests.cases import CASES, roll
from unspool.methods.parameters import attributes_of, learned, method, parameter, parameters_of

OF_TABLES_WITH_NAMES = {"feature_names_in_"}


def public():
    """Return every public function and class by the shortest of its names."""
    found = {}
    for place in ("unspool", *(f"unspool.{name}" for name in unspool.__all__)):
        room = importlib.import_module(place) if is_module(place) else None
        for name in getattr(room, "__all__", ()):
            value = getattr(room, name)
            if inspect.isfunction(value) or inspect.isclass(value):
                found.setdefault(id(value), (f"{place}.{name}", value))
    return dict(found.values())


def is_module(place):
    return place == "unspool" or inspect.ismodule(getattr(unspool, place.rpartition(".")[2]))


PUBLIC = public()


def entries(cls, title):
    """Return name -> (type, description) of a section of a docstring."""
    from numpydoc.docscrape import NumpyDocString

    return {e.name: (e.type, " ".join(e.desc)) for e in NumpyDocString(cls.__doc__)[title]}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_docstring_lists_every_parameter_with_its_default_and_range(case):
    told, declared = entries(case.cls, "Parameters"), parameters_of(case.cls)
    assert list(told) == list(declared)
    for name, (default, rule) in declared.items():
        kind, meaning = told[name]
        assert kind.endswith(f", default={default!r}")
        assert "Any" not in kind
        assert all(repr(choice) in kind for choice in rule.choices or ())
        assert meaning.lower().startswith(rule.help.lower())
        for word, bound in (("at least", rule.at_least), ("at most", rule.at_most)):
            assert bound is None or f"{word} {bound:g}" in meaning.lower()
        assert rule.above is None or f"greater than {rule.above:g}" in meaning.lower()


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_docstring_lists_every_attribute(case):
    told = entries(case.cls, "Attributes")
    assert list(told) == list(attributes_of(case.cls))
    for name, (kind, meaning) in told.items():
        assert len(meaning) > 5, f"{case.cls.__name__}.{name} has no help"
        assert kind, f"{case.cls.__name__}.{name} has no type"


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_fit_sets_what_the_docstring_lists_and_nothing_else(case):
    model = case.make().fit(roll(100).points)
    listed = set(attributes_of(case.cls)) - OF_TABLES_WITH_NAMES
    for name in listed:
        getattr(model, name)
    is_set = {n for n in vars(model) if n.endswith("_") and not n.startswith("_")}
    assert is_set <= listed


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_help_shows_it(case):
    text = pydoc.plain(pydoc.render_doc(case.cls))
    assert all(f"{name} : " in text for name in parameters_of(case.cls))
    assert all(f"{name} : " in text for name in attributes_of(case.cls))


@pytest.mark.parametrize("name", PUBLIC)
def test_examples_run(name, monkeypatch):
    monkeypatch.delitem(sys.modules, "distributed", raising=False)  # other tests leave a client
    finder = doctest.DocTestFinder(recurse=False)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    for example in finder.find(PUBLIC[name], name, module=False, globs={}):
        runner.run(example)
    assert runner.summarize(verbose=False).failed == 0


def test_sections_stand_before_the_first_one_by_hand():
    @method
    class Example:
        """Explain.

        At length.

        Examples
        --------
        >>> 1 + 1
        2
        """

        count: int = parameter(default=2, kind=int, at_least=1, help="how many")
        way: str | None = parameter(default=None, choices=("a", "b"), optional=True, help="how")
        result_: float = learned(help="what came out")

        @property
        def twice_(self) -> float:
            """The same, twice.

            With more to say.
            """
            return 2 * self.result_

    assert Example.__doc__ == (
        "Explain.\n\nAt length.\n\n"
        "Parameters\n----------\n"
        "count : int, default=2\n    How many. At least 1.\n"
        "way : {'a', 'b'} or None, default=None\n    How.\n\n"
        "Attributes\n----------\n"
        "result_ : float\n    What came out.\n"
        "twice_ : float\n    The same, twice.\n\n"
        "Examples\n--------\n>>> 1 + 1\n2\n"
    )
