"""Guards that import the package, in a fresh interpreter each time."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import rules
from .shape import public_definitions
from .source import PACKAGE, read_package

IMPORT = """
import json, sys, time
start = time.perf_counter()
import unspool
seconds = time.perf_counter() - start
print(json.dumps({"seconds": seconds, "loaded": sorted(sys.modules)}))
"""

NAMES = """
import json, unspool
def trouble(name):
    try:
        getattr(unspool, name)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
names = list(getattr(unspool, "__all__", ()))
print(json.dumps({"names": names, "trouble": {n: trouble(n) for n in names if trouble(n)}}))
"""

CATALOG = """
import json, pathlib, pkgutil
from unspool.catalog import METHODS
def describe(entry):
    has = {field: getattr(entry, field, None) not in (None, "") for field in FIELDS}
    cls = getattr(entry, "cls", None)
    cls = pkgutil.resolve_name(cls) if isinstance(cls, str) and cls else cls
    name = getattr(entry, "name", None) or ""
    return {"has": has, "name": name, "cls": getattr(cls, "__name__", "")}
entries = METHODS.values() if hasattr(METHODS, "values") else METHODS
cases = []
if pathlib.Path("tests/cases.py").exists():
    from tests.cases import CASES
    cases = [str(key) for key in CASES]
print(json.dumps({"entries": [describe(entry) for entry in entries], "cases": cases}))
"""
FIELDS = ("name", "cls", "needs", "gives", "reference")


def importing_is_light(root: Path) -> Iterator[str]:
    if not _exists(root, "__init__"):
        return
    answers = [ask(root, IMPORT) for _ in range(3)]
    for package in rules.NOT_AT_IMPORT:
        if package in answers[0]["loaded"]:
            yield f"`import {PACKAGE}` loads {package}"
    seconds = min(answer["seconds"] for answer in answers)
    if seconds >= rules.IMPORT_SECONDS:
        yield f"`import {PACKAGE}` takes {seconds:.2f} s, {rules.IMPORT_SECONDS} s at most"


def public_names_resolve(root: Path) -> Iterator[str]:
    if not _exists(root, "__init__"):
        return
    answer = ask(root, NAMES)
    for name, trouble in answer["trouble"].items():
        yield f"{PACKAGE}.{name} is in __all__ and does not resolve: {trouble}"
    for name, times in Counter(answer["names"]).items():
        if times > 1:
            yield f"{PACKAGE}.__all__ names {name} {times} times"


def catalogue_is_complete(root: Path) -> Iterator[str]:
    if not _exists(root, "catalog") and not _exists(root, "catalog/__init__"):
        return
    answer = ask(root, f"FIELDS = {FIELDS}" + CATALOG)
    entries = answer["entries"]
    for entry in entries:
        for field in (field for field in FIELDS if not entry["has"][field]):
            yield f"the catalogue entry {entry['name'] or entry['cls']} has no {field}"
        if entry["cls"] not in answer["cases"]:
            yield f"{entry['cls']} has no case: add it to CASES in tests/cases.py"
    yield from _counted(*_method_classes(root), Counter(entry["cls"] for entry in entries))
    yield from _pages(root, [entry["name"] for entry in entries])


def _counted(classes: set[str], leaves: set[str], listed: Counter[str]) -> Iterator[str]:
    for name in sorted(leaves | set(listed)):
        if name not in classes:
            yield f"{name} is in the catalogue and is no @method class of {PACKAGE}.methods"
        elif listed[name] != 1:
            yield f"{name} is in the catalogue {listed[name]} times instead of once"


def _method_classes(root: Path) -> tuple[set[str], set[str]]:
    """Public classes declared by @method, and those of them that no other one builds on."""
    declared: set[str] = set()
    bases: set[str] = set()
    for module in (module for module in read_package(root) if module.top == "methods"):
        for node in public_definitions(module):
            if isinstance(node, ast.ClassDef) and _is_declared(node):
                declared.add(node.name)
                bases |= {ast.unparse(base) for base in node.bases}
    return declared, declared - bases


def _is_declared(node: ast.ClassDef) -> bool:
    return any(ast.unparse(decorator) == "method" for decorator in node.decorator_list)


def _pages(root: Path, names: list[str]) -> Iterator[str]:
    folder = root / "docs" / "methods"
    if not folder.is_dir():
        return
    for name in names:
        page = folder / f"{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-')}.md"
        if not page.exists():
            yield f"{name} has no page {page.relative_to(root).as_posix()}"


def _exists(root: Path, place: str) -> bool:
    return (root / "src" / PACKAGE / f"{place}.py").exists()


def ask(root: Path, script: str, **environment: str) -> Any:
    """Run a script against the tree under `root` and read the JSON it prints last."""
    path = os.pathsep.join([str(root / "src"), str(root)])
    run = subprocess.run(
        [sys.executable, "-c", script],
        cwd=root,
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])
