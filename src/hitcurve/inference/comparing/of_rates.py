"""Two rankers at a fixed FPR or recall: the test on the log of the FPR, and intervals made of two profiles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hitcurve import rows
from hitcurve.errors import InsufficientDataError, ParameterError
from hitcurve.inference.comparing.formula import t_test
from hitcurve.inference.estimation.difference import Difference
from hitcurve.inference.intervals.inversion import SquareAndAdd
from hitcurve.inference.intervals.operating import profile_at
from hitcurve.inference.pvalues import Outcome
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.variance.joint import Joint
from hitcurve.inference.variance.spread import Spread

_DEEP, _FEW_BEYOND = 0.8, 10  # a recall, and positives below the cut of a deeper one


@dataclass(frozen=True)
class ProfiledSide:
    """The profile intervals of all levels of one list."""

    spread: Spread
    degrees: float = math.inf

    @property
    def value(self) -> float:
        """The plug-in value."""
        return float(self.spread.value)

    def limits(self, level: float) -> tuple[float, float]:
        """Return the interval of a level."""
        return self.at(float(t_quantile((1 + level) / 2, math.inf)))

    def at(self, t: float, more: float = 1.0) -> tuple[float, float]:
        """Return the interval at a normal deviate; its width needs no factor."""
        low, high = profile_at(self.spread, t)
        return min(float(low), self.value), max(float(high), self.value)


def has_log_test(spread: Spread, joint: Joint) -> bool:
    """Say whether two values are compared by the log of the FPR at their recall."""
    one_by_one = not joint.clustered and not spread.sums.weighted
    return one_by_one and spread.is_profiled and spread.step is not None and spread.step.axis == "recall"


def few_beyond(spread: Spread) -> str | None:
    """Say so where few positives are below the cut of a deep recall: tests by formula have a size up to .28 there."""
    step = spread.step
    if step is None or step.axis != "recall" or step.place <= _DEEP + 1e-9:
        return None
    left = float(spread.effective[0]) * (1 - float(step.place))
    few = f"{rows.counted(left, 'positive', 3)} {'is' if left == 1 else 'are'}"
    return None if left >= _FEW_BEYOND - 1e-9 else f"only {few} below recall {float(step.place):.6g}"


def refuse_few_beyond(spread: Spread, method: str) -> None:
    """Refuse a test by formula at a recall below which few positives are.

    Raises
    ------
    InsufficientDataError
    """
    few = few_beyond(spread) if spread.is_profiled and method in ("delta", "log-delta") else None
    if few:
        raise InsufficientDataError(
            f"{few}: the size of the {method} test is up to .28 at the 5% level with fewer than {_FEW_BEYOND}; use "
            "method='swap-permutation' (--method swap-permutation), which needs labels and scores"
        )


def log_test(spreads: Sequence[Spread], joint: Joint, names: tuple[str, str], null: float, alternative: str) -> Outcome:
    """Test whether two rankers have the same FPR at a recall, on its log.

    Precision at a recall is equal exactly if the FPR is: one test for both.

    Raises
    ------
    ParameterError
        If the metric has no such cut, or the null difference is not 0.
    """
    metric = spreads[0].metric
    if not has_log_test(spreads[0], joint):
        raise ParameterError(
            f"method='log-delta' is for metrics at a recall, of subjects without weights and clusters, not for {metric}"
        )
    if null != 0:
        raise ParameterError(f"method='log-delta' tests a difference of 0 only, got null={null:g}: use 'delta'")
    weights, log_of_fpr, by_prevalence, side = joint.contrast(*names, metric), 0.0, 0.0, 1.0
    for name, spread, sign in zip(names, spreads, (1, -1), strict=True):
        fpr, factor, offset_slope = _at_recall(spread)
        middle, side = (joint.n_neg * fpr + 0.5) / (joint.n_neg + 1), math.copysign(1.0, factor)
        weights[joint.place[name, metric]] = sign * side / (factor * middle)
        log_of_fpr += sign * math.log(middle)
        by_prevalence += sign * offset_slope / (factor * middle)
    n1, n0 = joint.n_pos, joint.n_neg
    by_pos, by_neg = joint.by_class(weights)
    if spreads[0].sampled:
        # the log odds of both move with the prevalence alike; what the half negative leaves of it is taken out
        pi = float(spreads[0].counts.pi)
        constant = by_prevalence**2 * pi * (1 - pi) / (n1 + n0)
        by_pos, by_neg = by_pos - constant * (1 - pi) * n1 / (n1 - 1), by_neg - constant * pi * n0 / (n0 - 1)
    variance = max(by_pos, 0.0) + max(by_neg, 0.0)
    degrees = variance**2 / (by_pos**2 / (n1 - 1) + by_neg**2 / (n0 - 1)) if variance > 0 else math.inf
    # in the direction of the metric: a lower FPR is a higher precision
    return t_test(Difference(side * log_of_fpr, math.sqrt(variance), degrees), 0.0, alternative)


def _at_recall(spread: Spread) -> tuple[float, float, float]:
    """Return the FPR at a recall, and how the metric follows from it and from the prevalence."""
    step = spread.step
    assert step is not None
    fpr, factor, slope = (float(np.asarray(x)) for x in (step.fpr, step.cut.factor, step.cut.offset_slope))
    return fpr, factor, slope


def with_profiles(
    difference: Difference, spreads: Sequence[Spread], joint: Joint, names: tuple[str, str]
) -> Difference:
    """Return a difference with square-and-add of both profiles as its interval, where the metric has a profile."""
    metric = spreads[0].metric
    if joint.clustered or not spreads[0].is_profiled or any((name, metric) not in joint.place for name in names):
        return difference
    correlation = float(joint.correlations(names, metric)[0, 1])
    sides = SquareAndAdd(ProfiledSide(spreads[0]), ProfiledSide(spreads[1]), correlation)
    return replace(difference, sides=sides, interval_method="profile")
