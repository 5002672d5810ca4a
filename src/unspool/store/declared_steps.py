"""What is saved around methods must hold: steps of a pipeline, a table's preparation, a sample.

Fields of other releases of scikit-learn are optional, so that a file travels between them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..catalog import METHODS
from ..io.preparation import CURVES, NA_CHOICES, SCALES
from .declared_values import ANY_REAL, SINGLE_TOO
from .registry import STEPS, Declaration, Part
from .rules import (
    Either,
    Facts,
    Indices,
    Items,
    Names,
    Nothing,
    Number,
    Reals,
    Rule,
    Scalar,
    Sizes,
    Truth,
    Whole,
    Word,
    optional,
)

MOST_STEPS = 64


@dataclass(frozen=True)
class NumberType(Scalar):
    """The type of an array's numbers."""

    def fits(self, value: Any, sizes: Sizes) -> bool:
        """Tell whether it is one."""
        return isinstance(value, np.dtype) and value.kind in "biuf"


@dataclass(frozen=True)
class NamedFunction(Scalar):
    """One of the functions of NumPy that the format knows by name."""

    def fits(self, value: Any, sizes: Sizes) -> bool:
        """Tell whether it is one."""
        return isinstance(value, np.ufunc)


@dataclass(frozen=True)
class NotANumber(Scalar):
    """NaN, which stands for what is missing."""

    def fits(self, value: Any, sizes: Sizes) -> bool:
        """Tell whether it is NaN."""
        return isinstance(value, float) and value != value


class Steps:
    """The steps of a pipeline, in order: pairs of a name and a step."""

    sizeless = True

    def __init__(self, *words: str) -> None:
        self.part = Either(Part(*words), Word(("passthrough",)), Nothing())

    def fits(self, value: Any, sizes: Sizes) -> bool:
        """Tell whether all are steps, and the last is one of the methods."""
        if not (isinstance(value, list) and 1 <= len(value) <= MOST_STEPS):
            return False
        pairs = [pair for pair in value if isinstance(pair, tuple) and len(pair) == 2]
        names = [name for name, _ in pairs if isinstance(name, str)]
        if not len(value) == len(pairs) == len(names) == len(set(names)):
            return False
        is_last = Part(*METHODS).fits(value[-1][1], {})
        return is_last and all(self.part.fits(step, {}) for _, step in value)

    def holds(self, value: Any, sizes: Sizes) -> bool:
        """Say yes: the steps were looked at with their classes."""
        return True


FINITE = Reals(("p",))
POSITIVE = Reals(("p",), least=1e-150)
FRACTION = Number(0.0, 100.0)
FLAG, COUNT = Truth(), Either(Whole(), Number(0.0))
BASE: dict[str, Rule] = {
    "n_features_in_": Whole(1, size="p"),
    "feature_names_in_": Names("p"),
    "_sklearn_output_config": Facts(),
}
OPTIONAL = {"feature_names_in_", "_sklearn_output_config"}


def _step(
    learned: dict[str, Rule], parameters: dict[str, Rule], *newer: str, **more: Rule
) -> Declaration:
    fields = {**BASE, **learned}
    return Declaration(fields, None, frozenset({*OPTIONAL, *newer}), {**parameters, **more})


PIPELINE: dict[str, Rule] = {
    "steps": Steps(*METHODS, *STEPS),
    "transform_input": Nothing(),
    "memory": Nothing(),
    "verbose": FLAG,
    "_sklearn_output_config": Facts(),
}
_OUTLINE = Declaration({}, None, frozenset({"_sklearn_output_config", "transform_input"}), PIPELINE)
_PAIR = Items(Number(), 2)

DECLARED: dict[str, Declaration] = {
    "pipeline": _OUTLINE,
    "table model": _OUTLINE,
    "by sample": Declaration(
        {
            "method": Part(*METHODS),
            "n": Whole(2),
            "held_out": Whole(1),
            "seed": Whole(),
            "model_": Part(*METHODS, n="s", d="d"),
            "sample_": Indices(("s",), "n"),
            "held_out_": Indices(("h",), "n"),
            "embedding_": Reals(("n", "d"), -ANY_REAL, ANY_REAL, SINGLE_TOO),
            "placing_error_": Number(0.0),
            "placing_errors_": Reals(("h",), 0.0),
            "report_": Part("report"),
        }
    ),
    "recipe": Declaration(
        {
            "columns": Items(Word(), "p", fewest=1),
            "named": FLAG,
            "na": Word(NA_CHOICES),
            "fill": Reals(("p",), gaps=True),
            "scale": Word(tuple(SCALES)),
            "center": FINITE,
            "spread": POSITIVE,
            "curve": Word(CURVES),
            "cofactor": Number(1e-150, 1e150),
            "member": Word(),
        }
    ),
    "table preparation": _step(
        {"recipe_": Part("recipe", p="p")},
        {
            "columns": optional(Word()),
            "na": Word(NA_CHOICES),
            "curve": Word(CURVES),
            "cofactor": Number(1e-150, 1e150),
            "scale": Word(tuple(SCALES)),
        },
    ),
    "standard scaler": _step(
        {
            "n_samples_seen_": Either(COUNT, Reals(("p",), 0.0, dtypes=("float64", "int64"))),
            "mean_": optional(FINITE),
            "var_": optional(Reals(("p",), 0.0)),
            "scale_": optional(POSITIVE),
        },
        {"with_mean": FLAG, "with_std": FLAG, "copy": FLAG},
    ),
    "range scaler": _step(
        {
            "n_samples_seen_": COUNT,
            "scale_": FINITE,
            "min_": FINITE,
            "data_min_": FINITE,
            "data_max_": FINITE,
            "data_range_": Reals(("p",), 0.0),
        },
        {"feature_range": _PAIR, "copy": FLAG, "clip": FLAG},
    ),
    "largest value scaler": _step(
        {"n_samples_seen_": COUNT, "max_abs_": Reals(("p",), 0.0), "scale_": POSITIVE},
        {"copy": FLAG, "clip": FLAG},
        "clip",
    ),
    "robust scaler": _step(
        {"center_": optional(FINITE), "scale_": optional(POSITIVE)},
        {
            "with_centering": FLAG,
            "with_scaling": FLAG,
            "quantile_range": Items(FRACTION, 2),
            "unit_variance": FLAG,
            "copy": FLAG,
        },
    ),
    "row normalizer": _step({}, {"norm": Word(("l1", "l2", "max")), "copy": FLAG}),
    "imputer": _step(
        {
            "_fit_dtype": NumberType(),
            "_fill_dtype": NumberType(),
            "indicator_": Nothing(),
            "statistics_": Reals(("p",), gaps=True),
        },
        {
            "missing_values": Either(Number(), NotANumber(), Nothing()),
            "strategy": Word(("mean", "median", "most_frequent", "constant")),
            "fill_value": Either(Nothing(), Number()),
            "copy": FLAG,
            "add_indicator": FLAG,
            "keep_empty_features": FLAG,
        },
        "_fill_dtype",
    ),
    "function": _step(
        {},
        {
            "func": optional(NamedFunction()),
            "inverse_func": optional(NamedFunction()),
            "validate": FLAG,
            "accept_sparse": FLAG,
            "check_inverse": FLAG,
            "feature_names_out": optional(Word(("one-to-one",))),
            "kw_args": Nothing(),
            "inv_kw_args": Nothing(),
        },
        "n_features_in_",
    ),
    "variance threshold": _step({"variances_": Reals(("p",), 0.0)}, {"threshold": Number(0.0)}),
    "scikit-learn pca": _step(
        {
            "_fit_svd_solver": Word(),
            "mean_": FINITE,
            "noise_variance_": Number(0.0),
            "n_samples_": Whole(1),
            "n_components_": Whole(1, size="d"),
            "components_": Reals(("d", "p")),
            "explained_variance_": Reals(("d",), 0.0),
            "explained_variance_ratio_": Reals(("d",), 0.0),
            "singular_values_": Reals(("d",), 0.0),
        },
        {
            "n_components": Either(Nothing(), Word(("mle",)), Whole(), Number(0.0)),
            "copy": FLAG,
            "whiten": FLAG,
            "svd_solver": Word(),
            "tol": Number(0.0),
            "iterated_power": Either(Word(("auto",)), Whole()),
            "n_oversamples": Whole(),
            "power_iteration_normalizer": Word(),
            "random_state": optional(Whole()),
        },
    ),
    "truncated svd": _step(
        {
            "components_": Reals(("d", "p")),
            "explained_variance_": Reals(("d",), 0.0),
            "explained_variance_ratio_": Reals(("d",), 0.0),
            "singular_values_": Reals(("d",), 0.0),
        },
        {
            "algorithm": Word(("arpack", "randomized")),
            "n_components": Whole(1),
            "n_iter": Whole(),
            "n_oversamples": Whole(),
            "power_iteration_normalizer": Word(),
            "random_state": optional(Whole()),
            "tol": Number(0.0),
        },
    ),
}
