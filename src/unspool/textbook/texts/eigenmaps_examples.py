"""Gulcu 2011, slides on Belkin and Niyogi 2001: the three examples, bars, words and speech."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import datasets, quality
from ...methods import PCA, LaplacianEigenmaps
from ..checks import Outcome, measured, outcome, printed
from ..comparing import share_of_own
from ..drawing import canvas, groups, named
from ..registry import item
from ..runner import Table


@item("S2.example-bars", "A toy vision example: bars", "Example 1, Figure 1")
def example_bars() -> Outcome:
    """1,000 images of 40 x 40 pixels, each with a vertical or a horizontal bar. The eigenmap shows
    two strokes, one for each kind, ordered by where the bar is; two principal components mix
    them."""
    sample = datasets.bars(1000, seed=0)
    model = LaplacianEigenmaps(2, n_neighbors=20, weights="binary").fit(sample.points)
    linear = PCA(2).fit(sample.points)
    vertical = sample.color == 0
    across = [
        quality.explained_by(model.embedding_[own], sample.coordinates[own]).max()
        for own in (vertical, ~vertical)
    ]
    return outcome(
        printed("images", "1000", len(sample.points)),
        printed("pixels", "1600", sample.points.shape[1]),
        measured(
            "neighbours of the same kind, eigenmaps",
            "dots and + signs apart",
            share_of_own(model.embedding_, sample.color, count=10),
            at_least=0.99,
        ),
        measured(
            "the same, principal components",
            "mixed",
            share_of_own(linear.embedding_, sample.color, count=10),
            at_most=0.85,
        ),
        measured(
            "R^2 of the bar's place across, within a kind",
            "ordered by place",
            float(min(across)),
            at_least=0.95,
        ),
        draw=lambda: _bars(sample, model.embedding_, linear.embedding_),
    )


def _bars(sample: Any, places: Any, linear: Any) -> Any:
    figure, panels = canvas(1, 3)
    first = [int(np.flatnonzero(sample.color == kind)[0]) for kind in (0, 1)]
    panels[0].imshow(np.hstack(sample.points[first].reshape(2, 40, 40)), cmap="gray_r")
    kinds = np.where(sample.color == 0, "vertical", "horizontal")
    groups(panels[1], places, kinds, "Laplacian eigenmaps")
    groups(panels[2], linear, kinds, "principal components", numbers=False)
    return figure


def _word_classes(tags: Any) -> Any:
    """Return the three kinds that Figure 3 shows: infinitives, prepositions, auxiliaries."""
    auxiliary = (tags == "md") | np.isin(np.char.ljust(tags, 2).astype("<U2"), ["be", "hv", "do"])
    return np.select(
        [tags == "vb", tags == "in", auxiliary], ["infinitive", "preposition", "auxiliary"], "other"
    )


@item(
    "S2.example-words",
    "300 words of the Brown corpus",
    "Example 2, Figures 2 and 3",
    needs=["brown_bigrams_300"],
)
def example_words(brown: Table) -> Outcome:
    """Each word is what stands left and right of it, 600 counts; the root of their shares tames
    frequent words. Infinitives, prepositions and auxiliaries form fragments of the map."""
    counts = brown["x"].astype(float)
    points = np.sqrt(counts / counts.sum(axis=1, keepdims=True))
    kinds = _word_classes(brown["tag"])
    places = LaplacianEigenmaps(2, n_neighbors=14, weights="binary").fit_transform(points)
    linear = PCA(2).fit_transform(points)
    fragments = ("infinitive", "preposition", "auxiliary")
    return outcome(
        printed("words", "300", counts.shape[0]),
        printed("neighbour counts", "600", counts.shape[1]),
        [
            measured(
                f"share of {kind} neighbours of a word that is {kind}, over chance",
                "syntactic structure is well-preserved",
                share_of_own(places, kinds, kind) / float(np.mean(kinds == kind)),
                at_least=6.0,
            )
            for kind in fragments
        ],
        measured(
            "neighbours of the same kind, eigenmaps less principal components",
            "in the spectral domain",
            float(
                np.mean(
                    [
                        share_of_own(places, kinds, k) - share_of_own(linear, kinds, k)
                        for k in fragments
                    ]
                )
            ),
            at_least=0.15,
        ),
        draw=lambda: _words(places, brown["words"], kinds),
    )


def _words(places: Any, words: Any, kinds: Any) -> Any:
    figure, panels = canvas(2, 2, size=4.2)
    groups(panels[0], places, kinds, "300 words")
    for axes, kind in zip(panels[1:], ("infinitive", "preposition", "auxiliary"), strict=True):
        named(axes, places[kinds == kind], words[kinds == kind], f"{kind}s")
    return figure


FRICATIVES = ("s", "sh", "f")
CLOSURES = ("sil",)
STOPS = ("t", "k", "p", "b", "d", "g", "hh", "dh")  # closure and burst in one label


@item(
    "S2.example-speech",
    "A sentence, frame by frame",
    "Example 3, Figure 4",
    needs=["speech_arctic_a0009"],
)
def example_speech(speech: Table) -> Outcome:
    """Spectra of 30 ms every 5 ms. Fricatives, periodic sounds and closures form three clusters.
    The slides' sentence is not to be had; this one is of the same length and kind."""
    spectra = speech["stft_mag"].astype(float)
    points = np.log(spectra + 1e-3 * spectra.max())
    phones = speech["phone"]
    kinds = np.select(
        [np.isin(phones, FRICATIVES), np.isin(phones, CLOSURES)],
        ["fricative", "closure"],
        "periodic",
    )
    told = ~np.isin(phones, STOPS)
    places = LaplacianEigenmaps(2, n_neighbors=10).fit_transform(points)
    rate = float(speech["sample_rate"])
    return outcome(
        printed("Fourier coefficients", "256", spectra.shape[1]),
        measured(
            "samples in 30 ms, over those at 1 kHz",
            "sampled at 1 kHz",
            0.030 * rate / 30,
            at_least=8.5,
            erratum="S2-sample-rate",
            claimed=1.0,
        ),
        [
            measured(
                f"share of {kind} neighbours of a frame that is {kind}",
                "three main clusters",
                share_of_own(places[told], kinds[told], kind),
                at_least=bound,
            )
            for kind, bound in (("fricative", 0.7), ("closure", 0.9), ("periodic", 0.9))
        ],
        draw=lambda: _sounds(places[told], kinds[told], "614 frames of a sentence"),
    )


def _sounds(places: Any, kinds: Any, title: str) -> Any:
    figure, (axes,) = canvas(size=4.6)
    groups(axes, places, kinds, title)
    return figure


@item(
    "S2.example-phonemes",
    "Phonemes of many speakers",
    "Example 3, Figure 5",
    needs=["phoneme_timit"],
    slow=True,
)
def example_phonemes(phoneme: Table) -> Outcome:
    """The five phonemes sh, iy, dcl, aa, ao of 437 speakers saying one sentence: regions of the
    map are phonetically homogeneous; the vowels aa and ao are the ones that run together."""
    points, phones = phoneme["x"].astype(float), phoneme["y"]
    places = LaplacianEigenmaps(2, n_neighbors=12).fit_transform(points)
    own = {phone: share_of_own(places, phones, phone, 10) for phone in np.unique(phones)}
    linear = share_of_own(PCA(2).fit_transform(points), phones, count=10)
    return outcome(
        [
            measured(
                f"neighbours of {phone} that are {phone}",
                "phonetic homogeneity",
                own[phone],
                at_least=0.95,
            )
            for phone in ("sh", "iy", "dcl")
        ],
        measured(
            "the same of aa and ao, smaller",
            "vowels in dark and all",
            min(own["aa"], own["ao"]),
            at_least=0.5,
        ),
        measured(
            "the same of all, eigenmaps less principal components",
            "clusters",
            share_of_own(places, phones, count=10) - linear,
            at_least=0.05,
        ),
        draw=lambda: _sounds(places, phones, "five phonemes"),
    )
