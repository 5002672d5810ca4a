"""CONTRIBUTING's list is all that a new method takes: a toy method is added to a copy of the tree.

The toy, Cauchy eigenmaps, has Laplacian eigenmaps' problem with a relation of its own: weights that
fall more slowly than those of the heat kernel. Its files are the listed ones and no others; then
the guards, the contract, the documentation and the benchmarks must accept it as any other method.
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

RELATION = '''"""Relations by Cauchy weights: an edge weighs 1 / (1 + d^2 / scale)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from .. import problem
from ..extension import walk_rows
from ..values import Array, EigenProblem, NeighborGraph
from .chart import Queries


@dataclass(frozen=True, slots=True)
class CauchyRelation:
    """Weights of a graph's edges that fall as slowly as the squared length grows."""

    weights: sp.csr_array
    scale: float

    @classmethod
    def of(cls, graph: NeighborGraph) -> CauchyRelation:
        """Return the relation whose scale is the squared median length of an edge."""
        scale = float(np.median(graph.distances)) ** 2
        return cls(graph.with_weights(_weigh(graph, scale)), scale)

    def problem(self) -> EigenProblem:
        """State L y = value D y."""
        return problem.laplacian(self.weights, "random-walk")

    def rows(self, queries: Queries) -> sp.csr_array:
        """Return the transition probabilities of query points."""
        return walk_rows(queries.neighbors, _weigh(queries.neighbors, self.scale))

    def divisors(self, eigenvalues: Array, queries: Queries) -> Array:
        """Return what a step of the walk leaves of each coordinate."""
        left = 1.0 - eigenvalues
        return np.where(np.abs(left) > 1e-6, left, 0.0)


def _weigh(graph: NeighborGraph, scale: float) -> Array:
    return 1.0 / (1.0 + graph.distances**2 / (scale or 1.0))
'''

METHOD = '''"""Cauchy eigenmaps."""

from __future__ import annotations

from typing import Any

from ..relation import Component, CauchyRelation
from ..values import Array, Spectrum
from .graph_estimator import GraphEstimator
from .parameters import method


@method
class CauchyEigenmaps(GraphEstimator):
    """Cauchy eigenmaps: neighbours stay neighbours, far ones too (a toy).

    Examples
    --------
    >>> from unspool import CauchyEigenmaps, datasets
    >>> CauchyEigenmaps(2).fit(datasets.s_curve(400).points).embedding_.shape
    (400, 2)
    """

    def _relate(self, component: Component, n_coordinates: int) -> CauchyRelation:
        return CauchyRelation.of(component.graph)

    def _scale(
        self, spectrum: Spectrum, relation: Any, component: Component
    ) -> tuple[Array, Array]:
        return spectrum.values, spectrum.vectors
'''

ENTRY = """    Entry(
        name="cauchy-eigenmaps",
        cls="unspool.methods.CauchyEigenmaps",
        title="Cauchy eigenmaps",
        family="laplacian",
        needs="points, distances or a graph",
        gives="neighbours stay neighbours, far ones too",
        reference="Belkin, Niyogi 2001",
        cost=costs.cauchy_eigenmaps,
    ),
"""

COST = '''

def cauchy_eigenmaps(size: Size) -> list[Cost]:
    """Cauchy eigenmaps: as Laplacian eigenmaps; the weights cost next to nothing."""
    return laplacian(size)
'''

IDENTITY = '''"""Cauchy eigenmaps are Laplacian eigenmaps of a given table of weights."""

import numpy as np

from unspool import CauchyEigenmaps, LaplacianEigenmaps, datasets


def test_cauchy_eigenmaps_are_laplacian_eigenmaps_of_their_weights():
    points = datasets.swiss_roll(300).points
    model = CauchyEigenmaps(2, n_neighbors=8).fit(points)
    weights = model.charts_[0].relation.weights
    given = LaplacianEigenmaps(2, metric="precomputed", weights="given").fit(weights)
    np.testing.assert_allclose(model.embedding_, given.embedding_, atol=1e-12)
'''

PAGE = """# Cauchy eigenmaps

## Idea

Near neighbours count more, and far ones are not forgotten.

## Formula

    L y = λ D y,   w = 1 / (1 + d² / s),   s the mean squared length of an edge

## Picture

![A Swiss roll, and its map by Cauchy eigenmaps](../images/cauchy-eigenmaps.png)

## Parameters

## Cost

That of [Laplacian eigenmaps](laplacian-eigenmaps.md).

## When it fails

```python
from unspool import CauchyEigenmaps, datasets, quality

roll = datasets.swiss_roll(1000)
embedding = CauchyEigenmaps(2).fit_transform(roll.points)
print(quality.explained_by(embedding, roll.coordinates).min() < 0.9)  # not isometric
# > True
```

## New points

The weighted mean of the neighbours, divided by 1 - λ.

## Reference

Belkin, Niyogi 2001.
"""

ROW = "| Cauchy eigenmaps | weights | D - W | smallest | v | probabilities | 1 - λ |\n"

NEW_FILES = {
    "src/unspool/relation/cauchy.py": RELATION,
    "src/unspool/methods/cauchy_eigenmaps.py": METHOD,
    "tests/identities/test_cauchy_eigenmaps.py": IDENTITY,
    "docs/methods/cauchy-eigenmaps.md": PAGE,
}
# file -> pairs of a place in it and what is written there
INSERTED = {
    "src/unspool/relation/__init__.py": [
        (r"^(?=from \.chart import)", "from .cauchy import CauchyRelation\n"),
        (r'^(?=    "Chart",\n)', '    "CauchyRelation",\n'),
    ],
    "src/unspool/store/registry.py": [
        (r"^_VALUES = \{\n", '    "cauchy weights": "relation.cauchy:CauchyRelation",\n'),
    ],
    "src/unspool/store/declared_values.py": [
        (r"^RELATIONS = .*\n", '    "cauchy weights",\n'),
        (
            r"^VALUES = \{\n",
            '    "cauchy weights": Declaration(\n'
            '        {"weights": Sparse(("n", "n"), 0.0), "scale": NOT_NEGATIVE}\n'
            "    ),\n",
        ),
    ],
    "src/unspool/store/declared_methods.py": [
        (r"^METHODS = \{\n", '    "cauchy-eigenmaps": _graph(),\n'),
    ],
    "src/unspool/methods/__init__.py": [
        (r"^(?=from \.charting import)", "from .cauchy_eigenmaps import CauchyEigenmaps\n"),
        (r'^(?=    "Charting",\n)', '    "CauchyEigenmaps",\n'),
    ],
    "src/unspool/__init__.py": [
        (
            r"^(?=    from \.methods import Charting)",
            "    from .methods import CauchyEigenmaps as CauchyEigenmaps\n",
        ),
        (r'^(?=    "Charting",\n)', '    "CauchyEigenmaps",\n'),
    ],
    "src/unspool/costs.py": [(r"\Z", COST)],
    "src/unspool/catalog.py": [(r"^_ENTRIES = \(\n", ENTRY)],
    "tests/cases.py": [
        (r"^CASES = \{\n", '    "CauchyEigenmaps": Case(unspool.CauchyEigenmaps, {}, "metric"),\n'),
    ],
    "benchmarks/table.py": [
        (
            r"^_ROWS = \(\n",
            '    smooth("cauchy-10k", "cauchy-eigenmaps", ROLL_10K, slow=False, **NEAR),\n',
        ),
    ],
    "benchmarks/real.py": [
        (
            r"^_GRAPHS = \(\n",
            '    seen("cauchy-mnist10k", "cauchy-eigenmaps", MNIST_10K, **NEAR),\n',
        ),
    ],
    "tests/properties/test_options.py": [
        (
            r"^SPECIAL = \{.*\n",
            '    ("CauchyEigenmaps", "outliers"): Trial(\n'
            '        (), {"n_neighbors": 12}, _with_distant_strays\n'
            "    ),\n",
        ),
    ],
    "docs/design.md": [
        (r"^\| Laplacian eigenmaps \|.*\n", ROW),
        (r"^\| `search` \| ", "CauchyEigenmaps, "),
        (r"^\| `random_state` \| ", "CauchyEigenmaps, "),
    ],
    "CHANGELOG.md": [(r"^### Added\n\n", "- Cauchy eigenmaps.\n")],
}
BUILT_PAGES = shutil.ignore_patterns("_build", "gallery", "generated")  # by make docs
BUILT = {"docs/images/cauchy-eigenmaps.png", "README.md"}  # by docs/build.py, as the list says

CONTRACT = (
    "tests/test_architecture.py",
    "tests/properties",
    "tests/identities/test_cauchy_eigenmaps.py",
    "tests/store/test_round_trip.py",
    "tests/interfaces/test_docs.py",
    "tests/interfaces/test_benchmarks.py",
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the repository with the toy method in it."""
    root = tmp_path_factory.mktemp("adding")
    for name in COPIED:  # with compiled kernels, which know the times of their sources
        shutil.copytree(ROOT / name, root / name, ignore=BUILT_PAGES, copy_function=shutil.copy2)
    for name in TEXTS:
        shutil.copy2(ROOT / name, root / name)
    before = contents(root)
    for name, text in NEW_FILES.items():
        (root / name).write_text(text, "utf-8")
    for name, additions in INSERTED.items():
        for there, more in additions:
            insert(root / name, there, more)
    run(root, "docs/build.py", "--images", "cauchy-eigenmaps")
    after = contents(root)
    changed = {name for name in after if after[name] != before.get(name)}
    assert before.keys() <= after.keys()
    return root, changed


def insert(file, there, more):
    text = file.read_text("utf-8")
    found = re.search(there, text, re.MULTILINE)
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
        return file.replace("<name>", "cauchy-eigenmaps")
    return file.replace("<name>", "cauchy_eigenmaps").replace("<relation>", "cauchy")


def test_the_list_is_complete_and_no_longer_than_needed(tree):
    _, changed = tree
    assert changed == listed()
    assert changed == {*NEW_FILES, *INSERTED, *BUILT}


def test_the_guards_accept_it_and_the_contract_holds(tree):
    """All guards but the one that counts files: whether there is room is not the toy's question."""
    root, _ = tree
    chosen = "cauchy or (test_architecture and not the_house_is_small)"
    words = ["-k", chosen, "-m", "not slow", "-p", "no:cacheprovider"]
    words += ["-W", "ignore::DeprecationWarning"]  # of old packages, where those are tried
    told = run(root, "-m", "pytest", *CONTRACT, *words)
    assert int(re.search(r"(\d+) passed", told)[1]) > 65


def test_its_pages_are_fresh(tree):
    root, _ = tree
    run(root, "docs/build.py", "--check")
