"""Gulcu 2011, slides on Belkin and Niyogi 2001: the three examples, bars, words and speech."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import datasets, quality
from ..methods import PCA, LaplacianEigenmaps
from .checks import Outcome, measured, mostly, outcome, printed, share_of_own
from .pages import canvas, groups, named
from .runner import Table, item, shifted


@item("S2.example-bars", "A toy vision example: bars", "Example 1, Figure 1")
def example_bars() -> Outcome:
    """1,000 images of 40 x 40 pixels, each with a vertical or a horizontal bar, drawn five times.
    The eigenmap shows two strokes, one for each kind, ordered by where the bar is; two principal
    components mix them."""
    samples = [datasets.bars(1000, seed=shifted(seed)) for seed in range(5)]
    methods = (LaplacianEigenmaps(2, n_neighbors=15, weights="binary"), PCA(2))
    local, linear = (
        [method.fit_transform(sample.points) for sample in samples] for method in methods
    )
    apart, mixed = (
        [share_of_own(found, s.color, count=10) for s, found in zip(samples, maps, strict=True)]
        for maps in (local, linear)
    )
    return outcome(
        printed("images", "1000", len(samples[0].points)),
        printed("pixels", "1600", samples[0].points.shape[1]),
        mostly(
            "neighbours of the same kind, eigenmaps",
            "dots and + signs apart",
            apart,
            at_least=0.97,
            share=0.8,
        ),
        mostly("the same, principal components", "mixed", mixed, at_most=0.87),
        mostly(
            "R^2 of the bar's place across, within a kind",
            "ordered by place",
            [_ordered(sample, places) for sample, places in zip(samples, local, strict=True)],
            at_least=0.8,
            share=0.8,
        ),
        draw=lambda: _bars(samples[0], local[0], linear[0]),
    )


def _ordered(sample: Any, places: Any) -> float:
    """Return how much the map explains of where a bar is, for the kind that it tells less of."""
    kinds = (sample.color == 0, sample.color == 1)
    return float(
        min(quality.explained_by(places[own], sample.coordinates[own]).max() for own in kinds)
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
