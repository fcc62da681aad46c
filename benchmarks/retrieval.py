"""Runs and qrels of two kinds, six measures, against trec_eval called from Python: a part of ``benchmarks.many``.

Both sides begin with mappings of run and qrels, and once more with their files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import hitcurve as hc
from benchmarks.evaluate import SEED
from benchmarks.race import Missing, Race, agree

MEASURES = {
    "AP": "map",
    "nDCG": "ndcg",
    "nDCG@10": "ndcg_cut_10",
    "P@10": "P_10",
    "RR": "recip_rank",
    "R@100": "recall_100",
}
ASKED = {"map", "ndcg", "ndcg_cut.10", "P.10", "recip_rank", "recall.100"}

Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]


def of_passages(topics: int, rng: np.random.Generator) -> tuple[Run, Qrels]:
    """Return a run of 1,000 passages a topic, of which one or two are judged, no equal scores."""
    run, qrels = {}, {}
    for topic in map(str, range(topics)):
        names = [f"{one}" for one in rng.choice(8_800_000, 1000, replace=False)]
        run[topic] = dict(zip(names, np.sort(rng.normal(size=1000))[::-1].tolist(), strict=True))
        at = np.unique((1000 * rng.random(1 + int(rng.random() < 0.1)) ** 4).astype(int))
        qrels[topic] = {names[one]: 1 for one in at.tolist()}
    return run, qrels


def of_news(topics: int, rng: np.random.Generator) -> tuple[Run, Qrels]:
    """Return a run of 1,000 articles a topic, 1,250 judged by grades, scores of four decimals as of BM25."""
    run, qrels = {}, {}
    for topic in map(str, range(topics)):
        names = [f"LA{one:06}-{one % 200:04}" for one in rng.choice(130_000, 2000, replace=False)]
        scores = np.round(np.sort(4 + rng.gamma(2.0, 2.0, 1000))[::-1], 4)
        run[topic] = dict(zip(names, scores.tolist(), strict=False))
        judged = [*rng.choice(1000, 600, replace=False).tolist(), *range(1000, 1650)]
        grades = rng.choice(3, len(judged), p=[0.94, 0.045, 0.015])
        grades[0] = 1
        qrels[topic] = {names[one]: int(grade) for one, grade in zip(judged, grades.tolist(), strict=True)}
    return run, qrels


def races(quick: bool) -> Iterator[Race | Missing]:
    """Yield a race for each kind of collection."""
    kinds: tuple[tuple[str, Callable[[int, np.random.Generator], tuple[Run, Qrels]], int], ...] = (
        ("passages, 1 or 2 judged", of_passages, 70 if quick else 7000),
        ("articles, 1,250 judged by grades", of_news, 10 if quick else 250),
    )
    for what, of_kind, topics in kinds:
        work = f"{topics:,} topics x 1,000 {what}, six measures, mappings"
        if find_spec("pytrec_eval") is None:
            yield Missing(work, "pytrec_eval")
            continue
        run, qrels = of_kind(topics, np.random.default_rng([SEED, topics]))

        def peer(run: Run = run, qrels: Qrels = qrels) -> dict[str, dict[str, float]]:
            found: dict[str, dict[str, float]] = (
                import_module("pytrec_eval").RelevanceEvaluator(qrels, ASKED).evaluate(run)
            )
            return found

        def ours(run: Run = run, qrels: Qrels = qrels) -> hc.TrecEvaluation:
            return hc.evaluate_trec({"run": run}, qrels, metrics=list(MEASURES))

        theirs, found = peer(), ours()
        for name, written in MEASURES.items():
            expected = [theirs[topic][written] for topic in found.counted]
            agree(f"{name} of {what}", found.values("run", name), expected)
        yield Race(work, "pytrec_eval", ours, peer, 1, few=True)
        with TemporaryDirectory() as folder:
            asked = 5 if of_kind is of_passages else None
            yield of_files(work.replace("mappings", "files"), Path(folder), run, qrels, asked)


def of_files(work: str, folder: Path, run: Run, qrels: Qrels, asked: float | None) -> Race:
    """Return a race from files to values; trec_eval's binding reads them line by line."""
    written = folder / "run.txt", folder / "qrels.txt"
    with written[0].open("w") as file:
        for topic, scores in run.items():
            file.writelines(f"{topic} Q0 {name} 0 {score:.6f} run\n" for name, score in scores.items())
    with written[1].open("w") as file:
        for topic, judged in qrels.items():
            file.writelines(f"{topic} 0 {name} {grade}\n" for name, grade in judged.items())

    def peer() -> dict[str, dict[str, float]]:
        called = import_module("pytrec_eval")
        with written[0].open() as of_run, written[1].open() as of_qrels:
            read, judged = called.parse_run(of_run), called.parse_qrel(of_qrels)
        found: dict[str, dict[str, float]] = called.RelevanceEvaluator(judged, ASKED).evaluate(read)
        return found

    def ours() -> hc.TrecEvaluation:
        return hc.evaluate_trec({"run": written[0]}, written[1], metrics=list(MEASURES))

    theirs, found = peer(), ours()
    for name, theirs_name in MEASURES.items():
        agree(f"{name} of files", found.values("run", name), [theirs[topic][theirs_name] for topic in found.counted])
    return Race(work, "pytrec_eval", ours, peer, asked, few=True)
