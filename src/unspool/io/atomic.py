"""Files that are there whole or not at all, and several of them all or none.

A process that is killed cannot remove what it was writing. The names of its unfinished files stand
in memory that it shares with its parent, which is there whatever happens to the child and removes
them (``share_unfinished``, ``remove_unfinished``).
"""

from __future__ import annotations

import errno
import mmap
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO

Pending = list[tuple[Path, Path]]  # files that are written, and the names they shall take

# full, too large, over quota, read-only, not allowed: told of the file, not of its unfinished part
NOT_WRITTEN = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}
SIZE = 2**16  # bytes for the names: more than ten of the longest paths

_pending: ContextVar[Pending | None] = ContextVar("pending", default=None)
_shared: mmap.mmap | None = None
_unfinished: list[bytes] = []


@contextmanager
def write_together() -> Iterator[Pending]:
    """Let the files that are written in the block take their names when it ends well.

    If it does not, none of them does, and what was there before is still there.

    Yields
    ------
    list of (Path, Path)
        The files written so far, and the names they shall take.

    Examples
    --------
    >>> from unspool.io import write_atomically, write_together
    >>> with write_together():                                             # doctest: +SKIP
    ...     for name in ("a.txt", "b.txt"):
    ...         with write_atomically(name) as file:
    ...             file.write(b"both or none")
    """
    pending: Pending = []
    token = _pending.set(pending)
    try:
        yield pending
        for part, goal in pending:
            part.replace(goal)
    finally:
        _pending.reset(token)
        for part, _ in pending:
            _discard(part)


@contextmanager
def write_atomically(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a binary file that takes the name ``path`` when the block ends well.

    It is written beside its later place, so that the last step is one renaming; a block that fails
    or is interrupted leaves what was there before. A file that was there keeps its permissions, and
    a symbolic link stays one: the file that it leads to is written.

    Parameters
    ----------
    path : str or path
        The name of the file; its folder must be there.

    Yields
    ------
    binary file
        What is written to it appears under ``path`` all at once.

    Raises
    ------
    ValueError
        If ``path`` is a folder, or lies in one that is not there.
    OSError
        If it cannot be written, with its name.

    Examples
    --------
    >>> from unspool.io import write_atomically
    >>> with write_atomically("map.bin") as file:                          # doctest: +SKIP
    ...     file.write(b"whole or not at all")
    """
    goal = Path(path)
    goal = goal.resolve() if goal.is_symlink() else goal
    if goal.is_dir():
        raise ValueError(f"{goal} is a folder; name a file to write")
    if not goal.parent.is_dir():
        raise ValueError(f"there is no folder {goal.parent} to write {goal.name} to; make it first")
    goal = goal.absolute()  # wherever the process may be at the end of the block
    part = goal.with_name(f".{goal.name}.{secrets.token_hex(4)}.part")
    others = _pending.get()
    with write_together() if others is None else nullcontext(others) as pending:
        _note_begun(part)
        try:
            with part.open("xb+") as file:
                _keep_mode(goal, part)
                yield file
                file.flush()
                os.fsync(file.fileno())
        except BaseException as error:
            with suppress(OSError):
                _discard(part)
            if isinstance(error, OSError) and error.errno in NOT_WRITTEN:
                raise OSError(error.errno, os.strerror(error.errno), str(path)) from None
            raise
        pending.append((part, goal))


@contextmanager
def scratch_folder(parent: str | os.PathLike[str] | None = None) -> Iterator[Path]:
    """Make a folder that goes when the block ends, or with the process that is killed in it.

    Parameters
    ----------
    parent : str, path or None, default=None
        Folder in which it is made; None is that for temporary files.

    Yields
    ------
    Path
        The folder.

    Examples
    --------
    >>> from unspool.io.atomic import scratch_folder
    >>> with scratch_folder() as folder:
    ...     folder.is_dir()
    True
    """
    folder = Path(tempfile.mkdtemp(prefix="unspool-", dir=parent)).absolute()
    _note_begun(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        _note_ended(folder)


def _keep_mode(goal: Path, part: Path) -> None:
    """Give a new file the permissions of the one whose place it takes."""
    with suppress(OSError):  # there is none, or it is somebody else's
        part.chmod(stat.S_IMODE(goal.stat().st_mode))


def _discard(part: Path) -> None:
    """Remove a file if it has not got its name."""
    part.unlink(missing_ok=True)
    _note_ended(part)


def _note_begun(part: Path) -> None:
    """Note a file that is about to be written, by its absolute path."""
    _unfinished.append(os.fsencode(part))
    _publish()


def _note_ended(part: Path) -> None:
    """Strike out a file that has got its name, or was removed."""
    _unfinished.remove(os.fsencode(part))
    _publish()


def _publish() -> None:
    names = b"\0".join(_unfinished)
    if _shared is not None and len(names) <= SIZE:
        _shared[:] = names.ljust(SIZE, b"\0")


def share_unfinished() -> None:
    """Let the processes that are forked from now on tell this one of their unfinished files.

    Examples
    --------
    >>> from unspool import io
    >>> io.share_unfinished()
    """
    global _shared
    _shared = mmap.mmap(-1, SIZE)


def remove_unfinished() -> None:
    """Remove files and folders that were not finished; no process that writes them may go on.

    Examples
    --------
    >>> from unspool import io
    >>> io.remove_unfinished()
    """
    for name in _shared[:].split(b"\0") if _shared is not None else ():
        if name:
            if os.path.isdir(name):
                shutil.rmtree(name, ignore_errors=True)
            with suppress(OSError):
                os.unlink(name)
