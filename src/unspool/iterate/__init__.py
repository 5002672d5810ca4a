"""state -> step -> settled: the loop, and the steps of the methods that iterate."""

from .gaps import fill_gaps
from .loop import Outcome, iterate, relative_change_below
from .monotone import MonotoneCurve, OrdinalStress
from .ordering import monotone
from .pairs import Pairs, PairStress
from .placing import place_by_stress
from .stress import Objective, TableStress, minimize_stress, smacof_step

__all__ = [
    "MonotoneCurve",
    "Objective",
    "OrdinalStress",
    "Outcome",
    "PairStress",
    "Pairs",
    "TableStress",
    "fill_gaps",
    "iterate",
    "minimize_stress",
    "monotone",
    "place_by_stress",
    "relative_change_below",
    "smacof_step",
]
