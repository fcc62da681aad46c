"""Intervals by inversion: which models of a family would give a value as low, or as high, as the one that was found.

The family is the fit of a list (:class:`~hitcurve.inference.models.KernelFit`) with its positives moved up or down. At
nine shifts tables are drawn, and smooth functions of the shift describe them: the centre of the model, and how far the
upper and lower quantiles of the draws are from it, on a scale without ends. A limit is the centre of the model whose
quantile is the value. So the standard error is that of the model at the limit, not that of the sample.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hitcurve.counts import Array, Counts
from hitcurve.errors import UndefinedMetricError
from hitcurve.inference.models import KernelFit, Places
from hitcurve.inference.quantiles import t_quantile
from hitcurve.metrics import Metric

SHIFTS, DRAWS = 9, 150
MOST_POSITIVES = 500  # each takes 1,350 binomial numbers
_LEAST_SPREAD = 0.25  # of the scores of the fit
_REACH = 1.1  # standard deviations by which 16 positives are moved
_FACTOR = 1.1  # on the quantiles, beside that of t
_LEVEL = 0.95  # of the quantiles; those of other levels follow by t
_GRID = np.linspace(-1.0, 1.0, 401)  # places between the shifts at the ends
_FPR = np.concatenate([[0.0], np.geomspace(1e-12, 1e-4, 33), np.geomspace(1e-4, 1.0, 161)[1:]])


class Scale(NamedTuple):
    """The scale without ends: the logit of the share of the way from worst to best, or the logarithm.

    Attributes
    ----------
    worst, best : float
        ``best`` is infinite for the logarithm.
    least, most : float or array (...)
        Values beyond these count as these: a perfect list is half way between the best and the next value.
    """

    worst: float
    best: float
    least: Any
    most: Any

    def up(self, value: Any) -> Array:
        """Return a value on the scale."""
        from scipy.special import logit

        value = np.clip(value, self.least, self.most)
        if math.isinf(self.best):
            return np.asarray(np.log(value - self.worst))
        return np.asarray(logit((value - self.worst) / (self.best - self.worst)))

    def down(self, place: Any) -> Array:
        """Return the value at a place of the scale."""
        from scipy.special import expit

        if math.isinf(self.best):
            return np.asarray(self.worst + np.exp(place))
        return np.asarray(self.worst + (self.best - self.worst) * expit(place))


@dataclass(frozen=True)
class Inverted:
    """The intervals of all levels of one list.

    Attributes
    ----------
    value : float
    place : float
        The value on the scale.
    scale : Scale
    centre, below, above : array (G,)
        Of models between the first and the last shift: the centre on the scale, and the lower and upper quantile of
        the draws minus the centre.
    degrees : float
        Of t.
    """

    value: float
    place: float
    scale: Scale
    centre: Array
    below: Array
    above: Array
    degrees: float
    seed: int

    def limits(self, level: float) -> tuple[float, float]:
        """Return the interval of a level."""
        return self.at(float(t_quantile((1 + level) / 2, self.degrees)))

    def at(self, t: float) -> tuple[float, float]:
        """Return the interval whose half width is so many standard errors."""
        factor = _FACTOR * t / float(t_quantile((1 + _LEVEL) / 2, math.inf))
        ends = []
        for off in (self.above, self.below):
            reached = np.maximum.accumulate(self.centre + factor * off)
            end = np.interp(self.place, reached, self.centre)
            # beyond the shifts straight on
            end += max(self.place - reached[-1], 0.0) + min(self.place - reached[0], 0.0)
            ends.append(float(self.scale.down(end)))
        return min(ends[0], self.value), max(ends[1], self.value)


def inverted(metric: Metric, c: Counts, *, sampled: bool, degrees: float, seed: int) -> Inverted:
    """Invert a metric of one list.

    Parameters
    ----------
    metric : Metric
    c : Counts
        Of one list, of whole subjects.
    sampled : bool
        Whether the number of positives was sampled too.
    degrees : float
        Of t.
    seed : int
    """
    rng = np.random.default_rng(seed)
    fit = KernelFit.of(Places.of(c, rng), least_spread=_LEAST_SPREAD)
    n1, n = int(c.n1), int(c.n)
    reach = _REACH * max(float(np.std(fit.z, ddof=1)), 0.5) * math.sqrt(16 / n1)
    shifts = np.linspace(-1.0, 1.0, SHIFTS)
    n_pos = np.full((SHIFTS, DRAWS), n1)
    if sampled:
        n_pos = np.clip(rng.binomial(n, n1 / n, (SHIFTS, DRAWS)), 1, n - 1)
    drawn = fit.draw(n_pos, n - n_pos, rng, shift=reach * shifts[:, None]).counts(negatives_join=False)
    scale = scale_of(metric, c)
    own = scale._replace(**dict(zip(("least", "most"), _second_ends(metric, drawn, scale), strict=True)))
    values = own.up(metric.kernel(drawn))
    if metric.axis == "fpr":
        centre = scale.up(_of_models(metric, fit, reach * shifts))
    else:
        centre = scale.up(np.mean(metric.kernel(drawn), axis=-1))
    tail = (1 - _LEVEL) / 2
    below, above = np.quantile(values, [tail, 1 - tail], axis=-1) - centre
    value = float(metric.kernel(c))

    def smooth(of: Array, degree: int) -> Array:
        return np.asarray(np.polynomial.polynomial.polyval(_GRID, np.polynomial.polynomial.polyfit(shifts, of, degree)))

    return Inverted(
        value,
        float(scale.up(value)),
        scale,
        np.maximum.accumulate(smooth(centre, 3)),
        smooth(below, 2),
        smooth(above, 2),
        degrees,
        seed,
    )


def scale_of(metric: Metric, c: Counts) -> Scale:
    """Return the scale of a metric of one list.

    Raises
    ------
    UndefinedMetricError
        If the metric has no least value.
    """
    bounds = metric.bounds(c)
    worst, best = metric.range if bounds is None else map(float, bounds)
    if math.isinf(worst):
        raise UndefinedMetricError(f"inversion needs a metric with a least value, which {metric} has not")
    return Scale(worst, best, *map(float, _second_ends(metric, c, Scale(worst, best, 0, 0))))


def _second_ends(metric: Metric, c: Counts, scale: Scale) -> tuple[Array, Array]:
    """Return what the perfect and the reversed list count as: half way to the next better or worse order."""
    n1, n0, one = c.n1, c.n0, np.ones(c.shape)
    none = 0 * one
    nearly = Counts(np.stack([n1 - 1, none, one, none], axis=-1), np.stack([none, one, none, n0 - 1], axis=-1))
    turned = Counts(np.stack([none, one, none, n1 - 1], axis=-1), np.stack([n0 - 1, none, one, none], axis=-1))
    least, most = np.asarray(metric.kernel(turned)), np.asarray(metric.kernel(nearly))
    return (scale.worst + least) / 2, most if math.isinf(scale.best) else (scale.best + most) / 2


def _of_models(metric: Metric, fit: KernelFit, shifts: Array) -> Array:
    """Return the metric of the models themselves, as that of a table of many small rows."""
    tpr = np.stack([KernelFit(fit.z + shift, fit.width).tpr(_FPR) for shift in shifts])
    pos, neg = np.diff(tpr, axis=-1), np.broadcast_to(np.diff(_FPR), (shifts.size, _FPR.size - 1))
    return np.asarray(metric.kernel(Counts(pos, np.array(neg))))
