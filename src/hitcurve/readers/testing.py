"""Means over readers and differences of modalities, with their errors: Obuchowski and Rockette, as Hillis has it.

Whether readers, cases or both stand for a larger population decides on the error and its degrees of freedom.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from hitcurve.counts import Array
from hitcurve.errors import InsufficientDataError
from hitcurve.inference.comparing.many import holm_pvalues
from hitcurve.inference.design import cluster_degrees
from hitcurve.inference.pvalues import HAIR, f_p, satterthwaite, t_p
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.variance.logit_scale import LogitScale
from hitcurve.readers.cells import Cells
from hitcurve.readers.components import Components, components_of, of_one
from hitcurve.readers.readings import Readings
from hitcurve.readers.tested import EqualityTest, Margin, ReaderDifference, ReaderMean

READERS, CASES = "readers", "cases"
HYPOTHESES = ("difference", "non-inferiority", "equivalence")
LOGIT, IDENTITY = "logit", "identity"
SCALES = (LOGIT, IDENTITY)


class _Error(NamedTuple):
    standard_error: float
    degrees: float


class _Denominator(NamedTuple):
    """What the mean square of modalities is compared with.

    Attributes
    ----------
    random : float
        The part that is a mean square, with its degrees of freedom.
    degrees : float
    of_cases : float
        The part by covariances over cases.
    of_cases_degrees : float
        Infinite unless cases are in clusters.
    """

    random: float
    degrees: float
    of_cases: float
    of_cases_degrees: float

    @property
    def total(self) -> float:
        return self.random + self.of_cases

    @property
    def total_degrees(self) -> float:
        """Satterthwaite's."""
        return satterthwaite((self.random, self.of_cases), (self.degrees, self.of_cases_degrees))


def check_random(readings: Readings, random: Sequence[str]) -> None:
    """Refuse readers as a sample if there is one.

    Raises
    ------
    InsufficientDataError
        As said.
    """
    if READERS not in random:
        return
    fewest = int(readings.readers_of_modality.min())
    if fewest < 2:
        where = (
            ""
            if len(readings.readers) == 1
            else f" of modality {readings.modalities[int(readings.readers_of_modality.argmin())]}"
        )
        raise InsufficientDataError(
            f"one reader{where} shows nothing of how readers vary: pass random='cases' (--random cases) for these "
            "readers alone"
        )


class Tests:
    """Means and differences of one metric.

    Parameters
    ----------
    cells : Cells
    components : Components
    readings : Readings
    random : tuple of str
    level : float
        Of the intervals.
    scale : {"logit", "identity"}
        Of the intervals of means; unbounded metrics stay as they are.
    """

    __test__ = False  # no test of pytest

    def __init__(
        self,
        cells: Cells,
        components: Components,
        readings: Readings,
        random: Sequence[str],
        level: float,
        scale: str = LOGIT,
    ) -> None:
        self._cells, self._parts, self._readings = cells, components, readings
        self._readers, self._cases, self._level = READERS in random, CASES in random, level
        worst, best = cells.metric.range
        bounded = scale == LOGIT and math.isfinite(worst) and math.isfinite(best)
        self._logit = LogitScale(worst, best) if bounded else None
        number = readings.readers_of_modality
        self._means = np.bincount(readings.modality_of, cells.value) / number
        self._of_clusters = _cluster_degrees(readings)

    def _error(self, variance: float, degrees: float) -> _Error:
        """Return an error, 0 where it is rounding of the values."""
        error = math.sqrt(max(variance, 0.0))
        return _Error(error if error > HAIR * max(float(np.max(np.abs(self._cells.value))), 1.0) else 0.0, degrees)

    # ---- means

    def means(self) -> tuple[ReaderMean, ...]:
        """Return the mean of each modality."""
        out = []
        for place, modality in enumerate(self._readings.modalities):
            rows = np.flatnonzero(self._readings.modality_of == place)
            error = self._of_mean(self._cells.value[rows], self._cells.covariance[np.ix_(rows, rows)])
            value = float(self._means[place])
            out.append(ReaderMean(modality, rows.size, value, *error, *self._ends_of_mean(value, error)))
        return tuple(out)

    def _ends_of_mean(self, value: float, error: _Error) -> tuple[float, float]:
        if self._logit is None:
            return self._ends(value, error)
        place, half = float(self._logit.up(value)), float(self._logit.length(value, error.standard_error))
        if not half > 0:
            return math.nan, math.nan
        half *= float(t_quantile((1 + self._level) / 2, error.degrees))
        return float(self._logit.down(place - half)), float(self._logit.down(place + half))

    def _of_mean(self, value: Array, covariance: Array) -> _Error:
        parts, number = of_one(value, covariance, own_cases=self._readings.nested == "cases in readers"), value.size
        by_cases = 0.0 if math.isnan(parts.cov2) else max(parts.cov2, 0.0)
        if not self._readers:
            return self._error((parts.var + (number - 1) * by_cases) / number, self._of_clusters)
        of_cases = number * by_cases if self._cases else 0.0
        found = _Denominator(parts.ms_reader, number - 1, of_cases, self._of_clusters)
        return self._error(found.total / number, found.total_degrees)

    # ---- differences

    def _denominator(self, parts: Components, modalities: int) -> _Denominator:
        readings = self._readings
        number = _mean_number(readings.readers_of_modality)
        nested = readings.nested == "readers in modalities"
        if not self._readers:
            same = parts.cov3 if nested else parts.cov1
            more = (number - 1) * (parts.cov2 - parts.cov3) if len(readings.readers) > 1 else 0.0
            return _Denominator(0.0, math.inf, parts.var - same + more, self._of_clusters)
        random = parts.ms_reader if nested else parts.ms_interaction
        readers = len(readings.readers)
        degrees = readers - modalities if nested else (modalities - 1) * (readers - 1)
        of_cases = number * parts.above if self._cases else 0.0
        return _Denominator(random, degrees, of_cases, self._of_clusters)

    def equality(self) -> EqualityTest | None:
        """Return the test that all modalities are equal; None of one modality."""
        if len(self._readings.modalities) < 2:
            return None
        modalities = len(self._readings.modalities)
        found, free = self._denominator(self._parts, modalities), modalities - 1
        ratio = self._parts.ms_modality / found.total if found.total > 0 else math.nan
        if math.isnan(ratio) and self._parts.ms_modality <= HAIR**2:
            ratio = 0.0  # nothing differs
        if not self._readers and math.isinf(self._of_clusters):
            return EqualityTest("chi-square", free * ratio, free, math.inf, f_p(ratio, free, math.inf))
        degrees = found.total_degrees
        return EqualityTest("F", ratio, free, degrees, f_p(ratio, free, degrees))

    def differences(self, baseline: str | None, margin: Margin | None) -> tuple[ReaderDifference, ...]:
        """Return the differences of all pairs of modalities, or of each from the baseline."""
        found = [self._difference(i, j, margin) for i, j in self.pairs(baseline)]
        if len(found) < 2:
            return tuple(found)
        adjusted = _holm([one.pvalue for one in found])
        of_margin = [None] * len(found) if margin is None else _holm([float(one.margin_pvalue or 0.0) for one in found])
        return tuple(
            replace(one, adjusted=p, margin_adjusted=q) for one, p, q in zip(found, adjusted, of_margin, strict=True)
        )

    def pairs(self, baseline: str | None) -> list[tuple[int, int]]:
        """Return the pairs of modalities that are compared, by their places."""
        number = range(len(self._readings.modalities))
        if baseline is None:
            return list(combinations(number, 2))
        second = self._readings.modalities.index(baseline)
        return [(first, second) for first in number if first != second]

    def _difference(self, first: int, second: int, margin: Margin | None) -> ReaderDifference:
        parts, modalities, counts = self._parts, len(self._readings.modalities), self._readings.readers_of_modality
        if self._readings.missing.any() and modalities > 2:
            # modalities may differ in the cases they share, and so may the errors of their differences
            parts = components_of(self._cells.value, self._cells.covariance, self._readings, (first, second))
            modalities = 2
        found = self._denominator(parts, modalities)
        share = float(1 / counts[first] + 1 / counts[second])
        if self._readings.nested == "readers in modalities":
            # readers of their own: of each modality as many as it has
            above = parts.above if self._readers else parts.cov2 - parts.cov3
            of_cases = 2 * above / share if self._readers else parts.var - parts.cov2 + 2 * above / share
            found = found._replace(of_cases=of_cases if self._cases else 0.0)
        error = self._error(found.total * share, found.total_degrees)
        value = float(self._means[first] - self._means[second])
        return self._made(first, second, None, value, error, margin)

    def of_readers(self, baseline: str | None) -> tuple[ReaderDifference, ...]:
        """Return the differences of each reader; their errors are over cases alone. None where cases are fixed."""
        if not self._cases or self._readings.nested == "readers in modalities":
            return ()
        out = []
        place = {pair: row for row, pair in enumerate(zip(*self._of_cell, strict=True))}
        for first, second in self.pairs(baseline):
            for reader, name in enumerate(self._readings.readers):
                i, j = place[first, reader], place[second, reader]
                V = self._cells.covariance
                error = self._error(float(V[i, i] + V[j, j] - 2 * V[i, j]), self._of_clusters)
                value = float(self._cells.value[i] - self._cells.value[j])
                out.append(self._made(first, second, name, value, error, None))
        return tuple(out)

    @property
    def _of_cell(self) -> tuple[list[int], list[int]]:
        return self._readings.modality_of.tolist(), self._readings.reader_of.tolist()

    def _made(
        self, first: int, second: int, reader: str | None, value: float, error: _Error, margin: Margin | None
    ) -> ReaderDifference:
        names = self._readings.modalities
        if error.standard_error > 0:
            statistic, ends = value / error.standard_error, self._ends(value, error)
        else:
            # no difference without an error has p = 1, any other no test
            statistic = 0.0 if abs(value) <= HAIR else math.nan
            ends = (value, value) if abs(value) <= HAIR else (math.nan, math.nan)
        p = t_p(statistic, error.degrees, "two-sided")
        found = ReaderDifference(names[first], names[second], reader, value, *error, *ends, statistic, p)
        return found if margin is None else replace(found, margin_pvalue=self._beyond(value, error, margin))

    def _beyond(self, value: float, error: _Error, margin: Margin) -> float:
        """Return the one-sided p value of a true difference at the margin or beyond."""
        if not error.standard_error > 0:
            return math.nan
        sign = -1 if self._cells.metric.lower_is_better else 1
        sides = (sign,) if margin.hypothesis == "non-inferiority" else (1, -1)
        return max(t_p((side * value + margin.size) / error.standard_error, error.degrees, "greater") for side in sides)

    def _ends(self, value: float, error: _Error) -> tuple[float, float]:
        if not error.standard_error > 0:
            return math.nan, math.nan
        half = float(t_quantile((1 + self._level) / 2, error.degrees)) * error.standard_error
        return value - half, value + half


def _cluster_degrees(readings: Readings) -> float:
    """Return the degrees of freedom of a variance between clusters of cases; infinite without clusters."""
    if readings.clusters is None:
        return math.inf
    clusters = readings.clusters
    return cluster_degrees(int(clusters.max()) + 1, np.unique(clusters[readings.positive]).size)


def _holm(pvalues: Sequence[float]) -> list[float]:
    """Return adjusted p values; those that are nan are no tests."""
    given = np.asarray(pvalues, float)
    out, there = np.full(given.size, math.nan), ~np.isnan(given)
    out[there] = holm_pvalues(given[there])
    return list(out.tolist())


def _mean_number(readers: Array) -> float:
    """Return the number of readers of a modality, as unequal numbers enter the expected mean square."""
    total = float(readers.sum())
    if readers.size < 2:
        return total
    return (total - float(np.sum(readers**2)) / total) / (readers.size - 1)
