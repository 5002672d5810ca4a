"""Generalized PCA: subspaces come out as they were put in, and noise is borne."""

from itertools import combinations, permutations

import numpy as np
import pytest

from tests.store.test_round_trip import there_and_back
from unspool import GPCA, PCA, datasets, kernel
from unspool.relation import Subspace, n_vanishing, squared_distances
from unspool.relation.subspaces import Seen, Vanishing


def right(labels, truth):
    """Return the share of points with the right label, up to the names of the subspaces."""
    names = range(int(max(labels.max(), truth.max())) + 1)
    return max(np.mean(np.array(p)[labels] == truth) for p in permutations(names))


def test_gradients_are_those_of_the_monomials():
    points = np.random.default_rng(0).normal(size=(7, 3))
    for degree in (1, 2, 3, 4):
        found = kernel.veronese_gradients(points, degree)
        for variable in range(3):
            step = np.zeros(3)
            step[variable] = 1e-5
            rise = kernel.veronese(points + step, degree) - kernel.veronese(points - step, degree)
            np.testing.assert_allclose(found[variable], rise / 2e-5, atol=1e-7)


@pytest.mark.parametrize("dimensions", [(1, 1), (2, 2), (1, 2), (1, 1, 2), (2, 2, 2), (1, 1, 1, 1)])
def test_as_many_polynomials_vanish_as_counted(dimensions):
    """The count of Derksen (2007) against the rank of the monomials of many points."""
    points = datasets.subspaces(400, dimensions=dimensions).points
    monomials = kernel.veronese(points, len(dimensions))
    rank = np.linalg.matrix_rank(monomials, tol=1e-8 * np.linalg.norm(monomials))
    assert n_vanishing(dimensions, 3) == monomials.shape[1] - rank


def test_gradients_are_normal_to_the_plane_of_a_point():
    sample = datasets.subspaces(120, dimensions=(2, 2), seed=5)
    points = sample.points[np.linalg.norm(sample.points, axis=1) > 0.3]
    planes = sample.color[np.linalg.norm(sample.points, axis=1) > 0.3]
    found = Vanishing.on(points, 2).normals(points, 1).directions[:, 0]
    for plane in (0, 1):
        across = np.linalg.svd(points[planes == plane])[2][-1]
        assert np.median(np.abs(found[planes == plane] @ across)) > 1 - 1e-9


@pytest.mark.parametrize("draw", range(5))
def test_normals_tell_affine_planes_apart_without_any_refinement(draw):
    """Three planes off the origin: nearly all points join their own before any plane is fitted."""
    sample = datasets.subspaces(300, dimensions=(2, 2, 2), dim=3, offset=1.0, seed=draw)
    seen = Seen.of(sample.points, 3, 2, affine=True, seed=0)
    (labels,) = seen.starts((2, 2, 2), 0)
    assert right(labels, sample.color.astype(int)) > 0.9


@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize(
    ("dimensions", "dim"),
    [((1, 1), 2), ((1, 1, 1), 3), ((2, 2), 3), ((2, 2, 2), 3), ((1, 2), 3), ((1, 2, 3), 5)],
)
def test_subspaces_are_found_exactly(dimensions, dim, affine):
    offset = 1.0 if affine else 0.0
    sample = datasets.subspaces(360, dimensions=dimensions, dim=dim, offset=offset, seed=2)
    model = GPCA(n_subspaces=len(dimensions), affine=affine).fit(sample.points)
    assert sorted(model.dimensions_) == sorted(dimensions)
    assert model.distances_.max() < 1e-9
    assert right(model.labels_, sample.color.astype(int)) > 0.99  # but where subspaces meet
    np.testing.assert_allclose(model.inverse_transform(model.embedding_), sample.points, atol=1e-9)


ARRANGEMENTS = [((1, 2), 3), ((2, 2), 3), ((2, 2, 2), 3), ((1, 1, 1), 5), ((1, 2, 3), 5)]
FEW, MANY = range(5, 8), pytest.param(range(8, 50), marks=pytest.mark.slow)


def true_subspaces(sample, dimensions):
    """Return the subspaces through the points that were drawn from each."""
    return [
        Subspace.through(sample.points[sample.color == number], dimension, affine=False)
        for number, dimension in enumerate(dimensions)
    ]


def least_angle(subspaces):
    """Return the least of the angles, in degrees, that any two of the subspaces are apart by."""
    cosines = [
        np.linalg.svd(one.axes @ other.axes.T)[1][-1] for one, other in combinations(subspaces, 2)
    ]
    return float(np.degrees(np.arccos(min(1.0, max(cosines)))))


@pytest.mark.parametrize("draws", [FEW, MANY], ids=["few", "many"])
@pytest.mark.parametrize(("dimensions", "dim"), ARRANGEMENTS)
def test_noise_is_borne(dimensions, dim, draws):
    """Where subspaces are not nearly the same: as if they were known, but for one draw of twenty.

    There the criterion prefers other dimensions to the true ones.
    """
    seen, wrong = 0, []
    for seed in draws:
        sample = datasets.subspaces(300, dimensions=dimensions, dim=dim, noise=0.03, seed=seed)
        known = true_subspaces(sample, dimensions)
        if least_angle(known) < 20.0:
            continue
        seen += 1
        model = GPCA(n_subspaces=len(dimensions)).fit(sample.points)
        truth = sample.color.astype(int)
        nearest = squared_distances(sample.points, known).argmin(axis=1)
        assert right(model.labels_, truth) >= right(nearest, truth) - 0.02, seed
        assert model.distances_.mean() < 0.06
        if sorted(model.dimensions_) != sorted(dimensions):
            wrong.append(seed)
    assert seen >= len(draws) // 3
    assert len(wrong) <= seen // 20, wrong


def test_shared_points_do_not_tilt_subspaces():
    """A line that crosses a plane, of much noise: shared out by argmax it is off by 2.2 degrees."""
    tilts = []
    for seed in (1, 3, 5, 6, 7, 8, 9, 10):  # lines at 6 degrees or more
        exact, noisy = (
            datasets.subspaces(400, dimensions=(1, 2), noise=noise, seed=seed)
            for noise in (0.0, 0.2)
        )
        line = true_subspaces(exact, (1, 2))[0].axes[0]
        model = GPCA(dimensions=(1, 2)).fit(noisy.points)
        found = model.bases_[int(np.argmin(model.dimensions_))][0]
        tilts.append(np.degrees(np.arccos(min(1.0, abs(float(line @ found))))))
    assert np.mean(tilts) < 1.5


def test_the_number_of_subspaces_is_found():
    for dimensions in ((2,), (1, 2), (1, 1, 1)):
        points = datasets.subspaces(240, dimensions=dimensions, noise=0.01, seed=4).points
        model = GPCA(n_subspaces="auto").fit(points)
        assert sorted(model.dimensions_) == sorted(dimensions)


def test_one_subspace_is_pca():
    points = np.random.default_rng(1).normal(size=(80, 4)) * [5, 3, 1, 0.5] + 7.0
    model = GPCA(n_subspaces=1, dimensions=2, affine=True).fit(points)
    expected = PCA(2).fit(points)
    products = np.abs(np.sum(model.bases_[0] * expected.components_, axis=1))
    np.testing.assert_allclose(products, 1.0, atol=1e-10)
    np.testing.assert_allclose(np.abs(model.embedding_), np.abs(expected.embedding_), atol=1e-9)


def test_many_points_and_many_columns():
    sample = datasets.subspaces(6000, dimensions=(3, 2), dim=40, noise=0.05)
    model = GPCA().fit(sample.points)
    assert model.dimensions_.tolist() == [3, 2] or model.dimensions_.tolist() == [2, 3]
    assert right(model.labels_, sample.color.astype(int)) > 0.95


def test_query_points_go_to_the_nearest_subspace(tmp_path):
    sample = datasets.subspaces(200, dimensions=(1, 2), noise=0.02, seed=3)
    queries = datasets.subspaces(40, dimensions=(1, 2), noise=0.02, seed=8).points
    model = GPCA().fit(sample.points)
    gaps = [
        np.linalg.norm(queries - queries @ axes.T @ axes, axis=1) for axes in model.bases_
    ]  # all through the origin
    np.testing.assert_array_equal(model.predict(queries), np.argmin(gaps, axis=0))
    again = there_and_back(model, tmp_path)
    np.testing.assert_array_equal(again.transform(queries), model.transform(queries))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dimensions": 3}, "dimensions must be from 1 to 2"),
        ({"dimensions": 0}, "dimensions must be from 1 to 2"),
        ({"dimensions": (1, 1, 1)}, "3 entries, but n_subspaces=2"),
        ({"dimensions": "many"}, "must be a whole number"),
        ({"n_subspaces": "auto", "dimensions": (1, 2)}, "one dimension for all"),
        ({"n_subspaces": 21}, "n_subspaces=21 is more than the 20 points"),
    ],
)
def test_wrong_choices_are_told(options, message):
    with pytest.raises(ValueError, match=message):
        GPCA(**options).fit(datasets.subspaces(20).points)


def test_fewer_subspaces_than_asked_for_are_told():
    with pytest.warns(UserWarning, match="only 1 of 2 subspaces have points"):
        GPCA(dimensions=1).fit(np.outer(np.arange(30.0), [1.0, 2.0, 3.0]))
