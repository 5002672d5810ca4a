"""Random projection."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from ..runtime import claim, stage
from ..scale.reduction import find_means, place_rows
from ..scale.sources import Source
from ..values import Array
from .estimator import Estimator
from .johnson_lindenstrauss import all_within, johnson_lindenstrauss_dimension
from .parameters import learned, method, parameter

MOST_DRAWS = 100  # at the dimension of the lemma a draw fails less often than 2 in sqrt(n)


@method
class RandomProjection(Estimator):
    """Random projection: a few random directions keep all distances, nearly.

    f(x) = A x / sqrt(k) with k rows of independent entries, drawn by scikit-learn: standard normal,
    or mostly zero (``kind="sparse"``; Mohri et al. 2012, section 15.4). Nothing is learned but the
    number of features. Give the
    number of coordinates, or ``eps`` for as many as the Johnson-Lindenstrauss lemma asks for;
    ``guarantee=True`` draws again until all pairs keep their squared distance to 1 +- eps.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import RandomProjection
    >>> points = np.random.default_rng(0).normal(size=(50, 2000))
    >>> RandomProjection(eps=0.5).fit(points).embedding_.shape
    (50, 188)
    """

    n_components: int | None = parameter(  # type: ignore[assignment]  # wider than the base
        default=None,
        kw_only=False,
        kind=int,
        at_least=1,
        optional=True,
        help="number of coordinates; None is what eps asks for, or 2",
    )
    eps: float | None = parameter(
        default=None,
        kind=float,
        above=0,
        optional=True,
        help="relative error of squared distances",
    )
    bound: Literal["dasgupta-gupta", "mohri"] = parameter(
        default="dasgupta-gupta",
        choices=("dasgupta-gupta", "mohri"),
        help="bound that turns eps into n_components",
    )
    kind: Literal["gaussian", "sparse"] = parameter(
        default="gaussian",
        choices=("gaussian", "sparse"),
        help="entries: normal, or mostly zero",
    )
    density: float | None = parameter(
        default=None,
        kind=float,
        above=0,
        at_most=1,
        optional=True,
        help="share of the entries that are not zero if kind='sparse'; None is 1 / sqrt(D)",
    )
    guarantee: bool = parameter(
        default=False,
        kind=bool,
        help="draw again until all pairs of the fitted points are within eps",
    )

    components_: Array | sp.csr_array = learned(
        help="the random directions, one per row; sparse if most entries are zero"
    )
    n_draws_: int = learned(help="number of draws that it took")
    _mean: Array = learned()

    _SPARSE_POINTS = True
    _KEEPS_INPUT = False  # the directions and the mean are all that a map is made of

    def _fit_source(self, source: Source) -> None:
        """Draw the directions, which depend on no point, and place the rows block by block."""
        n, width = source.shape
        if self.guarantee:
            raise ValueError(
                "guarantee=True compares all pairs of rows, which must be in memory; leave it out, "
                "or fit a sample"
            )
        count = self._count(n, width)
        self.components_ = self._engine(count).fit(np.zeros((1, width))).components_
        self.n_draws_, self._mean = 1, find_means(source)
        self.embedding_ = place_rows(
            source, self._transform, count, 8.0 * (3 * width + 2 * count), self._dtype
        )

    def _fit(self, X: Any) -> None:
        n, width = X.shape
        count = self._count(n, width)
        claim(16 * count * (n + width), f"a map to {count} coordinates", "take fewer")
        engine, eps = self._engine(count), self.eps or 0.0
        with stage("projection", total=MOST_DRAWS if self.guarantee else 1) as running:
            for draw in range(1, MOST_DRAWS + 1):
                self.components_ = engine.fit(X).components_
                self.embedding_, self.n_draws_ = self._transform(X), draw
                if not self.guarantee or all_within(X, self.embedding_, eps):
                    break
                running.advance()
            else:
                raise ValueError(
                    f"none of {MOST_DRAWS} draws kept all pairs within eps={self.eps}; raise "
                    "n_components or eps"
                )
            running.note(kind=self.kind, coordinates=self.embedding_.shape[1], draws=draw)
        self._mean = np.asarray(X.mean(axis=0)).ravel()

    def _count(self, n: int, width: int) -> int:
        if self.eps is None and self.guarantee:
            raise ValueError("guarantee=True needs eps, the relative error to keep to")
        if self.eps is not None and self.n_components is not None and not self.guarantee:
            raise ValueError(
                "give n_components or eps, not both; with guarantee=True both are used"
            )
        if self.n_components is not None or self.eps is None:
            count, what = self.n_components or 2, "n_components"
        else:
            count = johnson_lindenstrauss_dimension(n, self.eps, self.bound)
            what = f"the dimension that keeps {n} points within eps={self.eps}"
        if count > width:
            raise ValueError(
                f"{what} is {count}, more than the {width} features the points have: nothing would "
                f"be reduced; {'lower it' if what == 'n_components' else 'raise eps'}"
            )
        return int(count)

    def _engine(self, count: int) -> Any:
        from sklearn.random_projection import GaussianRandomProjection, SparseRandomProjection

        source = np.random.RandomState(self._seed)  # goes on from draw to draw
        if self.kind == "sparse":
            density = "auto" if self.density is None else self.density
            return SparseRandomProjection(count, density=density, random_state=source)
        if self.density is not None:
            raise ValueError("density is for kind='sparse'; a Gaussian has no zero entries")
        return GaussianRandomProjection(count, random_state=source)

    def _transform(self, X: Any) -> Array:
        places = (self.components_ @ X.T).T
        return np.asarray(places.toarray() if sp.issparse(places) else places)

    def _inverse_transform(self, places: Array) -> Array:
        """Return the point nearest to the data's mean among those that the map takes there."""
        matrix = self.components_
        if not isinstance(matrix, np.ndarray):
            matrix = matrix.toarray()
        missing = places - self._transform(self._mean[None, :])
        return np.asarray(self._mean + np.linalg.lstsq(matrix, missing.T, rcond=None)[0].T)
