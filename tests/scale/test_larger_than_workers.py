"""A table four times larger than the memory of each worker, under Dask's own settings."""

import os
from pathlib import Path

import numpy as np
import pytest

from unspool import PCA, KernelPCA, LandmarkIsomap

from .conftest import start_cluster

LIMIT = 600_000_000
COLUMNS = 600
ROWS = 4 * LIMIT // (4 * COLUMNS)
BLOCK = 50_000


@pytest.fixture(scope="module")
def spiral(tmp_path_factory):
    """Write a spiral in 600 columns of single precision; return where, and the places along it."""
    rng = np.random.default_rng(0)
    along = rng.random(ROWS)
    axes = np.linalg.qr(rng.normal(size=(COLUMNS, 3)))[0].T
    path = tmp_path_factory.mktemp("large") / "spiral.npy"
    table = np.lib.format.open_memmap(path, "w+", dtype=np.float32, shape=(ROWS, COLUMNS))
    for first in range(0, ROWS, BLOCK):
        some = slice(first, first + BLOCK)
        angle = 4 * np.pi * along[some]
        curve = np.column_stack([10 * np.cos(angle), 10 * np.sin(angle), 20 * angle])
        table[some] = curve @ axes
    table.flush()
    yield path, along
    path.unlink()


@pytest.fixture(scope="module")
def workers():
    from distributed import Client

    with start_cluster(2, memory_limit=LIMIT) as cluster, Client(cluster) as client:
        yield client


@pytest.fixture
def watched(workers):
    """Hold all workers to the end, each below its limit all the time, by the kernel's own mark."""
    before = sorted(workers.run(os.getpid).values())
    yield
    assert sorted(workers.run(os.getpid).values()) == before
    for pid in before:
        status = Path(f"/proc/{pid}/status").read_text()
        assert 1024 * int(status.split("VmHWM:")[1].split()[0]) < LIMIT


pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("watched")]


def test_the_table_is_four_times_the_limit(spiral):
    assert spiral[0].stat().st_size >= 4 * LIMIT


def test_pca_and_its_lazy_transform(spiral):
    path, along = spiral
    model = PCA(3).fit(path)
    assert model.explained_variance_ratio_.sum() == pytest.approx(1.0, abs=1e-6)
    assert abs(np.corrcoef(model.embedding_[:, 0], along)[0, 1]) > 0.99
    placed = model.transform(path)
    assert placed.dtype == np.float32
    np.testing.assert_allclose(placed.compute(), model.embedding_, rtol=1e-4, atol=1e-3)


def test_nystroem_kernel_pca(spiral):
    path, _ = spiral
    model = KernelPCA(2, n_landmarks=50, sigma=100.0).fit(path)
    few = np.array(np.load(path, mmap_mode="r")[::5_000])
    np.testing.assert_allclose(
        model.transform(few), model.embedding_[::5_000], rtol=1e-3, atol=1e-4
    )


def test_neighbours_and_landmark_isomap(spiral):
    path, along = spiral
    model = LandmarkIsomap(1, n_neighbors=6, n_landmarks=10, search="exact").fit(path)
    assert model.report_.stage("searching").facts["blocks"] > 100
    assert abs(np.corrcoef(model.embedding_[:, 0], along)[0, 1]) > 0.9999
    some = np.array(np.load(path, mmap_mode="r")[:BLOCK])
    placed = model.transform(some)
    assert abs(np.corrcoef(placed[:, 0], along[:BLOCK])[0, 1]) > 0.9999
