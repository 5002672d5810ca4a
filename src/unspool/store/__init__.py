"""Fitted models as files: plain arrays and one JSON page in a zip, sealed, never pickle."""

from .archive import UnreadableModel
from .models import SUFFIX, SavedModel, load, read, save

__all__ = ["SUFFIX", "SavedModel", "UnreadableModel", "load", "read", "save"]
