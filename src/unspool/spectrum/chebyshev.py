"""A polynomial in a matrix that singles out the small end of its spectrum."""

from __future__ import annotations

from collections.abc import Callable

from ..values import Array

DEGREE = 24  # products in one pass of the filter


def chebyshev_filter(
    apply: Callable[[Array], Array], bound: float, ceiling: float, degree: int = DEGREE
) -> Callable[[Array], Array]:
    """Return p(matrix), with p the Chebyshev polynomial of [bound, ceiling].

    Between the two, p is at most one in size; below ``bound`` it grows like
    cosh(degree arccosh(...)), the fastest that a polynomial of this degree can. Scaled to one at
    zero, so that nothing overflows. The degree is even: p is positive below ``bound``.
    """
    centre, half = 0.5 * (bound + ceiling), 0.5 * (ceiling - bound)
    start = half / (0.0 - centre)

    def filtered(block: Array) -> Array:
        # the recursion T_k = 2 t T_(k-1) - T_(k-2), each term over its value at zero
        scale = start
        before, now = block, (apply(block) - centre * block) * (scale / half)
        for _ in range(2, degree + 1):
            following = 1.0 / (2.0 / start - scale)
            step = (apply(now) - centre * now) * (2.0 * following / half)
            before, now, scale = now, step - (scale * following) * before, following
        return now

    return filtered
