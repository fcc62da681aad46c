"""Covariances, influence values and contrasts: what others build on."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import hitcurve as hc
from hitcurve.errors import ColumnNotFoundError, InputError, InsufficientDataError, ParameterError, UndefinedMetricError
from tests.metrics_under_test import FORMS
from tests.sampled import binormal, quietly

SAMPLE = binormal(40, 160, 1.5, 1.0, 0.6, seed=5)
TIED = binormal(40, 160, 1.5, 1.0, seed=6, levels=9)


def again_of(ev: hc.Evaluation) -> hc.Evaluation:
    found = hc.from_json(text=ev.to_json(subjects=True))
    assert isinstance(found, hc.Evaluation)
    return found


def with_error(ev: hc.Evaluation) -> list[tuple[str, str]]:
    """Return the values that have influence values, as their standard errors say."""
    return [
        (e.ranker, str(e.metric)) for e in ev if not e.reason and e.standard_error_source.startswith("influence values")
    ]


@pytest.mark.slow
@pytest.mark.parametrize("sample", [SAMPLE, TIED], ids=["strict", "tied"])
@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_the_diagonal_is_the_square_of_the_standard_errors(sample: Any, design: str) -> None:
    """For every metric, by subjects and by the table of each ranker alone; and the influence values say the same."""
    ev = quietly(sample.y, sample.scores, metrics=FORMS, undefined="nan", design=design)
    of_tables = quietly(tables=ev.tables, metrics=FORMS, undefined="nan", design=design)
    there = [key for key in with_error(ev) if key[0] == "a"]
    assert len(there) > 60
    names = [metric for _, metric in there]
    found = ev.covariance(metrics=names, rankers="a")
    alone = of_tables.covariance(metrics=names, rankers="a")
    columns = np.array([ev.influence("a", name) for name in names])
    errors = np.array([ev["a", name].standard_error for name in names])
    scale = np.outer(errors, errors)
    np.testing.assert_allclose(np.diag(alone.matrix), errors**2, rtol=1e-8, atol=1e-14)
    np.testing.assert_allclose(columns @ columns.T, found.matrix, rtol=1e-6, atol=1e-9 * scale.max())
    # an FPR may cut within a subject, which a table of counts does not see
    whole = np.array([hc.metric(name).cut_at(ev.tables["a"].counts) is None for name in names])
    assert whole.sum() > 40
    both = np.outer(whole, whole)
    for left, right in ((found.matrix[both], alone.matrix[both]), (found.matrix, alone.matrix)):
        rtol, atol = (1e-8, 1e-12) if left.ndim == 1 else (0, 0.12)
        of = scale[both] if left.ndim == 1 else scale
        of = np.where(of > 0, of, 1.0)
        np.testing.assert_allclose(left / of, right / of, rtol=rtol, atol=atol)
    if design == "cohort":
        np.testing.assert_allclose(columns.sum(axis=1), 0, atol=1e-7)


def test_the_difference_of_two_is_the_delta_test() -> None:
    """Of rankers of the same subjects, of clusters, of weights, of different subjects and of wrong labels."""
    rng = np.random.default_rng(1)
    y, s = SAMPLE.y, SAMPLE.scores
    cases: list[dict[str, Any]] = [
        {},
        {"design": "case-control"},
        {"prevalence": 0.05},
        {"clusters": rng.integers(0, 30, y.size)},
        {"sample_weight": rng.uniform(0.5, 2, y.size)},
        {"paired": False},
    ]
    for options in cases:
        ev = quietly(y, s, metrics=["ap", "auc", "croc(exp, alpha=7)"], **options)
        for metric in ("ap", "croc(exp, alpha=7)"):
            test, found = ev.compare("a", "b", metric, method="delta"), ev.contrast({"a": 1, "b": -1}, metric)
            assert found.value == pytest.approx(test.difference.value, rel=1e-12)
            assert found.standard_error == pytest.approx(test.difference.standard_error, rel=1e-9)
            assert found.degrees_of_freedom == pytest.approx(test.difference.degrees_of_freedom, rel=1e-9)
            assert found.pvalue == pytest.approx(test.pvalue, rel=1e-7)
            np.testing.assert_allclose(found.confidence_interval(), test.difference.confidence_interval(), rtol=1e-9)
    wrong = quietly(y, s, metrics=["ap", "auc"], contamination=(0.1, 0.02))
    test, found = wrong.compare("a", "b", "auc", method="delta"), wrong.contrast({"a": 1, "b": -1}, "auc")
    assert found.standard_error == pytest.approx(test.difference.standard_error, rel=1e-9)
    assert wrong.covariance()["a/auc", "a/auc"] == pytest.approx(wrong["a", "auc"].standard_error ** 2, rel=1e-9)


@pytest.mark.slow
def test_a_contrast_of_three_is_that_of_a_bootstrap() -> None:
    """The standard error of a - (b + c)/2 over subjects that are drawn again, and of a metric minus another."""
    rng, y, s = np.random.default_rng(2), SAMPLE.y, SAMPLE.scores
    ev = hc.evaluate(y, s, metrics=["ap", "auc"])
    weights = {"a": 1, "b": -0.5, "c": -0.5}
    drawn = []
    for _ in range(300):
        places = rng.integers(0, y.size, y.size)
        again = quietly(y[places], {name: own[places] for name, own in s.items()}, metrics=["ap", "auc"])
        of_rankers = sum(w * again[name, "auc"].value for name, w in weights.items())
        drawn.append((of_rankers, again["a", "auc"].value - again["a", "ap"].value))
    for column, found in enumerate((ev.contrast(weights, "auc"), ev.contrast({"auc": 1, "ap": -1}, ranker="a"))):
        assert found.standard_error == pytest.approx(np.std(drawn, axis=0)[column], rel=0.15)


def test_several_contrasts_have_one_test() -> None:
    """F is the quadratic form of the covariance, simultaneous intervals are wider, and adjusted p agree with them."""
    ev = hc.evaluate(SAMPLE.y, SAMPLE.scores, metrics=["ap", "auc"])
    pairs = [{"a": 1, "b": -1}, {"a": 1, "c": -1}, {"b": 1, "c": -1}]
    found = ev.contrast(pairs, "auc")
    assert [one.label for one in found] == ["a - b", "a - c", "b - c"]
    assert found.test is not None
    assert found.test.degrees[0] == 2  # the third follows from the others
    matrix = ev.covariance(metrics="auc").matrix
    rows = np.array([[1.0, -1, 0], [1, 0, -1]])
    distance = rows @ [ev[name, "auc"].value for name in "abc"]
    plain = distance @ np.linalg.solve(rows @ matrix @ rows.T, distance) / 2
    assert found.test.statistic == pytest.approx(plain, rel=0.03)  # n/(n - 1) of each class apart
    assert found.test.statistic < plain
    assert found.test.pvalue == pytest.approx(stats.f.sf(found.test.statistic, *found.test.degrees), rel=1e-9)
    for one in found:
        low, high = one.confidence_interval()
        assert one.simultaneous is not None
        assert one.adjusted is not None
        assert one.simultaneous.low < low
        assert one.simultaneous.high > high
        assert one.adjusted >= one.pvalue
        assert (one.adjusted < 0.05) == (not one.simultaneous.low <= 0 <= one.simultaneous.high)
    of_both = ev.contrast({"a": 1, "b": -1}, ["ap", "auc"])
    assert [one.metric for one in of_both] == ["ap", "auc"]
    assert of_both["auc"].value == ev.contrast({"a": 1, "b": -1}, "auc").value
    twice = ev.contrast({("a", "ap"): 1, ("b", "ap"): -1, ("a", "auc"): -1, ("b", "auc"): 1})
    assert twice.value == pytest.approx(of_both["ap"].value - of_both["auc"].value, rel=1e-12)
    assert str(found) == str(ev.contrast(pairs, "auc"))
    assert "a - b" in found._repr_html_()


def test_influence_follows_the_rows() -> None:
    """In any order of rows, nan where a row was dropped; with the labels of a frame."""
    y, s = SAMPLE.y.astype(float), SAMPLE.scores["a"].copy()
    frame = pd.DataFrame({"y": y, "s": s, "id": np.arange(y.size)})
    phi = hc.evaluate("y", "s", data=frame, metrics="ap").influence("s", "ap")
    order = np.random.default_rng(0).permutation(y.size)
    again = hc.evaluate("y", "s", data=frame.iloc[order], metrics="ap").influence("s", "ap")
    np.testing.assert_allclose(again, phi[order], rtol=1e-12)
    frame.loc[[3, 77], "s"] = np.nan
    with pytest.warns(hc.errors.MissingValueWarning):
        ev = hc.evaluate("y", "s", data=frame, metrics="ap", missing="drop")
    column = ev.influence("s", "ap")
    assert column.shape == y.shape
    assert np.flatnonzero(np.isnan(column)).tolist() == [3, 77]
    assert np.nansum(column**2) == pytest.approx(ev["s", "ap"].standard_error ** 2, rel=1e-9)
    kept = frame.dropna()
    whole = hc.evaluate("y", "s", data=kept, metrics="ap").influence("s", "ap")
    np.testing.assert_array_equal(column[kept.index], whole)
    np.testing.assert_array_equal(again_of(ev).influence("s", "ap"), column)


def test_influence_of_clusters_and_groups() -> None:
    """Sums within clusters give the variance; the subjects of a group have its influence values."""
    rng = np.random.default_rng(3)
    cluster = rng.integers(0, 25, SAMPLE.y.size)
    ev = hc.evaluate(SAMPLE.y, SAMPLE.scores, metrics=["ap", "recall@20%"], clusters=cluster)
    for metric in ("ap", "recall@20%"):
        phi, sums = ev.influence("b", metric), np.zeros(25)
        for own in (SAMPLE.y, ~SAMPLE.y):
            share = np.bincount(cluster, own) / own.sum()
            sums += np.bincount(cluster, phi * own) / (1 - share)
        assert 24 / 25 * np.sum(sums**2) == pytest.approx(ev["b", metric].standard_error ** 2, rel=1e-9)
    equal = hc.evaluate(SAMPLE.y, SAMPLE.scores, metrics="auc", clusters=np.arange(SAMPLE.y.size))
    alone = hc.evaluate(SAMPLE.y, SAMPLE.scores, metrics="auc")
    assert equal["a", "auc"].standard_error == pytest.approx(alone["a", "auc"].standard_error, rel=0.03)
    assert ev.covariance()["a/ap", "a/ap"] == pytest.approx(ev["a", "ap"].standard_error ** 2, rel=1e-9)
    group = cluster % 2
    grouped = hc.evaluate(SAMPLE.y, SAMPLE.scores, metrics="auc", by=group)
    second = quietly(SAMPLE.y[group == 1], SAMPLE.a[group == 1], metrics="auc").influence("score", "auc")
    np.testing.assert_allclose(grouped["1"].influence("a", "auc"), second, rtol=1e-12)


def test_covariances_of_means_over_groups() -> None:
    """They are those of the values of the groups; folds have their overlap."""
    fold = np.arange(SAMPLE.y.size) % 8
    of_folds = hc.evaluate(SAMPLE.y, SAMPLE.scores, metrics=["ap", "auc"], folds=fold)
    for grouped, overlap in (
        (hc.evaluate(SAMPLE.y, SAMPLE.scores, metrics=["ap", "auc"], by=fold), 0.0),
        (of_folds, 1 / 7),
    ):
        found = grouped.covariance(metrics="auc")
        factor = 1 / 8 + overlap
        expected = np.cov([grouped.values(name, "auc") for name in "abc"]) * factor
        np.testing.assert_allclose(found.matrix, expected, rtol=1e-12)
        assert found["a", "a"] == pytest.approx(grouped.mean("a", "auc").standard_error ** 2, rel=1e-12)


def test_frames_are_labelled() -> None:
    frame = pl.DataFrame({"y": SAMPLE.y, **SAMPLE.scores})
    ev = hc.evaluate("y", list("abc"), data=frame, metrics=["ap", "auc"])
    found = ev.covariance(rankers=["a", "c"])
    square, long = found.to_frame(), found.to_frame(form="long")
    assert isinstance(square, pl.DataFrame)
    assert square.columns == ["ranker", "metric", "a/ap", "a/auc", "c/ap", "c/auc"]
    np.testing.assert_array_equal(square.select(square.columns[2:]).to_numpy(), np.asarray(found))
    assert long.shape == (16, 6)
    assert long["covariance"].to_list() == found.matrix.ravel().tolist()
    assert np.all(np.abs(found.correlation) <= 1)
    assert pickle.loads(pickle.dumps(found)) == found
    assert ev.contrast({"a": 1, "b": -1}, "ap").to_frame(backend="pandas").shape == (1, 15)
    kept = ev.without_data()
    np.testing.assert_array_equal(kept.covariance().matrix, ev.covariance().matrix)


def test_what_cannot_be_had_is_refused_in_a_sentence() -> None:
    ev = hc.evaluate(SAMPLE.y, SAMPLE.scores, metrics=["ap", "auc"])
    counts = quietly(tables=ev.tables, metrics=["ap", "auc"])
    calls: list[tuple[Any, type[Exception], str]] = [
        (lambda: counts.covariance(), ParameterError, "counts do not say how rankers"),
        (lambda: counts.contrast({"a": 1, "b": -1}, "ap"), ParameterError, "counts do not say how rankers"),
        (lambda: counts.influence("a", "ap"), ParameterError, "holds none"),
        (lambda: ev.without_data().influence("a", "ap"), ParameterError, "do not drop the data"),
        (lambda: ev.covariance(rankers="d"), ColumnNotFoundError, "no ranker 'd'"),
        (lambda: ev.covariance(metrics=[]), ParameterError, "metrics is empty"),
        (lambda: ev.covariance(metrics="bedroc(20)"), ColumnNotFoundError, "was not evaluated"),
        (lambda: ev.contrast({}, "ap"), ParameterError, "weights must be a mapping"),
        (lambda: ev.contrast({"a": 0.0}, "ap"), ParameterError, "a weight other than 0"),
        (lambda: ev.contrast({"a": math.nan}, "ap"), ParameterError, "weight of 'a' must be a number"),
        (lambda: ev.contrast({"a": math.inf, "b": -1}, "ap"), ParameterError, "weight of 'a' must be 0 or between"),
        (lambda: ev.contrast({"a": "x"}, "ap"), ParameterError, "weight of 'a' must be a number"),  # type: ignore[dict-item]
        (lambda: ev.contrast({"a": 1, "b": -1}), ParameterError, "name one"),
        (lambda: ev.contrast({"a": 1}, "ap", ranker="a"), ParameterError, "not both"),
        (lambda: ev.contrast({("a", "auc"): 1}, "ap"), ParameterError, "names a ranker and a metric"),
        (lambda: ev.contrast({"a": 1, "b": -1}, "ap", alternative="up"), ParameterError, "alternative must be"),
        (lambda: ev.contrast({"a": 1, "b": -1}, "ap", confidence_level=2), ParameterError, "confidence_level"),
        (lambda: ev.covariance().to_frame(form="round"), ParameterError, "form must be"),
        (lambda: ev.covariance()["a/ap", "x"], ColumnNotFoundError, "no value 'x'"),
    ]
    for call, kind, text in calls:
        with pytest.raises(kind, match=text):
            call()
    one = quietly([1, 0, 0, 0], {"a": [4, 3, 2, 1], "b": [1, 2, 3, 4]}, metrics="auc")
    with pytest.raises(InputError, match="at least 2 subjects of each class"):
        one.contrast({"a": 1, "b": -1}, "auc")
    fitted = np.array([1.0, 0, np.nan] * 30)
    rng = np.random.default_rng(0)
    scores = {"a": rng.normal(size=90), "b": rng.normal(size=90)}
    verified = quietly(fitted, scores, metrics="auc", verification=True)
    with pytest.raises(UndefinedMetricError, match="subjects without a label"):
        verified.influence("a", "auc")
    diagonal = verified.covariance().standard_errors
    assert diagonal[0] == pytest.approx(verified["a", "auc"].standard_error, rel=1e-9)
    test = verified.compare("a", "b", "auc", method="delta")
    assert verified.contrast({"a": 1, "b": -1}).standard_error == pytest.approx(test.difference.standard_error)
    lone = quietly(SAMPLE.y, SAMPLE.scores, metrics="auc", clusters=np.zeros(SAMPLE.y.size))
    with pytest.raises(InsufficientDataError, match="only one cluster"):
        lone.covariance()


def test_equal_rankers_have_no_difference() -> None:
    ev = quietly(SAMPLE.y, {"a": SAMPLE.a, "b": 2 * SAMPLE.a}, metrics=["ap", "auc"])
    found = ev.contrast({"a": 1, "b": -1}, ["ap", "auc"])
    assert [(one.value, one.standard_error, one.pvalue) for one in found] == [(0.0, 0.0, 1.0)] * 2
    assert found.test is None
    for seed in range(8):  # sums of variances cancel but for rounding
        rng = np.random.default_rng(seed)
        s = rng.normal(size=150)
        y = s + rng.normal(size=150) > 1
        ev = quietly(y, {"a": s, "b": 2 * s, "c": s + 1}, metrics=["ap", "auc", "bedroc(alpha=20)"])
        assert ev.contrast({"a": 1, "b": -0.5, "c": -0.5}, ["ap", "auc", "bedroc(alpha=20)"]).test is None


def test_design_effect() -> None:
    """Each subject m times has the effect m and the correlation 1; of clusters of one subject there is none."""
    y, s = SAMPLE.y, SAMPLE.a
    for times in (1, 3):
        ev = quietly(
            np.tile(y, times), np.tile(s, times), metrics=["ap", "auc"], clusters=np.tile(np.arange(y.size), times)
        )
        for metric in ("ap", "auc"):
            found = ev.design_effect("score", metric)
            assert found.effect == pytest.approx(times, rel=1e-9)
            assert (found.clusters, found.with_positive) == (y.size, 40)
            assert found.mean_size == pytest.approx(times)
            assert math.isnan(found.correlation) if times == 1 else found.correlation == pytest.approx(1, rel=1e-9)
    cluster = np.random.default_rng(0).integers(0, 30, y.size)
    one = quietly(y, s, metrics="auc", clusters=cluster)
    phi = one.influence("score", "auc")
    effect = np.sum(np.bincount(cluster, phi) ** 2) / np.sum(phi**2)
    assert one.design_effect("score", "auc").effect == pytest.approx(effect, rel=1e-9)
    assert "in 30 clusters of mean size" in one.methods_text()
    with pytest.raises(ParameterError, match="design effect is of clusters"):
        quietly(y, s, metrics="auc").design_effect("score", "auc")
    perfect = quietly(y, y.astype(float), metrics="auc", clusters=cluster)
    with pytest.raises(UndefinedMetricError, match="does not vary here"):
        perfect.design_effect("score", "auc")


def test_what_does_not_vary_is_not_tested() -> None:
    """A value other than the null with a standard error of 0 is refused, in words of what there is."""
    ev = quietly([1] * 6 + [0] * 6, {"a": np.arange(12)[::-1], "b": np.arange(12)}, metrics="auc")
    with pytest.raises(InsufficientDataError, match=r"a - b is 1 with a standard error of 0.* against 0$") as caught:
        ev.contrast({"a": 1, "b": -1}, "auc")
    assert "method" not in str(caught.value)
    same = quietly([1] * 6 + [0] * 6, {"a": np.arange(12)[::-1], "b": np.arange(12)[::-1]}, metrics="auc")
    found = same.contrast({"a": 1, "b": -1}, "auc")
    assert (found.pvalue, found.statistic, tuple(found.confidence_interval())) == (1, 0, (0, 0))
    assert "the standard error is 0" in str(found)


def test_few_subjects_are_said() -> None:
    y, s = [1, 1, *[0] * 20], np.random.default_rng(0).normal(size=(2, 22))
    ev = quietly(y, {"a": s[0], "b": s[1]}, metrics=["auc", "ap"])
    found = ev.contrast({"a": 1, "b": -1}, "auc")
    assert any("only 2 subjects of a class" in text for text in found.cautions)
    for text in (str(found), found._repr_html_(), str(ev.contrast({"a": 1, "b": -1}, ["auc", "ap"]))):
        assert "only 2 subjects of a class" in text
    clustered = quietly(SAMPLE.y, SAMPLE.scores, metrics="auc", clusters=np.arange(SAMPLE.y.size) % 3)
    assert "only 3 clusters with a positive" in str(clustered.contrast({"a": 1, "b": -1}, "auc"))
    assert not hc.evaluate(SAMPLE.y, SAMPLE.scores, metrics="auc").contrast({"a": 1, "b": -1}, "auc").cautions


def test_adjusted_p_values_that_no_draw_exceeds_are_bounds() -> None:
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], [300, 1000])
    s = {"a": rng.normal(size=1300) + 2 * y, "b": rng.normal(size=1300) + y / 20, "c": rng.normal(size=1300)}
    found = quietly(y, s, metrics="auc").contrast([{"a": 1, "b": -1}, {"b": 1, "c": -1}], "auc")
    assert found[0].adjusted == 1 / 20_001
    assert found[0].adjusted_text == "<= 5e-05"
    assert "<= 5e-05" in str(found)
    assert "<=" not in found[1].adjusted_text
