"""Point clouds without one manifold behind them: three clusters, subspaces, a correlated normal.

They are what kernel PCA and spectral clustering are tried on in the exercises. A good map of the
clusters separates them; a good map of the normal cloud finds nothing nonlinear, because nothing
nonlinear is there.

Pictures whose true degrees of freedom are known: bars in a visual field.

An image of 40 x 40 pixels is a point in 1,600 dimensions, but a bar that only moves has two degrees
of freedom. Neighbouring positions share most of their pixels; distant ones share none and are all
equally far apart. Local distances therefore tell everything and long ones nothing, which is
why Laplacian eigenmaps order such images and principal components do not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .sample import (
    Floats,
    Sample,
    Seed,
    checked_count,
    checked_length,
    random_source,
    with_noise,
)

CLUSTER_CENTRES = ((-0.5, -0.2), (0.0, 0.6), (0.5, 0.0))

EXERCISE_CORRELATION = (
    (1.0, 0.5, 0.7, -0.6),
    (0.5, 1.0, 0.3, -0.5),
    (0.7, 0.3, 1.0, -0.7),
    (-0.6, -0.5, -0.7, 1.0),
)


def three_clusters(n: int = 90, *, spread: float = 0.1, seed: Seed = 0) -> Sample:
    """Draw n points from three round clusters in the plane, thirty each unless told otherwise.

    The toy data of kernel PCA that exercise 4.6 of Vidal, Ma and Sastry points to: centres
    (-0.5, -0.2), (0, 0.6), (0.5, 0). Points come cluster by cluster, in sizes that differ by one
    at most. `coordinates` is the centre that a point belongs to, `color` the number of its cluster.

    Parameters
    ----------
    n : int, default=90
        Number of points.
    spread : float, default=0.1
        Standard deviation of each cluster in each direction.
    seed : int or numpy.random.Generator, default=0
        Seed of everything random, or the generator to draw from.

    Returns
    -------
    Sample
        The points with the coordinates they were made from.

    Examples
    --------
    >>> from unspool import datasets
    >>> datasets.three_clusters(6).color
    array([0., 0., 1., 1., 2., 2.])
    """
    n = checked_count(n, "n", at_least=len(CLUSTER_CENTRES))
    cluster = np.arange(n) * len(CLUSTER_CENTRES) // n
    centres = np.array(CLUSTER_CENTRES)[cluster]
    spread = checked_length(spread, "spread")
    points = centres + spread * random_source(seed).standard_normal((n, 2))
    return Sample("three-clusters", points, centres, cluster.astype(np.float64))


def subspaces(
    n: int = 300,
    *,
    dimensions: Sequence[int] = (2, 2),
    dim: int = 3,
    offset: float = 0.0,
    noise: float = 0.0,
    seed: Seed = 0,
) -> Sample:
    """Draw points from several subspaces of `dim` axes, in random directions.

    Points are normal within their subspace, and subspaces take turns, so that their sizes differ by
    one at most. `coordinates` are those within the subspace, zero beyond its dimension; `color` is
    the number of the subspace.

    Parameters
    ----------
    n : int, default=300
        Number of points.
    dimensions : sequence of int, default=(2, 2)
        Dimension of each subspace.
    dim : int, default=3
        Dimension of the space that they lie in.
    offset : float, default=0.0
        Standard deviation of each entry of a point of each subspace: 0 for those through the
        origin.
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
    >>> datasets.subspaces(4, dimensions=(1, 2)).color
    array([0., 1., 0., 1.])
    """
    widths = [checked_count(width, "dimensions", at_least=0) for width in dimensions]
    dim = checked_count(dim, "dim", at_least=max(widths, default=0) + 1)
    which = np.arange(checked_count(n, "n", at_least=max(len(widths), 1))) % max(len(widths), 1)
    rng = random_source(seed)
    inner = np.zeros((n, max([1, *widths])))
    points = np.zeros((n, dim))
    for number, width in enumerate(widths):
        axes = np.linalg.qr(rng.standard_normal((dim, dim)))[0][:width]
        origin = float(offset) * rng.standard_normal(dim)
        own = which == number
        inner[own, :width] = rng.standard_normal((int(own.sum()), width))
        points[own] = origin + inner[own, :width] @ axes
    return Sample("subspaces", with_noise(points, noise, rng), inner, which.astype(np.float64))


def correlated_normal(
    n: int = 500, *, correlation: npt.ArrayLike = EXERCISE_CORRELATION, seed: Seed = 0
) -> Sample:
    """Draw points from N(0, R), by default the four-dimensional one of Izenman's exercise 16.5.

    The exercise asks to vary the correlations. `coordinates` are the independent standard normal
    draws z from which the points are mixed, x = C z with R = C C' (Cholesky); `color` is the first
    of them, which is also the first variable.

    Parameters
    ----------
    n : int, default=500
        Number of points.
    correlation : array-like of shape (d, d)
        The matrix R: positive definite, with ones on the diagonal.
    seed : int or numpy.random.Generator, default=0
        Seed of everything random, or the generator to draw from.

    Returns
    -------
    Sample
        The points with the coordinates they were made from.

    Examples
    --------
    >>> from unspool import datasets
    >>> datasets.correlated_normal(100, correlation=[[1.0, 0.9], [0.9, 1.0]]).points.shape
    (100, 2)
    """
    mixing = _cholesky(np.asarray(correlation, dtype=np.float64))
    draws = random_source(seed).standard_normal((checked_count(n, "n"), len(mixing)))
    return Sample("correlated-normal", draws @ mixing.T, draws, draws[:, 0])


def _cholesky(correlation: Floats) -> Floats:
    """Return the lower triangular C with C C' = R, after making sure that R can be a correlation.

    numpy reads only the lower triangle, so an unsymmetric R would go unnoticed without the check.
    """
    square = correlation.ndim == 2 and correlation.shape[0] == correlation.shape[1]
    if not square or not np.allclose(correlation, correlation.T):
        raise ValueError(
            f"correlation must be a symmetric square matrix, got shape {correlation.shape}; "
            "pass (R + R.T) / 2 if rounding made it unsymmetric"
        )
    if not np.allclose(np.diag(correlation), 1.0):
        raise ValueError(
            "correlation must have ones on its diagonal; divide a covariance by the standard "
            "deviations of its rows and columns first"
        )
    try:
        return np.asarray(np.linalg.cholesky(correlation), dtype=np.float64)
    except np.linalg.LinAlgError as error:
        raise ValueError(
            "correlation must be positive definite, and this matrix is not: no variables can be "
            "correlated that way; bring the off-diagonal entries closer to 0"
        ) from error


Whole = npt.NDArray[np.int64]


def bars(
    n: int = 1000,
    *,
    size: int = 40,
    length: int | None = None,
    width: int = 2,
    seed: Seed = 0,
) -> Sample:
    """Draw n images of one vertical or horizontal bar each, at random places in a square field.

    The toy vision example of Belkin and Niyogi: 1,000 images of 40 x 40, half of them with a
    vertical bar and half with a horizontal one, in random order. The texts do not give the size of
    the bar. Pixels are 0 or 1 and rows of `points` are images read row by row:
    `points.reshape(n, size, size)`. `coordinates` is the centre of the bar as (row, column) in
    pixels; `color` is 0 for vertical, 1 for horizontal.

    Parameters
    ----------
    n : int, default=1000
        Number of images.
    size : int, default=40
        Height and width of an image in pixels.
    length : int or None, default=None
        Length of a bar in pixels; None is half the field.
    width : int, default=2
        Width of a bar in pixels.
    seed : int or numpy.random.Generator, default=0
        Seed of everything random, or the generator to draw from.

    Returns
    -------
    Sample
        The points with the coordinates they were made from.

    Examples
    --------
    >>> from unspool import datasets
    >>> datasets.bars(10, size=16).points.shape
    (10, 256)
    """
    n, size = checked_count(n, "n"), checked_count(size, "size", at_least=2)
    long, short = _checked_bar(size, length, width)
    rng = random_source(seed)
    horizontal = rng.permutation(np.arange(n) % 2 == 1)
    extent = np.where(horizontal[:, None], (short, long), (long, short))
    corner = rng.integers(0, size - extent, endpoint=True)
    centre = corner + (extent - 1) / 2
    return Sample("bars", _painted(corner, extent, size), centre, horizontal.astype(np.float64))


def _checked_bar(size: int, length: int | None, width: int) -> tuple[int, int]:
    """Return length and width of a bar that fits, and that is longer than it is wide."""
    long = size // 2 if length is None else checked_count(length, "length")
    short = checked_count(width, "width")
    if long > size:
        raise ValueError(f"length={long} does not fit into size={size}; shorten it or enlarge size")
    if short >= long:
        raise ValueError(
            f"width={short} must be less than length={long}, else a bar has no orientation; "
            "pass a smaller width or a larger length"
        )
    return long, short


def _painted(corner: Whole, extent: Whole, size: int) -> Floats:
    """Set the pixels from `corner` to `corner + extent` in one flattened image per row.

    A bar is the set of pixels whose row and whose column are both inside: an outer product.
    """
    pixel = np.arange(size)
    inside = (pixel >= corner[..., None]) & (pixel < (corner + extent)[..., None])
    images = inside[:, 0, :, None] & inside[:, 1, None, :]
    return images.reshape(len(corner), size * size).astype(np.float64)
