"""Guards over who imports and calls what."""

from __future__ import annotations

import re
from collections.abc import Iterator

from . import rules
from .layers import LAYERS, PUBLIC, SHARED, SIDEWAYS, layer_of
from .source import PACKAGE, Module, Use


def every_module_has_a_layer(modules: list[Module]) -> Iterator[str]:
    for top in sorted({module.top for module in modules}):
        if top != "__init__" and layer_of(top) is None:
            yield f"src/{PACKAGE}/{top} has no layer: list it in LAYERS, or find where it belongs"


def every_layer_has_its_rooms(modules: list[Module]) -> Iterator[str]:
    there = {module.top for module in modules}
    for layer in LAYERS:
        for room in layer.rooms:
            if room not in there:
                yield f"LAYERS lists {room}, and there is no src/{PACKAGE}/{room}"


def layers_point_down(modules: list[Module]) -> Iterator[str]:
    for module in modules:
        if module.place == "__init__":  # the public names: the one file above all layers
            continue
        for use in module.imports:
            target = _target(use)
            if target is not None and not _may_import(module.top, target):
                yield module.tell(use.line, f"{module.top} must not import {use.name}")


def _target(use: Use) -> str | None:
    """The room an import reaches, "" for the package itself, None outside it."""
    first, _, rest = use.name.partition(".")
    if first != PACKAGE:
        return None
    top = rest.split(".")[0].removesuffix(rules.KERNELS)
    return top if layer_of(top) is not None else ""


def _may_import(importer: str, target: str) -> bool:
    if importer == target or (importer, target) in SIDEWAYS:
        return True
    own = layer_of(importer)
    other = layer_of(target) if target else PUBLIC - 1
    if own is None or other is None:
        return own is None  # a module without a layer is told by its own guard
    return other < own or (other == own and target in SHARED)


def private_names_stay_in_their_folder(modules: list[Module]) -> Iterator[str]:
    for module in modules:
        for use in dict.fromkeys(module.uses):
            if _is_private(use.name) and not _is_beside(module, use.name):
                yield module.tell(use.line, f"{use.name} is private to another folder")


def _is_private(name: str) -> bool:
    first, *parts = name.split(".")
    return first == PACKAGE and any(re.match(r"_(?!_)", part) for part in parts)


def _is_beside(module: Module, name: str) -> bool:
    """Whether a private name is one of the module's folder, or of a file in that folder."""
    folder = module.folder or module.top
    before = re.split(r"\._(?!_)", name)[0].split(".")[1:]
    return before in (folder.split("/"), [*folder.split("/"), *before[-1:]])


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
            if _is_kernel(use.name) and not use.late and not module.stem.endswith(rules.KERNELS):
                yield module.tell(use.line, f"import {use.name} inside a function: it loads numba")


def _is_kernel(name: str) -> bool:
    first, *parts = name.split(".")
    return first == PACKAGE and any(part.endswith(rules.KERNELS) for part in parts)


def kernels_sit_beside_their_user(modules: list[Module]) -> Iterator[str]:
    users = {module.place for module in modules} | {module.folder for module in modules}
    for module in modules:
        folder = module.folder
        if module.stem.endswith(rules.KERNELS):
            user = module.stem.removesuffix(rules.KERNELS)
            if f"{folder}/{user}".lstrip("/") not in users and user != folder.rpartition("/")[2]:
                yield f"{module.path}: name it after the file or folder that calls it"
            continue
        for use in module.imports:
            if _is_kernel(use.name) and _folder_of_kernel(use.name) != folder:
                yield module.tell(use.line, f"{use.name} is for the files beside it")


def _folder_of_kernel(name: str) -> str:
    parts = name.split(".")[1:]
    place = next(number for number, part in enumerate(parts) if part.endswith(rules.KERNELS))
    return "/".join(parts[:place])
