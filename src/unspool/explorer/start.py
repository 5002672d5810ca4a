"""How an explorer begins: from a table or from Python, in a browser, a notebook or a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from ..evaluate import Comparison
from ..io import PreparedTable, Recipe
from ..io.table import import_pandas
from ..quality import checked, checked_table
from .columns import Data, images_of
from .jobs import Jobs
from .routes import Explorer
from .session import Session, taken_maps

if TYPE_CHECKING:
    from .server import Serving


def data_of_table(
    made: PreparedTable, *, image: str | None = None, loading: str = "", words: Sequence[str] = ()
) -> Data:
    """Return a prepared table as the data of an explorer; mapped columns are held once."""
    points = np.ascontiguousarray(made.points, dtype=np.float64)
    others = made.other_columns()
    values = made.recipe.undo(points) if image or made.table.image_shape else points
    shape = images_of(values, image, made.table.image_shape, made.table.source)
    return Data(
        points,
        made.recipe,
        others=others if len(others.columns) else None,
        color=made.color,
        id=made.id or ("file" if shape is not None and shape.folder else None),
        truth=made.truth(),
        image=shape,
        title=os.path.basename(made.table.source.rstrip("/")) or made.table.source,
        source=made.table.source,
        notes=made.notes,
        loading=loading,
        words=tuple(words),
    )


def data_of_array(
    X: Any,
    *,
    metric: Any,
    color: Any = None,
    ids: Any = None,
    image: str | None = None,
    truth: Any = None,
) -> Data:
    """Return data from Python: an array, a frame or a sparse matrix, and values beside it."""
    names = getattr(X, "columns", None)
    named = names is not None
    points = _checked(X, metric)
    places = range(1, points.shape[1] + 1)
    columns = [f"x{place}" for place in places] if names is None else [str(n) for n in names]
    beside = {"color": color, "id": ids}
    given = {name: np.asarray(value) for name, value in beside.items() if value is not None}
    for name, value in given.items():
        if value.shape != (points.shape[0],):
            raise ValueError(f"{name} needs one value per point ({points.shape[0]})")
    others = import_pandas().DataFrame(given) if given else None
    return Data(
        points,
        Recipe.as_it_comes(columns, named=named),
        metric,
        others,
        "color" if color is not None else None,
        "id" if ids is not None else None,
        truth=truth,
        image=images_of(points, image),
        title="data",
    )


def _checked(X: Any, metric: Any) -> Any:
    if sp.issparse(X):
        return sp.csr_array(X, dtype=np.float64)
    return checked_table(X, "X") if metric == "precomputed" else checked(X, "X")


def explorer_of(data: Data, given: Any = None, host: str = "server") -> Explorer:
    """Return an explorer of data and the maps of them."""
    session = Session(data)
    for fitted in taken_maps(given, data) if given is not None else ():
        session.add(fitted)
    return Explorer(session, Jobs(session), host)


def explore(
    model: Any,
    X: Any,
    *,
    color: Any = None,
    ids: Any = None,
    image: str | None = None,
    port: int = 0,
    browser: bool = True,
    block: bool | None = None,
) -> Any:
    """Show maps where one can ask them: who is truly near, what is stretched, what lies between.

    In a notebook this is a widget; elsewhere a page in the browser, served on this machine until
    its last window is closed.

    Parameters
    ----------
    model : model, sequence or dict of models, or Comparison
        Fitted models (others are fitted now), or what ``compare`` returned.
    X : array-like of shape (n_samples, n_features)
        The data of the maps, one row per point; or the table of distances they were fitted on.
    color : array-like of shape (n_samples,) or None, default=None
        One value per point that colours the map at first; None is that of a comparison.
    ids : array-like of shape (n_samples,) or None, default=None
        The names of the points.
    image : str or None, default=None
        Rows are images: ``"28x28"``, or ``"32x32x3"``.
    port : int, default=0
        Port of the server; 0 is a free one.
    browser : bool, default=True
        Open the page.
    block : bool or None, default=None
        Wait until the last window is closed; None does so unless Python is interactive.

    Returns
    -------
    Widget or Serving
        In a notebook the widget, whose ``selection`` goes both ways; else the server, with its
        ``address``, ``wait`` and ``close``.

    Examples
    --------
    >>> import unspool
    >>> roll = unspool.datasets.swiss_roll(200)
    >>> model = unspool.Isomap(2).fit(roll.points)
    >>> shown = unspool.explore(model, roll.points, browser=False, block=False)
    >>> shown.address.startswith("http://127.0.0.1:")
    True
    >>> shown.close()
    """
    truth = None
    if isinstance(model, Comparison):
        color, truth = model.color if color is None else color, model.yardstick.truth
    metric = _metric_of(model)
    data = data_of_array(X, metric=metric, color=color, ids=ids, image=image, truth=truth)
    if in_notebook():
        from .pages import make_widget

        return make_widget(explorer_of(data, model, "widget"))
    explorer = explorer_of(data, model)
    from .server import serve

    serving = serve(explorer, port, keep=not browser)
    serving.start()
    print(f"explorer: {serving.address}", file=sys.stderr)
    if browser:
        open_browser(serving)
    interactive = hasattr(sys, "ps1") or bool(sys.flags.interactive)
    if block or (block is None and not interactive):
        _wait(serving)
    return serving


def _wait(serving: Serving) -> None:
    try:
        serving.wait()
    except KeyboardInterrupt:
        serving.close()


def open_browser(serving: Serving) -> None:
    """Open the page, if there is a browser; its address was told in any case."""
    import webbrowser

    webbrowser.open(serving.address)


def in_notebook() -> bool:
    """Whether this runs in the kernel of a notebook."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    shell = get_ipython()
    return shell is not None and hasattr(shell, "kernel")


def _metric_of(model: Any) -> Any:
    """Return the metric that maps were made with: distances, if any of them was given those."""
    if isinstance(model, Comparison):
        return model.yardstick.metric
    several = list(model.values()) if isinstance(model, dict) else model
    models = several if isinstance(several, list | tuple) else [several]
    metrics = [getattr(each, "metric", "euclidean") for each in models]
    if "precomputed" in metrics:
        return "precomputed"
    named = [metric for metric in metrics if metric != "kernel"]
    return named[0] if named else "euclidean"
