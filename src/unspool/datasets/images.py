"""Pictures whose true degrees of freedom are known: bars in a visual field.

An image of 40 x 40 pixels is a point in 1,600 dimensions, but a bar that only moves has two degrees
of freedom. Neighbouring positions share most of their pixels; distant ones share none and are all
equally far apart. Local distances therefore tell everything and long ones nothing, which is
why Laplacian eigenmaps order such images and principal components do not.
"""

import numpy as np
import numpy.typing as npt

from .sample import Floats, Sample, Seed, checked_count, random_source

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
    vertical bar and half with a horizontal one, in random order. The texts do not give the bar, so
    it is `length` (half the field unless told) by `width` pixels. Pixels are 0 or 1 and rows of
    `points` are images read row by row: `points.reshape(n, size, size)`. `coordinates` is the
    centre of the bar as (row, column) in pixels; `color` is 0 for vertical, 1 for horizontal.
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
