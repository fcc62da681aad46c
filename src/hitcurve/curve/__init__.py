"""Curves: coordinates of one ranking, exact between its vertices.

Between two vertices TPR and FPR move together in a straight line; every curve follows the counts along that
line, whatever its coordinates make of it (precision-recall is a hyperbola there, never a chord).
"""

from __future__ import annotations

from hitcurve.curve.by_name import curve_of, magnification_of
from hitcurve.curve.curve import Curve
from hitcurve.curve.kind import Axis, BandPart, CurveKind, Picture, Ranking
from hitcurve.curve.kinds import KINDS

__all__ = [
    "KINDS",
    "Axis",
    "BandPart",
    "Curve",
    "CurveKind",
    "Picture",
    "Ranking",
    "curve_of",
    "magnification_of",
]
