"""From starts to a trained network: all begin, the best goes on until it settles.

The loop owns progress, cancellation and the best state; a trainer supplies the steps. Where points
are held out, their error is what the loop watches, so that it stops before the network learns the
noise.

Points, a frame and starts -> a trained network: holds points out, picks the trainer, trains.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from ..optimize import Descent, begin_descent, iterate, lbfgs_step
from ..runtime import claim
from ..values import Array
from .layers import Network, from_flat
from .objective import Examples, Objective, fixed_order
from .scaling import Frame

HEAT = 10  # a start gets a tenth of the steps to show what it is worth
PATIENCE = 20  # steps that together must gain something


class Trainer(Protocol):
    """Takes a network's parameters downhill, one step after the other."""

    def begin(self, place: Array) -> Descent:
        """Return the state at ``place``."""
        ...

    def step(self, state: Descent) -> Descent:
        """Return the next state."""
        ...


class FullBatch:
    """L-BFGS over all points at once, with exact gradients."""

    def __init__(self, objective: Objective) -> None:
        self._objective = objective

    def begin(self, place: Array) -> Descent:
        """Return the state at ``place``."""
        return begin_descent(self._objective, place)

    def step(self, state: Descent) -> Descent:
        """Return the next state, lower unless no step leads lower."""
        return lbfgs_step(self._objective, state)


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to train: at most ``max_steps``, until the last ones gain less than ``tol``."""

    max_steps: int
    tol: float

    def converged(self, losses: Sequence[float]) -> bool:
        """Say whether the last steps gained too little to go on."""
        if losses[-1] == losses[-2]:  # descent found no lower place
            return True
        if len(losses) <= PATIENCE:
            return False
        before = min(losses[:-PATIENCE])
        return before - min(losses) <= self.tol * before


@dataclass(frozen=True, slots=True)
class Trained:
    """The best network, and the errors of the start and of all states that followed it."""

    network: Network
    errors: Array
    held_out_errors: Array | None
    converged: bool

    def in_units(self, unit: float) -> Trained:
        """Return the same with every error multiplied by ``unit``."""
        held_out = self.held_out_errors
        scaled = None if held_out is None else held_out * unit
        return replace(self, errors=self.errors * unit, held_out_errors=scaled)


def train(
    starts: Sequence[Network],
    trainer: Callable[[], Trainer],
    objective: Objective,
    held_out: Objective | None,
    effort: Effort,
) -> Trained:
    """Train every start a little and the best to the end; each has a trainer of its own."""
    runs = [_Run(start, trainer(), objective, held_out) for start in starts]
    if len(runs) > 1:
        heat = Effort(max(1, effort.max_steps // HEAT), effort.tol)
        for number, run in enumerate(runs, start=1):
            run.go(f"start {number} of {len(runs)}", heat)
    best = min(runs, key=lambda run: run.loss)
    converged = best.go("training", Effort(effort.max_steps - best.steps, effort.tol))
    return best.trained(converged)


class _Run:
    """One start on its way: the best state so far, and the errors of all states it had."""

    def __init__(
        self, start: Network, trainer: Trainer, objective: Objective, held_out: Objective | None
    ) -> None:
        self._topology = start.topology
        self._trainer = trainer
        self._objective = objective
        self._held_out = held_out
        self._errors: list[float] = []
        self._held_out_errors: list[float] = []
        self._state = trainer.begin(start.flat())
        self.loss = self._watched(self._state)

    def go(self, name: str, effort: Effort) -> bool:
        """Train on, and say whether that ended because it converged."""
        outcome = iterate(
            self._state,
            self.loss,
            self._step,
            effort.converged,
            name=name,
            max_steps=effort.max_steps,
        )
        self._state, self.loss = outcome.state, outcome.loss
        return outcome.converged

    def _step(self, state: Descent) -> tuple[Descent, float]:
        state = self._trainer.step(state)
        return state, self._watched(state)

    def _watched(self, state: Descent) -> float:
        self._errors.append(max(0.0, state.loss - self._objective.penalty(state.position)))
        if self._held_out is None:
            return state.loss
        self._held_out_errors.append(self._held_out.error(state.position))
        return self._held_out_errors[-1]

    @property
    def steps(self) -> int:
        """Number of steps taken so far."""
        return len(self._errors) - 1

    def trained(self, converged: bool) -> Trained:
        """Return the network of the best state."""
        network = from_flat(self._topology, self._state.position)
        held_out = None if self._held_out is None else np.array(self._held_out_errors)
        return Trained(network, np.array(self._errors), held_out, converged)


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
    starts: Sequence[Network], points: Array, frame: Frame, settings: TrainingSettings
) -> Trained:
    """Return the best network that training reaches from the starts.

    Errors are mean squared distances, in the units of the data.
    """
    topology = starts[0].topology
    claim(
        3 * points.nbytes,
        f"training on {len(points)} points with {points.shape[1]} features",
        "fit a random part of the points and transform the rest",
    )
    examples = Examples(frame.inputs(points), frame.targets(points), frame.worth)
    learned, held_out = _split(examples, settings)
    with fixed_order() as run:
        objective = Objective(topology, learned, settings.l2, run)
        exam = Objective(topology, held_out, 0.0, run) if len(held_out) else None
        effort = Effort(settings.max_iter, settings.tol)
        trained = train(starts, lambda: _trainer(objective, settings), objective, exam, effort)
    return trained.in_units(points.shape[1] * frame.scale**2)


def _split(examples: Examples, settings: TrainingSettings) -> tuple[Examples, Examples]:
    """Return the examples to learn from (two at least) and those held out, drawn by the seed."""
    wanted = int(np.ceil(settings.validation_fraction * len(examples)))
    count = min(wanted, len(examples) - 2)
    order = np.random.default_rng(settings.seed).permutation(len(examples))
    if count == 0:
        return examples, examples.only(slice(0, 0))
    return examples.only(np.sort(order[count:])), examples.only(np.sort(order[:count]))


def _trainer(objective: Objective, settings: TrainingSettings) -> Trainer:
    if settings.backend == "numpy":
        return FullBatch(objective)
    from .torch_backend import MiniBatches

    return MiniBatches(objective, settings.batch_size, settings.seed)
