"""``unspool methods`` and ``unspool plan``: what methods there are, and what they take."""

from __future__ import annotations

import json
import re
from typing import Any

import click

from ..catalog import METHODS, entry_of

UNITS = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}


@click.command("methods")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="tell the table as JSON")
def methods_command(name: str | None, as_json: bool) -> None:
    """List the methods, or the parameters of the method NAME."""
    if name is None:
        _list_methods(as_json)
    else:
        _describe_method(name, as_json)


def _list_methods(as_json: bool) -> None:
    if as_json:
        fields = ("name", "title", "family", "needs", "gives", "reference")
        table = [{field: getattr(e, field) for field in fields} for e in METHODS.values()]
        click.echo(json.dumps(table, indent=2, ensure_ascii=False))
        return
    for entry in METHODS.values():
        click.echo(f"{entry.name:<25}{entry.gives}")
        click.echo(f"{'':<25}from {entry.needs}; {entry.reference}")


def _describe_method(name: str, as_json: bool) -> None:
    from ..methods.parameters import parameters_of
    from .parameters import ELSEWHERE

    entry = entry_of(name)
    declared = {n: p for n, p in parameters_of(entry.load()).items() if n not in ELSEWHERE}
    if as_json:
        records = {n: _rule_record(default, rule) for n, (default, rule) in declared.items()}
        click.echo(json.dumps({"name": entry.name, "parameters": records}, indent=2, default=str))
        return
    click.echo(f"{entry.title}: {entry.gives} ({entry.reference})")
    click.echo(f"needs {entry.needs}\n")
    for parameter, (default, rule) in declared.items():
        choices = f" ({', '.join(rule.choices)})" if rule.choices else ""
        click.echo(f"  --{parameter.replace('_', '-'):<22} {rule.help}{choices}  [{default}]")


def _rule_record(default: Any, rule: Any) -> dict[str, Any]:
    bounds = {b: getattr(rule, b) for b in ("at_least", "above", "at_most", "choices")}
    kept = {bound: value for bound, value in bounds.items() if value is not None}
    return {"default": default, "help": rule.help, "optional": rule.optional, **kept}


class Bytes(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.4 on only
    """A number of bytes as people write it: 500MB, 4GB."""

    name = "size"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        """Return the bytes, or fail with an example."""
        found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?", str(value).strip().lower())
        if found is None:
            self.fail(f"{value!r} is no amount of memory; write 500MB or 4GB", param, ctx)
        return int(float(found[1]) * UNITS[found[2]])


@click.command("plan")
@click.argument("method", metavar="METHOD")
@click.argument("data", metavar="[DATA]", required=False)
@click.option("--rows", type=click.IntRange(2), help="number of points, without DATA")
@click.option("--width", type=click.IntRange(1), default=3, help="number of columns, without DATA")
@click.option("--max-memory", type=Bytes(), help="what may be taken  [what is free]")
@click.option("-d", "--n-components", type=click.IntRange(1), help="number of coordinates")
@click.option("--n-neighbors", type=click.IntRange(1), metavar="K", help="of the graph methods")
@click.option("--n-landmarks", type=click.IntRange(1), metavar="M", help="of landmark methods")
@click.option("--workers", type=click.IntRange(1), metavar="N", help="of a Dask cluster")
@click.option("--worker-memory", type=Bytes(), help="of each of them  [4GB]")
@click.option("--json", "as_json", is_flag=True, help="tell the results as JSON")
def plan_command(method: str, data: str | None, **given: Any) -> None:
    """Predict the memory and time of METHOD, stage by stage, and what to use if it does not fit.

    \b
    unspool plan isomap table.csv
    unspool plan isomap --rows 100000 --width 50 --max-memory 4GB
    unspool plan landmark-isomap --rows 100000000 --workers 100 --worker-memory 8GB
    """
    from ..evaluate import plan

    entry = entry_of(method)
    points = None if data is None else _points_of(data)
    rows, width = (given["rows"], given["width"]) if points is None else (points, None)
    if rows is None:
        raise ValueError("say how many points there are: --rows N, or DATA")
    choices = {name: given[name] for name in ("n_components", "n_neighbors", "n_landmarks")}
    choices |= {"workers": given["workers"], "memory": given["worker_memory"]}
    found = plan(entry.name, rows, width, given["max_memory"], **choices)
    click.echo(_plan_json(found) if given["as_json"] else str(found))


def _plan_json(found: Any) -> str:
    names = ("bytes", "seconds", "fits", "change", "instead")
    told = {name: getattr(found, name) for name in names}
    told["duration"] = found.duration()
    return json.dumps({**told, "stages": found.records()}, indent=2)


def _points_of(data: str) -> Any:
    """Return the points that would be mapped."""
    from ..io import read_points

    return read_points(data, na="drop").points
