"""Points, a frame and starts -> a trained network: holds points out, picks the trainer, trains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...memory import claim
from ...values import Array
from .frame import Frame
from .layers import Network
from .objective import Examples, Objective, fixed_order
from .training import Effort, FullBatch, Trained, Trainer, train


@dataclass(frozen=True, slots=True)
class Settings:
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
    starts: Sequence[Network], points: Array, frame: Frame, settings: Settings
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


def _split(examples: Examples, settings: Settings) -> tuple[Examples, Examples]:
    """Return the examples to learn from (two at least) and those held out, drawn by the seed."""
    wanted = int(np.ceil(settings.validation_fraction * len(examples)))
    count = min(wanted, len(examples) - 2)
    order = np.random.default_rng(settings.seed).permutation(len(examples))
    if count == 0:
        return examples, examples.only(slice(0, 0))
    return examples.only(np.sort(order[count:])), examples.only(np.sort(order[:count]))


def _trainer(objective: Objective, settings: Settings) -> Trainer:
    if settings.backend == "numpy":
        return FullBatch(objective)
    from .torch_backend import MiniBatches

    return MiniBatches(objective, settings.batch_size, settings.seed)
