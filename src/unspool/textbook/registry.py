"""The table of items: what each shows, where it stands in its text, and which data it needs.

An item is a short function that computes what the text shows and returns an ``Outcome``. It is
entered by ``@item(...)``; the modules of the texts are imported when the table is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module
from types import MappingProxyType

from .checks import Outcome

Function = Callable[..., Outcome]


@dataclass(frozen=True, slots=True)
class Text:
    """One of the five texts: the prefix of its items' ids, how it is cited, and their modules."""

    name: str
    citation: str
    title: str
    modules: tuple[str, ...]


TEXTS = (
    Text(
        "S0",
        "Vidal, Ma, Sastry 2016",
        "Vidal, Ma, Sastry 2016: Generalized Principal Component Analysis, chapter 4",
        ("gpca_features", "gpca_kernel_pca", "gpca_manifolds", "gpca_clusters"),
    ),
    Text(
        "S1",
        "lecture slides",
        "Lecture slides: PCA, kernel PCA, MDS and new points, Isomap, LLE",
        ("slides_distances", "slides_examples"),
    ),
    Text(
        "S2",
        "Gulcu 2011",
        "Gulcu 2011: slides on Laplacian eigenmaps (Belkin and Niyogi 2001)",
        ("eigenmaps_theory", "eigenmaps_examples"),
    ),
    Text(
        "S3",
        "Mohri et al. 2012",
        "Mohri, Rostamizadeh, Talwalkar 2012: Foundations of Machine Learning, chapter 15",
        ("foundations_linear", "foundations_equivalences"),
    ),
    Text(
        "S4",
        "Izenman 2013",
        "Izenman 2013: Modern Multivariate Statistical Techniques, chapter 16",
        (
            "izenman_polynomial",
            "izenman_curves",
            "izenman_kernel_pca",
            "izenman_swiss_roll",
            "izenman_local_methods",
            "izenman_equivalences",
            "izenman_comparisons",
            "izenman_exercises",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Item:
    """One example, table, figure, statement or exercise of a text, ready to be run."""

    id: str
    title: str
    place: str
    needs: tuple[str, ...]
    slow: bool
    function: Function = field(repr=False)

    @property
    def text(self) -> str:
        """Prefix of the ids of the text's items: "S0" to "S4"."""
        return self.id.partition(".")[0]

    @property
    def source(self) -> str:
        """Where it stands: author, year and place, as in "Izenman 2013, Table 16.1"."""
        citations = {text.name: text.citation for text in TEXTS}
        return f"{citations[self.text]}, {self.place}"

    @property
    def about(self) -> str:
        """What the item does, in the words of its function."""
        return (self.function.__doc__ or "").strip()


_ENTERED: dict[str, Item] = {}


def item(
    name: str, title: str, place: str, *, needs: Iterable[str] = (), slow: bool = False
) -> Callable[[Function], Function]:
    """Enter a function into the table under ``name``, such as "S4.table-16.1".

    ``needs`` are names of real data sets; the function is called with one table for each.
    ``slow`` marks items that take more than a few seconds.
    """

    def enter(function: Function) -> Function:
        known = _ENTERED.get(name)
        if known is not None and known.function.__qualname__ != function.__qualname__:
            raise ValueError(f"two items are called {name!r}; choose another id for one of them")
        _ENTERED[name] = Item(name, title, place, tuple(needs), slow, function)
        return function

    return enter


@cache
def items() -> MappingProxyType[str, Item]:
    """Return all items by id, text by text, in the order of the texts."""
    for text in TEXTS:
        for module in text.modules:
            import_module(f".texts.{module}", __package__)
    order = {text.name: place for place, text in enumerate(TEXTS)}
    entered = sorted(_ENTERED.values(), key=lambda one: order[one.text])
    return MappingProxyType({one.id: one for one in entered})


def chosen(patterns: Iterable[str]) -> list[Item]:
    """Return the items that are named: by id, by text ("S4") or by pattern ("S4.fig-*")."""
    found: dict[str, Item] = {}
    for pattern in patterns:
        fitting = [one for one in items().values() if _fits(one.id, pattern)]
        if not fitting:
            raise ValueError(
                f"no item is called {pattern!r}; `unspool textbook list` names all of them"
            )
        found.update({one.id: one for one in fitting})
    return list(found.values())


def _fits(name: str, pattern: str) -> bool:
    lowered, wanted = name.lower(), pattern.lower()
    return lowered.partition(".")[0] == wanted or fnmatchcase(lowered, wanted)


def source_of(one: Item) -> str:
    """Return the code of an item as a reader would copy it, without the line that enters it."""
    import inspect

    code = inspect.getsource(one.function)
    return code[code.index("def ") :]
