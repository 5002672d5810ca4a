"""The same methods on data larger than memory, and on the workers of a Dask cluster.

    with Client("tcp://scheduler:8786"):            # or none: this process, block by block
        model = LandmarkIsomap(2).fit("points.npy")  # a dask or zarr array, parquet, a path
        Y = model.transform("points.npy")            # a lazy dask array

Dask itself is imported when there is a client or a Dask array.
"""

from .executor import Cluster, Executor, InProcess, WorkerLost, current_executor
from .files import spool
from .sample import BySample, by_sample
from .settings import Settings, current_settings, settings
from .sources import Source, is_lazy, open_source

__all__ = [
    "BySample",
    "Cluster",
    "Executor",
    "InProcess",
    "Settings",
    "Source",
    "WorkerLost",
    "by_sample",
    "current_executor",
    "current_settings",
    "is_lazy",
    "open_source",
    "settings",
    "spool",
]
