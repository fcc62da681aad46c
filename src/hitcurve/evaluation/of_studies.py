"""What to be wary of where one metric of several studies is pooled."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np

from hitcurve import rows
from hitcurve.inference.estimation.cautions import FEWEST_TO_DECIDE, few_decide
from hitcurve.inference.random_effects import Pooled
from hitcurve.metrics import Metric
from hitcurve.table import HitTable

T = TypeVar("T")
HARTUNG_KNAPP, MODIFIED = "hartung-knapp", "modified"
_MUCH = ((6, 0.4), (3, 0.5), (2, 0.8))  # of the weight, from so many studies on
_APART = 0.1  # relative difference of prevalences that is said
_BIAS = 0.07  # sum over studies of one over the smaller class, from where bias beside the error matters
_BIAS_OF_LARGEST = 0.1  # of the cube root of that, where the value is the largest over cuts


def about_prevalence(wanted: Metric, shares: Sequence[float], prevalence: float | None) -> tuple[str, ...]:
    """Say at which prevalence studies are pooled, or that theirs differ."""
    there = [share for share in shares if not math.isnan(share)]
    if prevalence is not None:
        no_use = f", on which {wanted} does not depend" if wanted.axis == "fpr" else ""
        return (f"all studies at prevalence {prevalence:g}{no_use}",)
    if wanted.axis == "fpr" or not there or max(there) - min(there) < _APART * max(there):
        return ()
    return (
        f"the prevalence of the studies is {100 * min(there):.3g}% to {100 * max(there):.3g}%, which {wanted} may "
        "follow: prevalence= (--prevalence) evaluates all studies at one prevalence before they are pooled",
    )


def about_error(found: Pooled, interval: str) -> tuple[str, ...]:
    """Say that the studies agree better than their errors let expect, which makes the interval narrow."""
    if found.ratio >= 1 or found.tau2 > 0 or interval == MODIFIED:
        return ()
    if not found.standard_error > 0:
        return (
            "all values are equal, which leaves no error by Hartung and Knapp: interval='modified' (--interval "
            "modified) has one by the errors of the studies",
        )
    q, root = rows.short(found.ratio, 3), rows.short(math.sqrt(found.ratio), 3)
    return (
        f"the values differ less than their errors let expect (q = {q}), so the interval of Hartung and Knapp is "
        f"{root} times as wide as with q = 1: interval='modified' (--interval modified) does not let it shrink, which "
        "is advised for few studies",
    )


def about_weight(names: Sequence[str], found: Pooled, method: str) -> tuple[str, ...]:
    """Say that one study has much of the weight in the mean, beside which the others say little of the variance."""
    most = int(np.argmax(found.weights))
    much = next(share for k, share in _MUCH if len(names) >= k)
    if method != "reml" or found.weights[most] < much:
        return ()
    return (
        f"study {names[most]!r} has {100 * found.weights[most]:.0f}% of the weight in the mean, and the others say "
        "little of the variance between studies: in simulations with one study that is more exact than the others, 95% "
        "intervals of Hartung and Knapp covered .70 to .94, modified ones .81 to 1, and prediction intervals held .65 "
        "to .93",
    )


def about_bias(wanted: Metric, scale: str, fewer: Sequence[float], found: Pooled, method: str) -> tuple[str, ...]:
    """Say that the bias of small studies is much beside the error of their mean.

    It is of the order of one over the smaller class, and the squared error that of its mean over k. Logits of AUC have
    hardly any (simulated coverage .93 to .96).
    """
    within = 1 - found.i2 if method == "reml" else 1.0
    if wanted.is_mann_whitney and scale == "logit":
        return ()
    if wanted.default_interval == "best-cut":
        # the bias of a maximum shrinks with the 2/3 power of the numbers: beside the error hardly at all
        if not sum(n ** (-1 / 3) for n in fewer if n > 0) * within > _BIAS_OF_LARGEST:
            return ()
        return (
            f"{wanted} is the largest value over all cutoffs and too high in every study, which does not average out "
            f"over {len(fewer)}: in simulations without heterogeneity, 95% intervals of ks and max_f1 covered .80 "
            "to .83 with 5 studies of 600 subjects, .28 to .38 with 20 of 2,500; a metric at a cutoff that was chosen "
            "before has no such bias",
        )
    if not sum(1 / n for n in fewer if n > 0) * within > _BIAS:  # without numbers of subjects, nothing is known
        return ()
    return (
        f"the bias of {wanted} in small studies does not average out over {len(fewer)}: in simulations without "
        "heterogeneity, 95% intervals of AP covered .42 to .72 with 30 studies of 20 positives, .79 with 30 of 60, .90 "
        "with 12 of 20 or 30 of 300; on the identity scale those of AUC covered .65 to .95",
    )


def about_extrapolation(wanted: Metric, deciding: Sequence[float]) -> tuple[str, ...]:
    """Say that few negatives of a study decide precision at the set prevalence."""
    said = few_decide(wanted, min(deciding))
    if not said:
        return ()
    few = sum(number < FEWEST_TO_DECIDE for number in deciding)
    return (f"in {few} of {len(deciding)} studies {said[0]}; what they miss does not average out",)


def about_ends(wanted: Metric, scale: str, found: Pooled) -> tuple[str, ...]:
    """Say that an interval of values as they are goes beyond what the metric can be."""
    low, high = wanted.range
    beyond = {
        "interval": any(not low <= end <= high for end in found.interval),
        "prediction interval": any(not low <= end <= high for end in found.prediction if not math.isnan(end)),
    }
    which = [name for name, is_beyond in beyond.items() if is_beyond]
    if scale == "logit" or not which:
        return ()
    return (
        f"the {rows.listed(which)} would go beyond the range of {wanted}, [{low:g}, {high:g}], and "
        f"{'ends' if len(which) == 1 else 'end'} there: scale='logit' (--scale logit) stays within [0, 1]",
    )


def repeated(found: Mapping[str, T], size_of: Callable[[T], object]) -> Iterator[tuple[str, str]]:
    """Yield the name of each that equals an earlier one, with the name of that; only those of a size are compared."""
    seen: dict[object, list[str]] = {}
    for name, one in found.items():
        alike = seen.setdefault(size_of(one), [])
        other = next((other for other in alike if found[other] == one), None)
        if other is None:
            alike.append(name)
        else:
            yield name, other


def about_copies(tables: Mapping[str, HitTable]) -> tuple[str, ...]:
    """Name each study with the table of an earlier one, which is not refused: of few subjects it may be by chance."""
    return tuple(
        f"{name} has the same table as {other}: if it is a copy, its subjects are counted twice"
        for name, other in repeated(tables, lambda table: (float(table.n), float(table.n_pos)))
    )
