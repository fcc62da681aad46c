"""Measures of runs whose documents are relevant to subtopics: new ones count more than those found before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from hitcurve import _checks
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import ParameterError
from hitcurve.metrics.retrieval.measure import Binary, ratio
from hitcurve.metrics.written import at, keyword
from hitcurve.ragged import Places, starts_of
from hitcurve.topics import Aspects, RankedTopics

_NO_MORE = 1e-18  # a weight below it adds nothing


class _Found(NamedTuple):
    """Relevant documents on the lists, once for each subtopic to which they are, subtopic by subtopic from the top.

    Attributes
    ----------
    topic, subtopic, rank : array of int (h,)
    before : array of int (h,)
        How many of the subtopic stand above.
    """

    topic: Places
    subtopic: Places
    rank: Places
    before: Places


@dataclass(frozen=True)
class OfSubtopics(Binary):
    """A measure of relevance by subtopic, as ndeval has them; subtopics without a relevant document do not count."""

    tie_range_known: ClassVar[bool] = False

    def _of(self, topics: RankedTopics, level: int) -> Array:
        if topics.aspects is None:
            raise ParameterError(
                f"{self} takes relevance by subtopic: give qrels as {{topic: {{document: {{subtopic: relevance}}}}}}, "
                "or read_subtopics(FILE)"
            )
        aspects = topics.aspects.at_least(level)
        return self._value(topics, aspects, aspects.subtopics(topics))

    def _value(self, topics: RankedTopics, aspects: Aspects, subtopics: Places) -> Array:
        raise NotImplementedError


@dataclass(frozen=True)
class _Novelty(OfSubtopics):
    """The sum over the list of a weight of the rank times (1 - alpha)^c for each subtopic, c documents of it above."""

    normalised: ClassVar[bool] = False  # by the documents in the best order found, else by a list that has it all

    def _weight(self, rank: AnyArray) -> Array:
        raise NotImplementedError

    def _most(self) -> float:
        """Return the sum of one subtopic to which every document is relevant."""
        raise NotImplementedError

    def _depth(self) -> int | None:
        raise NotImplementedError

    def _alpha(self) -> float:
        return 0.5

    def _value(self, topics: RankedTopics, aspects: Aspects, subtopics: Places) -> Array:
        value = self._sum(topics, _found(topics, aspects))
        if not self.normalised:
            return ratio(value, subtopics * self._most())
        ideal = aspects.greedy(topics, 1 - self._alpha(), self._depth())
        return ratio(value, self._sum(topics, _found(topics, aspects, ideal)))

    def _sum(self, topics: RankedTopics, found: _Found) -> Array:
        weight = self._weight(found.rank) * (1 - self._alpha()) ** found.before
        depth = self._depth()
        return topics.sum(found.topic, weight if depth is None else np.where(found.rank <= depth, weight, 0.0))


@dataclass(frozen=True)
class _AtRank(_Novelty):
    cutoff: int = at()

    def _depth(self) -> int:
        return self.cutoff

    def _most(self) -> float:
        rank = np.arange(1, self.cutoff + 1)
        return float(np.sum(self._weight(rank) * (1 - self._alpha()) ** (rank - 1.0)))


@dataclass(frozen=True)
class AlphaDCG(_AtRank):
    """Discounted gain of new subtopics, over that of a list that has them all at every rank (Clarke et al. 2008).

    Parameters
    ----------
    cutoff : int
    alpha : float in (0, 1)
        How much of the gain of a subtopic each document of it takes away.
    rel, judged_only
        As for :class:`RR`.
    """

    name: ClassVar[str] = "alpha_DCG"
    alpha: float = keyword(0.5)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "alpha", _checks.open_unit("alpha", self.alpha))

    def _alpha(self) -> float:
        return self.alpha

    def _weight(self, rank: AnyArray) -> Array:
        return np.asarray(1 / np.log2(rank + 1))


@dataclass(frozen=True)
class AlphaNDCG(AlphaDCG):
    """Discounted gain of new subtopics, over that of the judged documents in the best order (Clarke et al. 2008).

    The best order is found document by document, equal ones last name first, as ndeval does.

    Examples
    --------
    >>> from hitcurve import evaluate_trec
    >>> qrels = {"q": {"d1": {"a": 1}, "d2": {"a": 1, "b": 1}, "d3": {"b": 1}}}
    >>> ev = evaluate_trec({"run": {"q": {"d1": 3.0, "d3": 2.0, "d2": 1.0}}}, qrels, metrics="alpha_nDCG@3")
    >>> round(float(ev.values("run", "alpha_nDCG@3")[0]), 4)
    0.8306
    """

    name: ClassVar[str] = "alpha_nDCG"
    normalised: ClassVar[bool] = True


@dataclass(frozen=True)
class ERRIA(_AtRank):
    """Intent-aware expected reciprocal rank, over that of a list that has all subtopics at every rank.

    Each relevant document satisfies with chance 1/2 those who want its subtopic (Chapelle et al. 2011).
    """

    name: ClassVar[str] = "ERR_IA"

    def _weight(self, rank: AnyArray) -> Array:
        return np.asarray(1 / rank)


@dataclass(frozen=True)
class NERRIA(ERRIA):
    """Intent-aware expected reciprocal rank, over that of the judged documents in the best order."""

    name: ClassVar[str] = "nERR_IA"
    normalised: ClassVar[bool] = True


@dataclass(frozen=True)
class NRBP(_Novelty):
    """Rank-biased precision of new subtopics, over that of a list that has them all (Clarke, Kolla, Vechtomova 2009).

    Parameters
    ----------
    alpha : float in (0, 1)
        How much of the gain of a subtopic each document of it takes away.
    beta : float in (0, 1)
        Chance of going on to the next document.
    rel, judged_only
        As for :class:`RR`.
    """

    name: ClassVar[str] = "NRBP"
    alpha: float = keyword(0.5)
    beta: float = keyword(0.5)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("alpha", "beta"):
            object.__setattr__(self, name, _checks.open_unit(name, getattr(self, name)))

    def _alpha(self) -> float:
        return self.alpha

    def _depth(self) -> int:
        return int(np.ceil(np.log(_NO_MORE) / np.log(self.beta)))

    def _weight(self, rank: AnyArray) -> Array:
        return np.asarray(self.beta ** (rank - 1.0))

    def _most(self) -> float:
        return 1 / (1 - (1 - self.alpha) * self.beta)


@dataclass(frozen=True)
class NNRBP(NRBP):
    """Rank-biased precision of new subtopics, over that of the judged documents in the best order."""

    name: ClassVar[str] = "nNRBP"
    normalised: ClassVar[bool] = True


@dataclass(frozen=True)
class APIA(OfSubtopics):
    """Mean of average precision over the subtopics."""

    name: ClassVar[str] = "AP_IA"

    def _value(self, topics: RankedTopics, aspects: Aspects, subtopics: Places) -> Array:
        found = _found(topics, aspects)
        relevant = np.bincount(aspects.subtopic, minlength=1)
        precision = (found.before + 1) / found.rank / relevant[found.subtopic]
        return ratio(topics.sum(found.topic, precision), subtopics)


@dataclass(frozen=True)
class PIA(OfSubtopics):
    """Mean of precision at a rank over the subtopics."""

    name: ClassVar[str] = "P_IA"
    cutoff: int = at()

    def _value(self, topics: RankedTopics, aspects: Aspects, subtopics: Places) -> Array:
        found = _found(topics, aspects)
        return ratio(
            np.bincount(found.topic[found.rank <= self.cutoff], minlength=len(topics)), self.cutoff * subtopics
        )


@dataclass(frozen=True)
class StRecall(OfSubtopics):
    """Share of the subtopics of which a relevant document is among the first."""

    name: ClassVar[str] = "StRecall"
    cutoff: int = at()

    def _value(self, topics: RankedTopics, aspects: Aspects, subtopics: Places) -> Array:
        found = _found(topics, aspects)
        first = (found.rank <= self.cutoff) & (found.before == 0)
        return ratio(np.bincount(found.topic[first], minlength=len(topics)), subtopics)


def _found(topics: RankedTopics, aspects: Aspects, rank: Places | None = None) -> _Found:
    """Return what of some relevance by subtopic is on the lists, or has a rank that is given to the judgements."""
    ranks = topics.rank if rank is None else rank
    here = np.flatnonzero(ranks[aspects.row] > 0)
    here = here[np.lexsort((ranks[aspects.row[here]], aspects.subtopic[here]))]
    subtopic = aspects.subtopic[here]
    starts = starts_of(np.bincount(subtopic, minlength=1))
    row = aspects.row[here]
    return _Found(topics.topic[row], subtopic, ranks[row], np.arange(here.size) - starts[subtopic])
