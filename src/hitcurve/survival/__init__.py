"""Outcomes that are still to come: rankers of subjects some of whom are censored, and competing events."""

from __future__ import annotations

from hitcurve.survival.api import evaluate_survival
from hitcurve.survival.horizon import HorizonEvaluation, SurvivalEstimate
from hitcurve.survival.line import OverTime
from hitcurve.survival.planning import SurvivalPower
from hitcurve.survival.result import SurvivalEvaluation
from hitcurve.survival.scorer import SurvivalScorer, survival_scorer

__all__ = [
    "HorizonEvaluation",
    "OverTime",
    "SurvivalEstimate",
    "SurvivalEvaluation",
    "SurvivalPower",
    "SurvivalScorer",
    "evaluate_survival",
    "survival_scorer",
]
