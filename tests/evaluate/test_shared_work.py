"""Fits that share their work give the same maps to the last bit, and do it once."""

import numpy as np
import pytest
import scipy.sparse as sp

import unspool
from unspool import datasets
from unspool.methods import LLE, LTSA, Isomap, KernelLLE, LandmarkIsomap, LaplacianEigenmaps
from unspool.runtime import reuse, share_work

ROLL = datasets.swiss_roll(300).points
METHODS = {
    "isomap": lambda: Isomap(2, n_neighbors=8),
    "lle": lambda: LLE(2, n_neighbors=8),
    "laplacian": lambda: LaplacianEigenmaps(2, n_neighbors=8),
    "ltsa": lambda: LTSA(2, n_neighbors=8),
    "landmarks": lambda: LandmarkIsomap(2, n_neighbors=8, n_landmarks=20),
    "mutual": lambda: Isomap(2, n_neighbors=8, symmetrize="mutual"),
    "kernel": lambda: KernelLLE(2, n_neighbors=8),
}


def counted(monkeypatch, module, name):
    calls = []
    original = getattr(module, name)

    def count(*args, **options):
        calls.append(name)
        return original(*args, **options)

    monkeypatch.setattr(module, name, count)
    return calls


def test_shared_fits_are_bit_equal_to_separate_ones():
    with share_work():
        together = {name: make().fit(ROLL) for name, make in METHODS.items()}
    for name, make in METHODS.items():
        alone = make().fit(ROLL)
        np.testing.assert_array_equal(together[name].embedding_, alone.embedding_, name)
        new = ROLL[:5] + 0.01
        np.testing.assert_array_equal(together[name].transform(new), alone.transform(new), name)


def test_the_search_and_the_geodesics_run_once_a_setting(monkeypatch):
    searches = counted(monkeypatch, unspool.distances, "find_neighbors")
    geodesics = counted(monkeypatch, unspool.relation.gram, "geodesic_distances")
    with share_work() as cache:
        for make in (METHODS["isomap"], METHODS["lle"], METHODS["ltsa"], METHODS["isomap"]):
            make().fit(ROLL.copy())  # the same values, another array
        assert len(searches) == 1
        assert len(geodesics) == 1
        Isomap(2, n_neighbors=9).fit(ROLL)
        assert (len(searches), len(geodesics)) == (2, 2)
        Isomap(2, n_neighbors=8).fit(ROLL[:250])
        assert (len(searches), len(geodesics)) == (3, 3)
        Isomap(2, n_neighbors=8, metric="manhattan").fit(ROLL)
        assert (len(searches), len(geodesics)) == (4, 4)
    assert cache.count("neighbours") == 4


def test_the_default_number_of_neighbours_is_the_same_setting_as_ten(monkeypatch):
    searches = counted(monkeypatch, unspool.distances, "find_neighbors")
    with share_work():
        Isomap(2).fit(ROLL)
        LLE(2, n_neighbors=10).fit(ROLL)
    assert len(searches) == 1


def test_numbers_of_neighbours_that_differ_by_point_are_told_apart(monkeypatch):
    searches = counted(monkeypatch, unspool.distances, "find_neighbors")
    counts = np.full(len(ROLL), 8)
    more = counts.copy()
    more[7] = 9
    with share_work():
        for given in (counts, counts.copy(), more):
            Isomap(2, n_neighbors=given).fit(ROLL)
    assert len(searches) == 2


def test_outside_of_the_block_every_fit_works_for_itself(monkeypatch):
    searches = counted(monkeypatch, unspool.distances, "find_neighbors")
    with share_work():
        Isomap(2).fit(ROLL)
    Isomap(2).fit(ROLL)
    Isomap(2).fit(ROLL)
    assert len(searches) == 3


def test_a_sparse_graph_is_shared_by_its_values(monkeypatch):
    graph = unspool.distances.neighbor_graph(ROLL, 8)
    table = sp.csr_array(graph.with_weights(graph.distances))
    searches = counted(monkeypatch, unspool.distances, "find_neighbors")
    with share_work():
        first = Isomap(2, metric="precomputed").fit(table)
        LaplacianEigenmaps(2, metric="precomputed").fit(table.copy())
    assert len(searches) == 1
    alone = Isomap(2, metric="precomputed").fit(table)
    np.testing.assert_array_equal(first.embedding_, alone.embedding_)


def test_the_report_tells_what_was_shared():
    with share_work():
        first, second = Isomap(2).fit(ROLL), Isomap(3).fit(ROLL)
    paid, taken = (model.report_.stage("neighbours") for model in (first, second))
    assert "reused" not in paid.facts
    assert taken.facts["reused"] is True
    assert taken.facts["saved_seconds"] == paid.seconds
    assert taken.facts["search"] == paid.facts["search"]
    assert taken.seconds == 0.0
    assert [s.name for s in first.report_.stages] == [s.name for s in second.report_.stages]


def test_a_failure_is_not_kept():
    calls = []

    def fail():
        calls.append(1)
        raise ValueError("no")

    data = np.arange(3.0)
    with share_work():
        for _ in range(2):
            with pytest.raises(ValueError, match="no"):
                reuse("work", (data,), None, fail)
        assert reuse("work", (data,), None, lambda: 7) == 7
        assert reuse("work", (data,), None, lambda: 8) == 7
        assert reuse("work", (data,), "other", lambda: 8) == 8
    assert len(calls) == 2
    assert reuse("work", (data,), None, lambda: 9) == 9


@pytest.mark.parametrize("name", METHODS)
def test_data_changed_in_place_are_other_data(name):
    """Neither the graph of what they were is taken, nor an index that looks into what they are."""
    make, points = METHODS[name], ROLL[:120].copy()
    before, after = points.copy(), points * [1.0, 3.0, 1.0]
    with share_work():
        make().fit(points)
        points *= [1.0, 3.0, 1.0]
        changed = make().fit(points).embedding_
        again = make().fit(before).embedding_
    np.testing.assert_array_equal(changed, make().fit(after).embedding_)
    np.testing.assert_array_equal(again, make().fit(before).embedding_)


def test_an_array_changed_in_place_is_another():
    """Methods copy what they are given; who reuses work of an array of his own may change it."""
    array = np.arange(3.0)
    with share_work():
        assert reuse("work", (array,), None, lambda: 1) == 1
        assert reuse("work", (np.arange(3.0),), None, lambda: 2) == 1
        array += 1.0
        assert reuse("work", (array,), None, lambda: 3) == 3
        assert reuse("work", (np.arange(3.0),), None, lambda: 4) == 4  # the first looks into array


def test_no_array_is_too_odd_to_be_told_apart():
    odd = [np.zeros(0), np.zeros((0, 3)), np.float64(3.0).reshape(()), np.arange(12.0)[::2]]
    odd += [np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(2, 3).T, np.arange(6.0)]
    with share_work():
        for turn in range(2):
            for place, array in enumerate(odd):
                assert reuse("work", (array,), None, lambda p=place, t=turn: (p, t)) == (place, 0)


def test_arrays_of_another_type_are_other_data():
    with share_work():
        assert reuse("work", (np.arange(3),), None, lambda: 1) == 1
        assert reuse("work", (np.arange(3.0),), None, lambda: 2) == 2
