"""The network itself: layers, what flows forward through them, and the exact gradient backward.

Rows are points. A layer multiplies by its weights, adds its biases and bends the sum by its
activation; the layer at the bottleneck cuts the network into an encoder and a decoder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from ..values import Array

ACTIVATIONS = ("tanh", "logistic")


@dataclass(frozen=True, slots=True)
class Topology:
    """Widths of all layers from input to output, and the activation of each but the input.

    The network of S4's figure 16.4 has ``widths`` (3, 4, 2, 4, 3) and its ``bottleneck`` at 2.
    """

    widths: tuple[int, ...]
    activations: tuple[str, ...]
    bottleneck: int

    @property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """Shape of the weights between each two layers."""
        return tuple(zip(self.widths[:-1], self.widths[1:], strict=True))

    @property
    def size(self) -> int:
        """Number of weights and biases together."""
        return sum((before + 1) * after for before, after in self.shapes)

    def __str__(self) -> str:
        """Return the widths as the texts write them: 3-4-2-4-3."""
        return "-".join(map(str, self.widths))


class Units(NamedTuple):
    """How units bend: hidden ones by an activation, the others by the same one or not at all."""

    hidden: str
    bottleneck: str
    output: str


def autoassociative(
    n_features: int,
    mapping: Sequence[int],
    n_components: int,
    demapping: Sequence[int],
    units: Units,
) -> Topology:
    """Return the topology: input, mapping layers, bottleneck, demapping layers, output."""
    for name, layers in (("mapping", mapping), ("demapping", demapping)):
        if not isinstance(layers, tuple | list) or not all(map(_is_width, layers)):
            raise ValueError(
                f"{name} must be a tuple of whole numbers of at least 1, one a layer, or () for "
                f"none; got {layers!r}"
            )
    bent = {"linear": "linear", "sigmoidal": units.hidden}
    return Topology(
        widths=(n_features, *map(int, mapping), n_components, *map(int, demapping), n_features),
        activations=(
            *(units.hidden,) * len(mapping),
            bent[units.bottleneck],
            *(units.hidden,) * len(demapping),
            bent[units.output],
        ),
        bottleneck=len(mapping) + 1,
    )


def _is_width(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1


@dataclass(frozen=True, slots=True)
class Network:
    """A topology with its weights (before x after) and biases, one of each between two layers."""

    topology: Topology
    weights: tuple[Array, ...]
    biases: tuple[Array, ...]

    def encode(self, inputs: Array) -> Array:
        """Return the values at the bottleneck."""
        return self.through(inputs, 0, self.topology.bottleneck)

    def decode(self, codes: Array) -> Array:
        """Return the outputs for values at the bottleneck."""
        return self.through(codes, self.topology.bottleneck, len(self.weights))

    def layers(self, inputs: Array) -> list[Array]:
        """Return the values of all layers, the input first."""
        values = [inputs]
        for layer in range(len(self.weights)):
            values.append(self.through(values[-1], layer, layer + 1))
        return values

    def through(self, values: Array, first: int, last: int) -> Array:
        """Return the values of layer ``last`` for values of layer ``first``."""
        for layer in range(first, last):
            sums = values @ self.weights[layer]
            sums += self.biases[layer]
            values = activate(self.topology.activations[layer], sums)
        return values

    def flat(self) -> Array:
        """Return all weights and biases as one vector."""
        pairs = zip(self.weights, self.biases, strict=True)
        return np.concatenate([part.ravel() for pair in pairs for part in pair])


def from_flat(topology: Topology, parameters: Array) -> Network:
    """Return the network whose ``flat()`` is ``parameters``; its arrays are views of them."""
    weights, biases, at = [], [], 0
    for before, after in topology.shapes:
        weights.append(parameters[at : at + before * after].reshape(before, after))
        at += before * after
        biases.append(parameters[at : at + after])
        at += after
    return Network(topology, tuple(weights), tuple(biases))


def activate(activation: str, sums: Array) -> Array:
    """Return the bent sums; the array given is overwritten."""
    if activation == "tanh":
        return np.asarray(np.tanh(sums, out=sums))
    if activation == "logistic":
        return np.asarray(expit(sums, out=sums))
    return sums


def derivative(activation: str, values: Array) -> Array:
    """Return the slope of the activation where it took these ``values``."""
    if activation == "tanh":
        return np.asarray(1.0 - values * values)
    if activation == "logistic":
        return np.asarray(values * (1.0 - values))
    return np.ones_like(values)


def squares_and_gradient(
    network: Network, inputs: Array, targets: Array, worth: Array
) -> tuple[float, Array]:
    """Return the sum of squared errors, and its gradient by ``flat()`` parameters (backprop).

    ``worth`` says what an output of one counts, feature by feature.
    """
    values = network.layers(inputs)
    errors = (values[-1] - targets) * worth
    gradient = np.empty(network.topology.size)
    parts = from_flat(network.topology, gradient)
    slopes = 2.0 * worth * errors
    for layer in reversed(range(len(network.weights))):
        if network.topology.activations[layer] != "linear":
            slopes *= derivative(network.topology.activations[layer], values[layer + 1])
        parts.weights[layer][:] = values[layer].T @ slopes
        parts.biases[layer][:] = slopes.sum(axis=0)
        if layer > 0:
            slopes = slopes @ network.weights[layer].T
    return float(np.square(errors).sum()), gradient
