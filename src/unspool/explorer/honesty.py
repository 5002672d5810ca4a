"""What is true of a place on the map: its neighbours, the path to another, stretches, distances.

And of places that are no point's: the way back from the map, and new points on it, both with how
far the data are; what is farther from all data than nearly any point is from its nearest neighbour
is called far. Everything is asked of the stages that fits and diagnoses use, and told in words.
"""

from __future__ import annotations

import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import paths
from ..io import apply_recipe, read_table
from ..quality import Distortion
from ..values import Array, NeighborGraph
from .columns import histogram, plain_value
from .questions import NotPossible
from .session import NEAR, PICTURED, Session, View

MOST_NEIGHBORS = 200
DOUBTED = 200_000  # points up to which doubtful edges are looked for
EDGES = 500_000  # edges that the page is given
MOST_PLACES = 64  # that the way back is asked for at once
FAR = 0.99  # of the points are nearer than this to their nearest neighbour
BEYOND = 2.0  # times that distance is far


def known_distortion(view: View) -> Distortion | None:
    """Return how the map stretches neighbourhoods, where there are points."""
    return None if sp.issparse(view.data.points) else view.measured("distortion")


def neighbors(session: Session, view: View, point: int, k: int) -> dict[str, Any]:
    """Return who is truly near a point, who is on the map, and who is lost or false."""
    n = session.data.n_points
    k = min(k, n - 1, MOST_NEIGHBORS)
    true, distances = _true_neighbors(session, point, k)
    found = view.index.nearest(view.places[[point]].astype(np.float64), k + 1)
    mapped, lengths = _others(found, point, k)
    kept = true[np.isin(true, mapped)]
    lost, false = true[~np.isin(true, mapped)], mapped[~np.isin(mapped, true)]
    return {
        "point": point,
        "k": k,
        "neighbors": true.tolist(),
        "distances": distances.tolist(),
        "map_neighbors": mapped.tolist(),
        "map_distances": lengths.tolist(),
        "kept": kept.tolist(),
        "lost": lost.tolist(),
        "false": false.tolist(),
        "words": tell_neighbors(len(kept), len(lost), len(false), len(true)),
    }


def tell_neighbors(kept: int, lost: int, false: int, k: int) -> str:
    """Say what became of a point's neighbours."""
    return (
        f"{kept} of the {k} true neighbours are near on the map; {lost} lost, {false} of the "
        "nearest on the map are false"
    )


def _true_neighbors(session: Session, point: int, k: int) -> tuple[Array, Array]:
    """Return the nearest points of one in the data; of a sparse graph, those it is joined to."""
    rows = session.data.points
    if sp.issparse(rows) and not session.data.is_points:
        return _others(session.index.within(rows[[point]], np.inf), point, k)
    return _others(session.near(rows[[point]], k + 1), point, k)


def _others(found: NeighborGraph, point: int, k: int) -> tuple[Array, Array]:
    """Return the neighbours that were found but for the point itself, known by its index."""
    others = found.neighbors != point
    return found.neighbors[others][:k], found.distances[others][:k]


def neighbor_table(session: Session, view: View, k: int) -> dict[str, Array]:
    """Return the true and the map's k nearest of every point."""
    from ..distances import find_neighbors

    n, k = session.data.n_points, min(k, session.data.n_points - 1)
    if sp.issparse(session.data.points) and not session.data.is_points:
        raise NotPossible("a sparse graph lists another number of neighbours for each point")
    usual = k == min(NEAR, n - 1)
    true = session.nearest if usual else find_neighbors(session.index, session.data.points, k)
    mapped = find_neighbors(view.index, view.places.astype(np.float64), k)
    return {
        "neighbors": true.neighbors.reshape(n, k).astype(np.uint32),
        "distances": true.distances.reshape(n, k).astype(np.float32),
        "map_neighbors": mapped.neighbors.reshape(n, k).astype(np.uint32),
    }


def path(session: Session, view: View, first: int, last: int) -> dict[str, Any]:
    """Return the geodesic between two points, how long it is, and which edges are in doubt."""
    way = paths.shortest_path(view.walked, first, last)
    places = view.places[[first, last]].astype(np.float64)
    straight = _straight(session, first, last)
    answer: dict[str, Any] = {
        "points": way.tolist(),
        "connected": len(way) > 0,
        "straight": straight,
        "map_distance": float(np.linalg.norm(places[1] - places[0])),
    }
    if not len(way):
        told = "no path: the points lie in different connected components of the graph"
        return {
            **answer,
            "lengths": [],
            "length": None,
            "map_length": None,
            "doubtful": [],
            "words": told,
        }
    lengths = _edge_lengths(view, way)
    drawn = np.linalg.norm(np.diff(view.places[way].astype(np.float64), axis=0), axis=1)
    bridges = _bridges_on(view, way)
    doubtful = sorted({*_doubted_on(view, way), *bridges})
    length = float(lengths.sum())
    told = _tell_length(length, straight, len(lengths)) + _tell_doubts(view, doubtful, bridges)
    return {
        **answer,
        "lengths": lengths.tolist(),
        "length": length,
        "map_length": float(drawn.sum()),
        "doubtful": doubtful,
        "words": f"{told}; on the map the ends are {answer['map_distance']:.4g} apart",
    }


def _tell_length(length: float, straight: float | None, edges: int) -> str:
    """Say how long a path is, against the straight way."""
    direct = f", {length / straight:.2f} times the straight way" if straight else ""
    return f"geodesic of {edges} edges, length {length:.4g}{direct}"


def _tell_doubts(view: View, doubtful: list[int], bridges: list[int]) -> str:
    """Say which edges of a path may not be there."""
    doubts = f"; {len(doubtful)} doubtful" if doubtful else ""
    if bridges:
        doubts += f", {len(bridges)} of them laid between connected components of the graph"
    unseen = "" if view.data.n_points <= DOUBTED else "; doubtful edges are not looked for here"
    return doubts + unseen


def _straight(session: Session, first: int, last: int) -> float | None:
    """Return the distance of two points in the data; unknown in a sparse graph."""
    from ..distances import pairwise_distances

    data, rows = session.data, session.data.points
    if not data.is_points:
        return None if sp.issparse(rows) else float(rows[first, last])
    return float(pairwise_distances(rows[[first]], rows[[last]], data.metric)[0, 0])


def _edge_lengths(view: View, way: Array) -> Array:
    """Return the lengths of the edges of a path in the neighbour graph."""
    graph, found = view.walked, []
    for point, after in pairwise(way):
        edges = slice(graph.starts[point], graph.starts[point + 1])
        found.append(graph.distances[edges][graph.neighbors[edges] == after].min())
    return np.array(found, dtype=np.float64)


def _bridges_on(view: View, way: Array) -> list[int]:
    """Return which edges of a path the model added: neither end lists the other."""
    graph = view.joined
    if view.walked is graph:
        return []
    listed = [graph.neighbors[graph.starts[p] : graph.starts[p + 1]] for p in way[:-1]]
    return [k for k, found in enumerate(listed) if way[k + 1] not in found]


def _doubted_on(view: View, way: Array) -> list[int]:
    """Return which edges of a path the rest of the graph does not confirm."""
    if view.data.n_points > DOUBTED:
        return []
    n = view.data.n_points
    doubted = np.sort(view.measured("suspicious").edges.astype(np.int64), axis=1)
    ends = np.sort(np.column_stack([way[:-1], way[1:]]).astype(np.int64), axis=1)
    inside = np.isin(ends[:, 0] * n + ends[:, 1], doubted[:, 0] * n + doubted[:, 1])
    return [int(k) for k in np.flatnonzero(inside)]


def ellipses(session: Session, view: View) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return what the map makes of small circles around every point, as the page draws them."""
    if view.width > PICTURED:
        raise NotPossible("ellipses are drawn on maps of at most three coordinates")
    found = known_distortion(view)
    if found is None:
        raise NotPossible("stretches are known of points only, and these are distances")
    axes = view.turned(found.axes).astype(np.float32)
    radius = float(np.median(session.spacing))
    scale = 1.0 if view.alignment is None else view.alignment.scale
    facts = {
        "typical": float(found.typical) * scale,
        "scale": radius,
        "value": float(found.value),
        "meaning": "each ellipse is what the map makes of a small circle in the data; all alike "
        "where it only scales, needles where it tears or flattens",
    }
    size = np.log(np.maximum(found.areas, 1e-12)).astype(np.float32)
    return facts, {"axes": axes, "size": size}


def pairs(view: View) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return a Shepard diagram: distances in the data and on the map, pair by pair."""
    if sp.issparse(view.data.points) and not view.data.is_points:
        raise NotPossible("a sparse graph knows the distances of neighbours only")
    found = view.measured("shepard")
    scale = 1.0 if view.alignment is None else view.alignment.scale
    n = view.data.n_points
    facts = {
        "value": float(found.value),
        "words": f"rank correlation {found.value:.3f} of distances on the map and in the data",
        "n_pairs": n * (n - 1) // 2,
        "n_shown": len(found.first),
    }
    return facts, {
        "first": found.first.astype(np.uint32),
        "second": found.second.astype(np.uint32),
        "data": found.given.astype(np.float32),
        "map": (scale * found.mapped).astype(np.float32),
    }


def edges(view: View) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return the edges of the neighbour graph, and which of them are in doubt."""
    graph = view.joined
    first, second, lengths = graph.rows, graph.neighbors, graph.distances
    once = first < second
    first, second, lengths = first[once], second[once], lengths[once]
    known = view.data.n_points <= DOUBTED
    doubted = _is_doubted(view, first, second) if known else np.zeros(len(first), dtype=bool)
    total, n_doubtful = len(first), int(doubted.sum())
    if total > EDGES:  # all that are in doubt, and some of the others
        shown = np.random.default_rng(0).permutation(total)[:EDGES]
        shown = np.union1d(shown, np.flatnonzero(doubted))
        first, second, lengths, doubted = (
            first[shown],
            second[shown],
            lengths[shown],
            doubted[shown],
        )
    drawn = np.linalg.norm(view.places[first] - view.places[second], axis=1)
    unseen = f"{total:,} edges; doubtful ones are looked for up to {DOUBTED:,} points"
    told = f"{n_doubtful:,} of {total:,} edges are in doubt" if known else unseen
    facts = {
        "n_edges": total,
        "n_shown": len(first),
        "n_doubtful": n_doubtful if known else None,
        "histogram": histogram(lengths),
        "words": told,
    }
    return facts, {
        "first": first.astype(np.uint32),
        "second": second.astype(np.uint32),
        "data": lengths.astype(np.float32),
        "map": drawn.astype(np.float32),
        "doubtful": doubted.astype(np.uint8),
    }


def _is_doubted(view: View, first: Array, second: Array) -> Array:
    n = view.data.n_points
    ends = np.sort(view.measured("suspicious").edges.astype(np.int64), axis=1)
    keys = np.minimum(first, second).astype(np.int64) * n + np.maximum(first, second)
    return np.isin(keys, ends[:, 0] * n + ends[:, 1])


def inverse(session: Session, view: View, places: Array) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return the rows that places on the page stand for, and how far the nearest data are."""
    if not session.data.is_points or not hasattr(view.model, "inverse_transform"):
        raise NotPossible("there is no way back to distances: the map was not made of points")
    if view.width > PICTURED:
        raise NotPossible("the way back needs all coordinates, and this map has more than three")
    if places.ndim != 2 or places.shape[1] != view.width or not np.isfinite(places).all():
        raise ValueError(f"places need {view.width} finite coordinates each")
    if not 1 <= len(places) <= MOST_PLACES:
        raise ValueError(f"ask for 1 to {MOST_PLACES} places at once; got {len(places)}")
    rows = np.asarray(view.model.inverse_transform(view.from_page(places)), dtype=np.float64)
    near, distances, far = _nearest(session, rows)
    told = [_tell_distance(d, is_far, session) for d, is_far in zip(distances, far, strict=True)]
    facts = {
        "columns": list(session.data.recipe.columns),
        "typical": float(np.median(session.spacing)),
        "words": told,
    }
    arrays = {"rows": session.data.original(rows).astype(np.float32)}
    return facts, {**arrays, **_arrays(near, distances, far)}


def drop(
    session: Session, view: View, name: str, content: Path
) -> tuple[dict[str, Any], dict[str, Array]]:
    """Place the rows of a file on the map; those far from all data are flagged."""
    if not session.data.is_points or not hasattr(view.model, "transform"):
        raise NotPossible("new rows are placed by points only, and these are distances")
    made = apply_recipe(session.data.recipe, read_table(content))
    if not len(made.points):
        raise ValueError(f"{name} has no rows that can be placed")
    coordinates = np.asarray(view.model.transform(made.points))
    near, distances, far = _nearest(session, np.asarray(made.points, dtype=np.float64))
    n, n_far = len(made.points), int(far.sum())
    ids = _ids(made, session.data.id)
    facts = {
        "n": n,
        "n_far": n_far,
        "limit": far_limit(session),
        "words": f"{n:,} rows of {name} placed; {n_far:,} of them far from all data",
        "notes": [note.replace(str(content), name) for note in made.notes],
        "ids": ids,
    }
    shown = view.to_page(coordinates)[:, :PICTURED]
    return facts, {"places": shown, **_arrays(near, distances, far)}


def received(name: str, body: bytes, work: Any) -> Any:
    """Give ``work`` a file with these bytes, whose ending tells its kind, and remove it."""
    ending = (
        "".join(Path(name).suffixes[-2:]) if name.lower().endswith(".gz") else Path(name).suffix
    )
    with tempfile.TemporaryDirectory(prefix="unspool-") as folder:
        file = Path(folder) / f"dropped{ending.lower()[:12]}"
        file.write_bytes(body)
        try:
            return work(file)
        except (ValueError, ImportError) as error:
            raise ValueError(str(error).replace(str(file), name)) from None


def far_limit(session: Session) -> float:
    """Return the distance to the nearest data from which on a row is called far."""
    return BEYOND * float(np.quantile(session.spacing, FAR))


def _nearest(session: Session, rows: Array) -> tuple[Array, Array, Array]:
    """Return the nearest point of each row, how far it is, and whether that is far."""
    import scipy.sparse as sp

    asked: Any = sp.csr_array(rows) if sp.issparse(session.data.points) else rows
    found = session.near(asked, 1)
    return found.neighbors, found.distances, found.distances > far_limit(session)


def _arrays(near: Array, distances: Array, far: Array) -> dict[str, Array]:
    return {
        "distance": distances.astype(np.float32),
        "nearest": near.astype(np.uint32),
        "far": far.astype(np.uint8),
    }


def _tell_distance(distance: float, is_far: bool, session: Session) -> str:
    typical = float(np.median(session.spacing))
    times = f" ({distance / typical:.1f} times the typical gap)" if typical > 0 else ""
    verdict = ": far from all data, so this is a fiction" if is_far else ""
    return f"nearest data {distance:.4g} away{times}{verdict}"


def _ids(made: Any, name: str | None) -> list[str] | None:
    frame = made.table.frame
    if name is None or name not in frame.columns:
        return None
    return [str(plain_value(value)) for value in frame[name].iloc[made.rows]]
