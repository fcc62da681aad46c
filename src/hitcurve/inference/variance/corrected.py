"""Metrics corrected for labels that are wrong in a known way: errors, intervals, caveats.

What varies is the sample of labels, to which derivatives by the corrected rates pass through linearly, and the shares
of wrong labels where they were estimated.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from hitcurve.counts import Array, Counts
from hitcurve.errors import ParameterError
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.variance.influence import Influence
from hitcurve.inference.variance.logit_scale import LogitScale
from hitcurve.label_errors import SHARES, CorrectedCounts, LabelErrors
from hitcurve.metrics import Metric
from hitcurve.sums import Sums

if TYPE_CHECKING:
    from hitcurve.inference.variance.spread import Spread

METHOD = "corrected"
_FEWEST_WRONG = 5  # labelled positives that are negatives, on average
_MOST_CUT_OFF = 0.1  # of the positives
_MOST_ERRORS = 1.5  # in lengths of a Wald interval, of the side towards the middle of the range
_CONTRADICTED = 4.0  # standard errors below 0 of a rate that shares of wrong labels leave, at the worst cutoff


def sampling_variance(found: Influence, sums: Sums, effective: tuple[Array, Array]) -> Array:
    """Return the variance over samples of both labelled classes, with n - 1 of each."""
    parts = zip(found.by_class(sums), effective, strict=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(sum(part * n / (n - 1) for part, n in parts))


def deviations_by_share(metric: Metric, c: Counts) -> Array:
    """Return how far the standard errors of both shares of wrong labels move a metric, an array (..., 2).

    Half of the way between its values one standard error to either side.
    """
    out = np.zeros((*c.shape, 2))
    if not isinstance(c, CorrectedCounts) or c.errors is None:
        return out
    for place, name in enumerate(SHARES):
        error = c.errors.error_of(name)
        if error:
            low, high = (metric.kernel(c.at(c.errors.moved(name, by))) for by in (-error, error))
            out[..., place] = (np.asarray(high) - low) / 2
    return out


def interval(spread: Spread, level: float) -> tuple[Array, Array]:
    """Return the ends of the interval of a corrected metric.

    Of a metric that is linear in the rates, that of the labels as they are is made on the logit scale and mapped; of
    the others the logit scale is that of the corrected value. Values at both ends of an estimated share widen it.

    Raises
    ------
    ParameterError
        If labels are not corrected.
    """
    errors, c = spread.lists.errors, spread.counts
    if errors is None:
        raise ParameterError(
            f"method={METHOD!r} is for labels that are wrong in a known way: give contamination, mislabelled or "
            "unlabelled, or use 'auto'"
        )
    of_labels = _mapped if spread.metric.label_correction == "linear" else _on_logit
    low, high = of_labels(spread, np.asarray(t_quantile((1 + level) / 2, spread.degrees)))
    value, z = spread.value, float(t_quantile((1 + level) / 2, math.inf))
    below, above = (value - low) ** 2, (high - value) ** 2
    for name in SHARES:
        error = errors.error_of(name)
        if error and isinstance(c, CorrectedCounts):
            ends = [np.asarray(spread.metric.kernel(c.at(errors.moved(name, by * error)))) for by in (-z, z)]
            below = below + (value - np.minimum(value, np.minimum(*ends))) ** 2
            above = above + (np.maximum(value, np.maximum(*ends)) - value) ** 2
    return _in_range(spread.metric, value - np.sqrt(below)), _in_range(spread.metric, value + np.sqrt(above))


def _in_range(metric: Metric, ends: Array) -> Array:
    return np.clip(ends, *metric.range)


def _mapped(spread: Spread, t: Array) -> tuple[Array, Array]:
    """Return the ends of the interval of the labels as they are, mapped as the value is."""
    metric, (n1, n0) = spread.metric, spread.effective
    worst, best = metric.range
    middle, left = (worst + best) / 2, float(spread.lists.errors.left) if spread.lists.errors else 1.0
    seen = middle + (spread.value - middle) * left
    # the least that pairs of so many subjects vary
    variance = left**2 * spread.variance + (best - worst) ** 2 / (4 * (n1 + 1) * (n1 + n0))
    at_end = ~((worst < seen) & (seen < best))
    if at_end.any():
        half = spread.with_half_subject
        seen = np.where(at_end, middle + (half.value - middle) * left, seen)
        variance = np.where(at_end, left**2 * half.variance, variance)
    scale = LogitScale(worst, best)
    place, length = scale.up(seen), scale.length(seen, t * np.sqrt(variance))
    ends = (scale.down(place - length), scale.down(place + length))
    low, high = (middle + (end - middle) / left for end in ends)
    return np.minimum(low, spread.value), np.maximum(high, spread.value)


def _on_logit(spread: Spread, t: Array) -> tuple[Array, Array]:
    worst, best = spread.metric.range
    # a value at an end, where precision is cut off, is moved in by half a positive
    hair = (best - worst) / (2 * (spread.effective[0] + 1))
    centre = np.clip(spread.value, worst + hair, best - hair)
    at_end = ~((worst < spread.value) & (spread.value < best))
    centre = np.where(at_end, centre, spread.value)
    scale = LogitScale(worst, best)
    place, length = scale.up(centre), scale.length(centre, t * np.sqrt(spread.variance))
    low, high = scale.down(place - length), scale.down(place + length)
    # near an end the noise of wrong labels stays, so that the error is long on the logit scale, and the value is pulled
    # away from the end: the side towards the middle is no longer than some errors, the other no shorter than one
    value, reach = spread.value, t * np.sqrt(spread.variance)
    upper, far = value > (worst + best) / 2, _MOST_ERRORS * reach + np.where(at_end, hair, 0.0)
    low = np.where(upper, np.maximum(low, value - far), np.minimum(low, value - reach))
    high = np.where(upper, np.maximum(high, value + reach), np.minimum(high, value + far))
    return np.minimum(low, value), np.maximum(high, value)


def cautions_of_labels(spread: Spread) -> Iterator[str]:
    """Yield where the correction is less than its name."""
    c, errors, metric = spread.counts, spread.lists.errors, spread.metric
    if errors is None or not isinstance(c, CorrectedCounts):
        return
    if contradiction := _contradiction(c, errors, spread.effective):
        yield contradiction
        return
    wrong = float(spread.effective[0]) * errors.contamination
    if errors.contamination and wrong < _FEWEST_WRONG and metric.label_correction == "linear":
        yield (
            f"only about {wrong:.2g} of the labelled positives are wrong, and a sample may contain none: intervals of "
            f"{metric} are approximate (95% intervals covered .82 in simulations with 2)"
        )
    cut_off = float(c.cut_off)
    if metric.label_correction == "cut-off" and cut_off > _MOST_CUT_OFF:
        yield (
            f"{100 * min(cut_off, 1):.0f}% of the positives are where the corrected labels leave no negatives: "
            f"{metric} is cut off there and tends to be too low"
        )
    value, (worst, best) = float(spread.value), metric.range
    if value > best or value < worst:
        yield (
            f"the corrected {metric} is {'above' if value > best else 'below'} its range: by chance if the interval "
            "has a width, else fewer labels are wrong than assumed"
        )


def _contradiction(c: CorrectedCounts, errors: LabelErrors, effective: tuple[Array, Array]) -> str:
    """Say which share of wrong labels is larger than the labels of one list can hold; empty if none is.

    With right shares, positives and negatives on either side of a cutoff are no fewer than none. Above it, where P~ of
    the labelled positives and Q~ of the others are, this means ``b <= (1 - a) Q~/P~`` and ``a <= (1 - b) P~/Q~``.
    """
    seen = c.observed
    a, b, left = errors.contamination, errors.mislabelled, errors.left
    second = "prevalence" if errors.unlabelled else "mislabelled"
    n1, n0 = (float(n) for n in effective)
    of_others = (b, 1 - a, second, errors.mislabelled_error, n1, n0, "the others can be positives")
    of_labelled = (
        *(a, 1 - b, "contamination", errors.contamination_error, n0, n1),
        "the labelled positives can be negatives",
    )
    found: list[tuple[float, str]] = []
    for more, less, words in (
        (seen.P, seen.Q, of_others),
        (1 - seen.P, 1 - seen.Q, of_others),
        (seen.Q, seen.P, of_labelled),
        (1 - seen.Q, 1 - seen.P, of_labelled),
    ):
        share, rest, name, error, n_more, n_less, who = words
        if not share:
            continue
        least = np.clip(share * more / rest, 0, 1)  # of the other class, if nobody of its own is there
        variance = (rest**2 * least * (1 - least) / n_less + share**2 * more * (1 - more) / n_more) / left**2
        variance = variance + (more * error / left) ** 2
        rate = (rest * less - share * more) / left
        z = np.divide(rate, np.sqrt(variance), out=np.zeros(rate.shape), where=variance > 0)
        at = int(np.argmin(z))
        if z[at] < -_CONTRADICTED:
            most = 100 * rest * float(less[at]) / float(more[at])
            found.append(
                (
                    float(z[at]),
                    f"these labels contradict {name}={share:g}: by its ranking at most about {most:.2g}% of {who} "
                    f"(values may leave their range): give a smaller {name}, or check the labels",
                )
            )
    return min(found)[1] if found else ""


def of_corrected_test(errors: LabelErrors | None, method: str) -> list[str]:
    """Return what a test of two rankers is of, where labels are corrected.

    Raises
    ------
    ParameterError
        If the test is not for corrected labels.
    """
    if errors is None:
        return []
    if method == "delta":
        return [f"{errors}, in both rankers alike"]
    if method != "swap-permutation":
        raise ParameterError(f"method={method!r} is not for labels that are wrong in a known way: use 'delta'")
    return [
        "swap-permutation swaps subjects with their labels as they are: its p value is valid whatever shares of them "
        "are wrong, for the hypothesis that both rankers are exchangeable"
    ]
