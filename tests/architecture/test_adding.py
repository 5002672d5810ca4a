"""CONTRIBUTING's list is all that a new method takes: a toy method is added to a copy of the tree.

The toy, hop eigenmaps, has Laplacian eigenmaps' problem with a relation of its own: every edge
counts the same. Its files are the listed ones and no others; then the guards, the contract, the
documentation and the benchmarks must accept it as they accept any method.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COPIED = ("src", "tests", "docs", "benchmarks")
TEXTS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "pyproject.toml")

RELATION = '''"""Relations by hops: near is who is few edges away, however long these are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from .. import problem
from ..extension import walk_rows
from ..values import Array, EigenProblem, NeighborGraph
from .chart import Queries


@dataclass(frozen=True, slots=True)
class HopRelation:
    """A graph whose edges all count the same."""

    graph: NeighborGraph

    def problem(self) -> EigenProblem:
        """State L y = value D y, with a weight of one on every edge."""
        ones = np.ones(self.graph.n_edges)
        return problem.laplacian(self.graph.with_weights(ones), "random-walk")

    def rows(self, queries: Queries) -> sp.csr_array:
        """Return the chances to step from a query point to those that it sees."""
        return walk_rows(queries.neighbors, np.ones(queries.neighbors.n_edges))

    def divisors(self, eigenvalues: Array, queries: Queries) -> Array:
        """Return what a step of the walk leaves of each coordinate."""
        left = 1.0 - eigenvalues
        return np.where(np.abs(left) > 1e-6, left, 0.0)
'''

METHOD = '''"""Hop eigenmaps."""

from __future__ import annotations

from typing import Any

from ..relation import Component, HopRelation
from ..values import Array, Spectrum
from .graph_estimator import GraphEstimator
from .parameters import method


@method
class HopEigenmaps(GraphEstimator):
    """Hop eigenmaps: neighbours stay neighbours, however far they are (a toy).

    Examples
    --------
    >>> from unspool import HopEigenmaps, datasets
    >>> HopEigenmaps(2).fit(datasets.s_curve(400).points).embedding_.shape
    (400, 2)
    """

    def _relate(self, component: Component, n_coordinates: int) -> HopRelation:
        return HopRelation(component.graph)

    def _scale(
        self, spectrum: Spectrum, relation: Any, component: Component
    ) -> tuple[Array, Array]:
        return spectrum.values, spectrum.vectors
'''

ENTRY = '''    Entry(
        name="hop-eigenmaps",
        cls="unspool.methods.HopEigenmaps",
        title="Hop eigenmaps",
        family="laplacian",
        needs="points, distances or a graph",
        gives="neighbours stay neighbours, however far",
        reference="Belkin, Niyogi 2001",
        cost=costs.hop_eigenmaps,
    ),
'''

COST = '''

def hop_eigenmaps(size: Size) -> list[Cost]:
    """Hop eigenmaps: as Laplacian eigenmaps, whose weights cost next to nothing."""
    return laplacian(size)
'''

IDENTITY = '''"""Hop eigenmaps are Laplacian eigenmaps with binary weights."""

import numpy as np

from unspool import HopEigenmaps, LaplacianEigenmaps, datasets


def test_hop_eigenmaps_are_laplacian_eigenmaps_with_binary_weights():
    points = datasets.swiss_roll(300).points
    hops = HopEigenmaps(2, n_neighbors=8).fit(points)
    binary = LaplacianEigenmaps(2, n_neighbors=8, weights="binary").fit(points)
    np.testing.assert_allclose(hops.embedding_, binary.embedding_, atol=1e-12)
    new = datasets.swiss_roll(20, seed=1).points
    np.testing.assert_allclose(hops.transform(new), binary.transform(new), atol=1e-12)
'''

PAGE = """# Hop eigenmaps

## Idea

Every edge counts the same.

## Formula

    L y = λ D y,   W = 1 on every edge

## Picture

![A Swiss roll, and its map by hop eigenmaps](../images/hop-eigenmaps.png)

## Parameters

## Cost

That of [Laplacian eigenmaps](laplacian-eigenmaps.md).

## When it fails

```python
from unspool import HopEigenmaps, LaplacianEigenmaps, datasets

points = datasets.swiss_roll(300).points
binary = LaplacianEigenmaps(2, weights="binary").fit_transform(points)
print(abs(HopEigenmaps(2).fit_transform(points) - binary).max() < 1e-12)
# > True
```

## New points

The mean of the neighbours, divided by 1 − λ.

## Reference

Belkin, Niyogi 2001.
"""

ROW = "| hop eigenmaps | edges | D − W, mass D | smallest | v | transition probabilities | 1 − λ |\n"

NEW_FILES = {
    "src/unspool/relation/hop.py": RELATION,
    "src/unspool/methods/hop_eigenmaps.py": METHOD,
    "tests/identities/test_hop_eigenmaps.py": IDENTITY,
    "docs/methods/hop-eigenmaps.md": PAGE,
}
# file -> pairs of what is there and what is written after it
INSERTED = {
    "src/unspool/relation/__init__.py": [
        (r"^from \.heat import (?:\(.*?\n\)|.*?)\n", "from .hop import HopRelation\n"),
        (r'^    "GramMap",\n', '    "HopRelation",\n'),
    ],
    "src/unspool/store/registry.py": [
        (r"^_VALUES = \{\n", '    "hops": "relation.hop:HopRelation",\n'),
    ],
    "src/unspool/methods/__init__.py": [
        (r"^from \.hessian_lle import .*\n", "from .hop_eigenmaps import HopEigenmaps\n"),
        (r'^    "HessianLLE",\n', '    "HopEigenmaps",\n'),
    ],
    "src/unspool/__init__.py": [
        (
            r"^    from \.methods import HessianLLE as HessianLLE\n",
            "    from .methods import HopEigenmaps as HopEigenmaps\n",
        ),
        (r'^    "HessianLLE",\n', '    "HopEigenmaps",\n'),
    ],
    "src/unspool/costs.py": [(r"\Z", COST)],
    "src/unspool/catalog.py": [(r"^_ENTRIES = \(\n", ENTRY)],
    "tests/cases.py": [
        (r"^CASES = \{\n", '    "HopEigenmaps": Case(unspool.HopEigenmaps, {}, "metric"),\n'),
    ],
    "benchmarks/table.py": [
        (
            r"^_ROWS = \(\n",
            '    smooth("hops-10k", "hop-eigenmaps", ROLL_10K, slow=False, **NEAR),\n',
        ),
    ],
    "docs/design.md": [(r"^\| Laplacian eigenmaps \|.*\n", ROW)],
    "CHANGELOG.md": [(r"^### Added\n\n", "- Hop eigenmaps.\n")],
}
BUILT = {"docs/images/hop-eigenmaps.png", "README.md"}  # by docs/build.py, as the list says

CONTRACT = (
    "tests/properties",
    "tests/identities/test_hop_eigenmaps.py",
    "tests/store/test_round_trip.py",
    "tests/interfaces/test_docs.py",
    "tests/interfaces/test_benchmarks.py",
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the repository with the toy method in it."""
    root = tmp_path_factory.mktemp("adding")
    for name in COPIED:  # with compiled kernels, which know the times of their sources
        shutil.copytree(ROOT / name, root / name, copy_function=shutil.copy2)
    for name in TEXTS:
        shutil.copy2(ROOT / name, root / name)
    before = contents(root)
    for name, text in NEW_FILES.items():
        (root / name).write_text(text, "utf-8")
    for name, additions in INSERTED.items():
        for there, more in additions:
            insert(root / name, there, more)
    run(root, "docs/build.py", "--images", "hop-eigenmaps")
    after = contents(root)
    changed = {name for name in after if after[name] != before.get(name)}
    assert before.keys() <= after.keys()
    return root, changed


def insert(file, there, more):
    text = file.read_text("utf-8")
    found = re.search(there, text, re.MULTILINE | re.DOTALL if "(?:" in there else re.MULTILINE)
    assert found, f"{file.name} has no {there}"
    file.write_text(text[: found.end()] + more + text[found.end() :], "utf-8")


def contents(root):
    files = (file for file in root.rglob("*") if file.is_file())
    return {
        file.relative_to(root).as_posix(): file.read_bytes()
        for file in files
        if "__pycache__" not in file.parts
    }


def run(root, *arguments):
    path = os.pathsep.join([str(root / "src"), str(root)])
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=root,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    return done.stdout


def listed():
    """Return the files that CONTRIBUTING lists, with the toy's names in them."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    section = text.partition("## Add a method\n")[2].partition("\n## ")[0]
    names = re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)
    return {with_name(name) for name in names}


def with_name(file):
    if file.startswith("docs/"):
        return file.replace("<name>", "hop-eigenmaps")
    return file.replace("<name>", "hop_eigenmaps").replace("<relation>", "hop")


def test_the_list_is_complete_and_no_longer_than_needed(tree):
    _, changed = tree
    assert changed == listed()
    assert changed == {*NEW_FILES, *INSERTED, *BUILT}


def test_the_guards_accept_it(tree):
    root, _ = tree
    run(root, "-m", "pytest", "tests/test_architecture.py", "-q", "-p", "no:cacheprovider")


def test_the_contract_holds_for_it(tree):
    root, _ = tree
    told = run(
        root, "-m", "pytest", *CONTRACT, "-k", "hop", "-m", "not slow", "-p", "no:cacheprovider"
    )
    assert int(re.search(r"(\d+) passed", told)[1]) > 50


def test_its_pages_are_fresh(tree):
    root, _ = tree
    run(root, "docs/build.py", "--check")
