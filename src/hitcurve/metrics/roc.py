"""Areas along the false positive rate: they do not move with prevalence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hitcurve import _checks, rows
from hitcurve.counts import Array, Counts, before
from hitcurve.cut import Cut, whole
from hitcurve.errors import ParameterError
from hitcurve.magnify import Identity, Magnification, Step, Window
from hitcurve.metrics.area import AreaMetric, Magnified, Scale
from hitcurve.metrics.pieces import Gradient, RankWeights
from hitcurve.metrics.texts import each
from hitcurve.metrics.written import at, keyword, positional
from hitcurve.table import HitTable

_SCALES = ("raw", "max", "mcclish")
_LEAST_REST = 1e-9  # of a window in McClish's scale, which has 1e-16 / this as rounding
_OF_SUM = 16 * float(np.finfo(float).eps)  # rounding of the sum of an area
_PAIRS = 1 / (4 * _OF_SUM)  # so many, and a sum tells whole numbers apart


@dataclass(frozen=True)
class AUC(AreaMetric):
    """Area under the ROC curve: the probability that a positive is ranked above a negative, ties counted half.

    ``integral of TPR d FPR``, the Mann-Whitney statistic over n1 n0 (Hanley and McNeil 1982). In [0, 1],
    higher is better; random 1/2, perfect 1, reversed 0.

    Examples
    --------
    >>> AUC()([1, 0, 1, 0], [4, 3, 2, 1])
    0.75
    """

    name: ClassVar[str] = "auc"
    summary: ClassVar[str] = "area under the ROC curve"
    reference: ClassVar[str] = "Hanley and McNeil 1982, Radiology 143:29"

    is_mann_whitney: ClassVar[bool] = True
    label_correction: ClassVar[str] = "linear"

    def magnification(self, c: Counts) -> Magnification:
        """Return the identity."""
        return Identity()

    def kernel(self, c: Counts) -> Array:
        """Return the area: of whole subjects the number of correctly ordered pairs, ties as halves, by all pairs."""
        area = super().kernel(c)
        if c.weighted:
            return area
        pairs = 2 * c.n1 * c.n0
        whole_pairs = np.rint(area * pairs)
        # where rounding of the sum is all that keeps it from a whole number
        near = (pairs > 0) & (pairs <= _PAIRS) & (np.abs(area * pairs - whole_pairs) <= _OF_SUM * pairs)
        return np.where(near, whole_pairs / np.where(near, pairs, 1.0), area)

    def kernel_rank_weights(self, c: Counts, *, of_ranks: bool = False) -> RankWeights | None:
        """Return 1 minus the FPR in the middle of each row, or minus the rate: AUC is linear in the mean rank too."""
        if not of_ranks:
            return super().kernel_rank_weights(c)
        odds = c.pi / (1 - c.pi)
        return RankWeights(1 - (before(c.r) + c.r) / 2, -odds / 2, 1 + odds)


@dataclass(frozen=True)
class PartialAUC(AreaMetric):
    """Area under a part of the ROC curve.

    Over FPR in [lower, upper]: the area under the curve there. Over TPR in [lower, upper]: the area between the
    curve and FPR = 1 there, its mirror image under exchange of the classes. Higher is
    better; random and perfect value by the scale. Random is the value if all are tied; over random orders
    (``random_mean``) it differs in short lists.

    Parameters
    ----------
    over : {"fpr", "tpr"}
    lower, upper : float
        0 <= lower < upper <= 1.
    scale : {"raw", "max", "mcclish"}
        ``raw`` in [0, upper - lower], the perfect value; ``max`` divides by it; ``mcclish`` maps the value
        of all tied to 1/2 and the maximum to 1 (McClish 1989), as scikit-learn does for ``max_fpr``.

    Raises
    ------
    ParameterError
        If an argument is none of these.

    Examples
    --------
    >>> round(PartialAUC("fpr", 0, 0.5)([1, 0, 1, 0], [4, 3, 2, 1]), 3)
    0.25
    >>> str(PartialAUC("tpr", 0.9, 1, scale="mcclish"))
    'pauc(tpr, 0.9, 1, scale=mcclish)'
    """

    name: ClassVar[str] = "pauc"
    summary: ClassVar[str] = "partial area under the ROC curve, over FPR or over TPR"
    reference: ClassVar[str] = "McClish 1989, Med. Decis. Making 9:190"
    over: str = positional()
    lower: float = positional()
    upper: float = positional()
    scale: str = keyword("raw")

    def __post_init__(self) -> None:
        _checks.choice("over", self.over, ("fpr", "tpr"))
        _checks.choice("scale", self.scale, _SCALES)
        low, high = _checks.interval("partial area", self.lower, self.upper)
        object.__setattr__(self, "lower", low)
        object.__setattr__(self, "upper", high)
        low, high = self._window()
        if not low < high:
            raise ParameterError(
                f"the window from {self.lower!r} to {self.upper!r} over {self.over} has no width in 64-bit numbers"
            )
        if self.scale == "mcclish" and 1 - low < _LEAST_REST:
            raise ParameterError(
                f"scale=mcclish divides by the distance of the window from its end, which must be at least "
                f"{_LEAST_REST:g}: got {self.lower!r} to {self.upper!r} over {self.over}"
            )

    def _window(self) -> tuple[float, float]:
        """Return the window on the FPR of the counts as they are, or as mirrored."""
        return (self.lower, self.upper) if self.over == "fpr" else (1 - self.upper, 1 - self.lower)

    def magnification(self, c: Counts) -> Magnification:
        """Return the window."""
        return Window(*self._window())

    def rescale(self, c: Counts) -> Scale:
        """Return the width, 1, or McClish's transformation."""
        low, high = self._window()
        most, random = high - low, (high - low) * (high + low) / 2
        if self.scale == "mcclish":
            return Scale(0.5 - random / (most - random) / 2, most / (most - random) / 2)
        return Scale(0.0, most if self.scale == "raw" else 1.0)

    @property
    def deciding_class(self) -> str:  # type: ignore[override]
        """Negatives, or positives over TPR."""
        return "negatives" if self.over == "fpr" else "positives"

    def kernel(self, c: Counts) -> Array:
        """Return the area, of the mirrored counts if over TPR."""
        return super().kernel(c if self.over == "fpr" else _mirrored(c))

    def kernel_gradient(self, c: Counts) -> Gradient:
        """Return the gradient, carried back from the mirrored counts if over TPR."""
        if self.over == "fpr":
            return super().kernel_gradient(c)
        seen = super().kernel_gradient(_mirrored(c))
        # row k of the mirror ends where row K - k begins: TPR' = 1 - FPR, FPR' = 1 - TPR there
        back = [np.concatenate([-g[..., -2::-1], np.zeros_like(g[..., :1])], axis=-1) for g in (seen.Q, seen.P)]
        return Gradient(back[0], back[1], seen.pi)

    def kernel_rank_weights(self, c: Counts, *, of_ranks: bool = False) -> RankWeights | None:
        """Return the weights of the positives; over TPR only negatives have weights."""
        return super().kernel_rank_weights(c, of_ranks=of_ranks) if self.over == "fpr" else None

    def _random_mean(self, c: Counts) -> Array:
        return super()._random_mean(c if self.over == "fpr" else _mirrored(c))

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value."""
        c = Counts(np.ones(1), np.ones(1))
        scale = self.rescale(c)
        return float(scale.offset), float(scale.offset + scale.factor)

    def convention(self, table: HitTable | Counts) -> Any:
        """Say the scale."""
        scale = {"raw": "raw area", "max": "as a fraction of its maximum", "mcclish": "McClish's scale"}[self.scale]
        return each(self._admit(table), scale)


def _mirrored(c: Counts) -> Counts:
    """Return the counts with classes exchanged and the order reversed."""
    prevalence = None if c.prevalence is None else 1 - c.prevalence
    return Counts(c.neg[..., ::-1], c.pos[..., ::-1], prevalence, c.weighted)


@dataclass(frozen=True)
class ROCk(AreaMetric):
    """ROC-k: mean TPR at the first k false positives, as ROC50 (Gribskov and Robinson 1996).

    ``area[min(n0 x / k, 1)]``; where there are fewer than k negatives, TPR counts as 1 after the last. In [0, 1],
    higher is better, perfect 1; random k / (2 n0) if all are tied; over random orders
    (``random_mean``) it differs in short lists.

    Parameters
    ----------
    k : int, at least 1

    Raises
    ------
    ParameterError
        If k is not a whole number of at least 1.

    Examples
    --------
    >>> ROCk(1)([1, 0, 1, 0], [4, 3, 2, 1])
    0.5
    """

    name: ClassVar[str] = "roc"
    counts_subjects: ClassVar[bool] = True
    summary: ClassVar[str] = "ROC-k: mean TPR at the first k false positives"
    reference: ClassVar[str] = "Gribskov and Robinson 1996, Comput. Chem. 20:25"
    k: int = positional()

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", _checks.whole_number("k", self.k))

    @property
    def needs_end(self) -> bool:
        """Nothing behind the k-th negative counts."""
        return False

    def magnification(self, c: Counts) -> Magnification:
        """Return the window up to the k-th negative."""
        end = (self.k / c.n0)[..., None]
        return Window.per_replicate(lower=np.zeros_like(end), upper=end)

    def kernel_gradient(self, c: Counts) -> Gradient:
        """Return the gradient; the window is k negatives wide, so it moves with their number."""
        gradient = super().kernel_gradient(c)
        if c.prevalence is not None:
            return gradient
        f, x0 = self.magnification(c), before(c.Q)
        up, dn = f.mean_slopes(x0, c.Q)
        stretch = np.sum(c.p * (x0 * (up + dn) + c.q * up), axis=-1)
        return gradient._replace(pi=gradient.pi + stretch / (1 - c.pi))


@dataclass(frozen=True)
class CROC(Magnified):
    """Area under the concentrated ROC curve (Swamidass et al. 2010).

    ``integral of TPR d f(FPR)`` for a magnification f. In [0, 1], higher is better, perfect 1; random
    ``1 - mean of f`` if all are tied, which for the exponential is ``1/alpha - exp(-alpha)/(1 - exp(-alpha))``; over
    random orders (``random_mean``) it differs in short lists.

    Parameters
    ----------
    f : Magnification
        Exponential(7) sends FPR .1 to about .5; Exponential(80) sends .0086 there.

    Raises
    ------
    ParameterError
        If f is no magnification.

    Examples
    --------
    >>> from hitcurve.magnify import Exponential
    >>> croc = CROC(Exponential(7))
    >>> str(croc), round(croc([1, 0, 1, 0], [4, 3, 2, 1]), 4)
    ('croc(exp, alpha=7)', 0.5147)
    """

    name: ClassVar[str] = "croc"
    summary: ClassVar[str] = "area under the concentrated ROC curve"
    reference: ClassVar[str] = "Swamidass et al. 2010, Bioinformatics 26:1348"


@dataclass(frozen=True)
class ROCEnrichment(AreaMetric):
    """ROC enrichment: TPR at a false positive rate, over that rate (Jain and Nicholls 2008).

    ``TPR(fpr) / fpr``. In [0, 1/fpr], higher is better; random 1 if all are tied (over random orders,
    ``random_mean``, it differs in short lists), perfect 1/fpr. With a cut at a whole number k of
    negatives, ``TPR before the k-th negative / (k/n0)``: perfect n0/k, random ``1 - 1/(2k)`` if all are tied and
    n0/(n0 + 1) over strict orders.

    Parameters
    ----------
    fpr : float in (0, 1]
    cut : {"fractional", "ceil", "floor", "round"}
        How the share of the negatives becomes a number of them: ``fractional`` takes it as it is; ``ceil`` goes on to
        the negative that reaches the rate, and divides by the rate reached (as DrugCLIP does); ``floor`` and
        ``round`` take at least one.

    Raises
    ------
    ParameterError
        If an argument is none of these.
    UndefinedMetricError
        When evaluated with a cut at whole negatives on weights or at a set prevalence.

    Examples
    --------
    >>> ROCEnrichment(0.5)([1, 0, 1, 0], [4, 3, 2, 1])
    2.0
    >>> reached = ROCEnrichment(0.01, cut="ceil")
    >>> str(reached), reached([1, 0, 1, 0], [4, 3, 2, 1])
    ('roc_enrichment@1%(cut=ceil)', 1.0)
    """

    name: ClassVar[str] = "roc_enrichment"
    summary: ClassVar[str] = "TPR at a false positive rate, over that rate"
    reference: ClassVar[str] = "Jain and Nicholls 2008, J. Comput. Aided Mol. Des. 22:133"
    fpr: float = at()
    cut: str = keyword("fractional")

    def __post_init__(self) -> None:
        object.__setattr__(self, "fpr", _checks.share_of_a_cut("fpr", self.fpr))
        _checks.choice("cut", self.cut, Cut.ROUNDINGS)

    @property
    def needs_subjects(self) -> bool:  # type: ignore[override]
        """Whole negatives exist only for whole subjects."""
        return self.cut != "fractional"

    def _negatives(self, c: Counts) -> Array:
        return whole(self.fpr * c.n0, self.cut)

    def magnification(self, c: Counts) -> Magnification:
        """Return the step at the rate, or half a negative before the one that reaches it."""
        if self.cut == "fractional":
            return Step(self.fpr)
        return Step.per_replicate(t=((self._negatives(c) - 0.5) / c.n0)[..., None])

    def rescale(self, c: Counts) -> Scale:
        """Divide by the rate."""
        return Scale(0.0, 1 / self.fpr if self.cut == "fractional" else c.n0 / self._negatives(c))

    def _random_mean(self, c: Counts) -> Array:
        return super()._random_mean(c) if self.cut == "fractional" else np.asarray(c.n0 / (c.n0 + 1))

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value."""
        return 0.0, 1 / self.fpr if self.cut in ("fractional", "ceil") else math.inf

    def convention(self, table: HitTable | Counts) -> Any:
        """Say whether the FPR is rounded to whole negatives."""
        c = self._admit(table)
        if self.cut == "fractional":
            return each(c, f"FPR {rows.percent(self.fpr)}, straight between negatives")
        taken = self._negatives(c)
        return each(c, lambda index: f"before negative {taken[index]:.12g} of {c.n0[index]:.12g} ({self.cut})", c.n0)
