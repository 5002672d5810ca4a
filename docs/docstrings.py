"""Check the docstrings of the public names: ``python docs/docstrings.py``.

numpydoc validates them as they are at run time, so that the sections which methods get from the
declarations of their parameters count too. ``[tool.numpydoc_validation]`` in pyproject.toml says
what is checked. Functions and methods (Isomap and the like) must have it all; what a function
returns (Score, Report) must say what it is, and its fields speak for themselves.
"""

from __future__ import annotations

import inspect
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from numpydoc.validate import validate

import unspool

ROOT = Path(__file__).resolve().parents[1]
OF_VALUES = {"GL08", "SS01", "SS03", "SS06"}


def main() -> int:
    found = [sentence for name in public_names() for sentence in complaints(name)]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


def public_names() -> Iterator[str]:
    """Yield the dotted names of all public functions and classes, each once."""
    seen: set[int] = set()
    for place in ("unspool", *(f"unspool.{name}" for name in sorted(unspool.__all__))):
        room = sys.modules.get(place) or _imported(place)
        for name in getattr(room, "__all__", ()):
            value = getattr(room, name)
            if (inspect.isfunction(value) or inspect.isclass(value)) and id(value) not in seen:
                seen.add(id(value))
                yield f"{place}.{name}"


def _imported(place: str) -> Any:
    """Return a public module; None if the name is not one."""
    return import_module(place) if inspect.ismodule(_resolved(place)) else None


def complaints(name: str) -> Iterator[str]:
    """Yield what numpydoc has to say of a name, and of its methods if it is one of ours."""
    value = _resolved(name)
    checks = set(_chosen())
    if inspect.isclass(value) and not hasattr(value, "fit"):
        checks &= OF_VALUES
    yield from _said(name, checks)
    if inspect.isclass(value) and hasattr(value, "fit"):
        for method in _methods(value):
            yield from _said(f"{name}.{method}", checks - {"EX01"})


def _said(name: str, checks: set[str]) -> Iterator[str]:
    answer = validate(name)
    place = Path(answer["file"] or "")
    where = place.relative_to(ROOT) if place.is_relative_to(ROOT) else place
    for code, sentence in answer["errors"]:
        if code in checks:
            yield f"{where}:{answer['file_line']}: {name}: {code} {sentence}"


def _methods(cls: type) -> list[str]:
    """Return the public methods of a class that unspool itself defines."""
    members = inspect.getmembers(cls, inspect.isfunction)
    ours = [name for name, made in members if made.__module__.startswith("unspool")]
    return [name for name in ours if not name.startswith("_")]


def _resolved(name: str) -> Any:
    value: Any = unspool
    for part in name.split(".")[1:]:
        value = getattr(value, part)
    return value


def _chosen() -> list[str]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    checks: list[str] = settings["tool"]["numpydoc_validation"]["checks"]
    return checks


if __name__ == "__main__":
    sys.exit(main())
