"""Every breakage can be made, and the tests that should notice it exist; slowly: they do."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.sabotage import mutation
from tests.sabotage.breakages import BREAKAGES
from tests.sabotage.running import broken_text
from unspool.catalog import METHODS

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "unspool"
LOOPS = "_kernels"  # compiled ones count with the module that calls them


def room_of(path):
    """Return the folder of the package, or the module beside these, that a file belongs to."""
    return path.partition("/")[0].removesuffix(".py").removesuffix(LOOPS)


@cache
def functions_of(file):
    tree = ast.parse((ROOT / "tests" / file).read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("breakage", BREAKAGES, ids=lambda one: one.name)
def test_it_can_be_made_and_its_tests_exist(breakage):
    broken = broken_text((SOURCE / breakage.file).read_text("utf-8"), breakage)
    if breakage.file.endswith(".py"):
        ast.parse(broken)  # what cannot even be read proves nothing
    assert breakage.caught_by
    for test in breakage.caught_by:
        file, _, function = test.partition("::")
        name = function.partition("[")[0]
        assert not name or name in functions_of(file), test


def test_names_are_unique():
    assert len({one.name for one in BREAKAGES}) == len(BREAKAGES)


def test_every_room_and_every_method_is_attacked():
    assert len(BREAKAGES) >= 80
    sources = (path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))
    assert {room_of(path) for path in sources} <= {room_of(one.file) for one in BREAKAGES}
    files = {one.file for one in BREAKAGES}
    for entry in METHODS.values():
        file = entry.load().__module__.removeprefix("unspool.").replace(".", "/") + ".py"
        assert file in files, f"nothing in {file} is attacked"


@pytest.mark.parametrize("stage", mutation.TESTS)
def test_mutants_are_drawn_by_their_seed_and_change_something(stage):
    """What is drawn can be read, differs from the source, and is the same again for a seed."""
    first, again, other = (list(mutation.drawn(stage, 3, seed)) for seed in (0, 0, 1))
    assert first == again != other
    for mutant in first:
        assert ast.dump(ast.parse(mutant.new)) != ast.dump(ast.parse(mutant.old))
        assert "no change" not in mutant.promise
        assert all((ROOT / "tests" / file).exists() for file in mutant.caught_by)


@pytest.mark.slow
def test_all_are_caught():
    """In a process of its own: what is forked from this one has the sound package loaded."""
    command = [sys.executable, "-m", "tests.sabotage.running"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
