"""Sentences of the page."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from hitcurve import rows
from hitcurve.evaluation import Evaluation, GroupedEvaluation
from hitcurve.table import HitTable

_LONGEST = 60  # signs of a name in a sentence


def lead(ev: Evaluation) -> str:
    """Return the numbers of rankers, subjects and positives, in a sentence."""
    many = len(ev.rankers)
    who = "One ranker" if many == 1 else f"{many} rankers"
    tables = list(ev.tables.values())
    subjects = "subjects" if not first(ev).weighted else "subjects by weight"
    return f"{who} of {to([t.n for t in tables])} {subjects}, {_positives(tables)}."


def alike(ev: Evaluation) -> bool:
    """Say whether all rankers have as many subjects and positives."""
    one = first(ev)
    # sums of weights differ in their last digits
    same = partial(math.isclose, rel_tol=1e-9)
    return all(same(t.n, one.n) and same(t.n_pos, one.n_pos) for t in ev.tables.values())


def first(ev: Evaluation) -> HitTable:
    """Return the table of the first ranker."""
    return next(iter(ev.tables.values()))


def share(value: float) -> str:
    """Return a share as a percentage to read."""
    return f"{rows.short(100 * value, 3)}%"


def named(name: str) -> str:
    """Return the name of a ranker as part of a sentence: short, and with a direction of writing of its own."""
    short = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}\N{HORIZONTAL ELLIPSIS}"
    return short if short.isascii() else isolated(short)


def isolated(text: str) -> str:
    """Return a text with a direction of writing of its own."""
    return f"\N{FIRST STRONG ISOLATE}{text}\N{POP DIRECTIONAL ISOLATE}"


ISOLATED = re.compile(isolated("([^\u2066-\u2069\n]*)"))
"""A text that is isolated, and holds nothing that is."""


def in_text(text: str, rankers: Sequence[str]) -> str:
    """Return a text in which the names of rankers are as in a sentence: none turns around what follows it."""
    for name in rankers:
        # as texts show it: control characters are seen there, not obeyed
        if named(name) != (shown := rows.in_line(name)):
            text = text.replace(shown, named(name))
    return text


def facts(ev: Evaluation) -> list[tuple[str, str]]:
    """Return facts about the evaluated data, as terms and texts."""
    tables = list(ev.tables.values())
    return [
        ("Subjects", to([t.n for t in tables]) + _shared(ev)),
        ("Positives", f"{to([t.n_pos for t in tables])} ({shares([t.n_pos / t.n for t in tables])})"),
        ("Direction", direction(ev)),
        ("Ties", _ties(ev)),
        ("Design", design(ev)),
        ("Missing values", missing(ev)),
    ]


def about_groups(ev: GroupedEvaluation) -> dict[str, Any]:
    """Return what the page says about the evaluated groups."""
    return {"lead": lead_of_groups(ev), "facts": facts_of_groups(ev), "counted": ("subjects", "positive")}


def lead_of_groups(ev: GroupedEvaluation) -> str:
    """Return the numbers of rankers, groups, subjects and positives, in a sentence."""
    who = "One ranker" if len(ev.rankers) == 1 else f"{len(ev.rankers)} rankers"
    where = f"one {ev.called_one}" if len(ev) == 1 else f"{len(ev):,} {ev.called}"
    if ev.by != ev.called_one:  # folds by fold, topics by topic
        where += f" by {named(ev.by)}"
    n, n_pos = _totals(ev)
    if not ev.has_curves:
        return f"{who} in {where}: {rows.count(n_pos)} positives in rankings of unknown length."
    if ev.tests_per_subject > 1:
        return f"{who} in {where}: {ev.subjects_in_words(n, n_pos)}."
    return f"{who} in {where}: {rows.count(n)} subjects, {rows.count(n_pos)} of them positive ({share(n_pos / n)})."


def facts_of_groups(ev: GroupedEvaluation) -> list[tuple[str, str]]:
    """Return facts about the evaluated groups, as terms and texts."""
    groups, unit = list(ev.groups.values()), ev.called_one
    tables = [first(one) for one in groups]
    n, n_pos = _totals(ev)

    def of_groups(total: float, counts: Sequence[float]) -> str:
        return rows.count(total) if len(counts) == 1 else f"{rows.count(total)}, {to(counts)} in a {unit}"

    # groups do not know of the rows that were dropped before they were made
    known = replace(groups[0], tally=ev.tally)
    prevalences = shares([t.n_pos / t.n for t in tables])
    once = ev.tests_per_subject == 1
    return [
        (ev.called.capitalize(), f"{len(ev):,}" + (f" by {named(ev.by)}" if ev.by != unit else "")),
        (
            "Subjects" if once else "Tests of subjects",
            of_groups(n, [t.n for t in tables]) if ev.has_curves else "rankings of unknown length",
        ),
        ("Positives" if once else "Positive tests", of_groups(n_pos, [t.n_pos for t in tables])),
        ("Prevalence", f"{prevalences} in a {unit}" if ev.has_curves else "not known"),
        ("Direction", direction(known)),
        ("Design", design(groups[0])),
        ("Missing values", missing(known)),
        ("Left out", left_out(ev)),
    ]


def _totals(ev: GroupedEvaluation) -> tuple[float, float]:
    tables = [first(one) for one in ev.groups.values()]
    return sum(float(t.n) for t in tables), sum(float(t.n_pos) for t in tables)


def left_out(ev: GroupedEvaluation) -> str:
    """Return which groups of one class were left out or count as 0."""
    sentences = []
    for lacks in dict.fromkeys(ev.left_out.values()):
        names = [named(name) for name, why in ev.left_out.items() if why == lacks]
        verb = "counts" if len(names) == 1 else "count"
        counted = f", which {verb} as 0" if names[0] in map(named, ev.counted) else ""
        some = rows.listed(names) if len(names) <= 3 else f"{', '.join(names[:3])} and {len(names) - 3:,} more"
        sentences.append(f"{len(names):,} with {lacks}{counted}: {some}")
    return "; ".join(sentences) or "none"


def each(ev: Evaluation) -> list[str]:
    """Return a description of the data of each ranker where they differ."""
    return ev.heading()[: -len(ev.notes) or None]


def to(counts: Sequence[float]) -> str:
    """Return the lowest and the highest of some counts, or the one that all are."""
    return " to ".join(dict.fromkeys(map(rows.count, (min(counts), max(counts)))))


def shares(values: Sequence[float]) -> str:
    """Return the lowest and the highest of some shares, or the one that all are."""
    return " to ".join(dict.fromkeys(map(share, (min(values), max(values)))))


def _shared(ev: Evaluation) -> str:
    if len(ev.rankers) < 2:
        return ""
    if not ev.paired:
        return ", different for each ranker"
    return ", not known to be the same for all rankers" if ev.tally is None else ", the same for all rankers"


def _positives(tables: Sequence[HitTable]) -> str:
    return f"{to([t.n_pos for t in tables])} of them positive ({shares([t.n_pos / t.n for t in tables])})"


def direction(ev: Evaluation) -> str:
    """Return whether higher or lower scores are better."""
    if ev.tally is None:
        return "counts are given from the best score down"
    low = [name for name in ev.rankers if name in ev.lower_is_better]
    if not low:
        return "higher is better"
    if len(low) == len(ev.rankers):
        return "lower is better"
    return f"higher is better; lower is better for {rows.listed([named(name) for name in low])}"


def _ties(ev: Evaluation) -> str:
    tied = [ev.ties(name)[0] for name in ev.tables]
    most = max(tied)
    if not most:
        return "none between positives and negatives"
    up_to = "up to " if any(one != most for one in tied) else ""
    return f"{up_to}{rows.count(most)} subjects in ties of positives and negatives"


def design(ev: Evaluation) -> str:
    """Return how subjects were sampled."""
    text = {
        "cohort": "cohort (the number of positives was sampled)",
        "case-control": "case-control (the number of positives was fixed)",
    }[ev.design]
    here = first(ev)
    if here.assumed_prevalence is not None:
        text += f", evaluated at the known prevalence {share(here.prevalence)}"
    return text + (", clustered subjects" if ev.clustered else "")


def sampled(ev: GroupedEvaluation) -> str:
    """Return the sampling unit of the interval of a mean over groups."""
    if ev.overlap:
        return "over folds, corrected for the training data that folds share (Nadeau and Bengio 2003)"
    return f"over {ev.unit}, which are treated as a sample"


def sentence(text: str, names: Sequence[str] = ()) -> str:
    """Return a text as a sentence, nothing of nothing; names of rankers and metrics keep their small letters."""
    if not text:
        return ""
    first_word = text.split()[0]
    begin = text[0].upper() if first_word.replace("-", "").isalpha() and first_word not in names else text[0]
    return f"{begin}{text[1:]}{'' if text.endswith('.') else '.'}"


def missing(ev: Evaluation) -> str:
    """Return the handling of missing values."""
    if ev.tally is None:
        return "unknown: the input was counts"
    sentences = []
    if ev.tally.dropped:
        sentences.append(
            f"{ev.tally.dropped:,} of {ev.tally.rows:,} rows had a missing value and were dropped for all rankers"
        )
    last = [f"{count:,} of {named(name)}" for name, count in ev.tally.ranked_last.items() if count]
    if last:
        sentences.append(f"missing scores were ranked last: {rows.listed(last)}")
    return "; ".join(sentences) or "none"


def picture(tables: Mapping[str, HitTable]) -> str:
    """Return a description of the accumulation curves, for screen readers."""
    sentences = []
    for name, table in tables.items():
        curve = table.curve("accumulation")
        found = ", ".join(
            f"{share(curve.at(r))} of the positives in the first {share(r)} of the list" for r in (0.01, 0.1, 0.5)
        )
        sentences.append(f"{named(name)} finds {found}")
    return f"{'; '.join(sentences)}."
