"""What POINTS leaves open: 10 positives, weights, clusters, set prevalences, bands as certified cuts, other priors.

``python -m validation.points_open [--quick]``. Coverage of default intervals and size of default tests of operating
points on populations on which nothing was chosen; cuts read off from simultaneous bands, beside certified ones; and
the rules for stopping a review at any look, exactly.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr
from scipy.stats import hypergeom

import hitcurve as hc
from hitcurve.errors import HitcurveError, HitcurveWarning
from hitcurve.inference import CutPlaces, Promise, certified_cut
from validation.certified import POPULATIONS as CERTIFIED
from validation.certified import PREVALENCE
from validation.held_out import NOT_TUNED
from validation.points import truth
from validation.populations import AnyArray, Array
from validation.running import Line, Tally, arguments, blocks, over, shown, write

STUDY = 53
FORMS = ("tpr@fpr=5%", "fpr@tpr=80%", "precision@recall=50%", "recall@precision=50%", "max_f1", "net_benefit@10%", "ks")
NAMES = ("beta", "subgroup", "t2 hook", "zero-inflated")
KINDS = ("10 positives", "weights", "clusters", "set prevalence")
_SET = 0.02
_LEVEL = 0.05
_BANDS = ("region", "distribution-free")
BEST = ("max_f1", "net_benefit@10%", "ks")
"""Metrics of a cut that is chosen on the data, whose intervals a study of their own looks at."""
_TESTED = 60  # samples in which two rankers are compared too


class Cell(NamedTuple):
    """A kind of data and a population."""

    kind: str
    name: str


def _drawn(cell: Cell, rng: np.random.Generator) -> tuple[AnyArray, dict[str, Array], dict[str, Any]]:
    """Return labels, the scores of two alike rankers, and what is said of the subjects."""
    n = 100 if cell.kind == "10 positives" else 500
    options: dict[str, Any] = {}
    y = rng.random(n) < 0.1
    of_cluster = np.zeros(n)
    if cell.kind == "weights":
        options["sample_weight"] = rng.exponential(size=n) + 0.2
    elif cell.kind == "clusters":
        clusters = np.arange(n) // 3
        options["clusters"] = clusters
        of_cluster = rng.standard_normal(n)[clusters]
    elif cell.kind == "set prevalence":
        y = np.arange(n) < 50
        options["prevalence"] = _SET
    of, scores = NOT_TUNED[cell.name], {}
    own = (of_cluster if "clusters" in options else rng.standard_normal(n)) * 0.5**0.5
    for name in "ab":
        above = ndtr(-(own + rng.standard_normal(n) * 0.5**0.5))
        scores[name] = np.where(y, of.score(above), of.family.quantile(above))
        bottom = np.where(y, *of.at_bottom) if any(of.at_bottom) else np.zeros(n)
        scores[name] = np.where(above > 1 - bottom, -np.inf, scores[name])
    return y, scores, options


def study(cell: Cell, draws: int, forms: Sequence[str] = FORMS, most_tested: int = _TESTED) -> list[Line]:
    """Return coverage of the intervals of one ranker and the size of the test of two, for each metric."""
    pi = _SET if cell.kind == "set prevalence" else 0.1
    found = {form: (Tally(), truth(hc.metric(form), NOT_TUNED[cell.name], pi)) for form in forms}
    rejected: Counter[str] = Counter()
    tested: Counter[str] = Counter()
    methods: dict[str, Counter[str]] = {form: Counter() for form in forms}
    made = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HitcurveWarning)
        for size, rng in blocks(draws, STUDY, KINDS.index(cell.kind), NAMES.index(cell.name)):
            for _ in range(size):
                y, scores, options = _drawn(cell, rng)
                if not y.any():
                    continue
                made += 1
                ev = hc.evaluate(y, scores, metrics=forms, undefined="nan", **options)
                for form, (tally, true) in found.items():
                    e = ev["a", form]
                    if e.interval is None:
                        tally.refused += 1
                    else:
                        low, high = e.interval
                        tally.add(low, high, true)
                        methods[form][e.interval_method] += 1
                    if made > most_tested:
                        continue
                    try:
                        p = ev.compare("a", "b", form, n_resamples=99, rng=rng).pvalue
                    except HitcurveError:
                        continue
                    tested[form] += 1
                    rejected[form] += p <= _LEVEL + 1e-12
    lines = []
    for form, (tally, _) in found.items():
        there = tally.draws > 0
        lines.append(
            {
                "kind": cell.kind,
                "population": cell.name,
                "metric": form,
                "method": methods[form].most_common(1)[0][0] if there else "",
                "coverage": round(tally.coverage, 4) if there else "",
                "width": round(tally.width / tally.draws, 4) if there else "",
                "refused": tally.refused,
                "size": round(rejected[form] / tested[form], 4) if tested[form] else "",
                "tested": tested[form],
                "draws": draws,
            }
        )
    return lines


# ---- bands as certified cuts


def bands(name: str, draws: int) -> list[Line]:
    """Return violation and depth of the deepest cut at which a simultaneous band of precision is at least a target."""
    population, promise, lines = CERTIFIED[name](), Promise("precision", 0.5), []
    for n1 in (20, 200):
        broken: Counter[str] = Counter()
        cuts: Counter[str] = Counter()
        depth = dict.fromkeys(("fixed sequence", *_BANDS), 0.0)
        n = round(n1 / PREVALENCE)
        for size, rng in blocks(draws, STUDY, 100 + list(CERTIFIED).index(name), n1):
            for _ in range(size):
                y = rng.random(n) < PREVALENCE
                scores = population.draw(rng, y)
                table = hc.HitTable.from_scores(y, scores)
                cut = certified_cut("a", CutPlaces(table), promise, confidence_level=0.95).threshold
                recalls = {"fixed sequence": cut}
                for method in _BANDS:
                    # a one-sided promise: the lower limits of a band of 90%
                    band = hc.band(y, scores, curve="precision_recall", method=method, confidence_level=0.9)
                    kept = np.flatnonzero(band.low.y >= promise.target)
                    if not kept.size:
                        recalls[method] = None
                        continue
                    reached = np.cumsum(table.pos) >= band.x[kept[-1]] * table.n_pos - 1e-9
                    recalls[method] = float(np.asarray(table.score)[np.argmax(reached)])
                for rule, score in recalls.items():
                    if score is not None:
                        tpr, fpr = (float(above(np.asarray(score))) for above in population.above)
                        cuts[rule] += 1
                        broken[rule] += PREVALENCE * tpr < promise.target * (PREVALENCE * tpr + (1 - PREVALENCE) * fpr)
                        depth[rule] += tpr
        lines += [
            {
                "population": name,
                "n1": n1,
                "rule": rule,
                "violated": round(broken[rule] / draws, 4),
                "cut": round(cuts[rule] / draws, 4),
                "mean_recall": round(depth[rule] / draws, 4),
                "draws": draws,
            }
            for rule in depth
        ]
    return lines


# ---- priors of the rule for any look


PRIORS: dict[str, Callable[[Array], Array]] = {
    "uniform": np.ones_like,
    "1/(D + 1)": lambda d: 1 / (d + 1),
    ".9^D": lambda d: 0.9**d,
    ".7^D": lambda d: 0.7**d,
}
REVIEWS = ((90, 1000, 50, 0.95), (45, 500, 20, 0.9), (20, 2000, 200, 0.8), (90, 1000, 50, 0.8))
_DEEP = 80  # positives left, beyond which nothing is looked for


def priors(review: tuple[int, int, int, float]) -> list[Line]:
    """Return the exact error of stopping at any look with likelihood ratios of a prior, and what is read."""
    found, unread, every, target = review
    fewest = next(d for d in range(1, _DEEP) if found < target * (found + d) - 1e-9)
    lines = []
    looks = list(range(every, unread, every))
    few = np.arange(_DEEP // 2 + 1)
    # by look: of so many hits (row) in all that were read, and in those read since the last look, of so many positives
    seen = {m: np.asarray(hypergeom.pmf(few[:, None], unread, np.arange(_DEEP + 1), m), float) for m in looks}
    since = {m: np.asarray(hypergeom.pmf(few[:, None], unread - m + every, few, every)) for m in looks}
    for name, prior in PRIORS.items():
        weight = prior(np.arange(_DEEP + 1.0))
        limit = {m: _limits(seen[m], weight) for m in looks}
        worst, read = 0.0, {}
        for left in range(_DEEP // 2 + 1):
            at, wrong, mean = np.eye(1, left + 1)[0], 0.0, 0.0
            for m in looks:
                new = np.zeros(left + 1)
                for x in np.flatnonzero(at):
                    new[x:] += at[x] * since[m][: left - x + 1, left - x]
                hits = np.arange(left + 1)
                stops = found + hits >= target * (found + limit[m][hits]) - 1e-9
                wrong += float(np.sum(new[stops & (found + hits < target * (found + left) - 1e-9)]))
                mean += float(np.sum(new[stops])) * m / unread
                at = np.where(stops, 0.0, new)
            worst = max(worst, wrong)
            read[left] = mean + float(at.sum())
        lines.append(
            {
                "found": found,
                "unread": unread,
                "a_look": every,
                "target": target,
                "prior": name,
                "violated": round(worst, 4),
                "read_if_none_left": round(read[0], 3),
                "read_one_below_target": round(read[fewest - 1], 3),
            }
        )
    return lines


def _limits(seen: Array, weight: Array) -> AnyArray:
    """Return the largest number of positives that is not rejected, by the hits in the sample."""
    d = np.arange(weight.size)
    out = []
    for x, f in enumerate(seen):
        before = np.concatenate([[0.0], np.cumsum(weight * f)[:-1]]) / np.concatenate([[1.0], np.cumsum(weight)[:-1]])
        ratio = np.divide(before, f, out=np.full(f.size, np.inf), where=f > 0)
        ratio[:x] = 0
        kept = np.flatnonzero((ratio < 20) & (d >= x))
        out.append(int(kept[-1]) if kept.size else x)
    return np.array(out)


def quick_study(cell: Cell) -> list[Line]:
    """Return a slice of the study."""
    return study(cell, 1)


def full_study(cell: Cell) -> list[Line]:
    """Return the study of one cell."""
    return study(cell, 120)


def full_bands(name: str) -> list[Line]:
    """Return the study of bands of one population."""
    return bands(name, 60)


BEST_DRAWS = {"clusters": 300, "weights": 150}


def _is_best_cut(line: Line) -> bool:
    return line["metric"] in BEST and line["kind"] in BEST_DRAWS


def best_cuts(cell: Cell) -> list[Line]:
    """Return the coverage of metrics of the best cut where subjects do not count one by one, without tests."""
    return [line for line in study(cell, BEST_DRAWS[cell.kind], BEST, 0) if _is_best_cut(line)]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the studies, and write what they found."""
    args = arguments(__doc__, argv)
    if args.quick:
        print(shown(over(quick_study, [Cell(kind, NAMES[0]) for kind in KINDS], args.processes)))
        print(shown(bands("beta", 1)))
        print(shown(priors(REVIEWS[1])))
        return 0
    names = ("binormal 1.5", "hook", "beta", "a third is hard")
    write("certified_bands", over(full_bands, names, args.processes))
    cells = [Cell(kind, name) for kind in KINDS for name in NAMES]
    lines = over(full_study, cells, args.processes)
    write("points_open", [line for line in lines if not _is_best_cut(line)])
    best = [line for cell in cells if cell.kind in BEST_DRAWS for line in best_cuts(cell)]
    write("points_open_best_cuts", best)
    write("stopping_priors", [line for review in REVIEWS for line in priors(review)])
    return 0


if __name__ == "__main__":
    sys.exit(main())
