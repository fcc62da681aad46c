"""Small studies that are pooled: coverage of the mean where all studies have the same true value.

``python -m validation.studies [--quick]``. Values of small samples are biased by the order of one over the number of
subjects, and so is their mean over studies, whose error gets smaller with their number; that of a largest value over
cuts is of the order of the 2/3 power. Scores are binormal, or with t
distributions of three degrees of freedom. ``cautioned`` is the share of analyses with the caution about bias.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

import hitcurve as hc
from hitcurve.errors import HitcurveError
from validation.populations import Array
from validation.running import SEED, Line, Tally, arguments, blocks, over, shown, write

STUDY = 63
DRAWS = 400
METRICS = ("ap", "auc", "bedroc(alpha=20)", "ks", "max_f1")
SCALES = ("logit", "identity")
_MANY = 1_000_000  # positives of what is true


@dataclass(frozen=True)
class Cell:
    """Number and sizes of studies; zero degrees of freedom of the scores are normal ones."""

    number: int
    studies: int
    n_pos: int
    n_neg: int
    shift: float
    degrees: int = 0

    def scores(self, rng: np.random.Generator, n_pos: int, n_neg: int) -> Array:
        """Return scores of positives, and then of negatives."""
        n = n_pos + n_neg
        noise = rng.standard_t(self.degrees, n) if self.degrees else rng.standard_normal(n)
        return np.asarray(noise + np.repeat([self.shift, 0.0], [n_pos, n_neg]))


_SIZES = ((30, 20, 80), (12, 20, 80), (6, 20, 80), (5, 60, 240), (12, 60, 240), (30, 60, 540), (30, 300, 1200))
CELLS = [Cell(place, *sizes, 1.2) for place, sizes in enumerate(_SIZES)]
CELLS += [Cell(len(_SIZES), 12, 20, 180, 2.0), Cell(len(_SIZES) + 1, 30, 20, 80, 1.2, 3)]
CELLS += [Cell(len(CELLS), 5, 120, 480, 1.0), Cell(len(CELLS) + 1, 20, 500, 2000, 1.0)]


def truth(cell: Cell) -> dict[str, float]:
    """Return the values in the population."""
    ((_, rng),) = blocks(1, STUDY, cell.number, 1)
    sizes = (_MANY, _MANY * cell.n_neg // cell.n_pos)
    table = hc.HitTable.from_scores(np.repeat([1, 0], sizes), cell.scores(rng, *sizes))
    return {m: float(hc.metric(m).value(table.counts)) for m in METRICS}


def study(cell: Cell, draws: int) -> list[Line]:
    """Return the coverage of the mean by both scales, in one cell."""
    warnings.simplefilter("ignore", hc.errors.HitcurveWarning)
    true, y = truth(cell), np.repeat([1, 0], [cell.n_pos, cell.n_neg])
    keys = [(metric, scale) for metric in METRICS for scale in SCALES]
    tallies, cautioned = {key: Tally() for key in keys}, dict.fromkeys(keys, 0)
    sums = dict.fromkeys(keys, 0.0)
    for size, rng in blocks(draws, STUDY, cell.number, 2):
        for _ in range(size):
            lists = [{"a": cell.scores(rng, cell.n_pos, cell.n_neg)} for _ in range(cell.studies)]
            studies = [hc.evaluate(y, one, metrics=list(METRICS)) for one in lists]
            for key in keys:
                metric, scale = key
                try:
                    found = hc.meta_analysis(studies, metric, scale=scale)
                except HitcurveError:  # a value of 0 or 1, or without an error
                    tallies[key].refused += 1
                    continue
                tallies[key].add(*found.interval, true[metric])
                sums[key] += found.value
                cautioned[key] += any("does not average out" in one for one in found.cautions)
    return [
        {
            "studies": cell.studies,
            "n_pos": cell.n_pos,
            "n_neg": cell.n_neg,
            "scores": f"t, {cell.degrees} df" if cell.degrees else "normal",
            "shift": cell.shift,
            "metric": metric,
            "scale": scale,
            **tally.line(true[metric]),
            "bias": round(sums[metric, scale] / tally.draws - true[metric], 5),
            "refused": tally.refused,
            "cautioned": round(cautioned[metric, scale] / tally.draws, 3),
        }
        for (metric, scale), tally in tallies.items()
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    cells = [CELLS[1]] if args.quick else CELLS
    lines = over(partial(study, draws=3 if args.quick else DRAWS), cells, args.processes)
    if args.quick:
        print(shown(lines), f"\nseed {SEED}")
    else:
        write("studies", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
