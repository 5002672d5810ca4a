"""How points relate: each relation states its eigenproblem and gives the rows of query points."""

from .geodesic import geodesic_gram
from .nystroem import GivenTable, NystroemMap, choose_landmarks, fit_nystroem
from .shared import edges_of, listed, searched, undirected

__all__ = [
    "GivenTable",
    "NystroemMap",
    "choose_landmarks",
    "edges_of",
    "fit_nystroem",
    "geodesic_gram",
    "listed",
    "searched",
    "undirected",
]
