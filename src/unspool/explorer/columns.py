"""The table behind the points: its columns as colours, its rows as text, and where words occur.

Mapped columns are read back from the points themselves, in the units of the file, so that a large
table is held once. Rows may be images, each with a small picture.
"""

from __future__ import annotations

import io
import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from ..io import Recipe
from ..io.preparation import years_of
from ..io.table import import_pandas, is_date
from ..runtime import stage
from ..values import Array, Metric
from .questions import NotPossible

Kind = Literal["number", "category", "text"]
CODED = 30  # different whole numbers up to which they name kinds rather than count
CATEGORIES = 1_000  # different words up to which a column can colour the map
BINS = 40
SHOWN = 60  # values of a row
FOUND = 10_000  # points that a search names
_COMPARED = re.compile(r"\s*(<=|>=|!=|=|<|>)\s*(.*)$", re.DOTALL)
_OPERATORS = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
SIDE = 160  # pixels of a small picture
# images of a sheet, and the longer side of each in pixels: sharp on a screen of double density, and
# of 2,000 photographs less than 3 MB
SHEET, CELL = 2_000, 56
DIM = 64  # images of bytes are brighter somewhere; digits of 16 greys are no black images


@dataclass(frozen=True, slots=True)
class ImageShape:
    """Rows are images: their height, width and channels, and the values of black and white."""

    height: int
    width: int
    channels: int = 1
    low: float = 0.0
    high: float = 1.0
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """Pictures of rows side by side in one image, ``columns`` to a line, in cells of one size."""

    points: Array
    columns: int
    width: int
    height: int
    type: str
    image: bytes


@dataclass(frozen=True, slots=True)
class Column:
    """A column as the page lists it; ``place`` is its number among the points or the others."""

    index: int
    name: str
    kind: Kind
    mapped: bool
    place: int
    distinct: int | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, eq=False)
class Data:
    """The points, what was done to them, and the columns that were not mapped.

    ``points`` are rows to be mapped, dense or sparse, or distances where ``metric`` is
    "precomputed"; ``others`` is a frame with one row per point, or None.
    """

    points: Any
    recipe: Recipe
    metric: Metric = "euclidean"
    others: Any = None
    color: str | None = None
    id: str | None = None
    truth: Array | None = None
    image: ImageShape | None = None
    pictures: Array | None = None  # images beside the points, where these are none themselves
    title: str = ""
    source: str = ""
    notes: tuple[str, ...] = ()
    loading: str = ""
    words: tuple[str, ...] = ()

    @property
    def n_points(self) -> int:
        """Number of points."""
        return int(self.points.shape[0])

    @property
    def is_points(self) -> bool:
        """Whether rows are points, not distances or edges."""
        return self.metric != "precomputed"

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """Mapped columns, then the others."""
        mapped = self.recipe.columns if self.is_points else ()
        low, high = self._limits() if self.is_points else ([], [])
        found = [
            Column(i, name, "number", True, i, None, low[i], high[i])
            for i, name in enumerate(mapped)
        ]
        names = [] if self.others is None else [str(name) for name in self.others.columns]
        for place, name in enumerate(names):
            kind, distinct = _kind(self.others.iloc[:, place], name == self.color)
            found.append(Column(len(found), name, kind, False, place, distinct))
        return tuple(found)

    def _limits(self) -> tuple[list[float], list[float]]:
        """Return the least and the largest value of every mapped column."""
        ends = [getattr(self.points, name)(axis=0) for name in ("min", "max")]
        plain = [end.toarray().ravel() if sp.issparse(end) else np.asarray(end) for end in ends]
        low, high = (self.original(end).tolist() for end in plain)
        return low, high

    @property
    def color_index(self) -> int | None:
        """The column that colours the map at first, if there is one."""
        return next((c.index for c in self.columns if c.name == self.color), None)

    @property
    def id_index(self) -> int | None:
        """The column that names the rows, if there is one."""
        return next((c.index for c in self.columns if not c.mapped and c.name == self.id), None)

    def original(self, rows: Array) -> Array:
        """Return rows of mapped values in the units of the file."""
        return self.recipe.undo(rows)

    def rows(self, points: Array) -> Array:
        """Return the mapped values of some points in the units of the file."""
        chosen = self.points[points]
        return self.original(chosen.toarray() if sp.issparse(chosen) else np.asarray(chosen))

    def numbers(self, column: Column) -> Array:
        """Return a column of numbers, NaN where a value is missing."""
        if not column.mapped:
            series = self.others.iloc[:, column.place]
            if is_date(series):
                return years_of(series)
            return np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan))
        values = self.points[:, [column.place]] if sp.issparse(self.points) else None
        plain = self.points[:, column.place] if values is None else values.toarray().ravel()
        return self.recipe.undo(np.asarray(plain), column.place)

    def codes(self, column: Column) -> tuple[Array, list[str], list[int]]:
        """Return the category of each point (-1 if missing), their names, and how often each is.

        They come, and so have the colours, as in a plot: in their order, or, where there are more
        than a plot names, words by how frequent they are.
        """
        from ..plot.paint import MOST_NAMED, in_order

        series = self.others.iloc[:, column.place]
        codes, values = series.where(series != "").factorize()  # no text is no value
        counts = np.bincount(codes[codes >= 0], minlength=len(values))
        names = [str(value) for value in values]
        if all(_is_number(value) for value in values):
            order = np.argsort(np.asarray([float(value) for value in values]), kind="stable")
        elif len(names) <= MOST_NAMED:
            order = np.asarray(sorted(range(len(names)), key=lambda i: in_order(names[i])))
        else:
            order = np.argsort(-counts, kind="stable")
        place = np.empty(len(order) + 1, dtype=np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        place[-1] = -1  # which is where a missing value, -1, leads
        return place[codes], [names[i] for i in order], counts[order].tolist()

    def text(self, point: int, column: Column) -> Any:
        """Return one value as a row of the page shows it: a number, or text; None if missing."""
        if column.mapped:
            value = float(self.rows(np.array([point]))[0, column.place])
            return value if isfinite(value) else None
        return plain_value(self.others.iloc[point, column.place])

    def ids(self) -> list[str] | None:
        """Return the names of all rows, if they have any."""
        if self.id_index is None:
            return None
        return [str(v) for v in self.others.iloc[:, self.columns[self.id_index].place]]

    def row(self, point: int) -> dict[str, Any]:
        """Return all that is known of one point: its own columns first."""
        listed = [c for c in self.columns if not c.mapped] + [c for c in self.columns if c.mapped]
        shown = listed[:SHOWN]
        values = self.rows(np.array([point]))[0] if self.is_points else ()
        told = [
            [c.name, plain_value(values[c.place]) if c.mapped else self.text(point, c)]
            for c in shown
        ]
        named = self.id_index
        ident = None if named is None else str(self.text(point, self.columns[named]))
        return {"point": point, "id": ident, "values": told, "more": len(listed) - len(shown)}

    def chosen(self, points: Array, labels: list[str]) -> Any:
        """Return a frame of some points: their rows, their labels, and all of their columns."""
        columns: dict[str, Any] = {"row": points, "label": labels}
        if self.others is not None:
            others = self.others.iloc[points]
            for name in others.columns:
                columns[_free(str(name), columns)] = others[name].to_numpy()
        if self.is_points:
            for name, values in zip(self.recipe.columns, self.rows(points).T, strict=True):
                columns[_free(name, columns)] = values
        return import_pandas().DataFrame(columns)

    def search(self, text: str) -> dict[str, Any]:
        """Return the points that a word, ``#17`` or ``column=value`` means."""
        found, told = self._found(text.strip())
        total = len(found)
        first = f"; the first {FOUND} are marked" if total > FOUND else ""
        what = f"{total:,} of {self.n_points:,} points: {told}{first}"
        return {"points": found[:FOUND].tolist(), "total": total, "words": what}

    def _found(self, text: str) -> tuple[Array, str]:
        none = np.empty(0, dtype=np.int64)
        if not text:
            return none, "nothing is asked for"
        if text[0] == "#" and text[1:].strip().isdecimal():
            point = int(text[1:])
            return none if point >= self.n_points else np.array([point]), f"row {point}"
        for column in sorted(self.columns, key=lambda c: -len(c.name)):  # a name may hold any sign
            asked = (
                _COMPARED.match(text[len(column.name) :]) if text.startswith(column.name) else None
            )
            if asked:
                return self._compared(column, asked[1], asked[2].strip()), text
        hits = np.zeros(self.n_points, dtype=bool)
        for column in self.columns:
            if column.kind != "number":
                series = self.others.iloc[:, column.place].astype(str)
                hits |= series.str.contains(text, case=False, regex=False).to_numpy()
        return np.flatnonzero(hits), f"{text!r} in columns of words"

    def _compared(self, column: Column, sign: str, value: str) -> Array:
        compare = _OPERATORS[sign]
        if column.kind == "number":
            try:
                number = float(value)
            except ValueError:
                raise ValueError(f"column {column.name!r} holds numbers; got {value!r}") from None
            return np.flatnonzero(compare(self.numbers(column), number))
        series = self.others.iloc[:, column.place].astype(str)
        return np.flatnonzero(compare(series.to_numpy(dtype=object), value))


def _free(name: str, taken: Mapping[str, Any]) -> str:
    while name in taken:
        name += "_"
    return name


def histogram(values: Array) -> dict[str, Any]:
    """Return counts over equal bins of the finite values; empty if there are none."""
    known = values[np.isfinite(values)]
    if len(known) == 0:
        return {"edges": [], "counts": []}
    counts, edges = np.histogram(known, bins=BINS)
    return {"edges": edges.tolist(), "counts": counts.tolist()}


def plain_value(value: Any) -> Any:
    """Return a cell as JSON can hold it: a number, a truth value, text, or None if missing."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value) if isfinite(value) else None
    return None if value is None or value != value else str(value) or None


def _kind(series: Any, is_color: bool) -> tuple[Kind, int]:
    """Return what a column can do: scale colours, name kinds, or only be read."""
    distinct = int(series.nunique())
    kind = getattr(series.dtype, "kind", "O")
    if kind == "f" or is_date(series) or (kind in "iu" and distinct > CODED):
        return "number", distinct
    return "category" if distinct <= CATEGORIES or is_color else "text", distinct


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


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
    return ImageShape(height, width, channels, *_ends(points), folder="" if text else folder)


def _ends(values: Any) -> tuple[float, float]:
    """Return the values of black and of white: bytes and shares of 1 are known by their range."""
    low, high = float(values.min()), float(values.max())
    if low < 0:
        return low, high
    return 0.0, 1.0 if high <= 1 else 255.0 if DIM < high <= 255 else high


def with_images(data: Data, images: Any) -> Data:
    """Return data whose points have images beside them, (n, height, width) or with RGB."""
    given = np.asarray(images)
    height, width, *channels = given.shape[1:]
    shape = ImageShape(height, width, channels[0] if channels else 1, *_ends(given))
    return replace(data, image=shape, pictures=given.reshape(len(given), -1))


def thumbnail(data: Data, point: int) -> bytes:
    """Return a small picture of a row, as PNG: of the file it came from, or of its values."""
    picture = _picture(data, point, SIDE)
    picture.thumbnail((SIDE, SIDE))
    return _written(picture, "png")


def _picture(data: Data, point: int, side: int) -> Any:
    """Return the image of a row, at least so large; a large photograph is not read in full."""
    if data.image is None:
        raise NotPossible("the rows of these data are no images")
    from PIL import Image

    if data.image.folder:
        name = str(data.others["file"].iloc[point])
        with Image.open(Path(data.image.folder) / name) as opened:
            opened.draft("RGB", (side, side))
            return opened.convert("RGB")
    values = data.rows(np.array([point])) if data.pictures is None else data.pictures[[point]]
    return Image.fromarray(_pixels(np.asarray(values[0], dtype=np.float64), data.image))


def sheet(data: Data) -> Sheet:
    """Return the pictures of the rows in one image, in a random order; of many rows, of some."""
    from PIL import Image

    points = np.random.default_rng(0).permutation(data.n_points)[:SHEET]
    first = _picture(data, int(points[0]), CELL)
    shrunk = min(1.0, CELL / max(first.size))
    width, height = (max(1, round(shrunk * side)) for side in first.size)
    columns = max(1, round((len(points) * height / width) ** 0.5))
    whole = Image.new(first.mode, (columns * width, -(-len(points) // columns) * height))
    with stage("images", total=len(points)) as running:
        for k, point in enumerate(points.tolist()):
            small = _picture(data, point, CELL).resize((width, height), Image.Resampling.BOX)
            whole.paste(small, (k % columns * width, k // columns * height))
            running.advance()
    # drawings are smaller as PNG, and photographs as JPEG
    written = {kind: _written(whole, kind) for kind in ("png", "jpeg")}
    kind = min(written, key=lambda kind: len(written[kind]))
    where = points.astype(np.int32)
    return Sheet(where, columns, width, height, f"image/{kind}", written[kind])


def _written(picture: Any, kind: str) -> bytes:
    made = io.BytesIO()
    picture.save(made, format=kind)
    return made.getvalue()


def _pixels(row: Array, image: ImageShape) -> Array:
    """Return a row as an image of bytes."""
    span = image.high - image.low or 1.0
    scaled = np.clip((row - image.low) / span, 0.0, 1.0)
    shape = (image.height, image.width) if image.channels == 1 else (image.height, image.width, 3)
    return np.asarray(np.round(255 * scaled), dtype=np.uint8).reshape(shape)
