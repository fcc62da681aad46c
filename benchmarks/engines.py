"""What a cluster costs: bytes moved and memory of the driver, CPU time beside one machine, and a model of both.

``python -m benchmarks.engines [--quick] [-o FILE.csv]``. Models are fitted to runs with 2, 4 and 8 partitions, and
checked on runs with 6. The exit code is 1 if a prediction of bytes is off by more than a quarter or tables differ.
"""

from __future__ import annotations

import argparse
import csv
import math
import os
import pickle
import sys
import tempfile
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import reduce
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any, ClassVar, NamedTuple

import cloudpickle
import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import psutil
from distributed import Client, LocalCluster
from scipy.optimize import nnls

import hitcurve as hc
from hitcurve.engines import EngineSource, Partial, SubjectColumns, Task
from hitcurve.evaluation import evaluate_groups, evaluate_source
from hitcurve.sources import Reading

METRICS = ("ap", "auc")
ALLOWED = 0.25  # of a prediction of bytes


class Setting(NamedTuple):
    """Data: rows in partitions, distinct scores at most, rankers, groups (0: one list)."""

    rows: int
    partitions: int
    levels: int
    rankers: int
    groups: int = 0

    def frames(self) -> list[pd.DataFrame]:
        """Return the rows by partition, a fifth of them positive."""
        rng = np.random.default_rng(self.rows + self.levels)
        y = rng.random(self.rows) < 0.2
        scores = rng.normal(size=(self.rankers, self.rows)) + y
        # ranks of normal scores, so that all levels occur
        ranks = np.argsort(np.argsort(scores, axis=1), axis=1) * self.levels // self.rows
        columns = {f"s{place}": row.astype(float) for place, row in enumerate(ranks)}
        frame = pd.DataFrame({"y": y, "g": rng.integers(0, max(self.groups, 1), self.rows), **columns})
        return [part for _, part in frame.groupby(np.arange(self.rows) * self.partitions // self.rows)]


FITTED = (
    Setting(60_000, 2, 1_000, 1),
    Setting(60_000, 4, 5_000, 2),
    Setting(60_000, 8, 3_000, 3),
    Setting(60_000, 2, 6_000, 2),
    Setting(60_000, 8, 5_000, 1),
    Setting(60_000, 4, 200, 2, 50),
    Setting(60_000, 8, 1_000, 1, 400),
    Setting(60_000, 2, 1_000, 3, 100),
    Setting(60_000, 4, 50, 2, 1_000),
)
CHECKED = (Setting(60_000, 6, 4_000, 2), Setting(60_000, 6, 500, 2, 200))
TIMED = tuple((rows, partitions) for rows in (400_000, 1_600_000) for partitions in (2, 4, 8))
TIME_CHECKED = (800_000, 6)


# ---- bytes


@dataclass(eq=False)
class Metered(EngineSource):
    """Partitions in this process; what an engine would send is pickled and weighed."""

    engine: ClassVar[str] = "this process"
    down: list[int] = field(default_factory=list)
    up: list[int] = field(default_factory=list)
    root: list[int] = field(default_factory=list)

    def _run(self, task: Task[Any]) -> Partial[Any]:
        payload = cloudpickle.dumps(task)
        with tempfile.TemporaryDirectory() as folder:  # what other machines hold is no memory of the driver
            paths = [Path(folder) / str(place) for place in range(len(self.frame))]
            for place, path in enumerate(paths):
                path.write_bytes(pickle.loads(payload).of_partition(place, [self.frame[place]]).packed())
            if tracemalloc.is_tracing():
                tracemalloc.reset_peak()
            found: Partial[Any] = reduce(task.merged, (pickle.loads(path.read_bytes()) for path in paths), Partial())
            self.down.append(len(payload))
            self.up.append(sum(path.stat().st_size for path in paths))
            self.root.append(len(found.packed()))
        return found


def weighed(setting: Setting) -> dict[str, float]:
    """Return the bytes that passes move and hold."""
    rankers = tuple(f"s{place}" for place in range(setting.rankers))
    by = "g" if setting.groups else None
    source = Metered(setting.frames(), SubjectColumns("y", rankers, Reading(), by=by))
    metrics = hc.metrics.metrics(METRICS)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    evaluated = evaluate_groups(source, metrics, by="g") if setting.groups else evaluate_source(source, metrics)
    driver = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    if not setting.groups:
        evaluated.covariance()
    names = ("scores", "counts", "covariances")
    passes = zip(names, source.down, source.up, source.root, strict=False)
    moved = {f"{way}, {name}": float(n) for name, *found in passes for way, n in zip(WAYS, found, strict=True)}
    return {**moved, "driver": float(driver)}


WAYS = ("to a worker", "from all partitions", "to the driver")


def features(setting: Setting) -> dict[str, list[float]]:
    """Return what each number of bytes should be made of.

    S counts distinct scores of positives over rankers and lists, W those of one list beside the groups, L the lists.
    """
    frames, names = setting.frames(), [f"s{place}" for place in range(setting.rankers)]

    def distinct(frame: pd.DataFrame, *keys: str) -> int:
        positives = frame[frame["y"]]
        return sum(len(positives[[*keys, name]].drop_duplicates()) for name in names)

    keys = ("g",) if setting.groups else ()
    every, partitions = pd.concat(frames), setting.partitions
    s, w = distinct(every, *keys), distinct(every) if setting.groups else 0
    lists, groups = setting.rankers * setting.groups, setting.groups
    of_parts = sum(distinct(frame, *keys) for frame in frames)
    pairs = (setting.rankers * len(METRICS)) ** 2
    return {
        "to a worker, scores": [1, 0, 0, 0],
        "from all partitions, scores": [partitions, of_parts, partitions * lists, partitions * groups],
        "to the driver, scores": [1, s, lists, groups],
        "to a worker, counts": [1, s, lists, groups],
        "from all partitions, counts": [partitions, partitions * (s + w), partitions * lists, 0],
        "to the driver, counts": [1, s + w, lists, 0],
        "to a worker, covariances": [1, s, 0, 0],
        "from all partitions, covariances": [partitions, 0, partitions * pairs, 0],
        "to the driver, covariances": [1, 0, pairs, 0],
        "driver": [1, s + w, lists, groups],
    }


def fitted(settings: tuple[Setting, ...]) -> tuple[dict[str, Any], float]:
    """Return the coefficients of each number of bytes, and the largest relative error of the fit."""
    rows: dict[str, list[tuple[list[float], float]]] = {}
    for setting in settings:
        expected = features(setting)
        for name, found in weighed(setting).items():
            rows.setdefault(name, []).append((expected[name], found))
    model, worst = {}, 0.0
    for name, own in rows.items():
        made, size = np.array([of for of, _ in own], float), np.array([value for _, value in own])
        model[name] = nnls(made / size[:, None], np.ones(size.size))[0]  # relative errors count
        worst = max(worst, float(np.abs(made @ model[name] / size - 1).max()))
    return model, worst


# ---- time


class Race(NamedTuple):
    """One run: who, seconds on the clock, CPU seconds of all processes."""

    who: str
    rows: int
    partitions: int
    evaluate: tuple[float, float]
    covariance: tuple[float, float]


def cpu() -> float:
    """Return the CPU seconds of this process and of those below it."""
    here = psutil.Process()
    times = [here.cpu_times(), *(child.cpu_times() for child in here.children(recursive=True))]
    return float(sum(one.user + one.system for one in times))


def timed(do: Callable[[], Any]) -> tuple[Any, tuple[float, float]]:
    """Return what was done, and the seconds on the clock and of all processors."""
    clock, work = time.perf_counter(), cpu()
    found = do()
    return found, (time.perf_counter() - clock, cpu() - work)


def files(rows: int, partitions: int, folder: Path) -> list[str]:
    """Write rows in so many Parquet files: 1% positive, two scores."""
    rng = np.random.default_rng(rows)
    y = rng.random(rows) < 0.01
    scores = rng.normal(size=(2, rows)) + 1.5 * y
    frame = pd.DataFrame({"y": y, "a": scores[0], "b": 0.7 * scores[0] + scores[1]})
    paths = []
    for place, part in frame.groupby(np.arange(rows) * partitions // rows):
        paths.append(str(folder / f"{rows}-{partitions}-{place}.parquet"))
        part.to_parquet(paths[-1], index=False)
    return paths


def race(who: str, data: Any, rows: int, partitions: int) -> tuple[Race, Any]:
    evaluated, first = timed(lambda: hc.evaluate("y", ["a", "b"], data=data, metrics=METRICS))
    _, second = timed(evaluated.covariance)
    return Race(who, rows, partitions, first, second), evaluated


@contextmanager
def spark() -> Iterator[Any]:
    """Yield a session with two processors."""
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    session = builder.config("spark.sql.shuffle.partitions", "8").config("spark.driver.memory", "2g").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    try:
        yield session
    finally:
        session.stop()


def races(rows: int, partitions: int, folder: Path) -> Iterator[Race]:
    """Run every engine on the same files."""
    paths = files(rows, partitions, folder)
    wanted: Any = None
    with ExitStack() as held:
        places: dict[str, Callable[[], Any]] = {
            "memory": lambda: pd.concat([pd.read_parquet(path) for path in paths], ignore_index=True),
            "files": lambda: paths,
            "Dask, threads": lambda: dd.read_parquet(paths),
        }
        for who, data in places.items():
            with dask.config.set(scheduler="threads", num_workers=2):
                hc.evaluate("y", ["a", "b"], data=data(), metrics=METRICS)  # what is imported or compiled once
                found, evaluated = race(who, data(), rows, partitions)
            wanted = wanted or evaluated
            check(who, evaluated, wanted)
            yield found
        cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
        held.enter_context(cluster)
        with Client(cluster):
            hc.evaluate("y", ["a", "b"], data=dd.read_parquet(paths), metrics=METRICS)
            found, evaluated = race("Dask, 2 processes", dd.read_parquet(paths), rows, partitions)
        check(found.who, evaluated, wanted)
        yield found
        if find_spec("pyspark") is None or which("java") is None:
            print("Spark is left out: pyspark or Java is not installed")
            return
        session = held.enter_context(spark())
        data = session.read.parquet(*paths)
        hc.evaluate("y", ["a", "b"], data=data, metrics=METRICS)
        found, evaluated = race("Spark, local[2]", data, rows, partitions)
        check(found.who, evaluated, wanted)
        yield found


def check(who: str, found: Any, wanted: Any) -> None:
    for name in wanted.tables:
        if not np.array_equal(found.tables[name].pos, wanted.tables[name].pos):
            sys.exit(f"{who}: the table of {name} differs")


def dask_times(runs: tuple[tuple[int, int], ...], folder: Path) -> list[Race]:
    """Return runs of two processes of Dask."""
    out = []
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        for place, (rows, partitions) in enumerate((runs[0], *runs)):
            found, _ = race("Dask, 2 processes", dd.read_parquet(files(rows, partitions, folder)), rows, partitions)
            out += [found] if place else []  # the first one imports
    return out


def time_model(runs: list[Race]) -> Any:
    """Return CPU seconds of an evaluation as those of none, of a row, of a partition."""
    made = np.array([[1, run.rows, run.partitions] for run in runs], float)
    found = np.array([run.evaluate[1] for run in runs])
    return nnls(made / found[:, None], np.ones(found.size))[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("-o", "--output", type=Path)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    records: list[dict[str, Any]] = []
    model, worst = fitted(FITTED)
    print(f"bytes, fitted to 2, 4 and 8 partitions (largest error of the fit {worst:.1%})")
    for name, coefficients in model.items():
        print(f"  {name:34}" + "".join(f"{one:12.4g}" for one in coefficients))
        records.append({"what": name, **dict(zip(("each", "score", "list", "group"), coefficients, strict=True))})
    off = 0.0
    for setting in CHECKED:
        expected, found = features(setting), weighed(setting)
        for name, value in found.items():
            error = float(np.dot(expected[name], model[name])) / value - 1
            off = max(off, abs(error)) if name != "driver" else off
            print(f"  {setting.partitions} partitions, {setting.groups} groups: {name:34}{value:12.0f} {error:+.1%}")
            records.append({"what": f"check: {name}, {setting.groups} groups", "bytes": value, "error": error})
    with tempfile.TemporaryDirectory() as folder:
        rows = 100_000 if given.quick else 2_000_000
        for run in races(rows, 8, Path(folder)):
            print(f"{run.who:20} {rows:,} rows: evaluate {told(run.evaluate)}, covariances {told(run.covariance)}")
            records.append({"what": run.who, **seconds(run)})
        if not given.quick:
            runs = dask_times((*TIMED, TIME_CHECKED), Path(folder))
            none, row, partition = time_model(runs[:-1])
            last, model_cpu = runs[-1], none + row * runs[-1].rows + partition * runs[-1].partitions
            print(f"CPU of Dask: {none:.2f} s + {row * 1e9:.0f} ns a row + {partition:.3f} s a partition")
            print(
                f"  check, {last.rows:,} rows in {last.partitions}: {last.evaluate[1]:.2f} s, model {model_cpu:.2f} s"
            )
            records += [{"what": "fit: Dask, 2 processes", **seconds(run)} for run in runs]
            records.append({"what": "CPU of Dask", "each": none, "row": row, "partition": partition})
    if given.output:
        names = list(dict.fromkeys(name for record in records for name in record))
        with given.output.open("w", newline="") as out:
            writer = csv.DictWriter(out, names)
            writer.writeheader()
            writer.writerows({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in r.items()} for r in records)
    sys.exit(int(off > ALLOWED or math.isnan(off)))


def seconds(run: Race) -> dict[str, Any]:
    clock = {"evaluate, s": run.evaluate[0], "covariances, s": run.covariance[0]}
    work = {"evaluate, CPU s": run.evaluate[1], "covariances, CPU s": run.covariance[1]}
    return {"rows": run.rows, "partitions": run.partitions, **clock, **work}


def told(found: tuple[float, float]) -> str:
    return f"{found[0]:.2f} s, {found[1]:.2f} s of CPU"


if __name__ == "__main__":
    main()
