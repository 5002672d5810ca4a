"""A folder of images: one row an image, one column a pixel."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from ..runtime import claim
from ..values import Array
from .table import Table, numbered

SUFFIXES = {
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


def read_images(folder: Path) -> Table:
    """Return the grey values, 0 to 1, of all images in a folder, in the order of their names."""
    files = sorted((f for f in folder.iterdir() if f.suffix.lower() in SUFFIXES), key=_by_number)
    if not files:
        raise ValueError(f"{folder} holds no images ({', '.join(sorted(SUFFIXES))})")
    first = _grey(files[0])
    claim(
        12 * len(files) * first.size, f"{len(files)} images of {first.shape}", "use fewer of them"
    )
    points = np.empty((len(files), first.size))
    for row, file in enumerate(files):
        image = _grey(file)
        if image.shape != first.shape:
            raise ValueError(
                f"{file} is {_size(image)} pixels but {files[0].name} is {_size(first)}; bring all "
                "images to one size first"
            )
        points[row] = image.ravel()
    frame = numbered(points, "pixel")
    features = tuple(frame.columns)
    frame["file"] = [file.name for file in files]
    return Table(frame, str(folder), features=features, named=False)


def _grey(file: Path) -> Array:
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


def _size(image: Array) -> str:
    return f"{image.shape[1]} x {image.shape[0]}"


def _by_number(file: Path) -> list[Any]:
    """Order face2 before face10."""
    parts = re.split(r"(\d+)", file.name)
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts]
