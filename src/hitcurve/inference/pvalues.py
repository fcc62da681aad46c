"""From a statistic to its p value: by a normal or t distribution, or by counting arrangements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from hitcurve.counts import Array
from hitcurve.errors import InsufficientDataError

Alternative: TypeAlias = Literal["two-sided", "less", "greater"]
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "less", "greater")
MIRRORED: dict[str, Alternative] = {"two-sided": "two-sided", "less": "greater", "greater": "less"}
HAIR = 1e-12  # rounding noise


class Outcome(NamedTuple):
    """What a test found."""

    statistic: float
    pvalue: float
    degrees: float | None = None
    resamples: int | None = None


def without_variance(distance: float, is_none: bool, unit: str = "subject") -> Outcome:
    """Test a distance whose standard error is 0: it is none but rounding, or cannot be tested so.

    Raises
    ------
    InsufficientDataError
        If it is one: a sample in which nothing varies does not show how much another would.
    """
    if is_none:
        return Outcome(0.0, 1.0)
    other = {"subject": "swap-permutation", "group": "sign-flip", "topic": "sign-flip"}.get(unit)
    tests = "no method tests it" if other is None else f"no formula tests it: use method={other!r}"
    raise InsufficientDataError(
        f"the difference of {distance:.4g} has a standard error of 0 because nothing varies by {unit} here, and {tests}"
    )


def normal_p(z: float, alternative: str) -> float:
    """Return the p value of a normal statistic."""
    from scipy.special import ndtr

    tails = {"greater": ndtr(-z), "less": ndtr(z), "two-sided": 2 * ndtr(-abs(z))}
    return float(tails[alternative])


def t_p(t: float, degrees: float, alternative: str) -> float:
    """Return the p value of a t statistic, of a normal one where degrees are infinite."""
    if math.isinf(degrees):
        return normal_p(t, alternative)
    from scipy.special import stdtr

    tails = {"greater": stdtr(degrees, -t), "less": stdtr(degrees, t), "two-sided": 2 * stdtr(degrees, -abs(t))}
    return float(tails[alternative])


def f_p(statistic: float, free: int, degrees: float) -> float:
    """Return the p value of an F statistic, of a chi-square one where the degrees of the denominator are infinite."""
    from scipy.special import chdtrc, fdtrc

    return float(chdtrc(free, free * statistic) if math.isinf(degrees) else fdtrc(free, degrees, statistic))


def satterthwaite(variances: Sequence[float], degrees: Sequence[float]) -> float:
    """Return the degrees of freedom of a sum of independent variances."""
    below = sum(v**2 / d for v, d in zip(variances, degrees, strict=True) if v and math.isfinite(d))
    return float(sum(variances) ** 2 / below) if below > 0 else math.inf


def exact_p(observed: float, every: Array, alternative: str) -> float:
    """Return the share of all arrangements of a difference that are at least as extreme."""
    return _extreme(observed, every, alternative, _slack(observed)) / every.size


def monte_carlo_p(
    observed: float, drawn: Array, alternative: str, *, symmetric: bool = True, slack: float | None = None
) -> float:
    """Return (b + 1)/(B + 1), with b of B random arrangements at least as extreme.

    Parameters
    ----------
    observed : float
    drawn : array (B,)
        An arrangement whose statistic is nan counts as extreme.
    alternative : {"two-sided", "less", "greater"}
    symmetric : bool
        Whether the null distribution is symmetric around 0, as that of a difference of exchangeable rankers is: two
        sides are then one tail of the absolute values. Of other distributions they are twice the smaller tail.
    slack : float, optional
        Differences up to it count as none; rounding noise of a difference of metrics if absent.
    """
    slack = _slack(observed) if slack is None else slack
    if alternative != "two-sided" and symmetric and abs(observed) <= slack:
        # no difference is its own mirror: both tails estimate its p value
        both = _extreme(observed, drawn, "less", slack) + _extreme(observed, drawn, "greater", slack)
        return (both / 2 + 1) / (drawn.size + 1)
    if alternative == "two-sided" and not symmetric:
        smaller = min(_extreme(observed, drawn, side, slack) for side in ("less", "greater"))
        return min(2 * (smaller + 1) / (drawn.size + 1), 1.0)
    return (_extreme(observed, drawn, alternative, slack) + 1) / (drawn.size + 1)


def _slack(observed: float) -> float:
    return HAIR * max(1.0, abs(observed))


def _extreme(observed: float, drawn: Array, alternative: str, slack: float) -> int:
    """Return how many are at least as extreme."""
    beyond = {
        "two-sided": np.abs(drawn) >= abs(observed) - slack,
        "greater": drawn >= observed - slack,
        "less": drawn <= observed + slack,
    }[alternative]
    return int(np.sum(beyond | np.isnan(drawn)))
