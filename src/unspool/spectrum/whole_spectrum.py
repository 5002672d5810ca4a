"""Questions about a whole spectrum, for tables small enough to be decomposed."""

from __future__ import annotations

from functools import partial

import numpy as np
import scipy.linalg

from ..runtime import run_apart
from ..values import Array


def all_eigenvalues(table: Array) -> Array:
    """Return all eigenvalues of a symmetric table, largest first.

    Parameters
    ----------
    table : ndarray of shape (n_samples, n_samples)
        A symmetric table.

    Returns
    -------
    ndarray of shape (n_samples,)
        The eigenvalues.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import spectrum
    >>> spectrum.all_eigenvalues(np.diag([1.0, 3.0]))
    array([3., 1.])
    """
    found = run_apart(partial(scipy.linalg.eigvalsh, np.asarray(table, dtype=np.float64)))
    return np.asarray(found)[::-1]


def negative_mass(table: Array) -> float:
    """Return the share of a table's spectrum that is negative: sum of |negative| over sum of all.

    Zero for the inner products of points; what is left of a table of distances that no points have.

    Parameters
    ----------
    table : ndarray of shape (n_samples, n_samples)
        A symmetric table.

    Returns
    -------
    float
        The share, from 0 to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import spectrum
    >>> spectrum.negative_mass(np.diag([3.0, -1.0]))
    0.25
    """
    values = all_eigenvalues(table)
    total = float(np.abs(values).sum())
    return float(-values[values < 0].sum() / total) if total > 0 else 0.0


def additive_constant(squares: Array, distances: Array) -> float:
    """Return the least c for which the distances d + c (off the diagonal) are Euclidean.

    The largest real eigenvalue of [[0, 2 B], [-I, -4 C]], with B and C the centred -1/2 d^2 and
    -1/2 d (Cailliez 1983).

    Parameters
    ----------
    squares : ndarray of shape (n_samples, n_samples)
        The centred -1/2 d^2.
    distances : ndarray of shape (n_samples, n_samples)
        The centred -1/2 d.

    Returns
    -------
    float
        The constant.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import spectrum
    >>> from unspool.kernel import double_centered
    >>> d = np.array([[0.0, 1.0, 9.0], [1.0, 0.0, 1.0], [9.0, 1.0, 0.0]])
    >>> c = spectrum.additive_constant(double_centered(-0.5 * d**2), double_centered(-0.5 * d))
    >>> round(c, 9)
    7.0
    """
    n = len(squares)
    block = np.block([[np.zeros((n, n)), 2.0 * squares], [-np.eye(n), -4.0 * distances]])
    return float(np.max(np.real(run_apart(partial(scipy.linalg.eigvals, block)))))


def components_of_null_space(vectors: Array) -> Array:
    """Return the connected components of a graph from a basis of its Laplacian's null space.

    The basis is the components' indicators times a regular matrix (Vidal, Ma, Sastry 2016,
    prop. 4.12): rows are equal within a component and independent between components. One row of
    each component is found by pivoting; every row joins the nearest.

    Parameters
    ----------
    vectors : ndarray of shape (n_samples, n_components)
        A basis of the null space.

    Returns
    -------
    ndarray of shape (n_samples,)
        The component of every point.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import spectrum
    >>> labels = spectrum.components_of_null_space(np.array([[1.0, 1.0], [1.0, 1.0], [1.0, -1.0]]))
    >>> bool(labels[0] == labels[1] != labels[2])
    True
    """
    _, _, pivots = scipy.linalg.qr(vectors.T, mode="economic", pivoting=True)
    heads = vectors[np.sort(pivots[: vectors.shape[1]])]
    gaps = np.square(vectors[:, None, :] - heads[None, :, :]).sum(axis=2)
    return np.asarray(gaps.argmin(axis=1))
