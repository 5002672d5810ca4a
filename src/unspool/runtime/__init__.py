"""What long work shares: progress and cancelling, memory, threads, a cache of common work."""

from .cache import Cache, is_sharing, reuse, share_work
from .display import show_progress
from .progress import (
    Cancelled,
    Event,
    Listener,
    Recorder,
    Running,
    advise,
    check_cancelled,
    listen,
    recording,
    stage,
    tell_progress,
    warn,
)
from .resources import (
    available_bytes,
    claim,
    format_bytes,
    in_words,
    limit_memory,
    resident_bytes,
)
from .threads import (
    limit_blas_threads,
    limit_threads,
    run_apart,
    run_chunks,
    run_kernel,
    run_strips,
    thread_count,
)

__all__ = [
    "Cache",
    "Cancelled",
    "Event",
    "Listener",
    "Recorder",
    "Running",
    "advise",
    "available_bytes",
    "check_cancelled",
    "claim",
    "format_bytes",
    "in_words",
    "is_sharing",
    "limit_blas_threads",
    "limit_memory",
    "limit_threads",
    "listen",
    "recording",
    "resident_bytes",
    "reuse",
    "run_apart",
    "run_chunks",
    "run_kernel",
    "run_strips",
    "share_work",
    "show_progress",
    "stage",
    "tell_progress",
    "thread_count",
    "warn",
]
