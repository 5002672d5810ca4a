"""Where training begins.

A network without hidden layers begins at its solution, the principal axes. Any other begins at
random: the principal axes would be a saddle for it, which descent leaves slowly or never.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..values import Array
from .layers import Network, Topology

GAINS = (2.0, 1.0)  # in turn: bent starts reach curved data sooner, straight ones wide data
BIASES = 0.5  # spread of the first biases, so that not all units bend at the same place


def is_linear(topology: Topology) -> bool:
    """Say whether nothing in the network bends, so that it is PCA."""
    return set(topology.activations) == {"linear"}


def principal_start(topology: Topology, axes: Array) -> Network:
    """Return the linear network that projects on orthonormal ``axes`` (columns) and back."""
    n_features, n_components = axes.shape
    biases = (np.zeros(n_components), np.zeros(n_features))
    return Network(topology, (axes, axes.T), biases)


def random_start(topology: Topology, seed: int, number: int) -> Network:
    """Return start ``number``: uniform weights in proportion to the widths (Glorot, Bengio 2010).

    The gain changes from start to start. Logistic networks begin as the same function as tanh
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
