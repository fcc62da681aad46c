"""Runs and judgements of all topics -> ranked lists, by trec_eval's rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, islice, repeat
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import MissingValueError, ParameterError
from hitcurve.ragged import (
    Places,
    descending_in_lists,
    first_below,
    first_not_above,
    first_of_each,
    starts_of,
)
from hitcurve.sources.trec import Qrels, Run
from hitcurve.stack import TableStack

TIES, UNJUDGED = ("trec", "group"), ("negative", "drop", "raise")
# places of a list that has no end: what stands behind them all adds less than rounding does
ENDLESS = 10**15


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
    """

    topics: Sequence[str]
    documents: Sequence[Mapping[str, int]]
    grades: Array
    starts: Places

    @classmethod
    def of(cls, topics: Sequence[str], qrels: Qrels) -> Self:
        """Take the topics that are evaluated."""
        documents = [qrels[topic] for topic in topics]
        starts = starts_of([len(of_topic) for of_topic in documents])
        grades = np.fromiter(chain.from_iterable(own.values() for own in documents), float, int(starts[-1]))
        return cls(topics, documents, grades, starts)

    def name(self, place: int) -> str:
        """Return the document of a judgement."""
        topic = int(np.searchsorted(self.starts, place, "right")) - 1
        return next(islice(self.documents[topic], place - int(self.starts[topic]), None))

    @property
    def topic(self) -> Places:
        """The place of the topic of each judgement."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.starts))


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
        documents = [run.get(topic, {}) for topic in topics]
        starts = starts_of([len(of_topic) for of_topic in documents])
        scores = np.fromiter(chain.from_iterable(own.values() for own in documents), float, int(starts[-1]))
        with np.errstate(over="ignore"):
            scores = scores.astype(kind)
        return cls(documents, scores, descending_in_lists(scores, starts), starts)

    @property
    def tied(self) -> Places:
        """How many documents of each topic share their score with another."""
        same = self.ordered[1:] == self.ordered[:-1]
        same[self.starts[1:-1][(self.starts[1:-1] > 0) & (self.starts[1:-1] < self.ordered.size)] - 1] = False
        shares = np.append(same, False) | np.append(False, same)
        return np.diff(np.append(0, np.cumsum(shares[: self.ordered.size]))[self.starts])

    def scores_of(self, judged: Judged) -> AnyArray:
        """Return the scores of the documents that were judged, nan where they were not retrieved."""
        found = chain.from_iterable(
            map(own.get, of_topic, repeat(np.nan))
            for own, of_topic in zip(self.documents, judged.documents, strict=True)
        )
        with np.errstate(over="ignore"):
            return np.fromiter(found, float, judged.grades.size).astype(self.scores.dtype)

    def places(self, topic: Places, scores: AnyArray, name: Callable[[int], str]) -> Places:
        """Return the places of some documents on the lists of their topics, from 1.

        Documents of one score stand last name first.

        Parameters
        ----------
        topic : array of int (m,)
        scores : array (m,)
        name : callable
            The name of one of these documents, by its place among them.
        """
        low, high = self.starts[topic], self.starts[topic + 1]
        above = first_not_above(self.ordered, low, high, scores)
        after = first_below(self.ordered, above, high, scores)
        place = above - low + 1
        groups: dict[tuple[int, float], dict[str, int]] = {}
        for one in np.flatnonzero(after - above > 1).tolist():
            key = int(topic[one]), float(scores[one])
            if key not in groups:
                groups[key] = {name: i for i, name in enumerate(sorted(self._tied_names(*key), reverse=True))}
            place[one] += groups[key][name(one)]
        return place

    def _tied_names(self, topic: int, score: float) -> list[str]:
        own = self.scores[self.starts[topic] : self.starts[topic + 1]]
        names = list(self.documents[topic])
        return [names[place] for place in np.flatnonzero(own == score).tolist()]


class Rows(NamedTuple):
    """Rows of lists that hold a relevant document: where they begin and end on the list, in documents."""

    topic: Places
    pos: Places
    begin: Places
    end: Places

    def and_then(self, last: Rows) -> Rows:
        """Add rows that stand behind these on the same lists."""
        joined = [np.concatenate(both) for both in zip(self, last, strict=True)]
        order = np.argsort(joined[0], kind="stable")
        return Rows(*(column[order] for column in joined))

    def stack(self, names: Sequence[str], length: Places) -> TableStack:
        """Return the lists, of these lengths; documents between two of these rows are not relevant."""
        sizes = np.bincount(self.topic, minlength=len(names))
        starts, lists = starts_of(sizes), np.arange(len(names))
        cells = 2 * starts + np.arange(len(names) + 1)
        behind = np.append(0, self.end)[np.where(sizes > 0, starts[1:], 0)]
        before = np.append(0, self.end[:-1])[: self.end.size]
        before[starts[:-1][sizes > 0]] = 0
        gap = 2 * np.arange(self.end.size) + self.topic
        pos, neg = np.zeros((2, int(cells[-1])), np.int64)
        neg[gap], pos[gap + 1] = self.begin - before, self.pos
        neg[gap + 1] = self.end - self.begin - self.pos
        neg[cells[lists + 1] - 1] = length - behind
        return TableStack(pos, neg, cells, tuple(names), "derived")


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

    def lists(self, name: str, run: Run, judged: Judged) -> tuple[TableStack, list[TopicCounts]]:
        """Return the lists of a run, one for each topic, and what they hold.

        trec_eval holds scores in single precision; documents of one score come last name first.
        """
        topics, topic = judged.topics, judged.topic

        def in_each(chosen: npt.NDArray[np.bool_]) -> Places:
            return np.bincount(topic[chosen], minlength=len(topics))

        run_ = Retrieved.of(topics, run, np.float32 if self.ties == "trec" else np.float64)
        scores, is_relevant = run_.scores_of(judged), judged.grades >= self.relevant_from
        there, retrieved = ~np.isnan(scores), np.diff(run_.starts)
        place = np.zeros(scores.size, np.intp)
        if self.ties == "trec":
            cut_or_closed_up = self.depth is not None or self.unjudged == "drop"
            asked = np.flatnonzero(there if cut_or_closed_up else there & is_relevant)
            place[asked] = run_.places(topic[asked], scores[asked], lambda one: judged.name(int(asked[one])))
        if self.depth is not None:
            there &= place <= self.depth
            retrieved = np.minimum(retrieved, self.depth)
        unjudged = retrieved - in_each(there)
        if self.unjudged == "raise" and unjudged.any():
            self._refuse(name, int(np.argmax(unjudged > 0)), run_, judged, retrieved, unjudged)
        ordered, starts = run_.ordered, run_.starts
        if self.unjudged == "drop":
            retrieved = in_each(there)
            on_list, starts = np.flatnonzero(there), starts_of(retrieved)
            ordered = descending_in_lists(scores[on_list], starts)
            on_list = on_list[np.lexsort((place[on_list], topic[on_list]))]
            place[on_list] = np.arange(on_list.size) - starts[topic[on_list]] + 1
        hits = np.flatnonzero(there & is_relevant)
        if self.ties == "trec":
            hits = hits[np.lexsort((place[hits], topic[hits]))]
            rows = Rows(topic[hits], np.ones(hits.size, np.intp), place[hits] - 1, place[hits])
        else:
            rows = _rows_of_ties(topic[hits], scores[hits], ordered, starts)
        relevant, found = in_each(is_relevant), np.bincount(topic[hits], minlength=len(topics))
        stack = self._stack(rows, judged, retrieved, relevant - found, unjudged)
        columns = (retrieved, relevant, found, unjudged, run_.tied)
        return stack, [TopicCounts(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]

    def _refuse(
        self, name: str, topic: int, run: Retrieved, judged: Judged, retrieved: Places, unjudged: Places
    ) -> None:
        own = run.scores[run.starts[topic] : run.starts[topic + 1]].tolist()
        ordered = sorted(zip(own, run.documents[topic], strict=True), reverse=True)
        first = next(document for _, document in ordered if document not in judged.documents[topic])
        raise MissingValueError(
            f"{name}, topic {judged.topics[topic]!r}: {unjudged[topic]} of {retrieved[topic]} retrieved documents are "
            f"not judged, the first is {first!r}: treat them as not relevant or drop them (unjudged='negative' or "
            "'drop')"
        )

    def _stack(self, rows: Rows, judged: Judged, retrieved: Places, lost: Places, unjudged: Places) -> TableStack:
        """Put relevant documents that were not retrieved at the end of the lists, which is far or where one says."""
        lists = np.arange(lost.size)
        if self.collection_size is None:
            length, topic = np.full(lost.size, ENDLESS), np.repeat(lists, lost)
            begin = np.arange(topic.size) - starts_of(lost)[1:][topic] + ENDLESS
            last = Rows(topic, np.ones_like(topic), begin, begin + 1)
        else:
            named = np.diff(judged.starts) + unjudged
            for short in np.flatnonzero(named > self.collection_size)[:1].tolist():
                raise ParameterError(
                    f"collection_size is {self.collection_size:,}, but run and qrels name {named[short]:,} documents "
                    f"of topic {judged.topics[short]!r}"
                )
            length, topic = np.full(lost.size, self.collection_size), np.flatnonzero(lost)
            last = Rows(topic, lost[topic], retrieved[topic], length[topic])
        return rows.and_then(last).stack(judged.topics, length)

    def notes(self, counts: Mapping[str, Sequence[TopicCounts]]) -> list[str]:
        """Return what was done with ties, with unjudged documents and with those not retrieved."""
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


def _rows_of_ties(topic: Places, scores: AnyArray, ordered: AnyArray, starts: Places) -> Rows:
    """Return the rows of some documents, those of one score together, among all that are on the lists."""
    own = starts_of(np.bincount(topic, minlength=starts.size - 1))
    scores = descending_in_lists(scores, own)
    rows = np.flatnonzero(first_of_each(topic, scores))
    topic, pos, scores = topic[rows], np.diff(rows, append=topic.size), scores[rows]
    low, high = starts[topic], starts[topic + 1]
    above = first_not_above(ordered, low, high, scores)
    return Rows(topic, pos, above - low, first_below(ordered, above, high, scores) - low)
