"""Outcomes that are still to come: rankers of subjects some of whom are censored, and competing events."""

from __future__ import annotations

from hitcurve.survival.api import evaluate_survival
from hitcurve.survival.horizon import HorizonEvaluation, SurvivalEstimate
from hitcurve.survival.result import SurvivalEvaluation

__all__ = ["HorizonEvaluation", "SurvivalEstimate", "SurvivalEvaluation", "evaluate_survival"]
