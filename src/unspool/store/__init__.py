"""Fitted models as files: plain arrays and one JSON page in a zip, sealed, never pickle."""

from .models import SUFFIX, SavedModel, UnreadableModel, load, read, save

__all__ = ["SUFFIX", "SavedModel", "UnreadableModel", "load", "read", "save"]
