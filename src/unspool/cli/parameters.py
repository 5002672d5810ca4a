"""The parameters of a method as flags: read from their declarations, never written twice."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from ..catalog import entry_of
from ..methods.parameters import Rule, parameters_of

ELSEWHERE = {"random_state", "verbose"}  # --seed, and progress is shown unless --quiet
SHORT = {"n_components": "-d"}
DEFAULT_METHOD = "isomap"

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

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """Return what stands for the value in the help."""
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
