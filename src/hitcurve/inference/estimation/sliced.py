"""Estimates of long lists that were read in slices: exact numbers beside a table of bins."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from hitcurve._cached import cached_property
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import ParameterError, UndefinedMetricError
from hitcurve.inference.estimation.chance import RandomTest
from hitcurve.inference.estimation.estimate import Estimate
from hitcurve.inference.estimation.found_cut import FoundCut, found_cut
from hitcurve.inference.estimation.in_slices import InSlices
from hitcurve.inference.intervals.interval import ConfidenceInterval
from hitcurve.inference.variance.half_subject import WithHalfSubject
from hitcurve.inference.variance.spread import Spread
from hitcurve.metrics import Metric
from hitcurve.table import HitTable

METHODS = ("auto", "half-subject", "wald", "logit", "jeffreys", "log")
"""Methods of intervals that need no more than sums over the rows, or the rows near a cutoff."""
_BY_CUT, _BY_SUMS = ("jeffreys", "log"), ("half-subject", "logit")


@dataclass(frozen=True)
class SlicedSpread(Spread):
    """How far a value is from the truth that was worked out in slices.

    Attributes
    ----------
    variance_read : float
    half : (float, float) or None
        Value and variance of the half-subject table.
    """

    variance_read: float = math.nan
    half: tuple[float, float] | None = None

    @cached_property
    def _variance(self) -> Array:
        return np.asarray(self.variance_read)

    @property
    def influence(self) -> None:
        """Influence values are added up, and not kept."""
        return

    @cached_property
    def with_half_subject(self) -> WithHalfSubject:
        """What half a subject more makes of the metric."""
        assert self.half is not None
        c = self.lists.with_half_subject.counts
        return WithHalfSubject(np.asarray(self.half[0]), np.asarray(self.half[1]), self.bounds_of(c))

    @cached_property
    def default_method(self) -> AnyArray:
        """The method of an interval for lists of any length."""
        return np.full(self.shape, "half-subject", object)

    @property
    def may_be_sliced(self) -> npt.NDArray[np.bool_]:
        """Nowhere: the region reads all rows."""
        return np.zeros(self.shape, bool)


def sliced_spread(metric: Metric, value: float, table: HitTable, design: str, read: InSlices) -> Spread:
    """Return how far a value is from the truth that was worked out in slices.

    Parameters
    ----------
    metric : Metric
    value : float
    table : HitTable
        Of bins.
    design : {"cohort", "case-control"}
    read : InSlices
    """
    if read.table is not None:
        return Spread(metric, read.table, design, may_draw=False, known=value)
    of_bins = HitTable(table.pos, table.neg, "rows", assumed_prevalence=table.assumed_prevalence)
    given = (metric, of_bins, design)
    return SlicedSpread(*given, may_draw=False, known=value, variance_read=read.variance, half=read.half)


def needs_all_rows(what: str, rankers: str) -> str:
    """Say that something is not to be had of rankers that were read in slices, and what to do."""
    return (
        f"{what} needs all rows of {rankers} at once, and they were read in slices from the disk: evaluate "
        "with bins= (--bins), or with a larger max_grid (--max-grid) and memory_limit (--memory-limit)"
    )


@dataclass(frozen=True, eq=False)
class SlicedEstimate(Estimate):
    """An estimate whose numbers were worked out slice by slice; what needs all rows at once raises an error.

    Attributes
    ----------
    table : HitTable
        Of bins.
    """

    _read: InSlices | None = None

    @cached_property
    def _spread(self) -> Spread:
        if math.isnan(self.value):
            raise UndefinedMetricError(f"{self.metric} of {self.ranker!r} is undefined, so it has no standard error")
        return sliced_spread(self.metric, self.value, self.table, self.design, self._numbers)

    @property
    def _numbers(self) -> InSlices:
        assert self._read is not None
        return self._read

    def confidence_interval(
        self,
        confidence_level: float | None = None,
        *,
        method: str | None = None,
        n_resamples: int | None = None,
        rng: Any = None,
    ) -> ConfidenceInterval:
        """Return a confidence interval; see :meth:`Estimate.confidence_interval`.

        Raises
        ------
        ParameterError
            If the method needs all rows at once.
        """
        how = self._method if method is None else method
        step = self._spread.step
        if how not in METHODS or how in (_BY_SUMS if step is not None else _BY_CUT):
            self._refuse(f"method={how!r}")
        by_cut = how == "auto" and step is not None
        chosen = step.by_formula if by_cut and step is not None else how
        return super().confidence_interval(confidence_level, method=chosen, n_resamples=n_resamples, rng=rng)

    def _refuse(self, what: str) -> NoReturn:
        raise ParameterError(needs_all_rows(what, repr(self.ranker)))

    @cached_property
    def interval_method(self) -> str:
        """The method of ``interval``."""
        return "" if self.interval is None else str(self.interval.method)

    @property
    def standard_error_source(self) -> str:
        """Where the standard error comes from."""
        return "influence values, slice by slice"

    @property
    def bias_reduced(self) -> None:
        """None: the leave-one-out estimate needs all rows at once."""
        return

    def test_random(self, *, alternative: str = "greater", n_resamples: int = 9999, rng: Any = None) -> RandomTest:
        """Raise an error: random orders need all rows at once."""
        self._refuse("a test against random orders")

    @property
    def tied(self) -> float:
        """Number of subjects whose score occurs in both classes."""
        return self._numbers.tied[0]

    @cached_property
    def tie_range(self) -> tuple[float, float] | None:
        """Values with every tie broken against and in favour of the positives; None without ties."""
        return self._numbers.ties

    @cached_property
    def cut(self) -> FoundCut | None:
        """Score and depth of the cutoff of a metric that has one."""
        table = self._numbers.table
        if table is None or math.isnan(self.value):
            return None
        return found_cut(self._spread, table, higher_is_better=self._higher_is_better)

    @cached_property
    def convention(self) -> str:
        """The definition used where tools differ."""
        found = str(self.metric.convention(self.table))
        return "" if found.startswith("ties=") and not any(self._numbers.tied) else found
