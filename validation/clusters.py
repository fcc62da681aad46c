"""Subjects in clusters: coverage of default intervals, and size of the test of two equal rankers.

``python -m validation.clusters [--quick]``. Clusters have 2 to 10 subjects. A normal variable of the cluster is part of
each score, with the stated share of its variance within a class; labels are independent, or a normal variable of the
cluster is 30% of what decides them. The intervals of the same samples without the clusters stand beside.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import ndtr, ndtri

import hitcurve as hc
from hitcurve.errors import HitcurveError
from validation.populations import AnyArray, Array, Population
from validation.running import SEED, Line, Tally, arguments, blocks, over, shown, write

STUDY = 41
SHIFT, PREVALENCE = 1.2, 0.3
LEVEL = 0.05
METRICS = ("auc", "ap")


@dataclass(frozen=True)
class Cell:
    """Number of clusters, and what subjects of one cluster share of scores and of labels."""

    number: int
    clusters: int
    correlation: float
    of_labels: float

    def draw(self, rng: np.random.Generator) -> tuple[AnyArray, dict[str, Array], AnyArray]:
        """Draw labels, the scores of two rankers that are as good, and the clusters."""
        size = rng.integers(2, 11, self.clusters)
        cluster = np.repeat(np.arange(self.clusters), size)

        def shared(share: float) -> Array:
            of_cluster = rng.standard_normal(self.clusters)[cluster]
            return np.asarray(math.sqrt(share) * of_cluster + math.sqrt(1 - share) * rng.standard_normal(cluster.size))

        y = shared(self.of_labels) < ndtri(PREVALENCE)
        common = shared(self.correlation)
        scores = {name: (common + shared(self.correlation)) / math.sqrt(2) + SHIFT * y for name in "ab"}
        return y, scores, cluster


CELLS = [
    Cell(place, clusters, correlation, of_labels)
    for place, (clusters, correlation, of_labels) in enumerate(
        (clusters, correlation, of_labels)
        for clusters in (10, 20, 50)
        for correlation in (0.2, 0.5)
        for of_labels in (0.0, 0.3)
    )
]


def truth(metric: str) -> float:
    """Return the value in the population."""
    if metric == "auc":
        return float(ndtr(SHIFT / math.sqrt(2)))
    return float(Population("binormal", SHIFT).average_precision(PREVALENCE))


def study(cell: Cell, samples: int) -> list[Line]:
    """Return coverage with and without clusters, and the size of the test, in one cell."""
    found = {(metric, how): Tally() for metric in METRICS for how in ("clusters", "ignored")}
    errors: dict[str, list[float]] = {metric: [] for metric in METRICS}
    values: dict[str, list[float]] = {metric: [] for metric in METRICS}
    rejected, tested = dict.fromkeys(METRICS, 0), dict.fromkeys(METRICS, 0)
    for size, rng in blocks(samples, STUDY, cell.number):
        for _ in range(size):
            y, scores, cluster = cell.draw(rng)
            if min(np.sum(y), np.sum(~y)) < 5:
                continue
            evaluations = {
                "clusters": hc.evaluate(y, scores, metrics=METRICS, clusters=cluster),
                "ignored": hc.evaluate(y, {"a": scores["a"]}, metrics=METRICS),
            }
            for metric in METRICS:
                for how, ev in evaluations.items():
                    _count(found[metric, how], ev["a", metric], how, truth(metric))
                try:
                    e, test = evaluations["clusters"]["a", metric], evaluations["clusters"].compare("a", "b", metric)
                    errors[metric].append(e.standard_error**2)
                    values[metric].append(e.value)
                    tested[metric] += 1
                    rejected[metric] += test.pvalue <= LEVEL
                except HitcurveError:
                    continue
    return [
        {
            "clusters": cell.clusters,
            "correlation": cell.correlation,
            "of_labels": cell.of_labels,
            "metric": metric,
            "interval": how,
            **found[metric, how].line(truth(metric)),
            "error_ratio": round(math.sqrt(np.mean(errors[metric]) / np.var(values[metric])), 5)
            if how == "clusters"
            else "",
            "size": round(rejected[metric] / tested[metric], 5) if how == "clusters" else "",
        }
        for metric, how in found
    ]


def _count(tally: Tally, e: hc.Estimate, how: str, true: float) -> None:
    try:
        # without clusters by the same recipe: the default of AP there is another
        low, high = e.confidence_interval(method="half-subject" if how == "ignored" else None)
    except HitcurveError:
        tally.refused += 1
    else:
        tally.add(low, high, true)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    warnings.simplefilter("ignore", hc.errors.HitcurveWarning)
    samples = 20 if args.quick else 1000
    lines = over(partial(study, samples=samples), CELLS[:1] if args.quick else CELLS, args.processes)
    if args.quick:
        print(shown(lines), f"\nseed {SEED}")
    else:
        write("clusters", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
