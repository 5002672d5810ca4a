"""Methods on a cluster, and lazy rows, against the same in one process."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import unspool
from unspool import (
    LTSA,
    PCA,
    Isomap,
    KernelPCA,
    LandmarkIsomap,
    LandmarkMDS,
    LaplacianEigenmaps,
    datasets,
    scale,
)
from unspool.catalog import entry_of
from unspool.scale.executor import Cluster
from unspool.scale.landmark_geodesics import LandmarkPaths
from unspool.scale.settings import share

from ..interfaces.running import done, refused, run
from .conftest import start_cluster


def as_dask(points, folder):
    import dask.array

    return dask.array.from_array(points, chunks=(600, 2))


def as_zarr(points, folder):
    import zarr

    options = {"shape": points.shape, "dtype": points.dtype, "chunks": (500, 3)}
    zarr.open(str(folder / "points.zarr"), mode="w", **options)[:] = points
    return folder / "points.zarr"


def as_parquet(points, folder):
    frame = pd.DataFrame(points, columns=[f"x{i}" for i in range(points.shape[1])])
    frame.to_parquet(folder / "points.parquet", row_group_size=400)
    return folder / "points.parquet"


CASES = [
    (PCA(2), as_parquet, 1e-8),
    (LandmarkMDS(2), as_zarr, 1e-8),
    (KernelPCA(2, n_landmarks=40), as_dask, 1e-8),
    (LandmarkIsomap(2, n_neighbors=8), as_dask, 1e-8),
    (LandmarkIsomap(2, n_neighbors=8), as_parquet, 1e-8),
    (Isomap(2, n_neighbors=8), as_zarr, 1e-6),
    (LaplacianEigenmaps(2), as_parquet, 1e-8),
    (LTSA(2), as_dask, 1e-8),
]
HELD_TO = {PCA: 1e-8, LandmarkMDS: 1e-8, KernelPCA: 1e-8, LandmarkIsomap: 1e-8, Isomap: 1e-6}
TAKEN = {(type(method), given) for method, given, _ in CASES}
CASES += [  # the other inputs of methods that are held to the same map
    pytest.param(method, given, HELD_TO[type(method)], marks=pytest.mark.slow)
    for method in [case[0] for case in CASES]
    for given in (as_dask, as_zarr, as_parquet)
    if type(method) in HELD_TO and (type(method), given) not in TAKEN
]


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize(("method", "given", "within"), CASES, ids=lambda case: str(case)[:24])
def test_a_map_of_the_cluster(method, given, within, roll, client, tmp_path):
    expected = type(method)(**method.get_params()).fit(roll)
    X = given(roll, tmp_path)
    found = type(method)(**method.get_params()).fit(X)
    size = np.abs(expected.embedding_).max()
    np.testing.assert_allclose(found.embedding_, expected.embedding_, atol=within * size)
    lazy = found.transform(X)
    assert type(lazy).__module__.startswith("dask")
    placed = lazy.compute()
    np.testing.assert_allclose(placed, found.transform(roll), atol=1e-12 * size)
    back = found.inverse_transform(lazy[:50]).compute()
    np.testing.assert_allclose(back, found.inverse_transform(placed[:50]), atol=1e-9)


def test_the_command_line_on_a_cluster(cluster, roll, tmp_path):
    """Parquet files in, a folder of parts out, by the workers of a scheduler that is there."""
    data, there = tmp_path / "data", ["--cluster", cluster.scheduler_address, "--chunk-rows", 700]
    data.mkdir()
    for part in range(2):
        as_parquet(roll[part::2].astype(np.float32), data)
        (data / "points.parquet").rename(data / f"{part}.parquet")
    rows, model = f"{data}/*.parquet", tmp_path / "model.unspool"
    done("embed", rows, "-m", "pca", *there, "-o", tmp_path / "map", "--model", model)
    done("transform", model, rows, *there, "-o", tmp_path / "placed")
    expected = PCA(2).fit(np.vstack([roll[::2], roll[1::2]]).astype(np.float32)).embedding_
    for folder in ("map", "placed"):
        parts = sorted((tmp_path / folder).iterdir())
        assert len(parts) == 3
        found = pd.concat([pd.read_parquet(part) for part in parts])
        assert found["row"].tolist() == [*range(len(roll))]
        np.testing.assert_allclose(found[["pca_1", "pca_2"]], expected, rtol=1e-5, atol=1e-4)
        assert found["pca_1"].dtype == np.float32
    twice = run("embed", rows, "-m", "pca", *there, "--workers", 2, "-o", tmp_path / "other")
    assert "give --workers or --cluster, not both" in twice.stderr


@pytest.mark.parametrize(
    "method",
    [pytest.param(PCA(2), marks=pytest.mark.slow), LandmarkIsomap(2, n_landmarks=20)],
    ids=["pca", "few"],
)
def test_workers_of_the_command_line(method, roll, tmp_path):
    """It starts two, gives the map of a single process, and leaves none of them behind."""
    import psutil

    as_parquet(roll, tmp_path)
    options = ["--n-landmarks", 20] if isinstance(method, LandmarkIsomap) else []
    name, before = entry_of(method).name, psutil.Process().children(recursive=True)
    asked = ["-m", name, *options, "--workers", 2, "--chunk-rows", 500]
    result = done("embed", f"{tmp_path}/*.parquet", *asked, "-o", tmp_path / "map", "--json")
    assert json.loads(result.stdout)["rows"] == len(roll)
    parts = sorted((tmp_path / "map").iterdir())
    found = pd.concat([pd.read_parquet(part) for part in parts])
    assert len(parts) == 4
    assert found["row"].tolist() == [*range(len(roll))]
    expected = type(method)(**method.get_params()).fit(roll).embedding_
    size = np.abs(expected).max()
    np.testing.assert_allclose(found.iloc[:, 1:], expected, atol=1e-8 * size)
    new = {*psutil.Process().children(recursive=True)} - {*before}
    assert not [p for p in new if "spawn_main" in str(p.cmdline())]


def test_a_model_that_no_file_can_hold_is_told_before_the_work(roll, save, tmp_path):
    path, out, model = save(roll), f"{tmp_path}/map/", tmp_path / "m.unspool"
    for name in ("landmark-isomap", "landmark-mds", "polynomial-pca", "lle"):
        refused("embed", path, "-m", name, "-o", out, "--model", model, says="--by-sample 20000")
    assert not (tmp_path / "map").exists()
    sample = ["--by-sample", 400, "--n-neighbors", 8, "--chunk-rows", 500]
    done("embed", path, "-m", "landmark-isomap", *sample, "-o", out, "--model", model)
    done("transform", model, path, "-o", f"{tmp_path}/placed/")
    assert len([*(tmp_path / "map").iterdir()]) == 4
    placed = [np.load(part) for part in sorted((tmp_path / "placed").iterdir())]
    assert np.concatenate(placed).shape == (len(roll), 2)
    with pytest.raises(ValueError, match=r"points on disk.*scale\.by_sample"):
        unspool.save(LandmarkMDS(2).fit(path), model)


def test_a_pattern_of_files_is_mapped_to_a_folder(roll, tmp_path):
    as_parquet(roll, tmp_path)
    rows = f"{tmp_path}/*.parquet"
    refused("embed", rows, "-m", "pca", "-o", tmp_path / "map.csv", says="should be a folder")
    refused("embed", rows, "-m", "pca", says="name a folder, -o map/")
    done("embed", rows, "-m", "pca", "-o", tmp_path / "map")
    assert {part.suffix for part in (tmp_path / "map").iterdir()} == {".parquet"}


def test_strays_and_components_on_a_cluster(client, save):
    """Two rolls apart, and a bridge between them, as in one process."""
    roll = datasets.swiss_roll(1_100, seed=1).points
    points = np.vstack([roll, roll[:400] * 0.5 + [200.0, 0.0, 0.0]])
    with pytest.warns(UserWarning, match="2 connected components"):
        expected = LandmarkIsomap(2, n_neighbors=6).fit(points)
    with pytest.warns(UserWarning, match="2 connected components"), scale.settings(chunk_rows=500):
        found = LandmarkIsomap(2, n_neighbors=6).fit(save(points))
    size = np.abs(expected.embedding_).max()
    np.testing.assert_allclose(found.embedding_, expected.embedding_, atol=1e-8 * size)


LARGE_TABLES = {"IN_MEMORY": 1.0, "PLACED": 300, "ROWS_TOGETHER": 3 * 8 * 1_100}


@pytest.fixture
def large_tables(monkeypatch):
    for name, value in LARGE_TABLES.items():
        monkeypatch.setattr(f"unspool.scale.landmark_geodesics.{name}", value)


@pytest.mark.parametrize("scaling", ["distance", "svd"])
def test_a_table_of_geodesics_that_is_large_is_a_file(scaling, save, large_tables):
    """Written row by row, turned over some points at a time, and gathered as it is asked for."""
    roll = datasets.swiss_roll(1_100, seed=1).points
    expected = LandmarkIsomap(2, n_landmarks=12, scaling=scaling).fit(roll)
    found = LandmarkIsomap(2, n_landmarks=12, scaling=scaling).fit(save(roll))
    held = found.charts_[0].relation.geodesics
    assert isinstance(held, LandmarkPaths)
    assert [file.name for file in Path(held.folder.path).iterdir()] == ["columns.npy"]
    assert found.report_.stage("geodesics").facts["blocks"] == 4
    np.testing.assert_array_equal(found.geodesics_, expected.geodesics_)
    size = np.abs(expected.embedding_).max()
    np.testing.assert_allclose(found.embedding_, expected.embedding_, atol=1e-8 * size)
    queries = roll[:30] + 0.01
    np.testing.assert_allclose(
        found.transform(queries), expected.transform(queries), atol=1e-8 * size
    )


def test_landmarks_place_all_points_without_a_table(client, save, large_tables):
    """Workers add up what each landmark gives; placing others later has the table written."""
    roll = datasets.swiss_roll(1_100, seed=1).points
    expected = LandmarkIsomap(2, n_landmarks=12).fit(roll)
    found = LandmarkIsomap(2, n_landmarks=12).fit(save(roll))
    size = np.abs(expected.embedding_).max()
    np.testing.assert_allclose(found.embedding_, expected.embedding_, atol=1e-8 * size)
    held = found.charts_[0].relation.geodesics
    assert not any(Path(held.folder.path).iterdir())
    lazy = found.transform(save(roll + 0.01, "others.npy"))  # by workers, which have the file
    assert [file.name for file in Path(held.folder.path).iterdir()] == ["columns.npy"]
    np.testing.assert_allclose(lazy.compute(), expected.transform(roll + 0.01), atol=1e-8 * size)
    np.testing.assert_array_equal(found.geodesics_, expected.geodesics_)


def test_a_disk_without_room_for_the_table_is_not_needed_by_the_fit(
    save, large_tables, monkeypatch
):
    """Placing others is refused, in words, before anything is written."""
    roll = datasets.swiss_roll(1_100, seed=1).points
    expected = LandmarkIsomap(2, n_landmarks=12).fit(roll)
    full = shutil.disk_usage("/")._replace(free=2 * 8 * 12 * 1_100 - 1)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: full)
    model = LandmarkIsomap(2, n_landmarks=12).fit(save(roll))
    size = np.abs(expected.embedding_).max()
    np.testing.assert_allclose(model.embedding_, expected.embedding_, atol=1e-8 * size)
    told = r"12 x 1100 geodesics, turned over, takes 211\.2 kB on disk, and 211.*directory="
    with pytest.raises(MemoryError, match=told):
        model.transform(roll[:3] + 0.01)


def test_landmarks_give_the_same_bits_in_any_order(client, save, large_tables, monkeypatch):
    points = datasets.swiss_roll(1_100, seed=1).points
    monkeypatch.setattr("unspool.scale.landmark_geodesics.EACH", 3)
    found = LandmarkIsomap(2, n_landmarks=12).fit(save(points))
    real = Cluster.results

    def backwards(self, function, items, shared):
        yield from reversed([*real(self, function, items, shared)])

    monkeypatch.setattr(Cluster, "results", backwards)
    again = LandmarkIsomap(2, n_landmarks=12).fit(save(points))
    assert found.report_.stage("placing").facts == {"blocks": 6, "workers": 2}
    np.testing.assert_array_equal(again.embedding_, found.embedding_)


def test_a_sample_stands_for_all_and_tells_how_well(client, save):
    points = datasets.swiss_roll(4_000, seed=2).points
    model = scale.by_sample(Isomap(2, n_neighbors=8), 1_200, held_out=300).fit(save(points))
    assert model.embedding_.shape == (4_000, 2)
    assert len(np.intersect1d(model.sample_, model.held_out_)) == 0
    np.testing.assert_allclose(model.embedding_[model.sample_], model.model_.embedding_, atol=1e-9)
    truth = Isomap(2, n_neighbors=8).fit(points).embedding_
    laid = np.linalg.lstsq(np.column_stack([model.embedding_, np.ones(4_000)]), truth, rcond=None)[
        0
    ]
    gaps = np.linalg.norm(
        np.column_stack([model.embedding_, np.ones(4_000)]) @ laid - truth, axis=1
    )
    true_error = np.sqrt(np.mean(gaps**2) / np.mean(np.square(truth).sum(axis=1)))
    assert 0.0 < model.placing_error_ < 0.05
    assert true_error < 2 * model.placing_error_ + 0.01
    assert model.report_.stage("placing error").facts["rows"] == 300


def test_a_bad_sample_is_warned_of(save):
    points = datasets.swiss_roll(2_000, seed=2).points
    with pytest.warns(UserWarning, match="% of the map's size"):
        scale.by_sample(Isomap(2, n_neighbors=8), 60, held_out=300).fit(points)


def test_a_sample_as_large_as_the_data_is_refused():
    with pytest.raises(ValueError, match="fit the method itself"):
        scale.by_sample(PCA(2), 90, held_out=20).fit(np.eye(100))


def test_dask_is_not_imported_before_it_is_needed():
    code = (
        "import sys, unspool, numpy as np; unspool.PCA(2).fit(np.eye(5)); "
        "sys.exit(bool({'dask', 'distributed', 'zarr'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


LOADED = """
import sys
from pathlib import Path
from unspool.scale.settings import Inline
model = Inline(Path(sys.argv[1]).read_bytes()).open()
frames = {"pandas", "pyarrow"} & set(sys.modules)
import pandas as pd, sklearn
table = pd.DataFrame(model.components_, columns=["a", "b", "c"])
model.set_output(transform="pandas").transform(table.to_numpy()).columns
sys.exit(f"loads {frames}" if frames else 0)
"""


def test_a_worker_loads_no_data_frames_with_a_model(roll, tmp_path):
    """They are a quarter of a small worker; whoever wants them later has them."""
    handle = tmp_path / "handle"
    handle.write_bytes(share(PCA(2).fit(roll)).pickled)
    asked = [sys.executable, "-c", LOADED, str(handle)]
    ran = subprocess.run(asked, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.slow
@pytest.mark.parametrize("method", [LandmarkIsomap(2), KernelPCA(2, n_landmarks=40)])
def test_workers_that_place_rows_load_no_data_frames(method, roll, save):
    from distributed import Client

    def loaded():  # not of this module, which loads them
        return {"pandas", "pyarrow", "sklearn", "unspool"} & set(sys.modules)

    with start_cluster(1, memory_limit="500MB") as running, Client(running) as client:
        model = method.fit(roll)
        model.transform(save(roll)).compute()
        assert [*client.run(loaded).values()] == [{"sklearn", "unspool"}]


WITHOUT = """
import sys
class Refuse:
    def find_spec(self, name, *rest):
        if name.partition(".")[0] in ("dask", "distributed"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Refuse())
"""


def _run_without_dask(arguments):
    code = (
        f"{WITHOUT}sys.argv = {['unspool', *arguments]!r}\nimport unspool.__main__ as m; m.main()"
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def test_without_dask_a_path_is_streamed_and_a_cluster_is_told_to_be_installed(save, tmp_path):
    points = datasets.swiss_roll(900).points
    path = save(points)
    code = f"""{WITHOUT}
import numpy as np, unspool
from unspool import scale
with scale.settings(chunk_rows=200):
    model = unspool.PCA(2).fit({str(path)!r})
    placed = model.transform({str(path)!r})
assert isinstance(placed, np.ndarray) and np.allclose(placed, model.embedding_)
unspool.save(model, {str(tmp_path / "m.unspool")!r})
class Array: pass
Array.__module__ = "dask.array.core"
for given in (Array(),):
    try:
        unspool.PCA(2).fit(given)
    except ImportError as error:
        assert "pip install 'unspool[dask]'" in str(error)
    else:
        raise SystemExit("not told")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    placing = ["transform", str(tmp_path / "m.unspool"), str(path), "-o", f"{tmp_path}/out/", "-q"]
    assert _run_without_dask(placing).returncode == 0
    refused = _run_without_dask(["embed", str(path), "--workers", "2", "-o", f"{tmp_path}/other"])
    assert refused.returncode == 2
    assert "--workers and --cluster need Dask; pip install 'unspool[dask]'" in refused.stderr
    parts = sorted((tmp_path / "out").iterdir())
    placed = np.concatenate([np.load(part) for part in parts])
    np.testing.assert_allclose(placed, PCA(2).fit(points).embedding_, atol=1e-9)


STREAM = """
from pathlib import Path
code = 0
try:
    m.main()
except SystemExit as ended:
    code = ended.code or 0
print(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
sys.exit(code)
"""


@pytest.mark.slow
@pytest.mark.parametrize("given", [as_parquet, as_zarr])
def test_without_dask_a_table_is_streamed_in_bounded_memory(given, tmp_path):
    """600 MB of rows: a process that reads them at once would hold twice that."""
    rng = np.random.default_rng(0)
    model = PCA(2).fit(rng.normal(size=(500, 150)).astype(np.float32))
    unspool.save(model, tmp_path / "m.unspool")
    data = tmp_path / "data"
    data.mkdir()
    if given is as_parquet:
        model = PCA(2).fit(as_named(rng.normal(size=(500, 150)).astype(np.float32)))
        unspool.save(model, tmp_path / "m.unspool")
        for part in range(4):
            some = as_named(rng.normal(size=(250_000, 150)).astype(np.float32))
            some.to_parquet(data / f"{part}.parquet", row_group_size=20_000)
        rows = f"{data}/*.parquet"
    else:
        import zarr

        options = {"shape": (1_000_000, 150), "dtype": np.float32, "chunks": (20_000, 150)}
        table = zarr.open(str(data / "t.zarr"), mode="w", **options)
        for first in range(0, 1_000_000, 100_000):
            table[first : first + 100_000] = rng.normal(size=(100_000, 150))
        rows = str(data / "t.zarr")
    asked = ["transform", tmp_path / "m.unspool", rows, "-o", tmp_path / "out", "-q"]
    arguments = ["unspool", *map(str, asked), "--chunk-rows", "20000"]
    code = f"{WITHOUT}sys.argv = {arguments!r}\nimport unspool.__main__ as m\n{STREAM}"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert 1024 * int(ran.stdout.split()[-1]) < 550e6
    parts = sorted((tmp_path / "out").iterdir())
    assert len(parts) == 50
    first = pd.read_parquet(parts[0]).iloc[:, 1:] if given is as_parquet else np.load(parts[0])
    assert first.shape == (20_000, 2)


def as_named(points):
    return pd.DataFrame(points, columns=[f"x{i}" for i in range(points.shape[1])])
