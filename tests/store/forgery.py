"""Forged model files: sealed as a whole one is, with one array or one word of the page altered.

``forge`` makes them, seeded. ``python -m tests.store.forgery`` is the child that loads and uses one
file after the other, and says how each went; ``outcomes`` starts it with a limit of memory, and
again where a file has crashed it or held it up.
"""

from __future__ import annotations

import io
import json
import os
import resource
import selectors
import subprocess
import sys
import time
import warnings
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import unspool
from unspool.methods.parameters import attributes_of
from unspool.store import models
from unspool.store.codec import Encoder
from unspool.store.models import FORMAT

SECONDS = 30.0  # for one file: some compile a loop anew
MEMORY = 4 * 2**30  # bytes of address space beyond what the child begins with
GOOD = ("refused", "told", "finite")


def to(value):
    def change(array, random):
        array = np.array(array)
        if array.size:
            array.flat[random.integers(array.size)] = value
        return array

    return change


def shuffled(array, random):
    return random.permuted(array.ravel()).reshape(array.shape)


ANY_ARRAY = {
    "cut by one": lambda a, _: a[:-1],
    "cut to two": lambda a, _: a[:2],
    "emptied": lambda a, _: a[:0],
    "twice as long": lambda a, _: np.concatenate([a, a]),
    "one longer": lambda a, _: np.concatenate([a, a[:1]]),
    "narrower": lambda a, _: a[..., :-1],
    "transposed": lambda a, _: a.T if a.ndim > 1 else a[:, None],
    "deeper": lambda a, _: a[None],
    "flat": lambda a, _: a.ravel(),
    "negative": lambda a, _: -a.astype(np.int64) if a.dtype.kind in "ub" else -a,
    "zero": lambda a, _: np.zeros_like(a),
    "constant": lambda a, _: np.full_like(a, a.flat[0]) if a.size else a,
    "reversed": lambda a, _: a[::-1],
    "shuffled": shuffled,
    "one negative": to(-1),
    "one large": to(2**31 - 2),
    "single": lambda a, _: a.astype(np.float32),
    "half": lambda a, _: a.astype(np.float16),
    "double": lambda a, _: a.astype(np.float64),
    "whole": lambda a, _: a.astype(np.int64),
    "bytes": lambda a, _: a.astype(np.int8),
    "truth": lambda a, _: a.astype(bool),
    "complex": lambda a, _: a.astype(complex),
    "text": lambda a, _: a.astype("U8"),
    "swapped bytes": lambda a, _: a.astype(a.dtype.newbyteorder(">")),
}
REAL_ARRAY = {
    "one NaN": to(np.nan),
    "one infinite": to(np.inf),
    "one minus infinity": to(-np.inf),
    "one huge": to(1e300),
    "one wide": to(1e69),
    "one tiny": to(1e-300),
    "all NaN": lambda a, _: a * np.nan,
    "all huge": lambda a, _: a * 1e300,
    "all large": lambda a, _: a * 1e60,
    "all small": lambda a, _: a * 1e-60,
}
WHOLE_ARRAY = {"one huge": to(2**62), "two billion": to(2 * 10**9), "one more": lambda a, _: a + 1}
WORDS = [
    *(None, True, False, -1, 0, 1, 2, 7, 2**31, 2**80, -(2**63)),
    *(0.5, -0.5, 1e-300, 1e69, 1e300, -1e300, "", "x", "linear", "precomputed", [], {}),
    *({"is": "float", "value": word} for word in ("nan", "inf", "-inf")),
    {"is": "tuple", "items": []},
    {"is": "tuple", "items": [1]},
    {"is": "array", "number": 0, "frozen": False},
    {"is": "array", "number": 1, "frozen": True},
    {"is": "scalar", "dtype": "<i8", "value": -1},
    {"is": "type", "name": "int8"},
]


@dataclass(frozen=True)
class Saved:
    """A model as it stands in a file: the page, and the arrays it refers to."""

    page: dict
    arrays: list

    @classmethod
    def of(cls, model):
        encoder = Encoder()
        page = {"format": FORMAT, "model": encoder.page(model, ""), "notes": encoder.page({}, "")}
        return cls(page, encoder.arrays)

    def content(self):
        file = io.BytesIO()
        models.write(file, self.page, self.arrays)
        return file.getvalue()


def forge(saved, random):
    """Return what was done, and the content of a forged file."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if random.random() < 0.7:
            what, forged = _other_array(saved, random)
        else:
            what, forged = _other_page(saved, random)
    return what, forged.content()


def _other_array(saved, random):
    number = int(random.integers(len(saved.arrays)))
    array = saved.arrays[number]
    changes = {"f": REAL_ARRAY, "i": WHOLE_ARRAY}.get(array.dtype.kind, {})
    names = list(ANY_ARRAY) + 2 * list(changes)
    name = names[random.integers(len(names))]
    try:
        other = {**ANY_ARRAY, **changes}[name](array, random)
    except (OverflowError, ValueError):
        name, other = "cut by one", array[:-1]
    arrays = [*saved.arrays[:number], np.ascontiguousarray(other), *saved.arrays[number + 1 :]]
    return f"array {number} {array.dtype}{array.shape} {name}", Saved(saved.page, arrays)


def _other_page(saved, random):
    page = json.loads(json.dumps(saved.page))
    places = list(_leaves(page["model"], ()))
    path = places[random.integers(len(places))]
    part = page["model"]
    for key in path[:-1]:
        part = part[key]
    if random.random() < 0.15 and isinstance(part, dict):
        del part[path[-1]]
        return f"page {path} left out", Saved(page, saved.arrays)
    part[path[-1]] = word = WORDS[random.integers(len(WORDS))]
    return f"page {path} {word!r}", Saved(page, saved.arrays)


def _leaves(part, path):
    """Yield the way to each number and word, and to each value that has parts."""
    keys = range(len(part)) if isinstance(part, list) else part
    for key in keys:
        if isinstance(part[key], dict | list):
            yield (*path, key)
            yield from _leaves(part[key], (*path, key))
        elif key not in ("is", "frozen"):
            yield (*path, key)


def uses(model, queries):
    """Return everything that a model, or a pipeline that ends in one, can be asked, by name."""
    job, model = model, model[-1] if hasattr(model, "named_steps") else model
    found = {
        "embedding_": lambda: model.embedding_,
        "transform": lambda: job.transform(queries),
        "text": lambda: (str(model.report_), repr(job), list(model.get_feature_names_out())),
    }
    if hasattr(job, "inverse_transform"):
        found["inverse_transform"] = lambda: job.inverse_transform(model.embedding_[:7])
    for name in ("shepard", "kernel_", "equation", "self_consistency", "curvature"):
        if hasattr(model, name):
            found[name] = getattr(model, name)
    if hasattr(model, "predict"):
        found["predict"] = lambda: model.predict(queries)
    for name in attributes_of(type(model)):
        if name not in ("disparities_", "feature_names_in_"):  # with gaps, and not always there
            found[name] = lambda name=name: getattr(model, name)
    return found


def is_finite(value):
    if sp.issparse(value):
        return is_finite(value.data)
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        return bool(np.isfinite(value).all())
    if isinstance(value, float):
        return bool(np.isfinite(value))
    if isinstance(value, tuple | list):
        return all(map(is_finite, value))
    if is_dataclass(value) and type(value).__name__ in ("ShepardDiagram", "Distances"):
        return all(is_finite(getattr(value, field.name)) for field in fields(value))
    return True


def judge(path):
    """Return how one file went: refused, told by an error, finite, or what is wrong."""
    queries = np.load(path.with_name("queries.npy"))
    try:
        model = unspool.load(path)
    except BaseException as error:
        return told(error, "refused")
    outcome = "finite"
    for name, ask in uses(model, queries).items():
        try:
            if not is_finite(ask()):
                return f"NOT FINITE {name}"
        except BaseException as error:
            outcome = told(error, "told")
            if outcome != "told":
                return f"{outcome} in {name}"
    return outcome


def told(error, word):
    """Return the word if the error is one line of a ValueError, or else what it is."""
    if isinstance(error, ValueError) and "\n" not in str(error):
        return word
    return f"RAISED {type(error).__name__}: {error}".replace("\n", " ")


def child():
    warnings.simplefilter("ignore")
    begin = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (begin + MEMORY, begin + MEMORY))
    with np.errstate(all="ignore"):
        for line in sys.stdin:
            print(judge(Path(line.strip())), flush=True)


def outcomes(paths):
    """Return how each file went, in order; a child that ends or hangs is replaced."""
    found, worker = [], None
    for path in paths:
        worker = worker or _start()
        began = _seconds(worker)
        worker.stdin.write(f"{path}\n")
        worker.stdin.flush()
        with selectors.DefaultSelector() as waiting:
            waiting.register(worker.stdout, selectors.EVENT_READ)
            while not (heard := waiting.select(1.0)) and _seconds(worker) < began + SECONDS:
                pass
            answer = worker.stdout.readline().strip() if heard else "HANGS"
        if answer in ("", "HANGS"):
            worker.kill()
            answer = answer or f"CRASHED {worker.wait()}"
            worker = _stopped(worker)
        found.append(answer)
    _stopped(worker)
    return found


def _seconds(worker):
    """Return the seconds that a child has worked, and a tenth of those on the clock.

    On a busy machine it may have to wait; and one that waits for ever does not work.
    """
    fields = Path(f"/proc/{worker.pid}/stat").read_text().rpartition(")")[2].split()
    worked = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return worked + (time.monotonic() / 10.0)


def _start():
    command = [sys.executable, "-m", "tests.store.forgery"]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)


def _stopped(worker):
    if worker is not None:
        worker.stdin.close()
        worker.wait()
        worker.stdout.close()


if __name__ == "__main__":
    child()
