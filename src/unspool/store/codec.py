"""A model as one JSON page and a list of arrays, and back.

JSON has no tuples, arrays or objects of ours: these stand on the page as ``{"is": kind, ...}``. An
array that several places share (the points, in most models) is stored once and shared again.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from ..values import Array, StoredPoints
from .registry import PIPELINES, class_of, is_made_by_constructor, word_of

SPARSE = {
    f"{layout}_{kind}": getattr(sp, f"{layout}_{kind}")
    for layout in ("csr", "csc")
    for kind in ("array", "matrix")
}
USES = 16  # of an array, by other parts of a model; points have five
SMALL = 2**24  # bytes that may be looked at without counting
# of FunctionTransformer: code is never stored, and these are called by name
FUNCTIONS: tuple[str, ...] = (
    "log",
    "log1p",
    "log2",
    "log10",
    "exp",
    "expm1",
    "exp2",
    "sqrt",
    "square",
    "cbrt",
)
FUNCTIONS += ("arcsinh", "sinh", "abs", "absolute", "sign", "tanh", "reciprocal")
PLAIN_KINDS = "biufcU"  # of arrays: numbers, truth values and text; never Python objects


class Encoder:
    """Turns values into a page; ``arrays`` collects what the page refers to by number."""

    def __init__(self) -> None:
        self.arrays: list[Array] = []
        self._numbers: dict[int, int] = {}

    def page(self, value: Any, where: str) -> Any:
        """Return ``value`` as JSON can hold it; ``where`` names it if it cannot be saved."""
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"is": "float", "value": repr(value)}
        if type(value) in (list, tuple):
            items = [self.page(item, f"{where}[{i}]") for i, item in enumerate(value)]
            return items if type(value) is list else {"is": "tuple", "items": items}
        if type(value) is dict:
            pairs = [
                [self.page(k, where), self.page(v, f"{where}[{k!r}]")] for k, v in value.items()
            ]
            return {"is": "dict", "items": pairs}
        if isinstance(value, np.ndarray):
            return self._array(value, where)
        if isinstance(value, np.generic) and value.dtype.kind in "biuf":
            return {"is": "scalar", "dtype": value.dtype.str, "value": self.page(value.item(), "")}
        return self._object(value, where)

    def _array(self, array: Array, where: str) -> Any:
        if array.dtype.kind == "O" and all(type(cell) is str for cell in array.flat):
            return {"is": "names", "items": array.ravel().tolist()}  # of columns: feature_names_in_
        if array.dtype.kind not in PLAIN_KINDS or type(array) is not np.ndarray:
            raise refusal(where, f"an array of {array.dtype} ({type(array).__name__})")
        if id(array) not in self._numbers:
            self._numbers[id(array)] = len(self.arrays)
            self.arrays.append(array)  # which also keeps its id from being given to another
        frozen = not array.flags.writeable
        return {"is": "array", "number": self._numbers[id(array)], "frozen": frozen}

    def _object(self, value: Any, where: str) -> Any:
        layout = f"{getattr(value, 'format', '')}_{type(value).__name__.rpartition('_')[2]}"
        if sp.issparse(value) and layout in SPARSE:
            parts = [self._array(part, where) for part in (value.data, value.indices, value.indptr)]
            shape = [int(length) for length in value.shape]
            return {"is": "sparse", "layout": layout, "shape": shape, "parts": parts}
        if isinstance(value, type) and issubclass(value, np.generic):
            return {"is": "type", "name": np.dtype(value).name}
        if isinstance(value, np.dtype) and value.kind in "biuf":
            return {"is": "number type", "name": value.name}
        is_step = where.endswith((".func", ".inverse_func"))
        if is_step and isinstance(value, np.ufunc) and value.__name__ in FUNCTIONS:
            return {"is": "function", "name": value.__name__}
        if isinstance(value, StoredPoints):
            raise ValueError(
                f"this model cannot be saved: {where} are points on disk, which it refers to; fit "
                "a sample of them (scale.by_sample), which can be saved"
            )
        word = word_of(type(value))
        if word is None:
            raise refusal(where, _described(value))
        fields = {name: self.page(part, f"{where}.{name}") for name, part in _state(value).items()}
        return {"is": "object", "class": word, "fields": fields}


def _state(value: Any) -> dict[str, Any]:
    """Return all that a value is made of: what its constructor takes, or all it holds."""
    if is_made_by_constructor(type(value)):
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.init}
    return {name: part for name, part in vars(value).items() if not name.startswith("_skl_")}


def refusal(where: str, what: str) -> ValueError:
    """Return the error for something that no file can hold."""
    return ValueError(
        f"this model cannot be saved: {where} is {what}, and a model file holds numbers and text "
        "but never code; use one of the named choices, or keep the model in Python"
    )


def _described(value: Any) -> str:
    name = getattr(value, "__name__", None)
    if callable(value) and name is not None:
        return f"the function {name}"
    return f"a {type(value).__module__}.{type(value).__qualname__}"


def _check_compressed(parts: tuple[Array, ...], n_major: int, n_minor: int) -> None:
    """Raise ValueError unless compiled code can trust the parts of a sparse matrix."""
    data, indices, starts = parts
    kinds = "biuf", "i", "i"
    if not (
        all(part.ndim == 1 and part.dtype.isnative for part in parts)
        and all(part.dtype.kind in kind for part, kind in zip(parts, kinds, strict=True))
        and all(part.dtype.itemsize >= 4 for part in (indices, starts))
        and len(starts) == n_major + 1
        and len(data) == len(indices) == starts[-1]
        and starts[0] == 0
        and np.all(starts[1:] >= starts[:-1])
        and np.all((indices >= 0) & (indices < n_minor))
    ):
        raise ValueError("the parts of a sparse matrix do not fit each other")


class Decoder:
    """Turns a page back into values; what it cannot be raises one of ``archive.NONSENSE``."""

    def __init__(self, arrays: list[Array]) -> None:
        self._arrays = arrays
        self.room = float(USES * sum(array.nbytes for array in arrays) + SMALL)
        self._room = self.room

    def value(self, page: Any) -> Any:
        """Return the value that ``page`` stands for."""
        if isinstance(page, list):
            return [self.value(item) for item in page]
        if not isinstance(page, dict):
            return page
        return self._KINDS[page["is"]](self, page)

    def _float(self, page: Any) -> float:
        return float(page["value"])

    def _tuple(self, page: Any) -> tuple[Any, ...]:
        return tuple(self.value(item) for item in page["items"])

    def _dict(self, page: Any) -> dict[Any, Any]:
        return {self.value(key): self.value(value) for key, value in page["items"]}

    def _names(self, page: Any) -> Array:
        return np.array([str(name) for name in page["items"]], dtype=object)

    def _scalar(self, page: Any) -> Any:
        dtype = np.dtype(str(page["dtype"]))
        if dtype.kind not in "biuf":
            raise ValueError(f"no number is a {dtype}")
        return dtype.type(self.value(page["value"]))

    def _type(self, page: Any) -> Any:
        return np.dtype(str(page["name"])).type

    def _number_type(self, page: Any) -> Any:
        return np.dtype(str(page["name"]))

    def _function(self, page: Any) -> Any:
        if page["name"] not in FUNCTIONS:
            raise ValueError(f"no file may call {page['name']!r}")
        return getattr(np, page["name"])

    def _array(self, page: Any) -> Array:
        array: Array = self._arrays[page["number"]]
        if page["frozen"]:
            array.flags.writeable = False
        return array

    def _sparse(self, page: Any) -> Any:
        parts = tuple(self.value(part) for part in page["parts"])
        shape = tuple(page["shape"])
        self._room -= sum(part.nbytes for part in parts)
        if self._room < 0:
            raise ValueError("its arrays are used more often than those of any model")
        by_rows = page["layout"].startswith("csr")
        _check_compressed(parts, *(shape if by_rows else shape[::-1]))
        matrix = SPARSE[page["layout"]](parts, shape=shape)
        matrix.data, matrix.indices, matrix.indptr = parts  # SciPy may have narrowed the integers
        return matrix

    def _object(self, page: Any) -> Any:
        cls: Any = class_of(page["class"])
        fields = {name: self.value(part) for name, part in page["fields"].items()}
        if is_made_by_constructor(cls):
            return cls(**fields)
        # defaults come first: a later version may have more parameters than the file
        has_defaults = hasattr(cls, "get_params") and page["class"] not in PIPELINES
        made = cls() if has_defaults else object.__new__(cls)
        made.__dict__.update(fields)
        return made

    _KINDS: ClassVar = {
        "array": _array,
        "dict": _dict,
        "float": _float,
        "function": _function,
        "names": _names,
        "number type": _number_type,
        "object": _object,
        "scalar": _scalar,
        "sparse": _sparse,
        "tuple": _tuple,
        "type": _type,
    }
