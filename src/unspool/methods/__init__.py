"""One file a method: the only place that composes the stages."""

from .classical_mds import ClassicalMDS
from .isomap import Isomap
from .kernel_pca import KernelPCA
from .laplacian_eigenmaps import LaplacianEigenmaps
from .lle import LLE
from .pca import PCA

__all__ = ["LLE", "PCA", "ClassicalMDS", "Isomap", "KernelPCA", "LaplacianEigenmaps"]
