"""Limited-memory quasi-Newton descent (L-BFGS): one step, from a state to a lower one.

The memory of the last moves and of how the gradient changed along them stands for the curvature
(Nocedal 1980). The length of a step is found by bisection until it satisfies the weak Wolfe
conditions (Lewis and Overton 2013), which keeps the remembered curvature positive.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..values import Array

Function = Callable[[Array], tuple[float, Array]]

MEMORY = 20  # moves remembered; a network's parameters are few beside its points
ENOUGH = 1e-4  # Armijo: the share of the promised decrease that a step must give
FLAT = 0.9  # Wolfe: the share of the slope that may be left at its end
TRIALS = 40  # lengths tried in one search: a range of 2^40 covers every scale met


@dataclass(frozen=True, slots=True)
class Descent:
    """A place with its loss and gradient, and the last moves that led there (newest last)."""

    place: Array
    loss: float
    gradient: Array
    moves: tuple[Array, ...] = ()
    changes: tuple[Array, ...] = ()


def begin(function: Function, place: Array) -> Descent:
    """Return the state at ``place``, with nothing remembered."""
    loss, gradient = function(place)
    return Descent(place, loss, gradient)


def descend(function: Function, state: Descent) -> Descent:
    """Return the state one step lower, or the same state where no step leads lower."""
    direction = _direction(state)
    if not float(direction @ state.gradient) < 0.0:
        state = replace(state, moves=(), changes=())
        direction = _direction(state)
    found = _search(function, state, direction)
    if found is None and state.moves:
        return descend(function, replace(state, moves=(), changes=()))
    return state if found is None else found


def _direction(state: Descent) -> Array:
    """Return minus the gradient, multiplied by the inverse curvature that memory stands for."""
    direction = -state.gradient
    if not state.moves:
        length = float(np.linalg.norm(direction))
        return direction / max(1.0, length)  # the first step is not longer than one
    shares = []
    for move, change in zip(reversed(state.moves), reversed(state.changes), strict=True):
        share = float(move @ direction) / float(move @ change)
        direction = direction - share * change
        shares.append(share)
    move, change = state.moves[-1], state.changes[-1]
    direction = direction * (float(move @ change) / float(change @ change))
    for move, change, share in zip(state.moves, state.changes, reversed(shares), strict=True):
        direction = direction + (share - float(change @ direction) / float(move @ change)) * move
    return direction


def _search(function: Function, state: Descent, direction: Array) -> Descent | None:
    slope = float(direction @ state.gradient)
    length, too_short, too_long = 1.0, 0.0, np.inf
    lower = None
    for _ in range(TRIALS):
        place = state.place + length * direction
        loss, gradient = function(place)
        if not loss <= state.loss + ENOUGH * length * slope or loss >= state.loss:
            too_long = length
        else:
            lower = _moved(state, place, loss, gradient)
            if float(direction @ gradient) >= FLAT * slope:
                return lower
            too_short = length
        length = 2.0 * length if too_long == np.inf else 0.5 * (too_short + too_long)
    return lower


def _moved(state: Descent, place: Array, loss: float, gradient: Array) -> Descent:
    move, change = place - state.place, gradient - state.gradient
    if not float(move @ change) > 1e-16 * float(change @ change):
        return Descent(place, loss, gradient, state.moves, state.changes)
    moves, changes = (*state.moves, move)[-MEMORY:], (*state.changes, change)[-MEMORY:]
    return Descent(place, loss, gradient, moves, changes)
