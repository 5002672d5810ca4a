"""One-dimensional data: circle, conic, closed helix, union of lines.

A curve is the smallest case in which geometry already bites. The circle and the helix close on
themselves, so one coordinate cannot describe them without a cut: a faithful map shows a ring in
two dimensions, and an autoassociative network with a single bottleneck node must fail. Lines
that cross are several curves that share a point, which no single chart covers.
"""

from __future__ import annotations

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
