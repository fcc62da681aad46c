"""The area family: the mean over the positives of what their place on an axis is worth.

``area[f] = integral of TPR d f(x) = sum_k p_k v_k``, ``v_k = 1 - mean of f over [x_{k-1}, x_k]``, with the FPR or
the rate as x. AUC, partial areas, CROC, CAC, BEDROC, RIE, LogAUC, pROC, rAUC, recall at a cut, enrichment
factors, hits and precision at k are this one sum with different f and a rescaling that is linear in it.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hitcurve import _checks
from hitcurve.counts import Array, Counts, before
from hitcurve.errors import ParameterError
from hitcurve.magnify import Magnification, Step
from hitcurve.magnify.held import HeldAtEnds
from hitcurve.magnify.pieces import Pair, sum_of_products
from hitcurve.metrics.mean_gradient import MeanOfPositives
from hitcurve.metrics.metric import Metric
from hitcurve.metrics.pieces import CutAt, Gradient, GradientMoments, RankWeights
from hitcurve.metrics.written import keyword, positional
from hitcurve.table import HitTable


class Scale(NamedTuple):
    """A metric as ``offset + factor * area``, or the derivatives of both by the prevalence."""

    offset: Array | float = 0.0
    factor: Array | float = 1.0


class AreaMetric(Metric):
    """What the members of the family share.

    A member gives its magnification and, if it is not the bare area, its scale.
    """

    axis: ClassVar[str] = "fpr"
    adds_over_rows: ClassVar[bool] = True

    @abstractmethod
    def magnification(self, c: Counts) -> Magnification:
        """Return f, which may depend on the counts (a cut at a whole rank does)."""

    def rescale(self, c: Counts) -> Scale:
        """Return how the metric follows from the area."""
        return Scale()

    def rescale_slope(self, c: Counts) -> Scale:
        """Return how offset and factor follow the prevalence."""
        return Scale(0.0, 0.0)

    @property
    def place_follows_prevalence(self) -> float:
        """How the place of a cut moves with the prevalence: not, unless it is at as many as there are positives."""
        return 0.0

    def _axis(self, c: Counts) -> Array:
        return c.Q if self.axis == "fpr" else c.r

    def _span(self, c: Counts) -> tuple[Array, Array]:
        return c.span("fpr" if self.axis == "fpr" else "rate")

    def _area(self, c: Counts) -> Array:
        return c.once("area", self, lambda: sum_of_products(c.positives, self._worth(c)))

    def _worth(self, c: Counts) -> Array:
        """Return what a positive of each row that holds one is worth: value and gradient share it."""
        return c.once("worth", self, lambda: self._map(c).worth(*self._span(c)))

    def _map(self, c: Counts) -> Magnification:
        """Return the magnification; of corrected rates, which may leave [0, 1], held at its ends."""
        f = self.magnification(c)
        return HeldAtEnds(f) if c.is_corrected and self.label_correction == "cut-off" else f

    def kernel(self, c: Counts) -> Array:
        """Return offset + factor * area."""
        scale = self.rescale(c)
        return np.asarray(scale.offset + scale.factor * self._area(c))

    def kernel_gradient(self, c: Counts) -> Gradient:
        """Return the gradient in closed form."""
        f, x = self._map(c), self._axis(c)
        x0 = before(x)
        v = f.worth(x0, x)
        step = v.copy()
        step[..., :-1] -= v[..., 1:]
        # where nobody is, the slope may be infinite (a power map at 0) and does not count
        up, dn = np.zeros_like(c.p), np.zeros_like(c.p)
        for side, slopes in zip((up, dn), f.mean_slopes(*self._span(c)), strict=True):
            side[..., c.rows_of_positives] = np.where(c.positives != 0, slopes, 0.0) * c.positives
        follow = -up
        follow[..., :-1] -= dn[..., 1:]
        pi = c.pi[..., None]
        if self.axis == "fpr":
            area = Gradient(step, follow, np.zeros(c.pi.shape))
        else:
            d_pi = np.sum(follow * (c.P - c.Q), axis=-1)
            area = Gradient(step + pi * follow, (1 - pi) * follow, d_pi)
        factor, slope = np.asarray(self.rescale(c).factor), self.rescale_slope(c)
        d_pi = slope.offset + slope.factor * np.sum(c.p * v, axis=-1) + factor * area.pi
        return Gradient(factor[..., None] * area.P, factor[..., None] * area.Q, np.asarray(d_pi))

    def gradient_from_here(self, c: Counts) -> Gradient | None:
        """Return the gradient summed from each row down, computed on the rows that contain a positive."""
        if c.is_corrected or type(self).kernel_gradient is not AreaMetric.kernel_gradient:
            return super().gradient_from_here(c)  # of rates that run back, or of a member with a gradient of its own
        area, factor = self._mean_of_positives(c).gradient(), np.asarray(self.rescale(c).factor)
        for column in (area.P, area.Q):
            column *= factor[..., None]
        return Gradient(area.P, area.Q, np.asarray(self._rescale_follows(c) + factor * area.pi))

    def gradient_moments(self, c: Counts) -> GradientMoments | None:
        """Return the moments of that gradient, without holding it."""
        if type(self).kernel_gradient is not AreaMetric.kernel_gradient:
            return None
        return self._mean_of_positives(c).moments().scaled(self.rescale(c).factor, self._rescale_follows(c))

    def smooth_from(self, c: Counts) -> float:
        """Return 0 for a magnification that is smooth."""
        return 0.0 if self.magnification(c).is_smooth else math.inf

    def _mean_of_positives(self, c: Counts) -> MeanOfPositives:
        f = self.magnification(c)

        def slopes(start: Array, end: Array, _: Array) -> Pair:
            up, dn = f.mean_slopes(start, end)
            return np.negative(up, out=up), np.negative(dn, out=dn)

        return MeanOfPositives(c, self._worth(c), slopes, "fpr" if self.axis == "fpr" else "rate")

    def _rescale_follows(self, c: Counts) -> Array:
        """Return how the metric follows the prevalence where the area does not move."""
        slope = self.rescale_slope(c)
        return np.asarray(slope.offset + slope.factor * self._area(c))

    def kernel_rank_weights(self, c: Counts, *, of_ranks: bool = False) -> RankWeights | None:
        """Return 1 minus the mean of f over each row, and the scale; of the ranks alone on the axis of the rate."""
        if of_ranks and self.axis == "fpr":
            return None
        x = self._axis(c)
        return RankWeights(self.magnification(c).worth(before(x), x), *self.rescale(c))

    def random_mean(self, table: HitTable | Counts) -> Any:
        """Return the expectation over strict orders; on the rate axis it is the value of the tied list."""
        c = self._admit(table)
        if c.weighted:
            return None
        if self.axis != "fpr":
            return self.random(c)
        if not c.shape:
            same: Any = self  # hashable, as metrics are
            return _random_mean_of(same, float(c.n1), float(c.n0))
        # lists of the same numbers have the same expectation, whatever their prevalence
        sizes, place = np.unique(np.stack([c.n1.ravel(), c.n0.ravel()]), axis=1, return_inverse=True)
        same = self
        means = [_random_mean_of(same, n1, n0) if n1 and n0 else math.nan for n1, n0 in sizes.T.tolist()]
        return np.array(means)[place].reshape(c.shape)

    def _random_mean(self, c: Counts) -> Array:
        scale = self.rescale(c)
        return np.asarray(scale.offset + scale.factor * (1 - self.magnification(c).mean_at_steps(int(c.n0))))

    # ---- what inference asks of it

    def cut_at(self, c: Counts) -> CutAt | None:
        """Return the cut of a metric whose magnification is a step."""
        f = self.magnification(c)
        if not isinstance(f, Step):
            return None
        t = np.asarray(f.t, float)
        place = np.array(np.broadcast_to(t, (*c.shape, 1))[..., 0] if c.shape else t.reshape(()))
        axis = "fpr" if self.axis == "fpr" else "rate"
        follows = self.place_follows_prevalence
        return CutAt(axis, place, *self.rescale(c), *self.rescale_slope(c), follows)

    def bounds(self, c: Counts) -> tuple[Array | float, Array | float] | None:
        """Return the values of the reversed and of the perfect list."""
        return self.worst(c), self.best(c)

    def bounds_of_cohort(self, c: Counts) -> tuple[Array | float, Array | float] | None:
        """Return bounds at any prevalence: along the rate, bounds depend on the prevalence of the sample."""
        moves = self.axis != "fpr" and all(map(math.isfinite, self.range))
        return self.range if moves else self.bounds(c)

    def deciding_share(self, c: Counts) -> Array | None:
        """Return where f has risen to 1 - 1/e along the FPR; None along the rate."""
        return self._risen(c) if self.axis == "fpr" else None

    def deciding_rate(self, c: Counts) -> Array | None:
        """Return where f has risen to 1 - 1/e along the rate; None along the FPR."""
        return self._risen(c) if self.axis != "fpr" else None

    def _risen(self, c: Counts) -> Array:
        place = self.magnification(c).inverse(np.full((*c.shape, 1), 1 - math.exp(-1)))
        return np.asarray((np.broadcast_to(place, (*c.shape, 1)) if c.shape else place)[..., 0])


@lru_cache(maxsize=2048)
def _random_mean_of(metric: Any, n1: float, n0: float) -> float:
    """Return the expectation over strict orders of one list: it follows from the numbers of the classes alone."""
    return float(metric._random_mean(Counts(np.array([n1]), np.array([n0]))))


@dataclass(frozen=True)
class Magnified(AreaMetric):
    """A member whose magnification is given with it."""

    f: Magnification = positional()

    def __post_init__(self) -> None:
        if not isinstance(self.f, Magnification):
            raise ParameterError(f"f must be a Magnification, got {self.f!r}")

    def magnification(self, c: Counts) -> Magnification:
        """Return f."""
        return self.f

    @property
    def label_correction(self) -> str:  # type: ignore[override]
        """Along the FPR, unless an infinite slope at 0 would make what is cut off there vary without limit."""
        if self.axis != "fpr":
            return ""
        with np.errstate(all="ignore"):
            return "cut-off" if np.isfinite(self.f.derivative(np.zeros(1))).all() else ""


@dataclass(frozen=True)
class Area(Magnified):
    """Area under the TPR along a magnified axis: the general member, for an f of your own.

    ``sum_k p_k (1 - mean of f over [x_{k-1}, x_k])``. In [0, 1], higher is better; random ``1 - mean of f`` if
    all are tied; along the FPR it differs in short lists over random orders (``random_mean``).

    Parameters
    ----------
    f : Magnification
        The magnification; a user's own is a :class:`hitcurve.magnify.Custom`.
    along : {"fpr", "rate"}
        FPR: magnified ROC curve. Rate: magnified accumulation curve.

    Raises
    ------
    ParameterError
        If ``along`` is neither.

    Examples
    --------
    >>> from hitcurve.magnify import Custom
    >>> early = Area(Custom(lambda x: x * (2 - x)), along="rate")
    >>> round(early([1, 0, 1, 0], [4, 3, 2, 1]), 4)
    0.4583
    """

    name: ClassVar[str] = "area"
    summary: ClassVar[str] = "area under TPR along a magnified axis"
    reference: ClassVar[str] = "Swamidass et al. 2010, Bioinformatics 26:1348"
    along: str = keyword("fpr")

    def __post_init__(self) -> None:
        super().__post_init__()
        _checks.choice("along", self.along, ("fpr", "rate"))

    @property
    def axis(self) -> str:  # type: ignore[override]
        """The axis that is magnified."""
        return self.along
