"""What was computed, as a paragraph for a paper."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from importlib.metadata import version

from hitcurve import rows
from hitcurve.metrics import Metric
from hitcurve.sources import Tally
from hitcurve.table import HitTable

_INTERVALS = {
    "end-model": (
        "tilting after adding half a positive and one negative, over lengths that 200 binormal models of the list "
        "give, with a seed from its counts"
    ),
    "tilted": "tilting after adding half a positive and one negative",
    "half-subject": (
        "the table with half a subject more of either class, on the logit scale of bounded metrics, with t quantiles"
    ),
    "inversion": "inversion of a smooth fit of the list that is shifted, with t quantiles",
    "region": "the region of ROC curves that the list allows, by exact tails with half counts",
    "jeffreys": "a beta distribution with the effective number of subjects",
    "log": "the logarithm of the false positive rate at the recall",
    "wald": "the delta method with t quantiles",
}


def methods_text(
    tables: Mapping[str, HitTable],
    metrics: Sequence[Metric],
    notes: Sequence[str],
    tally: Tally | None,
    intervals: Mapping[str, Sequence[str]],
    uncertainty: str,
    undefined: Mapping[tuple[Metric, str], str],
) -> str:
    """Return metrics, conventions, data and references in words; why a metric of a ranker is ``undefined`` is known."""
    named, listed = _named(metrics)
    sentences = [
        _subjects(tables),
        f"It was judged by {rows.listed(named)}." if len(tables) == 1 else f"They were judged by {rows.listed(named)}.",
        *_ties(tables),
        *_conventions(tables, metrics, undefined),
        *_undefined(tables, undefined),
        *_about_intervals(intervals, uncertainty),
        *_rows_left_out(tally),
        *([f"Data: {'; '.join(notes)}."] if notes else []),
    ]
    return _paragraph(sentences, listed)


def methods_of_groups(
    heading: Sequence[str],
    rankers: Sequence[str],
    metrics: Sequence[Metric],
    confidence_level: float,
    tally: Tally | None,
    overlap: float = 0.0,
    clusters: str = "",
    undefined: str = "",
) -> str:
    """Return groups, metrics, means and references in words; folds have an overlap."""
    named, listed = _named(metrics)
    apart = f" ({'; '.join(heading[1:])})" if heading[1:] else ""
    sentences = [
        f"{heading[0]}{apart} were evaluated with hitcurve {version('hitcurve')}, each group as a ranking of its own.",
        f"{rows.listed(list(rankers))} {'was' if len(rankers) == 1 else 'were'} judged by {rows.listed(named)}.",
        f"Means give every group the same weight; their {100 * confidence_level:g}% confidence intervals are "
        f"{_over_groups(overlap)}.",
        *([f"Means leave out groups where the metric is undefined: {undefined}."] if undefined else []),
        *([f"{clusters[0].upper()}{clusters[1:]}."] if clusters else []),
        *_rows_left_out(tally),
    ]
    return _paragraph(sentences, listed)


def _over_groups(overlap: float) -> str:
    if not overlap:
        return "t intervals over groups, as a sample of groups"
    return (
        "corrected resampled t intervals over folds, which share their training data (Nadeau and Bengio 2003), with "
        f"{rows.short(overlap)} test subjects for each training subject"
    )


def _named(metrics: Sequence[Metric]) -> tuple[list[str], list[str]]:
    """Return the metrics in words, with numbers of references, and the references."""
    references = list(dict.fromkeys(m.reference for m in metrics if m.reference))
    number = {reference: place for place, reference in enumerate(references, start=1)}
    named = [f"{m.summary or m.name} ({m}){f' [{number[m.reference]}]' if m.reference else ''}" for m in metrics]
    return named, [f"[{place}] {reference}" for reference, place in number.items()]


def _paragraph(sentences: Sequence[str], listed: Sequence[str]) -> str:
    lines = [" ".join(sentences), *(["", *listed] if listed else [])]
    return "\n".join(map(rows.in_line, lines)) + "\n"


def _subjects(tables: Mapping[str, HitTable]) -> str:
    sizes = {(t.n, t.n_pos, t.prevalence, t.assumed_prevalence is not None) for t in tables.values()}
    who = "The ranking" if len(tables) == 1 else f"The rankings by {rows.listed(list(tables))}"
    if len(sizes) > 1:
        each = [f"{name}: {_size(t)}" for name, t in tables.items()]
        return f"{who} were evaluated ({'; '.join(each)})."
    t = next(iter(tables.values()))
    set_to = "set to" if t.assumed_prevalence is not None else "prevalence"
    verb = "was" if len(tables) == 1 else "were"
    return (
        f"{who} of {_size(t)} ({set_to} {rows.short(t.prevalence)}), {verb} evaluated over all thresholds with "
        f"hitcurve {version('hitcurve')}."
    )


def _size(t: HitTable) -> str:
    if t.weighted:
        return f"subjects of total weight {rows.count(t.n)}, {rows.count(t.n_pos)} of it in positives"
    return f"{rows.count(t.n)} subjects, {rows.count(t.n_pos)} of them positive"


def _ties(tables: Mapping[str, HitTable]) -> list[str]:
    tied = [f"{rows.count(t.tied)} for {name}" for name, t in tables.items() if t.tied]
    if not tied:
        return ["No subjects of different classes had equal scores."]
    return [
        "Subjects of equal score were taken as one group, along which curves go straight; subjects in groups that "
        f"hold both classes: {rows.listed(tied)}."
    ]


def _conventions(
    tables: Mapping[str, HitTable], metrics: Sequence[Metric], undefined: Container[tuple[Metric, str]]
) -> list[str]:
    sentences = []
    for m in metrics:
        conventions = list(
            dict.fromkeys(
                text for name, t in tables.items() if (m, name) not in undefined and (text := m.convention(t))
            )
        )
        sentences += [f"{m}: {'; '.join(conventions)}"] if conventions else []
    return [f"Conventions: {'. '.join(sentences)}."] if sentences else []


def _undefined(tables: Mapping[str, HitTable], undefined: Mapping[tuple[Metric, str], str]) -> list[str]:
    """Return why metrics have no value, each reason once, with the metrics and rankers it holds for."""
    rankers: dict[tuple[str, Metric], list[str]] = {}
    for (m, ranker), reason in undefined.items():
        rankers.setdefault((reason, m), []).append(ranker)
    of_reason: dict[str, list[str]] = {}
    for (reason, m), names in rankers.items():
        of = "" if len(names) == len(tables) else f" of {rows.listed(names)}"
        of_reason.setdefault(reason, []).append(f"{m}{of}")
    return [f"Undefined: {rows.listed(of)} ({reason})." for reason, of in of_reason.items()]


def _about_intervals(intervals: Mapping[str, Sequence[str]], uncertainty: str) -> list[str]:
    """Return by what intervals were made: of each method the metrics it served."""
    if not intervals:
        return []
    by = [f"{_INTERVALS[method]} ({', '.join(which)})" for method, which in intervals.items()]
    return [f"Confidence intervals ({uncertainty}) are by {rows.listed(by)}."]


def _rows_left_out(tally: Tally | None) -> list[str]:
    if tally is None:
        return []
    sentences = [f"{tally.dropped} of {tally.rows} rows lacked a value and were left out."] if tally.dropped else []
    last = [f"{count} of {name}" for name, count in tally.ranked_last.items() if count]
    return sentences + ([f"Missing scores were ranked last: {rows.listed(last)}."] if last else [])
