"""Weights have no unit: equal ones are counts, and what counts subjects is undefined for others."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hitcurve as hc
from hitcurve.errors import HitcurveError, InputError, InsufficientDataError, ParameterError, UndefinedMetricError
from hitcurve.evaluation import evaluate_groups, evaluate_source
from hitcurve.inference.intervals import drawn
from hitcurve.inference.intervals import interval as intervals
from hitcurve.inference.variance.influence import influence
from hitcurve.metrics import metrics
from hitcurve.sources import Reading
from hitcurve.sources.files import FileSource
from hitcurve.table import HitTable
from tests.metrics_under_test import FORMS, METRICS, refuses_weights
from tests.strategies import Floats, Ranking, law, rankings

pytestmark = pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
FEW_FORMS = 12  # evaluated at a time


def records(r: Ranking, forms: tuple[str, ...], **options: Any) -> list[dict[str, Any]]:
    """Return what an evaluation says of some metrics: values, errors and intervals."""
    ev = hc.evaluate(r.y, r.s, metrics=list(forms), undefined="nan", **options)
    return list(json.loads(json.dumps(ev.to_dict()["results"]).replace("NaN", "null")))


def weighing(r: Ranking, draw: list[float]) -> Floats:
    return np.array(draw[: r.y.size])


unequal = st.lists(st.sampled_from([0.25, 0.5, 1.0, 3.0, 7.5]), min_size=24, max_size=24)
some_forms = st.integers(0, len(FORMS) - FEW_FORMS).map(lambda start: FORMS[start : start + FEW_FORMS])


@pytest.mark.slow
@law(8)
@given(r=rankings(least=12, most=24), forms=some_forms, unit=st.sampled_from([1, 1 / 6, 10, 1e-60, 1e60, 0.1]))
def test_equal_weights_change_nothing(r: Ranking, forms: tuple[str, ...], unit: float) -> None:
    assert records(r, forms, sample_weight=np.full(r.y.size, unit)) == records(r, forms)


@law(8)
@given(r=rankings(least=12, most=24), forms=some_forms, weight=unequal, power=st.sampled_from([-190, -20, 5, 190]))
def test_the_unit_of_weights_changes_nothing(
    r: Ranking, forms: tuple[str, ...], weight: list[float], power: int
) -> None:
    own = weighing(r, weight)
    one, other = (records(r, forms, sample_weight=own * unit) for unit in (1.0, 2.0**power))
    for a, b in zip(one, other, strict=True):
        for name in ("value", "standard_error", "low", "high", "random", "best"):
            found, expected = (float("nan" if x.get(name) is None else x[name]) for x in (b, a))
            assert found == pytest.approx(expected, rel=1e-12, abs=1e-300, nan_ok=True), (a["metric"], name)


@law(6)
@given(r=rankings(least=12, most=24), weight=unequal)
def test_what_counts_subjects_is_refused(r: Ranking, weight: list[float]) -> None:
    weight[:2] = [0.25, 7.5]
    table = hc.HitTable.from_scores(r.y, r.s, sample_weight=weighing(r, weight))
    for m in METRICS:
        if refuses_weights(m):
            for ask in (m.value, m.random, m.best):
                with pytest.raises(UndefinedMetricError, match="weights"):
                    ask(table)
        else:
            m.value(table)


def test_the_guide_names_every_metric_that_weights_refuse() -> None:
    guide = (Path(__file__).parents[1] / "docs/how-to/counts-and-ranks.md").read_text(encoding="utf-8")
    shares, whole = guide.split("## Weights")[1].split("\n- ")[1:3]
    rounded, named = ({*re.findall(r"`([^`]+)`", text)} for text in (shares.split("column reports it.")[1], whole))
    rounded -= {"cut=ceil", "floor", "round"}
    named -= {"recall@100"}  # an example of cutoffs at a rank
    examples = hc.metrics.examples()
    of_names = {str(hc.metric(examples.get(text, text))): text for text in named}
    every = {*METRICS, *map(hc.metric, (*examples.values(), *of_names))}
    table = hc.HitTable.from_scores([1, 0, 1, 1, 0, 0, 1, 0], np.arange(8), sample_weight=np.linspace(1, 2, 8))
    refused = set()
    for m in every:
        try:
            m.value(table)
        except UndefinedMetricError as error:
            # some are undefined for this list whatever its weights
            refused |= {m} if "weights" in str(error) else set()
    taken = {m.name for m in every - refused}
    # a name stands for all its forms, and so does one form where all are refused
    wholly = {hc.metric(form).name for form in of_names} - taken
    seen = set()
    for m in refused:
        at, cut = getattr(m, "at", None), getattr(m, "cut", "auto")
        if cut in ("ceil", "floor", "round"):
            assert m.name in rounded or isinstance(at, float), m
            seen |= {m.name} & rounded
        elif m.name in wholly or str(m) in named:
            seen |= {of_names[str(m)]} if str(m) in of_names else set()
        else:
            assert isinstance(at, int), m
    assert seen == rounded | named


@pytest.mark.parametrize("unit", [1.0, 1 / 6, 10.0])
def test_published_cases_of_units(unit: float) -> None:
    y, s, weight = [0, 1, 0, 1, 0, 0], range(6, 0, -1), np.full(6, unit)
    assert hc.metric("ndcg")(y, s, sample_weight=weight) == pytest.approx(0.6509209298071326, rel=1e-14)
    for form in ("slr", "proc", "roc(2)", "hits@3", "precision@3", "dcg"):
        assert hc.metric(form)(y, s, sample_weight=weight) == hc.metric(form)(y, s)
        with pytest.raises(UndefinedMetricError, match="repeat rows instead of weighting them"):
            hc.metric(form)(y, s, sample_weight=weight * [1, 1, 1, 2, 1, 1])


def test_a_cut_of_weights_is_what_it_says() -> None:
    y, s = [1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0], range(11, 0, -1)
    weight = np.ones(11)
    for form in ("recall@10%", "recall@10%(cut=ceil)", "wss@80%", "wss@80%(cut=round)"):
        assert hc.metric(form)(y, s, sample_weight=weight) == hc.metric(form)(y, s)
    weight[3] = 2
    (found,) = hc.evaluate(y, s, sample_weight=weight, metrics="recall@10%")
    assert found.value == pytest.approx(0.5 + 0 * 0.2)
    assert found.convention == "first 1.2 of 12 (fractional)"
    for cut in ("ceil", "floor", "round"):
        for form in (f"recall@10%(cut={cut})", f"wss@80%(cut={cut})"):
            with pytest.raises(UndefinedMetricError, match=f"cut={cut} rounds to whole subjects, which weights do not"):
                hc.metric(form)(y, s, sample_weight=weight)
            with pytest.raises(UndefinedMetricError, match=f"cut={cut} rounds .* a set prevalence does not"):
                hc.evaluate(y, s, metrics=form, prevalence=0.01)
    (found,) = hc.evaluate(y, s, metrics="recall@25%", prevalence=0.01)
    assert found.convention == "first 25% of the list at the set prevalence"
    with pytest.raises(UndefinedMetricError, match="weights have no unit"):
        hc.HitTable.from_scores(y, s, sample_weight=weight).confusion(k=3)


def test_tables_of_unlike_weights_add_in_their_unit() -> None:
    parts = [([1, 0, 1, 0], [4, 3, 2, 1], 10.0), ([1, 0, 0], [3, 2, 1], 5.0)]
    one, other = (hc.HitTable.from_scores(y, s, sample_weight=np.full(len(y), w)) for y, s, w in parts)
    total = one + other
    assert (total.n_pos, total.n_neg) == (25, 30)


@pytest.mark.slow
def test_counts_of_unlike_units_are_one_number_at_every_door() -> None:
    y, s = np.zeros(150, int), -np.arange(150)
    y[[0, 3, 10, 40, 90]] = 1
    forms = (*FORMS, "recall@0.01%", "wss@95%(cut=ceil)")
    expected = {str(e.metric): e for e in hc.evaluate(y, s, metrics=list(forms))}
    both, scores, group = np.tile(y, 2), np.tile(s, 2), np.repeat(["a", "b"], 150)
    for unit in (1.0, 2.0, 0.1):
        weight = np.concatenate([np.full(150, unit), np.tile([1.0, 2.0], 75)])
        table = hc.HitTable.from_scores(y, s, sample_weight=weight[:150])
        stack = hc.TableStack.from_scores(both, scores, group, sample_weight=weight)
        ev = hc.evaluate(both, scores, by=group, sample_weight=weight, metrics=list(forms), undefined="nan")
        of_table = hc.evaluate(tables={"x": table}, metrics=list(forms))
        assert (table.weighted, table.n, ev["a"].tables["score"].n) == (False, 150, 150)
        for form in forms:
            m = hc.metric(form)
            alone = expected[str(m)]
            found = (
                ev.values("score", form)[0],
                ev["a"]["score", form].value,
                of_table["x", form].value,
                m.value(stack)[0],
                m.value(stack["a"]),
            )
            assert found == pytest.approx([alone.value] * 5, rel=1e-14), form
            with suppress(InsufficientDataError):
                error = ev["a"]["score", form].standard_error
                assert error == pytest.approx(alone.standard_error, rel=1e-11, nan_ok=True), form
            assert np.isnan(m.value(stack)[1]) == refuses_weights(m)


def test_the_group_whose_weights_differ_is_the_one_that_is_refused() -> None:
    y, s, group = [1, 0, 0] * 4, range(12, 0, -1), np.repeat(["a", "b"], 6)
    with pytest.raises(UndefinedMetricError, match=r"^in 1 of 2 groups \('b'\): precision@5 "):
        hc.evaluate(y, s, by=group, sample_weight=[1.0] * 6 + [1.0, 2.0] * 3, metrics="precision@5")


def test_clusters_and_pairs_of_a_group_of_equal_weights() -> None:
    rng = np.random.default_rng(2)
    y, group, cluster = np.tile([1, 0, 0, 1, 0], 40), np.repeat(["a", "b"], 100), np.arange(200) // 4
    scores = {"x": y + rng.normal(size=200), "z": y + rng.normal(size=200)}
    weight = np.where(group == "a", 3.0, 1 + np.arange(200) % 2)
    forms = ["ap", "ndcg", "recall@10%"]
    for clusters in (None, cluster):
        own = None if clusters is None else clusters[:100]
        alone = hc.evaluate(y[:100], {k: v[:100] for k, v in scores.items()}, metrics=forms, clusters=own)
        ev = hc.evaluate(y, scores, by=group, sample_weight=weight, metrics=forms, clusters=clusters, undefined="nan")
        for form in forms:
            found, expected = (x.compare("x", "z", form, method="delta") for x in (ev["a"], alone))
            assert found.difference.standard_error == pytest.approx(expected.difference.standard_error, rel=1e-12)
            for name in scores:
                own_error = ev["a"][name, form].standard_error
                assert own_error == pytest.approx(alone[name, form].standard_error, rel=1e-12)


def test_stacks_of_unlike_units_are_the_tables_they_hold() -> None:
    rng = np.random.default_rng(5)
    y, s, group = rng.integers(0, 2, 90), rng.integers(0, 9, 90), np.repeat(["a", "b", "c"], 30)
    mixed = np.repeat([2.0, 1.0, 0.5], 30)
    mixed[70:] = rng.random(20)
    stacks = [
        hc.TableStack.from_scores(y, s, group, sample_weight=weight) for weight in (mixed, np.full(90, 2.0), mixed)
    ]
    for stack in stacks:
        assert hc.TableStack.from_tables({name: stack[name] for name in stack.names}) == stack
    for other in stacks[1:]:
        total = stacks[0] + other
        for name in total.names:
            assert total[name] == stacks[0][name] + other[name]
    assert [stacks[0][name].weighted for name in "abc"] == [False, False, True]
    assert [(stacks[0] + stacks[1])[name].weighted for name in "abc"] == [False, True, True]


@pytest.mark.parametrize("rows", [7, 1000])
def test_equal_weights_of_a_group_of_a_file(tmp_path: Path, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hitcurve.sources.files.batches._ROWS", rows)
    monkeypatch.setattr("hitcurve.sources.files.batches._SCORES_OF_NAMED", rows)
    rng = np.random.default_rng(4)
    y, s, group = rng.integers(0, 2, 60), rng.integers(0, 9, 60), np.arange(60) % 3
    weight = np.where(group == 0, 2.0, np.where(group == 1, 1.0, 1 + np.arange(60) // 30))
    path = tmp_path / "x.csv"
    path.write_text("y,a,w,g\n" + "".join(f"{a},{b},{c},{d}\n" for a, b, c, d in zip(y, s, weight, group, strict=True)))
    forms = ["recall@10%", "ndcg", "precision@5"]
    source = FileSource((path,), "y", ("a",), Reading(), weight="w", by="g")
    found = evaluate_groups(source, metrics(forms), by="g", undefined="nan")
    for form in forms:
        expected = [hc.metric(form)(y[group == name], s[group == name]) for name in (0, 1)]
        assert found.values("a", form)[:2] == pytest.approx(expected, rel=1e-14)
    assert np.isnan(found.values("a", "ndcg")[2])
    one = evaluate_source(FileSource((path,), "y", ("a",), Reading()), metrics("ap"))
    path.write_text("y,a,w\n" + "".join(f"{a},{b},10\n" for a, b in zip(y, s, strict=True)))
    ten = evaluate_source(FileSource((path,), "y", ("a",), Reading(), weight="w"), metrics("ap"))
    total = one.tables["a"] + ten.tables["a"]
    assert total.n == 11 * 60


@pytest.mark.parametrize("unit", ["1", "0.1", "3"])
@pytest.mark.parametrize("missing", ["raise", "drop"])
def test_equal_weights_of_files_change_nothing(tmp_path: Path, unit: str, missing: str) -> None:
    rng = np.random.default_rng(4)
    y, s = rng.integers(0, 2, 40), rng.integers(0, 9, 40).astype(str)
    weight = np.full(40, unit, object)
    if missing == "drop":
        s[3], weight[3] = "", "7"
    path = tmp_path / "x.csv"
    path.write_text("y,a,w\n" + "".join(f"{a},{b},{c}\n" for a, b, c in zip(y, s, weight, strict=True)))
    forms = ["recall@10%", "ndcg", "auc", "hits@5"]
    plain, weighted = (
        evaluate_source(
            FileSource((path,), "y", ("a",), Reading(missing=missing), weight=name), metrics(forms)
        ).to_dict()
        for name in (None, "w")
    )
    assert weighted == plain


@pytest.mark.parametrize("unit", ["1", "3"])
def test_equal_weights_beside_missing_ones_are_counts(tmp_path: Path, unit: str) -> None:
    (tmp_path / "x.csv").write_text(f"y,a,w\n1,4,{unit}\n0,3,{unit}\n1,9,NA\n1,2,{unit}\n0,1,{unit}\n")
    source = FileSource((tmp_path / "x.csv",), "y", ("a",), Reading(missing="drop"), weight="w")
    forms = ["recall@50%", "ndcg", "hits@3"]
    plain = [hc.metric(form)([1, 0, 1, 0], [4, 3, 2, 1]) for form in forms]
    assert [found.value for found in evaluate_source(source, metrics(forms))] == plain


def test_weights_of_one_kind_of_subject_are_still_weights() -> None:
    with pytest.raises(HitcurveError, match="weights"):
        hc.metric("ndcg")([1, 0, 1, 0], [4, 3, 2, 1], sample_weight=[0, 1, 1, 1])


def _weighted() -> dict[str, Any]:
    rng = np.random.default_rng(3)
    y = rng.random(120) < 0.4
    scores = {name: np.round(rng.normal(size=120) + shift * y, 1) for name, shift in (("a", 1.0), ("b", 0.5))}
    return {"y_true": y, "y_score": scores, "weight": np.round(rng.random(120) * 3 + 0.1, 2)}


def _said(ask: Callable[[], Iterable[float]]) -> str | list[float]:
    try:
        return list(ask())
    except InputError as error:
        return str(error)


def _all_numbers(form: str, unit: float, more: dict[str, Any]) -> dict[str, Any]:
    data = _weighted()
    weight = data.pop("weight") * unit
    try:
        ev = hc.evaluate(**data, metrics=form, sample_weight=weight, **more)
    except InputError as error:
        return {"refused": str(error)}
    e, out = ev["a", form], dict[str, Any]()
    out["value"] = _said(lambda: (e.value, e.random, e.best, e.worst, *e.n_effective))
    out["error"] = _said(lambda: (e.standard_error,))
    for method in intervals.METHODS:
        draws = {"n_resamples": 40} if method in drawn.METHODS else {}
        out[method] = _said(partial(e.confidence_interval, method=method, rng=1, **draws))
    for method in ("auto", "delta", "delong", "inversion"):

        def compared(m: str = method) -> Iterable[float]:
            found = ev.compare("a", "b", form, method=m)
            return (found.pvalue, found.difference.standard_error, *found.difference.confidence_interval())

        out[f"{method} of two"] = _said(compared)
    return out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "units"),
    [({}, (10.0, 1e-3)), ({"prevalence": 0.1}, (10.0,)), ({"clusters": np.arange(120) % 40}, (1e-3,))],
    ids=["subjects", "prevalence", "clusters"],
)
@pytest.mark.parametrize("form", FORMS)
def test_every_number_of_weights_has_no_unit(form: str, more: dict[str, Any], units: tuple[float, ...]) -> None:
    whole = _all_numbers(form, 1.0, more)
    for unit in units:
        other = _all_numbers(form, unit, more)
        assert list(other) == list(whole)
        for what, numbers in whole.items():
            exactly = isinstance(numbers, str)
            assert other[what] == (numbers if exactly else pytest.approx(numbers, rel=1e-9, abs=1e-13)), what


def test_a_comparison_by_inversion_draws_whole_subjects() -> None:
    data = _weighted()
    ev = hc.evaluate(data["y_true"], data["y_score"], metrics="logauc", sample_weight=data["weight"])
    with pytest.raises(ParameterError, match="for lists without weights and clusters"):
        ev.compare("a", "b", "logauc", method="inversion")


LABELS, SCORES = [1, 0] * 15 + [0] * 30, list(range(60))


@pytest.mark.parametrize(
    ("weight", "looks_like_counts"),
    [
        ([1 + place % 4 for place in range(60)], True),
        ([1 + 99 * (place == 7) for place in range(60)], True),
        ([3 if y else 10 for y in LABELS], False),  # what the sampling of each class makes
        ([0.5 + place % 4 for place in range(60)], False),
        ([7] * 60, False),
        ([(place // 2) % 2 for place in range(60)], False),
    ],
)
def test_whole_weights_that_differ_within_a_class_are_asked_about(weight: list[float], looks_like_counts: bool) -> None:
    for more in ({}, {"by": [place % 3 for place in range(60)], "single_class": "skip"}):
        found: Any = hc.evaluate(LABELS, SCORES, sample_weight=weight, metrics="auc", **more)  # type: ignore[call-overload]
        said = [str(one) for one in found.warnings if isinstance(one, hc.errors.WeightsWarning)]
        assert len(said) == looks_like_counts
        assert all("repeat each row as often as it counts" in one for one in said)


def test_repeated_rows_have_the_intervals_of_counts() -> None:
    weight = np.array([1 + place % 4 for place in range(60)])
    labels, scores = np.repeat(LABELS, weight), np.repeat(SCORES, weight)
    repeated = hc.evaluate(labels, scores, metrics="auc")["score", "auc"]
    table = hc.HitTable.from_scores(labels, scores)
    counts = hc.evaluate(tables={"score": hc.HitTable.from_counts(table.pos, table.neg)}, metrics="auc")["score", "auc"]
    assert (repeated.value, repeated.interval) == (counts.value, counts.interval)
    weighted = hc.evaluate(LABELS, SCORES, sample_weight=weight, metrics="auc")["score", "auc"]
    assert weighted.value == pytest.approx(repeated.value, abs=1e-12)
    assert weighted.standard_error > 1.3 * repeated.standard_error


def test_few_that_carry_the_variance_are_said() -> None:
    """Of subjects one by one: the square of the variance by the sum of the squares of their shares."""
    rng = np.random.default_rng(2)
    y = np.arange(900) < 90
    s = np.round(rng.normal(size=900) + y, 1)
    heavy = np.where(s > 0, 2.0, 1.0)  # equal scores have equal weights
    for weight, said in ((heavy, False), (heavy + 28.0 * (s == 1.6), True), (np.ones(900), False)):
        e = hc.evaluate(y, s, metrics=["ap"], sample_weight=weight)["score", "ap"]
        assert any("subjects with large weights" in caution for caution in e.cautions) == said
        if not e._spread.sums.weighted:
            continue
        table = HitTable.from_scores(y, s, sample_weight=weight)
        found = influence(hc.metric("ap"), table.counts, "cohort")
        place = np.searchsorted(-np.unique(s)[::-1], -s)
        own = (weight * np.where(y, found.pos[place], found.neg[place])) ** 2
        equal = own / weight**2
        by_hand = [one.sum() ** 2 / np.sum(one**2) for one in (own, equal)]
        assert np.array(found.carriers(table.sums)) == pytest.approx(by_hand)
