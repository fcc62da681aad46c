"""What a sample says about a metric."""

from __future__ import annotations

from hitcurve.inference.bands import (
    Band,
    Line,
    band,
    band_of_table,
    difference_band,
    difference_of,
    smooth_precision_recall,
    smooth_roc,
)
from hitcurve.inference.by_cluster import cluster_variances
from hitcurve.inference.compare import METHODS, Paired
from hitcurve.inference.comparison import Comparison, Difference
from hitcurve.inference.design import DESIGNS, resolve
from hitcurve.inference.estimate import Estimate
from hitcurve.inference.estimates import Estimates
from hitcurve.inference.formula import unpaired_difference
from hitcurve.inference.interval import ConfidenceInterval
from hitcurve.inference.joint import Joint, cross_products, passes_of_products
from hitcurve.inference.many import adjust, holm
from hitcurve.inference.planning import Plan, planned
from hitcurve.inference.resample import bootstrap

__all__ = [
    "DESIGNS",
    "METHODS",
    "Band",
    "Comparison",
    "ConfidenceInterval",
    "Difference",
    "Estimate",
    "Estimates",
    "Joint",
    "Line",
    "Paired",
    "Plan",
    "adjust",
    "band",
    "band_of_table",
    "bootstrap",
    "cluster_variances",
    "cross_products",
    "difference_band",
    "difference_of",
    "holm",
    "passes_of_products",
    "planned",
    "resolve",
    "smooth_precision_recall",
    "smooth_roc",
    "unpaired_difference",
]
