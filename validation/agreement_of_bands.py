"""Comparison of the bands' coverage and width with those of the design's own simulations.

``python -m validation.agreement_of_bands``. ``expected_bands.csv`` and ``expected_difference_bands.csv`` hold the
numbers of the design notes (STATS 3.2 and 3.3). A coverage agrees if the two shares are within 3 standard errors of
each other; of the differences only ranges over cells are known, which are compared as in :mod:`validation.agreement`.
"""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from validation.agreement import WITHIN, repeated
from validation.running import SEED, Line, arguments, read, write

FOLDER = Path(__file__).parent


def expected(name: str) -> list[dict[str, str]]:
    """Read numbers of the design notes."""
    with (FOLDER / f"expected_{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def distance(first: float, draws: int, second: float, others: int) -> float:
    """Return the difference of two shares in its standard errors, one subject of either side aside."""
    pooled = (first * draws + second * others + 0.5) / (draws + others + 1)
    return (first - second) / math.sqrt(pooled * (1 - pooled) * (1 / draws + 1 / others))


def of_bands() -> list[Line]:
    """Return the numbers of whole curves, next to each other."""
    names = ("curve", "method", "pi", "n1")
    numbers = {tuple(line[name] for name in names): line for line in expected("bands")}
    lines = []
    for ours in read("bands"):
        line = numbers.get(tuple(ours[name] for name in names))
        if line is None or (ours["population"], ours["shift"]) != ("binormal", "1.5") or ours["kind"] == "pointwise":
            continue
        shares = float(ours["coverage"]), int(ours["draws"]), float(line["coverage"]), int(line["draws"])
        lines.append(
            {
                **{name: ours[name] for name in (*names, "kind")},
                "design": line["coverage"],
                "here": ours["coverage"],
                "errors": round(distance(*shares), 2),
                "width_design": line["mean_width"],
                "width_here": ours["mean_width"],
            }
        )
    return lines


def of_differences() -> list[Line]:
    """Return the ranges of differences, next to each other."""
    rng, lines = np.random.default_rng([SEED, 9]), []
    for line in expected("difference_bands"):
        cells = [x for x in read("difference_bands") if (x["curve"], x["n1"]) == (line["curve"], line["n1"])]
        tallied = [{**x, "below": str(1 - float(x["coverage"])), "above": "0"} for x in cells]
        width = round(float(np.mean([float(x["mean_width"]) for x in cells])), 3)
        for quantity in ("lowest", "highest"):
            here, mean, error = repeated(tallied, quantity, int(line["draws"]), rng)
            errors = (float(line[quantity]) - mean) / max(error, 0.001)
            lines.append(
                {
                    **{name: line[name] for name in ("curve", "n1")},
                    "quantity": quantity,
                    "design": line[quantity],
                    "here": round(here, 4),
                    "errors": round(errors, 2),
                    "width_design": line["mean_width"],
                    "width_here": width,
                }
            )
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    """Compare, write, and say how many agree."""
    arguments(__doc__, argv)
    for name, lines in (("bands_agreement", of_bands()), ("difference_bands_agreement", of_differences())):
        write(name, lines)
        agree = sum(abs(line["errors"]) <= WITHIN for line in lines)
        print(f"{name}: {agree} of {len(lines)} within {WITHIN:g} errors", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
