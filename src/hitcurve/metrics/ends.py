"""Values at the ends of their range: what rounding put next to the best or the worst value, or beyond, is it."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.refusals import raise_first

if TYPE_CHECKING:
    from hitcurve.metrics.metric import Metric

NOISE = float(64 * np.finfo(float).eps)  # of the sums of a value
_LAST_DIGIT = float(4 * np.finfo(float).eps)
_OF_ORDER = 1e-9  # of those of a list whose value is known without them
_BEYOND = 1e-6  # of an integral under a density so steep that it keeps few digits


def with_exact_ends(metric: Metric, c: Counts, values: Array) -> Array:
    """Return values of which those within rounding of the best or the worst order are exactly theirs.

    Parameters
    ----------
    metric : Metric
    c : Counts
    values : array (...)
    """
    best, middle = np.asarray(metric.best(c)), np.asarray(metric.random(c))
    values = _snapped(values, best, best >= middle, np.abs(best), lambda: _is_perfect(c.B, c.H))
    # lists on the side of the worst order: its value may take long, and few lists are there
    low = np.asarray(~(np.abs(values - best) < (1 - _OF_ORDER) * np.abs(middle - best)) & ~np.isnan(values))
    if not low.any():
        return values
    values, n1, n0 = np.array(values), c.n1[low], c.n0[low]
    prevalence = None if c.prevalence is None else np.broadcast_to(c.prevalence, c.shape)[low]
    classes = Counts(n1[..., None], n0[..., None], prevalence, c.weighted)
    worst = np.asarray((metric.of_lists(low) if c.shape else metric).worst(classes))
    best, middle = best[low], middle[low]
    values[low] = _snapped(values[low], worst, best < middle, np.abs(best), lambda: _is_worst(metric, c, low))
    return values


def with_exact_end(metric: Metric, c: Counts, value: float) -> float:
    """Return the same of the only list, without arrays: of a short list they would take as long as the value."""
    best, middle = float(metric.best(c)), float(metric.random(c))
    scale = abs(best)
    if _is_at(value, best, value > best if best >= middle else value < best, scale, lambda: _is_perfect(c.B, c.H)):
        value = best
    if abs(value - best) < (1 - _OF_ORDER) * abs(middle - best):
        return value
    worst = float(metric.worst(c))
    at_worst = _is_at(
        value, worst, value > worst if best < middle else value < worst, scale, lambda: _is_worst(metric, c)
    )
    return worst if at_worst else value


def _is_at(value: float, end: float, beyond: bool, scale: float, is_end: Callable[[], npt.NDArray[np.bool_]]) -> bool:
    off = abs(value - end)
    if off <= (_BEYOND * scale + NOISE if beyond else NOISE * abs(end)):
        return True
    return off <= _OF_ORDER * _size(end, scale) and bool(is_end())


def _size(end: AnyArray | float, scale: AnyArray | float) -> Any:
    """Return what rounding is measured by: the end itself, which may be far below the best value, unless it is 0.

    Of average precision near 1e-9 the end would otherwise be the value of lists that are not there: its worst order is
    strict, and that of weights a limit.
    """
    return np.where(end == 0, scale, np.abs(end)) if isinstance(end, np.ndarray) else abs(end) or scale


def at_end(metric: Metric, order: str, values: Array) -> Array:
    """Return values of the perfect ("best") or reversed ("worst") order, or of all tied, as exactly as is known."""
    known = {"best": metric.perfect_value, "worst": metric.reversed_value}.get(order)
    if known is not None:
        return np.where(np.isnan(values), values, known)
    for end in metric.range if order != "random" else ():
        if math.isfinite(end):
            values = np.where(np.abs(values - end) <= _LAST_DIGIT * abs(end), end, values)
    return in_range(metric, values)


def in_range(metric: Metric, values: Array) -> Array:
    """Return values of the best or the worst order, none of them beyond the range of the metric by a rounding."""
    for end, beyond in zip(metric.range, (values < metric.range[0], values > metric.range[1]), strict=True):
        values = np.where(beyond & (np.abs(values - end) <= NOISE), end, values)
    return values


def reference_order(c: Counts, order: str) -> Counts:
    """Return one of the three lists that bound a metric: all tied, perfect, reversed."""
    n1, n0 = c.n1[..., None], c.n0[..., None]
    rows = {"random": [(n1, n0)], "best": [(n1, 0 * n0), (0 * n1, n0)], "worst": [(0 * n1, n0), (n1, 0 * n0)]}[order]
    pos, neg = (np.concatenate(column, axis=-1) for column in zip(*rows, strict=True))
    return Counts(pos, neg, c.prevalence, c.weighted)


@lru_cache(maxsize=1 << 15)  # of all metrics on some hundred numbers of the classes
def reference_value(metric: Any, order: str, n1: float, n0: float, prevalence: float | None, weighted: bool) -> float:
    """Return a reference value of one list: it follows from the numbers of the classes alone."""
    c = reference_order(Counts(np.array([n1]), np.array([n0]), prevalence, weighted), order)
    raise_first(metric.unsuited(c))
    value = float(at_end(metric, order, metric.kernel(c)))
    if math.isnan(value):
        raise_first(metric.why_nan(c))
    return value


def _is_perfect(others: AnyArray, own: AnyArray) -> npt.NDArray[np.bool_]:
    """Return which lists are perfect: no subject of the other class is above or tied with the last of its own."""
    last = np.argmax(own >= own[..., -1:], axis=-1)[..., None]
    return np.asarray(np.take_along_axis(others, last, axis=-1)[..., 0] == 0)


def _is_worst(metric: Metric, c: Counts, lists: Any = ...) -> npt.NDArray[np.bool_]:
    """Return which lists are the worst order; where precision counts, with one positive at each rank and no weights."""
    last = _is_perfect(c.H[lists], c.B[lists])
    if not metric.negatives_join:
        return last
    alone = np.max(c.pos[lists], axis=-1, initial=0) <= 1
    return np.asarray(last & alone & (not c.weighted))


def _snapped(
    values: Array, end: Array, above: AnyArray, scale: Array, is_end: Callable[[], npt.NDArray[np.bool_]]
) -> Array:
    """Return values that are the end if they are a few roundings off, or next to it and those of its order."""
    off = np.abs(values - end)
    with np.errstate(invalid="ignore"):
        beyond = np.where(above, values > end, values < end)
        snapped = off <= np.where(beyond, _BEYOND * scale + NOISE, NOISE * np.abs(end))
        near = ~snapped & (off <= _OF_ORDER * _size(end, scale))
    if near.any():
        snapped |= near & is_end()
    return np.where(snapped, end, values)
