"""Double centring: H K H with H = I - 11'/n, as means that are kept rather than a matrix.

It moves the origin of a feature space to the mean of the points, whether the inner products come
from a kernel or from distances, of all points or of one neighbourhood.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .runtime import run_strips
from .values import Array

ROWS = 256  # of a table that a thread adds up at a time


@dataclass(frozen=True, slots=True)
class Centering:
    """The means of a similarity table, which centre it and the rows of query points alike."""

    column_means: Array
    grand_mean: float

    @classmethod
    def of(cls, similarity: Any) -> Centering:
        """Return the means of a square similarity table."""
        column_means = _column_sums(similarity) / similarity.shape[0]
        return cls(column_means, float(column_means.mean()))

    def rows(self, rows: Array) -> Array:
        """Return rows k(x, .) centred: both x and the fitted points lose their mean."""
        centered = rows - rows.mean(axis=1, keepdims=True)
        centered -= self.column_means - self.grand_mean
        return np.asarray(centered)

    def product(self, rows: Any, anchors: Array) -> Array:
        """Return the centred rows times anchors, without a centred copy of the rows."""
        means = (self.column_means - self.grand_mean) @ anchors
        both = rows @ np.column_stack([anchors, np.full(len(anchors), 1.0 / len(anchors))])
        return np.asarray(both[:, :-1] - np.outer(both[:, -1], anchors.sum(axis=0)) - means)

    def add_mean(self, coefficients: Array) -> Array:
        """Return combinations of features as given, for combinations of centred ones."""
        own_means = coefficients.mean(axis=1, keepdims=True)
        return np.asarray(coefficients + (1.0 / coefficients.shape[1] - own_means))


def _column_sums(table: Any) -> Array:
    """Return the sums of the columns, a strip of rows by each thread."""
    if not isinstance(table, np.ndarray):
        return np.asarray(table.sum(axis=0, dtype=np.float64)).ravel()
    sums = np.empty((-(-len(table) // ROWS), table.shape[1]))

    def work(rows: slice) -> None:
        sums[rows.start // ROWS] = table[rows].sum(axis=0, dtype=np.float64)

    run_strips(work, len(table), ROWS)
    return np.asarray(sums.sum(axis=0))


def double_centered(similarity: Array) -> Array:
    """Return H K H of a square table, or of each one of a stack (Izenman 2013, exercise 16.6).

    Its entries are b_ij = a_ij - a_i. - a_.j + a_.., where a dot stands for a mean.

    Parameters
    ----------
    similarity : ndarray of shape (..., n_samples, n_samples)
        A table of similarities, or several.

    Returns
    -------
    ndarray of shape (..., n_samples, n_samples)
        The table whose rows and columns have mean 0.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import kernel
    >>> kernel.double_centered(np.eye(2))
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """
    column_means = similarity.mean(axis=-2, keepdims=True)
    own_means = similarity.mean(axis=-1, keepdims=True)
    grand_means = column_means.mean(axis=-1, keepdims=True)
    return np.asarray(similarity - own_means - column_means + grand_means)


@dataclass(frozen=True, slots=True)
class Uncentered:
    """The centring that leaves everything as it is, for maps that go through the origin."""

    def rows(self, rows: Array) -> Array:
        """Return the rows as they are."""
        return rows

    def product(self, rows: Any, anchors: Array) -> Array:
        """Return the rows times anchors."""
        return np.asarray(rows @ anchors)

    def add_mean(self, coefficients: Array) -> Array:
        """Return the coefficients as they are."""
        return coefficients
