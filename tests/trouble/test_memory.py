"""What does not fit is refused before the work starts, with the bytes and a way out."""

import json
import subprocess
import sys
import tracemalloc
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


ALIGNED = {"LTSA": 11, "HessianLLE": 19, "ModifiedLLE": 11}  # members of a neighbourhood


@pytest.mark.parametrize("name", [*ALIGNED, "Isomap"])
def test_what_comes_after_the_search_is_refused_before_it(name, monkeypatch):
    from unspool.problem import alignment_bytes

    needed = 4 * 100 * 100 if name == "Isomap" else alignment_bytes(100, ALIGNED[name])
    monkeypatch.setattr(memory, "available_bytes", lambda: needed - 1)
    events = []
    with runtime.listen(events.append), pytest.raises(MemoryError, match=r"of 100 points|aligning"):
        CASES[name].make().fit(X)
    assert not events
    monkeypatch.setattr(memory, "available_bytes", lambda: 100 * needed)
    assert np.isfinite(CASES[name].make().fit(X).embedding_).all()


def test_a_surface_in_many_features_is_refused_before_its_first_step(monkeypatch):
    from unspool.principal import surface

    claimed = []
    monkeypatch.setattr(surface, "claim", lambda needed, *told: claimed.append(needed))
    wide = np.tile(X, 40)
    CASES["PrincipalSurface"].make(max_iter=1).fit(wide)
    assert claimed[0] > 13 * wide.nbytes
    monkeypatch.setattr(surface, "claim", runtime.claim)
    monkeypatch.setattr(memory, "available_bytes", lambda: claimed[0] - 1)
    with pytest.raises(MemoryError, match="smoothing 100 points of 200 features"):
        CASES["PrincipalSurface"].make(max_iter=1).fit(wide)


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


WHOLE_FITS = """
import json, sys
import numpy as np
from benchmarks.plan import peak_of
import unspool
random = np.random.default_rng(0)
name, n, d, options = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), json.loads(sys.argv[4])
points = np.tanh(random.normal(size=(n, 2)) @ random.normal(size=(2, d)))
make = lambda: getattr(unspool, name)(2, **options)
make().fit(points[:200])
print(json.dumps(peak_of(lambda: make().fit(points))["bytes"]))
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="peaks are read from /proc")
@pytest.mark.parametrize(
    ("name", "n", "d", "options"),
    [
        ("ModifiedLLE", 10_000, 3, {"n_neighbors": 25}),
        ("LTSA", 10_000, 3, {"n_neighbors": 25}),
        ("PrincipalSurface", 600, 1_500, {"max_iter": 1}),
    ],
)
def test_the_claim_of_a_fit_is_its_peak(name, n, d, options):
    from unspool.problem import alignment_bytes

    command = [sys.executable, "-c", WHOLE_FITS, name, str(n), str(d), json.dumps(options)]
    root = Path(__file__).parents[2]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=root, check=True)
    if name == "PrincipalSurface":
        claimed = 8 * (4 * n * 593 + 13 * (n + 593) * d)  # 93 knots, 500 seeds
    else:
        claimed = alignment_bytes(n, options["n_neighbors"] + 1)
    assert 1 / 1.8 < claimed / json.loads(ran.stdout) < 1.8


# bytes for each number of the points that are enough; a model's own copy is four of them
SINGLE = {"PCA": 8, "RandomProjection": 8, "LandmarkMDS": 10}
KEPT_SINGLE = ["LaplacianEigenmaps"]
KEPT_SINGLE += [
    pytest.param(name, marks=pytest.mark.slow)
    for name in ("LandmarkIsomap", "Isomap", "LLE", "LTSA", "DiffusionMaps")
]


def single(n, d):
    random = np.random.default_rng(0)
    return np.tanh(random.normal(size=(n, 4)) @ random.normal(size=(4, d))).astype(np.float32)


def most_held(work):
    """The bytes that arrays have at most while something works, beyond those before."""
    work()  # what is compiled, and loaded, is no part of it
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "name", ["PCA", "RandomProjection", pytest.param("LandmarkMDS", marks=pytest.mark.slow)]
)
def test_single_precision_is_never_double_as_a_whole(name):
    points = single(12_000, 300)
    model = CASES[name].make(n_components=2)
    assert most_held(lambda: model.fit(points)) < SINGLE[name] * points.size
    assert most_held(lambda: model.transform(points)) < 8 * points.size


@pytest.mark.parametrize("name", KEPT_SINGLE)
def test_single_precision_is_kept_in_half_the_room(name):
    points = single(2_000, 500)
    narrow, double = (
        most_held(lambda X=X: CASES[name].make().fit(X)) for X in (points, points.astype(float))
    )
    assert narrow < double - 0.7 * points.nbytes  # the model's own copy alone is that much smaller
