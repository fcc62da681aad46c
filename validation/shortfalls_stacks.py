"""Cells of ``validation.shortfalls`` by formulas, of stacks of lists from populations that nothing was tuned on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

import hitcurve as hc
from hitcurve.inference.estimation.estimates import Estimates
from hitcurve.sums import Lists, Sums
from validation.populations import AnyArray, Array
from validation.running import blocks
from validation.shortfalls_simulated import Found

STUDY = 26
_SAMPLED = 200_000  # scores of either class that are the places of a population
_SUBJECTS = 400_000  # at a time
_OF_LENGTH = ("ndcg",)  # metrics of a list of a length, which a population does not have


class Scores(NamedTuple):
    """Scores of a class: a mixture of distributions, in part 0, rounded down to levels.

    Attributes
    ----------
    parts : tuple of (float, distribution)
        Shares and frozen distributions of scipy.
    zero : float
        Share of the scores that are 0.
    """

    parts: tuple[tuple[float, Any], ...]
    zero: float = 0.0

    def draw(self, rng: np.random.Generator, size: int) -> Array:
        """Draw scores."""
        part = rng.choice(len(self.parts), size=size, p=[share for share, _ in self.parts])
        out = np.zeros(size)
        for i, (_, one) in enumerate(self.parts):
            out[part == i] = one.rvs(size=int(np.sum(part == i)), random_state=rng)
        out[rng.random(size) < self.zero] = 0.0
        return out

    def above(self, score: Array) -> Array:
        """Return the share of the scores that are above one, which is not 0."""
        found = np.sum([share * one.sf(score) for share, one in self.parts], axis=0)
        return np.asarray((1 - self.zero) * found + self.zero * (score < 0))


class TwoClasses(NamedTuple):
    """Scores of positives and of negatives, and the cuts between levels; None where they are as fine as they are."""

    pos: Scores
    neg: Scores
    cuts: Array | None = None

    def draw(self, y: AnyArray, rng: np.random.Generator) -> Array:
        """Draw a score for each label."""
        score = np.empty(y.shape)
        score[y], score[~y] = self.pos.draw(rng, int(y.sum())), self.neg.draw(rng, int((~y).sum()))
        return score if self.cuts is None else np.searchsorted(self.cuts, score).astype(float)

    def table(self, pi: float) -> hc.HitTable:
        """Return a table of very many subjects, in their shares between places."""
        if self.cuts is not None:
            places = self.cuts[::-1]
        else:
            rng = np.random.default_rng(STUDY)
            drawn = np.sort(np.concatenate([side.draw(rng, _SAMPLED) for side in (self.pos, self.neg)]))
            beyond = drawn[-1] + np.geomspace(1e-3, 50, 2000) * max(float(np.std(drawn[-_SAMPLED // 2 :])), 1.0)
            places = np.unique(np.concatenate([drawn, beyond, [-1e-9, 1e-9]]))[::-1]
            places = places[places != 0]
        shares = [np.diff(np.concatenate([[0.0], side.above(places), [1.0]])) for side in (self.pos, self.neg)]
        pos, neg = (
            np.rint(share * part * 1e13).astype(np.int64) for share, part in zip(shares, (pi, 1 - pi), strict=True)
        )
        return hc.HitTable.from_counts(pos, neg)


def _one(distribution: Any) -> Scores:
    return Scores(((1.0, distribution),))


_NORMAL = stats.norm
POPULATIONS: dict[str, Callable[[], TwoClasses]] = {
    "Cauchy negatives": lambda: TwoClasses(_one(_NORMAL(2.5)), _one(stats.cauchy())),
    "shift -.7": lambda: TwoClasses(_one(_NORMAL(-0.7)), _one(_NORMAL())),
    "decoys at the top": lambda: TwoClasses(_one(_NORMAL(2)), Scores(((0.98, _NORMAL(0)), (0.02, _NORMAL(4.5, 0.5))))),
    "shift 4.5": lambda: TwoClasses(_one(_NORMAL(4.5)), _one(_NORMAL())),
    "zeros": lambda: TwoClasses(
        Scores(((1.0, stats.expon(scale=3)),), zero=0.5), Scores(((1.0, stats.expon()),), zero=0.95)
    ),
    "two gammas": lambda: TwoClasses(
        Scores(((0.5, stats.gamma(2, scale=1.2)), (0.5, stats.gamma(6)))), _one(stats.gamma(2))
    ),
    "3 levels": lambda: TwoClasses(_one(_NORMAL(1.5)), _one(_NORMAL()), np.array([0.5, 1.5])),
    "10 levels": lambda: TwoClasses(_one(stats.laplace(1.5)), _one(stats.laplace()), np.linspace(-1.0, 2.8, 9)),
}


def lists_of(y: AnyArray, score: Array) -> Sums:
    """Return the rows of lists side by side; subjects of equal scores are one row."""
    order = np.argsort(-score, axis=-1, kind="stable")
    y, score = np.take_along_axis(y, order, axis=-1), np.take_along_axis(score, order, axis=-1)
    row = np.cumsum(np.diff(score, axis=-1, prepend=score[:, :1]) != 0, axis=-1)
    rows = int(row.max()) + 1
    of_row = row + rows * np.arange(len(y))[:, None]
    pos, neg = (np.bincount(of_row[which], minlength=rows * len(y)).reshape(-1, rows) for which in (y, ~y))
    return Sums(pos, neg)


def stacked_coverage(draws: int, metric: str, population: str, pi: float, n1: int) -> Found:
    """Coverage of the default by formula, of cohorts of ``n1 / pi`` subjects."""
    own, n = POPULATIONS[population](), round(n1 / pi)
    low, high, values, methods, errors = [], [], [], set[str](), []
    key = list(POPULATIONS).index(population), n1, round(1000 * pi)
    for size, rng in blocks(draws, STUDY, *key, size=max(_SUBJECTS // n, 10)):
        y = rng.random((size, n)) < pi
        lists = Lists(lists_of(y, own.draw(y, rng)))
        found = Estimates.of(hc.metric(metric), lists, design="cohort", confidence_level=0.95, may_draw=False)
        low.append(found.low)
        high.append(found.high)
        values.append(found.value)
        errors.append(found.standard_error)
        methods |= set(found.method) - {""}
    ends, value, error = (np.concatenate(low), np.concatenate(high)), np.concatenate(values), np.concatenate(errors)
    truth = float(np.nanmean(value)) if metric in _OF_LENGTH else float(hc.metric(metric).value(own.table(pi)))
    there = ~np.isnan(ends[0])
    covered = (ends[0] <= truth + 1e-9) & (ends[1] >= truth - 1e-9)
    apart = float(np.sqrt(np.nanmean(error**2)) / np.nanstd(value))
    note = f"standard error {apart:.2g} times the standard deviation" if not 0.5 < apart < 2 else ""
    return Found(
        float(covered[there].mean()), int(there.sum()), "/".join(sorted(methods)), int((~there).sum()), note=note
    )
