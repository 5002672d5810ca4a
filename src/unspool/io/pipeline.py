"""A table's preparation as a step of a pipeline, and the whole job: prepare rows, then map them.

>>> import unspool
>>> from unspool.io import TablePreparation
>>> from sklearn.pipeline import make_pipeline
>>> frame = unspool.io.read_table("demo:swiss-roll:200").frame.drop(columns="color")
>>> job = make_pipeline(TablePreparation(scale="standard"), unspool.Isomap(2))
>>> job.fit_transform(frame).shape
(200, 2)
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ..values import Array
from .preparation import Recipe, Selection, apply_recipe, prepare
from .table import table_of


class TablePreparation(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # without types
    """Choose, fill and scale the columns of a table, as the command line does.

    Query rows are treated as those of the fit were: columns are found by their names, whatever
    their order and whatever stands beside them; those of an array by their place.

    Parameters
    ----------
    columns : str or None, default=None
        The columns to map: ``"a,b"``, ``"first:last"`` or ``"pixel*"``; None for all that hold
        numbers, except one that merely numbers the rows.
    na : {"error", "mean"}, default="error"
        Refuse rows with missing values, or fill in the means of the fitted columns.
    curve : {"none", "log", "arcsinh"}, default="none"
        Take log(1 + x), or arcsinh(x / cofactor), of every value first.
    cofactor : float, default=5.0
        What values are divided by before arcsinh.
    scale : {"none", "standard", "range", "robust"}, default="none"
        How columns are brought to one scale.

    Attributes
    ----------
    recipe_ : Recipe
        What was learned: columns, means, centers and spreads.
    n_features_in_ : int
        Number of columns that are mapped.
    feature_names_in_ : ndarray
        Their names, where they have some.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool.io import TablePreparation
    >>> TablePreparation(scale="range").fit_transform(np.array([[1.0, 10.0], [3.0, 20.0]]))
    array([[0., 0.],
           [1., 1.]])
    """

    def __init__(
        self,
        columns: str | None = None,
        *,
        na: str = "error",
        curve: str = "none",
        cofactor: float = 5.0,
        scale: str = "none",
    ) -> None:
        self.columns = columns
        self.na = na
        self.curve = curve
        self.cofactor = cofactor
        self.scale = scale

    @classmethod
    def following(cls, recipe: Recipe) -> TablePreparation:
        """Return the preparation that does what a recipe says.

        Parameters
        ----------
        recipe : Recipe
            That of a ``PreparedTable``.

        Returns
        -------
        TablePreparation
            Ready to transform.

        Examples
        --------
        >>> from unspool.io import TablePreparation, read_points
        >>> made = read_points("demo:helix:50", scale="range")
        >>> again = TablePreparation.following(made.recipe).transform(made.table.frame)
        >>> bool((again == made.points).all())
        True
        """
        made = cls(None, na=recipe.na, curve=recipe.curve, cofactor=recipe.cofactor)
        made.scale = recipe.scale
        return made._learn(recipe)

    def _learn(self, recipe: Recipe) -> Self:
        self.recipe_ = recipe
        self.n_features_in_ = len(recipe.columns)
        if recipe.named:
            self.feature_names_in_ = np.array(recipe.columns, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn which columns there are, their means, centers and spreads.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)
            The rows: a frame of pandas or polars, an AnnData, or an array.
        y : None
            Ignored: scikit-learn passes it.

        Returns
        -------
        Self
            The fitted preparation.
        """
        if self.na == "drop":
            raise ValueError("a step of a pipeline keeps all rows; drop them first, or na='mean'")
        chosen = Selection(
            self.columns,
            na=self.na,
            scale=self.scale,
            curve=self.curve,
            cofactor=self.cofactor,
        )
        return self._learn(prepare(table_of(X), chosen).recipe)

    def transform(self, X: Any) -> Array:
        """Return rows chosen, filled and scaled as those of the fit.

        Parameters
        ----------
        X : data frame or array-like of shape (n_rows, n_features)
            A frame that has the fitted columns, or an array of these columns in their order.

        Returns
        -------
        ndarray of shape (n_rows, n_columns)
            What the method maps.
        """
        check_is_fitted(self)
        table = table_of(X, member=self.recipe_.member)
        made = apply_recipe(self.recipe_, table, Selection(na=self._rule_for_gaps()))
        return made.points

    def _rule_for_gaps(self) -> str:
        # a table of the command line may lose rows, as its output has names; an array may not
        return "error" if self.recipe_.na == "drop" else self.recipe_.na

    def inverse_transform(self, X: Any) -> Array:
        """Return points in the units of the table.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            Points as ``transform`` returns them.

        Returns
        -------
        ndarray of shape (n_rows, n_columns)
            The same rows, as they would stand in the table.
        """
        check_is_fitted(self)
        with np.errstate(over="ignore"):  # of what arcsinh and log had shortened: told below
            rows = self.recipe_.undo(np.asarray(X))
        beyond = ~np.isfinite(rows).all(axis=1)
        if beyond.any():
            raise ValueError(
                f"row {int(beyond.argmax())} lies so far out that its values in the units of the "
                "table are beyond all numbers"
            )
        return rows

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Return the names of the columns that are mapped.

        Parameters
        ----------
        input_features : None
            Ignored: the columns are those of the fit.

        Returns
        -------
        ndarray of str
            The names.
        """
        check_is_fitted(self)
        return np.array(self.recipe_.columns, dtype=object)


class TableModel(Pipeline):  # type: ignore[misc]  # without types
    """A method with the preparation of its table: what ``unspool embed --model`` saves.

    A scikit-learn pipeline of two steps that also has what its method learned (``embedding_``,
    ``report_``). It takes raw rows, and comes back to the units of the table.

    Parameters
    ----------
    steps : list of (str, estimator)
        The preparation, and the method.
    transform_input : list of str or None, default=None
        As for Pipeline.
    memory : None, default=None
        As for Pipeline.
    verbose : bool, default=False
        As for Pipeline.

    Examples
    --------
    >>> import unspool
    >>> from unspool.io import TableModel, TablePreparation
    >>> frame = unspool.io.read_table("demo:swiss-roll:200").frame.drop(columns="color")
    >>> steps = [("table", TablePreparation(scale="standard")), ("pca", unspool.PCA(2))]
    >>> TableModel(steps).fit(frame).embedding_.shape
    (200, 2)
    """

    @classmethod
    def of(cls, recipe: Recipe, name: str, model: Any) -> TableModel:
        """Return a fitted method with the recipe of the points that it was fitted on.

        Parameters
        ----------
        recipe : Recipe
            What was done to the table.
        name : str
            What the method is called.
        model : fitted method
            The method.

        Returns
        -------
        TableModel
            Both as one.

        Examples
        --------
        >>> import unspool
        >>> from unspool.io import TableModel, read_points
        >>> made = read_points("demo:helix:50", scale="range")
        >>> job = TableModel.of(made.recipe, "pca", unspool.PCA(2).fit(made.points))
        >>> bool((job.transform(made.table.frame) == job.embedding_).all())
        True
        """
        return cls([("table", TablePreparation.following(recipe)), (name, model)])

    def __getattr__(self, name: str) -> Any:
        """Return what the method learned."""
        steps = self.__dict__.get("steps")
        if steps and name.endswith("_") and not name.startswith("_"):
            return getattr(steps[-1][1], name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


def pass_through(steps: Any, X: Any) -> Any:
    """Return rows as the last step of a fitted pipeline gets them.

    Parameters
    ----------
    steps : Pipeline
        A fitted pipeline.
    X : table
        Its raw rows.

    Returns
    -------
    table
        The rows after all steps but the last.

    Examples
    --------
    >>> from unspool import PCA
    >>> from unspool.io import TableModel, pass_through, read_points
    >>> made = read_points("demo:helix:50", scale="range")
    >>> job = TableModel.of(made.recipe, "pca", PCA(2).fit(made.points))
    >>> bool((pass_through(job, made.table.frame) == made.points).all())
    True
    """
    for _, step in steps.steps[:-1]:
        X = X if step in (None, "passthrough") else step.transform(X)
    return X
