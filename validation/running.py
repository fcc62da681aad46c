"""How a study is run: seeds, blocks, processes, tallies, files."""

from __future__ import annotations

import argparse
import csv
import math
import platform
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np
import scipy

import hitcurve
from hitcurve import HitTable
from hitcurve.inference.intervals.interval import interval
from hitcurve.inference.variance.spread import Spread
from hitcurve.metrics import Metric
from hitcurve.sums import Lists, Sums
from validation.populations import Sample, Whole

SEED = 20261128
BLOCK = 500  # draws that share a generator
RESULTS = Path(__file__).parent / "results"
VERSIONS = (
    f"hitcurve {hitcurve.__version__}, numpy {np.__version__}, scipy {scipy.__version__}, "
    f"Python {platform.python_version()}"
)

Line: TypeAlias = dict[str, Any]
Item = TypeVar("Item")


def blocks(draws: int, *key: int, size: int = BLOCK) -> Iterator[tuple[int, np.random.Generator]]:
    """Yield the sizes of blocks of draws with their generators; the key says which cell of which study."""
    sizes = [size] * (draws // size) + ([draws % size] if draws % size else [])
    seeds = np.random.SeedSequence(SEED, spawn_key=key).spawn(len(sizes))
    for count, seed in zip(sizes, seeds, strict=True):
        yield count, np.random.default_rng(seed)


def over(do: Callable[[Item], list[Line]], cells: Sequence[Item], processes: int) -> list[Line]:
    """Do all cells, and say how far it is; the results do not depend on the number of processes."""
    start, lines = time.perf_counter(), []
    with ProcessPoolExecutor(processes) as pool:
        done = map(do, cells) if processes == 1 else pool.map(do, cells)
        for count, more in enumerate(done, start=1):
            lines += more
            if count % 12 == 0 or count == len(cells):
                seconds = time.perf_counter() - start
                print(f"{count} of {len(cells)} cells, {seconds:.0f} s", file=sys.stderr, flush=True)
    return lines


@dataclass
class Tally:
    """How often intervals held the truth.

    Attributes
    ----------
    draws : int
    below, above : int
        Intervals wholly below, and wholly above the truth.
    width : float
        Sum of the widths.
    refused : int
        Samples for which the package gives no interval, which are not among the draws.
    """

    draws: int = 0
    below: int = 0
    above: int = 0
    width: float = 0.0
    refused: int = 0

    def add(self, low: Any, high: Any, truth: float) -> None:
        """Count one interval, or many at once."""
        low, high = np.atleast_1d(low), np.atleast_1d(high)
        self.draws += low.size
        # an end that rounding moved past the truth holds it
        self.below += int(np.sum(high < truth - 1e-12))
        self.above += int(np.sum(low > truth + 1e-12))
        self.width += float(np.sum(high - low))

    @property
    def coverage(self) -> float:
        """Share of the intervals that held the truth."""
        return 1 - (self.below + self.above) / self.draws

    def line(self, truth: float) -> Line:
        """Return what goes into a file."""
        n = self.draws
        return {
            "draws": n,
            "coverage": round(self.coverage, 5),
            "standard_error": round(math.sqrt(self.coverage * (1 - self.coverage) / n), 5),
            "below": round(self.below / n, 5),
            "above": round(self.above / n, 5),
            "width_over_truth": round(self.width / n / truth, 5) if truth else math.inf,
            "refused": self.refused,
        }


def tables(sample: Sample, *, ordinal: bool) -> Iterator[HitTable]:
    """Yield samples as tables of the package."""
    for pos, neg in zip(sample.pos, sample.neg, strict=True):
        if ordinal:
            yield HitTable.from_counts(pos, neg)
        elif pos[-1]:
            # many have the lowest score: it is a row of both classes, all rows before it are of one
            yield HitTable.from_counts(*(_rows_apart(side, first) for side, first in ((pos, 1), (neg, 0))))
        else:
            size = pos + neg
            yield HitTable.from_ranks(np.cumsum(size)[pos > 0], int(size.sum()))


def stacked(drawn: Sample, *, ordinal: bool) -> Lists:
    """Return samples as lists side by side: rows of gaps and of positives apart, as tables have them."""
    if ordinal:
        return Lists(Sums(drawn.pos, drawn.neg))
    size, rows = drawn.pos.shape
    pos, neg = np.zeros((size, rows, 2), np.int64), np.zeros((size, rows, 2), np.int64)
    pos[..., 1], neg[..., 0] = drawn.pos, drawn.neg
    tied = drawn.pos[:, -1] > 0  # many have the lowest score: it is one row of both classes
    neg[tied, -1, 1], neg[tied, -1, 0] = neg[tied, -1, 0], 0
    return Lists(Sums(pos.reshape(size, -1), neg.reshape(size, -1)), has_gaps=True)


def _rows_apart(side: Whole, first: int) -> Whole:
    """Return the subjects of a class in rows of gaps and of positives in turn, the last row as it is."""
    rows = np.zeros((side.size - 1, 2), np.int64)
    rows[:, first] = side[:-1]
    return np.append(rows.ravel(), side[-1])


def add_interval(tally: Tally, spread: Spread, method: str, truth: float, n_resamples: int = 399, rng: Any = 0) -> None:
    """Count an interval of the package; where it refuses one, count that."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", hitcurve.errors.HitcurveWarning)  # of replicates without a class
            low, high = interval(spread, 0.95, method, n_resamples=n_resamples, rng=rng)[0]
    except hitcurve.errors.HitcurveError:
        tally.refused += 1
    else:
        tally.add(low, high, truth)


def spread(metric: Metric, table: HitTable) -> Spread:
    """Return what the package knows of a metric of a table of a cohort."""
    return Spread(metric, table, "cohort")


def write(name: str, lines: Sequence[Mapping[str, Any]]) -> Path:
    """Write a file of results, and into ``index.csv`` the seed and the versions that gave it."""
    path = _written(name, lines)
    index = {line["file"]: line for line in read("index")} if (RESULTS / "index.csv").exists() else {}
    index[path.name] = {"file": path.name, "lines": str(len(lines)), "seed": str(SEED), "versions": VERSIONS}
    _written("index", sorted(index.values(), key=lambda line: line["file"]))
    print(f"{path}: {len(lines)} lines", file=sys.stderr)
    return path


def _written(name: str, lines: Sequence[Mapping[str, Any]]) -> Path:
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(lines[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
    return path


def read(name: str) -> list[dict[str, str]]:
    """Read a file of results."""
    with (RESULTS / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def shown(lines: Iterable[Mapping[str, Any]]) -> str:
    """Return lines in columns."""
    body = list(lines)
    names = list(body[0])
    cells = [names, *([_cell(line[name]) for name in names] for line in body)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(names))]
    return "\n".join("  ".join(x.rjust(w) for x, w in zip(row, widths, strict=True)) for row in cells)


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def arguments(description: str | None, argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Read what is said after ``python -m validation.<study>``."""
    parser = argparse.ArgumentParser(description=(description or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few seconds: some cells, few draws, nothing written")
    parser.add_argument("--processes", type=int, default=2)
    return parser.parse_args(argv)
