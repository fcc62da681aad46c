"""Runs and qrels of TREC -> an evaluation of every topic, as trec_eval makes it."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hitcurve import _checks, rows
from hitcurve.errors import DirectionWarning, HitcurveWarning, InputError, MissingValueError, ParameterError
from hitcurve.evaluation.conduct import evaluate
from hitcurve.evaluation.grouped import GroupedEvaluation, in_order
from hitcurve.evaluation.result import Evaluation
from hitcurve.groups import AverageCurve
from hitcurve.inference import Estimate
from hitcurve.metrics import (
    DCG,
    NDCG,
    AveragePrecision,
    HitsAt,
    Metric,
    PrecisionAt,
    RecallAt,
    RelativeEnrichmentFactor,
    ROCk,
    trec_metric,
)
from hitcurve.metrics import metrics as read_metrics
from hitcurve.sources.files import names_after
from hitcurve.sources.trec import Qrels, Run, checked_qrels, checked_run, read_qrels, read_trec_run
from hitcurve.table import HitTable

TREC_DEFAULT = ("ap", "precision@R", "precision@10", "recall@100", "ndcg")
TIES, UNJUDGED = ("trec", "group"), ("negative", "drop", "raise")
# places of a list that has no end: what stands behind them all adds less than rounding does
_ENDLESS = 10**15


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


@dataclass(frozen=True, eq=False)
class TrecEvaluation(GroupedEvaluation):
    """An evaluation of runs, topic by topic: a :class:`GroupedEvaluation` whose groups are topics, its rankers runs.

    Metrics are asked for by any name that :func:`hitcurve.trec_metric` reads.

    Attributes
    ----------
    topics : mapping of str to mapping of str to TopicCounts
        What each run holds of each topic that was evaluated.
    collection_size : int or None
        None where the list has no end; the tables then have one of 10^15 places.
    same : mapping of Metric to Metric
        What was evaluated for a metric that needs the end of the list: ndcg@K for ndcg, with K behind all.
    """

    topics: Mapping[str, Mapping[str, TopicCounts]] = field(default_factory=dict, repr=False)
    collection_size: int | None = None
    same: Mapping[Metric, Metric] = field(default_factory=dict, repr=False)

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

    def _known(self, ranker: str, wanted: str | Metric) -> Metric:
        return super()._known(ranker, self._evaluated(wanted))

    @property
    def has_curves(self) -> bool:
        """Whether the lists have an end."""
        return self.collection_size is not None

    def average_curve(
        self, ranker: str, curve: str = "roc", along: str = "rate", *, confidence_level: float | None = None
    ) -> AverageCurve:
        """Return the average curve of a run over topics.

        Raises
        ------
        ParameterError
            If the list has no end.
        """
        if not self.has_curves:
            raise ParameterError("a list without an end has no curve: say how long it is (collection_size)")
        return super().average_curve(ranker, curve, along, confidence_level=confidence_level)

    def _about_groups(self) -> list[str]:
        of = {name: [self.topics[topic][name] for topic in self.groups] for name in self.rankers}
        relevant = sorted(counts.relevant for counts in of[self.rankers[0]])
        between = f", {relevant[0]:,} to {relevant[-1]:,} a topic" if len(relevant) > 1 else ""
        lines = [f"{_topics(len(relevant))}: {sum(relevant):,} relevant documents{between}"]
        for name, counts in of.items():
            retrieved, found = sum(c.retrieved for c in counts), sum(c.found for c in counts)
            lines.append(f"{name}: {retrieved:,} documents retrieved, {found:,} of them relevant")
        return lines

    def group_rows(self, wanted: Metric) -> tuple[list[str], list[list[str]]]:
        """Return header and rows for a printer: one metric topic by topic, a column for each run."""
        body = []
        for name, ev in self.groups.items():
            counts = self.topics[name]
            values = [rows.number(ev[run, wanted].value) for run in self.rankers]
            body.append([name, rows.count(counts[self.rankers[0]].relevant), *values])
        return [str(wanted), "relevant", *self.rankers], body

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain lists and dictionaries, with the version of their schema."""
        counts = {topic: {run: c._asdict() for run, c in of.items()} for topic, of in self.topics.items()}
        return {**super().to_dict(), "topics": counts, "collection_size": self.collection_size}


def evaluate_trec(
    runs: Any,
    qrels: Any,
    *,
    metrics: str | Metric | Iterable[str | Metric] = TREC_DEFAULT,
    ties: str = "trec",
    unjudged: str = "negative",
    relevant_from: int = 1,
    collection_size: int | None = None,
    complete: bool = False,
    depth: int | None = None,
    single_class: str = "raise",
    undefined: str = "raise",
    confidence_level: float = 0.95,
) -> TrecEvaluation:
    """Evaluate runs topic by topic against judgements, with trec_eval's order and its rule for missing documents.

    Topics that were not judged are left out, and so are judged topics that a run lacks (see ``complete``); notes
    say how many.

    Parameters
    ----------
    runs : str or Path, list of these, or mapping of str to these or to mappings
        Files of runs (:func:`hitcurve.read_trec_run`), named after themselves or as the mapping says; a mapping may
        also hold runs as mappings of topics to the scores of their documents.
    qrels : str, Path or mapping
        File of judgements (:func:`hitcurve.read_qrels`), or a mapping of topics to the relevance of their documents.
    metrics : str, Metric, or an iterable of these
        Names of ir_measures and trec_eval as ``"nDCG@10"`` are read too, see :func:`hitcurve.trec_metric`.
    ties : {"trec", "group"}
        ``trec``: scores in single precision, equal ones in the order of the names of their documents, last name
        first, as trec_eval takes them. ``group``: scores as they are, equal ones as one group.
    unjudged : {"negative", "drop", "raise"}
        Documents of a run that were not judged: not relevant (trec_eval), left out of the list (trec_eval -J), or
        refused.
    relevant_from : int
        Smallest relevance that counts as relevant.
    collection_size : int, optional
        Documents of the collection. Without it the list has no end: what was not retrieved is never found, as in
        trec_eval, and only metrics are computed that do not ask for the end (ap, precision, recall, hits and
        relative_ef at a number or R, ndcg, dcg, roc(k)). With it all documents that were not retrieved are tied at
        the end of the list, and every metric is computed.
    complete : bool
        Whether a judged topic that a run lacks counts as one for which it retrieved nothing (trec_eval -c): 0 on a
        list without an end.
    depth : int, optional
        Read only so many documents of each topic (trec_eval -M); takes ``ties="trec"``.
    single_class : {"raise", "skip", "zero"}
        Topics without a relevant document: refuse, leave out, or count as 0 (trec_eval).
    undefined : {"raise", "nan"}
    confidence_level : float in (0, 1)

    Returns
    -------
    TrecEvaluation

    Raises
    ------
    InputError, UnreadableFileError
        One of their kinds, in one sentence, for files and arguments that cannot be evaluated.

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
    wanted = read_metrics(metrics, trec_metric)
    judged, named = _judgements(qrels), _runs(runs)
    rules = _Rules.of(ties, unjudged, relevant_from, collection_size, depth)
    chosen, about_topics = _chosen(named, judged, complete=complete)
    found = {topic: {name: rules.ranking(name, topic, run, judged) for name, run in named.items()} for topic in chosen}
    counts = {topic: {name: ranking.counts for name, ranking in of.items()} for topic, of in found.items()}
    # whoever is behind all retrieved and all relevant documents
    behind = max(max(c.retrieved, c.relevant) for of in counts.values() for c in of.values())
    same = {} if collection_size is not None else _without_end(wanted, behind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = evaluate(
            tables={topic: {name: ranking.table for name, ranking in of.items()} for topic, of in found.items()},
            metrics=[same.get(m, m) for m in wanted],
            undefined=undefined,
            single_class=single_class,
            confidence_level=confidence_level,
        )
    stands = [f"{m} is written {at}: no list here goes further" for m, at in same.items()]
    notes = [*about_topics, *rules.notes(counts), *stands, *_about_grades(wanted, judged, chosen, rules.relevant_from)]
    said = _finished(result, notes, counts, rules.collection_size, same)
    for warning in said.warnings:
        warnings.warn(warning, stacklevel=2)
    return said


def _finished(
    result: GroupedEvaluation,
    notes: Sequence[str],
    counts: Mapping[str, Mapping[str, TopicCounts]],
    collection_size: int | None,
    same: Mapping[Metric, Metric],
) -> TrecEvaluation:
    own = {f.name: getattr(result, f.name) for f in fields(result)}
    endless = f"the list has no end: documents that were not retrieved stand behind {_ENDLESS:.0e} places"
    note = (endless,) if collection_size is None else ()
    groups = {name: replace(ev, warnings=_heard(ev), notes=(*ev.notes, *note)) for name, ev in result.groups.items()}
    topics = {topic: counts[topic] for topic in groups}
    own |= {"groups": groups, "warnings": _heard(result), "by": "topic", "notes": tuple(notes)}
    return TrecEvaluation(**own, topics=topics, collection_size=collection_size, same=same)


def _heard(result: Evaluation | GroupedEvaluation) -> tuple[HitcurveWarning, ...]:
    """Return the warnings but that of the direction: in a run high scores are good, and a low AUC says who is lost."""
    return tuple(warning for warning in result.warnings if not isinstance(warning, DirectionWarning))


# ---- files and topics


def _judgements(qrels: Any) -> Qrels:
    return read_qrels(qrels) if isinstance(qrels, (str, Path)) else checked_qrels(qrels)


def _runs(runs: Any) -> dict[str, Run]:
    if isinstance(runs, (str, Path)):
        runs = [runs]
    if not isinstance(runs, Mapping):
        paths = [Path(path) for path in runs]
        runs = dict(zip(names_after(paths), paths, strict=True))
    if not runs:
        raise InputError("no run: there is nothing to evaluate")
    return {
        str(name): read_trec_run(run) if isinstance(run, (str, Path)) else checked_run(f"run {name!r}", run)
        for name, run in runs.items()
    }


def _chosen(runs: Mapping[str, Run], judged: Qrels, *, complete: bool) -> tuple[list[str], list[str]]:
    """Return the topics to evaluate, and what is said of the others."""
    notes = []
    for name, run in runs.items():
        stray = in_order(run.keys() - judged.keys())
        if stray:
            notes.append(f"{name}: {_topics(len(stray))} without judgements left out: {rows.some(stray)}")
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
            notes.append(f"{name}: {_topics(len(lacking))} of the qrels not in the run, {done}: {rows.some(lacking)}")
    return chosen, notes


def _topics(count: int) -> str:
    return f"{count:,} {'topic' if count == 1 else 'topics'}"


def _about_grades(wanted: Sequence[Metric], judged: Qrels, chosen: Sequence[str], relevant_from: int) -> list[str]:
    gains = [str(m) for m in wanted if isinstance(m, (DCG, NDCG))]
    grades = {grade for topic in chosen for grade in judged[topic].values() if grade >= relevant_from}
    if not gains or not grades - {1}:
        return []
    said = ", ".join(map(str, sorted(grades)))
    return [f"{', '.join(gains)}: relevances of {said} all have gain 1, where trec_eval takes the relevance"]


# ---- one topic


class _Ranking(NamedTuple):
    table: HitTable
    counts: TopicCounts


class _Rules(NamedTuple):
    """How a run and judgements become a list."""

    ties: str
    unjudged: str
    relevant_from: int
    collection_size: int | None
    depth: int | None

    @classmethod
    def of(cls, ties: str, unjudged: str, relevant_from: Any, collection_size: int | None, depth: int | None) -> _Rules:
        _checks.choice("ties", ties, TIES)
        _checks.choice("unjudged", unjudged, UNJUDGED)
        if collection_size is not None:
            collection_size = _checks.whole_number("collection_size", collection_size)
            if unjudged == "drop":
                raise ParameterError(
                    "unjudged='drop' leaves nothing of the collection but what was judged: give no collection_size"
                )
        if depth is not None:
            depth = _checks.whole_number("depth", depth)
            if ties == "group":
                raise ParameterError("depth may cut through equal scores: it takes ties='trec'")
        return cls(ties, unjudged, _checks.whole_number("relevant_from", relevant_from), collection_size, depth)

    def ranking(self, name: str, topic: str, run: Run, qrels: Qrels) -> _Ranking:
        """Return the list of one topic of one run."""
        judged = qrels[topic]
        documents, row = self._in_order(run.get(topic, {}))
        is_judged = np.array([document in judged for document in documents], bool)
        unjudged = int(np.sum(~is_judged))
        if unjudged and self.unjudged == "raise":
            first = documents[int(np.argmin(is_judged))]
            raise MissingValueError(
                f"{name}, topic {topic!r}: {unjudged} of {len(documents)} retrieved documents are not judged, the "
                f"first is {first!r}: take them as not relevant or leave them out (unjudged='negative' or 'drop')"
            )
        tied = sum(count for count in Counter(self._scores(run.get(topic, {}))).values() if count > 1)
        on_list = is_judged if self.unjudged == "drop" else np.ones(len(documents), bool)
        is_relevant = np.array([judged.get(document, 0) >= self.relevant_from for document in documents], bool)[on_list]
        relevant = sum(grade >= self.relevant_from for grade in judged.values())
        found = int(is_relevant.sum())
        row = row[on_list]
        pos = np.bincount(row[is_relevant], minlength=row.max(initial=-1) + 1)
        neg = np.bincount(row, minlength=pos.size) - pos
        counts = TopicCounts(row.size, relevant, found, unjudged, tied)
        named = len(judged.keys() | set(documents))
        return _Ranking(self._table(topic, pos, neg, counts, named), counts)

    def _scores(self, run: Mapping[str, float]) -> list[float]:
        """Return the scores as they are compared: trec_eval holds them in single precision."""
        with np.errstate(over="ignore"):
            kind = np.float32 if self.ties == "trec" else np.float64
            scores: list[float] = np.array(list(run.values()), float).astype(kind).tolist()
        return scores

    def _in_order(self, run: Mapping[str, float]) -> tuple[list[str], np.ndarray[Any, np.dtype[np.intp]]]:
        """Return the documents from the best down, and the row of the table that each belongs to."""
        ordered = sorted(zip(self._scores(run), run, strict=True), reverse=True)[: self.depth]
        documents = [document for _, document in ordered]
        if self.ties == "trec":
            return documents, np.arange(len(ordered))
        scores = np.array([score for score, _ in ordered])
        return documents, np.cumsum(np.append(0, np.diff(scores) < 0))[: len(ordered)]

    def _table(self, topic: str, pos: Any, neg: Any, counts: TopicCounts, named: int) -> HitTable:
        lost = counts.relevant - counts.found
        if self.collection_size is None:
            last = ([0] + [1] * lost, [_ENDLESS - counts.retrieved - lost] + [0] * lost)
        elif self.collection_size < named:
            raise ParameterError(
                f"collection_size is {self.collection_size:,}, and run and qrels name {named:,} documents of topic "
                f"{topic!r} alone"
            )
        else:
            last = ([lost], [self.collection_size - counts.retrieved - lost])
        return HitTable.from_counts(np.append(pos, last[0]), np.append(neg, last[1])).collapse()

    def notes(self, counts: Mapping[str, Mapping[str, TopicCounts]]) -> list[str]:
        """Return what was done with ties, with unjudged documents and with those not retrieved."""
        said = []
        for name in next(iter(counts.values())):
            of = [by_run[name] for by_run in counts.values()]
            tied, unjudged = sum(c.tied for c in of), sum(c.unjudged for c in of)
            if unjudged:
                done = "left out" if self.unjudged == "drop" else "not relevant"
                said.append(f"{name}: {unjudged:,} retrieved documents without a judgement, {done}")
            if tied:
                how = "last name first, as trec_eval does" if self.ties == "trec" else "as one group"
                said.append(f"{name}: {tied:,} retrieved documents of equal score, {how}")
        if self.depth is not None:
            said.append(f"at most {self.depth:,} documents of a topic are read")
        if self.relevant_from != 1:
            said.append(f"relevant from a relevance of {self.relevant_from} on")
        if self.collection_size is None:
            return [*said, "documents that were not retrieved are never found"]
        return [*said, f"documents that were not retrieved are tied at the end of {self.collection_size:,}"]


# ---- metrics of a list without an end


def _without_end(wanted: Sequence[Metric], behind: int) -> dict[Metric, Metric]:
    """Return what stands for metrics whose sum runs over the whole list; refuse those that ask for its end.

    Raises
    ------
    ParameterError
        For all that do.
    """
    refused = [str(m) for m in wanted if not _has_no_end(m)]
    if refused:
        verb = "depends" if len(refused) == 1 else "depend"
        raise ParameterError(
            f"{rows.listed(refused)} {verb} on the length of the list, which a run does not say: give the number of "
            "documents (collection_size, --collection-size), or ask for ap, ndcg, dcg, roc(50), or precision, recall, "
            "hits or relative_ef at a number or R, as precision@10"
        )
    return {m: replace(m, at=behind) for m in wanted if isinstance(m, (DCG, NDCG)) and m.at is None}


def _has_no_end(m: Metric) -> bool:
    if isinstance(m, (RecallAt, HitsAt, PrecisionAt, RelativeEnrichmentFactor)):
        return not m.place.is_share
    return isinstance(m, (AveragePrecision, NDCG, DCG, ROCk))
