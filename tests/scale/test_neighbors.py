"""Neighbours of points in cells: the same graph, bit by bit, as in memory."""

import os
from pathlib import Path

import numpy as np
import pytest

from unspool import LandmarkIsomap, datasets, distances, graph, scale

RNG = np.random.default_rng(2)
SHEET = datasets.swiss_roll(2_500, seed=1).points


def tied():
    """Return points of a grid, each distance of which occurs many times, in many columns."""
    return RNG.integers(0, 4, size=(1_600, 12)).astype(float)


def lattice(side, columns):
    """Return the points of a lattice whose step is no binary fraction: nearly all are ties."""
    axes = np.meshgrid(*[0.1 * np.arange(side)] * columns)
    return RNG.permutation(np.stack(axes, axis=-1).reshape(-1, columns))


CASES = {
    "3 columns": SHEET,
    "40 columns": RNG.normal(size=(1_700, 40)),
    "a sheet in 40 columns": SHEET @ RNG.normal(size=(3, 40)) + 1e-3 * RNG.normal(size=(2_500, 40)),
    "8 columns": RNG.normal(size=(1_500, 8)),
    "ties": tied(),
    "a lattice in 3 columns": lattice(12, 3),
    "a lattice in 5 columns": lattice(4, 5),
    "one column decides": np.column_stack([np.repeat([0.0, 1.0], 600), RNG.normal(size=1_200)]),
    "few": RNG.normal(size=(300, 5)),
}
every_case = pytest.mark.parametrize("points", CASES.values(), ids=CASES)


def assert_same(found, expected):
    for one, other in zip(found.edges, expected.edges, strict=True):
        np.testing.assert_array_equal(one, other)


@every_case
@pytest.mark.parametrize("chunk_rows", [None, 400, 1_100])
def test_the_same_graph_for_any_cells(points, chunk_rows, save):
    with scale.settings(chunk_rows=chunk_rows):
        found = distances.neighbor_graph(scale.open_source(save(points)), 7)
    assert_same(found, distances.neighbor_graph(points, 7))


@every_case
def test_the_same_graph_on_a_cluster(points, save, client):
    with scale.settings(chunk_rows=600):
        found = distances.neighbor_graph(scale.open_source(save(points)), 7)
    assert_same(found, distances.neighbor_graph(points, 7))


@pytest.mark.slow
@pytest.mark.parametrize("n_workers", [1, 2, 3])
def test_any_number_of_workers(n_workers, save):
    from distributed import Client

    from .conftest import start_cluster

    with start_cluster(n_workers) as cluster, Client(cluster):
        for points in (CASES["3 columns"], CASES["40 columns"]):
            for chunk_rows in (None, 400, 1_100):
                with scale.settings(chunk_rows=chunk_rows):
                    found = distances.neighbor_graph(scale.open_source(save(points)), 7)
                assert_same(found, distances.neighbor_graph(points, 7))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_other_questions(metric, save):
    points = CASES["8 columns"] + 3.0
    index = distances.build_index(points, metric)
    radius = float(np.median(index.nearest(points, 9).distances))
    with scale.settings(chunk_rows=500):
        source = scale.open_source(save(points))
        cells = distances.build_index(source, metric)
        for found, expected in (
            (cells.nearest(points[:40] + 0.1, 5), index.nearest(points[:40] + 0.1, 5)),
            (cells.within(source, radius, others=True), index.within(points, radius, others=True)),
            (cells.within(points[:40], radius), index.within(points[:40], radius)),
        ):
            np.testing.assert_array_equal(found.starts, expected.starts)
            np.testing.assert_array_equal(found.neighbors, expected.neighbors)
            np.testing.assert_allclose(found.distances, expected.distances, atol=1e-12)
        some = np.arange(0, len(points), 3)
        among, known = cells.among(some), index.among(some)
        np.testing.assert_array_equal(
            among.nearest(points[:40], 4).neighbors, known.nearest(points[:40], 4).neighbors
        )
        half = np.arange(0, len(some), 2)
        np.testing.assert_array_equal(
            among.among(half).nearest(points[:40], 4).neighbors,
            index.among(some[half]).nearest(points[:40], 4).neighbors,
        )


def test_queries_outside_of_all_cells(save):
    """Some of them are nearer to other cells than to that in whose part of space they lie."""
    points = CASES["a sheet in 40 columns"]
    queries = 2.5 * points[::7] - 1.5 * points[::-7]
    index, radius = distances.build_index(points), 30.0
    with scale.settings(chunk_rows=300):
        cells = distances.build_index(scale.open_source(save(points)))
        assert_same(cells.nearest(queries, 6), index.nearest(queries, 6))
        for some in (np.arange(len(points)), np.array([3, 4])):  # cells without any, too
            found = cells.among(some).within(queries, radius)
            expected = index.among(some).within(queries, radius)
            np.testing.assert_array_equal(found.neighbors, expected.neighbors)
            np.testing.assert_array_equal(found.starts, expected.starts)


def test_copies_are_found_block_by_block(save):
    points = RNG.normal(size=(900, 3))
    points[700:] = points[100:300]
    points[5], points[6] = 0.0, -0.0
    with scale.settings(chunk_rows=77):
        found = graph.find_copies(scale.open_source(save(points)))
    expected = graph.find_copies(points)
    np.testing.assert_array_equal(found.first, expected.first)
    np.testing.assert_array_equal(found.point_of, expected.point_of)
    np.testing.assert_array_equal(found.masses, expected.masses)


def test_an_approximate_search_measures_its_recall(save):
    points = RNG.normal(size=(6_000, 3)) @ RNG.normal(size=(3, 20))
    points += 1e-2 * RNG.normal(size=points.shape)
    with scale.settings(chunk_rows=200):
        found = distances.neighbor_graph(scale.open_source(save(points)), 10, search="approximate")
    truth = distances.neighbor_graph(points, 10)
    shared = [
        len(set(a) & set(b)) / 10
        for a, b in zip(
            found.neighbors.reshape(-1, 10), truth.neighbors.reshape(-1, 10), strict=True
        )
    ]
    assert found.recall is not None
    assert 0.98 <= np.mean(shared) < 1.0
    assert abs(found.recall - np.mean(shared)) < 0.01


@pytest.mark.slow
def test_the_same_map_of_whole_numbers(client, save):
    """Covtype: 20,000 rows of 10 whole numbers, where several points are equally far."""
    path = Path(os.environ.get("UNSPOOL_DATA", "")) / "covtype.npz"
    if not path.exists():
        pytest.skip("covtype.npz is not there: set UNSPOOL_DATA")
    points = np.load(path, allow_pickle=False)["numeric"][:20_000].astype(np.float64)
    stored, expected = save(points), distances.neighbor_graph(points, 10)
    mapped = LandmarkIsomap(2).fit(points).embedding_
    for chunk_rows in (None, 1_500, 4_000):
        with scale.settings(chunk_rows=chunk_rows):
            assert_same(distances.neighbor_graph(scale.open_source(stored), 10), expected)
            found = LandmarkIsomap(2).fit(stored).embedding_
        np.testing.assert_allclose(found, mapped, atol=1e-8 * np.abs(mapped).max())
