"""What is measured: one row a question, ours and each peer on the same data.

A side is a function of the data that returns a dict of arrays; the time of the call is what
counts, imports and data excluded. ``quality`` turns an answer into one number, the same for both
sides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from . import data

Answer = dict[str, Any]
Side = Callable[[data.Data], Answer]


@dataclass(frozen=True)
class Row:
    """A benchmark: data, our side, the peers' sides, and how an answer is judged.

    ``method`` is the entry of the catalogue that the row speaks for.
    """

    name: str
    method: str
    make: Callable[[], data.Data]
    ours: Side | AfterFit
    peers: dict[str, Side | AfterFit] = field(default_factory=dict)
    quality: Callable[[Answer, data.Data], float] | None = None
    measures: str = ""
    runs: int = 3
    slow: bool = False  # left out by --quick
    real: bool = False  # a table that somebody measured, not one that was made for a method
    patience: float = 3600.0  # seconds that a peer may take, its start included


@dataclass(frozen=True)
class AfterFit:
    """A side whose model is fitted before the clock starts."""

    fit: Side
    act: Callable[[Any, data.Data], Answer]

    def prepare(self, sample: data.Data) -> Side:
        """Return the side with the model at hand."""
        return partial(self.act, self.fit(sample))


def judged(quality: Callable[..., float], measures: str, *, real: bool = False) -> Any:
    """Return the maker of rows whose answers are judged in one way.

    A row is called NAME-SIZE for the catalogue's method; ``side`` replaces the plain fit, with
    ``options``, of two coordinates.
    """

    def row(
        name: str,
        method: str,
        make: Callable[[], data.Data],
        *,
        peers: dict[str, Any] | None = None,
        side: Any = None,
        runs: int = 3,
        slow: bool = True,
        **options: Any,
    ) -> Row:
        ours = side or recipe(method, **{"n_components": 2, **options})
        patience = 300.0 if real else 3600.0
        return Row(
            name, method, make, ours, peers or {}, quality, measures, runs, slow, real, patience
        )

    return row


def model_side(make: Callable[[], Any]) -> Side:
    """Return the side that fits a model and keeps its map and eigenvalues."""

    def side(sample: data.Data) -> Answer:
        model = make().fit(sample.points)
        answer = {"map": np.asarray(model.embedding_)}
        if getattr(model, "eigenvalues_", None) is not None:
            answer["values"] = np.asarray(model.eigenvalues_)
        if getattr(model, "report_", None) is not None:
            answer["report"] = str(model.report_)
        if getattr(model, "n_iter_", None) is not None:
            answer["notes"] = f"{model.n_iter_} steps"
        return answer

    return side


def sklearn(module: str, name: str, **options: Any) -> Side:
    """Return scikit-learn's side."""

    def side(sample: data.Data) -> Answer:
        from importlib import import_module

        model = getattr(import_module(f"sklearn.{module}"), name)(**options)
        return {"map": model.fit_transform(sample.points)}

    return side


def tapkee(method: str, **options: Any) -> Side:
    """Return tapkee's side, with two coordinates; it takes one column per point."""

    def side(sample: data.Data) -> Answer:
        import tapkee as package

        table = np.asfortranarray(sample.points.T, dtype=np.float64)
        return {"map": np.asarray(package.embed(table, method=method, **options))}

    return side


def recipe(method: str, **options: Any) -> Side:
    """Return our side: the catalogue's ``method`` with these options."""

    def make() -> Any:
        from unspool.catalog import entry_of

        return entry_of(method).load()(**options)

    return model_side(make)


def explained(answer: Answer, sample: data.Data) -> float:
    """Return the worst R^2 of the true coordinates, by an affine function of the map."""
    from unspool.quality import explained_by

    return float(explained_by(answer["map"], sample.truth).min())


def misfit(answer: Answer, sample: data.Data) -> float:
    """Return the Procrustes disparity of the map to the true coordinates."""
    from unspool.quality import disparity

    return float(disparity(answer["map"], sample.truth))


def variance(answer: Answer, sample: data.Data) -> float:
    """Return the variance of the map: what a gram method maximises."""
    return float(np.asarray(answer["map"]).var(axis=0).sum())


def smoothness(answer: Answer, sample: data.Data) -> float:
    """Return the generalised Rayleigh quotient that Laplacian eigenmaps minimise, summed.

    Computed the same way for both sides, from 0/1 weights of the union neighbour graph.
    """
    from unspool import distances, graph

    edges = graph.symmetrize(distances.neighbor_graph(sample.points, 10))
    degree = edges.counts.astype(float)
    basis = np.asarray(answer["map"], np.float64)
    basis = basis - (degree @ basis) / degree.sum()
    triangle = np.linalg.cholesky(basis.T @ (degree[:, None] * basis))
    basis = np.linalg.solve(triangle, basis.T).T
    gaps = basis[edges.rows] - basis[edges.neighbors]
    return float(0.5 * np.square(gaps).sum())
