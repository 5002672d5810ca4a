"""The main job: which map to trust (``compare``), what to change (``diagnose``), what it costs
(``plan``).
"""

from .candidates import usual_methods
from .checks import Measure
from .compare import compare
from .comparison import Comparison, Outcome
from .diagnose import Diagnosis, diagnose
from .plan import Plan, plan

__all__ = [
    "Comparison",
    "Diagnosis",
    "Measure",
    "Outcome",
    "Plan",
    "compare",
    "diagnose",
    "plan",
    "usual_methods",
]
