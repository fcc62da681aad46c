"""Comparisons of rankers: cross-products of influence, tests, many at once, plans."""

from __future__ import annotations

import itertools
import math
import re
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import hitcurve as hc
from hitcurve import (
    Comparison,
    Counts,
    Evaluation,
    HitTable,
    Metric,
    compare,
    compare_from_stats,
    evaluate,
    metric,
    power_analysis,
    rows,
)
from hitcurve.datasets import mammography
from hitcurve.errors import (
    ColumnNotFoundError,
    HitcurveWarning,
    InsufficientDataError,
    MissingValueError,
    ParameterError,
    UndefinedMetricError,
)
from hitcurve.evaluation import evaluate_source
from hitcurve.inference import Joint, cross_products, max_t
from hitcurve.inference.intervals.by_weight import mixed_above
from hitcurve.inference.pvalues import monte_carlo_p
from hitcurve.inference.resampling.permute import SIX, on_positives
from hitcurve.inference.variance.influence import influence
from hitcurve.metrics import metrics as read
from tests.metrics_under_test import BY_FORM, METRICS
from tests.sampled import InParts, Sample, binormal, quietly
from tests.strategies import Floats, law

DESIGNS = ("cohort", "case-control")
each_design = pytest.mark.parametrize("design", DESIGNS)
FORMS = ("auc", "ap", "croc(exp, alpha=20)", "bedroc(alpha=20)", "recall@20", "slr", "ap(ties=expected)", "wss@80%")
FORMULAS = ("delta", "delong")
RESAMPLED = ("bootstrap", "swap-permutation")


def joint_of(ev: Evaluation) -> Joint:
    assert ev.source is not None
    return cross_products(ev.source, ev.tables, ev.metrics, ev.design)


SAMPLE = binormal(40, 160, 1.6, 1.1, 0.9, seed=1)


# ---- cross-products


def by_subject(sample: Sample, form: str, name: str, design: str) -> Floats:
    """Return the influence of every subject from a table with a row for every score."""
    table = sample.table(name)
    found = influence(metric(form), table.counts, design)
    row = table.pos.size - 1 - np.searchsorted(np.unique(sample.scores[name]), sample.scores[name])
    return np.asarray(np.where(sample.y, found.pos[row], found.neg[row]))


@each_design
@pytest.mark.parametrize("levels", [None, 9])
def test_covariances_subject_by_subject(design: str, levels: int | None) -> None:
    """Of every ranker and metric with every other; a cut among tied negatives is the one thing a gap cannot know."""
    sample = binormal(40, 160, 1.6, 1.1, 0.9, seed=1, levels=levels)
    forms = FORMS if levels is None else tuple(form for form in FORMS if form not in ("recall@20", "wss@80%"))
    joint = joint_of(quietly(sample.y, sample.scores, metrics=list(forms), design=design))
    assert [(name, str(m)) for name, m in joint.keys] == list(itertools.product("abc", forms))
    x = np.array([by_subject(sample, form, name, design) for name, form in itertools.product("abc", forms)])
    size = np.sqrt(np.outer(*[np.sum(x**2, axis=1)] * 2))
    for found, who in ((joint.products.pos, sample.y), (joint.products.neg, ~sample.y)):
        assert np.max(np.abs(found - x[:, who] @ x[:, who].T) / size) < 1e-9


@pytest.mark.slow
@law(10)
@given(size=st.integers(1, 60), weighted=st.booleans(), clustered=st.booleans())
def test_covariances_in_parts(size: int, weighted: bool, clustered: bool) -> None:
    sample = SAMPLE.at(np.arange(120))
    rng = np.random.default_rng(0)
    extra: dict[str, Any] = {
        "weight": rng.integers(1, 4, 120).astype(float) if weighted else None,
        "cluster": rng.integers(0, 25, 120) if clustered else None,
    }
    cut = "recall@15%" if weighted else "recall@20"
    chosen = read(["auc", "ap", cut, "croc(exp, alpha=20)"])
    parts, whole = (joint_of(evaluate_source(InParts(sample, own, **extra), chosen)) for own in (size, 120))
    for name in ("pos", "neg", "overlap"):
        a, b = (getattr(joint.products, name) for joint in (parts, whole))
        assert a == pytest.approx(b, rel=1e-12, abs=1e-12 * np.max(np.abs(b)))
        assert weighted or np.array_equal(a, b)
    if clustered:
        every = np.eye(len(whole.keys))
        a, b = (joint.cluster_sums(every).T @ joint.cluster_sums(every) for joint in (parts, whole))
        assert a == pytest.approx(b, rel=1e-11, abs=1e-16)
        assert parts.cluster_degrees == whole.cluster_degrees
    assert (parts.n_pos, parts.n_neg) == pytest.approx((whole.n_pos, whole.n_neg), rel=1e-14)


def test_covariances_of_many_subjects_are_those_of_their_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    ev = evaluate(SAMPLE.y, SAMPLE.scores, metrics=["ap", "recall@20"])
    whole = joint_of(ev)
    monkeypatch.setattr("hitcurve.inference.variance.row_values._CHUNK", 7)
    few = joint_of(ev)
    assert few.products.pos == pytest.approx(whole.products.pos, rel=1e-12)
    assert few.products.overlap == pytest.approx(whole.products.overlap, rel=1e-12)


def test_a_part_of_which_nobody_is_left() -> None:
    sample = SAMPLE.at(np.arange(90))
    gone = sample.scores["a"].copy()
    gone[30:60] = np.nan
    source = InParts(Sample(sample.y, {**sample.scores, "a": gone}), 15, missing="drop")
    left = np.r_[0:30, 60:90]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HitcurveWarning)
        parts = joint_of(evaluate_source(source, read(["auc", "recall@9"])))
    whole = joint_of(quietly(sample.y[left], sample.at(left).scores, metrics=["auc", "recall@9"]))
    assert parts.products.neg == pytest.approx(whole.products.neg, rel=1e-12)


def test_the_score_of_a_cut_is_part_of_the_grid() -> None:
    """Negatives between two positives are above the cut of one ranker or below, each of them."""
    y = np.array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0] * 2, bool)
    s = np.arange(24, 0, -1.0)
    rng = np.random.default_rng(3)
    other = rng.permutation(24).astype(float)
    sample = Sample(y, {"a": s, "b": other})
    for k in (3, 4, 8, 9):
        joint = joint_of(quietly(y, sample.scores, metrics=f"recall@{k}"))
        x = np.array([by_subject(sample, f"recall@{k}", name, "cohort") for name in "ab"])
        assert joint.products.neg == pytest.approx(x[:, ~y] @ x[:, ~y].T, rel=1e-12)
        above = [np.argsort(np.argsort(-own)) < k for own in (s, other)]
        hits = np.array([[np.sum(y & u & v) for v in above] for u in above])
        assert joint.products.overlap == pytest.approx(hits, rel=1e-12)


@pytest.mark.slow
def test_all_metrics_have_products() -> None:
    """What cannot be had is left out for its ranker, and says so when it is asked for."""
    sample = SAMPLE.at(np.argsort(~SAMPLE.y, kind="stable")[27:])  # 13 positives: wss@95% depends on the last
    ev = quietly(sample.y, sample.scores, metrics=list(METRICS))
    joint = joint_of(ev)
    missing = {str(m) for m in METRICS} - {str(m) for name, m in joint.keys if name == "a"}
    assert missing == {"wss@95%", *(str(m) for m in METRICS if m.jumps)}
    assert np.isfinite(joint.products.pos).all()
    assert np.isfinite(joint.products.neg).all()
    with pytest.raises(UndefinedMetricError, match="no influence values"):
        ev.compare("a", "b", "wss@95%", method="delta")
    assert ev.compare("a", "b", "wss@95%", rng=0, n_resamples=99).method == "swap-permutation"
    many = quietly(SAMPLE.y, SAMPLE.scores, metrics="wss@100%")
    assert many.compare("a", "b", "wss@100%", rng=0, n_resamples=99).method == "swap-permutation"


def test_a_perfect_ranker_has_finite_products() -> None:
    """A power map is infinitely steep at 0, where a perfect ranker has positives and nobody else."""
    y = np.arange(60) < 20
    s = -np.arange(60.0)
    ev = quietly(y, {"perfect": s, "other": SAMPLE.a[:60]}, metrics="croc(power, alpha=2.3)")
    assert ev["perfect", "croc(power, alpha=2.3)"].standard_error == 0
    assert np.isfinite(joint_of(ev).products.neg).all()
    assert ev.compare("perfect", "other", "croc(power, alpha=2.3)", method="delta").pvalue < 1e-6


# ---- clusters


@each_design
def test_clusters_of_one_are_subjects(design: str) -> None:
    C = SAMPLE.y.size
    ev = quietly(SAMPLE.y, SAMPLE.scores, metrics=list(FORMS), design=design, clusters=np.arange(C))
    plain = quietly(SAMPLE.y, SAMPLE.scores, metrics=list(FORMS), design=design)
    joint = joint_of(plain)
    sums, degrees = joint_of(ev).cluster_sums(np.eye(len(joint.keys))), joint_of(ev).cluster_degrees
    found = C / (C - 1) * sums.T @ sums
    # each subject left out of its class, as in a jackknife
    sides = ((joint.products.pos, joint.n_pos), (joint.products.neg, joint.n_neg))
    expected = np.sum([(C - 1) / C * (n / (n - 1)) ** 2 * side for side, n in sides], axis=0)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-16)
    assert degrees == 39  # clusters that hold a positive, minus 1
    for e, f in zip(ev, plain, strict=True):
        if str(e.metric) not in ("recall@20", "wss@80%"):  # the cut is on the grid here, in a gap there
            row = joint.place[e.ranker, e.metric]
            assert e.standard_error == pytest.approx(math.sqrt(expected[row, row]), rel=1e-6)
            assert e.standard_error == pytest.approx(f.standard_error, rel=0.03)


def test_subjects_counted_twice_are_half_as_many_clusters() -> None:
    """Doubled subjects look twice as sure unless their clusters are named."""
    twice = np.repeat(np.arange(SAMPLE.y.size), 2)
    double = SAMPLE.at(twice)
    forms = ["auc", "ap", "croc(exp, alpha=20)", "bedroc(alpha=2)"]
    C = SAMPLE.y.size
    both = (SAMPLE.y, ~SAMPLE.y)
    clustered, naive = (quietly(double.y, double.scores, metrics=forms, clusters=names) for names in (twice, None))
    for e in quietly(SAMPLE.y, SAMPLE.scores, metrics=forms):
        key = (e.ranker, e.metric)
        phi = by_subject(SAMPLE, str(e.metric), e.ranker, "cohort")
        expected = math.sqrt((C - 1) / C * sum(np.sum((phi[own] / (1 - 1 / own.sum())) ** 2) for own in both))
        assert clustered[key].standard_error == pytest.approx(expected, rel=1e-9)
        assert naive[key].standard_error == pytest.approx(e.standard_error / math.sqrt(2), rel=1e-9)
    names = np.char.add("patient ", twice.astype(str))
    test = quietly(double.y, double.scores, metrics=forms, clusters=names).compare("a", "b", "ap")
    once = compare(SAMPLE.y, SAMPLE.a, SAMPLE.b, metric="ap")
    assert test.difference.standard_error == pytest.approx(once.difference.standard_error, rel=0.02)
    assert test.degrees_of_freedom == 39


def test_clusters_subject_by_subject() -> None:
    rng = np.random.default_rng(4)
    names = rng.integers(0, 30, SAMPLE.y.size)
    ev = quietly(SAMPLE.y, SAMPLE.scores, metrics=["ap", "auc"], clusters=names)
    for form in ("ap", "auc"):
        phi = by_subject(SAMPLE, form, "a", "cohort") - by_subject(SAMPLE, form, "b", "cohort")
        sums = np.zeros(30)
        for own in (SAMPLE.y, ~SAMPLE.y):
            sums += np.bincount(names, phi * own) / (1 - np.bincount(names, own) / own.sum())
        expected = math.sqrt(29 / 30 * np.sum(sums**2))
        test = ev.compare("a", "b", form)
        assert test.difference.standard_error == pytest.approx(expected, rel=1e-9)
        assert test.degrees_of_freedom is not None
        p = 2 * stats.t.sf(abs(test.difference.value) / expected, test.degrees_of_freedom)
        assert test.pvalue == pytest.approx(p, rel=1e-9)


# ---- the delta-method test


@each_design
@pytest.mark.parametrize("form", ["ap", "auc", "croc(exp, alpha=20)", "slr"])
@pytest.mark.parametrize("null", [0.0, 0.05])
def test_delta_by_hand(form: str, design: str, null: float) -> None:
    """STATS 2: class factors and Welch-Satterthwaite degrees of freedom."""
    d = by_subject(SAMPLE, form, "a", design) - by_subject(SAMPLE, form, "b", design)
    n1, n0 = 40, 160
    v1, v0 = np.sum(d[SAMPLE.y] ** 2) * n1 / (n1 - 1), np.sum(d[~SAMPLE.y] ** 2) * n0 / (n0 - 1)
    df = (v1 + v0) ** 2 / (v1**2 / (n1 - 1) + v0**2 / (n0 - 1))
    values = [metric(form)(SAMPLE.y, s) for s in (SAMPLE.a, SAMPLE.b)]
    t = (values[0] - values[1] - null) / math.sqrt(v1 + v0)
    ps = {"two-sided": 2 * stats.t.sf(abs(t), df), "greater": stats.t.sf(t, df), "less": stats.t.cdf(t, df)}
    for alternative, p in ps.items():
        test = compare(
            SAMPLE.y, SAMPLE.a, SAMPLE.b, metric=form, method="delta", null=null, alternative=alternative, design=design
        )
        assert (test.statistic, test.degrees_of_freedom) == pytest.approx((t, df), rel=1e-9)
        assert test.pvalue == pytest.approx(p, rel=1e-8)
    half = stats.t.ppf(0.975, df) * math.sqrt(v1 + v0)
    low, high = test.difference.confidence_interval()
    assert (low, high) == pytest.approx((values[0] - values[1] - half, values[0] - values[1] + half), rel=1e-9)
    wider = test.difference.confidence_interval(1 - 1e-9)
    assert wider.low < low < high < wider.high


# ---- laws of all methods


def all_methods(form: str) -> list[str]:
    six = list(SIX) if form not in ("ap(ties=expected)", "wss@80%") else []
    return [*(name for name in FORMULAS if name == "delta" or form == "auc"), *RESAMPLED, *six]


def ask(sample: Sample, form: str, method: str, **more: Any) -> Comparison:
    drawn: dict[str, Any] = {"n_resamples": 99, "rng": 1} if method not in FORMULAS else {}
    return compare(sample.y, sample.a, sample.b, metric=form, method=method, **drawn, **more)


CASES = [(form, method) for form in ("auc", "ap", "recall@20", "ap(ties=expected)") for method in all_methods(form)]


@pytest.mark.parametrize(("form", "method"), CASES)
def test_identical_rankers_do_not_differ(form: str, method: str) -> None:
    """Also where one is a rising function of the other."""
    for other in (SAMPLE.a.copy(), np.exp(SAMPLE.a)):
        test = ask(Sample(SAMPLE.y, {"a": SAMPLE.a, "b": other}), form, method)
        assert (test.difference.value, test.pvalue) == (0, 1)
        assert test.difference.confidence_interval() == (0, 0)
        assert test.method == method


@pytest.mark.parametrize(("form", "method"), CASES)
def test_only_the_order_of_each_ranker_matters(form: str, method: str) -> None:
    tied = np.round(SAMPLE.b * 2)
    expected = ask(Sample(SAMPLE.y, {"a": SAMPLE.a, "b": tied}), form, method)
    moved = ask(Sample(SAMPLE.y, {"a": SAMPLE.a * 1000 - 5, "b": np.arctan(tied)}), form, method)
    assert moved == expected
    turned = ask(Sample(SAMPLE.y, {"a": SAMPLE.a, "b": -tied}), form, method, higher_is_better={"second": False})
    assert (turned.pvalue, turned.statistic) == (expected.pvalue, expected.statistic)


@pytest.mark.parametrize(("form", "method"), CASES)
def test_swapping_the_rankers_turns_the_difference(form: str, method: str) -> None:
    swapped = Sample(SAMPLE.y, {"a": SAMPLE.b, "b": SAMPLE.a})
    one, other = (ask(sample, form, method) for sample in (SAMPLE, swapped))
    assert other.difference.value == -one.difference.value
    assert other.values == one.values[::-1]
    error = (one.pvalue_error or 0) + (other.pvalue_error or 0)
    tolerance = 4 * error if one.n_resamples and method != "bootstrap" else 1e-12
    if method == "bootstrap":
        assert other.difference.standard_error == pytest.approx(one.difference.standard_error, rel=1e-9)
    assert other.pvalue == pytest.approx(one.pvalue, abs=tolerance)
    if method in FORMULAS:
        greater, less = ask(SAMPLE, form, method, alternative="greater"), ask(swapped, form, method, alternative="less")
        assert greater.pvalue == pytest.approx(less.pvalue, rel=1e-12)
        assert greater.pvalue == pytest.approx(one.pvalue / 2, rel=1e-12)


@pytest.mark.parametrize(("form", "method"), CASES)
def test_the_same_seed_gives_the_same_answer(form: str, method: str) -> None:
    assert ask(SAMPLE, form, method) == ask(SAMPLE, form, method)


# ---- the six tests on the positives


HAND = (
    np.array([0.9, 0.82, 0.75, 0.4, 0.33, 0.98, 0.61]),
    np.array([0.7, 0.85, 0.5, 0.41, 0.1, 0.9, 0.2]),
)
ZEROS = (np.r_[HAND[0][:5], 0.5, 0.5, 0.5], np.r_[HAND[1][:5], 0.5, 0.5, 0.5])
OTHERS = (np.array([0.9, 0.5, 0.5, 0.3, 0.2]), np.array([0.9, 0.7, 0.4, 0.3, 0.6]))  # with ties and a zero
ALTERNATIVES = ("two-sided", "greater", "less")


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("size", [1, 2, 3, 8, 14])
def test_signed_ranks_of_few_are_those_of_scipy(size: int, alternative: Any) -> None:
    """With ties and zeros, without zeros, and without either; more than 13 are not arranged in all ways."""
    rng = np.random.default_rng(size)
    w = np.zeros(size)
    for v in (rng.integers(-3, 4, size), rng.choice([-2, -1, 1, 2, 3], size), rng.permutation(size) + 0.25):
        v = np.where(v.any(), v, 1.0) * np.where(rng.random(size) < 0.3, -1.0, 1.0)
        found = on_positives(v, w, "paired-wilcoxon", alternative, 99, 0)
        expected = stats.wilcoxon(v, zero_method="pratt", alternative=alternative)
        assert found.statistic == expected.statistic
        assert found.pvalue == pytest.approx(float(expected.pvalue), rel=1e-12)


def test_thirteen_signed_ranks_are_arranged_in_all_ways() -> None:
    """The most for which scipy does so: by the number of ways to each sum of ranks."""
    v = np.array([3, -1, 0, 2, 2, -2, 4, 5, -1, 3, 6, 0, 7.0])
    ranks = (2 * stats.rankdata(np.abs(v)) * (v != 0)).astype(int).tolist()  # without halves
    ways = Counter([0])
    for rank in ranks:
        ways += Counter({total + rank: count for total, count in ways.items()})
    least = sum(rank for rank, value in zip(ranks, v, strict=True) if value > 0)
    share = sum(count for total, count in ways.items() if total >= least) / 2**13
    assert on_positives(v, np.zeros(13), "paired-wilcoxon", "greater", 99, 0).pvalue == pytest.approx(share, rel=1e-12)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("v", "w"), [HAND, OTHERS, ZEROS])
def test_the_six_by_scipy(v: Floats, w: Floats, alternative: Any) -> None:
    def p(method: str) -> float:
        return on_positives(v, w, method, alternative, 99, 0).pvalue

    assert p("paired-t") == pytest.approx(stats.ttest_rel(v, w, alternative=alternative).pvalue, rel=1e-12)
    welch = stats.ttest_ind(v, w, equal_var=False, alternative=alternative)
    assert p("unpaired-t") == pytest.approx(welch.pvalue, rel=1e-12)
    wilcoxon = stats.wilcoxon(v, w, zero_method="pratt", alternative=alternative)
    assert p("paired-wilcoxon") == pytest.approx(wilcoxon.pvalue, rel=1e-12)
    # positives that both rankers place alike are ranked, then left out
    without = stats.wilcoxon(v, w, zero_method="wilcox", alternative=alternative)
    assert v is not ZEROS[0] or p("paired-wilcoxon") != pytest.approx(without.pvalue, rel=1e-3)
    u = stats.mannwhitneyu(v, w, alternative=alternative)
    assert p("unpaired-wilcoxon") == pytest.approx(u.pvalue, rel=1e-12)
    for method, kind in (("paired-permutation", "samples"), ("unpaired-permutation", "independent")):
        test: Any = stats.permutation_test
        exact = test(
            (v, w),
            lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis),
            permutation_type=kind,
            n_resamples=np.inf,
            alternative=alternative,
            vectorized=True,
        )
        # scipy doubles the smaller tail, which is the same for a symmetric distribution
        assert p(method) == pytest.approx(min(exact.pvalue, 1.0), rel=1e-12)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_permutations_by_full_enumeration(alternative: Any) -> None:
    v, w = HAND
    d = v - w
    observed = d.mean()
    signs = [np.mean(np.array(own) * d) for own in itertools.product((-1, 1), repeat=d.size)]
    pool = np.concatenate([v, w])
    groups = []
    for chosen in itertools.combinations(range(pool.size), v.size):
        first = np.isin(np.arange(pool.size), chosen)
        groups.append(pool[first].mean() - pool[~first].mean())
    for method, values in (("paired-permutation", signs), ("unpaired-permutation", groups)):
        x = np.array(values)
        extreme = {"two-sided": abs(x) >= abs(observed) - 1e-12, "greater": x >= observed - 1e-12}
        extreme["less"] = x <= observed + 1e-12
        found = on_positives(v, w, method, alternative, 99, 0)
        assert found.pvalue == pytest.approx(extreme[alternative].mean(), rel=1e-12)
        assert found.resamples is None


@pytest.mark.parametrize(("method", "most"), [("paired-permutation", 14), ("unpaired-permutation", 8)])
def test_permutations_are_exact_up_to_20000_arrangements(method: str, most: int) -> None:
    rng = np.random.default_rng(5)
    for size, exact in ((most, True), (most + 1, False)):
        v, w = rng.random(size), rng.random(size) + 0.1
        found = on_positives(v, w, method, "two-sided", 999, 0)
        assert found.resamples == (None if exact else 999)
        drawn = found.pvalue * 1000
        assert exact or drawn == pytest.approx(round(drawn))


@pytest.mark.parametrize("method", ["paired-permutation", "unpaired-permutation"])
def test_more_arrangements_than_a_float_can_count(method: str) -> None:
    rng = np.random.default_rng(6)
    v = rng.random(200_000)
    assert on_positives(v, v - 0.01, method, "two-sided", 9, 0).pvalue == pytest.approx(0.1)
    assert on_positives(v, rng.permutation(v), method, "two-sided", 9, 0).pvalue > 0.1


@pytest.mark.parametrize("method", ["paired-permutation", "unpaired-permutation"])
def test_drawn_permutations_tend_to_the_exact_ones(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    v, w = HAND
    exact = on_positives(v, w, method, "two-sided", 1, 0).pvalue
    monkeypatch.setattr("hitcurve.inference.resampling.permute._EXACT_UP_TO", 1)
    drawn = on_positives(v, w, method, "two-sided", 9999, 0)
    assert drawn.resamples == 9999
    assert drawn.pvalue == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 9999))


def worth_by_hand(form: str, sample: Sample, s: npt.NDArray[Any]) -> Floats:
    """Return 1 - f at the mid of the ranks, FPRs or precisions of the positives of a strict list."""
    y, order = sample.y, np.argsort(-s)
    rank = np.empty(y.size)
    rank[order] = np.arange(1, y.size + 1)
    if form == "ap":
        return np.array([y[s >= own].mean() for own in s[y]])
    if form == "recall@20":
        return (rank[y] <= 20).astype(float)
    if form == "slr":
        return -np.log(rank[y] / y.size)  # of differences as of ranks 1, 2 and 2, 4 many are tied
    fpr = np.array([np.mean(s[~y] > own) for own in s[y]])
    if form == "auc":
        return 1 - fpr
    return np.asarray(1 - (1 - np.exp(-20 * fpr)) / (1 - np.exp(-20)))


@pytest.mark.parametrize("form", ["auc", "ap", "recall@20", "croc(exp, alpha=20)", "slr"])
@pytest.mark.parametrize("method", SIX)
def test_the_six_on_what_the_positives_are_worth(form: str, method: str) -> None:
    v, w = (worth_by_hand(form, SAMPLE, s) for s in (SAMPLE.a, SAMPLE.b))
    factor = v.size if form == "slr" else 1  # a sum
    assert factor * v.mean() == pytest.approx(metric(form)(SAMPLE.y, SAMPLE.a), rel=1e-12)
    test = compare(SAMPLE.y, SAMPLE.a, SAMPLE.b, metric=form, method=method, n_resamples=499, rng=3)
    expected = on_positives(v, w, method, "two-sided", 499, 3)
    assert test.pvalue == pytest.approx(expected.pvalue, rel=1e-9)
    assert test.difference.value == pytest.approx(factor * (v.mean() - w.mean()), rel=1e-12)
    assert test.paired is not method.startswith("unpaired")
    assert any("treats the negatives as fixed" in text for text in test.cautions)


def test_the_six_are_for_means_over_the_positives() -> None:
    for form in ("pr_area(keilwagen)", "ap(ties=expected)", "wss@80%", "pauc(tpr, 0.6, 1)"):
        with pytest.raises(UndefinedMetricError, match="not a mean over the positives"):
            compare(SAMPLE.y, SAMPLE.a, SAMPLE.b, metric=form, method="paired-t")
    rare = binormal(20, 4000, 1.5, 1.0, seed=6)
    assert not compare(rare.y, rare.a, rare.b, metric="auc", method="paired-t").cautions


def test_values_that_do_not_vary() -> None:
    same, other = np.full(4, 0.5), np.full(4, 0.75)
    for method in SIX:
        for alternative in ("two-sided", "less", "greater"):
            assert on_positives(same, same, method, alternative, 99, 0).pvalue == 1
    for method in ("paired-t", "unpaired-t"):
        with pytest.raises(InsufficientDataError, match="standard error of 0"):  # not p = 0
            on_positives(same, other, method, "two-sided", 99, 0)
        with pytest.raises(InsufficientDataError, match="needs at least 2 positives"):
            on_positives(same[:1], other[:1], method, "two-sided", 99, 0)


# ---- swaps


def swapped_differences(sample: Sample, form: str) -> Floats:
    """Return the differences of all arrangements of swaps of the subjects' normalised ranks, the data's own first.

    Of a metric with a cut, with a hair of its mean over near cuts.
    """
    ranks = [stats.rankdata(s) / s.size for s in (sample.a, sample.b)]
    m, out = metric(form), []
    for kept in itertools.product((True, False), repeat=sample.y.size - 1):
        pair = [np.where((True, *kept), *own) for own in (ranks, ranks[::-1])]
        tables = [HitTable.from_scores(sample.y, s) for s in pair]
        values = [m.value(table) + 1e-7 * near_cuts(m, table.counts) for table in tables]
        out.append(values[0] - values[1])
    return np.array([*out, *(-one for one in out)])  # what is kept in one of two arrangements is swapped in the other


def near_cuts(m: Metric, c: Counts) -> float:
    cut = m.cut_at(c)
    if cut is None:
        return 0.0
    rates = np.minimum(cut.place * 2.0 ** np.linspace(-1, 1, 9), 1)
    return float(np.mean(np.interp(rates, np.r_[0, c.r], np.r_[0, c.P])))


@pytest.mark.slow
@pytest.mark.parametrize("form", ["ap", "auc", "croc(exp, alpha=7)", "recall@3", "ap(ties=expected)", "ndcg"])
@pytest.mark.parametrize("levels", [None, 5])
def test_swaps_by_full_enumeration(form: str, levels: int | None) -> None:
    sample = binormal(3, 6, 1.5, 0.8, seed=7, levels=levels)
    every = swapped_differences(sample, form)
    difference = metric(form)(sample.y, sample.a) - metric(form)(sample.y, sample.b)
    observed = every[0]
    ps = {"two-sided": np.mean(np.abs(every) >= abs(observed) - 1e-12)}
    ps |= {"greater": np.mean(every >= observed - 1e-12), "less": np.mean(every <= observed + 1e-12)}
    for alternative, p in ps.items():
        test = auto(sample, form, method="swap-permutation", alternative=alternative, n_resamples=4000)
        assert test.statistic == pytest.approx(difference, abs=1e-12)
        assert test.pvalue == pytest.approx(p, abs=4.5 * math.sqrt(p * (1 - p) / 4000) + 1 / 4001)


def test_swap_p_values_count_the_observed() -> None:
    """(b + 1)/(B + 1): never 0, and with its Monte Carlo error."""
    y = np.arange(80) < 40
    good, bad = -np.arange(80.0), np.arange(80.0) % 7
    test = auto(Sample(y, {"a": good, "b": bad}), "auc", method="swap-permutation", n_resamples=199)
    assert test.pvalue == 1 / 200
    assert test.pvalue_error == pytest.approx(math.sqrt(test.pvalue * (1 - test.pvalue) / 200))
    assert test.n_resamples == 199
    assert monte_carlo_p(0.5, np.array([0.1, -0.5, 0.6, 0.5 - 1e-15]), "two-sided") == 4 / 5
    assert monte_carlo_p(0.5, np.array([0.1, -0.5, 0.6, 0.5]), "greater") == 3 / 5
    assert monte_carlo_p(0.5, np.array([0.1, -0.5, 0.6, 0.5]), "less") == 4 / 5
    # of a skewed null distribution: twice the smaller tail
    drawn = np.array([-3, 0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9])
    for observed, twice in ((0.8, 6 / 10), (2, 2 / 10), (0.3, 1.0), (-4, 2 / 10)):
        assert monte_carlo_p(observed, drawn, "two-sided", symmetric=False) == pytest.approx(twice)
        tails = [monte_carlo_p(observed, drawn, side, symmetric=False) for side in ("less", "greater")]
        assert monte_carlo_p(observed, drawn, "two-sided", symmetric=False) == min(1, 2 * min(tails))
    # an arrangement on which the metric is undefined is no evidence
    assert monte_carlo_p(0.5, np.array([0.1, math.nan, math.nan, math.nan]), "two-sided") == 4 / 5


@pytest.mark.slow
def test_swaps_hold_their_size_and_have_power() -> None:
    """Under the null the share of p values up to .1 is .1, within its error; with 12 positives delta has less."""
    rejected = []
    for seed in range(200):
        sample = binormal(12, 88, 1.2, 1.2, seed=seed)
        test = auto(sample, "ap", rng=seed)
        assert test.method == "swap-permutation"
        rejected.append(test.pvalue <= 0.1)
    assert 0.04 < np.mean(rejected) < 0.17
    sample = binormal(15, 85, 3.0, 0.2, seed=1)
    assert auto(sample, "ap", n_resamples=999).pvalue < 0.01


# ---- what auto becomes


def auto(sample: Sample, form: str, **more: Any) -> Comparison:
    options = {"rng": 0, "n_resamples": 99, "metric": form, **more}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HitcurveWarning)
        return compare(sample.y, sample.a, sample.b, **options)


def pair(n1: int, n0: int, seed: int = 8) -> Sample:
    return binormal(n1, n0, 1.5, 1.0, seed=seed)


SWAP = "swap-permutation"
AUTO: list[tuple[str, Sample, str]] = [
    ("ap", pair(20, 100), "delta"),
    ("ap", pair(19, 100), SWAP),
    ("ap", pair(100, 4), SWAP),
    ("ap", pair(100, 5), "delta"),
    ("bedroc(alpha=20)", pair(30, 30), SWAP),
    # nu_f = n0 f^-1(1 - 1/e) negatives decide on the FPR axis
    ("auc", pair(40, 16), "delta"),
    ("auc", pair(40, 15), SWAP),
    ("croc(exp, alpha=20)", pair(40, 201), "delta"),
    ("croc(exp, alpha=20)", pair(40, 190), SWAP),
    ("pauc(fpr, 0, 0.1)", pair(40, 160), "delta"),
    ("pauc(fpr, 0, 0.1)", pair(40, 150), SWAP),
    ("pauc(tpr, 0.9, 1)", pair(150, 2000), SWAP),
    ("pauc(tpr, 0.9, 1)", pair(160, 200), "delta"),
    ("roc(3)", pair(40, 2000), SWAP),
    ("roc_enrichment@5%", pair(200, 190), SWAP),
    ("roc_enrichment@5%", pair(200, 210), "delta"),
    # cuts: hits of one ranker alone
    ("recall@20%", pair(150, 850), "delta"),
    ("recall@3", pair(150, 850), SWAP),
    ("ef@1%", pair(40, 300), SWAP),
    ("wss@80%", pair(100, 300), "delta"),
    ("half_auc(specific)", pair(40, 300), "delta"),
]


@pytest.mark.parametrize(("form", "sample", "expected"), AUTO, ids=lambda x: x if isinstance(x, str) else "")
def test_auto_is_what_was_measured_to_hold(form: str, sample: Sample, expected: str) -> None:
    test = auto(sample, form)
    assert test.method == expected
    assert not any("test may be inaccurate" in text for text in test.cautions)
    # the p value holds, the interval beside it is by the formula that was measured to fail
    assert any("the interval may be inaccurate" in text for text in test.cautions) is (expected == SWAP)
    by_name = auto(sample, form, method=expected)
    assert (by_name.pvalue, by_name.statistic) == (test.pvalue, test.statistic)
    # asked for by name, the delta test says where it is not the one to use
    delta = auto(sample, form, method="delta")
    assert any("may be inaccurate" in text for text in delta.cautions) is (expected == SWAP)


NO_SWAP: dict[str, Callable[[Sample], dict[str, Any]]] = {
    "weights": lambda s: {"sample_weight": 1 + 1e-3 * (np.arange(s.y.size) % 2)},
    "clusters": lambda s: {"clusters": np.arange(s.y.size)},
    "a null that is not 0": lambda s: {"null": 0.1},
    "too many arrangements": lambda s: {"n_resamples": 2_000_000_000 // s.y.size + 1},
}


@pytest.mark.parametrize("what", NO_SWAP)
def test_auto_is_delta_where_nothing_can_be_swapped(what: str) -> None:
    sample = pair(12, 240)
    test = auto(sample, "ap", **NO_SWAP[what](sample))
    assert test.method == "delta"
    assert any("only 12 positives" in text and "could not be used" in text for text in test.cautions)
    few = pair(4, 240)
    with pytest.raises(InsufficientDataError, match=r"only 4 positives.*pass method="):
        auto(few, "ap", **NO_SWAP[what](few))
    by_name = auto(few, "ap", method="delta", **NO_SWAP[what](few))
    assert by_name.pvalue > 0
    assert any("only 4 positives" in text for text in by_name.cautions)


def test_auto_without_the_data_is_delta_with_the_same_numbers() -> None:
    ev = quietly(SAMPLE.y, SAMPLE.scores, metrics=["ap", "recall@20"])
    small = ev.without_data()
    assert small.source is None
    assert small.compare("a", "b", "ap") == ev.compare("a", "b", "ap")
    assert small["a", "ap"].confidence_interval() == ev["a", "ap"].confidence_interval()
    few = quietly(*_as_arguments(pair(12, 60)), metrics="ap")
    test = few.without_data().compare("a", "b", "ap")
    assert test.method == "delta"
    assert any("could not be used" in text for text in test.cautions)
    assert test.difference == few.compare("a", "b", "ap", rng=0, n_resamples=9).difference
    with pytest.raises(ParameterError, match="do not drop the data"):
        small.compare("a", "b", "ap", method="swap-permutation")
    with pytest.raises(InsufficientDataError, match="only 3 positives"):
        quietly(*_as_arguments(pair(3, 60)), metrics="ap").without_data().compare("a", "b", "ap")


def _as_arguments(sample: Sample) -> tuple[Any, Any]:
    return sample.y, sample.scores


@pytest.mark.parametrize(
    ("nu", "refused", "said"), [(4.9, True, True), (5.1, False, True), (31, False, True), (81, False, False)]
)
def test_precision_that_was_never_sampled(nu: float, refused: bool, said: bool) -> None:
    sample = pair(40, 200)
    prevalence = nu / 200 / (1 + nu / 200)
    if refused:
        with pytest.raises(InsufficientDataError, match="the sample lacks the false positives"):
            auto(sample, "ap", prevalence=prevalence)
    else:
        assert auto(sample, "ap", prevalence=prevalence).method == ("swap-permutation" if nu < 30 else "delta")
    by_name = auto(sample, "ap", prevalence=prevalence, method="delta")
    assert any("extrapolated" in text for text in by_name.cautions) is said
    assert auto(sample, "auc", prevalence=0.001).method == "delta"


@pytest.mark.parametrize("metric", ["ap", "max_f1", "momentum", "bedroc(alpha=20)", "net_benefit@10%", "recall@25%"])
def test_swaps_at_a_set_prevalence_are_those_of_its_values(metric: str) -> None:
    m, y = hc.metric(metric), np.array([1, 0, 1, 1, 0, 0, 1, 0, 0])
    a, b = np.array([9, 8, 7, 6, 5, 4, 3, 2, 1]), np.array([6, 3, 9, 5, 8, 1, 2, 7, 4])

    def value(scores: Any) -> float:
        try:
            return float(m.value(hc.HitTable.from_scores(y, scores).at_prevalence(0.1)))
        except UndefinedMetricError:
            return math.nan

    swapped = [np.array(one) for one in itertools.product([False, True], repeat=9)]
    found = np.array([value(np.where(one, b, a)) - value(np.where(one, a, b)) for one in swapped])
    exact = np.nanmean(np.where(np.isnan(found), math.inf, np.abs(found)) >= abs(found[0]) - 1e-12)
    test = auto(Sample(y, {"a": a, "b": b}), metric, prevalence=0.1, method="swap-permutation", n_resamples=9999)
    assert test.statistic == pytest.approx(found[0], abs=1e-13)
    # equal differences of a cutoff are told apart by near cutoffs
    assert test.pvalue == pytest.approx(exact, abs=0.02) or (metric == "recall@25%" and test.pvalue <= exact + 0.02)


@pytest.mark.parametrize(
    ("metric", "prevalence", "why"),
    [
        ("momentum", 0.05, "precision at the set prevalence depends on about 10.5 negatives"),
        ("max_f1", 0.01, r"only \d negatives above the cutoff of max_f1"),
        ("max_f1", 0.9, r"only \d positives below the cutoff of max_f1"),
        ("net_benefit@10%", 0.9, r"only \d positives below the cutoff of net_benefit@10%"),
        ("bedroc(alpha=160)", 0.01, "the metric depends on about 1.26 negatives"),
    ],
)
def test_rankers_are_swapped_where_few_subjects_decide_at_a_set_prevalence(
    metric: str, prevalence: float, why: str
) -> None:
    sample = pair(200, 200)
    test = auto(sample, metric, prevalence=prevalence, n_resamples=99)
    assert test.method == "swap-permutation"
    assert any(re.search(why, text) for text in test.cautions)
    assert "bedroc" in metric or auto(sample, metric, prevalence=0.1 if "net" in metric else 0.4).method == "delta"


@pytest.mark.parametrize("what", NO_SWAP)
@pytest.mark.parametrize("positives", [1, 3])
def test_a_test_that_is_advised_can_be_made(what: str, positives: int) -> None:
    sample = pair(positives, 240)
    given = NO_SWAP[what](sample)
    with pytest.raises(InsufficientDataError) as refused:
        auto(sample, "auc", **given)
    advised = re.findall(r"pass method='([\w-]+)' \(command line: --method \1\)", str(refused.value))
    if advised:
        given = {key: value for key, value in given.items() if key != "n_resamples"}
        assert 0 < auto(sample, "auc", method=advised[0], **given).pvalue <= 1
    else:
        assert positives == 1
        assert "method=" not in str(refused.value)
        for method in ("delta", "bootstrap", "swap-permutation"):
            with pytest.raises((InsufficientDataError, ParameterError)) as error:
                auto(sample, "auc", method=method, **given)
            assert not re.search("use 'delta'", str(error.value)) or what == "a null that is not 0"


def test_one_positive_is_no_test() -> None:
    sample = pair(1, 60)
    with pytest.raises(InsufficientDataError, match="a standard error needs at least 2 subjects of each class"):
        auto(sample, "ap", method="delta")
    # every replicate holds the same positive: they differ by the negatives alone
    with pytest.raises(InsufficientDataError, match="a bootstrap needs at least 2 subjects of each class"):
        auto(sample, "ap", method="bootstrap")
    pilot = quietly(*_as_arguments(sample), metrics="ap")
    with pytest.raises(InsufficientDataError, match="the pilot needs at least 2 subjects of each class"):
        power_analysis("ap", pilot, 0.1, power=0.8)
    assert auto(pair(2, 60), "ap", method="delta").pvalue > 0


@pytest.mark.parametrize("form", ["ap", "auc"])
def test_intervals_of_a_difference_stay_where_differences_are(form: str) -> None:
    low, high = auto(pair(2, 60), form, method="delta").difference.confidence_interval(1 - 1e-9)
    assert (low, high) == (-1, 1)


def test_few_clusters_by_name_only() -> None:
    """Two clusters agree by accident too often for a test that was not asked for."""
    y, s = SAMPLE.y, SAMPLE.scores
    for clusters, words in ((np.zeros(200), "there is only one cluster"), (np.arange(200) % 4, "only 4 clusters")):
        ev = quietly(y, s, metrics="ap", clusters=clusters)
        assert words in str(ev)
        assert ev.to_dict()["results"][0]["low"] is None
    assert ev.compare("a", "b", "ap", method="delta").degrees_of_freedom == 3
    assert any("only 4 clusters" in text for text in ev.compare("a", "b", "ap", method="delta").cautions)
    ten = quietly(y, s, metrics="ap", clusters=np.arange(200) % 10)
    assert ten["a", "ap"].interval is not None
    assert any("only 10 clusters" in text for text in ten.cautions)


def test_bootstrap_of_clusters() -> None:
    """Whole clusters are drawn: subjects counted twice tell as much as once, and clusters of one are subjects."""
    y, a, b = SAMPLE.y, SAMPLE.a, SAMPLE.b
    options: dict[str, Any] = {"metric": "auc", "method": "bootstrap", "n_resamples": 2000, "rng": 0}
    plain = compare(y, a, b, **options)
    twice = np.repeat(np.arange(y.size), 2)
    double = compare(y[twice], a[twice], b[twice], clusters=twice, **options)
    alone = compare(y, a, b, clusters=[f"p{i}" for i in range(y.size)], **options)
    for test in (double, alone):
        assert test.difference.standard_error == pytest.approx(plain.difference.standard_error, rel=0.07)
        assert test.clustered
    assert "bootstrap over clusters" in double.methods_text()
    assert "clusters are drawn" in str(double)
    by_formula = compare(y[twice], a[twice], b[twice], clusters=twice, metric="auc")
    assert double.difference.standard_error == pytest.approx(by_formula.difference.standard_error, rel=0.07)


# ---- many at once


def many(count: int = 5) -> Evaluation:
    sample = binormal(60, 240, *np.linspace(1.6, 0.9, count), seed=9)
    return quietly(sample.y, sample.scores, metrics=["ap", "auc"])


def test_holm_by_hand() -> None:
    found = many().compare_all("ap", baseline="e", adjust="holm")
    assert [(c.first, c.second) for c in found] == [(name, "e") for name in "abcd"]
    ps = np.array([c.pvalue for c in found])
    order = np.argsort(ps)
    expected, highest = np.empty(4), 0.0
    for step, place in enumerate(order):
        highest = max(highest, min(1.0, (4 - step) * ps[place]))
        expected[place] = highest
    assert [c.adjusted for c in found] == pytest.approx(expected, rel=1e-14)
    assert {c.adjustment for c in found} == {"Holm"}
    # the smallest is multiplied by their number, none falls below a smaller one's
    assert min(c.adjusted or 0 for c in found) == pytest.approx(min(1, 4 * ps.min()))
    assert len(many().compare_all("ap")) == 10


def test_max_t_of_one_comparison_is_that_comparison() -> None:
    ev = many(2)
    for alternative in ALTERNATIVES:
        alone = ev.compare("a", "b", "ap", alternative=alternative)
        # of one there is nothing to adjust
        assert list(ev.compare_all("ap", adjust="max-t", alternative=alternative)) == [alone]
        (one,) = max_t([alone], joint_of(ev))
        assert one.adjusted == pytest.approx(one.pvalue, abs=0.005)
        low, high = one.difference.confidence_interval()
        assert one.simultaneous == pytest.approx((low, high), abs=0.02 * (high - low))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_max_t_by_drawn_differences(alternative: str) -> None:
    """Normal multipliers of both classes, errors of each draw around its own mean, and statistics over t/z."""
    ev = many()
    found = ev.compare_all("ap", baseline="e", adjust="max-t", alternative=alternative)
    joint = joint_of(ev)
    W = np.zeros((4, len(joint.keys)))
    for row, name in enumerate("abcd"):
        W[row, joint.place[name, metric("ap")]], W[row, joint.place["e", metric("ap")]] = 1, -1
    rng = np.random.default_rng(4)
    total, variance = np.zeros((50_000, 4)), np.zeros((50_000, 4))
    for products, n in ((joint.products.pos, 60), (joint.products.neg, 240)):
        covariance = W @ products @ W.T
        drawn = rng.multivariate_normal(np.zeros(4), covariance, 50_000)
        total += drawn
        variance += (np.diag(covariance) - drawn**2 / n) * n / (n - 1)
    statistics = total / np.sqrt(variance)
    largest = np.max(np.abs(statistics) if alternative == "two-sided" else statistics, axis=1)
    inflation = stats.t.ppf(0.975, 59) / stats.norm.ppf(0.975)
    holm = {c.first: c.adjusted for c in ev.compare_all("ap", baseline="e", alternative=alternative)}
    for c in found:
        t = {"two-sided": abs(c.statistic), "greater": c.statistic, "less": -c.statistic}[alternative]
        expected = max(np.mean(largest >= t / inflation), c.pvalue)
        assert c.adjusted is not None
        assert c.adjusted == pytest.approx(expected, abs=0.01)
        assert c.pvalue <= c.adjusted
        at_the_limit = c.simultaneous is not None and c.simultaneous.low <= 0 <= c.simultaneous.high
        assert alternative != "two-sided" or at_the_limit is (c.adjusted > 0.05)
        smallest = c.pvalue == min(other.pvalue for other in found)
        # sharper than Holm's first step, which knows nothing of the correlations
        assert not smallest or c.adjusted < (holm[c.first] or 0) + 0.003
        plain = c.difference.confidence_interval()
        assert c.simultaneous is not None
        assert c.simultaneous.low < plain.low < plain.high < c.simultaneous.high


def test_max_t_of_rankers_that_are_the_same() -> None:
    y, s = SAMPLE.y, SAMPLE.scores
    ev = quietly(y, {"a": s["a"], "b": s["b"], "again": s["b"]}, metrics="ap")
    found = ev.compare_all("ap", adjust="max-t")
    assert [c.adjusted for c in found if {c.first, c.second} == {"b", "again"}] == [1]
    # three comparisons, of which two are one
    single = quietly(y, {"a": s["a"], "b": s["b"]}, metrics="ap").compare("a", "b", "ap").pvalue
    assert found[0].adjusted == pytest.approx(single, abs=0.005)


def test_many_with_clusters_and_draws() -> None:
    sample = binormal(60, 240, 1.6, 1.2, 0.9, seed=9)
    ev = quietly(sample.y, sample.scores, metrics="ap", clusters=np.arange(300) // 2)
    for c in ev.compare_all("ap", adjust="max-t"):
        assert c.pvalue <= (c.adjusted or 0)
    drawn = many(3).compare_all("ap", method="swap-permutation", n_resamples=99, rng=0)
    assert {c.method for c in drawn} == {"swap-permutation"}
    assert [c.pvalue for c in drawn] == [
        c.pvalue for c in many(3).compare_all("ap", method="swap-permutation", n_resamples=99, rng=0)
    ]


# ---- unpaired


@pytest.mark.parametrize(("rho", "printed"), [(0.5, "0.0209"), (0.7, "0.0162"), (0.9, "0.0095")])
def test_film_minus_digital_by_correlation(rho: float, printed: str) -> None:
    ev = evaluate(tables=mammography(), metrics="ap")
    film, digital = ev["film", "ap"], ev["digital", "ap"]
    test = compare_from_stats(film, digital, correlation=rho)
    a, b = film.standard_error, digital.standard_error
    error = math.sqrt(a**2 + b**2 - 2 * rho * a * b)
    assert test.difference.standard_error == pytest.approx(error, rel=1e-12)
    # published as .020, .015, .009: cut off, not rounded
    assert f"{error:.4f}" == printed
    assert math.floor(error * 1000 + 0.001) / 1000 in (0.020, 0.016, 0.009)
    z = (film.value - digital.value) / error
    assert (test.statistic, test.pvalue) == pytest.approx((z, math.erfc(abs(z) / math.sqrt(2))), rel=1e-10)
    assert (test.method, test.paired, test.pvalue_error) == ("unpaired", False, None)


def test_compare_from_statss_of_different_subjects() -> None:
    one, other = (quietly(*_as_arguments(pair(30, 90, seed)), metrics=["ap", "auc"]) for seed in (1, 2))
    e, f = one["a", "ap"], other["a", "ap"]
    test = compare_from_stats(e, f, null=0.05, alternative="greater")
    assert test.difference.standard_error == pytest.approx(math.hypot(e.standard_error, f.standard_error))
    assert test.pvalue == pytest.approx(stats.norm.sf((e.value - f.value - 0.05) / test.difference.standard_error))
    assert (test.n_pos, test.n_neg) == (60, 180)
    assert compare_from_stats(e, e, correlation=1).pvalue == 1
    assert "different subjects, together 60 positives" in test.methods_text()
    related = compare_from_stats(e, f, correlation=0.3)
    assert "with correlation 0.3" in str(related)
    assert "different" not in related.methods_text()
    assert related.to_dict()["correlation"] == 0.3
    few = quietly(*_as_arguments(pair(9, 90)), metrics="ap")["a", "ap"]
    assert any("only 9 positives" in text for text in compare_from_stats(e, few).cautions)
    other_design = quietly(*_as_arguments(pair(30, 90)), metrics="ap", design="case-control")["a", "ap"]
    assert compare_from_stats(e, other_design).design == "cohort and case-control"
    for wrong, words in (
        ({"correlation": 1.01}, "correlation"),
        ({"correlation": -2}, "correlation"),
        ({"correlation": math.nan}, "correlation"),
        ({"correlation": "high"}, "correlation"),
        ({"alternative": "bigger"}, "alternative"),
        ({"null": math.nan}, "null"),
    ):
        with pytest.raises(ParameterError, match=words):
            compare_from_stats(e, f, **wrong)
    with pytest.raises(ParameterError, match="one metric"):
        compare_from_stats(e, other["a", "auc"])


@pytest.mark.parametrize("form", ["auc", "ap", "recall@20", "croc(exp, alpha=20)"])
@pytest.mark.parametrize("null", [0.0, 0.1])
def test_two_samples(form: str, null: float) -> None:
    """The sum of two variances, as of two estimates; t with Welch's degrees of freedom."""
    one, other = pair(30, 90, 1), pair(25, 200, 2)
    e, f = (quietly(s.y, {name: s.a}, metrics=form)[name, form] for s, name in ((one, "first"), (other, "second")))
    test = compare((one.y, other.y), one.a, other.a, metric=form, paired=False, null=null)
    by_estimates = compare_from_stats(e, f, null=null)
    assert test.difference.value == by_estimates.difference.value == e.value - f.value
    assert test.difference.standard_error == pytest.approx(by_estimates.difference.standard_error, rel=1e-12)
    assert test.statistic == pytest.approx(by_estimates.statistic, rel=1e-9)
    u, v = e.standard_error**2, f.standard_error**2
    degrees = (u + v) ** 2 / (u**2 / 29 + v**2 / 24)
    assert test.degrees_of_freedom == pytest.approx(degrees, rel=1e-9)
    assert test.pvalue == pytest.approx(2 * stats.t.sf(abs(test.statistic), degrees), rel=1e-9)
    assert (test.method, test.paired, test.unit) == ("delta", False, "subjects")
    assert (test.n_pos, test.n_neg) == (55, 290)
    assert "unpaired, 55 positives, 290 negatives in all" in str(test)
    assert "different subjects, together 55 positives" in test.methods_text()


@pytest.mark.parametrize("how", [{}, {"design": "case-control"}, {"prevalence": 0.1}])
def test_delong_of_two_samples(how: dict[str, Any]) -> None:
    """Each AUC varies as the shares of the other class that its positives and negatives are ranked above and below."""
    total, values = 0.0, []
    samples = pair(9, 14, 1), pair(7, 30, 2)
    for sample in samples:
        s, y = np.round(sample.a), np.asarray(sample.y)
        wins = (s[y == 1][:, None] > s[y == 0]) + 0.5 * (s[y == 1][:, None] == s[y == 0])
        total += sum(np.var(wins.mean(axis=axis), ddof=1) / wins.shape[1 - axis] for axis in (0, 1))
        values.append(wins.mean())
    z = (values[0] - values[1]) / math.sqrt(total)
    test = compare(
        (samples[0].y, samples[1].y),
        *(np.round(x.a) for x in samples),
        metric="auc",
        paired=False,
        method="delong",
        **how,
    )
    assert test.difference.standard_error == pytest.approx(math.sqrt(total), rel=1e-12)
    assert (test.statistic, test.pvalue) == pytest.approx((z, 2 * stats.norm.sf(abs(z))), rel=1e-9)
    assert (test.method, test.degrees_of_freedom) == ("delong", None)


@pytest.mark.parametrize("option", ["sample_weight", "clusters"])
def test_delong_of_two_samples_is_of_independent_subjects(option: str) -> None:
    one, other = pair(9, 14, 1), pair(7, 30, 2)
    own: Any = {option: (np.arange(1, 24), np.arange(1, 38) // 2 + 1)}
    with pytest.raises(ParameterError, match="use 'delta'"):
        compare((one.y, other.y), one.a, other.a, metric="auc", paired=False, method="delong", **own)


def test_two_samples_of_one_evaluation() -> None:
    ev = evaluate(tables=mammography(), metrics=["ap", "auc"], paired=False)
    back = ev.compare("digital", "film", "ap", alternative="greater")
    there = ev.compare("film", "digital", "ap", alternative="less")
    assert (back.pvalue, back.difference.value) == (there.pvalue, -there.difference.value)
    same = evaluate(SAMPLE.y, SAMPLE.scores, metrics="ap", paired=False)
    found = same.compare_all("ap")
    assert [c.adjustment for c in found] == ["Holm"] * len(found)
    assert found[0].pvalue == compare(SAMPLE.y, SAMPLE.a, SAMPLE.b, metric="ap", paired=False).pvalue
    weights, names = (np.arange(1.0, 201), np.arange(1.0, 201)), (np.arange(200) // 2, np.arange(200) // 3)
    two = (SAMPLE.y, SAMPLE.y)
    weighted = compare(two, SAMPLE.a, SAMPLE.b, metric="ap", paired=False, sample_weight=weights)
    at_once = compare(SAMPLE.y, SAMPLE.a, SAMPLE.b, metric="ap", paired=False, sample_weight=weights[0])
    assert weighted == at_once
    clustered = compare(two, SAMPLE.a, SAMPLE.b, metric="ap", paired=False, clusters=names)
    assert clustered.clustered
    assert "clusters are drawn" in str(clustered)


def test_a_comparison_of_summaries() -> None:
    test = compare_from_stats(0.845, 0.02, 10, 0.852, 0.03, 12, metric="auc", confidence_level=0.9)
    assert (test.unit, test.paired, test.n_groups, test.method) == ("groups", False, 22, "unpaired-t")
    assert test.difference.limit == 1
    assert str(test).startswith("Unpaired t test of auc across 22 groups: first - second")
    assert "90% interval" in str(test)
    assert "wins" not in str(test)
    assert test.to_dict()["wins"] is None
    assert "better" not in test.methods_text()
    assert "of auc" not in str(compare_from_stats(0.845, 0.02, 10, 0.852, 0.03, 12))
    assert compare_from_stats(0.845, 0.02, 10, 0.852, 0.03, 12).to_dict()["metric"] is None
    with pytest.raises(InsufficientDataError, match="standard error of 0"):
        compare_from_stats(1, 0, 5, 2, 0, 4)
    same = compare_from_stats(1, 0, 5, 1, 0, 4)
    assert (same.pvalue, same.statistic, same.degrees_of_freedom) == (1, 0, 7)


# ---- power


def test_numbers_of_subjects_and_powers_are_one_formula() -> None:
    pilot = quietly(SAMPLE.y, SAMPLE.scores, metrics=["ap", "auc", "croc(exp, alpha=20)"])
    joint = joint_of(pilot)
    for form in ("ap", "auc"):
        w = np.zeros(len(joint.keys))
        w[joint.place["a", metric(form)]], w[joint.place["b", metric(form)]] = 1, -1
        v1, v0 = joint.by_class(w)
        for effect, power, level in ((0.05, 0.8, 0.05), (-0.02, 0.9, 0.01)):
            p = power_analysis(form, pilot, effect, power=power, significance=level)
            # the ratio of the classes is kept
            assert p.n_neg == math.ceil(4 * p.n_pos)
            by_pos, by_neg = v1 * 40 / p.n_pos, v0 * 160 / p.n_neg
            df = (by_pos + by_neg) ** 2 / (by_pos**2 / (p.n_pos - 1) + by_neg**2 / (p.n_neg - 1))
            law_of = stats.norm if form == "auc" else stats.t(df)
            distance, limit = abs(effect) / math.sqrt(by_pos + by_neg), law_of.isf(level / 2)
            moved = stats.norm(distance) if form == "auc" else stats.nct(df, distance)
            expected = moved.sf(limit) + moved.cdf(-limit)
            reached = power_analysis(form, pilot, effect, n_pos=p.n_pos, n_neg=p.n_neg, significance=level)
            assert reached.power == pytest.approx(expected, rel=1e-6)
            assert power <= reached.power < power + 0.02
            fewer = power_analysis(form, pilot, effect, n_pos=p.n_pos - 1, significance=level)
            assert fewer.power < reached.power
            assert fewer.n_neg == 4 * (p.n_pos - 1)
    own = power_analysis("auc", pilot, 0.05, n_pos=40, n_neg=160)
    se = pilot.compare("a", "b", "auc", method="delta").difference.standard_error
    z = 0.05 / se
    assert own.power == pytest.approx(stats.norm.cdf(z - 1.959964) + stats.norm.cdf(-z - 1.959964), rel=1e-6)
    of_both = power_analysis("auc", pilot, 0.05, power=0.8, rankers=("a", "c"))
    assert str(of_both).startswith("auc of a and c: ")
    assert (of_both.to_record()["first"], of_both.to_record()["second"]) == of_both.rankers == ("a", "c")
    assert power_analysis("auc", pilot, 0.05, power=0.8, rankers=("a", "c")) != power_analysis(
        "auc", pilot, 0.05, power=0.8
    )
    kept = power_analysis("auc", pilot, 0.05, power=0.8)
    without = replace(kept, n_pos_interval=None, seed=None, no_interval="its subjects were dropped")
    assert pilot.without_data().power_analysis("auc", 0.05, power=0.8) == without


@pytest.mark.slow
def test_numbers_of_subjects_reach_their_power() -> None:
    """The power that was planned for, by tests of new samples."""
    pilot = quietly(*_as_arguments(binormal(400, 1600, 1.5, 1.2, seed=10)), metrics="auc")
    areas = [stats.norm.cdf(shift / math.sqrt(2)) for shift in (1.5, 1.2)]
    p = power_analysis("auc", pilot, areas[0] - areas[1], power=0.8)
    found = [auto(binormal(p.n_pos, p.n_neg, 1.5, 1.2, seed=seed), "auc").pvalue <= 0.05 for seed in range(200)]
    assert 0.70 < np.mean(found) < 0.90


def test_few_positives_need_more_than_the_normal_formula_says() -> None:
    joint = joint_of(quietly(SAMPLE.y, SAMPLE.scores, metrics="ap"))
    w = joint.contrast("a", "b", metric("ap"))
    v1, v0 = joint.by_class(w)
    for effect in (0.4, 0.2):
        z = stats.norm.isf(0.025) + stats.norm.ppf(0.8)
        by_normal = (v1 * 40 + v0 * 40) * (z / effect) ** 2
        planned = power_analysis("ap", quietly(SAMPLE.y, SAMPLE.scores, metrics="ap"), effect, power=0.8).n_pos
        assert by_normal < planned < by_normal + 4


def test_a_pilot_says_how_sure_it_is() -> None:
    small, large = (quietly(*_as_arguments(binormal(n, 4 * n, 1.5, 1.1, seed=2)), metrics="ap") for n in (30, 300))
    ratios = []
    for pilot in (small, large):
        p = power_analysis("ap", pilot, 0.1, power=0.8)
        assert p.n_pos_interval is not None
        low, high = p.n_pos_interval
        assert low < p.n_pos < high
        assert f"the 95% interval is {low:,} to {high:,} positives" in str(p)
        assert (p.to_record()["n_pos_low"], p.to_record()["power_low"]) == (low, None)
        assert p == power_analysis("ap", pilot, 0.1, power=0.8)
        ratios.append(high / low)
        own = power_analysis("ap", pilot, 0.1, n_pos=p.n_pos)
        assert own.power_interval is not None
        assert own.power_interval[0] < own.power < own.power_interval[1]
        assert "the 95% interval is power" in str(own)
        # the ends are those of the variance: as many subjects as the other end needs
        at_high = power_analysis("ap", pilot, 0.1, n_pos=high)
        assert at_high.power_interval is not None
        assert at_high.power_interval[0] == pytest.approx(0.8, abs=0.02)
    assert ratios[1] < ratios[0]
    turned = SAMPLE.at(np.random.default_rng(0).permutation(SAMPLE.y.size))
    both = [power_analysis("ap", quietly(s.y, s.scores, metrics="ap"), 0.1, power=0.8) for s in (SAMPLE, turned)]
    assert both[0] == both[1]
    weighted = quietly(SAMPLE.y, SAMPLE.scores, metrics="ap", sample_weight=1.0 + np.arange(200) % 2)
    assert power_analysis("ap", weighted, 0.1, power=0.8).n_pos_interval is None


def test_clusters_need_more_subjects() -> None:
    twice = np.repeat(np.arange(SAMPLE.y.size), 2)
    double = SAMPLE.at(twice)
    plain = power_analysis("auc", quietly(*_as_arguments(double), metrics="auc"), 0.05, power=0.8)
    clustered = power_analysis("auc", quietly(*_as_arguments(double), metrics="auc", clusters=twice), 0.05, power=0.8)
    # each subject counts twice and tells as much as once
    assert clustered.n_pos == pytest.approx(2 * plain.n_pos, rel=0.04)


PILOT = quietly(SAMPLE.y, {**SAMPLE.scores, "same": SAMPLE.a}, metrics="auc")
WRONG_PLANS: list[tuple[Callable[[], Any], str]] = [
    (lambda: power_analysis("auc", PILOT, 0, power=0.8), "effect"),
    (lambda: power_analysis("auc", PILOT, math.nan, power=0.8), "effect"),
    *(
        (lambda power=power: power_analysis("auc", PILOT, 0.1, power=power), "power")
        for power in (0, 1, 1.2, -1, "much")
    ),
    *((lambda s=s: power_analysis("auc", PILOT, 0.1, power=0.8, significance=s), "significance") for s in (0, 1, 5)),
    (lambda: power_analysis("auc", PILOT, 0.1), "give power, or n_pos"),
    (lambda: power_analysis("auc", PILOT, 0.1, n_neg=50), "give power, or n_pos"),
    (lambda: power_analysis("auc", PILOT, 0.1, power=0.8, n_pos=50), "each determines the other"),
    *((lambda n=n: power_analysis("auc", PILOT, 0.1, n_pos=n), "n_pos") for n in (0, -3, 2.5)),
    (lambda: power_analysis("auc", PILOT, 0.1, n_pos=9, n_neg=0), "n_neg"),
    (lambda: power_analysis("auc", PILOT, 0.1, power=0.8, rankers=("a", "x")), "no ranker 'x'"),
    (lambda: power_analysis("ap", PILOT, 0.1, power=0.8), "ap was not evaluated"),
    (lambda: power_analysis("auc", PILOT, 0.1, power=0.8, rankers=("a", "same")), "do not differ"),
    *(
        (lambda r=r: power_analysis("auc", PILOT, 0.1, power=0.8, rankers=r), "two different")
        for r in ("ab", ("a",), ("a", "a"))
    ),
    (lambda: power_analysis("auc", PILOT, 5, power=0.8), "smaller than the range"),
    (lambda: power_analysis("auc", PILOT, 0.1, power=0.01), "above the significance"),
    (lambda: power_analysis("auc", SAMPLE, 0.1, power=0.8), "must be an Evaluation"),  # type: ignore[arg-type]
    (lambda: power_analysis("auc", quietly(SAMPLE.y, SAMPLE.a, metrics="auc"), 0.1, power=0.8), "two rankers"),
    (lambda: power_analysis("auc", quietly(SAMPLE.y, SAMPLE.scores, paired=False), 0.1, power=0.8), "paired=False"),
]


@pytest.mark.parametrize(("wrong", "words"), WRONG_PLANS)
def test_what_has_no_power_analysis(wrong: Callable[[], Any], words: str) -> None:
    with pytest.raises((ParameterError, ColumnNotFoundError, UndefinedMetricError), match=words):
        wrong()


# ---- bad input


def delta(**more: Any) -> Comparison:
    return compare(SAMPLE.y, SAMPLE.a, SAMPLE.b, **{"metric": "ap", **more})


WRONG: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: delta(method="detla"), ParameterError, "did you mean 'delta'"),
    (lambda: delta(method="paired-wilcox"), ParameterError, "did you mean 'paired-wilcoxon'"),
    (lambda: delta(method=None), ParameterError, "method"),
    (lambda: delta(alternative="one-sided"), ParameterError, "did you mean 'two-sided'"),
    (lambda: delta(null=math.nan), ParameterError, "null"),
    *(((lambda n=n: delta(n_resamples=n)), ParameterError, "n_resamples") for n in (0, -1, 1.5, True, "many")),
    (lambda: delta(method="swap-permutation", rng=np.random.RandomState(1)), ParameterError, "RandomState"),
    (lambda: delta(method="bootstrap", rng=-1), ParameterError, "rng"),
    (lambda: delta(method="delong"), ParameterError, "'delong' is for auc"),
    (lambda: delta(method="swap-permutation", null=0.1), ParameterError, "difference of 0 only"),
    (lambda: delta(method="paired-t", null=0.1), ParameterError, "difference of 0 only"),
    (lambda: delta(method="bootstrap", sample_weight=np.arange(200) % 2 + 1), ParameterError, "weights"),
    (lambda: delta(method="paired-t", clusters=np.arange(200)), ParameterError, "clusters"),
    (lambda: delta(method="delong", metric="auc", clusters=np.arange(200)), ParameterError, "clusters"),
    (
        lambda: delta(clusters=np.where(SAMPLE.y == 1, 0, np.arange(200))),
        InsufficientDataError,
        "contains all positives",
    ),
    (lambda: delta(clusters=np.arange(200) % 4), InsufficientDataError, "only 4 clusters that contain a positive"),
    (lambda: delta(clusters=["a", 7] * 100), hc.errors.InputError, "clusters mix int and str"),
    (
        lambda: delta(clusters=np.array(["2020-01-01"] * 199 + ["NaT"], "datetime64[D]")),
        MissingValueError,
        "1 of 200 clusters",
    ),
    (lambda: delta(method="bootstrap", n_resamples=1), ParameterError, "at least 2"),
    (lambda: compare(iter(SAMPLE.y), SAMPLE.a, SAMPLE.b, metric="ap"), hc.errors.InputError, "read more than once"),
    (
        lambda: compare(SAMPLE.y, map(float, SAMPLE.a), SAMPLE.b, metric="ap"),
        hc.errors.InputError,
        "score 'first' is read more than once",
    ),
    (lambda: compare_from_stats(0.5, PILOT["a", "auc"]), ParameterError, "got float"),  # type: ignore[call-overload]
    (lambda: delta(method="paired-permutation", prevalence=0.1), ParameterError, "set prevalence"),
    (lambda: delta(clusters=[None] + [1] * 199), MissingValueError, "1 of 200 clusters are missing"),
    (lambda: delta(clusters=[math.nan] * 3 + [1.0] * 197), MissingValueError, "3 of 200"),
    (lambda: delta(clusters=np.arange(7)), hc.errors.LengthMismatchError, "clusters has 7"),
    (lambda: delta(clusters=np.zeros(200)), InsufficientDataError, "there is only one cluster"),
    (lambda: PILOT.compare("a", "d", "auc"), ColumnNotFoundError, "no ranker 'd'"),
    (lambda: PILOT.compare("sane", "a", "auc"), ColumnNotFoundError, "did you mean 'same'"),
    (lambda: PILOT.compare("a", "a", "auc"), ParameterError, "got 'a' twice"),
    (lambda: PILOT.compare("a", "b", "ap"), ColumnNotFoundError, "ap was not evaluated"),
    (
        lambda: quietly(SAMPLE.y, SAMPLE.scores, paired=False).compare("a", "b", "ap", method="swap-permutation"),
        ParameterError,
        "needs rankers of the same subjects",
    ),
    (lambda: delta(paired=False, method="delong"), ParameterError, "'delong' is for auc"),
    (lambda: delta(paired=False, method="detla"), ParameterError, "did you mean 'delta'"),
    (
        lambda: quietly(SAMPLE.y, SAMPLE.scores, metrics="ap", paired=False).compare_all("ap", adjust="max-t"),
        ParameterError,
        "max-t' needs rankers of the same subjects",
    ),
    (lambda: compare((SAMPLE.y, SAMPLE.y), SAMPLE.a, SAMPLE.b, metric="ap"), ParameterError, "add paired=False"),
    (lambda: compare_from_stats(1, 2, 3), ParameterError, "two estimates, or six numbers"),  # type: ignore[call-overload]
    (lambda: compare_from_stats(1, 1, 5, 2, 1, 5, correlation=0.5), ParameterError, "is for two estimates"),  # type: ignore[call-overload]
    (
        lambda: compare_from_stats(PILOT["a", "auc"], PILOT["b", "auc"], metric="auc"),  # type: ignore[call-overload]
        ParameterError,
        "is for six numbers",
    ),
    (lambda: PILOT.compare_all("auc", rng=np.random.RandomState(0)), ParameterError, "RandomState"),
    (lambda: PILOT.compare_all("auc", rng="seed"), ParameterError, "rng"),
    (lambda: PILOT.compare_all("auc", adjust="bonferroni"), ParameterError, "adjust must be one of"),
    (lambda: many(2).compare_all("ap", adjust="bonferroni"), ParameterError, "adjust must be one of"),
    (lambda: PILOT.compare_all("auc", baseline="x"), ColumnNotFoundError, "no ranker 'x'"),
    (lambda: PILOT.compare_all("auc", adjust="max-t", method="delong"), ParameterError, "needs delta"),
    (
        lambda: PILOT.compare_all("auc", adjust="max-t", method="swap-permutation", n_resamples=9),
        ParameterError,
        "needs delta",
    ),
    (lambda: quietly(SAMPLE.y, SAMPLE.a, metrics="auc").compare_all("auc"), ParameterError, "two rankers"),
]


@pytest.mark.parametrize(("wrong", "kind", "words"), WRONG, ids=lambda x: x if isinstance(x, str) else "")
def test_what_cannot_be_compared(wrong: Callable[[], Any], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        wrong()


# ---- as it is printed


def test_a_comparison_prints_as_a_test() -> None:
    test = auto(pair(12, 60), "ap")
    text = str(test)
    for words in ("Swap permutation test of ap", "standard error", "95% interval", "two-sided", "exchangeable"):
        assert words in text
    assert "Monte Carlo error" in text
    one = many(3).compare_all("ap")[0]
    assert "adjusted p" in str(one)
    assert "Welch-Satterthwaite" in one.methods_text()
    again = compare(SAMPLE.y, SAMPLE.a, SAMPLE.b, metric="auc", method="delong")
    assert "DeLong" in again.methods_text()
    assert f"{again.difference.value:.3f}"[:4] in again.methods_text()


def test_a_comparison_says_what_was_done() -> None:
    """Words follow the numbers: whose interval, which degrees of freedom, whose subjects."""
    y, s = SAMPLE.y, SAMPLE.scores
    assert "(by influence values)" in str(auto(pair(12, 60), "ap"))
    assert "(by influence values)" not in str(compare(y, s["a"], s["b"], metric="ap"))
    clustered = compare(y, s["a"], s["b"], metric="ap", clusters=np.arange(200) // 2)
    assert "summed by cluster" in clustered.methods_text()
    assert "Welch" not in clustered.methods_text()
    assert clustered.to_dict()["clustered"] is True
    assert "clustered" in str(clustered)
    six = compare(y, s["a"], s["b"], metric="auc", method="unpaired-t")
    assert "the same" in six.methods_text()
    assert "treated as unpaired" in six.methods_text()
    same = compare(y, s["a"], 3 * s["a"], metric="ap")
    assert any("no subject distinguishes the two rankers" in text for text in same.cautions)
    one = many(3).compare_all("ap", adjust="max-t")[0]
    assert one.simultaneous is not None
    assert "simultaneous" in str(one)
    assert (one.to_dict()["simultaneous_low"], one.to_dict()["simultaneous_high"]) == one.simultaneous
    assert many(3).compare_all("ap")[0].to_dict()["simultaneous_low"] is None


def test_a_p_value_is_never_written_as_0() -> None:
    """Below what floats hold: a t statistic of 60 on many degrees of freedom, and one of 10^4."""
    test = hc.compare_from_stats(0.9, 1e-4, 5000, 0.5, 1e-4, 5000)
    assert test.pvalue == 0
    told = replace(test, adjusted=0.0, adjustment="holm")
    for text in (str(told), told.methods_text()):
        assert "< 1e-300" in text
        assert not re.search(r"p( value)?\s+(=\s*)?0\b(?!\.)", text)
    assert "two-sided p < 1e-300 (adjusted p < 1e-300, holm), by" in told.methods_text()
    assert str(told).count("< 1e-300") == 2
    rng = np.random.default_rng(0)
    chance = hc.evaluate(np.repeat([1, 0], 5000), rng.normal(size=10_000) + np.repeat([9, 0], 5000), metrics="auc")
    assert "p < 1e-300 (greater" in str(chance["score", "auc"].test_random())


@pytest.mark.parametrize(
    ("p", "text"), [(0.0, "< 1e-300"), (1e-301, "< 1e-300"), (1e-300, "= 1.000e-300"), (0.03412, "= 0.03412")]
)
def test_p_values_in_words(p: float, text: str) -> None:
    assert rows.p_value(p) == text


@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
@pytest.mark.parametrize(
    ("form", "n", "method"),
    [
        ("bedroc(alpha=20)", 100, "swap-permutation"),
        ("rie(alpha=20)", 100, "swap-permutation"),
        ("bedroc(alpha=20)", 400, "delta"),
        ("auac", 100, "delta"),
        ("ap", 100, "delta"),
    ],
)
def test_where_few_subjects_decide_along_the_rate_they_are_swapped(form: str, n: int, method: str) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(n) < 0.4 * n
    found = hc.compare(y, rng.normal(size=n) + y, rng.normal(size=n) + y, metric=form)
    assert found.method == method


# ---- equal values


@pytest.mark.parametrize("form", ["precision@10", "hits@10", "recall@5%", "ef@5%", "wss@95%"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_lists_of_the_same_value_do_not_differ_by_other_cuts(form: str, alternative: str) -> None:
    n = 200
    first, second = [1, 2, *range(11, 26), 190], [9, 10, *range(60, 75), 190]
    y = np.isin(np.arange(n), np.arange(18)).astype(int)

    def scores(ranks: list[int]) -> Any:
        rest = [rank for rank in range(1, n + 1) if rank not in ranks]
        return -np.array([*ranks, *rest], float)

    test = compare(y, scores(first), scores(second), metric=form, alternative=alternative)
    assert test.difference.value == 0
    assert test.pvalue == 1 if alternative == "two-sided" else test.pvalue > 0.3


def test_rank_tests_say_that_they_do_not_test_the_difference() -> None:
    y, fine, coarse = [1] * 23 + [0] * 200, list(range(223, 0, -1)), [2] * 23 + [1] * 199 + [0]
    test = compare(y, fine, coarse, metric="ndcg", method="unpaired-wilcoxon")
    assert test.difference.value == 0
    assert any("not the difference in the metric" in text for text in test.cautions)
    assert compare(y, fine, coarse, metric="ndcg", method="paired-t").pvalue == 1


ALIKE = 30  # clusters


@pytest.fixture(scope="module")
def of_clusters_alike() -> Any:
    y, a, b = ([1, 0, 1, 0, 0, 1] * ALIKE, [6, 5, 4, 3, 2, 1] * ALIKE, [6, 3, 5, 4, 1, 2] * ALIKE)
    rankers = {"a": a, "b": b, "squares": np.square(a)}
    return quietly(y, rankers, metrics=list(BY_FORM), undefined="nan", clusters=np.repeat(np.arange(ALIKE), 6))


@pytest.mark.parametrize("form", BY_FORM)
def test_clusters_that_are_alike_have_no_error(of_clusters_alike: Any, form: str) -> None:
    e = of_clusters_alike["a", form]
    if "influence values" in e.reason:
        return
    assert e.standard_error == 0
    step = e._spread.step
    if step is not None and mixed_above(e._spread) == 0:
        # of one class alone above the cut its number says something
        assert e.interval is not None
        assert e.interval.low < e.interval.high
        return
    with pytest.raises(InsufficientDataError, match="the clusters do not vary"):
        e.confidence_interval()
    assert e.interval is None


@pytest.mark.parametrize("form", ["auc", "ap", "ndcg", "bedroc(alpha=20)", "auac"])
def test_differences_of_clusters_that_are_alike(of_clusters_alike: Any, form: str) -> None:
    equal = of_clusters_alike.compare("a", "squares", form, method="delta")
    assert (equal.difference.value, equal.difference.standard_error, equal.pvalue) == (0, 0, 1)
    for method in ("delta", "bootstrap"):
        with pytest.raises(InsufficientDataError, match="nothing varies by cluster here, and no method tests it"):
            of_clusters_alike.compare("a", "b", form, method=method)


@pytest.mark.parametrize(("form", "n_pos", "said"), [("ndcg", 100, False), ("ndcg", 20, True), ("ap", 20, False)])
def test_a_pilot_of_another_length_plans_no_metric_of_ranks(form: str, n_pos: int, said: bool) -> None:
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], [100, 900])
    pilot = quietly(y, {name: rng.normal(size=1000) + y for name in "ab"}, metrics=form)
    found = power_analysis(form, pilot, 0.05, n_pos=n_pos)
    assert any("depends on the length of the list" in text for text in found.cautions) == said
