"""Cells, images, spreadsheets, dates, outliers: what people have, through the real packages."""

import base64
import gzip
import inspect
import os
import re
from functools import partial
from pathlib import Path

import anndata
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from PIL import Image

import unspool
from tests.interfaces.running import done, refused
from unspool import (
    LLE,
    PCA,
    DiffusionMaps,
    Isomap,
    LaplacianEigenmaps,
    SpectralClustering,
    compare,
    datasets,
    diagnose,
    dimension,
    distances,
    explore,
    graph,
    kernel,
    plan,
    plot,
    quality,
)
from unspool.explorer.questions import unpack
from unspool.io import (
    Selection,
    TablePreparation,
    prepare,
    read_points,
    read_table,
    scanpy_graph,
    table_of,
)
from unspool.io.cells import kind_of_graph

ROLL = datasets.swiss_roll(90, seed=2)


def cells_of(n=90):
    rng = np.random.default_rng(0)
    counts = rng.poisson(3.0, (n, 8)).astype(np.float32)
    cells = anndata.AnnData(
        sp.csr_matrix(np.log1p(counts)),
        obs=pd.DataFrame({"kind": rng.choice(["T", "B"], n)}, index=[f"c{i}" for i in range(n)]),
        var=pd.DataFrame(index=[f"gene{i}" for i in range(8)]),
    )
    cells.layers["counts"] = counts
    cells.obsm["X_pca"] = ROLL.points[:n].astype(np.float32)
    return cells


@pytest.fixture
def h5ad(tmp_path):
    cells_of().write_h5ad(tmp_path / "cells.h5ad")
    return tmp_path / "cells.h5ad"


def test_every_table_of_cells_can_be_mapped(h5ad):
    cells = cells_of()
    np.testing.assert_array_equal(read_points(h5ad).points, cells.X.toarray())
    np.testing.assert_array_equal(read_points(h5ad, layer="counts").points, cells.layers["counts"])
    for name in ("X_pca", "pca"):
        np.testing.assert_array_equal(read_points(h5ad, obsm=name).points, cells.obsm["X_pca"])
    assert read_points(h5ad, obsm="X_pca").names == ("pca_1", "pca_2", "pca_3")


def test_a_map_goes_back_beside_the_cells(h5ad, tmp_path):
    flags = ["-m", "isomap", "--n-neighbors", 8, "--color", "kind", "-q"]
    out = tmp_path / "mapped.h5ad"
    done("embed", h5ad, "--use-rep", "X_pca", *flags, "--model", tmp_path / "m.unspool", "-o", out)
    mapped = anndata.read_h5ad(out)
    before = cells_of()
    expected = Isomap(n_neighbors=8).fit(before.obsm["X_pca"]).embedding_
    np.testing.assert_array_equal(mapped.obsm["X_isomap"], expected)
    np.testing.assert_array_equal(mapped.X.toarray(), before.X.toarray())
    assert list(mapped.obs["kind"]) == list(before.obs["kind"])
    assert mapped.uns["isomap"]["method"] == "isomap"
    assert '"n_neighbors": 8' in mapped.uns["isomap"]["params"]
    done("transform", tmp_path / "m.unspool", h5ad, "--obsm", "X_pca", "-o", out, "-q")
    np.testing.assert_array_equal(anndata.read_h5ad(out).obsm["X_isomap"], expected)
    drawn = tmp_path / "part.h5ad"  # cells that were not mapped have no place
    done("embed", h5ad, "--obsm", "X_pca", "-m", "pca", "--sample", 40, "-o", drawn, "-q")
    assert np.isnan(anndata.read_h5ad(drawn).obsm["X_pca"]).any(axis=1).sum() == 50


def test_other_files_become_cells_too(tmp_path):
    done("embed", "demo:helix:60", "-m", "pca", "-o", tmp_path / "m.h5ad", "-q")
    assert anndata.read_h5ad(tmp_path / "m.h5ad").obsm["X_pca"].shape == (60, 2)


def test_wrong_tables_of_cells_are_refused(h5ad, tmp_path):
    refused("embed", h5ad, "--layer", "raw", says=r"no layer 'raw'; there are: counts")
    refused("embed", h5ad, "--obsm", "X_umap", says=r"no obsm\['X_umap'\]; there are: X_pca")
    refused("embed", h5ad, "--layer", "counts", "--obsm", "X_pca", says="name one")
    pd.DataFrame(ROLL.points).to_csv(tmp_path / "t.csv", index=False)
    refused("embed", tmp_path / "t.csv", "--obsm", "X_pca", says="for h5ad files, and .* is none")
    (tmp_path / "bad.h5ad").write_bytes(b"no cells")
    refused("embed", tmp_path / "bad.h5ad", says="is no h5ad file that can be read")


PLACES = ROLL.points[:, :2].copy()
TABLES = {"X", "Y", "truth", "distances", "reference"}  # what scores and estimates call theirs
OTHERS = {"n_neighbors": 8, "name": "X", "estimator": PCA(2)}


def asks(room):
    """Yield the functions of a room with each table in turn left open, to be given cells."""
    for name in sorted(room.__all__):
        found = getattr(room, name)
        if not inspect.isfunction(found):
            continue
        needed = inspect.signature(found).parameters
        for table in sorted(TABLES & needed.keys()):
            given = {other: PLACES for other in TABLES & needed.keys() - {table}}
            given |= {other: OTHERS[other] for other in OTHERS.keys() & needed.keys()}
            yield pytest.param(
                lambda cells, ask=found, table=table, given=given: ask(**{table: cells}, **given),
                id=f"{name}-{table}",
            )


@pytest.mark.parametrize(
    "ask",
    [
        Isomap().fit,
        PCA().fit_transform,
        LLE().fit,
        compare,
        *asks(quality),
        *asks(dimension),
        partial(diagnose, PCA(2).fit(ROLL.points)),
        partial(explore, PCA(2), browser=False, block=False),
        partial(plan, "isomap"),
        lambda cells: compare(PLACES, [PCA(2)], truth=cells),
        distances.neighbor_graph,
        distances.build_index,
        lambda cells: distances.pairwise_distances(cells, PLACES),
        lambda cells: distances.pairwise_squared_distances(PLACES, cells),
        lambda cells: unspool.curviness(np.zeros(90), cells),
        kernel.median_gamma,
        partial(kernel.monomials, degree=2),
        plot.embedding,
    ],
)
def test_annotated_data_are_refused_at_once_with_what_they_hold(ask):
    with pytest.raises(ValueError, match=r"\.X, \.layers\['counts'\], \.obsm\['X_pca'\]"):
        ask(cells_of())


@pytest.mark.parametrize(
    ("flags", "of"),
    [
        (["--use-rep", "X_pca"], lambda cells: cells.obsm["X_pca"]),
        (["--layer", "counts"], lambda cells: cells.layers["counts"]),
        ([], lambda cells: cells.X.toarray()),
    ],
)
def test_a_model_remembers_which_table_of_cells_it_maps(flags, of, h5ad, tmp_path):
    job, out = tmp_path / "m.unspool", tmp_path / "out.h5ad"
    done("embed", h5ad, *flags, "-m", "pca", "--scale", "standard", "--model", job, "-o", out, "-q")
    fitted = anndata.read_h5ad(out).obsm["X_pca"]
    told = done("transform", job, h5ad, "-o", tmp_path / "new.h5ad")
    placed = anndata.read_h5ad(tmp_path / "new.h5ad").obsm["X_pca"]
    np.testing.assert_allclose(placed, fitted, atol=1e-9)
    model = unspool.load(job)
    np.testing.assert_allclose(model.transform(cells_of()), placed, atol=1e-9)
    points = of(cells_of()).astype(np.float64)
    scaled = (points - points.mean(axis=0)) / points.std(axis=0)
    expected = PCA(2).fit_transform(scaled)
    np.testing.assert_allclose(placed, expected, rtol=1e-4, atol=1e-4)
    assert ("as in the fit" in told.stderr) == bool(flags)


def test_a_preparation_takes_annotated_data():
    cells = cells_of()
    made = TablePreparation(scale="standard").fit_transform(cells)
    dense = cells.X.toarray().astype(np.float64)
    expected = (dense - dense.mean(axis=0)) / dense.std(axis=0)
    np.testing.assert_allclose(made, expected, rtol=1e-5, atol=1e-6)


GIVEN = {"weights": "given", "metric": "precomputed", "n_neighbors": None}


def scanpy_like(n_neighbors=8):
    """Return cells with neighbours as scanpy.pp.neighbors lays them out."""
    cells = cells_of()
    near = distances.neighbor_graph(ROLL.points, n_neighbors)
    lengths = near.with_weights(near.distances)
    scale = np.asarray(near.distances).reshape(90, -1)
    weights = np.exp(-(scale - scale[:, :1]) / scale.mean(axis=1, keepdims=True))
    one_way = near.with_weights(weights.ravel())
    both = one_way + one_way.T - one_way * one_way.T  # UMAP's fuzzy union
    cells.obsp["distances"], cells.obsp["connectivities"] = lengths, sp.csr_array(both)
    cells.uns["neighbors"] = {
        "distances_key": "distances",
        "connectivities_key": "connectivities",
        "params": {"n_neighbors": n_neighbors},
    }
    return cells, near


def test_scanpys_graphs_are_told_apart():
    cells, near = scanpy_like()
    lengths = scanpy_graph(cells, "distances")
    model = Isomap(metric="precomputed", n_neighbors=None).fit(lengths)
    same = Isomap(metric="precomputed", n_neighbors=None).fit(near.with_weights(near.distances))
    np.testing.assert_allclose(model.embedding_, same.embedding_, atol=1e-12)
    weights = scanpy_graph(cells, "connectivities")
    assert LaplacianEigenmaps(**GIVEN).fit(weights).embedding_.shape == (90, 2)
    cells.obsp["distances"], cells.obsp["connectivities"] = weights, lengths  # exchanged
    with pytest.raises(ValueError, match="holds connectivities, not distances"):
        scanpy_graph(cells, "distances")
    with pytest.raises(ValueError, match="holds distances, not connectivities"):
        scanpy_graph(cells, "connectivities")
    del cells.obsp["distances"]
    with pytest.raises(ValueError, match=r"run scanpy\.pp\.neighbors first"):
        scanpy_graph(cells, "distances")


@pytest.mark.parametrize("layout", [sp.csr_array, sp.coo_array, lambda graph: graph.toarray()])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_connectivities_that_are_given_as_distances_are_refused(layout, dtype):
    weights = layout(scanpy_like()[0].obsp["connectivities"].astype(dtype))
    with pytest.raises(ValueError, match=r"these are connectivities.*weights='given'"):
        Isomap(metric="precomputed", n_neighbors=None).fit(weights)
    assert LaplacianEigenmaps(**GIVEN).fit(weights).report_.advice == ()


@pytest.mark.parametrize("longest", [1.0, 0.01, 30.0])
@pytest.mark.parametrize("cls", [LaplacianEigenmaps, DiffusionMaps, SpectralClustering])
def test_neighbor_lengths_that_are_given_as_weights_are_refused(cls, longest):
    cells, near = scanpy_like()
    lengths = sp.csr_array(cells.obsp["distances"]) * (longest / near.distances.max())
    with pytest.raises(ValueError, match=r"distances to neighbours, as scanpy keeps them"):
        cls(**GIVEN).fit(lengths)
    weights = lengths.copy()
    weights.data = np.exp(-((lengths.data / lengths.data.mean()) ** 2))  # one way, too
    assert cls(**GIVEN).fit(weights).report_.advice == ()
    assert cls(metric="precomputed", n_neighbors=None).fit(lengths).report_.advice == ()


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
@pytest.mark.parametrize("longest", [1.0, 0.01])
def test_lengths_of_any_scale_are_not_refused(metric, longest):
    near = graph.symmetrize(distances.neighbor_graph(ROLL.points, 8, metric=metric))
    lengths = near.with_weights(near.distances * (longest / near.distances.max()))
    rows = sp.csr_array(lengths)
    largest = np.maximum.reduceat(rows.data, rows.indptr[:-1])
    whole = sp.diags_array(1.0 / largest) @ rows  # every row reaches 1, as connectivities do
    for table in (lengths, whole.maximum(whole.T)):
        model = Isomap(metric="precomputed", n_neighbors=None).fit(table)
        assert not [told for told in model.report_.advice if "were similarities" in told]


def test_hops_are_lengths():
    near = graph.symmetrize(distances.neighbor_graph(ROLL.points, 8))
    hops = near.with_weights(np.ones(len(near.distances)))
    assert Isomap(metric="precomputed", n_neighbors=None).fit(hops).report_.advice == ()


def test_what_looks_like_the_other_kind_is_told():
    near = graph.symmetrize(distances.neighbor_graph(ROLL.points, 8))
    lengths = near.with_weights(near.distances)
    with pytest.warns(UserWarning, match="as if these were distances"):
        LaplacianEigenmaps(**GIVEN).fit(lengths)
    heat = near.with_weights(0.9 * np.exp(-((near.distances / near.distances.mean()) ** 2)))
    with pytest.warns(UserWarning, match="as if these were similarities"):
        Isomap(metric="precomputed", n_neighbors=None).fit(heat)


def test_short_lengths_are_not_taken_for_weights():
    near = graph.symmetrize(distances.neighbor_graph(ROLL.points / 1000.0, 8))
    assert kind_of_graph(sp.csr_array(near.with_weights(near.distances))) != "connectivities"


def save_images(folder, n=24, side=8, prefix="img"):
    folder.mkdir(parents=True, exist_ok=True)
    bars = datasets.bars(n, size=side).points.reshape(n, side, side)
    for number, image in enumerate(bars):
        gray = (255 * (image - bars.min()) / np.ptp(bars)).astype(np.uint8)
        Image.fromarray(gray).save(folder / f"{prefix}{number}.png")


def test_labels_of_images_are_their_folders_or_the_words_of_their_names(tmp_path):
    save_images(tmp_path / "a" / "cats")
    save_images(tmp_path / "a" / "dogs")
    table = read_table(tmp_path / "a")
    assert table.color == "label"
    assert list(table.frame["label"]) == ["cats"] * 24 + ["dogs"] * 24
    assert table.frame["file"][0] == "cats/img0.png"
    save_images(tmp_path / "b", prefix="cat_")
    save_images(tmp_path / "b", prefix="dog-")
    assert list(read_table(tmp_path / "b").frame["label"].unique()) == ["cat", "dog"]
    save_images(tmp_path / "c")
    assert "label" not in read_table(tmp_path / "c").frame


def test_images_are_drawn_at_their_places_by_default(tmp_path):
    save_images(tmp_path / "a" / "cats")
    save_images(tmp_path / "a" / "dogs", prefix="d")
    flags = ["-m", "pca", "-o", tmp_path / "m.csv", "-q", "--plot"]
    done("embed", tmp_path / "a", *flags, tmp_path / "images.png")
    done("embed", tmp_path / "a", *flags, tmp_path / "dots.png", "--dots")
    assert (tmp_path / "images.png").read_bytes() != (tmp_path / "dots.png").read_bytes()
    made = read_points(tmp_path / "a")
    assert made.images().shape == (48, 8, 8)
    np.testing.assert_array_equal(made.images().reshape(48, 64), made.points)
    refused("embed", "demo:helix:60", *flags, tmp_path / "x.png", "--thumbnails", says="images")


def test_reports_and_pages_of_folders_hold_the_images_of_the_live_map(tmp_path):
    save_images(tmp_path / "faces")
    flags = ["--methods", "pca,classical-mds", "-q", "-o", tmp_path / "report.html"]
    done("compare", tmp_path / "faces", *flags)
    done("explore", tmp_path / "faces", "-m", "pca", "--export", tmp_path / "page.html")
    for name in ("report.html", "page.html"):
        page = (tmp_path / name).read_text("utf-8")
        [packed] = re.findall(r'data-key="/api/sheet" data-type="[^"]*">([^<]*)<', page)
        sheet = unpack(gzip.decompress(base64.b64decode(packed)))
        assert sorted(sheet.arrays["points"]) == list(range(24))
        assert (sheet.facts["width"], sheet.facts["height"]) == (8, 8)


def test_images_are_resized_on_request(tmp_path):
    save_images(tmp_path / "a")
    save_images(tmp_path / "a", n=3, side=16, prefix="large")
    refused("embed", tmp_path / "a", says=r"bring all to one size.*--image-size 8x8")
    assert read_table(tmp_path / "a", image_size="8").image_shape == (8, 8)
    table = read_table(tmp_path / "a", image_size="4x6")
    assert table.image_shape == (6, 4)
    refused("embed", tmp_path / "a", "--image-size", "small", says="got 'small'")
    refused("embed", "demo:helix:60", "--image-size", "0", says="image-size|got '0'|none")


def test_spreadsheets_in_and_out(tmp_path):
    frame = pd.DataFrame(ROLL.points, columns=list("abc")).assign(
        name=[f"p{i}" for i in range(90)], when=pd.date_range("2024-01-30", periods=90)
    )
    with pd.ExcelWriter(tmp_path / "book.xlsx") as book:
        frame.to_excel(book, sheet_name="first", index=False)
        frame[["c", "a"]].to_excel(book, sheet_name="second", index=False)
    made = read_points(tmp_path / "book.xlsx", color="when")
    np.testing.assert_allclose(made.points, ROLL.points, rtol=1e-14)
    assert any("read sheet 'first'" in note for note in made.notes)
    assert made.colors()[0] == pytest.approx(2024 + 29 / 366, abs=0.003)
    assert read_points(f"{tmp_path}/book.xlsx:second").names == ("c", "a")
    done("embed", tmp_path / "book.xlsx", "-m", "pca", "-o", tmp_path / "map.xlsx", "-q")
    written = pd.read_excel(tmp_path / "map.xlsx")
    assert list(written.columns) == ["name", "when", "pca_1", "pca_2"]
    refused("embed", f"{tmp_path}/book.xlsx:third", says="no sheet 'third'; it has first, second")
    (tmp_path / "bad.xlsx").write_bytes(b"no book")
    refused("embed", tmp_path / "bad.xlsx", says="is no Excel file that can be read")


def test_dates_and_truth_values_are_mapped_if_they_are_named(tmp_path):
    frame = pd.DataFrame(
        {
            "x": np.arange(30.0) ** 1.5,
            "on": np.arange(30) % 2 == 0,
            "day": pd.date_range("2020-02-20", periods=30).astype(str),
        }
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    made = read_points(tmp_path / "t.csv")
    assert made.names == ("x",)
    assert any("on, day could be mapped" in note for note in made.notes)
    named = read_points(tmp_path / "t.csv", columns="x,on,day")
    np.testing.assert_array_equal(named.points[:, 1], frame["on"])
    np.testing.assert_array_equal(np.diff(named.points[:, 2]), 1.0)
    frame.loc[4, "day"] = "2020-02-31"
    frame.to_csv(tmp_path / "t.csv", index=False)
    refused("embed", tmp_path / "t.csv", "--columns", "x,day", says="row 5 is '2020-02-31'")


def test_columns_that_name_rows_are_noticed(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((50, 2)), columns=["u", "v"])
    frame["PassengerId"] = rng.permutation(50) + 700
    frame["shuffled"] = rng.permutation(50) + 1
    frame["ticket"] = 10 * np.arange(50) + 1000
    frame["age"] = rng.integers(1, 90, 50)
    frame.to_csv(tmp_path / "t.csv", index=False)
    made = read_points(tmp_path / "t.csv")
    assert made.names == ("u", "v", "ticket", "age")
    assert any("PassengerId, shuffled" in note for note in made.notes)
    assert any("'ticket' is a larger whole number in every row" in note for note in made.notes)


def noticed(**columns):
    """Return which whole columns are said to look like names, beside two of measurements."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.standard_normal((400, 2)), columns=["u", "v"])
    for name, values in columns.items():
        frame[name] = values
    notes = prepare(table_of(frame), Selection(scale="standard")).notes
    return {re.match("column '([^']*)'", note)[1] for note in notes if "(--id)" in note}


def test_names_of_what_rows_belong_to_are_noticed_though_they_repeat():
    rng = np.random.default_rng(4)
    ids = rng.integers(1, 60, 400)
    assert noticed(customer_id=ids, ID=ids, userId=ids) == {"customer_id", "ID", "userId"}
    assert noticed(rooms=ids, width=ids, paid=ids, valid=ids, key=ids) == set()


def test_whole_numbers_that_never_meet_are_noticed():
    rng = np.random.default_rng(4)
    patients = rng.choice(10**8, 400, replace=False)
    members = 1000 + rng.choice(900, 400, replace=False)
    assert noticed(patient=patients, member=members) == {"patient", "member"}
    sizes = np.rint(rng.lognormal(15, 1, 400)).astype(int)  # all distinct, and far apart
    weights = np.rint(rng.normal(5e6, 1e6, 400)).astype(int)
    assert noticed(population=sizes, milligrams=weights) == set()
    spot = rng.choice(10**8, 400, replace=False)
    assert noticed(east=spot, toll=0.001 * spot + rng.normal(0, 20_000, 400)) == set()  # they agree


@pytest.mark.parametrize("name", ["whisky.csv", "breakfast_preferences.csv", "food_nutrition.csv"])
def test_no_measurement_of_a_real_table_is_taken_for_names(name):
    path = Path(os.environ.get("UNSPOOL_DATA", "")) / name
    if not path.exists():
        pytest.skip(f"UNSPOOL_DATA has no {name}")
    notes = read_points(path).notes
    told = [note for note in notes if "(--id)" in note]
    assert all("'cluster.id'" in note for note in told)  # names of clusters they are


def test_outliers_are_dropped_told_and_counted(tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.standard_normal((200, 3)), columns=list("abc"))
    frame.loc[[7, 130]] = [[90.0, -80.0, 70.0], [-400.0, 300.0, 20.0]]
    frame.to_csv(tmp_path / "t.csv", index=False)
    made = read_points(tmp_path / "t.csv", drop_outliers=True, scale="standard")
    assert set(range(200)) - set(made.rows) == {7, 130}
    told = [note for note in made.notes if "far from all others" in note]
    assert told == ["2 of 200 rows lie far from all others and were left out: 131, 8"]
    np.testing.assert_allclose(made.points.std(axis=0), 1.0)  # the scale is that of the others
    result = done("embed", tmp_path / "t.csv", "-m", "pca", "--drop-outliers")
    assert "2 of 200 rows lie far from all others" in result.stderr
    assert len(result.stdout.splitlines()) == 199
    clean = read_points("demo:swiss-roll:300", drop_outliers=True)
    assert len(clean.points) == 300


def test_scales_of_cytometry(tmp_path):
    frame = pd.DataFrame({"a": [0.0, 5.0, 100.0], "b": [-3.0, 8.0, 2.0]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    by_hand = np.arcsinh(frame.to_numpy() / 150.0)
    made = read_points(tmp_path / "t.csv", curve="arcsinh", cofactor=150)
    np.testing.assert_allclose(made.points, by_hand)
    refused("embed", tmp_path / "t.csv", "--log", says="column 'b' is -3 in row 1")
    refused("embed", tmp_path / "t.csv", "--log", "--arcsinh", "5", says="choose one")
    refused("embed", tmp_path / "t.csv", "--arcsinh", "0", says="above 0")
    only = done("embed", tmp_path / "t.csv", "--log", "--columns", "a", "-m", "pca", "-d", 1, "-q")
    placed = pd.Series([float(line.split(",")[-1]) for line in only.stdout.splitlines()[1:]])
    expected = np.log1p(frame["a"])
    assert abs(np.corrcoef(placed, expected)[0, 1]) == pytest.approx(1.0, abs=1e-12)


def test_standard_output_has_a_name():
    by_name = done("embed", "demo:helix:60", "-m", "pca", "-o", "-", "-q").stdout
    assert by_name == done("embed", "demo:helix:60", "-m", "pca", "-q").stdout
    assert unspool.io.read_table("demo:helix:60").frame.shape == (60, 4)


@pytest.mark.parametrize("name", ["pca", "classical-mds", "ltsa"])
def test_rows_that_ruin_a_map_are_told_as_the_file_counts_them(name, tmp_path):
    frame = pd.DataFrame(np.random.default_rng(0).standard_normal((100, 4)), columns=list("abcd"))
    frame.iloc[5] = 1e4
    frame.iloc[2, 1] = np.nan  # a row less is mapped than the file has
    frame.to_csv(tmp_path / "t.csv", index=False)
    flags = ["-m", name, "--na", "drop", "-o", tmp_path / "m.csv"]
    told = done("embed", tmp_path / "t.csv", *flags).stderr
    assert "carried by 1 of 99 points (rows 6)" in told
    if name == "pca":
        assert "--drop-outliers leaves out" in told
    left = done("embed", tmp_path / "t.csv", *flags, "--drop-outliers").stderr
    assert "were left out: 6" in left
    assert "carried by" not in left
    report = tmp_path / "r.html"
    compared = done("compare", tmp_path / "t.csv", "--methods", name, "--na", "drop", "-o", report)
    assert "(rows 6)" in compared.stdout
    assert "(rows 6)" in report.read_text("utf-8")
