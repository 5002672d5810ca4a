"""The small language in which a declaration says what the fields of a saved value must be.

A rule looks at a value twice. ``fits`` asks for its type and shape, and gives names to its sizes:
the same name means the same number wherever it stands in a declaration, ``"n+1"`` one more, and
``"*"`` any. ``holds`` then looks at the values themselves, once all sizes are known: are they
finite, within their range, in order. Everything is checked with whole arrays, in time that is
proportional to their size, and before any compiled loop sees them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from ..values import Array

LARGEST = 1e150  # of a number in a model: its square is still finite
WIDEST = 2**53  # of whole numbers: all up to it are real numbers in double precision
LONGEST = 1e70  # of a coordinate of points, as at the door: its fourth power is still finite
DEEPEST = 8  # lists in lists of plain values
Sizes = dict[str, int]
Size = str | int
NUMBERS = ("float64", "float32", "int64", "int32", "bool")


class Rule(Protocol):
    """What a field must be; ``sizeless`` if whether it ``holds`` depends on the value alone."""

    @property
    def sizeless(self) -> bool:
        """Whether a value that holds does so whatever the sizes."""
        ...

    def fits(self, value: Any, sizes: Sizes) -> bool:
        """Tell whether type and shape are right; name the sizes."""
        ...

    def holds(self, value: Any, sizes: Sizes) -> bool:
        """Tell whether the values are right, given all sizes."""
        ...


def agree(sizes: Sizes, name: Size, number: int) -> bool:
    """Tell whether a size is what its name stands for, which it does from its first use on."""
    if isinstance(name, int) or name == "*":
        return name in ("*", number)
    base, _, more = name.partition("+")
    number -= int(more or 0)
    return number > 0 and sizes.setdefault(base, number) == number


class Scalar:
    """A rule for what has no size: all is told by ``fits``."""

    sizeless = True

    def holds(self, value: Any, sizes: Sizes) -> bool:
        """Say yes."""
        return True


class Shaped:
    """A rule for arrays: kind and shape."""

    sizeless = False
    dtypes: tuple[str, ...] = ()
    shape: tuple[Size, ...]

    def fits(self, value: Any, sizes: Sizes) -> bool:
        """Tell whether it is an array of numbers of the right kind and shape."""
        return (
            isinstance(value, np.ndarray)
            and value.dtype.isnative
            and value.dtype.name in self.dtypes
            and value.ndim == len(self.shape)
            and all(agree(sizes, *pair) for pair in zip(self.shape, value.shape, strict=True))
        )


@dataclass(frozen=True)
class Reals(Shaped):
    """An array of finite real numbers from ``least`` to ``most``; NaN only where ``gaps`` may be.

    ``increasing`` is for lists: each number is at least the one before, or greater if "strictly".
    """

    shape: tuple[Size, ...]
    least: float = -LARGEST
    most: float = LARGEST
    dtypes: tuple[str, ...] = ("float64",)
    gaps: bool = False
    increasing: str = ""
    sizeless = True

    def holds(self, value: Array, sizes: Sizes) -> bool:
        """Tell whether all numbers are in range and in order."""
        if not value.size:
            return True
        least, most = (np.fmin, np.fmax) if self.gaps else (np.minimum, np.maximum)
        low, high = (float(pick.reduce(value, axis=None)) for pick in (least, most))
        if self.gaps and np.isnan(low):
            return True  # nothing is known
        in_range = low >= self.least and high <= self.most  # NaN is neither
        return in_range and (not self.increasing or _is_increasing(value, self.increasing))


def _is_increasing(values: Array, how: str) -> bool:
    later, earlier = values[1:], values[:-1]
    return bool(np.all(later > earlier if how == "strictly" else later >= earlier))


@dataclass(frozen=True)
class Truths(Shaped):
    """An array of truth values."""

    shape: tuple[Size, ...]
    dtypes: tuple[str, ...] = ("bool",)

    def holds(self, value: Array, sizes: Sizes) -> bool:
        """Say yes."""
        return True


@dataclass(frozen=True)
class Indices(Shaped):
    """An array of indices, each below a size if that is named."""

    shape: tuple[Size, ...]
    below: Size | None = None
    increasing: str = ""
    permutation: bool = False
    dtypes: tuple[str, ...] = ("int64", "int32")

    def holds(self, value: Array, sizes: Sizes) -> bool:
        """Tell whether all indices lead to something."""
        if not value.size:
            return True
        limit = sizes[self.below] if isinstance(self.below, str) else self.below
        if int(value.min()) < 0 or (limit is not None and int(value.max()) >= limit):
            return False
        if self.permutation and not bool((np.bincount(value, minlength=len(value)) == 1).all()):
            return False
        return not self.increasing or _is_increasing(value, self.increasing)


@dataclass(frozen=True)
class Starts(Shaped):
    """Where the rows of a list start, and the end: from 0 to a size, never back."""

    shape: tuple[Size, ...]
    end: str
    increasing: str = "weakly"
    dtypes: tuple[str, ...] = ("int64", "int32")

    def holds(self, value: Array, sizes: Sizes) -> bool:
        """Tell whether rows follow each other to the end."""
        ends = int(value[0]) == 0 and int(value[-1]) == sizes[self.end]
        return ends and _is_increasing(value, self.increasing)


@dataclass(frozen=True)
class Sparse:
    """A sparse matrix of finite numbers; its indices were checked when it was made."""

    shape: tuple[Size, Size]
    least: float = -LARGEST
    most: float = LARGEST
    kinds: str = "f"
    sizeless = True

    def fits(self, value: Any, sizes: Sizes) -> bool:
        """Tell whether it is sparse and of the right shape."""
        return (
            bool(sp.issparse(value))
            and value.dtype.kind in self.kinds
            and all(agree(sizes, *pair) for pair in zip(self.shape, value.shape, strict=True))
        )

    def holds(self, value: Any, sizes: Sizes) -> bool:
        """Tell whether all stored numbers are in range."""
        return Reals(("*",), self.least, self.most).holds(value.data, sizes)


@dataclass(frozen=True)
class Number(Scalar):
    """A real number from ``least`` to ``most``, not equal to them where ``strictly``."""

    least: float = -LARGEST
    most: float = LARGEST
    strictly: bool = False

    def fits(self, value: Any, sizes: Sizes) -> bool:
        """Tell whether it is a number in range."""
        if isinstance(value, bool) or not isinstance(value, Real):
            return False
        if isinstance(value, int) and abs(value) > WIDEST:
            return False  # NumPy would take it for an object, or for no float at all
        number = float(value)
        if self.strictly:
            return self.least < number < self.most
        return self.least <= number <= self.most


@dataclass(frozen=True)
class Whole(Scalar):
    """A whole number from ``least`` to ``most``; with ``size``, the number that this name means."""

    least: int = 0
    most: int = WIDEST
    size: str = ""

    def fits(self, value: Any, sizes: Sizes) -> bool:
        """Tell whether it is a whole number in range."""
        if isinstance(value, bool) or not isinstance(value, Integral):
            return False
        if not self.least <= int(value) <= self.most:
            return False
        return not self.size or agree(sizes, self.size, int(value))


@dataclass(frozen=True)
class Truth(Scalar):
    """True or False."""

    def fits(self, value: Any, sizes: Sizes) -> bool:
        """Tell whether it is a truth value."""
        return isinstance(value, bool | np.bool_)


@dataclass(frozen=True)
class Word(Scalar):
    """One of some words; any text if there are none."""

    choices: tuple[str, ...] = ()

    def fits(self, value: Any, sizes: Sizes) -> bool:
        """Tell whether it is one of the words."""
        return isinstance(value, str) and (not self.choices or value in self.choices)


@dataclass(frozen=True)
class Nothing(Scalar):
    """None."""

    def fits(self, value: Any, sizes: Sizes) -> bool:
        """Tell whether it is None."""
        return value is None


@dataclass(frozen=True)
class FloatType(Scalar):
    """The type of single or double precision."""

    def fits(self, value: Any, sizes: Sizes) -> bool:
        """Tell whether it is one of the two types."""
        return value is np.float32 or value is np.float64


@dataclass(frozen=True)
class Names(Scalar):
    """Names of columns, as many as a size says."""

    size: str

    def fits(self, value: Any, sizes: Sizes) -> bool:
        """Tell whether it is a list of names."""
        is_list = isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "OU"
        return is_list and agree(sizes, self.size, len(value))


@dataclass(frozen=True)
class Facts(Scalar):
    """Plain values by name, for what is shown and never computed with."""

    def fits(self, value: Any, sizes: Sizes) -> bool:
        """Tell whether it is a table of names and plain values."""
        named = isinstance(value, dict) and all(isinstance(name, str) for name in value)
        return named and _is_plain(value, DEEPEST)


@dataclass(frozen=True)
class Plain(Scalar):
    """Anything made of numbers and text alone, for what is shown and never computed with."""

    def fits(self, value: Any, sizes: Sizes) -> bool:
        """Tell whether it is plain."""
        return _is_plain(value, DEEPEST)


def _is_plain(value: Any, depth: int) -> bool:
    if value is None or isinstance(value, str | bool | int | float | np.generic):
        return True
    if isinstance(value, Mapping):
        items = [*value.keys(), *value.values()]
    elif isinstance(value, list | tuple):
        items = list(value)
    else:
        return isinstance(value, np.ndarray) and value.dtype.kind in "biufU"
    return depth > 0 and all(_is_plain(item, depth - 1) for item in items)


@dataclass(frozen=True)
class Approved(Scalar):
    """What a function of the package takes without a ValueError, as it would from a user."""

    check: Callable[[Any], Any]
    kinds: tuple[type, ...]

    def fits(self, value: Any, sizes: Sizes) -> bool:
        """Tell whether the function takes it."""
        if not isinstance(value, self.kinds):
            return False
        self.check(value)
        return True


@dataclass(frozen=True)
class Items:
    """A tuple or list of things that follow one rule, at least ``fewest`` of them."""

    rule: Rule
    size: Size = "*"
    fewest: int = 0
    kinds: tuple[Any, ...] = (tuple,)
    sizeless = False

    def fits(self, value: Any, sizes: Sizes) -> bool:
        """Tell whether all fit."""
        return (
            isinstance(value, self.kinds)
            and len(value) >= self.fewest
            and agree(sizes, self.size, len(value))
            and all(self.rule.fits(item, sizes) for item in value)
        )

    def holds(self, value: Any, sizes: Sizes) -> bool:
        """Tell whether all hold."""
        return all(self.rule.holds(item, sizes) for item in value)


class Either:
    """The first of several rules that fits."""

    def __init__(self, *rules: Rule) -> None:
        self.rules, self.sizeless = rules, all(rule.sizeless for rule in rules)

    def fits(self, value: Any, sizes: Sizes) -> bool:
        """Tell whether one fits."""
        for rule in self.rules:
            tried = dict(sizes)
            if rule.fits(value, tried):
                sizes.update(tried)
                return True
        return False

    def holds(self, value: Any, sizes: Sizes) -> bool:
        """Tell whether one that fits holds."""
        return any(
            rule.fits(value, dict(sizes)) and rule.holds(value, sizes) for rule in self.rules
        )


def optional(rule: Rule) -> Either:
    """Return the rule that also lets None pass."""
    return Either(Nothing(), rule)
