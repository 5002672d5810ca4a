"""Lower bounds of Euclidean distances by one matrix product of low depth, valid in floating point.

**The map.** Let m be any fixed vector, V0 any D x p matrix with orthonormal columns, z = x - m and

    phi(x) = (V0' z, r),    r = |z - V0 V0' z| = sqrt(|z|^2 - |V0' z|^2).

Then |phi(x) - phi(y)| <= |x - y|: V0' is an orthogonal projection, and the last coordinate adds
(r_x - r_y)^2, at most the squared distance of the two remainders (triangle inequality). With V0 of
full rank r = 0 is left out and phi keeps distances. V0 holds the leading principal axes of a
sample: a basis that suits the data badly costs time, never correctness. The same holds for all that
is measured here to choose the number of axes, and for the order of the points.

**What is stored.** u is the unit roundoff of the table's type (2^-24 or 2^-53), v = 2^-53, and
g_n(u) = n u / (1 - n u) (Higham 2002, section 3.1). All is scaled by one power of two so that
|z| <= 1 for the points; queries may lie up to ``FARTHEST`` away.

 1. z is rounded in double precision: relative error v a coordinate.
 2. The axes V as computed are not quite orthonormal. With delta >= |V'V - I|, the nearest matrix
    with orthonormal columns V0 has |V - V0| <= delta (delta < 1), hence |V'z - V0'z| <= delta |z|.
 3. The product V'z is formed in double precision, in any order of summation: each coordinate errs
    by at most g_{D+1}(v) |z| |V_c|, |V_c| <= 1 + delta, together at most
    sqrt(p) (1 + delta) g_{D+1}(v) |z|. Let beta = delta + sqrt(p) (1 + delta) g_{D+2}(v).
 4. |z|^2 - |V'z|^2 then errs by at most E |z|^2, E = 2 g_{D+2}(v) + 3 beta + 2 v, so r by at most
    sqrt(E) |z|, as |sqrt(a) - sqrt(b)| <= sqrt(|a - b|). (The terms: |z|^2 as computed is off by
    g_{D+2}(v) |z|^2, as z was rounded before; |V'z|^2 by 2 beta + beta^2, and its sum by
    g_p(v) (1 + beta)^2; the subtraction by v. A negative value is set to 0, which is nearer.)
 5. Rounding the square root, and the coordinates to the table's type: each of these is relative,
    together at most 2 u |z| (1 + beta + sqrt(E)) in norm.

So the stored vector f is within e = eps |z| of phi(x), eps = beta + sqrt(E) + 2u, (without axes:
eps = u + 2v), and |f_x - f_y| <= |x - y| + e_x + e_y.

**The test.** Suppose |x - y|^2 <= T. As (s + e)^2 <= (1 + eps) s^2 + (1 + 1/eps) e^2 for eps > 0,
and (e_x + e_y)^2 <= 2 eps^2 (|z_x|^2 + |z_y|^2), whence

    |f_x - f_y|^2 <= (1 + eps) T + 2 eps (1 + eps) (|z_x|^2 + |z_y|^2).

The product of the rows (f_x, a_x, 1) and (-2 f_y, 1, a_y), w columns long, is formed in the table's
type. In any order of summation, with or without fused operations, it errs from its exact value
a_x + a_y - 2 f_x.f_y by at most g_w(u) times the sum of the magnitudes of its terms, which is at
most (Cauchy-Schwarz, 2ab <= a^2 + b^2) |f_x|^2 + |f_y|^2 + |a_x| + |a_y|. Therefore with

    a = |f|^2 - 1.01 ((2 g_w(u) + g_w(v)) |f|^2 + 2 eps (1 + eps) |z|^2) - tiny,     rounded down,

the product as computed is at most (1 + eps) T for every pair with |x - y|^2 <= T. In detail, let S
be what is taken off, so that |a| <= max(|f|^2, S). The product errs by g_w(u) (|f|^2 + |a|) each
side, at most 2 g_w(u) |f|^2 + g_w(u) S; g_w(v) |f|^2 is the rounding of |f|^2 itself, summed in
double precision (negligible beside a table in single precision, not beside one in double). The 1.01
covers g_w(u) S and all of second order if g_w(u) < 1/250: hence ``MOST_COLUMNS``, beyond which the
table is in double precision. "Rounded down" is to the nearest number of the type and then one
further, which covers the rounding of the subtraction. ``TINY`` = 2^-100 covers underflow, also
where it is flushed to zero: w + 2 terms below 2^-126, and coordinates off by 2^-126 beside others
of at most ``FARTHEST``. A BLAS that multiplied single precision in a shorter type (TF32, bfloat16)
would break the bound; none does so unasked.

**The limit.** Pairs whose product is above (1 + eps) T, rounded up, cannot be within T: they are
never looked at again. What the search compares are squared distances as computed by differences,
t = |x - y|^2 (1 + h), |h| <= g_{D+3}(v), in any order of summation: t <= T as computed means
|x - y|^2 <= T (1 + 2 g_{D+3}(v)), so the limit has that factor too (``inflation``). Squares that
underflow add D 2^-1074 at most, which after scaling is below D 2^-200 since extents below
``SMALLEST`` are refused. The slack belongs to the pair, not to the largest norm: an outlier costs
its own rows only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..runtime import run_strips
from ..values import Array

SMALLEST = 1e-130  # extents, and their reciprocals, whose squares double precision holds
FARTHEST = 1024.0  # times the extent of the points: where queries need a scale of their own
MOST_COLUMNS = 60_000  # g_w(2^-24) < 1/250
TINY = 2.0**-100
DOUBLE = 2.0**-53

SAMPLE = 1_000  # rows that the axes are estimated from
COARSE = 200  # rows that single precision is tried on
PILOTS = 24  # queries that the number of axes is chosen by
RANK = 4  # pilots see so many points that their limit is the distance of this rank, or a later one
MOST_AXES = 128
DEPTHS = (8, 12, 16, 24, 32, 40, 48, 64, 80, 96, 128)
FINE, FEWEST_FINE = 256, 500  # axes of the finer map, and the queries from which on it pays
FEWEST_COLUMNS = 24  # below this the product costs no more than the look at it
FEWEST_POINTS = 2_000  # below this the axes cost more than they save

# Costs in units of one multiply-add of the product (some 0.02 ns on one core).
LOOK = 10.0
CANDIDATE = 10_000.0
COORDINATE = 15.0
FINE_LOOK = 3_000.0

LEADING = 16  # coordinates that points are put in order by: the others spread less


@dataclass(frozen=True)
class Sketch:
    """The map phi: where to center, how to scale, which axes (None: all coordinates).

    ``more`` axes, orthogonal to these, tell apart what these let pass.
    """

    center: Array
    scale: float
    axes: Array | None
    dtype: np.dtype[Any]
    eps: float
    more: Array | None = None

    def finer(self) -> Sketch | None:
        """Return the map with more axes as well; None if there are none."""
        if self.axes is None or self.more is None:
            return None
        axes = np.hstack([self.axes, self.more])
        error = error_of_map(len(self.center), axes, self.dtype)
        return Sketch(self.center, self.scale, axes, self.dtype, error)

    def width(self) -> int:
        """Return the columns of a table."""
        return len(self.center) + 2 if self.axes is None else self.axes.shape[1] + 3


def _gamma(n: int, unit: float) -> float:
    return n * unit / (1 - n * unit)


def unit_roundoff(dtype: np.dtype[Any]) -> float:
    """Return the largest relative error of rounding to the type."""
    return float(np.finfo(dtype).eps) / 2


def error_of_map(n_columns: int, axes: Array | None, dtype: np.dtype[Any]) -> float:
    """Return eps of the module's text: how far, relative to |z|, a stored vector may be off."""
    unit = unit_roundoff(dtype)
    if axes is None:
        return unit + 2 * DOUBLE
    p = axes.shape[1]
    gamma = _gamma(n_columns + 2, DOUBLE)
    delta = float(np.linalg.norm(axes.T @ axes - np.eye(p))) + p * gamma
    beta = delta + np.sqrt(p) * (1 + delta) * gamma
    return float(1.01 * (beta + np.sqrt(2 * gamma + 3 * beta + 2 * DOUBLE) + 2 * unit))


def coordinates(rows: Array, sketch: Sketch) -> tuple[Array, Array]:
    """Return phi of the rows, in the table's type, and |z|^2."""
    z, squared = _centered(rows, sketch)
    if sketch.axes is None:
        return z.astype(sketch.dtype), squared
    return _along_axes(z @ sketch.axes, squared, sketch.dtype), squared


def _centered(rows: Array, sketch: Sketch) -> tuple[Array, Array]:
    """Return z and |z|^2."""
    z = rows - sketch.center
    z *= sketch.scale
    return z, np.einsum("ij,ij->i", z, z)


def _along_axes(y: Array, squared: Array, dtype: np.dtype[Any]) -> Array:
    """Return phi of rows with these coordinates along the axes."""
    rest = squared - np.einsum("ij,ij->i", y, y)
    f = np.empty((len(y), y.shape[1] + 1), dtype)
    f[:, :-1] = y
    f[:, -1] = np.sqrt(np.maximum(rest, 0.0))
    return f


def lowered_norms(f: Array, squared: Array, eps: float) -> Array:
    """Return the column a: squared norms less all that rounding may have added, rounded down."""
    norms = np.einsum("ij,ij->i", f, f, dtype=np.float64)
    width = f.shape[1] + 2
    gamma = 2 * _gamma(width, unit_roundoff(f.dtype)) + _gamma(width, DOUBLE)
    slack = 1.01 * (gamma * norms + 2 * eps * (1 + eps) * squared) + TINY
    a = (norms - slack).astype(f.dtype)
    return np.asarray(np.nextafter(a, f.dtype.type(-np.inf)))


def inflation(sketch: Sketch) -> float:
    """Return what turns a squared distance, as computed, into the limit of its bound.

    Rounding the limit to the table's type must not lower it: hence a little more.
    """
    computed = 1 + 4 * _gamma(len(sketch.center) + 3, DOUBLE)
    return sketch.scale**2 * (1 + sketch.eps) * computed * (1 + 4 * unit_roundoff(sketch.dtype))


def fill(rows: Array, sketch: Sketch, left: Array | None, right: Array | None) -> None:
    """Write the rows' part of the left and of the right table (None: not wanted)."""
    f, squared = coordinates(rows, sketch)
    a = lowered_norms(f, squared, sketch.eps)
    for table, is_left in ((left, True), (right, False)):
        if table is not None:
            _write(f, a, table, left=is_left)


def fill_nested(
    rows: Array, maps: tuple[Sketch, Sketch], tables: tuple[Array, Array], *, left: bool
) -> None:
    """Write the rows' part of the tables of a map and of its finer one: one product for both."""
    z, squared = _centered(rows, maps[0])
    y = z @ np.asarray(maps[1].axes)
    for sketch, table in zip(maps, tables, strict=True):
        f = _along_axes(y[:, : sketch.width() - 3], squared, sketch.dtype)
        _write(f, lowered_norms(f, squared, sketch.eps), table, left=left)


def _write(f: Array, a: Array, table: Array, *, left: bool) -> None:
    w = f.shape[1]
    if left:
        table[:, :w], table[:, w], table[:, w + 1] = f, a, 1
    else:
        np.multiply(f, -2, out=table[:, :w])
        table[:, w], table[:, w + 1] = 1, a


def factor_of(rows: Array, sketch: Sketch, *, left: bool) -> Array:
    """Return the left or the right factor of the product that bounds squared distances."""
    table = np.empty((len(rows), sketch.width()), sketch.dtype)

    def work(strip: slice) -> None:
        part = table[strip]
        fill(rows[strip], sketch, part if left else None, None if left else part)

    run_strips(work, len(rows), max(1, 2**19 // rows.shape[1]))
    return table


def nested_factors(
    rows: Array, sketch: Sketch, finer: Sketch | None, *, left: bool
) -> tuple[Array, Array]:
    """Return the left or right factors of a map and of its finer one, which may be lacking."""
    if finer is None:
        return factor_of(rows, sketch, left=left), np.empty((len(rows), 0), sketch.dtype)
    tables = tuple(np.empty((len(rows), each.width()), each.dtype) for each in (sketch, finer))

    def work(strip: slice) -> None:
        parts = tables[0][strip], tables[1][strip]
        fill_nested(rows[strip], (sketch, finer), parts, left=left)

    run_strips(work, len(rows), max(1, 2**19 // rows.shape[1]))
    return tables[0], tables[1]


@dataclass(frozen=True)
class Spread:
    """Where the points lie: mean, largest norm about it, and a sample of rows."""

    center: Array
    scale: float
    sample: Array


def spread_of(points: Array, others: Array | None) -> Spread | None:
    """Return a center, and a power of two that brings all norms about it to at most 1.

    None: the squares of such distances leave double precision.
    """
    rows = np.random.default_rng(0).permutation(len(points))[:SAMPLE]
    sample = points[np.sort(rows)].astype(np.float64, copy=False)
    with np.errstate(over="ignore", invalid="ignore"):
        center = sample.mean(axis=0)
        reach = max(reach_of(table, center) for table in (points, others) if table is not None)
    if reach != 0 and not SMALLEST < reach < 1 / SMALLEST:
        return None
    scale = float(2.0 ** -np.ceil(np.log2(reach))) if reach > 0 else 1.0
    return Spread(center, scale, (sample - center) * scale)


def reach_of(rows: Array, center: Array) -> float:
    """Return a bound of the distances from the center: half the diagonal of the box, or more."""
    step = max(1, 2**20 // max(1, rows.shape[1]))
    boxes = np.empty((-(-len(rows) // step), 2, rows.shape[1]))

    def work(strip: slice) -> None:
        box = boxes[strip.start // step]
        np.min(rows[strip], axis=0, out=box[0])
        np.max(rows[strip], axis=0, out=box[1])

    run_strips(work, len(rows), step)
    sides = np.maximum(boxes[:, 1].max(axis=0) - center, center - boxes[:, 0].min(axis=0))
    peak = float(sides.max())  # taken out first: squares must not overflow
    return 1.001 * peak * float(np.linalg.norm(sides / peak)) if peak != 0 else 0.0


def leading_axes(sample: Array, n_axes: int) -> Array:
    """Return columns, nearly orthonormal, along which the sample spreads most."""
    sample = sample.astype(np.float32)
    n_columns = sample.shape[1]
    if n_columns <= 2 * n_axes:
        return np.linalg.eigh(sample.T @ sample)[1][:, ::-1][:, :n_axes]
    start = np.random.default_rng(0).standard_normal((n_columns, n_axes), np.float32)
    for _ in range(2):  # subspace iteration; the axes need not be the best ones
        start = np.linalg.qr(sample.T @ (sample @ start))[0]
    small = sample @ start
    return np.asarray(start @ np.linalg.eigh(small.T @ small)[1][:, ::-1])


def choose_map(
    points: Array, others: Array | None, k: int, radius: float | None = None
) -> Sketch | None:
    """Return the map whose bounds promise the least work, for ``k`` neighbours or for a radius.

    ``others`` are the queries, None if these are the points. None: there is no such map, since
    the squares of distances leave double precision.
    """
    spread = spread_of(points, others)
    if spread is None:
        return None
    n_columns = points.shape[1]
    limit = None if radius is None else min((radius * spread.scale) * (radius * spread.scale), 1e30)
    if n_columns > MOST_COLUMNS or _too_coarse(spread.sample, k, len(points), limit):
        return _whole(spread, np.dtype(np.float64))
    if n_columns < FEWEST_COLUMNS or len(points) < FEWEST_POINTS:
        return _whole(spread, np.dtype(np.float32))
    is_fine = radius is None and others is not None and _pays_fine(others)
    axes = leading_axes(spread.sample, FINE if is_fine else min(MOST_AXES, n_columns - 1))
    share = 0.5 if others is None and radius is None else 1.0
    depth = _best_depth(points, spread, axes, k, share, limit)
    single = np.dtype(np.float32)
    if depth is None:
        return _whole(spread, single)
    wide = axes if is_fine else axes[:, :depth]
    chosen = np.linalg.qr(wide.astype(np.float64))[0]
    near, more = chosen[:, :depth], chosen[:, depth:] if is_fine else None
    error = error_of_map(n_columns, near, single)
    return Sketch(spread.center, spread.scale, near, single, error, more)


def _pays_fine(queries: Array) -> bool:
    """Say whether a finer map saves more than it costs: to many queries, of very many columns."""
    return bool(len(queries) >= FEWEST_FINE and queries.shape[1] >= 2 * FINE)


def _whole(spread: Spread, dtype: np.dtype[Any]) -> Sketch:
    """Return the map that keeps all coordinates."""
    error = error_of_map(len(spread.center), None, dtype)
    return Sketch(spread.center, spread.scale, None, dtype, error)


def _too_coarse(sample: Array, k: int, n_points: int, limit: float | None) -> bool:
    """Say whether single precision would let too much pass: clusters far apart, and narrow."""
    some = sample[: max(COARSE // 8, min(COARSE, n_points // 16))]  # of few points few: it is felt
    norms = np.einsum("ij,ij->i", sample, sample)
    squared = norms[: len(some), None] + norms - 2 * (some @ sample.T)
    rank = min(max(1, k * len(sample) // n_points), len(sample) - 1)
    limits = np.partition(squared, rank, axis=1)[:, rank]
    if limit is not None:
        limits = np.full(len(some), limit)
    slack = 8 * (sample.shape[1] + 4) * 2.0**-24 * norms[: len(some)]
    return bool(np.mean(slack > 0.5 * limits) > 0.1)


def _best_depth(
    points: Array, spread: Spread, axes: Array, k: int, share: float, limit: float | None
) -> int | None:
    """Return the number of axes of least cost; None if all coordinates cost less.

    ``share`` of the pairs are computed: half of them, where both sides use each. What passes is
    evaluated, or looked at by a finer map first, if there are axes for one.
    """
    n_points, n_columns = points.shape
    is_fine, axes = axes.shape[1] > MOST_AXES, axes[:, :MOST_AXES]
    every = max(1, k // RANK)
    pilots = spread.sample[:PILOTS].astype(np.float32)
    y, squared, dots = _pilot_products(points[::every], spread, axes, pilots)
    true = np.einsum("ij,ij->i", pilots, pilots)[:, None] + squared - 2 * dots.T
    rank = min(-(-k // every), true.shape[1] - 1)
    limits = np.partition(true, rank, axis=1)[:, rank, None]
    if limit is not None:
        limits = np.full_like(limits, limit)
        k = int(every * np.mean(np.sum(true <= limits, axis=1)))
    per_candidate = CANDIDATE + COORDINATE * n_columns
    best, least = None, share * n_points * (n_columns + LOOK) + 1.5 * k * per_candidate
    mine, partial, before = pilots @ axes, np.zeros(true.shape, np.float32), 0
    for depth in (d for d in DEPTHS if d <= axes.shape[1]):
        partial += _squared(mine[:, before:depth], y[:, before:depth])
        passing = every * float(np.mean(np.sum(partial <= limits, axis=1)))
        cost = share * n_points * (depth + LOOK) + passing * (
            FINE_LOOK if is_fine else per_candidate
        )
        if cost < least:
            best, least = depth, cost
        before = depth
    return best


def _squared(a: Array, b: Array) -> Any:
    """Return squared distances, roughly."""
    return np.einsum("ij,ij->i", a, a)[:, None] + np.einsum("ij,ij->i", b, b) - 2 * (a @ b.T)


def _pilot_products(
    points: Array, spread: Spread, axes: Array, pilots: Array
) -> tuple[Array, Array, Array]:
    """Return the points along the axes, their squared norms, and their products with the pilots."""
    columns = np.hstack([axes, pilots.T])
    product = np.empty((len(points), columns.shape[1]), np.float32)
    squared = np.empty(len(points), np.float32)

    def work(strip: slice) -> None:
        z = ((points[strip] - spread.center) * spread.scale).astype(np.float32)
        np.matmul(z, columns, out=product[strip])
        np.einsum("ij,ij->i", z, z, out=squared[strip])

    run_strips(work, len(points), max(1, 2**19 // points.shape[1]))
    n_axes = axes.shape[1]
    return product[:, :n_axes], squared, product[:, n_axes:]


def coherent_order(coordinates: Array, leaf: int) -> Array:
    """Return an order of the rows in which near ones stand near each other.

    A search that meets near points first has narrow limits for the rest, and finds what it
    evaluates in cache. The order is that of a tree of median cuts of the widest coordinate: it
    costs little and changes no result.
    """
    order = np.arange(len(coordinates))
    leading = np.ascontiguousarray(coordinates[:, :LEADING].T)
    for first, middle, last in halves(len(order), leaf):
        mine = order[first:last]
        axis = _widest(leading, mine)
        order[first:last] = mine[np.argpartition(leading[axis, mine], middle - first)]
    return order


def halves(n_rows: int, leaf: int) -> Iterator[tuple[int, int, int]]:
    """Yield where rows are cut in two, from the whole down to leaves of at most ``leaf`` rows."""
    waiting = [(0, n_rows)]
    while waiting:
        first, last = waiting.pop()
        if last - first > leaf:
            middle = first + (last - first) // 2
            yield first, middle, last
            waiting += [(first, middle), (middle, last)]


def _widest(leading: Array, rows: Array) -> int:
    """Return the coordinate that varies most over (some of) the rows."""
    some = leading[:, rows[:: max(1, len(rows) // 128)]]
    some = some - some[:, :1]  # so that squares do not cancel
    sums = some.sum(axis=1)
    return int(np.argmax(np.einsum("ij,ij->i", some, some) - sums * sums / some.shape[1]))
