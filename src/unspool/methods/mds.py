"""Multidimensional scaling by stress."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from ..iterate import Objective, OrdinalStress, PairStress, TableStress, minimize_stress
from ..memory import claim
from ..values import Array
from ._mds_fitted import StressMethod, on_principal_axes
from ._mds_start import (
    check_start,
    first_of_same,
    has_empty_axis,
    lifted,
    starting_places,
)
from ._mds_wanted import Wanted
from ._parameters import method, parameter
from ._similarity import check_count


@method
class MDS(StressMethod):
    """Multidimensional scaling by stress (S0 4.30; S1; Kruskal 1964; de Leeuw 1977).

    Points are placed so that their distances d miss the dissimilarities delta by the least raw
    stress, the sum over pairs of w (d - delta)^2. Pairs may be missing (NaN, weight 0, or not
    listed in a sparse table) or weigh differently. With ``ordinal`` only the order of the
    dissimilarities counts. A new point goes where its own stress against the fixed map is least.

    Attributes: ``stress_`` (raw), ``normalized_stress_`` (stress-1: the root of raw stress over
    sum w d^2), ``stress_per_point_`` (sums to ``stress_``), ``stress_trace_`` (from the start on),
    ``disparities_`` and ``n_iter_``. There are no ``eigenvalues_``: nothing is decomposed.

    >>> from unspool import MDS, datasets
    >>> MDS(3).fit(datasets.s_curve(100).points).stress_ < 1e-6
    True
    """

    ties: Literal["primary", "secondary"] = parameter(
        "primary",
        choices=("primary", "secondary"),
        help="ordinal: equal dissimilarities may get different disparities, or may not",
    )
    start: Any = parameter(
        "classical", help="'classical', 'landmarks', 'random', or an array of coordinates"
    )
    n_init: int = parameter(
        1, kind=int, at_least=1, help="starts: the first as start says, the others at random"
    )
    max_iter: int = parameter(300, kind=int, at_least=1, help="most steps from each start")
    tol: float = parameter(
        1e-7, kind=float, at_least=0, help="settled when a step changes stress by this share"
    )
    precision: str = parameter(
        "double",
        choices=("double", "single"),
        help="of the table: single needs half the memory, less time, and keeps six digits",
    )

    def _learn(self, given: Any) -> None:
        check_count(self.n_components, given.shape[0] - 1)
        check_start(self.start, (given.shape[0], self.n_components))
        wanted = self._wanted(np.float32 if self.precision == "single" else np.float64)
        ordinal = _ordinal_stress(wanted, self.ties) if self.ordinal else None
        objective = ordinal or _metric_stress(wanted)
        same = first_of_same(given, table=self._points is None)
        runs = [
            minimize_stress(objective, start[same], tolerance=self.tol, max_steps=self.max_iter)
            for start in self._starts(wanted, objective)
        ]
        best = min(runs, key=lambda run: run.loss)
        places = best.state if ordinal is None else ordinal.scaled(best.state)
        places = on_principal_axes(places)[same]
        self._keep(replace(best, state=places), objective, wanted)
        self._keep_order(ordinal, places, wanted.unit)

    def _starts(self, wanted: Wanted, objective: Objective) -> Iterator[Array]:
        rng = np.random.default_rng(self.random_state)
        euclidean = isinstance(self.metric, str) and self.metric in ("euclidean", "l2")
        points = self._points if euclidean else None
        for run in range(self.n_init):
            start = self.start if run == 0 else "random"
            places = starting_places(start, wanted, points, self.n_components, rng)
            yield lifted(places, objective, rng) if has_empty_axis(places) else places


def _metric_stress(wanted: Wanted) -> Objective:
    if wanted.sparse is not None:
        return PairStress.of(wanted.sparse)
    return TableStress.of(wanted.table, wanted.weights)


def _ordinal_stress(wanted: Wanted, ties: Any) -> OrdinalStress:
    n, item = wanted.n_points, wanted.dtype.itemsize
    pairs = n * (n - 1) // 2 if wanted.sparse is None else len(wanted.sparse.first)
    claim(pairs * (40 + 5 * item), f"the order of {pairs} pairs", "map a sample of the points")
    return OrdinalStress.of(wanted.pairs(), ties)
