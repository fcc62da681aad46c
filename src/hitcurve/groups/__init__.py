"""Many rankings at once: folds, targets, queries, reviews. Means over them, tests across them, average curves."""

from __future__ import annotations

from hitcurve.groups.across import METHODS, across
from hitcurve.groups.average import ALONG, AverageCurve, average_curve, pooled_curve
from hitcurve.groups.folds import Folds
from hitcurve.groups.mean import GroupMean
from hitcurve.groups.power import GroupPower, plan_groups
from hitcurve.groups.together import residual_deviation, seed_of_range, tukey

__all__ = [
    "ALONG",
    "METHODS",
    "AverageCurve",
    "Folds",
    "GroupMean",
    "GroupPower",
    "across",
    "average_curve",
    "plan_groups",
    "pooled_curve",
    "residual_deviation",
    "seed_of_range",
    "tukey",
]
