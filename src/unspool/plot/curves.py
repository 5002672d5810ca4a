"""Curves: eigenvalues, the elbow of 1 - R_t^2, and the Shepard diagram."""

from __future__ import annotations

from typing import Any

import numpy as np

from .style import ACCENT, CATEGORIES, FAINT, INK, LABEL, drawn, plain, quiet

MOST_DOTS = 20_000  # pairs of a Shepard diagram that are drawn; its line is of all of them


@drawn(4.6, 3.4)
def scree(axes: Any, values: Any, *, kept: int | None = None) -> None:
    """Draw eigenvalues in their order; those of the ``kept`` coordinates are filled.

    A fitted model may stand for its ``eigenvalues_``.
    """
    heights = np.asarray(getattr(values, "eigenvalues_", values), dtype=np.float64)
    if heights.ndim != 1 or len(heights) == 0 or not np.isfinite(heights).all():
        raise ValueError(f"eigenvalues are a list of finite numbers; got {values!r}")
    at = np.arange(1, len(heights) + 1)
    chosen = at <= (len(heights) if kept is None else kept)
    axes.bar(at[chosen], heights[chosen], color=CATEGORIES[0], width=0.65, label="kept")
    if not chosen.all():
        axes.bar(at[~chosen], heights[~chosen], color=FAINT, width=0.65, label="left out")
        axes.legend(frameon=False, fontsize=LABEL)
    axes.axhline(0.0, color=INK, lw=0.6)
    axes.set_xticks(at if len(at) <= 12 else at[:: -(-len(at) // 12)])
    quiet(axes, "coordinate", "eigenvalue")


@drawn(4.6, 3.4)
def elbow(axes: Any, curve: Any, *, chosen: int | None = None) -> None:
    """Draw the share 1 - R_t^2 of the distances that t coordinates leave unexplained.

    ``curve`` is what ``quality.residual_variance`` returns, or its values; ``chosen`` marks the
    elbow.
    """
    heights = np.asarray(getattr(curve, "values", curve), dtype=np.float64)
    if heights.ndim != 1 or len(heights) == 0 or not np.isfinite(heights).all():
        raise ValueError(f"the curve is a list of finite numbers; got {curve!r}")
    at = np.arange(1, len(heights) + 1)
    axes.plot(at, heights, "-o", color=CATEGORIES[0], ms=4, lw=1.4)
    if chosen is not None:
        if not 1 <= chosen <= len(at):
            raise ValueError(f"chosen={chosen} is not one of the {len(at)} numbers of coordinates")
        axes.plot([chosen], [heights[chosen - 1]], "o", ms=10, mfc="none", mec=ACCENT, mew=1.8)
    axes.set_xticks(at)
    axes.set_ylim(bottom=0.0)
    quiet(axes, "coordinates", "residual variance 1 - R²")


@drawn(4.6, 4.0)
def shepard(axes: Any, pairs: Any) -> None:
    """Draw a Shepard diagram: distances on the map over distances in the data, pair by pair.

    ``pairs`` is what ``quality.shepard`` returns. The line is the best increasing function; a
    perfect map has all dots on it.
    """
    given, mapped = np.asarray(pairs.given), np.asarray(pairs.mapped)
    step = max(1, -(-len(given) // MOST_DOTS))
    axes.plot(
        given[::step], mapped[::step], ".", ms=1.2, color=CATEGORIES[0], alpha=0.25, rasterized=True
    )
    order = np.argsort(given, kind="stable")
    axes.plot(given[order], pairs.monotone()[order], color=ACCENT, lw=1.4)
    axes.set_xlim(left=0.0)
    axes.set_ylim(bottom=0.0)
    axes.text(
        0.02,
        0.97,
        f"rank correlation {pairs.value:.3f}",
        transform=axes.transAxes,
        va="top",
        fontsize=LABEL,
        color=INK,
    )
    quiet(axes, "distance in the data", "distance on the map")


@drawn(6.4, 3.0)
def estimates(axes: Any, names: Any, values: Any, errors: Any) -> None:
    """Draw estimates of one number with the errors to both sides, such as intrinsic dimensions."""
    at = np.arange(len(names))
    axes.errorbar(values, at, xerr=errors, fmt="o", color=CATEGORIES[0], capsize=3, ms=5)
    axes.axvline(float(np.median(values)), color=ACCENT, lw=1.2, zorder=0)
    axes.set_yticks(at, [plain(name) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlim(left=0.0)
    axes.xaxis.grid(True, color=FAINT, lw=0.4)
    quiet(axes, "dimension")
