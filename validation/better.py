"""Attempts to do better than tilting where the interval of average precision is weak.

``python -m validation.better [--quick]``. Variants of tilting on the same tables, in the 144 scenarios and in 112 that
were not looked at while the variants were made.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import TypeAlias

import numpy as np
from scipy.special import expit, logit, stdtrit

from validation.average_precision import CELLS, Cell
from validation.populations import Array, Population, sample
from validation.recipes import Ends, Tables, Tilting, derivatives, half_subject, tilted
from validation.running import SEED, Line, Tally, arguments, blocks, over, shown, write

STUDY = 5
DRAWS = {10: 2_000, 20: 2_000, 50: 1_500, 200: 750}

FRESH = [
    Cell(1000 + number, population, pi, n1)
    for number, (population, pi, n1) in enumerate(
        product(
            (
                Population("binormal", 1.0),
                Population("binormal", 2.0),
                Population("binormal", 1.0, 1.6),
                Population("binormal", 2.0, 0.7),
                Population("t3", 2.0),
                Population("ordinal", 2.0),
                Population("units", 1.5),
            ),
            (0.2, 0.05, 0.01, 0.002),
            (10, 20, 50, 200),
        )
    )
]

Variant: TypeAlias = Callable[[Tables], Ends]


def welch(tables: Tables, power: float = 0.0) -> Array:
    """Return t quantiles with the Welch-Satterthwaite degrees of freedom of both classes.

    With a power, the number of positives is moved towards the number of those that make up the variance (by the
    fourth moment of their influence), geometrically.
    """
    pos, neg = tables.plus(0.5, 0.5)
    g, h, total = derivatives(pos, neg)
    of_pos, of_neg = np.sum(pos * g**2, axis=-1), np.sum(neg * h**2, axis=-1)
    taking_part = np.minimum(of_pos**2 / np.sum(pos * g**4, axis=-1), tables.n1)
    positives = np.maximum(taking_part**power * tables.n1 ** (1 - power) - 1, 1.5)
    n0 = np.sum(tables.neg, axis=-1)
    return np.asarray(stdtrit(total**2 / (of_pos**2 / positives + of_neg**2 / (n0 - 1)), 0.975))


def between(a: Array, b: Array) -> Array:
    """Return the mean on the logit scale."""
    at = [np.clip(x, 1e-300, 1 - 1e-16) for x in (a, b)]
    return np.asarray(expit((logit(at[0]) + logit(at[1])) / 2))


def _tilting(t: Callable[[Tables], Array] = Tables.t, **constants: float) -> Variant:
    recipe = Tilting(**constants)  # type: ignore[arg-type]
    return lambda tables: recipe(tables, t(tables))


def _mixed(upper: Callable[[Array, Array], Array], t: Callable[[Tables], Array] = Tables.t) -> Variant:
    def ends(tables: Tables) -> Ends:
        one, other = tilted(tables, t(tables)), half_subject(tables, t(tables))
        return Ends(one.low, upper(one.high, other.high))

    return ends


def _mean_of_both(tables: Tables) -> Ends:
    one, other = tilted(tables, tables.t()), half_subject(tables, tables.t())
    return Ends(between(one.low, other.low), between(one.high, other.high))


VARIANTS: dict[str, Variant] = {
    "tilted": _tilting(),
    "half-subject": lambda tables: half_subject(tables, tables.t()),
    "upper end moved by 1/10": _tilting(shift_high=0.1),
    "upper end not moved": _tilting(shift_high=0.0),
    "upper end between tilted and half-subject": _mixed(between),
    "upper end of half-subject": _mixed(lambda _, other: other),
    "both ends between tilted and half-subject": _mean_of_both,
    "half a negative": _tilting(negatives=0.5),
    "one and a half negatives": _tilting(negatives=1.5),
    "a quarter of each": _tilting(positives=0.25, negatives=0.25),
    "one of each": _tilting(positives=1.0),
    "Welch df": _tilting(welch),
    "Welch df, upper end not moved": _tilting(welch, shift_high=0.0),
    "Welch df, upper end of half-subject": _mixed(lambda _, other: other, welch),
    "Welch df, participation .15": _tilting(partial(welch, power=0.15)),
    "Welch df, participation .3": _tilting(partial(welch, power=0.3)),
    "Welch df, participation .15, upper end moved by 1/10": _tilting(partial(welch, power=0.15), shift_high=0.1),
}


def study(cell: Cell, factor: float) -> list[Line]:
    """Return the coverage of every variant in one cell."""
    truth = cell.population.average_precision(cell.pi)
    tallies = {name: Tally() for name in VARIANTS}
    for size, rng in blocks(round(factor * DRAWS[cell.n1]), STUDY, cell.number, size=250):
        drawn = sample(cell.population, cell.n, cell.pi, size, rng)
        rows = Tables.of(drawn.pos, drawn.neg)
        for name, variant in VARIANTS.items():
            tallies[name].add(*variant(rows), truth)
    return [{**cell.named, "variant": name, **tally.line(truth)} for name, tally in tallies.items()]


def summary(lines: Sequence[Line]) -> list[Line]:
    """Return what each variant reached, by set of scenarios and number of positives."""
    out = []
    for name, n1 in product(VARIANTS, DRAWS):
        of = [line for line in lines if line["variant"] == name and line["n1"] == n1]
        if not of:
            continue
        coverage, below, above, width = (
            np.array([line[key] for line in of]) for key in ("coverage", "below", "above", "width_over_truth")
        )
        good = (coverage >= 0.935) & (coverage <= 0.965) & (below <= 0.04) & (above <= 0.04)
        out.append(
            {
                "variant": name,
                "n1": n1,
                "scenarios": len(of),
                "draws": of[0]["draws"],
                "lowest": round(float(coverage.min()), 4),
                "median": round(float(np.median(coverage)), 4),
                "highest": round(float(coverage.max()), 4),
                "under .935": round(float(np.mean(coverage < 0.935)), 3),
                "over .965": round(float(np.mean(coverage > 0.965)), 3),
                "ok": round(float(np.mean(good)), 3),
                "below": round(float(below.max()), 4),
                "above": round(float(above.max()), 4),
                "width": round(float(width.mean()), 3),
            }
        )
    return out


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    sets = {"the 144": CELLS, "112 fresh": FRESH}
    if args.quick:
        sets = {name: [cell for cell in cells if cell.n1 == 10][::4] for name, cells in sets.items()}
    written, weak = [], []
    for name, cells in sets.items():
        lines = over(partial(study, factor=0.1 if args.quick else 1.0), cells, args.processes)
        written += [{"set": name, **line} for line in summary(lines)]
        ours = [line for line in lines if line["variant"] == next(iter(VARIANTS))]
        weak += [{"set": name, **line} for line in ours if line["coverage"] < 0.935]
    if args.quick:
        print(shown(written), f"\nseed {SEED}")
    else:
        write("better", written)
        write("weak", weak)
    return 0


if __name__ == "__main__":
    sys.exit(main())
