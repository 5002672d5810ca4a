"""The benchmarks speak for every method, and a row can be run."""

import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import neighbors, real_sides
from benchmarks.data import Data
from benchmarks.page import RESULTS, read_records
from benchmarks.rows import AfterFit, Row, misfit, recipe
from benchmarks.run import DataAbsent, measure
from benchmarks.table import ROWS
from benchmarks.targets import LIMITS, TARGETS, missed, summary
from tests.compare import angle_between
from unspool import distances
from unspool.catalog import METHODS

ROOT = Path(__file__).parents[2]


def test_every_method_has_a_row_on_made_data_and_one_on_a_real_table():
    for real in (True, False):
        assert {row.method for row in ROWS.values() if row.real is real} == set(METHODS)


def test_targets_are_of_rows_that_exist():
    assert set(TARGETS) | set(LIMITS) <= set(ROWS)
    assert all(ROWS[name].peers for name in TARGETS)


def test_results_are_kept_of_every_target_and_of_every_method():
    kept = {record["name"] for record in read_records(RESULTS)}
    assert set(TARGETS) | set(LIMITS) <= kept
    for real in (True, False):
        rows = [row for name, row in ROWS.items() if name in kept and row.real is real]
        assert {row.method for row in rows} == set(METHODS)


@pytest.mark.parametrize("name", sorted(ROWS))
def test_rows_are_complete(name):
    row = ROWS[name]
    assert isinstance(row, Row)
    assert row.runs >= 1
    assert row.quality is not None
    assert row.measures


def test_neighbours_are_judged_by_the_true_ones():
    sample = Data(np.random.default_rng(0).normal(size=(1200, 12)))
    found = neighbors.nearest()(sample)
    assert neighbors.recall(found, sample) == 1.0
    assert neighbors.recall(neighbors.sklearn()(sample), sample) == 1.0
    assert neighbors.recall(neighbors.faiss_flat()(sample), sample) == 1.0
    wrong = np.array(found["neighbors"])
    wrong[:, -1] = distances.neighbor_graph(sample.points, 11).neighbors.reshape(-1, 11)[:, -1]
    assert neighbors.recall({"neighbors": wrong}, sample) == pytest.approx(0.9)
    for side in (
        neighbors.nearest(metric="cosine"),
        neighbors.sklearn(metric="cosine"),
        neighbors.faiss_flat(cosine=True),
    ):
        assert neighbors.cosine_recall(side(sample), sample) == 1.0
        assert neighbors.recall(side(sample), sample) < 0.99
    ours, theirs = (make(3.0)(sample) for make in (neighbors.within, neighbors.sklearn_within))
    lengths = real_sides.edge_length(ours, sample), real_sides.edge_length(theirs, sample)
    assert lengths[0] == pytest.approx(lengths[1])


@pytest.mark.parametrize(
    ("name", "spread"),
    [
        ("diffusion-mnist10k", 1e-6),
        ("feature-map-pendigits11k", 1e-8),
        ("polynomial-pendigits11k", 1e-8),
        ("transform-isomap-mnist", 1e-6),
        ("transform-lle-mnist", 1e-6),
        ("transform-kernel-pca-mnist", 1e-6),
    ],
)
def test_peers_answer_the_same_question(name, spread):
    points = np.random.default_rng(0).normal(size=(340, 5)) * [8, 4, 2, 1, 0.5]
    sample = Data(points[:300], queries=points[300:])  # ours draws what is right beside a point
    row = ROWS[name]
    maps = []
    for side in (row.ours, *row.peers.values()):
        act = side.prepare(sample) if isinstance(side, AfterFit) else side
        maps.append(act(sample)["map"])
    shape = [m - m.mean(axis=0) for m in maps]
    assert angle_between(*shape) < spread


def test_the_fit_of_a_transform_is_not_timed():
    fitted = []
    side = AfterFit(lambda sample: fitted.append(sample) or "model", lambda model, sample: model)
    act = side.prepare("data")
    assert (act("data"), act("data"), fitted) == ("model", "model", ["data"])


def record(name, ratio, peer="scikit-learn", ours=1.0):
    return {"name": name, "ratio": ratio, "peer": peer, "ours_s": ours}


def test_the_summary_counts_rows_by_their_fastest_peer():
    told = summary(
        [
            record("neighbours-mnist20k", 3.0),
            record("neighbours-mnist20k", 1.5, "faiss, flat"),  # ahead, below its target
            record("lle-mnist10k", 2.5),
            record("isomap-mnist10k", 0.5),
            record("network-pendigits11k", None),
            record("compare-mnist5k", None, None, 12.0),
        ]
    )
    assert "in 2 of the 3 rows that have a peer" in told
    assert "1 of the 4 rows with a target reach it" in told
    lines = missed([record("compare-mnist5k", None, None, 12.0), record("lle-mnist10k", 2.5)])
    assert [line for line in lines if line.startswith("-")] == [
        "- compare-mnist5k: 12.0 s of 10 s; not looked into."
    ]


def test_the_page_leads_with_real_rows():
    page = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
    assert 0 < page.index("## Real data") < page.index("## Made data")
    assert "rows that have a peer" in page


def test_a_peer_that_is_too_slow_or_fails_does_not_stop_the_row(monkeypatch, tmp_path):
    from benchmarks import run

    def outcome(command, **options):
        if options["timeout"] < 1.0:
            raise subprocess.TimeoutExpired(command, options["timeout"])
        return subprocess.CompletedProcess(command, 1, "", "Traceback\nValueError: singular")

    monkeypatch.setattr(run.subprocess, "run", outcome)
    row = ROWS["lle-10k"]
    assert run._run(row, "scikit-learn", tmp_path)["outcome"] == "failed: ValueError: singular"
    hasty = replace(row, patience=0.5)
    assert run._run(hasty, "scikit-learn", tmp_path)["outcome"] == "given up"
    with pytest.raises(RuntimeError, match="singular"):
        run._run(row, "ours", tmp_path)


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


def test_both_sides_are_called_until_they_are_warm(monkeypatch, tmp_path):
    """A peer's first call imports its package: what is told is the second, unless it took long."""
    import json

    from benchmarks import worker

    calls = []

    def peer(sample):
        calls.append(len(calls))
        return {"map": sample.points}

    data = Data(np.eye(3))
    row = Row("toy", "pca", lambda: data, peer, {"other": peer}, lambda answer, sample: 0.0)
    monkeypatch.setattr(worker, "ROWS", {"toy": row})
    for side in ("ours", "other"):
        calls.clear()
        worker.main("toy", side, str(tmp_path / side))
        assert calls == [0, 1]
        assert json.loads((tmp_path / side).read_text())["warm_s"] >= 0.0
    monkeypatch.setattr(worker, "LONG", 0.0)
    calls.clear()
    worker.main("toy", "other", str(tmp_path / "slow"))
    assert calls == [0]
