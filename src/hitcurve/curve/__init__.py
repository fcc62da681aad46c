"""Curves: coordinates of one hit table, exact between its vertices.

Between two vertices TPR and FPR move together in a straight line; every curve follows the counts along that
line, whatever its coordinates make of it (precision-recall is a hyperbola there, never a chord).
"""

from __future__ import annotations

from hitcurve.curve.curve import Curve
from hitcurve.curve.kinds import (
    KINDS,
    accumulation_curve,
    cac_curve,
    croc_curve,
    curve,
    hit_curve,
    lift_curve,
    pac_curve,
    precision_recall_curve,
    prg_curve,
    proc_curve,
    rate_accuracy_curve,
    rate_recall_curve,
    roc_curve,
)

__all__ = [
    "KINDS",
    "Curve",
    "accumulation_curve",
    "cac_curve",
    "croc_curve",
    "curve",
    "hit_curve",
    "lift_curve",
    "pac_curve",
    "precision_recall_curve",
    "prg_curve",
    "proc_curve",
    "rate_accuracy_curve",
    "rate_recall_curve",
    "roc_curve",
]
