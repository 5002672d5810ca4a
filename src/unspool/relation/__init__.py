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
    advise_if_not_euclidean,
    fit_gram,
    relate_by_geodesics,
    scale_by_roots,
)
from .heat import DiffusionRelation, EdgeWeighting, LaplacianRelation, commute_time_distances
from .landmarks import LandmarkGeodesics, triangulate
from .local import (
    LocalGeometry,
    LocalRelation,
    look_at,
    relate_by_modified_weights,
    relate_by_reconstruction,
    relate_by_tangents,
)
from .neighbors import directed_neighbors, edges_of, neighbor_index, undirected_neighbors
from .nystroem import (
    GivenKernel,
    LandmarkRule,
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
    "LandmarkRule",
    "LaplacianRelation",
    "LocalGeometry",
    "LocalRelation",
    "NystroemMap",
    "Queries",
    "Relation",
    "advise_if_not_euclidean",
    "center_landmarks",
    "check_features",
    "commute_time_distances",
    "count_monomials",
    "deviations",
    "directed_neighbors",
    "draw_landmarks",
    "edges_of",
    "fit_gram",
    "fit_nystroem",
    "look_at",
    "neighbor_index",
    "relate_by_geodesics",
    "relate_by_modified_weights",
    "relate_by_reconstruction",
    "relate_by_tangents",
    "scale_by_roots",
    "triangulate",
    "undirected_neighbors",
]
