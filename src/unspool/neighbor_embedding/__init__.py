"""Neighbour embedding: attraction along affinities against the repulsion of all pairs."""

from .affinities import (
    PER_PERPLEXITY,
    Affinities,
    attraction_problem,
    conditional_affinities,
    symmetric_affinities,
)
from .descent import EARLY_MOMENTUM, FixedMap, Moving, Objective, Phase
from .repulsion import (
    Gradient,
    GridPotential,
    PairPotential,
    Potential,
    Repulsion,
    TreePotential,
    choose,
)

__all__ = [
    "EARLY_MOMENTUM",
    "PER_PERPLEXITY",
    "Affinities",
    "FixedMap",
    "Gradient",
    "GridPotential",
    "Moving",
    "Objective",
    "PairPotential",
    "Phase",
    "Potential",
    "Repulsion",
    "TreePotential",
    "attraction_problem",
    "choose",
    "conditional_affinities",
    "symmetric_affinities",
]
