"""Long work in a child process that can be killed: fits, and resampling for the stability.

A compiled loop hears no request to stop, so a job that is cancelled is ended with its process. The
child waits for the next job, with everything imported, and goes when its parent does. The data go
through an open file without a name, once, and come back as the parent's own: a model that keeps
its points shares them with the session.
"""

from __future__ import annotations

import io
import os
import pickle
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..evaluate.compare import title_of
from ..evaluate.evidence import FAILURES
from ..runtime import Event, listen, stage, tell_progress
from .code import describe
from .session import Session, View, fit_map
from .verdicts import stability_of

Hear = Callable[[dict[str, Any]], None]
_MAIN = f"from {__name__} import main; main()"
PAUSE = 0.1  # seconds between two messages of progress
PATIENCE = 1.5  # seconds for a killed process to be gone


@dataclass(frozen=True, slots=True)
class Job:
    """What a child is asked to do: fit ``model``, or resample what it was fitted on."""

    kind: str
    model: Any
    metric: Any
    label: str = ""
    map: str = ""
    embedding: Any = None


@dataclass(eq=False)
class Worker:
    """A child process and the line to it."""

    process: subprocess.Popen[bytes]
    line: Connection

    @classmethod
    def start(cls, file: Any) -> Worker:
        """Start a child that reads its data from an open file."""
        ours, theirs = Pipe()
        shared = (theirs.fileno(), file.fileno())
        command = [sys.executable, "-c", _MAIN, *map(str, shared)]
        process = subprocess.Popen(
            command,
            pass_fds=shared,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C in the terminal is heard by the parent alone
        )
        theirs.close()
        return cls(process, ours)

    def end(self) -> None:
        """End the child, whatever it does."""
        self.process.kill()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:  # it gives back its memory; it does nothing more
            threading.Thread(target=self.process.wait, daemon=True).start()

    @property
    def is_alive(self) -> bool:
        """Whether the child waits or works."""
        return self.process.poll() is None


@dataclass(eq=False)
class Running:
    """A job that is under way."""

    id: str
    job: Job
    began: float
    cancelled: bool = False
    over: threading.Event = field(default_factory=threading.Event)
    last: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False)
class Jobs:
    """One job at a time, and everybody who wants to hear of it."""

    session: Session
    _hearers: list[Hear] = field(default_factory=list)
    _lock: Any = field(default_factory=threading.RLock)
    _worker: Worker | None = None
    _file: Any = None
    _filled: bool = False
    _count: int = 0
    running: Running | None = None

    def hear(self, callback: Hear) -> Callable[[], None]:
        """Call back with every event; what is returned ends it."""
        with self._lock:
            self._hearers.append(callback)
        return lambda: self._hearers.remove(callback) if callback in self._hearers else None

    def tell(self, event: dict[str, Any]) -> None:
        """Tell everybody."""
        with self._lock:
            hearers = list(self._hearers)
        for callback in hearers:
            callback(event)

    def warm(self) -> None:
        """Have a child ready for the first job."""
        with self._lock:
            if self._worker is None or not self._worker.is_alive:
                if self._file is None:
                    # held open for all children, until close()
                    self._file = tempfile.TemporaryFile(prefix="unspool-")  # noqa: SIM115
                self._worker = Worker.start(self._file)

    def start(self, job: Job) -> Running:
        """Begin a job; the one that runs is ended first."""
        before = self.running
        if before is not None:
            self.cancel(before.id)
        with self._lock:
            self.warm()
            self._fill()
            self._count += 1
            begun = Running(f"j{self._count}", job, time.monotonic())
            self.running = begun
        threading.Thread(target=self._follow, args=(begun, self._worker), daemon=True).start()
        return begun

    def run(self, job: Job) -> View:
        """Do a job and wait for it; raise what went wrong."""
        answers: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        stop = self.hear(answers.put)
        try:
            with stage(job.label or title_of(type(job.model))):
                begun = self.start(job)
                last = answers.get()
                while last["job"] != begun.id or last["event"] == "progress":
                    tell_progress(last.get("done", 0), last.get("total", 1))
                    last = answers.get()
        except BaseException:
            self.close()
            raise
        finally:
            stop()
        if last["event"] != "done":
            raise ValueError(last.get("error", "the fit was cancelled"))
        return self.session.view(last["map"]["id"])

    def cancel(self, name: str) -> bool:
        """End a job and its process; False if it does not run."""
        with self._lock:
            running = self.running
            if running is None or running.id != name:
                return False
            running.cancelled = True
            if self._worker is not None:
                self._worker.end()
                self._worker = None
        running.over.wait(PATIENCE)
        return True

    def close(self) -> None:
        """End everything."""
        with self._lock:
            if self.running is not None:
                self.running.cancelled = True
            if self._worker is not None:
                self._worker.end()
                self._worker = None
            if self._file is not None:
                self._file.close()
                self._file = None

    def _fill(self) -> None:
        """Write the data to the file of the children, once."""
        if self._filled:
            return
        data = self.session.data.points
        if sp.issparse(data):
            pickle.dump(data, self._file)
        else:
            np.save(self._file, np.asarray(data), allow_pickle=False)
        self._file.flush()
        self._filled = True

    def _follow(self, begun: Running, worker: Worker | None) -> None:
        """Pass on what a child says, until its job is over."""
        assert worker is not None
        try:
            sparse = sp.issparse(self.session.data.points)
            worker.line.send_bytes(pickle.dumps((begun.job, sparse)))
            said = {"kind": "progress"}
            while said["kind"] == "progress":
                said = _received(worker.line.recv_bytes(), self.session.data.points)
                if said["kind"] == "progress":
                    self._progress(begun, said)
            event = self._ended(begun, said)
        except (EOFError, OSError):
            lost = {
                "event": "failed",
                "error": "the process of this fit was ended, perhaps for want of memory",
            }
            event = {"event": "cancelled"} if begun.cancelled else lost
        with self._lock:
            if self.running is begun:
                self.running = None
        self.tell({**event, "job": begun.id, "kind": begun.job.kind})
        begun.over.set()

    def _progress(self, begun: Running, said: dict[str, Any]) -> None:
        seconds = round(time.monotonic() - begun.began, 1)
        event = {"event": "progress", "job": begun.id, **said, "kind": begun.job.kind}
        begun.last = {**event, "seconds": seconds}
        self.tell(begun.last)

    def _ended(self, begun: Running, said: dict[str, Any]) -> dict[str, Any]:
        """Return the event that ends a job, its map taken in."""
        if begun.cancelled:
            return {"event": "cancelled"}
        if said["kind"] == "failed":
            return {"event": "failed", "error": said["error"]}
        if begun.job.kind == "fit":
            return {"event": "done", "map": describe(self.session.add(said["answer"]))}
        view = self.session.view(begun.job.map)
        view.stability = said["answer"]
        return {"event": "done", "map": describe(view), "score": "stability"}


class _Sender(pickle.Pickler):
    """Writes values without the data themselves, which the other side has."""

    def __init__(self, file: Any, data: Any) -> None:
        super().__init__(file, protocol=5)
        self.data = data

    def persistent_id(self, obj: Any) -> Any:
        """Name an array that is the data."""
        if not isinstance(obj, np.ndarray) or not isinstance(self.data, np.ndarray):
            return None
        alike = obj.shape == self.data.shape and obj.dtype == self.data.dtype
        return "data" if alike and np.array_equal(obj, self.data) else None


class _Receiver(pickle.Unpickler):
    """Reads values from our own child, and puts our data where it left them out."""

    def __init__(self, file: Any, data: Any) -> None:
        super().__init__(file)
        self.data = data

    def persistent_load(self, pid: Any) -> Any:
        """Return the data."""
        return self.data


def _received(sent: bytes, data: Any) -> Any:
    return _Receiver(io.BytesIO(sent), data).load()


def _serve(line: Connection, file: int) -> None:
    """Do jobs until the parent is gone."""
    asked: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen_to_parent, args=(line, asked), daemon=True).start()
    data: Any = None
    while True:
        job, sparse = pickle.loads(asked.get())
        data = _loaded(file, sparse) if data is None else data
        sent = io.BytesIO()
        _Sender(sent, data).dump(_done(job, data, line))
        line.send_bytes(sent.getvalue())


def _listen_to_parent(line: Connection, asked: queue.SimpleQueue[bytes]) -> None:
    try:
        while True:
            asked.put(line.recv_bytes())
    except (EOFError, OSError):
        os._exit(0)


def _loaded(file: int, sparse: bool) -> Any:
    """Return the data; dense ones stay in the file until they are looked at."""
    if sparse:
        os.lseek(file, 0, os.SEEK_SET)
        with os.fdopen(os.dup(file), "rb") as opened:
            return pickle.load(opened)
    return np.asarray(np.load(f"/dev/fd/{file}", mmap_mode="c", allow_pickle=False))


def _done(job: Job, data: Any, line: Connection) -> dict[str, Any]:
    """Return what came of a job, and tell of its progress on the way."""
    try:
        with listen(_paced(line)):
            if job.kind == "fit":
                answer: Any = fit_map(job.model, data, job.metric, job.label)
            else:
                answer = stability_of(job.model, data, job.embedding)
        return {"kind": "done", "answer": answer}
    except FAILURES as reason:
        return {"kind": "failed", "error": str(reason) or type(reason).__name__}


def _paced(line: Connection) -> Callable[[Event], None]:
    last = 0.0

    def hear(event: Event) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= PAUSE:
            last = now
            said = {"kind": "progress", "stage": event.name, "done": event.done}
            line.send_bytes(pickle.dumps({**said, "total": event.total}))

    return hear


def main() -> None:
    """Begin as the child of a session."""
    _serve(Connection(int(sys.argv[1])), int(sys.argv[2]))
