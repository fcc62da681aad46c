"""Many rankings at once, long ones, short ones and their uncertainty, against the tools that one would use instead.

``python -m benchmarks.many [--quick] [--only WORD ...] [-o FILE.csv]``. The two sides of a row take turns. The exit
code is 1 if a value is wrong, whatever the times.
"""

from __future__ import annotations

import argparse
import io
import math
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import average_precision_score, roc_auc_score

import hitcurve as hc
from benchmarks import retrieval, screens, survival
from benchmarks.evaluate import METRICS, SEED, hitcurve_values, setting, sklearn_values
from benchmarks.evaluate import binormal as one_percent
from benchmarks.inference import bedroc
from benchmarks.race import Missing, Race, WrongValueError, agree, run, write
from hitcurve.errors import HitcurveWarning

FIVE = ("ap", "auc", "bedroc(alpha=20)", "ndcg", "precision@10")
EIGHT = ("ap", "auc", "croc(exp, alpha=7)", "bedroc(alpha=20)", "rauc", "ndcg", "ef@1%", "precision@100")
TREC = ("ap", "ndcg", "precision@10")

Labels = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]


Races = Iterator[Race | Missing]


# ---- data


def binormal(n: int, n1: int, separations: tuple[float, ...], seed: int = SEED) -> tuple[Labels, dict[str, Scores]]:
    """Return labels in random order and the scores of rankers a, b, ..."""
    rng = np.random.default_rng(seed)
    y = np.zeros(n, np.int64)
    y[rng.choice(n, n1, replace=False)] = 1
    return y, {chr(97 + i): rng.normal(size=n) + d * y for i, d in enumerate(separations)}


def groups_of(groups: int, size: int, n1: int) -> tuple[npt.NDArray[np.int64], Labels, dict[str, Scores]]:
    """Return names, labels and scores of groups of equal size with n1 positives each."""
    rng = np.random.default_rng(SEED)
    name = np.repeat(np.arange(groups), size)
    y = rng.permuted(np.tile(np.arange(size) < n1, (groups, 1)), axis=1).ravel().astype(np.int64)
    return name, y, {"a": rng.normal(size=y.size) + 1.5 * y, "b": rng.normal(size=y.size) + y}


# ---- the two of scikit-learn, the bare sort


def two_of_sklearn(y: Labels, s: Scores) -> tuple[float, float]:
    return float(roc_auc_score(y, s)), float(average_precision_score(y, s))


def bare_sort(y: Labels, s: Scores) -> Callable[[], object]:
    """Return numpy's sort of both classes, or of both halves if one class is rare, in two threads."""
    parts = [s[y == 1], s[y == 0]]
    if min(part.size for part in parts) < s.size // 4:
        parts = np.array_split(s, 2)
    pool = ThreadPoolExecutor(2)
    return lambda: list(pool.map(np.sort, parts))


# ---- rows


def many_groups(quick: bool) -> Races:
    groups, size, sampled = (100, 50, 100) if quick else (20_000, 50, 1000)
    name, y, scores = groups_of(groups, size, 10)

    def evaluated() -> hc.GroupedEvaluation:
        return hc.evaluate(y, scores, metrics=FIVE, by=name)

    def values() -> list[Any]:
        ev = evaluated()
        return [ev.values(ranker, m) for ranker in ev.rankers for m in ev.metrics]

    def looped() -> list[float]:
        rows = [slice(i * size, (i + 1) * size) for i in range(sampled)]
        return [float(average_precision_score(y[row], scores["a"][row])) for row in rows]

    agree("average precision of groups", values()[0][:sampled], looped())
    what = f"{groups:,} groups x {size}, 2 rankers, {len(FIVE)} metrics"
    loop = f"a loop over scikit-learn's average_precision_score, 1 ranker, {sampled:,} groups and extrapolated"
    yield Race(f"{what}: values", loop, values, looped, 15, groups / sampled, few=True)
    frame = f"{what}: errors and intervals, to_frame"
    yield Race(frame, "values alone", lambda: per_group(evaluated()), values, 1 / 5, few=True)


def per_group(ev: hc.GroupedEvaluation) -> Any:
    return ev.to_frame(per="group")


def many_topics(quick: bool) -> Races:
    topics, size, relevant = (70, 1000, 20) if quick else (7000, 1000, 20)
    topic, y, scores = groups_of(topics, size, relevant)
    # whole numbers without ties: the same in single precision
    s = np.argsort(np.argsort(scores["a"].reshape(topics, size), axis=1), axis=1).astype(float).ravel()
    docs = [f"d{i}" for i in range(size)]
    lists = zip(y.reshape(topics, size), s.reshape(topics, size), strict=True)
    qrels, runs = {}, {}
    for i, (label, score) in enumerate(lists):
        runs[f"q{i}"] = dict(zip(docs, score.tolist(), strict=True))
        judged = [*np.flatnonzero(label), *np.flatnonzero(label == 0)[:80]]
        qrels[f"q{i}"] = {docs[j]: int(label[j]) for j in judged}

    def from_arrays() -> list[Any]:
        return of_topics(hc.evaluate(y, s, metrics=TREC, by=topic))

    def from_mappings() -> list[Any]:
        return of_topics(hc.evaluate_trec({"run": runs}, qrels, metrics=TREC))

    frame = import_module("pandas").DataFrame({"topic": [f"q{i}" for i in topic], "y": y, "s": s})

    def from_frame() -> list[Any]:
        return of_topics(hc.evaluate("y", "s", data=frame, by="topic", metrics=TREC))

    found = from_arrays()
    for ours, own, named in zip(found, from_mappings(), from_frame(), strict=True):
        agree("topics from mappings, in any order", np.sort(own), np.sort(ours))
        agree("topics by names of text, in any order", np.sort(named), np.sort(ours))
    what = f"{topics:,} topics x {size:,} documents, AP, nDCG, P@10"
    for package, peer in (("pytrec_eval", pytrec), ("ranx", ranx)):
        if find_spec(package) is None:
            yield Missing(what, package)
            continue
        theirs, means = peer(runs, qrels)
        agree(f"means of topics, {package}", [np.mean(x) for x in found], means, 1e-6 if package == "ranx" else 1e-12)
        yield Race(f"{what}, arrays", package, from_arrays, theirs, 1, few=True)
        yield Race(f"{what}, mappings", package, from_mappings, theirs, 1, few=True)
        yield Race(f"{what}, a frame of pandas with topics as text", package, from_frame, theirs, 1, few=True)


def of_topics(ev: hc.GroupedEvaluation) -> list[Any]:
    return [ev.values(ev.rankers[0], m) for m in TREC]


def pytrec(runs: Any, qrels: Any) -> tuple[Callable[[], object], list[float]]:
    """Return pytrec_eval's evaluation of a mapping, its evaluator made before, and the means."""
    evaluator = import_module("pytrec_eval").RelevanceEvaluator(qrels, {"map", "ndcg", "P_10"})
    found = evaluator.evaluate(runs).values()
    return partial(evaluator.evaluate, runs), [np.mean([t[m] for t in found]) for m in ("map", "ndcg", "P_10")]


def ranx(runs: Any, qrels: Any) -> tuple[Callable[[], object], list[float]]:
    """Return ranx's evaluation of its own objects, compiled by a first run, and the means."""
    package = import_module("ranx")
    wanted = ["map", "ndcg", "precision@10"]
    known, run_ = package.Qrels(qrels), package.Run(runs)
    means = package.evaluate(known, run_, wanted)
    return partial(package.evaluate, known, run_, wanted), [means[m] for m in wanted]


def a_file(quick: bool) -> Races:
    groups, size = (500, 20) if quick else (100_000, 20)
    what = f"{groups:,} groups x {size} from Parquet"
    for package in ("duckdb", "pyarrow"):
        if find_spec(package) is None:
            yield Missing(what, package)
            return
    import duckdb
    import pyarrow as pa
    import pyarrow.parquet as pq

    name, y, scores = groups_of(groups, size, 5)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "f.parquet")
        pq.write_table(pa.table({"g": name, "y": y, "s": scores["a"]}), path)
        query = f"SELECT g, count(*), sum(y) FROM '{path}' GROUP BY g"
        options = [str(path), "--label", "y", "--score", "s", "--by", "g"]

        def counted() -> int:
            return len(duckdb.connect().sql(query).fetchall())

        def evaluated() -> str:
            from hitcurve.cli.app import with_one

            with redirect_stdout(io.StringIO()) as out:
                with_one("evaluate")(["evaluate", *options], prog_name="hitcurve", standalone_mode=False)
            return out.getvalue()

        agree("groups of the file", counted(), groups)
        if f"{groups:,} groups" not in evaluated():
            raise WrongValueError(f"the command line does not speak of {groups:,} groups")
        yield Race(f"{what}, in process", "DuckDB's GROUP BY count", evaluated, counted, 1 / 10, few=True)
        code = f"import duckdb; duckdb.connect().sql({query!r}).fetchall()"
        bytecode = Path(folder, "bytecode")
        ours = partial(process, bytecode, ["-m", "hitcurve", "evaluate", *options])
        theirs = partial(process, bytecode, ["-c", code])
        for side in (ours, theirs):
            side()  # compiles what it imports
        whole = "DuckDB's GROUP BY count, whole process"
        yield Race(f"{what}, whole process", whole, ours, theirs, 1 / 10, few=True)


def process(bytecode: Path, arguments: list[str]) -> None:
    """Run Python with bytecode kept, as that of installed packages is."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(bytecode)}
    command, nowhere = [sys.executable, *arguments], subprocess.DEVNULL
    subprocess.run(command, check=True, stdout=nowhere, stderr=nowhere, env=environment)


def reports(quick: bool) -> Races:
    wanted = [(300, 60, (1.5, 1.0))] if quick else [(1000, 100, (1.5, 1.0)), (1_000_000, 20_000, (1.5, 1.2, 1.0))]
    for n, n1, separations in wanted:
        y, scores = binormal(n, n1, separations)

        def page(y: Labels = y, scores: Mapping[str, Scores] = scores) -> None:
            with tempfile.TemporaryDirectory() as folder:
                hc.report(hc.evaluate(y, scores), Path(folder, "report.html"))

        def two_each(y: Labels = y, scores: Mapping[str, Scores] = scores) -> None:
            for s in scores.values():
                two_of_sklearn(y, s)

        what = f"report of {len(scores)} rankers x {n:,} subjects, {n1:,} positive"
        yield Race(what, "scikit-learn's AUC and AP of each", page, two_each, few=True)


def one_list(quick: bool) -> Races:
    for n, n1, floors, again in (
        (20_000 if quick else 1_000_000, None, (4, 1.5), 1),
        (1000, 100, (2, 1 / 3), 20),
    ):
        y, scores = binormal(n, n1 or n // 2, (1.0,))
        s = scores["a"]

        def values(y: Labels = y, s: Scores = s) -> list[float]:
            return [e.value for e in hc.evaluate(y, s, metrics=EIGHT)]

        def intervals(y: Labels = y, s: Scores = s) -> dict[str, Any]:
            return hc.evaluate(y, s, metrics=EIGHT).to_dict()

        def printed(y: Labels = y, s: Scores = s) -> str:
            return str(hc.evaluate(y, s, metrics=EIGHT))

        theirs = partial(two_of_sklearn, y, s)
        agree(f"AUC and AP of {n:,}", values()[1::-1], theirs())
        what, two = (
            f"n = {n:,}, {100 * (n1 or n // 2) / n:g}% positive, {len(EIGHT)} metrics",
            "scikit-learn's AUC and AP",
        )
        limit = bare_sort(y, s)
        yield Race(f"{what}: values", two, values, theirs, floors[0], limit=limit, again=again)
        done = "printed with intervals" if n1 else "with intervals"
        doubt = printed if n1 else intervals
        yield Race(f"{what}: {done}", two, doubt, theirs, floors[1], limit=limit, again=again)
    n = 20_000 if quick else 1_000_000
    y, s = one_percent(n)
    agree("AUC and AP of 1%", hitcurve_values(y, s), sklearn_values(y, s))
    ours, theirs = partial(hitcurve_values, y, s), partial(sklearn_values, y, s)
    what = f"n = {n:,}, 1% positive, {len(METRICS)} metrics of benchmarks.evaluate: values"
    yield Race(what, "scikit-learn's AUC and AP", ours, theirs, 30, limit=bare_sort(y, s))


def bootstraps(quick: bool) -> Races:
    n, n1, draws, sampled = (2000, 200, 200, 20) if quick else (10_000, 500, 2000, 100)
    y, scores = binormal(n, n1, (1.5, 1.2))
    metric = "bedroc(alpha=20)"
    ev = hc.evaluate(y, scores, metrics=metric)
    estimate = ev["a", metric]

    def paired() -> hc.Comparison:
        return ev.compare("a", "b", metric, method="bootstrap", n_resamples=draws, rng=1)

    def studentised() -> Any:
        return estimate.confidence_interval(method="studentized", n_resamples=draws, rng=1)

    def by_hand(rankers: str) -> None:
        rng = np.random.default_rng(1)
        for _ in range(sampled):
            drawn = rng.integers(0, n, n)
            for name in rankers:
                bedroc(y[drawn], scores[name][drawn])

    wald = estimate.confidence_interval(method="wald")
    agree(
        "width of the studentised interval", (studentised().high - studentised().low) / (wald.high - wald.low), 1, 0.2
    )
    delta = ev.compare("a", "b", metric, method="delta").difference.standard_error
    agree("error of the paired bootstrap", paired().difference.standard_error / delta, 1, 0.2)
    what, hand = (
        f"bedroc, n = {n:,}, {n1} positive, {draws:,} replicates",
        "resamples with BEDROC by a sort, extrapolated",
    )
    yield Race(f"paired bootstrap of {what}", hand, paired, partial(by_hand, "ab"), None, draws / sampled)
    yield Race(f"studentised bootstrap of {what}", hand, studentised, partial(by_hand, "a"), None, draws / sampled)


ROWS = {
    "groups": many_groups,
    "topics": many_topics,
    "retrieval": retrieval.races,
    "file": a_file,
    "report": reports,
    "lists": one_list,
    "bootstrap": bootstraps,
    "screens": screens.races,
    "survival": survival.races,
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.many", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, some seconds")
    parser.add_argument("--only", nargs="+", choices=ROWS, default=list(ROWS), help="groups of rows")
    parser.add_argument("--repeats", type=int, help="interleaved runs of each side (7; 1 if quick)")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="also write FILE.csv")
    given = parser.parse_args(arguments)
    repeats = given.repeats or (1 if given.quick else 7)
    warnings.simplefilter("ignore", HitcurveWarning)  # of data that are made up
    print(setting(), flush=True)
    rows, wrong = [], []
    for word in given.only:
        try:
            for race in ROWS[word](given.quick):
                if isinstance(race, Missing):
                    print(f"{race.work}: skipped, {race.package} is not installed", flush=True)
                    continue
                rows.append(run(race, repeats))
                print(rows[-1], flush=True)
        except WrongValueError as error:
            wrong.append(str(error))
            print(f"wrong: {error}", file=sys.stderr, flush=True)
    if given.output is not None:
        write(given.output, rows)
    return 1 if wrong or any(math.isnan(row.ratio) for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
