"""Spark on this machine against memory on the same rows, and the areas of its own evaluator beside ours.

``python -m benchmarks.spark [rows ...] [-o FILE.csv]``. CPU time is the time of all processes: driver, Java and
workers. The exit code is 1 if a value differs.
"""

from __future__ import annotations

import argparse
import csv
import os
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import hitcurve as hc
from hitcurve.engines.spark_session import started

PREVALENCE = 0.001
PARTITIONS = 4


def cpu_of_all() -> float:
    """Return the CPU seconds of this process and of the processes below it, those that ended included."""
    found: dict[int, tuple[int, float]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        found[int(path.parent.name)] = (int(fields[1]), sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK"))
    ours = {os.getpid()}
    while more := {pid for pid, (parent, _) in found.items() if parent in ours} - ours:
        ours |= more
    return sum(found[pid][1] for pid in ours if pid in found)


def timed(do: Callable[[], Any], runs: int) -> tuple[dict[str, float], Any]:
    """Return seconds on the clock and of CPU of the first run and medians of the others, and the result."""
    clocks, times = [], []
    for _ in range(runs + 1):
        clock, cpu = time.perf_counter(), cpu_of_all()
        value = do()
        clocks.append(time.perf_counter() - clock)
        times.append(cpu_of_all() - cpu)
    found = {
        "first_s": clocks[0],
        "first_cpu_s": times[0],
        "then_s": median(clocks[1:]),
        "then_cpu_s": median(times[1:]),
    }
    return {name: round(seconds, 2) for name, seconds in found.items()}, value


def scores(rows: int) -> pa.Table:
    """Return labels and two scores."""
    rng = np.random.default_rng(25)
    y = np.zeros(rows, np.int64)
    y[rng.choice(rows, round(PREVALENCE * rows), replace=False)] = 1
    return pa.table({"y": y, "a": rng.normal(size=rows) + 1.25 * y, "b": rng.normal(size=rows) + y})


def evaluated(data: Any) -> Any:
    return hc.evaluate("y", ["a", "b"], data=data, metrics=["auc", "ap"])


def compared(data: Any) -> float:
    return float(evaluated(data).compare("a", "b", "ap").pvalue)


def areas_of_spark(frame: Any, bins: int) -> list[float]:
    from pyspark.ml.evaluation import BinaryClassificationEvaluator

    evaluator = BinaryClassificationEvaluator(labelCol="y", rawPredictionCol="a", numBins=bins)
    return [evaluator.setMetricName(name).evaluate(frame) for name in ("areaUnderROC", "areaUnderPR")]


def measured(session: Any, rows: int, folder: str, runs: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of the table for one size."""
    table = scores(rows)
    path = f"{folder}/{rows}"
    Path(path).mkdir()
    for part in range(PARTITIONS):
        ends = [rows * i // PARTITIONS for i in (part, part + 1)]
        pq.write_table(table.slice(ends[0], ends[1] - ends[0]), f"{path}/{part}.parquet")
    frame = session.read.parquet(path)
    for work, do in (("auc and ap of two rankers", evaluated), ("the same and a paired test", compared)):
        found = {}
        for where, data in (("Spark", frame), ("memory", table)):
            times, found[where] = timed(partial(do, data), runs)
            yield {"rows": rows, "work": work, "where": where, **times}
        agree(*found.values())
    ours = evaluated(table)
    print(f"ours: auc {ours['a', 'auc'].value:.9f}, ap {ours['a', 'ap'].value:.9f}", flush=True)
    for bins in (1000, 0):
        times, areas = timed(partial(areas_of_spark, frame, bins), runs)
        print(f"Spark, numBins={bins}: areaUnderROC {areas[0]:.9f}, areaUnderPR {areas[1]:.9f}", flush=True)
        yield {"rows": rows, "work": f"its evaluator of one ranker, numBins={bins}", "where": "Spark", **times}


def agree(spark: Any, memory: Any) -> None:
    """Fail unless tables are equal, and a p value but for rounding."""
    if isinstance(memory, float):
        same = abs(spark / memory - 1) < 1e-12
    else:
        same = all(spark.tables[name] == table for name, table in memory.tables.items())
    if not same:
        raise SystemExit(f"Spark and memory differ: {spark} and {memory}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", type=float, default=[1e6])
    parser.add_argument("--runs", type=int, default=3, help="beside the first, which starts workers")
    parser.add_argument("-o", dest="output", help="CSV file of the times")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    found: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder, started(f"local[2,{PARTITIONS}]") as session:
        for rows in asked.rows:
            for row in measured(session, int(rows), folder, asked.runs):
                print(*row.values(), sep=", ", flush=True)
                found.append(row)
    if asked.output:
        with open(asked.output, "w", newline="") as file:
            out = csv.DictWriter(file, list(found[0]))
            out.writeheader()
            out.writerows(found)


if __name__ == "__main__":
    main()
