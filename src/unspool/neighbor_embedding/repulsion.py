"""Forces between all points of a map: every pair, a grid, or a tree.

With the potential phi(z) = sum_j 1 / (1 + |z - y_j|^2), the normaliser of t-SNE is the sum of
phi(y_i) less the n pairs of a point with itself, and the repulsive force on a point is minus half
the gradient of phi there. So one potential is enough: a grid takes two fast Fourier transforms a
step, where interpolating the forces themselves takes eight (Linderman et al. 2019).

Points go to the grid, and the potential back, by B-splines of degree 5 whose blurring the transform
takes out again, as in smooth particle mesh Ewald sums (Essmann et al. 1995).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

import numpy as np
import scipy.fft

from ..runtime import run_kernel, thread_count
from ..values import Array

Gradient = Literal["auto", "exact", "interpolation", "barnes-hut"]

FEW = 1_000  # points up to which all pairs are faster than a grid
SPACING = 0.5  # of the grid: the potential of a point is 1 wide (forces err by 1 to 4 %)
FEWEST_NODES = 48  # along an axis, so that a map much smaller than 1 is resolved too
MARGIN = 24  # nodes left free, where what sharpening leaks dies away (by 0.43 a node)
SHARES = 4  # grids that points are added to, whatever the number of threads
SPARE_CELLS = 1280  # of a tree: chains of halvings that part no points
STRIPS = 16  # calls over all points, so that threads can share them
ANGLE = 0.5  # under which a cell of the tree counts as one point
NODES = 7  # beyond the cells of a map, that a spline at its edge touches
MANY_NODES = 2**20
NODES_PER_POINT = 400  # of a grid, that cost what a point costs in a tree (two axes)


class Forces(NamedTuple):
    """Sum of c_j (z - y_j) w_j^2 at each point z, and the potential: sum of c_j w_j.

    w = 1 / (1 + r^2), and c_j points share the place y_j.
    """

    forces: Array
    potentials: Array


class Potential(Protocol):
    """What the places of a map do to a point anywhere."""

    def at(self, points: Array) -> Forces:
        """Return force and potential at points, each on its own."""
        ...


@dataclass(frozen=True, slots=True)
class PairPotential:
    """The potential by all pairs."""

    places: Array
    counts: Array

    def at(self, points: Array) -> Forces:
        """Return force and potential at points."""
        from .neighbor_embedding_kernels import repel_all

        found = _empty(points)
        axes = np.ascontiguousarray(self.places.T)
        run_kernel(repel_all, (points, axes, self.counts, *found), len(points), strip(len(points)))
        return found


@dataclass(frozen=True, slots=True)
class GridPotential:
    """The potential at the nodes of a grid; ``shift`` was taken from every weight."""

    corner: Array
    spacing: float
    nodes: Array
    shift: float

    def at(self, points: Array) -> Forces:
        """Return force and potential at points."""
        from .neighbor_embedding_kernels import gather

        found = _empty(points)
        given = points, self.corner, self.spacing, self.nodes, *found
        run_kernel(gather, given, len(points), strip(len(points)))
        found.potentials[:] += self.shift
        return found


@dataclass(frozen=True, slots=True)
class TreePotential:
    """The potential by the cells of a tree (Barnes and Hut 1986; van der Maaten 2014)."""

    places: Array
    counts: Array
    angle: float
    tree: tuple[Array, Array, Array, Array, Array, Array]

    @classmethod
    def of(cls, places: Array, counts: Array, angle: float = ANGLE) -> TreePotential:
        """Build the tree over places."""
        from .neighbor_embedding_kernels import build_tree, morton_codes

        corner = places.min(axis=0)
        side = max(float((places.max(axis=0) - corner).max()), 1e-300)
        codes = np.empty(len(places), np.int64)
        morton_codes(places, corner, side, codes)
        order = np.argsort(codes, kind="stable")
        room = 2 * len(places) + SPARE_CELLS
        firsts, lasts, skips = (np.empty(room, np.int64) for _ in range(3))
        sides, masses, centers = np.empty(room), np.empty(room), np.empty((room, places.shape[1]))
        cells = firsts, lasts, skips, sides, masses, centers
        ordered = np.ascontiguousarray(places[order]), np.ascontiguousarray(counts[order])
        used = build_tree(codes[order], *ordered, side, *cells)
        return cls(*ordered, angle, tuple(array[:used] for array in cells))  # type: ignore[arg-type]

    def at(self, points: Array) -> Forces:
        """Return force and potential at points."""
        from .neighbor_embedding_kernels import repel_cells

        found = _empty(points)
        given = points, self.places, self.counts, self.angle, self.tree, *found
        run_kernel(repel_cells, given, len(points), strip(len(points)))
        return found


def strip(n_points: int) -> int:
    """Return how many points a call takes: a call costs what ten points do."""
    return max(64, -(-n_points // STRIPS))


def _empty(points: Array) -> Forces:
    return Forces(np.empty(points.shape), np.empty(len(points)))


@dataclass(frozen=True, slots=True)
class Kernel:
    """The weight 1 / (1 + r^2) less ``shift`` on a torus of nodes: its sharpened transform.

    The shift is 1 for maps much smaller than 1, where all weights are nearly that.
    """

    sides: tuple[int, ...]
    spacing: float
    shift: float
    waves: Array

    @classmethod
    def of(cls, sides: tuple[int, ...], spacing: float, shift: float) -> Kernel:
        """Transform the weight, divided by what a B-spline at either end of a path does."""
        steps = [np.minimum(np.arange(side), side - np.arange(side)) * spacing for side in sides]
        square = np.add.outer(steps[0] ** 2, steps[1] ** 2)
        weight = -square / (1.0 + square) if shift else 1.0 / (1.0 + square)
        blur = np.multiply.outer(_blur(sides[0]), _blur(sides[1])[: sides[1] // 2 + 1])
        waves = scipy.fft.rfft2(weight) / blur
        # single precision is far below the error of the grid, but not where a shift was taken
        return cls(sides, spacing, shift, waves if shift else waves.astype(np.complex64))

    def convolve(self, grid: Array) -> Array:
        """Return the potential of masses on a grid; the padding is not transformed in vain."""
        rows, columns = grid.shape
        options = {"workers": thread_count(), "overwrite_x": True}
        waves = scipy.fft.rfft(grid, n=self.sides[1], axis=1, **options)
        waves = scipy.fft.fft(waves, n=self.sides[0], axis=0, **options)
        waves *= self.waves
        waves = scipy.fft.ifft(waves, axis=0, **options)[:rows]
        potential = scipy.fft.irfft(waves, n=self.sides[1], axis=1, **options)
        return np.ascontiguousarray(potential[:, :columns])


def _blur(side: int) -> Array:
    """Return what a B-spline of degree 5 at both ends of a path does to each frequency."""
    turn = 2.0 * np.pi * scipy.fft.fftfreq(side)
    return np.asarray(((66.0 + 52.0 * np.cos(turn) + 2.0 * np.cos(2.0 * turn)) / 120.0) ** 2)


@dataclass(slots=True)
class Repulsion:
    """Makes the potential of a map, again and again as the map moves.

    The transform of the last kernel is kept, since it mostly serves the next map too.
    """

    counts: Array
    gradient: Gradient = "auto"
    angle: float = ANGLE
    _kernel: Kernel | None = field(default=None, repr=False)

    def of(self, places: Array, margin: float = 0.0) -> Potential:
        """Return the potential of the places of a map, and of so much around it."""
        # column by column: NumPy takes twenty times as long to go down short rows
        corner = np.array([axis.min() for axis in places.T]) - margin
        extent = np.array([axis.max() for axis in places.T]) + margin - corner
        how = choose(len(places), extent) if self.gradient == "auto" else self.gradient
        if how == "exact":
            return PairPotential(places, self.counts)
        if how == "barnes-hut":
            return TreePotential.of(places, self.counts, self.angle)
        return self._grid(places, corner, extent)

    def _grid(self, places: Array, corner: Array, extent: Array) -> GridPotential:
        from .neighbor_embedding_kernels import spread

        spacing = _spacing(float(extent.max()))
        shift = 1.0 if float(extent.max()) < 1.0 else 0.0
        shape = [int(side / spacing) + NODES for side in extent] + [1] * (2 - len(extent))
        sides = tuple(1 if count == 1 else _fast_length(2 * count + MARGIN) for count in shape)
        kept = self._kernel
        if kept is None or (kept.sides, kept.spacing, kept.shift) != (sides, spacing, shift):
            kept = self._kernel = Kernel.of(sides, spacing, shift)
        grids = np.empty((SHARES, *shape), kept.waves.real.dtype)
        run_kernel(spread, (places, self.counts, corner, spacing, grids), SHARES, 1)
        nodes = kept.convolve(grids.sum(axis=0))
        return GridPotential(corner, spacing, nodes, shift * float(self.counts.sum()))


def choose(n_points: int, extent: Array) -> Gradient:
    """Return what is fastest for a map: a grid, unless most of it would be empty.

    Parameters
    ----------
    n_points : int
        Number of places.
    extent : ndarray of shape (n_components,)
        Width of the map along each axis.

    Returns
    -------
    {"exact", "interpolation", "barnes-hut"}
        All pairs, a grid (one or two axes), or a tree.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import neighbor_embedding
    >>> neighbor_embedding.choose(10_000, np.array([150.0, 150.0]))
    'interpolation'
    """
    if n_points <= FEW or len(extent) > 3:
        return "exact"
    if len(extent) == 3:
        return "barnes-hut"
    nodes = float(np.prod(extent / SPACING + MARGIN))
    return "interpolation" if nodes <= NODES_PER_POINT * n_points + MANY_NODES else "barnes-hut"


def _spacing(extent: float) -> float:
    """Return the spacing of a grid: ``SPACING``, or finer by quarters of an octave."""
    share = max(extent, 1e-200) / (SPACING * FEWEST_NODES)
    return SPACING if share >= 1.0 else float(SPACING * 2.0 ** (np.floor(4 * np.log2(share)) / 4))


def _fast_length(at_least: int) -> int:
    """Return an even length that transforms fast, in steps that let the map grow a little."""
    length = -(-at_least // 32) * 32
    while scipy.fft.next_fast_len(length, real=True) != length:
        length += 2
    return length
