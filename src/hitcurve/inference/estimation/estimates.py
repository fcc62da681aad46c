"""Estimates of many lists at once, as columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from hitcurve.counts import AnyArray, Array
from hitcurve.inference.intervals.interval import intervals
from hitcurve.inference.variance.dependent import Clustered
from hitcurve.inference.variance.lacking import without_error
from hitcurve.inference.variance.spread import Spread
from hitcurve.metrics import Metric
from hitcurve.refusals import reasons
from hitcurve.sums import Lists


@dataclass(frozen=True)
class Estimates:
    """One metric of many lists, with its uncertainty: the columns of which an ``Estimate`` is one entry.

    Attributes
    ----------
    value, standard_error, low, high : array (L,)
        nan where there is none.
    method : array of str (L,)
        Of the interval; empty where there is none.
    reason : array of str (L,)
        Why the value, the standard error or the interval cannot be had; empty where all three are there.
    seed : array of int or None (L,)
        What was drawn for the interval with; None by formula.
    """

    value: Array
    standard_error: Array
    low: Array
    high: Array
    method: AnyArray
    reason: AnyArray
    seed: AnyArray

    @classmethod
    def of(
        cls,
        metric: Metric,
        lists: Lists,
        *,
        design: str,
        confidence_level: float,
        clustered: Clustered | None = None,
        may_draw: bool = True,
        known: Array | None = None,
    ) -> Self:
        """Evaluate a metric on lists side by side, with standard errors and default intervals.

        Parameters
        ----------
        metric : Metric
        lists : Lists
            With one leading axis.
        design : {"cohort", "case-control"}
        confidence_level : float in (0, 1)
        clustered : Clustered, optional
            Variance and degrees of freedom of each list, where its subjects depend on each other within clusters.
        may_draw : bool
            Whether default intervals may be of methods that draw.
        known : array (L,), optional
            The values, where they were worked out before.
        """
        lists = lists.of_gaps
        c = lists.counts
        reason = reasons(metric.undefined(c), lists.shape)
        there = reason == ""
        value, error, low, high = (np.full(lists.shape, np.nan) for _ in range(4))
        method, seed = np.full(lists.shape, "", object), np.full(lists.shape, None, object)
        if there.any():
            whole = Spread(metric, lists, design, clustered, may_draw, known)
            spread = whole if there.all() else whole.of(there)
            with np.errstate(all="ignore"):  # lists that are refused on the way
                ends = intervals(spread, confidence_level)
                value[there], error[there] = spread.value, spread.standard_error
            low[there], high[there], method[there], seed[there] = ends.low, ends.high, ends.method, ends.seed
            without = reasons(without_error(spread), spread.shape)
            reason[there] = np.where(without == "", ends.reason, without)
        return cls(value, error, low, high, method, reason, seed)
