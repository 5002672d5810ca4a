"""Habits of scikit-learn work here, and the page for those who come from elsewhere is true."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest
import sklearn.cluster
import sklearn.decomposition
import sklearn.manifold
import sklearn.random_projection
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import unspool
from tests.compare import up_to_motion
from unspool import (
    MDS,
    PCA,
    TSNE,
    AutoassociativeNetwork,
    Isomap,
    KernelPCA,
    LaplacianEigenmaps,
    RandomProjection,
    SpectralClustering,
    datasets,
    load,
    runtime,
    save,
)

PAGE = Path(__file__).parents[2] / "docs" / "coming-from.md"
ROLL = datasets.swiss_roll(250, seed=1).points
ROWS = re.findall(r"^\| (`.*?) \| `(.*?)` \| (.*?) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
THEIRS = {
    name: getattr(module, name)
    for module in (
        sklearn.decomposition,
        sklearn.manifold,
        sklearn.cluster,
        sklearn.random_projection,
    )
    for name in dir(module)
}
OURS = {name: getattr(unspool, name) for name in unspool.__all__ if name[0].isupper()}


def test_the_page_has_rows():
    assert len(ROWS) > 30


@pytest.mark.parametrize(("there", "here", "_"), ROWS)
def test_what_the_page_names_can_be_made(there, here, _):
    model = eval(here, dict(OURS))
    unspool.methods.parameters.check_parameters(model)
    if "metric_mds" in there and "metric_mds" not in THEIRS["MDS"]().get_params():
        pytest.skip("scikit-learn 1.8 renamed it")
    if there.strip("`") in _of_scikit_learn():
        eval(there.strip("`"), dict(THEIRS))


def _of_scikit_learn():
    part = PAGE.read_text("utf-8").partition("## UMAP")[0]
    return re.findall(r"^\| `(.*?)` \|", part, re.MULTILINE)


SAME = [(t.strip("`"), h, d) for t, h, d in ROWS if d.startswith("same map")]


@pytest.mark.parametrize(("there", "here", "said"), SAME)
def test_rows_that_say_same_map_give_the_same_map(there, here, said):
    if there not in _of_scikit_learn():
        pytest.skip("not in Python")
    theirs, ours = eval(there, dict(THEIRS)), eval(here, dict(OURS))
    if isinstance(theirs, sklearn.manifold.LocallyLinearEmbedding):
        theirs.set_params(eigen_solver="dense", reg=getattr(ours, "regularization", 1e-3))
    before, after = theirs.fit_transform(ROLL), ours.fit_transform(ROLL)
    if "up to scale" in said:
        before = before * np.linalg.norm(after) / np.linalg.norm(before)
    assert up_to_motion(before, after) < 1e-3


@pytest.mark.parametrize("seed", [None, np.random.RandomState(3), np.random.default_rng(3)])
@pytest.mark.parametrize(
    "model", [RandomProjection(2), TSNE(2, start="random", max_iter=30), MDS(2, start="random")]
)
def test_seeds_that_go_on_draw_another_map_each_time(seed, model):
    few = ROLL[:60]
    maps = [model.set_params(random_state=seed).fit(few).embedding_ for _ in range(2)]
    assert not np.allclose(*maps)
    fixed = [model.set_params(random_state=7).fit(few).embedding_ for _ in range(2)]
    np.testing.assert_array_equal(*fixed)


def test_none_follows_the_global_state_of_numpy():
    maps = []
    for _ in range(2):
        np.random.seed(5)  # noqa: NPY002  # as users of scikit-learn do
        maps.append(RandomProjection(2, random_state=None).fit(ROLL).embedding_)
    np.testing.assert_array_equal(*maps)


def test_a_drawn_seed_is_kept_with_the_model(tmp_path):
    model = KernelPCA(2, kernel="sigmoid", gamma=1e-3, random_state=None).fit(ROLL[:80])
    save(model, tmp_path / "m.unspool")
    again, places = load(tmp_path / "m.unspool"), model.embedding_[:4]
    np.testing.assert_array_equal(again.inverse_transform(places), model.inverse_transform(places))


def test_wrong_seeds_and_jobs_are_refused():
    for wrong in ("seed", -1, 1.5, [1]):
        with pytest.raises(ValueError, match="random_state must be"):
            Isomap(random_state=wrong).fit(ROLL)
    with pytest.raises(ValueError, match="n_jobs=0 would be no thread"):
        Isomap(n_jobs=0).fit(ROLL)
    with pytest.raises(ValueError, match="n_jobs must be a whole number"):
        Isomap(n_jobs="all").fit(ROLL)


@pytest.mark.parametrize(("n_jobs", "threads"), [(None, 4), (-1, 4), (1, 1), (3, 3), (-2, 3)])
def test_n_jobs_is_the_number_of_threads(n_jobs, threads, monkeypatch):
    monkeypatch.setenv("NUMBA_NUM_THREADS", "4")
    seen = []
    with runtime.listen(lambda event: seen.append(runtime.thread_count())):
        map_ = Isomap(n_jobs=n_jobs, n_neighbors=8).fit(ROLL).embedding_
    assert set(seen) == {threads}
    np.testing.assert_allclose(map_, Isomap(n_neighbors=8).fit(ROLL).embedding_, atol=1e-9)


def test_a_share_of_the_variance():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 12)) * np.arange(1, 13)
    for share in (0.3, 0.9, 0.999):
        theirs, ours = sklearn.decomposition.PCA(share).fit(X), PCA(share, ddof=1).fit(X)
        assert ours.embedding_.shape[1] == theirs.n_components_
        np.testing.assert_allclose(ours.explained_variance_, theirs.explained_variance_)
        ratio = theirs.explained_variance_ratio_
        np.testing.assert_allclose(ours.explained_variance_ratio_, ratio)
        assert ours.transform(X[:3]).shape == (3, theirs.n_components_)
    with pytest.raises(ValueError, match="a whole number, or a share below 1"):
        PCA(2.5).fit(X)
    with pytest.raises(ValueError, match="greater than 0"):
        PCA(0).fit(X)


def test_cosine_kernel_of_a_row_of_zeros():
    X = np.vstack([np.zeros(3), ROLL[:40]])
    kernel = unspool.kernel.Kernel("cosine")
    table = kernel(X, X)
    np.testing.assert_array_equal(table[0], 0.0)
    np.testing.assert_allclose(np.diag(table)[1:], 1.0)
    np.testing.assert_allclose(kernel.diagonal(X), np.diag(table), atol=1e-15)


def test_clusters_come_first():
    assert SpectralClustering(3).n_clusters == 3
    assert SpectralClustering(3).n_components is None


def test_dist_matrix_of_isomap():
    ours = Isomap(n_neighbors=8).fit(ROLL)
    theirs = sklearn.manifold.Isomap(n_neighbors=8).fit(ROLL)
    np.testing.assert_allclose(ours.dist_matrix_, theirs.dist_matrix_, rtol=1e-10, atol=1e-10)


def test_singular_values_and_the_number_of_axes():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 12)) * np.arange(1, 13)
    for asked in (3, 0.9):
        theirs = sklearn.decomposition.PCA(asked).fit(X)
        for ours in (PCA(asked, ddof=1).fit(X), PCA(asked).fit(X)):
            assert ours.n_components_ == theirs.n_components_
            np.testing.assert_allclose(ours.singular_values_, theirs.singular_values_)
    parts = PCA(3).partial_fit(X[:30]).partial_fit(X[30:])
    theirs = sklearn.decomposition.PCA(3).fit(X)
    np.testing.assert_allclose(parts.singular_values_, theirs.singular_values_)
    assert not hasattr(PCA(3), "n_components_")


def test_affinity_matrices():
    table = sklearn.manifold.SpectralEmbedding(2, affinity="rbf", gamma=0.02).fit(ROLL)
    table = np.where(table.affinity_matrix_ > 0.05, table.affinity_matrix_, 0.0)
    given = {"weights": "given", "metric": "precomputed", "n_neighbors": None}
    for cls in (LaplacianEigenmaps, SpectralClustering):
        found = cls(**given).fit(table).affinity_matrix_
        np.testing.assert_allclose(found.toarray(), table, atol=1e-12)
    twice = np.vstack([ROLL[:100], ROLL[:3]])  # copies have the weights of their point
    model = LaplacianEigenmaps(n_neighbors=8, sigma=4.0).fit(twice)
    found = model.affinity_matrix_.toarray()
    near = np.argsort(np.linalg.norm(ROLL[:100] - ROLL[50], axis=1))[1]
    length = np.linalg.norm(ROLL[near] - ROLL[50])
    assert found[50, near] == pytest.approx(np.exp(-(length**2) / 32.0))
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(found[100:, 3:100], found[:3, 3:100])
    groups = np.vstack([ROLL[:60], ROLL[:60] + 1e3])
    with pytest.warns(UserWarning, match="components"):
        found = LaplacianEigenmaps(n_neighbors=8).fit(groups).affinity_matrix_
    assert found.shape == (120, 120)
    assert found[:60, 60:].nnz == 0 < found[60:, 60:].nnz


def test_dissimilarity_matrix_of_mds():
    few = ROLL[:40]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of other defaults to come
        theirs = sklearn.manifold.MDS(2, n_init=1, max_iter=2).fit(few).dissimilarity_matrix_
    for model in (MDS(2).fit(few), MDS(2, metric="precomputed").fit(theirs)):
        np.testing.assert_allclose(model.dissimilarity_matrix_, theirs, atol=1e-9)
    theirs[3, 7] = theirs[7, 3] = np.nan
    found = MDS(2, metric="precomputed").fit(theirs).dissimilarity_matrix_
    np.testing.assert_allclose(found, theirs, atol=1e-9)


class Listening:
    """A callback of scikit-learn that writes down what it hears."""

    def __init__(self):
        self.heard = []

    def setup(self, estimator, context):
        self.heard.append("setup")

    def teardown(self, estimator, context):
        self.heard.append("teardown")

    def on_fit_task_begin(self, estimator, context, **_):
        self.heard.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context, **_):
        self.heard.append(f"end {context.task_name}")


def test_callbacks_of_scikit_learn_hear_of_every_stage(tmp_path):
    pytest.importorskip("sklearn.callback")
    listening = Listening()
    model = Isomap(n_neighbors=8).set_callbacks(listening).fit(ROLL)
    stages = [stage.name for stage in model.report_.stages]
    assert listening.heard[:2] == ["setup", "begin fit"]
    assert listening.heard[-2:] == ["end fit", "teardown"]
    assert [said[4:] for said in listening.heard[2:-2] if said.startswith("end")] == stages
    save(model, tmp_path / "m.unspool")  # a callback is code, and stays here
    assert not hasattr(load(tmp_path / "m.unspool"), "_skl_callbacks")
    listening.heard.clear()
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full((9, 2), np.nan))
    assert listening.heard[-1] == "teardown"


def test_a_search_over_a_pipeline():
    pipe = make_pipeline(PCA(2), Isomap(n_neighbors=8))
    grid = {"isomap__n_neighbors": [6, 9], "pca__n_components": [2, 3]}

    def score(model, X, y=None):
        return -abs(model[-1].eigenvalues_[1] - 50.0)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = GridSearchCV(pipe, grid, scoring=score, cv=2).fit(ROLL)
    assert set(found.best_params_) == set(grid)


BITS = ("dice", "hamming", "jaccard", "matching", "rogerstanimoto", "yule")


@pytest.mark.parametrize("metric", [*BITS, "braycurtis", "canberra", "correlation", "l1", "l2"])
def test_metrics_that_are_listed_work(metric):
    points = np.random.default_rng(0).random((50, 40))
    points = (points > 0.5).astype(float) if metric in BITS else points
    model = Isomap(metric=metric, n_neighbors=49).fit(points)  # no ties to break
    table = unspool.distances.pairwise_distances(points, points, metric)
    same = Isomap(metric="precomputed", n_neighbors=49).fit(table)
    assert up_to_motion(model.embedding_, same.embedding_) < 1e-6
    assert np.isfinite(model.transform(1.0 - points[:3])).all()


def test_networks_take_seeds_too():
    network = AutoassociativeNetwork(1, max_iter=3, n_starts=1, random_state=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.isfinite(network.fit(ROLL[:50]).embedding_).all()
