"""Methods whose relation is a full table of similarities: kernel PCA and classical scaling."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import extension, problem
from ..kernel import Centering
from ..runtime import advise, claim, stage, warn
from ..spectrum import solve
from ..values import Array, Spectrum
from .estimator import Method
from .parameters import learned, method


@method
class SimilarityMethod(Method):
    """Similarity table -> centred gram -> sqrt(value) v; new points by their centred rows."""

    _INSTEAD = "embed a sample and transform the rest"

    _centering: Centering | None = learned()
    _coordinates: Array = learned()

    def _similarity(self, points: Any) -> Array:
        """Return the similarities of these points (rows) to the fitted ones (columns)."""
        raise NotImplementedError

    def _learn(self, points: Any) -> None:
        n = points.shape[0]
        claim(3 * n * n * 8, f"the {n} x {n} similarities of {type(self).__name__}", self._INSTEAD)
        check_count(self.n_components, n - 1)
        with stage("similarity") as running:
            similarity = self._similarity(points)
            running.note(holds=similarity.nbytes)
        centred = self._is_centred()
        self._centering = Centering.of(similarity) if centred else None
        eigenproblem = problem.gram(similarity, centered=centred)
        spectrum = solve(eigenproblem, self.n_components, seed=self.random_state)
        self.eigenvalues_, self._coordinates = scaled_coordinates(spectrum)
        if self._centering is not None:
            advise_if_not_euclidean(self.eigenvalues_, self._centering, np.diag(similarity))
        self.embedding_ = self._coordinates

    def _is_centred(self) -> bool:
        return True

    def _map(self, points: Any) -> Array:
        rows = self._similarity(points)
        if self._centering is not None:
            rows = self._centering.rows(rows)
        return extension.place(rows, self._coordinates, self.eigenvalues_)

    def kernel_(self) -> Array:
        """Return the (centred) similarity table, whose kernel PCA is this map."""
        similarity = self._similarity(self._given)
        return similarity if self._centering is None else self._centering.rows(similarity)


def scaled_coordinates(spectrum: Spectrum) -> tuple[Array, Array]:
    """Return the values and coordinates sqrt(value) v of a gram problem.

    Values that are negative, or zero up to rounding, carry no coordinate: they become zero, and so
    does their column, with a warning.
    """
    values = np.array(spectrum.values)
    floor = 256 * np.finfo(float).eps * float(np.abs(values).max(initial=0.0))
    empty = values <= max(floor, spectrum.rounding)
    values[empty] = 0.0
    if empty.any():
        sentence = (
            f"only {int((~empty).sum())} of {len(values)} coordinates carry anything: the other "
            "eigenvalues are zero or negative; lower n_components"
        )
        warn(sentence)
    return values, spectrum.vectors * np.sqrt(values)


def advise_if_not_euclidean(values: Array, centering: Centering, diagonal: Array) -> None:
    """Tell if the kept values exceed the trace: then there are negative ones elsewhere."""
    trace = float(diagonal.sum()) - len(diagonal) * centering.grand_mean
    missing = float(values.sum()) - trace
    if missing > 1e-9 * abs(trace):
        advise(
            f"eigenvalues of at least -{missing:.3g} in sum are negative (kept: "
            f"{float(values.sum()):.3g}), so these distances are of no Euclidean points; "
            "negative_mass() tells how far from it"
        )


def check_count(n_components: int, most: int) -> None:
    """Raise ValueError if more coordinates are asked for than there can be."""
    if n_components > most:
        raise ValueError(
            f"n_components={n_components} is more than {most + 1} points have; use at most {most}"
        )
