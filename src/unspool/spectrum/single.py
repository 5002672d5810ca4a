"""Products in double precision with tables that are kept in single precision."""

from __future__ import annotations

import numpy as np

from ..threads import over_rows
from ..values import Array

ROWS = 128  # a thread takes at a time


def double_product(table: Array, block: Array) -> Array:
    """Return table @ block, summed in double precision, of a table in single precision."""
    from ._kernels import add_up_products

    turned = np.ascontiguousarray(block.T, dtype=np.float64)
    product = np.empty((len(table), len(turned)))

    def work(rows: slice) -> None:
        add_up_products(table, turned, rows.start, rows.stop, product)

    over_rows(work, len(table), ROWS)
    return product
