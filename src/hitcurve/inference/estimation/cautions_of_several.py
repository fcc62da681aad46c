"""What to be wary of in what is made of several values: tests, combinations, a choice of the best."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hitcurve.inference.estimation.cautions import alike_subjects, extrapolated
from hitcurve.inference.estimation.cautions_of_weights import (
    carriers,
    few_carry,
    heavy_by_censoring,
    of_unequal_weights,
    one_heavy,
)
from hitcurve.inference.estimation.difference import Difference
from hitcurve.inference.resampling.permute import SIX
from hitcurve.inference.resampling.rank_permutation import OF_RANKS
from hitcurve.inference.variance.dependent import one_cluster
from hitcurve.inference.variance.spread import Spread

_FEW_ABOVE = 5  # negatives of equal weight
_HOOK = 1.5  # times the mean slope from 0: in no sample of concave populations


def of_several(
    spreads: Sequence[Spread], heaviest: float, correlations: Sequence[float], *, censored: bool = False
) -> list[str]:
    """Say what of the values of rankers holds for what is made of them.

    Parameters
    ----------
    spreads : sequence of Spread
        Of one metric.
    heaviest : float
        The largest share of a class that one cluster holds.
    correlations : sequence of float
        Of what the subjects of a cluster add to each value.
    censored : bool
        Whether weights are those of a censoring although the spreads do not know it.
    """
    own = [one for spread in spreads for one in (*extrapolated(spread), *one_heavy(spread))]
    if censored:
        own += heavy_by_censoring(spreads[0])  # of subjects, whose weights are those of all rankers
    else:
        own += few_carry(str(spreads[0].metric), map(carriers, spreads))
        own += [one for spread in spreads for one in of_unequal_weights(spread)]
    return [*dict.fromkeys(own), *one_cluster(heaviest), *alike_subjects(spreads[0], max(correlations))]


def of_combined(spreads: Sequence[Spread]) -> list[str]:
    """Say the same of values that know their clusters, and may be of several metrics."""
    there = [spread.clustered for spread in spreads if spread.clustered is not None]
    heaviest = max((float(one.heaviest) for one in there), default=0.0)
    said: dict[str, None] = {}
    for metric in dict.fromkeys(spread.metric for spread in spreads):
        own = [spread for spread in spreads if spread.metric == metric]
        correlations = [float(spread.clustered.alike) for spread in own if spread.clustered is not None]
        censored = any(spread.clustered is not None and spread.clustered.of_subjects for spread in own)
        said |= dict.fromkeys(of_several(own, heaviest, correlations or [0.0], censored=censored))
    return list(said)


def of_two_methods(p: float, difference: Difference, alternative: str) -> list[str]:
    """Say so if a test by swaps and an interval by another method say different things of a difference of 0."""
    method, (low, high) = difference.interval_method, difference.confidence_interval()
    rejects = p < 1 - difference.confidence_level
    if alternative != "two-sided" or rejects != (low <= 0 <= high):
        return []
    if method == "normal" and not difference.standard_error > 0:
        return []
    wider = "more conservative" if rejects else "narrower"
    why = {
        "inversion": "near the best value the interval is much wider than necessary",
        "profile": "the interval is computed from the intervals of both values, the p value from the difference alone",
        "normal": f"the interval, by influence values, is the {wider}; the p value, by swaps of the rankers, decides",
    }
    return [f"test and interval disagree about a difference of 0: {why[method]}"]


def of_positives(method: str, n1: float, n0: float) -> list[str]:
    """Say what the tests on the positives, if it is one of them, leave out."""
    cautions = []
    if method.endswith("wilcoxon"):
        cautions.append(f"{method} compares ranks of the rank weights of positives, not the difference in the metric")
    if method in SIX and n1 > n0 / 50:
        cautions.append(
            f"{method} treats the negatives as fixed, which is invalid with {n1:.4g} positives among {n0:.4g} "
            "negatives (simulated size up to .35 at the 5% level): use delta or swap-permutation"
        )
    if method in OF_RANKS and n1 > n0 / 50:
        cautions.append(
            f"{method} permutes ranks as if the other subjects kept theirs, which is conservative with {n1:.4g} "
            f"positives among {n0:.4g} negatives (simulated size down to .00 at the 5% level): use delta or "
            "swap-permutation"
        )
    return cautions


def of_the_formula(reason: str | None, chosen: str, method: str, difference: Difference) -> list[str]:
    """Say where the standard error is less than its name, of the test or of the interval beside it."""
    cautions = []
    by_error = chosen in ("delta", "log-delta", "delong", "bootstrap")
    of_it = by_error or difference.sides is None  # an interval made of those of both values is another
    if reason is not None and of_it and not math.isnan(difference.standard_error):
        what = f"the {chosen} test" if by_error else "the interval"
        no_swap = "; swap-permutation could not be used" if method == "auto" and chosen == "delta" else ""
        cautions.append(f"{reason}: {what} may be inaccurate{no_swap}")
    if by_error and difference.standard_error == 0:
        cautions.append("no subject distinguishes the two rankers: the standard error is 0")
    return cautions


def of_a_hook(spreads: Sequence[Spread], method: str) -> list[str]:
    """Return a caveat if negatives lead a ranking, so that the slope at an FPR is not that of the curve around it."""
    if method != "delta" or not spreads[0].is_profiled:
        return []
    steps = [spread.step for spread in spreads if spread.step is not None and spread.step.axis == "fpr"]
    if not any(float(step.slope) * float(step.place) > _HOOK * float(step.tpr) > 0 for step in steps):
        return []
    return [
        "the ROC curve is steeper at this FPR than from the top down to it, as where negatives lead the ranking: the "
        "delta test rejected for up to 9% of simulated samples of equal rankers at the 5% level, while the interval of "
        "the difference left out 0 for up to 3%"
    ]


def of_few_above(spreads: Sequence[Spread], method: str) -> list[str]:
    """Return a caveat if hardly a negative is above a cut at a rate: a value near its best is skewed."""
    if method != "delta":
        return []
    steps = [(spread, spread.step) for spread in spreads if spread.step is not None and spread.step.axis == "rate"]
    few = min((float(spread.effective[1] * step.fpr) for spread, step in steps), default=math.inf)
    if few >= _FEW_ABOVE:
        return []
    number = f"only about {few:.2g} negatives rank" if few > 0 else "no negative ranks"
    return [
        f"{number} above the cutoff of {spreads[0].metric} by one of the rankers: the interval of the difference may "
        "be too narrow (coverage of 80 to 95% in simulations)"
    ]
