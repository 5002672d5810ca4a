"""S1: faces and digits by Isomap and LLE, and what tells the methods apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import datasets, distances, plot, quality
from ...methods import LLE, PCA, Isomap
from ..data import Table
from ..drawing import panels
from ..outcome import Outcome, follows, measured, outcome
from ..registry import item


@item(
    "S1.faces-by-isomap",
    "Facial pose and light",
    "Isomap, example: facial pose",
    needs=["isomap_faces_32x32"],
)
def faces_by_isomap(faces: Table) -> Outcome:
    """698 images of a head with two pose angles and a light: three coordinates that are these."""
    images = faces["x"].astype(float)
    model = Isomap(3, n_neighbors=6).fit(images)
    found = quality.explained_by(model.embedding_, faces["pose_light"])
    linear = quality.explained_by(PCA(3).fit(images).embedding_, faces["pose_light"])
    light, turn, nod = (float(value) for value in found)
    return outcome(
        follows("images", "698", len(images)),
        measured("R^2 of the left-right pose", "a coordinate of the map", turn, at_least=0.95),
        measured("R^2 of the up-down pose", "a coordinate of the map", nod, at_least=0.75),
        measured("R^2 of the light", "a coordinate of the map", light, at_least=0.8),
        measured(
            "R^2 of the up-down pose, PCA", "linear methods miss it", float(linear[2]), at_most=0.4
        ),
        draw=lambda: _images(model.embedding_[:, :2], images.reshape(-1, 32, 32), "pose by Isomap"),
    )


def _images(places: Any, images: Any, title: str) -> Any:
    return plot.thumbnails(places, images, title=title)


@item(
    "S1.digits-by-isomap",
    "Handwritten twos",
    "Isomap, example: handwritten digits",
    needs=["mnist"],
    slow=True,
)
def digits_by_isomap(mnist: Table) -> Outcome:
    """1,000 twos: the map is ordered by the top arch and the bottom loop, which are measured here
    as shares of ink, and by slant."""
    twos = mnist["x_train"][mnist["y_train"] == 2][:1000].reshape(-1, 28, 28) / 255.0
    points = twos.reshape(1000, -1)
    model = Isomap(2, n_neighbors=6).fit(points)
    ink = twos.sum(axis=(1, 2))
    arch = twos[:, :10].sum(axis=(1, 2)) / ink
    loop = twos[:, 16:, :12].sum(axis=(1, 2)) / ink
    shapes = np.column_stack([arch, loop, _slant(twos)])
    found = quality.explained_by(model.embedding_, shapes)
    linear = PCA(2).fit(points)
    return outcome(
        measured("R^2 of the ink in the top arch", "top arch", float(found[0]), at_least=0.4),
        measured("R^2 of the ink in the bottom loop", "bottom loop", float(found[1]), at_least=0.4),
        measured("R^2 of the slant", "orders the images", float(found[2]), at_least=0.45),
        measured(
            "trustworthiness less that of PCA",
            "a nonlinear structure",
            quality.trustworthiness(points, model.embedding_).value
            - quality.trustworthiness(points, linear.embedding_).value,
            at_least=0.005,
        ),
        draw=lambda: _images(model.embedding_, 1 - twos, "twos by Isomap"),
    )


def _slant(images: Any) -> Any:
    """Return how far the ink moves sideways for each row down."""
    rows, columns = np.mgrid[: images.shape[1], : images.shape[2]]
    ink = images.sum(axis=(1, 2))
    down = rows - ((images * rows).sum(axis=(1, 2)) / ink)[:, None, None]
    across = columns - ((images * columns).sum(axis=(1, 2)) / ink)[:, None, None]
    return (images * down * across).sum(axis=(1, 2)) / (images * down**2).sum(axis=(1, 2))


@item(
    "S1.faces-by-lle", "Facial expression", "LLE, example: facial expression", needs=["frey_faces"]
)
def faces_by_lle(frey: Table) -> Outcome:
    """1,965 frames of a video: frames that follow each other lie together, although the map was
    not told their order, and neighbourhoods are kept better than by PCA."""
    images = frey["x"].astype(float)
    places = LLE(2, n_neighbors=12).fit_transform(images)
    linear = PCA(2).fit_transform(images)
    random = np.random.default_rng(0).permutation(len(images))
    return outcome(
        measured(
            "step between frames over that between random ones",
            "a path of expressions",
            _step(places) / _step(places[random]),
            at_most=0.2,
        ),
        measured(
            "trustworthiness less that of PCA",
            "preserves local geometry",
            quality.trustworthiness(images, places, 12).value
            - quality.trustworthiness(images, linear, 12).value,
            at_least=0.02,
        ),
        draw=lambda: _images(places, images.reshape(-1, 28, 20), "expression by LLE"),
    )


def _step(places: Any) -> float:
    return float(np.linalg.norm(np.diff(places, axis=0), axis=1).mean())


@item("S1.lle-as-an-eigenproblem", "LLE in matrix form, and its new points", "Another take on LLE")
def lle_as_an_eigenproblem() -> Outcome:
    """With rows of weights that sum to one the cost is |Z - Z W'|, the trace of Z M Z'. A new point
    is combined by its own weights."""
    sample = datasets.s_curve(300, seed=12)
    model = LLE(2, n_neighbors=10).fit(sample.points)
    z = model.embedding_.T
    w = np.eye(300) - model.matrix_.toarray()
    m = (np.eye(300) - w).T @ (np.eye(300) - w)
    cost = np.trace(z @ m @ z.T)
    new = datasets.s_curve(50, seed=13)
    both = quality.align(sample.coordinates, model.embedding_)
    gap = np.linalg.norm(model.transform(new.points) - both.apply(new.coordinates), axis=1)
    own = np.linalg.norm(model.embedding_ - both.aligned, axis=1)
    return outcome(
        measured(
            "rows of W sum to one, gap",
            "sum over j of w_ij = 1",
            float(np.abs(w.sum(axis=1) - 1).max()),
            at_most=1e-10,
        ),
        measured(
            "|Z - Z W'|^2 over tr(Z M Z'), less one",
            "0: the cost with W transposed",
            abs(np.square(z - z @ w.T).sum() / cost - 1),
            at_most=1e-6,
        ),
        measured(
            "|Z - Z W|^2 over tr(Z M Z')",
            "1",
            float(np.square(z - z @ w).sum() / cost),
            at_least=10.0,
            erratum="S1-lle-transposed",
            claimed=1.0,
        ),
        measured(
            "distance of new points from the truth over that of fitted ones, median",
            "out-of-sample extension",
            float(np.median(gap) / np.median(own)),
            at_most=1.5,
        ),
    )


@item(
    "S1.global-and-local",
    "Isomap keeps global distances, LLE local ones",
    "Kernel PCA, Isomap, and LLE",
)
def global_and_local() -> Outcome:
    """On the same roll: Isomap's long distances are right and LLE's are not, so that points far
    away can be mapped close; within neighbourhoods both keep who is near."""
    sample = datasets.swiss_roll(1000, seed=14)
    isomap = Isomap(2, n_neighbors=10).fit_transform(sample.points)
    lle = LLE(2, n_neighbors=10).fit_transform(sample.points)
    true = distances.pairwise_distances(sample.coordinates, sample.coordinates)
    kept = {
        name: quality.shepard(true, places, metric="precomputed").value
        for name, places in (("Isomap", isomap), ("LLE", lle))
    }
    return outcome(
        measured(
            "rank correlation of all distances, Isomap",
            "global distance preservation",
            kept["Isomap"],
            at_least=0.99,
        ),
        measured(
            "the same, LLE less Isomap",
            "can distort global geometry",
            kept["LLE"] - kept["Isomap"],
            at_most=-0.02,
        ),
        measured(
            "intruders among neighbours (1 - trustworthiness), LLE over Isomap",
            "far away points can get mapped close",
            _intruders(sample.coordinates, lle) / _intruders(sample.coordinates, isomap),
            at_least=3.0,
        ),
        draw=lambda: panels({"Isomap": isomap, "LLE": lle}, sample.color),
    )


def _intruders(truth: Any, places: Any) -> float:
    return 1.0 - quality.trustworthiness(truth, places).value
