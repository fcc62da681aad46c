"""A metric by day: how often days without a change are found unequal, changed or odd, and power against a change.

``python -m validation.drift [--quick]``. Normal scores (``wide``: positives of 1.8 standard deviations; ``t3``: 3
degrees of freedom), positives binomial. Days have equal numbers of subjects, ``unequal`` ones 0.3, 1 and 1.7 times as
many in turn; of ``mixed`` days each second one has as many negatives as positives. ``level`` shifts the last third of
the days, ``day`` the sixth alone. Beside the tests, the same with each day's own standard error on the scale of the
metric (``own``). ``size_adjusted`` is the power at the p value that 5% of the series without a change reach.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
from scipy.special import chdtrc, ndtri

from hitcurve.evaluation.over_time.levels import Days, changes_of, heterogeneity, odd_days_of
from hitcurve.inference.variance.spread import Spread
from hitcurve.metrics import metric
from validation.populations import Array, Population, class_sizes, sample_of
from validation.running import SEED, Line, arguments, blocks, over, shown, stacked, write

STUDY = 57
LEVEL, DRAWS = 0.05, 999
TESTS = ("change", "q", "odd")
UNEQUAL = (0.3, 1.0, 1.7)
Columns: TypeAlias = tuple[Array, Array, Array, Array]  # values, errors, weights, positives


def _binormal(auc: float) -> Population:
    return Population("binormal", math.sqrt(2) * float(ndtri(auc)))


POPULATIONS = {
    **{f"auc {auc}": _binormal(auc) for auc in (0.7, 0.85, 0.95)},
    "t3": Population("t3", 1.5),
    "wide": Population("binormal", 1.5, 1.8),
}


@dataclass(frozen=True)
class Cell:
    """Days: the metric, their population, expected positives, prevalence, and how large they are."""

    metric: str
    population: str
    prevalence: float
    positives: int
    days: int = 14
    sizes: str = "equal"
    less: float = 0.0
    """By how much the positives are shifted less after a change, in standard deviations."""

    @property
    def key(self) -> list[int]:
        """Return the seed of the cell, which follows from what it is."""
        return list(str(self).encode())

    def day(self, place: int, population: Population, size: int, rng: np.random.Generator) -> Columns:
        """Draw one day of many series."""
        share = UNEQUAL[place % 3] if self.sizes == "unequal" else 1.0
        pi = 0.5 if self.sizes == "mixed" and place % 2 else self.prevalence
        n = round(share * self.positives / pi)
        positives, _ = class_sizes(n, pi, size, rng)
        lists = stacked(sample_of(population, positives, n, rng), ordinal=False)
        spread = Spread(metric(self.metric), lists, "cohort")
        return spread.value, spread.standard_error, positives * (n - positives) / n, np.asarray(positives, float)

    def series(self, changed: Sequence[int], size: int, rng: np.random.Generator) -> list[Days]:
        """Draw series; some days have changed."""
        before = POPULATIONS[self.population]
        after = Population(before.name, before.shift - self.less, before.spread)
        days = [self.day(place, after if place in changed else before, size, rng) for place in range(self.days)]
        values, errors, weights, n_pos = (np.stack(side, axis=1) for side in zip(*days, strict=True))
        names, ends = tuple(map(str, range(self.days))), metric(self.metric).range
        columns = zip(values, errors, weights, n_pos, strict=True)
        return [Days(names, v, e, w, ends, n1, "@" in self.metric) for v, e, w, n1 in columns]


def pvalues(days: Days, rng: np.random.Generator) -> tuple[float, ...]:
    """Return the p values of the package: the first change, Q, the oddest day."""
    change = next(changes_of(days, 0.0, DRAWS, rng)).pvalue
    q = float(chdtrc(len(days.names) - 1, heterogeneity(days)))
    return change, q, min(odd.pvalue for odd in odd_days_of(days, (), 1.0))


def by_own_errors(days: Days, rng: np.random.Generator) -> tuple[float, ...]:
    """Return the p values of the same tests with each day's own error, on the scale of the metric."""
    # values as they are, with an error of one for weights of the inverse variance
    own = days.errors**-2
    many = np.full(own.size, math.inf)
    return pvalues(Days(days.names, days.values, days.errors, own, (-math.inf, math.inf), many), rng)


def study(cell: Cell, samples: int) -> list[Line]:
    """Return sizes, and power if the cell has a change."""
    kinds: dict[str, Sequence[int]] = {"none": ()}
    if cell.less:
        kinds |= {"level": range(cell.days - cell.days // 3, cell.days), "day": (5,)}
    lines: list[Line] = []
    limits: dict[str, Array] = {}
    for place, (kind, changed) in enumerate(kinds.items()):
        found = {"pooled": np.empty((0, 3)), "own": np.empty((0, 3))}
        for size, rng in blocks(samples, STUDY, place, *cell.key):
            series = cell.series(changed, size, rng)
            # the error of a perfect day is 0, which the tests by own errors do not allow
            errors = [days for days in series if np.all(days.errors > 0)]
            for how, test, own in (("pooled", pvalues, series), ("own", by_own_errors, errors)):
                found[how] = np.concatenate([found[how], [test(days, rng) for days in own]])
        for how, p in found.items():
            if kind == "none":
                limits[how] = np.quantile(p, LEVEL, axis=0)
            rejected, adjusted = np.mean(p <= LEVEL, axis=0), np.mean(p <= limits[how], axis=0)
            lines.append(
                {
                    "metric": cell.metric,
                    "population": cell.population,
                    "prevalence": cell.prevalence,
                    "positives": cell.positives,
                    "days": cell.days,
                    "sizes": cell.sizes,
                    "less": cell.less,
                    "change": kind,
                    "errors": how,
                    "series": len(p),
                    **{f"rejected_{name}": round(float(x), 4) for name, x in zip(TESTS, rejected, strict=True)},
                    **{f"size_adjusted_{name}": round(float(x), 4) for name, x in zip(TESTS, adjusted, strict=True)},
                }
            )
    return lines


_OF_METRIC = {
    ("auc", 0.1): tuple(POPULATIONS),
    ("ap", 0.1): ("auc 0.7", "auc 0.85", "auc 0.95", "t3"),
    ("ap", 0.02): ("auc 0.85", "auc 0.95"),
}
CELLS = [
    *(
        Cell(
            name,
            population,
            pi,
            positives,
            less=(1.0 if population == "auc 0.95" else 0.7) * math.sqrt(15 / positives)
            if positives < 300 and population in ("auc 0.85", "auc 0.95")
            else 0.0,
        )
        for (name, pi), own in _OF_METRIC.items()
        for population in own
        for positives in (30, 100, 300)
    ),
    *(
        Cell(name, population, pi, positives, sizes=sizes)
        for (name, pi) in (("auc", 0.1), ("ap", 0.1))
        for population in ("auc 0.85", "auc 0.95")
        for positives in (30, 100)
        for sizes in (("unequal", "mixed") if name == "auc" else ("unequal",))
    ),
    *(
        Cell(name, "auc 0.85", 0.1, positives, days)
        for name in ("auc", "ap")
        for positives in (30, 100, 500)
        for days in (7, 10, 60)
    ),
    *(
        Cell("ef@1%", population, 0.02, positives, days)
        for population in ("auc 0.85", "auc 0.95")
        for positives in (30, 100, 500)
        for days in (10, 60)
    ),
    *(Cell("ap", "auc 0.95", 0.1, positives, 60) for positives in (30, 100, 500)),
]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    if args.quick:
        print(shown(study(CELLS[0], 20)), f"\nseed {SEED}")
    else:
        write("drift", over(partial(study, samples=600), CELLS, args.processes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
