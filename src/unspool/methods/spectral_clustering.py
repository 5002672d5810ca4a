"""Spectral clustering."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from .. import graph, problem
from ..problem import Normalization
from ..relation import Chart, Component, LaplacianRelation
from ..runtime import warn
from ..values import Array, NeighborGraph, Spectrum
from .estimator import ClusteringEstimator
from .laplacian_eigenmaps import NORMALIZATIONS, WHICH, WeightedEstimator
from .parameters import learned, method, parameter

MOST_CLUSTERS = 10  # that the eigengap is looked for
STARTS = 10  # of k-means, and of a mixture
LEAST_VARIANCE = 1e-6  # of a Gaussian, as a share: rows of one component are all the same


@method
class SpectralClustering(WeightedEstimator, ClusteringEstimator):
    """Spectral clustering: k-means on the first eigenvectors of the Laplacian.

    All connected components are taken together: a graph with c of them has c eigenvalues 0, whose
    vectors tell them apart, and graphs that nearly fall apart are close to that (Vidal, Ma, Sastry
    2016, section 4.3; Ng, Jordan, Weiss 2001). The constant vector is kept. Query points are placed
    by averages over one step of the random walk, and join the nearest center.

    Examples
    --------
    >>> from unspool import SpectralClustering, datasets
    >>> SpectralClustering(3).fit(datasets.three_clusters().points).cut_ < 5
    True
    """

    n_components: int | None = parameter(  # type: ignore[assignment]  # wider than the base
        default=None,
        kw_only=True,
        kind=int,
        at_least=1,
        optional=True,
        help="eigenvectors to cluster in; default: as many as clusters",
    )
    laplacian: Normalization = parameter(default="random-walk", choices=NORMALIZATIONS, help=WHICH)
    n_clusters: int | Literal["eigengap"] = parameter(
        default=2,
        kw_only=False,
        help="number of clusters, or 'eigengap' for the widest gap among the first values",
    )
    row_normalize: bool = parameter(
        default=False, kind=bool, help="scale each point's row to length 1 (Ng, Jordan, Weiss)"
    )
    assign: Literal["k-means", "mixture"] = parameter(
        default="k-means",
        choices=("k-means", "mixture"),
        help="how rows are clustered: by scikit-learn's k-means (Vidal, Ma, Sastry 2016, algorithm "
        "4.4), or as a mixture of round Gaussians, each of its own width and share",
    )
    components: Literal["whole", "error"] = parameter(  # type: ignore[assignment]
        default="whole",
        choices=("whole", "error"),
        help="what to do when the graph has several connected components",
    )

    labels_: Array = learned(help="cluster of each point")
    n_clusters_: int = learned(help="number of clusters, given or found")
    cluster_centers_: Array = learned(help="center of each cluster among the eigenvectors' rows")
    cluster_variances_: Array = learned(help="variance of each Gaussian; of k-means, 1")
    cluster_shares_: Array = learned(help="share of points of each Gaussian; of k-means, all alike")
    cut_: float = learned(help="weight of the edges between clusters")
    normalized_cut_: float = learned(help="the same, over the clusters' volumes")

    @property
    def affinity_matrix_(self) -> sp.csr_array:
        """Weights of the edges between rows, as scikit-learn calls them."""
        return self._affinities()

    def predict(self, X: Any) -> Array:
        """Return the labels of query points: of the nearest center to where they are placed.

        Of a mixture, the labels are those of the likeliest Gaussian.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Query points.

        Returns
        -------
        ndarray of shape (n_queries,)
            Cluster of each.
        """
        return self._nearest_centers(self.transform(X))

    def _fit(self, X: Any) -> None:
        super()._fit(X)
        if len(self.outliers_):  # placed after the others were clustered: they join as query points
            self.labels_[self.outliers_] = self._nearest_centers(self.embedding_[self.outliers_])

    def _nearest_centers(self, places: Array) -> Array:
        rows = self._rows_to_cluster(places.astype(np.float64))
        gaps = np.square(rows[:, None, :] - self.cluster_centers_[None, :, :]).sum(axis=2)
        variances, width = self.cluster_variances_, rows.shape[1]
        unlikely = gaps / variances + width * np.log(variances) - 2.0 * np.log(self.cluster_shares_)
        return np.asarray(unlikely.argmin(axis=1))

    def _n_coordinates(self, n_points: int) -> int:
        if self.n_components is not None:
            return int(self.n_components)
        return self._n_clusters_asked(n_points)

    def _n_clusters_asked(self, n_points: int) -> int:
        wanted = self.n_clusters
        if isinstance(wanted, str) and wanted == "eigengap":
            return min(MOST_CLUSTERS, n_points - 1)
        if isinstance(wanted, bool) or not isinstance(wanted, int | np.integer):
            raise ValueError(f"n_clusters must be a whole number or 'eigengap'; got {wanted!r}")
        if not 1 <= wanted < n_points:
            raise ValueError(f"n_clusters={wanted} must be from 1 to {n_points - 1} here")
        return int(wanted)

    def _find_copies(self, X: Any) -> graph.Copies:
        """Return which rows are one point: copies are never in two clusters."""
        if self._is_given(X):
            return graph.Copies.none(X.shape[0])
        found = graph.find_copies(X)
        if found.exist:
            self._check_distinct(len(found.first), X.shape[0])
        return found

    def _check_distinct(self, n_points: int, n_rows: int) -> None:
        """Refuse more clusters, or coordinates, than there are points to tell apart."""
        asked = {"n_clusters": self.n_clusters, "n_components": self.n_components}
        for name, wanted in asked.items():
            least = 1 if wanted is None or isinstance(wanted, str) else int(wanted)
            if least >= n_points:
                raise ValueError(
                    f"only {n_points} of {n_rows} rows differ, and {name}={wanted!r} needs at "
                    f"least {least + 1} that do; lower {name}"
                )

    def _apply_policy(
        self, neighbors: NeighborGraph, found: graph.Components
    ) -> tuple[NeighborGraph, graph.Components]:
        if self.components == "error":
            raise ValueError(
                f"{found.describe()}; raise n_neighbors or radius to join them, or pass "
                "components='whole' to cluster them together"
            )
        return neighbors, graph.Components(np.zeros_like(found.labels))

    def _map_component(self, component: Component, n_coordinates: int) -> Chart:
        loops = self._loops(component.members)
        # a vertex without edges is a component of its own, with the value 0 (Vidal, Ma, Sastry
        # 2016, prop. 4.11): a loop gives it a degree, and the Laplacian does not see loops
        loops = np.where((component.graph.counts == 0) & (loops == 0.0), 1.0, loops)
        relation = LaplacianRelation.of(component, self._weighting, loops, self.laplacian)
        everything = replace(relation.problem(), trivial=None)  # zero vectors tell components apart
        wanted = max(
            self._n_coordinates(len(component.members)),
            self._n_clusters_asked(len(component.members)),
        )
        count = min(wanted + (self.n_clusters == "eigengap"), len(component.members) - 1)
        spectrum = self._solve(everything, count)
        self.n_clusters_ = self._choose_n_clusters(spectrum)
        width = self.n_clusters_ if self.n_components is None else self.n_components
        vectors, eigenvalues = spectrum.vectors[:, :width], spectrum.values[:width]
        labels = self._cluster(vectors, component.masses)
        self.cut_, self.normalized_cut_ = problem.cuts(relation.weights, labels)
        everyone = np.zeros(len(self._copies.first), dtype=labels.dtype)
        everyone[component.members] = labels
        self.labels_ = everyone[self._copies.point_of]
        return Chart(component.members, vectors, eigenvalues, relation, vectors)

    def _choose_n_clusters(self, spectrum: Spectrum) -> int:
        if not isinstance(self.n_clusters, str):
            return int(self.n_clusters)
        gaps = np.diff(spectrum.values)[1:]  # one cluster is no clustering
        return int(np.argmax(gaps)) + 2 if len(gaps) else 1

    def _cluster(self, vectors: Array, masses: Array | None) -> Array:
        """Find the centers, and return the label of each point; copies count for the means."""
        from sklearn.exceptions import ConvergenceWarning

        rows = self._rows_to_cluster(vectors)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # told below, in our words
            fit = self._fit_means if self.assign == "k-means" else self._fit_mixture
            labels = fit(rows, masses)
        found = len(np.unique(labels))
        if found < self.n_clusters_:
            warn(
                f"only {found} of {self.n_clusters_} clusters have points: no more places differ "
                "among the eigenvectors; lower n_clusters"
            )
        return labels

    def _fit_means(self, rows: Array, masses: Array | None) -> Array:
        from sklearn.cluster import KMeans

        count = self.n_clusters_
        means = KMeans(count, n_init=STARTS, random_state=self._seed)
        means.fit(rows, sample_weight=masses)
        self.cluster_centers_ = means.cluster_centers_
        self.cluster_variances_, self.cluster_shares_ = np.ones(count), np.full(count, 1.0 / count)
        return np.asarray(means.labels_)

    def _fit_mixture(self, rows: Array, masses: Array | None) -> Array:
        """Fit round Gaussians; the least variance is a share of that of all rows."""
        from sklearn.mixture import GaussianMixture

        every = rows if masses is None else np.repeat(rows, masses.astype(int), axis=0)
        unit = float(np.sqrt(every.var(axis=0).sum())) or 1.0
        mixture = GaussianMixture(
            self.n_clusters_,
            covariance_type="spherical",
            reg_covar=LEAST_VARIANCE,
            n_init=STARTS,
            random_state=self._seed,
        ).fit(every / unit)
        self.cluster_centers_ = mixture.means_ * unit
        self.cluster_variances_ = mixture.covariances_ * unit**2
        self.cluster_shares_ = np.maximum(mixture.weights_, 1e-300)
        return np.asarray(mixture.predict(rows / unit))

    def _rows_to_cluster(self, vectors: Array) -> Array:
        if not self.row_normalize:
            return vectors
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.where(lengths > 0, lengths, 1.0))
