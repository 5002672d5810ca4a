"""Every notation of a table is read as the numbers it stands for, or refused in one clear line."""

import gzip
import sys
import types

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from unspool.io import (
    Selection,
    apply_recipe,
    prepare,
    read_points,
    read_table,
    write_table,
)

NUMBERS = np.array([[1.5, -2.0, 3.25], [4.0, 5.5, 6e-3], [7.0, 8.125, 9.0], [0.5, 0.25, 1e5]])


def written_as(path, content, encoding="utf-8"):
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return str(path)


def points_of(data, **selection):
    return read_points(data, **selection).points


def lines(rows, separator=",", header=None, decimal="."):
    cells = [[repr(float(cell)).replace(".", decimal) for cell in row] for row in rows]
    table = ([list(header)] if header else []) + cells
    return "\n".join(separator.join(row) for row in table) + "\n"


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " ", "   "])
@pytest.mark.parametrize("header", [None, "abc"])
@pytest.mark.parametrize("decimal", [".", ","])
@pytest.mark.parametrize("packed", [False, True])
def test_any_notation_gives_the_same_numbers(separator, header, decimal, packed, tmp_path):
    if separator == decimal:
        pytest.skip("nobody could read that")
    text = lines(NUMBERS, separator, header, decimal).encode()
    name = "t.csv.gz" if packed else "t.txt"
    data = written_as(tmp_path / name, gzip.compress(text) if packed else text)
    table = read_table(data)
    assert list(table.frame.columns) == (list("abc") if header else ["x1", "x2", "x3"])
    np.testing.assert_array_equal(table.frame.to_numpy(), NUMBERS)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_encodings(encoding, tmp_path):
    text = "größe,ort\n1.5,Köln\n2.5,Zürich\n"
    data = written_as(tmp_path / "t.csv", text, encoding)
    table = read_table(data)
    assert list(table.frame.columns) == ["größe", "ort"]
    assert list(table.frame["ort"]) == ["Köln", "Zürich"]
    assert any("latin-1" in note for note in table.notes) == (encoding == "latin-1")


def test_quoted_cells_may_hold_separators_and_line_breaks(tmp_path):
    text = 'name,a,b\n"Smith, J",1,2\n"two\nlines",3,4\n"say ""hi""",5,6\n'
    table = read_table(written_as(tmp_path / "t.csv", text))
    assert list(table.frame["name"]) == ["Smith, J", "two\nlines", 'say "hi"']
    np.testing.assert_array_equal(table.frame[["a", "b"]], [[1, 2], [3, 4], [5, 6]])


def test_windows_line_ends_blank_lines_and_a_missing_last_one(tmp_path):
    data = written_as(tmp_path / "t.csv", b"a,b\r\n\r\n1,2\r\n\r\n3,4\r\n5,6")
    np.testing.assert_array_equal(points_of(data), [[1, 2], [3, 4], [5, 6]])


@pytest.mark.parametrize("token", ["", "NA", "n/a", "NaN", "nan", "?", "-", "null", "None", "#N/A"])
def test_tokens_for_missing_values(token, tmp_path):
    data = written_as(tmp_path / "t.csv", f"a,b\n1,2\n{token},4\n5,6\n")
    np.testing.assert_array_equal(points_of(data, na="drop"), [[1, 2], [5, 6]])
    np.testing.assert_array_equal(points_of(data, na="mean"), [[1, 2], [3, 4], [5, 6]])
    with pytest.raises(ValueError, match=r"1 of 3 rows miss a value in a \(the first is row 2\)"):
        points_of(data)


def test_words_stay_as_they_were_written(tmp_path):
    """NA is a country of the colour column, and 007 a name: neither is a number or a gap."""
    text = "code,country,a\n007,NA,1\n012,None,2\n100,-,3\n"
    table = read_table(written_as(tmp_path / "t.csv", text))
    assert list(table.frame["code"]) == ["007", "012", "100"]
    assert list(table.frame["country"]) == ["NA", "None", "-"]
    assert prepare(table, Selection()).recipe.columns == ("a",)


def test_comments_above_the_table(tmp_path):
    data = written_as(tmp_path / "t.txt", "# made by a machine\n# a b\n1 2\n3 4\n")
    assert list(read_table(data).frame.columns) == ["a", "b"]
    np.savetxt(tmp_path / "s.txt", NUMBERS, header="any number of words here", fmt="%.17g")
    np.testing.assert_array_equal(read_table(str(tmp_path / "s.txt")).frame, NUMBERS)


def test_row_names_as_r_writes_them(tmp_path):
    table = read_table(written_as(tmp_path / "t.csv", '"a","b"\n"Mazda",1,2\n"Fiat",3,4\n'))
    assert list(table.frame.columns) == ["row", "a", "b"]
    assert list(table.frame["row"]) == ["Mazda", "Fiat"]


def test_a_separator_at_the_end_of_every_line(tmp_path):
    for header in ("a,b,", "a,b"):
        table = read_table(written_as(tmp_path / "t.csv", f"{header}\n1,2,\n3,4,\n"))
        assert list(table.frame.columns) == ["a", "b"]


def test_repeated_and_empty_column_names(tmp_path):
    table = read_table(written_as(tmp_path / "t.csv", "a,a,,a.2\n1,2,3,4\n5,6,7,8\n"))
    assert list(table.frame.columns) == ["a", "a.3", "column3", "a.2"]
    assert "repeated column names were numbered: a" in table.notes[0]


def test_columns_that_look_like_formulas(tmp_path):
    text = "=cmd,+b,@c\n1,2,=1+1\n3,4,=2+2\n5,6,x\n"
    made = prepare(read_table(written_as(tmp_path / "t.csv", text)), Selection())
    assert made.recipe.columns == ("=cmd", "+b")
    assert list(made.other_columns()["@c"]) == ["=1+1", "=2+2", "x"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty"),
        ("\n \n\n", "is empty"),
        ("a,b\n", "column names but no rows"),
        ("a,b\n1,2\n3,4,5\n6,7\n", r"line 3 has 3 cells where others have 2 \(separated by ','\)"),
        ("a,b\n1,2\n3\n6,7\n", "line 3 has 1 cells where others have 2"),
        ("a,b,c,d\n1,2\n3,4\n", "the header names 4 columns, but the rows have 2 cells"),
        ("a,b\nx,y\nz,w\n", r"no numeric columns to map \(it has a, b\)"),
        ("a,b\n1,2\n", "one row to map"),
        ("a,b\n1,2\ninf,4\n", "column 'a' is infinite in row 2"),
        ("a,b\n,\n,\n", "no numeric columns|every row misses|has no values"),
        (b"PK\0\0\0\0", "binary data"),
        (b"\x1f\x8bnot really", "cannot be unpacked"),
    ],
)
def test_what_cannot_be_read_is_told_in_one_line(text, says, tmp_path):
    data = written_as(tmp_path / "t.csv", text)
    with pytest.raises(ValueError, match=says) as caught:
        points_of(data, na="drop")
    assert "t.csv" in str(caught.value) or "row" in str(caught.value)


def test_a_given_separator_is_kept(tmp_path):
    data = written_as(tmp_path / "t.csv", "1,5;2,5\n3,5;4,7\n")
    np.testing.assert_array_equal(points_of(data), [[1.5, 2.5], [3.5, 4.7]])
    table = read_table(data, separator=",")
    assert list(table.frame["x2"]) == ["5;2", "5;4"]
    assert list(table.frame["x3"]) == [5, 7]


def test_columns_that_number_the_rows_are_not_mapped(tmp_path):
    made = prepare(
        read_table(written_as(tmp_path / "t.csv", "n,a,id\n1,5,90\n2,3,17\n3,4,44\n")), Selection()
    )
    assert made.recipe.columns == ("a",)
    assert any("number the rows are kept but not mapped: n, id" in note for note in made.notes)
    np.testing.assert_array_equal(
        points_of(str(tmp_path / "t.csv"), columns="n,a"), [[1, 5], [2, 3], [3, 4]]
    )


def table_of(tmp_path, text="name,p1,p2,p3,q\nu,1,2,3,4\nv,5,6,7,9\nw,9,8,7,1\n"):
    return read_table(written_as(tmp_path / "t.csv", text))


@pytest.mark.parametrize(
    ("columns", "chosen"),
    [("q,p1", "q p1"), ("p1:p3", "p1 p2 p3"), ("p*", "p1 p2 p3"), ("p?, q", "p1 p2 p3 q")],
)
def test_columns_by_name_range_and_pattern(columns, chosen, tmp_path):
    made = prepare(table_of(tmp_path), Selection(columns=columns))
    assert " ".join(made.recipe.columns) == chosen


@pytest.mark.parametrize(
    ("selection", "says"),
    [
        ({"columns": "p11"}, "no column 'p11'; did you mean 'p1'"),
        ({"color": "zzz"}, "no column 'zzz'; there are: name, p1, p2, p3, q"),
        ({"id": "nam"}, "did you mean 'name'"),
        ({"columns": "name,q"}, r"'name' of .* does not hold numbers: row 1 is 'u'"),
    ],
)
def test_columns_that_are_not_there(selection, says, tmp_path):
    with pytest.raises(ValueError, match=says):
        prepare(table_of(tmp_path), Selection(**selection))


def test_codes_and_truth_values_are_numbers_when_asked_for(tmp_path):
    table = table_of(tmp_path, "code,yes,a\n007,True,1\n011,False,3\n")
    made = prepare(table, Selection(columns="code,yes,a"))
    np.testing.assert_array_equal(made.points, [[7, 1, 1], [11, 0, 3]])


def test_colours_and_ids_are_kept_and_not_mapped(tmp_path):
    made = prepare(table_of(tmp_path), Selection(color="q", id="name"))
    assert made.recipe.columns == ("p1", "p2", "p3")
    assert list(made.other_columns().columns) == ["name", "q"]
    assert list(made.other_columns("all").columns) == ["name", "p1", "p2", "p3", "q"]
    assert list(made.colors()) == [4, 9, 1]


def test_rows_keep_their_order_and_their_columns_when_some_are_dropped(tmp_path):
    text = "name,a,b\n" + "".join(f"n{i},{i if i % 3 else ''},{-i}\n" for i in range(30))
    made = prepare(table_of(tmp_path, text), Selection(na="drop", sample=20, seed=4))
    kept = made.other_columns()["name"].str[1:].astype(int).to_numpy()
    assert np.all(np.diff(kept) > 0)
    assert np.all(kept % 3 > 0)
    np.testing.assert_array_equal(made.points, np.column_stack([kept, -kept]))
    assert any("20 of 30 rows were drawn" in note for note in made.notes)
    assert any("rows miss a value in a; they were left out" in note for note in made.notes)


@pytest.mark.parametrize(
    ("scale", "centre", "spread"),
    [
        ("standard", np.mean, np.std),
        ("range", np.min, np.ptp),
        (
            "robust",
            np.median,
            lambda a, axis: np.diff(np.quantile(a, [0.25, 0.75], axis=axis), axis=0)[0],
        ),
    ],
)
def test_scales_are_those_of_the_fit_for_new_rows_too(scale, centre, spread, tmp_path):
    np.save(tmp_path / "a.npy", NUMBERS)
    np.save(tmp_path / "b.npy", NUMBERS[:1] + 1)
    made = prepare(read_table(str(tmp_path / "a.npy")), Selection(scale=scale))
    by = centre(NUMBERS, axis=0), spread(NUMBERS, axis=0)
    np.testing.assert_allclose(made.points, (NUMBERS - by[0]) / by[1], rtol=1e-15, atol=1e-15)
    new = apply_recipe(made.recipe, read_table(str(tmp_path / "b.npy")), Selection())
    np.testing.assert_allclose(new.points, (NUMBERS[:1] + 1 - by[0]) / by[1], rtol=1e-15)


def test_points_and_names_in_one_call(tmp_path):
    data = written_as(tmp_path / "t.csv", "name,a,b\nu,1,2\nv,3,\nw,5,9\nx,7,3\n")
    options = {"columns": "b,a", "id": "name", "na": "drop", "scale": "range"}
    made = read_points(tmp_path / "t.csv", **options)
    assert made.names == ("b", "a")
    np.testing.assert_allclose(made.points, [[0, 0], [1, 4 / 6], [1 / 7, 1]])
    assert list(made.rows) == [0, 2, 3]
    assert list(made.other_columns()["name"]) == ["u", "w", "x"]
    same = prepare(read_table(data), Selection(**options))
    np.testing.assert_array_equal(made.points, same.points)


def test_the_seed_draws_the_sample_and_the_demo():
    one, again, other = (read_points("demo:swiss-roll:50", sample=9, seed=s) for s in (3, 3, 5))
    np.testing.assert_array_equal(one.points, again.points)
    assert list(one.rows) != list(other.rows)
    assert not np.array_equal(one.table.frame, other.table.frame)


def test_a_table_is_written_whole_unless_coordinates_are_named(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    write_table(tmp_path / "t.npy", frame)
    np.testing.assert_array_equal(np.load(tmp_path / "t.npy"), frame)
    with pytest.raises(ValueError, match=r"t\.xls should end in one of \.csv"):
        write_table(tmp_path / "t.xls", frame)


def test_a_constant_column_stays_finite_in_every_scale():
    table = read_table("demo:swiss-roll:30")
    table.frame["x1"] = 3.0
    for scale in ("standard", "range", "robust"):
        assert np.isfinite(prepare(table, Selection(scale=scale)).points).all()


def test_new_rows_are_matched_by_name(tmp_path):
    made = prepare(table_of(tmp_path), Selection())
    other = table_of(tmp_path, "q,p3,extra,p2,p1\n4,3,0,2,1\n")
    np.testing.assert_array_equal(
        apply_recipe(made.recipe, other, Selection()).points, [[1, 2, 3, 4]]
    )
    with pytest.raises(ValueError, match="lacks columns that the model was fitted on: p2, q"):
        apply_recipe(made.recipe, table_of(tmp_path, "p1,p3\n1,2\n3,4\n"), Selection())


def test_columns_without_names_of_their_own_are_matched_by_number_and_else_by_position(tmp_path):
    np.save(tmp_path / "a.npy", NUMBERS)
    np.save(tmp_path / "b.npy", NUMBERS[:, 1:])
    made = prepare(read_table(str(tmp_path / "a.npy")), Selection(columns="x2,x3"))
    same = apply_recipe(made.recipe, read_table(str(tmp_path / "a.npy")), Selection())
    np.testing.assert_array_equal(same.points, NUMBERS[:, 1:])
    fewer = apply_recipe(made.recipe, read_table(str(tmp_path / "b.npy")), Selection())
    np.testing.assert_array_equal(fewer.points, NUMBERS[:, 1:])
    with pytest.raises(ValueError, match="has 4 columns to map, but the model was fitted on 2"):
        apply_recipe(made.recipe, table_of(tmp_path), Selection())


def test_gaps_of_new_rows_are_treated_as_those_of_the_fit_were(tmp_path):
    gap = table_of(tmp_path, "p1,p2,p3,q\n1,,3,4\n5,6,7,8\n")
    for na, expected in (("drop", [[5, 6, 7, 8]]), ("mean", [[1, 16 / 3, 3, 4], [5, 6, 7, 8]])):
        recipe = prepare(table_of(tmp_path), Selection(na=na)).recipe
        np.testing.assert_array_equal(apply_recipe(recipe, gap, Selection()).points, expected)
        with pytest.raises(ValueError, match="1 of 2 rows miss a value in p2"):
            apply_recipe(recipe, gap, Selection(na="error"))
    with pytest.raises(ValueError, match="1 of 2 rows miss a value in p2"):
        apply_recipe(prepare(table_of(tmp_path), Selection()).recipe, gap, Selection())


def test_raw_numbers_have_their_gaps_and_no_scale(tmp_path):
    text = "a,b\n" + "".join(f"{i if i != 7 else ''},{1000 * i}\n" for i in range(10))
    made = prepare(table_of(tmp_path, text), Selection(na="drop", scale="range"))
    expected = np.array([[float(i), 1000.0 * i] for i in range(10)])
    expected[7, 0] = np.nan
    np.testing.assert_array_equal(made.raw_numbers(), expected)
    assert len(made.points) == 9


def test_gaps_of_new_rows_are_filled_with_the_means_of_the_fit(tmp_path):
    made = prepare(table_of(tmp_path), Selection())
    other = table_of(tmp_path, "p1,p2,p3,q\n1,,3,4\n")
    new = apply_recipe(made.recipe, other, Selection(na="mean"))
    np.testing.assert_array_equal(new.points, [[1, 16 / 3, 3, 4]])


def test_uneven_columns_are_told_of(tmp_path):
    made = prepare(table_of(tmp_path, "a,b\n1,10000\n3,90000\n2,50000\n"), Selection())
    assert any("--scale standard" in note for note in made.notes)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32, np.uint8, bool])
def test_array_files(dtype, tmp_path):
    values = (np.arange(12).reshape(4, 3) % 5).astype(dtype)
    np.save(tmp_path / "a.npy", values)
    points = points_of(str(tmp_path / "a.npy"))
    assert points.dtype == (np.float32 if dtype is np.float32 else np.float64)
    np.testing.assert_array_equal(points, values)


def test_archives_of_arrays(tmp_path):
    images = np.arange(24.0).reshape(4, 3, 2)
    np.savez(tmp_path / "a.npz", images=images, label=np.arange(4) % 2, other=np.ones(9))
    made = prepare(read_table(str(tmp_path / "a.npz")), Selection(color="label"))
    np.testing.assert_array_equal(made.points, images.reshape(4, 6))
    assert list(made.colors()) == [0, 1, 0, 1]
    np.savez(tmp_path / "b.npz", one=NUMBERS, two=NUMBERS)
    with pytest.raises(ValueError, match=r"several tables; name one, as .*b\.npz:one"):
        read_table(str(tmp_path / "b.npz"))
    np.testing.assert_array_equal(points_of(f"{tmp_path / 'b.npz'}:two"), NUMBERS)
    with pytest.raises(ValueError, match=r"no table of numbers 'three'; it has one, two"):
        read_table(f"{tmp_path / 'b.npz'}:three")


def test_an_array_called_as_a_column_is_does_not_replace_it(tmp_path):
    np.savez(tmp_path / "a.npz", X=NUMBERS, x1=np.full(4, 9.0))
    table = read_table(str(tmp_path / "a.npz"))
    np.testing.assert_array_equal(prepare(table, Selection()).points, NUMBERS)
    assert list(table.frame["x1.2"]) == [9.0] * 4


def test_arrays_of_python_objects_are_not_opened(tmp_path):
    np.save(tmp_path / "o.npy", np.array([{}, {}], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match="no array file that can be read safely"):
        read_table(str(tmp_path / "o.npy"))


@pytest.mark.parametrize("suffix", [".parquet", ".feather"])
def test_columnar_files(suffix, tmp_path):
    frame = pd.DataFrame({"a": [1.5, 2.5, 4.0], "who": ["x", "y", "z"], "n": [3, 1, 2]})
    frame["gap"] = pd.array([1, None, 3], dtype="Int64")
    path = tmp_path / f"t{suffix}"
    frame.to_parquet(path) if suffix == ".parquet" else frame.to_feather(path)
    made = prepare(read_table(str(path)), Selection(na="mean"))
    assert made.recipe.columns == ("a", "n", "gap")
    np.testing.assert_array_equal(made.points, [[1.5, 3, 1], [2.5, 1, 2], [4, 2, 3]])
    path.write_bytes(b"PAR1 nonsense")
    with pytest.raises(ValueError, match=f"no {suffix[1:]} file that can be read"):
        read_table(str(path))


def test_a_named_index_is_kept_and_not_mapped(tmp_path):
    frame = pd.DataFrame({"a": [1.5, 2.5, 4.0], "b": [3, 1, 2]})
    for labels, name in ((list("xyz"), "who"), ([2019, 2021, 2020], "year")):
        frame.set_index(pd.Index(labels, name=name)).to_parquet(tmp_path / "t.parquet")
        made = prepare(read_table(str(tmp_path / "t.parquet")), Selection())
        assert made.recipe.columns == ("a", "b")
        assert list(made.other_columns().columns) == [name]
        assert list(made.other_columns()[name]) == labels
    asked = prepare(read_table(str(tmp_path / "t.parquet")), Selection(columns="a,year"))
    np.testing.assert_array_equal(asked.points[:, 1], [2019, 2021, 2020])
    frame.set_index(pd.Index(list("xyz"))).to_parquet(tmp_path / "t.parquet")
    assert list(read_table(str(tmp_path / "t.parquet")).frame.columns) == ["a", "b"]


def test_a_folder_of_images(tmp_path):
    random = np.random.default_rng(0)
    pixels = random.integers(0, 256, (11, 4, 3), dtype=np.uint8)
    for number, image in enumerate(pixels):
        Image.fromarray(image).save(tmp_path / f"face{number}.{'png' if number % 2 else 'pgm'}")
    (tmp_path / "notes.md").write_text("no image")
    made = prepare(read_table(str(tmp_path)), Selection())
    np.testing.assert_array_equal(made.points, pixels.reshape(11, 12) / 255.0)
    assert list(made.other_columns()["file"])[:3] == ["face0.pgm", "face1.png", "face2.pgm"]
    assert list(made.other_columns()["file"])[-1] == "face10.pgm"
    Image.fromarray(pixels[0].T.copy()).save(tmp_path / "odd.png")
    with pytest.raises(ValueError, match=r"odd\.png is 4 x 3 pixels but face0\.pgm is 3 x 4"):
        read_table(str(tmp_path))
    (tmp_path / "odd.png").write_bytes(b"no image")
    with pytest.raises(ValueError, match=r"odd\.png is no image"):
        read_table(str(tmp_path))


def test_a_folder_without_images(tmp_path):
    with pytest.raises(ValueError, match="holds no images"):
        read_table(str(tmp_path))


def test_annotated_data(tmp_path, monkeypatch):
    cells = types.SimpleNamespace(
        X=NUMBERS,
        var_names=["g1", "g2", "g3"],
        obs=pd.DataFrame({"g1": [1, 2, 3, 4], "kind": list("abab")}, index=list("wxyz")),
    )
    fake = types.ModuleType("anndata")
    fake.read_h5ad = lambda path: cells
    path = written_as(tmp_path / "cells.h5ad", b"hdf")
    monkeypatch.setitem(sys.modules, "anndata", None)
    with pytest.raises(ImportError, match=r"pip install .unspool\[cells\]"):
        read_table(path)
    monkeypatch.setitem(sys.modules, "anndata", fake)
    made = prepare(read_table(path), Selection(color="kind"))
    np.testing.assert_array_equal(made.points, NUMBERS)
    assert list(made.other_columns().columns) == ["cell", "g1.2", "kind"]
    cells.obs = pd.DataFrame({"cell": list("abab")}, index=list("wxyz"))
    made = prepare(read_table(path), Selection(color="cell"))
    assert list(made.colors()) == list("abab")
    assert list(made.other_columns()["cell.2"]) == list("wxyz")


def test_demos_and_names_that_are_not_known(tmp_path):
    assert points_of("demo:swiss-roll:77").shape == (77, 3)
    with pytest.raises(ValueError, match="no data set demo:roll"):
        read_table("demo:roll")
    with pytest.raises(ValueError, match="should end in a number"):
        read_table("demo:swiss-roll:many")
    with pytest.raises(ValueError, match=r"there is no file nothing\.csv"):
        read_table("nothing.csv")
    with pytest.raises(ValueError, match="ending that is not known"):
        read_table(written_as(tmp_path / "t.docx", b"x"))


@pytest.mark.parametrize(
    ("suffix", "first"),
    [(".csv", b"a,b"), (".tsv", b"a\tb"), (".txt", b"a\tb"), ("", b"a,b")],
)
def test_packed_tables_have_the_separator_of_their_inner_ending(suffix, first, tmp_path):
    write_table(str(tmp_path / f"t{suffix}.gz"), pd.DataFrame({"a": [1], "b": [2]}), [])
    text = gzip.decompress((tmp_path / f"t{suffix}.gz").read_bytes())
    assert text.splitlines()[0] == first


@pytest.mark.parametrize(
    "suffix", [".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".parquet", ".feather"]
)
def test_what_is_written_is_read_back(suffix, tmp_path):
    frame = pd.DataFrame(
        {"who": ['a,"b"', "é\tx", "=1"], "m_1": [0.1, 2.0, -3e-9], "m_2": [1.0, 2, 3]}
    )
    write_table(str(tmp_path / f"t{suffix}"), frame, ["m_1", "m_2"])
    read = read_table(str(tmp_path / f"t{suffix}")).frame
    assert list(read["who"]) == list(frame["who"])
    np.testing.assert_array_equal(read[["m_1", "m_2"]], frame[["m_1", "m_2"]])


def test_arrays_are_written_without_the_words(tmp_path):
    frame = pd.DataFrame({"who": ["a", "b"], "m_1": [0.1, 2.0], "m_2": [1.0, 2.0]})
    write_table(str(tmp_path / "t.npy"), frame, ["m_1", "m_2"])
    np.testing.assert_array_equal(np.load(tmp_path / "t.npy"), [[0.1, 1.0], [2.0, 2.0]])
    write_table(str(tmp_path / "t.npz"), frame, ["m_1", "m_2"])
    with np.load(tmp_path / "t.npz", allow_pickle=False) as arrays:
        np.testing.assert_array_equal(arrays["coordinates"], [[0.1, 1.0], [2.0, 2.0]])
        assert list(arrays["who"]) == ["a", "b"]
