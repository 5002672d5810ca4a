"""A question and its answer, whatever brings the one and takes the other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..values import Array
from .frames import pack

JSON = "application/json"
FRAME = "application/x-unspool-frame"


class Busy(RuntimeError):
    """Not now; ``job`` is what has to run first, if that is it."""

    def __init__(self, sentence: str, job: str = "") -> None:
        super().__init__(sentence)
        self.job = job


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: what a request says, whatever brought it."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    def word(self, name: str) -> str:
        """Return a word of the query that must be there."""
        if name not in self.query:
            raise ValueError(f"{self.path} needs {name}=")
        return self.query[name]

    def number(self, name: str, below: int, default: int | None = None) -> int:
        """Return a whole number of the query between 0 and a limit, which is not reached."""
        text = self.query.get(name, "" if default is None else str(default))
        if not text.isascii() or not text.isdecimal() or len(text) > 12:
            raise ValueError(f"{name} must be a whole number; got {text[:20]!r}")
        if int(text) >= below:
            raise KeyError(f"{name}={int(text)} is not there; the last is {below - 1}")
        return int(text)


@dataclass(frozen=True, slots=True)
class Answer:
    """What is sent back; with a ``name``, a file to be kept."""

    body: bytes
    type: str = JSON
    status: int = 200
    name: str = ""


def json_answer(value: Any, status: int = 200) -> Answer:
    """Return a value as the JSON of an answer."""
    return Answer(json.dumps(value, allow_nan=False, default=_plain).encode(), JSON, status)


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else str(value)


def refusal(status: int, reason: Any) -> Answer:
    """Return the sentence that says why there is no answer."""
    return json_answer({"error": str(reason) or type(reason).__name__}, status)


def frame_answer(facts: Mapping[str, Any], arrays: Mapping[str, Array]) -> Answer:
    """Return arrays and the facts about them as an answer."""
    return Answer(pack(facts, arrays), FRAME)


def body_of(asked: Asked) -> dict[str, Any]:
    """Return the JSON object that a question brings along."""
    try:
        given = json.loads(asked.body)
    except (ValueError, RecursionError):
        raise ValueError("the body of this request is no JSON") from None
    if not isinstance(given, dict):
        raise ValueError("the body of this request is no JSON object")
    return given
