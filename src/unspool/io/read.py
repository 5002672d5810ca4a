"""Which reader a file needs."""

from __future__ import annotations

from pathlib import Path

from .table import Table

TEXT = {".csv", ".tsv", ".tab", ".txt", ".dat", ".gz"}
KNOWN = (
    "csv, tsv, txt (also .gz), parquet, feather, npy, npz (or FILE.npz:NAME), h5ad, a folder of "
    "images, demo:NAME"
)


def read_table(data: str, *, separator: str | None = None, seed: int = 0) -> Table:
    """Return the table that ``data`` names: a file, a folder of images, or demo:NAME."""
    if data.startswith("demo:"):
        from .arrays import read_demo

        return read_demo(data.removeprefix("demo:"), seed)
    archive, member = _member(data)
    if member is not None:
        from .arrays import read_array

        return read_array(archive, member)
    path = Path(data).expanduser()
    if not path.exists():
        raise ValueError(f"there is no file {data}")
    table = _read(path, separator)
    if len(table.frame) == 0:
        raise ValueError(f"{data} has column names but no rows")
    return table


def _member(data: str) -> tuple[Path, str | None]:
    """Split FILE.npz:NAME into the archive and the array in it."""
    file, colon, name = data.rpartition(":")
    archive = Path(file).expanduser()
    named = bool(colon) and file.lower().endswith(".npz") and archive.is_file()
    return archive, name if named else None


def _read(path: Path, separator: str | None) -> Table:
    suffix = path.suffix.lower()
    if path.is_dir():
        from .images import read_images

        return read_images(path)
    if suffix in TEXT:
        from .text import read_text

        return read_text(path, separator)
    if suffix in {".npy", ".npz"}:
        from .arrays import read_array

        return read_array(path)
    if suffix in {".parquet", ".feather", ".h5ad"}:
        from .arrays import read_columnar, read_h5ad

        return read_h5ad(path) if suffix == ".h5ad" else read_columnar(path)
    raise ValueError(f"{path} has an ending that is not known; there are: {KNOWN}")
