"""mypy and pyright know every method: its parameters, its attributes, and what is wrong.

``accepted.py`` and ``refused.py`` are what a user writes; two more scripts are written here from
the catalogue, so that no method and no parameter is left out.
"""

import ast
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

import unspool
from unspool.catalog import METHODS
from unspool.methods.parameters import attributes_of, parameters_of

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CLASSES = [entry.load() for entry in METHODS.values()]


def accepted_calls():
    """Return a script that builds every method with every parameter, and reads its attributes."""
    lines = ["from typing import Any, assert_type", "from numpy.typing import NDArray"]
    lines += ["import numpy as np", "import unspool", "X = np.zeros((3, 3))"]
    for cls in CLASSES:
        declared = parameters_of(cls)
        first = "n_clusters" if cls is unspool.SpectralClustering else "n_components"
        given = {name: default for name, (default, _) in declared.items()}
        options = ", ".join(f"{name}={value!r}" for name, value in given.items() if name != first)
        lines += [f"m_{cls.__name__} = unspool.{cls.__name__}({given[first]!r}, {options}).fit(X)"]
        lines += [f"assert_type(m_{cls.__name__}.embedding_, NDArray[Any])"]
        lines += [f"print(m_{cls.__name__}.{name})" for name in attributes_of(cls)]
        for name, (_, rule) in declared.items():
            lines += [f"unspool.{cls.__name__}({name}={c!r})" for c in rule.choices or ()]
            lines += [f"unspool.{cls.__name__}({name}=None)"] if rule.optional else []
    lines += [f"print(unspool.{name})" for name in unspool.__all__]
    return "\n".join(lines) + "\n"


def refused_calls():
    """Return a script in which every line misuses a method, with the rules that say so."""
    lines = ["import unspool"]
    for cls in CLASSES:
        name = f"unspool.{cls.__name__}"
        lines += [f"{name}(n_componentz=2)  # call-arg, reportCallIssue"]
        lines += [f"{name}(2, 3)  # call-arg, reportCallIssue"]
        if cls is not unspool.PCA:  # which takes a share of the variance
            lines += [f"{name}(2.5)  # arg-type, reportArgumentType"]
        for parameter, (_, rule) in parameters_of(cls).items():
            if rule.choices is not None or rule.kind in (bool, int, float):
                lines += [f"{name}({parameter}='no such')  # arg-type, reportArgumentType"]
            if not rule.optional:
                lines += [f"{name}({parameter}=None)  # arg-type, reportArgumentType"]
    return "\n".join(lines) + "\n"


@pytest.fixture
def scripts(tmp_path):
    (tmp_path / "accepted_calls.py").write_text(accepted_calls(), "utf-8")
    (tmp_path / "refused_calls.py").write_text(refused_calls(), "utf-8")
    names = ("accepted_calls.py", "refused_calls.py")
    return [HERE / "accepted.py", HERE / "refused.py", *(tmp_path / name for name in names)]


def expected(path, column):
    """Return line -> the rule that must speak up, read from the comments of a script."""
    if path.name.startswith("accepted"):
        return {}
    lines = path.read_text("utf-8").splitlines()
    told = {i: line.rpartition("  # ")[2] for i, line in enumerate(lines, 1) if "  # " in line}
    return {i: rules.split(", ")[column] for i, rules in told.items()}


def check(found, scripts, column):
    """Compare what a checker found (path -> line -> rules) with what the scripts expect."""
    for path in scripts:
        wanted, told = expected(path, column), found[path]
        source = path.read_text("utf-8").splitlines()
        silent = [source[line - 1] for line, rule in wanted.items() if rule not in told[line]]
        assert not silent, f"{path.name}: accepted, but must be refused:\n" + "\n".join(silent)
        wrong = [
            f"{source[i - 1]}: {rules}" for i, rules in told.items() if rules - {wanted.get(i)}
        ]
        assert not wrong, f"{path.name}: refused, but must be accepted:\n" + "\n".join(wrong)


def test_mypy(scripts):
    command = [sys.executable, "-m", "mypy", "--strict", "--no-pretty", "--show-error-codes"]
    run = subprocess.run(
        [*command, "--no-error-summary", *map(str, scripts)],
        cwd=ROOT,
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
    )
    found, by_name = {path: defaultdict(set) for path in scripts}, {p.name: p for p in scripts}
    for line in run.stdout.splitlines():
        told = re.fullmatch(r"(.*?\.py):(\d+): error: .*\[([\w-]+)\]", line)
        path = told and by_name.get(Path(told[1]).name)  # its folder may be that of an earlier run
        if path:
            found[path][int(told[2])].add(told[3])
    assert run.returncode in (0, 1), run.stdout + run.stderr
    check(found, scripts, 0)


def test_pyright(scripts, tmp_path):
    settings = {
        "include": [str(path) for path in scripts],
        "extraPaths": [str(ROOT / "src")],
        "typeCheckingMode": "standard",
        "reportUnusedExpression": False,
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "-p", str(tmp_path)]
    run = subprocess.run(
        [*command, "--pythonpath", sys.executable], cwd=ROOT, capture_output=True, text=True
    )
    found = {path: defaultdict(set) for path in scripts}
    for told in json.loads(run.stdout)["generalDiagnostics"]:
        line = told["range"]["start"]["line"] + 1
        found[Path(told["file"]).resolve()][line].add(told.get("rule", told["message"]))
    check(found, scripts, 1)


def test_choices_and_annotations_agree():
    """A declared choice is one that the annotation allows, and the other way round."""
    for cls in CLASSES:
        for name, (_, rule) in parameters_of(cls).items():
            assert (rule.choices is None) == (literal(cls, name) is None), f"{cls.__name__}.{name}"
            if rule.choices is not None:
                assert set(rule.choices) == literal(cls, name), f"{cls.__name__}.{name}"


def literal(cls, name):
    """Return the words that the annotation of a parameter allows; None if it is more than words."""
    from typing import Literal, get_args, get_origin, get_type_hints

    hint = get_type_hints(cls)[name]
    parts = get_args(hint) if get_origin(hint) is not Literal else (hint,)
    parts = [part for part in parts if part is not type(None)]
    if not parts or any(get_origin(part) is not Literal for part in parts):
        return None
    return {word for part in parts for word in get_args(part)}


def test_checkers_read_the_names_that_are_loaded_late():
    tree = ast.parse(Path(unspool.__file__).read_text("utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    assert ast.unparse(block.test) == "TYPE_CHECKING"
    homes = {name.asname: node.module for node in block.body for name in node.names}
    assert sorted(homes) == sorted(unspool.__all__)
    for name, home in homes.items():
        if home is not None:
            module = __import__(f"unspool.{home}", fromlist=[name])
            assert getattr(module, name) is getattr(unspool, name)
