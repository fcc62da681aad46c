"""Every metric, once: value, gradient, reference values, written form."""

from __future__ import annotations

from hitcurve.metrics.area import Area, AreaMetric, Scale
from hitcurve.metrics.log_roc import PROC, LogAUC
from hitcurve.metrics.metric import Gradient, Metric, warn_undefined
from hitcurve.metrics.pr_area import PRArea, PRGArea
from hitcurve.metrics.precision import AveragePrecision, Momentum, ScaledAP
from hitcurve.metrics.rank import DCG, NDCG, SLR, WSS
from hitcurve.metrics.rate import (
    AUAC,
    BEDROC,
    CAC,
    RIE,
    ExpectedNegativeRecall,
    ExpectedRecall,
    RateWeightedAUC,
)
from hitcurve.metrics.registry import (
    DEFAULT,
    PRESETS,
    examples,
    metric,
    metrics,
    names,
    preset,
    register_magnification,
    register_metric,
)
from hitcurve.metrics.roc import AUC, CROC, HalfAUC, PartialAUC, ROCEnrichment, ROCk
from hitcurve.metrics.scorer import scorer
from hitcurve.metrics.topk import (
    EnrichmentFactor,
    HitsAt,
    PrecisionAt,
    RecallAt,
    RelativeEnrichmentFactor,
)
from hitcurve.metrics.trec import trec_metric
from hitcurve.metrics.weights import worth, worth_of_rows
from hitcurve.metrics.written import at, cut_place, flag, keyword, magnification, positional

__all__ = [
    "AUAC",
    "AUC",
    "BEDROC",
    "CAC",
    "CROC",
    "DCG",
    "DEFAULT",
    "NDCG",
    "PRESETS",
    "PROC",
    "RIE",
    "SLR",
    "WSS",
    "Area",
    "AreaMetric",
    "AveragePrecision",
    "EnrichmentFactor",
    "ExpectedNegativeRecall",
    "ExpectedRecall",
    "Gradient",
    "HalfAUC",
    "HitsAt",
    "LogAUC",
    "Metric",
    "Momentum",
    "PRArea",
    "PRGArea",
    "PartialAUC",
    "PrecisionAt",
    "ROCEnrichment",
    "ROCk",
    "RateWeightedAUC",
    "RecallAt",
    "RelativeEnrichmentFactor",
    "Scale",
    "ScaledAP",
    "at",
    "cut_place",
    "examples",
    "flag",
    "keyword",
    "magnification",
    "metric",
    "metrics",
    "names",
    "positional",
    "preset",
    "register_magnification",
    "register_metric",
    "scorer",
    "trec_metric",
    "warn_undefined",
    "worth",
    "worth_of_rows",
]
