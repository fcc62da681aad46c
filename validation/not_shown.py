"""What a sample does not show: coverage of defaults, and size of a test, where the few that decide are seen seldom.

``python -m validation.not_shown [--quick]``. Some negatives in a thousand lead the ranking, so that most samples have
none of them; few negatives stand beside many positives; one cluster holds much of a cohort, or of a class; subjects of
some tens of clusters are much alike; few controls of censored subjects are above the cutoff of an FPR; subjects are
drawn the seldomer the lower their score, with probabilities from 1 to 1/20, so that few stand for many; of one cluster
in twenty all negatives lead the ranking, or all scores are higher. ``cautioned`` is the share of intervals with a
caution of their own kind.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from scipy.stats import rankdata

import hitcurve as hc
from hitcurve.counts import Counts
from validation.populations import AnyArray, Array
from validation.running import SEED, Line, Tally, arguments, blocks, over, shown, write

STUDY = 48
DRAWS, LEVEL = 400, 0.05
_MANY = 2_000_000  # subjects of what is true
_OF_MEAN = 2000  # samples, of whose values the mean is true for NDCG, which depends on their size

Draw: TypeAlias = Callable[[np.random.Generator, AnyArray], Array]


@dataclass(frozen=True)
class Cell:
    """A population of which a sample shows little.

    Attributes
    ----------
    number : int
    kind : {"rare tops", "few negatives", "one cluster", "alike", "censored", "weights", "odd"}
    name : str
    n : int
    pi : float
        Probability of a positive; of censored subjects the horizon.
    draw : callable
        Scores for labels.
    metrics : tuple of str
    caution : str
        Words of the caution of this kind.
    share : float
        Of the subjects in one cluster.
    shares : tuple of float
        Of the positives, and of the negatives, in one cluster.
    clusters : int
        Others that hold the rest, of both classes.
    apart : bool
        Whether each of these is of one class: so many of positives, and of negatives as large.
    """

    number: int
    kind: str
    name: str
    n: int
    pi: float
    draw: Draw
    metrics: tuple[str, ...]
    caution: str = ""
    share: float = 0.0
    shares: tuple[float, float] = (0.0, 0.0)
    clusters: int = 0
    apart: bool = False


def _rare(rng: np.random.Generator, y: AnyArray, shift: float, share: float) -> Array:
    """Return normal scores; of the negatives a share is above all."""
    leads = (y == 0) & (rng.random(y.size) < share)
    return np.where(leads, 20.0, 0.0) + rng.standard_normal(y.size) + shift * y


def _heavy(rng: np.random.Generator, y: AnyArray) -> Array:
    return np.asarray(rng.standard_t(1.5, y.size) + 2.5 * y)


def _shifted(rng: np.random.Generator, y: AnyArray) -> Array:
    return np.asarray(rng.standard_normal(y.size) + 1.2 * y)


def _some_last(rng: np.random.Generator, y: AnyArray) -> Array:
    """Return normal scores; a tenth of the positives is far below."""
    return np.asarray(rng.standard_normal(y.size) + y * np.where(rng.random(y.size) < 0.1, -3.0, 2.5))


def _graded(rng: np.random.Generator, y: AnyArray) -> Array:
    return np.clip(np.round(_shifted(rng, y)), -1, 3)


def _odd(rng: np.random.Generator, y: AnyArray, of_neg: float, of_all: float) -> Array:
    """Return normal scores of clusters of ten, in one of twenty of which negatives or all have others."""
    odd = np.repeat(rng.random(y.size // 10) < 0.05, 10)
    return np.asarray(_shifted(rng, y) + odd * (of_all + of_neg * (y == 0)))


_OF_TOPS, _OF_PRECISION = ("ap", "ndcg", "bedroc(alpha=20)", "auc"), ("ap", "ndcg", "scaled_ap", "prg_area")
_OF_CLUSTERS, _AT_FPR = ("auc", "ap", "bedroc(alpha=20)", "recall@10%"), ("tpr@fpr=5%", "tpr@fpr=20%")
_RARE = ((400, 0.3, 3, 0.004), (400, 0.3, 6, 0.004), (200, 0.3, 6, 0.008), (2000, 0.1, 6, 0.0006))
_MIXED: dict[str, Draw] = {"4% lead": partial(_rare, shift=2.0, share=0.04), "t, 1.5 df": _heavy, "normal": _shifted}
_KINDS: list[tuple[str, str, int, float, Draw, tuple[str, ...], str, float]] = [
    ("rare tops", f"{share:.2%} lead, shift {by}", n, pi, partial(_rare, shift=by, share=share), _OF_TOPS, "", 0.0)
    for n, pi, by, share in _RARE
]
_KINDS += [
    ("few negatives", name, n, pi, draw, _OF_PRECISION, "negatives beside", 0.0)
    for n, pi in ((600, 0.95), (1200, 0.92))
    for name, draw in _MIXED.items()
]
_KINDS += [
    ("one cluster", f"{share:.0%} of the subjects", n, 0.3, _shifted, _OF_CLUSTERS, "one cluster holds", share)
    for n, share in ((390, 0.4), (590, 0.7), (400, 0.1))
]
_KINDS += [("censored", "normal", n, 2.0, _shifted, _AT_FPR, "", 0.0) for n in (200, 400, 800, 1600)]
_ALIKE = 0.9  # of the variance of the scores of a class is of the cluster
_SHARES = (((1 / 3, 1 / 3), 30), ((0.0, 1 / 3), 30), ((1 / 3, 0.0), 30), ((0.0, 0.0), 30), ((0.0, 0.0), 60))
CELLS = [Cell(number, *own) for number, own in enumerate(_KINDS)] + [
    Cell(
        len(_KINDS) + place,
        "alike",
        f"{shares[0]:.0%} of the positives and {shares[1]:.0%} of the negatives in one, {clusters} others",
        240,
        0.25,
        _shifted,
        _OF_CLUSTERS,
        "one cluster holds" if max(shares) else "much alike",
        shares=shares,
        clusters=clusters,
    )
    for place, (shares, clusters) in enumerate(_SHARES)
]
CELLS += [
    Cell(
        len(CELLS),
        "alike",
        "30 clusters of positives and 90 of negatives",
        480,
        0.25,
        _shifted,
        _OF_CLUSTERS,
        "much alike",
        clusters=30,
        apart=True,
    )
]
_OF_ODD = ("auc", "ap", "precision@10%", "recall@20%", "tpr@fpr=5%")
_RAREST = 20  # times as seldom as the highest is the lowest drawn
_OF_WEIGHTS = ("ks", "wss@80%", "recall@10%", "ap", "auc")
CELLS += [
    Cell(len(CELLS) + place, "weights", name, n, pi, draw, _OF_WEIGHTS, "weight")
    for place, (name, n, pi, draw) in enumerate(
        (
            ("a tenth of the positives last", 2000, 0.03, _some_last),
            ("a tenth of the positives last", 6000, 0.05, _some_last),
            ("normal", 1500, 0.06, _shifted),
            ("five grades", 4000, 0.0375, _graded),
        )
    )
]
CELLS += [
    Cell(len(CELLS) + place, "odd", f"{name}, {n // 10} clusters", n, 0.25, draw, _OF_ODD, "cluster")
    for place, (n, (name, draw)) in enumerate(
        (n, one)
        for n in (300, 600, 2000)
        for one in (
            ("negatives of one in twenty lead", partial(_odd, of_neg=20.0, of_all=0.0)),
            ("scores of one in twenty are higher", partial(_odd, of_neg=0.0, of_all=2.0)),
        )
    )
]


def truth(cell: Cell) -> dict[str, float]:
    """Return the values in the population."""
    ((_, rng),) = blocks(1, STUDY, cell.number, 1)
    y, score = _events(rng, _MANY, cell.pi)[::2] if cell.kind == "censored" else _scores(cell, rng, _MANY)
    counts = hc.HitTable.from_scores(y, score).counts
    found = {m: float(hc.metric(m).value(Counts(counts.pos, counts.neg))) for m in cell.metrics if m != "ndcg"}
    if "ndcg" in cell.metrics:
        values = [hc.metric("ndcg")(*_scores(cell, rng, cell.n)) for _ in range(_OF_MEAN)]
        found["ndcg"] = float(np.mean(values))
    return found


def _scores(cell: Cell, rng: np.random.Generator, n: int) -> tuple[AnyArray, Array]:
    y = (rng.random(n) < cell.pi).astype(int)
    return y, cell.draw(rng, y)


def _events(rng: np.random.Generator, n: int, horizon: float) -> tuple[AnyArray, Array, Array]:
    """Return whether there was an event by the horizon, its time, and the risk."""
    risk = rng.standard_normal(n)
    time = rng.exponential(4.0, n) * np.exp(-risk)
    return (time <= horizon).astype(int), time, risk


def _sampled(cell: Cell, rng: np.random.Generator) -> Any:
    """Evaluate a sample; in clusters, two rankers that are as good."""
    if cell.kind == "censored":
        _, time, risk = _events(rng, cell.n, cell.pi)
        until = rng.exponential(1.5, cell.n)
        return hc.evaluate_survival(
            np.minimum(time, until), time <= until, {"a": risk}, horizons=cell.pi, metrics=list(cell.metrics)
        )
    if cell.kind == "alike":
        return _alike(cell, rng)
    if cell.kind == "weights":
        y, score = _scores(cell, rng, cell.n)
        chance = float(_RAREST) ** (rankdata(score) / cell.n - 1)
        drawn = rng.random(cell.n) < chance
        scores = {"a": score[drawn], "b": cell.draw(rng, y)[drawn]}
        return hc.evaluate(y[drawn], scores, metrics=list(cell.metrics), sample_weight=1 / chance[drawn])
    if cell.kind == "odd":
        y, score = _scores(cell, rng, cell.n)
        scores, cluster = {"a": score, "b": cell.draw(rng, y)}, np.arange(cell.n) // 10
        return hc.evaluate(y, scores, metrics=list(cell.metrics), clusters=cluster)
    if cell.kind != "one cluster":
        return hc.evaluate(*_scores(cell, rng, cell.n), metrics=list(cell.metrics))
    large = round(cell.n * cell.share)
    cluster = np.concatenate([np.zeros(large, int), 1 + np.arange(cell.n - large) // 6])
    y = (rng.random(cell.n) < cell.pi).astype(int)

    def shared() -> Array:
        return np.asarray((rng.standard_normal(cluster.max() + 1)[cluster] + rng.standard_normal(cell.n)) / np.sqrt(2))

    common = shared()
    scores = {name: (common + shared()) / np.sqrt(2) + 1.2 * y for name in "ab"}
    return hc.evaluate(y, scores, metrics=list(cell.metrics), clusters=cluster)


def _alike(cell: Cell, rng: np.random.Generator) -> Any:
    """Evaluate two rankers that are as good, of subjects that are nearly alike within clusters."""
    sizes = (round(cell.n * cell.pi), round(cell.n * (1 - cell.pi)))
    y, cluster = np.repeat([1, 0], sizes), np.zeros(0, int)
    for size, share in zip(sizes, cell.shares, strict=True):
        large = round(size * share)
        number = cell.clusters * size // sizes[0] if cell.apart else cell.clusters
        first = 1 + cell.apart * int(cluster.max(initial=0))
        others = first + np.arange(size - large) % number
        cluster = np.concatenate([cluster, np.zeros(large, int), others])
    scores = {}
    for name in "ab":
        of_cluster = rng.standard_normal(int(cluster.max()) + 1)[cluster]
        own = rng.standard_normal(cell.n)
        scores[name] = np.sqrt(_ALIKE) * of_cluster + np.sqrt(1 - _ALIKE) * own + 1.2 * y
    return hc.evaluate(y, scores, metrics=list(cell.metrics), clusters=cluster)


def study(cell: Cell, draws: int) -> list[Line]:
    """Return the lines of one population."""
    warnings.simplefilter("ignore", hc.errors.HitcurveWarning)
    true, tallies = truth(cell), {metric: Tally() for metric in cell.metrics}
    cautioned, p = dict.fromkeys(cell.metrics, 0), {metric: list[float]() for metric in cell.metrics}
    for size, rng in blocks(draws, STUDY, cell.number, 2):
        for _ in range(size):
            found = _sampled(cell, rng)
            for metric, tally in tallies.items():
                own = found["a", metric, cell.pi] if cell.kind == "censored" else found[found.rankers[0], metric]
                if own.interval is None:
                    tally.refused += 1
                    continue
                tally.add(own.interval.low, own.interval.high, true[metric])
                words = cell.caution or "no error was observed"
                cautioned[metric] += any(words in caution for caution in own.cautions)
                if cell.kind in ("one cluster", "alike", "weights", "odd"):
                    p[metric].append(found.compare("a", "b", metric, method="delta").pvalue)
    return [
        {
            "kind": cell.kind,
            "population": cell.name,
            "n": cell.n,
            "pi": cell.pi,
            "metric": metric,
            **tally.line(true[metric]),
            "draws": tally.draws,
            "refused": tally.refused,
            "cautioned": round(cautioned[metric] / max(tally.draws, 1), 3),
            "size": round(float(np.mean(np.array(p[metric]) <= LEVEL)), 4) if p[metric] else "",
        }
        for metric, tally in tallies.items()
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    cells = [*{cell.kind: cell for cell in CELLS}.values()] if args.quick else CELLS
    lines = over(partial(study, draws=5 if args.quick else DRAWS), cells, args.processes)
    if args.quick:
        print(shown(lines), f"\nseed {SEED}")
    else:
        write("not_shown", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
