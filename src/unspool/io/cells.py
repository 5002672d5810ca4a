"""Single cells: AnnData objects and h5ad files in, and maps beside what they hold out.

An AnnData has several tables of the same cells: the matrix ``X``, other ``layers`` of it (counts),
and ``obsm``, where ``X_pca`` and the maps of other packages are. One of them is mapped.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..edges import are_connectivities
from ..runtime import claim
from ..values import Array
from .table import Table, import_pandas, join_names, make_distinct, to_frame

MANY = 500  # genes, from which on distances between cells are mostly noise


def import_anndata() -> Any:
    """Return anndata, or say how to get it."""
    try:
        import anndata
    except ModuleNotFoundError:
        raise ImportError("h5ad files need anndata; pip install 'unspool[cells]'") from None
    return anndata


def read_h5ad(path: Path, layer: str | None = None, obsm: str | None = None) -> Table:
    """Return the cells of an AnnData file: one of its tables, and what describes them."""
    return table_of_cells(read_cells(path), str(path), layer, obsm)


def read_cells(path: Path) -> Any:
    """Return the AnnData in a file."""
    anndata = import_anndata()
    try:
        return anndata.read_h5ad(path)
    except (ValueError, OSError, KeyError) as error:
        raise ValueError(f"{path} is no h5ad file that can be read ({error})") from None


def table_of_cells(
    cells: Any, source: str, layer: str | None = None, obsm: str | None = None
) -> Table:
    """Return one table of an AnnData, and the columns that describe its cells."""
    if layer is not None and obsm is not None:
        raise ValueError("--layer and --obsm name two tables of the same cells; name one")
    matrix, names = _matrix(cells, source, layer, obsm)
    n, width = matrix.shape
    told = f"the {n} x {width} matrix of {source}"
    claim(8 * n * width, told, "select fewer genes or cells, or map --obsm X_pca")
    points = np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)
    names, _ = make_distinct(names)
    described = cells.obs.reset_index(drop=True)
    *beside, cell = make_distinct([*names, *(str(name) for name in described.columns), "cell"])[0]
    described.columns = beside[len(names) :]
    described.insert(0, cell, cells.obs.index)
    pd = import_pandas()
    frame = pd.concat([pd.DataFrame(points, columns=names), described], axis=1)
    plain = layer is None and obsm in (None, "X")
    notes = _notes(cells, width) if layer is None and obsm is None else ()
    member = "" if plain else f"layers/{layer}" if obsm is None else f"obsm/{obsm}"
    return Table(frame, source, notes, features=tuple(names), labels=(cell,), member=member)


def parts_of(member: str) -> dict[str, str]:
    """Return which layer or obsm a recipe names, as the options of ``table_of_cells``."""
    kind, _, name = member.partition("/")
    return {kind.removesuffix("s"): name} if member else {}


def _matrix(cells: Any, source: str, layer: str | None, obsm: str | None) -> tuple[Any, list[str]]:
    """Return the table that is asked for, with a name for each of its columns."""
    if obsm is not None and obsm != "X":
        found = _member(cells.obsm, obsm, f"{source} has no obsm[{obsm!r}]")
        columns = getattr(found, "columns", None)
        table = found.to_numpy() if columns is not None else found
        word = obsm.removeprefix("X_") + "_"
        made = list(to_frame(np.zeros((0, table.shape[1])), word).columns)
        return table, made if columns is None else [str(name) for name in columns]
    if layer is not None:
        matrix = _member(cells.layers, layer, f"{source} has no layer {layer!r}")
    else:
        matrix = cells.X
    if matrix is None:
        there = join_names([f"--obsm {name}" for name in cells.obsm]) or "none"
        raise ValueError(f"{source} holds no matrix X; other tables: {there}")
    return matrix, [str(name) for name in cells.var_names]


def _member(held: Mapping[str, Any], name: str, missing: str) -> Any:
    for wanted in (name, f"X_{name}"):
        if wanted in held:
            return held[wanted]
    there = [other for other in held if other is not None]  # newer layers list X so
    raise ValueError(f"{missing}; there are: {join_names(there) or 'none'}")


def _notes(cells: Any, width: int) -> tuple[str, ...]:
    if width < MANY or "X_pca" not in cells.obsm:
        return ()
    return (
        f"X has {width} genes, and distances in as many are mostly noise; --obsm X_pca maps the "
        "principal components that are there",
    )


def write_cells(
    file: BinaryIO, path: str, rows: Array, coordinates: Array, told: Mapping[str, Any]
) -> None:
    """Write the cells of a h5ad file again, with a map in ``obsm`` and what made it in ``uns``.

    Cells that were not mapped have no place: NaN.
    """
    cells = read_cells(Path(path))
    placed = np.full((cells.n_obs, coordinates.shape[1]), np.nan)
    placed[rows] = coordinates
    add_map(cells, told["method"], placed, told)
    _write(cells, file)


def write_new_cells(
    file: BinaryIO, frame: Any, coordinates: list[str], told: Mapping[str, Any]
) -> None:
    """Write rows that came from another kind of file as cells, with their map in ``obsm``."""
    anndata = import_anndata()
    others = frame.drop(columns=coordinates).copy()
    others.index = [str(number) for number in range(len(frame))]
    others.columns = [str(name) for name in others.columns]
    cells = anndata.AnnData(obs=others)
    add_map(cells, told["method"], frame[coordinates].to_numpy(), told)
    _write(cells, file)


def add_map(cells: Any, method: str, coordinates: Array, told: Mapping[str, Any]) -> None:
    """Put a map beside the others of an AnnData, as scanpy does: ``obsm`` and ``uns``."""
    word = method.replace("-", "_")
    cells.obsm[f"X_{word}"] = coordinates
    parameters = json.dumps(told.get("parameters", {}), default=str)
    cells.uns[word] = {
        "method": method,
        "params": parameters,
        "columns": [str(name) for name in told.get("columns", ())],
    }


def _write(cells: Any, file: BinaryIO) -> None:
    """Write an AnnData into an open file: HDF5 wants a name, so it is written beside and copied."""
    import shutil
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        beside = Path(folder) / "cells.h5ad"
        cells.write_h5ad(beside)
        with beside.open("rb") as written:
            shutil.copyfileobj(written, file)


def scanpy_graph(cells: Any, kind: str) -> Any:
    """Return the neighbour graph that scanpy left in an AnnData.

    Parameters
    ----------
    cells : AnnData
        Cells whose neighbours were found (``scanpy.pp.neighbors``).
    kind : {"distances", "connectivities"}
        Lengths of edges, for ``metric="precomputed"``; or their weights, for ``weights="given"``.

    Returns
    -------
    csr_array
        The graph. An edge that is not stored is no edge.

    Raises
    ------
    ValueError
        If there is no graph, or what is stored under the name is of the other kind: weights of at
        most 1 on both sides of an edge are connectivities.

    Examples
    --------
    >>> from unspool.io import scanpy_graph
    >>> graph = scanpy_graph(cells, "distances")                           # doctest: +SKIP
    >>> unspool.Isomap(metric="precomputed", n_neighbors=None).fit(graph)  # doctest: +SKIP
    """
    import scipy.sparse as sp

    if kind not in ("distances", "connectivities"):
        raise ValueError(f"a graph of scanpy is distances or connectivities; got {kind!r}")
    key = cells.uns.get("neighbors", {}).get(f"{kind}_key", kind)
    if key not in cells.obsp:
        there = join_names(list(cells.obsp)) or "none"
        raise ValueError(f"obsp has no {key!r}; run scanpy.pp.neighbors first (there are: {there})")
    graph = sp.csr_array(cells.obsp[key], dtype=np.float64)
    looks_like = kind_of_graph(graph)
    if looks_like != kind and looks_like != "":
        raise ValueError(f"obsp[{key!r}] holds {looks_like}, not {kind}: {_WHY[looks_like]}")
    return graph


_WHY = {
    "connectivities": "it is symmetric, with weights between 0 and 1 and some of exactly 1",
    "distances": "lengths exceed 1, or differ in direction",
}


def kind_of_graph(graph: Any) -> str:
    """Return whether a sparse graph holds distances or connectivities; "" if that is not clear.

    Weights of UMAP are told as ``fit`` tells them; graphs of k nearest neighbours are not
    symmetric, and lengths may exceed 1.
    """
    if not graph.nnz:
        return ""
    if are_connectivities(graph):
        return "connectivities"
    largest = float(graph.data.max())
    is_symmetric = abs(graph - graph.T).max() <= 1e-6 * largest
    return "distances" if largest > 1.0 + 1e-6 or not is_symmetric else ""
