"""Two official evaluations of rankings, CLEF 2017 and trec_eval's own test, and the same measures by our metrics."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from hitcurve import HitTable, metric, precision_recall_curve
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

TREC = "trec/trec_eval_results.test"
TREC_PRINTED = ("trec/trec_eval_out.test", "trec/trec_eval_out.test.a", "trec/trec_eval_out.test.aq")
# documents that were not retrieved are never found: they stand at the end of a list that has no end
ENDLESS = 10**12


def _fields(name: str) -> list[list[str]]:
    return [line.split() for line in (data_folder() / name).read_text(encoding="utf-8").splitlines()]


@dataclass(frozen=True)
class Topic:
    """One topic of a TREC run: the ranks of the relevant documents, on the whole list and among the judged."""

    ranks: Column
    ranks_judged: Column
    relevant: int
    judged: int
    retrieved: int

    def up_to(self, k: int) -> HitTable:
        """Return the table of all relevant documents, those beyond rank k at the end."""
        found = self.ranks[self.ranks <= k]
        return HitTable.from_ranks(np.append(found, ENDLESS - np.arange(self.relevant - found.size)), n=ENDLESS)

    @cached_property
    def table(self) -> HitTable:
        return self.up_to(self.retrieved)

    @property
    def bpref(self) -> float:
        # the mean share of as many judged negatives as there are positives that a positive is above
        lost = self.judged - np.arange(self.relevant - self.ranks_judged.size)
        table = HitTable.from_ranks(np.append(self.ranks_judged, lost), n=self.judged)
        return value(f"roc({self.relevant})", table)

    def precision_at_multiple(self, of_relevant: float) -> float:
        return value(f"precision@{int(of_relevant * self.relevant + 0.9)}", self.table)

    def precision_at_recall(self, level: float) -> float:
        """Return the largest precision from a recall on; the recall is rounded to whole documents."""
        curve, wanted = precision_recall_curve(self.table), math.floor(level * self.relevant + 0.5)
        return float(curve.y[curve.x * self.relevant >= wanted - 1e-6].max())

    @property
    def f1(self) -> float:
        # that of everything retrieved
        precision, recall = (value(f"{of}@{self.retrieved}", self.table) for of in ("precision", "recall"))
        return 2 * precision * recall / (precision + recall)


# by name, or by name and the number after it
TREC_MEASURES: Mapping[str, Callable[[Topic, float], float]] = {
    "num_ret": lambda topic, _: topic.retrieved,
    "num_rel": lambda topic, _: topic.table.n_pos,
    "num_rel_ret": lambda topic, _: round(value(f"hits@{topic.retrieved}", topic.table), 6),
    "map": lambda topic, _: value("ap", topic.table),
    "map_cut_": lambda topic, k: value("ap", topic.up_to(int(k))),
    "Rprec": lambda topic, _: value("precision@R", topic.table),
    "Rprec_mult_": lambda topic, x: topic.precision_at_multiple(x),
    "bpref": lambda topic, _: topic.bpref,
    "P_": lambda topic, k: value(f"precision@{k:.0f}", topic.table),
    "recall_": lambda topic, k: value(f"recall@{k:.0f}", topic.table),
    "relative_P_": lambda topic, k: value(f"relative_ef@{k:.0f}", topic.table),
    "success_": lambda topic, k: float(value(f"hits@{k:.0f}", topic.table) > 0.5),
    "ndcg": lambda topic, _: value(f"ndcg@{topic.retrieved}", topic.table),
    "ndcg_cut_": lambda topic, k: value(f"ndcg@{k:.0f}", topic.table),
    "iprec_at_recall_": lambda topic, level: topic.precision_at_recall(level),
    "11pt_avg": lambda topic, _: float(np.mean([topic.precision_at_recall(level / 10) for level in range(11)])),
    "set_P": lambda topic, _: value(f"precision@{topic.retrieved}", topic.table),
    "set_recall": lambda topic, _: value(f"recall@{topic.retrieved}", topic.table),
    "set_relative_P": lambda topic, _: value(f"relative_ef@{topic.retrieved}", topic.table),
    "set_F": lambda topic, _: topic.f1,
    "utility": lambda topic, _: 2 * value(f"hits@{topic.retrieved}", topic.table) - topic.retrieved,
}
GEOMETRIC = {"gm_map": "map", "gm_bpref": "bpref"}
TREC_NOT_OURS = {
    *("runid", "num_q", "relstring"),  # no values
    *("num_nonrel_judged_ret", "unj_5", "unj_10", "unj_20", "rbp_resid"),  # what was judged
    *("recip_rank", "rbp", "infAP", "G", "binG", "ndcg_rel", "Rndcg", "set_map"),  # no metrics of ours
}


@cache
def trec_topics() -> dict[str, Topic]:
    """Return the topics in trec_eval's order: score descending, then document id descending."""
    judgements: dict[str, dict[str, bool]] = {}
    for topic, _, document, relevance in _fields("trec/trec_eval_qrels.test"):
        judgements.setdefault(topic, {})[document] = int(relevance) > 0
    runs: dict[str, list[tuple[float, str]]] = {}
    for topic, _, document, _, score, _ in _fields(TREC):
        runs.setdefault(topic, []).append((float(score), document))
    found = {}
    for topic, run in runs.items():
        judged = judgements[topic]
        documents = [document for _, document in sorted(run, reverse=True)]
        ranks = np.flatnonzero([judged.get(document, False) for document in documents]) + 1
        ranks_judged = np.flatnonzero([judged[document] for document in documents if document in judged]) + 1
        found[topic] = Topic(ranks, ranks_judged, sum(judged.values()), len(judged), len(run))
    return found


@cache
def trec_printed() -> dict[str, dict[str, set[str]]]:
    """Return what the three files print, by measure and topic."""
    found: dict[str, dict[str, set[str]]] = {}
    for file in TREC_PRINTED:
        for name, topic, printed in _fields(file):
            found.setdefault(name, {}).setdefault(topic, set()).add(printed)
    return found


def is_trec_measure(name: str) -> bool:
    return name in TREC_MEASURES or name in GEOMETRIC or _split(name)[0] in TREC_MEASURES


def _split(name: str) -> tuple[str, float]:
    found = re.fullmatch(r"(.+_)([\d.]+)", name)
    return (found[1], float(found[2])) if found else (name, np.nan)


@cache
def trec(name: str) -> dict[str, float]:
    """Return our value for each topic, and for all of them their mean, sum or geometric mean."""
    if name in GEOMETRIC:
        each = [values for topic, values in trec(GEOMETRIC[name]).items() if topic != "all"]
        return {"all": float(np.exp(np.mean(np.log(np.maximum(each, 1e-5)))))}
    root, number = (name, np.nan) if name in TREC_MEASURES else _split(name)
    values = {key: TREC_MEASURES[root](topic, number) for key, topic in trec_topics().items()}
    total = sum(values.values())
    return values | {"all": total if name.startswith("num_") else total / len(values)}
