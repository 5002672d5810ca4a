"""Every method maps new points: a fifth of a Swiss roll is held out and placed afterwards."""

import numpy as np
import pytest

from tests.cases import CASES
from unspool import datasets, quality

ROLL = datasets.swiss_roll(1000, seed=11)
HELD_OUT = np.arange(1000) % 5 == 0
SLOW = {"PrincipalSurface", "AutoassociativeNetwork"}  # their fits take many seconds at this size


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in CASES]
)
def test_new_points_fit_as_well_as_the_fitted_ones(name):
    width = 1 if name == "PrincipalCurve" else 2
    model = CASES[name].make(n_components=width).fit(ROLL.points[~HELD_OUT])
    fitted = quality.disparity(model.embedding_, ROLL.coordinates[~HELD_OUT])
    placed = quality.disparity(model.transform(ROLL.points[HELD_OUT]), ROLL.coordinates[HELD_OUT])
    assert placed <= max(1.5 * fitted, 1e-3)


@pytest.mark.parametrize("name", ["Isomap", "LandmarkIsomap", "LTSA", "HessianLLE", "ModifiedLLE"])
def test_new_points_lie_where_the_truth_says(name):
    """One affine map, fitted on the old points, takes the new ones to their true coordinates."""
    model = CASES[name].make(n_neighbors=10).fit(ROLL.points[~HELD_OUT])
    design = np.column_stack([np.ones(800), model.embedding_])
    to_truth = np.linalg.lstsq(design, ROLL.coordinates[~HELD_OUT], rcond=None)[0]
    places = np.column_stack([np.ones(200), model.transform(ROLL.points[HELD_OUT])])
    truth = ROLL.coordinates[HELD_OUT]
    misses = np.square(places @ to_truth - truth).mean(axis=0) / truth.var(axis=0)
    fitted = 1.0 - quality.explained_by(model.embedding_, ROLL.coordinates[~HELD_OUT])
    assert (misses <= 1.5 * fitted + 1e-3).all()
