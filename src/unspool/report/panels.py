"""The pictures of a report, each with the sentence that tells it to those who cannot see it."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import plot
from ..dimension import Dimension
from ..evaluate import Comparison

DPI = 144  # sharp on a screen of double density at the size it is shown, and on paper
COLORS = 128  # of the palette: a third of the bytes of a full picture, and no eye sees it


@dataclass(frozen=True, slots=True)
class Picture:
    """An image as text, for a light and a dark page, what it shows in a sentence, its caption."""

    source: str
    dark: str
    alt: str
    title: str
    caption: str = ""


def picture(figure: Any, title: str, alt: str, caption: str = "") -> Picture:
    """Return a figure as a picture that needs no other file."""
    light = _as_text(figure)
    return Picture(light, _as_text(plot.darken(figure)), alt, title, caption)


def _as_text(figure: Any) -> str:
    from PIL import Image

    drawn, small = io.BytesIO(), io.BytesIO()
    figure.savefig(drawn, format="png", dpi=DPI, facecolor=figure.get_facecolor())
    Image.open(drawn).convert("RGB").quantize(COLORS).save(small, format="png", optimize=True)
    return f"data:image/png;base64,{base64.b64encode(small.getvalue()).decode('ascii')}"


def map_pictures(
    comparison: Comparison, color: Any, label: str, images: Any = None
) -> list[Picture]:
    """Return one picture per map, all laid on each other and painted alike."""
    answer = []
    for name, places in comparison.aligned.items():
        scores = comparison.scores[name]
        told = _told(scores)
        alt = f"Map of {len(places)} points by {name}, coloured by {label}; {told}"
        if images is not None and places.shape[1] == 2:
            figure = plot.thumbnails(places, images, color, show_key=False)
        else:
            figure = plot.embedding(places, color, dimensions=solid(places), show_key=False)
        answer.append(picture(figure, name, alt, told))
    truth = comparison.yardstick.truth
    if truth is not None and truth.shape[1] <= 2:
        figure = plot.embedding(truth, color, show_key=False)
        alt = f"The true coordinates of the {len(truth)} points, coloured by {label}"
        answer.insert(0, picture(figure, "Truth", alt, "the coordinates the data were made from"))
    return answer


def solid(places: Any) -> int:
    """Return in how many dimensions a map is drawn: three coordinates are all shown."""
    return 3 if places.shape[1] == 3 else 2


def trust_limits(comparison: Comparison) -> tuple[float, float]:
    """Return the ends of the scale of trust, one for all maps: the same colour, the same trust."""
    scored = (s["trustworthiness"] for s in comparison.scores.values() if "trustworthiness" in s)
    low = min((float(np.quantile(s.per_point, 0.02)) for s in scored), default=0.0)
    return min(low, 0.9), 1.0


def trust_key(comparison: Comparison) -> plot.Key | None:
    """Return the scale of the pictures of trust."""
    limits = trust_limits(comparison)
    return plot.key(np.array(limits), limits=limits, colormap=plot.TRUST)


def trust_pictures(comparison: Comparison) -> list[Picture]:
    """Return one picture per map, painted by the trustworthiness of each point."""
    scored = {
        name: scores["trustworthiness"]
        for name, scores in comparison.scores.items()
        if "trustworthiness" in scores
    }
    limits = trust_limits(comparison)
    answer = []
    for name, score in scored.items():
        places = comparison.aligned[name]
        worst = float(np.quantile(score.per_point, 0.05))
        told = f"95 % of the points have more than {worst:.2f}"
        alt = f"Map by {name} coloured by trustworthiness: mean {score.value:.3f}, {told}"
        figure = plot.trust(places, score, limits=limits, show_key=False)
        answer.append(picture(figure, name, alt, told))
    return answer


def shepard_pictures(comparison: Comparison) -> list[Picture]:
    """Return the Shepard diagram of each map."""
    answer = []
    for name, pairs in comparison.shepard.items():
        told = f"rank correlation {pairs.value:.3f}"
        alt = f"Shepard diagram of {name}: distances on the map over distances in the data, {told}"
        answer.append(picture(plot.shepard(pairs), name, alt, told))
    return answer


def elbow_pictures(comparison: Comparison) -> list[Picture]:
    """Return what 1, 2, ... coordinates leave unexplained of straight distances and geodesics."""
    answer = []
    for elbow in comparison.elbows:
        values = ", ".join(f"{value:.3f}" for value in elbow.curve.values)
        count = len(elbow.curve.values)
        alt = f"Residual variance of {elbow.explains} with 1 to {count} coordinates: {values}"
        figure = plot.elbow(elbow.curve)
        answer.append(picture(figure, elbow.method, alt, f"of {elbow.explains}"))
    return answer


def dimension_picture(found: Dimension) -> Picture:
    """Return the estimates of dimension with their errors."""
    figure = plot.estimates(
        [estimate.method for estimate in found.estimates],
        [estimate.value for estimate in found.estimates],
        [2 * estimate.standard_error for estimate in found.estimates],
    )
    low, high = found.spread
    alt = f"Estimates of the intrinsic dimension, from {low:.1f} to {high:.1f}"
    return picture(figure, "Intrinsic dimension", alt, "bars are two standard errors to both sides")


def _told(scores: Any) -> str:
    if "trustworthiness" in scores:
        return f"trustworthiness {scores['trustworthiness'].value:.3f}"
    return f"neighbours kept {scores['neighbours kept'].value:.3f}"
