"""The autoassociative network: layers, objective, training."""

from .code import decoder_slopes, with_lengths_of_data
from .layers import ACTIVATIONS, Network, Topology, Units, autoassociative, from_flat
from .objective import BLOCK, Examples, Objective
from .scaling import Frame, frame_of
from .start import is_linear, principal_start, random_start
from .torch_backend import MiniBatches
from .training import Trained, TrainingSettings, fit_network

__all__ = [
    "ACTIVATIONS",
    "BLOCK",
    "Examples",
    "Frame",
    "MiniBatches",
    "Network",
    "Objective",
    "Topology",
    "Trained",
    "TrainingSettings",
    "Units",
    "autoassociative",
    "decoder_slopes",
    "fit_network",
    "frame_of",
    "from_flat",
    "is_linear",
    "principal_start",
    "random_start",
    "with_lengths_of_data",
]
