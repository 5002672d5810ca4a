"""Every guard speaks up when its promise is broken, and stays silent when it is kept."""

import textwrap

import pytest

from . import imports, running, shape, texts
from .rules import FILE_LINES, FILES, FOLDERS, FUNCTION_LINES
from .source import Module

LONG_FUNCTION = "def long():\n    '''Long.\n\n    Told.'''\n" + "    pass\n" * FUNCTION_LINES

BROKEN = [
    (imports.every_module_has_a_layer, "drawer", ""),
    (imports.every_module_has_a_layer, "stuff/thing", ""),
    (imports.every_module_has_a_layer, "_display", ""),
    (imports.every_layer_has_its_rooms, "values", ""),
    (imports.layers_point_down, "values", "from .runtime import stage"),
    (imports.layers_point_down, "runtime/resources", "from .. import edges"),
    (imports.layers_point_down, "problem/gram", "from unspool.graph import components"),
    (imports.layers_point_down, "problem/gram", "def f():\n    from ..graph import components"),
    (imports.layers_point_down, "graph/components", "from ..distances import nearest"),
    (imports.layers_point_down, "extension", "from .kernel import Centering"),
    (imports.layers_point_down, "problem/local/patches", "from ...kernel import gaussian"),
    (imports.layers_point_down, "distances/search", "import unspool.methods.isomap"),
    (imports.layers_point_down, "distances/search", "from unspool import Isomap"),
    (imports.layers_point_down, "methods/isomap", "from unspool import LLE"),
    (imports.layers_point_down, "plot/maps", "from unspool import LLE"),
    (imports.layers_point_down, "stress/start", "from ..methods import ClassicalMDS"),
    (imports.layers_point_down, "principal/curve", "from ..stress import minimize_stress"),
    (imports.layers_point_down, "spectrum/solve", "from ..relation import GeodesicRelation"),
    (imports.layers_point_down, "quality/stress", "from ..methods import Isomap"),
    (imports.layers_point_down, "catalog", "from .plot import draw"),
    (imports.layers_point_down, "io/table", "from ..store import load"),
    (imports.layers_point_down, "methods/isomap", "from .. import catalog"),
    (imports.layers_point_down, "textbook/s", "from ..cli import main"),
    (imports.layers_point_down, "graph/s", "import_module('unspool.kernel')"),
    (imports.layers_point_down, "graph/s", "import_module('..kernel', __package__)"),
    (imports.private_names_stay_in_their_folder, "methods/isomap", "from ..paths import _search"),
    (
        imports.private_names_stay_in_their_folder,
        "methods/isomap",
        "from ..paths.dijkstra import _search",
    ),
    (imports.private_names_stay_in_their_folder, "methods/lle", "from ..graph._rules import join"),
    (imports.private_names_stay_in_their_folder, "relation/heat", "from .. import graph\ngraph._x"),
    (
        imports.private_names_stay_in_their_folder,
        "evaluate/compare",
        "from unspool import Isomap\nIsomap._fit",
    ),
    (imports.private_names_stay_in_their_folder, "extension", "from .values import _frozen"),
    (
        imports.private_names_stay_in_their_folder,
        "textbook/slides",
        "from ..runner import _load",
    ),
    (
        imports.private_names_stay_in_their_folder,
        "textbook/runner",
        "from .chapters.slides import _cities",
    ),
    (imports.reserved_calls_stay_home, "methods/pca", "import numpy as np\nnp.linalg.eigh(a)"),
    (imports.reserved_calls_stay_home, "methods/pca", "from numpy.linalg import svd"),
    (imports.reserved_calls_stay_home, "kernel/c", "from numpy import linalg\nlinalg.eigvalsh(a)"),
    (imports.reserved_calls_stay_home, "kernel/c", "import numpy as np\nl = np.linalg\nl.eig(a)"),
    (imports.reserved_calls_stay_home, "kernel/c", "import scipy.linalg as sl\nsl.svdvals(a)"),
    (imports.reserved_calls_stay_home, "extension", "from scipy.sparse.linalg import eigsh"),
    (
        imports.reserved_calls_stay_home,
        "extension",
        "from scipy.sparse import linalg\nlinalg.svds",
    ),
    (
        imports.reserved_calls_stay_home,
        "extension",
        "import scipy\nscipy.sparse.linalg.lobpcg(a)",
    ),
    (imports.reserved_calls_stay_home, "extension", "from scipy.linalg.lapack import dsyevr"),
    (
        imports.reserved_calls_stay_home,
        "graph/n",
        "from sklearn.utils.extmath import randomized_svd",
    ),
    (imports.reserved_calls_stay_home, "problem/gram", "import numpy as np\nnp.linalg.svd(a)"),
    (
        imports.reserved_calls_stay_home,
        "problem/alignment",
        "from scipy.sparse.linalg import eigsh",
    ),
    (imports.reserved_calls_stay_home, "problem/neighborhoods", "from scipy.linalg import eigh"),
    (
        imports.reserved_calls_stay_home,
        "elimination_order",
        "from scipy.sparse.linalg import eigsh",
    ),
    (imports.reserved_calls_stay_home, "quality/k", "from scipy.spatial import cKDTree"),
    (imports.reserved_calls_stay_home, "quality/k", "import scipy.spatial as s\ns.KDTree(x)"),
    (
        imports.reserved_calls_stay_home,
        "methods/l",
        "from sklearn.neighbors import NearestNeighbors",
    ),
    (imports.reserved_calls_stay_home, "methods/l", "from sklearn import neighbors"),
    (imports.reserved_calls_stay_home, "graph/l", "from scipy.spatial import cKDTree"),
    (imports.reserved_calls_stay_home, "methods/l", "from scipy.sparse.csgraph import dijkstra"),
    (imports.reserved_calls_stay_home, "distances/l", "from scipy.sparse import csgraph"),
    (imports.reserved_calls_stay_home, "graphs", "from scipy.sparse import csgraph"),
    (imports.optional_packages_stay_home_and_late, "graph/search", "def f():\n    import numba"),
    (imports.optional_packages_stay_home_and_late, "graph/plot", "def f():\n    import matplotlib"),
    (imports.optional_packages_stay_home_and_late, "plot/map", "import matplotlib.pyplot as plt"),
    (
        imports.optional_packages_stay_home_and_late,
        "plot/m",
        "try:\n    import matplotlib\nfinally: 0",
    ),
    (
        imports.optional_packages_stay_home_and_late,
        "runtime/progress",
        "from rich.progress import Progress",
    ),
    (imports.optional_packages_stay_home_and_late, "cli/main", "def f():\n    import rich"),
    (imports.optional_packages_stay_home_and_late, "graph/d", "def f():\n    import faiss"),
    (imports.optional_packages_stay_home_and_late, "paths/d_kernels", "from numba import njit"),
    (imports.optional_packages_stay_home_and_late, "evaluate/d", "def f():\n    import pandas"),
    (imports.optional_packages_stay_home_and_late, "report/d", "def f():\n    import click"),
    (
        imports.optional_packages_stay_home_and_late,
        "methods/n",
        "def f():\n    from torch import nn",
    ),
    (imports.optional_packages_stay_home_and_late, "autoencoder/n", "class N:\n    import torch"),
    (imports.kernels_are_imported_late, "paths/dijkstra", "from . import dijkstra_kernels"),
    (imports.kernels_are_imported_late, "paths/d", "from .dijkstra_kernels import search"),
    (imports.kernels_are_imported_late, "extension", "import unspool.extension_kernels as k"),
    (imports.kernels_sit_beside_their_user, "paths/lost_kernels", ""),
    (imports.kernels_sit_beside_their_user, "lost_kernels", ""),
    (
        imports.kernels_sit_beside_their_user,
        "relation/geodesic",
        "def f():\n    from ..paths.dijkstra_kernels import search",
    ),
    (
        imports.kernels_sit_beside_their_user,
        "relation/geodesic",
        "def f():\n    from ..paths import dijkstra_kernels",
    ),
    (shape.files_are_short, "graph/search", "\n" * (FILE_LINES + 1)),
    (shape.functions_are_short, "graph/search", LONG_FUNCTION),
    (shape.functions_are_short, "graph/s", "class C:\n" + textwrap.indent(LONG_FUNCTION, "    ")),
    (shape.names_say_what_they_mean, "graph/utils", ""),
    (shape.names_say_what_they_mean, "common", ""),
    (shape.names_say_what_they_mean, "graph/s", "n_pieces = 1"),
    (shape.names_say_what_they_mean, "graph/s", "def largest_piece(): ..."),
    (shape.names_say_what_they_mean, "graph/s", "initial_guess = 1"),
    (shape.names_say_what_they_mean, "graph/s", "is_settled = True"),
    (shape.names_say_what_they_mean, "graph/s", "def f(adjacency_matrix): ..."),
    (shape.names_say_what_they_mean, "graph/s", "class AdjacencyGraph: ..."),
    (shape.names_say_what_they_mean, "graph/s", "n_nbrs: int = 3"),
    (shape.names_say_what_they_mean, "graph/s", "for tmp in range(3): ..."),
    (shape.names_say_what_they_mean, "graph/s", "def f(self):\n    self.X_ = 1"),
    (shape.names_say_what_they_mean, "graph/s", "import numpy as tmp"),
    (shape.exports_are_sorted, "graph/__init__", "from .search import nearest"),
    (shape.exports_are_sorted, "graph/__init__", "__all__ = ['pieces', 'nearest']"),
    (shape.exports_are_sorted, "graph/__init__", "__all__ = ['Isomap', 'PCA']"),
    (shape.exports_are_sorted, "graph/__init__", "__all__ = ['nearest', 'nearest']"),
    (shape.exports_are_sorted, "graph/__init__", "__all__ = [*NAMES]"),
    (shape.exports_are_sorted, "graph/__init__", "__all__ = list(NAMES)"),
    (shape.exports_are_sorted, "graph/search", ""),
    (shape.public_things_have_docstrings, "graph/s", "def nearest(): ..."),
    (shape.public_things_have_docstrings, "graph/s", "async def nearest(): ..."),
    (shape.public_things_have_docstrings, "graph/s", "class Graph: ..."),
]

KEPT = [
    (imports.every_module_has_a_layer, "graph/anything", ""),
    (imports.every_module_has_a_layer, "__init__", ""),
    (imports.layers_point_down, "__init__", "from .methods import Isomap"),
    (imports.layers_point_down, "runtime/resources", "from ..values import Report"),
    (imports.layers_point_down, "graph/__init__", "from .components import components"),
    (imports.layers_point_down, "problem/local/patches", "from ..alignment import alignment"),
    (imports.layers_point_down, "relation/heat", "from .. import distances, graph, problem"),
    (imports.layers_point_down, "principal/curve", "from ..optimize import iterate"),
    (imports.layers_point_down, "problem/gram", "from ..values import EigenProblem\nimport numpy"),
    (imports.layers_point_down, "methods/isomap", "from .. import graph, spectrum, values"),
    (imports.layers_point_down, "store/models", "from ..catalog import METHODS"),
    (imports.layers_point_down, "store/models", "from ..io import written"),
    (imports.layers_point_down, "evaluate/compare", "from unspool import Isomap, catalog"),
    (imports.layers_point_down, "__main__", "from .cli import main"),
    (imports.private_names_stay_in_their_folder, "plot/curves", "from .maps import _bar"),
    (imports.private_names_stay_in_their_folder, "plot/curves", "from . import _style"),
    (imports.private_names_stay_in_their_folder, "plot/__init__", "from ._style import paint"),
    (imports.private_names_stay_in_their_folder, "methods/pca", "from ..values import __doc__"),
    (imports.private_names_stay_in_their_folder, "methods/pca", "def f(self):\n    self._dtype"),
    (imports.private_names_stay_in_their_folder, "methods/pca", "import numpy as np\nnp._x"),
    (imports.private_names_stay_in_their_folder, "methods/pca", "def _x(): ...\n_x()"),
    (imports.reserved_calls_stay_home, "spectrum/arpack", "from scipy.sparse.linalg import eigsh"),
    (imports.reserved_calls_stay_home, "problem/alignment", "import numpy as np\nnp.linalg.svd(a)"),
    (
        imports.reserved_calls_stay_home,
        "problem/neighborhoods",
        "import numpy as np\nnp.linalg.eigh(a)",
    ),
    (
        imports.reserved_calls_stay_home,
        "dimension/local",
        "import numpy as np\nnp.linalg.eigvalsh(a)",
    ),
    (
        imports.reserved_calls_stay_home,
        "elimination_order",
        "from scipy.sparse.linalg import spilu",
    ),
    (imports.reserved_calls_stay_home, "kernel/c", "import numpy as np\nnp.linalg.norm(np.eye(2))"),
    (
        imports.reserved_calls_stay_home,
        "extension",
        "from scipy.sparse.linalg import LinearOperator",
    ),
    (imports.reserved_calls_stay_home, "methods/pca", "spectrum.svd(problem).eigh"),
    (imports.reserved_calls_stay_home, "distances/search", "from scipy.spatial import cKDTree"),
    (imports.reserved_calls_stay_home, "graph/c", "from scipy.sparse import csgraph"),
    (imports.reserved_calls_stay_home, "kernel/f", "from scipy.spatial.distance import cdist"),
    (
        imports.optional_packages_stay_home_and_late,
        "runtime/compiling",
        "def f():\n    import numba",
    ),
    (imports.optional_packages_stay_home_and_late, "cli/main", "import click"),
    (imports.optional_packages_stay_home_and_late, "report/p", "def f():\n    import matplotlib"),
    (
        imports.optional_packages_stay_home_and_late,
        "runtime/progress",
        "def f():\n    import rich.progress",
    ),
    (
        imports.optional_packages_stay_home_and_late,
        "plot/map",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from matplotlib.axes import Axes",
    ),
    (imports.kernels_are_imported_late, "paths/d", "def f():\n    from .d_kernels import search"),
    (imports.kernels_are_imported_late, "paths/d_kernels", "from ..problem.m_kernels import P"),
    (
        imports.kernels_sit_beside_their_user,
        "paths/d",
        "def f():\n    from .d_kernels import search",
    ),
    (imports.kernels_sit_beside_their_user, "paths/d", "def f():\n    from . import d_kernels"),
    (imports.kernels_sit_beside_their_user, "paths/paths_kernels", ""),
    (imports.kernels_sit_beside_their_user, "order", "def f():\n    from .order_kernels import g"),
    (imports.kernels_sit_beside_their_user, "kernel/f", "from sklearn.x import pairwise_kernels"),
    (imports.kernels_are_imported_late, "graph/s", "from sklearn.metrics import pairwise_kernels"),
    (shape.files_are_short, "graph/search", "\n" * FILE_LINES),
    (shape.files_are_short, "methods/isomap", "\n" * FILE_LINES),
    (shape.functions_are_short, "graph/search", LONG_FUNCTION.rstrip().rsplit("\n", 1)[0]),
    (shape.names_say_what_they_mean, "graph/s", "affinity = cluster(tmp=1).pieces"),
    (shape.names_say_what_they_mean, "graph/s", "def transform(self, X_new): ..."),
    (shape.names_say_what_they_mean, "graph/s", "attempt = timpani = 1"),
    (shape.exports_are_sorted, "graph/__init__", "__all__ = ['PCA', 'Isomap', 's2', 's10']"),
    (shape.exports_are_sorted, "__init__", "__all__ = sorted(_HOMES)"),
    (shape.public_things_have_docstrings, "graph/s", "def _nearest(): ..."),
    (shape.public_things_have_docstrings, "graph/s", "@typing.overload\ndef nearest(): ..."),
    (shape.public_things_have_docstrings, "graph/s", "class Graph:\n    '''A graph.'''"),
]

CATALOG = """
from types import SimpleNamespace as Entry
METHODS = (
    Entry(name="Classical MDS", cls="unspool.methods.mds.MDS", needs="d", gives="c", reference="r"),
)
"""
MDS_FILE = """
def method(cls):
    return cls
@method
class MDS: ...
"""
MDS = {
    "src/unspool/__init__.py": '__all__ = ["MDS"]\nfrom .methods.mds import MDS\n',
    "src/unspool/methods/__init__.py": "",
    "src/unspool/methods/mds.py": MDS_FILE,
    "src/unspool/catalog.py": CATALOG,
    "tests/__init__.py": "",
    "tests/cases.py": 'CASES = {"MDS": None}\n',
    "docs/methods/classical-mds.md": "# Classical MDS\n",
}
INIT = "src/unspool/__init__.py"

TREES = [
    (running.importing_is_light, {INIT: "import faiss", "src/faiss.py": ""}, "loads faiss"),
    (running.importing_is_light, {INIT: "import time\ntime.sleep(0.41)"}, "takes 0.4"),
    (running.public_names_resolve, {INIT: "__all__ = ['Lost']"}, "Lost is in __all__"),
    (running.public_names_resolve, {INIT: "__all__ = ['a', 'a']\na = 1"}, "names a 2 times"),
    (
        running.catalogue_is_complete,
        {"src/unspool/methods/pca.py": "@method\nclass PCA: ..."},
        "0 times",
    ),
    (
        running.catalogue_is_complete,
        {"src/unspool/catalog.py": CATALOG + "METHODS *= 2"},
        "2 times",
    ),
    (
        running.catalogue_is_complete,
        {"src/unspool/catalog.py": CATALOG.replace('reference="r"', "")},
        "has no reference",
    ),
    (
        running.catalogue_is_complete,
        {"src/unspool/catalog.py": CATALOG.replace("methods.mds.MDS", "catalog.Entry")},
        "no @method class",
    ),
    (running.catalogue_is_complete, {"tests/cases.py": "CASES = {}"}, "MDS has no case"),
    (
        running.catalogue_is_complete,
        {"docs/methods/classical-mds.md": None, "docs/methods/x.md": ""},
        "has no page",
    ),
    (texts.files_name_no_machine, {"docs/a.md": "see /" + "home/ada/data"}, "docs/a.md:1"),
    (texts.files_name_no_machine, {"a.toml": "\nroot = '/" + "work/main'"}, "a.toml:2"),
    (texts.files_name_no_machine, {"a.py": "p = r'C:" + "\\Users\\ada'"}, "a.py:1"),
    (texts.files_name_no_machine, {"a.cfg": "pip --index" + "-url x"}, "a.cfg:1"),
    (texts.texts_are_cited_by_author, {"docs/a.md": "see S4 16.55"}, "docs/a.md:1: S4"),
    (texts.texts_are_cited_by_author, {"src/unspool/a.py": "\n# as in (S2)"}, "a.py:2: S2"),
]
SILENT_TREES = [
    (running.importing_is_light, {}),
    (running.public_names_resolve, {}),
    (running.catalogue_is_complete, {}),
    (running.catalogue_is_complete, {"src/unspool/catalog.py": None}),
    (running.catalogue_is_complete, {"src/unspool/methods/equation.py": "class Equation: ..."}),
    (
        running.catalogue_is_complete,
        {
            "src/unspool/methods/stress.py": "@method\nclass Stress: ...\n",
            "src/unspool/methods/smacof.py": "@method\nclass MDS(Stress): ...\n",
        },
    ),
    (
        running.catalogue_is_complete,
        {"src/unspool/catalog.py": CATALOG + "METHODS = {e.name: e for e in METHODS}"},
    ),
    (texts.texts_are_cited_by_author, {"tests/a.py": "# S4 16.55"}),
    (
        texts.texts_are_cited_by_author,
        {"docs/a.md": "Izenman 2013, eq. 16.55; `S4.fig-16.1`, S4-plane, 'S4', FIG-S4, `list S4`"},
    ),
    (texts.files_name_no_machine, {"a.md": "https://example.org/home/x ./tmp/x src/work/x"}),
]


def _short(value):
    if isinstance(value, dict):
        return " ".join(value)
    return getattr(value, "__name__", " ".join(str(value).split())[:40])


MANY_FILES = [Module(f"graph/s{number}", "") for number in range(FILES)]
MANY_FOLDERS = [Module(f"graph{number}/s", "") for number in range(FOLDERS)]


@pytest.mark.parametrize("house", [MANY_FILES, MANY_FOLDERS], ids=["files", "folders"])
def test_a_house_that_grows_is_told(house):
    assert list(shape.the_house_is_small(house)) == []
    assert list(shape.the_house_is_small([*house, Module("one/more", "")]))


@pytest.mark.parametrize(("guard", "place", "code"), BROKEN, ids=_short)
def test_guard_tells(guard, place, code):
    assert list(guard([Module(place, code)]))


@pytest.mark.parametrize(("guard", "place", "code"), KEPT, ids=_short)
def test_guard_is_silent(guard, place, code):
    assert list(guard([Module(place, code)])) == []


@pytest.mark.parametrize(("guard", "change", "sentence"), TREES, ids=_short)
def test_guard_of_the_repository_tells(guard, change, sentence, tmp_path):
    broken = list(guard(_tree(tmp_path, MDS | change)))
    assert any(sentence in told for told in broken), broken


@pytest.mark.parametrize(("guard", "change"), SILENT_TREES, ids=_short)
def test_guard_of_the_repository_is_silent(guard, change, tmp_path):
    assert list(guard(_tree(tmp_path, MDS | change))) == []


@pytest.mark.parametrize("guard", dict.fromkeys(case[0] for case in TREES), ids=_short)
def test_nothing_to_guard_yet(guard, tmp_path):
    assert list(guard(tmp_path)) == []


def _tree(root, files):
    for name, text in files.items():
        if text is not None:
            file = root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    return root
