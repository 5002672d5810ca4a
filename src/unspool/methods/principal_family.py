"""What principal curves and surfaces share: span, stopping, the trace of distances, the start."""

from __future__ import annotations

from typing import Any

from .. import problem
from ..optimize import Outcome
from ..principal import Distances, Normalization, narrowing_spans
from ..runtime import advise
from ..spectrum import solve
from ..values import Array
from .door import check_points
from .estimator import Estimator
from .parameters import learned, method, parameter


@method
class PrincipalMethod(Estimator):
    """Alternates projection and smoothing, starting from principal components."""

    start: str | Array | None = parameter(default="pca", help="where to start")
    span: float = parameter(
        default=0.5,
        kind=float,
        above=0,
        at_most=1,
        help="share of the points that is averaged over",
    )
    tol: float = parameter(
        default=1e-3,
        kind=float,
        at_least=0,
        help="stop when the distance changes by less than this share",
    )
    max_iter: int = parameter(default=50, kind=int, at_least=1, help="most iterations")

    distances_: Distances = learned(
        help="squared distances of the points, at the start and after every iteration: sums, means"
    )
    n_iter_: int = learned(help="number of iterations")
    _normalization: Normalization = learned()

    @property
    def _start_is_given(self) -> bool:
        return self.start is not None and not isinstance(self.start, str)

    def _spans(self) -> tuple[float, ...]:
        """Return the spans to smooth with; a start that was given is trusted from the first on."""
        return (self.span,) if self._start_is_given else narrowing_spans(self.span, self.max_iter)

    def _axes(self, centered: Array, count: int) -> Array:
        """Return the first principal axes, one per row."""
        return solve(problem.covariance(centered), count, seed=self._seed).vectors.T

    def _remember(self, outcome: Outcome[Any], n_counted: int, n_points: int) -> None:
        self.distances_ = Distances.of(
            outcome.losses, self._normalization.scale, n_counted, n_points
        )
        self.n_iter_ = outcome.steps
        if not outcome.converged:
            advise(
                f"the distance still changed by more than tol={self.tol:g} after {self.n_iter_} "
                "iterations; the best of them is kept. Raise max_iter, tol or span"
            )


def checked_start(start: Any, n_rows: int | None, n_columns: int) -> Array:
    """Return a start that was given as an array, checked: one error that says what it must be."""
    given = check_points(start)
    if given.shape != (n_rows or len(given), n_columns):
        rows = "any number of rows" if n_rows is None else f"{n_rows} rows, one per point,"
        raise ValueError(f"start must have {rows} and {n_columns} columns; got shape {given.shape}")
    return given
