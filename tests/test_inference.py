"""Standard errors: published ones, laws over all metrics, and slow roads to the same numbers."""

from __future__ import annotations

import itertools
import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import hitcurve as hc
from hitcurve import Counts, Estimate, HitTable, Metric, bootstrap, evaluate, metric
from hitcurve.datasets import mammography
from hitcurve.inference import cross_products
from hitcurve.inference.cutting.step import step_of
from hitcurve.inference.intervals.interval import interval
from hitcurve.inference.variance.influence import influence
from hitcurve.inference.variance.spread import Spread
from hitcurve.sums import Lists
from tests.metrics_under_test import (
    BY_FORM,
    METRICS,
    counts_ranks,
    is_on_roc,
    needs_whole_subjects,
    refuses_weights,
    rounds_a_share,
)
from tests.odd import odd_scores
from tests.sampled import Sample, binormal, delong, quietly, recipe, shifted_weight
from tests.strategies import Floats, Ranking, count_tables, each_fourth, law, rankings, strict, strict_orders

DESIGNS = ("cohort", "case-control")
each_design = pytest.mark.parametrize("design", DESIGNS)


def standard_error(m: Metric | str, table: HitTable, design: str = "cohort") -> float:
    wanted = metric(m)
    return Estimate("a", wanted, float(wanted.value(table)), table, design).standard_error


def has_cut(m: Metric, c: Counts) -> bool:
    return step_of(m, c) is not None


def ends_where_pi_does(m: Metric, c: Counts) -> bool:
    """Whether the prevalence moves two ends at once over the same kink, so that not even the slopes bound it."""
    if m.name == "prg_area":
        return bool(np.isclose(c.P, c.pi).any())
    return "point(0.5)" in str(m) and bool(np.isclose([*c.r, c.pi, 1 - c.pi], 0.5).any())


# ---- published


@pytest.mark.parametrize(
    ("ranker", "design", "expected"),
    [
        ("digital", "cohort", 0.0196674),
        ("film", "cohort", 0.0219043),
        ("digital", "case-control", 0.0192767),
        ("film", "case-control", 0.0215494),
    ],
)
def test_average_precision_of_mammography(ranker: str, design: str, expected: float) -> None:
    e = evaluate(tables=mammography(), metrics="ap", design=design)[ranker, "ap"]
    assert e.standard_error == pytest.approx(expected, abs=5e-8)


def dense_variance(table: HitTable, design: str) -> float:
    """Return the variance of AP by Appendix B of Su, Yuan and Zhu: the inverse of the whole information matrix.

    The free parameters are all cell probabilities but the last of either class, and in a cohort the prevalence.
    """
    pos, neg = table.pos.astype(float), table.neg.astype(float)
    n1, n0, K = pos.sum(), neg.sum(), pos.size

    def information(count: Floats) -> Floats:
        p = count / count.sum()
        return np.asarray(count.sum() * (np.diag(1 / p[:-1]) + 1 / p[-1]))

    def ap(free: Any) -> Any:
        p, q, pi = free[: K - 1], free[K - 1 : 2 * K - 2], free[-1]
        p, q = np.append(p, 1 - p.sum()), np.append(q, 1 - q.sum())
        P, Q = np.cumsum(p), np.cumsum(q)
        return np.sum(p * pi * P / (pi * P + (1 - pi) * Q))

    pi = n1 / (n1 + n0)
    at = np.concatenate([pos[:-1] / n1, neg[:-1] / n0, [pi]]).astype(complex)
    # a complex step has no rounding error
    gradient = np.array([ap(at + 1e-30j * unit).imag / 1e-30 for unit in np.eye(at.size)])
    whole = np.zeros((at.size, at.size))
    whole[: K - 1, : K - 1], whole[K - 1 : -1, K - 1 : -1] = information(pos), information(neg)
    whole[-1, -1] = (n1 + n0) / (pi * (1 - pi))
    if design == "case-control":
        whole, gradient = whole[:-1, :-1], gradient[:-1]
    return float(gradient @ np.linalg.solve(whole, gradient))


@each_design
@pytest.mark.parametrize("seed", [None, 1, 2, 3, 4])
def test_average_precision_by_the_dense_information_matrix(design: str, seed: int | None) -> None:
    rng = np.random.default_rng(seed)
    drawn = {"a": HitTable.from_counts(rng.integers(1, 30, 12), rng.integers(1, 300, 12))}
    for table in (mammography() if seed is None else drawn).values():
        expected = math.sqrt(dense_variance(table, design))
        assert standard_error("ap", table, design) == pytest.approx(expected, rel=1e-12)


SAMPLES = {
    "no ties": binormal(40, 90, 1.5, 1.0, seed=1),
    "ties": binormal(35, 60, 1.5, 1.0, seed=2, levels=6),
    "few": binormal(5, 7, 2.0, 0.5, seed=3),
    "mostly positive": binormal(80, 9, 1.0, 0.8, seed=4, levels=12),
}
each_sample = pytest.mark.parametrize("sample", SAMPLES.values(), ids=list(SAMPLES))


@each_design
@each_sample
def test_delong_by_all_pairs(sample: Sample, design: str) -> None:
    areas, covariance = delong(sample.y, sample.a, sample.b)
    ev = quietly(sample.y, sample.scores, metrics="auc", design=design)
    assert ev.source is not None
    joint = cross_products(ev.source, ev.tables, ev.metrics, ev.design)
    for weights in ([1.0, 0.0], [0.0, 1.0], [1.0, -1.0], [0.3, 0.7]):
        w = np.array(weights)
        assert sum(joint.by_class(w)) == pytest.approx(w @ covariance @ w, rel=1e-10)
    test = ev.compare("a", "b", "auc", method="delong")
    error = math.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    assert test.difference.value == pytest.approx(areas[0] - areas[1], rel=1e-12)
    assert test.difference.standard_error == pytest.approx(error, rel=1e-10)
    assert test.statistic == pytest.approx((areas[0] - areas[1]) / error, rel=1e-10)
    assert test.pvalue == pytest.approx(math.erfc(abs(areas[0] - areas[1]) / error / math.sqrt(2)), rel=1e-9)


def test_delong_of_two_models() -> None:
    sample = recipe("two_models")
    test = hc.compare(sample.y, sample.a, sample.b, metric="auc", method="delong")
    assert test.statistic == pytest.approx(2.192375589, abs=5e-10)
    assert test.pvalue == pytest.approx(0.02835239777, abs=5e-12)
    assert test.difference.degrees_of_freedom == math.inf


# measured elsewhere with 20,000 replicates, the last with 4,000, whose own error is then 2.5% (kurtosis 10)
BOOTSTRAP = {
    "binormal2000": ((0.04934, 0.04995), (0.04602, 0.04671), 0.02),
    "two_models": ((0.06386, 0.06540), (0.05738, 0.05818), 0.02),
    "extreme_imbalance": ((0.0222, 0.01651), (0.0213, 0.01563), 0.05),
}


@pytest.mark.slow
@each_design
@pytest.mark.parametrize("name", BOOTSTRAP)
def test_average_precision_by_bootstrap_and_delta(name: str, design: str) -> None:
    """With 20 positives the delta standard error is far too small: AP is set by the few at the top."""
    *both, tolerance = BOOTSTRAP[name]
    by_bootstrap, by_delta = both[DESIGNS.index(design)]
    sample = recipe(name)
    e = quietly(sample.y, {"a": sample.a}, metrics="ap", design=design)["a", "ap"]
    assert e.standard_error == pytest.approx(by_delta, abs=5e-6)
    drawn = bootstrap(e.table, "ap", n_resamples=20_000, design=design, rng=0)
    assert np.std(drawn, ddof=1) == pytest.approx(by_bootstrap, rel=tolerance)


@pytest.mark.parametrize(("design", "expected"), [("cohort", 0.06354), ("case-control", 0.06366)])
def test_paired_difference_of_two_models_by_bootstrap(design: str, expected: float) -> None:
    sample = recipe("two_models")
    more: dict[str, Any] = {"metric": "ap", "design": design}
    drawn = hc.compare(sample.y, sample.a, sample.b, method="bootstrap", n_resamples=20_000, rng=0, **more)
    assert drawn.difference.standard_error == pytest.approx(expected, rel=0.02)
    by_delta = hc.compare(sample.y, sample.a, sample.b, method="delta", **more)
    assert by_delta.difference.standard_error == pytest.approx(expected, rel=0.03)
    assert by_delta.difference.value == drawn.difference.value == pytest.approx(0.148152213103, abs=1e-11)


def hits_by_hand(sample: Sample, k: int) -> tuple[Any, Any, Any, Any]:
    """Return which subjects are among the first k of a and of b, and the local precision there (STATS 4)."""
    n, n1 = sample.y.size, int(sample.y.sum())
    half = min(max(k * n1**-0.2, 2.0), k, n - k)
    above, slopes = [], []
    for s in (sample.a, sample.b):
        order = np.argsort(-s)
        above.append(np.isin(np.arange(n), order[:k]))
        hits = np.append(0.0, np.cumsum(sample.y[order]))
        ends = np.interp([k - half, k + half], np.arange(n + 1.0), hits)
        slopes.append((ends[1] - ends[0]) / (2 * half))
    return above[0], above[1], slopes[0], slopes[1]


@pytest.mark.parametrize("k", [5, 20, 60])
def test_recall_by_the_empirical_process(k: int) -> None:
    """Ash and Hughes-Oliver 2022, J. Cheminform. 14:50: variances and covariance of recalls at a testing fraction."""
    sample = binormal(60, 440, 1.6, 1.1, seed=5)
    n, pi, r = 500, 0.12, k / 500
    above_a, above_b, la, lb = hits_by_hand(sample, k)
    ka, kb, kab = (float(chosen[sample.y].mean()) for chosen in (above_a, above_b, above_a & above_b))
    rab = float((above_a & above_b).mean())
    va, vb = (
        x * (1 - x) / (n * pi) * (1 - 2 * slope) + slope**2 * r * (1 - r) / (n * pi**2)
        for x, slope in ((ka, la), (kb, lb))
    )
    cov = (pi * (kab - ka * kb) * (1 - la - lb) + (rab - r**2) * la * lb) / (n * pi**2)
    form = f"recall@{k}"
    ev = evaluate(sample.y, sample.scores, metrics=form)
    assert ev["a", form].standard_error == pytest.approx(math.sqrt(va), rel=1e-9)
    assert ev["b", form].standard_error == pytest.approx(math.sqrt(vb), rel=1e-9)
    assert ev.source is not None
    joint = cross_products(ev.source, ev.tables, ev.metrics, "cohort")
    matrix = joint.products.pos + joint.products.neg
    assert matrix == pytest.approx(np.array([[va, cov], [cov, vb]]), rel=1e-9)
    assert joint.discordant_hits(("a", metric(form)), ("b", metric(form))) == np.sum((above_a ^ above_b)[sample.y])


# ---- influence values


def assert_influence(m: Metric, c: Counts, design: str) -> None:
    """Compare with the slopes of the value of the metric: at a kink any slope between the two will do."""
    found, expected = influence(m, c, design), shifted_weight(m, c, design)
    size = max(np.max(np.abs(slopes)) for slopes in expected)
    hair = 2e-5 * size + 1e-6
    for x, (up, down), held in zip(found[:2], expected, (c.pos > 0, c.neg > 0), strict=True):
        between = (np.minimum(up, down) - hair <= x) & (x <= np.maximum(up, down) + hair)
        assert np.all(between[held]), f"{m}, {design}"


@pytest.mark.slow
@law(12)
@given(table=count_tables(), weighted=st.booleans(), prevalence=st.sampled_from([None, 0.07]))
def test_influence_is_what_a_little_more_weight_does(table: HitTable, weighted: bool, prevalence: float | None) -> None:
    """The sum over the subjects is 0, and every value a derivative taken by the values of the metric alone."""
    factor = 1.3 if weighted else 1
    c = Counts(table.pos * factor, table.neg * factor, prevalence, weighted)
    for m, design in itertools.product(METRICS, DESIGNS):
        if (needs_whole_subjects(m) and not c.whole) or (counts_ranks(m) and prevalence is not None):
            continue
        if (weighted and refuses_weights(m)) or has_cut(m, c) or ends_where_pi_does(m, c) or m.jumps:
            continue
        found = influence(m, c, design)
        total = np.sum(c.pos * found.pos) + np.sum(c.neg * found.neg)
        size = np.sum(c.pos * np.abs(found.pos)) + np.sum(c.neg * np.abs(found.neg))
        assert abs(total) <= 1e-7 * size + 1e-14, str(m)
        assert_influence(m, c, design)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("floor", ["negative", "half-subject"])
def test_influence_where_positives_lie_at_the_floor(floor: str, design: str) -> None:
    """Those between the first two negatives lie at the FPR of one negative, on one side of the floor."""
    for y in ("pnppnnpn", "ppnpnnnpnp", "npnnppnn", "nppnppnpnnnpnpnn"):
        table = HitTable.from_scores([sign == "p" for sign in y], range(len(y), 0, -1))
        assert_influence(metric(f"proc(floor={floor})"), table.counts, design)


@law(25)
@given(r=rankings(least=8, most=16))
def test_influence_of_cuts_sums_to_zero(r: Ranking) -> None:
    c = r.table.counts
    for m, design in itertools.product([m for m in METRICS if has_cut(m, c)], DESIGNS):
        if m.name == "wss" and m.waits_for_last(c):
            continue
        found = influence(m, c, design)
        total = np.sum(c.pos * found.pos) + np.sum(c.neg * found.neg)
        assert abs(total) <= 1e-12 * np.sum(c.pos * np.abs(found.pos)) + 1e-13, str(m)


@law(25)
@given(r=rankings(least=8, most=16))
def test_cuts_stand_where_the_metric_is_cut(r: Ranking) -> None:
    """What is at the cut gives back the value of the metric."""
    for table in (r.table, r.table.collapse()):
        for m in METRICS:
            step = step_of(m, table.counts)
            if step is not None and m.name not in ("wss", "nwss"):
                assert step.cut.offset + step.cut.factor * step.share == pytest.approx(
                    m.value(table), rel=1e-9, abs=1e-9
                ), str(m)


# ---- laws of standard errors


def errors_of(table: HitTable, chosen: list[Metric], design: str) -> list[float]:
    return [float(Spread(m, table, design).variance) ** 0.5 for m in chosen]


SMOOTH = [m for m in METRICS if not (has_cut(m, HitTable.from_counts([9, 3, 9], [9, 4, 99]).counts) or m.jumps)]
# on distinct scores a whole cut leaves nobody above in part
WHOLE_CUTS = [
    BY_FORM[form]
    for form in (
        *("recall@1%", "recall@R", "recall@5", "hits@5", "hits@R", "precision@R", "precision@5"),
        *("precision@20%(cut=floor)", "ef@1%", "ef@10%", "ef@10%(cut=floor)", "ef@10%(cut=round)", "ef@R"),
        *("relative_ef@1%", "relative_ef@5", "wss@80%(cut=round)", "wss@50%(cut=floor)"),
    )
]


@pytest.mark.slow
@each_fourth
@law(6)
@given(r=rankings(levels=8), random=st.randoms(use_true_random=False), cut=st.integers(1, 5))
def test_standard_errors_of_any_table_of_the_same_subjects(r: Ranking, random: Any, cut: int, start: int) -> None:
    """Row order, collapsing and merging change nothing."""
    some = SMOOTH[start::4]
    places = list(range(r.y.size))
    random.shuffle(places)
    merged = r.at(places[:cut]).table + r.at(places[cut:]).table
    for design in DESIGNS:
        full = errors_of(r.table, some, design)
        assert errors_of(r.at(places).table, some, design) == full
        assert errors_of(merged, some, design) == full
        assert errors_of(r.table.collapse(), some, design) == pytest.approx(full, rel=1e-6, abs=1e-12)


@pytest.mark.slow
@law(15)
@given(order=st.permutations([True] * 7 + [False] * 17))
def test_a_collapsed_table_is_split_at_its_cuts(order: list[bool]) -> None:
    """With a row for each subject it is known who is above the cut; a gap between two scores is parted there."""
    s = np.arange(24, 0, -1)
    full = HitTable.from_scores(order, s)
    for m, design in itertools.product(WHOLE_CUTS, DESIGNS):
        if m.name == "wss" and m.waits_for_last(full.counts):
            continue
        a, b = Spread(m, full, design), Spread(m, full.collapse(), design)
        assert b.variance == pytest.approx(a.variance, rel=1e-9, abs=1e-15), str(m)
        assert interval(b, 0.95)[0] == pytest.approx(interval(a, 0.95)[0], rel=1e-9, abs=1e-12), str(m)


def test_roc_enrichment_of_a_gap_split_at_its_cut() -> None:
    sample = binormal(20, 200, seed=6)
    for form in ("roc_enrichment@5%", "croc(step, t=0.1)"):
        full, collapsed = sample.table(), sample.table().collapse()
        for design in DESIGNS:
            expected = standard_error(form, full, design)
            assert standard_error(form, collapsed, design) == pytest.approx(expected, rel=1e-9)
    # by definition: TPR among positives, minus the slope times FPR among negatives
    t, n1, n0, a = sample.table(), 20, 200, 0.05
    tpr = np.interp(a, np.append(0, t.fpr), np.append(0, t.tpr))
    half = max(a * n1**-0.2, 1.5 / n0)
    heights = [np.mean(sample.a[sample.y] > -np.sort(-sample.a[~sample.y])[int(x * n0)]) for x in (a - half, a + half)]
    slope = (heights[1] - heights[0]) / (2 * half)
    assert standard_error("roc_enrichment@5%", t) == pytest.approx(
        math.sqrt(tpr * (1 - tpr) / n1 + slope**2 * a * (1 - a) / n0) / a, rel=1e-9
    )


def test_work_saved_has_nobody_above_its_cut_that_is_below() -> None:
    """Negatives right below the positive that reaches the recall are read in vain by nobody."""
    y = [1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 1]
    table = HitTable.from_scores(y, range(12, 0, -1)).collapse()
    step = step_of(metric("wss@80%"), table.counts)
    assert step is not None
    # the fourth of five positives stands at rank 7, three negatives before it
    assert step.fpr == 3 / 7
    assert metric("wss@80%").value(table) == pytest.approx(0.8 - (4 + 3) / 12, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["recall@5%", "hits@20", "precision@20", "ef@2%", "wss@80%", "roc_enrichment@5%"])
def test_cuts_vary_as_much_as_their_standard_error_says(form: str) -> None:
    """The slope at the cut is right: standard errors of samples, on average, against the spread of samples."""
    rng = np.random.default_rng(7)
    m, values, errors = metric(form), [], []
    for _ in range(500):
        n1 = rng.binomial(1000, 0.1)
        y = np.arange(1000) < n1
        table = HitTable.from_scores(y, rng.normal(size=1000) + 1.5 * y).collapse()
        values.append(m.value(table))
        errors.append(Spread(m, table, "cohort").variance)
    assert math.sqrt(np.mean(errors)) == pytest.approx(np.std(values), rel=0.12)


@each_fourth
@law(5)
@given(table=count_tables())
def test_more_controls_leave_the_roc_axis_alone(table: HitTable, start: int) -> None:
    """Replicating every control ten times changes neither the value nor what the positives add to the variance."""
    more = HitTable.from_counts(table.pos, table.neg * 10)
    for m in (m for m in METRICS[start::4] if is_on_roc(m)):
        assert m.value(more) == pytest.approx(m.value(table), rel=1e-12, abs=1e-14), str(m)
        for design in DESIGNS:
            parts = [influence(m, t.counts, design).pos for t in (table, more)]
            variances = [np.sum(table.pos * part**2) for part in parts]
            assert variances[1] == pytest.approx(variances[0], rel=1e-6, abs=1e-13), str(m)


# ---- weights


@each_fourth
@law(5)
@given(r=rankings(levels=6))
def test_weights_of_one_are_no_weights(r: Ranking, start: int) -> None:
    weighted = Lists(r.table.sums.as_weights())
    assert weighted.counts.weighted
    for m in (m for m in METRICS[start::4] if not (refuses_weights(m) or rounds_a_share(m) or m.jumps)):
        for design in DESIGNS:
            expected = Spread(m, r.table, design).variance
            assert Spread(m, weighted, design).variance == pytest.approx(expected, rel=1e-6, abs=1e-15), str(m)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_weighted_variance_subject_by_subject(seed: int) -> None:
    """The sandwich: the sum over subjects of (weight times influence) squared, derivatives by each single weight."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(9) < 3 + seed % 2)
    s, w = rng.integers(0, 5, 9), rng.integers(1, 4, 9).astype(float)

    def table(own: Floats) -> HitTable:
        return HitTable.from_scores(y, s, sample_weight=own)

    c = table(w).counts
    chosen = [m for m in SMOOTH if not (refuses_weights(m) or ends_where_pi_does(m, c))]
    slopes = np.zeros((len(chosen), w.size))
    for i in range(w.size):
        up, down = (table(w + sign * 1e-5 * np.eye(w.size)[i]) for sign in (1, -1))
        slopes[:, i] = [(m.value(up) - m.value(down)) / 2e-5 for m in chosen]
    for m, slope in zip(chosen, slopes, strict=True):
        for design in DESIGNS:
            phi = slope.copy()
            for group in [y, ~y] if design == "case-control" else [np.ones(w.size, bool)]:
                phi[group] -= np.sum(w[group] * slope[group]) / w[group].sum()
            expected = math.sqrt(np.sum((w * phi) ** 2))
            assert math.sqrt(Spread(m, table(w), design).variance) == pytest.approx(expected, rel=1e-4, abs=1e-8), (
                f"{m}, {design}"
            )


def test_equal_weights_scale_nothing_and_count_as_subjects() -> None:
    """Not in cuts either, whose slopes have windows of so many subjects; weights that add up to 1 are usual."""
    sample = binormal(30, 120, seed=8, levels=12)
    forms = ["ap", "auc", "recall@10%(cut=fractional)", "ef@R", "roc_enrichment@10%", "wss@80%", "rauc(point(0.3))"]
    forms += ["half_auc(specific)", "pr_area(keilwagen)", "prg_area"]
    ask = partial(evaluate, sample.y, sample.a, metrics=forms)
    for weight in (7.5, 1 / 150, 1e-9):
        for e, f in zip(ask(), ask(sample_weight=np.full(150, weight)), strict=True):
            assert f.standard_error == pytest.approx(e.standard_error, rel=1e-6), str(e.metric)
            assert f.n_effective == pytest.approx((30, 120))
            method = {"ap": "half-subject"}.get(str(e.metric), "auto")
            # without whole subjects wss is another value, at the rate that stands for rank/n
            if e.metric.name != "wss":
                expected = e.confidence_interval(method=method)
                assert f.confidence_interval(method=method) == pytest.approx(tuple(expected), rel=1e-6)
    once_more = evaluate(sample.y, sample.a, metrics="ap", sample_weight=np.where(sample.y, 1.0, np.arange(150) % 2))
    assert once_more["score", "ap"].n_effective[1] == pytest.approx(np.sum(np.arange(150)[~sample.y] % 2))


# ---- prevalence


@pytest.mark.slow
@law(10)
@given(table=count_tables(), prevalence=st.floats(0.01, 0.9))
def test_a_set_prevalence_is_known(table: HitTable, prevalence: float) -> None:
    """The design of a table whose prevalence was set is case-control, whatever is said."""
    at = table.at_prevalence(prevalence)
    for m in (m for m in SMOOTH if not (counts_ranks(m) or needs_whole_subjects(m))):
        variances = [Spread(m, at, design).variance for design in DESIGNS]
        assert variances[0] == variances[1], str(m)


def test_a_prevalence_set_to_the_one_observed_is_the_case_control_design() -> None:
    sample = binormal(30, 120, seed=9, levels=20)
    for form in ("ap", "bedroc(alpha=2)", "auac", "recall@10%(cut=fractional)"):
        e = evaluate(sample.y, sample.a, metrics=form, prevalence=0.2)["score", form]
        f = evaluate(sample.y, sample.a, metrics=form, design="case-control")["score", form]
        assert e.design == f.design == "case-control"
        assert e.value == pytest.approx(f.value, rel=1e-12)
        assert e.standard_error == pytest.approx(f.standard_error, rel=1e-9)


def test_slopes_at_a_set_prevalence_are_those_of_more_controls() -> None:
    """Setting the prevalence to 3% or sampling eight times as many controls are one curve, with one slope."""
    sample = binormal(30, 120, seed=9)
    more = HitTable.from_counts(sample.table().pos, sample.table().neg * 8)
    at = sample.table().at_prevalence(30 / (30 + 960))
    for form in ("recall@10%(cut=fractional)", "ef@20%(cut=fractional)", "expected_recall(point(0.3))"):
        m = metric(form)
        assert m.value(at) == pytest.approx(m.value(more), rel=1e-12)
        one, other = (step_of(m, table.counts) for table in (at, more))
        assert one is not None
        assert other is not None
        assert one.slope == pytest.approx(other.slope, rel=1e-9)
        by_pos = [np.sum(t.pos * influence(m, t.counts, "case-control").pos ** 2) for t in (at, more)]
        assert by_pos[0] == pytest.approx(by_pos[1], rel=1e-9)


# ---- numeric derivatives


def test_metrics_without_a_gradient_have_the_spread_of_their_bootstrap() -> None:
    sample = binormal(80, 400, seed=10)
    forms = ["ap(ties=expected)", "pr_area(davis_goadrich)"]
    e = evaluate(sample.y, sample.a, metrics=forms)
    drawn = bootstrap(e.tables["score"], forms, n_resamples=3000, rng=0)
    for form, values in zip(forms, drawn.T, strict=True):
        assert e["score", form].standard_error == pytest.approx(values.std(), rel=0.15), form


def test_beyond_many_rows_the_bootstrap_takes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = binormal(60, 200, seed=11)
    few = partial(evaluate, sample.y, sample.a, metrics="ap(ties=expected)")
    by_formula = few()["score", "ap(ties=expected)"]
    assert by_formula.standard_error_source == "influence values"
    monkeypatch.setattr("hitcurve.inference.variance.influence.MOST_ROWS", 50)
    drawn = few()["score", "ap(ties=expected)"]
    assert "bootstrap" in drawn.standard_error_source
    assert drawn.standard_error == pytest.approx(by_formula.standard_error, rel=0.15)
    assert drawn.standard_error == few()["score", "ap(ties=expected)"].standard_error


def test_one_subject_of_a_class_has_a_value_only() -> None:
    for y in ([1, 0, 0, 0, 0, 0], [0, 1, 1, 1, 1, 1]):
        e = quietly(y, [6, 1, 2, 3, 4, 5], metrics="auc")["score", "auc"]
        assert e.value in (0.0, 1.0)
        for ask in (lambda e=e: e.standard_error, e.confidence_interval, partial(e.confidence_interval, method="wald")):
            with pytest.raises(hc.errors.InsufficientDataError):
                ask()
        assert quietly(y, [6, 1, 2, 3, 4, 5], metrics="auc").to_dict()["results"][0]["standard_error"] is None


# ---- against chance


@pytest.mark.parametrize("form", ["auc", "auac", "cac(exp, alpha=7)", "bedroc(alpha=20)", "ef@25%", "precision@3"])
@law(4)
@given(r=rankings(least=8, most=9))
def test_moments_over_all_orders(form: str, r: Ranking) -> None:
    """Mean and variance over every assignment of the labels to the subjects, scores held fixed."""
    n, n1 = r.y.size, int(r.y.sum())
    assume(np.unique(r.s).size > 1)
    m, values = metric(form), []
    for places in itertools.combinations(range(n), n1):
        y = np.isin(np.arange(n), places)
        values.append(m.value(HitTable.from_scores(y, r.s)))
    test = Estimate("a", m, m.value(r.table), r.table).test_random(n_resamples=199, rng=0)
    assert test.mean == pytest.approx(np.mean(values), rel=1e-9, abs=1e-12)
    assert test.standard_deviation == pytest.approx(np.std(values), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("form", ["auc", "auac", "bedroc(alpha=20)", "recall@10%", "rie(alpha=20)"])
def test_chance_is_the_same_for_a_collapsed_table(form: str) -> None:
    """Negatives of a gap are not tied, though they share a row."""
    m = metric(form)
    for order in ([True] * 6 + [False] * 60, [False] * 30 + [True] * 6 + [False] * 30):
        full = HitTable.from_scores(order, range(66, 0, -1))
        a, b = (Estimate("a", m, m.value(t), t).test_random(n_resamples=499, rng=0) for t in (full, full.collapse()))
        assert b.standard_deviation == pytest.approx(a.standard_deviation, rel=1e-12)
        assert b.pvalue == pytest.approx(a.pvalue, rel=1e-9)


@odd_scores
@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
@pytest.mark.parametrize(
    ("form", "how"),
    [
        ("auc", "Monte Carlo"),
        ("bedroc(alpha=20)", "Monte Carlo"),
        ("recall@25%", "hypergeometric"),
        ("precision@3", "hypergeometric"),
    ],
)
def test_chance_of_few_positives_by_full_enumeration(form: str, how: str, alternative: str) -> None:
    """Their mean is far from normal: one hit of one positive in the first twentieth is not four standard deviations."""
    y, s, m = np.array([1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]), range(12, 0, -1), metric(form)
    orders = m.value(strict(strict_orders(3, 9)))
    above, below = (np.mean(sign * (orders - m(y, s)) >= -1e-12) for sign in (1, -1))
    expected = {"greater": above, "less": below, "two-sided": min(2 * min(above, below), 1)}[alternative]
    table = HitTable.from_scores(y, s)
    test = Estimate("a", m, m.value(table), table).test_random(alternative=alternative, rng=0)
    assert test.method == how
    assert test.pvalue == pytest.approx(expected, rel=1e-12 if how == "hypergeometric" else 0, abs=0.012)


def test_chance_is_normal_where_it_nearly_is() -> None:
    rng = np.random.default_rng(0)
    for n1, form, how in (
        (30, "auc", "exact moments"),
        (19, "auc", "Monte Carlo"),
        (30, "rie(alpha=20)", "Monte Carlo"),
    ):
        y = np.arange(400) < n1
        table = HitTable.from_scores(y, rng.normal(size=400) + 0.5 * y)
        m = metric(form)
        assert Estimate("a", m, m.value(table), table).test_random(n_resamples=99, rng=0).method == how


@pytest.mark.parametrize("form", ["auc", "recall@25%", "ap", "wss@95%"])
def test_who_ranks_nobody_is_not_better_than_chance(form: str) -> None:
    table, m = HitTable.from_scores([1, 0, 0, 1, 0] * 9, [0] * 45), metric(form)
    test = Estimate("a", m, m.value(table), table).test_random(n_resamples=99, rng=0)
    assert (test.statistic, test.pvalue) == (0, 1)


@pytest.mark.slow
def test_chance_of_auc_is_mann_whitney() -> None:
    for n, ranks in ((66, range(1, 7)), (10**6, [3, 50, 700, 12_000, 800_000]), (10**9, [1, 10**8, 5 * 10**8])):
        table = HitTable.from_ranks(list(ranks), n)
        test = Estimate("a", metric("auc"), metric("auc").value(table), table).test_random()
        n1, n0 = table.n_pos, table.n_neg
        assert test.standard_deviation == pytest.approx(math.sqrt((n + 1) / (12 * n1 * n0)), rel=1e-8)


@pytest.mark.parametrize("form", ["auc", "ap", "recall@10%", "dcg"])
def test_subjects_of_clusters_are_not_permuted_one_by_one(form: str) -> None:
    cluster = np.repeat(np.arange(20), 20)
    y, s = cluster % 2 == 0, np.random.default_rng(2).normal(size=20)[cluster]
    e = evaluate(y, {"a": s}, metrics=form, clusters=cluster)["a", form]
    with pytest.raises(hc.errors.UndefinedMetricError, match=r"permutes single subjects.*confidence_interval\(\)"):
        e.test_random()
    groups = np.tile([0, 1], 200)
    by_group = evaluate(y, {"a": s}, metrics=form, clusters=cluster, by=groups)
    with pytest.raises(hc.errors.UndefinedMetricError, match="cluster"):
        by_group[0]["a", form].test_random()
    evaluate(y, {"a": s}, metrics=form)["a", form].test_random(n_resamples=99)
