"""Files that are no tables, or would fill the memory, and files that must not be lost."""

import errno
import gzip
import io
import os
import re
import signal
import stat
import threading
import tracemalloc
import zipfile
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest

import unspool
from tests.interfaces.running import run
from unspool.cli import main
from unspool.io import binary, check_output, read_points, read_table, write_atomically


def table(path, n=40):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(n, 3)), columns=["x", "y", "z"])
    frame.to_csv(path, index=False)
    return path


def test_names_of_many_genes_make_a_long_line(tmp_path):
    names = [f"GENE_{number:018d}" for number in range(9000)]
    rows = "\n".join(",".join(str(r * c % 7 + 0.5) for c in range(9000)) for r in range(4))
    (tmp_path / "genes.csv").write_text(",".join(names) + "\n" + rows)
    made = read_points(tmp_path / "genes.csv")
    assert made.names == tuple(names)
    assert made.points[3, 5] == 15 % 7 + 0.5


def test_a_long_cell_is_a_cell(tmp_path):
    cell = "n" * 200_000
    (tmp_path / "long.csv").write_text(f"name,x,y\n{cell},1.5,2\n{cell},3.5,1\n")
    assert read_table(tmp_path / "long.csv").frame["name"][1] == cell


@pytest.fixture
def small_limits(monkeypatch):
    """Bombs of a megabyte: what may be unpacked is shrunk with them."""
    monkeypatch.setattr(binary, "ALLOWED", 2**18)
    monkeypatch.setattr(binary, "RATIO", 20)


@pytest.mark.usefixtures("small_limits")
def test_a_packed_text_that_would_fill_the_memory(tmp_path):
    with gzip.open(tmp_path / "bomb.csv.gz", "wb") as file:
        file.write(b"x,y\n" + b"1,2\n" * 1_000_000)
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"bomb.csv.gz unpacks to more than 262.1 kB"):
        read_table(tmp_path / "bomb.csv.gz")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000_000  # it would unpack to 4 MB, and is not


@pytest.mark.usefixtures("small_limits")
def test_an_archive_that_would_fill_the_memory(tmp_path):
    np.savez_compressed(tmp_path / "bomb.npz", X=np.zeros((10_000, 50)))
    with pytest.raises(ValueError, match=r"bomb.npz would unpack to 4.0 MB"):
        read_table(tmp_path / "bomb.npz")
    np.savez_compressed(tmp_path / "good.npz", X=np.random.default_rng(0).normal(size=(900, 50)))
    assert len(read_table(tmp_path / "good.npz").frame) == 900


@pytest.mark.usefixtures("small_limits")
def test_columns_that_would_fill_the_memory(tmp_path):
    pytest.importorskip("pyarrow")
    pd.DataFrame({"x": np.zeros(500_000), "y": np.ones(500_000)}).to_parquet(tmp_path / "b.parquet")
    with pytest.raises(ValueError, match=r"b.parquet would unpack to 8.0 MB"):
        read_table(tmp_path / "b.parquet")


def test_an_archive_that_lies_about_its_arrays(tmp_path):
    header = b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (%d, 8)}"
    with zipfile.ZipFile(tmp_path / "lie.npz", "w") as archive:
        archive.writestr("X.npy", (header % 10**13).ljust(127) + b"\n" + bytes(64))
    with pytest.raises((ValueError, MemoryError)):
        read_table(tmp_path / "lie.npz")


def _give_to_every_reader(pipe):
    """Write to a pipe whenever somebody reads: without that a wrong answer would be none at all."""
    while pipe.exists():
        with suppress(OSError):  # a reader that has seen enough
            pipe.write_text("x,y\n1,2\n3,5\n")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_what_is_no_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    threading.Thread(
        target=_give_to_every_reader, args=(tmp_path / "pipe.csv",), daemon=True
    ).start()
    (tmp_path / "zero.csv").symlink_to("/dev/zero")
    for name in ("pipe.csv", "zero.csv"):
        result = run("embed", tmp_path / name, "-m", "pca")
        assert result.exit_code == 2
        assert "is neither a file nor a folder" in result.stderr


def test_data_are_not_written_over(tmp_path):
    data = table(tmp_path / "a.csv")
    before = data.read_bytes()
    (tmp_path / "link.csv").symlink_to(data)
    for words in (
        ("embed", data, "-m", "pca", "-o", data),
        ("embed", data, "-m", "pca", "-o", tmp_path / "link.csv"),
        ("compare", data, "--methods", "pca", "-o", data),
    ):
        result = run(*words)
        assert result.exit_code == 2
        assert "is what is read; name another file" in result.stderr
        assert data.read_bytes() == before


def test_links_and_permissions_stay(tmp_path):
    (tmp_path / "folder").mkdir()
    goal, link = tmp_path / "folder/map.csv", tmp_path / "map.csv"
    goal.write_text("old")
    goal.chmod(0o640)
    link.symlink_to(goal)
    with write_atomically(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert goal.read_bytes() == b"new"
    assert stat.S_IMODE(goal.stat().st_mode) == 0o640


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no folder that nobody writes to")
def test_a_folder_that_cannot_be_written_to_is_found_before_the_work():
    with pytest.raises(ValueError, match="cannot be written"):
        check_output("/proc/self/map.csv")


def array_file(shape, data=bytes(800), *, kind="<f8", version=1):
    """Return an npy file whose header says what it likes of the data that follow."""
    file, facts = io.BytesIO(), {"descr": kind, "fortran_order": False, "shape": shape}
    getattr(np.lib.format, f"write_array_header_{version}_0")(file, facts)
    return file.getvalue() + data


LIES = {
    "582 TiB": array_file((10**10, 8000)),
    "582 TiB, newer": array_file((10**10, 8000), version=2),
    "30 GB": array_file((5 * 10**8, 8)),
    "words": array_file((10**10, 8000), kind="<U100"),
    "more than there are addresses": array_file((2**40, 2**40)),
    "a row more": array_file((34, 3)),
    "less than nothing": array_file((-5, 3)),
}


@pytest.mark.parametrize("content", LIES.values(), ids=LIES)
def test_headers_that_say_more_than_the_file_holds(content, tmp_path):
    plain, packed = tmp_path / "lie.npy", tmp_path / "lie.npz"
    plain.write_bytes(content)
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("x.npy", content)
    for words in ([plain], [packed], [plain, "--chunk-rows", 5, "-o", f"{tmp_path}/out/"]):
        result = run("embed", *words, "-m", "pca", "-q")
        assert result.exit_code == 2, (result.stderr, result.exception)
        assert len(result.stderr.splitlines()) == 1
        assert f"{words[0]} is no array file that can be read" in result.stderr


def test_a_header_of_no_known_version_that_says_too_much(tmp_path, monkeypatch):
    """What cannot be looked at before is told with its name, too."""
    (tmp_path / "lie.npy").write_bytes(LIES["582 TiB"])
    monkeypatch.setattr(binary, "HEADERS", {})
    with pytest.raises(MemoryError, match=r"lie.npy does not fit into memory \(Unable to allocate"):
        read_points(tmp_path / "lie.npy")


def test_what_is_no_array_in_an_archive_is_left_out(tmp_path):
    points = np.random.default_rng(0).normal(size=(9, 3))
    np.savez(tmp_path / "a.npz", X=points)
    with zipfile.ZipFile(tmp_path / "a.npz", "a") as archive:
        archive.writestr("readme.txt", "what it is")
    np.testing.assert_array_equal(read_points(tmp_path / "a.npz").points, points)


NOWHERE = {  # options, and what they end in
    "no folder": ("no/", "no folder .*no$"),
    "a file": ("a.csv/", "(no folder|a file, and no folder)"),
    "a folder that nobody writes to": ("/proc/self/", "cannot be written"),
}


def seen(folder):
    return {path.relative_to(folder): path.stat().st_mtime_ns for path in folder.rglob("*")}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with data and a model, in which no method may work any more."""
    table(tmp_path / "a.csv")
    np.save(tmp_path / "a.npy", np.random.default_rng(0).normal(size=(90, 4)))
    flags = ["-q", "-o", tmp_path / "b.csv", "--model", tmp_path / "m.unspool"]
    assert run("embed", tmp_path / "a.npy", "-m", "pca", *flags).exit_code == 0

    def work(*_, **__):
        raise AssertionError("too late")

    for name in ("fit", "transform"):
        monkeypatch.setattr(unspool.PCA, name, work)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("where", NOWHERE)
@pytest.mark.parametrize(
    "words",
    [
        ["embed", "a.csv", "-m", "pca", "-o", "{}map.csv"],
        ["embed", "a.csv", "-m", "pca", "-o", "c.csv", "--model", "{}n.unspool"],
        ["embed", "a.csv", "-m", "pca", "-o", "c.csv", "--plot", "{}map.png"],
        ["embed", "a.npy", "-m", "pca", "-o", "out/", "--model", "{}n.unspool"],
        ["transform", "m.unspool", "a.npy", "-o", "{}map.csv"],
    ],
    ids=lambda words: " ".join(words),
)
def test_a_file_that_cannot_be_written_is_found_before_the_work(words, where, place):
    folder, says = NOWHERE[where]
    if not os.path.isdir("/proc/self") and folder.startswith("/proc"):
        pytest.skip("no folder that nobody writes to")
    before = seen(place)
    result = run(*(word.format(folder) for word in words))
    assert result.exit_code == 2, (result.stderr, result.exception)
    assert re.search(says, result.stderr)
    assert seen(place) == before


@pytest.mark.parametrize("where", ["a file", "a folder that nobody writes to"])
@pytest.mark.parametrize(
    "words",
    [
        ["embed", "a.npy", "-m", "pca", "--chunk-rows", "50", "-o", "{}out/"],
        ["embed", "a.npy", "-m", "pca", "-o", "out/", "--checkpoint", "{}kept"],
        ["embed", "a.npy", "-m", "pca", "-o", "out/", "--directory", "{}shared"],
        ["transform", "m.unspool", "a.npy", "-o", "{}out/"],
        ["transform", "m.unspool", "a.npy", "-o", "out/", "--checkpoint", "{}kept"],
    ],
    ids=lambda words: " ".join(words),
)
def test_a_folder_that_cannot_be_made_is_found_before_the_work(words, where, place):
    folder, _ = NOWHERE[where]
    if not os.path.isdir("/proc/self") and folder.startswith("/proc"):
        pytest.skip("no folder that nobody writes to")
    before = seen(place)
    result = run(*(word.format(folder) for word in words))
    assert result.exit_code == 2, (result.stderr, result.exception)
    assert re.search(r"cannot be written: .*(a file, and no folder|in /proc)", result.stderr)
    assert seen(place) == before


def test_data_on_disk_are_not_written_over(place):
    for words in (
        ["embed", "data/", "-m", "pca", "-o", "data/"],
        ["embed", "a.npy", "-m", "pca", "-o", "out/", "--model", "a.unspool"],
    ):
        (place / "data").mkdir(exist_ok=True)
        (place / "a.unspool").unlink(missing_ok=True)
        (place / "a.unspool").symlink_to(place / "a.npy")
        result = run(*words)
        assert result.exit_code == 2, (result.stderr, result.exception)
        assert "is what is read; name another" in result.stderr


def test_a_model_may_lie_beside_the_parts_that_are_made_with_it(tmp_path):
    np.save(tmp_path / "a.npy", np.random.default_rng(0).normal(size=(90, 4)))
    out = tmp_path / "new/out"
    flags = ["--chunk-rows", 50, "-o", f"{out}/", "--model", out / "m.unspool", "-q"]
    result = run("embed", tmp_path / "a.npy", "-m", "pca", *flags)
    assert result.exit_code == 0, (result.stderr, result.exception)
    assert {path.name for path in out.iterdir()} >= {"m.unspool", "part-00000.npy"}
    wrong = ["--chunk-rows", 50, "-o", f"{out}2/", "--model", f"{out}2/m.txt", "-q"]
    result = run("embed", tmp_path / "a.npy", "-m", "pca", *wrong)
    assert result.exit_code == 2
    assert "should end in one of .unspool" in result.stderr
    assert not (tmp_path / "new/out2").exists()


def test_a_full_disk_names_the_file(tmp_path):
    with (
        pytest.raises(OSError, match="No space left") as told,
        write_atomically(tmp_path / "map.csv"),
    ):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert told.value.filename == str(tmp_path / "map.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the work is in the process itself")
def test_a_killed_process_is_told(capfd, monkeypatch):
    monkeypatch.setattr(signal, "signal", lambda *_: None)  # those of the tests stay
    child = os.fork()
    if child == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    assert main._wait_for(child, set()) == 137
    assert "ended by SIGKILL" in capfd.readouterr().err
