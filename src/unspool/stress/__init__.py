"""Dissimilarities -> the configuration of least stress, metric or ordinal."""

from .dissimilarities import FLOOR, Wanted, fill_gaps, wanted_from
from .isotonic import monotone, order_within, sorted_order, taken
from .objective import Objective, TableStress, minimize_stress, place_by_stress, smacof_step
from .ordinal import MonotoneCurve, OrdinalStress
from .pairs import Pairs, PairStress
from .start import check_start, first_of_same, has_empty_axis, lifted, starting_places
from .tables import checked_dissimilarities, known_points, known_rows, power_of, rows_with_gaps

__all__ = [
    "FLOOR",
    "MonotoneCurve",
    "Objective",
    "OrdinalStress",
    "PairStress",
    "Pairs",
    "TableStress",
    "Wanted",
    "check_start",
    "checked_dissimilarities",
    "fill_gaps",
    "first_of_same",
    "has_empty_axis",
    "known_points",
    "known_rows",
    "lifted",
    "minimize_stress",
    "monotone",
    "order_within",
    "place_by_stress",
    "power_of",
    "rows_with_gaps",
    "smacof_step",
    "sorted_order",
    "starting_places",
    "taken",
    "wanted_from",
]
