"""A graph in several components never gives silent nonsense: four policies, queries routed."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from tests.cases import GRAPH, IN_SPACE, bent, clusters
from tests.compare import relative
from unspool.methods import LTSA, HessianLLE, LaplacianEigenmaps

SIZES = {"two": (60, 40), "three": (50, 35, 20)}
POLICIES = ("separate", "bridge", "largest")
every_graph = pytest.mark.parametrize("case", GRAPH.values(), ids=GRAPH)
every_space = pytest.mark.parametrize("case", IN_SPACE.values(), ids=IN_SPACE)
PATIENT = {name: case for name, case in IN_SPACE.items() if case.patient}
SPARSE = {name: case for name, case in IN_SPACE.items() if case.cls._SPARSE_TABLES}
every_sparse = pytest.mark.parametrize("case", SPARSE.values(), ids=SPARSE)
every_size = pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)


def fitted(case, X, told=(), **options):
    """Fit with the warning about the pieces asserted, and return the model with its text.

    What else may be warned of is ``told``.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = case.make(**options).fit(X)
    texts = [str(warning.message) for warning in caught]
    (text,) = (t for t in texts if "connected components" in t)
    # bridges may be so long that they weigh next to nothing, and then that is told too
    others = ("is carried by", "hardly joined")[: 1 + (model.components == "bridge")] + told
    assert all(t == text or any(other in t for other in others) for t in texts)
    return model, text


@every_graph
@every_size
@pytest.mark.parametrize("policy", POLICIES)
def test_number_and_sizes_are_told(case, sizes, policy):
    X, labels = clusters(sizes)
    model, text = fitted(case, X, components=policy)
    described = f"{len(sizes)} connected components (sizes {', '.join(map(str, sizes))})"
    assert described in text
    assert "n_neighbors" in text
    assert text in model.report_.advice
    # labels say which piece, the largest first: here that is the order of the clusters
    np.testing.assert_array_equal(model.component_labels_, labels)


@every_graph
@every_size
def test_error_says_what_to_do(case, sizes):
    X, _ = clusters(sizes)
    model = case.make(components="error")
    with pytest.raises(
        ValueError, match=rf"{len(sizes)} connected components \(sizes {sizes[0]}, "
    ) as caught:
        model.fit(X)
    for word in ("n_neighbors", "'largest'", "'separate'", "'bridge'", str(sizes[0])):
        assert word in str(caught.value)
    assert not hasattr(model, "embedding_")


@every_graph
@pytest.mark.parametrize("policy", [*POLICIES, "error"])
def test_one_piece_needs_no_policy(case, policy):
    X = bent(100)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = case.make(components=policy).fit(X)
    assert relative(model.embedding_, case.make().fit(X).embedding_) == 0.0
    assert not model.component_labels_.any()


@every_graph
@every_size
@pytest.mark.parametrize("d", [1, 2, 3])
def test_separate_maps_each_piece_as_if_alone(case, sizes, d):
    X, labels = clusters(sizes)
    model, _ = fitted(case, X, n_components=d, components="separate")
    assert len(model.charts_) == len(sizes)
    for piece in range(len(sizes)):
        alone = case.make(n_components=d, **_same_width(model)).fit(X[labels == piece])
        own = model.embedding_[labels == piece]
        width = np.sqrt(sizes[piece] / sizes[0]) if case.cls is LaplacianEigenmaps else 1.0
        mapped = width * alone.embedding_  # of eigenmaps the smaller are drawn smaller
        shift = (own - mapped).mean(axis=0)
        moved = np.abs(shift) > 1e-6 * np.abs(own).max()
        assert moved.any() == (piece > 0)  # the largest stays where it is
        assert not moved[2:].any()
        assert relative(own - shift, mapped) < 1e-7
        new = X[labels == piece][:8] + 0.05
        expected = model._layout.place(piece, width * alone.transform(new))  # near its own box
        assert relative(model.transform(new), expected) < 1e-7
    largest = case.make(n_components=d, **_same_width(model)).fit(X[labels == 0])
    np.testing.assert_allclose(model.eigenvalues_, largest.eigenvalues_, rtol=1e-6, atol=1e-14)


def _same_width(model):
    """One Gaussian width for all pieces, where there is one."""
    return {} if getattr(model, "gamma_", None) is None else {"gamma": model.gamma_}


@every_graph
@every_size
def test_largest_maps_the_largest_and_places_the_rest(case, sizes):
    X, labels = clusters(sizes)
    model, _ = fitted(case, X, components="largest")
    alone = case.make(**_same_width(model)).fit(X[labels == 0])
    assert len(model.charts_) == 1
    assert relative(model.embedding_[labels == 0], alone.embedding_) < 1e-7
    assert relative(model.embedding_[labels > 0], alone.transform(X[labels > 0])) < 1e-7
    assert relative(model.transform(X), model.embedding_) < 1e-8


@every_size
def test_bridges_are_the_shortest_links(sizes):
    """All geodesics between pieces are finite and no shorter than the straight gap."""
    X, labels = clusters(sizes)
    model, _ = fitted(GRAPH["Isomap"], X, components="bridge")
    assert model.geodesics_.shape == (len(X), len(X))
    assert np.isfinite(model.geodesics_).all()
    straight = cdist(X, X)
    assert (model.geodesics_ >= straight - 1e-9).all()
    for one in range(len(sizes) - 1):
        gap = straight[np.ix_(labels == one, labels == one + 1)].min()
        across = model.geodesics_[np.ix_(labels == one, labels == one + 1)].min()
        np.testing.assert_allclose(across, gap, rtol=1e-12)


@every_graph
def test_bridged_pieces_lie_apart_on_one_map(case):
    X, labels = clusters((60, 40))
    model, _ = fitted(case, X, n_components=1, components="bridge")
    assert len(model.charts_) == 1
    one, other = model.embedding_[labels == 0, 0], model.embedding_[labels == 1, 0]
    assert one.max() < other.min() or other.max() < one.min()


@every_graph
@every_size
@pytest.mark.parametrize("policy", POLICIES)
def test_new_points_go_to_the_piece_they_are_near(case, sizes, policy):
    X, labels = clusters(sizes)
    model, _ = fitted(case, X, components=policy)
    assert relative(model.transform(X), model.embedding_) < 1e-8
    random = np.random.default_rng(1)
    chosen = random.permutation(len(X))[:20]
    places = model.transform(X[chosen] + 1e-3 * random.standard_normal((20, 3)))
    assert np.isfinite(places).all()
    # a new point is a mean of neighbours in its own piece: inside that piece's box, or near it
    for place, piece in zip(places, labels[chosen], strict=True):
        if policy == "largest" and piece > 0:
            continue
        own = model.embedding_[labels == piece]
        reach = np.ptp(own, axis=0).max()
        assert (place > own.min(axis=0) - reach).all()
        assert (place < own.max(axis=0) + reach).all()


@every_space
@pytest.mark.parametrize("d", [1, 2, 4])
def test_tiny_pieces_get_the_coordinates_they_can_have(case, d):
    """Pieces of three, two and one point: as many coordinates as they span, zero in the rest."""
    X, _ = clusters((40, 3, 2, 1), features=5)
    options = {"n_neighbors": None, "radius": 5.0}
    model, text = fitted(case, X, n_components=d, components="separate", **options)
    assert "4 connected components (sizes 40, 3, 2, 1)" in text
    assert np.isfinite(model.embedding_).all()
    for piece, size in enumerate((40, 3, 2, 1)):
        members = model.component_labels_ == piece
        assert members.sum() == size
        assert not np.ptp(model.embedding_[members][:, max(0, size - 1) :], axis=0).any()
    assert relative(model.transform(X), model.embedding_) < 1e-8
    assert np.isfinite(model.transform(X + 0.01)).all()
    assert np.isfinite(model.inverse_transform(model.embedding_)).all()


@pytest.mark.parametrize("case", PATIENT.values(), ids=PATIENT)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.filterwarnings("ignore:coordinate . is carried by")  # of a tree of far points
def test_all_points_alone(case, policy):
    """A radius that reaches nobody: as many pieces as points."""
    X = bent(30)
    model, text = fitted(case, X, n_neighbors=None, radius=1e-6, components=policy, n_components=2)
    assert "30 connected components (sizes 1, 1, 1, 1, 1, ...)" in text
    assert np.isfinite(model.embedding_).all()
    if policy == "largest":
        assert not model.embedding_.any()
    if policy == "separate":
        assert len(np.unique(model.embedding_, axis=0)) == len(X)
    assert relative(model.transform(X) + 1.0, model.embedding_ + 1.0) < 1e-12


@every_graph
@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_way_back_leads_to_the_component_it_came_from(case, d):
    X, labels = clusters((60, 40, 20))
    model, _ = fitted(case, X, n_components=d, components="separate")
    centers = [X[labels == piece].mean(axis=0) for piece in range(3)]
    fresh = X + 0.01 * np.random.default_rng(2).standard_normal(X.shape)
    for points in (X, fresh):
        back = model.inverse_transform(model.transform(points))
        to_cluster = cdist(back, centers)
        assert (to_cluster.min(axis=1) < 3.0).all()  # half-width 1, the gap is 100
        np.testing.assert_array_equal(to_cluster.argmin(axis=1), labels)


@every_graph
@pytest.mark.parametrize("d", [1, 2, 3])
def test_components_never_overlap_on_the_map(case, d):
    X, labels = clusters((60, 40, 30, 20))
    model, _ = fitted(case, X, n_components=d, components="separate")
    boxes = [model.embedding_[labels == piece][:, :2] for piece in range(4)]
    for one in range(4):
        for other in range(one):
            low = np.maximum(boxes[one].min(axis=0), boxes[other].min(axis=0))
            high = np.minimum(boxes[one].max(axis=0), boxes[other].max(axis=0))
            assert (low > high).any()


def test_each_methods_default_policy():
    """Geodesic methods bridge, local methods keep pieces apart (design, section 3)."""
    for name, case in GRAPH.items():
        geodesic = "Isomap" in name
        expected = "bridge" if geodesic else "separate"
        assert case.cls().components in (expected, "whole"), name


def sparse_within(X, radius):
    table = cdist(X, X)
    table[table > radius] = 0
    return sp.csr_array(table)


@every_sparse
def test_a_sparse_graph_in_several_components_is_laid_out(case):
    X, labels = clusters((60, 40))
    options = {"n_neighbors": None, "components": "separate"}
    apart, _ = fitted(case, sparse_within(X, 20), metric="precomputed", **options)
    dense, _ = fitted(case, X, radius=20.0, **options)
    assert (apart.component_labels_ == labels).all()
    assert relative(apart.embedding_, dense.embedding_) < 1e-7
    towards = cdist(X[:9] + 0.01, X)
    towards[towards > 20] = 0
    assert relative(apart.transform(sp.csr_array(towards)), dense.transform(X[:9] + 0.01)) < 1e-7


@every_sparse
def test_a_sparse_graph_is_bridged_by_the_links_it_holds(case):
    """The graph holds all pairs, but eight neighbours leave two components: as with the table."""
    X, _ = clusters((60, 40))
    options = {"components": "bridge"}
    if hasattr(case.cls, "_choose_landmarks"):  # else by geodesics, as only the graph is known
        options["landmarks"] = np.arange(0, 100, 3)
    sparse, text = fitted(case, sp.csr_array(cdist(X, X)), metric="precomputed", **options)
    dense, _ = fitted(case, X, **options)
    assert "joined" in text
    assert not sparse.charts_[1:]
    assert relative(sparse.embedding_, dense.embedding_) < 1e-7


def test_components_without_any_link_are_joined_at_their_centers():
    """Two lines of 41 and 21 points: middle to middle, as far as half of both lengths."""
    lines = np.concatenate([np.arange(41.0), 1000 + np.arange(21.0)])[:, None]
    graph, options = sparse_within(lines, 1.5), {"metric": "precomputed", "components": "bridge"}
    model, text = fitted(GRAPH["Isomap"], graph, n_neighbors=None, **options)
    assert "center to center" in text
    assert model.geodesics_[20, 51] == 20.0 + 10.0
    assert model.geodesics_[0, 41] == 20.0 + 30.0 + 10.0
    sparse = ("paths stand for the distances",)  # points two steps apart are not joined
    local, _ = fitted(GRAPH["LLE"], graph, sparse, n_neighbors=None, n_components=1, **options)
    one, other = local.embedding_[:41, 0], local.embedding_[41:, 0]
    assert one.max() < other.min() or other.max() < one.min()
    weighted = LaplacianEigenmaps(1, weights="given", **options)
    with pytest.raises(ValueError, match="no lengths"), pytest.warns(UserWarning, match="2 conn"):
        weighted.fit(graph)


@pytest.mark.filterwarnings("ignore:the neighbour graph has 2 connected components")
@every_sparse
def test_points_that_a_graph_does_not_tie_to_the_largest_component_are_told(case):
    X, labels = clusters((60, 40))
    shuffled = np.random.default_rng(0).permutation(len(X))
    first = int(np.flatnonzero(labels[shuffled] == 1)[0])
    graph = sparse_within(X[shuffled], 20)
    model = case.make(metric="precomputed", n_neighbors=None, components="largest")
    told = rf"40 of 40 points outside .*row {first}, have no edge .*components='separate'"
    with pytest.raises(ValueError, match=told):
        model.fit(graph)


@every_space
@pytest.mark.parametrize("d", [1, 2])
def test_points_far_away_stay_beside_their_component(case, d):
    """A query point far beyond all is placed with its nearest, never on the map of another."""
    X, labels = clusters((60, 40, 20))
    model, _ = fitted(case, X, n_components=d, components="separate")
    centers = [X[labels == piece].mean(axis=0) for piece in range(3)]
    for across in ([0.0, 1.0, 1.0], [0.0, -1.0, 1.0], [0.3, 0.0, -1.0]):  # the line of the clusters
        places = model.transform(X + 40.0 * np.array(across))
        assert np.isfinite(places).all()
        np.testing.assert_array_equal(model._layout.owner(places), labels)
        back = model.inverse_transform(model.transform(X + 4.0 * np.array(across)))
        np.testing.assert_array_equal(cdist(back, centers).argmin(axis=1), labels)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("cls", "count"), [(LTSA, 4), (HessianLLE, 6)])
def test_points_that_see_few_of_their_own_component_get_their_nearest_there(cls, count):
    """Two closed classes, and a bridge of points that look into one of them, or into both."""
    rng = np.random.default_rng(0)
    left, right = rng.normal(size=(60, 3)), rng.normal((12.0, 0.0, 0.0), size=(60, 3))
    bridge = np.column_stack([np.linspace(4.0, 8.0, 5), np.zeros((5, 2))])
    X = np.vstack([left, right, bridge])
    model = cls(2, n_neighbors=count).fit(X)
    assert sorted(len(chart.members) for chart in model.charts_)[0] >= 60
    assert any("see too few others" in advice for advice in model.report_.advice)
    np.testing.assert_allclose(model.transform(X), model.embedding_, atol=1e-9)
