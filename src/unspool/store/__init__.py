"""Fitted models as files: plain arrays and one JSON page in a zip, sealed, never pickle."""

from .archive import SEAL, SEAL_LENGTH, UnreadableModel, write
from .codec import Encoder
from .models import SUFFIX, SavedModel, load, read, save
from .registry import PLACES, class_of, word_of

__all__ = [
    "PLACES",
    "SEAL",
    "SEAL_LENGTH",
    "SUFFIX",
    "Encoder",
    "SavedModel",
    "UnreadableModel",
    "class_of",
    "load",
    "read",
    "save",
    "word_of",
    "write",
]
