"""From initial networks to a trained one: all are tried, the best goes on until it converges.

The loop owns progress, cancelling and the best state; a trainer supplies the steps. Where points
are held out, their error is what the loop watches, so that it stops before the network learns the
noise.

With PyTorch one step is one pass over the points in random order, by minibatches. On large data
many small steps (Adam) get far in a pass that gives L-BFGS a single step. Numbers are float32, and
one thread computes each batch, so that the same seed gives the same network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from ..optimize import Descent, begin_descent, iterate, lbfgs_step
from ..runtime import claim
from ..values import Array
from .network import Examples, Network, NetworkScaling, TrainingLoss, from_flat, map_blocks

TRIAL = 10  # each initial network gets a tenth of the steps to show what it is worth
PATIENCE = 20  # steps that together must gain something
RATE = 0.01  # first step length of Adam; halved when five passes in a row bring nothing
BATCH = 256


class Trainer(Protocol):
    """Takes a network's parameters downhill, one step after the other."""

    def begin(self, parameters: Array) -> Descent:
        """Return the state at these parameters."""
        ...

    def step(self, state: Descent) -> Descent:
        """Return the next state."""
        ...


class FullBatch:
    """L-BFGS over all points at once, with exact gradients."""

    def __init__(self, objective: TrainingLoss) -> None:
        self._objective = objective

    def begin(self, parameters: Array) -> Descent:
        """Return the state at these parameters."""
        return begin_descent(self._objective, parameters)

    def step(self, state: Descent) -> Descent:
        """Return the next state, lower unless no step leads lower."""
        return lbfgs_step(self._objective, state)


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to train: at most ``max_steps``, until the last ones gain less than ``tol``."""

    max_steps: int
    tol: float

    def converged(self, losses: Sequence[float]) -> bool:
        """Tell whether the last steps gained too little to go on."""
        if losses[-1] == losses[-2]:  # descent found nothing lower
            return True
        if len(losses) <= PATIENCE:
            return False
        before = min(losses[:-PATIENCE])
        return before - min(losses) <= self.tol * before


@dataclass(frozen=True, slots=True)
class Trained:
    """The best network, and the errors of its initial state and of all that followed."""

    network: Network
    errors: Array
    held_out_errors: Array | None
    converged: bool

    def scaled(self, factor: float) -> Trained:
        """Return the same with every error multiplied by ``factor``."""
        held_out = self.held_out_errors
        scaled = None if held_out is None else held_out * factor
        return replace(self, errors=self.errors * factor, held_out_errors=scaled)


@dataclass(frozen=True, slots=True)
class Watched:
    """The errors of one state; the held-out one is that of points not trained on, if there are."""

    error: float
    held_out: float | None
    loss: float  # what the loop watches: the held-out error, else what is minimized


@dataclass(frozen=True, slots=True)
class Watch:
    """Sees the errors of a state, on the points trained on and on those held out."""

    objective: TrainingLoss
    held_out: TrainingLoss | None

    def __call__(self, state: Descent) -> Watched:
        """Return the errors of a state."""
        error = max(0.0, state.loss - self.objective.penalty(state.position))
        if self.held_out is None:
            return Watched(error, None, state.loss)
        held_out = self.held_out.error(state.position)
        return Watched(error, held_out, held_out)


@dataclass(frozen=True, slots=True)
class Run:
    """One network in training: its best state so far, and the errors of all states it had."""

    best: Descent
    loss: float
    history: tuple[Watched, ...]


def train(
    initial: Sequence[Network], trainer: Callable[[], Trainer], watch: Watch, effort: Effort
) -> Trained:
    """Train every network a little and the best to the end; each has a trainer of its own."""
    trainers = [trainer() for _ in initial]
    runs = [_begin(network, own, watch) for network, own in zip(initial, trainers, strict=True)]
    if len(runs) > 1:
        trial = Effort(max(1, effort.max_steps // TRIAL), effort.tol)
        names = [f"start {number} of {len(runs)}" for number in range(1, len(runs) + 1)]
        tried = zip(runs, trainers, names, strict=True)
        runs = [_continue(run, own, watch, name, trial)[0] for run, own, name in tried]
    best = min(range(len(runs)), key=lambda number: runs[number].loss)
    left = Effort(effort.max_steps - (len(runs[best].history) - 1), effort.tol)
    run, converged = _continue(runs[best], trainers[best], watch, "training", left)
    return _trained(run, initial[best], converged)


def _begin(network: Network, trainer: Trainer, watch: Watch) -> Run:
    state = trainer.begin(network.flat())
    seen = watch(state)
    return Run(state, seen.loss, (seen,))


def _continue(
    run: Run, trainer: Trainer, watch: Watch, name: str, effort: Effort
) -> tuple[Run, bool]:
    """Return the run after more training from its best state, and whether it converged."""
    history = list(run.history)

    def step(state: Descent) -> tuple[Descent, float]:
        state = trainer.step(state)
        history.append(watch(state))
        return state, history[-1].loss

    outcome = iterate(
        run.best, run.loss, step, effort.converged, name=name, max_steps=effort.max_steps
    )
    return Run(outcome.state, outcome.loss, tuple(history)), outcome.converged


def _trained(run: Run, initial: Network, converged: bool) -> Trained:
    network = from_flat(initial.topology, run.best.position)
    errors = np.array([seen.error for seen in run.history])
    held_out = [seen.held_out for seen in run.history if seen.held_out is not None]
    return Trained(network, errors, np.array(held_out) if held_out else None, converged)


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How a network is trained; ``batch_size`` is for minibatches alone, None lets them choose."""

    max_iter: int
    tol: float
    l2: float
    validation_fraction: float
    backend: str
    batch_size: int | None
    seed: int

    def __post_init__(self) -> None:
        if self.backend == "numpy" and self.batch_size is not None:
            raise ValueError(
                f"batch_size={self.batch_size} is for backend='torch'; backend='numpy' uses all "
                "points in every step, so leave batch_size=None"
            )


def fit_network(
    initial: Sequence[Network], points: Array, scaling: NetworkScaling, settings: TrainingSettings
) -> Trained:
    """Return the best network that training reaches from the initial ones.

    Errors are mean squared distances, in the units of the data.
    """
    topology = initial[0].topology
    claim(
        3 * points.nbytes,
        f"training on {len(points)} points with {points.shape[1]} features",
        "fit a random part of the points and transform the rest",
    )
    examples = Examples(scaling.inputs(points), scaling.targets(points), scaling.output_scale)
    learned, held_out = _split(examples, settings)
    with map_blocks() as run:
        objective = TrainingLoss(topology, learned, settings.l2, run)
        validation = TrainingLoss(topology, held_out, 0.0, run) if len(held_out) else None
        effort = Effort(settings.max_iter, settings.tol)
        watch = Watch(objective, validation)
        trained = train(initial, lambda: _trainer(objective, settings), watch, effort)
    return trained.scaled(points.shape[1] * scaling.scale**2)


def _split(examples: Examples, settings: TrainingSettings) -> tuple[Examples, Examples]:
    """Return the examples to learn from (two at least) and those held out, drawn by the seed."""
    wanted = int(np.ceil(settings.validation_fraction * len(examples)))
    count = min(wanted, len(examples) - 2)
    order = np.random.default_rng(settings.seed).permutation(len(examples))
    if count == 0:
        return examples, examples.only(slice(0, 0))
    return examples.only(np.sort(order[count:])), examples.only(np.sort(order[:count]))


def _trainer(objective: TrainingLoss, settings: TrainingSettings) -> Trainer:
    if settings.backend == "numpy":
        return FullBatch(objective)
    return MiniBatches(objective, settings.batch_size, settings.seed)


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
