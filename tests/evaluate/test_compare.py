"""Comparisons: what they run, what they score, and what they do when a method fails."""

import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.manifold import trustworthiness as sklearn_trustworthiness

import unspool
from unspool import datasets, quality, runtime
from unspool.evaluate import compare, usual_methods
from unspool.methods import LLE, PCA, Isomap, LandmarkIsomap, RandomProjection

ROLL = datasets.swiss_roll(240)


def small(**options):
    return compare(ROLL.points, ["pca", "isomap", "lle"], **{"n_neighbors": 8, **options})


def test_the_maps_are_those_of_separate_fits():
    found = small(seed=3)
    np.testing.assert_array_equal(
        found.embeddings["Isomap"],
        Isomap(2, n_neighbors=8, random_state=3).fit(ROLL.points).embedding_,
    )
    np.testing.assert_array_equal(
        found.embeddings["Locally linear embedding"],
        LLE(2, n_neighbors=8, random_state=3).fit(ROLL.points).embedding_,
    )
    assert list(found.models) == [
        "Principal component analysis",
        "Isomap",
        "Locally linear embedding",
    ]


def test_neighbours_and_geodesics_are_computed_once(monkeypatch):
    calls = []
    original = unspool.distances.find_neighbors
    counted = lambda *a: calls.append(1) or original(*a)  # noqa: E731
    monkeypatch.setattr(unspool.distances, "find_neighbors", counted)
    found = compare(ROLL.points, ["isomap", "lle", "ltsa", "laplacian-eigenmaps", Isomap(3)])
    assert len(calls) == 1
    assert (found.searches, found.geodesics) == (1, 1)


def test_scores_are_those_of_quality_and_of_scikit_learn():
    found = small(truth=ROLL.coordinates)
    for label, places in found.embeddings.items():
        scores = found.scores[label]
        # the two sum the same ranks in another order
        theirs = sklearn_trustworthiness(ROLL.points, places, n_neighbors=8)
        assert scores["trustworthiness"].value == pytest.approx(theirs, abs=1e-12)
        ours = quality.neighborhoods(ROLL.points, places, 8)
        assert scores["continuity"].value == ours.continuity.value
        assert scores["neighbours kept"].value == ours.kept.value
        assert scores["area under R_NX"].value == ours.area.value
        assert scores["stress"].value == quality.stress(ROLL.points, places).value
        error = quality.disparity(places, ROLL.coordinates)
        assert scores["Procrustes error"].value == pytest.approx(error, abs=1e-12)


def test_residual_variance_is_against_geodesics_through_the_graph():
    found = small()
    model = found.models["Isomap"]
    guides = found.yardstick.geodesics.guides
    lengths = model.geodesics_[:, guides]
    np.testing.assert_allclose(found.yardstick.geodesics.lengths, lengths, rtol=1e-12)
    for label, places in found.embeddings.items():
        mapped = np.linalg.norm(places[:, None] - places[guides], axis=2)
        share = 1.0 - np.corrcoef(lengths.ravel(), mapped.ravel())[0, 1] ** 2
        assert found.scores[label]["residual variance"].value == pytest.approx(share, abs=1e-10)


def test_a_method_that_fails_has_its_reason_in_its_row():
    found = compare(ROLL.points, ["pca", "principal-curve", Isomap(2, n_neighbors=999)])
    assert list(found.embeddings) == ["Principal component analysis"]
    assert "at most 1" in found.failures["Principal curve"]
    assert "n_samples=240" in found.failures["Isomap"]
    assert "Isomap: no map: n_neighbors=999" in found.table()
    record = found.records()[2]
    assert record["failure"] == found.failures["Isomap"]
    assert record["trustworthiness"] is None


def test_all_may_fail():
    found = compare(ROLL.points, [Isomap(2, n_neighbors=999)])
    assert found.embeddings == found.aligned == {}
    assert "no map" in str(found)


def test_a_map_that_is_not_finite_is_a_failure():
    class Broken(PCA):
        def fit_transform(self, X, y=None):
            return np.full((len(X), 2), np.nan)

    found = compare(ROLL.points, {"broken": Broken(2), "pca": PCA(2)})
    assert found.failures == {"broken": "the map is not finite"}


def test_models_keep_their_parameters_and_are_not_changed():
    model = Isomap(3, n_neighbors=7, random_state=5)
    found = compare(ROLL.points, {"mine": model, "theirs": Isomap}, n_neighbors=9, seed=1)
    assert not hasattr(model, "embedding_")
    assert found.models["mine"].n_neighbors == 7
    assert found.embeddings["mine"].shape[1] == 3
    assert (found.models["theirs"].n_neighbors, found.models["theirs"].random_state) == (9, 1)


def test_a_fitted_model_is_used_as_it_is():
    fitted = Isomap(2, n_neighbors=8).fit(ROLL.points)
    found = compare(ROLL.points, {"same": fitted})
    assert found.models["same"] is fitted
    np.testing.assert_array_equal(found.embeddings["same"], fitted.embedding_)
    elsewhere = Isomap(2, n_neighbors=8).fit(datasets.swiss_roll(300, seed=9).points)
    found = compare(ROLL.points, {"other": elsewhere})
    np.testing.assert_array_equal(found.embeddings["other"], elsewhere.transform(ROLL.points))


def test_estimators_of_others_can_take_part():
    from sklearn.decomposition import PCA as TheirPCA
    from sklearn.manifold import SpectralEmbedding

    found = compare(ROLL.points, [TheirPCA(2), SpectralEmbedding(2, random_state=0), PCA])
    assert list(found.embeddings) == ["PCA", "SpectralEmbedding", "Principal component analysis"]
    ours, theirs = found.scores["Principal component analysis"], found.scores["PCA"]
    assert ours["stress"].value == pytest.approx(theirs["stress"].value, abs=1e-10)


def test_labels_do_not_repeat():
    found = compare(ROLL.points, [PCA(1), PCA(2), "pca"])
    title = "Principal component analysis"
    assert list(found.embeddings) == [title, f"{title} (2)", f"{title} (3)"]


def test_maps_are_laid_on_the_truth_or_on_the_first():
    found = small(truth=ROLL.coordinates)
    for label, places in found.aligned.items():
        expected = quality.align(found.embeddings[label], ROLL.coordinates).aligned
        np.testing.assert_array_equal(places, expected)
    found = small()
    first = found.embeddings["Principal component analysis"]
    np.testing.assert_allclose(found.aligned["Principal component analysis"], first, atol=1e-12)


def test_the_table_is_aligned_and_complete():
    found = small(truth=ROLL.coordinates)
    head, rule, *rows = found.table().splitlines()[:5]
    assert head.split() == [
        "method", "trust", "continuity", "kept", "R_NX", "stress", "residual", "Procrustes",
        "seconds",
    ]  # fmt: skip
    assert len({len(line) for line in (head, rule, *rows)}) == 1
    trust = found.scores["Isomap"]["trustworthiness"].value
    assert rows[1].startswith("Isomap ")
    assert f"{trust:.3f}" in rows[1].split()
    assert str(found) == found.table()
    assert "of all 240 points" in str(found)
    assert found.records()[1]["trustworthiness"] == trust
    errors = {r["method"]: r["Procrustes error"] for r in found.records()}
    assert found.best("Procrustes error") == min(errors, key=errors.get)
    assert found.best("trust") == found.best("trustworthiness")
    with pytest.raises(ValueError, match="no score 'speed' here"):
        found.best("speed")


def test_a_sample_is_stated_with_its_error():
    found = small(sample=100)
    error = found.scores["Isomap"]["trustworthiness"].standard_error
    assert error > 0.0
    assert "of a sample of 100 of 240 points; standard errors at most" in str(found)


def test_the_same_seed_gives_the_same_comparison():
    first, second, other = (small(seed=seed, sample=100) for seed in (4, 4, 5))
    drop = ("seconds",)

    def plain(found):
        return [{k: v for k, v in r.items() if k not in drop} for r in found.records()]

    assert plain(first) == plain(second)
    assert plain(first) != plain(other)


def test_warnings_of_methods_are_noted_not_raised():
    apart = np.vstack([ROLL.points, ROLL.points + 1000.0])
    found = compare(apart, ["isomap"], n_neighbors=6)
    assert any("2 connected components" in note for note in found.outcomes[0].notes)
    assert "2 connected components" in str(found)


def test_seconds_count_shared_stages_in_every_row():
    found = compare(ROLL.points, {"first": Isomap(2), "second": Isomap(3)})
    second = found.outcomes[1]
    saved = sum(s.facts.get("saved_seconds", 0.0) for s in second.model.report_.stages)
    assert saved > 0.0
    assert second.seconds > saved


def test_it_can_be_cancelled_between_methods():
    heard = []

    def stop(event):
        heard.append(event)
        if event.name == "compare" and event.done == 2:
            listener.cancel()

    with runtime.listen(stop) as listener, pytest.raises(unspool.Cancelled):
        small()
    assert heard[-1].name == "compare"


def test_distances_and_sparse_graphs_can_be_compared():
    table = np.linalg.norm(ROLL.points[:, None] - ROLL.points, axis=2)
    found = compare(table, ["pca", "isomap", "kernel-lle"], metric="precomputed", n_neighbors=8)
    needs = "needs points, and these data are a table of distances"
    assert found.failures == {"Principal component analysis": needs, "Kernel LLE": needs}
    points = small().scores["Isomap"]
    for name, score in found.scores["Isomap"].items():
        # distances are rounded once more on their way through a table
        assert score.value == pytest.approx(points[name].value, abs=1e-9)
    graph = unspool.graph.symmetrize(unspool.distances.neighbor_graph(ROLL.points, 12))
    sparse = sp.csr_array(graph.with_weights(graph.distances))
    found = compare(sparse, ["isomap"], metric="precomputed")
    assert set(found.scores["Isomap"]) == {"neighbours kept", "residual variance"}


def test_single_precision_stays_single():
    found = compare(ROLL.points.astype(np.float32), ["pca", "isomap"])
    assert {places.dtype for places in found.embeddings.values()} == {np.dtype(np.float32)}


def test_the_usual_methods_suit_the_size(monkeypatch):
    assert usual_methods(1000)[:2] == ("pca", "isomap")
    assert "landmark-isomap" in usual_methods(50_000)
    assert usual_methods(1000, "precomputed")[0] == "classical-mds"
    monkeypatch.setattr(sys.modules["unspool.evaluate.compare"], "available_bytes", lambda: 10**7)
    assert "landmark-isomap" in usual_methods(2000)
    for n in (100, 50_000):
        assert set(usual_methods(n)) <= set(unspool.catalog.METHODS)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"methods": ["isomapp"]}, "no method 'isomapp'"),
        ({"methods": []}, "no methods to compare"),
        ({"methods": [3]}, "models with fit, or ready coordinates"),
        ({"truth": np.zeros((5, 2))}, "truth has 5 rows"),
        ({"n_neighbors": -3}, "n_neighbors=-3 is not possible"),
    ],
)
def test_bad_questions_get_one_answer(options, sentence):
    with pytest.raises(ValueError, match=sentence.replace("(", r"\(")):
        compare(ROLL.points, **options)


@pytest.mark.parametrize("bad", [np.zeros((3, 2)), np.array([["a"]]), np.full((20, 2), np.nan)])
def test_bad_data_are_refused_before_the_work(bad):
    with pytest.raises(ValueError, match="X"):
        compare(bad)


def test_duplicates_are_no_trouble():
    twice = np.repeat(ROLL.points[:60], 2, axis=0)
    found = compare(twice, ["pca", "isomap", "lle"])
    assert not found.failures
    assert all(np.isfinite(s.value) for scores in found.scores.values() for s in scores.values())


def test_points_in_one_place_are_refused():
    with pytest.raises(ValueError, match="all points of X coincide"):
        compare(np.ones((30, 3)))
    with pytest.raises(ValueError, match="all points of X coincide"):
        compare(np.zeros((30, 30)), metric="precomputed")


def test_elbows_take_the_geodesics_of_the_comparison():
    found = small()
    with runtime.recording() as record:
        straight, along = found.elbows
    assert {stage.name for stage in record.report().stages}.isdisjoint({"neighbours", "geodesics"})
    guides = found.yardstick.geodesics.guides
    model = LandmarkIsomap(10, landmarks=guides, n_neighbors=8).fit(ROLL.points)
    left = quality.residual_variance(model.geodesics_.T, model.embedding_, guides)
    np.testing.assert_allclose(along.curve.values, left.values, atol=1e-12)
    assert (straight.method, along.method) == ("PCA", "Isomap")
    assert straight.curve.values[2] < 1e-9  # three columns hold all straight distances
    assert set(found.shepard) == set(found.embeddings)
    assert round(found.dimension.value) == 2


class Dotted(BaseEstimator):
    """Keeps the data, but for three points that are sent far away."""

    def fit(self, X, y=None):
        return self

    def fit_transform(self, X, y=None):
        places = np.array(X[:, :2], dtype=float)
        places[:3] += 1e4
        return places


def test_a_map_in_a_dot_gets_no_crown():
    points = np.random.default_rng(0).normal(size=(300, 2))
    found = compare(points, {"dot": Dotted(), "random": RandomProjection(1)})
    assert found.scores["dot"]["trustworthiness"] > found.scores["random"]["trustworthiness"]
    assert found.best("trustworthiness") == "random"
    assert "carried by 3 of 300 points" in found.ruined["dot"]
    assert "dot: not the best of any score" in str(found)
    alone = compare(points, {"dot": Dotted()})
    assert alone.best("trustworthiness") == "dot"
