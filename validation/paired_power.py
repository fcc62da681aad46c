"""Size and power of the default test of two rankers at a cutoff, and of AUC, beside what it was before.

``python -m validation.paired_power [--quick]``. Binormal rankers, or two rankers of one of the held-out populations
(with a Gaussian copula), on which nothing was chosen. ``swap before`` does not tell equal differences apart.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from unittest import mock

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

import hitcurve as hc
from hitcurve.errors import HitcurveError
from validation.held_out import NOT_TUNED
from validation.populations import Array, Population
from validation.running import SEED, Line, arguments, blocks, over, shown, write

STUDY = 11
LEVEL = 0.05
SWAPS = 199
SWAP = "swap-permutation"


@dataclass(frozen=True)
class Case:
    """Subjects of each class, metric, shifts of both rankers (or a held-out population), correlation, spread.

    A spread other than 1 is of the second ranker's positives, whose shift is then such that both have equal recall.
    """

    number: int
    metric: str
    n1: int
    n0: int
    first: float = 1.5
    second: float = 1.5
    correlation: float = 0.5
    spread: float = 1.0
    population: str = "binormal"

    @property
    def shift(self) -> float:
        """Shift of the second ranker."""
        if self.spread == 1:
            return self.second
        rate, pi = float(self.metric.split("@")[1][:-1]) / 100, self.n1 / (self.n1 + self.n0)
        truth = Population("binormal", self.first).recall_at(rate, pi)
        found = brentq(lambda x: Population("binormal", x, self.spread).recall_at(rate, pi) - truth, -3, 8)
        return float(found)

    def draw(self, rng: np.random.Generator) -> tuple[Any, dict[str, Array]]:
        """Draw labels and the scores of both rankers."""
        n = self.n1 + self.n0
        y = np.arange(n) < self.n1
        common = math.sqrt(self.correlation) * rng.standard_normal(n)
        a, b = common + math.sqrt(1 - self.correlation) * rng.standard_normal((2, n))
        if self.population == "binormal":
            return y, {"a": a + self.first * y, "b": np.where(y, self.spread * b + self.shift, b)}
        of = NOT_TUNED[self.population]
        scores = {}
        for name, z in {"a": a, "b": b}.items():
            above = ndtr(-z)
            scores[name] = np.where(y, of.score(above), of.family.quantile(above))
        return y, scores


_CUTS: list[tuple[int, int, str, dict[str, Any]]] = [
    (10, 490, "recall@5%", {}),
    (10, 490, "recall@5%", {"second": 2.3}),
    (10, 490, "recall@1%", {}),
    (10, 490, "recall@1%", {"second": 2.3}),
    (10, 490, "recall@5%", {"correlation": 0.9}),
    (10, 490, "recall@5%", {"spread": 1.6}),
    (10, 490, "recall@5%", {"spread": 0.6}),
    (30, 970, "recall@1%", {}),
    (30, 970, "recall@1%", {"second": 2.0}),
    (30, 970, "recall@1%", {"spread": 1.6}),
    (20, 180, "recall@5%", {}),
    (30, 970, "auc", {}),
    (30, 970, "auc", {"second": 1.9}),
    (30, 100, "auc", {"correlation": 0.0}),
]
_HELD_OUT = [
    (10, 490, "recall@5%"),
    (30, 970, "recall@1%"),
    (30, 470, "auc"),
]
_NAMES = ("lognormal", "t2 hook")
CASES = [
    *(Case(i, metric, n1, n0, **more) for i, (n1, n0, metric, more) in enumerate(_CUTS)),
    *(
        Case(100 + i, metric, n1, n0, population=name)
        for i, ((n1, n0, metric), name) in enumerate((cut, name) for cut in _HELD_OUT for name in _NAMES)
    ),
]


def study(case: Case, draws: int) -> list[Line]:
    """Return the share of rejections of every test."""
    rejected: Counter[str] = Counter()
    swapped = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hc.errors.HitcurveWarning)
        for size, rng in blocks(draws, STUDY, case.number):
            for _ in range(size):
                y, scores = case.draw(rng)
                ev = hc.evaluate(y, scores, metrics=case.metric)
                found = ev.compare("a", "b", case.metric, n_resamples=SWAPS, rng=rng)
                swapped += found.method == SWAP
                before = found.pvalue
                if found.method == SWAP:
                    with mock.patch("hitcurve.inference.resampling.swaps._near_cuts", return_value=None):
                        before = ev.compare("a", "b", case.metric, method=SWAP, n_resamples=SWAPS, rng=rng).pvalue
                delta = _p(ev, case.metric, "delta")
                p = {"auto": found.pvalue, "delta": delta, "before": delta if found.method == "delong" else before}
                if case.metric == "auc":
                    p["delong"] = _p(ev, case.metric, "delong")
                for name, value in p.items():
                    rejected[name] += value <= LEVEL + 1e-12
    return [_line(case, name, count / draws, draws, swapped / draws) for name, count in rejected.items()]


def _p(ev: hc.Evaluation, metric: str, method: str) -> float:
    try:
        return ev.compare("a", "b", metric, method=method).pvalue
    except HitcurveError:
        return 1.0  # nothing varies, and no formula tests it


def _line(case: Case, method: str, share: float, draws: int, swapped: float) -> Line:
    alike = case.population != "binormal" or case.spread != 1 or case.first == case.second
    return {
        "population": case.population,
        "n1": case.n1,
        "n0": case.n0,
        "metric": case.metric,
        "second": round(case.shift, 4),
        "correlation": case.correlation,
        "spread": case.spread,
        "what": "size" if alike else "power",
        "method": method,
        "draws": draws,
        "rejected": round(share, 5),
        "standard_error": round(math.sqrt(share * (1 - share) / draws), 5),
        "swapped": round(swapped, 4),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    cases = [CASES[1], CASES[11]] if args.quick else CASES
    lines = over(partial(study, draws=10 if args.quick else 400), cases, args.processes)
    if args.quick:
        print(shown(lines), f"\nseed {SEED}")
    else:
        write("paired_power", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
