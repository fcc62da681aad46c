"""Average precision, scaled average precision and momentum."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hitcurve import _checks
from hitcurve.counts import Array, Counts, before
from hitcurve.cumulative import from_here
from hitcurve.magnify.pieces import product, sum_of_products
from hitcurve.metrics.ends import NOISE
from hitcurve.metrics.left_out import left_out
from hitcurve.metrics.mean_gradient import Negatives, Scatter, upwards
from hitcurve.metrics.metric import Metric
from hitcurve.metrics.pieces import Gradient, GradientMoments, RankWeights, plain
from hitcurve.metrics.pr_area import PRArea
from hitcurve.metrics.roc import AUC
from hitcurve.metrics.special import harmonic_difference, harmonic_number, mean_share
from hitcurve.metrics.texts import each
from hitcurve.metrics.written import keyword
from hitcurve.refusals import Refusal
from hitcurve.table import HitTable


@dataclass(frozen=True)
class AveragePrecision(Metric):
    """Average precision: the mean, over the positives, of the precision at their score.

    ``sum_k p_k pi P_k / r_k`` (Eq. 17 of Su, Yuan and Zhu 2015). In [0, 1], higher is better; perfect 1.
    Random: the mean over strict orders (``random_mean``), a little above pi, which is the value if all are tied.

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
    decided_by_prevalence: ClassVar[bool] = True
    adds_over_rows: ClassVar[bool] = True
    ties: str = keyword("group")

    @property
    def label_correction(self) -> str:  # type: ignore[override]
        """Precision is cut off where there are more true positives than subjects; orders of a group are unknown."""
        return "cut-off" if self.ties == "group" else ""

    def __post_init__(self) -> None:
        _checks.choice("ties", self.ties, ("group", "expected"))

    @property
    def negatives_join(self) -> bool:  # type: ignore[override]
        """Precision at the end of a group does not tell a gap from the group below it."""
        return self.ties == "group"

    @property
    def default_interval(self) -> str:  # type: ignore[override]
        """Tilting over lengths from models of the list, where the precision is that at the end of a group."""
        return "end-model" if self.ties == "group" else ""

    @property
    def needs_end(self) -> bool:
        """Nothing behind the last positive counts."""
        return False

    @property
    def needs_subjects(self) -> bool:  # type: ignore[override]
        """Orders of a group exist only for whole subjects."""
        return self.ties == "expected"

    def kernel(self, c: Counts) -> Array:
        """Return the mean precision of the positives."""
        if self.ties == "expected":
            return _expected_over_orders(c)
        if c.prevalence is not None:
            return sum_of_products(c.p, c.precision)
        hits, (_, called) = c.hits, c.span("rank")
        # rows before the first subject of a list call nobody
        return sum_of_products(c.positives, hits / (np.maximum(called, 1e-300) if c.shape else called))

    def kernel_gradient(self, c: Counts) -> Gradient | None:
        """Return the gradient in closed form; none for ``ties="expected"``."""
        if self.ties == "expected":
            return None
        pi = c.pi[..., None]
        step = c.precision.copy()
        step[..., :-1] -= c.precision[..., 1:]
        per_rate = np.divide(c.p, c.r**2, out=np.zeros(c.p.shape), where=c.r > 0)
        lost = per_rate * pi * (1 - pi)
        return Gradient(step + lost * c.Q_called, -lost * c.P, np.sum(per_rate * c.P * c.Q_called, axis=-1))

    def kernel_rank_weights(self, c: Counts, *, of_ranks: bool = False) -> RankWeights | None:
        """Return the precision down to each row; none of the ranks alone, and none for ``ties="expected"``."""
        return None if of_ranks or self.ties == "expected" else RankWeights(c.precision)

    def row_derivatives(self, c: Counts) -> tuple[Array, Array] | None:
        """Return the derivatives by the content of each row, in closed form; none for ``ties="expected"``."""
        if self.ties == "expected":
            return None
        hits, alarms, called = c.H, c.B, c.called
        # rows before the first subject call nobody
        per_called = (
            1 / called if called[..., 0].all() else np.divide(1, called, out=np.zeros(called.shape), where=called > 0)
        )
        precision, n1 = hits * per_called, c.n1[..., None]
        mean = sum_of_products(c.pos, precision)[..., None] / n1
        per_called **= 2
        per_called *= c.pos
        by_pos, by_neg = from_here(per_called * alarms), from_here(per_called * hits)
        precision -= mean
        by_pos += precision
        by_pos /= n1
        by_neg /= -n1
        return by_pos, by_neg

    def smooth_from(self, c: Counts) -> float:
        """Return 0."""
        return 0.0

    def gradient_moments(self, c: Counts) -> GradientMoments | None:
        """Return the moments of the gradient of one list, in pieces of it from the bottom up; None of many lists."""
        if self.ties == "expected" or c.prevalence is not None or c.shape:
            return None
        hits, (_, called) = c.hits, c.span("rank")
        n1, n0, pi = float(c.n1), float(c.n0), float(c.pi)
        # how much one more subject above lowers the precision of those of a row and below, by its class
        of_pos, of_neg, below_pos, below_neg, lowered = Scatter(), Scatter(), 0.0, 0.0, 0.0
        negatives = Negatives.of(c)
        of_neg.add_zeros(float(negatives.below))
        for held in upwards(c):
            own_hits, own_called, share = hits[held], called[held], c.positives[held]
            per_called = 1 / own_called
            precision = own_hits * per_called
            per_called **= 2
            per_called *= share
            alarms, lost = (own_called - own_hits) * per_called, own_hits * per_called
            for side in (alarms, lost):
                np.cumsum(side[::-1], out=side[::-1])
            alarms += below_pos
            lost += below_neg
            below_pos, below_neg = float(alarms[0]), float(lost[0])
            alarms *= n1
            lowered += product(share, alarms)
            precision += alarms
            of_pos.add(share, precision)
            for shares in (negatives.between, negatives.within):
                if shares is not None:
                    of_neg.add(shares[held], lost)
        return GradientMoments(of_pos.squares, n0**2 * of_neg.squares, lowered / (pi * (1 - pi)))

    def leave_one_out(self, c: Counts, *, alone: str = "one") -> Array | None:
        """Return the mean over the positives of the precision at their score, each left out of its own.

        The plug-in counts a positive in its own precision, which is most of its bias.

        Parameters
        ----------
        alone : {"one", "next"}
            What a single positive alone at the top counts, whose precision without itself is 0/0: 1, or the share of
            positives of the next row.
        """
        return None if c.weighted or self.ties == "expected" else left_out(c, alone)

    def random_mean(self, table: HitTable | Counts) -> Any:
        """Return the expectation over strict orders, [(n1-1)/(n-1) (n - H_n) + H_n] / n."""
        c = self._admit(table)
        if not c.whole:
            return None
        n, n1 = c.n, c.n1
        harmonic = harmonic_difference(np.zeros_like(n), n) if c.shape else harmonic_number(float(n))
        with np.errstate(divide="ignore", invalid="ignore"):  # lists of one subject or none
            return plain(((n1 - 1) / (n - 1) * (n - harmonic) + harmonic) / n)

    def worst(self, table: HitTable | Counts) -> Any:
        """Return the value of the reversed strict order; its positives do not share a rank."""
        c = self._admit(table)
        if c.weighted:
            return PRArea().worst(c)  # weights have no steps, only their limit
        return self._of_lists(c, _of_reversed) if c.shape else float(_of_reversed(c))

    def convention(self, table: HitTable | Counts) -> Any:
        """Say how ties are taken, if there are any."""
        c = self._admit(table)
        tied = np.asarray(((c.pos > 0) & (c.neg > 0)).any(axis=-1) | (not c.weighted and (c.pos > 1).any(axis=-1)))
        return each(c, lambda index: f"ties={self.ties}" if tied[index] else "", tied)


def _of_reversed(c: Counts) -> Array:
    """Return the mean of i / (n1 odds + i) over the positives i = 1..n1."""
    if c.prevalence is None:
        return mean_share(c.n0, c.n1)
    odds: Array = (1 - c.pi) / c.pi
    return mean_share(c.n1 * odds, c.n1)


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

    At most 1, higher is better; random 0 if all are tied, and above 0 over random orders (``random_mean``), as AP is
    above pi; Su, Yuan and Zhu 2015, Eq. 11.

    Examples
    --------
    >>> round(ScaledAP()([1, 0, 1, 0], [4, 3, 2, 1]), 4)
    0.6667
    """

    name: ClassVar[str] = "scaled_ap"
    summary: ClassVar[str] = "average precision, 0 for random and 1 for perfect"
    reference: ClassVar[str] = "Su, Yuan and Zhu 2015, ICTIR, 349"
    negatives_join: ClassVar[bool] = True
    decided_by_prevalence: ClassVar[bool] = True

    def why_nan(self, c: Counts) -> Iterator[Refusal]:
        """Yield the lists whose prevalence rounds to 1."""
        yield Refusal(
            np.asarray(c.pi == 1),
            "scaled_ap is undefined where the prevalence rounds to 1, so the negatives have no weight",
        )

    def kernel(self, c: Counts) -> Array:
        """Return (AP - pi) / (1 - pi), from one minus the precision: all its digits are there near prevalence 1."""
        rest = _share_of_negatives(c)
        if c.prevalence is None:
            alarms, (_, called) = c.of_positives(c.B), c.span("rank")
            lost = sum_of_products(c.positives, alarms / (np.maximum(called, 1e-300) if c.shape else called))
        else:
            alarms = rest[..., None] * c.Q
            lost = sum_of_products(c.p, np.divide(alarms, c.r, out=np.zeros(c.r.shape), where=c.r > 0))
        return np.asarray(np.divide(rest - lost, rest, out=np.full(lost.shape, np.nan), where=c.pi != 1))

    def kernel_gradient(self, c: Counts) -> Gradient | None:
        """Return the gradient in closed form."""
        g = AveragePrecision().kernel_gradient(c)
        if g is None:
            return None
        rest = _share_of_negatives(c)
        d_pi = (g.pi - 1 + self.kernel(c)) / rest
        return Gradient(g.P / rest[..., None], g.Q / rest[..., None], d_pi)

    def bounds(self, c: Counts) -> tuple[Array | float, Array | float] | None:
        """Return the value of precision 0, and 1."""
        return -c.pi / (1 - c.pi), 1.0

    def leave_one_out(self, c: Counts, *, alone: str = "one") -> Array | None:
        """Return the leave-one-out estimate of average precision, scaled."""
        ap = AveragePrecision().leave_one_out(c, alone=alone)
        return None if ap is None else (ap - c.pi) / (1 - c.pi)

    def random_mean(self, table: HitTable | Counts) -> Any:
        """Return the expectation over strict orders."""
        return self._scaled(table, AveragePrecision().random_mean(table))

    def worst(self, table: HitTable | Counts) -> Any:
        """Return the value of the reversed strict order."""
        return self._scaled(table, AveragePrecision().worst(table))

    def _scaled(self, table: HitTable | Counts, ap: Any) -> Any:
        pi = self._admit(table).pi
        return None if ap is None else plain((np.asarray(ap) - pi) / (1 - pi))

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value."""
        return -math.inf, 1.0

    def convention(self, table: HitTable | Counts) -> Any:
        """Say how ties are taken, if there are any."""
        return AveragePrecision().convention(table)


def _share_of_negatives(c: Counts) -> Array:
    return np.asarray(c.n0 / c.n if c.prevalence is None else 1 - c.pi, float)


def _above_chance(c: Counts) -> Array:
    """Return AUC scaled to 0 for chance and 1 for perfect; 0 where it is above chance by rounding."""
    scaled = 2 * AUC().kernel(c) - 1
    return np.where(np.abs(scaled) > NOISE, scaled, 0.0)


@dataclass(frozen=True)
class Momentum(Metric):
    """Momentum, scaled AP over scaled AUC: an estimate of the precision at the top of the list.

    ``[(AP - pi)/(1 - pi)] / (2 AUC - 1)`` (Eq. 14 of Su, Yuan and Zhu 2015). Higher is better; perfect 1, which is not
    the largest value: lists with an AUC near 1/2 have larger ones. A list no better than chance has none, so there is
    no random value.

    Raises
    ------
    UndefinedMetricError
        If the AUC of a single list is not above 1/2. Among many lists, such lists are nan.

    Examples
    --------
    >>> round(Momentum()([1, 0, 1, 0], [4, 3, 2, 1]), 4)
    1.3333
    """

    name: ClassVar[str] = "momentum"
    summary: ClassVar[str] = "scaled AP over scaled AUC, the initial precision of the list"
    divided_by: ClassVar[Metric | None] = AUC()
    decided_by_prevalence: ClassVar[bool] = True
    reference: ClassVar[str] = "Su, Yuan and Zhu 2015, ICTIR, 349"

    def kernel(self, c: Counts) -> Array:
        """Return the ratio."""
        scaled, ap = _above_chance(c), ScaledAP().kernel(c)
        return np.asarray(np.divide(ap, scaled, out=np.full(scaled.shape, math.nan), where=scaled > 0))

    def why_nan(self, c: Counts) -> Iterator[Refusal]:
        """Yield the lists whose AUC is not above 1/2."""
        with np.errstate(divide="ignore", invalid="ignore"):  # lists that lack a class were refused above
            area = AUC().kernel(c)
            above = _above_chance(c)
        yield Refusal(
            np.asarray(c.pi == 1),
            "momentum is undefined where the prevalence rounds to 1, so the negatives have no weight",
        )
        yield Refusal(
            above <= 0,
            lambda index: (
                f"momentum is scaled AP over scaled AUC, and the AUC here is {float(area[index]):.4g}, not above 1/2"
            ),
        )

    def kernel_gradient(self, c: Counts) -> Gradient | None:
        """Return the gradient of the ratio."""
        value, scaled = self.kernel(c), _above_chance(c)
        above, below = ScaledAP().kernel_gradient(c), AUC().kernel_gradient(c)
        if above is None or below is None:
            return None
        parts = []
        for a, b in zip(above, below, strict=True):
            ratio, size = (value, scaled) if a.ndim == scaled.ndim else (value[..., None], scaled[..., None])
            parts.append((a - 2 * ratio * b) / size)
        return Gradient(*parts)

    def convention(self, table: HitTable | Counts) -> Any:
        """Return where it is undefined."""
        return "undefined where the AUC is not above 1/2; 1 for a perfect ranking, no maximum"

    def random(self, table: HitTable | Counts) -> Any:
        """Return nan: a random ranking has no momentum."""
        return plain(np.full(self._counts(table).shape, math.nan))

    def worst(self, table: HitTable | Counts) -> Any:
        """Return nan: a random ranking has no momentum."""
        return self.random(table)

    def best(self, table: HitTable | Counts) -> Any:
        """Return nan: the perfect list has 1, and lists that hardly beat chance have more."""
        return self.random(table)

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value."""
        return -math.inf, math.inf
