"""Plans: memory as measured, alternatives that fit, and answers to odd questions."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import unspool
from benchmarks.plan import MARK, ratios
from unspool import costs, evaluate
from unspool.catalog import METHODS
from unspool.evaluate import plan
from unspool.methods import LTSA, FeatureMapPCA, Isomap, KernelPCA, LandmarkIsomap

ROOT = Path(__file__).parents[2]
LONG = ("principal-surface", "autoassociative-network")  # their seconds are not worth it here
BRIEF = [name for name in METHODS if name not in LONG]

linux = pytest.mark.skipif(not MARK.exists(), reason="peaks of memory are read from /proc")


def measured_in_one_process(names, n):
    program = (
        "import json\n"
        "from benchmarks.plan import measured, warm_up\n"
        f"names = {names!r}\n"
        "for name in names:\n    warm_up(name)\n"
        f"print(json.dumps({{name: measured(name, {n}) for name in names}}))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True
    )
    return json.loads(ran.stdout)


def beyond(found, n):
    """The methods whose memory is predicted more than 1.5 times too high or too low."""
    wrong = {name: ratios(name, n, took)[0] for name, took in found.items()}
    return {name: ratio for name, ratio in wrong.items() if not 1 / 1.5 <= ratio <= 1.5}


@linux
def test_memory_is_foreseen_within_a_factor_of_one_and_a_half():
    assert beyond(measured_in_one_process(BRIEF, 2_000), 2_000) == {}


@linux
@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
def test_memory_of_many_points_is_foreseen_too(name):
    if plan(name, 20_000, 3).bytes > 0.6 * unspool.runtime.available_bytes():
        pytest.skip("not enough memory to try it")
    assert beyond(measured_in_one_process([name], 20_000), 20_000) == {}


def test_every_method_has_a_cost():
    for name in METHODS:
        small, large = plan(name, 1_000, 5), plan(name, 10_000, 5)
        assert 0 < small.bytes < large.bytes
        assert 0 < small.seconds < large.seconds
        assert small.seconds == sum(stage.seconds for stage in small.stages)
        assert small.bytes == max(stage.bytes for stage in small.stages)


def test_tables_grow_with_the_square_and_graphs_with_the_number():
    for name, power in (("kernel-pca", 2), ("classical-mds", 2), ("lle", 1), ("ltsa", 1)):
        ratio = plan(name, 200_000, 3, 1e15).bytes / plan(name, 20_000, 3, 1e15).bytes
        assert ratio == pytest.approx(10**power, rel=0.35)  # factors fill in by log n


def test_what_does_not_fit_names_what_does():
    found = plan("kernel-pca", 50_000, 10, max_memory=4e9)
    assert not found.fits
    assert found.bytes > 8 * 50_000**2
    assert found.instead == ("landmark-mds", "pca")
    assert "does not fit into 4.0 GB; pass n_landmarks=1000, or use landmark-mds or pca" in str(
        found
    )
    for name in found.instead:
        assert plan(name, 50_000, 10, max_memory=4e9).fits


def test_the_change_is_the_one_that_the_method_itself_advises(monkeypatch):
    found = plan("kernel-pca", 50_000, 10, max_memory=4e9)
    with monkeypatch.context() as tight:
        tight.setattr("unspool.runtime.resources.available_bytes", lambda: 1000)
        with pytest.raises(MemoryError, match=f"use {found.change} "):
            KernelPCA(2).fit(np.eye(30))
    assert plan(KernelPCA(2, n_landmarks=1000), 50_000, 10, max_memory=4e9).fits
    assert plan(KernelPCA(2, n_landmarks=20_000), 50_000, 10, max_memory=4e9).change == found.change
    assert plan(KernelPCA(2, n_landmarks=1000), 10**6, 10, max_memory=4e9).change == ""
    assert plan("isomap", 10**6, 3, max_memory=1e6).change == ""


def test_nothing_at_all_may_fit():
    found = plan("isomap", 10**9, 1000, max_memory=1e6)
    assert (found.instead, found.change) == ((), "")
    assert "map a sample" in found.verdict()


def test_isomap_without_room_for_a_table_takes_longer_instead():
    roomy, tight = (plan("isomap", 50_000, 3, max_memory=m) for m in (1e11, 4e9))
    assert roomy.bytes > 4 * 50_000**2 > 4e9 > tight.bytes
    assert tight.fits
    assert tight.seconds > 2 * roomy.seconds


def test_parameters_come_from_the_call_or_from_the_model():
    by_model = plan(LandmarkIsomap(3, n_landmarks=400, n_neighbors=20), 10_000, 3)
    by_name = plan("landmark-isomap", 10_000, 3, n_components=3, n_neighbors=20, n_landmarks=400)
    assert by_model.stages == by_name.stages
    assert plan(Isomap, 1000, 3).stages == plan("Isomap", 1000, 3).stages
    assert by_model.bytes > 4 * plan(LandmarkIsomap, 10_000, 3).bytes


def test_every_size_that_a_model_is_given_counts():
    full, seen = plan(KernelPCA(2), 20_000, 3, 1e12), plan(KernelPCA(2, n_landmarks=500), 20_000, 3)
    assert full.bytes > 8 * 20_000**2
    assert seen.bytes < full.bytes / 5
    assert seen.seconds < full.seconds
    named = plan(KernelPCA(2, landmarks=np.arange(500)), 20_000, 3)
    assert named.stages == seen.stages == plan("kernel-pca", 20_000, 3, n_landmarks=500).stages
    assert plan(KernelPCA(2, n_landmarks=30_000), 20_000, 3, 1e12).stages == full.stages
    chosen = plan(LandmarkIsomap(2, landmarks=np.arange(400)), 10_000, 3)
    assert chosen.stages == plan("landmark-isomap", 10_000, 3, n_landmarks=400).stages

    each = np.r_[np.full(5_000, 10), np.full(5_000, 30)]
    assert plan(LTSA(2, n_neighbors=each), 10_000, 3).stages == (
        plan("ltsa", 10_000, 3, n_neighbors=20).stages
    )
    assert plan(LTSA(np.int64(3)), 10_000, 3).stages == (
        plan("ltsa", 10_000, 3, n_components=3).stages
    )
    cubes, squares = (plan(FeatureMapPCA(2, degree=g), 1_000, 20, 1e12).bytes for g in (3, 2))
    assert cubes / squares == pytest.approx(1540 / 210, rel=0.1)  # monomials of 20 variables


@linux
@pytest.mark.slow
def test_memory_of_kernel_pca_by_landmarks_is_foreseen_too():
    program = (
        "import json, numpy as np\n"
        "from benchmarks.plan import peak_of\n"
        "from unspool import KernelPCA\n"
        "data = np.random.default_rng(0).normal(size=(20_000, 10))  # of full rank\n"
        "KernelPCA(2, n_landmarks=100, sigma=1.0).fit(data[:700])\n"
        "print(json.dumps(peak_of(lambda: KernelPCA(2, n_landmarks=500, sigma=1.0).fit(data))))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True
    )
    foreseen = plan(KernelPCA(2, n_landmarks=500), 20_000, 10).bytes
    assert 1 / 1.5 <= foreseen / json.loads(ran.stdout)["bytes"] <= 1.5


def test_a_slower_machine_takes_longer(monkeypatch):
    here = plan("isomap", 5_000, 3)
    real = evaluate.this_machine()
    slow = costs.Machine(real.flops / 4, real.bandwidth / 4, real.sorting / 4)
    monkeypatch.setattr(sys.modules["unspool.evaluate.plan"], "this_machine", lambda: slow)
    assert plan("isomap", 5_000, 3).seconds == pytest.approx(4 * here.seconds)
    assert plan("isomap", 5_000, 3).bytes == here.bytes


def test_the_machine_is_measured_once():
    assert evaluate.this_machine() is evaluate.this_machine()
    rates = evaluate.this_machine()
    assert 1e8 < rates.flops < 1e14
    assert 1e8 < rates.bandwidth < 1e13
    assert 1e5 < rates.sorting < 1e10


def test_the_table_has_a_line_a_stage():
    found = plan("isomap", 2_000, 3)
    lines = str(found).splitlines()
    assert lines[0].startswith("isomap, 2,000 points, 3 columns")
    assert [line.split("  ")[0] for line in lines[2:7]] == [
        "neighbours",
        "shortest paths",
        "geodesics",
        "spectrum",
        "in all",
    ]
    assert lines[-1].startswith("fits into")
    assert [record["stage"] for record in found.records()] == [s.name for s in found.stages]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("isomapp", 10, 3), "no method 'isomapp'"),
        (("isomap", 0, 3), "n must be a whole number"),
        (("isomap", 10, 2.5), "d must be a whole number"),
        (("isomap", True, 3), "n must be a whole number"),
        (("isomap", 10, 3, -1), "max_memory must be a positive"),
    ],
)
def test_odd_questions_get_one_answer(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        plan(*arguments)
