"""One run on many topics: metrics of its hit tables, and measures of the ranks of judged documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hitcurve._cached import cached_property
from hitcurve.counts import Array
from hitcurve.evaluation.passes.lists import Context, Entry, ListEstimates, RankerLists, Swept
from hitcurve.inference.estimation.estimates import Estimates
from hitcurve.inference.variance.dependent import Clustered
from hitcurve.inference.variance.lacking import of_topics
from hitcurve.metrics import AveragePrecision, Metric, TopicMeasure
from hitcurve.ragged import Places
from hitcurve.stack import TableStack
from hitcurve.topics import RankedTopics


@dataclass(frozen=True, eq=False)
class TopicLists(RankerLists):
    """The lists of one run, one for each topic.

    Attributes
    ----------
    ranked : RankedTopics
    relevant_from : int
        Smallest relevance of a relevant document.
    collection_size : int or None
        Documents of the collection; None if the length of the lists is unknown.
    """

    ranked: RankedTopics
    relevant_from: int = 1
    collection_size: int | None = None

    @classmethod
    def of(
        cls,
        ranked: RankedTopics,
        metrics: tuple[Metric, ...],
        relevant_from: int,
        collection_size: int | None,
    ) -> TopicLists:
        """Make the hit tables of all topics."""
        stack = ranked.stack(relevant_from, collection_size)
        return cls(((np.arange(len(stack)), stack),), metrics, ranked, relevant_from, collection_size)

    def taken(self, lists: Places) -> TopicLists:
        """Return some of the topics, in this order."""
        return TopicLists.of(self.ranked.taken(lists), self.metrics, self.relevant_from, self.collection_size)

    @cached_property
    def given(self) -> dict[Metric, Array]:
        """The values of the measures."""
        return {m: m.of_topics(self.ranked, self.relevant_from) for m in self.metrics if isinstance(m, TopicMeasure)}

    @cached_property
    def swept(self) -> Swept:
        """Values of all metrics, and the lists that need a warning."""
        found = super().swept
        return found._replace(values={m: self._without_end(m, own, self.ranked) for m, own in found.values.items()})

    def _without_end(self, metric: Metric, values: Array, ranked: RankedTopics) -> Array:
        """Return values on the tables, of lists that have no end exactly: documents behind them add nothing."""
        if self.collection_size is None and metric == AveragePrecision():
            return ranked.average_precision(self.relevant_from)
        return values

    def _values(self, metric: Metric, ranked: RankedTopics, stack: TableStack) -> Array:
        if isinstance(metric, TopicMeasure):
            return metric.of_topics(ranked, self.relevant_from)
        return self._without_end(metric, metric.value(stack), ranked)

    @cached_property
    def context(self) -> dict[Metric, Context]:
        """What values are read against: of lists without an end a random order has no relevant document at any rank."""
        found = super().context
        if self.collection_size is not None:
            return found
        return {m: own._replace(random=np.where(np.isnan(own.random), np.nan, 0.0)) for m, own in found.items()}

    def context_given(self, metric: Metric) -> Context:
        """Return the convention of a measure, which is read against nothing."""
        size = len(self)
        about = metric.about(self.relevant_from) if isinstance(metric, TopicMeasure) else ""
        return Context(np.full(size, np.nan), np.full(size, np.nan), np.full(size, about, object))

    def estimates(
        self, metric: Metric, design: str, confidence_level: float, clustered: Clustered | None = None
    ) -> Estimates:
        """Return one metric with standard errors and default intervals, which measures do not have."""
        if metric not in self.given:
            return super().estimates(metric, design, confidence_level, clustered)
        (error, low, high), empty = np.full((3, len(self)), np.nan), np.full(len(self), "", object)
        why, seed = np.full(len(self), of_topics(metric), object), np.full(len(self), None, object)
        return Estimates(self.given[metric], error, low, high, empty, why, seed)

    def entry(self, metric: Metric, place: int, design: str, confidence_level: float) -> Entry:
        """Return one metric of one topic."""
        key = design, confidence_level
        if key not in self._columns:
            self._columns[key] = ListEstimates(self, *key)
        return Entry(self._columns[key], metric, place)

    @cached_property
    def _columns(self) -> dict[tuple[str, float], ListEstimates]:
        return {}

    @property
    def _shares_score(self) -> npt.NDArray[np.bool_]:
        """Which judged documents on the lists have the score of another."""
        return (self.ranked.rank > 0) & (self.ranked.down_to > self.ranked.above + 1)

    @property
    def has_ties(self) -> bool:
        """Whether a judged document on a list has the score of another."""
        return bool(self._shares_score.any())

    @cached_property
    def tie_ends(self) -> dict[Metric, tuple[Array, Array]]:
        """Values with equal scores in order of relevance, from the worst and from the best down.

        nan of topics without equal scores, and of measures that the order does not change or that have no such ends.
        """
        out = {m: (np.full(len(self), np.nan), np.full(len(self), np.nan)) for m in self.metrics}
        wanted = [
            m
            for m in self.metrics
            if (m.tie_range_known and not m.is_set if isinstance(m, TopicMeasure) else m.divided_by is None)
        ]
        tied = np.flatnonzero(self.ranked.count(self._shares_score))
        open_lists = self.ranked.taken(tied)
        for side, first in enumerate((False, True)):
            strict = open_lists.strict(relevant_first=first)
            stack = strict.stack(self.relevant_from, self.collection_size)
            if self.collection_size is not None:
                stack = stack.strict(positives_first=first)
            for m in wanted if tied.size else []:
                out[m][side][tied] = self._values(m, strict, stack)
        for m, (low, high) in out.items():
            gone = np.isnan(low) | np.isnan(high) | np.isnan(self.values[m])
            ends = np.minimum(low, high), np.maximum(low, high)
            low[:], high[:] = (np.where(gone, np.nan, end) for end in ends)
        return out
