"""Measures of grades in which a document counts by those above it: the expected reciprocal rank, trec_eval's G."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hitcurve import _checks
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import ParameterError
from hitcurve.metrics.retrieval.graded import Graded
from hitcurve.metrics.retrieval.measure import TopicMeasure, check_cutoff, flag, ratio
from hitcurve.metrics.written import at, keyword
from hitcurve.ragged import Places, accumulated, starts_of
from hitcurve.topics import Hits, RankedTopics


@dataclass(frozen=True)
class ERR(TopicMeasure):
    """Expected reciprocal rank of the document at which a reader stops (Chapelle et al. 2009).

    A document of relevance g satisfies with chance ``(2^g - 1) / 2^max_rel``.

    Parameters
    ----------
    cutoff : int, optional
        Count only the first ranks.
    max_rel : int
        Largest relevance there can be; 4, as gdeval has it, unless given.
    judged_only : bool
        Leave documents out that were not judged.

    Raises
    ------
    ParameterError
        If an argument is out of range, or a document is more relevant than ``max_rel``.

    Examples
    --------
    >>> from hitcurve import evaluate_trec
    >>> run, qrels = {"q": {"d1": 4, "d2": 3, "d3": 2, "d4": 1}}, {"q": {"d1": 0, "d2": 3, "d3": 1, "d4": 2}}
    >>> ev = evaluate_trec({"run": run}, qrels, metrics=["ERR", "nERR"])
    >>> round(float(ev.values("run", "ERR")[0]), 4), round(float(ev.values("run", "nERR")[0]), 4)
    (0.2552, 0.5106)
    """

    name: ClassVar[str] = "ERR"
    cutoff: int | None = at(None)
    max_rel: int = keyword(4)
    judged_only: bool = keyword(False)

    def __post_init__(self) -> None:
        check_cutoff(self)
        object.__setattr__(self, "max_rel", _checks.whole_number("max_rel", self.max_rel))
        object.__setattr__(self, "judged_only", flag("judged_only", self.judged_only))

    def about(self, relevant_from: int) -> str:
        """Say how relevance becomes a chance."""
        return f"satisfied with chance (2^relevance - 1) / 2^{self.max_rel}"

    def of_topics(self, topics: RankedTopics, relevant_from: int) -> Array:
        """Return the value of each topic."""
        self._check(topics)
        lists = topics.judged_only if self.judged_only else topics
        return self._of(lists, (np.exp2(np.maximum(topics.grade, 0)) - 1) / 2.0**self.max_rel)

    def _of(self, topics: RankedTopics, chance: Array) -> Array:
        return self._expected(topics, topics.hits(chance > 0), chance)

    def _expected(self, topics: RankedTopics, hits: Hits, chance: Array) -> Array:
        own = chance[hits.row]
        left = _accumulated(topics, hits.topic, 1 - own, np.multiply) / (1 - own)
        counts = True if self.cutoff is None else hits.rank <= self.cutoff
        return topics.sum(hits.topic, np.where(counts, own * left / hits.rank, 0.0))

    def _check(self, topics: RankedTopics) -> None:
        above = np.flatnonzero(topics.grade > self.max_rel)
        if above.size:
            grade, name = topics.grade[above[0]], topics.names[topics.topic[above[0]]]
            raise ParameterError(
                f"{self} takes relevances up to {self.max_rel}, and topic {name!r} has {grade}: write "
                f"{self.name}(max_rel={topics.grade.max()})"
            )


@dataclass(frozen=True)
class NERR(ERR):
    """Expected reciprocal rank over that of the documents in order of relevance."""

    name: ClassVar[str] = "nERR"

    def _of(self, topics: RankedTopics, chance: Array) -> Array:
        return ratio(super()._of(topics, chance), self._expected(topics, topics.ideal(chance), chance))


@dataclass(frozen=True)
class G(Graded):
    """Normalised gain of trec_eval: each gain over log2 of 2 and what better documents would have gained above it.

    Parameters
    ----------
    gains, judged_only
        As for :class:`GradedNDCG`.
    """

    name: ClassVar[str] = "G"

    def _of(self, topics: RankedTopics, gain: Array) -> Array:
        hits, ideal = topics.hits(gain != 0), topics.ideal(gain)
        own = gain[hits.row]
        best = _accumulated(topics, ideal.topic, np.maximum(gain[ideal.row], 1.0), np.add)
        relevant = np.bincount(ideal.topic, minlength=len(topics))[hits.topic]
        cost = _at_rank(topics, ideal.topic, best, hits) + np.maximum(hits.rank - relevant, 0)
        gained = _accumulated(topics, hits.topic, own, np.add)
        found = topics.sum(hits.topic, own / np.log2(2 + cost - gained))
        return ratio(found, topics.sum(ideal.topic, gain[ideal.row]))


@dataclass(frozen=True)
class NDCGRel(Graded):
    """Mean of nDCG at the ranks of the relevant documents, at the end for those not retrieved; trec_eval's ndcg_rel.

    Parameters
    ----------
    gains, judged_only
        As for :class:`GradedNDCG`.
    """

    name: ClassVar[str] = "nDCG_rel"

    def _of(self, topics: RankedTopics, gain: Array) -> Array:
        hits, ideal = topics.hits(gain != 0), topics.ideal(gain)
        dcg, best = (_discounted(topics, those, gain) for those in (hits, ideal))
        counted = gain[hits.row] > 0
        at_hits = np.where(counted, ratio(dcg, _at_rank(topics, ideal.topic, best, hits)), 0.0)
        relevant = np.bincount(ideal.topic, minlength=len(topics))
        lost = relevant - np.bincount(hits.topic[counted], minlength=len(topics))
        last, most = _last(topics, hits.topic, dcg), _last(topics, ideal.topic, best)
        return ratio(topics.sum(hits.topic, at_hits) + lost * ratio(last, most), relevant)


@dataclass(frozen=True)
class RNDCG(Graded):
    """Mean of nDCG at the ranks at which the relevance of the ideal list changes; trec_eval's Rndcg.

    Parameters
    ----------
    gains, judged_only
        As for :class:`GradedNDCG`.
    """

    name: ClassVar[str] = "Rndcg"

    def of_topics(self, topics: RankedTopics, relevant_from: int) -> Array:
        """Return the value of each topic."""
        value = super().of_topics(topics, relevant_from)
        return np.where(topics.count(topics.grade >= relevant_from) > 0, value, 0.0)

    def _of(self, topics: RankedTopics, gain: Array) -> Array:
        hits, ideal = topics.hits(gain != 0), topics.ideal(gain)
        dcg, best = (_discounted(topics, those, gain) for those in (hits, ideal))
        worth = gain[ideal.row]
        changes = np.append(worth[1:] != worth[:-1], True) | np.append(ideal.topic[1:] != ideal.topic[:-1], True)
        changes = changes[: ideal.row.size]
        place = Hits(*(column[changes] for column in ideal))
        values = ratio(_at_rank(topics, hits.topic, dcg, place, hits.rank), best[changes])
        relevant = np.bincount(ideal.topic, minlength=len(topics))
        # the list ends one more level if it goes on behind the first document of no gain
        further = (topics.retrieved > relevant + 1) & (relevant > 0)
        end = np.where(further, ratio(_last(topics, hits.topic, dcg), _last(topics, ideal.topic, best)), 0.0)
        levels = np.bincount(place.topic, minlength=len(topics)) + further
        return ratio(topics.sum(place.topic, values) + end, levels)


def _accumulated(topics: RankedTopics, topic: Places, values: AnyArray, how: np.ufunc) -> Array:
    """Return running sums or products within each topic."""
    return accumulated(values, starts_of(np.bincount(topic, minlength=len(topics))), how)


def _discounted(topics: RankedTopics, hits: Hits, gain: Array) -> Array:
    return _accumulated(topics, hits.topic, gain[hits.row] / np.log2(hits.rank + 1), np.add)


def _at_rank(topics: RankedTopics, topic: Places, running: Array, wanted: Hits, rank: Places | None = None) -> Array:
    """Return running sums of documents of some ranks (1, 2, ... unless given) at the ranks wanted, 0 above them all."""
    starts = starts_of(np.bincount(topic, minlength=len(topics)))
    if rank is None:
        down = np.minimum(wanted.rank, np.diff(starts)[wanted.topic])
    else:
        far = int(max(rank.max(initial=0), wanted.rank.max(initial=0))) + 1
        down = np.searchsorted(topic * far + rank, wanted.topic * far + wanted.rank, "right") - starts[wanted.topic]
    return np.append(0.0, running)[np.where(down > 0, starts[wanted.topic] + down, 0)]


def _last(topics: RankedTopics, topic: Places, running: Array) -> Array:
    """Return the last of the running sums of each topic, 0 where there is none."""
    starts = starts_of(np.bincount(topic, minlength=len(topics)))
    return np.append(0.0, running)[np.where(np.diff(starts) > 0, starts[1:], 0)]
