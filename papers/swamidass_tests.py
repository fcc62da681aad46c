"""Permutation tests of the CROC paper in two readings: Swamidass et al. 2010, Bioinformatics 26:1348, section 4.

``python -m papers.swamidass_tests [--quick]``. The text divides the ranks of the positives anew and computes each area
from what comes out; the Fisher-Pitman tests permute what each positive was worth. Sizes, power and p values of both,
and of the t and Wilcoxon tests, by simulation; both on two rankings of the HIV screen; those of ranks on the five
rankers of :mod:`papers.swamidass2010`, from the places of active molecules that are kept with it; and which of the
paper's statements follows from which. The long run takes some ten minutes, and writes
``papers/results/swamidass_tests``.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Mapping, Sequence
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np

import hitcurve as hc
from papers.beyond import screen
from papers.frame import (
    Folder,
    Line,
    Row,
    arguments,
    claimed,
    conclude,
    conclude_quick,
    draw_into_nothing,
    public_data,
    refuted,
    shown_here,
    stated,
    timed,
)
from papers.swamidass2010 import AREAS, CUTOFFS, read_paired
from papers.swamidass2010 import FOLDER as RANKERS
from papers.uci import Array

FOLDER = Folder("swamidass_tests")
SEED = 1348
FILE = "hiv/hiv_similarity_scores.csv.gz"
SIZES = ((40, 260), (150, 850), (100, 200), (30, 1000))  # positives and negatives
METRIC = "croc(exp, alpha=20)"
SHIFT, BETTER, CORRELATION = 1.0, 1.4, 0.5
RANKS = ("paired-rank-permutation", "unpaired-rank-permutation")
WORTHS = ("paired-permutation", "unpaired-permutation")
OTHERS = ("paired-t", "unpaired-t", "paired-wilcoxon", "unpaired-wilcoxon", "delta")
TESTS = (*RANKS, *WORTHS, *OTHERS)
KINDS = {"ranks dealt out anew": RANKS, "fixed worths": WORTHS}
ON_SCREEN = ("auc", *(f"croc(exp, alpha={alpha})" for alpha in (7, 14, 80)))
PAIR = ("kNN10", "MAX-SIM")
OF_RANKERS = (*AREAS, *CUTOFFS, "hits@1000")


# ---- by simulation


def draw(n_pos: int, n_neg: int, shift: float, rng: np.random.Generator) -> tuple[Array, dict[str, Array]]:
    """Draw two normal rankers of the same subjects, the second with its positives at ``shift``."""
    y = np.repeat([1, 0], [n_pos, n_neg])
    a, own = rng.standard_normal((2, y.size))
    b = CORRELATION * a + math.sqrt(1 - CORRELATION**2) * own
    return y, {"first": a + SHIFT * y, "second": b + shift * y}


def simulate(draws: int, n_resamples: int) -> tuple[list[Line], list[Line]]:
    """Return how often each test rejects at 5%, and p values of the first samples with a difference."""
    lines, samples = [], []
    for place, (n_pos, n_neg) in enumerate(SIZES):
        for shift in (SHIFT, BETTER):
            p: dict[str, list[float]] = {test: [] for test in TESTS}
            rng = np.random.default_rng([SEED, place, int(shift == BETTER)])
            for _ in range(draws):
                y, scores = draw(n_pos, n_neg, shift, rng)
                ev = hc.evaluate(y, scores, metrics=METRIC)
                for test in TESTS:
                    found = ev.compare("first", "second", METRIC, method=test, n_resamples=n_resamples, rng=rng)
                    p[test].append(found.pvalue)
            about: Line = {"positives": n_pos, "negatives": n_neg, "scenario": "equal" if shift == SHIFT else "better"}
            by_t = {how: np.array(p[f"{how}-t"]) for how in ("paired", "unpaired")}
            for test in TESTS:
                values = np.array(p[test])
                share = float(np.mean(values <= 0.05))
                off = np.median(np.abs(values - by_t[test.split("-")[0]])) if test in (*RANKS, *WORTHS) else None
                lines.append(
                    {
                        **about,
                        "test": test,
                        "draws": draws,
                        "rejected": round(share, 4),
                        "standard_error": round(math.sqrt(share * (1 - share) / draws), 4),
                        "median |p - p of t|": "" if off is None else round(float(off), 4),
                    }
                )
            if shift == BETTER:
                samples += [
                    {**about, "sample": number, **{test: float(f"{p[test][number]:.4g}") for test in TESTS}}
                    for number in range(min(draws, 5))
                ]
    return lines, samples


def of_simulation(lines: Sequence[Line]) -> list[Row]:
    """Return what sections 4 and 5.2 say of the tests, by each reading."""
    at = {(x["positives"], x["negatives"], x["scenario"], x["test"]): x for x in lines}
    rejected = {key: float(x["rejected"]) for key, x in at.items()}

    def shares(scenario: str, test: str) -> list[float]:
        return [rejected[n_pos, n_neg, scenario, test] for n_pos, n_neg in SIZES]

    def said(scenario: str, *tests: str) -> str:
        each = zip(*(shares(scenario, test) for test in tests), strict=True)
        return ", ".join(
            f"{' against '.join(f'{x:.3f}' for x in values)} ({n_pos} + {n_neg})"
            for (n_pos, n_neg), values in zip(SIZES, each, strict=True)
        )

    rows = []
    for kind, (paired, unpaired) in KINDS.items():
        off = [float(at[*size, "better", paired]["median |p - p of t|"]) for size in SIZES]
        rows.append(
            claimed(
                f"sec. 4: the paired t test approximates the paired permutation test, {kind}",
                "approximates it",
                f"median |p - p of t| {', '.join(f'{x:.3f}' for x in off)}",
                max(off) < 0.015,  # 199 arrangements leave about as much
                "" if kind == "fixed worths" else NOT_ITS_T,
            )
        )
        more = all(a >= b for a, b in zip(shares("better", paired), shares("better", unpaired), strict=True))
        item = f"sec. 5.2: power of the paired permutation test against the unpaired one, {kind}"
        rows.append(stated(item, "more powerful", said("better", paired, unpaired), more))
        five = [test for test in (paired, unpaired, *OTHERS) if test not in (paired, "delta")]
        most = all(
            rejected[*size, "better", paired] > max(rejected[*size, "better", test] for test in five) for size in SIZES
        )
        rows.append(
            refuted(
                f"sec. 5.2: power of the paired permutation test against the t and Wilcoxon tests, {kind}",
                "the most powerful of the six",
                said("better", paired, "paired-t", "paired-wilcoxon"),
                most,
                CAREFUL if kind != "fixed worths" else "level with the t test, which it is close to",
            )
        )
        sizes = shares("equal", paired)
        if kind == "fixed worths":
            reason = "what a rank is worth is taken as given, though the ranks of other positives and negatives set it"
            rows.append(shown_here(f"size at 5%, paired permutation, {kind}", _listed(sizes), max(sizes) > 0.1, reason))
        else:
            rows.append(
                shown_here(f"size at 5%, paired permutation, {kind}", _listed(sizes), max(sizes) < 0.06, CAREFUL)
            )
    return rows


NOT_ITS_T = "the t test is on fixed worths, and near the test that permutes these"
CAREFUL = (
    "a rank that changes sides moves the false positive rates of all that follow, so that divided areas vary more than "
    "those of samples, the more the more of the list is positive"
)


def _listed(sizes: Sequence[float]) -> str:
    return ", ".join(f"{x:.3f} ({n_pos} + {n_neg})" for x, (n_pos, n_neg) in zip(sizes, SIZES, strict=True))


# ---- the HIV screen


def area(ranks: Array, n: int, alpha: float | None) -> Array:
    """Return areas under CROC curves as the paper computes them from ranks of positives, along the last axis."""
    n_pos = ranks.shape[-1]
    x = np.clip((np.sort(ranks, axis=-1) - np.arange(1, n_pos + 1)) / (n - n_pos), 0, 1)
    return np.mean(1 - (x if alpha is None else np.expm1(-alpha * x) / np.expm1(-alpha)), axis=-1)  # type: ignore[no-any-return]


def z_values(ranks: Array, n: int, alpha: float | None, draws: int, rng: np.random.Generator) -> dict[str, float]:
    """Return the difference over its s.d. under random exchanges: of ranks, and of what each was worth."""
    observed = float(np.subtract(*(area(side, n, alpha) for side in ranks)))
    turned = rng.random((draws, ranks.shape[1])) < 0.5
    first = np.where(turned, ranks[1], ranks[0])
    by_rank = area(first, n, alpha) - area(ranks.sum(axis=0) - first, n, alpha)
    worth = np.empty(ranks.shape)
    for side, own in enumerate(ranks):
        order = np.argsort(own, kind="stable")
        x = np.clip((own[order] - np.arange(1, own.size + 1)) / (n - own.size), 0, 1)
        worth[side, order] = 1 - (x if alpha is None else np.expm1(-alpha * x) / np.expm1(-alpha))
    off = worth[0] - worth[1]
    by_worth = (np.where(turned, -1, 1) * off).mean(axis=-1)
    return {"ranks": observed / float(np.std(by_rank)), "worths": observed / float(np.std(by_worth))}


def on_screen(path: Path, draws: int, few: int | None) -> list[Line]:
    """Return p and z of both kinds of paired tests, by four metrics, of two rankings of the HIV screen."""
    y, s = screen(path, few)
    ev = hc.evaluate(y, s, metrics=ON_SCREEN)
    ranks = np.stack([_midranks(s[name])[y == 1] for name in PAIR])
    lines = []
    for place, metric in enumerate(ON_SCREEN):
        alpha = None if metric == "auc" else float(metric.rpartition("=")[2].rstrip(")"))
        line: Line = {"metric": metric, "difference": round(ev[PAIR[0], metric].value - ev[PAIR[1], metric].value, 6)}
        for test in (*RANKS, *WORTHS, "paired-t", "unpaired-t", "delta"):
            found = ev.compare(*PAIR, metric, method=test, n_resamples=draws, rng=SEED)
            line[test] = float(f"{found.pvalue:.4g}")
        z = z_values(ranks, y.size, alpha, draws, np.random.default_rng([SEED, place]))
        lines.append(line | {f"z by {kind}": round(value, 2) for kind, value in z.items()})
    return lines


def _midranks(scores: Array) -> Array:
    from scipy.stats import rankdata

    return rankdata(-scores)


def of_screen(lines: Sequence[Line]) -> list[Row]:
    """Return what section 5.2 says, of two rankings of the screen, by each reading."""
    by = {line["metric"]: line for line in lines}
    early = by[ON_SCREEN[-1]]
    rows = [
        shown_here(
            f"HIV screen, {' less '.join(PAIR)}: z of the paired permutation, ranks dealt out anew and fixed worths",
            "; ".join(f"{line['z by ranks']:.2f} and {line['z by worths']:.2f} ({m})" for m, line in by.items()),
            abs(early["z by ranks"]) < abs(early["z by worths"]),
            CAREFUL,
        )
    ]
    for kind, (paired, unpaired) in KINDS.items():
        text = f"{early[paired]:.2g} ({early['metric']}) and {by['auc'][paired]:.2g} (auc)"
        holds = early[paired] < 0.01 and by["auc"][paired] >= 0.05
        item = f"sec. 5.2, HIV screen, {' less '.join(PAIR)}: CROC(exp) tells apart what AUC does not, paired, {kind}"
        rows.append(claimed(item, "it does", text, holds, UNLIKE if not holds else ""))
        text = "; ".join(f"{line[paired]:.2g} and {line[unpaired]:.2g}" for line in lines)
        item = f"sec. 5.2, HIV screen, {' less '.join(PAIR)}: p of the paired test below that of the unpaired, {kind}"
        rows.append(stated(item, "below, or both the least", text, all(x[paired] <= x[unpaired] for x in lines)))
    return rows


UNLIKE = "the two differ in AUC by this test too"


# ---- the five rankers


def on_rankers(metrics: Sequence[str], draws: int) -> list[Line]:
    """Return p of the tests that deal out ranks, of all pairs of the five rankers that are not random."""
    y, scores = read_paired()
    ev = hc.evaluate(y, {name: own for name, own in scores.items() if name != "RANDOM"}, metrics=metrics)
    lines = []
    for metric, (first, second) in product(metrics, combinations(ev.rankers, 2)):
        line: Line = {"metric": metric, "first": first, "second": second}
        for test in RANKS:
            found = ev.compare(first, second, metric, method=test, n_resamples=draws, rng=SEED)
            line["difference"] = round(found.difference.value, 6)
            line[test] = float(f"{found.pvalue:.4g}")
        lines.append(line)
    return lines


def of_rankers(dealt: Sequence[Line], tested: Sequence[Line]) -> list[Row]:
    """Return what section 5.2 says of the five rankers, by the tests of its section 4 as they are printed."""
    others = {(x["metric"], x["first"], x["second"]): x for x in tested}
    p = {key: line | others[key] for line in dealt for key in [(line["metric"], line["first"], line["second"])]}
    pairs = list(dict.fromkeys(key[1:] for key in p))
    paired, unpaired = RANKS
    six = (paired, unpaired, "paired-t", "unpaired-t", "paired-wilcoxon", "unpaired-wilcoxon")
    found = {test: sum(line[test] < 0.01 for line in p.values()) for test in six}
    about = "sec. 5.2, five rankers, ranks dealt out anew"
    counted = f"{len(p)} tests of a pair by a metric, p < .01"
    rows = [
        stated(
            f"{about}: power of the paired permutation test against the unpaired one, {counted}",
            "more powerful",
            f"{found[paired]} and {found[unpaired]}",
            found[paired] > found[unpaired],
        )
    ]
    holds = found[paired] > max(found[test] for test in six[2:])
    item = f"{about}: power of the paired permutation test against the t and Wilcoxon tests, {counted}"
    text = ", ".join(f"{test} {count}" for test, count in found.items())
    rows.append(claimed(item, "the most powerful of the six", text, holds, "" if holds else CAREFUL))
    early = [name for name, *_ in p if name.startswith("croc(exp")]
    unclear = [pair for pair in pairs if p["auc", *pair][paired] >= 0.05]
    clear = [pair for pair in unclear if any(p[name, *pair][paired] < 0.01 for name in early)]
    item = f"{about}: pairs that CROC(exp) tells apart, p < .01, and AUC does not, p >= .05"
    text = f"{len(clear)} of {len(unclear)}: {'; '.join(' and '.join(pair) for pair in clear)}"
    rows.append(claimed(item, "there are some", text, bool(clear), "" if clear else UNLIKE))
    by_auc = p["auc", "IRV", "SVM"][paired]
    for alpha in (7, 14, 80):
        by_croc = p[f"croc(exp, alpha={alpha})", "IRV", "SVM"][paired]
        item = f"{about}: IRV and SVM, paired, alpha = {alpha}"
        holds = by_croc < by_auc
        text = f"{by_croc:.2g} and {by_auc:.2g}"
        rows.append(claimed(item, "p by CROC(exp) below p by AUC", text, holds, "" if holds else LEVEL))
    for second, named in (("cac", "CAC(exp) of the same alpha"), ("auc", "AUC")):
        each = [
            tuple(sum(p[metric, *pair][paired] < 0.01 for pair in pairs) for metric in of)
            for of in zip(_of_kind("croc"), _of_kind(second), strict=True)
        ]
        text = ", ".join(f"{a} against {b}" for a, b in each)
        item = f"{about}: pairs of {len(pairs)} with p < .01, paired: CROC(exp), 7, 14, 80, against {named}"
        holds = all(a > b for a, b in each)
        rows.append(claimed(item, "more power", text, holds, "" if holds else FEW_PAIRS))
    return rows


def _of_kind(kind: str) -> list[str]:
    return [kind if kind == "auc" else f"{kind}(exp, alpha={alpha})" for alpha in (7, 14, 80)]


LEVEL = "level at this alpha, so there is nothing to find"
FEW_PAIRS = "not at each alpha; six pairs tell little of power"


# ---- the picture


def picture(lines: Sequence[Line]) -> Any:
    """Draw how often each test rejects, with equal rankers and with a better one."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained", sharey=True)
    for ax, (scenario, title) in zip(
        axes, (("equal", "equal rankers"), ("better", "the second is better")), strict=True
    ):
        for turn, (n_pos, n_neg) in enumerate(SIZES):
            of = {
                x["test"]: x
                for x in lines
                if (x["positives"], x["negatives"], x["scenario"]) == (n_pos, n_neg, scenario)
            }
            places = np.arange(len(TESTS)) + 0.18 * (turn - 1.5)
            ax.errorbar(
                [of[test]["rejected"] for test in TESTS],
                places,
                xerr=[2 * of[test]["standard_error"] for test in TESTS],
                fmt="os^D"[turn],
                markersize=4,
                linewidth=0.8,
                label=f"{n_pos} + {n_neg}",
            )
        ax.axvline(0.05, color="#999999", linewidth=0.8, linestyle=":")
        ax.set(xlabel="rejected at 5%", title=title)
    axes[0].set_yticks(range(len(TESTS)), TESTS)
    axes[0].invert_yaxis()
    figure.legend(*axes[1].get_legend_handles_labels(), title="positives + negatives", loc="outside right center")
    return figure


def again() -> list[Row]:
    """Return the rows as the committed tables have them, without the simulation."""
    rows = [*of_simulation(FOLDER.numbers("simulation")), *of_screen(FOLDER.numbers("screen"))]
    return [*rows, *of_rankers(FOLDER.numbers("rankers"), RANKERS.numbers("tests"))]


def main(argv: Sequence[str] | None = None) -> int:
    """Run everything."""
    args = arguments(__doc__, argv)
    warnings.simplefilter("ignore", hc.errors.HitcurveWarning)  # the limits of these tests are what is measured
    with timed("simulation"):
        simulated, samples = simulate(2 if args.quick else 300, 99 if args.quick else 199)
    rows: list[Row] = of_simulation(simulated)
    figures: Mapping[str, Any] = {"sizes": lambda: picture(simulated)}
    path = public_data(args, FILE)
    lines: list[Line] = []
    if path is not None:
        with timed("HIV screen"):
            lines = on_screen(path, 99 if args.quick else 999, 4000 if args.quick else None)
        rows += of_screen(lines)
    with timed("five rankers"):
        dealt = on_rankers(OF_RANKERS[:1] if args.quick else OF_RANKERS, 99 if args.quick else 9999)
    if args.quick:
        draw_into_nothing(figures)
        return conclude_quick(f"{len(rows)} rows beside the paper, none claimed of so few draws", again(), FOLDER)
    rows += of_rankers(dealt, RANKERS.numbers("tests"))
    tables = {"simulation": simulated, "samples": samples, "screen": lines, "rankers": dealt}
    FOLDER.write_all(rows, tables, figures, f"seed {SEED}")
    return conclude(rows)


if __name__ == "__main__":
    sys.exit(main())
