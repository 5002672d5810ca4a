"""The rows, by name."""

from __future__ import annotations

from functools import partial

from . import data, real, real_sides, sides
from .rows import AfterFit, Side, explained, judged, misfit, recipe, sklearn, smoothness, variance

ROLL_10K, ROLL_100K = partial(data.roll, 10_000), partial(data.roll, 100_000)
ROLL_1M, HOLE_10K = partial(data.roll, 1_000_000), partial(data.hole, 10_000)
NEAR = {"n_neighbors": 10}
BINARY = {"n_neighbors": 10, "weights": "binary"}


truth = judged(misfit, "Procrustes disparity to the truth")
affine = judged(explained, "worst R^2 of the true coordinates")
smooth = judged(smoothness, "sum of Rayleigh quotients, smaller is better")
spread = judged(variance, "variance of the map, larger is better")
strain = judged(sides.stress, "raw stress, smaller is better")
known = judged(sides.known_stress, "raw stress of the known pairs, smaller is better")
leftover = judged(sides.reconstruction, "share of the variance that is not reconstructed")


def _lle(method: str) -> dict[str, Side]:
    options = {"n_neighbors": 10, "n_components": 2, "method": method, "eigen_solver": "arpack"}
    return {"scikit-learn": sklearn("manifold", "LocallyLinearEmbedding", **options)}


ISOMAP = {"scikit-learn": sklearn("manifold", "Isomap", n_neighbors=10, n_components=2)}
SPECTRAL = {"scikit-learn": sides.sklearn_laplacian}
KERNEL_PCA = {
    "scikit-learn": sklearn(
        "decomposition",
        "KernelPCA",
        n_components=2,
        kernel="rbf",
        gamma=0.5,
        eigen_solver="arpack",
        random_state=0,
    )
}
PLAIN_PCA = {"scikit-learn": sklearn("decomposition", "PCA", n_components=2)}
TABLE = {"metric": "precomputed"}
LANDMARKS = {"n_landmarks": 100, **NEAR}

_ROWS = (
    truth("isomap-10k", "isomap", ROLL_10K, peers=ISOMAP, **NEAR),
    truth("isomap-20k", "isomap", partial(data.roll, 20_000), peers=ISOMAP, **NEAR),
    truth(
        "isomap-workers-20k",
        "isomap",
        partial(data.roll, 20_000),
        side=AfterFit(sides.two_workers, sides.isomap_on_workers),
        peers={"one process": recipe("isomap", n_components=2, n_neighbors=8)},
    ),
    truth("isomap-100k", "isomap", ROLL_100K, side=sides.isomap_blocks, runs=1),
    truth("landmark-isomap-10k", "landmark-isomap", ROLL_10K, slow=False, **LANDMARKS),
    truth("landmark-isomap-100k", "landmark-isomap", ROLL_100K, slow=False, **LANDMARKS),
    truth("landmark-isomap-1m", "landmark-isomap", ROLL_1M, runs=1, **LANDMARKS),
    affine("hessian-10k", "hessian-lle", HOLE_10K, peers=_lle("hessian"), **NEAR),
    affine("ltsa-10k", "ltsa", HOLE_10K, peers=_lle("ltsa"), **NEAR),
    truth(
        "charting-2k",
        "charting",
        partial(data.roll, 2_000),
        slow=False,
        **NEAR,
    ),
    truth(
        "conformal-2k",
        "conformal-eigenmaps",
        partial(data.roll, 2_000),
        slow=False,
        **NEAR,
    ),
    truth(
        "mvu-500",
        "maximum-variance-unfolding",
        partial(data.roll, 500),
        slow=False,
        n_neighbors=6,
    ),
    truth(
        "mvu-20k",
        "maximum-variance-unfolding",
        partial(data.roll, 20_000),
        runs=1,
        n_neighbors=6,
    ),
    affine("modified-10k", "modified-lle", HOLE_10K, peers=_lle("modified"), **NEAR),
    affine("lle-10k", "lle", ROLL_10K, peers=_lle("standard"), slow=False, **NEAR),
    affine("lle-100k", "lle", ROLL_100K, peers=_lle("standard"), **NEAR),
    affine("lle-1m", "lle", ROLL_1M, runs=1, **NEAR),
    affine(
        "kernel-lle-2k", "kernel-lle", partial(data.roll, 2_000), slow=False, sigma=50.0, **NEAR
    ),
    affine("diffusion-10k", "diffusion-maps", ROLL_10K, slow=False, **NEAR),
    smooth("laplacian-10k", "laplacian-eigenmaps", ROLL_10K, peers=SPECTRAL, slow=False, **BINARY),
    smooth("laplacian-100k", "laplacian-eigenmaps", ROLL_100K, peers=SPECTRAL, **BINARY),
    smooth("laplacian-1m", "laplacian-eigenmaps", ROLL_1M, runs=1, **BINARY),
    smooth(
        "laplacian-highfill-3d",
        "laplacian-eigenmaps",
        partial(data.cloud, 20_000, 3),
        peers=SPECTRAL,
        **BINARY,
    ),
    smooth(
        "laplacian-highfill",
        "laplacian-eigenmaps",
        partial(data.cloud, 5_000, 8),
        peers=SPECTRAL,
        **BINARY,
    ),
    spread(
        "classical-mds-5k",
        "classical-mds",
        partial(data.gaussian, 5_000, 20),
        peers={"scikit-learn": sides.sklearn_classical_mds},
    ),
    spread("landmark-mds-20k", "landmark-mds", partial(data.gaussian, 20_000, 20), slow=False),
    spread(
        "kernel-pca-10k",
        "kernel-pca",
        partial(data.gaussian, 10_000, 10),
        peers=KERNEL_PCA,
        gamma=0.5,
    ),
    spread(
        "nystroem-100k",
        "kernel-pca",
        partial(data.gaussian, 100_000, 10),
        peers={"scikit-learn": sides.sklearn_nystroem},
        gamma=0.5,
        n_landmarks=300,
    ),
    spread("pca-100k", "pca", partial(data.gaussian, 100_000, 50), peers=PLAIN_PCA, slow=False),
    spread(
        "random-projection-100k",
        "random-projection",
        partial(data.gaussian, 100_000, 50),
        slow=False,
    ),
    spread("feature-map-100k", "feature-map-pca", partial(data.gaussian, 100_000, 10), slow=False),
    spread("polynomial-100k", "polynomial-pca", partial(data.gaussian, 100_000, 10), slow=False),
    judged(sides.rand_index, "adjusted Rand index")(
        "gpca-10k",
        "gpca",
        partial(data.subspaces, 10_000),
        side=sides.subspaces,
        slow=False,
    ),
    spread("additive-100k", "additive-pca", partial(data.gaussian, 100_000, 10), slow=False),
    strain(
        "mds-2k",
        "mds",
        partial(data.roll, 2_000),
        peers={"scikit-learn": sides.sklearn_mds},
    ),
    strain("mds-20k", "mds", partial(data.roll, 20_000), runs=1),
    known("mds-table-2k", "mds", partial(data.table, 2_000, 0.0), slow=False, **TABLE),
    known("mds-gaps-2k", "mds", partial(data.table, 2_000, 0.3), slow=False, **TABLE),
    judged(sides.weighted_stress, "weighted raw stress, smaller is better")(
        "mds-weights-2k",
        "mds",
        partial(data.table, 2_000, 0.0),
        side=sides.weighted_mds,
        slow=False,
    ),
    judged(sides.relative_stress, "sum of squared relative errors, smaller is better")(
        "mds-inverse-square-2k",
        "mds",
        partial(data.roll, 2_000),
        slow=False,
        weights="inverse_square",
    ),
    judged(sides.rank_stress, "stress-1 of the best monotone fit, smaller is better")(
        "nonmetric-mds-2k",
        "mds",
        partial(data.roll, 2_000),
        peers={"scikit-learn": sides.sklearn_nonmetric_mds},
        ordinal=True,
    ),
    leftover(
        "principal-curve-20k",
        "principal-curve",
        partial(data.gaussian, 20_000, 10),
        side=sides.principal_curve,
        slow=False,
    ),
    leftover(
        "principal-surface-1k",
        "principal-surface",
        partial(data.saddle, 1_000),
        side=sides.principal_surface,
        slow=False,
    ),
    leftover(
        "network-2k",
        "autoassociative-network",
        partial(data.saddle, 2_000),
        side=sides.network,
        slow=False,
    ),
    judged(real_sides.divergence, "divergence, smaller is better")(
        "tsne-clusters2k",
        "tsne",
        partial(data.clusters, 2_000),
        peers={
            "openTSNE": real_sides.open_tsne,
            "scikit-learn": sklearn("manifold", "TSNE", random_state=0, n_jobs=2),
        },
    ),
    judged(sides.rand_index, "adjusted Rand index")(
        "spectral-clustering-10k",
        "spectral-clustering",
        partial(data.clusters, 10_000),
        side=sides.clusters,
        peers={"scikit-learn": sides.sklearn_clusters},
        slow=False,
    ),
)

ROWS = {row.name: row for row in (*real.ROWS, *_ROWS)}
