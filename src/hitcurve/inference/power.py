"""How many subjects a difference needs."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hitcurve import _checks, rows
from hitcurve.errors import InsufficientDataError, ParameterError, UndefinedMetricError
from hitcurve.inference.joint import Joint
from hitcurve.metrics import Metric

_FEW = 20  # of a class, below which the normal formula is a rough guide


@dataclass(frozen=True)
class PowerAnalysis:
    """How many subjects a paired difference needs, or what power it has.

    Attributes
    ----------
    metric : Metric
    effect : float
        True difference that is to be found.
    power : float
    significance : float
        Two-sided level of the test.
    n_pos, n_neg : int
    """

    metric: Metric
    effect: float
    power: float
    significance: float
    n_pos: int
    n_neg: int

    def __str__(self) -> str:
        """Return one line."""
        return (
            f"{self.metric}: {self.n_pos:,} positives and {self.n_neg:,} negatives find a difference of "
            f"{rows.short(self.effect)} with power {self.power:.3f} at two-sided level {self.significance:g}"
            f"{' (approximate: so few)' if min(self.n_pos, self.n_neg) < _FEW else ''}"
        )


def analyse_power(
    metric: Metric,
    joint: Joint,
    first: str,
    second: str,
    effect: float,
    *,
    power: float | None,
    n_pos: int | None,
    n_neg: int | None,
    significance: float,
) -> PowerAnalysis:
    """PowerAnalysis a paired comparison from the influence values of a pilot; see :func:`hitcurve.power_analysis`."""
    from scipy.special import ndtr, ndtri

    effect = _checks.real_number("effect", effect)
    if effect == 0:
        raise ParameterError("effect must not be 0: no number of subjects finds no difference")
    low, high = metric.range
    if not abs(effect) < high - low:
        raise ParameterError(f"effect must be smaller than the range of {metric}, {high - low:g}, got {effect:g}")
    significance = _checks.open_unit("significance", significance)
    weights = joint.contrast(first, second, metric)
    by_pos, by_neg = joint.by_class(weights)
    if math.isnan(by_pos + by_neg):
        raise InsufficientDataError("one subject of a class in the pilot says nothing of how much the class varies")
    if not by_pos + by_neg > 0:
        raise UndefinedMetricError(f"{first!r} and {second!r} do not differ in the pilot: nothing can be planned")
    if joint.clustered:
        # clusters of the size they have in the pilot
        inflation = joint.clustered_variance(weights) / (by_pos + by_neg)
        by_pos, by_neg = by_pos * inflation, by_neg * inflation
    by_pos, by_neg = by_pos * joint.n_pos, by_neg * joint.n_neg  # of one subject of each class
    ratio = joint.n_neg / joint.n_pos
    z = float(ndtri(1 - significance / 2))
    if power is None:
        if n_pos is None:
            raise ParameterError("give power, or n_pos (and n_neg) to have the power")
        n_pos = _checks.whole_number("n_pos", n_pos)
        n_neg = max(round(n_pos * ratio), 1) if n_neg is None else _checks.whole_number("n_neg", n_neg)
        error = math.sqrt(by_pos / n_pos + by_neg / n_neg)
        reached = float(ndtr(abs(effect) / error - z) + ndtr(-abs(effect) / error - z))
        return PowerAnalysis(metric, effect, reached, significance, n_pos, n_neg)
    if n_pos is not None or n_neg is not None:
        raise ParameterError("give power or numbers of subjects, not both: one follows from the other")
    power = _checks.open_unit("power", power)
    if power <= significance:
        raise ParameterError(f"power must be above the significance {significance:g}, got {power:g}")
    needed = (by_pos + by_neg / ratio) * ((z + float(ndtri(power))) / effect) ** 2
    n_pos = max(math.ceil(needed), 2)
    return PowerAnalysis(metric, effect, power, significance, n_pos, max(math.ceil(n_pos * ratio), 2))
