"""``unspool explore``: maps in the browser, or as one page in a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from ..catalog import entry_of
from ..io import check_output
from .input import data_options, loading_code, open_model, read_data
from .output import keep_input, report_progress, tell
from .parameters import (
    MethodCommand,
    build_model,
    given_parameters,
    method_option,
    refuse_beside_model,
    was_given,
)

EXACT = 10_000  # points up to which Isomap is the first map that is shown, unless another is asked
LANDMARKS = 100_000  # up to which it is that of landmarks; beyond, PCA


@click.command("explore", cls=MethodCommand)
@data_options
@method_option
@click.option("--also", metavar="LIST", help="further methods beside it, separated by commas")
@click.option("--model", metavar="FILE", help="a saved model of DATA instead of a method")
@click.option("--image", metavar="HxW", help="rows are images, as 28x28 or 32x32x3")
@click.option("--export", metavar="FILE", help="write one page (html) that needs no server")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="of the server  [a free one]"
)
@click.option("--no-browser", is_flag=True, help="print the address only, and stay")
@click.pass_context
def explore_command(ctx: click.Context, /, **given: Any) -> None:
    """Show maps of DATA in the browser, and where they lie.

    \b
    unspool explore table.csv --color species
    unspool explore digits.npz --image 28x28 -m tsne --also pca,isomap
    unspool explore table.csv --export page.html
    """
    check_output(given["export"], (".html",))
    keep_input({**given, "out": given["export"]})
    _check_installed()
    from ..explorer.start import data_of_table, explorer_of

    model, recipe = _saved(ctx, given)
    made = read_data(given, recipe)
    words = ("unspool", "explore", given["data"], *_data_words(ctx))
    data = data_of_table(made, image=given["image"], loading=loading_code(given), words=words)
    del made  # the table is not held twice
    explorer = explorer_of(data, None if model is None else [model])
    try:
        _fit(ctx, given, explorer)
        if given["export"]:
            _write(given, explorer)
        else:
            _show(given, explorer)
    finally:
        explorer.jobs.close()


def _check_installed() -> None:
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ModuleNotFoundError as error:
        raise ImportError(f"the explorer needs {error.name}; pip install 'unspool[app]'") from None


def _saved(ctx: click.Context, given: dict[str, Any]) -> tuple[Any, Any]:
    """Return the saved model that was named, and how its data were made."""
    if given["model"] is None:
        return None, None
    refuse_beside_model(ctx)
    opened = open_model(given["model"])
    return opened.model, opened.recipe


def _data_words(ctx: click.Context) -> list[str]:
    """Return the options that describe the data, as they were given."""
    own = {"data", "quiet", "method", "also", "model", "export", "port", "no_browser"}
    own |= {flag.name or "" for flag in ctx.meta["flags"]}
    chosen = [(n, value) for n, value in ctx.params.items() if n not in own and was_given(ctx, n)]
    words = []
    for name, value in chosen:
        flag = f"--{name.replace('_', '-')}"
        words += [flag] if value is True else [flag, str(value)]
    return words


def _fit(ctx: click.Context, given: dict[str, Any], explorer: Any) -> None:
    """Make the maps that were asked for, in a process that can be ended."""
    from ..explorer.jobs import Job

    models = [] if given["model"] else [_first(ctx, given, explorer.session.data.n_points)]
    asked = [name for name in (given["also"] or "").split(",") if name]
    models += [_another(name, given["seed"]) for name in asked]
    for model in models:
        with report_progress(given, "explore"):
            view = explorer.jobs.run(Job("fit", model, explorer.session.data.metric))
        tell(given, *view.fitted.notes)


def _first(ctx: click.Context, given: dict[str, Any], n_points: int) -> Any:
    """Return the method that was asked for; else one that takes seconds for so many points."""
    if was_given(ctx, "method") or given_parameters(ctx) or n_points <= EXACT:
        return build_model(ctx, given["seed"])
    name = "landmark-isomap" if n_points <= LANDMARKS else "pca"
    tell(given, f"{n_points:,} points are mapped by {name}; pass -m for another method")
    return _another(name, given["seed"])


def _another(name: str, seed: int) -> Any:
    cls = entry_of(name.strip()).load()
    known = cls().get_params()
    return cls(**({"random_state": seed} if "random_state" in known else {}))


def _write(given: dict[str, Any], explorer: Any) -> None:
    from ..explorer.pages import write_page

    with report_progress(given, "export"):
        written = write_page(explorer.session, given["export"])
    tell(given, f"written to {Path(written).resolve()}")


def _show(given: dict[str, Any], explorer: Any) -> None:
    """Serve the page until its last window is closed, or Ctrl-C."""
    from ..explorer.server import serve
    from ..explorer.start import open_browser, warm

    serving = serve(explorer, given["port"], keep=given["no_browser"])
    click.echo(f"explorer: {serving.address}")
    if not given["quiet"]:
        ends = "Ctrl-C ends it" if given["no_browser"] else "ends with its window, or Ctrl-C"
        click.echo(f"unspool: {ends}", err=True)
    sys.stdout.flush()
    warm(explorer)
    serving.run(None if given["no_browser"] else lambda: open_browser(serving))
