"""Random fits over all that is declared: right, or one clear refusal.

Each number stands for a method, options drawn from their declarations, and 2 to 300 points of 1 to
50 features with duplicates, constant columns, offsets, and scales from tiny to huge. What comes out
is finite, has the right shape, keeps known points in their place and leads back; or the fit is
refused by a sentence of ours. Nothing else may happen: no error out of a library, no NaN, no
warning of numpy's.
"""

import traceback
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import unspool
from tests.cases import CASES
from unspool.methods.parameters import parameters_of
from unspool.relation import subspaces

SHORT, LONG = 105, 700
NAMES = sorted(CASES)
OURS = Path(unspool.__file__).parent
SLOW = {  # loops whose length is no question of right or wrong
    "max_iter": lambda random: int(random.integers(1, 12)),
    "early_iter": lambda random: int(random.integers(0, 12)),
    "n_starts": lambda random: int(random.integers(1, 3)),
    "n_init": lambda random: int(random.integers(1, 3)),
}
UNUSUAL = {  # choices that need a package or an input of their own, or hours
    ("backend", "torch"),
    ("search", "approximate"),
    ("weights", "given"),
    ("program", "exact"),  # of thousands of pairs; "auto" is exact where there are few
}
METRICS = (
    "manhattan",
    "cosine",
    "correlation",
    "chebyshev",
    "canberra",
    "braycurtis",
    "sqeuclidean",
)
KERNELS = ("linear", "polynomial", "homogeneous", "laplacian", "sigmoid", "gaussian")


def half(a, b):
    return float(a @ b) / 2.0


def several(low, high):
    return lambda random, n: random.choice(
        n, min(n, int(random.integers(low, high))), replace=False
    )


OPEN = {  # parameters whose declaration leaves open what they may be: values for n points
    "metric": lambda random, n: str(random.choice(METRICS)),
    "kernel": lambda random, n: half if random.random() < 0.1 else str(random.choice(KERNELS)),
    "n_neighbors": lambda random, n: (
        random.integers(1, max(2, n), n)
        if random.random() < 0.1
        else int(random.integers(1, max(2, min(n, 25))))
    ),
    "n_clusters": lambda random, n: (
        "eigengap" if random.random() < 0.3 else int(random.integers(1, 6))
    ),
    "mapping": lambda random, n: tuple(map(int, random.integers(1, 7, random.integers(0, 3)))),
    "demapping": lambda random, n: tuple(map(int, random.integers(1, 7, random.integers(0, 3)))),
    "feature_map": lambda random, n: lambda X: np.hstack([X, np.tanh(X)]),
    "smoother": lambda random, n: str(random.choice(["lowess", "spline"])),
}
OPEN_OF = {
    ("KernelPCA", "landmarks"): lambda random, n: (
        several(1, 30)(random, n)
        if random.random() < 0.3
        else str(random.choice(["cholesky", "uniform", "kmeans"]))
    ),
    ("LandmarkMDS", "landmarks"): lambda random, n: (
        several(3, 30)(random, n) if random.random() < 0.5 else "random"
    ),
    ("LandmarkIsomap", "landmarks"): lambda random, n: (
        several(3, 30)(random, n) if random.random() < 0.5 else "random"
    ),
    ("MDS", "weights"): lambda random, n: float(random.integers(-3, 2)),
    ("MDS", "start"): lambda random, n: "random",
}


def draw_points(random):
    n = int(np.exp(random.uniform(np.log(2), np.log(300))))
    width = int(np.exp(random.uniform(0.0, np.log(50))))
    kind = random.choice(["cloud", "sheet", "clusters", "whole numbers", "line", "sparse"])
    t = random.uniform(0, 6, (n, 2))
    if kind == "cloud":
        X = random.standard_normal((n, width))
    elif kind == "sheet":
        X = np.hstack([np.cos(t), t]) @ random.standard_normal((4, width))
    elif kind == "clusters":
        X = random.standard_normal((n, width)) + 50.0 * random.integers(0, 3, (n, 1))
    elif kind == "whole numbers":
        X = random.integers(-3, 4, (n, width)).astype(float)
    elif kind == "line":
        X = t[:, :1] @ random.standard_normal((1, width))
    else:
        X = np.where(random.random((n, width)) < 0.8, 0.0, random.standard_normal((n, width)))
    if random.random() < 0.25:  # copies
        X = X[random.integers(0, n, n)]
    if random.random() < 0.2:  # columns that carry nothing
        X[:, random.integers(0, width, max(1, width // 3))] = float(random.choice([0.0, 7.0, -1e5]))
    if random.random() < 0.25:
        X = X * 10.0 ** random.uniform(-60, 60)
    elif random.random() < 0.2:
        X = X + 10.0 ** random.uniform(0, 8)
    if random.random() < 0.1:
        X[random.integers(n)] *= 1e4  # a stray
    if kind == "whole numbers" and random.random() < 0.4 and np.abs(X).max() < 1e9:
        return X.astype(random.choice([np.int64, np.int32]))
    if random.random() < 0.2 and 1e-30 < np.abs(X).max() < 1e30:
        return X.astype(np.float32)
    return X


def draw_number(random, rule):
    low = rule.above if rule.at_least is None else rule.at_least
    if rule.kind is int:
        most = 6 if rule.at_most is None else int(rule.at_most)
        return int(random.integers(0 if low is None else low, most + 1))
    if rule.at_most is not None:
        return float(random.uniform(low or 0.0, rule.at_most)) or rule.at_most
    size = 10.0 ** (random.uniform(-12, 12) if random.random() < 0.2 else random.uniform(-3, 2))
    return -size if low is None and random.random() < 0.5 else size


def draw_options(name, random, n):
    options = {}
    for parameter, (_, rule) in parameters_of(CASES[name].cls).items():
        drawn = OPEN_OF.get((name, parameter), OPEN.get(parameter))
        if parameter in SLOW:
            options[parameter] = SLOW[parameter](random)
        if parameter in SLOW or parameter == "verbose" or random.random() < 0.7:
            continue
        if rule.choices is not None:
            usual = [word for word in rule.choices if (parameter, word) not in UNUSUAL]
            options[parameter] = str(random.choice(usual))
        elif rule.kind is bool:
            options[parameter] = bool(random.integers(2))
        elif rule.words and random.random() < 0.4:
            options[parameter] = str(random.choice(rule.words))
        elif rule.kind in (int, float):
            options[parameter] = draw_number(random, rule)
        elif drawn is not None:
            options[parameter] = drawn(random, n)
    widths = [word for word in ("gamma", "sigma", "t") if word in options]
    for word in widths[1:]:  # several are refused, which needs no further draws
        del options[word]
    return options


def as_table(model, X):
    """Return a table of the points for a method that takes one."""
    points = np.asarray(X, dtype=float)
    if hasattr(model, "kernel"):
        model.set_params(kernel="precomputed")
        scale = float(np.abs(points).max()) or 1.0
        return (points / scale) @ (points / scale).T
    model.set_params(metric="precomputed")
    return cdist(points, points)


def draw(number):
    random = np.random.default_rng([18, number])
    name = NAMES[number % len(NAMES)]
    X = draw_points(random)
    if name in ("PolynomialPCA", "FeatureMapPCA"):  # 20,475 monomials of 24 variables take minutes
        X = X[:, :6]
    model = CASES[name].cls(**draw_options(name, random, len(X)))
    if CASES[name].precomputed and random.random() < 0.1:
        X = as_table(model, X)
    return model, X


def told_by_us(error):
    """Tell whether a refusal is a sentence of ours, or of the door that scikit-learn keeps."""
    raised = Path(traceback.extract_tb(error.__traceback__)[-1].filename)
    return raised.is_relative_to(OURS) or raised.match("sklearn/utils/validation.py")


def misplaced(model, X):
    """Return by how much of the map known points move."""
    Y = model.embedding_
    size = float(np.ptp(Y, axis=0).max(initial=0.0)) or 1.0
    if getattr(model, "center", True) is False:  # what is not centered is as large as it is far
        size = max(size, float(np.abs(Y).max()))
    if getattr(model, "metric", None) in ("cosine", "correlation"):
        size = max(size, 1e-8)  # 1 - cos of one direction is 1e-16: a map of that is rounding
    placed = model.transform(X)
    gaps = np.abs(placed[:, None, :] - Y[None, :, :]).max(axis=2)
    moved = np.where(copies(model, X), gaps, np.inf).min(axis=1).max()
    return max(0.0, float(moved) - by_rounding(model, X)) / size


def copies(model, X):
    """Return which points are told apart by nothing: any of them may be the one that is met."""
    _, kind = np.unique(X, axis=0, return_inverse=True)
    same = kind.ravel()[:, None] == kind.ravel()
    if model._input_kind() == "kernel":  # squared distances come of differences of its entries
        own = np.diag(X)
        same |= own[:, None] - 2.0 * X + own <= 1e-13 * np.abs(own).max()
    return same


def by_rounding(model, X):
    """Return how far the rounding of a kernel that is given as a function moves places."""
    if not callable(getattr(model, "kernel", None)) or not hasattr(model, "center"):
        return 0.0
    values = model.eigenvalues_[model.eigenvalues_ > 0.0]
    if not len(values):
        return 0.0
    largest = max(abs(model.kernel(x, x)) for x in X)
    return 16 * np.finfo(float).eps * largest * np.sqrt(len(X) / values.min())


def judge(model, X):
    """Return what is wrong with a fit; None if nothing."""
    n, width = X.shape
    Y = model.embedding_
    wanted = model.n_components if isinstance(model.n_components, int) else Y.shape[1]
    if Y.shape != (n, wanted) or wanted < 1:
        return f"a map of shape {Y.shape}"
    if not np.isfinite(Y).all():
        return "a map that is not finite"
    moved = misplaced(model, X)
    if not moved < (1e-3 if X.dtype == np.float32 else 1e-5):
        return f"known points moved by {moved:.1e} of the map"
    if model._input_kind() == "points":
        back = model.inverse_transform(Y)
        if back.shape != (n, width) or not np.isfinite(back).all():
            return "a way back that is not finite"
    return None


def outcome(number):
    """Return what is wrong with the fit of this number; None if nothing."""
    model, X = draw(number)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            wrong = judge(model.fit(X), X)
        except (ValueError, MemoryError) as error:
            if isinstance(error, np.linalg.LinAlgError) or not told_by_us(error):
                return f"{type(error).__name__}: {error}"
            return None
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    foreign = [f"{w.category.__name__}: {w.message}" for w in told if w.category is not UserWarning]
    return wrong or next(iter(foreign), None)


def assert_right(numbers):
    wrong = {number: found for number in numbers if (found := outcome(number)) is not None}
    lines = [f"{number} {NAMES[number % len(NAMES)]}: {told}" for number, told in wrong.items()]
    assert not wrong, f"{len(wrong)} of {len(numbers)}:\n" + "\n".join(lines)


@pytest.mark.parametrize("first", range(0, SHORT, 21))
def test_some_random_fits(first):
    assert_right(range(first, first + 21))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(SHORT, LONG, 35))
def test_hundreds_of_random_fits(first):
    assert_right(range(first, first + 35))


def test_those_that_were_wrong_are_right():
    """Rows of a kernel that are symmetric up to rounding; cosines that are nothing but rounding.

    Two rows of zeros compared by cosines; points that see few others, and "auto" coordinates.
    Points that differ, but not by angle; points that are not at distance 0 from themselves.
    """
    assert_right([446, 573, 397, 544, 126, 219])


def test_fewer_points_differ_than_there_are_subspaces():
    """An empty cluster had the mean of nothing for its center."""
    points = np.array([[0.0, 0.0, 1.0]] * 6 + [[1.0, 0.0, 0.0]] * 6)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        found = subspaces.fit_subspaces(points, np.repeat([0, 1], 6), (1, 1, 1), affine=True)
    assert np.isfinite([subspace.center for subspace in found.subspaces]).all()
    assert len(np.unique(found.labels)) == 2


def test_most_of_them_are_fitted():
    """Were nearly all refused, nothing would be tried."""
    fitted = 0
    for number in range(2 * len(NAMES)):
        model, X = draw(number)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model.fit(X)
            except (ValueError, MemoryError):
                continue
        fitted += 1
    assert fitted > len(NAMES)
