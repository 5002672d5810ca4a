"""What goes wrong with workers and clients changes nothing in the result, or is told in words."""

import gc
import os
import re
import signal
import subprocess
import sys
import time

import dask.array
import numpy as np
import pytest

from unspool import PCA, Isomap, LandmarkIsomap, datasets, distances, runtime, scale
from unspool.graph import symmetrize
from unspool.scale import executor as executors
from unspool.scale.geodesics import SpreadPaths
from unspool.scale.landmark_geodesics import landmark_geodesics
from unspool.scale.placing import map_rows, write_parts
from unspool.scale.settings import WORKER_ITSELF, BlockSize, describe_loss, remembered

from .conftest import start_cluster

POINTS = datasets.swiss_roll(1_500, seed=5).points


def _pid():
    return os.getpid()


class Killer:
    """Kills a worker when a stage has come so far."""

    def __init__(self, client, stage, done, turn=1):
        self.pids = list(client.run(_pid).values())
        self.stage, self.done, self.turn, self.killed = stage, done, turn, False
        self._turns = 0

    def __call__(self, event):
        if event.name != self.stage or self.killed:
            return
        self._turns += event.done == self.done
        if self._turns == self.turn:
            os.kill(self.pids[0], signal.SIGKILL)
            self.killed = True


@pytest.fixture
def own_client():
    from distributed import Client

    with start_cluster(2) as cluster, Client(cluster) as client:
        yield client


@pytest.mark.slow
def test_a_worker_killed_in_the_search(own_client, save):
    killer = Killer(own_client, "searching", 1)
    with scale.settings(chunk_rows=200), runtime.listen(killer):
        found = distances.neighbor_graph(scale.open_source(save(POINTS)), 8)
    assert killer.killed
    for one, other in zip(found.edges, distances.neighbor_graph(POINTS, 8).edges, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.slow
@pytest.mark.parametrize("held", [True, False])
def test_a_worker_killed_in_the_second_product(own_client, save, held, monkeypatch):
    if not held:  # workers without room for blocks of the table
        monkeypatch.setattr("unspool.scale.geodesics.HELD", 0.0)
    untouched = Isomap(2, n_neighbors=8).fit(save(POINTS))
    killer = Killer(own_client, "products", 1, turn=2)
    with runtime.listen(killer):
        found = Isomap(2, n_neighbors=8).fit(save(POINTS))
    assert killer.killed
    np.testing.assert_array_equal(found.embedding_, untouched.embedding_)


@pytest.mark.slow
def test_a_worker_killed_while_rows_are_placed(own_client, save):
    from distributed import as_completed

    model, pids = Isomap(2, n_neighbors=8).fit(POINTS), list(own_client.run(_pid).values())
    with scale.settings(chunk_rows=20):
        lazy = model.transform(save(POINTS + 0.01))
    untouched = lazy.compute()
    futures = own_client.compute(list(lazy.to_delayed().ravel()))
    next(iter(as_completed(futures)))
    assert not all(future.done() for future in futures)
    os.kill(pids[1], signal.SIGKILL)
    placed = np.concatenate(own_client.gather(futures))
    np.testing.assert_array_equal(placed, untouched)


@pytest.mark.slow
def test_workers_that_die_are_told_in_one_sentence(own_client):
    size = BlockSize(40_000, 10_000.0)
    told = (
        r"dying needs more than the 1\.0 GB that a worker has \(several workers were lost over it\)"
        r": a block of 40,000 rows takes about 700\.0 MB, the worker itself included; use "
        r"scale\.settings\(chunk_rows=20000\) \(--chunk-rows 20000\), or workers with at least 2\.0"
    )
    with pytest.raises(scale.WorkerLost, match=told):
        list(executors.run_blocks("dying", _die, [0, 1], size=size))


async def _pause(dask_worker):
    from distributed.core import Status

    dask_worker.memory_manager.memory_monitor_interval = None
    for callback in dask_worker.periodic_callbacks.values():
        callback.stop()
    dask_worker.status = Status.paused


@pytest.mark.slow
def test_workers_that_are_full_are_told_and_not_waited_for(own_client, save, monkeypatch):
    monkeypatch.setattr(executors, "PATIENCE", 1.0)
    own_client.run(_pause)
    with pytest.raises(scale.WorkerLost, match=r"full, and Dask has paused them.*chunk_rows="):
        PCA(2).fit(save(POINTS))


LOST = [
    (Isomap(2, n_neighbors=8), "products", {}),
    (Isomap(2, n_neighbors=8), "products", {"geodesics.HELD": 0.0}),
    (LandmarkIsomap(2, n_landmarks=20), "geodesics", {}),
    (LandmarkIsomap(2, n_landmarks=20), "geodesics", {"landmark_geodesics.IN_MEMORY": 1.0}),
    (LandmarkIsomap(2, n_landmarks=20), "placing", {"landmark_geodesics.IN_MEMORY": 1.0}),
]


@pytest.mark.parametrize(("method", "stage", "settings"), LOST, ids=lambda case: str(case)[:20])
def test_workers_lost_over_geodesics_are_told_in_one_sentence(
    method, stage, settings, client, save, monkeypatch
):
    """With the rows of a block, and with the graph that is beside them on each worker."""
    for name, value in settings.items():
        monkeypatch.setattr(f"unspool.scale.{name}", value)
    real = executors.run_blocks

    def losing(name, function, items, *shared, **options):
        if name == stage:
            monkeypatch.setattr(executors.Cluster, "results", lose)
        return real(name, function, items, *shared, **options)

    def lose(self, function, items, shared):
        raise scale.WorkerLost("several workers were lost over it")
        yield

    for room in ("geodesics", "landmark_geodesics"):
        monkeypatch.setattr(f"unspool.scale.{room}.run_blocks", losing)
    told = (
        rf"^{stage} needs more than the 1\.0 GB that a worker has \(several workers were lost over "
        r"it\): a block of [\d,]+ rows takes about 3[0-4]\d\.\d MB, the worker itself included; "
        r"use scale\.settings\(chunk_rows=\d+\) \(--chunk-rows \d+\), or workers with at least "
        r"2\.0 GB$"
    )
    with pytest.raises(scale.WorkerLost, match=told):
        method.fit(save(POINTS))


def test_a_block_needs_what_is_beside_its_rows():
    """Fewer rows make room for rows alone."""
    size = BlockSize(1_000, 1e6, beside=2e8)
    assert size.needed == 1e9 + 2e8 + WORKER_ITSELF
    assert [size.fewer(room) for room in (5e8, 3e8, 1e8)] == [300, 100, 1]


def test_chunk_rows_are_those_of_all_blocks_of_geodesics(client, save):
    """What an error says to use is used."""
    with scale.settings(chunk_rows=200):
        exact = Isomap(2, n_neighbors=8).fit(save(POINTS))
        few = LandmarkIsomap(2, n_landmarks=20).fit(save(POINTS))
    assert exact.report_.stage("products").facts["blocks"] == 8
    with scale.settings(chunk_rows=3):
        table = landmark_geodesics(symmetrize(distances.neighbor_graph(POINTS, 8)), few.landmarks_)
    assert table.shape == (20, 1_500)


class Hungry:
    """A model that finds no memory."""

    def __init__(self, error):
        self.error = error

    def transform(self, rows):
        raise self.error


@pytest.mark.parametrize("error", [MemoryError(), np.linalg.LinAlgError("other")])
def test_memory_that_runs_out_while_rows_are_placed_is_told(error, save):
    """By whoever runs Dask's blocks: nothing of ours sees them but the block itself."""
    source = scale.open_source(save(POINTS))
    with scale.settings(chunk_rows=500):
        lazy = map_rows(Hungry(error), "transform", source, 2)
    if not isinstance(error, MemoryError):
        with pytest.raises(np.linalg.LinAlgError, match="other"):
            lazy.compute()
        return
    told = r"^placing needs more than .*it ran out of memory.*block of 500 rows.*chunk_rows=250\)"
    with pytest.raises(scale.WorkerLost, match=told):
        lazy.compute()
    array = dask.array.from_array(POINTS, chunks=(500, 3))
    with pytest.raises(scale.WorkerLost, match=r"X\.rechunk\(\(250, -1\)\)"):
        map_rows(Hungry(error), "transform", array, 2).compute()


@pytest.mark.slow
def test_lazy_rows_beyond_a_worker_are_told_by_the_block(tmp_path):
    """Dask runs them: a block that cannot fit says so before it is read, and what would fit."""
    from distributed import Client

    points = np.random.default_rng(0).normal(size=(1_200_000, 20)).astype(np.float32)
    np.save(tmp_path / "many.npy", points)
    model = PCA(2).fit(points[:500])
    with start_cluster(2, memory_limit="500MB") as cluster, Client(cluster):
        with scale.settings(chunk_rows=1_200_000):
            lazy = model.transform(tmp_path / "many.npy")
        with pytest.raises(scale.WorkerLost, match=r"500\.0 MB that a worker has \(seen") as lost:
            lazy.compute()
        fewer = int(re.search(r"chunk_rows=(\d+)", str(lost.value)).group(1))
        with scale.settings(chunk_rows=fewer):
            found = model.transform(tmp_path / "many.npy").compute()
    np.testing.assert_allclose(found, model.transform(points), rtol=1e-4, atol=1e-4)


@pytest.mark.slow
def test_a_worker_that_runs_out_of_memory_is_told_which_blocks_fit(tmp_path):
    """Twelve times as many rows as fit are forced on workers of 600 MB, then as many as is told."""
    from distributed import Client

    points = np.random.default_rng(0).normal(size=(1_200_000, 20)).astype(np.float32)
    np.save(tmp_path / "many.npy", points)
    with start_cluster(2, memory_limit="600MB") as cluster, Client(cluster):
        with (
            scale.settings(chunk_rows=1_200_000),
            pytest.raises(scale.WorkerLost, match=r"600\.0 MB that a worker has") as lost,
        ):
            PCA(2).fit(tmp_path / "many.npy")
        fewer = int(re.search(r"chunk_rows=(\d+)", str(lost.value)).group(1))
        with scale.settings(chunk_rows=fewer):
            found = PCA(2).fit(tmp_path / "many.npy")
    np.testing.assert_allclose(found.mean_, points.mean(axis=0, dtype=np.float64), atol=1e-6)


def test_a_block_without_room_in_this_process_says_so():
    free = executors.InProcess().task_bytes
    told = describe_loss("x needs", "y", (free, free), BlockSize(10, 2 * free))
    assert "chunk_rows=1)" in told  # never none


def _die(item):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
def test_a_block_beyond_a_worker_is_refused_before(own_client, save, monkeypatch):
    monkeypatch.setattr("unspool.scale.geodesics.GRAPH_EDGE", 1e9)
    with pytest.raises(MemoryError, match=r"on each worker.*LandmarkIsomap"):
        Isomap(2, n_neighbors=8).fit(save(POINTS))


def test_a_checkpoint_resumes_where_it_was(save, tmp_path, monkeypatch):
    path, done = save(POINTS), []
    real = executors.Kept.write

    def write(self, number, result):
        if len(done) == 4:
            raise KeyboardInterrupt
        done.append((self.folder.name, number))
        real(self, number, result)

    monkeypatch.setattr(executors.Kept, "write", write)
    with scale.settings(chunk_rows=300, checkpoint=tmp_path / "job"):
        with pytest.raises(KeyboardInterrupt):
            LandmarkIsomap(2, n_landmarks=10).fit(path)
        monkeypatch.setattr(
            executors.Kept, "write", lambda self, n, r: (done.append(n), real(self, n, r))
        )
        resumed = LandmarkIsomap(2, n_landmarks=10).fit(path)
        n_done = len(done)
        again = LandmarkIsomap(2, n_landmarks=10).fit(path)
    with scale.settings(chunk_rows=300):
        expected = LandmarkIsomap(2, n_landmarks=10).fit(path)
    assert len(done) == n_done  # nothing was computed a second time
    np.testing.assert_array_equal(resumed.embedding_, expected.embedding_)
    np.testing.assert_array_equal(again.embedding_, expected.embedding_)


def test_a_run_that_resumes_lays_out_its_blocks_as_before(save, tmp_path, monkeypatch):
    """However much memory is free by then."""
    path, laid = save(POINTS), []
    real = executors.InProcess.results

    def results(self, function, items, shared):
        laid.append(len(items))
        return real(self, function, items, shared)

    monkeypatch.setattr(executors.InProcess, "results", results)
    for room in (4e5, 1e9, 1e6):
        monkeypatch.setattr(executors.InProcess, "task_bytes", room)
        with scale.settings(checkpoint=tmp_path / "job"):
            LandmarkIsomap(2, n_landmarks=10).fit(path)
        if room == 4e5:
            first = list(laid)
            laid.clear()
    assert max(first) > 1
    assert set(laid) <= {1, 2}  # geodesics and distances, which are not kept


def test_a_checkpoint_remembers_the_first_layout(tmp_path):
    with scale.settings(checkpoint=tmp_path):
        assert [remembered("rows", 5), remembered("rows", 9), remembered("cells", 9)] == [5, 5, 9]
    assert remembered("rows", 9) == 9


def test_other_data_do_not_resume_from_a_checkpoint(save, tmp_path):
    with scale.settings(chunk_rows=300, checkpoint=tmp_path / "job"):
        PCA(2).fit(save(POINTS))
        other = PCA(2).fit(save(POINTS[:, ::-1] + 1.0, "other.npy"))
    np.testing.assert_allclose(other.mean_, POINTS.mean(axis=0)[::-1] + 1.0)


def _stretched(seconds):
    """Return seconds of a machine that has nothing else to do, as many as they are on this one."""
    began, used = time.monotonic(), time.process_time()
    while time.process_time() - used < 0.2:
        pass
    return seconds * max(1.0, (time.monotonic() - began) / 0.2)


def _search(path, folder):
    with scale.settings(chunk_rows=100):
        Isomap(2).fit(path)


def _multiply(path, folder):
    with scale.settings(chunk_rows=20):
        Isomap(2).fit(path)


def _multiply_anew(path, folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("unspool.scale.geodesics.HELD", 0.0)
        _multiply(path, folder)


def _transform(path, folder):
    model = Isomap(2).fit(POINTS)
    with scale.settings(chunk_rows=20):
        write_parts(scale.open_source(path), model.transform, None, folder, ["a", "b"])


CANCELLED = [
    (_search, "searching"),
    (_multiply, "products"),
    (_multiply_anew, "products"),
    (_transform, "placing"),
]


@pytest.mark.parametrize(("work", "stage"), CANCELLED)
def test_cancelling_leaves_no_work_behind(work, stage, client, save, tmp_path):
    """Within two seconds nothing is asked of the workers any more."""
    listeners, cancelled = [], []

    def stop(event):
        if event.name == stage and event.done == 1 and not cancelled:
            cancelled.append(time.monotonic())
            listeners[0].cancel()

    with runtime.listen(stop) as listener:
        listeners.append(listener)
        with pytest.raises(runtime.Cancelled):
            work(save(POINTS), tmp_path / "parts")
    deadline = cancelled[0] + 30
    while any(client.processing().values()) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert time.monotonic() - cancelled[0] < _stretched(2.0)


def test_blocks_that_are_held_are_cancelled_with_the_fit(client, save, monkeypatch, tmp_path):
    """They outlive the frames of an error that a notebook keeps otherwise."""
    begun, real, listeners = [], type(client).submit, []

    def submit(self, function, *given, **options):
        future = real(self, function, *given, **options)
        begun.extend([future] if function.__name__ == "_held_block" else [])
        return future

    def stop(event):
        if event.name == "products" and event.done == 1:
            listeners[0].cancel()

    monkeypatch.setattr(type(client), "submit", submit)
    with runtime.listen(stop) as listener:
        listeners.append(listener)
        with pytest.raises(runtime.Cancelled):
            _multiply(save(POINTS), tmp_path)
    assert len(begun) == 75
    assert all(future.cancelled() for future in begun)


def test_blocks_of_products_are_let_go(client, save):
    model = Isomap(2, n_neighbors=8).fit(save(POINTS))
    assert not isinstance(model.charts_[0].relation.paths, SpreadPaths)


def _run(arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "unspool", *map(str, arguments)],
        stderr=subprocess.DEVNULL,
        **options,
    )


@pytest.mark.slow
def test_a_killed_client_resumes(save, tmp_path):
    job = ["-m", "landmark-isomap", "--n-landmarks", "10", "--chunk-rows", "100", "-q"]
    path, kept = save(POINTS), tmp_path / "kept"
    running = _run(["embed", path, *job, "--checkpoint", kept, "-o", tmp_path / "map/"])
    deadline = time.monotonic() + 120
    while len([*kept.glob("*/*.npz")]) < 20 and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    time.sleep(1.0)
    before = {file: file.stat().st_mtime_ns for file in kept.glob("*/*.npz")}
    assert len(before) >= 20
    assert _run(["embed", path, *job, "--checkpoint", kept, "-o", tmp_path / "map/"]).wait() == 0
    assert _run(["embed", path, *job, "-o", tmp_path / "fresh/"]).wait() == 0
    assert all(file.stat().st_mtime_ns == then for file, then in before.items())
    parts = sorted((tmp_path / "fresh").iterdir())
    assert len(parts) == 15
    for part in parts:
        np.testing.assert_array_equal(np.load(part), np.load(tmp_path / "map" / part.name))


KILLED = [
    ("isomap", "products", 40, []),
    ("landmark-isomap", "geodesics", 8, ["--n-landmarks", "400", "--landmarks", "random"]),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "stage", "enough", "options"), KILLED, ids=lambda case: str(case)
)
def test_a_killed_client_of_a_cluster_resumes(
    method, stage, enough, options, cluster, save, tmp_path
):
    """Its workers live on; the next client does none of the work again that was kept."""
    points = datasets.swiss_roll(4_000, seed=5).points
    job = ["embed", save(points), "-m", method, *options, "--chunk-rows", "150", "-q"]
    job += ["--n-neighbors", "8"]
    job += ["--cluster", cluster.scheduler_address]
    kept, out = tmp_path / "kept", tmp_path / "map"
    running = _run([*job, "--checkpoint", kept, "-o", out])
    deadline = time.monotonic() + 120
    while len([*kept.glob(f"{stage}-*/*.npz")]) < enough and time.monotonic() < deadline:
        time.sleep(0.002)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    assert not out.exists()
    before = {file: file.stat().st_mtime_ns for file in kept.glob("*/*.npz")}
    assert len([file for file in before if file.parent.name.startswith(stage)]) >= enough
    assert _run([*job, "--checkpoint", kept, "-o", out]).wait() == 0
    assert all(file.stat().st_mtime_ns == then for file, then in before.items())
    done = {*kept.glob(f"{stage}-*/*.npz")}
    assert not done <= {*before}  # it was killed before the end
    assert _run([*job, "--checkpoint", kept, "-o", tmp_path / "again"]).wait() == 0
    assert {*kept.glob(f"{stage}-*/*.npz")} == done  # by the keys of the first run
    assert _run([*job, "-o", tmp_path / "fresh"]).wait() == 0
    parts = sorted((tmp_path / "fresh").iterdir())
    assert len(parts) == 27
    for part in parts:
        for folder in (out, tmp_path / "again"):
            np.testing.assert_array_equal(np.load(part), np.load(folder / part.name))


def test_what_is_made_of_products_that_were_kept_makes_no_geodesics(client, save, tmp_path):
    """Blocks of the table, which are the work, are made where a product asks for them."""
    path, begun = save(POINTS), []
    with scale.settings(checkpoint=tmp_path / "job"):
        first = Isomap(2, n_neighbors=8).fit(path)
        real = type(client).submit

        def submit(self, function, *given, **options):
            begun.append(function.__name__)
            return real(self, function, *given, **options)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(type(client), "submit", submit)
            again = Isomap(2, n_neighbors=8).fit(path)
    assert first.report_.stage("products").facts["blocks"] == 4
    assert begun == []
    np.testing.assert_array_equal(first.embedding_, again.embedding_)
    kept = [file.stat().st_size for file in (tmp_path / "job").glob("products-*/*.npz")]
    assert sum(kept) < 0.1 * 8 * len(POINTS) ** 2


def test_a_checkpoint_holds_no_files_of_the_moment(save, tmp_path):
    """What workers share, and tables that a model refers to, go with the client and the model."""
    with scale.settings(checkpoint=tmp_path / "job"):
        model = LandmarkIsomap(2, n_landmarks=10).fit(save(POINTS))
        model.transform(save(POINTS)).compute()
    del model
    gc.collect()
    left = {file.name.partition("-")[0] for file in (tmp_path / "job").iterdir()}
    assert not left & {"unspool", "shared"}


@pytest.mark.slow
def test_ctrl_c_ends_the_workers(save, tmp_path):
    import psutil

    path = save(np.random.default_rng(0).normal(size=(60_000, 60)))
    running = _run(
        [
            "embed",
            path,
            "-m",
            "isomap",
            "--search",
            "exact",
            "--workers",
            2,
            "-o",
            f"{tmp_path}/m/",
            "--directory",
            tmp_path / "shared",
        ],
        start_new_session=True,
    )
    parent, deadline = psutil.Process(running.pid), time.monotonic() + 120
    while time.monotonic() < deadline:
        workers = [p for p in parent.children(recursive=True) if "spawn_main" in str(p.cmdline())]
        if len(workers) >= 2 and sum(p.cpu_times().user for p in workers) > 8:
            break
        time.sleep(0.1)
    assert len(workers) >= 2
    assert any((tmp_path / "shared").iterdir())
    began = time.monotonic()
    os.kill(running.pid, signal.SIGINT)
    assert running.wait(timeout=10) == 130
    assert time.monotonic() - began < 2.0
    _, alive = psutil.wait_procs(workers, timeout=5)
    assert not alive
    assert not any((tmp_path / "shared").iterdir())
