"""Read Python files into what the guards ask about: imports, and dotted names in use."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property
from importlib.util import resolve_name
from pathlib import Path

PACKAGE = "unspool"


@dataclass(frozen=True)
class Use:
    """A dotted name at a line; `late` if it is not reached while the module is imported."""

    name: str
    line: int
    late: bool


@dataclass(frozen=True)
class Module:
    """One parsed file of the package; `place` is its path below the package, without .py."""

    place: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def path(self) -> str:
        return f"src/{PACKAGE}/{self.place}.py"

    @property
    def top(self) -> str:
        """The folder or module of the layer table this file belongs to; kernels, their user's."""
        return self.place.split("/")[0].removesuffix("_kernels")

    @property
    def folder(self) -> str:
        """The folder below the package, "" for a file right under it."""
        return self.place.rpartition("/")[0]

    @property
    def stem(self) -> str:
        return self.place.split("/")[-1]

    @property
    def package(self) -> str:
        """The dotted name that relative imports start from."""
        return ".".join([PACKAGE, *self.place.split("/")[:-1]])

    @cached_property
    def imports(self) -> tuple[Use, ...]:
        reader = _Imports(self.package)
        reader.visit(self.tree)
        return tuple(reader.found)

    @cached_property
    def uses(self) -> tuple[Use, ...]:
        """Every import, and every attribute chain that starts at an imported name."""
        return (*self.imports, *_attribute_chains(self.tree, self.package))

    def lies_in(self, *places: str) -> bool:
        own = f"/{self.place}"
        patterns = [place if place.startswith("*") else f"/{place}" for place in places]
        return any(fnmatch(own, p) or fnmatch(own, f"{p}/*") for p in patterns)

    def tell(self, line: int, sentence: str) -> str:
        return f"{self.path}:{line}: {sentence}"


def read_package(root: Path) -> list[Module]:
    """Every module of the package under `root`; none while there is no package."""
    package = root / "src" / PACKAGE
    files = sorted(package.rglob("*.py"))
    return [
        Module(file.relative_to(package).with_suffix("").as_posix(), file.read_text("utf-8"))
        for file in files
    ]


class _Imports(ast.NodeVisitor):
    """Collect imports, those by `import_module("...")` too, and whether each is late."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.late = False
        self.found: list[Use] = []

    def _add(self, name: str, node: ast.stmt | ast.expr) -> None:
        absolute = resolve_name(name, self.package) if name.startswith(".") else name
        self.found.append(Use(absolute, node.lineno, self.late))

    def _visit_late(self, node: ast.AST) -> None:
        outer, self.late = self.late, True
        self.generic_visit(node)
        self.late = outer

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _visit_late

    def visit_If(self, node: ast.If) -> None:
        if (_dotted(node.test) or "").split(".")[-1] != "TYPE_CHECKING":
            return self.generic_visit(node)
        outer, self.late = self.late, True
        for statement in node.body:
            self.visit(statement)
        self.late = outer
        for statement in node.orelse:
            self.visit(statement)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._add(alias.name, node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        start = "." * node.level + (node.module + "." if node.module else "")
        for alias in node.names:
            self._add(start + alias.name, node)

    def visit_Call(self, node: ast.Call) -> None:
        called = (_dotted(node.func) or "").split(".")[-1]
        first = node.args[0] if node.args else None
        if called in {"import_module", "__import__"} and isinstance(first, ast.Constant):
            self._add(str(first.value), node)
        self.generic_visit(node)


def _attribute_chains(tree: ast.Module, package: str) -> Iterator[Use]:
    aliases = _aliases(tree, package)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and (name := _resolve(node, aliases)):
            yield Use(name, node.lineno, late=True)


def _aliases(tree: ast.Module, package: str) -> dict[str, str]:
    """Local name -> dotted name, for `import a.b as c`, `from a import b` and `c = a.b`."""
    aliases: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.split(".")[0]
                aliases[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom):
            start = "." * node.level + (node.module or "")
            home = resolve_name(start, package) if node.level else start
            for alias in node.names:
                aliases[alias.asname or alias.name] = f"{home}.{alias.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            value = node.value
            if isinstance(value, ast.Attribute) and (name := _resolve(value, aliases)):
                aliases[node.targets[0].id] = name
    return aliases


def _resolve(node: ast.Attribute, aliases: dict[str, str]) -> str | None:
    first, _, rest = (_dotted(node) or "").partition(".")
    return f"{aliases[first]}.{rest}" if first in aliases else None


def _dotted(node: ast.expr) -> str | None:
    """`a.b.c` for such a chain, None for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = _dotted(node.value)
        return f"{inner}.{node.attr}" if inner else None
    return None
