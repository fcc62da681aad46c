"""Yuan 2013, slides on the area under the ROC curve and average precision: their tables and the example of weights.

``python -m papers.yuan_slides [--quick]``. What the slides share with the paper of Su, Yuan and Zhu (theorems,
simulation, formulas) is in ``papers.su_yuan_zhu``. Ten seconds; writes ``papers/results/yuan_slides``.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import hitcurve as hc
from papers import su_yuan_zhu
from papers.frame import (
    MARKS,
    STYLES,
    Folder,
    Line,
    Row,
    arguments,
    by_range,
    conclude,
    draw_into_nothing,
    matched,
    misprint,
    public_data,
    refuted,
    rounds_to,
    stated,
)
from papers.su_yuan_zhu import AP, AUC, COPIES, PRINTED_AUC, Spectra

FOLDER = Folder("yuan_slides")
SEED = 2013

# ---- what the slides print

MOTIVATING = {  # totals and cancers by malignancy score, 7 to 1, and of all
    "digital": ("11, 29, 69, 1061, 2224, 6588, 32588: 42570", "10, 18, 25, 85, 49, 25, 122: 334"),
    "film": ("17, 29, 70, 942, 2291, 6910, 32486: 42745", "13, 24, 25, 74, 35, 33, 131: 335"),
}
ITEMS = {"1": ((1, 1, 1, 0, 0), "1"), "2": ((1, 0, 1, 0, 1), "0.76"), "3": ((0, 0, 1, 1, 1), "0.48")}
EXAMPLE_1 = {"film": ("0.735", "0.012", "0.166", "0.022"), "digital": ("0.753", "0.012", "0.144", "0.021")}
SCREENED, DIAGNOSED, PREVALENCE = "42760", "335", "0.00783"
EXAMPLE_2 = {
    "3896.641": ("0.878", "0.0345", "0.0344", "0.0344"),
    "8355.562": ("0.856", "0.0336", "0.0339", "0.0340"),
    "8141.232": ("0.850", "0.0319", "0.0324", "0.0321"),
    "8295.641": ("0.833", "0.0328", "0.0327", "0.0327"),
    "5074.164": ("0.833", "0.0403", "0.0405", "0.0403"),
    "4071.184": ("0.831", "0.0368", "0.0364", "0.0366"),
    "6949.220": ("0.824", "0.0414", "0.0415", "0.0413"),
    "9149.121": ("0.822", "0.0378", "0.0380", "0.0378"),
}
EXPERIMENT = {  # AP with every control once, ten and a hundred times
    "8355.562": ("0.856", "0.606", "0.571"),
    "7819.751": ("0.802", "0.370", "0.062"),
    "6949.220": ("0.824", "0.452", "0.205"),
    "9149.121": ("0.822", "0.512", "0.225"),
}


def illustration() -> list[Row]:
    """Return five ranked items by three classifiers."""
    return [
        matched(f"five items, classifier {i}: AP", text, AP.value(hc.HitTable.from_scores(labels, [5, 4, 3, 2, 1])))
        for i, (labels, text) in ITEMS.items()
    ]


def mammography() -> tuple[list[Row], list[Line]]:
    """Return the motivating table and example 1."""
    tables = hc.datasets.mammography()
    ev = hc.evaluate(tables=tables, metrics=["ap", "auc"])
    rows, lines = [], []
    for name, printed in MOTIVATING.items():
        table = tables[name]
        for what, text, cells in zip(("total", "cancers"), printed, (table.pos + table.neg, table.pos), strict=True):
            ours = f"{', '.join(f'{cell:.0f}' for cell in cells)}: {cells.sum():.0f}"
            rows.append(stated(f"motivating data, {name}: {what} by score, 7 to 1", text, ours, ours == text))
    given = int(DIAGNOSED) / int(SCREENED)
    rows.append(matched(f"example 1: prevalence, {DIAGNOSED} of {SCREENED}", PREVALENCE, given))
    women = {name: int(table.n) for name, table in tables.items()}
    rows.append(
        refuted(
            "example 1: participants screened",
            SCREENED,
            ", ".join(f"{n} {name}" for name, n in women.items()),
            int(SCREENED) in women.values(),
            "no total of its own tables; women with a digital and those with a film score are both fewer",
        )
    )
    for name, (auc_text, auc_error, ap_text, ap_error) in EXAMPLE_1.items():
        ap, auc, table = ev[name, "ap"], ev[name, "auc"], tables[name]
        null = null_deviation(table)
        rough, exact = hanley_mcneil(auc.value, table.n_pos, table.n_neg), su_yuan_zhu.delong(table)
        rows += [
            matched(f"example 1, {name}: AUC", auc_text, auc.value),
            matched(
                f"example 1, {name}: s.e. of AUC",
                auc_error,
                null,
                "the standard deviation of the AUC if scores were unrelated to cancer, as the test of Mann and Whitney "
                f"has it with ties; no standard error of this AUC, which is {exact:.4f} (DeLong) or {rough:.4f} "
                "(Hanley and McNeil)",
            ),
            matched(f"example 1, {name}: AP", ap_text, ap.value),
        ]
        item = f"example 1, {name}: s.e. of AP"
        if name == "film":
            rows.append(matched(item, ap_error, ap.standard_error))
        else:
            paper = su_yuan_zhu.MAMMOGRAPHY[name][2]
            appendix = su_yuan_zhu.appendix_b(table)
            shown = rounds_to(appendix, paper) and not rounds_to(appendix, ap_error)
            reason = f"by Appendix B of the paper it is {appendix:.4f}; the paper prints {paper} for it"
            rows.append(misprint(item, ap_error, ap.standard_error, shown, reason))
        lines.append(
            {
                "type": name,
                "n": int(table.n),
                "cancers": int(table.n_pos),
                "auc": round(auc.value, 6),
                "auc_se_delong": round(exact, 6),
                "auc_se_hanley_mcneil": round(rough, 6),
                "auc_sd_unrelated": round(null, 6),
                "ap": round(ap.value, 6),
                "ap_se": round(ap.standard_error, 6),
                "ap_at_stated_prevalence": round(float(AP.value(table.at_prevalence(given))), 6),
            }
        )
        rows.append(replace(su_yuan_zhu.eq_15_row(name, table), item=f"AUC from the table of counts, {name}"))
    return rows, lines


def hanley_mcneil(auc: float, n1: float, n0: float) -> float:
    """Return the standard error of an AUC by Hanley and McNeil 1982."""
    q1, q2 = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    return math.sqrt((auc * (1 - auc) + (n1 - 1) * (q1 - auc**2) + (n0 - 1) * (q2 - auc**2)) / (n1 * n0))


def null_deviation(table: hc.HitTable) -> float:
    """Return the standard deviation of the AUC over all orders of the labels, with ties (Mann and Whitney)."""
    n, tied = table.n, np.asarray(table.pos + table.neg, float)
    shared = float(np.sum(tied**3 - tied)) / (n**3 - n)
    return math.sqrt((n + 1) * (1 - shared) / (12 * table.n_pos * table.n_neg))


# ---- the simulated example of weights

SHIFTS = {"A": 1.0, "B": 0.25}


def weights(n: int = 500, pi: float = 0.1) -> tuple[list[Row], list[Line]]:
    """Return the weights w_k and w'_k of two simulated tests."""
    rng = np.random.default_rng(SEED)
    n1 = round(n * pi)
    lines, precision, fixed = [], {}, 0.0
    for name, shift in SHIFTS.items():
        scores = np.concatenate([rng.normal(shift, 1, n1), rng.normal(0, 1, n - n1)])
        table = hc.HitTable.from_scores(np.arange(n) < n1, scores)
        of = su_yuan_zhu.weights(table)
        rank = np.arange(1, n + 1)  # no ties
        fixed = max(fixed, float(np.abs(of["w_prime"] - (n - rank + 1) / n).max()))
        precision[name] = of["w"]
        lines += [
            {"test": name, "rank": int(k), "w": round(float(w), 6), "w_prime": round(float(fixed_w), 6)}
            for k, w, fixed_w in zip(rank, of["w"], of["w_prime"], strict=True)
        ]
    above = float(np.mean(precision["A"][: n // 2] > precision["B"][: n // 2]))
    return [
        stated("simulated example: w'_k of A and B", "one line for both", f"to {fixed:.1g}", fixed < su_yuan_zhu.EXACT),
        stated(
            "simulated example: w_k",
            "A above B",
            f"at {above:.0%} of the upper half of ranks",
            above > 0.95,
            f"n is not printed, {n} here; the picture has no numbers; held to be above at 95%",
        ),
    ], lines


# ---- example 2 and the thought experiment


def same_as_paper() -> Row:
    """Return whether example 2 has the numbers of the paper's Table 4, where ours stand beside them."""
    same = sum(su_yuan_zhu.PEAKS[peak] == printed for peak, printed in EXAMPLE_2.items())
    return stated(
        "example 2, AP and standard errors of 8 peaks", "8 rows", f"{same} as in Table 4 of the paper", same == 8
    )


def experiment(spectra: Spectra) -> tuple[list[Row], list[Line]]:
    """Return AUC and AP with copies of the controls."""
    mean = spectra.joined("mean")
    joins = su_yuan_zhu.by_rule(spectra, EXPERIMENT)
    rows, lines = [], []
    for peak, ap_texts in EXPERIMENT.items():
        auc_text, auc_reason = PRINTED_AUC[peak], su_yuan_zhu.joined(joins, peak, "auc")
        ends = su_yuan_zhu.over(joins, peak, "auc")
        table, direction = spectra.table(mean[:, spectra.place(peak)])
        rows.append(
            by_range(f"thought experiment, {peak}: AUC, n0 x 1", auc_text, float(AUC.value(table)), ends, auc_reason)
        )
        for copies, text in zip(COPIES, ap_texts, strict=True):
            more = hc.HitTable.from_counts(table.pos, copies * table.neg)
            ap, item = float(AP.value(more)), f"thought experiment, {peak}: AP, n0 x {copies}"
            rows.append(su_yuan_zhu.copied_ap(item, text, ap, (peak, copies), joins))
            lines.append(
                {
                    "peak": peak,
                    "cancer_is": direction,
                    "copies": copies,
                    "prevalence": float(f"{more.prevalence:.6g}"),
                    "auc": round(float(AUC.value(more)), 6),
                    "published_auc": auc_text if copies == 1 else "",
                    "ap": round(ap, 6),
                    "published_ap": text,
                }
            )
    return rows, lines


def along_prevalence(spectra: Spectra) -> list[Line]:
    """Return AP of the four peaks at many prevalences."""
    mean = spectra.joined("mean")
    lines = []
    for peak in EXPERIMENT:
        table, _ = spectra.table(mean[:, spectra.place(peak)])
        for copies in np.geomspace(1, 100, 41):
            pi = table.n_pos / (table.n_pos + copies * table.n_neg)
            ap = float(AP.value(table.at_prevalence(pi)))
            lines.append({"peak": peak, "prevalence": float(f"{pi:.6g}"), "ap": round(ap, 6)})
    return lines


# ---- figures


def draw_weights() -> Any:
    """Draw the weights w_k of two simulated tests, and w'_k, which is the same for both."""
    import matplotlib.pyplot as plt

    lines = FOLDER.read("weights")
    fig, ax = plt.subplots(figsize=(6, 4), layout="constrained")
    for (name, shift), style in zip(SHIFTS.items(), ("-", "--"), strict=True):
        of = [line for line in lines if line["test"] == name]
        rank = [int(line["rank"]) for line in of]
        ax.plot(rank, [float(line["w"]) for line in of], f"C0{style}", label=f"$w_k$ of {name}, Δ = {shift:g}")
        # the second line lies on the first
        both = "$w'_k$ of A and B" if name == "A" else None
        ax.plot(rank, [float(line["w_prime"]) for line in of], f"C1{style}", label=both)
    ax.set(xlabel="rank k", ylabel="weight of a positive", xlim=(0, None), ylim=(0, 1.02))
    ax.legend(frameon=False)
    return fig


def draw_experiment() -> Any:
    """Draw AP of four peaks against prevalence, with the published values."""
    import matplotlib.pyplot as plt

    curves, points = FOLDER.read("profile"), FOLDER.read("experiment")
    fig, ax = plt.subplots(figsize=(5.8, 4), layout="constrained")
    for i, peak in enumerate(EXPERIMENT):
        of = [line for line in curves if line["peak"] == peak]
        x, y = ([float(line[key]) for line in of] for key in ("prevalence", "ap"))
        ax.plot(x, y, f"C{i}{STYLES[i]}")
        ax.plot([], [], f"C{i}{MARKS[i]}{STYLES[i]}", mfc="none", label=peak)
        there = [line for line in points if line["peak"] == peak]
        x, y = ([float(line[key]) for line in there] for key in ("prevalence", "published_ap"))
        ax.plot(x, y, f"C{i}{MARKS[i]}", mfc="none", ms=6)
    ax.set(xscale="log", xlabel="prevalence, from n0 x 100 to n0 x 1", ylabel="average precision (AP)", ylim=(0, 1))
    ax.legend(frameon=False, fontsize=8, title="marks: published", title_fontsize=8)
    return fig


FIGURES = {"weights": draw_weights, "experiment": draw_experiment}


def reproduce(args: argparse.Namespace) -> tuple[list[Row], dict[str, list[Line]]]:
    """Return all rows, and the tables behind them; those of the prostate spectra if the data are there."""
    rows, tables = [*illustration(), same_as_paper()], {}
    for name, (more, lines) in {"example1": mammography(), "weights": weights()}.items():
        rows += more
        tables[name] = lines
    path = public_data(args, "seldi/prostate_seldi_spectra.csv.gz")
    if path is not None:
        spectra = Spectra.read(path.parent)
        more, tables["experiment"] = experiment(spectra)
        rows += more
        tables["profile"] = along_prevalence(spectra)
    return rows, tables


def main(argv: Sequence[str] | None = None) -> int:
    """Reproduce the slides, and write what was found unless it is quick."""
    args = arguments(__doc__, argv)
    rows, tables = reproduce(args)
    if args.quick:
        draw_into_nothing(FIGURES)  # from the tables that were written before
    else:
        FOLDER.write_all(rows, tables, FIGURES, f"seed {SEED}")
    return conclude(rows)


if __name__ == "__main__":
    sys.exit(main())
