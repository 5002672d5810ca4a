"""Before the work: the bytes and seconds that a fit will take here, and what fits instead."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np

from ..catalog import find
from ..distances import DEFAULT_NEIGHBORS
from ..runtime import available_bytes, format_bytes
from .comparison import columns_of_text
from .costs import MODELS, REFERENCE, Cost, Machine, Size, this_machine

# Methods that answer a similar question with less memory, nearest first.
INSTEAD = {
    "isomap": ("landmark-isomap",),
    "classical-mds": ("pca", "landmark-mds"),
    "kernel-pca": ("landmark-mds", "pca"),
    "mds": ("landmark-mds", "pca"),
    "kernel-lle": ("lle", "laplacian-eigenmaps"),
    "modified-lle": ("lle", "laplacian-eigenmaps"),
    "hessian-lle": ("lle", "laplacian-eigenmaps"),
    "ltsa": ("lle", "laplacian-eigenmaps"),
    "polynomial-pca": ("pca",),
    "feature-map-pca": ("kernel-pca", "pca"),
}
# What the method itself advises when it refuses: a parameter that makes it fit.
FEWER_COLUMNS = 1000  # landmarks of kernel PCA
LAST = ("landmark-isomap", "landmark-mds", "pca", "random-projection")


@dataclass(frozen=True, slots=True)
class PlannedStage:
    """One stage: its seconds here, and the bytes in use while it runs."""

    name: str
    seconds: float
    bytes: float


@dataclass(frozen=True, slots=True, repr=False)
class Plan:
    """What a fit will take, stage by stage; ``bytes`` is the peak. Prints as a table.

    If it does not fit, ``change`` is a parameter of the method with which it does (or empty), and
    ``instead`` names methods for a similar question that fit.
    """

    method: str
    size: Size
    stages: tuple[PlannedStage, ...]
    max_memory: float
    machine: Machine
    instead: tuple[str, ...] = ()
    change: str = ""

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
        """Return one dict a stage."""
        return [{"stage": s.name, "seconds": s.seconds, "bytes": s.bytes} for s in self.stages]

    def __str__(self) -> str:
        lines = [[s.name, f"{s.seconds:.3g}", format_bytes(s.bytes)] for s in self.stages]
        lines.append(["in all", f"{self.seconds:.3g}", format_bytes(self.bytes)])
        title = f"{self.method}, {self.size.n:,} points, {self.size.d:,} columns"
        table = columns_of_text([title, "seconds", "memory"], lines)
        return f"{table}\n\n{self.verdict()}"

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
    n: int,
    d: int,
    max_memory: float | None = None,
    *,
    n_components: int | None = None,
    n_neighbors: int | None = None,
    n_landmarks: int | None = None,
) -> Plan:
    """Predict the memory and the time of fitting ``method`` to n points of d columns, here.

    ``method`` is a name of the catalogue, a class, or a model whose parameters count: coordinates,
    neighbours (of one number a point, the mean), landmarks, and the degree of polynomials.
    ``max_memory`` is in bytes, by default what is free. Seconds are those of a warm process on this
    machine, whose speed is measured once. Neighbour graphs are taken to be those of data with
    about two dimensions; how many steps an iterative method takes depends on the data.

    >>> from unspool import plan
    >>> plan("isomap", 100_000, 3, max_memory=8e9).fits
    True
    >>> found = plan("kernel-pca", 100_000, 3, max_memory=8e9)
    >>> found.change, found.instead[0]
    ('n_landmarks=1000', 'landmark-mds')
    """
    name = _name(method)
    limit = float(available_bytes()) if max_memory is None else float(max_memory)
    if limit <= 0:
        raise ValueError(f"max_memory must be a positive number of bytes; got {max_memory!r}")
    for value, what in ((n, "n"), (d, "d")):
        if isinstance(value, bool) or int(value) != value or value < 1:
            raise ValueError(f"{what} must be a whole number of at least 1; got {value!r}")
    size = Size(
        n=int(n),
        d=int(d),
        k=_chosen(n_neighbors, method, "n_neighbors") or DEFAULT_NEIGHBORS,
        q=_chosen(n_components, method, "n_components") or 2,
        m=_landmarks(n_landmarks, method),
        degree=_chosen(None, method, "degree") or 2,
        free=limit,
    )
    planned = _planned(name, size, limit)
    if planned.fits:
        return planned
    change = _change(name, size, limit)
    return replace(planned, change=change, instead=_fitting(name, size, limit))


def _planned(name: str, size: Size, limit: float) -> Plan:
    machine = this_machine()
    return Plan(name, size, tuple(_stages(MODELS[name](size), machine)), limit, machine)


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


def _fitting(name: str, size: Size, limit: float) -> tuple[str, ...]:
    others = dict.fromkeys((*INSTEAD.get(name, ()), *LAST))
    usual = replace(size, m=None)
    return tuple(o for o in others if o != name and _planned(o, usual, limit).fits)[:2]


def _change(name: str, size: Size, limit: float) -> str:
    fewer = replace(size, m=FEWER_COLUMNS)
    has_more = (size.n if size.m is None else size.m) > FEWER_COLUMNS
    helps = name == "kernel-pca" and has_more and _planned(name, fewer, limit).fits
    return f"n_landmarks={FEWER_COLUMNS}" if helps else ""


def _name(method: Any) -> str:
    if isinstance(method, str):
        return find(method).name
    cls = method if isinstance(method, type) else type(method)
    return find(cls.__name__).name


def _chosen(asked: int | None, method: Any, parameter: str) -> int | None:
    """Return a number that was asked for, or that the model has; of one a point, the mean."""
    value = asked if asked is not None else getattr(method, parameter, None)
    if value is None or isinstance(value, str | bool):
        return None
    numbers = np.asarray(value)
    return ceil(numbers.mean()) if numbers.dtype.kind in "iuf" and numbers.size else None


def _landmarks(asked: int | None, method: Any) -> int | None:
    """Return how many landmarks: a number, or as many as the model names by their indices."""
    given = getattr(method, "landmarks", None)
    if asked is None and given is not None and not isinstance(given, str):
        return len(given)
    return _chosen(asked, method, "n_landmarks")
