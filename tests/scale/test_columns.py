"""Columns have names: rows of tables in another order give the same places, or are refused."""

import dask.dataframe
import numpy as np
import pandas as pd
import polars as pl
import pytest

import unspool
from unspool import PCA, scale

from ..interfaces.running import done, refused

COLUMNS = list("abcd")
FRAME = pd.DataFrame(
    np.random.default_rng(0).normal(size=(600, 4)) * [8.0, 4.0, 2.0, 1.0], columns=COLUMNS
)


def in_pandas(frame, folder):
    return frame


def in_polars(frame, folder):
    return pl.DataFrame(frame)


def in_dask(frame, folder):
    return dask.dataframe.from_pandas(frame, npartitions=3)


def in_parquet(frame, folder):
    made = folder / "-".join(frame.columns)
    made.mkdir(exist_ok=True)
    for part in range(2):
        rows = frame[part * len(frame) // 2 : (part + 1) * len(frame) // 2]
        rows.to_parquet(made / f"{part}.parquet", row_group_size=70)
    return f"{made}/*.parquet"


KINDS = (in_pandas, in_polars, in_dask, in_parquet)
REORDERED = FRAME[COLUMNS[::-1]]
WRONG = {
    "reordered": REORDERED,
    "renamed": REORDERED.rename(columns={"b": "z"}),
    "missing": FRAME[["a", "d"]],
}
MAKE = {
    "method": lambda: PCA(2),
    "by sample": lambda: scale.by_sample(PCA(2), 300, held_out=50),
}


@pytest.mark.parametrize("how", WRONG)
@pytest.mark.parametrize("fitted", MAKE)
@pytest.mark.parametrize("kind", KINDS)
def test_columns_are_matched_by_name(kind, fitted, how, tmp_path):
    """Frames in memory must have the order of the fit, as scikit-learn asks for."""
    model = MAKE[fitted]().fit(kind(FRAME, tmp_path))
    given = kind(WRONG[how], tmp_path)
    lazy = kind in (in_dask, in_parquet)
    if lazy and how == "reordered":
        np.testing.assert_allclose(model.transform(given).compute(), model.embedding_, atol=1e-9)
        return
    told = r"X has no column '[bc]'" if lazy else "[Ff]eature names"
    with pytest.raises(ValueError, match=told) as refusal:
        model.transform(given)
    assert not lazy or "\n" not in str(refusal.value)


@pytest.mark.parametrize("fitted", MAKE)
@pytest.mark.parametrize("kind", [in_dask, in_parquet])
def test_rows_elsewhere_are_matched_with_a_fit_in_memory(kind, fitted, tmp_path):
    """What a table has beside the columns of the fit is left out."""
    model = MAKE[fitted]().fit(FRAME)
    more = REORDERED.assign(e=1.0)[["e", *REORDERED]]
    for given in (kind(REORDERED, tmp_path), kind(more, tmp_path)):
        np.testing.assert_allclose(model.transform(given).compute(), model.embedding_, atol=1e-9)
    with pytest.raises(ValueError, match="has no column 'b', which the map was made of"):
        model.transform(kind(WRONG["renamed"], tmp_path))


def test_opened_sources_are_matched_too(tmp_path):
    """Whoever opened them: files, and what a frame was written to."""
    model = PCA(2).fit(FRAME)
    for kind in (in_dask, in_parquet):
        source = scale.open_source(kind(REORDERED, tmp_path))
        placed = model.transform(source).compute()
        np.testing.assert_allclose(placed, model.embedding_, atol=1e-9)
        chosen = source.select(("b", "a"))
        assert chosen.columns == ("b", "a")
        np.testing.assert_array_equal(chosen[[7, 3]], FRAME[["b", "a"]].to_numpy()[[7, 3]])
        np.testing.assert_array_equal(chosen.read(299, 302), FRAME[["b", "a"]][299:302])


@pytest.mark.parametrize("how", WRONG)
@pytest.mark.parametrize("asked", [[], ["--by-sample", 300]], ids=["method", "by sample"])
@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_the_command_line_matches_columns_by_name(kind, asked, how, tmp_path):
    frame = pd.concat([FRAME, FRAME * 0.9, FRAME * 1.1], ignore_index=True)  # a thousand held out
    changed = WRONG[how].rename(columns={"z": "b"})
    new = frame[[*changed]].set_axis(WRONG[how].columns, axis=1)
    model, out = tmp_path / "m.unspool", tmp_path / "placed"
    rows = in_parquet(frame, tmp_path)
    done("embed", rows, "-m", "pca", *asked, "-o", f"{tmp_path}/map/", "--model", model)
    if kind == "csv":
        path, out = tmp_path / "new.csv", tmp_path / "placed.csv"
        new.to_csv(path, index=False)
    else:
        path = in_parquet(new, tmp_path / "map")
    if how != "reordered":
        told = "lacks columns.*: b" if kind == "csv" else "has no column of numbers 'b'"
        refused("transform", model, path, "-o", out, says=told)
        return
    done("transform", model, path, "-o", out)
    parts = pd.read_csv(out) if kind == "csv" else pd.read_parquet(out)
    expected = unspool.load(model).transform(frame)
    np.testing.assert_allclose(parts[["pca_1", "pca_2"]], expected, atol=1e-9)
