"""How many coordinates the data need: intrinsic dimension, with its spread and point by point.

``intrinsic_dimension(X)`` asks all estimators and prints a table. One by one: ``levina_bickel``,
``two_nearest``, ``correlation_dimension``, ``local_pca``, ``elbow_of_patches`` and
``eigengap_of_patches`` take points; ``elbow``, ``elbow_of_map`` and ``eigengap`` read the result of
a method, and tell how many coordinates its *map* needs.
"""

from .elbow import eigengap, eigengap_of_patches, elbow, elbow_of_map, elbow_of_patches
from .estimate import Dimension, Estimate
from .intrinsic import ESTIMATORS, QUICK, count_coordinates, intrinsic_dimension
from .local import correlation_dimension, levina_bickel, local_pca, two_nearest

__all__ = [
    "ESTIMATORS",
    "QUICK",
    "Dimension",
    "Estimate",
    "correlation_dimension",
    "count_coordinates",
    "eigengap",
    "eigengap_of_patches",
    "elbow",
    "elbow_of_map",
    "elbow_of_patches",
    "intrinsic_dimension",
    "levina_bickel",
    "local_pca",
    "two_nearest",
]
