"""The table of methods: what each needs, what it gives, and where the texts describe it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Entry:
    """One method: its class, its input, what its map keeps, and its place in the literature."""

    name: str
    cls: str
    title: str
    family: str
    needs: str
    gives: str
    reference: str

    @property
    def page(self) -> str:
        """Name of the method's page in the documentation."""
        return self.name

    def load(self) -> Any:
        """Return the class."""
        module, _, name = self.cls.rpartition(".")
        return getattr(import_module(module), name)


_ENTRIES = (
    Entry(
        "pca",
        "unspool.methods.PCA",
        "Principal component analysis",
        "gram",
        "points",
        "the flat map of largest variance",
        "Pearson 1901; S1, S3 15.1",
    ),
    Entry(
        "kernel-pca",
        "unspool.methods.KernelPCA",
        "Kernel PCA",
        "gram",
        "points or a kernel table",
        "PCA in the feature space of a kernel",
        "Schölkopf, Smola, Müller 1998; S0 4.1, S3 15.2, S4 16.5",
    ),
    Entry(
        "classical-mds",
        "unspool.methods.ClassicalMDS",
        "Classical multidimensional scaling",
        "gram",
        "points or distances",
        "points with about the given distances",
        "Torgerson 1952; S0 4.2.1, S1, S4 16.6",
    ),
    Entry(
        "isomap",
        "unspool.methods.Isomap",
        "Isomap",
        "gram",
        "points, distances or a graph",
        "distances along the manifold",
        "Tenenbaum, de Silva, Langford 2000; S1, S3 15.3.1, S4 16.6.3",
    ),
    Entry(
        "lle",
        "unspool.methods.LLE",
        "Locally linear embedding",
        "alignment",
        "points or distances",
        "how each point is rebuilt from its neighbours",
        "Roweis, Saul 2000; S0 4.2.3, S3 15.3.3, S4 16.6.4",
    ),
    Entry(
        "laplacian-eigenmaps",
        "unspool.methods.LaplacianEigenmaps",
        "Laplacian eigenmaps",
        "laplacian",
        "points, distances or a graph",
        "neighbours stay neighbours",
        "Belkin, Niyogi 2001; S0 4.2.2, S2, S4 16.6.5",
    ),
)

METHODS: dict[str, Entry] = {entry.name: entry for entry in _ENTRIES}


def find(name: str) -> Entry:
    """Return the entry called ``name`` (``isomap``) or whose class is ``name`` (``Isomap``)."""
    for entry in _ENTRIES:
        if name in (entry.name, entry.cls.rpartition(".")[2]):
            return entry
    raise ValueError(f"no method {name!r}; there are: {', '.join(METHODS)}")
