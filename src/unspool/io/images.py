"""Folders of images: grey values as points, and labels from subfolders or file names."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from ..runtime import claim
from ..values import Array
from .table import Table, to_frame

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
