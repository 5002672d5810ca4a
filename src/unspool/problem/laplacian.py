"""Weights of a graph -> the eigenproblem of its Laplacian D - W."""

from __future__ import annotations

from typing import Literal

import numpy as np
import scipy.sparse as sp

from ..values import EigenProblem

Normalization = Literal["random-walk", "symmetric", "unnormalized"]


def laplacian(weights: sp.csr_array, normalization: Normalization = "random-walk") -> EigenProblem:
    """Return L y = value D y ("random-walk"), L y = value y ("unnormalized"), or the problem of
    D^-1/2 L D^-1/2 ("symmetric"), for symmetric non-negative weights of one connected graph.

    In each the solution with value 0 is known: the constant, or sqrt(D) for "symmetric".
    """
    degree = np.asarray(weights.sum(axis=1)).ravel()
    matrix = sp.csr_array(sp.diags_array(degree) - weights)
    constant = np.ones((len(degree), 1))
    if normalization == "unnormalized":
        return EigenProblem(matrix, "smallest", constant, ceiling=2.0 * float(degree.max()))
    if normalization == "random-walk":
        return EigenProblem(matrix, "smallest", constant, mass=degree, ceiling=2.0)
    root = np.sqrt(degree)
    scaled = sp.csr_array(sp.diags_array(1.0 / root) @ matrix @ sp.diags_array(1.0 / root))
    return EigenProblem(scaled, "smallest", root[:, None], ceiling=2.0)
