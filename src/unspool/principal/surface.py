"""Alternate projection and smoothing until the distance settles (S4 16.18-16.20)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..optimize import Outcome, iterate
from ..runtime import claim, limit_blas_threads
from ..values import Array
from .parametrization import count_folds, reparametrized
from .scaling import converged_below
from .sheet import KNOTS, MOST_KNOTS, SEEDS, Sheet, SurfaceProjection, smooth_sheet

LESS = 0.75  # of the freedom, where more would fold the surface


@dataclass(frozen=True, slots=True)
class Fitted:
    """A sheet with the data projected onto it."""

    sheet: Sheet
    projection: SurfaceProjection
    freedom: float  # degrees of freedom it was smoothed with
    eased: bool  # because more of them would have folded it
    steps: int


@dataclass(frozen=True, slots=True)
class SurfaceSettings:
    """How a surface is fitted.

    The start is smoothed with the first of ``freedoms`` (degrees of freedom; d + 1 makes it flat),
    the first steps with the following ones, all later steps with the last.
    """

    freedoms: tuple[float, ...]
    parametrization: str = "isometric"
    tolerance: float = 1e-3
    max_steps: int = 50


def fit_surface(points: Array, start: Array, settings: SurfaceSettings) -> Outcome[Fitted]:
    """Return the principal surface reached from the parameters ``start`` of the points.

    The loss is the sum of squared distances (S4 16.20). A step that would fold the surface is
    smoothed more.
    """
    freedoms = settings.freedoms
    knots = min(KNOTS * freedoms[-1], MOST_KNOTS, len(points))
    claim(
        4 * len(points) * (knots + SEEDS) * 8,
        f"smoothing {len(points)} points over {knots:.0f} knots",
        "fit a sample and transform the rest, or raise span",
    )

    def fitted(places: Array, number: int) -> tuple[Fitted, float]:
        wanted = freedoms[min(number, len(freedoms) - 1)]
        found = _unfolded(places, points, wanted, number)
        return found, float(found.projection.squares.sum())

    def step(now: Fitted) -> tuple[Fitted, float]:
        places = reparametrized(now.sheet, now.projection.places, settings.parametrization)
        return fitted(places, now.steps + 1)

    total = float(np.square(points).sum())
    converged = converged_below(settings.tolerance, total, len(freedoms) - 1)
    with limit_blas_threads():  # matrices of a few hundred rows: shared out they take twice as long
        first, loss = fitted(start, 0)
        return iterate(first, loss, step, converged, name="surface", max_steps=settings.max_steps)


def _unfolded(places: Array, points: Array, wanted: float, steps: int) -> Fitted:
    """Return the sheet of at most this freedom that does not fold.

    Neither where it was smoothed nor where the data fall on it. A flat sheet cannot, so the search
    ends.
    """
    freedom, plane = wanted, places.shape[1] + 1.0
    while True:
        sheet = smooth_sheet(places, points, freedom)
        if freedom <= plane or count_folds(sheet, places) == 0:
            projection = sheet.project(points)
            if freedom <= plane or count_folds(sheet, projection.places) == 0:
                return Fitted(sheet, projection, freedom, freedom < wanted, steps)
        freedom = max(plane, LESS * freedom)
