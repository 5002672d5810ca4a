"""The table of methods: what each needs, what it gives, and where the texts describe it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Entry:
    """One method: its class, its input, what its map keeps, and its place in the literature."""

    name: str
    cls: str
    title: str
    family: str
    needs: str
    gives: str
    reference: str

    @property
    def page(self) -> str:
        """Name of the method's page in the documentation."""
        return self.name

    def load(self) -> Any:
        """Return the class."""
        module, _, name = self.cls.rpartition(".")
        return getattr(import_module(module), name)


_ENTRIES = (
    Entry(
        "pca",
        "unspool.methods.PCA",
        "Principal component analysis",
        "gram",
        "points",
        "the flat map of largest variance",
        "Pearson 1901; S1, S3 15.1",
    ),
    Entry(
        "kernel-pca",
        "unspool.methods.KernelPCA",
        "Kernel PCA",
        "gram",
        "points or a kernel table",
        "PCA in the feature space of a kernel",
        "Schölkopf, Smola, Müller 1998; S0 4.1, S3 15.2, S4 16.5",
    ),
    Entry(
        "classical-mds",
        "unspool.methods.ClassicalMDS",
        "Classical multidimensional scaling",
        "gram",
        "points or distances",
        "points with about the given distances",
        "Torgerson 1952; S0 4.2.1, S1, S4 16.6",
    ),
    Entry(
        "mds",
        "unspool.methods.MDS",
        "Multidimensional scaling by stress",
        "iterative",
        "points or dissimilarities, some of them unknown",
        "the distances themselves, or their order",
        "Kruskal 1964; de Leeuw 1977; S0 4.30, S1",
    ),
    Entry(
        "isomap",
        "unspool.methods.Isomap",
        "Isomap",
        "gram",
        "points, distances or a graph",
        "distances along the manifold",
        "Tenenbaum, de Silva, Langford 2000; S1, S3 15.3.1, S4 16.6.3",
    ),
    Entry(
        "lle",
        "unspool.methods.LLE",
        "Locally linear embedding",
        "alignment",
        "points or distances",
        "how each point is rebuilt from its neighbours",
        "Roweis, Saul 2000; S0 4.2.3, S3 15.3.3, S4 16.6.4",
    ),
    Entry(
        "laplacian-eigenmaps",
        "unspool.methods.LaplacianEigenmaps",
        "Laplacian eigenmaps",
        "laplacian",
        "points, distances or a graph",
        "neighbours stay neighbours",
        "Belkin, Niyogi 2001; S0 4.2.2, S2, S4 16.6.5",
    ),
    Entry(
        "landmark-mds",
        "unspool.methods.LandmarkMDS",
        "Landmark MDS",
        "gram",
        "points or distances",
        "classical scaling through a few landmarks",
        "de Silva, Tenenbaum 2004; S4 16.6.3",
    ),
    Entry(
        "landmark-isomap",
        "unspool.methods.LandmarkIsomap",
        "Landmark Isomap",
        "gram",
        "points, distances or a graph",
        "Isomap of many points through landmarks",
        "de Silva, Tenenbaum 2003; S4 16.6.3",
    ),
    Entry(
        "kernel-lle",
        "unspool.methods.KernelLLE",
        "Kernel LLE",
        "alignment",
        "points or a kernel table",
        "LLE in the feature space of a kernel",
        "DeCoste 2001; S4 16.6.8",
    ),
    Entry(
        "modified-lle",
        "unspool.methods.ModifiedLLE",
        "Modified LLE",
        "alignment",
        "points or distances",
        "LLE with several weights a point",
        "Zhang, Wang 2007",
    ),
    Entry(
        "hessian-lle",
        "unspool.methods.HessianLLE",
        "Hessian LLE",
        "alignment",
        "points or distances",
        "flat coordinates, also of regions with holes",
        "Donoho, Grimes 2003; S4 16.6.6",
    ),
    Entry(
        "ltsa",
        "unspool.methods.LTSA",
        "Local tangent space alignment",
        "alignment",
        "points or distances",
        "tangent planes laid side by side",
        "Zhang, Zha 2004; S0 4.4, S1",
    ),
    Entry(
        "diffusion-maps",
        "unspool.methods.DiffusionMaps",
        "Diffusion maps",
        "laplacian",
        "points, distances or a graph",
        "distances between the futures of walks",
        "Coifman, Lafon 2006; S1",
    ),
    Entry(
        "spectral-clustering",
        "unspool.methods.SpectralClustering",
        "Spectral clustering",
        "laplacian",
        "points, distances or a graph",
        "clusters that few edges leave",
        "Ng, Jordan, Weiss 2001; S0 4.3",
    ),
    Entry(
        "feature-map-pca",
        "unspool.methods.FeatureMapPCA",
        "Nonlinear PCA with a feature map",
        "gram",
        "points",
        "PCA of features that are computed outright",
        "S0 4.1.1-4.1.2",
    ),
    Entry(
        "polynomial-pca",
        "unspool.methods.PolynomialPCA",
        "Polynomial PCA",
        "gram",
        "points",
        "the equation of the surface the points lie on",
        "Gnanadesikan, Wilk 1969; S4 16.2",
    ),
    Entry(
        "random-projection",
        "unspool.methods.RandomProjection",
        "Random projection",
        "random",
        "points",
        "nearly all distances, in few dimensions",
        "Johnson, Lindenstrauss 1984; S3 15.4",
    ),
    Entry(
        "principal-curve",
        "unspool.methods.PrincipalCurve",
        "Principal curve",
        "iterative",
        "points",
        "arc length along the middle of the data",
        "Hastie, Stuetzle 1989; S4 16.3",
    ),
    Entry(
        "principal-surface",
        "unspool.methods.PrincipalSurface",
        "Principal surface",
        "iterative",
        "points",
        "lengths on a smooth surface through the data",
        "Hastie 1984; S4 16.3.5",
    ),
    Entry(
        "autoassociative-network",
        "unspool.methods.AutoassociativeNetwork",
        "Autoassociative network",
        "iterative",
        "points",
        "a code from which the points are rebuilt",
        "Kramer 1991; S4 16.4",
    ),
)

METHODS: dict[str, Entry] = {entry.name: entry for entry in _ENTRIES}


def find(name: str) -> Entry:
    """Return the entry called ``name`` (``isomap``) or whose class is ``name`` (``Isomap``)."""
    for entry in _ENTRIES:
        if name in (entry.name, entry.cls.rpartition(".")[2]):
            return entry
    raise ValueError(f"no method {name!r}; there are: {', '.join(METHODS)}")
