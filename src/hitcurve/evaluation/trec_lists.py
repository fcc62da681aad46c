"""Runs and judgements of one topic -> a ranked list, by trec_eval's rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve.errors import MissingValueError, ParameterError
from hitcurve.sources.trec import Qrels, Run
from hitcurve.table import HitTable

TIES, UNJUDGED = ("trec", "group"), ("negative", "drop", "raise")
# places of a list that has no end: what stands behind them all adds less than rounding does
ENDLESS = 10**15
Places = npt.NDArray[np.intp]


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


class Ranking(NamedTuple):
    """The list of one topic of one run."""

    table: HitTable
    counts: TopicCounts


class Rules(NamedTuple):
    """How a run and judgements become a list."""

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
                raise ParameterError(
                    "unjudged='drop' leaves nothing of the collection but what was judged: give no collection_size"
                )
        if depth is not None:
            depth = _checks.whole_number("depth", depth)
            if ties == "group":
                raise ParameterError("depth may cut through equal scores: it takes ties='trec'")
        return cls(ties, unjudged, _checks.whole_number("relevant_from", relevant_from), collection_size, depth)

    def ranking(self, name: str, topic: str, run: Run, qrels: Qrels) -> Ranking:
        """Return the list of one topic of one run."""
        judged = qrels[topic]
        documents, row, tied = self._in_order(run.get(topic, {}))
        grade = np.array(list(map(judged.get, documents)), float)  # nan where there is none
        is_judged = ~np.isnan(grade)
        unjudged = grade.size - int(is_judged.sum())
        if unjudged and self.unjudged == "raise":
            first = documents[int(np.argmin(is_judged))]
            raise MissingValueError(
                f"{name}, topic {topic!r}: {unjudged} of {len(documents)} retrieved documents are not judged, the "
                f"first is {first!r}: take them as not relevant or leave them out (unjudged='negative' or 'drop')"
            )
        if self.unjudged == "drop":
            grade, row = grade[is_judged], row[is_judged]
        is_relevant = grade >= self.relevant_from
        relevant = int(np.sum(np.array(list(judged.values())) >= self.relevant_from))
        pos = np.bincount(row[is_relevant], minlength=row.max(initial=-1) + 1)
        neg = np.bincount(row, minlength=pos.size) - pos
        counts = TopicCounts(row.size, relevant, int(is_relevant.sum()), unjudged, tied)
        return Ranking(self._table(topic, pos, neg, counts, len(judged) + unjudged), counts)

    def _in_order(self, run: Mapping[str, float]) -> tuple[list[str], Places, int]:
        """Return the documents from the best down, the row of the table that each belongs to, and how many are tied.

        trec_eval holds scores in single precision; documents of one score come last name first.
        """
        names = list(run)
        with np.errstate(over="ignore"):
            scores = np.fromiter(run.values(), float, len(run))
            scores = scores.astype(np.float32).astype(float) if self.ties == "trec" else scores
        order = np.argsort(-scores, kind="stable")
        ordered = scores[order]
        first = np.append(True, ordered[1:] != ordered[:-1])[: order.size]
        starts = np.flatnonzero(first)
        sizes = np.diff(starts, append=order.size)
        several = sizes > 1
        for start, size in zip(starts[several].tolist(), sizes[several].tolist(), strict=True):
            order[start : start + size] = sorted(order[start : start + size].tolist(), key=names.__getitem__)[::-1]
        order = order[: self.depth]
        row = np.arange(order.size) if self.ties == "trec" else np.cumsum(first) - 1
        return [names[place] for place in order.tolist()], row, int(sizes[several].sum())

    def _table(self, topic: str, pos: Any, neg: Any, counts: TopicCounts, named: int) -> HitTable:
        lost = counts.relevant - counts.found
        if self.collection_size is None:
            last = ([0] + [1] * lost, [ENDLESS - counts.retrieved - lost] + [0] * lost)
        elif self.collection_size < named:
            raise ParameterError(
                f"collection_size is {self.collection_size:,}, and run and qrels name {named:,} documents of topic "
                f"{topic!r} alone"
            )
        else:
            last = ([lost], [self.collection_size - counts.retrieved - lost])
        return HitTable(np.append(pos, last[0]), np.append(neg, last[1]), "rows").collapse()

    def notes(self, counts: Mapping[str, Mapping[str, TopicCounts]]) -> list[str]:
        """Return what was done with ties, with unjudged documents and with those not retrieved."""
        notes = []
        for name in next(iter(counts.values())):
            of = [by_run[name] for by_run in counts.values()]
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
