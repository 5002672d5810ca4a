"""report_ says what ran, how long, how much it holds, and what to do about it."""

import dataclasses

import numpy as np
import pytest

from tests.cases import CLOSED_FORM, bent
from unspool.methods import PCA, ClassicalMDS, Isomap, LaplacianEigenmaps
from unspool.values import Report

X = bent(200)
STAGES = {
    "PCA": ["spectrum"],
    "KernelPCA": ["similarity", "spectrum"],
    "ClassicalMDS": ["similarity", "spectrum"],
    "Isomap": ["neighbours", "geodesics", "spectrum"],
    "LLE": ["neighbours", "weights", "spectrum"],
    "LaplacianEigenmaps": ["neighbours", "spectrum"],
}
SPECTRAL = {name: CLOSED_FORM[name] for name in STAGES}


@pytest.mark.parametrize("n", [200, 900])
@pytest.mark.parametrize("name", SPECTRAL)
def test_stages_come_in_the_order_they_ran(name, n):
    report = SPECTRAL[name].make().fit(bent(n)).report_
    ran = [stage.name for stage in report.stages]
    assert [stage for stage in ran if stage in STAGES[name]] == STAGES[name]
    assert all(stage.seconds >= 0 for stage in report.stages)
    assert report.seconds == pytest.approx(sum(stage.seconds for stage in report.stages))
    assert 0 < report.seconds < 60


@pytest.mark.parametrize("n", [200, 900])
@pytest.mark.parametrize("name", SPECTRAL)
def test_the_solver_and_its_residual(name, n):
    model = SPECTRAL[name].make().fit(bent(n))
    facts = model.report_.stage("spectrum").facts
    dense = {"PCA": "svd", "LLE": "svd"}.get(name, "dense")
    large = {
        "PCA": "svd",  # five features: small however many points
        "LLE": "inverse of the factor",
        "LaplacianEigenmaps": "shift-invert",
    }.get(name, "block krylov")
    assert facts["solver"] == (dense if n == 200 else large)
    assert 0 <= facts["residual"] < 1e-7 * max(1.0, float(np.abs(model.eigenvalues_).max()) * n)
    if facts["solver"] in ("block krylov", "shift-invert", "inverse of the factor"):
        assert facts["passes"] >= 1
    assert "fallbacks" not in facts


def test_the_neighbour_search_and_the_bytes():
    report = Isomap(2, n_neighbors=8).fit(X).report_
    search = report.stage("neighbours")
    assert search.facts["search"] == "kd-tree"
    assert search.facts["edges"] == 200 * 8
    assert search.bytes >= 200 * 8 * 8
    assert report.stage("geodesics").bytes >= 200 * 200 * 4
    assert ClassicalMDS(2).fit(X).report_.stage("similarity").bytes == 200 * 200 * 8
    wide = np.random.default_rng(0).standard_normal((100, 30))
    assert Isomap(2).fit(wide).report_.stage("neighbours").facts["search"] == "brute force"


def test_it_reads_as_one_line_a_stage():
    text = str(Isomap(2, n_neighbors=8).fit(X).report_)
    lines = text.splitlines()
    assert lines[0].startswith("neighbours")
    assert "search=kd-tree" in lines[0]
    assert " s " in lines[0]
    assert " MB" in lines[0]
    assert any(line.startswith("spectrum") and "solver=dense" in line for line in lines)


def test_it_is_frozen_and_names_what_is_missing():
    report = PCA(2).fit(X).report_
    assert isinstance(report, Report)
    with pytest.raises(dataclasses.FrozenInstanceError):
        report.stages = ()
    with pytest.raises(KeyError, match=r"no stage 'geodesics'.*spectrum"):
        report.stage("geodesics")


@pytest.mark.parametrize(("d", "cut"), [(1, "1 to 2"), (2, None), (3, "3 to 4"), (4, None)])
@pytest.mark.parametrize("n", [60, 700])
def test_equal_eigenvalues_that_were_cut_are_told(n, d, cut):
    """A ring's values come in pairs: an odd number of coordinates cuts through one."""
    turns = 2 * np.pi * np.arange(n) / n
    ring = np.column_stack([np.cos(turns), np.sin(turns)])
    for model in (
        LaplacianEigenmaps(d, n_neighbors=2, weights="binary"),
        Isomap(d, n_neighbors=2),
    ):
        advice = model.fit(ring).report_.advice
        if cut is None:
            assert not any("are equal" in line for line in advice)
        else:
            (line,) = (line for line in advice if "are equal" in line)
            assert f"eigenvalues {cut} are equal" in line
            assert f"n_components={d + 1} keeps them together" in line


@pytest.mark.filterwarnings("ignore:coordinate . is carried by")  # each by a corner
def test_a_group_too_large_to_keep_together_is_told_truly():
    """A regular simplex: 49 equal values, all found; 699 of them, not all looked at."""
    small = ClassicalMDS(2).fit(np.eye(50)).report_.advice[0]
    assert "eigenvalues 1 to 49 are equal" in small
    assert "n_components=49 keeps them together" in small
    large = ClassicalMDS(2).fit(np.eye(700)).report_.advice[0]
    assert "are equal" in large
    assert "keeps them together" not in large


def test_rounding_does_not_count_as_equal():
    assert not PCA(2).fit(X).report_.advice
    nearly = X * np.array([1.0, 1.0, 1.0, 1.0, 1.0])
    assert not any("equal" in line for line in ClassicalMDS(2).fit(nearly).report_.advice)


def test_empty_coordinates_are_told():
    flat = np.column_stack([X[:, :2], X[:, :2] @ [[1.0], [2.0]]])
    with pytest.warns(UserWarning, match="only 2 of 3 coordinates are nonzero"):
        model = ClassicalMDS(3).fit(flat)
    assert any("lower n_components" in line for line in model.report_.advice)
    assert not model.embedding_[:, 2].any()
    assert model.eigenvalues_[2] == 0.0
    assert not model.transform(flat)[:, 2].any()
