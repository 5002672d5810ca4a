"""The lines that make the same comparison again, in a shell and in Python."""

from __future__ import annotations

import shlex
from typing import Any

from ..catalog import entry_of, is_catalogued
from ..evaluate import Comparison

GIVEN = "X = ...  # your data: an array with one row per point"


def shell_command(comparison: Comparison, source: str, path: str) -> str:
    """Return the command for data from a file or a generator, with the usual options."""
    settings = comparison.settings
    words = ["unspool", "compare", source, "-o", path]
    models = [outcome.model for outcome in comparison.outcomes]
    if all(is_catalogued(model) for model in models):
        words += ["--methods", ",".join(entry_of(model).name for model in models)]
    words += ["--n-components", str(settings.n_components)]
    if settings.n_neighbors is not None:
        words += ["--n-neighbors", str(settings.n_neighbors)]
    words += ["--seed", str(settings.seed)]
    return shlex.join(words)


def python_code(comparison: Comparison, loading: str, path: str) -> str:
    """Return a program; ``loading`` are its lines that define X, and truth and color if any."""
    settings, yardstick = comparison.settings, comparison.yardstick
    models = [
        f"        {outcome.label!r}: {_constructor(outcome.model)},"
        for outcome in comparison.outcomes
    ]
    options = {
        "n_components": settings.n_components,
        "n_neighbors": settings.n_neighbors,
        "metric": settings.metric if isinstance(settings.metric, str) else None,
        "sample": yardstick.sample,
        "seed": settings.seed,
    }
    words = [f"    {name}={value!r}," for name, value in options.items() if value is not None]
    if yardstick.truth is not None:
        words.append("    truth=truth,")
    if comparison.color is not None:
        words.append("    color=color,")
    return "\n".join(
        [
            "import unspool",
            "from unspool.report import write_report",
            *_imports(comparison),
            "",
            *_loading(comparison, loading),
            "",
            "comparison = unspool.compare(",
            "    X,",
            "    {",
            *models,
            "    },",
            *words,
            ")",
            "print(comparison)",
            f"write_report(comparison, {path!r})",
        ]
    )


def _loading(comparison: Comparison, loading: str) -> list[str]:
    if loading:
        return loading.strip().splitlines()
    lines = [GIVEN]
    if comparison.yardstick.truth is not None:
        lines.append("truth = ...  # the true coordinates")
    if comparison.color is not None:
        lines.append("color = ...  # one value per point")
    return lines


def _imports(comparison: Comparison) -> list[str]:
    foreign = {type(o.model).__module__ for o in comparison.outcomes if not is_catalogued(o.model)}
    return [f"import {module}" for module in sorted(foreign)]


def _constructor(model: Any) -> str:
    """Return the call that makes a model, with the parameters that are not the default."""
    made = " ".join(repr(model).split())
    home = "unspool" if is_catalogued(model) else type(model).__module__
    return f"{home}.{made}"
