"""Weights at a hard cut: those above it may be larger or smaller than those below."""

from __future__ import annotations

from typing import Any

import numpy as np

from hitcurve.counts import Array
from hitcurve.inference.cutting.step import Step
from hitcurve.inference.variance.spread import Spread
from hitcurve.sums import Sums

# of which squares of weights say as much as the numbers of the whole list; few may hide a large weight, not invent one
_EVENTS, _EVENTS_IF_MORE = 5.0, 30.0
_EVENTS_IF_FEWER = 1.0  # of clusters that are alike, which few events may show but not invent
_HAIR = 1e-9  # of a class, above or below a cut: a sum that rounds
_NOISE = 1e-18  # a variance of a share that is rounding


def alone(spread: Spread) -> bool:
    """Whether subjects have weights and no clusters, whose variance is found as a whole."""
    return spread.sums.weighted and spread.clustered is None


def of_rows(spread: Spread) -> bool:
    """Whether subjects have weights that are not those of a censoring, in clusters or not."""
    return spread.sums.weighted and (spread.clustered is None or not spread.clustered.of_subjects)


def sizes(spread: Spread, step: Step) -> tuple[Any, Any]:
    """Return the numbers of positives and negatives, of equal weights, whose shares above the cut vary as much."""
    if not of_rows(spread):
        return spread.effective
    n1, n0 = (_toward(*of_class) for of_class in _at_cut(step, spread.sums))
    return n1, n0


def sizes_of_cuts(spread: Spread) -> list[Array]:
    """Return these numbers at the cut below each row."""
    found = []
    for weights, squares in _sides(spread.sums):
        above, total = np.cumsum(weights, axis=-1), weights.sum(axis=-1, keepdims=True)
        share = np.minimum(above / total, 1.0)
        of_list, own = squares.sum(axis=-1, keepdims=True), np.cumsum(squares, axis=-1)
        of_one = share * (1 - share)
        spread_of_share = (own * (1 - share) ** 2 + np.maximum(of_list - own, 0.0) * share**2) / total**2
        equal = np.broadcast_to(total**2 / of_list, share.shape)
        near = np.divide(of_one, spread_of_share, out=np.array(equal), where=of_one > _HAIR)
        found.append(_toward(near, equal, near * of_one))
    return found


def relative_variance(spread: Spread, by_class: Array, seen: Array) -> Array:
    """Return the relative variance of an FPR at a recall: between that by class and that of the influence values."""
    step = spread.step
    assert step is not None
    n1, _ = sizes(spread, step)
    with np.errstate(divide="ignore", invalid="ignore"):
        events = np.minimum(1 / seen, n1 * np.minimum(step.place, 1 - step.place))
        return np.where(seen > 0, 1 / between(1 / by_class, 1 / seen, events), by_class)


def toward_influence(spread: Spread, factor: Array, share: Array, size: Array) -> Array:
    """Move a number of equal weights toward that by which a share varies as the influence values of the metric do.

    Weights that go with the scores make the share above the cut and the prevalence vary together, of which the numbers
    of both classes say nothing.

    Parameters
    ----------
    spread : Spread
    factor : array (...)
        The metric by the share.
    share, size : array (...)
    """
    variance = np.divide(spread.variance, factor**2, out=np.zeros(share.shape), where=factor > 0)
    of_one = np.maximum(share * (1 - share), 0.0)
    seen = np.divide(of_one, variance, out=np.array(size), where=(variance > _NOISE) & (of_one > 0))
    return between(size, seen, np.minimum(seen * of_one, mixed_above(spread)))


def of_clusters(spread: Spread, apart: Array, seen: Array) -> Array:
    """Move the number by which influence values vary where few above the cut tell how clusters depend.

    If nearly all above the cut are of one class, influence values hardly vary, whatever the clusters hide: the number
    is then between that of independent subjects and that of independent clusters.

    Parameters
    ----------
    spread : Spread
    apart, seen : array (...)
        The number if subjects did not depend on each other, and that by which influence values vary, infinity if they
        do not.
    """
    known_of = spread.clustered
    assert known_of is not None
    in_one: Any = 1.0
    if not known_of.of_subjects:
        most = known_of.heaviest
        in_one = spread.effective[0] * (most**2 + (1 - most) ** 2 / (known_of.degrees + 1))  # as if others were equal
    few = apart / np.sqrt(np.maximum(in_one, 1.0))
    events = mixed_above(spread)
    known = events / (events + np.where(seen > few, _EVENTS, _EVENTS_IF_FEWER))
    return np.asarray(few ** (1 - known) * np.where(np.isfinite(seen), seen, few) ** known)


def mixed_above(spread: Spread) -> Array:
    """Return how many of equal weights tell the positives above the cut from the negatives there.

    If all above it are of one class, the value does not vary with them.
    """
    step, sums = spread.step, spread.sums
    assert step is not None
    (pos, of_pos), (neg, of_neg) = (
        [np.sum(column * step.share_above, axis=-1) for column in side] for side in _sides(sums)
    )
    scale = np.sqrt(of_pos + of_neg)  # weights have no unit, and may be large
    parts = (np.divide(side, scale, out=np.zeros(np.shape(scale)), where=scale > 0) for side in (pos, neg))
    return np.asarray(np.prod(list(parts), axis=0))


def with_prevalence(spread: Spread, of_prevalence: Array) -> Array:
    """Return by what the limits of the log odds of a precision at a recall are to be multiplied.

    The prevalence and the FPR there vary together if weights go with the scores.

    Parameters
    ----------
    spread : Spread
    of_prevalence : array (...)
        Standard deviation of the log odds of the prevalence.
    """
    step, value = spread.step, spread.value
    assert step is not None
    (n1, _, _), (n0, _, _) = _at_cut(step, spread.sums)
    alpha, recall = step.fpr, step.place
    with np.errstate(divide="ignore", invalid="ignore"):
        of_fpr = (alpha * (1 - alpha) / n0 + step.slope**2 * recall * (1 - recall) / n1) / alpha**2
        ratio = spread.variance / (value * (1 - value)) ** 2 / (of_fpr + of_prevalence**2)
    there = np.isfinite(ratio) & (ratio > 0)
    return np.sqrt(between(1.0, np.where(there, ratio, 1.0), mixed_above(spread)))


def _sides(sums: Sums) -> list[tuple[Array, Array]]:
    """Return the weights of positives and of negatives by row, and their squares."""
    sides = ((sums.pos, sums.pos_squares), (sums.neg, sums.neg_squares))
    return [(np.asarray(own, float), np.asarray(own, float) if squares is None else squares) for own, squares in sides]


def _toward(near: Array, of_list: Array, events: Array) -> Array:
    """Return a number between those of the cut and of the list: above a cut of the first few, weights are chance."""
    return np.maximum(between(np.sqrt(near * of_list), near, events), 2.0)


def between(few: Any, many: Array, events: Array) -> Array:
    """Return a number between that of few events and that of many, in which squares of the weights at the cut count."""
    with np.errstate(invalid="ignore"):
        known = np.where(np.isfinite(events), events / (events + np.where(many > few, _EVENTS_IF_MORE, _EVENTS)), 1.0)
        return np.asarray(few ** (1 - known) * many**known)


def _at_cut(step: Step, sums: Sums) -> list[tuple[Array, Array, Array]]:
    """Return of each class the numbers of equal weights that vary as much, at the cut and of the list, and its events.

    Events are the variance of the number above the cut.
    """
    sides = _sides(sums)
    shares = (step.share_above, 1 - step.share_above)
    with np.errstate(divide="ignore", invalid="ignore"):
        # mean weights by weight, of both classes where one has nobody there
        both = [sum(np.sum(s * share, axis=-1) for _, s in sides) for share in shares]
        both = [x / sum(np.sum(w * share, axis=-1) for w, _ in sides) for x, share in zip(both, shares, strict=True)]
        found = []
        for weights, squares in sides:
            total = weights.sum(axis=-1)
            own = [np.sum(squares * share, axis=-1) / np.sum(weights * share, axis=-1) for share in shares]
            above, below = (np.where(np.isnan(x), y, x) for x, y in zip(own, both, strict=True))
            above, below = np.where(np.isnan(above), below, above), np.where(np.isnan(below), above, below)
            share = np.sum(weights * step.share_above, axis=-1) / total
            near = total / ((1 - share) * above + share * below)
            found.append((near, total**2 / squares.sum(axis=-1), near * share * (1 - share)))
    return found
