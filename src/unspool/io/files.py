"""Files by their ending: a table is read from one, with its points; a map is written to one.

A table may also come from a folder or a generator; what is written is there whole or not at all.
"""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from .atomic import write_atomically
from .binary import read_array, read_columnar, read_excel, read_images
from .cells import read_h5ad
from .preparation import COFACTOR, PreparedTable, Selection, prepare
from .table import Table, to_frame
from .text import read_text

TEXT = {".csv", ".tsv", ".tab", ".txt", ".dat", ".gz"}
KNOWN = (
    "csv, tsv, txt (also .gz), parquet, feather, xlsx (or FILE.xlsx:SHEET), npy, npz (or "
    "FILE.npz:NAME), h5ad, a folder of images, demo:NAME"
)


def read_table(
    data: str | os.PathLike[str],
    *,
    separator: str | None = None,
    seed: int = 0,
    layer: str | None = None,
    obsm: str | None = None,
    image_size: str | None = None,
) -> Table:
    """Read a table from a file, a folder of images, or a generator of data.

    Parameters
    ----------
    data : str or path
        A csv, tsv or txt file (also packed, .gz), a parquet, feather, xlsx, npy, npz or h5ad file,
        ``"FILE.npz:NAME"`` for one of several arrays or ``"FILE.xlsx:NAME"`` for one of several
        sheets, a folder of images, or ``"demo:NAME"`` or ``"demo:NAME:COUNT"`` for a generated data
        set.
    separator : str, optional
        The character between the cells of a text file; found by looking unless given.
    seed : int, default 0
        The seed of a generated data set.
    layer : str, optional
        Of a h5ad file: the layer to read instead of its matrix X.
    obsm : str, optional
        Of a h5ad file: the table in obsm to read instead, such as ``"X_pca"``.
    image_size : str, optional
        Resize images to this width and height: ``"32"`` or ``"48x32"``.

    Returns
    -------
    Table
        Its ``frame`` is a pandas frame, ``notes`` tells what had to be inferred.

    Raises
    ------
    ValueError
        If there is no such file, or it cannot be read as a table: the message says where.

    See Also
    --------
    read_points : The numbers of a table, ready to be mapped.

    Examples
    --------
    >>> from unspool.io import read_table
    >>> table = read_table("demo:swiss-roll:100")
    >>> list(table.frame.columns)
    ['x1', 'x2', 'x3', 'color']
    """
    data = os.fspath(data)
    path = Path(data).expanduser()
    _check_options(path, layer or obsm, image_size)
    if data.startswith("demo:"):
        return _read_demo(data.removeprefix("demo:"), seed)
    archive, member = _split_member(data)
    if member is not None:
        is_array = archive.suffix.lower() == ".npz"
        return read_array(archive, member) if is_array else read_excel(archive, member)
    if not path.exists():
        raise ValueError(f"there is no file {data}")
    if not path.is_file() and not path.is_dir():
        raise ValueError(f"{data} is neither a file nor a folder; write what it gives to a file")
    if path.is_dir():
        table = read_images(path, image_size)
    elif path.suffix.lower() == ".h5ad":
        table = read_h5ad(path, layer, obsm)
    else:
        table = _read_path(path, separator)
    if len(table.frame) == 0:
        raise ValueError(f"{data} has column names but no rows")
    return table


def read_points(
    data: str | os.PathLike[str],
    *,
    columns: str | None = None,
    color: str | None = None,
    id: str | None = None,
    na: str = "error",
    scale: str = "none",
    sample: int | None = None,
    separator: str | None = None,
    seed: int = 0,
    curve: str = "none",
    cofactor: float = COFACTOR,
    drop_outliers: bool = False,
    layer: str | None = None,
    obsm: str | None = None,
    image_size: str | None = None,
) -> PreparedTable:
    """Read the points of a file as the command line does.

    Parameters
    ----------
    data : str or path
        What ``read_table`` takes.
    columns : str, optional
        The columns to map: ``"a,b"``, ``"first:last"`` or ``"pixel*"``. By default all that hold
        numbers, except one that merely numbers the rows.
    color : str, optional
        A column that colours the map and is not mapped.
    id : str, optional
        A column that names the rows and is not mapped.
    na : {"error", "drop", "mean"}, default "error"
        Rows with missing values are refused, left out, or filled with the means of their columns.
    scale : {"none", "standard", "range", "robust"}, default "none"
        Bring columns to mean 0 and standard deviation 1, to 0..1, or scale by median and quartiles.
    sample : int, optional
        Use this many rows, drawn at random.
    separator : str, optional
        The character between the cells of a text file; found by looking unless given.
    seed : int, default 0
        The seed of the sample, and of generated data.
    curve : {"none", "log", "arcsinh"}, default "none"
        Take log(1 + x), or arcsinh(x / cofactor), of every value first.
    cofactor : float, default 5.0
        What values are divided by before arcsinh.
    drop_outliers : bool, default False
        Leave out rows that are far from all others; ``notes`` tells how many, and which.
    layer : str, optional
        Of a h5ad file: the layer to read instead of its matrix X.
    obsm : str, optional
        Of a h5ad file: the table in obsm to read instead, such as ``"X_pca"``.
    image_size : str, optional
        Resize images to this width and height: ``"32"`` or ``"48x32"``.

    Returns
    -------
    PreparedTable
        ``points`` is the array to fit, ``names`` are its columns, ``rows`` the rows of the file.

    Examples
    --------
    >>> import unspool
    >>> roll = unspool.io.read_points("demo:swiss-roll:200", scale="standard", sample=150)
    >>> roll.points.shape, roll.names
    ((150, 3), ('x1', 'x2', 'x3'))
    >>> unspool.Isomap(2).fit(roll.points).embedding_.shape
    (150, 2)
    """
    selection = Selection(
        columns, color, id, na, scale, sample, seed, curve, cofactor, drop_outliers
    )
    table = read_table(
        data, separator=separator, seed=seed, layer=layer, obsm=obsm, image_size=image_size
    )
    return prepare(table, selection)


def _split_member(data: str) -> tuple[Path, str | None]:
    """Split FILE.npz:NAME into the archive and the array in it, FILE.xlsx:NAME into its sheet."""
    file, colon, name = data.rpartition(":")
    archive = Path(file).expanduser()
    named = bool(colon) and file.lower().endswith((".npz", ".xlsx")) and archive.is_file()
    return archive, name if named else None


def _check_options(path: Path, of_cells: str | None, of_images: str | None) -> None:
    """Refuse options that would have no effect on this kind of data."""
    if of_cells is not None and path.suffix.lower() != ".h5ad":
        raise ValueError(f"--layer and --obsm are for h5ad files, and {path} is none")
    if of_images is not None and not path.is_dir():
        raise ValueError(f"--image-size is for folders of images, and {path} is none")


def _read_path(path: Path, separator: str | None) -> Table:
    suffix = path.suffix.lower()
    if suffix in TEXT:
        return read_text(path, separator)
    if suffix in {".npy", ".npz"}:
        return read_array(path)
    if suffix in {".parquet", ".feather"}:
        return read_columnar(path)
    if suffix == ".xlsx":
        return read_excel(path)
    raise ValueError(f"{path} has an ending that is not known; there are: {KNOWN}")


def _read_demo(name: str, seed: int) -> Table:
    """Return generated points: ``swiss-roll``, or ``swiss-roll:5000`` for that many."""
    from ..datasets import GENERATORS, names

    name, _, count = name.partition(":")
    if name not in GENERATORS:
        raise ValueError(f"no data set demo:{name}; there are: {', '.join(names())}")
    if count and not count.isdecimal():
        raise ValueError(f"demo:{name}:{count} should end in a number of points")
    options: dict[str, Any] = {"seed": seed}
    sample = GENERATORS[name](int(count), **options) if count else GENERATORS[name](**options)
    frame = to_frame(sample.points)
    features = tuple(frame.columns)
    frame["color"] = sample.color
    source = f"demo:{name}"
    return Table(frame, source, (), "color", features, sample.coordinates, named=False)


Writer = Callable[[BinaryIO, Any, list[str]], None]


def _csv(separator: str) -> Writer:
    def write(file: BinaryIO, frame: Any, coordinates: list[str]) -> None:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
        frame.to_csv(text, sep=separator, index=False, lineterminator="\n")
        text.detach()

    return write


def _packed_csv(separator: str) -> Writer:
    def write(file: BinaryIO, frame: Any, coordinates: list[str]) -> None:
        import gzip

        with gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as packed:
            packed.write(frame.to_csv(sep=separator, index=False, lineterminator="\n").encode())

    return write


def _parquet(file: BinaryIO, frame: Any, coordinates: list[str]) -> None:
    frame.to_parquet(file, index=False)


def _feather(file: BinaryIO, frame: Any, coordinates: list[str]) -> None:
    frame.to_feather(file)


def _excel(file: BinaryIO, frame: Any, coordinates: list[str]) -> None:
    try:
        frame.to_excel(file, index=False, engine="openpyxl")
    except ImportError:
        raise ImportError("xlsx files need openpyxl; pip install 'unspool[excel]'") from None


def _npy(file: BinaryIO, frame: Any, coordinates: list[str]) -> None:
    np.save(file, frame[coordinates].to_numpy(), allow_pickle=False)


def _npz(file: BinaryIO, frame: Any, coordinates: list[str]) -> None:
    others = {name: frame[name].to_numpy() for name in frame.columns if name not in coordinates}
    plain = {n: a if a.dtype.kind in "biuf" else a.astype(str) for n, a in others.items()}
    columns = {_member(name): array for name, array in plain.items()}
    np.savez(file, **{**columns, "coordinates": frame[coordinates].to_numpy()})


def _member(name: str) -> str:
    """Return a column's name as one inside an archive, where a slash would make a folder."""
    clean = name.replace("/", "_").replace("\\", "_")
    return clean if clean not in ("file", "coordinates") else f"{clean}_"


WRITERS: dict[str, Writer] = {
    ".csv": _csv(","),
    ".tsv": _csv("\t"),
    ".txt": _csv("\t"),
    ".gz": _packed_csv(","),
    ".csv.gz": _packed_csv(","),
    ".tsv.gz": _packed_csv("\t"),
    ".txt.gz": _packed_csv("\t"),
    ".parquet": _parquet,
    ".feather": _feather,
    ".xlsx": _excel,
    ".npy": _npy,
    ".npz": _npz,
}


def check_output(
    path: str | os.PathLike[str] | None, endings: tuple[str, ...] = tuple(WRITERS)
) -> None:
    """Raise ValueError, before any work, if a file of this name cannot be written.

    Parameters
    ----------
    path : str, path or None
        The file that is asked for; None if none is.
    endings : tuple of str, optional
        The endings that it may have; by default those of ``write_table``.

    Raises
    ------
    ValueError
        If the ending is another, ``path`` is a folder, or its folder is not there or cannot be
        written to.

    Examples
    --------
    >>> from unspool.io import check_output
    >>> check_output("map.csv")
    >>> check_output("map.png")
    Traceback (most recent call last):
    ...
    ValueError: map.png should end in one of .csv, .tsv, .txt, ...
    """
    if path is None:
        return
    goal = Path(path)
    check_ending(path, endings)
    if goal.is_dir() or not goal.parent.is_dir():
        what = "is a folder" if goal.is_dir() else f"cannot be written: no folder {goal.parent}"
        raise ValueError(f"{path} {what}")
    check_room(goal.resolve().parent, path)


def check_ending(path: str | os.PathLike[str], endings: tuple[str, ...]) -> None:
    """Raise ValueError if a name ends in nothing that can be written."""
    if _ending(Path(path)) not in endings:
        raise ValueError(f"{path} should end in one of {', '.join(endings)}")


def check_room(folder: Path, path: str | os.PathLike[str]) -> None:
    """Raise ValueError, naming ``path``, if no file can be made in a folder.

    What is not there yet will be made; then the nearest folder above it counts.
    """
    there = next(above for above in (folder, *folder.parents) if above.exists())
    if not there.is_dir():
        raise ValueError(f"{path} cannot be written: {there} is a file, and no folder")
    try:
        with tempfile.TemporaryFile(dir=there):  # rights alone do not tell: it may be read-only
            pass
    except OSError as error:
        why = (error.strerror or "no file can be made").lower()
        raise ValueError(f"{path} cannot be written: {why} in {there}") from None


def write_table(
    path: str | os.PathLike[str], frame: Any, coordinates: Sequence[str] | None = None
) -> None:
    """Write a frame in the format that the ending of ``path`` names, whole or not at all.

    Parameters
    ----------
    path : str or path
        Ends in csv, tsv or txt (also .gz), parquet, feather, xlsx, npy or npz.
    frame : pandas.DataFrame
        The rows.
    coordinates : sequence of str, optional
        The columns that make one array in npy and npz files, by default all; other columns are left
        out of npy and stand beside it in npz.

    Examples
    --------
    >>> import pandas as pd
    >>> from unspool.io import write_table
    >>> map_ = pd.DataFrame({"name": ["a", "b"], "y1": [0.5, 1.5]})
    >>> write_table("map.npz", map_, ["y1"])                               # doctest: +SKIP
    """
    check_output(path)
    columns = list(frame.columns if coordinates is None else coordinates)
    with write_atomically(path) as file:
        WRITERS[_ending(Path(path))](file, frame, columns)


def _ending(path: Path) -> str:
    """Return the ending that names the format: of a packed file also the one before."""
    return "".join(path.suffixes[-2 if path.suffix.lower() == ".gz" else -1 :]).lower()
