"""Kernel locally linear embedding."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..runtime import claim, stage
from ..values import Array, Metric
from .kernel_parameters import KernelChoice
from .lle import LLE
from .parameters import learned, method, parameter


@method
class KernelLLE(KernelChoice, LLE):
    """Kernel LLE: neighbours and weights in the feature space of a kernel (S4 16.6.8; DeCoste
    2001).

    Feature-space distances K_ii - 2 K_ij + K_jj (16.56) give the neighbours and, through them, the
    local Gram matrices (16.57); the rest is LLE. With ``kernel="linear"`` it is LLE.

    Attributes: ``eigenvalues_`` of M, ``gamma_``.

    >>> from unspool import KernelLLE, datasets
    >>> KernelLLE(2, n_neighbors=12, sigma=20.0).fit(datasets.s_curve(300).points).embedding_.shape
    (300, 2)
    """

    metric: Metric = parameter(
        "kernel", choices=("kernel",), help="distances are always those of the feature space"
    )
    search: Literal["exact"] = parameter(
        "exact", choices=("exact",), help="the table of those distances is searched as it is"
    )

    _diagonal: Array = learned()

    def _table(self) -> Literal["kernel"] | None:  # type: ignore[override]
        return "kernel" if self.kernel == "precomputed" else None

    def _learn(self, given: Any) -> None:
        n = given.shape[0]
        claim(3 * n * n * 8, f"the {n} x {n} kernel table of KernelLLE", "use LLE on the points")
        # shifting the points is exact here: distances in feature space do not see it
        self._choose_kernel(given, centred=True)
        self._diagonal = np.zeros(0)
        super()._learn(given)

    def _related_metric(self) -> Metric:
        return "precomputed"

    def _relate(self, given: Any) -> Array:
        """Return distances in feature space from the given points to the fitted ones."""
        with stage("similarity") as running:
            fitting = len(self._diagonal) == 0
            table = given if self._points is None else self._kernel(given, self._points)
            if fitting:
                self._diagonal = np.array(np.diag(table))
            squares = self._own(given, table, fitting)[:, None] - 2.0 * table + self._diagonal
            # what is zero up to rounding is zero: the same point
            squares[squares <= 1e-14 * float(np.abs(self._diagonal).max(initial=0.0))] = 0.0
            if fitting:
                np.fill_diagonal(squares, 0.0)
            running.note(holds=squares.nbytes)
        return np.asarray(np.sqrt(squares))

    def _own(self, given: Any, table: Array, fitting: bool) -> Array:
        """Return k(x, x) of each point.

        Rows of a precomputed kernel do not tell it. Neither the order of the neighbours nor the
        weights depend on it, so the least value that a kernel could have there will do.
        """
        if fitting:
            return self._diagonal
        if self._points is not None:
            return self._kernel.diagonal(given)
        least = (2.0 * table - self._diagonal).max(axis=1)
        return np.asarray(np.maximum(least, float(np.median(self._diagonal))))
