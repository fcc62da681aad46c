"""Intervals from bootstrap replicates of one table."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from hitcurve import _checks
from hitcurve.counts import Array, Counts
from hitcurve.errors import InsufficientDataError, ParameterError, UndefinedMetricError
from hitcurve.inference.intervals.percentiles import bca, check_enough, percentile
from hitcurve.inference.resampling.resample import replicates
from hitcurve.inference.variance.influence import variances_of_replicates
from hitcurve.inference.variance.spread import Spread
from hitcurve.table import HitTable, table_of

METHODS = ("percentile", "bca", "studentized")


def recipe(method: str, n_resamples: int, rng: Any) -> Callable[[Spread, float], tuple[Array, Array]]:
    """Return what makes the interval of one list by ``percentile``, ``bca`` or ``studentized``."""
    ends = {"percentile": _percentile, "bca": _bca, "studentized": _studentized}[method]

    def draw(spread: Spread, level: float) -> tuple[Array, Array]:
        if spread.clustered is not None:
            raise ParameterError(
                f"method={method!r} cannot be combined with {spread.clustered.what}, because it draws single subjects: "
                "use 'auto'"
            )
        if spread.shape:
            raise ParameterError(
                f"method={method!r} draws replicates of one list: request the interval of each list separately"
            )
        count = _checks.resamples(n_resamples, least=2)
        check_enough(count, level)

        def statistics(of: Callable[[Counts], Array]) -> Array:
            values, _ = replicates(table_drawn(spread), of, spread.design, count, rng)
            return values[~np.isnan(values)]

        low, high = ends(spread, level, statistics)
        return np.asarray(low), np.asarray(high)

    return draw


def table_drawn(spread: Spread) -> HitTable:
    """Return the table that replicates of one list are drawn from."""
    return spread.rows if isinstance(spread.rows, HitTable) else table_of(spread.lists)


def _noise(spread: Spread) -> float:
    """Return what rounding may make of a difference or an error that is 0."""
    return 1e-12 * max(abs(float(spread.value)), 1.0)


_Statistics = Callable[[Callable[[Counts], Array]], Array]


def _percentile(spread: Spread, level: float, statistics: _Statistics) -> Any:
    return percentile(statistics(spread.metric.kernel), level)


def _bca(spread: Spread, level: float, statistics: _Statistics) -> Any:
    """Bias-corrected and accelerated percentiles; acceleration from the influence values."""
    drawn, phi = statistics(spread.metric.kernel), spread.influence
    if phi is None:
        raise UndefinedMetricError(f"method='bca' needs influence values, which {spread.metric} does not have here")
    squares = float(phi.variance(spread.sums))
    speed = float(phi.third_moment(spread.sums)) / (6 * squares**1.5) if squares > 0 else 0.0
    return bca(drawn, float(spread.value), speed, level)


def _studentized(spread: Spread, level: float, statistics: _Statistics) -> Any:
    """Bootstrap-t: each replicate over its own standard error."""
    metric = spread.metric
    if spread.influence is None:
        raise UndefinedMetricError(f"method='studentized' needs influence values, which {metric} does not have here")

    def studentize(c: Counts) -> Array:
        error = np.sqrt(variances_of_replicates(metric, c, spread.design))
        values = np.asarray(metric.kernel(c), float)
        deviation, varies = values - spread.value, error > _noise(spread)
        return np.asarray(np.divide(deviation, error, out=np.full(error.shape, math.nan), where=varies))

    drawn = statistics(studentize)
    if not drawn.size:
        raise InsufficientDataError(
            f"method='studentized' needs replicates in which {metric} varies, and there are none: use 'auto'"
        )
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    error = math.sqrt(spread.variance)
    return spread.value - high * error, spread.value - low * error
