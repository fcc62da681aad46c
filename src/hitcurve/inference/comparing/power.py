"""How many subjects a difference needs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hitcurve import _checks, rows
from hitcurve.counts import Array
from hitcurve.errors import InsufficientDataError, ParameterError, UndefinedMetricError
from hitcurve.inference.comparing.which_test import is_delong
from hitcurve.inference.estimation.estimate import Estimate
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.variance.dependent import one_cluster
from hitcurve.inference.variance.joint import Joint
from hitcurve.metrics import Metric

_FEW = 20  # of a class, below which the formula is a rough guide
_LONGER = 1.5  # times the list of a pilot
_MOST = 10**12  # positives


@dataclass(frozen=True)
class PowerAnalysis:
    """Number of subjects needed to detect a difference, or the power of a number of subjects.

    Attributes
    ----------
    metric : Metric
    rankers : (str, str)
        First and second, of the difference.
    effect : float
        True difference to be detected.
    power : float
    significance : float
        Two-sided level of the test.
    n_pos, n_neg : int
    n_pos_interval : (int, int) or None
        95% interval of the number of positives, if numbers were computed: the pilot only estimates the variance of the
        difference. None if it is missing, see ``no_interval``.
    power_interval : (float, float) or None
        95% interval of the power, if the power was computed.
    n_pos_pilot : float
        Effective number of positives in the pilot.
    seed : int or None
        Seed of the replicates behind the interval; None without an interval.
    no_interval : str or None
        Reason for a missing interval; None if there is an interval.
    paired : bool
        Whether both rankers rank the same subjects. If not, each ranks so many subjects of its own.
    cautions : tuple of str
        Caveats on the variance that the pilot has.
    """

    metric: Metric
    rankers: tuple[str, str]
    effect: float
    power: float
    significance: float
    n_pos: int
    n_neg: int
    n_pos_interval: tuple[int, int] | None = None
    power_interval: tuple[float, float] | None = None
    n_pos_pilot: float = math.nan
    seed: int | None = None
    no_interval: str | None = None
    paired: bool = True
    cautions: tuple[str, ...] = ()

    def to_record(self) -> dict[str, Any]:
        """Return the numbers as plain values. The keys are the same for all requests; missing values are None."""
        low, high = self.n_pos_interval or (None, None)
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
            "n_pos": self.n_pos,
            "n_neg": self.n_neg,
            "n_pos_low": low,
            "n_pos_high": high,
            "n_pos_pilot": self.n_pos_pilot,
            "seed": self.seed,
            "no_interval": self.no_interval,
            "paired": self.paired,
        }

    def __str__(self) -> str:
        """Return the numbers in one sentence, the uncertainty of the pilot in another, and caveats below."""
        few = " (approximate: so few)" if min(self.n_pos, self.n_neg) < _FEW else ""
        said = (
            f"{self.metric}{rows.of_rankers(self.rankers)}: {self.n_pos:,} positives and {self.n_neg:,} negatives"
            f"{self._for_each} find a difference of {rows.short(self.effect)} with power {self.power:.3f} at two-sided "
            f"level {self.significance:g}{few}{self._of_the_pilot}"
        )
        return "\n".join([said, *self.notes()])

    def notes(self) -> list[str]:
        """Return the cautions, a line each."""
        return [f"note: {text}" for text in self.cautions]

    def _repr_html_(self) -> str:
        """Return the numbers as a table of a notebook."""
        lines = {
            "metric": str(self.metric),
            "rankers": " and ".join(self.rankers),
            "difference": rows.short(self.effect),
            "power": f"{self.power:.3f}",
            "two-sided level": f"{self.significance:g}",
            f"positives{self._for_each}": f"{self.n_pos:,}",
            f"negatives{self._for_each}": f"{self.n_neg:,}",
        }
        if self.n_pos_interval is not None:
            lines["95% interval of the positives"] = " to ".join(f"{end:,}" for end in self.n_pos_interval)
        if self.power_interval is not None:
            lines["95% interval of the power"] = " to ".join(f"{end:.3f}" for end in self.power_interval)
        if self.no_interval is not None:
            lines["95% interval"] = f"none: {self.no_interval}"
        if not math.isnan(self.n_pos_pilot):
            lines["positives in the pilot"] = rows.short(self.n_pos_pilot)
        return rows.html_block(
            [rows.html_table([], list(map(list, lines.items()))), rows.html_paragraphs(self.notes())]
        )

    @property
    def _for_each(self) -> str:
        return "" if self.paired else " for each ranker"

    @property
    def _of_the_pilot(self) -> str:
        size = f"; from {rows.short(self.n_pos_pilot)} positives in the pilot, the 95% interval is"
        if self.n_pos_interval is not None:
            low, high = self.n_pos_interval
            return f"{size} {low:,} to {high:,} positives"
        if self.power_interval is not None:
            low_power, high_power = self.power_interval
            return f"{size} power {low_power:.3f} to {high_power:.3f}"
        return "" if self.no_interval is None else f"; the pilot gives no 95% interval: {self.no_interval}"


class Variances(NamedTuple):
    """Variance of a difference by one subject of each class, and what decides on the degrees of freedom.

    Attributes
    ----------
    pos, neg : float
    ratio : float
        Negatives for each positive.
    clusters : float or None
        Clusters that hold a positive, for each positive.
    of_delong : callable
        Whether so many positives and negatives have a normal test, such as DeLong's.
    n_pos : float
        Effective number of positives in the pilot.
    paired : bool
    cautions : tuple of str
    """

    pos: float
    neg: float
    ratio: float
    clusters: float | None
    of_delong: Callable[[int, int], bool]
    n_pos: float
    paired: bool = True
    cautions: tuple[str, ...] = ()

    def times(self, factor: float) -> Variances:
        """Return variances that are larger by a factor."""
        return self._replace(pos=self.pos * factor, neg=self.neg * factor)

    def power(self, effect: float, significance: float, n_pos: int, n_neg: int) -> float:
        """Return the power of the t test."""
        by_pos, by_neg = self.pos / n_pos, self.neg / n_neg
        distance = abs(effect) / math.sqrt(by_pos + by_neg)
        return power_of_t(distance, self._degrees(by_pos, by_neg, n_pos, n_neg), significance)

    def _degrees(self, by_pos: float, by_neg: float, n_pos: int, n_neg: int) -> float:
        if self.clusters is not None:
            return max(self.clusters * n_pos - 1, 1.0)
        if self.of_delong(n_pos, n_neg):
            return math.inf
        parts = ((by_pos, n_pos), (by_neg, n_neg))
        return (by_pos + by_neg) ** 2 / sum(v**2 / max(n - 1, 1) for v, n in parts)

    def negatives(self, n_pos: int) -> int:
        """Return the number of negatives beside so many positives."""
        return max(math.ceil(n_pos * self.ratio), 2)

    def needed(self, effect: float, significance: float, power: float) -> int:
        """Return the least number of positives with this power."""

        def reached(n_pos: int) -> bool:
            return self.power(effect, significance, n_pos, self.negatives(n_pos)) >= power

        low, high = 1, 2
        while not reached(high):
            low, high = high, 2 * high
            if high > _MOST:
                raise ParameterError(f"effect {effect:g} is too small: it needs more than {_MOST:,} positives")
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if reached(middle) else (middle, high)
        return high


def power_of_t(distance: float, degrees: float, significance: float, *, two_sided: bool = True) -> float:
    """Return the power of a t test of a difference that is so many standard errors from the null.

    A one-sided test has half the significance.
    """
    from scipy.special import nctdtr, ndtr

    limit = t_quantile(1 - significance / 2, degrees)
    if degrees > 1e6 or abs(distance) > 30:
        below, above = float(ndtr(-distance - limit)), float(ndtr(distance - limit))
    else:
        below, above = float(nctdtr(degrees, distance, -limit)), float(1 - nctdtr(degrees, distance, limit))
        if math.isnan(below + above):  # too far for the series: nearly normal (Johnson and Welch 1940)
            below, above = 0.0, float(ndtr((distance - limit) / math.sqrt(1 + limit**2 / (2 * degrees))))
    return above + below if two_sided else above


def analyse_power(
    metric: Metric,
    rankers: tuple[str, str],
    found: Variances,
    effect: float,
    *,
    power: float | None,
    n_pos: int | None,
    n_neg: int | None,
    significance: float,
    drawn: Callable[[], tuple[Array, int | None]] | str,
) -> PowerAnalysis:
    """Analyse the power of a comparison from the variances of a pilot; see :func:`hitcurve.power_analysis`.

    ``drawn`` gives the variance of the difference in bootstrap replicates of the pilot, and their seed; or it is the
    reason why there are none.
    """
    effect = _checks.real_number("effect", effect)
    if effect == 0:
        raise ParameterError("effect must not be 0, which no number of subjects can detect")
    low, high = metric.range
    if not abs(effect) < high - low:
        raise ParameterError(f"effect must be smaller than the range of {metric}, {high - low:g}, got {effect:g}")
    significance = _checks.level("significance", significance)
    if power is None:
        if n_pos is None:
            raise ParameterError("give power, or n_pos (and n_neg) to compute the power")
        n_pos = _checks.whole_number("n_pos", n_pos)
        n_neg = max(round(n_pos * found.ratio), 1) if n_neg is None else _checks.whole_number("n_neg", n_neg)
        reached = found.power(effect, significance, n_pos, n_neg)
        factors, seed, why_not = factors_of(drawn)
        powers = [found.times(factor).power(effect, significance, n_pos, n_neg) for factor in factors]
        return PowerAnalysis(
            metric,
            rankers,
            effect,
            reached,
            significance,
            n_pos,
            n_neg,
            power_interval=(powers[1], powers[0]) if powers else None,
            n_pos_pilot=found.n_pos,
            seed=seed,
            no_interval=why_not,
            paired=found.paired,
            cautions=(*found.cautions, *_of_another_length(metric, found.n_pos, n_pos)),
        )
    if n_pos is not None or n_neg is not None:
        raise ParameterError("give either power or numbers of subjects, because each determines the other")
    power = _checks.open_unit("power", power)
    if power <= significance:
        raise ParameterError(f"power must be above the significance {significance:g}, got {power:g}")
    n_pos = found.needed(effect, significance, power)
    factors, seed, why_not = factors_of(drawn)
    numbers = [found.times(factor).needed(effect, significance, power) for factor in factors]
    return PowerAnalysis(
        metric,
        rankers,
        effect,
        power,
        significance,
        n_pos,
        found.negatives(n_pos),
        n_pos_interval=(numbers[0], numbers[1]) if numbers else None,
        n_pos_pilot=found.n_pos,
        seed=seed,
        no_interval=why_not,
        paired=found.paired,
        cautions=(*found.cautions, *_of_another_length(metric, found.n_pos, n_pos)),
    )


def _of_another_length(metric: Metric, pilot: float, planned: int) -> tuple[str, ...]:
    """Say so where a metric of ranks is planned for lists of another length, whose variance does not follow."""
    if metric.axis != "rank" or 1 / _LONGER <= planned / pilot <= _LONGER:
        return ()
    return (
        f"{metric} depends on the length of the list: its variance with {planned:,} positives does not follow from "
        f"a pilot of {pilot:.4g} (from one 20 times as large a power of .93 was promised, and .60 simulated); take a "
        "pilot of about the planned length",
    )


def variances_of(metric: Metric, joint: Joint, first: str, second: str) -> Variances:
    """Return the variance of a difference by one subject of each class, as a pilot has it.

    Raises
    ------
    InsufficientDataError, UndefinedMetricError
        If the pilot has one subject of a class, or its rankers do not differ.
    """
    weights = joint.contrast(first, second, metric)
    by_pos, by_neg = joint.by_class(weights)
    if math.isnan(by_pos + by_neg):
        raise InsufficientDataError("the pilot needs at least 2 subjects of each class")
    if not by_pos + by_neg > 0:
        raise UndefinedMetricError(
            f"{first!r} and {second!r} do not differ in the pilot, which gives no variance to plan with"
        )
    clusters = None
    if joint.clustered:
        # clusters of the size they have in the pilot
        inflation = joint.clustered_variance(weights) / (by_pos + by_neg)
        by_pos, by_neg = by_pos * inflation, by_neg * inflation
        clusters = (joint.cluster_degrees + 1) / joint.n_pos
    return Variances(
        by_pos * joint.n_pos,
        by_neg * joint.n_neg,
        joint.n_neg / joint.n_pos,
        clusters,
        lambda n_pos, n_neg: not joint.clustered and is_delong(metric, n_pos, n_neg),
        joint.n_pos,
        cautions=tuple(one_cluster(joint.heaviest_cluster)),
    )


def variances_of_counts(first: Estimate, second: Estimate, correlation: float | None) -> Variances:
    """Return the variance of a difference of two estimates from counts, as the test of two samples has it.

    Both classes grow together: the variance of each estimate is divided by the factor by which its positives grow.

    Raises
    ------
    ParameterError, UndefinedMetricError
        If there is no such correlation, or the difference does not vary.
    """
    rho = 0.0 if correlation is None else _checks.real_number("correlation", correlation)
    if not -1 <= rho <= 1:
        raise ParameterError(f"correlation must lie in [-1, 1], got {correlation!r}")
    sizes = np.array([one.n_effective for one in (first, second)])
    a, b = np.array([one.standard_error for one in (first, second)]) * np.sqrt(sizes[:, 0])
    variance = float(a * a + b * b - 2 * rho * a * b)
    if not variance > 0:
        raise UndefinedMetricError(
            f"the difference of {first.ranker!r} and {second.ranker!r} does not vary in the pilot, which gives no "
            "variance to plan with"
        )
    ratio = float(sizes[:, 1].sum() / sizes[:, 0].sum())
    paired = correlation is not None
    return Variances(variance, 0.0, ratio, None, lambda n_pos, n_neg: True, float(sizes[:, 0].min()), paired)


def factors_of(
    drawn: Callable[[], tuple[Array, int | None]] | str,
) -> tuple[list[float], int | None, str | None]:
    """Return the ends of a 95% interval of the variance, over the variance; or none, and the reason.

    The variance is taken as chi-squared, with the degrees of freedom that its logarithm has over the replicates.
    """
    from scipy.special import chdtri

    if isinstance(drawn, str):
        return [], None, drawn
    replicates, seed = drawn()
    logs = np.log(replicates[replicates > 0])
    if logs.size < replicates.size / 2 or not np.ptp(logs) > 0:
        return [], None, f"{logs.size} of {replicates.size} bootstrap replicates have a variance, and it must vary"
    degrees = max(2 / float(np.var(logs, ddof=1)), 1.0)
    return [degrees / float(chdtri(degrees, tail)) for tail in (0.025, 0.975)], seed, None
