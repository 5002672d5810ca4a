"""How much memory there is, in a machine and in a container, and the refusal."""

import pytest

from unspool import runtime
from unspool.runtime import resources as memory
from unspool.runtime.resources import _container, _machine_free


def test_what_is_free_is_a_positive_number():
    assert 2**20 < runtime.available_bytes() < 2**50


def test_a_container_may_have_less_than_the_machine(monkeypatch):
    monkeypatch.setattr(memory, "_machine_free", lambda: 1000)
    monkeypatch.setattr(memory, "_container", lambda: (600, 200))
    assert runtime.available_bytes() == 400
    monkeypatch.setattr(memory, "_container", lambda: (6000, 200))
    assert runtime.available_bytes() == 1000
    monkeypatch.setattr(memory, "_container", lambda: (100, 200))
    assert runtime.available_bytes() == 0
    monkeypatch.setattr(memory, "_container", lambda: (None, 0))
    assert runtime.available_bytes() == 1000


def test_the_files_that_say_so_are_read(monkeypatch, tmp_path):
    class Elsewhere(type(tmp_path)):
        def __new__(cls, place):
            return type(tmp_path)(tmp_path / place.lstrip("/"))

    monkeypatch.setattr(memory, "Path", Elsewhere)
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/meminfo").write_text("MemTotal: 9 kB\nMemAvailable: 7 kB\n")
    assert _machine_free() == 7 * 1024
    assert _container() == (None, 0)
    group = tmp_path / "sys/fs/cgroup"
    group.mkdir(parents=True)
    (group / "memory.max").write_text("max\n")
    (group / "memory.current").write_text("5\n")
    assert _container() == (None, 0)
    (group / "memory.max").write_text("4096\n")
    assert _container() == (4096, 5)
    assert runtime.available_bytes() == 4091


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
