"""Rows of query points along geodesics: by products that never hold them, the same as by hand."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from unspool import Isomap, LandmarkIsomap, datasets, distances, graph, paths
from unspool.kernel import Centering
from unspool.relation import GeodesicOperator, GeodesicTable, LandmarkGeodesics, triangulate
from unspool.relation.chart import Queries

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((330, 2))
NEW = RANDOM.standard_normal((70, 2))
NEIGHBORS = graph.symmetrize(distances.neighbor_graph(X, 9))
LENGTHS = np.asarray(paths.geodesic_distances(NEIGHBORS), dtype=np.float64)
ANCHORS = RANDOM.standard_normal((330, 3)) + 5.0  # of a mean that is not zero


def see(queries, count=4):
    return Queries(
        queries, distances.find_query_neighbors(distances.build_index(X), queries, count)
    )


def rows_by_hand(lengths, count=4):
    """-1/2 of the squared lengths of the shortest paths through some neighbours."""
    through = cdist(NEW, X)
    near = np.argsort(through, axis=1)[:, :count]
    gaps = np.take_along_axis(through, near, axis=1)
    return -0.5 * np.min(gaps[:, :, None] + lengths[near], axis=1) ** 2


def relations():
    shortest = paths.prepare_paths(NEIGHBORS)
    return {
        "double": (GeodesicTable.of(NEIGHBORS, "float64"), 1e-12),
        "single": (GeodesicTable.of(NEIGHBORS, "float32"), 1e-5),
        "operator": (GeodesicOperator.of(shortest, 0), 1e-5),
    }


@pytest.mark.parametrize("count", [1, 3, 4, 6, 9])  # which are taken by fours, and what is left
@pytest.mark.parametrize("kind", ["double", "single", "operator"])
def test_the_image_is_that_of_the_centred_rows(kind, count):
    relation, tolerance = relations()[kind]
    expected = Centering.of(-0.5 * LENGTHS**2).rows(rows_by_hand(LENGTHS, count)) @ ANCHORS
    found = relation.rows(see(NEW, count)) @ ANCHORS
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize("scaling", ["distance", "svd"])
def test_the_image_of_landmarks(scaling):
    landmarks = np.arange(0, 330, 7)
    similarities = -0.5 * LENGTHS[:, landmarks] ** 2
    fitted = triangulate(similarities, landmarks, 2, 0, scaling)
    relation = LandmarkGeodesics(landmarks, LENGTHS[landmarks], fitted)
    anchors = ANCHORS[: len(landmarks)]
    expected = fitted.centering.rows(rows_by_hand(LENGTHS[:, landmarks])) @ anchors
    found = relation.rows(see(NEW)) @ anchors
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("kind", ["double", "single", "operator"])
def test_a_row_does_not_know_of_the_others(kind, monkeypatch):
    monkeypatch.setattr("unspool.relation.geodesic_rows.SMALL", 10**4)  # the batch by threads
    relation, _ = relations()[kind]
    batch = relation.rows(see(NEW)) @ ANCHORS
    alone = np.vstack([relation.rows(see(row[None])) @ ANCHORS for row in NEW])
    np.testing.assert_array_equal(batch, alone)


def test_blocks_of_queries_change_nothing(monkeypatch):
    operator = relations()["operator"][0]
    whole = operator.rows(see(NEW)) @ ANCHORS
    monkeypatch.setattr("unspool.relation.gram.GEODESIC_BLOCK_BYTES", 8 * 4 * 330 * 9)
    assert operator.rows(see(NEW)).at_once == 9
    np.testing.assert_array_equal(operator.rows(see(NEW)) @ ANCHORS, whole)


def test_no_query_no_row():
    relation, _ = relations()["double"]
    assert (relation.rows(see(np.empty((0, 2)))) @ ANCHORS).shape == (0, 3)


@pytest.mark.parametrize("method", [Isomap, LandmarkIsomap])
def test_query_points_are_searched_for_once(method, monkeypatch):
    roll = datasets.swiss_roll(400).points
    model = method(2).fit(roll[:300])
    searches = []
    search = distances.find_query_neighbors
    monkeypatch.setattr(
        distances, "find_query_neighbors", lambda *of: searches.append(of) or search(*of)
    )
    model.transform(roll[300:])
    assert len(searches) == 1
