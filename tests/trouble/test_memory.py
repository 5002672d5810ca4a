"""What does not fit is refused before the work starts, with the bytes and a way out."""

import json
import subprocess
import sys
from pathlib import Path

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


WIDE = np.random.default_rng(0).normal(size=(1500, 60))


@pytest.mark.parametrize("search", ["exact", "approximate"])
def test_the_search_for_neighbours_claims_what_it_takes(search, monkeypatch):
    from unspool import distances

    needed = {"exact": distances.exact_bytes, "approximate": distances.workspace_bytes}[search]
    monkeypatch.setattr(memory, "available_bytes", lambda: 0.9 * needed(1500, 60, 11))
    with pytest.raises(MemoryError, match=r"search (for neighbours )?among 1500 points .*; "):
        distances.neighbor_graph(WIDE, 10, search=search)
    monkeypatch.setattr(memory, "available_bytes", lambda: 1.1 * needed(1500, 60, 11))
    assert distances.neighbor_graph(WIDE, 10, search=search).n_edges == 15_000


MEASURED = """
import json, sys
import numpy as np
from benchmarks.plan import peak_of
from unspool import distances
n, d, search = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
random = np.random.default_rng(0)
points = np.tanh(random.normal(size=(n, 5)) @ random.normal(size=(5, d)))
distances.neighbor_graph(points[:1500], 15, search=search)
print(json.dumps(peak_of(lambda: distances.neighbor_graph(points, 15, search=search))["bytes"]))
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="peaks are read from /proc")
@pytest.mark.parametrize(
    ("n", "d", "search"),
    [(20_000, 20, "exact"), (6_000, 400, "exact"), (20_000, 20, "approximate")],
)
def test_the_claim_of_the_search_is_its_peak(n, d, search):
    from unspool import distances

    command = [sys.executable, "-c", MEASURED, str(n), str(d), search]
    root = Path(__file__).parents[2]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=root, check=True)
    needed = {"exact": distances.exact_bytes, "approximate": distances.workspace_bytes}[search]
    assert 1 / 1.8 < needed(n, d, 16) / json.loads(ran.stdout) < 1.8
