"""Which methods are compared: names, classes and models become models under a label each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..catalog import METHODS, entry_of, is_catalogued
from ..runtime import available_bytes

# Quick ones that look at the data in six different ways; a comparison should not take all day.
USUAL = ("pca", "isomap", "lle", "laplacian-eigenmaps", "ltsa", "diffusion-maps")
EXACT_ISOMAP = 10_000  # points up to which it takes seconds; beyond, landmarks stand in
ROOM = 3 * 4  # bytes a pair that exact Isomap should find free: a table in single precision, thrice


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A model to be compared, and what it is called; ``settled`` ones are used as they are."""

    label: str
    model: Any
    settled: bool = False
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """What methods given by name or class are made with, where they have such a parameter."""

    n_components: int
    n_neighbors: int | None
    metric: Any
    seed: int

    @property
    def chosen(self) -> dict[str, Any]:
        """The parameters that were asked for, by name."""
        asked = {
            "n_components": self.n_components,
            "random_state": self.seed,
            "metric": self.metric,
            "n_neighbors": self.n_neighbors,
        }
        return {name: value for name, value in asked.items() if value is not None}


def usual_methods(n_points: int, metric: Any = "euclidean") -> tuple[str, ...]:
    """Return the names of the methods that are compared by default, for data of this size.

    Exact Isomap gives way to landmarks where it would take minutes or most of the memory, and PCA
    to classical scaling where there are distances only.

    Parameters
    ----------
    n_points : int
        Number of points.
    metric : str or callable, default="euclidean"
        Name of a metric, a function of two points, or "precomputed".

    Returns
    -------
    tuple of str
        Names of the catalogue.

    Examples
    --------
    >>> from unspool import evaluate
    >>> "isomap" in evaluate.usual_methods(1000)
    True
    """
    fits = ROOM * n_points**2 < available_bytes()
    instead = {} if n_points <= EXACT_ISOMAP and fits else {"isomap": "landmark-isomap"}
    if metric == "precomputed":
        instead["pca"] = "classical-mds" if n_points <= EXACT_ISOMAP and fits else "landmark-mds"
    return tuple(instead.get(name, name) for name in USUAL)


def candidates(methods: Any, settings: Settings) -> list[Candidate]:
    """Return the models to compare, labelled so that no label comes twice."""
    named = methods.items() if isinstance(methods, Mapping) else _unnamed(methods)
    found = [_candidate(label, given, settings) for label, given in named]
    if not found:
        raise ValueError("no methods to compare; leave `methods` out for the usual ones")
    seen: dict[str, int] = {}
    answer = []
    for one in found:
        seen[one.label] = count = seen.get(one.label, 0) + 1
        label = one.label if count == 1 else f"{one.label} ({count})"
        answer.append(Candidate(label, one.model, one.settled, one.trouble))
    return answer


def _unnamed(methods: Any) -> list[tuple[None, Any]]:
    several = isinstance(methods, Iterable) and not isinstance(methods, str)
    return [(None, given) for given in (methods if several else [methods])]


def _candidate(label: str | None, given: Any, settings: Settings) -> Candidate:
    if isinstance(given, str):
        given = entry_of(given).load()
    if isinstance(given, type):
        return _made(label or title_of(given), given, settings)
    if not hasattr(given, "fit"):
        raise ValueError(
            f"methods are names ({', '.join(METHODS)}), classes or models with fit; got {given!r}"
        )
    settled = hasattr(given, "embedding_")
    return Candidate(label or title_of(type(given)), given, settled)


def _made(label: str, cls: Any, settings: Settings) -> Candidate:
    known = cls().get_params()
    if known.get("metric") != "euclidean":  # none at all, or one of its own that cannot be changed
        known.pop("metric", None)
    trouble = ""
    if settings.metric == "precomputed" and "metric" not in known:
        trouble = "needs points, and these data are a table of distances"
    asked = {name: value for name, value in settings.chosen.items() if name in known}
    return Candidate(label, cls(**asked), trouble=trouble)


def title_of(cls: type) -> str:
    """Return what a method is called in tables: as the catalogue says, else by its class."""
    return entry_of(cls).title if is_catalogued(cls) else cls.__name__
