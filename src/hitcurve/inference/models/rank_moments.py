"""Moments of a sum of weights of the positives' ranks over the samples of a model, without drawing any.

A cohort of n subjects divides the distribution of both classes together at n uniform order statistics. Given these,
the labels are independent, positive with probability p(h) at share h from the top. So the moments of the sum are those
of independent labels, on average over the order statistics, and those of its mean given these: a linear function of
order statistics whose influence changes by D(h) dp(h), with D(h) the expected weight of the rank of a subject at h.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from hitcurve.counts import Array, Counts
from hitcurve.errors import ParameterError
from hitcurve.inference.models.kernel import KernelFit
from hitcurve.magnify.pieces import Pair
from hitcurve.metrics import Metric, RankSum

_STEP = 0.06  # of the scores, in standard deviations of the negatives
_BEYOND, _LOWEST = 6.0, -6.0  # widths of the kernel beyond the last positive; the last score of the negatives
_FEW = 64.0  # ranks above a subject up to which its own is taken as a Poisson number
_NODES = np.linspace(0.0, math.log1p(_FEW), 321)  # of the logarithm of one more than the mean of that number
_ENDS = 8.5  # widths of a kernel beyond which no digit of it is left
_POWERS = (1, 2, 3)
_TINY = 1e-300
_NORMAL = 1e-6  # a skewness that is none
_HALF, _NEGATIVES = 30, 200  # half of the positives, and all negatives, of the lists that weights are checked with
_SAME = 1e-6  # share of the value by which a declared sum may miss it

Weight: TypeAlias = Callable[[Array], Array]


class Moments(NamedTuple):
    """Mean, standard deviation and skewness of a metric over samples of each model.

    Attributes
    ----------
    mean, deviation, skewness : array (S,)
    """

    mean: Array
    deviation: Array
    skewness: Array

    def quantile(self, z: float | Array) -> Array:
        """Return the quantile at a normal deviate, of gamma variables with these moments (Wilson and Hilferty 1931)."""
        g = np.where(np.abs(self.skewness) < _NORMAL, _NORMAL, self.skewness)
        return np.asarray(self.mean + self.deviation * 2 / g * ((1 + g * z / 6 - g * g / 36) ** 3 - 1))


@lru_cache(maxsize=32)
def weights_of(metric: Metric) -> RankSum | None:
    """Return the weights that a metric declares to be the sum of, None if it declares none.

    Raises
    ------
    ParameterError
        If they are none, or their sum is not the metric of three lists.
    """
    of = metric.rank_sum
    if of is None:
        return None
    if not (isinstance(of, RankSum) and callable(of.weight)):
        raise ParameterError(f"rank_sum of {metric} must be a RankSum with a function of ranks, got {of!r}")
    try:
        hash(of.weight)
    except TypeError:
        raise ParameterError(f"rank_sum of {metric}: the weight must be hashable, as functions are") from None
    # positives first, last, and one half on each side
    above = np.array([2 * _HALF, 0, _HALF])
    kernel = np.asarray(metric.kernel(_three_rows(above)))
    # half ranks lie between the whole ones
    ranks = np.arange(2.0, 2 * (2 * _HALF + _NEGATIVES) + 2).reshape(-1, 2) / 2
    weight = _weights(of.weight, ranks)
    if weight.shape != ranks.shape or not np.all(np.isfinite(weight)):
        raise ParameterError(f"rank_sum of {metric}: the weight must give a finite number for each rank from 1 on")
    before = np.concatenate([[0.0], np.cumsum(weight[:, 0])])
    total = before[above] + before[-1] - before[above - 2 * _HALF - 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        total = total / before[2 * _HALF] if of.of_perfect else total * of.unit
    known = ~np.isnan(kernel)
    off = ~(np.abs(total - kernel) <= _SAME * np.max(np.abs(kernel[known]), initial=0.0))  # nan is off
    wrong = np.flatnonzero(known & off)
    if wrong.size:
        i = wrong[0]
        raise ParameterError(
            f"rank_sum of {metric} is not its kernel: with {above[i]} of {2 * _HALF} positives above {_NEGATIVES} "
            f"negatives and the others below, the weights sum to {total[i]:.6g}, the kernel is {kernel[i]:.6g}"
        )
    return of


def _three_rows(above: npt.NDArray[np.intp]) -> Counts:
    pos, neg = np.zeros((2, above.size, 3))
    pos[:, 0], neg[:, 1], pos[:, 2] = above, _NEGATIVES, 2 * _HALF - above
    return Counts(pos, neg)


def _weights(weight: Weight, ranks: Array) -> Array:
    return np.asarray(weight(ranks), float)  # powers of small integers would run over


def moments(fit: KernelFit, reach: float, shifts: int, of: RankSum, n_pos: int, n: int, *, sampled: bool) -> Moments:
    """Return the moments of a metric in samples of a fit with its positives moved by equal steps from -reach to reach.

    Parameters
    ----------
    fit : KernelFit
    reach : float
    shifts : int
        How many there are.
    of : RankSum
    n_pos, n : int
    sampled : bool
        Whether the number of positives is random, as in a cohort, or fixed.
    """
    share, p = _cells(fit, reach, shifts, n_pos / n)
    below = share.cumsum(axis=-1)
    above = np.maximum(below - share / 2, 0.0)
    first, second, third = _expected_powers(of.weight, (n - 1) * np.minimum(above, 1.0), n)
    label = p * (1 - p)

    def total(x: Array) -> Array:
        return np.asarray(n * np.einsum("si,si->s", share, x))

    def centred(x: Array) -> Array:
        x -= np.einsum("si,si->s", share, x)[:, None]
        return x

    def followed(weight: Array, of_label: Array) -> Array:
        """Return the influence of a subject on a sum of labels' moments, through the ranks of all others."""
        out = np.zeros(share.shape)
        change = of_label[..., 1:] - of_label[..., :-1]
        np.add.accumulate((weight[..., 1:] + weight[..., :-1]) / 2 * change, axis=-1, out=out[..., 1:])
        return centred(out)

    by_sum, by_number = followed(first, p), centred(p.copy())
    mean = total(p * first)
    of_sum = total(second * label + by_sum * by_sum)
    both = total(first * label + by_sum * by_number)
    of_number = total(label + by_number * by_number)
    ideal, slope, bend = _of_perfect(of.weight, n_pos) if of.of_perfect else (1.0, 0.0, 0.0)
    # the metric as factor times the sum, plus what a positive more does to it otherwise
    factor = 1 / ideal
    more = -mean * slope / ideal**2 if sampled else -both / of_number * factor
    a, b = factor, more[:, None]
    squares = a * a * second + 2 * a * b * first + b * b
    cubes = a**3 * third + 3 * a * a * b * second + 3 * a * b * b * first + b**3
    linear = a * by_sum + b * by_number
    power = linear * linear
    variance = total(squares * label + power)
    cubed = total(cubes * label * (1 - 2 * p) + 3 * linear * followed(squares, label) + linear * power)
    found = mean * factor
    if sampled:
        # the second derivatives of a ratio whose denominator is the ideal of so many positives
        cross, twice = -slope / ideal**2, mean * (2 * slope**2 / ideal - bend) / ideal**2
        with_sum, with_number = factor * of_sum + more * both, factor * both + more * of_number
        found = found + cross * both + twice * of_number / 2
        cubed += 3 * with_number * (2 * cross * with_sum + twice * with_number)
    unit = 1.0 if of.of_perfect else of.unit
    return Moments(found * unit, np.sqrt(variance) * unit, cubed / np.maximum(variance, _TINY) ** 1.5)


def _cells(fit: KernelFit, reach: float, shifts: int, prevalence: float) -> tuple[Array, Array]:
    """Return the share of all subjects between equally spaced scores, from the highest, and that of positives there.

    The positives are moved by whole steps, so that their curve is taken once.
    """
    import hitcurve._special as special

    each = max(1, math.ceil(2 * reach / (shifts - 1) / _STEP))
    step, places = 2 * reach / (shifts - 1) / each, each * (shifts - 1)
    top = float(fit.z.max()) + _BEYOND * fit.width
    bottom = min(float(fit.z.min()) - _BEYOND * fit.width, _LOWEST)
    scores = top - step * np.arange(math.ceil((top - bottom) / step) + 1.0)
    curve = _share_above(fit, scores, step)
    curve[0], curve[-1] = 0.0, 1.0
    positives = np.zeros(curve.size - 1 + 2 * places)
    np.subtract(curve[1:], curve[:-1], out=positives[places : places + curve.size - 1])
    # from window to window the positives move up
    cells = positives[each * np.arange(shifts)[:, None] + np.arange(positives.size - places)]
    negatives = special.ndtr(step * np.arange(cells.shape[-1] + 1) - (top + reach))
    negatives[0], negatives[-1] = 0.0, 1.0
    found = prevalence * cells
    share = found + (1 - prevalence) * (negatives[1:] - negatives[:-1])
    return share, found / np.maximum(share, _TINY)


def _share_above(fit: KernelFit, scores: Array, step: float) -> Array:
    """Return the share of the positives above equally spaced scores, from the highest: kernels end where digits do."""
    import hitcurve._special as special

    # equal ones are side by side
    starts = np.concatenate([[True], fit.z[1:] != fit.z[:-1], [True]]).nonzero()[0]
    z, number = fit.z[starts[:-1]], starts[1:] - starts[:-1]
    wide = math.ceil(2 * _ENDS * fit.width / step) + 1
    if wide >= scores.size:
        return fit.share_above(scores)
    # of each positive, the first score that its kernel reaches, or the last from which on all scores are reached
    first = np.ceil((scores[0] - z - _ENDS * fit.width) / step).astype(np.intp)
    first = np.minimum(np.maximum(first, 0), scores.size - wide)
    reached = np.arange(wide)
    above = special.ndtr(((z - scores[first]) / fit.width)[:, None] + step / fit.width * reached)
    above *= number[:, None]
    found = np.bincount((first[:, None] + reached).ravel(), above.ravel(), scores.size)
    found += np.bincount(first + wide, number, scores.size + 1)[:-1].cumsum()
    return found / fit.z.size


def _expected_powers(weight: Weight, mean: Array, n: int) -> tuple[Array, Array, Array]:
    """Return the expected powers of the weight of a subject with a binomial number of n others above it.

    Few are a Poisson number whose variance is corrected in first order; many are three points with the moments of a
    normal number.
    """
    is_few = mean <= _FEW
    # columns ascend: few in some list and many in some
    few, many = int(is_few.any(axis=0).sum()), int(is_few.all(axis=0).sum())
    found = np.empty((len(_POWERS), *mean.shape))
    own = mean[:, many:]
    reach = np.sqrt(3 * np.maximum(own * (1 - own / n), 0.0))
    at = power = _weights(weight, own + 1 + np.array([-1.0, 0.0, 1.0])[:, None, None] * reach)
    for out in found[..., many:]:
        out[:] = (power[0] + 4 * power[1] + power[2]) / 6
        power = power * at  # powers of three take numpy five times as long as two products
    np.copyto(found[..., :few], _powers_of_few(weight, np.minimum(mean[:, :few], _FEW), n), where=is_few[:, :few])
    return found[0], found[1], found[2]


def _powers_of_few(weight: Weight, mean: Array, n: int) -> Array:
    """Return the same for few others, (3, S, N)."""
    values, bends = _of_few(weight)
    place = np.log1p(mean) * ((_NODES.size - 1) / _NODES[-1])
    node = np.minimum(place.astype(np.intp), _NODES.size - 2)
    beside = place - node
    value, bend = (own.take(node, axis=1) + beside * rises.take(node, axis=1) for own, rises in (values, bends))
    return np.asarray(value - mean * mean / (2 * n) * bend)


@lru_cache(maxsize=8)
def _of_few(weight: Weight) -> tuple[Pair, Pair]:
    """Return the mean of powers of the weight over Poisson numbers at the nodes, and its second derivative.

    Each with its rises to the next node.
    """
    import hitcurve._special as special

    mean, number = np.expm1(_NODES)[:, None], np.arange(4 * _FEW)
    chance = np.exp(special.xlogy(number, mean) - mean - special.gammaln(number + 1))
    powers = np.stack([_weights(weight, np.arange(1.0, 4 * _FEW + 3)) ** power for power in _POWERS])
    bends = np.diff(powers, 2)
    means = (np.einsum("ij,kj->ki", chance, column) for column in (powers[:, :-2], bends))
    first, second = ((mean, np.diff(mean)) for mean in means)
    return first, second


@lru_cache(maxsize=256)
def _of_perfect(weight: Weight, n_pos: int) -> tuple[float, float, float]:
    """Return what the sum is divided by, with its first two derivatives by the number of positives."""
    ranks = _weights(weight, np.arange(1.0, n_pos + 2))
    return float(np.sum(ranks[:-1])), float(np.mean(ranks[-2:])), float(ranks[-1] - ranks[-2])
