"""Relation -> EigenProblem: gram, Laplacian, reconstruction and alignment."""

from .alignment import (
    alignment,
    alignment_bytes,
    flatness,
    hessian_patches,
    local_spectra,
    members_needed,
    modified_patches,
    tangent_patches,
)
from .gram import covariance, gram
from .laplacian import Normalization, cuts, laplace_operator, laplacian
from .neighborhoods import (
    LocalDistances,
    LocalFrames,
    LocalGeometry,
    LocalGrams,
    LocalPaths,
    LocalPoints,
    batch_neighborhoods,
    grams_of_distances,
    grams_of_points,
    look_at,
    tangent_coordinates,
    tangents_of_grams,
)
from .reconstruction import reconstruction, reconstruction_weights, weights

__all__ = [
    "LocalDistances",
    "LocalFrames",
    "LocalGeometry",
    "LocalGrams",
    "LocalPaths",
    "LocalPoints",
    "Normalization",
    "alignment",
    "alignment_bytes",
    "batch_neighborhoods",
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
    "look_at",
    "members_needed",
    "modified_patches",
    "reconstruction",
    "reconstruction_weights",
    "tangent_coordinates",
    "tangent_patches",
    "tangents_of_grams",
    "weights",
]
