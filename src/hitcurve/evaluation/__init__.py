"""The conductor, and what it hands over."""

from __future__ import annotations

from hitcurve.evaluation.conduct import Doubt, compare, evaluate, evaluate_source, plan
from hitcurve.evaluation.result import COLUMNS, Evaluation

__all__ = ["COLUMNS", "Doubt", "Evaluation", "compare", "evaluate", "evaluate_source", "plan"]
