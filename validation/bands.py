"""Coverage and width of the bands of whole curves, and of the difference of two curves.

``python -m validation.bands [--quick]``. Binormal, t3 and kinked populations; the package's own functions on every
draw. The truth is compared on recalls .1, .15, ..., .9 and on 17 FPR or rates from .01 to .9.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import hitcurve as hc
from hitcurve.inference.bands import Band, BandOptions, band_of_table
from hitcurve.inference.bands.limits import Limits, accumulation_process
from validation.average_precision import Cell
from validation.populations import FAMILIES, Array, Family, Population
from validation.running import SEED, Line, arguments, blocks, over, shown, write

STUDY, STUDY_OF_DIFFERENCES = 6, 7
RECALLS = np.arange(0.1, 0.901, 0.05)
PLACES = np.array([0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9])
CURVES = ("precision_recall", "roc", "accumulation")
FEWEST = 10  # positives; with fewer a simultaneous band is refused


AT_PLACES = "at the places"  # the critical value from the 17 rates alone, as the design has it


class Method(NamedTuple):
    """A band, on what share of the draws it is made, and from how many draws or replicates of its own."""

    name: str
    kind: str
    share: float
    n_resamples: int


METHODS = (
    Method("influence", "simultaneous", 1.0, 1000),
    Method("bootstrap", "simultaneous", 0.1, 299),
    Method("smoothed-bootstrap", "simultaneous", 0.1, 299),
    Method("distribution-free", "simultaneous", 0.015, 1),
    Method("influence", AT_PLACES, 0.35, 1000),
    Method("influence", "pointwise", 0.25, 1),
    Method("studentized-smoothed", "pointwise", 0.025, 299),
)


@dataclass(frozen=True)
class Kinked(Population):
    """Half of the positives far above the rest and close together, half like the negatives: a curve with a corner."""

    @property
    def family(self) -> Family:
        """Normal."""
        return FAMILIES["binormal"]

    def tpr(self, score: Array) -> Array:
        """Return the share of the positives above a score."""
        return np.asarray((super().tpr(score) + self.fpr(score)) / 2)

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Draw scores of positives."""
        drawn = self.family.draw(rng, shape)
        return np.where(rng.random(shape) < 0.5, self.shift + self.spread * drawn, drawn)


def scores(population: Population, y: npt.NDArray[np.bool_], rng: np.random.Generator) -> Array:
    """Draw the scores of subjects."""
    drawn = population.family.draw(rng, (1, y.size))[0]
    raised = y & (rng.random(y.size) < 0.5) if isinstance(population, Kinked) else y
    return np.asarray(np.where(raised, population.shift + population.spread * drawn, drawn))


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
    """How often bands held the truth, and how wide they were.

    Attributes
    ----------
    draws : int
    held : float
        Bands that held it everywhere; of pointwise bands the shares of the places where each held it.
    width : float
        Sum of the mean widths.
    refused : int
    """

    draws: int = 0
    held: float = 0.0
    width: float = 0.0
    refused: int = 0

    def add(self, band: Band | Limits, x: Array, true: Array) -> None:
        """Count one band, at the places that it reaches."""
        ends = (band.low.y, band.high.y) if isinstance(band, Band) else (band.low, band.high)
        there = (x >= band.x[0]) & (x <= band.x[-1])
        low, high = (np.interp(x[there], band.x, y) for y in ends)
        inside = (low <= true[there] + 1e-12) & (true[there] <= high + 1e-12)
        pointwise = isinstance(band, Band) and band.coverage == "pointwise"
        self.draws += 1
        self.held += float(np.mean(inside) if pointwise else np.all(inside))
        self.width += float(np.mean(high - low))

    def line(self) -> Line:
        """Return what goes into a file."""
        share = self.held / self.draws
        return {
            "draws": self.draws,
            "coverage": round(share, 5),
            "standard_error": round((share * (1 - share) / self.draws) ** 0.5, 5),  # of pointwise bands at most
            "mean_width": round(self.width / self.draws, 4),
            "refused": self.refused,
        }


CELLS = [
    Cell(number, population, pi, n1)
    for number, (population, pi, n1) in enumerate(
        product(
            [
                *(Population("binormal", shift) for shift in (1.5, 0.5, 3.0)),
                Population("t3", 1.5),
                Kinked("kinked", 3.0, 0.25),
            ],
            [0.5, 0.02],
            [20, 50, 200],
        )
    )
]


def band_of(table: hc.HitTable, curve: str, method: Method, rng: list[int]) -> Band | Limits:
    """Return one band of one sample."""
    if method.kind == AT_PLACES:
        process = accumulation_process(table, PLACES, sampled=True)
        return process.limits(0.95, simultaneous=True, n_draws=method.n_resamples, rng=rng)
    options = BandOptions(
        coverage=method.kind,
        method=method.name,
        x_range=(0.1, 0.9) if curve == "precision_recall" else None,
        n_resamples=method.n_resamples,
        rng=rng,
    )
    return band_of_table(table, curve, options)


def study(cell: Cell, draws: int) -> list[Line]:
    """Return coverage and width of every curve and method in one cell."""
    grids = {"precision_recall": RECALLS, "roc": PLACES, "accumulation": PLACES}
    true = {curve: truth(curve, cell.population, cell.pi, x) for curve, x in grids.items()}
    held = {
        (curve, method): Held()
        for curve in CURVES
        for method in METHODS
        if method.kind != AT_PLACES or curve == "accumulation"
    }
    for number, (_, rng) in enumerate(blocks(draws, STUDY, cell.number, size=1)):
        y = np.arange(cell.n) < rng.binomial(cell.n, cell.pi)
        table = hc.HitTable.from_scores(y, scores(cell.population, y, rng))
        few = table.collapse()
        for (curve, method), count in held.items():
            if number >= method.share * draws:
                continue
            if table.n_pos < FEWEST:
                count.refused += 1
                continue
            band = band_of(
                table if "smoothed" in method.name else few,
                curve,
                method,
                [number, cell.number],
            )
            count.add(band, grids[curve], true[curve])
    return [
        {"curve": curve, **cell.named, "method": method.name, "kind": method.kind, **count.line()}
        for (curve, method), count in held.items()
    ]


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
]


def study_of_differences(pair: Pair, draws: int) -> list[Line]:
    """Return coverage and width of the band of a difference in one cell."""
    n, held, excluded = round(pair.n1 / pair.pi), Held(), 0
    places = np.geomspace(1e-4, 0.6, 2000)
    first, second = (truth(pair.curve, Population("binormal", shift), pair.pi, places) for shift in pair.shifts)
    for size, rng in blocks(draws, STUDY_OF_DIFFERENCES, pair.number):
        for number in range(size):
            y, a, b = _two(pair, n, rng)
            if y.sum() < FEWEST:
                held.refused += 1
                continue
            band = hc.difference_band(y, a, b, curve=pair.curve, rng=number)
            held.add(band, band.x, np.interp(band.x, places, first - second))
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
    lines = over(partial(study, draws=40 if args.quick else 1200), cells, args.processes)
    differences = over(partial(study_of_differences, draws=20 if args.quick else 400), pairs, args.processes)
    if args.quick:
        print(shown(lines), shown(differences), f"seed {SEED}", sep="\n")
    else:
        write("bands", lines)
        write("difference_bands", differences)
    return 0


if __name__ == "__main__":
    sys.exit(main())
