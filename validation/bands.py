"""Simultaneous coverage and width of the bands of whole curves, and of the difference of two curves.

``python -m validation.bands [--quick]``. Binormal, t3 and kinked populations; the package's own functions on every
draw. The truth is compared on recalls .1, .15, ..., .9 and on 17 FPR or rates from .01 to .9.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
import numpy.typing as npt

import hitcurve as hc
from hitcurve.inference.bands import Band, band_of_table
from validation.average_precision import Cell
from validation.populations import Array, Population, sample
from validation.running import SEED, Line, arguments, blocks, over, shown, tables, write

STUDY, STUDY_OF_DIFFERENCES = 6, 7
RECALLS = np.arange(0.1, 0.901, 0.05)
PLACES = np.array([0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9])
CURVES = ("precision_recall", "roc", "accumulation")
METHODS = {"influence": 1.0, "bootstrap": 0.25, "distribution-free": 0.1}  # share of the draws
FEWEST = 10  # positives; with fewer a simultaneous band is refused


def truth(curve: str, population: Population, pi: float, x: Array) -> Array:
    """Return the curve of the whole population, by reading TPR and FPR off a fine grid of scores."""
    score = np.linspace(-12, 14, 40_001)[::-1]
    tpr, fpr = population.tpr(score), population.fpr(score)
    if curve == "roc":
        return np.interp(x, fpr, tpr)
    if curve == "accumulation":
        return np.interp(x, pi * tpr + (1 - pi) * fpr, tpr)
    at = np.interp(x, tpr, fpr)
    return np.asarray(pi * x / (pi * x + (1 - pi) * at))


@dataclass
class Held:
    """How often bands held the truth everywhere, and how wide they were."""

    draws: int = 0
    held: int = 0
    width: float = 0.0
    refused: int = 0

    def add(self, band: Band, x: Array, true: Array) -> None:
        """Count one band, at the places that it reaches."""
        there = (x >= band.x[0]) & (x <= band.x[-1])
        low, high = np.asarray(band.low.at(x[there])), np.asarray(band.high.at(x[there]))
        self.draws += 1
        self.held += bool(np.all((low <= true[there] + 1e-12) & (true[there] <= high + 1e-12)))
        self.width += float(np.mean(high - low))

    def line(self) -> Line:
        """Return what goes into a file."""
        share = self.held / self.draws
        return {
            "draws": self.draws,
            "coverage": round(share, 5),
            "standard_error": round((share * (1 - share) / self.draws) ** 0.5, 5),
            "mean_width": round(self.width / self.draws, 4),
            "refused": self.refused,
        }


CELLS = [
    Cell(number, Population(name, shift), pi, n1)
    for number, (name, shift, pi, n1) in enumerate(
        [
            *product(["binormal"], [1.5], [0.5, 0.02], [20, 50, 200]),
            *product(["binormal"], [0.5, 3.0], [0.5, 0.02], [20, 50, 200]),
            *product(["t3"], [1.5], [0.5, 0.02], [20, 50, 200]),
        ]
    )
]


def study(cell: Cell, draws: int) -> list[Line]:
    """Return coverage and width of every curve and method in one cell."""
    grids = {"precision_recall": RECALLS, "roc": PLACES, "accumulation": PLACES}
    true = {curve: truth(curve, cell.population, cell.pi, x) for curve, x in grids.items()}
    held = {(curve, method): Held() for curve in CURVES for method in METHODS}
    seen = 0
    for size, rng in blocks(draws, STUDY, cell.number):
        for number, table in enumerate(tables(sample(cell.population, cell.n, cell.pi, size, rng), ordinal=False)):
            seen += 1
            for (curve, method), count in held.items():
                if seen > METHODS[method] * draws:
                    continue
                if table.n_pos < FEWEST:
                    count.refused += 1
                    continue
                x_range = (0.1, 0.9) if curve == "precision_recall" else None
                band = band_of_table(
                    table, curve=curve, method=method, x_range=x_range, n_resamples=500, rng=[number, cell.number]
                )
                count.add(band, grids[curve], true[curve])
    return [{"curve": curve, **cell.named, "method": method, **count.line()} for (curve, method), count in held.items()]


# ---- differences


@dataclass(frozen=True)
class Pair:
    """Two rankers of the same subjects, binormal with correlated scores."""

    number: int
    curve: str
    n1: int
    pi: float
    correlation: float
    shifts: tuple[float, float]


PAIRS = [
    Pair(number, curve, n1, pi, correlation, shifts)
    for number, (curve, n1, pi, correlation, shifts) in enumerate(
        product(("accumulation", "roc"), (20, 50, 200), (0.5, 0.1, 0.02), (0.5, 0.9), ((1.5, 1.5), (1.5, 2.0)))
    )
    if n1 / pi <= 5000 or curve == "accumulation"
]


def study_of_differences(pair: Pair, draws: int) -> list[Line]:
    """Return coverage and width of the band of a difference in one cell."""
    n, held = round(pair.n1 / pair.pi), Held()
    excluded = 0
    for size, rng in blocks(draws, STUDY_OF_DIFFERENCES, pair.number):
        for number in range(size):
            y, a, b = _two(pair, n, rng)
            if y.sum() < FEWEST:
                held.refused += 1
                continue
            band = hc.difference_band(y, a, b, curve=pair.curve, rng=number)
            first, second = (truth(pair.curve, Population("binormal", shift), pair.pi, band.x) for shift in pair.shifts)
            held.add(band, band.x, first - second)
            excluded += bool(band.excludes())
    named = {"curve": pair.curve, "n1": pair.n1, "pi": pair.pi, "correlation": pair.correlation}
    shifts = {"shift_first": pair.shifts[0], "shift_second": pair.shifts[1]}
    return [{**named, **shifts, **held.line(), "excludes_0": round(excluded / max(held.draws, 1), 4)}]


def _two(pair: Pair, n: int, rng: np.random.Generator) -> tuple[npt.NDArray[np.bool_], Array, Array]:
    y = np.arange(n) < rng.binomial(n, pair.pi)
    common, *own = rng.standard_normal((3, n))
    share = pair.correlation**0.5
    a, b = (
        share * common + (1 - pair.correlation) ** 0.5 * noise + shift * y
        for noise, shift in zip(own, pair.shifts, strict=True)
    )
    return y, a, b


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    cells = [cell for cell in CELLS if cell.number == 1] if args.quick else CELLS
    pairs = [pair for pair in PAIRS if pair.number == 2] if args.quick else PAIRS
    lines = over(partial(study, draws=40 if args.quick else 400), cells, args.processes)
    differences = over(partial(study_of_differences, draws=20 if args.quick else 200), pairs, args.processes)
    if args.quick:
        print(shown(lines), shown(differences), f"seed {SEED}", sep="\n")
    else:
        write("bands", lines)
        write("difference_bands", differences)
    return 0


if __name__ == "__main__":
    sys.exit(main())
