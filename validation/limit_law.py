"""Consistency and limit law of the empirical precision-recall curve (Clémençon and Vayatis 2009), against sample size.

``python -m validation.limit_law [--quick]``. The curve of a binormal population, at recalls from .1 to .9: the largest
deviation of samples, and sqrt(n) times it, beside the Gaussian limit.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from functools import partial

import numpy as np

import hitcurve as hc
from validation.bands import scores, truth
from validation.populations import Array, Population
from validation.running import SEED, Line, arguments, blocks, over, shown, write

STUDY = 8
POPULATION, PREVALENCE = Population("binormal", 1.5), 0.2
RECALLS = np.linspace(0.1, 0.9, 161)
SHOWN = (0.2, 0.5, 0.8)
LEVELS = (0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)
SIZES = (200, 800, 3200, 12_800, 51_200, 204_800)


def limit(count: int, rng: np.random.Generator) -> Array:
    """Return draws of the limit of sqrt(n) times the deviation of precision, one a row.

    On the logit scale it is that of the prevalence less that of log FPR at the recall: a Brownian bridge of the
    negatives, and one of the positives times the slope of FPR over recall. All three are Gaussian and independent, so
    that their covariances add up.
    """
    pi, step = PREVALENCE, 1e-5
    score = POPULATION.score(RECALLS)
    fpr = POPULATION.fpr(score)
    slope = (POPULATION.fpr(POPULATION.score(RECALLS + step)) - POPULATION.fpr(POPULATION.score(RECALLS - step))) / (
        2 * step
    )
    precision = truth("precision_recall", POPULATION, pi, RECALLS)
    of_classes = of_bridge(fpr) / (1 - pi) + np.outer(slope, slope) * of_bridge(RECALLS) / pi
    covariance = of_classes / np.outer(fpr, fpr) + 1 / (pi * (1 - pi))
    draws = rng.multivariate_normal(np.zeros(RECALLS.size), covariance, count, method="eigh")
    return np.asarray(precision * (1 - precision) * draws)


def of_bridge(times: Array) -> Array:
    """Return the covariance of a Brownian bridge at times in [0, 1]."""
    return np.asarray(np.minimum.outer(times, times) - np.outer(times, times))


def sd_of_limit(recall: float) -> float:
    """Return the standard deviation of the limit at a recall, in closed form."""
    b, pi, step = np.array(recall), PREVALENCE, 1e-5
    fpr = float(POPULATION.fpr(POPULATION.score(b)))
    ends = [float(POPULATION.fpr(POPULATION.score(b + side))) for side in (step, -step)]
    elasticity = (ends[0] - ends[1]) / (2 * step) * recall / fpr
    logit = (1 - fpr) / ((1 - pi) * fpr) + elasticity**2 * (1 - recall) / (pi * recall) + 1 / (pi * (1 - pi))
    precision = pi * recall / (pi * recall + (1 - pi) * fpr)
    return precision * (1 - precision) * math.sqrt(logit)


def study(n: int, draws: int) -> list[Line]:
    """Return what samples of one size have, and the limit."""
    true = truth("precision_recall", POPULATION, PREVALENCE, RECALLS)
    rows = []
    for _, rng in blocks(draws, STUDY, n, size=1):
        y = np.arange(n) < rng.binomial(n, PREVALENCE)
        table = hc.HitTable.from_scores(y, scores(POPULATION, y, rng))
        rows.append(np.asarray(hc.precision_recall_curve(table).at(RECALLS)) - true)
    deviation = np.array(rows)
    highest = np.max(np.abs(deviation), axis=1)
    of_limit = np.max(np.abs(limit(20_000, np.random.default_rng([SEED, STUDY]))), axis=1)

    def line(quantity: str, at: float, found: float, error: float, expected: float) -> Line:
        return {
            "n": n,
            "draws": draws,
            "quantity": quantity,
            "at": at,
            "found": round(found, 5),
            "standard_error": round(error, 5),
            "limit": round(expected, 5),
        }

    root = math.sqrt(n)
    mean, error = float(highest.mean()), float(highest.std()) / math.sqrt(draws)
    lines = [line("largest deviation, mean", 0.0, mean, error, float(of_limit.mean()) / root)]
    for b in SHOWN:
        sd = root * float(deviation[:, np.argmin(np.abs(RECALLS - b))].std())
        lines.append(line("scaled deviation, s.d. at recall", b, sd, sd / math.sqrt(2 * draws), sd_of_limit(b)))
    for level in LEVELS:
        low, high = (
            np.clip(level + side * math.sqrt(level * (1 - level) / draws), 0, 1) for side in (-1, 1)
        )  # an error of the level, carried over to the quantile
        ends = root * np.quantile(highest, [low, high])
        found = root * float(np.quantile(highest, level))
        expected = float(np.quantile(of_limit, level))
        lines.append(line("scaled largest deviation, quantile", level, found, float(ends[1] - ends[0]) / 2, expected))
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    sizes = SIZES[:2] if args.quick else SIZES
    lines = over(partial(study, draws=100 if args.quick else 1000), sizes, args.processes)
    if args.quick:
        print(shown(lines), f"seed {SEED}", sep="\n")
    else:
        write("limit_law", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
