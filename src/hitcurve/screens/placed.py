"""Markers on the scale on which their values are about normal, with half a subject more."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from hitcurve.counts import AnyArray, Array
from hitcurve.inference.design import cluster_degrees
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.variance.dependent import Clustered
from hitcurve.inference.variance.half_subject import spread_by
from hitcurve.inference.variance.lacking import FEWEST
from hitcurve.inference.variance.logit_scale import LogitScale
from hitcurve.inference.variance.spread import Spread
from hitcurve.metrics import Metric
from hitcurve.screens import quick
from hitcurve.screens.engine import MarkerLists, Subjects
from hitcurve.screens.even import EvenScale, even_scale
from hitcurve.sums import Lists, Sums

N_COLUMNS = 8
"""How many columns of :class:`Placed` have a number for each marker."""
_NORMAL = 1e9  # degrees of freedom of t that is normal


class Placed(NamedTuple):
    """Markers of a block on a scale on which they are about normal.

    Attributes
    ----------
    place, error : array (w,)
        With half a subject more; nan where there is none.
    degrees : array (w,)
        Of freedom, of the t quantile.
    grain : array (w,)
        Half a step between values.
    worst, best : array (w,)
        Ends of the logit scale on the way back; nan of unbounded metrics.
    logit, logit_error : array (w,)
        On the logit of the share of the way from worst to best; unbounded metrics as they are.
    influence : array (w, n) or (w, C)
        Influence values of the subjects, or of the clusters, over the root of the sum of their squares.
    scale : EvenScale or None
        What they are placed on; the logit if there is none.
    clustered : bool
        Whether errors are by cluster.
    """

    place: Array
    error: Array
    degrees: Array
    grain: Array
    worst: Array
    best: Array
    logit: Array
    logit_error: Array
    influence: Array
    scale: EvenScale | None = None
    clustered: bool = False

    def at(self, markers: Any) -> Placed:
        """Return one marker, or some."""
        columns: tuple[Any, ...] = tuple(self)[: N_COLUMNS + 1]
        columns = tuple(column[markers] for column in columns)
        return Placed._make((*columns, self.scale, self.clustered))

    def down(self, places: Array) -> Array:
        """Return the values at places of the scale, of each marker."""
        return self._from_logit(places) if self.scale is None else self.scale.down(places)

    def alone(self, level: float) -> tuple[Array, Array]:
        """Return the ends of the interval of each marker alone."""
        half = t_quantile((1 + level) / 2, self.degrees) * self.logit_error
        return self._from_logit(self.logit - half), self._from_logit(self.logit + half)

    def _from_logit(self, places: Array) -> Array:
        return np.asarray(np.where(np.isnan(self.worst), places, LogitScale(self.worst, self.best).down(places)))

    @property
    def tails(self) -> Array:
        """Degrees of freedom of the errors; on the even scale they are known, not estimated."""
        estimated = self.scale is None or self.clustered
        return self.degrees if estimated else np.full(self.degrees.shape, _NORMAL)

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
    return Clustered(variance, np.full(variance.shape, degrees), above=own.clusters_above(metric))


def scale_of(metric: Metric, subjects: Subjects) -> EvenScale | None:
    """Return the scale that all markers share; None where they are placed on the logit."""
    return even_scale(metric, *subjects.sizes, subjects.design, subjects.prevalence)


def placed(metric: Metric, own: MarkerLists, even: EvenScale | None) -> Placed:
    """Place the markers of a block on a scale."""
    subjects = own.subjects
    lists = Lists(Sums(own.pos, own.neg), subjects.prevalence)
    spread = Spread(metric, lists, subjects.design, clustered(own, metric))
    with np.errstate(all="ignore"):
        more = spread.with_half_subject
        error = np.sqrt(more.variance)
        place, grain = np.asarray(more.value, float), _grain(spread)
        worst = best = np.full(place.shape, math.nan)
        logit, logit_error, logit_grain = place, error, grain
        if more.bounds is not None:
            scale = LogitScale(*more.bounds)
            logit, logit_error, logit_grain = scale.up(place), *(scale.length(place, x) for x in (error, grain))
            worst, best = (np.broadcast_to(end, place.shape) for end in spread.bounds or more.bounds)
        if even is None:
            place, error, grain = logit, logit_error, logit_grain
        else:
            error, grain = (even.length(place, x) for x in (error, grain))
            place, error = even.up(place), np.fmax(error, _of_random(metric, own, even))
        few = np.minimum(np.minimum(*spread.effective), spread.clusters) < FEWEST
        if metric.decided_by_prevalence:  # of a set prevalence, few negatives may decide it
            few = few | (spread.deciding < FEWEST)
        lost = ~(error > 0) | np.isnan(place) | few
        place, error, logit = (np.where(lost, math.nan, column) for column in (place, error, logit))
        influence = _influence(metric, own)
        influence = influence if subjects.clusters is None else own.summed(influence)
        size = np.sqrt(np.sum(influence**2, axis=1, keepdims=True))
        place, error = (np.where(size[:, 0] > 0, column, math.nan) for column in (place, error))
        influence = np.where(size > 0, influence / np.where(size > 0, size, 1.0), 0.0)
    degrees = np.array(np.broadcast_to(np.maximum(spread.degrees, 1.0), place.shape))
    columns = (place, error, degrees, np.nan_to_num(grain), np.array(worst), np.array(best), logit, logit_error)
    return Placed(*columns, influence, even, subjects.clusters is not None)


def _of_random(metric: Metric, own: MarkerLists, scale: EvenScale) -> Array:
    """Return the standard error on the scale of a marker with these ties that is random, (w,); nan where unknown.

    A marker that is low by accident has a smaller one of its own.
    """
    subjects, share = own.subjects, own.size / own.size.sum(axis=1, keepdims=True)
    n1, n0 = own.down.n1, own.down.n0
    spread = Spread(metric, Lists(Sums(share * n1, share * n0), subjects.prevalence), subjects.design)
    return scale.length(np.asarray(metric.value(spread.counts), float), np.sqrt(spread.variance))


def _influence(metric: Metric, own: MarkerLists) -> Array:
    """Return the influence values of subjects with half a subject more, which are not all 0."""
    subjects = own.subjects
    more = Sums(own.pos, own.neg).with_half_subject(spread_by(metric, subjects.prevalence))
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
