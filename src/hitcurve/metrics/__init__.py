"""Every metric, once: value, gradient, reference values, metric string.

Which metric for which question:

- *Does the score separate the classes at all?* :class:`AUC`: all pairs weigh the same, so it is no answer about the
  top of a long list.
- *How early do positives come, whatever the prevalence?* :class:`CROC`, :class:`LogAUC`, :class:`PartialAUC` and
  :class:`ROCEnrichment`: areas and a point along the false positive rate; :class:`MagnifiedArea` magnifies TPR too.
  They compare data sets of different prevalence, and case-control data.
- *How early do positives come in this list?* :class:`BEDROC`, :class:`RIE` and :class:`CAC`: areas along the fraction
  of the list screened, which depend on the prevalence.
- *How pure is the top, over all cutoffs?* :class:`AveragePrecision`; :class:`ScaledAP` subtracts what prevalence gives;
  :class:`Momentum` estimates the precision at the very top; :class:`PRArea` and :class:`PRGArea` interpolate,
  :class:`InterpolatedAP` takes the envelope.
- *The cutoff is fixed.* :class:`PrecisionAt` (selected that are positive), :class:`RecallAt` (positives that are
  selected), :class:`HitsAt`, :class:`EnrichmentFactor`, :class:`F1At`, :class:`ExtraRelevantFound`, at a rank, a
  fraction or R.
- *The recall is fixed.* :class:`WSS` and :class:`NormalisedWSS`: work saved at, for example, 95% recall;
  :class:`PrecisionAtRecall` and :class:`FPRAtTPR`, :class:`SpecificityAtSensitivity`: what it costs.
- *The false positives are fixed.* :class:`TPRAtFPR`, :class:`SensitivityAtSpecificity`: what is found.
- *The cutoff is the best one.* :class:`RecallAtPrecision`, :class:`MaxF1`, :class:`KolmogorovSmirnov`, and
  :class:`NetBenefit` where a false positive has a price.
- *A simulated review.* :class:`Loss`, :class:`AverageTimeToDiscovery`: how late the positives come, lower is better.
- *The budget is uncertain.* :class:`ExpectedRecall` and :class:`RateWeightedAUC` under a density of
  :mod:`hitcurve.rates`.
- *Convention of search engines.* :class:`NDCG` and :class:`DCG`; :func:`trec_metric` reads the names of trec_eval.
- *None of these.* :class:`Area` with any map of :mod:`hitcurve.magnify`, or a class of your own
  (:func:`register_metric`).

:func:`metric` reads a metric string, :func:`preset` returns the metrics that a field looks at first, and
:func:`scorer` makes a scorer of scikit-learn.
"""

from __future__ import annotations

from hitcurve.metrics.area import Area, AreaMetric, Scale
from hitcurve.metrics.at_rate import (
    FPRAtTPR,
    PrecisionAtRecall,
    SensitivityAtSpecificity,
    SpecificityAtSensitivity,
    TPRAtFPR,
)
from hitcurve.metrics.best_cut import KolmogorovSmirnov, MaxF1, NetBenefit, RecallAtPrecision
from hitcurve.metrics.gini import Gini
from hitcurve.metrics.half_auc import HalfAUC
from hitcurve.metrics.interpolated_ap import InterpolatedAP
from hitcurve.metrics.log_roc import PROC, LogAUC
from hitcurve.metrics.magnified_area import MagnifiedArea
from hitcurve.metrics.metric import Metric
from hitcurve.metrics.pieces import ChosenCut, CutAt, Gradient, RankSum
from hitcurve.metrics.pr_area import PRArea, PRGArea
from hitcurve.metrics.precision import AveragePrecision, Momentum, ScaledAP
from hitcurve.metrics.rank import DCG, NDCG, SLR
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
    register_metric,
)
from hitcurve.metrics.retrieval import TopicMeasure
from hitcurve.metrics.review import AverageTimeToDiscovery, Loss
from hitcurve.metrics.roc import AUC, CROC, PartialAUC, ROCEnrichment, ROCk
from hitcurve.metrics.scorer import scorer
from hitcurve.metrics.topk import (
    EnrichmentFactor,
    ExtraRelevantFound,
    F1At,
    HitsAt,
    PrecisionAt,
    RecallAt,
    RelativeEnrichmentFactor,
)
from hitcurve.metrics.trec import as_written, read_measures, trec_metric, trec_name
from hitcurve.metrics.weights import rank_weights
from hitcurve.metrics.work_saved import WSS, NormalisedWSS
from hitcurve.metrics.written import at, flag, keyword, positional
from hitcurve.refusals import Refusal

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
    "AverageTimeToDiscovery",
    "ChosenCut",
    "CutAt",
    "EnrichmentFactor",
    "ExpectedNegativeRecall",
    "ExpectedRecall",
    "ExtraRelevantFound",
    "F1At",
    "FPRAtTPR",
    "Gini",
    "Gradient",
    "HalfAUC",
    "HitsAt",
    "InterpolatedAP",
    "KolmogorovSmirnov",
    "LogAUC",
    "Loss",
    "MagnifiedArea",
    "MaxF1",
    "Metric",
    "Momentum",
    "NetBenefit",
    "NormalisedWSS",
    "PRArea",
    "PRGArea",
    "PartialAUC",
    "PrecisionAt",
    "PrecisionAtRecall",
    "ROCEnrichment",
    "ROCk",
    "RankSum",
    "RateWeightedAUC",
    "RecallAt",
    "RecallAtPrecision",
    "Refusal",
    "RelativeEnrichmentFactor",
    "Scale",
    "ScaledAP",
    "SensitivityAtSpecificity",
    "SpecificityAtSensitivity",
    "TPRAtFPR",
    "TopicMeasure",
    "as_written",
    "at",
    "examples",
    "flag",
    "keyword",
    "metric",
    "metrics",
    "names",
    "positional",
    "preset",
    "rank_weights",
    "read_measures",
    "register_metric",
    "scorer",
    "trec_metric",
    "trec_name",
]
