"""One file per method: the only place that composes relations, problems and scalings."""

from ..relation import commute_time_distances
from .additive_pca import AdditivePCA
from .autoassociative_network import AutoassociativeNetwork
from .charting import Charting
from .classical_mds import ClassicalMDS
from .conformal_eigenmaps import ConformalEigenmaps
from .diffusion_maps import DiffusionMaps
from .feature_map_pca import FeatureMapPCA
from .gpca import GPCA
from .hessian_lle import HessianLLE
from .isomap import Isomap
from .kernel_lle import KernelLLE
from .kernel_pca import (
    Contours,
    KernelExpansion,
    KernelPCA,
    WidthSweep,
    component_contours,
    karhunen_loeve,
    mercer_expansion,
    sweep_widths,
)
from .landmark_isomap import LandmarkIsomap
from .landmark_mds import LandmarkMDS
from .laplacian_eigenmaps import LaplacianEigenmaps, curviness, heat_flow
from .lle import LLE
from .ltsa import LTSA
from .maximum_variance_unfolding import MaximumVarianceUnfolding
from .mds import MDS
from .modified_lle import ModifiedLLE
from .pca import PCA
from .polynomial_pca import PolynomialPCA
from .principal_curve import PrincipalCurve
from .principal_surface import PrincipalSurface
from .random_projection import (
    RandomProjection,
    distortions,
    johnson_lindenstrauss_dimension,
    projection_success_probability,
    projection_tail_probability,
)
from .spectral_clustering import SpectralClustering
from .tsne import TSNE

__all__ = [
    "GPCA",
    "LLE",
    "LTSA",
    "MDS",
    "PCA",
    "TSNE",
    "AdditivePCA",
    "AutoassociativeNetwork",
    "Charting",
    "ClassicalMDS",
    "ConformalEigenmaps",
    "Contours",
    "DiffusionMaps",
    "FeatureMapPCA",
    "HessianLLE",
    "Isomap",
    "KernelExpansion",
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
    "WidthSweep",
    "commute_time_distances",
    "component_contours",
    "curviness",
    "distortions",
    "heat_flow",
    "johnson_lindenstrauss_dimension",
    "karhunen_loeve",
    "mercer_expansion",
    "projection_success_probability",
    "projection_tail_probability",
    "sweep_widths",
]
