"""What the source tree promises, but for its layers (layers.py). Change it here, and say why."""

from __future__ import annotations

from dataclasses import dataclass


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


# A place is a folder or module under src/unspool; "*_kernels" is any file whose name ends so.
RESERVED = (
    Reserved(
        "an eigensolver",
        r"(numpy|scipy)\.(sparse\.)?linalg\.(\w+\.)*"
        r"(eig\w*|svd\w*|lobpcg|splu|spilu|factorized|schur|get_lapack_funcs|lapack(\.\w+)?)"
        r"|sklearn\.utils\.extmath\._?randomized_\w+",
        ("spectrum",),
        (
            Spared(
                "problem/neighborhoods",
                r"numpy\.linalg\.(svd|eigh|eigvalsh)",
                "batched over the k x k tangent frames of neighbourhoods",
            ),
            Spared(
                "problem/alignment",
                r"numpy\.linalg\.(svd|eigh|eigvalsh)",
                "batched over thousands of k x k patches; no spectrum of the data",
            ),
            Spared(
                "problem/neighborhoods",
                r"numpy\.linalg\.(svd|eigh)",
                "batched over the k x k grams of single points",
            ),
            Spared(
                "relation/independent",
                r"scipy\.linalg\.eigh",
                "of some twenty weights of vectors that were solved for",
            ),
            Spared(
                "relation/gaussian_charts",
                r"numpy\.linalg\.eigh",
                "batched over the covariances of charts, and of a metric of the few coordinates",
            ),
            Spared(
                "relation/vector_combinations",
                r"numpy\.linalg\.eigh",
                "of a program's small matrix, one row per vector that is combined",
            ),
            Spared(
                "relation/subspaces",
                r"numpy\.linalg\.eigh",
                "of gradients at single points, and of clusters that change hundreds of times",
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
                "distances",
                r"numpy\.linalg\.eigh",
                "the axes of a sample: they decide how fast neighbours are found, not which",
            ),
            Spared(
                "elimination_order",
                r"scipy\.sparse\.linalg\.(splu|spilu)",
                "run for its fill-reducing order; the factors are thrown away",
            ),
        ),
    ),
    Reserved(
        "a search for neighbours",
        r"scipy\.spatial\.(\w+\.)?c?KDTree|sklearn\.neighbors(\..+)?",
        ("distances",),
    ),
    Reserved(
        "an algorithm of graphs",
        r"scipy\.sparse\.csgraph(\..+)?",
        ("graph", "paths"),
        (
            Spared(
                "spectrum/iterative",
                r".+\.connected_components",
                "whether a matrix is of one graph decides what its zeros mean",
            ),
            Spared(
                "elimination_order",
                r".+\.breadth_first_order",
                "how wide a graph is tells whether an order of elimination is worth its time",
            ),
        ),
    ),
)

# Packages with a home. All but the early ones are imported inside the function that needs them.
OPTIONAL = {
    "numba": ("runtime",),
    "rich": ("runtime",),
    "faiss": ("distances",),
    "torch": ("autoencoder",),
    "matplotlib": ("plot", "textbook", "report", "cli"),
    "pandas": ("io",),
    "PIL": ("io", "report", "explorer"),
    "anndata": ("io",),
    "pyarrow": ("io", "scale"),
    "openpyxl": ("io",),
    "dask": ("scale", "cli"),
    "distributed": ("scale", "cli"),
    "cloudpickle": ("scale",),
    "zarr": ("scale",),
    "jinja2": ("report",),
    "click": ("cli",),
    "starlette": ("explorer", "cli"),
    "uvicorn": ("explorer", "cli"),
    "anyio": ("explorer",),
    "anywidget": ("explorer",),
    "traitlets": ("explorer",),
    "IPython": ("explorer", "runtime"),
}
EARLY = {
    "click",  # its decorators are the command line, which is itself imported late
}
KERNELS = "_kernels"  # how the name of a file with compiled kernels ends

FILE_LINES = 420  # about 400: a file is one idea, which ten lines more do not make two
FUNCTION_LINES = 60  # without the docstring, which tells a user all; most are under 10
FILES = 226  # modules in the package: one per idea; 27 are methods, 26 explorer and scale
FOLDERS = 24  # folders in the package, each of them one idea

# Files that one fit of 300 points passes through, and calls back into a file that was left before.
FIT_FILES = 18
FIT_RETURNS = {"Isomap": 17, "LLE": 8, "MDS": 63, "LaplacianEigenmaps": 10}

BANNED_FILES = {"utils.py", "helpers.py", "common.py", "base2.py"}
BANNED_WORDS = {  # as a word of any name: the field has a better one
    "adjacency",  # neighbour graph
    "guess",  # initial vectors, initial configuration
    "nbrs",  # neighbors
    "piece",  # connected component
    "pieces",
    "settled",  # converged
    "settles",
    "tmp",
}
BANNED_NAMES = {"X_"}  # as the whole name

NOT_AT_IMPORT = (
    *("numba", "matplotlib", "sklearn", "torch", "rich", "faiss", "click", "pandas"),
    *("dask", "distributed", "zarr", "pyarrow"),
)
IMPORT_SECONDS = 0.4

# Absolute paths of somebody's machine, and places packages were fetched from.
PRIVATE_TEXT = (
    r"(?<![\w.~}\)])/(home|Users|root|work|workspace|mnt|opt|srv|tmp)/\w"
    r"|\b[A-Z]:\\{1,2}Users\b"
    r"|\bfile:///\w"
    r"|--(extra-)?index-url"
)

# Our short names of the texts; ids of items ("S4.table-16.1") and quoted prefixes are right.
SHELF_MARKS = r"(?<![\"'`\-])(?<!list )\bS[0-4]\b(?![\"'`.\-])"
CITING = (".py", ".toml", ".md")  # files under src/ and docs/ that cite
