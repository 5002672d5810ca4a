"""Tables that are not what they are said to be: told by their shape and their diagonal."""

import warnings

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import unspool
from tests.cases import bent
from unspool import datasets
from unspool.distances import check_metric
from unspool.edges import weight_of_alike_rows
from unspool.methods.door import tell_similarities

METHODS = (unspool.Isomap, unspool.ClassicalMDS, unspool.LLE, unspool.LandmarkMDS)


@pytest.mark.parametrize("cls", METHODS)
def test_points_given_as_a_table_are_told_by_their_shape(cls):
    points = np.random.default_rng(0).normal(size=(300, 50))  # negative too: not what is wrong
    with pytest.raises(
        ValueError, match=r"must be square; got shape \(300, 50\): are these points"
    ):
        cls(metric="precomputed").fit(points)


@pytest.mark.parametrize("cls", METHODS)
def test_similarities_given_as_distances_are_recognised(cls):
    steps = np.subtract.outer(np.arange(20), np.arange(20))
    with pytest.raises(ValueError, match=r"table of similarities.*weights='given'"):
        cls(metric="precomputed").fit(np.exp(-np.square(steps) / 9.0))


ROLL = bent(150)
FALLING = {
    "wide": lambda lengths: np.exp(-np.square(lengths) / 200.0),
    "narrow": lambda lengths: np.exp(-np.square(lengths) / 8.0),
    "linear": lambda lengths: 1.0 - lengths / lengths.max(),
}


def told_of(cls, table):
    """Return all that a method warns of."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        cls(metric="precomputed").fit(table)
    return "\n".join(str(one.message) for one in told)


def without_diagonal(table):
    np.fill_diagonal(table, 0.0)
    return table


@pytest.mark.parametrize("falling", FALLING.values(), ids=FALLING)
@pytest.mark.parametrize("cls", [*METHODS, unspool.MDS, unspool.TSNE, unspool.LaplacianEigenmaps])
def test_similarities_with_an_empty_diagonal_are_told(cls, falling):
    """Nothing but the order of their entries tells these from distances."""
    table = without_diagonal(falling(cdist(ROLL, ROLL)))
    assert "as if these were similarities; if they are, pass" in told_of(cls, table)


@pytest.mark.parametrize("falling", FALLING.values(), ids=FALLING)
def test_how_fast_similarities_fall_does_not_matter(falling):
    lengths = cdist(ROLL, ROLL)
    trend = weight_of_alike_rows(without_diagonal(falling(lengths)))
    assert trend == pytest.approx(-weight_of_alike_rows(lengths), abs=1e-9)
    assert trend > 0.5


REAL = {
    "eurodist": lambda: datasets.real("distances_small")["eurodist"],
    "british towns": lambda: datasets.real("distances_small")["british_towns"],
    "driving miles": lambda: datasets.real("us_driving_miles_128")["d"],
}
TASTES = ("Body", "Sweetness", "Smoky", "Medicinal", "Tobacco", "Honey", "Spicy", "Winey")
MEASURED = {
    "whisky": lambda: columns_of("whisky", TASTES),
    "food": lambda: columns_of("food_nutrition", lambda name: "2." in name),
    "pbmc68k": lambda: datasets.real("pbmc68k_reduced")["x"][::2].astype(float),
    "noise": lambda: np.random.default_rng(0).normal(size=(300, 200)),
    "a few points": lambda: np.random.default_rng(1).normal(size=(12, 2)),
}


def columns_of(name, wanted):
    table = datasets.real(name)
    chosen = filter(wanted, table) if callable(wanted) else wanted
    return np.array([table[column] for column in chosen], dtype=float).T


def in_the_unit_interval(name, metric):
    """Return distances between the rows of real or random data, the largest of them 1."""
    if metric is None:
        table = np.asarray(REAL[name](), dtype=float)
    else:
        points = MEASURED[name]()
        points = points > np.median(points, axis=0) if metric == "jaccard" else points
        table = np.nan_to_num(cdist(points, points, metric))  # no direction, no distance
    table = without_diagonal(0.5 * (table + table.T))
    return table / table.max()


TABLES = [(name, None) for name in REAL] + [
    (name, metric)
    for name in MEASURED
    for metric in ("euclidean", "cosine", "correlation", "jaccard", "cityblock", "chebyshev")
    if (name, metric) != ("a few points", "correlation")  # of two numbers: 0 or 2
]


@pytest.mark.parametrize(("name", "metric"), TABLES)
def test_distances_in_the_unit_interval_are_never_taken_for_similarities(name, metric):
    try:
        table = in_the_unit_interval(name, metric)
    except FileNotFoundError as absent:
        pytest.skip(str(absent))
    assert "similarities" not in told_of(unspool.ClassicalMDS, table)
    assert weight_of_alike_rows(table) < 0.05  # far from what is told


def test_a_few_points_of_noise_are_never_taken_for_similarities():
    """In 3,000 dimensions they are all as far, and what trend there is, is chance."""
    rng, trends = np.random.default_rng(5), []
    for _ in range(200):
        points = rng.standard_normal((12, 3000))
        table = cdist(points, points) / 200.0
        trends.append(weight_of_alike_rows(table))
        tell_similarities(table)
    assert max(trends) > 0.1  # as large ones do


@pytest.mark.parametrize("name", ["ekman_similarity", "morse_similarity"])
def test_real_similarities_are_told(name):
    try:
        given = np.asarray(datasets.real("distances_small")[name], dtype=float)
    except FileNotFoundError as absent:
        pytest.skip(str(absent))
    table = without_diagonal(0.5 * (given + given.T))
    assert "as if these were similarities" in told_of(unspool.MDS, table / table.max())


def test_tables_with_gaps_and_lengths_above_one_are_not_judged():
    table = without_diagonal(np.exp(-cdist(ROLL, ROLL) / 9.0))
    gaps = np.array(table)
    gaps[3, 5] = gaps[5, 3] = np.nan
    unspool.MDS(metric="precomputed", max_iter=5).fit(gaps)
    unspool.MDS(metric="precomputed", max_iter=5).fit(9.0 * table)


def test_negative_weights_are_refused_as_such():
    with pytest.raises(ValueError, match="weights must not be negative; the smallest is -1"):
        unspool.commute_time_distances([[0.0, -1.0], [-1.0, 0.0]])
    with pytest.raises(ValueError, match="weights must not be negative; the smallest is -2"):
        unspool.LaplacianEigenmaps(1, metric="precomputed", weights="given").fit(
            [[0.0, 1.0, -2.0], [1.0, 0.0, 1.0], [-2.0, 1.0, 0.0]]
        )


def test_every_metric_that_is_listed_works():
    with pytest.raises(ValueError, match="unknown metric") as told:
        check_metric("nonsense")
    listed = str(told.value).partition("one of ")[2].split(", ")
    points = np.random.default_rng(1).random(size=(40, 4)) + 0.1
    assert "wminkowski" not in listed
    for metric in listed:
        if metric in ("dice", "jaccard", "rogerstanimoto", "russellrao", "yule", "sokalsneath"):
            continue  # of yes and no only
        graph = unspool.distances.neighbor_graph(points, 3, metric=metric)
        assert np.isfinite(graph.distances).all(), metric


def test_fewer_neighbours_than_coordinates_are_told():
    cloud = np.random.default_rng(0).normal(size=(100, 6))
    with pytest.warns(UserWarning, match="raise n_neighbors to at least 4"):
        unspool.LLE(4, n_neighbors=3).fit(cloud)


def test_a_sentence_is_told_once_whatever_the_number_of_components():
    flock = np.random.default_rng(0).normal(size=(60, 6))
    told = "raise n_neighbors to at least 4"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = unspool.LLE(4, n_neighbors=3).fit(np.vstack([flock, flock + 100, flock - 100]))
    assert len(model.charts_) >= 3
    assert sum(told in str(warning.message) for warning in caught) == 1
    assert sum(told in advice for advice in model.report_.advice) == 1
    with pytest.warns(UserWarning, match=told):  # and again by the next fit
        model.fit(flock)


def test_clusters_of_several_components_are_refused_with_a_way_that_they_have():
    points = np.vstack([np.eye(3), np.eye(3) + 100.0])
    asked = unspool.SpectralClustering(2, n_neighbors=2, components="error")
    with pytest.raises(
        ValueError, match=r"2 connected components .*pass components='whole'"
    ) as told:
        asked.fit(points)
    for word in ("'largest'", "'separate'", "'bridge'"):
        assert word not in str(told.value)
