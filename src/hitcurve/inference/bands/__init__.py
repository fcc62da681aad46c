"""Confidence bands for whole curves, and smoothed curves."""

from __future__ import annotations

from hitcurve.inference.bands.band import Band, Line
from hitcurve.inference.bands.conduct import CURVES, KINDS, METHODS, band_of_table
from hitcurve.inference.bands.difference import difference_of
from hitcurve.inference.bands.public import band, difference_band, smooth_precision_recall, smooth_roc

__all__ = [
    "CURVES",
    "KINDS",
    "METHODS",
    "Band",
    "Line",
    "band",
    "band_of_table",
    "difference_band",
    "difference_of",
    "smooth_precision_recall",
    "smooth_roc",
]
