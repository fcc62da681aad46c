"""Size of tests of two rankers that are equally good: the default, its parts, and what users do.

``python -m validation.paired [--quick]``. Binormal rankers of the same subjects, the same shift for both; the
package's own functions on every draw. The six tests of Swamidass et al. (2010), which hold the negatives fixed, are in
the same file for AUC[CROC].
"""

from __future__ import annotations

import math
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import hitcurve as hc
from hitcurve.inference.comparing.paired_bootstrap import paired_bootstrap
from hitcurve.inference.resampling.permute import SIX, Subjects
from validation.average_precision import NORMAL
from validation.populations import class_sizes
from validation.running import SEED, Line, arguments, blocks, over, shown, write

STUDY = 4
CROC = "croc(exp, alpha=20)"
METRICS = ("ap", CROC, "bedroc(alpha=20)", "rauc(beta(6.2, 32.8))", "recall@1%", "recall@5%", "auc")
RESAMPLED = ("ap", CROC)
CLOSER = ("ap", CROC, "bedroc(alpha=20)")
SWAPS = 199
LEVEL = 0.05


@dataclass(frozen=True)
class Pair:
    """Two rankers: subjects of each class, shift, correlation of their scores within the positives and negatives.

    ``drawn``: the number of positives is random, as in a cohort; else both classes are fixed. ``six``: for the six
    tests that hold the negatives fixed. ``closer``: the size of the default is near its limit, so more samples are
    drawn.
    """

    number: int
    n1: int
    n0: int
    shift: float = 1.5
    correlation_1: float = 0.5
    correlation_0: float = 0.5
    drawn: bool = False
    six: bool = False
    closer: bool = False

    @property
    def named(self) -> Line:
        """Columns of a file that say which pair this is."""
        return {
            "n1": self.n1,
            "n0": self.n0,
            "shift": self.shift,
            "correlation_1": self.correlation_1,
            "correlation_0": self.correlation_0,
            "classes": "drawn" if self.drawn else "fixed",
        }

    def subjects(self, rng: np.random.Generator) -> tuple[Any, dict[str, Any]]:
        """Draw labels and the scores of both rankers."""
        n, n1 = self.n1 + self.n0, self.n1
        if self.drawn:
            n1 = int(class_sizes(n, self.n1 / n, 1, rng)[0][0])
        y = np.arange(n) < n1
        share = np.where(y, self.correlation_1, self.correlation_0)
        common = np.sqrt(share) * rng.standard_normal(n) + self.shift * y
        return y, {name: common + np.sqrt(1 - share) * rng.standard_normal(n) for name in ("a", "b")}


@dataclass(frozen=True)
class Draws:
    """How many samples: for the formulas and the default, a closer look, swap everywhere, the bootstrap, the six."""

    all: int = 2_000
    closer: int = 6_000
    swap: int = 300
    percentile: int = 150
    six: int = 1_000


PAIRS = [
    Pair(0, 10, 990, closer=True),
    Pair(1, 10, 990, correlation_1=0.9, correlation_0=0.9),
    Pair(2, 30, 970),
    Pair(3, 30, 970, shift=3.0),
    Pair(4, 100, 900),
    Pair(5, 100, 100),
    Pair(6, 50, 50),
    Pair(7, 20, 20),
    Pair(8, 30, 970, drawn=True),
    Pair(9, 100, 900, drawn=True),
    Pair(10, 100, 100, drawn=True),
    Pair(11, 30, 1000, six=True),
    Pair(12, 100, 1000, six=True),
    Pair(13, 100, 200, six=True),
    Pair(14, 500, 1000, correlation_0=0.0, six=True),
]


class Sizes:
    """Rejections by metric and method, and which test the default became."""

    def __init__(self) -> None:
        self.draws: Counter[tuple[str, str]] = Counter()
        self.rejected: Counter[tuple[str, str]] = Counter()
        self.became_swap: Counter[str] = Counter()

    def add(self, metric: str, method: str, rejected: bool) -> None:
        """Count one test."""
        self.draws[metric, method] += 1
        self.rejected[metric, method] += bool(rejected)

    def lines(self, pair: Pair) -> list[Line]:
        """Return what goes into a file."""
        lines = []
        for (metric, method), draws in self.draws.items():
            size = self.rejected[metric, method] / draws
            swapped = round(self.became_swap[metric] / draws, 4) if method == "auto" else ""
            lines.append(
                {
                    **pair.named,
                    "metric": metric,
                    "method": method,
                    "draws": draws,
                    "size": round(size, 5),
                    "standard_error": round(math.sqrt(size * (1 - size) / draws), 5),
                    "swapped": swapped,
                }
            )
        return lines


def study(pair: Pair, draws: Draws) -> list[Line]:
    """Return the size of every test for one pair of rankers."""
    sizes = Sizes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hc.errors.HitcurveWarning)
        for seen, (y, scores, rng) in enumerate(_samples(pair, draws)):
            if pair.six:
                _six(y, scores, sizes, rng)
                continue
            if seen >= draws.all:
                _closer(y, scores, sizes, rng)
                continue
            _default(y, scores, sizes, rng, swap=seen < draws.swap and not pair.drawn)
            if seen < draws.percentile and not pair.drawn:
                _percentile(y, scores, sizes, rng)
    return sizes.lines(pair)


def _samples(pair: Pair, draws: Draws) -> Iterator[tuple[Any, dict[str, Any], np.random.Generator]]:
    many = draws.six if pair.six else draws.closer if pair.closer else draws.all
    for size, rng in blocks(many, STUDY, pair.number):
        for _ in range(size):
            yield *pair.subjects(rng), rng


def _default(y: Any, scores: dict[str, Any], sizes: Sizes, rng: np.random.Generator, *, swap: bool) -> None:
    evaluation = hc.evaluate(y, scores, metrics=METRICS, confidence_level=0.95)
    n1, n0 = int(y.sum()), int((~y).sum())
    for metric in METRICS:
        delta = evaluation.compare("a", "b", metric, method="delta")
        sizes.add(metric, "delta", delta.pvalue < LEVEL)
        sizes.add(metric, "z", _plain_z(evaluation, metric, n1, n0) > NORMAL)
        if metric == "auc":
            sizes.add(metric, "delong", evaluation.compare("a", "b", metric, method="delong").pvalue < LEVEL)
        chosen = evaluation.compare("a", "b", metric, n_resamples=SWAPS, rng=rng)
        # of B swaps, p <= .05 is exact where B + 1 is a multiple of 20
        sizes.add(metric, "auto", _rejects(chosen))
        swapped = chosen.method == "swap-permutation"
        sizes.became_swap[metric] += swapped
        if swap and metric != "auc":
            if not swapped:
                chosen = evaluation.compare("a", "b", metric, method="swap-permutation", n_resamples=SWAPS, rng=rng)
            sizes.add(metric, "swap-permutation", _rejects(chosen))


def _closer(y: Any, scores: dict[str, Any], sizes: Sizes, rng: np.random.Generator) -> None:
    evaluation = hc.evaluate(y, scores, metrics=CLOSER)
    for metric in CLOSER:
        chosen = evaluation.compare("a", "b", metric, n_resamples=SWAPS, rng=rng)
        sizes.add(metric, "auto", _rejects(chosen))
        sizes.became_swap[metric] += chosen.method == "swap-permutation"


def _rejects(comparison: hc.Comparison) -> bool:
    return comparison.pvalue <= LEVEL + 1e-12


def _plain_z(evaluation: hc.Evaluation, metric: str, n1: int, n0: int) -> float:
    """Return the difference in its delta standard errors, without factors for the classes."""
    pairs = evaluation._pairs
    weights = pairs.joint.contrast("a", "b", hc.metric(metric))
    by_pos, by_neg = pairs.joint.by_class(weights)
    variance = by_pos * (n1 - 1) / n1 + by_neg * (n0 - 1) / n0
    difference = evaluation["a", metric].value - evaluation["b", metric].value
    return abs(difference) / math.sqrt(variance) if variance > 0 else 0.0


def _percentile(y: Any, scores: dict[str, Any], sizes: Sizes, rng: np.random.Generator) -> None:
    subjects = Subjects(y, scores)
    for metric in RESAMPLED:
        drawn = paired_bootstrap(hc.metric(metric), subjects, "a", "b", "cohort", SWAPS, rng)
        low, high = np.quantile(drawn, [LEVEL / 2, 1 - LEVEL / 2])
        sizes.add(metric, "percentile", not low <= 0 <= high)


def _six(y: Any, scores: dict[str, Any], sizes: Sizes, rng: np.random.Generator) -> None:
    evaluation = hc.evaluate(y, scores, metrics=CROC)
    sizes.add(CROC, "delta", evaluation.compare("a", "b", CROC, method="delta").pvalue < LEVEL)
    chosen = evaluation.compare("a", "b", CROC, n_resamples=SWAPS, rng=rng)
    sizes.add(CROC, "auto", _rejects(chosen))
    sizes.became_swap[CROC] += chosen.method == "swap-permutation"
    for method in SIX:
        tested = evaluation.compare("a", "b", CROC, method=method, n_resamples=SWAPS, rng=rng)
        sizes.add(CROC, method, _rejects(tested))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    # the longest first, so that no process waits for the other
    pairs = [PAIRS[i] for i in (2, 11)] if args.quick else sorted(PAIRS, key=lambda p: (p.six, p.drawn, p.n1))
    draws = Draws(20, 20, 2, 1, 20) if args.quick else Draws()
    lines = over(partial(study, draws=draws), pairs, args.processes)
    if args.quick:
        print(shown(line for line in lines if line["method"] in ("auto", "paired-t")), f"\nseed {SEED}")
    else:
        write("paired", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
