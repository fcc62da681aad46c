"""What users of other tools reported: each test is named after the report it comes from."""

from __future__ import annotations

import math
import tracemalloc
import warnings
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

from hitcurve import HitTable, accumulation_curve, evaluate, metric, precision_recall_curve, roc_curve
from hitcurve.errors import (
    DirectionWarning,
    HitcurveWarning,
    InputError,
    LabelError,
    LengthMismatchError,
    MetricParseError,
    MissingValueError,
    MissingValueWarning,
    SaturationWarning,
    ScoreError,
    SingleClassError,
    TwoValuedScoreWarning,
    UndefinedMetricError,
    UndefinedMetricWarning,
    WeightError,
)
from hitcurve.metrics import BEDROC, examples
from tests.odd import ODD_SCORES

pytestmark = ODD_SCORES

EVERY = [
    "ap",
    "ap(ties=expected)",
    "pr_area(keilwagen)",
    "pr_area(davis_goadrich)",
    "prg_area",
    "auc",
    "pauc(fpr, 0, 0.1, scale=mcclish)",
    "pauc(tpr, 0.8, 1)",
    "roc(1)",
    "croc(exp, alpha=7)",
    "logauc(0.001, 1, adjusted)",
    "proc",
    "half_auc(specific)",
    "auac",
    "rie(alpha=20)",
    "bedroc(alpha=20)",
    "rauc(beta(6.23, 32.8))",
    "ef@10%",
    "precision@1",
    "recall@R",
    "slr",
    "ndcg",
    "wss@95%",
]


# ---- ties and the order of rows


@pytest.mark.parametrize("form", EVERY)
def test_vlfeat_51_mldr_41_kboyd_roc_16_triage_133_two_tied_items_in_either_order(form: str) -> None:
    assert metric(form)([1, 0], [0.5, 0.5]) == metric(form)([0, 1], [0.5, 0.5])


@pytest.mark.parametrize("form", ["auc", "ap"])
def test_rdkit_2843_burn_5683_two_tied_items_give_one_half(form: str) -> None:
    assert metric(form)([1, 0], [0.5, 0.5]) == metric(form)([0, 1], [0.5, 0.5]) == 0.5


@pytest.mark.parametrize("form", EVERY)
def test_rdkit_pr_1306_sorting_rows_by_class(form: str) -> None:
    # sorting rows (score, score, label) in reverse puts the positives of every tie first
    rows = sorted([(k % 5, label) for k in range(1000) for label in (0, 1)], reverse=True)
    scores, labels = np.array(rows).T
    value = metric(form)(labels, scores)
    for order in (slice(None, None, -1), default_rng(3).permutation(labels.size)):
        assert metric(form)(labels[order], scores[order]) == value
    if form == "auc":
        assert value == 0.5


@pytest.mark.parametrize("form", EVERY)
def test_rdkit_pr_1306_nan_scores(form: str) -> None:
    y, s = np.arange(40) % 2, np.arange(40.0)
    s[:20] = np.nan
    with pytest.raises(MissingValueError, match="20 of 40 values"):
        metric(form)(y, s)
    with pytest.raises(MissingValueError):
        HitTable.from_scores(y, s)
    with pytest.raises(MissingValueError):
        evaluate(y, s, metrics=form)
    assert metric(form)(y, s, missing="drop") == metric(form)(y[20:], s[20:])


@pytest.mark.parametrize("gone", [None, float("nan"), np.float32("nan")])
@pytest.mark.parametrize("where", ["label", "score"])
def test_rdkit_pr_1306_any_kind_of_missing(gone: Any, where: str) -> None:
    y: list[Any] = [1, 0, 1, 0]
    s: list[Any] = [4.0, 3.0, 2.0, 1.0]
    (y if where == "label" else s)[1] = gone
    with pytest.raises(MissingValueError, match=f"1 of 4 values of {where}"):
        metric("auc")(y, s)


def test_scikit_learn_10003_gains_curve_starts_at_the_origin_and_knows_ties() -> None:
    curve = accumulation_curve(HitTable.from_scores([1, 0, 0, 1], [2, 2, 1, 1]))
    assert curve.x.tolist() == [0, 0.5, 1]
    assert curve.y.tolist() == [0, 0.5, 1]
    assert curve.at(0.25) == 0.25


def test_visdom_1745_recall_at_ties() -> None:
    y, s = [1, 0, 0, 0, 1, 0], [3, 3, 3, 3, 2, 1]
    assert metric("recall@1")(y, s) == pytest.approx(0.125)
    assert metric("precision@2")(y, s) == pytest.approx(0.25)
    assert metric("recall@1")(y[::-1], s[::-1]) == pytest.approx(0.125)


@pytest.mark.parametrize("form", ["ap", "pr_area(keilwagen)", "pr_area(davis_goadrich)"])
def test_visdom_1766_baseline_is_the_prevalence(form: str) -> None:
    table = HitTable.from_counts([2, 3], [1, 14])
    assert metric(form).random(table) == pytest.approx(0.25, rel=1e-15)
    curve = precision_recall_curve(table).random
    assert curve.y.tolist() == [0.25, 0.25]


@pytest.mark.parametrize("pi", [0.516, 0.01, 0.9])
@pytest.mark.parametrize("form", ["ap", "pr_area(keilwagen)", "pr_area(davis_goadrich)"])
def test_yardstick_526_constant_score(form: str, pi: float) -> None:
    n = 1000
    y = (np.arange(n) < round(pi * n)).astype(int)
    value = metric(form)(y, np.full(n, 0.7))
    assert value == pytest.approx(y.mean(), rel=1e-12)
    assert abs(value - (1 + y.mean()) / 2) > 0.04
    assert metric("auc")(y, np.full(n, 0.7)) == 0.5
    assert metric("prg_area")(y, np.full(n, 0.7)) == pytest.approx(0, abs=1e-12)


# ---- values


@pytest.mark.parametrize("alpha", [1e-6, 1, 20, 80.5, 500, 1e4])
@pytest.mark.parametrize("y", [[1, 1, 0, 0, 0], [1, 0], [1] * 30 + [0], [1] + [0] * 400])
def test_scikit_chem_76_bedroc_is_never_above_1(y: list[int], alpha: float) -> None:
    s = -np.arange(len(y))
    bedroc = BEDROC(alpha)
    assert bedroc(y, s) == pytest.approx(1, rel=1e-9)
    assert bedroc(y, s) <= 1 + 1e-12
    assert bedroc(y, -s) == pytest.approx(0, abs=1e-9)
    assert bedroc(y, -s) >= -1e-12


def test_scikit_chem_76_bedroc_of_the_report() -> None:
    assert BEDROC(20)([1, 1, 0, 0, 0], [5, 4, 3, 2, 1]) == pytest.approx(1.0, rel=1e-15)


def test_deepchem_412_saturated_bedroc_says_so() -> None:
    y, s = np.r_[np.ones(200, int), np.zeros(800, int)], default_rng(1).normal(size=1000)
    with pytest.warns(SaturationWarning, match=r"alpha \* prevalence is 4, .*random baseline 0\.204") as caught:
        evaluation = evaluate(y, np.r_[s[:200] + 1, s[200:]], metrics=["ap", "bedroc(alpha=20)"])
    assert len(caught) == 1
    estimate = evaluation["score", "bedroc(alpha=20)"]
    assert estimate.random == pytest.approx(0.2037, abs=5e-5)
    assert estimate.value > estimate.random
    # a list where the same alpha is fine says nothing; warnings are errors here
    evaluate(tables={"rare": HitTable.from_counts([5, 5], [5, 4985])}, metrics="bedroc(alpha=20)")


@pytest.mark.parametrize(("lower", "upper"), [(0.001, 1), (0.001, 0.1), (0.01, 0.5)])
def test_rdkit_1471_adjusted_logauc(lower: float, upper: float) -> None:
    y, s = [1, 0, 1, 1, 0, 0, 0, 1, 0, 0], [9, 8, 8, 7, 6, 5, 4, 3, 2, 1]
    raw = metric(f"logauc({lower}, {upper})")
    adjusted = metric(f"logauc({lower}, {upper}, adjusted)")
    random = (upper - lower) / math.log(upper / lower)
    assert adjusted(y, s) == pytest.approx(raw(y, s) - random, rel=1e-12)
    if (lower, upper) == (0.001, 1):
        assert random == pytest.approx(0.144620, abs=5e-7)


def test_tdc_pr_181_logauc_where_an_fpr_is_0() -> None:
    logauc = metric("logauc(0.001, 0.1)")
    # three of four positives before every negative
    assert logauc([1, 1, 1, 0, 0, 1], [6, 5, 4, 3, 2, 1]) == pytest.approx(0.75, rel=1e-12)
    # straight in FPR from (0, 0) to (1/2, 1): TPR = 2 FPR
    exact = 2 * (0.1 - 0.001) / math.log(100)
    assert logauc([1, 0, 0], [2, 2, 1]) == pytest.approx(exact, rel=1e-12)


def test_cpmlib_4_rie_is_1_for_a_random_list() -> None:
    for n_pos, n_neg in ((1, 9), (7, 993), (400, 600)):
        table = HitTable.from_counts([n_pos], [n_neg])
        assert metric("rie(alpha=20)").value(table) == pytest.approx(1, rel=1e-13)
        assert metric("rie(alpha=20)").random_mean(table) == pytest.approx(1, rel=1e-13)


def test_cpmlib_4_rie_by_its_own_sum() -> None:
    y, n = np.array([0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0]), 12
    ranks = np.flatnonzero(y) + 1
    mean_of_random = np.exp(-20 * np.arange(1, n + 1) / n).mean()
    right = np.exp(-20 * ranks / n).mean() / mean_of_random
    assert metric("rie(alpha=20)")(y, -np.arange(n)) == pytest.approx(right, rel=1e-12)


def test_scikit_learn_5379_average_precision() -> None:
    assert metric("ap")([1] * 7 + [-1, 1, 1], range(10)) == pytest.approx(0.8782627866, abs=5e-11)


def test_scikit_learn_9618_average_precision() -> None:
    assert metric("ap")([0, 1, 0, 0, 0], [0.7, 0.8, 0.5, 0.9, 0.1]) == 0.5


def test_crispulator_28_first_label_a_hit() -> None:
    for form in ("ap", "pr_area(keilwagen)", "pr_area(davis_goadrich)", "prg_area", "auc"):
        assert metric(form)([1, 0, 0, 0], [4, 3, 2, 1]) == pytest.approx(1, rel=1e-15)


def test_confidenceinterval_14_one_positive() -> None:
    y, s = [0, 1, 0, 0, 0], [0.9, 0.8, 0.7, 0.5, 0.1]
    values = {form: metric(form)(y, s) for form in EVERY}
    assert all(math.isfinite(value) for value in values.values())
    assert values["auc"] == 0.75
    assert values["ap"] == 0.5


@pytest.mark.parametrize("word", ["pr_auc", "auprc", "AUPR", "prauc"])
def test_yardstick_449_a_word_that_means_several_areas_is_refused(word: str) -> None:
    with pytest.raises(MetricParseError, match=r"ambiguous.*'ap'.*'pr_area\(keilwagen\)'"):
        metric(word)


def test_yardstick_166_the_areas_differ_and_are_named() -> None:
    y, s = [1, 0, 1, 1, 0, 0, 0, 1, 0, 0], [3, 3, 3, 2, 2, 2, 2, 1, 1, 0]
    forms = ("ap", "ap(ties=expected)", "pr_area(keilwagen)", "pr_area(davis_goadrich)")
    values = [metric(form)(y, s) for form in forms]
    assert values == pytest.approx([0.551587, 0.663244, 0.571321, 0.579365], abs=1e-6)


def test_keras_18236_partial_area_up_to_a_false_positive_rate() -> None:
    y, s = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    assert metric("pauc(fpr, 0, 0.1)")(y, s) == pytest.approx(0.05, rel=1e-14)
    assert metric("pauc(fpr, 0, 0.1, scale=mcclish)")(y, s) == pytest.approx(0.736842105263158, rel=1e-14)
    assert metric("pauc(fpr, 0, 1)")(y, s) == metric("auc")(y, s)


def test_ranx_22_precision_beyond_the_list_is_refused() -> None:
    with pytest.raises(UndefinedMetricError, match="exceeds the list"):
        metric("precision@10")([1, 0, 1], [3, 2, 1])


def test_oddt_pr_54_exact_values_by_hand() -> None:
    y, s = [1, 0, 1, 0], [4, 3, 2, 1]
    by_hand = {
        "auc": 3 / 4,
        "ap": (1 + 2 / 3) / 2,
        "auac": 5 / 8,
        "ef@25%": 2.0,
        "recall@2": 0.5,
        "hits@3": 2.0,
        "ndcg": (1 + 1 / 2) / (1 + 1 / math.log2(3)),
        "slr": -math.log(1 / 4) - math.log(3 / 4),
        "roc(1)": 0.5,
        "proc": (math.log10(8) + math.log10(2)) / 2,
    }
    for form, value in by_hand.items():
        assert metric(form)(y, s) == pytest.approx(value, rel=1e-12), form


@pytest.mark.parametrize("form", EVERY)
def test_a_metric_does_not_depend_on_its_companions(form: str) -> None:
    rng = default_rng(7)
    y = np.arange(300) < 12
    s = np.round(rng.normal(size=300), 1) + y
    alone = evaluate(y, s, metrics=form)["score", form].value
    companions = [other for other in EVERY if other != form]
    rng.shuffle(companions)
    for wanted in ([form, *companions], [*companions, form], [form, form]):
        assert evaluate(y, s, metrics=wanted)["score", form].value == alone


def test_clipzyme_5_a_number_comes_with_its_parameters_and_counts() -> None:
    tables = {"list": HitTable.from_ranks([1, 3], n=500)}
    evaluation = evaluate(tables=tables, metrics=["bedroc(alpha=85)", "ef@5%"])
    records = evaluation.to_dict()["results"]
    assert [record["metric"] for record in records] == ["bedroc(alpha=85)", "ef@5%"]
    assert all((record["n"], record["n_pos"]) == (500, 2) for record in records)
    assert records[1]["convention"] == "first 25 of 500 (ceil)"


# ---- scores


@pytest.mark.parametrize("form", EVERY)
def test_scikit_learn_6688_scale_decides_nothing(form: str) -> None:
    y, s = [0, 0, 1, 1, 0], np.array([0.1, 0.4, 0.35, 0.8, 0.8])
    own = metric(form)(y, s)
    for scale in (1e-6, 1e-7, 1e-12, 1e-100, 1e-300, 1e300):
        assert metric(form)(y, scale * s) == own, scale


@pytest.mark.parametrize("scale", [1, 1e-6, 1e-300, 5e-324])
def test_scikit_learn_3864_tiny_scores(scale: float) -> None:
    assert metric("auc")([1, 0, 0], [max(scale * 1e-10, 5e-324), 0, 0]) == 1
    assert metric("auc")([0, 0, 1, 1], scale * np.array([1.0, 4, 3, 8])) == 0.75


@pytest.mark.parametrize("form", ["auc", "ap"])
def test_torchmetrics_2819_logits_are_never_transformed(form: str) -> None:
    logits = [98.095, 98.4612, 98.1145, 98.1506, 97.6037, 98.9425, 99.2644, 99.5014]
    logits += [99.728, 99.6595, 99.6931, 99.4667, 99.9623, 99.8949, 99.8768]
    y = [0] + [1] * 14
    for kind in (np.float32, np.float64):
        value = metric(form)(y, np.array(logits, kind))
        assert value == pytest.approx(13 / 14 if form == "auc" else (13 + 14 / 15) / 14, rel=1e-14)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.int8, np.int16, np.uint8])
def test_cmu_thesis_7_counts_are_not_kept_in_the_type_of_the_scores(kind: Any) -> None:
    # a float16 cannot count beyond 2048, an int8 not beyond 127
    n = 6000
    y, s = np.arange(n) % 3 == 0, (np.arange(n) * 7 % 101).astype(kind)
    for form in ("auc", "ap", "bedroc(alpha=20)", "ndcg"):
        assert metric(form)(y, s) == metric(form)(y, s.astype(np.float64))
    table = HitTable.from_scores(y, s)
    assert (table.n, table.n_pos) == (n, 2000)


def test_whole_scores_are_compared_exactly() -> None:
    big = 2**53
    s = np.array([big + 1, big, big - 1])  # equal as floats
    assert metric("auc")([1, 0, 0], s) == 1
    assert metric("auc")([1, 0, 0], s, higher_is_better=False) == 0


def near_identical() -> tuple[list[int], np.ndarray[Any, Any]]:
    s = np.array([0.96, 0.08, 0.14, 0.93, 0.93, 0.98, 0.65, 0.80, 0.43, 0.81, 0.02, 0.65, 0.65, 0.959])
    s[11] = np.nextafter(s[6], 0)
    s[12] = np.nextafter(s[11], 0)
    return [1, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 1, 0, 1], s


def test_proc_25_near_identical_scores_are_not_equal() -> None:
    y, s = near_identical()
    ranks = np.unique(s, return_inverse=True)[1]
    assert np.unique(s).size == 13
    for form in EVERY:
        assert metric(form)(y, s) == metric(form)(y, ranks), form


def test_proc_77_thresholds_are_observed_scores() -> None:
    y, s = near_identical()
    for draw in (roc_curve, precision_recall_curve, accumulation_curve):
        threshold = draw(HitTable.from_scores(y, s)).threshold
        assert threshold is not None
        assert threshold[0] == math.inf
        assert threshold[1:].tolist() == sorted(set(s.tolist()), reverse=True)


def test_proc_77_each_threshold_calls_what_its_vertex_says() -> None:
    y, s = near_identical()
    positive = np.array(y, bool)
    table = HitTable.from_scores(y, s)
    curve = roc_curve(table)
    assert curve.threshold is not None
    for x, height, threshold in zip(curve.x, curve.y, curve.threshold, strict=True):
        called = s >= threshold
        assert (called[~positive].mean(), called[positive].mean()) == pytest.approx((x, height))
        if math.isfinite(threshold):
            matrix = table.confusion(threshold=float(threshold))
            assert (matrix.tp, matrix.fp) == (called[positive].sum(), called[~positive].sum())


def test_scikit_learn_23213_the_curve_is_not_cut_at_full_recall() -> None:
    y = np.r_[np.zeros(50, int), np.ones(50, int)]
    curve = precision_recall_curve(HitTable.from_scores(y, np.arange(100)))
    assert curve.threshold is not None
    assert np.isfinite(curve.threshold).sum() == 100
    assert curve.threshold[1:].tolist() == list(range(99, -1, -1))
    assert (curve.x[-1], curve.y[-1]) == (1, 0.5)


def test_scikit_learn_26193_first_threshold_is_infinite() -> None:
    curve = roc_curve(HitTable.from_scores([0, 1, 0, 1], [0.1, 0.5, 0.5, 1.0]))
    assert curve.threshold is not None
    assert curve.threshold.tolist() == [math.inf, 1.0, 0.5, 0.1]


def test_precrec_13_vertices_are_exact_and_no_grid() -> None:
    rng = default_rng(13)
    n = 1023
    y, s = rng.random(n) < 0.3, rng.normal(size=n)
    curve = roc_curve(HitTable.from_scores(y, s))
    assert curve.x.size == n + 1
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(zip(curve.x, curve.y, strict=True))]
    assert all(dx == 0 or dy == 0 for dx, dy in steps)
    assert curve.area() == pytest.approx(metric("auc")(y, s), rel=1e-12)


def test_spark_19038_the_curve_does_not_start_at_an_unobserved_precision_of_1() -> None:
    curve = precision_recall_curve(HitTable.from_scores([0, 1, 0], [3, 2, 1]))
    assert (curve.x[0], curve.y[0]) == (0, 0)
    assert curve.starts_at_limit
    tied = precision_recall_curve(HitTable.from_scores([1, 0, 0, 1], [2, 2, 2, 1]))
    assert tied.y[0] == pytest.approx(1 / 3)


def test_proc_30_infinite_scores_are_ranked() -> None:
    y = [1, 0, 1, 0, 0, 1, 0, 0]
    s = [math.inf, 2.0, 1.5, 1.0, 0.5, 0.0, -1.0, -math.inf]
    assert metric("auc")(y, s) == pytest.approx(0.733333, abs=1e-6)
    assert metric("ap")(y, s) == pytest.approx(0.722222, abs=1e-6)
    for form in EVERY:
        assert metric(form)(y, s) == metric(form)(y, range(8, 0, -1)), form


def test_proc_32_infinite_scores_tie() -> None:
    inf = math.inf
    y, s = [1, 1, 0, 0, 1, 0, 0, 0], [inf, inf, inf, 2.0, 1.0, -inf, -inf, -inf]
    assert metric("auc")(y, s) == pytest.approx(0.8, rel=1e-14)
    assert metric("ap")(y, s) == pytest.approx(0.644444, abs=1e-6)
    curve = roc_curve(HitTable.from_scores(y, s))
    assert curve.threshold is not None
    assert curve.threshold.tolist() == [inf, inf, 2.0, 1.0, -inf]
    for form in EVERY:
        assert metric(form)(y, s) == metric(form)(y, [9, 9, 9, 2, 1, 0, 0, 0]), form


def test_scikit_learn_scores_of_two_columns_are_refused_with_advice() -> None:
    with pytest.raises(ScoreError, match="pass column 1"):
        metric("auc")([0, 1], [[0.2, 0.8], [0.4, 0.6]])


# ---- direction


def test_deep_docking_17_lightdock_111_dockstring_48_energies_have_a_direction() -> None:
    y, energy = [1, 1, 0, 0, 0], [-11.2, -8.0, -9.1, -7.5, -7.5]
    with pytest.warns(DirectionWarning, match=r"AUC is below one half.*higher_is_better=False"):
        wrong = evaluate(y, {"energy": energy}, metrics="auc")["energy", "auc"].value
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        right = evaluate(y, {"energy": energy}, metrics="auc", higher_is_better=False)["energy", "auc"].value
        named = evaluate(y, {"energy": energy}, metrics="auc", higher_is_better={"energy": False})
    assert named["energy", "auc"].value == right == pytest.approx(5 / 6)
    assert wrong == pytest.approx(1 - right)
    for form in EVERY:
        turned = metric(form)(y, -np.array(energy))
        assert metric(form)(y, energy, higher_is_better=False) == turned, form


# ---- labels


def test_rdkit_orig_37_flat_arrays_and_text_labels() -> None:
    labels, scores = ["Inactive", "Active", "Inactive", "Active"], [0.1, 0.9, 0.5, 0.4]
    for given in (labels, np.array(labels), np.array(labels, object), tuple(labels)):
        assert metric("auc")(given, scores) == 0.75
        assert metric("auc")(given, scores, pos_label="Active") == 0.75
        assert metric("auc")(given, scores, pos_label="Inactive") == 0.25
    with pytest.raises(LabelError, match="pos_label"):
        metric("auc")(["ligand", "decoy", "decoy", "ligand"], scores)
    with pytest.raises(LabelError, match=r"'active' does not occur.*did you mean 'Active'"):
        metric("auc")(labels, scores, pos_label="active")


@pytest.mark.parametrize("kind", [None, object])
def test_scikit_learn_12312_yes_and_no_with_ties(kind: Any) -> None:
    s = [0.41722746, 0.07162791, 0.41722746, 0.07162791, 0.69208494]
    s += [0.69208494, 0.40750916, 0.18227092, 0.40750916, 0.07162791]
    y = np.array(["No", "No", "Yes", "No", "Yes", "Yes", "No", "No", "Yes", "No"], kind)
    for pos_label in (None, "Yes"):
        assert metric("ap")(y, s, pos_label=pos_label) == pytest.approx(0.8541667, abs=1e-7)
        assert metric("auc")(y, s, pos_label=pos_label) == pytest.approx(0.9166667, abs=1e-7)


def test_scikit_learn_10010_numbers_that_are_no_pair_need_pos_label() -> None:
    with pytest.raises(LabelError, match="pos_label"):
        metric("auc")([1, 2, 1, 2], [1, 2, 3, 4])
    assert metric("auc")([1, 2, 1, 2], [1, 2, 3, 4], pos_label=2) == 0.75


def test_ddimdl_1_swapped_arguments_are_noticed() -> None:
    y, s = [1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1]
    with pytest.raises(LabelError):
        metric("auc")(s, y)
    with pytest.raises(LengthMismatchError, match="y_true has 4, y_score has 3"):
        metric("auc")(y, s[:3])


def test_scikit_learn_17639_negative_relevance_is_refused() -> None:
    with pytest.raises(LabelError, match="two classes"):
        metric("ndcg")([-1, 0, 2, 3], [1, 2, 3, 4])
    with pytest.raises(LabelError, match="pos_label"):
        metric("ndcg")([-3, 0, 0], [1, 2, 3])


@pytest.mark.parametrize("form", EVERY)
@pytest.mark.parametrize(("label", "said"), [(0, "no positive"), (1, "no negative")])
def test_scikit_learn_8245_24381_torchmetrics_2494_56_single_class(label: int, said: str, form: str) -> None:
    y, s = [label] * 4, [0.1, 0.4, 0.4, 0.2]
    with pytest.raises(SingleClassError, match=said):
        metric(form)(y, s)
    with pytest.warns(UndefinedMetricWarning, match=said) as caught:
        assert math.isnan(metric(form)(y, s, undefined="nan"))
    assert len(caught) == 1


def test_torchmetrics_1891_partial_area_of_positives_only() -> None:
    pauc = metric("pauc(fpr, 0, 0.5, scale=mcclish)")
    with pytest.raises(SingleClassError, match="no negative"):
        pauc([1, 1, 1], [0.2, 0.5, 0.9])
    with pytest.warns(UndefinedMetricWarning, match="no negative"):
        assert math.isnan(pauc([1, 1, 1], [0.2, 0.5, 0.9], undefined="nan"))


def test_scikit_learn_21335_a_single_item() -> None:
    for label in (0, 1):
        with pytest.raises(SingleClassError):
            metric("ndcg")([label], [0.3])
        with pytest.warns(UndefinedMetricWarning):
            assert math.isnan(metric("ndcg")([label], [0.3], undefined="nan"))


def test_single_class_of_an_evaluation_is_one_warning() -> None:
    y, s = [1, 1, 1], {"a": [0.2, 0.5, 0.9], "b": [0.3, 0.1, 0.8]}
    with pytest.warns(UndefinedMetricWarning) as caught:
        evaluation = evaluate(y, s, metrics=["ap", "auc", "ndcg"], undefined="nan")
    assert len(caught) == 1
    assert all(math.isnan(estimate.value) for estimate in evaluation)
    with pytest.raises(SingleClassError):
        evaluate(y, s, metrics=["ap"])


def test_errors_are_value_errors() -> None:
    # callers of the other tools catch ValueError
    for y, s in (([1, 1], [1, 2]), ([0, 1, 2], [1, 2, 3]), ([0, 1], [1, math.nan]), ([0, 1], ["a", "b"])):
        with pytest.raises(ValueError, match=r".") as caught:
            metric("auc")(y, s)
        assert isinstance(caught.value, InputError)


# ---- missing values of several rankers


def test_proc_68_paired_complete_cases() -> None:
    y = [1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1]
    first = [15, 0, 30, 32, 0, 10, 64, None, 10, 0, 0, 0, 0, 0, 108, 0, 0, 0, 56, 22]
    second = [0.7, 0.1, 0.2, 0.2, 1.4, 0.1, 0.2, 1.9, 0.8, 0.4, None, 0.5, 0.6, None, 3.7, 1.7, 0.3, 0.7, 0.7, None]
    rankers = {"first": first, "second": second}
    with pytest.raises(MissingValueError, match="missing='drop'"):
        evaluate(y, rankers, metrics="auc")
    with pytest.warns(MissingValueWarning, match="4 of 20 rows were dropped") as caught:
        paired = evaluate(y, rankers, metrics="auc", missing="drop")
    assert len(caught) == 1
    assert {estimate.n for estimate in paired} == {16}
    assert paired["first", "auc"].value == pytest.approx(0.963636, abs=1e-6)
    assert paired["second", "auc"].value == pytest.approx(0.563636, abs=1e-6)
    # alone, a ranker keeps all its own cases
    assert metric("auc")(y, first, missing="drop") == pytest.approx(0.875, rel=1e-14)


# ---- weights


def test_scikit_learn_9980_zero_weight_on_top() -> None:
    y, s, w = [0, 0, 0, 1, 1, 1], [0.1, 0.4, 0.85, 0.35, 0.8, 0.9], [1, 1, 0, 1, 1, 0]
    assert metric("ap")(y, s, sample_weight=w) == pytest.approx(0.8333, abs=5e-5)
    assert metric("auc")(y, s, sample_weight=w) == 0.75
    for form in ("ap", "auc", "pr_area(keilwagen)", "prg_area", "logauc", "auac", "bedroc(alpha=20)"):
        # nobody with weight 0 is there
        kept = np.array(w, bool)
        without = metric(form)(np.array(y)[kept], np.array(s)[kept], sample_weight=np.ones(4))
        assert metric(form)(y, s, sample_weight=w) == pytest.approx(without, rel=1e-14), form


def test_scikit_learn_16065_curve_with_zero_weight_on_top_is_finite() -> None:
    table = HitTable.from_scores([0, 1, 1, 0], [4, 3, 2, 1], sample_weight=[0, 1, 1, 1])
    for draw in (roc_curve, precision_recall_curve, accumulation_curve):
        curve = draw(table)
        assert np.isfinite(curve.x).all()
        assert np.isfinite(curve.y).all()
    assert precision_recall_curve(table).area() == pytest.approx(1, rel=1e-12)


def test_scikit_learn_6842_7359_float32_weights_are_added_in_float64() -> None:
    rng = default_rng(6842)
    n = 400_000
    y = rng.random(n) < 0.5
    s = rng.normal(size=n) + 0.01 * y
    w = rng.gamma(0.5, 200.0, size=n).astype(np.float32)
    order = np.argsort(-s, kind="stable")

    def area(kind: type[np.floating[Any]]) -> float:
        hits, alarms = (np.cumsum(np.where(side, w, 0)[order], dtype=kind) for side in (y, ~y))
        tpr = np.concatenate([[0.0], hits / hits[-1]])
        fpr = np.concatenate([[0.0], alarms / alarms[-1]])
        return float(np.trapezoid(tpr.astype(float), fpr.astype(float)))

    right = area(np.float64)
    assert metric("auc")(y, s, sample_weight=w) == pytest.approx(right, rel=1e-11)
    assert abs(area(np.float32) - right) > 1e-8 * right  # the data would show the fault
    table = HitTable.from_scores(y, s, sample_weight=w)
    assert table.n == pytest.approx(math.fsum(w.tolist()), rel=1e-12)


def test_scikit_learn_6842_float32_unit_weights_are_no_weights() -> None:
    rng = default_rng(42)
    y = rng.random(50_000) < 0.5
    s = rng.normal(size=y.size) + 0.01 * y
    for form in ("auc", "ap", "auac"):
        plain = metric(form)(y, s)
        assert metric(form)(y, s, sample_weight=np.ones(y.size, np.float32)) == pytest.approx(plain, rel=1e-12)


@pytest.mark.parametrize("bad", [-1.0, -1e-300, math.nan, math.inf, -math.inf])
def test_negative_and_infinite_weights_are_refused(bad: float) -> None:
    with pytest.raises(WeightError, match="row 2"):
        metric("auc")([1, 0, 1], [3, 2, 1], sample_weight=[1, 1, bad])


# ---- memory


def test_proc_29_memory_is_linear() -> None:
    rng = default_rng(29)
    n = 100_000
    y, s = rng.random(n) < 0.1, rng.normal(size=n)
    metric("auc")(y[:1000], s[:1000])
    tracemalloc.start()
    try:
        value = metric("auc")(y, s)
        table = HitTable.from_scores(y, s)
        curve = precision_recall_curve(table)
        assert curve.x.size == n + 1
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 0.4 < value < 0.6
    assert peak < 300 * n  # pROC asked for 74.5 GB


def test_spark_4547_the_table_is_as_long_as_there_are_positives() -> None:
    rng = default_rng(4547)
    y, s = np.arange(50_000) < 40, rng.normal(size=50_000)
    table = evaluate(y, s + 3 * y, metrics="ap").tables["score"]
    assert table.pos.size == 2 * 40 + 1
    assert table.n == 50_000
    exact = metric("ap").value(HitTable.from_scores(y, s + 3 * y))
    assert metric("ap").value(table) == pytest.approx(exact, rel=1e-14)


def test_a_billion_subjects_by_rank() -> None:
    table = HitTable.from_ranks([1, 10, 1000], n=1_000_000_000)
    assert metric("ap").value(table) == pytest.approx((1 + 2 / 10 + 3 / 1000) / 3, rel=1e-14)
    assert metric("auc").value(table) == pytest.approx(1 - (0 + 8 + 997) / 3 / 999_999_997, rel=1e-14)


# ---- everything, once


@pytest.mark.parametrize("form", list(examples().values()))
def test_every_metric_meets_the_usual_faults(form: str) -> None:
    rng = default_rng(0)
    y, s = rng.random(200) < 0.3, np.round(rng.normal(size=200), 1)
    wanted = metric(form)
    value = wanted(y, s)
    assert math.isfinite(value)
    order = rng.permutation(200)
    assert wanted(y[order], s[order]) == value
    assert wanted(y, 1e-300 * s) == value
    assert wanted(np.where(y, 1, -1), s.astype(np.float32)) == value
    assert wanted(np.where(y, "active", "decoy"), s, pos_label="active") == value
    assert wanted(y, -s, higher_is_better=False) == value
    with pytest.raises(MissingValueError):
        wanted(y, np.where(np.arange(200) == 5, np.nan, s))


def test_two_valued_scores_are_questioned() -> None:
    # mlxtend#699: decisions where scores are needed
    with pytest.warns(TwoValuedScoreWarning, match="only two values"):
        evaluate([1, 0, 1, 0], [1, 0, 1, 1], metrics="auc")
    assert issubclass(TwoValuedScoreWarning, HitcurveWarning)
