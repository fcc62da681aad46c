"""How many groups a difference needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from hitcurve import _checks, rows
from hitcurve.counts import Array
from hitcurve.errors import InsufficientDataError, ParameterError, UndefinedMetricError
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.rounding import deviation, scale_of
from hitcurve.metrics import Metric

_MOST = 10**9
_LEVEL = 0.95  # of the interval that the pilot gives


@dataclass(frozen=True)
class GroupPower:
    """How many groups the paired t test of a difference needs, or what power it has.

    Attributes
    ----------
    metric : Metric
    rankers : (str, str)
        First and second, of the difference.
    effect : float
        True mean difference to be detected.
    power : float
    significance : float
        Two-sided level of the test.
    n_groups : int
    deviation : float
        Standard deviation of the differences in the pilot.
    n_pilot : int
        Groups of the pilot.
    n_groups_interval : (int, int) or None
        Where the number was asked for: a 95% interval of it, as the pilot does not know the deviation.
    power_interval : (float, float) or None
        Where the power was asked for: a 95% interval of it, likewise.
    unit : {"groups", "topics"}
    """

    metric: Metric
    rankers: tuple[str, str]
    effect: float
    power: float
    significance: float
    n_groups: int
    deviation: float
    n_pilot: int
    n_groups_interval: tuple[int, int] | None = None
    power_interval: tuple[float, float] | None = None
    unit: str = "groups"

    def to_record(self) -> dict[str, Any]:
        """Return the numbers as plain values, always with the same keys; unknown values are None."""
        low, high = self.n_groups_interval or (None, None)
        low_power, high_power = self.power_interval or (None, None)
        return {
            "metric": str(self.metric),
            "first": self.rankers[0],
            "second": self.rankers[1],
            "effect": self.effect,
            "power": self.power,
            "power_low": low_power,
            "power_high": high_power,
            "significance": self.significance,
            "n_groups": self.n_groups,
            "n_groups_low": low,
            "n_groups_high": high,
            "deviation": self.deviation,
            "n_pilot": self.n_pilot,
            "unit": self.unit,
        }

    def __str__(self) -> str:
        """Return the numbers in one sentence, with the interval that the pilot gives."""
        text = (
            f"{self.metric}{rows.of_rankers(self.rankers)}: {self.n_groups:,} {self.unit} find a mean difference of "
            f"{rows.short(self.effect)} with power {self.power:.3f} at two-sided level {self.significance:g}; from "
            f"{self.n_pilot:,} {self.unit} in the pilot (standard deviation {rows.short(self.deviation)}), the 95% "
            "interval is "
        )
        if self.n_groups_interval is not None:
            return text + " to ".join(f"{end:,}" for end in self.n_groups_interval) + f" {self.unit}"
        return text + "power " + " to ".join(f"{end:.3f}" for end in self.power_interval or ())


def power_of_t(effect: float, deviation: float, groups: int, significance: float) -> float:
    """Return the power of the two-sided paired t test."""
    from scipy.special import nctdtr, ndtr

    distance, degrees = abs(effect) * math.sqrt(groups) / deviation, groups - 1
    limit = t_quantile(1 - significance / 2, degrees)
    if degrees > 1e6 or distance > 30:
        return float(ndtr(distance - limit) + ndtr(-distance - limit))
    return float(1 - nctdtr(degrees, distance, limit) + nctdtr(degrees, distance, -limit))


def groups_needed(effect: float, deviation: float, significance: float, power: float) -> int:
    """Return the least number of groups with this power.

    Raises
    ------
    ParameterError
        If it is beyond all measure.
    """
    low, high = 1, 2
    while power_of_t(effect, deviation, high, significance) < power:
        low, high = high, 2 * high
        if high > _MOST:
            raise ParameterError(f"effect {effect:g} is too small: it needs more than {_MOST:,} groups")
    while high - low > 1:
        middle = (low + high) // 2
        reached = power_of_t(effect, deviation, middle, significance) >= power
        low, high = (low, middle) if reached else (middle, high)
    return high


def plan_groups(
    metric: Metric,
    rankers: tuple[str, str],
    differences: Array,
    effect: float,
    *,
    power: float | None,
    n_groups: int | None,
    significance: float,
    unit: str = "groups",
) -> GroupPower:
    """Plan the paired t test over groups from the differences of a pilot.

    The interval has the deviation at both ends of its 95% interval, by chi-squared with one degree of freedom less than
    groups.

    Parameters
    ----------
    metric : Metric
    rankers : (str, str)
    differences : array (G,)
        Of these rankers, in each group of the pilot.
    effect : float
    power : float or None
    n_groups : int or None
        Exactly one of ``power`` and ``n_groups``.
    significance : float
    unit : {"groups", "topics"}

    Raises
    ------
    ParameterError
        If an argument is out of range.
    InsufficientDataError, UndefinedMetricError
        If the pilot has one group, or its differences do not vary.
    """
    from scipy.special import chdtri

    effect = _checks.real_number("effect", effect)
    low, high = metric.range
    if effect == 0 or not abs(effect) < high - low:
        raise ParameterError(
            f"effect must not be 0 and smaller than the range of {metric}, {high - low:g}, got {effect:g}"
        )
    significance = _checks.level("significance", significance)
    if (power is None) == (n_groups is None):
        raise ParameterError(f"give either power or n_groups, the number of {unit}")
    if differences.size < 2:
        raise InsufficientDataError(f"the pilot needs at least 2 {unit}, got {differences.size}")
    spread = float(deviation(differences, scale_of(differences)))
    if not spread:
        raise UndefinedMetricError(f"the differences of the pilot do not vary over {unit}, so nothing can be planned")
    degrees = differences.size - 1
    ends = [spread * math.sqrt(degrees / float(chdtri(degrees, t))) for t in ((1 - _LEVEL) / 2, (1 + _LEVEL) / 2)]
    known: dict[str, Any] = {"deviation": spread, "n_pilot": int(differences.size), "unit": unit}
    if n_groups is not None:
        n_groups = _checks.whole_number("n_groups", n_groups, least=2)
        powers = [power_of_t(effect, end, n_groups, significance) for end in ends]
        reached = power_of_t(effect, spread, n_groups, significance)
        return GroupPower(
            metric, rankers, effect, reached, significance, n_groups, power_interval=(powers[1], powers[0]), **known
        )
    power = _checks.open_unit("power", power)
    if power <= significance:
        raise ParameterError(f"power must be above the significance {significance:g}, got {power:g}")
    low_number, number, high_number = (
        groups_needed(effect, end, significance, power) for end in (ends[0], spread, ends[1])
    )
    return GroupPower(
        metric, rankers, effect, power, significance, number, n_groups_interval=(low_number, high_number), **known
    )
