"""Su, Yuan and Zhu 2015, average precision against AUC: its examples, theorems, simulation, tables and figures.

``python -m papers.su_yuan_zhu [--quick]``. The mammography tables are exact, since their counts are public. The
prostate spectra are public in duplicate, and how the paper joined the two of a man is not known: here by their mean,
and beside it by every other rule that was tried. A minute; writes ``papers/results/su_yuan_zhu``.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import math
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import rankdata, spearmanr

import hitcurve as hc
from papers.frame import (
    Folder,
    Line,
    Row,
    arguments,
    by_error,
    by_range,
    conclude,
    draw_into_nothing,
    in_part,
    matched,
    misprint,
    public_data,
    refuted,
    rounds_to,
    shown_here,
    stated,
    timed,
)

Array: TypeAlias = npt.NDArray[Any]

FOLDER = Folder("su_yuan_zhu")
SEED = 1310
B = 5000  # bootstrap samples, as in the paper
AP, AUC = hc.metric("ap"), hc.metric("auc")
EXACT = 1e-12  # what rounding may do to identities

# ---- what the paper prints

MAMMOGRAPHY = {  # Table 5: AUC, AP and its three standard errors
    "digital": ("0.753", "0.144", "0.0197", "0.0197", "0.0194"),
    "film": ("0.735", "0.166", "0.0219", "0.0216", "0.0215"),
}
PEAKS = {  # Table 4: AP and its three standard errors
    "3896.641": ("0.878", "0.0345", "0.0344", "0.0344"),
    "8355.562": ("0.856", "0.0336", "0.0339", "0.0340"),
    "8141.232": ("0.850", "0.0319", "0.0324", "0.0321"),
    "8295.641": ("0.833", "0.0328", "0.0327", "0.0327"),
    "5074.164": ("0.833", "0.0403", "0.0405", "0.0403"),
    "4071.184": ("0.831", "0.0368", "0.0364", "0.0366"),
    "6949.220": ("0.824", "0.0414", "0.0415", "0.0413"),
    "9149.121": ("0.822", "0.0378", "0.0380", "0.0378"),
    "5914.398": ("0.811", "0.0355", "0.0345", "0.0355"),
    "28142.463": ("0.803", "0.0395", "0.0394", "0.0402"),
    "7819.751": ("0.802", "0.0424", "0.0427", "0.0423"),
    "7195.206": ("0.796", "0.0317", "0.0316", "0.0318"),
    "16264.029": ("0.790", "0.0320", "0.0321", "0.0319"),
    "7775.625": ("0.786", "0.0441", "0.0451", "0.0442"),
    "8544.842": ("0.776", "0.0388", "0.0389", "0.0390"),
}
COPIES = (1, 10, 100)
INFLATED = {  # Table 6: AUC and AP with every control once, ten and a hundred times
    "8355.562": (("0.849", "0.783", "0.783"), ("0.856", "0.606", "0.571")),
    "7819.751": (("0.850", "0.857", "0.857"), ("0.802", "0.370", "0.062")),
    "8141.232": (("0.810", "0.773", "0.773"), ("0.850", "0.572", "0.468")),
    "5074.164": (("0.886", "0.869", "0.869"), ("0.833", "0.306", "0.043")),
}
# AUC as printed: in Table 6, and in the slides
PRINTED_AUC = {peak: printed[0][0] for peak, printed in INFLATED.items()} | {"6949.220": "0.881", "9149.121": "0.832"}
PAIRS = {"A": ("8355.562", "7819.751"), "B": ("8141.232", "5074.164")}
CORRELATED = {0.5: "0.020", 0.7: "0.015", 0.9: "0.009"}  # section 5.2

JOINED = "the two spectra of a man are joined by their mean here, and how they were in the paper is not known"
OUT_OF_REACH = ("9149.121", "5914.398", "28142.463")  # no rule of joining and no order of ties gives their AP


# ---- sections 2 and 3


def examples() -> Iterator[Row]:
    """Yield section 2: the random and the perfect test, Proposition 1, Tables 1 and 2."""
    worst = {"auc random": 0.0, "ap random": 0.0, "auc perfect": 0.0, "ap perfect": 0.0}
    for n1, n in ((500, 1000), (10, 1000), (335, 42745)):
        random, perfect = hc.HitTable.from_counts([n1], [n - n1]), hc.HitTable.from_counts([n1, 0], [0, n - n1])
        for name, value, true in (
            ("auc random", AUC.value(random), 0.5),
            ("ap random", AP.value(random), n1 / n),
            ("auc perfect", AUC.value(perfect), 1.0),
            ("ap perfect", AP.value(perfect), 1.0),
        ):
            worst[name] = max(worst[name], abs(float(value) - true))
    for name, text in (
        ("auc random", "AUC = 1/2"),
        ("ap random", "AP = pi"),
        ("auc perfect", "AUC = 1"),
        ("ap perfect", "AP = 1"),
    ):
        item = f"section 2.4, {'a random' if 'random' in name else 'a perfect'} test"
        yield stated(item, text, f"to {worst[name]:.1g}", worst[name] < EXACT)
    yield from proposition_1()
    yield from confusion()
    yield from groups_of_scores()


def proposition_1() -> Iterator[Row]:
    """Yield what holds for every hit curve, on that of digital mammography."""
    table = hc.datasets.mammography()["digital"]
    curve, pi = hc.hit_curve(table), table.prevalence
    x, y = curve.x, curve.y
    ends = max(abs(float(y[0])), abs(float(y[-1]) - pi))
    slopes = np.diff(y) / np.diff(x)
    area = float(np.sum(np.diff(y) * (y[1:] + y[:-1]) / 2))  # h is straight between its points
    yield stated("Proposition 1 (a)", "h(0) = 0, h(1) = pi", f"to {ends:.1g}", ends < EXACT)
    inside = bool(np.all((slopes >= 0) & (slopes <= 1)))
    yield stated("Proposition 1 (b)", "0 <= h' <= 1", f"{slopes.min():.3g} to {slopes.max():.3g}", inside)
    gap = abs(area - pi**2 / 2)
    yield stated("Proposition 1 (c)", "int h dh = pi^2/2", f"to {gap:.1g}", gap < EXACT)


def confusion() -> Iterator[Row]:
    """Yield Tables 1 and 2 at every cut of digital mammography: their cells from d, h and n, n1."""
    table = hc.datasets.mammography()["digital"]
    d, h = np.cumsum(table.pos + table.neg), np.cumsum(table.pos)
    n, n1 = table.n, table.n_pos
    counts = shares = 0.0
    for k, hits in zip(d, h, strict=True):
        cut = table.confusion(k=int(k))
        printed = np.array([hits, n1 - hits, k - hits, (n - k) - (n1 - hits)])
        counts = max(counts, float(np.abs(printed - [cut.tp, cut.fn, cut.fp, cut.tn]).max()))
        t, pi, height = k / n, n1 / n, hits / n
        ours = [pi * cut.sensitivity, cut.rate, (1 - pi) * cut.specificity]
        shares = max(shares, float(np.abs(np.array([height, t, (1 - t) - (pi - height)]) - ours).max()))
    yield stated("Table 1, confusion matrix in counts", "cells from h(k), d(k), n1, n", f"to {counts:.1g}", counts == 0)
    yield stated("Table 2, in proportions", "cells from h(t), t, pi", f"to {shares:.1g}", shares < EXACT)


def groups_of_scores() -> Iterator[Row]:
    """Yield Table 3 from the subjects of the two mammographies, one by one."""
    for name, table in hc.datasets.mammography().items():
        y, score = subjects(table)
        grouped = hc.HitTable.from_scores(y, score)
        z, other = ([int(np.sum(score[y == label] == k)) for k in range(7, 0, -1)] for label in (1, 0))
        same = grouped.pos.tolist() == z and grouped.neg.tolist() == other
        totals = (grouped.n_pos, grouped.n_neg, grouped.n) == (sum(z), sum(other), y.size)
        yield stated(
            f"Table 3, {name}: groups of one score",
            "Z_k, Z'_k, S_k; n1, n0, n",
            f"{grouped.pos.size} groups, {sum(z)}, {sum(other)}, {y.size}",
            same and totals,
        )


def subjects(table: hc.HitTable) -> tuple[Array, Array]:
    """Return label and score of every subject; the scores are K for the first row, and 1 for the last."""
    counts = np.stack([table.pos, table.neg], axis=1)
    row, other = np.divmod(np.repeat(np.arange(counts.size), counts.ravel()), 2)
    return 1 - other, table.pos.size - row


FIGURE_1 = (hc.QuasiConcave(0.3, 0.45, 0.2), hc.QuasiConcave(0.3, 0.45, 0.2).with_same_auc(0.8))


def figure_1() -> Iterator[Row]:
    """Yield what Figure 1 shows: two curves of one AUC, of which that with the larger momentum has the larger AP."""
    first, second = FIGURE_1
    gap = abs(first.auc - second.auc)
    yield stated("Figure 1, AUC of the two curves", "equal", f"{first.auc:.4f}, {second.auc:.4f}", gap < EXACT)
    yield stated(
        "Figure 1, AP of the two curves",
        "larger for the larger beta",
        f"{first.ap:.4f}, {second.ap:.4f}",
        first.beta < second.beta and first.ap < second.ap,
    )


@dataclass(frozen=True)
class OnGrid:
    """A quasi-concave model, with the same by other ways.

    Attributes
    ----------
    model : QuasiConcave
    found : float
        Share of the positives found by the change point, alpha beta / pi.
    """

    model: hc.QuasiConcave
    found: float

    @property
    def line(self) -> Line:
        """What goes into a file."""
        m = self.model
        return {
            "pi": m.prevalence,
            "beta": round(m.beta, 6),
            "found": round(self.found, 6),
            "alpha": float(f"{m.alpha:.8g}"),
            "auc": round(m.auc, 6),
            "ap": round(m.ap, 6),
            "approximate_ap": round(m.approximate_ap, 6),
            "scaled_error": round(self.error, 6),
            "ratio": round(self.ratio, 6),
        }

    @property
    def error(self) -> float:
        """The error of Theorem 2, on the scale on which a random test is 0 and a perfect one 1."""
        m = self.model
        return (m.approximate_ap - m.ap) / (1 - m.prevalence)

    @property
    def momentum_error(self) -> float:
        """Momentum by Eq. 14 minus beta; nan for a random test, which has none."""
        scaled = 2 * self.model.auc - 1
        return -self.error / scaled if scaled > EXACT else math.nan

    @property
    def ratio(self) -> float:
        """Momentum by Eq. 14 over beta, which is scaled AP over what Theorem 2 says of it."""
        return 1 + self.momentum_error / self.model.beta


PREVALENCES = (0.5, 0.1, 0.01)


def grid(size: int) -> list[OnGrid]:
    """Return models of three prevalences, of momenta from pi to 1, of stamina from 0 to pi / beta.

    Even in the logarithms of beta and of the share found, but for a share of 0: where pi is small, the rest of a
    straight grid is all near the perfect test.
    """
    models = []
    for pi, u, found in product(PREVALENCES, np.linspace(0, 1, size), [0.0, *np.geomspace(0.01, 1, size)]):
        beta = float(pi ** (1 - u))
        models.append(OnGrid(hc.QuasiConcave(min(found * pi / beta, pi / beta), beta, pi), float(found)))
    return models


def by_quadrature(m: hc.QuasiConcave) -> tuple[float, float]:
    """Return AUC and AP of a model by Eqs. 3 and 5, integrated numerically."""
    pi, bend = m.prevalence, m.alpha
    options: dict[str, Any] = {"epsabs": 1e-13, "epsrel": 1e-12, "limit": 200}
    slope = (pi - m.alpha * m.beta) / (1 - bend) if bend < 1 else 0.0
    area = sum(quad(lambda t: float(m(t)), *ends, **options)[0] for ends in ((0, bend), (bend, 1)))
    early = m.beta**2 * bend
    late = quad(lambda t: float(m(t)) / t * slope, bend, 1, **options)[0] if bend < 1 else 0.0
    return (area - pi**2 / 2) / (pi * (1 - pi)), (early + late) / pi


def theorems(models: Sequence[OnGrid]) -> Iterator[Row]:
    """Yield Theorems 1 and 2 on the grid."""
    inner = [g.model for g in models if g.found > 0 and g.model.beta > g.model.prevalence]
    where = f"on {len(models)} (alpha, beta, pi)"
    by_other = [by_quadrature(m) for m in inner]
    auc = max(abs(m.auc - other[0]) for m, other in zip(inner, by_other, strict=True))
    ap = max(abs(m.ap - other[1]) for m, other in zip(inner, by_other, strict=True))
    yield stated(f"Eq. 8, AUC of the model, {where}", "Eq. 3 integrated", f"to {auc:.1g}", auc < 1e-9)
    yield stated(f"AP of the model, before Eq. 10, {where}", "Eq. 5 integrated", f"to {ap:.1g}", ap < 1e-9)
    same, other, smaller = 0.0, math.inf, 0
    for m in inner:
        beta = (m.beta + 1) / 2
        if beta <= m.beta:
            continue
        twin = m.with_same_auc(beta)
        same = max(same, abs(twin.auc - m.auc))
        smaller += twin.alpha < m.alpha and twin.ap >= m.ap - EXACT
        changed = hc.QuasiConcave(twin.alpha * 0.9, beta, m.prevalence)
        other = min(other, m.auc - changed.auc)
    checked = sum(m.beta < 1 for m in inner)
    yield stated(f"Theorem 1, if, {where}", "AUC equal", f"to {same:.1g}", same < EXACT)
    yield stated(f"Theorem 1, only if, {where}", "AUC differs", f"by at least {other:.2g}", other > 0)
    yield stated(
        f"section 3.3, larger beta of one AUC, {where}",
        "smaller alpha, larger AP",
        f"{smaller} of {checked}",
        smaller == checked,
    )
    highest = max(g.error for g in models)
    yield shown_here(
        f"Theorem 2, sign of the error, {where}",
        f"at most {max(highest, 0.0):.1g}",
        highest < EXACT,
        "-log(alpha) is above 1 - alpha: beta x scaled AUC is never larger than scaled AP; it is equal at alpha = 0 "
        "and alpha = pi / beta",
    )
    for pi in PREVALENCES:
        of = [g for g in models if g.model.prevalence == pi and g.found > 0 and g.model.beta > pi]
        worst, most = min(of, key=lambda g: g.error), max(of, key=lambda g: g.ratio)
        within = float(np.mean([g.ratio <= 1 + NEAR for g in of]))
        yield refuted(
            f"Theorem 2, size of the error, pi = {pi:g}",
            "scaled AP is about beta x scaled AUC",
            f"up to {-worst.error:.3f} below it; within a tenth of it at {within:.0%} of {len(of)} (alpha, beta)",
            within == 1,
            f"lowest at {_said(worst.model)}; held to be within a tenth",
        )
        yield refuted(
            f"Eq. 14 on the model itself, pi = {pi:g}",
            "beta",
            f"beta to {most.ratio:.2f} beta",
            most.ratio <= 1 + NEAR,
            f"the same error as a share; largest at {_said(most.model)}, of AUC {most.model.auc:.3f}: the less is "
            "found before the change point, the more; held to be within a tenth",
        )


def _said(m: hc.QuasiConcave) -> str:
    return f"pi = {m.prevalence:g}, beta = {m.beta:.3g}, alpha = {m.alpha:.3g}"


# ---- section 3.5


@dataclass(frozen=True)
class Scenario:
    """A simulated test: prevalence, and the shift of the positives."""

    pi: float
    shift: float

    def draw(self, rng: np.random.Generator, n: int = 500) -> hc.HitTable:
        """Return a sample of n."""
        n1 = round(n * self.pi)
        scores = np.concatenate([rng.normal(self.shift, 1, n1), rng.normal(0, 1, n - n1)])
        return hc.HitTable.from_scores(np.arange(n) < n1, scores)


NEAR = 0.1  # share within which something is said to be near
WEAK, STRONG = 0.5, 2.0
SCENARIOS = tuple(Scenario(pi, shift) for pi in (0.1, 0.5) for shift in (WEAK, STRONG))


def simulation(draws: int) -> tuple[list[Line], list[Line]]:
    """Return means over samples of the momentum by Eq. 14 and of what it stands for; and the samples drawn first."""
    lines, pictures = [], []
    for scenario, seed in zip(SCENARIOS, np.random.SeedSequence(SEED).spawn(len(SCENARIOS)), strict=True):
        rng = np.random.default_rng(seed)
        top = round(500 * scenario.pi / 2)
        precision = hc.metric(f"precision@{top}")
        found = []
        for i in range(draws):
            table = scenario.draw(rng)
            fit = hc.fit_quasi_concave(table)
            found.append([hc.metric("momentum").value(table), fit.beta, fit.alpha, float(precision.value(table))])
            if not i:
                ranks = np.flatnonzero(table.pos) + 1  # no ties: a row is a rank
                pictures += [{"pi": scenario.pi, "shift": scenario.shift, "rank": int(rank)} for rank in ranks]
        values = np.array(found)
        mean, sd = values.mean(0), values.std(0, ddof=1)
        lines.append(
            {
                "pi": scenario.pi,
                "shift": scenario.shift,
                "draws": draws,
                "momentum": round(float(mean[0]), 4),
                "momentum_sd": round(float(sd[0]), 4),
                "above_1": round(float(np.mean(values[:, 0] > 1)), 4),
                "fitted_beta": round(float(mean[1]), 4),
                "fitted_alpha": round(float(mean[2]), 4),
                "top": top,
                "precision_of_top": round(float(mean[3]), 4),
                "distance_to_fit": round(float(np.abs(values[:, 0] - values[:, 1]).mean()), 4),
            }
        )
    return lines, pictures


def about_simulation(lines: Sequence[Line]) -> Iterator[Row]:
    """Yield the claim of section 3.5 for each scenario."""
    for line in lines:
        momentum, top = line["momentum"], line["precision_of_top"]
        item = f"section 3.5 and Figure 2, pi = {line['pi']:g}, Delta = {line['shift']:g}: beta of Eq. 14"
        claim = "near the initial true positive rate"
        share = momentum / top
        ours = (
            f"{momentum:.3f}, {share:.2f} of the precision of the top {line['top']}, {top:.3f}; "
            f"fitted beta {line['fitted_beta']:.3f}"
        )
        near = abs(share - 1) <= NEAR
        reason = (
            f"means over {line['draws']} samples; the picture has no numbers; the initial rate is taken as the "
            "precision of half as many as there are positives, and near as within a tenth of it"
        )
        if line["shift"] == WEAK:
            more = "; as on the model, Eq. 14 is too large, and most where a test is weak"
            yield refuted(item, claim, ours, near, reason + more)
        else:
            yield in_part(item, claim, ours, near, reason)


# ---- section 4: weights, standard errors


def eq_15(table: hc.HitTable) -> float:
    """Return the AUC as the paper's Eq. 15 has it, sums of hits on whole groups."""
    n, n1, n0 = table.n, table.n_pos, table.n_neg
    h, size = np.cumsum(table.pos) / n1, (table.pos + table.neg) / n
    return float(n / n0 * (h @ size) - n1 / n0 / 2)


def eq_24(table: hc.HitTable, p: Array, q: Array) -> float:
    """Return AP as Eq. 24 has it, from estimates of the shares of both classes."""
    P, Q, pi = np.cumsum(p), np.cumsum(q), table.prevalence
    return float(np.sum(p * pi * P / (pi * P + (1 - pi) * Q)))


def weights(table: hc.HitTable) -> dict[str, Array]:
    """Return the weights of the rows: w of AP, w' of AUC as printed, and what w' must be for the AUC."""
    size = (table.pos + table.neg) / table.n
    return {
        "w": hc.rank_weights(AP, table),
        "w_prime": np.cumsum(size[::-1])[::-1],
        "w_auc": hc.rank_weights(AUC, table),
    }


PRINTED_EQ_15 = "n/n0 sum w'_k Z_k/n1 - n1/(2 n0)"


def about_weights() -> tuple[list[Row], list[Line]]:
    """Return what the weights sum to, and the weights of the two mammographies."""
    rows, lines = [], []
    for name, table in hc.datasets.mammography().items():
        share, w = table.pos / table.n_pos, weights(table)
        lines += [
            {"type": name, "score": 7 - k, "share": float(f"{share[k]:.6g}")}
            | {key: float(f"{values[k]:.6g}") for key, values in w.items()}
            for k in range(7)
        ]
        gap = abs(float(w["w"] @ share) - AP.value(table))
        rows.append(stated(f"Eq. 17, {name}: sum of w_k Z_k/n1", "AP", f"to {gap:.1g}", gap < EXACT))
        gap = abs(float(w["w_auc"] @ share) - AUC.value(table))
        rows.append(
            shown_here(
                f"weights of the AUC, {name}: sum of (1 - (Q_(k-1) + Q_k)/2) Z_k/n1",
                f"AUC to {gap:.1g}",
                gap < EXACT,
                "what a positive is worth in the AUC: one minus the false positive rate in the middle of its group",
            )
        )
        rows += [eq_15_row(name, table), shares_row(name, table)]
    rank = np.arange(1, 21)
    label = np.isin(rank, [1, 2, 5, 9, 14])
    full = hc.HitTable.from_scores(label, -rank)
    w = weights(full)
    gap = float(np.abs(w["w_prime"] - (20 - rank + 1) / 20).max())
    rows.append(stated("section 4.2, no ties: w'_k", "(n - k + 1)/n", f"to {gap:.1g}", gap < EXACT))
    gap = float(np.abs(w["w"] - np.cumsum(full.pos) / rank).max())
    rows.append(stated("section 4.2, no ties: w_k", "h(k)/k", f"to {gap:.1g}", gap < EXACT))
    plus, minus = ((20 - rank + sign) / 20 for sign in (1, -1))
    from_here_on = np.array([np.mean(rank >= k) for k in rank])  # the sum of S_j/n from k on
    rows.append(
        misprint(
            "section 4.2, text: weight of a positive at k1",
            "(n - k1 - 1)/n",
            "(n - k1 + 1)/n",
            bool(np.allclose(plus, from_here_on) and minus[-1] < 0),
            "the sum of S_j/n from k1 on, and the formula above it in the paper; at k1 = n the printed one is negative",
        )
    )
    area = float(exact_auc(full.pos.tolist(), full.neg.tolist()))
    right = eq_15(full) - 1 / (2 * full.n_neg)
    rows.append(
        misprint(
            "Eq. 15, no ties",
            PRINTED_EQ_15,
            "n/n0 sum w'_k Z_k/n1 - (n1 + 1)/(2 n0)",
            abs(right - area) < EXACT < eq_15(full) - area,
            f"as printed a positive stands above itself, and it is 1/(2 n0) too much: {eq_15(full):.4f} on 20, of "
            f"whose pairs {area:.4f} are in order",
        )
    )
    return rows, lines


def eq_15_row(name: str, table: hc.HitTable) -> Row:
    """Return what Eq. 15 gives on a table with ties."""
    area, printed = float(exact_auc(table.pos.tolist(), table.neg.tolist())), MAMMOGRAPHY[name][0]
    other = eq_15(table)
    return misprint(
        f"Eq. 15, {name}",
        PRINTED_EQ_15,
        "sum (1 - (Q_(k-1) + Q_k)/2) Z_k/n1",
        rounds_to(area, printed) and abs(float(AUC.value(table)) - area) < EXACT and not rounds_to(other, printed),
        f"as printed it is {other:.3f}: a group is taken whole where the area has half of it; Table 5 of the paper "
        f"has {printed}, which is the area, and the share of pairs in order",
    )


def shares_row(name: str, table: hc.HitTable) -> Row:
    """Return what is printed of the shares of class 0."""
    p, printed, right = table.pos / table.n_pos, table.pos / table.n_neg, table.neg / table.n_neg
    wrong, good, ap = eq_24(table, p, printed), eq_24(table, p, right), float(AP.value(table))
    shown = abs(printed.sum() - 1) > NEAR and abs(wrong - ap) > NEAR and abs(right.sum() - 1) + abs(good - ap) < EXACT
    return misprint(
        f"section 4.3, {name}: estimate of q_k",
        "Z_k/(n - n1)",
        "(S_k - Z_k)/(n - n1)",
        bool(shown),
        f"the counts of class 0; as printed they sum to {printed.sum():.4f}, and Eq. 24 gives {wrong:.3f}, not the AP",
    )


def appendix_b(table: hc.HitTable) -> float:
    """Return the standard error of AP by Appendix B as printed: gradient and Fisher information, K - 1 by K - 1."""
    z, y = table.pos.astype(float), table.neg.astype(float)
    n1, n0, pi = table.n_pos, table.n_neg, table.prevalence
    p, q = z / n1, y / n0
    P, Q = np.cumsum(p), np.cumsum(q)
    C = pi * P + (1 - pi) * Q
    last = len(z) - 1
    information = []
    for counts, shares in ((z, p), (y, q)):
        corner = counts[-1] / shares[-1] ** 2
        information.append(np.diag(counts[:last] / shares[:last] ** 2) + corner)
    down = (p * pi * (1 - pi) * Q / C**2)[:last]
    up = (p * pi * (1 - pi) * P / C**2)[:last]
    of_p = pi * P[:last] / C[:last] + np.cumsum(down[::-1])[::-1] - pi
    of_q = -np.cumsum(up[::-1])[::-1]
    of_pi = float(np.sum(p * P * Q / C**2))
    variance = sum(float(g @ np.linalg.solve(J, g)) for g, J in zip((of_p, of_q), information, strict=True))
    return math.sqrt(variance + of_pi**2 / (n1 / pi**2 + n0 / (1 - pi) ** 2))


def one_by_one(table: hc.HitTable, draws: int, rng: np.random.Generator) -> float:
    """Return the standard error of AP by drawing subjects with replacement, each by itself."""
    label, score = subjects(table)
    code = 2 * (table.pos.size - score) + label
    values = []
    for _ in range(draws):
        cells = np.bincount(code[rng.integers(0, code.size, code.size)], minlength=2 * table.pos.size)
        values.append(float(AP.value(hc.HitTable.from_counts(cells[1::2], cells[::2]))))
    return float(np.std(values, ddof=1))


@dataclass(frozen=True)
class Errors:
    """Standard errors of AP.

    Attributes
    ----------
    formula, parametric, nonparametric, subjects : float
        The last by drawing one subject after the other; the two before it are one and the same draw on the table.
    """

    formula: float
    parametric: float
    nonparametric: float
    subjects: float

    @classmethod
    def of(cls, e: hc.Estimate, table: hc.HitTable, draws: int, seed: Sequence[int]) -> Errors:
        """Estimate them, each bootstrap with draws of its own."""
        rngs = [np.random.default_rng([SEED, *seed, i]) for i in range(3)]
        kinds = ("parametric", "nonparametric")
        sd = [
            float(hc.bootstrap(table, AP, n_resamples=draws, kind=kind, rng=rng).std(ddof=1))
            for kind, rng in zip(kinds, rngs[:2], strict=True)
        ]
        return cls(e.standard_error, sd[0], sd[1], one_by_one(table, draws, rngs[2]))

    @property
    def line(self) -> Line:
        """What goes into a file."""
        return {f"se_{name}": round(value, 6) for name, value in vars(self).items()}


# ---- section 5.2: mammography


def mammography(draws: int) -> tuple[list[Row], list[Line]]:
    """Return Table 5."""
    tables = hc.datasets.mammography()
    ev = hc.evaluate(tables=tables, metrics=["ap", "auc"])
    known = hc.evaluate(tables=tables, metrics="ap", design="case-control")
    rows, lines = [], []
    # a standard error from B draws is itself off by 1/sqrt(2 B) of it, the paper's and ours
    wide = math.hypot(1 / math.sqrt(2 * B), 1 / math.sqrt(2 * draws))
    for i, (name, printed) in enumerate(MAMMOGRAPHY.items()):
        table, ap, auc = tables[name], ev[name, "ap"], ev[name, "auc"]
        errors = Errors.of(ap, table, draws, (5, i))
        rows += [
            matched(f"Table 5, {name}: AUC", printed[0], auc.value),
            matched(f"Table 5, {name}: AP", printed[1], ap.value),
            matched(f"Table 5, {name}: s.e. of AP, asymptotic", printed[2], errors.formula),
        ]
        gap = abs(appendix_b(table) - errors.formula)
        rows.append(stated(f"Appendix B, {name}: s.e. of AP as printed", "is ours", f"to {gap:.1g}", gap < EXACT))
        for kind, text, value in (
            ("parametric bootstrap", printed[3], errors.parametric),
            ("nonparametric bootstrap", printed[4], errors.nonparametric),
        ):
            reason = f"{B} random draws there and {draws} here"
            error = wide * float(text)
            rows.append(by_error(f"Table 5, {name}: s.e. of AP, {kind}", text, value, error, reason))
        lines.append(
            {
                "type": name,
                "auc": round(auc.value, 6),
                "auc_se_delong": round(delong(table), 6),
                "ap": round(ap.value, 6),
                **errors.line,
                "se_prevalence_known": round(known[name, "ap"].standard_error, 6),
            }
        )
    film, digital = ev["film", "ap"], ev["digital", "ap"]
    larger = ev["digital", "auc"].value > ev["film", "auc"].value and film.value > digital.value
    rows.append(stated("section 5.2", "AUC prefers digital, AP film", "so it is", larger))
    women = [tables[name].n for name in MAMMOGRAPHY]
    text = ", ".join(f"{n:,.0f}" for n in women)
    rows.append(stated("section 5.2, women enrolled", "over 42,000", text, all(n > 42_000 for n in women)))
    rows += [matched(f"section 6, prevalence, {name}", "0.0078", tables[name].prevalence) for name in MAMMOGRAPHY]
    return rows, lines


def delong(table: hc.HitTable) -> float:
    """Return DeLong's standard error of the AUC: that of its difference from a score that ranks nobody."""
    y, score = subjects(table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hc.errors.ConstantScoreWarning)
        test = hc.compare(y, score, np.zeros(y.size), metric="auc", method="delong")
    return float(test.difference.standard_error)


def against_correlation() -> tuple[list[Row], list[Line]]:
    """Return the difference of film and digital for every correlation of their APs."""
    ev = hc.evaluate(tables=hc.datasets.mammography(), metrics="ap")
    film, digital = ev["film", "ap"], ev["digital", "ap"]

    def at(rho: float) -> hc.Comparison:
        return hc.compare_from_stats(film, digital, correlation=rho)

    rows = [matched("section 5.2: difference of AP", "0.022", at(0).difference.value)]
    for rho, printed in CORRELATED.items():
        rounded = math.sqrt(2 * 0.02**2 * (1 - rho))
        rows.append(matched(f"section 5.2, rho = {rho:g}: s.e. of the difference, from .02 and .02", printed, rounded))
        error = at(rho).difference.standard_error
        rows.append(
            by_range(
                f"section 5.2, rho = {rho:g}: s.e. of the difference",
                printed,
                error,
                (rounded, error),
                "the paper rounds both standard errors, .0197 and .0219, to .02, and then the result to three decimals",
            )
        )
    threshold = float(brentq(lambda rho: at(rho).pvalue - 0.05, 0, 0.999))
    rows.append(
        stated(
            "section 5.2: significant at 5%, two-sided",
            "if rho is relatively high",
            f"from rho = {threshold:.4f} on",
            0.5 < threshold < 1,
            "which correlation the trial has is not public; the paper gives no threshold",
        )
    )
    lines = []
    for rho in sorted([*np.round(np.arange(0, 1, 0.02), 2).tolist(), 0.99, round(threshold, 4)]):
        d = at(rho)
        lines.append(
            {
                "rho": rho,
                "difference": round(d.difference.value, 6),
                "standard_error": round(d.difference.standard_error, 6),
                "z": round(float(d.statistic), 4),
                "pvalue": float(f"{d.pvalue:.4g}"),
            }
        )
    return rows, lines


# ---- section 5.1: prostate cancer


@dataclass(frozen=True)
class Spectra:
    """The peaks of 165 men, in duplicate.

    Attributes
    ----------
    mz : ndarray (779,)
    late : ndarray of bool (165,)
        Late cancer; the others are normal.
    both : ndarray (2, 165, 779)
    """

    mz: Array
    late: Array
    both: Array

    @classmethod
    def read(cls, folder: Path) -> Spectra:
        """Read the files; the two spectra of a man are neighbours."""
        with (folder / "prostate_seldi_mz.csv").open(encoding="utf-8", newline="") as file:
            mz = np.array([float(line["mz"]) for line in csv.DictReader(file)])
        with gzip.open(folder / "prostate_seldi_spectra.csv.gz", "rt", encoding="utf-8", newline="") as file:
            lines = [line for line in csv.reader(file) if line[3] in ("normal", "cancer_late")]
        values = np.array([line[5:] for line in lines], float)
        late = np.array([line[3] == "cancer_late" for line in lines])
        return cls(mz, late[::2], np.stack([values[::2], values[1::2]]))

    def joined(self, rule: str) -> Array:
        """Return one spectrum of each man."""
        first, second = self.both
        rules = {
            "mean": (first + second) / 2,
            "first": first,
            "second": second,
            "largest": np.maximum(first, second),
            "smallest": np.minimum(first, second),
        }
        return np.asarray(rules[rule])

    def table(self, column: Array) -> tuple[hc.HitTable, str]:
        """Return the table of a peak in the direction in which its AUC is at least one half, and that direction."""
        table = hc.HitTable.from_scores(self.late, column)
        if AUC.value(table) >= 0.5:
            return table, "high"
        return hc.HitTable.from_scores(self.late, column, higher_is_better=False), "low"

    def place(self, peak: str) -> int:
        """Return the column of a peak by its printed mass."""
        (place,) = np.flatnonzero(np.abs(self.mz - float(peak)) < 6e-4)
        return int(place)


RULES = ("mean", "first", "second", "largest", "smallest")


def seldi(spectra: Spectra, draws: int) -> tuple[list[Row], dict[str, list[Line]]]:
    """Return Figures 3 and 4, Tables 4 and 6, and what section 6 says of it."""
    mean = spectra.joined("mean")
    found = {peak: spectra.table(mean[:, spectra.place(peak)]) for peak in PEAKS}
    ev = hc.evaluate(tables={peak: table for peak, (table, _) in found.items()}, metrics=["ap", "auc"])
    joins = by_rule(spectra, PEAKS)
    rows, lines = [*sizes(spectra)], []
    for i, (peak, printed) in enumerate(PEAKS.items()):
        table, direction = found[peak]
        ap, auc = ev[peak, "ap"], ev[peak, "auc"]
        errors = Errors.of(ap, table, draws, (4, i))
        reason = joined(joins, peak, "se")
        by_formula = by_range("", printed[1], errors.formula, over(joins, peak, "se"), reason)
        rows.append(ap_of_peak(peak, printed, ap.value, by_formula, joins))
        for kind, text, value in zip(
            ("asymptotic", "parametric bootstrap", "nonparametric bootstrap"),
            printed[1:],
            (errors.formula, errors.parametric, errors.nonparametric),
            strict=True,
        ):
            # of the draws, twice the error of a standard error from B draws on either side
            room = 0 if kind == "asymptotic" else 2 / math.sqrt(B)
            low, high = over(joins, peak, "se")
            ends, item = (low * (1 - room), high * (1 + room)), f"Table 4, {peak}: s.e. of AP, {kind}"
            by_chance = by_chance_of_another_list(item, text, value, by_formula, printed[1], reason)
            rows.append(by_chance or by_range(item, text, value, ends, reason))
        lines.append(
            {
                "peak": peak,
                "cancer_is": direction,
                "tied": int(table.tied),
                "auc": round(auc.value, 6),
                "ap": round(ap.value, 6),
                **errors.line,
                **dict(
                    zip(("published_ap", "published_se", "published_se_p", "published_se_np"), printed, strict=True)
                ),
            }
        )
    apart = max(abs(line[f"se_{kind}"] / line["se_formula"] - 1) for line in lines for kind in BOOTSTRAPS)
    rows.append(
        stated(
            "section 5.1: asymptotic and bootstrap s.e.",
            "agree closely",
            f"within {apart:.1%} of the formula",
            apart < 4 / math.sqrt(2 * draws),
            f"{draws} random draws each; held to be within four standard errors of theirs",
        )
    )
    tables = {peak: table for peak, (table, _) in found.items()}
    inflated_rows, inflated_lines = inflated(tables, joins)
    top_rows, top_lines = top_15(spectra)
    more = [*out_of_reach(joins), other_ways(spectra), *top_rows, *roc_pairs(tables), *inflated_rows]
    return [*rows, *more, *pairs_inflated(inflated_lines)], {
        "table4": lines,
        "joins": joins,
        "table6": inflated_lines,
        "figure3": top_lines,
        "figure4": [
            {"peak": peak, "positives": int(z), "negatives": int(y)}
            for pair in PAIRS.values()
            for peak in pair
            for z, y in zip(tables[peak].pos, tables[peak].neg, strict=True)
        ],
    }


BOOTSTRAPS = ("parametric", "nonparametric", "subjects")


def sizes(spectra: Spectra) -> Iterator[Row]:
    """Yield how many men and peaks there are, and the peak that the paper gives in two ways."""
    late, normal = int(spectra.late.sum()), int(np.sum(~spectra.late))
    yield matched("section 5.1, n1: late-stage cancer", "83", late)
    yield matched("section 5.1, n0: normal", "82", normal)
    yield matched("section 5.1, potential biomarkers", "779", spectra.mz.size)
    off = float(np.abs(spectra.mz - 3896.614).min())
    (nearest,) = spectra.mz[np.abs(spectra.mz - 3896.614) == off]
    yield misprint(
        "section 5.1, text: mass of the first peak",
        "3896.614",
        f"{nearest:.3f}",
        off > 0.001 and rounds_to(float(nearest), "3896.641"),
        f"the data have no such peak: the nearest is off by {off:.3f}, and is that of Table 4 and of the next sentence",
    )


def by_rule(spectra: Spectra, peaks: Iterable[str]) -> list[Line]:
    """Return what peaks give by every rule of joining, with what ties and copies of the controls do to it."""
    lines = []
    for rule in RULES:
        joined = spectra.joined(rule)
        found = {peak: spectra.table(joined[:, spectra.place(peak)]) for peak in peaks}
        ev = hc.evaluate(tables={peak: table for peak, (table, _) in found.items()}, metrics="ap")
        for peak, (table, direction) in found.items():
            best, worst = table.best_ties(), table.worst_ties()
            copied = {
                f"ap_x{copies}": round(float(AP.value(hc.HitTable.from_counts(table.pos, copies * table.neg))), 4)
                for copies in COPIES[1:]
            }
            lines.append(
                {
                    "rule": rule,
                    "peak": peak,
                    "cancer_is": direction,
                    "ap": round(ev[peak, "ap"].value, 4),
                    "ap_worst_order": round(float(AP.value(worst)), 4),
                    "ap_best_order": round(float(AP.value(best)), 4),
                    "published_ap": PEAKS[peak][0],
                    "se": round(ev[peak, "ap"].standard_error, 4),
                    **copied,
                    "auc": round(float(AUC.value(table)), 4),
                    "auc_worst_order": round(float(AUC.value(worst)), 4),
                    "auc_best_order": round(float(AUC.value(best)), 4),
                    "published_auc": PRINTED_AUC.get(peak, ""),
                }
            )
    return lines


def over(joins: Sequence[Line], peak: str, key: str) -> tuple[float, float]:
    """Return the range of a number of a peak over the rules of joining."""
    of = [float(line[key]) for line in joins if line["peak"] == peak]
    return min(of), max(of)


def ap_of_peak(peak: str, printed: Sequence[str], ap: float, error: Row, joins: Sequence[Line]) -> Row:
    """Return the row of the AP of a peak, which is matched only if its standard error by formula is as well.

    Both follow from one list: with another standard error it is another list, and the AP of it is met by chance.
    """
    item, reason = f"Table 4, {peak}: AP", joined(joins, peak, "ap")
    by_chance = by_chance_of_another_list(item, printed[0], ap, error, printed[1], reason)
    return by_chance or by_range(item, printed[0], ap, over(joins, peak, "ap"), reason)


def by_chance_of_another_list(
    item: str, printed: str, ours: float, error: Row, printed_error: str, reason: str
) -> Row | None:
    """Return the row of a number that is met though the standard error by formula is not; None of any other."""
    another = error.verdict != "matched"
    if not (another and rounds_to(ours, printed)):
        return None
    of = f"to the digit, but of another list, whose standard error is {error.ours:.4f} for {printed_error}"
    return in_part(item, printed, f"{ours:.6g}", another, f"{of}; {reason}")


def joined(joins: Sequence[Line], peak: str, key: str) -> str:
    """Return the reason why a number of a peak is not what is printed, with what the rule of joining does to it."""
    of = [line[key] for line in joins if line["peak"] == peak]
    places = 4 if key == "se" else 3
    ties = "; no order of the tied gives it either" if key == "ap" and peak in OUT_OF_REACH else ""
    return f"{JOINED}; by {len(RULES)} rules {min(of):.{places}f} to {max(of):.{places}f}{ties}"


def out_of_reach(joins: Sequence[Line]) -> Iterator[Row]:
    """Yield the peaks whose published AP no rule of joining gives, in whatever order the tied men are taken."""
    for peak in OUT_OF_REACH:
        of = [line for line in joins if line["peak"] == peak]
        values = [line[key] for line in of for key in ("ap", "ap_worst_order", "ap_best_order")]
        low, high, printed = min(values), max(values), PEAKS[peak][0]
        yield shown_here(
            f"Table 4, {peak}: AP by any of {len(RULES)} rules of joining, in any order of the tied",
            f"{low:.3f} to {high:.3f}, without the published {printed}",
            not low - 0.0005 <= float(printed) <= high + 0.0005,
            "so that something besides joining and ties is not as in the paper",
        )


def other_ways(spectra: Spectra) -> Row:
    """Return how many of the published APs are met by the rules of joining, and by others that are not so near."""
    first, second = spectra.both
    share = spectra.both / spectra.both.sum(axis=2, keepdims=True)
    ways = {rule: spectra.joined(rule) for rule in RULES} | {
        "geometric mean": np.sqrt(first * second),
        "mean of logarithms": np.log1p(spectra.both).mean(axis=0),
        "mean of ranks": rankdata(spectra.both, axis=1).mean(axis=0),
        "mean of shares of a spectrum": share.mean(axis=0),
        "mean, rounded": np.round((first + second) / 2),
    }
    met = {name: _met(spectra, values) for name, values in ways.items()}
    both = Spectra(spectra.mz, np.tile(spectra.late, 2), spectra.both)
    met["both, as two men"] = _met(both, np.concatenate(spectra.both))
    return shown_here(
        "Table 4, APs that are met, of 15",
        ", ".join(f"{name} {count}" for name, count in met.items()),
        max(met.values()) < len(PEAKS) / 2,
        "no way of making one spectrum of two gives half of the table",
    )


def _met(spectra: Spectra, values: Array) -> int:
    return sum(
        rounds_to(float(AP.value(spectra.table(values[:, spectra.place(peak)])[0])), printed[0])
        for peak, printed in PEAKS.items()
    )


def top_15(spectra: Spectra) -> tuple[list[Row], list[Line]]:
    """Return Figure 3: the fifteen peaks of the largest AP among all."""
    names = {spectra.place(peak): peak for peak in PEAKS}
    common, order, by_auc = {}, 0.0, [""]
    lines: list[Line] = []
    for rule in RULES:
        joined = spectra.joined(rule)
        held = np.flatnonzero(joined.any(axis=0)).tolist()
        tables = {i: spectra.table(joined[:, i]) for i in held}
        ap = {i: float(AP.value(table)) for i, (table, _) in tables.items()}
        best = sorted(held, key=lambda i: -ap[i])[:15]
        common[rule] = sum(i in names for i in best)
        if rule == "mean":
            auc = {i: float(AUC.value(table)) for i, (table, _) in tables.items()}
            by_auc = [names.get(i, "") for i in sorted(held, key=lambda i: -auc[i])]
            order = float(
                spearmanr([float(PEAKS[peak][0]) for peak in names.values()], [ap[i] for i in names]).statistic
            )
            lines = [
                {
                    "rank": rank,
                    "peak": f"{spectra.mz[i]:.3f}",
                    "cancer_is": tables[i][1],
                    "ap": round(ap[i], 4),
                    "auc": round(auc[i], 4),
                    "published_ap": PEAKS[names[i]][0] if i in names else "",
                    "published_auc": PRINTED_AUC.get(names.get(i, ""), ""),
                }
                for rank, i in enumerate(best, start=1)
            ]
    others = ", ".join(f"{rule} {count}" for rule, count in common.items())
    return [
        stated(
            f"Figure 3, the 15 largest APs of {spectra.mz.size} peaks",
            "15 peaks",
            f"the same {common['mean']}",
            common["mean"] == 15,
            f"common to the paper's 15 by rule: {others}",
        ),
        in_part(
            "Figure 3, order of the 15 by AP",
            "as listed",
            f"rank correlation {order:.2f}, not 1",
            0.5 < order < 1,
            f"{JOINED}; another order, that agrees in part",
        ),
        *peaks_in_two_orders([line["peak"] for line in lines], by_auc),
    ], lines


APART = ("8355.562", "8141.232", "5074.164", "6949.220", "7819.751")


def peaks_in_two_orders(by_ap: Sequence[str], by_auc: Sequence[str]) -> Iterator[Row]:
    """Yield what is said of peak 3896.641 and of others, from the peaks in the order of AP and of AUC."""
    peak = "3896.641"
    places = by_ap.index(peak) + 1, by_auc.index(peak) + 1
    text = f"number {places[0]} by AP, {places[1]} by AUC"
    yield stated("section 5.1, 3896.641", "a top biomarker by AP and by AUC", text, max(places) <= 2)
    apart = {peak: abs(by_ap.index(peak) - by_auc.index(peak)) for peak in APART}
    yield stated(
        "section 5.1, five peaks",
        "ranked very differently by AP and by AUC",
        ", ".join(f"{peak} by {places}" for peak, places in apart.items()),
        min(apart.values()) >= 3,
        "places between the two orders; held to be three or more",
    )
    yield refuted(
        "Table 4, the largest AP of all",
        peak,
        by_ap[0],
        by_ap[0] == peak,
        f"{JOINED}; 3896.641 is number {places[0]} here",
    )


def roc_pairs(tables: dict[str, hc.HitTable]) -> Iterator[Row]:
    """Yield what Figure 4 shows of two pairs."""
    auc = {peak: float(AUC.value(table)) for peak, table in tables.items()}
    ap = {peak: float(AP.value(table)) for peak, table in tables.items()}
    first, second = PAIRS["A"]
    yield stated(
        "Figure 4 (a), pair A",
        "similar AUC, larger AP of 8355.562",
        f"AUC {auc[first]:.3f}, {auc[second]:.3f}; AP {ap[first]:.3f}, {ap[second]:.3f}",
        abs(auc[first] - auc[second]) < 0.02 and ap[first] > ap[second] + 0.03,
    )
    larger = ap[first] - ap[second]
    first, second = PAIRS["B"]
    yield stated(
        "Figure 4 (b), pair B, AUC",
        "larger of 5074.164",
        f"{auc[first]:.3f}, {auc[second]:.3f}",
        auc[second] > auc[first] + 0.03,
    )
    gap = ap[first] - ap[second]
    yield refuted(
        "Figure 4 (b), pair B, AP",
        "of 8141.232 slightly larger",
        f"{ap[first]:.3f}, {ap[second]:.3f}: larger by {gap:.3f}, as by {larger:.3f} in pair A",
        0 < gap < larger / 2,
        f"what is a larger AP in pair A is no slightly larger one here; held to be less than half of it; {JOINED}",
    )


def exact_auc(pos: Sequence[int], neg: Sequence[int]) -> Fraction:
    """Return the AUC as a fraction: pairs in order and half of the tied ones, over all pairs."""
    below = sum(neg)
    twice = 0
    for z, y in zip(pos, neg, strict=True):
        below -= y
        twice += z * (2 * below + y)
    return Fraction(twice, 2 * sum(pos) * sum(neg))


def inflated(tables: dict[str, hc.HitTable], joins: Sequence[Line]) -> tuple[list[Row], list[Line]]:
    """Return Table 6: what copies of the controls do."""
    rows, lines = [], []
    for peak, (printed_auc, printed_ap) in INFLATED.items():
        table = tables[peak]
        whole = exact_auc(table.pos.tolist(), table.neg.tolist())
        for copies, auc_text, ap_text in zip(COPIES, printed_auc, printed_ap, strict=True):
            more = hc.HitTable.from_counts(table.pos, copies * table.neg)
            auc, ap = float(AUC.value(more)), float(AP.value(more))
            item = f"Table 6, {peak}, n0 x {copies}"
            if copies == 1:
                rows.append(
                    by_range(f"{item}: AUC", auc_text, auc, over(joins, peak, "auc"), joined(joins, peak, "auc"))
                )
            else:
                rows.append(moved(item, printed_auc[0], auc_text, more, whole))
            rows.append(copied_ap(f"{item}: AP", ap_text, ap, (peak, copies), joins))
            lines.append(
                {
                    "peak": peak,
                    "copies": copies,
                    "auc": round(auc, 6),
                    "auc_exact": str(whole),
                    "published_auc": auc_text,
                    "eq_15": round(eq_15(more), 6),
                    "ap": round(ap, 6),
                    "published_ap": ap_text,
                    "ap_at_that_prevalence": round(float(AP.value(table.at_prevalence(more.prevalence))), 6),
                }
            )
    return rows, lines


def copied_ap(item: str, printed: str, ap: float, place: tuple[str, int], joins: Sequence[Line]) -> Row:
    """Return the row of the AP of a peak (the first of ``place``) with so many copies of the controls (the second)."""
    peak, copies = place
    key = "ap" if copies == 1 else f"ap_x{copies}"
    return by_range(item, printed, ap, over(joins, peak, key), joined(joins, peak, key))


def moved(item: str, before: str, after: str, more: hc.HitTable, whole: Fraction) -> Row:
    """Return the row of an AUC that is printed as if copies of the controls had moved it from ``whole``."""
    same = exact_auc(more.pos.tolist(), more.neg.tolist()) == whole and abs(float(AUC.value(more)) - whole) < EXACT
    low, high = (float(AUC.value(order)) for order in (more.worst_ties(), more.best_ties()))
    out = "" if low - 0.0005 <= float(after) <= high + 0.0005 else f"; no order of the tied gives {after}"
    return misprint(
        f"{item}: AUC from n0 x 1",
        f"{before} to {after}",
        f"stays {whole}",
        same and before != after,
        f"pairs in order and tied pairs grow as all pairs do; by the order of the tied {low:.3f} to {high:.3f}{out}",
    )


def pairs_inflated(lines: Sequence[Line]) -> Iterator[Row]:
    """Yield what section 6 says of the two pairs as the controls grow."""
    ap = {(line["peak"], line["copies"]): line["ap"] for line in lines}
    gaps = {name: [ap[first, c] - ap[second, c] for c in COPIES] for name, (first, second) in PAIRS.items()}
    text = {name: ", ".join(f"{gap:.3f}" for gap in of) for name, of in gaps.items()}
    yield stated(
        "section 6, pair A: AP of 8355.562 less that of 7819.751, n0 x 1, 10, 100",
        "even more dramatic",
        text["A"],
        bool(np.all(np.diff(gaps["A"]) > 0)),
    )
    item = "section 6, pair B: AP of 8141.232 less that of 5074.164, n0 x"
    yield refuted(
        f"{item} 1",
        "indifferent",
        f"{gaps['B'][0]:.3f}, and {gaps['A'][0]:.3f} in pair A",
        abs(gaps["B"][0]) < gaps["A"][0] / 2,
        "as large as what pair A differs by; held to be less than half of it",
    )
    yield stated(f"{item} 10, 100", "a substantial margin", text["B"], min(gaps["B"][1:]) > 3 * gaps["B"][0])


# ---- figures


def draw_figure_1() -> Any:
    """Draw two quasi-concave hit curves of one AUC."""
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots(figsize=(5.2, 3.8), layout="constrained")
    t = np.linspace(0, 1, 501)
    for i, m in enumerate(FIGURE_1, start=1):
        ax.plot(
            t, m(t), f"C{i - 1}", label=f"$h_{i}$: α = {m.alpha:.3g}, β = {m.beta:.3g}; AUC {m.auc:.3f}, AP {m.ap:.3f}"
        )
        ax.plot([m.alpha], [m.alpha * m.beta], f"C{i - 1}o", ms=4)
    pi = FIGURE_1[0].prevalence
    ax.plot([0, 1], [0, pi], color="0.6", lw=0.8)
    ax.plot([0, pi, 1], [0, pi, pi], color="0.6", lw=0.8, ls=":")
    ax.annotate("perfect", (pi, pi), (pi + 0.02, pi + 0.004), color="0.4", fontsize=8)
    ax.annotate("random", (0.75, 0.75 * pi), (0.76, 0.75 * pi - 0.018), color="0.4", fontsize=8)
    ax.set(xlabel="rate t", ylabel="hits h(t)", xlim=(0, 1), ylim=(0, 1.12 * pi))
    ax.legend(frameon=False, loc="lower right", fontsize=8)
    return fig


def draw_theorem_2() -> Any:
    """Draw the error of Theorem 2, and that of Eq. 14, over momentum and what is found by the change point."""
    import matplotlib.pyplot as plt
    from matplotlib.colors import BoundaryNorm
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    lines = FOLDER.read("theorem2")
    fig, axes = plt.subplots(2, len(PREVALENCES), figsize=(9.2, 5.8), layout="constrained", sharey=True, sharex="col")
    shown = {
        "scaled_error": (np.array([-0.2, -0.1, -0.05, -0.02, -0.01, -0.005, -0.002, 0]), "viridis"),
        "ratio": (np.array([1, 1.05, 1.1, 1.25, 1.5, 2, 3, 5]), "magma_r"),
    }
    said = ("β × scaled AUC - scaled AP", "β of Eq. 14, over β")
    for row, (key, (levels, colors)), label in zip(axes, shown.items(), said, strict=True):
        norm = BoundaryNorm(levels, 256)
        for ax, pi in zip(row, PREVALENCES, strict=True):
            # a random test has no momentum by Eq. 14, nor has one that finds nothing before its change point
            of = [line for line in lines if float(line["pi"]) == pi and line["ratio"] != "nan"]
            beta, found, error = (np.array([float(line[name]) for line in of]) for name in ("beta", "found", key))
            wide = np.unique(beta).size
            filled = ax.contourf(
                *(values.reshape(wide, -1) for values in (beta, found, error)), levels=levels, cmap=colors, norm=norm
            )
        fig.colorbar(filled, ax=row, label=label, ticks=levels, format="%g")
        row[0].set_ylabel("share found at α, αβ/π")
    for ax, pi in zip(axes[0], PREVALENCES, strict=True):
        ax.set_title(f"π = {pi:g}")
    plain = FuncFormatter(lambda value, _: f"{value:g}")
    for ax, pi in zip(axes[1], PREVALENCES, strict=True):
        ax.set(xlabel="momentum β", xscale="log", yscale="log")
        ticks = {0.5: (0.5, 0.6, 0.8, 1), 0.1: (0.1, 0.2, 0.5, 1), 0.01: (0.01, 0.03, 0.1, 0.3, 1)}[pi]
        for axis, places in ((ax.xaxis, ticks), (ax.yaxis, (0.01, 0.03, 0.1, 0.3, 1))):
            axis.set(major_locator=FixedLocator(places), minor_locator=NullLocator(), major_formatter=plain)
    return fig


def draw_figure_2() -> Any:
    """Draw hit curves of four simulated samples with the line of slope beta of Eq. 14."""
    import matplotlib.pyplot as plt

    lines = FOLDER.read("figure2")
    fig, axes = plt.subplots(2, 2, figsize=(7.6, 5.6), layout="constrained", sharex=True)
    for ax, scenario in zip(axes.flat, SCENARIOS, strict=True):
        key = (scenario.pi, scenario.shift)
        table = hc.HitTable.from_ranks(
            [int(line["rank"]) for line in lines if (float(line["pi"]), float(line["shift"])) == key], n=500
        )
        curve, momentum, fit = hc.hit_curve(table), hc.metric("momentum").value(table), hc.fit_quasi_concave(table)
        t = np.linspace(0, 1, 201)
        ax.plot(curve.x, curve.y, "C0--", label="hit curve")
        ax.plot(t, momentum * t, "C1", label=f"Eq. 14: β = {momentum:.2f}")
        ax.plot(t, fit(t), "C2", lw=0.9, label=f"two pieces, fitted: β = {fit.beta:.2f}, α = {fit.alpha:.2f}")
        ax.set(title=f"π = {scenario.pi:g}, Δ = {scenario.shift:g}", xlim=(0, 1), ylim=(0, 1.1 * scenario.pi))
        ax.legend(frameon=False, fontsize=8, loc="lower right")
    for ax in axes[1]:
        ax.set_xlabel("rate t")
    for ax in axes[:, 0]:
        ax.set_ylabel("hits h(t)")
    return fig


# names that would lie on others, in points from theirs
CROWDED = {"7775.625": (6, -3), "16264.029": (5, -8), "8295.641": (-34, -12), "3896.641": (-44, 5)}


def draw_figure_3() -> Any:
    """Draw AP against AUC of the fifteen peaks, with the published values where they are printed."""
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots(figsize=(6.2, 4.4), layout="constrained")
    ours = {line["peak"]: (float(line["auc"]), float(line["ap"])) for line in FOLDER.read("table4")}
    ax.plot(*zip(*ours.values(), strict=True), "C0o", ms=5, label="ours")
    for peak, (auc, ap) in ours.items():
        if peak not in PRINTED_AUC:
            place = CROWDED.get(peak, (4, 3))
            ax.annotate(peak, (auc, ap), place, textcoords="offset points", fontsize=7, color="0.45")
            continue
        there = float(PRINTED_AUC[peak]), float(PEAKS[peak][0])
        ax.annotate("", there, (auc, ap), arrowprops={"arrowstyle": "-", "color": "C1", "lw": 0.8})
        ax.plot(*there, "C1D", mfc="none", ms=6)
        ax.annotate(peak, there, (4, -10), textcoords="offset points", fontsize=8, color="C1")
    ax.plot([], [], "C1D", mfc="none", ms=6, label="published, where AUC is printed (paper or slides)")
    ax.set(xlabel="AUC", ylabel="average precision (AP)")
    ax.legend(frameon=False, fontsize=8, loc="lower right")
    return fig


def draw_figure_4() -> Any:
    """Draw the ROC curves of the two pairs."""
    import matplotlib.pyplot as plt

    lines = FOLDER.read("figure4")
    fig, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
    for ax, (name, peaks) in zip(axes, PAIRS.items(), strict=True):
        tables = {}
        for peak in peaks:
            of = [line for line in lines if line["peak"] == peak]
            tables[peak] = hc.HitTable.from_counts(
                [int(line["positives"]) for line in of], [int(line["negatives"]) for line in of]
            )
        hc.plot.roc(hc.evaluate(tables=tables, metrics=["auc", "ap"]), legend="inside", ax=ax)
        ax.set_title(f"pair {name}")
    return fig


def draw_correlation() -> Any:
    """Draw z of film minus digital against the correlation of their APs."""
    import matplotlib.pyplot as plt

    lines = FOLDER.read("correlation")
    rho, z = (np.array([float(line[key]) for line in lines]) for key in ("rho", "z"))
    threshold = float(np.interp(1.959964, z, rho))
    fig, ax = plt.subplots(figsize=(5.4, 3.4), layout="constrained")
    ax.plot(rho, z)
    ax.axhline(1.96, color="0.5", lw=0.8, ls="--")
    ax.plot([threshold], [1.96], "C1o")
    ax.annotate(f"ρ = {threshold:.3f}", (threshold, 1.96), (-60, 8), textcoords="offset points", color="C1")
    ax.annotate("5%, two-sided", (0.02, 1.96), (0, 4), textcoords="offset points", color="0.4", fontsize=8)
    ax.set(xlabel="correlation ρ of the two APs", ylabel="z of film - digital", xlim=(0, 1), ylim=(0, 8))
    return fig


FIGURES = {
    "figure1": draw_figure_1,
    "theorem2": draw_theorem_2,
    "figure2": draw_figure_2,
    "figure3": draw_figure_3,
    "figure4": draw_figure_4,
    "correlation": draw_correlation,
}


# ---- all of it


def reproduce(args: argparse.Namespace) -> tuple[list[Row], dict[str, list[Line]]]:
    """Return all rows, and the tables behind them; those of the prostate spectra if the data are there."""
    draws = 500 if args.quick else B
    rows, tables = [*examples(), *figure_1()], {}
    with timed("theorems on the grid"):
        models = grid(7 if args.quick else 17)
        rows += theorems(models)
        tables["theorem2"] = [g.line for g in models]
    with timed("simulation"):
        tables["simulation"], tables["figure2"] = simulation(20 if args.quick else 200)
        rows += about_simulation(tables["simulation"])
    with timed("mammography"):
        for name, (more, lines) in {
            "weights": about_weights(),
            "table5": mammography(draws),
            "correlation": against_correlation(),
        }.items():
            rows += more
            tables[name] = lines
    path = public_data(args, "seldi/prostate_seldi_spectra.csv.gz")
    if path is not None:
        with timed("prostate cancer"):
            more, found = seldi(Spectra.read(path.parent), draws)
            rows += more
            tables |= found
    return rows, tables


def main(argv: Sequence[str] | None = None) -> int:
    """Reproduce the paper, and write what was found unless it is quick."""
    args = arguments(__doc__, argv)
    rows, tables = reproduce(args)
    if args.quick:
        draw_into_nothing(FIGURES)  # from the tables that were written before
    else:
        FOLDER.write_all(rows, tables, FIGURES, f"seed {SEED}, B = {B}")
    return conclude(rows)


if __name__ == "__main__":
    sys.exit(main())
