"""The conductor, and what it hands over."""

from __future__ import annotations

from hitcurve.evaluation.conduct import evaluate, evaluate_source
from hitcurve.evaluation.result import COLUMNS, Evaluation

__all__ = ["COLUMNS", "Evaluation", "evaluate", "evaluate_source"]
