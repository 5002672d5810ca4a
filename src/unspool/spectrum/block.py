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

from ..progress import Running
from ..values import Array

EPS = float(np.finfo(np.float64).eps)
ACCURACY = 1e-9  # of a vector, where rounding permits
NEARLY = 1e-7  # of a vector, where progress that slows down is taken for rounding
TOLERATED = 1e-5  # of a vector, where rounding in the operator does not permit more


@dataclass(frozen=True)
class Leading:
    """Leading Ritz pairs, largest value first, and whether they may be trusted."""

    values: Array
    vectors: Array
    residuals: Array
    passes: int
    converged: bool


def leading_pairs(
    apply: Callable[[Array], Array],
    start: Array,
    wanted: int,
    running: Running,
    *,
    max_passes: int = 300,
    noise: float = 0.0,
    accuracy: float = ACCURACY,
) -> Leading:
    """Return leading eigenpairs of ``apply`` from the block ``start``; ``wanted`` must be accurate.

    A pair is found when its residual is below ``accuracy`` times the distance of its value to the
    nearest other one: by Davis and Kahan its vector is then that accurate. Where rounding in the
    operator stops the progress earlier, TOLERATED must at least be met. Residuals below ``noise``,
    the rounding of the matrix itself, say nothing more: no solver could do better.
    """
    width = start.shape[1]
    basis = _expand(np.zeros((len(start), 0)), start)
    images = apply(basis)
    errors: list[float] = []
    for passes in range(1, max_passes + 1):
        running.facts["passes"] = passes
        running.advance(0)
        ritz = _ritz(basis, images, width)
        wrong = _wrongness(ritz, wanted, noise, accuracy)
        errors.append(float(wrong[: min(wanted, len(wrong))].max()))
        if errors[-1] <= 1.0 or _stalled(errors, accuracy) or basis.shape[1] >= len(start):
            break
        if basis.shape[1] + width > max(4 * width, 48):
            kept = ritz.rotation[:, : min(2 * width, basis.shape[1])]
            basis, images = basis @ kept, images @ kept
        fresh = _expand(basis, ritz.misfit[:, np.argsort(-wrong)])
        if fresh.shape[1] == 0:  # the basis spans an invariant subspace: nothing more to find
            break
        basis, images = np.hstack([basis, fresh]), np.hstack([images, apply(fresh)])
    good = len(ritz.values) >= wanted and errors[-1] <= max(1.0, TOLERATED / accuracy)
    return Leading(ritz.values, ritz.vectors, ritz.residuals, passes, good)


@dataclass(frozen=True)
class _Ritz:
    values: Array
    vectors: Array
    misfit: Array
    rotation: Array

    @property
    def residuals(self) -> Array:
        return np.asarray(np.linalg.norm(self.misfit, axis=0))


def _ritz(basis: Array, images: Array, shown: int) -> _Ritz:
    projected = basis.T @ images
    values, rotation = np.linalg.eigh(0.5 * (projected + projected.T))
    values, rotation = values[::-1][:shown], rotation[:, ::-1]
    vectors = basis @ rotation[:, :shown]
    misfit = images @ rotation[:, :shown] - vectors * values
    return _Ritz(values, vectors, misfit, rotation)


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


def _expand(basis: Array, block: Array) -> Array:
    """Return an orthonormal basis of what ``block`` adds to ``basis``; directions of noise go."""
    norms = np.linalg.norm(block, axis=0)
    block = block[:, norms > 0] / norms[norms > 0]
    for smallest in (1e-10, 1e-5):  # twice is enough to be orthogonal to rounding
        block = _orthonormal(block - basis @ (basis.T @ block), smallest)
    return block


def _orthonormal(block: Array, smallest: float) -> Array:
    """Return an orthonormal basis of the directions in which ``block`` is not ``smallest``."""
    if block.shape[1] == 0:
        return block
    fresh, triangle = np.linalg.qr(block)
    return np.asarray(fresh[:, np.abs(np.diag(triangle)) > smallest])
