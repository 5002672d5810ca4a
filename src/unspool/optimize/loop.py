"""state -> step -> settled?: the one loop of everything that iterates.

It owns progress, cancellation, stopping and the best state so far; a method supplies a start, a
step that returns the next state with its loss, and a rule that says when the losses have settled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ..runtime import stage

State = TypeVar("State")


@dataclass(frozen=True, slots=True)
class Outcome(Generic[State]):
    """The best state that was seen, the loss of every state from the start on, and why it ended."""

    state: State
    losses: tuple[float, ...]
    settled: bool

    @property
    def loss(self) -> float:
        """Loss of the best state."""
        return min(self.losses)

    @property
    def steps(self) -> int:
        """Number of steps taken."""
        return len(self.losses) - 1


def iterate(
    start: State,
    loss: float,
    step: Callable[[State], tuple[State, float]],
    settled: Callable[[Sequence[float]], bool],
    *,
    name: str,
    max_steps: int,
) -> Outcome[State]:
    """Step from ``start`` (with its ``loss``) until ``settled(losses)``, or ``max_steps`` times.

    Announces itself as the stage ``name``; a listener may cancel between any two steps.
    """
    state, best, losses = start, start, [loss]
    with stage(name, total=max_steps) as running:
        done = False
        while not done and len(losses) <= max_steps:
            state, loss = step(state)
            if loss <= min(losses):
                best = state
            losses.append(loss)
            done = settled(losses)
            running.advance()
        running.note(steps=len(losses) - 1, settled=done, loss=min(losses))
    return Outcome(best, tuple(losses), done)


def relative_change_below(tolerance: float) -> Callable[[Sequence[float]], bool]:
    """Return the rule: settled when a step changes the loss by less than this share of it."""

    def rule(losses: Sequence[float]) -> bool:
        before, now = losses[-2], losses[-1]
        return abs(before - now) <= tolerance * max(abs(before), 1e-300)

    return rule
