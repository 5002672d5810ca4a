"""What does not fit is refused before the work starts, with the bytes and a way out."""

import numpy as np
import pytest

from tests.cases import CASES, bent
from unspool import runtime
from unspool.runtime import resources as memory

X = bent(100)
TABLES = {"KernelPCA": "similarity", "ClassicalMDS": "similarity", "Isomap": "geodesics"}


@pytest.mark.parametrize("name", TABLES)
def test_tables_of_all_pairs_are_refused(name, monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 50_000)  # 100 x 100 x 8 is 80,000
    events = []
    model = CASES[name].make()
    with (
        runtime.listen(events.append),
        pytest.raises(MemoryError, match=r"100 .* would take \d+\.\d kB but 50\.0 kB are free; "),
    ):
        model.fit(X)
    assert TABLES[name] not in {event.name for event in events}
    assert "spectrum" not in {event.name for event in events}
    assert not hasattr(model, "embedding_")


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("ClassicalMDS", "PCA gives the same map"),
        ("KernelPCA", "sample|landmarks"),
        ("Isomap", "LLE, LaplacianEigenmaps|LandmarkIsomap"),
    ],
)
def test_the_refusal_names_what_would_fit(name, instead, monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 0)
    with pytest.raises(MemoryError, match=instead):
        CASES[name].make().fit(X)


@pytest.mark.parametrize("name", ["PCA", "LLE", "LaplacianEigenmaps"])
def test_methods_without_a_table_are_not_refused(name, monkeypatch):
    expected = CASES[name].make().fit(X).embedding_
    monkeypatch.setattr(memory, "available_bytes", lambda: 50_000)
    np.testing.assert_array_equal(CASES[name].make().fit(X).embedding_, expected)


@pytest.mark.parametrize("name", TABLES)
def test_a_refused_fit_leaves_the_earlier_one(name, monkeypatch):
    model = CASES[name].make().fit(X)
    kept = np.array(model.embedding_)
    monkeypatch.setattr(memory, "available_bytes", lambda: 0)
    with pytest.raises(MemoryError):
        model.fit(bent(120))
    np.testing.assert_array_equal(model.embedding_, kept)
    assert model.n_features_in_ == 5
    monkeypatch.undo()
    np.testing.assert_allclose(model.transform(X), kept, rtol=1e-7, atol=1e-9)


def test_a_million_points_are_refused_at_once():
    """24 TB of similarities: no allocation is tried, whatever this machine has."""
    huge = np.zeros((1_000_000, 1))
    huge[:, 0] = np.arange(1_000_000)
    with pytest.raises(MemoryError, match=r"24\.0 TB"):
        CASES["ClassicalMDS"].make(n_components=1).fit(huge)
