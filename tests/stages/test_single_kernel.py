"""Gaussian similarities in single precision: as good as they are said to be, and only where."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from unspool import KernelPCA, problem, runtime, spectrum
from unspool.kernel import Kernel, SingleGaussian, SymmetricTable

N = 4_100  # more than single precision begins with, and no whole number of tiles
EPS = float(np.finfo(np.float32).eps)


@pytest.fixture(scope="module")
def points() -> np.ndarray:
    rng = np.random.default_rng(3)
    cloud = rng.standard_normal((N, 4)) @ rng.standard_normal((4, 12))
    cloud[:, 5] = 7.0  # a feature in which all are equal
    return cloud + 100.0


@pytest.fixture(scope="module")
def table(points: np.ndarray) -> SymmetricTable:
    prepared = SingleGaussian.of(points, 0.02)
    assert prepared is not None
    return SymmetricTable.of(prepared)


def test_entries_are_those_of_double_precision(points: np.ndarray, table: SymmetricTable) -> None:
    exact = np.exp(-0.02 * cdist(points, points, "sqeuclidean"))
    found = table.toarray()
    assert np.array_equal(found, found.T)
    assert np.array_equal(table.diagonal(), np.ones(N))
    assert np.sqrt(np.square(found - exact).mean()) < EPS


@pytest.mark.parametrize("width", [1, 6, 8, 9, 20])
def test_products_are_those_of_the_entries(table: SymmetricTable, width: int) -> None:
    block = np.random.default_rng(0).standard_normal((N, width))
    expected = table.toarray() @ block
    assert np.abs(table @ block - expected).max() < 1e-12 * np.abs(expected).max()
    assert table.norm_bound == pytest.approx(np.abs(table.toarray()).sum(axis=1).max())


def test_products_do_not_depend_on_the_threads(table: SymmetricTable) -> None:
    block = np.random.default_rng(1).standard_normal((N, 3))
    with runtime.limit_threads(1):
        alone = table @ block
    assert np.array_equal(alone, table @ block)


def test_rows_of_queries_that_vary_where_the_points_do_not(points: np.ndarray) -> None:
    queries = points[:50] + 0.1
    rows_of = Kernel("gaussian", gamma=0.02).rows_to(points)
    exact = np.exp(-0.02 * cdist(queries, points, "sqeuclidean"))
    assert np.abs(rows_of(queries) - exact).max() < 30 * EPS
    assert np.abs(rows_of(queries) - exact).max() > 0.0  # in single precision, that is


def test_narrow_kernels_and_few_points_stay_in_double(points: np.ndarray) -> None:
    far = np.array(points)
    far[: N // 2] += 1e4  # two clusters: their centre is far from both
    assert SingleGaussian.of(far, 0.02) is None
    assert SingleGaussian.of(points * 1e25, 1e-50) is None  # squares overflow single precision
    assert SingleGaussian.of(points[:3_999], 0.02) is None
    rows_of = Kernel("gaussian", gamma=0.02).rows_to(far)
    exact = np.exp(-0.02 * cdist(far[:5], far, "sqeuclidean"))
    assert np.abs(rows_of(far[:5]) - exact).max() < 1e-11


def test_kernel_pca_finds_the_vectors_of_double_precision(points: np.ndarray) -> None:
    model = KernelPCA(3, gamma=0.02).fit(points)
    exact = np.exp(-0.02 * cdist(points, points, "sqeuclidean"))
    centered = exact - exact.mean(axis=0) - exact.mean(axis=1)[:, None] + exact.mean()
    image = centered @ model.embedding_
    misfit = image - model.embedding_ * model.eigenvalues_
    assert np.linalg.norm(misfit, axis=0).max() < 1e-6 * np.linalg.norm(image, axis=0).min()
    placed = model.transform(points[:100])
    width = np.abs(model.embedding_).max()
    assert np.abs(placed - model.embedding_[:100]).max() < 1e-6 * width


def test_where_products_fail_the_whole_table_is_decomposed(monkeypatch: Any) -> None:
    rng = np.random.default_rng(5)
    entries = np.exp(-0.5 * cdist(*[rng.standard_normal((300, 3))] * 2, "sqeuclidean"))
    tile = np.zeros((1, 512, 512), np.float32)
    tile[0, :300, :300] = entries
    table = SymmetricTable((tile,), 300)
    module = sys.modules["unspool.spectrum.solve"]

    def fail(task: Any) -> Any:
        raise module.NotSolved("for this test")

    expected = np.linalg.eigvalsh(tile[0, :300, :300].astype(np.float64))[::-1][:2]
    for solver in (module.solve_by_products, fail):
        monkeypatch.setattr(module, "solve_by_products", solver)
        found = spectrum.solve(problem.gram(table, centered=False), 2)
        assert found.values == pytest.approx(expected, rel=1e-12)
    assert found.solver == "dense"
