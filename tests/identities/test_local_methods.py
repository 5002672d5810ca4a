"""The LLE family: recovered coordinates, null spaces, and what the variants have in common."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.manifold import LocallyLinearEmbedding

import unspool
from unspool import datasets, distances, problem, quality

FLATTENING = ["HessianLLE", "LTSA", "ModifiedLLE"]
LOCAL = [*FLATTENING, "LLE"]


@pytest.mark.parametrize("name", FLATTENING)
def test_a_roll_with_a_hole_is_recovered(name):
    roll = datasets.swiss_roll(1500, hole=True, seed=0)
    model = getattr(unspool, name)(2, n_neighbors=12).fit(roll.points)
    assert quality.explained_by(model.embedding_, roll.coordinates).min() >= 0.99
    fresh = datasets.swiss_roll(400, hole=True, seed=1)
    places = model.transform(fresh.points)
    assert quality.explained_by(places, fresh.coordinates).min() >= 0.99


def test_isomap_does_not_recover_the_hole():
    roll = datasets.swiss_roll(1500, hole=True, seed=0)
    model = unspool.Isomap(2, n_neighbors=12).fit(roll.points)
    assert quality.explained_by(model.embedding_, roll.coordinates).min() < 0.99


@pytest.mark.parametrize("name", FLATTENING)
@pytest.mark.parametrize("n_dimensions", [1, 2, 3])
def test_flat_manifolds_are_recovered(name, n_dimensions):
    sample = datasets.flat_patch(1200, d=n_dimensions, ambient=2 * n_dimensions + 1, seed=2)
    model = getattr(unspool, name)(n_dimensions, n_neighbors=16).fit(sample.points)
    assert quality.explained_by(model.embedding_, sample.coordinates).min() >= 0.99


def test_three_dimensions_in_five():
    """A flat 3-manifold in R^5: two of its directions bent into a roll's profile."""
    box = np.random.default_rng(3).uniform(size=(1500, 3)) * [3.0, 2.0, 2.0]
    arc, turn = box[:, 0], box[:, 1]
    points = np.column_stack(
        [2 * np.cos(arc / 2), 2 * np.sin(arc / 2), np.cos(turn), np.sin(turn), box[:, 2]]
    )
    for name in FLATTENING:
        model = getattr(unspool, name)(3, n_neighbors=18).fit(points)
        assert quality.explained_by(model.embedding_, box).min() >= 0.99


def test_four_coordinates_of_hessian_lle():
    points = np.random.default_rng(4).uniform(size=(500, 4))
    model = unspool.HessianLLE(4, n_neighbors=20).fit(points)
    assert quality.explained_by(model.embedding_, points).min() > 1 - 1e-9


@pytest.mark.parametrize("name", ["HessianLLE", "LTSA"])
@pytest.mark.parametrize("n_dimensions", [1, 2, 3])
def test_null_space_of_a_flat_region_is_the_affine_functions(name, n_dimensions):
    """On points of R^t itself the patches vanish on 1 and the coordinates, and on nothing else."""
    points = np.random.default_rng(5).uniform(size=(120, n_dimensions))
    model = getattr(unspool, name)(n_dimensions, n_neighbors=14).fit(points)
    matrix = model.charts_[0].relation.matrix.toarray()
    values = np.linalg.eigvalsh(matrix)
    assert np.abs(values[: n_dimensions + 1]).max() < 1e-12 * values[-1]
    assert values[n_dimensions + 1] > 1e-8 * values[-1]


def test_hessian_patches_do_not_depend_on_the_tangent_frame():
    """Izenman 2013: the norm of the Hessian is the same in every orthonormal frame."""
    random = np.random.default_rng(6)
    tangents = np.linalg.qr(random.normal(size=(5, 12, 3)) - 0.0)[0]
    tangents -= tangents.mean(axis=1, keepdims=True)
    tangents = np.linalg.qr(tangents)[0]
    turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
    np.testing.assert_allclose(
        problem.hessian_patches(tangents @ turn), problem.hessian_patches(tangents), atol=1e-12
    )


def test_modified_lle_agrees_with_scikit_learn():
    roll = datasets.swiss_roll(500, seed=7)
    ours = unspool.ModifiedLLE(2, n_neighbors=12).fit(roll.points)
    theirs = LocallyLinearEmbedding(
        n_neighbors=12, n_components=2, method="modified", eigen_solver="dense"
    ).fit_transform(roll.points)
    assert quality.disparity(ours.embedding_, theirs) < 1e-8


@pytest.mark.parametrize("name", LOCAL)
def test_mean_zero_covariance_one(name):
    model = getattr(unspool, name)(2, n_neighbors=12).fit(datasets.s_curve(300).points)
    n = len(model.embedding_)
    np.testing.assert_allclose(model.embedding_.T @ model.embedding_ / n, np.eye(2), atol=1e-9)
    np.testing.assert_allclose(model.embedding_.mean(axis=0), 0.0, atol=1e-9)


@pytest.mark.parametrize("name", LOCAL)
def test_distances_are_enough(name):
    points = datasets.s_curve(250).points
    cls, options = getattr(unspool, name), {"n_neighbors": 12}
    from_points = cls(2, **options).fit(points)
    from_table = cls(2, metric="precomputed", **options).fit(squareform(pdist(points)))
    assert quality.disparity(from_table.embedding_, from_points.embedding_) < 1e-8


def test_orthonormal_on_the_central_neighbourhood():
    roll = datasets.swiss_roll(600, seed=8)
    plain = unspool.HessianLLE(2, n_neighbors=12).fit(roll.points)
    turned = unspool.HessianLLE(2, n_neighbors=12, orthonormalize=True).fit(roll.points)
    change = np.linalg.lstsq(plain.embedding_, turned.embedding_, rcond=None)[0]
    np.testing.assert_allclose(plain.embedding_ @ change, turned.embedding_, atol=1e-8)
    centre = int(np.argmin(np.square(plain.embedding_).sum(axis=1)))
    around = np.append(
        distances.neighbor_graph(roll.points, 12).neighbors[12 * centre :][:12], centre
    )
    local = turned.embedding_[around]
    np.testing.assert_allclose(local.T @ local, np.eye(2), atol=1e-9)


@pytest.mark.filterwarnings("ignore:the neighbour graph has")
@pytest.mark.parametrize(("n_components", "needed"), [(1, 2), (2, 5), (3, 9), (4, 14)])
def test_hessian_lle_says_how_many_neighbours_it_needs(n_components, needed):
    points = np.random.default_rng(9).uniform(size=(60, 5))
    unspool.HessianLLE(n_components, n_neighbors=needed + 5).fit(points)
    with pytest.raises(ValueError, match=f"needs at least {needed} neighbours"):
        unspool.HessianLLE(n_components, n_neighbors=needed - 1).fit(points)


def test_linear_kernel_lle_is_lle():
    points = datasets.s_curve(250).points + 5.0
    ours = unspool.KernelLLE(2, n_neighbors=10, kernel="linear").fit(points)
    plain = unspool.LLE(2, n_neighbors=10).fit(points)
    assert quality.disparity(ours.embedding_, plain.embedding_) < 1e-8
    fresh = datasets.s_curve(50, seed=1).points + 5.0
    moved = quality.align(ours.embedding_, plain.embedding_)
    np.testing.assert_allclose(
        ours.transform(fresh) @ moved.rotation, plain.transform(fresh), atol=1e-6
    )


def test_kernel_lle_from_a_table():
    points = datasets.s_curve(200).points
    kernel = unspool.kernel.Kernel("gaussian", gamma=0.05)
    from_points = unspool.KernelLLE(2, n_neighbors=10, gamma=0.05).fit(points)
    table = kernel(points, points)
    from_table = unspool.KernelLLE(2, n_neighbors=10, kernel="precomputed").fit(table)
    np.testing.assert_allclose(from_table.embedding_, from_points.embedding_, atol=1e-6)
    fresh = datasets.s_curve(40, seed=3).points
    np.testing.assert_allclose(
        from_table.transform(kernel(fresh, points)), from_points.transform(fresh), atol=1e-5
    )


@pytest.mark.parametrize("name", ["gaussian", "laplacian", "polynomial"])
def test_trees_find_the_neighbours_in_feature_space(name):
    """Of the points themselves where the kernel falls with a distance, of monomials else."""
    points = datasets.s_curve(400).points
    options = {"degree": 2, "coef0": 1.0} if name == "polynomial" else {}
    kernel = unspool.kernel.Kernel(name, gamma=1.0 if options else 0.05, **options)
    table = kernel(points, points)
    own = np.diag(table)
    squares = own[:, None] + own - 2.0 * table
    np.fill_diagonal(squares, -1.0)
    order = np.sort(np.argsort(squares, axis=1)[:, 1:9], axis=1)
    space, metric = points, "cityblock" if name == "laplacian" else "euclidean"
    if name == "polynomial":
        space = unspool.kernel.veronese(np.column_stack([points, np.ones(400)]), 2, scaled=True)
    found = distances.neighbor_graph(space, 8, metric=metric)
    np.testing.assert_array_equal(np.sort(found.neighbors.reshape(400, 8), axis=1), order)


def test_a_point_that_nobody_lists_stays_with_its_neighbours():
    """An outlier in nobody's list: a patch without its own point would let it fly off alone."""
    points = np.vstack([np.random.default_rng(10).uniform(size=(200, 2)), [[1.6, 1.6]]])
    for name in FLATTENING:
        model = getattr(unspool, name)(2, n_neighbors=8).fit(points)
        assert quality.explained_by(model.embedding_, points).min() > 0.99


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
@pytest.mark.parametrize("method", [unspool.LTSA, unspool.HessianLLE])
@pytest.mark.parametrize("features", [3, 30])
def test_a_straight_line_is_found_though_more_coordinates_are_asked_for(features, method, metric):
    """Directions added to neighbourhoods of rank 1 were not orthogonal to the constant."""
    random = np.random.default_rng(0)
    t = np.sort(random.uniform(size=60))
    line = np.outer(t, 1.0 + random.uniform(size=features))
    given = line if metric == "euclidean" else squareform(pdist(line))
    with pytest.warns(UserWarning, match="60 of 60 neighbourhoods have fewer than 2 dimensions"):
        found = method(2, n_neighbors=8, metric=metric).fit(given)
    assert found.eigenvalues_[0] == pytest.approx(0.0, abs=1e-12)
    assert found.eigenvalues_[1] > 0.0
    assert abs(np.corrcoef(found.embedding_[:, 0], t)[0, 1]) > 1 - 1e-9


def test_ltsa_of_a_flat_grid_with_three_coordinates():
    points = np.stack(np.meshgrid(np.arange(25.0), np.arange(25.0)), -1).reshape(-1, 2)
    grid = np.column_stack([points, np.zeros(len(points))])
    with pytest.warns(UserWarning, match="625 of 625 neighbourhoods have fewer than 3 dimensions"):
        found = unspool.LTSA(3, n_neighbors=12).fit(grid)
    np.testing.assert_allclose(found.eigenvalues_[:2], 0.0, atol=1e-12)
    assert found.report_.stage("spectrum").facts["residual"] < 1e-9
    expected = np.linalg.eigvalsh(found.matrix_.toarray())  # the constant, x, y, then the third
    np.testing.assert_allclose(found.eigenvalues_[2], expected[3], rtol=1e-8)
    assert quality.explained_by(found.embedding_, points).min() > 1 - 1e-9


def test_a_few_thin_neighbourhoods_are_advice():
    """Nine points on a line beside a sheet: their neighbourhoods are told of, without a warning."""
    sheet = np.random.default_rng(0).uniform(size=(300, 2))
    line = np.column_stack([np.linspace(1.2, 4.0, 9), np.zeros(9)])
    model = unspool.LTSA(2, n_neighbors=5).fit(np.vstack([sheet, line]))
    assert any("of 309 neighbourhoods have fewer than 2" in told for told in model.report_.advice)


def test_hessian_patches_vanish_on_planes_and_not_on_bends():
    """The form of affine functions is 0, of quadratic ones their own part, of others hardly any."""
    clouds = np.random.default_rng(4).normal(size=(6, 15, 2))
    tangents = problem.tangent_coordinates(clouds, 2)
    patches = problem.hessian_patches(tangents)
    for cloud, patch in zip(clouds, patches, strict=True):
        x, y = cloud.T
        planes = np.column_stack([np.ones(15), x, y])
        bends = np.column_stack([x * x, x * y, y * y])
        rest = np.column_stack([x**3, x * x * y, np.sin(3 * x)])
        np.testing.assert_allclose(patch @ planes, 0.0, atol=1e-10)
        curved = bends - planes @ np.linalg.lstsq(planes, bends, rcond=None)[0]
        np.testing.assert_allclose(patch @ bends, curved, atol=1e-9)
        both = np.hstack([planes, bends])
        other = rest - both @ np.linalg.lstsq(both, rest, rcond=None)[0]
        forms = np.einsum("ij,ij->j", other, patch @ other)
        assert (forms <= 0.02 * np.square(other).sum(axis=0)).all()
        assert (forms > 0.0).all()


def test_plain_patches_are_the_estimator_alone():
    """A projection of rank t(t+1)/2, blind to what is neither affine nor quadratic."""
    clouds = np.random.default_rng(4).normal(size=(6, 15, 2))
    tangents = problem.tangent_coordinates(clouds, 2)
    patches = problem.hessian_patches(tangents, plain=True)
    np.testing.assert_allclose(patches @ patches, patches, atol=1e-12)
    np.testing.assert_allclose(np.trace(patches, axis1=1, axis2=2), 3.0, atol=1e-12)
    for cloud, patch in zip(clouds, patches, strict=True):
        x, y = cloud.T
        both = np.column_stack([np.ones(15), x, y, x * x, x * y, y * y])
        cubes = np.column_stack([x**3, x * x * y])
        rest = cubes - both @ np.linalg.lstsq(both, cubes, rcond=None)[0]
        np.testing.assert_allclose(patch @ rest, 0.0, atol=1e-10)


def test_plain_hessian_lle_is_the_sum_of_the_estimators():
    """Written out with a loop and Gram-Schmidt on an arc, with the null space that it leaves."""
    angles = np.linspace(0.0, 2.0, 40)
    arc = np.column_stack([np.cos(angles), np.sin(angles)])
    total = np.zeros((40, 40))
    for hood in np.argsort(np.abs(angles[:, None] - angles), axis=1)[:, :7]:
        centred = arc[hood] - arc[hood].mean(axis=0)
        along = centred @ np.linalg.eigh(centred.T @ centred)[1][:, -1]
        along /= np.linalg.norm(along)
        bend = along**2 - (along**2).mean()
        bend -= along * (along @ bend)
        bend /= np.linalg.norm(bend)
        total[np.ix_(hood, hood)] += np.outer(bend, bend)
    model = unspool.HessianLLE(1, n_neighbors=6, plain=True).fit(arc)
    np.testing.assert_allclose(model.charts_[0].relation.matrix.toarray(), total, atol=1e-10)
    assert (np.linalg.eigvalsh(total) < 1e-12).sum() == 6  # 34 different neighbourhoods


@pytest.mark.parametrize("name", ["LTSA", "ModifiedLLE"])
def test_ltsa_and_modified_lle_say_how_many_neighbours_they_need(name):
    points = datasets.helix(120).points  # closed: with two neighbours it hangs together
    with pytest.raises(ValueError, match=r"needs at least 3 neighbours of every point"):
        getattr(unspool, name)(2, n_neighbors=2).fit(points)
    assert np.isfinite(getattr(unspool, name)(2, n_neighbors=6).fit(points).embedding_).all()
