"""What each neighbourhood says, one file a kind of patch."""

from .hessian import hessian_patches, members_needed
from .modified import flatness, local_spectra, modified_patches
from .neighborhoods import centred_grams, neighborhoods, tangent_coordinates, tangents_of_grams
from .reconstruction import LocalGrams, reconstruction_weights
from .tangent import tangent_patches

__all__ = [
    "LocalGrams",
    "centred_grams",
    "flatness",
    "hessian_patches",
    "local_spectra",
    "members_needed",
    "modified_patches",
    "neighborhoods",
    "reconstruction_weights",
    "tangent_coordinates",
    "tangent_patches",
    "tangents_of_grams",
]
