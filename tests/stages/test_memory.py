"""How much memory there is, in a machine and in a container, and the refusal."""

import subprocess
import sys
from pathlib import Path

import pytest

from unspool import runtime
from unspool.runtime import resources as memory


def test_what_is_free_is_a_positive_number():
    assert 2**20 < runtime.available_bytes() < 2**50


def test_the_least_of_all_limits_counts(monkeypatch):
    monkeypatch.setattr(memory, "_machine_free", lambda: 1000)
    monkeypatch.setattr(memory, "_address_space_free", lambda: None)
    monkeypatch.setattr(memory, "_groups_free", lambda _: [400, 6000])
    assert runtime.available_bytes() == 400
    monkeypatch.setattr(memory, "_groups_free", lambda _: [6000])
    assert runtime.available_bytes() == 1000
    monkeypatch.setattr(memory, "_groups_free", lambda _: [])
    assert runtime.available_bytes() == 1000
    monkeypatch.setattr(memory, "_address_space_free", lambda: 300)
    assert runtime.available_bytes() == 300


@pytest.fixture
def system(monkeypatch, tmp_path):
    """A function that writes files of a system of its own, which is then asked."""

    def write(**files):
        for place, text in files.items():
            path = tmp_path / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    monkeypatch.setattr(memory, "_read", lambda place: (tmp_path / place.lstrip("/")).read_text())
    monkeypatch.setattr(memory, "_address_space_free", lambda: None)
    write(**{"proc/meminfo": "MemTotal: 9 kB\nMemAvailable: 7 kB\n"})
    return write


def test_the_files_that_say_so_are_read(system):
    group = "sys/fs/cgroup"
    assert runtime.available_bytes() == 7 * 1024
    system(**{f"{group}/memory.max": "max\n", f"{group}/memory.current": "5\n"})
    assert runtime.available_bytes() == 7 * 1024
    system(**{f"{group}/memory.max": "4096\n"})
    assert runtime.available_bytes() == 4091
    system(**{f"{group}/memory.max": "4\n"})
    assert runtime.available_bytes() == 0


def test_limits_of_the_groups_above_count(system):
    slice_, job = "sys/fs/cgroup/user.slice", "sys/fs/cgroup/user.slice/job_7"
    system(
        **{
            "proc/self/cgroup": "0::/user.slice/job_7\n",
            f"{job}/memory.max": "6000\n",
            f"{job}/memory.current": "1000\n",
            f"{slice_}/memory.max": "5000\n",
            f"{slice_}/memory.current": "3000\n",
        }
    )
    assert runtime.available_bytes() == 2000


def test_limits_of_the_older_hierarchy_count(system):
    job = "sys/fs/cgroup/memory/slurm/job_7"
    system(
        **{
            "proc/self/cgroup": "5:cpu,cpuacct:/x\n4:memory:/slurm/job_7/step_0\n0::/\n",
            f"{job}/memory.limit_in_bytes": "5000\n",
            f"{job}/memory.usage_in_bytes": "4500\n",
            f"{job}/memory.stat": "cache 9\ntotal_inactive_file 700\ntotal_active_file 100\n",
        }
    )
    assert runtime.available_bytes() == 500 + 800


def test_cached_files_count_as_free_but_for_those_not_yet_written(system):
    group = "sys/fs/cgroup"
    system(
        **{
            f"{group}/memory.max": "5000\n",
            f"{group}/memory.current": "4900\n",
            f"{group}/memory.stat": "anon 900\ninactive_file 3000\nactive_file 1000\n"
            "file_dirty 500\n",
        }
    )
    assert runtime.available_bytes() == 100 + 3500


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="its size is read from /proc")
def test_a_limit_of_the_address_space_is_seen():
    """A limit far below what any machine has free."""
    code = (
        "import resource\n"
        "from unspool import runtime\n"
        "taken = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (taken + 2**24, resource.RLIM_INFINITY))\n"
        "print(0 < runtime.available_bytes() <= 2**24)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "True"


def test_what_fits_is_claimed_without_a_word(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    runtime.claim(1000, "a table", "use less")
    with pytest.raises(MemoryError) as refusal:
        runtime.claim(1001, "a table", "use less")
    assert str(refusal.value) == "a table would take 1.0 kB but 1.0 kB are free; use less"


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (80e9, "80.0 GB"),
        (24e12, "24.0 TB"),
        (5e18, "5000000.0 TB"),
    ],
)
def test_bytes_as_a_person_writes_them(n_bytes, text):
    assert runtime.format_bytes(n_bytes) == text
