"""Curves, sheets that are bent but never stretched, and surfaces with curvature of their own.

A curve is the smallest case in which geometry already bites. The circle and the helix close on
themselves, so one coordinate cannot describe them without a cut: a faithful map shows a ring in
two dimensions, and an autoassociative network with a single bottleneck node must fail. Lines
that cross are several curves that share a point, which no single chart covers.

On sheets (Swiss roll, s-curve, flat patch) a nonlinear method can be exactly right. Each is drawn
in its flat coordinates first, uniformly in area, and only then bent into space; the bend is
isometric, so lengths along the surface are distances in `coordinates`. Isomap should return those
coordinates up to a rigid motion, and Hessian LLE and LTSA, whose maps have unit covariance, up to
an affine one.

No flat map of the others (saddle, sphere patch, punctured sphere, twin peaks) is exact: Gauss
showed that a surface which bends in two directions at once cannot be unrolled without stretching.
They show which distortion a method chooses. The coordinates are therefore parameters and not
isometric; each docstring says what they do keep.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Literal

import numpy as np

from .sample import Floats, Sample, Seed, checked_count, checked_length, random_source, with_noise

_COILS = 8


def circle(n: int = 1000, *, radius: float = 1.0, noise: float = 0.0, seed: Seed = 0) -> Sample:
    """Draw points uniformly on a circle in the plane.

    `coordinates` is the arc length from 0 to 2 pi radius; its two ends are the same point. `color`
    is the angle. In (x1^2, x1 x2, x2^2) the circle is an affine subspace, which is how Vidal, Ma
    and Sastry introduce nonlinear PCA (figure 4.2).

    Parameters
    ----------
    n : int, default=1000
        Number of points.
    radius : float, default=1.0
        Radius of the circle.
    noise : float, default=0.0
        Standard deviation of the Gaussian noise added to every entry of the points.
    seed : int or numpy.random.Generator, default=0
        Seed of everything random, or the generator to draw from.

    Returns
    -------
    Sample
        The points with the coordinates they were made from.

    Examples
    --------
    >>> from unspool import datasets
    >>> bool(datasets.circle(100).coordinates.max() < 6.2832)
    True
    """
    rng = random_source(seed)
    radius = checked_length(radius, "radius")
    angle = rng.uniform(0.0, 2 * np.pi, size=checked_count(n, "n"))
    points = radius * np.column_stack([np.cos(angle), np.sin(angle)])
    return Sample("circle", with_noise(points, noise, rng), radius * angle[:, None], angle)


def conic(
    n: int = 1000,
    *,
    axes: tuple[float, float] = (2.0, 1.0),
    turn: float = 0.5,
    hyperbola: bool = False,
    noise: float = 0.0,
    seed: Seed = 0,
) -> Sample:
    """Draw points on an ellipse or a hyperbola around the origin, turned by an angle.

    They satisfy c1 x1^2 + c2 x1 x2 + c3 x2^2 = 1, which is linear in the monomials of degree two:
    what Vidal, Ma and Sastry introduce nonlinear PCA with (section 4.1). `coordinates` is the
    parameter t of (a cos t, b sin t), from 0 to 2 pi, or of (a cosh t, b sinh t), from -1 to 1 on
    both branches in turn; `color` is the same.

    Parameters
    ----------
    n : int, default=1000
        Number of points.
    axes : tuple of float, default=(2.0, 1.0)
        Half the lengths of the axes, a and b.
    turn : float, default=0.5
        Angle that the first axis is turned by, in radians.
    hyperbola : bool, default=False
        Whether it is a hyperbola.
    noise : float, default=0.0
        Standard deviation of the Gaussian noise added to every entry of the points.
    seed : int or numpy.random.Generator, default=0
        Seed of everything random, or the generator to draw from.

    Returns
    -------
    Sample
        The points with the coordinates they were made from.

    Examples
    --------
    >>> from unspool import datasets
    >>> x, y = datasets.conic(100, axes=(2.0, 1.0), turn=0.0).points.T
    >>> bool(abs(x**2 / 4 + y**2 - 1).max() < 1e-12)
    True
    """
    rng = random_source(seed)
    n = checked_count(n, "n")
    long, short = (checked_length(length, "axes") for length in axes)
    low, high = (-1.0, 1.0) if hyperbola else (0.0, 2 * np.pi)
    place = rng.uniform(low, high, size=n)
    if hyperbola:
        branch = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
        flat = np.column_stack([long * branch * np.cosh(place), short * np.sinh(place)])
    else:
        flat = np.column_stack([long * np.cos(place), short * np.sin(place)])
    first, second = np.cos(float(turn)), np.sin(float(turn))
    points = flat @ np.array([[first, second], [-second, first]])
    return Sample("conic", with_noise(points, noise, rng), place[:, None], place)


def helix(n: int = 1000, *, noise: float = 0.0, seed: Seed = 0) -> Sample:
    """Place points along a closed spring: eight coils around a ring of radius 2.

    The points are ((2 + cos 8t) cos t, (2 + cos 8t) sin t, sin 8t) at n evenly spaced t that end
    in 2 pi, as in the Matlab Toolbox for Dimensionality Reduction that Izenman's exercise 16.9
    refers to. `coordinates` is the arc length, `color` is t.

    Parameters
    ----------
    n : int, default=1000
        Number of points.
    noise : float, default=0.0
        Standard deviation of the Gaussian noise added to every entry of the points.
    seed : int or numpy.random.Generator, default=0
        Seed of the noise; nothing else is random.

    Returns
    -------
    Sample
        The points with the coordinates they were made from.

    Examples
    --------
    >>> from unspool import datasets
    >>> datasets.helix(100).points.shape
    (100, 3)
    """
    rng = random_source(seed)
    n = checked_count(n, "n")
    angle = 2 * np.pi * np.arange(1, n + 1) / n
    across = 2 + np.cos(_COILS * angle)
    points = np.column_stack(
        [across * np.cos(angle), across * np.sin(angle), np.sin(_COILS * angle)]
    )
    return Sample("helix", with_noise(points, noise, rng), helix_length(angle)[:, None], angle)


def helix_length(angle: Floats) -> Floats:
    """Return the length of the helix from 0 to each angle.

    The integral of sqrt(64 + (2 + cos 8t)^2) has no closed form, but the speed is a smooth function
    of the phase 8t. Its cosine series shrinks about sixteenfold per term, so 32 samples of one coil
    fix it to rounding error, and a cosine series is integrated term by term: the mean gives the
    growth, the rest the wobble.

    Parameters
    ----------
    angle : ndarray
        Angles t in radians.

    Returns
    -------
    ndarray
        Length of the helix up to each angle.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import datasets
    >>> datasets.helix_length(np.array([0.0, 2 * np.pi])).round(1)
    array([ 0., 52.])
    """
    n_samples = 32
    phase = 2 * np.pi * np.arange(n_samples) / n_samples
    speed = np.hypot(_COILS, 2 + np.cos(phase))
    series = np.fft.rfft(speed).real[:-1] / n_samples
    order = _COILS * np.arange(1, len(series))
    wobble = np.sin(np.multiply.outer(angle, order)) @ (2 * series[1:] / order)
    length: Floats = series[0] * angle + wobble
    return length


def union_of_lines(
    n: int = 1000, *, n_lines: int = 3, dim: int = 3, noise: float = 0.0, seed: Seed = 0
) -> Sample:
    """Draw points on straight lines through the origin, in random directions of `dim` axes.

    The simplest union of subspaces (Vidal, Ma and Sastry): a product of linear forms vanishes on
    it, so it is a variety but not a manifold. Lines take turns, so their sizes differ by one at
    most. `coordinates` is the signed distance from the origin, uniform in [-1, 1]; `color` is the
    number of the line.

    Parameters
    ----------
    n : int, default=1000
        Number of points.
    n_lines : int, default=3
        Number of lines.
    dim : int, default=3
        Dimension of the space that they lie in.
    noise : float, default=0.0
        Standard deviation of the Gaussian noise added to every entry of the points.
    seed : int or numpy.random.Generator, default=0
        Seed of everything random, or the generator to draw from.

    Returns
    -------
    Sample
        The points with the coordinates they were made from.

    Examples
    --------
    >>> from unspool import datasets
    >>> datasets.union_of_lines(4, n_lines=2).color
    array([0., 1., 0., 1.])
    """
    n_lines = checked_count(n_lines, "n_lines")
    dim = checked_count(dim, "dim", at_least=2)
    line = np.arange(checked_count(n, "n", at_least=n_lines)) % n_lines
    rng = random_source(seed)
    directions = rng.standard_normal((n_lines, dim))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    place = rng.uniform(-1.0, 1.0, size=(len(line), 1))
    points = place * directions[line]
    return Sample("union-of-lines", with_noise(points, noise, rng), place, line.astype(np.float64))


@dataclass(frozen=True, slots=True)
class Roll:
    """The part of the spiral radius = angle that is used, and how far it is drawn upwards."""

    start: float
    stop: float
    height: float

    @property
    def sides(self) -> Floats:
        """Length and height of the sheet once it is unrolled."""
        inner, outer = spiral_length(np.array([self.start, self.stop]))
        return np.array([outer - inner, self.height])


# "izenman" is what the text prints. "isomap" was measured on the 20,000 points of the Isomap site:
# all have radius = angle, the angle ends at 19 pi/4, and it starts where the file's own first
# coordinate is 0. That coordinate grows by sqrt(2 + angle^2), not by the true speed
# sqrt(1 + angle^2), so the file's 100 x 50 sheet is really 99.46 x 50.
ROLLS = {
    "izenman": Roll(start=1.5 * np.pi, stop=4.5 * np.pi, height=15.0),
    "isomap": Roll(start=4.9858, stop=4.75 * np.pi, height=50.0),
}


def swiss_roll(
    n: int = 1000,
    *,
    ranges: Literal["izenman", "isomap"] = "izenman",
    hole: bool = False,
    noise: float = 0.0,
    seed: Seed = 0,
) -> Sample:
    """Draw points uniformly on a rolled-up rectangle, (a cos a, a sin a, height).

    The text's formula (Izenman, section 16.6, footnote 3) and the file behind its figures are two
    different rolls; `ranges` chooses. "izenman": angle a in [3 pi/2, 9 pi/2], height in [0, 15],
    a sheet of about 90 x 15. "isomap": the roll of the Isomap site, about 100 x 50. With `hole`
    the sheet is non-convex: straight lines on the sheet then cross the hole, geodesics go around
    it, and Isomap is no longer exact. `coordinates` are arc length along the spiral and height;
    `color` is the angle.

    Parameters
    ----------
    n : int, default=1000
        Number of points.
    ranges : {"izenman", "isomap"}, default="izenman"
        Which of the two rolls.
    hole : bool, default=False
        Leave out the middle ninth of the sheet.
    noise : float, default=0.0
        Standard deviation of the Gaussian noise added to every entry of the points.
    seed : int or numpy.random.Generator, default=0
        Seed of everything random, or the generator to draw from.

    Returns
    -------
    Sample
        The points with the coordinates they were made from.

    Examples
    --------
    >>> from unspool import datasets
    >>> roll = datasets.swiss_roll(100, seed=1)
    >>> roll.points.shape, roll.coordinates.shape
    ((100, 3), (100, 2))
    """
    if ranges not in ROLLS:
        raise ValueError(f"ranges must be one of {sorted(ROLLS)}, got {ranges!r}; choose one")
    rng, roll = random_source(seed), ROLLS[ranges]
    flat = _unit_square(checked_count(n, "n"), hole, rng) * roll.sides
    angle = spiral_angle(flat[:, 0] + spiral_length(np.array(roll.start)))
    points = np.column_stack([angle * np.cos(angle), angle * np.sin(angle), flat[:, 1]])
    return Sample("swiss-roll", with_noise(points, noise, rng), flat, angle)


def spiral_length(angle: Floats) -> Floats:
    """Return the length of the spiral radius = angle: the integral of sqrt(1 + a^2).

    Parameters
    ----------
    angle : ndarray
        Angles in radians.

    Returns
    -------
    ndarray
        Length of the spiral from its centre to each angle.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import datasets
    >>> datasets.spiral_length(np.array([0.0, 2 * np.pi])).round(2)
    array([ 0.  , 21.26])
    """
    length: Floats = (angle * np.hypot(1.0, angle) + np.arcsinh(angle)) / 2
    return length


def spiral_angle(length: Floats) -> Floats:
    """Return the angle at which the spiral has a given length: the inverse of `spiral_length`.

    Far out the length is close to a^2/2, which starts Newton's method; the length is convex in
    the angle, so the steps cannot overshoot downwards and six of them reach rounding error.

    Parameters
    ----------
    length : ndarray
        Arc lengths from the centre of the spiral.

    Returns
    -------
    ndarray
        Angles in radians.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import datasets
    >>> datasets.spiral_angle(datasets.spiral_length(np.array([4.0, 9.0]))).round(12)
    array([4., 9.])
    """
    angle: Floats = np.sqrt(2 * length)
    for _ in range(6):
        angle = angle - (spiral_length(angle) - length) / np.hypot(1.0, angle)
    return angle


def _unit_square(n: int, hole: bool, rng: np.random.Generator) -> Floats:
    """Uniform points in the unit square, with or without the middle cell of a 3 x 3 grid.

    The eight outer cells have equal areas, so a random cell and a random place in it are uniform
    on what remains: nothing is drawn twice and there are always exactly n points.
    """
    if not hole:
        return rng.random((n, 2))
    around = np.array([(i, j) for i in range(3) for j in range(3) if (i, j) != (1, 1)])
    return (around[rng.integers(len(around), size=n)] + rng.random((n, 2))) / 3


def s_curve(n: int = 2000, *, height: float = 5.0, noise: float = 0.0, seed: Seed = 0) -> Sample:
    """Draw points uniformly on a sheet bent into an S: two three-quarter turns of radius 1.

    The size 2,000 is that of Izenman's figure 16.6. Both arcs have unit speed, so the first of the
    `coordinates` is at the same time the angle turned and the arc length, from 0 to 3 pi; the
    second is the height. `color` is the arc length.

    Parameters
    ----------
    n : int, default=2000
        Number of points.
    height : float, default=5.0
        Height of the sheet.
    noise : float, default=0.0
        Standard deviation of the Gaussian noise added to every entry of the points.
    seed : int or numpy.random.Generator, default=0
        Seed of everything random, or the generator to draw from.

    Returns
    -------
    Sample
        The points with the coordinates they were made from.

    Examples
    --------
    >>> from unspool import datasets
    >>> datasets.s_curve(100).coordinates.shape
    (100, 2)
    """
    rng = random_source(seed)
    sides = np.array([3 * np.pi, checked_length(height, "height")])
    flat = _unit_square(checked_count(n, "n"), False, rng) * sides
    turn = flat[:, 0] - 1.5 * np.pi
    points = np.column_stack([np.sin(turn), flat[:, 1], np.sign(turn) * (np.cos(turn) - 1)])
    return Sample("s-curve", with_noise(points, noise, rng), flat, flat[:, 0])


def flat_patch(
    n: int = 1000,
    *,
    d: int = 2,
    ambient: int | None = None,
    noise: float = 0.0,
    seed: Seed = 0,
) -> Sample:
    """Draw points uniformly in a d-dimensional box and place it in `ambient` dimensions.

    With room for two axes per side (`ambient` >= 2 d) every side is bent into a half circle in a
    plane of its own: a product of arcs, curved everywhere and still isometric to the box. With less
    room the box is placed flat. Either way a random rotation hides the construction. The sides are
    1 + 1/2, 1 + 1/3, ...: unequal, so that the axes of an exact map are determined, and nearly
    equal, so that all of them are worth finding.

    Parameters
    ----------
    n : int, default=1000
        Number of points.
    d : int, default=2
        Dimension of the box.
    ambient : int or None, default=None
        Dimension of the space that it is placed in; None is 2 d.
    noise : float, default=0.0
        Standard deviation of the Gaussian noise added to every entry of the points.
    seed : int or numpy.random.Generator, default=0
        Seed of everything random, or the generator to draw from.

    Returns
    -------
    Sample
        The points with the coordinates they were made from.

    Examples
    --------
    >>> from unspool import datasets
    >>> box = datasets.flat_patch(50, d=3)
    >>> box.points.shape, box.coordinates.shape
    ((50, 6), (50, 3))
    """
    d = checked_count(d, "d")
    ambient = 2 * d if ambient is None else checked_count(ambient, "ambient", at_least=d)
    rng = random_source(seed)
    sides = 1 + 1 / np.arange(2, d + 2)
    box = rng.random((checked_count(n, "n"), d)) * sides
    bent = _half_circles(box, sides) if ambient >= 2 * d else box
    # the orthonormal factor of a Gaussian matrix is a uniformly random frame
    frame = np.linalg.qr(rng.standard_normal((ambient, bent.shape[1])))[0]
    return Sample("flat-patch", with_noise(bent @ frame.T, noise, rng), box, box[:, 0])


def _half_circles(box: Floats, sides: Floats) -> Floats:
    """Bend side k into half a circle of length sides[k]: two columns for each column of `box`."""
    radius = sides / np.pi
    turn = box / radius
    return np.hstack([radius * np.cos(turn), radius * np.sin(turn)])


def saddle(n: int = 1000, *, noise: float = 0.0, seed: Seed = 0) -> Sample:
    """Draw points on the saddle x3 = x1^2 - x2^2 above the square [-1, 1] x [-1, 1].

    The first picture of a manifold in Vidal, Ma and Sastry (figure 4.1). A polynomial of degree
    two vanishes on it, so polynomial PCA finds it exactly: the smallest eigenvalue is 0.
    `coordinates` are (x1, x2), uniform in the square; `color` is x3.

    Parameters
    ----------
    n : int, default=1000
        Number of points.
    noise : float, default=0.0
        Standard deviation of the Gaussian noise added to every entry of the points.
    seed : int or numpy.random.Generator, default=0
        Seed of everything random, or the generator to draw from.

    Returns
    -------
    Sample
        The points with the coordinates they were made from.

    Examples
    --------
    >>> from unspool import datasets
    >>> x, y, z = datasets.saddle(100).points.T
    >>> bool((z == x**2 - y**2).all())
    True
    """
    rng = random_source(seed)
    square = _square(n, rng)
    height = square[:, 0] ** 2 - square[:, 1] ** 2
    points = np.column_stack([square, height])
    return Sample("saddle", with_noise(points, noise, rng), square, height)


def twin_peaks(n: int = 1000, *, height: float = 1.0, noise: float = 0.0, seed: Seed = 0) -> Sample:
    """Draw points on the landscape x3 = height sin(pi x1) tanh(3 x2) above the square [-1, 1]^2.

    Two peaks and two pits with steep flanks between them. The taller it is, the sparser the flanks
    become compared to the peaks, and the more a method suffers that assumes an even density.
    `coordinates` are (x1, x2), uniform in the square; `color` is x3.

    Parameters
    ----------
    n : int, default=1000
        Number of points.
    height : float, default=1.0
        Height of the peaks.
    noise : float, default=0.0
        Standard deviation of the Gaussian noise added to every entry of the points.
    seed : int or numpy.random.Generator, default=0
        Seed of everything random, or the generator to draw from.

    Returns
    -------
    Sample
        The points with the coordinates they were made from.

    Examples
    --------
    >>> from unspool import datasets
    >>> bool(abs(datasets.twin_peaks(100, height=2.0).color).max() < 2.0)
    True
    """
    rng = random_source(seed)
    square = _square(n, rng)
    shape = np.sin(np.pi * square[:, 0]) * np.tanh(3 * square[:, 1])
    relief = checked_length(height, "height") * shape
    points = np.column_stack([square, relief])
    return Sample("twin-peaks", with_noise(points, noise, rng), square, relief)


def sphere_patch(
    n: int = 1000,
    *,
    opening: float = np.pi / 3,
    radius: float = 1.0,
    noise: float = 0.0,
    seed: Seed = 0,
) -> Sample:
    """Draw points uniformly on the cap of a sphere within `opening` radians of its north pole.

    `opening=pi` is the whole sphere, which no map to the plane can show without tearing; with
    `n=150, radius=6` it is the data of Izenman's exercise 16.1. `coordinates` are normal
    coordinates at the pole: direction, and distance along the great circle, so distances from
    the pole are exact and circles around it are stretched. `color` is the distance from the pole.

    Parameters
    ----------
    n : int, default=1000
        Number of points.
    opening : float, default=pi / 3
        Angle between the pole and the rim of the cap, in radians, at most pi.
    radius : float, default=1.0
        Radius of the sphere.
    noise : float, default=0.0
        Standard deviation of the Gaussian noise added to every entry of the points.
    seed : int or numpy.random.Generator, default=0
        Seed of everything random, or the generator to draw from.

    Returns
    -------
    Sample
        The points with the coordinates they were made from.

    Examples
    --------
    >>> from unspool import datasets
    >>> bool(datasets.sphere_patch(100).points[:, 2].min() > 0.5)
    True
    """
    rng = random_source(seed)
    radius = checked_length(radius, "radius")
    lowest = np.cos(checked_length(opening, "opening", at_most=np.pi))
    points = _zone(checked_count(n, "n"), lowest, 1.0, rng)
    # atan2 keeps full precision near the pole, where arccos would lose half of the digits
    across = np.hypot(points[:, 0], points[:, 1])
    distance = radius * np.arctan2(across, points[:, 2])
    direction = np.arctan2(points[:, 1], points[:, 0])
    normal = distance[:, None] * np.column_stack([np.cos(direction), np.sin(direction)])
    return Sample("sphere-patch", with_noise(radius * points, noise, rng), normal, distance)


def punctured_sphere(
    n: int = 1000, *, rim: float = 0.5, noise: float = 0.0, seed: Seed = 0
) -> Sample:
    """Draw points uniformly on the unit sphere below the height `rim`: a sphere without its top.

    A ball with a hole can be spread out in the plane, but its narrow rim has to become the outer
    edge. `coordinates` are the stereographic projection from the north pole, which does exactly
    that and keeps all angles: (x1, x2) / (1 - x3). `color` is the height x3.

    Parameters
    ----------
    n : int, default=1000
        Number of points.
    rim : float, default=0.5
        Height x3 at which the sphere is cut, between -1 and 1.
    noise : float, default=0.0
        Standard deviation of the Gaussian noise added to every entry of the points.
    seed : int or numpy.random.Generator, default=0
        Seed of everything random, or the generator to draw from.

    Returns
    -------
    Sample
        The points with the coordinates they were made from.

    Examples
    --------
    >>> from unspool import datasets
    >>> bool(datasets.punctured_sphere(100).points[:, 2].max() < 0.5)
    True
    """
    if not isinstance(rim, Real) or not -1 < rim < 1:
        raise ValueError(
            f"rim must be a height with -1 < rim < 1, got {rim!r}; pass rim=0.5 for the lower "
            "three quarters of the sphere"
        )
    rng = random_source(seed)
    points = _zone(checked_count(n, "n"), -1.0, float(rim), rng)
    plane = points[:, :2] / (1 - points[:, 2:])
    return Sample("punctured-sphere", with_noise(points, noise, rng), plane, points[:, 2])


def _square(n: int, rng: np.random.Generator) -> Floats:
    """Uniform points in [-1, 1] x [-1, 1]."""
    return rng.uniform(-1.0, 1.0, size=(checked_count(n, "n"), 2))


def _zone(n: int, low: float, high: float, rng: np.random.Generator) -> Floats:
    """Uniform points on the unit sphere between two heights.

    Archimedes: a zone of the sphere has the area of the cylinder around it, so a uniform height
    and a uniform longitude are uniform in area.
    """
    height = rng.uniform(low, high, size=n)
    longitude = rng.uniform(0.0, 2 * np.pi, size=n)
    across = np.sqrt((1 - height) * (1 + height))
    return np.column_stack([across * np.cos(longitude), across * np.sin(longitude), height])
