"""Random projections: bounds (Mohri et al. 2012, section 15.4) against exact probabilities."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.stats import chi2
from sklearn.random_projection import GaussianRandomProjection, SparseRandomProjection
from sklearn.utils.estimator_checks import check_estimator

import unspool
from unspool.methods import (
    RandomProjection,
    distortions,
    johnson_lindenstrauss_dimension,
    projection_success_probability,
    projection_tail_probability,
)


def cloud(n=60, width=2000, seed=0):
    return np.random.default_rng(seed).normal(size=(n, width)) + 3.0


def test_dimensions_of_the_texts():
    assert johnson_lindenstrauss_dimension(10_000, 0.1, bound="mohri") == 18_421
    assert johnson_lindenstrauss_dimension(10_000, 0.1, bound="dasgupta-gupta") == 7_895
    assert johnson_lindenstrauss_dimension(10_000, 0.1) == 7_895


def test_success_probability_of_lemma_15_4():
    for m in (5, 100, 10_000):
        for eps in (0.05, 0.2, 0.49):
            probability = projection_success_probability(m, eps)
            assert probability == pytest.approx(1 - 2 * m ** (5 * eps - 3), rel=1e-14)
            assert probability > 1 - 2 / np.sqrt(m)
            # the same from the union bound at the dimension of the lemma, which is rounded up
            k = johnson_lindenstrauss_dimension(m, eps, "mohri")
            union = 1 - 2 * m**2 * np.exp(-(eps**2 - eps**3) * k / 4)
            assert projection_success_probability(m, eps, k) == pytest.approx(union, rel=1e-9)
            assert union >= probability
    assert projection_success_probability(100, 0.1, 10) == 0.0  # too few: nothing is promised


@pytest.mark.parametrize("eps", [0.05, 0.1, 0.3, 0.49])
@pytest.mark.parametrize("k", [1, 10, 100, 2000])
def test_tail_bound_of_lemma_15_2_is_above_the_chi_square_tails(k, eps):
    exact = chi2.cdf((1 - eps) * k, k) + chi2.sf((1 + eps) * k, k)
    bound = projection_tail_probability(k, eps)
    assert exact <= bound
    assert bound == min(1.0, 2 * np.exp(-(eps**2 - eps**3) * k / 4))


@pytest.mark.parametrize(("k", "eps"), [(20, 0.4), (40, 0.25)])
def test_tail_bound_of_lemma_15_3_by_chance(k, eps):
    pair = np.zeros((2, 50))
    pair[1] = np.random.default_rng(1).normal(size=50)
    draws = 400
    maps = (RandomProjection(k, random_state=seed).fit(pair) for seed in range(draws))
    left = np.mean([distortions(pair, model.embedding_).eps > eps for model in maps])
    exact = chi2.cdf((1 - eps) * k, k) + chi2.sf((1 + eps) * k, k)
    assert abs(left - exact) < 4 * np.sqrt(exact * (1 - exact) / draws)  # four deviations
    assert left <= projection_tail_probability(k, eps)


def test_success_probability_of_lemma_15_4_by_chance():
    points = np.random.default_rng(2).normal(size=(12, 800))
    eps, k = 0.45, johnson_lindenstrauss_dimension(12, 0.45, "mohri")
    held = [
        distortions(points, RandomProjection(k, random_state=s).fit(points).embedding_).eps <= eps
        for s in range(50)
    ]
    assert np.mean(held) >= projection_success_probability(12, eps)  # 1.0 against 0.69
    # with a sixth of the coordinates the lemma promises nothing, and some draws do fail
    few = [
        distortions(points, RandomProjection(k // 6, random_state=s).fit(points).embedding_).eps
        for s in range(50)
    ]
    assert 0.0 < np.mean(np.array(few) <= eps) < 1.0


@pytest.mark.parametrize(
    ("kind", "peer"), [("gaussian", GaussianRandomProjection), ("sparse", SparseRandomProjection)]
)
def test_the_matrix_is_the_one_of_scikit_learn(kind, peer):
    points = cloud()
    expected = peer(20, random_state=5).fit_transform(points)
    model = RandomProjection(20, kind=kind, random_state=5).fit(points)
    np.testing.assert_allclose(model.embedding_, expected, atol=1e-11)
    assert not hasattr(model, "eigenvalues_")


@pytest.mark.parametrize("kind", ["gaussian", "sparse"])
@pytest.mark.parametrize("n_components", [1, 2, 3, 4])
def test_new_points_and_the_way_back(kind, n_components):
    points, fresh = cloud(40, 30), cloud(10, 30, seed=1)
    model = RandomProjection(n_components, kind=kind).fit(points)
    np.testing.assert_array_equal(model.transform(points), model.embedding_)
    assert (
        np.abs(
            model.transform(points + fresh[:1]) - model.embedding_ - model.transform(fresh[:1])
        ).max()
        < 1e-11
    )
    places = model.transform(fresh)
    back = model.inverse_transform(places)
    np.testing.assert_allclose(model.transform(back), places, atol=1e-10)
    # nothing is nearer to the mean of the data: what is added lies in the row space of the map
    matrix = model.components_.toarray() if kind == "sparse" else model.components_
    added = back - points.mean(axis=0)
    rebuilt = added @ np.linalg.pinv(matrix) @ matrix
    np.testing.assert_allclose(rebuilt, added, atol=1e-10)


def test_the_way_back_is_exact_with_as_many_coordinates_as_features():
    points = cloud(20, 5)
    model = RandomProjection(5).fit(points)
    np.testing.assert_allclose(model.inverse_transform(model.embedding_), points, atol=1e-10)


def test_eps_chooses_the_dimension():
    points = cloud(50, 2500)
    assert RandomProjection(eps=0.5).fit(points).embedding_.shape[1] == 188
    found = RandomProjection(eps=0.2, bound="mohri").fit(points).embedding_.shape[1]
    assert found == johnson_lindenstrauss_dimension(50, 0.2, "mohri") == 1957
    assert RandomProjection().fit(points).embedding_.shape[1] == 2


def test_float32_comes_out_as_float32_without_losing_the_offset():
    points = (cloud(30, 200) + 1000.0).astype(np.float32)
    model = RandomProjection(10).fit(points)
    assert model.embedding_.dtype == np.float32
    in_double = RandomProjection(10).fit(points.astype(np.float64))
    np.testing.assert_allclose(model.embedding_, in_double.embedding_, rtol=1e-6)
    assert model.transform(points).dtype == np.float32


def test_guarantee_draws_until_all_pairs_are_kept():
    points = cloud(60, 1500)
    model = RandomProjection(230, eps=0.3, guarantee=True).fit(points)
    assert model.n_draws_ > 1
    assert model.report_.stage("projection").facts["draws"] == model.n_draws_
    assert distortions(points, model.embedding_).eps <= 0.3
    first = RandomProjection(230).fit(points)
    assert distortions(points, first.embedding_).eps > 0.3
    again = RandomProjection(230, eps=0.3, guarantee=True).fit(points)
    np.testing.assert_array_equal(again.embedding_, model.embedding_)
    at_the_bound = RandomProjection(eps=0.3, guarantee=True).fit(points)
    assert at_the_bound.n_draws_ == 1
    with pytest.raises(ValueError, match="none of 100 draws kept all pairs within eps"):
        RandomProjection(5, eps=0.1, guarantee=True).fit(points)


def test_distortions_are_the_ratios_of_all_squared_distances():
    random = np.random.default_rng(3)
    before, after = random.normal(size=(30, 4)), random.normal(size=(30, 2))
    found = distortions(before, after)
    expected = (pdist(after) / pdist(before)) ** 2
    np.testing.assert_allclose(np.sort(found.ratios), np.sort(expected), rtol=1e-12)
    assert (found.smallest, found.largest) == (found.ratios.min(), found.ratios.max())
    assert found.eps == max(1 - found.smallest, found.largest - 1)
    assert not found.is_sample
    assert distortions(before, before).eps == 0.0
    assert distortions(before, 3 * before).eps == pytest.approx(8.0, rel=1e-13)


def test_distortions_of_more_pairs_than_a_block_holds():
    random = np.random.default_rng(4)
    before = random.normal(size=(1500, 2))
    found = distortions(before, before * [2.0, 1.0])
    expected = (pdist(before * [2.0, 1.0]) / pdist(before)) ** 2
    np.testing.assert_allclose(np.sort(found.ratios), np.sort(expected), rtol=1e-10)
    some = distortions(before, before * [2.0, 1.0], max_pairs=1000, seed=1)
    assert some.is_sample
    assert len(some.ratios) == 1000
    assert found.smallest <= some.smallest < some.largest <= found.largest
    assert some.ratios.mean() == pytest.approx(found.ratios.mean(), abs=0.15)  # sd 0.03


def test_duplicates_have_no_ratio_and_torn_ones_an_infinite_one():
    before = np.array([[0.0], [0.0], [1.0]])
    kept = distortions(before, 2 * before)
    assert kept.n_coincident == 1
    np.testing.assert_array_equal(kept.ratios, [4.0, 4.0])
    torn = distortions(before, np.array([[0.0], [1.0], [1.0]]))
    assert torn.largest == np.inf
    assert torn.smallest == 0.0
    nothing = distortions(np.ones((3, 2)), np.ones((3, 1)))
    assert (nothing.eps, nothing.n_coincident) == (0.0, 3)
    assert "0 pairs" in str(nothing)


WRONG = {
    "give n_components or eps, not both": {"n_components": 2, "eps": 0.2},
    "guarantee=True needs eps": {"guarantee": True},
    "n_components is 31, more than the 30 features": {"n_components": 31},
    "keeps 40 points within eps=0.1 is 3162, more than the 30 features": {"eps": 0.1},
    "density is for kind='sparse'": {"density": 0.5},
    "kind must be one of": {"kind": "cauchy"},
    "between 0 and 0.5": {"eps": 0.6, "bound": "mohri"},
    "between 0 and 1,": {"eps": 1.0},
}


@pytest.mark.parametrize("message", WRONG)
def test_wrong_use_is_answered_before_the_work(message):
    with pytest.raises(ValueError, match=message):
        RandomProjection(**WRONG[message]).fit(cloud(40, 30))


def test_ranges_of_the_lemmas_are_enforced():
    for eps in (0.0, 0.5, -0.1, np.nan):
        for call in (
            lambda eps=eps: projection_tail_probability(10, eps),
            lambda eps=eps: projection_success_probability(10, eps),
            lambda eps=eps: johnson_lindenstrauss_dimension(10, eps, "mohri"),
        ):
            with pytest.raises(ValueError, match=r"between 0 and 0\.5, both excluded"):
                call()
    with pytest.raises(ValueError, match="n must be a whole number of at least 5; got 4"):
        johnson_lindenstrauss_dimension(4, 0.1, "mohri")
    with pytest.raises(ValueError, match="unknown bound 'jl'"):
        johnson_lindenstrauss_dimension(10, 0.1, "jl")
    with pytest.raises(ValueError, match="X has 3 rows and Y has 2"):
        unspool.distortions(np.ones((3, 2)), np.ones((2, 2)))


def test_density_sets_the_share_of_entries():
    model = RandomProjection(200, kind="sparse", density=1 / 3).fit(cloud(5, 1000))
    assert model.components_.nnz / (200 * 1000) == pytest.approx(1 / 3, abs=0.01)
    entries = np.unique(np.abs(model.components_.data))
    np.testing.assert_allclose(entries, np.sqrt(3 / 200))  # Achlioptas: sqrt(s / k), s = 3


@pytest.mark.parametrize("kind", ["gaussian", "sparse"])
def test_scikit_learn_finds_nothing(kind):
    check_estimator(RandomProjection(kind=kind))


def test_copies_do_not_stand_in_the_way_of_the_guarantee():
    points = np.random.default_rng(0).random((100, 400))
    points = np.vstack([points, points[[3, 3, 7]]])
    assert RandomProjection(100, eps=0.9, guarantee=True).fit(points).n_draws_ == 1
