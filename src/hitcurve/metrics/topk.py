"""Metrics of a hard cut: recall, hits, precision and enrichment at a place on the list."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hitcurve._cached import cached_property
from hitcurve.counts import Array, Counts, before
from hitcurve.cut import Cut
from hitcurve.magnify import Magnification, Step
from hitcurve.magnify.pieces import sum_of_products
from hitcurve.metrics.area import Scale
from hitcurve.metrics.pieces import CutAt, Gradient
from hitcurve.metrics.rate import RateMetric
from hitcurve.metrics.texts import each
from hitcurve.metrics.written import at, keyword
from hitcurve.refusals import Refusal
from hitcurve.table import HitTable


@dataclass(frozen=True)
class _AtCut(RateMetric):
    """The step at a cut of the list."""

    at: float | str = at()
    cut: str = keyword("auto")

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", self.place.at)

    @cached_property
    def place(self) -> Cut:
        """The cut."""
        return Cut(self.at, self.cut)

    @property
    def needs_end(self) -> bool:
        """Whether the cutoff depends on the length of the list, as a fraction of the list does."""
        return self.place.is_share

    def magnification(self, c: Counts) -> Magnification:
        """Return the step."""
        return Step.per_replicate(t=self.place.share(c)[..., None])

    def _found(self, c: Counts) -> Array:
        """Return the expected number of positives before the cut: a whole one where no tie group is cut."""
        # in ranks, which are whole where rates are rounded: a tie group far down a long list keeps its digits
        rank, (start, end) = self.place.rank(c), c.span("rank")
        step = Step.per_replicate(t=rank[..., None])
        if c.shape or c.is_corrected:
            return sum_of_products(c.of_positives(c.pos), step.worth(start, end))
        above = int(start.searchsorted(rank, "right"))  # what starts behind the cut has no part in it
        return sum_of_products(c.pos[c.rows_of_positives[:above]], step.worth(start[:above], end[:above]))

    def _area(self, c: Counts) -> Array:
        return np.asarray(self._found(c) / c.n1)

    def cut_at(self, c: Counts) -> CutAt | None:
        """Return the cut, which one list keeps."""
        return super().cut_at(c) if c.shape else c.once("cut", self, lambda: super(_AtCut, self).cut_at(c))

    @property
    def place_follows_prevalence(self) -> float:
        """How the rate of the cut follows the prevalence: one to one for "R", else not at all."""
        return 1.0 if isinstance(self.at, str) else 0.0

    def kernel_gradient(self, c: Counts) -> Gradient:
        """Return the gradient. It includes the derivative of the cutoff if the cutoff is at the prevalence."""
        gradient = super().kernel_gradient(c)
        if not isinstance(self.at, str):
            return gradient
        f = self.magnification(c)
        slope = np.sum(c.p * (f.mean_up(before(c.r), c.r) + f.mean_dn(before(c.r), c.r)), axis=-1)
        return gradient._replace(pi=gradient.pi + self.rescale(c).factor * slope)

    def why_nan(self, c: Counts) -> Iterator[Refusal]:
        """Yield the lists that end before the cut."""
        yield from self.place.undefined(c)

    def convention(self, table: HitTable | Counts) -> Any:
        """Say how many subjects are taken, and by which rule."""
        c = self._admit(table)
        return each(c, self.place.in_words(c), self.place.rank(c), c.n)


@dataclass(frozen=True)
class RecallAt(_AtCut):
    """Share of the positives among the first of the list; ties in expectation.

    ``TPR`` at rate k/n. In [0, 1], higher is better; random: the share of the list; perfect:
    ``min(1, share / prevalence)``.

    Parameters
    ----------
    at : float, int or "R"
        A float is a share of the list, an int a number of subjects, "R" the number of positives.
    cut : {"auto", "ceil", "floor", "round", "fractional"}
        How a share becomes whole subjects. ``"auto"`` is ``"ceil"``, and ``"fractional"`` where there are no
        whole subjects: with weights, and at a prevalence that was set, which leave the whole numbers undefined.

    Raises
    ------
    ParameterError
        If an argument is none of these.
    UndefinedMetricError
        When evaluated beyond the end of the list.

    Examples
    --------
    >>> RecallAt(0.5)([1, 0, 1, 0], [4, 3, 2, 1]), str(RecallAt(0.01)), str(RecallAt(100))
    (0.5, 'recall@1%', 'recall@100')
    """

    name: ClassVar[str] = "recall"
    summary: ClassVar[str] = "fraction of the positives found at a cutoff"
    reference: ClassVar[str] = "Manning, Raghavan and Schuetze 2008, Introduction to Information Retrieval"


@dataclass(frozen=True)
class HitsAt(_AtCut):
    """Number of positives among the first of the list; ties in expectation.

    ``n1 TPR`` at rate k/n. In [0, min(k, n1)], higher is better; random: k times the prevalence; perfect:
    ``min(k, n1)``.

    Parameters
    ----------
    at, cut
        As for :class:`RecallAt`.

    Raises
    ------
    ParameterError, UndefinedMetricError
        As for :class:`RecallAt`.

    Examples
    --------
    >>> HitsAt(3)([1, 0, 1, 0], [4, 3, 2, 1])
    2.0
    """

    name: ClassVar[str] = "hits"
    summary: ClassVar[str] = "number of positives found at a cutoff"
    reference: ClassVar[str] = "Manning, Raghavan and Schuetze 2008, Introduction to Information Retrieval"
    axis: ClassVar[str] = "rank"

    def kernel(self, c: Counts) -> Array:
        """Return the number found."""
        return self._found(c)

    def rescale(self, c: Counts) -> Scale:
        """Return n1 = n pi times the recall."""
        return Scale(0.0, c.n * c.pi)

    def rescale_slope(self, c: Counts) -> Scale:
        """Return n."""
        return Scale(0.0, c.n)

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value: at most the rank of the cutoff; unbounded for a cutoff at a fraction of the list."""
        return 0.0, float(self.at) if isinstance(self.at, int) else math.inf


@dataclass(frozen=True)
class PrecisionAt(_AtCut):
    """Share of positives among the first of the list; ties in expectation.

    ``pi TPR / rate`` at rate k/n. In [0, 1], higher is better; random: the prevalence; perfect: ``min(1, n1 / k)``.

    Parameters
    ----------
    at, cut
        As for :class:`RecallAt`; ``"R"`` gives R-precision.

    Raises
    ------
    ParameterError, UndefinedMetricError
        As for :class:`RecallAt`.

    Examples
    --------
    >>> PrecisionAt(2)([1, 0, 1, 0], [4, 3, 2, 1]), PrecisionAt("R")([1, 0, 1, 0], [4, 3, 2, 1])
    (0.5, 0.5)
    """

    name: ClassVar[str] = "precision"
    summary: ClassVar[str] = "fraction of positives among subjects above a cutoff"
    reference: ClassVar[str] = "Manning, Raghavan and Schuetze 2008, Introduction to Information Retrieval"

    def kernel(self, c: Counts) -> Array:
        """Return found over called, or at a set prevalence pi TPR / rate."""
        return super().kernel(c) if c.prevalence is not None else np.asarray(self._found(c) / self.place.rank(c))

    def rescale(self, c: Counts) -> Scale:
        """Return pi TPR / rate."""
        return Scale(0.0, c.pi / self.place.share(c))

    def rescale_slope(self, c: Counts) -> Scale:
        """Return how pi / rate follows pi."""
        share = self.place.share(c)
        return Scale(0.0, (1 - self.place_follows_prevalence * c.pi / share) / share)


@dataclass(frozen=True)
class EnrichmentFactor(_AtCut):
    """Enrichment factor: precision among the first of the list, over the prevalence.

    ``recall / (k/n)`` with the k that was cut, ties in expectation. In [0, n/k], higher is better; random 1;
    perfect ``min(n/k, 1/prevalence)``.

    Parameters
    ----------
    at, cut
        As for :class:`RecallAt`. Tools differ here: RDKit and scikit-fingerprints take ``ceil``.

    Raises
    ------
    ParameterError, UndefinedMetricError
        As for :class:`RecallAt`.

    Examples
    --------
    >>> EnrichmentFactor(0.25)([1, 0, 1, 0], [4, 3, 2, 1])
    2.0
    """

    name: ClassVar[str] = "ef"
    summary: ClassVar[str] = "enrichment factor"
    reference: ClassVar[str] = "Pearlman and Charifson 2001, J. Med. Chem. 44:502"

    @property
    def needs_end(self) -> bool:
        """The share of the list that is cut depends on its length."""
        return True

    def rescale(self, c: Counts) -> Scale:
        """Divide by the share of the list."""
        return Scale(0.0, 1 / self.place.share(c))

    def rescale_slope(self, c: Counts) -> Scale:
        """Return how 1 / rate follows pi."""
        return Scale(0.0, -self.place_follows_prevalence / self.place.share(c) ** 2)

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value. A cutoff rounded down may select less than its fraction."""
        bounded = isinstance(self.at, float) and self.cut in ("auto", "ceil", "fractional")
        return 0.0, 1 / float(self.at) if bounded else math.inf


@dataclass(frozen=True)
class RelativeEnrichmentFactor(_AtCut):
    """Enrichment factor over its maximum ``min(n/k, 1/prevalence)``.

    ``recall / min(1, rate / prevalence)``. In [0, 1], higher is better; random ``max(rate, prevalence)``, perfect 1.

    Parameters
    ----------
    at, cut
        As for :class:`RecallAt`.

    Raises
    ------
    ParameterError, UndefinedMetricError
        As for :class:`RecallAt`.

    Examples
    --------
    >>> RelativeEnrichmentFactor(0.25)([1, 0, 1, 0], [4, 3, 2, 1])
    1.0
    """

    name: ClassVar[str] = "relative_ef"
    summary: ClassVar[str] = "enrichment factor as a fraction of its maximum"
    perfect_value: ClassVar[float | None] = 1.0
    reference: ClassVar[str] = "von Korff, Freyss and Sander 2009, J. Chem. Inf. Model. 49:209"

    def rescale(self, c: Counts) -> Scale:
        """Divide the recall by the largest one, min(1, rate / pi)."""
        return Scale(0.0, np.maximum(c.pi / self.place.share(c), 1.0))

    def rescale_slope(self, c: Counts) -> Scale:
        """Return how the maximum follows pi, where pi limits it."""
        share = self.place.share(c)
        return Scale(0.0, np.where(share < c.pi, 1 / share, 0.0))


@dataclass(frozen=True)
class ExtraRelevantFound(_AtCut):
    """Extra relevant records found: recall above a cutoff, minus the recall of a random order.

    ``TPR - rate`` at rate k/n, ties in expectation. In [-1, 1], higher is better; random 0, perfect
    ``min(1, share / prevalence) - share``. ASReview Insights rounds the number found at random to whole records, and
    so differs by up to ``1/(2 n1)``.

    Parameters
    ----------
    at, cut
        As for :class:`RecallAt`. ASReview Insights takes ``cut="floor"``.

    Raises
    ------
    ParameterError, UndefinedMetricError
        As for :class:`RecallAt`.

    Examples
    --------
    >>> ExtraRelevantFound(0.25)([1, 0, 1, 0], [4, 3, 2, 1]), str(ExtraRelevantFound(0.1))
    (0.25, 'erf@10%')
    """

    name: ClassVar[str] = "erf"
    summary: ClassVar[str] = "extra relevant records found: recall above a cutoff minus the fraction screened"
    reference: ClassVar[str] = "ASReview Insights, doi:10.5281/zenodo.6626069"

    @property
    def needs_end(self) -> bool:
        """The share of the list that is cut depends on its length."""
        return True

    def rescale(self, c: Counts) -> Scale:
        """Subtract the share of the list."""
        return Scale(-self.place.share(c), 1.0)

    def rescale_slope(self, c: Counts) -> Scale:
        """Return how the share follows pi."""
        return Scale(-self.place_follows_prevalence, 0.0)

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value."""
        return -1.0, 1.0


@dataclass(frozen=True)
class F1At(_AtCut):
    """F1 of the first of the list: harmonic mean of precision and recall there; ties in expectation.

    ``2 H / (n1 + k)`` with H positives among the first k. In [0, 1], higher is better; random
    ``2 pi rate / (pi + rate)``, perfect ``2 min(pi, rate) / (pi + rate)``. :class:`MaxF1` takes the best cutoff.

    Parameters
    ----------
    at, cut
        As for :class:`RecallAt`.

    Raises
    ------
    ParameterError, UndefinedMetricError
        As for :class:`RecallAt`.

    Examples
    --------
    >>> F1At(3)([1, 0, 1, 0], [4, 3, 2, 1]), str(F1At(0.1))
    (0.8, 'f1@10%')
    """

    name: ClassVar[str] = "f1"
    summary: ClassVar[str] = "F1 of the subjects above a cutoff"
    reference: ClassVar[str] = "van Rijsbergen 1979, Information Retrieval"

    def rescale(self, c: Counts) -> Scale:
        """Return 2 pi TPR / (pi + rate)."""
        return Scale(0.0, 2 * c.pi / (c.pi + self.place.share(c)))

    def rescale_slope(self, c: Counts) -> Scale:
        """Return how that follows pi; at a rate that is pi not at all."""
        share = self.place.share(c)
        return Scale(0.0, 2 * (share - self.place_follows_prevalence * c.pi) / (c.pi + share) ** 2)

    @property
    def needs_end(self) -> bool:
        """A fraction of the list depends on its length, a number of subjects only on the number of positives."""
        return self.place.is_share
