"""Markers on the scale on which their values are about normal, with half a subject more."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hitcurve.counts import AnyArray, Array
from hitcurve.inference.design import cluster_degrees
from hitcurve.inference.lacking import FEWEST
from hitcurve.inference.logit_scale import LogitScale
from hitcurve.inference.spread import Clustered, Spread
from hitcurve.metrics import Metric
from hitcurve.screens import quick
from hitcurve.screens.engine import MarkerLists
from hitcurve.sums import Lists, Sums


class Placed(NamedTuple):
    """Markers of a block on the logit of the share of the way from worst to best; unbounded metrics as they are.

    Attributes
    ----------
    place, error : array (w,)
        With half a subject more; nan where there is none.
    degrees : array (w,)
        Of freedom, of the t quantile.
    grain : array (w,)
        Half a step between values.
    worst, best : array (w,)
        Ends of the scale on the way back; nan of unbounded metrics.
    influence : array (w, n) or (w, C)
        Influence values of the subjects, or of the clusters, over the root of the sum of their squares.
    """

    place: Array
    error: Array
    degrees: Array
    grain: Array
    worst: Array
    best: Array
    influence: Array

    def at(self, marker: int) -> Placed:
        """Return one marker."""
        return Placed(*(column[marker] for column in self))

    def down(self, places: Array) -> Array:
        """Return the values at places of the scale, of each marker."""
        return np.asarray(np.where(np.isnan(self.worst), places, LogitScale(self.worst, self.best).down(places)))

    def lower_by_score(self, reach: Array) -> Array:
        """Return lower ends with the standard error that a share has at the end and not at the value.

        Near the best value, the error on the logit scale is that of half a subject, and many such errors are too far.
        nan of unbounded metrics.
        """
        from scipy.special import expit

        share = expit(self.place)
        # of as many subjects as a share with this error has
        squares = reach**2 * self.error**2 * share * (1 - share)
        root = np.sqrt(squares * (share * (1 - share) + squares / 4))
        low = (share + squares / 2 - root) / (1 + squares)
        return np.asarray(self.worst + (self.best - self.worst) * low)

    def reach(self, normal: float) -> Array:
        """Return so many standard errors of a normal variable as those of t with as rare a tail."""
        from scipy.special import ndtr, stdtrit

        return -np.asarray(stdtrit(self.degrees, ndtr(-normal)), float)


def clustered(own: MarkerLists, metric: Metric) -> Clustered | None:
    """Return the variances by cluster, None without clusters."""
    subjects = own.subjects
    if subjects.clusters is None:
        return None
    degrees = cluster_degrees(subjects.by_cluster[1].size, np.unique(subjects.clusters[subjects.positive]).size)
    variance = own.clustered(metric)
    return Clustered(variance, np.full(variance.shape, degrees))


def placed(metric: Metric, own: MarkerLists) -> Placed:
    """Place the markers of a block."""
    subjects = own.subjects
    lists = Lists(Sums(own.pos, own.neg), subjects.prevalence)
    spread = Spread(metric, lists, subjects.design, clustered(own, metric))
    with np.errstate(all="ignore"):
        more = spread.with_half_subject
        error = np.sqrt(more.variance)
        place, grain = np.asarray(more.value, float), _grain(spread)
        worst = best = np.full(place.shape, math.nan)
        if more.bounds is not None:
            scale = LogitScale(*more.bounds)
            error, grain = scale.length(place, error), scale.length(place, grain)
            place = scale.up(place)
            worst, best = (np.broadcast_to(end, place.shape) for end in spread.bounds or more.bounds)
        few = np.minimum(np.minimum(*spread.effective), spread.clusters) < FEWEST
        lost = ~(error > 0) | np.isnan(place) | few
        place, error = np.where(lost, math.nan, place), np.where(lost, math.nan, error)
        influence = _influence(metric, own)
        influence = influence if subjects.clusters is None else subjects.summed(influence)
        size = np.sqrt(np.sum(influence**2, axis=1, keepdims=True))
        place, error = (np.where(size[:, 0] > 0, column, math.nan) for column in (place, error))
        influence = np.where(size > 0, influence / np.where(size > 0, size, 1.0), 0.0)
    degrees = np.array(np.broadcast_to(np.maximum(spread.degrees, 1.0), place.shape))
    return Placed(place, error, degrees, np.nan_to_num(grain), np.array(worst), np.array(best), influence)


def _influence(metric: Metric, own: MarkerLists) -> Array:
    """Return the influence values of subjects with half a subject more, which are not all 0."""
    subjects = own.subjects
    more = Sums(own.pos, own.neg).with_half_subject(subjects.prevalence)
    if quick.is_quick(metric) and subjects.prevalence is None:
        found = quick.influence(metric, quick.Down.of(more.pos, more.neg), subjects.design)
    else:
        own_influence = Spread(metric, Lists(more, subjects.prevalence), subjects.design).influence
        if own_influence is None:
            return np.zeros((len(own.pos), subjects.n))
        found = np.nan_to_num(own_influence.pos), np.nan_to_num(own_influence.neg)
    return own.of_subjects(*found)


def design_effect(metric: Metric, own: MarkerLists) -> Array:
    """Return the variance by cluster over that of independent subjects, (w,); nan without influence values.

    With half a subject more, since a perfect marker has neither variance.
    """
    with np.errstate(all="ignore"):
        influence = _influence(metric, own)
        sums = own.subjects.summed(influence)
        clusters = sums.shape[1]
        return np.asarray(clusters / (clusters - 1) * np.sum(sums**2, axis=1) / np.sum(influence**2, axis=1))


def _grain(spread: Spread) -> Array:
    """Return half of what one pair of a positive and a negative that change places do, on the way from worst to best.

    At a cut, half of what one hit does, or one negative at a recall.
    """
    n1, n0 = spread.effective
    if spread.step is not None:
        return np.asarray(np.abs(spread.step.cut.factor) / (n0 if spread.step.axis == "recall" else n1) / 2)
    ends = (np.asarray(end(spread.counts), float) for end in (spread.metric.best, spread.metric.worst))
    length = np.abs(np.subtract(*ends))
    return np.asarray(np.where(np.isfinite(length), length, 0.0) / (n1 * n0) / 2)


def keys(own: MarkerLists, weights: AnyArray) -> AnyArray:
    """Return a whole number of each subject from its place by every marker, which adds over blocks.

    Subjects whose numbers differ are put in one order, whatever the order of rows and of markers.

    Parameters
    ----------
    own : MarkerLists
    weights : array of uint64 (w,)
        Of each marker.
    """
    down = np.cumsum(own.size, axis=1)
    # twice the middle rank of each row; empty rows hold nobody
    middle = (2 * down - own.size).astype(np.uint64)
    row = own.row_of_subject
    found = np.where(row >= 0, np.take_along_axis(middle, np.maximum(row, 0), axis=1), np.uint64(0))
    return np.asarray(np.sum(found * weights[:, None], axis=0, dtype=np.uint64))
