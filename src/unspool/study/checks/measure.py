"""What a check returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Measure:
    """A number that was measured, what it should be, and what to change if it is not.

    ``parameter`` and ``suggestion`` say it for programs; ``advice`` is the same as a sentence.
    """

    name: str
    value: float
    sound: str
    ok: bool
    advice: str = ""
    parameter: str = ""
    suggestion: Any = None
