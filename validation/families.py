"""Family-wise error of adjusted comparisons of ten rankers: Holm, max-T, and what was tried for max-T.

``python -m validation.families [--quick]``. Binormal rankers of the same subjects, correlated .4; of the ten, the
first is the baseline, and none, one or five are better. Families: the nine comparisons with the baseline, and all 45
pairs. The error is that a pair that is alike is rejected at the 5% level; power is the share of the others rejected.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

import hitcurve as hc
from hitcurve.inference.comparing.many import holm_pvalues
from hitcurve.inference.resampling.resample import normal_draws
from hitcurve.inference.variance.influence import influence
from validation.average_precision import NORMAL
from validation.populations import Array
from validation.running import SEED, Line, arguments, blocks, over, shown, write

STUDY = 8
METRICS = ("ap", "bedroc(alpha=20)", "croc(exp, alpha=20)")
RANKERS = 10
SHIFT, BETTER, COMMON = 1.5, 2.1, 0.4
LEVEL = 0.05
DRAWN = 499
PAIRS = np.array(list(combinations(range(RANKERS), 2)))
FAMILIES = {"baseline": PAIRS[:, 0] == 0, "all pairs": np.ones(len(PAIRS), bool)}


@dataclass(frozen=True)
class Cell:
    """Positives, negatives, and how many of the ten rankers are better."""

    number: int
    n1: int
    n0: int
    better: int

    @property
    def shifts(self) -> Array:
        """How much higher the positives are under each ranker."""
        return np.where(np.arange(RANKERS) >= RANKERS - self.better, BETTER, SHIFT)

    @property
    def alike(self) -> Any:
        """Which pairs are equally good."""
        return self.shifts[PAIRS[:, 0]] == self.shifts[PAIRS[:, 1]]


CELLS = [
    Cell(number, n1, 19 * n1, better)
    for number, (better, n1) in enumerate((better, n1) for better in (0, 1, 5) for n1 in (20, 30, 50))
]


@dataclass(frozen=True)
class Draws:
    """How many samples; on the first ``signs`` random signs by subject, on the first ``checks`` the package's own."""

    all: int = 1_500
    signs: int = 1_500
    checks: int = 20


class Differences:
    """All differences of one metric of one sample, with what their adjustments need."""

    def __init__(self, cell: Cell, evaluation: hc.Evaluation, metric: str) -> None:
        joint = evaluation._joint
        names = [f"r{i}" for i in range(RANKERS)]
        rows = [joint.place[name, hc.metric(metric)] for name in names]
        values = np.array([evaluation[name, metric].value for name in names])
        self.sizes = (cell.n1, cell.n0)
        self.sides = [side[np.ix_(rows, rows)] for side in (joint.products.pos, joint.products.neg)]
        self.squares = [np.diag(m)[PAIRS].sum(axis=1) - 2 * m[PAIRS[:, 0], PAIRS[:, 1]] for m in self.sides]
        parts = [s * n / (n - 1) for s, n in zip(self.squares, self.sizes, strict=True)]
        variance = parts[0] + parts[1]
        self.degrees = variance**2 / sum(x**2 / (n - 1) for x, n in zip(parts, self.sizes, strict=True))
        self.t = np.abs(values[PAIRS[:, 0]] - values[PAIRS[:, 1]]) / np.sqrt(variance)
        self.p = 2 * stdtr(self.degrees, -self.t)
        self.inflation = float(stdtrit(cell.n1 - 1, 1 - LEVEL / 2)) / NORMAL

    def fixed_errors(self, rng: np.random.Generator) -> Array:
        """Draw absolute statistics of normal differences over the errors of the sample."""
        drawn = normal_draws(self.sides[0] + self.sides[1], DRAWN, rng)
        return np.asarray(np.abs(_differences(drawn)) / np.sqrt(self.squares[0] + self.squares[1]))

    def redone(self, sides: Sequence[Array]) -> Array:
        """Return absolute statistics over the errors of each draw, from the draws of both classes."""
        total, variance = np.zeros((DRAWN, len(PAIRS))), np.zeros((DRAWN, len(PAIRS)))
        for drawn, squares, n in zip(map(_differences, sides), self.squares, self.sizes, strict=True):
            total += drawn
            variance += np.maximum(squares - drawn**2 / n, 0.0) * n / (n - 1)
        return np.abs(total) / np.sqrt(np.maximum(variance, 1e-300))


def _differences(drawn: Array) -> Array:
    return np.asarray(drawn[:, PAIRS[:, 0]] - drawn[:, PAIRS[:, 1]])


def single_step(t: Array, drawn: Array) -> Array:
    """Return p values against the largest drawn statistic."""
    return np.asarray((np.sum(drawn.max(axis=1)[:, None] >= t, axis=0) + 1) / (len(drawn) + 1))


def step_down(t: Array, drawn: Array) -> Array:
    """Return p values against the largest drawn statistic of those that are not larger."""
    order = np.argsort(-t)
    largest = np.maximum.accumulate(drawn[:, order[::-1]], axis=1)[:, ::-1]
    p = np.empty_like(t)
    p[order] = np.maximum.accumulate((np.sum(largest >= t[order], axis=0) + 1) / (len(drawn) + 1))
    return p


def adjusted(d: Differences, family: Any, drawn: dict[str, Array]) -> Iterator[tuple[str, Array]]:
    """Yield the adjusted p values of a family by each method."""
    t, own = d.t[family], {name: values[:, family] for name, values in drawn.items()}
    yield "Holm", np.array(holm_pvalues(d.p[family]))
    yield "normal multiplier, t/z", single_step(t / d.inflation, own["redone"])
    yield "normal multiplier, t/z, stepwise", step_down(t / d.inflation, own["redone"])
    yield "normal multiplier", single_step(t, own["redone"])
    yield "normal multiplier, stepwise", step_down(t, own["redone"])
    yield "normal, fixed errors, t/z", single_step(t / d.inflation, own["fixed"])
    if "signs" in own:
        yield "sign multiplier, t/z", single_step(t / d.inflation, own["signs"])
        yield "sign multiplier, t/z, stepwise", step_down(t / d.inflation, own["signs"])


def study(cell: Cell, draws: Draws) -> list[Line]:
    """Return error and power of every method in one cell."""
    counts: Counter[tuple[str, str, str, str]] = Counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hc.errors.HitcurveWarning)
        for seen, (y, scores, rng) in enumerate(_samples(cell, draws.all)):
            evaluation = hc.evaluate(y, scores, metrics=METRICS)
            of_signs = _signs(cell, rng) if seen < draws.signs else None
            for metric in METRICS:
                d = Differences(cell, evaluation, metric)
                normal = [normal_draws(side, DRAWN, rng) for side in d.sides]
                drawn = {"redone": d.redone(normal), "fixed": d.fixed_errors(rng)}
                if of_signs is not None:
                    drawn["signs"] = d.redone(_by_subject(y, scores, metric, of_signs))
                for family, chosen in FAMILIES.items():
                    alike = cell.alike[chosen]
                    for method, p in adjusted(d, chosen, drawn):
                        rejected = p <= LEVEL + 1e-12
                        key = (metric, family, method)
                        counts[(*key, "draws")] += 1
                        counts[(*key, "wrong")] += bool(np.any(rejected & alike))
                        counts[(*key, "found")] += int(np.sum(rejected & ~alike))
                if seen < draws.checks:
                    _check(evaluation, metric, d)
    return _lines(cell, counts)


def _samples(cell: Cell, draws: int) -> Iterator[tuple[Any, dict[str, Any], np.random.Generator]]:
    y = np.arange(cell.n1 + cell.n0) < cell.n1
    for size, rng in blocks(draws, STUDY, cell.number):
        for _ in range(size):
            common = math.sqrt(COMMON) * rng.standard_normal(y.size)
            own = math.sqrt(1 - COMMON) * rng.standard_normal((RANKERS, y.size))
            yield y, {f"r{i}": common + own[i] + shift * y for i, shift in enumerate(cell.shifts)}, rng


def _signs(cell: Cell, rng: np.random.Generator) -> list[Array]:
    return [np.asarray(rng.integers(0, 2, (DRAWN, n)) * 2.0 - 1, np.float64) for n in (cell.n1, cell.n0)]


def _by_subject(y: Any, scores: dict[str, Any], metric: str, signs: Sequence[Array]) -> list[Array]:
    """Return the sums of influence values with random signs, of both classes."""
    of: list[list[Array]] = [[], []]
    for s in scores.values():
        table = hc.HitTable.from_scores(y, s)
        found = influence(hc.metric(metric), table.counts, "cohort")
        row = table.pos.size - 1 - np.searchsorted(np.unique(s), s)
        of[0].append(found.pos[row[y]])
        of[1].append(found.neg[row[~y]])
    return [own @ np.array(values).T for own, values in zip(signs, of, strict=True)]


def _check(evaluation: hc.Evaluation, metric: str, d: Differences) -> None:
    """Compare with the package's own adjusted p values.

    Raises
    ------
    AssertionError
        If they are others.
    """
    found = evaluation.compare_all(metric, baseline="r0", method="delta")
    ours = np.array(holm_pvalues(d.p[FAMILIES["baseline"]]))
    others = [name for name in evaluation.rankers if name != "r0"]
    if not np.allclose([found[name, "r0"].adjusted or 0.0 for name in others], ours, rtol=1e-9):
        raise AssertionError(f"p values of {metric} are not those of the package")


def _lines(cell: Cell, counts: Counter[tuple[str, str, str, str]]) -> list[Line]:
    lines = []
    for metric, family, method in dict.fromkeys(key[:3] for key in counts):
        draws, wrong, found = (counts[metric, family, method, what] for what in ("draws", "wrong", "found"))
        different = int(np.sum(~cell.alike[FAMILIES[family]]))
        error = wrong / draws
        lines.append(
            {
                "n1": cell.n1,
                "n0": cell.n0,
                "better": cell.better,
                "metric": metric,
                "family": family,
                "method": method,
                "draws": draws,
                "error": round(error, 5),
                "standard_error": round(math.sqrt(error * (1 - error) / draws), 5),
                "power": round(found / draws / different, 5) if different else "",
            }
        )
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    cells = CELLS[:1] if args.quick else CELLS
    draws = Draws(10, 2, 2) if args.quick else Draws()
    lines = over(partial(study, draws=draws), cells, args.processes)
    if args.quick:
        print(shown(line for line in lines if line["method"] == "Holm"), f"\nseed {SEED}")
    else:
        write("families", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
