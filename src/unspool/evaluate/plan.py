"""Before the work: the bytes and seconds that a fit will take here, and what fits instead.

How fast this machine is: three rates, measured once per process in a fifth of a second.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from math import ceil
from typing import Any

import numpy as np

from ..catalog import METHODS, Entry, entry_of
from ..costs import REFERENCE, Cost, Machine, Size
from ..distances import DEFAULT_NEIGHBORS, neighbor_graph
from ..elimination_order import plan_elimination
from ..graph import symmetrize
from ..runtime import (
    available_bytes,
    format_bytes,
    in_words,
    limit_blas_threads,
    thread_count,
)
from ..scale.cost_model import BlockStage, Layout, as_table, foresee
from ..values import Array, columns_of_text, html_table, refuse_cells

SIDE = 500  # of the matrices that are multiplied
STREAMED = 4_000_000  # numbers that are added: 32 MB, more than any cache
SORTED = 200_000  # numbers that are sorted
SAMPLES = (1_000, 3_000)  # points whose graph is eliminated, to see how its factor fills in
WORKER = 4e9  # bytes of a worker, unless told
WORTH_TELLING = 3.0  # times faster that another search must be


@dataclass(frozen=True, slots=True)
class PlannedStage:
    """One stage: its seconds here, and the bytes in use while it runs."""

    name: str
    seconds: float
    bytes: float


@dataclass(frozen=True, slots=True, repr=False)
class Plan:
    """What a fit will take, stage by stage; ``bytes`` is the peak. Prints as a table.

    On workers of a cluster (``blocks``) seconds and bytes are those of blocks of rows.

    If it does not fit, ``change`` is a parameter of the method with which it does (or empty), and
    ``instead`` names methods for a similar question that fit. If the search for neighbours takes
    most of the time, ``faster`` says how long it would take with another one.
    """

    method: str
    size: Size
    stages: tuple[PlannedStage, ...]
    max_memory: float
    machine: Machine
    instead: tuple[str, ...] = ()
    change: str = ""
    faster: str = ""
    blocks: tuple[BlockStage, ...] = ()

    @property
    def bytes(self) -> float:
        """Most bytes in use at any time, beyond the data themselves."""
        return max(stage.bytes for stage in self.stages)

    @property
    def seconds(self) -> float:
        """Seconds of all stages together."""
        return sum(stage.seconds for stage in self.stages)

    @property
    def fits(self) -> bool:
        """Whether the peak is below the limit."""
        return self.bytes <= self.max_memory

    def records(self) -> list[dict[str, Any]]:
        """Return one dict per stage."""
        return [{"stage": s.name, "seconds": s.seconds, "bytes": s.bytes} for s in self.stages]

    def _repr_html_(self) -> str:
        """Return the stages and the verdict for a notebook."""
        lines = [[s.name, f"{s.seconds:.3g}", format_bytes(s.bytes)] for s in self.stages]
        title = f"{self.method}, {self.size.n:,} points"
        return html_table([title, "seconds", "memory"], lines, [self.duration(), self.verdict()])

    def __str__(self) -> str:
        lines = [[s.name, f"{s.seconds:.3g}", format_bytes(s.bytes)] for s in self.stages]
        lines.append(["in all", f"{self.seconds:.3g}", format_bytes(self.bytes)])
        title = f"{self.method}, {self.size.n:,} points, {self.size.d:,} columns"
        table = columns_of_text([title, "seconds", "memory"], lines)
        if self.blocks:
            table = f"{title}\n{as_table(self.blocks)}"
        return f"{table}\n\n{self.duration()}\n{self.verdict()}"

    def duration(self) -> str:
        """Return the foreseen time as a person would say it."""
        faster = f"; {self.faster}" if self.faster else ""
        about = "" if self.seconds < 1 else "about "
        return f"{about}{in_words(self.seconds)}{faster}"

    def verdict(self) -> str:
        """Say whether it fits, and what would."""
        if self.fits:
            return f"fits into {format_bytes(self.max_memory)}"
        told = f"does not fit into {format_bytes(self.max_memory)}"
        ways = [f"pass {self.change}"] if self.change else []
        ways += [f"use {' or '.join(self.instead)}"] if self.instead else []
        ways += ["map a sample of the points and transform the rest"]
        return f"{told}; {', or '.join(ways)}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__}:\n{self}>"


def plan(
    method: Any,
    n: Any,
    d: int | None = None,
    max_memory: float | None = None,
    *,
    n_components: int | None = None,
    n_neighbors: int | None = None,
    n_landmarks: int | None = None,
    workers: int | None = None,
    memory: float | None = None,
) -> Plan:
    """Predict the memory and the time of fitting a method to n points of d columns, here.

    Seconds are those of a warm process on this machine, whose speed is measured once. Given the
    points themselves, the neighbour graph of a few of them tells how fast the factors of such
    graphs fill in, which decides what a sparse eigenproblem costs; given their number only, their
    dimension is taken to grow slowly with the number of columns. How many steps an iterative method
    takes depends on the data.

    Parameters
    ----------
    method : str, class or model
        A name of the catalogue, a class, or a model whose parameters count: coordinates, neighbours
        (of one number per point, the mean), landmarks, and the degree of polynomials.
    n : int or array-like of shape (n_samples, n_features)
        Number of points, or the points.
    d : int or None, default=None
        Number of columns, where the points are not given.
    max_memory : float or None, default=None
        Bytes that may be used; None is what is free.
    n_components : int or None, default=None
        Number of coordinates; None is that of the model.
    n_neighbors : int or None, default=None
        Number of neighbours; None is that of the model.
    n_landmarks : int or None, default=None
        Number of landmarks; None is that of the model.
    workers : int or None, default=None
        Workers of a Dask cluster that rows on disk are mapped by, block by block.
    memory : float or None, default=None
        Bytes of each of these workers; None is 4e9.

    Returns
    -------
    Plan
        Bytes and seconds, whether it fits, and what would fit instead.

    Examples
    --------
    >>> from unspool import plan
    >>> plan("isomap", 100_000, 3, max_memory=8e9).fits
    True
    >>> found = plan("kernel-pca", 100_000, 3, max_memory=8e9)
    >>> found.change, found.instead[0]
    ('n_landmarks=1000', 'landmark-mds')
    """
    entry = entry_of(method)
    limit = float(available_bytes()) if max_memory is None else float(max_memory)
    if limit <= 0:
        raise ValueError(f"max_memory must be a positive number of bytes; got {max_memory!r}")
    refuse_cells(n)
    points = None if isinstance(n, int | float | np.number) else n
    if points is not None:
        if np.ndim(points) != 2 or d is not None:
            raise ValueError("give the number of points and of columns, or a table of points alone")
        n, d = np.shape(points)
    for value, what in ((n, "n"), (d, "d")):
        if value is None or isinstance(value, bool) or int(value) != value or value < 1:
            raise ValueError(f"{what} must be a whole number of at least 1; got {value!r}")
    model = entry.load()() if isinstance(method, str | type) else method
    size = _size(model, int(n), int(d or 0), limit)
    if getattr(points, "dtype", None) == np.float32 and model._keeps_single(size.d):
        size = replace(size, item=4.0)
    size = replace(
        size,
        q=size.q if n_components is None else int(n_components),
        k=size.k if n_neighbors is None else int(n_neighbors),
        m=size.m if n_landmarks is None else min(int(n), int(n_landmarks)),
    )
    if workers is not None:
        return _planned_on_workers(entry, size, int(workers), float(memory or WORKER))
    if memory is not None:
        raise ValueError("memory is that of one worker; give their number as well, workers=...")
    if points is not None and hasattr(model, "n_neighbors"):
        size = replace(size, filled=_foreseen_fill(points, size.k))
    planned = replace(_planned(entry, size), faster=_faster(entry, size))
    if planned.fits:
        return planned
    return replace(planned, change=_change(entry, size), instead=_fitting(entry, size))


def _works_by_blocks(entry: Entry) -> bool:
    """Tell whether a method reads rows where they are, or has a fit of its own for them."""
    cls = entry.load()
    return bool(cls._ON_DISK or "_fit_source" in vars(cls))


def _planned_on_workers(entry: Entry, size: Size, workers: int, memory: float) -> Plan:
    """Return the plan of a fit by blocks; ValueError that advises a sample where there is none."""
    if workers < 1 or memory <= 0:
        raise ValueError(f"workers and memory must be positive; got {workers} and {memory:g}")
    if not _works_by_blocks(entry) or (entry.name == "kernel-pca" and size.m == size.n):
        change = "n_landmarks=1000" if entry.name == "kernel-pca" else ""
        raise ValueError(
            f"{entry.name} cannot be fitted in blocks of rows; "
            + (f"pass {change}, or use " if change else "use ")
            + "scale.by_sample, which fits a sample and places the others"
        )
    layout = Layout(size.n, size.d, size.k, size.q, size.m, workers, memory)
    blocks = foresee(entry.name, layout)
    stages = tuple(PlannedStage(s.name, s.seconds, s.held if s.tasks else 0.0) for s in blocks)
    return Plan(entry.name, size, stages, memory, this_machine(), blocks=blocks)


def _size(model: Any, n: int, d: int, limit: float) -> Size:
    """Return how large the fit of a model is; parameters of one number per point count by mean."""
    return Size(
        n=n,
        d=d,
        k=_number(model, "n_neighbors", DEFAULT_NEIGHBORS),
        q=_number(model, "n_components", 2),
        m=min(n, _landmarks(model, n)),
        degree=_number(model, "degree", 2),
        free=limit,
        search=getattr(model, "search", "exact"),
        is_gaussian=getattr(model, "kernel", "gaussian") in ("gaussian", "rbf"),
    )


def _foreseen_fill(points: Any, k: int) -> float:
    """Return how many entries a point the factor of the neighbour graph will have.

    Two samples show how it grows with the number of points: by its logarithm on a surface, nearly
    in proportion in many dimensions.
    """
    points = np.asarray(points)
    n = len(points)
    order = np.random.default_rng(0).permutation(n)
    sizes = [min(size, n) for size in SAMPLES]
    few, more = (_fill(points[np.sort(order[:size])], k) for size in sizes)
    if sizes[0] == sizes[1]:
        return more
    power = np.log(max(more / few, 1.0)) / np.log(sizes[1] / sizes[0])
    return float(more * (n / sizes[1]) ** min(power, 1.0))


def _fill(points: Array, k: int) -> float:
    """Return the entries a point of the factor of a neighbour graph."""
    graph = symmetrize(neighbor_graph(points, min(k, len(points) - 1)), "union")
    plan = plan_elimination(graph.with_weights(np.ones(graph.n_edges, dtype=np.int8)))
    return float(plan.fill) / len(points)


def _faster(entry: Entry, size: Size) -> str:
    """Say how long the fit takes with an approximate search, where that is much faster."""
    if size.search != "exact":
        return ""
    now, other = (
        _planned(entry, each).seconds for each in (size, replace(size, search="approximate"))
    )
    is_told = now > 1 and now > WORTH_TELLING * other
    return f"{in_words(other)} with search='approximate'" if is_told else ""


def _planned(entry: Entry, size: Size) -> Plan:
    machine = this_machine()
    stages = tuple(_stages(entry.cost(size), machine))
    return Plan(entry.name, size, stages, size.free, machine)


def _stages(costs: Iterable[Cost], machine: Machine) -> Iterable[PlannedStage]:
    kept = 0.0
    slower = {
        "products": REFERENCE.flops / machine.flops,
        "memory": REFERENCE.bandwidth / machine.bandwidth,
        "branching": REFERENCE.sorting / machine.sorting,
    }
    for cost in costs:
        kept += cost.keeps
        yield PlannedStage(cost.stage, cost.seconds * slower[cost.kind], kept + cost.takes)


def _fitting(entry: Entry, size: Size) -> tuple[str, ...]:
    """Return at most two methods that fit instead, each with its own number of landmarks."""
    answer = []
    for name in dict.fromkeys(entry.instead):
        other = METHODS[name]
        own = _size(other.load()(), size.n, size.d, size.free)
        if other is not entry and _planned(other, replace(size, m=own.m)).fits:
            answer.append(name)
    return tuple(answer[:2])


def _change(entry: Entry, size: Size) -> str:
    """Return the parameter with which the method itself fits, if there is one."""
    few = entry.enough_landmarks
    helps = 0 < few < size.m and _planned(entry, replace(size, m=few)).fits
    return f"n_landmarks={few}" if helps else ""


def _number(model: Any, parameter: str, usual: int) -> int:
    """Return a number that the model has; of one per point, the mean."""
    value = getattr(model, parameter, None)
    if value is None or isinstance(value, str | bool):
        return usual
    numbers = np.asarray(value)
    return ceil(numbers.mean()) if numbers.dtype.kind in "iuf" and numbers.size else usual


def _landmarks(model: Any, n_points: int) -> int:
    """Return how many landmarks: a number, or as many as the model names by their indices."""
    given = getattr(model, "landmarks", None)
    if given is not None and not isinstance(given, str):
        return len(given)
    return _number(model, "n_landmarks", n_points)


@cache
def this_machine() -> Machine:
    """Return the rates of this machine, measured when first asked.

    Products by one thread, times the threads: beside other work, BLAS's threads wait for each other
    for most of so short a time.
    """
    rng = np.random.default_rng(0)
    square = rng.normal(size=(SIDE, SIDE))
    long, short = rng.normal(size=STREAMED), rng.normal(size=SORTED)
    out = np.empty_like(long)
    with limit_blas_threads():
        flops = thread_count() * 2.0 * SIDE**3 / _seconds(lambda: square @ square)
    return Machine(
        flops=flops,
        bandwidth=16.0 * STREAMED / _seconds(lambda: np.add(long, 1.0, out=out)),
        sorting=SORTED / _seconds(lambda: np.argsort(short, kind="stable")),
    )


def _seconds(work: Callable[[], Any], times: int = 10) -> float:
    """Return the seconds that the fastest of some runs takes."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return max(min(taken), 1e-9)
