"""Save a model to a file, and load it again.

The file is a zip of uncompressed members, sealed by a digest of all its bytes. The first member is
the JSON page, the others are arrays in NumPy's own format, so that any zip tool and ``numpy.load``
can look inside. The comment that ends a zip file holds the SHA-256 of every byte before it: it is
checked before anything is parsed, so a damaged or cut file goes no further. As nothing is
compressed, no member can be larger than the file, and every size is known from the headers before
memory is taken for it. What is too large to be a model is refused by these numbers alone, before it
is hashed; so is a page with too many parts, before it is parsed.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import struct
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy

from ..catalog import is_catalogued
from ..io import write_atomically
from ..runtime import available_bytes, format_bytes
from ..values import Array
from .codec import PLAIN_KINDS, Decoder, Encoder
from .registry import PIPELINES, SAMPLED, STEPS, check_everything, word_of

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
SUFFIX = ".unspool"
# 1: before relations had types; 2: before copies were one point; 3: a table's recipe was a note;
# 4: how many neighbours query points see was asked of the parameter
FORMAT = 5


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


@dataclass(frozen=True, slots=True)
class SavedModel:
    """What a file holds: the model, and the notes that were saved with it."""

    model: Any
    notes: Mapping[str, Any] = field(default_factory=dict)


def save(
    model: Any, path: str | os.PathLike[str], *, notes: Mapping[str, Any] | None = None
) -> None:
    """Write a model to a file that ``load`` reads; the file is there whole or not at all.

    A model that holds code, such as a kernel of your own, is refused before anything is written.

    Parameters
    ----------
    model : fitted model
        A method; what ``scale.by_sample`` made of one; or a scikit-learn ``Pipeline`` that ends in
        one, with known steps before it (``io.TablePreparation``, scalers, ``SimpleImputer``,
        ``PCA``, functions of NumPy).
    path : str or path-like
        The file; its name ends in ``.unspool``.
    notes : dict or None, default=None
        Plain values to keep with the model (numbers, text, lists, arrays); ``store.read`` gives
        them back.

    Examples
    --------
    >>> import os
    >>> import tempfile
    >>> from unspool import PCA, datasets, save
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(PCA(2).fit(datasets.circle(50).points), f"{folder}/circle.unspool")
    ...     os.listdir(folder)
    ['circle.unspool']
    """
    path = Path(path)
    if path.suffix != SUFFIX:
        raise ValueError(f"a model file ends in {SUFFIX}; call it {path.with_suffix(SUFFIX).name}")
    _check_kind(model)
    encoder = Encoder()
    page = {
        "format": FORMAT,
        "model": encoder.page(model, type(model).__name__),
        "notes": encoder.page(dict(notes or {}), "notes"),
    }
    with write_atomically(path) as file:
        write(file, page, encoder.arrays)


def _check_kind(model: Any) -> None:
    """Refuse, in words, what is neither a method nor a pipeline of steps that are known."""
    if word_of(type(model)) in PIPELINES:
        _check_steps(model)
    elif word_of(type(model)) in SAMPLED:
        if not hasattr(model, "report_"):
            raise ValueError("a sample that was not drawn cannot be saved; fit it first")
    elif not is_catalogued(model):
        raise ValueError(
            "only methods of unspool, and pipelines that end in one or what scale.by_sample made "
            f"of one, can be saved, and {_class_name(model)} is none"
        )


def _check_steps(pipeline: Any) -> None:
    if pipeline.memory is not None:
        raise ValueError("a pipeline with memory cannot be saved; set_params(memory=None) first")
    *before, (_, last) = pipeline.steps
    if not is_catalogued(last):
        raise ValueError(f"a saved pipeline ends in a method of unspool, not {_class_name(last)}")
    for name, step in before:
        known = word_of(type(step)) in STEPS or is_catalogued(step)
        if not known and step not in (None, "passthrough"):
            steps = ", ".join(place.rpartition(":")[2] for place in STEPS.values())
            raise ValueError(
                f"step {name!r} is {_class_name(step)}, and a file holds methods and these steps: "
                f"{steps}"
            )


def _class_name(model: Any) -> str:
    return f"{type(model).__module__}.{type(model).__qualname__}"


def load(path: str | os.PathLike[str]) -> Any:
    """Return the model that ``save`` wrote: it maps points to the same places, to the last bit.

    Reading a file runs no code of it. One that is foreign, damaged, cut off or written by a newer
    version raises ``UnreadableModel``, a ValueError that says which.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    model
        The fitted model. A file of ``unspool embed --model`` gives a pipeline (``io.TableModel``)
        that chooses, fills and scales the columns of a table as the command line did.

    Examples
    --------
    >>> import tempfile
    >>> from unspool import PCA, datasets, load, save
    >>> model = PCA(2).fit(datasets.circle(50).points)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/circle.unspool")
    ...     again = load(f"{folder}/circle.unspool")
    >>> bool((again.embedding_ == model.embedding_).all())
    True
    """
    return read(path).model


def read(path: str | os.PathLike[str]) -> SavedModel:
    """Return the model in a file together with its notes.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    SavedModel
        The model, and the notes that were saved with it.

    Examples
    --------
    >>> import tempfile
    >>> from unspool import PCA, datasets, save, store
    >>> model = PCA(2).fit(datasets.circle(50).points)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/circle.unspool", notes={"unit": "cm"})
    ...     store.read(f"{folder}/circle.unspool").notes
    {'unit': 'cm'}
    """
    with Path(path).open("rb") as file:
        try:
            return _read(file)
        except UnreadableModel as error:
            told = " ".join(str(error).split())  # NumPy's errors may have several lines
            raise UnreadableModel(f"cannot load {os.fspath(path)}: {told}") from None


def _read(file: Any) -> SavedModel:
    with open_sealed(file) as opened:
        page = read_page(opened)
        _check_version(page)
        decoder = Decoder(list(read_arrays(opened)))
    with refusing("its page does not describe a model"):
        saved = SavedModel(decoder.value(page["model"]), decoder.value(page["notes"]))
        check_everything([saved.model, saved.notes], decoder.room)
    if not is_catalogued(saved.model) and word_of(type(saved.model)) not in {
        **PIPELINES,
        **SAMPLED,
    }:
        raise UnreadableModel("it holds no model")
    if not isinstance(saved.notes, dict):
        raise UnreadableModel("its notes are no table of names and values")
    return saved


def _check_version(page: Any) -> None:
    """Refuse a page of another format than this version reads."""
    version = page.get("format") if isinstance(page, dict) else None
    if type(version) is not int:
        raise UnreadableModel("its page does not say which format it has")
    if version == FORMAT:
        return
    newer = version > FORMAT
    what, remedy = ("a newer", "update unspool") if newer else ("an older", "fit and save it again")
    raise UnreadableModel(
        f"it was written by {what} unspool (format {version}, this one reads {FORMAT}); {remedy}"
    )
