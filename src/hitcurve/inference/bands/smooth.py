"""Smoothed curves, and Algorithm 1 of Clémençon and Vayatis (2009): the smoothed bootstrap.

Each class is smoothed by a kernel. A replicate draws subjects from the smoothed classes; its curve on a grid of G
points is drawn exactly in O(G): order statistics as sums of gamma spacings, counts as a multinomial.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitcurve import _checks
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import ParameterError
from hitcurve.inference.resampling.draws import binomial, multinomial

KERNELS = ("gaussian", "uniform")
_BINS = 1 << 13
OF_VARIANCE = "n^-1/3"  # for standard deviations that studentise
_ORDERS: dict[str, Callable[[float], float]] = {
    "n^-1/5": lambda n: n**-0.2,
    "theorem": lambda n: n**-0.2 * math.log(n) ** (-2.1 / 5),
    "printed": lambda n: n**-0.2 * math.log(n) ** -2.1,
    OF_VARIANCE: lambda n: n ** (-1 / 3),
}


def bandwidth_rule(rule: str | float) -> str | float:
    """Return a rule of bandwidths, or a bandwidth, once it is one."""
    if isinstance(rule, str):
        return _checks.choice("bandwidth", rule, tuple(_ORDERS))
    return _checks.positive_number("bandwidth", rule)


def bandwidth(scores: AnyArray, weights: AnyArray, n: float, rule: str | float) -> float:
    """Return the bandwidth of one class.

    ``n^-1/5`` is the robust scale of the class times n^{-1/5} (Remark 5), ``theorem`` undersmooths as much as
    Theorem 2 needs, n^{-1/5} (log n)^{-(2 + eta)/5} with eta = 1/10; ``printed`` as is printed after it,
    n^{-1/5} (log n)^{-(2 + eta)}; ``n^-1/3`` is for standard deviations that studentise; a number is taken as it is.
    """
    rule = bandwidth_rule(rule)
    if not isinstance(rule, str):
        return rule
    mean = float(np.average(scores, weights=weights))
    deviation = math.sqrt(float(np.average((scores - mean) ** 2, weights=weights)))
    order = np.argsort(scores)
    reached = np.cumsum(weights[order]) / np.sum(weights)
    quartiles = np.asarray(scores[order], float)[np.searchsorted(reached, [0.25, 0.75])]
    robust = float(quartiles[1] - quartiles[0]) / 1.349
    scale = min(deviation, robust) if robust > 0 else deviation
    if scale == 0:
        raise ParameterError("the scores of one class are all equal, so they determine no bandwidth: give a number")
    return 1.06 * scale * _ORDERS[rule](n)


@dataclass(frozen=True)
class Smoothed:
    """Shares of the smoothed classes above thresholds.

    Attributes
    ----------
    threshold : array (M,)
        Descending.
    tpr, fpr : array (M,)
        Strictly ascending up to 1.
    """

    threshold: Array
    tpr: Array
    fpr: Array

    def roc(self, fpr: Array) -> Array:
        """Return TPR at FPR."""
        return np.asarray(np.interp(fpr, self.fpr, self.tpr))

    def inverse_roc(self, tpr: Array) -> Array:
        """Return FPR at TPR."""
        return np.asarray(np.interp(tpr, self.tpr, self.fpr))

    def precision(self, recall: Array, pi: float) -> Array:
        """Return precision at recall."""
        fpr = self.inverse_roc(recall)
        return np.asarray(pi * recall / (pi * recall + (1 - pi) * fpr))


def smooth(
    score: AnyArray, pos: AnyArray, neg: AnyArray, *, kernel: str = "gaussian", rule: str | float = "n^-1/5"
) -> Smoothed:
    """Smooth the two classes of a table that knows its scores.

    Raises
    ------
    ParameterError
        If all scores are equal, or those of one class and no bandwidth is given, infinite ones among them, or an
        argument is none of these.
    """
    from scipy.signal import fftconvolve
    from scipy.special import ndtr

    _checks.choice("kernel", kernel, KERNELS)
    score = np.asarray(score, float)
    if not np.all(np.isfinite(score)):
        raise ParameterError("infinite scores cannot be smoothed: use method='influence'")
    if score.max() == score.min():
        raise ParameterError("all scores are tied: there is nothing to smooth")
    widths = [bandwidth(score, weight, float(weight.sum()), rule) for weight in (pos, neg)]
    reach = 5 * max(widths) if kernel == "gaussian" else 2 * max(widths)
    low, high = score.min() - reach, score.max() + reach
    step = (high - low) / (_BINS - 1)
    grid = low + step * np.arange(_BINS)
    shares = []
    for weight, h in zip((pos, neg), widths, strict=True):
        # linear binning: each score shares its weight between two neighbours
        place = (score - low) / step
        left = np.minimum(place.astype(int), _BINS - 2)
        part = place - left
        mass = np.bincount(left, weight * (1 - part), _BINS) + np.bincount(left + 1, weight * part, _BINS)
        lag = step * np.arange(-_BINS + 1, _BINS)
        spread = ndtr(-lag / h) if kernel == "gaussian" else np.clip(0.5 - lag / (2 * h), 0, 1)
        above = fftconvolve(mass / weight.sum(), spread, mode="full")[_BINS - 1 : 2 * _BINS - 1]
        shares.append(np.maximum.accumulate(np.clip(above[::-1], 0, 1)))
    tpr, fpr = (share + 1e-15 * np.arange(_BINS) for share in shares)
    return Smoothed(grid[::-1], np.clip(tpr, 0, None), np.clip(fpr, 0, None))


@dataclass(frozen=True)
class Replicates:
    """Curves of replicates on a grid, with the weights of importance sampling in logarithms."""

    values: Array
    log_weights: Array

    @property
    def shares(self) -> Array:
        """Weights that add up to 1."""
        w = np.exp(self.log_weights - self.log_weights.max())
        return np.asarray(w / w.sum())

    @property
    def effective(self) -> float:
        """Effective number of replicates, (sum w)^2 / sum w^2."""
        return float(1 / np.sum(self.shares**2))

    @property
    def deviation(self) -> Array:
        """Standard deviation at each point of the grid."""
        w = self.shares
        return np.asarray(np.sqrt(w @ (self.values - w @ self.values) ** 2))

    def quantile_of_sup(self, centre: Array, level: float) -> float:
        """Return the weighted quantile of the largest deviation from a centre."""
        return float(self._quantiles(np.max(np.abs(self.values - centre), axis=1, keepdims=True), level)[0])

    def quantiles(self, centre: Array, level: float) -> Array:
        """Return the weighted quantile of the deviation from a centre, at each point of the grid."""
        return self._quantiles(np.abs(self.values - centre), level)

    def _quantiles(self, values: Array, level: float) -> Array:
        order = np.argsort(values, axis=0)
        reached = np.cumsum(self.shares[order], axis=0)
        place = np.minimum(np.sum(reached < level, axis=0), len(values) - 1)
        return np.asarray(np.take_along_axis(values, np.take_along_axis(order, place[None], axis=0), axis=0)[0])


def positives_of_replicates(
    n: int, pi: float, count: int, importance: float | None, rng: np.random.Generator
) -> tuple[AnyArray, Array]:
    """Return the numbers of positives of replicates and the logarithms of their weights.

    Without importance sampling they are binomial, given that there is one of each class: exact, all weights equal.
    """
    p = pi if importance is None else importance
    drawn = binomial(rng, n, p, count)
    while (bad := (drawn == 0) | (drawn == n)).any():
        drawn[bad] = binomial(rng, n, p, int(bad.sum()))
    if importance is None:
        return drawn, np.zeros(count)
    return drawn, drawn * math.log(pi / p) + (n - drawn) * math.log((1 - pi) / (1 - p))


def auto_importance(n: int, pi: float) -> float:
    """Return the p~ that minimises the variance of the weights: their relative effective size is largest at pi."""
    from scipy.optimize import minimize_scalar

    def log_of_inverse(p: float) -> float:
        return n * math.log(pi**2 / p + (1 - pi) ** 2 / (1 - p))

    found = minimize_scalar(log_of_inverse, bounds=(pi / 2, min(2 * pi, 1 - (1 - pi) / 2)), method="bounded")
    return float(found.x)


def draw_curves(
    smoothed: Smoothed,
    x: Array,
    curve: str,
    sizes: tuple[int, int],
    count: int,
    *,
    known: float | None,
    importance: float | None,
    rng: Any,
) -> Replicates:
    """Draw replicate curves from the smoothed classes: ROC, precision-recall or accumulation on a grid.

    Parameters
    ----------
    smoothed : Smoothed
    x : array (G,)
    curve : str
    sizes : (int, int)
        Positives and negatives of the sample.
    count : int
    known : float or None
        The prevalence where it was not sampled: then every replicate has as many of each class as the sample.
    importance : float or None
    rng : object
    """
    n = sum(sizes)
    if known is not None:
        positives, log_weights = np.full(count, sizes[0]), np.zeros(count)
    else:
        positives, log_weights = positives_of_replicates(n, sizes[0] / n, count, importance, rng)
    out = np.empty((count, x.size))
    for i, n1 in enumerate(positives):
        n0 = n - int(n1)
        pi = n1 / n if known is None else known
        if curve == "roc":
            out[i] = _counted(smoothed.roc(_order_statistics(x, n0, rng)), int(n1), rng)
        elif curve == "precision_recall":
            fpr = _counted(smoothed.inverse_roc(_order_statistics(x, int(n1), rng)), n0, rng)
            out[i] = pi * x / (pi * x + (1 - pi) * fpr)
        else:
            out[i] = _accumulated(smoothed, x, int(n1), n0, pi, rng)
    return Replicates(out, log_weights)


def _order_statistics(x: Array, n: int, rng: np.random.Generator) -> Array:
    """Return uniform order statistics number ceil(x n) of n, ascending."""
    index = np.clip(np.ceil(x * n - 1e-9).astype(int), 1, n)
    spacing = np.zeros(index.size + 1)
    steps = np.diff(np.concatenate([[0], index, [n + 1]]))
    moves = steps > 0
    spacing[moves] = rng.standard_gamma(steps[moves])
    total = np.cumsum(spacing)
    return np.asarray(total[:-1] / total[-1])


def _counted(share: Array, n: int, rng: np.random.Generator) -> Array:
    """Return the share of n subjects of the other class above each of ascending places."""
    steps = np.diff(np.concatenate([[0.0], np.clip(share, 0, 1), [1.0]]))
    steps = np.maximum(steps, 0)
    counts = multinomial(rng, n, steps / steps.sum())[0]
    return np.asarray(np.cumsum(counts[:-1]) / n)


def _accumulated(smoothed: Smoothed, x: Array, n1: int, n0: int, pi: float, rng: np.random.Generator) -> Array:
    """Return TPR at rates, from the counts of either class above thresholds."""
    tpr = np.append(0.0, _counted(smoothed.tpr[::16], n1, rng))
    fpr = np.append(0.0, _counted(smoothed.fpr[::16], n0, rng))
    return np.asarray(np.interp(x, pi * tpr + (1 - pi) * fpr, tpr))
