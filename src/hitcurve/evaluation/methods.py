"""Methods paragraph of an evaluation, for a paper."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from importlib.metadata import version

from hitcurve import rows
from hitcurve.label_errors import SHARES
from hitcurve.metrics import Metric
from hitcurve.sources import Tally
from hitcurve.table import HitTable

_INTERVALS = {
    "end-model": (
        "by tilting after adding half a positive and one negative, with path lengths from binormal models of the list "
        "(200 that are drawn, with a seed derived from its counts, or from 50 positives on by a formula fitted to such "
        "models)"
    ),
    "tilted": "by tilting, by t quantiles, after adding half a positive and one negative",
    "half-subject": (
        "by the delta method after adding half a positive and half a negative, with t quantiles, on the logit scale "
        "if the metric is bounded"
    ),
    "inversion": "by inversion of a smooth fit of the list with shifted positives, with t quantiles",
    "region": "from the region of ROC curves that is compatible with the list, by exact binomial tails with half "
    "counts",
    "profile": "from a profile over all cutoffs that exact binomial tails at the given rate allow, with Jeffreys "
    "limits of the other rate",
    "cut-limits": "from Jeffreys limits of the recall at the limits of the cutoff",
    "best-cut": "from Jeffreys limits at the best cutoff (below) and over all cutoffs (above)",
    "jeffreys": "from a beta distribution with the effective number of subjects",
    "log": "from the logarithm of the false positive rate at the given recall, with t quantiles",
    "corrected": (
        "by the delta method with t quantiles on the logit scale (for metrics that are linear in TPR and FPR, such as "
        "AUC, the interval for the labels as observed, mapped in the same way as the value)"
    ),
    "wald": "by the delta method with t quantiles",
    "logit": "by the delta method with t quantiles on the logit scale",
}


def for_readers(reason: str) -> str:
    """Return why something is missing, without the advice to the user of the software."""
    reason = re.sub(r"for an interval of .+ \(at least", "for an interval (at least", reason)
    return re.sub(r"(; pass method=|: use coverage='pointwise'|: evaluate labels and scores).*$", "", reason)


def methods_text(
    tables: Mapping[str, HitTable],
    metrics: Sequence[Metric],
    notes: Sequence[str],
    tally: Tally | None,
    intervals: Mapping[str, Sequence[str]],
    uncertainty: str,
    undefined: Mapping[tuple[Metric, str], str],
    without: Mapping[str, Sequence[str]],
    tied: Mapping[str, float],
) -> str:
    """Return metrics, conventions, data and references in words.

    It is known why a metric of a ranker is ``undefined``, and for which reasons metrics are ``without`` an interval;
    ``tied`` are the subjects of each ranker whose score occurs in both classes.
    """
    named, listed = named_metrics(metrics)
    sentences = [
        _subjects(tables),
        *_corrected(tables, metrics),
        f"Performance was measured by {rows.listed(named)}.",
        *_ties(tables, tied),
        *_conventions(tables, metrics, undefined),
        *_undefined(tables, undefined),
        *about_intervals(intervals, uncertainty),
        *_estimated_shares(tables),
        *(f"No interval is given for {rows.listed(list(of))}: {reason}." for reason, of in without.items()),
        *_rows_left_out(tally),
        *([f"Data: {'; '.join(notes)}."] if notes else []),
    ]
    return paragraph(sentences, listed)


def methods_of_groups(
    heading: Sequence[str],
    rankers: Sequence[str],
    metrics: Sequence[Metric],
    confidence_level: float,
    tally: Tally | None,
    overlap: float = 0.0,
    clusters: str = "",
    undefined: str = "",
    unit: str = "groups",
) -> str:
    """Return groups, metrics, means and references in words; folds have an overlap."""
    named, listed = named_metrics(metrics)
    one = unit.removesuffix("s")
    sentences = [
        f"Every {one} was evaluated as a separate ranking with hitcurve {version('hitcurve')} ({'; '.join(heading)}).",
        f"Performance of {rows.listed(list(rankers))} was measured by {rows.listed(named)}.",
        f"Means give every {one} the same weight, and their {100 * confidence_level:g}% confidence intervals are "
        f"{_over_groups(overlap, unit)}.",
        *([f"Means exclude {unit} in which a metric is undefined: {undefined}."] if undefined else []),
        *([f"{clusters[0].upper()}{clusters[1:]}."] if clusters else []),
        *_rows_left_out(tally),
    ]
    return paragraph(sentences, listed)


def _over_groups(overlap: float, unit: str) -> str:
    if not overlap:
        return f"t intervals over {unit}, which were treated as a sample"
    return (
        "corrected resampled t intervals over folds, which share their training data (Nadeau and Bengio 2003), with "
        f"{rows.short(overlap)} test subjects for each training subject"
    )


def named_metrics(metrics: Sequence[Metric]) -> tuple[list[str], list[str]]:
    """Return the metrics in words, with numbers of references, and the references."""
    references = list(dict.fromkeys(m.reference for m in metrics if m.reference))
    number = {reference: place for place, reference in enumerate(references, start=1)}
    named = [f"{m.summary or m.name} ({m}){f' [{number[m.reference]}]' if m.reference else ''}" for m in metrics]
    return named, [f"[{place}] {reference}" for reference, place in number.items()]


def paragraph(sentences: Sequence[str], listed: Sequence[str]) -> str:
    """Return sentences as a paragraph, with references below."""
    lines = [" ".join(sentences), *(["", *listed] if listed else [])]
    return rows.text_lines(lines) + "\n"


def _subjects(tables: Mapping[str, HitTable]) -> str:
    # as they are printed: sums of weights differ in the last digits
    sizes = {(_size(t), rows.short(t.prevalence), t.assumed_prevalence is not None) for t in tables.values()}
    who = "The ranking" if len(tables) == 1 else f"The rankings by {rows.listed(list(tables))}"
    if len(sizes) > 1:
        each = [f"{name}: {_size(t)}{_set_to(t)}" for name, t in tables.items()]
        return f"{who} were evaluated over all thresholds with hitcurve {version('hitcurve')} ({'; '.join(each)})."
    t = next(iter(tables.values()))
    set_to = "prevalence set to" if t.assumed_prevalence is not None else "prevalence"
    verb = "was" if len(tables) == 1 else "were"
    return (
        f"{who} of {_size(t)} ({set_to} {rows.short(t.prevalence)}), {verb} evaluated over all thresholds with "
        f"hitcurve {version('hitcurve')}."
    )


def _corrected(tables: Mapping[str, HitTable], metrics: Sequence[Metric]) -> list[str]:
    """Return what is assumed of wrong labels."""
    errors = next(iter(tables.values())).label_errors
    if errors is None:
        return []
    cut_off = [str(m) for m in metrics if m.label_correction == "cut-off"]
    listed, cut = rows.listed(cut_off), "is" if len(cut_off) == 1 else "are"
    return [
        f"Labels were corrected, assuming that {rows.listed(errors.shares_in_words())}. True and false positive rates "
        "at every cutoff were computed from the observed rates.",
        *([f"Where the corrected labels leave no negatives, {listed} {cut} cut off."] if cut_off else []),
    ]


def _estimated_shares(tables: Mapping[str, HitTable]) -> list[str]:
    errors = next(iter(tables.values())).label_errors
    if errors is None or not any(map(errors.error_of, SHARES)):
        return []
    return ["The uncertainty of the shares of wrong labels is included by computing the values at their limits, too."]


def _set_to(t: HitTable) -> str:
    return "" if t.assumed_prevalence is None else f", prevalence set to {rows.short(t.prevalence)}"


def _size(t: HitTable) -> str:
    if t.weighted:
        return f"subjects with a total weight of {rows.count(t.n)}, {rows.count(t.n_pos)} of it in positives"
    labelled = "labelled positive" if t.label_errors is not None else "positive"
    return f"{rows.count(t.n)} subjects, {rows.count(t.n_pos)} of them {labelled}"


def _ties(tables: Mapping[str, HitTable], tied: Mapping[str, float]) -> list[str]:
    there = [f"{rows.count(number)} for {name}" for name, number in tied.items() if number]
    if not there:
        return ["No positive and negative subjects had equal scores."]
    what = "total weight" if any(t.weighted for t in tables.values()) else "number"
    return [
        "Subjects with equal scores were treated as one group, along which TPR and FPR were interpolated linearly. The "
        f"{what} of subjects in groups that contain both classes was {rows.listed(there)}."
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
        sentences += [f"for {m}, {rows.listed(conventions)}"] if conventions else []
    return [f"Where tools differ in a definition, these were used: {'; '.join(sentences)}."] if sentences else []


def _undefined(tables: Mapping[str, HitTable], undefined: Mapping[tuple[Metric, str], str]) -> list[str]:
    """Return why metrics have no value, each reason once, with the metrics and rankers it holds for."""
    rankers: dict[tuple[str, Metric], list[str]] = {}
    for (m, ranker), reason in undefined.items():
        rankers.setdefault((reason, m), []).append(ranker)
    of_reason: dict[str, list[str]] = {}
    for (reason, m), names in rankers.items():
        of = "" if len(names) == len(tables) else f" of {rows.listed(names)}"
        of_reason.setdefault(reason, []).append(f"{m}{of}")
    return [f"No value is reported for {rows.listed(of)} ({reason})." for reason, of in of_reason.items()]


def about_intervals(intervals: Mapping[str, Sequence[str]], uncertainty: str) -> list[str]:
    """Return by what intervals were made: of each method the metrics it served."""
    if not intervals:
        return []
    by = [f"for {rows.listed(list(which))}, {_INTERVALS[method]}" for method, which in intervals.items()]
    return [f"Confidence intervals ({uncertainty}) were computed as follows: {'; '.join(by)}."]


def _rows_left_out(tally: Tally | None) -> list[str]:
    if tally is None:
        return []
    sentences = [f"{tally.dropped} of {tally.rows} rows had a missing value and were dropped."] if tally.dropped else []
    last = [f"{count} of {name}" for name, count in tally.ranked_last.items() if count]
    return sentences + ([f"Missing scores were ranked last: {rows.listed(last)}."] if last else [])
