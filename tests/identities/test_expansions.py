"""Eigenfunctions of kernels, sweeps, contours, heat and curviness against closed forms."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import expm

from unspool import (
    KernelPCA,
    component_contours,
    curviness,
    datasets,
    distances,
    graph,
    heat_flow,
    karhunen_loeve,
    mercer_expansion,
    paths,
    sweep_widths,
)
from unspool.kernel import Kernel


def test_mercers_features_are_the_kernel():
    nodes, weights = np.polynomial.legendre.leggauss(40)
    kernel = Kernel("gaussian", gamma=0.7)
    found = mercer_expansion(kernel, nodes, weights, n_terms=20)
    gram = (found.functions * weights[:, None]).T @ found.functions
    np.testing.assert_allclose(gram, np.eye(len(found.values)), atol=1e-9)
    places = np.linspace(-1, 1, 9)[:, None]  # between the nodes
    features = found.features(places)
    np.testing.assert_allclose(features @ features.T, kernel(places, places), atol=1e-9)
    assert found.values.sum() == pytest.approx(2.0)  # the integral of k(x, x)


def test_a_sample_is_uncentered_kernel_pca():
    points = datasets.three_clusters(40).points
    found = mercer_expansion(Kernel("gaussian", gamma=2.0), points, n_terms=3)
    model = KernelPCA(3, gamma=2.0, center=False).fit(points)
    np.testing.assert_allclose(found.values, model.eigenvalues_ / 40)
    np.testing.assert_allclose(np.abs(found.features(points)), np.abs(model.embedding_), atol=1e-9)


def test_brownian_motion():
    times = np.linspace(0.0, 1.0, 301)
    found = karhunen_loeve(lambda t, s: min(float(t[0]), float(s[0])), times, 4)
    halves = (np.arange(1, 5) - 0.5) * np.pi
    np.testing.assert_allclose(found.values, 1 / halves**2, rtol=1e-3)
    sines = np.sqrt(2) * np.sin(np.outer(times, halves))
    np.testing.assert_allclose(np.abs(found.functions), np.abs(sines), atol=0.01)
    walk = np.array([[1.0, -2.0, 0.5, 0.0]])
    np.testing.assert_allclose(found.coefficients(found.compose(walk)), walk, atol=1e-9)
    with pytest.raises(ValueError, match="increasing"):
        karhunen_loeve(lambda t, s: 1.0, [0.0, 0.0])
    with pytest.raises(ValueError, match="weights must be 2 positive numbers"):
        mercer_expansion(lambda x, y: 1.0, [0.0, 1.0], [1.0, -1.0])


def test_a_sweep_goes_from_lonely_points_to_pca():
    points = datasets.three_clusters(60).points
    found = sweep_widths(points, [1e-3, 0.3, 100.0])
    assert found.shares[0] < 0.1 < found.shares[1] < found.shares[2]
    assert found.shares[2] > 0.999
    assert found.eigenvalues.shape == (3, 2)
    alone = KernelPCA(2, sigma=0.3).fit(points)
    np.testing.assert_array_equal(found.models[1].embedding_, alone.embedding_)
    with pytest.raises(ValueError, match="at least one width"):
        sweep_widths(points, [])


def test_contours_are_the_map_of_a_grid():
    model = KernelPCA(2, sigma=0.4).fit(datasets.three_clusters(45).points)
    found = component_contours(model, resolution=7)
    place = np.array([[found.x[2, 5], found.y[2, 5]]])
    np.testing.assert_allclose(found.values[:, 2, 5], model.transform(place)[0])
    with pytest.raises(ValueError, match="two features"):
        component_contours(KernelPCA(2).fit(datasets.s_curve(20).points))


@pytest.mark.parametrize("normalized", [False, True])
def test_heat_is_the_exponential_of_the_laplacian(normalized):
    random = np.random.default_rng(0)
    weights = random.random((15, 15))
    weights = np.triu(weights, 1) + np.triu(weights, 1).T
    degrees = weights.sum(axis=1)
    laplacian = np.diag(degrees) - weights
    if normalized:
        laplacian = laplacian / degrees[:, None]
    start = random.normal(size=(15, 2))
    for t in (0.0, 0.3, 4.0):
        found = heat_flow(sp.csr_array(weights), start, t, normalized=normalized)
        np.testing.assert_allclose(found, expm(-t * laplacian) @ start, atol=1e-10)
    mass = degrees if normalized else np.ones(15)
    np.testing.assert_allclose(mass @ found, mass @ start)  # no heat is lost
    with pytest.raises(ValueError, match="not be negative"):
        heat_flow(-weights, start, 1.0)
    with pytest.raises(ValueError, match="time"):
        heat_flow(weights, start, -1.0)
    for one_way in (np.triu(weights), sp.csr_array(np.triu(weights))):
        with pytest.raises(ValueError, match="symmetric"):
            heat_flow(one_way, start, 1.0)
    for wrong in (np.where(start > 1.0, np.nan, start), start[:-1]):
        with pytest.raises(ValueError, match="values must be finite, one row for each of the 15"):
            heat_flow(weights, wrong, 1.0)


def test_curviness_of_quadratics_is_that_of_their_hessian():
    plane = np.random.default_rng(1).uniform(-1, 1, (400, 2))
    turned = plane @ np.linalg.qr(np.random.default_rng(2).normal(size=(5, 2)))[0].T
    x, y = plane.T
    assert curviness(3 * x - y + 2, turned) < 1e-10
    found = curviness(2 * x**2 + 3 * x * y - y**2, turned)
    assert found == pytest.approx(4**2 + 2 * 3**2 + 2**2)
    assert curviness(4 * x, 4 * turned) < 1e-10
    assert curviness(x**2, 10 * turned) == pytest.approx(4 / 10**4)  # by lengths of the data
    with pytest.raises(ValueError, match="at least 5"):
        curviness(x, turned, n_neighbors=4)


def test_lengths_along_a_roll_hardly_bend():
    """The coordinate that unrolls it is straight within the sheet, though not in space."""
    sample = datasets.swiss_roll(2000, seed=0)
    along = sample.coordinates[:, 0] / np.ptp(sample.coordinates[:, 0])
    waves = np.sin(20 * along)
    assert curviness(along, sample.points) < 1e-3 * curviness(waves, sample.points)


def test_floyds_algorithm_agrees_with_the_others():
    points = np.random.default_rng(2).normal(size=(60, 3))
    points[7] = points[3]  # an edge of length zero
    for count in (5, 40):
        joined = graph.symmetrize(distances.neighbor_graph(points, count))
        by_floyd = paths.prepare_paths(joined, algorithm="floyd-warshall")
        expected = paths.prepare_paths(joined, algorithm="dijkstra").rows()
        np.testing.assert_allclose(by_floyd.rows(), expected, rtol=1e-12)
        some = np.array([4, 40, 7])
        np.testing.assert_allclose(by_floyd.rows(some), expected[some], rtol=1e-12)
        assert by_floyd.solver.name == "floyd-warshall"


def test_floyds_algorithm_knows_what_cannot_be_reached():
    far = np.concatenate([np.arange(5.0), np.arange(5.0) + 100.0])[:, None]
    apart = graph.symmetrize(distances.neighbor_graph(far, 2))
    rows = paths.prepare_paths(apart, algorithm="floyd-warshall").rows()
    assert np.isinf(rows[:5, 5:]).all()
    assert np.isfinite(rows[:5, :5]).all()
    with pytest.raises(ValueError, match="'floyd-warshall'"):
        paths.prepare_paths(apart, algorithm="floyd")
