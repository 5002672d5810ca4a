"""How many coordinates the data need: intrinsic dimension, with its spread and point by point.

``intrinsic_dimension(X)`` asks all estimators and prints a table. One by one: ``levina_bickel``,
``two_nearest``, ``correlation_dimension``, ``local_pca``, ``elbow_of_patches`` and
``eigengap_of_patches`` take points; ``elbow``, ``elbow_of_map`` and ``eigengap`` read the result of
a method, and tell how many coordinates its *map* needs.
"""

from .correlation import correlation_dimension
from .elbow import eigengap, elbow, elbow_of_map
from .estimate import Dimension, Estimate
from .intrinsic import METHODS, intrinsic_dimension
from .local_pca import local_pca
from .nearest import levina_bickel, two_nearest
from .patches import eigengap_of_patches, elbow_of_patches
from .scales import doubling, settle

__all__ = [
    "METHODS",
    "Dimension",
    "Estimate",
    "correlation_dimension",
    "doubling",
    "eigengap",
    "eigengap_of_patches",
    "elbow",
    "elbow_of_map",
    "elbow_of_patches",
    "intrinsic_dimension",
    "levina_bickel",
    "local_pca",
    "settle",
    "two_nearest",
]
