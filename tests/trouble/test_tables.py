"""Tables that are not what they are said to be: told by their shape and their diagonal."""

import warnings

import numpy as np
import pytest

import unspool
from unspool.distances import check_metric

METHODS = (unspool.Isomap, unspool.ClassicalMDS, unspool.LLE, unspool.LandmarkMDS)


@pytest.mark.parametrize("cls", METHODS)
def test_points_given_as_a_table_are_told_by_their_shape(cls):
    points = np.random.default_rng(0).normal(size=(300, 50))  # negative too: not what is wrong
    with pytest.raises(
        ValueError, match=r"must be square; got shape \(300, 50\): are these points"
    ):
        cls(metric="precomputed").fit(points)


@pytest.mark.parametrize("cls", METHODS)
def test_similarities_given_as_distances_are_recognised(cls):
    steps = np.subtract.outer(np.arange(20), np.arange(20))
    with pytest.raises(ValueError, match=r"table of similarities.*weights='given'"):
        cls(metric="precomputed").fit(np.exp(-np.square(steps) / 9.0))


def test_negative_weights_are_refused_as_such():
    with pytest.raises(ValueError, match="weights must not be negative; the smallest is -1"):
        unspool.commute_time_distances([[0.0, -1.0], [-1.0, 0.0]])
    with pytest.raises(ValueError, match="weights must not be negative; the smallest is -2"):
        unspool.LaplacianEigenmaps(1, metric="precomputed", weights="given").fit(
            [[0.0, 1.0, -2.0], [1.0, 0.0, 1.0], [-2.0, 1.0, 0.0]]
        )


def test_every_metric_that_is_listed_works():
    with pytest.raises(ValueError, match="unknown metric") as told:
        check_metric("nonsense")
    listed = str(told.value).partition("one of ")[2].split(", ")
    points = np.random.default_rng(1).random(size=(40, 4)) + 0.1
    assert "wminkowski" not in listed
    for metric in listed:
        if metric in ("dice", "jaccard", "rogerstanimoto", "russellrao", "yule", "sokalsneath"):
            continue  # of yes and no only
        graph = unspool.distances.neighbor_graph(points, 3, metric=metric)
        assert np.isfinite(graph.distances).all(), metric


def test_fewer_neighbours_than_coordinates_are_told():
    cloud = np.random.default_rng(0).normal(size=(100, 6))
    with pytest.warns(UserWarning, match="raise n_neighbors to at least 4"):
        unspool.LLE(4, n_neighbors=3).fit(cloud)


def test_a_sentence_is_told_once_whatever_the_number_of_components():
    flock = np.random.default_rng(0).normal(size=(60, 6))
    told = "raise n_neighbors to at least 4"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = unspool.LLE(4, n_neighbors=3).fit(np.vstack([flock, flock + 100, flock - 100]))
    assert len(model.charts_) >= 3
    assert sum(told in str(warning.message) for warning in caught) == 1
    assert sum(told in advice for advice in model.report_.advice) == 1
    with pytest.warns(UserWarning, match=told):  # and again by the next fit
        model.fit(flock)


def test_clusters_of_several_components_are_refused_with_a_way_that_they_have():
    points = np.vstack([np.eye(3), np.eye(3) + 100.0])
    asked = unspool.SpectralClustering(2, n_neighbors=2, components="error")
    with pytest.raises(
        ValueError, match=r"2 connected components .*pass components='whole'"
    ) as told:
        asked.fit(points)
    for word in ("'largest'", "'separate'", "'bridge'"):
        assert word not in str(told.value)
