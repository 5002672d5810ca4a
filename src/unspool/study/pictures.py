"""The figure of a diagnosis: four looks at one map."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import plot
from ..plot._backend import figure
from ..values import Array
from .case import Case
from .checks.solution import spectrum_of


def diagnosis_figure(case: Case) -> Any:
    """Return a figure of the map's trust, its graph or distortion, its distances, its values."""
    fig = figure(9.6, 8.0)
    grid = fig.subplots(2, 2)
    if "trustworthiness" in case.scores:
        score = case.scores["trustworthiness"]
        plot.trust(case.places, score, axes=grid[0, 0], title="trustworthiness of each point")
    else:
        plot.embedding(case.places, axes=grid[0, 0], title="map")
    _relation(case, grid[0, 1])
    if not hasattr(case.data, "tocsr"):
        title = "distances, pair by pair"
        plot.shepard(case.shepard, axes=grid[1, 0], title=title)
    else:
        grid[1, 0].set_axis_off()
    _values(case, grid[1, 1])
    return fig


def _relation(case: Case, axes: Any) -> None:
    if case.has_graph and case.listed.n_points == case.n_points:
        marked = case.suspicious.edges
        title = f"neighbour graph, {len(marked)} doubtful edges marked"
        plot.neighbor_graph(case.places, case.listed, marked=marked, axes=axes, title=title)
    elif case.distortion is not None and case.width == 2 and case.distortion.axes.shape[2] == 2:
        title = "what the map makes of small circles"
        plot.ellipses(case.places, case.distortion, axes=axes, title=title)
    else:
        plot.embedding(case.places, axes=axes, title="map")


def _values(case: Case, axes: Any) -> None:
    values = getattr(case.model, "eigenvalues_", None)
    if values is not None and len(values):
        shown = _with_next(np.asarray(values, dtype=np.float64), spectrum_of(case.model))
        plot.scree(shown, kept=len(values), axes=axes, title="eigenvalues of the coordinates")
        return
    if case.distortion is not None:
        plot.embedding(
            case.places,
            np.log10(np.maximum(case.distortion.areas, 1e-12)),
            label="log10 of the growth of areas",
            axes=axes,
            title="where the map spreads and crowds",
        )
    else:
        axes.set_axis_off()


def _with_next(values: Array, facts: Any) -> Array:
    """Return the eigenvalues and the first that was left out, in the units of the method."""
    if facts is None or facts.get("next") is None or facts["last"] == 0.0:
        return values
    last, following = float(facts["last"]), float(facts["next"])
    turned = np.isclose(values[-1], 1.0 - last) and not np.isclose(values[-1], last)
    # diffusion maps solve for 1 - value; PCA divides by the number of points
    after = 1.0 - following if turned else following * values[-1] / last
    return np.append(values, after)
