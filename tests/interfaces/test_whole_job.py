"""A saved model is the whole job: columns, gaps and scales go with it, in Python too."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    RobustScaler,
    StandardScaler,
)

import unspool
from tests.interfaces.running import done as run
from tests.interfaces.running import read_exactly
from unspool import PCA, Isomap, compare, diagnose, load, save
from unspool.io import TableModel, TablePreparation, read_points
from unspool.store import UnreadableModel


def table(n=60, seed=0):
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0.0, 5.0, n)
    return pd.DataFrame(
        {
            "name": [f"row {i}" for i in range(n)],
            "x": 1000.0 * np.cos(angle),
            "y": 2.0 + np.sin(angle) + 0.01 * rng.standard_normal(n),
            "z": np.exp(angle),
            "group": np.where(angle > 2.5, "late", "early"),
        }
    )


@pytest.fixture
def csv(tmp_path):
    frame = table()
    frame.loc[3, "y"] = np.nan
    frame.to_csv(tmp_path / "data.csv", index=False)
    table(20, seed=1).to_csv(tmp_path / "new.csv", index=False)
    return tmp_path


@pytest.mark.parametrize(
    "options",
    [
        ["--scale", "standard", "--na", "mean"],
        ["--scale", "robust", "--na", "drop", "--columns", "y,z"],
        ["--arcsinh", "50", "--na", "mean"],
        ["--log", "--columns", "y,z", "--na", "mean", "--scale", "range"],
    ],
)
def test_python_maps_new_rows_as_the_command_line_does(csv, options):
    run("embed", csv / "data.csv", "-m", "pca", *options, "--model", csv / "m.unspool", "-q")
    run("transform", csv / "m.unspool", csv / "new.csv", "-o", csv / "placed.csv", "-q")
    by_shell = pd.read_csv(csv / "placed.csv")[["pca_1", "pca_2"]].to_numpy()
    model, new = load(csv / "m.unspool"), pd.read_csv(csv / "new.csv")
    np.testing.assert_allclose(model.transform(new), by_shell, rtol=1e-12)
    fitted = pd.read_csv(csv / "data.csv")  # its rows lie where the map has them
    fitted = fitted.dropna() if "drop" in options else fitted
    np.testing.assert_allclose(model.transform(fitted), model.embedding_, rtol=1e-9, atol=1e-9)
    turned = new[new.columns[::-1]].assign(more=1.0)  # by name, whatever the order
    np.testing.assert_array_equal(model.transform(turned), model.transform(new))
    np.testing.assert_array_equal(model.transform(pl.from_pandas(new)), model.transform(new))
    back = model.inverse_transform(model.transform(new))  # in the units of the table
    columns = list(model[0].recipe_.columns)
    if len(columns) == 2:
        np.testing.assert_allclose(back, new[columns], rtol=1e-8)


def test_a_loaded_model_has_what_its_method_learned(csv):
    run("embed", csv / "data.csv", "--na", "mean", "--model", csv / "m.unspool", "-q")
    model = load(csv / "m.unspool")
    assert isinstance(model, TableModel)
    assert isinstance(model, Pipeline)
    assert model.embedding_.shape == (60, 2)
    assert model.report_.stages
    assert list(model.feature_names_in_) == ["x", "y", "z"]
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = model.nonsense
    assert diagnose(model, pd.read_csv(csv / "data.csv")).records()


def test_wrong_columns_are_refused(csv):
    run("embed", csv / "data.csv", "--na", "mean", "--model", csv / "m.unspool", "-q")
    model, new = load(csv / "m.unspool"), pd.read_csv(csv / "new.csv")
    with pytest.raises(ValueError, match="lacks columns that the model was fitted on: y"):
        model.transform(new.drop(columns="y"))
    with pytest.raises(ValueError, match="has 2 columns to map, but the model was fitted on 3"):
        model.transform(np.ones((4, 2)))
    with pytest.raises(ValueError, match="does not hold numbers: row 1 is 'a'"):
        model.transform(new.assign(x="a"))
    bare = Isomap(n_neighbors=15).fit(new[["x", "y", "z"]])
    with pytest.raises(ValueError, match="same order"):
        bare.transform(new[["z", "y", "x"]])
    with pytest.raises(ValueError, match="unseen at fit"):
        bare.transform(new[["x", "y"]].assign(w=1.0))


def test_new_rows_are_filled_with_the_means_of_the_fit(csv):
    options = ["--na", "mean", "--scale", "standard", "--model", csv / "m.unspool", "-q"]
    run("embed", csv / "data.csv", "-m", "pca", *options)
    model, new = load(csv / "m.unspool"), pd.read_csv(csv / "new.csv")
    new.loc[2, "y"] = np.nan
    mean = pd.read_csv(csv / "data.csv")["y"].mean()  # of the fitted rows, not of these
    np.testing.assert_allclose(model.transform(new), model.transform(new.fillna({"y": mean})))


def test_gaps_in_rows_that_must_all_be_answered_are_refused(csv):
    run("embed", csv / "data.csv", "--na", "drop", "--model", csv / "m.unspool", "-q")
    with pytest.raises(ValueError, match="1 of 60 rows miss a value in y"):
        load(csv / "m.unspool").transform(pd.read_csv(csv / "data.csv"))


STEPS = {
    "standard": StandardScaler(),
    "no mean": StandardScaler(with_mean=False),
    "range": MinMaxScaler((-1, 1)),
    "largest": MaxAbsScaler(),
    "robust": RobustScaler(quantile_range=(10.0, 90.0)),
    "normalizer": Normalizer("l1"),
    "imputer": SimpleImputer(strategy="median"),
    "function": FunctionTransformer(np.arcsinh, np.sinh),
    "preparation": TablePreparation("x,z", curve="arcsinh", scale="standard"),
    "ours": PCA(3),
    "none": "passthrough",
}


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_pipelines_of_known_steps_come_back_the_same(step, tmp_path):
    frame = table()[["x", "y", "z"]]
    model = Pipeline([("first", step), ("map", Isomap(n_neighbors=25))]).fit(frame)
    save(model, tmp_path / "m.unspool")
    again = load(tmp_path / "m.unspool")
    assert type(again) is Pipeline
    assert repr(again) == repr(model)
    new = table(15, seed=2)[["x", "y", "z"]]
    np.testing.assert_array_equal(again.transform(new), model.transform(new))
    save(again, tmp_path / "n.unspool")
    assert (tmp_path / "n.unspool").read_bytes() == (tmp_path / "m.unspool").read_bytes()


def test_a_pipeline_of_python_is_used_by_the_command_line(csv):
    new = pd.read_csv(csv / "new.csv")
    model = make_pipeline(StandardScaler(), PCA(2)).fit(new[["x", "y", "z"]])
    save(model, csv / "p.unspool")
    run("transform", csv / "p.unspool", csv / "new.csv", "-o", csv / "placed.csv", "-q")
    placed = pd.read_csv(csv / "placed.csv")[["pca_1", "pca_2"]]
    np.testing.assert_allclose(placed, model[-1].embedding_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (
            make_pipeline(LinearRegression(), PCA(2)),
            "step 'linearregression' is sklearn.linear_mod",
        ),
        (make_pipeline(PCA(2), LinearRegression()), "ends in a method of unspool"),
        (Pipeline([("pca", PCA(2))], memory="somewhere"), "memory"),
        (make_pipeline(FunctionTransformer(lambda X: X), PCA(2)), "never code"),
        (make_pipeline(FunctionTransformer(np.sort), PCA(2)), "never code"),
    ],
)
def test_other_pipelines_are_refused_before_anything_is_written(model, told, tmp_path):
    with pytest.raises(ValueError, match=told):
        save(model, tmp_path / "m.unspool")
    assert not list(tmp_path.iterdir())


def test_a_forged_step_is_refused(tmp_path):
    from unspool.store import models
    from unspool.store.codec import Encoder
    from unspool.store.models import FORMAT

    model = make_pipeline(StandardScaler(), PCA(2)).fit(table()[["x", "y", "z"]])

    def written(change):
        encoder = Encoder()
        page = {"format": FORMAT, "model": encoder.page(model, ""), "notes": encoder.page({}, "")}
        change(page["model"]["fields"], encoder.arrays)
        with (tmp_path / "f.unspool").open("wb+") as file:
            models.write(file, page, encoder.arrays)
        return tmp_path / "f.unspool"

    def scale(fields):
        return fields["steps"][0]["items"][1]["fields"]

    changes = {
        "a path": lambda fields, _: fields.update(memory="somewhere"),
        "another width": lambda fields, _: scale(fields).update(n_features_in_=2),
        "a flag": lambda fields, _: scale(fields).update(with_mean="yes"),
        "one more": lambda fields, _: scale(fields).update(other=1),
        "no steps": lambda fields, _: fields.update(steps=[]),
        "no method at the end": lambda fields, _: fields["steps"].reverse(),
        "a zero": lambda _, arrays: arrays.__setitem__(2, np.zeros(3)),
        "a NaN": lambda _, arrays: arrays.__setitem__(0, np.array([0.0, np.nan, 1.0])),
    }
    assert load(written(lambda *_: None)).transform(table()[["x", "y", "z"]]).shape == (60, 2)
    for name, change in changes.items():
        with pytest.raises(UnreadableModel):
            print(name, load(written(change)))


def test_preparation_in_python_equals_reading_the_file(csv):
    made = read_points(csv / "data.csv", na="mean", scale="standard", curve="arcsinh")
    frame = read_exactly(csv / "data.csv")
    step = TablePreparation(na="mean", scale="standard", curve="arcsinh")
    np.testing.assert_array_equal(step.fit_transform(frame), made.points)
    by_hand = np.arcsinh(frame[["x", "y", "z"]].to_numpy() / 5.0)
    by_hand = np.where(np.isnan(by_hand), np.nanmean(by_hand, axis=0), by_hand)
    by_hand = (by_hand - by_hand.mean(axis=0)) / by_hand.std(axis=0)
    np.testing.assert_allclose(made.points, by_hand, rtol=1e-12, atol=1e-12)
    with pytest.raises(ValueError, match="keeps all rows"):
        TablePreparation(na="drop").fit(frame)


@pytest.mark.parametrize("curve", ["arcsinh", "log"])
def test_a_way_back_beyond_all_numbers_is_refused(curve):
    step = TablePreparation(curve=curve).fit(np.abs(table()[["x", "y", "z"]].to_numpy()))
    places = np.ones((3, 3))
    assert np.isfinite(step.inverse_transform(places)).all()
    places[1, 2] = 1e4
    with pytest.raises(ValueError, match="row 1 lies so far out"):
        step.inverse_transform(places)


def test_ready_coordinates_are_compared_and_diagnosed():
    roll = unspool.datasets.swiss_roll(200)
    maps = {"PCA": "pca", "truth itself": roll.coordinates, "UMAP": roll.points[:, :2]}
    found = compare(roll.points, maps, truth=roll.coordinates)
    assert found.best("Procrustes error") == "truth itself"
    assert found.scores["truth itself"]["Procrustes error"].value < 1e-12
    np.testing.assert_array_equal(found.embeddings["UMAP"], roll.points[:, :2])
    judged = diagnose(roll.points[:, [0, 2]], roll.points)
    assert not judged.sound
    assert "coordinates" in str(judged) or judged.advice
    with pytest.raises(ValueError, match="UMAP has coordinates of 199 rows and X has 200"):
        compare(roll.points, {"UMAP": roll.coordinates[1:]})
    with pytest.raises(ValueError, match="row 0 has no place"):
        compare(roll.points, {"UMAP": np.full((200, 2), np.nan)})


def test_transform_draws_the_fitted_points_in_the_colours_of_the_map(csv):
    pytest.importorskip("matplotlib")
    data = csv / "data.csv"
    run("embed", data, "--na", "mean", "--color", "group", "--model", csv / "m.unspool", "-q")
    out = run("transform", csv / "m.unspool", csv / "new.csv", "--plot", csv / "m.png", "--json")
    assert json.loads(out.stdout)["rows"] == 20
    assert (csv / "m.png").stat().st_size > 1000
    fitted, new = load(csv / "m.unspool").embedding_, np.array([[0.0, 0.0], [1.0, 0.5]])
    group = table()["group"].to_numpy()
    drawn = unspool.plot.embedding(fitted, group, placed=new)
    names = [text.get_text() for text in drawn.axes[0].get_legend().get_texts()]
    assert names == ["early", "late", "placed"]
    rings = drawn.axes[0].collections[-1]
    np.testing.assert_array_equal(rings.get_offsets(), new)
    both = unspool.plot.embedding(fitted, np.append(group, ["late", "late"]), placed=new)
    assert len(both.axes[0].get_legend().get_texts()) == 2
