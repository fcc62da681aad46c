"""What a measure of retrieval is: a metric of the ranks of judged documents, evaluated for all topics at once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from hitcurve import _checks
from hitcurve._cached import cached_property
from hitcurve.counts import Array, Counts
from hitcurve.errors import ParameterError, UndefinedMetricError
from hitcurve.metrics.metric import Metric
from hitcurve.metrics.precision import AveragePrecision
from hitcurve.metrics.topk import PrecisionAt, RecallAt
from hitcurve.metrics.written import at, keyword
from hitcurve.refusals import Refusal
from hitcurve.table import HitTable
from hitcurve.topics import Hits, RankedTopics


@dataclass(frozen=True)
class TopicMeasure(Metric):
    """A measure of runs and judgements, whose string is that of ir_measures, such as ``AP(rel=2)@100``.

    It needs grades, ranks of documents that are not relevant, or numbers of documents, which a hit table does not
    have: :func:`hitcurve.evaluate_trec` evaluates it.

    Attributes
    ----------
    aggregate : {"mean", "sum", "geometric"}
        How the values of topics become one: the mean, the sum, or the exponential of their mean.
    is_set : bool
        Whether the order of the documents is of no matter.
    tie_range_known : bool
        Whether equal scores in order of relevance give the highest and the lowest value; else the range over their
        orders is not reported.
    """

    of_tables: ClassVar[bool] = False
    aggregate: ClassVar[str] = "mean"
    is_set: ClassVar[bool] = False
    tie_range_known: ClassVar[bool] = True

    def of_topics(self, topics: RankedTopics, relevant_from: int) -> Array:
        """Return the value of each topic, 0 for topics without relevant documents.

        Parameters
        ----------
        topics : RankedTopics
        relevant_from : int
            Smallest relevance of a relevant document, unless the measure has its own.
        """
        raise NotImplementedError

    def about(self, relevant_from: int) -> str:
        """Return which of the conventions that differ between tools the value follows."""
        return ""

    def summary_of(self, values: Array) -> float:
        """Return the one value of all topics."""
        if self.aggregate == "sum":
            return float(np.sum(values))
        mean = float(np.mean(values))
        return math.exp(mean) if self.aggregate == "geometric" else mean

    def kernel(self, c: Counts) -> Array:
        """Refuse counts.

        Raises
        ------
        UndefinedMetricError
        """
        raise UndefinedMetricError(
            f"{self} is of the ranks in a run, and a table of two classes does not have them: evaluate_trec has its "
            "value in each topic, and errors over topics"
        )

    def best(self, table: HitTable | Counts) -> float:
        """Return nan: a table does not say."""
        return math.nan

    def worst(self, table: HitTable | Counts) -> float:
        """Return nan: a table does not say."""
        return math.nan

    def baseline(self, table: HitTable | Counts) -> float:
        """Return nan: a table does not say."""
        return math.nan

    def undefined(self, c: Counts) -> Iterator[Refusal]:
        """Yield nothing: it has a value for every topic."""
        yield from ()

    @property
    def needs_end(self) -> bool:
        """What was not retrieved is never found."""
        return False

    def plain(self) -> Metric:
        """Return the metric of two classes that is the same, if there is one, else itself."""
        return self

    @cached_property
    def _written(self) -> str:
        place, inside = "", []
        for field in fields(self):
            value = getattr(self, field.name)
            if field.metadata["form"] == "at":
                place = "" if value is None else f"@{value}"
            elif value != field.default:
                inside.append(f"{field.name}={self._text(value)}")
        return f"{self.name}{'(' + ','.join(inside) + ')' if inside else ''}{place}"

    def _text(self, value: Any) -> str:
        if isinstance(value, tuple):
            return "{" + ",".join(f"{grade}:{gain:g}" for grade, gain in value) + "}"
        return repr(value)


@dataclass(frozen=True, kw_only=True)
class Binary(TopicMeasure):
    """A measure that asks whether documents are relevant, not how much.

    Parameters
    ----------
    rel : int, optional
        Smallest relevance of a relevant document; that of the evaluation unless given.
    judged_only : bool
        Leave documents out that were not judged.
    """

    rel: int | None = keyword(None)
    judged_only: bool = keyword(False)

    def __post_init__(self) -> None:
        if self.rel is not None:
            object.__setattr__(self, "rel", _checks.whole_number("rel", self.rel))
        object.__setattr__(self, "judged_only", flag("judged_only", self.judged_only))
        check_cutoff(self)

    def level(self, relevant_from: int) -> int:
        """Return the smallest relevance of a relevant document."""
        return relevant_from if self.rel is None else self.rel

    def about(self, relevant_from: int) -> str:
        """Say from which relevance on a document is relevant."""
        return f"relevant from {self.level(relevant_from)}"

    def of_topics(self, topics: RankedTopics, relevant_from: int) -> Array:
        """Return the value of each topic."""
        return self._of(topics.judged_only if self.judged_only else topics, self.level(relevant_from))

    def _of(self, topics: RankedTopics, level: int) -> Array:
        raise NotImplementedError


@dataclass(frozen=True)
class AtLevel(Binary):
    """A metric of two classes at a level of relevance of its own, or of judged documents alone."""

    def _of(self, topics: RankedTopics, level: int) -> Array:
        cutoff = getattr(self, "cutoff", None)
        return values_of(self._metric(cutoff), self._lists(topics, cutoff), level)

    def plain(self) -> Metric:
        """Return the metric itself where it asks for nothing else."""
        return self._metric(getattr(self, "cutoff", None)) if self == type(self)(**self._place) else self

    @property
    def _place(self) -> dict[str, Any]:
        return {"cutoff": self.cutoff} if hasattr(self, "cutoff") else {}

    def _lists(self, topics: RankedTopics, cutoff: int | None) -> RankedTopics:
        return topics

    def _metric(self, cutoff: int | None) -> Metric:
        raise NotImplementedError


@dataclass(frozen=True)
class AP(AtLevel):
    """Average precision at a level of relevance, or of the first documents: the others are not found.

    Parameters
    ----------
    cutoff : int, optional
    rel, judged_only
        As for :class:`RR`.
    """

    name: ClassVar[str] = "AP"
    cutoff: int | None = at(None)

    def plain(self) -> Metric:
        """Return the metric itself where it asks for nothing else."""
        return super().plain() if self.cutoff is None else self

    def _lists(self, topics: RankedTopics, cutoff: int | None) -> RankedTopics:
        return topics if cutoff is None else topics.cut(cutoff)

    def _metric(self, cutoff: int | None) -> Metric:
        return AveragePrecision()


@dataclass(frozen=True)
class P(AtLevel):
    """Precision at a rank."""

    name: ClassVar[str] = "P"
    cutoff: int = at()

    def _metric(self, cutoff: int | None) -> Metric:
        return PrecisionAt(self.cutoff)


@dataclass(frozen=True)
class R(AtLevel):
    """Recall at a rank."""

    name: ClassVar[str] = "R"
    cutoff: int = at()

    def _metric(self, cutoff: int | None) -> Metric:
        return RecallAt(self.cutoff)


@dataclass(frozen=True)
class Rprec(AtLevel):
    """Precision at the rank that is the number of relevant documents."""

    name: ClassVar[str] = "Rprec"

    def _metric(self, cutoff: int | None) -> Metric:
        return PrecisionAt("R")


def flag(name: str, value: Any) -> bool:
    """Return a value that must be true or false.

    Raises
    ------
    ParameterError
    """
    if not isinstance(value, (bool, np.bool_)):
        raise ParameterError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def check_cutoff(measure: Any) -> None:
    """Check the rank of a measure, if it has one.

    Raises
    ------
    ParameterError
    """
    if getattr(measure, "cutoff", None) is not None:
        object.__setattr__(measure, "cutoff", _checks.whole_number("the rank of a cutoff", measure.cutoff))


def down_to(hits: Hits, cutoff: int | None) -> Hits:
    """Return the documents down to a rank."""
    if cutoff is None:
        return hits
    return Hits(*(column[hits.rank <= cutoff] for column in hits))


def ratio(above: Any, below: Any) -> Array:
    """Return a quotient, 0 where it is one of 0 by 0."""
    above, below = np.broadcast_arrays(np.asarray(above, float), np.asarray(below, float))
    return np.asarray(np.divide(above, below, out=np.zeros(below.shape), where=below > 0))


def values_of(metric: Metric, topics: RankedTopics, level: int) -> Array:
    """Return a metric of two classes in each topic, 0 for topics without relevant documents."""
    if metric == AveragePrecision():
        return np.nan_to_num(topics.average_precision(level))
    return np.asarray(np.nan_to_num(metric.value(topics.stack(level))))
