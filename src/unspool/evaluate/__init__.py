"""Which map to trust (``compare``), what to change (``diagnose``), what it costs (``plan``)."""

from .compare import compare, usual_methods
from .comparison import Comparison, Outcome
from .diagnose import Diagnosis, diagnose
from .evidence import Evidence, Measure
from .map_checks import continuity, distortion, residual_variance, stress, trustworthiness
from .plan import Machine, Plan, plan, this_machine
from .solution_checks import (
    connected_components,
    convergence,
    eigengap,
    landmarks,
    negative_eigenvalues,
    short_circuits,
)
from .summary import Summary, summarize

__all__ = [
    "Comparison",
    "Diagnosis",
    "Evidence",
    "Machine",
    "Measure",
    "Outcome",
    "Plan",
    "Summary",
    "compare",
    "connected_components",
    "continuity",
    "convergence",
    "diagnose",
    "distortion",
    "eigengap",
    "landmarks",
    "negative_eigenvalues",
    "plan",
    "residual_variance",
    "short_circuits",
    "stress",
    "summarize",
    "this_machine",
    "trustworthiness",
    "usual_methods",
]
