"""Comparison of the results with those of the design's own simulations.

``python -m validation.agreement``. ``expected.csv`` holds the numbers of the design notes (section STATS), with the
draws behind each. Of a range over scenarios only the ends are known, which Monte Carlo error moves outwards; so the
design's simulation is repeated from the coverages found here, with its number of draws, and its number is compared
with the mean and the standard deviation of that. A number agrees if it is within 3 of them.
"""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from validation.paired import PAIRS
from validation.populations import Array
from validation.running import SEED, Line, arguments, read, shown, write

EXPECTED = Path(__file__).parent / "expected.csv"
REPEATS = 2000
WITHIN = 3.0
ROUNDED = {"width": 0.03}  # relative; the errors of the design's widths are not known
DIGIT = 0.0005

Cells = list[dict[str, str]]


def _column(cells: Cells, name: str) -> Array:
    return np.array([float(cell[name]) for cell in cells])


def _target(coverage: Array, below: Array, above: Array) -> Array:
    """Say which scenarios are as they should be."""
    return np.asarray((coverage >= 0.935) & (coverage <= 0.965) & (below <= 0.04) & (above <= 0.04), float)


STATISTICS: dict[str, Callable[[Array, Array, Array], Array]] = {
    "lowest": lambda c, _l, _h: c.min(axis=-1),
    "highest": lambda c, _l, _h: c.max(axis=-1),
    "mean": lambda c, _l, _h: c.mean(axis=-1),
    "median": lambda c, _l, _h: np.median(c, axis=-1),
    "below": lambda _c, low, _h: low.max(axis=-1),
    "above": lambda _c, _l, high: high.max(axis=-1),
    "ok": lambda c, low, high: _target(c, low, high).mean(axis=-1),
    "under .935": lambda c, _l, _h: (c < 0.935).mean(axis=-1),
    "under .93": lambda c, _l, _h: (c < 0.93).mean(axis=-1),
}


def repeated(cells: Cells, quantity: str, draws: int, rng: np.random.Generator) -> tuple[float, float, float]:
    """Return a statistic over cells as found, and its mean and s.d. if the cells were drawn again so often."""
    statistic = STATISTICS.get(quantity, STATISTICS["mean"])
    below, above = _column(cells, "below"), _column(cells, "above")
    found = float(statistic(1 - below - above, below, above))
    own = _column(cells, "draws")
    # the error of the coverages found here, then that of the design's
    shares = np.stack([below, above, 1 - below - above], axis=-1)
    truth = rng.multinomial(own.astype(int), shares, (REPEATS, len(cells))) / own[:, None]
    again = rng.multinomial(draws, truth) / draws
    values = statistic(1 - again[..., 0] - again[..., 1], again[..., 0], again[..., 1])
    return found, float(values.mean()), float(values.std())


def _in(cells: Cells, n1: str) -> Cells:
    return [cell for cell in cells if not n1 or cell["n1"] == n1]


def _cells_of(line: dict[str, str], found: dict[str, Cells]) -> Cells:
    """Return the cells that a number of the design is about."""
    cells = _in(found[line["study"]], line["n1"])
    first, *rest = line["group"].split()
    if line["study"] == "average_precision":
        source = "package" if first == "percentile" else "many at once"
        cells = [c for c in cells if c["method"] == first and c["functions"] == source]
        cells = [c for c in cells if not rest or c["population"] == rest[0]]
        if line["quantity"].partition(" ")[0] in ("binormal", "t3"):
            name, shift, _, pi = line["quantity"].split()
            cells = [
                c
                for c in cells
                if c["population"] == name and float(c["shift"]) == float(shift) and float(c["pi"]) == float(pi)
            ]
        return cells
    return [c for c in cells if c["metric"] == first and c["method"] == rest[0]]


def _of_intervals(line: dict[str, str], cells: Cells, rng: np.random.Generator) -> Line:
    quantity, value = line["quantity"], float(line["value"])
    if quantity == "width":
        width = _column(cells, "width_over_truth")
        if line["study"] == "cutoffs":
            width = width * _column(cells, "truth")
        found, error = float(width.mean()), ROUNDED["width"] * value / WITHIN + 0.005 / WITHIN
        return _line(line, found, found, error)
    found, mean, error = repeated(cells, quantity, int(line["draws"]), rng)
    return _line(line, found, mean, math.hypot(error, DIGIT))


def _line(line: dict[str, str], found: float, mean: float, error: float) -> Line:
    distance = (float(line["value"]) - mean) / error
    return {
        "study": line["study"],
        "group": line["group"],
        "n1": line["n1"],
        "quantity": line["quantity"],
        "design": float(line["value"]),
        "found": round(found, 4),
        "if_repeated": round(mean, 4),
        "error": round(error, 4),
        "distance": round(distance, 1),
        "agrees": "yes" if abs(distance) <= WITHIN else "no",
    }


def _of_tests(line: dict[str, str], cells: Cells) -> Line:
    number, method, metric = line["group"].split("|")
    pair = PAIRS[int(number)].named
    (cell,) = (
        c
        for c in cells
        if c["metric"] == metric and c["method"] == method and all(c[k] == str(v) for k, v in pair.items())
    )
    size, theirs = float(cell["size"]), float(line["value"])
    here, there = int(cell["draws"]), int(line["draws"])
    pooled = (size * here + theirs * there + 0.5) / (here + there + 1)
    error = math.hypot(math.sqrt(pooled * (1 - pooled) * (1 / here + 1 / there)), DIGIT)
    c = PAIRS[int(number)]
    where = f"{c.n1}/{c.n0} shift {c.shift:g} corr {c.correlation_1:g}, {c.correlation_0:g} {method} {metric}"
    return _line({**line, "group": where}, size, size, error)


def compared() -> list[Line]:
    """Return every number of the design beside what was found."""
    rng = np.random.default_rng(SEED)
    found = {name: read(name) for name in ("average_precision", "areas", "cutoffs", "paired")}
    lines = []
    with EXPECTED.open(newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            if line["study"] == "paired":
                lines.append(_of_tests(line, found["paired"]))
            else:
                lines.append(_of_intervals(line, _cells_of(line, found), rng))
    return lines


def summary(lines: Iterable[Line]) -> list[Line]:
    """Return how many numbers agree, by study."""
    counted: dict[str, list[int]] = {}
    for line in lines:
        of = counted.setdefault(line["study"], [0, 0])
        of[0] += 1
        of[1] += line["agrees"] == "yes"
    return [{"study": name, "numbers": both[0], "agree": both[1]} for name, both in counted.items()]


def main(argv: Sequence[str] | None = None) -> int:
    """Compare all, write ``results/agreement.csv``, show what differs."""
    arguments(__doc__, argv)
    lines = compared()
    write("agreement", lines)
    apart = [line for line in lines if line["agrees"] == "no"]
    if apart:
        print(shown(apart))
    print(shown(summary(lines)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
