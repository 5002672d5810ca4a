"""The pictures of the documentation, drawn with the package itself: data left, map right.

Every method has the data that tell most about it. A recipe returns the panels of its picture; a
method without one is shown on the Swiss roll.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from figures import FIGURES
from matplotlib.figure import Figure
from PIL import Image

import unspool
from unspool import datasets
from unspool.catalog import METHODS

FOLDER = Path(__file__).parent / "images"
COLORS = 64  # of the palette: points need no more, and the files stay small
DPI = 85  # of a picture of two or three panels; the overview has eight and gets less


@dataclass(frozen=True)
class Panel:
    """Points to paint by a color, in two or three dimensions, and what is drawn over them."""

    title: str
    points: Any
    color: Any
    over: Callable[[Any], None] | None = None
    equal: bool = False
    size: float = 6.0
    elevation: float = 12.0


Panels = list[Panel | Callable[[Any], None]]
RECIPES: dict[str, Callable[[], Panels]] = {}


def draw(names: list[str]) -> None:
    """Draw the pictures of these names; of all methods, and the others, if none is given."""
    FOLDER.mkdir(exist_ok=True)
    for name in names or [*METHODS, *sorted(RECIPES.keys() - METHODS.keys()), "overview", *FIGURES]:
        if name in FIGURES:
            _save(FIGURES[name](), FOLDER / f"{name}.png", DPI)
            print(f"drew {name}.png: {(FOLDER / f'{name}.png').stat().st_size / 1000:.0f} kB")
            continue
        panels = overview() if name == "overview" else RECIPES.get(name, lambda n=name: _plain(n))()
        columns = 4 if name == "overview" else len(panels)
        path = FOLDER / f"{name}.png"
        _save(_figure(panels, columns), path, DPI if columns < 4 else 70)
        print(f"drew {path.name}: {len(panels)} panels, {path.stat().st_size / 1000:.0f} kB")


def _recipe(name: str) -> Callable[[Callable[[], Panels]], Callable[[], Panels]]:
    def keep(function: Callable[[], Panels]) -> Callable[[], Panels]:
        RECIPES[name] = function
        return function

    return keep


def _figure(panels: Panels, columns: int) -> Figure:
    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(3.1 * columns, 2.7 * rows), layout="constrained")
    for place, panel in enumerate(panels, start=1):
        solid = isinstance(panel, Panel) and np.shape(panel.points)[1] == 3
        axes = figure.add_subplot(rows, columns, place, projection="3d" if solid else None)
        if isinstance(panel, Panel):
            _paint(axes, panel, solid)
        else:
            panel(axes)
        for side in axes.spines.values():
            side.set_color("0.8")
    return figure


def _paint(axes: Any, panel: Panel, solid: bool) -> None:
    points = np.asarray(panel.points)
    if points.shape[1] == 1:
        points = np.column_stack([points, np.zeros(len(points))])
    axes.scatter(*points.T, c=panel.color, s=panel.size, cmap="viridis", linewidths=0)
    axes.set(xticks=[], yticks=[])
    if solid:
        axes.set_axis_off()
        axes.view_init(panel.elevation, -72)
        axes.set_box_aspect(np.ptp(points, axis=0), zoom=1.35)
    if panel.equal:
        axes.set_aspect("equal", adjustable="datalim")
    if panel.over is not None:
        panel.over(axes)
    axes.set_title(panel.title, fontsize=9)


def _save(figure: Figure, path: Path, dpi: int) -> None:
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=dpi)
    image = Image.open(drawn).convert("RGB").quantize(COLORS)
    image.save(path, optimize=True)


def _pair(sample: datasets.Sample, model: Any, title: str, **options: Any) -> Panels:
    fitted = model.fit(sample.points)
    return [_data(sample), Panel(title, fitted.embedding_, sample.color, **options)]


def _data(sample: datasets.Sample, title: str = "data", **options: Any) -> Panel:
    rolled = sample.name == "swiss-roll"  # seen from the side that shows the spiral
    points = sample.points[:, [0, 2, 1]] if rolled else sample.points
    return Panel(title, points, sample.color, **options)


def _plain(name: str) -> Panels:
    entry = METHODS[name]
    return _pair(datasets.swiss_roll(1000), entry.load()(2), entry.title)


def overview() -> Panels:
    """Return one roll of 100 x 50 and seven of its maps."""
    roll = datasets.swiss_roll(2000, ranges="isomap", seed=2)
    models = {
        "PCA": unspool.PCA(2),
        "Isomap": unspool.Isomap(2, n_neighbors=8),
        "LLE": unspool.LLE(2, n_neighbors=12),
        "Laplacian eigenmaps": unspool.LaplacianEigenmaps(2),
        "Diffusion maps": unspool.DiffusionMaps(2),
        "Hessian LLE": unspool.HessianLLE(2),
        "LTSA": unspool.LTSA(2),
    }
    maps = [
        Panel(title, model.fit_transform(roll.points), roll.color, size=2.5)
        for title, model in models.items()
    ]
    return [_data(roll, "2,000 points of a Swiss roll", size=2.5), *maps]


@_recipe("pca")
def pca() -> Panels:
    return _pair(datasets.swiss_roll(1000), unspool.PCA(2), "the two axes of largest variance")


@_recipe("kernel-pca")
def kernel_pca() -> Panels:
    clusters = datasets.three_clusters()
    model = unspool.KernelPCA(2, sigma=0.3).fit(clusters.points)
    across, up = np.meshgrid(np.linspace(-0.9, 0.9, 60), np.linspace(-0.6, 1.0, 60))
    heights = model.transform(np.column_stack([across.ravel(), up.ravel()]))

    def contours(component: int) -> Callable[[Any], None]:
        height = heights[:, component].reshape(across.shape)
        return lambda axes: axes.contour(across, up, height, 9, colors="0.6", linewidths=0.7)

    painted = (clusters.points, clusters.color)
    return [
        Panel("data, and where coordinate 1 is constant", *painted, contours(0), size=10),
        Panel("the same for coordinate 2", *painted, contours(1), size=10),
        Panel("map", model.embedding_, clusters.color, size=10),
    ]


CITIES = {  # degrees north, degrees east
    "Athens": (38.0, 23.7),
    "Berlin": (52.5, 13.4),
    "Dublin": (53.3, -6.3),
    "Helsinki": (60.2, 24.9),
    "Istanbul": (41.0, 29.0),
    "Kyiv": (50.5, 30.5),
    "Lisbon": (38.7, -9.1),
    "London": (51.5, -0.1),
    "Madrid": (40.4, -3.7),
    "Oslo": (59.9, 10.8),
    "Paris": (48.9, 2.4),
    "Rome": (41.9, 12.5),
    "Sofia": (42.7, 23.3),
    "Vienna": (48.2, 16.4),
    "Warsaw": (52.2, 21.0),
}


def great_circles() -> tuple[Any, Any]:
    """Return the distances between the cities along the earth's surface, in km, and the places."""
    places = np.array(list(CITIES.values()))
    north, east = np.radians(places).T
    cosines = np.sin(north)[:, None] * np.sin(north) + np.cos(north)[:, None] * np.cos(
        north
    ) * np.cos(east[:, None] - east)
    distances = 6371.0 * np.arccos(np.clip(cosines, -1, 1))
    np.fill_diagonal(distances, 0.0)
    return distances, places


@_recipe("classical-mds")
def classical_mds() -> Panels:
    distances, places = great_circles()
    model = unspool.ClassicalMDS(2, metric="precomputed").fit(distances)
    flat = places[:, ::-1] * [np.cos(np.radians(49.0)), 1.0]
    turned = unspool.quality.align(model.embedding_, flat).aligned

    def names(axes: Any) -> None:
        for name, (x, y) in zip(CITIES, turned, strict=True):
            axes.annotate(name, (x, y), (3, 2), textcoords="offset points", fontsize=7)
        axes.margins(0.25, 0.15)

    def table(axes: Any) -> None:
        axes.imshow(distances, cmap="viridis")
        axes.set(xticks=[], yticks=range(len(CITIES)))
        axes.set_yticklabels(CITIES, fontsize=5)
        axes.set_title("distances between cities", fontsize=9)

    title = "map, turned so that north is up"
    return [table, Panel(title, turned, places[:, 0], names, equal=True, size=14)]


@_recipe("isomap")
def isomap() -> Panels:
    roll = datasets.swiss_roll(1500, ranges="isomap", seed=3)
    model = unspool.Isomap(2, n_neighbors=6).fit(roll.points)
    edges = _edges(roll.points, 6)

    def links(axes: Any) -> None:
        segments = model.embedding_[edges]
        axes.plot(*segments.transpose(2, 1, 0), color="0.75", lw=0.4, zorder=0)

    return [_data(roll), Panel("map, with the graph", model.embedding_, roll.color, links)]


def _edges(points: Any, n_neighbors: int) -> Any:
    graph = unspool.distances.neighbor_graph(points, n_neighbors)
    return np.column_stack([graph.rows, graph.neighbors])


@_recipe("lle")
def lle() -> Panels:
    return _pair(datasets.s_curve(1500), unspool.LLE(2, n_neighbors=12), "map")


@_recipe("laplacian-eigenmaps")
def laplacian_eigenmaps() -> Panels:
    coils = datasets.helix(800)
    ring = unspool.LaplacianEigenmaps(2).fit_transform(coils.points)
    return [_data(coils, elevation=50.0), Panel("map: the ring", ring, coils.color, equal=True)]


@_recipe("landmark-mds")
def landmark_mds() -> Panels:
    cap = datasets.sphere_patch(1500, opening=np.pi / 2)
    model = unspool.LandmarkMDS(2, n_landmarks=20)
    return _pair(cap, model, "map, landmarks ringed", over=_rings(model), equal=True)


@_recipe("landmark-isomap")
def landmark_isomap() -> Panels:
    roll = datasets.swiss_roll(3000, ranges="isomap")
    model = unspool.LandmarkIsomap(2, n_neighbors=8, n_landmarks=30)
    return _pair(roll, model, "map, landmarks ringed", over=_rings(model), size=3.0)


def _rings(model: Any) -> Callable[[Any], None]:
    def rings(axes: Any) -> None:
        landmarks = model.embedding_[model.landmarks_]
        axes.scatter(*landmarks.T, s=40, facecolors="none", edgecolors="crimson", linewidths=1)

    return rings


@_recipe("kernel-lle")
def kernel_lle() -> Panels:
    return _pair(datasets.s_curve(800), unspool.KernelLLE(2, n_neighbors=12, sigma=10.0), "map")


@_recipe("modified-lle")
def modified_lle() -> Panels:
    roll = datasets.swiss_roll(1000)
    plain = unspool.LLE(2, n_neighbors=12).fit_transform(roll.points)
    model = unspool.ModifiedLLE(2, n_neighbors=12)
    data, modified = _pair(roll, model, "modified LLE, the same neighbours")
    return [data, Panel("LLE: one weight vector a point", plain, roll.color), modified]


@_recipe("hessian-lle")
def hessian_lle() -> Panels:
    return _with_isomap(unspool.HessianLLE(2), "Hessian LLE")


@_recipe("charting")
def charting() -> Panels:
    roll = datasets.swiss_roll(1000, seed=1)
    data, few = _pair(roll, unspool.Charting(2, n_charts=60), "60 charts")
    return [data, few, _pair(roll, unspool.Charting(2), "333 charts")[1]]


@_recipe("conformal-eigenmaps")
def conformal_eigenmaps() -> Panels:
    roll = datasets.swiss_roll(1000, seed=1)
    data, plain = _pair(roll, unspool.LLE(2, n_neighbors=10), "LLE")
    return [data, plain, _pair(roll, unspool.ConformalEigenmaps(2), "conformal eigenmaps")[1]]


@_recipe("maximum-variance-unfolding")
def maximum_variance_unfolding() -> Panels:
    roll = datasets.swiss_roll(400, seed=1)
    equal = unspool.MaximumVarianceUnfolding(2, n_neighbors=6)
    data, kept = _pair(roll, equal, "distances kept to 1 %")
    shorter = unspool.MaximumVarianceUnfolding(2, n_neighbors=6, isometry="inequality")
    return [data, kept, _pair(roll, shorter, "distances at most kept")[1]]


@_recipe("ltsa")
def ltsa() -> Panels:
    return _with_isomap(unspool.LTSA(2), "LTSA")


def _with_isomap(model: Any, title: str) -> Panels:
    roll = datasets.swiss_roll(2000, ranges="isomap", hole=True)
    round_the_hole = unspool.Isomap(2, n_neighbors=8).fit_transform(roll.points)
    data, straight = _pair(roll, model, title)
    return [data, Panel("Isomap", round_the_hole, roll.color), straight]


@_recipe("diffusion-maps")
def diffusion_maps() -> Panels:
    angles = np.sort(np.random.default_rng(0).vonmises(0.0, 1.2, 1000))
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    width = {"radius": 0.25, "t": 0.25**2 / 4}
    panels: Panels = [Panel("a circle, crowded on the right", ring, angles, equal=True)]
    for alpha, what in ((0.0, "alpha = 0: density bends it"), (1.0, "alpha = 1: shape alone")):
        model = unspool.DiffusionMaps(2, alpha=alpha, **width).fit(ring)
        panels.append(Panel(what, model.embedding_, angles, equal=True))
    return panels


@_recipe("spectral-clustering")
def spectral_clustering() -> Panels:
    points, _ = two_rings(400, noise=0.15)
    model = unspool.SpectralClustering(n_clusters=2).fit(points)
    return [
        Panel("data, painted by cluster", points, model.labels_, equal=True, size=10),
        Panel("the eigenvectors that were clustered", model.embedding_, model.labels_, size=10),
    ]


def two_rings(n: int, noise: float, seed: int = 0) -> tuple[Any, Any]:
    """Return points on two circles of radius 1 and 2, and which they belong to."""
    random = np.random.default_rng(seed)
    ring = np.arange(n) % 2
    angles = random.uniform(0.0, 2 * np.pi, n)
    points = (1.0 + ring)[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    return points + noise * random.standard_normal((n, 2)), ring


@_recipe("feature-map-pca")
def feature_map_pca() -> Panels:
    circle = datasets.circle(300)
    features = unspool.kernel.veronese(circle.points, 2, scaled=True)
    model = unspool.FeatureMapPCA(2, degree=2).fit(circle.points)
    return [
        Panel("data", circle.points, circle.color, equal=True),
        Panel("features", features, circle.color),
        Panel("map", model.embedding_, circle.color, equal=True),
    ]


@_recipe("polynomial-pca")
def polynomial_pca() -> Panels:
    across = np.linspace(-1.5, 0.5, 201)
    parabola = np.column_stack([across, 4 * across**2 + 4 * across + 2])
    model = unspool.PolynomialPCA(degree=2).fit(parabola)
    return [
        Panel(f"data: {model.equation()}".replace("**", "^"), parabola, across),
        Panel("scores 1 and 2", model.embedding_[:, :2], across),
        Panel("scores 4 and 5: the last does not vary", model.embedding_[:, 3:5], across, _square),
    ]


def _square(axes: Any) -> None:
    axes.set_ylim(axes.get_xlim())


@_recipe("additive-pca")
def additive_pca() -> Panels:
    x, y = np.random.default_rng(0).uniform(-1.0, 1.0, (2, 400))
    points = np.column_stack([x, y, x**2 + np.exp(1.5 * y)])
    model = unspool.AdditivePCA(1, end="smallest").fit(points)
    functions = model.transformations(points)[:, :, 0]
    titles = ("function of x1", "function of x2", "function of x3 = x1^2 + exp(1.5 x2)")
    return [
        Panel(title, np.column_stack([points[:, j], functions[:, j]]), points[:, 2], size=8)
        for j, title in enumerate(titles)
    ]


@_recipe("gpca")
def gpca() -> Panels:
    sample = unspool.datasets.subspaces(400, dimensions=(2, 1, 1), noise=0.02, seed=3)
    model = unspool.GPCA(n_subspaces=3).fit(sample.points)
    return [
        Panel("a plane and two lines", sample.points, model.labels_, size=8),
        Panel("GPCA: each along its own axes", model.embedding_, model.labels_, size=8),
    ]


@_recipe("random-projection")
def random_projection() -> Panels:
    points = np.random.default_rng(0).standard_normal((300, 2000))
    counts = (10, 30, 100, 300, 1000)
    ratios = [
        unspool.distortions(points, unspool.RandomProjection(k).fit_transform(points)).ratios
        for k in counts
    ]

    def boxes(axes: Any) -> None:
        axes.boxplot(ratios, whis=(0, 100), tick_labels=[str(k) for k in counts])
        axes.axhline(1.0, color="0.8", zorder=0)
        axes.set_xlabel("coordinates", fontsize=8)
        axes.set_title("squared distances, map over data", fontsize=9)
        axes.tick_params(labelsize=7)

    return [boxes]


@_recipe("principal-curve")
def principal_curve() -> Panels:
    arc = datasets.circle(200, noise=0.15, seed=1)
    half = arc.coordinates[:, 0] < 4.5
    points, along = arc.points[half], arc.color[half]
    model = unspool.PrincipalCurve().fit(points)

    def curve(axes: Any) -> None:
        axes.plot(*model.vertices_.T, color="crimson", lw=1.5)

    return [
        Panel("data and curve", points, along, curve, equal=True),
        Panel("map: arc length on the curve", model.embedding_, along),
    ]


@_recipe("principal-surface")
def principal_surface() -> Panels:
    saddle = datasets.saddle(800, noise=0.1)
    model = unspool.PrincipalSurface(2).fit(saddle.points)
    surface = model.inverse_transform(model.embedding_)
    return [
        Panel("data", saddle.points, saddle.color, elevation=25.0),
        Panel("the points of the surface they project on", surface, saddle.color, elevation=25.0),
        Panel("map", model.embedding_, saddle.color),
    ]


@_recipe("tsne")
def tsne() -> Panels:
    from sklearn.datasets import load_digits

    digits = load_digits()
    models = {"principal components": unspool.PCA(2)} | {
        f"exaggeration {value}": unspool.TSNE(2, exaggeration=value) for value in (1, 4, 30)
    }
    return [
        Panel(title, model.fit_transform(digits.data), digits.target)
        for title, model in models.items()
    ]


@_recipe("mds")
def mds() -> Panels:
    angles = np.linspace(0.0, 2 * np.pi, 60, endpoint=False)
    gaps = np.abs(angles[:, None] - angles)
    arcs = np.minimum(gaps, 2 * np.pi - gaps)

    def table(axes: Any) -> None:
        axes.imshow(arcs, cmap="viridis")
        axes.set(xticks=[], yticks=[])
        axes.set_title("lengths of arc around a circle", fontsize=9)

    panels: Panels = [table]
    for model, what in (
        (unspool.ClassicalMDS(2, metric="precomputed"), "classical"),
        (unspool.MDS(2, metric="precomputed"), "least stress"),
    ):
        places = model.fit_transform(arcs)
        off = np.sqrt(np.mean((np.linalg.norm(places[:, None] - places, axis=2) - arcs) ** 2))
        title = f"{what}: distances off by {off:.2f}"
        panels.append(Panel(title, places, angles, _same_window, size=12))
    return panels


def _same_window(axes: Any) -> None:
    axes.set(xlim=(-1.8, 1.8), ylim=(-1.8, 1.8), aspect="equal")


@_recipe("autoassociative-network")
def autoassociative_network() -> Panels:
    sheet = datasets.s_curve(800)
    model = unspool.AutoassociativeNetwork(2).fit(sheet.points)
    rebuilt = model.inverse_transform(model.embedding_)
    ring = datasets.circle(300)
    torn = unspool.AutoassociativeNetwork(1).fit(ring.points)
    reach = 1.2 * np.abs(torn.embedding_).max()
    opened = torn.inverse_transform(np.linspace(-reach, reach, 400)[:, None])

    def curve(axes: Any) -> None:
        axes.plot(*opened.T, color="crimson", lw=1)
        axes.set(xlim=(-1.6, 1.6), ylim=(-1.2, 1.2), aspect="equal")

    return [
        *_pair(sheet, model, "map"),
        Panel("rebuilt", rebuilt, sheet.color),
        Panel("a circle, and the curve one unit makes", ring.points, ring.color, curve),
    ]


# What goes wrong: a second picture of the methods that look for their answer step by step.


@_recipe("mds-fails")
def mds_fails() -> Panels:
    points = datasets.swiss_roll(300).points
    starts = [
        unspool.MDS(1, start="random", random_state=seed).fit(points).normalized_stress_
        for seed in range(30)
    ]
    best = unspool.MDS(1).fit(points).normalized_stress_

    def minima(axes: Any) -> None:
        axes.plot(np.sort(starts), ".", color="0.3")
        axes.axhline(best, color="crimson", lw=1)
        axes.set_title("one dimension: stress-1 of 30 random starts", fontsize=9)
        axes.tick_params(labelsize=7)

    return [minima, _few_pairs(), _shrunken_clusters()]


def _few_pairs() -> Panel:
    square = datasets.flat_patch(300, d=2, ambient=2, seed=1)
    table = np.linalg.norm(square.points[:, None] - square.points, axis=2)
    gaps = np.triu(np.random.default_rng(0).random(table.shape) < 0.97, 1)
    table[gaps | gaps.T] = np.nan
    places = unspool.MDS(2, metric="precomputed", start="random").fit_transform(table)
    return Panel("a square, 97 % of the pairs unknown", places, square.points[:, 0], equal=True)


def _shrunken_clusters() -> Panel:
    labels, rng = np.repeat(np.arange(3), 40), np.random.default_rng(0)
    points = rng.standard_normal((120, 20)) + 40.0 * np.eye(3, 20)[labels]
    model = unspool.MDS(2, ordinal=True, max_iter=300, tol=0.0).fit(points)
    title = f"clusters in 20-D, order alone: stress-1 {model.normalized_stress_:.0e}"
    return Panel(title, model.embedding_, labels, equal=True)


@_recipe("principal-curve-fails")
def principal_curve_fails() -> Panels:
    rng = np.random.default_rng(0)
    turn = np.linspace(1.0, 4.5 * np.pi, 400)
    spiral = np.column_stack([turn * np.cos(turn), turn * np.sin(turn)]) / 10
    spiral += 0.02 * rng.standard_normal(spiral.shape)
    disc = rng.standard_normal((1500, 2))
    disc = disc[np.linalg.norm(disc, axis=1) < 2.0][:600]
    panels: Panels = []
    for title, points, options in (
        ("a spiral, from a line: cuts across", spiral, {"span": 0.1}),
        ("from its corners in order", spiral, {"span": 0.1, "start": spiral[::8]}),
    ):
        curves = [unspool.PrincipalCurve(**options).fit(points)]
        panels.append(Panel(title, points, turn, _over(curves), equal=True, size=4))
    line = unspool.PrincipalCurve(span=1.0).fit(disc)
    ring = unspool.PrincipalCurve(closed=True).fit(disc)
    title = (
        f"two answers: D\u00b2 {line.distances_.means[-1]:.2f} and {ring.distances_.means[-1]:.2f}"
    )
    grey = np.zeros(len(disc))
    return [*panels, Panel(title, disc, grey, _over([line, ring]), equal=True, size=3)]


def _over(curves: list[Any]) -> Callable[[Any], None]:
    def draw(axes: Any) -> None:
        for model, color in zip(curves, ("crimson", "darkorange"), strict=False):
            axes.plot(*model.vertices_.T, color=color, lw=1.5)

    return draw


@_recipe("principal-surface-fails")
def principal_surface_fails() -> Panels:
    roll = datasets.swiss_roll(1000)
    unrolled = unspool.Isomap(2).fit_transform(roll.points)
    from_plane = unspool.PrincipalSurface(2).fit(roll.points)
    from_map = unspool.PrincipalSurface(2, start=unrolled, span=0.05).fit(roll.points)
    return [
        _data(roll),
        Panel("from the plane: cuts across the turns", from_plane.embedding_, roll.color),
        Panel("from an Isomap", from_map.embedding_, roll.color),
    ]


@_recipe("autoassociative-network-fails")
def autoassociative_network_fails() -> Panels:
    turn = np.linspace(0.0, 2 * np.pi, 400, endpoint=False)
    eight = np.column_stack([np.sin(turn), np.sin(2 * turn) / 2])
    model = unspool.AutoassociativeNetwork(1).fit(eight)
    missed = np.linalg.norm(model.inverse_transform(model.embedding_) - eight, axis=1)

    def codes(axes: Any) -> None:
        axes.scatter(turn, model.embedding_[:, 0], c=missed, s=4, cmap="inferno")
        axes.set_xlabel("along the eight", fontsize=8)
        axes.set_title("its code, torn at the crossing", fontsize=9)
        axes.tick_params(labelsize=7)

    lemniscate = model.inverse_transform(np.linspace(*_ends(model.embedding_), 400)[:, None])

    def curve(axes: Any) -> None:
        axes.plot(*lemniscate.T, color="crimson", lw=1)

    panel = Panel("an eight, and the curve one unit makes", eight, turn, curve, equal=True)
    return [panel, codes, _ambiguity()]


def _ends(codes: Any) -> tuple[float, float]:
    return float(codes.min()), float(codes.max())


def _ambiguity() -> Panel:
    turn = np.linspace(0.25 * np.pi, 1.75 * np.pi, 300)
    arc = np.column_stack([np.cos(turn), np.sin(turn)])
    model = unspool.AutoassociativeNetwork(1).fit(arc)
    grid = np.stack(np.meshgrid(np.linspace(-1.3, 1.3, 60), np.linspace(-1.3, 1.3, 60)), axis=-1)
    cells = grid.reshape(-1, 2)

    def over(axes: Any) -> None:
        axes.plot(*arc.T, color="crimson", lw=1.5)

    codes = np.clip(model.transform(cells)[:, 0], *_ends(model.embedding_))
    return Panel("codes of the plane around an arc", cells, codes, over, equal=True, size=5)
