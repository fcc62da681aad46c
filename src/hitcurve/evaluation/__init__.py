"""Evaluations of several rankers, of one list or of many groups."""

from __future__ import annotations

from hitcurve.evaluation.api import compare, evaluate, power_analysis
from hitcurve.evaluation.by_group import evaluate_groups
from hitcurve.evaluation.cross_validation import evaluate_cv_results
from hitcurve.evaluation.grouped import GroupedEvaluation
from hitcurve.evaluation.kept import from_json
from hitcurve.evaluation.over_time.by_day import Drift, drift
from hitcurve.evaluation.over_time.levels import Change
from hitcurve.evaluation.over_time.sequential import Look, SequentialComparison
from hitcurve.evaluation.over_time.sequential_hits import HitsLook, SequentialHits
from hitcurve.evaluation.passes.counting import count_source, count_tables
from hitcurve.evaluation.passes.two_passes import evaluate_source
from hitcurve.evaluation.records import COLUMNS, LABEL_COLUMNS, MEAN_COLUMNS
from hitcurve.evaluation.result import Evaluation
from hitcurve.evaluation.sampling import SamplingDesign
from hitcurve.evaluation.sensitivities.sensitivity import Sensitivity
from hitcurve.evaluation.topics.tie_report import TieReport
from hitcurve.evaluation.topics.trec import TREC_DEFAULT, evaluate_trec
from hitcurve.evaluation.topics.trec_groups import TrecEvaluation
from hitcurve.evaluation.topics.trec_lists import TopicCounts

__all__ = [
    "COLUMNS",
    "LABEL_COLUMNS",
    "MEAN_COLUMNS",
    "TREC_DEFAULT",
    "Change",
    "Drift",
    "Evaluation",
    "GroupedEvaluation",
    "HitsLook",
    "Look",
    "SamplingDesign",
    "Sensitivity",
    "SequentialComparison",
    "SequentialHits",
    "TieReport",
    "TopicCounts",
    "TrecEvaluation",
    "compare",
    "count_source",
    "count_tables",
    "drift",
    "evaluate",
    "evaluate_cv_results",
    "evaluate_groups",
    "evaluate_source",
    "evaluate_trec",
    "from_json",
    "power_analysis",
]
