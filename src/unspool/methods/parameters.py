"""Parameters are declared once, in the class of the method: default, range and help together.

    n_components: int = parameter(2, at_least=1, help="number of coordinates")

The declaration makes the constructor (a dataclass writes it), is what validation reads, and
what the command line and the documentation list.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, TypeVar, dataclass_transform

import numpy as np

T = TypeVar("T")


@dataclasses.dataclass(frozen=True, slots=True)
class Rule:
    """What a parameter may be."""

    help: str
    kind: type | None = None
    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None
    choices: tuple[Any, ...] | None = None
    optional: bool = False

    def problem_with(self, value: Any) -> str | None:
        """Return what is wrong with a value, or None."""
        if value is None:
            return None if self.optional else "may not be None"
        if self.choices is not None:
            known = isinstance(value, str) and value in self.choices
            return None if known else "must be one of " + ", ".join(map(repr, self.choices))
        if self.kind is bool:
            return None if isinstance(value, bool | np.bool_) else "must be True or False"
        if self.kind in (int, float):
            return self._problem_with_number(value)
        return None

    def _problem_with_number(self, value: Any) -> str | None:
        wanted = Integral if self.kind is int else Real
        if isinstance(value, bool) or not isinstance(value, wanted):
            return "must be a whole number" if self.kind is int else "must be a number"
        value = float(value)
        if not np.isfinite(value):
            return "must be finite"
        if self.at_least is not None and value < self.at_least:
            return f"must be at least {self.at_least}"
        if self.above is not None and value <= self.above:
            return f"must be greater than {self.above}"
        if self.at_most is not None and value > self.at_most:
            return f"must be at most {self.at_most}"
        return None


def parameter(default: Any, *, help: str, positional: bool = False, **rule: Any) -> Any:
    """Declare a parameter of a method: its default, what it may be, and what it means."""
    return dataclasses.field(
        default=default, kw_only=not positional, metadata={"rule": Rule(help=help, **rule)}
    )


def learned() -> Any:
    """Declare an attribute that ``fit`` sets: typed and documented, but no parameter."""
    return dataclasses.field(init=False)


@dataclass_transform(kw_only_default=True, field_specifiers=(parameter, learned))
def method(cls: type[T]) -> type[T]:
    """Make a class of declared parameters into a method: its constructor is written from them."""
    make: Callable[[type[T]], type[T]] = dataclasses.dataclass(eq=False, repr=False, kw_only=True)
    return make(cls)


def parameters_of(cls: Any) -> dict[str, tuple[Any, Rule]]:
    """Return the declared parameters of a method: name -> (default, rule)."""
    declared = (field for field in dataclasses.fields(cls) if "rule" in field.metadata)
    return {field.name: (field.default, field.metadata["rule"]) for field in declared}


def check_parameters(estimator: Any) -> None:
    """Raise ValueError for the first parameter that is not what its declaration allows."""
    for name, (_, rule) in parameters_of(type(estimator)).items():
        value = getattr(estimator, name)
        problem = rule.problem_with(value)
        if problem is not None:
            raise ValueError(
                f"{type(estimator).__name__}: {name} {problem}; got {value!r} ({rule.help})"
            )
