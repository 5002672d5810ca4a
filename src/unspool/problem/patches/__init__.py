"""What each neighbourhood says, one file a kind of patch."""

from .reconstruction import LocalGrams, reconstruction_weights

__all__ = ["LocalGrams", "reconstruction_weights"]
