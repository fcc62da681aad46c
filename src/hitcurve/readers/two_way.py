"""The bootstrap of readers and cases together: a check of the errors by formula."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve.counts import Array
from hitcurve.errors import InsufficientDataError
from hitcurve.inference.pvalues import HAIR
from hitcurve.inference.resampling.draws import multinomial
from hitcurve.inference.resampling.resample import blocks, seed_of_values, seeded
from hitcurve.readers.cells import Study
from hitcurve.readers.numbers import Numbers, ReaderMetric
from hitcurve.readers.points import Quantity
from hitcurve.readers.tested import ReaderDifference, ReaderMean
from hitcurve.readers.testing import CASES, READERS

LEAST = 50  # replicates
_SIZE = 250  # replicates at a time


@dataclass(frozen=True)
class ReaderBootstrap:
    """Errors of means and differences over resampled readers and cases, beside those by formula.

    Attributes
    ----------
    metric : str
    names : tuple of str
        Modalities, and pairs of modalities.
    value : tuple of float
    standard_error : tuple of float
        Standard deviations over replicates. Where both are drawn, what a reader adds in a single case counts three
        times (Owen 2007, Annals of Applied Statistics 1:386), so that they are too large; the variance of J readers
        counts (J - 1)/J times.
    by_formula : tuple of float
        The standard errors of the analysis.
    low, high : tuple of float
        Percentile intervals; nan of what does not vary, of which replicates cannot say how much it may.
    confidence_level : float
    n_resamples : int
    undefined : int
        Replicates on which the metric was undefined for a reader, which are left out.
    seed : int or None
    """

    metric: str
    names: tuple[str, ...]
    value: tuple[float, ...]
    standard_error: tuple[float, ...]
    by_formula: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    confidence_level: float
    n_resamples: int
    undefined: int
    seed: int | None

    def to_records(self) -> list[dict[str, Any]]:
        """Return a record for each mean and difference."""
        keys = ("names", "value", "standard_error", "by_formula", "low", "high")
        lines = zip(*(getattr(self, key) for key in keys), strict=True)
        return [rows.plain(dict(zip(("name", *keys[1:]), line, strict=True))) for line in lines]

    def table_rows(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows of the printed table."""
        level = rows.short(100 * self.confidence_level)
        header = [self.metric, f"value, {level}% percentile interval", "bootstrap s.e.", "s.e. by formula"]
        body = [
            [
                name,
                rows.with_interval(value, None if math.isnan(low) else (low, high)),
                rows.number(error, 3),
                rows.number(formula, 3),
            ]
            for name, value, error, formula, low, high in zip(
                self.names, self.value, self.standard_error, self.by_formula, self.low, self.high, strict=True
            )
        ]
        return header, body

    def lines(self) -> list[str]:
        """Return the number of replicates, and the seed."""
        undefined = f", {self.undefined} undefined and left out" if self.undefined else ""
        seed = "" if self.seed is None else f", seed {self.seed}"
        out = [f"{self.n_resamples:,} replicates{undefined}{seed}"]
        still = [name for name, low in zip(self.names, self.low, strict=True) if math.isnan(low)]
        if still:
            out.append(f"{rows.some(still)} did not vary in the replicates, which is no certainty: no interval")
        return out

    def __str__(self) -> str:
        """Return table and number of replicates."""
        return "\n\n".join([rows.text_table(*self.table_rows()), rows.text_lines(self.lines())])


def bootstrap_readers(study: Numbers, one: ReaderMetric, n_resamples: int, rng: Any) -> ReaderBootstrap:
    """Return the bootstrap of a metric; see :meth:`hitcurve.ReaderStudy.bootstrap`."""
    draws = _checks.resamples(n_resamples, least=LEAST, numbers=len(study.modalities) ** 2)
    rng, seed = seeded(rng, lambda: seed_of_values(one.value))
    found = np.concatenate([_means(study, one.metric, size, own) for size, own in blocks(draws, rng, _SIZE)])
    defined = ~np.isnan(found).any(axis=1)
    if defined.sum() < draws / 2:
        raise InsufficientDataError(
            f"{one.metric} is undefined on {draws - int(defined.sum())} of {draws} replicates: there are too few cases"
        )
    kept = found[defined]
    place = {name: i for i, name in enumerate(study.modalities)}
    pairs = [(place[difference.first], place[difference.second]) for difference in one.differences]
    every = np.column_stack([kept, *(kept[:, i] - kept[:, j] for i, j in pairs)])
    tail = (1 - study.confidence_level) / 2
    error = np.std(every, axis=0, ddof=1)
    low, high = np.where(np.ptp(every, axis=0) > HAIR, np.quantile(every, [tail, 1 - tail], axis=0), math.nan)
    shown: list[ReaderMean | ReaderDifference] = [*one.means, *one.differences]
    return ReaderBootstrap(
        str(one.metric),
        (*study.modalities, *(f"{difference.first} - {difference.second}" for difference in one.differences)),
        tuple(own.value for own in shown),
        tuple(error.tolist()),
        tuple(own.standard_error for own in shown),
        tuple(low.tolist()),
        tuple(high.tolist()),
        study.confidence_level,
        draws,
        draws - int(defined.sum()),
        seed,
    )


def _means(study: Numbers, metric: Quantity, size: int, rng: np.random.Generator) -> Array:
    """Return the mean of each modality in replicates, (size, I)."""
    readings = study.readings
    one = readings.ratings.shape[1]
    weights = np.ones((1, one)) if CASES not in study.random else _drawn_cases(study.study, size, rng)
    values = np.broadcast_to(study.study.of_weights(metric, weights), (size, len(readings.ratings)))
    out = np.empty((size, len(readings.modalities)))
    common = (
        None if READERS not in study.random else rng.integers(len(readings.readers), size=(size, len(readings.readers)))
    )
    for place in range(len(readings.modalities)):
        own = np.flatnonzero(readings.modality_of == place)
        if common is None:
            out[:, place] = values[:, own].mean(axis=1)
            continue
        # readers of their own are drawn anew for each modality
        nested = readings.nested == "readers in modalities"
        drawn = rng.integers(own.size, size=(size, own.size)) if nested else common
        out[:, place] = np.take_along_axis(values[:, own], drawn, axis=1).mean(axis=1)
    return out


def _drawn_cases(study: Study, size: int, rng: np.random.Generator) -> Array:
    """Return how often each case occurs in replicates, (size, n)."""
    readings = study.readings
    n = readings.positive.size
    if readings.clusters is not None:
        number = int(readings.clusters.max()) + 1
        return _multinomial(number, size, rng)[:, readings.clusters]
    # cases of their own are drawn for each reader or modality
    strata = np.unique(readings.expected, axis=1, return_inverse=True)[1].reshape(-1)
    if study.design == "case-control":
        strata = 2 * strata + readings.positive
    out = np.zeros((size, n))
    for stratum in np.unique(strata):
        own = np.flatnonzero(strata == stratum)
        out[:, own] = _multinomial(own.size, size, rng)
    return out


def _multinomial(number: int, size: int, rng: np.random.Generator) -> Array:
    return multinomial(rng, number, np.full(number, 1 / number), size).astype(float)
