"""A difference of two estimates with its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from hitcurve import _checks
from hitcurve.counts import Array
from hitcurve.errors import ParameterError
from hitcurve.immutable import Compared
from hitcurve.inference.intervals import percentiles
from hitcurve.inference.intervals.boundaries import Boundary, taken_to_t
from hitcurve.inference.intervals.interval import ConfidenceInterval
from hitcurve.inference.intervals.inversion import SquareAndAdd
from hitcurve.inference.quantiles import t_quantile
from hitcurve.metrics import Metric

INTERVALS = ("normal", "percentile", "bca")
"""Intervals of a difference that may be asked for; the last two are of bootstrap replicates."""

OF_SIDES = {"inversion": "method='inversion'", "profile": "a metric at a fixed FPR or recall"}
"""Intervals made of those of both estimates, and what they need."""


@dataclass(frozen=True, eq=False)
class Difference(Compared):
    """A difference of two estimates, first minus second.

    Attributes
    ----------
    value : float
    standard_error : float
        nan where the method gives none.
    degrees_of_freedom : float
        Of the t quantile of its interval; inf for a normal one.
    confidence_level : float
    limit : float
        The largest difference that the range of the metric allows; intervals end there.
    interval_method : {"normal", "percentile", "bca", "inversion", "profile"}
        What ``confidence_interval`` takes if it is not asked for another.
    replicates : array (n_resamples,) or None
        The differences of the bootstrap, None of other methods.
    acceleration : float
        Of the BCa interval; nan where the metric has no influence values.
    sides : SquareAndAdd or None
        The intervals by inversion, or the profiles, of both estimates; None of other methods.
    boundary : Boundary or None
        Of an interval that holds at every look while labels arrive, in place of a quantile of one look.
    """

    value: float
    standard_error: float
    degrees_of_freedom: float = math.inf
    confidence_level: float = 0.95
    limit: float = math.inf
    interval_method: str = "normal"
    replicates: Array | None = field(default=None, repr=False, compare=False)
    acceleration: float = field(default=math.nan, repr=False, compare=False)
    sides: SquareAndAdd | None = field(default=None, repr=False, compare=False)
    boundary: Boundary | None = None

    def confidence_interval(
        self, confidence_level: float | None = None, *, method: str | None = None
    ) -> ConfidenceInterval:
        """Return an interval of the difference.

        Parameters
        ----------
        confidence_level : float, optional
        method : {"normal", "percentile", "bca", "inversion", "profile"}, optional
            ``normal``: value -+ standard errors, t where there are degrees of freedom. Of the replicates of a bootstrap
            their ``percentile``, or those corrected for bias and acceleration (``bca``, Efron 1987). ``inversion``:
            square-and-add of the intervals of both estimates, of a comparison by that method; ``profile``: the same of
            metrics at a fixed FPR or recall. The one of the comparison if absent.

        Raises
        ------
        ParameterError
            If the level is not in (0, 1), or the method is none of these or needs what this comparison has not.
        """
        level = self.confidence_level if confidence_level is None else confidence_level
        level = _checks.level("confidence_level", level)
        method = self.interval_method if method is None else method
        _checks.choice("method", method, (*INTERVALS, *OF_SIDES))
        if method in OF_SIDES:
            if self.sides is None or method != self.interval_method:
                needed = OF_SIDES[method]
                raise ParameterError(f"a {method} interval of a difference needs {needed} of the comparison")
            return ConfidenceInterval(*self.sides.limits(level), method)
        if method != "normal":
            return self._of_replicates(method, level)
        if self.standard_error == 0:
            return ConfidenceInterval(self.value, self.value)
        return self.within(self._quantile(level) * self.standard_error)

    def _quantile(self, level: float) -> float:
        if self.boundary is not None:
            return taken_to_t(self.boundary.critical(level), self.degrees_of_freedom)
        return float(t_quantile((1 + level) / 2, self.degrees_of_freedom))

    @property
    def width_factor(self) -> float | None:
        """How many times as wide the interval is as that of a single look; None unless it is of many looks."""
        if self.boundary is None:
            return None
        return self._quantile(self.confidence_level) / replace(self, boundary=None)._quantile(self.confidence_level)

    def _of_replicates(self, method: str, level: float) -> ConfidenceInterval:
        drawn = self.replicates
        if drawn is None:
            raise ParameterError(f"a {method} interval needs bootstrap replicates: compare with method='bootstrap'")
        drawn = drawn[~np.isnan(drawn)]
        percentiles.check_enough(drawn.size, level)
        if method == "percentile":
            low, high = percentiles.percentile(drawn, level)
        elif math.isnan(self.acceleration):
            raise ParameterError(
                "a bca interval needs influence values, which are not available here: use 'percentile'"
            )
        else:
            low, high = percentiles.bca(drawn, self.value, self.acceleration, level)
        return ConfidenceInterval(float(low), float(high), method)

    def mirrored(self) -> Difference:
        """Return the second minus the first."""
        return replace(
            self,
            value=-self.value + 0.0,
            replicates=None if self.replicates is None else -self.replicates,
            acceleration=-self.acceleration,
            sides=None if self.sides is None else self.sides.mirrored(),
        )

    def within(self, half: float) -> ConfidenceInterval:
        """Return the interval of a half width, inside what the range of the metric allows."""
        return ConfidenceInterval(max(self.value - half, -self.limit), min(self.value + half, self.limit))

    def __float__(self) -> float:
        """Return the value."""
        return self.value


def widest_difference(metric: Metric) -> float:
    """Return the largest difference that the range of a metric allows."""
    low, high = metric.range
    return high - low if math.isfinite(high - low) else math.inf
