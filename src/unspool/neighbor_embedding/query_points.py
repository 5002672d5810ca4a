"""Query points on a fixed map: each goes where its own divergence from the map is least.

With p_j the affinities of the query point to the fitted ones, that is the least of

    exaggeration * sum_j p_j log(1 + |z - y_j|^2) + log phi(z),

phi the potential of the fixed map. Query points do not know of each other, so that batches do not
matter. All descend at once, each with steps of its own length.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..extension import nearness
from ..runtime import run_kernel, stage
from ..values import Array, NeighborGraph
from .affinities import conditional_affinities
from .repulsion import Potential, strip

STARTS = 5  # nearest fitted points whose places are tried as a start
STEPS = 100  # of descent
HALVINGS = 30  # of a step that does not lead down, before a point stays where it is


class _Slope(NamedTuple):
    losses: Array
    gradients: Array


@dataclass(frozen=True, slots=True)
class FixedMap:
    """The places of the fitted points, how many share each, and their potential."""

    places: Array
    counts: Array
    potential: Potential
    exaggeration: float

    def place(self, seen: NeighborGraph, perplexity: float) -> Array:
        """Return where each query point goes, given the fitted points that it sees, nearest first.

        A point very near to a fitted one goes to its place, gradually, so that placing is
        continuous there: nearer than a tenth of the way to the next one.
        """
        affinities = conditional_affinities(seen, perplexity, self.counts)
        with stage("placing", total=STEPS) as running:
            points = self._start(seen, affinities)
            now = self._slope(points, seen, affinities)
            lengths = np.full(len(points), 1.0)
            moving = np.ones(len(points), dtype=bool)
            for _ in range(STEPS):
                trial = points - lengths[:, None] * now.gradients
                then = self._slope(trial, seen, affinities)
                lower = moving & (then.losses < now.losses)
                points = np.where(lower[:, None], trial, points)
                now = _Slope(
                    np.where(lower, then.losses, now.losses),
                    np.where(lower[:, None], then.gradients, now.gradients),
                )
                lengths = np.where(lower, 1.5 * lengths, 0.5 * lengths)
                moving &= lengths > 2.0**-HALVINGS
                running.advance()
                if not moving.any():
                    break
        nearest = self.places[seen.neighbors[seen.starts[:-1]]]
        return np.asarray(points + nearness(seen)[:, None] * (nearest - points))

    def _start(self, seen: NeighborGraph, affinities: Array) -> Array:
        """Return the best of the places of the nearest fitted points."""
        best = self.places[seen.neighbors[seen.starts[:-1]]]
        losses = self._slope(best, seen, affinities).losses
        for rank in range(1, STARTS):
            at = np.minimum(seen.starts[:-1] + rank, seen.starts[1:] - 1)
            other = self.places[seen.neighbors[at]]
            others = self._slope(other, seen, affinities).losses
            better = others < losses
            best = np.where(better[:, None], other, best)
            losses = np.where(better, others, losses)
        return best

    def _slope(self, points: Array, seen: NeighborGraph, affinities: Array) -> _Slope:
        from .repulsion_kernels import attract_queries

        points = np.ascontiguousarray(points)
        pulls, losses = np.empty(points.shape), np.empty(len(points))
        given = seen.starts, seen.neighbors, affinities, self.places, points, pulls, losses
        run_kernel(attract_queries, given, len(points), strip(len(points)))
        forces, potentials = self.potential.at(points)
        level = np.maximum(potentials, 1e-300)
        gradients = self.exaggeration * pulls - forces / level[:, None]
        return _Slope(self.exaggeration * losses + np.log(level), 2.0 * gradients)
