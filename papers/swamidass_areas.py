"""What the CROC paper says of areas and of power: Swamidass et al. 2010, Bioinformatics 26:1348.

``python -m papers.swamidass_areas [--quick]``. Magnifications; three lists of one AUC (Truchon and Bayly); RIE, BEDROC,
SLR and pROC as areas under magnified curves, with the error; which metric and which test tells rankers apart: the five
of ``papers.swamidass2010``, whose committed hit tables and tests it reads, and simulated ones. The long run takes one
to two minutes and writes ``papers/results/swamidass_areas``; the quick one claims nothing of simulated power.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import stats

import hitcurve as hc
from papers.frame import (
    Folder,
    Line,
    Row,
    arguments,
    by_error,
    claimed,
    conclude,
    conclude_quick,
    draw_into_nothing,
    matched,
    misprint,
    refuted,
    shown_here,
    stated,
    timed,
)
from papers.swamidass2010 import ALPHAS, CUTOFFS, TESTS, Array, read_tables
from papers.swamidass2010 import FOLDER as RANKERS

FOLDER = Folder("swamidass_areas")
SEED = 2007
ALPHA = 20.0  # the usual one of RIE and BEDROC
STRENGTHS = (7.0, ALPHA, 80.0)
STEPS = tuple(f"croc(step, t={t})" for t in (0.1, 0.05, 0.0086))  # recall at t, beside the areas up to t of Eq. 2


# ---- magnifications

FAMILIES = {  # each sends .1 to one half
    "exponential": hc.magnify.Exponential(7),
    "power": hc.magnify.Power(2.3),
    "logarithmic": hc.magnify.Logarithmic(80),
}


def magnifications() -> tuple[list[Row], list[Line]]:
    """Return where the maps send what, and how much they stretch."""
    rows = [
        matched(f"sec. 2.2: {name} f, alpha = {f.alpha:g}, at .1", "0.5", float(f(0.1))) for name, f in FAMILIES.items()
    ]
    for alpha, x in zip(ALPHAS, (0.1, 0.05, 0.0086), strict=True):
        sent = float(hc.magnify.Exponential(alpha)(x))
        rows.append(matched(f"sec. 5.1: exponential f, alpha = {alpha}, at {x:g}", "0.5", sent))
    for alpha, printed, right in ((7, 0.5, 0.1), (14, 0.1, 0.05)):
        f = hc.magnify.Exponential(alpha)
        sent, half = float(f(printed)), float(f(right))
        rows.append(
            misprint(
                f"sec. 5.2: t that corresponds to alpha = {alpha}",
                f"{printed:g}",
                f"{right:g}",
                abs(sent - 0.5) > 0.1 and round(half, 1) == 0.5,
                f"it is sent to one half: f sends {printed:g} to {sent:.3f}, {right:g} to {half:.3f}",
            )
        )
    for alpha in (*ALPHAS, 20):
        f = hc.magnify.Exponential(alpha)
        exact, near = f.unit_point(), math.log(alpha) / alpha
        rows.append(
            stated(
                f"sec. 2.2: where f' is 1, alpha = {alpha}",
                "log(alpha)/alpha, about",
                f"{exact:.5f}, against {near:.5f}",
                abs(exact / near - 1) < 1e-3,
            )
        )
    first = float(hc.magnify.Exponential(20)(0.08))
    rows.append(
        stated(
            "sec. 2.2: alpha = 20 is about 8% enrichment",
            "8%",
            f"the first 8% of the list get {first:.3f} of the axis",
            abs(first - 0.8) < 0.005,
            "80% of the axis is what is meant by that",
        )
    )
    places = np.linspace(0, 1, 10_001)
    other = hc.magnify.Log2Power(2.3)(places)
    apart = {name: float(np.max(np.abs(other - f(places)))) for name, f in FAMILIES.items()}
    rows.append(
        stated(
            "sec. 2.2: [log2(1+x)]^(1/(1+alpha)) is near the power, alpha = 2.3",
            "fairly similar",
            ", ".join(f"{value:.3f} from the {name}" for name, value in apart.items()),
            min(apart, key=lambda name: apart[name]) == "power" and apart["power"] < 0.06,
        )
    )
    diagonal = hc.HitTable.from_counts([1], [1])
    for alpha in ALPHAS:
        # of the magnified diagonal y = -log(1 - x (1 - exp(-alpha)))/alpha
        u = (np.arange(200_000) + 0.5) / 200_000
        area = float(np.mean(-np.log1p(u * np.expm1(-alpha)) / alpha))
        ours = float(hc.metrics.CROC(hc.magnify.Exponential(alpha)).random(diagonal))
        rows.append(
            stated(
                f"sec. 2.3: AUC[CROC] of the random classifier, alpha = {alpha}",
                "area of the magnified diagonal, about 1/alpha",
                f"{ours:.6f}; by numbers {area:.6f}; 1/alpha {1 / alpha:.6f}",
                abs(ours - area) < 1e-6 and abs(ours * alpha - 1) < 0.01,
            )
        )
    lines = [
        {
            "magnification": str(f),
            "f(.001)": round(float(f(0.001)), 6),
            "f(.01)": round(float(f(0.01)), 6),
            "f(.1)": round(float(f(0.1)), 6),
            "unit_point": round(f.unit_point(), 6),
        }
        for f in (*FAMILIES.values(), hc.magnify.Log2Power(2.3), hc.magnify.Exponential(14), hc.magnify.Exponential(80))
    ]
    return [*rows, *of_relevance(), *of_large_alpha()], lines


def of_relevance() -> list[Row]:
    """Return whether f follows from what the ranks are worth (Eq. 3)."""
    x = np.linspace(0, 1, 1001)
    rows = []
    for name, worth, f in (
        ("exponential", lambda x: np.exp(-7 * x), hc.magnify.Exponential(7)),
        # without the singularity at 0 it would be no power law
        ("power", lambda x: np.maximum(x, 1e-300) ** (1 / 3.3 - 1), hc.magnify.Power(2.3)),
    ):
        off = float(np.max(np.abs(hc.magnify.FromDensity(worth)(x) - f(x))))
        rows.append(
            stated(
                f"sec. 2.2: f by Eq. 3 from a relevance that falls like {name}",
                f"the {name} f",
                f"off by at most {off:.1g}, by numerical integration",
                off < 1e-4,
            )
        )
    return rows


def of_large_alpha() -> list[Row]:
    """Return where AUC[CROC] goes as alpha grows, on a list whose ROC curve begins with slope 3."""
    table, slope = hc.HitTable.from_counts([3, 7], [1, 9]), 3.0
    found = [alpha * float(hc.metrics.CROC(hc.magnify.Exponential(alpha)).value(table)) for alpha in ALPHAS]
    off = [abs(value / slope - 1) for value in found]
    rows = [
        stated(
            "sec. 2.3: alpha AUC[CROC] for large alpha, ROC'(0) = 3",
            "ROC'(0)",
            ", ".join(f"{value:.5f} at {alpha}" for value, alpha in zip(found, ALPHAS, strict=True)),
            off[-1] < 1e-3 and off == sorted(off)[::-1],
        )
    ]
    both = [both_axes(hc.magnify.Exponential(alpha), slope) for alpha in ALPHAS]
    text = ", ".join(f"{x:.5f}" for x in both)
    limit = slope / (1 + slope)
    return [
        *rows,
        misprint(
            "sec. 2.3: the area for large alpha, both axes magnified",
            "ROC'(0)",
            "ROC'(0)/(1 + ROC'(0))",
            abs(both[-1] - limit) < 1e-3 and max(both) < 1 < slope,
            f"no area in the unit square is above 1; for ROC'(0) = 3 it is {text} at alpha = 7, 14, 80, {limit:g} in "
            "the limit",
        ),
    ]


def both_axes(f: hc.magnify.Exponential, slope: float) -> float:
    """Return the area with both axes magnified under a ROC curve that is straight from 0 as far as it matters."""
    u = (np.arange(200_000) + 0.5) / 200_000  # of the magnified axis
    x = -np.log1p(u * np.expm1(-f.alpha)) / f.alpha
    return float(np.mean(f(np.minimum(slope * x, 1.0))))


# ---- the three cases of Truchon and Bayly


def three_cases() -> dict[str, hc.HitTable]:
    """Return lists of 1,000 with 20 positives, all of AUC one half."""
    n, half = 1000, np.arange(1, 11)
    even = 50 * half - 25
    return {
        "half first, half last": hc.HitTable.from_ranks([*half, *(n + 1 - half)], n),
        "evenly": hc.HitTable.from_ranks([*even, *(n + 1 - even)], n),
        "all in the middle": hc.HitTable.from_ranks(np.arange(491, 511), n),
    }


SMOOTH = (
    *(f"croc(exp, alpha={alpha:g})" for alpha in STRENGTHS),
    "croc(power, alpha=2.3)",
    "croc(log, alpha=80)",
    *(f"cac(exp, alpha={alpha:g})" for alpha in STRENGTHS),
    "bedroc(alpha=20)",
    "rie(alpha=20)",
    "slr",
    "proc",
    "ap",
)
# the second list has its first positive at 25: a cut lies before it, or beyond
BLIND, SEEING = ("croc(cutoff, t=0.01)", "ef@1%", "hits@10"), ("croc(cutoff, t=0.1)", "croc(step, t=0.1)")


def cases() -> tuple[list[Row], list[Line]]:
    """Return what metrics say of the three lists."""
    lists = three_cases()
    rows, lines = [], []
    for name in ("auc", "auac", *SMOOTH, *SEEING, *BLIND):
        metric = hc.metric(name)
        first, second, third = values = [float(metric.value(table)) for table in lists.values()]
        lines.append(
            {
                "metric": name,
                **{case: round(value, 6) for case, value in zip(lists, values, strict=True)},
                "random": round(float(metric.random(lists["evenly"])), 6),
            }
        )
        text = ", ".join(f"{value:.4g}" for value in values)
        item = f"sec. 1, three cases: {name}"
        if name in ("auc", "auac"):
            same = all(math.isclose(value, 0.5, abs_tol=1e-12) for value in values)
            rows.append(stated(item, "0.5, 0.5, 0.5", text, same))
        elif name in BLIND:
            blind = first > second == third == 0
            reason = "the second and the third are the same to it"
            rows.append(stated(item, "hard cut-offs discard what is beyond", text, blind, reason))
        else:
            rows.append(stated(item, "first > second > third", text, first > second > third))
    return rows, lines


# ---- metrics as areas


def mean_worth(table: hc.HitTable, worth: Array) -> float:
    """Return the mean over the positives of what their rank is worth, the order inside a tie being random.

    Parameters
    ----------
    table : HitTable
    worth : ndarray (n,)
        Of the ranks 1 to n.
    """
    counts = table.counts
    size = np.asarray(counts.pos + counts.neg, int)
    ends = np.cumsum(size)
    total = np.concatenate([[0.0], np.cumsum(worth)])
    held = size > 0
    mean = (total[ends] - total[ends - size])[held] / size[held]
    return float(np.asarray(counts.pos)[held] @ mean) / table.n_pos


def rectangles(table: hc.HitTable, f: hc.magnify.Magnification) -> tuple[float, float]:
    """Return the area under the CAC curve by rectangles, from the later and from the earlier end of each step."""
    edges = f(np.arange(table.n + 1) / table.n)
    return 1 - mean_worth(table, edges[1:]), 1 - mean_worth(table, edges[:-1])


def rie(table: hc.HitTable, alpha: float) -> float:
    """Return RIE by its definition on ranks."""
    weights = np.exp(-alpha * np.arange(1, table.n + 1) / table.n)
    return mean_worth(table, weights) / float(weights.mean())


def bedroc(table: hc.HitTable, alpha: float) -> float:
    """Return BEDROC by the closed form of Truchon and Bayly 2007, Eq. 36."""
    share = table.n_pos / table.n
    room = math.cosh(alpha / 2) - math.cosh(alpha / 2 - alpha * share)
    return rie(table, alpha) * share * math.sinh(alpha / 2) / room + 1 / (1 - math.exp(alpha * (1 - share)))


def slr(table: hc.HitTable) -> float:
    """Return minus the sum of log(rank/n), by its definition."""
    return table.n_pos * mean_worth(table, -np.log(np.arange(1, table.n + 1) / table.n))


def relation(table: hc.HitTable, metric: str, value: float, of: Any, slope: float, intercept: float) -> Line:
    """Return a metric by its definition beside an affine transform of an area, and of that area by rectangles."""
    area = float(of.value(table))
    found = intercept + slope * area
    line: Line = {
        "metric": metric,
        "area_of": str(of),
        "value": value,
        "area": area,
        "slope": slope,
        "intercept": intercept,
        "from_area": found,
        "relative_error": abs(found / value - 1),
        "low": "",
        "high": "",
        "fluctuation": "",
    }
    if of.name == "cac":
        low, high = (intercept + slope * x for x in rectangles(table, of.f))
        line |= {"low": low, "high": high, "fluctuation": (high - low) / value}
    return {key: float(f"{x:.8g}") if isinstance(x, float) else x for key, x in line.items()}


def relations(tables: Mapping[str, hc.HitTable]) -> list[Line]:
    """Return RIE, BEDROC, SLR and pROC of the rankers as areas."""
    lines = []
    for ranker, table in tables.items():
        n, n1 = table.n, table.n_pos
        found = []
        for alpha in STRENGTHS:
            cac = hc.metrics.CAC(hc.magnify.Exponential(alpha))
            least, room = float(cac.worst(table)), float(cac.best(table) - cac.worst(table))
            of_rie = (alpha, alpha / math.expm1(alpha))
            found += [
                relation(table, f"rie(alpha={alpha:g})", rie(table, alpha), cac, *of_rie),
                relation(table, f"bedroc(alpha={alpha:g})", bedroc(table, alpha), cac, 1 / room, -least / room),
            ]
        by_rank, by_fpr = hc.metrics.CAC(hc.magnify.Logarithmic(n)), hc.metrics.CROC(hc.magnify.Logarithmic(2 * n))
        of_slr = (n1 * math.log1p(n), -n1 * math.log1p(1 / n))
        of_proc = (math.log10(1 + 2 * n), -math.log10(1 + 1 / (2 * n)))
        found += [
            relation(table, "slr", slr(table), by_rank, *of_slr),
            relation(table, "proc", float(hc.metrics.PROC().value(table)), by_fpr, *of_proc),
        ]
        lines += [{"ranker": ranker, **line} for line in found]
    return lines


def of_example() -> list[Row]:
    """Return the paper's example of section 2.4: positives at ranks 1, 2, 4, 5 and 7 of 10."""
    ranks, f = np.array([1, 2, 4, 5, 7]), hc.magnify.Exponential(7)
    table = hc.HitTable.from_ranks(ranks, 10)
    fpr = (ranks - np.arange(1, 6)) / 5
    area, mean = float(hc.metrics.CROC(f).value(table)), float(np.mean(1 - f(fpr)))
    drawn = {float(x) for x in hc.roc_curve(table).x}
    by_rank, later = float(hc.metrics.CAC(f).value(table)), float(np.mean(1 - f(ranks / 10)))
    low, high = rectangles(table, f)
    return [
        stated(
            "sec. 2.4: FPR of positives at ranks 1, 2, 4, 5 and 7 of 10",
            "0, 0, 0.2, 0.2, 0.4",
            ", ".join(f"{x:g}" for x in fpr),
            fpr.tolist() == [0, 0, 0.2, 0.2, 0.4] and set(fpr.tolist()) <= drawn,
        ),
        stated(
            "sec. 2.4: AUC[CROC(exp)] of it, alpha = 7",
            "exactly the mean of 1 - f(FPR)",
            f"{area:.6f}; mean {mean:.6f}",
            math.isclose(area, mean, rel_tol=1e-12),
        ),
        stated(
            "sec. 2.4: AUC[CAC(exp)] of it, alpha = 7",
            "the mean of 1 - f(rank/N)",
            f"{later:.6f} by that mean, {by_rank:.6f} by straight lines, {high:.6f} from the earlier ends",
            math.isclose(low, later, rel_tol=1e-12) and low < by_rank < high,
            "that mean is the area by rectangles from the later ends",
        ),
    ]


def of_ratio(tables: Mapping[str, hc.HitTable]) -> Row:
    """Return how far RIE is from the area under the CAC curve over that under the random one."""
    error, fluctuation = {}, {}
    for alpha in STRENGTHS:
        cac = hc.metrics.CAC(hc.magnify.Exponential(alpha))
        values = [
            (rie(t, alpha), float(cac.value(t)) / float(cac.random(t)), np.ptp(rectangles(t, cac.f)) * alpha)
            for t in tables.values()
        ]
        error[alpha] = max(abs(ratio / value - 1) for value, ratio, _ in values)
        fluctuation[alpha] = max(width / value for value, _, width in values)
    text = ", ".join(f"{error[a]:.1g} against {fluctuation[a]:.1g} at alpha = {a:g}" for a in STRENGTHS)
    return shown_here(
        "sec. 6: RIE as the area over that of the random list, error relative to it against that of rectangles",
        text,
        error[7.0] > 10 * fluctuation[7.0] and all(error[a] < fluctuation[a] for a in STRENGTHS[1:]),
        "it is (A + c)/(random + c) with c = 1/(exp(alpha) - 1), which is nothing from alpha = 20 on",
    )


def of_relations(tables: Mapping[str, hc.HitTable], lines: Sequence[Line]) -> list[Row]:
    """Return what the paper says of the relations."""
    rows = []
    for name, place in (("rie", "Eq. 12"), ("bedroc", "Eq. 13"), ("slr", "Eq. 14")):
        own = [line for line in lines if line["metric"].startswith(name)]
        error, fluctuation = (max(float(line[key]) for line in own) for key in ("relative_error", "fluctuation"))
        rows.append(
            stated(
                f"sec. 6, {place}: {name.upper()} from the area under the CAC curve, error relative to it",
                "below that of rectangle against trapezoid",
                f"at most {error:.1g}, against {fluctuation:.1g}",
                all(line["relative_error"] < line["fluctuation"] for line in own),
                "RIE and BEDROC: exact by the area here, which is the mean of f over each step"
                if name != "slr"
                else "alpha = N; exact by rectangles from the earlier ends, log(1 + N (r-1)/N) = log r",
            )
        )
    last = max(abs(line["high"] / line["value"] - 1) for line in lines if line["metric"] == "slr")
    rows.append(
        stated(
            "sec. 6: SLR is an affine transform of the area by rectangles, error",
            "affine",
            f"at most {last:.1g}",
            last < 1e-7,
            "to the digits of the table",
        )
    )
    near = max(float(line["relative_error"]) for line in lines if line["metric"] == "proc")
    rows.append(
        stated(
            "sec. 6: pROC from AUC[CROC(log)], alpha = 2N",
            "another logarithm",
            f"error at most {near:.1g} of it",
            near < 0.05,
            "log10(max(x, 1/(2N))) against log10(x + 1/(2N)): no affine transform, but near one",
        )
    )
    for name, table in tables.items():
        area, by_slr = hc.pac_curve(table).area(), float(hc.metrics.SLR().value(table)) / table.n_pos / math.log(10)
        rows.append(
            stated(
                f"sec. 6: area under the pAC curve of {name}",
                "defined without a correction at 0",
                f"{area:.6f}; SLR/(N+ log 10) {by_slr:.6f}",
                abs(area / by_slr - 1) < 0.002,
                "by steps the area under pAC is SLR, by straight lines nearly",
            )
        )
    off = max(
        abs(float(hc.metrics.AUAC().value(t)) - (t.n_neg * float(hc.metrics.AUC().value(t)) + t.n_pos / 2) / t.n)
        for t in tables.values()
    )
    rows.append(stated("sec. 2.1: AUAC from AUC", "a linear transform", f"off by at most {off:.1g}", off < 1e-12))
    irv = tables["IRV"]
    top = 1000 - float(hc.metric("hits@1000").value(irv))
    return [
        *rows,
        of_ratio(tables),
        matched("sec. 5.1: FPR of the top 1,000 of the IRV, by the paper's counts", "0.0086", (1000 - 645) / 41_175),
        by_error(
            "sec. 5.1: FPR of the top 1,000 of the IRV here",
            "0.0086",
            top / irv.n_neg,
            hc.evaluate(tables={"IRV": irv}, metrics="hits@1000")["IRV", "hits@1000"].standard_error / irv.n_neg,
            "other molecules and folds",
        ),
        *of_example(),
        *of_size(irv),
    ]


def of_size(table: hc.HitTable) -> list[Row]:
    """Return which metrics move when every molecule is there ten times."""
    counts = table.counts
    tenfold = hc.HitTable.from_counts(10 * np.asarray(counts.pos, int), 10 * np.asarray(counts.neg, int))
    rows = []
    for name, moves in (("proc", True), ("slr", True), ("croc(exp, alpha=80)", False), ("cac(exp, alpha=80)", False)):
        metric = hc.metric(name)
        once, ten = (float(metric.value(t)) for t in (table, tenfold))
        rows.append(
            stated(
                f"sec. 6: {name} of IRV, each molecule ten times",
                "varies with the number of examples" if moves else "in the unit square whatever their number",
                f"{once:.6g}, then {ten:.6g}",
                math.isclose(once, ten, rel_tol=1e-9) != moves,
            )
        )
    widths = [math.log10(2 * t.n) for t in (table, tenfold)]
    rows.append(
        stated(
            "sec. 6: width of the pROC axis, N and 10 N",
            "varies",
            f"{widths[0]:.3f}, {widths[1]:.3f}",
            widths[0] < widths[1],
        )
    )
    return rows


# ---- power, on the five rankers

SMOOTH_AREAS = tuple(f"{kind}(exp, alpha={alpha})" for kind in ("croc", "cac") for alpha in ALPHAS)
WITHOUT = (*SMOOTH_AREAS, "bedroc(alpha=20)", "rie(alpha=20)", "slr", "proc")  # a cut-off
POWERED = ("auc", "auac", *WITHOUT, *CUTOFFS, "hits@1000")
Pair = tuple[str, str]


def p_values() -> dict[str, dict[Pair, dict[str, float]]]:
    """Return p by metric, pair and test, of the pairs of the four rankers that are not random."""
    found: dict[str, dict[Pair, dict[str, float]]] = {}
    for line in RANKERS.read("tests"):
        if "RANDOM" not in (line["first"], line["second"]):
            of_pair = {test: float(line[test]) for test in TESTS}
            found.setdefault(line["metric"], {})[line["first"], line["second"]] = of_pair
    return found


def z(p: float) -> float:
    """Return the standard normal value that has this two-sided p."""
    return float(stats.norm.isf(p / 2))


def power_on_data(p: Mapping[str, Mapping[Pair, Mapping[str, float]]]) -> list[Line]:
    """Return how far each metric tells the six pairs apart."""
    lines = []
    least = {
        test: {pair: min(p[name][pair][test] for name in POWERED) for pair in p["auc"]}
        for test in ("paired-t", "delta")
    }
    for name in POWERED:
        own = p[name]
        line: Line = {"metric": name}
        for test in ("paired-permutation", "unpaired-permutation", "paired-t", "delta"):
            line[f"{test}: p < .01"] = sum(of[test] < 0.01 for of in own.values())
        for test in ("paired-t", "delta"):
            line[f"{test}: mean z"] = round(float(np.mean([z(of[test]) for of in own.values()])), 3)
            line[f"{test}: least p"] = sum(own[pair][test] == low for pair, low in least[test].items())
        lines.append(line)
    return lines


HELD_FIXED = "the delta test counts how the negatives vary, which the t and Fisher-Pitman tests hold fixed"
TOP = "the area up to .0086 is as sharp, or nearly: these rankers differ most at the very top"
BEFORE = "what differs lies before the cut here, and a smooth map counts what follows as well"
NOT_HERE = {  # what section 5.2 says of metrics and does not hold on our rankers, by test
    ("paired-t", "without"): TOP,
    ("delta", "without"): TOP,
    ("paired-t", "same alpha"): BEFORE,
    ("delta", "same alpha"): BEFORE,
    ("delta", "cac"): HELD_FIXED,
}


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


def of_cutoffs(test: str, item: str, at: Mapping[str, float]) -> list[Row]:
    """Return what section 5.2 says of hard cut-offs, by the mean z of a test."""
    low, high = (of(at[c] for c in CUTOFFS) for of in (min, max))
    pairs = [(at[f"croc(exp, alpha={alpha})"], at[cut]) for alpha, cut in zip(ALPHAS, CUTOFFS[1:], strict=True)]
    above = {name: at[name] for name in WITHOUT if at[name] > high}
    return [
        stated(
            f"{item}: ROC50 and areas up to a cut-off, against AUC",
            "better than AUC",
            f"{low:.2f} to {high:.2f} against {at['auc']:.2f}",
            low > at["auc"],
        ),
        claimed(
            f"{item}: ROC50 and areas up to a cut-off, against metrics without",
            "substantially weaker than several",
            f"the best has {high:.2f}; above it {_listed([f'{name} {value:.2f}' for name, value in above.items()])}",
            len(above) > 1 and max(above.values()) > 1.1 * high,
            NOT_HERE.get((test, "without"), ""),
        ),
        claimed(
            f"{item}: CROC(exp) against the area up to the cut-off of the same alpha",
            "more",
            ", ".join(f"{smooth:.2f} against {cut:.2f}" for smooth, cut in pairs),
            all(smooth > cut for smooth, cut in pairs),
            NOT_HERE.get((test, "same alpha"), ""),
        ),
    ]


def of_power_on_data(p: Mapping[str, Mapping[Pair, Mapping[str, float]]], lines: Sequence[Line]) -> list[Row]:
    """Return what section 5.2 says of metrics and tests, on our rankers."""
    by = {line["metric"]: line for line in lines}
    croc, cac = ([f"{kind}(exp, alpha={alpha})" for alpha in ALPHAS] for kind in ("croc", "cac"))
    rows = []
    for test in ("paired-t", "delta"):
        at = {name: line[f"{test}: mean z"] for name, line in by.items()}
        item = f"sec. 5.2, five rankers, mean |z| of six pairs by {test}"
        most = max(at[c] for c in croc)
        rows += [
            *of_cutoffs(test, item, at),
            claimed(
                f"{item}: CROC(exp) against CAC(exp) of the same alpha",
                "more",
                ", ".join(f"{at[a]:.2f} against {at[b]:.2f}" for a, b in zip(croc, cac, strict=True)),
                all(at[a] > at[b] for a, b in zip(croc, cac, strict=True)),
                NOT_HERE.get((test, "cac"), ""),
            ),
            claimed(
                f"{item}: the best CROC(exp) against pROC and ROC",
                "more",
                f"{most:.2f} against {at['proc']:.2f} and {at['auc']:.2f}",
                most > at["proc"] and most > at["auc"],
                NOT_HERE.get((test, "proc"), ""),
            ),
        ]
    rie_p, bedroc_p = (p[name] for name in ("rie(alpha=20)", "bedroc(alpha=20)"))
    six = [test for test in TESTS if test != "delta"]
    apart = max(abs(rie_p[pair][test] - bedroc_p[pair][test]) for pair in rie_p for test in six)
    rows.append(stated("sec. 5.2, five rankers: p of RIE less p of BEDROC, six tests", "the same", apart, apart == 0))
    ratio = max(abs(z(rie_p[pair]["delta"]) / z(bedroc_p[pair]["delta"]) - 1) for pair in rie_p)
    rows.append(
        stated(
            "sec. 5.2, five rankers: z of RIE over z of BEDROC, delta test",
            "the same",
            f"within {ratio:.1g}",
            ratio < 0.01,
            "the normalisation of BEDROC has the prevalence in it, which a cohort samples",
        )
    )
    every = [of for name in by for of in p[name].values()]
    for kind in ("permutation", "t"):
        paired, unpaired = (sum(of[f"{how}-{kind}"] < 0.01 for of in every) for how in ("paired", "unpaired"))
        less = sum(of[f"paired-{kind}"] <= of[f"unpaired-{kind}"] for of in every)
        rows.append(
            stated(
                f"sec. 5.2, five rankers: paired {kind} test of worths against the unpaired one",
                "more powerful",
                f"p < .01 in {paired} and {unpaired} of {len(every)}; p no larger in {less}",
                paired > unpaired and less > 0.9 * len(every),
            )
        )
    counts = {test: sum(of[test] < 0.01 for of in every) for test in six}
    text = ", ".join(f"{test} {count}" for test, count in counts.items())
    most = max(count for test, count in counts.items() if test != "paired-permutation")
    rows.append(
        refuted(
            "sec. 5.2, five rankers: paired permutation of worths finds more than t and Wilcoxon tests, p < .01",
            "the most powerful",
            text,
            counts["paired-permutation"] > most,
            "Wilcoxon asks about typical positives and not about the mean that is the metric, and the t test is as "
            "good as the permutation with 1,443 positives",
        )
    )
    unclear = [pair for pair, of in p["auc"].items() if of["paired-permutation"] >= 0.05]
    clear = [pair for pair in unclear if any(p[name][pair]["paired-permutation"] < 0.01 for name in croc)]
    rows.append(
        stated(
            "sec. 5.2, five rankers: pairs that AUC does not tell apart and a CROC(exp) does",
            "there are",
            f"{_listed([' - '.join(pair) for pair in clear])}; paired permutation of worths, p < .01, AUC p >= .05",
            bool(clear),
        )
    )
    return rows


# ---- power, by simulation

N_POS, N_NEG, CORRELATION = 30, 1000, 0.5
_EVEN = math.sqrt(0.5)  # of the positives' shift and spread (1, 1): the quantile of its AUC
SCENARIOS = {  # shift and spread of the positives of the second ranker; those of the first are 1 and 1
    "no difference": (1.0, 1.0),
    "better everywhere": (1.5, 1.0),
    "better at the top, same AUC": (_EVEN * math.hypot(1, 1.8), 1.8),
}
SIMULATED = (
    "auc",
    *(f"{kind}(exp, alpha={alpha:g})" for kind in ("croc", "cac") for alpha in STRENGTHS),
    "bedroc(alpha=20)",
    "slr",
    f"cac(log, alpha={N_POS + N_NEG})",
    "proc",
    *CUTOFFS[1:],
    *STEPS,
)
OF_RANKS = ("slr", f"cac(log, alpha={N_POS + N_NEG})")  # a sum and a mean: alike where the number of positives is given
FIXED = "delta, N+ given"
ALL_TESTS = ("croc(exp, alpha=20)",)


def draw(shift: float, spread: float, rng: np.random.Generator) -> tuple[Array, dict[str, Array]]:
    """Draw the subjects of two binormal rankers with equal negatives."""
    y = np.repeat([1, 0], [N_POS, N_NEG])
    a, own = rng.standard_normal((2, y.size))
    b = CORRELATION * a + math.sqrt(1 - CORRELATION**2) * own
    return y, {"first": a + y, "second": np.where(y == 1, shift + spread * b, b)}


def simulate(draws: int, n_resamples: int) -> list[Line]:
    """Return how often tests reject at 5%, by scenario, metric and test."""
    lines = []
    for number, (scenario, (shift, spread)) in enumerate(SCENARIOS.items()):
        p: dict[tuple[str, str], list[float]] = {}
        rng = np.random.default_rng([SEED, number])
        for _ in range(draws):
            y, scores = draw(shift, spread, rng)
            ev = hc.evaluate(y, scores, metrics=SIMULATED)
            given = hc.evaluate(y, scores, metrics=OF_RANKS, design="case-control")
            for name in OF_RANKS:
                p.setdefault((name, FIXED), []).append(given.compare("first", "second", name, method="delta").pvalue)
            for name in SIMULATED:
                for test in TESTS if name in ALL_TESTS else ("delta", "paired-permutation", "paired-t"):
                    found = ev.compare("first", "second", name, method=test, n_resamples=n_resamples, rng=rng)
                    p.setdefault((name, test), []).append(found.pvalue)
        for (name, test), values in p.items():
            share = float(np.mean(np.array(values) < 0.05))
            lines.append(
                {
                    "scenario": scenario,
                    "metric": name,
                    "test": test,
                    "draws": draws,
                    "rejected": round(share, 4),
                    "standard_error": round(math.sqrt(share * (1 - share) / draws), 4),
                }
            )
    return lines


NO_MORE = (
    "no difference but chance: with few positives both axes order lists alike; the Fisher-Pitman tests hold the "
    "rates fixed, and reject too seldom on CAC"
)
NOT_SIMULATED = {  # what section 5.2 says and does not hold here, by scenario
    ("better at the top, same AUC", "delta"): NO_MORE,
    ("better everywhere", "delta"): NO_MORE,
    ("better everywhere", "proc"): "a shift moves the list at all scales, and the logarithm weighs all scales alike",
    ("better everywhere", "slr"): "a sum over the positives varies with their number, and a mean does not",
}


def of_simulation(lines: Sequence[Line]) -> list[Row]:
    """Return what section 5.2 says of metrics and tests, where the truth is known."""
    share = {(x["scenario"], x["metric"], x["test"]): x["rejected"] for x in lines}
    null, everywhere, top = SCENARIOS
    rows = []
    for scenario in (top, everywhere):
        at = {name: share[scenario, name, "delta"] for name in SIMULATED}
        cut, step = (max(at[name] for name in names) for names in (CUTOFFS[1:], STEPS))
        smooth = max(at[f"croc(exp, alpha={alpha:g})"] for alpha in STRENGTHS)
        item = f"sec. 5.2, simulated, {scenario}: power of the delta test"
        rows += [
            claimed(
                f"{item}, CROC(exp) against AUC",
                "more",
                f"up to {smooth:.3f} against {at['auc']:.3f}",
                smooth > at["auc"],
            ),
            claimed(
                f"{item}, CROC(exp) against areas up to a cut-off",
                "more",
                f"up to {smooth:.3f} against up to {cut:.3f}; recall at the cut-off up to {step:.3f}",
                smooth > cut,
                NOT_SIMULATED.get((scenario, "cut"), ""),
            ),
        ]
        for test in ("delta", "paired-permutation"):
            both = [
                tuple(share[scenario, f"{kind}(exp, alpha={alpha:g})", test] for kind in ("croc", "cac"))
                for alpha in STRENGTHS
            ]
            rows.append(
                claimed(
                    f"sec. 5.2, simulated, {scenario}: power of the {test} test, CROC(exp) against CAC(exp), 7, 20, 80",
                    "more",
                    ", ".join(f"{a:.3f} against {b:.3f}" for a, b in both),
                    all(a > b for a, b in both),
                    NOT_SIMULATED.get((scenario, test), ""),
                )
            )
        rows.append(
            claimed(
                f"{item}, CROC(exp) against pROC",
                "more",
                f"up to {smooth:.3f} against {at['proc']:.3f}",
                smooth > at["proc"],
                NOT_SIMULATED.get((scenario, "proc"), ""),
            )
        )
        first, second = "bedroc(alpha=20)", "cac(exp, alpha=20)"
        text = f"{at[first]:.3f} against {at[second]:.3f}"
        rows.append(stated(f"{item}, {first} against {second}", "the same", text, abs(at[first] - at[second]) <= 0.02))
        given, permuted, sampled = (
            [share[scenario, name, test] for name in OF_RANKS] for test in (FIXED, "paired-permutation", "delta")
        )
        rows += [
            stated(
                f"{item}, {' against '.join(OF_RANKS)}, the number of positives given",
                "the same",
                f"{given[0]:.3f} against {given[1]:.3f}",
                abs(given[0] - given[1]) <= 0.02,
            ),
            stated(
                f"sec. 5.2, simulated, {scenario}: power of the paired-permutation test, {' against '.join(OF_RANKS)}",
                "the same",
                f"{permuted[0]:.3f} against {permuted[1]:.3f}",
                abs(permuted[0] - permuted[1]) <= 0.02,
            ),
            claimed(
                f"{item}, {' against '.join(OF_RANKS)}, the number of positives sampled",
                "the same",
                f"{sampled[0]:.3f} against {sampled[1]:.3f}",
                abs(sampled[0] - sampled[1]) <= 0.02,
                NOT_SIMULATED.get((scenario, "slr"), ""),
            ),
        ]
    (name,) = ALL_TESTS
    for scenario in (top, everywhere):
        at = {test: share[scenario, name, test] for test in TESTS}
        text = ", ".join(f"{test} {at[test]:.3f}" for test in TESTS)
        six = {test: value for test, value in at.items() if test != "delta"}
        most = max(value for test, value in six.items() if test != "paired-permutation")
        rows.append(
            refuted(
                f"sec. 5.2, simulated, {scenario}: power of the tests of worths by {name}",
                "paired permutation the most",
                text,
                six["paired-permutation"] > most,
                "Wilcoxon and t tests of the positives' worths are near it, and chance may put one ahead",
            )
        )
        rows += [
            stated(
                f"sec. 5.2, simulated, {scenario}: paired {kind} test of worths against the unpaired one, by {name}",
                "more powerful",
                f"{at[f'paired-{kind}']:.3f} against {at[f'unpaired-{kind}']:.3f}",
                at[f"paired-{kind}"] > at[f"unpaired-{kind}"],
            )
            for kind in ("permutation", "t")
        ]
    draws = lines[0]["draws"]
    for test in ("delta", "paired-permutation", "paired-t"):
        sizes = {x["metric"]: x["rejected"] for x in lines if (x["scenario"], x["test"]) == (null, test)}
        worst = max(sizes, key=lambda metric: sizes[metric])
        rows.append(
            shown_here(
                f"sec. 5.2, simulated, {null}: {test}, rejected at 5%",
                f"{min(sizes.values()):.3f} to {max(sizes.values()):.3f}, the most by {worst}",
                max(sizes.values()) <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / draws),
                "standard error .011 of each, and the most of 17 metrics; what rejects too often looks powerful",
            )
        )
    return rows


# ---- pictures


def picture_magnification() -> Any:
    """Draw the families, and the exponential with three strengths."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(8.6, 6.6), layout="constrained")
    hc.plot.magnification([*FAMILIES.values(), hc.magnify.Log2Power(2.3), hc.magnify.CutOff(0.1)], ax=axes[0])
    hc.plot.magnification([hc.magnify.Exponential(alpha) for alpha in ALPHAS], ax=axes[1])
    return figure


def picture_cases() -> Any:
    """Draw the three lists on plain and on magnified axes."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 4, figsize=(17, 9), layout="constrained")
    ev = hc.evaluate(tables=three_cases(), metrics=["auac"])
    hc.plot.accumulation(ev, legend="none", ax=axes[0, 0])
    for ax, f in zip(
        axes[0, 1:], (hc.magnify.Exponential(7), hc.magnify.Exponential(20), hc.magnify.Logarithmic(80)), strict=True
    ):
        hc.plot.cac(ev, f, legend="none", ax=ax)
    for ax, f in zip(axes[1], (hc.magnify.Exponential(20), hc.magnify.Power(2.3)), strict=False):
        hc.plot.croc(ev, f, legend="none", ax=ax)
    hc.plot.proc(ev, legend="none", ax=axes[1, 2])
    hc.plot.pac(ev, legend="none", ax=axes[1, 3])
    return named_below(figure, ev)


def picture_shaded(tables: Mapping[str, hc.HitTable]) -> Any:
    """Draw AC and CAC curves of the five rankers with what no list can reach."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(9.4, 9.2), layout="constrained")
    ev = hc.evaluate(tables=dict(tables), metrics=["auac"])
    hc.plot.accumulation(ev, legend="none", ax=axes[0, 0])
    for ax, alpha in zip(axes.flat[1:], ALPHAS, strict=True):
        hc.plot.cac(ev, alpha, legend="none", ax=ax)
    return named_below(figure, ev)


def picture_logarithms(tables: Mapping[str, hc.HitTable]) -> Any:
    """Draw pROC and pAC curves of the five rankers."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9.4, 4.8), layout="constrained")
    ev = hc.evaluate(tables=dict(tables), metrics=["slr"])
    hc.plot.proc(ev, legend="none", ax=axes[0])
    hc.plot.pac(ev, legend="none", ax=axes[1])
    return named_below(figure, ev)


def named_below(figure: Any, ev: Any) -> Any:
    """Put one legend below all axes, with the names alone: the numbers differ from axes to axes."""
    handles, texts = figure.axes[-1].get_legend_handles_labels()
    names = [next((name for name in (*ev.rankers, "random") if text.startswith(name)), text) for text in texts]
    figure.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False)
    return figure


def picture_areas(table: hc.HitTable) -> Any:
    """Draw RIE and BEDROC of a list as areas of its CAC plot."""
    from matplotlib import pyplot as plt

    f = hc.magnify.Exponential(ALPHA)
    cac, curve = hc.metrics.CAC(f), hc.cac_curve(table, magnification=f)
    x = np.linspace(0, 1, 1001)
    own, best, worst, random = (c.at(x) for c in (curve, curve.perfect, curve.worst, curve.random))
    figure, axes = plt.subplots(1, 2, figsize=(9.4, 4.4), layout="constrained", sharey=True)
    area, chance = float(cac.value(table)), float(cac.random(table))
    top, bottom = float(cac.best(table)), float(cac.worst(table))
    axes[0].fill_between(x, own, color="#1b4f8a", alpha=0.2, linewidth=0, label=f"under the list: {area:.3f}")
    axes[0].fill_between(
        x, random, color="#c8553d", alpha=0.35, linewidth=0, label=f"under the random one: {chance:.3f}"
    )
    axes[0].set_title(
        f"RIE = {float(hc.metrics.RIE(alpha=ALPHA).value(table)):.3f}: the one over the other, at this strength"
    )
    axes[1].fill_between(
        x, own, worst, color="#1b4f8a", alpha=0.2, linewidth=0, label=f"list less reversed: {area - bottom:.3f}"
    )
    axes[1].fill_between(
        x, best, own, color="#e0a030", alpha=0.3, linewidth=0, label=f"perfect less list: {top - area:.3f}"
    )
    axes[1].fill_between(x, np.ones_like(x), best, color="#999999", alpha=0.3, linewidth=0, label="unreachable")
    axes[1].fill_between(x, worst, color="#999999", alpha=0.3, linewidth=0)
    axes[1].set_title(f"BEDROC = {float(hc.metrics.BEDROC(alpha=ALPHA).value(table)):.3f}: blue over blue and yellow")
    for ax in axes:
        ax.plot(x, own, color="#1b4f8a", linewidth=1.5)
        ax.set(xlabel=f"rate, magnified by exp, alpha={ALPHA:g}", xlim=(0, 1), ylim=(0, 1))
        ax.title.set_fontsize(9)
        ax.legend(fontsize=8, loc="upper left" if ax is axes[0] else "lower right")
    axes[0].set_ylabel("recall")
    return figure


def picture_power(lines: Sequence[Line]) -> Any:
    """Draw the share of rejections by metric and scenario, for two tests."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(11, 4.4), layout="constrained", sharey=True)
    looks = (("delta", "o", "#1b4f8a"), ("paired-permutation", "s", "#c8553d"), ("paired-t", "x", "#2f8f5b"))
    for ax, scenario in zip(axes, SCENARIOS, strict=True):
        for shift, (test, marker, color) in zip((-0.2, 0, 0.2), looks, strict=True):
            at = {x["metric"]: x for x in lines if (x["scenario"], x["test"]) == (scenario, test)}
            places = [place for place, name in enumerate(SIMULATED) if name in at]
            own = [at[SIMULATED[place]] for place in places]
            ax.errorbar(
                [x["rejected"] for x in own],
                [place + shift for place in places],
                xerr=[2 * x["standard_error"] for x in own],
                fmt=marker,
                color=color,
                markersize=4,
                linewidth=0.8,
                label=test,
            )
        ax.axvline(0.05, color="#999999", linewidth=0.8, linestyle=":")
        ax.set_title(scenario, fontsize=9)
        ax.set(xlabel="rejected at 5%", xlim=(0, None))
    axes[0].set_yticks(range(len(SIMULATED)), SIMULATED, fontsize=8)
    axes[0].invert_yaxis()
    axes[1].legend(frameon=False, fontsize=8)
    return figure


# ---- the whole


def again() -> list[Row]:
    """Return the rows as the committed tables have them, without the simulation."""
    rows, _ = magnifications()
    more, _ = cases()
    tables = read_tables()
    rows += [*more, *of_relations(tables, relations(tables))]
    p = p_values()
    return [*rows, *of_power_on_data(p, power_on_data(p)), *of_simulation(FOLDER.numbers("simulation"))]


def main(argv: Sequence[str] | None = None) -> int:
    """Run everything."""
    args = arguments(__doc__, argv)
    # half of all random rankers are worse than chance, and of the limits of tests of worths the page speaks
    warnings.simplefilter("ignore", hc.errors.HitcurveWarning)
    rows, maps = magnifications()
    more, lists = cases()
    tables = read_tables()
    related = relations(tables)
    rows += [*more, *of_relations(tables, related)]
    p = p_values()
    on_data = power_on_data(p)
    rows += of_power_on_data(p, on_data)
    with timed("simulation"):
        simulated = simulate(4 if args.quick else 400, 99 if args.quick else 199)
    unsure = of_simulation(simulated)
    figures = {
        "magnification": picture_magnification,
        "cases": picture_cases,
        "shaded": lambda: picture_shaded(tables),
        "logarithms": lambda: picture_logarithms(tables),
        "areas": lambda: picture_areas(tables["IRV"]),
        "power": lambda: picture_power(simulated),
    }
    if args.quick:
        draw_into_nothing(figures)
        return conclude_quick("few draws say nothing of power", again(), FOLDER)
    rows += unsure
    written = {"magnifications": maps, "cases": lists, "relations": related, "power": on_data, "simulation": simulated}
    FOLDER.write_all(rows, written, figures, f"seed {SEED}; rankers: {RANKERS.about('tables').split(';')[1].strip()}")
    return conclude(rows)


if __name__ == "__main__":
    sys.exit(main())
