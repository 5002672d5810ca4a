"""``unspool methods``: what there is, and the parameters of one of them."""

from __future__ import annotations

import json
from typing import Any

import click

from ..catalog import METHODS, entry_of


@click.command()
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="tell the table as JSON")
def command(name: str | None, as_json: bool) -> None:
    """List the methods, or the parameters of the method NAME."""
    if name is None:
        _list(as_json)
    else:
        _describe(name, as_json)


def _list(as_json: bool) -> None:
    if as_json:
        fields = ("name", "title", "family", "needs", "gives", "reference")
        table = [{field: getattr(e, field) for field in fields} for e in METHODS.values()]
        click.echo(json.dumps(table, indent=2, ensure_ascii=False))
        return
    for entry in METHODS.values():
        click.echo(f"{entry.name:<25}{entry.gives}")
        click.echo(f"{'':<25}from {entry.needs}; {entry.reference}")


def _describe(name: str, as_json: bool) -> None:
    from ..methods.parameters import parameters_of
    from .parameters import ELSEWHERE

    entry = entry_of(name)
    declared = {n: p for n, p in parameters_of(entry.load()).items() if n not in ELSEWHERE}
    if as_json:
        told = {n: _rule(default, rule) for n, (default, rule) in declared.items()}
        click.echo(json.dumps({"name": entry.name, "parameters": told}, indent=2, default=str))
        return
    click.echo(f"{entry.title}: {entry.gives} ({entry.reference})")
    click.echo(f"needs {entry.needs}\n")
    for parameter, (default, rule) in declared.items():
        choices = f" ({', '.join(rule.choices)})" if rule.choices else ""
        click.echo(f"  --{parameter.replace('_', '-'):<22} {rule.help}{choices}  [{default}]")


def _rule(default: Any, rule: Any) -> dict[str, Any]:
    bounds = {b: getattr(rule, b) for b in ("at_least", "above", "at_most", "choices")}
    kept = {bound: value for bound, value in bounds.items() if value is not None}
    return {"default": default, "help": rule.help, "optional": rule.optional, **kept}
