"""Work spread over threads: compiled loops that let go of the interpreter's lock.

Plain threads rather than numba's parallel loops: those compile several times longer, abort the
process where two Python threads enter them at once (the layer that needs no further library), and
say nothing until they are done. Here the caller hears of each chunk and may stop between two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from queue import SimpleQueue
from typing import TypeVar

from ..values import Array

Space = TypeVar("Space")


def spread(
    work: Callable[[Array, Space], None],
    chunks: Sequence[Array],
    spaces: Sequence[Space],
    done: Callable[[int], None],
) -> None:
    """Call ``work(chunk, space)`` for all chunks, in as many threads as there are work spaces.

    ``done(len(chunk))`` is called here, in the calling thread, after each; what it raises stops the
    rest, once the chunks under way are finished.
    """
    if len(spaces) == 1 or len(chunks) == 1:
        for chunk in chunks:
            work(chunk, spaces[0])
            done(len(chunk))
        return
    free: SimpleQueue[Space] = SimpleQueue()
    for space in spaces:
        free.put(space)

    def run(chunk: Array) -> int:
        space = free.get()
        try:
            work(chunk, space)
        finally:
            free.put(space)
        return len(chunk)

    with ThreadPoolExecutor(len(spaces)) as pool:
        running = [pool.submit(run, chunk) for chunk in chunks]
        try:
            for finished in as_completed(running):
                done(finished.result())
        finally:
            for future in running:
                future.cancel()
