"""``unspool textbook``: list, run and check the tables, figures and exercises of the texts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ..textbook import Item, Result

DOWNLOAD = click.option(
    "--download", is_flag=True, help="let scikit-learn fetch data that are not in UNSPOOL_DATA"
)
SHIFT = click.option(
    "--shift",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="draw all random data anew: what the items say holds for any N",
)
FAILED = 1


@click.group("textbook")
def textbook_command() -> None:
    """Run tables, figures and exercises of the five texts and check their numbers.

    \b
    unspool textbook list S4
    unspool textbook run S4.table-16.1 "S3.exercise-*"
    unspool textbook all -o book
    """


@textbook_command.command("list")
@click.argument("which", nargs=-1)
def list_items(which: tuple[str, ...]) -> None:
    """List all items, or those of WHICH: a text ("S4"), an id or a pattern."""
    from ..textbook import listed

    click.echo(listed(_chosen(which)))


@textbook_command.command("run")
@click.argument("which", nargs=-1, required=True, metavar="ID...")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="folder for figures and pages"
)
@DOWNLOAD
@SHIFT
def run_items(which: tuple[str, ...], output: Path | None, download: bool, shift: int) -> None:
    """Run items by ID, text or pattern, and show every check.

    Exit status 1 if something differs without a known erratum.
    """
    _report(_chosen(which), output, download=download, shift=shift, checks=True)


@textbook_command.command("all")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="folder for figures and pages"
)
@DOWNLOAD
@SHIFT
def run_everything(output: Path | None, download: bool, shift: int) -> None:
    """Run every item; with -o write figures and one HTML page per text.

    Exit status 1 if something differs without a known erratum.
    """
    _report(_chosen(()), output, download=download, shift=shift, checks=False)


def _chosen(which: tuple[str, ...]) -> list[Item]:
    from ..textbook import chosen, items

    return chosen(which) if which else list(items().values())


def _report(
    wanted: list[Item], output: Path | None, *, download: bool, shift: int, checks: bool
) -> None:
    from ..textbook import left_out, run_all, summary, told, write_pages

    results: list[Result] = []
    for result in run_all(wanted, download=download, figures=output is not None, shift=shift):
        click.echo(told(result, checks=checks))
        results.append(result)
    click.echo(f"\n{summary(results)}")
    if output is not None:
        click.echo(f"pages: {write_pages(results, output)}")
    click.echo(left_out(results))
    if any(result.status == "fails" for result in results):
        raise click.exceptions.Exit(FAILED)
