"""Patches of neighbourhoods -> one global eigenproblem that aligns them.

A patch is a quadratic form on a neighbourhood that vanishes where its coordinates look as they
should: LTSA asks for an affine map of the tangent plane, Hessian LLE for functions that are linear
in the tangent coordinates, modified LLE for several reconstruction weights at once. Their sum is
the matrix whose smallest eigenvectors are the coordinates.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import scipy.sparse as sp

from ..runtime import stage
from ..values import Array, EigenProblem
from .neighborhoods import weights

ENTRIES = 4_000_000  # of patches held before they are added up: a quarter of a gigabyte
# Functions that are neither affine nor quadratic on a neighbourhood do not show in its Hessian.
# Where neighbourhoods repeat (duplicate points, the ends of a curve) nothing else binds them, and
# they would be solutions of their own; a small weight keeps them out and leaves flat maps alone.
RESIDUE = 1e-2


def alignment(
    patches: Iterable[tuple[Array, Array]], n: int, masses: Array | None = None
) -> EigenProblem:
    """Return the problem of M = sum of patches, each placed at the points that it speaks of.

    Parameters
    ----------
    patches : iterable of tuple of ndarray
        Batches of members (b, m), first the point whose neighbourhood it is, and symmetric blocks
        (b, m, m) that vanish on constants.
    n : int
        Number of points.
    masses : ndarray of shape (n,), optional
        How often each point counts, where some have copies: its patch, and in the scale.

    Returns
    -------
    EigenProblem
        The smallest end of M, the constant vector left out.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import problem
    >>> block = np.array([[[1.0, -1.0], [-1.0, 1.0]]])
    >>> problem.alignment([(np.array([[0, 1]]), block), (np.array([[1, 2]]), block)], 3).end
    'smallest'
    """
    total: sp.csr_array | None = None
    waiting: list[tuple[Array, Array]] = []
    with stage("alignment", total=n) as running:
        for members, blocks in patches:
            if masses is not None:
                blocks = blocks * masses[members[:, 0], None, None]
            waiting.append((members, blocks))
            if sum(held.size for _, held in waiting) > ENTRIES:
                total, waiting = _added_up(waiting, n, total), []
            running.advance(len(members))
        matrix = _added_up(waiting, n, total)
        matrix = sp.csr_array(0.5 * (matrix + matrix.T))
        running.note(holds=matrix.data.nbytes + matrix.indices.nbytes, entries=matrix.nnz)
    return EigenProblem(matrix, "smallest", trivial=np.ones((n, 1)), mass=masses)


def alignment_bytes(n: int, members: float) -> float:
    """Return the bytes that aligning neighbourhoods takes at its peak.

    Measured on Swiss rolls of 10,000 to 40,000 points with 12 to 40 neighbours: what is held of the
    patches and of the sum so far, twice while they are added up.

    Parameters
    ----------
    n : int
        Number of points.
    members : float
        Points of a neighbourhood, the point itself included.

    Returns
    -------
    float
        The number of bytes.

    Examples
    --------
    >>> from unspool import problem
    >>> problem.alignment_bytes(1000, 11) / 1e6
    7.865
    """
    entries = n * members**2
    return 55.0 * min(entries, ENTRIES) + 10.0 * entries


def _added_up(
    batches: list[tuple[Array, Array]], n: int, total: sp.csr_array | None
) -> sp.csr_array:
    """Return ``total`` with the waiting patches added."""
    narrow = np.int32 if n < 2**31 else np.int64
    rows = [np.empty(0, narrow)]
    columns, values = list(rows), [np.empty(0)]
    for members, blocks in batches:
        points = members.astype(narrow)
        rows.append(np.broadcast_to(points[:, :, None], blocks.shape).ravel())
        columns.append(np.broadcast_to(points[:, None, :], blocks.shape).ravel())
        values.append(blocks.ravel())
    places = (np.concatenate(rows), np.concatenate(columns))
    added = sp.csr_array(sp.coo_array((np.concatenate(values), places), shape=(n, n)))
    return added if total is None else total + added


def tangent_patches(tangents: Array) -> Array:
    """Return I - G G' with G = [1/sqrt(m), tangents]: what is not affine on each neighbourhood.

    Parameters
    ----------
    tangents : ndarray of shape (b, m, d)
        Tangent coordinates, orthonormal and centred (Zhang and Zha 2004).

    Returns
    -------
    ndarray of shape (b, m, m)
        The patches.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import problem
    >>> clouds = np.random.default_rng(0).normal(size=(5, 8, 3))
    >>> problem.tangent_patches(problem.tangent_coordinates(clouds, 2)).shape
    (5, 8, 8)
    """
    b, m, _ = tangents.shape
    constant = np.full((b, m, 1), 1.0 / np.sqrt(m))
    frame = np.concatenate([constant, tangents], axis=2)
    return np.asarray(np.eye(m) - frame @ frame.transpose(0, 2, 1))


def members_needed(n_components: int) -> int:
    """Return how many members a neighbourhood needs: 1 + t + t(t+1)/2 columns to estimate.

    Parameters
    ----------
    n_components : int
        Number t of coordinates.

    Returns
    -------
    int
        The number of members, the point itself included.

    Examples
    --------
    >>> from unspool import problem
    >>> problem.members_needed(2)
    6
    """
    t = n_components
    return 1 + t + t * (t + 1) // 2


def hessian_patches(tangents: Array, *, plain: bool = False) -> Array:
    """Return H'H of each neighbourhood, with H the estimator of the tangent Hessian.

    The columns 1, the tangent coordinates, and their squares and cross-products are made
    orthonormal in this order; the part that belongs to the quadratic columns reads off the Hessian
    (Izenman 2013, eq. 16.53).

    Parameters
    ----------
    tangents : ndarray of shape (b, m, d)
        Orthonormal tangent coordinates.
    plain : bool, default=False
        The estimator alone, to which otherwise a hundredth of the projection on what is neither
        affine nor quadratic is added.

    Returns
    -------
    ndarray of shape (b, m, m)
        The patches.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import problem
    >>> clouds = np.random.default_rng(0).normal(size=(5, 8, 3))
    >>> problem.hessian_patches(problem.tangent_coordinates(clouds, 2)).shape
    (5, 8, 8)
    """
    m, t = tangents.shape[1:]
    first, second = np.triu_indices(t)
    quadratic = tangents[:, :, first] * tangents[:, :, second] * np.sqrt(m)
    ones = np.full((len(tangents), m, 1), 1.0 / np.sqrt(m))
    basis = np.linalg.qr(np.concatenate([ones, tangents, quadratic], axis=2))[0]
    estimator = basis[:, :, 1 + t :]
    hessian = np.asarray(estimator @ estimator.transpose(0, 2, 1))
    if plain:
        return hessian
    return np.asarray(hessian + RESIDUE * (np.eye(m) - basis @ basis.transpose(0, 2, 1)))


def local_spectra(grams: Array) -> Array:
    """Return the eigenvalues of local Gram matrices, largest first, none below zero.

    Parameters
    ----------
    grams : ndarray of shape (b, k, k)
        The Gram matrices.

    Returns
    -------
    ndarray of shape (b, k)
        The eigenvalues.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import problem
    >>> problem.local_spectra(np.diag([1.0, 3.0])[None])
    array([[3., 1.]])
    """
    return np.asarray(np.maximum(np.linalg.eigvalsh(grams)[:, ::-1], 0.0))


def flatness(spectra: Array, n_components: int) -> Array:
    """Return how much of each neighbourhood lies outside its first ``n_components`` directions.

    Parameters
    ----------
    spectra : ndarray of shape (b, k)
        Eigenvalues of the neighbourhoods, largest first.
    n_components : int
        Number of directions.

    Returns
    -------
    ndarray of shape (b,)
        What is left over what the directions hold.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import problem
    >>> problem.flatness(np.array([[3.0, 1.0, 1.0, 0.0]]), 2)
    array([0.25])
    """
    inside = spectra[:, :n_components].sum(axis=1)
    outside = spectra[:, n_components:].sum(axis=1)
    return np.asarray(outside / np.where(inside > 0.0, inside, 1.0))


def modified_patches(
    grams: Array, n_components: int, typical_flatness: float, regularization: float
) -> Iterator[tuple[Array, Array]]:
    """Yield (positions, blocks) of patches over a point and its k neighbours (Zhang, Wang 2007).

    Each point keeps as many weight vectors as its neighbourhood has directions that matter less
    than ``typical_flatness``; points with equally many come out together.

    Parameters
    ----------
    grams : ndarray of shape (b, k, k)
        Gram matrices of the neighbours, seen from their points.
    n_components : int
        Number of coordinates.
    typical_flatness : float
        The median of ``flatness`` over all points.
    regularization : float
        Share of the trace that is added to the diagonal.

    Yields
    ------
    tuple of ndarray
        Positions in the batch, and the blocks (b', k + 1, k + 1) of these points.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import problem
    >>> clouds = np.random.default_rng(0).normal(size=(5, 6, 3))
    >>> grams = problem.grams_of_points(np.zeros((5, 3)), clouds)
    >>> sum(len(blocks) for _, blocks in problem.modified_patches(grams, 2, 0.1, 1e-3))
    5
    """
    values, vectors = np.linalg.eigh(grams)
    values, vectors = np.maximum(values[:, ::-1], 0.0), vectors[:, :, ::-1]
    counts = _how_many(values, n_components, typical_flatness)
    single = weights(grams, regularization)
    for count in np.unique(counts):
        here = np.flatnonzero(counts == count)
        null = vectors[here][:, :, vectors.shape[2] - count :]
        misfit = np.concatenate(
            [np.ones((len(here), 1, count)), -_weight_vectors(null, single[here])], axis=1
        )
        yield here, misfit @ misfit.transpose(0, 2, 1)


def _how_many(values: Array, n_components: int, typical_flatness: float) -> Array:
    """Return for each point the largest s whose last s values stay below flatness * the rest."""
    k = values.shape[1]
    heads = np.cumsum(values, axis=1)
    tails = heads[:, -1:] - heads
    ratio = tails / np.where(heads > 0.0, heads, 1.0)
    kept = np.argmax(ratio <= typical_flatness, axis=1) + 1  # directions that matter
    return np.asarray(np.clip(k - np.maximum(kept, n_components), 1, max(1, k - 1)))


def _weight_vectors(null: Array, single: Array) -> Array:
    """Return weight vectors (b, k, s), each summing to one: the near-null space, reflected.

    A Householder reflection turns the null vectors so that all have the same sum, and the single
    regularised weight vector makes up for what is missing to one.
    """
    s = null.shape[2]
    sums = null.sum(axis=1)
    alpha = np.linalg.norm(sums, axis=1) / np.sqrt(s)
    axis = alpha[:, None] - sums
    lengths = np.linalg.norm(axis, axis=1, keepdims=True)
    axis = np.where(lengths > 1e-12, axis / np.where(lengths > 1e-12, lengths, 1.0), 0.0)
    reflected = null - 2.0 * (null @ axis[:, :, None]) * axis[:, None, :]
    return np.asarray(reflected + (1.0 - alpha)[:, None, None] * single[:, :, None])
