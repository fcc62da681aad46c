"""Coverage of intervals of recall, enrichment and precision at a cut where subjects have weights or come in clusters.

``python -m validation.cutoffs_designs [--quick]``. Weighted samples are drawn with a chance that depends on the score;
subjects of a cluster share part of their score, and clusters differ in how many of them are positive.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, ndtr

import hitcurve as hc
from validation.populations import AnyArray, Array
from validation.running import SEED, Line, Tally, arguments, blocks, over, shown, write

STUDY = 23
SHIFT = 1.5


class Design(NamedTuple):
    """A population of normal scores, the positives higher, and how it is sampled.

    Attributes
    ----------
    name : str
    pi : float
    n : int
        Subjects drawn (of a weighted sample those of which some are kept).
    slope : float
        Of the logit of the chance to be kept, by the score; 0: all are kept.
    clusters : int
        Subjects of a cluster; 0: none.
    levels : bool
        Whether scores are rounded down to whole numbers.
    weights : bool
        Whether weights are uniform numbers, at random.
    two : bool
        Whether weights that go with the score are two, 1 and 10.
    """

    name: str
    pi: float
    n: int
    slope: float = 0.0
    clusters: int = 0
    levels: bool = False
    weights: bool = False
    two: bool = False

    def chance(self, score: Array) -> Array:
        """Return the chance to be kept."""
        if not self.slope:
            return np.ones(score.shape)
        of_score = score > 1.5 if self.two else expit(score - 1.5)
        return np.asarray(0.1 + 0.9 * (of_score if self.slope > 0 else 1 - of_score), float)

    def recall(self, rate: float) -> float:
        """Return the recall of the population at a rate; equal scores are taken in proportion."""
        points = np.floor(np.linspace(-8, 12, 21)) if self.levels else np.linspace(-8, 12, 200_001)
        tpr, fpr = ndtr(SHIFT - points)[::-1], ndtr(-points)[::-1]
        return float(np.interp(rate, self.pi * tpr + (1 - self.pi) * fpr, tpr))


DESIGNS = [
    Design("weights go with the score", 0.1, 2000, slope=1.0),
    Design("weights go with the score", 0.2, 600, slope=1.0),
    Design("weights go against the score", 0.1, 2000, slope=-1.0),
    Design("weights at random", 0.1, 600, weights=True),
    Design("clusters of 5", 0.2, 500, clusters=5),
    Design("clusters of 5", 0.1, 1000, clusters=5),
    Design("clusters of 20", 0.1, 1000, clusters=20),
    Design("clusters of 5, levels", 0.2, 500, clusters=5, levels=True),
    Design("small weights at the top", 0.1, 6000, slope=1.0, two=True),
    Design("large weights at the top", 0.1, 6000, slope=-1.0, two=True),
]
METRICS = {"ef@1%": 0.01, "recall@5%": 0.05, "precision@10%": 0.1, "precision@50%": 0.5}


def drawn(design: Design, rng: np.random.Generator) -> tuple[AnyArray, Array, dict[str, AnyArray]]:
    """Return labels, scores, and weights or clusters of one sample."""
    more: dict[str, AnyArray] = {}
    if not design.clusters:
        y = rng.random(design.n) < design.pi
        score = rng.standard_normal(design.n) + SHIFT * y
        kept = rng.random(design.n) < design.chance(score)
        y, score = y[kept], score[kept]
        if design.slope or design.weights:
            more["sample_weight"] = rng.uniform(0.5, 2, y.size) if design.weights else 1 / design.chance(score)
    else:
        more["clusters"] = np.arange(design.n) // design.clusters
        part = np.sqrt(0.3)
        own = np.repeat(rng.standard_normal((2, design.n // design.clusters)), design.clusters, axis=1)
        y = part * own[0] + np.sqrt(0.7) * rng.standard_normal(design.n) > brentq(lambda x: ndtr(-x) - design.pi, -9, 9)
        score = part * own[1] + np.sqrt(0.7) * rng.standard_normal(design.n) + SHIFT * y
    return y, np.floor(score) if design.levels else score, more


def study(numbered: tuple[int, Design], draws: int) -> list[Line]:
    """Return the coverage of the default intervals in one design."""
    number, design = numbered
    truth = {}
    for form, rate in METRICS.items():
        of_recall = {"ef": 1 / rate, "recall": 1.0, "precision": design.pi / rate}[form.split("@")[0]]
        truth[form] = design.recall(rate) * of_recall
    tallies = {form: Tally() for form in METRICS}
    for size, rng in blocks(draws, STUDY, number):
        for _ in range(size):
            y, score, more = drawn(design, rng)
            found: hc.Evaluation = hc.evaluate(y, score, metrics=list(METRICS), **more)  # type: ignore[call-overload]
            for form, tally in tallies.items():
                ends = found["score", form].interval
                if ends is None:
                    tally.refused += 1
                else:
                    tally.add(*ends, truth[form])
    return [
        {"design": design.name, "pi": design.pi, "n": design.n, "metric": form, "truth": round(truth[form], 8)}
        | tally.line(truth[form])
        for form, tally in tallies.items()
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    lines = over(partial(study, draws=10 if args.quick else 400), list(enumerate(DESIGNS)), args.processes)
    if args.quick:
        print(shown(lines), f"\nseed {SEED}")
    else:
        write("cutoffs_designs", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
