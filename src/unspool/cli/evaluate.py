"""What a map shows, and where it lies.

``unspool compare`` and ``demo``, ``diagnose``, ``dimension``, and ``explore``: maps in the browser.
"""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..catalog import entry_of
from ..dimension import ESTIMATORS, intrinsic_dimension
from ..io import (
    PreparedTable,
    check_output,
    write_atomically,
    write_table,
    write_together,
)
from ..io.table import import_pandas
from ..relation import rename_rows
from .input import data_options, loading_code, open_model, read_data
from .methods import (
    MethodCommand,
    build_model,
    given_parameters,
    method_option,
    refuse_beside_model,
    was_given,
)
from .output import (
    FIGURES,
    json_option,
    keep_input,
    plot_option,
    report_progress,
    tell,
    to_json,
    write_figure,
)

if TYPE_CHECKING:
    from ..evaluate import Comparison


OUTPUTS = (".html", ".csv", ".tsv", ".parquet", ".json")
DEMO_LOADING = """\
sample = unspool.datasets.swiss_roll({n}, seed={seed})
X, truth, color = sample.points, sample.coordinates, sample.color"""
EXACT = 10_000  # points up to which Isomap is the first map that is shown, unless another is asked
LANDMARKS = 100_000  # up to which it is that of landmarks; beyond, PCA


@click.command("compare")
@data_options
@click.option("--methods", metavar="LIST", help="names, separated by commas  [six quick ones]")
@click.option("-d", "--n-components", type=click.IntRange(1), default=2, help="coordinates  [2]")
@click.option("--n-neighbors", type=click.IntRange(1), metavar="K", help="of the graph methods")
@click.option("--metric", default="euclidean", help="a name, or precomputed  [euclidean]")
@click.option("-o", "--out", metavar="FILE", help="a report (html), or the table (csv, json)")
@plot_option
@json_option
@click.pass_context
def compare_command(ctx: click.Context, /, **given: Any) -> None:
    """Map DATA by several methods, score every map, and lay them side by side.

    \b
    unspool compare table.csv -o report.html
    unspool compare demo:swiss-roll --methods pca,isomap,lle --n-neighbors 8
    """
    from ..evaluate import compare

    check_output(given["out"], OUTPUTS)
    check_output(given["plot"], FIGURES)
    keep_input(given)
    asked = given["methods"]
    methods = None if asked is None else [entry_of(n).name for n in asked.split(",") if n]
    made = read_data(given)
    with report_progress(given, "compare"):
        comparison = compare(
            made.points,
            methods,
            given["n_components"],
            n_neighbors=given["n_neighbors"],
            metric=given["metric"],
            truth=made.truth(),
            color=made.colors(),
            seed=given["seed"],
        )
        with write_together():  # both or none
            if given["out"]:
                _write_comparison(comparison, made, given, ctx.obj)
            if given["plot"]:
                write_figure(given["plot"], comparison.figure())
    records = comparison.records()
    shown = json.dumps(records, indent=2) if given["as_json"] else comparison.table()
    click.echo(rename_rows(shown, made.file_rows()))
    if given["out"]:
        tell(given, f"written to {Path(given['out']).resolve()}")


def _write_comparison(
    comparison: Comparison, made: PreparedTable, given: dict[str, Any], words: list[str]
) -> None:
    """Write the report or the table, by the ending of its name."""
    out, records = given["out"], comparison.records()
    for record in records:
        record["notes"] = [rename_rows(note, made.file_rows()) for note in record["notes"]]
    ending = Path(out).suffix.lower()
    if ending == ".html":
        from ..explorer.start import data_of_table
        from ..report import write_report

        write_report(
            comparison,
            out,
            source=made.table.source,
            command=shlex.join(["unspool", *words]),
            loading=loading_code(given),
            data=made.raw_numbers(),
            columns=made.names,
            rows=made.file_rows(),
            color_name=made.color or "",
            notes=made.notes,
            images=made.images(),
            explored=data_of_table(made, loading=loading_code(given)),
        )
    elif ending == ".json":
        with write_atomically(out) as file:
            file.write(json.dumps(records, indent=2).encode())
    else:
        flat = [{**record, "notes": "; ".join(record["notes"])} for record in records]
        write_table(out, import_pandas().DataFrame(flat))


@click.command("demo")
@click.option("-o", "--out", default="report.html", show_default=True, help="the report")
@click.option("--points", type=click.IntRange(50), default=1000, show_default=True, help="how many")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="of the roll")
def demo_command(out: str, points: int, seed: int) -> None:
    """Compare the usual methods on a Swiss roll, and write a report."""
    from ..datasets import swiss_roll
    from ..evaluate import compare
    from ..report import write_report

    check_output(out, (".html",))
    roll = swiss_roll(points, seed=seed)
    click.echo(f"Swiss roll of {points} points, rolled in 3 columns; the truth is flat\n")
    comparison = compare(roll.points, truth=roll.coordinates, color=roll.color, seed=seed)
    click.echo(str(comparison))
    report = write_report(
        comparison,
        out,
        title="A Swiss roll, unrolled",
        source=f"demo:swiss-roll:{points}",
        loading=DEMO_LOADING.format(n=points, seed=seed),
        columns=("x", "y", "z"),
        color_name="angle along the roll",
    )
    click.echo(f"\nreport: {report.resolve()}")


@click.command("diagnose", cls=MethodCommand)
@data_options
@method_option
@click.option("--model", metavar="FILE", help="a saved model of DATA instead of a method")
@plot_option
@json_option
@click.pass_context
def diagnose_command(ctx: click.Context, /, **given: Any) -> None:
    """Measure what may be wrong with the map of DATA, and say which parameter to change.

    \b
    unspool diagnose table.csv -m isomap --n-neighbors 12
    unspool diagnose table.csv --model map.unspool --plot diagnosis.png
    """
    from ..evaluate import diagnose

    check_output(given["plot"], FIGURES)
    model, made = _fit_or_open(ctx, given)
    with report_progress(given, "diagnose"):
        diagnosis = diagnose(model, made.points, seed=given["seed"])
        summary = {
            "sound": diagnosis.sound,
            "measures": diagnosis.records(),
            "advice": diagnosis.advice,
        }
        text = to_json(summary) if given["as_json"] else str(diagnosis)
        if given["plot"]:
            write_figure(given["plot"], diagnosis.figure())
    click.echo(rename_rows(text, made.file_rows()))


def _fit_or_open(ctx: click.Context, given: dict[str, Any]) -> tuple[Any, PreparedTable]:
    """Return the saved model, or the method fitted now, and the table whose points to look at."""
    if given["model"] is None:
        model = build_model(ctx, given["seed"])
        made = read_data(given)
        with report_progress(given, ctx.meta["method"].name):
            return model.fit(made.points), made
    refuse_beside_model(ctx)
    opened = open_model(given["model"])
    return opened.model, read_data(given, opened.recipe)


@click.command("dimension")
@data_options
@click.option(
    "--by", type=click.Choice(["all", *ESTIMATORS]), default="all", help="one estimator  [all]"
)
@json_option
def dimension_command(by: str, **given: Any) -> None:
    """Estimate the intrinsic dimension of DATA by all methods that suit it, with their spread.

    \b
    unspool dimension table.csv --scale standard
    """
    made = read_data(given)
    with report_progress(given, "dimension"):
        found = intrinsic_dimension(made.points, by, seed=given["seed"])
    if not given["as_json"]:
        click.echo(str(found))
        return
    estimates = {
        e.method: {"value": e.value, "standard_error": e.standard_error, "read_at": e.read_at}
        for e in found.estimates
    }
    summary = {
        "dimension": found.value,
        "spread": found.spread,
        "n_components": found.n_components,
        "rows": len(made.points),
        "estimates": estimates,
        "left_out": found.left_out,
        "notes": list(made.notes),
    }
    click.echo(to_json(summary))


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
        import starlette  # noqa: F401  # only whether it is there
        import uvicorn  # noqa: F401  # likewise
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
    from ..explorer.start import open_browser

    serving = serve(explorer, given["port"], keep=given["no_browser"])
    click.echo(f"explorer: {serving.address}")
    if not given["quiet"]:
        ends = "Ctrl-C ends it" if given["no_browser"] else "ends with its window, or Ctrl-C"
        click.echo(f"unspool: {ends}", err=True)
    sys.stdout.flush()
    serving.run(None if given["no_browser"] else lambda: open_browser(serving))
