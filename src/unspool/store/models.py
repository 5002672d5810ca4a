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
from .registry import PIPELINES, STEPS, check_everything, word_of

SUFFIX = ".unspool"
# 1: before relations had types; 2: before copies were one point; 3: a table's recipe was a note
FORMAT = 4


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
        A method; or a scikit-learn ``Pipeline`` that ends in one, with known steps before it
        (``io.TablePreparation``, scalers, ``SimpleImputer``, ``PCA``, functions of NumPy).
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
    _check_kind(model)
    encoder = Encoder()
    page = {
        "format": FORMAT,
        "model": encoder.page(model, type(model).__name__),
        "notes": encoder.page(dict(notes or {}), "notes"),
    }
    with write_atomically(path) as file:
        write(file, page, encoder.arrays)


def _check_kind(model: Any) -> None:
    """Refuse, in words, what is neither a method nor a pipeline of steps that are known."""
    if word_of(type(model)) in PIPELINES:
        _check_steps(model)
    elif not is_catalogued(model):
        raise ValueError(
            f"only methods of unspool, and pipelines that end in one, can be saved, and "
            f"{_class_name(model)} is none"
        )


def _check_steps(pipeline: Any) -> None:
    if pipeline.memory is not None:
        raise ValueError("a pipeline with memory cannot be saved; set_params(memory=None) first")
    *before, (_, last) = pipeline.steps
    if not is_catalogued(last):
        raise ValueError(f"a saved pipeline ends in a method of unspool, not {_class_name(last)}")
    for name, step in before:
        known = word_of(type(step)) in STEPS or is_catalogued(step)
        if not known and step not in (None, "passthrough"):
            steps = ", ".join(place.rpartition(":")[2] for place in STEPS.values())
            raise ValueError(
                f"step {name!r} is {_class_name(step)}, and a file holds methods and these steps: "
                f"{steps}"
            )


def _class_name(model: Any) -> str:
    return f"{type(model).__module__}.{type(model).__qualname__}"


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
        The fitted model. A file of ``unspool embed --model`` gives a pipeline (``io.TableModel``)
        that chooses, fills and scales the columns of a table as the command line did.

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
    if not is_catalogued(saved.model) and word_of(type(saved.model)) not in PIPELINES:
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
