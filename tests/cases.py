"""One case a method: how it is called in the tests that run over the whole catalogue."""

from dataclasses import dataclass, field
from typing import Any

import unspool
from unspool import datasets


@dataclass(frozen=True)
class Case:
    """A method with parameters that suit the standing data (a roll of 300 points)."""

    cls: Any
    options: dict[str, Any] = field(default_factory=dict)
    precomputed: str | None = None  # the parameter that takes "precomputed", if any

    def make(self, **more):
        return self.cls(**{**self.options, **more})


CASES = {
    "PCA": Case(unspool.PCA),
    "KernelPCA": Case(unspool.KernelPCA, {"sigma": 6.0}, "kernel"),
    "ClassicalMDS": Case(unspool.ClassicalMDS, {}, "metric"),
    "Isomap": Case(unspool.Isomap, {"n_neighbors": 8}, "metric"),
    "LLE": Case(unspool.LLE, {"n_neighbors": 8}, "metric"),
    "LaplacianEigenmaps": Case(unspool.LaplacianEigenmaps, {"n_neighbors": 8}, "metric"),
}


def roll(n=300, seed=1):
    return datasets.swiss_roll(n, seed=seed)
