"""Curves of readers, and their average for each modality."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hitcurve import _checks, rows
from hitcurve.curve import KINDS
from hitcurve.groups.average import AverageCurve, average_curve
from hitcurve.readers.numbers import Numbers
from hitcurve.readers.points import RatingPoint
from hitcurve.readers.readings import Readings
from hitcurve.table import HitTable


def tables_of(readings: Readings) -> list[HitTable]:
    """Return the table of each reader and modality, in the order of the rows."""
    out = []
    for rating in readings.ratings:
        there = ~np.isnan(rating)
        out.append(HitTable.from_scores(readings.positive[there], rating[there], higher_is_better=not readings.low))
    return out


def average_curves(
    readings: Readings, curve: str = "roc", *, confidence_level: float = 0.95
) -> dict[str, AverageCurve]:
    """Return the average of the curves of the readers of each modality, y at the same x.

    Raises
    ------
    ParameterError
        If there is no such curve, or its axis is magnified.
    InsufficientDataError
        If a modality has one reader.
    """
    _checks.choice("curve", curve, [name for name, kind in KINDS.items() if not kind.magnified])
    tables, out = tables_of(readings), {}
    for place, name in enumerate(readings.modalities):
        own = [tables[row] for row in np.flatnonzero(readings.modality_of == place)]
        found = average_curve(own, curve, "vertical", confidence_level=confidence_level)
        out[name] = replace(found, unit="readers")
    return out


def rating_cuts(study: Numbers) -> dict[str, list[tuple[float, float]]]:
    """Return FPR and TPR of each reader and modality at the ratings of the operating points that were evaluated."""
    readings = study.readings
    out: dict[str, list[tuple[float, float]]] = {}
    for metric in study.metrics:
        if isinstance(metric, RatingPoint):
            above = metric.called(readings.ratings)
            there = ~np.isnan(readings.ratings)
            fpr, tpr = (
                (above & side).sum(axis=1) / (there & side).sum(axis=1)
                for side in (~readings.positive, readings.positive)
            )
            name = f"rating{metric.relation}{rows.exact(metric.rating)}"
            out[name] = list(zip(fpr.tolist(), tpr.tolist(), strict=True))
    return out
