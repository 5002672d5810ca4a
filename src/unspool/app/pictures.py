"""Pictures on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from unspool.saving import written

ENDINGS = (".png", ".svg", ".pdf")


def map_of(model: Any, coordinates: Any, color: Any, label: str) -> Any:
    """Return the picture of a map: one panel, or every coordinate against every other."""
    from unspool import plot

    if coordinates.shape[1] > 2:
        return plot.scatter_matrix(coordinates, color, label=label)
    return plot.embedding(coordinates, color, label=label, title=type(model).__name__)


def write_picture(path: str, figure: Any) -> None:
    """Write a figure in the format that the ending of ``path`` names."""
    with written(path) as file:
        figure.savefig(file, format=Path(path).suffix[1:].lower(), dpi=150, bbox_inches="tight")
