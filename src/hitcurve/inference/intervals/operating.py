"""Intervals of operating points: profiles over cuts, limits at the limits of a cut, and of the best cut."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from hitcurve import rows
from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.errors import ParameterError
from hitcurve.inference.cutting.step import Step
from hitcurve.inference.design import subjects_alike
from hitcurve.inference.intervals import by_weight
from hitcurve.inference.intervals.profile import Profiled
from hitcurve.inference.intervals.shares import jeffreys, limits_of_quotient, limits_of_shares
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.variance.spread import Spread
from hitcurve.metrics import ChosenCut

Ends: TypeAlias = tuple[Array, Array]

_MISSED = 0.05  # a chance below which all of a class on one side of a cut say something
TAIL_BELOW = 0.4  # of the tail is left below a value that was chosen because it is the largest
TAIL_IF_UNEQUAL = 0.2  # the same of very unequal weights, and of clusters whose subjects are alike
_FURTHEST = 32  # cuts of which limits are worked out, those that reach the furthest by a formula


# ---- a rate is fixed


def profile(spread: Spread, level: float) -> Ends:
    """Return the ends of the interval of a metric at a fixed FPR or recall, over all cuts that the sample allows.

    Raises
    ------
    ParameterError
        If the metric has no such cut.
    """
    z = t_quantile((1 + level) / 2, math.inf if spread.clustered is None else spread.degrees)
    return profile_at(spread, np.asarray(z, float))


def profile_at(spread: Spread, z: Any) -> Ends:
    """Return the ends of that interval at a normal deviate, or one of each list; errors as of :func:`profile`."""
    step = spread.step
    if step is None or step.axis == "rate":
        raise ParameterError(
            f"method='profile' is for metrics at an FPR or a recall, not for {spread.metric}: use 'auto'"
        )
    effect = _effect(spread)
    n1, n0 = by_weight.sizes(spread, step)
    low, high = Profiled.of(step.axis, spread.counts, (n1 / effect, n0 / effect)).limits(step.place, z)
    low, high = np.minimum(low, step.share), np.maximum(high, step.share)
    if step.cut.tangent:
        return _precision(spread, step, (low, high), z, effect)
    ends = [step.cut.offset + np.asarray(step.cut.factor) * end for end in (low, high)]
    low, high = np.minimum(*ends), np.maximum(*ends)
    more = z * np.abs(step.cut.offset_slope + step.cut.factor_slope * step.share)
    more = more * spread.deviation_of_prevalence * np.sqrt(effect)
    value = spread.value
    return value - np.hypot(value - low, more), value + np.hypot(high - value, more)


def _effect(spread: Spread) -> Array:
    """Return by how much clusters divide the number of independent subjects of both classes; 1 without clusters.

    The variance by cluster over the variance of the same subjects one by one, and at least 1: a smaller one is chance
    where few subjects are beyond the cut.
    """
    if spread.clustered is None:
        return np.ones(spread.shape)
    with np.errstate(all="ignore"):
        # where nothing varies, whole clusters may be alike
        found = np.where(
            spread.variance > 0,
            spread.variance / spread.without_clusters.variance,
            spread.effective[0] / spread.clusters,
        )
        return np.fmax(found, 1.0)


def _precision(spread: Spread, step: Step, of_fpr: Ends, z: float, effect: Array) -> Ends:
    """Return the ends of the precision at a recall: log odds from those of the FPR, the prevalence in quadrature."""
    from scipy.special import expit, logit

    n0, pi = spread.effective[1], spread.counts.pi
    middle = (n0 * step.fpr + 0.5) / (n0 + 1)
    centre = logit(pi) + np.log(step.place) - np.log(middle)
    least, most = np.minimum(of_fpr[0], middle), np.maximum(of_fpr[1], middle)
    more = z * spread.deviation_of_prevalence * np.sqrt(effect) / (pi * (1 - pi))
    with np.errstate(divide="ignore"):  # no lower limit of the FPR: precision 1
        low, high = np.hypot(np.log(most / middle), more), np.hypot(np.log(middle / least), more)
    if by_weight.alone(spread):
        scale = by_weight.with_prevalence(spread, more / z)
        low, high = scale * low, scale * high
    return np.asarray(expit(centre - low)), np.asarray(expit(centre + high))


def without_limit(spread: Spread) -> list[str]:
    """Say why a rate at a fixed recall or FPR has no 95% limit on one side without a model, if it has none."""
    step = spread.step
    if step is None or not spread.is_profiled or np.any(spread.default_method != "profile"):
        return []
    at_recall, place = step.axis == "recall", float(step.place)
    n = float(by_weight.sizes(spread, step)[0 if at_recall else 1] / _effect(spread))
    kept = place if at_recall else 1 - place
    if kept**n < _MISSED:
        return []
    if kept == 1:  # where the last positive stands no number of them says
        return [
            f"recall {place:.6g} is reached at the last positive: no number of them limits the FPR there, it may be 1"
        ]
    needed = math.floor(math.log(_MISSED) / math.log(kept)) + 1
    if at_recall:
        return [
            f"{rows.counted(n, 'positive', 4)} set no upper limit to the FPR at recall {place:.6g} without a model of "
            f"the scores ({needed} would): it may be 1"
        ]
    return [
        f"FPR {place:.6g} is {rows.counted(n * place, 'negative', 3)} of {n:.4g}: they set no lower limit to "
        f"the TPR there without a model of the scores ({needed} would), and it may be 0"
    ]


# ---- the list chooses the cut


def cut_limits(spread: Spread, level: float) -> Ends:
    """Return the limits of recall at the limits of the deepest cut of a precision.

    Raises
    ------
    ParameterError
        If the metric has no such cut, or subjects do not count one by one.
    """
    from scipy.special import betainc

    cut, c = _chosen(spread, "cut-limits", ("precision",)), spread.counts
    hits, misses = (np.asarray(c.of_positives(side), float) for side in (c.H, c.B))
    tail, n1 = (1 - level) / 2, c.n1
    below = betainc(hits + 0.5, misses + 0.5, _in_sample(c, cut.parameter)[..., None])
    sure, possible = (hits > 0) & (below <= tail), (below <= 1 - tail) | (misses == 0)
    least, most = (np.max(np.where(where, hits, 0.0), axis=-1) for where in (sure, possible))
    return jeffreys(least, n1, tail)[0], jeffreys(most, n1, tail)[1]


def _in_sample(c: Counts, precision: float) -> Array:
    """Return the precision in the sample that is this one at the prevalence that was set."""
    odds = precision / (1 - precision) * (c.n1 / c.n0) * (1 - c.pi) / c.pi
    return np.asarray(odds / (1 + odds))


class Cuts(NamedTuple):
    """Cuts of each list: what is above them, and of how many subjects the shares are known.

    Attributes
    ----------
    hits, misses : array (..., J)
    n_pos, n_neg : array (..., J)
        Subjects of each class; of weights, as many of equal weights as vary as much at the cut.
    """

    hits: Array
    misses: Array
    n_pos: Array
    n_neg: Array

    @classmethod
    def of(cls, spread: Spread) -> Cuts:
        """Return the cuts below each row that holds a positive."""
        c = spread.counts
        counts = [np.asarray(c.of_positives(side), float) for side in (c.H, c.B)]
        if by_weight.of_rows(spread):
            # no more than of the whole list: at a cut that was chosen, subjects are light by choice
            sizes = [
                np.minimum(c.of_positives(size), np.asarray(of_list)[..., None])
                for size, of_list in zip(by_weight.sizes_of_cuts(spread), spread.effective, strict=True)
            ]
        else:
            sizes = [np.broadcast_to(np.asarray(n)[..., None], counts[0].shape) for n in spread.effective]
        return cls(*counts, *sizes)

    def of_independent(self, effect: Array) -> Cuts:
        """Return them as known of so many times fewer subjects."""
        return self._replace(n_pos=self.n_pos / effect[..., None], n_neg=self.n_neg / effect[..., None])

    def at(self, places: AnyArray) -> Cuts:
        """Return some of each list."""
        return Cuts(*(np.take_along_axis(column, places, axis=-1) for column in self))

    def by_class(self, c: Counts) -> list[tuple[Array, Array]]:
        """Return positives and negatives above the cuts, of how many."""
        sides = ((self.hits, c.n1, self.n_pos), (self.misses, c.n0, self.n_neg))
        return [(above / total[..., None] * size, size) for above, total, size in sides]


def best_cut(spread: Spread, level: float) -> Ends:
    """Return the ends of a best value over cuts: below at its own cut, above at the cut that reaches furthest.

    Raises
    ------
    ParameterError
        If the metric has no such cut, or subjects do not count one by one.
    """
    cut = _chosen(spread, "best-cut", tuple(_LIMITS))
    limits, tail, c, cuts = _LIMITS[cut.rule], (1 - level) / 2, spread.counts, Cuts.of(spread)
    # the row of the cut, among those that hold a positive
    own = np.count_nonzero(cuts.hits < np.take_along_axis(c.H, np.maximum(cut.row, 0)[..., None], -1), axis=-1)
    left, fewer = np.asarray(TAIL_BELOW), _effect(spread) * _fewer_degrees(spread, tail)
    if cut.rule != "f1":
        effect = fewer * _effect_of_weights(spread, cut, cuts.at(own[..., None]))
        cuts, left = cuts.of_independent(effect), _left_below(spread, effect)
    low = limits(spread, cuts.at(own[..., None]), cut.parameter, left[..., None] * tail)[0][..., 0]
    if cuts.hits.shape[-1] > _FURTHEST:
        rough = _rough(spread, cut, cuts, float(t_quantile(1 - tail, math.inf)))
        cuts = cuts.at(np.argpartition(rough, rough.shape[-1] - _FURTHEST, axis=-1)[..., -_FURTHEST:])
    high = np.max(limits(spread, cuts, cut.parameter, tail)[1], axis=-1)
    if cut.rule == "f1":
        return low, high
    nobody = np.zeros((*spread.shape, 1))  # a value of 0; the population has cuts above the first subject
    of_list = (np.broadcast_to(size / fewer, spread.shape)[..., None] for size in spread.effective)
    above = limits(spread, Cuts(nobody, nobody, *of_list), cut.parameter, tail)[1][..., 0]
    return np.where(cut.row >= 0, np.maximum(low, 0.0), 0.0), np.maximum(high, above)


def _fewer_degrees(spread: Spread, tail: float) -> Array:
    """Return the square of the ratio of the t quantiles of clusters to the normal ones (Korn and Graubard 1998)."""
    if spread.clustered is None:
        return np.ones(spread.shape)
    return np.asarray((t_quantile(1 - tail, spread.degrees) / t_quantile(1 - tail, math.inf)) ** 2)


def _effect_of_weights(spread: Spread, cut: ChosenCut, own: Cuts) -> Array:
    """Return by how much the number of weighted subjects is to be divided, so that the value varies as it was seen to.

    Weights that go with the scores make both shares and the prevalence vary together, of which the numbers of both
    classes say nothing. A distance, of both shares alone, has these numbers.
    """
    if cut.rule != "net benefit" or not by_weight.of_rows(spread):
        return np.ones(spread.shape)
    (hits, n1), (misses, n0) = ((above[..., 0], size[..., 0]) for above, size in own.by_class(spread.counts))
    P, Q = np.minimum(hits / n1, 1.0), np.minimum(misses / n0, 1.0)
    pi, cost = spread.counts.pi, cut.parameter
    of_rates = pi**2 * P * (1 - P) / n1 + (cost * (1 - pi)) ** 2 * Q * (1 - Q) / n0
    expected = of_rates + spread.deviation_of_prevalence**2 * (P + cost * Q) ** 2
    variance = spread.without_clusters.variance
    there = (np.asarray(cut.row) >= 0) & (variance > 0) & (expected > 0)
    fewer = np.divide(expected, variance, out=np.ones(spread.shape), where=there)
    return 1 / by_weight.between(1.0, fewer, hits)


def _left_below(spread: Spread, effect: Array) -> Array:
    """Return how much of the tail is left below: the less, the fewer independent subjects choose the cut."""
    alike = np.minimum(*subjects_alike(spread.sums)) / np.maximum(effect, 1.0)
    return np.asarray(TAIL_IF_UNEQUAL + (TAIL_BELOW - TAIL_IF_UNEQUAL) * alike)


def is_nobody(spread: Spread) -> npt.NDArray[np.bool_]:
    """Say of which lists the best value is 0, that of a cut above all subjects."""
    cut = spread.metric.chosen(spread.counts)
    if cut is None or cut.rule not in ("net benefit", "distance"):
        return np.zeros(spread.shape, bool)
    return np.asarray(cut.row) < 0


def f1_limits(spread: Spread, cuts: Cuts, _: float, tail: Any) -> Ends:
    """Return the limits of F1 at cuts: 2 J / (1 + J), J the share of hits among hits and errors.

    At a set prevalence J is ``pi TPR / (pi + (1 - pi) FPR)``, of two shares that do not depend on each other.
    """
    from scipy.special import betaincinv

    if spread.lists.prevalence is None:
        errors = spread.counts.n1[..., None] - cuts.hits + cuts.misses
        low, high = (betaincinv(cuts.hits + 0.5, errors + 0.5, p) for p in (tail, 1 - tail))
    else:
        odds = ((1 - spread.counts.pi) / spread.counts.pi)[..., None]
        above, below = cuts.by_class(spread.counts)
        low, high = limits_of_quotient(above, below, lambda fpr: 1 + odds * fpr, tail)
        low, high = np.minimum(low, 1.0), np.minimum(high, 1.0)
    return np.asarray(2 * low / (1 + low)), np.asarray(2 * high / (1 + high))


def benefit_limits(spread: Spread, cuts: Cuts, cost: float, tail: Any) -> Ends:
    """Return the limits of the net benefit at cuts, from those of both shares.

    Of fixed classes the shares are of each class, and do not depend on each other.
    """
    pi, together = spread.counts.pi[..., None], spread.sampled
    counts, (n1, n0) = zip(*cuts.by_class(spread.counts), strict=True)
    sizes, factors = ((n1 / pi, n0 / (1 - pi)), (1.0, -cost)) if together else ((n1, n0), (pi, -cost * (1 - pi)))
    return limits_of_shares(counts, sizes, factors, tail, together=together)


def distance_limits(spread: Spread, cuts: Cuts, _: float, tail: Any) -> Ends:
    """Return the limits of TPR - FPR at cuts, whose classes do not depend on each other."""
    counts, sizes = zip(*cuts.by_class(spread.counts), strict=True)
    return limits_of_shares(counts, sizes, (1.0, -1.0), tail, together=False)


_LIMITS = {"f1": f1_limits, "net benefit": benefit_limits, "distance": distance_limits}


def _rough(spread: Spread, cut: ChosenCut, cuts: Cuts, z: float) -> Array:
    """Return upper limits of all cuts by the normal approximation."""
    c, (hits, misses, n1, n0) = spread.counts, cuts
    if cut.rule == "f1" and spread.lists.prevalence is None:
        of = c.n1[..., None] + misses
        share = hits / of
        return np.asarray(share + z * np.sqrt(share * (1 - share) / of))
    P, Q, pi = hits / c.n1[..., None], misses / c.n0[..., None], c.pi[..., None]
    if cut.rule == "distance":
        return np.asarray(P - Q + z * np.sqrt(P * (1 - P) / n1 + Q * (1 - Q) / n0))
    a, b = pi * P, (1 - pi) * Q
    if cut.rule == "f1":
        whole = pi + b
        of_tpr, of_fpr = pi / whole * np.sqrt(P * (1 - P) / n1), a * (1 - pi) / whole**2 * np.sqrt(Q * (1 - Q) / n0)
        return np.asarray(a / whole + z * np.hypot(of_tpr, of_fpr))
    value = a - cut.parameter * b
    return np.asarray(value + z * np.sqrt(np.maximum(a + cut.parameter**2 * b - value**2, 0.0) / (n1 + n0)))


def _chosen(spread: Spread, method: str, rules: tuple[str, ...]) -> ChosenCut:
    cut = spread.metric.chosen(spread.counts)
    if cut is None or cut.rule not in rules:
        of = {"cut-limits": "recall@precision", "best-cut": "max_f1, net_benefit and ks"}[method]
        raise ParameterError(f"method={method!r} is for {of}, not for {spread.metric}: use 'auto'")
    if not np.all(spread.may_be_counted):
        raise ParameterError(f"method={method!r} is for lists without weights and clusters: use 'auto' for others")
    return cut
