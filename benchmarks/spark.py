"""Spark on this machine against memory on the same rows, and the areas of its own evaluator beside ours.

``python -m benchmarks.spark [rows ...] [-o FILE.csv]``. CPU time is the time of all processes: driver, Java and
workers. The exit code is 1 if a value differs.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
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


def timed(do: Callable[[], Any], runs: int = 3) -> tuple[float, float, float, float, Any]:
    """Return seconds on the clock and of CPU of the first run, medians of the others, and the result."""
    clocks, times = [], []
    for _ in range(runs + 1):
        clock, cpu = time.perf_counter(), cpu_of_all()
        value = do()
        clocks.append(time.perf_counter() - clock)
        times.append(cpu_of_all() - cpu)
    return clocks[0], times[0], median(clocks[1:]), median(times[1:]), value


def scores(rows: int) -> pa.Table:
    """Return labels and two scores."""
    rng = np.random.default_rng(25)
    y = np.zeros(rows, np.int64)
    y[rng.choice(rows, round(PREVALENCE * rows), replace=False)] = 1
    return pa.table({"y": y, "a": rng.normal(size=rows) + 1.25 * y, "b": rng.normal(size=rows) + y})


def values(data: Any) -> Any:
    return hc.evaluate("y", ["a", "b"], data=data, metrics=["auc", "ap"])


def compared(data: Any) -> float:
    return float(values(data).compare("a", "b", "ap").pvalue)


def areas_of_spark(frame: Any, bins: int) -> list[float]:
    from pyspark.ml.evaluation import BinaryClassificationEvaluator

    evaluator = BinaryClassificationEvaluator(labelCol="y", rawPredictionCol="a", numBins=bins)
    return [evaluator.setMetricName(name).evaluate(frame) for name in ("areaUnderROC", "areaUnderPR")]


def measured(session: Any, rows: int, folder: str) -> list[dict[str, Any]]:
    """Return the rows of the table for one size."""
    table = scores(rows)
    path = f"{folder}/{rows}"
    Path(path).mkdir()
    for part in range(PARTITIONS):
        ends = [rows * i // PARTITIONS for i in (part, part + 1)]
        pq.write_table(table.slice(ends[0], ends[1] - ends[0]), f"{path}/{part}.parquet")
    frame = session.read.parquet(path)
    out = []
    for work, do in (("two passes: auc, ap of two rankers", values), ("the same and a paired test", compared)):
        found = {}
        for where, data in (("Spark", frame), ("memory", table)):
            cold, cold_cpu, warm, warm_cpu, found[where] = timed(lambda do=do, data=data: do(data))  # type: ignore[misc]
            times = {"first_s": cold, "first_cpu_s": cold_cpu, "then_s": warm, "then_cpu_s": warm_cpu}
            out.append({"rows": rows, "work": work, "where": where, **{k: round(v, 2) for k, v in times.items()}})
        if do is values:
            evaluated = found["memory"]
            if not all(found["Spark"].tables[name] == table for name, table in evaluated.tables.items()):
                raise SystemExit("tables of Spark and of memory differ")
        elif abs(found["Spark"] / found["memory"] - 1) > 1e-12:
            raise SystemExit("tests of Spark and of memory differ")
    ours = [evaluated["a", name].value for name in ("auc", "ap")]
    for bins in (1000, 0):
        cold, cold_cpu, warm, warm_cpu, theirs = timed(lambda bins=bins: areas_of_spark(frame, bins))  # type: ignore[misc]
        times = {"first_s": cold, "first_cpu_s": cold_cpu, "then_s": warm, "then_cpu_s": warm_cpu}
        work = f"BinaryClassificationEvaluator, numBins={bins}, one ranker"
        out.append({"rows": rows, "work": work, "where": "Spark", **{k: round(v, 2) for k, v in times.items()}})
        print(f"{rows:,} rows, numBins={bins}: areaUnderROC {theirs[0]:.9f}, areaUnderPR {theirs[1]:.9f}")
    print(f"{rows:,} rows, ours: auc {ours[0]:.9f}, ap {ours[1]:.9f}")
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", type=float, default=[1e6])
    parser.add_argument("-o", dest="output", help="CSV file of the times")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    found = []
    with tempfile.TemporaryDirectory() as folder, started(f"local[2,{PARTITIONS}]") as session:
        for rows in asked.rows:
            found += measured(session, int(rows), folder)
    out = csv.DictWriter(sys.stdout, list(found[0]))
    out.writeheader()
    out.writerows(found)
    if asked.output:
        with open(asked.output, "w", newline="") as file:
            out = csv.DictWriter(file, list(found[0]))
            out.writeheader()
            out.writerows(found)


if __name__ == "__main__":
    main()
