"""Tests while labels arrive: error over 100 looks, power, labels used; and the exact test of hits.

``python -m validation.looks [--quick]``. Binormal rankers of the same subjects. Of each run the package's own statistic
is taken at 100 looks, and judged by each boundary: the true difference must stay inside the interval at all of them.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import hitcurve as hc
from hitcurve.errors import HitcurveError
from hitcurve.inference.comparing.betting import evidence
from hitcurve.inference.comparing.looks import Looks
from hitcurve.inference.estimation.difference import Difference
from validation.populations import Array, Population
from validation.running import SEED, Line, arguments, blocks, over, shown, write

STUDY = 10
LOOKS = 100
LEVEL = 0.05


@dataclass(frozen=True)
class Stream:
    """Subjects, share of positives, both shifts, what the positives' deviation is for the second, correlation."""

    number: int
    metric: str
    n: int = 2_000
    pi: float = 0.05
    first: float = 1.5
    second: float = 1.5
    spread: float = 1.0
    correlation: float = 0.5

    def draw(self, rng: np.random.Generator) -> tuple[Any, Array, Array]:
        """Draw labels and scores in random order."""
        y = rng.random(self.n) < self.pi
        common = math.sqrt(self.correlation) * rng.standard_normal(self.n)
        a, b = common + math.sqrt(1 - self.correlation) * rng.standard_normal((2, self.n))
        return y, a + self.first * y, np.where(y, self.spread * b + self.second, b)

    @property
    def truth(self) -> float:
        """First minus second in the population."""
        name = self.metric.split("(")[0]
        both = (Population("binormal", self.first), Population("binormal", self.second, self.spread))
        values = [p.average_precision(self.pi) if name == "ap" else p.area(name, self.pi) for p in both]
        return values[0] - values[1]


STREAMS = [
    Stream(0, "ap"),
    Stream(1, "ap", first=2.0),
    Stream(2, "ap", spread=1.6, second=1.20882167),
    Stream(4, "ap", n=1_000, pi=0.3, first=1.75),
    Stream(6, "bedroc(alpha=20)", first=2.0),
    Stream(7, "auc", first=1.8),
]
HITS = [
    Stream(20, "hits@100"),
    Stream(21, "hits@100", first=2.0),
    Stream(22, "hits@100", first=2.0, correlation=0.9),
    Stream(23, "hits@200", pi=0.2),
    Stream(24, "hits@200", pi=0.2, first=2.0),
]


class Rule(NamedTuple):
    """How the looks of a run are judged."""

    name: str
    method: str | None
    """None for one t test."""
    start: int = 10
    target: str = "population"
    only_end: bool = False


RULES = (
    Rule("t, at the end", None, only_end=True),
    Rule("t, at every look", None),
    Rule("anytime", "anytime"),
    Rule("anytime, from 20", "anytime", 20),
    Rule("obrien-fleming", "obrien-fleming"),
    Rule("anytime, this pool, from 40", "anytime", 40, "pool"),
)


class At(NamedTuple):
    """One look: labels, positives, the difference by the delta method."""

    labels: int
    n_pos: int
    difference: Difference


def run(stream: Stream, rng: np.random.Generator) -> list[At]:
    """Return the looks of one run that a test can be made at."""
    y, a, b = stream.draw(rng)
    found = []
    for k in range(1, LOOKS + 1):
        m = stream.n * k // LOOKS
        n_pos = int(y[:m].sum())
        if n_pos < 10:
            continue
        ev = hc.evaluate(y[:m], {"a": a[:m], "b": b[:m]}, metrics=stream.metric)
        try:
            found.append(At(m, n_pos, ev.compare("a", "b", stream.metric, method="delta").difference))
        except HitcurveError:
            continue
    return found


@dataclass
class Count:
    """Runs in which the truth was left out, in which 0 was, labels at the stop, and the width at the end."""

    wrong: int = 0
    found: int = 0
    labels: float = 0.0
    width: float = 0.0


def judge(rule: Rule, stream: Stream, looks: Sequence[At], count: Count, truth: float) -> None:
    """Judge one run by one rule."""
    how = None if rule.method is None else Looks(rule.method, stream.n, rule.target)
    at_pool = looks[-1].difference.value
    target = at_pool if rule.target == "pool" else truth
    wrong, stopped = False, None
    for look in looks[-1:] if rule.only_end else looks:
        if look.n_pos < rule.start:
            continue
        d = look.difference if how is None else how.of(look.difference, look.labels)
        low, high = d.confidence_interval()
        wrong |= not low - 1e-12 <= target <= high + 1e-12
        if stopped is None and not low <= 0 <= high:
            stopped = look.labels
    last = looks[-1].difference
    end = last if how is None else how.of(last, looks[-1].labels)
    plain = last.confidence_interval()
    wide = end.confidence_interval()
    count.wrong += wrong
    count.found += stopped is not None
    count.labels += (stopped or stream.n) / stream.n
    count.width += (wide.high - wide.low) / (plain.high - plain.low)


def study(stream: Stream, runs: int) -> list[Line]:
    """Return error, power, labels and width of every rule on one stream."""
    counts = {rule: Count() for rule in RULES}
    done = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hc.errors.HitcurveWarning)
        for size, rng in blocks(runs, STUDY, stream.number):
            for _ in range(size):
                looks = run(stream, rng)
                if not looks:
                    continue
                done += 1
                for rule, count in counts.items():
                    judge(rule, stream, looks, count, stream.truth)
    return [_line(stream, rule.name, done, count) for rule, count in counts.items()]


def study_of_hits(stream: Stream, runs: int) -> list[Line]:
    """Return error or power of the exact test of hits, and of sign tests of the same positives."""
    from scipy.stats import binomtest

    counts = {name: Count() for name in ("betting", "sign test, at the end", "sign test, at every look")}
    k = int(stream.metric.split("@")[1])
    for size, rng in blocks(runs, STUDY, stream.number):
        for _ in range(size):
            y, a, b = stream.draw(rng)
            test = hc.SequentialHits(a, b, stream.metric)
            in_first = np.isin(test.needed, np.argsort(-a)[:k])
            won = np.cumsum(y[test.needed] & in_first)
            lost = np.cumsum(y[test.needed] & ~in_first)
            ends = np.unique(np.linspace(0, test.needed.size - 1, LOOKS).astype(int))
            p = [float(binomtest(int(w), int(w + f)).pvalue) if w + f else 1.0 for w, f in zip(won, lost, strict=True)]
            stops = {
                "betting": next((i for i in ends if evidence(int(won[i]), int(lost[i])) >= 1 / LEVEL), None),
                "sign test, at the end": ends[-1] if p[-1] <= LEVEL else None,
                "sign test, at every look": next((i for i in ends if p[i] <= LEVEL), None),
            }
            for name, stop in stops.items():
                counts[name].wrong += stop is not None and stream.first == stream.second
                counts[name].found += stop is not None
                counts[name].labels += (test.needed.size if stop is None else int(stop) + 1) / test.needed.size
                counts[name].width += test.needed.size / stream.n
    return [_line(stream, name, runs, count) for name, count in counts.items()]


def _line(stream: Stream, rule: str, runs: int, count: Count) -> Line:
    error = count.wrong / max(runs, 1)
    return {
        "metric": stream.metric,
        "n": stream.n,
        "pi": stream.pi,
        "first": stream.first,
        "second": stream.second,
        "spread": stream.spread,
        "correlation": stream.correlation,
        "rule": rule,
        "runs": runs,
        "error": round(error, 5),
        "standard_error": round(math.sqrt(error * (1 - error) / max(runs, 1)), 5),
        "rejected": round(count.found / max(runs, 1), 5),
        "labels": round(count.labels / max(runs, 1), 4),
        "width_or_needed": round(count.width / max(runs, 1), 4),
    }


def _either(stream: Stream, runs: int, of_hits: int) -> list[Line]:
    return study_of_hits(stream, of_hits) if stream in HITS else study(stream, runs)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    streams = [Stream(0, "ap", n=400), HITS[0]] if args.quick else [*STREAMS, *HITS]
    runs, of_hits = (2, 20) if args.quick else (150, 1_000)
    lines = over(partial(_either, runs=runs, of_hits=of_hits), streams, args.processes)
    if args.quick:
        print(shown(lines), f"\nseed {SEED}")
    else:
        write("looks", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
