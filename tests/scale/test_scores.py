"""Scores and dimensions of points that are not in memory: as in memory, read block by block."""

import sys

import numpy as np
import pandas as pd
import pytest

from unspool import PCA, datasets, intrinsic_dimension, quality, scale
from unspool.scale import files, sources

ROLL = datasets.swiss_roll(1_400, seed=2).points
WIDE = np.random.default_rng(0).normal(size=(1_300, 40)) @ np.diag(0.9 ** np.arange(40))


def as_file(points, folder):
    np.save(folder / "points.npy", points)
    return folder / "points.npy"


def as_dask(points, folder):
    import dask.array

    return dask.array.from_array(points, chunks=(300, 2))


def as_frame(points, folder):
    import dask.dataframe

    names = [f"x{i}" for i in range(points.shape[1])]
    return dask.dataframe.from_pandas(pd.DataFrame(points, columns=names), npartitions=4)


def as_parquet(points, folder):
    names = [f"x{i}" for i in range(points.shape[1])]
    frame = pd.DataFrame(points, columns=names)
    frame.to_parquet(folder / "points.parquet", row_group_size=333)
    return folder / "points.parquet"


KINDS = [as_file, as_dask, as_frame, as_parquet]
SCORES = {
    "trustworthiness": quality.trustworthiness,
    "continuity": quality.continuity,
    "area": quality.r_nx_area,
    "kept": quality.neighbors_kept,
    "stress": quality.stress,
    "Shepard": quality.shepard,
    "distortion": quality.local_distortion,
}


@pytest.fixture
def only_blocks(monkeypatch):
    """Refuse to read more than 500 rows together."""
    monkeypatch.setattr(sources, "in_memory", _no_lazy_points(sources.in_memory))
    for kind in (sources.Source, files.NpyFile):
        monkeypatch.setattr(kind, "read", _refuse_many(kind.read))


def _no_lazy_points(real):
    def read(X, what):
        assert not sources.is_lazy(X)
        return real(X, what)

    return read


def _refuse_many(real):
    def read(self, start, stop):
        assert stop - start <= 500
        return real(self, start, stop)

    return read


@pytest.mark.parametrize("points", [ROLL, WIDE], ids=["3 columns", "40 columns"])
@pytest.mark.parametrize("score", SCORES.values(), ids=SCORES)
def test_as_in_memory_and_never_all_rows_at_once(score, points, tmp_path, only_blocks):
    places = PCA(2).fit(points).embedding_
    expected = score(points, places)
    with scale.settings(chunk_rows=250):
        found = score(as_file(points, tmp_path), places)
    assert found.value == pytest.approx(expected.value, rel=1e-9)
    np.testing.assert_allclose(found.per_point, expected.per_point, rtol=1e-7, atol=1e-9)
    assert found.n_points == len(points)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_points(kind, tmp_path):
    places = PCA(2).fit(ROLL).embedding_
    X = kind(ROLL, tmp_path)
    with scale.settings(chunk_rows=400):
        found = quality.trustworthiness(X, places)
        assert intrinsic_dimension(X).n_components == 2
    assert found.value == pytest.approx(quality.trustworthiness(ROLL, places).value, rel=1e-12)


def test_a_lazy_map_is_scored_against_lazy_points(client, tmp_path):
    X = as_dask(ROLL.astype(np.float32), tmp_path)
    model = PCA(2).fit(X)
    placed = model.transform(X)
    assert placed.dtype == np.float32
    with scale.settings(chunk_rows=400):
        found = quality.stress(X, placed)
        kept = quality.neighbors_kept(X, placed)
    single = ROLL.astype(np.float32)
    mapped = model.transform(single)
    assert found.value == pytest.approx(quality.stress(single, mapped).value, rel=1e-6)
    assert kept.value == pytest.approx(quality.neighbors_kept(single, mapped).value, rel=1e-9)


def test_a_sample_of_many_points_is_scored_against_all(client, tmp_path):
    points = datasets.swiss_roll(9_000, seed=1).points
    places = PCA(2).fit(points).embedding_
    found = quality.neighborhoods(as_file(points, tmp_path), places)
    expected = quality.neighborhoods(points, places)
    np.testing.assert_array_equal(found.curve.sample, expected.curve.sample)
    assert not found.trustworthiness.exact
    assert found.trustworthiness.value == pytest.approx(expected.trustworthiness.value, rel=1e-9)
    np.testing.assert_allclose(found.curve.values, expected.curve.values, rtol=1e-7, atol=1e-9)


def test_a_table_that_is_large_is_a_file_that_goes_away(tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules["unspool.scale.settings"], "IN_MEMORY", 1e5)
    places = PCA(2).fit(ROLL).embedding_
    with scale.settings(directory=tmp_path / "scratch", chunk_rows=400):
        found = quality.stress(as_file(ROLL, tmp_path), places)
    assert found.value == pytest.approx(quality.stress(ROLL, places).value, rel=1e-12)
    assert not any((tmp_path / "scratch").iterdir())


def test_a_disk_without_room_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules["unspool.scale.settings"], "IN_MEMORY", 1.0)
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("Usage", (), {"free": 10}))
    with pytest.raises(MemoryError, match=r"on disk, and 10 B are free.*directory"):
        quality.stress(as_file(ROLL, tmp_path), ROLL[:, :2])


def test_short_circuits_of_points_on_disk(tmp_path):
    found = quality.short_circuits(as_file(ROLL, tmp_path), 6)
    np.testing.assert_array_equal(found.edges, quality.short_circuits(ROLL, 6).edges)


def test_a_missing_value_is_told_by_its_row(tmp_path):
    wrong = ROLL.copy()
    wrong[777, 1] = np.nan
    with (
        scale.settings(chunk_rows=400),
        pytest.raises(ValueError, match="NaN in row 777, column 1"),
    ):
        quality.stress(as_file(wrong, tmp_path), ROLL[:, :2])
