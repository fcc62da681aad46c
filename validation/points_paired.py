"""Size and power of the default test of two rankers at an operating point, and of the interval beside it.

``python -m validation.points_paired [--quick]``. Two rankers of the same subjects (Gaussian copula): populations of the
design and of held-out ones, on which nothing was chosen. Each cell is written when it is done, and a run goes on with
those that are missing.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

import hitcurve as hc
from hitcurve.errors import HitcurveError, HitcurveWarning
from validation.held_out import NOT_TUNED
from validation.populations import Array
from validation.running import RESULTS, Line, arguments, blocks, read, shown, write

STUDY = 47
LEVEL = 0.05
SWAPS = 99
DRAWS = 400
FORMS = (
    "tpr@fpr=1%",
    "tpr@fpr=5%",
    "fpr@tpr=80%",
    "fpr@tpr=95%",
    "precision@recall=50%",
    "recall@precision=50%",
    "max_f1",
    "net_benefit@10%",
)


@dataclass(frozen=True)
class Cell:
    """Subjects of each class, population, shifts and correlation of both rankers, and metrics that are tested.

    ``spread`` is that of the second ranker's positives, whose shift makes both equal at ``equal_at``.
    """

    number: int
    kind: str
    population: str
    n1: int
    n0: int
    second: float = 1.5
    correlation: float = 0.5
    spread: float = 1.0
    forms: tuple[str, ...] = FORMS

    def draw(self, rng: np.random.Generator) -> tuple[Any, dict[str, Array]]:
        """Draw labels and the scores of both rankers."""
        n = self.n1 + self.n0
        y = np.arange(n) < self.n1
        common = math.sqrt(self.correlation) * rng.standard_normal(n)
        a, b = common + math.sqrt(1 - self.correlation) * rng.standard_normal((2, n))
        if self.population == "binormal":
            return y, {"a": a + 1.5 * y, "b": np.where(y, self.spread * b + self.second, b)}
        if self.population == "7 levels":
            cuts = -ndtri(np.array([0.02, 0.07, 0.17, 0.32, 0.52, 0.75]))[::-1]
            return y, {name: np.searchsorted(cuts, z + 1.5 * y).astype(float) for name, z in {"a": a, "b": b}.items()}
        of, scores = NOT_TUNED[self.population], {}
        for name, z in {"a": a, "b": b}.items():
            above = ndtr(-z)
            scores[name] = np.where(y, of.score(above), of.family.quantile(above))
        return y, scores


def _equal_at(form: str, spread: float) -> float:
    """Return the shift of positives with a spread that have the same value as a shift of 1.5 without one."""
    what, place = form.split("=")
    share = float(place.removesuffix("%")) / 100
    if what == "tpr@fpr":
        z = float(-ndtri(share))
        return z + spread * (1.5 - z)
    return 1.5 + (spread - 1) * float(ndtri(share))


def _cells() -> list[Cell]:
    alike = [("binormal", (20, 180)), ("binormal", (50, 450)), ("7 levels", (50, 450)), ("7 levels", (20, 180))]
    alike += [(name, (50, 450)) for name in ("t2 hook", "lognormal", "beta", "subgroup", "laplace", "zero-inflated")]
    alike += [(name, (20, 180)) for name in ("t2 hook", "subgroup", "logistic")]
    alike += [("binormal", (200, 1800)), ("beta", (200, 1800))]
    out: list[tuple[str, str, int, int, dict[str, Any]]] = [("alike", name, *sizes, {}) for name, sizes in alike]
    out.append(("alike", "binormal", 50, 450, {"correlation": 0.9}))
    out += [
        ("equal value", "binormal", 50, 450, {"spread": 1.6, "second": _equal_at(form, 1.6), "forms": (form,)})
        for form in ("tpr@fpr=5%", "fpr@tpr=80%")
    ]
    out += [("better", "binormal", *sizes, {"second": 2.2}) for sizes in ((50, 450), (20, 980))]
    out.append(("better", "binormal", 200, 1800, {"second": 2.0}))
    return [Cell(number, kind, name, n1, n0, **more) for number, (kind, name, n1, n0, more) in enumerate(out)]


CELLS = _cells()


def study(cell: Cell, draws: int) -> list[Line]:
    """Return how often each metric's default test rejects, and its interval excludes 0."""
    rejected: Counter[str] = Counter()
    outside: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    became: dict[str, Counter[str]] = {form: Counter() for form in cell.forms}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HitcurveWarning)
        for size, rng in blocks(draws, STUDY, cell.number):
            for _ in range(size):
                y, scores = cell.draw(rng)
                ev = hc.evaluate(y, scores, metrics=cell.forms)
                for form in cell.forms:
                    try:
                        found = ev.compare("a", "b", form, n_resamples=SWAPS, rng=rng)
                        low, high = found.difference.confidence_interval()
                    except HitcurveError:
                        refused[form] += 1
                        continue
                    rejected[form] += found.pvalue <= LEVEL + 1e-12
                    outside[form] += bool(low > 0 or high < 0)
                    became[form][found.method] += 1
    where: Line = {
        "cell": cell.number,
        "kind": cell.kind,
        "population": cell.population,
        "n1": cell.n1,
        "n0": cell.n0,
        "correlation": cell.correlation,
    }
    return [
        {
            **where,
            "metric": form,
            "tests": " ".join(f"{name}:{count}" for name, count in sorted(became[form].items())),
            "rejected": round(rejected[form] / draws, 4),
            "interval_without_0": round(outside[form] / draws, 4),
            "refused": refused[form],
            "draws": draws,
        }
        for form in cell.forms
    ]


def summary(lines: Sequence[Line]) -> list[Line]:
    """Return for each metric the range of sizes, the power, and the tests that were made."""
    out = []
    for form in FORMS:
        own = [line for line in lines if line["metric"] == form]
        row: Line = {"metric": form}
        for kind in ("alike", "equal value", "better"):
            found = [line for line in own if line["kind"] == kind]
            for key in ("rejected", "interval_without_0"):
                row[f"{kind}: {key}"] = " ".join(f"{float(line[key]):.3f}" for line in found)
        out.append(row)
    return out


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study, and write what it found."""
    args = arguments(__doc__, argv)
    if args.quick:
        print(shown(study(CELLS[0], 10)))
        return 0
    there: list[Any] = read("points_paired") if (RESULTS / "points_paired.csv").exists() else []
    lines: list[Line] = [dict(line) for line in there]
    for cell in CELLS:
        if all(int(line["cell"]) != cell.number for line in lines):
            lines += study(cell, DRAWS)
            write("points_paired", sorted(lines, key=lambda line: int(line["cell"])))
    print(shown(summary(lines)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
