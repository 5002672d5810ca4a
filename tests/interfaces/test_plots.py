"""Figures show what they should: as many marks as there are things, at their places."""

import builtins
import inspect
import io

import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.collections import EllipseCollection, LineCollection, PathCollection
from matplotlib.colors import to_hex, to_rgba
from matplotlib.text import Text

from unspool import datasets, distances, plot, quality
from unspool.evaluate import compare, diagnose
from unspool.methods import PCA, Isomap
from unspool.plot.maps import spread_out, without_overlap
from unspool.plot.style import CATEGORIES, FAINT

ROLL = datasets.swiss_roll(200)
MODEL = Isomap(2, n_neighbors=8).fit(ROLL.points)
PLACES = MODEL.embedding_


def dots(axes):
    """All points drawn on axes, in the order of drawing."""
    found = [c for c in axes.collections if isinstance(c, PathCollection)]
    return np.vstack([np.asarray(c.get_offsets()) for c in found])


def of_kind(axes, kind):
    return [c for c in axes.collections if isinstance(c, kind)]


def texts(figure):
    return [text.get_text() for text in figure.findobj(lambda artist: hasattr(artist, "get_text"))]


def drawn(figure):
    """Draw it without a screen; return the bytes."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=60)
    return file.getvalue()


@pytest.mark.parametrize("given", [MODEL, PLACES, PLACES.tolist()], ids=["model", "array", "list"])
def test_a_map_has_a_dot_at_every_place(given):
    figure = plot.embedding(given, title="a map")
    axes = figure.axes[0]
    np.testing.assert_allclose(dots(axes), PLACES)
    assert axes.get_title() == "a map"
    assert axes.get_aspect() == 1.0
    assert drawn(figure).startswith(b"\x89PNG")


def test_numbers_paint_by_a_scale_with_a_bar():
    figure = plot.embedding(MODEL, ROLL.color, label="angle")
    axes, bar = figure.axes
    np.testing.assert_array_equal(axes.collections[0].get_array(), ROLL.color)
    assert bar.get_ylabel() == "angle"


def test_points_whose_number_is_missing_are_drawn_in_grey():
    missing = np.arange(200) % 10 == 3
    color = np.where(missing, np.nan, ROLL.color)
    color[3] = np.inf
    figure = plot.embedding(MODEL, color, label="angle")
    faint, painted = of_kind(figure.axes[0], PathCollection)
    np.testing.assert_allclose(faint.get_offsets(), PLACES[missing])
    assert {tuple(c) for c in faint.get_facecolor()} == {to_rgba(FAINT)}
    np.testing.assert_allclose(painted.get_offsets(), PLACES[~missing])
    assert painted.get_clim() == (ROLL.color[~missing].min(), ROLL.color[~missing].max())
    several = plot.comparison({"a": PLACES, "b": PLACES}, color, points=ROLL.points, label="angle")
    assert [len(c.get_offsets()) for c in several.axes[0].collections] == [20, 180]
    assert several.axes[-1].get_ylabel() == "angle"  # the bar is that of the painted points
    drawn(several)
    nothing = plot.embedding(MODEL, np.full(200, np.nan))
    np.testing.assert_allclose(dots(nothing.axes[0]), PLACES)
    drawn(nothing)


def test_words_paint_by_categories_with_a_legend():
    kinds = np.array([f"kind {i % 11}" for i in range(200)])
    axes = plot.embedding(MODEL, kinds, label="sort").axes[0]
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == [f"kind {i}" for i in range(11)]  # 2 before 10
    for i, group in enumerate(of_kind(axes, PathCollection)):
        np.testing.assert_allclose(group.get_offsets(), PLACES[kinds == f"kind {i}"])
        assert tuple(group.get_facecolor()[0]) == to_rgba(CATEGORIES[i % len(CATEGORIES)])
    # where colours come again, the marks differ
    first, again = (of_kind(axes, PathCollection)[i].get_paths()[0] for i in (0, 10))
    assert len(first.vertices) != len(again.vertices)


def test_truth_values_and_names_with_signs_are_words():
    axes = plot.embedding(MODEL, ROLL.color > 9, label="$x^{").axes[0]
    assert [t.get_text() for t in axes.get_legend().get_texts()] == ["False", "True"]
    odd = np.array(["_hidden", "$\\frac", "<b>", "plain"] * 50)
    figure = plot.embedding(MODEL, odd, title="$_{")
    assert len(figure.axes[0].get_legend().get_texts()) == 4
    drawn(figure)


def test_one_coordinate_lies_on_a_line_and_more_than_two_show_the_first():
    np.testing.assert_allclose(dots(plot.embedding(PLACES[:, :1]).axes[0])[:, 1], 0.0)
    wide = np.column_stack([PLACES, PLACES[:, :1]])
    np.testing.assert_allclose(dots(plot.embedding(wide).axes[0]), PLACES)


def test_the_neighbour_graph_is_drawn_edge_by_edge():
    neighbors = distances.neighbor_graph(ROLL.points, 8)
    marked = np.array([[0, 5], [3, 9]])
    axes = plot.neighbor_graph(MODEL, neighbors, ROLL.color, marked=marked).axes[0]
    edges, doubtful = of_kind(axes, LineCollection)
    pairs = {tuple(sorted(p)) for p in zip(neighbors.rows, neighbors.neighbors, strict=True)}
    segments = np.array(edges.get_segments())
    assert len(segments) == len(pairs)
    expected = np.array([PLACES[list(pair)] for pair in sorted(pairs)])
    np.testing.assert_allclose(segments, expected)
    np.testing.assert_allclose(np.array(doubtful.get_segments()), PLACES[marked])
    np.testing.assert_allclose(dots(axes), PLACES)


def test_a_scree_has_a_bar_a_value():
    axes = plot.scree([5.0, 3.0, 0.5, -0.1], kept=2).axes[0]
    assert [bar.get_height() for bar in axes.patches] == [5.0, 3.0, 0.5, -0.1]
    kept, left = to_rgba(CATEGORIES[0]), axes.patches[2].get_facecolor()
    assert [bar.get_facecolor() == kept for bar in axes.patches] == [True, True, False, False]
    assert left != kept
    np.testing.assert_allclose(
        [bar.get_height() for bar in plot.scree(MODEL).axes[0].patches], MODEL.eigenvalues_
    )


def test_an_elbow_is_a_curve_with_its_bend_marked():
    curve = quality.residual_variance(MODEL.geodesics_, PLACES)
    line, mark = plot.elbow(curve, chosen=2).axes[0].lines
    np.testing.assert_array_equal(line.get_ydata(), curve.values)
    np.testing.assert_array_equal(mark.get_xydata(), [[2, curve.values[1]]])


def test_a_shepard_diagram_shows_the_pairs_and_their_monotone_fit():
    pairs = quality.shepard(ROLL.points, PLACES)
    axes = plot.shepard(pairs).axes[0]
    cloud, fit = axes.lines
    np.testing.assert_array_equal(cloud.get_xdata(), pairs.given)
    np.testing.assert_array_equal(cloud.get_ydata(), pairs.mapped)
    assert (np.diff(fit.get_xdata()) >= 0).all()
    assert (np.diff(fit.get_ydata()) >= 0).all()
    assert f"rank correlation {pairs.value:.3f}" in texts(axes.figure)


def test_estimates_have_a_place_and_an_error_each():
    axes = plot.estimates(["a", "b"], [2.0, 3.0], [0.5, 0.25]).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b"]
    segments = [s for c in of_kind(axes, LineCollection) for s in c.get_segments()]
    np.testing.assert_allclose(segments, [[[1.5, 0], [2.5, 0]], [[2.75, 1], [3.25, 1]]])


def test_a_scatter_matrix_has_every_pair():
    cube = np.random.default_rng(0).normal(size=(50, 3))
    figure = plot.scatter_matrix(cube, names=["a", "b", "$c"])
    grid = np.array(figure.axes[:9]).reshape(3, 3)
    for i in range(3):
        for j in range(3):
            if i != j:
                np.testing.assert_allclose(dots(grid[i, j]), cube[:, [j, i]])
            else:
                assert sum(bar.get_height() for bar in grid[i, j].patches) == 50
    assert [grid[2, j].get_xlabel() for j in range(3)] == ["a", "b", r"\$c"]
    with pytest.raises(ValueError, match="2 names were given for 3"):
        plot.scatter_matrix(cube, names=["a", "b"])


def test_ellipses_are_the_images_of_circles():
    """The map stretches x by 3 and y by 1: every ellipse is three times as long as wide."""
    plane = np.random.default_rng(1).uniform(size=(300, 2))
    stretched = plane * [3.0, 1.0]
    distortion = quality.local_distortion(plane, stretched)
    axes = plot.ellipses(stretched, distortion, count=40).axes[0]
    (found,) = of_kind(axes, EllipseCollection)
    widths, heights, angles = found._widths * 2, found._heights * 2, np.degrees(found._angles)
    assert len(widths) == 40
    np.testing.assert_allclose(widths / heights, 3.0, rtol=1e-9)
    np.testing.assert_allclose(np.abs(np.sin(np.radians(angles))), 0.0, atol=1e-9)
    np.testing.assert_allclose(found.get_offsets(), stretched[spread_out(stretched, 40)])


def test_ellipses_refuse_what_they_cannot_draw():
    distortion = quality.local_distortion(ROLL.points, PLACES)
    with pytest.raises(ValueError, match="maps of 2 coordinates"):
        plot.ellipses(np.zeros((200, 3)), distortion)
    with pytest.raises(ValueError, match="distortion is of 200 points, not 100"):
        plot.ellipses(PLACES[:100], distortion)


def test_trust_paints_the_scored_points_and_leaves_the_others_grey():
    score = quality.trustworthiness(ROLL.points, PLACES, sample=60)
    figure = plot.trust(MODEL, score)
    axes, bar = figure.axes
    grey, painted = of_kind(axes, PathCollection)
    assert len(grey.get_offsets()) == 140
    order = np.argsort(-score.per_point, kind="stable")
    np.testing.assert_allclose(painted.get_offsets(), PLACES[score.sample[order]])
    np.testing.assert_allclose(painted.get_array(), score.per_point[order])
    assert bar.get_ylabel() == "trustworthiness"
    assert plot.trust(MODEL, score, limits=(0.5, 1.0)).axes[0].collections[1].get_clim() == (0.5, 1)
    with pytest.raises(ValueError, match="score is of 200 points"):
        plot.trust(PLACES[:50], score)


def test_thumbnails_lie_at_their_places_and_do_not_cover_each_other():
    pixels = np.random.default_rng(2).uniform(size=(200, 6, 4))
    pixels[:, 0, 0] = np.arange(200)  # the number of the image is in its corner
    axes = plot.thumbnails(PLACES, pixels, size=0.08).axes[0]
    boxes = [image.get_extent() for image in axes.images]
    assert 20 < len(boxes) < 200
    for image, (left, right, bottom, top) in zip(axes.images, boxes, strict=True):
        place = PLACES[int(np.asarray(image.get_array())[0, 0])]
        np.testing.assert_allclose([(left + right) / 2, (bottom + top) / 2], place, rtol=1e-9)
        assert (right - left) / (top - bottom) == pytest.approx(4 / 6)
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            apart = a[1] <= b[0] + 1e-9 or b[1] <= a[0] + 1e-9
            assert apart or a[3] <= b[2] + 1e-9 or b[3] <= a[2] + 1e-9
    low, high = axes.get_xlim()
    assert all(low <= box[0] and box[1] <= high for box in boxes)


def test_thumbnails_take_rows_of_pixels():
    rows = np.random.default_rng(3).uniform(size=(200, 24))
    first = plot.thumbnails(PLACES, rows, shape=(6, 4), count=5).axes[0].images
    assert len(first) == 5
    assert first[0].get_array().shape == (6, 4)
    for wrong in ({}, {"shape": (5, 5)}):
        with pytest.raises(ValueError, match="images are"):
            plot.thumbnails(PLACES, rows, **wrong)


def test_boxes_are_taken_as_many_as_fit_in_a_row():
    line = np.column_stack([np.arange(10.0), np.zeros(10)])
    taken = without_overlap(line, 1.5, 1.0)
    assert (np.diff(np.sort(line[taken, 0])) >= 1.5).all()
    assert len(taken) >= 5  # ends and middle first: gaps of 2 remain
    assert len(without_overlap(line, 1.0, 1.0)) == 10


def test_a_comparison_has_a_panel_a_map_and_one_key():
    maps = {"first": PLACES, "second": -PLACES, "third": PLACES[:, ::-1]}
    figure = plot.comparison(maps, ROLL.color, points=ROLL.points, label="angle")
    panels = [axes for axes in figure.axes if axes.get_title()]
    assert [axes.get_title() for axes in panels] == ["data", "first", "second", "third"]
    for axes, places in zip(panels[1:], maps.values(), strict=True):
        np.testing.assert_allclose(dots(axes), places)
    assert len(figure.axes) == 5  # and the colour bar
    words = plot.comparison(maps, np.where(ROLL.color > 9, "far", "near"))
    assert [t.get_text() for t in words.legends[0].get_texts()] == ["far", "near"]
    drawn(words)


def test_a_comparison_of_methods_is_drawn_with_the_truth():
    found = compare(ROLL.points, ["pca", "isomap"], truth=ROLL.coordinates, color=ROLL.color)
    titles = [axes.get_title() for axes in found.figure().axes[:3]]
    trust = found.scores["Isomap"]["trustworthiness"].value
    assert titles[0] == "truth"
    assert titles[2] == f"Isomap\ntrust {trust:.3f}"
    np.testing.assert_allclose(dots(found.figure().axes[2]), found.aligned["Isomap"])


@pytest.mark.parametrize("model", [Isomap(2, n_neighbors=8), PCA(2), PCA(1), Isomap(3)])
def test_a_diagnosis_is_one_figure_of_four_panels(model):
    found = diagnose(model.fit(ROLL.points), ROLL.points)
    figure = found.figure()
    titles = [axes.get_title() for axes in figure.axes]
    assert titles[0] == "trustworthiness of each point"
    assert "distances, pair by pair" in titles
    assert "eigenvalues of the coordinates" in titles
    drawn(figure)


def test_the_first_value_left_out_stands_beside_the_others():
    axes = diagnose(PCA(2).fit(ROLL.points), ROLL.points).figure().axes
    scree = next(a for a in axes if a.get_title().startswith("eigenvalues"))
    heights = [bar.get_height() for bar in scree.patches]
    values = np.linalg.eigvalsh(np.cov(ROLL.points.T, ddof=0))[::-1]
    np.testing.assert_allclose(heights, values, rtol=1e-9)


def test_panels_can_be_put_together():
    from matplotlib.figure import Figure

    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert plot.embedding(MODEL, axes=left, title="map") is figure
    assert plot.scree(MODEL, axes=right) is figure
    assert left.get_title() == "map"


@pytest.mark.parametrize("name", [name for name in plot.__all__ if name.islower()])
def test_signatures_tell_what_may_be_passed(name):
    parameters = inspect.signature(getattr(plot, name)).parameters
    assert "args" not in parameters
    assert next(iter(parameters)) not in ("axes", "self")
    assert getattr(plot, name).__doc__


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: plot.embedding(np.zeros(5)), "one row per point"),
        (lambda: plot.embedding(np.full((5, 2), np.nan)), "not finite"),
        (lambda: plot.embedding(PLACES, np.zeros(7)), "one value per point"),
        (lambda: plot.embedding(PLACES, np.zeros(200, dtype=complex)), "numbers or words"),
        (lambda: plot.comparison({}), "no maps"),
        (lambda: plot.scree([np.inf]), "finite numbers"),
        (lambda: plot.elbow([0.5, 0.1], chosen=3), "chosen=3"),
        (
            lambda: plot.neighbor_graph(PLACES[:9], distances.neighbor_graph(ROLL.points, 3)),
            "of 200 points",
        ),
        (lambda: plot.comparison({"a": PLACES}, points=np.zeros((200, 5))), "2 or 3 columns"),
    ],
)
def test_what_cannot_be_drawn_is_said(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


def test_without_matplotlib_the_sentence_says_what_to_install(monkeypatch):
    original = builtins.__import__

    def without(name, *args, **options):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return original(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"pip install 'unspool\[plot\]'"):
        plot.embedding(PLACES)


def with_strays():
    """A disk of 500 points, and three far away."""
    core = np.random.default_rng(5).normal(size=(500, 2))
    return np.vstack([core, [[400.0, 0.0], [0.0, -300.0], [250.0, 250.0]]])


@pytest.mark.parametrize("color", [None, np.arange(503.0), np.arange(503) % 3 > 0])
def test_strays_are_drawn_at_the_border_and_counted(color):
    figure = plot.embedding(with_strays(), color)
    axes = figure.axes[0]
    assert "3 points outside" in texts(figure)
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    assert right - left < 20  # the disk fills the picture
    assert len(dots(axes)) == 503
    x, y = dots(axes).T
    assert left < x.min() < x.max() < right
    assert low < y.min() < y.max() < high
    near_border = (x > right - 0.1 * (right - left)) | (y < low + 0.1 * (high - low))
    assert near_border.sum() >= 3
    drawn(figure)


def test_a_map_without_strays_is_shown_whole():
    figure = plot.embedding(MODEL)
    assert not any("outside" in text for text in texts(figure))


def test_trust_and_three_dimensions_count_strays_too():
    places = with_strays()
    score = quality.trustworthiness(places, places)
    assert "3 points outside" in texts(plot.trust(places, score))
    solid = plot.embedding(np.column_stack([places, places[:, 0]]), dimensions=3)
    assert "3 points outside" in texts(solid)
    drawn(solid)


def test_of_many_categories_the_others_are_grouped_and_counted():
    kinds = np.array([f"kind {i}" for i in range(40)] * 5)
    kinds[:50] = "kind 7"
    figure = plot.embedding(MODEL, kinds)
    names = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert len(names) == 16
    assert "kind 7" in names
    hidden = len(set(kinds)) - 15
    count = sum(kind not in names for kind in kinds)
    assert names[-1] == f"{hidden} others ({count} points)"
    assert len(dots(figure.axes[0])) == 200  # nobody is dropped
    several = plot.comparison({"a": PLACES, "b": PLACES}, kinds)
    assert [t.get_text() for t in several.legends[0].get_texts()] == names


def test_points_without_a_category_have_one_of_their_own():
    kinds = np.array(["a", "", None, np.nan] * 50, dtype=object)
    axes = plot.embedding(MODEL, kinds).axes[0]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a", "(empty)"]
    assert len(of_kind(axes, PathCollection)[1].get_offsets()) == 150


def test_categories_keep_their_order_and_ordered_ones_their_scale():
    pandas = pytest.importorskip("pandas")
    given = pandas.Series(["low", "high", "mid", None] * 50)
    kinds = given.astype(pandas.CategoricalDtype(["low", "mid", "high"], ordered=True))
    axes = plot.embedding(MODEL, kinds).axes[0]
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == ["low", "mid", "high", "(empty)"]
    light = [sum(group.get_facecolor()[0][:3]) for group in of_kind(axes, PathCollection)[:3]]
    assert light == sorted(light)


def test_a_few_wild_numbers_do_not_take_the_whole_scale():
    color = np.linspace(0.0, 1.0, 200)
    color[0] = 1e6
    axes, bar = plot.embedding(MODEL, color).axes
    low, high = next(c.get_clim() for c in axes.collections if c.get_array() is not None)
    assert 0.0 <= low < 0.1
    assert 0.9 < high < 2.0
    assert bar._colorbar.extend == "max"


def test_many_points_are_transparent():
    many = np.random.default_rng(0).normal(size=(50_000, 2))
    assert plot.embedding(many).axes[0].collections[0].get_alpha() < 0.5
    assert plot.embedding(MODEL).axes[0].collections[0].get_alpha() == 1.0


def test_a_map_is_drawn_in_three_dimensions():
    solid = plot.embedding(ROLL.points, ROLL.color, dimensions=3).axes[0]
    assert solid.name == "3d"
    figure = plot.comparison({"a": ROLL.points, "b": ROLL.points}, dimensions=3)
    assert [axes.name for axes in figure.axes] == ["3d", "3d"]
    with pytest.raises(ValueError, match="2 or 3 dimensions"):
        plot.embedding(ROLL.points, dimensions=4)
    with pytest.raises(ValueError, match="projection='3d'"):
        plot.embedding(ROLL.points, dimensions=3, axes=plot.figure(2.0, 2.0).add_subplot())


def test_a_notebook_shows_a_figure_by_itself():
    assert plot.embedding(MODEL)._repr_png_().startswith(b"\x89PNG")
    assert plot.scree(MODEL)._repr_png_().startswith(b"\x89PNG")


def test_a_dark_figure_has_light_words_and_the_same_marks():
    figure = plot.embedding(with_strays(), np.array(["a", "b", ""] * 167 + ["a", "b"]), title="map")
    before = dots(figure.axes[0])
    assert plot.darken(figure) is figure
    assert sum(figure.get_facecolor()[:3]) < 0.6
    for text in figure.findobj(Text):
        if text.get_text():
            assert sum(to_rgba(text.get_color())[:3]) > 1.5, text.get_text()
    np.testing.assert_array_equal(dots(figure.axes[0]), before)
    painted = plot.darken(plot.embedding(MODEL, ROLL.color)).axes[0].collections[0]
    assert sum(painted.get_cmap()(0.0)[:3]) > 0.8  # the dark end of the scale is left out
    drawn(figure)


def in_lab(color, seen):
    """CIELAB of a color as some eyes see it (matrix of Machado et al. 2009 on linear RGB)."""
    given = np.array(to_rgba(color)[:3])
    linear = np.where(given <= 0.04045, given / 12.92, ((given + 0.055) / 1.055) ** 2.4)
    linear = np.clip(np.array(seen) @ linear, 0.0, 1.0)
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    xyz = to_xyz @ linear / [0.9505, 1.0, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize(
    "seen",
    [
        np.eye(3),
        [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
        [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
        [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
    ],
    ids=["all cones", "deuteranopia", "protanopia", "tritanopia"],
)
def test_everybody_tells_the_categories_apart(seen):
    colors = [in_lab(color, seen) for color in CATEGORIES]
    gaps = [np.linalg.norm(a - b) for i, a in enumerate(colors) for b in colors[:i]]
    assert min(gaps) > 15


def test_a_key_says_what_all_pictures_mean():
    words = ["b", "a", "b", "", "class 10", "class 2"]
    found = plot.key(words)
    assert [entry.name for entry in found.entries] == ["a", "b", "class 2", "class 10", "(empty)"]
    drawn = plot.embedding(np.arange(12.0).reshape(6, 2), words).axes[0]
    handles, names = drawn.get_legend_handles_labels()
    assert names == [entry.name for entry in found.entries]
    for handle, entry in zip(handles, found.entries, strict=True):
        assert to_hex(handle.get_facecolor()[0]) == entry.day
    values = np.r_[np.linspace(0.0, 1.0, 99), 80.0]
    scale = plot.key(values)
    assert (scale.low, scale.above, scale.below) == (0.0, 1, 0)
    assert scale.high < 2.0  # one extreme value does not take the colours of all others
    assert scale.day[0] == to_hex(colormaps["viridis"](0.0))
    assert scale.night[0] != scale.day[0]
    assert plot.key(values, limits=(0.0, 5.0)).high == 5.0
    assert plot.key(None) is None


def test_a_picture_without_its_key_is_the_same_map():
    places = np.random.default_rng(0).normal(size=(50, 2))
    alone = plot.embedding(places, places[:, 0], show_key=False)
    assert len(alone.axes) == 1
    assert len(plot.embedding(places, places[:, 0]).axes) == 2
    score = quality.trustworthiness(places, places)
    assert len(plot.trust(places, score, show_key=False).axes) == 1
