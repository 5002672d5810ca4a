"""Save a model to a file, and load it again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..catalog import is_catalogued
from ..io import write_atomically
from .archive import UnreadableModel, open_sealed, read_arrays, read_page, refusing, write
from .codec import Decoder, Encoder
from .registry import check_everything

SUFFIX = ".unspool"
FORMAT = 2  # 1 held the parts that methods kept before their relations had types


@dataclass(frozen=True, slots=True)
class SavedModel:
    """What a file holds: the model, and the notes that were saved with it."""

    model: Any
    notes: Mapping[str, Any] = field(default_factory=dict)


def save(
    model: Any, path: str | os.PathLike[str], *, notes: Mapping[str, Any] | None = None
) -> None:
    """Write a model to a file that ``load`` reads; the file is there whole or not at all.

    A model that holds code, such as a kernel of your own, is refused before anything is written.

    Parameters
    ----------
    model : fitted model
        The model.
    path : str or path-like
        The file; its name ends in ``.unspool``.
    notes : dict or None, default=None
        Plain values to keep with the model (numbers, text, lists, arrays); ``store.read`` gives
        them back.

    Examples
    --------
    >>> import os
    >>> import tempfile
    >>> from unspool import PCA, datasets, save
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(PCA(2).fit(datasets.circle(50).points), f"{folder}/circle.unspool")
    ...     os.listdir(folder)
    ['circle.unspool']
    """
    path = Path(path)
    if path.suffix != SUFFIX:
        raise ValueError(f"a model file ends in {SUFFIX}; call it {path.with_suffix(SUFFIX).name}")
    if not is_catalogued(model):
        raise ValueError(
            f"only methods of unspool can be saved, and {type(model).__module__}."
            f"{type(model).__qualname__} is none"
        )
    encoder = Encoder()
    page = {
        "format": FORMAT,
        "model": encoder.page(model, type(model).__name__),
        "notes": encoder.page(dict(notes or {}), "notes"),
    }
    with write_atomically(path) as file:
        write(file, page, encoder.arrays)


def load(path: str | os.PathLike[str]) -> Any:
    """Return the model that ``save`` wrote: it maps points to the same places, to the last bit.

    Reading a file runs no code of it. One that is foreign, damaged, cut off or written by a newer
    version raises ``UnreadableModel``, a ValueError that says which.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    model
        The fitted model.

    Examples
    --------
    >>> import tempfile
    >>> from unspool import PCA, datasets, load, save
    >>> model = PCA(2).fit(datasets.circle(50).points)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/circle.unspool")
    ...     again = load(f"{folder}/circle.unspool")
    >>> bool((again.embedding_ == model.embedding_).all())
    True
    """
    return read(path).model


def read(path: str | os.PathLike[str]) -> SavedModel:
    """Return the model in a file together with its notes.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    SavedModel
        The model, and the notes that were saved with it.

    Examples
    --------
    >>> import tempfile
    >>> from unspool import PCA, datasets, save, store
    >>> model = PCA(2).fit(datasets.circle(50).points)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/circle.unspool", notes={"unit": "cm"})
    ...     store.read(f"{folder}/circle.unspool").notes
    {'unit': 'cm'}
    """
    with Path(path).open("rb") as file:
        try:
            return _read(file)
        except UnreadableModel as error:
            told = " ".join(str(error).split())  # NumPy's errors may have several lines
            raise UnreadableModel(f"cannot load {os.fspath(path)}: {told}") from None


def _read(file: Any) -> SavedModel:
    with open_sealed(file) as opened:
        page = read_page(opened)
        _check_version(page)
        decoder = Decoder(list(read_arrays(opened)))
    with refusing("its page does not describe a model"):
        saved = SavedModel(decoder.value(page["model"]), decoder.value(page["notes"]))
        check_everything([saved.model, saved.notes], decoder.room)
    if not is_catalogued(saved.model):
        raise UnreadableModel("it holds no model")
    if not isinstance(saved.notes, dict):
        raise UnreadableModel("its notes are no table of names and values")
    return saved


def _check_version(page: Any) -> None:
    """Refuse a page of another format than this version reads."""
    version = page.get("format") if isinstance(page, dict) else None
    if type(version) is not int:
        raise UnreadableModel("its page does not say which format it has")
    if version == FORMAT:
        return
    newer = version > FORMAT
    what, remedy = ("a newer", "update unspool") if newer else ("an older", "fit and save it again")
    raise UnreadableModel(
        f"it was written by {what} unspool (format {version}, this one reads {FORMAT}); {remedy}"
    )
