"""Ranked and judged documents of many topics, the input of retrieval measures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hitcurve._cached import cached_property
from hitcurve.counts import AnyArray, Array
from hitcurve.ragged import Places, first_of_each, starts_of
from hitcurve.stack import TableStack

# places of a list that has no end: what stands behind them all adds less than rounding does
ENDLESS = 10**15


class Hits(NamedTuple):
    """Documents on the lists, topic by topic from the top.

    Attributes
    ----------
    row : array of int (h,)
        Their judgements.
    topic : array of int (h,)
    rank : array of int (h,)
        From 1.
    so_far : array of int (h,)
        How many of them the list has down to this one.
    """

    row: Places
    topic: Places
    rank: Places
    so_far: Places


class Aspects(NamedTuple):
    """Relevance by subtopic: one entry for each judgement of a document for a subtopic.

    Attributes
    ----------
    row : array of int (a,)
        The judgement of the document, for its topic.
    subtopic : array of int (a,)
        Numbered over all topics.
    grade : array of int (a,)
    name_order : array of int (m,)
        Of every judgement, the place of its document among those of the topic by name.
    """

    row: Places
    subtopic: Places
    grade: npt.NDArray[np.int64]
    name_order: Places

    def at_least(self, level: int) -> Aspects:
        """Return those of a relevance and above."""
        relevant = self.grade >= level
        return Aspects(self.row[relevant], self.subtopic[relevant], self.grade[relevant], self.name_order)

    def subtopics(self, topics: RankedTopics) -> Places:
        """Return the number of subtopics of each topic that are met here."""
        first = np.unique(self.subtopic, return_index=True)[1]
        return np.bincount(topics.topic[self.row[first]], minlength=len(topics))

    def greedy(self, topics: RankedTopics, left: float, depth: int | None) -> Places:
        """Return ranks of the judgements: always next is the document that gains most, 0 for those that gain nothing.

        Parameters
        ----------
        topics : RankedTopics
        left : float
            What is left of the gain of a subtopic behind a document of it.
        depth : int, optional
            So many ranks are needed.
        """
        ranks = np.zeros_like(topics.rank)
        order = np.argsort(self.row, kind="stable")
        row, subtopic = self.row[order], self.subtopic[order]
        ends = np.searchsorted(row, topics.starts)
        for first, last in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
            documents, place = np.unique(row[first:last], return_inverse=True)
            named, own = np.unique(subtopic[first:last], return_inverse=True)
            # the last name first, so that of equal gains the first found is taken
            by_name = np.argsort(-self.name_order[documents])
            about = np.zeros((documents.size, named.size), bool)
            about[np.argsort(by_name)[place], own] = True
            gain, open_ = np.ones(named.size), np.ones(documents.size, bool)
            for rank in range(1, min(documents.size, depth or documents.size) + 1):
                best = int(np.argmax(np.where(open_, np.sum(about * gain, axis=1), -1.0)))
                ranks[documents[by_name[best]]] = rank
                open_[best] = False
                gain[about[best]] *= left
        return ranks

    def taken(self, rows: Places, size: int) -> Aspects:
        """Return those of some judgements, of so many, in their new order."""
        place = np.full(size, -1)
        place[rows] = np.arange(rows.size)
        kept = place[self.row] >= 0
        return Aspects(place[self.row[kept]], self.subtopic[kept], self.grade[kept], self.name_order[rows])


@dataclass(frozen=True, eq=False)
class RankedTopics:
    """Judgements of some topics, one topic after another, and where the documents are on the lists.

    Documents that were not judged are known by their number alone.

    Attributes
    ----------
    names : tuple of str
        The topics.
    starts : array of int (L + 1,)
        Where the judgements of each topic start.
    grade : array of int (m,)
        Relevance; below 0 of a document in the pool that was not judged.
    rank : array of int (m,)
        Place on the list from 1, 0 of a document that is not on it.
    above, down_to : array of int (m,)
        How many documents have a higher score, and at least this one.
    retrieved : array of int (L,)
        Documents on each list.
    ordered : bool
        Whether equal scores have an order; else the rank is that of the first of them.
    aspects : Aspects or None
        Relevance by subtopic.
    """

    names: tuple[str, ...]
    starts: Places
    grade: npt.NDArray[np.int64]
    rank: Places
    above: Places
    down_to: Places
    retrieved: Places
    ordered: bool = True
    aspects: Aspects | None = None

    def __len__(self) -> int:
        """Return the number of topics."""
        return len(self.names)

    @cached_property
    def topic(self) -> Places:
        """The topic of each judgement."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def count(self, chosen: npt.NDArray[np.bool_]) -> Places:
        """Return how many judgements of each topic are chosen."""
        return np.bincount(self.topic[chosen], minlength=len(self))

    def sum(self, topic: Places, values: AnyArray) -> Array:
        """Return the sum of values over each topic."""
        return np.bincount(topic, weights=values, minlength=len(self)).astype(float)

    @cached_property
    def _on_list(self) -> Places:
        there = np.flatnonzero(self.rank)
        rank = self.rank[there]
        return there[np.argsort(self.topic[there] * (int(rank.max(initial=0)) + 1) + rank, kind="stable")]

    def hits(self, chosen: npt.NDArray[np.bool_]) -> Hits:
        """Return those of some judgements whose documents are on the lists."""
        row = self._on_list[chosen[self._on_list]]
        topic = self.topic[row]
        first = starts_of(np.bincount(topic, minlength=len(self)))
        return Hits(row, topic, self.rank[row], np.arange(1, row.size + 1) - first[topic])

    def average_precision(self, relevant_from: int) -> Array:
        """Return the mean over relevant documents of the precision at their scores, of lists that have no end.

        Documents that were not retrieved are never found and add exactly 0; nan of topics without a relevant document.
        """
        relevant = self.grade >= relevant_from
        row, topic, rank, so_far = self.hits(relevant)
        if not self.ordered:  # the precision at the end of equal scores
            first = np.flatnonzero(first_of_each(topic, rank))
            size = np.diff(first, append=row.size)
            so_far, rank = np.repeat(so_far[first] + size - 1, size), self.down_to[row]
        found, all = self.sum(topic, so_far / rank), self.count(relevant)
        return np.asarray(np.divide(found, all, out=np.full(all.size, np.nan), where=all > 0))

    def ideal(self, gain: Array) -> Hits:
        """Return the judgements of some gain, from the largest of each topic down."""
        row = np.flatnonzero(gain > 0)
        row = row[np.lexsort((-gain[row], self.topic[row]))]
        topic = self.topic[row]
        rank = np.arange(1, row.size + 1) - starts_of(np.bincount(topic, minlength=len(self)))[topic]
        return Hits(row, topic, rank, rank)

    def taken(self, lists: Places) -> RankedTopics:
        """Return some of the topics, in this order."""
        sizes = np.diff(self.starts)[lists]
        starts = starts_of(sizes)
        rows = np.repeat(self.starts[lists] - starts[:-1], sizes) + np.arange(starts[-1])
        columns = {name: getattr(self, name)[rows] for name in ("grade", "rank", "above", "down_to")}
        names = tuple(self.names[place] for place in lists.tolist())
        aspects = None if self.aspects is None else self.aspects.taken(rows, self.grade.size)
        retrieved = self.retrieved[lists]
        return RankedTopics(names, starts, **columns, retrieved=retrieved, ordered=self.ordered, aspects=aspects)

    def cut(self, depth: int) -> RankedTopics:
        """Return the lists down to a rank."""
        rank = np.where(self.rank <= depth, self.rank, 0)
        return replace(self, rank=rank, retrieved=np.minimum(self.retrieved, depth))

    @cached_property
    def judged_only(self) -> RankedTopics:
        """The lists without the documents that were not judged."""
        row, topic, _, so_far = self.hits(self.grade >= 0)
        retrieved = np.bincount(topic, minlength=len(self))
        first = np.flatnonzero(first_of_each(topic, self.above[row]))
        size = np.diff(first, append=row.size)
        rank, above, down_to = (np.zeros_like(self.rank) for _ in range(3))
        above[row] = np.repeat(so_far[first] - 1, size)
        down_to[row] = above[row] + np.repeat(size, size)
        rank[row] = so_far if self.ordered else above[row] + 1
        return replace(self, rank=rank, above=above, down_to=down_to, retrieved=retrieved)

    def strict(self, *, relevant_first: bool) -> RankedTopics:
        """Return the lists with equal scores in order of relevance, from the best or from the worst down."""
        there = np.flatnonzero(self.rank)
        topic, above, grade = self.topic[there], self.above[there], self.grade[there]
        order = np.lexsort((-grade if relevant_first else grade, above, topic))
        there, topic, above = there[order], topic[order], above[order]
        first = np.flatnonzero(first_of_each(topic, above))
        size = np.diff(first, append=there.size)
        place = np.arange(there.size) - np.repeat(first, size)
        rank = np.zeros_like(self.rank)
        # what was not judged is as bad as what is not relevant
        rank[there] = above + 1 + place if relevant_first else self.down_to[there] - np.repeat(size, size) + 1 + place
        return replace(self, rank=rank, ordered=True)

    def stack(self, relevant_from: int, collection_size: int | None = None) -> TableStack:
        """Return the lists of relevant and other documents.

        Relevant documents that were not retrieved are at the end, which is far or after ``collection_size`` documents.
        """
        relevant = self.grade >= relevant_from
        row, topic, rank, _ = self.hits(relevant)
        if self.ordered:
            rows = _Rows(topic, np.ones(row.size, np.intp), rank - 1, rank)
        else:
            first = np.flatnonzero(first_of_each(topic, rank))
            own = row[first]
            rows = _Rows(topic[first], np.diff(first, append=row.size), self.above[own], self.down_to[own])
        lost = self.count(relevant) - np.bincount(topic, minlength=len(self))
        lists = np.arange(len(self))
        if collection_size is None:
            length, topic = np.full(lost.size, ENDLESS), np.repeat(lists, lost)
            begin = np.arange(topic.size) - starts_of(lost)[1:][topic] + ENDLESS
            last = _Rows(topic, np.ones_like(topic), begin, begin + 1)
        else:
            length, topic = np.full(lost.size, collection_size), np.flatnonzero(lost)
            last = _Rows(topic, lost[topic], self.retrieved[topic], length[topic])
        return rows.and_then(last).stack(self.names, length)


class _Rows(NamedTuple):
    """Rows of lists that hold a relevant document: where they begin and end on the list, in documents."""

    topic: Places
    pos: Places
    begin: Places
    end: Places

    def and_then(self, last: _Rows) -> _Rows:
        """Add rows that stand behind these on the same lists."""
        joined = [np.concatenate(both) for both in zip(self, last, strict=True)]
        order = np.argsort(joined[0], kind="stable")
        return _Rows(*(column[order] for column in joined))

    def stack(self, names: tuple[str, ...], length: Places) -> TableStack:
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
        return TableStack(pos, neg, cells, names, "derived")
