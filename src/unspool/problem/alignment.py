"""Local descriptions of neighbourhoods -> one global eigenproblem that aligns them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import scipy.sparse as sp

from ..runtime import stage
from ..values import Array, EigenProblem

ENTRIES = 20_000_000  # of patches held before they are added up: about half a gigabyte


def alignment(patches: Iterable[tuple[Array, Array]], n: int) -> EigenProblem:
    """Return the problem of M = sum of patches, each placed at the points that it speaks of.

    Parameters
    ----------
    patches : iterable of tuple of ndarray
        Batches of members (b, m) and symmetric blocks (b, m, m) that vanish on constants.
    n : int
        Number of points.

    Returns
    -------
    EigenProblem
        The smallest end of M, the constant vector left out.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import problem
    >>> block = np.array([[[1.0, -1.0], [-1.0, 1.0]]])
    >>> problem.alignment([(np.array([[0, 1]]), block), (np.array([[1, 2]]), block)], 3).end
    'smallest'
    """
    total: sp.csr_array | None = None
    waiting: list[tuple[Array, Array]] = []
    with stage("alignment", total=n) as running:
        for members, blocks in patches:
            waiting.append((members, blocks))
            if sum(held.size for _, held in waiting) > ENTRIES:
                total, waiting = _added_up(waiting, n, total), []
            running.advance(len(members))
        matrix = _added_up(waiting, n, total)
        matrix = sp.csr_array(0.5 * (matrix + matrix.T))
        running.note(holds=matrix.data.nbytes + matrix.indices.nbytes, entries=matrix.nnz)
    return EigenProblem(matrix, "smallest", trivial=np.ones((n, 1)))


def _added_up(
    batches: list[tuple[Array, Array]], n: int, total: sp.csr_array | None
) -> sp.csr_array:
    """Return ``total`` with the waiting patches added."""
    narrow = np.int32 if n < 2**31 else np.int64
    rows = [np.empty(0, narrow)]
    columns, values = list(rows), [np.empty(0)]
    for members, blocks in batches:
        points = members.astype(narrow)
        rows.append(np.broadcast_to(points[:, :, None], blocks.shape).ravel())
        columns.append(np.broadcast_to(points[:, None, :], blocks.shape).ravel())
        values.append(blocks.ravel())
    places = (np.concatenate(rows), np.concatenate(columns))
    added = sp.csr_array(sp.coo_array((np.concatenate(values), places), shape=(n, n)))
    return added if total is None else total + added
