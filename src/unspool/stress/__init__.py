"""Dissimilarities -> the configuration of least stress, metric or ordinal."""

from .dissimilarities import (
    Dissimilarities,
    DissimilarityPairs,
    DissimilarityTable,
    dissimilarities_of,
    weighting_of,
)
from .initial import (
    check_start,
    first_of_equal_points,
    first_of_equal_rows,
    initial_configuration,
    perturb_empty_axes,
    principal_configuration,
)
from .ordinal import (
    MonotoneCurve,
    OrdinalDisparities,
    OrdinalStress,
    monotone_regression,
    parallel_argsort,
)
from .query_points import match_points, match_rows, place_by_stress, rows_with_gaps
from .raw_stress import (
    Disparities,
    MetricDisparities,
    Pairs,
    PairStress,
    ShepardDiagram,
    Stress,
    TableStress,
    minimize_stress,
    smacof_step,
)
from .tables import checked_dissimilarities, fill_gaps

__all__ = [
    "Disparities",
    "Dissimilarities",
    "DissimilarityPairs",
    "DissimilarityTable",
    "MetricDisparities",
    "MonotoneCurve",
    "OrdinalDisparities",
    "OrdinalStress",
    "PairStress",
    "Pairs",
    "ShepardDiagram",
    "Stress",
    "TableStress",
    "check_start",
    "checked_dissimilarities",
    "dissimilarities_of",
    "fill_gaps",
    "first_of_equal_points",
    "first_of_equal_rows",
    "initial_configuration",
    "match_points",
    "match_rows",
    "minimize_stress",
    "monotone_regression",
    "parallel_argsort",
    "perturb_empty_axes",
    "place_by_stress",
    "principal_configuration",
    "rows_with_gaps",
    "smacof_step",
    "weighting_of",
]
