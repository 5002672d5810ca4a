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

SUFFIX = ".unspool"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class SavedModel:
    """What a file holds: the model, and the notes that were saved with it."""

    model: Any
    notes: Mapping[str, Any] = field(default_factory=dict)


def save(
    model: Any, path: str | os.PathLike[str], *, notes: Mapping[str, Any] | None = None
) -> None:
    """Write a model to a file that ``load`` reads; the file is there whole or not at all.

    Parameters
    ----------
    model : estimator
        A method of unspool, fitted or not.
    path : str or path
        The file; its name ends in ``.unspool``.
    notes : mapping, optional
        Plain values to keep with the model (numbers, text, lists, arrays); ``store.read`` gives
        them back.

    Raises
    ------
    ValueError
        If the model holds code, such as a kernel of your own, or is no method of unspool; nothing
        is written then.

    See Also
    --------
    load : Read the model again.

    Examples
    --------
    >>> import unspool
    >>> X = unspool.datasets.swiss_roll(100).points
    >>> unspool.save(unspool.Isomap(2).fit(X), "roll.unspool")             # doctest: +SKIP
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

    Reading a file runs no code of it.

    Parameters
    ----------
    path : str or path
        A file that ``save`` wrote.

    Returns
    -------
    estimator
        The model, as it was.

    Raises
    ------
    UnreadableModel
        A ValueError that says whether the file is foreign, damaged, cut off or written by a newer
        version.

    See Also
    --------
    save : Write a model.

    Examples
    --------
    >>> import unspool
    >>> unspool.load("roll.unspool").embedding_.shape                      # doctest: +SKIP
    (100, 2)
    """
    return read(path).model


def read(path: str | os.PathLike[str]) -> SavedModel:
    """Return the model in a file together with its notes.

    Parameters
    ----------
    path : str or path
        A file that ``save`` wrote.

    Returns
    -------
    SavedModel
        ``model``, and the ``notes`` that were given to ``save``.

    Examples
    --------
    >>> from unspool import store
    >>> store.read("roll.unspool").notes                                   # doctest: +SKIP
    {}
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
        version = page.get("format") if isinstance(page, dict) else None
        if type(version) is int and version > FORMAT:
            raise UnreadableModel(
                f"it was written by a newer unspool (format {version}, this one reads {FORMAT}); "
                "update unspool"
            )
        if version != FORMAT:
            raise UnreadableModel("its page does not say which format it has")
        decoder = Decoder(list(read_arrays(opened)))
    with refusing("its page does not describe a model"):
        saved = SavedModel(decoder.value(page["model"]), decoder.value(page["notes"]))
    if not is_catalogued(saved.model):
        raise UnreadableModel("it holds no model")
    if not isinstance(saved.notes, dict):
        raise UnreadableModel("its notes are no table of names and values")
    return saved
