"""Tables that are not text: npy, npz, parquet, feather and h5ad files, and folders of images."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile, is_zipfile

import numpy as np

from ..runtime import claim
from ..values import Array
from .packed import check_unpacked
from .table import Table, import_pandas, join_names, make_distinct, to_frame

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


def read_array(path: Path, name: str | None = None) -> Table:
    """Return the points in a npy file, or in the array of a npz file that is a table.

    Of several tables, ``name`` says which. Arrays with one entry per row become columns beside it.
    """
    try:
        if is_zipfile(path):
            with ZipFile(path) as archive:
                check_unpacked(path, sum(member.file_size for member in archive.infolist()), 2)
        loaded = np.load(path, allow_pickle=False)
        arrays = {"": loaded} if isinstance(loaded, np.ndarray) else dict(loaded)
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


def read_h5ad(path: Path) -> Table:
    """Return the cells of an AnnData file: its matrix X, and the columns that describe them."""
    try:
        import anndata
    except ModuleNotFoundError:
        raise ImportError("h5ad files need anndata; pip install anndata") from None
    try:
        cells = anndata.read_h5ad(path)
    except (ValueError, OSError, KeyError) as error:
        raise ValueError(f"{path} is no h5ad file that can be read ({error})") from None
    return _table_of_cells(cells, path)


def _table_of_cells(cells: Any, path: Path) -> Table:
    pd = import_pandas()
    if cells.X is None:
        raise ValueError(f"{path} holds no matrix X")
    n, width = cells.X.shape
    claim(8 * n * width, f"the {n} x {width} matrix of {path}", "select fewer genes or cells first")
    points = cells.X.toarray() if hasattr(cells.X, "toarray") else cells.X
    names, _ = make_distinct([str(name) for name in cells.var_names])
    described = cells.obs.reset_index(drop=True)
    *beside, cell = make_distinct([*names, *(str(name) for name in described.columns), "cell"])[0]
    described.columns = beside[len(names) :]
    described.insert(0, cell, cells.obs.index)
    frame = pd.concat([pd.DataFrame(points, columns=names), described], axis=1)
    return Table(frame, str(path), features=tuple(names))


def read_images(folder: Path) -> Table:
    """Return the grey values, 0 to 1, of all images in a folder, in the order of their names."""
    files = sorted((f for f in folder.iterdir() if f.suffix.lower() in IMAGES), key=_number_key)
    if not files:
        raise ValueError(f"{folder} holds no images ({', '.join(sorted(IMAGES))})")
    first = _read_gray(files[0])
    claim(
        12 * len(files) * first.size, f"{len(files)} images of {first.shape}", "use fewer of them"
    )
    points = np.empty((len(files), first.size))
    for row, file in enumerate(files):
        image = _read_gray(file)
        if image.shape != first.shape:
            raise ValueError(
                f"{file} is {_format_size(image)} pixels but {files[0].name} is "
                f"{_format_size(first)}; bring all images to one size first"
            )
        points[row] = image.ravel()
    frame = to_frame(points, "pixel")
    features = tuple(frame.columns)
    frame["file"] = [file.name for file in files]
    return Table(frame, str(folder), features=features, named=False)


def _read_gray(file: Path) -> Array:
    try:
        from PIL import Image
    except ModuleNotFoundError:
        raise ImportError("images need Pillow; pip install 'unspool[app]'") from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # of pictures large enough to fill the memory
            with Image.open(file) as image:
                return np.asarray(image.convert("L"), dtype=np.float64) / 255.0
    except (OSError, ValueError, Warning, Image.DecompressionBombError) as error:
        raise ValueError(f"{file} is no image that can be read ({error})") from None


def _format_size(image: Array) -> str:
    return f"{image.shape[1]} x {image.shape[0]}"


def _number_key(file: Path) -> list[Any]:
    """Order face2 before face10."""
    parts = re.split(r"(\d+)", file.name)
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts]
