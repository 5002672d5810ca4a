"""Sides and judges of the rows on real tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from .data import Data
from .rows import AfterFit, Answer

SAMPLE = 1_000  # points of which a map is judged


def trust(answer: Answer, sample: Data) -> float:
    """Return the trustworthiness of a map, of a sample of its points."""
    from unspool import quality

    chosen = min(SAMPLE, len(answer["map"]))
    return float(quality.trustworthiness(sample.points, answer["map"], sample=chosen).value)


def placed_trust(answer: Answer, sample: Data) -> float:
    """Return the same of query points that were placed on a map."""
    return trust(answer, Data(sample.queries))


def length_error(answer: Answer, sample: Data) -> float:
    """Return the median relative error of distances on a map, up to one scale."""
    from scipy.spatial.distance import cdist

    rows = np.random.default_rng(0).choice(len(answer["map"]), 400, replace=False)
    upper = np.triu_indices(len(rows), 1)
    given, found = (cdist(t[rows], t[rows])[upper] for t in (sample.points, answer["map"]))
    ratios = found / given
    return float(np.median(np.abs(ratios / np.median(ratios) - 1.0)))


def edge_length(answer: Answer, sample: Data) -> float:
    """Return the sum of all edge lengths: equal for both sides if they agree."""
    return float(np.asarray(answer["lengths"], np.float64).sum())


def told_value(answer: Answer, sample: Data) -> float:
    """Return the number that the sides were asked for."""
    return float(answer["value"])


def divergence(answer: Answer, sample: Data) -> float:
    """Return the Kullback-Leibler divergence of a map with perplexity 30, by all pairs."""
    from unspool import distances, neighbor_embedding

    graph = distances.neighbor_graph(sample.points, 90)
    affinities = neighbor_embedding.symmetric_affinities(graph, 30.0)
    repulsion = neighbor_embedding.Repulsion(affinities.counts, "exact")
    places = np.ascontiguousarray(answer["map"], dtype=np.float64)
    loss = neighbor_embedding.Objective(affinities, repulsion).loss(places)
    return loss.divergence(affinities)


def open_tsne(sample: Data) -> Answer:
    """Return openTSNE's map, with all defaults but the exact neighbours that ours has."""
    import openTSNE

    return {
        "map": np.asarray(
            openTSNE.TSNE(random_state=0, neighbors="exact", n_jobs=2).fit(sample.points)
        )
    }


def transform(method: str, **options: Any) -> AfterFit:
    """Return our side that places query points by a fitted model."""

    def fit(sample: Data) -> Any:
        from unspool.catalog import entry_of

        return entry_of(method).load()(**{"n_components": 2, **options}).fit(sample.points)

    return AfterFit(fit, _place)


def sklearn_transform(module: str, name: str, **options: Any) -> AfterFit:
    """Return scikit-learn's."""

    def fit(sample: Data) -> Any:
        from importlib import import_module

        return getattr(import_module(f"sklearn.{module}"), name)(**options).fit(sample.points)

    return AfterFit(fit, _place)


def _place(model: Any, sample: Data) -> Answer:
    return {"map": np.asarray(model.transform(sample.queries))}


def scipy_diffusion(sample: Data) -> Answer:
    """Diffusion maps put together from scikit-learn's neighbours and SciPy's eigenvectors.

    The same kernel as ours: the overlap of Gaussians as wide as the 7th neighbour is far, on the
    union graph with loops, the density divided out.
    """
    import scipy.sparse as sp
    from scipy.sparse.linalg import eigsh
    from sklearn.neighbors import NearestNeighbors

    found = NearestNeighbors(n_neighbors=10).fit(sample.points)
    lengths, near = found.kneighbors()
    n = len(near)
    starts = np.arange(0, n * 10 + 1, 10)
    directed = sp.csr_array((lengths.ravel(), near.ravel(), starts), shape=(n, n))
    edges = sp.coo_array(directed.maximum(directed.T))
    here, there = lengths[edges.row, 6], lengths[edges.col, 6]
    wide = np.hypot(here, there)
    heat = np.sqrt(2.0 * here * there) / wide * np.exp(-np.square(edges.data / wide))
    kernel = sp.csr_array((heat, (edges.row, edges.col)), shape=(n, n)) + sp.eye_array(n)
    density = sp.diags_array(1.0 / kernel.sum(axis=1))
    kernel = density @ kernel @ density
    roots = 1.0 / np.sqrt(kernel.sum(axis=1))
    walk = sp.diags_array(roots) @ kernel @ sp.diags_array(roots)
    values, vectors = eigsh(walk, k=3, which="LA", v0=np.ones(n))
    return {"map": (vectors * roots[:, None])[:, [1, 0]] * values[[1, 0]]}


def trustworthiness(sample: Data) -> Answer:
    """Our trustworthiness of a map, of all points."""
    from unspool import quality

    n = len(sample.points)
    return {"value": quality.trustworthiness(sample.points, sample.truth, sample=n).value}


def sklearn_trustworthiness(sample: Data) -> Answer:
    """scikit-learn's."""
    from sklearn.manifold import trustworthiness as theirs

    return {"value": theirs(sample.points, sample.truth, n_neighbors=10)}


def compare(sample: Data) -> Answer:
    """Six methods, all scores."""
    import unspool

    found = unspool.compare(sample.points)
    best = found.best("trustworthiness")
    score = found.scores[best]["trustworthiness"].value
    return {"value": score, "notes": f"{len(found.embeddings)} maps, the best by {best}"}


def sklearn_feature_pca(sample: Data) -> Answer:
    """scikit-learn's PCA of all products of two columns, those of unlike ones weighed twice."""
    from sklearn.decomposition import PCA

    i, j = np.triu_indices(sample.points.shape[1])
    products = sample.points[:, i] * sample.points[:, j] * np.where(i == j, 1.0, np.sqrt(2.0))
    return {"map": PCA(2).fit_transform(products)}


def sklearn_polynomial_pca(sample: Data) -> Answer:
    """scikit-learn's PCA of all monomials up to degree two."""
    from sklearn.decomposition import PCA
    from sklearn.preprocessing import PolynomialFeatures

    monomials = PolynomialFeatures(2, include_bias=False).fit_transform(sample.points)
    return {"map": PCA(2).fit_transform(monomials)}
