"""Threshold-free evaluation of binary rankers with the weight on early retrieval."""

from __future__ import annotations

from hitcurve import errors
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
    prg_curve,
    precision_recall_curve,
    proc_curve,
    rate_accuracy_curve,
    rate_recall_curve,
    roc_curve,
)
from hitcurve.evaluation import Evaluation, evaluate
from hitcurve.inference import Estimate
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
from hitcurve.momentum import QuasiConcave, fit_quasi_concave, momentum
from hitcurve.rates import Beta, Point, RateDensity, RateMixture, Uniform
from hitcurve.table import HitTable
