"""The LLE family and weighted graphs on a cluster: neighbourhoods by blocks, one eigenproblem."""

import os
import pickle
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from unspool import (
    LLE,
    LTSA,
    DiffusionMaps,
    HessianLLE,
    KernelLLE,
    LaplacianEigenmaps,
    ModifiedLLE,
    SpectralClustering,
    datasets,
    distances,
    problem,
    runtime,
    scale,
)
from unspool.scale import executor as executors
from unspool.scale.patches import cut_out, solve_with_room
from unspool.spectrum import solve as spectrum_of

ROLL = datasets.swiss_roll(1_300, seed=7).points
METHODS = [
    LLE(2, n_neighbors=9),
    LTSA(2, n_neighbors=9),
    HessianLLE(2, n_neighbors=9),
    ModifiedLLE(2, n_neighbors=9),
    LaplacianEigenmaps(2),
    DiffusionMaps(2),
    SpectralClustering(4),
]
MATRIX_ONLY = (LLE, LTSA, HessianLLE, ModifiedLLE)


def again(method):
    return type(method)(**method.get_params())


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_the_same_map_by_blocks_on_workers(method, client, save):
    expected = again(method).fit(ROLL)
    with scale.settings(chunk_rows=333):
        found = again(method).fit(save(ROLL))
    if isinstance(method, MATRIX_ONLY):
        assert (
            found.report_.stage("weights" if isinstance(method, LLE) else "patches").facts["blocks"]
            == 4
        )
        np.testing.assert_allclose(
            found.matrix_.toarray(), expected.matrix_.toarray(), rtol=0, atol=1e-12
        )
    size = np.abs(expected.embedding_).max()
    np.testing.assert_allclose(found.embedding_, expected.embedding_, atol=1e-6 * size)
    queries = ROLL[:40] + 0.01
    np.testing.assert_allclose(
        found.transform(queries), expected.transform(queries), atol=1e-6 * size
    )


def test_patches_are_made_by_the_workers(client, save, monkeypatch):
    """Not one neighbourhood is looked at by this process."""
    monkeypatch.setattr("unspool.problem.LocalPoints.frames", _refuse)
    with scale.settings(chunk_rows=500):
        assert LTSA(2, n_neighbors=9).fit(save(ROLL)).embedding_.shape == (1_300, 2)


def _refuse(*given):
    raise AssertionError("looked at here")


def _process(*given):
    return os.getpid()


def test_the_eigenproblem_is_solved_on_one_worker(client, save, monkeypatch):
    work, here = executors.current_executor(), os.getpid()
    address, room = work.roomiest
    assert work.run_on(address, _process) in client.run(os.getpid).values()
    assert work.run_on(address, _process) != here
    assert 0 < room < 1e9
    monkeypatch.setattr("unspool.scale.patches.solve", _refuse)  # this process's own
    found = LaplacianEigenmaps(2).fit(save(ROLL))
    assert found.report_.stage("spectrum").facts["solver"]


def _tells(stated, count, *, seed):
    runtime.warn("parts are hardly joined")
    runtime.advise("keep three")
    return spectrum_of(stated, count, seed=seed)


def test_what_the_worker_tells_is_heard(client, monkeypatch):
    """What a worker warns of and advises stays there unless it is handed back."""
    monkeypatch.setattr("unspool.scale.patches.solve", _tells)
    monkeypatch.setattr(
        "unspool.scale.executor.Cluster.run_on",
        lambda self, address, function, *given: pickle.loads(pickle.dumps(function(*given))),
    )
    chain = sp.csr_array(sp.diags_array([np.ones(1_199)] * 2, offsets=[-1, 1]))
    stated = problem.laplacian(chain)
    with runtime.recording() as record, pytest.warns(UserWarning, match="hardly joined") as heard:
        found = solve_with_room(stated, 2, 0)
    assert len(heard) == 1
    assert sorted(record.report().advice) == ["keep three", "parts are hardly joined"]
    assert record.report().stage("spectrum").facts["solver"]
    np.testing.assert_array_equal(found.values, spectrum_of(stated, 2).values)


@pytest.mark.parametrize("method", [LTSA(2), LaplacianEigenmaps(2), LLE(2)], ids=str)
def test_an_eigenproblem_without_room_is_refused_before_the_search(
    method, client, save, monkeypatch
):
    monkeypatch.setattr("unspool.scale.patches.SOLVED", 1e12)
    told = r"takes about .* in one place, and a worker has .* and .* are free here.*by_sample"
    monkeypatch.setattr("unspool.methods.graph_estimator.relate_neighbors", _refuse)
    with pytest.raises(MemoryError, match=told):
        again(method).fit(save(ROLL))


def test_one_too_small_for_the_workers_is_solved_here(client, save, monkeypatch):
    expected = LaplacianEigenmaps(2).fit(save(ROLL))
    settings = sys.modules["unspool.scale.settings"]
    monkeypatch.setattr(settings, "WORKER_ITSELF", 1e9)  # nothing is left of a worker
    monkeypatch.setattr("unspool.scale.executor.Cluster.run_on", _refuse)
    found = LaplacianEigenmaps(2).fit(save(ROLL))
    size = np.abs(expected.embedding_).max()
    np.testing.assert_allclose(found.embedding_, expected.embedding_, atol=1e-8 * size)


def test_a_part_of_a_graph_is_numbered_anew():
    graph = distances.neighbor_graph(ROLL, 5)
    part, needed = cut_out(graph, 200, 450)
    np.testing.assert_array_equal(needed[:250], np.arange(200, 450))
    assert len(np.unique(needed)) == len(needed) == part.n_columns
    edges = slice(graph.starts[200], graph.starts[450])
    np.testing.assert_array_equal(needed[part.neighbors], graph.neighbors[edges])
    np.testing.assert_array_equal(part.distances, graph.distances[edges])
    np.testing.assert_array_equal(part.counts, graph.counts[200:450])


def test_kernel_lle_takes_a_path_too(save):
    found = KernelLLE(2).fit(save(ROLL[:300]))
    expected = KernelLLE(2).fit(ROLL[:300])
    np.testing.assert_allclose(found.embedding_, expected.embedding_, atol=1e-6)
