"""The conductor, and what it hands over."""

from __future__ import annotations

from hitcurve.evaluation.conduct import (
    Doubt,
    compare,
    evaluate,
    evaluate_cv_results,
    evaluate_groups,
    evaluate_source,
    plan,
)
from hitcurve.evaluation.grouped import MEAN_COLUMNS, GroupedEvaluation
from hitcurve.evaluation.profile import Profile
from hitcurve.evaluation.result import COLUMNS, Evaluation
from hitcurve.evaluation.trec import TREC_DEFAULT, TopicCounts, TrecEvaluation, evaluate_trec

__all__ = [
    "COLUMNS",
    "MEAN_COLUMNS",
    "TREC_DEFAULT",
    "Doubt",
    "Evaluation",
    "GroupedEvaluation",
    "Profile",
    "TopicCounts",
    "TrecEvaluation",
    "compare",
    "evaluate",
    "evaluate_cv_results",
    "evaluate_groups",
    "evaluate_source",
    "evaluate_trec",
    "plan",
]
