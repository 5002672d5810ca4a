"""Work spread over threads, and the limit of BLAS's own ones."""

import os
import subprocess
import sys

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from unspool.threads import over_rows, quiet_blas


def blas_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.mark.parametrize("n", [0, 1, 7, 100])
def test_every_row_once(n):
    seen = np.zeros(n, int)

    def work(rows):
        seen[rows] += 1

    over_rows(work, n, 8)
    assert (seen == 1).all()


def test_what_a_strip_raises_is_raised():
    def work(rows):
        if rows.start == 16:
            raise ValueError("strip 2")

    with pytest.raises(ValueError, match="strip 2"):
        over_rows(work, 100, 8)


OVERLAPPING = """
import threading
import numpy, scipy.linalg
from threadpoolctl import threadpool_info
from unspool.threads import quiet_blas

def blas_threads():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

first_is_in, second_is_in, first_is_out = (threading.Event() for _ in range(3))

def first():
    with quiet_blas():
        first_is_in.set()
        second_is_in.wait(10)
    first_is_out.set()

def second():
    first_is_in.wait(10)
    with quiet_blas():
        second_is_in.set()
        first_is_out.wait(10)
        print(*blas_threads())

print(*blas_threads())
both = [threading.Thread(target=part) for part in (first, second)]
for part in both:
    part.start()
for part in both:
    part.join()
print(*blas_threads())
"""


def test_blas_is_quiet_until_the_last_has_done():
    # a process of its own, whose BLAS has two threads whatever this one has
    two = {**os.environ, "OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}
    ran = subprocess.run(
        [sys.executable, "-c", OVERLAPPING], env=two, capture_output=True, text=True, check=True
    )
    before, during, after = (set(line.split()) for line in ran.stdout.splitlines())
    assert before == after == {"2"}
    assert during == {"1"}


def test_blas_is_as_before_after_an_error():
    before = blas_threads()
    with pytest.raises(KeyError), quiet_blas():
        raise KeyError
    assert blas_threads() == before
