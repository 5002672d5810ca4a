"""The autoassociative network: exact gradients, PCA as its linear case, and what it cannot do."""

import sys
import warnings

import numpy as np
import pytest
from scipy.linalg import subspace_angles
from scipy.optimize import brentq, minimize, rosen, rosen_der
from sklearn.utils.estimator_checks import check_estimator
from threadpoolctl import threadpool_limits

import unspool
from unspool import autoencoder, datasets
from unspool.autoencoder import BLOCK, Examples, TrainingLoss, decoder_jacobian, from_flat
from unspool.methods import PCA, AutoassociativeNetwork
from unspool.optimize import begin_descent, lbfgs_step

QUICK = {"n_starts": 2, "max_iter": 60}


def topology(width, mapping, n_components, demapping, activation, bottleneck, output):
    units = autoencoder.Units(activation, bottleneck, output)
    return autoencoder.autoassociative(width, mapping, n_components, demapping, units)


def examples(points, activation):
    scaling = autoencoder.scaling_of(points, activation)
    return Examples(scaling.inputs(points), scaling.targets(points), scaling.output_scale)


def mean_error(model, points):
    rebuilt = model.inverse_transform(model.transform(points))
    return np.square(points - rebuilt).sum(axis=1).mean()


def central_differences(function, parameters, step=1e-6):
    shifts = step * np.eye(len(parameters))
    return np.array(
        [(function(parameters + s) - function(parameters - s)) / (2 * step) for s in shifts]
    )


def stretched_cloud(n=200, width=6, seed=0):
    rng = np.random.default_rng(seed)
    frame = np.linalg.qr(rng.standard_normal((width, width)))[0]
    return rng.standard_normal((n, width)) * 2.0 ** -np.arange(width) @ frame + 5.0


# --- gradients and descent ---------------------------------------------------------------------


@pytest.mark.parametrize("activation", ["tanh", "logistic"])
@pytest.mark.parametrize("bottleneck", ["linear", "sigmoidal"])
@pytest.mark.parametrize("output", ["linear", "sigmoidal"])
@pytest.mark.parametrize(
    ("mapping", "demapping"), [((4,), (4,)), ((), ()), ((5, 3), (4,)), ((), (3, 6))]
)
def test_gradient_equals_finite_differences(activation, bottleneck, output, mapping, demapping):
    points = stretched_cloud(40, 3)
    shape = topology(3, mapping, 2, demapping, activation, bottleneck, output)
    objective = TrainingLoss(shape, examples(points, shape.activations[-1]), 0.01, map)
    parameters = autoencoder.random_network(shape, seed=1, number=0).flat()
    loss, gradient = objective(parameters)
    assert loss == pytest.approx(objective.value(parameters), rel=1e-13)
    expected = central_differences(objective.value, parameters)
    assert np.abs(gradient - expected).max() < 1e-6 * max(1.0, np.abs(gradient).max())


def test_blocks_add_up_to_the_whole():
    points = stretched_cloud(2 * BLOCK + 7, 4)
    shape = topology(4, (5,), 2, (3,), "tanh", "linear", "linear")
    whole = examples(points, "linear")
    parameters = autoencoder.random_network(shape, seed=0, number=1).flat()
    loss, gradient = TrainingLoss(shape, whole, 0.0, map)(parameters)
    network = from_flat(shape, parameters)
    errors = network.decode(network.encode(whole.inputs)) - whole.targets
    assert loss == pytest.approx(np.square(errors).mean(), rel=1e-12)
    parts = [
        TrainingLoss(shape, part, 0.0, map)(parameters)[1] * len(part) for part in whole.blocks()
    ]
    assert len(parts) == 3
    np.testing.assert_allclose(gradient, sum(parts) / len(whole), rtol=1e-10, atol=1e-14)


def test_descent_solves_a_quadratic_and_the_rosenbrock_valley():
    curvature = np.diag(10.0 ** np.arange(5))
    state = begin_descent(lambda x: (0.5 * x @ curvature @ x, curvature @ x), np.ones(5))
    valley = begin_descent(lambda x: (rosen(x), rosen_der(x)), np.array([-1.2, 1.0, -0.5, 2.0]))
    for _ in range(100):
        state = lbfgs_step(lambda x: (0.5 * x @ curvature @ x, curvature @ x), state)
        lower = lbfgs_step(lambda x: (rosen(x), rosen_der(x)), valley)
        assert lower.loss < valley.loss or lower.position is valley.position
        valley = lower
    assert np.abs(state.position).max() < 1e-8
    np.testing.assert_allclose(valley.position, np.ones(4), atol=1e-7)


@pytest.mark.parametrize("scale", [1e-3, 1e4])
def test_descent_scales_its_steps_to_the_curvature(scale):
    """As many values are computed as SciPy's L-BFGS needs, whatever the unit of the loss is."""
    curvature, n_values = scale * np.arange(1.0, 40.0), 0

    def loss(x):
        nonlocal n_values
        n_values += 1
        return 0.5 * x @ (curvature * x), curvature * x

    found = minimize(loss, np.ones(39), jac=True, method="L-BFGS-B", options={"ftol": 0.0})
    theirs, n_values = n_values, 0
    state = begin_descent(loss, np.ones(39))
    while np.abs(state.gradient).max() > np.abs(found.jac).max():
        state = lbfgs_step(loss, state)
        assert n_values < 2 * theirs


@pytest.mark.parametrize(("units", "low", "high"), [("tanh", -1, 1), ("logistic", 0, 1)])
def test_codes_are_values_of_the_units_at_the_bottleneck(units, low, high):
    rows = stretched_cloud(30, 3)
    settings = {"activation": units, "max_iter": 20, "n_starts": 1}
    model = AutoassociativeNetwork(1, bottleneck="sigmoidal", **settings).fit(rows)
    assert low <= model.embedding_.min() < model.embedding_.max() <= high
    assert np.ptp(AutoassociativeNetwork(1, **settings).fit_transform(rows)) > 2


def test_logistic_starts_are_the_same_functions_as_tanh_starts():
    rows = stretched_cloud(30, 3) - 5.0
    for number in range(3):
        shapes = [topology(3, (4, 4), 2, (5,), a, "linear", "linear") for a in ("tanh", "logistic")]
        first, second = (autoencoder.random_network(shape, 3, number) for shape in shapes)
        np.testing.assert_allclose(
            first.decode(first.encode(rows)), second.decode(second.encode(rows)), atol=1e-12
        )


# --- PCA is the linear case (Izenman 2013, 16.4.1) ---------------------------------------------


@pytest.mark.parametrize("n_components", [1, 2, 3, 4])
@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_linear_network_is_pca(n_components, offset):
    points = stretched_cloud() + offset
    linear = AutoassociativeNetwork(n_components, mapping=(), demapping=()).fit(points)
    pca = PCA(n_components).fit(points)
    decoder = linear.weights_[-1]
    assert subspace_angles(decoder.T, pca.components_.T).max() < 1e-7
    # an offset of 1e8 leaves 1e-8 of each entry
    np.testing.assert_allclose(linear.embedding_, pca.embedding_, atol=1e-9 + 1e-15 * offset)
    np.testing.assert_allclose(
        linear.inverse_transform(linear.embedding_),
        pca.inverse_transform(pca.embedding_),
        rtol=1e-15,
        atol=1e-9,
    )


@pytest.mark.parametrize("n_components", [1, 2, 3, 4])
def test_descent_finds_the_principal_subspace_from_any_start(n_components):
    points = stretched_cloud()
    shape = topology(6, (), n_components, (), "tanh", "linear", "linear")
    scaling = autoencoder.scaling_of(points, "linear")
    settings = autoencoder.TrainingSettings(2000, 1e-14, 0.0, 0.0, "numpy", None, 0)
    trained = autoencoder.fit_network(
        [autoencoder.random_network(shape, 0, 0)], points, scaling, settings
    )
    pca = PCA(n_components).fit(points)
    assert subspace_angles(trained.network.weights[1].T, pca.components_.T).max() < 1e-3
    assert trained.errors.min() == pytest.approx(mean_error(pca, points), rel=1e-6)


# --- curved data -------------------------------------------------------------------------------


def test_network_of_figure_16_4_halves_the_error_of_pca_on_the_s_curve():
    points = datasets.s_curve(1000).points
    model = AutoassociativeNetwork(2, mapping=(4,), demapping=(4,)).fit(points)
    assert [weights.shape for weights in model.weights_] == [(3, 4), (4, 2), (2, 4), (4, 3)]
    error = mean_error(model, points)
    assert error <= 0.5 * mean_error(PCA(2).fit(points), points)
    assert error == pytest.approx(model.reconstruction_error_.min(), rel=1e-8)
    new = datasets.s_curve(1000, seed=7).points
    assert mean_error(model, new) <= 0.5 * mean_error(PCA(2).fit(points), new)


@pytest.mark.parametrize(
    "options",
    [
        {"activation": "logistic"},
        {"bottleneck": "sigmoidal"},
        {"output": "sigmoidal"},
        {"mapping": (6, 5), "demapping": (7,)},
    ],
    ids=str,
)
def test_every_kind_of_network_bends(options):
    points = datasets.s_curve(500).points
    model = AutoassociativeNetwork(2, max_iter=300, **options).fit(points)
    assert mean_error(model, points) <= 0.5 * mean_error(PCA(2).fit(points), points)
    if "bottleneck" in options:
        assert np.abs(model.embedding_).max() <= 1.0


def test_encoder_and_decoder_are_the_layers_they_say():
    points = datasets.s_curve(200).points
    model = AutoassociativeNetwork(2, mapping=(5,), demapping=(3,), **QUICK).fit(points)
    centred = points - points.mean(axis=0)
    scale = np.sqrt(np.square(centred).mean())
    (w1, w2, w3, w4), (b1, b2, b3, b4) = model.weights_, model.biases_
    codes = np.tanh(centred / scale @ w1 + b1) @ w2 + b2
    rebuilt = points.mean(axis=0) + scale * (np.tanh(codes @ w3 + b3) @ w4 + b4)
    np.testing.assert_allclose(model.transform(points), codes, atol=1e-9)
    np.testing.assert_allclose(model.inverse_transform(codes), rebuilt, atol=1e-9)


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_lengths_on_the_map_are_lengths_in_the_data(n_components):
    points = 100.0 * stretched_cloud(300, 4) ** 3
    model = AutoassociativeNetwork(n_components, **QUICK).fit(points)
    codes, step = model.embedding_, 1e-4
    slopes = np.stack(
        [
            (model.inverse_transform(codes + e) - model.inverse_transform(codes - e)) / (2 * step)
            for e in step * np.eye(n_components)
        ],
        axis=1,
    )
    metric = np.einsum("naf,nbf->ab", slopes, slopes) / len(points)
    np.testing.assert_allclose(metric, np.eye(n_components), atol=1e-6)
    exact = decoder_jacobian(model._network, codes) * model._scaling.span
    np.testing.assert_allclose(slopes, exact, atol=1e-6)
    covariance = np.atleast_2d(np.cov(codes.T))
    off = covariance - np.diag(np.diag(covariance))
    assert np.abs(off).max() < 1e-9 * covariance.max()
    assert np.all(np.diff(np.diag(covariance)) <= 0.0)


# --- what it cannot do (Izenman 2013, 16.4.2; Malthouse 1998) ----------------------------------


def on_circle(angle):
    return np.array([[np.cos(angle), np.sin(angle)]])


def test_one_unit_cannot_model_a_circle():
    """A continuous code takes the same value at two opposite points: one of them is a radius off.

    The mean error hides it: all of the tear lies between two neighbouring points of the sample.
    """
    angles = 2 * np.pi * np.arange(300) / 300
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    model = AutoassociativeNetwork(1, random_state=1).fit(circle)
    codes = model.embedding_[:, 0]
    assert mean_error(model, circle) < 0.02

    jumps = np.abs(np.diff(np.append(codes, codes[0])))
    assert jumps.max() > 20 * np.median(jumps)

    def unlike(angle):
        return (model.transform(on_circle(angle)) - model.transform(on_circle(angle + np.pi)))[0, 0]

    torn = brentq(unlike, 0.0, np.pi, xtol=1e-14)
    pair = np.vstack([on_circle(torn), on_circle(torn + np.pi)])
    errors = np.linalg.norm(pair - model.inverse_transform(model.transform(pair)), axis=1)
    assert errors.max() > 1.0 - 1e-3


def test_projection_is_continuous_and_therefore_wrong_at_ambiguity_points():
    """Beside the gap of an open arc the nearest point jumps from end to end; the code does not."""
    angles = np.linspace(-0.75 * np.pi, 0.75 * np.pi, 200)
    arc = np.column_stack([np.cos(angles), np.sin(angles)])
    model = AutoassociativeNetwork(1, random_state=1).fit(arc)
    assert mean_error(model, arc) < 1e-4
    assert abs(np.corrcoef(model.embedding_[:, 0], angles)[0, 1]) > 0.99  # arc length, nearly
    assert np.ptp(model.embedding_) == pytest.approx(1.5 * np.pi, rel=0.05)
    places = np.column_stack([np.full(801, -0.5), np.linspace(-0.2, 0.2, 801)])
    codes = model.transform(places)[:, 0]
    middle = np.abs(codes - codes.mean()).argmin()
    assert np.abs(np.diff(codes)).max() < 0.2 * np.ptp(model.embedding_)
    rebuilt = model.inverse_transform(model.transform(places))
    off = np.linalg.norm(places - rebuilt, axis=1)
    nearest = np.linalg.norm(places[:, None] - arc[None], axis=2).min(axis=1)
    assert off.max() > 2 * nearest[middle]


# --- the contract ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"activation": "logistic", "bottleneck": "sigmoidal", "output": "sigmoidal"},
        {"mapping": (), "demapping": (3, 3), "validation_fraction": 0.2, "l2": 1e-3},
    ],
    ids=str,
)
def test_scikit_learn_contract(options):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Skipping check check_array_api_input")
        check_estimator(AutoassociativeNetwork(n_starts=2, max_iter=20, **options))


def test_same_seed_same_network_with_any_number_of_threads():
    points = datasets.s_curve(BLOCK + 500).points
    models = []
    for seed, threads in ((0, 1), (0, 3), (1, 1)):
        with threadpool_limits(threads):
            models.append(AutoassociativeNetwork(random_state=seed, **QUICK).fit(points))
    one, again, other = (model._network.flat() for model in models)
    np.testing.assert_allclose(one, again, rtol=1e-9)
    np.testing.assert_array_equal(models[0].reconstruction_error_, models[1].reconstruction_error_)
    assert np.abs(one - other).max() > 0.1


@pytest.mark.parametrize("at_step", [1, 15])
@pytest.mark.parametrize("stage", ["start 2 of 2", "training"])
def test_cancelled_fit_leaves_nothing(stage, at_step):
    model = AutoassociativeNetwork(n_starts=2, max_iter=200)
    before = set(vars(model))
    told = []

    def hear(event):
        told.append(event.name)
        if event.name == stage and event.done == at_step:
            listener.cancel()

    with unspool.runtime.listen(hear) as listener, pytest.raises(unspool.Cancelled):
        model.fit(datasets.s_curve(200).points)
    assert set(vars(model)) == before
    assert told[-1] == stage


def test_cancelled_refit_keeps_the_old_network():
    points = datasets.s_curve(200).points
    model = AutoassociativeNetwork(**QUICK).fit(points)
    kept = model.embedding_
    with unspool.runtime.listen(lambda event: None) as listener:
        listener.cancel()
        with pytest.raises(unspool.Cancelled):
            model.fit(points[:100])
    assert model.embedding_ is kept
    np.testing.assert_array_equal(model.transform(points), kept)


def test_known_points_and_single_rows_map_alike():
    points = datasets.s_curve(150).points
    model = AutoassociativeNetwork(**QUICK).fit(points)
    np.testing.assert_array_equal(model.transform(points), model.embedding_)
    rows = np.vstack([model.transform(row[None]) for row in points])
    np.testing.assert_allclose(rows, model.embedding_, atol=1e-11)
    assert not hasattr(model, "eigenvalues_")


def test_float32_in_float32_out():
    points = datasets.s_curve(150).points.astype(np.float32)
    model = AutoassociativeNetwork(**QUICK).fit(points)
    wide = AutoassociativeNetwork(**QUICK).fit(points.astype(np.float64))
    assert model.embedding_.dtype == model.inverse_transform(model.embedding_).dtype == np.float32
    np.testing.assert_allclose(model.embedding_, wide.embedding_, atol=1e-6)


@pytest.mark.parametrize("output", ["linear", "sigmoidal"])
@pytest.mark.parametrize("value", [0.0, 0.1, -1e12, 1e60])
@pytest.mark.parametrize("mapping", [(), (4,)])
def test_constant_data_map_to_one_place_and_back(value, mapping, output):
    points = np.full((20, 3), value)
    model = AutoassociativeNetwork(mapping=mapping, output=output, **QUICK).fit(points)
    assert np.all(np.isfinite(model.embedding_))
    assert np.ptp(model.embedding_, axis=0).max() == 0.0
    rebuilt = model.inverse_transform(model.embedding_)
    np.testing.assert_allclose(rebuilt, points, rtol=1e-12, atol=1e-6)


def test_constant_features_and_duplicates_are_reconstructed():
    rng = np.random.default_rng(0)
    points = np.repeat(np.column_stack([rng.standard_normal((30, 2)), np.full(30, 7.0)]), 4, axis=0)
    for output in ("linear", "sigmoidal"):
        model = AutoassociativeNetwork(2, output=output, max_iter=300).fit(points)
        rebuilt = model.inverse_transform(model.embedding_)
        assert np.abs(rebuilt[:, 2] - 7.0).max() < 0.05
        assert mean_error(model, points) < 0.05
        np.testing.assert_allclose(model.embedding_[::4], model.embedding_[3::4], atol=1e-12)


def test_two_points_are_enough_and_are_reconstructed():
    points = np.array([[0.0, 1.0, 5.0], [1.0, -1.0, 6.0]])
    for n_components in (1, 2):
        model = AutoassociativeNetwork(n_components, validation_fraction=0.5).fit(points)
        np.testing.assert_allclose(model.inverse_transform(model.embedding_), points, atol=1e-3)
        assert model.validation_error_ is None  # both are needed to learn from


@pytest.mark.parametrize("exponent", [-200, 200])
def test_units_do_not_matter(exponent):
    points = datasets.s_curve(150).points
    plain = AutoassociativeNetwork(**QUICK).fit(points)
    scaled = AutoassociativeNetwork(**QUICK).fit(2.0**exponent * points)
    np.testing.assert_allclose(scaled.embedding_ / 2.0**exponent, plain.embedding_, rtol=1e-12)


# --- stopping ----------------------------------------------------------------------------------


def test_held_out_points_stop_training_before_the_noise_is_learnt():
    rng = np.random.default_rng(0)
    angles = rng.uniform(0, np.pi, 60)
    noisy = np.column_stack([np.cos(angles), np.sin(angles)]) + 0.15 * rng.standard_normal((60, 2))
    options = {"mapping": (20,), "demapping": (20,), "tol": 0.0, "max_iter": 600, "n_starts": 1}
    early = AutoassociativeNetwork(1, validation_fraction=0.25, **options).fit(noisy)
    late = AutoassociativeNetwork(1, **options).fit(noisy)
    assert len(early.reconstruction_error_) < 0.5 * len(late.reconstruction_error_)
    assert len(early.validation_error_) == len(early.reconstruction_error_)
    held_out = np.sort(np.random.default_rng(0).permutation(60)[:15])
    assert mean_error(early, noisy[held_out]) == pytest.approx(
        early.validation_error_.min(), rel=1e-8
    )
    angles = rng.uniform(0, np.pi, 500)
    fresh = np.column_stack([np.cos(angles), np.sin(angles)]) + 0.15 * rng.standard_normal((500, 2))
    assert mean_error(early, fresh) < mean_error(late, fresh)


def test_penalised_linear_network_shrinks_each_axis_by_its_closed_form():
    """An axis of variance v keeps the q that minimises v (1 - q)^2 / D + 2 l2 q: 1 - l2 D / v."""
    points, l2 = stretched_cloud(), 0.02
    model = AutoassociativeNetwork(2, mapping=(), demapping=(), l2=l2, tol=1e-14).fit(points)
    pca = PCA(2).fit(points)
    centred = points - points.mean(axis=0)
    variances = pca.eigenvalues_ / np.square(centred).mean()
    kept = 1.0 - l2 * points.shape[1] / variances
    assert np.all(kept > 0.5)
    expected = points.mean(axis=0) + (pca.embedding_ * kept) @ pca.components_
    np.testing.assert_allclose(model.inverse_transform(model.embedding_), expected, atol=1e-5)


def test_penalty_keeps_weights_small():
    points = datasets.s_curve(200).points
    free, held = (
        AutoassociativeNetwork(bottleneck="sigmoidal", l2=l2, max_iter=200).fit(points)
        for l2 in (0.0, 1e-2)
    )
    sizes = [sum(np.square(w).sum() for w in model.weights_) for model in (free, held)]
    assert sizes[1] < 0.5 * sizes[0]
    assert held.reconstruction_error_[-1] > free.reconstruction_error_[-1]


def test_more_starts_are_never_worse_at_the_end_of_their_heats():
    points = datasets.s_curve(300).points
    few, many = (AutoassociativeNetwork(n_starts=k, max_iter=100).fit(points) for k in (2, 6))
    heats = [
        min(stage.facts["loss"] for stage in model.report_.stages if stage.name.startswith("start"))
        for model in (few, many)
    ]
    assert heats[1] <= heats[0]
    assert many.report_.stage("training").facts["loss"] <= heats[1]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"mapping": 8}, "mapping must be a tuple"),
        ({"demapping": (4, 0)}, "demapping must be a tuple"),
        ({"mapping": (2.5,)}, "mapping must be a tuple"),
        ({"n_components": 4}, "use at most 3"),
        ({"batch_size": 32}, "batch_size=32 is for backend='torch'"),
        ({"activation": "relu"}, "'tanh', 'logistic'"),
        ({"validation_fraction": 1.0}, "validation_fraction must be at most"),
        ({"l2": -1.0}, "l2 must be at least 0"),
    ],
)
def test_refusals(options, sentence):
    model = AutoassociativeNetwork(**options)
    with pytest.raises(ValueError, match=sentence):
        model.fit(datasets.s_curve(50).points)
    assert not hasattr(model, "embedding_")


# --- torch -------------------------------------------------------------------------------------


def test_missing_torch_is_answered_with_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r"pip install 'unspool\[torch\]'"):
        AutoassociativeNetwork(backend="torch").fit(datasets.s_curve(50).points)


@pytest.mark.parametrize("activation", ["tanh", "logistic"])
def test_torch_has_the_same_loss_and_gradient(activation):
    torch = pytest.importorskip("torch", reason="the extra unspool[torch] is not installed")
    from unspool.autoencoder import MiniBatches

    points = stretched_cloud(50, 3)
    shape = topology(3, (4,), 2, (5, 4), activation, "sigmoidal", "sigmoidal")
    objective = TrainingLoss(shape, examples(points, activation), 0.01, map)
    parameters = autoencoder.random_network(shape, 0, 0).flat()
    batches = MiniBatches(objective, None, 0)
    parameters = torch.tensor(parameters, dtype=torch.float32, requires_grad=True)
    loss = batches.loss(parameters, torch.arange(50))
    loss.backward()
    expected, gradient = objective(parameters)
    assert float(loss.detach()) == pytest.approx(expected, rel=1e-5)  # float32
    np.testing.assert_allclose(parameters.grad.numpy(), gradient, atol=1e-5)


def test_torch_trains_by_minibatches():
    torch = pytest.importorskip("torch", reason="the extra unspool[torch] is not installed")
    points = datasets.s_curve(2000).points
    options = {"backend": "torch", "batch_size": 100, "max_iter": 40, "n_starts": 2}
    threads = torch.get_num_threads()
    first = AutoassociativeNetwork(2, **options).fit(points)
    torch.set_num_threads(3 if threads != 3 else 2)
    again = AutoassociativeNetwork(2, **options).fit(points)
    torch.set_num_threads(threads)
    np.testing.assert_array_equal(first.reconstruction_error_, again.reconstruction_error_)
    np.testing.assert_array_equal(first.transform(points), first.embedding_)
    error = mean_error(first, points)
    assert error <= 0.5 * mean_error(PCA(2).fit(points), points)
    assert error == pytest.approx(first.reconstruction_error_.min(), rel=1e-8)
    linear = AutoassociativeNetwork(2, mapping=(), demapping=(), **options).fit(points)
    np.testing.assert_allclose(linear.embedding_, PCA(2).fit(points).embedding_, atol=1e-9)


def test_torch_keeps_the_contract():
    pytest.importorskip("torch", reason="the extra unspool[torch] is not installed")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Skipping check check_array_api_input")
        check_estimator(AutoassociativeNetwork(n_starts=1, max_iter=2, backend="torch"))
