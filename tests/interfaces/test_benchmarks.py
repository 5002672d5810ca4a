"""The benchmarks speak for every method, and a row can be run."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.rows import Row, misfit, recipe
from benchmarks.run import DataAbsent, measure
from benchmarks.table import ROWS
from unspool import distances
from unspool.catalog import METHODS

ROOT = Path(__file__).parents[2]


def test_every_method_has_a_row():
    assert {row.method for row in ROWS.values()} == set(METHODS)


@pytest.mark.parametrize("name", sorted(ROWS))
def test_rows_are_complete(name):
    row = ROWS[name]
    assert isinstance(row, Row)
    assert row.runs >= 1
    assert row.quality is not None
    assert row.measures


def test_neighbours_are_judged_by_the_true_ones():
    from benchmarks import neighbors
    from benchmarks.data import Data

    sample = Data(np.random.default_rng(0).normal(size=(1200, 12)))
    found = neighbors.exact(sample)
    assert neighbors.recall(found, sample) == 1.0
    assert neighbors.recall(neighbors.sklearn(sample), sample) == 1.0
    wrong = np.array(found["neighbors"])
    wrong[:, -1] = distances.neighbor_graph(sample.points, 11).neighbors.reshape(-1, 11)[:, -1]
    assert neighbors.recall({"neighbors": wrong}, sample) == pytest.approx(0.9)


def test_a_side_fits_and_is_judged():
    from benchmarks.data import roll

    sample = roll(600)
    answer = recipe("isomap", n_components=2, n_neighbors=10)(sample)
    assert answer["map"].shape == (600, 2)
    assert misfit(answer, sample) < 0.05
    assert np.isfinite(answer["values"]).all()


def test_a_row_whose_data_are_absent_says_so(monkeypatch, tmp_path):
    monkeypatch.setenv("UNSPOOL_DATA", str(tmp_path))
    monkeypatch.chdir(ROOT)
    with pytest.raises(DataAbsent, match="real data set 'mnist' was not found"):
        measure(ROWS["pca-mnist10k"])
