"""Parameters are declared once, in the class of the method: default, range and help together.

    n_components: int = parameter(default=2, at_least=1, help="number of coordinates")
    embedding_: Array = learned(help="coordinates of the points, one row per point")

The declaration makes the constructor (a dataclass writes it, and type checkers know it: PEP 681),
is what validation reads, and what the docstring, the command line and the documentation list.
What several methods share is declared here: the kernel, landmarks, which eigenvectors.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import textwrap
from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any, Literal, TypeVar, dataclass_transform

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

from .. import graph
from ..kernel import ALIASES, KERNELS, OF_DIFFERENCES, Kernel, gamma_from, median_gamma
from ..relation import Chart, kernel_operator, n_vectors
from ..values import Array

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
    words: tuple[str, ...] = ()  # that a number may be instead
    also: tuple[type, ...] = ()  # and values of these types

    def problem_with(self, value: Any) -> str | None:
        """Return what is wrong with a value, or None."""
        if self.also and isinstance(value, self.also):
            return None
        if value is None:
            return None if self.optional else "may not be None"
        if self.choices is not None:
            known = isinstance(value, str) and value in self.choices
            return None if known else "must be one of " + ", ".join(map(repr, self.choices))
        if self.kind is bool:
            return None if isinstance(value, bool | np.bool_) else "must be True or False"
        if self.kind in (int, float):
            if isinstance(value, str) and value in self.words:
                return None
            problem = self._problem_with_number(value)
            return problem and " or ".join([problem, *map(repr, self.words)])
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


def parameter(
    *,
    default: T,
    help: str,
    kind: type | None = None,
    at_least: float | None = None,
    above: float | None = None,
    at_most: float | None = None,
    choices: tuple[T, ...] | None = None,
    optional: bool = False,
    words: tuple[str, ...] = (),
    also: tuple[type, ...] = (),
    kw_only: bool = True,
) -> T:
    """Declare a parameter of a method: its default, what it may be, and what it means.

    Everything is given by keyword, since checkers read ``default`` and ``kw_only`` only there.
    """
    rule = Rule(help, kind, at_least, above, at_most, choices, optional, words, also)
    return dataclasses.field(default=default, kw_only=kw_only, metadata={"rule": rule})


def learned(*, help: str = "", init: Literal[False] = False) -> Any:
    """Declare an attribute that ``fit`` sets: typed and documented, but no parameter.

    ``init`` is there for type checkers, which learn from its type that this is no parameter.
    """
    return dataclasses.field(init=init, metadata={"attribute": help})


@dataclass_transform(eq_default=False, kw_only_default=True, field_specifiers=(parameter, learned))
def method(cls: type[T]) -> type[T]:
    """Make a class of declared parameters into a method: its constructor is written from them.

    So are the sections of its docstring that list parameters and attributes.
    """
    make: Callable[[type[T]], type[T]] = dataclasses.dataclass(eq=False, repr=False, kw_only=True)
    made = make(cls)
    made.__doc__ = _documented(made)
    return made


def parameters_of(cls: Any) -> dict[str, tuple[Any, Rule]]:
    """Return the declared parameters of a method in their order: name -> (default, rule)."""
    declared = [field for field in dataclasses.fields(cls) if "rule" in field.metadata]
    declared.sort(key=lambda field: bool(field.kw_only))  # those that may be given by place first
    return {field.name: (field.default, field.metadata["rule"]) for field in declared}


def attributes_of(cls: Any) -> dict[str, str]:
    """Return the public attributes that ``fit`` sets: name -> help.

    They are the declared ones, and the properties whose names end as theirs do.
    """
    declared = {
        field.name: str(field.metadata["attribute"])
        for field in dataclasses.fields(cls)
        if "attribute" in field.metadata and not field.name.startswith("_")
    }
    return declared | {
        name: (inspect.getdoc(made) or "").partition("\n\n")[0]
        for name, made in _properties(cls).items()
    }


def _properties(cls: Any) -> dict[str, property]:
    """Return the public properties of a method that end in an underscore."""
    return {
        name: found
        for name in dir(cls)
        if name.endswith("_") and not name.startswith("_")
        if isinstance(found := inspect.getattr_static(cls, name), property)
    }


def check_parameters(estimator: Any) -> None:
    """Raise ValueError for the first parameter that is not what its declaration allows."""
    for name, (_, rule) in parameters_of(type(estimator)).items():
        value = getattr(estimator, name)
        problem = rule.problem_with(value)
        if problem is not None:
            raise ValueError(
                f"{type(estimator).__name__}: {name} {problem}; got {value!r} ({rule.help})"
            )


def _documented(cls: Any) -> str:
    """Return the docstring of a method with its parameters and attributes, in numpydoc form.

    They stand where numpydoc wants them: after the prose, before the first section by hand.
    """
    text = inspect.cleandoc(cls.__dict__.get("__doc__") or "")
    section = re.search(r"^[A-Z].*\n-{3,}$", text, flags=re.MULTILINE)
    prose, rest = (text[: section.start()], text[section.start() :]) if section else (text, "")
    parts = [prose, _section("Parameters", _parameter_entries(cls))]
    parts += [_section("Attributes", _attribute_entries(cls)), rest]
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def _section(title: str, entries: list[tuple[str, str]]) -> str:
    lines = [title, "-" * len(title)]
    for head, sentence in entries:
        lines += [
            head,
            *textwrap.wrap(sentence, 96, initial_indent="    ", subsequent_indent="    "),
        ]
    return "\n".join(lines) if entries else ""


def _parameter_entries(cls: Any) -> list[tuple[str, str]]:
    types = _types(cls)
    return [
        (f"{name} : {_type_of(types[name], rule)}, default={default!r}", _meaning(rule))
        for name, (default, rule) in parameters_of(cls).items()
    ]


def _attribute_entries(cls: Any) -> list[tuple[str, str]]:
    types = _types(cls)
    types |= {
        n: p.fget.__annotations__.get("return", "") for n, p in _properties(cls).items() if p.fget
    }
    return [
        (f"{name} : {_words(types[name])}", _sentence(help))
        for name, help in attributes_of(cls).items()
    ]


def _types(cls: Any) -> dict[str, Any]:
    return {field.name: field.type for field in dataclasses.fields(cls)}


def _type_of(annotation: Any, rule: Rule) -> str:
    """Return the type of a parameter as numpydoc writes it."""
    if rule.choices is None:
        return _words(annotation)
    return "{" + ", ".join(map(repr, rule.choices)) + "}" + (" or None" if rule.optional else "")


_WORDS = (
    (r"Literal\[(.*?)\]", r"{\1}"),
    (r"Callable\[\[.*?\], .*?\]|Callable\[\.\.\., .*?\]", "callable"),
    (r"\bSequence\[(\w+)\]", r"sequence of \1"),
    (r"\btuple\[(\w+), \.\.\.\]", r"tuple of \1"),
    (r"\bMetric\b", "str or callable"),
    (r"\bArray\b", "ndarray"),
    (r" \| ", " or "),
    (r"\b[a-z_]+\.(?=[A-Za-z])", ""),  # a module
)


def _words(annotation: Any) -> str:
    """Return an annotation in the words of numpydoc."""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    for pattern, word in _WORDS:
        text = re.sub(pattern, word, text)
    return text


def _meaning(rule: Rule) -> str:
    limits = (("at least", rule.at_least), ("greater than", rule.above), ("at most", rule.at_most))
    within = ", ".join(f"{word} {bound:g}" for word, bound in limits if bound is not None)
    return _sentence(rule.help) + (f" {_sentence(within)}" if within else "")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") or not text else ".")


def check_n_components(n_components: int, most: int, n_points: int | None = None) -> None:
    """Raise ValueError if more coordinates are asked for than points have, one fewer if centred."""
    if n_components > most:
        points = most + 1 if n_points is None else n_points
        raise ValueError(
            f"n_components={n_components} is more than {points} points have; use at most {most}"
        )


@method
class KernelChoice:
    """A kernel by name, callable or table, and its parameters.

    The width of the Gaussian is given by exactly one of ``gamma``, ``sigma`` and ``t``; by default
    sigma is the median distance between the points.
    """

    kernel: str | Callable[[Array, Array], float] = parameter(
        default="gaussian",
        help="name ('rbf' and 'poly' as in scikit-learn too), callable k(x, y), or 'precomputed'",
    )
    gamma: float | None = parameter(
        default=None,
        kind=float,
        above=0,
        optional=True,
        help="Gaussian width: exp(-gamma d^2); factor of x'y in other kernels",
    )
    sigma: float | None = parameter(
        default=None,
        kind=float,
        above=0,
        optional=True,
        help="Gaussian width: exp(-d^2 / (2 sigma^2))",
    )
    t: float | None = parameter(
        default=None, kind=float, above=0, optional=True, help="Gaussian width: exp(-d^2 / t)"
    )
    degree: int = parameter(default=3, kind=int, at_least=1, help="degree of a polynomial kernel")
    coef0: float = parameter(
        default=1.0, kind=float, help="constant of polynomial and sigmoid kernels"
    )

    gamma_: float | None = learned(help="gamma of the kernel, given or found, where it has one")
    _kernel: Kernel = learned()

    def _choose_kernel(self, points: Array, *, centered: bool) -> None:
        """Set the kernel for these points; ``centered`` says that feature means will be removed."""
        given = self.kernel
        name = ALIASES.get(given, given) if isinstance(given, str) else given
        if not callable(name) and not (isinstance(name, str) and name in KERNELS):
            raise ValueError(f"unknown kernel {self.kernel!r}; use a callable or one of {KERNELS}")
        gamma = gamma_from(self.gamma, self.sigma, self.t)
        if name in OF_DIFFERENCES and gamma is None:
            gamma = median_gamma(points)
        self.gamma_ = gamma
        kernel = Kernel(name, gamma, self.degree, self.coef0)
        if name != "precomputed" and not sp.issparse(points):  # these stay sparse as given
            kernel = kernel.about(points.mean(axis=0, dtype=np.float64), centered=centered)
        self._kernel = kernel


@method
class LandmarkChoice:
    """How many landmarks, which, and how their map is scaled."""

    n_landmarks: int = parameter(
        default=50, kind=int, at_least=2, help="number of landmarks (Izenman 2013 suggests 50)"
    )
    landmarks: Literal["maxmin", "random"] | Sequence[int] | Array = parameter(
        default="maxmin",
        help="'maxmin', 'random', or the indices of the landmarks (then n_landmarks is moot)",
    )
    scaling: Literal["distance", "svd"] = parameter(
        default="distance",
        choices=("distance", "svd"),
        help="keep distances to landmarks, or scale by singular values as IsomapII and the book",
    )

    landmarks_: Array = learned(help="indices of the landmarks among the fitted points")

    def _choose_landmarks(
        self, n_points: int, distances_from: Callable[[int], Array], least: int, seed: int
    ) -> Array:
        """Return the landmarks among ``n_points``, ``least`` of them even if all coincide."""
        self._check_landmarks(n_points)
        if not isinstance(self.landmarks, str):
            return graph.check_landmarks(self.landmarks, n_points)
        count = min(self.n_landmarks, n_points)
        if self.landmarks == "random":
            return graph.choose_uniform(n_points, count, seed)
        return graph.choose_maxmin(distances_from, n_points, count, at_least=least, seed=seed)

    def _check_landmarks(self, n_points: int) -> None:
        """Raise ValueError unless landmarks are a rule, or indices of points."""
        if not isinstance(self.landmarks, str):
            graph.check_landmarks(self.landmarks, n_points)
        elif self.landmarks not in ("maxmin", "random"):
            raise ValueError(
                f"landmarks must be 'maxmin', 'random' or indices; got {self.landmarks!r}"
            )

    def _kernel_factor(self) -> Array:
        """Return the F of the kernel matrix F F' that the landmarks stand for."""
        raise NotImplementedError

    def kernel_(self) -> Array:
        """Return the kernel matrix that the landmarks stand for, of the largest component.

        C A+ C' with C the centred similarities of all points to the landmarks and A those among
        these: kernel PCA of it through the same landmarks is this map. For ``scaling="svd"`` it is
        the root of C C', and this map is kernel PCA of it.

        Returns
        -------
        ndarray of shape (n, n)
            The kernel matrix of the map.
        """
        factor = self._kernel_factor()
        return np.asarray(factor @ factor.T)

    def kernel_operator_(self) -> LinearOperator:
        """Return the kernel matrix by its products alone: nothing of size n x n is made.

        Returns
        -------
        LinearOperator of shape (n, n)
            The same as ``kernel_()``, to be multiplied with vectors, one per row.
        """
        factor = self._kernel_factor()
        return kernel_operator(len(factor), lambda columns: factor @ (factor.T @ columns))


@method
class VectorChoice:
    """Whether the first eigenvectors are the coordinates, or those that are independent."""

    independent: bool = parameter(
        default=False,
        kind=bool,
        help="solve for ten times as many eigenvectors, and take those that are no function of "
        "those before (Chen and Meila 2019); the first ones repeat the length of a long sheet",
    )

    def _n_vectors(self, n_points: int, n_coordinates: int) -> int:
        """Return how many vectors are solved for; of more than coordinates some are chosen."""
        wanted = self.independent and n_coordinates > 1
        return n_vectors(n_points, n_coordinates) if wanted else n_coordinates

    @property
    def selected_(self) -> Array:
        """Eigenvector that each coordinate is, or is mostly made of; 0 is the first."""
        charts: tuple[Chart, ...] = self.charts_  # type: ignore[attr-defined]  # beside it
        return charts[0].selected
