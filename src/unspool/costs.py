"""What fitting a method costs: bytes, and seconds of the reference machine, stage by stage.

Each entry of the catalogue names its function of this file. Formulas are per point (n), column (d),
neighbour (k), landmark (m) and coordinate (q); their factors were measured on two cores with Swiss
rolls of 2,000 to 20,000 points and with real tables of 700 to 100,000 points in 10 to 1,024 columns
(the table in docs/compare.md). Where a stage changes its algorithm, the limit is read from the code
that decides it. How far the factor of a neighbour graph fills in is measured where the data are
given, else taken to be that of data whose dimension grows slowly with the number of columns.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb, log2
from typing import Literal

Kind = Literal["products", "memory", "branching"]

PASSES = 6  # over all geodesics, about, where their table is made anew each time
FILLED = 300  # arcs a point from which on searching (Dijkstra) is faster than elimination
PATH_ARC, PATH_STEP = 1.2e-10, 2e-10  # seconds a pair: by arc; by neighbour and doubling of points


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
    filled: float = 0.0  # entries per point of a neighbour graph's factor; 0 where nobody looked
    search: str = "auto"
    item: float = 8.0  # bytes of a number of the points, as the method keeps them
    is_gaussian: bool = True  # whether the kernel, of a method that has one, is the Gaussian

    @property
    def pairs(self) -> float:
        """Entries of a table of all pairs."""
        return float(self.n) ** 2

    @property
    def fill(self) -> float:
        """Entries per point of a neighbour graph's factor; of patches, two and a half times."""
        if self.filled:
            return self.filled
        flat = 1.9 * log2(max(self.n, 2)) * self.k / 10
        dimension = 2 + log2(max(self.d, 3) / 3)  # 6 for 50 columns, 10 for images
        return flat * float(max(1.0, self.n / 500) ** (1 - 2 / dimension))  # separators of a grid

    @property
    def points(self) -> float:
        """Bytes of the points, which a fitted model keeps."""
        return self.item * self.n * self.d

    @property
    def doubles(self) -> float:
        """Bytes of the points in double precision, as some methods work on them."""
        return 8.0 * self.n * self.d


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


REFERENCE = Machine(flops=1.2e11, bandwidth=2.2e10, sorting=9.2e6)  # whose seconds these are


CORES = 2  # of the reference machine, which processor seconds are shared out over


def _search(s: Size) -> Costs:
    from .distances import (
        TREE_DIMENSIONS,
        approximate_seconds,
        exact_bytes,
        exact_seconds,
        workspace_bytes,
    )

    kept = 50.0 * s.n * s.k + s.points
    if s.d <= TREE_DIMENSIONS:
        seconds = 2.5e-8 * (0.7 + 0.03 * s.d**2) * s.k * s.n * log2(max(s.n, 2))
        return [Cost("neighbours", "branching", seconds, kept, 50.0 * s.n * s.k)]
    if is_approximate(s):
        seconds = approximate_seconds(s.n, s.d, s.k) / CORES
        return [Cost("neighbours", "branching", seconds, kept, workspace_bytes(s.n, s.d, s.k))]
    seconds = 0.02 + exact_seconds(s.n, s.d) / CORES + 4e-8 * s.n * s.d
    return [Cost("neighbours", "products", seconds, kept, exact_bytes(s.n, s.d, s.k, s.item))]


def is_approximate(s: Size) -> bool:
    """Say whether the neighbours are searched approximately."""
    from .distances import PATIENCE, TREE_DIMENSIONS, exact_seconds

    if s.search != "auto":
        return s.search == "approximate" and s.d > TREE_DIMENSIONS
    return s.d > TREE_DIMENSIONS and exact_seconds(s.n, s.d) > PATIENCE


def _sparse_spectrum(s: Size, kind: str, fill: float, entries: float) -> Cost:
    """The small end of a sparse matrix: by its factor, or by products where that is cheaper.

    ``entries`` are those of the matrix, a point.
    """
    from .spectrum import ENTRY_SECONDS, FACTOR_SPEED, FILTER_PRODUCTS

    vectors = 48.0 * s.n * (s.q + 4)
    ordering = 4e-8 * fill * s.n
    factoring = fill**2 * s.n / FACTOR_SPEED
    products = FILTER_PRODUCTS[kind] * ENTRY_SECONDS * entries * s.n
    if products < factoring:  # mostly of graphs so wide that they are not ordered
        return Cost("spectrum", "branching", 2e-7 * s.n + products, vectors, 1000.0 * s.n)
    growth = log2(max(s.n, 2)) / 12
    seconds = ordering + factoring + (6e-6 + 1e-7 * fill) * s.n * growth
    return Cost("spectrum", "branching", seconds, vectors, (2000.0 + 40.0 * fill) * s.n)


def _dense_spectrum(s: Size, seconds: float) -> Cost:
    taken = min(2.0 * s.pairs, 6e3 * s.n)  # blocks of vectors, and of the table
    return Cost("spectrum", "memory", seconds * s.pairs, 8.0 * s.n * s.q, taken)


def _table(s: Size, name: str, base: float, tables: float = 1.0) -> Cost:
    """A table of all pairs by products; the points are kept beside it."""
    seconds = 0.05 + (base + 1.2e-11 * s.d) * s.pairs + 5e-8 * s.n * s.d
    kept = 8.0 * s.pairs + s.points
    return Cost(name, "memory", seconds, kept, 8.0 * (tables - 1.0) * s.pairs + s.doubles)


def pca(s: Size) -> Costs:
    """The gram matrix of the shorter side, or of a small table a thin decomposition."""
    from .spectrum import SQUARED_FROM, gram_bytes

    entries, width = float(s.n * s.d), min(s.n, s.d)
    seconds = 4e-3 + 5e-7 * s.n + 6e-9 * entries
    if entries * width < SQUARED_FROM:
        seconds += 5e-10 * entries * width
        return [Cost("spectrum", "products", seconds, 8.0 * s.n * s.q, 44.0 * entries)]
    seconds += 1.6e-11 * entries * width + 1.2e-10 * float(width) ** 3
    return [Cost("spectrum", "products", seconds, 8.0 * s.n * s.q, gram_bytes(s.n, s.d))]


def kernel_pca(s: Size) -> Costs:
    """A kernel matrix and its leading vectors; with landmarks, their columns only."""
    from .kernel import is_single, single_table_bytes
    from .spectrum import products_pay

    if s.m < s.n:
        return _nystroem(s)
    if not (s.is_gaussian and is_single(s.n, s.d) and products_pay(s.n, s.q)):
        return [_table(s, "similarity", 1.3e-8), _dense_spectrum(s, 1.2e-8)]
    # a quarter of the bytes of a table in double precision, whose first use is what takes time
    table, spectrum = _table(s, "similarity", 3e-9), _dense_spectrum(s, 4.5e-9)
    held = single_table_bytes(s.n) + s.points + 0.5 * s.doubles  # the points, and prepared ones
    return [replace(table, keeps=held, takes=0.0), replace(spectrum, takes=3e3 * s.n)]


def _nystroem(s: Size) -> Costs:
    from .kernel import DRAWN_FROM, DRAWN_PER_LANDMARK

    m = s.m
    drawn = min(s.n, max(DRAWN_FROM, DRAWN_PER_LANDMARK * m))
    columns, factor = float(s.n * m), float(drawn * m)
    similar = (1e-8 + 3e-11 * s.d) * columns
    return [
        Cost("landmarks", "products", 1e-10 * factor * m + 1e-8 * factor, 0.0, 10.5 * factor),
        Cost("similarity", "products", similar + 5e-11 * columns * m, 24.0 * m**2, 17.0 * columns),
        Cost("spectrum", "products", 5e-11 * columns * m + 6e-10 * float(m) ** 3, 8.0 * s.n * s.q),
    ]


def classical_mds(s: Size) -> Costs:
    """A table of squared distances and its leading vectors."""
    return [_table(s, "similarity", 5e-9), _dense_spectrum(s, 9e-9)]


def mds(s: Size) -> Costs:
    """A table of distances, gone through step by step."""
    steps = Cost("stress", "memory", 3.3e-8 * s.pairs, 64.0 * s.n * s.q, 2.8 * s.pairs)
    return [_table(s, "dissimilarities", 6e-9), steps]


def tsne(s: Size) -> Costs:
    """Three neighbours per unit of the usual perplexity, and all updates on a grid."""
    edges = 180.0 * s.n  # of 90 neighbours in both directions
    wide = replace(s, k=90)
    affinities = Cost("affinities", "memory", 2e-7 * edges, 24.0 * edges, 11.0 * edges)
    grid = 400.0 * min(s.n, 60_000)
    descent = Cost("descent", "memory", 550 * (2.5e-9 * edges + 6e-9 * grid), 0.0, 5.0 * grid)
    return [*_search(wide), affinities, descent]


def maximum_variance_unfolding(s: Size) -> Costs:
    """The interior-point steps of a semidefinite program, or a small one and descent."""
    from .methods.maximum_variance_unfolding import EXACT

    if s.n > EXACT:
        edges = 0.6 * s.k * s.n
        small = Cost("combination", "products", 1.5 + 8e-6 * edges, 0.0, 7e7)
        descent = Cost("refinement", "memory", 3e-4 * edges, 32.0 * s.n, 900.0 * s.n)
        return [*laplacian(replace(s, q=30)), small, descent]
    pairs = min(0.6 * s.k * s.n, 0.5 * s.pairs)
    steps = 30 * (1e-11 * pairs**3 + 6e-10 * float(s.n) ** 3) + 0.1
    taken = 8.0 * (2.5 * pairs**2 + 12.0 * s.pairs)
    return [*_search(s), Cost("semidefinite program", "products", steps, 8.0 * s.pairs, taken)]


def isomap(s: Size) -> Costs:
    """All geodesics, as a table or block by block, and the leading vectors."""
    from .relation import DOUBLE_POINTS, GEODESIC_BLOCK_BYTES, TABLE_ROOM

    item = 8 if s.n <= DOUBLE_POINTS else 4
    swept = s.fill < FILLED
    paths = (PATH_ARC * s.fill if swept else PATH_STEP * s.k * log2(max(s.n, 2))) * s.pairs
    arcs = 16.0 * s.fill * s.n if swept else 16.0 * 1.6 * s.k * s.n
    prepared = Cost("shortest paths", "branching", (5e-6 + 2e-8 * s.fill) * s.n, arcs)
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
    seconds = 8e-3 + (2.5e-8 + 1.8e-9 * s.d) * columns
    strips = min(7.1 * columns, 1.6e7) + 8.5e5  # of query rows that are centred at a time
    return [Cost("landmarks", "memory", seconds, 4.0 * columns + s.points, strips)]


def landmark_isomap(s: Size) -> Costs:
    """Geodesics from the landmarks."""
    columns = float(s.n * s.m)
    paths = 6e-9 * s.k * columns * log2(max(s.n, 2)) / 11
    chosen = (2e-8 + 1.5e-9 * s.d) * columns
    return [
        *_search(s),
        Cost("landmarks", "memory", chosen, 0.0, 16.0 * s.n),
        Cost("geodesics", "branching", paths, 8.0 * columns, min(28.0 * columns, 5.5e7)),
    ]


def lle(s: Size) -> Costs:
    """Weights of the neighbours, and the small end of a sparse factor."""
    weights = Cost(
        "weights", "products", (3.6e-6 + 8e-8 * s.d) * s.n * (s.k / 10) ** 2, 16.0 * s.n * s.k
    )
    return [*_search(s), weights, _sparse_spectrum(s, "factor", 1.2 * s.fill, s.k + 1.0)]


def charting(s: Size) -> Costs:
    """Covariances of charts, their densities at all points, and one dense eigenproblem."""
    from .relation import CHART_COLUMNS

    width, charts = min(s.d, CHART_COLUMNS), min(400, max(1, s.n // 3))
    rows = charts * (s.q + 1)
    seen = float(s.n * charts)
    laid = Cost(
        "charts",
        "memory",
        2e-9 * seen * (width + 4) + 1e-8 * charts * width**3,
        8.0 * charts * width**2,
        60.0 * s.n + 2.0 * s.doubles,
    )
    features = Cost(
        "agreement",
        "products",
        6e-9 * seen * (width + 3 * s.q) + 2e-11 * seen * rows,
        8.0 * float(rows) ** 2,
        16.0 * s.n * rows,
    )
    merged = Cost(
        "spectrum",
        "products",
        5e-10 * float(rows) ** 3,
        0.0,
        40.0 * float(rows) ** 2 + 8.0 * s.n * rows,
    )
    return [*_search(s), laid, features, merged]


def conformal_eigenmaps(s: Size) -> Costs:
    """LLE with twenty vectors, and a small program of the pairs within all neighbourhoods."""
    pairs = s.n * (1.5 * s.k + 1) * 1.5 * s.k / 2
    small = Cost("combination", "products", 0.1 + 1e-6 * pairs, 0.0, 5.4e7)
    return [*lle(replace(s, q=20)), small]


def kernel_lle(s: Size) -> Costs:
    """A kernel matrix, neighbours from it, and then LLE."""
    table = _table(s, "similarity", 2.6e-8, tables=3.0)
    search = Cost("neighbours", "memory", 1.3e-8 * s.pairs, 50.0 * s.n * s.k)
    return [table, search, *lle(s)[-2:]]


def _patches(s: Size, seconds: float) -> Costs:
    from .problem import alignment_bytes, look_bytes

    entries = (s.k + 1) ** 2
    made = seconds * s.n * (s.k / 10) ** 2
    kept, taken = 12.0 * entries * s.n / 2.5, alignment_bytes(s.n, s.k + 1)
    looked = look_bytes(s.n, s.k + 1, s.d)
    alignment = Cost("alignment", "products", made, kept, max(taken - kept, looked))
    return [*_search(s), alignment, _sparse_spectrum(s, "alignment", 2.6 * s.fill, entries / 2.5)]


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
    return [*_search(s), _sparse_spectrum(s, "laplacian", 1.1 * s.fill, 1.6 * s.k)]


def spectral_clustering(s: Size) -> Costs:
    """The same, and k-means."""
    return [*laplacian(s), Cost("clusters", "branching", 4.5e-5 * s.n, 0.0, 100.0 * s.n)]


def feature_map_pca(s: Size) -> Costs:
    """Monomials of one degree, and their PCA."""
    return _features(s, comb(s.d + s.degree - 1, s.degree))


def polynomial_pca(s: Size) -> Costs:
    """Variables, squares and products up to a degree, and their PCA."""
    return _features(s, comb(s.d + s.degree, s.degree) - 1)


def additive_pca(s: Size) -> Costs:
    """Ten splines a variable, and their PCA."""
    return _features(s, 10 * s.d)


def gpca(s: Size) -> Costs:
    """Gradients of polynomials at a sample of points, then rounds over all points."""
    from .relation import MOST_COLUMNS

    width, seen = min(s.d, MOST_COLUMNS), min(s.n, 2_000)
    gradients = 8.0 * seen * comb(width + 1, 2) * width  # of two subspaces
    rounds = Cost("subspaces", "memory", 2e-7 * s.n * (s.d + 5), s.points, 5.0 * s.points)
    trials = min(15, comb(width, 2)) * 1e-5 * seen
    return [Cost("dimensions", "products", 0.1 + trials, 0.0, 2.0 * gradients), rounds]


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
    workspace = min(1.7e7, 8.5e3 * s.n) + 1.8e3 * s.n + 13.0 * s.points
    seconds = 3.0 + 4e-4 * s.n * (1 + s.d / 50)
    return [Cost("surface", "branching", seconds, 200.0 * s.n, workspace)]


def autoassociative_network(s: Size) -> Costs:
    """A thousand steps of descent, each over all points."""
    from .autoencoder import BLOCK

    work = 1.0 + 1000 * s.n * (6e-7 + 2e-8 * s.d)
    taken = 8.0 * s.n * (s.d + 30) + 240.0 * min(s.n, BLOCK)
    return [Cost("training", "products", work, 24.0 * s.n * s.d, taken)]
