"""Measures of retrieval against trec_eval, ir_measures, ranx and ndeval, on drawn runs.

``python -m validation.measures [--quick]``. Graded qrels with topics that are missing on either side, documents that
were not judged or have a relevance below 0; one run without equal scores, one with many. The largest difference over
all topics of each measure and tool. A tool that is not installed is left out, and said.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec

import numpy as np

import hitcurve as hc
from hitcurve.metrics.spelling import canonical
from hitcurve.metrics.trec import TREC_EVAL
from validation.running import SEED, Line, arguments, shown, write

STUDY = 27
Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]
Values = Mapping[str, Mapping[str, float]]

PYTREC_EVAL = [name for name in TREC_EVAL if name not in ("dcg", "ideal_dcg", "rbp", "rbp_resid")]
# written for ir_measures; RBP asks there for the level
IR_MEASURES = (
    *(
        "AP",
        "AP(rel=2)",
        "AP@20",
        "AP(rel=2)@20",
        "P@10",
        "P(rel=2)@10",
        "P(judged_only=True)@10",
        "R@50",
        "R(rel=2)@50",
    ),
    *("RR", "RR(rel=2)", "RR@10", "Rprec", "Rprec(rel=2)", "Success@5", "Success(rel=2)@5", "Bpref", "Bpref(rel=2)"),
    *("infAP", "IPrec@0.1", "IPrec@0.5", "SetP", "SetR", "SetF", "SetF(beta=0.5)", "SetAP", "SetP(relative=True)"),
    *("nDCG", "nDCG@10", "nDCG(judged_only=True)@10", "nDCG(gains={1:3,2:7})@10", "nDCG(dcg='exp-log2')@10"),
    *("ERR@10", "ERR@20", "Judged@10", "Judged@50", "RBP(rel=1,p=0.8)", "RBP(rel=2,p=0.5)", "NumRet", "NumRel", "NumQ"),
)
RANX = {
    "map": "AP",
    "ndcg@10": "nDCG@10",
    "ndcg_burges@10": "nDCG(dcg='exp-log2')@10",
    "mrr": "RR",
    "precision@10": "P@10",
    "recall@50": "R@50",
    "r-precision": "Rprec",
    "hit_rate@5": "Success@5",
    "f1": "SetF",
}


NDEVAL = {
    **{f"alpha-nDCG@{rank}": f"alpha_nDCG@{rank}" for rank in (1, 5, 20)},
    **{f"nERR-IA@{rank}": f"nERR_IA@{rank}" for rank in (1, 5, 20)},
    **{f"alpha-DCG@{rank}": f"alpha_DCG@{rank}" for rank in (5, 20)},
    **{f"ERR-IA@{rank}": f"ERR_IA@{rank}" for rank in (5, 20)},
    "NRBP": "NRBP",
    "nNRBP": "nNRBP",
    "MAP-IA": "AP_IA",
    "P-IA@20": "P_IA@20",
    "strec@20": "StRecall@20",
}


def drawn(topics: int, rng: np.random.Generator, *, ties: bool) -> tuple[Run, Qrels]:
    """Return a run of 100 documents a topic and judgements of some of them, and of others."""
    run, qrels = {}, {}
    for topic in map(str, range(1, topics + 1)):
        documents = [f"d{one}" for one in rng.choice(1000, 130, replace=False)]
        score = rng.normal(size=100)
        if topic != "1":
            run[topic] = dict(zip(documents, np.round(score, 0 if ties else 9).tolist(), strict=False))
        if topic != "2":
            grades = rng.choice([-1, 0, 1, 2, 3], 60, p=[0.05, 0.45, 0.25, 0.15, 0.1]).tolist()
            qrels[topic] = dict(zip(rng.choice(documents, 60, replace=False).tolist(), grades, strict=True))
    return run, qrels


# ---- the tools


def of_trec_eval(run: Run, qrels: Qrels) -> tuple[Sequence[str], Values]:
    """Return the measures of trec_eval and their values."""
    called = import_module("pytrec_eval")
    return PYTREC_EVAL, called.RelevanceEvaluator(qrels, set(PYTREC_EVAL)).evaluate(run)


def of_ir_measures(run: Run, qrels: Qrels) -> tuple[Sequence[str], Values]:
    """Return the measures of ir_measures whose providers are installed, and their values."""
    called = import_module("ir_measures")
    found: dict[str, dict[str, float]] = {}
    asked = []
    for name in IR_MEASURES:
        measure = called.parse_measure(name)
        try:
            values = list(called.iter_calc([measure], qrels, run))
        except ValueError:  # a provider that is not installed
            continue
        asked.append(name)
        for value in values:
            found.setdefault(value.query_id, {})[name] = float(value.value)
    return asked, found


def of_ranx(run: Run, qrels: Qrels) -> tuple[Sequence[str], Values]:
    """Return the measures of ranx, which takes no relevance below 1, and their values."""
    called = import_module("ranx")
    topics = sorted(run.keys() & qrels.keys())
    relevant = {topic: {name: grade for name, grade in qrels[topic].items() if grade > 0} for topic in topics}
    given = called.Run({topic: run[topic] for topic in topics}), called.Qrels(relevant)
    called.evaluate(given[1], given[0], list(RANX), return_mean=False)
    values: dict[str, dict[str, float]] = {topic: {} for topic in topics}
    for theirs, ours in RANX.items():
        for topic, value in given[0].scores[theirs].items():
            values[topic][ours] = float(value)
    return list(RANX.values()), values


def of_ndeval(run: Run, qrels: Qrels) -> tuple[Sequence[str], Values]:
    """Return the measures of ndeval, with three subtopics for each topic, and their values."""
    called = import_module("pyndeval")
    judged = [called.SubtopicQrel(*entry) for entry in _entries(by_subtopic(qrels))]
    listed = [
        called.ScoredDoc(topic, name, score)
        for topic, of in run.items()
        for score, name in sorted(((score, name) for name, score in of.items()), reverse=True)
    ]
    found = called.RelevanceEvaluator(judged, list(NDEVAL)).evaluate(listed)
    return list(NDEVAL.values()), {
        topic: {NDEVAL[name]: value for name, value in of.items()} for topic, of in found.items()
    }


def by_subtopic(qrels: Qrels) -> dict[str, dict[str, dict[str, int]]]:
    """Return judgements for three subtopics: a document of each relevance is about other ones."""
    about = {-1: (), 0: ("a",), 1: ("a",), 2: ("b",), 3: ("a", "b", "c")}
    return {
        topic: {name: dict.fromkeys(about[grade], min(grade, 1)) for name, grade in of.items() if about[grade]}
        for topic, of in qrels.items()
    }


def _entries(subtopics: dict[str, dict[str, dict[str, int]]]) -> Iterator[tuple[str, str, str, int]]:
    for topic, of in subtopics.items():
        for name, own in of.items():
            for subtopic, grade in own.items():
                yield topic, subtopic, name, grade


TOOLS: dict[str, tuple[str, Callable[[Run, Qrels], tuple[Sequence[str], Values]]]] = {
    "trec_eval": ("pytrec_eval", of_trec_eval),
    "ir_measures": ("ir_measures", of_ir_measures),
    "ranx": ("ranx", of_ranx),
    "ndeval": ("pyndeval", of_ndeval),
}


def differences(tool: str, run: Run, qrels: Qrels) -> Iterator[tuple[str, float, int]]:
    """Yield each measure that a tool has, by our string, with the largest difference and the number of topics."""
    names, theirs = TOOLS[tool][1](run, qrels)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        judged = by_subtopic(qrels) if tool == "ndeval" else qrels
        ours = hc.evaluate_trec({"run": run}, judged, metrics=list(names), single_class="zero")
    places = {topic: place for place, topic in enumerate(ours.counted)}
    asked = {name: hc.trec_metric(name) for name in names} if tool != "trec_eval" else {}
    written = asked or {name: m for m, name in ours.trec_names.items()}
    for name, m in written.items():
        own = ours.values("run", m)
        compared = [(own[places[topic]], of[name]) for topic, of in theirs.items() if name in of and topic in places]
        yield canonical(m), max(abs(a - b) for a, b in compared if not math.isnan(b)), len(compared)


def study(topics: int) -> list[Line]:
    """Return a line for each tool and measure."""
    lines: dict[tuple[str, str], Line] = {}
    for kind, ties in (("no ties", False), ("ties", True)):
        run, qrels = drawn(topics, np.random.default_rng([SEED, STUDY, int(ties)]), ties=ties)
        for tool, (module, _) in TOOLS.items():
            if find_spec(module) is None:
                print(f"{tool} is not installed", file=sys.stderr)
                continue
            for measure, largest, number in differences(tool, run, qrels):
                line = lines.setdefault((tool, measure), {"tool": tool, "measure": measure, "topics": number})
                line[kind] = float(f"{largest:.1e}")
    return list(lines.values())


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    lines = study(20 if args.quick else 300)
    if args.quick:
        print(shown(lines), f"seed {SEED}", sep="\n")
    else:
        write("measures", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
