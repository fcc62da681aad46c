"""Confidence bands for whole curves, and smoothed curves."""

from __future__ import annotations

from hitcurve.inference.bands.api import (
    CURVES,
    band,
    band_of_table,
    difference_band,
    smooth_precision_recall,
    smooth_roc,
)
from hitcurve.inference.bands.band import Band, SampledCurve
from hitcurve.inference.bands.difference import difference_of
from hitcurve.inference.bands.options import COVERAGES, METHODS, BandOptions

__all__ = [
    "COVERAGES",
    "CURVES",
    "METHODS",
    "Band",
    "BandOptions",
    "SampledCurve",
    "band",
    "band_of_table",
    "difference_band",
    "difference_of",
    "smooth_precision_recall",
    "smooth_roc",
]
