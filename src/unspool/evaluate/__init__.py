"""Which map to trust (``compare``), what to change (``diagnose``), what it costs (``plan``)."""

from .candidates import usual_methods
from .checks import Measure
from .compare import compare
from .comparison import Comparison, Outcome
from .diagnose import Diagnosis, diagnose
from .evidence import Case
from .plan import Plan, plan, this_machine

__all__ = [
    "Case",
    "Comparison",
    "Diagnosis",
    "Measure",
    "Outcome",
    "Plan",
    "compare",
    "diagnose",
    "plan",
    "this_machine",
    "usual_methods",
]
