"""Fitted models as files: plain arrays and one JSON page in a zip, sealed, never pickle.

    >>> import unspool
    >>> model = unspool.Isomap().fit(X)                                # doctest: +SKIP
    >>> unspool.save(model, "roll.unspool")                            # doctest: +SKIP
    >>> unspool.load("roll.unspool").transform(X_new)                  # doctest: +SKIP

A loaded model gives the same numbers to the last bit. ``registry`` lists all that a file may hold,
``codec`` turns a model into a page and its arrays and back, ``archive`` is the file itself.
"""

from .archive import UnreadableModel
from .atomic import together, written
from .store import SUFFIX, Saved, load, read, save

__all__ = ["SUFFIX", "Saved", "UnreadableModel", "load", "read", "save", "together", "written"]
