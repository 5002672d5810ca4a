"""The rows, by name."""

from __future__ import annotations

from functools import partial

from . import data, sides
from .rows import Row, explained, misfit, ours, sklearn, smoothness, variance

R2 = "worst R^2 of the true coordinates"
PROCRUSTES = "Procrustes disparity to the truth"
SMOOTH = "sum of Rayleigh quotients, smaller is better"
VARIANCE = "variance of the map, larger is better"


def _lle(method: str) -> dict[str, object]:
    options = {"n_neighbors": 10, "n_components": 2, "method": method, "eigen_solver": "arpack"}
    return {"scikit-learn": sklearn("manifold", "LocallyLinearEmbedding", **options)}


def _isomap() -> dict[str, object]:
    return {"scikit-learn": sklearn("manifold", "Isomap", n_neighbors=10, n_components=2)}


def _spectral() -> dict[str, object]:
    return {"scikit-learn": sides.sklearn_laplacian}


def _table() -> dict[str, Row]:
    neighbors = {"n_neighbors": 10}
    binary = {"n_neighbors": 10, "weights": "binary"}
    roll, hole = partial(partial, data.roll), partial(partial, data.hole)
    rows = [
        Row(
            "isomap-10k",
            roll(10_000),
            ours("Isomap", 2, **neighbors),
            _isomap(),
            misfit,
            PROCRUSTES,
            slow=True,
        ),
        Row(
            "isomap-20k",
            roll(20_000),
            ours("Isomap", 2, **neighbors),
            _isomap(),
            misfit,
            PROCRUSTES,
            slow=True,
            runs=1,
        ),
        Row(
            "isomap-100k",
            roll(100_000),
            sides.isomap_blocks,
            {},
            misfit,
            PROCRUSTES,
            runs=1,
            slow=True,
        ),
        Row(
            "landmark-isomap-20k",
            roll(20_000),
            ours("LandmarkIsomap", 2, n_landmarks=100, **neighbors),
            {"tapkee": sides.tapkee_landmark_isomap},
            misfit,
            PROCRUSTES,
            slow=True,
        ),
        Row(
            "landmark-isomap-1m",
            roll(1_000_000),
            ours("LandmarkIsomap", 2, n_landmarks=100, **neighbors),
            {},
            misfit,
            PROCRUSTES,
            runs=1,
            slow=True,
        ),
        Row(
            "hessian-10k",
            hole(10_000),
            ours("HessianLLE", 2, **neighbors),
            _lle("hessian"),
            explained,
            R2,
            slow=True,
        ),
        Row(
            "ltsa-10k",
            hole(10_000),
            ours("LTSA", 2, **neighbors),
            _lle("ltsa"),
            explained,
            R2,
            slow=True,
        ),
        Row(
            "modified-10k",
            hole(10_000),
            ours("ModifiedLLE", 2, **neighbors),
            _lle("modified"),
            explained,
            R2,
            slow=True,
        ),
        Row("lle-10k", roll(10_000), ours("LLE", 2, **neighbors), _lle("standard"), explained, R2),
        Row(
            "lle-100k",
            roll(100_000),
            ours("LLE", 2, **neighbors),
            _lle("standard"),
            explained,
            R2,
            slow=True,
        ),
        Row(
            "lle-1m",
            roll(1_000_000),
            ours("LLE", 2, **neighbors),
            {},
            explained,
            R2,
            runs=1,
            slow=True,
        ),
        Row(
            "laplacian-10k",
            roll(10_000),
            ours("LaplacianEigenmaps", 2, **binary),
            _spectral(),
            smoothness,
            SMOOTH,
        ),
        Row(
            "laplacian-100k",
            roll(100_000),
            ours("LaplacianEigenmaps", 2, **binary),
            _spectral(),
            smoothness,
            SMOOTH,
            slow=True,
        ),
        Row(
            "laplacian-1m",
            roll(1_000_000),
            ours("LaplacianEigenmaps", 2, **binary),
            {},
            smoothness,
            SMOOTH,
            runs=1,
            slow=True,
        ),
        Row(
            "laplacian-highfill-3d",
            partial(data.cloud, 20_000, 3),
            ours("LaplacianEigenmaps", 2, **binary),
            _spectral(),
            smoothness,
            SMOOTH,
            slow=True,
        ),
        Row(
            "laplacian-highfill",
            partial(data.cloud, 5_000, 8),
            ours("LaplacianEigenmaps", 2, **binary),
            _spectral(),
            smoothness,
            SMOOTH,
            slow=True,
        ),
        Row(
            "classical-mds-5k",
            partial(data.gaussian, 5_000, 20),
            ours("ClassicalMDS", 2),
            {"scikit-learn": sides.sklearn_classical_mds},
            variance,
            VARIANCE,
            slow=True,
        ),
        Row(
            "kernel-pca-10k",
            partial(data.gaussian, 10_000, 10),
            ours("KernelPCA", 2, gamma=0.5),
            {
                "scikit-learn": sklearn(
                    "decomposition",
                    "KernelPCA",
                    n_components=2,
                    kernel="rbf",
                    gamma=0.5,
                    eigen_solver="arpack",
                    random_state=0,
                )
            },
            variance,
            VARIANCE,
            slow=True,
        ),
        Row(
            "nystroem-100k",
            partial(data.gaussian, 100_000, 10),
            ours("KernelPCA", 2, gamma=0.5, landmarks=300),
            {"scikit-learn": sides.sklearn_nystroem},
            variance,
            VARIANCE,
            slow=True,
        ),
        Row(
            "geodesic-mnist10k",
            partial(data.mnist, 10_000),
            sides.geodesics,
            {"scipy": sides.scipy_geodesics},
            sides.largest_gap,
            "sum of all path lengths",
            slow=True,
            runs=1,
        ),
        Row(
            "pca-mnist10k",
            partial(data.mnist, 10_000),
            ours("PCA", 2),
            {"scikit-learn": sklearn("decomposition", "PCA", n_components=2, svd_solver="full")},
            variance,
            VARIANCE,
        ),
        Row(
            "kernel-lle-2k",
            roll(2_000),
            ours("KernelLLE", 2, sigma=50.0, **neighbors),
            {},
            explained,
            R2,
        ),
        Row(
            "landmark-mds-20k",
            partial(data.gaussian, 20_000, 20),
            ours("LandmarkMDS", 2, n_landmarks=100),
            {},
            variance,
            VARIANCE,
        ),
        Row(
            "diffusion-10k", roll(10_000), ours("DiffusionMaps", 2, **neighbors), {}, explained, R2
        ),
        Row(
            "spectral-clustering-10k",
            partial(data.clusters, 10_000),
            sides.clusters,
            {"scikit-learn": sides.sklearn_clusters},
            sides.rand_index,
            "adjusted Rand index",
        ),
    ]
    return {row.name: row for row in rows}


ROWS = _table()
