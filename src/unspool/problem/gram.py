"""Similarities or centred points -> the eigenproblem of kernel PCA and classical scaling."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ..values import Array, EigenProblem, Operator


def gram(similarity: Array | Operator, *, centered: bool = True) -> EigenProblem:
    """Return the problem K v = value v, or H K H v = value v when ``centered``.

    The table is not copied: centring means that the constant vector is projected out.

    Parameters
    ----------
    similarity : ndarray or operator of shape (n_samples, n_samples)
        A table of similarities.
    centered : bool, default=True
        Whether the table is centred in rows and columns.

    Returns
    -------
    EigenProblem
        The largest end of the table.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import problem, spectrum
    >>> points = np.array([[0.0], [2.0]])
    >>> spectrum.solve(problem.gram(points @ points.T), 1).values
    array([2.])
    """
    constant = np.ones((similarity.shape[0], 1)) if centered else None
    return EigenProblem(similarity, "largest", trivial=constant)


def covariance(
    points: Array | sp.csr_array, divisor: float = 1.0, *, mean: Array | None = None
) -> EigenProblem:
    """Return the problem X'X a = divisor value a of centred points.

    The matrix is given by its factor X, and the points as they are: they are centred before
    anything is squared, so that an offset costs no digits.

    Parameters
    ----------
    points : ndarray or sparse matrix of shape (n_samples, n_features)
        Points; sparse ones are multiplied as they are, and never made dense.
    divisor : float, default=1.0
        What sums of squares are divided by: n or n - 1 for variances.
    mean : ndarray of shape (n_features,), optional
        Mean of the points; without it they are taken to be centred already.

    Returns
    -------
    EigenProblem
        The largest end of X'X.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import problem, spectrum
    >>> points = np.array([[2.0, 0.0], [0.0, 0.0]])
    >>> spectrum.solve(problem.covariance(points, mean=points.mean(axis=0)), 1).values
    array([2.])
    """
    if sp.issparse(points):
        center = np.zeros(points.shape[1]) if mean is None else mean
        return EigenProblem(SparseProducts(points, center), "largest", divisor=divisor)
    return EigenProblem(points, "largest", is_factor=True, divisor=divisor, center=mean)


@dataclass(frozen=True, slots=True)
class SparseProducts:
    """X'X of sparse points less their center, by its products alone."""

    points: sp.csr_array
    center: Array

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return len(self.center), len(self.center)

    @property
    def norm_bound(self) -> float:
        """A bound of its norm: twice what the points and their center have as squares."""
        n = self.points.shape[0]
        return float(2.0 * (np.square(self.points.data).sum() + n * (self.center @ self.center)))

    def __matmul__(self, block: Array) -> Array:
        """Return the product with a block of vectors."""
        scores = self.points @ block - self.center @ block
        return np.asarray(self.points.T @ scores - np.outer(self.center, scores.sum(axis=0)))
