"""Block Krylov iteration: the leading eigenpairs of an operator that is known by its products.

One solver for three operators: a dense matrix, the inverse of a shifted sparse matrix, and a
polynomial filter of a sparse matrix. A block of vectors is expanded by the residuals of its leading
Ritz vectors, so that equal eigenvalues are found together (a single-vector Lanczos run may miss
the second one), and a product with a block costs little more memory traffic than with one vector.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..runtime import Running
from ..values import Array

EPS = float(np.finfo(np.float64).eps)
ACCURACY = 1e-9  # of a vector, where rounding permits
NEARLY = 1e-7  # of a vector, where progress that slows down is taken for rounding
WATCHED = 12  # passes whose progress tells of the next ones
HOPE = 2.0  # times that: progress may quicken
TOLERATED = 1e-5  # of a vector, where rounding in the operator does not permit more


@dataclass(frozen=True)
class RitzPairs:
    """RitzPairs Ritz pairs, largest value first, and whether they may be trusted."""

    values: Array
    vectors: Array
    residuals: Array
    passes: int
    converged: bool


def leading_pairs(
    apply: Callable[[Array], Array],
    initial: Array,
    wanted: int,
    running: Running,
    *,
    max_passes: int = 300,
    noise: float = 0.0,
    accuracy: float = ACCURACY,
    gives_up: bool = False,
) -> RitzPairs:
    """Return the leading eigenpairs of ``apply``, the first ``wanted`` of them accurate.

    The iteration starts from the block ``initial``. A pair is found when its residual is below
    ``accuracy`` times the distance of its value to the nearest other one: by Davis and Kahan its
    vector is then that accurate. Where rounding in the operator stops the progress earlier,
    TOLERATED must at least be met. Residuals below ``noise``, the rounding of the matrix itself,
    say nothing more: no solver could do better. One that ``gives_up`` ends as soon as the progress
    of the last passes says that ``max_passes`` will not do.
    """
    width = initial.shape[1]
    subspace = _Subspace.of_size(len(initial), max(4 * width, 48))
    subspace.add(_expand(subspace.basis, initial), apply)
    errors: list[float] = []
    for passes in range(1, max_passes + 1):
        running.facts["passes"] = passes
        running.advance(0)
        ritz = subspace.ritz(width)
        wrong = _wrongness(ritz, wanted, noise, accuracy)
        errors.append(float(wrong[: min(wanted, len(wrong))].max()))
        if errors[-1] <= 1.0 or _stalled(errors, accuracy) or subspace.used >= len(initial):
            break
        if gives_up and _is_hopeless(errors, max_passes):
            break
        if subspace.used + width > subspace.capacity:
            subspace.shrink(ritz.rotation[:, : 2 * width])
        fresh = _expand(subspace.basis, ritz.misfit)
        if fresh.shape[1] == 0:  # the basis spans an invariant subspace: nothing more to find
            break
        subspace.add(fresh, apply)
    good = len(ritz.values) >= wanted and errors[-1] <= max(1.0, TOLERATED / accuracy)
    return RitzPairs(ritz.values, ritz.vectors, ritz.residuals, passes, good)


@dataclass(frozen=True)
class _Ritz:
    values: Array
    vectors: Array
    misfit: Array
    rotation: Array

    @property
    def residuals(self) -> Array:
        return np.asarray(np.linalg.norm(self.misfit, axis=0))


@dataclass
class _Subspace:
    """An orthonormal basis, its images, and basis' images, in storage that is taken once."""

    columns: Array
    mapped: Array
    table: Array
    used: int = 0

    @classmethod
    def of_size(cls, n: int, capacity: int) -> _Subspace:
        """Return an empty subspace; columns lie side by side in memory."""
        columns, mapped = (np.empty((n, capacity), order="F") for _ in range(2))
        return cls(columns, mapped, np.empty((capacity, capacity)))

    @property
    def capacity(self) -> int:
        """How many vectors it can hold."""
        return int(self.columns.shape[1])

    @property
    def basis(self) -> Array:
        """The vectors it holds."""
        return np.asarray(self.columns[:, : self.used])

    @property
    def images(self) -> Array:
        """What the operator makes of them."""
        return np.asarray(self.mapped[:, : self.used])

    def add(self, fresh: Array, apply: Callable[[Array], Array]) -> None:
        """Take in orthonormal vectors that are orthogonal to those it holds."""
        old, new = self.used, slice(self.used, self.used + fresh.shape[1])
        self.columns[:, new], self.mapped[:, new] = fresh, apply(fresh)
        self.used = new.stop
        across = self.basis.T @ self.mapped[:, new]
        self.table[: self.used, new], self.table[new, :old] = across, across[:old].T

    def ritz(self, shown: int) -> _Ritz:
        """Return the leading Ritz pairs."""
        table = self.table[: self.used, : self.used]
        values, rotation = np.linalg.eigh(0.5 * (table + table.T))
        values, rotation = values[::-1][:shown], rotation[:, ::-1]
        vectors = self.basis @ rotation[:, :shown]
        misfit = self.images @ rotation[:, :shown] - vectors * values
        return _Ritz(values, vectors, misfit, rotation)

    def shrink(self, kept: Array) -> None:
        """Keep the span of ``basis @ kept`` alone; the columns of ``kept`` are orthonormal."""
        new = slice(0, kept.shape[1])
        self.columns[:, new], self.mapped[:, new] = self.basis @ kept, self.images @ kept
        self.table[new, new] = kept.T @ self.table[: self.used, : self.used] @ kept
        self.used = new.stop


def _wrongness(ritz: _Ritz, wanted: int, noise: float, accuracy: float) -> Array:
    """Return each pair's residual over the one at which it counts as found."""
    size = max(float(np.abs(ritz.values).max()), float(np.finfo(float).tiny))
    gaps = np.abs(ritz.values[:, None] - ritz.values[None, :])
    gaps[gaps <= 1e-12 * size] = np.inf  # equal values: their vectors may rotate freely
    nearest = gaps.min(axis=1)
    nearest[np.isinf(nearest)] = size
    allowed = np.maximum(accuracy * nearest, max(32 * EPS * size, noise))
    wrong = ritz.residuals / allowed
    # pairs tied with the last wanted one belong to its eigenspace and must be found as well
    last = min(wanted, len(wrong)) - 1
    tied = np.abs(ritz.values - ritz.values[last]) <= 1e-6 * abs(ritz.values[last])
    wrong[last] = wrong[tied].max()
    return np.asarray(wrong)


def _stalled(errors: list[float], accuracy: float) -> bool:
    """Tell whether the error is tolerable and has not halved for a while.

    A while is one pass where little is missing: there it is rounding that holds it up.
    """
    tolerable = errors[-1] <= TOLERATED / accuracy
    patience = 1 if errors[-1] <= NEARLY / accuracy else 6
    return tolerable and len(errors) > patience and errors[-1] > 0.5 * errors[-1 - patience]


def _is_hopeless(errors: list[float], max_passes: int) -> bool:
    """Tell whether errors that go on as they did will not be small after all passes.

    They stay where they are for some passes, up to eight where they then fell (MNIST, clouds in
    eight dimensions), and fall by the same share from then on.
    """
    if len(errors) < WATCHED:
        return False
    if errors[-1] > 0.1 * max(errors[:3]):
        return True
    rate = np.log(errors[-1 - WATCHED // 2] / errors[-1]) / (WATCHED // 2)
    return bool(np.log(errors[-1]) > HOPE * rate * (max_passes - len(errors)))


def _expand(basis: Array, block: Array) -> Array:
    """Return an orthonormal basis of what ``block`` adds to ``basis``; directions of noise go."""
    for _ in range(2):  # twice is enough to be orthogonal to rounding
        norms = np.linalg.norm(block, axis=0)
        block = block[:, norms > 0] / norms[norms > 0]
        block = block - basis @ (basis.T @ block)
        norms = np.linalg.norm(block, axis=0)
        block = _orthonormal(block[:, norms > 1e-10] / norms[norms > 1e-10])
    return block


def _orthonormal(block: Array) -> Array:
    """Return an orthonormal basis of unit columns, without the directions they nearly lack.

    By the Gram matrix, which takes a tenth of the time of a QR decomposition and is exact enough
    for columns that are nearly orthogonal: those of the second time.
    """
    if block.shape[1] == 0:
        return block
    weights, axes = np.linalg.eigh(block.T @ block)
    kept = weights > 1e-12
    return np.asarray(block @ (axes[:, kept] / np.sqrt(weights[kept])))
