"""Which map to trust (``compare``), what to change (``diagnose``), what it costs (``plan``)."""

from .compare import compare, usual_methods
from .comparison import Comparison, Outcome
from .diagnose import Diagnosis, diagnose
from .evidence import Evidence, Measure
from .plan import Plan, plan, this_machine
from .summary import Summary, summarize

__all__ = [
    "Comparison",
    "Diagnosis",
    "Evidence",
    "Measure",
    "Outcome",
    "Plan",
    "Summary",
    "compare",
    "diagnose",
    "plan",
    "summarize",
    "this_machine",
    "usual_methods",
]
