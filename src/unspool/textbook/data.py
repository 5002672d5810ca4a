"""The data of an item: from the folder of real data, or fetched, but only when that was asked for.

Nothing is downloaded silently. Where a data set is absent, the item is skipped and says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import datasets

Table = dict[str, Any]


class Absent(Exception):
    """A data set that an item needs is not here; the message says which and what to do."""


def load(name: str, *, download: bool = False) -> Table:
    """Return a real data set; ``download`` allows scikit-learn to fetch what the folder lacks."""
    try:
        return datasets.real(name)
    except FileNotFoundError as missing:
        if download and name in FETCHERS:
            return FETCHERS[name]()
        hint = "; or run with --download" if name in FETCHERS and not download else ""
        raise Absent(f"{missing}{hint}") from missing


def _openml(name: str, version: int) -> tuple[Any, Any]:
    from sklearn.datasets import fetch_openml

    points, labels = fetch_openml(
        name, version=version, return_X_y=True, as_frame=False, parser="liac-arff"
    )
    return np.asarray(points), np.asarray(labels).astype(np.uint8)


def _mnist() -> Table:
    """Return the digits as the original files order them: the last 10,000 are the test images."""
    images, labels = _openml("mnist_784", 1)
    return {
        "x_train": images[:60_000].astype(np.uint8),
        "y_train": labels[:60_000],
        "x_test": images[60_000:].astype(np.uint8),
        "y_test": labels[60_000:],
    }


def _pendigits() -> Table:
    points, labels = _openml("pendigits", 1)
    return {
        "x_train": points[:7_494],
        "y_train": labels[:7_494],
        "x_test": points[7_494:],
        "y_test": labels[7_494:],
    }


FETCHERS: dict[str, Callable[[], Table]] = {"mnist": _mnist, "pendigits": _pendigits}
