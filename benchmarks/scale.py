"""Long lists: tables from memory and from Parquet against a sum over the same data, and the paired pass.

python -m benchmarks.scale [rows ...] [--memory | --files] [--file FILE.parquet] [--limit 256MB] [-o FILE.csv]
"""

from __future__ import annotations

import argparse
import csv
import math
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.metrics import average_precision_score, roc_auc_score

import hitcurve as hc
from hitcurve._threads import processors
from hitcurve.inference import cross_products

PREVALENCES = (0.001, 0.01, 0.1, 0.5)
FILE_PREVALENCE, HALF = 0.001, 0.5
SORTED = 10**7  # rows beyond which nothing is sorted
ONCE = 10**8  # rows from which on files are read once, and not in three turns
COLUMNS = ("rows", "from", "prevalence", "type", "work", "seconds", "cpu", "in_sums", "peak_mb")


# of the process itself: ru_maxrss begins with the size of the one that starts it
COMMAND = """import atexit, pathlib, re, sys, time
def told():
    peak = re.search(r"VmHWM:\\s*(\\d+)", pathlib.Path("/proc/self/status").read_text())[1]
    print(peak, time.process_time(), file=sys.stderr)
atexit.register(told)
from hitcurve.cli import main
main()
"""


def measured(do: Callable[[], Any]) -> tuple[float, float]:
    """Seconds on the clock and of all processors."""
    clock, cpu = time.perf_counter(), time.process_time()
    do()
    return time.perf_counter() - clock, time.process_time() - cpu


def subjects(rows: int, prevalence: float, kind: Any, seed: int | None = None) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(rows if seed is None else seed)
    y = rng.random(rows) < prevalence
    a = rng.normal(size=rows) + 1.5 * y
    return y, a.astype(kind), (0.7 * a + rng.normal(size=rows)).astype(kind)


def _both_of_sklearn(y: Any, scores: Any) -> None:
    roc_auc_score(y, scores)
    average_precision_score(y, scores)


def in_memory(rows: int) -> list[dict[str, Any]]:
    """Measure three rounds of each in turns; the medians of CPU seconds."""
    print(f"\n{rows:,} rows in memory: CPU seconds; 'sums' are those of the scores, in turns with the others")
    print("prevalence  type     sum      argsort  scikit-learn  table    sums  ns/row  MB beside the input")
    found = []
    for prevalence in PREVALENCES:
        for kind in (np.float32, np.float64):
            y, a, _ = subjects(rows, prevalence, kind)
            todo: dict[str, Callable[[], Any]] = {
                "sum": a.sum,
                "argsort": partial(np.argsort, a),
                "sklearn": partial(_both_of_sklearn, y, a),
                "table": partial(hc.count_tables, y, {"a": a}),
            }
            if rows > SORTED:
                del todo["argsort"], todo["sklearn"]
            own = in_turns(todo, 3, "sum")
            before = peak()
            todo["table"]()
            more = peak() - before
            of = {"rows": rows, "from": "memory", "prevalence": prevalence, "type": np.dtype(kind).name}
            found += [{**of, **line} for line in own.values()]
            table = own["table"]
            works = ("sum", "argsort", "sklearn", "table")
            shown = "  ".join(f"{own[name]['cpu'] if name in own else math.nan:.4f}" for name in works)
            speed = f"{table['in_sums']:5.0f}  {table['cpu'] / rows * 1e9:.0f}"
            print(f"{prevalence:<10}  {of['type']}  {shown}  {speed}  {more:.0f}")
    return found


def in_turns(todo: dict[str, Callable[[], Any]], rounds: int, sums: str) -> dict[str, dict[str, Any]]:
    """Measure each work in turns with the others; medians, and that of the CPU time over that of the sums."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in todo}
    peaks: dict[str, float] = {}
    for _ in range(rounds):
        for name, do in todo.items():
            times[name].append(measured(do))
            peaks.setdefault(name, peak())
    found = {}
    for name, every in times.items():
        seconds, cpu = np.median(every, axis=0)
        ratio = np.median(np.divide(every, times[sums]), axis=0)[1]
        found[name] = {"work": name, "seconds": seconds, "cpu": cpu, "in_sums": ratio, "peak_mb": peaks[name]}
    return found


def peak() -> float:
    """Largest memory of the process so far, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def from_parquet(path: Path) -> list[dict[str, Any]]:
    """Measure values with standard errors, and the pass of paired tests beside them, in turns with sums by DuckDB."""
    rows, kind = pq.read_metadata(path).num_rows, str(pq.read_schema(path).field("a").type)
    query = f"SELECT count(*), sum(a), sum(b), sum(y) FROM '{path}'"
    found: dict[str, Any] = {}

    def sums() -> None:
        with duckdb.connect() as db:
            found["positives"] = db.sql(query).fetchall()[0][3]

    def evaluated() -> None:
        found["ev"] = ev = hc.evaluate("y", ["a", "b"], data=path, metrics=["ap", "auc"])
        _ = [one.standard_error for one in ev]

    def paired() -> None:
        ev = found["ev"]
        cross_products(ev.source, ev.tables, ev.metrics, ev.design)

    todo = {"evaluate": evaluated, "sums of DuckDB": sums, "paired pass": paired}
    lines = in_turns(todo, 1 if rows >= ONCE else 3, "sums of DuckDB")
    print(f"\n{rows:,} rows x 2 scores from Parquet; peaks are those of the process until then")
    for name, line in lines.items():
        speed = f"{rows / line['seconds'] / 1e6:6.1f} M rows/s  {line['in_sums']:6.1f} sums  {line['peak_mb']:.0f} MB"
        print(f"{name:15} {line['seconds']:8.2f} s  {line['cpu']:8.2f} CPU s  {speed}", flush=True)
    of = {"rows": rows, "from": "Parquet", "prevalence": found["positives"] / rows, "type": kind}
    return [{**of, **line} for line in lines.values()]


def written(rows: int, folder: Path, prevalence: float = FILE_PREVALENCE) -> Path:
    """Return a Parquet file, written row group by row group."""
    path = folder / f"{rows}.parquet"
    schema = pa.schema({"y": pa.int8(), "a": pa.float64(), "b": pa.float64()})
    with pq.ParquetWriter(path, schema) as file:
        for start in range(0, rows, 1 << 20):
            y, a, b = subjects(min(1 << 20, rows - start), prevalence, np.float64, seed=start)
            file.write_table(pa.table({"y": y.astype(np.int8), "a": a, "b": b}, schema=schema))
    return path


def within_limit(rows: int, limit: str, folder: Path) -> list[dict[str, Any]]:
    """Measure commands in processes of their own, whose peak is that of all they load and hold."""
    path = written(rows, folder, HALF)
    asked = [str(path), "--label", "y", "--score", "a", "--memory-limit", limit]
    metrics = [word for name in ("auc", "ap", "bedroc", "ef@1%") for word in ("-m", name)]
    todo = {
        "exact": ["evaluate", *asked, *metrics],
        "--bins 1000": ["evaluate", *asked, *metrics, "--bins", "1000"],
        "table": ["table", *asked, "-o", str(folder / "a.hit")],
    }
    print(f"\n{rows:,} rows of Parquet, half positive, --memory-limit {limit}\ncommand      peak, MB  seconds  CPU s")
    found = []
    for name, words in todo.items():
        clock = time.perf_counter()
        done = subprocess.run([sys.executable, "-c", COMMAND, *words], capture_output=True, text=True, check=True)
        clock = time.perf_counter() - clock
        peak_kb, cpu = done.stderr.splitlines()[-1].split()
        line = {"rows": rows, "from": "Parquet", "prevalence": HALF, "type": "float64", "work": f"{name} in {limit}"}
        line |= {"seconds": clock, "cpu": float(cpu), "peak_mb": int(peak_kb) * 1024 / 1e6}
        print(f"{name:12} {line['peak_mb']:8.0f} {line['seconds']:8.1f} {line['cpu']:6.1f}")
        found.append(line)
    return found


def main() -> None:
    warnings.simplefilter("ignore")
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("rows", nargs="*", type=float)
    asked.add_argument("--memory", action="store_true", help="no files")
    asked.add_argument("--files", action="store_true", help="files alone")
    asked.add_argument("--file", type=Path, help="a file with the columns y, a and b, and nothing else")
    asked.add_argument("--limit", help="a memory limit: commands on half positive rows of Parquet within it, alone")
    asked.add_argument("-o", "--output", type=Path)
    given = asked.parse_args()
    print(f"{processors()} processors")
    found = [] if given.file is None else from_parquet(given.file)
    with tempfile.TemporaryDirectory() as folder:
        for rows in map(int, given.rows or ((1e5, 1e6, 1e7) if given.file is None else ())):
            if given.limit is not None:
                found += within_limit(rows, given.limit, Path(folder))
                continue
            if not given.files:
                found += in_memory(rows)
            if not given.memory:
                found += from_parquet(written(rows, Path(folder)))
    if given.output is not None:
        with given.output.open("w", newline="") as file:
            table = csv.DictWriter(file, COLUMNS)
            table.writeheader()
            table.writerows({key: f"{v:.4g}" if isinstance(v, float) else v for key, v in one.items()} for one in found)


if __name__ == "__main__":
    main()
