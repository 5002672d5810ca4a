"""Points that stay on disk: the rows of every kind of source, and the errors of bad ones."""

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from unspool import (
    PCA,
    KernelPCA,
    LandmarkIsomap,
    LandmarkMDS,
    LaplacianEigenmaps,
    RandomProjection,
    scale,
)

RNG = np.random.default_rng(0)
POINTS = RNG.normal(size=(230, 4))


def as_npy(folder):
    np.save(folder / "points.npy", POINTS)
    return folder / "points.npy"


def as_zarr(folder):
    import zarr

    options = {"shape": POINTS.shape, "dtype": POINTS.dtype, "chunks": (50, 3)}
    zarr.open(str(folder / "points.zarr"), mode="w", **options)[:] = POINTS
    return folder / "points.zarr"


def as_open_zarr(folder):
    import zarr

    return zarr.open(as_zarr(folder), mode="r")


def as_parquet(folder):
    frame = pd.DataFrame(POINTS, columns=list("abcd"))
    frame.insert(1, "name", "word")
    frame[:100].to_parquet(folder / "0.parquet", row_group_size=30)
    frame[100:].to_parquet(folder / "1.parquet", row_group_size=64)
    return folder


def as_pattern(folder):
    return f"{as_parquet(folder)}/*.parquet"


def as_dataset(folder):
    import pyarrow.dataset

    return pyarrow.dataset.dataset(as_parquet(folder), format="parquet")


def as_dask(folder):
    import dask.array

    return dask.array.from_array(POINTS, chunks=(70, 3))


def as_frame(folder):
    import dask.dataframe

    return dask.dataframe.from_pandas(pd.DataFrame(POINTS, columns=list("abcd")), npartitions=3)


KINDS = [as_npy, as_zarr, as_open_zarr, as_parquet, as_pattern, as_dataset, as_dask, as_frame]


@pytest.mark.parametrize("make", KINDS)
def test_rows_are_those_of_the_table(make, tmp_path):
    given = make(tmp_path)
    assert scale.is_lazy(given)
    opened = scale.open_source(given)  # files of its own last as long as this
    source = pickle.loads(pickle.dumps(opened))
    assert source.shape == POINTS.shape
    np.testing.assert_array_equal(source.read(63, 171), POINTS[63:171])
    rows = np.array([200, 3, 3, 99, 100, 0])
    np.testing.assert_array_equal(source[rows], POINTS[rows])
    np.testing.assert_array_equal(source[rows.reshape(2, 3)], POINTS[rows.reshape(2, 3)])
    np.testing.assert_array_equal(source[7], POINTS[7])
    np.testing.assert_array_equal(source[10:20], POINTS[10:20])
    kept = np.array([1, 5, 64, 65, 229])
    np.testing.assert_array_equal(source.take(kept).read(1, 4), POINTS[kept[1:4]])


def test_frames_are_placed_lazily_and_back_in_single_precision():
    import dask.dataframe

    single = POINTS.astype(np.float32)
    held = pd.DataFrame(single, columns=list("abcd"))
    frame = dask.dataframe.from_pandas(held, npartitions=3)
    model = PCA(2).fit(frame)
    placed = model.transform(frame)
    back = model.inverse_transform(placed)
    assert placed.npartitions == back.npartitions == 3
    for lazy in (placed, back):
        assert lazy.dtype == lazy.compute().dtype == np.float32
    expected = model.transform(held)
    np.testing.assert_allclose(placed.compute(), expected, atol=1e-12)
    np.testing.assert_allclose(back.compute(), model.inverse_transform(expected), atol=1e-12)


def _peak():
    """Return the most bytes that were resident since the last call, and begin anew."""
    status = Path("/proc/self/status").read_text()
    Path("/proc/self/clear_refs").write_text("5")
    return 1024 * int(status.split("VmHWM:")[1].split()[0])


@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_of_an_array_file_are_read_wherever_they_are(order, tmp_path):
    np.save(tmp_path / "points.npy", np.asarray(POINTS, order=order))
    source = scale.open_source(tmp_path / "points.npy")
    for start, stop in ((0, 230), (5, 6), (200, 400), (7, 7)):
        np.testing.assert_array_equal(source.read_range(start, stop), POINTS[start:stop])


def test_pages_of_an_array_file_do_not_count_as_the_workers(tmp_path):
    """A mapped block would be resident twice: its pages and its copy."""
    table = np.ones((80_000, 100), np.float32)
    np.save(tmp_path / "points.npy", table)
    source = scale.open_source(tmp_path / "points.npy")
    try:
        _peak()
    except OSError:
        pytest.skip("the system does not tell peaks of memory")
    before = _peak()
    kept = source.read_range(0, 80_000)
    assert _peak() - before < 1.5 * kept.nbytes


def test_names_of_columns_choose_them_again(tmp_path):
    model = PCA(2).fit(as_parquet(tmp_path))
    assert model.feature_names_in_.tolist() == list("abcd")
    (tmp_path / "other").mkdir()
    shuffled = pd.DataFrame(POINTS, columns=list("abcd"))[list("dbca")]
    shuffled.to_parquet(tmp_path / "other" / "x.parquet")
    placed = model.transform(tmp_path / "other" / "x.parquet").compute()
    np.testing.assert_allclose(placed, model.embedding_, atol=1e-12)


def test_row_groups_are_decoded_a_few_columns_at_a_time(tmp_path, monkeypatch):
    """A row group may be larger than a worker's memory."""
    from pyarrow.parquet import ParquetFile

    pd.DataFrame(POINTS, columns=list("abcd")).to_parquet(tmp_path / "one.parquet")
    decoded, real = [], ParquetFile.read_row_group

    def read(self, number, columns, **options):
        decoded.append(len(columns))
        return real(self, number, columns, **options)

    monkeypatch.setattr("unspool.scale.files.DECODED", 500)
    monkeypatch.setattr(ParquetFile, "read_row_group", read)
    source = scale.open_source(tmp_path / "one.parquet")
    np.testing.assert_array_equal(source.read(101, 140), POINTS[101:140])
    assert decoded == [2, 2]


def test_what_dask_blocks_have_in_common_is_computed_once(tmp_path):
    import dask.array

    def counted(block, block_info=None):
        if block_info is not None:
            with open(tmp_path / "blocks", "a") as file:
                file.write(f"{block_info[0]['chunk-location'][0]}\n")
        return block

    array = dask.array.from_array(POINTS, chunks=(23, 4)).map_blocks(counted, dtype=float)
    source = scale.spool((array - array.mean(axis=0)) / array.std(axis=0))
    expected = (POINTS - POINTS.mean(axis=0)) / POINTS.std(axis=0)
    np.testing.assert_allclose(source[:], expected, rtol=0, atol=1e-12)
    assert sorted(map(int, (tmp_path / "blocks").read_text().split())) == [*range(10)]


def test_dask_arrays_that_the_workers_hold(client):
    import dask.array

    held = client.persist(dask.array.from_array(POINTS, chunks=(70, 3)))
    model = PCA(2).fit(held)
    np.testing.assert_allclose(model.embedding_, PCA(2).fit(POINTS).embedding_, atol=1e-12)
    np.testing.assert_allclose(model.transform(held).compute(), model.embedding_, atol=1e-12)


def sparse_blocks(table):
    import dask.array

    blocks = [
        dask.array.from_delayed(
            part, shape=(100, table.shape[1]), dtype=float, meta=sp.csr_matrix((0, 0))
        )
        for part in map(_later, (table[:100], table[100:200], table[200:]))
    ]
    return dask.array.concatenate(blocks)


@pytest.mark.parametrize(
    "method",
    [
        PCA(3),
        RandomProjection(3),
        LaplacianEigenmaps(2),
        LandmarkIsomap(2),
        KernelPCA(2),
    ],
    ids=lambda method: type(method).__name__,
)
def test_dask_blocks_may_be_sparse(method):
    table = sp.random(300, 20, density=0.4, random_state=0, format="csr")
    found = type(method)(**method.get_params()).fit(sparse_blocks(table))
    expected = type(method)(**method.get_params()).fit(table)
    assert sp.issparse(vars(found).get("_X")) == sp.issparse(vars(expected).get("_X"))
    size = np.abs(expected.embedding_).max()
    np.testing.assert_allclose(found.embedding_, expected.embedding_, atol=1e-10 * size)
    placed = found.transform(sparse_blocks(table)).compute()
    np.testing.assert_allclose(placed, found.transform(table), atol=1e-12 * size)


def test_sparse_blocks_are_told_to_be_made_dense_where_points_must_be():
    table = sp.random(300, 20, density=0.4, random_state=0, format="csr")
    with pytest.raises(ValueError, match=r"LandmarkMDS takes dense points.*map_blocks"):
        LandmarkMDS(2).fit(sparse_blocks(table))


def _later(part):
    import dask

    return dask.delayed(sp.csr_matrix)(part)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("nothing.npy", "no file"),
        ("words.txt", "cannot be read a range of rows at a time"),
        ("*.parquet", "names no parquet files"),
        ("flat.npy", "table of numbers"),
        ("empty.npy", "0 rows"),
    ],
)
def test_what_is_no_table_is_told(name, told, tmp_path):
    (tmp_path / "words.txt").write_text("a b c")
    np.save(tmp_path / "flat.npy", np.zeros(5))
    np.save(tmp_path / "empty.npy", np.zeros((0, 3)))
    with pytest.raises(ValueError, match=told):
        PCA(2).fit(tmp_path / name)


def test_a_missing_value_is_told_by_its_row(save):
    wrong = POINTS.copy()
    wrong[157, 2] = np.nan
    with scale.settings(chunk_rows=50), pytest.raises(ValueError, match="NaN in row 157, column 2"):
        PCA(2).fit(save(wrong))


def test_a_model_is_as_before_when_its_fit_fails(save):
    model = PCA(2).fit(POINTS)
    before = model.embedding_
    wrong = POINTS.copy()
    wrong[3, 0] = np.inf
    with pytest.raises(ValueError, match="inf"):
        model.fit(save(wrong))
    assert model.embedding_ is before
