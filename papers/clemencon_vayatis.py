"""Nonparametric estimation of the precision-recall curve: Clemencon and Vayatis 2009, ICML.

``python -m papers.clemencon_vayatis [--quick]``. Consistency, limit law, variance, coverage of Algorithm 1 against the
naive bootstrap under extreme asymmetry, bandwidth, importance sampling, and rates with and without smoothing. The paper
has no numbers of its own, so that its statements are what is tried, on binormal populations. The long run takes some
twenty minutes, and writes ``papers/results/clemencon_vayatis``; the curves of consistency and the limit law are those
of ``validation.limit_law``. The quick one claims nothing of coverage and rates.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import binom, norm
from validation import limit_law
from validation.bands import scores, truth
from validation.populations import Array, Population
from validation.running import read as validated

import hitcurve as hc
from papers import lemma_3
from papers.frame import (
    MARKS,
    Folder,
    Line,
    Row,
    arguments,
    by_error,
    claimed,
    conclude,
    draw_into_nothing,
    misprint,
    refuted,
    shown_here,
    stated,
    timed,
)

FOLDER = Folder("clemencon_vayatis")
SEED = 2009
SHIFT = 1.5
POPULATION = Population("binormal", SHIFT)
RANGE = (0.1, 0.9)  # the paper's [eps, 1 - eps]
PLACES = np.linspace(*RANGE, 81)
SHARE = 0.2  # of the positives in the whole populations of section 2
FEWEST = 10  # positives; with fewer a simultaneous band is refused


def sample(n: int, p: float, rng: np.random.Generator) -> hc.HitTable:
    """Draw the table of n subjects."""
    y = np.arange(n) < rng.binomial(n, p)
    return hc.HitTable.from_scores(y, scores(POPULATION, y, rng))


def true_precision(p: float, recall: Array = PLACES) -> Array:
    """Return the curve of the population."""
    return truth("precision_recall", POPULATION, p, recall)


# ---- section 2


def whole(worth: Callable[[Array], Array], spread: float = 1.0) -> hc.HitTable:
    """Return the table of a whole population whose subjects are ranked by a function of their score.

    Parameters
    ----------
    worth : callable
    spread : float
        Standard deviation of the positives' scores.
    """
    middle, pos, neg = slices(spread)
    order = np.argsort(-worth(middle), kind="stable")
    return hc.HitTable.from_counts(pos[order], neg[order])


def slices(spread: float = 1.0) -> tuple[Array, Array, Array]:
    """Return the middles of narrow slices of the scores, and the positives and negatives of a population there."""
    ends = np.linspace(-8, 8 + SHIFT, 4001)
    pos, neg = (
        np.rint(1e9 * size * np.diff(norm.cdf(ends, mean, width))).astype(int)
        for size, mean, width in ((SHARE, SHIFT, spread), (1 - SHARE, 0.0, 1.0))
    )
    return (ends[1:] + ends[:-1]) / 2, pos, neg


def curve_rows() -> Iterator[Row]:
    """Yield what sections 2.2 and 2.3 say of true curves, misprints among it."""
    ends = true_precision(SHARE, np.array([1e-4, 1 - 1e-9]))
    text = f"{ends[0]:.4f} at recall .0001, {ends[1]:.4f} at recall 1"
    holds = bool(ends[0] > 0.98 and abs(ends[1] - SHARE) < 1e-6)
    yield stated("sec. 2.2, limits of the curve for an unbounded likelihood ratio", "1 and p", text, holds)
    best = hc.precision_recall_curve(whole(lambda x: x))
    other = hc.precision_recall_curve(whole(lambda x: -np.abs(x - 2.5)))
    text = f"nowhere below; largest distance {best.sup_distance(other, RANGE):.3f}"
    yield stated("sec. 2.2, the likelihood ratio dominates another score", "everywhere", text, best.dominates(other))
    tied = hc.precision_recall_curve(hc.HitTable.from_counts([200], [800]))
    level = np.asarray(tied.at(PLACES))
    yield stated("sec. 2.2, curve without discrimination", "p", f"{level[0]:.3f}", bool(np.allclose(level, SHARE)))
    yield from shape_rows()
    yield from printed_rows()


def shape_rows() -> Iterator[Row]:
    """Yield what Remark 1 says of the two curves."""
    fpr = np.linspace(0, 1, 201)

    def bend(table: hc.HitTable) -> float:
        """Return the largest second difference of the ROC curve: above 0 it is not concave."""
        return float(np.max(np.diff(np.asarray(hc.roc_curve(table).at(fpr)), 2)))

    equal, wide = (whole(lambda x: x, spread) for spread in (1.0, 2.0))
    bends = bend(equal), bend(wide)
    yield stated(
        "Remark 1, ROC is concave if and only if the likelihood ratio is monotone",
        "if and only if",
        f"largest second difference {bends[0]:.2g} where it is, {bends[1]:.2g} where positives spread twice as far",
        bends[0] < 0 < bends[1],
    )
    rise = float(np.max(np.diff(np.asarray(hc.precision_recall_curve(equal).at(PLACES)))))
    yield stated(
        "Remark 1, precision then does not rise with recall",
        "non increasing",
        f"largest step {rise:.2g}",
        rise <= 0,
    )
    _, pos, neg = slices()
    tables = [hc.HitTable.from_counts(pos[::-1], times * neg[::-1]) for times in (1, 10)]
    roc = [float(hc.roc_curve(table).at(0.1)) for table in tables]
    precision = [float(hc.precision_recall_curve(table).at(0.5)) for table in tables]
    yield stated(
        "Remark 1, the rate of positives in either curve, negatives once and ten times",
        "not in the ROC curve",
        f"ROC at .1 {roc[0]:.4f}, {roc[1]:.4f}; precision at recall .5 {precision[0]:.4f}, {precision[1]:.4f}",
        math.isclose(*roc) and precision[1] < precision[0] / 2,
    )


def printed_rows() -> Iterator[Row]:
    """Yield the misprints of sections 2 and 3, each beside the whole population or a sample of it."""
    table = whole(lambda x: x)
    middle, pos, neg = slices()
    roc, curve = hc.roc_curve(table), hc.precision_recall_curve(table)

    def said(found: float, right: float, printed: float) -> tuple[bool, str]:
        shown = abs(right - found) < 1e-3 < abs(printed - found)
        return shown, f"{printed:.3f} as printed, {right:.3f} right, {found:.3f} in a population"

    at = int(np.argmin(np.abs(middle - 0.5)))
    phi = float(norm.pdf(middle[at], SHIFT) / norm.pdf(middle[at]))
    values = (SHARE * phi / (1 - SHARE + SHARE * phi), (1 - SHARE) * phi / (SHARE + (1 - SHARE) * phi))
    shown, text = said(float(pos[at] / (pos[at] + neg[at])), *values)
    yield misprint(
        "sec. 2.2, eta by the likelihood ratio phi",
        "(1 - p) phi/(p + (1 - p) phi)",
        "p phi/(1 - p + p phi)",
        shown,
        f"share of positives at the score {middle[at]:.2f}, p = {SHARE}: {text}",
    )
    score = POPULATION.score(np.array(0.3))
    recall, fpr = (float(of(score)) for of in (POPULATION.tpr, POPULATION.fpr))
    on, off = float(curve.at(recall)), float(curve.at(fpr))
    precision = SHARE * recall / (SHARE * recall + (1 - SHARE) * fpr)
    yield misprint(
        "sec. 2.2, the PR space",
        "points (alpha, beta)",
        "points (beta, precision)",
        abs(on - precision) < 1e-3 and abs(off - recall) > 0.1,
        f"(FPR, recall) is the ROC space: the curve has {on:.3f} at recall {recall:.3f}, which is the precision there, "
        f"and {off:.3f}, not {recall:.3f}, at {fpr:.3f}",
    )
    lowest = float(np.min(np.asarray(curve.at(PLACES))))
    yield misprint(
        "sec. 2.2, the line that the curve is above",
        "beta = p",
        "precision = p",
        lowest > SHARE,
        f"beta is the recall, and that line is vertical; at recalls of {RANGE[0]} to {RANGE[1]} the curve is nowhere "
        f"below {lowest:.3f}, and p is {SHARE}",
    )
    alpha = 0.1
    values = (float(norm.sf(norm.isf(alpha) - SHIFT)), float(1 - norm.cdf(norm.cdf(1 - alpha) - SHIFT)))
    shown, text = said(float(roc.at(alpha)), *values)
    reason = f"H maps scores, not rates; at {alpha}: {text}"
    yield misprint("Remark 1, ROC at alpha", "1 - G(H(1 - alpha))", "1 - G(H^-1(1 - alpha))", shown, reason)
    beta = 0.3
    values = (fpr, float(1 - norm.cdf(norm.cdf(1 - beta - SHIFT))))
    above = np.interp(beta, *(np.cumsum(counts[::-1]) / counts.sum() for counts in (pos, neg)))
    shown, text = said(float(above), *values)
    reason = f"G maps scores, not recalls; at recall {beta}: {text}"
    yield misprint("sec. 2.3, FPR at a recall", "1 - H(G(1 - b))", "1 - H(G^-1(1 - b))", shown, reason)
    areas = [float(hc.metrics.AUC().value(t)) for t in (table, hc.HitTable.from_counts(neg[::-1], pos[::-1]))]
    yield misprint(
        "sec. 3, law of (Z, Y)",
        "p H, (1 - p) G",
        "p G, (1 - p) H",
        areas[0] > 0.5 > areas[1],
        f"G is the law of the positives: AUC {areas[1]:.3f} as printed, {areas[0]:.3f} right",
    )
    printed = 1 - table.n / table.n_pos
    yield misprint(
        "sec. 3, share of negatives in the sample",
        "1 - n/n_+",
        "1 - n_+/n",
        printed < 0 and math.isclose(1 - table.n_pos / table.n, table.n_neg / table.n),
        f"{printed:.1f} as printed, {table.n_neg / table.n:.1f} right",
    )


# ---- section 3: consistency, limit law, variance


def limit_rows(lines: Sequence[dict[str, str]]) -> Iterator[Row]:
    """Yield what the study of the limit law says of Theorem 1."""

    def of(quantity: str, n: int) -> list[dict[str, float]]:
        kept = (line for line in lines if line["quantity"] == quantity and int(line["n"]) == n)
        return [{name: float(line[name]) for name in ("at", "found", "standard_error", "limit")} for line in kept]

    sizes = sorted({int(line["n"]) for line in lines})
    means = [of("largest deviation, mean", n)[0]["found"] for n in sizes]
    slope = float(np.polyfit(np.log(sizes), np.log(means), 1)[0])
    text = f"{means[0]:.4f} at n = {sizes[0]:,} to {means[-1]:.5f} at n = {sizes[-1]:,}, as n^({slope:.3f})"
    yield stated("Theorem 1 (i), mean of the largest deviation", "goes to 0", text, means[-1] < means[0] / 1.5)
    last = sizes[-1]
    for name, quantity in (
        ("s.d. of the deviation at a recall", "scaled deviation, s.d. at recall"),
        ("quantiles of the largest deviation", "scaled largest deviation, quantile"),
    ):
        found = of(quantity, last)
        off = max(abs(x["found"] - x["limit"]) / x["standard_error"] for x in found)
        relative = max(abs(x["found"] / x["limit"] - 1) for x in found)
        text = f"off by at most {100 * relative:.1f}%, {off:.1f} standard errors"
        yield stated(f"Theorem 1 (ii), {name}, n = {last:,}", "those of the limit", text, off < 4)


class Law(NamedTuple):
    """What the limit at one recall is made of.

    Attributes
    ----------
    p, recall, fpr, precision : float
    slope : float
        Of FPR over recall: the ratio of the densities of negatives and positives at the score of that recall.
    misprinted_slope : float
        With G for its inverse, as printed.
    """

    p: float
    recall: float
    fpr: float
    precision: float
    slope: float
    misprinted_slope: float

    @classmethod
    def of(cls, p: float, recall: float) -> Law:
        """Take a recall of the binormal population."""
        score = float(POPULATION.score(np.array(recall)))
        fpr = float(POPULATION.fpr(np.array(score)))
        wrong = float(norm.cdf(1 - recall - SHIFT))
        ratio, misprinted = (float(norm.pdf(x) / norm.pdf(x - SHIFT)) for x in (score, wrong))
        return cls(p, recall, fpr, p * recall / (p * recall + (1 - p) * fpr), ratio, misprinted)

    def terms(self, slope: float) -> tuple[float, float, float]:
        """Return the variances from prevalence, positives and negatives, without PR^4 / b^2."""
        p, b, a = self.p, self.recall, self.fpr
        return (
            (1 - p) * a**2 / p**3,
            (1 - p) ** 2 * b * (1 - b) * slope**2 / p**3,
            (1 - p) * a * (1 - a) / p**2,
        )

    @property
    def factor(self) -> float:
        """PR^4 / b^2."""
        return self.precision**4 / self.recall**2


def variance_rows(draws: int) -> Iterator[Row]:
    """Yield Eq. 9 and the coefficients of Theorem 1, right and as printed, beside a simulation."""
    n, p, recall = 20_000, 0.05, 0.3
    law = Law.of(p, recall)
    of_prevalence, of_pos, of_neg = law.terms(law.slope)
    sd = math.sqrt(law.factor * (of_prevalence + of_pos + of_neg) / n)
    rng = np.random.default_rng([SEED, 9])
    found = [float(hc.precision_recall_curve(sample(n, p, rng)).at(recall)) for _ in range(draws)]
    simulated = float(np.std(found))
    at = f"s.d. of precision at recall {recall}, n = 20,000, p = {p}"
    room = 4 / math.sqrt(2 * draws)
    right = abs(simulated / sd - 1) < room
    yield shown_here(f"Eq. 9 corrected, {at}", f"{sd:.5f}; simulated {simulated:.5f} ({draws} samples)", right)
    for item, printed, corrected, variance in (
        (
            "Eq. 9, PR^4/b^2",
            "with the first term alone",
            "with all three",
            law.factor * of_prevalence + of_pos + of_neg,
        ),
        (
            "Eq. 9, where the densities are taken",
            "G(1 - b)",
            "G^-1(1 - b)",
            law.factor * (of_prevalence + law.terms(law.misprinted_slope)[1] + of_neg),
        ),
        (
            "Theorem 1 (ii), first coefficient",
            "alpha_p/p",
            "alpha_p/sqrt(p)",
            law.factor * (of_prevalence / p + of_pos + of_neg),
        ),
    ):
        wrong = math.sqrt(variance / n)
        shown = right and abs(wrong / simulated - 1) > room
        yield misprint(
            item, printed, corrected, shown, f"{at}: {wrong:.4f} as printed, {sd:.4f} right, {simulated:.4f} simulated"
        )
    for place in ("Remark 3, what is frozen", "sec. 4.2, what is fixed in the pointwise setup"):
        yield misprint(
            place,
            "precision",
            "recall",
            right,
            f"Eq. 9 is the variance of the precision at a recall that is given, as simulated at {recall}",
        )


# ---- section 4: samples without positives, importance sampling


def empty_rows() -> Iterator[Row]:
    """Yield how often a naive bootstrap sample has no positive."""
    n = 10_000
    shares = {n1: float(binom.pmf(0, n, n1 / n)) for n1 in (1, 2, 3, 5, 10, 20)}
    text = ", ".join(f"{share:.2g} with {n1}" for n1, share in shares.items())
    yield refuted(
        "sec. 4, bootstrap samples without a positive",
        "with overwhelming probability",
        text,
        max(shares.values()) > 0.5,
        "positives in the sample; (1 - n1/n)^n is below exp(-n1), and so below .37, however rare positives are; such a "
        "replicate is drawn again",
    )


def empty_samples() -> list[Line]:
    """Return how often a sample, and a bootstrap sample of it, has no positive."""
    return [
        {
            "n": n,
            "p": p,
            "expected_positives": n * p,
            "sample_without": float(f"{binom.pmf(0, n, p):.4g}"),
            "fewer_than_10": float(f"{binom.cdf(FEWEST - 1, n, p):.4g}"),
            "replicate_without": float(f"{binom.pmf(0, n, max(1, round(n * p)) / n):.4g}"),
        }
        for n in (1000, 10_000, 100_000)
        for p in (0.1, 0.02, 0.005, 0.001, 0.0001)
        if n * p >= 1
    ]


def effective_share(n: int, p: float, other: float) -> float:
    """Return the relative effective number of replicates, (p^2/p~ + (1-p)^2/(1-p~))^-n."""
    return float((p**2 / other + (1 - p) ** 2 / (1 - other)) ** -n)


def importance(resamples: int) -> list[Line]:
    """Return the effective number of replicates at prevalences to draw at, by formula and as a band reports it."""
    n, n1, lines = 1000, 20, []
    rng = np.random.default_rng([SEED, 4])
    y = np.arange(n) < n1
    table = hc.HitTable.from_scores(y, scores(POPULATION, y, rng))
    for other in (0.01, 0.015, 0.018, 0.02, 0.022, 0.025, 0.03, 0.05, 0.1, 0.5, "auto"):
        band = hc.band(
            table,
            method="smoothed-bootstrap",
            x_range=RANGE,
            importance=other,
            n_resamples=resamples,
            rng=SEED,
        )
        formula = math.nan if other == "auto" else effective_share(n, n1 / n, float(other))
        share = (band.effective_sample_size or math.nan) / resamples
        lines.append(
            {
                "p~": other,
                "formula": float(f"{formula:.3g}"),
                "found": float(f"{share:.3g}"),
                "replicates": resamples,
                "mean_width": round(band.mean_width, 4),
            }
        )
    return lines


def importance_rows(lines: Sequence[Line]) -> Iterator[Row]:
    """Yield what section 4.1 and Remark 5 say of p~, for n = 1000 with 20 positives."""
    found = {line["p~"]: line for line in lines}
    near, half, auto = found[0.025], found[0.5], found["auto"]
    replicates = half["replicates"]
    text = f"{near['found']:.3f} at p~ = .025, by formula {near['formula']:.3f}"
    holds = abs(near["found"] - near["formula"]) < 0.1
    yield shown_here("sec. 4.1, relative effective number of replicates by the weights of n draws", text, holds)
    yield refuted(
        "sec. 4.1, p~ to draw at",
        "1/2, say",
        f"leaves {half['found'] * replicates:.3g} of {replicates} replicates",
        half["found"] > 0.1,
        f"its relative effective number is {half['formula']:.1g}: the weights of n draws are a product of n factors",
    )
    yield shown_here(
        "Remark 5, the p~ that minimises the variance of the weights",
        f"is the share of positives itself: {auto['found']:.4f} of the replicates count",
        auto["found"] > 0.99,
        "the default draws the number of positives given one, which has the same aim and no weights",
    )


# ---- section 4: coverage


class Method(NamedTuple):
    """A band by name, and its options."""

    name: str
    options: dict[str, Any]


PRINTED, PRINTED_UNDER = "Algorithm 1 as printed", "Algorithm 1 as printed, printed bandwidth"
SMOOTHED = "Algorithm 1, smoothed curve"
MIXED = "Algorithm 1, empirical curve, radius of the smoothed one"
UNDER = "Algorithm 1, smoothed curve, bandwidth of Theorem 2"
HALF, NAIVE, INFLUENCE = "Algorithm 1, p~ = 1/2", "naive bootstrap", "influence values"
METHODS = (
    Method(PRINTED, {"method": "smoothed-bootstrap", "centring": "printed"}),
    Method(PRINTED_UNDER, {"method": "smoothed-bootstrap", "centring": "printed", "bandwidth": "printed"}),
    Method(MIXED, {"method": "smoothed-bootstrap", "centring": "empirical"}),
    Method(SMOOTHED, {"method": "smoothed-bootstrap"}),
    Method(UNDER, {"method": "smoothed-bootstrap", "bandwidth": "theorem"}),
    Method(HALF, {"method": "smoothed-bootstrap", "importance": 0.5}),
    Method(NAIVE, {"method": "bootstrap"}),
    Method(INFLUENCE, {"method": "influence"}),
)
BANDWIDTHS = {PRINTED: "n^(-1/5), of Remark 5", PRINTED_UNDER: "n^(-1/5) (log n)^(-2.1), after Theorem 2"}
LEVEL = 0.95
CELLS = ((1000, 0.02), (4000, 0.005), (20_000, 0.001), (10_000, 0.005), (50_000, 0.001))


def off_level(share: float, draws: int) -> float:
    """Return how far a coverage is from .95, in binomial standard errors at .95."""
    return (share - LEVEL) / math.sqrt(LEVEL * (1 - LEVEL) / draws)


def coverage(n: int, p: float, draws: int, resamples: int) -> list[Line]:
    """Return how often bands hold the whole curve; samples of fewer than 10 positives have none."""
    rng = np.random.default_rng([SEED, n])
    true = true_precision(p)
    held = {method.name: 0 for method in METHODS}
    width = dict.fromkeys(held, 0.0)
    refused = 0
    for number in range(draws):
        table = sample(n, p, rng)
        if table.n_pos < FEWEST:
            refused += 1
            continue
        for method in METHODS:
            band = hc.band(
                table,
                x_range=RANGE,
                n_resamples=1000 if method.options["method"] == "influence" else resamples,
                rng=[SEED, number],
                **method.options,
            )
            inside = (band.low.at(PLACES) <= true + 1e-12) & (true - 1e-12 <= band.high.at(PLACES))
            held[method.name] += bool(inside.all())
            width[method.name] += band.mean_width
    made = draws - refused
    return [
        {
            "n": n,
            "p": p,
            "expected_positives": round(n * p),
            "method": name,
            "draws": made,
            "refused": refused,
            "coverage": round(held[name] / made, 4),
            "standard_error": round(math.sqrt(max(held[name] * (made - held[name]), 1) / made**3), 4),
            "mean_width": round(width[name] / made, 4),
        }
        for name in held
    ]


def coverage_rows(lines: Sequence[Line]) -> Iterator[Row]:
    """Yield what coverage says of Algorithm 1: at its level is within 3 standard errors of .95, on either side."""
    for n, p in dict.fromkeys((line["n"], line["p"]) for line in lines):
        place = f"n = {n:,}, p = {p:g}"
        by = {line["method"]: line for line in lines if (line["n"], line["p"]) == (n, p)}
        off = {name: off_level(x["coverage"], x["draws"]) for name, x in by.items()}
        text = {
            name: f"{x['coverage']:.3f}, {off[name]:+.1f} standard errors; mean width {x['mean_width']:.2f}"
            for name, x in by.items()
        }
        for name, item in ((PRINTED, "as printed"), (PRINTED_UNDER, "as printed, with the bandwidth printed there")):
            reason = f"deviations and band from the empirical curve; bandwidth {BANDWIDTHS[name]}"
            if off[name] > 3:
                reason = f"it holds too much: replicates lie around the smoothed curve; bandwidth {BANDWIDTHS[name]}"
            at = claimed if off[name] > 3 else stated
            yield at(f"sec. 4, coverage of Algorithm 1 {item}, {place}", ".95", text[name], abs(off[name]) <= 3, reason)
        for name, item, reason in (
            (SMOOTHED, "from the smoothed curve", "no less than .95 to 3 standard errors: what the package does"),
            (MIXED, "around the empirical curve with the radius of the smoothed one", "neither the paper's nor ours"),
        ):
            yield shown_here(f"sec. 4, coverage of Algorithm 1 {item}, {place}", text[name], off[name] >= -3, reason)
        yield refuted(
            f"sec. 4, coverage of Algorithm 1 with p~ = 1/2, {place}",
            ".95",
            text[HALF],
            abs(off[HALF]) <= 3,
            "one replicate decides, and its prevalence is far from that of the sample: the band says nothing",
        )
        yield refuted(
            f"sec. 4, coverage of the naive bootstrap, {place}",
            "bad approximations",
            text[NAIVE],
            abs(off[NAIVE]) > 3,
            f"it is at its level, by a width of {by[NAIVE]['mean_width']:.2f} for {by[PRINTED]['mean_width']:.2f} of "
            "Algorithm 1",
        )
        yield shown_here(
            f"sec. 4, coverage of the band by influence values, {place}",
            text[INFLUENCE],
            off[INFLUENCE] >= -3 and by[INFLUENCE]["mean_width"] < by[PRINTED]["mean_width"],
            "no less than .95 to 3 standard errors, and narrower than Algorithm 1",
        )


# ---- Remark 4: smoothing by noise


def noise_rows(resamples: int) -> Iterator[Row]:
    """Yield whether replicates with noise give the radius of replicates from the smoothed classes."""
    n, h = 500, 0.3
    rng = np.random.default_rng([SEED, 7])
    y = np.arange(n) < n // 5
    s = scores(POPULATION, y, rng)
    options = {"method": "smoothed-bootstrap", "bandwidth": h, "x_range": RANGE, "n_resamples": resamples}
    band = hc.band(y, s, rng=SEED, **options)  # type: ignore[arg-type]
    smoothed = hc.smooth_precision_recall(y, s, bandwidth=h).at(band.x)
    off = []
    for _ in range(resamples):
        chosen = rng.integers(n, size=n)
        table = hc.HitTable.from_scores(y[chosen], s[chosen] + h * rng.standard_normal(n))
        off.append(np.max(np.abs(np.asarray(hc.precision_recall_curve(table).at(band.x)) - smoothed)))
    found, of_band = float(np.quantile(off, LEVEL)), radius(band)
    ends = np.quantile(off, LEVEL + np.array([-1, 1]) * math.sqrt(LEVEL * (1 - LEVEL) / resamples))
    error = math.sqrt(2) * float(ends[1] - ends[0]) / 2
    yield stated(
        "Remark 4, drawing with replacement and adding noise of variance h^2, the .95 radius",
        "equivalent to the smoothed estimate",
        f"{found:.4f} by noise, {of_band:.4f} of the band: off by {abs(found - of_band) / error:.1f} standard errors",
        abs(found - of_band) < 4 * error,
    )


def radius(band: hc.Band) -> float:
    """Return the radius of a band of constant width, whose limits are cut at 0 and 1 where they pass them."""
    return max(float(np.max(band.high.y - band.center.y)), float(np.max(band.center.y - band.low.y)))


# ---- section 4: bandwidth


RULES: tuple[tuple[str, str | float], ...] = (
    ("n^-1/5 (Remark 5)", "n^-1/5"),
    ("theorem (Theorem 2)", "theorem"),
    ("printed (after Theorem 2)", "printed"),
    ("0.05", 0.05),
    ("1", 1.0),
)
CURVES = {"n^-1/5": RULES[0][0], "theorem": RULES[1][0], "empirical": "empirical"}


SIZES: tuple[int, ...] = (200, 800, 3200, 12_800)


def bandwidths(n: int, draws: int) -> list[Line]:
    """Return the deviations, the bias and the variation of the empirical and of smoothed curves."""
    p = limit_law.PREVALENCE
    true = true_precision(p)
    rng = np.random.default_rng([SEED, 5, n])
    off: dict[str, list[Array]] = {"empirical": [], **{name: [] for name, _ in RULES}}
    for _ in range(draws):
        y = np.arange(n) < rng.binomial(n, p)
        s = scores(POPULATION, y, rng)
        off["empirical"].append(np.asarray(hc.precision_recall_curve(hc.HitTable.from_scores(y, s)).at(PLACES)) - true)
        for name, rule in RULES:
            off[name].append(hc.smooth_precision_recall(y, s, bandwidth=rule).at(PLACES) - true)
    return [
        {
            "n": n,
            "draws": draws,
            "curve": name,
            "largest_deviation": round(float(np.mean([np.max(np.abs(x)) for x in found])), 5),
            "root_mean_square": round(float(np.sqrt(np.mean(np.square(found)))), 5),
            "largest_bias": round(float(np.max(np.abs(np.mean(found, axis=0)))), 5),
            "variation": round(float(np.mean(np.sum(np.abs(np.diff(true + np.array(found))), axis=1))), 4),
        }
        for name, found in off.items()
    ]


def conditions() -> list[Line]:
    """Return the two conditions of Theorem 2, for the orders of Remark 5 and of Theorem 2."""
    lines = []
    for n in (1e2, 1e4, 1e6, 1e9, 1e12):
        for name, h in (
            ("n^-1/5", n**-0.2),
            ("theorem", n**-0.2 * math.log(n) ** (-2.1 / 5)),
            ("printed", n**-0.2 * math.log(n) ** -2.1),
        ):
            own = {"n": f"{n:g}", "order": name, "h": float(f"{h:.4g}")}
            lines.append(
                {**own, "n h^3": float(f"{n * h**3:.4g}"), "n h^5 log^2 n": float(f"{n * h**5 * math.log(n) ** 2:.4g}")}
            )
    return lines


def bandwidth_rows(lines: Sequence[Line], asked: Sequence[Line]) -> Iterator[Row]:
    """Yield the bandwidths of Remark 5 and of Theorem 2."""
    orders = ("n^-1/5", "theorem", "printed")
    vanish, grow = (
        {order: [line[quantity] for line in asked if line["order"] == order] for order in orders}
        for quantity in ("n h^5 log^2 n", "n h^3")
    )
    falling = {order: bool(np.all(np.diff(values) < 0)) for order, values in vanish.items()}
    rising = {order: bool(np.all(np.diff(values) > 0)) for order, values in grow.items()}

    def said(order: str) -> str:
        of = (", ".join(f"{x:.3g}" for x in values[order]) for values in (vanish, grow))
        return "n h^5 log^2 n is {}, n h^3 {}, for n = 1e2 to 1e12".format(*of)

    yield shown_here(
        "Remark 5, n^(-1/5) by the conditions of Theorem 2",
        said("n^-1/5"),
        not falling["n^-1/5"] and rising["n^-1/5"],
        "no misprint: it minimises the mean square error, as is said; Theorem 2 needs less smoothing",
    )
    yield stated(
        "Theorem 2, the bandwidth printed after it, n^(-1/5) (log n)^(-(2 + eta)), eta = .1",
        "n h^3 grows, n h^5 log^2 n vanishes",
        said("printed"),
        falling["printed"] and grow["printed"][-1] > grow["printed"][-2],
        f"n h^3 falls first, and grows from n = {math.exp(6.3 / 0.4):.0e} on; it is above 1 from n = 1e29 on",
    )
    yield shown_here(
        "Theorem 2, the least that it needs, n^(-1/5) (log n)^(-(2 + eta)/5), eta = .1",
        said("theorem"),
        falling["theorem"] and rising["theorem"],
        "the fifth of the printed power of the logarithm is enough",
    )
    sizes = sorted({line["n"] for line in lines})
    value = {(line["n"], line["curve"]): line for line in lines}
    for n in sizes:
        own = {name: value[n, curve] for name, curve in CURVES.items()}
        classic, under, empirical = (own[name] for name in ("n^-1/5", "theorem", "empirical"))
        straight = float(np.ptp(true_precision(limit_law.PREVALENCE)))
        yield stated(
            f"sec. 2.3, smoothed estimates of the curve, n = {n:,}",
            "smoother",
            f"length of all ups and downs {side_by_side(own, 'variation')}; {straight:.4f} (true)",
            max(classic["variation"], under["variation"]) < empirical["variation"],
        )
        yield shown_here(
            f"sec. 2.3, smoothed curves by their largest deviation from the true one, n = {n:,}",
            f"{side_by_side(own, 'largest_deviation')}; root mean square {side_by_side(own, 'root_mean_square')}",
            max(x["largest_deviation"] for x in (classic, under)) < empirical["largest_deviation"],
            "nearer by the largest deviation; by the root mean square less so, and the bias of n^-1/5 tells in the end",
        )
        bias = [line["largest_bias"] for line in (under, classic, value[n, "1"])]
        yield shown_here(
            f"Theorem 2, less smoothing, less bias, n = {n:,}",
            f"{bias[0]:.4f} (theorem), {bias[1]:.4f} (n^-1/5), {bias[2]:.4f} (h = 1)",
            bias[2] > bias[1] > bias[0],
        )


def side_by_side(lines: Mapping[str, Line], quantity: str) -> str:
    """Return a quantity of several curves."""
    return ", ".join(f"{line[quantity]:.4f} ({name})" for name, line in lines.items())


# ---- section 4.2: rates


def true_radius(n: int, draws: int) -> tuple[float, float]:
    """Return the .95 quantile of the largest deviation of samples from the true curve, and its standard error."""
    true = true_precision(limit_law.PREVALENCE)
    rng = np.random.default_rng([SEED, 10, n])
    highest = [
        np.max(np.abs(np.asarray(hc.precision_recall_curve(sample(n, limit_law.PREVALENCE, rng)).at(PLACES)) - true))
        for _ in range(draws)
    ]
    around = LEVEL + np.array([-1, 1]) * math.sqrt(LEVEL * (1 - LEVEL) / draws)
    low, high = np.quantile(highest, around)
    return float(np.quantile(highest, LEVEL)), float(high - low) / 2


def radii(n: int, draws: int, resamples: int, of_truth: int) -> list[Line]:
    """Return the error of the .95 radius of bands, smoothed and not, in the true one at this sample size.

    Each band is made twice with other replicates: the mean product of the two errors is the mean square of the error
    that a band would have from replicates without end.
    """
    true, its_error = true_radius(n, of_truth)
    rng = np.random.default_rng([SEED, 6, n])
    kinds = {"smoothed": {"method": "smoothed-bootstrap"}, "naive": {"method": "bootstrap"}}
    found: dict[str, list[list[float]]] = {name: [] for name in kinds}
    for number in range(draws):
        table = sample(n, limit_law.PREVALENCE, rng)
        for name, options in kinds.items():
            twice = [
                hc.band(table, x_range=RANGE, n_resamples=resamples, rng=[SEED, number, turn], **options)  # type: ignore[arg-type]
                for turn in (1, 2)
            ]
            found[name].append([radius(band) for band in twice])
    lines = []
    for name, values in found.items():
        off = np.array(values) / true - 1
        square = float(np.mean(off[:, 0] * off[:, 1]))
        error = math.sqrt(max(square, 1e-9))
        lines.append(
            {
                "n": n,
                "draws": draws,
                "bootstrap": name,
                "true_radius": round(true, 5),
                "error_of_that": round(its_error / true, 4),
                "mean_radius": round(float(np.mean(values)), 5),
                "relative_error": round(error, 4),
                "standard_error": round(float(np.std(off[:, 0] * off[:, 1])) / math.sqrt(draws) / (2 * error), 4),
                "relative_bias": round(float(np.mean(off)), 4),
            }
        )
    return lines


def slope(lines: Sequence[Line]) -> tuple[float, float]:
    """Return the power of n with which the relative error falls, and its standard error."""
    x = np.log([line["n"] for line in lines])
    pull = (x - x.mean()) / np.sum((x - x.mean()) ** 2)
    error = np.array([line["relative_error"] for line in lines])
    of_log = np.array([line["standard_error"] for line in lines]) / error
    return float(pull @ np.log(error)), float(np.sqrt(pull**2 @ of_log**2))


def rate_rows(lines: Sequence[Line]) -> Iterator[Row]:
    """Yield the rates of section 4.2."""
    own = {name: [line for line in lines if line["bootstrap"] == name] for name in ("smoothed", "naive")}
    sizes = [line["n"] for line in own["naive"]]
    spread = f"n = {sizes[0]:,} to {sizes[-1]:,}"
    powers = {name: slope(found) for name, found in own.items()}
    for name, printed in (("smoothed", "-0.40"), ("naive", "-0.25")):
        power, error = powers[name]
        yield by_error(
            f"sec. 4.2, error of the radius by the {name} bootstrap, power of n, {spread}",
            printed,
            power,
            error,
            f"standard error {error:.3f}; the paper's orders are of a distribution function, to log factors, and the "
            "naive one is that of a single recall",
        )
    (smoothed, its_error), (naive, other_error) = powers.values()
    apart, error = naive - smoothed, math.hypot(its_error, other_error)
    yield stated(
        f"sec. 4.2, smoothing improves the rate, {spread}",
        "significant gain in terms of convergence rate",
        f"the powers are {apart:.3f} ± {error:.3f} apart",
        apart > 3 * error,
    )
    shares = [a["relative_error"] / b["relative_error"] for a, b in zip(own["smoothed"], own["naive"], strict=True)]
    yield shown_here(
        f"sec. 4.2, smoothing lowers the level as well: relative error of the radius, {spread}",
        f"{', '.join(f'{x:.2f}' for x in shares)} of the naive one",
        max(shares) < 1,
    )


# ---- section 4.2: the studentized version


POINT = 0.5
AT_POINT = (
    Method("studentized", {"method": "studentized-smoothed", "coverage": "pointwise", "x_range": (0.49, 0.51)}),
    # a range of one recall, as far as there is one
    Method("not studentized", {"method": "smoothed-bootstrap", "x_range": (0.499, 0.501)}),
)


def at_one_recall(n: int, draws: int, resamples: int) -> list[Line]:
    """Return how often the limits at one recall hold the precision there, by the smoothed bootstrap."""
    true = float(true_precision(limit_law.PREVALENCE, np.array([POINT]))[0])
    rng = np.random.default_rng([SEED, 8, n])
    held = {method.name: 0 for method in AT_POINT}
    width = dict.fromkeys(held, 0.0)
    for number in range(draws):
        table = sample(n, limit_law.PREVALENCE, rng)
        for name, options in AT_POINT:
            band = hc.band(table, n_resamples=resamples, rng=[SEED, number], **options)
            low, high = (float(line.at(POINT)) for line in (band.low, band.high))
            held[name] += low <= true <= high
            width[name] += high - low
    return [
        {
            "n": n,
            "recall": POINT,
            "method": name,
            "draws": draws,
            "coverage": round(held[name] / draws, 4),
            "mean_width": round(width[name] / draws, 4),
        }
        for name in held
    ]


def studentized_rows(lines: Sequence[Line]) -> Iterator[Row]:
    """Yield what can be seen of the studentized version."""
    for n in dict.fromkeys(line["n"] for line in lines):
        own = [line for line in lines if line["n"] == n]
        off = [off_level(line["coverage"], line["draws"]) for line in own]
        said = (f"{x['coverage']:.3f} {x['method']}, {y:+.1f} standard errors" for x, y in zip(own, off, strict=True))
        yield shown_here(
            f"sec. 4.2, coverage at recall {POINT} with and without studentizing, n = {n:,}",
            "; ".join(said),
            max(map(abs, off)) <= 3,
            f"both at their level: an order of n^(-2/3), which is {n ** (-2 / 3):.3f} here, is below what "
            f"{own[0]['draws']} samples show",
        )


# ---- pictures


def centre_rows(draws: int, resamples: int) -> Iterator[Row]:
    """Yield the radius by what deviations are taken from, n = 4,000, p = .2."""
    n, p = 4000, 0.2
    rng = np.random.default_rng([SEED, 11])
    tables = [sample(n, p, rng) for _ in range(draws)]
    found = {
        (centring, bandwidth): [
            radius(
                hc.band(
                    table,
                    method="smoothed-bootstrap",
                    x_range=RANGE,
                    centring=centring,
                    bandwidth=bandwidth,
                    n_resamples=resamples,
                    rng=[SEED, number],
                )
            )
            for number, table in enumerate(tables)
        ]
        for centring in ("printed", "smoothed")
        for bandwidth in ("n^-1/5", "theorem", "printed")
    }
    mean = {key: float(np.mean(values)) for key, values in found.items()}
    for bandwidth in ("n^-1/5", "theorem", "printed"):
        yield shown_here(
            f"Algorithm 1, mean radius, n = 4,000, p = .2, bandwidth {bandwidth}",
            f"{mean['printed', bandwidth]:.4f} from the empirical curve, {mean['smoothed', bandwidth]:.4f} from the "
            f"smoothed one ({draws} samples)",
            mean["printed", bandwidth] > 0.98 * mean["smoothed", bandwidth],
            "what smoothing did to the curve is in the radius as printed; the less, the less is smoothed",
        )


def picture_coverage(lines: Sequence[Line]) -> Any:
    """Draw coverage and width of bands by sample."""
    from matplotlib import pyplot as plt

    figure, (top, bottom) = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
    cells = list(dict.fromkeys((line["n"], line["p"]) for line in lines))
    for turn, (method, mark) in enumerate(zip(METHODS, MARKS, strict=True)):
        own = [line for line in lines if line["method"] == method.name]
        x = np.arange(len(cells)) + (turn - 3.5) * 0.1
        top.errorbar(
            x,
            [y["coverage"] for y in own],
            [
                [2 * y["standard_error"] for y in own],
                [min(2 * y["standard_error"], 1 - y["coverage"]) for y in own],
            ],
            fmt=mark,
            markersize=5,
            label=method.name,
        )
        bottom.plot(x, [y["mean_width"] for y in own], mark, markersize=5)
    top.axhline(0.95, color="#557755", linewidth=0.8)
    for ax in (top, bottom):
        ax.set_xticks(range(len(cells)), [f"n = {n:,}\np = {p:g}" for n, p in cells], fontsize=8)
    top.set(ylabel="simultaneous coverage")
    bottom.set(ylabel="mean width", ylim=(0, None))
    figure.legend(frameon=False, loc="outside lower center", ncols=3, fontsize=8)
    return figure


def picture_importance(lines: Sequence[Line]) -> Any:
    """Draw the effective number of replicates over p~."""
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(5.4, 3.6), layout="constrained")
    x = np.geomspace(0.005, 0.6, 400)
    ax.loglog(x, [effective_share(1000, 0.02, float(value)) for value in x], color="#1b4f8a", label="formula")
    drawn = [line for line in lines if line["p~"] != "auto"]
    ax.plot(
        [line["p~"] for line in drawn], [line["found"] for line in drawn], "o", color="#c8553d", label="as reported"
    )
    ax.axhline(1 / lines[0]["replicates"], color="#999999", linewidth=0.8, label="one replicate")
    ax.axvline(0.02, color="#557755", linewidth=0.8, label="share of positives")
    ax.set(xlabel="p~", ylabel="relative effective number", ylim=(1e-5, 2), title="20 positives in 1,000")
    ax.legend(frameon=False, fontsize=8)
    return figure


def picture_rates(of_radius: Sequence[Line], curve: Sequence[Line]) -> Any:
    """Draw errors over the sample size: of radii, and of curves by bandwidth."""
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    for name, order, color in (("smoothed", -0.4, "#1b4f8a"), ("naive", -0.25, "#c8553d")):
        own = [line for line in of_radius if line["bootstrap"] == name]
        n, y, error = (np.array([line[key] for line in own]) for key in ("n", "relative_error", "standard_error"))
        left.errorbar(n, y, 2 * error, fmt="o-", color=color, label=f"{name}: n^({slope(own)[0]:.2f})")
        left.plot(n, y[0] * (n / n[0]) ** order, ":", color=color, label=f"the paper's order: n^({order:g})")
    left.set(xscale="log", yscale="log")
    left.set(xlabel="n", ylabel="relative error of the .95 radius")
    for name, mark in zip(("empirical", *(rule[0] for rule in RULES)), MARKS, strict=False):
        own = [line for line in curve if line["curve"] == name]
        right.loglog([line["n"] for line in own], [line["largest_deviation"] for line in own], f"{mark}-", label=name)
    right.set(xlabel="n", ylabel="mean of the largest deviation")
    left.legend(frameon=False, fontsize=8)
    right.legend(frameon=False, fontsize=8, title="curve, bandwidth", title_fontsize=8)
    return figure


# ---- the whole


def main(argv: Sequence[str] | None = None) -> int:
    """Run everything."""
    args = arguments(__doc__, argv)
    warnings.simplefilter("ignore", hc.errors.HitcurveWarning)  # of few positives and of replicates without one
    quick = args.quick
    with timed("limit law and variance"):
        lines = (
            [{k: str(v) for k, v in x.items()} for n in (200, 800) for x in limit_law.study(n, 60)] if quick else None
        )
        rows = [*curve_rows(), *limit_rows(lines or validated("limit_law")), *variance_rows(60 if quick else 1000)]
    with timed("importance"):
        weights = importance(500 if quick else 2000)
        rows += [*empty_rows(), *importance_rows(weights), *noise_rows(200 if quick else 2000)]
    with timed("bandwidth"):
        curves = [line for n in SIZES[: 1 if quick else 4] for line in bandwidths(n, 20 if quick else 150)]
    asked = conditions()
    rows += bandwidth_rows(curves, asked)
    with timed("Lemma 3 and radius"):
        lemma = lemma_3.simulate(20 if quick else 400, lemma_3.SIZES[:4] if quick else lemma_3.SIZES)
        rows += [*lemma_3.lemma_rows(lemma), *centre_rows(4 if quick else 40, 99 if quick else 299)]
    with timed("coverage"):
        cells = CELLS[:1] if quick else CELLS
        held = [line for n, p in cells for line in coverage(n, p, 8 if quick else 400, 99 if quick else 299)]
    with timed("rates"):
        sizes = SIZES[: 2 if quick else 4]
        of_radius = [line for n in sizes for line in radii(n, *((4, 99, 200) if quick else (200, 1000, 20_000)))]
    with timed("one recall"):
        sizes = SIZES[: 1 if quick else 3]
        at_one = [line for n in sizes for line in at_one_recall(n, 3 if quick else 400, 99 if quick else 299)]
    if quick:  # few draws say nothing of coverage and rates
        held, of_radius, at_one = (FOLDER.numbers(name) for name in ("coverage", "rates", "one_recall"))
    rows += [*coverage_rows(held), *rate_rows(of_radius), *studentized_rows(at_one)]
    figures = {
        "coverage": lambda: picture_coverage(held),
        "importance": lambda: picture_importance(weights),
        "rates": lambda: picture_rates(of_radius, curves),
    }
    if quick:
        draw_into_nothing(figures)
        return conclude(rows)
    tables = {
        "empty_samples": empty_samples(),
        "importance": weights,
        "bandwidth": curves,
        "conditions": asked,
        "coverage": held,
        "rates": of_radius,
        "one_recall": at_one,
        "lemma_3": lemma,
    }
    FOLDER.write_all(rows, tables, figures, f"seed {SEED}")
    return conclude(rows)


if __name__ == "__main__":
    sys.exit(main())
