"""Stopping rules of reviews, from a random sample of the unread subjects."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve._cached import cached_property
from hitcurve.errors import ParameterError

METHODS = ("one-look", "likelihood-ratio")
_AT_ONCE = 1 << 16  # numbers of hits whose probabilities are held at a time
_MOST = 10**9  # unread subjects: above it probabilities from log-gamma lose the digits that decide
_SIZES = 5  # of samples with the hits, and with one more each


@dataclass(frozen=True)
class Stopping:
    """Recall of a review, estimated from a random sample of the unread subjects.

    Attributes
    ----------
    found : int
        Positives among the subjects that were read in the order of the ranking.
    unread, sampled, hits : int
        Number of subjects unread when the sample was drawn, size of the sample, and positives in the sample.
    target : float
        Recall that the review must reach.
    confidence_level : float
    method : {"one-look", "likelihood-ratio"}
    positives_unread : int
        Upper limit of the number of positives among the unread subjects, including the positives in the sample.
    recall : float
        Estimate of the recall of all that was found; nan without a sample of the unread, or if nothing was found.
    recall_low : float
        Lower limit of the recall of all that was found.
    ranked_recall, ranked_recall_low : float
        The same for the subjects read in the order of the ranking, without the sample.
    pvalue : float
        Of the hypothesis that recall is below the target.
    """

    found: int
    unread: int
    sampled: int
    hits: int
    target: float
    confidence_level: float
    method: str
    positives_unread: int
    recall: float
    recall_low: float
    ranked_recall: float
    ranked_recall_low: float
    pvalue: float

    @property
    def may_stop(self) -> bool:
        """Whether recall is at least the target at the requested confidence."""
        return bool(_rejects(self.pvalue, 1 - self.confidence_level))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Sample sizes that would establish the target with ``hits`` positives in it, and with one to four more."""
        rule, most = _RULES[self.method], min(_SIZES, self.unread - self.hits + 1)
        return tuple(self._size(rule, self.hits + more) for more in range(most))

    def _size(self, rule: _OneLook | _AnyLook, hits: int) -> int:
        """Return the smallest sample with so many positives, of at least the present one, that shows the target."""
        below = _fewest_below(self.found, hits, self.target)

        def enough(sampled: int) -> bool:
            return bool(_rejects(rule.p(_Sample(self.unread, sampled, hits), below), 1 - self.confidence_level))

        low, high = max(self.sampled, hits), self.unread
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if enough(middle) else (middle + 1, high)
        return low

    def to_record(self) -> dict[str, Any]:
        """Return the numbers as plain values."""
        own = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {"may_stop": self.may_stop, **own, "needed": self.sizes[0]}

    def heading(self) -> list[str]:
        """Return the answer in sentences."""
        level, target = rows.percent(self.confidence_level), rows.percent(self.target)
        if self.sampled == self.unread:
            if not self.found + self.hits:
                return ["nothing is unread, and there was no positive to find: recall is undefined"]
            before = rows.number(self.ranked_recall)
            return [f"nothing is unread: all positives are found; without the sample recall is {before}"]
        least = self.found / (self.found + self.unread)
        if least >= self.target:
            return [
                f"the review may stop: even if all {rows.count(self.unread)} unread are positive, recall is at least "
                f"{rows.percent(math.floor(least * 1000) / 1000)} (p = 0)"
            ]
        if not self.sampled:
            return ["no sample of the unread yet: the order of the ranking says nothing about them", self._plan]
        if self.may_stop:
            answer = f"the review may stop: recall is at least {target} at the {level} confidence level"
        else:
            answer = f"the review may not stop yet: recall of {target} is not shown at the {level} confidence level"
        found = f"recall of the {rows.count(self.found + self.hits)} found"
        return [
            f"{answer} (p {rows.p_value(self.pvalue)})",
            f"{found}: {_or(self.recall, 'unknown')}, at least {rows.number(self.recall_low)}; without the sample "
            f"{_or(self.ranked_recall, 'unknown')}, at least {rows.number(self.ranked_recall_low)}",
            f"positives among the {rows.count(self.unread)} unread: at most {rows.count(self.positives_unread)}, of "
            f"which the sample of {rows.count(self.sampled)} contains {rows.count(self.hits)}",
            *([] if self.may_stop else [self._way_out]),
        ]

    @property
    def _plan(self) -> str:
        sizes = [f"{rows.count(size)} with {more}" for more, size in enumerate(self.sizes[1:], 1)]
        or_more = f" (of {rows.listed(sizes)})" if sizes else ""
        return (
            f"a random sample of {rows.count(self.sizes[0])} of the {rows.count(self.unread)} shows a recall of "
            f"{rows.percent(self.target)} if it contains no positive{or_more}"
        )

    @property
    def _way_out(self) -> str:
        if self.method == "likelihood-ratio":
            return (
                f"it may stop after {rows.count(self.sizes[0] - self.sampled)} more of the unread, read in random "
                "order, if none of them is positive"
            )
        return (
            f"a sample of {rows.count(self.sizes[0])} with as many positives would have shown it; a sample that grows "
            "after it was looked at needs the method likelihood-ratio, which is valid at any number of looks"
        )

    def table_rows(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows for a printer."""
        names = {
            "found": "found in the order of the ranking",
            "unread": "unread when the sample was drawn",
            "sampled": "in the sample",
            "hits": "positives in the sample",
            "positives_unread": "positives among the unread, at most",
        }
        counted = [[words, rows.count(getattr(self, name))] for name, words in names.items()]
        shares = [
            [f"recall {of}", _or(value, ""), _or(low, "")]
            for of, value, low in (
                ("of all that was found", self.recall, self.recall_low),
                ("without the sample", self.ranked_recall, self.ranked_recall_low),
            )
        ]
        return ["", "value", "lower limit"], [*([*line, ""] for line in counted), *shares]

    def __str__(self) -> str:
        """State the answer and the numbers behind it."""
        return rows.text_lines(self.heading())

    def _repr_html_(self) -> str:
        return rows.html_block([rows.html_paragraphs(self.heading()), rows.html_table(*self.table_rows())])


def stopping(
    found: int,
    unread: int,
    sampled: int = 0,
    hits: int = 0,
    *,
    target: float = 0.95,
    confidence_level: float = 0.95,
    method: str = "one-look",
) -> Stopping:
    """Say whether a review may stop, from a random sample of the subjects that were not read.

    The review reads subjects in the order of a ranking, stops for the time being, and draws a random sample of those
    still unread. Recall is at least the target with the confidence asked for, whatever the ranking is, because only
    the random draw is used.

    Parameters
    ----------
    found : int
        Positives found in the order of the ranking, h.
    unread : int
        Subjects unread when the sample was drawn, M.
    sampled, hits : int
        Subjects in the sample, m, and positives among them, x. Without a sample the result says how large one must be.
    target : float in (0, 1)
        Recall to be shown.
    confidence_level : float in (0, 1)
        One-sided.
    method : {"one-look", "likelihood-ratio"}
        ``one-look`` is for one sample of a size planned before. ``likelihood-ratio`` is for a sample that grows: it is
        valid at every look, for any number of looks, and needs more subjects.

    Returns
    -------
    Stopping

    Raises
    ------
    ParameterError
        If the numbers contradict each other, or nothing was found and nothing is unread.

    Notes
    -----
    The number D of positives among the unread is at most the largest D with P(X <= x) above 0.05, where X is
    hypergeometric (M, D, m). Recall of all found is at least (h + x)/(h + D). The p value is P(X <= x) at the smallest
    D with recall below the target [1]_. The likelihood ratio of D compares the mean probability of x over 0 to D - 1
    with that of D; at the true D it is a martingale with mean 1, and by Ville's inequality it is 20 or more at any
    time with probability 0.05 at most.

    References
    ----------
    .. [1] Callaghan, M. W. and Müller-Hansen, F. (2020), Statistical stopping criteria for automated screening in
       systematic reviews, Systematic Reviews 9:273.

    Examples
    --------
    >>> import hitcurve as hc
    >>> print(hc.stopping(found=90, unread=1000, sampled=300, hits=1, target=0.8))
    the review may stop: recall is at least 80% at the 95% confidence level (p = 0.001976)
    recall of the 91 found: 0.9750, at least 0.8835; without the sample 0.9643, at least 0.8738
    positives among the 1,000 unread: at most 13, of which the sample of 300 contains 1
    >>> print(hc.stopping(found=90, unread=1000, target=0.95))
    no sample of the unread yet: the order of the ranking says nothing about them
    a random sample of 450 of the 1,000 shows a recall of 95% if it contains no positive (of 581 with 1, 658 with 2, 710
    with 3 and 748 with 4)
    """
    found, unread = (_checks.whole_number(*one, least=0) for one in (("found", found), ("unread", unread)))
    sampled, hits = (_checks.whole_number(*one, least=0) for one in (("sampled", sampled), ("hits", hits)))
    level = _checks.level("confidence_level", confidence_level)
    target = _checks.open_unit("target", target)
    _checks.choice("method", method, METHODS)
    if sampled > unread:
        raise ParameterError(
            f"sampled={sampled} is more than the unread={unread} subjects that the sample is drawn from: unread counts "
            "the sample too"
        )
    if hits > sampled:
        raise ParameterError(f"hits={hits} is more than the sampled={sampled} subjects")
    if unread > _MOST:
        raise ParameterError(f"unread must be at most {_MOST:,}, got {unread:,}")
    if found + unread == 0:
        raise ParameterError("found and unread are both 0: there is nothing to review")
    of = _Sample(unread, sampled, hits)
    rule = _RULES[method]
    left, below = rule.most(of, 1 - level), _fewest_below(found, hits, target)
    estimate = found + (unread * hits / sampled if sampled else math.nan if unread else 0.0)
    return Stopping(
        found=found,
        unread=unread,
        sampled=sampled,
        hits=hits,
        target=target,
        confidence_level=level,
        method=method,
        positives_unread=left,
        recall=_recall(found + hits, estimate),
        recall_low=_recall(found + hits, found + left),
        ranked_recall=_recall(found, estimate),
        ranked_recall_low=_recall(found, found + left),
        pvalue=rule.p(of, below),
    )


@dataclass(frozen=True)
class _Sample:
    """A random sample of the unread."""

    unread: int
    sampled: int
    hits: int

    @property
    def most_positives(self) -> int:
        """All that the sample does not exclude."""
        return self.unread - self.sampled + self.hits

    def probability(self, positives: int) -> float:
        """Return the probability of the hits, for a number of positives that the sample does not exclude.

        Binomial probabilities keep the digits that log-gamma of large numbers loses.
        """
        from scipy.stats import binom

        share = self.sampled / self.unread
        within = binom.pmf(self.hits, positives, share)
        within *= binom.pmf(self.sampled - self.hits, self.unread - positives, share)
        return float(within / binom.pmf(self.sampled, self.unread, share))

    @property
    def likeliest(self) -> int:
        """The number of positives under which the hits are likeliest."""
        return (self.unread + 1) * self.hits // self.sampled if self.sampled else self.unread


class _OneLook:
    """The tail of the hypergeometric distribution."""

    def p(self, of: _Sample, positives: int) -> float:
        """Return the p value of the hypothesis that there are so many positives, or more."""
        from scipy.stats import hypergeom

        if positives > of.most_positives:
            return 0.0
        return float(hypergeom.cdf(of.hits, of.unread, positives, of.sampled))

    def most(self, of: _Sample, significance: float) -> int:
        """Return the largest number of positives that is not rejected."""
        low, high = of.hits, of.most_positives
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if not _rejects(self.p(of, middle), significance) else (low, middle - 1)
        return low


class _AnyLook:
    """The mean likelihood of all smaller numbers over that of a number: fair at the true one, at every look.

    Up to the likeliest number it is 1 at most, and beyond it grows with the number.
    """

    def p(self, of: _Sample, positives: int) -> float:
        """Return the p value of the hypothesis that there are so many positives, or more."""
        if positives > of.most_positives:
            return 0.0
        if positives <= of.likeliest:
            return 1.0
        own = of.probability(positives) * (of.sampled + 1) / (of.unread + 1)
        rest = of.unread + 1 - positives
        none_smaller = own * rest / (of.sampled + 1 - of.hits) * self._fewer(of, positives)
        # no digit is lost: beyond the likeliest number the smaller ones have a good part of the whole
        return min(1.0, positives * own / (1 - none_smaller))

    def most(self, of: _Sample, significance: float) -> int:
        """Return the largest number of positives that is not rejected."""
        low, high = max(of.hits, min(of.likeliest, of.most_positives)), of.most_positives
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if not _rejects(self.p(of, middle), significance) else (low, middle - 1)
        return low

    @staticmethod
    def _fewer(of: _Sample, positives: int) -> float:
        """Return the probability of at most the hits over that of the hits, with one subject more unread and sampled.

        The likelihoods of all numbers below D sum to P(X > x) (M + 1)/(m + 1) of that sample: where C(d, x)
        C(M - d, m - x) is counted, subject d is the one that follows x of the m + 1.
        """
        total = last = 1.0
        hits = of.hits
        while hits > 0 and last > 1e-18 * total:
            k = np.arange(hits, max(hits - _AT_ONCE, 0), -1, dtype=float)
            ratio = k / (positives - k + 1) * ((of.unread - positives - of.sampled + k) / (of.sampled + 2 - k))
            terms = last * np.cumprod(ratio)
            total, last, hits = total + float(np.sum(terms)), float(terms[-1]), hits - k.size
        return total


_RULES: dict[str, _OneLook | _AnyLook] = dict(zip(METHODS, (_OneLook(), _AnyLook()), strict=True))


def _fewest_below(found: int, hits: int, target: float) -> int:
    """Return the smallest number of positives among the unread with which recall is below the target."""
    exact = Fraction(repr(target))  # .95 is 19/20
    return math.floor((found + hits) / exact - found) + 1


def _rejects(p: Any, significance: float) -> Any:
    """Say whether p is small enough; 1/20 is, whatever its last digit."""
    return p <= significance * (1 + 1e-9)


def _recall(found: int, positives: float) -> float:
    return found / positives if positives else math.nan


def _or(recall: float, unknown: str) -> str:
    return unknown if math.isnan(recall) else rows.number(recall)
