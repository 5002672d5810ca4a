"""Coordinates that a few points carry: all others lie in a dot beside them.

A spectral method may spend a coordinate on a handful of weakly attached points. The map then shows
a dot and a few strays, whatever the other points do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..values import Array

SHARE = 0.95  # of the points that
WIDTH = 0.05  # of a coordinate's width hold: then the others carry it
FEWEST = 100  # points from which on the share of a few says something
SHOWN = 5  # rows that a sentence names
LOOKED_AT = 10  # coordinates: nobody looks at pictures of later ones


@dataclass(frozen=True, slots=True)
class Localized:
    """A coordinate (counted from 1) and the points that carry it, farthest from the rest first."""

    coordinate: int
    carriers: Array


def find_localized(coordinates: Array) -> list[Localized]:
    """Return the coordinates within 5 % of whose width 95 % of the points lie.

    Parameters
    ----------
    coordinates : ndarray of shape (n_samples, n_components)
        A map.

    Returns
    -------
    list of Localized
        One for each such coordinate, with the points outside.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool.relation import find_localized
    >>> column = np.r_[np.linspace(-1.0, 1.0, 99), 80.0]
    >>> find_localized(column[:, None])[0].carriers
    array([99])
    """
    if len(coordinates) < FEWEST:
        return []
    found = [_carriers(column) for column in coordinates.T[:LOOKED_AT]]
    return [Localized(i + 1, rows) for i, rows in enumerate(found) if len(rows)]


def _carriers(column: Array) -> Array:
    order = np.argsort(column, kind="stable")
    ordered = column[order]
    held = int(np.ceil(SHARE * len(column)))
    widths = ordered[held - 1 :] - ordered[: len(column) - held + 1]
    first, width = int(np.argmin(widths)), float(ordered[-1] - ordered[0])
    if width == 0.0 or widths[first] > WIDTH * width:
        return np.empty(0, dtype=np.intp)
    middle = 0.5 * (ordered[first] + ordered[first + held - 1])
    away = np.abs(column - middle)
    outside = np.flatnonzero(away > 0.5 * WIDTH * width)
    return np.asarray(outside[np.argsort(-away[outside], kind="stable")])


def describe_localized(found: list[Localized], members: Array) -> str:
    """Return a sentence that names the coordinates and the points, by their rows."""
    parts = []
    for localized in found:
        rows = members[localized.carriers]
        shown = ", ".join(str(int(row)) for row in rows[:SHOWN])
        more = ", ..." if len(rows) > SHOWN else ""
        parts.append(
            f"coordinate {localized.coordinate} is carried by {len(rows)} of {len(members)} points "
            f"(rows {shown}{more})"
        )
    return "; ".join(parts)
