"""parquet, feather and h5ad files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...memory import claim
from .table import Table, distinct, pandas


def read_columnar(path: Path) -> Table:
    """Return the table in a parquet or feather file."""
    pd = pandas()
    read = pd.read_parquet if path.suffix == ".parquet" else pd.read_feather
    try:
        frame = read(path)
    except ImportError:
        raise ImportError(f"{path.suffix} files need pyarrow; pip install 'unspool[app]'") from None
    except (ValueError, OSError) as error:
        first = str(error).strip().splitlines()[0]
        raise ValueError(
            f"{path} is no {path.suffix[1:]} file that can be read ({first})"
        ) from None
    index = frame.index.to_frame(index=False)
    index = index[[name for name in frame.index.names if name is not None]]
    width, frame = frame.shape[1], pd.concat([frame.reset_index(drop=True), index], axis=1)
    names = distinct([str(name) for name in frame.columns])[0]
    frame.columns = names
    labels = names[width:]
    return Table(frame[[*labels, *names[:width]]], str(path), labels=tuple(labels))


def read_h5ad(path: Path) -> Table:
    """Return the cells of an AnnData file: its matrix X, and the columns that describe them."""
    try:
        import anndata
    except ModuleNotFoundError:
        raise ImportError("h5ad files need anndata; pip install anndata") from None
    try:
        cells = anndata.read_h5ad(path)
    except (ValueError, OSError, KeyError) as error:
        raise ValueError(f"{path} is no h5ad file that can be read ({error})") from None
    return _of_cells(cells, path)


def _of_cells(cells: Any, path: Path) -> Table:
    pd = pandas()
    if cells.X is None:
        raise ValueError(f"{path} holds no matrix X")
    n, width = cells.X.shape
    claim(8 * n * width, f"the {n} x {width} matrix of {path}", "select fewer genes or cells first")
    points = cells.X.toarray() if hasattr(cells.X, "toarray") else cells.X
    names, _ = distinct([str(name) for name in cells.var_names])
    described = cells.obs.reset_index(drop=True)
    *beside, cell = distinct([*names, *(str(name) for name in described.columns), "cell"])[0]
    described.columns = beside[len(names) :]
    described.insert(0, cell, cells.obs.index)
    frame = pd.concat([pd.DataFrame(points, columns=names), described], axis=1)
    return Table(frame, str(path), features=tuple(names))
