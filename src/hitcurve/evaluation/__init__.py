"""The conductor, and what it hands over."""

from __future__ import annotations

from hitcurve.evaluation.conduct import Doubt, compare, evaluate, evaluate_groups, evaluate_source, plan
from hitcurve.evaluation.grouped import MEAN_COLUMNS, GroupedEvaluation
from hitcurve.evaluation.profile import Profile
from hitcurve.evaluation.result import COLUMNS, Evaluation

__all__ = [
    "COLUMNS",
    "MEAN_COLUMNS",
    "Doubt",
    "Evaluation",
    "GroupedEvaluation",
    "Profile",
    "compare",
    "evaluate",
    "evaluate_groups",
    "evaluate_source",
    "plan",
]
