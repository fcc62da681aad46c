"""What to be wary of in unequal weights, of a sample or of a censoring."""

from __future__ import annotations

import math
from collections.abc import Iterable

from hitcurve.inference.design import effective
from hitcurve.inference.intervals.by_weight import of_rows
from hitcurve.inference.variance.spread import Spread
from hitcurve.sums import Weighed
from hitcurve.table import HitTable

_FEWEST_CARRIERS = 12  # subjects of equal share in a variance
_MUCH_FEWER = 0.7  # than of equal weights
_HEAVY_BY_CENSORING = 2.5  # times the smallest weight
_VERY_UNEQUAL = 0.4  # equal weights that vary as much, per subject
_HEAVY = 0.15  # share of the weight of a class
_UNSEEN = 0.03  # the same, of a subject that the sample lacks
_FAR_ABOVE = 4.0  # times the mean weight
_CLASSES = ("positive", "negative")


def of_unequal_weights(rows: HitTable | Spread) -> list[str]:
    """Return caveats of weights that are so unequal that the sample may lack, by chance, those that vary most."""
    return [*very_unequal(rows), *unseen(rows.weighed)] if rows.sums.weighted else []


def _at_least(own: Weighed) -> str:
    """Say that a table whose rows hold several subjects may hide more."""
    return "" if own.exact else "at least "


def one_heavy(rows: HitTable | Spread) -> list[str]:
    """Return a caveat if one weighted subject is much of its class, whose variance then cannot be seen."""
    if not rows.sums.weighted:
        return []
    sides = rows.weighed
    shares = [own.heaviest / own.total for own in sides]
    heavy = max(shares)
    if heavy < _HEAVY:
        return []
    side = shares.index(heavy)
    return [
        f"one {_CLASSES[side]} has {_at_least(sides[side])}{100 * heavy:.0f}% of the weight of its class: "
        "standard errors may be too small"
    ]


def very_unequal(rows: HitTable | Spread) -> list[str]:
    """Return a caveat if few of equal weight vary as much as the subjects of a class."""
    sizes, sides = [float(size) for size in effective(rows.sums)], rows.weighed
    shares = [size / own.number for size, own in zip(sizes, sides, strict=True)]
    side = shares.index(min(shares))
    if shares[side] >= _VERY_UNEQUAL:
        return []
    return [
        f"weights are very unequal, {_at_least(sides[side])}{sides[side].number:.4g} {_CLASSES[side]}s vary as "
        f"{sizes[side]:.3g} of equal weight: intervals may be too narrow where weights go with the scores (coverage of "
        "75 to 97%, and size of tests up to .19 at the 5% level, in simulations)"
    ]


def unseen(of_class: tuple[Weighed, Weighed]) -> list[str]:
    """Return a caveat if few subjects of a class could have much of its weight, by weights that the other class has.

    Weights are compared with the smallest of their class: in a case-control sample all of one class may be large.
    """
    for name, own, other in zip(_CLASSES, of_class, reversed(of_class), strict=True):
        possible = other.heaviest * min(own.lightest / other.lightest, 1.0)
        if possible >= max(_UNSEEN, _FAR_ABOVE / own.number) * own.total:
            could, has = (100 * weight / own.total for weight in (possible, own.heaviest))
            return [
                f"one {name} weighted as some of the other class are would have {could:.2g}% of the weight of its "
                f"class (the heaviest here has {_at_least(own)}{has:.2g}%): if too few of them were drawn by chance, "
                "standard errors are too small (coverage of 54 to 98%, and size of tests up to .45 at the 5% level, in "
                "simulations of weights that go with the scores)"
            ]
    return []


def few_carry(name: str, numbers: Iterable[float]) -> list[str]:
    """Return a caveat if few heavy subjects carry the variance of a value, or of one of several with this name.

    Parameters
    ----------
    name : str
    numbers : iterable of float
        See :func:`carriers`.
    """
    fewest = min(numbers)
    if not math.isfinite(fewest):
        return []
    return [
        f"the variance of {name} is that of about {fewest:.2g} subjects with large weights: its interval may be too "
        "narrow (coverage of 72 to 95% in simulations of unequal weights)"
    ]


def carriers(spread: Spread) -> float:
    """Return of how few heavy subjects the variance is, infinity if not of few; AUC, over all pairs, hardly suffers."""
    found = spread.influence if of_rows(spread) and spread.step is None else None
    if found is None or spread.metric.is_mann_whitney:
        return math.inf
    number, of_equal = (float(one) for one in found.carriers(spread.sums))
    # equal weights may have few at the top too
    return number if number < min(_FEWEST_CARRIERS, _MUCH_FEWER * of_equal) else math.inf


def heavy_by_censoring(spread: Spread) -> list[str]:
    """Return a caveat if many were censored, so that few of those with the event stand for them with large weights.

    Of metrics that follow single subjects: neither of AUC, over all pairs, nor of limits by counts at a best cut.
    """
    sums, metric = spread.sums, spread.metric
    if not sums.weighted or metric.is_mann_whitney or metric.default_interval == "best-cut":
        return []
    pos, neg = spread.weighed
    times = max(pos.heaviest, neg.heaviest) / min(pos.lightest, neg.lightest)
    up_to = "up to" if pos.exact and neg.exact else "at least"
    if times < _HEAVY_BY_CENSORING:
        return []
    return [
        f"subjects stand for those censored with {up_to} {times:.2g} times the weight of others: intervals of {metric} "
        "may be too narrow (coverage of 89 to 98%, and size of tests up to .12 at the 5% level, in simulations with 55 "
        "to 70% censored)"
    ]
