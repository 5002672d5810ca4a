"""The file itself: a zip of uncompressed members, sealed by a digest of all its bytes.

The first member is the JSON page, the others are arrays in NumPy's own format, so that any zip tool
and ``numpy.load`` can look inside. The comment that ends a zip file holds the SHA-256 of every byte
before it: it is checked before anything is parsed, so a damaged or cut file goes no further. As
nothing is compressed, no member can be larger than the file, and every size is known from the
headers before memory is taken for it. What is too large to be a model is refused by these numbers
alone, before it is hashed; so is a page with too many parts, before it is parsed.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import struct
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy

from ..runtime import available_bytes, format_bytes
from ..values import Array
from .codec import PLAIN_KINDS

PAGE = "unspool.json"
SEAL = b"unspool sha256:"
SEAL_LENGTH = len(SEAL) + 64
LARGEST_PAGE = 16 * 2**20  # bytes of JSON: 15,000 components, of about 1 kB each
MOST_PARTS = 10**6  # of a page: commas and brackets, each of which may become an object
DEEPEST = 64  # brackets within brackets; models have up to 30
LARGEST_DIRECTORY = 8 * 2**20  # bytes: about 100,000 arrays
CHUNK = 2**20
# what zipfile, NumPy, json and our own classes raise when a file makes no sense
NONSENSE = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    struct.error,
    zipfile.BadZipFile,
)
DAMAGED = "it is damaged or cut off: its checksum does not fit; copy it again"
STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
NO_SIGNS = bytes(set(range(256)) - set(b",[]{}"))
LOCAL = struct.Struct("<18xII4x")  # of the first member's header: its bytes in the file and outside
END = struct.Struct("<4s8xI4xH")  # of a zip file: its sign, bytes of its directory, of its comment
END_64 = struct.Struct("<4s36xQ8x4s16x")  # the same of a large one, followed by where that is
FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # zip's own zero: the same model gives the same file


class UnreadableModel(ValueError):
    """The file is no model that this version of unspool can read; nothing was loaded."""


@contextmanager
def refusing(what: str) -> Iterator[None]:
    """Turn whatever a file that makes no sense raises in the block into one clear error."""
    try:
        yield
    except UnreadableModel:
        raise
    except NONSENSE as error:
        raise UnreadableModel(f"{what} ({type(error).__name__}: {error})") from None


def write(file: BinaryIO, page: Any, arrays: Sequence[Array]) -> None:
    """Write a page and its arrays to an open file, and seal it."""
    text = json.dumps(page, allow_nan=False, separators=(",", ":"), ensure_ascii=False).encode()
    check_page(text)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(zipfile.ZipInfo(PAGE, FIRST_DAY), text)
        for number, array in enumerate(arrays):
            info = zipfile.ZipInfo(_name(number), FIRST_DAY)
            with archive.open(info, "w", force_zip64=array.nbytes > 2**30) as member:
                npy.write_array(member, array, allow_pickle=False)
        archive.comment = b"-" * SEAL_LENGTH
    length = file.seek(0, io.SEEK_END) - SEAL_LENGTH
    digest = _digest(file, length)
    file.seek(length)
    file.write(SEAL + digest)


def open_sealed(file: BinaryIO) -> zipfile.ZipFile:
    """Return the archive in an open file whose seal is whole, or raise UnreadableModel."""
    length = file.seek(0, io.SEEK_END) - SEAL_LENGTH
    file.seek(0)
    start = file.read(30 + len(PAGE))
    if not (start.startswith(b"PK\x03\x04") and start.endswith(PAGE.encode())):
        raise UnreadableModel("it is not a file that unspool.save wrote")
    _check_limits(file, length, start)
    file.seek(max(0, length))
    if file.read() != SEAL + _digest(file, length):
        raise UnreadableModel(DAMAGED)
    with refusing("it is sealed, but not a zip archive"):
        archive = zipfile.ZipFile(file)
    _check_sizes(archive, length)
    return archive


def _check_limits(file: BinaryIO, length: int, start: bytes) -> None:
    """Refuse, by a few numbers at both ends, what is too large to be hashed and parsed."""
    file.seek(max(0, length - END.size - END_64.size))
    tail = file.read(END_64.size + END.size).rjust(END_64.size + END.size, b"-")
    sign, directory, comment = END.unpack(tail[END_64.size :])
    if sign != b"PK\5\6" or comment != SEAL_LENGTH:
        raise UnreadableModel(DAMAGED)
    sign, wide, sign_of_place = END_64.unpack(tail[: END_64.size])
    if sign == b"PK\6\6" and sign_of_place == b"PK\6\7":
        directory = max(directory if directory < 2**32 - 1 else 0, wide)
    page = max(LOCAL.unpack(start[: LOCAL.size]))
    if max(directory, page) > length:
        raise UnreadableModel(DAMAGED)
    if directory > LARGEST_DIRECTORY:
        raise UnreadableModel("it has more members than any model")
    _check_page_size(page)
    if length > available_bytes():
        free = format_bytes(available_bytes())
        raise UnreadableModel(f"it holds {format_bytes(length)} and only {free} of memory are free")


def _check_page_size(size: int) -> None:
    if size > LARGEST_PAGE:
        raise UnreadableModel(f"its page is larger than {format_bytes(LARGEST_PAGE)}")


def _check_sizes(archive: zipfile.ZipFile, length: int) -> None:
    members = archive.infolist()
    if any(m.compress_type != zipfile.ZIP_STORED or m.flag_bits & 1 for m in members):
        raise UnreadableModel("its members are compressed or locked, which unspool.save never does")
    if sum(member.file_size for member in members) > length:
        raise UnreadableModel("its members overlap, which unspool.save never does")
    if PAGE not in archive.namelist():
        raise UnreadableModel("it is sealed, but holds no page")
    _check_page_size(archive.getinfo(PAGE).file_size)


def read_page(archive: zipfile.ZipFile) -> Any:
    """Return the page of an archive."""
    with refusing("its page cannot be read"):
        text = archive.read(PAGE)
        check_page(text)
        return json.loads(text)


def check_page(text: bytes) -> None:
    """Raise ValueError if a page has more parts, or deeper ones, than any model.

    Objects take a hundred times the memory of the two bytes that may stand for one, so they are
    counted before any is made.
    """
    signs = STRING.sub(b"", text).translate(None, delete=NO_SIGNS)
    if len(text) > LARGEST_PAGE or len(signs) > MOST_PARTS:
        what = f"{len(signs)} parts in {format_bytes(len(text))}"
        raise ValueError(f"{what} are more than a model file can have")
    codes = np.frombuffer(signs, dtype=np.uint8)
    opened, closed = np.isin(codes, list(b"[{")), np.isin(codes, list(b"]}"))
    depth = int(np.cumsum(opened.astype(np.int32) - closed).max(initial=0))
    if depth > DEEPEST:
        raise ValueError(f"{depth} brackets within each other are more than a model has")


def read_arrays(archive: zipfile.ZipFile) -> Iterator[Array]:
    """Yield the arrays of an archive in their order."""
    for number in range(len(archive.infolist()) - 1):
        with refusing(f"its array {number} cannot be read"):
            info = archive.getinfo(_name(number))
            with archive.open(info) as member:
                array = _read_array(member, info.file_size)
        yield array


def _read_array(member: Any, size: int) -> Array:
    """Return an array of exactly ``size`` bytes with its header, or raise ValueError."""
    version = npy.read_magic(member)
    read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, by_columns, dtype = read_header(member)
    if dtype.kind not in PLAIN_KINDS or dtype.itemsize == 0 or min(shape, default=0) < 0:
        raise ValueError(f"no array here is {dtype} of shape {shape}")
    count = 1
    for length in shape:
        count *= int(length)
    if count * dtype.itemsize != size - member.tell():
        raise ValueError(f"shape {shape} of {dtype} does not fit its {size} bytes")
    flat = np.empty(count, dtype=dtype)
    room = flat.view(np.uint8) if flat.nbytes else flat
    for first in range(0, flat.nbytes, CHUNK):
        chunk = room[first : first + CHUNK]
        chunk[:] = np.frombuffer(member.read(len(chunk)), dtype=np.uint8)
    return flat.reshape(shape, order="F" if by_columns else "C")


def _name(number: int) -> str:
    return f"arrays/{number}.npy"


def _digest(file: BinaryIO, length: int) -> bytes:
    """Return the SHA-256 of the first ``length`` bytes, in hexadecimal digits."""
    file.seek(0)
    digest, left = hashlib.sha256(), length
    while left > 0 and (chunk := file.read(min(CHUNK, left))):
        digest.update(chunk)
        left -= len(chunk)
    return digest.hexdigest().encode()
