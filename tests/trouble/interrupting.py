"""Long work that is interrupted at several moments: ``python -m tests.trouble.interrupting fit``.

Prints a line for each work and moment: "in time" if one KeyboardInterrupt, and nothing else, came
out of it within two seconds of work, and of the clock, but for the seconds in which its threads
were ready to run and the processors were taken by others: the system counts those.
Words choose groups ("fit", "transform", "inverse_transform", "other") or single names; "families"
are a fit of each family, interrupted once.
"""

import importlib
import os
import signal
import sys
import threading
import time
import warnings
from contextlib import suppress
from pathlib import Path

import numpy as np

import unspool
from tests.cases import CASES
from unspool import datasets, dimension, distances, quality

DELAYS = (0.7, 2.9)  # seconds into the work
SOON = 2.0


def cloud(n=20_000):
    X = np.random.default_rng(0).normal(size=(n, 20))
    X[:, 10:] = np.sin(X[:, :10])
    return X


def sheet(n=20_000):
    noise = 0.1 * np.random.default_rng(0).normal(size=(n, 2))
    return np.hstack([datasets.swiss_roll(n, seed=1).points, noise])


def wide(n, times):
    return np.tile(cloud(n), (1, times)) + np.random.default_rng(1).normal(size=(n, 20 * times))


def table(n):
    return distances.pairwise_distances(cloud(n), cloud(n))


ENDLESS = {"max_iter": 10**6, "tol": 0.0}
FITS = {  # method, and what follows a comma: options and points of a fit of many seconds
    "PCA": ({"n_components": 400}, lambda: wide(6000, 40)),
    "KernelPCA": ({"n_components": 1200}, lambda: cloud(3500)),
    "KernelPCA, landmarks": ({"n_landmarks": 2000, "landmarks": "kmeans"}, cloud),
    "KernelPCA, pivots": ({"n_landmarks": 2000, "landmarks": "cholesky"}, cloud),
    "ClassicalMDS": ({}, lambda: cloud(8000)),
    "ClassicalMDS, another metric": ({"metric": "canberra"}, lambda: cloud(8000)),
    "ClassicalMDS, a constant": ({"additive_constant": True}, lambda: cloud(2000)),
    "MDS": (ENDLESS, lambda: cloud(3000)),
    "MDS, ordinal": ({"ordinal": True, **ENDLESS}, lambda: cloud(2000)),
    "Isomap": ({"n_neighbors": 8}, lambda: sheet(8000)),
    "Isomap, no table": ({"n_neighbors": 8}, sheet),
    "LLE": ({"n_neighbors": 12}, cloud),
    "LLE, independent": ({"n_neighbors": 12, "independent": True}, sheet),
    "LaplacianEigenmaps": ({"n_neighbors": 12}, cloud),
    "LandmarkMDS": ({"n_landmarks": 3000}, cloud),
    "LandmarkIsomap": ({"n_landmarks": 2000}, sheet),
    "KernelLLE": ({"n_neighbors": 12}, lambda: cloud(6000)),
    "ModifiedLLE": ({"n_neighbors": 20}, cloud),
    "HessianLLE": ({"n_components": 3, "n_neighbors": 30}, cloud),
    "LTSA": ({"n_neighbors": 30}, cloud),
    "DiffusionMaps": ({"n_neighbors": 30}, cloud),
    "SpectralClustering": ({"n_clusters": 8}, cloud),
    "FeatureMapPCA": ({}, lambda: wide(6000, 3)),
    "PolynomialPCA": ({"degree": 3}, lambda: cloud(6000)),
    "AdditivePCA": ({}, cloud),
    "GPCA": ({"n_components": 2}, lambda: cloud()[:, :6]),
    "AutoassociativeNetwork": ({"mapping": (60,), "demapping": (60,), **ENDLESS}, cloud),
    "Charting": ({}, lambda: sheet(8000)),
    "ConformalEigenmaps": ({"n_neighbors": 8}, lambda: sheet(5000)),
    "MaximumVarianceUnfolding": ({"n_neighbors": 6}, lambda: sheet(600)),
    "MaximumVarianceUnfolding, reduced": (
        {"n_neighbors": 6, "program": "reduced"},
        lambda: sheet(8000),
    ),
    "TSNE": ({}, cloud),
    "TSNE, all pairs": ({"gradient": "exact"}, lambda: cloud(3000)),
    "PrincipalCurve": ({}, cloud),
    "PrincipalCurve, polygonal": ({"smoother": "polygonal"}, cloud),
    "PrincipalSurface": ({"max_iter": 10**4, "tol": 0.0}, lambda: cloud(3000)),
    "RandomProjection": ({"n_components": 2000}, lambda: wide(4000, 100)),
}
FAMILIES = ("KernelLLE", "ClassicalMDS, another metric", "TSNE, all pairs")
FAMILIES += ("SpectralClustering", "RandomProjection")
OTHERS = {
    "trustworthiness": lambda: quality.trustworthiness(cloud(), cloud()[:, :2]),
    "neighbourhoods": lambda: quality.co_ranking(cloud(6000), cloud(6000)[:, :2]),
    "residual variance": lambda: quality.residual_variance(table(6000), cloud(6000)[:, :2]),
    "local distortion": lambda: quality.local_distortion(sheet(), sheet()[:, :2]),
    "short circuits": lambda: quality.short_circuits(sheet(4000)),
    "stability": lambda: quality.stability(unspool.Isomap(), sheet(2000)),
    "comparing": lambda: unspool.compare(sheet(5000)),
    "diagnosing": lambda: unspool.diagnose(unspool.Isomap().fit(sheet(2000)), sheet(2000)),
    "planning": lambda: unspool.plan("isomap", sheet()),
    "dimensions": lambda: dimension.intrinsic_dimension(cloud()),
    "all eigenvalues": lambda: unspool.ClassicalMDS().fit(cloud(4000)).negative_mass(),
}


def works(group):
    """Return the names of a group's works."""
    if group == "families":
        return [f"fit {name}" for name in FAMILIES]
    if group == "fit":
        return [f"fit {name}" for name in FITS]
    return list(OTHERS) if group == "other" else [f"{group} {name}" for name in CASES]


def prepared(name):
    """Return the long work of this name, ready to run; what compiles has been compiled."""
    group, _, method = name.partition(" ")
    if name in OTHERS:
        return OTHERS[name]
    if group == "fit":
        options, points = FITS[method]
        X, cls = points(), CASES[method.partition(",")[0]].cls
        CASES[method.partition(",")[0]].make().fit(sheet(100))
        return lambda: cls(**options).fit(X)
    model = CASES[method].make().fit(sheet(800))
    if group == "transform":
        queries = np.tile(sheet(), (20, 1)) + 0.01
        model.transform(queries[:20])
        return lambda: model.transform(queries)
    places = np.tile(np.asarray(model.embedding_), (500, 1)) * 0.99
    model.inverse_transform(places[:20])
    return lambda: model.inverse_transform(places)


def held_up():
    """Return the seconds that threads were ready to run, and waited for a processor."""
    waited = 0.0
    for task in Path("/proc/self/task").glob("*"):
        with suppress(OSError):  # it has ended
            waited += int((task / "schedstat").read_text().split()[1]) / 1e9
    return waited


def now():
    """Return what clocks show: of the world, of our work, and of our waiting for a processor."""
    return np.array([time.perf_counter(), time.process_time(), held_up()])


def outcome(work, delay):
    """Return what comes out of a work that is repeated until it is interrupted."""
    sent = []

    def interrupt():
        time.sleep(delay)
        sent.append(now())
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=interrupt, daemon=True)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may ignore it
    try:
        sender.start()
        while sender.is_alive():
            work()
        time.sleep(0.1)  # an interrupt may come in the very moment in which it was sent
    except KeyboardInterrupt:
        clock, worked, waited = now() - sent[0]
        told = f"{clock:.1f} s on the clock, {worked:.1f} s of work, {waited:.1f} s held up"
        return "in time" if worked < SOON and clock < SOON + max(waited, 0.0) else told
    except BaseException as error:
        _wait_for(sender)  # or its interrupt would end what comes next
        return f"{type(error).__name__}: {error}"
    finally:
        signal.signal(signal.SIGINT, before)
    return "the interrupt was lost"


def _wait_for(sender):
    with suppress(KeyboardInterrupt):
        sender.join()
        time.sleep(0.1)


def main(chosen):
    """Interrupt what is chosen."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    warnings.simplefilter("ignore")
    importlib.import_module("numba")  # half of a module is what an interrupt would leave of it
    groups = ("families", "fit", "transform", "inverse_transform", "other")
    chosen = {*chosen}
    for name in [name for group in groups for name in works(group) if {name, group} & chosen]:
        work = prepared(name)
        outcome(work, max(DELAYS))  # llvmlite drops an interrupt that meets it loading a kernel
        for delay in DELAYS[: 1 if "families" in chosen else None]:
            print(f"{name}: {outcome(work, delay)}", flush=True)
    sys.stdout.flush()
    os._exit(0)  # without waiting for what a library still does


if __name__ == "__main__":
    main(sys.argv[1:])
