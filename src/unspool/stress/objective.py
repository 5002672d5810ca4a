"""Raw stress, sum over pairs of w (d - delta)^2, and its descent (S0 4.30; S1; Kruskal 1964).

A configuration is moved until its distances d are as near to the wanted ones delta as they can be.
Loss and slope come from one pass over the pairs. The descent is L-BFGS from a first majorisation
step (de Leeuw 1977): from the classical start it reaches in 12 passes what majorisation alone
reaches in 35. A pair that is not known has NaN for delta; zero is a distance like any other.

Where new points go on a fixed map: each by the stress of its own dissimilarities.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..optimize import Descent, Function, Outcome, begin, descend, iterate, relative_change_below
from ..runtime import NUMBA_LOCK, stage
from ..values import Array
from .pairs import Fit

NOTHING = 1e-22  # of sum w delta^2: a stress-1 below 1e-11 is rounding
CHUNKS = 16  # of a pass, each with a slope of its own: the most threads that can share it
ROWS = 256  # of a table looked at together, so that no second table is ever made


class Objective(Protocol):
    """The stress of configurations (n, d)."""

    @property
    def total(self) -> float:
        """Sum of w delta^2: the stress of a map that is one point."""

    @property
    def stiffness(self) -> Array:
        """Half the curvature that the first step assumes at each point."""

    def slope(self, places: Array) -> tuple[float, Array]:
        """Return the stress and its gradient."""

    def scaled(self, places: Array) -> Array:
        """Return the configuration at the scale that fits best."""

    def fit(self, places: Array) -> Fit:
        """Return how well a configuration fits, point by point."""


@dataclass(frozen=True, slots=True)
class TableStress:
    """The stress of a full symmetric table (float32 or float64), NaN where nothing is known.

    Its diagonal is zero. ``weights`` is a table too, or empty where all weigh the same.
    """

    table: Array
    weights: Array
    total: float
    stiffness: Array

    @classmethod
    def of(cls, table: Array, weights: Array | None = None) -> TableStress:
        """Return the stress of this table."""
        weighting = np.empty((0, 0), table.dtype) if weights is None else weights
        at_one_point = np.zeros((len(table), 1))
        empty = cls(table, weighting, 0.0, np.empty(0))
        return cls(table, weighting, empty.slope(at_one_point)[0], _stiffness(table, weighting))

    def slope(self, places: Array) -> tuple[float, Array]:
        """Return the stress and its gradient."""
        losses, slope = self._pass(places)
        return 0.5 * float(losses.sum()), 2.0 * slope.T

    def scaled(self, places: Array) -> Array:
        """Return the configuration at the scale that fits best: sum w d delta / sum w d^2."""
        rough = float(np.einsum("i,ik,ik->", self.stiffness, places, places))  # about sum w d^2
        if rough == 0.0 or self.total == 0.0:
            return places
        near = places * np.sqrt(self.total / rough)  # where the sums have no digits to lose
        size, match = self._sums(near, *self._pass(near))
        return np.asarray(near * (match / size if size > 0.0 else 1.0))

    def fit(self, places: Array) -> Fit:
        """Return how well a configuration fits, point by point."""
        losses, slope = self._pass(places)
        return Fit(0.5 * losses, self._sums(places, losses, slope)[0])

    def _sums(self, places: Array, losses: Array, slope: Array) -> tuple[float, float]:
        """Return sum w d^2 and sum w d delta: their difference is <x, slope>."""
        excess = float(np.einsum("ik,ki->", places, slope))
        match = max(0.0, self.total - 0.5 * float(losses.sum()) + excess)
        return max(0.0, match + excess), match

    def _pass(self, places: Array) -> tuple[Array, Array]:
        from .stress_kernels import table_slope

        columns = np.ascontiguousarray(places.T, dtype=self.table.dtype)
        slopes = np.empty((CHUNKS, *columns.shape), self.table.dtype)
        losses = np.empty((CHUNKS, len(places)), self.table.dtype)
        with NUMBA_LOCK:
            table_slope(self.table, self.weights, columns, slopes, losses)
        return losses.sum(axis=0, dtype=np.float64), slopes.sum(axis=0, dtype=np.float64)


def _stiffness(table: Array, weights: Array) -> Array:
    """Return the weights of each point's known pairs, summed, times n / (n - 1).

    With equal weights and nothing missing that is n, and the first step is SMACOF's.
    """
    n = len(table)
    sums = np.empty(n)
    for first in range(0, n, ROWS):
        rows = slice(first, min(first + ROWS, n))
        unknown = np.isnan(table[rows])
        if weights.size:
            own = np.arange(rows.stop - first), np.arange(first, rows.stop)
            heavy = np.where(unknown, 0.0, weights[rows])
            sums[rows] = heavy.sum(axis=1, dtype=np.float64) - heavy[own]
        else:
            sums[rows] = n - 1 - np.count_nonzero(unknown, axis=1)
    return sums * (n / (n - 1))


def smacof_step(places: Array, dissimilarities: Array, weights: Array | None = None) -> Array:
    """Return the Guttman transform V^+ B(x) x of a configuration: one step of SMACOF.

    V has -w off its diagonal and B(x) -w delta / d, and their rows sum to zero. It is the lowest
    point of the parabola that touches stress at x from above (de Leeuw 1977), x - V^+ gradient / 2.
    V is solved with, which costs n^3 if weights differ: the descent uses V's diagonal instead.
    """
    table = np.asarray(dissimilarities, dtype=np.float64)
    n = len(table)
    pull = np.ones((n, n)) if weights is None else np.array(weights, dtype=np.float64)
    pull[np.isnan(table)] = 0.0
    np.fill_diagonal(pull, 0.0)
    _, gradient = TableStress.of(table, pull).slope(places)
    laplacian = np.diag(pull.sum(axis=1)) - pull
    # the constant makes V regular, and does nothing to a gradient, whose columns sum to zero
    moved = places - np.linalg.solve(laplacian + 1.0 / n, 0.5 * gradient)
    return np.asarray(moved - moved.mean(axis=0))


def minimize_stress(
    objective: Objective, start: Array, *, tolerance: float, max_steps: int
) -> Outcome[Array]:
    """Return where a descent from ``start`` leads, and the stress of every step on the way.

    Settled when a step changes the stress by less than ``tolerance`` of it, or when it is nothing
    but rounding. No step raises it.
    """
    root = np.sqrt(2.0 * objective.stiffness)[:, None]  # in these units all points are as stiff

    def function(stretched: Array) -> tuple[float, Array]:
        loss, gradient = objective.slope(stretched.reshape(start.shape) / root)
        return loss, np.asarray(gradient / root).ravel()

    small = relative_change_below(tolerance)
    nothing = NOTHING * objective.total

    def step(state: Descent) -> tuple[Descent, float]:
        if state.loss <= nothing:  # a start that is exact
            return state, state.loss
        moved = descend(function, state) if state.moves else _majorized(function, state)
        return moved, moved.loss

    begun = begin(function, (objective.scaled(start) * root).ravel())
    found = iterate(
        begun,
        begun.loss,
        step,
        lambda losses: losses[-1] <= nothing or small(losses),
        name="stress",
        max_steps=max_steps,
    )
    places = found.state.place.reshape(start.shape) / root
    return Outcome(places, found.losses, found.settled)


def _majorized(function: Function, state: Descent) -> Descent:
    """Return the state after a step of majorisation, or of descent where that does not lead down.

    It needs no search for its length, and gives the descent its first curvature.
    """
    place = state.place - state.gradient
    loss, gradient = function(place)
    if not loss < state.loss:
        return descend(function, state)
    return Descent(place, loss, gradient, (place - state.place,), (gradient - state.gradient,))


PLACED_AT_ONCE = 1024  # placed between two looks at who wants to cancel
NEAREST = 3  # fitted points to start from, beside the classical place


def place_by_stress(rows: Array, weights: Array | None, places: Array) -> Array:
    """Return where each row of dissimilarities to the points at ``places`` fits best.

    Newton's steps lead from the place of the nearest point to a minimum of
    sum_j w_j (|y - x_j| - delta_j)^2. Those from the next nearest and from the classical place
    count only where they lead lower by a tenth: a point that is beside a known one should stay
    there, though this be but a local minimum. Entries that are NaN do not count. Rows do not know
    of each other.
    """
    from .stress_kernels import place_rows

    answer = np.empty((len(rows), places.shape[1]))
    fixed = np.ascontiguousarray(places, dtype=np.float64)
    with stage("placing", total=len(rows)) as running:
        for first in range(0, len(rows), PLACED_AT_ONCE):
            part = slice(first, first + PLACED_AT_ONCE)
            known = ~np.isnan(rows[part])
            row = np.where(known, rows[part], 0.0)
            weight = np.where(known, 1.0 if weights is None else weights[part], 0.0)
            nearest = np.argsort(rows[part], axis=1, kind="stable")[:, :NEAREST]  # NaN last
            starts = np.concatenate(
                [fixed[nearest], _classical_places(row, weight, fixed)[:, None]], axis=1
            )
            with NUMBA_LOCK:
                place_rows(row, weight, fixed, starts, answer[part])
            running.advance(len(row))
    return answer


def _classical_places(rows: Array, weights: Array, places: Array) -> Array:
    """Return where squares put points: 2 (x_j - c) y = |x_j - c|^2 - delta_j^2, less its mean."""
    shares = weights / weights.sum(axis=1, keepdims=True)
    centres = np.einsum("rj,jk->rk", shares, places)
    squares = np.einsum("jk,jk->j", places, places)
    excess = squares - 2.0 * np.einsum("rk,jk->rj", centres, places) - rows**2
    excess -= np.einsum("rj,rj->r", shares, excess)[:, None]
    products = places[:, :, None] * places[:, None, :]
    spread = np.einsum("rj,jkm->rkm", shares, products) - centres[:, :, None] * centres[:, None, :]
    side = 0.5 * np.einsum("rj,jk->rk", shares * excess, places)
    inverse = np.linalg.pinv(spread, hermitian=True)
    return np.asarray(centres + np.einsum("rkm,rm->rk", inverse, side))
