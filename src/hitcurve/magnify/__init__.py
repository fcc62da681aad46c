"""Magnification functions: monotone maps of [0, 1] onto itself that stretch the top of the list.

Every area metric of this package is ``sum_k p_k v_k`` with ``v_k = 1 - mean of f over [x_{k-1}, x_k]``, so the
mean over an interval is what a magnification must know, not the value at a point. Forming that mean as a
difference of antiderivatives loses all digits when an interval is as narrow as one subject in a billion; each
family therefore has closed forms that do not cancel, and everything else is integrated numerically.
"""

from __future__ import annotations

from hitcurve.magnify.families import Exponential, Identity, Log2Power, Logarithmic, Power
from hitcurve.magnify.magnification import Magnification
from hitcurve.magnify.own import Custom, FromDensity, Mixture, magnification_from_attention
from hitcurve.magnify.ramps import CutOff, LogWindow, Step, Window
from hitcurve.magnify.written import magnification, register_magnification

__all__ = [
    "Custom",
    "CutOff",
    "Exponential",
    "FromDensity",
    "Identity",
    "Log2Power",
    "LogWindow",
    "Logarithmic",
    "Magnification",
    "Mixture",
    "Power",
    "Step",
    "Window",
    "magnification",
    "magnification_from_attention",
    "register_magnification",
]
