"""The one list of layers: the tests hold the source tree to it, docs/build.py writes it out.

A room is a folder or a file right under src/unspool. It imports rooms of lower layers and itself,
nothing else. What a room is for stands in its own docstring, and nowhere twice.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

ROOMS = Path(__file__).parents[2] / "src" / "unspool"


@dataclass(frozen=True)
class Layer:
    """Rooms that stand side by side, from the bottom up; none of them imports another."""

    what: str
    rooms: tuple[str, ...]


LAYERS = (
    Layer(
        "what all share",
        ("values", "edges", "centering", "runtime", "elimination_order", "datasets"),
    ),
    Layer(
        "the stages",
        (
            "distances",
            "graph",
            "paths",
            "kernel",
            "problem",
            "spectrum",
            "extension",
            "optimize",
        ),
    ),
    Layer(
        "families: what composes stages",
        ("relation", "stress", "principal", "autoencoder", "neighbor_embedding"),
    ),
    Layer("data larger than memory", ("scale",)),
    Layer("methods, and how to judge their maps", ("methods", "quality", "dimension")),
    Layer("the table of methods, figures, files", ("catalog", "costs", "plot", "io", "store")),
    Layer("several methods on the same data", ("evaluate",)),
    Layer("what is written for a reader, and what answers", ("textbook", "report", "explorer")),
    Layer("what a person starts", ("cli",)),
    Layer("`python -m unspool`", ("__main__",)),
)

# Within a layer only these are imported: values by all (it imports nothing), and what is listed.
SHARED = {"values"}
SIDEWAYS = {
    ("centering", "runtime"): "threads add up the means of a large table",
    ("edges", "runtime"): "rows are sorted by several threads",
    ("edges", "elimination_order"): "compiled loops over graphs stand in one file",
    ("elimination_order", "runtime"): "its loops are compiled where Ctrl-C is heard",
    ("kernel", "distances"): "a radial kernel is a function of the distances",
    ("stress", "relation"): "an initial configuration may be triangulated from landmarks",
    ("methods", "dimension"): "how many coordinates there are, where 'auto' asks for it",
    ("catalog", "costs"): "what a method costs is a field of its entry",
    ("store", "catalog"): "a saved model names its method",
    ("report", "explorer"): "the map of a report answers where scripts run",
    ("store", "io"): "a model is written as safely as a table: whole or not at all",
}
PUBLIC = 6  # from this layer on `from unspool import Isomap` is right: they use what a user uses


def layer_of(room: str) -> int | None:
    """Return the number of a room's layer, counted from the bottom, None if it has none."""
    for number, layer in enumerate(LAYERS):
        if room in layer.rooms:
            return number
    return None


def idea_of(room: str) -> str:
    """Return what a room is for: the first paragraph of its docstring, in one line."""
    folder = ROOMS / room
    file = folder / "__init__.py" if folder.is_dir() else ROOMS / f"{room}.py"
    text = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
    return " ".join(text.partition("\n\n")[0].split())
