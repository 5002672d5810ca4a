"""Saved models on the command line: with the recipe that their data went through."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from unspool.saving import UnreadableModel, read

from .files import Recipe
from .naming import entry_called


def opened(path: str) -> tuple[Any, str, Recipe]:
    """Return the fitted model in a file, the name of its method, and its recipe."""
    held = read(path)
    try:
        check_is_fitted(held.model)
    except NotFittedError:
        raise ValueError(f"{path} holds a model that was never fitted") from None
    name = entry_called(type(held.model).__name__).name
    try:
        notes = held.notes.get("recipe")
        recipe = _bare(held.model) if notes is None else Recipe.from_notes(notes)
    except (TypeError, KeyError) as error:
        raise UnreadableModel(f"{path} does not say how its data were made ({error})") from None
    return held.model, name, recipe


def _bare(model: Any) -> Recipe:
    """Return the recipe of a model that was saved from Python: columns as they come, not scaled."""
    width = model.n_features_in_
    names = getattr(model, "feature_names_in_", None)
    columns = [f"x{i + 1}" for i in range(width)] if names is None else [str(n) for n in names]
    blank = np.full(width, np.nan)
    centre, spread = np.zeros(width), np.ones(width)
    return Recipe(tuple(columns), names is not None, "error", blank, "none", centre, spread)
