"""``make demo``: a Swiss roll through every method, a table on the screen and one picture."""

from __future__ import annotations

import sys
import time
from typing import Any

from unspool import catalog, datasets, quality
from unspool.plot import maps

# what differs from two coordinates and the defaults
OPTIONS: dict[str, dict[str, Any]] = {
    "lle": {"n_neighbors": 12},
    "principal-curve": {"n_components": 1},
    "spectral-clustering": {"n_clusters": 6, "n_components": 3},
}


def main(path: str = "demo.png", n: int = 1500) -> None:
    """Map a Swiss roll with all methods, print a table and write the picture to ``path``."""
    roll = datasets.swiss_roll(n, seed=0)
    embeddings = {}
    print(f"Swiss roll, {n} points, 2 coordinates\n")
    print(f"{'method':<36}{'seconds':>9}{'Procrustes error':>19}{'neighbours kept':>18}")
    for entry in catalog.METHODS.values():
        model = entry.load()(**{"n_components": 2, **OPTIONS.get(entry.name, {})})
        began = time.perf_counter()
        coordinates = model.fit_transform(roll.points)
        seconds = time.perf_counter() - began
        embeddings[entry.title] = coordinates
        error = quality.disparity(coordinates, roll.coordinates)
        kept = quality.neighbors_kept(roll.points, coordinates)
        print(f"{entry.title:<36}{seconds:>9.3f}{error:>19.4f}{kept:>18.2f}")
    maps(roll.points, embeddings, roll.color).savefig(path, dpi=110)
    print(f"\npicture: {path}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "demo.png")
