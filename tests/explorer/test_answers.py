"""Every answer against an independent computation: brute force, or the library asked directly."""

from __future__ import annotations

import io
import json
import shlex
from typing import Any

import numpy as np
import pytest
import scipy.sparse.csgraph as csgraph

import unspool
from tests.explorer.server import IMAGE, make_explorer
from tests.interfaces.running import run
from unspool import quality
from unspool.explorer import columns, honesty, verdicts
from unspool.explorer.code import command_code, python_code
from unspool.explorer.columns import Data, images_of, sheet, thumbnail, with_images
from unspool.explorer.questions import Asked, pack, unpack
from unspool.explorer.session import fit_map
from unspool.explorer.start import data_of_array, data_of_table, explorer_of
from unspool.io import Selection, prepare, read_table


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint32", "uint16", "uint8"])
def test_frames_return_what_was_packed(dtype):
    arrays = {
        "a": np.arange(7, dtype=dtype),
        "b": np.ones((3, 2, 1), dtype=dtype)[::2],
        "none": np.empty((0, 2), dtype=dtype),
    }
    found = unpack(pack({"word": "é", "n": 3}, arrays))
    assert found.facts == {"word": "é", "n": 3}
    for name, array in arrays.items():
        np.testing.assert_array_equal(found.arrays[name], array)
        assert found.arrays[name].dtype == np.dtype(dtype)


def test_arrays_of_frames_are_aligned_for_a_browser():
    body = pack({}, {"a": np.zeros(3, np.uint8), "b": np.ones(2, np.float64)})
    length = int.from_bytes(body[4:8], "little")
    header = json.loads(body[8 : 8 + length])
    assert (8 + length) % 8 == 0
    assert [array["offset"] % 8 for array in header["arrays"]] == [0, 0]


@pytest.mark.parametrize("map_", ["m0", "m1"])
@pytest.mark.parametrize("point", [0, 17, 149])
def test_neighbors_are_those_of_a_brute_force_search(client, session, map_, point):
    points, places = session.data.points, session.view(map_).places.astype(float)
    found = client.ask(f"/api/neighbors?map={map_}&point={point}&k=7").json
    true = np.linalg.norm(points - points[point], axis=1)
    near = np.linalg.norm(places - places[point], axis=1)
    true[point] = near[point] = np.inf
    wanted, mapped = set(np.argsort(true)[:7].tolist()), set(np.argsort(near)[:7].tolist())
    assert set(found["neighbors"]) == wanted
    assert set(found["map_neighbors"]) == mapped
    assert set(found["lost"]) == wanted - mapped
    assert set(found["false"]) == mapped - wanted
    np.testing.assert_allclose(found["distances"], np.sort(true)[:7])
    counts = [len(found[name]) for name in ("kept", "lost", "false")]
    assert found["words"].startswith(f"{counts[0]} of the 7 true neighbours")
    assert f"{counts[1]} lost, {counts[2]} of" in found["words"]


def test_a_copy_of_a_point_is_its_neighbor_and_it_is_not_its_own():
    points = np.vstack([np.random.default_rng(0).normal(size=(30, 3))] * 2)
    data = data_of_array(points, metric="euclidean")
    explorer = explorer_of(data, unspool.PCA(2).fit(points))
    found = json.loads(
        explorer.answer(Asked("GET", "/api/neighbors", {"map": "m0", "point": "4"})).body
    )
    assert found["neighbors"][0] == 34
    assert 4 not in found["neighbors"]
    assert 4 not in found["map_neighbors"]


def test_a_scan_in_steps_finds_the_nearest_of_all(monkeypatch):
    from unspool.explorer import session

    monkeypatch.setattr(session, "STEP", 7)
    points = np.random.default_rng(5).normal(size=(50, 3))
    found = session.Scan(points, "manhattan").nearest(points[:4], 9)
    table = np.abs(points[:4, None] - points).sum(axis=2)
    np.testing.assert_array_equal(found.neighbors.reshape(4, 9), np.argsort(table)[:, :9])
    np.testing.assert_allclose(found.distances.reshape(4, 9), np.sort(table)[:, :9])


def test_a_scan_for_many_rows_makes_no_large_table(monkeypatch):
    from unspool.distances import blocks
    from unspool.explorer import session

    sizes, made = [], session.pairwise_distances

    def noted(queries, points, metric):
        table = made(queries, points, metric)
        sizes.append(table.nbytes)
        return table

    points = np.random.default_rng(6).normal(size=(40, 3))
    whole = session.Scan(points, "euclidean").nearest(points, 5)
    monkeypatch.setattr(session, "STEP", 16)
    monkeypatch.setattr(session, "pairwise_distances", noted)
    monkeypatch.setattr(blocks, "CHUNK_BYTES", 8 * 16 * 3)
    found = session.Scan(points, "euclidean").nearest(points, 5)
    assert max(sizes) <= 8 * 16 * 3
    np.testing.assert_array_equal(found.neighbors, whole.neighbors)
    np.testing.assert_allclose(found.distances, whole.distances, atol=1e-12)


def test_the_table_of_neighbors_says_the_same_as_each_click(client):
    table = client.ask("/api/neighbor-table?map=m1&k=10").frame.arrays
    for point in (0, 80):
        one = client.ask(f"/api/neighbors?map=m1&point={point}").json
        assert set(table["neighbors"][point]) == set(one["neighbors"])
        assert set(table["map_neighbors"][point]) == set(one["map_neighbors"])


@pytest.mark.parametrize("ends", [(0, 149), (5, 6), (20, 20)])
def test_the_path_is_the_geodesic_of_the_model(client, session, ends):
    found = client.ask(f"/api/path?map=m0&from={ends[0]}&to={ends[1]}").json
    graph = session.view("m0").joined
    table = graph.with_weights(graph.distances)
    length = csgraph.dijkstra(table, indices=ends[0])[ends[1]]
    assert found["length"] == pytest.approx(length)
    assert sum(found["lengths"]) == pytest.approx(length)
    assert (found["points"][0], found["points"][-1]) == ends
    points = session.data.points[found["points"]]
    np.testing.assert_allclose(np.linalg.norm(np.diff(points, axis=0), axis=1), found["lengths"])
    straight = np.linalg.norm(points[-1] - points[0])
    assert found["straight"] == pytest.approx(straight)
    assert found["length"] >= straight - 1e-12


def test_paths_pass_copies_and_end_where_components_do():
    line = np.repeat(np.arange(6.0), 3)[:, None] * [1.0, 0.5]
    graph = unspool.graph.symmetrize(unspool.distances.neighbor_graph(line, 8))
    way = unspool.paths.shortest_path(graph, 0, 17)
    lengths = np.linalg.norm(np.diff(line[way], axis=0), axis=1)
    assert lengths.sum() == pytest.approx(
        unspool.paths.geodesic_distances(graph, np.array([0]))[0, 17]
    )
    apart = np.vstack([line, line + 100.0])
    two = unspool.graph.symmetrize(unspool.distances.neighbor_graph(apart, 5))
    assert len(unspool.paths.shortest_path(two, 0, 20)) == 0


def test_doubtful_edges_on_a_path_are_those_of_the_library():
    roll = unspool.datasets.swiss_roll(500, seed=0).points
    model = unspool.Isomap(2, n_neighbors=22).fit(roll)
    explorer = explorer_of(data_of_array(roll, metric="euclidean"), model)
    edges = unpack(explorer.answer(Asked("GET", "/api/edges", {"map": "m0"})).body)
    known = {tuple(sorted(e)) for e in quality.short_circuits(roll, 22).edges.tolist()}
    drawn = edges.arrays["doubtful"] == 1
    ends = np.column_stack([edges.arrays["first"], edges.arrays["second"]])[drawn]
    assert {tuple(sorted(e)) for e in ends.tolist()} == known
    assert known
    first, last = sorted(known)[0]
    way = json.loads(
        explorer.answer(
            Asked("GET", "/api/path", {"map": "m0", "from": str(first), "to": str(last)})
        ).body
    )
    pairs = [tuple(sorted(p)) for p in zip(way["points"], way["points"][1:], strict=False)]
    assert way["doubtful"] == [k for k, pair in enumerate(pairs) if pair in known]
    assert way["doubtful"]
    assert "doubtful" in way["words"]


def test_paths_cross_the_bridges_of_the_model_and_call_them_doubtful():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 1, (30, 3)), rng.normal(40, 1, (30, 3))])
    with pytest.warns(UserWarning, match="joined by the shortest links"):
        model = unspool.Isomap(2, n_neighbors=5).fit(X)
    explorer = explorer_of(data_of_array(X, metric="euclidean"), model)
    view = explorer.session.view("m0")
    found = honesty.path(explorer.session, view, 3, 50)
    way = np.array(found["points"])
    crossing = np.flatnonzero((way[:-1] < 30) != (way[1:] < 30)).tolist()
    assert len(crossing) == 1
    assert set(crossing) <= set(found["doubtful"])
    assert "1 of them laid between connected components" in found["words"]
    gaps = np.linalg.norm(X[:30, None] - X[None, 30:], axis=2)
    assert found["lengths"][crossing[0]] == pytest.approx(gaps.min())
    assert found["length"] == pytest.approx(sum(found["lengths"]))
    assert "between" not in honesty.path(explorer.session, view, 3, 9)["words"]
    sentences = verdicts.diagnosis(view)["sentences"]
    apart = next(s for s in sentences if "connected components" in s["measure"])
    chosen = set(apart["link"]["points"])
    assert chosen in (set(range(30)), set(range(30, 60)))


def test_the_way_back_is_inverse_transform(client, session):
    view = session.view("m1")
    places = view.places[[3, 40]].astype(float) + 0.05
    found = client.ask("/api/inverse?map=m1", "POST", json.dumps({"places": places.tolist()})).frame
    wanted = view.model.inverse_transform(view.from_page(places))
    np.testing.assert_allclose(found.arrays["rows"], wanted, rtol=1e-5, atol=1e-5)
    gaps = np.linalg.norm(session.data.points[:, None] - wanted, axis=2)
    np.testing.assert_allclose(found.arrays["distance"], gaps.min(axis=0), rtol=1e-5)
    np.testing.assert_array_equal(found.arrays["nearest"], gaps.argmin(axis=0))


def test_places_far_from_all_data_are_called_a_fiction(client):
    body = json.dumps({"places": [[1e4, 1e4]]})
    found = client.ask("/api/inverse?map=m1", "POST", body).frame
    assert found.arrays["far"].tolist() == [1]
    assert "fiction" in found.facts["words"][0]


def test_maps_are_laid_on_the_first_and_turned_back(session):
    first, second = session.view("m0"), session.view("m1")
    wanted = quality.align(second.embedding, first.places.astype(float)).aligned
    np.testing.assert_allclose(second.places, wanted, rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(second.from_page(wanted), second.embedding, atol=1e-9)
    np.testing.assert_allclose(second.to_page(second.embedding), second.places, atol=1e-4)


def test_ellipses_are_turned_with_the_map(client, session):
    found = client.ask("/api/ellipses?map=m1").frame
    second = session.view("m1")
    direct = quality.local_distortion(session.data.points, second.places.astype(float))
    lengths = np.linalg.norm(found.arrays["axes"], axis=1)
    np.testing.assert_allclose(np.sort(lengths, axis=1)[:, ::-1], direct.stretches, rtol=1e-3)
    aligned = np.abs(np.einsum("nqd,nqd->nd", found.arrays["axes"], direct.axes))
    np.testing.assert_allclose(aligned, direct.stretches**2, rtol=1e-2, atol=1e-4)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("trust", quality.trustworthiness),
        ("continuity", quality.continuity),
        ("kept", quality.neighbors_kept),
        ("distortion", quality.local_distortion),
    ],
)
def test_scores_are_those_of_the_library(client, session, name, wanted):
    found = client.ask(f"/api/score?map=m1&name={name}").frame
    direct = wanted(session.data.points, session.view("m1").embedding)
    np.testing.assert_allclose(found.arrays["values"], direct.per_point, rtol=1e-5, atol=1e-6)
    assert found.facts["value"] == pytest.approx(direct.value)
    assert found.facts["n_scored"] == 150


def test_a_sampled_score_says_so_and_leaves_the_others_unknown():
    points = np.random.default_rng(0).normal(size=(6_000, 3))
    explorer = explorer_of(data_of_array(points, metric="euclidean"), unspool.PCA(2).fit(points))
    found = unpack(explorer.answer(Asked("GET", "/api/score", {"map": "m0", "name": "trust"})).body)
    known = np.isfinite(found.arrays["values"])
    assert found.facts["n_scored"] == known.sum() < 6_000
    assert "sample" in found.facts["words"]


def test_pairs_are_distances_on_the_page_and_in_the_data(client, session):
    found = client.ask("/api/pairs?map=m1").frame.arrays
    first, second = found["first"], found["second"]
    places, points = session.view("m1").places.astype(float), session.data.points
    mapped = np.linalg.norm(places[first] - places[second], axis=1)
    np.testing.assert_allclose(found["map"], mapped, rtol=1e-3)
    given = np.linalg.norm(points[first] - points[second], axis=1)
    np.testing.assert_allclose(found["data"], given, rtol=1e-4)


def test_charts_and_sentences_are_those_of_the_library(client, session):
    charts = client.ask("/api/charts?map=m0").json
    model = session.view("m0").model
    np.testing.assert_allclose(charts["scree"]["values"][:2], model.eigenvalues_)
    assert {elbow["method"] for elbow in charts["elbows"]} == {"PCA", "Isomap"}
    wanted = unspool.intrinsic_dimension(session.data.points)
    assert charts["dimension"]["value"] == pytest.approx(wanted.value)
    told = client.ask("/api/diagnosis?map=m1").json
    direct = unspool.diagnose(session.view("m1").model, session.data.points)
    assert [s["measure"] for s in told["sentences"]] == [m.name for m in direct.measures]
    assert [s["text"] for s in told["sentences"] if not s["ok"] and s["text"] in direct.advice]
    linked = {s["measure"]: s["link"] for s in told["sentences"]}
    assert linked["trustworthiness"] == {"kind": "score", "name": "trust"}
    assert all(link is not None for link in linked.values())


def test_columns_are_numbers_kinds_or_text(client):
    info = client.ask("/api/info").json
    names = [column["name"] for column in info["columns"]]
    assert names[:3] == ["x1", "x2", "x3"]
    assert info["columns"][names.index("color")]["kind"] == "number"
    kinds = client.ask(f"/api/column?index={names.index(IMAGE)}").frame
    assert kinds.facts["kind"] == "category"
    assert sum(kinds.facts["counts"]) == 150
    assert set(kinds.facts["labels"]) == {"inner", "outer"}


def test_categories_know_missing_values_and_order_numbers(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,kind,year\n1,2,x,10\n2,1,,9\n3,3,y,10\n4,4,y,2\n5,1,y,2\n")
    made = prepare(read_table(tmp_path / "t.csv"), Selection(columns="a,b"))
    data = data_of_table(made)
    kind, year = data.columns[2], data.columns[3]
    codes, labels, counts = data.codes(kind)
    assert (codes.tolist(), labels, counts) == ([0, -1, 1, 1, 1], ["x", "y"], [1, 3])
    codes, labels, _ = data.codes(year)
    assert (year.kind, labels, codes.tolist()) == ("category", ["2", "9", "10"], [2, 1, 2, 0, 0])
    assert data.row(1)["values"][0] == ["kind", None]


@pytest.mark.parametrize("n_words", [1, 12, 16, 30])
def test_categories_have_the_colours_of_plots_and_of_many_the_frequent_come_first(
    tmp_path, n_words
):
    from unspool.plot.paint import checked_color

    words = [f"class {k}" for k in range(n_words) for _ in range(2 + k)]
    lines = [f"{i},{i % 7},{word}" for i, word in enumerate(words)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,kind", *lines]) + "\n")
    made = prepare(read_table(tmp_path / "t.csv"), Selection(columns="a,b", color="kind"))
    data = data_of_table(made)
    codes, labels, counts = data.codes(next(c for c in data.columns if c.name == "kind"))
    if n_words <= 16:
        drawn = checked_color(np.array(words, dtype=object), len(words))
        assert labels == list(drawn.names)
        np.testing.assert_array_equal(codes, drawn.codes)
    else:
        assert counts == sorted(counts, reverse=True)


def test_rows_are_told_in_the_units_of_the_file(tmp_path):
    (tmp_path / "t.csv").write_text("name,a,b\nu,1,200\nv,2,100\nw,6,300\n")
    made = prepare(read_table(tmp_path / "t.csv"), Selection(scale="standard", id="name"))
    data = data_of_table(made)
    assert abs(made.points.mean()) < 1e-9
    row = data.row(2)
    assert row["id"] == "w"
    assert dict(row["values"])["b"] == pytest.approx(300)
    assert (data.columns[0].low, data.columns[0].high) == (pytest.approx(1), pytest.approx(6))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("#7", [7]),
        ("#150", []),
        ("x1 > 12", None),
        (f"{IMAGE}=inner", None),
        ("INNER", None),
        ("", []),
    ],
)
def test_searches_find_rows_values_and_words(session, text, wanted):
    found = session.data.search(text)
    if wanted is None:
        x1 = session.data.points[:, 0]
        inner = (session.data.others[IMAGE] == "inner").to_numpy()
        wanted = np.flatnonzero(x1 > 12 if "x1" in text else inner).tolist()
        assert wanted
    assert found["points"] == wanted
    assert found["words"].startswith(f"{len(wanted)} of 150")


def test_new_rows_are_placed_by_transform_and_far_ones_flagged(client, session):
    near = session.data.points[10] + 0.01
    text = "x1,x2,x3\n" + ",".join(map(str, near)) + "\n500,500,500\n"
    found = client.ask("/api/drop?map=m1&name=new.csv", "POST", text.encode()).frame
    view = session.view("m1")
    wanted = view.to_page(view.model.transform(np.vstack([near, [500.0] * 3])))
    np.testing.assert_allclose(found.arrays["places"], wanted, rtol=1e-4)
    assert found.arrays["far"].tolist() == [0, 1]
    assert found.arrays["nearest"][0] == 10
    assert found.facts["words"] == "2 rows of new.csv placed; 1 of them far from all data"


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_selections_come_back_as_rows_with_their_labels(client, session, kind):
    import pandas

    body = pack(
        {"labels": ["left", 'a,"b"']},
        {"points": np.array([5, 9], np.uint32), "codes": np.array([1, 0], np.uint16)},
    )
    answer = client.ask(f"/api/rows?format={kind}", "POST", body)
    assert answer.headers["Content-Disposition"] == f'attachment; filename="selection.{kind}"'
    read = pandas.read_csv if kind == "csv" else pandas.read_parquet
    found = read(io.BytesIO(answer.body))
    assert found["row"].tolist() == [5, 9]
    assert found["label"].tolist() == ['a,"b"', "left"]
    np.testing.assert_allclose(found[["x1", "x2", "x3"]], session.data.points[[5, 9]])
    assert IMAGE in found.columns


def test_code_makes_the_same_map_again(client, session, tmp_path, monkeypatch):
    code = client.ask("/api/code?map=m0").json
    shown = []
    monkeypatch.setattr("unspool.explorer.start.explore", lambda model, X: shown.append(model))
    monkeypatch.setattr("unspool.explorer.explore", lambda model, X: shown.append(model))
    lines = code["python"].replace("X = ...", "X = X").splitlines()
    exec("\n".join(lines), {"X": session.data.points})
    np.testing.assert_allclose(shown[0].embedding_, session.view("m0").embedding)
    assert code["command"] is None  # these data are from no file


def test_copied_code_and_command_make_the_map_of_a_file_again(tmp_path, monkeypatch):
    """Both texts are run as they are copied, on the file that the page came from."""
    import pandas

    rng = np.random.default_rng(0)
    table = pandas.DataFrame(rng.normal(size=(60, 4)), columns=list("abcd"))
    table["kind"] = np.where(table["a"] > 0, "high", "low")
    table.to_csv(tmp_path / "my table.csv", index=False)
    monkeypatch.chdir(tmp_path)
    seen: list[Any] = []

    def show(given, explorer):
        seen.append(explorer.session.view("m0"))

    def fit_here(self, job):  # a child process of its own is tried elsewhere
        fitted = fit_map(job.model, self.session.data.points, job.metric, job.label)
        return self.session.add(fitted)

    monkeypatch.setattr("unspool.cli.evaluate._show", show)
    monkeypatch.setattr("unspool.explorer.jobs.Jobs.run", fit_here)
    asked = ["explore", "my table.csv", "--color", "kind", "--scale", "standard"]
    first = run(*asked, "-m", "isomap", "--n-neighbors", "7")
    assert first.exit_code == 0, first.output
    command = command_code(seen[0])
    again = run(*shlex.split(command)[1:])
    assert again.exit_code == 0, again.output
    np.testing.assert_allclose(seen[1].embedding, seen[0].embedding)
    assert seen[1].data.color == "kind"
    shown = {}
    monkeypatch.setattr(unspool, "explore", lambda model, X, **o: shown.update(o, model=model))
    exec(python_code(seen[0]), {})
    np.testing.assert_allclose(shown["model"].embedding_, seen[0].embedding)
    assert list(shown["color"]) == table["kind"].tolist()


def test_the_command_names_what_was_changed():
    explorer = make_explorer()
    data = Data(**{**vars(explorer.session.data), "words": ("unspool", "explore", "my table.csv")})
    view = explorer.session.view("m0")
    view.data = data
    found = json.loads(explorer.answer(Asked("GET", "/api/code", {"map": "m0"})).body)["command"]
    assert found == "unspool explore 'my table.csv' --method isomap --n-neighbors 8"


def test_images_have_small_pictures_of_their_rows():
    from PIL import Image

    rows = np.random.default_rng(0).integers(0, 256, size=(12, 48)).astype(float)
    data = data_of_array(rows, metric="euclidean", image="4x4x3")
    picture = Image.open(io.BytesIO(thumbnail(data, 3)))
    np.testing.assert_array_equal(np.asarray(picture).reshape(-1), rows[3])
    assert data.image.high == 255.0
    with pytest.raises(ValueError, match="have 20 values"):
        images_of(rows, "4x5")


def cells_of(found):
    """Return the pictures on a sheet by the points that they are of."""
    from PIL import Image

    sheet = np.asarray(Image.open(io.BytesIO(found.arrays["image"].tobytes())))
    width, height, columns = (found.facts[name] for name in ("width", "height", "columns"))
    corners = [divmod(k, columns) for k in range(len(found.arrays["points"]))]
    return {
        point: sheet[i * height : (i + 1) * height, j * width : (j + 1) * width]
        for point, (i, j) in zip(found.arrays["points"].tolist(), corners, strict=True)
    }


def test_a_sheet_holds_the_pictures_of_all_rows():
    rows = np.tile(np.random.default_rng(0).integers(0, 256, size=(12, 3)).astype(float), 20)
    data = data_of_array(rows, metric="euclidean", image="4x5x3")
    explorer = explorer_of(data, unspool.PCA(2).fit(rows))
    assert explorer.capabilities["images"]
    found = unpack(explorer.answer(Asked("GET", "/api/sheet")).body)
    cells = cells_of(found)
    assert sorted(cells) == list(range(12))
    assert found.facts["type"] == "image/png"
    for point, picture in cells.items():
        np.testing.assert_array_equal(picture.reshape(-1), rows[point])


def test_a_sheet_of_large_and_many_pictures_stays_small(monkeypatch):
    monkeypatch.setattr(columns, "SHEET", 50)
    wave = np.sin(np.linspace(0, 6, 80))[:, None] * np.cos(np.linspace(0, 9, 120))
    rows = (wave.ravel() + np.random.default_rng(0).normal(size=(70, 1))) % 1.0
    found = sheet(data_of_array(rows, metric="euclidean", image="80x120"))
    assert (found.width, found.height) == (56, 37)
    assert len(set(found.points.tolist())) == 50
    assert found.type == "image/jpeg"
    assert len(found.image) < 50 * 56 * 37 / 2


def test_images_beside_the_points_are_on_the_sheet():
    shades = np.random.default_rng(0).integers(1, 256, size=12)
    images = np.broadcast_to(shades[:, None, None], (12, 4, 5))
    data = with_images(data_of_array(np.eye(12), metric="euclidean"), images)
    explorer = explorer_of(data, unspool.PCA(2))
    cells = cells_of(unpack(explorer.answer(Asked("GET", "/api/sheet")).body))
    np.testing.assert_array_equal(np.stack([cells[k] for k in range(12)]), images)


@pytest.mark.parametrize(
    ("most", "white"),
    [(0.4, 1.0), (1.0, 1.0), (16, 16.0), (200, 255.0), (4095, 4095.0)],
)
def test_the_brightest_value_tells_what_is_white(most, white):
    rows = np.linspace(0, most, 24).reshape(2, 12)
    found = images_of(rows, "3x4")
    assert (found.low, found.high) == (0.0, white)


def test_a_folder_of_images_shows_its_files(tmp_path):
    from PIL import Image

    rng = np.random.default_rng(1)
    for name in range(6):
        pixels = rng.integers(0, 256, size=(5, 4, 3)).astype(np.uint8)
        Image.fromarray(pixels).save(tmp_path / f"{name}.png")
    data = data_of_table(prepare(read_table(tmp_path)))
    assert (data.image.height, data.image.width) == (5, 4)
    shown = np.asarray(Image.open(io.BytesIO(thumbnail(data, 2))))
    np.testing.assert_array_equal(shown, np.asarray(Image.open(tmp_path / "2.png")))
    assert data.row(2)["id"] == "2.png"


def test_distances_have_maps_neighbors_and_paths_but_no_way_back():
    roll = unspool.datasets.swiss_roll(60, seed=1).points
    table = np.linalg.norm(roll[:, None] - roll, axis=2)
    model = unspool.Isomap(2, n_neighbors=6, metric="precomputed").fit(table)
    explorer = explorer_of(data_of_array(table, metric="precomputed"), model)

    def ask(path, method="GET", body=b"", **query):
        return explorer.answer(Asked(method, path, {"map": "m0", **query}, body))

    near = json.loads(ask("/api/neighbors", point="3", k="5").body)["neighbors"]
    assert set(near) == set(np.argsort(table[3])[1:6].tolist())
    assert json.loads(ask("/api/path", **{"from": "0", "to": "50"}).body)["connected"]
    assert ask("/api/inverse", "POST", b'{"places": [[0, 0]]}').status == 422
    assert ask("/api/ellipses").status == 422
    assert json.loads(ask("/api/info").body)["columns"] == []


def test_more_than_three_coordinates_are_shown_by_choice(session):
    points = np.random.default_rng(0).normal(size=(50, 6))
    explorer = explorer_of(data_of_array(points, metric="euclidean"), unspool.PCA(5).fit(points))
    view = explorer.session.view("m0")
    for axes in ("0,4", "1,2,3"):
        found = unpack(
            explorer.answer(Asked("GET", "/api/points", {"map": "m0", "axes": axes})).body
        )
        chosen = [int(axis) for axis in axes.split(",")]
        np.testing.assert_allclose(found.arrays["places"], view.embedding[:, chosen], rtol=1e-5)
    assert explorer.answer(Asked("GET", "/api/points", {"map": "m0", "axes": "0,9"})).status == 400
