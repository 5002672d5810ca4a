"""What can be wrong with a map: each check measures one number, and has one thing to say."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from ..case import Case
from .measure import Measure
from .promise import continuity, distortion, residual_variance, stress, trustworthiness
from .relation import pieces, short_circuits
from .solution import convergence, eigengap, landmarks, negative_eigenvalues

Check = Callable[[Case], Measure | None]

# Causes come first: with one of them, what the map fails to keep is its consequence.
CAUSES: tuple[Check, ...] = (convergence, pieces, short_circuits)
PROMISES: tuple[Check, ...] = (
    trustworthiness,
    continuity,
    stress,
    residual_variance,
    distortion,
    negative_eigenvalues,
)
OTHERS: tuple[Check, ...] = (eigengap, landmarks)


def measures_of(case: Case) -> Iterator[Measure]:
    """Yield everything that can be measured, with one piece of advice for each parameter at most.

    What follows from something that was advised before is not sound either, but has no advice of
    its own: two changes for one cause would contradict each other.
    """
    advised: set[str] = set()
    for check in (*CAUSES, *PROMISES, *OTHERS):
        found = check(case)
        if found is None:
            continue
        follows = bool(advised) and check not in OTHERS
        if not found.ok and (follows or found.parameter in advised):
            found = replace(found, advice="", parameter="", suggestion=None)
        advised |= {found.parameter} - {""}
        yield found


__all__ = ["Measure", "measures_of"]
