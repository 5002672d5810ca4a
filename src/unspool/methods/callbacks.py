"""Callbacks of scikit-learn (from 1.9 on): each stage of a fit is a task that they hear of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..runtime import Event, listen


class StageTasks:
    """Turns what stages announce into tasks, stages within stages into tasks of theirs."""

    def __init__(self, estimator: Any, root: Any) -> None:
        self._estimator = estimator
        self._open: list[tuple[str, Any]] = [("", root)]

    def __call__(self, event: Event) -> None:
        """Begin the task of a stage that is new, and end that of one that is done."""
        if event.name not in [name for name, _ in self._open]:
            task = self._open[-1][1].subcontext(event.name, max_subtasks=None)
            task.call_on_fit_task_begin(estimator=self._estimator)
            self._open.append((event.name, task))
        while event.done >= event.total and event.name in [name for name, _ in self._open]:
            _, task = self._open.pop()
            task.call_on_fit_task_end(estimator=self._estimator)


def fit_with_callbacks(estimator: Any, X: Any, fit: Callable[[Any], None]) -> None:
    """Fit while the callbacks of an estimator listen, and take leave of them in any case."""
    from sklearn.callback import with_callbacks

    def heard(estimator: Any) -> None:
        root = estimator._init_callback_context(max_subtasks=None)
        root.call_on_fit_task_begin(estimator=estimator, X=X)
        with listen(StageTasks(estimator, root)):
            fit(X)
        root.call_on_fit_task_end(estimator=estimator, X=X)

    with_callbacks(heard)(estimator)
