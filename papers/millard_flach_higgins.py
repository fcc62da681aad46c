"""Rate-weighted AUC: Millard, Flach and Higgins 2014, ECML PKDD, LNCS 8725:386.

``python -m papers.millard_flach_higgins [--quick]``. Figures 1 to 7, Algorithm 1, Table 1 on 150 models, elicitation,
NDCG against rAUC, and the rapid review on public screening data, since the paper's texts are not public. The long run
takes half a minute, and writes ``papers/results/millard_flach_higgins``.
"""

from __future__ import annotations

import csv
import gzip
import math
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.integrate import quad
from scipy.stats import beta as beta_law
from scipy.stats import spearmanr
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import CategoricalNB
from sklearn.svm import SVC

import hitcurve as hc
from papers import uci
from papers.frame import (
    STYLES,
    Folder,
    Line,
    Row,
    arguments,
    by_error,
    by_range,
    conclude,
    draw_into_nothing,
    matched,
    misprint,
    not_reproduced,
    public_data,
    refuted,
    shown_here,
    stated,
    timed,
)
from papers.rauc_algorithm import MISPRINTS, algorithm_1
from papers.uci import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FOLDER = Folder("millard_flach_higgins")
SEED = 2014
BETAS = tuple(hc.rates.Beta(a, b) for a, b in ((3, 19), (7, 15), (11, 11), (15, 7), (19, 3)))
REVIEW = hc.rates.Beta.from_time_budget(items=2500, minutes=7200, per_item=(10, 45))
RAUC = hc.metrics.RateWeightedAUC(REVIEW)
TABLE_1 = {
    "NDCG": (".565", ".438", ".235", ".092", ".018"),
    "AUC": (".872", ".951", ".975", ".927", ".886"),
    "AUC <= .95": (".725", ".902", ".961", ".829", ".703"),
    "(3, 19)": (".923", ".791", ".676", ".610"),
    "(7, 15)": (".931", ".823", ".764"),
    "(11, 11)": (".964", ".925"),
    "(15, 7)": (".982",),
}
ARTICLES = {  # mean rAUC and AUC of learners on 315 articles
    "random forest": (".689", ".636"),
    "naive Bayes": (".781", ".639"),
    "SVM": (".639", ".570"),
}
OF_ARTICLES = "the 315 articles are not public; ours is of credit_g, and says nothing of theirs"
REVIEWED = ("random forest", "naive Bayes", "SVM")
NAMES = tuple(f"({density.a:g}, {density.b:g})" for density in BETAS)
RUNS = {"Waterloo A": "rank_waterloo_a", "Waterloo B": "rank_waterloo_b", "QUT": "rank_qut_bool_es"}
MARKERS = ("o", "x", "^", "+", "s")
COLORS = ("#1b4f8a", "#c8553d", "#e0a030", "#557755", "#8a5a9e")


# ---- figures 1 and 2, theorems 3, 5 and 6


def crossing() -> dict[str, hc.HitTable]:
    """Return two curves of which neither dominates: one is ahead at a rate of .3, the other at .5."""
    return {
        "solid": hc.HitTable.from_counts([50, 40, 10], [12, 18, 70]),
        "dashed": hc.HitTable.from_counts([55, 15, 30], [5, 45, 50]),
    }


def example(pos: int) -> hc.HitTable:
    """Return a list with ties of 12 subjects or more; positives are ``pos`` times as many as negatives."""
    return hc.HitTable.from_counts([2 * pos, pos, 2 * pos, pos], [0, 2, 1, 3])


def figure_1_rows() -> Iterator[Row]:
    """Yield that each of two curves is ahead at one rate, and that a partial AUC says the same at both."""
    ev = hc.evaluate(tables=crossing(), metrics=["recall@50%", "recall@30%", "pauc(fpr, 0.2, 0.4)"], paired=False)
    for metric, ahead, behind in (("recall@50%", "solid", "dashed"), ("recall@30%", "dashed", "solid")):
        best, other = (ev[name, metric].value for name in (ahead, behind))
        text = f"{best:.3f} > {other:.3f}"
        yield stated(f"Fig. 1, {metric}: the {ahead} curve", "above", text, best > other)
    solid, dashed = (ev[name, "pauc(fpr, 0.2, 0.4)"].value for name in ("solid", "dashed"))
    yield stated(
        "Fig. 1, pauc(fpr, 0.2, 0.4): what it prefers",
        "not by the rate",
        f"solid {solid:.4f}, dashed {dashed:.4f} at either rate",
        solid > dashed,
        "one order for both rates, which is wrong at .3",
    )


def on_curves(table: hc.HitTable, density: hc.rates.Beta, make: Callable[..., hc.Curve]) -> float:
    """Return the weighted area between a curve and its worst one over that between its best and its worst."""
    r = (np.arange(200_000) + 0.5) / 200_000
    curve, w = make(table), density.magnification().derivative(r)
    own, low, high = (np.asarray(c.at(r)) for c in (curve, curve.worst, curve.perfect))
    return float(np.sum(w * (own - low)) / np.sum(w * (high - low)))


def negative_recall(table: hc.HitTable) -> hc.Curve:
    """Return the curve of negative recall over the rate."""
    return hc.rate_recall_curve(table, negative=True)


def regions(table: hc.HitTable, density: hc.rates.Beta) -> tuple[float, float, float, float]:
    """Return the masses of the regions of rate-recall space.

    A is between the curve and the least recall, B under the latter, C over the greatest recall, D between it and the
    curve.
    """
    r = (np.arange(200_000) + 0.5) / 200_000
    curve, w = hc.rate_recall_curve(table), density.magnification().derivative(r)
    own, low, high = (np.asarray(c.at(r)) for c in (curve, curve.worst, curve.perfect))
    A, B, C, D = (float(np.mean(w * part)) for part in (own - low, low, 1 - high, high - own))
    return A, B, C, D


def theorem_rows() -> Iterator[Row]:
    """Yield the identities of section 3 on a tied list."""
    table = example(2)
    auc, rauc = hc.metrics.AUC().value(table), RAUC.value(table)
    uniform = hc.rates.Beta(1, 1)

    def equal(item: str, left: float, right: float, tolerance: float = 1e-7) -> Row:
        return stated(item, "equal", f"{left:.9f} and {right:.9f}", abs(left - right) < tolerance)

    yield equal(
        "Theorem 3: AUC, and the area in rate-accuracy space", auc, on_curves(table, uniform, hc.rate_accuracy_curve)
    )
    yield equal("Definition 4: rAUC, in rate-accuracy space", rauc, on_curves(table, REVIEW, hc.rate_accuracy_curve))
    yield equal("Theorem 5: rAUC, in rate-recall space", rauc, on_curves(table, REVIEW, hc.rate_recall_curve))
    yield equal("after Theorem 5: rAUC, in rate-negative-recall space", rauc, on_curves(table, REVIEW, negative_recall))
    A, B, C, D = regions(table, REVIEW)
    yield equal("Theorem 6: A + B + C + D, and the whole", A + B + C + D, 1)
    yield equal("Theorem 6: rAUC, and A/(A + D)", rauc, A / (A + D))
    pi0, pi1 = table.prevalence, 1 - table.prevalence
    w = REVIEW.magnification().derivative
    yield equal("Eq. 14: C", C, quad(lambda r: w(r) * (pi0 - r) / pi0, 0, pi0)[0])
    yield equal("Eq. 15: B", B, quad(lambda r: w(r) * (r - pi1) / pi0, pi1, 1)[0])
    between = quad(lambda r: max(r - pi1, 0) / pi0 - 1, 1, 1)[0]  # the line meets F0 = 1 at r = 1 alone
    yield misprint(
        "before Eq. 15, the lines around area B",
        "r = 1, F0 = 1 and F0 = (r - pi1)/pi0",
        "r = 1, F0 = 0 and F0 = (r - pi1)/pi0",
        between == 0 < B and math.isclose((1 - pi1) / pi0, 1),
        f"the three lines that are printed meet in the one point (1, 1), and have no area between them; B is {B:.5f}",
    )
    pos, neg = table.counts.pos, table.counts.neg
    turned = hc.metrics.AUC().value(hc.HitTable.from_counts(pos[::-1], neg[::-1]))
    yield misprint(
        "sec. 2 and Algorithm 1, which scores are predicted positive",
        "s(x) <= t, and scores in decreasing magnitude",
        "one of them",
        abs(turned - (1 - auc)) < 1e-12 and turned < 0.5 < auc,
        f"class 0 is positive and has low scores; a list by decreasing score begins with the negatives, and has AUC "
        f"{turned:.3f} where it is {auc:.3f}",
    )
    yield misprint(
        "sec. 4, the algorithm that looks lengthy",
        "Algorithm 4",
        "Algorithm 1",
        True,
        "the paper has one algorithm",
    )
    expected = hc.metrics.ExpectedRecall(REVIEW).value(table)
    yield equal("Theorem 6: E[F0], and (1 - B - C) rAUC + B", expected, (1 - B - C) * rauc + B)
    spared = hc.metrics.ExpectedNegativeRecall(REVIEW)
    low, high = spared.worst(table), spared.best(table)
    yield equal("sec. 7: E[1 - F1], linear in rAUC too", spared.value(table), low + (high - low) * rauc)
    yield equal(
        "rAUC under a uniform density, and AUC", hc.metrics.RateWeightedAUC(hc.rates.Uniform()).value(table), auc, 1e-12
    )


# ---- algorithm 1


def algorithm_rows(lists: int) -> Iterator[Row]:
    """Yield how far Algorithm 1 is from the closed form, right, and with each of its misprints alone."""
    rng = np.random.default_rng(SEED)
    worst = dict.fromkeys(("", *MISPRINTS), 0.0)
    for number in range(lists):
        n, density = int(rng.integers(6, 60)), (*BETAS, REVIEW)[number % 6]
        y = rng.permutation(np.arange(n) < max(1, round(n * (0.2, 0.5, 0.8)[number % 3])))
        table = hc.HitTable.from_scores(y, np.round(rng.normal(size=n) + y, number % 2))  # with and without ties
        pos, neg = ([int(z) for z in side] for side in (table.counts.pos, table.counts.neg))
        closed = hc.metrics.RateWeightedAUC(density).value(table)
        for name in worst:
            found = algorithm_1(pos, neg, density, (name,) if name else ())
            worst[name] = max(worst[name], abs(found - closed))
    said = f"largest difference {worst['']:.1e} on {lists} lists with and without ties"
    yield stated("Algorithm 1, corrected, and the closed form", "equal", said, worst[""] < 1e-10)
    for name, (printed, right) in MISPRINTS.items():
        place = "Eq. 18, T_B" if name == "triangle" else f"Algorithm 1, {name}"
        shown = worst[""] < 1e-10 and worst[name] > 0.01
        reason = f"as printed it is off by up to {worst[name]:.2g}; corrected it is exact"
        yield misprint(place, printed, right, shown, reason)


# ---- elicitation, and the weights of figure 3


def instance_weights(items: int) -> Array:
    """Return the weights of NDCG, 1/log2(i + 1) at rank i."""
    ranks = np.arange(1, items + 1)
    return np.array([hc.metrics.DCG().value(hc.HitTable.from_ranks([rank], items)) for rank in ranks])


def elicitation_rows() -> Iterator[Row]:
    """Yield what section 5.1 and Figure 3 say of the density of the rapid review."""
    yield matched("sec. 5.1, .975 quantile of the rate", ".288", REVIEW.quantile(0.975))
    yield matched("sec. 5.1, .025 quantile of the rate", ".064", REVIEW.quantile(0.025))
    yield matched("sec. 5.1, alpha of the rate", "6.23", REVIEW.a)
    reason = "exact to 1e-8 in probability here; the paper's is what the search of beta.select ends with, next row"
    a, b = coarse_search((0.025, 0.064), (0.975, 0.288))
    yield by_range("sec. 5.1, beta of the rate", "32.80", REVIEW.b, (REVIEW.b, b), reason)
    how = "mean by bisection to 1e-4 in probability, precision on a straight line between 100 values of its logarithm"
    yield matched("sec. 5.1, alpha by the search of beta.select", "6.23", a, how)
    yield matched("sec. 5.1, beta by the search of beta.select", "32.80", b, how)
    yield matched("sec. 3.1 and Fig. 3, most likely rate, %", "14", 100 * REVIEW.mode)
    law = REVIEW.minutes_per_item(2500, 7200)
    yield matched("sec. 5.1, minutes per item, .025 quantile", "10", law.quantile(0.025))
    yield matched("sec. 5.1, minutes per item, .975 quantile", "45", law.quantile(0.975))
    yield matched("sec. 5.1, fewest minutes per item, T/M", "2.88", law.shortest, "the paper gives the formula")


def coarse_search(first: tuple[float, float], second: tuple[float, float]) -> tuple[float, float]:
    """Return the shapes of a beta density as LearnBayes finds them, from two pairs of a probability and its quantile.

    The first quantile is met at every precision a + b by bisection for the mean, which ends once the probability is
    right to 1e-4; the precision that meets the second is read from 100 of them, even in logarithms from -3 to 8.
    """

    def mean_at(precision: float) -> float:
        low, high = 0.0, 1.0
        while True:
            mean = (low + high) / 2
            reached = float(beta_law.cdf(first[1], precision * mean, precision * (1 - mean)))
            if abs(reached - first[0]) < 1e-4:
                return mean
            low, high = (low, mean) if reached < first[0] else (mean, high)

    logs = np.linspace(-3, 8, 100)
    means = [mean_at(math.exp(log)) for log in logs]
    reached = np.array(
        [beta_law.cdf(second[1], math.exp(k) * m, math.exp(k) * (1 - m)) for k, m in zip(logs, means, strict=True)]
    )
    inside = (reached > 0) & (reached < 1)
    precision = math.exp(float(np.interp(second[0], reached[inside], logs[inside])))
    mean = mean_at(precision)
    return precision * mean, precision * (1 - mean)


def weight_rows() -> Iterator[Row]:
    """Yield what section 3.1 says of NDCG and rAUC as weights of places."""
    own = instance_weights(20)
    last = own - np.append(own[1:], 0.0)  # of the rank that is processed last
    yield stated(
        "sec. 3.1, NDCG: weights of the last rank to be processed",
        "fall",
        "fall up to rank 19; what is left over goes to rank 20",
        bool(np.all(np.diff(last[:-1]) < 0)),
    )
    cdf = np.cumsum(last)
    processed = np.array([last[i:].sum() for i in range(20)])  # item i, if the last is i or one after it
    printed, right = 1 - cdf, 1 - np.append(0.0, cdf[:-1])
    yield misprint(
        "Eq. 17 on ranks",
        "1 - CDF(i)",
        "1 - CDF(i - 1)",
        bool(np.allclose(right, processed) and np.allclose(processed, own) and abs(printed - processed).max() > 0.1),
        f"the last item is processed too; as printed item 1 of 20 has weight {printed[0]:.2f} and item 20 has "
        f"{abs(printed[-1]):.0f}, where NDCG gives them {own[0]:.2f} and {own[-1]:.2f}; of a rate with a density both "
        "are the same",
    )
    top = 1 - BETAS[3].magnification()(np.arange(1, 6) / 20)
    yield stated(
        "sec. 3.1, density shifted to the right: several top items of the highest weight",
        "yes",
        f"the first 5 of 20 lose at most {1 - top.min():.1e} under beta(15, 7)",
        bool(top.min() > 0.999),
    )
    table = example(1)
    bases = [hc.metrics.NDCG(base=base).value(table) for base in (2, 10)]
    yield shown_here(
        "Eq. 16, base b of the logarithm",
        f"NDCG is {bases[0]:.6f} with 2, and {bases[1]:.6f} with 10",
        abs(bases[0] - bases[1]) < 1e-12,
        "Fig. 3 takes 2 and sec. 5 takes 10; it cancels between the sum and K",
    )
    best = hc.HitTable.from_counts([table.n_pos, 0], [0, table.n_neg])
    perfect = hc.metrics.DCG().value(best) / sum(instance_weights(int(table.n)))
    yield shown_here(
        "Eq. 16, NDCG of the best list",
        f"{perfect:.3f} with {table.n_pos:g} positives of {table.n:g}; "
        f"{hc.metrics.NDCG().value(best):g} over the ideal DCG",
        perfect < 0.9 and abs(hc.metrics.NDCG().value(best) - 1) < 1e-12,
        "K is the DCG of n relevant ones, the largest of any labels; the ideal DCG, by which NDCG is 1 for the best "
        "list, is the largest of these labels",
    )
    grades = np.random.default_rng(SEED).random(12)
    own = instance_weights(12)
    by_k, ideal = float(own @ grades / own.sum()), float(own @ grades / (own @ np.sort(grades)[::-1]))
    yield shown_here(
        "Eq. 16, relevance that is continuous",
        f"{by_k:.3f} with K, {ideal:.3f} over the ideal DCG, of twelve grades",
        by_k < ideal <= 1,
        "by hand: this package takes two classes, and refuses grades",
    )
    modes = ", ".join(f"{density.mode:g}" for density in BETAS)
    yield stated("Fig. 5, modes of the densities", "evenly over the rate", modes, modes == "0.1, 0.3, 0.5, 0.7, 0.9")


# ---- table 1


class Measured(NamedTuple):
    """Metrics of models, a row each: AUC, NDCG, NDCG as Eq. 16 has it, rAUC under the five densities; their data."""

    auc: Array
    ndcg: Array
    printed_ndcg: Array
    rauc: Array
    data: Array

    @classmethod
    def of(cls, models: Sequence[uci.Model], *, unseen: bool, classes: bool, rarer: bool) -> Measured:
        """Measure models on the subjects that they did not learn from, or on all."""
        discounts: dict[float, float] = {}
        lines = []
        for model in models:
            there = model.unseen if unseen else np.ones(model.unseen.size, bool)
            y, s = model.positive[there], (model.scores if classes else model.shares)[there]
            table = hc.HitTable.from_scores(y, s) if rarer else hc.HitTable.from_scores(~y, -s)
            if table.n not in discounts:
                discounts[table.n] = float(np.sum(1 / np.log2(np.arange(1, table.n + 1) + 1)))
            own = [hc.metrics.RateWeightedAUC(density).value(table) for density in BETAS]
            dcg = hc.metrics.DCG().value(table) / discounts[table.n]
            lines.append([hc.metrics.AUC().value(table), hc.metrics.NDCG().value(table), dcg, *own])
        found = np.array(lines)
        data = np.array([model.task.file for model in models])
        return cls(found[:, 0], found[:, 1], found[:, 2], found[:, 3:], data)

    def within(self, density: int) -> float:
        """Return the correlation of NDCG as printed with rAUC among the models of a data set, on average."""
        own = (self.data == file for file in np.unique(self.data))
        return float(np.mean([correlation(self.printed_ndcg[i], self.rauc[i, density]) for i in own]))

    def table_1(self) -> dict[str, list[float]]:
        """Return the correlations of Table 1, and those of NDCG with the ideal DCG."""
        few = self.auc <= 0.95
        found = {
            "NDCG": [correlation(self.printed_ndcg, column) for column in self.rauc.T],
            "NDCG, ideal DCG": [correlation(self.ndcg, column) for column in self.rauc.T],
            "AUC": [correlation(self.auc, column) for column in self.rauc.T],
            "AUC <= .95": [correlation(self.auc[few], column[few]) for column in self.rauc.T],
        }
        for i, name in enumerate(NAMES[:-1]):
            found[name] = [correlation(self.rauc[:, i], self.rauc[:, j]) for j in range(i + 1, len(NAMES))]
        return found


def correlation(first: Array, second: Array) -> float:
    """Return Spearman's rank correlation."""
    return float(spearmanr(first, second).statistic)


def of_correlation(item: str, printed: str, ours: float, models: int, reason: str) -> Row:
    """Return the row of a rank correlation, whose error is that of Fisher's z: a tenth near 1 is far."""
    deviation = math.sqrt(1.06 / (models - 3))  # of the z of Spearman's correlation
    apart = abs(math.atanh(ours) - math.atanh(float(printed)))
    error = abs(ours - float(printed)) * deviation / apart if apart else deviation
    return by_error(item, printed, ours, error, f"by Fisher's z of {models} models; {reason}")


def columns_of(name: str) -> Sequence[str]:
    """Return the densities of a line of Table 1."""
    return NAMES[NAMES.index(name) + 1 :] if name in NAMES else NAMES


def table_1_rows(measured: Measured, ranges: Mapping[tuple[str, str], tuple[float, float]]) -> Iterator[Row]:
    """Yield every cell of Table 1; ``ranges`` has what the choices that the paper leaves open make of a cell."""
    ours = measured.table_1()
    for name, printed in TABLE_1.items():
        for density, text, value in zip(columns_of(name), printed, ours[name], strict=True):
            reason = "models and labels are not published"
            if (name, density) in ranges:
                low, high = ranges[name, density]
                reach = "" if low - 0.0005 <= float(text) <= high + 0.0005 else f", never {text}"
                reason += f"; {low:.3f} to {high:.3f} over what the paper leaves open{reach}"
            if name == "NDCG":
                reason = f"with K of Eq. 16; {reason}"
            item = f"Table 1, {name} with {density}"
            yield of_correlation(item, text, value, len(measured.auc), reason)
    for i, density in enumerate(NAMES):
        by_k, ideal = ours["NDCG"][i], ours["NDCG, ideal DCG"][i]
        yield shown_here(
            f"Table 1, NDCG over the ideal DCG with {density}",
            f"{ideal:.3f}",
            ideal > by_k,
            f"above the {by_k:.3f} with K of Eq. 16, which makes NDCG follow the share of positives of a data set; "
            f"within a data set the latter has a correlation of {measured.within(i):.3f} on average",
        )


def models_rows(measured: Measured) -> Iterator[Row]:
    """Yield what section 5 says of the 150 models."""
    variance = measured.rauc.var(axis=1)
    yield matched("sec. 5, smallest variance of rAUC over the densities", "0", float(variance.min()), "below .0005")
    deviation, spread = measured.rauc.std(axis=1, ddof=1).max(), np.ptp(measured.rauc, axis=1).max()
    yield not_reproduced(
        "sec. 5, largest variance of rAUC over the densities",
        ".260",
        float(variance.max()),
        "five numbers in [0, 1] have a variance of at most .24 with divisor 5, and .3 with divisor 4; ours have a "
        f"standard deviation of at most {deviation:.3f} (divisor 4), and differ by at most {spread:.3f}",
    )
    ours = measured.table_1()
    for name, how in (("NDCG", "K of Eq. 16"), ("NDCG, ideal DCG", "the ideal DCG")):
        along = ours[name]
        text = ", ".join(f"{value:.3f}" for value in along)
        item = f"sec. 5, correlation of NDCG over {how} with rAUC as more is processed"
        yield refuted(
            item,
            "decreases dramatically",
            text,
            falls(along),
            "the paper's falls at each step, to 3% of the first; held to fall at each step, and to a quarter",
        )
        yield shown_here(
            f"{item}, first and last", f"{along[0]:.3f} and {along[-1]:.3f}", along[-1] < along[0], "falls"
        )
    spread_apart = ours["(3, 19)"]
    yield stated(
        "sec. 5, densities further apart agree less",
        "yes",
        ", ".join(f"{value:.3f}" for value in spread_apart),
        all(np.diff(spread_apart) < 0),
    )
    other = {"AUC": measured.auc, "NDCG": measured.ndcg}
    sets = measured.data
    for name, values in other.items():
        picks = [
            int(np.argmax(np.where(sets == file, values, -1))) != int(np.argmax(np.where(sets == file, column, -1)))
            for file in dict.fromkeys(sets)
            for column in measured.rauc.T
        ]
        yield stated(
            f"sec. 5 and 7, {name} and rAUC choose different models",
            "often",
            f"in {sum(picks)} of {len(picks)} choices among the models of a data set",
            sum(picks) > len(picks) / 4,
        )


def mixed(rarer: Measured, other: Measured) -> Iterator[tuple[tuple[str, ...], Measured]]:
    """Yield the models with either class positive in each data set, and the data sets whose other class it is."""
    files = list(dict.fromkeys(rarer.data))
    for turned in product((False, True), repeat=len(files)):
        chosen = tuple(file for file, turn in zip(files, turned, strict=True) if turn)
        at = np.isin(rarer.data, chosen)
        auc, ndcg, printed, rauc = (
            np.where(at if a.ndim == 1 else at[:, None], b, a) for a, b in zip(rarer[:4], other[:4], strict=True)
        )
        yield chosen, Measured(auc, ndcg, printed, rauc, rarer.data)


def falls(along: Sequence[float]) -> bool:
    """Say whether correlations decrease dramatically: at each step, and to a quarter."""
    return bool(np.all(np.diff(along) < 0) and along[-1] < along[0] / 4)


def open_choices(folder: Path) -> tuple[list[Line], dict[tuple[str, str], tuple[float, float]], list[Line]]:
    """Return Table 1 under everything that the paper leaves open, and the range of each cell.

    The third are the correlations of NDCG if the positive class is chosen for each data set by itself, which widens the
    ranges too.
    """
    shared = [task for task in uci.TASKS if task.file != "autos"]
    both = list(uci.models(folder, shared))
    autos = [task for task in (*uci.TASKS, *uci.OTHER_AUTOS) if task.file == "autos"]
    lines: list[Line] = []
    per_set: list[Line] = []
    every: dict[tuple[str, str], list[float]] = {}
    for task in autos:
        models = [*both, *uci.models(folder, [task])]
        sides: dict[tuple[bool, bool], list[Measured]] = {}
        for unseen, classes, rarer in product((True, False), repeat=3):
            found = Measured.of(models, unseen=unseen, classes=classes, rarer=rarer)
            sides.setdefault((unseen, classes), []).append(found)
            named = {
                "autos": task.label,
                "tested_on": "unseen subjects" if unseen else "all subjects",
                "one_rule_scores": "classes" if classes else "shares",
                "positives": "rarer class" if rarer else "other class",
                "above_.95": int(np.sum(found.auc > 0.95)),
                "largest_variance": round(float(found.rauc.var(axis=1).max()), 4),
            }
            cells = {
                f"{name} with {density}": round(value, 4)
                for name, values in found.table_1().items()
                for density, value in zip(columns_of(name), values, strict=True)
            }
            lines.append({**named, **cells})
        for (unseen, classes), both_sides in sides.items():
            for chosen, found in mixed(*both_sides):
                table = found.table_1()
                for name in TABLE_1:
                    for density, value in zip(columns_of(name), table[name], strict=True):
                        every.setdefault((name, density), []).append(value)
                about = {
                    "autos": task.label,
                    "tested_on": "unseen subjects" if unseen else "all subjects",
                    "one_rule_scores": "classes" if classes else "shares",
                    "other_class_in": " ".join(chosen),
                }
                per_set += [
                    {**about, "ndcg": name, **{key: round(x, 4) for key, x in zip(NAMES, table[name], strict=True)}}
                    for name in ("NDCG", "NDCG, ideal DCG")
                ]
    return lines, {cell: (min(values), max(values)) for cell, values in every.items()}, per_set


def fitted_rows(choices: Sequence[Line], per_set: Sequence[Line]) -> Iterator[Row]:
    """Yield what is left of the fall of the correlations of NDCG over the choices that the paper leaves open."""
    says, item = "decreases dramatically", "sec. 5, correlation of NDCG with rAUC as more is processed"
    columns = [[float(line[f"NDCG with {name}"]) for name in NAMES] for line in choices]
    count = sum(map(falls, columns))
    yield shown_here(
        f"{item}, one kind of class positive in all data sets",
        f"{says} in {count} of {len(columns)} tables",
        0 < count < len(columns),
        "held to fall at each step, and to a quarter; over autos, subjects, one-rule scores and positive class",
    )
    printed = [float(x) for x in TABLE_1["NDCG"]]
    along = [[float(line[name]) for name in NAMES] for line in per_set]
    off = [max(abs(a - b) for a, b in zip(of, printed, strict=True)) for of in along]
    best = int(np.argmin(off))
    count = sum(map(falls, along))
    line = per_set[best]
    yield shown_here(
        f"{item}, class chosen per data set: the nearest of {len(along)} tables",
        f"{', '.join(f'{x:.3f}' for x in along[best])} for {', '.join(TABLE_1['NDCG'])}; {count} fall so",
        off[best] < 0.1,
        "a fit among so many, and no reproduction: other class positive in "
        f"{line['other_class_in'] or 'none'}; autos by {line['autos']}, {line['tested_on']}, one-rule by "
        f"{line['one_rule_scores']}, {line['ndcg']}",
    )


# ---- the rapid review


def screening(path: Path, topics: int | None) -> Any:
    """Return the evaluation of three runs of CLEF 2017, topic by topic; what a run leaves out is at its end."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    names = sorted({line["topic"] for line in lines})[:topics]
    lines = [line for line in lines if line["topic"] in names]
    scores = {
        name: [-float(line[column]) if line[column] else np.nan for line in lines] for name, column in RUNS.items()
    }
    return hc.evaluate(
        [int(line["rel_abstract"]) for line in lines],
        scores,
        by=[line["topic"] for line in lines],
        metrics=["auc", RAUC, "ndcg", hc.metrics.ExpectedRecall(hc.rates.Point(0.14))],
        missing="last",
    )


def ten_folds(folder: Path, trees: int = 200) -> Any:
    """Return the evaluation of the paper's three learners by its ten folds, on credit_g."""
    subjects = uci.Subjects.read(folder, next(task for task in uci.TASKS if task.file == "credit_g"))
    y, numbers = subjects.positive, subjects.numbers()
    numbers = (numbers - numbers.mean(axis=0)) / numbers.std(axis=0)
    scores = {name: np.zeros(y.size) for name in ("naive Bayes", "random forest", "SVM")}
    fold = np.zeros(y.size, int)
    for number, (train, test) in enumerate(StratifiedKFold(10, shuffle=True, random_state=SEED).split(numbers, y)):
        fold[test] = number
        codes = subjects.codes(train)
        logs = CategoricalNB(min_categories=codes.max(axis=0) + 1).fit(codes[train], y[train])
        joint = logs.predict_joint_log_proba(codes[test])
        scores["naive Bayes"][test] = joint[:, 1] - joint[:, 0]
        forest = RandomForestClassifier(trees, random_state=SEED).fit(numbers[train], y[train])
        scores["random forest"][test] = forest.predict_proba(numbers[test])[:, 1]
        scores["SVM"][test] = SVC().fit(numbers[train], y[train]).decision_function(numbers[test])
    return hc.evaluate(y, scores, by=fold, metrics=["auc", RAUC, "ndcg"])


def tests(name: str, grouped: Any, methods: Sequence[str]) -> list[Line]:
    """Return the tests of all pairs, on AUC and on rAUC."""
    lines = []
    for (first, second), metric, method in product(combinations(grouped.rankers, 2), ("auc", RAUC), methods):
        test = grouped.compare(first, second, metric, method=method)
        lines.append(
            {
                "data": name,
                "groups": test.n_groups,
                "metric": "auc" if metric == "auc" else "rauc",
                "first": first,
                "second": second,
                "mean_first": round(test.values[0], 5),
                "mean_second": round(test.values[1], 5),
                "difference": round(test.difference.value, 5),
                "standard_error": round(test.difference.standard_error, 5),
                "test": method,
                "p": float(f"{test.pvalue:.4g}"),
            }
        )
    return lines


def elsewhere(item: str, printed: str, ours: float) -> Row:
    """Return the row of a number of the articles beside that of other data, which says nothing of it if it is near."""
    return Row(f"sec. 5.1, {item}", printed, f"{ours:.3f}, of other data", "not reproduced", OF_ARTICLES)


def review_rows(topics: Any, folds: Any) -> Iterator[Row]:
    """Yield what the paper's learners do on public data, since its texts are not, and what can be checked there."""
    means = {key: {name: folds.mean(name, key).value for name in REVIEWED} for key in ("auc", RAUC)}
    text = {key: ", ".join(f"{name} {value:.3f}" for name, value in of.items()) for key, of in means.items()}
    auc, rauc = means["auc"], means[RAUC]
    yield shown_here(
        "credit_g, mean AUC over ten folds",
        text["auc"],
        max(auc.values()) - min(auc.values()) < 0.02,
        "all three within .02; on the 315 articles the SVM is behind",
    )
    yield shown_here(
        "credit_g, mean rAUC over ten folds",
        text[RAUC],
        min(rauc, key=lambda name: rauc[name]) == "naive Bayes",
        "naive Bayes is last; on the 315 articles it is first",
    )
    for name, key in (("AUC", "auc"), ("rAUC", RAUC)):
        plain, corrected = (
            folds.compare("naive Bayes", "random forest", key, method=method).pvalue
            for method in ("paired-t", "corrected-t")
        )
        yield shown_here(
            f"credit_g, p of naive Bayes and random forest, {name}",
            f"paired t test {plain:.3f}, corrected for shared training data {corrected:.3f}",
            0.05 < plain < corrected,
            "the paired t test of the paper takes folds as independent, which they are not",
        )
    for name, (of_rauc, of_auc) in ARTICLES.items():
        for key, metric, printed in (("rAUC", RAUC, of_rauc), ("AUC", "auc", of_auc)):
            yield elsewhere(f"mean {key} over ten folds, {name}", printed, means[metric][name])
    for key, metric, printed in (("AUC", "auc", ".884"), ("rAUC", RAUC, ".021")):
        p = folds.compare("naive Bayes", "random forest", metric, method="paired-t").pvalue
        yield elsewhere(f"p of naive Bayes and random forest, {key}", printed, p)
    at = 0.14
    for name in topics.rankers:
        own = float(topics.average_curve(name, "accumulation", "rate").at(at))
        mean = topics.mean(name, hc.metrics.ExpectedRecall(hc.rates.Point(at))).value
        yield stated(
            f"Fig. 7, consensus of {name} at rate {at:g}, and the mean over topics",
            "equal",
            f"{own:.5f} and {mean:.5f}",
            abs(own - mean) < 2e-3,
            "on an even grid of 2,001 rates",
        )


# ---- pictures


def picture_1() -> Any:
    """Draw two curves, lines of one rate, and the bounds of a partial AUC."""
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(4.6, 4.2), layout="constrained")
    for (name, table), style, color in zip(crossing().items(), ("-", "--"), COLORS[3::-3], strict=True):
        roc = hc.roc_curve(table)
        ax.plot(roc.x, roc.y, style, color=color, label=name)
    for rate in (0.3, 0.5):
        ax.plot([0, 2 * rate], [2 * rate, 0], ":", color="#555555", linewidth=1)
        ax.annotate(f"rate {rate}", (2 * rate, 0), (-50, 32), textcoords="offset points", rotation=-40, fontsize=8)
    for bound in (0.2, 0.4):
        ax.axvline(bound, color="#999999", linewidth=1, label="bounds of a partial AUC" if bound == 0.2 else None)
    ax.set(xlabel="FPR", ylabel="TPR", xlim=(0, 1), ylim=(0, 1), title="Figure 1")
    figure.legend(frameon=False, loc="outside lower center", ncols=3, fontsize=8)
    return figure


def picture_2() -> Any:
    """Draw one curve in ROC, rate-accuracy and rate-recall space, at two prevalences."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 3, figsize=(9.6, 6.2), layout="constrained")
    for (roc, accuracy), pos, title in (
        (axes[0, :2], 1, "positives 1/2"),
        (axes[1, :2], 2, "positives 2/3"),
    ):
        ev = hc.evaluate(tables={"example": example(pos)}, metrics=["auc"])
        hc.plot.roc(ev, ax=roc, legend="none")
        pi = example(pos).prevalence
        places = np.array([0.0, 1.0])
        for rate in (0.25, 0.5, 0.75):
            roc.plot(places, (rate - (1 - pi) * places) / pi, ":", color="#c8553d", linewidth=0.9)
        for value in (0.4, 0.6, 0.8):  # .5 would be the diagonal where positives are 1/2
            roc.plot(places, (value - (1 - pi) * (1 - places)) / pi, "--", color="#1b4f8a", linewidth=0.7)
        roc.set(xlim=(0, 1), ylim=(0, 1), title=title)
        hc.plot.rate_accuracy(ev, ax=accuracy, legend="none").set_title(title)
    ev = hc.evaluate(tables={"example": example(1)}, metrics=["auc"])
    for ax, negative in ((axes[0, 2], False), (axes[1, 2], True)):
        hc.plot.rate_recall(ev, negative=negative, ax=ax, legend="none").set_title("positives 1/2")
        _name_regions(ax, example(1), negative)
    for ax in axes.flat:
        ax.title.set_fontsize(8)
    return figure


def _name_regions(ax: Axes, table: hc.HitTable, negative: bool) -> None:
    """Write the letters of the four regions: between curve and worst, below that, above the best, and the rest."""
    curve = hc.rate_recall_curve(table, negative=negative)
    below, above = (0.12, 0.88) if negative else (0.88, 0.12)
    own, low, high = (float(c.at(0.5)) for c in (curve, curve.worst, curve.perfect))
    at_below, at_above = float(curve.worst.at(below)), float(curve.perfect.at(above))
    places = ((0.5, (own + low) / 2), (below, at_below / 2), (above, (1 + at_above) / 2), (0.5, (own + high) / 2))
    for letter, (x, y) in zip("EFGH" if negative else "ABCD", places, strict=True):
        ax.text(x, y, letter, ha="center", va="center")


def picture_3() -> Any:
    """Draw the weights of NDCG and rAUC, over items and over the last item."""
    from matplotlib import pyplot as plt

    items = 20
    own = instance_weights(items)
    ranks, r = np.arange(1, items + 1), np.linspace(0, 1, 401)
    density = REVIEW.magnification()
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    left.bar(ranks / items, own, width=0.03, color=COLORS[2], label="NDCG")
    left.plot(r, 1 - density(r), color=COLORS[0], label=f"rAUC, {REVIEW.rounded}")
    left.set(xlabel="rate", ylabel="weight of an item", title="(a) whether it is processed")
    right.bar(ranks / items, own - np.append(own[1:], 0.0), width=0.03, color=COLORS[2])
    right.plot(r, density.derivative(r) / items, color=COLORS[0])
    right.set(xlabel="rate", ylabel="weight of a threshold (density over 20)", title="(b) whether it is the last")
    left.legend(frameon=False)
    return figure


def picture_4() -> Any:
    """Draw a rate-accuracy curve with a group of ties, and its triangle."""
    from matplotlib import pyplot as plt

    table = hc.HitTable.from_counts([2, 3, 1, 1], [0, 2, 1, 3])
    curve = hc.rate_accuracy_curve(table)
    pi, n = table.prevalence, table.n
    figure, ax = plt.subplots(figsize=(5.2, 3.8), layout="constrained")
    r = np.linspace(0, 1, 401)
    ax.fill_between(r, np.asarray(curve.worst.at(r)), np.asarray(curve.at(r)), color=COLORS[0], alpha=0.08)
    for border in (curve.perfect, curve.worst):
        ax.plot(border.x, border.y, color="#999999", linewidth=0.8)
    corner = (4 / n, pi * 2 / table.n_pos + (1 - pi) * (1 - 2 / table.n_neg))
    places = [(float(curve.x[1]), float(curve.y[1])), corner, (float(curve.x[2]), float(curve.y[2]))]
    ax.fill(*zip(*places, strict=True), color=COLORS[1], alpha=0.3)
    on_line = float(curve.at(corner[0]))
    ax.plot([corner[0]] * 2, [corner[1], on_line], color=COLORS[1])
    ax.annotate("H", (corner[0], (corner[1] + on_line) / 2), xytext=(4, 0), textcoords="offset points")
    for number, (x, y) in enumerate(places, start=1):
        ax.annotate(f"$P_{number}$", (x, y), xytext=(-4, -12 if number == 2 else 6), textcoords="offset points")
    for name, other in (("A", places[0]), ("B", places[2])):
        # the middle of the part on this side of H
        x, y = np.mean([other, corner, (corner[0], on_line)], axis=0)
        ax.annotate(f"$T_{name}$", (x, y), ha="center", va="center", fontsize=9)
    for number, (x, y) in enumerate(places, start=1):
        ax.plot([x, x], [0, y], ":", color="#555555", linewidth=0.8)
        ax.annotate(f"$r_{number}$", (x, 0), xytext=(3, 4), textcoords="offset points")
    ax.plot(curve.x, curve.y, "o-", color=COLORS[0], markersize=4)
    ax.set(xlabel="rate", ylabel="accuracy", xlim=(0, 1), ylim=(0, 1.03), title="Figure 4: triangle of a group of ties")
    return figure


def picture_5() -> Any:
    """Draw the five densities."""
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(5.2, 3.4), layout="constrained")
    r = np.linspace(0, 1, 401)
    for density, color in zip(BETAS, COLORS, strict=True):
        ax.plot(r, density.magnification().derivative(r), color=color, label=str(density))
    ax.set(xlabel="rate", ylabel="density", ylim=(0, None), title="Figure 5")
    ax.legend(frameon=False, fontsize=8)
    return figure


def picture_6(measured: Measured) -> Any:
    """Draw AUC and NDCG of the models over rAUC."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(11, 3.8), layout="constrained", sharex=True)
    for ax, values, name in zip(
        axes,
        (measured.auc, measured.printed_ndcg, measured.ndcg),
        ("AUC", "NDCG, K of Eq. 16 as printed", "NDCG, ideal DCG"),
        strict=True,
    ):
        for column, density, color, marker in zip(measured.rauc.T, BETAS, COLORS, MARKERS, strict=True):
            ax.plot(
                column, values, marker, markersize=3.5, markeredgewidth=0.6, alpha=0.6, color=color, label=str(density)
            )
        ax.set(xlabel="rAUC", ylabel=name)
    axes[0].legend(frameon=False, fontsize=8, markerscale=2)
    return figure


def picture_7(topics: Any, folds: Any) -> Any:
    """Draw consensus ROC curves by rate averaging, of runs over topics and of learners over folds."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 4.3), layout="constrained")
    for ax, grouped, title in (
        (axes[0], topics, f"CLEF 2017, {len(topics)} topics"),
        (axes[1], folds, "credit_g, ten folds"),
    ):
        _consensus(ax, grouped)
        ax.set(xlabel="FPR", ylabel="TPR", xlim=(0, 1), ylim=(0, 1.01), title=title)
    return figure


def _consensus(ax: Axes, grouped: Any) -> None:
    for name, color, style in zip(grouped.rankers, COLORS, STYLES, strict=False):
        curve = grouped.average_curve(name, "roc", "rate")
        auc, rauc = (grouped.mean(name, metric).value for metric in ("auc", RAUC))
        ax.plot(curve.x, curve.y, style, color=color, label=f"{name}: rAUC {rauc:.3f}, AUC {auc:.3f}")
    ax.plot([0, 1], [0, 1], color="#999999", linewidth=0.8)
    ax.legend(frameon=False, fontsize=8, loc="lower right", title="means over groups", title_fontsize=8)


# ---- the whole


def main(argv: Sequence[str] | None = None) -> int:
    """Run everything."""
    args = arguments(__doc__, argv)
    warnings.simplefilter("ignore", hc.errors.HitcurveWarning)  # of documents that a run leaves out
    rows = [*figure_1_rows(), *theorem_rows(), *elicitation_rows(), *weight_rows()]
    with timed("Algorithm 1"):
        rows += algorithm_rows(24 if args.quick else 240)
    path = public_data(args, "screening/clef2017_tar_runs.csv.gz")
    if path is None or public_data(args, "uci/vote.csv") is None:
        return conclude(rows)
    with timed("models"):
        models = list(uci.models(args.data))
        measured = Measured.of(models, unseen=True, classes=True, rarer=True)
    choices, ranges, per_set = ([], {}, []) if args.quick else open_choices(args.data)
    with timed("groups"):
        topics = screening(path, 6 if args.quick else None)
        folds = ten_folds(args.data, 40 if args.quick else 200)
    rows += [*table_1_rows(measured, ranges), *models_rows(measured), *review_rows(topics, folds)]
    if not args.quick:
        rows += fitted_rows(choices, per_set)
    figures = {
        "figure_1": picture_1,
        "figure_2": picture_2,
        "figure_3": picture_3,
        "figure_4": picture_4,
        "figure_5": picture_5,
        "figure_6": lambda: picture_6(measured),
        "figure_7": lambda: picture_7(topics, folds),
    }
    if args.quick:
        draw_into_nothing(figures)
    else:
        tested = tests("CLEF 2017", topics, ("paired-t", "wilcoxon"))
        tables = {
            "models": [_line(*pair) for pair in zip(models, _records(measured), strict=True)],
            "open_choices": choices,
            "class_by_data_set": per_set,
            "tests": [*tested, *tests("credit_g", folds, ("paired-t", "corrected-t"))],
        }
        FOLDER.write_all(rows, tables, figures, f"seed {SEED}")
    return conclude(rows)


def _records(measured: Measured) -> Iterator[Line]:
    for auc, ndcg, printed, rauc in zip(*measured[:4], strict=True):
        own = {f"rauc {name}": round(float(value), 5) for name, value in zip(NAMES, rauc, strict=True)}
        yield {"auc": round(auc, 5), "ndcg": round(ndcg, 5), "ndcg of Eq. 16": round(printed, 5), **own}


def _line(model: uci.Model, record: Line) -> Line:
    named = {"data": model.task.file, "label": model.task.label, "positive": model.task.positive}
    return {**named, "learner": model.learner, "sample": model.sample, "n": int(model.unseen.sum()), **record}


if __name__ == "__main__":
    sys.exit(main())
