"""A scale on which a marker of little worth has the standard error of one of much worth.

The error of a metric depends on its true value, and the error that a sample shows depends on luck: a marker that is low
by accident has a small one. The error of a marker of each true value is that of a binormal model with as many positives
and negatives; the scale is the integral of its inverse, so that a step on it is about one standard error. Samples of
the model show how much higher they are on average than what is true, as average precision of few positives is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hitcurve.counts import Array
from hitcurve.errors import HitcurveError
from hitcurve.inference.resampling.draws import multinomial
from hitcurve.inference.variance.half_subject import spread_by
from hitcurve.inference.variance.spread import Spread
from hitcurve.metrics import Metric
from hitcurve.sums import Lists, Sums

_SHIFTS = np.linspace(-5.0, 7.0, 97)  # of the positives, in standard deviations
_ROWS = 300  # of a model, half of them from either end on
_FINEST = 0.05  # of a negative, the row at either end
_AT_LEAST = 0.25  # of the error of a random order, that of a lower value
_FEWEST = 20  # shifts that give values
_LEAST = 1e-6  # of the range, what a shift must add to the value
_DRAWN = np.arange(36, 61, 3)  # places of the shifts of which samples are drawn, from -1/2 to 5/2
_DRAWS = 300
_LARGEST = 200  # positives of a sample that is drawn; of more, what is too high falls with their root
_SEED = 20260101


class EvenScale(NamedTuple):
    """Values and their places, ascending; a step is about one standard error of a marker without ties.

    Attributes
    ----------
    values, places, errors : array (G,)
        Straight between them; an end of the metric has no error.
    means : array (G,)
        Mean place of samples whose true value it is.
    """

    values: Array
    places: Array
    errors: Array
    means: Array

    def up(self, value: Array) -> Array:
        """Return the places of values."""
        return _along(value, self.values, self.places, 1 / np.maximum(self.errors[[0, -1]], 1e-300))

    def down(self, place: Array) -> Array:
        """Return the true values of samples of which the places are the means."""
        return _along(place, self.means, self.values, self.errors[[0, -1]])

    def length(self, value: Array, length: Array) -> Array:
        """Return lengths near values, such as standard errors, on the scale."""
        error = np.interp(value, self.values, self.errors)
        return np.where(error > 0, length / np.where(error > 0, error, 1.0), np.nan)


def _along(x: Array, of: Array, to: Array, slopes: Array) -> Array:
    """Return what belongs to x, straight beyond the ends."""
    more = np.minimum(x - of[0], 0.0) * slopes[0] + np.maximum(x - of[-1], 0.0) * slopes[1]
    return np.asarray(np.interp(x, of, to) + np.where(more == 0, 0.0, more))


def even_scale(metric: Metric, n1: int, n0: int, design: str, prevalence: float | None) -> EvenScale | None:
    """Return the scale of a metric; None where the model does not give one.

    Negatives are normal, and positives are moved by a shift.
    """
    from scipy.special import ndtr, ndtri

    half = np.geomspace(_FINEST / n0, 0.5, _ROWS // 2)
    false = np.concatenate([half, 1 - half[-2::-1], [1.0]])
    pos = n1 * np.diff(ndtr(_SHIFTS[:, None] + ndtri(false)), axis=1, prepend=0.0)
    neg = np.broadcast_to(n0 * np.diff(false, prepend=0.0), pos.shape)
    try:
        with np.errstate(all="ignore"):
            spread = Spread(metric, Lists(Sums(pos, neg), prevalence), design)
            values, errors, bounds = (
                np.asarray(metric.value(spread.counts), float),
                np.sqrt(spread.variance),
                spread.bounds,
            )
            ends = None if bounds is None else sorted(float(np.broadcast_to(end, values.shape)[0]) for end in bounds)
            found = _between(values, errors, ends)
            return None if found is None else _with_means(found, values, metric, n1, n0, prevalence)
    except HitcurveError:
        return None


def _between(values: Array, errors: Array, bounds: list[float] | None) -> EvenScale | None:
    """Return the scale from values and errors of the shifts."""
    shifts = _SHIFTS
    if not (np.isfinite(values).all() and np.isfinite(errors).all()):
        return None
    if values[0] > values[-1]:
        values, errors, shifts = values[::-1], errors[::-1], shifts[::-1]
    # beyond the lowest and the highest, rows at the end hold most positives
    held = slice(int(np.argmin(values)), int(np.argmax(values)) + 1)
    values, errors, shifts = values[held], errors[held], shifts[held]
    if values.size < _FEWEST:
        return None
    # lower than random, a sample has hardly any error of its own
    random = int(np.argmin(np.abs(shifts)))
    errors = np.where(np.arange(errors.size) < random, np.maximum(errors, _AT_LEAST * errors[random]), errors)
    rise, length = np.diff(values), values[-1] - values[0]
    if not length > 0 or rise.min() < -1e-9 * length:
        return None
    clear = np.append(True, rise > _LEAST * length) & (errors > 0)
    values, errors = values[clear], errors[clear]
    if bounds is not None:
        low, high = bounds
        if low < values[0]:
            values, errors = np.append(low, values), np.append(0.0, errors)
        if high > values[-1]:
            values, errors = np.append(values, high), np.append(errors, 0.0)
    # the variance is about straight between two values
    places = np.cumsum(np.append(0.0, 2 * np.diff(values) / (errors[1:] + errors[:-1])))
    return EvenScale(values, places, errors, places)


def _with_means(scale: EvenScale, true: Array, metric: Metric, n1: int, n0: int, prevalence: float | None) -> EvenScale:
    """Return the scale with the mean places of samples of the model, by the true values of some shifts."""
    from scipy.special import ndtr

    fewer = min(1.0, _LARGEST / n1)
    n1, n0 = round(n1 * fewer), max(round(n0 * fewer), 1)
    rng = np.random.default_rng([_SEED, n1, n0])
    normal = rng.standard_normal((_DRAWS, n1))
    place = scale.up(true[_DRAWN])
    more, by = np.empty(place.size), spread_by(metric, prevalence)
    for i, shift in enumerate(_SHIFTS[_DRAWN].tolist()):
        ahead = np.sort(ndtr(-normal - shift), axis=1)
        gaps = np.diff(ahead, axis=1, prepend=0.0, append=1.0)
        neg = np.zeros((_DRAWS, 2 * n1 + 1), np.int64)
        neg[:, ::2] = multinomial(rng, n0, gaps)
        pos = np.zeros(neg.shape, np.int64)
        pos[:, 1::2] = 1
        lists = Lists(Sums(pos, neg).with_half_subject(by), prevalence)
        more[i] = np.nanmean(scale.up(np.asarray(metric.kernel(lists.counts), float))) - place[i]
    if not np.isfinite(more).all():
        return scale
    fit = np.polynomial.Polynomial.fit(place, more * fewer, 2)
    means = scale.places + fit(np.clip(scale.places, place.min(), place.max()))
    return scale._replace(means=np.maximum.accumulate(means))
