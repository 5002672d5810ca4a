"""What a comparison found: one row per method, as a table, as records and as a picture.

What else is told of the data and the maps (Shepard diagrams, elbows, the intrinsic dimension) is
computed when first asked for, from the neighbour graph and the geodesics of the comparison.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .. import quality
from ..dimension import Dimension, intrinsic_dimension
from ..quality import Score, Shepard
from ..relation import describe_localized, find_localized
from ..values import Array, html_table
from .scores import COLUMNS, Column, Elbow, Scores, Yardstick, aligned

PAIRED = 400  # points whose pairs a Shepard diagram shows


@dataclass(frozen=True, slots=True)
class Settings:
    """What methods given by name or class are made with, where they have such a parameter."""

    n_components: int
    n_neighbors: int | None
    metric: Any
    seed: int

    @property
    def chosen(self) -> dict[str, Any]:
        """The parameters that were asked for, by name."""
        asked = {
            "n_components": self.n_components,
            "random_state": self.seed,
            "metric": self.metric,
            "n_neighbors": self.n_neighbors,
        }
        return {name: value for name, value in asked.items() if value is not None}


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """One method in a comparison: its map and scores, or why it has none.

    ``seconds`` is what the fit takes alone: stages that were shared count in every row.
    """

    label: str
    model: Any
    embedding: Array | None
    scores: Scores
    seconds: float
    failure: str = ""
    notes: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether there is no map."""
        return self.embedding is None


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Several maps of the same data, and how far each can be trusted. Prints as a table.

    ``outcomes`` has a row for each method, failed ones too; everything else speaks of those that
    have a map, by label. ``seconds`` is what the comparison took in all, ``searches`` and
    ``geodesics`` how often neighbours were searched and geodesics computed for the maps.
    """

    outcomes: tuple[Outcome, ...]
    yardstick: Yardstick
    settings: Settings
    color: Any = None
    columns: tuple[str, ...] = ()
    seconds: float = 0.0
    searches: int = 0
    geodesics: int = 0

    @property
    def n_points(self) -> int:
        """Number of points."""
        return int(self.yardstick.data.shape[0])

    @property
    def embeddings(self) -> dict[str, Array]:
        """The maps, as the methods gave them."""
        return {o.label: o.embedding for o in self.outcomes if o.embedding is not None}

    @property
    def models(self) -> dict[str, Any]:
        """The fitted models."""
        return {o.label: o.model for o in self.outcomes if not o.failed}

    @property
    def scores(self) -> dict[str, Scores]:
        """The scores of each map, by name; each a number that also knows its points."""
        return {o.label: o.scores for o in self.outcomes if not o.failed}

    @property
    def failures(self) -> dict[str, str]:
        """Why some methods have no map."""
        return {o.label: o.failure for o in self.outcomes if o.failed}

    @cached_property
    def aligned(self) -> dict[str, Array]:
        """The maps, each laid on the truth, or on the first map where there is none."""
        maps = self.embeddings
        if not maps:
            return {}
        truth = self.yardstick.truth
        target = next(iter(maps.values())) if truth is None else truth
        return {label: aligned(places, target) for label, places in maps.items()}

    @cached_property
    def shepard(self) -> dict[str, Shepard]:
        """Distances on each map against those in the data; of a sparse graph these are unknown."""
        yardstick = self.yardstick
        if yardstick.is_sparse:
            return {}
        return {
            label: quality.shepard(
                yardstick.data,
                places,
                metric=yardstick.metric,
                sample=min(PAIRED, len(places)),
                seed=yardstick.seed,
            )
            for label, places in self.embeddings.items()
        }

    @cached_property
    def elbows(self) -> tuple[Elbow, ...]:
        """What PCA and Isomap leave unexplained of the distances with 1, 2, ... coordinates."""
        return self.yardstick.elbows()

    @cached_property
    def dimension(self) -> Dimension | None:
        """How many coordinates the data need; None if they are too few, or a sparse graph."""
        yardstick = self.yardstick
        if yardstick.is_sparse:
            return None
        try:
            return intrinsic_dimension(yardstick.data, metric=yardstick.metric, seed=yardstick.seed)
        except ValueError:  # too few distinct points
            return None

    @property
    def scored(self) -> tuple[Column, ...]:
        """The columns of the table: scores that at least one map has."""
        present = {name for outcome in self.outcomes for name in outcome.scores}
        return tuple(column for column in COLUMNS if column.name in present)

    @cached_property
    def ruined(self) -> dict[str, str]:
        """What ruins the picture of some maps: a coordinate that a few points carry alone."""
        found = {label: find_localized(places) for label, places in self.embeddings.items()}
        every = np.arange(self.n_points)
        return {label: describe_localized(c, every) for label, c in found.items() if c}

    def best(self, score: str) -> str:
        """Return the label of the map with the best value of a score.

        A map whose points lie in a dot beside a few strays is not the best, if there is another.
        """
        column = next((c for c in self.scored if score in (c.name, c.heading)), None)
        if column is None:
            known = ", ".join(c.name for c in self.scored)
            raise ValueError(f"no score {score!r} here; there are: {known}")
        sign = 1.0 if column.more_is_better else -1.0
        having = {label: s[column.name] for label, s in self.scores.items() if column.name in s}
        shown = [label for label in having if label not in self.ruined] or list(having)
        return max(shown, key=lambda label: sign * having[label].value)

    def records(self) -> list[dict[str, Any]]:
        """Return one dict per method: plain numbers, None where there is no score."""
        return [
            {
                "method": outcome.label,
                **{c.name: _plain(outcome.scores.get(c.name)) for c in self.scored},
                "seconds": outcome.seconds,
                "failure": outcome.failure or None,
                "notes": list(outcome.notes),
            }
            for outcome in self.outcomes
        ]

    def table(self) -> str:
        """Return the scores as text, one line per method, and what is to be said about them."""
        heads = ["method", *(c.heading for c in self.scored), "seconds"]
        lines = [
            [o.label, *(_cell(o.scores.get(c.name)) for c in self.scored), f"{o.seconds:.2f}"]
            for o in self.outcomes
        ]
        return "\n".join([columns_of_text(heads, lines), *self._remarks()])

    def _remarks(self) -> list[str]:
        said = [f"{label}: no map: {reason}" for label, reason in self.failures.items()]
        said += [f"{o.label}: {note}" for o in self.outcomes for note in o.notes]
        said += [f"{label}: not the best of any score: {why}" for label, why in self.ruined.items()]
        return ["", self.basis(), *said]

    def basis(self) -> str:
        """Say of which points the scores are, and how sure."""
        near = f"scores with {self.yardstick.n_neighbors} neighbours"
        shown = [s[name] for s in self.scores.values() for name in s if name in _RANKED]
        if not shown:
            return near
        count = min(len(score.sample) for score in shown)
        if count == self.n_points:
            return f"{near}, of all {count} points"
        error = max(score.standard_error for score in shown)
        return (
            f"{near}, of a sample of {count} of {self.n_points} points; standard errors at most "
            f"{error:.1g}"
        )

    def figure(self, color: Any = None) -> Any:
        """Return the maps side by side, laid on each other, painted by ``color``."""
        from .. import plot

        paint = self.color if color is None else color
        truth = self.yardstick.truth
        titles = {
            label: f"{label}\ntrust {s['trustworthiness'].value:.3f}"
            for label, s in self.scores.items()
            if "trustworthiness" in s
        }
        maps = {titles.get(label, label): places for label, places in self.aligned.items()}
        if truth is not None and truth.shape[1] <= 2:
            maps = {"truth": truth, **maps}
        solid = all(places.shape[1] == 3 for places in maps.values())
        return plot.comparison(maps, color=paint, dimensions=3 if solid else 2)

    def __str__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        """Return the table of scores for a notebook."""
        heads = ["method", *(c.heading for c in self.scored), "seconds"]
        lines = [
            [o.label, *(_cell(o.scores.get(c.name)) for c in self.scored), f"{o.seconds:.2f}"]
            for o in self.outcomes
        ]
        return html_table(heads, lines, self._remarks())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self.outcomes)} methods:\n{self}>"


_RANKED = ("trustworthiness", "continuity", "neighbours kept", "area under R_NX", "stress")


def _cell(score: Score | None) -> str:
    return "-" if score is None else f"{score.value:.3f}"


def _plain(score: Score | None) -> float | None:
    return None if score is None else float(np.float64(score.value))


GAP = "  "


def columns_of_text(heads: Sequence[str], lines: Sequence[Sequence[str]], left: int = 1) -> str:
    """Return an aligned table; the first ``left`` columns are words, the last may be too long."""
    rows = [list(heads), *(list(line) for line in lines)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(heads))]
    ruled = [rows[0], ["-" * width for width in widths], *rows[1:]]
    return "\n".join(_line(row, widths, left) for row in ruled)


def _line(row: Sequence[str], widths: Sequence[int], left: int) -> str:
    cells = [
        cell.ljust(width) if i < left else cell.rjust(width)
        for i, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return GAP.join(cells).rstrip()
