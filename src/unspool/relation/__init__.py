"""How points relate: each relation states its eigenproblem and gives the rows of query points."""

from .chart import Chart, Component, Isolated, Queries, Relation
from .features import FeatureProjection, check_features, count_monomials, deviations
from .gram import (
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
    LocalRelation,
    relate_by_modified_weights,
    relate_by_reconstruction,
    relate_by_tangents,
)
from .neighbors import Neighborhood, NeighborSearch, relate_neighbors
from .nystroem import GivenKernel, NystroemMap, center_landmarks, draw_landmarks, fit_nystroem

__all__ = [
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
    "advise_if_not_euclidean",
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
    "triangulate",
]
