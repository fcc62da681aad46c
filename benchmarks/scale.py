"""Long lists: tables from memory and from Parquet against a sum over the same data, and the paired pass.

python -m benchmarks.scale [rows ...]
"""

from __future__ import annotations

import resource
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

import hitcurve as hc
from hitcurve._threads import processors
from hitcurve.inference import cross_products

PREVALENCES = (0.001, 0.01, 0.1, 0.5)
FILE_PREVALENCE = 0.001


def measured(do: Callable[[], Any]) -> tuple[float, float]:
    """Seconds on the clock and of all processors."""
    clock, cpu = time.perf_counter(), time.process_time()
    do()
    return time.perf_counter() - clock, time.process_time() - cpu


def subjects(rows: int, prevalence: float, kind: Any) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(rows)
    y = rng.random(rows) < prevalence
    a = rng.normal(size=rows) + 1.5 * y
    return y, a.astype(kind), (0.7 * a + rng.normal(size=rows)).astype(kind)


def in_memory(rows: int) -> None:
    print(f"\n{rows:,} rows in memory: seconds (CPU seconds); a sum over the scores is the unit of 'sums'")
    print("prevalence  type      sum      argsort  table            sums  CPU ns/row")
    for prevalence in PREVALENCES:
        for kind in (np.float32, np.float64):
            y, a, _ = subjects(rows, prevalence, kind)
            plain, sort = measured(a.sum), measured(partial(np.argsort, a))
            table = measured(partial(hc.count_tables, y, {"a": a}))
            print(
                f"{prevalence:<10}  {np.dtype(kind).name}  {plain[0]:.4f}   {sort[0]:.3f}    {table[0]:.3f} "
                f"({table[1]:.3f})    {table[0] / plain[0]:5.0f}  {table[1] / rows * 1e9:.0f}"
            )


def from_parquet(rows: int, folder: Path) -> None:
    path = folder / f"{rows}.parquet"
    y, a, b = subjects(rows, FILE_PREVALENCE, np.float64)
    pq.write_table(pa.table({"y": y.astype(np.int8), "a": a, "b": b}), path)
    del y, a, b
    sums = f"SELECT count(*), sum(a), sum(b), sum(y) FROM '{path}'"
    found: dict[str, Any] = {}
    with duckdb.connect() as db:
        plain = measured(lambda: db.sql(sums).fetchall())
    read = measured(lambda: found.update(ev=hc.evaluate("y", ["a", "b"], data=path, metrics=["ap", "auc"])))
    ev = found["ev"]
    paired = measured(lambda: cross_products(ev.source, ev.tables, ev.metrics, ev.design))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\n{rows:,} rows x 2 scores from Parquet, {FILE_PREVALENCE:.1%} positive; peak of the process {peak:.0f} MB")
    for name, (clock, cpu) in {"sums of DuckDB": plain, "evaluate": read, "paired pass": paired}.items():
        speed = f"{rows / clock / 1e6:6.1f} M rows/s"
        print(f"{name:15} {clock:8.2f} s  {cpu:8.2f} CPU s  {speed}  {cpu / plain[1]:6.1f} sums")


def main() -> None:
    warnings.simplefilter("ignore")
    sizes = [int(float(word)) for word in sys.argv[1:]] or [10**5, 10**6, 10**7]
    print(f"{processors()} processors")
    with tempfile.TemporaryDirectory() as folder:
        for rows in sizes:
            in_memory(rows)
            from_parquet(rows, Path(folder))


if __name__ == "__main__":
    main()
