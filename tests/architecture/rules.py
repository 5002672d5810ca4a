"""What the source tree promises. Change a promise here, and say why beside it."""

from __future__ import annotations

from dataclasses import dataclass

# A module imports strictly lower layers and its own folder, nothing else.
LAYERS = {
    "values": 0,
    "progress": 0,
    "memory": 0,
    "threads": 0,
    "barycentric": 0,
    "elimination": 0,
    "datasets": 0,
    "sharing": 1,
    "graph": 1,
    "kernel": 1,
    "problem": 1,
    "spectrum": 1,
    "extension": 1,
    "iterate": 1,
    "methods": 2,
    "quality": 2,
    "dimension": 2,
    "catalog": 3,
    "scale": 3,
    "plot": 3,
    "saving": 3,
    "study": 4,
    "textbook": 5,
    "app": 6,
    "__main__": 7,
}
FLOOR = -1  # private top-level modules (_display.py, _kernels.py): all may import them
ROOT = 3  # `from unspool import Isomap` is for those who compose everything: layer 4
SHARED = {"values"}  # by all, its own layer too; it imports nothing, so no circle can form
SIDEWAYS = {
    ("scale", "catalog"),
    ("plot", "catalog"),
    ("saving", "catalog"),
}  # (who imports, what), same layer


@dataclass(frozen=True)
class Spared:
    """A place outside the homes where some of the reserved names are right."""

    place: str
    pattern: str
    reason: str


@dataclass(frozen=True)
class Reserved:
    """Names (a regular expression over dotted names) that belong to some folders only."""

    what: str
    pattern: str
    homes: tuple[str, ...]
    spared: tuple[Spared, ...] = ()


# A place is a folder or module under src/unspool; "*/_kernels" is any file of that name.
RESERVED = (
    Reserved(
        "an eigensolver",
        r"(numpy|scipy)\.(sparse\.)?linalg\.(\w+\.)*"
        r"(eig\w*|svd\w*|lobpcg|splu|spilu|factorized|schur|get_lapack_funcs|lapack(\.\w+)?)"
        r"|sklearn\.utils\.extmath\._?randomized_\w+",
        ("spectrum",),
        (
            Spared(
                "problem/patches",
                r"numpy\.linalg\.(svd|eigh|eigvalsh)",
                "batched over thousands of k x k patches; no spectrum of the data",
            ),
            Spared(
                "barycentric",
                r"numpy\.linalg\.(svd|eigh)",
                "batched over the k x k grams of single points",
            ),
            Spared(
                "dimension",
                r"numpy\.linalg\.(svd|svdvals|eigh|eigvalsh)",
                "batched local spectra are what is being estimated, not solved for coordinates",
            ),
            Spared(
                "quality",
                r"numpy\.linalg\.svd",
                "of one d x d matrix: the rotation that lays a map on another",
            ),
            Spared(
                "elimination",
                r"scipy\.sparse\.linalg\.(splu|spilu)",
                "run for its fill-reducing order; the factors are thrown away",
            ),
        ),
    ),
    Reserved(
        "neighbour search",
        r"scipy\.spatial\.(\w+\.)?c?KDTree|sklearn\.neighbors(\..+)?"
        r"|scipy\.sparse\.csgraph(\..+)?",
        ("graph",),
    ),
)

# Packages with a home. All are imported late, inside the function that needs them.
OPTIONAL = {
    "numba": ("*/_kernels",),
    "matplotlib": ("plot", "textbook", "app"),
    "jinja2": ("app",),
    "pandas": ("app",),
    "PIL": ("app",),
    "anndata": ("app",),
    "rich": ("progress", "*/_display"),
    "dask": ("scale",),
    "distributed": ("scale",),
    "torch": ("iterate",),
    "pyamg": ("spectrum",),
    "faiss": ("graph",),
}
EARLY = {"numba"}  # at the top of a _kernels.py, which is itself imported late
KERNELS = "_kernels"

FILE_LINES = 300
METHOD_FILE_LINES = 120
FUNCTION_LINES = 60  # hard limit, docstring included; 25 is the aim

BANNED_FILES = {"utils.py", "helpers.py", "common.py", "base2.py"}
BANNED_WORDS = {"affinity", "adjacency", "nbrs", "tmp"}  # as a word of any name
BANNED_NAMES = {"X_"}  # as the whole name

NOT_AT_IMPORT = ("numba", "matplotlib", "sklearn", "torch", "dask", "rich", "faiss")
IMPORT_SECONDS = 0.4

# Absolute paths of somebody's machine, and places packages were fetched from.
PRIVATE_TEXT = (
    r"(?<![\w.~}\)])/(home|Users|root|work|workspace|mnt|opt|srv|tmp)/\w"
    r"|\b[A-Z]:\\{1,2}Users\b"
    r"|\bfile:///\w"
    r"|--(extra-)?index-url"
)
