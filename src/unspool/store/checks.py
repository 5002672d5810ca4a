"""What was read is checked against its declaration, before anything computes with it.

A checksum tells accidents, not forgeries: anyone can write a file whose seal is whole. Compiled
loops trust the arrays they are given, so each class that a file may hold declares what its fields
must be (``declared_values.py``, ``declared_methods.py``), and a file that departs from it is
refused.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from .registry import word_of
from .rules import Rule, Sizes, agree


@dataclass(frozen=True)
class Declaration:
    """The rule of every field of a class; ``also`` names a field that does not fit the others.

    Fields that are ``optional`` may be missing. ``parameters`` are those of a method that have no
    kind of their own; a method that was not fitted has nothing else.
    """

    fields: Mapping[str, Rule] = field(default_factory=dict)
    also: Callable[[Any, Sizes], str | None] | None = None
    optional: frozenset[str] = frozenset()
    parameters: Mapping[str, Rule] = field(default_factory=dict)


class Part:
    """A value of one of some classes, whose sizes have these names outside: ``Part("x", n="m")``.

    One of its sizes may have several names outside, which then are the same.
    """

    def __init__(self, *words: str, **sizes: str | tuple[str, ...]) -> None:
        self.words, self.sizes = words, sizes

    def fits(self, value: Any, sizes: Sizes) -> bool:
        """Tell whether its class is right, and whether it is sound and as large as it must be."""
        if word_of(type(value)) not in self.words:
            return False
        inner = check(value)
        return all(
            agree(sizes, name, inner[size])
            for size, names in self.sizes.items()
            if size in inner
            for name in ((names,) if isinstance(names, str) else names)
        )

    def holds(self, value: Any, sizes: Sizes) -> bool:
        """Say yes: its own values were looked at with its class."""
        return True


@cache
def declarations() -> dict[str, Declaration]:
    """Return the declarations of all classes, by their words."""
    from .declared_methods import METHODS
    from .declared_values import VALUES

    return {**VALUES, **METHODS}


def check_everything(value: Any) -> None:
    """Check every value of our classes in what was read; ValueError for the first that is wrong."""
    if isinstance(value, Mapping):
        for part in (*value.keys(), *value.values()):
            check_everything(part)
    elif isinstance(value, list | tuple):
        for part in value:
            check_everything(part)
    elif word_of(type(value)) is not None:
        check(value)


def check(value: Any) -> Sizes:
    """Return the sizes of a value of our classes; ValueError if it is not as declared."""
    word = word_of(type(value)) or ""
    declared = declarations()[word]
    held, rules = _fields(value), dict(declared.fields)
    is_method = hasattr(value, "get_params")
    is_fitted = not is_method or _check_parameters(value, held)
    rules = {**(rules if is_fitted else {}), **declared.parameters}
    unknown = set(held) - set(rules)
    if unknown:
        raise wrong(min(unknown), word)
    sizes: Sizes = {}
    for look in ("fits", "holds"):
        for name, rule in rules.items():
            if name not in held and name in declared.optional:
                continue
            if name not in held or not getattr(rule, look)(held[name], sizes):
                raise wrong(name, word)
    culprit = declared.also(value, sizes) if is_fitted and declared.also is not None else None
    if culprit is not None:
        raise wrong(culprit, word)
    return sizes


def _fields(value: Any) -> dict[str, Any]:
    """Return what a value holds, by name."""
    if dataclasses.is_dataclass(value) and not hasattr(value, "get_params"):
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.init}
    return dict(vars(value))


def _check_parameters(model: Any, held: dict[str, Any]) -> bool:
    """Check a method's parameters as its constructor's are, and tell whether it was fitted.

    What passes is taken out of ``held``, but for those that may be several things.
    """
    from ..methods.parameters import check_parameters, parameters_of

    check_parameters(model)
    parameters = parameters_of(type(model))
    for name, (_, rule) in parameters.items():
        if rule.kind is not None or rule.choices is not None:
            held.pop(name, None)
    return any(name.endswith("_") for name in held)


def wrong(name: str, word: str) -> ValueError:
    """Return the error for a field that is not as declared."""
    return ValueError(f"the {name} of its {word} do not fit the rest")
