"""Relation -> EigenProblem: gram, Laplacian and alignment."""

from .alignment import alignment
from .gram import covariance, gram
from .laplacian import Normalization, cuts, laplace_operator, laplacian
from .patches import (
    centred_grams,
    flatness,
    hessian_patches,
    local_spectra,
    members_needed,
    modified_patches,
    neighborhoods,
    tangent_coordinates,
    tangent_patches,
    tangents_of_grams,
)
from .reconstruction import (
    LocalGrams,
    grams_of_distances,
    grams_of_points,
    reconstruction,
    reconstruction_weights,
    weights,
)

__all__ = [
    "LocalGrams",
    "Normalization",
    "alignment",
    "centred_grams",
    "covariance",
    "cuts",
    "flatness",
    "gram",
    "grams_of_distances",
    "grams_of_points",
    "hessian_patches",
    "laplace_operator",
    "laplacian",
    "local_spectra",
    "members_needed",
    "modified_patches",
    "neighborhoods",
    "reconstruction",
    "reconstruction_weights",
    "tangent_coordinates",
    "tangent_patches",
    "tangents_of_grams",
    "weights",
]
