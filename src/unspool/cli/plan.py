"""``unspool plan``: what a method will take on this machine."""

from __future__ import annotations

import json
import re
from typing import Any

import click

from ..catalog import entry_of

UNITS = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}


class Memory(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.4 on only
    """A number of bytes as people write it: 500MB, 4GB."""

    name = "size"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        """Return the bytes, or fail with an example."""
        found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?", str(value).strip().lower())
        if found is None:
            self.fail(f"{value!r} is no amount of memory; write 500MB or 4GB", param, ctx)
        return int(float(found[1]) * UNITS[found[2]])


@click.command()
@click.argument("method", metavar="METHOD")
@click.argument("data", metavar="[DATA]", required=False)
@click.option("--rows", type=click.IntRange(2), help="number of points, without DATA")
@click.option("--width", type=click.IntRange(1), default=3, help="number of columns, without DATA")
@click.option("--max-memory", type=Memory(), help="what may be taken  [what is free]")
@click.option("-d", "--n-components", type=click.IntRange(1), help="number of coordinates")
@click.option("--n-neighbors", type=click.IntRange(1), metavar="K", help="of the graph methods")
@click.option("--n-landmarks", type=click.IntRange(1), metavar="M", help="of landmark methods")
@click.option("--json", "as_json", is_flag=True, help="tell the results as JSON")
def command(method: str, data: str | None, **given: Any) -> None:
    """Predict the memory and time of METHOD, stage by stage, and what to use if it does not fit.

    \b
    unspool plan isomap table.csv
    unspool plan isomap --rows 100000 --width 50 --max-memory 4GB
    """
    from ..evaluate import plan

    entry = entry_of(method)
    rows, width = _shape(data) if data is not None else (given["rows"], given["width"])
    if rows is None:
        raise ValueError("say how many points there are: --rows N, or DATA")
    choices = {name: given[name] for name in ("n_components", "n_neighbors", "n_landmarks")}
    found = plan(entry.name, rows, width, given["max_memory"], **choices)
    click.echo(_as_json(found) if given["as_json"] else str(found))


def _as_json(found: Any) -> str:
    names = ("bytes", "seconds", "fits", "change", "instead")
    told = {name: getattr(found, name) for name in names}
    return json.dumps({**told, "stages": found.records()}, indent=2)


def _shape(data: str) -> tuple[int, int]:
    """Return the number of rows and of columns that would be mapped."""
    from ..io import Wishes, prepared, read_table

    points = prepared(read_table(data), Wishes(na="drop")).points
    return len(points), points.shape[1]
