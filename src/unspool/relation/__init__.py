"""How points relate: each relation states its eigenproblem and gives the rows of query points."""

from .chart import Chart, Component, Isolated, Layout, Queries, Relation
from .features import FeatureProjection, check_features, count_monomials, deviations
from .gram import (
    DOUBLE_POINTS,
    GEODESIC_BLOCK_BYTES,
    TABLE_ROOM,
    GeodesicOperator,
    GeodesicTable,
    GramMap,
    fit_gram,
    relate_by_geodesics,
    scale_by_roots,
    scale_geodesics,
)
from .heat import (
    AdaptiveGaussianWeights,
    DiffusionRelation,
    EdgeWeighting,
    GivenWeights,
    HeatWeights,
    LaplacianRelation,
    PlainWeights,
    SelfTuningWeights,
    commute_time_distances,
    settle_faint_points,
)
from .landmarks import LandmarkGeodesics, triangulate
from .local import (
    LocalRelation,
    relate_by_modified_weights,
    relate_by_reconstruction,
    relate_by_tangents,
)
from .localization import Localized, describe_localized, find_localized
from .neighbors import Neighborhood, NeighborSearch, relate_neighbors
from .nystroem import (
    GivenKernel,
    NystroemMap,
    center_landmarks,
    draw_landmarks,
    fit_nystroem,
)

__all__ = [
    "DOUBLE_POINTS",
    "GEODESIC_BLOCK_BYTES",
    "TABLE_ROOM",
    "AdaptiveGaussianWeights",
    "Chart",
    "Component",
    "DiffusionRelation",
    "EdgeWeighting",
    "FeatureProjection",
    "GeodesicOperator",
    "GeodesicTable",
    "GivenKernel",
    "GivenWeights",
    "GramMap",
    "HeatWeights",
    "Isolated",
    "LandmarkGeodesics",
    "LaplacianRelation",
    "Layout",
    "LocalRelation",
    "Localized",
    "NeighborSearch",
    "Neighborhood",
    "NystroemMap",
    "PlainWeights",
    "Queries",
    "Relation",
    "SelfTuningWeights",
    "center_landmarks",
    "check_features",
    "commute_time_distances",
    "count_monomials",
    "describe_localized",
    "deviations",
    "draw_landmarks",
    "find_localized",
    "fit_gram",
    "fit_nystroem",
    "relate_by_geodesics",
    "relate_by_modified_weights",
    "relate_by_reconstruction",
    "relate_by_tangents",
    "relate_neighbors",
    "scale_by_roots",
    "scale_geodesics",
    "settle_faint_points",
    "triangulate",
]
