"""From starts to a trained network: all begin, the best goes on until it settles.

The loop owns progress, cancellation and the best state; a trainer supplies the steps. Where points
are held out, their error is what the loop watches, so that it stops before the network learns the
noise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from ...values import Array
from ..descent import Descent, begin, descend
from ..loop import iterate
from .layers import Network, from_flat
from .objective import Objective

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
        return begin(self._objective, place)

    def step(self, state: Descent) -> Descent:
        """Return the next state, lower unless no step leads lower."""
        return descend(self._objective, state)


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to train: at most ``max_steps``, until the last ones gain less than ``tol``."""

    max_steps: int
    tol: float

    def settled(self, losses: Sequence[float]) -> bool:
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
    settled: bool

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
    settled = best.go("training", Effort(effort.max_steps - best.steps, effort.tol))
    return best.trained(settled)


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
        """Train on, and say whether that ended because it settled."""
        outcome = iterate(
            self._state,
            self.loss,
            self._step,
            effort.settled,
            name=name,
            max_steps=effort.max_steps,
        )
        self._state, self.loss = outcome.state, outcome.loss
        return outcome.settled

    def _step(self, state: Descent) -> tuple[Descent, float]:
        state = self._trainer.step(state)
        return state, self._watched(state)

    def _watched(self, state: Descent) -> float:
        self._errors.append(max(0.0, state.loss - self._objective.penalty(state.place)))
        if self._held_out is None:
            return state.loss
        self._held_out_errors.append(self._held_out.error(state.place))
        return self._held_out_errors[-1]

    @property
    def steps(self) -> int:
        """Number of steps taken so far."""
        return len(self._errors) - 1

    def trained(self, settled: bool) -> Trained:
        """Return the network of the best state."""
        network = from_flat(self._topology, self._state.place)
        held_out = None if self._held_out is None else np.array(self._held_out_errors)
        return Trained(network, np.array(self._errors), held_out, settled)
