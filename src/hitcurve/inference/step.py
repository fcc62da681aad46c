"""Hard cuts: where they fall, and the local slope of the curve there.

Of a metric with a cut, the shift of the cut itself has influence, in proportion to the local slope. A row of
negatives between two positives is split at the cut; a group of equal scores is not, its subjects are above the cut
in part.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hitcurve import magnify
from hitcurve.counts import Array, Counts
from hitcurve.metrics import WSS, AreaMetric, Metric
from hitcurve.sums import Sums


class Step(NamedTuple):
    """A metric that is linear in TPR (or FPR) at one cut.

    Attributes
    ----------
    axis : {"rate", "fpr", "recall"}
        What the cut holds fixed.
    place : float
        The rate, FPR or recall of the cut.
    tpr, fpr : float
        At the cut.
    slope : float
        Local precision (rate), dTPR/dFPR (fpr) or dFPR/dTPR (recall).
    share_above : array (K,)
        Share of the subjects of each row that are above the cut.
    scale : (float, float, float, float)
        The metric as offset + factor * what is at the cut, and the derivatives of both by the prevalence.
    follows : float
        How the place moves with the prevalence.
    """

    axis: str
    place: float
    tpr: float
    fpr: float
    slope: float
    share_above: Array
    scale: tuple[float, float, float, float]
    follows: float = 0.0


def variance_at_fpr(tpr: Any, fpr: Any, slope: Any, n1: float, n0: float) -> Any:
    """Return the variance of TPR at FPR, where the curve rises by ``slope``; numbers or arrays."""
    return tpr * (1 - tpr) / n1 + slope**2 * fpr * (1 - fpr) / n0


def variance_at_rate(
    tpr: Any, fpr: Any, precision: Any, pi: float, n1: float, n0: float, of_prevalence: float = 0.0
) -> Any:
    """Return the variance of TPR at a rate, where the local precision is ``precision``; numbers or arrays.

    ``of_prevalence`` is the variance of the prevalence, if it was sampled.
    """
    of_neg = (1 - pi) ** 2 * fpr * (1 - fpr) / n0 + (tpr - fpr) ** 2 * of_prevalence
    return (1 - precision) ** 2 * tpr * (1 - tpr) / n1 + (precision / pi) ** 2 * of_neg


def step_of(metric: Metric, c: Counts, size: tuple[float, float] | None = None) -> Step | None:
    """Return the cut of a metric, None if it has none.

    Parameters
    ----------
    metric : Metric
    c : Counts
    size : (float, float), optional
        Effective numbers of positives and negatives, on which the windows of slopes depend; those of the counts if
        absent.
    """
    n1, n0 = size or (float(c.n1), float(c.n0))
    if isinstance(metric, WSS):
        return _recall_step(metric, c, n1)
    if not isinstance(metric, AreaMetric):
        return None
    f = metric.magnification(c)
    if not isinstance(f, magnify.Step):
        return None
    scale, slope = metric.rescale(c), metric.rescale_slope(c)
    numbers = tuple(float(np.squeeze(value)) for value in (*scale, *slope))
    place = float(np.squeeze(f.t))
    follows = metric.place_follows_prevalence
    if metric.axis == "fpr":
        return _fpr_step(place, c, numbers, n1, n0)
    return _rate_step(place, c, numbers, follows, n1, n0)


def _rate_step(place: float, c: Counts, scale: tuple[float, ...], follows: float, n1: float, n0: float) -> Step:
    n = n1 + n0
    m = n * place
    above = c.share_above(c.r, place)
    hits = np.append(0.0, n * float(c.pi) * c.P)  # of the prevalence that was set, if one was
    axis = np.append(0.0, n * c.r)
    # positives in ranks (m - w, m + w]
    half = min(max(m * n1**-0.2, 2.0), m, n - m)
    rho = float(np.interp(m + half, axis, hits) - np.interp(m - half, axis, hits)) / (2 * half) if half > 0 else 0.0
    tpr, fpr = float(np.sum(c.p * above)), float(np.sum(c.q * above))
    return Step("rate", place, tpr, fpr, min(rho, 1.0), above, scale, follows)  # type: ignore[arg-type]


def _fpr_step(place: float, c: Counts, scale: tuple[float, ...], n1: float, n0: float) -> Step:
    above = c.share_above(c.Q, place)
    half = max(place * n1**-0.2, 1.5 / n0)
    low, high = max(place - half, 0.0), min(place + half, 1.0)
    axis, height = np.append(0.0, c.Q), np.append(0.0, c.P)
    slope = float(np.interp(high, axis, height) - np.interp(low, axis, height)) / (high - low)
    return Step("fpr", place, float(np.sum(c.p * above)), place, slope, above, scale)  # type: ignore[arg-type]


def _recall_step(metric: WSS, c: Counts, n1: float) -> Step:
    wanted = metric.level
    # the negatives right below the positive that reaches the recall are not above it
    above = c.share_above(c.P, wanted, reached=False)
    # half way to the end of the axis: at a recall of 1 the curve is steepest
    half = max(min(wanted, 1 - wanted) / 2, 1.5 / n1)
    low, high = max(wanted - half, 0.0), min(wanted + half, 1.0)
    axis, height = np.append(0.0, c.P), np.append(0.0, c.Q)
    slope = float(np.interp(high, axis, height) - np.interp(low, axis, height)) / (high - low)
    fpr = float(np.sum(c.q * above))
    return Step("recall", wanted, wanted, fpr, slope, above, (0.0, 1.0, 0.0, 0.0))


def split_at_cut(metric: Metric, sums: Sums, prevalence: float | None) -> Sums:
    """Split the row of negatives between two scores that a cut divides: some of them are above it, the rest below.

    Rows of equal scores stay whole; this is for tables whose rows of negatives alone are gaps.
    """
    c = sums.counts(prevalence)
    step = step_of(metric, c)
    if step is None:
        return sums
    row = np.flatnonzero((step.share_above > 0) & (step.share_above < 1) & (np.asarray(c.pos) == 0))
    if not row.size:
        return sums
    at, share = int(row[0]), float(step.share_above[row[0]])
    parts = [None if column is None else np.insert(column.astype(float), at, column[at] * share) for column in sums]
    for part in parts:
        if part is not None:
            part[at + 1] *= 1 - share
    return Sums(*parts)  # type: ignore[arg-type]
