"""Relations that keep inner products: kernel matrices, distances, and geodesic distances.

A table of similarities, a kernel matrix or -1/2 of squared distances, is centred and decomposed;
coordinates are ``sqrt(value) v``. A query point is its row of similarities to the fitted points,
centred by the same means (Vidal, Ma, Sastry 2016, eq. 4.20; Izenman 2013, eq. 16.32).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

import numpy as np
from scipy.sparse.linalg import LinearOperator

from .. import graph, problem
from ..extension import divide
from ..kernel import Centering, SingleRows, SymmetricTable, Uncentered
from ..paths import Precision, ShortestPaths, geodesic_distances, prepare_paths
from ..runtime import advise, available_bytes, limit_blas_threads, reuse, run_strips, warn
from ..spectrum import double_product, solve
from ..values import Array, EigenProblem, NeighborGraph, Spectrum
from .chart import Component, Queries
from .geodesic_rows import GeodesicRows

DOUBLE_POINTS = 4_000  # up to which geodesics are kept in double precision: 128 MB
TABLE_ROOM = 1.3  # tables' worth of memory that must be free for one of them to be held
INITIAL = 16  # vectors that a block-by-block solution starts from
GUIDES = 400  # landmarks that the initial vectors are made with
GEODESIC_BLOCK_BYTES = 256 * 2**20  # of geodesics at a time where their table does not fit
PLACED_TOGETHER = 256  # query points whose rows are centred at a time
STRIP = 32  # rows worked on at a time
SMALL = 10**6  # entries that fit the cache: not worth a thread
AT_ONCE = 1 << 22  # similarities that a product by rows makes at a time: 32 MB


@dataclass(frozen=True, slots=True)
class GramMap:
    """Coordinates of fitted points, and the centring that turns similarities to them into rows."""

    centering: Centering | Uncentered
    anchors: Array
    eigenvalues: Array

    def place(self, similarities: Array) -> Array:
        """Return the coordinates of query points with these similarities to the fitted points."""
        return self.place_strips(similarities.__getitem__, len(similarities))

    def place_strips(
        self, similarities_of: Callable[[slice], Array | SingleRows], n_rows: int
    ) -> Array:
        """Return the same of similarities that are made for a strip of query points at a time."""
        image = np.empty((n_rows, self.anchors.shape[1]))

        def work(rows: slice) -> None:
            image[rows] = self.centering.product(similarities_of(rows), self.anchors)

        with limit_blas_threads():
            run_strips(work, n_rows, PLACED_TOGETHER)
        return divide(image, self.eigenvalues)

    def combine(self, places: Array) -> Array:
        """Return the coefficients of the fitted points' features that stand for places."""
        used = self.eigenvalues > 0
        coefficients = (places[:, used] / self.eigenvalues[used]) @ self.anchors[:, used].T
        return self.centering.add_mean(coefficients)


def fit_gram(
    similarities: Array | SymmetricTable, n_components: int, *, centered: bool, seed: int
) -> GramMap:
    """Return the map of a square table of similarities: kernel PCA, or classical scaling."""
    spectrum = solve(problem.gram(similarities, centered=centered), n_components, seed=seed)
    eigenvalues, coordinates = scale_by_roots(spectrum)
    if not centered:
        return GramMap(Uncentered(), coordinates, eigenvalues)
    centering = Centering.of(similarities)
    advise_if_not_euclidean(eigenvalues, centering, similarities.diagonal())
    return GramMap(centering, coordinates, eigenvalues)


def kernel_operator(n: int, apply: Callable[[Array], Array]) -> LinearOperator:
    """Return a symmetric kernel matrix of n points, given what multiplies it by columns."""

    def product(block: Array) -> Array:
        columns = np.asarray(block, dtype=np.float64).reshape(n, -1)
        return np.asarray(apply(columns)).reshape(np.shape(block))

    return LinearOperator((n, n), product, product, product, np.float64, product)


def operator_by_rows(n: int, rows: Callable[[slice], Array], *, centered: bool) -> LinearOperator:
    """Return the operator of a similarity table whose ``rows`` are computed whenever needed."""
    step = max(1, AT_ONCE // n)

    def plain(columns: Array) -> Array:
        blocks = (slice(first, min(first + step, n)) for first in range(0, n, step))
        return np.concatenate([rows(block) @ columns for block in blocks])

    return kernel_operator(n, partial(_centered_product, plain, None) if centered else plain)


def operator_by_factor(factor: Array) -> LinearOperator:
    """Return the operator of the inner products of rows: F F', by two products with F."""
    return kernel_operator(len(factor), lambda columns: factor @ (factor.T @ columns))


def scale_by_roots(spectrum: Spectrum) -> tuple[Array, Array]:
    """Return the eigenvalues and the coordinates ``sqrt(value) v`` of a gram problem.

    Values that are negative, or zero up to rounding, carry no coordinate: they become zero, and so
    does their column, with a warning.
    """
    eigenvalues = clip_eigenvalues(spectrum)
    filled = int(np.count_nonzero(eigenvalues))
    if filled < len(eigenvalues):
        warn(
            f"only {filled} of {len(eigenvalues)} coordinates are nonzero: the other "
            "eigenvalues are zero or negative; lower n_components"
        )
    return eigenvalues, spectrum.vectors * np.sqrt(eigenvalues)


def clip_eigenvalues(spectrum: Spectrum) -> Array:
    """Return the eigenvalues with those that are negative, or zero up to rounding, set to zero."""
    floor = 256 * np.finfo(float).eps * float(np.abs(spectrum.values).max(initial=0.0))
    is_empty = spectrum.values <= max(floor, spectrum.rounding)
    return np.where(is_empty, 0.0, spectrum.values)


def decompose_landmarks(
    similarities: Array, landmarks: Array, count: int, seed: int
) -> tuple[Centering, Spectrum]:
    """Return the centring and the eigenpairs of the landmarks' own gram problem.

    ``similarities`` (n, m) are those of all points to the landmarks, which are among the points.
    """
    among = similarities[landmarks]
    return Centering.of(among), solve(problem.gram(among), count, seed=seed)


def advise_if_not_euclidean(eigenvalues: Array, centering: Centering, diagonal: Array) -> None:
    """Tell if the kept eigenvalues exceed the trace: then there are negative ones elsewhere."""
    trace = float(diagonal.sum()) - len(diagonal) * centering.grand_mean
    missing = float(eigenvalues.sum()) - trace
    if missing > 1e-9 * abs(trace):
        advise(
            f"eigenvalues of at least -{missing:.3g} in sum are negative (kept: "
            f"{float(eigenvalues.sum()):.3g}), so no points of a Euclidean space have these "
            "distances or similarities; unspool.spectrum.negative_mass(model.kernel_()) tells how "
            "far from it they are"
        )


def scale_geodesics(
    spectrum: Spectrum, relation: GeodesicTable | GeodesicOperator
) -> tuple[Array, Array]:
    """Return the same for geodesic distances, which need not be Euclidean."""
    eigenvalues, coordinates = scale_by_roots(spectrum)
    n, masses = len(coordinates), relation.masses
    if masses is not None:
        n, coordinates = int(masses.sum()), coordinates / np.sqrt(masses)[:, None]
    advise_if_not_euclidean(eigenvalues, relation.centering, np.zeros(n))
    return eigenvalues, coordinates


def least_geodesic_bytes(n: int) -> int:
    """Return the bytes of geodesics that must be held at once where their table does not fit."""
    return 4 * n * min(n, _block_rows(n))


def _block_rows(n: int) -> int:
    return max(64, GEODESIC_BLOCK_BYTES // (4 * n))


def relate_by_geodesics(component: Component, seed: int) -> GeodesicTable | GeodesicOperator:
    """Return the relation by geodesic distances: as a table if there is room for one.

    Where points have masses the problem of copies of them is solved, in a scaled second table.
    """
    neighbors, masses = component.graph, component.masses
    n = neighbors.n_points
    in_double, tables = n <= DOUBLE_POINTS, TABLE_ROOM + float(masses is not None)
    if tables * n * n * (8 if in_double else 4) < available_bytes():
        precision: Precision = "float64" if in_double else "float32"
        measure = partial(GeodesicTable.of, neighbors, precision, masses)
        of = neighbors.edges if masses is None else (*neighbors.edges, masses)
        return reuse("geodesics", of, "table", measure)
    paths = reuse("geodesics", neighbors.edges, "paths", partial(prepare_paths, neighbors))
    return GeodesicOperator.of(paths, seed, masses)


@dataclass(frozen=True, slots=True)
class GeodesicTable:
    """-1/2 of the squared geodesic distances between all points, as a table.

    ``masses`` are the numbers of copies of the points, where there are any: means are over these,
    and the problem is that of sqrt(mass) v.
    """

    similarities: Array
    centering: Centering
    masses: Array | None = None

    @classmethod
    def of(
        cls, neighbors: NeighborGraph, precision: Precision, masses: Array | None = None
    ) -> GeodesicTable:
        """Return the relation of a graph's geodesic distances, in this precision."""
        lengths = geodesic_distances(neighbors, precision=precision)
        means = turn_into_similarities(lengths)
        if masses is None:
            return cls(lengths, Centering(means, float(means.mean())))
        means = double_product(lengths, masses[:, None])[:, 0] / masses.sum()
        return cls(lengths, _weighted_centering(means, masses), masses)

    def problem(self) -> EigenProblem:
        """State the centred gram problem of classical scaling."""
        if self.masses is None:
            constant = np.ones((len(self.similarities), 1))
            return EigenProblem(self.similarities, "largest", trivial=constant)
        root = np.sqrt(self.masses).astype(self.similarities.dtype)
        scaled = self.similarities * root
        scaled *= root[:, None]
        return EigenProblem(scaled, "largest", trivial=np.sqrt(self.masses)[:, None])

    def rows(self, queries: Queries) -> GeodesicRows:
        """Return the centred similarities of query points, along the geodesics to all points."""
        means, seen = self.centering.column_means, queries.neighbors
        return GeodesicRows(seen, self._lengths, means, at_once=max(1, seen.n_points))

    def divisors(self, eigenvalues: Array, queries: Queries) -> Array:
        """Return the eigenvalues."""
        return eigenvalues

    def _lengths(self, points: Array) -> Callable[[slice], Array]:
        from .geodesic_rows_kernels import take_roots

        def lengths_to(columns: slice) -> Array:
            shape = len(points), columns.stop - columns.start
            lengths = np.empty(shape, self.similarities.dtype)  # which has no more digits than that
            take_roots(self.similarities, points, columns.start, lengths)
            return lengths

        return lengths_to

    def lengths_from(self, points: Array) -> Array:
        """Return the geodesic distances from some points to all."""
        return np.asarray(np.sqrt(-2.0 * self.similarities[points].astype(np.float64)))

    def centered_product(self, sums: Array) -> Array:
        """Return the centred table times vectors over all copies, given their sums per point."""
        return _centered_product(partial(double_product, self.similarities), self.masses, sums)


class PathProducts(Protocol):
    """Geodesics whose table is multiplied elsewhere: the workers of a cluster hold its blocks."""

    @property
    def n_points(self) -> int:
        """Number of points."""

    def rows(self, sources: Array | None = None, **options: Any) -> Array:
        """Return the path lengths from sources."""

    def table_product(self, vectors: Array) -> Array:
        """Return -1/2 of the squared geodesics times a block of vectors."""


@dataclass(frozen=True)
class GeodesicOperator:
    """The same by its products, each made of all geodesics anew: nothing of size n x n is held.

    ``norm_bound`` is the largest sum of a row's sizes; ``initial`` are vectors near those that are
    wanted.
    """

    paths: ShortestPaths | PathProducts
    centering: Centering
    norm_bound: float
    initial: Array = field(repr=False)
    masses: Array | None = None

    @classmethod
    def of(
        cls,
        paths: ShortestPaths | PathProducts,
        seed: int,
        masses: Array | None = None,
        n_initial: int = INITIAL,
    ) -> GeodesicOperator:
        """Return the operator, with the means and the initial vectors that one pass gives."""
        mass = np.ones(paths.n_points) if masses is None else masses
        root = np.sqrt(mass)[:, None]
        start = np.column_stack([root**2 * _nystroem_vectors(paths, seed, n_initial), root, mass])
        product = _table_product(paths, start)
        largest = float((-root[:, 0] * product[:, -2]).max())
        nearer = root * product[:, :-2]  # by one power step
        centering = _weighted_centering(product[:, -1] / mass.sum(), mass)
        return cls(paths, centering, largest, nearer, masses)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.paths.n_points, self.paths.n_points

    def __matmul__(self, block: Array) -> Array:
        """Return the table, scaled by sqrt(mass) on both sides, times a block of vectors."""
        scaled = block if self.masses is None else block * self._root
        product = _table_product(self.paths, scaled)
        return product if self.masses is None else product * self._root

    @property
    def _root(self) -> Array:
        """The constant vector of the problem: sqrt(mass), in a column."""
        masses = np.ones(self.shape[0]) if self.masses is None else self.masses
        return np.asarray(np.sqrt(masses)[:, None])

    def problem(self) -> EigenProblem:
        """State the centred gram problem, with initial vectors: each product counts."""
        return EigenProblem(self, "largest", trivial=self._root, initial=self.initial)

    def rows(self, queries: Queries) -> GeodesicRows:
        """Return the centred similarities of query points, along the geodesics to all points."""
        seen, means = queries.neighbors, self.centering.column_means
        most = max(1, int(seen.counts.max(initial=1)))
        at_once = max(1, GEODESIC_BLOCK_BYTES // (8 * most * len(means)))
        return GeodesicRows(seen, self._lengths, means, at_once)

    def _lengths(self, points: Array) -> Callable[[slice], Array]:
        lengths = self.lengths_from(points)
        return lambda columns: np.ascontiguousarray(lengths[:, columns])

    def divisors(self, eigenvalues: Array, queries: Queries) -> Array:
        """Return the eigenvalues."""
        return eigenvalues

    def lengths_from(self, points: Array) -> Array:
        """Return the geodesic distances from some points to all."""
        return self.paths.rows(points)

    def centered_product(self, sums: Array) -> Array:
        """Return the centred table times vectors over all copies, given their sums per point."""
        root = self._root

        def plain(block: Array) -> Array:
            return (self @ (block / root)) / root

        return _centered_product(plain, self.masses, sums)


def _centered_product(
    product: Callable[[Array], Array], masses: Array | None, sums: Array
) -> Array:
    """Return H S H v for each point, where v is constant on the copies of each, up to sums.

    ``sums`` are those of v over the copies of a point, so that H takes a share of mass from each.
    """
    mass = np.ones(len(sums)) if masses is None else masses
    share = (mass / mass.sum())[:, None]
    image = product(sums - share * sums.sum(axis=0))
    return np.asarray(image - (share * image).sum(axis=0))


def _weighted_centering(means: Array, masses: Array) -> Centering:
    return Centering(means, float(means @ masses / masses.sum()))


def _table_product(paths: ShortestPaths | PathProducts, vectors: Array) -> Array:
    """Return -1/2 of the squared geodesics times vectors: nothing of size n x n is held."""
    if not isinstance(paths, ShortestPaths):
        return paths.table_product(vectors)
    product = np.empty((paths.n_points, vectors.shape[1]))
    for sources, similarities in _similarity_blocks(paths):
        product[sources] = double_product(similarities, vectors)
    return product


def _similarity_blocks(paths: ShortestPaths) -> Iterator[tuple[Array, Array]]:
    """Yield sources and -1/2 of their squared geodesic distances, block by block."""
    size = _block_rows(paths.n_points)
    for sources, lengths in paths.blocks(size=size, precision="float32"):
        turn_into_similarities(lengths)
        yield sources, lengths


def _nystroem_vectors(paths: ShortestPaths | PathProducts, seed: int, n_initial: int) -> Array:
    """Return the leading vectors of the centred table as a few landmarks see them."""
    guides = graph.choose_uniform(paths.n_points, min(GUIDES, paths.n_points), seed)
    similarities = -0.5 * np.square(paths.rows(guides)).T
    count = min(n_initial, len(guides) - 1)
    centering, spectrum = decompose_landmarks(similarities, guides, count, seed)
    return np.asarray(centering.rows(similarities) @ spectrum.vectors)


def turn_into_similarities(lengths: Array) -> Array:
    """Replace geodesic distances by -1/2 of their squares, and return the means of the rows.

    A strip at a time, while it is in the cache.
    """
    means = np.empty(len(lengths))

    def work(rows: slice) -> None:
        strip = lengths[rows]
        np.square(strip, out=strip)
        strip *= -0.5
        means[rows] = strip.mean(axis=1, dtype=np.float64)

    if lengths.size <= SMALL:
        work(slice(0, len(lengths)))
    else:
        run_strips(work, len(lengths), STRIP)
    return means
