"""Nystroem: a kernel table known by a few of its columns, K ~ C W^+ C'.

Mohri et al. 2012, Exercise 15.4.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from ..runtime import stage
from ..values import Array, Similarity

INDEFINITE = 1e-8  # of the largest: rounding leaves values less negative
BLOCK_BYTES = 64 * 2**20
DRAWN_FROM = 20_000  # points that landmarks are drawn from, at most,
DRAWN_PER_LANDMARK = 40  # or so many for each, if that is more


def pivoted_cholesky(kernel: Similarity, X: Array, count: int, seed: int = 0) -> Array:
    """Return ``count`` landmarks drawn by accelerated randomly pivoted Cholesky.

    A point is drawn with probability proportional to what is left of its diagonal entry after the
    columns so far (Chen, Epperly, Tropp, Webber 2023); proposals come in blocks and are accepted
    one by one by rejection, which gives the same law with matrix products instead of single
    columns (2024). Of very many points, a uniform sample stands for all: it has dozens of points
    for each landmark.

    Parameters
    ----------
    kernel : callable
        ``kernel(X, Y)`` gives the table of kernel values.
    X : ndarray of shape (n_samples, n_features)
        The points.
    count : int
        Number of landmarks.
    seed : int, default=0
        Seed of the draw.

    Returns
    -------
    ndarray of int
        Row indices of the landmarks.

    Examples
    --------
    >>> from unspool import datasets, kernel
    >>> gaussian = kernel.Kernel("gaussian", gamma=1.0)
    >>> len(kernel.pivoted_cholesky(gaussian, datasets.circle(100).points, 5))
    5
    """
    rng = np.random.default_rng(seed)
    most = max(DRAWN_FROM, DRAWN_PER_LANDMARK * count)
    if len(X) > most:
        sample = np.sort(rng.choice(len(X), most, replace=False))
        return np.asarray(sample[_drawn(kernel, X[sample], count, rng)])
    return _drawn(kernel, X[:], count, rng)


def _drawn(kernel: Similarity, X: Array, count: int, rng: np.random.Generator) -> Array:
    left = np.array(kernel.diagonal(X), dtype=np.float64)
    largest, total = float(np.abs(left).max()), float(left.sum())
    check_definite(left, largest, "k(x, x)")
    factor = np.zeros((len(X), count))
    chosen: list[int] = []
    with stage("landmarks", total=count) as running:
        while len(chosen) < count and left.sum() > 1e-13 * total:
            proposals = rng.choice(len(X), max(8, count // 10), p=left / left.sum())
            accepted = _accept(kernel, X, factor[:, : len(chosen)], proposals, rng)
            accepted = accepted[: count - len(chosen)]
            fresh = _columns(kernel, X, factor[:, : len(chosen)], accepted)
            factor[:, len(chosen) : len(chosen) + len(accepted)] = fresh
            chosen.extend(int(point) for point in accepted)
            left = left - np.square(fresh).sum(axis=1)
            check_definite(left, largest, "what the landmarks leave of k(x, x)")
            left = np.maximum(left, 0.0)
            left[chosen] = 0.0
            running.advance(len(accepted))
    return np.array(chosen, dtype=np.intp)


def check_definite(values: Array, largest: float, what: str) -> None:
    """Raise ValueError if one of the values shows that a kernel is not positive semi-definite.

    Parameters
    ----------
    values : ndarray
        Values that no kernel makes negative: entries of a diagonal, or eigenvalues.
    largest : float
        Size that rounding is measured by.
    what : str
        What the values are, for the message.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import kernel
    >>> kernel.check_definite(np.array([2.0, 0.0, -1e-12]), 2.0, "an eigenvalue")
    """
    lowest = float(values.min(initial=0.0))
    if lowest < -INDEFINITE * largest:
        raise ValueError(
            f"the kernel is not positive semi-definite ({what} reaches {lowest:.3g}), and "
            "landmarks need one that is; leave n_landmarks and landmarks out to decompose the "
            "table of all pairs, or use another kernel"
        )


def features(kernel: Similarity, X: Array, landmarks: Array, inverse_root: Array) -> Array:
    """Return F = C W^(-1/2) of points: their Nystroem features, with F F' = C W^+ C'.

    Parameters
    ----------
    kernel : callable
        ``kernel(X, Y)`` gives the table of kernel values.
    X : ndarray of shape (n_samples, n_features)
        The points.
    landmarks : ndarray of shape (n_landmarks, n_features)
        The landmarks.
    inverse_root : ndarray of shape (n_landmarks, rank)
        W^(-1/2) of the table W of the landmarks.

    Returns
    -------
    ndarray of shape (n_samples, rank)
        The features.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import kernel
    >>> points = np.array([[1.0], [2.0]])
    >>> kernel.features(lambda X, Y: X @ Y.T, points, points[:1], np.ones((1, 1)))
    array([[1.],
           [2.]])
    """
    return np.asarray(kernel(X, landmarks) @ inverse_root)


def nystroem_error(kernel: Similarity, X: Array, landmarks: Array) -> float:
    """Return |K - C W^+ C'|_F over all pairs, block by block: K itself is never held.

    Equals |K_22 - K_21 W^+ K_21'|_F (Mohri et al. 2012, exercise 15.4 a).

    Parameters
    ----------
    kernel : callable
        ``kernel(X, Y)`` gives the table of kernel values.
    X : ndarray of shape (n_samples, n_features)
        The points.
    landmarks : ndarray of int
        Row indices of the landmarks.

    Returns
    -------
    float
        The error in the Frobenius norm.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import kernel
    >>> points = np.array([[1.0], [2.0], [3.0]])
    >>> round(kernel.nystroem_error(lambda X, Y: X @ Y.T, points, np.array([0])), 9)
    0.0
    """
    others = np.setdiff1d(np.arange(len(X)), landmarks)
    square = 0.0
    inner = np.linalg.pinv(kernel(X[landmarks], X[landmarks]), rcond=1e-13, hermitian=True)
    columns = kernel(X[others], X[landmarks])
    step = max(1, BLOCK_BYTES // (8 * max(1, len(others))))
    for first in range(0, len(others), step):
        rows = slice(first, first + step)
        gap = kernel(X[others[rows]], X[others]) - columns[rows] @ inner @ columns.T
        square += float(np.square(gap).sum())
    return float(np.sqrt(square))


def _accept(
    kernel: Similarity, X: Array, factor: Array, proposals: Array, rng: np.random.Generator
) -> Array:
    """Return the proposals that survive: each with the share of its entry that others left over."""
    gram = kernel(X[proposals], X[proposals]) - factor[proposals] @ factor[proposals].T
    start = np.diag(gram).copy()
    kept: list[int] = []
    for i in range(len(proposals)):
        if gram[i, i] > 1e-12 * start[i] > 0.0 and rng.random() * start[i] <= gram[i, i]:
            kept.append(i)
            column = gram[i:, i] / np.sqrt(gram[i, i])
            gram[i:, i:] -= np.outer(column, column)
    return np.asarray(proposals[kept])


def _columns(kernel: Similarity, X: Array, factor: Array, accepted: Array) -> Array:
    """Return the new columns of the Cholesky factor for the accepted landmarks."""
    rest = kernel(X, X[accepted]) - factor @ factor[accepted].T
    block = rest[accepted]
    triangle = np.linalg.cholesky(block + 1e-14 * np.trace(block) * np.eye(len(block)))
    return np.asarray(scipy.linalg.solve_triangular(triangle, rest.T, lower=True).T)
