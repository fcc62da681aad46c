"""The tilting path of average precision: how far it is to a value, and what value is so far away.

Along the path the rows of a table are reweighted by the influence values, so that average precision changes by one
standard error for each unit of length (see ``tilting``). Many tables at once, rows first: tables side by side in
memory make each step one call for all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hitcurve.counts import Array

_STEPS = 5  # of a path to a value, with errors of .01 standard errors and less
_LONGEST = 1.2  # of one of these steps, where the standard error is used up
_FARTHEST = 6.0
_USED_UP = 1e-8  # of the variance of the table, below which it stays as it is
_BLOCK = 2048  # tables that are tilted together
_MANY = 32  # tables from which on a path has them side by side in memory, and below which the rows of each
_TINY = 1e-300


class Sums(NamedTuple):
    """What a point of the path of each table follows from.

    Attributes
    ----------
    right, wrong, error, n1 : array (R,)
        Average precision, one minus it and its standard error, times the number of positives; this number.
    variance, slopes
        As of a point.
    """

    right: Array
    wrong: Array
    error: Array
    n1: Array
    variance: Array
    slopes: Array


class Point(NamedTuple):
    """A point of the path of each table.

    Attributes
    ----------
    log_odds : array (R,)
        Logit of average precision.
    rate : array (R,)
        How much it changes for each unit of length.
    variance : array (R,)
        Of average precision times the number of positives.
    slopes : array (2, K, R)
        Logarithmic change of positives and negatives of each row for each unit of length.
    """

    log_odds: Array
    rate: Array
    variance: Array
    slopes: Array


def with_half_positive(pos: Array, neg: Array) -> Array:
    """Return rows with half a positive and one negative more, spread over them as the subjects are.

    Parameters
    ----------
    pos, neg : array (K, R)

    Returns
    -------
    array (2, K, R)
    """
    sides = np.empty((2, *pos.shape))
    share = np.add(pos, neg)
    share /= np.maximum(np.add.reduce(share, axis=0), _TINY)
    np.add(neg, share, out=sides[1])
    share *= 0.5
    np.add(pos, share, out=sides[0])
    return sides


def lengths(pos: Array, neg: Array, log_odds: Array) -> Array:
    """Return the signed length of the path from each table to average precision of this logit.

    Five steps of equal change of the logit, as much of it as is left. Each goes along the influence values of its
    start and of the start of the step before (Adams and Bashforth); the length is the integral of one over the rate.

    Parameters
    ----------
    pos, neg : array (K, R)
        Canonical rows of tables; those of fewer rows end with empty ones.
    log_odds : array (R,)

    Returns
    -------
    array (R,)
        Within 6, beyond which no interval goes.
    """
    rows = np.max(np.arange(1, pos.shape[0] + 1)[:, None] * ((pos > 0) | (neg > 0)), axis=0)
    order = np.argsort(rows, kind="stable")
    found = np.empty(log_odds.shape)
    for first in range(0, order.size, _BLOCK):
        block = order[first : first + _BLOCK]
        most = int(rows[block[-1]])
        sides = with_half_positive(pos[:most, block], neg[:most, block])
        found[block] = _to(sides, log_odds[block])
    return np.clip(found, -_FARTHEST, _FARTHEST)


def _to(sides: Array, target: Array) -> Array:
    total = _total(sides)
    at = point(sides)
    least = _USED_UP * at.variance
    length, before, step_before = np.zeros(target.shape), at.slopes, np.ones(target.shape)
    for left in range(_STEPS, 0, -1):
        step = np.clip((target - at.log_odds) / (left * at.rate), -_LONGEST, _LONGEST)
        step[at.variance < least] = 0.0
        # what the slopes change over half of this step, if they change as they did over the last one
        more = np.clip(np.divide(step, 2 * step_before, out=np.zeros(step.shape), where=step_before != 0), -1, 1)
        move(sides, at.slopes, before, step, more, total)
        start, before, step_before = at, at.slopes, step
        at = point(sides)
        length += (at.log_odds - start.log_odds) * _mean_of_inverse(start.rate, at.rate)
    return length + (target - at.log_odds) / at.rate


def along(pos: Array, neg: Array, ends: Array, steps: int) -> tuple[Array, Array]:
    """Return average precision along the path of each table, as an angle, and how fast the angle changes.

    Average precision is sin^2 of half the angle. It reaches 1 at the end of a path of finite length, where its logit
    is infinite and the angle is all but a straight line.

    Parameters
    ----------
    pos, neg : array (K, R)
    ends : array (R,)
        Signed lengths to which the path is followed, in so many equal steps.

    Returns
    -------
    array (steps + 1, R), array (steps + 1, R)
        From the table itself on.
    """
    sides = with_half_positive(pos, neg)
    if ends.size < _MANY:
        sides = np.ascontiguousarray(sides.swapaxes(1, 2)).swapaxes(1, 2)
    total, step = _total(sides), ends / steps
    at, half, none = _sums(sides), np.full(ends.shape, 0.5), np.zeros(ends.shape)
    least = _USED_UP * at.variance
    # the first step goes along the slopes of its middle
    middle = sides.copy()
    move(middle, at.slopes, at.slopes, step / 2, none, total)
    points, before = [at], _sums(middle).slopes
    move(sides, before, before, step, none, total)
    for _ in range(steps - 1):
        before, at = at.slopes, _sums(sides)
        points.append(at)
        move(sides, at.slopes, before, np.where(at.variance < least, 0.0, step), half, total)
    points.append(_sums(sides))
    log_odds, rate = _log_odds_and_rate(*np.array([p[:4] for p in points]).swapaxes(0, 1))
    return 2 * np.arctan(np.exp(log_odds / 2)), rate / (2 * np.cosh(log_odds / 2))


def point(sides: Array) -> Point:
    """Return average precision of tables, its rate and its influence values by row."""
    found = _sums(sides)
    return Point(*_log_odds_and_rate(*found[:4]), found.variance, found.slopes)


def _log_odds_and_rate(right: Array, wrong: Array, error: Array, n1: Array) -> tuple[Array, Array]:
    right, wrong = np.maximum(right, _TINY), np.maximum(wrong, _TINY)
    return np.log(right / wrong), np.maximum(error * n1 / (right * wrong), 1e-12)


def _sums(sides: Array) -> Sums:
    pos, neg = sides
    sums = np.empty_like(sides)
    np.add(pos, neg, out=sums[1])
    sums[0] = pos
    sums[1, 0] += _TINY  # a first row may be empty
    _downwards(sums)
    hits, called = sums
    n1 = hits[-1].copy()
    slopes = np.empty_like(sides)
    each, lost = slopes
    np.divide(pos, called, out=each)
    np.divide(hits, called, out=called)
    precision = called
    np.multiply(each, precision, out=lost)
    each -= lost
    # pos * hits / called and pos * alarms / called
    np.multiply(pos, precision, out=hits)
    right = np.add.reduce(hits, axis=0)
    np.subtract(pos, hits, out=hits)
    wrong = np.add.reduce(hits, axis=0)
    _downwards(slopes[:, ::-1])
    precision -= right / n1
    each += precision
    np.negative(lost, out=lost)
    np.multiply(slopes, slopes, out=sums)
    sums *= sides
    variance = _total(sums)
    error = np.sqrt(np.maximum(variance, _TINY))
    slopes /= error
    return Sums(right, wrong, error, n1, variance, slopes)


def move(sides: Array, slopes: Array, before: Array, step: Array, more: Array, total: Array) -> None:
    """Reweight the rows along the slopes, and so much more of how these differ from the ones before."""
    if before is slopes:
        factor = slopes * step
    else:
        factor = slopes * (step * (1 + more))
        factor -= before * (step * more)
    np.maximum(factor, -5.0, out=factor)
    np.minimum(factor, 5.0, out=factor)
    np.exp(factor, out=factor)
    sides *= factor
    sides *= total / _total(sides)


def _total(sides: Array) -> Array:
    found: Array = np.add.reduce(sides, axis=1)
    return np.asarray(found[0] + found[1])


def _mean_of_inverse(a: Array, b: Array) -> Array:
    """Return the mean of one over a rate that changes from a to b so that its inverse is exponential."""
    change = np.log(b / a)
    near = np.abs(change) < 1e-4
    apart = np.divide(1 / a - 1 / b, change, out=np.zeros(a.shape), where=~near)
    return np.where(near, (1 / a + 1 / b) / 2, apart)


def _downwards(sides: Array) -> None:
    """Replace each row by the sum of it and all above it."""
    if sides.shape[-1] < 64:
        np.add.accumulate(sides, axis=1, out=sides)
        return
    for above, *rows in sides:
        for row in rows:
            np.add(above, row, out=row)
            above = row
