"""The pictures of a report, each with the sentence that tells it to those who cannot see it."""

from __future__ import annotations

import base64
import io
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import plot, quality
from ..dimension import Dimension
from ..distances import pairwise_distances
from ..evaluate import Comparison
from ..methods import PCA, LandmarkIsomap
from ..values import Array

DPI = 144  # sharp on a screen of double density at the size it is shown, and on paper
COLORS = 128  # of the palette: a third of the bytes of a full picture, and no eye sees it
MOST_COORDINATES = 10  # of an elbow
FEW = 400  # points whose pairs a Shepard diagram shows


@dataclass(frozen=True, slots=True)
class Picture:
    """An image as text, what it shows in one sentence, and its caption."""

    source: str
    alt: str
    title: str
    caption: str = ""


def picture(figure: Any, title: str, alt: str, caption: str = "") -> Picture:
    """Return a figure as a picture that needs no other file."""
    from PIL import Image

    drawn, small = io.BytesIO(), io.BytesIO()
    figure.savefig(drawn, format="png", dpi=DPI)
    Image.open(drawn).convert("RGB").quantize(COLORS).save(small, format="png", optimize=True)
    text = base64.b64encode(small.getvalue()).decode("ascii")
    return Picture(f"data:image/png;base64,{text}", alt, title, caption)


def map_pictures(comparison: Comparison, color: Any, label: str) -> list[Picture]:
    """Return one picture a map, all laid on each other and painted alike."""
    answer = []
    for name, places in comparison.aligned.items():
        scores = comparison.scores[name]
        told = _told(scores)
        alt = f"Map of {len(places)} points by {name}, coloured by {label}; {told}"
        figure = plot.embedding(places, color, label=label)
        answer.append(picture(figure, name, alt, told))
    truth = comparison.yardstick.truth
    if truth is not None and truth.shape[1] <= 2:
        figure = plot.embedding(truth, color, label=label)
        alt = f"The true coordinates of the {len(truth)} points, coloured by {label}"
        answer.insert(0, picture(figure, "Truth", alt, "the coordinates the data were made from"))
    return answer


def trust_pictures(comparison: Comparison) -> list[Picture]:
    """Return one picture a map, painted by the trustworthiness of each point."""
    scored = {
        name: scores["trustworthiness"]
        for name, scores in comparison.scores.items()
        if "trustworthiness" in scores
    }
    # one scale for all maps: the same colour means the same trust
    low = min((float(np.quantile(s.per_point, 0.02)) for s in scored.values()), default=0.0)
    limits = min(low, 0.9), 1.0
    answer = []
    for name, score in scored.items():
        places = comparison.aligned[name]
        worst = float(np.quantile(score.per_point, 0.05))
        told = f"95 % of the points have more than {worst:.2f}"
        alt = f"Map by {name} coloured by trustworthiness: mean {score.value:.3f}, {told}"
        answer.append(picture(plot.trust(places, score, limits=limits), name, alt, told))
    return answer


def shepard_pictures(comparison: Comparison) -> list[Picture]:
    """Return the Shepard diagram of each map."""
    yardstick = comparison.yardstick
    if hasattr(yardstick.data, "tocsr"):
        return []
    answer = []
    for name, places in comparison.embeddings.items():
        pairs = quality.shepard(
            yardstick.data,
            places,
            metric=yardstick.metric,
            sample=min(FEW, len(places)),
            seed=yardstick.seed,
        )
        told = f"rank correlation {pairs.value:.3f}"
        alt = f"Shepard diagram of {name}: distances on the map over distances in the data, {told}"
        answer.append(picture(plot.shepard(pairs), name, alt, told))
    return answer


def elbow_pictures(comparison: Comparison) -> list[Picture]:
    """Return what 1, 2, ... coordinates leave unexplained of straight distances and geodesics."""
    answer = []
    for name, what, curve in _curves(comparison):
        values = ", ".join(f"{value:.3f}" for value in curve)
        alt = f"Residual variance of {what} with 1 to {len(curve)} coordinates: {values}"
        figure = plot.elbow(curve)
        answer.append(picture(figure, name, alt, f"of {what}"))
    return answer


def _curves(comparison: Comparison) -> list[tuple[str, str, Array]]:
    yardstick = comparison.yardstick
    data, metric, geodesics = yardstick.data, yardstick.metric, yardstick.geodesics
    if geodesics is None:
        return []
    guides = geodesics.guides
    most = min(MOST_COORDINATES, len(guides) - 1)
    answer = []
    if metric != "precomputed":
        width = min(most, data.shape[1], len(data) - 1)
        straight = pairwise_distances(data, data[guides], metric)
        places = PCA(width).fit(data).embedding_
        curve = quality.residual_variance(straight, places, guides)
        answer.append(("PCA", "straight distances", np.asarray(curve.values)))
    model = LandmarkIsomap(
        most,
        landmarks=guides,
        metric=metric,
        n_neighbors=comparison.settings.n_neighbors,
        random_state=comparison.settings.seed,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # pieces, and coordinates without content
        places = model.fit(data).embedding_
    curve = quality.residual_variance(geodesics.lengths, places, guides)
    answer.append(("Isomap", "distances along the manifold", np.asarray(curve.values)))
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
