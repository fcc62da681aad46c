"""Nonparametric estimation of the precision-recall curve: Clemencon and Vayatis 2009, ICML.

``python -m papers.clemencon_vayatis [--quick]``. Consistency, limit law, variance, coverage of Algorithm 1 against the
naive bootstrap under extreme asymmetry, bandwidth, importance sampling, and rates with and without smoothing. The paper
has no numbers of its own, so that its statements are what is tried, on binormal populations. The long run takes some
five minutes, and writes ``papers/results/clemencon_vayatis``; the curves of consistency and the limit law are those
of ``validation.limit_law``.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import binom, norm
from validation import limit_law
from validation.bands import scores, truth
from validation.populations import Array, Population
from validation.running import read as validated

import hitcurve as hc
from papers.frame import Folder, Line, Row, approached, arguments, conclude, misprint, not_reproduced, stated, timed

FOLDER = Folder("clemencon_vayatis")
SEED = 2009
SHIFT = 1.5
POPULATION = Population("binormal", SHIFT)
RANGE = (0.1, 0.9)  # the paper's [eps, 1 - eps]
PLACES = np.linspace(*RANGE, 81)
FEWEST = 10  # positives; with fewer a simultaneous band is refused


def sample(n: int, p: float, rng: np.random.Generator) -> hc.HitTable:
    """Draw the table of n subjects."""
    y = np.arange(n) < rng.binomial(n, p)
    return hc.HitTable.from_scores(y, scores(POPULATION, y, rng))


def true_precision(p: float, recall: Array = PLACES) -> Array:
    """Return the curve of the population."""
    return truth("precision_recall", POPULATION, p, recall)


# ---- section 2


def whole(worth: Any) -> hc.HitTable:
    """Return the table of a whole population whose subjects are ranked by a function of their score."""
    ends = np.linspace(-8, 8 + SHIFT, 4001)
    middle = (ends[1:] + ends[:-1]) / 2
    order = np.argsort(-worth(middle), kind="stable")
    pos, neg = (
        np.rint(1e9 * size * np.diff(norm.cdf(ends - mean)))[order] for size, mean in ((0.2, SHIFT), (0.8, 0.0))
    )
    return hc.HitTable.from_counts(pos.astype(int), neg.astype(int))


def curve_rows() -> Iterator[Row]:
    """Yield what section 2.2 says of true curves."""
    p = 0.2
    ends = true_precision(p, np.array([1e-4, 1 - 1e-9]))
    text = f"{ends[0]:.4f} at recall .0001, {ends[1]:.4f} at recall 1"
    holds = bool(ends[0] > 0.98 and abs(ends[1] - p) < 1e-6)
    yield stated("sec. 2.2, limits of the curve for an unbounded likelihood ratio", "1 and p", text, holds)
    best = hc.precision_recall_curve(whole(lambda x: x))
    other = hc.precision_recall_curve(whole(lambda x: -np.abs(x - 2.5)))
    text = f"nowhere below; largest distance {best.sup_distance(other, RANGE):.3f}"
    yield stated("sec. 2.2, the likelihood ratio dominates another score", "everywhere", text, best.dominates(other))
    tied = hc.precision_recall_curve(hc.HitTable.from_counts([200], [800]))
    level = np.asarray(tied.at(PLACES))
    yield stated("sec. 2.2, curve without discrimination", "p", f"{level[0]:.3f}", bool(np.allclose(level, p)))


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
    close = abs(simulated / sd - 1) < 4 / math.sqrt(2 * draws)
    yield stated(f"Eq. 9 corrected, {at}", "simulated", f"{sd:.5f}; simulated {simulated:.5f} ({draws} samples)", close)
    wrong = {
        "Eq. 9, PR^4/b^2 in the first term alone": law.factor * of_prevalence + of_pos + of_neg,
        "Eq. 9, G for its inverse inside the densities": law.factor
        * (of_prevalence + law.terms(law.misprinted_slope)[1] + of_neg),
        "Theorem 1 (ii), first coefficient alpha_p/p": law.factor * (of_prevalence / p + of_pos + of_neg),
    }
    right = {
        "Eq. 9, PR^4/b^2 in the first term alone": "all three terms carry it",
        "Eq. 9, G for its inverse inside the densities": "the densities are taken at the quantile G^-1(1 - b)",
        "Theorem 1 (ii), first coefficient alpha_p/p": "it is alpha_p/sqrt(p)",
    }
    for name, variance in wrong.items():
        printed = f"{math.sqrt(variance / n):.5f}"
        yield misprint(f"{name}: {at}", printed, sd, f"{right[name]}; simulated {simulated:.5f}")
    yield misprint("sec. 2.3, FPR at a recall", "1 - H(G(1 - b))", "1 - H(G^-1(1 - b))", "G maps scores, not recalls")
    yield misprint("sec. 3, law of (Z, Y)", "p H, (1 - p) G", "p G, (1 - p) H", "G is the law of the positives")
    yield misprint("sec. 3, share of negatives in the sample", "1 - n/n_+", "1 - n_+/n", "it is negative as printed")
    yield misprint("Remark 3, what is frozen", "precision", "recall", "the curve is precision over recall")


# ---- section 4: samples without positives, importance sampling


def empty_rows() -> Iterator[Row]:
    """Yield how often a naive bootstrap sample has no positive."""
    n = 10_000
    shares = {n1: float(binom.pmf(0, n, n1 / n)) for n1 in (1, 2, 3, 5, 10, 20)}
    text = ", ".join(f"{share:.2g} with {n1}" for n1, share in shares.items())
    yield misprint(
        "sec. 4, bootstrap samples without a positive",
        "overwhelming probability",
        text,
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
    yield stated(
        "sec. 4.1, relative effective number of replicates",
        "of weights",
        text,
        abs(near["found"] - near["formula"]) < 0.1,
    )
    yield not_reproduced(
        "sec. 4.1, p~ to draw at",
        "1/2, say",
        f"leaves {half['found'] * replicates:.3g} of {replicates} replicates",
        f"its relative effective number is {half['formula']:.1g}: the weights of n draws are a product of n factors",
    )
    yield stated(
        "Remark 5, p~ that minimises the variance",
        "a practical strategy",
        f"it is the share of positives itself: {auto['found']:.4f} of the replicates count",
        auto["found"] > 0.99,
        "the default draws the number of positives given one, which has the same aim and no weights",
    )


# ---- section 4: coverage


class Method(NamedTuple):
    """A band by name, and its options."""

    name: str
    options: dict[str, Any]


METHODS = (
    Method("Algorithm 1", {"method": "smoothed-bootstrap"}),
    Method("Algorithm 1, centred at the empirical curve", {"method": "smoothed-bootstrap", "centring": "empirical"}),
    Method("Algorithm 1, bandwidth of Theorem 2", {"method": "smoothed-bootstrap", "bandwidth": "theorem"}),
    Method("Algorithm 1, p~ = 1/2", {"method": "smoothed-bootstrap", "importance": 0.5}),
    Method("naive bootstrap", {"method": "bootstrap"}),
    Method("influence (default)", {"method": "influence"}),
)
CELLS = ((1000, 0.02), (4000, 0.005), (20_000, 0.001), (10_000, 0.005), (50_000, 0.001))


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
    """Yield what coverage says of Algorithm 1."""
    for line in lines:
        place = f"n = {line['n']:,}, p = {line['p']:g}"
        text = f"{line['coverage']:.3f} ± {line['standard_error']:.3f}, mean width {line['mean_width']:.2f}"
        if line["method"] == "Algorithm 1":
            holds = line["coverage"] + 4 * line["standard_error"] >= 0.95
            reason = "centred at the smoothed curve, from which the deviations are taken"
            yield stated(f"sec. 4, coverage of Algorithm 1, {place}", ".95", text, holds, reason)
        elif line["method"] == "Algorithm 1, p~ = 1/2":
            yield not_reproduced(
                f"sec. 4, coverage of Algorithm 1 with p~ = 1/2, {place}",
                ".95",
                text,
                "one replicate decides, and its prevalence is far from that of the sample: the band says nothing",
            )
        elif line["method"] == "naive bootstrap":
            other = next(x for x in lines if (x["n"], x["p"], x["method"]) == (line["n"], line["p"], "Algorithm 1"))
            yield not_reproduced(
                f"sec. 4, coverage of the naive bootstrap, {place}",
                "bad approximations",
                text,
                f"it misses little: Algorithm 1 covers {other['coverage']:.3f} with mean width "
                f"{other['mean_width']:.2f}; where positives are many the naive radius is off by more (sec. 4.2)",
            )


# ---- section 4: bandwidth


RULES: tuple[tuple[str, str | float], ...] = (
    ("n^-1/5 (Remark 5)", "n^-1/5"),
    ("theorem (Theorem 2)", "theorem"),
    ("0.05", 0.05),
    ("1", 1.0),
)


def bandwidths(n: int, draws: int) -> list[Line]:
    """Return the largest deviation and the bias of the empirical and of smoothed curves."""
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
        ):
            own = {"n": f"{n:g}", "order": name, "h": float(f"{h:.4g}")}
            lines.append(
                {**own, "n h^3": float(f"{n * h**3:.4g}"), "n h^5 log^2 n": float(f"{n * h**5 * math.log(n) ** 2:.4g}")}
            )
    return lines


def bandwidth_rows(lines: Sequence[Line], asked: Sequence[Line]) -> Iterator[Row]:
    """Yield Remark 5 against Theorem 2."""
    must_vanish = {
        order: [line["n h^5 log^2 n"] for line in asked if line["order"] == order] for order in ("n^-1/5", "theorem")
    }
    grows, falls = (", ".join(f"{x:.3g}" for x in must_vanish[order]) for order in ("n^-1/5", "theorem"))
    yield misprint(
        "Remark 5 against Theorem 2, order of the bandwidth",
        "n^(-1/5)",
        "n^(-1/5) (log n)^(-(2 + eta)/5)",
        f"n h^5 log^2 n must vanish, and is {grows} for n = 1e2 to 1e12; with the right order {falls} (eta = .1)",
    )
    sizes = sorted({line["n"] for line in lines})
    value = {(line["n"], line["curve"]): line for line in lines}
    for n in sizes:
        empirical, classic, under = (value[n, name] for name in ("empirical", RULES[0][0], RULES[1][0]))
        off = [line["largest_deviation"] for line in (classic, under, empirical)]
        text = f"largest deviation {off[0]:.4f} (n^-1/5), {off[1]:.4f} (theorem), {off[2]:.4f} (empirical)"
        holds = max(off[:2]) < off[2]
        yield stated(f"sec. 2.3, smoothed curves are nearer to the true one, n = {n:,}", "yes", text, holds)
        bias = [line["largest_bias"] for line in (under, classic, value[n, "1"])]
        text = f"{bias[0]:.4f} (theorem), {bias[1]:.4f} (n^-1/5), {bias[2]:.4f} (h = 1)"
        holds = bias[2] > bias[1] > bias[0] - 0.005
        yield stated(f"Theorem 2, less smoothing, less bias, n = {n:,}", "undersmooth", text, holds)


# ---- section 4.2: rates


def radii(n: int, draws: int, resamples: int) -> list[Line]:
    """Return the error of the .95 radius of bands, smoothed and not, in the true one at this sample size."""
    (true,) = (
        float(line["found"]) / math.sqrt(n)
        for line in validated("limit_law")
        if (line["n"], line["at"]) == (str(n), "0.95") and line["quantity"] == "scaled largest deviation, quantile"
    )
    rng = np.random.default_rng([SEED, 6, n])
    kinds = {"smoothed": {"method": "smoothed-bootstrap"}, "naive": {"method": "bootstrap"}}
    found: dict[str, list[float]] = {name: [] for name in kinds}
    for number in range(draws):
        table = sample(n, limit_law.PREVALENCE, rng)
        for name, options in kinds.items():
            band = hc.band(table, x_range=RANGE, n_resamples=resamples, rng=[SEED, number], **options)  # type: ignore[arg-type]
            # the limits are cut at 0 and 1 where they pass them
            found[name].append(
                max(float(np.max(band.high.y - band.center.y)), float(np.max(band.center.y - band.low.y)))
            )
    return [
        {
            "n": n,
            "draws": draws,
            "bootstrap": name,
            "true_radius": round(true, 5),
            "mean_radius": round(float(np.mean(values)), 5),
            "relative_error": round(float(np.sqrt(np.mean((np.array(values) / true - 1) ** 2))), 4),
            "relative_bias": round(float(np.mean(values) / true - 1), 4),
            "standard_error": round(float(np.std(values) / true / math.sqrt(draws)), 4),
        }
        for name, values in found.items()
    ]


def rate_rows(lines: Sequence[Line]) -> Iterator[Row]:
    """Yield the rates of section 4.2."""
    sizes = sorted({line["n"] for line in lines})
    errors = {
        name: [line["relative_error"] for line in lines if line["bootstrap"] == name] for name in ("smoothed", "naive")
    }
    slopes = {name: float(np.polyfit(np.log(sizes), np.log(values), 1)[0]) for name, values in errors.items()}
    said = {name: ", ".join(f"{x:.3f}" for x in values) for name, values in errors.items()}
    spread = f"n = {sizes[0]:,} to {sizes[-1]:,}"
    holds = all(small < large for small, large in zip(errors["smoothed"], errors["naive"], strict=True))
    yield stated(
        f"sec. 4.2, smoothing brings the radius nearer, {spread}",
        "yes",
        f"relative errors {said['smoothed']} smoothed, {said['naive']} naive",
        holds,
    )
    for name, printed in (("smoothed", "-0.4"), ("naive", "-0.25")):
        yield approached(
            f"sec. 4.2, error of the {name} bootstrap, power of n",
            printed,
            slopes[name],
            0.2,
            "relative error of the .95 radius, with that of 1,000 replicates in it; the paper's orders are of a "
            "distribution function, to log factors, and the naive one is pointwise",
        )


# ---- pictures


def picture_coverage(lines: Sequence[Line]) -> Any:
    """Draw coverage and width of bands by sample."""
    from matplotlib import pyplot as plt

    figure, (top, bottom) = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
    cells = list(dict.fromkeys((line["n"], line["p"]) for line in lines))
    for turn, method in enumerate(METHODS):
        own = [line for line in lines if line["method"] == method.name]
        x = np.arange(len(cells)) + (turn - 2.5) * 0.11
        top.errorbar(
            x,
            [y["coverage"] for y in own],
            [2 * y["standard_error"] for y in own],
            fmt="o",
            markersize=4,
            label=method.name,
        )
        bottom.plot(x, [y["mean_width"] for y in own], "o", markersize=4)
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


def picture_rates(radius: Sequence[Line], curve: Sequence[Line]) -> Any:
    """Draw errors over the sample size: of radii, and of curves by bandwidth."""
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    for name, order, color in (("smoothed", -0.4, "#1b4f8a"), ("naive", -0.25, "#c8553d")):
        own = [line for line in radius if line["bootstrap"] == name]
        n, y = np.array([line["n"] for line in own]), np.array([line["relative_error"] for line in own])
        left.loglog(n, y, "o-", color=color, label=name)
        left.loglog(n, y[0] * (n / n[0]) ** order, ":", color=color, label=f"of order n^({order:g})")
    left.set(xlabel="n", ylabel="relative error of the .95 radius")
    for name in ("empirical", *(rule[0] for rule in RULES)):
        own = [line for line in curve if line["curve"] == name]
        right.loglog([line["n"] for line in own], [line["largest_deviation"] for line in own], "o-", label=name)
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
    rows += [*empty_rows(), *importance_rows(weights)]
    with timed("bandwidth"):
        sizes = (200,) if quick else (200, 800, 3200, 12_800)
        curves = [line for n in sizes for line in bandwidths(n, 20 if quick else 150)]
    rows += bandwidth_rows(curves, conditions())
    with timed("coverage"):
        cells = CELLS[:1] if quick else CELLS
        held = [line for n, p in cells for line in coverage(n, p, 8 if quick else 400, 99 if quick else 299)]
    rows += coverage_rows(held)
    if quick:
        return conclude(rows)
    with timed("rates"):
        radius = [line for n in (200, 800, 3200, 12_800) for line in radii(n, 60, 1000)]
    rows += rate_rows(radius)
    said = f"seed {SEED}"
    FOLDER.write("comparison", [row.line for row in rows], said)
    FOLDER.write("empty_samples", empty_samples(), said)
    FOLDER.write("importance", weights, said)
    FOLDER.write("bandwidth", curves, said)
    FOLDER.write("conditions", conditions(), said)
    FOLDER.write("coverage", held, said)
    FOLDER.write("rates", radius, said)
    FOLDER.save("coverage", picture_coverage(held))
    FOLDER.save("importance", picture_importance(weights))
    FOLDER.save("rates", picture_rates(radius, curves))
    return conclude(rows)


if __name__ == "__main__":
    sys.exit(main())
