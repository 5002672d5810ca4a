"""What Python holds as a table: frames of pandas and polars, AnnData, arrays.

They are told by what they have, so that none of these packages is imported to look.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .table import Table, import_pandas, make_distinct, to_frame


def is_frame(X: Any) -> bool:
    """Tell whether X is a data frame: rows, and columns with names."""
    return hasattr(X, "columns") and hasattr(X, "dtypes") and not hasattr(X, "obs_names")


def is_anndata(X: Any) -> bool:
    """Tell whether X is an AnnData: cells with a matrix, and what describes them."""
    return all(hasattr(X, name) for name in ("obs_names", "var_names", "obsm", "uns"))


def table_of(X: Any, source: str = "the table") -> Table:
    """Return a frame, an AnnData or an array as a table.

    Parameters
    ----------
    X : data frame, AnnData or array-like
        The rows.
    source : str, default "the table"
        What messages call it.

    Returns
    -------
    Table
        Arrays have no names of the user's; all their columns are features.

    Examples
    --------
    >>> import pandas as pd
    >>> from unspool.io import table_of
    >>> list(table_of(pd.DataFrame({"a": [1.0], "b": ["word"]})).frame.columns)
    ['a', 'b']
    """
    if is_anndata(X):
        from .cells import table_of_cells

        return table_of_cells(X, source)
    if is_frame(X):
        return _table_of_frame(X, source)
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(f"{source} must have rows and columns; got shape {array.shape}")
    frame = to_frame(array)
    return Table(frame, source, features=tuple(frame.columns), named=False)


def _table_of_frame(X: Any, source: str) -> Table:
    frame = X if hasattr(X, "iloc") else _from_polars(X)
    names, repeated = make_distinct([str(name) for name in frame.columns])
    if repeated:
        raise ValueError(f"{source} has two columns {repeated[0]!r}; give them different names")
    return Table(frame.set_axis(names, axis=1).reset_index(drop=True), source)


def _from_polars(X: Any) -> Any:
    """Return a frame of polars, or of anything else that gives its columns as arrays, in pandas."""
    return import_pandas().DataFrame({str(n): np.asarray(X[n]) for n in X.columns})
