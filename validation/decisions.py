"""Decision curves: how often their limits hold the truth, at each threshold and at all of them together.

``python -m validation.decisions [--quick]``. Scores are probabilities: calibrated ones, too extreme ones, a few levels,
and those of a rare class. The truth is that of four million subjects.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import expit, ndtri

from hitcurve.inference.decisions import Decisions, PairedDecisions, Sizes
from validation.populations import AnyArray, Array
from validation.running import Line, Tally, arguments, blocks, over, shown, write

STUDY = 43
THRESHOLDS = np.array([0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8])
TAIL = 0.025
_LARGE = 4_000_000

Draw = Callable[[np.random.Generator, int], tuple[AnyArray, Array, Array]]
"""From a size to labels, and the probabilities of two rankers."""


def _logistic(intercept: float, slope: float, other: Callable[[Array, Array], Array]) -> Draw:
    """Return subjects whose probability is logistic in a normal variable; the other ranker sees it with an error."""

    def draw(rng: np.random.Generator, n: int) -> tuple[AnyArray, Array, Array]:
        x, e = rng.normal(size=(2, n))
        p = expit(intercept + slope * x)
        return rng.random(n) < p, p, other(p, expit(intercept + 0.7 * slope * x + 0.5 * slope * e))

    return draw


def _beta(rng: np.random.Generator, n: int) -> tuple[AnyArray, Array, Array]:
    y = rng.random(n) < 0.2
    a, b = (np.where(y, rng.beta(3, 2, n), rng.beta(1.2, 5, n)) for _ in range(2))
    return y, a, (a + b) / 2


def _levels(rng: np.random.Generator, n: int) -> tuple[AnyArray, Array, Array]:
    y, e = rng.random(n) < 0.25, rng.normal(size=(2, n))
    levels = np.array([0.04, 0.1, 0.2, 0.45, 0.85])
    scores = [levels[np.searchsorted(ndtri([0.3, 0.55, 0.75, 0.92]), one + 1.2 * y - 0.3)] for one in e]
    return y, scores[0], scores[1]


POPULATIONS: dict[str, Draw] = {
    "calibrated": _logistic(-2.5, 1.5, lambda _, q: q),
    "too extreme": _logistic(-2.0, 1.0, lambda p, _: expit(2 * np.log(p / (1 - p)))),
    "rare": _logistic(-5.5, 1.5, lambda _, q: q),
    "beta": _beta,
    "5 levels": _levels,
}
SIZES = (200, 2000)
TOO_FEW = ("rare", 200)  # two positives


class Truth(NamedTuple):
    """Net benefit, interventions avoided, and the difference of two rankers at each threshold; the prevalence."""

    benefit: Array
    avoided: Array
    difference: Array
    prevalence: float


def _places(p: Array) -> AnyArray:
    return np.searchsorted(THRESHOLDS, p, "right")


def decisions_of(y: AnyArray, a: Array, b: Array, prevalence: float | None) -> tuple[Decisions, PairedDecisions]:
    """Return what is decided by one ranker, and by two, at the prevalence of the sample or at a known one."""
    n1, n0 = float(np.sum(y)), float(np.sum(~y))
    pi = n1 / y.size if prevalence is None else prevalence
    sizes = Sizes.of((n1, n0), (n1, n0), pi, sampled=prevalence is None)
    cell, width = _places(a) * (THRESHOLDS.size + 1) + _places(b), THRESHOLDS.size + 1
    pos, neg = (np.bincount(cell[own], None, width**2).reshape(width, width) / own.sum() for own in (y, ~y))
    tpr, fpr = (np.cumsum(side.sum(axis=1)[::-1])[::-1][1:] for side in (pos, neg))
    return Decisions(THRESHOLDS, tpr, fpr, sizes), PairedDecisions(THRESHOLDS, pos, neg, sizes)


def truth(draw: Draw) -> Truth:
    """Return what is true of a population."""
    y, a, b = draw(np.random.default_rng(1), _LARGE)
    w = THRESHOLDS / (1 - THRESHOLDS)
    one, two = decisions_of(y, a, b, None)
    pi = one.sizes.prevalence
    benefit = pi * one.tpr - w * (1 - pi) * one.fpr
    return Truth(benefit, (benefit - pi + w * (1 - pi)) / w, two.value_and_limits(0.5)[0], pi)


def study(cell: tuple[str, int, str], draws: int) -> list[Line]:
    """Return the coverage at each threshold (the lowest and the mean), and that of all limits together."""
    name, n, design = cell
    draw, true = POPULATIONS[name], truth(POPULATIONS[name])
    known = None if design == "cohort" else true.prevalence
    tallies = {what: [Tally() for _ in THRESHOLDS] for what in ("net benefit", "avoided", "difference")}
    together = dict.fromkeys(("curve", "difference"), 0)
    made = 0
    for size, rng in blocks(draws, STUDY, list(POPULATIONS).index(name), n, int(known is not None)):
        for _ in range(size):
            y, a, b = draw(rng, n)
            if not 0 < y.sum() < n:
                continue
            made += 1
            one, two = decisions_of(y, a, b, known)
            limits = dict(zip(("net benefit", "avoided"), one.limits(TAIL), strict=True))
            limits["difference"] = two.value_and_limits(TAIL)[1:]
            for (what, (low, high)), values in zip(limits.items(), true[:3], strict=True):
                for place, tally in enumerate(tallies[what]):
                    tally.add(low[place], high[place], float(values[place]))
            tail = one.together(0.95, made)
            held = [_hold(ends, values) for ends, values in zip(one.limits(tail), true[:2], strict=True)]
            together["curve"] += all(held)
            tail = two.together(0.95, made)
            together["difference"] += _hold(two.value_and_limits(tail)[1:], true.difference)
    where: Line = {"population": name, "n": n, "design": design, "prevalence": round(true.prevalence, 5)}
    lines = []
    for what, own in tallies.items():
        coverage = np.array([tally.coverage for tally in own])
        worst = int(np.argmin(coverage))
        lines.append(
            {
                **where,
                "limits": what,
                "lowest": round(float(coverage.min()), 4),
                "at": float(THRESHOLDS[worst]),
                "mean": round(float(coverage.mean()), 4),
                "width": round(float(np.mean([tally.width / tally.draws for tally in own])), 5),
                "draws": made,
            }
        )
    for what, count in together.items():
        share = round(count / made, 4)
        own_line = {"limits": f"{what}, all together", "lowest": share, "at": "", "mean": share, "width": ""}
        lines.append({**where, **own_line, "draws": made})
    return lines


def _hold(ends: Sequence[Array], values: Array) -> bool:
    return bool(np.all((ends[0] <= values + 1e-12) & (values <= ends[1] + 1e-12)))


def quick_study(cell: tuple[str, int, str]) -> list[Line]:
    """Return a slice of the study."""
    return study(cell, 5)


def full_study(cell: tuple[str, int, str]) -> list[Line]:
    """Return the study of one cell."""
    return study(cell, 1000)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study, and write what it found."""
    args = arguments(__doc__, argv)
    designs = ("cohort",) if args.quick else ("cohort", "case-control")
    sizes = SIZES[: 1 if args.quick else 2]
    cells = [(name, n, design) for name in POPULATIONS for n in sizes for design in designs if (name, n) != TOO_FEW]
    lines = over(quick_study if args.quick else full_study, cells, args.processes)
    print(shown(lines))
    if not args.quick:
        write("decisions", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
