"""Lists and tables of edges -> NeighborGraph: each row sorted, of repeated edges the shortest.

And what the entries of a table are: lengths of edges, or weights that fall with the length.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from .runtime import run_kernel
from .values import Array, NeighborGraph

ROUNDING = 1e-5  # of connectivities in single precision
ROWS, WORK = 200, 1e7  # rows that are looked at, and links that are followed
RANKED = 64  # rows of a dense table whose entries are put in order
STRIP = 4_096  # rows that a thread sorts at a time
FEW = 1 << 15  # edges that NumPy sorts as fast as compiled loops, which must be loaded first
FALLS = -0.1  # of a correlation: chance does not go below it
FEWEST = 1_000  # comparisons that tell: fewer agree or disagree by chance

Lists = tuple[Array, Array, Array]  # starts of rows, ends and lengths of their edges


def graph_from_edges(
    rows: Array,
    columns: Array,
    distances: Array,
    *,
    shape: tuple[int, int],
    search: str,
    recall: float | None = None,
) -> NeighborGraph:
    """Build a graph from a list of edges; of repeated edges the shortest stays.

    Each row ends up sorted by distance, equal distances by index, so that the same points give the
    same graph however they were found.
    """
    sort = _sorted_few if len(rows) < FEW else _sorted_many
    starts, ends, lengths = sort(rows, columns, distances, shape[0])
    ends = ends.astype(columns.dtype, copy=False)
    lengths = lengths.astype(distances.dtype, copy=False)
    return NeighborGraph(starts, ends, lengths, shape[1], search, recall)


def graph_from_table(
    columns: Array, distances: Array, *, n_columns: int, search: str
) -> NeighborGraph:
    """Build a graph from tables with equally many neighbours in each row."""
    mixed = np.flatnonzero((distances[:, 1:] <= distances[:, :-1]).any(axis=1))
    if len(mixed):
        columns, distances = np.array(columns), np.array(distances)
        order = np.lexsort((columns[mixed], distances[mixed]), axis=1)
        columns[mixed] = np.take_along_axis(columns[mixed], order, axis=1)
        distances[mixed] = np.take_along_axis(distances[mixed], order, axis=1)
    starts = np.arange(len(columns) + 1) * columns.shape[1]
    return NeighborGraph(starts, columns.ravel(), distances.ravel(), n_columns, search)


def _sorted_many(rows: Array, columns: Array, distances: Array, n_rows: int) -> Lists:
    """Return where each row starts, its ends and lengths, by compiled loops."""
    from .elimination_order_kernels import close_up, gather_rows, sort_rows

    given = np.asarray(rows, np.int64), np.asarray(columns, np.int64), np.asarray(distances, float)
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n_rows))])
    edges = np.empty(len(rows), np.int64), np.empty(len(rows))
    gather_rows(*given, starts[:-1].copy(), *edges)
    counts = np.empty(n_rows, np.int64)
    run_kernel(sort_rows, (starts, *edges, counts), n_rows, STRIP)
    kept = np.concatenate([[0], np.cumsum(counts)])
    if kept[-1] < len(rows):
        close_up(starts, counts, kept, *edges)
        edges = edges[0][: kept[-1]].copy(), edges[1][: kept[-1]].copy()
    return kept, *edges


def _sorted_few(rows: Array, columns: Array, distances: Array, n_rows: int) -> Lists:
    """Return the same where loading compiled loops would take longer than all else."""
    order, starts = _grouped(rows, n_rows)
    edges = _pairs(columns[order], distances[order])
    _sort_rows(starts, edges)
    is_first = np.append(True, edges.real[1:] != edges.real[:-1])[: len(edges)]
    is_first[starts[:-1][starts[:-1] < len(edges)]] = True
    starts = np.concatenate([[0], np.cumsum(is_first)])[starts]
    edges = _pairs(edges.imag[is_first], edges.real[is_first])
    _sort_rows(starts, edges)
    return starts, edges.imag, edges.real


def _grouped(rows: Array, n_rows: int) -> tuple[Array, Array]:
    """Return the order that brings the edges of a row together, and where each row starts.

    Turning a sparse matrix over sorts by counting: no comparisons, however many edges there are.
    """
    edges = np.arange(len(rows) + 1)
    listed = sp.csr_array((np.ones(len(rows), np.int8), rows, edges), shape=(len(rows), n_rows))
    turned = listed.tocsc()
    return turned.indices, turned.indptr.astype(np.int64)


def _pairs(first: Array, second: Array) -> Array:
    """Return complex numbers: these are sorted by their first part, then by their second."""
    pairs = np.empty(len(first), dtype=np.complex128)
    pairs.real, pairs.imag = first, second
    return pairs


def _sort_rows(starts: Array, keys: Array) -> None:
    """Sort each row on its own, rows of one length together."""
    counts = np.diff(starts)
    for count in np.unique(counts[counts > 1]):
        slots = starts[:-1][counts == count][:, None] + np.arange(count)
        keys[slots] = np.sort(keys[slots], axis=1)


def subgraph(graph: NeighborGraph, points: Array) -> NeighborGraph:
    """Return the graph among ``points`` alone, renumbered in their order."""
    new_number = np.full(graph.n_columns, -1)
    new_number[points] = np.arange(len(points))
    ends = new_number[graph.neighbors]
    kept = (new_number[graph.rows] >= 0) & (ends >= 0)
    return graph_from_edges(
        new_number[graph.rows[kept]],
        ends[kept],
        graph.distances[kept],
        shape=(len(points), len(points)),
        search=graph.search,
        recall=graph.recall,
    )


def without_self(graph: NeighborGraph, wanted: bool = True) -> NeighborGraph:
    """Return the graph without edges from a point to itself, if that is wanted.

    Most rows begin with that edge.
    """
    if not wanted:
        return graph
    begins, points = graph.starts[:-1], np.arange(graph.n_points)
    leads = graph.counts > 0
    leads[leads] = graph.neighbors[begins[leads]] == points[leads]
    rest = np.flatnonzero(~leads & (graph.counts > 0))
    counts = graph.counts[rest]
    before = np.repeat(np.cumsum(counts) - counts, counts)
    places = np.repeat(begins[rest], counts) + np.arange(len(before)) - before
    own = places[graph.neighbors[places] == np.repeat(rest, counts)]
    kept = np.ones(graph.n_edges, dtype=bool)
    kept[begins[leads]] = kept[own] = False
    starts = graph.starts - np.searchsorted(np.flatnonzero(~kept), graph.starts)
    ends, lengths = graph.neighbors[kept], graph.distances[kept]
    return NeighborGraph(starts, ends, lengths, graph.n_columns, graph.search, graph.recall)


def are_connectivities(graph: sp.csr_array) -> bool:
    """Whether a sparse graph holds the weights of UMAP: at most 1, and 1 for nearest neighbours.

    A graph of hops, whose edges are all 1, does not; nor do lengths that happen to be 1 in every
    row, because points that are near have neighbours in common.
    """
    linked = np.flatnonzero(np.diff(graph.indptr))
    if not len(linked) or graph.data.max() > 1.0 + ROUNDING:
        return False
    largest = np.maximum.reduceat(graph.data, graph.indptr[linked])
    if np.mean(largest >= 1.0 - ROUNDING) < 0.9 or abs(graph - graph.T).max() > ROUNDING:
        return False
    return weight_of_shared_neighbors(graph) > 0.0


def are_neighbor_lengths(graph: sp.csr_array) -> bool:
    """Whether a sparse graph holds lengths as neighbours are found: one way, as many for each.

    So scanpy keeps its distances. Lengths fall with the neighbours that two points share: below
    -0.16 in twelve real and made tables, where weights were above 0.16.
    """
    counts = np.diff(graph.indptr)
    if not graph.nnz or np.mean(counts == counts.max()) < 0.9:  # copies of points may be left out
        return False
    if abs(graph - graph.T).max() <= ROUNDING * graph.data.max():
        return False
    return weight_of_shared_neighbors(graph) < FALLS


def weight_of_shared_neighbors(graph: sp.csr_array) -> float:
    """Return whether edges of a point grow (1) or fall (-1) with the neighbours shared across them.

    Weights grow, lengths fall: Kendall's correlation within some rows, 0 if too few of them tell.
    """
    degrees = np.diff(graph.indptr)
    n = min(ROWS, int(WORK / max(1.0, float(degrees.mean())) ** 2) + 1)
    rows = np.random.default_rng(0).permutation(graph.shape[0])[:n]
    links = sp.csr_array((np.ones(graph.nnz), graph.indices, graph.indptr), graph.shape)
    counted, shared = sp.csr_array(links[rows] @ links), np.zeros(graph.shape[1])
    agreeing = told = 0.0
    for place, row in enumerate(rows):
        met = slice(counted.indptr[place], counted.indptr[place + 1])
        edges = slice(graph.indptr[row], graph.indptr[row + 1])
        ends, values = graph.indices[edges], graph.data[edges]
        shared[counted.indices[met]] = counted.data[met]
        counts = shared[ends] / np.sqrt(np.maximum(1, degrees[ends]))
        shared[counted.indices[met]] = 0.0
        signs = _orders(values) * _orders(counts)
        agreeing, told = agreeing + signs.sum(), told + np.abs(signs).sum()
    return float(agreeing / told) if told >= FEWEST else 0.0


def weight_of_alike_rows(table: Array) -> float:
    """Return whether entries of a dense table grow (1) or fall (-1) with how alike their rows are.

    Similarities grow, distances fall: points that are near are as far as each other from the rest.
    Entries count by their rank, so that similarities that fall with a distance give the negative of
    what that gives, however fast they fall. Kendall's correlation within some rows, as above.
    """
    rows = np.random.default_rng(0).permutation(len(table))[:ROWS]
    ranks = _ranks(table[np.ix_(rows, rows)])
    alike, agreeing, told = _correlations(ranks), 0.0, 0.0
    for row in range(min(RANKED, len(rows))):
        others = np.arange(len(rows)) != row
        signs = _orders(ranks[row, others]) * _orders(alike[row, others])
        agreeing, told = agreeing + signs.sum(), told + np.abs(signs).sum()
    return float(agreeing / told) if told >= FEWEST else 0.0


def _orders(values: Array) -> Array:
    """Return for each pair of values which is larger: 1, -1, or 0 where they are equal."""
    return np.asarray(np.sign(values[:, None] - values))


def _ranks(table: Array) -> Array:
    """Return the mean rank of each entry among all off the diagonal, as a share of them."""
    off = ~np.eye(len(table), dtype=bool)
    values, ranks = table[off], np.zeros(table.shape)
    ordered = np.sort(values)
    places = np.searchsorted(ordered, values) + np.searchsorted(ordered, values, side="right")
    ranks[off] = 0.5 * places / max(1, len(values))
    return ranks


def _correlations(table: Array) -> Array:
    """Return how rows of a symmetric table correlate in all columns but their own two."""
    count = max(1, len(table) - 2)
    sums = table.sum(axis=1)[:, None] - table
    squares = np.square(table).sum(axis=1)[:, None] - np.square(table) - np.square(sums) / count
    products = table @ table - sums * sums.T / count
    spread = np.sqrt(np.maximum(squares, 0.0) * np.maximum(squares.T, 0.0))
    return np.asarray(np.divide(products, spread, out=np.zeros(table.shape), where=spread > 0.0))
