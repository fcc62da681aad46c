"""How much of a ranking will be processed: densities of the rate, and how to elicit one.

The rate is the share of the list that is worked through before time or money ends. A density over it makes the
magnification f = W, its distribution function, of :class:`hitcurve.metrics.ExpectedRecall` and
:class:`hitcurve.metrics.RateWeightedAUC` (Millard, Flach and Higgins 2014).
"""

from __future__ import annotations

from hitcurve.rates.densities import Beta, Point, RateDensity, RateMixture, Uniform
from hitcurve.rates.minutes import MinutesPerItem
from hitcurve.rates.own import FromDensity
from hitcurve.rates.together import RateSum

__all__ = ["Beta", "FromDensity", "MinutesPerItem", "Point", "RateDensity", "RateMixture", "RateSum", "Uniform"]
