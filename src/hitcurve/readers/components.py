"""Components of variance of a reader study: mean squares of the values, and mean covariances over cases."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hitcurve.counts import AnyArray, Array
from hitcurve.readers.readings import Readings


@dataclass(frozen=True)
class Components:
    """What varies in a reader study, after Obuchowski and Rockette (1995) and Hillis (2007).

    nan where a study does not show it: of one modality ``cov1``, ``cov3`` and the mean squares with modalities.

    Attributes
    ----------
    var : float
        Variance of one value over samples of cases; the mean over readers and modalities.
    cov1, cov2, cov3 : float
        Mean covariances over cases: of one reader with different modalities, of different readers with one modality,
        and of different readers with different modalities. 0 where they have no common cases by design.
    ms_modality, ms_reader, ms_interaction : float
        Mean squares of the values: between modalities, between readers, and of readers by modalities. Where readers
        are nested in modalities, ``ms_reader`` is that of readers within modalities.
    """

    var: float
    cov1: float
    cov2: float
    cov3: float
    ms_modality: float
    ms_reader: float
    ms_interaction: float

    @property
    def above(self) -> float:
        """The difference of ``cov2`` and ``cov3``, 0 if it is negative."""
        return max(self.cov2 - self.cov3, 0.0)

    @property
    def clamped(self) -> bool:
        """Whether ``cov2 - cov3`` is negative, and 0 was taken for it."""
        return self.cov2 < self.cov3

    def of_effects(self, modalities: int) -> dict[str, float]:
        """Return the variances of the effects of readers, of cases and of their interactions (Roe and Metz 1997).

        They are estimates, some of which may be negative; those of cases are on the scale of the metric.
        """
        return {
            "reader": (self.ms_reader - self.ms_interaction) / modalities - self.cov1 + self.cov3,
            "modality x reader": self.ms_interaction - self.var + self.cov1 + self.cov2 - self.cov3,
            "case": self.cov3,
            "modality x case": self.cov2 - self.cov3,
            "reader x case": self.cov1 - self.cov3,
            "error": self.var - self.cov1 - self.cov2 + self.cov3,
        }


def components_of(value: Array, covariance: Array, readings: Readings, some: Sequence[int] | None = None) -> Components:
    """Return the components of the values of a study.

    Parameters
    ----------
    value : array (K,)
    covariance : array (K, K)
    readings : Readings
    some : sequence of int, optional
        Places of the modalities that are taken; all by default.
    """
    every = range(len(readings.modalities)) if some is None else some
    rows = np.flatnonzero(np.isin(readings.modality_of, every))
    value, covariance = value[rows], covariance[np.ix_(rows, rows)]
    reader = readings.reader_of[rows]
    modality = np.searchsorted(np.sort(every), readings.modality_of[rows])
    same_reader, same_modality = reader[:, None] == reader, modality[:, None] == modality
    cov1 = _mean(covariance, same_reader & ~same_modality)
    cov2 = _mean(covariance, ~same_reader & same_modality)
    cov3 = _mean(covariance, ~same_reader & ~same_modality)
    if readings.nested == "cases in readers":
        cov2 = cov3 = 0.0
    elif readings.nested == "cases in modalities":
        cov1 = cov3 = 0.0
    elif readings.nested == "readers in modalities":
        cov1 = 0.0
    squares = (_nested_squares if readings.nested == "readers in modalities" else _crossed_squares)(
        value, modality, reader
    )
    return Components(float(np.mean(np.diag(covariance))), cov1, cov2, cov3, *squares)


def of_one(value: Array, covariance: Array, *, own_cases: bool) -> Components:
    """Return those of the readers of one modality, whose cases may be their own."""
    different = ~np.eye(value.size, dtype=bool)
    cov2 = 0.0 if own_cases else _mean(covariance, different)
    square = float(np.var(value, ddof=1)) if value.size > 1 else math.nan
    return Components(float(np.mean(np.diag(covariance))), math.nan, cov2, math.nan, math.nan, square, math.nan)


def _mean(covariance: Array, where: AnyArray) -> float:
    return float(np.mean(covariance[where])) if where.any() else math.nan


def _crossed_squares(value: Array, modality: AnyArray, reader: AnyArray) -> tuple[float, float, float]:
    I, J = int(modality.max()) + 1, int(reader.max()) + 1  # noqa: E741
    theta = np.zeros((I, J))
    theta[modality, reader] = value
    of_modality, of_reader, mean = theta.mean(axis=1), theta.mean(axis=0), theta.mean()
    rest = theta - of_modality[:, None] - of_reader + mean
    return (
        _square(math.sqrt(J) * (of_modality - mean), I - 1),
        _square(math.sqrt(I) * (of_reader - mean), J - 1),
        _square(rest, (I - 1) * (J - 1)),
    )


def _nested_squares(value: Array, modality: AnyArray, reader: AnyArray) -> tuple[float, float, float]:
    number = np.bincount(modality)
    means = np.bincount(modality, value) / number
    return (
        _square(np.sqrt(number) * (means - value.mean()), number.size - 1),
        _square(value - means[modality], value.size - number.size),
        math.nan,
    )


def _square(deviations: Array, degrees: int) -> float:
    return float(np.sum(deviations**2)) / degrees if degrees > 0 else math.nan
