"""Where the texts are wrong or disagree, what is right, and the item whose computation shows it.

The table itself is `errata.toml` beside this file: prose, not code.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal, get_args

Kind = Literal["misprint", "mistake", "conflict"]


@dataclass(frozen=True, slots=True)
class Erratum:
    """One misprint, mistake or conflict: where it stands, what it says, what is right.

    ``shown_by`` is the item that computes it: one of its checks names the erratum.
    """

    id: str
    kind: Kind
    where: str
    said: str
    right: str
    shown_by: str


def _read(file: Path) -> Mapping[str, Erratum]:
    table = tomllib.loads(file.read_text("utf-8"))
    found = {name: Erratum(name, **entry) for name, entry in table.items()}
    for one in found.values():
        if one.kind not in get_args(Kind):
            raise ValueError(f"erratum {one.id!r} is of no known kind: {one.kind!r}")
    return MappingProxyType(found)


ERRATA = _read(Path(__file__).with_name("errata.toml"))
