"""What a new point looks like to the old ones, where it goes, and the way back."""

from .inverse import gaussian_preimage, interpolate, neighbors_needed
from .placing import Chart, place
from .rows import geodesic_rows, walk_rows

__all__ = [
    "Chart",
    "gaussian_preimage",
    "geodesic_rows",
    "interpolate",
    "neighbors_needed",
    "place",
    "walk_rows",
]
