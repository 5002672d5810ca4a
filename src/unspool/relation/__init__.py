"""How points relate: each relation states its eigenproblem and gives the rows of query points."""

from .chart import Chart, Component, Isolated, Queries, Relation
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
from .heat import DiffusionRelation, EdgeWeighting, LaplacianRelation, commute_time_distances
from .landmarks import LandmarkGeodesics, triangulate
from .local import (
    LocalRelation,
    relate_by_modified_weights,
    relate_by_reconstruction,
    relate_by_tangents,
)
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
    "Chart",
    "Component",
    "DiffusionRelation",
    "EdgeWeighting",
    "FeatureProjection",
    "GeodesicOperator",
    "GeodesicTable",
    "GivenKernel",
    "GramMap",
    "Isolated",
    "LandmarkGeodesics",
    "LaplacianRelation",
    "LocalRelation",
    "NeighborSearch",
    "Neighborhood",
    "NystroemMap",
    "Queries",
    "Relation",
    "center_landmarks",
    "check_features",
    "commute_time_distances",
    "count_monomials",
    "deviations",
    "draw_landmarks",
    "fit_gram",
    "fit_nystroem",
    "relate_by_geodesics",
    "relate_by_modified_weights",
    "relate_by_reconstruction",
    "relate_by_tangents",
    "relate_neighbors",
    "scale_by_roots",
    "scale_geodesics",
    "triangulate",
]
