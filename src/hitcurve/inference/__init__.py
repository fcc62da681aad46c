"""What a sample says about a metric."""

from __future__ import annotations

from hitcurve.inference.compare import METHODS, Paired
from hitcurve.inference.comparison import Comparison, Difference
from hitcurve.inference.design import DESIGNS, resolve
from hitcurve.inference.estimate import Estimate
from hitcurve.inference.formula import unpaired_difference
from hitcurve.inference.interval import ConfidenceInterval
from hitcurve.inference.joint import Joint, cross_products
from hitcurve.inference.many import adjust
from hitcurve.inference.planning import Plan, planned
from hitcurve.inference.resample import bootstrap

__all__ = [
    "DESIGNS",
    "METHODS",
    "Comparison",
    "ConfidenceInterval",
    "Difference",
    "Estimate",
    "Joint",
    "Paired",
    "Plan",
    "adjust",
    "bootstrap",
    "cross_products",
    "planned",
    "resolve",
    "unpaired_difference",
]
