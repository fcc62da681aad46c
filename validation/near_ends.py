"""Nearly perfect rankings: coverage of default intervals, and of those with half a subject more alone.

``python -m validation.near_ends [--quick]``. Normal scores of equal variance, positives 3 to 5 standard deviations
higher: half the samples are perfect orders, or have one error. Metrics whose intervals are made with half a subject.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial

import numpy as np

import hitcurve as hc
from hitcurve.inference.intervals.interval import intervals
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.variance.logit_scale import LogitScale
from hitcurve.inference.variance.spread import Spread
from validation.average_precision import Cell
from validation.defaults import truth
from validation.populations import Array, Population, sample
from validation.running import SEED, Line, Tally, arguments, blocks, over, shown, stacked, write

STUDY = 61
DRAWS = 2_000
FORMS = ("auc", "ap", "scaled_ap", "rauc(beta(6.23, 32.8))", "croc(exp, alpha=7)", "bedroc(alpha=20)")
CELLS = [
    Cell(number, Population("binormal", shift), pi, n1)
    for number, (shift, pi, n1) in enumerate(
        (shift, pi, n1)
        for shift in (3.0, 4.0, 4.5, 5.0)
        for pi, n1 in ((0.5, 50), (0.6, 60), (0.1, 10), (0.1, 20), (0.1, 100), (0.02, 20))
    )
]


def study(cell: Cell, draws: int, forms: Sequence[str] = FORMS) -> list[Line]:
    """Return the coverage of the metrics in one cell."""
    metrics = {form: hc.metric(form) for form in forms}
    true = {form: truth(metric, cell) for form, metric in metrics.items()}
    tallies = {form: (Tally(), Tally()) for form in forms}
    for size, rng in blocks(draws, STUDY, cell.number):
        rows = stacked(sample(cell.population, cell.n, cell.pi, size, rng), ordinal=False)
        for form, metric in metrics.items():
            spread = Spread(metric, rows, "cohort")
            found = intervals(spread, 0.95)
            there = ~np.isnan(found.low)
            own, alone = tallies[form]
            own.refused += int(np.sum(~there))
            own.add(found.low[there], found.high[there], true[form])
            low, high = _with_half_subject(spread)
            alone.add(low[there], high[there], true[form])
    lines: list[Line] = []
    for form, (own, alone) in tallies.items():
        beside = {"half_subject_alone": round(alone.coverage, 5), "its_width": round(alone.width / alone.draws, 5)}
        line = own.line(true[form]) | {"width": round(own.width / own.draws, 5)}
        lines.append({**cell.named, "metric": form, "truth": round(true[form], 6), **line, **beside})
    return lines


def _with_half_subject(spread: Spread) -> tuple[Array, Array]:
    """Return the interval around the value with half a subject more, moved to hold the value."""
    more = spread.with_half_subject
    assert more.bounds is not None  # of these metrics
    assert spread.bounds is not None
    place, length = LogitScale(*more.bounds).around(more.value, np.sqrt(more.variance))
    t, back = t_quantile(0.975, spread.degrees), LogitScale(*spread.bounds)
    low, high = back.down(place - t * length), back.down(place + t * length)
    return np.minimum(low, spread.value), np.maximum(high, spread.value)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    if args.quick:
        print(shown(study(CELLS[-3], 50)), f"\nseed {SEED}")
    else:
        write("near_ends", over(partial(study, draws=DRAWS), CELLS, args.processes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
