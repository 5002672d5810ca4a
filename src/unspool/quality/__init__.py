"""How far a map can be trusted: as a number, and point by point.

- neighbourhoods: ``neighborhoods`` (all rank scores in one pass), ``trustworthiness``,
  ``continuity``, ``neighbors_kept``, ``r_nx``, ``r_nx_area``, ``co_ranking``
- distances: ``stress``, ``shepard``, ``residual_variance``
- against a truth: ``procrustes``, ``align``, ``disparity``, ``explained_by``
- where the map bends, where the graph is wrong, what would move: ``local_distortion``,
  ``short_circuits``, ``stability``
"""

from .distortion import Distortion, local_distortion
from .neighborhoods import (
    Neighborhoods,
    continuity,
    neighborhoods,
    r_nx,
    r_nx_area,
    trustworthiness,
)
from .neighbors import neighbors_kept
from .procrustes import Alignment, align, disparity, explained_by, procrustes
from .ranks import CoRanking, co_ranking
from .score import Curve, Score
from .shepard import Shepard, shepard
from .shortcuts import ShortCircuits, short_circuits, suspicious_edges
from .stability import Stability, stability
from .stress import Stress, stress
from .variance import residual_variance

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
