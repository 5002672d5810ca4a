"""unspool: nonlinear dimensionality reduction and manifold learning, every method, one contract.

The public names are loaded when they are first used, so that ``import unspool`` costs nothing.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "AutoassociativeNetwork": "methods",
    "Cancelled": "runtime",
    "ClassicalMDS": "methods",
    "DiffusionMaps": "methods",
    "FeatureMapPCA": "methods",
    "HessianLLE": "methods",
    "Isomap": "methods",
    "KernelLLE": "methods",
    "KernelPCA": "methods",
    "LLE": "methods",
    "LTSA": "methods",
    "LandmarkIsomap": "methods",
    "LandmarkMDS": "methods",
    "LaplacianEigenmaps": "methods",
    "MDS": "methods",
    "ModifiedLLE": "methods",
    "PCA": "methods",
    "PolynomialPCA": "methods",
    "PrincipalCurve": "methods",
    "PrincipalSurface": "methods",
    "RandomProjection": "methods",
    "SpectralClustering": "methods",
    "commute_time_distances": "methods",
    "compare": "evaluate",
    "diagnose": "evaluate",
    "distortions": "methods",
    "intrinsic_dimension": "dimension",
    "johnson_lindenstrauss_dimension": "methods",
    "load": "store",
    "plan": "evaluate",
    "projection_success_probability": "methods",
    "projection_tail_probability": "methods",
    "save": "store",
}
_MODULES = (
    "catalog",
    "datasets",
    "dimension",
    "distances",
    "evaluate",
    "graph",
    "io",
    "kernel",
    "paths",
    "plot",
    "problem",
    "quality",
    "runtime",
    "spectrum",
    "store",
)

__all__ = [
    "LLE",
    "LTSA",
    "MDS",
    "PCA",
    "AutoassociativeNetwork",
    "Cancelled",
    "ClassicalMDS",
    "DiffusionMaps",
    "FeatureMapPCA",
    "HessianLLE",
    "Isomap",
    "KernelLLE",
    "KernelPCA",
    "LandmarkIsomap",
    "LandmarkMDS",
    "LaplacianEigenmaps",
    "ModifiedLLE",
    "PolynomialPCA",
    "PrincipalCurve",
    "PrincipalSurface",
    "RandomProjection",
    "SpectralClustering",
    "catalog",
    "commute_time_distances",
    "compare",
    "datasets",
    "diagnose",
    "dimension",
    "distances",
    "distortions",
    "evaluate",
    "graph",
    "intrinsic_dimension",
    "io",
    "johnson_lindenstrauss_dimension",
    "kernel",
    "load",
    "paths",
    "plan",
    "plot",
    "problem",
    "projection_success_probability",
    "projection_tail_probability",
    "quality",
    "runtime",
    "save",
    "spectrum",
    "store",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module 'unspool' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
