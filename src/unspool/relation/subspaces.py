"""Several subspaces through the same points: found by polynomials that vanish on all of them.

A product of linear forms, one of each subspace, vanishes on their union; it is a polynomial of
their number as degree, and linear in the monomials of a point (the Veronese map). Polynomials that
vanish on the points are therefore found as an eigenproblem, and their gradients at a point are
normal to the subspace that the point lies in (Vidal, Ma, Sastry 2005). What noise leaves unsure is
decided afterwards: each point joins the nearest subspace and each subspace is fitted to its points,
in turn; then a mixture of normal distributions along the subspaces, in which no point has to join
one of them, is fitted from there.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Self

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import linear_sum_assignment

from .. import problem
from ..kernel import veronese, veronese_gradients
from ..optimize import Outcome, iterate
from ..runtime import stage
from ..spectrum import solve
from ..values import Array, Spectrum

MOST_MONOMIALS = 300  # their eigenproblem takes a few hundredths of a second
MOST_COLUMNS = 8  # that directions are seen in, where dimensions are to be found
PER_MONOMIAL = 2  # points, at least: else polynomials vanish on any data
NEAR_ORIGIN = 0.1  # of the root mean squared distance: directions of nearer points count less
SLIGHTEST = 1e-10  # gradient, as a square, that a polynomial is taken to have everywhere
SMALLEST_STEP = 1e-8  # singular values below this share of the first are rounding
FLOOR = 1e-16  # mean squared distance that is as good as none
FEW_ROUNDS = 10  # of fitting, before arrangements are compared
NO_LONGER = 1e-7  # fall of the mean log density at which a mixture is fitted
NEGLIGIBLE = 1e-6  # share of a point that does not move a subspace
TRIED = 15  # combinations of dimensions, at most
RESTARTS = 10  # of k-means


@dataclass(frozen=True, slots=True)
class Subspace:
    """A linear or affine subspace: a point of it, and orthonormal axes, one per row.

    Axes are those of the largest variance of its points, that one first.
    """

    center: Array
    axes: Array

    @property
    def dimension(self) -> int:
        """Number of its axes."""
        return len(self.axes)

    def coordinates(self, points: Array) -> Array:
        """Return coordinates along the axes."""
        return np.asarray((points - self.center) @ self.axes.T)

    def squared_distances(self, points: Array) -> Array:
        """Return the squared distance of each point."""
        away = points - self.center
        away = away - (away @ self.axes.T) @ self.axes
        return np.asarray(np.einsum("ij,ij->i", away, away))

    def point(self, coordinates: Array) -> Array:
        """Return the points of the subspace with these coordinates; there may be more or fewer."""
        known = min(coordinates.shape[1], self.dimension)
        return np.asarray(self.center + coordinates[:, :known] @ self.axes[:known])

    @classmethod
    def through(
        cls, points: Array, dimension: int, *, affine: bool, weights: Array | None = None
    ) -> Subspace:
        """Return the subspace of this dimension that is nearest to points, which may weigh."""
        n, width = points.shape
        center = np.average(points, axis=0, weights=weights) if affine else np.zeros(width)
        dimension = min(dimension, n, width)
        if dimension == 0:
            return cls(center, np.zeros((0, width)))
        centered = points - center
        if weights is not None:
            centered *= np.sqrt(weights)[:, None]
        return cls(center, _leading_axes(centered, dimension))


def _leading_axes(centered: Array, count: int) -> Array:
    """Return the principal axes of points, one per row, by the smaller of two tables of products.

    Members change from round to round, and there are hundreds of rounds: no spectrum to report.
    """
    if len(centered) >= centered.shape[1]:
        return np.ascontiguousarray(np.linalg.eigh(centered.T @ centered)[1][:, ::-1][:, :count].T)
    roots = np.linalg.eigh(centered @ centered.T)[1][:, ::-1][:, :count]
    return np.ascontiguousarray(np.linalg.qr(centered.T @ roots)[0].T)


def squared_distances(points: Array, subspaces: Sequence[Subspace]) -> Array:
    """Return the squared distance of each point to each subspace, one column a subspace."""
    return np.column_stack([subspace.squared_distances(points) for subspace in subspaces])


def n_vanishing(dimensions: Sequence[int], n_features: int) -> int:
    """Return how many polynomials vanish on subspaces in general position.

    Their degree is the number of subspaces (Derksen 2007): each combination of subspaces is taken
    out or put back, as long as it has a common point besides the origin.
    """
    degree, found = len(dimensions), 0
    for size in range(degree + 1):
        for some in combinations(dimensions, size):
            rest = n_features - sum(n_features - d for d in some)
            if rest > 0:
                found += (-1) ** size * comb(degree + rest - 1, rest - 1)
    return found


@dataclass(frozen=True, slots=True)
class Vanishing:
    """Polynomials of one degree, by the mean squared distance of points from where they vanish.

    ``polynomials`` are coefficients of monomials, one column each, of a mean squared gradient of 1
    on the points, so that ``values`` are, to first order, mean squared distances.
    """

    degree: int
    values: Array
    polynomials: Array

    @classmethod
    def on(cls, points: Array, degree: int) -> Vanishing:
        """Return all polynomials of a degree, those that vanish most on the points first."""
        n = len(points)
        gradients = veronese_gradients(points, degree)
        size = np.einsum("dnm,dnk->mk", gradients, gradients, optimize=True) / n
        size += max(SLIGHTEST * float(np.trace(size)), 1e-300) * np.eye(len(size))
        upper = cholesky(size)
        features = solve_triangular(upper, veronese(points, degree).T, trans="T").T
        stated = replace(problem.covariance(features, n), end="smallest")
        found: Spectrum = solve(stated, features.shape[1])
        return cls(degree, np.maximum(found.values, 0.0), solve_triangular(upper, found.vectors))

    def normals(self, points: Array, count: int) -> Normals:
        """Return how steep the first polynomials are at each point, and in which directions."""
        gradients = np.einsum(
            "dnm,mk->ndk", veronese_gradients(points, self.degree), self.polynomials[:, :count]
        )
        squares, directions = np.linalg.eigh(gradients @ np.swapaxes(gradients, 1, 2))
        steepness = np.sqrt(np.maximum(squares[:, ::-1], 0.0))
        return Normals(np.swapaxes(directions, 1, 2)[:, ::-1], steepness)


@dataclass(frozen=True, slots=True)
class Normals:
    """Directions at each point, one per row and the steepest first, and how steep."""

    directions: Array
    steepness: Array

    def counted(self, among: Array) -> Array:
        """Return how many directions of each point are normal: those before the largest drop.

        Only these numbers of directions are looked at.
        """
        floor = SMALLEST_STEP * np.maximum(self.steepness[:, :1], 1e-300)
        logs = np.log(np.maximum(self.steepness, floor))
        return np.asarray(among[np.argmax(logs[:, among - 1] - logs[:, among], axis=1)])

    def projections(self, counts: Array) -> tuple[Array, Array]:
        """Return the projection on the first directions of each point, and the least steepness."""
        kept = np.arange(self.steepness.shape[1]) < counts[:, None]
        found = np.einsum("nk,nki,nkj->nij", kept, self.directions, self.directions, optimize=True)
        return found, np.take_along_axis(self.steepness, counts[:, None] - 1, axis=1)[:, 0]


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Subspaces, the one that each point is nearest to, and the mean squared distance to those."""

    subspaces: tuple[Subspace, ...]
    labels: Array
    loss: float

    @classmethod
    def of(cls, points: Array, subspaces: Sequence[Subspace]) -> Arrangement:
        """Return subspaces with the points that are nearest to each."""
        gaps = squared_distances(points, subspaces)
        labels = gaps.argmin(axis=1)
        nearest = np.take_along_axis(gaps, labels[:, None], axis=1)
        return cls(tuple(subspaces), labels, float(nearest.mean()))

    def refitted(self, points: Array, *, affine: bool) -> Arrangement:
        """Return the arrangement after every subspace was fitted to its points."""
        fitted = [
            Subspace.through(members, subspace.dimension, affine=affine)
            if len(members := points[self.labels == number]) > subspace.dimension
            else subspace
            for number, subspace in enumerate(self.subspaces)
        ]
        return Arrangement.of(points, fitted)

    @property
    def n_empty(self) -> int:
        """Number of subspaces that no point is nearest to."""
        return len(self.subspaces) - len(np.unique(self.labels))

    def by_size(self) -> Arrangement:
        """Return the subspaces that have points, the one of most first."""
        sizes = np.bincount(self.labels, minlength=len(self.subspaces))
        order = np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)]
        places = np.zeros(len(sizes), dtype=np.intp)
        places[order] = np.arange(len(order))
        return Arrangement(tuple(self.subspaces[i] for i in order), places[self.labels], self.loss)


@dataclass(frozen=True, slots=True)
class Seen:
    """Points as directions from the origin, and the polynomials that vanish on those."""

    directions: Array
    vanishing: Vanishing
    affine: bool

    @classmethod
    def of(cls, points: Array, n_subspaces: int, largest: int, *, affine: bool, seed: int) -> Seen:
        """Return points as directions, in as many columns as can be afforded.

        An affine subspace is a linear one of points with a further column that is constant. Only
        directions matter then, so that all points count alike, but for those near the origin. Of
        many columns the principal ones are kept; subspaces that differ remain so, as long as there
        are more columns than the ``largest`` has dimensions.
        """
        points = points - points.mean(axis=0) if affine else points
        size = float(np.sqrt(np.square(points).sum(axis=1).mean())) or 1.0
        if affine:
            points = np.column_stack([points, np.full(len(points), size)])
        width = _affordable_width(points.shape, n_subspaces, largest + affine + 1)
        if width < points.shape[1]:
            points = points @ solve(problem.covariance(points), width, seed=seed).vectors
        lengths = np.sqrt(np.square(points).sum(axis=1) + (NEAR_ORIGIN * size) ** 2)
        directions = np.asarray(points / lengths[:, None])
        return cls(directions, Vanishing.on(directions, n_subspaces), affine)

    def possible(self) -> list[tuple[int, ...]]:
        """Return dimensions that the subspaces may have, the likeliest first.

        Those are likely whose polynomials vanish, and no more of them.
        """
        values, width = self.vanishing.values, self.directions.shape[1]
        steps = np.diff(np.log(np.maximum(values, FLOOR)), prepend=0.0, append=0.0)
        every = combinations_with_replacement(range(1, width), self.vanishing.degree)
        found = sorted(every, key=lambda linear: -steps[n_vanishing(linear, width)])
        return [tuple(d - self.affine for d in linear) for linear in found[:TRIED]]

    def starts(self, dimensions: tuple[int, ...], seed: int) -> list[Array]:
        """Return labels of points whose normals agree, for subspaces of these dimensions.

        The number of normals of a point is told by a drop in how steep the polynomials are; where
        dimensions differ, and noise hides that drop, the same number for all points is tried too.
        """
        width = self.directions.shape[1]
        linear = np.array(dimensions) + self.affine
        count = n_vanishing(linear.tolist(), width)
        normals = self.vanishing.normals(self.directions, max(count, 1))
        among = np.unique(width - linear)
        tried = [normals.counted(among)]
        if len(among) > 1:
            tried += [np.full(len(self.directions), number) for number in among]
        return [_cluster(*normals.projections(counts), len(dimensions), seed) for counts in tried]


def _affordable_width(shape: tuple[int, int], n_subspaces: int, needed: int) -> int:
    n, width = shape
    width = min(width, max(needed, MOST_COLUMNS))
    most = min(MOST_MONOMIALS, n // PER_MONOMIAL)
    while width > needed and comb(n_subspaces + width - 1, n_subspaces) > most:
        width -= 1
    return width


def _cluster(projections: Array, weights: Array, n_clusters: int, seed: int) -> Array:
    """Return labels of points with about the same normals; at an intersection they say little."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    means = KMeans(n_clusters, n_init=RESTARTS, random_state=seed)
    flat = projections.reshape(len(projections), -1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer differ: told by who asked
        return np.asarray(means.fit_predict(flat, sample_weight=weights + 1e-12))


def fit_subspaces(
    points: Array, labels: Array, dimensions: tuple[int, ...], *, affine: bool
) -> Arrangement:
    """Return a subspace of each cluster; who gets which dimension leaves the least distances."""
    distinct = sorted(set(dimensions))
    # where fewer points differ than there are clusters, an empty one goes through all of them
    clusters = [
        points[held] if (held := labels == k).any() else points for k in range(len(dimensions))
    ]
    choices = [
        {d: Subspace.through(members, d, affine=affine) for d in distinct} for members in clusters
    ]
    costs = np.array(
        [
            [choice[d].squared_distances(members).sum() for d in dimensions]
            for choice, members in zip(choices, clusters, strict=True)
        ]
    )
    _, order = linear_sum_assignment(costs)
    return Arrangement.of(points, [c[dimensions[i]] for c, i in zip(choices, order, strict=True)])


@dataclass(frozen=True, slots=True)
class SubspaceMixture:
    """Normal distributions, wide along subspaces and of one variance across all of them.

    Points are drawn from one of these, and none is told which (Tipping and Bishop 1999). Were each
    counted with the nearest subspace alone, subspaces would lean to the points of others that
    cross them, and one of too many dimensions would win by those that it happens to be near to.
    """

    subspaces: tuple[Subspace, ...]
    variances: tuple[Array, ...]  # along the axes of each
    weights: Array
    noise: float

    @classmethod
    def of(cls, points: Array, shares: Array, before: Sequence[Subspace], *, affine: bool) -> Self:
        """Return the distributions of largest likelihood for these shares of the points.

        A subspace that has too few of them stays where it was before.
        """
        floor = FLOOR * max(float(points.var(axis=0).sum()), 1e-200)  # its inverse must be finite
        subspaces, variances, across, room = [], [], 0.0, 0.0
        for every, found in zip(shares.T, before, strict=True):
            held, dimension = every > NEGLIGIBLE, found.dimension
            members, share = points[held], every[held]
            if len(members) > dimension:
                found = Subspace.through(members, dimension, affine=affine, weights=share)
            inner, size = found.coordinates(members), max(float(share.sum()), 1e-300)
            subspaces.append(found)
            variances.append(np.maximum(share @ np.square(inner) / size, floor))
            across += float(share @ found.squared_distances(members))
            room += size * max(points.shape[1] - dimension, 1)
        weights = np.maximum(shares.mean(axis=0), 1e-300)
        return cls(tuple(subspaces), tuple(variances), weights, max(across / room, floor))

    def log_densities(self, points: Array) -> Array:
        """Return the log density of each point in each distribution, but for a constant."""
        logs = np.empty((len(points), len(self.subspaces)))
        for k, (subspace, along) in enumerate(zip(self.subspaces, self.variances, strict=True)):
            within = np.square(subspace.coordinates(points)) @ (1.0 / along) + np.log(along).sum()
            across = subspace.squared_distances(points) / self.noise
            across += (points.shape[1] - subspace.dimension) * np.log(self.noise)
            logs[:, k] = np.log(self.weights[k]) - 0.5 * (within + across)
        return logs

    def share_out(self, points: Array) -> tuple[Array, float]:
        """Return how much of each point belongs to each distribution, and the loss of all."""
        logs = self.log_densities(points)
        top = logs.max(axis=1, keepdims=True)
        likely = np.exp(logs - top)
        total = likely.sum(axis=1, keepdims=True)
        return likely / total, -float((top + np.log(total)).mean())


def refine(
    points: Array, start: Arrangement, *, affine: bool, max_iter: int
) -> Outcome[SubspaceMixture]:
    """Fit a mixture to points and share points out by it in turn, until that changes nothing."""
    shares = np.eye(len(start.subspaces))[start.labels]
    first = SubspaceMixture.of(points, shares, start.subspaces, affine=affine)
    shares, loss = first.share_out(points)

    def step(state: tuple[SubspaceMixture, Array]) -> tuple[tuple[SubspaceMixture, Array], float]:
        mixture, shares = state
        found = SubspaceMixture.of(points, shares, mixture.subspaces, affine=affine)
        shares, loss = found.share_out(points)
        return (found, shares), loss

    def converged(losses: Sequence[float]) -> bool:
        return losses[-2] - losses[-1] <= NO_LONGER

    found = iterate((first, shares), loss, step, converged, name="subspaces", max_steps=max_iter)
    return Outcome(found.state[0], found.losses, found.converged)


def description_length(points: Array, found: Outcome[SubspaceMixture], *, affine: bool) -> float:
    """Return how hard points are to describe by a mixture: the criterion of Schwarz (1978)."""
    n, width = points.shape
    dimensions = [subspace.dimension for subspace in found.state.subspaces]
    n_numbers = sum(
        d * (width - d) + d * (d + 1) // 2 + 1 + affine * width for d in dimensions
    )  # where a subspace lies, the covariances along it, its weight, its center
    return float(n_numbers * np.log(n) + 2.0 * n * found.loss)


@dataclass(frozen=True, slots=True)
class Found:
    """Subspaces, and how hard the points are to describe by them."""

    arrangement: Arrangement
    length: float


def find_subspaces(
    points: Array, n_subspaces: int, dimensions: tuple[int, ...], *, affine: bool, seed: int
) -> Found:
    """Return subspaces that points lie in or near; of dimensions to be found, if none are given."""
    seen = Seen.of(points, n_subspaces, max(dimensions, default=1), affine=affine, seed=seed)
    tried, found = [dimensions] if dimensions else seen.possible(), []
    for some in tried:
        for labels in seen.starts(some, seed):
            found.append(_fitted(points, labels, some, affine=affine))
    best = min(found, key=_rank)
    if not dimensions:
        best = _with_better_dimensions(points, best, affine=affine)
    with stage("dimensions") as running:
        running.note(degree=n_subspaces, columns=seen.directions.shape[1], tried=len(tried))
    return best


def _rank(found: Found) -> tuple[int, float]:
    return found.arrangement.n_empty, found.length


def _fitted(points: Array, labels: Array, dimensions: tuple[int, ...], *, affine: bool) -> Found:
    """Return the subspaces of these dimensions that clusters of points lead to."""
    one = fit_subspaces(points, labels, dimensions, affine=affine)
    for _ in range(FEW_ROUNDS):
        one = one.refitted(points, affine=affine)
    mixture = refine(points, one, affine=affine, max_iter=FEW_ROUNDS)
    one = Arrangement.of(points, mixture.state.subspaces)
    return Found(one, description_length(points, mixture, affine=affine))


def _with_better_dimensions(points: Array, best: Found, *, affine: bool) -> Found:
    """Return subspaces whose dimensions, changed by one anywhere, describe the points no better.

    Noise blurs the drop that tells how many polynomials vanish, and with it which dimensions are
    tried; from nearly the right ones the right ones are a step or two away.
    """
    while True:
        dimensions = [subspace.dimension for subspace in best.arrangement.subspaces]
        others = {
            tuple(sorted(d + change * (k == i) for k, d in enumerate(dimensions)))
            for i in range(len(dimensions))
            for change in (-1, 1)
            if 1 - affine <= dimensions[i] + change < points.shape[1]
        }
        labels = best.arrangement.labels
        tried = [_fitted(points, labels, some, affine=affine) for some in sorted(others)]
        following = min([best, *tried], key=_rank)
        if following is best:
            return best
        best = following
