"""Many markers against one outcome: false discoveries, simultaneous intervals, and what the best are worth.

``python -m validation.screens [--quick]``. Markers of the same subjects, correlated with each other, most of them the
same in both classes. Counted are false discoveries after adjustment, samples in which simultaneous intervals hold all
markers, and how often intervals of the first and the fifth best hold the true value of that marker: corrected for the
choice, and of the marker alone. Normal, t3 and units markers were looked at while the intervals were made; those that
vary more among the positives (wider), those whose direction is chosen (auto) and those that nearly move as one
(correlation 0.9) were not.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, stdtrit

import hitcurve as hc
from validation.populations import Population
from validation.running import Line, arguments, blocks, over, shown, write

STUDY = 41
DRAWS = 200
MARKERS = 200
FORMS = ("ap", "auc")
RANKS = (1, 5)
LEVEL = 0.05
WIDER = 1.5  # standard deviation of positives over that of negatives

Array = npt.NDArray[Any]


class Field(NamedTuple):
    """Markers by their population and shifts, and the sample."""

    number: int
    name: str
    what: str
    correlation: float
    n1: int
    n0: int
    direction: str

    @property
    def shifts(self) -> Array:
        """Shift of each marker."""
        shifts: Array = np.zeros(MARKERS)
        if self.what == "some":
            shifts[-MARKERS // 10 :] = np.repeat([0.6, 1.2], MARKERS // 20)
        elif self.what == "one":
            shifts[-1] = 1.5
        elif self.what == "strong":
            shifts[-MARKERS // 10 :] = np.repeat([1.5, 2.5, 3.5, 4.5], MARKERS // 40)
        return shifts


CELLS = [
    Field(number, *cell)
    for number, cell in enumerate(
        [
            ("binormal", "none", 0.0, 30, 60, "high"),
            ("binormal", "none", 0.5, 30, 60, "high"),
            ("binormal", "some", 0.0, 60, 60, "high"),
            ("binormal", "some", 0.5, 30, 60, "high"),
            ("binormal", "one", 0.3, 30, 300, "high"),
            ("t3", "none", 0.3, 30, 60, "high"),
            ("t3", "some", 0.3, 40, 160, "high"),
            ("units", "none", 0.3, 40, 80, "high"),
            ("units", "some", 0.3, 40, 80, "high"),
            ("binormal", "strong", 0.3, 10, 60, "high"),
            ("wider", "some", 0.3, 40, 80, "high"),
            ("wider", "some", 0.0, 20, 200, "high"),
            ("binormal", "none", 0.3, 30, 60, "auto"),
            ("binormal", "some", 0.3, 30, 120, "auto"),
            ("binormal", "none", 0.9, 30, 60, "high"),
            ("binormal", "none", 0.9, 30, 60, "auto"),
            ("binormal", "some", 0.9, 30, 60, "auto"),
        ]
    )
]


def drawn(cell: Field, y: Array, rng: np.random.Generator) -> Array:
    """Return markers whose correlation is that of a common factor."""
    shape = (y.size, MARKERS)
    normal: Array = np.sqrt(cell.correlation) * rng.standard_normal((y.size, 1))
    normal = normal + np.sqrt(1 - cell.correlation) * rng.standard_normal(shape)
    if cell.name == "t3":
        normal = stdtrit(3, ndtr(normal))
    shifts = cell.shifts
    if cell.name == "wider":
        normal = normal * np.where(y[:, None] * (shifts > 0), WIDER, 1.0)
    if cell.direction == "auto":
        shifts = shifts * np.where(np.arange(MARKERS) % 2, -1, 1)
    scores: Array = normal + shifts * y[:, None]
    return np.searchsorted(np.arange(-1.0, 5.0), scores) if cell.name == "units" else scores


def study(cell: Field, draws: int) -> list[Line]:
    """Return what is counted in one cell, a line for each metric."""
    pi, shifts = cell.n1 / (cell.n1 + cell.n0), cell.shifts
    truth = {form: _true(cell, form, pi, shifts) for form in FORMS}
    reverse = {form: _true(cell, form, pi, -shifts) for form in FORMS}
    counted: dict[str, dict[str, list[float]]] = {form: {} for form in FORMS}
    for size, rng in blocks(draws, STUDY, cell.number):
        for _ in range(size):
            y = rng.permutation(np.arange(cell.n1 + cell.n0) < cell.n1).astype(int)
            X = drawn(cell, y, rng)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = hc.screen(
                    X, y, metrics=FORMS, direction=cell.direction, design="case-control", n_resamples=1999
                )
            # a direction that was chosen may be the wrong one
            right = found.low_first == (np.arange(MARKERS) % 2 > 0) if cell.direction == "auto" else ~found.low_first
            for form in FORMS:
                true = np.where(right, truth[form], reverse[form])
                for key, value in _of_one(found, form, true, shifts == 0).items():
                    counted[form].setdefault(key, []).append(value)
    return [
        {
            "population": cell.name,
            "markers": MARKERS,
            "what": cell.what,
            "correlation": cell.correlation,
            "direction": cell.direction,
            "n_pos": cell.n1,
            "n_neg": cell.n0,
            "metric": form,
            "draws": draws,
            **{key: round(float(np.mean(values)), 4) for key, values in counted[form].items()},
        }
        for form in FORMS
    ]


def _true(cell: Field, form: str, pi: float, shifts: Array) -> Array:
    """Return the true value of each marker."""
    name = "binormal" if cell.name == "wider" else cell.name
    values = {}
    for shift in set(shifts.tolist()):
        of = Population(name, shift, WIDER if cell.name == "wider" and shift else 1.0)
        values[shift] = of.average_precision(pi) if form == "ap" else of.area(form, pi)
    return np.array([values[shift] for shift in shifts.tolist()])


def _of_one(found: hc.Screen, form: str, truth: Array, null: Array) -> dict[str, float]:
    """Return what is counted of one sample."""
    place = found.metric_place(form)
    discovered = found.adjusted[place] <= LEVEL
    false = float(np.sum(discovered & null))
    low, high = found.simultaneous(form, n_resamples=1000)
    out = {
        "null_p": float(np.mean(found.pvalue[place][null] <= LEVEL)),
        "false_discovery_rate": false / max(float(discovered.sum()), 1.0),
        "power": float(np.mean(discovered[~null])) if (~null).any() else np.nan,
        "simultaneous": float(np.all((low <= truth) & (truth <= high))),
        "some_too_low": float(np.any(high < truth)),
        "some_too_high": float(np.any(low > truth)),
    }
    best = found.top(max(RANKS), form, n_resamples=1000)
    for rank in RANKS:
        one = best[rank - 1]
        true = truth[found.place(one.marker)]
        out |= {
            f"corrected_{rank}": float(one.corrected_low <= true <= one.corrected_high),
            f"alone_{rank}": float(one.low <= true <= one.high),
            f"bias_corrected_{rank}": one.corrected - true,
            f"bias_{rank}": one.value - true,
        }
    return out


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    if args.quick:
        print(shown(study(CELLS[3], 2)))
        return 0
    lines = over(partial(study, draws=DRAWS), CELLS, args.processes)
    print(write("screens", lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
