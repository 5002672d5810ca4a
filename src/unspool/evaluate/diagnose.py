"""One model on its data: what is sound, what is not, and which parameter to change.

The figure of a diagnosis: four looks at one map.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import plot
from ..io import pass_through
from ..plot import figure
from ..runtime import share_work, stage
from ..values import Array, columns_of_text, html_table
from . import map_checks, solution_checks
from .compare import ReadyMap, checked_data, is_ready, was_fitted_on
from .evidence import Evidence, Measure
from .solution_checks import spectrum_of

Check = Callable[[Evidence], Measure | None]

# Causes come first: with one of them, what the map fails to keep is its consequence.
CAUSES: tuple[Check, ...] = (
    solution_checks.convergence,
    solution_checks.connected_components,
    solution_checks.short_circuits,
    map_checks.points_in_a_dot,
    map_checks.repeated_coordinates,
)
SEEN: tuple[Check, ...] = (  # on the map; they try what they advise
    map_checks.trustworthiness,
    map_checks.continuity,
    map_checks.stress,
    map_checks.residual_variance,
    map_checks.distortion,
)
PROMISES: tuple[Check, ...] = (*SEEN, solution_checks.negative_eigenvalues)
TRIED_FIRST = ("n_neighbors", "radius", "symmetrize", "components", "n_components", "method")
OTHERS: tuple[Check, ...] = (solution_checks.eigengap, solution_checks.landmarks)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Diagnosis:
    """What was measured of a map, and what to change. Prints as a table and sentences.

    ``measures`` are the numbers, each with its limit, causes first; ``advice`` the sentences of
    those that are not sound, without those that follow from an earlier one: empty for a good map.
    All advice was tried, on a sample where points are many; what did not help, or cannot be done,
    is a ``remark`` of its measure.
    """

    label: str
    measures: tuple[Measure, ...]
    evidence: Evidence

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
        """Return one dict per measure."""
        return [
            {
                "measure": m.name,
                "value": m.value,
                "sound": m.sound,
                "ok": m.ok,
                "advice": m.advice or None,
                "parameter": m.parameter or None,
                "suggestion": _plain(m.suggestion),
                "remark": m.remark or None,
            }
            for m in self.measures
        ]

    def table(self) -> str:
        """Return the measures as text, one per line."""
        lines = [[m.name, f"{m.value:.4g}", m.sound, _verdict(m)] for m in self.measures]
        return columns_of_text([self.label, "measured", "sound if", ""], lines)

    def figure(self) -> Any:
        """Return four looks at the map: trust, graph or distortion, distances, eigenvalues."""
        return diagnosis_figure(self.evidence)

    def _repr_html_(self) -> str:
        """Return the measures and the advice for a notebook."""
        lines = [[m.name, f"{m.value:.4g}", m.sound, _verdict(m)] for m in self.measures]
        return html_table([self.label, "measured", "sound if", ""], lines, self.advice)

    def __str__(self) -> str:
        none = "nothing to change" if self.sound else "nothing to change that would help"
        said = [f"- {sentence}" for sentence in self.advice] or [none]
        remarks = dict.fromkeys(f"({m.remark})" for m in self.measures if m.remark)
        return "\n".join([self.table(), "", *said, *remarks])

    def __repr__(self) -> str:
        return f"<{type(self).__name__}:\n{self}>"


def diagnose(model: Any, X: Any, *, sample: int | None = None, seed: int = 0) -> Diagnosis:
    """Measure what may be wrong with the map of a fitted model, and say what to change.

    Each check that applies to the method measures one number; each number that is not sound gives
    one sentence that names a parameter and a value for it.

    Parameters
    ----------
    model : fitted model
        One of the methods, a pipeline that ends in one, a model of another package with
        ``embedding_`` or ``transform``, or the ready coordinates of the rows of X; also a dict of
        one of these under its name, as for ``compare``.
    X : array-like of shape (n_samples, n_features)
        The data of the fit (points, or the table it was fitted on), or others that the model can
        place. Data that a model of another package was fitted on are placed like new ones, if it
        can.
    sample : int or None, default=None
        Number of points to look at; None is all of them as long as that is affordable.
    seed : int, default=0
        Seed of the sample.

    Returns
    -------
    Diagnosis
        What was measured, with the advice that follows from it.

    Examples
    --------
    >>> from unspool import Isomap, datasets, diagnose
    >>> roll = datasets.swiss_roll(500)
    >>> found = diagnose(Isomap(2, n_neighbors=20).fit(roll.points), roll.points)
    >>> found["path length lost to doubtful edges"].parameter
    'n_neighbors'
    """
    label, model = _named(model)
    if is_ready(model):
        model = ReadyMap.of(model, label)
    elif hasattr(model, "named_steps"):
        model, X = model[-1], pass_through(model, X)
    if not hasattr(model, "embedding_"):
        raise ValueError(f"{type(model).__name__} is not fitted: call fit(X) on it first")
    evidence = _gather(model, X, sample, seed)
    with stage("diagnosis"), share_work():  # trials on the same points share neighbours and ranks
        measures = tuple(_measures_of(evidence))
    name = model.label if isinstance(model, ReadyMap) else label or type(model).__name__
    return Diagnosis(name, measures, evidence)


def _named(model: Any) -> tuple[str | None, Any]:
    """Return a map and what it is called, if it came in a dict."""
    if not isinstance(model, Mapping):
        return None, model
    if len(model) != 1:
        names = ", ".join(repr(str(name)) for name in model) or "nothing"
        raise ValueError(
            f"diagnose looks at one map, and the dict holds {names}; ask for one at a time, as "
            "{name: found[name]}, or compare(X, found) for scores of all"
        )
    [(name, found)] = model.items()
    return str(name), found


def _measures_of(evidence: Evidence) -> Iterator[Measure]:
    """Yield everything that can be measured, with one piece of advice for each parameter at most.

    What follows from something that was advised before is not sound either, but has no advice of
    its own: two changes for one cause would contradict each other.
    """
    advised: set[str] = set()
    limited = False
    for check in (*CAUSES, *PROMISES, *OTHERS):
        found = check(evidence)
        if found is None:
            continue
        follows = bool(advised) and check not in OTHERS
        if not found.ok and (follows or found.parameter in advised):
            found = replace(found, advice="", parameter="", suggestion=None, remark="")
        elif found.parameter in TRIED_FIRST and check not in SEEN:
            found = _tried(evidence, found)
        if found.remark and check in PROMISES:  # what two coordinates can show is said once
            found = replace(found, remark=found.remark.partition("; ")[0]) if limited else found
            limited = True
        advised |= {found.parameter} - {""}
        yield found


def _tried(evidence: Evidence, found: Measure) -> Measure:
    """Return a measure whose advice costs no neighbours, else one that says that it would."""
    if evidence.few is None:
        return found
    after = evidence.trial(found.parameter, found.suggestion)
    if after is not None and after.near >= evidence.few.near:
        whole = evidence.confirmed_on
        after = evidence.confirmation(found.parameter, found.suggestion)
        if after is not None and whole is not None and after.near >= whole.near:
            return found
    told, _, what = found.advice.rpartition("; " if "; " in found.advice else ": ")
    fewer = f"; not advised, because the map keeps fewer neighbours then: {what}"
    remark = f"{told}{fewer if after is not None else ''}"
    return replace(found, advice="", parameter="", suggestion=None, remark=remark)


def _verdict(measure: Measure) -> str:
    if measure.ok:
        return "ok"
    return "change" if measure.advice else "as it is" if measure.remark else "follows"


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def _gather(model: Any, X: Any, sample: int | None, seed: int) -> Evidence:
    metric = getattr(model, "metric", "euclidean")
    seen = X
    if getattr(model, "kernel", None) == "precomputed":
        seen, metric = _distances_of_kernel(X), "precomputed"
    elif metric == "kernel":  # of a feature space that the data do not show
        metric = "euclidean"
    data = checked_data(seen, metric)
    counted = min(10, data.shape[0] - 1)
    return Evidence(model, data, metric, _embedding(model, X, data), counted, sample, seed)


def _embedding(model: Any, X: Any, data: Any) -> Array:
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
    """Return d_ij = sqrt(K_ii - 2 K_ij + K_jj) (Izenman 2013, eq. 16.56)."""
    kernel = np.asarray(table, dtype=np.float64)
    if kernel.ndim != 2 or kernel.shape[0] != kernel.shape[1]:
        raise ValueError(f"a kernel matrix must be square; got shape {kernel.shape}")
    own = np.diag(kernel)
    return np.asarray(np.sqrt(np.maximum(own[:, None] - 2.0 * kernel + own, 0.0)))


def diagnosis_figure(evidence: Evidence) -> Any:
    """Return a figure of the map's trust, its graph or distortion, its distances, its values."""
    fig = figure(9.6, 8.0)
    grid = fig.subplots(2, 2)
    if "trustworthiness" in evidence.scores:
        score = evidence.scores["trustworthiness"]
        plot.trust(
            evidence.embedding, score, axes=grid[0, 0], title="trustworthiness of each point"
        )
    else:
        plot.embedding(evidence.embedding, axes=grid[0, 0], title="map")
    _relation(evidence, grid[0, 1])
    if not hasattr(evidence.data, "tocsr"):
        title = "distances, pair by pair"
        plot.shepard(evidence.shepard, axes=grid[1, 0], title=title)
    else:
        grid[1, 0].set_axis_off()
    _values(evidence, grid[1, 1])
    return fig


def _relation(evidence: Evidence, axes: Any) -> None:
    if evidence.has_graph and evidence.listed.n_points == evidence.n_points:
        marked = evidence.suspicious.edges
        title = f"neighbour graph, {len(marked)} doubtful edges marked"
        plot.neighbor_graph(
            evidence.embedding, evidence.listed, marked=marked, axes=axes, title=title
        )
    elif (
        evidence.distortion is not None
        and evidence.width == 2
        and evidence.distortion.axes.shape[2] == 2
    ):
        title = "what the map makes of small circles"
        plot.ellipses(evidence.embedding, evidence.distortion, axes=axes, title=title)
    else:
        plot.embedding(evidence.embedding, axes=axes, title="map")


def _values(evidence: Evidence, axes: Any) -> None:
    values = getattr(evidence.model, "eigenvalues_", None)
    if values is not None and len(values):
        shown = _with_next(np.asarray(values, dtype=np.float64), spectrum_of(evidence.model))
        plot.scree(shown, kept=len(values), axes=axes, title="eigenvalues of the coordinates")
        return
    if evidence.distortion is not None:
        plot.embedding(
            evidence.embedding,
            np.log10(np.maximum(evidence.distortion.areas, 1e-12)),
            label="log10 of the growth of areas",
            axes=axes,
            title="where the map spreads and crowds",
        )
    else:
        axes.set_axis_off()


def _with_next(values: Array, facts: Any) -> Array:
    """Return the eigenvalues and the first that was left out, if it is known."""
    if facts is None or facts["next"] is None or facts["count"] != len(values):
        return values
    return np.append(values, facts["next"])
