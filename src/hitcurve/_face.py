"""The public names, and nothing else."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import hitcurve.datasets as datasets
import hitcurve.errors as errors
import hitcurve.magnify as magnify
import hitcurve.metrics as metrics
import hitcurve.rates as rates
from hitcurve._progress import progress
from hitcurve.confusion import Confusion
from hitcurve.counts import Counts
from hitcurve.curve import Curve
from hitcurve.curves import (
    accumulation_curve,
    cac_curve,
    croc_curve,
    det_curve,
    hit_curve,
    lift_curve,
    pac_curve,
    precision_recall_curve,
    prg_curve,
    proc_curve,
    rate_accuracy_curve,
    rate_recall_curve,
    roc_curve,
)
from hitcurve.evaluation import (
    Drift,
    Evaluation,
    GroupedEvaluation,
    Sensitivity,
    SequentialComparison,
    SequentialHits,
    TrecEvaluation,
    compare,
    count_tables,
    drift,
    evaluate,
    evaluate_cv_results,
    evaluate_trec,
    from_json,
    power_analysis,
)
from hitcurve.fusion import fuse_scores
from hitcurve.groups import AverageCurve, average_curve
from hitcurve.inference import (
    Band,
    CertifiedCut,
    CertifiedCuts,
    Comparison,
    Comparisons,
    ConfidenceInterval,
    Contrast,
    Contrasts,
    Covariance,
    DecisionCurve,
    Estimate,
    LargestEnrichment,
    PowerAnalysis,
    SampledCurve,
    Stopping,
    Winner,
    band,
    bootstrap,
    compare_from_stats,
    difference_band,
    smooth_precision_recall,
    smooth_roc,
    stopping,
)
from hitcurve.metrics import (
    Metric,
    metric,
    preset,
    rank_weights,
    scorer,
    trec_metric,
)
from hitcurve.quasi_concave import QuasiConcave, fit_quasi_concave
from hitcurve.queries import sql
from hitcurve.sources.trec import read_qrels, read_trec_run
from hitcurve.sources.trec_subtopics import read_subtopics
from hitcurve.stack import TableStack
from hitcurve.table import HitTable
from hitcurve.tables import Tables, load_table, load_tables

if TYPE_CHECKING:
    import hitcurve.plot as plot  # loaded when it is asked for
    from hitcurve.evaluation.meta import MetaAnalysis, meta_analysis
    from hitcurve.readers import RatingPoint, ReaderStudy, evaluate_readers
    from hitcurve.report import report  # as the room that can be called
    from hitcurve.report.superscripts import superscripts
    from hitcurve.report.trec import write_qrels, write_trec_run
    from hitcurve.screens import GroupScreens, Screen, marker_score, screen, screen_one_vs_rest
    from hitcurve.survival import HorizonEvaluation, OverTime, SurvivalEvaluation, evaluate_survival, survival_scorer
else:
    # rooms that are loaded when one of their names is asked for
    _LATER = {
        "evaluation.meta": ("MetaAnalysis", "meta_analysis"),
        "readers": ("RatingPoint", "ReaderStudy", "evaluate_readers"),
        "report.superscripts": ("superscripts",),
        "report.trec": ("write_qrels", "write_trec_run"),
        "screens": ("GroupScreens", "Screen", "marker_score", "screen", "screen_one_vs_rest"),
        "survival": ("HorizonEvaluation", "OverTime", "SurvivalEvaluation", "evaluate_survival", "survival_scorer"),
    }
    _ROOM = {name: f"hitcurve.{room}" for room, names in _LATER.items() for name in names}

    def __getattr__(name):
        """Return a name of a room that is loaded when it is asked for."""
        if name not in _ROOM:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_ROOM[name]), name)


__all__ = [
    "AverageCurve",
    "Band",
    "CertifiedCut",
    "CertifiedCuts",
    "Comparison",
    "Comparisons",
    "ConfidenceInterval",
    "Confusion",
    "Contrast",
    "Contrasts",
    "Counts",
    "Covariance",
    "Curve",
    "DecisionCurve",
    "Drift",
    "Estimate",
    "Evaluation",
    "GroupScreens",
    "GroupedEvaluation",
    "HitTable",
    "HorizonEvaluation",
    "LargestEnrichment",
    "MetaAnalysis",
    "Metric",
    "OverTime",
    "PowerAnalysis",
    "QuasiConcave",
    "RatingPoint",
    "ReaderStudy",
    "SampledCurve",
    "Screen",
    "Sensitivity",
    "SequentialComparison",
    "SequentialHits",
    "Stopping",
    "SurvivalEvaluation",
    "TableStack",
    "Tables",
    "TrecEvaluation",
    "Winner",
    "accumulation_curve",
    "average_curve",
    "band",
    "bootstrap",
    "cac_curve",
    "compare",
    "compare_from_stats",
    "count_tables",
    "croc_curve",
    "datasets",
    "det_curve",
    "difference_band",
    "drift",
    "errors",
    "evaluate",
    "evaluate_cv_results",
    "evaluate_readers",
    "evaluate_survival",
    "evaluate_trec",
    "fit_quasi_concave",
    "from_json",
    "fuse_scores",
    "hit_curve",
    "lift_curve",
    "load_table",
    "load_tables",
    "magnify",
    "marker_score",
    "meta_analysis",
    "metric",
    "metrics",
    "pac_curve",
    "plot",
    "power_analysis",
    "precision_recall_curve",
    "preset",
    "prg_curve",
    "proc_curve",
    "progress",
    "rank_weights",
    "rate_accuracy_curve",
    "rate_recall_curve",
    "rates",
    "read_qrels",
    "read_subtopics",
    "read_trec_run",
    "report",
    "roc_curve",
    "scorer",
    "screen",
    "screen_one_vs_rest",
    "smooth_precision_recall",
    "smooth_roc",
    "sql",
    "stopping",
    "superscripts",
    "survival_scorer",
    "trec_metric",
    "write_qrels",
    "write_trec_run",
]
