"""What is no model file, or not all of one, gives one clear error and nothing else."""

import io
import json
import os
import pickle
import zipfile

import numpy as np
import pytest

import unspool
from tests.cases import roll
from unspool import saving
from unspool.saving import UnreadableModel, archive
from unspool.saving.codec import Encoder

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
    archive.write(file, page, list(arrays))
    return file.getvalue()


def resealed(content):
    """Any content as a zip whose seal fits."""
    file = io.BytesIO(content[: -archive.SEAL_LENGTH])
    return file.getvalue() + archive.SEAL + archive._digest(file, len(file.getvalue()))


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
    page = {"format": 1, "model": {"is": "array", "number": 0, "frozen": False}, "notes": {}}
    refused(tmp_path, resealed(zipped({"unspool.json": page, member: file.getvalue()})), "array 0")
    assert not witness.exists()
    pickle.loads(trap)
    assert witness.exists()  # it would have


def zipped(members, method=zipfile.ZIP_STORED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as made:
        for name, content in members.items():
            made.writestr(name, content if isinstance(content, bytes) else json.dumps(content))
        made.comment = b"-" * archive.SEAL_LENGTH
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
    page = {"format": 2, "model": {"is": "poem"}, "notes": {}}
    refused(tmp_path, sealed(page), r"newer unspool \(format 2, this one reads 1\); update")


MODEL = {"is": "object", "class": "pca", "fields": {}}
PAGES = {
    "no page": [],
    "no format": {"model": MODEL, "notes": {}},
    "unknown class": {"format": 1, "model": {**MODEL, "class": "os:system"}, "notes": {}},
    "unknown kind": {"format": 1, "model": {"is": "__class__"}, "notes": {}},
    "no model": {"format": 1, "model": [1, 2], "notes": {}},
    "a value instead": {"format": 1, "model": {**MODEL, "class": "stage"}, "notes": {}},
    "an array that is not there": {
        "format": 1,
        "model": {**MODEL, "fields": {"mean_": {"is": "array", "number": 3, "frozen": True}}},
        "notes": {},
    },
    "an object array": {
        "format": 1,
        "model": {**MODEL, "fields": {"n": {"is": "scalar", "dtype": "O", "value": 1}}},
        "notes": {},
    },
}


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_pages_that_make_no_sense(page, tmp_path):
    refused(tmp_path, sealed(page), "its page|no model")


def test_indices_out_of_bounds_are_refused(tmp_path):
    encoder = Encoder()
    parts = [np.ones(1), np.array([7], dtype=np.int32), np.array([0, 1, 1], dtype=np.int32)]
    wrong = {
        "is": "sparse",
        "layout": "csr_array",
        "shape": [2, 2],
        "parts": encoder.page(parts, ""),
    }
    page = {"format": 1, "model": {**MODEL, "fields": {"x": wrong}}, "notes": {}}
    refused(tmp_path, sealed(page, encoder.arrays), "its page does not describe a model")


def test_absurd_shapes_are_refused_before_memory_is_taken(tmp_path):
    file = io.BytesIO()
    np.lib.format.write_array(file, np.zeros(4))
    header = file.getvalue().replace(b"(4,), }" + b" " * 12, b"(4000000000000,), }")
    page = {"format": 1, "model": MODEL, "notes": {}}
    content = resealed(zipped({"unspool.json": page, "arrays/0.npy": header}))
    refused(tmp_path, content, "does not fit its")


def test_compressed_members_are_refused(tmp_path):
    page = {"format": 1, "model": MODEL, "notes": {}}
    bomb = {"unspool.json": page, "arrays/0.npy": bytes(10**6)}
    refused(tmp_path, resealed(zipped(bomb, zipfile.ZIP_DEFLATED)), "compressed")


def test_a_page_nested_too_deeply(tmp_path):
    page = b'{"format":1,"notes":{},"model":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    refused(tmp_path, resealed(zipped({"unspool.json": page})), "its page")


def test_a_file_larger_than_memory(good, tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "available_bytes", lambda: 1000)
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
        with pytest.raises(ValueError, match="only methods of unspool can be saved"):
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

    monkeypatch.setattr(archive, "write", full)
    with pytest.raises(OSError, match="No space"):
        unspool.save(unspool.PCA(), path)
    assert path.read_bytes() == good
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("path", ["no/such/m.unspool", "folder.unspool"])
def test_places_that_cannot_be_written(path, tmp_path):
    (tmp_path / "folder.unspool").mkdir()
    with pytest.raises(ValueError, match=r"no folder|is a folder"):
        unspool.save(unspool.PCA(), tmp_path / path)


def test_the_file_is_as_readable_as_any_other(tmp_path):
    saving.save(unspool.PCA(), tmp_path / "m.unspool")
    (tmp_path / "plain").write_bytes(b"")
    assert (tmp_path / "m.unspool").stat().st_mode == (tmp_path / "plain").stat().st_mode
