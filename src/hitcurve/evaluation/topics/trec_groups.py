"""An evaluation of runs, topic by topic."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from hitcurve import rows
from hitcurve._cached import cached_property
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import ParameterError
from hitcurve.evaluation.grouped import GroupedEvaluation
from hitcurve.evaluation.topics.tie_report import TieReport, reports_in_words
from hitcurve.evaluation.topics.topic_lists import TopicLists
from hitcurve.evaluation.topics.trec_lists import TopicCounts
from hitcurve.groups import AverageCurve
from hitcurve.immutable import ReadOnly
from hitcurve.inference import Estimate
from hitcurve.metrics import Metric, TopicMeasure, trec_metric, trec_name
from hitcurve.metrics.spelling import canonical

_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class TrecEvaluation(GroupedEvaluation):
    """An evaluation of runs, topic by topic: a :class:`GroupedEvaluation` whose groups are topics, its rankers runs.

    Metrics are asked for by any name that :func:`hitcurve.trec_metric` reads.

    Attributes
    ----------
    topics : mapping of str to mapping of str to TopicCounts
        What each run holds of each topic that was evaluated.
    collection_size : int or None
        None if the length of the rankings is unknown; the tables then have 10^15 ranks.
    same : mapping of Metric to Metric
        What was evaluated for a metric: ndcg@K for ndcg, with K behind all, and nDCG, whose gain is the relevance, of
        graded relevances.
    lacking : mapping of str to mapping of Metric to array
        Of each run, the values of measures in the topics without a relevant document that count.
    """

    unit: ClassVar[str] = "topics"

    topics: Mapping[str, Mapping[str, TopicCounts]] = field(default_factory=dict, repr=False)
    collection_size: int | None = None
    same: Mapping[Metric, Metric] = field(default_factory=dict, repr=False)
    lacking: Mapping[str, Mapping[Metric, Array]] = field(default_factory=dict, repr=False)

    def _evaluated(self, wanted: str | Metric) -> Metric:
        found = trec_metric(wanted)
        return self.same.get(found, found)

    def __getitem__(self, key: Any) -> Any:
        """Return the evaluation of a topic, or with ``[topic, run, metric]`` one estimate."""
        if isinstance(key, tuple) and len(key) == 3:
            key = (*key[:2], self._evaluated(key[2]))
        return super().__getitem__(key)

    def estimates(self, ranker: str, wanted: str | Metric) -> dict[str, Estimate]:
        """Return one metric of one run in every topic that was evaluated."""
        return super().estimates(ranker, self._evaluated(wanted))

    @cached_property
    def trec_names(self) -> dict[Metric, str]:
        """The name of each metric as trec_eval prints it, such as ``ndcg_cut_10``."""
        asked = {evaluated: wanted for wanted, evaluated in self.same.items()}
        return ReadOnly({m: trec_name(asked.get(m, m)) for m in self.metrics})

    @cached_property
    def canonical(self) -> dict[str, str]:
        """The metric string of each metric, by requested name."""
        asked = {evaluated: wanted for wanted, evaluated in self.same.items() if type(wanted) is type(evaluated)}
        return ReadOnly({str(m): canonical(asked.get(m, m)) for m in self.metrics})

    @property
    def columns(self) -> dict[str, AnyArray]:
        """The numbers of all topics that enter means; metrics have their requested names."""
        own = super().columns
        texts = np.array([self.canonical[name] for name in own["metric"]], object)
        out: dict[str, AnyArray] = {}
        for name, column in own.items():
            out |= {name: column, "canonical": texts} if name == "metric" else {name: column}
        return out

    def _zeros(self, ranker: str, known: Metric) -> Array:
        own = self.lacking.get(ranker, {})
        return own[known] if known in own else super()._zeros(ranker, known)

    def tie_reports(self) -> list[TieReport]:
        """Return, for each run and metric, the topics whose value depends on the order of ties, and by how much.

        Examples
        --------
        >>> from hitcurve import evaluate_trec
        >>> run, qrels = {"1": {"a": 1.0, "b": 1.0}, "2": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1}, "2": {"a": 1}}
        >>> (report,) = evaluate_trec({"run": run}, qrels, metrics="AP").tie_reports()
        >>> report.topics, report.value, report.low, report.high
        (('1',), 0.75, 0.75, 1.0)
        """
        found = []
        for run, lists in self.groups.lists.items():
            for m in self.metrics:
                mean = self._means[run, m]
                low, high = lists.tie_ends[m]
                unknown = isinstance(m, TopicMeasure) and not (m.tie_range_known or m.is_set)
                if unknown and isinstance(lists, TopicLists) and lists.has_ties:
                    found.append(TieReport(run, m, (), mean.value, math.nan, math.nan))
                    continue
                decides = high - low > _ROUNDING
                topics = tuple(self.groups.names[place] for place in np.flatnonzero(decides).tolist())
                ends = []
                for end in (low, high):
                    own = np.where(decides, end, lists.values[m])
                    values = np.append(own, self._zeros(run, m))[self._evaluated_first]
                    ends.append(replace(mean, values=values[~np.isnan(values)]).value)
                found.append(TieReport(run, m, topics, mean.value, *ends))
        return found

    def _known(self, ranker: str, wanted: str | Metric) -> Metric:
        return super()._known(ranker, self._evaluated(wanted))

    @property
    def has_curves(self) -> bool:
        """Whether the length of the rankings is known."""
        return self.collection_size is not None

    def average_curve(
        self, ranker: str, curve: str = "roc", along: str = "rate", *, confidence_level: float | None = None
    ) -> AverageCurve:
        """Return the average curve of a run over topics.

        Raises
        ------
        ParameterError
            If the length of the ranking is unknown.
        """
        if not self.has_curves:
            raise ParameterError(
                "a ranking of unknown length has no curve: give the number of documents (collection_size)"
            )
        found = super().average_curve(ranker, curve, along, confidence_level=confidence_level)
        return replace(found, unit=self.unit)

    def _about_groups(self) -> list[str]:
        of = {name: [counts[name] for counts in self.topics.values()] for name in self.rankers}
        relevant = sorted(counts.relevant for counts in of[self.rankers[0]] if counts.relevant)
        zeros, between = len(self.counted_as_zero), ""
        if len(relevant) > 1 and relevant[0] < relevant[-1]:
            between = f", {relevant[0]:,} to {relevant[-1]:,} per topic"
        elif len(relevant) > 1:
            between = f", {relevant[0]:,} in each{' of the others' if zeros else ''}"
        without = f", {zeros:,} without relevant documents" if zeros else ""
        lines = [f"{topics_in_words(len(self.counted))}{without}: {sum(relevant):,} relevant documents{between}"]
        for name, counts in of.items():
            retrieved, found = sum(c.retrieved for c in counts), sum(c.found for c in counts)
            lines.append(f"{name}: {retrieved:,} documents retrieved, {found:,} of them relevant")
        if any(c.tied for counts in of.values() for c in counts):
            lines += self.about_ties()
        return lines

    def about_ties(self) -> list[str]:
        """Return what the order of equal scores changes, a sentence for each run where it does."""
        return reports_in_words(self.tie_reports(), len(self.counted))

    def group_rows(self, wanted: Metric) -> tuple[list[str], list[list[str]]]:
        """Return header and rows for a printer: one metric topic by topic, a column for each run."""
        first = self.rankers[0]
        about = [[rows.count(self.topics[name][first].relevant)] for name in self.counted]
        return [str(wanted), "relevant", *self.rankers], self._rows_of_groups(wanted, about)

    def to_trec_eval(self, *, per_topic: bool = False) -> str:
        """Return the values in three columns as trec_eval prints them: measure, topic or ``all``, value.

        Measures have trec_eval's names where it has them. Numbers of documents are whole, other values have four
        digits after the point; the line ``runid`` names the run. Runs follow each other.

        Parameters
        ----------
        per_topic : bool
            Whether the values of each topic come first (trec_eval -q), without num_q and geometric means, which are of
            all topics.

        Examples
        --------
        >>> from hitcurve import evaluate_trec
        >>> run = {"301": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "302": {"d4": 1.0, "d1": 0.5}}
        >>> qrels = {"301": {"d1": 1, "d2": 0, "d3": 1}, "302": {"d1": 1}}
        >>> print(evaluate_trec({"bm25": run}, qrels, metrics=["num_rel_ret", "map"]).to_trec_eval(), end="")
        runid                 	all	bm25
        num_rel_ret           	all	3
        map                   	all	0.6667
        """
        lines = []
        for run in self.rankers:
            columns = {m: self.values(run, m).tolist() for m in self.metrics}
            for place, topic in enumerate(self.counted) if per_topic else ():
                own = {m: values[place] for m, values in columns.items() if _is_of_topics(m)}
                lines += [self._trec_line(m, topic, value) for m, value in own.items()]
            lines.append(f"{'runid':<22}\tall\t{rows.in_line(run)}")
            lines += [self._trec_line(m, "all", self._means[run, m].value) for m in self.metrics]
        return "".join(f"{line}\n" for line in lines)

    def _trec_line(self, m: Metric, topic: str, value: float) -> str:
        whole = isinstance(m, TopicMeasure) and m.aggregate == "sum" and value.is_integer()
        return f"{self.trec_names[m]:<22}\t{rows.in_line(topic)}\t{f'{value:.0f}' if whole else f'{value:6.4f}'}"

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain lists and dictionaries, with the version of their schema."""
        counts = {topic: {run: c._asdict() for run, c in of.items()} for topic, of in self.topics.items()}
        own = {"canonical": self.canonical, "topics": counts, "collection_size": self.collection_size}
        plain = super().to_dict()
        return {**plain, **own, "notes": [*plain["notes"], *self.about_ties()]}

    def table_rows(self, *, standard_error: bool = False) -> tuple[list[str], list[list[str]]]:
        """Return header and rows of the printed table: as for groups, with metric strings beside other names."""
        header, body = super().table_rows(standard_error=standard_error)
        if all(name == text for name, text in self.canonical.items()):
            return header, body
        return [*header, "metric"], [[*line, self.canonical[line[0]]] for line in body]


def _is_of_topics(m: Metric) -> bool:
    """Say whether trec_eval prints a measure topic by topic."""
    return not isinstance(m, TopicMeasure) or (m.aggregate != "geometric" and m.name != "NumQ")


def topics_in_words(count: int) -> str:
    """Say how many topics there are."""
    return f"{count:,} {'topic' if count == 1 else 'topics'}"
