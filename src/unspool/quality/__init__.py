"""How far a map can be trusted: as a number, and point by point.

- neighbourhoods: ``neighborhoods`` (all rank scores in one pass), ``trustworthiness``,
  ``continuity``, ``neighbors_kept``, ``r_nx``, ``r_nx_area``, ``co_ranking``
- distances: ``stress``, ``shepard``, ``residual_variance``
- against a truth: ``procrustes``, ``align``, ``disparity``, ``explained_by``
- where the map bends, where the graph is wrong, what would move: ``local_distortion``,
  ``short_circuits``, ``stability``
"""

from .distance_rows import check_neighbors, checked, checked_table
from .distance_scores import (
    Distortion,
    Shepard,
    Stress,
    local_distortion,
    residual_variance,
    shepard,
    stress,
)
from .procrustes import Alignment, Stability, align, disparity, explained_by, procrustes, stability
from .ranks import (
    CoRanking,
    Neighborhoods,
    co_ranking,
    continuity,
    neighborhoods,
    neighbors_kept,
    r_nx,
    r_nx_area,
    trustworthiness,
)
from .score import Curve, Score
from .short_circuits import ShortCircuits, short_circuits, suspicious_edges

__all__ = [
    "Alignment",
    "CoRanking",
    "Curve",
    "Distortion",
    "Neighborhoods",
    "Score",
    "Shepard",
    "ShortCircuits",
    "Stability",
    "Stress",
    "align",
    "check_neighbors",
    "checked",
    "checked_table",
    "co_ranking",
    "continuity",
    "disparity",
    "explained_by",
    "local_distortion",
    "neighborhoods",
    "neighbors_kept",
    "procrustes",
    "r_nx",
    "r_nx_area",
    "residual_variance",
    "shepard",
    "short_circuits",
    "stability",
    "stress",
    "suspicious_edges",
    "trustworthiness",
]
