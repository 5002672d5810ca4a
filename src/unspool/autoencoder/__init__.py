"""The autoassociative network: layers, loss, training."""

from .network import (
    ACTIVATIONS,
    BLOCK,
    Activation,
    Examples,
    Network,
    NetworkScaling,
    Topology,
    TrainingLoss,
    Units,
    autoassociative,
    decoder_jacobian,
    from_flat,
    is_linear,
    principal_network,
    random_network,
    scaling_of,
    with_data_lengths,
)
from .torch_backend import MiniBatches
from .training import Trained, TrainingSettings, fit_network

__all__ = [
    "ACTIVATIONS",
    "BLOCK",
    "Activation",
    "Examples",
    "MiniBatches",
    "Network",
    "NetworkScaling",
    "Topology",
    "Trained",
    "TrainingLoss",
    "TrainingSettings",
    "Units",
    "autoassociative",
    "decoder_jacobian",
    "fit_network",
    "from_flat",
    "is_linear",
    "principal_network",
    "random_network",
    "scaling_of",
    "with_data_lengths",
]
