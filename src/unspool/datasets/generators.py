"""The table of generators by name, so that `demo:swiss-roll` means the same everywhere.

The command line, the explorer and the tests look generators up here. A name is the function's
with dashes for underscores, and it is the `name` of the sample that the function returns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from .clusters import bars, correlated_normal, three_clusters
from .curves import circle, helix, union_of_lines
from .sample import Sample
from .surfaces import (
    flat_patch,
    punctured_sphere,
    s_curve,
    saddle,
    sphere_patch,
    swiss_roll,
    twin_peaks,
)

Generator = Callable[..., Sample]

_ALL: tuple[Generator, ...] = (
    bars,
    circle,
    correlated_normal,
    flat_patch,
    helix,
    punctured_sphere,
    s_curve,
    saddle,
    sphere_patch,
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
