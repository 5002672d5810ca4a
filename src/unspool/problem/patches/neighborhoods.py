"""Neighbourhoods as batches of small clouds: each point together with its neighbours."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...values import Array, NeighborGraph

CHUNK_BYTES = 32 * 2**20


def neighborhoods(graph: NeighborGraph, width: int) -> Iterator[Array]:
    """Yield tables (b, k + 1): a point and its neighbours in each row, the point itself first.

    The point belongs to its own neighbourhood: otherwise one that nobody lists would be in no
    patch at all, and the eigenproblem would have a solution that moves it alone. ``width`` is the
    number of floats that will be held for each member, which bounds the batch in memory.
    """
    most = int(graph.counts.max(initial=1)) + 1
    chunk = max(1, CHUNK_BYTES // (8 * most * (width + most)))
    for points, neighbors, _ in graph.by_count(chunk):
        yield np.column_stack([points, neighbors])


def tangent_coordinates(clouds: Array, count: int) -> Array:
    """Return orthonormal tangent coordinates (b, m, count) of clouds (b, m, D): their local PCA.

    The smaller of the D x D covariance and the m x m Gram matrix is decomposed.
    """
    centred = clouds - clouds.mean(axis=1, keepdims=True)
    if clouds.shape[2] >= clouds.shape[1]:
        return tangents_of_grams(centred @ centred.transpose(0, 2, 1), count)
    _, axes = np.linalg.eigh(centred.transpose(0, 2, 1) @ centred)
    projected = centred @ axes[:, :, ::-1][:, :, :count]
    if projected.shape[2] < count:
        raise ValueError(
            f"{count} tangent coordinates were asked for in {clouds.shape[2]} dimensions"
        )
    return np.asarray(np.linalg.qr(projected)[0])


def tangents_of_grams(grams: Array, count: int) -> Array:
    """Return the same from centred local Gram matrices (b, m, m)."""
    _, vectors = np.linalg.eigh(grams)
    return np.asarray(vectors[:, :, ::-1][:, :, :count])


def centred_grams(distances: Array) -> Array:
    """Return the centred Gram matrices (b, m, m) of clouds known by their distances (b, m, m)."""
    grams = -0.5 * distances**2
    grams -= grams.mean(axis=1, keepdims=True)
    grams -= grams.mean(axis=2, keepdims=True)
    return np.asarray(grams)
