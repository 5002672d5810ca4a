"""The drawing package, loaded late and without a screen."""

from __future__ import annotations

from typing import Any


def figure(width: float, height: float) -> Any:
    """Return an empty matplotlib figure that needs no screen."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("figures need matplotlib: pip install 'unspool[plot]'") from error
    return Figure(figsize=(width, height), layout="constrained")
