"""One evaluation against scikit-learn's two calls on the same arrays: time, memory, agreement.

``python -m benchmarks.evaluate [--quick]``. The exit code is 1 if a value is wrong, whatever the times.
"""

from __future__ import annotations

import argparse
import csv
import platform
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn import __version__ as sklearn_version
from sklearn.metrics import average_precision_score, roc_auc_score

import hitcurve as hc

METRICS = ("ap", "auc", "bedroc(alpha=20)", "croc(exp, alpha=7)", "rauc", "ef@1%", "rie(alpha=20)", "slr")
TOLERANCE = 1e-12
SEED = 20240607

Labels = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """What one size gave: ratios first, times in ms, memory in MB (1e6 bytes)."""

    n: int
    repeats: int
    ratio_of_medians: float
    ratio_min: float
    ratio_median: float
    ratio_max: float
    hitcurve_ms: float
    sklearn_ms: float
    sum_ms: float
    hitcurve_in_sums: float
    peak_mb: float
    peak_mb_per_1e6_rows: float
    off_by: float

    def shown(self) -> list[str]:
        """Return the cells of a table."""
        return [f"{x:.0e}" if name in ("n", "off_by") else f"{x:.4g}" for name, x in asdict(self).items()]


def binormal(n: int) -> tuple[Labels, Scores]:
    """Return labels with 1% positives and scores that are one standard deviation higher for them."""
    rng = np.random.default_rng(SEED)
    y = np.zeros(n, np.int64)
    y[rng.choice(n, max(1, n // 100), replace=False)] = 1
    return y, rng.normal(size=n) + y


def hitcurve_values(y: Labels, s: Scores) -> tuple[float, float]:
    """Evaluate all metrics; return AUC and AP."""
    evaluation = hc.evaluate(y, s, metrics=METRICS)
    return evaluation["score", "auc"].value, evaluation["score", "ap"].value


def sklearn_values(y: Labels, s: Scores) -> tuple[float, float]:
    """Return scikit-learn's AUC and AP."""
    return float(roc_auc_score(y, s)), float(average_precision_score(y, s))


def milliseconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return 1e3 * (time.perf_counter() - start)


def peak_megabytes(y: Labels, s: Scores) -> float:
    """Return the peak of memory beyond the inputs; NumPy tells tracemalloc of its arrays."""
    tracemalloc.start()
    try:
        hitcurve_values(y, s)
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def measure(n: int, repeats: int) -> Row:
    y, s = binormal(n)
    # the first calls warm up and are compared
    off_by = max(abs(a - b) for a, b in zip(hitcurve_values(y, s), sklearn_values(y, s), strict=True))
    ours, theirs, sums = [], [], []
    for _ in range(repeats):
        theirs.append(milliseconds(lambda: sklearn_values(y, s)))
        ours.append(milliseconds(lambda: hitcurve_values(y, s)))
        sums.append(milliseconds(lambda: np.sum(s)))
    pairs = [a / b for a, b in zip(theirs, ours, strict=True)]
    mine, other, unit = statistics.median(ours), statistics.median(theirs), statistics.median(sums)
    peak = peak_megabytes(y, s)
    return Row(
        n=n,
        repeats=repeats,
        ratio_of_medians=other / mine,
        ratio_min=min(pairs),
        ratio_median=statistics.median(pairs),
        ratio_max=max(pairs),
        hitcurve_ms=mine,
        sklearn_ms=other,
        sum_ms=unit,
        hitcurve_in_sums=mine / unit,
        peak_mb=peak,
        peak_mb_per_1e6_rows=peak / n * 1e6,
        off_by=off_by,
    )


def processor() -> str:
    """Return the model name of the processor, where the system tells it."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def setting() -> str:
    """Return what the numbers depend on besides this package."""
    return (
        f"Python {platform.python_version()}, numpy {np.__version__}, scikit-learn {sklearn_version}, "
        f"{processor()}, {time.strftime('%Y-%m-%d')}"
    )


def markdown(rows: list[Row]) -> str:
    header = [f.name for f in fields(Row)]
    lines = [header, ["---"] * len(header), *(row.shown() for row in rows)]
    return "\n".join([setting(), "", *("| " + " | ".join(cells) + " |" for cells in lines)])


def write(path: Path, rows: list[Row]) -> None:
    """Write CSV, or Markdown if the name ends in .md."""
    if path.suffix == ".md":
        path.write_text(markdown(rows) + "\n")
        return
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [f.name for f in fields(Row)])
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.evaluate", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, a few seconds")
    parser.add_argument("--sizes", type=float, nargs="+", metavar="N", help="numbers of subjects")
    parser.add_argument("--repeats", type=int, help="interleaved runs of each side (7; 3 if quick)")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="also write FILE.csv or FILE.md")
    given = parser.parse_args(arguments)
    sizes = [int(n) for n in given.sizes or ([1e4, 1e5] if given.quick else [1e5, 1e6, 1e7])]
    repeats = given.repeats or (3 if given.quick else 7)
    rows = []
    print(setting())
    for n in sizes:
        row = measure(n, repeats)
        rows.append(row)
        print(
            f"n = {n:.0e}: {row.ratio_of_medians:.1f} times as fast as scikit-learn "
            f"(pair by pair {row.ratio_min:.1f} / {row.ratio_median:.1f} / {row.ratio_max:.1f}); "
            f"{row.hitcurve_ms:.2f} ms, {row.sklearn_ms:.1f} ms, {row.hitcurve_in_sums:.1f} np.sum; "
            f"memory {row.peak_mb:.2f} MB, {row.peak_mb_per_1e6_rows:.1f} MB per 1e6 rows; "
            f"off by {row.off_by:.1e}",
            flush=True,
        )
    if given.output is not None:
        write(given.output, rows)
    wrong = [row.n for row in rows if not row.off_by <= TOLERANCE]
    if wrong:
        print(f"AUC or AP differs from scikit-learn's at n = {wrong}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
