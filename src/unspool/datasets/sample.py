"""What a data set with known truth is, and the checks that all generators share.

A map can only be judged against what it should have found. So a generator does not return points
alone: it returns a `Sample`, the points together with the coordinates they were made from. Where
a surface can be flattened without stretching (a roll, a bent sheet) those coordinates are lengths
along the surface, so that a method which claims isometry can be held to it number by number.
Noise is added to the points and never to the coordinates: the truth stays the truth.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
import numpy.typing as npt

from ..values import html_table

Floats = npt.NDArray[np.float64]
Seed = int | np.random.Generator


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Points in space and the parameters that made them; every array is read-only.

    Attributes
    ----------
    name : str
        The dashed name of the generator, as in `demo:swiss-roll`.
    points : ndarray of shape (n, D)
        What a method is given.
    coordinates : ndarray of shape (n, d)
        What a method should find, before noise.
    color : ndarray of shape (n,)
        One number per point that makes a map of it readable.
    """

    name: str
    points: Floats
    coordinates: Floats
    color: Floats

    def __post_init__(self) -> None:
        """Copy the arrays to float64, freeze them, and refuse lengths that do not agree."""
        for field, dimensions in (("points", 2), ("coordinates", 2), ("color", 1)):
            array = np.array(getattr(self, field), dtype=np.float64)
            if array.ndim != dimensions:
                raise ValueError(
                    f"{field} of '{self.name}' must have {dimensions} axes, got shape "
                    f"{array.shape}; reshape it to one row per point"
                )
            array.setflags(write=False)
            object.__setattr__(self, field, array)
        lengths = {len(self.points), len(self.coordinates), len(self.color)}
        if len(lengths) != 1:
            raise ValueError(
                f"points, coordinates and color of '{self.name}' must have one row per point, "
                f"got {len(self.points)}, {len(self.coordinates)} and {len(self.color)} rows"
            )

    def _repr_html_(self) -> str:
        """Return the shapes and ranges of the arrays for a notebook."""
        arrays = {"points": self.points, "coordinates": self.coordinates, "color": self.color}
        lines = [[name, " x ".join(map(str, a.shape)), _range(a)] for name, a in arrays.items()]
        return html_table([self.name, "shape", "range"], lines, ())


def _range(array: Floats) -> str:
    return f"{array.min():.4g} to {array.max():.4g}" if array.size else ""


def random_source(seed: Seed) -> np.random.Generator:
    """Return the generator behind `seed`: itself if it is one, else a new one started there."""
    if isinstance(seed, np.random.Generator):
        return seed
    if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
        raise ValueError(
            f"seed must be a whole number >= 0 or a numpy.random.Generator, got {seed!r}; "
            "pass for example seed=0"
        )
    return np.random.default_rng(int(seed))


def checked_count(value: int, name: str, at_least: int = 1) -> int:
    """Return `value` as a whole number no smaller than `at_least`, or say what it should be."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < at_least:
        raise ValueError(
            f"{name} must be a whole number >= {at_least}, got {value!r}; "
            f"pass for example {name}={max(at_least, 1)}"
        )
    return int(value)


def checked_length(value: float, name: str, at_most: float = math.inf) -> float:
    """Return `value` as a finite number with 0 < value <= at_most, or say what it should be."""
    bound = "" if math.isinf(at_most) else f" and <= {at_most:.6g}"
    if not isinstance(value, Real) or not 0 < value <= at_most or math.isinf(value):
        raise ValueError(f"{name} must be a finite number > 0{bound}, got {value!r}; change {name}")
    return float(value)


def with_noise(points: Floats, noise: float, rng: np.random.Generator) -> Floats:
    """Add independent Gaussian noise of standard deviation `noise` to every entry.

    Without noise the points are returned untouched and no random number is used up, so that they
    satisfy the equation of their surface to the last bit that its formula gives.
    """
    if not isinstance(noise, Real) or not 0 <= noise < math.inf:
        raise ValueError(
            f"noise must be a finite standard deviation >= 0, got {noise!r}; "
            "pass noise=0.0 for points exactly on the surface"
        )
    if noise == 0:
        return points
    return points + float(noise) * rng.standard_normal(points.shape)
