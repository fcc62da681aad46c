"""Power that was planned for, and how sure a pilot is of the numbers it plans.

``python -m validation.planning [--quick]``. Binormal rankers, correlation .5, one in 20 subjects positive. The variance
of a subject is taken from a large pilot: tests of new samples of the planned size have the power of the column
``power``, where .8 was asked for. Then small pilots plan the same: their intervals should hold the number that the
large pilot gives.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.special import ndtri

import hitcurve as hc
from hitcurve.inference.comparing.power import Variances, variances_of
from validation.populations import Population
from validation.running import SEED, Line, arguments, blocks, over, shown, write

STUDY = 9
POWER, LEVEL = 0.8, 0.05
RATIO = 19
CORRELATION = 0.5
FIRST = 1.5
LARGE = 4_000
PILOTS = (30, 60)


@dataclass(frozen=True)
class Plan:
    """A metric and the shift of the better ranker's positives."""

    number: int
    metric: str
    shift: float

    @property
    def effect(self) -> float:
        """True difference."""
        values = []
        for shift in (self.shift, FIRST):
            population, name = Population("binormal", shift), self.metric.split("(")[0]
            pi = 1 / (1 + RATIO)
            values.append(population.average_precision(pi) if name == "ap" else population.area(name, pi))
        return values[0] - values[1]


PLANS = [
    Plan(number, metric, shift)
    for number, (metric, shift) in enumerate(
        (metric, shift) for metric in ("ap", "bedroc(alpha=20)", "auc") for shift in (2.1, 2.0)
    )
]


@dataclass(frozen=True)
class Draws:
    """Samples of the planned size, pilots of each size, positives of the large pilot."""

    tests: int = 1_000
    pilots: int = 200
    large: int = LARGE


def subjects(n1: int, n0: int, shift: float, rng: np.random.Generator) -> tuple[Any, dict[str, Any]]:
    """Draw labels, and scores of the better and of the other ranker."""
    y = np.arange(n1 + n0) < n1
    common = math.sqrt(CORRELATION) * rng.standard_normal(y.size)
    own = math.sqrt(1 - CORRELATION) * rng.standard_normal((2, y.size))
    return y, {"a": common + own[0] + shift * y, "b": common + own[1] + FIRST * y}


def by_normal(v: Variances, effect: float) -> int:
    """Return the number of positives by quantiles of the normal distribution."""
    z = float(ndtri(1 - LEVEL / 2) + ndtri(POWER))
    return max(math.ceil((v.pos + v.neg / v.ratio) * (z / effect) ** 2), 2)


def study(plan: Plan, draws: Draws) -> list[Line]:
    """Return the power of the planned sizes, and the coverage of the intervals of pilots."""
    lines: list[Line] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hc.errors.HitcurveWarning)
        ((_, rng),) = blocks(1, STUDY, plan.number, 0)
        large = hc.evaluate(*subjects(draws.large, RATIO * draws.large, plan.shift, rng), metrics=plan.metric)
        variances = variances_of(hc.metric(plan.metric), large._joint, "a", "b")
        planned = variances.needed(plan.effect, LEVEL, POWER)
        for method, n1 in (("t", planned), ("normal (before)", by_normal(variances, plan.effect))):
            found = _power(plan, n1, draws.tests)
            lines.append(_line(plan, "power", method, n1, draws.tests, found, found))
        for size in PILOTS:
            held, width = _intervals(plan, size, draws.pilots, planned)
            lines.append(_line(plan, "interval of n", f"pilot of {size}", planned, draws.pilots, held, width))
    return lines


def _line(plan: Plan, what: str, method: str, n1: int, draws: int, found: float, value: float) -> Line:
    return {
        "metric": plan.metric,
        "shift": plan.shift,
        "effect": round(plan.effect, 5),
        "what": what,
        "method": method,
        "n1": n1,
        "draws": draws,
        "power_or_coverage": round(found, 5),
        "standard_error": round(math.sqrt(found * (1 - found) / draws), 5),
        "high_over_low": round(value, 4) if what == "interval of n" else "",
    }


def _power(plan: Plan, n1: int, draws: int) -> float:
    rejected = 0
    for size, rng in blocks(draws, STUDY, plan.number, 1):
        for _ in range(size):
            ev = hc.evaluate(*subjects(n1, RATIO * n1, plan.shift, rng), metrics=plan.metric)
            rejected += ev.compare("a", "b", plan.metric).pvalue <= LEVEL
    return rejected / draws


def _intervals(plan: Plan, n1: int, draws: int, planned: int) -> tuple[float, float]:
    """Return how often the interval of a pilot holds the number, and the median ratio of its ends."""
    held, ratios = 0, []
    for size, rng in blocks(draws, STUDY, plan.number, 2, n1):
        for _ in range(size):
            pilot = hc.evaluate(*subjects(n1, RATIO * n1, plan.shift, rng), metrics=plan.metric)
            found = hc.power_analysis(plan.metric, pilot, plan.effect, power=POWER).n_pos_interval
            low, high = found or (math.nan, math.nan)
            held += low <= planned <= high
            ratios.append(high / low)
    return held / draws, float(np.median(ratios))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    plans = PLANS[:1] if args.quick else PLANS
    draws = Draws(20, 5, 200) if args.quick else Draws()
    lines = over(partial(study, draws=draws), plans, args.processes)
    if args.quick:
        print(shown(lines), f"\nseed {SEED}")
    else:
        write("planning", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
