"""unspool: nonlinear dimensionality reduction and manifold learning, every method, one contract.

The public names are loaded when they are first used, so that ``import unspool`` costs nothing.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "Cancelled": "progress",
    "ClassicalMDS": "methods",
    "Isomap": "methods",
    "KernelPCA": "methods",
    "LLE": "methods",
    "LaplacianEigenmaps": "methods",
    "PCA": "methods",
}
_MODULES = ("catalog", "datasets", "graph", "kernel", "problem", "progress", "quality", "spectrum")

__all__ = [
    "LLE",
    "PCA",
    "Cancelled",
    "ClassicalMDS",
    "Isomap",
    "KernelPCA",
    "LaplacianEigenmaps",
    "catalog",
    "datasets",
    "graph",
    "kernel",
    "problem",
    "progress",
    "quality",
    "spectrum",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module 'unspool' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
