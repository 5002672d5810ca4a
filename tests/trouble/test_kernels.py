"""Kernels that are none, and widths that reach nothing, are told; ways back beat interpolation."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits

import unspool
from tests.cases import bent, roll
from unspool import datasets, kernel
from unspool.methods import DiffusionMaps, KernelLLE, KernelPCA, LaplacianEigenmaps
from unspool.methods.estimator import Estimator
from unspool.relation import regress_points
from unspool.relation.landmarks import PENALTIES

X = bent(80)


def indefinite(rng=7):
    """A symmetric table with a diagonal of ones and eigenvalues of both signs."""
    random = np.random.default_rng(rng)
    table = random.uniform(-2, 2, (40, 40))
    table = 0.5 * (table + table.T)
    np.fill_diagonal(table, 1.0)
    return table


def test_neighbours_at_negative_squared_distances_are_refused():
    """K_ii - 2 K_ij + K_jj = 2 - 2 K_ij < 0 where K_ij > 1: no points lie so."""
    table = indefinite()
    row, column = np.unravel_index(table.argmax(), table.shape)
    message = rf"not positive semi-definite: row {row} and fitted point {column} .* -"
    with pytest.raises(ValueError, match=message):
        KernelLLE(2, n_neighbors=5, kernel="precomputed").fit(table)
    with pytest.raises(ValueError, match="not positive semi-definite"):
        KernelLLE(2, n_neighbors=5, kernel="sigmoid", gamma=0.1, coef0=-1.0).fit(X)


def test_query_points_at_negative_squared_distances_are_refused():
    def less(a, b):  # a kernel where a[0] < 100, and none beyond
        return float(np.exp(-0.01 * np.square(a - b).sum())) * (
            1.0 if min(a[0], b[0]) < 100 else -5.0
        )

    model = KernelLLE(2, n_neighbors=5, kernel=less).fit(X)
    with pytest.raises(ValueError, match="row 1 and fitted point"):
        model.transform(X[:2] + np.outer([0.0, 1000.0], np.eye(5)[0]))


def test_rows_of_a_kernel_matrix_keep_their_place_and_others_do_not_take_it():
    """k(x, x) differs from point to point: neither may its own row miss, nor another row hit."""
    table = X @ X.T
    model = KernelLLE(2, n_neighbors=8, kernel="precomputed").fit(table)
    np.testing.assert_array_equal(model.transform(table), model.embedding_)
    new = bent(30, seed=5)
    placed = model.transform(new @ X.T)
    gaps = np.abs(placed[:, None, :] - model.embedding_[None, :, :]).max(axis=2)
    assert (gaps.min(axis=1) > 0.0).all()
    by_points = KernelLLE(2, n_neighbors=8, kernel="linear").fit(X)
    np.testing.assert_allclose(np.abs(placed), np.abs(by_points.transform(new)), atol=0.2)


def test_every_point_of_a_kernel_matrix_may_be_a_landmark_in_any_order():
    table = kernel.Kernel("gaussian", gamma=0.01)(X, X)
    order = np.random.default_rng(0).permutation(len(X))
    model = KernelPCA(3, kernel="precomputed", landmarks=order).fit(table)
    np.testing.assert_allclose(model.transform(table), model.embedding_, atol=1e-6)
    np.testing.assert_allclose(
        np.abs(model.embedding_),
        np.abs(KernelPCA(3, kernel="precomputed").fit(table).embedding_),
        atol=1e-5,
    )


def test_a_kernel_of_zeros_has_no_landmarks():
    with pytest.raises(ValueError, match="nothing to map"):
        KernelPCA(1, kernel="precomputed", n_landmarks=3).fit(np.zeros((5, 5)))


def test_unlike_points_at_no_distance_keep_their_places():
    """Correlation puts x and 2 x + 1 at distance zero; the map tells them apart, and so must we."""
    line = np.outer(np.linspace(1.0, 3.0, 40), X[0]) + np.linspace(0, 1, 40)[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LaplacianEigenmaps(1, metric="correlation", n_neighbors=6).fit(line)
    np.testing.assert_array_equal(model.transform(line), model.embedding_)


def test_rounded_kernels_are_no_indefinite_ones():
    """A Gaussian kernel in single precision: squared distances of copies are -1e-7, and zero."""
    points = np.repeat(X[:40], 2, axis=0)
    table = kernel.Kernel("gaussian", gamma=0.01)(points, points)
    single = (table * (1 - 1e-7 * np.random.default_rng(0).random(table.shape))).astype(np.float32)
    single = np.minimum(single, single.T)
    model = KernelLLE(2, n_neighbors=9, kernel="precomputed").fit(single)
    assert np.isfinite(model.embedding_).all()


@pytest.mark.parametrize("rule", ["cholesky", "uniform", list(range(20))])
def test_landmarks_of_an_indefinite_kernel_end_in_one_sentence(rule):
    for table in (indefinite(), indefinite() - 3.0 * np.eye(40)):
        model = KernelPCA(2, kernel="precomputed", n_landmarks=20, landmarks=rule)
        with pytest.raises(ValueError, match=r"not positive semi-definite .*leave n_landmarks"):
            model.fit(table)
    with pytest.raises(ValueError, match="not positive semi-definite"):
        KernelPCA(2, kernel="sigmoid", gamma=0.1, coef0=-1.0, n_landmarks=20, landmarks=rule).fit(X)


def test_advice_on_indefinite_tables_can_be_followed():
    model = KernelPCA(10, kernel="precomputed").fit(indefinite())
    advice = next(told for told in model.report_.advice if "negative_mass" in told)
    words = advice[advice.index("unspool.spectrum") :].partition(" ")[0]
    share = eval(words, {"unspool": unspool, "model": model})
    values = np.linalg.eigvalsh(model.kernel_())
    assert share == pytest.approx(-values[values < 0].sum() / np.abs(values).sum())


def test_uncentred_kernel_pca_has_as_many_coordinates_as_points():
    points = np.random.default_rng(0).standard_normal((12, 3))
    model = KernelPCA(12, center=False).fit(points)
    table = model.kernel_()
    np.testing.assert_allclose(model.embedding_ @ model.embedding_.T, table, atol=1e-10)
    np.testing.assert_allclose(model.eigenvalues_, np.linalg.eigvalsh(table)[::-1], rtol=1e-7)
    with pytest.raises(ValueError, match="13 is more than 12 points have; use at most 12"):
        KernelPCA(13, center=False).fit(points)
    with pytest.raises(ValueError, match="12 is more than 12 points have; use at most 11"):
        KernelPCA(12).fit(points)


@pytest.mark.parametrize("method", [LaplacianEigenmaps, DiffusionMaps])
def test_edges_too_long_for_the_heat_kernel_are_told(method):
    """One far point: its edges weigh exp(-10^4), and are taken to weigh 1e-100."""
    points = np.vstack([roll(150).points, [[300.0, 0.0, 0.0]]])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = method(1, sigma=2.0, n_neighbors=8).fit(points)
    assert sum("edges weigh less than 1e-100" in str(warning.message) for warning in told) == 1
    assert np.isfinite(model.embedding_).all()
    assert any("1e-100" in told for told in model.report_.advice)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*1e-100")
        method(1, sigma=2.0, n_neighbors=8).fit(points[:-1])


def test_edges_too_long_for_their_own_bandwidths_are_advised_of():
    points = np.vstack([1e-4 * roll(150).points, [[300.0, 0.0, 0.0]]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LaplacianEigenmaps(2, n_neighbors=8).fit(points)
    assert any("1e-100" in told for told in model.report_.advice)


# ways back


def cosine(a, b):
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def denoising_errors(points, options, seed, n_components=20, count=300):
    """Return the errors of the way back and of interpolation: unseen noisy points to clean ones."""
    random = np.random.default_rng(seed)
    order = random.permutation(len(points))
    known, clean = points[order[:count]], points[order[count : count + 40]]
    noisy = clean + 0.5 * points.std() * random.standard_normal(clean.shape)
    model = KernelPCA(n_components, **options(known)).fit(known)
    places = model.transform(noisy)
    back, between = model.inverse_transform(places), Estimator._inverse_transform(model, places)
    return np.linalg.norm(back - clean), np.linalg.norm(between - clean)


def mean_square(points):
    return float(np.square(points).sum(axis=1).mean())


def reach(points):
    return float(np.median(np.abs(points[::2] - points[1::2]).sum(axis=1)))


KERNELS = {
    "polynomial": lambda known: {"kernel": "polynomial", "gamma": 1 / mean_square(known)},
    "homogeneous": lambda known: {"kernel": "homogeneous"},
    "laplacian": lambda known: {"kernel": "laplacian", "gamma": 1 / reach(known)},
    "sigmoid": lambda known: {"kernel": "sigmoid", "gamma": 0.3 / mean_square(known), "coef0": 0.0},
    "landmarks": lambda known: {
        "kernel": "polynomial",
        "gamma": 1 / mean_square(known),
        "n_landmarks": 150,
    },
    "a function": lambda known: {"kernel": cosine},
}


def real_points(name):
    if name == "digits":
        return load_digits().data
    try:
        table = datasets.real(name)
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    images = table["x_train"][:2000].astype(float).reshape(2000, -1)
    return (
        images if name == "pendigits" else images.reshape(-1, 28, 28)[:, ::2, ::2].reshape(2000, -1)
    )


@pytest.mark.parametrize("options", KERNELS.values(), ids=KERNELS)
@pytest.mark.parametrize("name", ["digits", "pendigits", "mnist"])
def test_the_way_back_from_noisy_digits_beats_interpolation(name, options):
    """Summed over two draws; the features of 20 coordinates have lost most of the noise."""
    if name == "mnist" and options is KERNELS["a function"]:
        pytest.skip("a call of Python for each of 90,000 pairs: once is enough")
    points = real_points(name)
    errors = np.array(
        [denoising_errors(points, options, seed, min(20, points.shape[1] - 4)) for seed in range(2)]
    )
    back, between = errors.sum(axis=0)
    assert back < 0.97 * between


@pytest.mark.parametrize("name", ["polynomial", "laplacian"])
def test_pre_images_are_nearer_in_feature_space(name):
    """|phi(z) - sum c phi(x)|^2, computed here, against interpolation and the regression."""
    points = load_digits().data[:300]
    options = KERNELS[name](points)
    model = KernelPCA(15, **options).fit(points)
    places = model.transform(points[:30] + np.random.default_rng(0).normal(0, 3.0, (30, 64)))
    table = kernel.Kernel(options["kernel"], options["gamma"])
    centered = places / model.eigenvalues_ @ model.embedding_.T
    shares = centered - centered.mean(axis=1, keepdims=True) + 1.0 / len(points)

    def gap(z):
        return table.diagonal(z) - 2.0 * np.einsum("ij,ij->i", shares, table(z, points))

    found = gap(model.inverse_transform(places))
    start = regress_points(places, model.embedding_, points, 0)
    assert (found <= gap(start)).all()
    assert (found < gap(Estimator._inverse_transform(model, places))).all()


@pytest.mark.parametrize("degree", [1, 2, 3, 5])
def test_fixed_points_of_polynomials_have_no_gradient(degree):
    """Central differences of the distance in feature space, at the pre-image."""
    points = X[:60, :3] / 10.0
    model = KernelPCA(3, kernel="polynomial", degree=degree, gamma=0.3).fit(points)
    places = 0.5 * (model.embedding_[:5] + model.embedding_[5:10])
    back, shares = model.inverse_transform(places), model._map.combine(places)
    table = kernel.Kernel("polynomial", 0.3, degree)

    def gap(z):
        return table.diagonal(z) - 2.0 * np.einsum("ij,ij->i", shares, table(z, points))

    size = np.abs(gap(back)).max()
    for feature in range(3):
        step = 1e-4 * np.eye(3)[feature]
        slope = (gap(back + step) - gap(back - step)) / 2e-4
        assert np.abs(slope).max() < 1e-3 * size


def test_regression_from_places_is_kernel_ridge():
    """With as many regressors as points, against scikit-learn with the penalty that it chose."""
    from sklearn.kernel_ridge import KernelRidge

    places, points = X[:60, :2] / 10.0, X[:60]
    queries = 0.5 * (places[:20] + places[20:40])
    found, gamma = regress_points(queries, places, points, 0), kernel.median_gamma(places)
    errors = []
    for penalty in PENALTIES * 60:
        ridge = KernelRidge(alpha=penalty, kernel="rbf", gamma=gamma)
        left_out = 0.0
        for row in range(60):
            rest = np.delete(np.arange(60), row)
            mean = points.mean(axis=0)
            ridge.fit(places[rest], points[rest] - mean)
            left_out += np.square(ridge.predict(places[[row]]) + mean - points[row]).sum()
        errors.append(left_out)
    best = (PENALTIES * 60)[int(np.argmin(errors))]
    ridge = KernelRidge(alpha=best, kernel="rbf", gamma=gamma).fit(places, points - points.mean(0))
    expected = ridge.predict(queries) + points.mean(axis=0)
    np.testing.assert_allclose(found, expected, atol=1e-5 * np.ptp(points))


def test_the_way_back_of_a_row_is_that_of_the_batch():
    for name in ("polynomial", "laplacian", "sigmoid"):
        model = KernelPCA(3, **KERNELS[name](X)).fit(X)
        places = 0.5 * (model.embedding_[:12] + model.embedding_[1:13])
        rows = np.vstack([model.inverse_transform(place[None]) for place in places[:4]])
        np.testing.assert_allclose(rows, model.inverse_transform(places)[:4], rtol=1e-6, atol=1e-8)
