"""t-SNE: its loss and gradient, the spectrum to Laplacian eigenmaps, query points, copies."""

import numpy as np
import pytest
from scipy.linalg import subspace_angles
from scipy.spatial.distance import cdist
from threadpoolctl import threadpool_limits

from unspool import PCA, TSNE, LaplacianEigenmaps, datasets, distances, quality, spectrum
from unspool.neighbor_embedding import (
    Objective,
    Repulsion,
    attraction_problem,
    symmetric_affinities,
)
from unspool.runtime import limit_threads

QUICK = {"perplexity": 12, "early_iter": 100, "max_iter": 200}


def dense(affinities):
    n = affinities.n_points
    table = np.zeros((n, n))
    rows = np.repeat(np.arange(n), np.diff(affinities.starts))
    table[rows, affinities.neighbors] = affinities.values
    return table


def divergence(p, places):
    weights = 1.0 / (1.0 + cdist(places, places, "sqeuclidean"))
    np.fill_diagonal(weights, 0.0)
    q = weights / weights.sum()
    return np.sum(p[p > 0] * np.log(p[p > 0] / q[p > 0]))


@pytest.fixture(scope="module")
def roll():
    return datasets.swiss_roll(300, seed=1).points


@pytest.fixture(scope="module")
def model(roll):
    return TSNE(2, **QUICK).fit(roll)


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_the_gradient_is_that_of_the_divergence(roll, d):
    """By differences of the textbook formula, for every coordinate of some points."""
    affinities = symmetric_affinities(distances.neighbor_graph(roll, 30), 10.0)
    places = np.random.default_rng(0).standard_normal((300, d))
    objective = Objective(affinities, Repulsion(affinities.counts, "exact"))
    found, p = 4.0 * objective.gradient(places, 1.0), dense(affinities)
    assert objective.loss(places).divergence(affinities) == pytest.approx(divergence(p, places))
    for i in (0, 7, 150):
        for c in range(d):
            step = np.zeros_like(places)
            step[i, c] = 1e-5
            slope = (divergence(p, places + step) - divergence(p, places - step)) / 2e-5
            assert found[i, c] == pytest.approx(slope, abs=1e-7)


def test_exaggeration_multiplies_the_attraction(roll):
    affinities = symmetric_affinities(distances.neighbor_graph(roll, 30), 10.0)
    places = np.random.default_rng(0).standard_normal((300, 2))
    objective = Objective(affinities, Repulsion(affinities.counts, "exact"))
    more = objective.gradient(places, 3.5) - objective.gradient(places, 1.0)
    offsets = places[:, None] - places
    pulls = dense(affinities) / (1.0 + (offsets**2).sum(axis=2))
    np.testing.assert_allclose(more, 2.5 * np.einsum("ij,ijc->ic", pulls, offsets), atol=1e-12)


def test_the_divergence_is_that_of_the_map(roll, model):
    affinities = symmetric_affinities(distances.neighbor_graph(roll, 36), 12.0)
    assert model.kl_divergence_ == pytest.approx(
        divergence(dense(affinities), model.embedding_), rel=1e-9
    )
    assert model.kl_trace_[-1] <= model.kl_trace_[0]
    assert model.kl_divergence_ == pytest.approx(model.kl_trace_.min(), rel=0.02)


@pytest.mark.parametrize("gradient", ["interpolation", "barnes-hut"])
def test_grid_and_tree_lead_as_low_as_all_pairs(roll, model, gradient):
    other = TSNE(2, gradient=gradient, **QUICK).fit(roll)
    assert other.kl_divergence_ == pytest.approx(model.kl_divergence_, rel=0.05)


@pytest.mark.slow
def test_as_low_as_scikit_learn_over_several_draws():
    from sklearn.manifold import TSNE as Theirs

    kept = []
    for seed in range(5):
        points, _ = _clusters(seed)
        affinities = symmetric_affinities(distances.neighbor_graph(points, 60), 20.0)
        theirs = Theirs(2, perplexity=20, random_state=0, method="exact", max_iter=750)
        ours = TSNE(2, perplexity=20).fit(points)
        p = dense(affinities)
        kept.append(divergence(p, ours.embedding_) / divergence(p, theirs.fit_transform(points)))
    assert np.median(kept) < 1.02, kept


def _clusters(seed):
    random = np.random.default_rng(seed)
    labels = np.repeat(np.arange(4), 50)
    return 6.0 * random.standard_normal((4, 10))[labels] + random.standard_normal((200, 10)), labels


def test_clusters_stay_whole_over_several_draws():
    for seed in range(5):
        points, labels = _clusters(seed)
        places = TSNE(2, **QUICK).fit_transform(points)
        near = distances.neighbor_graph(places, 10)
        assert np.mean(labels[near.rows] == labels[near.neighbors]) > 0.99


def test_a_very_large_exaggeration_is_laplacian_eigenmaps():
    """On the way there the map's plane turns to that of their map of the affinities, and is it."""
    points = np.random.default_rng(0).uniform(size=(400, 2))
    affinities = symmetric_affinities(distances.neighbor_graph(points, 45), 15.0)
    eigen = spectrum.solve(attraction_problem(affinities), 2)
    given = {"metric": "precomputed", "weights": "given", "laplacian": "unnormalized"}
    eigenmaps = LaplacianEigenmaps(2, **given).fit_transform(dense(affinities))
    collapse = 1.0 / (399 * eigen.values.max())

    def off(exaggeration):
        model = TSNE(2, perplexity=15, exaggeration=exaggeration, max_iter=1000, tol=0.0)
        places = model.fit_transform(points)
        angles = subspace_angles(places - places.mean(axis=0), eigenmaps)
        return float(np.sin(angles.max()))

    plain, near, beyond = off(1.0), off(0.9 * collapse), off(1e6)
    assert beyond < 1e-8
    assert near < 0.05 < plain


def test_more_attraction_draws_neighbours_together(roll):
    """Lengths between neighbours, as a share of the map, shrink along the spectrum."""
    graph = distances.neighbor_graph(roll, 10)
    shares = []
    for exaggeration in (1.0, 4.0, 15.0):
        places = TSNE(2, exaggeration=exaggeration, **QUICK).fit_transform(roll)
        lengths = np.linalg.norm(places[graph.rows] - places[graph.neighbors], axis=1)
        shares.append(lengths.mean())
    assert shares[0] > shares[1] > shares[2]


def test_query_points_land_among_their_kind():
    points, labels = _clusters(0)
    model = TSNE(2, **QUICK).fit(points[::2])
    placed = model.transform(points[1::2])
    seen = distances.find_query_neighbors(distances.build_index(model.embedding_), placed, 5)
    hits = labels[::2][seen.neighbors] == labels[1::2][seen.rows]
    assert hits.mean() > 0.97


def digits(name, n):
    """Return n fitted rows, then as many others, and the labels of both."""
    try:
        found = datasets.real(name)
    except FileNotFoundError as absent:
        pytest.skip(str(absent))
    points, labels = (
        np.concatenate([found[f"{part}_train"], found[f"{part}_test"]])[: 2 * n] for part in "xy"
    )
    points = points.reshape(len(points), -1).astype(float)
    return PCA(min(50, points.shape[1])).fit(points[:n]).transform(points), labels


def label_accuracy(labels, seen, own):
    """Return how often the most frequent label of the neighbours is one's own."""
    votes = labels[seen.neighbors].reshape(seen.n_points, -1)
    counts = np.stack([(votes == label).sum(axis=1) for label in range(10)])
    return np.mean(counts.argmax(axis=0) == own)


def shares_kept(points, places, labels):
    """Return the share of ten neighbours that stay, and the accuracy of labels by ten of them."""
    before, after = (distances.neighbor_graph(table, 10) for table in (points, places))
    both = [set(zip(g.rows.tolist(), g.neighbors.tolist(), strict=True)) for g in (before, after)]
    return len(both[0] & both[1]) / len(both[0]), label_accuracy(labels, after, labels)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "n"),
    [("mnist", 3_000), ("mnist", 10_000), ("pendigits", 3_000), ("pendigits", 10_992)],
)
def test_digits_are_kept_as_by_another_implementation(name, n):
    """Neighbours and labels within 0.01 of openTSNE's, at most 1 % above its divergence."""
    theirs = pytest.importorskip("openTSNE").TSNE(random_state=0, neighbors="exact", n_jobs=1)
    points, labels = digits(name, n)
    model = TSNE(2).fit(points[:n])
    other = np.asarray(theirs.fit(points[:n]))
    ours, wanted = (
        shares_kept(points[:n], places, labels[:n]) for places in (model.embedding_, other)
    )
    assert ours[0] > wanted[0] - 0.01
    assert ours[1] > wanted[1] - 0.01
    affinities = symmetric_affinities(distances.neighbor_graph(points[:n], 90), 30.0)
    objective = Objective(affinities, Repulsion(affinities.counts, "exact"))
    losses = [objective.loss(places).divergence(affinities) for places in (model.embedding_, other)]
    assert losses[0] < 1.01 * losses[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "n"),
    [("mnist", 3_000), ("mnist", 10_000), ("pendigits", 3_000), ("pendigits", 5_496)],
)
def test_held_out_digits_keep_their_labels_as_fitted_ones(name, n):
    points, labels = digits(name, n)
    model = TSNE(2).fit(points[:n])
    fitted = shares_kept(points[:n], model.embedding_, labels[:n])[1]
    placed = model.transform(points[n:])
    seen = distances.find_query_neighbors(distances.build_index(model.embedding_), placed, 10)
    assert label_accuracy(labels[:n], seen, labels[n:]) > fitted - 0.02


@pytest.mark.parametrize("exaggeration", [1.0, 4.0])
def test_query_points_are_at_a_minimum_of_their_own_divergence(roll, exaggeration):
    """No nearby place has a lower loss, by the formula and not by our kernels."""
    model = TSNE(2, exaggeration=exaggeration, **QUICK).fit(roll)
    new = datasets.swiss_roll(40, seed=9).points
    placed = model.transform(new)
    seen = distances.find_query_neighbors(distances.build_index(roll), new, 36)
    from unspool.neighbor_embedding import conditional_affinities

    p = conditional_affinities(seen, 12.0).reshape(40, 36)
    columns = seen.neighbors.reshape(40, 36)
    gaps = seen.distances.reshape(40, 36)
    free = gaps[:, 0] > 0.1 * gaps[:, 1]  # the others are drawn to the one they are beside

    def loss(i, z):
        near = 1.0 / (1.0 + ((z - model.embedding_) ** 2).sum(axis=1))
        return -exaggeration * p[i] @ np.log(near[columns[i]]) + np.log(near.sum())

    random = np.random.default_rng(0)
    for i in np.flatnonzero(free):
        here = loss(i, placed[i])
        around = placed[i] + 0.05 * random.standard_normal((20, 2))
        assert here <= min(loss(i, z) for z in around) + 1e-4


def test_by_the_grid_query_points_are_placed_alone_as_together_and_known_ones_stay():
    """Beyond 1,000 points repulsion is interpolated on a grid, also at places of query points."""
    points = np.random.default_rng(3).standard_normal((1_500, 12))
    model = TSNE(2, early_iter=30, max_iter=60).fit(points)
    queries = points[:40] + 0.5
    together = model.transform(queries)
    alone = np.vstack([model.transform(queries[i : i + 1]) for i in range(len(queries))])
    np.testing.assert_array_equal(alone, together)
    np.testing.assert_array_equal(model.transform(points), model.embedding_)
    with threadpool_limits(1), limit_threads(1):
        np.testing.assert_array_equal(model.transform(queries), together)


def test_placing_is_continuous_beside_fitted_points(roll, model):
    width = np.ptp(model.embedding_, axis=0).max()
    moved = model.transform(roll + 1e-7) - model.embedding_
    assert np.abs(moved).max() < 1e-4 * width


def test_copies_share_one_place_and_change_nothing():
    points = datasets.swiss_roll(150, seed=3).points
    once = TSNE(2, perplexity=10, early_iter=100, max_iter=100).fit(points)
    thrice = TSNE(2, perplexity=30, early_iter=100, max_iter=100, learning_rate=150.0)
    thrice.fit(np.repeat(points, 3, axis=0))
    once.set_params(learning_rate=150.0).fit(points)
    assert np.ptp(thrice.embedding_.reshape(150, 3, 2), axis=1).max() == 0.0
    assert quality.procrustes(thrice.embedding_[::3], once.embedding_).value < 0.02


def test_the_divergence_counts_every_copy():
    """By rows: each pair of them has its share of p and its own weight on the map."""
    points, counts = datasets.swiss_roll(40, seed=3).points, np.arange(40) % 4 + 1
    model = TSNE(2, perplexity=13, early_iter=50, max_iter=50).fit(
        np.repeat(points, counts, axis=0)
    )
    affinities = symmetric_affinities(distances.neighbor_graph(points, 39), 13.0, counts)
    p = np.repeat(np.repeat(dense(affinities) / np.outer(counts, counts), counts, 0), counts, 1)
    assert p.sum() == pytest.approx(1.0)
    assert model.kl_divergence_ == pytest.approx(divergence(p, model.embedding_), rel=1e-6)


@pytest.mark.parametrize("start", ["pca", "laplacian", "random"])
def test_every_start_leads_down(roll, start):
    model = TSNE(2, start=start, **QUICK).fit(roll)
    assert model.kl_divergence_ < 0.9


def test_a_given_start_is_gone_on_from(roll, model):
    again = TSNE(2, perplexity=12, start=model.embedding_, early_iter=0, max_iter=25).fit(roll)
    assert again.kl_trace_[0] == pytest.approx(model.kl_divergence_, rel=1e-9)


def test_distances_give_the_map_of_points(roll):
    table = cdist(roll, roll)
    ours = TSNE(2, start="laplacian", **QUICK)
    of_points = ours.fit(roll).embedding_
    of_table = TSNE(2, metric="precomputed", **QUICK).fit(table)
    assert quality.procrustes(of_table.embedding_, of_points).value < 0.02


@pytest.mark.parametrize("threads", ["2", "3"])
def test_the_same_map_on_any_number_of_threads(threads, monkeypatch):
    points = datasets.swiss_roll(1500, seed=4).points
    model = TSNE(2, perplexity=10, early_iter=30, max_iter=30)
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    alone = model.fit_transform(points)
    monkeypatch.setenv("NUMBA_NUM_THREADS", threads)
    assert np.array_equal(model.fit_transform(points), alone)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"n_components": 3, "gradient": "interpolation"}, "at most 2 coordinates"),
        ({"n_components": 4, "gradient": "barnes-hut"}, "at most 3 coordinates"),
        ({"learning_rate": -1.0}, "learning_rate must be"),
        ({"learning_rate": "fast"}, "learning_rate must be"),
        ({"start": "umap"}, "start must be"),
        ({"perplexity": 0}, "greater than 0"),
    ],
)
def test_what_does_not_go_together_is_refused(roll, options, told):
    with pytest.raises(ValueError, match=told):
        TSNE(**options).fit(roll)


def test_a_perplexity_that_is_too_high_is_lowered_and_told():
    model = TSNE(2, max_iter=25, early_iter=25).fit(datasets.circle(30).points)
    assert model.perplexity_ == pytest.approx(29 / 3)
    assert any("perplexity" in told for told in model.report_.advice)
