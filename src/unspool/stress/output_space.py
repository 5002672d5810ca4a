"""Maps whose distance is not Euclidean: city blocks, the largest coordinate, p-norms, a sphere.

Stress is the same, sum w (d - delta)^2; only d is another function of two places. City-block and
largest-coordinate distances have kinks, on which a descent stands still: it begins with a distance
whose kinks are rounded off, and takes the rounding away step by step (distance smoothing: Groenen,
Heiser, Meulman 1999). Which way the axes lie matters for these, so that several turns of a
Euclidean start are compared.

On a sphere distances are along great circles; its radius is fitted too. A place is told by lengths
along the equator and the meridians of a sphere of any dimension: radius times the angles t of

    (cos t1, sin t1) -> (cos t2 (cos t1, sin t1), sin t2) -> ...
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from .. import problem
from ..optimize import Outcome, begin_descent, lbfgs_step, minimize
from ..runtime import run_kernel, stage
from ..spectrum import solve
from ..values import Array
from .raw_stress import (
    CHUNKS,
    NEGLIGIBLE,
    STRIP,
    Fit,
    KnownPairs,
    MetricDisparities,
    Pairs,
    ShepardDiagram,
    chunks_per_call,
)

OutputMetric = Literal["euclidean", "manhattan", "chebyshev", "minkowski", "sphere"]
OUTPUT_METRICS: tuple[OutputMetric, ...] = (
    "euclidean",
    "manhattan",
    "chebyshev",
    "minkowski",
    "sphere",
)
ROUNDINGS = (0.3, 0.1, 0.03, 0.01, 1e-3, 1e-5)  # of a city-block distance, in mean distances
POWERS = (4.0, 10.0, 30.0, 100.0, 1000.0)  # on the way to the largest coordinate
TURNS = 16  # of the start that are compared
PLACING_STEPS = 60  # of L-BFGS for one query point from one start
STARTS = 3  # nearest fitted points that a query point descends from
QUARTER = 0.5 * np.pi


@dataclass(frozen=True, slots=True)
class OutputSpace:
    """How places on a map are apart: by a p-norm (infinity is the largest coordinate), or angles.

    ``softness`` rounds off the kinks of coordinates' absolute values. A sphere has a radius, and
    its places are unit vectors with one coordinate more.
    """

    power: float
    on_sphere: bool = False
    softness: float = 0.0

    @classmethod
    def named(cls, metric: OutputMetric, power: float) -> OutputSpace:
        """Return the space of a metric; ``power`` is for Minkowski's."""
        powers = {"manhattan": 1.0, "chebyshev": np.inf, "minkowski": power}
        return cls(powers.get(metric, 2.0), metric == "sphere")

    def distances(self, pairs: Pairs, places: Array) -> Array:
        """Return the distances of pairs; on a sphere, angles."""
        from .stress_kernels import space_distances

        found = np.empty(len(pairs.first))
        columns = np.ascontiguousarray(places.T, dtype=np.float64)
        given = pairs.first, pairs.second, columns, *self._shape, found
        run_kernel(space_distances, given, len(found), STRIP)
        return found

    def gradient(self, pairs: Pairs, places: Array, distances: Array, pulls: Array) -> Array:
        """Return the sum over pairs of a pull times the gradient of the distance."""
        from .stress_kernels import space_gradient

        gradients = np.empty((CHUNKS, *places.shape[::-1]))
        columns = np.ascontiguousarray(places.T, dtype=np.float64)
        given = (pairs.first, pairs.second), distances, pulls, columns, *self._shape, gradients
        run_kernel(space_gradient, given, CHUNKS, chunks_per_call(len(pairs.first)))
        return np.asarray(gradients.sum(axis=0).T)

    def on_it(self, places: Array) -> Array:
        """Return places of the space: on a sphere, unit vectors."""
        if not self.on_sphere:
            return places
        lengths = np.linalg.norm(places, axis=1, keepdims=True)
        return np.asarray(places / np.where(lengths > 0.0, lengths, 1.0))

    @property
    def _shape(self) -> tuple[float, float, bool]:
        return self.power, self.softness, self.on_sphere

    def stages(self) -> list[OutputSpace]:
        """Return the spaces to descend in, one after the other, the last nearest to this one."""
        if self.on_sphere or np.isinf(self.power):
            steps = POWERS if not self.on_sphere else ()
            return [*(replace(self, power=power) for power in steps), self]
        if self.power < 2.0:
            return [replace(self, softness=softness) for softness in ROUNDINGS]
        return [self]


def angles_of(vectors: Array) -> Array:
    """Return the angles of unit vectors: longitude, then latitudes."""
    rest, found = vectors, []
    while rest.shape[1] > 2:
        inner = np.linalg.norm(rest[:, :-1], axis=1)
        found.append(np.arctan2(rest[:, -1], inner))
        rest = rest[:, :-1]
    found.append(np.arctan2(rest[:, 1], rest[:, 0]))
    return np.column_stack(found[::-1])


def vectors_of(angles: Array) -> Array:
    """Return the unit vectors of angles."""
    found = np.column_stack([np.cos(angles[:, 0]), np.sin(angles[:, 0])])
    for latitude in angles.T[1:]:
        found = np.column_stack([np.cos(latitude)[:, None] * found, np.sin(latitude)])
    return found


@dataclass(frozen=True, slots=True)
class SpaceStress:
    """The stress of known pairs by the distance of an output space."""

    pairs: Pairs
    space: OutputSpace

    @property
    def total(self) -> float:
        """Sum of w delta^2: the stress of a map that is one point."""
        return self.pairs.weighted_sum(self.pairs.dissimilarities, self.pairs.dissimilarities)

    def radius(self, angles: Array) -> float:
        """Return the radius that fits best; 1 where there is none."""
        if not self.space.on_sphere:
            return 1.0
        squares = self.pairs.weighted_sum(angles, angles)
        products = self.pairs.weighted_sum(angles, self.pairs.dissimilarities)
        return products / squares if squares > 0.0 else 1.0

    def loss_and_gradient(self, places: Array) -> tuple[float, Array]:
        """Return the stress and its gradient; at the best radius, whose own derivative is 0."""
        at = self.space.on_it(places)
        distances = self.space.distances(self.pairs, at)
        radius = self.radius(distances)
        miss = radius * distances - self.pairs.dissimilarities
        pulls = 2.0 * radius * miss
        if len(self.pairs.weights):
            pulls = pulls * self.pairs.weights
        gradient = self.space.gradient(self.pairs, at, distances, pulls)
        if self.space.on_sphere:  # of directions: what is along a vector does nothing
            lengths = np.linalg.norm(places, axis=1, keepdims=True)
            along = np.einsum("ik,ik->i", gradient, at)[:, None] * at
            gradient = (gradient - along) / np.where(lengths > 0.0, lengths, 1.0)
        return self.pairs.weighted_sum(miss, miss), gradient

    def loss(self, places: Array) -> float:
        """Return the stress."""
        distances = self.space.distances(self.pairs, self.space.on_it(places))
        miss = self.radius(distances) * distances - self.pairs.dissimilarities
        return self.pairs.weighted_sum(miss, miss)

    def fit(self, places: Array) -> Fit:
        """Return how well places fit, point by point."""
        distances = self.space.distances(self.pairs, places)
        return self.pairs.fit(
            self.radius(distances) * distances, self.pairs.dissimilarities.astype(np.float64)
        )

    def rescale(self, places: Array) -> Array:
        """Return places at the scale that fits best."""
        if self.space.on_sphere:
            return self.space.on_it(places)
        distances = self.space.distances(self.pairs, places)
        squares = self.pairs.weighted_sum(distances, distances)
        products = self.pairs.weighted_sum(distances, self.pairs.dissimilarities)
        return np.asarray(places * (products / squares if squares > 0.0 else 1.0))

    def minimize(self, initial: Array, *, tolerance: float, max_steps: int) -> Outcome[Array]:
        """Return where a descent leads, through distances without kinks if this one has some."""
        unit = float(np.mean(self.pairs.dissimilarities, dtype=np.float64)) or 1.0
        places, losses, converged = self.rescale(initial), [self.loss(initial)], False
        curvature = np.sqrt(2.0 * np.maximum(self.pairs.curvature(), 1e-300))[:, None]
        if self.space.on_sphere:
            curvature = curvature * unit
        best = places
        for space in self.space.stages():
            soft = replace(self, space=replace(space, softness=space.softness * unit))
            found = minimize(
                soft.loss_and_gradient,
                places,
                curvature,
                tolerance=tolerance,
                negligible=NEGLIGIBLE * self.total,
                name="stress",
                max_steps=max_steps,
            )
            places, converged = self.rescale(found.state), found.converged
            losses += [*found.losses[1:-1], self.loss(places)]
            if losses[-1] <= self.loss(best):
                best = places
        losses[-1] = min(losses[-1], self.loss(best))
        return Outcome(best, tuple(losses), converged)

    def best_turn(self, flat: Array, rng: np.random.Generator) -> Array:
        """Return the start turned so that stress is least: for distances that know axes."""
        if self.space.on_sphere or self.space.power == 2.0 or flat.shape[1] == 1:
            return flat
        width = flat.shape[1]
        turned = [flat]
        for number in range(1, TURNS):
            if width == 2:
                angle = QUARTER * number / TURNS
                turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
            else:
                turn = np.linalg.qr(rng.standard_normal((width, width)))[0]
            turned.append(flat @ turn)
        return min((self.rescale(start) for start in turned), key=self.loss)


def on_sphere(flat: Array) -> Array:
    """Return a flat start laid on a sphere, its farthest point a quarter of a circle away."""
    center = np.linalg.norm(flat, axis=1, keepdims=True)
    angle = QUARTER * center / max(float(center.max()), 1e-300)
    across = np.where(center > 0.0, np.sin(angle) / np.where(center > 0.0, center, 1.0), 0.0)
    return np.hstack([np.cos(angle), across * flat])


def turn_to_equator(vectors: Array, seed: int) -> Array:
    """Return unit vectors turned so that their middle is at angles 0, far from seam and poles."""
    middle = vectors.mean(axis=0)
    length = float(np.linalg.norm(middle))
    width = vectors.shape[1]
    first = middle / length if length > 1e-9 else np.eye(width)[0]
    rest = vectors - np.outer(vectors @ first, first)
    axes = solve(problem.covariance(rest.copy()), width - 1, seed=seed).vectors
    basis = np.linalg.qr(np.column_stack([first, axes]))[0]
    basis *= np.where(basis.T @ first < 0.0, -1.0, 1.0) if length > 1e-9 else 1.0
    return np.asarray(vectors @ basis)


@dataclass(frozen=True, slots=True)
class SpaceDisparities(MetricDisparities):
    """Metric scaling in an output space: how places on the map are apart, and its radius."""

    metric: OutputMetric
    power: float
    radius: float

    @property
    def space(self) -> OutputSpace:
        """The output space."""
        return OutputSpace.named(self.metric, self.power)

    @property
    def on_sphere(self) -> bool:
        """Whether places are on a sphere."""
        return self.metric == "sphere"

    @property
    def _length(self) -> float:
        """Length on the map of a unit of places."""
        return self.radius if self.on_sphere else 1.0

    def ambient(self, configuration: Array) -> Array:
        """Return places as the space has them: unit vectors on a sphere."""
        return vectors_of(configuration / self.radius) if self.on_sphere else configuration

    def on_map(self, places: Array) -> Array:
        """Return the coordinates of places on the map."""
        if not self.on_sphere:
            return places
        return self.radius * angles_of(self.space.on_it(places))

    def shepard(self, known: Callable[[], KnownPairs], configuration: Array) -> ShepardDiagram:
        """Return the known pairs with their distances on the map."""
        pairs = known().pairs()
        pairs = pairs.take(np.argsort(pairs.dissimilarities, kind="stable"))
        places = self.ambient(configuration.astype(np.float64))
        distances = self.radius * self.space.distances(pairs, places)
        return ShepardDiagram(pairs.dissimilarities, distances, pairs.dissimilarities)

    def place(self, rows: Array, weights: Array, places: Array) -> Array:
        """Return where each row of dissimilarities to places fits best, each on its own."""
        answer = np.empty((len(rows), places.shape[1]))
        with stage("placing", total=len(rows)) as running:
            for number, (row, weight) in enumerate(zip(rows, weights, strict=True)):
                known = ~np.isnan(row)
                answer[number] = self._placed(row[known], weight[known], places[known])
                running.advance()
        return answer

    def _placed(self, row: Array, weight: Array, places: Array) -> Array:
        star = Pairs(
            np.zeros(len(row), np.uint32), np.arange(1, len(row) + 1, dtype=np.uint32), row, weight,
            len(row) + 1,
        )  # fmt: skip
        softness = 0.0 if self.space.power >= 2.0 else ROUNDINGS[-1] * float(row.mean())
        space = replace(self.space, softness=softness)

        def objective(position: Array) -> tuple[float, Array]:
            here = space.on_it(position[None])
            together = np.vstack([here, places])
            angles = space.distances(star, together)
            miss = self.radius * angles - row
            pulls = 2.0 * self.radius * weight * miss
            gradient = space.gradient(star, together, angles, pulls)[0]
            if self.on_sphere:
                gradient = gradient - (gradient @ here[0]) * here[0]
            return float(weight @ miss**2), gradient

        nearest = np.argsort(row, kind="stable")[:STARTS]
        scale = np.sqrt(2.0 * max(float(weight.sum()), 1e-300)) * self._length
        runs = [_descend(objective, places[j], scale) for j in nearest]
        return min(runs, key=lambda run: run[0])[1]


def _descend(
    objective: Callable[[Array], tuple[float, Array]], start: Array, scale: float
) -> tuple[float, Array]:
    """Return the least loss of a short descent, and where it is."""

    def scaled(position: Array) -> tuple[float, Array]:
        loss, gradient = objective(position / scale)
        return loss, gradient / scale

    state = begin_descent(scaled, start * scale)
    for _ in range(PLACING_STEPS):
        lower = lbfgs_step(scaled, state)
        if lower is state or lower.loss >= state.loss * (1.0 - 1e-12):
            state = lower
            break
        state = lower
    return state.loss, state.position / scale
