"""Several processes: fitted models in forked and spawned ones, and the run that compiles."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.compare import relative
from unspool.catalog import METHODS

ROOT = Path(__file__).parents[2]

PLACE_ELSEWHERE = """
import sys
import numpy as np
from unspool import MDS, datasets

def place(batch):
    return model.transform(batch)

roll = datasets.swiss_roll(300, seed=0).points
batches = np.array_split(roll[:40] + 0.05, 4)
if __name__ == "__main__":
    model = MDS(2).fit(roll)
    expected = model.transform(roll[:40] + 0.05)
    way = sys.argv[1]
    if way in ("loky", "multiprocessing"):
        from joblib import Parallel, delayed
        placed = Parallel(2, backend=way)(delayed(model.transform)(batch) for batch in batches)
    else:
        from multiprocessing import get_context
        with get_context(way).Pool(1) as pool:  # one shows it, and two take longer to start
            placed = pool.map(model.transform, batches)
    assert np.array_equal(np.concatenate(placed), expected)
    print("the same")
"""


WAYS = [
    "fork",
    "spawn",
    "loky",
    pytest.param("forkserver", marks=pytest.mark.slow),  # starts anew and unpickles, as spawn does
    pytest.param("multiprocessing", marks=pytest.mark.slow),  # a pool by fork, made by joblib
]


@pytest.mark.parametrize("way", WAYS)
def test_a_fitted_model_places_points_in_other_processes(way, tmp_path):
    script = tmp_path / "place.py"
    script.write_text(PLACE_ELSEWHERE)
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", str(script), way],
        env={**os.environ, "NUMBA_NUM_THREADS": "2"},
        capture_output=True,
        text=True,
        timeout=120,  # a forked process used to wait for the threads it had not taken along
        check=False,
    )
    assert ran.stdout.strip() == "the same", ran.stderr[-800:]


FIT_ALL = """
import sys
import numpy as np
from tests.cases import CASES, bent
from unspool import MDS

points, new = bent(300), bent(50, seed=8)
models = {name: case.make() for name, case in CASES.items()}
models |= {
    "weighted": MDS(2, weights="inverse_square"), "ordinal": MDS(2, ordinal=True),
    "single": MDS(2, precision="single"),
}
found = {}
for name, model in models.items():
    found[name] = model.fit_transform(points)
    found[name + " new"] = model.transform(new)
    found[name + " single"] = model.fit_transform(points.astype(np.float32))
np.savez(sys.argv[1], **found)
"""


# geodesics are searched by what is faster on so many threads: sums run in another order
BY_THREADS = {entry.class_name for entry in METHODS.values() if entry.keeps == "geodesics"}


@pytest.mark.slow
def test_the_run_that_compiles_finds_the_same_map_as_later_ones(tmp_path):
    runs = [("compiles", "1"), ("loads", "1"), ("two threads", "2")]
    for run, threads in runs:
        kernels = {"NUMBA_CACHE_DIR": str(tmp_path / "kernels"), "NUMBA_NUM_THREADS": threads}
        command = [sys.executable, "-W", "ignore", "-c", FIT_ALL, str(tmp_path / f"{run}.npz")]
        subprocess.run(command, env={**os.environ, **kernels}, cwd=ROOT, check=True)
    assert len(list((tmp_path / "kernels").rglob("*.nbi"))) > 20  # it has compiled
    first, *later = (np.load(tmp_path / f"{run}.npz") for run, _ in runs)
    for run, other in zip(("loads", "two threads"), later, strict=True):
        for name in first.files:
            error = relative(other[name], first[name])
            is_same = run == "loads" or name.partition(" ")[0] not in BY_THREADS
            assert error <= (0.0 if is_same else 1e-12), (run, name, error)
