"""A question and its answer, whatever brings the one and takes the other.

Numbers travel between the page and its host as typed arrays with a small JSON header: ``UNS1``, the
length of the header (32 bits), the header padded with spaces, then the arrays, each at a multiple
of 8 bytes, so that a browser looks at them in place. All numbers are little-endian.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from ..values import Array

MAGIC = b"UNS1"
STEP = 8  # bytes: the widest number
LONGEST_HEADER = 2**20
DTYPES = ("float32", "float64", "int32", "uint32", "uint16", "uint8")
JSON = "application/json"
FRAME = "application/x-unspool-frame"


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """What one frame holds: facts, and arrays by name."""

    facts: dict[str, Any]
    arrays: dict[str, Array]


def pack(facts: Mapping[str, Any], arrays: Mapping[str, Array]) -> bytes:
    """Return facts and arrays as the bytes of one frame."""
    held = {name: _little_endian(array) for name, array in arrays.items()}
    listed, offset = [], 0
    for name, array in held.items():
        shape = list(array.shape)
        listed.append({"name": name, "dtype": array.dtype.name, "shape": shape, "offset": offset})
        offset += _up(array.nbytes)
    header = json.dumps({**facts, "arrays": listed}, allow_nan=False).encode()
    header += b" " * (_up(len(header)) - len(header))
    parts: list[Any] = [MAGIC, len(header).to_bytes(4, "little"), header]
    for array in held.values():
        parts += [
            array.data.cast("B") if array.size else b"",
            bytes(_up(array.nbytes) - array.nbytes),
        ]
    return b"".join(parts)


def unpack(body: bytes) -> Frame:
    """Return what a frame from outside holds; ValueError if it is not one, through and through."""
    if len(body) < STEP or body[:4] != MAGIC:
        raise ValueError("this is no frame: it does not begin with UNS1")
    length = int.from_bytes(body[4:STEP], "little")
    if length % STEP or length > min(LONGEST_HEADER, len(body) - STEP):
        raise ValueError("the header of this frame has an impossible length")
    try:
        header = json.loads(body[STEP : STEP + length])
    except (ValueError, RecursionError):
        raise ValueError("the header of this frame is no JSON") from None
    if not isinstance(header, dict) or not isinstance(header.get("arrays"), list):
        raise ValueError("the header of this frame lists no arrays")
    data = memoryview(body)[STEP + length :]
    arrays = dict(_read(listed, data) for listed in header.pop("arrays"))
    return Frame(header, arrays)


def _read(listed: Any, data: memoryview) -> tuple[str, Array]:
    """Return one array that the header lists, if the frame really holds it."""
    match listed:
        case {"name": str(name), "dtype": str(kind), "shape": list(shape), "offset": int(offset)}:
            pass
        case _:
            raise ValueError("an array of this frame lacks name, dtype, shape or offset")
    counts = all(isinstance(size, int) and not isinstance(size, bool) for size in shape)
    if kind not in DTYPES or not counts or len(shape) > 3 or min(shape, default=0) < 0:
        raise ValueError(f"array {name[:40]!r} of this frame has no dtype or shape that is known")
    dtype = np.dtype(kind).newbyteorder("<")
    size = prod(shape) * dtype.itemsize
    if offset < 0 or offset % STEP or offset + size > len(data):
        raise ValueError(f"array {name[:40]!r} reaches beyond the end of this frame")
    return name, np.frombuffer(data[offset : offset + size], dtype).reshape(shape)


def _little_endian(array: Array) -> Array:
    made = np.ascontiguousarray(array)
    if made.dtype.name not in DTYPES:
        raise TypeError(f"frames hold {', '.join(DTYPES)}; got {made.dtype}")
    return made.astype(made.dtype.newbyteorder("<"), copy=False)


def _up(size: int) -> int:
    return -(-size // STEP) * STEP


class NotPossible(ValueError):
    """The question has no answer for these data or this method; the message says why."""


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
