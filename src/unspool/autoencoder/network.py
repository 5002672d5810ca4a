"""The network itself: its layers, forward and backward through them, initial weights, units.

Rows are points. A layer multiplies by its weights, adds its biases and applies its activation to
the sum; the layer at the bottleneck cuts the network into an encoder and a decoder. A network
without hidden layers begins at its solution, the principal axes. Any other begins at random: the
principal axes would be a saddle for it, which descent leaves slowly or never.

Training minimizes the share of the variance that reconstructions lose, and a penalty. Points are
taken in blocks of fixed size, each computed by one thread and added in order, so that the number of
threads cannot change a digit: hundreds of steps would turn one into another network.

Between the data and the network, points are centered and divided by one number for all features.
One number each would make a network without hidden layers the PCA of correlations; with one for all
it is the PCA of the data. A linear bottleneck may be turned, shifted and stretched without changing
what the network does: the layers on both sides absorb it. One choice is made here: lengths on the
map are lengths in the data, averaged over points and directions. For a curve that is unit speed in
the mean, and for a linear network it is the choice of PCA.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import expit
from threadpoolctl import threadpool_info

from ..runtime import limit_blas_threads
from ..values import Array

Activation = Literal["tanh", "logistic"]

ACTIVATIONS: tuple[Activation, ...] = ("tanh", "logistic")
GAINS = (2.0, 1.0)  # in turn: large weights reach curved data sooner, small ones wide data
BIASES = 0.5  # spread of the first biases, so that not all units saturate at the same place
REACH = 0.8  # of a sigmoid's range is used by the data: its ends are reached at infinity only
FLOOR = 1e-12  # of the mean metric: directions that change no output still need some length


@dataclass(frozen=True, slots=True)
class Topology:
    """Widths of all layers from input to output, and the activation of each but the input.

    That of Izenman 2013, figure 16.4, has ``widths`` (3, 4, 2, 4, 3) and its ``bottleneck`` at 2.
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
    """Activations: one of the hidden units; the others have the same one or are linear."""

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
                f"{name} must be a tuple of whole numbers of at least 1, one per layer, or () "
                f"for none; got {layers!r}"
            )
    of_kind = {"linear": "linear", "sigmoidal": units.hidden}
    return Topology(
        widths=(n_features, *map(int, mapping), n_components, *map(int, demapping), n_features),
        activations=(
            *(units.hidden,) * len(mapping),
            of_kind[units.bottleneck],
            *(units.hidden,) * len(demapping),
            of_kind[units.output],
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
    """Return the activation of the sums; the array given is overwritten."""
    if activation == "tanh":
        return np.asarray(np.tanh(sums, out=sums))
    if activation == "logistic":
        return np.asarray(expit(sums, out=sums))
    return sums


def derivative(activation: str, values: Array) -> Array:
    """Return the derivative of the activation where it took these ``values``."""
    if activation == "tanh":
        return np.asarray(1.0 - values * values)
    if activation == "logistic":
        return np.asarray(values * (1.0 - values))
    return np.ones_like(values)


def squares_and_gradient(
    network: Network, inputs: Array, targets: Array, output_scale: Array
) -> tuple[float, Array]:
    """Return the sum of squared errors, and its gradient by ``flat()`` parameters (backprop).

    An output is worth ``output_scale`` times as much as an input, feature by feature.
    """
    values = network.layers(inputs)
    errors = (values[-1] - targets) * output_scale
    gradient = np.empty(network.topology.size)
    parts = from_flat(network.topology, gradient)
    deltas = 2.0 * output_scale * errors
    for layer in reversed(range(len(network.weights))):
        if network.topology.activations[layer] != "linear":
            deltas *= derivative(network.topology.activations[layer], values[layer + 1])
        parts.weights[layer][:] = values[layer].T @ deltas
        parts.biases[layer][:] = deltas.sum(axis=0)
        if layer > 0:
            deltas = deltas @ network.weights[layer].T
    return float(np.square(errors).sum()), gradient


def is_linear(topology: Topology) -> bool:
    """Tell whether all units are linear, so that the network is PCA."""
    return set(topology.activations) == {"linear"}


def principal_network(topology: Topology, axes: Array) -> Network:
    """Return the linear network that projects on orthonormal ``axes`` (columns) and back."""
    n_features, n_components = axes.shape
    biases = (np.zeros(n_components), np.zeros(n_features))
    return Network(topology, (axes, axes.T), biases)


def random_network(topology: Topology, seed: int, number: int) -> Network:
    """Return network ``number``: uniform weights in proportion to widths (Glorot, Bengio 2010).

    The gain changes from one to the next. Logistic networks begin as the same function as tanh
    networks.
    """
    rng = np.random.default_rng([seed, number])
    gain = GAINS[number % len(GAINS)]
    weights, biases = [], []
    for before, after in topology.shapes:
        reach = gain * np.sqrt(6.0 / (before + after))
        weights.append(rng.uniform(-reach, reach, (before, after)))
        biases.append(rng.uniform(-BIASES, BIASES, after))
    return _same_function(Network(topology, tuple(weights), tuple(biases)))


def _same_function(network: Network) -> Network:
    """Return the weights that make logistic layers act as tanh layers did.

    logistic(2 z) = (1 + tanh z) / 2: sums are doubled, and what follows undoes the change.
    """
    weights, biases = list(network.weights), list(network.biases)
    for layer, activation in enumerate(network.topology.activations):
        if activation != "logistic":
            continue
        weights[layer], biases[layer] = 2.0 * weights[layer], 2.0 * biases[layer]
        if layer + 1 < len(weights):
            biases[layer + 1] = biases[layer + 1] - weights[layer + 1].sum(axis=0)
            weights[layer + 1] = 2.0 * weights[layer + 1]
    return replace(network, weights=tuple(weights), biases=tuple(biases))


BLOCK = 4096  # rows: enough work to hide what a call costs, few enough to stay in the cache

Map = Callable[..., Iterator[Any]]


@dataclass(frozen=True, slots=True)
class Examples:
    """What goes into a network, what should come out, and the scale of each output."""

    inputs: Array
    targets: Array
    output_scale: Array

    def __len__(self) -> int:
        return len(self.inputs)

    def only(self, rows: Array | slice) -> Examples:
        """Return some of the examples."""
        return Examples(self.inputs[rows], self.targets[rows], self.output_scale)

    def blocks(self) -> list[Examples]:
        """Return all examples in blocks of fixed size."""
        return [self.only(slice(at, at + BLOCK)) for at in range(0, len(self), BLOCK)]


@contextmanager
def map_blocks() -> Iterator[Map]:
    """Yield a parallel ``map`` for work whose every item is computed by one thread alone."""
    pools = threadpool_info()
    threads = max((pool["num_threads"] for pool in pools if pool["user_api"] == "blas"), default=1)
    with limit_blas_threads(), ThreadPoolExecutor(threads) as pool:
        yield pool.map


class TrainingLoss:
    """The loss at a vector of parameters: mean squared error, plus ``l2`` times squared weights.

    The error is relative to the variance of the inputs: 1 loses everything, 0 nothing.
    """

    def __init__(self, topology: Topology, examples: Examples, l2: float, run: Map) -> None:
        self.topology = topology
        self.examples = examples
        self.l2 = l2
        self._blocks = examples.blocks()
        self._run: Map = run if len(self._blocks) > 1 else map
        self._is_weight = _weight_mask(topology)

    def __call__(self, parameters: Array) -> tuple[float, Array]:
        """Return the loss and its gradient."""
        network = from_flat(self.topology, parameters)
        parts = list(self._run(lambda block: _squares_and_gradient(network, block), self._blocks))
        entries = self.examples.targets.size
        gradient = sum((part[1] for part in parts), np.zeros(len(parameters))) / entries
        gradient += 2.0 * self.l2 * np.where(self._is_weight, parameters, 0.0)
        return sum(part[0] for part in parts) / entries + self.penalty(parameters), gradient

    def value(self, parameters: Array) -> float:
        """Return the loss alone."""
        return self.error(parameters) + self.penalty(parameters)

    def error(self, parameters: Array) -> float:
        """Return the share of the variance that is lost, without the penalty."""
        network = from_flat(self.topology, parameters)
        parts = self._run(lambda block: _squares(network, block), self._blocks)
        return float(sum(parts) / self.examples.targets.size)

    def penalty(self, parameters: Array) -> float:
        """Return ``l2`` times the sum of squared weights (biases go free)."""
        return float(self.l2 * np.square(parameters[self._is_weight]).sum()) if self.l2 else 0.0


def _squares_and_gradient(network: Network, block: Examples) -> tuple[float, Array]:
    return squares_and_gradient(network, block.inputs, block.targets, block.output_scale)


def _squares(network: Network, block: Examples) -> float:
    outputs = network.decode(network.encode(block.inputs))
    return float(np.square((outputs - block.targets) * block.output_scale).sum())


def _weight_mask(topology: Topology) -> Array:
    flags = [[np.full(a * b, True), np.full(b, False)] for a, b in topology.shapes]
    return np.concatenate([part for pair in flags for part in pair])


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
