"""One case a method: how it is called in the tests that run over the whole catalogue.

A method added here under its class name runs through everything in tests/properties and
tests/trouble with no further test. The fields say what may be expected of it.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import unspool
from unspool import datasets


@dataclass(frozen=True)
class Case:
    """A method with parameters that suit the standing data (a roll of 300 points)."""

    cls: Any
    options: dict[str, Any] = field(default_factory=dict)
    precomputed: str | None = None  # the parameter that takes "precomputed", if any
    power: int = 0  # the map of s * X is s**power times the map of X
    closed_form: bool = True  # the map depends on distances alone, not on axes, order or seed
    nested: bool = True  # with fewer coordinates the map is the first axes of the one with more
    patient: bool = True  # any number of neighbours will do
    gaps: bool = False  # NaN in a table of distances is one that is not known
    interpolates: bool = True  # the way back of a graph method passes through the known points
    most: int | None = None  # coordinates it can have at most, whatever the data

    def make(self, **more):
        d = more.get("n_components")
        if self.most is not None and type(d) is int and d > self.most:
            pytest.skip(f"{self.cls.__name__} has at most {self.most} coordinates")
        return self.cls(**{**self.options, **more})

    @property
    def has_graph(self):
        return hasattr(self.cls(), "components")

    @property
    def has_pieces(self):
        """A graph whose pieces are mapped by policy, rather than found as clusters."""
        return self.has_graph and self.cls().components != "whole"


CASES = {
    "PCA": Case(unspool.PCA, power=1),
    "KernelPCA": Case(unspool.KernelPCA, {}, "kernel"),
    "ClassicalMDS": Case(unspool.ClassicalMDS, {}, "metric", power=1),
    "MDS": Case(unspool.MDS, {}, "metric", power=1, closed_form=False, nested=False, gaps=True),
    "Isomap": Case(unspool.Isomap, {"n_neighbors": 8}, "metric", power=1),
    "LLE": Case(unspool.LLE, {"n_neighbors": 8}, "metric"),
    "LaplacianEigenmaps": Case(unspool.LaplacianEigenmaps, {"n_neighbors": 8}, "metric"),
    "LandmarkMDS": Case(unspool.LandmarkMDS, {}, "metric", power=1, closed_form=False),
    "LandmarkIsomap": Case(
        unspool.LandmarkIsomap, {"n_neighbors": 8}, "metric", power=1, closed_form=False
    ),
    "KernelLLE": Case(unspool.KernelLLE, {"n_neighbors": 8}, "kernel"),
    "ModifiedLLE": Case(
        unspool.ModifiedLLE, {"n_neighbors": 10}, "metric", nested=False, patient=False
    ),
    "HessianLLE": Case(
        unspool.HessianLLE, {"n_neighbors": 18}, "metric", nested=False, patient=False
    ),
    "LTSA": Case(unspool.LTSA, {"n_neighbors": 10}, "metric", nested=False, patient=False),
    "DiffusionMaps": Case(unspool.DiffusionMaps, {"n_neighbors": 8}, "metric"),
    "SpectralClustering": Case(
        unspool.SpectralClustering, {"n_neighbors": 8, "n_clusters": 3}, "metric"
    ),
    "FeatureMapPCA": Case(unspool.FeatureMapPCA, power=2, closed_form=False),
    "PolynomialPCA": Case(unspool.PolynomialPCA, {"standardize": True}, closed_form=False),
    "AdditivePCA": Case(unspool.AdditivePCA, closed_form=False),
    "GPCA": Case(unspool.GPCA, {"n_components": 2}, power=1, closed_form=False, nested=False),
    "AutoassociativeNetwork": Case(
        unspool.AutoassociativeNetwork,
        {"n_starts": 2, "max_iter": 50},
        power=1,
        closed_form=False,
    ),
    "Charting": Case(
        unspool.Charting,
        {"n_neighbors": 8},
        power=1,
        closed_form=False,
        nested=False,
        interpolates=False,  # its charts lead back to their planes, near the points
    ),
    "ConformalEigenmaps": Case(
        unspool.ConformalEigenmaps, {"n_neighbors": 8, "n_vectors": 8}, "metric"
    ),
    "MaximumVarianceUnfolding": Case(
        unspool.MaximumVarianceUnfolding,
        {"n_neighbors": 8, "program": "reduced", "n_vectors": 10, "tol": 0.5, "max_iter": 12},
        "metric",
        power=1,
        closed_form=False,  # descent: with more steps than these it carries rounding far
    ),
    "TSNE": Case(
        unspool.TSNE,
        {"perplexity": 10, "early_iter": 50, "max_iter": 100, "start": "laplacian"},
        "metric",
        closed_form=False,
        nested=False,
    ),
    "PrincipalCurve": Case(
        unspool.PrincipalCurve, power=1, closed_form=False, nested=False, most=1
    ),
    "PrincipalSurface": Case(
        unspool.PrincipalSurface, {"max_iter": 5}, power=1, closed_form=False, nested=False
    ),
    "RandomProjection": Case(unspool.RandomProjection, power=1, closed_form=False),
}
CLOSED_FORM = {name: case for name, case in CASES.items() if case.closed_form}
GRAPH = {name: case for name, case in CASES.items() if case.has_pieces}
IN_SPACE = {name: case for name, case in GRAPH.items() if case.precomputed == "metric"}
DIMENSIONS = (1, 2, 3, 4)
EVERY_DIMENSION = [  # what iterates is slow, and does the same in any number of dimensions
    pytest.param(case, d, id=f"{name}-{d}")
    for name, case in CASES.items()
    for d in (DIMENSIONS if case.closed_form else (case.most or 2,))
]


def roll(n=300, seed=1):
    return datasets.swiss_roll(n, seed=seed)


def bent(n=300, seed=2, noise=0.05):
    """A roll with noise in two further directions: five features, so that four axes exist."""
    random = np.random.default_rng(seed)
    return np.hstack([roll(n, seed).points, noise * 10 * random.standard_normal((n, 2))])


def clusters(sizes, features=3, gap=100.0, seed=3):
    """Return well separated round clusters, and the label of each point, in shuffled order."""
    random = np.random.default_rng(seed)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    centres = np.zeros((len(sizes), features))
    centres[:, 0] = gap * np.arange(len(sizes)) ** 1.5  # unequal gaps: one spanning tree
    points = centres[labels] + random.uniform(-1, 1, (len(labels), features))
    order = random.permutation(len(labels))
    return points[order], labels[order]
