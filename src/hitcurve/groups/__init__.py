"""Many rankings at once: folds, targets, queries, reviews. Means over them, tests across them, consensus curves."""

from __future__ import annotations

from hitcurve.groups.across import METHODS, GroupComparison, across, unpaired_summaries
from hitcurve.groups.consensus import AVERAGES, Consensus, consensus, pooled_curve
from hitcurve.groups.mean import GroupMean

__all__ = [
    "AVERAGES",
    "METHODS",
    "Consensus",
    "GroupComparison",
    "GroupMean",
    "across",
    "consensus",
    "pooled_curve",
    "unpaired_summaries",
]
