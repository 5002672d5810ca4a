"""The page inside a notebook: its questions come as messages from the browser to the kernel."""

from __future__ import annotations

from functools import cache
from typing import Any

from .pages import page_style, widget_module
from .questions import Answer, Asked
from .routes import Explorer, most_bytes

HEIGHT = 640  # pixels


def make_widget(explorer: Explorer, *, height: int = HEIGHT, theme: str = "auto") -> Any:
    """Return the widget of an explorer."""
    return _widget_class()(explorer, height=height, theme=theme)


@cache
def _widget_class() -> Any:
    try:
        import anywidget
        import traitlets
    except ModuleNotFoundError:
        raise ImportError("widgets need anywidget; pip install 'unspool[notebook]'") from None

    class Widget(anywidget.AnyWidget):
        """Maps in a notebook; ``selection`` are the chosen points, both ways."""

        _esm = widget_module()
        _css = page_style()
        selection = traitlets.List(traitlets.Int()).tag(sync=True)
        height = traitlets.Int(HEIGHT).tag(sync=True)
        theme = traitlets.Enum(["auto", "light", "dark"], default_value="auto").tag(sync=True)

        def __init__(self, explorer: Explorer, **traits: Any) -> None:
            super().__init__(**traits)
            self.explorer = explorer
            self.on_msg(self._receive)
            explorer.jobs.hear(lambda event: self.send({"kind": "event", "event": event}))

        @traitlets.validate("selection")
        def _check_selection(self, proposal: Any) -> list[int]:
            n = self.explorer.session.data.n_points if hasattr(self, "explorer") else None
            points = [int(point) for point in proposal["value"]]
            if n is not None and any(not 0 <= point < n for point in points):
                raise traitlets.TraitError(f"a selection holds points from 0 to {n - 1}")
            return points

        def _receive(self, widget: Any, message: Any, buffers: Any) -> None:
            if isinstance(message, dict) and message.get("kind") == "request":
                self._answer(message, buffers)

        def _answer(self, message: dict[str, Any], buffers: Any) -> None:
            answer = answer_message(self.explorer, message, buffers)
            told = {"kind": "answer", "id": message.get("id"), "status": answer.status}
            self.send({**told, "type": answer.type}, buffers=[answer.body])

        def _repr_mimebundle_(self, **options: Any) -> Any:
            """Return the widget, and a picture for where widgets do not run."""
            found = super()._repr_mimebundle_(**options)
            bundle, *more = found if isinstance(found, tuple) else (found, {})
            return ({**(bundle or {}), "image/png": static_picture(self.explorer)}, *more)

        def close(self) -> None:
            """End the jobs, too."""
            self.explorer.jobs.close()
            super().close()

    return Widget


def answer_message(explorer: Explorer, message: dict[str, Any], buffers: Any) -> Answer:
    """Return the answer to a question that came as a message."""
    text = message.get("body")
    body = bytes(buffers[0]) if buffers else (text or "").encode()
    method, path = str(message.get("method")), str(message.get("path"))
    if len(body) > most_bytes(method, path, explorer.session.data.n_points):
        return Answer(b'{"error": "this is too long"}', status=413)
    query = {str(name): str(value) for name, value in (message.get("query") or {}).items()}
    return explorer.answer(Asked(method, path, query, body))


def static_picture(explorer: Explorer) -> str:
    """Return the first maps side by side as a PNG, in base64."""
    import base64
    import io

    from .. import plot

    session = explorer.session
    maps = {view.fitted.label: view.embedding for view in list(session.views.values())[:6]}
    index = session.data.color_index
    color = None
    if index is not None:
        column = session.data.columns[index]
        if column.kind == "number":
            color = session.data.numbers(column)
        else:
            color = session.data.others.iloc[:, column.place].to_numpy()
    drawn = io.BytesIO()
    figure = plot.comparison(maps, color=color, dimensions=2)
    figure.savefig(drawn, format="png", dpi=110, bbox_inches="tight")
    return base64.b64encode(drawn.getvalue()).decode("ascii")
