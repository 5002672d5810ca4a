"""A real cluster, started once: a scheduler and two workers in processes of their own."""

import numpy as np
import pytest

from unspool import datasets


def start_cluster(n_workers, **options):
    from distributed import LocalCluster

    return LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",
        **{"memory_limit": "1GB", **options},
    )


@pytest.fixture(scope="session")
def cluster():
    with start_cluster(2) as running:
        yield running


@pytest.fixture
def client(cluster):
    from distributed import Client

    with Client(cluster) as running:
        yield running


@pytest.fixture(scope="session")
def roll():
    """A Swiss roll with copies of some of its points."""
    points = datasets.swiss_roll(1_500, seed=3).points
    return np.vstack([points, points[40:60]])


@pytest.fixture
def save(tmp_path):
    """Write points as a file and return its path."""

    def write(points, name="points.npy"):
        np.save(tmp_path / name, points)
        return tmp_path / name

    return write
