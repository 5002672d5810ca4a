"""What fitting a method costs: bytes, and seconds of the reference machine, stage by stage.

Each entry of the catalogue names its function of this file. Formulas are per point (n), column (d),
neighbour (k), landmark (m) and coordinate (q); their factors were measured on one or two cores with
Swiss rolls of 2,000 to 20,000 points in 3 and 50 columns. Where a stage changes its algorithm, the
limit is read from the code that decides it. Neighbour graphs are taken to be those of data with
about two dimensions: in more, their factors fill in, and what is sparse here costs more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb, log2
from typing import Literal

Kind = Literal["products", "memory", "branching"]

PASSES = 6  # over all geodesics, about, where their table is made anew each time


@dataclass(frozen=True, slots=True)
class Size:
    """How large a fit is, and the bytes that are free for it."""

    n: int
    d: int
    k: int
    q: int
    m: int  # all n points, where none are set apart as landmarks
    degree: int
    free: float

    @property
    def pairs(self) -> float:
        """Entries of a table of all pairs."""
        return float(self.n) ** 2

    @property
    def fill(self) -> float:
        """Entries per point of a neighbour graph's factor; of patches, two and a half times."""
        return 1.9 * log2(max(self.n, 2)) * self.k / 10


@dataclass(frozen=True, slots=True)
class Cost:
    """One stage: what it keeps, what it takes while it runs, and its seconds."""

    stage: str
    kind: Kind
    seconds: float
    keeps: float = 0.0
    takes: float = 0.0


Costs = list[Cost]


@dataclass(frozen=True, slots=True)
class Machine:
    """Products (flop/s), memory (bytes/s), branching work (sorted numbers/s)."""

    flops: float
    bandwidth: float
    sorting: float


REFERENCE = Machine(flops=4.1e10, bandwidth=1.2e10, sorting=8.2e6)  # whose seconds these are


def _search(s: Size) -> Costs:
    from .distances import CHUNK_BYTES, TREE_DIMENSIONS

    kept = 50.0 * s.n * s.k
    if s.d <= TREE_DIMENSIONS:
        seconds = 2.5e-8 * s.k * s.n * log2(max(s.n, 2))
        return [Cost("neighbours", "branching", seconds, kept, kept)]
    strip = min(CHUNK_BYTES, 8 * s.pairs)
    products, selection = 5e-11 * s.pairs * s.d, 1.1e-8 * s.pairs
    return [Cost("neighbours", "products", products + selection, kept, 2.9 * strip)]


def _sparse_spectrum(s: Size, fill: float, seconds: float) -> Cost:
    vectors = 48.0 * s.n * (s.q + 4)
    growth = log2(max(s.n, 2)) / 11
    return Cost("spectrum", "branching", seconds * s.n * growth, vectors, 90 * fill * s.n)


def _dense_spectrum(s: Size, seconds: float) -> Cost:
    taken = min(2.0 * s.pairs, 6e3 * s.n)  # blocks of vectors, and of the table
    return Cost("spectrum", "memory", seconds * s.pairs, 8.0 * s.n * s.q, taken)


def _table(s: Size, name: str, base: float, column: float, tables: float = 1.0) -> Cost:
    seconds = (base + column * s.d) * s.pairs
    return Cost(name, "memory", seconds, 8.0 * s.pairs, 8.0 * (tables - 1.0) * s.pairs)


def pca(s: Size) -> Costs:
    """Covariance or a thin decomposition of the centred points."""
    from .spectrum import DECOMPOSED

    entries, width = float(s.n * s.d), min(s.n, s.d)
    work = width if entries * width <= DECOMPOSED else min(width, 100)
    seconds = 7e-3 + 8e-7 * s.n + 5e-10 * entries * work + 1e-8 * entries
    return [Cost("spectrum", "products", seconds, 8.0 * s.n * s.q, 44.0 * s.n * s.d)]


def kernel_pca(s: Size) -> Costs:
    """A kernel matrix and its leading vectors; with landmarks, their columns only."""
    if s.m < s.n:
        return _nystroem(s)
    return [_table(s, "similarity", 7e-9, 3.5e-10), _dense_spectrum(s, 1.5e-8)]


def _nystroem(s: Size) -> Costs:
    from .kernel import DRAWN_FROM, DRAWN_PER_LANDMARK

    m = s.m
    drawn = min(s.n, max(DRAWN_FROM, DRAWN_PER_LANDMARK * m))
    columns, factor = float(s.n * m), float(drawn * m)
    similar = (7e-9 + 3.5e-10 * s.d) * columns
    return [
        Cost("landmarks", "products", 1e-10 * factor * m + 1e-8 * factor, 0.0, 10.5 * factor),
        Cost("similarity", "products", similar + 5e-11 * columns * m, 24.0 * m**2, 17.0 * columns),
        Cost("spectrum", "products", 5e-11 * columns * m + 6e-10 * float(m) ** 3, 8.0 * s.n * s.q),
    ]


def classical_mds(s: Size) -> Costs:
    """A table of squared distances and its leading vectors."""
    return [_table(s, "similarity", 3.5e-9, 3.7e-10), _dense_spectrum(s, 9e-9)]


def mds(s: Size) -> Costs:
    """A table of distances, gone through step by step."""
    steps = Cost("stress", "memory", 3.3e-8 * s.pairs, 64.0 * s.n * s.q, 0.8 * s.pairs)
    return [_table(s, "dissimilarities", 5e-9, 4e-10), steps]


def tsne(s: Size) -> Costs:
    """Three neighbours per unit of the usual perplexity, and all updates on a grid."""
    edges = 180.0 * s.n  # of 90 neighbours in both directions
    wide = replace(s, k=90)
    affinities = Cost("affinities", "memory", 2e-7 * edges, 24.0 * edges, 60.0 * edges)
    grid = 400.0 * min(s.n, 60_000)
    descent = Cost("descent", "memory", 750 * (2.5e-9 * edges + 6e-9 * grid), 0.0, 40.0 * grid)
    return [*_search(wide), affinities, descent]


def isomap(s: Size) -> Costs:
    """All geodesics, as a table or block by block, and the leading vectors."""
    from .relation import DOUBLE_POINTS, GEODESIC_BLOCK_BYTES, TABLE_ROOM

    item = 8 if s.n <= DOUBLE_POINTS else 4
    paths = 2.9e-9 * s.pairs * log2(max(s.n, 2)) / 11
    prepared = Cost("shortest paths", "branching", 5e-6 * s.n, 16.0 * s.fill * s.n)
    if TABLE_ROOM * item * s.pairs < s.free:
        table = Cost("geodesics", "memory", paths, item * s.pairs, min(s.pairs, 6e3 * s.n))
        each = 1.4e-8 if s.n <= DOUBLE_POINTS else 3.6e-9  # beyond, passes at the speed of memory
        return [*_search(s), prepared, table, _dense_spectrum(s, each)]
    taken = 1.3 * GEODESIC_BLOCK_BYTES
    strips = Cost("geodesics", "memory", PASSES * paths, 200.0 * s.n, taken)
    products = Cost("spectrum", "memory", PASSES * 5e-9 * s.pairs, 0.0, 400.0 * s.n)
    return [*_search(s), prepared, strips, products]


def landmark_mds(s: Size) -> Costs:
    """Distances to the landmarks."""
    columns = float(s.n * s.m)
    seconds = 8e-3 + (5e-8 + 2.5e-9 * s.d) * columns
    strips = 8.5e5  # of query rows that are centred at a time
    return [Cost("landmarks", "memory", seconds, 4.0 * columns, 7.1 * columns + strips)]


def landmark_isomap(s: Size) -> Costs:
    """Geodesics from the landmarks."""
    columns = float(s.n * s.m)
    paths = 1.6e-8 * s.k * columns * log2(max(s.n, 2)) / 11
    chosen = (4e-8 + 2e-9 * s.d) * columns
    return [
        *_search(s),
        Cost("landmarks", "memory", chosen, 0.0, 16.0 * s.n),
        Cost("geodesics", "branching", paths, 8.0 * columns, 32.0 * columns),
    ]


def lle(s: Size) -> Costs:
    """Weights of the neighbours, and the small end of a sparse factor."""
    weights = Cost(
        "weights", "products", (3.6e-6 + 8e-8 * s.d) * s.n * (s.k / 10) ** 2, 16.0 * s.n * s.k
    )
    return [*_search(s), weights, _sparse_spectrum(s, 1.2 * s.fill, 1.7e-5)]


def kernel_lle(s: Size) -> Costs:
    """A kernel matrix, neighbours from it, and then LLE."""
    table = _table(s, "similarity", 2.6e-8, 4e-10, tables=3.0)
    search = Cost("neighbours", "memory", 1.3e-8 * s.pairs, 50.0 * s.n * s.k)
    return [table, search, *lle(s)[-2:]]


def _patches(s: Size, seconds: float) -> Costs:
    entries = (s.k + 1) ** 2
    made = seconds * s.n * (s.k / 10) ** 2
    alignment = Cost(
        "alignment", "products", made, 12.0 * entries * s.n / 2.5, 50.0 * entries * s.n
    )
    return [*_search(s), alignment, _sparse_spectrum(s, 2.6 * s.fill, 2.0e-5)]


def modified_lle(s: Size) -> Costs:
    """Several weights per point, summed over neighbourhoods."""
    return _patches(s, 2.8e-5)


def hessian_lle(s: Size) -> Costs:
    """Hessians of neighbourhoods, summed."""
    return _patches(s, 1.7e-5 + 2e-7 * s.d)


def ltsa(s: Size) -> Costs:
    """Tangent planes of neighbourhoods, summed."""
    return _patches(s, 1.8e-5 + 2e-7 * s.d)


def laplacian(s: Size) -> Costs:
    """Weights of the edges, and the small end of their Laplacian."""
    return [*_search(s), _sparse_spectrum(s, 1.3 * s.fill, 2.2e-5)]


def spectral_clustering(s: Size) -> Costs:
    """The same, and k-means."""
    return [*laplacian(s), Cost("clusters", "branching", 4.5e-5 * s.n, 0.0, 100.0 * s.n)]


def feature_map_pca(s: Size) -> Costs:
    """Monomials of one degree, and their PCA."""
    return _features(s, comb(s.d + s.degree - 1, s.degree))


def polynomial_pca(s: Size) -> Costs:
    """Variables, squares and products up to a degree, and their PCA."""
    return _features(s, comb(s.d + s.degree, s.degree) - 1)


def _features(s: Size, columns: int) -> Costs:
    entries = float(s.n * columns)
    wide = pca(replace(s, d=columns))[0]
    features = Cost("features", "memory", 3e-3 + 6e-8 * entries, 8.0 * entries)
    return [features, replace(wide, takes=32.0 * entries)]


def random_projection(s: Size) -> Costs:
    """One product."""
    seconds = 4e-3 + 1e-10 * s.n * s.d * s.q
    return [Cost("projection", "products", seconds, 8.0 * s.n * s.q, 8.0 * s.n * s.q)]


def principal_curve(s: Size) -> Costs:
    """Smoothing and projecting in turn, 24 times or so."""
    seconds = 0.3 + 8e-5 * s.n * (1 + s.d / 20)
    return [Cost("curve", "branching", seconds, 100.0 * s.n, 40.0 * s.n * (8 + s.d))]


def principal_surface(s: Size) -> Costs:
    """Smoothing and projecting in turn, 40 times or so."""
    workspace = min(1.7e7, 8.5e3 * s.n) + 1.8e3 * s.n
    return [Cost("surface", "branching", 3.0 + 4e-4 * s.n, 200.0 * s.n, workspace)]


def autoassociative_network(s: Size) -> Costs:
    """A thousand steps of descent, each over all points."""
    from .autoencoder import BLOCK

    work = 1.0 + 1000 * s.n * (6e-7 + 2e-8 * s.d)
    taken = 8.0 * s.n * (s.d + 30) + 240.0 * min(s.n, BLOCK)
    return [Cost("training", "products", work, 24.0 * s.n * s.d, taken)]
