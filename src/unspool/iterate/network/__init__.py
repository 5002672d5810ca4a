"""The autoassociative network: layers with exact gradients, starts, and training (S4 16.4)."""

from .coding import with_lengths_of_data
from .fitting import Settings, fit_network
from .frame import Frame, frame_of
from .layers import ACTIVATIONS, Network, Topology, Units, autoassociative
from .starts import is_linear, principal_start, random_start
from .training import Trained

__all__ = [
    "ACTIVATIONS",
    "Frame",
    "Network",
    "Settings",
    "Topology",
    "Trained",
    "Units",
    "autoassociative",
    "fit_network",
    "frame_of",
    "is_linear",
    "principal_start",
    "random_start",
    "with_lengths_of_data",
]
