"""Average precision, areas under the precision-recall curve, and the area under precision-recall-gain."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hitcurve import _checks
from hitcurve.counts import Array, Counts, before
from hitcurve.errors import UndefinedMetricError
from hitcurve.magnify.series import log_up
from hitcurve.metrics.metric import Gradient, Metric, RankWeights, plain
from hitcurve.metrics.roc import AUC
from hitcurve.metrics.special import harmonic_difference, mean_share
from hitcurve.metrics.written import keyword, positional
from hitcurve.table import HitTable


@dataclass(frozen=True)
class AveragePrecision(Metric):
    """Average precision: the mean, over the positives, of the precision at their score.

    ``sum_k p_k pi P_k / r_k`` (Eq. 17 of Su, Yuan and Zhu 2015). In [0, 1], higher is better; perfect 1, random
    pi (the mean over random strict orders is a little higher, see ``random_mean``).

    Parameters
    ----------
    ties : {"group", "expected"}
        ``group`` takes the precision at the end of a group of equal scores, as scikit-learn does; ``expected``
        the mean over all orders of the group (McSherry and Najork 2008).

    Raises
    ------
    ParameterError
        If ``ties`` is neither.

    Examples
    --------
    >>> y, s = [1, 0, 1, 1, 0, 0, 0, 1, 0, 0], [3, 3, 3, 2, 2, 2, 2, 1, 1, 0]
    >>> round(AveragePrecision()(y, s), 6), round(AveragePrecision(ties="expected")(y, s), 6)
    (0.551587, 0.663244)
    """

    name: ClassVar[str] = "ap"
    summary: ClassVar[str] = "average precision"
    reference: ClassVar[str] = "Su, Yuan and Zhu 2015, ICTIR, 349"
    ties: str = keyword("group")

    def __post_init__(self) -> None:
        _checks.choice("ties", self.ties, ("group", "expected"))

    @property
    def needs_subjects(self) -> bool:  # type: ignore[override]
        """Orders of a group exist only for whole subjects."""
        return self.ties == "expected"

    def kernel(self, c: Counts) -> Array:
        """Return the mean precision of the positives."""
        if self.ties == "expected":
            return _expected_over_orders(c)
        return np.asarray(np.sum(c.p * c.precision, axis=-1))

    def kernel_gradient(self, c: Counts) -> Gradient | None:
        """Return the gradient in closed form; none for ``ties="expected"``."""
        if self.ties == "expected":
            return None
        pi = c.pi[..., None]
        step = c.precision.copy()
        step[..., :-1] -= c.precision[..., 1:]
        per_rate = np.divide(c.p, c.r**2, out=np.zeros(c.p.shape), where=c.r > 0)
        lost = per_rate * pi * (1 - pi)
        return Gradient(step + lost * c.Q, -lost * c.P, np.sum(per_rate * c.P * c.Q, axis=-1))

    def kernel_rank_weights(self, c: Counts, *, of_ranks: bool = False) -> RankWeights | None:
        """Return the precision down to each row; none of the ranks alone, and none for ``ties="expected"``."""
        return None if of_ranks or self.ties == "expected" else RankWeights(c.precision)

    def random_mean(self, table: HitTable) -> float | None:
        """Return the expectation over strict orders, [(n1-1)/(n-1) (n - H_n) + H_n] / n."""
        c = self._admit(table)
        if not c.whole:
            return None
        n, n1 = float(c.n), float(c.n1)
        harmonic = float(harmonic_difference(np.asarray(0.0), np.asarray(n)))
        return ((n1 - 1) / (n - 1) * (n - harmonic) + harmonic) / n

    def worst(self, table: HitTable | Counts) -> Any:
        """Return the value of the reversed strict order; its positives do not share a rank."""
        c = self._admit(table)
        odds = (1 - c.pi) / c.pi
        # the mean of i / (n1 odds + i) over the positives i = 1..n1; weights have no such steps, only their limit
        return plain(PRArea().worst(c) if c.weighted else mean_share(c.n1 * odds, c.n1))

    def convention(self, table: HitTable | Counts) -> str:
        """Say how ties are taken, if there are any."""
        c = self._admit(table)
        tied = np.any((c.pos > 0) & (c.neg > 0)) or (not c.weighted and np.any(c.pos > 1))
        return f"ties={self.ties}" if tied else ""


def _expected_over_orders(c: Counts) -> Array:
    """Return the mean over the orders inside every row, in O(K)."""
    z, s = np.asarray(c.pos, float), np.asarray(c.pos + c.neg, float)
    H, D = before(np.asarray(c.H, float)), before(np.asarray(c.H + c.B, float))
    share = np.divide(z - 1, s - 1, out=np.zeros(z.shape), where=s > 1)
    row = share * s * mean_share(D, s) + (H + 1 - share) * harmonic_difference(D, s)
    mean = np.divide(z * row, s, out=np.zeros(z.shape), where=z > 0)
    return np.asarray(np.sum(mean, axis=-1) / c.n1)


@dataclass(frozen=True)
class ScaledAP(Metric):
    """Average precision rescaled to 0 for random and 1 for perfect: ``(AP - pi) / (1 - pi)``.

    At most 1, higher is better; Su, Yuan and Zhu 2015, Eq. 11.

    Examples
    --------
    >>> round(ScaledAP()([1, 0, 1, 0], [4, 3, 2, 1]), 4)
    0.6667
    """

    name: ClassVar[str] = "scaled_ap"
    summary: ClassVar[str] = "average precision, 0 for random and 1 for perfect"
    reference: ClassVar[str] = "Su, Yuan and Zhu 2015, ICTIR, 349"

    def kernel(self, c: Counts) -> Array:
        """Return (AP - pi) / (1 - pi)."""
        return np.asarray((AveragePrecision().kernel(c) - c.pi) / (1 - c.pi))

    def kernel_gradient(self, c: Counts) -> Gradient | None:
        """Return the gradient in closed form."""
        g = AveragePrecision().kernel_gradient(c)
        if g is None:
            return None
        rest = 1 - c.pi
        d_pi = (g.pi - 1) / rest + (AveragePrecision().kernel(c) - c.pi) / rest**2
        return Gradient(g.P / rest[..., None], g.Q / rest[..., None], d_pi)

    def random_mean(self, table: HitTable) -> float | None:
        """Return the expectation over strict orders."""
        mean, pi = AveragePrecision().random_mean(table), float(self._admit(table).pi)
        return None if mean is None else (mean - pi) / (1 - pi)

    def worst(self, table: HitTable | Counts) -> Any:
        """Return the value of the reversed strict order."""
        pi = self._admit(table).pi
        return plain((np.asarray(AveragePrecision().worst(table)) - pi) / (1 - pi))

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value."""
        return -math.inf, 1.0

    def convention(self, table: HitTable | Counts) -> str:
        """Say how ties are taken, if there are any."""
        return AveragePrecision().convention(table)


@dataclass(frozen=True)
class Momentum(Metric):
    """Momentum, scaled AP over scaled AUC: an estimate of the precision at the top of the list.

    ``[(AP - pi)/(1 - pi)] / (2 AUC - 1)`` (Eq. 14 of Su, Yuan and Zhu 2015). Higher is better; perfect 1. A list
    no better than chance has none, so there is no random value.

    Raises
    ------
    UndefinedMetricError
        If the AUC is not above 1/2. Of many replicates at once, those are nan.

    Examples
    --------
    >>> round(Momentum()([1, 0, 1, 0], [4, 3, 2, 1]), 4)
    1.3333
    """

    name: ClassVar[str] = "momentum"
    summary: ClassVar[str] = "scaled AP over scaled AUC: initial precision of the list"
    reference: ClassVar[str] = "Su, Yuan and Zhu 2015, ICTIR, 349"

    def kernel(self, c: Counts) -> Array:
        """Return the ratio."""
        scaled = 2 * AUC().kernel(c) - 1
        if scaled.ndim == 0 and scaled <= 0:
            raise UndefinedMetricError(
                f"momentum is scaled AP over scaled AUC, and the AUC here is {(float(scaled) + 1) / 2:.4g}, "
                "not above 1/2"
            )
        ap = ScaledAP().kernel(c)
        return np.asarray(np.divide(ap, scaled, out=np.full(scaled.shape, math.nan), where=scaled > 0))

    def kernel_gradient(self, c: Counts) -> Gradient | None:
        """Return the gradient of the ratio."""
        value = self.kernel(c)
        above, below = ScaledAP().kernel_gradient(c), AUC().kernel_gradient(c)
        if above is None or below is None:
            return None
        scaled = 2 * AUC().kernel(c) - 1
        parts = []
        for a, b in zip(above, below, strict=True):
            ratio, size = (value, scaled) if a.ndim == scaled.ndim else (value[..., None], scaled[..., None])
            parts.append((a - 2 * ratio * b) / size)
        return Gradient(*parts)

    def random(self, table: HitTable | Counts) -> Any:
        """Return nan: what is no better than chance has no momentum."""
        return plain(np.full(self._admit(table).n1.shape, math.nan))

    def worst(self, table: HitTable | Counts) -> Any:
        """Return nan: what is no better than chance has no momentum."""
        return self.random(table)

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value."""
        return -math.inf, math.inf


@dataclass(frozen=True)
class PRArea(Metric):
    """Area under the precision-recall curve that follows the counts between its points.

    Not the trapezoid, which is too high, and not average precision, which is a step sum. In [0, 1], higher is
    better; random pi, perfect 1.

    Parameters
    ----------
    interpolation : {"keilwagen", "davis_goadrich"}
        ``keilwagen`` integrates the hyperbola between points (PRROC ``auc.integral``, Keilwagen et al. 2014);
        ``davis_goadrich`` places a point at every whole true positive and goes straight between those (Davis and
        Goadrich 2006).

    Raises
    ------
    ParameterError
        If the interpolation is neither.

    Examples
    --------
    >>> y, s = [1, 0, 1, 1, 0, 0, 0, 1, 0, 0], [3, 3, 3, 2, 2, 2, 2, 1, 1, 0]
    >>> round(PRArea("keilwagen")(y, s), 4), round(PRArea("davis_goadrich")(y, s), 4)
    (0.5713, 0.5794)
    """

    name: ClassVar[str] = "pr_area"
    summary: ClassVar[str] = "area under the precision-recall curve that follows the counts"
    reference: ClassVar[str] = "Keilwagen, Grosse and Grau 2014, PLoS ONE 9:e92209; Davis and Goadrich 2006, ICML, 233"
    interpolation: str = positional("keilwagen")

    def __post_init__(self) -> None:
        _checks.choice("interpolation", self.interpolation, ("keilwagen", "davis_goadrich"))

    @property
    def needs_subjects(self) -> bool:  # type: ignore[override]
        """Whole true positives exist only for whole subjects."""
        return self.interpolation == "davis_goadrich"

    def kernel(self, c: Counts) -> Array:
        """Return the mean precision along every row, weighted by its positives."""
        row = _mean_precision if self.interpolation == "keilwagen" else _mean_precision_in_steps
        return np.asarray(np.sum(c.p * row(c), axis=-1))


def _mean_precision(c: Counts) -> Array:
    """Return the mean of precision over TPR along each row, TPR and FPR moving together."""
    pi = c.pi[..., None]
    hits, called = before(pi * c.P), before(c.r)
    more_hits, more = pi * c.p, pi * c.p + (1 - pi) * c.q
    share = np.divide(more_hits, more, out=np.zeros(more.shape), where=more > 0)
    held = called > 0
    start = np.divide(hits, called, out=np.zeros(more.shape), where=held)
    t = np.divide(more, called, out=np.zeros(more.shape), where=held)
    logs = np.divide(np.log1p(t), t, out=np.ones(t.shape), where=t > 0)
    # precision(u) = (hits + u more_hits) / (called + u more), and 1 - log1p(t)/t = t log_up(t)
    return np.asarray(np.where(held, start * logs + share * t * log_up(t), share))


def _mean_precision_in_steps(c: Counts) -> Array:
    """Return the same with straight lines between whole true positives."""
    z, s = np.asarray(c.pos, float), np.asarray(c.pos + c.neg, float)
    A, D = before(np.asarray(c.H, float)), before(np.asarray(c.H + c.B, float))
    each = np.divide(s, z, out=np.ones(z.shape), where=z > 0)
    # sum over i = 1..z of (A + i) / (D + i each)
    total = (z * mean_share(D / each, z) + A * harmonic_difference(D / each, z)) / each
    first = np.divide(A, D, out=1 / each, where=D > 0)
    last = np.divide(A + z, D + s, out=np.zeros(z.shape), where=D + s > 0)
    return np.asarray(np.divide(total + (first - last) / 2, z, out=np.zeros(z.shape), where=z > 0))


@dataclass(frozen=True)
class PRGArea(Metric):
    """Area under the precision-recall-gain curve (Flach and Kull 2015).

    Precision gain ``1 - FPR/TPR`` over recall gain ``1 - pi (1 - TPR) / ((1 - pi) TPR)``, straight between
    points, over recall gains in [0, 1]. At most 1, higher is better; random 0, perfect 1.

    Examples
    --------
    >>> round(PRGArea()([1, 0, 1, 0], [4, 3, 2, 1]), 4)
    0.25
    """

    name: ClassVar[str] = "prg_area"
    summary: ClassVar[str] = "area under the precision-recall-gain curve"
    reference: ClassVar[str] = "Flach and Kull 2015, NIPS 28"

    def kernel(self, c: Counts) -> Array:
        """Integrate from the point where TPR = pi, recall gain 0."""
        pi = c.pi[..., None]
        P0, Q0 = before(c.P), before(c.Q)
        # the part of each row beyond TPR = pi
        skipped = np.clip(np.divide(pi - P0, c.p, out=np.zeros(c.p.shape), where=c.p > 0), 0.0, 1.0)
        P_from, Q_from = np.maximum(P0 + skipped * c.p, pi), Q0 + skipped * c.q
        beyond = (c.p > 0) & (pi < c.P)
        P_to = np.where(beyond, c.P, P_from)
        gain = pi / (1 - pi) * (P_to - P_from) / (P_to * P_from)
        height = (2 - Q_from / P_from - c.Q / np.maximum(c.P, pi)) / 2
        return np.asarray(np.sum(np.where(beyond, gain * height, 0.0), axis=-1))

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value."""
        return -math.inf, 1.0
