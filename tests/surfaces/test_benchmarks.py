"""The benchmarks speak for every method, and a row can be run."""

import numpy as np
import pytest

from benchmarks.rows import Row, misfit, recipe
from benchmarks.table import ROWS
from unspool import catalog


def test_every_method_has_a_row():
    assert {row.method for row in ROWS.values()} == set(catalog.METHODS)


@pytest.mark.parametrize("name", sorted(ROWS))
def test_rows_are_complete(name):
    row = ROWS[name]
    assert isinstance(row, Row)
    assert row.runs >= 1
    assert row.quality is not None
    assert row.measures


def test_a_side_fits_and_is_judged():
    from benchmarks.data import roll

    sample = roll(600)
    answer = recipe("isomap", n_components=2, n_neighbors=10)(sample)
    assert answer["map"].shape == (600, 2)
    assert misfit(answer, sample) < 0.05
    assert np.isfinite(answer["values"]).all()
