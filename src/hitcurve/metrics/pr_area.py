"""Areas under the precision-recall curve and under precision-recall-gain."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hitcurve import _checks
from hitcurve.counts import Array, Counts, before
from hitcurve.errors import ParameterError
from hitcurve.magnify.series import log_up
from hitcurve.metrics.metric import Metric
from hitcurve.metrics.pieces import Gradient, at_ends
from hitcurve.metrics.precision_slopes import slopes_of_precision
from hitcurve.metrics.special import harmonic_difference, mean_share
from hitcurve.metrics.texts import each
from hitcurve.metrics.written import keyword, positional
from hitcurve.refusals import Refusal
from hitcurve.table import HitTable


@dataclass(frozen=True)
class PRArea(Metric):
    """Area under the precision-recall curve that follows the counts between its points, or under a part of it.

    ``integral of precision d recall`` over recall in [lower, upper]. Not the trapezoid, which is too high, and not
    average precision, which is a step sum. Of the whole curve in [0, 1], higher is better; random pi, perfect 1. Of
    a part random and perfect value are these times its width, or as they are with ``scale=max``.

    Parameters
    ----------
    interpolation : {"keilwagen", "davis_goadrich"}
        ``keilwagen`` integrates the hyperbola between points (PRROC ``auc.integral``, Keilwagen et al. 2014);
        ``davis_goadrich`` places a point at every whole true positive and connects the points by straight lines (Davis
        and Goadrich 2006).
    lower, upper : float
        The recalls between which the area is taken, 0 <= lower < upper <= 1; a part needs ``keilwagen``.
    scale : {"raw", "max"}
        ``raw`` in [0, upper - lower]; ``max`` divides by that width (precrec's standardized partial area).

    Raises
    ------
    ParameterError
        If an argument is none of these.

    Examples
    --------
    >>> y, s = [1, 0, 1, 1, 0, 0, 0, 1, 0, 0], [3, 3, 3, 2, 2, 2, 2, 1, 1, 0]
    >>> round(PRArea("keilwagen")(y, s), 4), round(PRArea("davis_goadrich")(y, s), 4)
    (0.5713, 0.5794)
    >>> early = PRArea("keilwagen", upper=0.1)
    >>> str(early), round(early(y, s), 4)
    ('pr_area(keilwagen, upper=0.1)', 0.0667)
    """

    name: ClassVar[str] = "pr_area"
    decided_by_prevalence: ClassVar[bool] = True
    summary: ClassVar[str] = "area under the precision-recall curve, interpolated by counts"
    reference: ClassVar[str] = "Keilwagen, Grosse and Grau 2014, PLoS ONE 9:e92209; Davis and Goadrich 2006, ICML, 233"
    interpolation: str = positional("keilwagen")
    lower: float = keyword(0.0)
    upper: float = keyword(1.0)
    scale: str = keyword("raw")

    def __post_init__(self) -> None:
        _checks.choice("interpolation", self.interpolation, ("keilwagen", "davis_goadrich"))
        _checks.choice("scale", self.scale, ("raw", "max"))
        low, high = _checks.interval("partial area", self.lower, self.upper)
        object.__setattr__(self, "lower", low)
        object.__setattr__(self, "upper", high)
        if self._partial and self.interpolation != "keilwagen":
            raise ParameterError(
                f"a part of the precision-recall curve needs interpolation='keilwagen', got {self.interpolation!r}"
            )

    @property
    def needs_subjects(self) -> bool:  # type: ignore[override]
        """Whole true positives exist only for whole subjects."""
        return self.interpolation == "davis_goadrich"

    def kernel(self, c: Counts) -> Array:
        """Return the mean precision along every row, weighted by its positives."""
        if self._partial:
            return self._of_part(c)
        row = _mean_precision if self.interpolation == "keilwagen" else _mean_precision_in_steps
        return np.asarray(np.sum(c.p * row(c), axis=-1))

    @property
    def _partial(self) -> bool:
        return (self.lower, self.upper) != (0.0, 1.0)

    def _of_part(self, c: Counts) -> Array:
        start, end = self._within(c)
        area = np.sum(c.p * (end - start) * _mean_precision(c, start, end), axis=-1)
        return np.asarray(area / self._divisor)

    @property
    def _divisor(self) -> float:
        return self.upper - self.lower if self.scale == "max" else 1.0

    def _within(self, c: Counts) -> tuple[Array, Array]:
        """Return from which to which share of each row the part goes."""
        P0 = before(c.P)
        start, end = (
            np.clip(np.divide(at - P0, c.p, out=np.zeros(c.p.shape), where=c.p > 0), 0.0, 1.0)
            for at in (self.lower, self.upper)
        )
        return start, end

    def kernel_gradient(self, c: Counts) -> Gradient | None:
        """Return the gradient in closed form; none for ``davis_goadrich``.

        Where the curve moves by dP and dQ, the area changes by ``d precision / dQ (dQ p - dP q)`` along each row.
        """
        if self.interpolation == "davis_goadrich":
            return None
        start, end = self._within(c)
        start, end = np.where(c.p > 0, start, 0.0), np.where(c.p > 0, end, 1.0)
        slopes = slopes_of_precision(c, start, end)
        below = self.upper if self.upper < 1 else math.inf  # nothing is beyond 1
        inside = np.where(c.p > 0, 1.0, _beyond(c, self.lower) - _beyond(c, below))
        of_p, of_q = c.p / self._divisor, c.q * inside / self._divisor
        return Gradient(
            at_ends(of_q * slopes.up, of_q * slopes.dn),
            at_ends(-of_p * slopes.up, -of_p * slopes.dn),
            np.asarray(np.sum(slopes.pi, axis=-1) / self._divisor),
        )

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value."""
        return 0.0, 1.0 if self.scale == "max" else self.upper - self.lower

    def convention(self, table: HitTable | Counts) -> Any:
        """Say the scale of a partial area."""
        scale = {"raw": "raw area", "max": "as a fraction of its maximum"}[self.scale] if self._partial else ""
        return each(self._admit(table), scale)


def _beyond(c: Counts, at: Array | float) -> Array:
    """Return 1 for rows that end beyond a TPR, and half of it for those that end there, which may move either way."""
    return np.asarray((1 + np.sign(c.P - at)) / 2)


def _mean_precision(c: Counts, start: Array | float = 0.0, end: Array | float = 1.0) -> Array:
    """Return the mean of precision over TPR along a part of each row, TPR and FPR moving together."""
    pi = c.pi[..., None]
    more_hits, more = pi * c.p, pi * c.p + (1 - pi) * c.q
    hits, called = before(pi * c.P) + start * more_hits, before(c.r) + start * more
    more_hits, more = (end - start) * more_hits, (end - start) * more
    share = np.divide(more_hits, more, out=np.zeros(more.shape), where=more > 0)
    selected = called > 0
    above = np.divide(hits, called, out=np.zeros(more.shape), where=selected)
    t = np.divide(more, called, out=np.zeros(more.shape), where=selected)
    logs = np.divide(np.log1p(t), t, out=np.ones(t.shape), where=t > 0)
    # precision(u) = (hits + u more_hits) / (called + u more), and 1 - log1p(t)/t = t log_up(t)
    return np.asarray(np.where(selected, above * logs + share * t * log_up(t), share))


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
    decided_by_prevalence: ClassVar[bool] = True
    perfect_value: ClassVar[float | None] = 1.0
    summary: ClassVar[str] = "area under the precision-recall-gain curve"
    reference: ClassVar[str] = "Flach and Kull 2015, NIPS 28"

    def why_nan(self, c: Counts) -> Iterator[Refusal]:
        """Yield the lists whose prevalence rounds to 1."""
        yield Refusal(
            np.asarray(c.pi == 1),
            "prg_area is undefined where the prevalence rounds to 1, so the negatives have no weight",
        )

    def kernel(self, c: Counts) -> Array:
        """Integrate from the point where TPR = pi, recall gain 0."""
        pi = c.pi[..., None]
        P0, Q0 = before(c.P), before(c.Q)
        # the part of each row beyond TPR = pi
        skipped = np.clip(np.divide(pi - P0, c.p, out=np.zeros(c.p.shape), where=c.p > 0), 0.0, 1.0)
        P_from, Q_from = np.maximum(P0 + skipped * c.p, pi), Q0 + skipped * c.q
        beyond = (c.p > 0) & (pi < c.P)
        P_to = np.where(beyond, c.P, P_from)
        odds = np.divide(pi, 1 - pi, out=np.full(pi.shape, np.nan), where=pi < 1)
        gain = odds * (P_to - P_from) / P_to / P_from
        height = (2 - Q_from / P_from - c.Q / np.maximum(c.P, pi)) / 2
        area = np.sum(np.where(beyond, gain * height, 0.0), axis=-1)
        return np.asarray(np.where(c.pi < 1, area, np.nan))

    def kernel_gradient(self, c: Counts) -> Gradient:
        """Return the gradient in closed form: where TPR = pi the curve may move along itself."""
        pi = c.pi[..., None]
        odds = np.divide(pi, 1 - pi, out=np.full(pi.shape, np.nan), where=pi < 1)
        P0 = before(c.P)
        rest = 1 - np.clip(np.divide(pi - P0, c.p, out=np.zeros(c.p.shape), where=c.p > 0), 0.0, 1.0)
        start, end = np.maximum(P0, pi), np.maximum(c.P, pi)
        # of odds / TPR^3 along the rest of the row, by the share of the row above and below
        dn = odds * rest**2 / (2 * start**2 * end)
        up = odds * rest * (start + end) / (2 * start**2 * end**2) - dn
        # a row of negatives alone is a point, beyond TPR = pi or before it
        beyond = np.where(c.p > 0, rest, _beyond(c, pi))
        of_q = c.q * np.where(c.p > 0, 1.0, beyond)
        fpr = np.sum(c.q * (1 - beyond), axis=-1)
        by_pi = self.kernel(c) / (c.pi * (1 - c.pi)) - odds[..., 0] * (1 - fpr / c.pi) / c.pi**2
        return Gradient(at_ends(of_q * up, of_q * dn), at_ends(-c.p * up, -c.p * dn), by_pi)

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value."""
        return -math.inf, 1.0
