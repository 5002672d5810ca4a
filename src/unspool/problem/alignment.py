"""Local descriptions of neighbourhoods -> one global eigenproblem that aligns them."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from ..values import EigenProblem


def reconstruction(weights: sp.csr_array) -> EigenProblem:
    """Return the problem of M = (I - W)'(I - W): coordinates rebuilt by the same weights.

    Rows of W sum to one, so the constant vector is a solution with value 0 (S0 4.48-4.49). M is
    given by its factor I - W: its wanted values are so small that squaring would lose them.
    """
    n = weights.shape[0]
    misfit = sp.csr_array(sp.eye_array(n, format="csr") - weights)
    return EigenProblem(misfit, "smallest", trivial=np.ones((n, 1)), is_factor=True)
