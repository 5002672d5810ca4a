"""Trace a fit: through how many files of the package it passes, and how often it comes back.

A call that enters a file which was left before, by a call from it into another, is a return. Few
files and few returns mean that a reader can follow a fit from file to file. The limits are for two
threads, wherever the tests run: with one, the work of the others would be traced as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from . import rules
from .running import ask
from .source import PACKAGE

TRACE = """
import json, os, sys, warnings
warnings.simplefilter("ignore")
import unspool

root = os.path.dirname(unspool.__file__) + os.sep
points = unspool.datasets.swiss_roll(300).points


def trace(cls):
    cls().fit(points)  # what is imported or compiled on first use is not the way of a fit
    model, stack, files, left, returns = cls(), [], set(), set(), 0

    def listen(frame, event, argument):
        nonlocal returns
        file = frame.f_code.co_filename
        if not file.startswith(root) or event not in ("call", "return"):
            return
        if event == "return":
            if stack:
                stack.pop()
            return
        files.add(file.removeprefix(root))
        if stack and stack[-1] != file:
            returns += file in left
            left.add(stack[-1])
        stack.append(file)

    sys.setprofile(listen)
    model.fit(points)
    sys.setprofile(None)
    return {"files": sorted(files), "returns": returns}


print(json.dumps({name: trace(getattr(unspool, name)) for name in NAMES}))
"""


def fits_are_easy_to_follow(root: Path) -> Iterator[str]:
    """Told of each method: too many files, or too many returns."""
    if not (root / "src" / PACKAGE / "__init__.py").exists():
        return
    script = f"NAMES = {list(rules.FIT_RETURNS)}" + TRACE
    answer = ask(root, script, NUMBA_NUM_THREADS="2", OMP_NUM_THREADS="2")
    for name, most in rules.FIT_RETURNS.items():
        files, returns = answer[name]["files"], answer[name]["returns"]
        if len(files) > rules.FIT_FILES:
            told = f"{name}().fit passes through {len(files)} files, {rules.FIT_FILES} at most"
            yield f"{told}: {' '.join(files)}"
        if returns > most:
            yield f"{name}().fit returns {returns} times to a file it had left, {most} at most"
