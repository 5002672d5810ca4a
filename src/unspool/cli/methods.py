"""Methods in the command line: what there are and what they take, and their parameters as flags.

``unspool methods`` and ``unspool plan``; flags are read from the declarations of the parameters,
which are loaded late, and never written twice.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ..catalog import METHODS, entry_of

if TYPE_CHECKING:
    from ..methods.parameters import Rule

UNITS = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
ELSEWHERE = {"random_state", "verbose"}  # --seed, and progress is shown unless --quiet
SHORT = {"n_components": "-d"}
DEFAULT_METHOD = "isomap"


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


method_option = click.option(
    "-m",
    "--method",
    default=DEFAULT_METHOD,
    help=f"see `unspool methods`  [{DEFAULT_METHOD}]",
)


class ParameterType(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.4 on only
    """The type of a flag whose value must satisfy the rule of a parameter."""

    def __init__(self, rule: Rule, default: Any) -> None:
        self.rule, self.default = rule, default
        self.name = {int: "whole number", float: "number"}.get(rule.kind or object, "value")

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """Return what stands for the value in the help; click 8.1 gives no context."""
        return f"[{'|'.join(self.rule.choices)}]" if self.rule.choices else self.name.upper()

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the text of a flag as a value, or fail with what the rule says."""
        converted = self._parse(str(value))
        problem = self.rule.problem_with(converted)
        if problem is not None:
            self.fail(f"{problem}; got {value!r} ({self.rule.help})", param, ctx)
        return converted

    def _parse(self, text: str) -> Any:
        if self.rule.optional and text.lower() == "none":
            return None
        if self.rule.choices is not None:
            return text
        if "," in text:
            items = [_parse_literal(item.strip()) for item in text.split(",") if item.strip()]
            return tuple(items) if isinstance(self.default, tuple) else items
        value = _parse_literal(text)
        return (value,) if isinstance(self.default, tuple) and isinstance(value, int) else value


def _parse_literal(text: str) -> Any:
    """Return a whole number, a number, or the text itself."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def method_options(cls: Any) -> list[click.Option]:
    """Return one option per declared parameter of a method."""
    from ..methods.parameters import parameters_of

    declared = parameters_of(cls).items()
    return [_option(n, default, rule) for n, (default, rule) in declared if n not in ELSEWHERE]


def _option(name: str, default: Any, rule: Rule) -> click.Option:
    flag = "--" + name.replace("_", "-")
    shown = "" if default is None else f" [{default}]"
    text = (rule.help + shown).replace("\n", " ")
    if rule.kind is bool:
        return click.Option([f"{flag}/--no-{flag[2:]}", name], default=None, help=text)
    names = [flag, SHORT[name], name] if name in SHORT else [flag, name]
    return click.Option(names, type=ParameterType(rule, default), default=None, help=text)


class MethodCommand(click.Command):
    """A command with --method, whose parameters are flags of the command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Find the method among the arguments first: it decides which flags there are."""
        name = self._find_method(ctx, args)
        ctx.meta["method"] = entry_of(name)
        ctx.meta["flags"] = method_options(ctx.meta["method"].load())
        rest = super().parse_args(ctx, args)
        if ctx.params.get("method", name) != name:  # it stood where a flag has its value
            raise click.UsageError(f"-m {name} is the value of another flag; which method is it?")
        return rest

    def _find_method(self, ctx: click.Context, args: list[str]) -> str:
        """Return the method that the arguments name, read as click will, but for its own flags."""
        loose = click.Context(self, parent=ctx.parent, ignore_unknown_options=True)
        found = self.make_parser(loose).parse_args(args=list(args))[0]
        return str(found.get("method", DEFAULT_METHOD))

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the command's own options and those of the method."""
        own = super().get_params(ctx)
        return [*own[:-1], *ctx.meta.get("flags", []), own[-1]]  # --help stays last

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of the command, then the parameters of the method."""
        flags = ctx.meta.get("flags", [])
        every = [p for p in self.get_params(ctx) if isinstance(p, click.Option)]
        own = [option.get_help_record(ctx) for option in every if option not in flags]
        with formatter.section("Options"):
            formatter.write_dl([record for record in own if record])
        with formatter.section(f"Parameters of {ctx.meta['method'].name} (-m for another method)"):
            formatter.write_dl([r for flag in flags if (r := flag.get_help_record(ctx))])


def given_parameters(ctx: click.Context) -> dict[str, Any]:
    """Return the parameters of the method that were given as flags."""
    names = [flag.name for flag in ctx.meta["flags"] if flag.name is not None]
    return {name: ctx.params[name] for name in names if was_given(ctx, name)}


def was_given(ctx: click.Context, name: str) -> bool:
    """Whether an option was given, rather than left at its default."""
    return ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE


def refuse_beside_model(ctx: click.Context) -> None:
    """Raise ValueError if anything was given that a saved model has decided already."""
    fixed = ("method", "columns", "sample", "scale")
    refused = [*(name for name in fixed if was_given(ctx, name)), *given_parameters(ctx)]
    if refused:
        flag = refused[0].replace("_", "-")
        raise ValueError(f"--{flag} has no say over a saved model; leave it out, or --model")


def build_model(ctx: click.Context, seed: int) -> Any:
    """Return the method that was asked for, not fitted yet."""
    parameters = given_parameters(ctx)
    return ctx.meta["method"].load()(**parameters, random_state=seed)
