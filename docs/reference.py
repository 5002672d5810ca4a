"""Write the pages of the reference from the public names; ``conf.py`` calls it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType

import unspool
from unspool.catalog import METHODS

TITLES = {
    "evaluate": "Which map to trust",
    "quality": "Quality of a map",
    "dimension": "Dimension of data",
    "plot": "Figures",
    "datasets": "Data to try",
    "io": "Tables in and out",
    "store": "Saved models",
    "runtime": "Progress, memory, threads",
    "distances": "Distances and neighbours",
    "graph": "Neighbour graphs",
    "paths": "Geodesic distances",
    "kernel": "Kernels and feature maps",
    "problem": "Eigenproblems",
    "spectrum": "Solving eigenproblems",
    "catalog": "The table of methods",
    "report": "Reports",
    "scale": "Data larger than memory",
    "explorer": "The explorer",
    "textbook": "The executable textbook",
}
BESIDE = ("report", "textbook")  # modules that are imported by their own names
LONGEST = 60  # characters of a value


def write(path: Path) -> None:
    """Write the page of all public names."""
    text = "\n".join(_sections())
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")


def public_names() -> dict[str, list[str]]:
    """Return every public name under the module that shows it; methods under ``unspool``."""
    modules = [name for name in unspool.__all__ if inspect.ismodule(getattr(unspool, name))]
    shown = {"unspool": [name for name in unspool.__all__ if name not in modules]}
    for name in sorted([*modules, *BESIDE], key=_rank):
        module = import_module(f"unspool.{name}")
        shown[f"unspool.{name}"] = [one for one in module.__all__ if one not in shown["unspool"]]
    return shown


def _rank(name: str) -> tuple[int, str]:
    known = list(TITLES)
    return (known.index(name) if name in known else len(known), name)


def _has_page(module: ModuleType, name: str) -> bool:
    """Tell whether a name is a function or a class; values stand in a table."""
    one = getattr(module, name)
    return inspect.isfunction(inspect.unwrap(one)) or inspect.isclass(one)


def _values(module: ModuleType, names: list[str]) -> list[str]:
    """Return the table of the constants and types among the names."""
    if not names:
        return []
    lines = [f"| `{name}` | `{_in_short(getattr(module, name))}` |" for name in names]
    return ["| value | is |", "|---|---|", *lines, ""]


def _in_short(value: object) -> str:
    told = ", ".join(str(key) for key in value) if isinstance(value, Mapping) else str(value)
    told = re.sub(r"\b(?:typing|collections\.abc|numpy|unspool)\.(?:\w+\.)*", "", told)
    told = re.sub(r"<[^<>]* at 0x[0-9a-f]+>|\s+|\|", " ", told)
    return told if len(told) <= LONGEST else f"{told[: LONGEST - 1]}…"


def _sections() -> list[str]:
    names = public_names()
    classes = [entry.cls.rpartition(".")[2] for entry in METHODS.values()]
    others = [name for name in names.pop("unspool") if name not in classes]
    lines = [
        "# Reference",
        "",
        "Every public name; what is not here is not for use from outside.",
        "",
    ]
    lines += ["## Methods", "", *_summary("unspool", classes)]
    lines += ["## Functions of the package", "", *_summary("unspool", others)]
    for module, shown in names.items():
        short = module.rpartition(".")[2]
        about = (import_module(module).__doc__ or "").partition("\n")[0]
        lines += [f"## {TITLES.get(short, short)}: `{module}`", "", about, ""]
        room = import_module(module)
        lines += _summary(module, [name for name in shown if _has_page(room, name)])
        lines += _values(room, [name for name in shown if not _has_page(room, name)])
    return lines


def _summary(module: str, names: list[str]) -> list[str]:
    if not names:
        return []
    head = ["```{eval-rst}", f".. currentmodule:: {module}", "", ".. autosummary::"]
    head += ["   :toctree: generated", "   :nosignatures:", ""]
    return [*head, *(f"   {name}" for name in names), "```", ""]
