"""Every option that is accepted changes the result, or is documented to change only how.

A trial gives values of one option, all of which must lead to different results (maps, query points,
the way back, or attributes), on data and beside options for which it can matter; every declared
choice is among them. What is refused there is named, since a refusal tells nothing of a value that
is accepted. A new option of any method needs a trial here, or a row of the table in docs/design.md.
"""

import dataclasses
import re
import warnings
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from tests.cases import CASES, bent, clusters
from unspool import datasets
from unspool.methods.parameters import parameters_of

DESIGN = Path(__file__).parents[2] / "docs" / "design.md"


def _curved():
    return bent(120)


def _two_components():
    return clusters((70, 50), features=3)[0]


def _with_strays(away=60.0, n=400):
    """A sheet, and three points far from it that are near each other only."""
    sheet = datasets.s_curve(n, seed=0).points
    strays = np.array([[away, 0.0, 0.0], [away + 0.5, 0.0, 0.0], [away, 0.5, 0.0]])
    return np.vstack([sheet, strays])


def _with_a_far_group():
    """A sheet, and a far group that lists few points of it."""
    group = 0.3 * np.random.default_rng(2).standard_normal((8, 3)) + [60.0, 0.0, 0.0]
    return np.vstack([datasets.s_curve(400, seed=0).points, group])


def _with_distant_strays():
    return _with_strays(3000.0)


def _with_distant_strays_of_few():
    return _with_strays(3000.0, n=120)


def _strip():
    """A noisy strip, so long that the second vector is a function of the first."""
    random = np.random.default_rng(0)
    flat = random.random((400, 2)) * [6.0, 1.0]
    return np.column_stack([flat, 0.1 * random.standard_normal(400)])


def _lattice():
    """Points with whole coordinates, of which many are just 3 apart."""
    grid = np.stack(np.meshgrid(np.arange(11.0), np.arange(11.0)), axis=2).reshape(-1, 2)
    return np.column_stack([grid, np.random.default_rng(0).integers(0, 2, len(grid))])


def _uneven():
    """Three clusters of unlike density and size: what is normalized shows."""
    random = np.random.default_rng(5)
    sizes, widths = (60, 30, 20), (0.3, 1.0, 2.0)
    centers = np.array([[0.0, 0.0], [3.0, 0.0], [1.0, 4.0]])
    parts = zip(centers, sizes, widths, strict=True)
    return np.vstack([c + w * random.standard_normal((n, 2)) for c, n, w in parts])


def _many_columns():
    return np.random.default_rng(6).standard_normal((30, 1500))


def _few_columns():
    return np.random.default_rng(7).standard_normal((60, 3))


def _two_planes():
    return datasets.subspaces(90, dimensions=(2, 2), noise=0.01).points


def _uneven_planes():
    return datasets.subspaces(200, dimensions=(2, 2, 2, 2), noise=0.3, seed=4).points


def _three_lines():
    return datasets.subspaces(90, dimensions=(1, 1, 1), noise=0.01).points


def _arc():
    angle = np.linspace(0.2, 5.8, 90)
    random = np.random.default_rng(8)
    points = np.column_stack([np.cos(angle), np.sin(angle)])
    points = points + 0.05 * random.standard_normal(points.shape)
    points[::15] *= 1.8  # outliers
    return points


def _lifted():
    """A saddle, with some points above it."""
    points = datasets.saddle(150, noise=0.02).points.copy()
    points[::15, 2] += 1.0
    return points


def _ranked():
    """A table of few different distances, full of ties."""
    points = np.random.default_rng(9).standard_normal((40, 4))
    return np.round(cdist(points, points))


def _similar():
    points = _uneven()
    table = np.exp(-cdist(points, points, "sqeuclidean"))
    np.fill_diagonal(table, 0.0)
    return table


@dataclass(frozen=True)
class Trial:
    """Values of one option, every two of which must lead to different results.

    Those that are ``refused`` must be; a choice that picks another one must give what that gives.
    """

    values: tuple[Any, ...]
    options: dict[str, Any] = field(default_factory=dict)
    data: Any = _curved
    refused: tuple[Any, ...] = ()
    picks: dict[str, str] = field(default_factory=dict)


def _cosine_like(a, b):
    return float(a @ b / (1.0 + np.linalg.norm(a) * np.linalg.norm(b)))


def _smooth_by_mean(positions, values):
    return values.mean(axis=0) + np.outer(positions - positions.mean(), values[-1] - values[0])


UNFINISHED = {"start": "random", "max_iter": 5}  # from where the path still shows
QUICK = {"n_starts": 1, "max_iter": 30}
WIDTHS = Trial((0.05, 0.4))
KERNELS = ("linear", "polynomial", "homogeneous", "gaussian", "laplacian", "sigmoid")
KERNELS += ("thin-plate", _cosine_like)
TRIALS = {
    "n_components": Trial((1, 2)),
    "n_neighbors": Trial((8, 14, tuple(8 + i % 5 for i in range(120)))),
    "radius": Trial((None, 1e3), {"n_neighbors": None}),
    "squared_radius": Trial((False, True), {"n_neighbors": None, "radius": 100.0}),
    "strict_radius": Trial((), {"n_neighbors": None, "radius": 3.0}, _lattice),
    "metric": Trial(("euclidean", "manhattan", "cosine")),
    "components": Trial((), {}, _two_components, refused=("error",)),
    "outliers": Trial((), {"n_neighbors": 12}, _with_strays),
    "regularization": Trial((1e-3, 0.3)),
    "independent": Trial((), {}, _strip),
    "weights": Trial((), {"metric": "precomputed", "n_neighbors": None}, _similar),
    "gamma": WIDTHS,
    "sigma": Trial((1.0, 5.0)),
    "t": Trial((5.0, 50.0)),
    "alpha": Trial((0.0, 0.5, 1.0)),
    "steps": Trial((0.0, 1.0, 3.0)),
    "laplacian": Trial((), {}, _uneven),
    "n_clusters": Trial((2, 4, "eigengap"), {}, _uneven),
    "row_normalize": Trial((), {}, _uneven),
    "assign": Trial((), {}, _uneven),
    "kernel": Trial(KERNELS, {"gamma": 0.01}),
    "degree": Trial((1, 2, 3), {"kernel": "polynomial", "gamma": 0.01}),
    "coef0": Trial((0.5, 1.0, 3.0), {"kernel": "polynomial", "gamma": 0.01}),
    "additive_constant": Trial((), {"metric": "cosine"}),
    "ddof": Trial((0, 1)),
    "feature_map": Trial((None, np.square)),
    "ordinal": Trial((), {}, _curved),
    "ties": Trial((), {"metric": "precomputed", "ordinal": True}, _ranked),
    "n_init": Trial((1, 4), UNFINISHED),
    "max_iter": Trial((2, 10)),
    "tol": Trial((1e-7, 0.5)),
    "mapping": Trial(((8,), (3,), (4, 4)), QUICK),
    "demapping": Trial(((8,), (3,), (4, 4)), QUICK),
    "n_starts": Trial((1, 4), {"max_iter": 20}),
    "l2": Trial((0.0, 0.1), QUICK),
    "validation_fraction": Trial((0.0, 0.3), QUICK),
    "batch_size": Trial((None, 32), {**QUICK, "backend": "torch"}),
    "activation": Trial((), QUICK),
    "bottleneck": Trial((), QUICK),
    "output": Trial((), QUICK),
    "backend": Trial((), QUICK),
    "perplexity": Trial((5.0, 20.0)),
    "exaggeration": Trial((1.0, 4.0)),
    "early_exaggeration": Trial((4.0, 12.0)),
    "early_iter": Trial((0, 50)),
    "learning_rate": Trial(("auto", 20.0)),
    "span": Trial((0.3, 0.6), {}, _arc),
    "smoother": Trial(("spline", "lowess", "kernel", "polygonal", _smooth_by_mean), {}, _arc),
    "closed": Trial((), {}, _arc),
    "bias_correction": Trial((), {}, _arc),
    "robust": Trial((), {}, _arc),
    "eps": Trial((0.4, 0.6), {}, _many_columns),
    "bound": Trial((), {"eps": 0.4}, _many_columns),
    "kind": Trial((), {}, _many_columns),
    "density": Trial((None, 0.3), {"kind": "sparse"}, _many_columns),
    "guarantee": Trial((), {"eps": 0.5, "n_components": 60}, _many_columns, refused=(False,)),
}
SPECIAL = {  # where a method needs other values than the rest
    ("KernelLLE", "squared_radius"): Trial((), {"n_neighbors": None, "radius": 1.2}),
    ("KernelLLE", "strict_radius"): Trial(
        (), {"n_neighbors": None, "radius": 3.0, "kernel": "linear"}, _lattice
    ),
    ("KernelLLE", "kernel"): Trial(  # those of which no distances are made are told
        KERNELS, {"gamma": 0.01}, refused=("sigmoid", "thin-plate", _cosine_like)
    ),
    ("ModifiedLLE", "symmetrize"): Trial((), {"n_neighbors": 20}),
    ("LTSA", "symmetrize"): Trial((), {"n_neighbors": 20}),
    ("Isomap", "outliers"): Trial((), {"n_neighbors": 12}, _with_distant_strays),
    ("LandmarkIsomap", "outliers"): Trial((), {"n_neighbors": 12}, _with_distant_strays),
    ("LLE", "outliers"): Trial((), {"n_neighbors": 13, "regularization": 1e-6}, _with_a_far_group),
    ("KernelLLE", "outliers"): Trial(
        (), {"n_neighbors": 13, "kernel": "linear", "regularization": 1e-6}, _with_a_far_group
    ),
    ("DiffusionMaps", "outliers"): Trial((), {"n_neighbors": 12, "gamma": 0.05}, _with_strays),
    ("KernelPCA", "n_landmarks"): Trial((None, 20, 40)),
    ("LandmarkMDS", "n_landmarks"): Trial((10, 30)),
    ("LandmarkIsomap", "n_landmarks"): Trial((10, 30)),
    ("KernelPCA", "landmarks"): Trial(
        ("cholesky", "uniform", "kmeans", tuple(range(20))), {"n_landmarks": 20}
    ),
    ("LandmarkMDS", "landmarks"): Trial(
        ("maxmin", "random", tuple(range(20))), {"n_landmarks": 20}
    ),
    ("LandmarkIsomap", "landmarks"): Trial(
        ("maxmin", "random", tuple(range(20))), {"n_landmarks": 20}
    ),
    ("FeatureMapPCA", "degree"): Trial((1, 2, 3), {}, _few_columns),
    ("PolynomialPCA", "degree"): Trial((1, 2, 3), {}, _few_columns),
    ("AdditivePCA", "n_knots"): Trial((2, 4, 10)),
    ("AdditivePCA", "smoothing"): Trial((0.0, 1e-3, 1.0)),
    ("GPCA", "n_components"): Trial((1, 2), {}, _two_planes),
    ("GPCA", "n_subspaces"): Trial((1, 2, "auto"), {}, _three_lines),
    ("GPCA", "dimensions"): Trial(("auto", 1, (1, 2)), {}, _two_planes),
    ("GPCA", "affine"): Trial((False, True), {}, _curved),
    ("GPCA", "max_iter"): Trial((1, 50), {"n_subspaces": 4}, _uneven_planes),
    ("PolynomialPCA", "ddof"): Trial((0, 1), {"standardize": False}, _few_columns),
    ("MDS", "weights"): Trial(
        (None, "inverse_square", 1.0, 1.0 / (1.0 + _ranked())), {"metric": "precomputed"}, _ranked
    ),
    ("MDS", "start"): Trial(
        ("classical", "landmarks", "random", np.random.default_rng(3).normal(size=(120, 2))),
        {"max_iter": 3},
    ),
    ("MDS", "output_metric"): Trial((), {"max_iter": 30}),
    ("MDS", "power"): Trial((1.5, 3.0), {"output_metric": "minkowski", "max_iter": 30}),
    ("MDS", "max_iter"): Trial((2, 10), {"start": "random"}),
    ("MDS", "random_state"): Trial((0, 1), UNFINISHED),
    ("KernelPCA", "random_state"): Trial((0, 1), {"n_landmarks": 20}),
    ("LandmarkMDS", "random_state"): Trial((0, 1), {"n_landmarks": 20}),
    ("LandmarkIsomap", "random_state"): Trial((0, 1), {"n_landmarks": 20}),
    ("AutoassociativeNetwork", "random_state"): Trial((0, 1), QUICK),
    ("AutoassociativeNetwork", "max_iter"): Trial((2, 10), {"n_starts": 1}),
    ("AutoassociativeNetwork", "tol"): Trial((1e-6, 0.5), {"n_starts": 1, "max_iter": 60}),
    ("RandomProjection", "random_state"): Trial((0, 1)),
    ("SpectralClustering", "random_state"): Trial((0, 1), {"n_clusters": 6}, _uneven),
    ("SpectralClustering", "n_components"): Trial((None, 1, 2)),
    ("Charting", "n_charts"): Trial((10, 30)),
    ("Charting", "consistency"): Trial((0.0, 1.0)),
    ("Charting", "overlap"): Trial((1.5, 3.0)),
    ("Charting", "random_state"): Trial((0, 1)),
    ("ConformalEigenmaps", "n_vectors"): Trial((4, 8)),
    ("ConformalEigenmaps", "tol"): Trial((1e-7, 0.5)),
    ("ConformalEigenmaps", "max_iter"): Trial((2, 30)),
    ("MaximumVarianceUnfolding", "isometry"): Trial(()),
    ("MaximumVarianceUnfolding", "slack"): Trial((0.01, 0.2)),
    ("MaximumVarianceUnfolding", "program"): Trial(
        ("exact", "reduced"),
        picks={"auto": "exact"},  # which serves so few points
    ),
    ("MaximumVarianceUnfolding", "n_vectors"): Trial((5, 12)),
    ("MaximumVarianceUnfolding", "basis"): Trial(("lle", "laplacian")),
    ("MaximumVarianceUnfolding", "tol"): Trial((1e-3, 0.5), {"max_iter": 180}),
    ("MaximumVarianceUnfolding", "outliers"): Trial(
        (), {"n_neighbors": 12, "program": "exact"}, _with_distant_strays_of_few
    ),
    ("TSNE", "random_state"): Trial((0, 1), {"start": "random"}),
    ("TSNE", "start"): Trial(
        ("pca", "laplacian", "random", np.random.default_rng(3).normal(size=(120, 2)))
    ),
    ("TSNE", "gradient"): Trial(
        ("exact", "interpolation", "barnes-hut"),
        picks={"auto": "exact"},  # for so few points
    ),
    ("TSNE", "angle"): Trial((0.2, 1.0), {"gradient": "barnes-hut"}),
    ("PrincipalCurve", "start"): Trial(
        ("pca", "circle", np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])), {}, _arc
    ),
    ("PrincipalCurve", "max_iter"): Trial((2, 10), {}, _arc),
    ("PrincipalCurve", "tol"): Trial((1e-6, 0.9), {}, _arc),
    ("PrincipalSurface", "start"): Trial(
        ("pca", np.random.default_rng(4).normal(size=(120, 2))), {"max_iter": 3}
    ),
    ("PrincipalSurface", "robust"): Trial((), {"max_iter": 20}, _lifted),
    ("PrincipalSurface", "span"): Trial((0.1, 0.4)),
    ("PrincipalSurface", "max_iter"): Trial((1, 5)),
    ("PrincipalSurface", "tol"): Trial((1e-6, 0.9), {"max_iter": 15}),
    ("PrincipalSurface", "smoother"): Trial(("spline", "adaptive"), {"max_iter": 8}),
    ("PrincipalSurface", "parametrization"): Trial((), {"max_iter": 8}),
}


def documented():
    """Return option -> methods of the table in docs/design.md: these change how, not what."""
    section = DESIGN.read_text("utf-8").partition("### Options that change only how")[2]
    section = section.partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| ([^|]*) \|", section, flags=re.MULTILINE)
    everybody = ", ".join(CASES)
    named = {option: whom.replace("all methods", everybody) for option, whom in rows}
    return {option: set(re.findall(r"\w+", whom)) & set(CASES) for option, whom in named.items()}


ONLY_HOW = documented()
NUMBERS = {"n_jobs": (1, 2)}  # to try, where 0 and 5 will not do
DECLARED = [(name, option) for name, case in CASES.items() for option in parameters_of(case.cls)]
THAT_MATTER = [
    (name, option)
    for name, option in DECLARED
    if name not in ONLY_HOW.get(option, ())
    and len(parameters_of(CASES[name].cls)[option][1].choices or "ab") > 1
    and (CASES[name].most != 1 or option != "n_components")  # there is only one value
]


def trial_of(name, option):
    rule = parameters_of(CASES[name].cls)[option][1]
    trial = SPECIAL.get((name, option), TRIALS.get(option, Trial(())))
    values = trial.values or rule.choices or ((False, True) if rule.kind is bool else ())
    assert len(values) > 1, f"{name}({option}=...) has no trial and no row in docs/design.md"
    words = {value for value in values if isinstance(value, str)} | set(trial.picks)
    left_out = {choice for choice in rule.choices or () if isinstance(choice, str)} - words
    assert not left_out, f"{name}({option}=...) is not tried with {left_out}"
    return dataclasses.replace(trial, values=values)


def result(case, data, options):
    """Return everything that a fit tells, as arrays by name, or how it was refused."""
    known = parameters_of(case.cls)
    kept = {key: value for key, value in {**case.options, **options}.items() if key in known}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            model = case.cls(**kept).fit(data)
        except ImportError as missing:
            pytest.skip(str(missing))
        except ValueError as refusal:
            return {"refused": np.array([str(refusal)])}
        found = {"embedding_": model.embedding_}
        if getattr(model, "metric", "") != "precomputed":
            queries = 0.5 * (data[:9] + data[1:10])
            found["transform"] = model.transform(queries)
            found["inverse_transform"] = model.inverse_transform(model.embedding_[:9] * 1.01)
    for attribute in ("eigenvalues_", "labels_", "cluster_centers_", "stress_", "n_iter_"):
        if hasattr(model, attribute):
            found[attribute] = np.asarray(getattr(model, attribute))
    return found


def differ(one, other, tolerance):
    if one.keys() != other.keys():
        return True
    return any(_arrays_differ(one[name], other[name], tolerance) for name in one)


def _arrays_differ(first, second, tolerance):
    if first.shape != second.shape or first.dtype.kind == "U":
        return first.shape != second.shape or bool((first != second).any())
    scale = np.abs(first).max(initial=0.0) + np.abs(second).max(initial=0.0)
    return bool(np.abs(first - second).max(initial=0.0) > tolerance * scale)


@pytest.mark.parametrize(("name", "option"), THAT_MATTER, ids=lambda word: word)
def test_it_changes_the_result(name, option):
    trial, case = trial_of(name, option), CASES[name]
    data = trial.data()

    def with_value(value):
        return result(case, data, {**trial.options, option: value})

    results = [with_value(value) for value in trial.values]
    refused = [value for value, one in zip(trial.values, results, strict=True) if "refused" in one]
    assert refused == list(trial.refused), [one["refused"] for one in results if "refused" in one]
    assert len(refused) < len(results)
    accepted = [i for i, one in enumerate(results) if "refused" not in one]
    for i, j in combinations(accepted, 2):
        told = f"{name}: {option}={trial.values[i]!r} gives what {trial.values[j]!r} gives"
        assert differ(results[i], results[j], 1e-6), told
    for choice, picked in trial.picks.items():
        told = f"{name}: {option}={choice!r} does not give what {picked!r} gives"
        assert not differ(with_value(choice), results[trial.values.index(picked)], 1e-12), told


@pytest.mark.parametrize(
    ("name", "option"),
    [(name, option) for name, option in DECLARED if name in ONLY_HOW.get(option, ())],
    ids=lambda word: word,
)
def test_what_is_documented_to_change_only_how_changes_nothing(name, option, capfd):
    case, rule = CASES[name], parameters_of(CASES[name].cls)[option][1]
    values = rule.choices or ((False, True) if rule.kind is bool else NUMBERS.get(option, (0, 5)))
    data = _few_columns() if name == "PolynomialPCA" else _curved()
    first, *others = (result(case, data, {option: value}) for value in values)
    assert "refused" not in first
    for other in others:
        assert not differ(first, other, 1e-4), f"{name}: {option} changes the result"


def test_the_table_names_options_and_methods_that_exist():
    assert ONLY_HOW
    for option, names in ONLY_HOW.items():
        assert names, option
        for name in names:
            assert option in parameters_of(CASES[name].cls), (option, name)


def test_an_option_that_is_ignored_is_noticed():
    """The trial itself can fail: two values that do the same are told."""
    case = CASES["Isomap"]
    same = [result(case, _curved(), {"n_neighbors": 8, "verbose": value}) for value in (0, 0)]
    assert not differ(*same, 1e-6)
