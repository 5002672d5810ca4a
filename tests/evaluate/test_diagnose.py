"""A good map gets no advice; each thing that can go wrong is provoked, and its advice followed."""

import numpy as np
import pytest
import scipy.sparse as sp

import unspool
from unspool import TSNE, datasets, quality
from unspool.evaluate import diagnose
from unspool.methods import (
    LLE,
    LTSA,
    MDS,
    PCA,
    ClassicalMDS,
    DiffusionMaps,
    FeatureMapPCA,
    Isomap,
    KernelPCA,
    LandmarkIsomap,
    LandmarkMDS,
    LaplacianEigenmaps,
)

pytestmark = pytest.mark.filterwarnings("ignore:the neighbour graph:UserWarning")

ROLL = datasets.swiss_roll(500)
SHEET = datasets.s_curve(500)
PLANE = np.random.default_rng(0).uniform(size=(300, 2)) * [2.0, 1.0]


def followed(model, found, X):
    """Fit the model again with every parameter that the advice names, as it says."""
    changes = {m.parameter: m.suggestion for m in found.measures if m.advice}
    return type(model)(**{**model.get_params(), **changes}).fit(X)


@pytest.mark.parametrize(
    ("model", "sample"),
    [
        (Isomap(2, n_neighbors=10), ROLL),
        (LandmarkIsomap(2, n_neighbors=10, n_landmarks=40), ROLL),
        (LLE(2, n_neighbors=12), SHEET),
        (LTSA(2, n_neighbors=12), SHEET),
        (LaplacianEigenmaps(2, n_neighbors=12), SHEET),
    ],
)
def test_a_good_map_gets_no_advice(model, sample):
    found = diagnose(model.fit(sample.points), sample.points)
    assert found.advice == ()
    assert found.sound
    assert str(found).endswith("nothing to change")


@pytest.mark.parametrize("model", [PCA(2), ClassicalMDS(2), MDS(2), LandmarkMDS(2), KernelPCA(2)])
def test_a_flat_map_of_a_plane_gets_no_advice(model):
    assert diagnose(model.fit(PLANE), PLANE).advice == ()


def test_short_circuits_ask_for_fewer_neighbours():
    model = Isomap(2, n_neighbors=20).fit(ROLL.points)
    found = diagnose(model, ROLL.points)
    measure = found["path length lost to doubtful edges"]
    assert not measure.ok
    assert measure.parameter == "n_neighbors"
    assert measure.suggestion < 20
    assert f"lower n_neighbors to {measure.suggestion}" in measure.advice
    assert found.advice == (measure.advice,)  # what follows from it has no advice of its own
    assert not found["trustworthiness"].ok
    assert not found.sound
    assert diagnose(followed(model, found, ROLL.points), ROLL.points).sound


def test_the_lost_length_is_what_paths_without_the_edges_have_more():
    found = diagnose(Isomap(2, n_neighbors=20).fit(ROLL.points), ROLL.points)
    graph = unspool.graph.symmetrize(unspool.distances.neighbor_graph(ROLL.points, 20))
    edges = {tuple(edge) for edge in found.evidence.suspicious.edges.tolist()}
    weights = graph.with_weights(graph.distances).tolil()
    before = unspool.paths.geodesic_distances(graph)
    for i, j in edges:
        weights[i, j] = weights[j, i] = 0.0
    from scipy.sparse.csgraph import dijkstra

    after = dijkstra(weights.tocsr())
    share = 1.0 - before.sum() / after.sum()
    # measured from 50 of the 500 points
    assert found["path length lost to doubtful edges"].value == pytest.approx(share, abs=0.05)


def test_false_alarms_do_not_count():
    """A sparse graph has doubtful edges, but no path is much shorter for them."""
    found = diagnose(Isomap(2, n_neighbors=7).fit(SHEET.points), SHEET.points)
    assert len(found.evidence.suspicious.edges) > 0
    assert found["path length lost to doubtful edges"].ok


def test_components_ask_for_more_neighbours():
    model = Isomap(2, n_neighbors=4).fit(SHEET.points)
    assert model.component_labels_.max() > 0
    found = diagnose(model, SHEET.points)
    measure = found["connected components of the graph"]
    assert measure.value == model.component_labels_.max() + 1
    assert measure.parameter == "n_neighbors"
    again = followed(model, found, SHEET.points)
    assert again.component_labels_.max() == 0


def test_components_of_a_radius_ask_for_a_larger_one():
    model = LLE(2, radius=0.25).fit(SHEET.points)
    found = diagnose(model, SHEET.points)
    assert found["connected components of the graph"].parameter == "radius"
    assert followed(model, found, SHEET.points).component_labels_.max() == 0


def test_components_too_far_apart_ask_for_another_policy():
    apart = np.vstack([PLANE, PLANE + 100.0])
    found = diagnose(Isomap(2, n_neighbors=6).fit(apart), apart)
    measure = found["connected components of the graph"]
    assert (measure.parameter, measure.suggestion) == ("components", "separate")
    assert "components='separate'" in measure.advice
    assert "components='largest'" in measure.advice
    largest = Isomap(2, n_neighbors=6, components="largest").fit(apart)
    assert "'largest'" not in diagnose(largest, apart)["connected components of the graph"].advice
    # what is set already is neither advised nor doubted
    separate = Isomap(2, n_neighbors=6, components="separate").fit(apart)
    measure = diagnose(separate, apart)["connected components of the graph"]
    assert (measure.value, measure.ok, measure.advice) == (2, True, "")
    assert measure.sound == "1, or components='separate'"


def test_components_are_joined_by_the_rule_of_the_model():
    """Points that list each other on one side only: joined by union, apart by mutual neighbours."""
    model = Isomap(2, n_neighbors=5, symmetrize="mutual").fit(SHEET.points)
    assert model.component_labels_.max() > 0
    assert Isomap(2, n_neighbors=5).fit(SHEET.points).component_labels_.max() == 0
    found = diagnose(model, SHEET.points)
    measure = found["connected components of the graph"]
    assert measure.value == model.component_labels_.max() + 1
    assert measure.parameter == "n_neighbors"
    again = Isomap(2, n_neighbors=measure.suggestion, symmetrize="mutual").fit(SHEET.points)
    assert again.component_labels_.max() == 0


def test_short_circuits_of_mutual_neighbours_are_sought_among_them():
    model = Isomap(2, n_neighbors=30, symmetrize="mutual").fit(ROLL.points)
    found = diagnose(model, ROLL.points)
    listed = found.evidence.listed
    pairs = set(zip(listed.rows.tolist(), listed.neighbors.tolist(), strict=True))
    assert all((j, i) in pairs for i, j in pairs)
    assert len(pairs) < 30 * 500
    assert not found["path length lost to doubtful edges"].ok
    assert "symmetrize" not in " ".join(found.advice)


def test_mutual_neighbours_are_not_advised_twice(monkeypatch):
    from unspool.evaluate import solution_checks

    monkeypatch.setattr(solution_checks, "_narrower", lambda evidence: ("n_neighbors", []))
    for count, rule, parameter in ((20, "union", "symmetrize"), (30, "mutual", "X")):
        model = Isomap(2, n_neighbors=count, symmetrize=rule).fit(ROLL.points)
        measure = solution_checks.short_circuits(diagnose(model, ROLL.points).evidence)
        assert measure.parameter == parameter
        assert ("symmetrize='mutual'" in measure.advice) is (rule == "union")


def test_too_few_coordinates_ask_for_the_dimension_of_the_data():
    cube = np.random.default_rng(1).uniform(size=(400, 3))
    model = Isomap(1, n_neighbors=10).fit(cube)
    found = diagnose(model, cube)
    measure = found["trustworthiness"]
    assert (measure.parameter, measure.suggestion) == ("n_components", 3)
    assert "raise n_components to 3" in found.advice[0]
    assert diagnose(followed(model, found, cube), cube)["trustworthiness"].ok


def test_a_curved_sheet_under_a_linear_method_asks_for_isomap():
    found = diagnose(PCA(2).fit(ROLL.points), ROLL.points)
    assert (found["trustworthiness"].parameter, found["trustworthiness"].suggestion) == (
        "method",
        "isomap",
    )
    assert not found["local distortion"].ok


def test_a_long_sheet_under_eigenmaps_asks_for_independent_coordinates():
    """The next coordinates of eigenmaps repeat the first; what else is wrong follows from that."""
    long = datasets.swiss_roll(1000)
    found = diagnose(LaplacianEigenmaps(2).fit(long.points), long.points)
    assert [measure.parameter for measure in found.measures if measure.advice] == ["independent"]
    assert found["trustworthiness"].remark == ""
    better = LaplacianEigenmaps(2, independent=True).fit(long.points)
    assert diagnose(better, long.points)["trustworthiness"].ok


def test_stress_asks_for_more_coordinates():
    """Distances that keep all neighbours and are still wrong: a long thin box seen from its end."""
    cloud = np.random.default_rng(2).normal(size=(200, 6))
    found = diagnose(MDS(2).fit(cloud), cloud)
    assert found["stress"].value == pytest.approx(
        unspool.quality.stress(cloud, found.evidence.embedding).value
    )
    assert not found["stress"].ok
    needed = found.evidence.dimension
    assert needed >= 5
    # six coordinates are no picture: they are not advised, and what two can show is said
    assert all(m.parameter != "n_components" for m in found.measures)
    assert found["trustworthiness"].suggestion == "tsne"
    best = diagnose(TSNE(2, max_iter=4000).fit(cloud), cloud)
    assert f"the data have about {needed} dimensions" in best["trustworthiness"].remark
    assert best["trustworthiness"].remark in str(best)
    more = diagnose(MDS(4).fit(cloud), cloud)  # who takes four can take six
    (measure,) = (m for m in more.measures if m.advice)
    assert (measure.parameter, measure.suggestion) == ("n_components", needed)


def test_distortion_of_a_local_map_is_told():
    """A map that keeps all neighbours, and crowds one corner of the sheet."""
    model = LTSA(2, n_neighbors=12).fit(SHEET.points)
    model.embedding_ = np.exp(1.2 * model.embedding_)
    found = diagnose(model, SHEET.points)
    assert found["trustworthiness"].ok
    measure = found["spread of log areas"]
    assert not measure.ok
    assert measure.parameter == "n_neighbors"
    assert "areas differ by a factor of" in measure.advice


def test_equal_eigenvalues_are_told():
    ball = np.random.default_rng(3).normal(size=(1000, 3))
    ball = (ball - ball.mean(axis=0)) @ np.linalg.inv(np.linalg.cholesky(np.cov(ball.T)).T)
    ball[:, 2] *= 0.99
    found = diagnose(PCA(2).fit(ball), ball, sample=200)
    measure = found["eigengap after the last coordinate"]
    values = np.sort(np.linalg.eigvalsh(np.cov(ball.T)))[::-1]
    assert measure.value == pytest.approx((values[1] - values[2]) / values[1], rel=1e-6)
    assert not measure.ok


def test_the_advice_on_equal_eigenvalues_stands_where_nothing_else_is_wrong():
    square = np.random.default_rng(4).uniform(size=(2000, 2))
    model = PCA(1).fit(square)
    from unspool.evaluate.solution_checks import eigengap

    found = diagnose(model, square, sample=300)
    measure = eigengap(found.evidence)
    assert measure.advice.endswith("set n_components to 2")
    flat = np.column_stack([square, 0.5 * square[:, :1]])
    assert "1 or 3" not in str(diagnose(PCA(2).fit(flat), flat, sample=300))


def test_negative_eigenvalues_ask_for_a_constant_or_another_method():
    rng = np.random.default_rng(5)
    table = np.abs(rng.normal(size=(120, 120))) + 1.0
    table = table + table.T
    np.fill_diagonal(table, 0.0)
    from unspool.evaluate.solution_checks import negative_eigenvalues

    model = ClassicalMDS(2, metric="precomputed").fit(table)
    found = diagnose(model, table)
    measure = negative_eigenvalues(found.evidence)
    assert measure.value == pytest.approx(model.negative_mass())
    assert (measure.parameter, measure.suggestion) == ("additive_constant", True)
    again = ClassicalMDS(2, metric="precomputed", additive_constant=True).fit(table)
    assert diagnose(again, table)["negative share of the spectrum"].ok


def test_negative_eigenvalues_of_many_points_are_measured_on_a_sample():
    many = datasets.swiss_roll(1200).points
    model = Isomap(2, n_neighbors=12).fit(many)
    found = diagnose(model, many, sample=200)
    whole = model.negative_mass()
    assert found["negative share of the spectrum"].value == pytest.approx(whole, rel=0.1)


def test_few_landmarks_are_told():
    cloud = np.random.default_rng(6).normal(size=(300, 8))
    model = LandmarkMDS(2, n_landmarks=8).fit(cloud)
    measure = diagnose(model, cloud)["movement with half the landmarks"]
    half = LandmarkMDS(2, landmarks=model.landmarks_[:4]).fit_transform(cloud)
    assert measure.value == unspool.quality.disparity(half, model.embedding_)
    assert not measure.ok
    assert (measure.parameter, measure.suggestion) == ("n_landmarks", 32)
    named = LandmarkMDS(2, landmarks=model.landmarks_).fit(cloud)
    same = diagnose(named, cloud)["movement with half the landmarks"]
    assert (same.value, same.parameter, same.suggestion) == (measure.value, "landmarks", "maxmin")
    assert "landmarks='maxmin' and n_landmarks=32" in same.advice


def halved(model, X):
    """The movement with half the landmarks, computed by hand for kernel PCA."""
    count = model.n_landmarks // 2
    fewer = (
        {"landmarks": model.landmarks_[:count]} if len(model.landmarks_) else {"n_landmarks": count}
    )
    half = type(model)(**{**model.get_params(), **fewer}).fit(X)
    return unspool.quality.disparity(half.embedding_, model.embedding_)


@pytest.mark.parametrize("choice", ["cholesky", "uniform", "kmeans"])
def test_landmarks_of_kernel_pca_may_be_too_few(choice):
    cloud = np.random.default_rng(6).normal(size=(300, 8))
    options = {"sigma": 1.0, "landmarks": choice}
    model = KernelPCA(2, n_landmarks=20, **options).fit(cloud)
    measure = diagnose(model, cloud)["movement with half the landmarks"]
    assert measure.value == halved(model, cloud)
    assert (measure.ok, measure.parameter, measure.suggestion) == (False, "n_landmarks", 80)
    assert measure.advice.endswith("raise n_landmarks to 80")
    wide = KernelPCA(2, n_landmarks=50, sigma=30.0, landmarks=choice).fit(cloud)
    assert diagnose(wide, cloud)["movement with half the landmarks"].ok


def test_landmarks_of_a_kernel_table_or_given_by_index():
    cloud = np.random.default_rng(6).normal(size=(300, 8))
    rows = np.arange(0, 300, 15)
    model = KernelPCA(2, landmarks=rows, sigma=1.0).fit(cloud)
    half = KernelPCA(2, landmarks=rows[:10], sigma=1.0).fit(cloud).embedding_
    expected = unspool.quality.disparity(half, model.embedding_)
    assert diagnose(model, cloud)["movement with half the landmarks"].value == expected
    table = np.exp(-((cloud[:, None] - cloud) ** 2).sum(axis=2) / 2)
    by_table = KernelPCA(2, kernel="precomputed", landmarks=rows).fit(table)
    found = diagnose(by_table, table)["movement with half the landmarks"]
    assert found.value == pytest.approx(expected, rel=1e-6)
    all_of_them = KernelPCA(2, n_landmarks=300, landmarks="uniform").fit(cloud)
    with pytest.raises(KeyError):
        diagnose(all_of_them, cloud)["movement with half the landmarks"]


def test_landmarks_are_judged_on_the_data_of_the_fit():
    """Their indices mean nothing in other data, even in fewer."""
    cloud = np.random.default_rng(6).normal(size=(300, 8))
    model = LandmarkMDS(2, n_landmarks=8).fit(cloud)
    expected = diagnose(model, cloud)["movement with half the landmarks"]
    new = np.random.default_rng(7).normal(size=(40, 8))
    assert diagnose(model, new)["movement with half the landmarks"] == expected


def test_iterations_that_did_not_settle_are_told():
    model = MDS(2, max_iter=2, start="random").fit(SHEET.points)
    found = diagnose(model, SHEET.points)
    measure = found["iterations until convergence"]
    assert (measure.value, measure.parameter, measure.suggestion) == (2, "max_iter", 8)
    assert found.advice == (measure.advice,)
    assert diagnose(MDS(2).fit(SHEET.points), SHEET.points)["iterations until convergence"].ok


def test_no_parameter_is_advised_twice():
    for model in (PCA(1), Isomap(1), LaplacianEigenmaps(1), LLE(1), MDS(1)):
        found = diagnose(model.fit(ROLL.points), ROLL.points)
        named = [m.parameter for m in found.measures if m.advice]
        assert len(named) == len(set(named))
        assert all(m.ok or not m.advice or m.parameter for m in found.measures)


def test_new_points_are_placed_and_judged():
    model = Isomap(2, n_neighbors=10).fit(ROLL.points)
    new = datasets.swiss_roll(300, seed=7).points
    found = diagnose(model, new)
    np.testing.assert_array_equal(found.evidence.embedding, model.transform(new))


def test_a_sparse_table_is_the_fitted_one_if_its_values_are():
    near = unspool.distances.neighbor_graph(ROLL.points, 12)
    table = sp.csr_array(near.with_weights(near.distances))
    model = Isomap(2, metric="precomputed").fit(table)
    shuffled = sp.csr_array(sp.coo_array(table).tocsc())
    np.testing.assert_array_equal(diagnose(model, shuffled).evidence.embedding, model.embedding_)
    other = 1.5 * table
    found = diagnose(model, other).evidence.embedding
    np.testing.assert_array_equal(found, model.transform(other))
    assert not np.array_equal(found, model.embedding_)


def test_models_of_other_packages_place_what_they_can():
    from sklearn.manifold import Isomap as Theirs
    from sklearn.manifold import SpectralEmbedding

    new = datasets.swiss_roll(500, seed=7).points
    model = Theirs(n_neighbors=10, n_components=2).fit(ROLL.points)
    np.testing.assert_array_equal(diagnose(model, new).evidence.embedding, model.transform(new))
    fixed = SpectralEmbedding(2, n_neighbors=10, random_state=0).fit(ROLL.points)
    np.testing.assert_array_equal(diagnose(fixed, ROLL.points).evidence.embedding, fixed.embedding_)
    with pytest.raises(ValueError, match="maps 500 points and X has 300"):
        diagnose(fixed, new[:300])


def test_tables_are_judged_too():
    table = np.linalg.norm(ROLL.points[:, None] - ROLL.points, axis=2)
    found = diagnose(Isomap(2, n_neighbors=10, metric="precomputed").fit(table), table)
    points = diagnose(Isomap(2, n_neighbors=10).fit(ROLL.points), ROLL.points)
    assert found["trustworthiness"].value == pytest.approx(points["trustworthiness"].value)
    with pytest.raises(KeyError, match="no measure 'local distortion'"):
        found["local distortion"]
    kernel = PLANE @ PLANE.T
    found = diagnose(KernelPCA(2, kernel="precomputed").fit(kernel), kernel)
    assert found["trustworthiness"].value == pytest.approx(1.0)


def test_the_table_and_the_records_say_the_same():
    found = diagnose(Isomap(2, n_neighbors=20).fit(ROLL.points), ROLL.points)
    lines = found.table().splitlines()
    assert len(lines) == 2 + len(found.measures)
    verdicts = {m.name: line.split()[-1] for m, line in zip(found.measures, lines[2:], strict=True)}
    assert verdicts["path length lost to doubtful edges"] == "change"
    assert verdicts["trustworthiness"] == "follows"
    assert verdicts["connected components of the graph"] == "ok"
    records = {record["measure"]: record for record in found.records()}
    assert records["trustworthiness"]["ok"] is False
    assert records["trustworthiness"]["advice"] is None
    assert f"- {found.advice[0]}" in str(found)


def test_an_unfitted_model_is_sent_back():
    with pytest.raises(ValueError, match="Isomap is not fitted"):
        diagnose(Isomap(2), ROLL.points)


@pytest.mark.filterwarnings("ignore:coordinate . is carried by")  # powers of 30 see few points
@pytest.mark.parametrize(
    ("few", "more"),
    [
        (PCA(2, ddof=1), PCA(3, ddof=1)),
        (FeatureMapPCA(2), FeatureMapPCA(3)),
        (FeatureMapPCA(2, degree=30), FeatureMapPCA(3, degree=30)),  # more features than points
        (KernelPCA(2), KernelPCA(3)),
        (LandmarkMDS(2, scaling="svd"), LandmarkMDS(3, scaling="svd")),
        (Isomap(2), Isomap(3)),
        (LaplacianEigenmaps(2), LaplacianEigenmaps(3)),
        (DiffusionMaps(2), DiffusionMaps(3)),
        (LLE(2), LLE(3)),
    ],
    ids=lambda model: type(model).__name__,
)
def test_eigenvalues_have_one_unit_in_the_report_and_in_the_model(few, more):
    points = SHEET.points[:300] / 2
    facts = few.fit(points).report_.stage("spectrum").facts
    values = more.fit(points).eigenvalues_
    np.testing.assert_allclose(facts["last"], few.eigenvalues_[-1], rtol=1e-9)
    np.testing.assert_allclose([facts["last"], facts["next"]], values[1:], rtol=1e-6, atol=1e-12)


def test_a_map_in_a_dot_is_told_first():
    points = np.random.default_rng(0).normal(size=(300, 3))
    points[:3] += 1e4
    with pytest.warns(UserWarning, match="carried by 3 of 300 points"):
        model = PCA(2).fit(points)
    found = diagnose(model, points)
    measure = found["coordinates that few points carry"]
    assert not measure.ok
    assert "carried by 3 of 300 points" in found.advice[0]
    assert all("n_components" not in sentence for sentence in found.advice)
    assert diagnose(PCA(2).fit(points[3:]), points[3:])[measure.name].ok


def test_advice_that_cannot_be_followed_is_not_given():
    cube = np.random.default_rng(1).uniform(size=(300, 3))
    curve = diagnose(unspool.PrincipalCurve().fit(cube), cube)  # has one coordinate, whatever asked
    assert all(m.parameter != "n_components" for m in curve.measures)
    cloud = np.random.default_rng(2).normal(size=(200, 3))
    tight = unspool.HessianLLE(2, n_neighbors=6).fit(cloud)  # three coordinates need nine
    assert all(m.suggestion != 3 for m in diagnose(tight, cloud).measures)
    wide = unspool.HessianLLE(2, n_neighbors=12).fit(cloud)
    assert any(m.suggestion == 3 for m in diagnose(wide, cloud).measures)


def test_advice_that_makes_the_map_worse_is_a_remark():
    from unspool.evaluate.diagnose import _tried
    from unspool.evaluate.evidence import Measure

    evidence = diagnose(Isomap(2, n_neighbors=10).fit(ROLL.points), ROLL.points).evidence
    worse = Measure("made up", 1.0, "0", False, "so it is: raise it to 60", "n_neighbors", 60)
    found = _tried(evidence, worse)
    assert (found.advice, found.parameter) == ("", "")
    assert "keeps fewer neighbours then: raise it to 60" in found.remark
    same = Measure("made up", 1.0, "0", False, "so it is: raise it to 11", "n_neighbors", 11)
    assert _tried(evidence, same) is same


def test_diffusion_maps_are_no_pipeline():
    """A number of steps is no list of them."""
    import unspool

    points = unspool.datasets.swiss_roll(200, seed=0).points
    found = unspool.diagnose(unspool.DiffusionMaps(2).fit(points), points)
    assert any(measure.name == "trustworthiness" for measure in found.measures)


def test_tsne_is_tried_and_advised_where_nothing_shows_more():
    """Ten clusters in ten dimensions: two coordinates that keep distances lay some over others."""
    random = np.random.default_rng(0)
    labels = np.arange(400) % 10
    points = 2.0 * random.standard_normal((10, 10))[labels] + random.standard_normal((400, 10))
    model = PCA(2).fit(points)
    found = diagnose(model, points)["trustworthiness"]
    assert (found.parameter, found.suggestion) == ("method", "tsne")
    better = TSNE(2).fit(points).embedding_
    kept = float(quality.trustworthiness(points, better))
    assert kept > float(quality.trustworthiness(points, model.embedding_))


def test_a_named_map_is_diagnosed_under_its_name():
    places = PCA(2).fit(ROLL.points).embedding_
    named, plain = diagnose({"UMAP": places}, ROLL.points), diagnose(places, ROLL.points)
    assert named.label == "UMAP"
    assert [measure.value for measure in named.measures] == [m.value for m in plain.measures]
    fitted = Isomap(2, n_neighbors=10).fit(ROLL.points)
    assert diagnose({"mine": fitted}, ROLL.points).label == "mine"
    for several in ({"UMAP": places, "t-SNE": places}, {}):
        with pytest.raises(ValueError, match=r"looks at one map.*(UMAP.*t-SNE|nothing)"):
            diagnose(several, ROLL.points)
