"""S1: maps from tables: cities, breakfasts, whiskies, and the Swiss roll."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import datasets, distances, quality
from ...methods import MDS, PCA, ClassicalMDS, Isomap
from ..data import Table
from ..drawing import canvas, named, panels
from ..outcome import Outcome, measured, outcome
from ..registry import item


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
    stress = MDS(2, metric="precomputed").fit(lengths)
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
    model = MDS(2, metric="precomputed", ordinal=True).fit(lengths)
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
    model = MDS(2, ordinal=True).fit(points)
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
    """Isomap replaces straight distances by shortest paths and finds the sheet."""
    sample = datasets.swiss_roll(1500, ranges="isomap", seed=3)
    by_k = Isomap(2, n_neighbors=8).fit(sample.points)
    by_radius = Isomap(2, radius=3.2).fit(sample.points)
    linear = PCA(2).fit(sample.points)
    complete = Isomap(2, n_neighbors=199).fit(sample.points[:200])
    scaled = ClassicalMDS(2).fit(sample.points[:200])
    worst = {
        name: float(quality.explained_by(model.embedding_, sample.coordinates).min())
        for name, model in (("k", by_k), ("radius", by_radius), ("PCA", linear))
    }
    return outcome(
        measured("worst R^2, k nearest neighbours", "unrolled", worst["k"], at_least=0.98),
        measured("worst R^2, all within a radius", "unrolled", worst["radius"], at_least=0.95),
        measured(
            "worst R^2, PCA", "difficult to capture via linear methods", worst["PCA"], at_most=0.6
        ),
        measured(
            "Isomap on the complete graph against MDS",
            "an extension of MDS",
            quality.disparity(complete.embedding_, scaled.embedding_),
            at_most=1e-12,
        ),
        draw=lambda: panels({"PCA": linear.embedding_, "Isomap": by_k.embedding_}, sample.color),
    )
