"""Products of tables with few vectors: all entries are read once, which is all that takes time."""

from __future__ import annotations

import numpy as np

from ..threads import over_rows
from ..values import Array

ROWS = 128  # a thread takes at a time
SMALL = 1 << 23  # entries, below which any way is fast, and this one would first have to compile
FEW = 16  # vectors, up to which this is faster than a matrix product (twice as fast for six)


def is_own_product(table: Array, block: Array) -> bool:
    """Tell whether ``double_product`` multiplies by itself, or leaves it to BLAS."""
    if table.size < SMALL:
        return False
    few = block.shape[1] <= FEW and table.flags.c_contiguous
    return bool(few or table.dtype != np.float64)


def double_product(table: Array, block: Array) -> Array:
    """Return table @ block, summed in double precision, of a table in single or double."""
    if not is_own_product(table, block):
        return np.asarray(table.astype(np.float64, copy=False) @ block)
    from ._kernels import add_up_products

    turned = np.ascontiguousarray(block.T, dtype=np.float64)
    product = np.empty((len(table), len(turned)))

    def work(rows: slice) -> None:
        add_up_products(table, turned, rows.start, rows.stop, product)

    over_rows(work, len(table), ROWS)
    return product
