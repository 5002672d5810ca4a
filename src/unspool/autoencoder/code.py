"""The coordinates at a linear bottleneck, made unique.

A linear bottleneck may be turned, shifted and stretched without changing what the network does:
the layers on both sides absorb it. One choice is made here: lengths on the map are lengths in the
data, averaged over points and directions. For a curve that is unit speed in the mean, and for a
linear network it is the choice of PCA.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..values import Array
from .layers import Network, derivative
from .objective import BLOCK
from .scaling import Frame

FLOOR = 1e-12  # of the mean metric: directions that change no output still need some length


def with_lengths_of_data(
    network: Network, frame: Frame, points: Array, axes_of: Callable[[Array], Array]
) -> Network:
    """Return the same function with codes that are centred, uncorrelated and in data lengths.

    ``axes_of`` gives the principal axes (columns, widest first) of centred codes.
    """
    codes = network.encode(frame.inputs(points))
    stretch = np.linalg.cholesky(_regular(_mean_metric(network, frame, codes)))
    center = codes.mean(axis=0)
    return recoded(network, center, stretch @ axes_of((codes - center) @ stretch))


def recoded(network: Network, center: Array, matrix: Array) -> Network:
    """Return the same function with codes ``(codes - center) @ matrix`` at a linear bottleneck."""
    weights, biases = list(network.weights), list(network.biases)
    into, out = network.topology.bottleneck - 1, network.topology.bottleneck
    weights[into] = weights[into] @ matrix
    biases[into] = (biases[into] - center) @ matrix
    biases[out] = biases[out] + center @ weights[out]
    weights[out] = np.linalg.solve(matrix, weights[out])
    return Network(network.topology, tuple(weights), tuple(biases))


def decoder_slopes(network: Network, codes: Array) -> Array:
    """Return the derivatives of the outputs by the codes, (n, n_components, n_features)."""
    values, slopes = codes, np.eye(codes.shape[1])[None]
    for layer in range(network.topology.bottleneck, len(network.weights)):
        values = network.through(values, layer, layer + 1)
        bend = derivative(network.topology.activations[layer], values)
        slopes = (slopes @ network.weights[layer]) * bend[:, None, :]
    return slopes


def _mean_metric(network: Network, frame: Frame, codes: Array) -> Array:
    """Return the mean of J J': squared data lengths of the steps between codes."""
    total = np.zeros((codes.shape[1],) * 2)
    for at in range(0, len(codes), BLOCK):
        slopes = decoder_slopes(network, codes[at : at + BLOCK]) * frame.span
        total += np.einsum("naf,nbf->ab", slopes, slopes, optimize=True)
    return total / len(codes)


def _regular(metric: Array) -> Array:
    size = float(np.trace(metric))
    return metric + (FLOOR * size if size > 0.0 else 1.0) * np.eye(len(metric))
