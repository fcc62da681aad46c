"""Operating points: values and intervals of two lists whose numbers were worked out independently, and their limits.

Reference numbers are of another implementation of the same recipes, from the definitions, with z = 1.959964.
"""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from validation.running import read

import hitcurve as hc
from hitcurve import HitTable, metric
from hitcurve.errors import InsufficientDataError, MetricParseError, ParameterError
from hitcurve.inference.intervals.interval import interval, intervals
from hitcurve.inference.intervals.operating import Cuts, benefit_limits
from hitcurve.inference.intervals.profile import Profiled, mid_p_deviate
from hitcurve.inference.promises.certified_cut import CertifiedCut
from hitcurve.inference.resampling.permute import Subjects
from hitcurve.inference.resampling.swaps import Swaps
from hitcurve.inference.variance.influence import influence
from hitcurve.inference.variance.spread import Spread
from hitcurve.report.html.build import page
from hitcurve.sums import Lists
from tests.metrics_under_test import METRICS
from tests.sampled import binormal
from tests.shell import Shell
from tests.strategies import Floats

TIED = HitTable.from_scores(
    [1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0],
    [9, 8, 8, 7, 7, 7, 6, 6, 5, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0],
)
HITS = np.isin(np.arange(1, 121), [*range(1, 9), 10, 11, 13, 16, 17, 20, 25, 30, 41, 55])
STRICT = HitTable.from_scores(HITS, -np.arange(120.0))
Z = 1.959964
LEVEL = float(2 * stats.norm.cdf(Z) - 1)


@pytest.mark.parametrize(
    ("table", "form", "value", "low", "high"),
    [
        (TIED, "tpr@fpr=5%", 0.2, 0.0, 0.7092249070),
        (TIED, "tpr@fpr=25%", 0.625, 0.0886464979, 0.9294989935),
        (TIED, "fpr@tpr=50%", 0.166666666667, 0.0145771199, 0.6189347038),
        (TIED, "fpr@tpr=80%", 0.45, 0.0956726858, 1.0),
        (TIED, "precision@recall=50%", 0.666666666667, 0.2845700544, 0.9637504737),
        (TIED, "precision@recall=80%", 0.542372881356, 0.2626784138, 0.8762015176),
        (TIED, "recall@precision=50%", 0.875, 0.0, 1.0),
        (TIED, "recall@precision=70%", 0.125, 0.0, 0.9861617662),
        (TIED, "max_f1", 0.666666666667, 0.3621749104, 0.8512830936),
        (STRICT, "tpr@fpr=1%", 0.5555555556, 0.0, 0.7862130603),
        (STRICT, "tpr@fpr=5%", 0.7222222222, 0.3888327709, 0.9171864902),
        (STRICT, "fpr@tpr=80%", 0.0980392157, 0.0127941898, 0.4201540329),
        (STRICT, "fpr@tpr=95%", 0.3627450980, 0.0791946164, 1.0),
        (STRICT, "precision@recall=50%", 0.9, 0.4960553755, 1.0),
        (STRICT, "precision@recall=80%", 0.5901639344, 0.2356567540, 0.9213368615),
        (STRICT, "recall@precision=50%", 0.8888888889, 0.4939876308, 0.9939386558),
        (STRICT, "recall@precision=70%", 0.7777777778, 0.2374316003, 0.9761754603),
    ],
)
def test_reference_numbers(table: HitTable, form: str, value: float, low: float, high: float) -> None:
    spread = Spread(metric(form), table, "cohort")
    assert metric(form).value(table) == pytest.approx(value, abs=6e-11)
    found = interval(spread, LEVEL if "precision=" not in form and form != "max_f1" else 0.95)[0]
    assert found == pytest.approx((low, high), abs=6e-11)
    # many lists at once have what each has alone
    several = Lists(table.lists.sums.each(lambda column: np.stack([column, column])), None, False)
    together = intervals(Spread(metric(form), several, "cohort"), 0.95)
    np.testing.assert_allclose([together.low, together.high], np.repeat([[low], [high]], 2, axis=1), atol=5e-9)


@pytest.mark.parametrize(
    ("count", "n", "share", "deviate"),
    [
        (3, 8, 0.5, 0.6622476825),
        (5, 8, 0.8, 1.1278960080),
        (2.5, 12, 0.25, 0.2690012600),
        (8, 8, 0.95, -0.4351956342),
        (0, 12, 0.05, 0.6122685596),
    ],
)
def test_deviates_of_mid_p(count: float, n: int, share: float, deviate: float) -> None:
    assert float(mid_p_deviate(count, n, share)) == pytest.approx(deviate, abs=6e-11)


def test_net_benefit_at_a_fixed_cut() -> None:
    # of this table, whose sizes alone matter: 5 hits and 3 false positives among 20
    spread = Spread(metric("net_benefit@20%"), TIED, "cohort")
    sizes = [[TIED.n_pos], [TIED.n_neg]]
    low, high = benefit_limits(spread, Cuts(*np.array([[5.0], [3.0], *sizes])), 0.25, 0.025)
    assert (float(low[0]), float(high[0])) == pytest.approx((0.0457511446, 0.4346030826), abs=6e-11)


def test_the_cut_of_the_largest_f1_and_benefit() -> None:
    assert hc.metrics.MaxF1().convention(TIED) == "first 13 of 20"
    best = max(h / 20 - b / 80 for h, b in zip(np.cumsum(TIED.pos), np.cumsum(TIED.neg), strict=True))
    assert metric("net_benefit@20%").value(TIED) == pytest.approx(best)
    # a cost that nobody is worth
    assert metric("net_benefit@99%").value(HitTable.from_counts([0, 2], [5, 5])) == 0.0


@pytest.mark.parametrize("digits", [15, 1])
def test_scikit_learn_has_the_same_points_but_inside_ties(digits: int) -> None:
    """Its curves have no points inside a group of equal scores, where a rate here is the mean over its orders."""
    from sklearn.metrics import precision_recall_curve, roc_curve

    for seed in range(20):
        rng = np.random.default_rng(seed)
        y = rng.random(300) < 0.2
        s = np.round(rng.normal(size=300) + 1.2 * y, digits)
        fpr, tpr, _ = roc_curve(y, s, drop_intermediate=False)
        precision, recall, _ = precision_recall_curve(y, s)
        table = HitTable.from_scores(y, s)
        pure = precision[:-1] >= 0.6
        theirs = {
            "recall@precision=60%": recall[:-1][pure].max() if pure.any() else 0.0,
            "max_f1": np.max(2 * precision * recall / np.maximum(precision + recall, 1e-300)),
            "ks": np.max(tpr - fpr),
        }
        for form, value in theirs.items():
            assert metric(form).value(table) == pytest.approx(value, abs=1e-12)
        above, below = metric("tpr@fpr=5%").value(table), metric("fpr@tpr=95%").value(table)
        at_fpr, at_tpr = tpr[fpr <= 0.05].max(), fpr[tpr >= 0.95].min()
        if digits == 15:
            assert (above, below) == pytest.approx((at_fpr, at_tpr), abs=1e-12)
        else:
            assert at_fpr - 1e-12 <= above <= tpr[fpr >= 0.05].min() + 1e-12
            assert fpr[tpr < 0.95].max() - 1e-12 <= below <= at_tpr + 1e-12


@pytest.mark.slow
def test_the_cut_of_the_largest_f1_is_the_threshold_that_scikit_learn_tunes() -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import TunedThresholdClassifierCV

    rng = np.random.default_rng(3)
    y = rng.random(400) < 0.2
    x = rng.normal(size=(400, 1)) + 1.5 * y[:, None]
    model = LogisticRegression().fit(x, y)
    p = model.predict_proba(x)[:, 1]
    tuned = TunedThresholdClassifierCV(model, scoring="f1", cv="prefit", refit=False, thresholds=np.unique(p)).fit(x, y)
    best = hc.evaluate(y, {"p": p}, metrics="max_f1")["p", "max_f1"]
    assert best.value == pytest.approx(tuned.best_score_)
    assert best.cut is not None
    assert best.cut.score == tuned.best_threshold_


def profile_by_definition(fixed: Floats, other: Floats, x: float) -> tuple[float, float]:
    """Return the limits of the profile from binomial tails over counts above every cut, without points inside ties."""
    n, m, found = fixed[-1], other[-1], []
    for f, o in zip(fixed, other, strict=True):
        z = stats.norm.ppf((stats.binom.sf(f - 1, n, x) + stats.binom.sf(f, n, x)) / 2)
        if z * z < Z * Z:
            e = stats.norm.cdf(-math.sqrt(Z * Z - z * z))
            low = 0.0 if o == 0 else stats.beta.ppf(e, o + 0.5, m - o + 0.5)
            found.append((low, 1.0 if o == m else stats.beta.ppf(1 - e, o + 0.5, m - o + 0.5)))
    lows, highs = zip(*found, strict=True)
    return min(lows), max(highs)


@pytest.mark.slow
@pytest.mark.parametrize("n", [(25, 300), (80, 80), (200, 3000)])
def test_a_profile_of_a_list_without_ties_is_that_over_its_vertices(n: tuple[int, int]) -> None:
    sample = binormal(*n, seed=4)
    c = HitTable.from_scores(sample.y, sample.a).counts
    H, B = (np.append(0.0, side) for side in (c.H, c.B))
    for axis, place, fixed, other in (("fpr", 0.1, B, H), ("recall", 0.8, H, B)):
        found = Profiled.of(axis, c, (c.n1, c.n0)).limits(np.array(place), Z)
        expected = profile_by_definition(fixed, other, place)
        # points on the straight pieces add no more than a step of a subject to those of the vertices
        assert expected[0] - 1.5 / other[-1] <= found[0] <= expected[0] + 1e-9
        assert expected[1] - 1e-9 <= found[1] <= expected[1] + 1.5 / other[-1]


@pytest.mark.parametrize(
    ("form", "n", "there"),
    [
        ("fpr@tpr=95%", (58, 300), False),
        ("fpr@tpr=95%", (59, 300), True),
        ("fpr@tpr=80%", (13, 300), False),
        ("fpr@tpr=80%", (14, 300), True),
    ],
)
def test_an_upper_limit_needs_positives(form: str, n: tuple[int, int], there: bool) -> None:
    perfect = HitTable.from_counts([n[0], 0], [0, n[1]])
    assert (interval(Spread(metric(form), perfect, "cohort"), 0.95)[0].high < 1) == there


@pytest.mark.parametrize(("form", "n0", "there"), [("tpr@fpr=5%", 58, False), ("tpr@fpr=5%", 59, True)])
def test_a_lower_limit_needs_negatives(form: str, n0: int, there: bool) -> None:
    perfect = HitTable.from_counts([50, 0], [0, n0])
    assert (interval(Spread(metric(form), perfect, "cohort"), 0.95)[0].low > 0) == there


def test_precision_at_a_known_prevalence_has_no_error_of_it() -> None:
    m = metric("precision@recall=80%")
    cohort, known = (interval(Spread(m, STRICT, design), 0.95)[0] for design in ("cohort", "case-control"))
    assert cohort.low < known.low < known.high < cohort.high
    # the odds of the precision are those of the prevalence times a number that does not depend on it
    at = interval(Spread(m, STRICT.at_prevalence(0.01), "cohort"), 0.95)[0]
    moved = [math.log(end / (1 - end)) for end in (*known, *at)]
    assert moved[0] - moved[2] == pytest.approx(math.log(18 / 102 * 99), abs=1e-9)


@pytest.mark.parametrize("form", ["tpr@fpr=0", "fpr@tpr=100%", "recall@precision=1", "net_benefit@0", "tpr@fpr=1.0"])
def test_targets_outside_0_and_1_are_refused(form: str) -> None:
    with pytest.raises(MetricParseError, match="strictly between 0 and 1"):
        metric(form)


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("tpr@fpr", "tpr@fpr needs a rate, as in tpr@fpr=90%"),
        ("fpr@tpr=95", "takes a fraction after =: write fpr@tpr=95%"),
        ("fpr@tpr=250", "takes a fraction after =: such as 10%, got 250"),
        ("tpr@fpr=-1%", "strictly between 0 and 1"),
        ("tpr@fdr=1%", "no metric 'tpr@fdr'"),
        ("net_benefit", "net_benefit needs a threshold after @, as in net_benefit@1%"),
        ("max_f1@3", "takes nothing after @"),
    ],
)
def test_what_cannot_be_read_says_why(form: str, said: str) -> None:
    with pytest.raises(MetricParseError, match=said):
        metric(form)


@pytest.mark.parametrize(
    ("loose", "canonical"),
    [
        ("TPR@FPR=0.01", "tpr@fpr=1%"),
        ("recall@fpr=1%", "tpr@fpr=1%"),
        ("FPR95", "fpr@tpr=95%"),
        ("tnr@tpr=.95", "specificity@sensitivity=95%"),
        ("ppv@sensitivity=80%", "precision@recall=80%"),
        ("fmax", "max_f1"),
    ],
)
def test_other_names(loose: str, canonical: str) -> None:
    assert str(metric(loose)) == canonical


@pytest.mark.parametrize(
    ("form", "method", "said"),
    [
        ("auc", "profile", "an FPR or a recall"),
        ("ef@1%", "profile", "an FPR or a recall"),
        ("auc", "best-cut", "max_f1, net_benefit and ks"),
        ("max_f1", "cut-limits", "recall@precision"),
        ("precision@recall=80%", "log", "a precision"),
    ],
)
def test_methods_of_other_metrics_are_refused(form: str, method: str, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        interval(Spread(metric(form), STRICT, "cohort"), 0.95, method)


def test_weights_without_variation_change_no_profile() -> None:
    plain, weighted = (
        HitTable.from_scores(HITS, -np.arange(120.0), sample_weight=w) for w in (None, np.full(120, 2.5))
    )
    for form in ("tpr@fpr=5%", "fpr@tpr=80%", "precision@recall=50%"):
        one, other = (interval(Spread(metric(form), t, "cohort"), 0.95)[0] for t in (plain, weighted))
        assert other == pytest.approx(one, abs=1e-9)


def test_other_methods_of_a_rate_at_a_recall() -> None:
    def limits(form: str, method: str, **options: Any) -> tuple[float, float]:
        return interval(Spread(metric(form), STRICT, "case-control"), 0.95, method, **options)[0]

    for method in ("log", "region"):
        (low, high), mirrored = limits("fpr@tpr=80%", method), limits("specificity@sensitivity=80%", method)
        assert mirrored == pytest.approx((1 - high, 1 - low))
        assert low < 0.0980392157 < high
        # work saved, whose cut is the same, is a straight line of it
        pi, saved = 0.15, limits("wss@80%", method)
        assert (saved[1] - saved[0]) == pytest.approx((1 - pi) * (high - low), rel=0.05)


def test_a_limit_that_does_not_exist_is_said() -> None:
    forms = ["fpr@tpr=95%", "tpr@fpr=1%", "fpr@tpr=80%", "precision@recall=95%"]
    few = hc.evaluate(HITS, -np.arange(120.0), metrics=forms)
    said = {str(e.metric): [text for text in e.cautions if "without a model" in text] for e in few}
    assert said["fpr@tpr=80%"] == []
    assert len(said["precision@recall=95%"]) == 1
    assert said["fpr@tpr=95%"] == [
        "18 positives set no upper limit to the FPR at recall 0.95 without a model of the scores (59 would): it may be "
        "1"
    ]
    assert said["tpr@fpr=1%"] == [
        "FPR 0.01 is 1.02 negatives of 102: they set no lower limit to the TPR there without a model of the scores "
        "(299 would), and it may be 0"
    ]


FIXED_OR_CHOSEN = ("tpr@fpr=5%", "fpr@tpr=80%", "precision@recall=80%", "recall@precision=50%", "max_f1")


@pytest.mark.parametrize("form", FIXED_OR_CHOSEN)
def test_a_collapsed_table_has_the_same_interval(form: str) -> None:
    sample = binormal(40, 300, seed=8, levels=60)
    table = HitTable.from_scores(sample.y, sample.a)
    full, collapsed = (interval(Spread(metric(form), t, "cohort"), 0.95)[0] for t in (table, table.collapse()))
    assert collapsed == pytest.approx(full, abs=1e-12)


# ---- two rankers


def scores_of(n1: int, n0: int) -> dict[str, Floats]:
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], [n1, n0])
    shared = rng.normal(size=n1 + n0)
    return {name: 0.8 * shared + 0.6 * rng.normal(size=n1 + n0) + shift * y for name, shift in (("a", 2.2), ("b", 1.5))}


def two(n1: int, n0: int) -> hc.Evaluation:
    y, scores = np.repeat([1, 0], [n1, n0]), scores_of(n1, n0)
    forms = ["tpr@fpr=5%", "fpr@tpr=80%", "fpr@tpr=95%", "specificity@sensitivity=80%", "precision@recall=80%"]
    return hc.evaluate(y, scores, metrics=[*forms, "recall@precision=50%", "max_f1", "net_benefit@10%"])


@pytest.mark.parametrize(
    ("form", "n1", "method", "interval"),
    [
        ("tpr@fpr=5%", 100, "delta", "profile"),
        ("tpr@fpr=5%", 19, "swap-permutation", "profile"),
        ("fpr@tpr=80%", 100, "log-delta", "profile"),
        ("precision@recall=80%", 30, "log-delta", "profile"),
        ("fpr@tpr=95%", 199, "swap-permutation", "profile"),
        ("fpr@tpr=95%", 200, "log-delta", "profile"),
        ("max_f1", 100, "delta", "normal"),
        ("net_benefit@10%", 100, "delta", "normal"),
        ("recall@precision=50%", 200, "swap-permutation", "normal"),
    ],
)
def test_which_test_compares_two_rankers(form: str, n1: int, method: str, interval: str) -> None:
    test = two(n1, 600).compare("a", "b", form, n_resamples=19 if method == "swap-permutation" else None)
    assert (test.method, test.difference.interval_method) == (method, interval)


def test_precision_at_a_recall_is_equal_exactly_if_the_fpr_is() -> None:
    ev = two(80, 900)
    forms = ("fpr@tpr=80%", "specificity@sensitivity=80%", "precision@recall=80%")
    tests = [ev.compare("a", "b", form) for form in forms]
    assert tests[1].pvalue == pytest.approx(tests[0].pvalue, rel=1e-9)
    assert tests[2].pvalue == pytest.approx(tests[0].pvalue, rel=1e-9)
    assert tests[2].statistic == pytest.approx(-tests[0].statistic, rel=1e-9)
    mirrored = ev.compare("b", "a", "precision@recall=80%")
    assert mirrored.statistic == pytest.approx(-tests[2].statistic, rel=1e-9)


def test_the_log_of_the_fpr_by_hand() -> None:
    ev, scores = two(80, 900), scores_of(80, 900)
    m, test = metric("fpr@tpr=80%"), ev.compare("a", "b", "fpr@tpr=80%")
    total, log_of_fpr = np.zeros(980), 0.0
    for name, sign in (("a", 1), ("b", -1)):
        table = HitTable.from_scores(np.arange(980) < 80, scores[name])
        values = influence(m, table.counts, "cohort")
        middle = (900 * m.value(table) + 0.5) / 901
        row = table.counts.pos.size - 1 - np.argsort(np.argsort(scores[name]))
        total += sign / middle * np.where(np.arange(980) < 80, values.pos[row], values.neg[row])
        log_of_fpr += sign * math.log(middle)
    by_class = [np.sum(side**2) * side.size / (side.size - 1) for side in (total[:80], total[80:])]
    assert test.statistic == pytest.approx(log_of_fpr / math.sqrt(sum(by_class)), rel=1e-9)
    degrees = sum(by_class) ** 2 / (by_class[0] ** 2 / 79 + by_class[1] ** 2 / 899)
    assert test.degrees_of_freedom == pytest.approx(degrees, rel=1e-9)


def test_the_interval_of_a_difference_is_made_of_both_profiles() -> None:
    ev = two(100, 900)
    test = ev.compare("a", "b", "tpr@fpr=5%")
    (low_a, high_a), (low_b, high_b) = (ev[name, "tpr@fpr=5%"].confidence_interval() for name in "ab")
    (a, b), (low, high) = test.values, test.difference.confidence_interval()
    # between those of two values that are as far apart as can be, and of two that do not depend on each other
    assert math.hypot(a - low_a, high_b - b) >= a - b - low >= abs((a - low_a) - (high_b - b))
    assert math.hypot(high_a - a, b - low_b) >= high - (a - b) >= abs((high_a - a) - (b - low_b))
    assert ev.compare("b", "a", "tpr@fpr=5%").difference.confidence_interval() == pytest.approx((-high, -low))


def test_a_log_test_of_other_metrics_is_refused() -> None:
    ev = two(40, 200)
    with pytest.raises(ParameterError, match="metrics at a recall"):
        ev.compare("a", "b", "max_f1", method="log-delta")
    with pytest.raises(ParameterError, match="a difference of 0 only"):
        ev.compare("a", "b", "fpr@tpr=80%", method="log-delta", null=0.1)
    assert ev.compare("a", "b", "fpr@tpr=80%", null=0.1).method == "delta"


def test_the_delta_test_of_few_positives_beyond_is_refused() -> None:
    rng = np.random.default_rng(2)
    y = np.repeat([1, 0], [60, 600])
    forms = ["fpr@tpr=95%", "fpr@tpr=80%"]
    ev = hc.evaluate(y, {name: rng.normal(size=660) + y for name in "ab"}, metrics=forms)
    for method in ("delta", "log-delta"):
        said = f"only 3 positives are below recall 0.95: the size of the {method}"
        with pytest.raises(InsufficientDataError, match=said):
            ev.compare("a", "b", "fpr@tpr=95%", method=method)
    assert ev.compare("a", "b", "fpr@tpr=95%", n_resamples=99).method == "swap-permutation"
    with pytest.raises(InsufficientDataError, match="needs labels and scores"):  # nothing to swap
        ev.without_data().compare("a", "b", "fpr@tpr=95%")
    assert ev.compare("a", "b", "fpr@tpr=80%", method="delta").method == "delta"


def test_levels_of_alike_scales_are_swapped_and_ranks_of_others() -> None:
    rng = np.random.default_rng(3)
    positive = np.arange(200) < 40
    a, b = (np.clip(np.round(rng.normal(size=200) + positive), -2, 2) for _ in "ab")
    harsh, fine = np.where(rng.random(200) < 0.4, -2, a), rng.normal(size=200)
    subjects = Subjects(positive, {"a": a, "b": b, "cubed": b**3, "harsh": harsh, "fine": fine})
    subjects.scores["rare"] = np.where(np.arange(200) == np.argmax(b), 3.0, b)
    assert np.unique(harsh).size == 5
    for other in ("b", "cubed"):
        first, second = subjects.common_ranks("a", other)
        assert np.array_equal(first, a + 2)
        assert np.array_equal(second, b + 2)
    # the same scores, of which one list lacks the highest
    first, second = subjects.common_ranks("a", "rare")
    assert np.array_equal(first, a + 2)
    assert np.array_equal(second, subjects.scores["rare"] + 2)
    for other in ("harsh", "fine"):
        assert np.array_equal(subjects.common_ranks("a", other)[0], subjects.midranks("a"))


def test_few_negatives_and_rounded_scores_keep_the_size() -> None:
    """Lists of which one lacks the highest or lowest score had swapped ranks: .11 of p values were at most .05."""
    rng = np.random.default_rng(5)
    found = []
    for _ in range(60):
        y = np.arange(100) < 90
        z = rng.normal(size=100) + y
        scores = {name: np.round(z + rng.normal(size=100)) for name in "ab"}
        subjects = Subjects(y, scores)
        found.append(Swaps.of(subjects, "a", "b").test(hc.metric("bedroc"), "two-sided", 199, rng).pvalue)
    assert np.mean(np.array(found) <= 0.05) <= 0.1  # 6 of 60 or fewer: a share of .05 exceeds it in .03


def test_a_ranking_that_negatives_lead_has_a_caveat_on_its_test() -> None:
    """The ROC curve gets steeper down to the cut, where the delta test rejects too often."""
    rng = np.random.default_rng(3)
    y = np.arange(500) < 50
    z = rng.normal(size=(2, 500))
    hook = {name: np.where(y, 2.5 + x, rng.standard_t(2, size=500) + x / 2) for name, x in zip("ab", z, strict=True)}
    plain = {name: 1.5 * y + x for name, x in zip("ab", z, strict=True)}
    for scores, said in ((hook, True), (plain, False)):
        ev = hc.evaluate(y, scores, metrics=["tpr@fpr=5%", "fpr@tpr=80%"])
        found = ev.compare("a", "b", "tpr@fpr=5%")
        assert found.method == "delta"
        assert ("the ROC curve is steeper at this FPR" in " ".join(found.cautions)) is said
        assert not ev.compare("a", "b", "tpr@fpr=5%", method="swap-permutation", n_resamples=19).cautions
        assert "steeper" not in " ".join(ev.compare("a", "b", "fpr@tpr=80%").cautions)


def test_the_lower_end_of_a_best_f1_among_clusters_is_further() -> None:
    """It leaves a part of the tail below, by the t of the clusters with a positive."""
    rng = np.random.default_rng(8)
    y = (rng.random(600) < 0.2).astype(int)
    s, clusters = rng.normal(size=600) + 1.2 * y, np.arange(600) // 4
    ev = hc.evaluate(y, s, metrics=["max_f1", "auc"], clusters=clusters)
    e, further = ev["score", "max_f1"], 1 - 0.05 * 0.4
    ends = (*e.confidence_interval(0.95), e.confidence_interval(further).high)
    low, high, higher = (math.log(x / (1 - x)) for x in ends)
    degrees = np.unique(clusters[y == 1]).size - 1
    t, more = (float(stats.t.ppf(at_most, degrees)) for at_most in (0.975, (1 + further) / 2))
    assert (higher - low) / (higher - high) == pytest.approx(2 * more / (more - t), rel=1e-6)
    assert "is moved down" in " ".join(e.cautions)
    assert "is moved down" not in " ".join(ev["score", "auc"].cautions)


@pytest.mark.parametrize(("form", "parameter"), [("ks", 0.0), ("net_benefit@20%", 0.25)])
def test_best_cuts_of_clusters_have_the_limits_of_as_many_fewer_subjects(form: str, parameter: float) -> None:
    """Below, those of Jeffreys at the cut of the value, each share of so many fewer, and the squares of both added."""
    rng = np.random.default_rng(8)
    y = rng.random(600) < 0.2
    s, clusters = rng.normal(size=600) + 1.2 * y, np.arange(600) // 4
    options: dict[str, Any] = {"metrics": form, "design": "case-control", "prevalence": 0.2}
    e = hc.evaluate(y, s, clusters=clusters, **options)["score", form]
    alone = hc.evaluate(y, s, **options)["score", form]
    degrees = np.unique(clusters[y]).size - 1
    effect = max((e.standard_error / alone.standard_error) ** 2, 1)
    effect *= (stats.t.ppf(0.975, degrees) / stats.norm.ppf(0.975)) ** 2
    tail = 0.025 * (0.2 + 0.2 / effect)
    gains = (0.2, parameter * 0.8) if parameter else (1.0, 1.0)
    cut = max(s, key=lambda t: gains[0] * np.mean(s[y] >= t) - gains[1] * np.mean(s[~y] >= t))
    below = 0.0
    for side, gain, p in ((y, gains[0], tail), (~y, gains[1], 1 - tail)):
        size, share = side.sum() / effect, np.mean(s[side] >= cut)
        end = stats.beta.ppf(p, size * share + 0.5, size * (1 - share) + 0.5)
        below += (gain * (share - end)) ** 2
    assert e.interval is not None
    assert e.interval.low == pytest.approx(e.value - below**0.5, rel=1e-9)


# ---- where the cut is


@pytest.mark.parametrize("form", ["tpr@fpr=5%", "fpr@tpr=80%", "specificity@sensitivity=90%", "wss@80%"])
def test_copies_of_subjects_in_clusters_tell_no_more(form: str) -> None:
    """The profile takes one design effect, the number of copies, and the t of the clusters with a positive."""
    sample = binormal(60, 300, 1.5, seed=4)
    y, s = (np.repeat(side, 3) for side in (sample.y, sample.a))
    copied = hc.evaluate(y, {"a": s}, metrics=form, clusters=np.arange(y.size) // 3)["a", form]
    level = float(2 * stats.norm.cdf(stats.t.ppf(0.975, 59)) - 1)
    alone = hc.evaluate(sample.y, {"a": sample.a}, metrics=form)["a", form]
    assert copied.interval is not None
    assert copied.interval.method == "profile"
    expected = alone.confidence_interval(confidence_level=level, method="profile")
    assert tuple(copied.interval)[:2] == pytest.approx(tuple(expected)[:2], abs=0.03)


def test_clusters_with_few_positives_set_no_upper_limit_to_a_rate_of_errors() -> None:
    sample = binormal(40, 400, 1.5, seed=5)
    ev = hc.evaluate(sample.y, {"a": sample.a}, metrics="fpr@tpr=95%", clusters=np.arange(440) // 2)
    assert ev["a", "fpr@tpr=95%"].confidence_interval().high == 1
    assert "set no upper limit to the FPR at recall 0.95" in str(ev)


def test_each_estimate_says_where_its_cut_is() -> None:
    y, s = 3 * [1, 1, 0, 1, 1, 0, 1, 0, 0, 1], 3 * [9, 8, 8, 7, 7, 7, 6, 6, 5, 4]
    forms = ["max_f1", "recall@precision=90%", "recall@precision=70%", "fpr@tpr=50%", "tpr@fpr=25%"]
    ev = hc.evaluate(y, s, metrics=[*forms, "precision@12", "auc", "net_benefit@99%"])
    found = {str(e.metric): e.cut and e.cut[:2] for e in ev}
    assert found["max_f1"] == (4.0, 1.0)
    assert found["recall@precision=90%"] == (9.0, 0.1)
    assert found["recall@precision=70%"] == (9.0, 0.1)
    assert found["fpr@tpr=50%"] == pytest.approx((7.0, 0.45))  # half of the three of score 7, without the rest
    assert found["tpr@fpr=25%"] == pytest.approx((8.0, 0.3))
    assert found["precision@12"] == pytest.approx((7.0, 0.4))
    assert found["auc"] is None
    assert found["net_benefit@99%"] == (9.0, 0.1)
    records = {record["metric"]: record for record in ev.to_dict()["results"]}
    assert (records["max_f1"]["cut_score"], records["max_f1"]["cut_rate"]) == (4.0, 1.0)
    assert records["auc"]["cut_score"] is None
    assert "cutoff of max_f1: score at least 4, 100% of the subjects" in str(ev)
    assert "precision@12: score" not in str(ev)


@pytest.mark.filterwarnings("ignore::hitcurve.errors.MissingValueWarning")
def test_a_cut_among_missing_scores_says_how_deep_it_is() -> None:
    y, s = [1, 0, 1, 0, 1, 0, 0, 1, 0, 0], [9, 8, 7, 6, 5, 4, 3, *[math.nan] * 3]
    ev = hc.evaluate(y, {"a": s}, metrics="fpr@tpr=95%", missing="last")
    (estimate,) = ev
    assert estimate.cut is not None
    assert estimate.cut.score is None
    assert f"cutoff of fpr@tpr=95%: {100 * estimate.cut.rate:.4g}% of the subjects" in str(ev)


@pytest.mark.filterwarnings("ignore::hitcurve.errors.DirectionWarning")
def test_a_cut_above_all_positives_has_no_score() -> None:
    forms = ["recall@precision=90%", "tpr@fpr=20%"]
    turned = hc.evaluate([0] * 9 + [1] * 9, np.arange(18.0, 0.0, -1.0), metrics=forms)
    assert [e.cut.score for e in turned if e.cut is not None] == [None, None]
    assert "cutoff of" not in str(turned)


# ---- where lower is better


def test_rates_of_errors_are_ordered_by_the_lowest() -> None:
    ev = two(60, 400)
    found = ev.compare_all("fpr@tpr=80%")
    assert found[0].first == "a"
    assert found[0].difference.value < 0
    assert found.rankers == ("a", "b")
    assert ev.compare_all("specificity@sensitivity=80%").rankers == ("a", "b")


def test_a_rate_of_errors_is_not_taken_where_the_highest_is() -> None:
    for take in (lambda: two(60, 400).winner("fpr@tpr=80%"), lambda: hc.scorer("fpr@tpr=80%")):
        with pytest.raises(ParameterError, match="lower is better for fpr@tpr=80%"):
            take()


def test_only_the_rate_of_errors_is_lower_in_a_better_order() -> None:
    for m in METRICS:
        assert (m.best(STRICT) < m.worst(STRICT)) == m.lower_is_better


# ---- the study of two rankers


def test_the_default_tests_are_those_of_the_design() -> None:
    """In every sample; sizes over the alike cells, 400 draws each."""
    lines = read("points_paired")
    chosen = {
        "tpr@fpr": "delta",
        "fpr@tpr=80%": "log-delta",
        "precision@recall": "log-delta",
        "recall@precision": "swap-permutation",
        "max_f1": "delta",
        "net_benefit": "delta",
    }
    for line in lines:
        wanted = next((test for text, test in chosen.items() if line["metric"].startswith(text)), None)
        if wanted is None:  # fpr@tpr=95%: ten positives below the cut
            wanted = "log-delta" if int(line["n1"]) * 0.05 >= 10 - 1e-9 else "swap-permutation"
        assert line["tests"] == f"{wanted}:{line['draws']}", line
    alike = [line for line in lines if line["kind"] == "alike"]
    for form in {line["metric"] for line in alike}:
        sizes = [float(line["rejected"]) for line in alike if line["metric"] == form]
        assert np.median(sizes) <= 0.055
        assert max(sizes) <= 0.11
    assert max(float(line["interval_without_0"]) for line in alike) <= 0.075


@pytest.mark.parametrize(("precision", "ends"), [(0.5, (0.5536474995, 0.9921008139)), (0.7, (0.0, 0.9459382863))])
def test_the_profile_of_recall_at_a_precision_of_the_design(precision: float, ends: tuple[float, float]) -> None:
    """POINTS 1.3 and 6: the alternative that covered less, written out for 120 subjects; the default goes higher."""
    ranks = (*range(1, 9), 10, 11, 13, 16, 17, 20, 25, 30, 41, 55)
    called = np.arange(121)
    hits = np.searchsorted(np.array(ranks), called, "right").astype(float)
    tails = [np.asarray(stats.binom.sf(h, called, precision), float) for h in (hits, hits - 1)]
    above = (tails[0] + tails[1]) / 2
    away = np.append(0.0, -stats.norm.ppf(above[1:]))
    deeper = np.append(np.maximum.accumulate(away[:0:-1])[::-1], -np.inf)
    sides = np.minimum(away, 0), np.maximum(deeper, 0)
    s = np.where(-sides[0] >= sides[1], *sides)
    allowed, z = np.abs(s) < 1.959964, 1.959964
    rho = np.sqrt((1 - precision) * (1 - hits / 18))[allowed]
    h, s = hits[allowed], s[allowed]
    w = np.sqrt((1 - rho**2) * (z**2 - s**2))
    low, high = (stats.norm.cdf(-(rho * s + w)), stats.norm.cdf(-(rho * s - w)))
    least = np.min(np.where(h > 0, stats.beta.ppf(low, h + 0.5, 18.5 - h), 0.0))
    most = np.max(np.where(h < 18, stats.beta.ppf(high, h + 0.5, 18.5 - h), 1.0))
    assert (least, most) == pytest.approx(ends, abs=5e-9)
    spread = Spread(hc.metrics.RecallAtPrecision(precision), HitTable.from_ranks(ranks, 120), "cohort")
    found = intervals(spread, 0.95)
    assert float(found.high) >= most


# ---- cuts in the scale of the scores that were given


def test_a_cut_of_a_ranker_whose_low_scores_are_good_is_a_score_that_was_given() -> None:
    scores = {"d": [0.1, 0.2, 0.2, 1 / 3, 0.5, 0.6]}
    ev = hc.evaluate([1, 1, 0, 1, 0, 0], scores, metrics=["max_f1"], higher_is_better=False)
    read_again = hc.from_json(text=ev.without_data().to_json())
    assert isinstance(read_again, hc.Evaluation)
    for one in (ev, ev.without_data(), read_again):
        cut = one["d", "max_f1"].cut
        assert cut is not None
        assert cut.score == 1 / 3
        assert cut.rate == pytest.approx(4 / 6)
        assert not cut.higher_is_better
        assert one.to_dict()["results"][0]["cut_score"] == 1 / 3
        assert f"cutoff of max_f1: score at most {1 / 3!r}, " in str(one)
        found = one.certify("d", recall=0.5, confidence_level=0.5)
        assert isinstance(found, CertifiedCut)
        assert not found.higher_is_better


@pytest.mark.slow
def test_every_table_of_numbers_has_the_cuts(tmp_path: Path, shell: Shell) -> None:
    scores, labels = [0.1, 0.2, 0.2, 0.3, 0.5, 0.6] * 2, [1, 1, 0, 1, 0, 0] * 2
    by = ["a"] * 6 + ["b"] * 6
    forms = ["max_f1", "auc"]
    ev = hc.evaluate(labels, {"d": scores}, metrics=forms, higher_is_better=False)
    frame = ev.to_frame(backend="pandas")
    assert frame["cut_score"].tolist()[0] == 0.3
    assert frame["cut_rate"].tolist()[0] == pytest.approx(4 / 6)
    assert frame[["cut_score", "cut_rate"]].isna().to_numpy().tolist()[1] == [True, True]
    assert "cut_score" not in hc.evaluate(labels, {"d": scores}, metrics="auc", higher_is_better=False).to_frame()
    assert str(ev["d", "max_f1"]).endswith("; cutoff: score at most 0.3, 66.67% of the subjects")
    (tmp_path / "d.csv").write_text(
        "y,d,g\n" + "".join(f"{y},{d},{g}\n" for y, d, g in zip(labels, scores, by, strict=True))
    )
    told = ("evaluate", tmp_path / "d.csv", "-l", "y", "-s", "d:low", "-m", "max_f1", "-m", "auc")
    for more in ((), ("--by", "g")):
        line = next(csv.DictReader(io.StringIO(shell(*told, *more, "-f", "csv").out)))
        assert [float(line["cut_score"]), float(line["cut_rate"])] == pytest.approx([0.3, 4 / 6])
    text = " ".join(shell(*told, "--by", "g").out.split())
    assert "cutoff of max_f1: score (% selected) d" in text
    assert "a 0.3 (66.67%) b 0.3 (66.67%)" in text
    assert "all subjects pooled: cutoff of max_f1: score at most 0.3" in text
    assert "cutoff of auc" not in text
    of_groups = page(hc.evaluate(labels, {"d": scores}, by=by, metrics=forms, higher_is_better=False))
    said = "Cutoff of max_f1: score at most 0.3, 66.67% of the subjects."
    assert of_groups.count(said) == 4
    static = of_groups.split("<noscript>")[-1].partition("</noscript>")[0]  # for readers without a script
    assert [f"<bdi>{name}</bdi>: {said}" in static for name in "ab"] == [True, True]


def test_so_is_that_of_each_group() -> None:
    scores, labels = [0.1, 0.2, 0.2, 0.3, 0.5, 0.6] * 2, [1, 1, 0, 1, 0, 0] * 2
    by = ["a"] * 6 + ["b"] * 6
    ev = hc.evaluate(labels, {"d": scores}, by=by, metrics=["max_f1"], higher_is_better=False)
    read_again = hc.from_json(text=ev.to_json(subjects=False))
    assert isinstance(read_again, hc.GroupedEvaluation)
    for one in (ev, ev.without_data(), read_again):
        assert one.groups.columns["cut_score"].tolist() == [0.3, 0.3]
        cut = one.groups["a"]["d", "max_f1"].cut
        assert cut is not None
        assert cut.score == 0.3


def test_the_rate_at_all_positives_has_no_limit_that_more_of_them_would_set() -> None:
    ev = hc.evaluate([1, 0] * 20, np.arange(40.0, 0.0, -1.0), metrics=["nwss@100%"])
    assert any("no number of them limits the FPR there" in text for text in ev.cautions)
