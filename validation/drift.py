"""A metric by day: how often days without a change are found unequal, what is marked of days with one, and power.

``python -m validation.drift [--quick]``. Normal scores (``wide``, ``narrow``: positives of 1.8 and .55 standard
deviations; ``t3``: 3 degrees of freedom), positives binomial. Days have equal numbers of positives, ``unequal`` ones
0.3, 1 and 1.7 times as many in turn. Prevalence is that of the cell; of ``mixed`` days it is ``.5`` on each second one,
of ``alternating`` days .3 on each second one and .02 on the others, and of ``halves`` it is .02 before the middle and
.3 after it. ``level`` shifts the last third of the days, ``day`` the sixth alone. The tests are that of the largest
contrast (``mark``) and Cochran's Q (``q``). Errors are those of the package (``classes``: variances of a positive and
of a negative, pooled); ``one`` is one variance of a subject, pooled, on the arcsine scale without more subjects (but at
a cutoff), against normal values and chi-squared; ``own`` is each day's own standard error, on the scale of the metric,
likewise. ``size_adjusted`` is the power at the p value that 5% of the series without a change reach. ``found`` are
series in which a change is marked within a day of the first changed day, or the day alone as odd or by changes on both
sides; ``innocent`` those with any other mark; of the package alone.
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

from hitcurve.evaluation.over_time.levels import Days, end_of, heterogeneity, marks_of, whole_period
from hitcurve.inference.resampling.draws import binomial
from hitcurve.inference.variance.parts import parts_of
from hitcurve.inference.variance.spread import Spread
from hitcurve.metrics import metric
from validation.populations import Array, Population, class_sizes, sample_of
from validation.running import SEED, Line, arguments, blocks, over, shown, stacked, write

STUDY = 57
LEVEL, DRAWS = 0.05, 999
TESTS = ("mark", "q")
UNEQUAL = (0.3, 1.0, 1.7)
LOW, HIGH = 0.02, 0.3
Both: TypeAlias = tuple[Days, Array]  # and each day's own variance


def _binormal(auc: float, spread: float = 1.0) -> Population:
    return Population("binormal", math.hypot(1, spread) * float(ndtri(auc)), spread)


POPULATIONS = {
    **{f"auc {auc}": _binormal(auc) for auc in (0.6, 0.7, 0.8, 0.85, 0.95)},
    "t3": Population("t3", 1.5),
    "wide": _binormal(0.8, 1.8),
    "narrow": _binormal(0.8, 0.55),
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

    def prevalence_of(self, place: int) -> float:
        """Return the prevalence of a day."""
        moved = {"mixed": place % 2 > 0, "alternating": place % 2 > 0, "halves": 2 * place >= self.days}
        if self.sizes not in moved:
            return self.prevalence
        before, after = (self.prevalence, 0.5) if self.sizes == "mixed" else (LOW, HIGH)
        return after if moved[self.sizes] else before

    def day(self, place: int, population: Population, size: int, rng: np.random.Generator) -> Spread:
        """Draw one day of many series."""
        share = UNEQUAL[place % 3] if self.sizes == "unequal" else 1.0
        pi = self.prevalence_of(place)
        n = round(share * self.positives / pi)
        positives, _ = class_sizes(n, pi, size, rng)
        lists = stacked(sample_of(population, positives, n, rng), ordinal=False)
        return Spread(metric(self.metric), lists, "cohort")

    def series(self, changed: Sequence[int], size: int, rng: np.random.Generator) -> list[Both]:
        """Draw series; some days have changed."""
        before = POPULATIONS[self.population]
        after = Population(before.name, before.shift - self.less, before.spread)
        spreads = [self.day(place, after if place in changed else before, size, rng) for place in range(self.days)]
        values, own = (np.stack(x, axis=1) for x in zip(*((s.value, s.variance) for s in spreads), strict=True))
        best = np.stack([np.broadcast_to(metric(self.metric).best(s.counts), s.shape) for s in spreads], axis=1)
        names, (least, end) = tuple(map(str, range(self.days))), metric(self.metric).range
        counted, made = spreads[0].step is not None, []
        for i, (parts, sizes) in enumerate(zip(*parts_of(spreads), strict=True)):
            ends = (least, end_of(values[i], best[i], end) if counted else end)
            made.append((Days(names, values[i], parts, sizes, ends, counted), own[i]))
        return made


def by_the_package(both: Both, rng: np.random.Generator) -> tuple[float, float]:
    """Return the p values of the largest contrast and of Q."""
    days, _ = both
    return whole_period(days, DRAWS, rng), heterogeneity(days).pvalue


class _Without(Days):
    """Values and errors that are what they are: ``sizes`` and ``parts`` hold the weights and the variances."""

    __slots__ = ()

    @property
    def errors(self) -> Array:
        return np.asarray(np.sqrt(self.parts.sum(axis=1)))

    def drawn(self, draws: int, rng: np.random.Generator) -> tuple[Array, Array]:
        _, errors = self.placed()
        return rng.normal(size=(draws, errors.size)) * errors, np.ones(draws)

    def placed(self) -> tuple[Array, Array]:
        return self.values, self.errors


class _One(_Without):
    """On the arcsine scale."""

    __slots__ = ()

    def _n(self) -> tuple[float, Array]:
        mean = self.mean() / self.bounds[1]
        return mean, mean * (1 - mean) * (self.bounds[1] / self.errors) ** 2

    def placed(self) -> tuple[Array, Array]:
        n, more = self._n()[1], 3 / 8 * self.counted
        shares = (self.values / self.bounds[1] * n + more) / (n + 2 * more)
        return np.arcsin(np.sqrt(shares)), 1 / (2 * np.sqrt(n + self.counted / 2))

    def drawn(self, draws: int, rng: np.random.Generator) -> tuple[Array, Array]:
        if not self.counted:
            return super().drawn(draws, rng)
        mean, n = self._n()
        whole = np.maximum(np.rint(n), 1)
        shares = binomial(rng, whole.astype(np.int64), mean, (draws, n.size)) / whole
        return np.arcsin(np.sqrt((shares * n + 3 / 8) / (n + 3 / 4))), np.ones(draws)


def by_one_variance(both: Both, rng: np.random.Generator) -> tuple[float, float]:
    """Return the same with one variance of a subject of either class."""
    days, own = both
    (n1, n0), end = days.sizes.T, metric_end(days)
    weights = n1 * n0 / (n1 + n0)
    pooled = np.average(weights * own * n1 / (n1 - 1), weights=weights)
    return _by(_One(days.names, days.values, (pooled / weights)[:, None], days.sizes, (0.0, end), days.counted), rng)


def metric_end(days: Days) -> float:
    """Return the end of the range that a cutoff cannot attain at once with its share of a list."""
    return max(days.bounds[1], float(days.values.max()))


def by_own_errors(both: Both, rng: np.random.Generator) -> tuple[float, float]:
    """Return the same with each day's own error, on the scale of the metric."""
    days, own = both
    return _by(_Without(days.names, days.values, own[:, None], days.sizes, days.bounds), rng)


def _by(days: Days, rng: np.random.Generator) -> tuple[float, float]:
    places, errors = days.placed()
    q = float(np.sum(((places - np.average(places, weights=errors**-2)) / errors) ** 2))
    return whole_period(days, DRAWS, rng), float(chdtrc(places.size - 1, q))


def _told(firsts: set[int], odd: set[int], changed: Sequence[int]) -> tuple[bool, bool]:
    if len(changed) == 1:
        both = {changed[0], changed[0] + 1}
        return changed[0] in odd or both <= firsts, bool(odd - set(changed) or firsts - both)
    near = {first for first in firsts if changed and abs(first - changed[0]) <= 1}
    return bool(near), bool(odd or firsts - near) or len(near) > 1


def marked(both: Both, changed: Sequence[int], rng: np.random.Generator) -> tuple[bool, bool]:
    """Return whether the change was found, and other days marked."""
    marks = marks_of(both[0], LEVEL, DRAWS, rng)
    return _told({int(one.first) for one in marks.changes}, {int(one.day) for one in marks.odd_days}, changed)


HOW = {"classes": by_the_package, "one": by_one_variance, "own": by_own_errors}


def study(cell: Cell, samples: int) -> list[Line]:
    """Return sizes, and power if the cell has a change."""
    kinds: dict[str, Sequence[int]] = {"none": ()}
    if cell.less:
        kinds |= {"level": range(cell.days - cell.days // 3, cell.days), "day": (5,)}
    lines: list[Line] = []
    limits: dict[str, Array] = {}
    for place, (kind, changed) in enumerate(kinds.items()):
        found: dict[str, list[tuple[float, float]]] = {how: [] for how in HOW}
        told: list[tuple[bool, bool]] = []
        for size, rng in blocks(samples, STUDY, place, *cell.key):
            series = cell.series(changed, size, rng)
            for how, test in HOW.items():
                # the error of a day without or with all hits is 0, which the tests by own errors do not allow
                allowed = [both for both in series if np.all(both[1] > 0)] if how == "own" else series
                found[how] += [test(both, rng) for both in allowed if both[0].errors.any()]
            if changed:
                told += [marked(both, changed, rng) for both in series]
        for how, values in found.items():
            p = np.reshape(values, (-1, len(TESTS)))
            if kind == "none":
                limits[how] = np.quantile(p, LEVEL, axis=0) if len(p) else np.full(len(TESTS), math.nan)
            rejected, adjusted = (
                np.mean(p <= limit, axis=0) if len(p) else np.full(len(TESTS), math.nan)
                for limit in (LEVEL, limits[how])
            )
            right, wrong = np.mean(told, axis=0) if told and how == "classes" else (math.nan, math.nan)
            lines.append(
                {
                    "metric": cell.metric,
                    "population": cell.population,
                    "prevalence": cell.prevalence,
                    "positives": cell.positives,
                    "days": cell.days,
                    "sizes": cell.sizes,
                    "less": round(cell.less, 4),
                    "change": kind,
                    "errors": how,
                    "series": len(p),
                    **{f"rejected_{name}": round(float(x), 4) for name, x in zip(TESTS, rejected, strict=True)},
                    **{f"size_adjusted_{name}": round(float(x), 4) for name, x in zip(TESTS, adjusted, strict=True)},
                    "found": round(float(right), 4),
                    "innocent": round(float(wrong), 4),
                }
            )
    return lines


def _less(positives: int) -> float:
    return 0.7 * math.sqrt(15 / positives)


AT_A_CUT = ("ef@1%", "tpr@fpr=5%", "precision@10")
SPREADS = ("auc 0.8", "wide", "narrow")
CELLS = [
    *(
        Cell(name, population, 0.1, positives, days)
        for name in ("auc", "ap", *AT_A_CUT)
        for population in SPREADS
        for positives, days in ((10, 10), (30, 10), (30, 30), (100, 10))
    ),
    *(
        Cell(name, "wide", 0.1, positives, days)
        for name in ("auc", "ap", *AT_A_CUT)
        for positives, days in ((10, 100), (100, 100), (500, 10), (500, 30))
    ),
    *(
        Cell(name, population, LOW, positives, days, moving)
        for name in ("auc", "tpr@fpr=5%")
        for population in SPREADS
        for moving in ("alternating", "halves")
        for positives, days in ((10, 10), (30, 10), (30, 30), (100, 30))
    ),
    *(Cell("auc", population, LOW, 100, 100, "halves") for population in ("wide", "narrow")),
    *(Cell("auc", population, 0.1, positives, 14, "mixed") for population in SPREADS for positives in (30, 100)),
    # few positives
    *(
        Cell(name, population, 0.1, positives, days)
        for name in ("auc", "ap")
        for population in ("auc 0.7", "auc 0.95", "t3", "wide")
        for positives, days in ((5, 10), (5, 30), (8, 30), (15, 30))
    ),
    # weak rankers
    *(
        Cell(name, "auc 0.6", pi, positives, days)
        for name in ("ef@1%", "recall@1%")
        for pi in (0.02, 0.1)
        for positives, days in ((10, 10), (10, 30), (30, 30), (100, 30))
    ),
    *(
        Cell(name, population, 0.1, positives, sizes="unequal")
        for name in ("auc", "ap")
        for population in ("auc 0.85", "auc 0.95")
        for positives in (30, 100)
    ),
    # with a change
    *(
        Cell(name, population, 0.1, positives, less=_less(positives) * (1.4 if population == "auc 0.95" else 1.0))
        for name in ("auc", "ap", "tpr@fpr=5%")
        for population in ("auc 0.85", "auc 0.95", "wide")
        for positives in (10, 30, 100)
    ),
    *(Cell("auc", population, LOW, 30, 14, "alternating", _less(30)) for population in ("auc 0.85", "wide", "narrow")),
]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    if args.quick:
        print(shown(study(CELLS[0], 20)), f"\nseed {SEED}")
    else:
        write("drift", over(partial(study, samples=400), CELLS, args.processes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
