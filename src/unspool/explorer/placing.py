"""The way back from the map, and new points on it: both with how far the data are.

What is farther from all data than nearly any point is from its nearest neighbour is called far.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ..io import apply_recipe, read_table
from ..values import Array
from .columns import plain_value
from .honesty import NotPossible
from .session import PICTURED, Session, View

MOST_PLACES = 64  # that the way back is asked for at once
FAR = 0.99  # of the points are nearer than this to their nearest neighbour
BEYOND = 2.0  # times that distance is far


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
    told = [_tell(d, is_far, session) for d, is_far in zip(distances, far, strict=True)]
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


def _tell(distance: float, is_far: bool, session: Session) -> str:
    typical = float(np.median(session.spacing))
    times = f" ({distance / typical:.1f} times the typical gap)" if typical > 0 else ""
    verdict = ": far from all data, so this is a fiction" if is_far else ""
    return f"nearest data {distance:.4g} away{times}{verdict}"


def _ids(made: Any, name: str | None) -> list[str] | None:
    frame = made.table.frame
    if name is None or name not in frame.columns:
        return None
    return [str(plain_value(value)) for value in frame[name].iloc[made.rows]]
