"""Two official evaluations of rankings, CLEF 2017 and trec_eval's own test, and the same measures by our metrics."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from hitcurve import HitTable, TrecEvaluation, evaluate_trec, metric, precision_recall_curve, read_qrels
from hitcurve.evaluation import TopicCounts
from tests.data import Column, data_folder, read_columns


def value(form: str, table: HitTable) -> float:
    return float(metric(form).value(table))


# ---- CLEF 2017: technologically assisted reviews

CLEF, CLEF_OFFICIAL = "screening/clef2017_tar_runs.csv.gz", "screening/clef2017_tar_official.csv"
RUNS, LEVELS = ("waterloo_a", "waterloo_b", "qut_bool_es"), {"abstract": "rel_abstract", "document": "rel_content"}


@dataclass(frozen=True)
class Review:
    """One topic in one run at one level of inclusion.

    ``ranks`` are those of the inclusions that the run holds. The others are never found: they add nothing to a
    mean over all inclusions, so that a mean over the found ones is multiplied by their share.
    """

    ranks: Column
    inclusions: int
    documents: int
    shown: int

    @cached_property
    def table(self) -> HitTable:
        return HitTable.from_ranks(self.ranks, n=self.documents)

    @property
    def share(self) -> float:
        return self.ranks.size / self.inclusions

    @property
    def ap(self) -> float:
        return self.share * value("ap", self.table)

    @property
    def norm_area(self) -> float:
        # the largest area is that of all inclusions at the top, not of the found ones
        largest = (self.documents - self.ranks.size / 2) / (self.documents - self.inclusions / 2)
        return self.share * value("auac(scale=max)", self.table) * largest

    @property
    def last_rel(self) -> float:
        return self.documents * (1 - value("wss@100%", self.table))

    def work_saved(self, percent: int) -> float:
        if self.ranks.size < round(percent / 100 * self.inclusions):
            return 0.0
        # those that are not in the run stand at its end, behind the inclusion that is waited for
        free = np.setdiff1d(np.arange(1, self.documents + 1), self.ranks)[::-1]
        at_end = np.append(self.ranks, free[: self.inclusions - self.ranks.size])
        return value(f"wss@{percent}%(cut=round)", HitTable.from_ranks(at_end, n=self.documents))

    def gain(self, percent: int) -> float:
        """Return the recall where the official script looks: before the percentage, at multiples of n // 10.

        In a review of a round number of documents that is ten per cent earlier than the name says.
        """
        step = self.documents // 10
        k = min((percent * self.documents - 1) // 100, self.shown) // step * step
        return self.share * value(f"recall@{k}", self.table) if k else 0.0

    def measure(self, name: str) -> float:
        if name in CLEF_COUNTS:
            return dict(zip(CLEF_COUNTS, (self.documents, self.inclusions, self.ranks.size), strict=True))[name]
        if not self.ranks.size:
            return 0.0
        if found := re.fullmatch(r"(NCG@|wss_)(\d+)", name):
            of = self.gain if found[1] == "NCG@" else self.work_saved
            return of(int(found[2]))
        return float(getattr(self, name))


CLEF_COUNTS = ("num_docs", "num_rels", "rels_found")
CLEF_GAINS = tuple(f"NCG@{percent}" for percent in range(10, 101, 10))
CLEF_MEASURES = ("ap", "norm_area", "wss_95", "wss_100", "last_rel", *CLEF_GAINS, *CLEF_COUNTS)
# what the track's cost model makes of a run: nothing of the ranking but how much of it was shown
CLEF_NOT_OURS = {
    *("num_shown", "num_feedback"),
    *("total_cost", "total_cost_uniform", "total_cost_weighted"),
    *("r", "loss_e", "loss_r", "loss_er"),
}


@cache
def reviews_of(run: str, level: str) -> dict[str, Review]:
    columns = read_columns(CLEF)
    topics, rank = columns["topic"].astype(str), columns[f"rank_{run}"]
    found = {}
    for topic in np.unique(topics):
        here = topics == topic
        included = rank[here & (columns[LEVELS[level]] == 1)]
        if included.size:
            ranks = included[~np.isnan(included)].astype(int)
            shown = int(np.count_nonzero(~np.isnan(rank[here])))
            found[str(topic)] = Review(ranks, included.size, int(here.sum()), shown)
    return found


@cache
def clef(run: str, level: str, name: str) -> dict[str, float]:
    """Return our value for each topic, and for ALL their mean; counts are summed, gains are pooled."""
    reviews = reviews_of(run, level)
    values = {topic: review.measure(name) for topic, review in reviews.items()}
    if name in CLEF_COUNTS:
        return values | {"ALL": sum(values.values())}
    inclusions = [review.inclusions for review in reviews.values()]
    weights = inclusions if name.startswith("NCG@") else None
    return values | {"ALL": float(np.average(list(values.values()), weights=weights))}


@cache
def clef_official() -> dict[tuple[str, str], dict[str, dict[str, str]]]:
    """Return what is printed, by run and level, measure and topic."""
    found: dict[tuple[str, str], dict[str, dict[str, str]]] = {}
    with (data_folder() / CLEF_OFFICIAL).open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            by_measure = found.setdefault((row["run"], row["level"]), {})
            by_measure.setdefault(row["measure"], {})[row["topic"]] = row["value"]
    return found


# ---- trec_eval

TREC, TREC_QRELS, RUN = "trec/trec_eval_results.test", "trec/trec_eval_qrels.test", "STANDARD"
TREC_PRINTED = ("trec/trec_eval_out.test", "trec/trec_eval_out.test.a", "trec/trec_eval_out.test.aq")


@cache
def trec_run(form: str = "ap", **options: Any) -> TrecEvaluation:
    runs = {RUN: data_folder() / TREC}
    return evaluate_trec(runs, data_folder() / TREC_QRELS, metrics=form, **options)


def _measured(form: str, **options: Any) -> dict[str, float]:
    return {topic: e.value for topic, e in trec_run(form, **options).estimates(RUN, form).items()}


def _of_topics(measure: Callable[[HitTable, TopicCounts], float]) -> dict[str, float]:
    ev = trec_run()
    return {topic: measure(ev[topic].tables[RUN], ev.topics[topic][RUN]) for topic in ev}


def _of_retrieved(form: str) -> dict[str, float]:
    return _of_topics(lambda table, counts: value(f"{form}@{counts.retrieved}", table))


def _bpref() -> dict[str, float]:
    # the mean share of as many judged negatives as there are positives that a positive is above
    out, qrels = {}, read_qrels(data_folder() / TREC_QRELS)
    for topic, ev in trec_run(unjudged="drop").groups.items():
        relevant = sum(qrels[topic].values())
        out[topic] = value(f"roc({min(relevant, len(qrels[topic]) - relevant)})", ev.tables[RUN])
    return out


def _precision_at_recall(level: float) -> Callable[[HitTable, TopicCounts], float]:
    """Return the largest precision from a recall on; the recall is rounded to whole documents."""

    def of(table: HitTable, counts: TopicCounts) -> float:
        curve, wanted = precision_recall_curve(table), math.floor(level * counts.relevant + 0.5)
        return float(curve.y[curve.x * counts.relevant >= wanted - 1e-6].max())

    return of


def _f1(table: HitTable, counts: TopicCounts) -> float:
    # that of everything retrieved
    precision, recall = (value(f"{of}@{counts.retrieved}", table) for of in ("precision", "recall"))
    return 2 * precision * recall / (precision + recall)


# names of trec_eval that are read as they are, with a number after those that end with a line
TREC_NAMES = ("map", "Rprec", "ndcg", "P_", "recall_", "relative_P_", "ndcg_cut_")
# by name, or by name and the number after it
TREC_MEASURES: Mapping[str, Callable[[float], dict[str, float]]] = {
    "num_ret": lambda _: _of_topics(lambda _, counts: counts.retrieved),
    "num_rel": lambda _: _of_topics(lambda _, counts: counts.relevant),
    "num_rel_ret": lambda _: _of_topics(lambda _, counts: counts.found),
    "map_cut_": lambda k: _measured("ap", depth=int(k)),
    "Rprec_mult_": lambda x: _of_topics(
        lambda table, counts: value(f"precision@{int(x * counts.relevant + 0.9)}", table)
    ),
    "bpref": lambda _: _bpref(),
    "success_": lambda k: {topic: float(hits > 0.5) for topic, hits in _measured(f"hits@{k:.0f}").items()},
    "iprec_at_recall_": lambda level: _of_topics(_precision_at_recall(level)),
    "11pt_avg": lambda _: _of_topics(
        lambda *of: float(np.mean([_precision_at_recall(level / 10)(*of) for level in range(11)]))
    ),
    "set_P": lambda _: _of_retrieved("precision"),
    "set_recall": lambda _: _of_retrieved("recall"),
    "set_relative_P": lambda _: _of_retrieved("relative_ef"),
    "set_F": lambda _: _of_topics(_f1),
    "utility": lambda _: _of_topics(lambda _, counts: 2 * counts.found - counts.retrieved),
}
GEOMETRIC = {"gm_map": "map", "gm_bpref": "bpref"}
TREC_NOT_OURS = {
    *("runid", "num_q", "relstring"),  # no values
    *("num_nonrel_judged_ret", "unj_5", "unj_10", "unj_20", "rbp_resid"),  # what was judged
    *("recip_rank", "rbp", "infAP", "G", "binG", "ndcg_rel", "Rndcg", "set_map"),  # no metrics of ours
}


@cache
def trec_printed() -> dict[str, dict[str, set[str]]]:
    """Return what the three files print, by measure and topic."""
    found: dict[str, dict[str, set[str]]] = {}
    for file in TREC_PRINTED:
        for line in (data_folder() / file).read_text(encoding="utf-8").splitlines():
            name, topic, printed = line.split()
            found.setdefault(name, {}).setdefault(topic, set()).add(printed)
    return found


def is_trec_measure(name: str) -> bool:
    return not {name, _split(name)[0]}.isdisjoint({*TREC_NAMES, *TREC_MEASURES, *GEOMETRIC})


def _split(name: str) -> tuple[str, float]:
    found = re.fullmatch(r"(.+_)([\d.]+)", name)
    return (found[1], float(found[2])) if found else (name, np.nan)


@cache
def trec(name: str) -> dict[str, float]:
    """Return our value for each topic, and for all of them their mean, sum or geometric mean."""
    root, number = _split(name)
    if name in GEOMETRIC:
        each = [values for topic, values in trec(GEOMETRIC[name]).items() if topic != "all"]
        return {"all": float(np.exp(np.mean(np.log(np.maximum(each, 1e-5)))))}
    if root in TREC_NAMES:
        return _measured(name) | {"all": trec_run(name).mean(RUN, name).value}
    values = TREC_MEASURES[root](number)
    total = sum(values.values())
    return values | {"all": total if name.startswith("num_") else total / len(values)}
