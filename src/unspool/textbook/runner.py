"""The items of the texts, and how they are run: each ends as agreeing, failing or skipped.

An item is a short function that computes what the text shows and returns an ``Outcome``. It is
entered by ``@item(...)``; the modules of the texts are imported when the table is first asked for.

The data of an item come from the folder of real data, or are fetched, but only when that was asked
for: nothing is downloaded silently, and where a data set is absent, the item is skipped and says
so. What a run tells: lines for the screen, and a count at the end.

An item names a seed for each of its draws, as ``shifted(43)``. Within ``shifting(n)`` every one of
them becomes another, and all random data of a run are new: what is said about random data has to
hold for any draw, not for the one that was looked at when the bound was set.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from .. import datasets
from ..datasets.real import where_real_belongs
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
            import_module(f".{module}", __package__)
    order = {text.name: place for place, text in enumerate(TEXTS)}
    entered = sorted(_ENTERED.values(), key=lambda one: order[one.text])
    return MappingProxyType({one.id: one for one in entered})


def chosen(patterns: Iterable[str]) -> list[Item]:
    """Return the items that are named: by id, by text (``S4``), or by pattern (``S4.fig-*``)."""
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


Status = Literal["agrees", "fails", "skipped"]
Table = dict[str, Any]


STEP = 1_000  # larger than any seed that the items name, so that shifted draws never meet others

_SHIFT: ContextVar[int] = ContextVar("shift", default=0)


def shifted(seed: int) -> int:
    """Return the seed of a draw, moved by the shift that is in force.

    Parameters
    ----------
    seed : int
        The seed without a shift, from 0 to 999.

    Returns
    -------
    int
        ``seed + 1000 * shift``.

    Examples
    --------
    >>> from unspool.textbook import shifted
    >>> shifted(43)
    43
    """
    if not 0 <= seed < STEP:
        raise ValueError(f"a draw is named by a seed from 0 to {STEP - 1}, got {seed}")
    return seed + STEP * _SHIFT.get()


@contextmanager
def shifting(shift: int) -> Iterator[None]:
    """Draw all random data of the items anew within the block.

    Parameters
    ----------
    shift : int
        Which draw: 0 is the one that a run without a shift has.

    Yields
    ------
    None
        Nothing; the shift holds until the block ends.

    Examples
    --------
    >>> from unspool.textbook import shifted, shifting
    >>> with shifting(2):
    ...     shifted(43)
    2043
    """
    if shift < 0:
        raise ValueError(f"a shift is 0 or more, got {shift}")
    token = _SHIFT.set(int(shift))
    try:
        yield
    finally:
        _SHIFT.reset(token)


class Absent(Exception):
    """A data set that an item needs is not here; the message says which and what to do."""


def load(name: str, *, download: bool = False) -> Table:
    """Return a real data set; ``download`` allows scikit-learn to fetch what the folder lacks."""
    try:
        return datasets.real(name)
    except FileNotFoundError as missing:
        if download and name in FETCHERS:
            return FETCHERS[name]()
        hint = "; or run with --download" if name in FETCHERS and not download else ""
        raise Absent(f"{missing}{hint}") from missing


def _openml(name: str, version: int) -> tuple[Any, Any]:
    from sklearn.datasets import fetch_openml

    points, labels = fetch_openml(
        name, version=version, return_X_y=True, as_frame=False, parser="liac-arff"
    )
    return np.asarray(points), np.asarray(labels).astype(np.uint8)


def _mnist() -> Table:
    """Return the digits as the original files order them: the last 10,000 are the test images."""
    images, labels = _openml("mnist_784", 1)
    return {
        "x_train": images[:60_000].astype(np.uint8),
        "y_train": labels[:60_000],
        "x_test": images[60_000:].astype(np.uint8),
        "y_test": labels[60_000:],
    }


def _pendigits() -> Table:
    points, labels = _openml("pendigits", 1)
    return {
        "x_train": points[:7_494],
        "y_train": labels[:7_494],
        "x_test": points[7_494:],
        "y_test": labels[7_494:],
    }


FETCHERS: dict[str, Callable[[], Table]] = {"mnist": _mnist, "pendigits": _pendigits}


@dataclass(frozen=True, slots=True)
class Result:
    """What became of an item: its outcome, or the reason why there is none, and the seconds."""

    item: Item
    status: Status
    seconds: float
    outcome: Outcome | None = None
    reason: str = ""
    figure: Any = field(default=None, repr=False)

    @property
    def n_errata(self) -> int:
        """Number of checks where the text is wrong and the corrected statement came out."""
        checks = self.outcome.checks if self.outcome else ()
        return sum(1 for check in checks if check.erratum and check.holds)


def run(one: Item, *, download: bool = False, figures: bool = False, shift: int = 0) -> Result:
    """Run an item; ``figures`` draws its figure too, ``shift`` draws its random data anew.

    Advice that the methods give as warnings is not shown: the items are about where methods fail,
    and say so in their checks. Errors are not caught: an item that cannot run is a defect.
    """
    try:
        tables = [load(name, download=download) for name in one.needs]
    except Absent as absent:
        return Result(one, "skipped", 0.0, reason=str(absent))
    began = time.perf_counter()
    with warnings.catch_warnings(), shifting(shift):
        warnings.simplefilter("ignore", UserWarning)
        outcome = one.function(*tables)
        figure = outcome.draw() if figures and outcome.draw is not None else None
    seconds = time.perf_counter() - began
    return Result(one, "agrees" if outcome.holds else "fails", seconds, outcome, figure=figure)


def run_all(
    wanted: Iterable[Item], *, download: bool = False, figures: bool = False, shift: int = 0
) -> Iterator[Result]:
    """Yield the result of each item as soon as it is there."""
    for one in wanted:
        yield run(one, download=download, figures=figures, shift=shift)


MARKS = {"agrees": "agrees", "fails": "FAILS", "skipped": "skipped"}


def told(result: Result, *, checks: bool = True) -> str:
    """Return a result in lines: the item, and each check unless only the item is wanted."""
    one = result.item
    lines = [f"{one.id:<32} {MARKS[result.status]:<8} {result.seconds:6.1f} s  {one.title}"]
    if result.reason:
        lines.append(f"    {result.reason}")
    for check in result.outcome.checks if result.outcome else ():
        if checks or not check.holds:
            lines.append(f"    {'' if check.holds else '! '}{check}")
    return "\n".join(lines)


def summary(results: Sequence[Result]) -> str:
    """Return one sentence: how many items agree, fail and were skipped, and how many errata."""
    counts = {status: sum(r.status == status for r in results) for status in MARKS}
    checks = sum(len(r.outcome.checks) for r in results if r.outcome)
    errata = sum(r.n_errata for r in results)
    seconds = sum(r.seconds for r in results)
    return (
        f"{len(results)} items, {checks} checks in {seconds:.0f} s: {counts['agrees']} items agree "
        f"({errata} checks where the text is wrong), {counts['fails']} fail, "
        f"{counts['skipped']} skipped"
    )


def left_out(results: Sequence[Result]) -> str:
    """Return one line: how many items were skipped, for want of which data, and where those go."""
    skipped = [result for result in results if result.status == "skipped"]
    if not skipped:
        return "nothing was skipped"
    needed = {name for result in skipped for name in result.item.needs}
    absent = sorted(needed - set(datasets.real_names()))
    items = "1 item was" if len(skipped) == 1 else f"{len(skipped)} items were"
    are = "is" if len(absent) == 1 else "are"
    return (
        f"{items} skipped because {', '.join(absent)} {are} absent: put the files into "
        f"{where_real_belongs()} (docs/data.md says where they come from)"
    )


def listed(wanted: Iterable[Item]) -> str:
    """Return the table of items, text by text."""
    lines: list[str] = []
    titles = {text.name: text.title for text in TEXTS}
    last = ""
    for one in wanted:
        if one.text != last:
            lines += ["", f"{one.text}  {titles[one.text]}"]
            last = one.text
        needs = f"  [{', '.join(one.needs)}]" if one.needs else ""
        lines.append(f"  {one.id:<32} {one.title}{needs}")
    return "\n".join(lines).lstrip("\n")
