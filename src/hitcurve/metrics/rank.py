"""Metrics of whole ranks: sums of a weight w(rank) over the positives, ties in expectation, O(K).

The mean over the orders inside a row is ``(W(R_k) - W(R_{k-1})) / s_k`` with W the cumulative weight. At n = 1e12
that difference has no digits left, so each weight gives the mean of a row directly.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, ClassVar

import numpy as np

from hitcurve import _checks
from hitcurve.counts import Array, Counts, before
from hitcurve.errors import ParameterError
from hitcurve.magnify.pieces import Pair, in_pieces, sum_of_products
from hitcurve.magnify.quadrature import gauss_nodes
from hitcurve.metrics.discounts import NARROW, discount, discount_sum, discounts_after, slopes_of_narrow
from hitcurve.metrics.mean_gradient import MeanOfPositives
from hitcurve.metrics.metric import Metric
from hitcurve.metrics.pieces import Gradient, GradientMoments, RankSum, RankWeights
from hitcurve.metrics.special import log_gamma_bends, log_gamma_slope
from hitcurve.metrics.texts import each
from hitcurve.metrics.written import at, keyword
from hitcurve.table import HitTable

_FAR = 1e5  # rank from which on the discount is as good as continuous, to 1e-5 of its slope
_LOOKED_UP = 10_000  # ranks, from which on those before it are looked up


class RankMetric(Metric):
    """The mean weight of the positives' ranks, ``sum_k p_k T_k`` with T_k the mean weight in row k, times a factor."""

    axis: ClassVar[str] = "rank"
    adds_over_rows: ClassVar[bool] = True

    @abstractmethod
    def factor(self, c: Counts) -> Array:
        """Return what the mean weight is multiplied by."""

    def kernel(self, c: Counts) -> Array:
        """Return the mean weight times the factor."""
        return np.asarray(self.factor(c) * self._mean_weight(c))

    @abstractmethod
    def _row_mean(self, start: Array, end: Array, c: Counts) -> Array:
        """Return the mean weight of the ranks after ``start`` up to ``end``; any value where they coincide."""

    @abstractmethod
    def _weight_slope(self, rank: Array, c: Counts) -> Array:
        """Return W'(rank), the slope of the cumulative weight."""

    def _mean_weight(self, c: Counts) -> Array:
        return sum_of_products(c.positives, self._weight_of_positives(c))

    def _weight_of_positives(self, c: Counts) -> Array:
        """Return the mean weight of the ranks of each row that holds a positive: value and gradient share it."""
        return c.once("weight", self, lambda: self._row_mean(*c.span("rank"), c))

    def kernel_rank_weights(self, c: Counts, *, of_ranks: bool = False) -> RankWeights:
        """Return the mean weight of the ranks of each row, and the factor."""
        return RankWeights(self._weight_of_rows(c), factor=self.factor(c))

    def _weight_of_rows(self, c: Counts) -> Array:
        """Return the mean weight of the ranks of each row; of a row without width, the weight at its place."""
        start, end = before(c.R), c.R
        return np.where(end > start, self._row_mean(start, end, c), self._weight_slope(end, c))

    def _row_slopes(self, start: Array, end: Array, mean: Array, c: Counts) -> Pair:
        """Return how the mean weight of a row follows its end and its start."""
        width = np.where(end > start, end - start, 1.0)
        return (self._weight_slope(end, c) - mean) / width, (mean - self._weight_slope(start, c)) / width

    def _mean_weight_gradient(self, c: Counts) -> Gradient:
        start, end, n = before(c.R), c.R, c.n[..., None]
        mean = self._weight_of_rows(c)
        up, dn = (np.where(c.p > 0, n * slope, 0.0) * c.p for slope in self._row_slopes(start, end, mean, c))
        follow, step = up, mean.copy()
        follow[..., :-1] += dn[..., 1:]
        step[..., :-1] -= mean[..., 1:]
        pi = c.pi[..., None]
        d_pi = np.sum(follow * (c.P - c.Q), axis=-1)
        return Gradient(step + pi * follow, (1 - pi) * follow, d_pi)

    def _mean_of_positives(self, c: Counts) -> MeanOfPositives:
        return MeanOfPositives(c, self._weight_of_positives(c), partial(self._row_slopes, c=c), "rank")

    def random_mean(self, table: HitTable | Counts) -> Any:
        """Return the expectation over strict orders: the value with all subjects tied."""
        return self.random(table)

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value."""
        return 0.0, math.inf


class Summed(RankMetric):
    """A sum over the positives: n1 times the mean weight."""

    def factor(self, c: Counts) -> Array:
        """Return the number of positives."""
        return c.n1

    def kernel_rank_weights(self, c: Counts, *, of_ranks: bool = False) -> RankWeights:
        """Return the mean weight of the ranks of each row, of which the metric is the sum."""
        return RankWeights(self._weight_of_rows(c), summed=True)

    def kernel_gradient(self, c: Counts) -> Gradient:
        """Return the gradient of n pi times the mean weight."""
        return self._of_sum(c, self._mean_weight_gradient(c))

    def gradient_from_here(self, c: Counts) -> Gradient:
        """Return the gradient summed from each row down."""
        return self._of_sum(c, self._mean_of_positives(c).gradient())

    def gradient_moments(self, c: Counts) -> GradientMoments:
        """Return the moments of that gradient, without holding it."""
        return self._mean_of_positives(c).moments().scaled(c.n1, c.n * self._mean_weight(c))

    def _of_sum(self, c: Counts, g: Gradient) -> Gradient:
        mean = self._mean_weight(c)
        return Gradient(c.n1[..., None] * g.P, c.n1[..., None] * g.Q, c.n1 * g.pi + c.n * mean)


@dataclass(frozen=True)
class SLR(Summed):
    """Sum of log ranks, with the sign turned: ``-sum log(rank/n)`` over the positives (Venkatraman et al. 2010).

    Natural logarithm, ties in expectation. At least 0, higher is better; random about n1,
    perfect about ``n1 (1 - log pi)``.

    Examples
    --------
    >>> round(SLR()([1, 0, 1, 0], [4, 3, 2, 1]), 4)
    1.674
    """

    name: ClassVar[str] = "slr"
    summary: ClassVar[str] = "minus the sum of the logarithms of rank/n"
    reference: ClassVar[str] = "Zhao et al. 2009, BMC Bioinformatics 10:225"

    def smooth_from(self, c: Counts) -> float:
        """Return 0."""
        return 0.0

    def _row_mean(self, start: Array, end: Array, c: Counts) -> Array:
        return np.log(c.n)[..., None] - log_gamma_slope(start, end)

    def _row_slopes(self, start: Array, end: Array, mean: Array, c: Counts) -> Pair:
        up, dn = log_gamma_bends(start, end)
        return -up, -dn

    def _weight_slope(self, rank: Array, c: Counts) -> Array:
        from scipy.special import digamma

        return np.log(c.n)[..., None] - digamma(rank + 1)

    def bounds(self, c: Counts) -> None:
        """Return None: a mean over the positives, whose own scale is right."""
        return

    def convention(self, table: HitTable | Counts) -> Any:
        """Say the conventions of the sum."""
        return each(self._admit(table), "natural logarithm, ranks from 1, sum")


@dataclass(frozen=True)
class _Discounted(RankMetric):
    """Sums of the discount 1/log_b(rank + 1), over the whole list or the ranks up to k."""

    at: int | None = at(None)
    base: float = keyword(2.0)

    @property
    def default_interval(self) -> str:  # type: ignore[override]
        """Inversion: the first ranks weigh so much that the plug-in standard error is too small."""
        return "inversion" if self.at is None else ""

    @property
    def rank_sum(self) -> RankSum | None:  # type: ignore[override]
        """The discounts of the whole list; None up to a rank, where few positives are seen."""
        if self.at is not None:
            return None
        return RankSum(discount, math.log(self.base), of_perfect=self.perfect_value is not None)

    def __post_init__(self) -> None:
        if self.at is not None:
            object.__setattr__(self, "at", _checks.whole_number("the rank of a cutoff", self.at))
        base = _checks.positive_number("base", self.base)
        if base <= 1:
            raise ParameterError(f"base must be above 1, got {self.base!r}")
        object.__setattr__(self, "base", base)

    @property
    def needs_end(self) -> bool:
        """Nothing behind the last positive counts."""
        return False

    def up_to(self, rank: int) -> Metric:
        """Return the sum over the first ranks, unless it has a cut already."""
        return self if self.at is not None else replace(self, at=rank)

    def smooth_from(self, c: Counts) -> float:
        """Return the rank from which on the discount is taken as continuous, or of the cutoff."""
        return _FAR if self.at is None else float(self.at)

    def _total(self, start: Array, end: Array) -> Array:
        """Return the sum of the discounts after ``start`` up to ``end``, linear between whole ranks."""
        if self.at is not None:
            start, end = np.minimum(start, self.at), np.minimum(end, self.at)
        low, high = np.floor(start), np.floor(end)
        if not (np.count_nonzero(low != start) or np.count_nonzero(high != end)):
            return np.asarray(math.log(self.base) * discount_sum(low, high))
        ends = (end - high) / np.log(high + 2) - (start - low) / np.log(low + 2)
        return np.asarray(math.log(self.base) * (discount_sum(low, high) + ends))

    def _row_mean(self, start: Array, end: Array, c: Counts) -> Array:
        return in_pieces(self._mean_discount, start, end)

    def _mean_discount(self, start: Array, end: Array) -> Array:
        # a row without width has a total of 0
        return np.asarray(self._total(start, end) / np.maximum(end - start, 1e-300))

    def _row_slopes(self, start: Array, end: Array, mean: Array, c: Counts) -> Pair:
        # far down a long list the differences lose their digits, and the sum is as good as its integral
        least, most = float(start.min(initial=np.inf)), math.inf if self.at is None else float(self.at)
        if least > _FAR and np.max(end - start) < NARROW * least and np.max(end) <= most:
            return slopes_of_narrow(start, end, -math.log(self.base))
        far = (start > _FAR) & (end - start < start / 2) & (end <= most)
        every = far.all()
        first, last = (start, end) if every else (start[far], end[far])
        place, width = first + 1.5, last - first
        # a hundredth of what 8 points integrate exactly is integrated exactly by 3
        nodes, weights = gauss_nodes(3 if np.all(100 * width < place / 2) else 8)
        bends = np.zeros((2, *place.shape))
        for u, share in zip(nodes, weights, strict=True):
            x = place + u * width
            bend = share / (x * np.log(x) ** 2)
            bends[0] += u * bend
            bends[1] += (1 - u) * bend
        bends *= -math.log(self.base)
        if every:
            return bends[0], bends[1]
        up, dn = np.empty((2, *far.shape))
        up[far], dn[far] = bends
        up[~far], dn[~far] = super()._row_slopes(start[~far], end[~far], mean[~far], c)
        return up, dn

    def _weight_slope(self, rank: Array, c: Counts) -> Array:
        low = np.floor(rank)
        # at a whole rank the slope jumps: the mean of both sides; at rank 0 only the right one exists
        if rank.size > _LOOKED_UP and float(np.max(rank)) <= _FAR:
            place, discounts = low.astype(np.intp), discounts_after(int(_FAR))
            after, previous = discounts.take(place), discounts.take(np.maximum(place - 1, 0))
        else:
            after, previous = 1 / np.log(low + 2), 1 / np.log(np.where(low > 0, low + 1, 2.0))
        if self.at is not None:
            after, previous = np.where(low < self.at, after, 0.0), np.where(low <= self.at, previous, 0.0)
        slope = np.where((rank == low) & (low > 0), (previous + after) / 2, after)
        return np.asarray(math.log(self.base) * slope)

    def convention(self, table: HitTable | Counts) -> Any:
        """Say the gain and the base."""
        return each(self._admit(table), f"gain = label, discount 1/log{self.base:g}(rank + 1)")


@dataclass(frozen=True)
class DCG(_Discounted, Summed):
    """Discounted cumulative gain: the sum of 1/log_b(rank + 1) over the positives (Jarvelin and Kekalainen 2002).

    Gain = label, ties in expectation. At least 0, higher is better; perfect: the sum of the first n1 discounts;
    random: n1 times the mean discount.

    Parameters
    ----------
    at : int, optional
        Count only the first ranks.
    base : float, above 1
        Base of the logarithm.

    Raises
    ------
    ParameterError
        If an argument is out of range.

    Examples
    --------
    >>> DCG()([1, 0, 1, 0], [4, 3, 2, 1]), str(DCG(10))
    (1.5, 'dcg@10')
    """

    name: ClassVar[str] = "dcg"
    summary: ClassVar[str] = "discounted cumulative gain"
    reference: ClassVar[str] = "Jarvelin and Kekalainen 2002, ACM Trans. Inf. Syst. 20:422"

    def bounds(self, c: Counts) -> tuple[float, Array] | None:
        """Return 0 and the sum of the discounts of so many positives up to k; None of the whole list."""
        return None if self.at is None else (0.0, self._total(np.zeros_like(c.n1), c.n1))

    def bounds_of_cohort(self, c: Counts) -> tuple[float, Array] | None:
        """Return 0 and the sum of all discounts up to k: in another sample all subjects may be positive."""
        return None if self.at is None else (0.0, self._total(np.zeros_like(c.n), c.n))


@dataclass(frozen=True)
class NDCG(_Discounted):
    """Normalised discounted cumulative gain: DCG divided by the DCG of the perfect list.

    Jarvelin and Kekalainen 2002; gain = label, ties in expectation, as scikit-learn's ``ndcg_score``. In [0, 1], higher
    is better, perfect 1; random: the mean discount of the list divided by the mean discount of its first n1 ranks,
    which is high.

    Parameters
    ----------
    at : int, optional
        Count only the first ranks, in the ideal list too.
    base : float, above 1
        Base of the logarithm; it cancels.

    Raises
    ------
    ParameterError
        If an argument is out of range.

    Examples
    --------
    >>> round(NDCG()([1, 0, 1, 0], [4, 3, 2, 1]), 4)
    0.9197
    """

    name: ClassVar[str] = "ndcg"
    summary: ClassVar[str] = "normalised discounted cumulative gain"
    perfect_value: ClassVar[float | None] = 1.0
    reference: ClassVar[str] = "Jarvelin and Kekalainen 2002, ACM Trans. Inf. Syst. 20:422"

    def _ideal(self, c: Counts) -> Array:
        return self._first(c.n1) if c.shape else _first_of_one(self, float(c.n1))

    def _first(self, ranks: Array) -> Array:
        return self._total(np.zeros_like(ranks), ranks)

    def factor(self, c: Counts) -> Array:
        """Return the positives over the ideal DCG."""
        return np.asarray(c.n1 / self._ideal(c))

    def kernel_gradient(self, c: Counts) -> Gradient:
        """Return the gradient; the ideal moves with n1 = n pi."""
        return self._normalised(c, self._mean_weight_gradient(c))

    def gradient_from_here(self, c: Counts) -> Gradient:
        """Return the gradient summed from each row down."""
        return self._normalised(c, self._mean_of_positives(c).gradient())

    def gradient_moments(self, c: Counts) -> GradientMoments:
        """Return the moments of that gradient, without holding it."""
        return self._mean_of_positives(c).moments().scaled(self.factor(c), self._factor_follows(c))

    def _normalised(self, c: Counts, g: Gradient) -> Gradient:
        factor = self.factor(c)
        return Gradient(factor[..., None] * g.P, factor[..., None] * g.Q, factor * g.pi + self._factor_follows(c))

    def _factor_follows(self, c: Counts) -> Array:
        """Return how the metric follows the prevalence through the ideal alone."""
        slope = c.n / self._ideal(c) * (1 - self.factor(c) * self._weight_slope(c.n1, c))
        return np.asarray(slope * self._mean_weight(c))

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value."""
        return 0.0, 1.0


@lru_cache(maxsize=1024)
def _first_of_one(metric: NDCG, ranks: float) -> Array:
    """Return the ideal sum of one list, of which value, references and intervals ask again and again."""
    return metric._first(np.asarray(ranks))
