"""t-distributed stochastic neighbour embedding."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from .. import distances, graph, stress
from ..neighbor_embedding import (
    EARLY_MOMENTUM,
    PER_PERPLEXITY,
    Affinities,
    FixedMap,
    Gradient,
    Objective,
    Phase,
    Repulsion,
    attraction_problem,
    symmetric_affinities,
)
from ..relation import Neighborhood, NeighborSearch, relate_neighbors
from ..runtime import advise, limit_blas_threads
from ..spectrum import solve
from ..values import Array, Metric, NeighborGraph, Spectrum
from .door import DISTANCES
from .estimator import Estimator
from .parameters import check_n_components, learned, method, parameter

START_WIDTH = 1e-4  # standard deviation of the first coordinate of a start
START_STEP = 1e-3  # of that: rounding of the last digits may not decide which map it becomes
AROUND = 10.0  # how far beyond the map its potential is known to query points
NEVER_COLLAPSES = 10.0  # an exaggeration: clusters and curves stay open to several times this
FEW = 5_000  # points up to which all pairs are affordable


@method
class TSNE(Estimator):
    """t-distributed stochastic neighbour embedding.

    Every point picks its neighbours with probabilities of a given perplexity; points are placed so
    that neighbours on the map, picked with the heavy tails of Student's t, are the same as far as
    can be: the Kullback-Leibler divergence of the two is least (van der Maaten and Hinton 2008).

    ``exaggeration`` multiplies the attraction between neighbours for good. It moves the map along a
    spectrum (Boehm, Berens and Kobak 2022): 1 is t-SNE, about 4 resembles UMAP, and with a very
    large one the map is that of Laplacian eigenmaps. Distances between far clusters, their sizes
    and densities mean little.

    Equal points share one place. A query point goes where its own divergence from the fixed map is
    least.

    Examples
    --------
    >>> from unspool import TSNE, datasets
    >>> model = TSNE(2, perplexity=10, max_iter=50).fit(datasets.s_curve(100).points)
    >>> model.embedding_.shape, model.kl_divergence_ < 1.0
    ((100, 2), True)
    """

    perplexity: float = parameter(
        default=30.0,
        kind=float,
        above=0,
        help="about how many neighbours a point has; brought to between 1 and a third of the "
        "points if need be",
    )
    exaggeration: float = parameter(
        default=1.0,
        kind=float,
        above=0,
        help="how much attraction outweighs repulsion: 1 for t-SNE, about 4 for maps like UMAP's, "
        "very large for Laplacian eigenmaps",
    )
    early_exaggeration: float = parameter(
        default=12.0,
        kind=float,
        above=0,
        help="the same in the first early_iter updates, where clusters form; at least exaggeration",
    )
    early_iter: int = parameter(
        default=200, kind=int, at_least=0, help="updates with the early exaggeration"
    )
    max_iter: int = parameter(default=350, kind=int, at_least=1, help="most updates after these")
    learning_rate: Literal["auto"] | float = parameter(
        default="auto",
        kind=float,
        above=0,
        words=("auto",),
        help="length of the steps along the gradient; 'auto' is n / exaggeration",
    )
    start: Literal["auto", "pca", "laplacian", "random"] | Array = parameter(
        default="auto",
        help="'pca' of points, 'laplacian' eigenmaps of the affinities, 'random', or coordinates; "
        "'auto' is 'pca' for points and 'laplacian' for distances",
    )
    metric: Metric = parameter(
        default="euclidean",
        help="name, callable, or 'precomputed' distances (dense, or a sparse graph)",
    )
    search: distances.Search = parameter(
        default="auto",
        choices=("auto", "exact", "approximate"),
        help="'approximate' finds at least 0.99 of the neighbours, and the report has "
        "the measured recall; 'auto' does so where all of them would take minutes",
    )
    gradient: Gradient = parameter(
        default="auto",
        choices=("auto", "exact", "interpolation", "barnes-hut"),
        help="repulsion by all pairs, on a grid (1 or 2 coordinates) or by a tree (up to 3)",
    )
    angle: float = parameter(
        default=0.5,
        kind=float,
        above=0,
        at_most=1,
        help="'barnes-hut': under which a cell of the tree counts as one point",
    )
    tol: float = parameter(
        default=1e-5,
        kind=float,
        at_least=0,
        help="converged when 25 updates change the loss by this share",
    )

    kl_divergence_: float = learned(help="Kullback-Leibler divergence of the map")
    kl_trace_: Array = learned(help="divergence at the start and after every round of updates")
    n_iter_: int = learned(help="number of rounds of updates, the early ones included")
    perplexity_: float = learned(help="perplexity that was used")
    _index: distances.NeighborIndex = learned()
    _distinct: Array = learned()  # the first of equal points, each
    _counts: Array = learned()  # how many points are equal to each of these

    _TABLES = DISTANCES
    _SPARSE_TABLES = True

    def _keeps_single(self, n_columns: int) -> bool:
        return n_columns > distances.TREE_MOST and self.metric in ("euclidean", "l2")

    def _fit(self, X: Any) -> None:
        distances.check_metric(self.metric)
        check_n_components(self._n_wanted, X.shape[0] - 1)
        self._check_choices(X.shape)
        inverse = self._find_distinct(X)
        self.perplexity_ = self._perplexity(len(self._distinct))
        trace: list[float] = []
        if len(self._distinct) == 1:  # one place, which is its own neighbour
            self._index = distances.build_index(self._among_distinct(X[:1]), self.metric)
            places, self.kl_divergence_ = np.zeros((1, self._n_wanted)), 0.0
        else:
            self._index, neighbors = self._see_each_other(X)
            affinities = symmetric_affinities(neighbors, self.perplexity_, self._counts)
            objective = Objective(affinities, Repulsion(self._counts, self.gradient, self.angle))
            places = self._descend(X, objective, trace)
            self.kl_divergence_ = objective.loss(places).divergence(affinities)
        self.kl_trace_, self.n_iter_ = np.array(trace), len(trace)
        self.embedding_ = places[inverse]

    def _perplexity(self, n_distinct: int) -> float:
        """Return the perplexity that so many points can have."""
        used = max(1.0, min(float(self.perplexity), (n_distinct - 1) / PER_PERPLEXITY))
        if used != self.perplexity:
            advise(f"the perplexity of {n_distinct} distinct points is {used:.3g} here")
        return used

    def _descend(self, X: Any, objective: Objective, trace: list[float]) -> Array:
        """Return the map, phase by phase; what is left where attraction makes it collapse."""
        collapsed = self._eigenmap_if_collapsed(objective.affinities)
        if collapsed is not None:
            return collapsed
        places = self._start(X, objective.affinities)
        for phase in self._phases():
            outcome = phase.descend(objective, places, trace)
            places = outcome.state.places
            if phase.tolerance > 0.0 and not outcome.converged:
                advise(f"the divergence still falls after {self.max_iter} updates; raise max_iter")
        return places

    def _check_choices(self, shape: tuple[int, int]) -> None:
        """Raise ValueError for options that do not go together, before any work."""
        limits = {"interpolation": 2, "barnes-hut": 3}
        most = limits.get(self.gradient, self._n_wanted)
        if self._n_wanted > most:
            raise ValueError(
                f"gradient={self.gradient!r} is for at most {most} coordinates; got "
                f"n_components={self._n_wanted}: use gradient='auto'"
            )
        if self._n_wanted > 3 and shape[0] > FEW:
            raise ValueError(
                f"n_components={self._n_wanted} needs all pairs of {shape[0]} points in every "
                "update; use at most 3 coordinates"
            )
        if not isinstance(self.start, str):
            stress.check_start(self.start, (shape[0], self._n_wanted))
        elif self.start not in ("auto", "pca", "laplacian", "random"):
            raise ValueError(
                "start must be 'auto', 'pca', 'laplacian', 'random' or an array; got "
                f"{self.start!r}"
            )
        elif self.start == "pca" and self._input_kind() != "points":
            raise ValueError("start='pca' needs points; pass start='laplacian' for distances")

    def _find_distinct(self, X: Any) -> Array:
        """Remember which points are distinct; return the place of each point among those."""
        n = X.shape[0]
        copies = graph.Copies.none(n) if sp.issparse(X) else graph.find_copies(X)
        self._distinct = copies.first
        self._counts = np.ones(n) if copies.masses is None else copies.masses
        return copies.point_of

    def _see_each_other(self, X: Any) -> tuple[distances.NeighborIndex, NeighborGraph]:
        """Return the search over the distinct points, and the neighbours of each of them."""
        count = None if sp.issparse(X) else self._n_neighbors
        search = NeighborSearch(self.metric, self.search, self._seed)
        hood = Neighborhood(n_neighbors=count, symmetrize="directed")
        return relate_neighbors(self._among_distinct(X[self._distinct]), search, hood)

    @property
    def _n_neighbors(self) -> int:
        wanted = int(np.ceil(PER_PERPLEXITY * self.perplexity_))
        return max(1, min(wanted, len(self._distinct) - 1))

    def _among_distinct(self, rows: Any) -> Any:
        """Return rows as the distinct points see them: points, or distances to these."""
        is_table = self._input_kind() == "distances" and rows.shape[1] != len(self._distinct)
        return rows[:, self._distinct] if is_table else rows

    def _start(self, X: Any, affinities: Affinities) -> Array:
        """Return the map to begin with, tiny, so that points are free to pass each other."""
        rng = np.random.default_rng(self._seed)
        n, start = len(self._distinct), self.start
        if not isinstance(start, str):  # as it is: it may be a map to go on from
            return np.ascontiguousarray(np.asarray(start, dtype=np.float64)[self._distinct])
        if start == "random":
            given = rng.standard_normal((n, self._n_wanted))
        elif start == "laplacian" or self._input_kind() != "points":
            given = self._laplacian_start(affinities)
        else:
            with limit_blas_threads():
                given = stress.principal_configuration(X[self._distinct], self._n_wanted, rng)
        given = given - given.mean(axis=0)
        spread = given.std(axis=0)
        unit = max(float(spread[0]), float(spread.max()), 1e-300)
        noise = rng.standard_normal(given.shape)  # for axes that have nothing, and equal places
        steps = np.round(given / (unit * START_STEP)) + 0.1 * noise
        steps = np.where(spread > START_STEP * unit, steps, 1e3 * 0.1 * noise)
        return np.ascontiguousarray(START_STEP * START_WIDTH * steps)

    def _eigenmap(self, affinities: Affinities) -> Spectrum:
        """Return the first eigenvectors of the attraction: Laplacian eigenmaps."""
        count = min(self._n_wanted, affinities.n_points - 1)
        return solve(attraction_problem(affinities), count, seed=self._seed)

    def _laplacian_start(self, affinities: Affinities) -> Array:
        vectors = self._eigenmap(affinities).vectors
        return np.pad(vectors, ((0, 0), (0, self._n_wanted - vectors.shape[1])))

    def _eigenmap_if_collapsed(self, affinities: Affinities) -> Array | None:
        """Return the map that is left where attraction overcomes repulsion in every direction."""
        if self.exaggeration <= NEVER_COLLAPSES or affinities.n_points <= self._n_wanted:
            return None
        found = self._eigenmap(affinities)
        limit = 1.0 / ((float(self._counts.sum()) - 1.0) * max(float(found.values.max()), 1e-300))
        if self.exaggeration < limit:
            return None
        advise(
            f"with exaggeration={self.exaggeration:g} repulsion holds no map open (at most "
            f"{limit:.3g} does), so this is the map of Laplacian eigenmaps"
        )
        return np.asarray(found.vectors * np.sqrt(len(found.vectors)))

    def _phases(self) -> list[Phase]:
        """Return the early phase, where clusters form, and the one that settles them."""
        early = max(self.early_exaggeration, self.exaggeration)
        n = float(self._counts.sum())

        def rate(exaggeration: float) -> float:
            given = self.learning_rate
            return n / exaggeration if isinstance(given, str) else float(given)

        late = Phase("descent", self.exaggeration, rate(self.exaggeration), self.max_iter, self.tol)
        if self.early_iter == 0:
            return [late]
        first = Phase(
            "early exaggeration", early, rate(early), self.early_iter, momentum=EARLY_MOMENTUM
        )
        return [first, late]

    def _transform(self, X: Any) -> Array:
        """Place each query point on its own; a known one keeps its place."""
        places = np.ascontiguousarray(self.embedding_[self._distinct], dtype=np.float64)
        queries = self._among_distinct(X)
        count = None if sp.issparse(X) else self._n_neighbors
        seen = distances.find_query_neighbors(self._index, queries, count)
        if seen.n_points and seen.counts.min() == 0:
            row = int(seen.counts.argmin())
            raise ValueError(
                f"row {row} has no stored distance to any fitted point, so it has no place"
            )
        repulsion = Repulsion(self._counts, self.gradient, self.angle)
        potential = repulsion.of(places, AROUND)
        fixed = FixedMap(places, self._counts, potential, self.exaggeration)
        answer = fixed.place(seen, self.perplexity_)
        nearest = seen.neighbors[seen.starts[:-1]]
        known = seen.distances[seen.starts[:-1]] == 0.0
        if self._input_kind() == "points":
            gap = seen.distances[seen.starts[:-1]]
            nearest, known = graph.recognize(X, self._X[self._distinct], nearest, gap)
        answer[known] = places[nearest[known]]
        return answer
