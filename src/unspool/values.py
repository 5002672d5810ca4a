"""The values that travel between the stages: frozen, so that what belongs together stays together.

A neighbour graph holds distances and never a point itself; an eigenproblem says which end of its
spectrum is wanted and what is known of it in advance; a spectrum keeps every eigenvalue beside its
vector. No stage changes what it was given. ``NeighborIndex`` and ``Operator`` are what one stage
may ask of an object that another one made.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from itertools import pairwise
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Array = NDArray[Any]
Metric = str | Callable[[Array, Array], float]
Search = Literal["auto", "exact", "approximate"]
End = Literal["smallest", "largest"]
Unit = Literal["value", "root", "complement"]
EDGES_TOGETHER = 2**21  # of a graph that are worked on together: 10^7 points have 40 times as many


@dataclass(frozen=True, slots=True)
class NeighborGraph:
    """Who neighbours whom, and how far: row i lists the neighbours of point i, nearest first.

    The rows may be other points than the columns (query points and the fitted ones). Stored as the
    three arrays of a CSR matrix, because a SciPy matrix loses edges of length zero (duplicate
    points) in almost every operation. ``recall`` is the share of the true neighbours that an
    approximate search found, as measured on a sample; None says that the search was exact.
    """

    starts: Array
    neighbors: Array
    distances: Array
    n_columns: int
    search: str = "given"
    recall: float | None = None

    @property
    def n_points(self) -> int:
        """Number of rows, one per point."""
        return len(self.starts) - 1

    @property
    def n_edges(self) -> int:
        """Number of stored (directed) edges."""
        return len(self.neighbors)

    @property
    def counts(self) -> Array:
        """Number of neighbours of every point."""
        return np.diff(self.starts)

    @property
    def rows(self) -> Array:
        """Row index of every edge, in storage order."""
        return np.repeat(np.arange(self.n_points), self.counts)

    @property
    def edges(self) -> tuple[Array, Array, Array]:
        """The arrays that make two graphs the same."""
        return self.starts, self.neighbors, self.distances

    def with_weights(self, weights: Array) -> sp.csr_array:
        """Return the sparse matrix that holds ``weights`` (one per edge) on the graph's pattern."""
        shape = (self.n_points, self.n_columns)
        return sp.csr_array((weights, self.neighbors, self.starts), shape=shape)

    def some_rows(self, first: int, last: int) -> NeighborGraph:
        """Return the neighbours of the points from ``first`` to before ``last``."""
        edges = slice(self.starts[first], self.starts[last])
        starts = self.starts[first : last + 1] - self.starts[first]
        return replace(
            self, starts=starts, neighbors=self.neighbors[edges], distances=self.distances[edges]
        )

    def strips(self) -> Iterator[tuple[int, int]]:
        """Yield (first, last) rows that hold few enough edges for what needs several copies."""
        cuts = np.searchsorted(self.starts, np.arange(0, self.n_edges, EDGES_TOGETHER))
        yield from pairwise(np.unique(np.append(cuts, (0, self.n_points))).tolist())

    def by_count(self, chunk: int) -> Iterator[tuple[Array, Array, Array]]:
        """Yield (points, neighbours, distances) in rectangular batches of equally many neighbours.

        Batches hold at most ``chunk`` points, so that work per neighbourhood is vectorised while
        its memory stays bounded.
        """
        counts = self.counts
        for count in np.flatnonzero(np.bincount(counts)):
            points = np.flatnonzero(counts == count)
            for first in range(0, len(points), max(1, chunk)):
                batch = points[first : first + max(1, chunk)]
                slots = self.starts[batch][:, None] + np.arange(count)
                yield batch, self.neighbors[slots], self.distances[slots]


@dataclass(frozen=True, slots=True)
class Components:
    """Labels of the connected components, numbered from the largest down.

    ``is_core`` marks the points of the closed classes, where the graph is directed; elsewhere the
    whole component is its core.
    """

    labels: Array
    is_core: Array | None = None

    @property
    def sizes(self) -> Array:
        """Number of points in each component, largest first."""
        return np.bincount(self.labels)

    @property
    def count(self) -> int:
        """Number of components."""
        return len(self.sizes)

    def members(self, component: int) -> Array:
        """Return the points of a component, in order."""
        return np.flatnonzero(self.labels == component)

    def core(self, component: int) -> Array:
        """Return the points of a component that only list one another: bridges start here."""
        members = self.members(component)
        return members if self.is_core is None else members[self.is_core[members]]

    def describe(self) -> str:
        """Return a phrase with the number of components and their sizes."""
        shown = ", ".join(str(size) for size in self.sizes[:5])
        more = ", ..." if self.count > 5 else ""
        return f"the neighbour graph has {self.count} connected components (sizes {shown}{more})"


class Similarity(Protocol):
    """A kernel: similarities of all pairs, and of each point to itself."""

    def __call__(self, A: Array, B: Array) -> Array:
        """Return the similarities of the rows of A and of B."""
        ...

    def diagonal(self, A: Array) -> Array:
        """Return the similarity of each row to itself."""
        ...


class StoredPoints(ABC):
    """Points that are not in memory: they find their copies and their neighbours by themselves."""

    @abstractmethod
    def __getitem__(self, rows: Any) -> Array:
        """Return some of the points, in memory."""

    @abstractmethod
    def find_copies(self) -> Any:
        """Return which rows are one and the same point."""

    @abstractmethod
    def search_index(self, metric: Metric, search: Search, seed: int) -> NeighborIndex:
        """Return what answers ``nearest`` and ``within``."""


class NeighborIndex(Protocol):
    """Answers neighbour queries about a fixed set of points; ``distances.build_index`` makes one.

    Answers hold exact distances, sorted by distance, then by index.
    """

    @property
    def name(self) -> str:
        """How it searches, as the report says it."""
        ...

    @property
    def seed(self) -> int | None:
        """Seed of a search that draws at random; an exact one has none."""
        ...

    @property
    def n_points(self) -> int:
        """Number of points searched."""
        ...

    def nearest(self, queries: Any, count: int) -> NeighborGraph:
        """Return the ``count`` nearest points of each query."""
        ...

    def within(self, queries: Any, radius: float, *, others: bool = False) -> NeighborGraph:
        """Return all points within ``radius`` of each query, the border included.

        ``others`` says that the queries are the points, and that none is to list itself.
        """
        ...

    def among(self, points: Array) -> NeighborIndex:
        """Return the index of ``points`` alone."""
        ...


class Operator(Protocol):
    """A symmetric matrix that is known by its products with blocks of vectors alone."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        ...

    @property
    def norm_bound(self) -> float:
        """A bound of its norm, such as its largest absolute row sum."""
        ...

    def __matmul__(self, block: Array) -> Array:
        """Return its product with a block of vectors (n, k)."""
        ...


Matrix: TypeAlias = Array | sp.csr_array | Operator


@dataclass(frozen=True, slots=True)
class EigenProblem:
    """A symmetric eigenproblem ``matrix v = value mass v``, and all that is known of it in advance.

    ``matrix`` is a dense array, a sparse matrix or an operator; or, where ``is_factor`` is set, the
    F of F'F, dense or sparse. ``end`` is the wanted end of the spectrum. ``trivial`` are directions
    projected out on both sides: the constant vector centres a gram matrix and removes the known
    solution of a Laplacian or alignment problem; no one downstream ever skips a first vector.
    ``mass`` is the diagonal of a positive mass matrix. ``ceiling`` bounds the spectrum from above
    where theory gives a bound. ``initial`` are vectors that an iteration starts from; for an
    operator they should be nearly the wanted ones, because each product counts. ``center`` is the
    row that is subtracted from every row of a factor, so that no one has to copy it. ``unit`` and
    ``divisor`` say which numbers are meant by its eigenvalues: the values over the divisor
    (variances), their roots (singular values of a factor), or 1 less them (those of a walk).
    """

    matrix: Matrix
    end: End
    trivial: Array | None = None
    mass: Array | None = None
    ceiling: float | None = None
    is_factor: bool = False
    initial: Array | None = None
    unit: Unit = "value"
    divisor: float = 1.0
    center: Array | None = None

    @property
    def size(self) -> int:
        """Number of unknowns."""
        return int(self.matrix.shape[1])

    @property
    def n_trivial(self) -> int:
        """Number of directions known in advance and projected out."""
        return 0 if self.trivial is None else int(self.trivial.shape[1])


@dataclass(frozen=True, slots=True)
class Spectrum:
    """Eigenvalues, each beside its vector: ``vectors[:, i]`` belongs to ``values[i]``.

    In order from the wanted end, and in the problem's unit; vectors are orthonormal in its mass.
    ``next_value`` is the first eigenvalue that was not asked for, if it is known: the gap to it
    says how well the kept subspace is determined. Values below ``rounding`` cannot be told from
    zero.
    """

    values: Array
    vectors: Array
    residuals: Array
    solver: str
    next_value: float | None = None
    rounding: float = 0.0

    @property
    def count(self) -> int:
        """Number of pairs."""
        return len(self.values)


@dataclass(frozen=True, slots=True)
class Stage:
    """What one stage of a fit did: its name, how, how long, and how much it holds."""

    name: str
    seconds: float
    bytes: int = 0
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Report:
    """What a fit did, stage by stage, and what it advises."""

    stages: tuple[Stage, ...] = ()
    advice: tuple[str, ...] = ()

    @property
    def seconds(self) -> float:
        """Seconds spent in all stages together."""
        return float(sum(stage.seconds for stage in self.stages))

    def stage(self, name: str) -> Stage:
        """Return the last stage called ``name``."""
        for stage in reversed(self.stages):
            if stage.name == name:
                return stage
        known = ", ".join(stage.name for stage in self.stages)
        raise KeyError(f"no stage {name!r} in this report; there are: {known}")

    def _repr_html_(self) -> str:
        """Return the stages and the advice for a notebook."""
        heads = ["stage", "seconds", "MB", "how"]
        lines = [
            [s.name, f"{s.seconds:.3f}", f"{s.bytes / 1e6:.1f}", _in_short(s.facts)]
            for s in self.stages
        ]
        return html_table(heads, lines, self.advice)

    def __str__(self) -> str:
        """Return one line per stage, then the advice."""
        lines = [
            f"{s.name:<12} {s.seconds:8.3f} s {s.bytes / 1e6:10.1f} MB  "
            + ", ".join(f"{k}={v}" for k, v in s.facts.items())
            for s in self.stages
        ]
        return "\n".join([*lines, *(f"advice: {line}" for line in self.advice)])


class WrongInput(ValueError, TypeError):
    """What was given is no table of numbers; an error of its value, and of its type."""


def refuse_cells(X: Any) -> None:
    """Refuse an AnnData, which holds several tables of the same cells, and say which there are."""
    if not all(hasattr(X, name) for name in ("obs_names", "var_names", "obsm")):
        return
    there = [f".layers[{name!r}]" for name in X.layers if name is not None]  # X itself, of late
    there += [f".obsm[{name!r}]" for name in X.obsm]
    raise WrongInput(
        "an AnnData holds several tables of the same cells; pass one of them: "
        f"{', '.join(['.X', *there])}"
    )


LONGEST = 60  # characters of one fact in a notebook: some are arrays


def _in_short(facts: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={_words_of(value)}" for name, value in facts.items())


def _words_of(fact: Any) -> str:
    words = f"{fact:.4g}" if isinstance(fact, float) else " ".join(str(fact).split())
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"


def html_table(heads: Sequence[str], lines: Sequence[Sequence[str]], below: Sequence[str]) -> str:
    """Return a short table for a notebook, with sentences below it; all text is escaped."""
    top = "".join(f"<th>{escape(head)}</th>" for head in heads)
    rows = ["".join(f"<td>{escape(str(cell))}</td>" for cell in line) for line in lines]
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    told = "".join(f"<div>{escape(sentence)}</div>" for sentence in below if sentence)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>{told}"


def columns_of_text(heads: Sequence[str], lines: Sequence[Sequence[str]], left: int = 1) -> str:
    """Return an aligned table; the first ``left`` columns are words, the last may be too long."""
    rows = [list(heads), *(list(line) for line in lines)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(heads))]
    ruled = [rows[0], ["-" * width for width in widths], *rows[1:]]
    return "\n".join(_line(row, widths, left) for row in ruled)


def _line(row: Sequence[str], widths: Sequence[int], left: int) -> str:
    cells = [
        cell.ljust(width) if i < left else cell.rjust(width)
        for i, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(cells).rstrip()
