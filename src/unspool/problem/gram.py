"""Similarities or centred points -> the eigenproblem of kernel PCA and classical scaling."""

from __future__ import annotations

import numpy as np

from ..values import Array, EigenProblem


def gram(similarity: Array, *, centered: bool = True) -> EigenProblem:
    """Return the problem K v = value v, or H K H v = value v when ``centered``.

    The table is not copied: centring means that the constant vector is projected out.
    """
    constant = np.ones((len(similarity), 1)) if centered else None
    return EigenProblem(similarity, "largest", trivial=constant)


def covariance(centred_points: Array) -> EigenProblem:
    """Return the problem X'X a = value a of points that are already centred.

    The matrix is given by its factor X and never formed: squaring would halve the digits.
    """
    return EigenProblem(centred_points, "largest", is_factor=True)
