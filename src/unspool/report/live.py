"""The map of a report that answers: hover, colours, neighbours on a click, where scripts run."""

from __future__ import annotations

from dataclasses import dataclass

from ..evaluate import Comparison
from ..explorer.columns import Data
from ..explorer.export import embedded, file_policy
from ..explorer.pages import page_style, start_script
from ..explorer.session import Session, taken_maps
from ..explorer.start import data_of_array

MOST = 20_000  # points up to which the neighbours of all of them are found in seconds


@dataclass(frozen=True, slots=True)
class LiveMap:
    """What a report holds for it: the answers, the script, its style, and what the page may do."""

    answers: str
    script: str
    style: str
    policy: str


def live_map(comparison: Comparison, data: Data | None = None) -> LiveMap | None:
    """Return the maps of a comparison as they answer in a report; None for too many points.

    ``data`` are the table that was mapped, with its other columns; without it, points have the
    values that were mapped, and the colour.
    """
    if comparison.n_points > MOST or not comparison.embeddings:
        return None
    yardstick = comparison.yardstick
    if data is None:
        given = yardstick.data
        data = data_of_array(
            given, metric=yardstick.metric, color=comparison.color, truth=yardstick.truth
        )
    session = Session(data)
    for fitted in taken_maps(comparison, data):
        session.add(fitted)
    script = start_script()
    return LiveMap(embedded(session, brief=True), script, page_style(), file_policy(script))
