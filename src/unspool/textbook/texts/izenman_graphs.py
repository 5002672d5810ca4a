"""Izenman 2013, sections 16.6.3-16.6.6: neighbours, shortest paths, tangent planes, and copies."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import datasets, distances, graph, paths, problem, quality
from ...methods import LLE, LTSA, HessianLLE, Isomap, LaplacianEigenmaps
from ..checks import Outcome, equal, measured, mostly, outcome
from ..comparing import gap, worst_fit
from ..draws import shifted
from ..registry import item
from ..runner import Table


@item(
    "S4.neighbours-of-lle",
    "How many neighbours: K, t and r",
    "section 16.6.4, step 1, and Figures 16.8-16.11",
    needs=["swiss_roll_isomap"],
)
def neighbours_of_lle(roll: Table) -> Outcome:
    """On the roll of the figures r = 3, and with K = 2 < r LLE finds nothing; with the K = 7 of the
    figures, more than twice r, it finds the sheet. Hessian eigenmaps refuse fewer than the
    t + t(t + 1)/2 neighbours that their quadratic needs."""
    points, flat = roll["x"][:1000], roll["t"][:1000]
    few, many = (LLE(2, n_neighbors=count).fit(points) for count in (2, 7))
    small = datasets.s_curve(100, seed=shifted(3)).points
    refused = [_refuses(HessianLLE(2, n_neighbors=count), small) for count in (3, 4, 5)]
    return outcome(
        measured(
            "worst R^2 of the flat coordinates with K = 2, the largest K below r",
            "fix K << r",
            worst_fit(few.embedding_, flat),
            at_most=0.1,
            erratum="S4-few-neighbours",
            claimed=1.0,
        ),
        measured(
            "the same with K = 7",
            "the K of the figures, with r = 3",
            worst_fit(many.embedding_, flat),
            at_least=0.9,
        ),
        measured(
            "what the weights miss with K = 7, over K = 2",
            "t + 1 neighbours span a tangent plane",
            many.reconstruction_error_ / few.reconstruction_error_,
            at_most=0.05,
        ),
        equal(
            "Hessian eigenmaps with t = 2 refuse 3, 4 and 5 neighbours",
            "five and the point itself for 1 + t + t(t + 1)/2 = 6 columns",
            refused,
            [True, True, False],
        ),
    )


def _refuses(method: Any, points: Any) -> bool:
    try:
        method.fit(points)
    except ValueError:
        return True
    return False


@item("S4.shortest-paths", "Floyd's algorithm and Dijkstra's", "section 16.6.3, step 2")
def shortest_paths() -> Outcome:
    """All pairs by Floyd's three loops, by elimination, which is Floyd's algorithm in an order that
    keeps a sparse graph sparse, and by Dijkstra's; landmarks need the rows of Dijkstra's only.
    Which of the two is faster is chosen by the graph, and told."""
    points = datasets.swiss_roll(200, seed=shifted(5)).points
    joined = graph.symmetrize(distances.neighbor_graph(points, 8))
    expected = _floyd(joined.with_weights(joined.distances).toarray())
    by_name = {
        name: paths.prepare_paths(joined, algorithm=name) for name in ("elimination", "dijkstra")
    }
    landmarks = np.arange(0, 200, 20)
    few = paths.prepare_paths(joined, algorithm="dijkstra").rows(landmarks)
    return outcome(
        [
            measured(
                f"{name} against three loops, over the longest",
                "the shortest path between every pair of vertices",
                gap(found.rows(), expected),
                at_most=1e-12,
            )
            for name, found in by_name.items()
        ],
        measured(
            "rows of ten landmarks against those of all, over the longest",
            "distances between each of the n points and the landmarks",
            gap(few, expected[landmarks]),
            at_most=1e-12,
        ),
        equal(
            "algorithms that were asked for and that ran",
            "named",
            {name: found.solver.name for name, found in by_name.items()},
            {name: name for name in by_name},
        ),
        equal(
            "algorithm of choice is one of the two",
            "chosen",
            paths.prepare_paths(joined).solver.name in by_name,
            True,
        ),
    )


def _floyd(weights: Any) -> Any:
    """Return all shortest paths of a dense table, in which 0 off the diagonal is no edge."""
    lengths = np.where(weights > 0, weights, np.inf)
    np.fill_diagonal(lengths, 0.0)
    for through in range(len(lengths)):
        lengths = np.minimum(lengths, lengths[:, through, None] + lengths[through])
    return lengths


def _tilt(n: int, seed: int) -> float:
    """Return the median angle, in degrees, of tangent planes by local PCA to those of a sphere."""
    points = np.random.default_rng(shifted(seed)).normal(size=(n, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    clouds = points[distances.neighbor_graph(points, 12).neighbors.reshape(n, 12)]
    coordinates = problem.tangent_coordinates(clouds, 2)
    centred = clouds - clouds.mean(axis=1, keepdims=True)
    planes, _ = np.linalg.qr(np.einsum("bmd,bmq->bdq", centred, coordinates))
    across = np.linalg.norm(np.einsum("bd,bdq->bq", points, planes), axis=1)
    return float(np.degrees(np.arcsin(np.median(across))))


@item("S4.tangent-space", "Tangent planes by local PCA", "section 16.6.6, step 2")
def tangent_space() -> Outcome:
    """Twelve neighbours on a sphere: the plane of their local PCA tends to the tangent plane, which
    is orthogonal to the radius, as points are added. Within a neighbourhood of a rolled sheet the
    tangent coordinates are the flat ones, up to a rotation."""
    tilts = {n: [_tilt(n, seed) for seed in range(5)] for n in (300, 2400)}
    sample = datasets.s_curve(1000, seed=shifted(6))
    members = distances.neighbor_graph(sample.points, 12).neighbors.reshape(1000, 12)
    coordinates = problem.tangent_coordinates(sample.points[members], 2)
    flat = sample.coordinates[members]
    missed = [quality.disparity(found, true) for found, true in zip(coordinates, flat, strict=True)]
    return outcome(
        mostly("degrees off, 300 points", "T_p(M)", tilts[300], at_most=5.0),
        mostly("degrees off, 2,400 points", "T_p(M)", tilts[2400], at_most=1.5),
        mostly(
            "the same over that of 300 points",
            "tends to the tangent space",
            np.divide(tilts[2400], tilts[300]).tolist(),
            at_most=0.5,
        ),
        measured(
            "left over between tangent and flat coordinates of a neighbourhood, median",
            "orthonormal coordinates on the tangent space",
            float(np.median(missed)),
            at_most=0.2,
        ),
    )


@item("S4.copies", "Points that occur twice", "section 16.6.3, step 1")
def copies() -> Outcome:
    """The nearest of a copied point is its copy, at distance zero, and never itself; the geodesics
    are those without copies, and each copy lies where the other does."""
    points = datasets.swiss_roll(300, seed=shifted(7)).points
    twice = np.repeat(points, 2, axis=0)
    near = distances.neighbor_graph(twice, 13)
    once, both = Isomap(2, n_neighbors=6).fit(points), Isomap(2, n_neighbors=13).fit(twice)
    methods = (LLE, LTSA, HessianLLE, LaplacianEigenmaps)
    maps = [method(2, n_neighbors=13).fit_transform(twice) for method in methods]
    return outcome(
        equal(
            "points among their own neighbours", "none", int((near.neighbors == near.rows).sum()), 0
        ),
        equal("edges of length zero", "one a point", int((near.distances == 0).sum()), 600),
        measured(
            "geodesics with copies against those without",
            "the same",
            gap(both.geodesics_[::2, ::2], once.geodesics_),
            at_most=1e-12,
        ),
        [
            measured(
                f"{method.__name__}: copies apart, over the extent of the map",
                "in one place",
                float(np.abs(places[::2] - places[1::2]).max() / np.ptp(places)),
                at_most=1e-6,
            )
            for method, places in zip(methods, maps, strict=True)
        ],
    )
