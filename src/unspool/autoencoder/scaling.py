"""Between the data and the network: the units of inputs, outputs, and coordinates.

Points are centered and divided by one number for all features. One number each would make a network
without hidden layers the PCA of correlations; with one for all it is the PCA of the data.

A linear bottleneck may be turned, shifted and stretched without changing what the network does:
the layers on both sides absorb it. One choice is made here: lengths on the map are lengths in the
data, averaged over points and directions. For a curve that is unit speed in the mean, and for a
linear network it is the choice of PCA.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..values import Array
from .network import BLOCK, Network, derivative

REACH = 0.8  # of a sigmoid's range is used by the data: its ends are reached at infinity only
FLOOR = 1e-12  # of the mean metric: directions that change no output still need some length


@dataclass(frozen=True, slots=True)
class NetworkScaling:
    """``inputs = (points - center) / scale`` and ``points = offset + span * outputs``."""

    center: Array
    scale: float
    offset: Array
    span: Array

    def inputs(self, points: Array) -> Array:
        """Return points as the network sees them: mean 0, root mean square 1."""
        return np.ascontiguousarray((points - self.center) / self.scale)

    def targets(self, points: Array) -> Array:
        """Return the outputs that would reconstruct the points exactly."""
        span = np.where(self.span > 0.0, self.span, 1.0)
        return np.ascontiguousarray((points - self.offset) / span)

    def points(self, outputs: Array) -> Array:
        """Return the points that outputs stand for."""
        return np.asarray(self.offset + self.span * outputs)

    @property
    def output_scale(self) -> Array:
        """What an output of one is worth in inputs, feature by feature."""
        return np.asarray(self.span / self.scale)


def scaling_of(points: Array, output: str) -> NetworkScaling:
    """Return the scaling of the data for a network whose output layer has this activation."""
    points = np.ascontiguousarray(points)  # sums depend on the order in memory, by a last digit
    center = points.mean(axis=0)
    scale = _spread(points - center, float(np.abs(points).max()))
    if output == "linear":
        return NetworkScaling(center, scale, center, np.full(len(center), scale))
    lowest, highest = points.min(axis=0), points.max(axis=0)
    middle, half = lowest + (highest - lowest) / 2, (highest - lowest) / (2 * REACH)
    if output == "tanh":
        return NetworkScaling(center, scale, middle, half)
    return NetworkScaling(center, scale, middle - half, 2 * half)


def _spread(centered: Array, magnitude: float) -> float:
    """Return the root mean square of all entries; 1 where the points differ by rounding alone."""
    largest = float(np.abs(centered).max())
    if largest <= 8 * np.finfo(float).eps * magnitude:
        return 1.0
    return largest * float(np.sqrt(np.square(centered / largest).mean()))


def with_data_lengths(
    network: Network, scaling: NetworkScaling, points: Array, axes_of: Callable[[Array], Array]
) -> Network:
    """Return the same function with codes that are centered, uncorrelated and in data lengths.

    ``axes_of`` gives the principal axes (columns, widest first) of centered codes.
    """
    codes = network.encode(scaling.inputs(points))
    stretch = np.linalg.cholesky(_regular(_mean_metric(network, scaling, codes)))
    center = codes.mean(axis=0)
    return recode(network, center, stretch @ axes_of((codes - center) @ stretch))


def recode(network: Network, center: Array, matrix: Array) -> Network:
    """Return the same function with codes ``(codes - center) @ matrix`` at a linear bottleneck."""
    weights, biases = list(network.weights), list(network.biases)
    into, out = network.topology.bottleneck - 1, network.topology.bottleneck
    weights[into] = weights[into] @ matrix
    biases[into] = (biases[into] - center) @ matrix
    biases[out] = biases[out] + center @ weights[out]
    weights[out] = np.linalg.solve(matrix, weights[out])
    return Network(network.topology, tuple(weights), tuple(biases))


def decoder_jacobian(network: Network, codes: Array) -> Array:
    """Return the derivatives of the outputs by the codes, (n, n_components, n_features)."""
    values, jacobian = codes, np.eye(codes.shape[1])[None]
    for layer in range(network.topology.bottleneck, len(network.weights)):
        values = network.through(values, layer, layer + 1)
        activated = derivative(network.topology.activations[layer], values)
        jacobian = (jacobian @ network.weights[layer]) * activated[:, None, :]
    return jacobian


def _mean_metric(network: Network, scaling: NetworkScaling, codes: Array) -> Array:
    """Return the mean of J J': squared data lengths of the steps between codes."""
    total = np.zeros((codes.shape[1],) * 2)
    for at in range(0, len(codes), BLOCK):
        jacobian = decoder_jacobian(network, codes[at : at + BLOCK]) * scaling.span
        total += np.einsum("naf,nbf->ab", jacobian, jacobian, optimize=True)
    return total / len(codes)


def _regular(metric: Array) -> Array:
    size = float(np.trace(metric))
    return metric + (FLOOR * size if size > 0.0 else 1.0) * np.eye(len(metric))
