"""Pictures with matplotlib, drawn from results: values, intervals and bands are those of the evaluation.

Every function takes its axes as ``ax`` and returns them; new ones are made if there are none. Nothing is shown or
saved, and no setting of matplotlib is changed. Lines are off by no more than 1/2000 of the height of the axes, however
many subjects there are.
"""

from __future__ import annotations

from hitcurve.plot.averages import average_curve, small_multiples
from hitcurve.plot.bands import band, difference_band
from hitcurve.plot.by_day import drift
from hitcurve.plot.by_name import curve
from hitcurve.plot.by_rank import rank_weights
from hitcurve.plot.decision import decision, decision_difference
from hitcurve.plot.display import CurveDisplay
from hitcurve.plot.draw import CurveOptions
from hitcurve.plot.forest import intervals
from hitcurve.plot.forests import forest
from hitcurve.plot.magnified import cac, croc
from hitcurve.plot.maps import magnification
from hitcurve.plot.markers import markers, rank_changes, volcano
from hitcurve.plot.over_fpr import proc, roc
from hitcurve.plot.over_groups import groups, heatmap, wins
from hitcurve.plot.over_rate import accumulation, hit, lift, pac, rate_accuracy, rate_recall
from hitcurve.plot.over_recall import precision_recall
from hitcurve.plot.over_time import difference_over_time, over_time
from hitcurve.plot.prevalence import prevalence_profile
from hitcurve.plot.readers import reader_curves, reader_differences, variance_components
from hitcurve.plot.scores import score_distribution
from hitcurve.plot.tradeoffs import ap_versus_auc, momentum

__all__ = [
    "CurveDisplay",
    "CurveOptions",
    "accumulation",
    "ap_versus_auc",
    "average_curve",
    "band",
    "cac",
    "croc",
    "curve",
    "decision",
    "decision_difference",
    "difference_band",
    "difference_over_time",
    "drift",
    "forest",
    "groups",
    "heatmap",
    "hit",
    "intervals",
    "lift",
    "magnification",
    "markers",
    "momentum",
    "over_time",
    "pac",
    "precision_recall",
    "prevalence_profile",
    "proc",
    "rank_changes",
    "rank_weights",
    "rate_accuracy",
    "rate_recall",
    "reader_curves",
    "reader_differences",
    "roc",
    "score_distribution",
    "small_multiples",
    "variance_components",
    "volcano",
    "wins",
]
