"""The one loop of everything that iterates, and descent by L-BFGS inside it.

A method supplies an initial state, a step that returns the next state with its loss, and a rule
that says when the losses have converged. ``iterate`` owns progress, cancelling, stopping and the
best state so far.

L-BFGS is limited-memory quasi-Newton descent: the last steps, and how the gradient changed along
them, stand for the curvature (Nocedal 1980). The length of a step is found by bisection until it
satisfies the weak Wolfe conditions (Lewis and Overton 2013), which keeps that curvature positive.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np

from .runtime import stage
from .values import Array

State = TypeVar("State")
Objective = Callable[[Array], tuple[float, Array]]  # position -> loss and gradient
Converged = Callable[[Sequence[float]], bool]  # of all losses so far, the newest last

MEMORY = 20  # steps remembered; a network's parameters are few beside its points
ARMIJO = 1e-4  # share of the promised decrease that a step must give
WOLFE = 0.9  # share of the directional derivative that may be left at its end
ROUGH = 1e-7  # of the loss: steps that lower it by less are not left to single precision
TRIALS = 40  # lengths tried in one search: a range of 2^40 covers every scale met


@dataclass(frozen=True, slots=True)
class Outcome(Generic[State]):
    """The best state that was seen, the loss of every state from the initial one on, and the end.

    ``converged`` is False where the number of steps ran out first.
    """

    state: State
    losses: tuple[float, ...]
    converged: bool

    @property
    def loss(self) -> float:
        """Loss of the best state."""
        return min(self.losses)

    @property
    def steps(self) -> int:
        """Number of steps taken."""
        return len(self.losses) - 1


def iterate(
    initial: State,
    loss: float,
    step: Callable[[State], tuple[State, float]],
    converged: Converged,
    *,
    name: str,
    max_steps: int,
) -> Outcome[State]:
    """Step from ``initial`` (with its ``loss``) until ``converged``, or ``max_steps`` times.

    Announces itself as the stage ``name``; a listener may cancel between any two steps.
    """
    with stage(name, total=max_steps) as running:
        found = repeat(initial, loss, step, converged, max_steps, running.advance)
        running.note(steps=found.steps, converged=found.converged, loss=min(found.losses))
    return found


def repeat(
    initial: State,
    loss: float,
    step: Callable[[State], tuple[State, float]],
    converged: Converged,
    max_steps: int,
    after: Callable[[], None] = lambda: None,
) -> Outcome[State]:
    """Step as ``iterate`` does, for steps that are stages themselves."""
    state, best, losses = initial, initial, [loss]
    done = False
    while not done and len(losses) <= max_steps:
        state, loss = step(state)
        if loss <= min(losses):
            best = state
        losses.append(loss)
        done = converged(losses)
        after()
    return Outcome(best, tuple(losses), done)


def relative_change_below(tolerance: float, negligible: float = 0.0) -> Converged:
    """Return the rule: converged when a step changes the loss by at most this share of it.

    Or when the loss, which is never negative, is at most ``negligible``.
    """

    def rule(losses: Sequence[float]) -> bool:
        before, now = losses[-2], losses[-1]
        return now <= negligible or abs(before - now) <= tolerance * max(abs(before), 1e-300)

    return rule


@dataclass(frozen=True, slots=True)
class Descent:
    """A position with its loss and gradient, and the last steps that led there (newest last).

    ``changes`` are those of the gradient along the ``steps``.
    """

    position: Array
    loss: float
    gradient: Array
    steps: tuple[Array, ...] = ()
    changes: tuple[Array, ...] = ()


def minimize(
    objective: Objective,
    initial: Array,
    scale: Array,
    *,
    tolerance: float,
    negligible: float,
    name: str,
    max_steps: int,
    rough: Objective | None = None,
) -> Outcome[Array]:
    """Return where L-BFGS leads from ``initial``; no step raises the loss.

    It descends in coordinates multiplied by ``scale``, in which the curvature should be at most
    about 1: the first step then is one along the whole gradient. A loss of at most ``negligible``
    is only rounding, and not lowered further. ``rough`` is the same objective in single precision:
    where there is one the descent begins with it, and goes on with the other once that no longer
    leads lower by a notable share.
    """

    rule = relative_change_below(tolerance, negligible)
    roughly = relative_change_below(max(tolerance, ROUGH), negligible)
    ways = _Ways([(objective, rule)] if rough is None else [(rough, roughly), (objective, rule)])

    def scaled(position: Array) -> tuple[float, Array]:
        loss, gradient = ways.objective(position.reshape(initial.shape) / scale)
        return loss, np.asarray(gradient / scale).ravel()

    def step(state: Descent) -> tuple[Descent, float]:
        if state.loss <= negligible:
            return state, state.loss
        if ways.has_changed():
            again = begin_descent(scaled, state.position)
            state = replace(state, loss=again.loss, gradient=again.gradient)
        lower = lbfgs_step(scaled, state) if state.steps else _gradient_step(scaled, state)
        return lower, lower.loss

    first = begin_descent(scaled, (initial * scale).ravel())
    found = iterate(first, first.loss, step, ways.converged, name=name, max_steps=max_steps)
    position = found.state.position.reshape(initial.shape) / scale
    return Outcome(position, found.losses, found.converged)


@dataclass
class _Ways:
    """Objectives with their rules, the roughest first: each is left once it has converged."""

    left: list[tuple[Objective, Converged]]
    used: int = 0

    @property
    def objective(self) -> Objective:
        """The one that is descended now."""
        return self.left[0][0]

    def converged(self, losses: Sequence[float]) -> bool:
        """Tell whether the last one has converged; another one gives way to the next."""
        if not self.left[0][1](losses):
            return False
        if len(self.left) == 1:
            return True
        self.left, self.used = self.left[1:], self.used + 1
        return False

    def has_changed(self) -> bool:
        """Tell, once, that another objective is descended from now on."""
        is_new, self.used = self.used > 0, 0
        return is_new


def begin_descent(objective: Objective, position: Array) -> Descent:
    """Return the state at ``position``, with nothing remembered."""
    loss, gradient = objective(position)
    return Descent(position, loss, gradient)


def lbfgs_step(objective: Objective, state: Descent) -> Descent:
    """Return the state one step lower, or the same state where no step leads lower."""
    direction = _direction(state)
    if not float(direction @ state.gradient) < 0.0:
        state = replace(state, steps=(), changes=())
        direction = _direction(state)
    found = _line_search(objective, state, direction)
    if found is state and state.steps:
        return lbfgs_step(objective, replace(state, steps=(), changes=()))
    return found


def _gradient_step(objective: Objective, state: Descent) -> Descent:
    """Return the state after a step along the whole gradient, or of L-BFGS where that is no lower.

    It needs no search for its length, and gives the descent its first curvature.
    """
    position = state.position - state.gradient
    loss, gradient = objective(position)
    if not loss < state.loss:
        return lbfgs_step(objective, state)
    step, change = position - state.position, gradient - state.gradient
    return Descent(position, loss, gradient, (step,), (change,))


def _direction(state: Descent) -> Array:
    """Return minus the gradient, multiplied by the inverse curvature that memory stands for."""
    direction = -state.gradient
    if not state.steps:
        length = float(np.linalg.norm(direction))
        return direction / max(1.0, length)  # the first step is not longer than one
    shares, pairs = [], [*zip(state.steps, state.changes, strict=True)]
    curvatures = [float(step @ change) for step, change in pairs]
    room = np.empty_like(direction)
    for (step, change), curvature in zip(reversed(pairs), reversed(curvatures), strict=True):
        share = float(step @ direction) / curvature
        direction -= np.multiply(share, change, out=room)
        shares.append(share)
    change = state.changes[-1]
    direction *= curvatures[-1] / float(change @ change)
    for (step, change), curvature, share in zip(pairs, curvatures, reversed(shares), strict=True):
        weight = share - float(change @ direction) / curvature
        direction += np.multiply(weight, step, out=room)
    return direction


def _line_search(objective: Objective, state: Descent, direction: Array) -> Descent:
    """Return a lower state in this direction, or the same state where none is found."""
    derivative = float(direction @ state.gradient)
    length, too_short, too_long = 1.0, 0.0, np.inf
    lower = state
    for _ in range(TRIALS):
        position = state.position + length * direction
        loss, gradient = objective(position)
        if not loss <= state.loss + ARMIJO * length * derivative or loss >= state.loss:
            too_long = length
        else:
            lower = _remembered(state, position, loss, gradient)
            if float(direction @ gradient) >= WOLFE * derivative:
                return lower
            too_short = length
        length = 2.0 * length if too_long == np.inf else 0.5 * (too_short + too_long)
    return lower


def _remembered(state: Descent, position: Array, loss: float, gradient: Array) -> Descent:
    step, change = position - state.position, gradient - state.gradient
    if not float(step @ change) > 1e-16 * float(change @ change):
        return Descent(position, loss, gradient, state.steps, state.changes)
    steps, changes = (*state.steps, step)[-MEMORY:], (*state.changes, change)[-MEMORY:]
    return Descent(position, loss, gradient, steps, changes)
