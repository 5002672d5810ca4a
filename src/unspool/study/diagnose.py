"""One model on its data: what is sound, what is not, and which parameter to change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..progress import stage
from ..values import Array
from .case import Case
from .checks import Measure, measures_of
from .compare import checked_data, was_fitted_on
from .text import columns_of_text


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Diagnosis:
    """What was measured of a map, and what to change. Prints as a table and sentences.

    ``measures`` are the numbers, each with its limit, causes first; ``advice`` the sentences of
    those that are not sound, without those that follow from an earlier one: empty for a good map.
    """

    label: str
    measures: tuple[Measure, ...]
    case: Case

    @property
    def advice(self) -> tuple[str, ...]:
        """One sentence for each thing that should change, each naming a parameter."""
        return tuple(measure.advice for measure in self.measures if measure.advice)

    @property
    def sound(self) -> bool:
        """Whether all measures are."""
        return all(measure.ok for measure in self.measures)

    def __getitem__(self, name: str) -> Measure:
        for measure in self.measures:
            if measure.name == name:
                return measure
        known = ", ".join(measure.name for measure in self.measures)
        raise KeyError(f"no measure {name!r} here; there are: {known}")

    def records(self) -> list[dict[str, Any]]:
        """Return one dict a measure."""
        return [
            {
                "measure": m.name,
                "value": m.value,
                "sound": m.sound,
                "ok": m.ok,
                "advice": m.advice or None,
                "parameter": m.parameter or None,
                "suggestion": m.suggestion,
            }
            for m in self.measures
        ]

    def table(self) -> str:
        """Return the measures as text, one a line."""
        lines = [[m.name, f"{m.value:.4g}", m.sound, _verdict(m)] for m in self.measures]
        return columns_of_text([self.label, "measured", "sound if", ""], lines)

    def figure(self) -> Any:
        """Return four looks at the map: trust, graph or distortion, distances, eigenvalues."""
        from .pictures import diagnosis_figure

        return diagnosis_figure(self.case)

    def __str__(self) -> str:
        said = [f"- {sentence}" for sentence in self.advice] or ["nothing to change"]
        return "\n".join([self.table(), "", *said])

    def __repr__(self) -> str:
        return f"<{type(self).__name__}:\n{self}>"


def diagnose(model: Any, X: Any, *, sample: int | None = None, seed: int = 0) -> Diagnosis:
    """Measure what may be wrong with the map of a fitted ``model``, and say what to change.

    ``X`` are the data of the fit (points, or the table it was fitted on), or others that the model
    can place; data that a model of another package was fitted on are placed like new ones, if it
    can. Each check that applies to the method measures one number; each number that is not
    sound gives one sentence that names a parameter and a value for it.

    >>> from unspool import Isomap, datasets, diagnose
    >>> roll = datasets.swiss_roll(500)
    >>> found = diagnose(Isomap(2, n_neighbors=20).fit(roll.points), roll.points)
    >>> found["path length lost to doubtful edges"].parameter
    'n_neighbors'
    """
    if not hasattr(model, "embedding_"):
        raise ValueError(f"{type(model).__name__} is not fitted: call fit(X) on it first")
    case = _case(model, X, sample, seed)
    with stage("diagnosis"):
        measures = tuple(measures_of(case))
    return Diagnosis(type(model).__name__, measures, case)


def _verdict(measure: Measure) -> str:
    return "ok" if measure.ok else "change" if measure.advice else "follows"


def _case(model: Any, X: Any, sample: int | None, seed: int) -> Case:
    metric = getattr(model, "metric", "euclidean")
    seen = X
    if getattr(model, "kernel", None) == "precomputed":
        seen, metric = _distances_of_kernel(X), "precomputed"
    elif metric == "kernel":  # of a feature space that the data do not show
        metric = "euclidean"
    data = checked_data(seen, metric)
    counted = min(10, data.shape[0] - 1)
    return Case(model, data, metric, _places(model, X, data), counted, sample, seed)


def _places(model: Any, X: Any, data: Any) -> Array:
    if hasattr(model, "transform") and not was_fitted_on(model, X):
        return np.asarray(model.transform(X), dtype=np.float64)
    known = np.asarray(model.embedding_, dtype=np.float64)
    if len(known) != data.shape[0]:
        raise ValueError(
            f"the model maps {len(known)} points and X has {data.shape[0]}; pass the data it was "
            "fitted on"
        )
    return known


def _distances_of_kernel(table: Any) -> Array:
    """Return d_ij = sqrt(K_ii - 2 K_ij + K_jj) (S4 16.56)."""
    kernel = np.asarray(table, dtype=np.float64)
    if kernel.ndim != 2 or kernel.shape[0] != kernel.shape[1]:
        raise ValueError(f"a kernel table must be square; got shape {kernel.shape}")
    own = np.diag(kernel)
    return np.sqrt(np.maximum(own[:, None] - 2.0 * kernel + own, 0.0))
