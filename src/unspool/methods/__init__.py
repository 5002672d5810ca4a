"""One file per method: the only place that composes relations, problems and scalings."""

from ..relation import commute_time_distances
from .autoassociative_network import AutoassociativeNetwork
from .classical_mds import ClassicalMDS
from .diffusion_maps import DiffusionMaps
from .feature_map_pca import FeatureMapPCA
from .hessian_lle import HessianLLE
from .isomap import Isomap
from .johnson_lindenstrauss import (
    distortions,
    johnson_lindenstrauss_dimension,
    projection_success_probability,
    projection_tail_probability,
)
from .kernel_lle import KernelLLE
from .kernel_pca import KernelPCA
from .landmark_isomap import LandmarkIsomap
from .landmark_mds import LandmarkMDS
from .laplacian_eigenmaps import LaplacianEigenmaps
from .lle import LLE
from .ltsa import LTSA
from .mds import MDS
from .modified_lle import ModifiedLLE
from .pca import PCA
from .polynomial_pca import PolynomialPCA
from .principal_curve import PrincipalCurve
from .principal_surface import PrincipalSurface
from .random_projection import RandomProjection
from .spectral_clustering import SpectralClustering
from .tsne import TSNE

__all__ = [
    "LLE",
    "LTSA",
    "MDS",
    "PCA",
    "TSNE",
    "AutoassociativeNetwork",
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
    "commute_time_distances",
    "distortions",
    "johnson_lindenstrauss_dimension",
    "projection_success_probability",
    "projection_tail_probability",
]
