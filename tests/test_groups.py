"""Groups: every group a ranking of its own, means and tests across groups, average curves."""

from __future__ import annotations

import functools
import itertools
import json
import math
import pickle
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, RepeatedStratifiedKFold, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB

import hitcurve as hc
from hitcurve.curve import KINDS
from hitcurve.errors import (
    ColumnNotFoundError,
    DirectionWarning,
    GridMismatchError,
    HitcurveWarning,
    InputError,
    InsufficientDataError,
    MissingValueError,
    MissingValueWarning,
    ParameterError,
    SingleClassError,
    UndefinedMetricError,
    UndefinedMetricWarning,
)
from hitcurve.evaluation import MEAN_COLUMNS
from hitcurve.groups import METHODS
from hitcurve.groups import across as of_groups
from hitcurve.report import FORMATS, page, render
from tests.data import printed_as, read_columns
from tests.official import CLEF, LEVELS, clef_official
from tests.public_tables import DEKOIS, MLSF
from tests.sampled import quietly
from tests.shell import Shell, in_process
from tests.strategies import law

FORMS = ("ap", "auc", "croc(exp, alpha=7)", "recall@20%", "rauc")
Floats = npt.NDArray[np.float64]


class Made:
    """Some groups of different sizes and prevalences, with ties."""

    def __init__(self, groups: int = 7, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        sizes = rng.integers(12, 40, groups)
        self.group = np.repeat([f"t{i}" for i in range(groups)], sizes)
        self.y = np.concatenate([np.r_[1, 1, 0, 0, rng.random(size - 4) < 0.3] for size in sizes]).astype(int)
        self.a = np.round(rng.normal(size=self.y.size) + 1.5 * self.y, 1)
        self.b = np.round(rng.normal(size=self.y.size) + self.y, 1)
        self.scores = {"a": self.a, "b": self.b}
        self.names = [f"t{i}" for i in range(groups)]

    def grouped(self, **options: Any) -> hc.GroupedEvaluation:
        options = {"metrics": FORMS, **options}
        found: hc.GroupedEvaluation = hc.evaluate(self.y, self.scores, by=self.group, **options)
        return found

    def tables(self, score: str = "a") -> list[hc.HitTable]:
        return [
            hc.HitTable.from_scores(self.y[self.group == g], self.scores[score][self.group == g]) for g in self.names
        ]


MADE = Made()


# ---- every group is a ranking of its own


def test_a_group_is_what_it_is_alone() -> None:
    grouped = MADE.grouped()
    for name in MADE.names:
        here = MADE.group == name
        scores = {"a": MADE.a[here], "b": MADE.b[here]}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DirectionWarning)
            alone = hc.evaluate(MADE.y[here], scores, metrics=FORMS)
        for ranker, form in itertools.product("ab", FORMS):
            ours, other = grouped[name, ranker, form], alone[ranker, form]
            assert (ours.value, ours.standard_error, ours.interval) == (
                other.value,
                other.standard_error,
                other.interval,
            )
        p, expected = (ev.compare("a", "b", "ap", method="delta").pvalue for ev in (grouped[name], alone))
        assert p == pytest.approx(expected, rel=1e-12)


def test_pooled_is_one_list_of_all() -> None:
    pooled, whole = MADE.grouped().pooled, hc.evaluate(MADE.y, MADE.scores, metrics=FORMS)
    assert [e.value for e in pooled] == [e.value for e in whole]


@functools.cache
def _of_ordered_rows() -> dict[str, Any]:
    return MADE.grouped(metrics=["ap", "auc"]).to_dict()


@pytest.mark.slow
@given(st.randoms(use_true_random=False))
@law(12)
def test_order_of_rows_changes_nothing(random: Any) -> None:
    order = list(range(MADE.y.size))
    random.shuffle(order)
    moved = hc.evaluate(
        MADE.y[order], {"a": MADE.a[order], "b": MADE.b[order]}, by=MADE.group[order], metrics=["ap", "auc"]
    )
    assert moved.to_dict() == _of_ordered_rows()


@pytest.mark.slow
def test_files_frames_and_arrays_agree(tmp_path: Path) -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    columns = {"y": MADE.y, "a": MADE.a, "b": MADE.b, "target": MADE.group}
    grouped = MADE.grouped()
    expected = grouped.to_dict() | {"by": "target"}
    for frame in (pandas.DataFrame(columns), polars.DataFrame(columns)):
        found = hc.evaluate("y", ["a", "b"], data=frame, by="target", metrics=FORMS)
        assert found.to_dict() == expected
        assert type(found.to_frame()).__module__.split(".")[0] == type(frame).__module__.split(".")[0]
    pandas.DataFrame(columns).to_csv(tmp_path / "t.csv", index=False)
    done = _shell(tmp_path, "evaluate", "t.csv", "-l", "y", "-s", "a", "-s", "b", "--by", "target", "-f", "json", FORMS)
    assert json.loads(done)["groups"] == json.loads(render(grouped, "json"))["groups"]


def _shell(folder: Path, *words: str | Sequence[str]) -> str:
    flat = [word for part in words for word in ([part] if isinstance(part, str) else [f"--metric={m}" for m in part])]
    done = in_process(*flat, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_chunks_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hitcurve.evaluation import evaluate_groups
    from hitcurve.metrics import metrics
    from hitcurve.sources import Reading
    from hitcurve.sources.files import FileSource
    from hitcurve.sources.files import batches as room

    lines = [f"{y},{a},{g}" for y, a, g in zip(MADE.y, MADE.a, MADE.group, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["y,a,g", *lines]) + "\n")
    found = []
    for size in (1 << 18, 2048):
        monkeypatch.setattr(room, "_ROWS", size)
        source = FileSource((tmp_path / "t.csv",), "y", ("a",), Reading(), by="g")
        found.append(evaluate_groups(source, metrics(FORMS), by="g").to_dict())
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("names", "order"),
    [
        ([10, 9, 100], ["9", "10", "100"]),
        (["b", "a", "10"], ["10", "a", "b"]),
        (["NaN", "2", "10"], ["10", "2", "NaN"]),
        ([1.0, 3.0, 2.0], ["1", "2", "3"]),
        ([True, False, False], ["False", "True"]),
    ],
)
def test_groups_come_in_the_order_of_their_names(names: list[Any], order: list[str]) -> None:
    by = [name for name in names for _ in range(4)]
    grouped = hc.evaluate([1, 0, 1, 0] * 3, list(range(12, 0, -1)), by=by, metrics="auc")
    assert list(grouped) == order
    assert [grouped[name].rankers for name in names] == [("score",)] * 3


@pytest.mark.parametrize("unit", ["s", "us", "ns"])
def test_dates_have_one_name_in_any_unit(unit: str) -> None:
    days = np.repeat(np.array(["2021-03-01", "2021-01-02"], f"M8[{unit}]"), 4)
    grouped = hc.evaluate([1, 0, 1, 0] * 2, list(range(8, 0, -1)), by=days, metrics="auc")
    assert list(grouped) == ["2021-01-02", "2021-03-01"]
    late = days + np.timedelta64(1, "ns")  # more than a date of Python holds
    assert list(hc.evaluate([1, 0, 1, 0] * 2, list(range(8, 0, -1)), by=late, metrics="auc")) == [
        "2021-01-02T00:00:00.000000001",
        "2021-03-01T00:00:00.000000001",
    ]


def test_weights_that_leave_one_class_name_the_group() -> None:
    y, weight = [1, 0, 1, 0], [1.0, 1.0, 0.0, 1.0]
    with pytest.raises(SingleClassError, match=r"1 of 2 groups have no positives \('b'\): leave them out"):
        hc.evaluate(y, [4, 3, 2, 1], by=list("aabb"), sample_weight=weight, metrics="auc")


def test_weights_and_prevalence_go_with_their_groups() -> None:
    rng = np.random.default_rng(3)
    weight = rng.random(MADE.y.size) + 0.5
    grouped = MADE.grouped(sample_weight=weight, metrics="auc")
    for name in MADE.names:
        here = MADE.group == name
        theirs = roc_auc_score(MADE.y[here], MADE.a[here], sample_weight=weight[here])
        assert grouped[name, "a", "auc"].value == pytest.approx(theirs, rel=1e-12)
    fixed = MADE.grouped(prevalence=0.02, metrics="ap")
    assert {ev.tables["a"].prevalence for ev in fixed.groups.values()} == {0.02}
    assert fixed.design == "case-control"


def test_clusters_within_groups() -> None:
    clusters = np.arange(MADE.y.size) // 2
    grouped = MADE.grouped(clusters=clusters, metrics="auc")
    here = MADE.group == "t1"
    alone = hc.evaluate(MADE.y[here], MADE.a[here], clusters=clusters[here], metrics="auc")
    assert grouped["t1", "a", "auc"].standard_error == alone["score", "auc"].standard_error
    kept = pickle.loads(pickle.dumps(grouped.without_data()))
    assert kept["t1", "a", "auc"].standard_error == alone["score", "auc"].standard_error


@pytest.mark.slow
def test_what_clusters_change_is_said() -> None:
    said = "clusters change the intervals and standard errors of each group and of all subjects pooled"
    plain, clustered = MADE.grouped(), MADE.grouped(clusters=np.arange(MADE.y.size) // 2)
    assert clustered.mean("a", "auc").interval == plain.mean("a", "auc").interval
    assert clustered.pooled["a", "auc"].standard_error != plain.pooled["a", "auc"].standard_error
    for ev, expected in ((clustered, True), (plain, False)):
        for text in (str(ev), ev.methods_text(), page(ev)):
            assert (said in text.lower()) == expected


# ---- means


def test_the_mean_is_a_t_interval_over_groups() -> None:
    grouped = MADE.grouped()
    for ranker, form in itertools.product("ab", ("ap", "auc")):
        mean, values = grouped.mean(ranker, form), grouped.values(ranker, form)
        theirs = stats.ttest_1samp(values, 0).confidence_interval(0.9)
        assert mean.confidence_interval(0.9) == pytest.approx((theirs.low, theirs.high), rel=1e-9)
        assert mean.standard_error == pytest.approx(stats.sem(values), rel=1e-12)
        assert mean.value == pytest.approx(values.mean(), rel=1e-15)
        assert mean.median == np.median(values)
        errors = [grouped[name, ranker, form].standard_error for name in MADE.names]
        assert mean.within_error == pytest.approx(math.sqrt(np.sum(np.square(errors))) / len(errors), rel=1e-12)


def test_an_interval_of_a_mean_stays_in_the_range() -> None:
    y, by = [1, 0, 0, 1, 0, 0], [1, 1, 1, 2, 2, 2]
    mean = hc.evaluate(y, [3, 2, 1, 1, 2, 3], by=by, metrics="auc").mean("score", "auc")
    assert mean.confidence_interval() == (0.0, 1.0)


@pytest.mark.slow
def test_within_error_by_another_sample_of_subjects() -> None:
    rng = np.random.default_rng(5)
    y = np.tile(np.repeat([1, 0], [40, 160]), 4)
    by = np.repeat(np.arange(4), 200)
    found, errors = [], []
    for _ in range(200):
        grouped = hc.evaluate(y, rng.normal(size=800) + y * (1 + by), by=by, metrics="auc", design="case-control")
        found.append(grouped.mean("score", "auc").value)
        errors.append(grouped.mean("score", "auc").within_error)
    assert np.std(found, ddof=1) == pytest.approx(np.mean(errors), rel=0.2)  # four standard errors of the s.d.


# ---- tests across groups

VALUES = st.lists(st.tuples(*[st.integers(0, 12).map(lambda v: v / 16)] * 2), min_size=2, max_size=9).filter(
    lambda pairs: len({a - b for a, b in pairs}) > 1
)


def across(pairs: Any, method: str, **options: Any) -> hc.Comparison:
    from hitcurve.groups import across as test

    a, b = np.array(pairs, float).T
    return test(hc.metric("ap"), ("a", "b"), (a, b), method=method, **options)


@pytest.mark.slow
@given(VALUES, st.sampled_from(["two-sided", "less", "greater"]), st.sampled_from([0.0, 0.125]))
@law(30)
def test_paired_t_wilcoxon_and_welch_are_those_of_scipy(pairs: Any, alternative: Any, null: float) -> None:
    a, b = np.array(pairs, float).T
    theirs = stats.ttest_1samp(a - b - null, 0, alternative=alternative)
    ours = across(pairs, "paired-t", null=null, alternative=alternative)
    if np.ptp(a - b) > 1e-9:
        assert (ours.statistic, ours.pvalue) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-8)
        ends = stats.ttest_1samp(a - b, 0).confidence_interval(0.95)
        assert ours.difference.confidence_interval() == pytest.approx((ends.low, ends.high), rel=1e-8, abs=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        signed = stats.wilcoxon(a - null, b, zero_method="pratt", alternative=alternative)
        welch = stats.ttest_ind(a - null, b, equal_var=False, alternative=alternative)
    assert across(pairs, "wilcoxon", null=null, alternative=alternative).pvalue == pytest.approx(
        signed.pvalue, nan_ok=True
    )
    if np.ptp(a) > 1e-9 and np.ptp(b) > 1e-9:
        assert across(pairs, "unpaired-t", null=null, alternative=alternative).pvalue == pytest.approx(welch.pvalue)
        both = stats.ttest_ind(a - null, b, equal_var=False, alternative=alternative)
        summaries = (a.mean(), a.std(ddof=1), a.size, b.mean(), b.std(ddof=1), b.size)
        test = hc.compare_from_stats(*summaries, null=null, alternative=alternative)
        found = (test.statistic, test.degrees_of_freedom, test.pvalue)
        assert found == pytest.approx((both.statistic, both.df, both.pvalue), rel=1e-8)
        ends = stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.95)
        assert test.difference.confidence_interval() == pytest.approx((ends.low, ends.high), rel=1e-8, abs=1e-12)


@given(VALUES)
@law(40)
def test_sign_flips_are_all_counted(pairs: Any) -> None:
    d = np.array([a - b for a, b in pairs])
    flips = [abs(np.dot(signs, d)) for signs in itertools.product([1, -1], repeat=d.size)]
    expected = np.mean(np.array(flips) >= abs(d.sum()) - 1e-9)
    found = across(pairs, "sign-flip")
    assert found.pvalue == pytest.approx(expected, rel=1e-12)
    assert found.n_resamples is None


def test_auto_is_the_paired_t_test_of_groups_that_are_no_folds() -> None:
    grouped = MADE.grouped()
    assert grouped.compare("a", "b", "ap").to_dict() == grouped.compare("a", "b", "ap", method="paired-t").to_dict()


def test_many_sign_flips_are_drawn() -> None:
    rng = np.random.default_rng(1)
    pairs = rng.random((30, 2)) * [1, 0.8]
    theirs = stats.permutation_test(
        (pairs[:, 0], pairs[:, 1]), lambda x, y, axis: np.mean(x - y, axis=axis), permutation_type="samples",
        vectorized=True, n_resamples=20_000, rng=2,
    )  # fmt: skip
    found = across(pairs, "sign-flip", rng=3, n_resamples=20_000)
    assert found.n_resamples == 20_000
    assert found.pvalue == pytest.approx(theirs.pvalue, abs=5 * math.sqrt(theirs.pvalue / 20_000))
    assert found.pvalue == across(pairs, "sign-flip", rng=3, n_resamples=20_000).pvalue


def test_the_corrected_test_by_hand() -> None:
    grouped = MADE.grouped()
    sizes = np.array([np.sum(MADE.group == name) for name in MADE.names])
    d = grouped.values("a", "auc") - grouped.values("b", "auc")
    ratio = np.mean(sizes / (sizes.sum() - sizes))
    t = d.mean() / math.sqrt((1 / d.size + ratio) * d.var(ddof=1))
    found = grouped.compare("a", "b", "auc", method="corrected-t")
    assert found.statistic == pytest.approx(t, rel=1e-12)
    assert found.pvalue == pytest.approx(2 * stats.t.sf(abs(t), d.size - 1), rel=1e-9)
    plain = grouped.compare("a", "b", "auc")
    assert found.pvalue > plain.pvalue
    for side in ("less", "greater"):
        one = grouped.compare("a", "b", "auc", method="corrected-t", alternative=side)
        assert one.pvalue == pytest.approx(stats.t.cdf(t, d.size - 1) if side == "less" else stats.t.sf(t, d.size - 1))


def test_repeated_folds_overlap_as_those_of_one_repeat() -> None:
    rng = np.random.default_rng(2)
    y, scores = np.tile([1, 0, 0, 0], 60), {}
    folds = np.concatenate([rng.permutation(np.arange(240) % 5) + 5 * r for r in range(3)])
    scores = {name: np.concatenate([rng.normal(size=240) + y for _ in range(3)]) for name in "ab"}
    grouped = hc.evaluate(np.tile(y, 3), scores, by=folds, metrics="auc")
    d = grouped.values("a", "auc") - grouped.values("b", "auc")
    t = d.mean() / math.sqrt((1 / 15 + 1 / 4) * d.var(ddof=1))
    test = grouped.compare("a", "b", "auc", method="corrected-t", test_fraction=1 / 5)
    assert test.statistic == pytest.approx(t, rel=1e-12)
    assert grouped.compare("a", "b", "auc", test_fraction=1 / 5).to_dict() == test.to_dict()
    known = hc.evaluate(np.tile(y, 3), scores, folds=folds, test_fraction=1 / 5, metrics="auc")
    assert known.compare("a", "b", "auc").to_dict() == test.to_dict()
    told = "15 folds: 720 tests of about 240 subjects (3 per subject on average), 180 of the tests positive (25%)"
    assert str(known).startswith(told)
    assert told in known.methods_text()
    shown = page(known)
    assert told.replace("15 folds", "2 rankers in 15 folds") in shown
    assert "Means over folds" in shown
    assert "over groups" not in shown
    mean, test = known.mean("a", "auc")._repr_html_(), known.compare("a", "b", "auc")
    assert "mean over folds" in mean
    assert "(corrected t over folds)" in mean
    assert "across 15 folds: a - b" in str(test)
    assert "over 15 folds" in test.methods_text()
    once = hc.evaluate(y, {name: own[:240] for name, own in scores.items()}, folds=folds[:240], metrics="auc")
    assert str(once).startswith("5 folds: 240 subjects, 60 positive (25%)")
    with pytest.raises(ParameterError, match="test_fraction must lie strictly between 0 and 1"):
        grouped.compare("a", "b", "auc", test_fraction=1.0)
    with pytest.raises(ParameterError, match="test_fraction is for method='corrected-t', got method='wilcoxon'"):
        grouped.compare("a", "b", "auc", method="wilcoxon", test_fraction=0.2)


def test_random_test_sets_of_one_data_set_have_the_error_of_nadeau_and_bengio() -> None:
    rng = np.random.default_rng(3)
    y, sets = np.tile([1, 0, 0], 10), np.repeat(np.arange(100), 30)
    scores = {name: rng.normal(size=3000) + np.tile(y, 100) for name in "ab"}
    plain = hc.evaluate(np.tile(y, 100), scores, by=sets, metrics="auc")
    known = hc.evaluate(np.tile(y, 100), scores, folds=sets, test_fraction=0.3, metrics="auc")
    grows = math.sqrt((1 / 100 + 0.3 / 0.7) / (1 / 100))  # 6.6
    paired = plain.compare("a", "b", "auc", method="paired-t")
    corrected = known.compare("a", "b", "auc")
    assert corrected.method == "corrected-t"
    assert corrected.difference.standard_error == pytest.approx(grows * paired.difference.standard_error, rel=1e-12)
    mean, other = known.mean("a", "auc"), plain.mean("a", "auc")
    assert mean.standard_error == pytest.approx(grows * other.standard_error, rel=1e-12)
    curve, over = known.average_curve("a"), plain.average_curve("a")
    np.testing.assert_allclose(curve.y_error, grows * over.y_error, rtol=1e-12)
    low, high = mean.confidence_interval()
    assert high - low == pytest.approx(2 * stats.t.ppf(0.975, 99) * mean.standard_error, rel=1e-9)


@pytest.mark.slow
def test_folds_are_known_wherever_they_are_written() -> None:
    folds = hc.evaluate(MADE.y, MADE.scores, folds=MADE.group, metrics="auc")
    groups = hc.evaluate(MADE.y, MADE.scores, by=MADE.group, metrics="auc")
    assert folds.by == "fold"
    assert folds.overlap == pytest.approx(np.mean([n / (MADE.y.size - n) for n in folds.groups.sizes("n")]))
    assert groups.overlap == 0
    assert "corrected t over folds" in str(folds)
    assert "t over groups, which are treated as a sample" in str(groups)
    assert "corrected resampled t intervals over folds" in folds.methods_text()
    assert folds.to_dict()["overlap"] == folds.overlap
    text = page(folds)
    assert "<td>corrected resampled t test</td>" in text
    assert "takes groups for independent" not in text
    with pytest.raises(ParameterError, match="by and folds cannot be combined"):
        hc.evaluate(MADE.y, MADE.scores, by=MADE.group, folds=MADE.group)  # type: ignore[call-overload]
    with pytest.raises(ParameterError, match="test_fraction is for folds"):
        hc.evaluate(MADE.y, MADE.scores, by=MADE.group, test_fraction=0.1)
    with pytest.raises(ParameterError, match="one fold contains all subjects"):
        hc.evaluate([1, 0], [2, 1], folds=[1, 1])


def test_models_of_a_cross_validation_are_compared_as_folds() -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import ShuffleSplit, cross_validate

    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat([0, 1], 60))
    X = rng.normal(size=(120, 4)) + 0.8 * y[:, None]
    cv = ShuffleSplit(12, test_size=0.3, random_state=0)
    found = {
        name: cross_validate(LogisticRegression(C=c), X, y, cv=cv, return_estimator=True, return_indices=True)
        for name, c in (("weak", 1e-4), ("strong", 1.0))
    }
    ev = hc.evaluate_cv_results(found, X, y, metrics="auc")
    assert ev.overlap == pytest.approx(36 / 84, rel=1e-12)
    test = ev.compare("weak", "strong", "auc")
    assert test.method == "corrected-t"
    d = ev.values("weak", "auc") - ev.values("strong", "auc")
    assert test.difference.standard_error == pytest.approx(math.sqrt((1 / 12 + 36 / 84) * d.var(ddof=1)), rel=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_laws_of_all_methods(method: str) -> None:
    grouped = MADE.grouped()
    ahead = grouped.compare("a", "b", "ap", method=method, rng=0)
    behind = grouped.compare("b", "a", "ap", method=method, rng=0)
    assert ahead.pvalue == pytest.approx(behind.pvalue, rel=1e-9)
    assert ahead.difference.value == -behind.difference.value
    assert (ahead.wins, ahead.ties, ahead.losses) == (behind.losses, behind.ties, behind.wins)
    assert ahead.wins + ahead.ties + ahead.losses == ahead.n_groups == len(grouped)
    values = [(value, value) for value in (0.1, 0.4, 0.7)]
    same = across(values, method)
    assert (same.pvalue, same.difference.value, same.ties) == (1.0, 0.0, 3)
    shown = str(ahead)
    assert all(text in shown for text in (f"across 7 {ahead.called}", "p value", "wins", "assumes"))
    assert "a" in ahead.methods_text()
    assert json.loads(json.dumps(ahead.to_dict()))["method"] == method


@pytest.mark.slow
def test_size_of_the_tests_across_groups() -> None:
    rng = np.random.default_rng(11)
    rejected = dict.fromkeys(("paired-t", "wilcoxon", "sign-flip"), 0)
    for _ in range(600):
        values = rng.normal(0.6, 0.1, (12, 1)) + rng.normal(0, 0.05, (12, 2))
        for method in rejected:
            rejected[method] += across(values, method, rng=0).pvalue <= 0.05
    # three standard errors of a share of .05 in 600 are .027
    assert all(0.02 <= count / 600 <= 0.08 for count in rejected.values()), rejected


def test_compare_all_is_adjusted_by_holm() -> None:
    rng = np.random.default_rng(4)
    scores = {name: rng.normal(size=MADE.y.size) + k * MADE.y for name, k in (("a", 2.0), ("b", 1.0), ("c", 0.8))}
    grouped = hc.evaluate(MADE.y, scores, by=MADE.group, metrics="auc")
    found = grouped.compare_all("auc")
    assert [(c.first, c.second) for c in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    p = sorted((c.pvalue, i) for i, c in enumerate(found))
    highest = 0.0
    for step, (value, i) in enumerate(p):
        highest = max(highest, min(1.0, (3 - step) * value))
        assert found[i].adjusted == pytest.approx(highest, rel=1e-12)
    assert [(c.first, c.second) for c in grouped.compare_all("auc", baseline="c")] == [("a", "c"), ("b", "c")]


# ---- average curves


def at_rate(table: hc.HitTable, r: Floats) -> tuple[Floats, Floats]:
    """Return FPR and TPR at rates: subjects of the row that is cut are called in proportion."""
    pos, neg = np.asarray(table.pos, float), np.asarray(table.neg, float)
    fpr, tpr = np.zeros(r.size), np.zeros(r.size)
    for i, rate in enumerate(r):
        left = rate * float(table.n)
        for p, q in zip(pos, neg, strict=True):
            share = min(1.0, left / (p + q)) if p + q else 0.0
            tpr[i] += share * p / float(table.n_pos)
            fpr[i] += share * q / float(table.n_neg)
            left -= share * (p + q)
            if left <= 1e-12:
                break
    return fpr, tpr


def test_rate_averaging_by_brute_force() -> None:
    tables = MADE.tables()
    mean = hc.average_curve(tables, "accumulation")
    r = mean.x
    both = [at_rate(table, r) for table in tables]
    assert mean.y == pytest.approx(np.mean([tpr for _, tpr in both], axis=0), abs=1e-12)
    roc = hc.average_curve(tables, "roc")
    assert roc.x == pytest.approx(np.mean([fpr for fpr, _ in both], axis=0), abs=1e-12)
    assert roc.y == pytest.approx(mean.y, abs=1e-12)
    t = stats.t.ppf(0.975, 6) / math.sqrt(7)
    assert roc.y_error == pytest.approx(t * np.std([tpr for _, tpr in both], axis=0, ddof=1), abs=1e-12)
    precision = hc.average_curve(tables, "precision_recall")
    theirs = [float(tb.prevalence) * tpr[1:] / r[1:] for tb, (_, tpr) in zip(tables, both, strict=True)]
    points = np.column_stack([precision.x, precision.y])
    for vertex in np.column_stack([mean.y[1:], np.mean(theirs, axis=0)]):
        assert np.min(np.abs(points - vertex).max(axis=1)) <= 1e-12
    lift = hc.average_curve(tables, "lift")
    assert lift.y[np.isin(lift.x, r[1:])] == pytest.approx(np.mean([tpr[1:] / r[1:] for _, tpr in both], axis=0))


def test_the_area_of_averages_is_the_average_of_areas() -> None:
    grouped = MADE.grouped()
    # a vertical average is linear in the curve; so is a rate average of the accumulation curve
    vertical = grouped.average_curve("a", "roc", "vertical")
    assert vertical.area() == pytest.approx(grouped.mean("a", "auc").value, rel=1e-12)
    tables = MADE.tables()
    rate = hc.average_curve(tables, "accumulation", "rate")
    assert rate.area() == pytest.approx(np.mean([hc.metric("auac").value(table) for table in tables]), rel=1e-12)


def test_thresholds_and_pools() -> None:
    grouped, tables = MADE.grouped(), MADE.tables()
    cuts = np.unique(MADE.a)[::-1]
    by_threshold = hc.average_curve(tables, "roc", "threshold")
    called = [
        [np.mean(MADE.a[(MADE.group == g) & (MADE.y == c)] >= cut) for cut in cuts] for c in (0, 1) for g in MADE.names
    ]
    fpr, tpr = np.mean(called[:7], axis=0), np.mean(called[7:], axis=0)
    assert by_threshold.x[1:] == pytest.approx(fpr, abs=1e-12)
    assert by_threshold.y[1:] == pytest.approx(tpr, abs=1e-12)
    # from the subjects, on the scores of the positives alone: the same curve where both are known
    counted = grouped.average_curve("a", "roc", "threshold")
    assert counted.area() == pytest.approx(by_threshold.area(), abs=0.01)
    assert set(np.round(counted.y, 9)) == set(np.round(by_threshold.y, 9))
    pool = grouped.average_curve("a", "roc", "pool")
    assert pool.area() == pytest.approx(grouped.pooled["a", "auc"].value, rel=1e-12)
    assert hc.average_curve(tables, "roc", "pool").area() == pytest.approx(pool.area(), rel=1e-12)


def test_a_pool_is_of_the_groups_that_were_evaluated() -> None:
    y, s, by = with_one_class()
    grouped = hc.evaluate(y, s, by=by, metrics="auc", single_class="skip")
    kept = [i for i, group in enumerate(by) if group in grouped.groups]
    pool = grouped.average_curve("score", along="pool")
    assert pool.area() == pytest.approx(roc_auc_score([y[i] for i in kept], [s[i] for i in kept]))
    assert pool.n_groups == 2
    rare = hc.evaluate(y, s, by=by, metrics="auc", single_class="skip", prevalence=0.01)
    for along in ("rate", "vertical", "pool"):
        assert rare.average_curve("score", "precision_recall", along).y[-1] == pytest.approx(0.01)


def test_many_thresholds_are_thinned_to_some_of_them() -> None:
    rng = np.random.default_rng(2)
    y = np.tile([1, 0], 3000)
    grouped = hc.evaluate(y, rng.normal(size=6000) + y, by=np.repeat([1, 2, 3], 2000), metrics="auc")
    some = grouped.average_curve("score", along="threshold")
    assert some.x.size < 3000
    # groups of one size: the average at a threshold is a point of the pool
    pool = grouped.pooled.tables["score"].counts
    points = set(zip(np.append(0, pool.Q).round(9), np.append(0, pool.P).round(9), strict=True))
    assert points.issuperset(zip(some.x.round(9), some.y.round(9), strict=True))
    assert some.area() == pytest.approx(grouped.pooled["score", "auc"].value, abs=1e-4)


def test_equal_groups_have_their_own_curve() -> None:
    table = hc.HitTable.from_scores(MADE.y, MADE.a)
    for along in ("rate", "vertical", "threshold", "pool"):
        found = hc.average_curve([table, table, table], "roc", along)
        assert found.area() == pytest.approx(hc.metric("auc").value(table), rel=1e-12)
        if along != "pool":
            assert np.max(found.y_error) == pytest.approx(0, abs=1e-12)
            assert np.all(found.low <= found.high)


@pytest.mark.parametrize("curve", KINDS)
def test_the_average_of_equal_lists_is_the_list(curve: str) -> None:
    table = hc.HitTable.from_scores(MADE.y, MADE.a)
    own = table.curve(curve)
    for along in ("rate", "vertical", "pool"):
        if (along == "rate" and not KINDS[curve].along_rate) or (along == "vertical" and not np.isfinite(own.x[0])):
            with pytest.raises(ParameterError, match=r"'rate' is for|minus infinity"):
                hc.average_curve([table, table], curve, along)
            continue
        found = hc.average_curve([table, table], curve, along)
        assert (found.curve, found.along, found.x_label, found.y_label) == (curve, along, own.x_label, own.y_label)
        if along != "vertical" and (curve, along) != ("proc", "pool"):  # that begins at half a subject of the pool
            points = np.column_stack([found.x, found.y])
            for vertex in np.column_stack([own.x, own.y])[np.isfinite(own.x)]:
                assert np.min(np.abs(points - vertex).max(axis=1)) <= 1e-12
        if along == "vertical":
            np.testing.assert_allclose(found.y[2:-1:2], own.at(found.x[2:-1:2], "left"), atol=1e-12)
            np.testing.assert_allclose(found.y[1::2], own.at(found.x[1::2], "right"), atol=1e-12)
        if along != "pool":
            np.testing.assert_allclose(found.y_error, 0, atol=1e-12)


TIED = hc.HitTable.from_scores([1, 1, 0, 0, 1, 0, 0, 0], [3, 3, 1, 1, 1, 1, 1, 1])
STEPS = hc.HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
ROUNDED = hc.HitTable.from_scores(MADE.y, np.round(MADE.a))


@pytest.mark.parametrize("along", ["rate", "vertical", "threshold", "pool"])
@pytest.mark.parametrize("curve", KINDS)
def test_the_average_of_copies_is_the_curve_at_every_x(curve: str, along: str) -> None:
    for table, copies in itertools.product((TIED, STEPS, ROUNDED), (2, 3, 7)):
        _check_average_of_copies(table, curve, along, copies)


def _check_average_of_copies(table: hc.HitTable, curve: str, along: str, copies: int) -> None:
    own = (table if along != "pool" else sum([table] * (copies - 1), table)).curve(curve)
    if along == "threshold" and curve != "roc":
        return
    if (along == "rate" and not KINDS[curve].along_rate) or (along == "vertical" and not np.isfinite(own.x[0])):
        return
    found = hc.average_curve([table] * copies, curve, along)
    begin = max(own.x[0], own.x[1] - 1) if np.isinf(own.x[0]) else own.x[0]
    x = np.append(np.linspace(begin, own.x[-1], 501), own.x[own.x >= begin])
    np.testing.assert_allclose(found.at(x), own.at(x), rtol=0, atol=1e-12)
    assert found.area() == pytest.approx(own.area(), rel=1e-12, abs=1e-14)
    # straight lines between its points are as near as they are said to be
    there = np.isfinite(found.x)
    inside = np.setdiff1d(x[x >= found.x[there][0]], own.x)
    drawn = np.interp(inside, found.x[there], found.y[there])
    assert np.max(np.abs(drawn - own.at(inside))) <= np.ptp(found.y) / 2000


@pytest.mark.parametrize("curve", [name for name in KINDS if name != "pac"])
def test_a_vertical_average_is_the_mean_of_the_curves_at_every_x(curve: str) -> None:
    rng = np.random.default_rng(3)
    tables = []
    for n in (8, 30, 200):
        y = np.append([1, 0], rng.random(n) < 0.4)
        tables.append(hc.HitTable.from_scores(y, np.round(rng.normal(size=n + 2) + y)))
    found = hc.average_curve(tables, curve, "vertical")
    curves = [table.curve(curve) for table in tables]
    ends = max(c.x[0] for c in curves), min(c.x[-1] for c in curves)
    vertices = np.concatenate([c.x for c in curves])
    x = np.append(np.linspace(*ends, 301), vertices[vertices >= ends[0]])
    np.testing.assert_allclose(found.at(x), np.mean([c.at(x) for c in curves], axis=0), rtol=0, atol=1e-12)
    assert found.area() == pytest.approx(np.mean([c.area(ends) for c in curves]), rel=1e-12)


def test_an_average_does_not_cut_the_corner_of_a_step() -> None:
    grouped = hc.evaluate([1, 0, 1, 0] * 2, [4, 3, 2, 1] * 2, by=[1] * 4 + [2] * 4, metrics="auc")
    for along in ("rate", "vertical", "threshold", "pool"):
        found = grouped.average_curve("score", "roc", along)
        assert [found.at(x) for x in (0, 0.25, 0.49, 0.5, 1)] == [0.5, 0.5, 0.5, 1.0, 1.0]
        if along != "threshold":
            errors = grouped.average_curve("score", "det", along)
            assert [errors.at(x) for x in (0, 0.25, 0.49, 0.5, 1)] == [0.5, 0.5, 0.5, 0.0, 0.0]


def test_an_average_along_rates_by_brute_force_between_its_vertices() -> None:
    tables = [TIED, STEPS, ROUNDED]
    u = np.linspace(0.001, 1, 2000)
    both = [at_rate(table, u) for table in tables]
    pi = [float(table.prevalence) for table in tables]
    lift = hc.average_curve(tables, "lift")
    assert lift.at(u) == pytest.approx(np.mean([tpr / u for _, tpr in both], axis=0), rel=1e-12)
    precision = hc.average_curve(tables, "precision_recall")
    recall = np.mean([tpr for _, tpr in both], axis=0)
    moves = np.append(True, np.diff(recall) > 1e-9)
    wanted = np.mean([p * tpr / u for p, (_, tpr) in zip(pi, both, strict=True)], axis=0)
    assert precision.at(np.minimum(recall[moves], 1)) == pytest.approx(wanted[moves], rel=1e-9)
    fine = precision.at(x := np.linspace(0, 1, 200_001))
    assert precision.area() == pytest.approx(np.trapezoid(fine, x), abs=1e-5)


@pytest.mark.parametrize("along", ["rate", "vertical", "threshold", "pool"])
def test_the_average_of_long_lists_is_exact_too(along: str) -> None:
    rng = np.random.default_rng(4)
    y = rng.random(9000) < 0.1
    table = hc.HitTable.from_scores(y, rng.normal(size=9000) + y)
    for curve in ("roc", "lift"):
        if curve == "lift" and along == "threshold":
            continue
        found = hc.average_curve([table, table], curve, along)
        own = (table + table if along == "pool" else table).curve(curve)
        x = np.append(np.linspace(0, 1, 4001), own.x[:50])
        np.testing.assert_allclose(found.at(x), own.at(x), rtol=0, atol=1e-12)
        assert found.area() == pytest.approx(own.area(), rel=1e-12)
        assert found.x[2] < 0.001  # the top of the lists is among the points


def test_an_average_curve_out() -> None:
    found = hc.average_curve(MADE.tables())
    frame = found.to_frame("pandas")
    assert list(frame.columns) == ["x", "y", "x_error", "y_error", "low", "high"]
    assert found.at(1.0) == 1.0
    assert found.at(0.3) == pytest.approx(float(np.interp(0.3, found.x, found.y)), abs=1e-12)
    with pytest.raises(ParameterError, match="lie on the curve"):
        found.at(1.5)
    with pytest.raises(ParameterError, match="x must be numbers"):
        found.at("a")
    assert pickle.loads(pickle.dumps(found)).at(0.3) == found.at(0.3)
    with pytest.raises(ParameterError, match="'rate' is for"):
        hc.average_curve(MADE.tables(), "proc")
    with pytest.raises(ParameterError, match="threshold' is for roc"):
        hc.average_curve(MADE.tables(), "lift", "threshold")
    with pytest.raises(ParameterError, match="along must be one of"):
        hc.average_curve(MADE.tables(), "roc", "horizontal")
    with pytest.raises(InsufficientDataError, match="needs at least 2 groups, got 1"):
        hc.average_curve(MADE.tables()[:1])
    with pytest.raises(GridMismatchError, match="one grid"):
        hc.average_curve([table.collapse() for table in MADE.tables()], "roc", "threshold")
    with pytest.raises(ParameterError, match="minus infinity"):
        hc.average_curve(MADE.tables(), "pac", "vertical")


# ---- groups of one class


def with_one_class() -> tuple[list[int], list[int], list[str]]:
    y = [1, 0, 0, 1, 0, 0, 0, 0, 1, 1]
    return y, list(range(10, 0, -1)), ["a"] * 3 + ["b"] * 3 + ["none"] * 2 + ["all"] * 2


def test_one_class_is_refused_left_out_or_counted_as_zero() -> None:
    y, s, by = with_one_class()
    with pytest.raises(SingleClassError, match=r"1 of 4 groups have no positives \('none'\) and .*negatives \('all'\)"):
        hc.evaluate(y, s, by=by, metrics="ap")
    skipped = hc.evaluate(y, s, by=by, metrics="ap", single_class="skip")
    assert list(skipped) == ["a", "b"]
    assert skipped.left_out == {"all": "no negatives", "none": "no positives"}
    assert skipped.mean("score", "ap").value == 1.0
    assert "1 group with no positives left out: 'none'" in str(skipped)
    zero = hc.evaluate(y, s, by=by, metrics="ap", single_class="zero")
    assert zero.mean("score", "ap").value == pytest.approx(2 / 3)
    assert zero.mean("score", "ap").n_groups == 3
    assert "1 group with no positives counts as 0: 'none'" in str(zero)
    assert "1 positive in each" in str(zero)
    frame = zero.to_frame(backend="pandas")
    assert dict(zip(frame["group"], frame["value"], strict=True)) == {"a": 1.0, "b": 1.0, "none": 0.0}
    assert frame["reason"].tolist()[-1] == "the group has no positives"
    assert [row[:3] for row in zero.group_rows(zero.metrics[0])[1]][-1] == ["none", "", "0"]
    with pytest.raises(ColumnNotFoundError, match="no positives"):
        zero["none"]
    with pytest.raises(SingleClassError, match="none of 2 groups has both classes"):
        hc.evaluate([1, 1, 0, 0], [4, 3, 2, 1], by=[1, 1, 2, 2], metrics="ap", single_class="skip")


def test_a_metric_that_is_undefined_in_a_group() -> None:
    # scaled AUC is not positive in the second group: momentum has no value there
    y, s, by = [1, 0, 0, 1, 0, 0, 1, 0, 0], [3, 2, 1, 1, 2, 3, 3, 2, 1], [1, 1, 1, 2, 2, 2, 3, 3, 3]
    with pytest.warns(UndefinedMetricWarning, match=r"in 1 of 3 groups \('2'\)"):
        grouped = hc.evaluate(y, s, by=by, metrics="momentum", undefined="nan")
    assert np.isnan(grouped.values("score", "momentum")).sum() == 1
    assert grouped.mean("score", "momentum").n_groups == 2
    said = r"^in 1 of 3 groups \('2'\): momentum of 'score' is undefined: .*; undefined='nan' \(--undefined nan\) keeps"
    with pytest.raises(UndefinedMetricError, match=said):
        hc.evaluate(y, s, by=by, metrics="momentum")


def test_a_metric_that_is_undefined_in_many_groups_is_refused_with_all_of_them_and_each_ranker() -> None:
    y, s = np.tile([0, 0, 0, 1], 4), np.tile(np.arange(4.0), 4)
    last = np.where(np.arange(16) < 8, -s, s)
    by = np.repeat(["p", "q", "r", "s"], 4)
    with pytest.raises(UndefinedMetricError) as refused:
        hc.evaluate(y, {"a": s, "b": last}, by=by, metrics=["ap", "momentum"])
    assert str(refused.value).startswith("in 2 of 4 groups ('p', 'q'): momentum of 'b' is undefined: ")
    assert "'a'" not in str(refused.value)


def test_a_metric_that_is_undefined_in_every_group_leaves_the_others() -> None:
    y, s = np.tile([0, 0, 0, 1], 3), {"a": np.arange(12.0), "b": np.tile([0, 3, 1, 2], 3)}
    with pytest.warns(UndefinedMetricWarning, match="in 3 of 3 groups"):
        grouped = hc.evaluate(y, s, by=np.repeat([1, 2, 3], 4), metrics=["ap", "precision@5"], undefined="nan")
    assert grouped.mean("a", "ap").n_groups == 3
    with pytest.raises(UndefinedMetricError, match=r"precision@5 of 'a' is undefined in every group"):
        grouped.mean("a", "precision@5")
    with pytest.raises(InsufficientDataError, match="precision@5 is undefined in 3 of 3 groups"):
        grouped.compare("a", "b", "precision@5")
    means = grouped.to_frame(per="mean", backend="pandas").set_index(["metric", "ranker"])
    assert means.loc["precision@5"].drop(columns=["level", "n_groups", "reason"]).isna().all(axis=None)
    assert means.loc["precision@5", "n_groups"].tolist() == [0, 0]
    assert means.loc["ap", "mean"].tolist() == [1.0, 0.5]
    for form in FORMATS:
        assert "precision@5" in render(grouped, form)


def test_warnings_are_said_once_with_their_groups() -> None:
    y, by = [1, 0, 0] * 4, np.repeat(list("wxyz"), 3)
    with pytest.warns(HitcurveWarning) as heard:
        grouped = hc.evaluate(y, [3, 2, 1] * 2 + [1, 0, 0] + [7] * 3, by=by, metrics="auc")
    assert len(heard) == len(grouped.warnings) == 2
    said = [str(w.message) for w in heard]
    assert sum("in 1 of 4 groups ('y'): 'score' has only two values" in text for text in said) == 1
    assert sum("in 1 of 4 groups ('z'): 'score' is constant and ranks no subject" in text for text in said) == 1
    assert {w.filename for w in heard} == {__file__}


def test_a_direction_is_judged_by_the_mean() -> None:
    y, by = [1, 0, 0] * 4, np.repeat(list("wxyz"), 3)
    hc.evaluate(y, [3, 2, 1] * 3 + [1, 2, 3], by=by, metrics="auc")  # would raise: warnings are errors here
    with pytest.warns(DirectionWarning, match=r"mean AUC over groups is below one half for 'score' \(0.2500\)"):
        hc.evaluate(y, [3, 2, 1] + [1, 2, 3] * 3, by=by, metrics="auc")


# ---- tables of groups


def test_tables_of_groups() -> None:
    ranks = {"t1": [1, 4], "t2": [2, 3, 9]}
    tables = {
        g: {"a": hc.HitTable.from_ranks(r, n=50), "b": hc.HitTable.from_ranks(r[:1], n=50)} for g, r in ranks.items()
    }
    grouped = hc.evaluate(tables=tables, metrics=["ap", "wss@95%"])
    assert grouped["t1", "a", "ap"].value == hc.metric("ap").value(tables["t1"]["a"])
    assert grouped.mean("a", "ap").value == pytest.approx(np.mean([(1 + 2 / 4) / 2, (1 / 2 + 2 / 3 + 3 / 9) / 3]))
    assert grouped.compare("a", "b", "ap").n_groups == 2
    with pytest.raises(ParameterError, match="cannot be pooled into one list of subjects"):
        _ = grouped.pooled
    with pytest.raises(ParameterError, match="every group needs the same rankers"):
        hc.evaluate(tables={"t1": tables["t1"], "t2": {"a": tables["t2"]["a"]}})
    mixed: Any = {"t1": tables["t1"], "t2": tables["t2"]["a"]}
    with pytest.raises(ParameterError, match="tables mix groups and rankers"):
        hc.evaluate(tables=mixed)
    with pytest.raises(SingleClassError, match="1 of 2 groups"):
        hc.evaluate(tables={"t1": tables["t1"], "t2": dict.fromkeys("ab", hc.HitTable.from_ranks([1, 2], n=2))})


@pytest.mark.parametrize("lacking", ["a", "b"])
def test_one_class_in_the_table_of_any_ranker(lacking: str) -> None:
    both, one = hc.HitTable.from_ranks([1, 4], n=50), hc.HitTable.from_counts([0], [50])
    tables = {"t1": {"a": both, "b": both}, "t2": {"a": both, "b": both, lacking: one}}
    assert hc.evaluate(tables=tables, metrics="ap", single_class="skip").left_out == {"t2": "no positives"}
    assert hc.evaluate(tables=tables, metrics="ap", single_class="zero").mean("a", "ap").n_groups == 2


def test_tables_are_named_as_columns_are() -> None:
    of_group = {"a": hc.HitTable.from_ranks([1, 4], n=50)}
    tables: Any = {10.0: of_group, 9.0: of_group}
    assert list(hc.evaluate(tables=tables, metrics="ap")) == ["9", "10"]


# ---- folds of scikit-learn


def test_folds_of_a_cross_validation() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(["no", "yes"], [80, 40])
    X = rng.normal(size=(120, 3)) + (y == "yes")[:, None]
    cv = StratifiedKFold(6)
    models = {"logistic": LogisticRegression(), "bayes": GaussianNB()}
    wanted = {"return_estimator": True, "return_indices": True, "scoring": "roc_auc"}
    results = {name: cross_validate(model, X, y, cv=cv, **wanted) for name, model in models.items()}
    grouped = hc.evaluate_cv_results(results, X, y, metrics=["auc", "ap"])
    assert grouped.by == "fold"
    for name in models:
        assert grouped.values(name, "auc") == pytest.approx(results[name]["test_score"], rel=1e-12)
    t = stats.ttest_rel(*(results[name]["test_score"] for name in models))
    assert grouped.compare("logistic", "bayes", "auc", method="paired-t").pvalue == pytest.approx(t.pvalue, rel=1e-9)
    assert grouped.compare("logistic", "bayes", "auc").method == "corrected-t"
    alone = hc.evaluate_cv_results(results["bayes"], X, y, metrics="auc", pos_label="no")
    assert alone.values("score", "auc") == pytest.approx(results["bayes"]["test_score"], rel=1e-12)
    with pytest.raises(UndefinedMetricError, match=r"^in 6 of 6 groups .*undefined='nan'"):
        hc.evaluate_cv_results(results["bayes"], X, y, metrics="precision@1000")
    with pytest.warns(UndefinedMetricWarning, match="in 6 of 6 groups"):
        beyond = hc.evaluate_cv_results(results["bayes"], X, y, metrics=["auc", "precision@1000"], undefined="nan")
    assert np.isnan(beyond.values("score", "precision@1000")).all()
    assert np.array_equal(beyond.values("score", "auc"), grouped.values("bayes", "auc"))
    with pytest.raises(ParameterError, match="undefined must be one of 'raise', 'nan', got 'skip'"):
        hc.evaluate_cv_results(results["bayes"], X, y, undefined="skip")
    other = cross_validate(GaussianNB(), X, y, cv=KFold(6, shuffle=True, random_state=0), **wanted)
    with pytest.raises(ParameterError, match="'b' and 'a' were given different folds"):
        hc.evaluate_cv_results({"a": results["bayes"], "b": other}, X, y)
    for bad in ({}, {"test_score": [1]}, {"a": {"test_score": [1]}}):
        with pytest.raises(ParameterError, match="return_estimator=True"):
            hc.evaluate_cv_results(bad, X, y)
    with pytest.raises(ParameterError, match="a mapping of the names of models to them, got list"):
        hc.evaluate_cv_results([results["bayes"]], X, y)  # type: ignore[arg-type]
    train, test = ([*results["bayes"]["indices"][side]] for side in ("train", "test"))
    empty = np.arange(0)
    odd: dict[str, tuple[Any, Any, Any]] = {
        "got 0 estimators and test rows of 0 folds": ([], [], []),
        "got 6 estimators and test rows of 5 folds": (None, train, test[1:]),
        "got 6 estimators and train rows of 7 folds": (None, [*train, train[0]], test),
        "fold 2 of cv_results has no train rows": (None, [train[0], empty, *train[2:]], test),
        "fold 1 of cv_results has no test rows": (None, train, [empty, *test[1:]]),
        "the test rows of fold 1 of cv_results must be whole numbers": (None, train, [test[0] / 2, *test[1:]]),
        "the train rows of fold 6 .* of at least 0, got": (None, [*train[:5], train[5] - 120], test),
        "the test rows of fold 6 .* of at least 0, got": (None, train, [*test[:5], np.isin(range(120), test[5])]),
    }
    for sentence, (estimators, *sides) in odd.items():
        made = results["bayes"]["estimator"] if estimators is None else estimators
        of_odd: dict[str, Any] = {"estimator": made, "indices": dict(zip(("train", "test"), sides, strict=True))}
        with pytest.raises(ParameterError, match=sentence):
            hc.evaluate_cv_results(of_odd, X, y)
    for lacking, indices in {"train": {"test": test}, "test": {"train": train}}.items():
        with pytest.raises(ParameterError, match=f"must have the {lacking} rows of each fold"):
            hc.evaluate_cv_results(results["bayes"] | {"indices": indices}, X, y)
    with pytest.raises(ParameterError, match="must have the test rows of each fold"):
        hc.evaluate_cv_results(results["bayes"] | {"indices": None}, X, y)
    for fewer in ((X[:40], y), (X, y[:40]), (X, list(y[:40]))):
        with pytest.raises(ParameterError, match="has 40 rows: give the data that were cross-validated"):
            hc.evaluate_cv_results(results["bayes"], *fewer)


# ---- out


def test_out() -> None:
    grouped = MADE.grouped()
    rows = grouped.to_frame(backend="pandas")
    assert len(rows) == 7 * 2 * len(FORMS)
    assert list(rows.columns[:4]) == ["group", "ranker", "metric", "value"]
    means = grouped.to_frame(per="mean", backend="pandas")
    assert (*means.columns, "reason") == MEAN_COLUMNS
    per_group = rows.groupby(["ranker", "metric"])["value"].mean()
    for record in means.itertuples():
        assert record.mean == pytest.approx(per_group[record.ranker, record.metric], rel=1e-12)
    for form in FORMATS:
        assert "t3" in render(grouped, form) or form == "latex"
    assert "7 groups: " in str(grouped)
    assert "t intervals over groups" in grouped.methods_text()
    assert json.loads(render(grouped, "json", grouped.compare_all("ap")))["comparisons"][0]["n_groups"] == 7


def test_many_groups_are_not_printed_one_by_one() -> None:
    many = Made(45, seed=1).grouped(metrics="auc")
    assert "45 groups are too many" in str(many)
    assert "t44" not in str(many)


# ---- bad input

_BOTH: Any = {"tables": {"a": hc.HitTable.from_ranks([1], n=3)}}
BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "a group for some": (lambda: hc.evaluate([1, 0, 1], [3, 2, 1], by=["a", "a"]), InputError, "groups"),
    "a missing group": (
        lambda: hc.evaluate([1, 0], [2, 1], by=["a", None]),
        MissingValueError,
        "1 of 2 groups are missing",
    ),
    "no such column": (
        lambda: hc.evaluate("y", "s", data={"y": [1, 0], "s": [2, 1], "fold": [1, 1]}, by="flod"),
        ColumnNotFoundError,
        "fold",
    ),
    "tables and by": (
        lambda: hc.evaluate(by=[1], **_BOTH),
        ParameterError,
        "not both",
    ),
    "a policy": (lambda: MADE.grouped(single_class="drop"), ParameterError, "single_class must be one of"),
    "a method": (
        lambda: MADE.grouped().compare("a", "b", "ap", method="delta"),
        ParameterError,
        "method must be one of",
    ),
    "an alternative": (
        lambda: MADE.grouped().compare("a", "b", "ap", alternative="higher"),
        ParameterError,
        "alternative must be",
    ),
    "a ranker twice": (lambda: MADE.grouped().compare("a", "a", "ap"), ParameterError, "two rankers"),
    "no such ranker": (lambda: MADE.grouped().compare("a", "c", "ap"), ColumnNotFoundError, "no ranker 'c'"),
    "no such group": (lambda: MADE.grouped()["t99"], ColumnNotFoundError, "no group 't99'"),
    "a metric that was not evaluated": (
        lambda: MADE.grouped().mean("a", "bedroc"),
        ColumnNotFoundError,
        "not evaluated",
    ),
    "rows per what of a frame": (lambda: MADE.grouped().to_frame("folds"), ParameterError, "per must be one of"),
    "two groups of one name": (
        lambda: hc.evaluate(tables={1: _BOTH["tables"], "1": _BOTH["tables"]}),  # type: ignore[dict-item]
        ParameterError,
        "two groups are called '1'",
    ),
    "a group without rankers": (lambda: hc.evaluate(tables={"t1": {}}), InputError, "no ranker"),
    "no table": (lambda: hc.evaluate(tables={"t1": {"a": 3}}), ParameterError, "'a' is int"),  # type: ignore[dict-item]
    "lists as groups": (
        lambda: hc.evaluate([1, 0], [2, 1], by=pl.Series([["a"], ["a"]])),
        InputError,
        "groups must hold one value for each subject, got a ndarray",
    ),
    "a negative deviation": (lambda: hc.compare_from_stats(1, -1, 3, 2, 1, 3), ParameterError, "negative"),
    "a deviation of one": (
        lambda: hc.compare_from_stats(1, 1, 1, 2, 1, 3),
        ParameterError,
        "needs at least 2 groups, got 1 and 3",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name: str) -> None:
    do, kind, words = BAD[name]
    with pytest.raises(kind, match=words):
        do()


def test_one_group_has_a_value_and_no_doubt() -> None:
    one = hc.evaluate([1, 0, 1, 0], {"a": [4, 3, 2, 1], "b": [4, 2, 3, 1]}, by=["x"] * 4, metrics="ap")
    assert one.mean("a", "ap").value == pytest.approx(5 / 6)
    assert one.mean("a", "ap").interval is None
    assert "an interval of a mean needs at least 2 groups" in str(one)
    with pytest.raises(InsufficientDataError, match="needs at least 2 groups"):
        one.mean("a", "ap").confidence_interval()
    with pytest.raises(InsufficientDataError, match="needs at least 2 groups"):
        one.compare("a", "b", "ap")


# ---- published data


def test_ten_folds_of_hiv_coreceptor_use(shared_data: Path) -> None:
    columns = read_columns("roc/rocr_hiv.csv.gz")
    y = (columns["label"] == 1).astype(int)
    scores = {name: columns[f"score_{name}"] for name in ("svm", "nn")}
    grouped = hc.evaluate(y, scores, by=columns["fold"], metrics=["auc", "ap"])
    assert len(grouped) == 10
    for fold, ev in grouped.groups.items():
        here = columns["fold"] == float(fold)
        for name, s in scores.items():
            assert ev[name, "auc"].value == pytest.approx(roc_auc_score(y[here], s[here]), abs=1e-12)
    # every fold has 78 of 345: averages at a rate, and the mean of the areas, are those of one prevalence
    assert grouped.average_curve("svm").area() == pytest.approx(grouped.mean("svm", "auc").value, abs=1e-9)
    d = grouped.values("svm", "auc") - grouped.values("nn", "auc")
    assert grouped.compare("svm", "nn", "auc").pvalue == pytest.approx(stats.ttest_1samp(d, 0).pvalue, rel=1e-9)


@pytest.mark.parametrize(("run", "level"), [(r, v) for r in ("waterloo_a", "waterloo_b") for v in LEVELS])
def test_reviews_of_clef_2017(shared_data: Path, run: str, level: str) -> None:
    columns = read_columns(CLEF)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MissingValueWarning)  # four documents of one topic are in no list
        grouped = hc.evaluate(
            columns[LEVELS[level]],
            {run: columns[f"rank_{run}"]},
            by=columns["topic"].astype(str),
            higher_is_better=False,
            missing="last",
            metrics=list(CLEF_FORMS.values()),
            single_class="skip",
        )
    for name, form in CLEF_FORMS.items():
        official = clef_official()[run, level][name]
        assert printed_as(grouped.mean(run, form).value, official["ALL"], decimals=3)
        assert set(grouped) == set(official) - {"ALL"}
        for topic, printed in official.items():
            assert topic == "ALL" or printed_as(grouped[topic, run, form].value, printed, decimals=3), topic


CLEF_FORMS = {"ap": "ap", "wss_95": "wss@95%(cut=round)", "wss_100": "wss@100%", "norm_area": "auac(scale=max)"}


# the published enrichment divides by 1%, whatever share of the list 1% was rounded down to
EF = "recall@1%(cut=floor)"


def test_targets_of_dekois(shared_data: Path) -> None:
    columns = read_columns(DEKOIS)
    programs = ("smina", "ifp", "cnn_score", "rf_score_vs")
    grouped = hc.evaluate(
        columns["label"],
        {program: columns[f"{program}_listpos"] for program in programs},
        by=columns["target"].astype(str),
        higher_is_better=False,
        metrics=[EF, "bedroc(alpha=20)", "auc", "croc(exp, alpha=80)"],
    )
    values = read_columns("reference_values.csv")
    published = {
        (target, program): value
        for file, quantity, value in zip(values["file"], values["quantity"], values["value"], strict=True)
        for target, program in itertools.product(grouped, programs)
        if file == DEKOIS and quantity.startswith(f"EF1% {target} {program} ")
    }
    assert len(published) == 12
    for (target, program), printed in published.items():
        assert printed_as(100 * grouped[target, program, EF].value, str(printed), decimals=2)
    for program in programs:
        theirs = np.mean([float(published[target, program]) for target in grouped])
        assert 100 * grouped.mean(program, EF).value == pytest.approx(theirs, abs=0.005)
    d = grouped.values("rf_score_vs", "auc") - grouped.values("smina", "auc")
    assert grouped.compare("rf_score_vs", "smina", "auc").pvalue == pytest.approx(stats.ttest_1samp(d, 0).pvalue)


def test_targets_of_mlsf(shared_data: Path) -> None:
    columns = read_columns(MLSF)
    other = ("target", "no", "id", "label", "potency")
    # the published lists leave equal scores in the order of the file
    scores = {
        name: np.argsort(np.argsort(-values, kind="stable")) for name, values in columns.items() if name not in other
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HitcurveWarning)
        grouped = hc.evaluate(columns["label"], scores, by=columns["target"], higher_is_better=False, metrics=EF)
    values = read_columns("reference_values.csv")
    checked = 0
    for file, quantity, printed in zip(values["file"], values["quantity"], values["value"], strict=True):
        if file != MLSF:
            continue
        _, target, kind = str(quantity).split()[:3]
        runs = [name for name in scores if name == kind or name.startswith(f"{kind}_run")]
        found = float(100 * np.median([grouped[target, name, EF].value for name in runs]))
        assert printed_as(found, str(printed), decimals=2), quantity
        checked += 1
    assert checked == 27


# ---- labels in another file


def _write(path: Path, header: str, lines: Sequence[str]) -> None:
    path.write_text("\n".join([header, *lines]) + "\n")


def _joined(folder: Path, *options: str) -> Any:
    words = ("--labels", "truth.csv", "-l", "y", "--on", "id", "--by", "target", "-s", "a", "-s", "b")
    return json.loads(_shell(folder, "evaluate", "poses.csv", *words, *options, "-f", "json", FORMS))


def _poses(folder: Path, *, twice: bool) -> None:
    """Write scores of every subject of MADE, if wanted with a second row that is worse by both."""
    ids = [f"m{i}" for i in range(MADE.y.size)]
    rows = list(zip(ids, MADE.a, MADE.b, MADE.group, strict=True))
    lines = [f"{i},{a},{b},{g}" for i, a, b, g in rows]
    worse = [f"{i},{a - 1},{b - 2},{g}" for i, a, b, g in rows[::2]] if twice else []
    _write(folder / "poses.csv", "id,a,b,target", [*lines, *worse])
    _write(folder / "truth.csv", "id,y", [f"{i},{y}" for i, y in zip(ids, MADE.y, strict=True)][::-1])


@pytest.mark.slow
@pytest.mark.parametrize("twice", [False, True])
def test_labels_by_id_keep_their_groups(tmp_path: Path, twice: bool) -> None:
    _poses(tmp_path, twice=twice)
    found = _joined(tmp_path, *(["--per-id", "best"] if twice else []))
    assert found["groups"] == json.loads(render(MADE.grouped(), "json"))["groups"]
    assert found["means"] == json.loads(render(MADE.grouped(), "json"))["means"]
    assert any("joined by 'id'" in note for note in found["notes"])


@pytest.mark.slow
def test_clusters_go_with_a_join(tmp_path: Path) -> None:
    _poses(tmp_path, twice=False)
    words = ("--labels", "truth.csv", "-l", "y", "--on", "id", "-s", "a", "--cluster", "target", "-f", "json")
    found = json.loads(_shell(tmp_path, "evaluate", "poses.csv", *words, ("auc",)))
    alone = hc.evaluate(MADE.y, {"a": MADE.a}, clusters=MADE.group, metrics="auc")
    assert found["results"][0]["standard_error"] == pytest.approx(alone["a", "auc"].standard_error, rel=1e-12)


@pytest.mark.slow
def test_ids_in_one_file_only_are_counted_and_go_by_policy(tmp_path: Path) -> None:
    _poses(tmp_path, twice=False)
    with (tmp_path / "truth.csv").open("a") as file:
        file.write("lost,1\nfound,0\n")
    found = _joined(tmp_path, "--missing", "drop")
    assert found["groups"] == json.loads(render(MADE.grouped(), "json"))["groups"]
    assert any("2 without a score" in note for note in found["notes"])
    assert "2 of truth.csv have no score" in _refused(tmp_path)
    assert "no group to be ranked last in" in _refused(tmp_path, "--missing", "last")


def test_an_id_belongs_to_one_group(tmp_path: Path) -> None:
    _poses(tmp_path, twice=False)
    with (tmp_path / "poses.csv").open("a") as file:
        file.write("m0,0,0,elsewhere\n")
    assert "id 'm0' has rows of different groups" in _refused(tmp_path, "--per-id", "best")


def _refused(folder: Path, *options: str) -> str:
    words = ("--labels", "truth.csv", "-l", "y", "--on", "id", "--by", "target", "-s", "a", *options)
    done = in_process("evaluate", "poses.csv", *words, cwd=folder)
    assert done.returncode == 2
    return done.stderr


def test_what_is_nan_has_a_reason_beside_it() -> None:
    y, group = [1, 0, 1, 0, 1, 0, 1, 0, 1, 0] * 2 + [1, 0], [1] * 20 + [2] * 2
    up = [9, 8, 7, 6, 5, 4, 3, 2, 1, 0] * 2 + [1, 2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        grouped = hc.evaluate(y, {"a": up}, by=group, metrics=["ap", "momentum"], undefined="nan")
        alone = hc.evaluate(y, {"a": up}, by=[1] * 22, metrics=["ap", "momentum"], undefined="nan")
        plain = hc.evaluate(y[20:], up[20:], metrics=["ap", "momentum"], undefined="nan")
    frames = [grouped.to_frame(backend="pandas"), plain.to_frame(backend="pandas")]
    means = [ev.to_frame(per="mean", backend="pandas") for ev in (grouped, alone)]
    looked_at = [["value", "standard_error", "low"]] * 2 + [["mean", "standard_error", "low", "within_error"]] * 2
    for frame, names in zip((*frames, *means), looked_at, strict=True):
        lacking = frame.reindex(columns=names).isna().any(axis=1)
        assert lacking.any()
        assert ((frame["reason"] != "") == lacking).all()
    of_two = frames[0][(frames[0]["group"] == "2") & (frames[0]["metric"] == "momentum")]
    assert "not above 1/2" in of_two["reason"].item()
    assert "at least 2 groups" in means[1]["reason"].iloc[0]
    assert "reason" not in MADE.grouped(metrics="auc").pooled.to_frame(backend="pandas")


@pytest.mark.parametrize("scale", [1.0, 1e4, 1e-14])
def test_what_rounding_is_goes_by_the_size_of_the_values(scale: float) -> None:
    a = scale * np.array([1, 2, 3, 4, 5, 6, 7, 8]) / 13
    metric = hc.metric("ef@1%")
    for b, sure in ((a - scale / 13, True), (a * (1 - 1e-15), False)):
        found = of_groups(metric, ("a", "b"), (a, b))
        assert found.method == ("sign-flip" if sure else "paired-t")
        assert found.pvalue == (2 / 2**8 if sure else 1)
        assert (found.wins, found.ties, found.losses) == ((8, 0, 0) if sure else (0, 8, 0))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for method in ("paired-t", "corrected-t"):
                if sure:
                    with pytest.raises(InsufficientDataError, match="nothing varies by group"):
                        of_groups(metric, ("a", "b"), (a, b), method=method)
    uneven = a - scale * np.array([1, 2, 1, 3, 1, 2, 1, 1]) / 13
    one, other = (of_groups(metric, ("a", "b"), (x, y)) for x, y in ((a, uneven), (a / scale, uneven / scale)))
    assert one.pvalue == pytest.approx(other.pvalue, rel=1e-9)


def test_options_of_one_list_are_refused_across_groups(tmp_path: Path, shell: Shell) -> None:
    """Each with one sentence that sends nobody round."""
    y = [1, 0] * 12
    s = {name: np.random.default_rng(i).normal(size=24) + 3 * np.array(y) for i, name in enumerate("ab")}
    ev = hc.evaluate(y, s, by=np.arange(24) // 8, metrics="auc")
    for ask in (
        lambda: ev.compare("a", "b", "auc", interval="bca"),
        lambda: ev.compare_all("auc", interval="percentile"),
        lambda: ev.compare_all("auc", adjust="max-t"),
    ):
        with pytest.raises(ParameterError, match="is for rankers of one list: comparisons across groups take"):
            ask()
    (tmp_path / "t.csv").write_text("y,a,b,g\n1,2,1,1\n0,1,2,1\n1,2,1,2\n0,1,2,2\n")
    asked = ("evaluate", tmp_path / "t.csv", "-l", "y", "-s", "a", "-s", "b", "--by", "g", "--compare", "auc")
    refusal = shell(*asked, "--interval", "bca").refusal
    assert "across groups" in refusal
    assert "bootstrap" not in refusal


def test_folds_keep_their_interval_whatever_the_test() -> None:
    rng = np.random.default_rng(3)
    y = rng.random(200) < 0.3
    scores = {"a": y + rng.normal(size=200), "b": 0.5 * y + rng.normal(size=200)}
    ev = hc.evaluate(y, scores, folds=np.repeat(range(5), 40), metrics="ap")
    corrected = ev.compare("a", "b", "ap")
    for method in ("wilcoxon", "sign-flip"):
        found = ev.compare("a", "b", "ap", method=method)
        assert found.difference.confidence_interval() == corrected.difference.confidence_interval()
        assert "folds share training data, but" in found.cautions[0]
    plain = ev.compare("a", "b", "ap", method="paired-t")
    assert plain.difference.standard_error < corrected.difference.standard_error
    assert "too small" in plain.cautions[0]


def test_subjects_that_are_tested_twice_are_no_list() -> None:
    rng = np.random.default_rng(4)
    y = rng.random(100) < 0.3
    s = y + rng.normal(size=100)
    fold = np.repeat(range(10), 100)
    again = hc.evaluate(np.tile(y, 10), {"a": np.tile(s, 10)}, folds=fold, test_fraction=0.2, metrics="ap")
    with pytest.raises(ParameterError, match="more than once"):
        _ = again.pooled
    assert "pooled" not in again.to_dict()
    assert "tested more than once, so they are not pooled" in str(again)
    parts = hc.evaluate(y, {"a": s}, folds=np.repeat(range(10), 10), test_fraction=0.1, metrics="ap")
    assert parts.pooled["a", "ap"].n == 100
    X = rng.normal(size=(100, 2)) + y[:, None]
    for cv, once in ((StratifiedKFold(5), True), (RepeatedStratifiedKFold(n_splits=5, n_repeats=2), False)):
        made = cross_validate(LogisticRegression(), X, y, cv=cv, return_estimator=True, return_indices=True)
        found = hc.evaluate_cv_results(made, X, y, metrics="ap")
        assert ("pooled" in found.to_dict()) is once


@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
def test_means_over_other_groups_say_so() -> None:
    rng = np.random.default_rng(0)
    y, group = rng.random(400) < 0.4, np.repeat(range(20), 20)
    scores = {"a": rng.normal(size=400) + 0.7 * y, "b": rng.normal(size=400)}
    ev = hc.evaluate(y, scores, by=group, metrics=["momentum", "ap"], undefined="nan")
    said = [line for line in str(ev).splitlines() if line.startswith("note: means of")]
    numbers = [ev.mean(name, "momentum").n_groups for name in scores]
    assert numbers[0] != numbers[1]
    assert len(said) == 1
    assert f"({numbers[0]} for a, {numbers[1]} for b)" in said[0]


NOISE = np.array([1.0, -2.0, 3.0, 0.5, -1.0, 2.0, 1.0, 1.5, -0.5, 1.0]) * 1e-17


@pytest.mark.parametrize("method", ["auto", "paired-t", "corrected-t", "wilcoxon", "sign-flip"])
@pytest.mark.parametrize(("scale", "null"), [(1.0, 0.0), (1e6, 0.0), (1e-6, 0.0), (1.0, 0.25), (1e-6, 0.25)])
def test_differences_that_are_rounding_are_none(method: str, scale: float, null: float) -> None:
    values = scale * np.linspace(0.1, 0.9, 10)
    found = of_groups(
        hc.metric("auc"), ("a", "b"), (values + null + 10 * scale * NOISE, values), method=method, null=null
    )
    assert found.pvalue == 1, found


def test_equal_differences_are_tied_whatever_their_rounding() -> None:
    b = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    d = np.array([1, 1, 1, -1, 2, 2, -2, 0]) * 1e-6
    expected = stats.wilcoxon(np.round(d * 1e6), zero_method="pratt")
    found = of_groups(hc.metric("auc"), ("a", "b"), (b + d, b), method="wilcoxon")
    assert (found.statistic, found.pvalue) == (expected.statistic, expected.pvalue)
    exact = of_groups(hc.metric("auc"), ("a", "b"), (d * 1e6, 0 * b), method="sign-flip")
    assert of_groups(hc.metric("auc"), ("a", "b"), (b + d, b), method="sign-flip").pvalue == exact.pvalue
    assert "zeros after Pratt, mean ranks of ties" in found.methods_text()


def test_a_prompt_shows_what_a_result_is() -> None:
    y = np.arange(60) % 4 == 0
    s = np.arange(60) * 7 % 60 + 30 * y
    grouped = hc.evaluate(y, {"a": s, "b": s // 3}, metrics=["ap", "auc"], by=np.arange(60) // 20)
    table = grouped["1"].tables["a"]
    assert repr(grouped) == "<GroupedEvaluation of 'a', 'b' by 'ap', 'auc': 3 groups>"
    assert repr(grouped["1"]) == "<Evaluation of 'a', 'b' by 'ap', 'auc'>"
    assert repr(table.curve("roc")) == f"<Curve roc, TPR over FPR: {len(table.curve('roc').x)} vertices>"
    average = hc.average_curve([grouped[name].tables["a"] for name in ("0", "1", "2")])
    assert repr(average) == f"<AverageCurve roc of 3 groups: {average.x.size} points>"
    band = hc.evaluate(y, s, metrics="auc").band("score", "roc")
    assert repr(band) == "<Band of roc: 95%, simultaneous, region>"
    assert repr(band.low).startswith(f"<SampledCurve from x = {band.x[0]:g} to {band.x[-1]:g}: {band.x.size} points")


# ---- groups of one class, by weight


_OF_ONE = np.repeat(list("abcd"), 6)
_Y_OF_ONE = np.tile([1, 0], 12)
_S_OF_ONE = np.arange(24)[::-1]
_UNEQUAL = 1 + 0.1 * np.arange(24)
WITHOUT_WEIGHT = {
    "positives": (np.where((_OF_ONE == "b") & (_Y_OF_ONE == 1), 0, _UNEQUAL), "no positives"),
    "negatives": (np.where((_OF_ONE == "b") & (_Y_OF_ONE == 0), 0, _UNEQUAL), "no negatives"),
    "equal positives": (np.where((_OF_ONE == "b") & (_Y_OF_ONE == 1), 0, 1.0), "no positives"),
    "all": (np.where(_OF_ONE == "b", 0, _UNEQUAL), "no positives"),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", WITHOUT_WEIGHT)
@pytest.mark.parametrize("policy", ["raise", "skip", "zero"])
def test_a_class_of_no_weight_is_no_class_at_any_door(case: str, policy: str, tmp_path: Path, shell: Shell) -> None:
    weight, lacks = WITHOUT_WEIGHT[case]
    path = tmp_path / "w.csv"
    rows = zip(_Y_OF_ONE.tolist(), _S_OF_ONE.tolist(), _OF_ONE.tolist(), weight.tolist(), strict=True)
    path.write_text("y,s,g,w\n" + "".join(f"{y},{s},{g},{w!r}\n" for y, s, g, w in rows))
    scores = {"s": _S_OF_ONE}
    tables = hc.count_tables(_Y_OF_ONE, scores, by=_OF_ONE, sample_weight=weight)
    how: dict[str, Any] = {"metrics": "ap", "single_class": policy}
    doors: list[Callable[[], Any]] = [
        lambda: hc.evaluate(_Y_OF_ONE, scores, by=_OF_ONE, sample_weight=weight, **how),
        lambda: hc.evaluate("y", ["s"], data=path, by="g", sample_weight="w", **how),
        lambda: hc.evaluate(tables=tables, **how),
    ]
    asked = ("evaluate", path, "-l", "y", "-s", "s", "--by", "g", "--weight", "w", "-m", "ap", "--single-class", policy)
    if policy == "raise":
        for door in doors:
            with pytest.raises(SingleClassError, match=rf"^1 of 4 groups have {lacks} \('b'\): leave them out"):
                door()
        assert f"1 of 4 groups have {lacks} ('b')" in shell(*asked).refusal
        return
    found = [door() for door in doors]
    assert [dict(ev.left_out) for ev in found] == [{"b": lacks}] * 3
    values = [ev.values("s", "ap") for ev in found]
    assert all(own == pytest.approx(values[0], rel=1e-12) for own in values)
    assert len(values[0]) == (4 if (policy, lacks) == ("zero", "no positives") else 3)
    assert found[0].mean("s", "ap").value == pytest.approx(found[2].mean("s", "ap").value)
    assert found[0].pooled is not None
    whole = hc.HitTable.from_scores(_Y_OF_ONE, _S_OF_ONE, sample_weight=weight)
    assert found[0].pooled["s", "ap"].value == pytest.approx(hc.metric("ap").value(whole))
    assert lacks in shell(*asked).out


@pytest.mark.parametrize("wanted", ["atd", "loss", "fpr@tpr=95%", ["auc", "loss"]])
def test_nothing_counts_as_0_where_that_is_the_best_value(wanted: Any) -> None:
    y = np.where(_OF_ONE == "b", 0, _Y_OF_ONE)
    words = rf"counts groups without positives as 0, which is the best value of {np.ravel(wanted)[-1]}: "
    door: dict[str, Any]
    for door in (
        {"y_true": y, "y_score": _S_OF_ONE, "by": _OF_ONE},
        {"tables": hc.TableStack.from_scores(y, _S_OF_ONE, _OF_ONE)},
    ):
        with pytest.raises(ParameterError, match=words):
            hc.evaluate(metrics=wanted, single_class="zero", **door)
        assert hc.evaluate(metrics=wanted, single_class="skip", **door).left_out == {"b": "no positives"}


def test_a_wide_frame_has_a_column_for_each_metric() -> None:
    wanted = ("auc", "ap", "hits@9")
    y, s, by = [1, 0, 1, 0] * 2 + [1, 0] * 5, [*range(8, 0, -1), *range(10)], [1] * 4 + [2] * 4 + [3] * 10
    with pytest.warns(UndefinedMetricWarning):
        grouped = hc.evaluate(y, {"a": s, "b": s[::-1]}, by=by, metrics=wanted, undefined="nan")
    long, wide = grouped.to_frame(backend="pandas"), grouped.to_frame(wide=True, backend="pandas")
    assert list(wide.columns) == ["group", "ranker", *wanted, "reason"]
    assert wide["group"].tolist() == ["1", "1", "2", "2", "3", "3"]
    for name in wanted:
        np.testing.assert_array_equal(wide[name], long[long["metric"] == name]["value"])
    assert [text.startswith("hits@9: ") for text in wide["reason"]] == [True] * 4 + [False] * 2
    means = grouped.to_frame("mean", wide=True, backend="pandas")
    assert means["ranker"].tolist() == ["a", "b"]
    assert means["auc"].tolist() == [grouped.mean(name, "auc").value for name in ("a", "b")]
    with pytest.raises(ParameterError, match="wide"):
        grouped.to_frame(wide="yes")  # type: ignore[arg-type]


def test_a_curve_from_minus_infinity_is_pooled() -> None:
    ev = MADE.grouped(metrics="auc")
    with pytest.raises(
        ParameterError, match="a pac curve begins at minus infinity: pool the groups, with along='pool'"
    ):
        ev.average_curve("a", "pac", "vertical")
    assert ev.average_curve("a", "pac", "pool").curve == "pac"


# ---- groups that do not vary


@pytest.mark.filterwarnings("ignore::hitcurve.errors.DirectionWarning")
def test_a_mean_of_equal_values_has_no_interval() -> None:
    y, g = np.tile([1, 1, 0, 0, 0], 8), np.repeat(np.arange(4), 10)
    scores = {"best": np.tile([5, 4, 3, 2, 1], 8), "worst": np.tile([1, 2, 3, 4, 5], 8), "some": np.arange(40) % 7}
    ev = hc.evaluate(y, scores, metrics="auc", by=g)
    for name in ("best", "worst"):
        mean = ev.mean(name, "auc")
        assert (mean.standard_error, mean.interval) == (0, None)
        with pytest.raises(InsufficientDataError, match="the groups do not vary here: a standard error of 0"):
            mean.confidence_interval()
    assert ev.mean("some", "auc").interval is not None
    assert "no interval of auc of 'best', 'worst': the groups do not vary there" in ev.about_intervals()
    alone = hc.evaluate(y, {"some": scores["some"]}, metrics="auc", by=g)
    assert "no interval of" not in alone.about_intervals()
    alike = "all groups have the same difference: a standard error of 0"
    assert any(alike in caution for caution in ev.compare("best", "worst", "auc").cautions)
    assert not any(alike in caution for caution in ev.compare("best", "some", "auc").cautions)


@pytest.mark.parametrize(("prevalence", "said"), [(0.01, True), (0.5, False), (None, False)])
def test_means_that_few_negatives_decide_are_said(prevalence: float | None, said: bool) -> None:
    rng = np.random.default_rng(2)
    by = np.repeat(np.arange(12), 150)
    y = rng.random(by.size) < 0.2
    ev = quietly(y, {"a": rng.normal(size=by.size) + y}, metrics=["ap", "auc"], by=by, prevalence=prevalence)
    found = [text for text in ev.cautions if text.startswith("means of ap: in 12 of 12 groups fewer than 80 negatives")]
    assert bool(found) == said
    assert ("means of ap:" in str(ev)) == said
