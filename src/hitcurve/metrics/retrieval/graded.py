"""Measures that take relevance by grades: discounted gain and the expected reciprocal rank."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hitcurve import _checks
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import ParameterError
from hitcurve.metrics.metric import Metric
from hitcurve.metrics.rank import DCG, NDCG
from hitcurve.metrics.retrieval.measure import TopicMeasure, check_cutoff, down_to, flag, ratio
from hitcurve.metrics.written import at, keyword
from hitcurve.topics import RankedTopics

DCGS = ("log2", "exp-log2")
_LARGEST = 1000  # relevance in an exponent


@dataclass(frozen=True)
class Graded(TopicMeasure):
    """A measure whose gain is the relevance, or follows from it.

    Parameters
    ----------
    cutoff : int, optional
        Count only the first ranks, in the ideal list too.
    dcg : {"log2", "exp-log2"}
        The gain of relevance g: g itself, as in trec_eval, or ``2^g - 1`` (Burges et al. 2005).
    gains : mapping of int to float, optional
        Gains of some relevances, instead of those.
    judged_only : bool
        Leave documents out that were not judged.
    """

    metric: ClassVar[type[DCG] | type[NDCG] | None] = None
    cutoff: int | None = at(None)
    dcg: str = keyword("log2")
    gains: tuple[tuple[int, float], ...] | None = keyword(None)
    judged_only: bool = keyword(False)

    def __post_init__(self) -> None:
        check_cutoff(self)
        _checks.choice("dcg", self.dcg, DCGS)
        object.__setattr__(self, "gains", _gains(self.gains))
        object.__setattr__(self, "judged_only", flag("judged_only", self.judged_only))

    def plain(self) -> Metric:
        """Return the metric of relevances 0 and 1, if it has no gains of its own."""
        return self if self.metric is None or self != type(self)(self.cutoff) else self.metric(self.cutoff)

    def about(self, relevant_from: int) -> str:
        """Say what the gain is."""
        gain = "relevance" if self.dcg == "log2" else "2^relevance - 1"
        return f"gain = {gain}{'' if self.gains is None else ' with gains of its own'}, discount 1/log2(rank + 1)"

    def gain_of(self, grade: AnyArray) -> Array:
        """Return the gain of each grade."""
        gain = np.maximum(grade, 0).astype(float)
        if self.dcg == "exp-log2":
            if gain.max(initial=0) > _LARGEST:
                raise ParameterError(
                    f"{self} takes relevances up to {_LARGEST:,}, and one is {gain.max():.0f}, whose gain 2^relevance "
                    "is no number: use dcg='log2'"
                )
            gain = np.exp2(gain) - 1
        for own, value in self.gains or ():
            gain[grade == own] = value
        return gain

    def of_topics(self, topics: RankedTopics, relevant_from: int) -> Array:
        """Return the value of each topic."""
        lists = topics.judged_only if self.judged_only else topics
        gain = self.gain_of(topics.grade)
        return self._of(lists, gain)

    def _of(self, topics: RankedTopics, gain: Array) -> Array:
        raise NotImplementedError

    def _sum(self, topics: RankedTopics, gain: Array) -> Array:
        hits = down_to(topics.hits(gain != 0), self.cutoff)
        return topics.sum(hits.topic, gain[hits.row] / np.log2(hits.rank + 1))

    def _ideal(self, topics: RankedTopics, gain: Array) -> Array:
        row, topic, rank, _ = down_to(topics.ideal(gain), self.cutoff)
        return topics.sum(topic, gain[row] / np.log2(rank + 1))


@dataclass(frozen=True)
class GradedDCG(Graded):
    """Discounted cumulative gain of grades: the sum of the gains over log2(rank + 1) (Jarvelin and Kekalainen 2002).

    Parameters
    ----------
    cutoff, dcg, gains, judged_only
        As for :class:`GradedNDCG`.
    """

    name: ClassVar[str] = "DCG"
    metric: ClassVar[type[DCG] | type[NDCG] | None] = DCG

    def _of(self, topics: RankedTopics, gain: Array) -> Array:
        return self._sum(topics, gain)

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value."""
        return 0.0, math.inf


@dataclass(frozen=True)
class IdealDCG(Graded):
    """Discounted cumulative gain of the documents in order of relevance."""

    name: ClassVar[str] = "ideal_dcg"
    is_set: ClassVar[bool] = True

    def _of(self, topics: RankedTopics, gain: Array) -> Array:
        return self._ideal(topics, gain)

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value."""
        return 0.0, math.inf


@dataclass(frozen=True)
class GradedNDCG(Graded):
    """Normalised discounted cumulative gain of grades: DCG over that of the documents in order of relevance.

    Jarvelin and Kekalainen 2002. In [0, 1]; of relevances 0 and 1 it is :class:`hitcurve.metrics.NDCG`.

    Parameters
    ----------
    cutoff : int, optional
        Count only the first ranks, in the ideal list too.
    dcg : {"log2", "exp-log2"}
        The gain of relevance g: g itself, as in trec_eval, or ``2^g - 1`` (Burges et al. 2005).
    gains : mapping of int to float, optional
        Gains of some relevances, instead of those.
    judged_only : bool
        Leave documents out that were not judged.

    Examples
    --------
    >>> from hitcurve import evaluate_trec
    >>> run, qrels = {"q": {"d1": 4, "d2": 3, "d3": 2, "d4": 1}}, {"q": {"d1": 0, "d2": 3, "d3": 1, "d4": 2}}
    >>> ev = evaluate_trec({"run": run}, qrels, metrics=["nDCG", "nDCG(dcg='exp-log2')"])
    >>> [round(float(ev.values("run", name)[0]), 4) for name in ("nDCG", "nDCG(dcg='exp-log2')")]
    [0.6834, 0.661]
    """

    name: ClassVar[str] = "nDCG"
    metric: ClassVar[type[DCG] | type[NDCG] | None] = NDCG

    def _of(self, topics: RankedTopics, gain: Array) -> Array:
        return ratio(self._sum(topics, gain), self._ideal(topics, gain))


def of_grades(metric: Metric) -> Metric:
    """Return what takes relevance as gain instead of a metric of relevances 0 and 1; others as they are."""
    if isinstance(metric, NDCG):
        return GradedNDCG(metric.at)
    if isinstance(metric, DCG) and metric.base == 2:
        return GradedDCG(metric.at)
    return metric


def _gains(given: Any) -> tuple[tuple[int, float], ...] | None:
    if given is None:
        return None
    pairs = given.items() if isinstance(given, Mapping) else given
    try:
        found = sorted((int(grade), float(gain)) for grade, gain in pairs)
    except (TypeError, ValueError):
        raise ParameterError(f"gains must be a mapping of relevances to gains, got {given!r}") from None
    if not all(math.isfinite(gain) for _, gain in found):
        raise ParameterError(f"gains must be finite numbers, got {given!r}")
    return tuple(found)
