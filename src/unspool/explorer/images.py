"""Rows that are images: which they are, and a small picture of one."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

from ..values import Array
from .columns import Data, ImageShape
from .honesty import NotPossible

SIDE = 160  # pixels of a small picture


def image_shape(text: str) -> tuple[int, int, int]:
    """Return height, width and channels of ``28x28`` or ``32x32x3``."""
    words = text.lower().split("x")
    if len(words) not in (2, 3) or not all(w.isdecimal() and int(w) > 0 for w in words):
        raise ValueError(f"an image is HEIGHTxWIDTH, as 28x28, or 32x32x3; got {text!r}")
    height, width, *channels = (int(word) for word in words)
    return height, width, channels[0] if channels else 1


def images_of(
    points: Any, text: str | None, shape: tuple[int, int] | None = None, folder: str = ""
) -> ImageShape | None:
    """Return the images that rows are: as they were asked for, or those of a folder."""
    if text is None and (shape is None or shape[0] * shape[1] != points.shape[1]):
        return None
    height, width, channels = image_shape(text) if text else (*(shape or (0, 0)), 1)
    if height * width * channels != points.shape[1] or channels not in (1, 3):
        raise ValueError(
            f"images of {height} x {width} x {channels} have {height * width * channels} values, "
            f"and the rows have {points.shape[1]}"
        )
    low, high = float(points.min()), float(points.max())
    ends = (
        (0.0, 1.0)
        if low >= 0 and high <= 1
        else (0.0, 255.0)
        if low >= 0 and high <= 255
        else (low, high)
    )
    return ImageShape(height, width, channels, *ends, folder="" if text else folder)


def thumbnail(data: Data, point: int) -> bytes:
    """Return a small picture of a row, as PNG: of the file it came from, or of its values."""
    if data.image is None:
        raise NotPossible("the rows of these data are no images")
    from PIL import Image

    if data.image.folder:
        name = str(data.others["file"].iloc[point])
        with Image.open(Path(data.image.folder) / name) as opened:
            picture = opened.convert("RGB")
    else:
        picture = Image.fromarray(_pixels(data.rows(np.array([point]))[0], data.image))
    picture.thumbnail((SIDE, SIDE))
    made = io.BytesIO()
    picture.save(made, format="png")
    return made.getvalue()


def _pixels(row: Array, image: ImageShape) -> Array:
    """Return a row as an image of bytes."""
    span = image.high - image.low or 1.0
    scaled = np.clip((row - image.low) / span, 0.0, 1.0)
    shape = (image.height, image.width) if image.channels == 1 else (image.height, image.width, 3)
    return np.asarray(np.round(255 * scaled), dtype=np.uint8).reshape(shape)
