"""Files that are not text: npy, npz, parquet, feather and Excel, and folders of images.

Images are points by their grey values, with labels from subfolders or file names.

Packed files that would fill the memory are told by their size before they are unpacked.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile, ZipFile, is_zipfile

import numpy as np
from numpy.lib import format as npy

from ..runtime import available_bytes, claim, format_bytes
from ..values import Array
from .table import Table, import_pandas, join_names, make_distinct, to_frame

RATIO = 200  # of packed tables; zeros alone pack a thousand to one
ALLOWED = 2**30  # bytes that any file may unpack to
USUAL_NAMES = ("X", "x", "points", "data", "features", "embedding", "arr_0")
IMAGES = {
    ".png",
    ".jpg",
    ".jpeg",
    ".pgm",
    ".ppm",
    ".pbm",
    ".bmp",
    ".gif",
    ".tif",
    ".tiff",
    ".webp",
}
MOST_LABELS = 60
HEADERS: Mapping[tuple[int, ...], Any] = {
    (1, 0): npy.read_array_header_1_0,
    (2, 0): npy.read_array_header_2_0,
}


def most_unpacked(size: int, copies: int) -> int:
    """Return the bytes that a packed file of this size may unpack to, held ``copies`` times."""
    return int(min(max(ALLOWED, RATIO * size), available_bytes() // copies))


def check_unpacked(path: Path, unpacked: int, copies: int) -> None:
    """Refuse a file that says it would unpack to more than there is, or than its size explains."""
    size = path.stat().st_size
    claim(copies * unpacked, f"what {path} holds", "use fewer of its rows or columns")
    if unpacked > max(ALLOWED, RATIO * size):
        raise ValueError(
            f"{path} would unpack to {format_bytes(unpacked)}, too much for a file of "
            f"{format_bytes(size)}; unpack it first if this is meant"
        )


def read_array(path: Path, name: str | None = None) -> Table:
    """Return the points in a npy file, or in the array of a npz file that is a table.

    Of several tables, ``name`` says which. Arrays with one entry per row become columns beside it.
    """
    try:
        _check_arrays(path)
        arrays = _load_arrays(path)
    except (EOFError, BadZipFile, KeyError, NotImplementedError) as error:
        raise ValueError(f"{path} is no array file that can be read safely ({error})") from None
    except ValueError as error:
        if str(error).startswith(str(path)):
            raise
        raise ValueError(f"{path} is no array file that can be read safely ({error})") from None
    name = _find_points(arrays, path) if name is None else _check_member(name, arrays, path)
    points = arrays.pop(name)
    points = points.reshape(len(points), -1)
    frame = to_frame(points.astype(np.float64) if points.dtype.kind == "b" else points)
    features = tuple(frame.columns)
    beside = {n: a for n, a in arrays.items() if a.ndim == 1 and len(a) == len(points)}
    names = make_distinct([*features, *beside])[0][len(features) :]
    for other, column in zip(names, beside.values(), strict=True):
        frame[other] = column
    return Table(frame, str(path), features=features, named=False)


def _check_arrays(path: Path) -> None:
    """Refuse a file of arrays that do not fit, or of which one is not as large as it says."""
    if not is_zipfile(path):
        size = path.stat().st_size
        with path.open("rb") as file:
            _check_header(file, size)
        claim(2 * size, f"what {path} holds", "use fewer of its rows or columns")
        return
    with ZipFile(path) as archive:
        members = archive.infolist()
        check_unpacked(path, sum(member.file_size for member in members), 2)
        for member in members:
            with archive.open(member) as packed:
                _check_header(packed, member.file_size)


def _check_header(file: IO[bytes], size: int) -> None:
    """Refuse a header that says more than what follows: memory would be taken for all of it."""
    if file.read(len(npy.MAGIC_PREFIX)) != npy.MAGIC_PREFIX:
        return
    read = HEADERS.get(tuple(file.read(2)))
    if read is None:  # of names that are not English
        return
    shape, _, dtype = read(file)
    said, held = prod(shape) * dtype.itemsize, size - file.tell()
    if said > held and not dtype.hasobject:
        raise ValueError(
            f"its header says {dtype} of shape {shape}, which is {format_bytes(said)}, and "
            f"{format_bytes(held)} follow"
        )


def _load_arrays(path: Path) -> dict[str, Array]:
    """Return the arrays in a file by their names; other things in an archive are left out."""
    with path.open("rb") as file:  # numpy leaves a broken archive open
        try:
            loaded = np.load(file, allow_pickle=False)
            held = {"": loaded} if isinstance(loaded, np.ndarray) else dict(loaded)
        except MemoryError as error:
            raise MemoryError(f"{path} does not fit into memory ({error})") from None
    return {name: array for name, array in held.items() if isinstance(array, np.ndarray)}


def _find_points(arrays: dict[str, Array], path: Path) -> str:
    """Return the name of the array that holds the points."""
    tables = [n for n, a in arrays.items() if a.ndim >= 2 and a.dtype.kind in "biuf"]
    if len(tables) == 1:
        return tables[0]
    for name in USUAL_NAMES:
        if name in tables:
            return name
    shapes = [f"{name or 'array'} {array.dtype} {array.shape}" for name, array in arrays.items()]
    what = f"several tables; name one, as {path}:{tables[0]}" if tables else "no table of numbers"
    raise ValueError(f"{path} holds {what} (it has {join_names(shapes)})")


def _check_member(name: str, arrays: dict[str, Array], path: Path) -> str:
    if name not in arrays or arrays[name].ndim < 2 or arrays[name].dtype.kind not in "biuf":
        raise ValueError(
            f"{path} has no table of numbers {name!r}; it has {join_names(list(arrays))}"
        )
    return name


def read_columnar(path: Path) -> Table:
    """Return the table in a parquet or feather file."""
    pd = import_pandas()
    read = pd.read_parquet if path.suffix == ".parquet" else pd.read_feather
    try:
        if path.suffix == ".parquet":
            _check_parquet(path)
        frame = read(path)
    except ImportError:
        raise ImportError(f"{path.suffix} files need pyarrow; pip install 'unspool[app]'") from None
    except (ValueError, OSError) as error:
        first = (str(error).strip().splitlines() or [type(error).__name__])[0]
        if first.startswith(str(path)):
            raise
        raise ValueError(
            f"{path} is no {path.suffix[1:]} file that can be read ({first})"
        ) from None
    index = frame.index.to_frame(index=False)
    index = index[[name for name in frame.index.names if name is not None]]
    width, frame = frame.shape[1], pd.concat([frame.reset_index(drop=True), index], axis=1)
    names = make_distinct([str(name) for name in frame.columns])[0]
    frame.columns = names
    labels = names[width:]
    return Table(frame[[*labels, *names[:width]]], str(path), labels=tuple(labels))


def _check_parquet(path: Path) -> None:
    """Refuse a file whose columns would fill the memory: repeated values take no place in it."""
    from pyarrow.parquet import ParquetFile

    with ParquetFile(path) as file:
        check_unpacked(path, 8 * file.metadata.num_rows * file.metadata.num_columns, 2)


def read_excel(path: Path, sheet: str | None = None) -> Table:
    """Return a sheet of an Excel file, by default the first; its first row names the columns."""
    pd = import_pandas()
    try:
        if is_zipfile(path):
            with ZipFile(path) as archive:
                check_unpacked(path, sum(member.file_size for member in archive.infolist()), 4)
        with pd.ExcelFile(path, engine="openpyxl") as book:
            name, note = _choose_sheet(book.sheet_names, sheet, path)
            frame = pd.read_excel(book, sheet_name=name)
    except ImportError:
        raise ImportError("xlsx files need openpyxl; pip install 'unspool[excel]'") from None
    except (ValueError, OSError, KeyError, BadZipFile) as error:
        if str(error).startswith(str(path)):
            raise
        raise ValueError(f"{path} is no Excel file that can be read ({error})") from None
    frame = frame.dropna(axis=0, how="all").dropna(axis=1, how="all").reset_index(drop=True)
    if not frame.shape[1]:
        raise ValueError(f"{path} has nothing on its sheet {name!r}")
    frame.columns, repeated = make_distinct([str(column).strip() for column in frame.columns])
    if repeated:
        note += (f"repeated column names were numbered: {join_names(repeated)}",)
    return Table(frame, str(path), note)


def _choose_sheet(sheets: list[str], wanted: str | None, path: Path) -> tuple[str, tuple[str, ...]]:
    """Return the sheet to read, and a note if there are others."""
    if wanted is not None:
        if wanted not in sheets:
            raise ValueError(f"{path} has no sheet {wanted!r}; it has {join_names(sheets)}")
        return wanted, ()
    if len(sheets) == 1:
        return sheets[0], ()
    others = join_names(sheets[1:])
    return sheets[0], (f"read sheet {sheets[0]!r}; {path}:NAME reads another ({others})",)


def read_images(folder: Path, size: str | None = None) -> Table:
    """Return the grey values, 0 to 1, of all images in a folder and in the folders in it.

    Labels are the names of these folders, or the words that file names begin with. ``size``, such
    as "32" or "48x32" (width by height), is what images are resized to.
    """
    files = _find_images(folder)
    if not files:
        raise ValueError(f"{folder} holds no images ({', '.join(sorted(IMAGES))})")
    wanted = None if size is None else parse_size(size)
    first = _read_gray(files[0], wanted)
    told = f"{len(files)} images of {_format_size(first)} pixels"
    claim(12 * len(files) * first.size, told, "use fewer of them, or --image-size 32")
    points = np.empty((len(files), first.size))
    for row, file in enumerate(files):
        image = _read_gray(file, wanted)
        if image.shape != first.shape:
            raise ValueError(
                f"{file} is {_format_size(image)} pixels but {files[0].name} is "
                f"{_format_size(first)}; bring all to one size with --image-size, such as "
                f"--image-size {_format_size(first).replace(' ', '')}"
            )
        points[row] = image.ravel()
    frame = to_frame(points, "pixel")
    features = tuple(frame.columns)
    frame["file"] = [str(file.relative_to(folder)) for file in files]
    labels = find_labels(folder, files)
    if labels is not None:
        frame["label"] = labels
    height, width = first.shape
    return Table(
        frame,
        str(folder),
        color=None if labels is None else "label",
        features=features,
        named=False,
        labels=("file",),
        image_shape=(int(height), int(width)),
    )


def parse_size(size: str) -> tuple[int, int]:
    """Return width and height from "32" or "48x32"."""
    found = re.fullmatch(r"(\d{1,5})(?:\s*[x,]\s*(\d{1,5}))?", size.strip().lower())
    sides = (0,) if found is None else tuple(int(s) for s in found.groups() if s is not None)
    if min(sides) < 1:
        raise ValueError(f"an image size is a number of pixels, 32, or 48x32; got {size!r}")
    return sides[0], sides[-1]


def _find_images(folder: Path) -> list[Path]:
    """Return the images of a folder and of those in it, in the order of their names."""
    inner = sorted((f for f in folder.iterdir() if f.is_dir() and f.name[0] != "."), key=_order)
    files = []
    for place in (folder, *inner):
        images = (f for f in place.iterdir() if f.suffix.lower() in IMAGES and f.is_file())
        files += sorted(images, key=_order)
    return files


def find_labels(folder: Path, files: list[Path]) -> list[str] | None:
    """Return a label for each image: its folder, or the word its name begins with; None if none."""
    places = [file.parent.name if file.parent != folder else "" for file in files]
    if len(set(places)) > 1:
        return places
    words = [re.split(r"[\d_\-. ]", file.stem)[0].lower() for file in files]
    counts = Counter(words)
    telling = 2 <= len(counts) <= min(MOST_LABELS, len(files) // 2) and min(counts.values()) > 1
    return words if telling and "" not in counts else None


def _read_gray(file: Path, size: tuple[int, int] | None) -> Array:
    try:
        from PIL import Image
    except ModuleNotFoundError:
        raise ImportError("images need Pillow; pip install 'unspool[app]'") from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # of pictures large enough to fill the memory
            with Image.open(file) as image:
                gray = image.convert("L")
                if size is not None and gray.size != size:
                    gray = gray.resize(size, Image.Resampling.LANCZOS)
                return np.asarray(gray, dtype=np.float64) / 255.0
    except (OSError, ValueError, Warning, Image.DecompressionBombError) as error:
        raise ValueError(f"{file} is no image that can be read ({error})") from None


def _format_size(image: Array) -> str:
    return f"{image.shape[1]} x {image.shape[0]}"


def _order(file: Path) -> list[Any]:
    """Order face2 before face10."""
    parts = re.split(r"(\d+)", file.name)
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts]
