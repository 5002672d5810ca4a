"""Read a table from a file, a folder or a generator, and the points that it holds."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

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
