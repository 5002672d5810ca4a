"""Descent to the map whose neighbour probabilities are nearest to the affinities.

The loss of a map is sum p log(p / q), with q_ij proportional to w_ij = 1 / (1 + |y_i - y_j|^2) (van
der Maaten and Hinton 2008). Its gradient is attraction along the affinities, times an exaggeration,
less the repulsion of all pairs. Momentum with a gain for each coordinate (Jacobs 1988) follows it,
with steps of n / exaggeration (Belkina et al. 2019).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..optimize import Outcome, iterate, relative_change_below
from ..runtime import run_kernel
from ..values import Array
from .affinities import Affinities
from .repulsion import Repulsion, strip

MOMENTUM = 0.8
ROUND = 25  # updates between two looks at the loss, and at who wants to cancel, at most
UPDATED_AT_ONCE = 250_000  # points: about half a second
SMALLEST_GAIN = 0.01


class Loss(NamedTuple):
    """The two parts of the loss of a map: sum p log(1 + d^2), and log of the sum of all w."""

    attraction: float
    log_normalizer: float

    def divergence(self, affinities: Affinities) -> float:
        """Return the Kullback-Leibler divergence of the map from the affinities."""
        return affinities.negative_entropy + self.attraction + self.log_normalizer


@dataclass(frozen=True, slots=True)
class Moving:
    """A map, how it moves, and the gain of every coordinate."""

    places: Array
    velocity: Array
    gains: Array

    @classmethod
    def at_rest(cls, places: Array) -> Moving:
        """Return a map that does not move yet."""
        return cls(places, np.zeros_like(places), np.ones_like(places))


@dataclass(frozen=True, slots=True)
class Objective:
    """Affinities against the repulsion of all pairs; equal points share a place."""

    affinities: Affinities
    repulsion: Repulsion

    def gradient(self, places: Array, exaggeration: float) -> Array:
        """Return a quarter of the gradient of the loss, for one of the points of each place."""
        from .repulsion_kernels import attract

        pulls = np.empty(places.shape)
        run_kernel(attract, (*self._edges, places, pulls), len(places), strip(len(places)))
        found = self.repulsion.of(places).at(places)
        pulls *= exaggeration / self.affinities.counts[:, None]
        pulls -= found.forces / self._normalizer(found.potentials)
        return pulls

    def loss(self, places: Array) -> Loss:
        """Return the loss of a map."""
        from .repulsion_kernels import attract_queries

        pulls, losses = np.empty(places.shape), np.empty(len(places))
        given = *self._edges, places, places, pulls, losses
        run_kernel(attract_queries, given, len(places), strip(len(places)))
        potentials = self.repulsion.of(places).at(places).potentials
        return Loss(float(losses.sum()), float(np.log(self._normalizer(potentials))))

    def _normalizer(self, potentials: Array) -> float:
        """Return the sum of w over all pairs, those of a point with itself left out."""
        counts = self.affinities.counts
        return max(float(counts @ potentials - counts.sum()), 1e-300)

    @property
    def _edges(self) -> tuple[Array, Array, Array]:
        return self.affinities.starts, self.affinities.neighbors, self.affinities.values


@dataclass(frozen=True, slots=True)
class Phase:
    """Part of a descent: how much attraction is exaggerated, how long the steps are, how many."""

    name: str
    exaggeration: float
    learning_rate: float
    max_iter: int
    tolerance: float = 0.0

    def descend(self, objective: Objective, places: Array, trace: list[float]) -> Outcome[Moving]:
        """Descend from ``places``; append the divergence after every round to the trace."""
        at_once = max(1, min(ROUND, self.max_iter, UPDATED_AT_ONCE // len(places)))

        def step(state: Moving) -> tuple[Moving, float]:
            for _ in range(at_once):
                state = self._update(state, objective.gradient(state.places, self.exaggeration))
            return state, loss_of(state.places)

        def loss_of(places: Array) -> float:
            loss = objective.loss(places)
            trace.append(loss.divergence(objective.affinities))
            return self.exaggeration * loss.attraction + loss.log_normalizer

        return iterate(
            Moving.at_rest(places),
            loss_of(places),
            step,
            relative_change_below(self.tolerance),
            name=self.name,
            max_steps=-(-self.max_iter // at_once),
        )

    def _update(self, state: Moving, gradient: Array) -> Moving:
        """Return the map after one update: gains grow while a coordinate keeps its direction."""
        turned = gradient * state.velocity > 0.0
        gains = np.maximum(np.where(turned, state.gains * 0.8, state.gains + 0.2), SMALLEST_GAIN)
        velocity = MOMENTUM * state.velocity - self.learning_rate * gains * gradient
        places = state.places + velocity
        return Moving(places - places.mean(axis=0), velocity, gains)
