"""S1: dissimilarities, stress with weights and gaps, and the order of distances alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from unspool import MDS, ClassicalMDS, graph, quality

from ..outcome import Outcome, equal, measured, outcome
from ..registry import item


def _points(n: int, width: int, seed: int) -> Any:
    random = np.random.default_rng(seed)
    return random.normal(size=(n, width)) @ random.normal(size=(width, width))


@item("S1.dissimilarities", "A dissimilarity need not be a distance", "Dissimilarity matrix")
def dissimilarities() -> Outcome:
    """Non-negative, symmetric, zero to itself; the triangle inequality is not asked for. What no
    points can have shows as negative eigenvalues."""
    odd = np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 1.0], [5.0, 1.0, 0.0]])
    model = ClassicalMDS(1, metric="precomputed").fit(odd)
    refused = [_refused(bad) for bad in (odd - 2.0, np.triu(odd), odd + np.eye(3))]
    return outcome(
        measured(
            "share of negative eigenvalues",
            "an exact embedding will not exist",
            model.negative_mass(),
            at_least=0.05,
        ),
        equal(
            "negative, unsymmetric, or not zero to itself",
            "all three refused",
            refused,
            [True, True, True],
        ),
    )


def _refused(table: Any) -> bool:
    try:
        ClassicalMDS(1, metric="precomputed").fit(table)
    except ValueError:
        return True
    return False


@item("S1.stress", "Weighted stress and missing distances", "Extensions of MDS")
def stress() -> Outcome:
    """Iterative descent lowers the stress below that of classical scaling; weights of 0 stand for
    missing distances, weights 1/d^2 keep near pairs better."""
    points = _points(50, 6, seed=4)
    lengths = graph.cross(points, points)
    plain = MDS(2, metric="precomputed").fit(lengths)
    classical = ClassicalMDS(2, metric="precomputed").fit(lengths)
    inverse = np.where(lengths > 0, 1 / np.maximum(lengths, 1e-12) ** 2, 0.0)
    near = MDS(2, metric="precomputed", weights=inverse).fit(lengths)
    flat = _points(40, 2, seed=5)
    full = graph.cross(flat, flat)
    random = np.random.default_rng(6)
    gaps = np.triu(random.random(full.shape) < 0.3, 1)
    holed = np.where(gaps | gaps.T, np.nan, full)
    filled = MDS(2, metric="precomputed").fit(holed)
    closest = lengths < np.quantile(lengths, 0.2)
    return outcome(
        measured(
            "stress over that of classical scaling",
            "minimised by iterative procedures",
            plain.stress_ / _stress(lengths, classical.embedding_),
            at_most=0.95,
        ),
        measured(
            "left over with 30 % of the distances missing",
            "w in {0, 1} handles missing data",
            quality.disparity(filled.embedding_, flat),
            at_most=1e-6,
        ),
        measured(
            "error of near pairs, weights 1/d^2 over weights 1",
            "more heavily penalise nearby pairs",
            _error(lengths, near.embedding_, closest) / _error(lengths, plain.embedding_, closest),
            at_most=0.95,
        ),
    )


def _stress(lengths: Any, places: Any) -> float:
    return float(np.square(graph.cross(places, places) - lengths).sum() / 2)


def _error(lengths: Any, places: Any, which: Any) -> float:
    return float(np.square(graph.cross(places, places) - lengths)[which].mean())


@item("S1.nonmetric", "Only the order of the dissimilarities", "Metric and nonmetric")
def nonmetric() -> Outcome:
    """A monotone change of all dissimilarities does not move a nonmetric map, and moves a metric
    one; other distances than Euclidean may be given."""
    flat = _points(40, 2, seed=7)
    lengths = graph.cross(flat, flat)
    bent = lengths**2.5
    ordinal = MDS(2, metric="precomputed", ordinal=True, max_iter=1000).fit(bent)
    metric = MDS(2, metric="precomputed").fit(bent)
    city = MDS(2, metric="cityblock").fit(flat)
    return outcome(
        measured(
            "left over, nonmetric",
            "preserves rank ordering",
            quality.disparity(ordinal.embedding_, flat),
            at_most=0.01,
        ),
        measured(
            "rank correlation of the distances, nonmetric",
            "order kept",
            quality.shepard(bent, ordinal.embedding_, metric="precomputed").value,
            at_least=0.999,
        ),
        measured(
            "left over, metric, over nonmetric",
            "metric methods want the numbers",
            quality.disparity(metric.embedding_, flat)
            / max(quality.disparity(ordinal.embedding_, flat), 1e-9),
            at_least=5.0,
        ),
        measured(
            "stress-1 from city-block distances",
            "a choice of distance",
            city.normalized_stress_,
            at_most=0.2,
        ),
    )
