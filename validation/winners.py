"""The best of many rankers: how often intervals of the chosen one hold its true value, with the choice and without.

``python -m validation.winners [--quick]``. Binormal rankers of the same subjects, correlation .5 in both classes: all
alike, one better than the others, or evenly apart. Of each sample the ranker with the highest value is taken, and its
own default interval and those that know of the choice are compared with what that ranker is worth.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

import hitcurve as hc
from hitcurve.inference.selection.winner import METHODS
from validation.populations import Population
from validation.running import SEED, Line, Tally, arguments, blocks, over, shown, write

STUDY = 31
DRAWS = 150
FORMS = ("ap", "auc", "bedroc(alpha=20)")


class Field(NamedTuple):
    """Rankers by their shifts, and the sample."""

    number: int
    what: str
    shifts: tuple[float, ...]
    n1: int
    n0: int


CELLS = [
    Field(number, what, shifts, n1, n0)
    for number, (what, shifts, n1, n0) in enumerate(
        (what, shifts, n1, n0)
        for what, shifts in (
            ("10 alike", (1.5,) * 10),
            ("one of 10 better", (2.0, *(1.5,) * 9)),
            ("10 evenly apart", tuple(np.linspace(1.0, 2.0, 10).tolist())),
            ("2 alike", (1.5, 1.5)),
        )
        for n1, n0 in ((30, 570),)
    )
]


def study(cell: Field, draws: int) -> list[Line]:
    """Return the coverage of all intervals in one cell, and how far values are off in the middle."""
    pi = cell.n1 / (cell.n1 + cell.n0)
    of_shift = {shift: Population("binormal", shift) for shift in set(cell.shifts)}
    truth = {
        form: {
            shift: p.average_precision(pi) if form == "ap" else p.area(form.partition("(")[0], pi)
            for shift, p in of_shift.items()
        }
        for form in FORMS
    }
    tallies = {(form, method): Tally() for form in FORMS for method in ("default", *METHODS)}
    above: dict[tuple[str, str], list[bool]] = {key: [] for key in tallies}
    names = {f"r{i}": shift for i, shift in enumerate(cell.shifts)}
    for size, rng in blocks(draws, STUDY, cell.number):
        for _ in range(size):
            y = rng.permutation(np.arange(cell.n1 + cell.n0) < cell.n1)
            common = rng.standard_normal(y.size) * np.sqrt(0.5)
            scores = {
                name: common + np.sqrt(0.5) * rng.standard_normal(y.size) + shift * y for name, shift in names.items()
            }
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ev = hc.evaluate(y, scores, metrics=list(FORMS), design="case-control")
                for form in FORMS:
                    for method in METHODS:
                        found = ev.winner(form, method=method)
                        true = truth[form][names[found.ranker]]
                        tallies[form, method].add(found.low, found.high, true)
                        above[form, method].append(found.corrected > true)
                    plain = ev[found.ranker, form]
                    tallies[form, "default"].add(*plain.confidence_interval(), true)
                    above[form, "default"].append(plain.value > true)
    return [
        {
            "rankers": cell.what,
            "n1": cell.n1,
            "n0": cell.n0,
            "metric": form,
            "method": method,
            **{
                key: value
                for key, value in tally.line(max(truth[form].values())).items()
                if key not in ("width_over_truth", "refused")
            },
            "width": round(tally.width / tally.draws, 4),
            "too_high": round(float(np.mean(above[form, method])), 4),
        }
        for (form, method), tally in tallies.items()
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    cells, draws = (CELLS[:1], 4) if args.quick else (CELLS, DRAWS)
    lines = over(partial(study, draws=draws), cells, args.processes)
    print(f"seed {SEED}, {draws} samples of each\n{shown(lines)}")
    if not args.quick:
        write("winners", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
