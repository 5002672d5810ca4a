"""Guards over who imports and calls what."""

from __future__ import annotations

import re
from collections.abc import Iterator

from . import rules
from .source import PACKAGE, Module, Use


def every_module_has_a_layer(modules: list[Module]) -> Iterator[str]:
    for top in sorted({module.top for module in modules}):
        if top != "__init__" and _layer(top) is None:
            yield f"src/{PACKAGE}/{top} has no layer: list it in LAYERS, or find where it belongs"


def layers_point_down(modules: list[Module]) -> Iterator[str]:
    for module in modules:
        if module.place == "__init__":  # the public names: the one file above all layers
            continue
        for use in module.imports:
            target = _target(use)
            if target is not None and not _may_import(module.top, target):
                yield module.tell(use.line, f"{module.top} must not import {use.name}")


def _target(use: Use) -> str | None:
    """The part of the package an import reaches, "" for the package itself, None outside it."""
    first, _, rest = use.name.partition(".")
    if first != PACKAGE:
        return None
    top = rest.split(".")[0]
    return top if _layer(top) is not None else ""


def _layer(top: str) -> int | None:
    if top.startswith("_") and not top.startswith("__"):
        return rules.FLOOR
    return rules.LAYERS.get(top)


def _may_import(importer: str, target: str) -> bool:
    if importer == target or (importer, target) in rules.SIDEWAYS:
        return True
    own = _layer(importer)
    other = _layer(target) if target else rules.ROOT
    if own is None or other is None:
        return own is None  # a module without a layer is told by its own guard
    return other < own or (other == own and target in rules.SHARED)


def reserved_calls_stay_home(modules: list[Module]) -> Iterator[str]:
    for rule in rules.RESERVED:
        for module in modules:
            if not module.lies_in(*rule.homes):
                yield from _strays(module, rule)


def _strays(module: Module, rule: rules.Reserved) -> Iterator[str]:
    spared = [s.pattern for s in rule.spared if module.lies_in(s.place)]
    for use in module.uses:
        reserved = re.fullmatch(rule.pattern, use.name)
        if reserved and not any(re.fullmatch(pattern, use.name) for pattern in spared):
            home = " and ".join(rule.homes)
            yield module.tell(use.line, f"{use.name} is {rule.what}, which belongs to {home}/")


def optional_packages_stay_home_and_late(modules: list[Module]) -> Iterator[str]:
    for module in modules:
        for use in module.imports:
            package = use.name.split(".")[0]
            homes = rules.OPTIONAL.get(package)
            if homes is None:
                continue
            if not module.lies_in(*homes):
                yield module.tell(use.line, f"{package} belongs to {' and '.join(homes)} only")
            elif not use.late and package not in rules.EARLY:
                yield module.tell(use.line, f"import {package} inside the function that needs it")


def kernels_are_imported_late(modules: list[Module]) -> Iterator[str]:
    for module in modules:
        for use in module.imports:
            ours = use.name.startswith(f"{PACKAGE}.") and rules.KERNELS in use.name.split(".")
            if ours and not use.late and module.stem != rules.KERNELS:
                yield module.tell(use.line, f"import {use.name} inside a function: it loads numba")
