"""Surfaces with curvature of their own: saddle, sphere patch, punctured sphere, twin peaks.

No flat map of these is exact: Gauss showed that a surface which bends in two directions at once
cannot be unrolled without stretching. They show which distortion a method chooses. The
coordinates are therefore parameters and not isometric; each docstring says what they do keep.
"""

from __future__ import annotations

from numbers import Real

import numpy as np

from .sample import Floats, Sample, Seed, checked_count, checked_length, random_source, with_noise


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
