"""The lecture slides: maps of cities, whiskies, faces and digits; what tells the methods apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import datasets, distances, plot, quality
from ..methods import LLE, MDS, PCA, ClassicalMDS, Isomap
from .checks import Outcome, follows, measured, mostly, outcome, worst_fit
from .pages import canvas, named, panels
from .runner import Table, item, shifted


def _flat_map(latitude: Any, longitude: Any) -> Any:
    """Return places on a flat map: degrees, with longitudes as wide as they are at mid-latitude."""
    return np.column_stack([longitude * np.cos(np.radians(latitude.mean())), latitude])


@item(
    "S1.map-from-driving-distances",
    "A map of the United States from driving distances",
    "Example: Creating a map",
    needs=["us_driving_miles_128"],
)
def map_from_driving_distances(roads: Table) -> Outcome:
    """128 cities known only by the length of the roads between them: scaling returns the map."""
    lengths = roads["d"].astype(float)
    truth = _flat_map(roads["lat"], roads["lon"])
    classical = ClassicalMDS(2, metric="precomputed").fit(lengths)
    stress = MDS(2, metric="precomputed", random_state=shifted(0)).fit(lengths)
    laid = quality.align(stress.embedding_, truth)
    miss = np.linalg.norm(laid.aligned - truth, axis=1) * 69  # miles in a degree of latitude
    return outcome(
        measured(
            "left over, classical scaling",
            "the map",
            quality.disparity(classical.embedding_, truth),
            at_most=0.02,
        ),
        measured("left over, stress", "the map", laid.disparity, at_most=0.01),
        measured(
            "miles by which a city is off, median",
            "a map of 2,900 miles",
            float(np.median(miss)),
            at_most=120.0,
        ),
        measured(
            "share of negative eigenvalues",
            "roads are not straight lines",
            classical.negative_mass(),
            at_least=0.01,
        ),
        draw=lambda: _cities(laid.aligned, truth, roads["names"]),
    )


def _cities(found: Any, truth: Any, names: Any) -> Any:
    figure, (axes,) = canvas(size=7.0)
    axes.plot(*np.stack([found, truth], axis=1).transpose(2, 1, 0), color="0.8", lw=0.6)
    named(axes, found, [name.partition(",")[0] for name in names], "from driving distances")
    return figure


@item(
    "S1.ten-cities",
    "Ten cities from straight distances",
    "Example: Creating a map",
    needs=["distances_small"],
)
def ten_cities(small: Table) -> Outcome:
    """Flight distances are nearly Euclidean: two coordinates explain them, and east is opposite
    to west."""
    lengths = small["uscities"].astype(float)
    model = ClassicalMDS(2, metric="precomputed").fit(lengths)
    on_map = distances.pairwise_distances(model.embedding_, model.embedding_)
    pairs = np.triu_indices(10, 1)
    names = list(small["uscities_names"])
    place = dict(zip(names, model.embedding_, strict=True))
    west, east = place["Seattle"] - place["Denver"], place["NewYork"] - place["Denver"]
    return outcome(
        measured(
            "relative error of a distance, largest",
            "nearly exact",
            float(np.abs(on_map[pairs] / lengths[pairs] - 1).max()),
            at_most=0.06,
        ),
        measured(
            "cosine between the ways from Denver to Seattle and to New York",
            "opposite",
            float(west @ east / np.linalg.norm(west) / np.linalg.norm(east)),
            at_most=-0.5,
        ),
    )


@item(
    "S1.marketing-map",
    "Breakfast items by preference",
    "Example: Marketing",
    needs=["breakfast_preferences"],
)
def marketing_map(breakfast: Table) -> Outcome:
    """15 items ranked by 42 people; items that the same people like lie together: sweet pastry on
    one side, toast and rolls on the other."""
    names = list(breakfast)
    ranks = np.column_stack(list(breakfast.values()))
    lengths = distances.pairwise_distances(ranks.T, ranks.T)
    model = MDS(2, metric="precomputed", ordinal=True, random_state=shifted(0)).fit(lengths)
    sweet = [names.index(n) for n in ("jdonut", "gdonut", "cinbun", "danpastry", "cofcake")]
    plain = [names.index(n) for n in ("toast", "butoast", "hrolls", "toastmarg", "cornmuff")]
    places = model.embedding_
    apart = np.linalg.norm(places[sweet].mean(axis=0) - places[plain].mean(axis=0))
    within = np.sqrt((places[sweet].var(axis=0).sum() + places[plain].var(axis=0).sum()) / 2)
    return outcome(
        measured(
            "stress-1 of the nonmetric map",
            "a fair map in two dimensions",
            model.normalized_stress_,
            at_most=0.15,
        ),
        measured(
            "sweet and plain items apart, in their spread",
            "perceived groups",
            float(apart / within),
            at_least=2.0,
        ),
        draw=lambda: _names(places, names, "breakfast"),
    )


def _names(places: Any, names: Any, title: str) -> Any:
    figure, (axes,) = canvas(size=5.0)
    named(axes, places, names, title)
    return figure


@item("S1.whisky-map", "Scotch whiskies by taste", "Example: Whisky", needs=["whisky"])
def whisky_map(whisky: Table) -> Outcome:
    """86 distilleries by twelve scores: the smoky, medicinal ones of Islay lie at one end."""
    tastes = [name for name in whisky if isinstance(whisky[name][0], np.floating)]
    scores = [name for name in tastes if name not in ("RowID", "Latitude", "Longitude")]
    points = np.column_stack([whisky[name] for name in scores])
    model = MDS(2, ordinal=True, random_state=shifted(0)).fit(points)
    places = model.embedding_
    peat = np.isin(whisky["Distillery"], ["Ardbeg", "Lagavulin", "Laphroig", "Caol Ila"])
    away = places[peat].mean(axis=0) - places[~peat].mean(axis=0)
    return outcome(
        measured("scores", "twelve", len(scores), at_least=12, at_most=12),
        measured("stress-1", "a map in two dimensions", model.normalized_stress_, at_most=0.25),
        measured(
            "R^2 of smoky and medicinal on the map, smaller",
            "the taste is on the map",
            float(
                quality.explained_by(
                    places, points[:, [scores.index("Smoky"), scores.index("Medicinal")]]
                ).min()
            ),
            at_least=0.5,
        ),
        measured(
            "distance of the peated four from the rest, in deviations",
            "at one end",
            float(np.linalg.norm(away) / places.std()),
            at_least=2.0,
        ),
        draw=lambda: _names(places, whisky["Distillery"], "whisky"),
    )


@item(
    "S1.swiss-roll", "A nonlinear structure that PCA cannot follow", "Nonlinear embeddings; Isomap"
)
def swiss_roll() -> Outcome:
    """Isomap replaces straight distances by shortest paths and finds the sheet, whether neighbours
    are counted or within a radius: ten rolls."""
    samples = [datasets.swiss_roll(1000, seed=shifted(seed)) for seed in range(10)]
    sample = samples[0]
    methods = {
        "k nearest neighbours": Isomap(2, n_neighbors=10),
        "all within a radius": Isomap(2, radius=2.5),
        "PCA": PCA(2),
    }
    maps = {
        name: [method.fit_transform(one.points) for one in samples]
        for name, method in methods.items()
    }
    worst = {
        name: [worst_fit(y, one.coordinates) for y, one in zip(found, samples, strict=True)]
        for name, found in maps.items()
    }
    complete = Isomap(2, n_neighbors=199).fit(sample.points[:200])
    scaled = ClassicalMDS(2).fit(sample.points[:200])
    return outcome(
        [
            mostly(f"worst R^2, {name}", "unrolled", worst[name], at_least=0.9, share=0.8)
            for name in ("k nearest neighbours", "all within a radius")
        ],
        mostly(
            "worst R^2, PCA", "difficult to capture via linear methods", worst["PCA"], at_most=0.1
        ),
        measured(
            "Isomap on the complete graph against MDS",
            "an extension of MDS",
            quality.disparity(complete.embedding_, scaled.embedding_),
            at_most=1e-12,
        ),
        draw=lambda: panels(
            {"PCA": maps["PCA"][0], "Isomap": maps["k nearest neighbours"][0]}, sample.color
        ),
    )


@item(
    "S1.faces-by-isomap",
    "Facial pose and light",
    "Isomap, example: facial pose",
    needs=["isomap_faces_32x32"],
)
def faces_by_isomap(faces: Table) -> Outcome:
    """698 images of a head with two pose angles and a light: three coordinates that are these."""
    images = faces["x"].astype(float)
    model = Isomap(3, n_neighbors=6).fit(images)
    found = quality.explained_by(model.embedding_, faces["pose_light"])
    linear = quality.explained_by(PCA(3).fit(images).embedding_, faces["pose_light"])
    light, turn, nod = (float(value) for value in found)
    return outcome(
        follows("images", "698", len(images)),
        measured("R^2 of the left-right pose", "a coordinate of the map", turn, at_least=0.95),
        measured("R^2 of the up-down pose", "a coordinate of the map", nod, at_least=0.75),
        measured("R^2 of the light", "a coordinate of the map", light, at_least=0.8),
        measured(
            "R^2 of the up-down pose, PCA", "linear methods miss it", float(linear[2]), at_most=0.4
        ),
        draw=lambda: _images(model.embedding_[:, :2], images.reshape(-1, 32, 32), "pose by Isomap"),
    )


def _images(places: Any, images: Any, title: str) -> Any:
    return plot.thumbnails(places, images, title=title)


@item(
    "S1.digits-by-isomap",
    "Handwritten twos",
    "Isomap, example: handwritten digits",
    needs=["mnist"],
    slow=True,
)
def digits_by_isomap(mnist: Table) -> Outcome:
    """1,000 twos: the map is ordered by the top arch and the bottom loop, which are measured here
    as shares of ink, and by slant."""
    twos = mnist["x_train"][mnist["y_train"] == 2][:1000].reshape(-1, 28, 28) / 255.0
    points = twos.reshape(1000, -1)
    model = Isomap(2, n_neighbors=6).fit(points)
    ink = twos.sum(axis=(1, 2))
    arch = twos[:, :10].sum(axis=(1, 2)) / ink
    loop = twos[:, 16:, :12].sum(axis=(1, 2)) / ink
    shapes = np.column_stack([arch, loop, _slant(twos)])
    found = quality.explained_by(model.embedding_, shapes)
    linear = PCA(2).fit(points)
    return outcome(
        measured("R^2 of the ink in the top arch", "top arch", float(found[0]), at_least=0.4),
        measured("R^2 of the ink in the bottom loop", "bottom loop", float(found[1]), at_least=0.4),
        measured("R^2 of the slant", "orders the images", float(found[2]), at_least=0.45),
        measured(
            "trustworthiness less that of PCA",
            "a nonlinear structure",
            quality.trustworthiness(points, model.embedding_).value
            - quality.trustworthiness(points, linear.embedding_).value,
            at_least=0.005,
        ),
        draw=lambda: _images(model.embedding_, 1 - twos, "twos by Isomap"),
    )


def _slant(images: Any) -> Any:
    """Return how far the ink moves sideways for each row down."""
    rows, columns = np.mgrid[: images.shape[1], : images.shape[2]]
    ink = images.sum(axis=(1, 2))
    down = rows - ((images * rows).sum(axis=(1, 2)) / ink)[:, None, None]
    across = columns - ((images * columns).sum(axis=(1, 2)) / ink)[:, None, None]
    return (images * down * across).sum(axis=(1, 2)) / (images * down**2).sum(axis=(1, 2))


@item(
    "S1.faces-by-lle", "Facial expression", "LLE, example: facial expression", needs=["frey_faces"]
)
def faces_by_lle(frey: Table) -> Outcome:
    """1,965 frames of a video: frames that follow each other lie together, although the map was
    not told their order, and neighbourhoods are kept better than by PCA."""
    images = frey["x"].astype(float)
    places = LLE(2, n_neighbors=12).fit_transform(images)
    linear = PCA(2).fit_transform(images)
    random = np.random.default_rng(shifted(0)).permutation(len(images))
    return outcome(
        measured(
            "step between frames over that between random ones",
            "a path of expressions",
            _step(places) / _step(places[random]),
            at_most=0.2,
        ),
        measured(
            "trustworthiness less that of PCA",
            "preserves local geometry",
            quality.trustworthiness(images, places, 12).value
            - quality.trustworthiness(images, linear, 12).value,
            at_least=0.02,
        ),
        draw=lambda: _images(places, images.reshape(-1, 28, 20), "expression by LLE"),
    )


def _step(places: Any) -> float:
    return float(np.linalg.norm(np.diff(places, axis=0), axis=1).mean())


@item("S1.lle-as-an-eigenproblem", "LLE in matrix form, and its new points", "Another take on LLE")
def lle_as_an_eigenproblem() -> Outcome:
    """With rows of weights that sum to one the cost is |Z - Z W'|, the trace of Z M Z'. A new point
    is combined by its own weights."""
    sample = datasets.s_curve(300, seed=shifted(12))
    model = LLE(2, n_neighbors=10).fit(sample.points)
    z = model.embedding_.T
    w = np.eye(300) - model.matrix_.toarray()
    m = (np.eye(300) - w).T @ (np.eye(300) - w)
    cost = np.trace(z @ m @ z.T)
    new = datasets.s_curve(50, seed=shifted(13))
    both = quality.align(sample.coordinates, model.embedding_)
    gap = np.linalg.norm(model.transform(new.points) - both.apply(new.coordinates), axis=1)
    own = np.linalg.norm(model.embedding_ - both.aligned, axis=1)
    return outcome(
        measured(
            "rows of W sum to one, gap",
            "sum over j of w_ij = 1",
            float(np.abs(w.sum(axis=1) - 1).max()),
            at_most=1e-10,
        ),
        measured(
            "|Z - Z W'|^2 over tr(Z M Z'), less one",
            "0: the cost with W transposed",
            abs(np.square(z - z @ w.T).sum() / cost - 1),
            at_most=1e-6,
        ),
        measured(
            "|Z - Z W|^2 over tr(Z M Z')",
            "1",
            float(np.square(z - z @ w).sum() / cost),
            at_least=10.0,
            erratum="S1-lle-transposed",
            claimed=1.0,
        ),
        measured(
            "distance of new points from the truth over that of fitted ones, median",
            "out-of-sample extension",
            float(np.median(gap) / np.median(own)),
            at_most=1.5,
        ),
    )


@item(
    "S1.global-and-local",
    "Isomap keeps global distances, LLE local ones",
    "Kernel PCA, Isomap, and LLE",
)
def global_and_local() -> Outcome:
    """On the same roll: Isomap's long distances are right and LLE's are not, so that points far
    away can be mapped close; within neighbourhoods both keep who is near."""
    sample = datasets.swiss_roll(1000, seed=shifted(14))
    isomap = Isomap(2, n_neighbors=10).fit_transform(sample.points)
    lle = LLE(2, n_neighbors=10).fit_transform(sample.points)
    true = distances.pairwise_distances(sample.coordinates, sample.coordinates)
    kept = {
        name: quality.shepard(true, places, metric="precomputed").value
        for name, places in (("Isomap", isomap), ("LLE", lle))
    }
    return outcome(
        measured(
            "rank correlation of all distances, Isomap",
            "global distance preservation",
            kept["Isomap"],
            at_least=0.99,
        ),
        measured(
            "the same, LLE less Isomap",
            "can distort global geometry",
            kept["LLE"] - kept["Isomap"],
            at_most=-0.02,
        ),
        measured(
            "intruders among neighbours (1 - trustworthiness), LLE over Isomap",
            "far away points can get mapped close",
            _intruders(sample.coordinates, lle) / _intruders(sample.coordinates, isomap),
            at_least=3.0,
        ),
        draw=lambda: panels({"Isomap": isomap, "LLE": lle}, sample.color),
    )


def _intruders(truth: Any, places: Any) -> float:
    return 1.0 - quality.trustworthiness(truth, places).value
