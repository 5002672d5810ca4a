"""Methods as the page offers them, maps as it lists them, and as lines of code that make them."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Sequence
from typing import Any

import scipy.sparse as sp

from ..catalog import METHODS, Entry, entry_of, is_catalogued
from ..evaluate.comparison import COLUMNS
from ..methods.parameters import Rule, parameters_of
from ..quality import Score
from .columns import Data
from .session import PICTURED, View

MAIN = ("n_components", "n_neighbors", "radius", "metric", "kernel", "perplexity", "n_landmarks")
GIVEN = "X = ...  # your data: an array with one row per point"
HIDDEN = {"verbose"}
METRICS = ("euclidean", "manhattan", "chebyshev", "cosine", "correlation", "canberra", "braycurtis")


def list_methods(data: Data) -> list[dict[str, Any]]:
    """Return the methods that these data can be mapped by, with their parameters."""
    return [
        {
            "name": entry.name,
            "title": entry.title,
            "family": entry.family,
            "gives": entry.gives,
            "parameters": list_parameters(entry, data),
        }
        for entry in METHODS.values()
        if data.is_points or "distances" in entry.needs
    ]


def list_parameters(entry: Entry, data: Data) -> list[dict[str, Any]]:
    """Return the declared parameters of a method as controls."""
    cls = entry.load()
    types = {f.name: str(f.type) for f in dataclasses.fields(cls)}
    declared = parameters_of(cls).items()
    return [_control(n, d, r, types[n], data) for n, (d, r) in declared if n not in HIDDEN]


def _control(name: str, default: Any, rule: Rule, type_: str, data: Data) -> dict[str, Any]:
    kind = _kind(name, rule, type_)
    choices = METRICS if name == "metric" else rule.choices
    if name == "metric" and not data.is_points:
        default, choices = "precomputed", ("precomputed",)
    low = rule.at_least if rule.at_least is not None else rule.above
    if name == "n_neighbors":
        low = 1
    most = {"n_neighbors": data.n_points - 1, "n_landmarks": data.n_points}.get(name)
    plain = default if isinstance(default, bool | int | float | str) else None
    return {
        "name": name,
        "kind": kind,
        "default": plain,
        "low": low,
        "high": rule.at_most if most is None else most,
        "choices": None if choices is None else list(choices),
        "words": list(rule.words),
        "optional": rule.optional,
        "help": rule.help,
        "main": name in MAIN,
    }


def _kind(name: str, rule: Rule, type_: str) -> str:
    """Return what control suits a parameter: by its rule, else by its annotation."""
    if rule.choices is not None or name == "metric":
        return "choice"
    if rule.kind in (bool, int, float):
        return rule.kind.__name__
    first = type_.partition(" | ")[0]
    return first if first in ("bool", "int", "float") else "text"


def build_model(data: Data, method: Any, parameters: Any) -> Any:
    """Return an unfitted model from what a page asked for; ValueError says what is wrong."""
    if not isinstance(method, str) or method not in METHODS:
        raise ValueError(f"there is no method {str(method)[:40]!r}")
    if not isinstance(parameters, dict):
        raise ValueError("parameters must be given by name")
    cls = METHODS[method].load()
    declared = parameters_of(cls)
    for name, value in parameters.items():
        if name not in declared or name in HIDDEN:
            raise ValueError(f"{method} has no parameter {name[:40]!r}")
        _check(name, value, declared[name][1])
    if "metric" in declared and "metric" not in parameters and not data.is_points:
        parameters = {**parameters, "metric": "precomputed"}
    return cls(**parameters)


def _check(name: str, value: Any, rule: Rule) -> None:
    if isinstance(value, list | dict):
        raise ValueError(f"{name} must be one value here")
    problem = rule.problem_with(value)
    if problem is not None:
        raise ValueError(f"{name} {problem}; got {value!r}")


def describe(view: View) -> dict[str, Any]:
    """Return a map as the page lists it."""
    model, fitted = view.model, view.fitted
    entry = entry_of(model) if is_catalogued(model) else None
    points = view.data.is_points
    parameters = {name: value for name, value in _parameters(model).items() if _is_plain(value)}
    changed = ", ".join(f"{k}={v!r}" for k, v in changed_parameters(model).items())
    return {
        "id": view.id,
        "label": fitted.label,
        "method": None if entry is None else entry.name,
        "coordinates": view.width,
        "q": min(view.width, PICTURED),
        "parameters": parameters,
        "seconds": round(fitted.seconds, 3),
        "scores": [_told(c, fitted.scores[c.name]) for c in COLUMNS if c.name in fitted.scores],
        "notes": list(fitted.notes),
        "can": {
            "inverse": points and hasattr(model, "inverse_transform"),
            "transform": points and hasattr(model, "transform"),
            "path": True,
            "ellipses": points and not sp.issparse(view.data.points),
            "pairs": not sp.issparse(view.data.points) or points,
            "stability": points and entry is not None and not sp.issparse(view.data.points),
        },
        "words": f"{fitted.label}" + (f" ({changed})" if changed else ""),
    }


def _told(column: Any, score: Score) -> dict[str, Any]:
    return {
        "name": column.name,
        "heading": column.heading,
        "value": float(score.value),
        "standard_error": float(score.standard_error),
        "more_is_better": column.more_is_better,
    }


def _parameters(model: Any) -> dict[str, Any]:
    return dict(model.get_params(deep=False)) if hasattr(model, "get_params") else {}


def changed_parameters(model: Any) -> dict[str, Any]:
    """Return the plain parameters that are not the default of their class."""
    if not is_catalogued(model):
        return {}
    usual, known = type(model)().get_params(), _parameters(model)
    told = {name: value for name, value in known.items() if _is_plain(value)}
    return {k: v for k, v in told.items() if usual[k] != v and k not in ("verbose", "random_state")}


def _is_plain(value: Any) -> bool:
    """Whether JSON can hold a value of a parameter."""
    if isinstance(value, list | tuple):
        return len(value) <= 20 and all(_is_plain(item) for item in value)
    return value is None or isinstance(value, bool | int | float | str)


def python_code(view: View) -> str:
    """Return the program that makes a map again."""
    data, model = view.data, view.model
    loading = data.loading.strip() or GIVEN
    lines = [
        "import unspool",
        *(f"import {name}" for name in foreign_modules([model])),
        "",
        loading,
        "",
        f"model = {constructor(model)}",
        "model.fit(X)",
        f"unspool.explore({', '.join(_shown(data))})",
    ]
    return "\n".join(lines)


def constructor(model: Any) -> str:
    """Return the call that makes a model, with the parameters that are not the default."""
    return f"{_home(model)}.{' '.join(repr(model).split())}"


def foreign_modules(models: Sequence[Any]) -> list[str]:
    """Return the modules of other packages that the calls which make these models need."""
    return sorted({_home(model) for model in models} - {"unspool"})


def _home(model: Any) -> str:
    return "unspool" if is_catalogued(model) else type(model).__module__


def _shown(data: Data) -> list[str]:
    """Return what ``explore`` is given: with the colour and the images that are seen now."""
    words = ["model", "X"]
    if data.loading.strip() and data.color:
        words.append("color=color")
    if data.image is not None:
        shape = (data.image.height, data.image.width, data.image.channels)
        words.append(f"image={'x'.join(map(str, shape[: 2 if shape[2] == 1 else 3]))!r}")
    return words


def command_code(view: View) -> str | None:
    """Return the command that opens this map again; None if the data are not from a file."""
    model, data = view.model, view.data
    if not is_catalogued(model) or not data.words:
        return None
    words = [*data.words, "--method", entry_of(model).name]
    for name, value in changed_parameters(model).items():
        flag = f"--{name.replace('_', '-')}"
        if isinstance(value, bool):
            words.append(flag if value else f"--no-{flag[2:]}")
        else:
            words += [flag, str(value)]
    return shlex.join(words)
