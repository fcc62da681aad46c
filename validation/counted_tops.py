"""Cuts above which nearly all are of one class, or of few clusters; of censored subjects too; weights of a censoring.

``python -m validation.counted_tops [--quick]``. Influence values hardly vary above such a cut, so that intervals follow
from the number above it. Where 40 to 70% are censored before the horizon, or most of those of one centre, few subjects
stand for many. Of clusters of 1 to 50 subjects that are nearly alike, a few large ones may hold the top. ``cautioned``
is the share of intervals with the caution about that, ``size`` that of tests of two equal rankers that reject.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.special import expit

import hitcurve as hc
from validation.populations import AnyArray, Array
from validation.running import SEED, Line, Tally, arguments, blocks, over, shown, write

STUDY = 64
DRAWS, LEVEL = 600, 0.05
_MANY = 2_000_000  # subjects of what is true
_WORDS = ("subjects stand for those censored", "clusters of equal size")
_MOST = 50  # subjects of a cluster of any size


class Drawn(NamedTuple):
    """Subjects: of clusters their labels, of a follow-up their times of event and of censoring."""

    scores: dict[str, Array]
    labels: AnyArray | None = None
    clusters: AnyArray | None = None
    time: Array | None = None
    gone: Array | None = None
    centre: AnyArray | None = None


KINDS = ("clusters", "censored", "heavy", "of any size")
Draw: TypeAlias = Callable[[np.random.Generator, int], Drawn]


@dataclass(frozen=True)
class Cell:
    """A population.

    Attributes
    ----------
    number : int
    kind : {"clusters", "censored", "heavy", "of any size"}
    name : str
    n : int
    horizon : float
        nan of clusters.
    metrics : tuple of str
    draw : callable
    """

    number: int
    kind: str
    name: str
    n: int
    horizon: float
    metrics: tuple[str, ...]
    draw: Draw


def _clusters(rng: np.random.Generator, n: int, size: int, shared: float, slope: float, middle: float) -> Drawn:
    """Draw scores of which a share of the variance is of the cluster, and labels that follow them."""
    cluster = np.repeat(np.arange(-(-n // size)), size)[:n]
    own = np.sqrt(1 - shared) * rng.standard_normal(n)
    score = np.sqrt(shared) * rng.standard_normal(int(cluster[-1]) + 1)[cluster] + own
    return Drawn({"a": score}, labels=rng.random(n) < expit(slope * score + middle), clusters=cluster)


def _of_any_size(rng: np.random.Generator, n: int, slope: float) -> Drawn:
    """Draw clusters of 1 to 50 subjects, uniform in the logarithm, and two equal rankers that follow the cluster."""
    sizes = np.ceil(np.exp(rng.uniform(0, np.log(_MOST), n))).astype(int)
    cluster = np.repeat(np.arange(n), sizes)[:n]
    of_score, of_label = rng.standard_normal((2, n))
    scores = 0.9 * of_score[cluster] + 0.4 * rng.laplace(scale=np.sqrt(0.5), size=n)
    labels = rng.random(n) < expit(slope * (scores + of_label[cluster]) - 2)
    noise = 0.4 * rng.standard_normal((2, n))[:, cluster] + 0.2 * rng.standard_normal((2, n))
    return Drawn({"a": scores + noise[0], "b": scores + noise[1]}, labels=labels, clusters=cluster)


def _exponential(rng: np.random.Generator, n: int) -> Drawn:
    """Draw exponential times whose hazard is exp(score), and uniform times of censoring."""
    score = rng.standard_normal(n)
    return Drawn({"a": score}, time=rng.exponential(np.exp(-score)), gone=rng.uniform(0, 3, n))


def _centres(rng: np.random.Generator, n: int, mean: float, by_centre: tuple[float, float, float]) -> Drawn:
    """Draw Weibull times of three centres, with exponential times of censoring of their own, and two equal rankers."""
    centre = rng.integers(0, 3, n)
    apart = len(set(by_centre)) > 1
    risk = rng.standard_normal(n) + (0.6 * (centre - 1) if apart else 0.0)
    time = np.exp(0.8 * np.log(rng.exponential(size=n)) - risk)
    gone = rng.exponential(size=n) * mean * np.array(by_centre)[centre]
    scores = {name: risk + 0.6 * rng.standard_t(3, n) for name in "ab"}
    return Drawn(scores, time=time, gone=gone, centre=centre if apart else None)


_AT_CUTS = ("precision@5%", "precision@10%", "recall@10%", "fpr@tpr=20%")
_OF_TOP = ("ap", "bedroc(alpha=20)", "precision@10%", "recall@10%", "auc")
_STEEP = 3.0  # of the log odds in the score
_ALL_ALIKE, _FIRST, _LAST = (1.0, 1.0, 1.0), (2.5, 1.0, 0.4), (0.4, 1.0, 2.5)
_KINDS: list[tuple[str, str, int, float, tuple[str, ...], Draw]] = [
    (
        "clusters",
        f"{n // size} of {size}, {shared:g} shared{', steep' if slope > _STEEP else ''}",
        n,
        np.nan,
        _AT_CUTS,
        partial(_clusters, size=size, shared=shared, slope=slope, middle=middle),
    )
    for n, size, shared, slope, middle in (
        (600, 2, 0.0, 2.0, 0.5),
        (600, 3, 0.5, 2.0, 0.5),
        (150, 3, 1.0, 2.0, 0.5),
        (600, 10, 1.0, 2.0, 0.5),
        (800, 20, 0.3, 2.0, -1.0),
        (600, 2, 0.0, 4.0, -2.0),
    )
]
_KINDS += [
    ("censored", "exponential", n, 0.6, ("precision@5%", "precision@10%", "recall@10%"), _exponential)
    for n in (150, 600)
]
_KINDS += [
    ("heavy", name, n, horizon, _OF_TOP, partial(_centres, mean=mean, by_centre=by_centre))
    for name, n, horizon, mean, by_centre in (
        ("70% censored", 600, 0.34, 0.207, _ALL_ALIKE),
        ("70% censored", 2500, 0.34, 0.207, _ALL_ALIKE),
        ("40% censored", 600, 0.34, 0.5, _ALL_ALIKE),
        ("20% censored", 600, 0.34, 1.2, _ALL_ALIKE),
        ("centre of low risk censored", 600, 0.34, 0.3, _LAST),
        ("centre of high risk censored", 600, 0.34, 0.3, _FIRST),
    )
]
_KINDS += [
    (
        "of any size",
        f"slope {slope:g}",
        n,
        np.nan,
        (*_AT_CUTS, "precision@20%", "f1@10%"),
        partial(_of_any_size, slope=slope),
    )
    for n in (1250, 2500, 6250)
    for slope in (1.5, 3.0)
]
CELLS = [Cell(number, *own) for number, own in enumerate(_KINDS)]


def truth(cell: Cell) -> dict[str, float]:
    """Return the values in the population."""
    ((_, rng),) = blocks(1, STUDY, cell.number, 1)
    found = cell.draw(rng, _MANY)
    y = found.labels if found.time is None else found.time <= cell.horizon
    table = hc.HitTable.from_scores(y, found.scores["a"])
    return {metric: float(hc.metric(metric).value(table)) for metric in cell.metrics}


def _sampled(cell: Cell, rng: np.random.Generator) -> Any:
    drawn, metrics = cell.draw(rng, cell.n), list(cell.metrics)
    if drawn.time is None or drawn.gone is None:
        return hc.evaluate(drawn.labels, drawn.scores, metrics=metrics, clusters=drawn.clusters)
    until = np.minimum(drawn.time, drawn.gone)
    given: dict[str, Any] = {"horizons": cell.horizon, "metrics": metrics}
    if drawn.centre is not None:
        given["censoring"] = drawn.centre
    return hc.evaluate_survival(until, drawn.time <= drawn.gone, drawn.scores, **given)


def study(cell: Cell, draws: int) -> list[Line]:
    """Return the lines of one population."""
    warnings.simplefilter("ignore", hc.errors.HitcurveWarning)
    true, tallies = truth(cell), {metric: Tally() for metric in cell.metrics}
    cautioned, p = dict.fromkeys(cell.metrics, 0), {metric: list[float]() for metric in cell.metrics}
    for size, rng in blocks(draws, STUDY, cell.number, 2):
        for _ in range(size):
            try:
                found = _sampled(cell, rng)
            except hc.errors.InsufficientDataError:  # a stratum that nobody was followed in up to the horizon
                continue
            for metric, tally in tallies.items():
                e = found["a", metric]
                if e.interval is None:
                    tally.refused += 1
                    continue
                tally.add(e.interval.low, e.interval.high, true[metric])
                cautioned[metric] += any(words in caution for words in _WORDS for caution in e.cautions)
                if "b" in found.rankers:
                    p[metric].append(found.compare("a", "b", metric).pvalue)
    return [
        {
            "kind": cell.kind,
            "population": cell.name,
            "n": cell.n,
            "metric": metric,
            "true": round(true[metric], 4),
            **tally.line(true[metric]),
            "cautioned": round(cautioned[metric] / max(tally.draws, 1), 3),
            "size": round(float(np.mean(np.array(p[metric]) <= LEVEL)), 4) if p[metric] else "",
        }
        for metric, tally in tallies.items()
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    cells = [next(cell for cell in CELLS if cell.kind == kind) for kind in KINDS] if args.quick else CELLS
    lines = over(partial(study, draws=5 if args.quick else DRAWS), cells, args.processes)
    if args.quick:
        print(shown(lines), f"\nseed {SEED}")
    else:
        write("counted_tops", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
