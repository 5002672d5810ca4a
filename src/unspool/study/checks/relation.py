"""What can be wrong with the neighbour graph: it falls apart, or takes short cuts."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...quality import suspicious_edges
from ..case import SHORTENED, Case, is_short_circuited, shortening
from .measure import Measure

GROWTH, SHRINKAGE = (1.25, 1.5, 2.0, 3.0, 4.0), (0.8, 0.65, 0.5, 0.4, 0.3)


def pieces(case: Case) -> Measure | None:
    """Count the pieces of the neighbour graph."""
    if not case.has_graph:
        return None
    sizes = np.bincount(case.model.component_labels_)
    name, count = "pieces of the graph", float(len(sizes))
    if len(sizes) == 1:
        return Measure(name, count, "1", True)
    told = f"the neighbour graph is in {len(sizes)} pieces (largest {sizes.max()} points)"
    parameter, tried = _wider(case)
    for value in tried:
        if case.is_whole(case.graph_with(parameter, value)):
            advice = f"{told}: raise {parameter} to {value:g}, which joins them"
            return Measure(name, count, "1", False, advice, parameter, value)
    if case.model.components == "separate":  # as would be advised
        return Measure(name, count, "1, or components='separate'", True)
    largest = ", or components='largest' for the largest alone"
    advice = (
        f"{told} that more neighbours do not join: pass components='separate' for one map a piece"
        f"{'' if case.model.components == 'largest' else largest}"
    )
    return Measure(name, count, "1", False, advice, "components", "separate")


def short_circuits(case: Case) -> Measure | None:
    """Measure how much shorter paths are through edges that nothing else confirms."""
    if not case.has_graph:
        return None
    lost = case.shortening
    name, sound = "path length lost to doubtful edges", f"< {SHORTENED:g}"
    found = case.suspicious
    if not is_short_circuited(case.listed, found, lost):
        return Measure(name, lost, sound, True)
    told = (
        f"{len(found.edges)} of {found.n_edges} edges look like short circuits and shorten paths "
        f"by {lost:.0%}"
    )
    parameter, tried = _narrower(case)
    for value in tried:
        fewer = case.graph_with(parameter, value)
        doubted = suspicious_edges(fewer)
        left = shortening(fewer, doubted, case.seed)
        if case.is_whole(fewer) and not is_short_circuited(fewer, doubted, left):
            advice = f"{told}: lower {parameter} to {value:g}, where they are gone"
            return Measure(name, lost, sound, False, advice, parameter, value)
    told = f"{told}, and no {parameter} that keeps the graph whole avoids them"
    if case.rule == "mutual":
        advice = f"{told}: remove the points between the sheets from X"
        return Measure(name, lost, sound, False, advice, "X")
    advice = f"{told}: pass symmetrize='mutual', or remove the points between the sheets"
    return Measure(name, lost, sound, False, advice, "symmetrize", "mutual")


def _wider(case: Case) -> tuple[str, Iterable[float]]:
    """Return which parameter joins more points, and the values to try."""
    if case.count is None:
        radius = getattr(case.model, "radius", None)
        return "radius", [] if radius is None else [float(radius) * f for f in GROWTH]
    most = case.n_points - 1
    return "n_neighbors", sorted({min(most, int(np.ceil(case.count * f))) for f in GROWTH})


def _narrower(case: Case) -> tuple[str, Iterable[float]]:
    if case.count is None:
        radius = getattr(case.model, "radius", None)
        return "radius", [] if radius is None else [float(radius) * f for f in SHRINKAGE]
    fewest = max(3, case.width + 1)
    tried = {max(fewest, int(case.count * f)) for f in SHRINKAGE} - {case.count}
    return "n_neighbors", sorted(tried, reverse=True)
