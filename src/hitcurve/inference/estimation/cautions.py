"""What to be wary of in the interval of one list."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from hitcurve.counts import Counts
from hitcurve.cut import interpolated
from hitcurve.inference.design import subjects_alike
from hitcurve.inference.estimation.cautions_of_weights import (
    carriers,
    few_carry,
    heavy_by_censoring,
    of_unequal_weights,
    one_heavy,
)
from hitcurve.inference.estimation.measured import of_simulations
from hitcurve.inference.intervals.by_weight import of_rows
from hitcurve.inference.intervals.operating import without_limit
from hitcurve.inference.variance.corrected import cautions_of_labels
from hitcurve.inference.variance.dependent import alike, one_cluster
from hitcurve.inference.variance.lacking import FEWEST, number_of_fewer, of_clusters
from hitcurve.inference.variance.spread import Spread
from hitcurve.metrics import Metric

_MUCH_FEWER = 0.7  # clusters than subjects
_NEARLY_EQUAL = 0.9  # equal weights that vary as much, per subject
FEWEST_TO_DECIDE = 80  # negatives that decide precision at a set prevalence
_OF_FEW_THAT_DECIDE = (
    (20, ("10", ".56 to .96")),
    (30, ("20", ".65 to .95")),
    (FEWEST_TO_DECIDE, ("40 to 80", ".92 to .95")),
)  # below, the number of a simulation and its coverage
_FEWEST_BELOW = 10  # positives of equal weight
_FEWEST_AT_THE_TOP, _FEWEST_NEGATIVES_AT_THE_TOP = 6, 4  # subjects of equal weight
_FEWEST_APART = 10  # positives beside a group of ties that holds most of both classes
_FEWEST_CLUSTERS, _FEWEST_CLUSTERS_OF_PAIRS = 50, 20  # AUC, over all pairs, needs fewer
_FEWEST_CLUSTERS_ABOVE = 20  # a cut
_FEWEST_BESIDE, _MANY = 100, 5  # negatives, and how many times as many positives are many
_TAIL = 0.025  # of what a sample leaves open
_SURELY_ABOVE = 3.0  # standard errors


def cautions_of(spread: Spread, has_interval: Callable[[], bool], *, by_default: bool) -> list[str]:
    """Say where the interval is less than its name.

    Parameters
    ----------
    has_interval : callable
        Whether there is one that can be read as a bound; asked only where one might be.
    by_default : bool
        Whether the method is the default one, which is not made of too few subjects, and whose coverage was simulated.
    """
    n1, n0 = spread.effective
    if by_default and min(n1, n0) < FEWEST:
        return [
            f"only {number_of_fewer(n1, n0, or_equal=True)}: too few for an interval (at least {FEWEST} of either "
            "class)"
        ]
    clusters = float(spread.clusters)
    if by_default and clusters < FEWEST:
        return [f"only {of_clusters(clusters, ' contain a positive')}: too few for an interval (at least {FEWEST})"]
    cautions = []
    if n1 < 20 or n0 < 20:
        cautions.append(
            f"only {number_of_fewer(n1, n0, or_equal=True)}: intervals are approximate"
            + (" (at 95%, simulated coverage of most metrics is .90 to .99) and wide" if by_default else "")
            + "; compare rankers with a permutation test, not by overlapping "
            "intervals"
        )
    if clusters < (_FEWEST_CLUSTERS_OF_PAIRS if spread.metric.is_mann_whitney else _FEWEST_CLUSTERS):
        of = "at a cutoff coverage of 74 to 95%" if spread.step is not None else "coverage of 90 to 97%"
        cautions.append(
            f"only {of_clusters(clusters, ' contain a positive')}: intervals are approximate ({of} in simulations of "
            "30 to 45 unequal clusters)"
        )
    else:
        cautions += _few_clusters_above(spread)
    if by_default:
        cautions += of_simulations(spread.metric, float(n1), may_draw=spread.may_draw)
    cautions += [
        *extrapolated(spread),
        *cautions_of_labels(spread),
        *one_heavy(spread),
        *few_carry(str(spread.metric), [carriers(spread)]),
    ]
    if of_rows(spread):
        cautions += of_unequal_weights(spread)
    if spread.clustered is not None:
        cautions += [
            *one_cluster(float(spread.clustered.heaviest)),
            *alike_subjects(spread, float(spread.clustered.alike)),
        ]
    cautions += _many_positives(spread)
    if not spread.metric.decided_by_prevalence and spread.deciding < 10 and not spread.is_profiled:
        cautions.append(
            f"{spread.metric} depends on only about {spread.deciding:.3g} {spread.who_decides}, so its standard error "
            "is too small: test differences with swap-permutation"
        )
    if spread.clustered is not None and spread.clustered.of_subjects:
        cautions += heavy_by_censoring(spread)
    cautions += [*_few_at_the_top(spread), *_few_below(spread), *_divided_by_little(spread)]
    cautions += _mostly_tied(spread)
    cautions += chosen_on_the_data(spread)
    cautions += without_limit(spread)
    bound = _nothing_observed(spread)
    return cautions + bound if bound and has_interval() else cautions


def _divided_by_little(spread: Spread) -> list[str]:
    """Say so where the metric that divides may as well be that of a random order."""
    divisor = spread.metric.divided_by
    if divisor is None:
        return []
    own, name = Spread(divisor, spread.rows, spread.design), type(divisor).__name__
    random = float(divisor.random(spread.counts))
    above, error = float(own.value) - random, float(own.standard_error)
    if above > _SURELY_ABOVE * error:
        return []
    return [
        f"{spread.metric} divides by scaled {name}, and {name} is only {above / error:.1f} standard errors above "
        f"{Fraction(random)}: its standard error and interval say little"
    ]


def chosen_on_the_data(spread: Spread) -> list[str]:
    """Say so where the choice of the cutoff is left out of the interval."""
    if not spread.is_chosen:
        return []
    return [
        f"the cutoff of {spread.metric} is chosen on the same data, for which the lower end of its interval is moved "
        "down: simulated coverage of 95% intervals was .94 to 1 with weights or clusters"
    ]


def extrapolated(spread: Spread) -> list[str]:
    """Say so if few negatives decide precision at a set prevalence, or the axis begins below the first one."""
    may = type(spread.metric).extrapolates is not Metric.extrapolates
    if may and spread.metric.extrapolates(spread.counts).any():
        return [f"{spread.metric} is extrapolated: its axis begins below the FPR of the first negative"]
    return few_decide(spread.metric, float(spread.deciding)) if spread.metric.decided_by_prevalence else []


def few_decide(metric: Metric, number: float) -> list[str]:
    """Say so if few negatives decide a metric of precision at a set prevalence."""
    if number >= FEWEST_TO_DECIDE:
        return []
    simulated, share = next(of for least, of in _OF_FEW_THAT_DECIDE if number < least)
    return [
        f"{metric} is extrapolated: precision at the set prevalence depends on only {number:.3g} negatives; 95% "
        f"intervals of such metrics covered {share} in simulations with {simulated} of them"
    ]


def few_decide_at(metric: Metric, negatives: float, prevalence: float) -> list[str]:
    """Say the same of so many negatives, at a prevalence at which there is an interval."""
    number = negatives * prevalence / (1 - prevalence)
    return [] if number < FEWEST else few_decide(metric, number)


def _few_at_the_top(spread: Spread) -> list[str]:
    """Return a caveat if few subjects, of whichever class, decide a metric of the rate."""
    c, rate = spread.counts, spread.metric.deciding_rate(spread.counts)
    if rate is None:
        return []
    top = float(rate) * sum(map(float, spread.effective))
    if top >= _FEWEST_AT_THE_TOP:
        few = float(interpolated(rate, c.r, c.Q) * spread.effective[1])
        if spread.step is not None or few >= _FEWEST_NEGATIVES_AT_THE_TOP:
            return []
        number = f"only about {few:.2g} negatives are" if few > 0 else "no negative is"
        return [
            f"{number} in the top {100 * float(rate):.3g}%, which decides {spread.metric}: its interval may be too "
            "narrow (coverage of 87 to 97% in simulations)"
        ]
    return [
        f"{spread.metric} depends on only about {top:.2g} subjects at the top: its interval is approximate (coverage "
        "of 80 to 99% in simulations, the lower with clusters)"
    ]


def _few_below(spread: Spread) -> list[str]:
    """Return a caveat if few weighted positives are on one side of the cutoff, on whose variation all depends.

    By the weights of all positives: those that the sample shows there may be light by chance.
    """
    step = spread.step
    if step is None or not of_rows(spread) or min(subjects_alike(spread.sums)) >= _NEARLY_EQUAL:
        return []
    cut = float(step.place if step.axis == "recall" else step.tpr)
    side, share = ("below", 1 - cut) if cut >= 1 / 2 else ("above", cut)
    number = float(spread.effective[0]) * share
    if number >= _FEWEST_BELOW:
        return []
    return [
        f"only about {number:.2g} positives of equal weight rank {side} the cutoff of {spread.metric}: its interval "
        "may be too narrow (coverage of 70 to 90% in simulations of survey weights)"
    ]


def _few_clusters_above(spread: Spread) -> list[str]:
    """Return a caveat if those above a cut are of few clusters, although clusters are many."""
    number = math.inf if spread.clustered is None else float(spread.clustered.above)
    if number >= _FEWEST_CLUSTERS_ABOVE or spread.step is None:
        return []
    subjects = float(spread.step.rate(spread.counts)) * sum(map(float, spread.effective))
    if number >= _MUCH_FEWER * subjects:  # hardly two of one cluster: as subjects one by one
        return []
    return [
        f"those above the cutoff of {spread.metric} are of about {number:.2g} clusters of equal size: its interval is "
        "approximate (coverage of 90 to 100% in simulations)"
    ]


def _mostly_tied(spread: Spread) -> list[str]:
    """Return a caveat if most of both classes have one score, so that few positives vary."""
    pos, neg = spread.sums.pos, spread.sums.neg
    both = (pos >= pos.sum() / 2) & (neg >= neg.sum() / 2)
    if spread.step is not None or not both.any():
        return []
    at = int(np.argmax(both))
    apart = (1 - pos[at] / pos.sum()) * float(spread.effective[0])
    if apart >= _FEWEST_APART:
        return []
    who = f"all but {apart:.3g} of the positives have" if apart else "all positives have"
    return [
        f"{who} the same score as {100 * neg[at] / neg.sum():.0f}% of the negatives: so few decide that intervals may "
        "be too narrow (coverage down to 54% in simulations of scores most of which are 0)"
    ]


def alike_subjects(spread: Spread, correlation: float) -> list[str]:
    """Return a caveat if subjects of one cluster are much alike; AUC, over all pairs, hardly suffers."""
    return [] if spread.metric.is_mann_whitney else alike(correlation)


def _many_positives(spread: Spread) -> list[str]:
    """Return a caveat if the negatives are few beside the positives, where it is they that decide the metric."""
    n1, n0 = map(float, spread.effective)
    decides = spread.metric.decided_by_prevalence or spread.metric.default_interval == "inversion"
    if spread.lists.prevalence is not None or not decides or n0 >= _FEWEST_BESIDE or n1 < _MANY * n0:
        return []
    return [
        f"only {n0:.3g} negatives beside {n1:.3g} positives: the interval of {spread.metric} may be too narrow "
        "(coverage of ndcg and of metrics that precision decides was .59 to .99 in simulations with 30 to 100)"
    ]


def _left_open(spread: Spread) -> str:
    """Say what negatives that none of the sample shows, ahead of all, would make of a metric that precision decides."""
    if not spread.metric.decided_by_prevalence or spread.step is not None:
        return ""
    c, n0 = spread.counts, float(spread.effective[1])
    share = 1 - _TAIL ** (1 / n0)
    pos, neg = np.append(0.0, c.pos), np.append(share * c.n0, (1 - share) * c.neg)
    value = float(spread.metric.value(Counts(pos, neg, float(c.pi), True)))
    return (
        f", unless another kind of negatives leads the ranking: 0 of {n0:.4g} leave open that {100 * share:.2g}% of "
        f"them are ahead of all positives, and then it is {value:.4g}"
    )


def _nothing_observed(spread: Spread) -> list[str]:
    if spread.step is not None and spread.step.axis == "rate" and float(spread.step.place) >= 1:
        return []  # all are selected: no error could be observed
    value = float(spread.value)
    # what is best at the prevalence of a sample may not be so at that of the population
    ends = spread.bounds if spread.step is None else None
    best = spread.metric.best(spread.counts) if ends is None else ends[1]
    if abs(value - float(best)) <= 1e-12 * max(abs(value), 1.0):
        return [
            f"no error was observed: read the interval of {spread.metric} as "
            f"{'an upper' if ends is not None and ends[1] < ends[0] else 'a lower'} bound{_left_open(spread)}"
        ]
    if spread.step is not None and spread.step.axis != "recall" and spread.step.tpr <= 0:
        return [f"no hit was observed: read the interval of {spread.metric} as an upper bound"]
    return []
