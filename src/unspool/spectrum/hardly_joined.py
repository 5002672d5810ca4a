"""The small end of a Laplacian once more, where parts of the graph are hardly joined.

Joined by weights of 1e-12, parts have eigenvalues below the rounding of the matrix, whose diagonal
has no room for such weights: any mix of the parts seems to be an eigenvector. The edges themselves
know better. As x'Lx is a sum of w_ij (x_i - x_j)^2, its root is a factor whose rows are differences
along edges, and inside of a part those are zero to rounding. Singular values of that factor, on the
span that a solver found, tell the mixes apart down to weights of about 1e-20.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from ..values import Array
from .operators import EigenPairs, StandardForm, Task

EDGES = 1 << 18  # whose differences are held at a time


def is_one_graph(task: Task) -> bool:
    """Tell whether a matrix is the Laplacian of one connected graph.

    Components that nothing joins have the value zero each, and any mix of them is as good.
    """
    form, problem = task.form, task.problem
    if problem.end != "smallest" or problem.ceiling is None or not sp.issparse(form.matrix):
        return False
    if form.trivial.shape[1] != 1 or not (form.trivial != 0.0).all():
        return False
    return bool(connected_components(form.sparse, directed=False, return_labels=False) == 1)


def resolve_by_differences(task: Task, pairs: EigenPairs) -> EigenPairs:
    """Return the pairs of the same span, their values from differences along the edges."""
    triangle = np.zeros((0, len(pairs.values)))
    for rows in _differences(task.form, pairs.vectors):
        triangle = np.asarray(np.linalg.qr(np.vstack([triangle, rows]), mode="r"))
    _, singular, turned = np.linalg.svd(triangle)
    values = np.zeros(len(pairs.values))
    values[: len(singular)] = singular**2
    order = np.argsort(values, kind="stable")
    vectors = pairs.vectors @ turned.T[:, order]
    return replace(pairs, values=values[order], vectors=vectors, of_factor=True, residuals=None)


def _differences(form: StandardForm, vectors: Array) -> Iterator[Array]:
    """Yield the rows of the factor times the vectors, some edges at a time.

    With M t = 0, x'Mx is the sum over edges of -m_ij t_i t_j (x_i / t_i - x_j / t_j)^2.
    """
    known = form.trivial[:, 0]
    edges = sp.coo_array(sp.triu(form.sparse, k=1))
    ratios = vectors / known[:, None]
    for first in range(0, edges.nnz, EDGES):
        strip = slice(first, first + EDGES)
        i, j = edges.row[strip], edges.col[strip]
        roots = np.sqrt(np.maximum(-edges.data[strip] * known[i] * known[j], 0.0))
        yield roots[:, None] * (ratios[i] - ratios[j])
