"""Runs and judgements of all topics -> ranked lists, by trec_eval's rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, repeat
from operator import itemgetter
from typing import Any, NamedTuple, Self

import numpy as np

from hitcurve import _checks
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import LabelError, MissingValueError, ParameterError
from hitcurve.evaluation.topics.topic_lists import TopicLists
from hitcurve.metrics import Metric
from hitcurve.ragged import (
    Places,
    descending_in_lists,
    first_below,
    first_not_above,
    starts_of,
)
from hitcurve.sources.python_numbers import EXACT
from hitcurve.sources.trec import Qrels, Run
from hitcurve.sources.trec_columns import ChosenTopics, TopicColumns
from hitcurve.sources.trec_subtopics import Subtopics
from hitcurve.topics import Aspects, RankedTopics

TIES, UNJUDGED = ("trec", "group"), ("negative", "drop", "raise")


class TopicCounts(NamedTuple):
    """What a run holds of one topic: trec_eval's num_ret, num_rel and num_rel_ret, and who was not judged.

    Attributes
    ----------
    retrieved : int
        Documents of the run that are on the list.
    relevant : int
        Documents that are relevant, retrieved or not.
    found : int
        Relevant documents that were retrieved.
    unjudged : int
        Documents of the run without a judgement, whatever was done with them.
    tied : int
        Documents of the run that share their score with another.
    """

    retrieved: int
    relevant: int
    found: int
    unjudged: int
    tied: int


class Judged(NamedTuple):
    """The judgements of some topics, one topic after another.

    Attributes
    ----------
    topics : list of str
    documents : list of mapping
        The documents that were judged for each topic.
    grades : array (m,)
    starts : array of int (L + 1,)
        Where each topic starts.
    aspects : Aspects or None
        Relevance by subtopic, if it was given.
    """

    topics: Sequence[str]
    documents: Sequence[Mapping[str, int]]
    grades: Array
    starts: Places
    aspects: Aspects | None = None

    @classmethod
    def of(cls, topics: Sequence[str], qrels: Qrels, subtopics: Subtopics | None = None) -> Self:
        """Take the topics that are evaluated."""
        if isinstance(qrels, TopicColumns):
            chosen = qrels.chosen(topics)
            return cls(topics, chosen, chosen.numbers(np.float64), chosen.starts)
        documents = [qrels[topic] for topic in topics]
        starts = starts_of([len(of_topic) for of_topic in documents])
        try:
            grades = np.fromiter(chain.from_iterable(own.values() for own in documents), float, int(starts[-1]))
        except OverflowError:
            each = zip(topics, (max(map(abs, own.values()), default=0) for own in documents), strict=True)
            raise _too_large(max(each, key=itemgetter(1))[0], "10^308 or more") from None
        aspects = None if subtopics is None else _aspects([subtopics[topic] for topic in topics], starts)
        return cls(topics, documents, grades, starts, aspects)

    def checked(self) -> Self:
        """Return the same.

        Raises
        ------
        LabelError
            If a relevance is so large that it is not a number of its own.
        """
        if np.abs(self.grades).max(initial=0) > EXACT:
            place = int(np.argmax(np.abs(self.grades)))
            topic = self.topics[int(np.searchsorted(self.starts, place, "right")) - 1]
            raise _too_large(topic, f"{self.grades[place]:.4g}")
        return self

    @property
    def topic(self) -> Places:
        """The place of the topic of each judgement."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.starts))


def _too_large(topic: str, relevance: str) -> LabelError:
    return LabelError(f"qrels, topic {topic!r}: a relevance of {relevance} is out of range, -2^53 to 2^53")


def _aspects(subtopics: Sequence[Mapping[str, Mapping[str, int]]], starts: Places) -> Aspects:
    """Return the relevance by subtopic of documents in the order of their judgements."""
    rows: list[tuple[int, int, int]] = []
    numbers: dict[tuple[int, str], int] = {}
    name_order = np.zeros(int(starts[-1]), np.intp)
    for topic, (of_topic, start) in enumerate(zip(subtopics, starts[:-1].tolist(), strict=True)):
        places = {name: place for place, name in enumerate(sorted(of_topic))}
        name_order[start : start + len(of_topic)] = [places[name] for name in of_topic]
        for row, of_document in enumerate(of_topic.values(), start=start):
            for subtopic, grade in of_document.items():
                rows.append((row, numbers.setdefault((topic, subtopic), len(numbers)), grade))
    columns = np.array(rows, np.int64).reshape(-1, 3)
    return Aspects(columns[:, 0].astype(np.intp), columns[:, 1].astype(np.intp), columns[:, 2], name_order)


class Retrieved(NamedTuple):
    """What a run retrieved for some topics, one topic after another.

    Attributes
    ----------
    documents : list of mapping
        The documents of each topic with their scores.
    scores : array (n,)
        As they are compared, in the order of the documents.
    ordered : array (n,)
        The same from the best of each topic down.
    starts : array of int (L + 1,)
    """

    documents: Sequence[Mapping[str, float]]
    scores: AnyArray
    ordered: AnyArray
    starts: Places

    @classmethod
    def of(cls, topics: Sequence[str], run: Run, kind: type[np.floating[Any]]) -> Self:
        """Take the topics that are evaluated; a run may lack some."""
        documents: Sequence[Mapping[str, float]]
        with np.errstate(over="ignore"):
            if isinstance(run, TopicColumns):
                documents = chosen = run.chosen(topics)
                starts, scores = chosen.starts, chosen.numbers(kind)
            else:
                documents = [run.get(topic, {}) for topic in topics]
                starts = starts_of([len(of_topic) for of_topic in documents])
                values = chain.from_iterable(own.values() for own in documents)
                scores = np.fromiter(values, float, int(starts[-1])).astype(kind)
        return cls(documents, scores, descending_in_lists(scores, starts), starts)

    @property
    def tied(self) -> Places:
        """How many documents of each topic share their score with another."""
        shares = np.zeros(self.ordered.size + 1, bool)
        np.equal(self.ordered[1:], self.ordered[:-1], out=shares[1:-1])
        shares[self.starts] = False  # the first of a topic is compared with none
        shares[:-1] |= shares[1:]
        return np.diff(np.searchsorted(np.flatnonzero(shares[:-1]), self.starts))

    def scores_of(self, judged: Judged) -> AnyArray:
        """Return the scores of the documents that were judged, nan where they were not retrieved."""
        if isinstance(self.documents, ChosenTopics):
            found = self.documents.numbers_of(judged.documents)
        else:
            pairs = zip(self.documents, judged.documents, strict=True)
            each = chain.from_iterable(map(own.get, of_topic, repeat(np.nan)) for own, of_topic in pairs)
            found = np.fromiter(each, float, judged.grades.size)
        with np.errstate(over="ignore"):
            return found.astype(self.scores.dtype)

    def places(self, judged: Judged, listed: Places, scores: AnyArray, *, by_name: bool) -> Sequence[Places]:
        """Return the places of some judged documents on the lists of their topics.

        Parameters
        ----------
        judged : Judged
        listed : array of int (m,)
            Which of them.
        scores : array (m,)
        by_name : bool
            Whether equal scores stand last name first; else they have one place.

        Returns
        -------
        rank, above, down_to : array of int (m,)
            See :class:`~hitcurve.topics.RankedTopics`.
        """
        topic = judged.topic[listed]
        low, high = self.starts[topic], self.starts[topic + 1]
        above = first_not_above(self.ordered, low, high, scores) - low
        down_to = first_below(self.ordered, above + low, high, scores) - low
        rank = above + 1
        tied = np.flatnonzero(down_to - above > 1) if by_name else np.empty(0, np.intp)
        if tied.size:
            names = _names_at(judged.documents, judged.starts, listed[tied])
            rank[tied] += self._names_behind(topic[tied], above[tied], down_to[tied], names)
        return rank, above, down_to

    def _names_behind(self, topic: Places, above: Places, down_to: Places, asked: Sequence[str]) -> list[int]:
        """Return how many documents of the same score have a later name than each of some documents."""
        first, one, group = np.unique(self.starts[topic] + above, return_index=True, return_inverse=True)
        sizes, own = (down_to - above)[one], starts_of((down_to - above)[one])
        places = np.repeat(first - own[:-1], sizes) + np.arange(own[-1])
        names = _names_at(self.documents, self.starts, self._documents_at(places))
        last_first = np.array(sorted(range(len(names)), key=names.__getitem__, reverse=True), np.intp)
        groups = np.repeat(np.arange(first.size), sizes)
        order = last_first[np.argsort(groups[last_first], kind="stable")]
        behind = np.arange(order.size) - own[groups[order]]
        pairs = zip(groups[order].tolist(), map(names.__getitem__, order.tolist()), strict=True)
        found = dict(zip(pairs, behind.tolist(), strict=True))
        return [found[pair] for pair in zip(group.tolist(), asked, strict=True)]

    def _documents_at(self, places: Places) -> Places:
        """Return which documents stand at ascending places, from the best of each topic down."""
        if self.ordered is self.scores:
            return places
        out = []
        for topic, own in _by_topic(self.starts, places):
            start, end = self.starts[topic], self.starts[topic + 1]
            out.append(start + np.argsort(-self.scores[start:end], kind="stable")[own - start])
        return np.concatenate(out)


def _by_topic(starts: Places, places: Places) -> Iterator[tuple[int, Places]]:
    """Yield the topics of ascending places, each with its own."""
    topic = np.searchsorted(starts, places, "right") - 1
    first = np.flatnonzero(np.diff(topic, prepend=-1))
    yield from zip(topic[first].tolist(), np.split(places, first[1:]), strict=True)


def _names_at(documents: Sequence[Mapping[str, Any]], starts: Places, places: Places) -> list[str]:
    """Return the documents at some places, of topics that follow each other."""
    if isinstance(documents, ChosenTopics):
        return documents.names_at(places)
    out: list[str] = []
    for topic, own in _by_topic(starts, places):
        names = list(documents[topic])
        out += map(names.__getitem__, (own - starts[topic]).tolist())
    return out


class Rules(NamedTuple):
    """How a run and judgements become lists."""

    ties: str
    unjudged: str
    relevant_from: int
    collection_size: int | None
    depth: int | None

    @classmethod
    def of(cls, ties: str, unjudged: str, relevant_from: Any, collection_size: int | None, depth: int | None) -> Rules:
        """Check what was asked for."""
        _checks.choice("ties", ties, TIES)
        _checks.choice("unjudged", unjudged, UNJUDGED)
        if collection_size is not None:
            collection_size = _checks.whole_number("collection_size", collection_size)
            if collection_size > 2**62:
                raise ParameterError(f"collection_size must be at most 2^62, got {collection_size}")
            if unjudged == "drop":
                raise ParameterError("unjudged='drop' keeps judged documents only: leave collection_size out")
        if depth is not None:
            depth = _checks.whole_number("depth", depth)
            if ties == "group":
                raise ParameterError("depth may divide equal scores: use ties='trec'")
        return cls(ties, unjudged, _checks.whole_number("relevant_from", relevant_from), collection_size, depth)

    def ranked(self, name: str, run: Run, judged: Judged) -> tuple[RankedTopics, list[TopicCounts]]:
        """Return the lists of a run, one for each topic, and what they hold.

        trec_eval holds scores in single precision; documents of one score come last name first.
        """
        ordered = self.ties == "trec"
        run_ = Retrieved.of(judged.topics, run, np.float32 if ordered else np.float64)
        scores, retrieved = run_.scores_of(judged), np.diff(run_.starts)
        listed = np.flatnonzero(~np.isnan(scores))
        rank, above, down_to = columns = np.zeros((3, scores.size), np.intp)
        columns[:, listed] = run_.places(judged, listed, scores[listed], by_name=ordered)
        grade = judged.grades.astype(np.int64)
        found = RankedTopics(tuple(judged.topics), judged.starts, grade, rank, above, down_to, retrieved, ordered)
        found = replace(found, aspects=judged.aspects)
        if self.depth is not None:
            found = found.cut(self.depth)
        unjudged = found.retrieved - found.count((found.rank > 0) & (grade >= 0))
        if self.unjudged == "raise" and unjudged.any():
            self._refuse(name, int(np.argmax(unjudged > 0)), run_, judged, found.retrieved, unjudged)
        if self.unjudged == "drop":
            found = found.judged_only
        self._check_size(found)
        relevant = grade >= self.relevant_from
        of_each = (
            found.retrieved,
            found.count(relevant),
            found.count(relevant & (found.rank > 0)),
            unjudged,
            run_.tied,
        )
        return found, [TopicCounts(*row) for row in zip(*(column.tolist() for column in of_each), strict=True)]

    def lists(self, found: RankedTopics, metrics: tuple[Metric, ...]) -> TopicLists:
        """Return the lists with the metrics evaluated on them."""
        return TopicLists.of(found, metrics, self.relevant_from, self.collection_size)

    def _refuse(
        self, name: str, topic: int, run: Retrieved, judged: Judged, retrieved: Places, unjudged: Places
    ) -> None:
        own = run.scores[run.starts[topic] : run.starts[topic + 1]].tolist()
        ordered = sorted(zip(own, run.documents[topic], strict=True), reverse=True)
        first = next(document for _, document in ordered if judged.documents[topic].get(document, -1) < 0)
        raise MissingValueError(
            f"{name}, topic {judged.topics[topic]!r}: {unjudged[topic]} of {retrieved[topic]} retrieved documents are "
            f"not judged, the first is {first!r}: treat them as not relevant or drop them (unjudged='negative' or "
            "'drop')"
        )

    def _check_size(self, found: RankedTopics) -> None:
        if self.collection_size is None:
            return
        named = np.diff(found.starts) + found.retrieved - found.count(found.rank > 0)
        for short in np.flatnonzero(named > self.collection_size)[:1].tolist():
            raise ParameterError(
                f"collection_size is {self.collection_size:,}, but run and qrels name {named[short]:,} documents "
                f"of topic {found.names[short]!r}"
            )

    def notes(self, counts: Mapping[str, Sequence[TopicCounts]]) -> list[str]:
        """Return notes on the handling of ties, of unjudged and of unretrieved documents."""
        notes = []
        for name, of in counts.items():
            tied, unjudged = sum(c.tied for c in of), sum(c.unjudged for c in of)
            if unjudged:
                done = "left out" if self.unjudged == "drop" else "not relevant"
                notes.append(f"{name}: {unjudged:,} retrieved documents without a judgement, {done}")
            if tied:
                how = "last name first, as trec_eval does" if self.ties == "trec" else "as one group"
                notes.append(f"{name}: {tied:,} retrieved documents of equal score, {how}")
        if self.depth is not None:
            notes.append(f"at most {self.depth:,} documents of a topic are read")
        if self.relevant_from != 1:
            notes.append(f"relevant from a relevance of {self.relevant_from} on")
        if self.collection_size is None:
            return [*notes, "documents that were not retrieved are never found"]
        return [*notes, f"documents that were not retrieved are tied at the end of {self.collection_size:,}"]
