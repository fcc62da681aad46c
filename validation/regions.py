"""The two defaults of bands side by side: by the region, and by influence values as before.

``python -m validation.regions [--quick]``. The cohorts of ``validation.bands``, the held-out populations, and hooks:
on 17 FPR or rates from .01 to .9 or recalls .1, .15, ..., .9, and dense, on 200 places. Bands are for the whole axis.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import hitcurve as hc
from hitcurve.inference.bands import Band, BandOptions, band_of_table
from validation.bands import CELLS, CURVES, FEWEST, PLACES, RECALLS
from validation.held_out import HOOKS, NOT_TUNED
from validation.populations import Array, Population, sample
from validation.running import SEED, Line, arguments, blocks, over, shown, tables, write

STUDY = 21
SIZES = ((0.2, 20), (0.02, 50), (0.4, 50), (0.2, 200))
EQUAL_SCORES = ("5 levels", "poisson", "zero-inflated")
LONG = ((0.1, 1000), (0.01, 200))
PLACES_BETWEEN = 200
DRAWS = 120


class Method(NamedTuple):
    """A band, on what share of the draws it is made, and from how many draws of its own."""

    name: str
    coverage: str
    share: float
    n_resamples: int | None


METHODS = (
    Method("region", "simultaneous", 1.0, None),
    Method("influence", "simultaneous", 1.0, 1000),
    Method("region", "pointwise", 0.15, None),
    Method("influence", "pointwise", 0.15, None),
)


@dataclass(frozen=True)
class Cell:
    """A population, a prevalence, and how many positives are expected."""

    number: int
    group: str
    name: str
    population: Population
    pi: float
    n1: int


def _cells() -> list[Cell]:
    cells = [("cohorts", _name(cell.population), cell.population, cell.pi, cell.n1) for cell in CELLS]
    for group, populations in (("held out", NOT_TUNED), ("hooks", HOOKS)):
        for name, population in populations.items():
            if group == "hooks" or name not in HOOKS:
                cells += [(group, name, population, pi, n1) for pi, n1 in SIZES]
    cells += [
        ("long lists", name, population, pi, n1)
        for name, population in (
            ("binormal 1.5", Population("binormal", 1.5)),
            ("binormal 3", Population("binormal", 3.0)),
            ("t2 hook", HOOKS["t2 hook"]),
            ("gamma", NOT_TUNED["gamma"]),
        )
        for pi, n1 in LONG
    ]
    numbered = [Cell(number, *cell) for number, cell in enumerate(cells)]
    # with 200 positives the held-out populations of equal scores alone
    return [c for c in numbered if (c.group, c.n1) != ("held out", 200) or c.name in EQUAL_SCORES]


def _name(population: Population) -> str:
    return population.name if population.name == "kinked" else f"{population.name} {population.shift:g}"


ALL = _cells()


def rates_of(population: Population) -> tuple[Array, Array]:
    """Return TPR and FPR of the whole population along the list, straight lines between them."""
    if hasattr(population, "points"):
        tpr, fpr = population.points()
        return tpr, fpr
    score = np.linspace(-12, 14, 40_001)[::-1]
    tpr, fpr = (np.concatenate([[0.0], side(score), [1.0]]) for side in (population.tpr, population.fpr))
    return tpr, fpr


def truth(curve: str, tpr: Array, fpr: Array, pi: float, x: Array) -> Array:
    """Return the curve of the whole population."""
    if curve == "roc":
        return np.interp(x, fpr, tpr)
    if curve == "accumulation":
        return np.interp(x, pi * tpr + (1 - pi) * fpr, tpr)
    return np.asarray(pi * x / (pi * x + (1 - pi) * np.interp(x, tpr, fpr)))


def grids(curve: str, table: hc.HitTable) -> tuple[Array, Array]:
    """Return the places at which a band is compared: the 17, and 200 from one subject on, or from two positives."""
    n1 = float(table.n_pos)
    if curve == "precision_recall":
        return RECALLS, np.geomspace(2 / n1, 1 - 0.5 / n1, PLACES_BETWEEN)
    return PLACES, np.geomspace(1 / float(table.n_neg if curve == "roc" else table.n), 1 - 1e-9, PLACES_BETWEEN)


@dataclass
class Held:
    """How often bands held the truth at some places, and how wide they were.

    Attributes
    ----------
    held, width, too_low, too_high : float
        Sums over the bands: whether it held the truth at all places (of pointwise bands the share of the places), its
        mean width, and whether it was wholly below or above the truth somewhere.
    """

    held: float = 0.0
    width: float = 0.0
    too_low: float = 0.0
    too_high: float = 0.0

    def add(self, band: Band, x: Array, true: Array) -> None:
        """Count one band, at the places that it reaches."""
        there = (x >= band.x[0]) & (x <= band.x[-1])
        low, high = band.low.at(x[there]), band.high.at(x[there])
        below, above = high < true[there] - 1e-12, low > true[there] + 1e-12
        every = np.mean if band.coverage == "pointwise" else np.all
        self.held += float(every(~(below | above)))
        self.width += float(np.mean(high - low))
        self.too_low += float(below.any())
        self.too_high += float(above.any())


@dataclass
class Tally:
    """Bands of one curve and method in one cell."""

    draws: int = 0
    seconds: float = 0.0
    at: tuple[Held, Held] = field(default_factory=lambda: (Held(), Held()))

    def line(self) -> Line:
        """Return what goes into a file."""
        few, dense = self.at
        share = few.held / self.draws
        return {
            "draws": self.draws,
            "coverage": round(share, 5),
            "standard_error": round((share * (1 - share) / self.draws) ** 0.5, 5),  # of pointwise bands at most
            "dense_coverage": round(dense.held / self.draws, 5),
            "dense_too_low": round(dense.too_low / self.draws, 5),
            "dense_too_high": round(dense.too_high / self.draws, 5),
            "mean_width": round(few.width / self.draws, 5),
            "dense_width": round(dense.width / self.draws, 5),
            "milliseconds": round(1000 * self.seconds / self.draws, 2),
        }


def study(cell: Cell, draws: int) -> list[Line]:
    """Return coverage and width of every curve and method in one cell; of long lists from half of the draws."""
    draws = draws // 2 if cell.group == "long lists" else draws
    tpr, fpr = rates_of(cell.population)
    found = {(curve, method): Tally() for curve in CURVES for method in METHODS}
    whole = cell.population.ordinal or any(cell.population.at_bottom)
    number = 0
    for size, rng in blocks(draws, STUDY, cell.number):
        for table in tables(sample(cell.population, round(cell.n1 / cell.pi), cell.pi, size, rng), ordinal=whole):
            number += 1
            if table.n_pos < FEWEST:
                continue
            for (curve, method), tally in found.items():
                if number > method.share * draws:
                    continue
                options = BandOptions(coverage=method.coverage, method=method.name, n_resamples=method.n_resamples)
                start = time.process_time()
                band = band_of_table(table.collapse(), curve, options)
                tally.seconds += time.process_time() - start
                tally.draws += 1
                for held, x in zip(tally.at, grids(curve, table), strict=True):
                    held.add(band, x, truth(curve, tpr, fpr, cell.pi, x))
    named: dict[str, Any] = {"group": cell.group, "population": cell.name, "pi": cell.pi, "n1": cell.n1}
    return [
        {"curve": curve, **named, "method": method.name, "kind": method.coverage, **tally.line()}
        for (curve, method), tally in found.items()
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    cells = [cell for cell in ALL if (cell.name, cell.n1) == ("t2 hook", 50)] if args.quick else ALL
    lines = over(partial(study, draws=30 if args.quick else DRAWS), cells, args.processes)
    if args.quick:
        print(shown(lines), f"seed {SEED}", sep="\n")
    else:
        write("regions", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
