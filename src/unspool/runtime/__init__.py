"""What long work shares: progress and cancelling, memory, threads, a cache of common work."""

from .cache import Cache, reuse, share_work
from .display import show_progress
from .memory import available_bytes, claim, format_bytes
from .progress import (
    Cancelled,
    Event,
    Listener,
    Recorder,
    Running,
    advise,
    listen,
    recording,
    stage,
    warn,
)
from .threads import NUMBA_LOCK, limit_blas_threads, run_chunks, run_strips, thread_count

__all__ = [
    "NUMBA_LOCK",
    "Cache",
    "Cancelled",
    "Event",
    "Listener",
    "Recorder",
    "Running",
    "advise",
    "available_bytes",
    "claim",
    "format_bytes",
    "limit_blas_threads",
    "listen",
    "recording",
    "reuse",
    "run_chunks",
    "run_strips",
    "share_work",
    "show_progress",
    "stage",
    "thread_count",
    "warn",
]

_FORMER = {  # until the last branch is merged
    "once": "reuse",
    "over_rows": "run_strips",
    "spread": "run_chunks",
    "sharing": "share_work",
    "shown": "show_progress",
    "readable": "format_bytes",
    "quiet_blas": "limit_blas_threads",
    "ONE_AT_A_TIME": "NUMBA_LOCK",
}


def __getattr__(name: str) -> object:
    if name in _FORMER:
        return globals()[_FORMER[name]]
    raise AttributeError(name)
