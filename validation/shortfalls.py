"""What an independent check found to fall short, cell by cell: found then, and what the defaults reach now.

``python -m validation.shortfalls [--quick]``. The cells are those of the design (STATS 7.1). Where a study has the very
cell, its number is read from the results of that study; the others are simulated here, with held-out populations. What
the design does not say of a cell is in its note.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import hitcurve as hc
from validation.paired_power import Case
from validation.running import SEED, Line, arguments, over, read, shown, write
from validation.shortfalls_simulated import (
    LEVEL,
    Found,
    case_control_precision,
    case_control_test,
    clustered_levels,
    clustered_test,
    power,
    power_of_percentiles,
)
from validation.shortfalls_stacks import stacked_coverage

DRAWS = 400
_TIMES = 5  # so many times the draws of stacks


@dataclass(frozen=True)
class Cell:
    """A cell of the table of the design.

    Attributes
    ----------
    what, name : str
    kind : {"coverage", "size", "power"}
    then : str
        What the check found.
    found : callable
        What it is now, of so many draws.
    file : str
        Results that it is read from; empty if it is simulated.
    note : str
    aim : float or None
        None where it is the power of another test.
    times : int
        So many times the draws.
    """

    what: str
    name: str
    kind: str
    then: str
    found: Callable[[int], Found] = field(repr=False)
    file: str = ""
    note: str = ""
    aim: float | None = None
    times: int = 1

    def line(self, draws: int) -> Line:
        """Return what goes into a file."""
        found = self.found(self.times * draws)
        aim = found.aim if self.aim is None else self.aim
        assert aim is not None
        short = found.share - aim if self.kind == "size" else aim - found.share
        return {
            "what": self.what,
            "cell": self.name,
            "kind": self.kind,
            "found_then": self.then,
            "aim": round(aim, 5),
            "now": round(found.share, 5),
            "standard_error": round(_error(found.share, found.draws), 5),
            "draws": found.draws,
            "refused": found.refused,
            "method": found.method,
            "former_default": "" if found.before is None else round(found.before, 5),
            "short_by": round(short, 5),
            "verdict": _verdict(self.kind, short, 2 * _error(aim, found.draws)),
            "read_from": self.file,
            "note": "; ".join(text for text in (self.note, found.note) if text),
        }


def _error(share: float, draws: int) -> float:
    return math.sqrt(share * (1 - share) / draws)


def _verdict(kind: str, short: float, margin: float) -> str:
    if short > margin:
        return "short"
    if short >= -margin:
        return "within error"
    return {"coverage": "covers more", "size": "rejects less", "power": "more power"}[kind]


# ---- cells that a study has


@dataclass(frozen=True)
class Known:
    """The line of a file with these values, by what method it is, and the lines that differ in a former default.

    Attributes
    ----------
    file, column, method : str
    key : mapping
        Values of the line.
    before : mapping or None
        Those that are others in the line of the former default.
    """

    file: str
    column: str
    method: str
    key: Mapping[str, Any] = field(hash=False)
    before: Mapping[str, Any] | None = field(default=None, hash=False)

    def __call__(self, _: int) -> Found:
        """Read them."""
        own = self._of({})
        before = None if self.before is None else float(self._of(self.before)[self.column])
        return Found(float(own[self.column]), int(own["draws"]), self.method, int(own.get("refused") or 0), before)

    def _of(self, key: Mapping[str, Any]) -> dict[str, str]:
        wanted = {name: str(value) for name, value in {**self.key, **key}.items()}
        (line,) = (x for x in read(self.file) if all(x[name] == value for name, value in wanted.items()))
        return line


def _known(what: str, name: str, then: str, known: Known, kind: str = "coverage", **more: Any) -> Cell:
    aim = {"coverage": 0.95, "size": LEVEL, "power": None}[kind]
    return Cell(what, name, kind, then, known, known.file, **{"aim": aim, **more})


def _inverted(metric: str, population: str, n1: int, pi: float, sampled: bool = True) -> Known:
    key = {"metric": metric, "population": population, "n1": n1, "pi": pi, "sampled": sampled, "method": "inversion"}
    return Known("inversion", "coverage", "inversion", key, {"method": "half-subject"})


def _cut(method: str, key: Mapping[str, Any]) -> Known:
    return Known("cutoffs_held_out", "coverage", method, {**key, "method": "auto"}, {"method": "jeffreys"})


_T2 = {"population": "t2 hook", "pi": 0.2}
_RANK_1 = "the cut is rank 1; of ef the same, times a constant"
_KNOWN = [
    _known("NDCG, interval", "gamma 20/.005", ".824", _inverted("ndcg", "gamma", 20, 0.005)),
    _known("NDCG, interval", "lognormal 20/.005", ".775 to .808", _inverted("ndcg", "lognormal", 20, 0.005)),
    _known("NDCG, interval", "lognormal 50/.01", ".848 to .870", _inverted("ndcg", "lognormal", 50, 0.01)),
    _known("NDCG, interval", "gamma 200/.04", ".910", _inverted("ndcg", "gamma", 200, 0.04)),
    *(
        _known(
            f"band, {curve.replace('_', '-')}",
            f"t2 negatives {n1}/{pi:g}".replace("/0", "/"),
            then,
            Known(
                "regions",
                "coverage",
                "region",
                {
                    "curve": curve,
                    "population": "t2 hook",
                    "pi": pi,
                    "n1": n1,
                    "method": "region",
                    "kind": "simultaneous",
                },
                {"method": "influence"},
            ),
            note="on 17 places",
        )
        for curve, pi, n1, then in (
            ("accumulation", 0.4, 50, ".722"),
            ("roc", 0.4, 50, ".793 to .811"),
            ("precision_recall", 0.4, 50, ".910"),
            ("accumulation", 0.2, 20, ".888"),
            ("roc", 0.2, 20, ".921"),
        )
    ),
    *(
        _known(
            "recall@1% and ef@1%, interval",
            f"t2 negatives {n1}/.2",
            then,
            _cut("region", {**_T2, "metric": "recall", "design": "cohort", "n1": n1, "k": 1}),
            note=_RANK_1,
        )
        for n1, then in ((10, ".668"), (20, ".863"))
    ),
    _known(
        "recall@1% and ef@1%, interval",
        "t2 negatives, case-control 100/200 at .2",
        ".752",
        _cut("region", {**_T2, "metric": "ef", "design": "case-control 100/200", "rate": 0.01}),
    ),
    *(
        _known(
            "ef@1%, interval",
            f"5 levels, case-control 50/{n0} at .2",
            ".900",
            _cut(
                "jeffreys", {"population": "5 levels", "metric": "ef", "design": f"case-control 50/{n0}", "rate": 0.01}
            ),
            note="numbers not given",
        )
        for n0 in (300, 500)
    ),
    *(
        _known(
            "ef@1%, interval",
            f"survey weights {how} the score, {n}/{pi:g}".replace("/0", "/"),
            ".996 and more",
            Known(
                "cutoffs_designs",
                "coverage",
                "jeffreys",
                {"design": f"weights go {how} the score", "n": n, "metric": "ef@1%"},
            ),
            note="population and weights not given; n/prevalence before selection",
        )
        for how, n, pi in (("with", 2000, 0.1), ("with", 600, 0.2), ("against", 2000, 0.1))
    ),
    *(
        _known(
            "AP, interval",
            f"{name} 20/.005",
            then,
            Known(
                "precision_sets",
                "coverage",
                "end-model",
                {"set": "held out", "population": name, "pi": 0.005, "n1": 20, "method": "end-model"},
                {"method": "tilted"},
            ),
            note="" if name == "lognormal" else "size and prevalence not given",
        )
        for name, then in (("lognormal", ".875"), ("gamma", ".924"), ("subgroup", ".915"))
    ),
    _known("logAUC, interval", "gamma 20/.2, from below 1/n0", ".920", _inverted("logauc", "gamma", 20, 0.2, False)),
    *(
        _known(
            f"family-wise error, {name}",
            f"9 against a baseline, 30/570, {form.split('(')[0].upper()}",
            then,
            Known(
                "families",
                "error",
                name.lower(),
                {"n1": 30, "better": 0, "metric": form, "family": "baseline", "method": method},
                None if name == "Holm" else {"method": "normal, fixed errors, t/z"},
            ),
            "size",
        )
        for name, method, form, then in (
            ("max-T", "normal multiplier, t/z", "ap", ".097"),
            ("max-T", "normal multiplier, t/z", "bedroc(alpha=20)", ".091"),
            ("Holm", "Holm", "ap", ".074"),
            ("Holm", "Holm", "bedroc(alpha=20)", ".071"),
        )
    ),
    *(
        _known(
            "power that was planned",
            f"{form.split('(')[0].upper()}, shifts {shift} and 1.5",
            ".75 to .785",
            Known(
                "planning",
                "power_or_coverage",
                "t",
                {"metric": form, "shift": shift, "what": "power", "method": "t"},
                {"method": "normal (before)"},
            ),
            "power",
            aim=0.8,
            note="of the plans of this study those of 41 to 67 positives",
        )
        for form, shift in (("ap", 2.0), ("bedroc(alpha=20)", 2.0), ("auc", 2.1), ("auc", 2.0))
    ),
]


# ---- cells that none has

_SHIFTS = "shifts not given: here 1.5 and {}, where the former test has about the power found then"
_SIMULATED = [
    *(
        Cell(
            "NDCG, test",
            f"{name}, clusters 100 x 5",
            "size",
            ".093",
            partial(clustered_test, name=name, number=number),
            note="population not given: all seven; prevalence .2",
            aim=LEVEL,
            times=3,  # the largest of seven
        )
        for number, name in enumerate(("gamma", "lognormal", "beta", "subgroup", "t2 hook", "5 levels", "poisson"))
    ),
    Cell(
        "ef@1%, interval",
        "5 levels, clusters 100 x 5",
        "coverage",
        ".896",
        clustered_levels,
        note="prevalence not given: .2",
        aim=0.95,
    ),
    Cell(
        "AP, interval",
        "lognormal, case-control 100/1000 at .01",
        "coverage",
        ".860",
        case_control_precision,
        aim=0.95,
    ),
    Cell(
        "logAUC, test",
        "gamma, case-control 200/200 at .2",
        "size",
        ".081",
        case_control_test,
        note="population not given",
        aim=LEVEL,
    ),
    Cell(
        "power of recall@5%, against delta",
        "10/490",
        "power",
        ".290 against .515",
        partial(power, case=Case(200, "recall@5%", 10, 490, second=2.5), against="delta"),
        note=_SHIFTS.format(2.5),
    ),
    Cell(
        "power of AUC, against DeLong",
        "30/970",
        "power",
        ".645 against .720",
        partial(power, case=Case(201, "auc", 30, 970, second=2.1), against="delong"),
        note=_SHIFTS.format(2.1),
    ),
    Cell(
        "power of AUC, against percentile",
        "30/970",
        "power",
        ".645 against .750",
        partial(power_of_percentiles, second=2.1),
        note=_SHIFTS.format(2.1),
    ),
]
_STACKS = [
    Cell(
        f"{metric}, interval by formula",
        f"{name} {n1}/{pi:g}".replace("/0", "/"),
        "coverage",
        then,
        partial(stacked_coverage, metric=metric, population=name, pi=pi, n1=n1),
        note="stacks of lists",
        aim=0.95,
        times=_TIMES,
    )
    for metric, name, n1, pi, then in (
        ("rie(alpha=20)", "Cauchy negatives", 12, 0.6, ".549"),
        ("rie(alpha=20)", "shift -.7", 12, 0.6, ".849"),
        ("rie(alpha=20)", "decoys at the top", 60, 0.6, ".858"),
        ("momentum", "Cauchy negatives", 12, 0.6, ".578"),
        ("momentum", "shift 4.5", 10, 0.003, ".710"),
        ("momentum", "zeros", 10, 0.003, ".771"),
        ("pauc(fpr, 0, 0.1)", "Cauchy negatives", 12, 0.6, ".732"),
        ("pauc(fpr, 0, 0.1)", "Cauchy negatives", 60, 0.6, ".826"),
        ("pauc(fpr, 0, 0.1)", "3 levels", 60, 0.6, ".867"),
        ("pauc(fpr, 0, 0.1)", "10 levels", 60, 0.6, ".874"),
        ("bedroc(alpha=20)", "decoys at the top", 30, 0.3, ".841"),
        ("bedroc(alpha=20)", "two gammas", 500, 0.6, ".894"),
        ("scaled_ap", "two gammas", 10, 0.003, ".847"),
        ("scaled_ap", "decoys at the top", 60, 0.6, ".852"),
        ("logauc(0.001, 1)", "shift 4.5", 500, 0.6, ".757"),
        ("logauc(0.001, 1)", "decoys at the top", 30, 0.3, ".814"),
        ("ndcg", "decoys at the top", 30, 0.3, ".66 to .86"),
        ("ndcg", "two gammas", 10, 0.003, ".66 to .86"),
        ("ndcg", "zeros", 10, 0.003, ".66 to .86"),
    )
]
CELLS = [*_KNOWN, *_SIMULATED, *_STACKS]


def study(cell: Cell, draws: int) -> list[Line]:
    """Return the line of one cell."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hc.errors.HitcurveWarning)
        return [cell.line(draws)]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    lines = over(partial(study, draws=5 if args.quick else DRAWS), CELLS, args.processes)
    lines.sort(key=lambda line: -float(line["short_by"]))
    if args.quick:
        print(shown([{k: v for k, v in line.items() if k != "note"} for line in lines]), f"\nseed {SEED}")
    else:
        write("shortfalls", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
