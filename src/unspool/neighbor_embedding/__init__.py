"""Neighbour embedding: attraction along affinities against the repulsion of all pairs."""

from .divergence import (
    EARLY_MOMENTUM,
    PER_PERPLEXITY,
    Affinities,
    FixedMap,
    Moving,
    Objective,
    Phase,
    attraction_problem,
    conditional_affinities,
    symmetric_affinities,
)
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
