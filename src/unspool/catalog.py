"""The table of methods: what each needs, gives and keeps, what it costs, and where it is described.

``entry_of`` is the one way from a name, a class or a model to its entry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import Any, Literal

from . import costs

__all__ = ["METHODS", "Entry", "Keeps", "entry_of", "is_catalogued"]

# What of the data a map promises to keep, where that can be measured: straight distances, geodesic
# distances, or the tangent planes up to one affine map.
Keeps = Literal["distances", "geodesics", "tangents", "none"]

# Methods that fit where most do not, those closest to the others first.
FRUGAL = ("landmark-isomap", "landmark-mds", "pca", "random-projection")


@dataclass(frozen=True, slots=True)
class Entry:
    """One method: its class, its input, what its map keeps, its cost, its place in the literature.

    ``instead`` are methods that answer a similar question with less memory, nearest first.
    ``enough_landmarks`` is a number of landmarks through which a method that otherwise looks at
    all pairs sees them too; 0 where there is no such option.
    """

    name: str
    cls: str
    title: str
    family: str
    needs: str
    gives: str
    reference: str
    cost: Callable[[costs.Size], list[costs.Cost]]
    keeps: Keeps = "none"
    instead: tuple[str, ...] = FRUGAL
    enough_landmarks: int = 0

    @property
    def page(self) -> str:
        """Name of the method's page in the documentation."""
        return self.name

    @property
    def class_name(self) -> str:
        """Name of the class, without its module."""
        return self.cls.rpartition(".")[2]

    def load(self) -> Any:
        """Return the class."""
        return getattr(import_module(self.cls.rpartition(".")[0]), self.class_name)


_ENTRIES = (
    Entry(
        name="pca",
        cls="unspool.methods.PCA",
        title="Principal component analysis",
        family="gram",
        needs="points",
        gives="the flat map of largest variance",
        reference="Pearson 1901; Mohri et al. 2012, sec. 15.1",
        cost=costs.pca,
        keeps="distances",
    ),
    Entry(
        name="kernel-pca",
        cls="unspool.methods.KernelPCA",
        title="Kernel PCA",
        family="gram",
        needs="points or a kernel matrix",
        gives="PCA in the feature space of a kernel",
        reference="Schölkopf, Smola, Müller 1998; Vidal, Ma, Sastry 2016, sec. 4.1; "
        "Mohri et al. 2012, sec. 15.2; Izenman 2013, sec. 16.5",
        cost=costs.kernel_pca,
        instead=("landmark-mds", "pca", *FRUGAL),
        enough_landmarks=1000,
    ),
    Entry(
        name="classical-mds",
        cls="unspool.methods.ClassicalMDS",
        title="Classical multidimensional scaling",
        family="gram",
        needs="points or distances",
        gives="points with about the given distances",
        reference="Torgerson 1952; Vidal, Ma, Sastry 2016, sec. 4.2.1; Izenman 2013, sec. 16.6",
        cost=costs.classical_mds,
        keeps="distances",
        instead=("pca", "landmark-mds", *FRUGAL),
    ),
    Entry(
        name="mds",
        cls="unspool.methods.MDS",
        title="Multidimensional scaling by stress",
        family="iterative",
        needs="points or dissimilarities, some of them unknown",
        gives="the distances themselves, or their order",
        reference="Kruskal 1964; de Leeuw 1977; Vidal, Ma, Sastry 2016, eq. 4.30",
        cost=costs.mds,
        keeps="distances",
        instead=("landmark-mds", "pca", *FRUGAL),
    ),
    Entry(
        name="isomap",
        cls="unspool.methods.Isomap",
        title="Isomap",
        family="gram",
        needs="points, distances or a graph",
        gives="distances along the manifold",
        reference="Tenenbaum, de Silva, Langford 2000; Mohri et al. 2012, sec. 15.3.1; "
        "Izenman 2013, sec. 16.6.3",
        cost=costs.isomap,
        keeps="geodesics",
    ),
    Entry(
        name="lle",
        cls="unspool.methods.LLE",
        title="Locally linear embedding",
        family="alignment",
        needs="points or distances",
        gives="how each point is rebuilt from its neighbours",
        reference="Roweis, Saul 2000; Vidal, Ma, Sastry 2016, sec. 4.2.3; "
        "Mohri et al. 2012, sec. 15.3.3; Izenman 2013, sec. 16.6.4",
        cost=costs.lle,
        keeps="tangents",
    ),
    Entry(
        name="laplacian-eigenmaps",
        cls="unspool.methods.LaplacianEigenmaps",
        title="Laplacian eigenmaps",
        family="laplacian",
        needs="points, distances or a graph",
        gives="neighbours stay neighbours",
        reference="Belkin, Niyogi 2001; Vidal, Ma, Sastry 2016, sec. 4.2.2; "
        "Izenman 2013, sec. 16.6.5",
        cost=costs.laplacian,
    ),
    Entry(
        name="landmark-mds",
        cls="unspool.methods.LandmarkMDS",
        title="Landmark MDS",
        family="gram",
        needs="points or distances",
        gives="classical scaling through a few landmarks",
        reference="de Silva, Tenenbaum 2004; Izenman 2013, sec. 16.6.3",
        cost=costs.landmark_mds,
        keeps="distances",
    ),
    Entry(
        name="landmark-isomap",
        cls="unspool.methods.LandmarkIsomap",
        title="Landmark Isomap",
        family="gram",
        needs="points, distances or a graph",
        gives="Isomap of many points through landmarks",
        reference="de Silva, Tenenbaum 2003; Izenman 2013, sec. 16.6.3",
        cost=costs.landmark_isomap,
        keeps="geodesics",
    ),
    Entry(
        name="kernel-lle",
        cls="unspool.methods.KernelLLE",
        title="Kernel LLE",
        family="alignment",
        needs="points or a kernel matrix",
        gives="LLE in the feature space of a kernel",
        reference="DeCoste 2001; Izenman 2013, sec. 16.6.8",
        cost=costs.kernel_lle,
        keeps="tangents",
        instead=("lle", "laplacian-eigenmaps", *FRUGAL),
    ),
    Entry(
        name="modified-lle",
        cls="unspool.methods.ModifiedLLE",
        title="Modified LLE",
        family="alignment",
        needs="points or distances",
        gives="LLE with several weights per point",
        reference="Zhang, Wang 2007",
        cost=costs.modified_lle,
        keeps="tangents",
        instead=("lle", "laplacian-eigenmaps", *FRUGAL),
    ),
    Entry(
        name="hessian-lle",
        cls="unspool.methods.HessianLLE",
        title="Hessian LLE",
        family="alignment",
        needs="points or distances",
        gives="flat coordinates, also of regions with holes",
        reference="Donoho, Grimes 2003; Izenman 2013, sec. 16.6.6",
        cost=costs.hessian_lle,
        keeps="tangents",
        instead=("lle", "laplacian-eigenmaps", *FRUGAL),
    ),
    Entry(
        name="ltsa",
        cls="unspool.methods.LTSA",
        title="Local tangent space alignment",
        family="alignment",
        needs="points or distances",
        gives="tangent planes laid side by side",
        reference="Zhang, Zha 2004; Vidal, Ma, Sastry 2016, sec. 4.4",
        cost=costs.ltsa,
        keeps="tangents",
        instead=("lle", "laplacian-eigenmaps", *FRUGAL),
    ),
    Entry(
        name="diffusion-maps",
        cls="unspool.methods.DiffusionMaps",
        title="Diffusion maps",
        family="laplacian",
        needs="points, distances or a graph",
        gives="distances between the futures of walks",
        reference="Coifman, Lafon 2006",
        cost=costs.laplacian,
    ),
    Entry(
        name="spectral-clustering",
        cls="unspool.methods.SpectralClustering",
        title="Spectral clustering",
        family="laplacian",
        needs="points, distances or a graph",
        gives="clusters that few edges leave",
        reference="Ng, Jordan, Weiss 2001; Vidal, Ma, Sastry 2016, sec. 4.3",
        cost=costs.spectral_clustering,
    ),
    Entry(
        name="feature-map-pca",
        cls="unspool.methods.FeatureMapPCA",
        title="Nonlinear PCA with a feature map",
        family="gram",
        needs="points",
        gives="PCA of features that are computed outright",
        reference="Vidal, Ma, Sastry 2016, sec. 4.1.1-4.1.2",
        cost=costs.feature_map_pca,
        instead=("kernel-pca", "pca", *FRUGAL),
    ),
    Entry(
        name="polynomial-pca",
        cls="unspool.methods.PolynomialPCA",
        title="Polynomial PCA",
        family="gram",
        needs="points",
        gives="the equation of the surface the points lie on",
        reference="Gnanadesikan, Wilk 1969; Izenman 2013, sec. 16.2",
        cost=costs.polynomial_pca,
        instead=("pca", *FRUGAL),
    ),
    Entry(
        name="additive-pca",
        cls="unspool.methods.AdditivePCA",
        title="Additive PCA",
        family="gram",
        needs="points",
        gives="sums of functions of single variables that vary most, or that hardly vary",
        reference="Donnell, Buja, Stuetzle 1994; Izenman 2013, ch. 16, notes",
        cost=costs.additive_pca,
        instead=("pca", *FRUGAL),
    ),
    Entry(
        name="gpca",
        cls="unspool.methods.GPCA",
        title="Generalized PCA",
        family="gram",
        needs="points",
        gives="several subspaces that the points lie in, and which is in which",
        reference="Vidal, Ma, Sastry 2005; Vidal, Ma, Sastry 2016, example 4.1",
        cost=costs.gpca,
        instead=("pca", *FRUGAL),
    ),
    Entry(
        name="random-projection",
        cls="unspool.methods.RandomProjection",
        title="Random projection",
        family="random",
        needs="points",
        gives="nearly all distances, in few dimensions",
        reference="Johnson, Lindenstrauss 1984; Mohri et al. 2012, sec. 15.4",
        cost=costs.random_projection,
    ),
    Entry(
        name="charting",
        cls="unspool.methods.Charting",
        title="Charting",
        family="alignment",
        needs="points",
        gives="lengths within local charts that are merged, and the way back",
        reference="Brand 2003; Izenman 2013, sec. 16.6",
        cost=costs.charting,
        instead=("ltsa", "lle", *FRUGAL),
    ),
    Entry(
        name="conformal-eigenmaps",
        cls="unspool.methods.ConformalEigenmaps",
        title="Conformal eigenmaps",
        family="alignment",
        needs="points, distances or a graph",
        gives="angles within neighbourhoods",
        reference="Sha, Saul 2005; Vidal, Ma, Sastry 2016, sec. 4.4",
        cost=costs.conformal_eigenmaps,
        instead=("lle", "laplacian-eigenmaps", *FRUGAL),
    ),
    Entry(
        name="maximum-variance-unfolding",
        cls="unspool.methods.MaximumVarianceUnfolding",
        title="Maximum variance unfolding",
        family="gram",
        needs="points, distances or a graph",
        gives="distances between neighbours, all else as far apart as can be",
        reference="Weinberger, Saul 2004; Weinberger, Sha, Zhu, Saul 2007; "
        "Vidal, Ma, Sastry 2016, sec. 4.4; Mohri et al. 2012, sec. 15.5",
        cost=costs.maximum_variance_unfolding,
        keeps="geodesics",
        instead=("isomap", *FRUGAL),
    ),
    Entry(
        name="tsne",
        cls="unspool.methods.TSNE",
        title="t-SNE",
        family="iterative",
        needs="points, distances or a graph",
        gives="neighbours beside each other, clusters apart",
        reference="van der Maaten, Hinton 2008; Boehm, Berens, Kobak 2022",
        cost=costs.tsne,
    ),
    Entry(
        name="principal-curve",
        cls="unspool.methods.PrincipalCurve",
        title="Principal curve",
        family="iterative",
        needs="points",
        gives="arc length along the middle of the data",
        reference="Hastie, Stuetzle 1989; Izenman 2013, sec. 16.3",
        cost=costs.principal_curve,
    ),
    Entry(
        name="principal-surface",
        cls="unspool.methods.PrincipalSurface",
        title="Principal surface",
        family="iterative",
        needs="points",
        gives="lengths on a smooth surface through the data",
        reference="Hastie 1984; Izenman 2013, sec. 16.3.5",
        cost=costs.principal_surface,
    ),
    Entry(
        name="autoassociative-network",
        cls="unspool.methods.AutoassociativeNetwork",
        title="Autoassociative network",
        family="iterative",
        needs="points",
        gives="a code from which the points are rebuilt",
        reference="Kramer 1991; Izenman 2013, sec. 16.4",
        cost=costs.autoassociative_network,
    ),
)

METHODS: dict[str, Entry] = {entry.name: entry for entry in _ENTRIES}


def entry_of(method: Any) -> Entry:
    """Return the entry of a method: by its name, its class, or a model of it.

    In names, case and underscores do not matter, and the class's name will do.

    Parameters
    ----------
    method : str, class or model
        The method.

    Returns
    -------
    Entry
        What the catalogue says of it.

    Examples
    --------
    >>> from unspool.catalog import entry_of
    >>> entry_of("Kernel_PCA").name, entry_of("LTSA").title
    ('kernel-pca', 'Local tangent space alignment')
    """
    found = _by_name(method) if isinstance(method, str) else _by_class(_class_of(method))
    if found is not None:
        return found
    given = method if isinstance(method, str) else _class_of(method).__name__
    near = get_close_matches(_plain(given), METHODS, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(METHODS)}"
    raise ValueError(f"no method {given!r}; {hint}")


def is_catalogued(method: Any) -> bool:
    """Tell whether a class, or the class of a model, is in the catalogue.

    Parameters
    ----------
    method : class or model
        What may be a method of this package.

    Returns
    -------
    bool
        Whether ``entry_of`` has an entry for it.

    Examples
    --------
    >>> from unspool.catalog import is_catalogued
    >>> import unspool
    >>> is_catalogued(unspool.PCA(2)), is_catalogued(dict)
    (True, False)
    """
    return _by_class(_class_of(method)) is not None


def _by_name(name: str) -> Entry | None:
    wanted = _plain(name)
    matching = (e for e in _ENTRIES if wanted in (e.name, e.class_name.lower()))
    return next(matching, None)


def _by_class(cls: type) -> Entry | None:
    """Return the entry of this class; one of another package may have the same name."""
    if cls.__module__.partition(".")[0] != "unspool":
        return None
    return next((e for e in _ENTRIES if e.class_name == cls.__name__), None)


def _class_of(method: Any) -> type:
    return method if isinstance(method, type) else type(method)


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", "-")
