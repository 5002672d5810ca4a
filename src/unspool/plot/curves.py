"""Curves: eigenvalues, the elbow of 1 - R_t^2, and the Shepard diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..values import Array
from .style import ACCENT, CATEGORIES, FAINT, INK, LABEL, figure_of, panel, plain, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_DOTS = 20_000  # pairs of a Shepard diagram that are drawn; its line is of all of them


def scree(
    values: Any,
    *,
    kept: int | None = None,
    axes: Axes | None = None,
    title: str = "",
) -> Figure:
    """Draw eigenvalues in their order; those of the kept coordinates are filled.

    Parameters
    ----------
    values : array-like of shape (n_values,) or fitted model
        The eigenvalues, or a model that has ``eigenvalues_``.
    kept : int or None, default=None
        Number of coordinates that were kept; None is all.
    axes : matplotlib.axes.Axes or None, default=None
        Where to draw; None makes a new figure.
    title : str, default=""
        Title of the picture.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; ``savefig`` writes it to a file.

    Examples
    --------
    >>> from unspool import plot
    >>> plot.scree([3.0, 2.0, 0.1], kept=2).axes[0].get_ylabel()
    'eigenvalue'
    """
    axes = panel(axes, title, 4.6, 3.4)
    heights = _heights(getattr(values, "eigenvalues_", values), "eigenvalues are")
    at = np.arange(1, len(heights) + 1)
    chosen = at <= (len(heights) if kept is None else kept)
    axes.bar(at[chosen], heights[chosen], color=CATEGORIES[0], width=0.65, label="kept")
    if not chosen.all():
        axes.bar(at[~chosen], heights[~chosen], color=FAINT, width=0.65, label="left out")
        axes.legend(frameon=False, fontsize=LABEL)
    axes.axhline(0.0, color=INK, lw=0.6)
    axes.set_xticks(at if len(at) <= 12 else at[:: -(-len(at) // 12)])
    quiet(axes, "coordinate", "eigenvalue")
    return figure_of(axes)


def elbow(
    curve: Any,
    *,
    chosen: int | None = None,
    axes: Axes | None = None,
    title: str = "",
) -> Figure:
    """Draw the share 1 - R_t^2 of the distances that t coordinates leave unexplained.

    Parameters
    ----------
    curve : Curve or array-like of shape (n_coordinates,)
        What ``quality.residual_variance`` returns, or its values.
    chosen : int or None, default=None
        Number of coordinates to mark as the elbow.
    axes : matplotlib.axes.Axes or None, default=None
        Where to draw; None makes a new figure.
    title : str, default=""
        Title of the picture.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; ``savefig`` writes it to a file.

    Examples
    --------
    >>> from unspool import plot
    >>> plot.elbow([0.5, 0.1, 0.09], chosen=2).axes[0].get_xlabel()
    'coordinates'
    """
    axes = panel(axes, title, 4.6, 3.4)
    heights = _heights(getattr(curve, "values", curve), "the curve is")
    at = np.arange(1, len(heights) + 1)
    axes.plot(at, heights, "-o", color=CATEGORIES[0], ms=4, lw=1.4)
    if chosen is not None:
        if not 1 <= chosen <= len(at):
            raise ValueError(f"chosen={chosen} is not one of the {len(at)} numbers of coordinates")
        axes.plot([chosen], [heights[chosen - 1]], "o", ms=10, mfc="none", mec=ACCENT, mew=1.8)
    axes.set_xticks(at)
    axes.set_ylim(bottom=0.0)
    quiet(axes, "coordinates", "residual variance 1 - R²")
    return figure_of(axes)


def shepard(
    pairs: Any,
    *,
    axes: Axes | None = None,
    title: str = "",
) -> Figure:
    """Draw a Shepard diagram: distances on the map over distances in the data, pair by pair.

    The line is the best increasing function; a perfect map has all dots on it.

    Parameters
    ----------
    pairs : Shepard
        What ``quality.shepard`` returns.
    axes : matplotlib.axes.Axes or None, default=None
        Where to draw; None makes a new figure.
    title : str, default=""
        Title of the picture.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; ``savefig`` writes it to a file.

    Examples
    --------
    >>> from unspool import datasets, plot, quality
    >>> roll = datasets.swiss_roll(100)
    >>> pairs = quality.shepard(roll.points, roll.coordinates)
    >>> plot.shepard(pairs).axes[0].get_ylabel()
    'distance on the map'
    """
    axes = panel(axes, title, 4.6, 4.0)
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
    return figure_of(axes)


def _heights(given: Any, what: str) -> Array:
    """Return numbers to be drawn in their order, or say that they are none."""
    heights = np.asarray(given, dtype=np.float64)
    if heights.ndim != 1 or len(heights) == 0 or not np.isfinite(heights).all():
        raise ValueError(f"{what} a list of finite numbers; got {given!r}")
    return heights


def estimates(
    names: Any,
    values: Any,
    errors: Any,
    *,
    axes: Axes | None = None,
    title: str = "",
) -> Figure:
    """Draw estimates of one number with the errors to both sides, such as intrinsic dimensions.

    Parameters
    ----------
    names : sequence of str
        What each estimate is called.
    values : array-like of shape (n_estimates,)
        The estimates.
    errors : array-like of shape (n_estimates,)
        Their errors.
    axes : matplotlib.axes.Axes or None, default=None
        Where to draw; None makes a new figure.
    title : str, default=""
        Title of the picture.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; ``savefig`` writes it to a file.

    Examples
    --------
    >>> from unspool import plot
    >>> plot.estimates(["elbow", "eigengap"], [2.0, 2.1], [0.1, 0.2]).axes[0].get_xlabel()
    'dimension'
    """
    axes = panel(axes, title, 6.4, 3.0)
    at = np.arange(len(names))
    axes.errorbar(values, at, xerr=errors, fmt="o", color=CATEGORIES[0], capsize=3, ms=5)
    axes.axvline(float(np.median(values)), color=ACCENT, lw=1.2, zorder=0)
    axes.set_yticks(at, [plain(name) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlim(left=0.0)
    axes.xaxis.grid(True, color=FAINT, lw=0.4)
    quiet(axes, "dimension")
    return figure_of(axes)
