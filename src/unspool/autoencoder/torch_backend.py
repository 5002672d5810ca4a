"""Training by minibatches with PyTorch: one step is one pass over the points in random order.

On large data many small steps (Adam) get far in a pass that gives L-BFGS a single step. Numbers
are float32, and one thread computes each batch, so that the same seed gives the same network.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..optimize import Descent
from ..values import Array
from .network import TrainingLoss

RATE = 0.01  # first step length of Adam; halved when five passes in a row bring nothing
BATCH = 256


def load_torch() -> Any:
    """Return the package, or say how to install it."""
    try:
        import torch
    except ImportError as error:
        raise ImportError(
            "backend='torch' needs PyTorch, which is not installed: pip install 'unspool[torch]', "
            "or use backend='numpy'"
        ) from error
    return torch


class MiniBatches:
    """Adam over minibatches of the objective's examples; gradients by torch's own backprop."""

    def __init__(self, objective: TrainingLoss, batch_size: int | None, seed: int) -> None:
        self._torch = load_torch()
        self._objective = objective
        self._batch = batch_size or BATCH
        self._rng = np.random.default_rng(seed)
        examples = objective.examples
        self._inputs, self._targets, self._output_scale = (
            self._torch.as_tensor(part, dtype=self._torch.float32)
            for part in (examples.inputs, examples.targets, examples.output_scale)
        )
        self._parameters = self._torch.zeros(objective.topology.size, requires_grad=True)
        self._optimizer = self._torch.optim.Adam([self._parameters], lr=RATE)
        self._schedule = self._torch.optim.lr_scheduler.ReduceLROnPlateau(
            self._optimizer, factor=0.5, patience=5
        )

    def begin(self, parameters: Array) -> Descent:
        """Return the state at these parameters."""
        return Descent(parameters, self._objective.value(parameters), np.empty(0))

    def step(self, state: Descent) -> Descent:
        """Return the state after one pass over all points."""
        with self._torch.no_grad():
            self._parameters.copy_(self._torch.as_tensor(state.position))
        with _one_thread(self._torch):
            for rows in self._batches():
                self._optimizer.zero_grad()
                self.loss(self._parameters, rows).backward()
                self._optimizer.step()
        parameters = self._parameters.detach().numpy().astype(np.float64)
        loss = self._objective.value(parameters)
        self._schedule.step(loss)
        return Descent(parameters, loss, np.empty(0))

    def loss(self, parameters: Any, rows: Any) -> Any:
        """Return the loss over some of the examples, as torch can differentiate it."""
        values, penalty, at = self._inputs[rows], 0.0, 0
        topology = self._objective.topology
        for (before, after), activation in zip(topology.shapes, topology.activations, strict=True):
            weights = parameters[at : at + before * after].reshape(before, after)
            biases = parameters[at + before * after : at + (before + 1) * after]
            at += (before + 1) * after
            values = self._activated(activation, values @ weights + biases)
            penalty = penalty + (weights * weights).sum()
        errors = (values - self._targets[rows]) * self._output_scale
        return (errors * errors).mean() + self._objective.l2 * penalty

    def _activated(self, activation: str, sums: Any) -> Any:
        if activation == "tanh":
            return self._torch.tanh(sums)
        return self._torch.sigmoid(sums) if activation == "logistic" else sums

    def _batches(self) -> Iterator[Any]:
        order = self._torch.as_tensor(self._rng.permutation(len(self._inputs)))
        yield from self._torch.split(order, self._batch)


@contextmanager
def _one_thread(torch: Any) -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
