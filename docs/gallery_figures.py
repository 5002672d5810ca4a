"""What the gallery shows of an example: every figure that it makes, by pyplot or without it."""

from __future__ import annotations

from typing import Any

from matplotlib import pyplot
from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst

DPI = 150  # sharp on screens with two pixels for one


def save(block: Any, state: dict[str, Any], gallery: dict[str, Any]) -> str:
    """Save the figures that a block has made, and return the text that shows them."""
    seen = state.setdefault("figures_shown", [])
    names = state["example_globals"].values()
    made = [one for one in names if isinstance(one, Figure)]
    made += [pyplot.figure(number) for number in pyplot.get_fignums()]
    fresh = []
    for one in made:
        if all(one is not other for other in seen):
            seen.append(one)
            fresh.append(next(state["image_path_iterator"]))
            one.savefig(fresh[-1], dpi=DPI)
    pyplot.close("all")  # else the next example would show them again
    return figure_rst(fresh, gallery["src_dir"])
