"""Uncertainty of a metric: which method answers which question.

============================================  =========================================================================
How far may one value be off?                 ``Estimate.standard_error`` and ``confidence_interval()``: the delta
                                              method; inversion, slices of a region, tilting; or replicates
                                              (``method="bca"``, ``"studentized"``)
Is a ranker better than a random order?       ``Estimate.test_random()``: exact moments, hypergeometric or Monte Carlo
Do two rankers of the same subjects differ?   ``compare``: ``auto`` is ``delta`` (influence values, Welch's t), or
                                              ``swap-permutation`` where positives, deciding negatives or hits of one
                                              ranker alone are too few for it, and of ndcg and dcg
The same by AUC, as in the literature         ``compare(..., method="delong")``, the default from 30 of each class on
The same while labels arrive                  ``SequentialComparison``, ``SequentialHits``; one look of it:
                                              ``compare(..., method="anytime", horizon=)``
The same with clusters of subjects            ``compare``: ``delta`` by cluster, ``bootstrap`` of whole clusters
Do two samples of subjects differ?            ``compare(..., paired=False)``: ``delta`` of the two, Welch's t
Are only estimates or summaries known?        ``compare_from_stats``; of tables of counts ``compare`` does it
Do rankers differ over folds or targets?      ``groups.across``: ``paired-t``; ``corrected-t`` for folds of one data
                                              set; ``sign-flip`` or ``wilcoxon`` for few groups
Which of many rankers differ?                 ``holm``, or ``max_t`` with simultaneous intervals
Is a linear combination of values 0?           ``Covariance``, ``Contrast`` and ``Contrasts``
How good is the best of many?                 ``winner_of``, whose interval knows that it was chosen
How deep may a list be cut?                   ``certified_cut``: a promise kept with confidence
How large is the largest enrichment?          ``largest_enrichment``: a lower limit that holds for its own cut
May a review stop reading?                    ``stopping``: a random sample of what is unread
How many subjects are needed?                 ``power_analysis``
What does a statistic of my own vary by?      ``bootstrap``
Where does a whole curve lie?                 ``band``, ``difference_band``; ``smooth_roc`` for one without steps
============================================  =========================================================================

Everything that draws takes ``rng``; None derives a seed from the counts, and the result records it.
"""

from __future__ import annotations

from hitcurve.inference.bands import (
    Band,
    BandOptions,
    SampledCurve,
    band,
    band_of_table,
    difference_band,
    difference_of,
    smooth_precision_recall,
    smooth_roc,
)
from hitcurve.inference.comparing.compare import METHODS, PairedRankers
from hitcurve.inference.comparing.comparison import Comparison
from hitcurve.inference.comparing.comparisons import Comparisons
from hitcurve.inference.comparing.many import holm, max_t
from hitcurve.inference.comparing.pairs import compared_pairs
from hitcurve.inference.comparing.power import (
    PowerAnalysis,
    analyse_power,
    power_of_t,
    variances_of,
    variances_of_counts,
)
from hitcurve.inference.comparing.two_samples import NOT_SHARED, compare_counts, compare_from_stats, compare_samples
from hitcurve.inference.cutting.cut_places import CutPlaces
from hitcurve.inference.decision_curve import DecisionCurve
from hitcurve.inference.design import DESIGNS, resolve
from hitcurve.inference.estimation.difference import INTERVALS, Difference
from hitcurve.inference.estimation.estimate import Estimate
from hitcurve.inference.estimation.estimates import Estimates
from hitcurve.inference.intervals.interval import ConfidenceInterval
from hitcurve.inference.linear.contrasts import Contrast, Contrasts
from hitcurve.inference.promises.certified_cut import CertifiedCut, Promise
from hitcurve.inference.promises.certified_cuts import CertifiedCuts
from hitcurve.inference.promises.certifying import certified_cut, certified_list_cut
from hitcurve.inference.promises.enriched import LargestEnrichment, largest_enrichment
from hitcurve.inference.promises.reviews import Stopping, stopping
from hitcurve.inference.resampling.resample import bootstrap
from hitcurve.inference.selection.winner import Winner, winner_of
from hitcurve.inference.variance.by_cluster import cluster_variances
from hitcurve.inference.variance.covariance import Covariance
from hitcurve.inference.variance.design_effect import DesignEffect
from hitcurve.inference.variance.joint import Joint, cross_products, passes_of_products

__all__ = [
    "DESIGNS",
    "INTERVALS",
    "METHODS",
    "NOT_SHARED",
    "Band",
    "BandOptions",
    "CertifiedCut",
    "CertifiedCuts",
    "Comparison",
    "Comparisons",
    "ConfidenceInterval",
    "Contrast",
    "Contrasts",
    "Covariance",
    "CutPlaces",
    "DecisionCurve",
    "DesignEffect",
    "Difference",
    "Estimate",
    "Estimates",
    "Joint",
    "LargestEnrichment",
    "PairedRankers",
    "PowerAnalysis",
    "Promise",
    "SampledCurve",
    "Stopping",
    "Winner",
    "analyse_power",
    "band",
    "band_of_table",
    "bootstrap",
    "certified_cut",
    "certified_list_cut",
    "cluster_variances",
    "compare_counts",
    "compare_from_stats",
    "compare_samples",
    "compared_pairs",
    "cross_products",
    "difference_band",
    "difference_of",
    "holm",
    "largest_enrichment",
    "max_t",
    "passes_of_products",
    "power_of_t",
    "resolve",
    "smooth_precision_recall",
    "smooth_roc",
    "stopping",
    "variances_of",
    "variances_of_counts",
    "winner_of",
]
