"""What training minimizes: the share of the variance that reconstructions lose, and a penalty.

Points are taken in blocks of fixed size, each computed by one thread and added in order, so that
the number of threads cannot change a digit: hundreds of steps would turn one into another network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info

from ..runtime import limit_blas_threads
from ..values import Array
from .network import Network, Topology, from_flat, squares_and_gradient

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
