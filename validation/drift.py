"""A metric by day: how often days without a change are found unequal, what is marked of days with one, and power.

``python -m validation.drift [--quick]``. Normal scores (``wide``: positives of 1.8 standard deviations; ``t3``: 3
degrees of freedom), positives binomial. Days have equal numbers of subjects, ``unequal`` ones 0.3, 1 and 1.7 times as
many in turn; of ``mixed`` days each second one has as many negatives as positives. ``level`` shifts the last third of
the days, ``day`` the sixth alone. The tests are that of the largest contrast (``mark``) and Cochran's Q; beside them
the same with each day's own standard error on the scale of the metric (``own``). ``size_adjusted`` is the power at the
p value that 5% of the series without a change reach. ``found`` are series in which a change is marked within a day of
the first changed day, or the day alone as odd or by changes on both sides; ``innocent`` those with any other mark.
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

from hitcurve.evaluation.over_time.levels import Days, heterogeneity, marks_of
from hitcurve.inference.variance.spread import Spread
from hitcurve.metrics import metric
from validation.populations import Array, Population, class_sizes, sample_of
from validation.running import SEED, Line, arguments, blocks, over, shown, stacked, write

STUDY = 57
LEVEL, DRAWS = 0.05, 999
TESTS = ("mark", "q")
NUMBERS = (*TESTS, "found", "innocent")
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


def numbers(days: Days, changed: Sequence[int], rng: np.random.Generator) -> tuple[float, ...]:
    """Return p values of the package, and whether the change was found, and other days marked."""
    marks = marks_of(days, LEVEL, DRAWS, rng)
    firsts, odd = {int(change.first) for change in marks.changes}, {int(one.day) for one in marks.odd_days}
    q = float(chdtrc(len(days.names) - 1, heterogeneity(days)))
    return marks.pvalue, q, *_told(firsts, odd, changed)


def _told(firsts: set[int], odd: set[int], changed: Sequence[int]) -> tuple[bool, bool]:
    if len(changed) == 1:
        both = {changed[0], changed[0] + 1}
        return changed[0] in odd or both <= firsts, bool(odd - set(changed) or firsts - both)
    near = {first for first in firsts if changed and abs(first - changed[0]) <= 1}
    return bool(near), bool(odd or firsts - near) or len(near) > 1


def by_own_errors(days: Days, changed: Sequence[int], rng: np.random.Generator) -> tuple[float, ...]:
    """Return the same with each day's own error, on the scale of the metric."""
    # values as they are, with an error of one for weights of the inverse variance
    own = days.errors**-2
    many = np.full(own.size, math.inf)
    return numbers(Days(days.names, days.values, days.errors, own, (-math.inf, math.inf), many), changed, rng)


def study(cell: Cell, samples: int) -> list[Line]:
    """Return sizes, and power if the cell has a change."""
    kinds: dict[str, Sequence[int]] = {"none": ()}
    if cell.less:
        kinds |= {"level": range(cell.days - cell.days // 3, cell.days), "day": (5,)}
    lines: list[Line] = []
    limits: dict[str, Array] = {}
    for place, (kind, changed) in enumerate(kinds.items()):
        found = {how: np.empty((0, len(NUMBERS))) for how in ("pooled", "own")}
        for size, rng in blocks(samples, STUDY, place, *cell.key):
            series = cell.series(changed, size, rng)
            # the error of a perfect day is 0, which the tests by own errors do not allow
            errors = [days for days in series if np.all(days.errors > 0)]
            for how, test, own in (("pooled", numbers, series), ("own", by_own_errors, errors)):
                found[how] = np.concatenate([found[how], [test(days, changed, rng) for days in own]])
        for how, told in found.items():
            p = told[:, : len(TESTS)]
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
                    "found": round(float(told[:, -2].mean()), 4),
                    "innocent": round(float(told[:, -1].mean()), 4),
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
