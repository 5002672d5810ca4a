"""The patch of modified LLE: several reconstruction weights for each point instead of one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ... import barycentric
from ...values import Array


def local_spectra(grams: Array) -> Array:
    """Return the eigenvalues (b, k) of local Gram matrices, largest first, none below zero."""
    return np.asarray(np.maximum(np.linalg.eigvalsh(grams)[:, ::-1], 0.0))


def flatness(spectra: Array, n_components: int) -> Array:
    """Return how much of each neighbourhood lies outside its first ``n_components`` directions."""
    inside = spectra[:, :n_components].sum(axis=1)
    outside = spectra[:, n_components:].sum(axis=1)
    return np.asarray(outside / np.where(inside > 0.0, inside, 1.0))


def modified_patches(
    grams: Array, n_components: int, typical_flatness: float, regularization: float
) -> Iterator[tuple[Array, Array]]:
    """Yield (positions, blocks) of patches over a point and its k neighbours (Zhang, Wang 2007).

    Each point keeps as many weight vectors as its neighbourhood has directions that matter less
    than ``typical_flatness``; points with equally many come out together.
    """
    values, vectors = np.linalg.eigh(grams)
    values, vectors = np.maximum(values[:, ::-1], 0.0), vectors[:, :, ::-1]
    counts = _how_many(values, n_components, typical_flatness)
    single = barycentric.weights(grams, regularization)
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
