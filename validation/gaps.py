"""Gaps between subgroups: size of the test of all, of pairs together, and coverage of a difference.

``python -m validation.gaps [--quick]``. Scores are normal. Subgroups have equal truth, or the last one is shifted less;
each is ranked by itself (``auc``, ``ap``), or all are cut at the same score, where 20% are selected (``tpr``).
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

import hitcurve as hc
from hitcurve.errors import HitcurveError
from validation.populations import AnyArray, Array, Population
from validation.running import SEED, Line, arguments, blocks, over, shown, write

STUDY = 42
PREVALENCE, LEVEL = 0.3, 0.05
ASKED: dict[str, dict[str, Any]] = {
    "auc": {"metric": "auc"},
    "ap": {"metric": "ap"},
    "tpr": {"metric": "tpr", "cut": "recall@20%"},
}


@dataclass(frozen=True)
class Cell:
    """Subjects of each subgroup, and by how much their positives are shifted."""

    number: int
    size: int
    shifts: tuple[float, ...]

    def draw(self, rng: np.random.Generator) -> tuple[AnyArray, Array, AnyArray]:
        """Draw labels, scores and subgroups."""
        n = self.size * len(self.shifts)
        group = rng.integers(0, len(self.shifts), n)
        y = rng.random(n) < PREVALENCE
        return y, rng.standard_normal(n) + y * np.array(self.shifts)[group], group

    def truth(self, asked: str) -> float:
        """Return the difference of the first and the last subgroup."""
        ends = [self.shifts[0], self.shifts[-1]]
        if asked == "auc":
            found = [float(ndtr(shift / math.sqrt(2))) for shift in ends]
        elif asked == "ap":
            found = [float(Population("binormal", shift).average_precision(PREVALENCE)) for shift in ends]
        else:

            def selected(t: float) -> float:
                of_pos = np.mean([ndtr(shift - t) for shift in self.shifts])
                return float(PREVALENCE * of_pos + (1 - PREVALENCE) * ndtr(-t)) - 0.2

            cut = brentq(selected, -5, 8)
            found = [float(ndtr(shift - cut)) for shift in ends]
        return found[0] - found[1]


CELLS = [
    Cell(place, size, shifts)
    for place, (size, shifts) in enumerate(
        (size, shifts) for size in (75, 200) for shifts in ((1.2,) * 3, (1.2,) * 6, (1.5, 1.2, 0.6))
    )
]


def study(cell: Cell, samples: int) -> list[Line]:
    """Return size (or power) and coverage in one cell."""
    counts = {asked: np.zeros(4) for asked in ASKED}  # tests, all, pairs, covered
    for size, rng in blocks(samples, STUDY, cell.number):
        for _ in range(size):
            y, s, group = cell.draw(rng)
            ev = hc.evaluate(y, s, metrics="auc")
            for asked, options in ASKED.items():
                try:
                    gap = ev.gap(by=group, **options)
                    ends = gap["0", str(len(cell.shifts) - 1)]
                except HitcurveError:
                    continue
                sign = 1.0 if ends.label.startswith("0 ") else -1.0
                low, high = ends.confidence_interval()
                together = min(one.pvalue if one.adjusted is None else one.adjusted for one in gap.pairs)
                counts[asked] += (
                    1,
                    gap.test is not None and gap.test.pvalue <= LEVEL,
                    together <= LEVEL,
                    low <= sign * cell.truth(asked) <= high,
                )
    return [
        {
            "subgroups": len(cell.shifts),
            "size": cell.size,
            "equal": len(set(cell.shifts)) == 1,
            "metric": asked,
            "samples": int(found[0]),
            "rejected": round(found[1] / found[0], 5),
            "rejected_pairs": round(found[2] / found[0], 5),
            "coverage": round(found[3] / found[0], 5),
        }
        for asked, found in counts.items()
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    warnings.simplefilter("ignore", hc.errors.HitcurveWarning)
    samples = 10 if args.quick else 200
    lines = over(partial(study, samples=samples), CELLS[:1] if args.quick else CELLS, args.processes)
    if args.quick:
        print(shown(lines), f"\nseed {SEED}")
    else:
        write("gaps", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
