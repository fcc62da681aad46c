"""Confidence intervals: recipes of STATS by hand, laws over all metrics, what is refused and what is said."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import expit, logit

import hitcurve as hc
from hitcurve import Estimate, HitTable, Metric, evaluate, metric
from hitcurve.datasets import mammography
from hitcurve.errors import HitcurveError, InsufficientDataError, ParameterError, UndefinedMetricError
from hitcurve.inference.intervals import drawn
from hitcurve.inference.intervals.interval import METHODS, resolve
from hitcurve.inference.intervals.interval import interval as interval_of
from hitcurve.inference.variance.spread import Spread
from hitcurve.sums import Lists, Sums
from tests.metrics_under_test import AT_RECALL, FORMS, METRICS, counts_ranks, needs_whole_subjects, refuses_weights
from tests.sampled import Sample, binormal, quietly
from tests.strategies import Floats, Ranking, each_fourth, law, rankings

DESIGNS = ("cohort", "case-control")
each_design = pytest.mark.parametrize("design", DESIGNS)
Complex = npt.NDArray[np.complex128]


def interval(
    form: str | Metric, table: HitTable, design: str = "cohort", level: float = 0.95, method: str = "auto", **more: Any
) -> tuple[float, float]:
    return interval_of(Spread(metric(form), table, design), level, method, **more)[0]


SAMPLES = {
    "no ties": binormal(25, 160, seed=1),
    "ties": binormal(30, 50, 1.2, seed=2, levels=7),
    "few": binormal(6, 90, 2.0, seed=3),
    "mostly positive": binormal(60, 8, 1.0, seed=4, levels=15),
    "alone at the top": Sample(np.isin(np.arange(60), [0, 4, 5, 9, 20, 41, 59]), {"a": -np.arange(60.0)}),
}
each_sample = pytest.mark.parametrize("sample", SAMPLES.values(), ids=list(SAMPLES))


# ---- average precision


def rows_of_precision(sample: Sample) -> tuple[Floats, Floats]:
    """Return positives and negatives by score of the positives, with the negatives since the score above it."""
    grid = np.unique(sample.a[sample.y])[::-1]
    z = np.array([np.sum(sample.a[sample.y] == s) for s in grid] + [0], float)
    above = np.array([np.sum(sample.a[~sample.y] >= s) for s in grid] + [np.sum(~sample.y)])
    return z, np.diff(np.append(0, above)).astype(float)


def ap(z: Any, y: Any) -> Any:
    H, B = np.cumsum(z), np.cumsum(y)
    return np.sum(z * H / (H + B)) / H[-1]


def slopes(f: Callable[[Any], Any], at: Floats) -> Floats:
    """Return the derivatives of f by a complex step, which has no rounding error."""
    return np.array([f(at + 1e-30j * unit).imag / 1e-30 for unit in np.eye(at.size)])


def leave_one_out(sample: Sample, alone: float) -> float:
    """Return the mean over the positives of the precision among the others at least as high."""
    shares = []
    for i in np.flatnonzero(sample.y):
        others = (sample.a >= sample.a[i]) & (np.arange(sample.y.size) != i)
        shares.append(sample.y[others].mean() if others.any() else alone)
    return float(np.mean(shares))


@each_sample
def test_leave_one_out_by_subjects(sample: Sample) -> None:
    e = quietly(sample.y, {"a": sample.a}, metrics=["ap", "scaled_ap"])
    expected, pi = leave_one_out(sample, 1.0), sample.y.mean()
    assert e["a", "ap"].bias_reduced == pytest.approx(expected, rel=1e-12)
    assert e["a", "scaled_ap"].bias_reduced == pytest.approx((expected - pi) / (1 - pi), rel=1e-12)


def test_leave_one_out_at_a_prevalence() -> None:
    sample, pi = SAMPLES["ties"], 0.05
    shares = []
    for i in np.flatnonzero(sample.y):
        above = sample.a >= sample.a[i]
        tpr, fpr = (np.sum(above[sample.y]) - 1) / (sample.y.sum() - 1), above[~sample.y].mean()
        shares.append(pi * tpr / (pi * tpr + (1 - pi) * fpr))
    e = quietly(sample.y, {"a": sample.a}, metrics="ap", prevalence=pi)["a", "ap"]
    assert e.bias_reduced == pytest.approx(np.mean(shares), rel=1e-12)


def test_leave_one_out_of_a_lone_positive_at_the_top() -> None:
    """0/0: its precision without itself counts as 1; metrics without the estimate have None."""
    y = [1, 0, 1, 1, 0, 1, 1, 0, 0, 0]
    e = evaluate(y, range(10, 0, -1), metrics=["ap", "auc", "ap(ties=expected)"])
    assert e["score", "ap"].bias_reduced == pytest.approx((1 + 1 / 2 + 2 / 3 + 3 / 5 + 4 / 6) / 5, rel=1e-14)
    assert e["score", "auc"].bias_reduced is None
    assert e["score", "ap(ties=expected)"].bias_reduced is None


def next_share(sample: Sample) -> float:
    """Return the share of positives of the row after the first: a gap and the positives below it."""
    z, y = rows_of_precision(sample)
    return float(z[1] / (z[1] + y[1]))


def moments_of_precision(z: Floats, y: Floats, design: str, prevalence: float | None) -> tuple[float, float]:
    """Return average precision and its variance, with derivatives by a complex step."""
    n1, n0, K = z.sum(), y.sum(), z.size
    pi = n1 / (n1 + n0) if prevalence is None else prevalence

    def value(x: Any) -> Any:
        p, q, own = x[:K], x[K:-1], x[-1]
        P, Q = np.cumsum(p) / p.sum(), np.cumsum(q) / q.sum()
        with np.errstate(invalid="ignore"):  # nobody yet
            return np.nansum(p * own * P / (own * P + (1 - own) * Q)) / p.sum()

    at = np.concatenate([z / n1, y / n0, [pi]])
    g = slopes(value, at)
    variance = np.sum(z / n1 * g[:K] ** 2) / n1 + np.sum(y / n0 * g[K:-1] ** 2) / n0
    if design == "cohort" and prevalence is None:
        variance += g[-1] ** 2 * pi * (1 - pi) / (n1 + n0)
    return float(value(at)), float(variance)


def on_logit(theta: float, variance: float, t: float) -> Floats:
    half = t * math.sqrt(variance) / (theta * (1 - theta))
    return np.asarray(expit([logit(theta) - half, logit(theta) + half]))


def reaching(ends: Any, sample: tuple[float, float], more: tuple[float, float], t: float) -> Any:
    """Return ends that reach as far as those of the sample, where half a subject moves its value far."""
    (theta, variance), (moved, error) = sample, (more[0], math.sqrt(more[1]))
    if not (abs(theta - moved) > error / 4 and 0 < theta < 1):
        return ends
    own = on_logit(theta, variance, t)
    return [min(ends[0], own[0]), max(ends[1], own[1])]


@each_sample
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_tilting_by_hand(sample: Sample, level: float) -> None:
    """STATS 1.6, with derivatives by a complex step."""
    z, y = rows_of_precision(sample)
    n, K = sample.y.size, z.size
    share = (z + y) / n
    w = np.concatenate([z + share / 2, y + share])
    step = stats.t.ppf((1 + level) / 2, sample.y.sum() - 1) / 16
    centre = ap(z + share / 2, y + share / 2)
    loo = leave_one_out(sample, next_share(sample))
    delta = min(max(logit(centre) - logit(max(loo, 0.3 * centre)), 0), 1)
    ends = []
    for sign in (-1, 1):
        tilted = w.copy()
        for _ in range(16):
            g = slopes(lambda x: ap(x[:K], x[K:]), tilted)
            tilted = tilted * np.exp(np.clip(sign * step * g / math.sqrt(np.sum(tilted * g**2)), -5, 5))
            tilted *= w.sum() / tilted.sum()
        ends.append(expit(logit(ap(tilted[:K], tilted[K:])) - delta / 5))
    own, more = (moments_of_precision(*sides, "cohort", None) for sides in ((z, y), (z + share / 2, y + share / 2)))
    expected = reaching(ends, own, more, stats.t.ppf((1 + level) / 2, sample.y.sum() - 1))
    assert interval("ap", sample.table(), level=level, method="tilted") == pytest.approx(expected, rel=1e-8)


@each_sample
@each_design
@pytest.mark.parametrize("prevalence", [None, 0.1])
def test_half_subject_interval_of_average_precision_by_hand(
    sample: Sample, design: str, prevalence: float | None
) -> None:
    z, y = rows_of_precision(sample)
    n1, n0, n = z.sum(), y.sum(), sample.y.size
    spread = (z + y) / n if prevalence is None else prevalence * z / n1 + (1 - prevalence) * y / n0
    own = moments_of_precision(z, y, design, prevalence)
    more = moments_of_precision(z + spread / 2, y + spread / 2, design, prevalence)
    t = stats.t.ppf(0.975, sample.y.sum() - 1)
    table = sample.table() if prevalence is None else sample.table().at_prevalence(prevalence)
    found = interval("ap", table, design, method="half-subject")
    assert found == pytest.approx(reaching(on_logit(*more, t), own, more, t), rel=1e-9)


# ---- areas


@each_sample
def test_half_subject_interval_of_auc_by_hand(sample: Sample) -> None:
    """By all pairs of weighted subjects: every subject, and parts of half a positive and half a negative beside it."""
    n, n1 = sample.y.size, int(sample.y.sum())
    # gaps between scores of positives are one row, in the middle of which their part stands
    grid = np.unique(sample.a[sample.y])
    place = 2 * np.searchsorted(grid, sample.a, "left") + np.isin(sample.a, grid)
    wins = (place[:, None] > place) + (place[:, None] == place) / 2

    def moments(z: Any, y: Any) -> tuple[float, float]:
        a, b = wins @ y / y.sum(), z @ wins / z.sum()
        theta = float(z @ a / z.sum())
        return theta, np.sum(z * (a - theta) ** 2) / z.sum() ** 2 + np.sum(y * (b - theta) ** 2) / y.sum() ** 2

    own, more = (moments(np.add(sample.y, part), np.add(~sample.y, part)) for part in (0.0, 0.5 / n))
    t = stats.t.ppf(0.975, n1 - 1)
    expected = reaching(on_logit(*more, t), own, more, t)
    for table in (sample.table(), sample.table().collapse()):
        assert interval("auc", table) == pytest.approx(expected, rel=1e-10)
    assert resolve(Spread(metric("auc"), sample.table(), "cohort"), "auto") == "half-subject"


@each_sample
def test_affine_metrics_have_affine_intervals(sample: Sample) -> None:
    """CAC and RIE are affine in BEDROC where the prevalence is known, and so are their intervals."""
    table = sample.table()
    low, high = interval("bedroc(alpha=5)", table, "case-control")
    for form in ("rie(alpha=5)", "cac(exp, alpha=5)"):
        worst, best = metric(form).worst(table), metric(form).best(table)
        found = interval(form, table, "case-control")
        assert found == pytest.approx((worst + low * (best - worst), worst + high * (best - worst)), rel=1e-9)


# ---- cuts


@each_design
@pytest.mark.parametrize(("seed", "k"), [(11, 8), (2, 20), (3, 60)])
def test_jeffreys_by_hand(seed: int, k: int, design: str) -> None:
    """STATS 4, from the ranks of a strict list."""
    sample = binormal(30, 170, seed=seed)
    n1, n0, n, pi, r = 30, 170, 200, 0.15, k / 200
    y = sample.y[np.argsort(-sample.a)]
    h = int(y[:k].sum())
    T, T_, Q_ = h / n1, (h + 0.5) / (n1 + 1), (k - h + 0.5) / (n0 + 1)
    w = min(max(k * n1**-0.2, 2), k, n - k)
    hits = np.append(0.0, np.cumsum(y))
    rho = (np.interp(k + w, np.arange(n + 1), hits) - np.interp(k - w, np.arange(n + 1), hits)) / (2 * w)
    sampled = pi * (1 - pi) / n if design == "cohort" else 0.0
    v = (1 - rho) ** 2 * T_ * (1 - T_) / n1 + (rho / pi) ** 2 * (
        (1 - pi) ** 2 * Q_ * (1 - Q_) / n0 + (T_ - Q_) ** 2 * sampled
    )
    size = T_ * (1 - T_) / v
    recall = stats.beta.ppf([0.025, 0.975], size * T + 0.5, size * (1 - T) + 0.5)
    theta, theta_ = h / k, (h + 0.5) / (k + 1)
    V = (pi * (1 - rho) / r) ** 2 * T_ * (1 - T_) / n1 + (rho * (1 - pi) / r) ** 2 * Q_ * (1 - Q_) / n0
    V += ((T_ - rho * (T_ - Q_)) / r) ** 2 * sampled
    size = theta_ * (1 - theta_) / V
    precision = stats.beta.ppf([0.025, 0.975], size * theta + 0.5, size * (1 - theta) + 0.5)
    assert 0 < h < min(k, n1)
    table = sample.table().collapse()
    for form, ends in {
        f"recall@{k}": recall,
        f"ef@{k}": recall / r,
        f"precision@{k}": precision,
        f"hits@{k}": precision * k,
        # of its maximum k/n1 of recall, or 1
        f"relative_ef@{k}": recall if k > n1 else precision,
    }.items():
        if design == "case-control":  # of these classes no list has more
            ends = np.minimum(ends, float(metric(form).best(table)))
        assert interval(form, table, design, method="jeffreys") == pytest.approx(ends, rel=1e-9), form
        assert resolve(Spread(metric(form), table, design), "auto") == "region"


def test_cuts_without_hits_or_without_errors() -> None:
    """0 of so many has the lower end 0, all of so many the upper end 1, and it is said."""
    for order, at_the_end in (([0] * 20 + [1] * 10 + [0] * 70, 0), ([1] * 10 + [0] * 90, 1)):
        e = quietly(order, range(100, 0, -1), metrics=["recall@10", "precision@10", "ef@10", "hits@10"])
        for one in e:
            low, high = one.confidence_interval()
            assert (low == 0, high == pytest.approx(one.best)) == (not at_the_end, bool(at_the_end))
            words = "no error was observed" if at_the_end else "no hit was observed"
            assert any(words in text for text in one.cautions)


@pytest.mark.slow
def test_enrichment_at_as_many_as_there_are_positives_moves_with_the_prevalence() -> None:
    """Its maximum 1/prevalence is estimated too: covering it takes more than the interval of the recall."""
    rng = np.random.default_rng(1)
    covered, truth = 0, metric("ef@R")
    values = []
    for _ in range(300):
        y = np.arange(400) < rng.binomial(400, 0.25)
        table = HitTable.from_scores(y, rng.normal(size=400) + 3 * y).collapse()
        values.append((truth.value(table), *interval(truth, table)))
    mean = float(np.mean([value for value, _, _ in values]))
    covered = sum(low <= mean <= high for _, low, high in values)
    assert covered / 300 > 0.91


@pytest.mark.slow
@pytest.mark.parametrize(("method", "least", "most"), [("region", 0.93, 0.995), ("log", 0.85, 0.985)])
def test_work_saved_covers(method: str, least: float, most: float) -> None:
    """By the region, and by the logarithm of FPR; steeper slopes or flatter ones would give the latter .997 and .79."""
    rng = np.random.default_rng(2)
    for level, n1 in ((0.8, 100), (0.95, 100)):
        m, covered = metric(f"wss@{level * 100:g}%"), 0
        truth = level - (n1 * level + 900 * stats.norm.sf(1.5 - stats.norm.ppf(level))) / (n1 + 900)
        for _ in range(300):
            y = np.arange(n1 + 900) < n1
            table = HitTable.from_scores(y, rng.normal(size=y.size) + 1.5 * y).collapse()
            low, high = interval(m, table, method=method)
            covered += low <= truth <= high
        assert least < covered / 300 < most


def test_work_saved_of_few_with_equal_scores_covers() -> None:
    """Five levels, 50 positives of 2,500: by the logarithm of FPR 86% of the samples."""
    rng, covered = np.random.default_rng(5), 0
    m, cuts = metric("wss@95%"), [-0.5, 0.25, 1.0, 1.75]
    pos, neg = (np.diff(stats.norm.cdf(cuts, shift), prepend=0, append=1)[::-1] for shift in (1.5, 0.0))
    tpr, fpr = (np.append(0.0, np.cumsum(side)) for side in (pos, neg))
    truth = 0.95 - 0.02 * 0.95 - 0.98 * np.interp(0.95, tpr, fpr)
    for _ in range(300):
        n1 = rng.binomial(2500, 0.02)
        table = HitTable.from_counts(rng.multinomial(n1, pos), rng.multinomial(2500 - n1, neg))
        low, high = interval(m, table)
        covered += low <= truth <= high
    assert covered / 300 > 0.92


# ---- laws


def defined_on(m: Metric, table: HitTable) -> bool:
    """Whether a metric has an interval on a table of at least 5 of either class."""
    if m.name == "wss" and m.waits_for_last(table.counts):
        return False
    if table.assumed_prevalence is not None:
        # whole cuts round to whole subjects
        rounded = getattr(m, "cut", "auto") not in ("auto", "fractional")
        return not (counts_ranks(m) or needs_whole_subjects(m) or rounded)
    return not (table.weighted and refuses_weights(m))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*bootstrap draws")  # of a metric that jumps
@law(8)
@given(r=rankings(least=12, most=24, levels=7), prevalence=st.sampled_from([None, 0.5]))
def test_intervals_hold_the_value_and_stay_in_the_range(r: Ranking, prevalence: float | None) -> None:
    """And are wider at a higher level; every other metric by each design, which they change with the positives."""
    assume(min(r.y.sum(), (~r.y).sum()) >= 5)
    table = r.table.collapse() if prevalence is None else r.table.collapse().at_prevalence(prevalence)
    for place, m in enumerate(METRICS, int(r.y.sum())):
        if not defined_on(m, table):
            continue
        least, most = m.range
        value = m.value(table)
        hair = 1e-9 * max(1.0, abs(value))
        ends = [interval(m, table, DESIGNS[place % 2], level) for level in (0.5, 0.9, 0.99)]
        for low, high in ends:
            assert least <= low <= value + hair, str(m)
            assert value - hair <= high <= most, str(m)
        for (low, high), (lower, higher) in itertools.pairwise(ends):
            assert lower <= low + hair, str(m)
            assert high <= higher + hair, str(m)


CUT = {
    "recall",
    "hits",
    "precision",
    "ef",
    "relative_ef",
    "roc_enrichment",
    "wss",
    "nwss",
    "erf",
    "f1",
    "tpr@fpr",
    *AT_RECALL,
}
CUT |= {"sensitivity@specificity"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.* of all bootstrap draws")
@each_fourth
@law(3)
@given(r=rankings(least=12, most=24, levels=8), prevalence=st.sampled_from([None, 0.5]))
def test_intervals_of_a_collapsed_table(r: Ranking, prevalence: float | None, start: int) -> None:
    """Cuts apart: a full table knows ties among negatives, which a gap that is cut does not."""
    assume(min(r.y.sum(), (~r.y).sum()) >= 5)
    full = r.table if prevalence is None else r.table.at_prevalence(prevalence)
    for m in METRICS[start::4]:
        cut = m.name in CUT or "step" in str(m) or "point(0.3)" in str(m)
        if cut or not defined_on(m, full):
            continue
        for design in DESIGNS:
            a, b = Spread(m, full, design), Spread(m, full.collapse(), design)
            for method in ("auto", "wald"):
                try:
                    expected = interval_of(a, 0.9, method)[0]
                except InsufficientDataError as refused:  # nothing varies
                    with pytest.raises(InsufficientDataError, match=re.escape(str(refused))):
                        interval_of(b, 0.9, method)
                    continue
                assert interval_of(b, 0.9, method)[0] == pytest.approx(expected, rel=1e-6, abs=1e-9), f"{m}, {method}"


@law(10)
@given(r=rankings(least=12, most=20, levels=6))
def test_intervals_of_weights_of_one(r: Ranking) -> None:
    assume(min(r.y.sum(), (~r.y).sum()) >= 5)
    weighted = HitTable.from_scores(r.y, r.s, sample_weight=np.full(r.y.size, 3.0))
    for form in ("auc", "croc(exp, alpha=7)", "bedroc(alpha=20)", "ef@25%(cut=fractional)", "ap"):
        # tilting and slices are for whole subjects
        method = {"ap": "half-subject", "ef@25%(cut=fractional)": "jeffreys"}.get(form, "auto")
        expected = interval(form, r.table, method=method)
        assert interval(form, weighted, method=method) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*bootstrap draws")  # of a metric that jumps
def test_a_perfect_order_has_an_interval_of_every_metric() -> None:
    """It reaches the best value, which was observed; the reversed order reaches the worst.

    The designs take turns, so that each metric has both in each order, and at each size.
    """
    for size, (n1, n0) in enumerate(((5, 5), (50, 5), (5, 50), (8, 300), (200, 7))):
        for turned, order in enumerate(([1] * n1 + [0] * n0, [0] * n0 + [1] * n1)):
            table = HitTable.from_scores(order, range(n1 + n0, 0, -1)).collapse()
            for place, m in enumerate(METRICS, size + turned):
                if not defined_on(m, table):
                    continue
                value = m.value(table)
                low, high = interval(m, table, DESIGNS[place % 2])
                hair = 1e-9 * max(1.0, abs(value))
                assert low - hair <= value <= high + hair, str(m)
                assert low < high or m.name in CUT or low == value == high, str(m)


def test_a_list_of_a_billion_has_an_interval_of_every_metric() -> None:
    ranks = [3, 17, 240, 5000, 10**5, 10**6, 3 * 10**7, 10**8, 5 * 10**8, 9 * 10**8]
    table = HitTable.from_ranks(ranks, n=10**9)
    for m in (m for m in METRICS if defined_on(m, table)):
        for design in DESIGNS:
            low, high = interval(m, table, design)
            assert -math.inf < low <= m.value(table) <= high < math.inf, str(m)


def test_ties_of_expected_average_precision_are_not_made() -> None:
    """A gap and the positive below it are no group of equal scores."""
    sample = Sample(np.arange(300) % 10 == 9, {"a": -np.arange(300.0)})
    group, expected = (interval(form, sample.table(), method="half-subject") for form in ("ap", "ap(ties=expected)"))
    # without ties the two metrics are one and the same; a gap of 9 as a group would double them
    assert expected == pytest.approx(tuple(group), rel=0.05)


# ---- clusters


def test_clusters_of_one_have_the_interval_with_their_own_degrees() -> None:
    sample = SAMPLES["no ties"]
    e = evaluate(sample.y, sample.a, metrics=["auc", "recall@20"], clusters=np.arange(sample.y.size))
    plain = evaluate(sample.y, sample.a, metrics=["auc", "recall@20"])
    C = sample.y.size
    for form in ("auc", "recall@20"):
        one, other = e["score", form], plain["score", form]
        phi, y = plain.influence("score", form), np.asarray(sample.y, bool)
        squares = sum(np.sum((phi[own] / (1 - 1 / own.sum())) ** 2) for own in (y, ~y))
        assert one.standard_error == pytest.approx(math.sqrt((C - 1) / C * squares), rel=1e-9)
        assert one.standard_error == pytest.approx(other.standard_error, rel=0.05)
        low, high = one.confidence_interval(method="wald")
        of_cut = sample.y.sum() if form == "auc" else min(20, sample.y.sum())  # clusters above it
        half = stats.t.ppf(0.975, of_cut - 1) * one.standard_error
        assert (low, high) == pytest.approx((one.value - half, one.value + half), rel=1e-9)
        assert one.standard_error_source == "influence values, summed by cluster"
    with pytest.raises(ParameterError, match="cannot be combined with clusters"):
        e["score", "auc"].confidence_interval(method="percentile")


# ---- what auto becomes


def estimate(form: str, sample: Sample, **more: Any) -> Estimate:
    return next(iter(quietly(sample.y, {"a": sample.a}, metrics=form, **more)))


FEW, MANY = binormal(30, 200, seed=5), binormal(2001, 2100, seed=6)
AUTO: list[tuple[str, Sample, dict[str, Any], str]] = [
    ("ap", FEW, {}, "end-model"),
    ("ap", binormal(400, 900, seed=5), {}, "end-model"),
    ("ap", binormal(401, 900, seed=5), {}, "tilted"),
    ("ap(ties=expected)", FEW, {}, "half-subject"),
    ("ap", FEW, {"design": "case-control"}, "half-subject"),
    ("ap", FEW, {"prevalence": 0.3}, "half-subject"),
    ("ap", FEW, {"sample_weight": np.arange(230) % 2 + 1}, "half-subject"),
    ("ap", FEW, {"clusters": np.arange(230) // 2}, "half-subject"),
    ("ap", MANY, {}, "half-subject"),  # beyond 2000 positives; by name it is to be had
    ("ap", MANY.at(np.argsort(~MANY.y, kind="stable")[1:]), {}, "tilted"),
    *((form, FEW, {}, "half-subject") for form in ("scaled_ap", "auc", "pauc(fpr, 0, 0.3)", "croc(exp, alpha=20)")),
    *((form, FEW, {}, "half-subject") for form in ("bedroc(alpha=20)", "rie(alpha=20)", "cac(exp, alpha=7)")),
    *((form, FEW, {}, "half-subject") for form in ("rauc(beta(6.23, 32.8))", "ndcg@5", "half_auc(specific)", "proc")),
    *((form, FEW, {}, "half-subject") for form in ("pr_area(keilwagen)", "pr_area(davis_goadrich)")),
    *((form, FEW, {}, "region") for form in ("recall@1%", "ef@1%", "hits@9", "precision@R", "relative_ef@5%")),
    *((form, FEW, {}, "region") for form in ("roc_enrichment@10%", "croc(step, t=0.1)", "rauc(point(0.3))")),
    ("ef@1%", FEW, {"prevalence": 0.3}, "region"),
    ("ef@1%", FEW, {"sample_weight": np.arange(230) % 2 + 1}, "jeffreys"),
    ("ef@1%", FEW, {"clusters": np.arange(230) // 2}, "jeffreys"),
    ("ef@10%", Sample(FEW.y, {"a": np.round(FEW.a / 2)}), {}, "jeffreys"),  # equal scores at the cut
    *((form, FEW, {}, "inversion") for form in ("ndcg", "dcg", "logauc")),
    ("logauc", FEW, {"prevalence": 0.3}, "inversion"),
    ("logauc(0.01, 1)", FEW, {}, "half-subject"),  # begins where there are negatives
    ("ndcg", FEW, {"clusters": np.arange(230) // 2}, "half-subject"),
    ("ndcg", MANY, {}, "half-subject"),
    ("wss@80%", FEW, {}, "region"),
    ("wss@80%", Sample(FEW.y, {"a": np.round(FEW.a / 2)}), {}, "region"),
    ("wss@80%", FEW, {"sample_weight": np.arange(230) % 2 + 1}, "log"),
    ("wss@80%", FEW, {"clusters": np.arange(230) // 2}, "profile"),
    ("roc_enrichment@0.5%", Sample(FEW.y, {"a": np.round(FEW.a / 2)}), {}, "region"),  # not one negative above
    *((form, FEW, {}, "half-subject") for form in ("slr", "dcg@5", "prg_area", "momentum")),
]


@pytest.mark.parametrize(("form", "sample", "more", "expected"), AUTO, ids=lambda x: x if isinstance(x, str) else "")
def test_auto_is_what_was_measured_to_cover(form: str, sample: Sample, more: dict[str, Any], expected: str) -> None:
    e = estimate(form, sample, **more)
    assert e.interval_method == expected
    assert e.confidence_interval() == e.confidence_interval(method=expected)
    clustered = Spread(e.metric, e.table, e.design, e._spread.clustered)
    assert e.confidence_interval() == interval_of(clustered, 0.95)[0]


def test_tilting_many_by_name() -> None:
    """Where it is not the default because it was not measured, it is all but the same."""
    e = estimate("ap", MANY)
    half = e.confidence_interval()
    assert e.confidence_interval(method="tilted") == pytest.approx(tuple(half), abs=0.1 * (half.high - half.low))


def test_auto_is_the_default_and_levels_are_those_of_the_evaluation() -> None:
    ev = evaluate(tables=mammography(), metrics="ap", confidence_level=0.9)
    e = ev["film", "ap"]
    assert e.confidence_interval() == e.confidence_interval(0.9, method="auto") != e.confidence_interval(0.95)
    record = next(r for r in ev.to_dict()["results"] if r["ranker"] == "film")
    assert (record["low"], record["high"]) == e.confidence_interval()
    assert (record["level"], record["method"], record["design"]) == (0.9, "end-model", "cohort")


# ---- refused


def sparse(n1: int, n0: int) -> Sample:
    return binormal(n1, n0, 1.0, seed=7)


@pytest.mark.parametrize(("n1", "n0", "who"), [(2, 60, "2 positives"), (4, 60, "4 positives"), (60, 4, "4 negatives")])
@pytest.mark.parametrize("form", ["ap", "auc", "recall@3", "bedroc(alpha=20)"])
def test_few_subjects_by_name_only(n1: int, n0: int, who: str, form: str) -> None:
    e = estimate(form, sparse(n1, n0))
    with pytest.raises(InsufficientDataError, match=f"{who} are too few"):
        e.confidence_interval()
    assert [text for text in e.cautions if f"only {who}: too few" in text]
    method = "jeffreys" if "@" in form else "wald"
    low, high = e.confidence_interval(method=method)
    assert low < high
    assert e.standard_error >= 0
    assert quietly(sparse(n1, n0).y, sparse(n1, n0).a, metrics=form).to_dict()["results"][0]["low"] is None


def test_five_of_either_class_have_an_interval_and_a_caution() -> None:
    e = estimate("auc", sparse(5, 60))
    assert e.confidence_interval().low < e.confidence_interval().high
    assert any("only 5 positives: intervals are approximate" in text for text in e.cautions)
    assert not estimate("auc", sparse(20, 60)).cautions
    assert any("only 19 negatives" in text for text in estimate("auc", sparse(60, 19)).cautions)


@pytest.mark.parametrize("form", ["ap", "scaled_ap", "pr_area(keilwagen)"])
def test_precision_that_was_never_sampled(form: str) -> None:
    """nu = n0 pi/(1 - pi) negatives lie where precision is decided at a prevalence that was set."""
    sample = sparse(40, 200)
    for nu, refused, said in (
        (4.9, True, True),
        (5.1, False, True),
        (29, False, True),
        (31, False, True),
        (79, False, True),
        (81, False, False),
    ):
        prevalence = nu / 200 / (1 + nu / 200)
        e = estimate(form, sample, prevalence=prevalence)
        assert any("extrapolated" in text for text in e.cautions) is said
        if refused:
            with pytest.raises(InsufficientDataError, match="the sample lacks the false positives"):
                e.confidence_interval()
            assert e.confidence_interval(method="half-subject").low > 0
        else:
            e.confidence_interval()
    assert not any("extrapolated" in text for text in estimate("auc", sample, prevalence=0.001).cautions)
    estimate("auc", sample, prevalence=0.001).confidence_interval()


@pytest.mark.parametrize(
    ("form", "n1", "n0", "who"),
    [
        ("croc(exp, alpha=80)", 40, 300, "3.75 negatives"),
        ("roc_enrichment@1%", 40, 300, "3 negatives"),
        # the mirror image of a partial area over FPR rests on positives
        ("pauc(tpr, 0.9, 1)", 40, 300, "2.53 positives"),
    ],
)
def test_few_that_decide(form: str, n1: int, n0: int, who: str) -> None:
    e = estimate(form, sparse(n1, n0))
    assert any(f"depends on only about {who}" in text for text in e.cautions), e.cautions
    assert not estimate(form, sparse(400, 3000)).cautions


WRONG: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"method": "jefreys"}, ParameterError, "did you mean 'jeffreys'"),
    ({"method": "bootstrap"}, ParameterError, "method must be one of"),
    *(({"confidence_level": level}, ParameterError, "confidence_level") for level in (0, 1, -0.1, 95, math.nan, "x")),
    *(({"method": "percentile", "n_resamples": n}, ParameterError, "n_resamples") for n in (0, 1, -5, 2.5, True)),
    ({"method": "percentile", "rng": np.random.RandomState(0)}, ParameterError, "RandomState"),
    ({"method": "percentile", "rng": True}, ParameterError, "rng must be None, a seed or a numpy Generator, got True"),
    ({"method": "percentile", "rng": "seed"}, ParameterError, "rng"),
    ({"method": "jeffreys"}, ParameterError, "is for metrics at a cutoff"),
    ({"method": "log"}, ParameterError, "is for metrics at a cutoff"),
    ({"method": "tilted"}, ParameterError, "average precision"),
]


@pytest.mark.parametrize(("more", "kind", "words"), WRONG)
def test_what_is_no_interval(more: dict[str, Any], kind: type[Exception], words: str) -> None:
    e = estimate("auc", FEW)
    with pytest.raises(kind, match=words):
        e.confidence_interval(**more)


def test_methods_that_do_not_suit_a_metric() -> None:
    for form, method in (("slr", "logit"), ("dcg", "logit"), ("recall@5", "tilted"), ("wss@80%", "jeffreys")):
        with pytest.raises(ParameterError, match=method):
            estimate(form, FEW).confidence_interval(method=method)
    with pytest.raises(UndefinedMetricError, match="end of its range"):
        quietly([1] * 9 + [0] * 9, range(18, 0, -1), metrics="auc")["score", "auc"].confidence_interval(method="logit")
    for weighted in ("percentile", "bca", "studentized"):
        e = estimate("auc", FEW, sample_weight=np.arange(1, 231) % 3 + 1.0)
        with pytest.raises(UndefinedMetricError, match="a weighted table cannot be resampled"):
            e.confidence_interval(method=weighted)


@pytest.mark.parametrize("form", FORMS)
def test_the_way_out_of_a_method_for_cutoffs_is_one(form: str) -> None:
    """What a refusal names gives an interval of the same list, here a weighted one."""
    e = estimate(form, FEW, sample_weight=None if refuses_weights(metric(form)) else np.arange(1, 231) % 3 + 1.0)
    for method in ("region", "jeffreys", "log"):
        try:
            e.confidence_interval(method=method)
        except ParameterError as error:
            (named,) = re.findall(r"use '([a-z-]+)'", str(error))
        except UndefinedMetricError:  # by no method
            continue
        else:
            named = method
        assert e.confidence_interval(method=named).low <= e.value, method


@pytest.mark.parametrize("form", ["slr", "prg_area", "momentum"])
def test_an_unbounded_metric_has_the_t_interval_of_the_table_with_half_a_subject(form: str) -> None:
    pos, neg = np.array([9, 6, 4, 3, 1, 1]), np.array([1, 4, 9, 20, 30, 46])
    e = evaluate(tables={"a": HitTable.from_counts(pos, neg)}, metrics=form)["a", form]
    of_each = (pos + neg) / (pos + neg).sum() / 2
    more = Spread(metric(form), Lists(Sums(pos + of_each, neg + of_each)), "cohort")
    half = stats.t.ppf(0.975, pos.sum() - 1) * math.sqrt(more.variance)
    low, high = e.confidence_interval(method="half-subject")
    assert low == pytest.approx(float(more.value) - half, rel=1e-9)
    assert high == pytest.approx(min(float(more.value) + half, metric(form).range[1]), rel=1e-9)


def test_a_perfect_top_of_dcg_has_an_interval_below_its_best_sum() -> None:
    y = np.array([1] * 10 + [0, 1] * 10 + [0] * 200)
    low, high = evaluate(y, -np.arange(y.size), metrics="dcg@10")["score", "dcg@10"].confidence_interval()
    best = math.fsum(1 / np.log2(np.arange(2, 12)))
    assert low < 0.97 * best  # 10 of 10 hits: the t interval has no width
    assert high == pytest.approx(best, rel=1e-14)


@pytest.mark.parametrize("level", [0, 1, 1.5, -1, math.nan, "high", None])
def test_levels_of_an_evaluation(level: Any) -> None:
    with pytest.raises(ParameterError, match="confidence_level"):
        evaluate(FEW.y, FEW.a, confidence_level=level)


def test_designs_of_an_evaluation() -> None:
    with pytest.raises(ParameterError, match="did you mean 'case-control'"):
        evaluate(FEW.y, FEW.a, design="case control")
    with pytest.raises(ParameterError, match="prevalence of a cohort is the sampled one"):
        evaluate(FEW.y, FEW.a, design="cohort", prevalence=0.1)
    with pytest.raises(ParameterError, match="prevalence"):
        evaluate(FEW.y, FEW.a, prevalence=1.0)


def test_undefined_values_have_no_doubt() -> None:
    e = quietly([0] * 9 + [1] * 9, range(18, 0, -1), metrics="momentum", undefined="nan")["score", "momentum"]
    assert math.isnan(e.value)
    assert e.cautions == ()
    for ask in (lambda: e.standard_error, e.confidence_interval):
        with pytest.raises(UndefinedMetricError, match="undefined"):
            ask()


@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
@pytest.mark.parametrize(
    "form", ["auac", "cac(exp, alpha=7)", "rie(alpha=20)", "expected_recall(beta(6.23, 32.8))", "auac(scale=max)"]
)
def test_the_best_value_at_the_prevalence_of_a_sample_bounds_no_cohort(form: str) -> None:
    y, s = [1] * 40 + [0] * 160, range(200, 0, -1)
    (sampled,) = hc.evaluate(y, s, metrics=form)
    (fixed,) = hc.evaluate(y, s, metrics=form, design="case-control")
    assert sampled.interval is not None
    assert fixed.interval is not None
    assert fixed.interval.high == fixed.value == fixed.best
    if form == "auac(scale=max)":  # the best is 1 at every prevalence
        assert sampled.interval.high == 1
        return
    assert sampled.interval.high > sampled.value + sampled.standard_error
    assert sampled.interval.low > sampled.value - 4 * sampled.standard_error
    assert not any("read the interval" in caution for caution in sampled.cautions)


@pytest.mark.parametrize(("apart", "said"), [(0, "all positives have the same"), (4, "all but 4 of the p"), (10, "")])
def test_a_caution_where_most_of_both_classes_are_tied(apart: int, said: str) -> None:
    y = np.repeat([1, 0], [40, 400])
    scores = np.r_[np.arange(1, apart + 1.0), np.zeros(440 - apart)]
    for form in ("auc", "ap"):
        (e,) = quietly(y, scores, metrics=form)
        told = [caution for caution in e.cautions if "same score as 100% of the negatives" in caution]
        assert [caution.startswith(said) for caution in told] == [True] * bool(said)


@pytest.mark.parametrize("form", ["auc", "ap", "rauc(beta(6.23, 32.8))", "croc(exp, alpha=7)"])
@pytest.mark.parametrize("behind", [1, 2, 5])
def test_an_interval_reaches_to_both_sides_of_an_order_with_one_error(form: str, behind: int) -> None:
    y = np.repeat([1, 0], [20, 180])
    scores = np.r_[np.linspace(5, 9, 19), 2.0, np.linspace(-3, 1.9, 180 - behind), np.linspace(2.1, 2.5, behind)]
    (e,) = hc.evaluate(y, scores, metrics=form)
    assert e.interval is not None
    assert e.interval.low < e.value < e.interval.high
    assert e.interval.high - e.value > (1 - e.value) / 2
    if form == "auc":  # lower is better: the mirror image
        low, high = interval("auc", hc.HitTable.from_scores(y, -scores), "cohort")
        assert (1 - high, 1 - low) == pytest.approx(tuple(e.interval), rel=1e-12)


def test_intervals_of_a_nearly_perfect_cohort_cover_what_moves_with_its_prevalence() -> None:
    rng, pi, n, held = np.random.default_rng(11), 0.2, 200, 0
    # positives above all negatives: auac is 1 - pi/2 in the population
    for positives in rng.binomial(n, pi, 400):
        (e,) = hc.evaluate(tables={"a": hc.HitTable.from_ranks(np.arange(1, positives + 1), n=n)}, metrics="auac")
        assert e.interval is not None
        held += e.interval.low <= 1 - pi / 2 <= e.interval.high
    assert 0.92 <= held / 400 <= 0.985


BY_EVERY_METHOD = {
    "some": (
        [1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0],
        [9, 9, 8, 7, 7, 6, 5, 5, 5, 4, 4, 3, 2, 2, 1, 1, 1, 0],
    ),
    "perfect": ([1] * 8 + [0] * 30, range(38, 0, -1)),
    "reversed": ([0] * 30 + [1] * 8, range(38, 0, -1)),
    "two": ([1, 1, 0, 0], [3, 1, 2, 0]),
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
@pytest.mark.parametrize("name", BY_EVERY_METHOD)
def test_every_method_of_every_metric_is_right_or_refused(name: str) -> None:
    ev = hc.evaluate(*BY_EVERY_METHOD[name], metrics=FORMS, undefined="nan")
    for form, method in itertools.product(FORMS, METHODS):
        e = ev["score", form]
        if math.isnan(e.value):
            continue
        draws: dict[str, Any] = {"n_resamples": 40} if method in drawn.METHODS else {}
        try:
            low, high = e.confidence_interval(method=method, rng=1, **draws)
        except HitcurveError:
            continue
        assert math.isfinite(low), (form, method)
        assert math.isfinite(high), (form, method)
        assert e.metric.range[0] <= low <= high <= e.metric.range[1], (form, method)
        assert low < high or method == "delong", (form, method)  # which prints what other programs print
        if method not in drawn.METHODS:
            assert low <= e.value <= high, (form, method)


@pytest.mark.parametrize("form", ["auc", "prg_area", "recall@5", "ndcg@10", "bedroc(alpha=1000)"])
def test_inversion_is_for_the_metrics_that_it_was_made_for(form: str) -> None:
    y, s = BY_EVERY_METHOD["some"]
    ev = quietly(y, {"a": s, "b": s[::-1]}, metrics=form)
    with pytest.raises(ParameterError, match=r"for ndcg, dcg and logauc, not for .*: use 'auto'"):
        ev["a", form].confidence_interval(method="inversion")
    with pytest.raises(ParameterError, match="for ndcg, dcg and logauc"):
        ev.compare("a", "b", form, method="inversion")


@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
@each_fourth
@law(3)
@given(r=rankings(least=12, most=24, levels=9), perfect=st.booleans())
def test_intervals_of_fixed_classes_stay_within_worst_and_best(r: Ranking, perfect: bool, start: int) -> None:
    """Of all forms: no other sample of the classes could rank better than the perfect list."""
    assume(min(r.y.sum(), (~r.y).sum()) >= 5)
    table = HitTable.from_scores(r.y, r.y * 1.0 if perfect else r.s).collapse()
    for m in (m for m in METRICS[start::4] if defined_on(m, table)):
        with suppress(HitcurveError):
            e = evaluate(tables={"a": table}, metrics=[m], design="case-control")["a", m]
            if e.interval is None:
                continue
            least, most = (float(end(table)) for end in ((m.best, m.worst) if m.lower_is_better else (m.worst, m.best)))
            assert math.isnan(least) or e.interval.low >= min(least, e.value)
            assert math.isnan(most) or e.interval.high <= max(most, e.value)
