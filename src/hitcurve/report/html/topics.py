"""Sentences of the page about runs, topics and judgements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hitcurve.evaluation import TrecEvaluation
from hitcurve.evaluation.topics.topic_lists import TopicLists
from hitcurve.report.html.words import left_out, named, to

if TYPE_CHECKING:
    from collections.abc import Sequence


def about_topics(ev: TrecEvaluation) -> dict[str, Any]:
    """Return what the page says about runs and judgements."""
    return {
        "lead": lead_of_topics(ev),
        "facts": facts_of_topics(ev),
        "counted": ("documents", "relevant"),
    }


def lead_of_topics(ev: TrecEvaluation) -> str:
    """Return the numbers of runs, topics and relevant documents, in a sentence."""
    who = "One run" if len(ev.rankers) == 1 else f"{len(ev.rankers)} runs"
    relevant = sum(_of_first(ev, "relevant"))
    return f"{who} on {ev.counted_in_words(len(ev.counted))}: {_documents(relevant, 'relevant')}."


def facts_of_topics(ev: TrecEvaluation) -> list[tuple[str, str]]:
    """Return facts about topics, judgements and runs, as terms and texts."""
    lists = next(iter(ev.groups.lists.values()))
    zeros = len(ev.counted_as_zero)
    found = [
        ("Topics", f"{len(ev.counted):,}" + (f", {zeros:,} of them without relevant documents" if zeros else "")),
        ("Relevant", _of_topics([count for count in _of_first(ev, "relevant") if count])),
    ]
    if isinstance(lists, TopicLists):
        found += [*_judged(lists), ("Equal scores", _equal(ev, ordered=lists.ranked.ordered))]
    found += [(f"Run {named(run)}", _run(ev, run)) for run in ev.rankers]
    size = ev.collection_size
    behind = "are never found" if size is None else f"are tied at the end of {size:,}"
    return [*found, ("Not retrieved", f"documents that were not retrieved {behind}"), ("Left out", left_out(ev))]


def _judged(lists: TopicLists) -> list[tuple[str, str]]:
    ranked = lists.ranked
    judged, pooled = ranked.count(ranked.grade >= 0), np.diff(ranked.starts)
    texts = [("Judged", _of_topics(judged.tolist())), ("Relevant from", f"a relevance of {lists.relevant_from}")]
    if pooled.sum() > judged.sum():
        texts.append(("In the pool", f"{_of_topics(pooled.tolist())}, those of a relevance below 0 not judged"))
    return texts


def _equal(ev: TrecEvaluation, *, ordered: bool) -> str:
    tied = sum(counts.tied for of in ev.topics.values() for counts in of.values())
    rule = (
        "in the order of the names of the documents, the last first, compared in single precision as trec_eval does"
        if ordered
        else "as one group"
    )
    return f"{rule}; {_documents(tied, 'with a score that another has')}" if tied else f"{rule}; there are none"


def _run(ev: TrecEvaluation, run: str) -> str:
    counts = [of[run] for of in ev.topics.values()]
    retrieved, found, unjudged = (sum(getattr(c, what) for c in counts) for what in ("retrieved", "found", "unjudged"))
    without = f", {unjudged:,} without a judgement" if unjudged else ""
    return f"{_documents(retrieved, 'retrieved')}, {found:,} of them relevant{without}"


def _of_first(ev: TrecEvaluation, what: str) -> list[int]:
    return [getattr(of[ev.rankers[0]], what) for of in ev.topics.values()]


def _of_topics(counts: Sequence[int]) -> str:
    total = _documents(sum(counts))
    return total if len(counts) < 2 else f"{total}, {to(counts)} in a topic"


def _documents(count: int, which: str = "") -> str:
    return f"{count:,} {which + ' ' if which == 'relevant' else ''}{'document' if count == 1 else 'documents'}" + (
        f" {which}" if which not in ("", "relevant") else ""
    )
