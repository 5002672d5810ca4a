"""Principal surfaces: smooth sheets, the projection onto them, and parameters that do not fold.

The two-dimensional (and higher) principal curve of S4 16.3.5: project onto the sheet, make the
parameters nearly isometric again, smooth the data over them; again.
"""

from .fit import Fitted, Settings, fit_surface
from .parametrize import PARAMETRIZATIONS, count_folds, count_tears
from .sheet import Sheet, smooth_sheet

__all__ = [
    "PARAMETRIZATIONS",
    "Fitted",
    "Settings",
    "Sheet",
    "count_folds",
    "count_tears",
    "fit_surface",
    "smooth_sheet",
]
