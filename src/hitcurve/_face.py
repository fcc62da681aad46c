"""The public names, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import hitcurve.datasets as datasets
import hitcurve.errors as errors
import hitcurve.magnify as magnify
import hitcurve.metrics as metrics
import hitcurve.rates as rates
from hitcurve.confusion import Confusion
from hitcurve.counts import Counts
from hitcurve.curve import (
    Curve,
    accumulation_curve,
    cac_curve,
    croc_curve,
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
    Evaluation,
    GroupedEvaluation,
    Sensitivity,
    TrecEvaluation,
    compare,
    evaluate,
    evaluate_cv_results,
    evaluate_trec,
    plan,
)
from hitcurve.fusion import fuse_scores
from hitcurve.groups import Consensus, GroupComparison, consensus, unpaired_summaries
from hitcurve.inference import (
    Band,
    Comparison,
    ConfidenceInterval,
    Estimate,
    Line,
    Plan,
    band,
    bootstrap,
    difference_band,
    smooth_precision_recall,
    smooth_roc,
    unpaired_difference,
)
from hitcurve.metrics import (
    Metric,
    metric,
    preset,
    scorer,
    trec_metric,
    worth,
)
from hitcurve.quasi_concave import QuasiConcave, fit_quasi_concave
from hitcurve.report.trec import write_qrels, write_trec_run
from hitcurve.sources.trec import read_qrels, read_trec_run
from hitcurve.table import HitTable

if TYPE_CHECKING:
    import hitcurve.plot as plot  # loaded when it is asked for
    from hitcurve.report import report  # as the room that can be called

__all__ = [
    "Band",
    "Comparison",
    "ConfidenceInterval",
    "Confusion",
    "Consensus",
    "Counts",
    "Curve",
    "Estimate",
    "Evaluation",
    "GroupComparison",
    "GroupedEvaluation",
    "HitTable",
    "Line",
    "Metric",
    "Plan",
    "QuasiConcave",
    "Sensitivity",
    "TrecEvaluation",
    "accumulation_curve",
    "band",
    "bootstrap",
    "cac_curve",
    "compare",
    "consensus",
    "croc_curve",
    "datasets",
    "difference_band",
    "errors",
    "evaluate",
    "evaluate_cv_results",
    "evaluate_trec",
    "fit_quasi_concave",
    "fuse_scores",
    "hit_curve",
    "lift_curve",
    "magnify",
    "metric",
    "metrics",
    "pac_curve",
    "plan",
    "plot",
    "precision_recall_curve",
    "preset",
    "prg_curve",
    "proc_curve",
    "rate_accuracy_curve",
    "rate_recall_curve",
    "rates",
    "read_qrels",
    "read_trec_run",
    "report",
    "roc_curve",
    "scorer",
    "smooth_precision_recall",
    "smooth_roc",
    "trec_metric",
    "unpaired_difference",
    "unpaired_summaries",
    "worth",
    "write_qrels",
    "write_trec_run",
]
