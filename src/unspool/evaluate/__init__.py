"""Which map to trust (``compare``), what to change (``diagnose``), what it costs (``plan``)."""

from .candidates import usual_methods
from .checks import (
    Measure,
    continuity,
    convergence,
    distortion,
    eigengap,
    landmarks,
    negative_eigenvalues,
    pieces,
    residual_variance,
    short_circuits,
    stress,
    trustworthiness,
)
from .compare import compare
from .comparison import Comparison, Outcome
from .diagnose import Diagnosis, diagnose
from .evidence import Case
from .plan import Machine, Plan, plan, this_machine
from .summary import Summary, summarize

__all__ = [
    "Case",
    "Comparison",
    "Diagnosis",
    "Machine",
    "Measure",
    "Outcome",
    "Plan",
    "Summary",
    "compare",
    "continuity",
    "convergence",
    "diagnose",
    "distortion",
    "eigengap",
    "landmarks",
    "negative_eigenvalues",
    "pieces",
    "plan",
    "residual_variance",
    "short_circuits",
    "stress",
    "summarize",
    "this_machine",
    "trustworthiness",
    "usual_methods",
]
