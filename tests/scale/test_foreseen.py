"""What is foreseen of a fit by blocks: its tasks are those of the fit, and fit the workers."""

import re
import sys
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from unspool import (
    PCA,
    LandmarkIsomap,
    LandmarkMDS,
    datasets,
    intrinsic_dimension,
    plan,
    quality,
    scale,
)
from unspool.runtime import available_bytes, format_bytes, in_words
from unspool.scale.cells import count_cells
from unspool.scale.cost_model import Imagined, Layout, foresee
from unspool.scale.executor import Cluster, InProcess, block_ranges, current_executor, imagined
from unspool.scale.files import NpyFile


def test_the_tasks_counted_are_those_of_the_fit(client, save):
    points = datasets.swiss_roll(3_000, seed=4).points
    work = current_executor()
    layout = Layout(3_000, 3, 8, 2, 10, work.n_workers, work.worker_bytes)
    counted = {stage.name: stage.tasks for stage in foresee("landmark-isomap", layout)}
    model = LandmarkIsomap(2, n_neighbors=8, n_landmarks=10).fit(save(points))
    for name in ("copies", "arranging", "searching", "geodesics"):
        assert model.report_.stage(name).facts["blocks"] == counted[name]
    found = PCA(2).fit(save(points))
    counted = {stage.name: stage.tasks for stage in foresee("pca", layout)}
    for name in ("moments", "placing"):
        assert found.report_.stage(name).facts["blocks"] == counted[name]


def test_the_tasks_of_landmarks_without_a_table_are_counted(client, save, monkeypatch):
    for room in ("landmark_geodesics", "cost_model"):
        monkeypatch.setattr(f"unspool.scale.{room}.IN_MEMORY", 1.0)
    points, moved = datasets.swiss_roll(3_000, seed=4).points, []
    real = Cluster.results

    def running(self, function, items, shared):
        for number, result in real(self, function, items, shared):
            moved.append((function.__name__, sum(np.asarray(part).nbytes for part in result)))
            yield number, result

    monkeypatch.setattr(Cluster, "results", running)
    work = current_executor()
    layout = Layout(3_000, 3, 8, 2, 10, work.n_workers, work.worker_bytes)
    counted = {stage.name: stage for stage in foresee("landmark-isomap", layout)}
    LandmarkIsomap(2, n_landmarks=10).fit(save(points))
    for stage, function in (("geodesics", "_look_around"), ("placing", "_add_up")):
        sizes = [size for name, size in moved if name == function]
        assert len(sizes) == counted[stage].tasks == 4
        assert sum(sizes) == pytest.approx(counted[stage].moved, rel=0.2)


@pytest.mark.parametrize("method", [PCA(2), LandmarkMDS(2, n_landmarks=6)], ids=["pca", "mds"])
def test_the_bytes_counted_are_those_of_the_fit(method, save, monkeypatch):
    """Rows as they are stored count as read, and what tasks return as moved."""
    points, read, moved = np.zeros((20_000, 40), np.float32), [], []
    points += np.random.default_rng(0).normal(size=points.shape)
    real, run = NpyFile.read_range, InProcess.results

    def reading(self, start, stop):
        read.append((stop - start) * 40 * 4)
        return real(self, start, stop)

    def running(self, function, items, shared):
        for number, result in run(self, function, items, shared):
            moved.append(sum(np.asarray(part).nbytes for part in result))
            yield number, result

    monkeypatch.setattr(NpyFile, "read_range", reading)
    monkeypatch.setattr(InProcess, "results", running)
    with scale.settings(chunk_rows=2_500):
        path = save(points)
        method.fit(path)
        layout = Layout(20_000, 40, 10, 2, 6, 1, 4e9)
        counted = foresee("pca" if isinstance(method, PCA) else "landmark-mds", layout)
    assert len(moved) == sum(stage.tasks for stage in counted)
    assert sum(read) == pytest.approx(sum(stage.read for stage in counted), rel=0.2)
    assert sum(moved) == pytest.approx(sum(stage.moved for stage in counted), rel=0.2)


def test_the_page_shows_what_is_counted():
    """The table of docs/scale.md is what ``plan`` says, row by row."""
    page = (Path(__file__).parents[2] / "docs" / "scale.md").read_text()
    shown = [
        line for line in page.splitlines() if re.match(r"\| 1e\+0\d \| \d+ \| [a-z-]+ \|", line)
    ]
    assert len(shown) == 9
    for line in shown:
        n, workers, method = (cell.strip() for cell in line.split("|")[1:4])
        p = plan(method, int(float(n)), 50, workers=int(workers), memory=8e9)
        totals = [sum(getattr(s, part) for s in p.blocks) for part in ("read", "moved")]
        tasks = f"{sum(s.tasks for s in p.blocks):,}"
        cells = [n, workers, method, tasks, *map(format_bytes, totals), in_words(p.seconds)]
        assert line == f"| {' | '.join(cells)} |"


@pytest.mark.parametrize("memory", [1e9, 4e9, 64e9])
@pytest.mark.parametrize("workers", [2, 100])
def test_blocks_of_10_to_the_8_rows_fit_the_workers(memory, workers):
    for method in ("pca", "landmark-mds", "landmark-isomap"):
        planned = plan(method, 10**8, 50, workers=workers, memory=memory)
        assert planned.fits
        assert all(s.held < memory for s in planned.blocks if s.tasks)
        assert sum(s.tasks for s in planned.blocks) >= workers
    smaller = plan("pca", 10**6, 50, workers=workers, memory=memory)
    assert smaller.seconds < planned.seconds


def test_more_memory_makes_fewer_and_larger_blocks():
    with imagined(Imagined(4, 1e8)):
        few, cells = block_ranges(10**7, 400.0), count_cells(10**7, 50)
    with imagined(Imagined(4, 1e9)):
        assert len(block_ranges(10**7, 400.0)) < len(few)
        assert count_cells(10**7, 50) < cells
    assert few[0][0] == 0
    assert few[-1][1] == 10**7
    assert all(a[1] == b[0] for a, b in pairwise(few))


def test_much_memory_is_not_filled_by_one_block():
    with imagined(Imagined(1, 1e12)):
        sizes = [stop - start for start, stop in block_ranges(10**7, 400.0)]
    assert max(sizes) * 400.0 <= 5e8
    assert sum(sizes) == 10**7


def test_a_worker_without_a_limit_has_its_share_of_the_machine():
    """Or of its container, of which it tells itself."""

    class Client:
        def wait_for_workers(self, n_workers, timeout):
            assert n_workers == 1

        def scheduler_info(self, n_workers):
            limits = {"a": 0, "b": None, "c": 3e9}
            facts = {"nthreads": 1, "host": "one"}
            return {"workers": {name: {**facts, "memory_limit": m} for name, m in limits.items()}}

        def run(self, function, workers):
            assert function is available_bytes
            return {name: 4e9 for name in workers}

    work = Cluster(Client())
    assert work.worker_bytes == 2e9
    assert work.roomiest[0] == "c"


@pytest.mark.parametrize(
    ("limit", "pause", "told"),
    [(4e8, 0.8, True), (4e8, 0.93, False), (4e8, False, False), (5e8, 0.8, False)],
)
def test_workers_that_libraries_fill_nearly_alone_are_told_before_the_work(limit, pause, told):
    """Dask would hand them no more work, and a lazy transform would wait for ever."""

    class Client:
        def wait_for_workers(self, n_workers, timeout):
            assert n_workers == 1

        def scheduler_info(self, n_workers):
            return {"workers": {"a": {"nthreads": 1, "host": "one", "memory_limit": limit}}}

        def run(self, function):
            return {"a": pause}

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Cluster(Client()).check_room()
    assert [str(warned.message) for warned in caught] == told * [
        "a worker has 400.0 MB, of which Python and its libraries take about 300.0 MB, and Dask "
        "hands no work to one that holds 320.0 MB; use workers with 500.0 MB, or set "
        "distributed.worker.memory.pause to 0.93"
    ]


def test_a_search_without_structure_and_the_client_are_told_apart():
    told = plan("landmark-isomap", 10**6, 50, workers=4, memory=4e9)
    searching = next(stage for stage in told.blocks if stage.name == "searching")
    assert searching.at_most > 10 * searching.seconds
    assert "at most" in str(told)
    assert "the client holds 1.1 GB, whatever the workers have" in str(told)
    told = plan("landmark-isomap", 10**6, 3, workers=4, memory=4e9)
    assert "at most" not in str(told)


def test_a_method_without_blocks_is_told_to_take_a_sample():
    with pytest.raises(ValueError, match=r"scale\.by_sample"):
        plan("tsne", 10**6, 50, workers=4)
    with pytest.raises(ValueError, match="n_landmarks=1000"):
        plan("kernel-pca", 10**6, 50, workers=4)
    with pytest.raises(ValueError, match="workers"):
        plan("pca", 10**6, 50, memory=1e9)


def test_scores_and_dimension_of_points_on_disk(save, monkeypatch):
    points = datasets.swiss_roll(1_200, seed=1).points
    path, model = save(points), PCA(2).fit(points)
    expected = quality.trustworthiness(points, model.embedding_)
    found = quality.trustworthiness(path, model.embedding_)
    assert found.value == expected.value
    assert intrinsic_dimension(path).n_components == intrinsic_dimension(points).n_components == 2
    monkeypatch.setattr("unspool.dimension.estimate.MOST_READ", 700)
    assert intrinsic_dimension(path, "levina-bickel").n_points == 700


def test_settings_are_checked(tmp_path):
    with pytest.raises(ValueError, match="at least 1"), scale.settings(chunk_rows=0):
        pass
    with scale.settings(directory=tmp_path / "new", chunk_rows=7):
        assert scale.current_settings().chunk_rows == 7
        assert block_ranges(20, 1e30) == [(0, 7), (7, 14), (14, 20)]
    assert (tmp_path / "new").is_dir()
    assert scale.current_settings().chunk_rows is None


def test_files_go_with_what_they_were_made_for(save, tmp_path):
    points = np.random.default_rng(0).normal(size=(1_200, 3))
    with scale.settings(directory=tmp_path / "scratch", chunk_rows=500):
        model = LandmarkIsomap(2, n_landmarks=5).fit(save(points))
    assert any((tmp_path / "scratch").iterdir())
    model.transform(points[:5])
    del model
    assert not any((tmp_path / "scratch").iterdir())


@pytest.mark.parametrize("room", [2**16, 0], ids=["in the task", "in a file"])
def test_rows_are_placed_after_their_model_was_let_go(save, room, monkeypatch):
    """Its cells lie in files that last as long as anything that wants them."""
    monkeypatch.setattr(sys.modules["unspool.scale.settings"], "INLINE", room)
    points = np.random.default_rng(0).normal(size=(1_200, 3))
    path = save(points)
    with scale.settings(chunk_rows=500):
        model = LandmarkIsomap(2, n_landmarks=5).fit(path)
        expected, lazy = model.transform(points), model.transform(path)
        del model
        np.testing.assert_array_equal(lazy.compute(), expected)
