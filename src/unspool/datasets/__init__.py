"""Data to try methods on: generators that know the truth, and the real data of the texts.

>>> from unspool import datasets
>>> roll = datasets.swiss_roll(1000, seed=1)
>>> roll.points.shape, roll.coordinates.shape
((1000, 3), (1000, 2))

| question | data |
|---|---|
| can the method unroll without stretching? | `swiss_roll`, `s_curve`, `flat_patch` |
| what does it do to a hole or a closed shape? | `swiss_roll(hole=True)`, `circle`, `helix` |
| what does it do where no flat map exists? | `saddle`, `sphere_patch`, `twin_peaks` |
| does it separate what is separate? | `three_clusters`, `union_of_lines`, `subspaces`, `bars` |
| does it find structure where there is none? | `correlated_normal` |

Every generator takes the number of points first, everything else by keyword, and a `seed`. They are
known by name (`GENERATORS`), so that `demo:swiss-roll` means the same everywhere: the function's
with dashes for underscores, which is the `name` of the sample that it returns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from .clusters import EXERCISE_CORRELATION, bars, correlated_normal, subspaces, three_clusters
from .manifolds import (
    ROLLS,
    circle,
    conic,
    flat_patch,
    helix,
    helix_length,
    punctured_sphere,
    s_curve,
    saddle,
    sphere_patch,
    spiral_angle,
    spiral_length,
    swiss_roll,
    twin_peaks,
    union_of_lines,
)
from .real import real, real_names
from .sample import Sample

__all__ = [
    "EXERCISE_CORRELATION",
    "GENERATORS",
    "ROLLS",
    "Sample",
    "bars",
    "circle",
    "conic",
    "correlated_normal",
    "flat_patch",
    "helix",
    "helix_length",
    "names",
    "punctured_sphere",
    "real",
    "real_names",
    "s_curve",
    "saddle",
    "sphere_patch",
    "spiral_angle",
    "spiral_length",
    "subspaces",
    "swiss_roll",
    "three_clusters",
    "twin_peaks",
    "union_of_lines",
]

Generator = Callable[..., Sample]

_ALL: tuple[Generator, ...] = (
    bars,
    circle,
    conic,
    correlated_normal,
    flat_patch,
    helix,
    punctured_sphere,
    s_curve,
    saddle,
    sphere_patch,
    subspaces,
    swiss_roll,
    three_clusters,
    twin_peaks,
    union_of_lines,
)

GENERATORS: Mapping[str, Generator] = MappingProxyType(
    {generator.__name__.replace("_", "-"): generator for generator in _ALL}
)


def names() -> list[str]:
    """Return the names of all generators, in alphabetical order: the keys of `GENERATORS`.

    Returns
    -------
    list of str
        The dashed names, as in `demo:swiss-roll`.

    Examples
    --------
    >>> from unspool import datasets
    >>> datasets.names()[:2]
    ['bars', 'circle']
    """
    return sorted(GENERATORS)
