"""Runs and qrels of TREC -> an evaluation of every topic, as trec_eval makes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve._progress import Progress, counted, reports
from hitcurve.counts import Array
from hitcurve.errors import DirectionWarning, InputError, MetricParseError, ParameterError
from hitcurve.evaluation.by_group import SINGLE_CLASS, evaluate_lists
from hitcurve.evaluation.grouped import GroupedEvaluation
from hitcurve.evaluation.sampling import SamplingDesign
from hitcurve.evaluation.topics.tie_report import few_of
from hitcurve.evaluation.topics.trec_groups import TrecEvaluation, topics_in_words
from hitcurve.evaluation.topics.trec_lists import Judged, Rules, TopicCounts
from hitcurve.evaluation.warned import warned
from hitcurve.metrics import Metric, TopicMeasure, read_measures
from hitcurve.metrics import metrics as read_metrics
from hitcurve.metrics.retrieval import of_grades
from hitcurve.metrics.retrieval.measure import Binary
from hitcurve.metrics.spelling import asked_as
from hitcurve.sources import in_order
from hitcurve.sources.files import names_after
from hitcurve.sources.trec import Qrels, Run, qrels_of_file, run_of_file
from hitcurve.sources.trec_given import checked_qrels, checked_run, is_one_run
from hitcurve.sources.trec_subtopics import flattened, subtopics_of
from hitcurve.topics import ENDLESS

TREC_DEFAULT = ("ap", "precision@R", "precision@10", "recall@100", "ndcg")


@reports
def evaluate_trec(
    runs: Any,
    qrels: Any,
    *,
    metrics: Any = None,
    ties: str = "trec",
    unjudged: str = "negative",
    relevant_from: int = 1,
    collection_size: int | None = None,
    complete: bool = False,
    depth: int | None = None,
    single_class: str = "raise",
    undefined: str = "raise",
    confidence_level: float = 0.95,
    progress: Progress = False,
) -> TrecEvaluation:
    """Evaluate runs topic by topic against judgements, with trec_eval's order and its rule for missing documents.

    Topics that were not judged are left out, and so are judged topics that a run lacks (see ``complete``); notes
    say how many.

    Parameters
    ----------
    runs : str or Path, one run as a value, list of these, or mapping of str to these
        Files of runs (:func:`hitcurve.read_trec_run`), named after themselves or as the mapping says. As a value a run
        is a mapping of topics to the scores of their documents, a data frame with columns such as ``query_id``,
        ``doc_id`` and ``score`` (of ir_measures, ranx and PyTerrier; upper or lower case), an iterable of tuples with
        these attributes, or an object with ``to_dict()`` such as a run of ranx.
    qrels : str, Path, mapping, data frame or iterable of tuples
        File of judgements (:func:`hitcurve.read_qrels`), what :func:`hitcurve.read_subtopics` returns (a document is
        then as relevant as to the subtopic that it fits best), or a value as for a run, with ``relevance``, ``rel``,
        ``label`` or ``grade`` instead of the score.
    metrics : str, Metric, measure of ir_measures, or an iterable of these
        Names of ir_measures and trec_eval as ``"nDCG@10"`` are read too, see :func:`hitcurve.trec_metric`. If absent,
        ap, precision@R, precision@10, recall@100 and ndcg, whose gain is the relevance.
    ties : {"trec", "group"}
        ``trec``: scores in single precision, equal ones in the order of the names of their documents, last name
        first, as trec_eval takes them. ``group``: scores as they are, equal ones as one group.
    unjudged : {"negative", "drop", "raise"}
        Documents of a run that were not judged: not relevant (trec_eval), left out of the list (trec_eval -J), or an
        error.
    relevant_from : int
        Smallest relevance that counts as relevant.
    collection_size : int, optional
        Documents of the collection. Without it the length of the ranking is unknown: what was not retrieved is never
        found, as in trec_eval, and only metrics are computed that do not need the length (ap, precision, recall, hits
        and relative_ef at a number or R, ndcg, dcg, roc(k)). With it all documents that were not retrieved are tied at
        the end of the list, and every metric is computed.
    complete : bool
        Whether a judged topic that a run lacks counts as one for which it retrieved nothing (trec_eval -c): 0 for a
        ranking of unknown length.
    depth : int, optional
        Read at most this number of documents of each topic (trec_eval -M); needs ``ties="trec"``.
    single_class : {"raise", "skip", "zero"}
        Topics without a relevant document: raise an error, leave out, or count as 0 (trec_eval).
    undefined : {"raise", "nan"}
    confidence_level : float in (0, 1)
    progress : bool or callable
        Show the steps, or call a function with each; see :func:`hitcurve.progress`.

    Returns
    -------
    TrecEvaluation

    Raises
    ------
    InputError, UnreadableFileError
        Or a subclass, for files and arguments that cannot be evaluated.
    MetricParseError
        Which says of each metric that is none why; :func:`hitcurve.metrics.read_measures` finds those that are.

    Warns
    -----
    HitcurveWarning
        As :func:`hitcurve.evaluate` does.

    Examples
    --------
    >>> run = {"301": {"d1": 3.0, "d2": 2.0, "d3": 2.0}, "302": {"d4": 1.0, "d1": 0.5}}
    >>> qrels = {"301": {"d1": 1, "d2": 0, "d3": 1, "d9": 1}, "302": {"d1": 1, "d4": 0}}
    >>> ev = evaluate_trec({"bm25": run}, qrels, metrics=["AP", "P@2", "nDCG"])
    >>> round(ev["301", "bm25", "AP"].value, 4), round(ev.mean("bm25", "AP").value, 4)
    (0.6667, 0.5833)
    >>> ev.topics["301"]["bm25"]
    TopicCounts(retrieved=3, relevant=3, found=2, unjudged=0, tied=2)
    """
    wanted = _measures(TREC_DEFAULT if metrics is None else metrics, endless=collection_size is None)
    subtopics = subtopics_of(qrels)
    judged, named = _judgements(qrels if subtopics is None else flattened(subtopics)), _runs(runs)
    rules = Rules.of(ties, unjudged, relevant_from, collection_size, depth)
    chosen, about_topics = _chosen(named, judged, complete=complete)
    of_topics = Judged.of(chosen, judged, subtopics).checked()
    _check_level(of_topics, rules.relevant_from)
    found = {name: rules.ranked(name, run, of_topics) for name, run in counted(named.items(), "runs")}
    counts = {name: own for name, (_, own) in found.items()}
    wanted, same, about_grades = _of_grades(wanted, of_topics, rules, by_default=metrics is None)
    if collection_size is None:
        # whoever is behind all retrieved and all relevant documents
        behind = max(max(c.retrieved, c.relevant) for own in counts.values() for c in own)
        endless = _without_end([m for m in wanted if m not in same], behind)
        same |= endless
    same = {m: asked_as(evaluated, str(m)) for m, evaluated in same.items()}
    _checks.choice("undefined", undefined, ("raise", "nan"))
    _checks.choice("single_class", single_class, SINGLE_CLASS)
    evaluated = read_metrics([same.get(m, m) for m in wanted])
    lists = {name: rules.lists(ranked, evaluated) for name, (ranked, _) in found.items()}
    sampling = SamplingDesign.of(None, None, confidence_level)
    # in a run high scores are good, and a low AUC says who is lost
    unsaid, unit = (DirectionWarning,), TrecEvaluation.unit
    result = evaluate_lists(tuple(chosen), lists, evaluated, undefined, sampling, single_class, unit, unsaid)
    places = {topic: place for place, topic in enumerate(chosen)}
    uncounted = np.array([places[name] for name in result.counted_as_zero], np.intp)
    lacking = {name: own.taken(uncounted).given for name, own in lists.items()} if uncounted.size else {}
    notes = [*about_topics, *rules.notes(counts), *about_grades]
    by_topic = {topic: {name: own[i] for name, own in counts.items()} for i, topic in enumerate(chosen)}
    return warned(_finished(result, notes, by_topic, rules.collection_size, same, lacking))


def _measures(metrics: Any, *, endless: bool) -> tuple[Metric, ...]:
    read = read_measures(metrics)
    if read.unknown:
        ended = [*filter(None, [about_ends([asked_as(m, read.names[m]) for m in read.known])])] if endless else []
        raise MetricParseError("; ".join([*read.unknown.values(), *ended]))
    if not read.known:
        raise ParameterError("no metric given")
    return tuple(asked_as(m, read.names[m]) for m in read.known)


def _finished(
    result: GroupedEvaluation,
    notes: Sequence[str],
    counts: Mapping[str, Mapping[str, TopicCounts]],
    collection_size: int | None,
    same: Mapping[Metric, Metric],
    lacking: Mapping[str, Mapping[Metric, Array]],
) -> TrecEvaluation:
    own = {f.name: getattr(result, f.name) for f in fields(result)}
    endless = (
        f"the length of the ranking is unknown: documents that were not retrieved are placed after {ENDLESS:.0e} ranks"
    )
    note = (endless,) if collection_size is None else ()
    notes_of_groups = (*result.groups.notes, *note)
    groups = replace(result.groups, notes=notes_of_groups, endless=bool(note))
    topics = {topic: counts[topic] for topic in result.counted}
    own |= {"groups": groups, "by": "topic", "notes": tuple(notes)}
    return TrecEvaluation(**own, topics=topics, collection_size=collection_size, same=same, lacking=lacking)


def _check_level(judged: Judged, relevant_from: int) -> None:
    most = judged.grades.max(initial=0)
    if 0 < most < relevant_from:
        raise ParameterError(
            f"no relevance reaches relevant_from={relevant_from} (--relevant-from): the largest of these topics is "
            f"{most:.0f}"
        )


# ---- files and topics


def _judgements(qrels: Any) -> Qrels:
    return qrels_of_file(qrels) if isinstance(qrels, (str, Path)) else checked_qrels(qrels)


def _runs(runs: Any) -> dict[str, Run]:
    if isinstance(runs, (str, Path)):
        runs = [runs]
    elif isinstance(runs, Iterator) and not is_one_run(runs):
        runs = list(runs)
    if is_one_run(runs):
        runs = {_own_name(runs) or "run": runs}
    elif not isinstance(runs, Mapping):
        if not isinstance(runs, Iterable) or (isinstance(runs, np.ndarray) and not runs.ndim):
            raise InputError(f"runs must be files, mappings, data frames or tuples, got {type(runs).__name__}")
        runs = _named(list(runs))
    if not runs:
        raise InputError("no run: there is nothing to evaluate")
    _checks.distinct("run", [str(name) for name in runs])
    return {
        str(name): run_of_file(run) if isinstance(run, (str, Path)) else checked_run(f"run {name!r}", run)
        for name, run in runs.items()
    }


def _named(runs: Sequence[Any]) -> dict[str, Any]:
    """Name files after themselves, and runs as they say."""
    if all(isinstance(run, (str, Path)) for run in runs):
        paths = [Path(path) for path in runs]
        return dict(zip(names_after(paths), paths, strict=True))
    names = [_own_name(run) for run in runs]
    if not all(names):
        swapped = " (are runs and qrels swapped?)" if hasattr(runs[0], "relevance") else ""
        raise InputError(f"runs that are not files need names: give a mapping such as {{'bm25': run}}{swapped}")
    _checks.distinct("run", names)
    return dict(zip(map(str, names), runs, strict=True))


def _own_name(run: Any) -> str | None:
    """Return how a run calls itself; a column called name of a data frame is no name of it."""
    name = getattr(run, "name", None)
    return name if isinstance(name, str) else None


def _chosen(runs: Mapping[str, Run], judged: Qrels, *, complete: bool) -> tuple[list[str], list[str]]:
    """Return the topics to evaluate, and notes about the omitted topics."""
    notes = []
    for name, run in runs.items():
        stray = in_order(run.keys() - judged.keys())
        if stray:
            notes.append(f"{name}: {topics_in_words(len(stray))} without judgements left out: {rows.some(stray)}")
    chosen = in_order(judged if complete else judged.keys() & set.intersection(*(set(run) for run in runs.values())))
    if not any(run.keys() & judged.keys() for run in runs.values()) or not chosen:
        first = next(iter(runs.values()))
        raise InputError(
            f"no topic is in the qrels and in {'the run' if len(runs) == 1 else 'every run'}: the qrels have "
            f"{rows.some(in_order(judged), 3)}, {next(iter(runs))!r} has {rows.some(in_order(first), 3)}"
        )
    for name, run in runs.items():
        lacking = in_order(judged.keys() - run.keys())
        if lacking:
            done = "counted as if nothing was retrieved" if complete else "left out unless complete (--complete)"
            notes.append(
                f"{name}: {topics_in_words(len(lacking))} of the qrels not in the run, {done}: {rows.some(lacking)}"
            )
    return chosen, notes


def _of_grades(
    wanted: Sequence[Metric], judged: Judged, rules: Rules, *, by_default: bool
) -> tuple[tuple[Metric, ...], dict[Metric, Metric], list[str]]:
    """Return the metrics, the graded metric evaluated in place of each binary one, and notes about the change.

    Raises
    ------
    ParameterError
        If a measure needs an order of equal scores.
    """
    grades = np.unique(judged.grades[judged.grades > 0]).astype(int).tolist()
    graded = grades not in ([], [1])
    same = {m: of_grades(m) for m in wanted if graded and of_grades(m) != m}
    if rules.ties == "group":
        ordered = [m for m in wanted if _needs_order(same.get(m, m))]
        if ordered and not (by_default and set(ordered) <= set(same)):
            verb = "needs" if len(ordered) == 1 else "need"
            raise ParameterError(
                f"{rows.listed(list(map(str, ordered)))} of equal scores {verb} an order: use ties='trec' (--ties trec)"
            )
        left_out = [f"{m} left out: of graded relevance it needs ties='trec'" for m in ordered]
        return tuple(m for m in wanted if m not in ordered), {}, left_out
    notes = []
    if graded:
        listed = rows.listed(list(map(str, grades)))
        gains = [str(m) for m in wanted if m in same]
        if gains:
            notes.append(f"gains of {few_of(gains)} are relevances: {listed}")
        by_level: dict[int, list[str]] = {}
        for m in wanted:
            if m not in same and not _has_gains(m):
                level = m.level(rules.relevant_from) if isinstance(m, Binary) else rules.relevant_from
                by_level.setdefault(level, []).append(str(m))
        if by_level:
            takes = [
                f"{few_of(names)} {'takes' if len(names) == 1 else 'take'} a relevance of at least {level} as relevant"
                for level, names in sorted(by_level.items())
            ]
            notes.append(f"{'; '.join(takes)}; relevances are {listed}")
    return tuple(wanted), same, notes


def _needs_order(m: Metric) -> bool:
    return isinstance(m, TopicMeasure) and not m.is_set


def _has_gains(m: Metric) -> bool:
    """Say whether relevance is no matter of a level."""
    return isinstance(m, TopicMeasure) and "relevant from" not in m.about(1)


# ---- metrics of a list without an end


def about_ends(wanted: Sequence[Metric]) -> str:
    """Return which metrics need the end of a list that has none, as a sentence; empty if none does."""
    refused = [str(m) for m in wanted if m.needs_end]
    if not refused:
        return ""
    verb = "depends" if len(refused) == 1 else "depend"
    return (
        f"{rows.listed(refused)} {verb} on the length of the list, which a run does not contain: give the number "
        "of documents (collection_size, --collection-size), or ask for ap, ndcg, dcg, roc(50), or precision, "
        "recall, hits or relative_ef at a number or R, such as precision@10"
    )


def _without_end(wanted: Sequence[Metric], behind: int) -> dict[Metric, Metric]:
    """Return substitutes for metrics that sum over the whole list; raise for metrics that need its end.

    Raises
    ------
    ParameterError
        For all that do.
    """
    if refused := about_ends(wanted):
        raise ParameterError(refused)
    # nothing that was asked for itself, which would then be the same metric twice
    while any(m.up_to(behind) in wanted and m.up_to(behind) != m for m in wanted):
        behind += 1
    return {m: m.up_to(behind) for m in wanted if m.up_to(behind) != m}
