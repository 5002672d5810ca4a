"""Block Krylov iteration: the leading eigenpairs of an operator that is known by its products.

One solver for three operators: a dense matrix, the inverse of a shifted sparse matrix, and a
polynomial filter of a sparse matrix. A block of vectors is expanded by the residuals of its leading
Ritz vectors, so that equal eigenvalues are found together (a single-vector Lanczos run may miss
the second one), and a product with a block costs little more memory traffic than with one vector.

Where hundreds of pairs are wanted, Ritz pairs are dear, and are not looked at after each product:
block Lanczos makes a basis of some 3.5 times as many vectors first, each orthogonal to all others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..runtime import Running, run_strips
from ..values import Array
from .operators import multiply_rows

EPS = float(np.finfo(np.float64).eps)
ACCURACY = 1e-9  # of a vector, where rounding permits
NEARLY = 1e-7  # of a vector, where progress that slows down is taken for rounding
WATCHED = 12  # passes whose progress tells of the next ones
HOPE = 2.0  # times that: progress may quicken
TOLERATED = 1e-5  # of a vector, where rounding in the operator does not permit more
FIRST, MORE, MOST = 3.4, 1.1, 6.0  # vectors of a basis for each pair, when pairs are looked at
CLUSTER = 1e-6  # of the largest value: as many values as a block has, so close, may hide others
ROWS = 512  # of a basis that a thread works on at a time
THREADED = 1 << 14  # rows, from which several threads take less time than one


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
    improve: Callable[[Array, Array], Array] | None = None,
) -> RitzPairs:
    """Return the leading eigenpairs of ``apply``, the first ``wanted`` of them accurate.

    The iteration starts from the block ``initial``. A pair is found when its residual is below
    ``accuracy`` times the distance of its value to the nearest other one: by Davis and Kahan its
    vector is then that accurate. Where rounding in the operator stops the progress earlier,
    TOLERATED must at least be met. Residuals below ``noise``, the rounding of the matrix itself,
    say nothing more: no solver could do better. One that ``gives_up`` ends as soon as the progress
    of the last passes says that ``max_passes`` will not do. ``improve`` makes of Ritz values and
    residuals what the vectors may lack, however roughly (Davidson 1975): without it, they expand
    the subspace as they are.
    """
    width = initial.shape[1]
    subspace = _Subspace.of_size(len(initial), max(4 * width, 48))
    subspace.add(_expand(subspace.basis, initial), apply)
    errors: list[float] = []
    for passes in range(1, max_passes + 1):
        running.facts["passes"] = passes
        running.advance(0)
        ritz = subspace.ritz(width)
        wrong = _wrongness(ritz.values, ritz.residuals, wanted, noise, accuracy)
        errors.append(float(wrong[: min(wanted, len(wrong))].max()))
        if errors[-1] <= 1.0 or _stalled(errors, accuracy) or subspace.used >= len(initial):
            break
        if gives_up and _is_hopeless(errors, max_passes):
            break
        if subspace.used + width > subspace.capacity:
            subspace.shrink(ritz.rotation[:, : 2 * width])
        lack = ritz.misfit if improve is None else improve(ritz.values, ritz.misfit)
        fresh = _expand(subspace.basis, lack)
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
        return _norms(self.misfit)


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
        across = _inner_products(self.basis, self.mapped[:, new])
        self.table[: self.used, new], self.table[new, :old] = across, across[:old].T

    def ritz(self, shown: int) -> _Ritz:
        """Return the leading Ritz pairs."""
        table = self.table[: self.used, : self.used]
        values, rotation = np.linalg.eigh(0.5 * (table + table.T))
        values, rotation = values[::-1][:shown], rotation[:, ::-1]
        leading, vectors, misfit = rotation[:, :shown], *np.empty((2, len(self.basis), len(values)))

        def work(rows: slice) -> None:
            np.matmul(self.basis[rows], leading, out=vectors[rows])
            np.matmul(self.images[rows], leading, out=misfit[rows])
            misfit[rows] -= vectors[rows] * values

        _run_rows(work, len(vectors))
        return _Ritz(values, vectors, misfit, rotation)

    def shrink(self, kept: Array) -> None:
        """Keep the span of ``basis @ kept`` alone; the columns of ``kept`` are orthonormal."""
        new = slice(0, kept.shape[1])
        used = self.used

        def work(rows: slice) -> None:
            for table in (self.columns, self.mapped):
                table[rows, new] = table[rows, :used] @ kept

        _run_rows(work, len(self.columns))
        self.table[new, new] = kept.T @ self.table[: self.used, : self.used] @ kept
        self.used = new.stop


def _wrongness(
    values: Array, residuals: Array, wanted: int, noise: float, accuracy: float
) -> Array:
    """Return each pair's residual over the one at which it counts as found."""
    size = max(float(np.abs(values).max()), float(np.finfo(float).tiny))
    gaps = np.abs(values[:, None] - values[None, :])
    gaps[gaps <= 1e-12 * size] = np.inf  # equal values: their vectors may rotate freely
    nearest = gaps.min(axis=1)
    nearest[np.isinf(nearest)] = size
    allowed = np.maximum(accuracy * nearest, max(32 * EPS * size, noise))
    wrong = residuals / allowed
    # pairs tied with the last wanted one belong to its eigenspace and must be found as well
    last = min(wanted, len(wrong)) - 1
    tied = np.abs(values - values[last]) <= 1e-6 * abs(values[last])
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


def many_leading_pairs(
    apply: Callable[[Array], Array],
    initial: Array,
    wanted: int,
    shown: int,
    running: Running,
    *,
    noise: float = 0.0,
) -> RitzPairs:
    """Return ``shown`` leading eigenpairs, the first ``wanted`` accurate: for hundreds of them.

    From a random block, Krylov spaces reach eigenspaces of as many dimensions as it has vectors.
    Where so many of the values found are equal, others may hide behind them: the pairs are not
    called converged then.
    """
    n, width = initial.shape
    most = min(n // 2, int(MOST * shown))
    lanczos, due = _LanczosBasis.of_size(n, most + width), FIRST * shown
    block, passes, is_done = _expand(lanczos.columns[:, :0], initial), 0, False
    while not is_done:
        passes += 1
        running.facts["passes"] = passes
        running.advance(0)
        rest = lanczos.add(block, apply)
        block = lanczos.normalized(rest)
        is_done = lanczos.used > most or block.shape[1] == 0
        if is_done or lanczos.used >= due:
            values, rotation, residuals = lanczos.ritz(rest)
            wrong = _wrongness(values[:shown], residuals[:shown], wanted, noise, ACCURACY)
            is_good = float(wrong[:wanted].max()) <= 1.0
            is_done, due = is_done or is_good, due * MORE
    spans = values[: max(0, shown + 1 - width)] - values[width - 1 : shown]
    vectors = multiply_rows(lanczos.columns[:, : lanczos.used], rotation[:, :shown])
    is_good = is_good and not (spans <= CLUSTER * values[0]).any()
    return RitzPairs(values[:shown], vectors, residuals[:shown], passes, is_good)


@dataclass
class _LanczosBasis:
    """An orthonormal basis, block by block, and what an operator is on its span."""

    columns: Array
    table: Array
    used: int = 0
    last: int = 0  # where the last block begins

    @classmethod
    def of_size(cls, n: int, capacity: int) -> _LanczosBasis:
        """Return an empty basis."""
        return cls(np.empty((n, capacity)), np.zeros((capacity, capacity)))

    def add(self, block: Array, apply: Callable[[Array], Array]) -> Array:
        """Take in an orthonormal block; return what its image has beyond the span."""
        before, self.last, self.used = self.last, self.used, self.used + block.shape[1]
        new = slice(self.last, self.used)
        self.columns[:, new] = block
        rest = apply(block)
        # all but rounding is along the last two blocks, and then rounding along all goes as well
        for first in (before, 0):
            along = _take_out(self.columns[:, first : self.used], rest)
            self.table[first : self.used, new] += along
        self.table[new, : self.used] = self.table[: self.used, new].T
        return rest

    def normalized(self, rest: Array) -> Array:
        """Return an orthonormal basis of what is left of an image, without what is rounding."""
        size = float(np.abs(self.table[: self.used, : self.used]).max())
        weights, axes = np.linalg.eigh(rest.T @ rest)
        kept = weights > max(1e-22 * size**2, 1e-12 * float(weights[-1]))
        block = rest @ (axes[:, kept] / np.sqrt(weights[kept]))
        if kept.any() and float(weights[kept][0]) < 1e-9 * size**2:  # rounding has grown with it
            _take_out(self.columns[:, : self.used], block)
        return _orthonormal(block)

    def ritz(self, rest: Array) -> tuple[Array, Array, Array]:
        """Return Ritz values, their vectors in terms of the basis, and residuals."""
        values, rotation = np.linalg.eigh(self.table[: self.used, : self.used])
        values, rotation = values[::-1], rotation[:, ::-1]
        triangle = np.linalg.qr(rest, mode="r")
        residuals = np.linalg.norm(triangle @ rotation[self.last : self.used], axis=0)
        return values, rotation, residuals


def _take_out(basis: Array, block: Array) -> Array:
    """Take what lies along an orthonormal basis out of a block, in place; return its coefficients.

    By strips of rows, added up in order: the same bits on any number of threads.
    """
    along = _inner_products(basis, block)

    def subtract(rows: slice) -> None:
        block[rows] -= basis[rows] @ along

    _run_rows(subtract, len(block))
    return along


def _inner_products(one: Array, other: Array) -> Array:
    """Return one' other, added up by strips of rows."""
    shares = np.empty((-(-len(one) // ROWS), one.shape[1], other.shape[1]))

    def multiply(rows: slice) -> None:
        np.matmul(one[rows].T, other[rows], out=shares[rows.start // ROWS])

    _run_rows(multiply, len(one))
    return np.asarray(shares.sum(axis=0))


def _run_rows(work: Callable[[slice], None], n: int) -> None:
    """Call ``work`` for all strips of rows, by several threads where that saves time."""
    if n >= THREADED:
        run_strips(work, n, ROWS)
        return
    for first in range(0, n, ROWS):
        work(slice(first, min(first + ROWS, n)))


def _expand(basis: Array, block: Array) -> Array:
    """Return an orthonormal basis of what ``block`` adds to ``basis``; directions of noise go."""
    for _ in range(2):  # twice is enough to be orthogonal to rounding
        block = _unit_columns(block, 0.0)
        _take_out(basis, block)
        block = _orthonormal(_unit_columns(block, 1e-10))
    return block


def _unit_columns(block: Array, least: float) -> Array:
    """Return those columns that are longer than ``least``, each with length one."""
    norms = _norms(block)
    kept = norms > least
    return np.asarray((block if kept.all() else block[:, kept]) / norms[kept])


def _norms(block: Array) -> Array:
    """Return the lengths of the columns."""
    return np.asarray(np.sqrt(np.einsum("ij,ij->j", block, block)))


def _orthonormal(block: Array) -> Array:
    """Return an orthonormal basis of unit columns, without the directions they nearly lack.

    By the Gram matrix, which takes a tenth of the time of a QR decomposition and is exact enough
    for columns that are nearly orthogonal: those of the second time.
    """
    if block.shape[1] == 0:
        return block
    weights, axes = np.linalg.eigh(_inner_products(block, block))
    kept = weights > 1e-12
    return np.asarray(block @ (axes[:, kept] / np.sqrt(weights[kept])))
