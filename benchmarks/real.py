"""The rows on real tables: every method, and every question that users put to peers."""

from __future__ import annotations

from functools import partial
from typing import Any

from . import data, neighbors, real_sides, sides
from .rows import Side, judged, sklearn, smoothness, tapkee, variance

MNIST_2K, MNIST_5K = partial(data.mnist, 2_000), partial(data.mnist, 5_000)
MNIST_10K, MNIST_20K = partial(data.mnist, 10_000), partial(data.mnist_train, 20_000)
MNIST_60K, QUERIES = partial(data.mnist_train, 60_000), partial(data.mnist_train, 5_000, 10_000)
GLOVE_100K = partial(data.words, 100_000)
NEAR = {"n_neighbors": 10}
# 10,000 query points placed by each method: on 5,000 digits; on fewer where all pairs are compared
# or a fit takes minutes; on their principal components where a model has columns of its own
PLACED_MNIST: dict[str, dict[str, Any]] = {
    "laplacian-eigenmaps": NEAR,
    "landmark-isomap": {"n_landmarks": 100, **NEAR},
    "diffusion-maps": NEAR,
    "ltsa": NEAR,
    "hessian-lle": NEAR,
    "modified-lle": NEAR,
    "spectral-clustering": NEAR,
    "pca": {},
    "random-projection": {},
    "classical-mds": {},
    "landmark-mds": {},
    "conformal-eigenmaps": NEAR,
    "tsne": {},
}
PLACED_FEW: dict[str, tuple[int, dict[str, Any]]] = {
    "mds": (1_500, {}),
    "kernel-lle": (1_500, {"sigma": 10.0, **NEAR}),
    "maximum-variance-unfolding": (1_500, {"program": "reduced", **NEAR}),
}
PLACED_COMPONENTS: dict[str, dict[str, Any]] = {
    "charting": NEAR,
    "feature-map-pca": {},
    "polynomial-pca": {},
    "additive-pca": {},
    "gpca": {},
    "principal-curve": {"n_components": 1},
    "principal-surface": {},
    "autoassociative-network": {},
}
TAPKEE_NEAR = {"num_neighbors": 10}

seen = judged(real_sides.trust, "trustworthiness of a sample", real=True)
placed = judged(real_sides.placed_trust, "trustworthiness of the query points", real=True)
smooth = judged(smoothness, "sum of Rayleigh quotients, smaller is better", real=True)
spread = judged(variance, "variance of the map, larger is better", real=True)
leftover = judged(sides.reconstruction, "share of the variance not reconstructed", real=True)
found = judged(neighbors.recall, "share of the true neighbours", real=True)
angular = judged(neighbors.cosine_recall, "share of the true neighbours", real=True)
joined = judged(real_sides.edge_length, "sum of all edge lengths, equal if they agree", real=True)
diverging = judged(real_sides.divergence, "divergence, smaller is better", real=True)
paths = judged(sides.total_length, "sum of all path lengths, equal if they agree", real=True)


def _lle(method: str, peer: str | None = None) -> dict[str, Side]:
    options = {"n_neighbors": 10, "n_components": 2, "method": method, "eigen_solver": "arpack"}
    answer = {"scikit-learn": sklearn("manifold", "LocallyLinearEmbedding", **options)}
    return answer if peer is None else {**answer, "tapkee": tapkee(peer, **TAPKEE_NEAR)}


def _kernel_pca(n_components: int, gamma: float) -> dict[str, Side]:
    options: dict[str, Any] = {"n_components": n_components, "kernel": "rbf", "gamma": gamma}
    return {"scikit-learn": sklearn("decomposition", "KernelPCA", random_state=0, **options)}


def _pca(n_components: int) -> dict[str, Side]:
    return {"scikit-learn": sklearn("decomposition", "PCA", n_components=n_components)}


_SEARCHES = (
    found(
        "neighbours-mnist20k",
        "isomap",
        MNIST_20K,
        side=neighbors.nearest(15),
        peers={"scikit-learn": neighbors.sklearn(15), "faiss, flat": neighbors.faiss_flat(15)},
    ),
    found(
        "neighbours-glove100k",
        "isomap",
        GLOVE_100K,
        side=neighbors.nearest(),
        peers={"scikit-learn": neighbors.sklearn(), "faiss, flat": neighbors.faiss_flat()},
        runs=1,
    ),
    *(
        found(
            f"neighbours-approximate-{name}",
            "isomap",
            make,
            side=neighbors.nearest(search="approximate"),
            peers={"scikit-learn": neighbors.sklearn(), "faiss, flat": neighbors.faiss_flat()},
            runs=1,
        )
        for name, make in {"mnist60k": MNIST_60K, "glove100k": GLOVE_100K}.items()
    ),
    *(
        found(
            f"neighbours-{name}",
            "isomap",
            make,
            side=neighbors.nearest(),
            peers={"scikit-learn": neighbors.sklearn(algorithm="auto")},
            slow=False,
        )
        for name, make in {
            "forest20k-10": partial(data.forest, 20_000),
            "pendigits11k-16": data.pendigits,
            "glove5k-50": partial(data.words, 5_000, 50),
        }.items()
    ),
    angular(
        "neighbours-cosine-glove20k",
        "isomap",
        partial(data.words, 20_000),
        side=neighbors.nearest(metric="cosine"),
        peers={
            "scikit-learn": neighbors.sklearn(metric="cosine"),
            "faiss, flat": neighbors.faiss_flat(cosine=True),
        },
    ),
    angular(
        "neighbours-cosine-counts20k",
        "isomap",
        partial(data.counts, 20_000, 20_000, 0.01),
        side=neighbors.nearest(metric="cosine"),
        peers={"scikit-learn": neighbors.sklearn(metric="cosine")},
        runs=1,
    ),
    *(
        joined(
            f"radius-{name}",
            "isomap",
            make,
            side=neighbors.within(radius),
            peers={"scikit-learn": neighbors.sklearn_within(radius)},
            slow=False,
        )
        for name, make, radius in (
            ("glove4k-50", partial(data.words, 4_142, 50), 4.5),
            ("pendigits11k", data.pendigits, 0.4031),  # no pair is just as far
            ("forest20k", partial(data.forest, 20_000), 0.6),
        )
    ),
)
_GRAPHS = (
    seen(
        "isomap-mnist10k",
        "isomap",
        MNIST_10K,
        peers={
            "scikit-learn": sklearn("manifold", "Isomap", n_neighbors=10, n_components=2),
            "tapkee": tapkee("isomap", **TAPKEE_NEAR),
        },
        runs=1,
        **NEAR,
    ),
    *(
        paths(
            name,
            "isomap",
            partial(data.mnist_graph, 10_000),
            side=partial(sides.geodesics, precision=precision),
            peers={"scipy": sides.scipy_geodesics},
        )
        for name, precision in {
            "geodesic-mnist10k": "float32",
            "geodesic-mnist10k-double": "float64",
        }.items()
    ),
    seen(
        "landmark-isomap-mnist10k",
        "landmark-isomap",
        MNIST_10K,
        peers={"tapkee": tapkee("l-isomap", landmark_ratio=0.01, **TAPKEE_NEAR)},
        n_landmarks=100,
        **NEAR,
    ),
    seen("lle-mnist10k", "lle", MNIST_10K, peers=_lle("standard", "lle"), **NEAR),
    seen("modified-mnist10k", "modified-lle", MNIST_10K, peers=_lle("modified"), **NEAR),
    seen("ltsa-mnist10k", "ltsa", MNIST_10K, peers=_lle("ltsa", "ltsa"), **NEAR),
    seen("hessian-mnist10k", "hessian-lle", MNIST_10K, peers=_lle("hessian", "hlle"), **NEAR),
    seen("charting-faces", "charting", data.faces, slow=False, **NEAR),
    seen("conformal-faces", "conformal-eigenmaps", data.faces, slow=False, **NEAR),
    seen("mvu-faces", "maximum-variance-unfolding", data.faces, runs=1, n_neighbors=6),
    seen("kernel-lle-faces", "kernel-lle", data.faces, slow=False, sigma=10.0, **NEAR),
    smooth(
        "laplacian-mnist10k",
        "laplacian-eigenmaps",
        MNIST_10K,
        peers={"scikit-learn": sides.sklearn_laplacian},
        weights="binary",
        **NEAR,
    ),
    seen(
        "diffusion-mnist10k",
        "diffusion-maps",
        MNIST_10K,
        peers={"scipy": real_sides.scipy_diffusion},
        **NEAR,
    ),
    judged(sides.rand_index, "adjusted Rand index", real=True)(
        "spectral-clustering-mnist10k",
        "spectral-clustering",
        partial(data.mnist_train, 10_000),
        side=sides.clusters,
        peers={"scikit-learn": sides.sklearn_clusters},
    ),
)
_GRAMS = (
    *(
        spread(f"pca-mnist60k-{count}", "pca", MNIST_60K, peers=_pca(count), n_components=count)
        for count in (2, 50, 200)
    ),
    spread("pca-mnist10k", "pca", MNIST_10K, peers=_pca(2)),
    spread(
        "kernel-pca-pendigits11k",
        "kernel-pca",
        data.pendigits,
        peers=_kernel_pca(2, 0.5),
        gamma=0.5,
    ),
    spread("kernel-pca-mnist10k", "kernel-pca", MNIST_10K, peers=_kernel_pca(2, 0.01), gamma=0.01),
    spread(
        "kernel-pca-mnist3k-256",
        "kernel-pca",
        partial(data.mnist, 3_000),
        peers=_kernel_pca(256, 0.01),
        n_components=256,
        gamma=0.01,
    ),
    spread(
        "nystroem-forest100k",
        "kernel-pca",
        partial(data.forest, 100_000),
        peers={"scikit-learn": sides.sklearn_nystroem},
        gamma=0.5,
        n_landmarks=300,
    ),
    spread(
        "classical-mds-mnist5k",
        "classical-mds",
        MNIST_5K,
        peers={"scikit-learn": sides.sklearn_classical_mds, "tapkee": tapkee("mds")},
    ),
    spread(
        "landmark-mds-forest20k",
        "landmark-mds",
        partial(data.forest, 20_000),
        peers={"tapkee": tapkee("l-mds", landmark_ratio=0.005)},
        n_landmarks=100,
        landmarks="random",  # as tapkee draws them
        slow=False,
    ),
    spread(
        "feature-map-pendigits11k",
        "feature-map-pca",
        data.pendigits,
        peers={"scikit-learn": real_sides.sklearn_feature_pca},
        slow=False,
    ),
    spread(
        "polynomial-pendigits11k",
        "polynomial-pca",
        data.pendigits,
        peers={"scikit-learn": real_sides.sklearn_polynomial_pca},
        slow=False,
    ),
    spread("gpca-pendigits11k", "gpca", data.pendigits, slow=False),
    spread("additive-pendigits11k", "additive-pca", data.pendigits, slow=False),
    judged(real_sides.length_error, "median error of distances, up to a scale", real=True)(
        "random-projection-mnist10k",
        "random-projection",
        MNIST_10K,
        peers={
            "scikit-learn": sklearn(
                "random_projection", "GaussianRandomProjection", n_components=50, random_state=0
            )
        },
        slow=False,
        n_components=50,
    ),
)
_OTHERS = (
    judged(sides.stress, "raw stress, smaller is better", real=True)(
        "mds-mnist2k", "mds", MNIST_2K, peers={"scikit-learn": sides.sklearn_mds}
    ),
    judged(sides.rank_stress, "stress-1 of the best monotone fit, smaller is better", real=True)(
        "nonmetric-mds-mnist2k",
        "mds",
        MNIST_2K,
        peers={"scikit-learn": sides.sklearn_nonmetric_mds},
        ordinal=True,
    ),
    leftover(
        "principal-curve-forest20k",
        "principal-curve",
        partial(data.forest, 20_000),
        side=sides.principal_curve,
        slow=False,
    ),
    leftover(
        "principal-surface-cells",
        "principal-surface",
        data.cells,
        side=sides.principal_surface,
        slow=False,
    ),
    leftover("network-pendigits11k", "autoassociative-network", data.pendigits, side=sides.network),
    judged(real_sides.told_value, "the value, equal if they agree", real=True)(
        "trustworthiness-mnist5k",
        "pca",
        partial(data.mnist_with_map, 5_000),
        side=real_sides.trustworthiness,
        peers={"scikit-learn": real_sides.sklearn_trustworthiness},
        slow=False,
    ),
    judged(real_sides.told_value, "best trustworthiness of six maps", real=True)(
        "compare-mnist5k", "pca", MNIST_5K, side=real_sides.compare
    ),
    *(
        judged(real_sides.told_value, "best trustworthiness of six maps", real=True)(
            f"compare-{name}", "pca", make, side=real_sides.compare, slow=False
        )
        for name, make in {"coil20": data.objects, "phoneme": data.speech}.items()
    ),
)
_TRANSFORMS = (
    placed(
        "transform-isomap-mnist",
        "isomap",
        QUERIES,
        side=real_sides.transform("isomap", **NEAR),
        peers={"scikit-learn": real_sides.sklearn_transform("manifold", "Isomap", n_neighbors=10)},
    ),
    placed(
        "transform-lle-mnist",
        "lle",
        QUERIES,
        side=real_sides.transform("lle", **NEAR),
        peers={
            "scikit-learn": real_sides.sklearn_transform(
                "manifold", "LocallyLinearEmbedding", n_neighbors=10, random_state=0
            )
        },
    ),
    placed(
        "transform-kernel-pca-mnist",
        "kernel-pca",
        QUERIES,
        side=real_sides.transform("kernel-pca", gamma=0.01),
        peers={
            "scikit-learn": real_sides.sklearn_transform(
                "decomposition",
                "KernelPCA",
                n_components=2,
                kernel="rbf",
                gamma=0.01,
                eigen_solver="arpack",
                random_state=0,
            )
        },
    ),
    *(
        placed(
            f"transform-{method}-mnist",
            method,
            QUERIES,
            side=real_sides.transform(method, **options),
        )
        for method, options in PLACED_MNIST.items()
    ),
    *(
        placed(
            f"transform-{method}-mnist",
            method,
            partial(data.mnist_train, count, 10_000),
            side=real_sides.transform(method, **options),
        )
        for method, (count, options) in PLACED_FEW.items()
    ),
    *(
        placed(
            f"transform-{method}-components",
            method,
            partial(data.mnist_components, 5_000, 10, 10_000),
            side=real_sides.transform(method, **options),
        )
        for method, options in PLACED_COMPONENTS.items()
    ),
)

_EMBEDDINGS = (
    diverging(
        "tsne-mnist10k",
        "tsne",
        partial(data.mnist_components, 10_000),
        peers={
            "openTSNE": real_sides.open_tsne,
            "scikit-learn": sklearn("manifold", "TSNE", random_state=0, n_jobs=2),
        },
    ),
    diverging("tsne-mnist60k", "tsne", partial(data.mnist_components, 60_000), runs=1),
)

ROWS = (*_SEARCHES, *_GRAPHS, *_GRAMS, *_EMBEDDINGS, *_OTHERS, *_TRANSFORMS)
