"""unspool: nonlinear dimensionality reduction and manifold learning, every method, one contract.

The public names are loaded when they are first used, so that ``import unspool`` costs nothing;
type checkers and editors read them from the imports below, which never run.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from . import catalog as catalog
    from . import datasets as datasets
    from . import dimension as dimension
    from . import distances as distances
    from . import evaluate as evaluate
    from . import explorer as explorer
    from . import graph as graph
    from . import io as io
    from . import kernel as kernel
    from . import paths as paths
    from . import plot as plot
    from . import problem as problem
    from . import quality as quality
    from . import runtime as runtime
    from . import scale as scale
    from . import spectrum as spectrum
    from . import store as store
    from .dimension import intrinsic_dimension as intrinsic_dimension
    from .evaluate.compare import compare as compare
    from .evaluate.diagnose import diagnose as diagnose
    from .evaluate.plan import plan as plan
    from .explorer.start import explore as explore
    from .methods import GPCA as GPCA
    from .methods import LLE as LLE
    from .methods import LTSA as LTSA
    from .methods import MDS as MDS
    from .methods import PCA as PCA
    from .methods import TSNE as TSNE
    from .methods import AdditivePCA as AdditivePCA
    from .methods import AutoassociativeNetwork as AutoassociativeNetwork
    from .methods import Charting as Charting
    from .methods import ClassicalMDS as ClassicalMDS
    from .methods import ConformalEigenmaps as ConformalEigenmaps
    from .methods import DiffusionMaps as DiffusionMaps
    from .methods import FeatureMapPCA as FeatureMapPCA
    from .methods import HessianLLE as HessianLLE
    from .methods import Isomap as Isomap
    from .methods import KernelLLE as KernelLLE
    from .methods import KernelPCA as KernelPCA
    from .methods import LandmarkIsomap as LandmarkIsomap
    from .methods import LandmarkMDS as LandmarkMDS
    from .methods import LaplacianEigenmaps as LaplacianEigenmaps
    from .methods import MaximumVarianceUnfolding as MaximumVarianceUnfolding
    from .methods import ModifiedLLE as ModifiedLLE
    from .methods import PolynomialPCA as PolynomialPCA
    from .methods import PrincipalCurve as PrincipalCurve
    from .methods import PrincipalSurface as PrincipalSurface
    from .methods import RandomProjection as RandomProjection
    from .methods import SpectralClustering as SpectralClustering
    from .methods import commute_time_distances as commute_time_distances
    from .methods import component_contours as component_contours
    from .methods import curviness as curviness
    from .methods import distortions as distortions
    from .methods import heat_flow as heat_flow
    from .methods import johnson_lindenstrauss_dimension as johnson_lindenstrauss_dimension
    from .methods import karhunen_loeve as karhunen_loeve
    from .methods import mercer_expansion as mercer_expansion
    from .methods import projection_success_probability as projection_success_probability
    from .methods import projection_tail_probability as projection_tail_probability
    from .methods import sweep_widths as sweep_widths
    from .runtime import Cancelled as Cancelled
    from .store import load as load
    from .store import save as save

_HOMES = {  # all other names are methods, or functions that belong to one
    "Cancelled": "runtime",
    "compare": "evaluate",
    "diagnose": "evaluate",
    "explore": "explorer",
    "intrinsic_dimension": "dimension",
    "load": "store",
    "plan": "evaluate",
    "save": "store",
}
_MODULES = (
    "catalog",
    "datasets",
    "dimension",
    "distances",
    "evaluate",
    "explorer",
    "graph",
    "io",
    "kernel",
    "paths",
    "plot",
    "problem",
    "quality",
    "runtime",
    "scale",
    "spectrum",
    "store",
)

__all__ = [
    "GPCA",
    "LLE",
    "LTSA",
    "MDS",
    "PCA",
    "TSNE",
    "AdditivePCA",
    "AutoassociativeNetwork",
    "Cancelled",
    "Charting",
    "ClassicalMDS",
    "ConformalEigenmaps",
    "DiffusionMaps",
    "FeatureMapPCA",
    "HessianLLE",
    "Isomap",
    "KernelLLE",
    "KernelPCA",
    "LandmarkIsomap",
    "LandmarkMDS",
    "LaplacianEigenmaps",
    "MaximumVarianceUnfolding",
    "ModifiedLLE",
    "PolynomialPCA",
    "PrincipalCurve",
    "PrincipalSurface",
    "RandomProjection",
    "SpectralClustering",
    "catalog",
    "commute_time_distances",
    "compare",
    "component_contours",
    "curviness",
    "datasets",
    "diagnose",
    "dimension",
    "distances",
    "distortions",
    "evaluate",
    "explore",
    "explorer",
    "graph",
    "heat_flow",
    "intrinsic_dimension",
    "io",
    "johnson_lindenstrauss_dimension",
    "karhunen_loeve",
    "kernel",
    "load",
    "mercer_expansion",
    "paths",
    "plan",
    "plot",
    "problem",
    "projection_success_probability",
    "projection_tail_probability",
    "quality",
    "runtime",
    "save",
    "scale",
    "spectrum",
    "store",
    "sweep_widths",
]


if not TYPE_CHECKING:  # a checker shall say which names there are not

    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            return import_module(f".{name}", __name__)
        if name in __all__:
            return getattr(import_module(f".{_HOMES.get(name, 'methods')}", __name__), name)
        raise AttributeError(f"module 'unspool' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
