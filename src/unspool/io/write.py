"""The file that a map is written to: by its ending, and whole or not at all."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from .atomic import write_atomically

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
    if _ending(goal) not in endings:
        raise ValueError(f"{path} should end in one of {', '.join(endings)}")
    if goal.is_dir() or not goal.parent.is_dir():
        what = "is a folder" if goal.is_dir() else f"cannot be written: no folder {goal.parent}"
        raise ValueError(f"{path} {what}")
    folder = goal.resolve().parent
    try:
        with tempfile.TemporaryFile(dir=folder):  # rights alone do not tell: it may be read-only
            pass
    except OSError as error:
        why = (error.strerror or "no file can be made").lower()
        raise ValueError(f"{path} cannot be written: {why} in {folder}") from None


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
