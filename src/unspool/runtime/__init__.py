"""What long work shares: progress and cancelling, memory, threads, a cache of common work."""

from .cache import once, sharing
from .memory import available_bytes, claim, readable
from .progress import Cancelled, Event, Running, advise, listen, recording, shown, stage, warn
from .threads import ONE_AT_A_TIME, over_rows, quiet_blas, spread, thread_count

__all__ = [
    "ONE_AT_A_TIME",
    "Cancelled",
    "Event",
    "Running",
    "advise",
    "available_bytes",
    "claim",
    "listen",
    "once",
    "over_rows",
    "quiet_blas",
    "readable",
    "recording",
    "sharing",
    "shown",
    "spread",
    "stage",
    "thread_count",
    "warn",
]
