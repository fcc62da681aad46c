"""Measures of relevant documents and of those judged not relevant, by their ranks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hitcurve import _checks
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import ParameterError
from hitcurve.metrics.precision import AveragePrecision
from hitcurve.metrics.retrieval.measure import Binary, ratio, values_of
from hitcurve.metrics.written import at, keyword
from hitcurve.topics import Hits, RankedTopics

_LEVELS = tuple(tenth / 10 for tenth in range(11))
_ROUND_UP = 0.9  # trec_eval's: a share of the relevant documents is rounded up from a tenth of a document on
_SMOOTHING = 1e-5  # of infAP, and the smallest value in a geometric mean


@dataclass(frozen=True)
class RR(Binary):
    """Reciprocal of the rank of the first relevant document, 0 if there is none down to the cutoff.

    Parameters
    ----------
    cutoff : int, optional
    rel : int, optional
        Smallest relevance of a relevant document; that of the evaluation unless given.
    judged_only : bool
        Leave documents out that were not judged.
    """

    name: ClassVar[str] = "RR"
    cutoff: int | None = at(None)

    def _of(self, topics: RankedTopics, level: int) -> Array:
        rank = _first_rank(topics, level)
        found = np.isfinite(rank) if self.cutoff is None else rank <= self.cutoff
        return np.where(found, 1 / rank, 0.0)


@dataclass(frozen=True)
class Success(Binary):
    """Whether there is a relevant document down to the cutoff."""

    name: ClassVar[str] = "Success"
    cutoff: int = at()

    def _of(self, topics: RankedTopics, level: int) -> Array:
        return (_first_rank(topics, level) <= self.cutoff).astype(float)


@dataclass(frozen=True)
class Bpref(Binary):
    """Binary preference: relevant documents that stand above those judged not relevant (Buckley and Voorhees 2004).

    The mean over R relevant documents of ``1 - min(b, R) / min(N, R)``, with b of the N judged non-relevant documents
    above; 0 for one that was not retrieved. Documents that were not judged are of no matter.
    """

    name: ClassVar[str] = "Bpref"

    def _of(self, topics: RankedTopics, level: int) -> Array:
        relevant = topics.grade >= level
        judged, is_hit, (others,) = _with_counts(topics, level)
        topic = judged.topic[is_hit]
        all, n_others = topics.count(relevant), topics.count((topics.grade >= 0) & ~relevant)
        most = np.minimum(n_others, all)[topic]
        lost = ratio(np.minimum(others[is_hit], all[topic]), most)
        return ratio(topics.sum(topic, 1 - lost), all)


@dataclass(frozen=True)
class GMBpref(Bpref):
    """Logarithm of bpref, at least that of 0.00001; of all topics the geometric mean."""

    name: ClassVar[str] = "GMBpref"
    aggregate: ClassVar[str] = "geometric"

    def _of(self, topics: RankedTopics, level: int) -> Array:
        return _logarithm(super()._of(topics, level))

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value."""
        return math.log(_SMOOTHING), 0.0


@dataclass(frozen=True)
class GMAP(Binary):
    """Logarithm of average precision, at least that of 0.00001; of all topics the geometric mean."""

    name: ClassVar[str] = "GMAP"
    aggregate: ClassVar[str] = "geometric"

    def _of(self, topics: RankedTopics, level: int) -> Array:
        return _logarithm(values_of(AveragePrecision(), topics, level))

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value."""
        return math.log(_SMOOTHING), 0.0


@dataclass(frozen=True)
class InfAP(Binary):
    """Inferred average precision of a pool of which a sample was judged (Yilmaz and Aslam 2006).

    Documents of a relevance below 0 are in the pool and were not judged: they are taken to be relevant as often as
    those judged above the same rank.
    """

    name: ClassVar[str] = "infAP"
    tie_range_known: ClassVar[bool] = False

    def _of(self, topics: RankedTopics, level: int) -> Array:
        pool, is_hit, (others, unjudged) = _with_counts(topics, level, with_pool=True)
        hits = _running(pool.topic, is_hit)[is_hit] - 1
        above, others, unjudged = pool.rank[is_hit] - 1.0, others[is_hit], unjudged[is_hit]
        among = (hits + _SMOOTHING) / (hits + others + 2 * _SMOOTHING)
        precision = (1 + (hits + others + unjudged) * among) / (above + 1)
        precision = np.where(above == 0, 1.0, precision)
        return ratio(topics.sum(pool.topic[is_hit], precision), topics.count(topics.grade >= level))


@dataclass(frozen=True)
class IPrec(Binary):
    """Interpolated precision at a recall: the highest precision there or further down.

    Parameters
    ----------
    recall : float in [0, 1]
        Of R relevant documents ``floor(recall R + 0.9)`` must be found, as in trec_eval.
    rel, judged_only
        As for :class:`RR`.
    """

    name: ClassVar[str] = "IPrec"
    recall: float = at()

    def __post_init__(self) -> None:
        super().__post_init__()
        recall = _checks.real_number("recall", self.recall)
        if not 0 <= recall <= 1:
            raise ParameterError(f"recall must be in [0, 1], got {self.recall!r}")
        object.__setattr__(self, "recall", recall)

    def _of(self, topics: RankedTopics, level: int) -> Array:
        return _interpolated(topics, level, self.recall)


@dataclass(frozen=True)
class IPrec11(Binary):
    """Mean of the interpolated precision at the recalls 0, 0.1, ..., 1."""

    name: ClassVar[str] = "IPrec11"

    def _of(self, topics: RankedTopics, level: int) -> Array:
        return np.asarray(np.mean([_interpolated(topics, level, recall) for recall in _LEVELS], axis=0))


@dataclass(frozen=True)
class RprecMult(Binary):
    """Precision at the rank that is a multiple of the number of relevant documents."""

    name: ClassVar[str] = "Rprec_mult"
    multiple: float = at()

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "multiple", _checks.positive_number("multiple", self.multiple))

    def _of(self, topics: RankedTopics, level: int) -> Array:
        relevant = topics.grade >= level
        place = np.floor(self.multiple * topics.count(relevant) + _ROUND_UP).astype(np.intp)
        hits = topics.hits(relevant)
        found = np.bincount(hits.topic[hits.rank <= place[hits.topic]], minlength=len(topics))
        return ratio(found, place)


@dataclass(frozen=True)
class Judged(Binary):
    """Share of the documents down to the cutoff that are in the qrels.

    Parameters
    ----------
    cutoff : int, optional
    """

    name: ClassVar[str] = "Judged"
    tie_range_known: ClassVar[bool] = False
    cutoff: int | None = at(None)

    def about(self, relevant_from: int) -> str:
        """Return nothing: relevance is of no matter."""
        return ""

    def _of(self, topics: RankedTopics, level: int) -> Array:
        lists = topics if self.cutoff is None else topics.cut(self.cutoff)
        return ratio(lists.count(lists.rank > 0), lists.retrieved)


@dataclass(frozen=True)
class RBP(Binary):
    """Rank-biased precision: (1 - p) times the sum of p^(rank - 1) over relevant documents (Moffat and Zobel 2008).

    Parameters
    ----------
    cutoff : int, optional
    p : float in (0, 1)
        Chance of going on to the next document.
    rel, judged_only
        As for :class:`RR`.
    """

    name: ClassVar[str] = "RBP"
    cutoff: int | None = at(None)
    p: float = keyword(0.8)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "p", _checks.open_unit("p", self.p))

    def _of(self, topics: RankedTopics, level: int) -> Array:
        return self._weight_of(topics if self.cutoff is None else topics.cut(self.cutoff), topics.grade >= level)

    def _weight_of(self, topics: RankedTopics, chosen: AnyArray) -> Array:
        hits = topics.hits(chosen)
        return topics.sum(hits.topic, (1 - self.p) * self.p ** (hits.rank - 1.0))


@dataclass(frozen=True)
class RBPResidual(RBP):
    """What rank-biased precision can gain if all that is not judged, or further down, is relevant.

    With a cutoff that is all below it too. The value of complete judgements of the whole list lies between RBP and RBP
    plus this, both at the same cutoff.
    """

    name: ClassVar[str] = "RBP_residual"
    tie_range_known: ClassVar[bool] = False

    def _of(self, topics: RankedTopics, level: int) -> Array:
        known = self._weight_of(topics if self.cutoff is None else topics.cut(self.cutoff), topics.grade >= 0)
        return np.maximum(1 - known, 0.0)


@dataclass(frozen=True)
class BinG(Binary):
    """The mean over relevant documents of ``1 / log2(2 + b)``, b others above; trec_eval's binG."""

    name: ClassVar[str] = "binG"

    def _of(self, topics: RankedTopics, level: int) -> Array:
        relevant = topics.grade >= level
        hits = topics.hits(relevant)
        return ratio(topics.sum(hits.topic, 1 / np.log2(2 + hits.rank - hits.so_far)), topics.count(relevant))


def _logarithm(value: Array) -> Array:
    return np.asarray(np.log(np.maximum(value, _SMOOTHING)))


def _first_rank(topics: RankedTopics, level: int) -> Array:
    """Return the rank of the first relevant document of each topic, infinity if there is none."""
    hits = topics.hits(topics.grade >= level)
    rank = np.full(len(topics), math.inf)
    first = hits.so_far == 1
    rank[hits.topic[first]] = hits.rank[first]
    return rank


def _running(topic: AnyArray, chosen: AnyArray) -> AnyArray:
    """Return how many are chosen down to each of some documents, topic by topic."""
    total = np.cumsum(chosen)
    before = (total - chosen)[np.searchsorted(topic, topic)]
    return np.asarray(total - before)


def _with_counts(topics: RankedTopics, level: int, *, with_pool: bool = False) -> tuple[Hits, AnyArray, list[AnyArray]]:
    """Return judged documents on the lists, which are relevant, and how many others are above each.

    With the pool, also those in the pool that were not judged, and how many of them are above.
    """
    found = topics.hits(np.ones(topics.grade.size, bool) if with_pool else topics.grade >= 0)
    grade = topics.grade[found.row]
    kinds = [(grade >= 0) & (grade < level), *([grade < 0] if with_pool else [])]
    return found, grade >= level, [_running(found.topic, kind) for kind in kinds]


def _interpolated(topics: RankedTopics, level: int, recall: float) -> Array:
    relevant = topics.grade >= level
    hits, needed = topics.hits(relevant), np.floor(recall * topics.count(relevant) + _ROUND_UP).astype(np.intp)
    found = np.bincount(hits.topic, minlength=len(topics))
    start = np.cumsum(found) - found
    out = np.zeros(len(topics))
    there = np.flatnonzero((found > 0) & (needed <= found))
    if there.size:
        first = start[there] + np.maximum(needed[there], 1) - 1
        ends = np.column_stack([first, start[there] + found[there]]).ravel()
        out[there] = np.maximum.reduceat(np.append(hits.so_far / hits.rank, 0.0), ends)[::2]
    return out
