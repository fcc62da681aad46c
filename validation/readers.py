"""Several readers of the same cases, in the model of Roe and Metz: size of tests, and coverage of intervals.

``python -m validation.readers [--quick]``. Five readers of 50 positive and 50 negative cases (of 100 cases in cohorts)
with two modalities. Counted are rejections at the 5% level and 95% intervals that hold the difference of the modalities
and the mean of the first one: with readers and cases random, and with fixed readers. In four structures of variance
modalities are equal or differ; some cells have readers of their own for each modality, cases of their own for each
reader, other numbers of readers and cases, or cases in clusters. ``planned`` is the mean of the power that the samples
plan for a study of their own size at the true difference.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import roots_hermitenorm

import hitcurve as hc
from hitcurve.errors import ParameterError
from validation.populations import Population
from validation.running import Line, arguments, blocks, over, shown, write

STUDY = 47
DRAWS = 1000
FORMS = ("auc", "ap")
SHIFT = 1.5
# variances of readers (and of modality by reader), cases, modality by case, reader by case, and what is left
STRUCTURES = {
    "HL": (0.0055, 0.3, 0.3, 0.2, 0.2),
    "LL": (0.0055, 0.1, 0.1, 0.2, 0.6),
    "HH": (0.03, 0.3, 0.3, 0.2, 0.2),
    "LH": (0.03, 0.1, 0.1, 0.2, 0.6),
}

Array = npt.NDArray[Any]


class Cell(NamedTuple):
    """A population of readers and cases, and the sample."""

    number: int
    structure: str
    design: str
    difference: float = 0.0  # of the shifts of the modalities
    readers: int = 5
    n1: int = 50
    n0: int = 50
    nested: str = ""
    clusters: int = 0
    correlation: float = 0.0  # of cases within a cluster


_DESIGNS = ("case-control", "cohort")
_KINDS: list[tuple[Any, ...]] = [
    *((s, d, shift) for s in STRUCTURES for d in _DESIGNS for shift in (0.0, 0.3)),
    *(("LH", "case-control", 0.0, *sizes) for sizes in ((3, 50, 50), (10, 50, 50), (5, 25, 100), (5, 150, 150))),
    *(("LH", "case-control", 0.0, 5, 50, 50, nested) for nested in ("readers in modalities", "cases in readers")),
    *(("HL", "cohort", 0.0, 5, 50, 50, "", c, rho) for rho in (0.2, 0.5) for c in (10, 20, 50)),
]
CELLS = [Cell(number, *kind) for number, kind in enumerate(_KINDS)]
_SHIFTS: Array = np.linspace(-1.0, 5.0, 241)


@cache
def _of_shifts(form: str, pi: float) -> Array:
    populations = [Population("binormal", shift) for shift in _SHIFTS.tolist()]
    return np.array([one.average_precision(pi) if form == "ap" else one.area("auc", pi) for one in populations])


def of_readers(form: str, shifts: Array, pi: float) -> Array:
    """Return a metric of readers by their shifts, between values of a fine grid."""
    return np.asarray(np.interp(shifts, _SHIFTS, _of_shifts(form, pi)))


def mean_of(form: str, shift: float, variance: float, pi: float) -> float:
    """Return the mean of a metric over readers, whose shifts are normal with this variance."""
    nodes, weights = roots_hermitenorm(15)
    return float(np.dot(weights, of_readers(form, shift + math.sqrt(variance) * nodes, pi)) / weights.sum())


def drawn(cell: Cell, rng: np.random.Generator) -> tuple[dict[str, Array], Array]:
    """Return readings, and the shift of each modality and reader."""
    by_readers, *by_cases = STRUCTURES[cell.structure]
    n, shape = cell.n1 + cell.n0, (2, cell.readers)
    n1 = rng.binomial(n, cell.n1 / n) if cell.design == "cohort" else cell.n1
    truth = (np.arange(n) < n1).astype(int)
    clusters = rng.permutation(np.arange(n) % cell.clusters) if cell.clusters else np.arange(n)

    def normal(variance: float, *size: int) -> Array:
        found: Array = math.sqrt(variance) * rng.standard_normal(size)
        return found

    def of_case(variance: float, *size: int) -> Array:
        """Return effects of cases that are correlated within clusters."""
        own = normal(variance * (1 - cell.correlation), *size, n)
        return own + normal(variance * cell.correlation, *size, cell.clusters)[..., clusters] if cell.clusters else own

    own_readers = 2 if cell.nested == "readers in modalities" else 1
    own_cases = cell.readers if cell.nested == "cases in readers" else 1
    reader = normal(by_readers, own_readers, cell.readers, 2) + normal(by_readers, *shape, 2)
    case = of_case(by_cases[0], 1, own_cases) + of_case(by_cases[1], 2, own_cases)
    case = case + of_case(by_cases[2], own_readers, cell.readers) + of_case(by_cases[3], *shape)
    shift = SHIFT + np.array([0.0, cell.difference])[:, None]
    rating = shift[:, :, None] * truth + reader[:, :, truth] + case
    modality, reader_of, case_of = (index.ravel() for index in np.indices(rating.shape))
    columns = {"rating": rating.ravel(), "reader": reader_of, "modality": modality, "case": case_of}
    columns["truth"] = truth[case_of]
    if cell.nested == "readers in modalities":
        columns["reader"] = reader_of + cell.readers * modality
    if cell.clusters:
        columns["clusters"] = clusters[case_of]
    return columns, shift + reader[:, :, 1] - reader[:, :, 0]


def study(cell: Cell, draws: int) -> list[Line]:
    """Return what is counted in one cell, a line for each metric."""
    pi = cell.n1 / (cell.n1 + cell.n0)
    variance = 4 * STRUCTURES[cell.structure][0]  # of the shift of a reader: both effects, in both classes
    truth = {form: [mean_of(form, SHIFT + d, variance, pi) for d in (0.0, cell.difference)] for form in FORMS}
    counted: dict[str, dict[str, list[float]]] = {form: {} for form in FORMS}
    how: dict[str, Any] = {"metrics": FORMS, "design": cell.design, "nested": cell.nested or None}
    for size, rng in blocks(draws, STUDY, cell.number):
        for _ in range(size):
            columns, shifts = drawn(cell, rng)
            given = columns | how
            both, fixed = (hc.evaluate_readers(**given, random=x) for x in (("readers", "cases"), "cases"))
            for form in FORMS:
                found = _of_one(both, fixed, form, truth[form], of_readers(form, shifts, pi).mean(axis=1).tolist())
                for key, value in found.items():
                    counted[form].setdefault(key, []).append(value)
    return [
        {
            **{key: value for key, value in cell._asdict().items() if key != "number"},
            "metric": form,
            "draws": draws,
            "true_difference": round(truth[form][0] - truth[form][1], 4),
            **{key: _mean(values) for key, values in counted[form].items()},
        }
        for form in FORMS
    ]


def _mean(values: Sequence[float]) -> float | str:
    """Return the mean of the values that there are, nothing where there is none."""
    there = [value for value in values if not math.isnan(value)]
    return round(float(np.mean(there)), 4) if there else ""


def _of_one(
    both: hc.ReaderStudy, fixed: hc.ReaderStudy, form: str, truth: Sequence[float], of_these: Sequence[float]
) -> dict[str, float]:
    """Return what is counted of one sample."""
    one, alone = both[form], fixed[form]
    (difference,), (of_fixed,) = one.differences, alone.differences
    first, second = truth
    own, other = of_these
    return {
        "rejected": float(difference.pvalue <= 0.05),
        "covered": float(difference.low <= first - second <= difference.high),
        "mean_covered": float(one.means[0].low <= first <= one.means[0].high),
        "fixed_covered": float(of_fixed.low <= own - other <= of_fixed.high),
        "fixed_mean_covered": float(alone.means[0].low <= own <= alone.means[0].high),
        "bias_of_difference": difference.value - (first - second),
        "width": difference.high - difference.low,
        "degrees": min(difference.degrees_of_freedom, 1e6),
        "clamped": float(one.components.clamped),
        "planned": _planned(both, form, second - first),
    }


def _planned(found: hc.ReaderStudy, form: str, effect: float) -> float:
    if abs(effect) < 1e-9:
        return math.nan
    readers = int(found.readings.readers_of_modality[0])
    try:
        return found.power_analysis(effect, metric=form, readers=readers, cases=len(found.readings.cases)).power
    except ParameterError:  # nothing varied
        return math.nan


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    if args.quick:
        print(shown(study(CELLS[1], 20)))
        return 0
    lines = over(partial(study, draws=DRAWS), CELLS, args.processes)
    print(write("readers", lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
