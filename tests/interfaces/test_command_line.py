"""The command line: files in, maps and models out, one clear line when it cannot be."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

import unspool
from tests.interfaces.running import done, read_exactly, refused
from unspool import datasets
from unspool.catalog import METHODS
from unspool.cli import COMMANDS
from unspool.cli.methods import ParameterType, method_options
from unspool.methods.parameters import parameters_of
from unspool.runtime import progress

ROLL = datasets.swiss_roll(120, seed=3)


@pytest.fixture
def table(tmp_path):
    frame = pd.DataFrame(ROLL.points, columns=["u", "v", "w"])
    frame.insert(0, "name", [f"p{i}" for i in range(120)])
    frame["kind"] = np.where(ROLL.color > np.median(ROLL.color), "out", "in")
    frame.to_csv(tmp_path / "roll.csv", index=False)
    return tmp_path / "roll.csv"


def test_a_map_has_the_users_other_columns_and_order(table, tmp_path):
    done("embed", table, "-m", "isomap", "--n-neighbors", 8, "-o", tmp_path / "map.csv")
    map_ = read_exactly(tmp_path / "map.csv")
    assert list(map_.columns) == ["name", "kind", "isomap_1", "isomap_2"]
    assert list(map_["name"]) == [f"p{i}" for i in range(120)]
    model = unspool.Isomap(n_neighbors=8).fit(ROLL.points)
    np.testing.assert_array_equal(map_[["isomap_1", "isomap_2"]], model.embedding_)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_embeds_saves_and_transforms(method, table, tmp_path):
    quick = {"autoassociative-network": ["--n-starts", 1, "--max-iter", 20]}.get(method, [])
    few = ["-d", 1] if method == "principal-curve" else []
    few = ["--max-iter", 3] if method == "principal-surface" else few
    close = ["--n-neighbors", 12] if method in ("hessian-lle", "modified-lle", "ltsa") else []
    flags = [*quick, *few, *close]
    model, out, again = (tmp_path / name for name in ("m.unspool", "map.npy", "again.npy"))
    done("embed", table, "-m", method, *flags, "-o", out, "--model", model, "-q")
    done("transform", model, table, "-o", again, "-q")
    np.testing.assert_array_equal(np.load(out), unspool.load(model).embedding_)
    np.testing.assert_allclose(np.load(again), np.load(out), rtol=1e-6, atol=1e-6)


def test_new_rows_are_scaled_and_chosen_as_the_old_ones_were(table, tmp_path):
    model = tmp_path / "m.unspool"
    flags = ["--columns", "w,u", "--scale", "standard", "--model", model]
    done("embed", table, "-m", "pca", *flags, "-o", tmp_path / "map.csv")
    pd.read_csv(table)[["u", "w", "v"]].iloc[:7].to_csv(tmp_path / "new.csv", index=False)
    done("transform", model, tmp_path / "new.csv", "-o", tmp_path / "new_map.csv")
    both = [pd.read_csv(tmp_path / name) for name in ("map.csv", "new_map.csv")]
    np.testing.assert_allclose(both[1][["pca_1", "pca_2"]], both[0][["pca_1", "pca_2"]][:7])
    assert list(both[1].columns) == ["v", "pca_1", "pca_2"]


def test_chosen_columns_of_an_array_are_found_again(tmp_path):
    np.save(tmp_path / "a.npy", ROLL.points)
    model, out, again = (tmp_path / name for name in ("m.unspool", "map.npy", "again.npy"))
    flags = ["-m", "pca", "--columns", "x2,x3", "--model", model, "-o", out]
    done("embed", tmp_path / "a.npy", *flags)
    done("transform", model, tmp_path / "a.npy", "-o", again)
    np.testing.assert_allclose(np.load(again), np.load(out), rtol=1e-12, atol=1e-12)


def test_gaps_of_new_rows_are_treated_as_for_the_map(table, tmp_path):
    model = tmp_path / "m.unspool"
    done("embed", table, "-m", "pca", "--na", "drop", "--model", model, "-o", tmp_path / "m.csv")
    frame = pd.read_csv(table)
    frame.loc[[3, 50], "v"] = np.nan
    frame.to_csv(tmp_path / "gaps.csv", index=False)
    told = done("transform", model, tmp_path / "gaps.csv", "-o", tmp_path / "new.csv")
    assert "2 of 120 rows miss a value in v; they were left out" in told.stderr
    assert len(pd.read_csv(tmp_path / "new.csv")) == 118
    flags = [tmp_path / "gaps.csv", "--na", "error"]
    refused("transform", model, *flags, says="2 of 120 rows miss a value")
    done("diagnose", tmp_path / "gaps.csv", "--model", model, "-q")


def test_a_model_saved_from_python_places_a_table(table, tmp_path):
    unspool.save(unspool.PCA().fit(ROLL.points), tmp_path / "m.unspool")
    result = done("transform", tmp_path / "m.unspool", table, "-q")
    assert result.stdout.splitlines()[0] == "name,kind,pca_1,pca_2"


def test_without_a_file_the_map_goes_to_stdout(table):
    result = done("embed", table, "-m", "pca", "--keep", "none")
    lines = result.stdout.splitlines()
    assert lines[0] == "pca_1,pca_2"
    assert len(lines) == 121
    assert "pca: 120 rows of 3 columns to 2 coordinates" in result.stderr


def test_progress_is_on_stderr_and_can_be_silent(table, tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "IN_LOG", 0.0)
    monkeypatch.setattr(progress, "SPARSER", 0.0)
    told = done("embed", table, "-o", tmp_path / "map.csv")
    assert told.stdout == ""
    assert "isomap: neighbours 1/1" in told.stderr
    monkeypatch.setattr(progress, "IN_LOG", 60.0)
    assert "neighbours" not in done("embed", table, "-o", tmp_path / "map.csv").stderr
    quiet = done("embed", table, "-q", "-o", tmp_path / "map.csv")
    assert quiet.output == ""


def test_quiet_commands_say_nothing_of_what_others_are_warned_of(tmp_path):
    """Two clusters far apart, in several components: each command warns, and with -q none does."""
    points = np.vstack([ROLL.points, ROLL.points + 1000.0, np.full((15, 3), 5.0)])
    pd.DataFrame(points, columns=["u", "v", "w"]).to_csv(tmp_path / "two.csv", index=False)
    data, model = tmp_path / "two.csv", tmp_path / "m.unspool"
    commands = [
        ["embed", data, "-m", "laplacian-eigenmaps", "--sigma", 0.05, "--model", model],
        ["transform", model, data],
        ["compare", data, "--methods", "pca,lle"],
        ["dimension", data],
        ["diagnose", data, "--model", model],
    ]
    loud = "".join(done(*command).stderr for command in commands)
    assert "unspool: note: the neighbour graph has" in loud
    for command in commands:
        assert done(*command, "-q").stderr == "", command[0]


def test_warnings_of_any_place_are_kept_back_by_quiet(table, tmp_path, monkeypatch):
    import warnings

    from unspool.cli import embed

    def read_loudly(given, *more):
        warnings.warn("something about the file", UserWarning, stacklevel=1)
        return read(given, *more)

    read = embed.read_data
    monkeypatch.setattr(embed, "read_data", read_loudly)
    flags = ["embed", table, "-m", "pca", "-o", tmp_path / "map.csv"]
    assert "note: something about the file" in done(*flags).stderr
    assert done(*flags, "-q").stderr == ""


@pytest.mark.parametrize("command", ["embed", "dimension"])
def test_json(command, table):
    told = json.loads(done(command, table, "--json", "-q").stdout)
    assert told["rows"] == 120
    if command == "embed":
        assert told["parameters"]["n_components"] == 2
        assert told["table"][0]["name"] == "p0"
        assert told["stages"][0]["name"] == "neighbours"
    else:
        assert abs(told["dimension"] - 2) < 1
        assert len(told["estimates"]) >= 4


def test_rows_that_were_dropped_are_told(table, tmp_path):
    frame = pd.read_csv(table)
    frame.loc[[3, 50], "v"] = np.nan
    frame.to_csv(table, index=False)
    refused("embed", table, says=r"2 of 120 rows miss a value in v \(the first is row 4\).*--na")
    result = done("embed", table, "--na", "drop", "-o", tmp_path / "map.csv")
    assert "2 of 120 rows miss a value in v; they were left out" in result.stderr
    names = list(pd.read_csv(tmp_path / "map.csv")["name"])
    assert names == [f"p{i}" for i in range(120) if i not in (3, 50)]


def test_the_same_seed_gives_the_same_file(table, tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        flags = ["-m", "random-projection", "--seed", seed, "--sample", 50]
        done("embed", table, *flags, "-o", tmp_path / f"{name}.csv", "-q")
    a, b, c = ((tmp_path / f"{name}.csv").read_bytes() for name in "abc")
    assert a == b
    assert a != c


@pytest.mark.parametrize(
    ("suffix", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
@pytest.mark.parametrize("color", ["kind", "u"])
def test_pictures(suffix, start, color, table, tmp_path):
    picture = tmp_path / f"map.{suffix}"
    done("embed", table, "-m", "pca", "--color", color, "--plot", picture, "-o", tmp_path / "m.npy")
    assert picture.read_bytes().startswith(start)


@pytest.mark.parametrize("width", [1, 3])
def test_pictures_of_one_and_of_many_coordinates(width, table, tmp_path):
    done("embed", table, "-m", "pca", "-d", width, "--plot", tmp_path / "map.png", "-q")
    assert (tmp_path / "map.png").stat().st_size > 5000


@pytest.mark.parametrize(
    "flags",
    [["-qm", "pca"], ["-qmpca"], ["-m", "lle", "--method=pca"], ["--method", "lle", "-mpca"]],
)
def test_the_method_is_read_as_all_flags_are(flags, table):
    assert done("embed", table, *flags, "--keep", "none").stdout.startswith("pca_1,pca_2\n")


def test_a_method_in_the_place_of_a_value_is_refused():
    refused("embed", "--metric", "-m", "lle", says="-m lle is the value of another flag")


def test_distances_instead_of_points(tmp_path):
    distances = unspool.distances.pairwise_distances(ROLL.points, ROLL.points)
    np.save(tmp_path / "d.npy", distances)
    flags = ["-m", "classical-mds", "--metric", "precomputed"]
    done("embed", tmp_path / "d.npy", *flags, "-o", tmp_path / "map.npy")
    expected = unspool.ClassicalMDS(metric="precomputed").fit(distances).embedding_
    np.testing.assert_array_equal(np.load(tmp_path / "map.npy"), expected)
    refused(
        "embed", tmp_path / "d.npy", *flags, "--scale", "range", says="precomputed table cannot"
    )


def test_a_name_that_is_taken_is_not_written_over(table, tmp_path):
    done("embed", table, "-m", "pca", "-o", tmp_path / "a.csv")
    done("embed", tmp_path / "a.csv", "-m", "pca", "--keep", "all", "-o", tmp_path / "b.csv")
    columns = list(pd.read_csv(tmp_path / "b.csv").columns)
    assert columns == ["name", "kind", "pca_1", "pca_2", "pca__1", "pca__2"]


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["embed", "DATA", "--n-neighbor", "4"], "Did you mean '?--n-neighbors"),
        (["embed", "DATA", "-m", "pca", "--radius", "4"], "No such option:? '?--radius"),
        (["embed", "DATA", "-m", "isomp"], "no method 'isomp'; did you mean isomap"),
        (["embed", "DATA", "-m", "xyz"], "no method 'xyz'; there are: pca, kernel-pca"),
        (["embed", "DATA", "-d", "0"], r"'-?-?.*n-components'.*: must be at least 1.*; got '0'"),
        (["embed", "DATA", "-d", "two"], "must be a whole number.*; got 'two'"),
        (["embed", "DATA", "--components", "all"], "must be one of 'separate', 'bridge'"),
        (["embed", "DATA", "--n-neighbors", "5000"], "n_neighbors"),
        (["embed", "DATA", "--metric", "euclid"], "unknown metric 'euclid'"),
        (["embed", "DATA", "--columns", "x"], "no column 'x'"),
        (["embed", "DATA", "--scale", "wide"], "wide"),
        (["embed", "DATA", "-o", "map.xls"], "map.xls should end in one of .csv"),
        (["embed", "DATA", "-o", "map.npy.gz"], "map.npy.gz should end in one of .csv"),
        (["embed", "DATA", "-o", "no/map.csv"], "no folder no"),
        (["embed", "DATA", "--plot", "map.bmp"], "should end in one of .png"),
        (["embed", "DATA", "--model", "m.pkl"], "should end in one of .unspool"),
        (["embed", "DATA", "--separator", "::"], "one character"),
        (["embed"], "Missing argument 'DATA'"),
        (["embed", "gone.csv"], "there is no file gone.csv"),
        (["embd", "DATA"], "no command 'embd'; did you mean embed"),
        (["transform", "DATA", "DATA"], "not a file that unspool.save wrote"),
        (["transform", "gone.unspool", "DATA"], "gone.unspool: no such file"),
        (["methods", "lsa"], "no method 'lsa'; did you mean ltsa"),
        (["dimension", "demo:nothing"], "no data set demo:nothing"),
    ],
)
def test_bad_input_ends_in_one_line(args, says, table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    refused(*[table if arg == "DATA" else arg for arg in args], says=says)
    assert sorted(tmp_path.iterdir()) == before


def test_nothing_is_written_when_the_fit_fails(table, tmp_path):
    out = [
        "-o",
        tmp_path / "m.csv",
        "--model",
        tmp_path / "m.unspool",
        "--plot",
        tmp_path / "m.png",
    ]
    refused(
        "embed",
        table,
        "--radius",
        1e-9,
        "--components",
        "error",
        *out,
        "-q",
        says="connected components",
    )
    assert [path.name for path in tmp_path.iterdir()] == ["roll.csv"]


@pytest.mark.parametrize("failing", ["save", "format_result"])
def test_nothing_is_written_when_the_last_output_cannot_be(failing, table, tmp_path, monkeypatch):
    def fail(*args, **options):
        raise ValueError("it cannot be made")

    monkeypatch.setattr(f"unspool.cli.embed.{failing}", fail)
    names = {"-o": "m.csv", "--model": "m.unspool", "--plot": "m.png"}
    out = [word for flag, name in names.items() for word in (flag, tmp_path / name)]
    (tmp_path / "m.csv").write_text("before")
    refused("embed", table, "-m", "pca", *out, "--json", "-q", says="it cannot be made")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.csv", "roll.csv"]
    assert (tmp_path / "m.csv").read_text() == "before"


def test_a_graph_of_several_components_is_told_once(tmp_path):
    points = np.vstack([ROLL.points[:40], ROLL.points[:40] + 1000])
    np.save(tmp_path / "two.npy", points)
    result = done("embed", tmp_path / "two.npy", "-m", "lle", "-o", tmp_path / "map.npy")
    notes = [line for line in result.stderr.splitlines() if "2 connected components" in line]
    assert len(notes) == 1
    assert notes[0].startswith("unspool: note: ")


@pytest.mark.parametrize("method", METHODS)
def test_flags_are_the_declared_parameters(method):
    cls = METHODS[method].load()
    flags = {option.name for option in method_options(cls)}
    assert flags == set(parameters_of(cls)) - {"random_state", "verbose"}
    help_ = done("embed", "-m", method, "--help").stdout
    for name in flags:
        assert "--" + name.replace("_", "-") in help_


def test_values_of_flags():
    def value(method, name, text):
        default, rule = parameters_of(METHODS[method].load())[name]
        return ParameterType(rule, default).convert(text, None, None)

    assert value("isomap", "n_neighbors", "12") == 12
    assert value("isomap", "n_neighbors", "none") is None
    assert value("isomap", "radius", "2.5") == 2.5
    assert value("isomap", "metric", "cosine") == "cosine"
    assert value("landmark-mds", "landmarks", "1,5,7") == [1, 5, 7]
    assert value("autoassociative-network", "mapping", "8") == (8,)
    assert value("autoassociative-network", "mapping", "8,4") == (8, 4)


def test_comparisons_as_a_table(table, tmp_path):
    flags = ["--methods", "pca,Isomap", "--n-neighbors", 8, "--color", "kind", "-q"]
    told = done("compare", table, *flags, "-o", tmp_path / "t.csv", "--plot", tmp_path / "t.png")
    assert "Isomap" in told.stdout
    assert (tmp_path / "t.png").read_bytes().startswith(b"\x89PNG")
    done("compare", table, *flags, "-o", tmp_path / "t.json")
    records = json.loads((tmp_path / "t.json").read_text())
    expected = unspool.compare(ROLL.points, ["pca", "isomap"], n_neighbors=8).records()
    rows = read_exactly(tmp_path / "t.csv").to_dict("records")
    for record, same, row in zip(records, expected, rows, strict=True):
        for name in ("method", "trustworthiness", "stress"):
            assert record[name] == same[name] == row[name]
    assert (
        json.loads(done("compare", table, *flags, "--json").stdout)[0]["method"]
        == "Principal component analysis"
    )


def test_comparisons_as_a_report(tmp_path):
    data = ["demo:swiss-roll:90", "--methods", "pca,isomap", "--seed", 3]
    done("compare", *data, "-o", tmp_path / "r.html", "-q")
    page = (tmp_path / "r.html").read_text()
    assert "unspool compare demo:swiss-roll:90 --methods pca,isomap --seed 3" in page
    assert "from unspool.io import read_points\n" in page
    assert "Procrustes" in page


def test_a_report_tells_of_the_data_as_they_were_in_the_file(table, tmp_path):
    frame = pd.read_csv(table)
    frame.loc[[3, 50], "v"] = np.nan
    frame.loc[99, "w"] = 5000.0
    frame.to_csv(table, index=False)
    flags = ["--methods", "pca", "--na", "drop", "--scale", "standard", "-q"]
    done("compare", table, *flags, "-o", tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert "2 entries are missing, in v (2)" in page
    assert "1 point lies far from all others (row 100)" in page
    assert "<td>5000</td>" in page  # not scaled


def test_the_python_of_a_report_reads_the_same_data(table, tmp_path):
    from unspool.cli.input import loading_code

    given = {
        "data": str(table),
        "separator": None,
        "columns": "u,w",
        "color": "kind",
        "id": None,
        "na": "error",
        "scale": "range",
        "sample": 50,
        "seed": 4,
    }
    names = {}
    exec(loading_code(given), names)
    assert names["X"].shape == (50, 2)
    read_exactly(table).to_csv(table, sep="\t", index=False)
    again = {}
    exec(loading_code({**given, "separator": "tab"}), again)
    np.testing.assert_array_equal(again["X"], names["X"])
    assert names["truth"] is None
    assert set(names["color"]) == {"in", "out"}
    assert names["X"].max() == 1.0


def test_diagnoses(table, tmp_path):
    told = done("diagnose", table, "-m", "isomap", "--n-neighbors", 40, "-q").stdout
    model = unspool.Isomap(n_neighbors=40).fit(ROLL.points)
    assert told.strip() == str(unspool.diagnose(model, ROLL.points)).strip()
    done("embed", table, "--n-neighbors", 40, "--model", tmp_path / "m.unspool", "-q")
    flags = ["--model", tmp_path / "m.unspool", "-q"]
    assert done("diagnose", table, *flags, "--plot", tmp_path / "d.png").stdout == told
    assert (tmp_path / "d.png").read_bytes().startswith(b"\x89PNG")
    found = json.loads(done("diagnose", table, *flags, "--json").stdout)
    assert found["advice"]
    refused("diagnose", table, *flags, "--n-neighbors", 4, says="--n-neighbors has no say over")
    refused("diagnose", table, *flags, "--scale", "range", says="--scale has no say over")
    refused("diagnose", table, *flags, "-m", "lle", says="--method has no say over")


def test_plans(table):
    told = json.loads(done("plan", "Isomap", table, "--json").stdout)
    assert told["fits"]
    points = unspool.io.read_points(str(table), na="drop").points
    assert told["bytes"] == pytest.approx(unspool.plan("isomap", points).bytes, rel=1e-9)
    assert told["duration"] == "less than a second"
    flags = ["--rows", 100_000, "--width", 5, "--max-memory", "3.5GB", "--n-neighbors", 7]
    expected = unspool.plan("kernel-pca", 100_000, 5, 3.5e9, n_neighbors=7)
    told = json.loads(done("plan", "kernel-pca", *flags, "--json").stdout)
    assert told["bytes"] == expected.bytes
    assert told["instead"] == list(expected.instead)
    assert told["change"] == expected.change != ""
    assert expected.instead[0] in done("plan", "kernel-pca", *flags).stdout
    refused("plan", "lle", says="--rows N, or DATA")
    refused("plan", "lle", "--rows", 9, "--max-memory", "much", says="write 500MB or 4GB")


def test_the_demo_writes_a_report(tmp_path):
    told = done("demo", "-o", tmp_path / "r.html", "--points", 100)
    assert (tmp_path / "r.html").stat().st_size > 50_000
    assert str(tmp_path / "r.html") in told.stdout
    assert "unspool compare demo:swiss-roll:100 " in (tmp_path / "r.html").read_text()
    refused("demo", "-o", tmp_path / "r.pdf", says="should end in one of .html")


def test_methods_are_listed_and_described():
    listed = done("methods").stdout
    for name in METHODS:
        assert name in listed
    assert {row["name"] for row in json.loads(done("methods", "--json").stdout)} == set(METHODS)
    assert "--n-neighbors" in done("methods", "Isomap").stdout
    told = json.loads(done("methods", "lle", "--json").stdout)
    assert told["parameters"]["regularization"]["default"] == 0.001


def test_dimension_prints_its_table(table):
    assert "levina-bickel" in done("dimension", table).stdout


def test_help_lists_every_command():
    help_ = done("--help").stdout
    for name, listed in COMMANDS.items():
        assert re.search(rf"{name} +{re.escape(listed.help[:30])}", help_)


@pytest.mark.parametrize("words", [[], ["textbook"]])
def test_without_a_command_the_help_is_shown(words):
    assert done(*words).stdout == done(*words, "--help").stdout


UNSPOOL = [sys.executable, "-m", "unspool"]
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}


def test_help_comes_at_once():
    seconds = []
    for _ in range(3):
        began = os.times()
        subprocess.run([*UNSPOOL, "--help"], check=True, capture_output=True)
        ended = os.times()  # processor time: what else the machine does is not our affair
        seconds.append(sum(ended[2:4]) - sum(began[2:4]))
    assert min(seconds) < 0.3


def test_help_loads_nothing_heavy():
    code = """
import sys
from unspool.cli import app
app.get_help(app.make_context("unspool", [], resilient_parsing=True))
print(*sys.modules)
"""
    asked = [sys.executable, "-c", code]
    loaded = subprocess.run(asked, check=True, capture_output=True, text=True)
    assert not {"numpy", "scipy", "sklearn", "pandas", "numba", "PIL"} & set(loaded.stdout.split())


def test_the_process_ends_as_the_command_did(tmp_path):
    asked = [*UNSPOOL, "embed", "gone.csv"]
    ended = subprocess.run(asked, capture_output=True, text=True, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "unspool: there is no file gone.csv\n"
    asked = [*UNSPOOL, "embed", "demo:circle:30", "-m", "pca", "-q"]
    ended = subprocess.run(asked, capture_output=True, text=True, cwd=tmp_path)
    assert ended.returncode == 0
    assert len(ended.stdout.splitlines()) == 31


def test_a_reader_who_has_seen_enough_is_no_error(tmp_path):
    asked = [*UNSPOOL, "embed", "demo:circle:20000", "-m", "pca", "-q"]
    with subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"color,pca_1,pca_2\n"
        process.stdout.close()
        assert process.stderr.read() == b""


SLOW = """
import signal, sys, time
from unspool.cli import run
def work():
    print("ready", flush=True)
    {wait}
    sys.exit(0)
run(work)
"""
WAITS = {
    "between two steps": "time.sleep(60)",
    "deaf, as compiled code is": "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}); "
    "sum(range(10**11))",
}


@pytest.mark.parametrize("wait", WAITS.values(), ids=WAITS)
@pytest.mark.parametrize("everybody", [False, True], ids=["one process", "the terminal's group"])
def test_interrupted_within_two_seconds(wait, everybody):
    code = [sys.executable, "-c", SLOW.replace("{wait}", wait)]
    with subprocess.Popen(
        code, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        assert process.stdout.readline() == b"ready\n"
        began = time.perf_counter()
        (os.killpg if everybody else os.kill)(process.pid, signal.SIGINT)
        assert process.wait(timeout=20) == 130
        assert time.perf_counter() - began < 2


AT_ONCE = """
import os, signal
os.register_at_fork({moment}=lambda: os.kill(os.getpid(), signal.SIGINT))
"""


@pytest.mark.parametrize("moment", ["before", "after_in_parent", "after_in_child"])
def test_interrupted_in_the_moment_in_which_the_work_begins(moment):
    code = AT_ONCE.replace("{moment}", moment) + SLOW.replace("{wait}", "time.sleep(60)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=20)
    assert done.returncode == 130


WRITING = """
import os, signal, sys, time
from unspool.cli import run
def work():
    from unspool.io import write_atomically
    with write_atomically("map.csv") as file:
        file.write(b"half")
        file.flush()
        print(os.listdir(), flush=True)
        {wait}
run(work)
"""


@pytest.mark.parametrize(
    ("wait", "number", "status"),
    [
        (WAITS["deaf, as compiled code is"], signal.SIGINT, 130),
        (WAITS["deaf, as compiled code is"], signal.SIGTERM, 143),
        ("time.sleep(60)", signal.SIGINT, 130),
        ("os.kill(os.getpid(), signal.SIGKILL)", None, 137),
        ("time.sleep(60)", signal.SIGKILL, -9),  # the parent: the child ends by itself
    ],
)
def test_a_write_that_is_interrupted_leaves_nothing(wait, number, status, tmp_path):
    code = [sys.executable, "-c", WRITING.replace("{wait}", wait)]
    (tmp_path / "map.csv").write_text("before")
    (tmp_path / ".map.csv.0.part").write_text("of another")
    with subprocess.Popen(
        code, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=tmp_path
    ) as process:
        assert process.stdout.readline().count(b".part") == 2
        if number is not None:
            process.send_signal(number)
        assert process.wait(timeout=20) == status
        deadline = time.monotonic() + 10
        while len(list(tmp_path.iterdir())) > 2 and time.monotonic() < deadline:
            time.sleep(0.01)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".map.csv.0.part", "map.csv"]
    assert (tmp_path / "map.csv").read_text() == "before"


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_command_that_is_stopped_leaves_no_files(number, status, tmp_path):
    """Two hundred maps by stress of many points take minutes; it is stopped while it runs."""
    starts = ["--n-init", "200"]
    asked = [*UNSPOOL, "embed", "demo:swiss-roll:6000", "-m", "mds", *starts, "-o", "map.csv"]
    with subprocess.Popen(
        asked, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env={**os.environ, **ONE_THREAD}
    ) as process:
        while "mds:" not in process.stderr.readline():
            pass
        began = time.perf_counter()
        process.send_signal(number)
        assert process.wait(timeout=20) == status
        assert time.perf_counter() - began < 2
    assert list(tmp_path.iterdir()) == []
