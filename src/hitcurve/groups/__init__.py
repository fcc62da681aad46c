"""Many rankings at once: folds, targets, queries, reviews. Means over them, tests across them, consensus curves."""

from __future__ import annotations

from hitcurve.groups.across import METHODS, across
from hitcurve.groups.consensus import AVERAGES, Consensus, consensus, pooled_curve
from hitcurve.groups.mean import GroupMean

__all__ = [
    "AVERAGES",
    "METHODS",
    "Consensus",
    "GroupMean",
    "across",
    "consensus",
    "pooled_curve",
]
