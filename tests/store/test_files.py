"""What is no model file, or not all of one, gives one clear error and nothing else."""

import contextlib
import dataclasses
import io
import json
import os
import pickle
import re
import time
import tracemalloc
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp

import unspool
from tests.cases import roll
from unspool import distances, graph, paths, store
from unspool.io import write_atomically, write_together
from unspool.principal import Polygon
from unspool.store import UnreadableModel, models
from unspool.store.codec import Encoder
from unspool.store.models import FORMAT, _digest

X = roll(60).points


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "model.unspool"
    unspool.save(unspool.Isomap(n_neighbors=6).fit(X), path)
    return path.read_bytes()


def refused(tmp_path, content, says):
    path = tmp_path / "other.unspool"
    path.write_bytes(content)
    with pytest.raises(UnreadableModel, match=says) as caught:
        unspool.load(path)
    assert "\n" not in str(caught.value)
    assert "other.unspool" in str(caught.value)


def sealed(page, arrays=()):
    """A file with a whole seal, as one who knows the format could make it."""
    file = io.BytesIO()
    models.write(file, page, list(arrays))
    return file.getvalue()


def resealed(content):
    """Any content as a zip whose seal fits."""
    file = io.BytesIO(content[: -models.SEAL_LENGTH])
    return file.getvalue() + models.SEAL + _digest(file, len(file.getvalue()))


def test_two_hundred_truncations(good, tmp_path):
    lengths = np.unique(np.linspace(0, len(good) - 1, 200).astype(int))
    assert len(lengths) == 200
    for length in lengths:
        refused(tmp_path, good[:length], "damaged or cut off|not a file that unspool.save wrote")


def test_two_hundred_flipped_bytes(good, tmp_path):
    random = np.random.default_rng(7)
    ends = [*range(20), *range(len(good) - 20, len(good))]  # headers and the seal
    places = [*ends, *random.choice(len(good), 160, replace=False)]
    for place in places:
        broken = bytearray(good)
        broken[place] ^= 1 << int(random.integers(8))
        refused(tmp_path, bytes(broken), "damaged or cut off|not a file that unspool.save wrote")


def test_bytes_added_at_the_end(good, tmp_path):
    refused(tmp_path, good + b"\0", "damaged or cut off")


def test_a_pickle_is_never_unpickled(good, tmp_path):
    witness = tmp_path / "it ran"

    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(witness),)

    trap = pickle.dumps(Trap())
    refused(tmp_path, trap, "not a file that unspool.save wrote")
    hidden = np.empty(1, dtype=object)
    hidden[0] = Trap()
    file = io.BytesIO()
    np.lib.format.write_array(file, hidden, allow_pickle=True)
    member = "arrays/0.npy"
    page = {"format": FORMAT, "model": {"is": "array", "number": 0, "frozen": False}, "notes": {}}
    refused(tmp_path, resealed(zipped({"unspool.json": page, member: file.getvalue()})), "array 0")
    assert not witness.exists()
    pickle.loads(trap)
    assert witness.exists()  # it would have


def zipped(members, method=zipfile.ZIP_STORED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as made:
        for name, content in members.items():
            made.writestr(name, content if isinstance(content, bytes) else json.dumps(content))
        made.comment = b"-" * models.SEAL_LENGTH
    return file.getvalue()


@pytest.mark.parametrize(
    "content", [b"", b"a,b\n1,2\n", b"PK\x05\x06" + bytes(18)], ids=["empty", "csv", "zip"]
)
def test_foreign_files(content, tmp_path):
    refused(tmp_path, content, "not a file that unspool.save wrote")


def test_an_npz_of_somebody_else(tmp_path):
    np.savez(tmp_path / "x.npz", X=X)
    refused(tmp_path, (tmp_path / "x.npz").read_bytes(), "not a file that unspool.save wrote")


def test_a_newer_file(tmp_path):
    page = {"format": 6, "model": {"is": "poem"}, "notes": {}}
    refused(tmp_path, sealed(page), r"newer unspool \(format 6, this one reads 5\); update")


def test_a_file_of_an_older_version_says_so(tmp_path):
    page = {"format": 2, "model": {"is": "poem"}, "notes": {}}
    refused(
        tmp_path, sealed(page), r"older unspool \(format 2, this one reads 5\); fit and save it"
    )


MODEL = {"is": "object", "class": "pca", "fields": {}}
GOOD = {"format": FORMAT, "model": MODEL, "notes": {"is": "dict", "items": []}}
PAGES = {
    "no page": [],
    "no format": {"model": MODEL, "notes": {}},
    "unknown class": {"format": FORMAT, "model": {**MODEL, "class": "os:system"}, "notes": {}},
    "unknown kind": {"format": FORMAT, "model": {"is": "__class__"}, "notes": {}},
    "no model": {"format": FORMAT, "model": [1, 2], "notes": {}},
    "a value instead": {"format": FORMAT, "model": {**MODEL, "class": "stage"}, "notes": {}},
    "an array that is not there": {
        "format": FORMAT,
        "model": {**MODEL, "fields": {"mean_": {"is": "array", "number": 3, "frozen": True}}},
        "notes": {},
    },
    "notes that are no table": {"format": FORMAT, "model": MODEL, "notes": [1]},
    "a number too large": {
        "format": FORMAT,
        "model": {**MODEL, "fields": {"n": {"is": "scalar", "dtype": "i1", "value": 300}}},
        "notes": {},
    },
    "an object array": {
        "format": FORMAT,
        "model": {**MODEL, "fields": {"n": {"is": "scalar", "dtype": "O", "value": 1}}},
        "notes": {},
    },
}


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_pages_that_make_no_sense(page, tmp_path):
    refused(tmp_path, sealed(page), "its page|no model|its notes")


def test_indices_out_of_bounds_are_refused(tmp_path):
    encoder = Encoder()
    parts = [np.ones(1), np.array([7], dtype=np.int32), np.array([0, 1, 1], dtype=np.int32)]
    wrong = {
        "is": "sparse",
        "layout": "csr_array",
        "shape": [2, 2],
        "parts": encoder.page(parts, ""),
    }
    page = {"format": FORMAT, "model": {**MODEL, "fields": {"x": wrong}}, "notes": {}}
    refused(tmp_path, sealed(page, encoder.arrays), "its page does not describe a model")


def value_of(word):
    joined = graph.symmetrize(distances.neighbor_graph(X, 5))
    if word == "pairs":
        return unspool.MDS(ordinal=True, max_iter=3).fit(X)._disparities.pairs
    if word == "dijkstra":
        return paths.prepare_paths(joined, algorithm="dijkstra").solver
    swept = paths.prepare_paths(joined, algorithm="elimination").solver
    return swept.pattern if word == "filled pattern" else swept


def to(place, value):
    def change(array):
        array = array.copy()
        array[place] = value
        return array

    return change


SPOILED = [
    ("filled pattern", "starts", to(0, 1)),
    ("filled pattern", "starts", to(3, 10**9)),
    ("filled pattern", "starts", to(3, -1)),
    ("filled pattern", "starts", to(slice(3, 5), [2**63 - 1, -(2**63)])),
    ("filled pattern", "starts", lambda a: a[:-1]),
    ("filled pattern", "starts", lambda a: a.astype(float)),
    ("filled pattern", "later", to(0, 60)),
    ("filled pattern", "later", to(-1, -1)),
    ("filled pattern", "later", to(0, 0)),
    ("filled pattern", "heads", lambda a: np.repeat(a, 2)),
    ("filled pattern", "heads", lambda a: a[[0, -1]]),
    ("filled pattern", "heads", to(-1, 61)),
    ("elimination", "position", to(0, 60)),
    ("elimination", "position", lambda a: np.zeros_like(a)),
    ("elimination", "position", lambda a: a[:-1]),
    ("elimination", "weights", lambda a: a[:-1]),
    ("elimination", "pattern", lambda a: None),
    ("dijkstra", "starts", to(5, -3)),
    ("dijkstra", "neighbors", to(5, 60)),
    ("dijkstra", "neighbors", lambda a: a[:, None]),
    ("dijkstra", "position", to(1, 7)),
    ("dijkstra", "distances", to(2, -1.0)),
    ("dijkstra", "distances", to(2, np.nan)),
    ("dijkstra", "distances", lambda a: a[:-1]),
    ("dijkstra", "width", lambda a: 0.0 * a),
    ("dijkstra", "width", lambda a: 1e-12 * a),
    ("pairs", "first", lambda a: a.astype(np.int64) - 60),
    ("pairs", "second", to(0, 60)),
    ("pairs", "second", lambda a: a[:-1]),
]


@pytest.mark.parametrize(("word", "name", "spoil"), SPOILED)
def test_indices_that_compiled_loops_trust_are_checked(word, name, spoil, tmp_path):
    value = value_of(word)
    fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}

    def content(fields):
        encoder = Encoder()
        parts = {name: encoder.page(part, name) for name, part in fields.items()}
        value = {"is": "object", "class": word, "fields": parts}
        notes = {"is": "dict", "items": [["value", value]]}
        return sealed({**GOOD, "notes": notes}, encoder.arrays)

    (tmp_path / "m.unspool").write_bytes(content(fields))
    unspool.load(tmp_path / "m.unspool")
    spoiled = content({**fields, name: spoil(fields[name])})
    refused(tmp_path, spoiled, f"the [a-z]+ of its {word} do not fit the rest")


def test_absurd_shapes_are_refused_before_memory_is_taken(tmp_path):
    file = io.BytesIO()
    np.lib.format.write_array(file, np.zeros(4))
    header = file.getvalue().replace(b"(4,), }" + b" " * 12, b"(4000000000000,), }")
    page = {"format": FORMAT, "model": MODEL, "notes": {}}
    content = resealed(zipped({"unspool.json": page, "arrays/0.npy": header}))
    refused(tmp_path, content, "does not fit its")


def test_arrays_of_nothing_are_refused(tmp_path):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<U0", "fortran_order": False, "shape": (10**15,)}
    )
    members = {"unspool.json": GOOD, "arrays/0.npy": header.getvalue()}
    refused(tmp_path, resealed(zipped(members)), "no array here is <U0")


def test_a_directory_without_members(good, tmp_path):
    content = zipped({"unspool.json": GOOD})
    tail = b"PK\5\6" + bytes(16) + models.SEAL_LENGTH.to_bytes(2, "little")
    content = content[: content.index(b"PK\1\2")] + tail + b"-" * models.SEAL_LENGTH
    refused(tmp_path, resealed(content), "holds no page|not a zip archive")


def test_the_page_that_is_read_is_the_one_whose_size_is_checked(tmp_path, monkeypatch):
    monkeypatch.setattr(models, "LARGEST_PAGE", 1000)
    content = zipped(
        {"unspool.json": GOOD, "arrays/0.npy": b" " * 2000 + json.dumps(GOOD).encode()}
    )
    directory = content.index(b"PK\1\2")  # it gives the second member the name of the page
    second = content.index(b"PK\1\2", directory + 4)
    assert len("arrays/0.npy") == len("unspool.json")
    renamed = content[second:].replace(b"arrays/0.npy", b"unspool.json")
    local = content[:directory].replace(b"arrays/0.npy", b"unspool.json")
    content = local + content[directory:second] + renamed
    refused(tmp_path, resealed(content), "its page is larger than 1.0 kB")


@pytest.mark.parametrize("count", [500, pytest.param(2000, marks=pytest.mark.slow)])
def test_many_forged_files(count, good, tmp_path):
    """Any byte of a whole file changed, and sealed again: a model, or the one clear error."""
    random = np.random.default_rng(11)
    structure = [m.start() for m in re.finditer(rb"PK[\1\3\5][\2\4\6]", good)]
    near = [start + offset for start in structure for offset in range(4, 46)]
    path = tmp_path / "m.unspool"
    for place in random.choice(near, count):
        broken = bytearray(good)
        broken[min(place, len(good) - models.SEAL_LENGTH - 1)] = random.choice([0, 1, 8, 99, 255])
        path.write_bytes(resealed(bytes(broken)))
        with contextlib.suppress(UnreadableModel):
            unspool.load(path)


def test_five_hundred_forged_pages(tmp_path):
    """Any part of the page replaced by another value: a model, or the one clear error."""
    random = np.random.default_rng(12)
    encoder = Encoder()
    model = unspool.Isomap(n_neighbors=6).fit(X)
    page = {
        "format": FORMAT,
        "model": encoder.page(model, ""),
        "notes": encoder.page({"a": (1,)}, ""),
    }
    others = [None, -1, 2**80, 1e300, "", "O", "i4,(", [], [[]], {}, True]
    path = tmp_path / "m.unspool"
    for _ in range(500):
        forged = json.loads(json.dumps(page))
        part = forged["model"]
        while True:
            keys = list(part) if isinstance(part, dict) else range(len(part))
            key = keys[random.integers(len(keys))]
            if not isinstance(part[key], dict | list) or not part[key] or random.random() < 0.1:
                break
            part = part[key]
        part[key] = others[random.integers(len(others))]
        path.write_bytes(sealed(forged, encoder.arrays))
        with contextlib.suppress(UnreadableModel):
            unspool.load(path)


def test_compressed_members_are_refused(tmp_path):
    page = {"format": FORMAT, "model": MODEL, "notes": {}}
    bomb = {"unspool.json": page, "arrays/0.npy": bytes(10**6)}
    refused(tmp_path, resealed(zipped(bomb, zipfile.ZIP_DEFLATED)), "compressed")


def in_bounds(tmp_path, content, says, seconds=3.0, bytes_=400e6):
    """Refused within this time and memory, whatever the file holds."""
    tracemalloc.start()
    begin = time.process_time()
    refused(tmp_path, content, says)
    spent, peak = time.process_time() - begin, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert spent < seconds
    assert peak < bytes_


BEFORE, AFTER = b'{"format":2,"notes":{},"model":', b"}"


@pytest.mark.parametrize(
    ("page", "says"),
    [
        (b"[" + b"[]," * 20_000_000 + b"0]", "its page is larger than 16.8 MB"),
        (b"[" + b"[]," * 5_000_000 + b"0]", "15000008 parts"),
        (b"[" * 900_000 + b"]" * 1000, "brackets within each other"),
        (b"[" * 65 + b"]" * 65, "brackets within each other"),
        (b'"' + b'\\"' * 8_000_000, "its page"),
        (b'"\\', "its page"),
        (b"1" * 10_000_000, "its page"),
    ],
    ids=["60 MB", "15 MB of lists", "deep", "one too deep", "open text", "cut text", "a number"],
)
def test_pages_too_large_to_parse(page, says, tmp_path):
    """One of 60 MB took 24 s and 2.8 GB."""
    in_bounds(tmp_path, resealed(zipped({"unspool.json": BEFORE + page + AFTER})), says)


@pytest.mark.parametrize("what", ["curves", "tables"])
def test_arrays_that_a_page_refers_to_again_and_again(what, tmp_path):
    """One array and two thousand places that it is looked at from: soon it has been enough."""
    encoder = Encoder()
    if what == "curves":
        path = np.zeros((100_000, 2))
        path[:, 0] = np.arange(100_000)
        value = encoder.page(Polygon(path, path[:, 0].copy(), False), "")
    else:
        value = encoder.page(sp.csr_array(np.eye(1000)), "")
    page = {**GOOD, "notes": {"is": "dict", "items": [["many", [value] * 2_000]]}}
    in_bounds(tmp_path, sealed(page, encoder.arrays), "used more often than", seconds=5.0)


def test_a_huge_file_is_not_hashed_before_its_sizes_are_looked_at(good, tmp_path, monkeypatch):
    def hashing(file, length):
        raise AssertionError("hashed")

    monkeypatch.setattr(models, "_digest", hashing)
    path = tmp_path / "huge.unspool"
    path.write_bytes(good)
    with path.open("r+b") as file:  # 100 GB, of which the disk holds nothing
        file.truncate(100 * 2**30)
        end = good[-models.SEAL_LENGTH - models.END.size :]
        for content, says in (
            (bytes(len(end)), "damaged or cut off"),
            (end, "of memory are free"),
            (end[:12] + (2**30).to_bytes(4, "little") + end[16:], "more members than any model"),
        ):
            file.seek(-len(content), io.SEEK_END)
            file.write(content)
            file.flush()
            with pytest.raises(UnreadableModel, match=says):
                unspool.load(path)


def test_what_could_not_be_read_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(models, "MOST_PARTS", 20)
    with pytest.raises(ValueError, match="more than a model file can have"):
        unspool.save(unspool.PCA().fit(X), tmp_path / "m.unspool")
    assert list(tmp_path.iterdir()) == []


def test_a_page_nested_too_deeply(tmp_path):
    page = b'{"format":2,"notes":{},"model":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    refused(tmp_path, resealed(zipped({"unspool.json": page})), "its page")


def test_a_file_larger_than_memory(good, tmp_path, monkeypatch):
    monkeypatch.setattr(models, "available_bytes", lambda: 1000)
    refused(tmp_path, good, "only 1.0 kB of memory are free")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nothing\.unspool"):
        unspool.load(tmp_path / "nothing.unspool")


def kernel_of_mine(a, b):
    return float(a @ b)


@pytest.mark.parametrize(
    ("model", "what"),
    [
        (unspool.KernelPCA(kernel=kernel_of_mine), "KernelPCA.kernel is the function kernel_of_mi"),
        (unspool.LLE(metric=kernel_of_mine), "LLE.metric is the function kernel_of_mine"),
        (unspool.FeatureMapPCA(feature_map=np.square), "feature_map is the function square"),
        (unspool.PCA(verbose=object()), "PCA.verbose is a builtins.object"),
        (unspool.LLE(n_neighbors=np.array([object()])), "n_neighbors is an array of object"),
    ],
)
def test_code_is_refused_before_anything_is_written(model, what, tmp_path):
    with pytest.raises(ValueError, match=what) as caught:
        unspool.save(model, tmp_path / "m.unspool")
    assert "cannot be saved" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_only_our_own_methods_are_saved(tmp_path):
    from sklearn.decomposition import PCA

    class Mine(unspool.PCA):
        pass

    for model in (PCA(), Mine(), {"a": 1}):
        with pytest.raises(ValueError, match="only methods of unspool, and pipelines"):
            unspool.save(model, tmp_path / "m.unspool")


def test_the_suffix_is_asked_for(tmp_path):
    with pytest.raises(ValueError, match=r"ends in \.unspool; call it m\.unspool"):
        unspool.save(unspool.PCA(), tmp_path / "m.pkl")


def test_a_write_that_fails_leaves_the_old_file(good, tmp_path, monkeypatch):
    path = tmp_path / "m.unspool"
    path.write_bytes(good)

    def full(file, page, arrays):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(models, "write", full)
    with pytest.raises(OSError, match="No space"):
        unspool.save(unspool.PCA(), path)
    assert path.read_bytes() == good
    assert list(tmp_path.iterdir()) == [path]


def put(path, content):
    with write_atomically(path) as file:
        file.write(content)


def test_files_are_written_together_or_not_at_all(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    put("a", b"before")
    with pytest.raises(ValueError, match="no folder"), write_together():
        [put(path, b"after") for path in ("a", "b", "no/c")]
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_bytes() == b"before"
    with write_together():
        put("a", b"after")
        with contextlib.suppress(TypeError):
            put("b", "no bytes")  # this one alone fails
        put("c", b"after")
        assert (tmp_path / "a").read_bytes() == b"before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "c"]
    assert (tmp_path / "a").read_bytes() == (tmp_path / "c").read_bytes() == b"after"


@pytest.mark.parametrize("path", ["no/such/m.unspool", "folder.unspool"])
def test_places_that_cannot_be_written(path, tmp_path):
    (tmp_path / "folder.unspool").mkdir()
    with pytest.raises(ValueError, match=r"no folder|is a folder"):
        unspool.save(unspool.PCA(), tmp_path / path)


def test_the_file_is_as_readable_as_any_other(tmp_path):
    store.save(unspool.PCA(), tmp_path / "m.unspool")
    (tmp_path / "plain").write_bytes(b"")
    assert (tmp_path / "m.unspool").stat().st_mode == (tmp_path / "plain").stat().st_mode
