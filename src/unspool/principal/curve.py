"""Principal curves: by projection and expectation, or with few corners.

The algorithm of Hastie and Stuetzle (Izenman 2013, eqs. 16.9-16.16): project the data onto the
curve; replace the curve by the smoothed mean of what projects nearby; again. It begins with the
first principal component, or a circle. Nothing guarantees that the distance falls with each step,
and every principal curve is a saddle point of it (section 16.3.2): the loop keeps the best curve it
has seen. In a robust fit outliers count little or not at all (section 16.3.4). Normalized data,
narrowing spans and the rule of convergence are the same for surfaces.

The polygonal line algorithm (Kegl et al. 2000): begin with a segment along the first principal
component. Move the corners until the mean squared distance of the points, and a price of sharp
corners, are least; then put a new corner into the middle of the segment that most points fall on,
as long as there are fewer corners than the number of points and the noise warrant. Nothing is
smoothed: a polygon of k corners cannot follow the noise of many more points, and exists for any
distribution with second moments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..optimize import Converged, Outcome, iterate, minimize, relative_change_below
from ..values import Array
from .geometry import Polygon, Projection, Segments, polygon
from .smoothers import Smoother, choose_nodes

WIDE, NARROWER = 1.0, 0.75  # the widest first span, and the factor from step to step
PATIENCE = 5
KEPT = 0.75  # share of the points, the nearest ones, by which a robust fit is judged
CORNERS = 360  # of an initial circle
OUTLYING = 8.45  # median deviations beyond the median: 4 standard deviations of a normal distance
ROUNDING = 1e-12  # of distances between points of about unit size
TAIL = 0.05  # share of the points at each end in which a gap is looked for
GAP = 0.1  # as a share of the stretch between the tails

PENALTY = 0.13  # of sharp corners, and
GROWTH = 0.3  # of the number of corners: Kegl et al. 2000, found by trial on many curves
ROUND = 200  # steps of descent between two corners, at most
MOST = 200  # corners


@dataclass(frozen=True, slots=True)
class Normalization:
    """Centers points and divides them to about unit size, so that no square overflows.

    The scale is a power of two: there and back loses no digit beyond the centering.
    """

    center: Array
    scale: float

    @classmethod
    def of(cls, points: Array) -> Normalization:
        """Return the normalization of these points; they may not all coincide."""
        points = np.ascontiguousarray(points)  # sums in one order, whatever the layout
        center = points.mean(axis=0)
        largest = float(np.abs(points - center).max())
        size = float(np.abs(points).max())
        if largest <= 16 * np.finfo(np.float64).eps * size:
            raise ValueError(
                f"all {len(points)} points coincide, and no curve or surface is determined by one "
                "point; pass points that differ"
            )
        return cls(center, float(2.0 ** np.ceil(np.log2(largest))))

    def apply(self, points: Array) -> Array:
        """Return points of the data space, normalized."""
        return np.ascontiguousarray((points - self.center) / self.scale)

    def undo(self, points: Array) -> Array:
        """Return normalized points in the data space."""
        return np.asarray(self.center + points * self.scale)


@dataclass(frozen=True, slots=True)
class Distances:
    """Squared distances between data and curve at the start and after every iteration.

    ``sums`` (Izenman 2013, eq. 16.9) are over ``n_counted`` of the ``n_points`` points: all, or in
    a robust fit the nearest ones.
    """

    sums: Array
    n_counted: int
    n_points: int

    @classmethod
    def of(cls, losses: Sequence[float], scale: float, n_counted: int, n_points: int) -> Distances:
        """Return the trace of a fit whose losses are sums of squares in units of ``scale``."""
        return cls(np.array(losses) * scale**2, n_counted, n_points)

    @property
    def means(self) -> Array:
        """Mean squared distances D^2 (Izenman 2013, eq. 16.15)."""
        return self.sums / self.n_counted

    @property
    def legacy(self) -> Array:
        """The numbers of Izenman 2013, figure 16.3: sums, but for the first, which is n times that.

        The program behind the figure multiplies its first value by the number of points: its
        "1023.3 to 0.54" is a fall of the sum of squares from 10.2 to 0.54.
        """
        printed = np.array(self.sums)
        printed[0] *= self.n_points
        return printed

    def __str__(self) -> str:
        """Return the sums, first to last."""
        return " -> ".join(f"{value:.4g}" for value in self.sums)


def narrowing_spans(span: float, max_steps: int) -> tuple[float, ...]:
    """Return the spans of the first steps: wide ones first, then narrower, last the one asked for.

    From a line or a plane, a narrow span ties the curve to whatever overlaps there; a wide one
    first finds the large bends. All of 96 S-shapes were unrolled, from 0.5 down only a quarter.
    """
    spans = [span]
    while spans[0] / NARROWER <= WIDE and len(spans) < max_steps:
        spans.insert(0, spans[0] / NARROWER)
    return tuple(spans)


def convergence_rule(tolerance: float, total: float, after: int) -> Converged:
    """Return the rule: converged when the loss changes by at most this share of it.

    (Izenman 2013, eq. 16.16.) The first ``after`` losses belong to other spans and do not count.
    Nothing makes the losses fall, so a fit has also converged when ``PATIENCE`` steps have not
    improved on the best; and when the loss is nothing but rounding compared to the ``total`` sum
    of squares.
    """
    change = relative_change_below(tolerance)
    rounding = 1e-26 * total

    def rule(losses: Sequence[float]) -> bool:
        counted = losses[after:]
        if losses[-1] <= rounding or len(counted) < 2:
            return losses[-1] <= rounding
        early, late = counted[:-PATIENCE], counted[-PATIENCE:]
        stuck = len(early) > 0 and min(late) > (1 - PATIENCE * tolerance) * min(early)
        return change(counted) or stuck

    return rule


@dataclass(frozen=True, slots=True)
class CurveSettings:
    """How a curve is fitted.

    The first steps smooth with ``spans``, all later ones with the last of these. With
    ``bias_correction`` the deviations from the curve are then smoothed and added to it, instead of
    the points themselves (Banfield and Raftery 1992): what smoothing has pulled to the inside of a
    bend is put back by the next step. With ``robust`` points far from the curve count less, or
    not at all, and the distance that is watched leaves out the farthest quarter.
    """

    smooth: Smoother
    spans: tuple[float, ...]
    bias_correction: bool = False
    robust: bool = False
    tolerance: float = 1e-3
    max_steps: int = 50

    def n_counted(self, n_points: int) -> int:
        """Return how many points, the nearest ones, the distance counts."""
        return int(np.ceil(KEPT * n_points)) if self.robust else n_points

    def smoother_of(self, step: int) -> Smoother:
        """Return the smoother of a step, counted from 0."""
        return replace(self.smooth, span=self.spans[min(step, len(self.spans) - 1)])

    def corrects(self, step: int) -> bool:
        """Tell whether a step smooths deviations: not before the spans have narrowed."""
        return self.bias_correction and step >= len(self.spans)


@dataclass(frozen=True, slots=True)
class CurveState:
    """A curve after some steps, the data projected onto it, and the weights they then have."""

    curve: Polygon
    projection: Projection
    weights: Array
    steps: int


def fit_curve(points: Array, initial: Polygon, settings: CurveSettings) -> Outcome[CurveState]:
    """Return the principal curve of normalized points that is reached from an initial one."""

    def distance(state: CurveState) -> float:
        return sum_of_smallest(state.projection.squared_distances, settings.n_counted(len(points)))

    def step(now: CurveState) -> tuple[CurveState, float]:
        smooth, corrected = settings.smoother_of(now.steps), settings.corrects(now.steps)
        curve = polygon(_expectation(points, now, smooth, corrected), initial.closed)
        following = _projected(points, curve, now.weights, now.steps + 1, settings.robust)
        return following, distance(following)

    tolerance = settings.tolerance
    if settings.bias_correction:
        # a gain no larger than smoothing noise would bring is noise: corrections end there
        tolerance = max(tolerance, settings.smooth.freedom / len(points))
    total = float(np.square(points).sum())
    converged = convergence_rule(tolerance, total, len(settings.spans) - 1)
    # the initial curve may be near the data, but only what is smoothed from them can be the answer
    first = _projected(points, initial, np.ones(len(points)), 0, settings.robust)
    second, loss = step(first)
    more = settings.max_steps - 1
    outcome = iterate(second, loss, step, converged, name="curve", max_steps=more)
    return replace(outcome, losses=(distance(first), *outcome.losses))


def _projected(
    points: Array, curve: Polygon, weights: Array, steps: int, robust: bool
) -> CurveState:
    """Project the points onto a curve whose ends have first been drawn out to reach them."""
    curve = curve.extended_to(points[weights > 0])
    projection = curve.project(points)
    if robust:
        weights = robust_weights(np.sqrt(projection.squared_distances))
        if not curve.closed:
            weights[stranded(projection.arc_lengths, weights)] = 0.0
    return CurveState(curve, projection, weights, steps)


def _expectation(points: Array, now: CurveState, smooth: Smoother, corrected: bool) -> Array:
    """Return the corners of the next curve: E(x | arc length) (Izenman 2013, eq. 16.12)."""
    used = np.flatnonzero(now.weights > 0)
    used = used[np.argsort(now.projection.arc_lengths[used], kind="stable")]
    positions, weights = now.projection.arc_lengths[used], now.weights[used]
    targets = points[used] - now.projection.feet[used] if corrected else points[used]
    nodes = choose_nodes(positions)
    if len(nodes) < 2:
        raise ValueError(
            f"all {len(used)} points that count fall on one point of the curve, so none is "
            "determined; pass robust=False, or another start"
        )
    period = now.curve.length if now.curve.closed else None
    corners = smooth(positions, targets, weights, nodes, period)
    return corners + now.curve.at(nodes) if corrected else corners


def self_consistency(points: Array, projection: Projection, n_bins: int) -> Array:
    """Return how far the curve is from the mean of the points that project there.

    (Izenman 2013, eq. 16.7.) One distance for each of ``n_bins`` runs of equally many points along
    the curve: zero for a curve that is self-consistent, up to the sampling error of a mean.
    """
    order = np.argsort(projection.arc_lengths, kind="stable")
    deviations = (points - projection.feet)[order]
    runs = np.array_split(deviations, min(n_bins, len(points)))
    return np.array([np.linalg.norm(run.mean(axis=0)) for run in runs])


def initial_line(points: Array, axis: Array) -> Polygon:
    """Return the segment along ``axis`` through the origin that all centered points fall on."""
    scores = points @ axis
    return polygon(np.array([scores.min(), scores.max()])[:, None] * axis)


def initial_circle(points: Array, axes: Array, closed: bool) -> Polygon:
    """Return a circle around the origin in the plane of two ``axes``, as wide as the points are.

    Its radius is the mean distance of the centered points from the origin in that plane. Unless
    ``closed`` it is cut open at the back of the first axis.
    """
    radius = float(np.linalg.norm(points @ axes.T, axis=1).mean())
    angle = np.linspace(-np.pi, np.pi, CORNERS + 1)
    circle = radius * np.column_stack([np.cos(angle), np.sin(angle)]) @ axes
    return polygon(circle[:-1], closed)


def robust_weights(distances: Array) -> Array:
    """Return Tukey's biweights: 1 on the curve, falling to 0 at ``OUTLYING`` deviations.

    Median and median absolute deviation of the distances are not moved by up to half of the
    points; together they give the spread in any number of dimensions.
    """
    middle = float(np.median(distances))
    deviation = float(np.median(np.abs(distances - middle)))
    # distances that are all alike, or mere rounding, are no scale to judge others by
    cutoff = max(middle + OUTLYING * deviation, 2 * middle, ROUNDING)
    return np.asarray(np.square(np.maximum(0.0, 1.0 - np.square(distances / cutoff))))


def stranded(arc_lengths: Array, weights: Array) -> Array:
    """Return the few points beyond a wide gap at an end of the curve.

    An outlier in line with an end is no distance away from a curve that has followed it; what
    gives it away is the empty stretch before it.
    """
    used = np.flatnonzero(weights > 0)
    used = used[np.argsort(arc_lengths[used], kind="stable")]
    along = arc_lengths[used]
    low, high = np.quantile(along, [TAIL, 1 - TAIL])
    wide = np.diff(along) > max(GAP, 10 / len(used)) * (high - low)
    few = int(TAIL * len(used))
    before = np.flatnonzero(wide[:few])
    after = len(wide) - few + np.flatnonzero(wide[len(wide) - few :])
    first = before[-1] + 1 if len(before) else 0
    last = after[0] + 1 if len(after) else len(used)
    return np.concatenate([used[:first], used[last:]])


def sum_of_smallest(squares: Array, count: int) -> float:
    """Return the sum of the ``count`` smallest squares."""
    if count == len(squares):
        return float(squares.sum())
    return float(np.partition(squares, count - 1)[:count].sum())


def corner_price(corners: Array, radius: float) -> tuple[float, Array]:
    """Return the price of a path's corners, and its gradient.

    An inner corner costs radius^2 (1 + cos of its angle): nothing where it is straight. The ends
    cost the squared length of their segments, which keeps them from running away.
    """
    gradient = np.zeros_like(corners)
    ends = (corners[1] - corners[0], corners[-1] - corners[-2])
    price = float(sum(np.square(end).sum() for end in ends))
    gradient[0] -= 2.0 * ends[0]
    gradient[1] += 2.0 * ends[0]
    gradient[-1] += 2.0 * ends[1]
    gradient[-2] -= 2.0 * ends[1]
    back, ahead = corners[:-2] - corners[1:-1], corners[2:] - corners[1:-1]
    one = np.maximum(np.linalg.norm(back, axis=1), 1e-12)[:, None]
    other = np.maximum(np.linalg.norm(ahead, axis=1), 1e-12)[:, None]
    cosine = np.einsum("ik,ik->i", back / one, ahead / other)[:, None]
    price += float(radius**2 * (1.0 + cosine).sum())
    by_back = radius**2 * (ahead / other - cosine * back / one) / one
    by_ahead = radius**2 * (back / one - cosine * ahead / other) / other
    gradient[:-2] += by_back
    gradient[2:] += by_ahead
    gradient[1:-1] -= by_back + by_ahead
    return price, gradient


@dataclass(frozen=True, slots=True)
class PolygonalFit:
    """How sharp corners are priced, and when there are enough of them.

    ``stiffness`` multiplies the price of Kegl et al.
    """

    points: Array
    stiffness: float
    tolerance: float

    @property
    def radius(self) -> float:
        """Distance of the farthest point from the center of all."""
        return float(np.sqrt(np.square(self.points).sum(axis=1).max()))

    def price(self, corners: Array) -> float:
        """Return what sharp corners cost, by the number of corners, of points and their noise."""
        noise = np.sqrt(float(Segments.nearest(self.points, corners).squares.mean()))
        share = len(corners) * len(self.points) ** (-1.0 / 3.0) * noise / self.radius
        return float(PENALTY * self.stiffness * share)

    def is_enough(self, corners: Array) -> bool:
        """Say whether a path has as many corners as the points and their noise warrant."""
        noise = np.sqrt(float(Segments.nearest(self.points, corners).squares.mean()))
        most = GROWTH * len(self.points) ** (1.0 / 3.0) * self.radius / max(noise, 1e-300)
        return bool(len(corners) - 1 > min(most, MOST, len(self.points) / 2))

    def moved(self, corners: Array) -> Array:
        """Return the corners where distances and their price are least."""
        price = self.price(corners) / len(corners)

        def objective(path: Array) -> tuple[float, Array]:
            falls = Segments.nearest(self.points, path)
            pulls = 2.0 * (falls.feet - self.points) / len(self.points)
            cost, gradient = corner_price(path, self.radius)
            gradient = price * gradient
            np.add.at(gradient, falls.numbers, (1.0 - falls.shares)[:, None] * pulls)
            np.add.at(gradient, falls.numbers + 1, falls.shares[:, None] * pulls)
            return float(falls.squares.mean()) + price * cost, gradient

        scale = np.full((len(corners), 1), np.sqrt(2.0 / len(corners)))
        found = minimize(
            objective,
            corners,
            scale,
            tolerance=self.tolerance * 1e-2,
            negligible=0.0,
            name="corners",
            max_steps=ROUND,
        )
        return found.state

    def refined(self, corners: Array) -> Array:
        """Return the path with a corner in the middle of the segment that most points fall on."""
        falls = Segments.nearest(self.points, corners)
        counts = np.bincount(falls.numbers, minlength=len(corners) - 1)
        lengths = np.linalg.norm(np.diff(corners, axis=0), axis=1)
        most = np.flatnonzero(counts == counts.max())
        number = int(most[lengths[most].argmax()])  # of several, the longest
        middle = 0.5 * (corners[number] + corners[number + 1])
        return np.insert(corners, number + 1, middle, axis=0)


def fit_polygonal(
    points: Array, initial: Polygon, *, stiffness: float, tolerance: float, max_steps: int
) -> Outcome[CurveState]:
    """Return the polygon of few corners through normalized points, from an initial one."""
    fit = PolygonalFit(points, stiffness, tolerance)
    ones = np.ones(len(points))

    def state_of(corners: Array, steps: int) -> tuple[CurveState, float]:
        curve = polygon(corners)
        projection = curve.project(points)
        return CurveState(curve, projection, ones, steps), float(projection.squared_distances.sum())

    def step(now: CurveState) -> tuple[CurveState, float]:
        return state_of(fit.moved(fit.refined(now.curve.vertices)), now.steps + 1)

    enough = False

    def grow(now: CurveState) -> tuple[CurveState, float]:
        nonlocal enough
        found, loss = step(now)
        enough = fit.is_enough(found.curve.vertices)
        return found, loss

    def converged(losses: Sequence[float]) -> bool:
        before = min(losses[:-PATIENCE], default=np.inf)
        return enough or min(losses[-PATIENCE:]) > (1.0 - tolerance) * before

    first, loss = state_of(fit.moved(initial.vertices), 0)
    return iterate(first, loss, grow, converged, name="polygon", max_steps=max_steps)
