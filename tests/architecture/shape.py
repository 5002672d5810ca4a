"""Guards over sizes, names, exports and docstrings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from . import rules
from .source import Module

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def files_are_short(modules: list[Module]) -> Iterator[str]:
    for module in modules:
        documented = (node for node in ast.walk(module.tree) if isinstance(node, Definition))
        told = sum(_docstring_lines(node) for node in documented)
        lines = len(module.text.splitlines()) - told
        if lines > rules.FILE_LINES:
            sentence = f"{lines} lines, {rules.FILE_LINES} at most: which second idea is in it?"
            yield module.tell(rules.FILE_LINES, sentence)


def the_house_is_small(modules: list[Module]) -> Iterator[str]:
    folders = {module.folder for module in modules} - {""}
    for number, most, what in (
        (len(modules), rules.FILES, "files"),
        (len(folders), rules.FOLDERS, "folders"),
    ):
        if number > most:
            yield f"src/unspool has {number} {what}, {most} at most: which two are one idea?"


def functions_are_short(modules: list[Module]) -> Iterator[str]:
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1 - _docstring_lines(node)
                if lines > rules.FUNCTION_LINES:
                    sentence = f"{node.name} has {lines} lines, {rules.FUNCTION_LINES} at most"
                    yield module.tell(node.lineno, sentence)


def _docstring_lines(node: Definition) -> int:
    if ast.get_docstring(node) is None:
        return 0
    first = node.body[0]
    return (first.end_lineno or first.lineno) - first.lineno + 1


def names_say_what_they_mean(modules: list[Module]) -> Iterator[str]:
    for module in modules:
        if f"{module.stem}.py" in rules.BANNED_FILES:
            yield f"{module.path}: name the file after the idea in it"
        for name, line in _bound_names(module.tree):
            words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)
            if name in rules.BANNED_NAMES or rules.BANNED_WORDS & {w.lower() for w in words}:
                yield module.tell(line, f"{name} is not one of our words (CONTRIBUTING.md, Habits)")


def _bound_names(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Names the file itself gives; what other packages call their things is theirs."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name, node.lineno
            case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, node.lineno
            case ast.AsyncFunctionDef(name=name):
                yield name, node.lineno
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                yield from ((alias.asname, node.lineno) for alias in aliases if alias.asname)


def exports_are_sorted(modules: list[Module]) -> Iterator[str]:
    places = {module.place for module in modules}
    folders = {place.rpartition("/")[0] for place in places if "/" in place}
    for folder in sorted(folders):
        if f"{folder}/__init__" not in places:
            yield f"src/unspool/{folder} has no __init__.py"
    for module in modules:
        if module.stem == "__init__" and not _has_sorted_exports(module.tree):
            yield module.tell(1, "a package ends with __all__ = [...], sorted as ruff sorts it")


def _has_sorted_exports(tree: ast.Module) -> bool:
    """A sorted list of strings, or `sorted(...)` of a table (the package's lazy names)."""
    for node in tree.body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id="__all__")], value=value)
                | ast.AnnAssign(target=ast.Name(id="__all__"), value=value)
            ):
                if isinstance(value, ast.Call):
                    return isinstance(value.func, ast.Name) and value.func.id == "sorted"
                return _is_sorted_literal(value)
    return False


def _is_sorted_literal(value: ast.expr | None) -> bool:
    if not isinstance(value, ast.List | ast.Tuple):
        return False
    names = [item.value for item in value.elts if isinstance(item, ast.Constant)]
    return len(names) == len(value.elts) and names == sorted(set(names), key=_export_order)


def _export_order(name: str) -> tuple[int, list[tuple[int, int, str]]]:
    """CAPITALS, then Capitalised, then the rest, numbers by size: the order of ruff's RUF022."""
    group = 0 if len(name) > 1 and name.isupper() else 1 if name[:1].isupper() else 2
    parts = re.findall(r"\d+|\D+", name)
    return group, [(0, int(p), "") if p.isdigit() else (1, 0, p) for p in parts]


def public_things_have_docstrings(modules: list[Module]) -> Iterator[str]:
    for module in modules:
        for node in public_definitions(module):
            if not ast.get_docstring(node) and not _is_overload(node):
                yield module.tell(node.lineno, f"{node.name} is public and has no docstring")


def public_definitions(module: Module) -> Iterator[Definition]:
    for node in module.tree.body:
        if isinstance(node, Definition) and not node.name.startswith("_"):
            yield node


def _is_overload(node: Definition) -> bool:
    return any(ast.unparse(d).split(".")[-1] == "overload" for d in node.decorator_list)
