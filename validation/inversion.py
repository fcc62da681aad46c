"""Coverage of intervals by inversion of NDCG, DCG and logAUC, and size and power of the tests of their differences.

``python -m validation.inversion [--quick]``. The old defaults (half-subject, Wald, delta test) beside them, on
populations on which nothing was chosen and on normal ones; the package's own functions on every draw. The truth of
NDCG and DCG is the mean of many samples, that of logAUC the integral over the curve of the population.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

import hitcurve as hc
from hitcurve.inference.intervals.interval import interval
from hitcurve.inference.variance.spread import Spread
from validation.held_out import HOOKS, NOT_TUNED
from validation.populations import AnyArray, Array, Population, Sample, class_sizes, sample_of
from validation.running import SEED, Line, Tally, arguments, blocks, over, shown, tables, write

STUDY, PAIRS = 21, 22
POPULATIONS: dict[str, Population] = {
    **NOT_TUNED,
    **HOOKS,
    **{f"binormal {shift:g}": Population("binormal", shift) for shift in (0.5, 0.8, 1.2, 1.5, 2.0, 3.0, 4.0)},
    # with the mean NDCG of binormal 1.5 of 30/.05 and of 50/.2, and of binormal 3 of 40/.12
    "wide 1.18": Population("binormal", 1.18, 1.6),
    "wide 1.44": Population("binormal", 1.443, 1.6),
    "narrow 2.74": Population("binormal", 2.736, 0.6),
}
OLD = {"ndcg": "half-subject", "dcg": "wald", "logauc": "half-subject"}
NEAR = np.geomspace(1e-3, 1, 4001)


class Cell(NamedTuple):
    """One scenario.

    Attributes
    ----------
    metric, population : str
    n1 : int
        Positives, expected in a cohort.
    pi : float
    sampled : bool
        Whether the number of positives is random.
    """

    metric: str
    population: str
    n1: int
    pi: float
    sampled: bool = True

    @property
    def n(self) -> int:
        """Subjects of a sample."""
        return round(self.n1 / self.pi)

    def draw(self, size: int, rng: np.random.Generator) -> Sample:
        """Draw samples, in cohorts with at least 5 positives."""
        positives = np.full(size, self.n1)
        if self.sampled:
            positives = np.maximum(class_sizes(self.n, self.pi, size, rng)[0], 5)
        return sample_of(POPULATIONS[self.population], positives, self.n, rng)

    def truth(self, draws: int, rng: np.random.Generator) -> float:
        """Return the true value."""
        population, metric = POPULATIONS[self.population], hc.metric(self.metric)
        if self.metric == "logauc":
            tpr, fpr = curve(population)
            height = np.interp(NEAR, fpr, tpr)
            return float(np.trapezoid(height, np.log(NEAR)) / np.log(1e3))
        ordinal = population.ordinal
        values = [metric.value(table) for table in tables(self.draw(draws, rng), ordinal=ordinal)]
        return float(np.mean(values))


def curve(population: Population) -> tuple[Array, Array]:
    """Return TPR and FPR of a population along the list."""
    if hasattr(population, "points"):
        tpr, fpr = population.points()
        return np.asarray(tpr), np.asarray(fpr)
    score = np.linspace(12, -12, 40_001)
    return ndtr(population.shift - score), ndtr(-score)


CELLS = [
    *(
        Cell(metric, population, n1, pi)
        for metric in ("ndcg", "dcg")
        for population, n1, pi in (
            ("gamma", 20, 0.005),
            ("lognormal", 20, 0.005),
            ("beta", 20, 0.005),
            ("subgroup", 20, 0.02),
            ("zero-inflated", 20, 0.02),
            ("5 levels", 20, 0.2),
            ("poisson", 20, 0.02),
            ("t2 hook", 20, 0.2),
            ("t2 hook", 50, 0.4),
            ("high 5%", 50, 0.4),
            ("lognormal", 50, 0.01),
            ("gamma", 50, 0.01),
            ("binormal 0.5", 20, 0.1),
            ("binormal 1.5", 10, 0.1),
            ("binormal 1.5", 50, 0.1),
            ("binormal 3", 20, 0.02),
            ("laplace", 125, 0.4),
            ("logistic", 125, 0.4),
            ("gamma", 200, 0.04),
        )
    ),
    *(
        Cell(metric, population, n1, pi, False)
        for metric in ("ndcg", "dcg")
        for population, n1, pi in (
            ("gamma", 20, 0.005),
            ("lognormal", 20, 0.02),
            ("t2 hook", 50, 0.4),
            ("binormal 1.5", 50, 0.1),
            ("binormal 3", 20, 0.02),
            ("laplace", 125, 0.4),
        )
    ),
    *(
        Cell("logauc", population, n1, pi, False)
        for population, n1, pi in (
            ("gamma", 20, 0.2),
            ("binormal 1.5", 20, 0.2),
            ("t2 hook", 20, 0.2),
            ("lognormal", 20, 0.2),
            ("subgroup", 20, 0.2),
            ("high 5%", 50, 0.1),
            ("5 levels", 50, 0.1),
            ("gamma", 50, 0.1),
            ("lognormal", 50, 0.1),
            ("gamma", 50, 0.05),
            ("beta", 200, 0.5),
        )
    ),
]


def study(numbered: tuple[int, Cell], draws: int, truth: int) -> list[Line]:
    """Return the coverage by inversion and of the old default in one cell."""
    number, cell = numbered
    metric, design = hc.metric(cell.metric), "cohort" if cell.sampled else "case-control"
    true = cell.truth(truth, np.random.default_rng([SEED, STUDY, number]))
    tallies = {method: Tally() for method in ("inversion", OLD[cell.metric])}
    for size, rng in blocks(draws, STUDY, number):
        for table in tables(cell.draw(size, rng), ordinal=POPULATIONS[cell.population].ordinal):
            for method, tally in tallies.items():
                try:
                    tally.add(*interval(Spread(metric, table, design), 0.95, method)[0], true)
                except hc.errors.HitcurveError:
                    tally.refused += 1
    return [
        {**cell._asdict(), "truth": round(true, 6), "method": method, **tally.line(true)}
        for method, tally in tallies.items()
    ]


class Pair(NamedTuple):
    """Two rankers of the same subjects, their scores correlated within both classes."""

    metric: str
    first: str
    second: str
    n1: int
    pi: float
    correlation: float
    sampled: bool = True

    def draw(self, rng: np.random.Generator) -> tuple[AnyArray, Array, Array]:
        """Draw labels and the scores of both."""
        n = round(self.n1 / self.pi)
        n1 = max(int(rng.binomial(n, self.pi)), 5) if self.sampled else self.n1
        shared = rng.standard_normal(n)
        y, scores = np.arange(n) < n1, []
        for name in (self.first, self.second):
            own = np.sqrt(self.correlation) * shared + np.sqrt(1 - self.correlation) * rng.standard_normal(n)
            population, share = POPULATIONS[name], ndtr(own)
            scores.append(np.append(population.score(share[:n1]), population.family.quantile(share[n1:])))
        return y, scores[0], scores[1]


COMPARED = [
    Pair("ndcg", "gamma", "gamma", 30, 0.05, 0.6),
    Pair("ndcg", "gamma", "gamma", 20, 0.02, 0.5),
    Pair("ndcg", "lognormal", "lognormal", 50, 0.05, 0.8),
    Pair("ndcg", "t2 hook", "t2 hook", 50, 0.2, 0.5),
    Pair("ndcg", "laplace", "laplace", 125, 0.4, 0.5),
    Pair("ndcg", "binormal 3", "binormal 3", 30, 0.1, 0.5),
    Pair("ndcg", "binormal 2", "binormal 1.5", 30, 0.05, 0.5),
    Pair("ndcg", "binormal 1.5", "wide 1.18", 30, 0.05, 0.5),
    Pair("ndcg", "binormal 1.5", "wide 1.44", 50, 0.2, 0.5),
    Pair("ndcg", "binormal 3", "narrow 2.74", 40, 0.12, 0.5),
    Pair("ndcg", "binormal 4", "binormal 3", 40, 0.12, 0.36),
    Pair("ndcg", "binormal 1.2", "binormal 0.8", 40, 0.12, 0.36),
    Pair("dcg", "gamma", "gamma", 30, 0.05, 0.6),
    Pair("dcg", "laplace", "laplace", 125, 0.4, 0.5),
    Pair("logauc", "binormal 1.5", "binormal 1.5", 200, 0.5, 0.5, False),
    Pair("logauc", "gamma", "gamma", 40, 0.2, 0.5, False),
    Pair("logauc", "binormal 2", "binormal 1.5", 200, 0.5, 0.5, False),
]


def compared(numbered: tuple[int, Pair], draws: int) -> list[Line]:
    """Return how often the tests reject at 5%, and how wide the intervals of the difference are."""
    number, pair = numbered
    found: dict[str, list[tuple[float, float]]] = {"swap-permutation": [], "inversion": [], "delta": []}
    for size, rng in blocks(draws, PAIRS, number):
        for _ in range(size):
            y, a, b = pair.draw(rng)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ev = hc.evaluate(
                    y, {"a": a, "b": b}, metrics=pair.metric, design="cohort" if pair.sampled else "case-control"
                )
            for method, out in found.items():
                test = ev.compare("a", "b", pair.metric, method=method)
                low, high = test.difference.confidence_interval()
                out.append((test.pvalue, high - low))
    lines = []
    for method, results in found.items():
        p, width = np.transpose(results)
        lines.append(
            {
                **pair._asdict(),
                "method": method,
                "draws": p.size,
                "rejected": round(float(np.mean(p <= 0.05)), 5),
                "width": round(float(np.mean(width)), 5),
            }
        )
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    cells, pairs, draws = list(enumerate(CELLS)), list(enumerate(COMPARED)), (100, 2_000)
    if args.quick:
        cells, pairs, draws = cells[::16], pairs[::5], (4, 500)
    lines = over(partial(study, draws=draws[0], truth=draws[1]), cells, args.processes)
    tests = over(partial(compared, draws=draws[0]), pairs, args.processes)
    if args.quick:
        print(shown(lines), shown(tests), f"seed {SEED}", sep="\n")
    else:
        write("inversion", lines)
        write("inversion_tests", tests)
    return 0


if __name__ == "__main__":
    sys.exit(main())
