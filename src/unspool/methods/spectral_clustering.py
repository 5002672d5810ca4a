"""Spectral clustering."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .. import problem
from ..extension import Chart
from ..spectrum import solve
from ..values import Array, NeighborGraph, Spectrum
from .heat_family import LaplacianMethod
from .parameters import learned, method, parameter

MOST_CLUSTERS = 10  # that the eigengap is looked for


@method
class SpectralClustering(LaplacianMethod):
    """Spectral clustering: k-means on the first eigenvectors of the Laplacian (S0 4.3, Alg. 4.5).

    All pieces of the graph are taken together: a graph in c pieces has c eigenvalues 0, whose
    vectors tell the pieces apart (S0 Prop. 4.11), and graphs that nearly fall apart are close to
    that. The constant vector is kept. New points are placed by walk averages and join the nearest
    centre.

    Attributes: ``labels_``, ``n_clusters_``, ``cluster_centers_``, ``cut_`` (weight of the edges
    between clusters), ``normalized_cut_``, ``eigenvalues_``.

    >>> from unspool import SpectralClustering, datasets
    >>> SpectralClustering(n_clusters=3).fit(datasets.three_clusters().points).cut_ < 5
    True
    """

    n_components: Any = parameter(
        None,
        positional=True,
        kind=int,
        at_least=1,
        optional=True,
        help="eigenvectors to cluster in; default: as many as clusters",
    )
    n_clusters: Any = parameter(
        2, help="number of clusters, or 'eigengap' for the widest gap among the first values"
    )
    row_normalize: bool = parameter(
        False, kind=bool, help="scale each point's row to length 1 (Ng, Jordan, Weiss)"
    )
    components: str = parameter(
        "whole", choices=("whole", "error"), help="what to do when the graph is in several pieces"
    )

    labels_: Array = learned()
    n_clusters_: int = learned()
    cluster_centers_: Array = learned()
    cut_: float = learned()
    normalized_cut_: float = learned()

    def fit_predict(self, X: Any, y: Any = None) -> Array:
        """Cluster the rows of ``X`` and return their labels."""
        return np.array(self.fit(X, y).labels_)

    def predict(self, X: Any) -> Array:
        """Return the labels of new points: of the nearest centre to where they are placed."""
        places = self._rows_to_cluster(self.transform(X).astype(np.float64))
        gaps = np.square(places[:, None, :] - self.cluster_centers_[None, :, :]).sum(axis=2)
        return np.asarray(gaps.argmin(axis=1))

    def _width(self, n_points: int) -> int:
        if self.n_components is not None:
            return int(self.n_components)
        return self._clusters(n_points)

    def _clusters(self, n_points: int) -> int:
        wanted = self.n_clusters
        if isinstance(wanted, str) and wanted == "eigengap":
            return min(MOST_CLUSTERS, n_points - 1)
        if isinstance(wanted, bool) or not isinstance(wanted, int | np.integer):
            raise ValueError(f"n_clusters must be a whole number or 'eigengap'; got {wanted!r}")
        if not 1 <= wanted < n_points:
            raise ValueError(f"n_clusters={wanted} must be from 1 to {n_points - 1} here")
        return int(wanted)

    def _chart(self, given: Any, members: Array, neighbors: NeighborGraph) -> Chart:
        if neighbors.counts.min() == 0:
            lonely = int(members[neighbors.counts.argmin()])
            raise ValueError(f"point {lonely} has no neighbour; raise n_neighbors or radius")
        eigenproblem, weights = self._problem(neighbors)
        everything = replace(eigenproblem, trivial=None)  # the zero vectors tell the pieces apart
        wanted = max(self._width(len(members)), self._clusters(len(members)))
        count = min(wanted + (self.n_clusters == "eigengap"), len(members) - 1)
        spectrum = solve(everything, count, seed=self.random_state)
        self.n_clusters_ = self._chosen(spectrum)
        width = self.n_clusters_ if self.n_components is None else self.n_components
        vectors, values = spectrum.vectors[:, :width], spectrum.values[:width]
        self._cluster(vectors)
        self.cut_, self.normalized_cut_ = problem.cuts(weights, self.labels_)
        return Chart(members, vectors, values, 1.0 - values, weights)

    def _chosen(self, spectrum: Spectrum) -> int:
        if self.n_clusters != "eigengap":
            return int(self.n_clusters)
        gaps = np.diff(spectrum.values)[1:]  # one cluster is no clustering
        return int(np.argmax(gaps)) + 2 if len(gaps) else 1

    def _cluster(self, vectors: Array) -> None:
        from sklearn.cluster import KMeans

        rows = self._rows_to_cluster(vectors)
        means = KMeans(self.n_clusters_, n_init=10, random_state=self.random_state).fit(rows)
        self.labels_, self.cluster_centers_ = means.labels_, means.cluster_centers_

    def _rows_to_cluster(self, vectors: Array) -> Array:
        if not self.row_normalize:
            return vectors
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.where(lengths > 0, lengths, 1.0))
