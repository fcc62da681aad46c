"""Threshold-free evaluation of binary rankers with the weight on early retrieval."""

from __future__ import annotations

from hitcurve import errors
from hitcurve.confusion import Confusion
from hitcurve.counts import Counts
from hitcurve.magnify import (
    Custom,
    CutOff,
    Exponential,
    FromDensity,
    Identity,
    Log2Power,
    Logarithmic,
    LogWindow,
    Magnification,
    Mixture,
    Power,
    Window,
    from_profile,
)
from hitcurve.metrics import *  # noqa: F403
from hitcurve.rates import Beta, Point, RateDensity, RateMixture, Uniform
from hitcurve.table import HitTable
