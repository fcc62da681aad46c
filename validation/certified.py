"""Certified cuts: how often they break their promise on new subjects, beside the cuts where samples just keep it.

``python -m validation.certified [--quick]``. Cohorts at prevalence .1 of eight populations, five of them those of the
design. A finite list has 2,000 subjects, 500 of them labelled at random. The limit of the largest enrichment is
compared with the enrichment of its own cut.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from hitcurve import HitTable
from hitcurve.confusion import Confusion
from hitcurve.inference import CutPlaces, Promise, certified_cut, certified_list_cut, largest_enrichment
from validation.populations import AnyArray, Array
from validation.running import SEED, Line, arguments, blocks, over, shown, write

STUDY = 41
DRAWS = 200
PREVALENCE = 0.1
LEVEL = 0.95
_GRID = 20_001  # cuts among which the deepest of the population is looked for


class Two(NamedTuple):
    """A population: how a share of each class lies above a score, and how scores are drawn."""

    above: tuple[Callable[[Array], Array], Callable[[Array], Array]]
    draw: Callable[[np.random.Generator, AnyArray], Array]
    cuts: Array


def _continuous(positive: Any, negative: Any) -> Two:
    """Return a population of two frozen distributions."""

    def draw(rng: np.random.Generator, y: AnyArray) -> Array:
        return np.asarray(np.where(y, *(one.rvs(y.size, random_state=rng) for one in (positive, negative))))

    share = (np.arange(_GRID) + 0.5) / _GRID
    return Two((positive.sf, negative.sf), draw, np.concatenate([positive.isf(share), negative.isf(share)]))


def _levels(positive: Sequence[float], negative: Sequence[float]) -> Two:
    """Return a population of a few levels, the highest first."""
    levels = np.arange(len(positive), 0, -1.0)

    def above(masses: Sequence[float]) -> Callable[[Array], Array]:
        return lambda cut: np.asarray(np.sum(np.asarray(masses) * (levels >= np.asarray(cut)[..., None]), axis=-1))

    def draw(rng: np.random.Generator, y: AnyArray) -> Array:
        of_class = (rng.choice(levels, y.size, p=masses) for masses in (positive, negative))
        return np.where(y, *of_class)

    return Two((above(positive), above(negative)), draw, levels)


class _Mixture:
    """Positives of which a third is no higher than the negatives."""

    parts = ((2 / 3, stats.norm(2.5)), (1 / 3, stats.norm()))

    def sf(self, x: Array) -> Array:
        return np.asarray(sum(share * part.sf(x) for share, part in self.parts))

    def isf(self, share: Array) -> Array:
        return np.concatenate([part.isf(share) for _, part in self.parts])

    def rvs(self, size: int, random_state: np.random.Generator) -> Array:
        easy = random_state.random(size) < self.parts[0][0]
        return random_state.normal(size=size) + 2.5 * easy


POPULATIONS: dict[str, Callable[[], Two]] = {
    "binormal 1.5": lambda: _continuous(stats.norm(1.5), stats.norm()),
    "lognormal": lambda: _continuous(stats.lognorm(1.4, scale=np.exp(1.2)), stats.lognorm(1.4)),
    "gamma": lambda: _continuous(stats.gamma(3.5), stats.expon()),
    "hook": lambda: _continuous(stats.norm(2.5), stats.t(2)),
    "5 levels": lambda: _levels((0.40, 0.25, 0.20, 0.10, 0.05), (0.02, 0.06, 0.17, 0.30, 0.45)),
    # these are not among those of the design
    "beta": lambda: _continuous(stats.beta(4, 2), stats.beta(2, 4)),
    "a third is hard": lambda: _continuous(_Mixture(), stats.norm()),
    "3 levels": lambda: _levels((0.5, 0.3, 0.2), (0.055, 0.245, 0.7)),
}
PROMISES = {"precision": (0.5, 0.8), "recall": (0.8,), "fpr": (0.05,)}
SIZES = (20, 200)


class Cell(NamedTuple):
    """A population and the number of positives expected."""

    number: int
    population: str
    n1: int


CELLS = [Cell(i, *pair) for i, pair in enumerate((name, n1) for name in POPULATIONS for n1 in SIZES)]


class _True(NamedTuple):
    """What a population has above a cut, and the deepest it could be cut."""

    population: Two

    def rates(self, cut: Any) -> tuple[Array, Array]:
        positive, negative = self.population.above
        return positive(np.asarray(cut)), negative(np.asarray(cut))

    def value(self, what: str, cut: Any) -> Array:
        tpr, fpr = self.rates(cut)
        if what == "precision":
            return PREVALENCE * tpr / np.maximum(PREVALENCE * tpr + (1 - PREVALENCE) * fpr, 1e-300)
        return tpr if what == "recall" else fpr

    def breaks(self, promise: Promise, cut: float) -> bool:
        found = float(self.value(promise.what, cut))
        return found > promise.target + 1e-12 if promise.what == "fpr" else found < promise.target - 1e-12

    def share(self, cut: Any) -> Array:
        tpr, fpr = self.rates(cut)
        return PREVALENCE * tpr + (1 - PREVALENCE) * fpr

    def oracle(self, promise: Promise) -> float:
        """Return the share of the subjects above the deepest cut that keeps the promise (the shallowest for recall)."""
        value, shares = self.value(promise.what, self.population.cuts), self.share(self.population.cuts)
        if promise.what == "recall":
            return float(np.min(shares[value >= promise.target]))
        kept = value <= promise.target if promise.what == "fpr" else value >= promise.target
        return float(np.max(shares[kept], initial=0.0))


class _Tally:
    """Cuts of many samples."""

    def __init__(self) -> None:
        self.draws = self.cuts = self.broken = 0
        self.depth = 0.0

    def add(self, at: Confusion | None, true: _True, promise: Promise) -> None:
        self.draws += 1
        if at is not None and at.threshold is not None:
            self.cuts += 1
            self.broken += true.breaks(promise, at.threshold)
            self.depth += float(true.share(at.threshold))

    def line(self, oracle: float) -> Line:
        return {
            "violated": round(self.broken / self.draws, 4),
            "cut": round(self.cuts / self.draws, 4),
            "depth": round(self.depth / self.draws / oracle, 4) if oracle else "",
            "draws": self.draws,
        }


def study(cell: Cell, draws: int) -> list[Line]:
    """Return how often every rule broke its promise in one cell."""
    population = POPULATIONS[cell.population]()
    true, n = _True(population), round(cell.n1 / PREVALENCE)
    promises = [Promise(what, target) for what, targets in PROMISES.items() for target in targets]
    tallies: dict[tuple[Promise, str], _Tally] = {}

    def add(promise: Promise, rule: str, at: Confusion | None) -> None:
        tallies.setdefault((promise, rule), _Tally()).add(at, true, promise)

    too_high = 0
    for size, rng in blocks(draws, STUDY, cell.number):
        for _ in range(size):
            y = rng.random(n) < PREVALENCE
            scores = population.draw(rng, y)
            places = CutPlaces(HitTable.from_scores(y, scores))
            for promise in promises:
                found = certified_cut("a", places, promise, confidence_level=LEVEL)
                add(promise, found.method, found.confusion)
                add(promise, "of the sample", found.naive)
                if promise.what == "precision":
                    mixed = certified_cut("a", places, promise, confidence_level=LEVEL, method="mixture")
                    add(promise, "mixture", mixed.confusion)
            limit = largest_enrichment("a", places, confidence_level=LEVEL)
            tpr, fpr = true.rates(limit.cut.threshold)
            too_high += bool(limit.limit * fpr > tpr)
    where: Line = {"population": cell.population, "n1": cell.n1, "n": n}
    lines = [
        {**where, "promise": promise.what, "target": promise.target, "rule": rule, **tally.line(true.oracle(promise))}
        for (promise, rule), tally in tallies.items()
    ]
    enrichment: Line = {"promise": "largest enrichment", "target": "", "rule": "odds ratios"}
    broken: Line = {"violated": round(too_high / draws, 4), "cut": 1.0, "depth": "", "draws": draws}
    return [*lines, {**where, **enrichment, **broken}]


def of_lists(name: str, draws: int, *, n: int = 2000, labelled: int = 500) -> list[Line]:
    """Return how often the precision of a finite list, labelled in part, was below what was promised."""
    population, promise = POPULATIONS[name](), Promise("precision", 0.5)
    counts = dict.fromkeys(("hypergeometric", "of the sample"), 0)
    cuts, depths = dict(counts), dict(counts)
    best = 0
    for size, rng in blocks(draws, STUDY, 1000 + list(POPULATIONS).index(name)):
        for _ in range(size):
            y = rng.permutation(np.arange(n) < 2 * n * PREVALENCE)
            scores = population.draw(rng, y)
            known = rng.permutation(n) < labelled
            found = certified_list_cut("a", scores[known], y[known], scores[~known], promise, confidence_level=LEVEL)
            order = np.argsort(-scores, kind="stable")
            ends = np.flatnonzero(np.diff(scores[order], append=-np.inf))
            kept = np.cumsum(y[order])[ends] >= promise.target * (ends + 1)
            best += int(np.max((ends + 1)[kept], initial=0))
            for rule, at, depth in (
                ("hypergeometric", found.confusion, found.selected),
                ("of the sample", found.naive, found.naive_selected),
            ):
                if at is not None and at.threshold is not None:
                    counts[rule] += bool(np.mean(y[scores >= at.threshold]) < promise.target)
                    cuts[rule] += 1
                    depths[rule] += depth
    where: Line = {"population": name, "n1": int(2 * n * PREVALENCE), "n": n, "promise": f"list, {labelled} labels"}
    return [
        {
            **where,
            "target": promise.target,
            "rule": rule,
            "violated": round(counts[rule] / draws, 4),
            "cut": round(cuts[rule] / draws, 4),
            "depth": round(depths[rule] / best, 4),
            "draws": draws,
        }
        for rule in counts
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    cells, names, draws = (CELLS[:1], ["binormal 1.5"], 10) if args.quick else (CELLS, list(POPULATIONS), DRAWS)
    lines = over(partial(study, draws=draws), cells, args.processes)
    lines += over(partial(of_lists, draws=draws), names, args.processes)
    print(f"seed {SEED}, {draws} samples of each\n{shown(lines)}")
    if not args.quick:
        write("certified", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
