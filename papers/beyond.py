"""The data of the papers through what the papers did not have: delta tests, bands, sensitivity, max-T.

``python -m papers.beyond [--quick]``. Mammography and prostate spectra (Su, Yuan and Zhu), the HIV screen (Swamidass et
al.), reviews and UCI data (Millard, Flach and Higgins), bands of precision-recall curves (Clemencon and Vayatis). A
row says whether a conclusion of a paper holds once the doubt is counted. The long run takes half a minute, and writes
``papers/results/beyond``; the quick one claims nothing of the molecules and the reviews, of which it takes a few.
"""

from __future__ import annotations

import csv
import gzip
import sys
import warnings
from argparse import Namespace
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import hitcurve as hc
from papers.frame import (
    Folder,
    Line,
    Row,
    arguments,
    conclude,
    draw_into_nothing,
    public_data,
    refuted,
    shown_here,
    stated,
    timed,
)
from papers.millard_flach_higgins import RAUC, screening, ten_folds
from papers.uci import Array

FOLDER = Folder("beyond")
SEED = 20
LEVEL = 0.05
ALIKE = 0.05  # two rankers are alike if the whole interval of their difference is nearer to 0 than this
PEAKS = ("3896.641", "8355.562", "8141.232", "8295.641", "5074.164", "4071.184", "6949.220", "7819.751")
PREVALENCES = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
FINE = tuple(float(pi) for pi in np.geomspace(PREVALENCES[0], PREVALENCES[-1], 61))  # of pictures
SIX = (
    "paired-permutation",
    "paired-t",
    "paired-wilcoxon",
    "unpaired-permutation",
    "unpaired-t",
    "unpaired-wilcoxon",
)


def line_of(data: str, test: Any) -> Line:
    """Return a test as a line of a table."""
    low, high = test.difference.confidence_interval()
    line = {
        "data": data,
        "metric": "rauc" if test.metric == RAUC else str(test.metric),
        "first": test.first,
        "second": test.second,
        "difference": round(test.difference.value, 5),
        "low": round(low, 5),
        "high": round(high, 5),
        "method": test.method,
        "p": float(f"{test.pvalue:.4g}"),
        "adjusted": "" if test.adjusted is None else float(f"{test.adjusted:.4g}"),
        "adjustment": test.adjustment or "",
    }
    both = getattr(test, "simultaneous", None)
    line["simultaneous_low"], line["simultaneous_high"] = ("", "") if both is None else (round(x, 5) for x in both)
    return line


def said(test: Any) -> str:
    """Return a difference with its interval and p, in words."""
    low, high = test.difference.confidence_interval()
    return f"{test.difference.value:+.3f} [{low:+.3f}, {high:+.3f}], p = {test.pvalue:.3g}"


# ---- mammography


def mammography() -> tuple[list[Row], list[Line], list[Line]]:
    """Return what can be said of film and digital mammography, and AP at other prevalences."""
    ev = hc.evaluate(tables=hc.datasets.mammography(), metrics=["ap", "auc"], paired=False)
    rows, tests = [], []
    for metric, ahead, behind in (("auc", "digital", "film"), ("ap", "film", "digital")):
        test = hc.compare_from_stats(ev[ahead, metric], ev[behind, metric])
        tests.append(line_of("mammography", test))
        rows.append(
            refuted(
                f"Su et al., sec. 5.2: {ahead} is ahead on {metric.upper()}",
                "slightly",
                said(test),
                test.pvalue < LEVEL,
                f"chance alone can do that if the two are unrelated: {ahead} {ev[ahead, metric].value:.3f}, {behind} "
                f"{ev[behind, metric].value:.3f}; how the two scores of a woman go together is not published",
            )
        )
    sensitivity = ev.sensitivity("prevalence", PREVALENCES)
    film, digital = (sensitivity.of(name, "ap").value for name in ("film", "digital"))
    signs = ", ".join(f"{a - b:+.3f} at {pi:g}" for pi, a, b in zip(PREVALENCES, film, digital, strict=True))
    item = "Su et al., sec. 3.5 and 5.2: which is ahead on AP, film less digital over prevalence"
    crosses = bool(np.any(film > digital) and np.any(film < digital))
    rows.append(stated(f"{item}, as numbers", "depends on the prevalence", signs, crosses))
    tried = {}
    for pi in PREVALENCES:
        ev = hc.evaluate(tables=hc.datasets.mammography(), metrics=["ap"], paired=False, prevalence=pi)
        test = hc.compare_from_stats(ev["film", "ap"], ev["digital", "ap"])
        tests.append(line_of(f"mammography at prevalence {pi:g}", test))
        tried[pi] = test
    least = min(tried, key=lambda pi: tried[pi].pvalue)
    sure = {np.sign(test.difference.value) for test in tried.values() if test.pvalue < LEVEL}
    rows.append(
        refuted(
            f"{item}, beyond chance",
            "depends on the prevalence",
            f"the least p is {tried[least].pvalue:.3g}, at {least:g}",
            len(sure) == 2,
            "at no prevalence is one of the two ahead for sure, were they unrelated",
        )
    )
    return rows, tests, [line for line in sensitivity.to_records() if line["metric"] == "ap"]


# ---- spectra


def spectra(folder: Path) -> tuple[Array, dict[str, Array]]:
    """Return who has late cancer, and eight peaks, each in the direction in which its AUC is above one half."""
    with (folder / "prostate_seldi_mz.csv").open(encoding="utf-8", newline="") as file:
        named = {f"{float(line['mz']):.3f}": line["peak"] for line in csv.DictReader(file)}
    with gzip.open(folder / "prostate_seldi_late_vs_normal.csv.gz", "rt", encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    y = np.array([int(line["label"]) for line in lines])
    auc, found = hc.metrics.AUC(), {}
    for peak in PEAKS:
        nearest = min(named, key=lambda mz, peak=peak: abs(float(mz) - float(peak)))  # type: ignore[misc]
        x = np.array([float(line[named[nearest]]) for line in lines])
        found[peak] = x if auc(y, x) >= 0.5 else -x
    return y, found


def prostate(folder: Path) -> tuple[list[Row], list[Line], Any]:
    """Return tests of the pairs that the paper compares, and of all pairs of eight peaks at once."""
    y, peaks = spectra(folder)
    ev = hc.evaluate(y, peaks, metrics=["auc", "ap"], design="case-control")
    rows, tests = [], []
    for first, second, metric, claim in (
        ("8355.562", "7819.751", "auc", "alike"),
        ("8355.562", "7819.751", "ap", "different"),
        ("5074.164", "8141.232", "auc", "different"),
        ("5074.164", "8141.232", "ap", "alike"),
    ):
        test = ev.compare(first, second, metric, method="delta")
        tests.append(line_of("SELDI", test))
        low, high = test.difference.confidence_interval()
        so = -ALIKE < low <= high < ALIKE if claim == "alike" else test.pvalue < LEVEL
        name = f"Su et al., Fig. 4: {metric.upper()} of {first} and {second}"
        reason = f"the interval has 0 in it, and differences of more than {ALIKE:g}: these data cannot tell"
        rows.append(refuted(name, claim, said(test), so, reason))
    for first, second in (("8355.562", "7819.751"), ("8141.232", "5074.164")):
        name = f"Su et al., Table 6: AP of {first} above that of {second} where cancer is rare, here"
        test = at_prevalence(y, peaks, 0.1).compare(first, second, "ap")
        tests.append(line_of("SELDI at prevalence 0.1", test))
        rows.append(stated(f"{name} 0.1", "above", said(test), test.pvalue < LEVEL, "; ".join(test.cautions)))
        try:
            text, reason = said(at_prevalence(y, peaks, 0.05).compare(first, second, "ap")), ""
        except hc.errors.InsufficientDataError as error:
            text, reason = "no test", str(error)
        rows.append(refuted(f"{name} 0.05", "above", text, text != "no test", reason))
    for metric in ("auc", "ap"):
        all_pairs = {how: pairs_of(ev, metric, adjust=how, method="delta", rng=SEED) for how in ("holm", "max-t")}
        tests += [line_of("SELDI, all pairs", test) for test in all_pairs["max-t"]]
        own = [test.pvalue < LEVEL for test in all_pairs["max-t"]]
        counts = {
            how: sum(test.adjusted is not None and test.adjusted < LEVEL for test in found)
            for how, found in all_pairs.items()
        }
        rows.append(
            shown_here(
                f"Su et al., Fig. 3: pairs of eight peaks that differ in {metric.upper()}, of {len(own)}",
                f"{sum(own)} one by one, {counts['max-t']} by max-T, {counts['holm']} by Holm",
                0 < counts["holm"] <= counts["max-t"] <= sum(own),
                "max-T takes from the data how the pairs depend on each other, and gives intervals",
            )
        )
    return rows, tests, ev


def pairs_of(ev: Any, metric: Any, **options: Any) -> list[hc.Comparison]:
    """Return the tests of all pairs in the order of the rankers, whichever is ahead."""
    found = ev.compare_all(metric, **options)
    return [found[pair] for pair in combinations(ev.rankers, 2)]


def at_prevalence(y: Array, peaks: dict[str, Array], pi: float) -> Any:
    """Return the evaluation of the peaks were a share pi of all men to have cancer."""
    return hc.evaluate(y, peaks, metrics=["ap"], prevalence=pi)


# ---- the HIV screen


def screen(path: Path, few: int | None) -> tuple[Array, dict[str, Array]]:
    """Return which molecules are active, and two rankings of them by similarity to the actives of other folds."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    lines = lines if few is None else lines[:: len(lines) // few]
    y = np.array([int(line["label"]) for line in lines])
    return y, {name: np.array([float(line[column]) for line in lines]) for name, column in KINDS.items()}


KINDS = {"MAX-SIM": "maxsim", "kNN10": "knn10"}


def hiv(path: Path, *, quick: bool) -> tuple[list[Row], list[Line], list[Line], list[Line], Any]:
    """Return tests of the two rankings, AP at other prevalences, and bands of their curves."""
    y, s = screen(path, 4000 if quick else None)
    croc = "croc(exp, alpha=80)"
    ev = hc.evaluate(y, s, metrics=["auc", croc, "ap"])
    rows, tests = [], []
    for metric in ("auc", croc, "ap"):
        test = ev.compare("kNN10", "MAX-SIM", metric, method="delta")
        tests.append(line_of("HIV", test))
    tests += [
        line_of(
            "HIV", ev.compare("kNN10", "MAX-SIM", croc, method=method, n_resamples=199 if quick else 9999, rng=SEED)
        )
        for method in SIX
    ]
    auc, early = tests[0], tests[1]
    text = "; ".join(f"{x['metric']} {x['difference']:+.4f} (p = {x['p']:.3g})" for x in (auc, early))
    rows.append(
        stated(
            "Swamidass et al.: a ranker may be ahead early and not on AUC; kNN10 less MAX-SIM",
            "may be",
            text,
            early["p"] < LEVEL and early["difference"] > 0 and not (auc["p"] < LEVEL and auc["difference"] > 0),
        )
    )
    difference = ev.difference_band("kNN10", "MAX-SIM", x_range=(0.001, 0.5), rng=SEED)
    ranges = ", ".join(f"{low:.3g} to {high:.3g}" for low, high in difference.excludes())
    rows.append(
        stated(
            "Swamidass et al.: where the curves of two rankers part, kNN10 less MAX-SIM, rates",
            "early",
            f"at 95% for sure: {ranges}",
            bool(difference.excludes()) and difference.excludes()[0][0] < 0.05,
        )
    )
    sensitivity = [line for line in ev.sensitivity("prevalence", PREVALENCES).to_records() if line["metric"] == "ap"]
    bands = list(of_bands(y, s, quick=quick))
    by = {(line["ranker"], line["method"]): line for line in bands}
    for name in s:
        default, smoothed = by[name, "region"], by[name, "smoothed-bootstrap"]
        rows.append(
            shown_here(
                f"Clemencon and Vayatis, sec. 4: bands of the precision-recall curve of {name}",
                f"width {default['width_at_.1']:.3f} at recall .1, {default['width_at_.9']:.3f} at .9; Algorithm 1 "
                f"{smoothed['width_at_.1']:.3f} and {smoothed['width_at_.9']:.3f}",
                default["width_at_.9"] < smoothed["width_at_.9"],
                "Algorithm 1 has one radius, cut at 0 and 1; the default follows the doubt, and is narrower where "
                "precision is low",
            )
        )
    return rows, tests, sensitivity, bands, (ev, difference)


def of_bands(y: Array, s: dict[str, Array], *, quick: bool) -> Iterator[Line]:
    """Yield widths of five bands of the precision-recall curves."""
    for name, values in s.items():
        table = hc.HitTable.from_scores(y, values)
        for method in ("region", "influence", "bootstrap", "smoothed-bootstrap", "distribution-free"):
            resamples = None if method in ("region", "influence", "distribution-free") else (99 if quick else 999)
            band = hc.band(table, method=method, x_range=(0.1, 0.9), n_resamples=resamples, rng=SEED)
            width = {at: round(band.high.at(at) - band.low.at(at), 4) for at in (0.1, 0.5, 0.9)}
            yield {
                "ranker": name,
                "method": method,
                "mean_width": round(band.mean_width, 4),
                **{f"width_at_{f'{at:g}'.lstrip('0')}": value for at, value in width.items()},
            }


# ---- reviews and folds


def reviews(args: Namespace, path: Path) -> tuple[list[Row], list[Line]]:
    """Return tests across topics and folds with all pairs adjusted, and tests of single lists."""
    topics, folds = screening(path, 6 if args.quick else None), ten_folds(args.data, 40 if args.quick else 200)
    rows, tests = [], []
    for data, grouped, method in (("CLEF 2017", topics, "sign-flip"), ("credit_g, ten folds", folds, "corrected-t")):
        for metric in ("auc", RAUC):
            tests += [line_of(data, test) for test in pairs_of(grouped, metric, method=method, rng=SEED)]
    pooled = folds.pooled
    for metric in ("auc", RAUC):
        tests += [
            line_of("credit_g, one list", test)
            for test in pairs_of(pooled, metric, adjust="max-t", method="delta", rng=SEED)
        ]
    for t in tests:
        if (t["first"], t["second"], t["metric"]) == ("naive Bayes", "random forest", "rauc"):
            item = f"Millard et al., sec. 5.1: two learners alike on AUC differ on rAUC, here on {t['data']}"
            text = f"{t['difference']:+.3f}, {t['method']}: p = {t['p']:.3g}, {t['adjusted']:.3g} of three pairs"
            if t["method"] == "corrected-t":
                reason = "the overlap of the training data is counted, and ten values decide"
                rows.append(refuted(item, "p = .021", text, t["adjusted"] < LEVEL, reason))
            else:
                reason = (
                    "in the other direction: naive Bayes, ahead on the articles, is behind; each subject is a value"
                )
                rows.append(stated(item, "p = .021", text, t["adjusted"] < LEVEL, reason))
    pair = ("Waterloo A", "Waterloo B")
    between = [t for t in tests if (t["data"], t["first"], t["second"]) == ("CLEF 2017", *pair)]
    text = "; ".join(f"{t['metric']} {t['difference']:+.4f}, adjusted p = {t['adjusted']:.3g}" for t in between)
    rows.append(
        shown_here(
            "Millard et al., sec. 5.1, on CLEF 2017: Waterloo A behind B across topics, by sign flips",
            text,
            all(t["difference"] < 0 and t["adjusted"] < LEVEL for t in between),
        )
    )
    differ = 0
    names = list(topics)
    for name in names:
        ev = topics[name]
        if min(table.n_pos for table in ev.tables.values()) >= 20:
            found = pairs_of(ev, RAUC, adjust="max-t", method="delta", rng=SEED)
            lines = [line_of(f"CLEF 2017, {name}", test) for test in found]
            differ += sum(line["adjusted"] < LEVEL for line in lines)
            tests += lines
    within = [t for t in tests if t["data"].startswith("CLEF 2017, ")]
    rows.append(
        shown_here(
            "Millard et al., sec. 5.1, on CLEF 2017: pairs of runs that differ in rAUC within a topic, by max-T",
            f"{differ} of {len(within)}, in the topics with 20 documents to find",
            0 < differ < len(within),
        )
    )
    return rows, tests


# ---- pictures


def picture_mammography() -> Any:
    """Draw AP of film and digital mammography over the prevalence."""
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(5.6, 3.8), layout="constrained")
    ev = hc.evaluate(tables=hc.datasets.mammography(), metrics=["ap"], paired=False)
    hc.plot.prevalence_profile(ev, grid=FINE, ax=ax)
    ax.set_title("mammography", fontsize=9)
    return figure


def picture_prostate(tests: Sequence[Line]) -> Any:
    """Draw simultaneous intervals of all pairs of peaks."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9.5, 5.4), layout="constrained", sharey=True)
    pairs = list(combinations(PEAKS, 2))
    for ax, metric in zip(axes, ("auc", "ap"), strict=True):
        own = [t for t in tests if t["data"] == "SELDI, all pairs" and t["metric"] == metric]
        for place, t in enumerate(own):
            color = "#c8553d" if t["adjusted"] < LEVEL else "#1b4f8a"
            ax.plot([t["simultaneous_low"], t["simultaneous_high"]], [place] * 2, color=color, linewidth=1)
            ax.plot([t["low"], t["high"]], [place] * 2, color=color, linewidth=3, alpha=0.6)
            ax.plot(t["difference"], place, "o", color=color, markersize=3)
        ax.axvline(0, color="#999999", linewidth=0.8)
        ax.set(xlabel=f"difference in {metric.upper()}", title="thick: one pair, thin: all pairs at once")
        ax.title.set_fontsize(8)
    axes[0].set_yticks(range(len(pairs)), [f"{a} - {b}" for a, b in pairs], fontsize=7)
    axes[0].invert_yaxis()
    return figure


def picture_hiv(found: Any) -> Any:
    """Draw the precision-recall curves with bands, the band of the difference, and AP over the prevalence."""
    from matplotlib import pyplot as plt

    ev, difference = found
    figure, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
    bands = {name: ev.band(name, x_range=(0.02, 1.0), rng=SEED) for name in ev.rankers}
    hc.plot.band(bands, ax=axes[0])
    hc.plot.difference_band(difference, names=("kNN10", "MAX-SIM"), ax=axes[1])
    hc.plot.prevalence_profile(ev, grid=FINE, ax=axes[2])
    return figure


# ---- the whole


def main(argv: Sequence[str] | None = None) -> int:
    """Run everything."""
    args = arguments(__doc__, argv)
    warnings.simplefilter("ignore", hc.errors.HitcurveWarning)  # each is said by the pages that read the results
    rows, tests, profiles = mammography()
    unsure: list[Row] = []  # where a quick run takes too few
    profiles = [{"data": "mammography", **line} for line in profiles]
    paths = [public_data(args, name) for name in FILES]
    if any(path is None for path in paths):
        return conclude(rows)
    seldi, molecules, runs = (path for path in paths if path is not None)
    with timed("spectra"):
        more, lines, _ = prostate(seldi.parent)
    rows, tests = [*rows, *more], [*tests, *lines]
    with timed("HIV screen"):
        more, lines, sensitivity, bands, found = hiv(molecules, quick=args.quick)
    unsure, tests = [*unsure, *more], [*tests, *lines]
    profiles += [{"data": "HIV", **line} for line in sensitivity]
    with timed("reviews"):
        more, lines = reviews(args, runs)
    unsure, tests = [*unsure, *more], [*tests, *lines]
    figures = {
        "mammography": picture_mammography,
        "prostate": lambda: picture_prostate(tests),
        "hiv": lambda: picture_hiv(found),
    }
    if args.quick:
        draw_into_nothing(figures)
        return conclude(rows)
    rows += unsure
    tables = {"tests": tests, "profiles": [{**dict.fromkeys(COLUMNS, ""), **line} for line in profiles], "bands": bands}
    FOLDER.write_all(rows, tables, figures, f"seed {SEED}")
    return conclude(rows)


FILES = (
    "seldi/prostate_seldi_late_vs_normal.csv.gz",
    "hiv/hiv_similarity_scores.csv.gz",
    "screening/clef2017_tar_runs.csv.gz",
)
COLUMNS = ("data", "ranker", "metric", "prevalence", "value", "low", "high", "level")


if __name__ == "__main__":
    sys.exit(main())
