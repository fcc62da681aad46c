"""Inference over topics: the range test of all pairs, effect sizes, and the words."""

from __future__ import annotations

import itertools
import math
import re
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

import hitcurve as hc
from hitcurve import errors
from hitcurve.groups.together import drawn_ranges, own_deviations, residual_deviation
from hitcurve.report import page
from tests.test_trec import Qrels, Run


def runs(lifts: dict[str, float], topics: int = 12, seed: int = 3) -> tuple[dict[str, Run], Qrels]:
    rng = np.random.default_rng(seed)
    names = [f"d{i}" for i in range(30)]
    judged = {str(t): {name: int(rng.random() < 0.3) for name in names} for t in range(topics)}
    for of_topic in judged.values():
        of_topic["d0"], of_topic["d1"] = 1, 0
    made = {
        which: {t: {n: float(rng.normal() + lift * own[n]) for n in names} for t, own in judged.items()}
        for which, lift in lifts.items()
    }
    return made, judged


def evaluated(lifts: dict[str, float], metrics: Any = "ap", **options: Any) -> hc.TrecEvaluation:
    made, judged = runs(lifts, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return hc.evaluate_trec(made, judged, metrics=metrics)


FOUR = {"a": 2.0, "b": 1.8, "c": 0.5, "d": 0.4}


# ---- the range test


def test_of_few_values_the_drawn_ranges_have_the_distribution_of_all_exchanges() -> None:
    values = np.array([[0.9, 0.7, 0.4], [0.5, 0.6, 0.5], [0.1, 0.2, 0.9]])
    every = [
        np.ptp(np.mean([values[list(order), g] for g, order in enumerate(orders)], axis=0))
        for orders in itertools.product(itertools.permutations(range(3)), repeat=3)
    ]
    drawn = drawn_ranges(values, 20_000, 0)
    for at in np.quantile(every, [0.2, 0.5, 0.9]) - 1e-9:
        share = np.mean(np.array(every) >= at)
        assert np.mean(drawn >= at) == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / 20_000))


def test_of_two_runs_the_range_test_is_the_sign_flip_test() -> None:
    ev = evaluated({"a": 1.0, "b": 0.9})
    (found,) = ev.compare_all("ap", adjust="tukey", method="sign-flip", n_resamples=50_000)
    assert found.n_resamples is None  # exact
    assert found.adjusted == pytest.approx(found.pvalue, abs=0.01)


def test_the_range_test_adjusts_and_its_intervals_agree_with_it() -> None:
    ev = evaluated(FOUR, topics=20)
    found = ev.compare_all("ap", adjust="tukey")
    assert len(found) == 6
    widths = set()
    for test in found:
        assert test.adjustment == "Tukey"
        assert test.adjusted is not None
        assert test.simultaneous is not None
        assert (test.adjusted <= 0.05) == (test.simultaneous.low > 0 or test.simultaneous.high < 0)
        widths.add(round(test.simultaneous.high - test.simultaneous.low, 12))
    assert len(widths) == 1
    assert found.letters == {"a": "a", "b": "a", "c": "b", "d": "b"}
    assert "by the randomised Tukey HSD test (Carterette 2012), 9,999 random draws: they are valid" in str(found)
    assert "randomised Tukey HSD test (Carterette 2012)" in found.methods_text()


def test_the_range_test_does_not_depend_on_the_order_of_the_runs() -> None:
    there, back = evaluated(FOUR), evaluated(FOUR)
    made, judged = runs(FOUR)
    back = hc.evaluate_trec(dict(reversed(made.items())), judged, metrics="ap")
    for method in ("paired-t", "sign-flip"):
        ours, theirs = (ev.compare_all("ap", adjust="tukey", method=method) for ev in (there, back))
        assert [t.adjusted for t in ours] == [t.adjusted for t in theirs]
        assert {t.seed for t in ours} == {t.seed for t in theirs}
        assert ours[0].seed is not None
        again = there.compare_all("ap", adjust="tukey", method=method, rng=ours[0].seed)
        assert [t.adjusted for t in ours] == [t.adjusted for t in again]


@settings(deadline=None, max_examples=30)
@given(arrays(float, st.tuples(st.integers(2, 4), st.integers(2, 6)), elements=st.floats(0, 1)))
def test_drawn_ranges_are_ranges(values: np.ndarray) -> None:
    drawn = drawn_ranges(values, 50, 1)
    assert drawn.size == 50
    assert np.all(np.diff(drawn) >= 0)
    assert np.all(drawn <= np.mean(np.ptp(values, axis=0)) + 1e-12)


def test_runs_that_vary_differently_are_not_exchangeable_and_that_is_said() -> None:
    rng = np.random.default_rng(4)
    y, topic = np.tile([1, 0, 0, 0, 0], 200), np.repeat(range(20), 50)
    lift = np.repeat(rng.choice([0.0, 4.0], 20), 50)
    s = {name: rng.normal(size=1000) + 1.5 * y for name in "abc"} | {"wild": rng.normal(size=1000) + lift * y}
    ev = hc.evaluate(y, s, by=topic, metrics="auc")
    found = ev.compare_all("auc", adjust="tukey")
    assert any("'wild' varies" in text and "use adjust='holm'" in text for text in found.cautions)
    assert not ev.compare_all("auc").cautions
    assert not evaluated(FOUR).compare_all("ap", adjust="tukey").cautions


def test_one_of_three_runs_that_varies_more_is_found() -> None:
    rng = np.random.default_rng(8)
    values = rng.normal(size=(3, 4000)) * np.array([[1.0], [3.0], [1.5]]) + rng.normal(size=4000)
    assert own_deviations(values) == pytest.approx([1.0, 3.0, 1.5], rel=0.05)
    assert own_deviations(np.tile(values[0], (3, 1)) + np.array([[0.0], [1.0], [2.0]])) == pytest.approx(0)
    y, topic = np.tile([1, 0, 0, 0, 0], 400), np.repeat(range(40), 50)
    lift = np.repeat(rng.choice([0.0, 4.0], 40), 50)
    s = {name: rng.normal(size=2000) + 1.5 * y for name in "ab"}
    ev = hc.evaluate(y, s | {"wild": rng.normal(size=2000) + lift * y}, by=topic, metrics="auc")
    assert any("'wild' varies" in text for text in ev.compare_all("auc", adjust="tukey").cautions)
    alike = hc.evaluate(y, s | {"c": rng.normal(size=2000) + 1.5 * y}, by=topic, metrics="auc")
    assert not alike.compare_all("auc", adjust="tukey").cautions


@pytest.mark.parametrize(
    ("options", "kind", "said"),
    [
        ({"baseline": "a"}, errors.ParameterError, "tests all pairs: leave baseline out, or use adjust='holm'"),
        ({"alternative": "greater"}, errors.ParameterError, "tests two-sided differences of 0"),
        ({"null": 0.1}, errors.ParameterError, "tests two-sided differences of 0"),
        ({"n_resamples": 18}, errors.ParameterError, "n_resamples of at least 19"),
        ({"adjust": "max-t"}, errors.ParameterError, "comparisons across topics take adjust='holm' or 'tukey'"),
    ],
)
def test_what_the_range_test_does_not_do(options: dict[str, Any], kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        evaluated(FOUR).compare_all("ap", **({"adjust": "tukey"} | options))


def test_the_range_test_is_not_for_folds() -> None:
    rng = np.random.default_rng(0)
    y = np.tile([1, 0, 0, 0], 40)
    ev = hc.evaluate(y, {n: rng.normal(size=160) + y for n in "abc"}, folds=np.repeat(range(8), 20), metrics="auc")
    with pytest.raises(errors.ParameterError, match="is for independent groups, not folds"):
        ev.compare_all("auc", adjust="tukey")


# ---- effect sizes


def test_effect_sizes_are_differences_by_deviations() -> None:
    ev = evaluated(FOUR)
    a, b = ev.values("a", "ap"), ev.values("b", "ap")
    one = ev.compare("a", "b", "ap")
    assert one.effect_size == pytest.approx(np.mean(a - b) / np.std(a - b, ddof=1))
    assert one.standardized_effect == pytest.approx(math.sqrt(2) * np.mean(a - b) / np.std(a - b, ddof=1))
    assert one.mirrored().effect_size == pytest.approx(-np.mean(a - b) / np.std(a - b, ddof=1))
    matrix = np.array([ev.values(name, "ap") for name in FOUR])
    rest = matrix - matrix.mean(0) - matrix.mean(1)[:, None] + matrix.mean()
    residual = math.sqrt((rest**2).sum() / (3 * 11))
    assert residual_deviation(matrix) == pytest.approx(residual)
    for adjust in ("holm", "tukey"):
        test = ev.compare_all("ap", adjust=adjust)["a", "b"]
        assert test.standardized_effect == pytest.approx(np.mean(a - b) / residual)
        assert test.effect_size == pytest.approx(one.effect_size)
    record = one.to_dict()
    assert record["effect_size"] == one.effect_size
    assert record["standardized_effect"] == one.standardized_effect
    assert "effect size" in str(one)


def test_what_has_no_effect_size() -> None:
    ev = evaluated({"a": 1.0, "b": 0.5})
    assert ev.compare("a", "b", "ap", method="unpaired-t").effect_size is None
    made, judged = runs({"a": 1.0})
    same = hc.evaluate_trec({"a": made["a"], "b": made["a"]}, judged, metrics="ap").compare("a", "b", "ap")
    assert same.effect_size is None
    assert same.standardized_effect is None
    assert "effect size" not in str(same)


# ---- words


@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
def test_topics_are_called_topics() -> None:
    ev = evaluated(FOUR, metrics=["ap", "precision@R"])
    shown = [str(ev), ev.methods_text(), ev._repr_html_(), ev.mean("a", "ap")._repr_html_()]
    for method in ("paired-t", "wilcoxon", "sign-flip", "unpaired-t"):
        for adjust in ("holm", "tukey"):
            found = ev.compare_all("ap", method=method, adjust=adjust)
            shown += [str(found), found.methods_text(), str(found[0]), found.to_latex(), found.to_markdown()]
    one = evaluated({"a": 1.0, "b": 0.4}, topics=1)
    shown += [str(one), one.methods_text()]
    for ask in (
        lambda: one.compare("a", "b", "ap"),
        lambda: one.mean("a", "ap").confidence_interval(),
        lambda: one["7"],
    ):
        with pytest.raises(errors.HitcurveError) as refused:
            ask()
        shown.append(str(refused.value))
    for text in shown:
        assert "group" not in text, text
    assert ev.compare("a", "b", "ap").unit == "topics"
    assert "fold" not in str(ev.compare("a", "b", "ap"))


def test_a_kept_evaluation_still_has_topics() -> None:
    ev = evaluated(FOUR)
    back = hc.from_json(text=ev.to_json())
    assert isinstance(back, hc.TrecEvaluation)
    assert back.groups.unit == "topics"
    assert str(back) == str(ev)


# ---- superscripts


def test_superscripts_name_the_runs_that_are_beaten() -> None:
    ev = evaluated(FOUR, metrics=["ap", "precision@5"], topics=20)
    found = [ev.compare_all(m, adjust="tukey") for m in ("ap", "precision@5")]
    table = hc.superscripts(found).splitlines()
    assert table[0].split() == ["ranker", "ap", "precision@5"]
    assert table[2].split()[:4:3] == ["a", "c,d"]
    assert table[3].split()[:4:3] == ["b", "c,d"]
    assert len(table[4].split()) == 4  # beats none
    latex = hc.superscripts(found, "latex")
    assert rf"{found[0].values['a']:.4g}\textsuperscript{{c,d}}" in latex
    assert r"\begin{tabular}{llrr}" in latex
    assert "<sup>c,d</sup>" in hc.superscripts(found[0], "markdown")
    assert "<sup>c,d</sup>" in hc.superscripts(found[0], "html")
    assert "% ap: the randomised Tukey HSD test (Carterette 2012), over 20 topics" in latex
    assert "ap: Paired t test, over 20 topics, adjusted by Holm's method" in hc.superscripts(ev.compare_all("ap"))
    for one, form in itertools.product(found, ("text", "latex")):
        assert {name: beaten(one, name) for name in one.rankers} == as_shown(hc.superscripts(one, form), form)


def beaten(found: hc.Comparisons, name: str) -> set[str]:
    others = [other for other in found.rankers if other != name]
    return {o for o in others if found[name, o].decisive_pvalue <= 0.05 and found.values[name] > found.values[o]}


def as_shown(table: str, form: str) -> dict[str, set[str]]:
    lines = [line for line in table.splitlines() if line[:2] in ("a ", "b ", "c ", "d ")]
    cells = [line.replace(r"\\", "").replace("&", " ").split() for line in lines]
    names = {letter: name for letter, name, *_ in cells}
    ends = [cell[-1].partition("{")[2].rstrip("}") if form == "latex" else "".join(cell[3:]) for cell in cells]
    return {cell[1]: {names[x] for x in end.split(",") if x} for cell, end in zip(cells, ends, strict=True)}


def test_what_has_no_superscripts() -> None:
    ev, other = evaluated(FOUR), evaluated({"a": 1.0, "x": 0.1})
    with pytest.raises(errors.ParameterError, match="at least one metric"):
        hc.superscripts([])
    for pair in (ev.compare("a", "b", "ap"), [ev.compare("a", "b", "ap")]):
        with pytest.raises(errors.ParameterError, match="superscripts are of what compare_all returns"):
            hc.superscripts(pair)  # type: ignore[arg-type]
    with pytest.raises(errors.ParameterError, match="of the same rankers"):
        hc.superscripts([ev.compare_all("ap"), other.compare_all("ap")])
    with pytest.raises(errors.ParameterError, match="two-sided tests"):
        hc.superscripts(ev.compare_all("ap", alternative="greater"))


# ---- planning


def test_the_number_of_topics_has_the_power_that_was_asked_for() -> None:
    ev = evaluated({"a": 1.0, "b": 0.8}, topics=25)
    d = ev.values("a", "ap") - ev.values("b", "ap")
    plan = ev.power_analysis("AP", 0.05, power=0.8)
    assert plan.deviation == pytest.approx(np.std(d, ddof=1))
    least, below = (ev.power_analysis("ap", 0.05, n_groups=plan.n_groups - k) for k in (0, 1))
    assert below.power < 0.8 <= least.power
    # the noncentral t distribution of scipy, and a simulation
    n, shift = plan.n_groups, 0.05 * math.sqrt(plan.n_groups) / plan.deviation
    limit = stats.t.ppf(0.975, n - 1)
    assert least.power == pytest.approx(
        stats.nct.sf(limit, n - 1, shift) + stats.nct.cdf(-limit, n - 1, shift), abs=1e-9
    )
    x = np.random.default_rng(0).normal(0.05, plan.deviation, (20_000, n))
    assert np.mean(stats.ttest_1samp(x, 0, axis=1).pvalue <= 0.05) == pytest.approx(0.8, abs=0.012)
    assert plan.n_groups_interval is not None
    assert least.power_interval is not None
    low, high = plan.n_groups_interval
    assert low < plan.n_groups < high
    assert least.power_interval[0] < least.power < least.power_interval[1]
    assert f"{plan.n_groups:,} topics find a mean difference of 0.05" in str(plan)
    assert plan.to_record().keys() == least.to_record().keys()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"effect": 0, "power": 0.8}, "effect must not be 0"),
        ({"effect": 2, "power": 0.8}, "smaller than the range of ap"),
        ({"effect": 0.1}, "give either power or n_groups, the number of topics"),
        ({"effect": 0.1, "power": 0.8, "n_groups": 3}, "give either power or n_groups"),
        ({"effect": 0.1, "n_groups": 1}, "n_groups must be a whole number of at least 2"),
        ({"effect": 0.1, "power": 0.01}, "power must be above the significance"),
        ({"effect": 0.1, "power": 0.8, "rankers": ("a", "a")}, "two different names"),
        ({"effect": 1e-9, "power": 0.8}, "too small"),
    ],
)
def test_what_cannot_be_planned(options: dict[str, Any], said: str) -> None:
    with pytest.raises(errors.ParameterError, match=said):
        evaluated(FOUR).power_analysis("ap", **options)


# ---- sums and geometric means


@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
def test_sums_and_geometric_means_have_no_inference_and_say_so() -> None:
    ev = evaluated(FOUR, metrics=["AP", "GMAP", "NumRelRet"])
    ap = ev.values("a", "AP")
    assert float(ev.mean("a", "GMAP")) == pytest.approx(np.exp(np.mean(np.log(ap))))
    assert float(ev.mean("a", "NumRelRet")) == sum(of["a"].found for of in ev.topics.values())
    assert ev.mean("a", "AP").is_mean
    for name, kind in (("GMAP", "geometric mean"), ("NumRelRet", "sum")):
        mean = ev.mean("a", name)
        assert mean.interval is None
        assert math.isnan(mean.standard_error)
        assert f"{kind} of 12" in str(mean)
        assert kind in mean._repr_html_()
        said = f"{name} is a {kind} over topics, which"
        for ask in (
            mean.confidence_interval,
            lambda name=name: ev.compare("a", "b", name),
            lambda name=name: ev.compare_all(name),
            lambda name=name: ev.compare_all(name, adjust="tukey"),
            lambda name=name: ev.power_analysis(name, 0.1, power=0.8),
        ):
            with pytest.raises(errors.UndefinedMetricError, match=said):
                ask()
    assert "GMAP is a geometric mean and NumRelRet is a sum over topics, without interval and test" in str(ev)
    records = {(r["ranker"], r["metric"]): r for r in ev.to_dict()["means"]}
    assert records["a", "NumRelRet"]["mean"] == float(ev.mean("a", "NumRelRet"))
    assert records["a", "NumRelRet"]["low"] is None
    assert "which has no interval" in records["a", "NumRelRet"]["reason"]
    assert "a sum has no interval" in page(ev)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
@pytest.mark.parametrize("size", [None, 300])
def test_the_report_of_runs_says_topics(size: int | None) -> None:
    made, judged = runs(FOUR)
    text = page(hc.evaluate_trec(made, judged, metrics=["AP", "RR"], collection_size=size))
    shown = re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.DOTALL)
    words = [*re.findall(r'(?:aria-label|title)="([^"]*)"', shown), *re.split(r"<[^>]*>", shown)]
    assert not [one for one in words if re.search(r"\bgroups?\b", one, re.IGNORECASE)]
    assert "4 runs on 12 topics: " in shown
    assert "Means over topics" in shown
    assert "The test assumes independent topics." in shown


@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
def test_figures_of_runs_say_topics() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    made, judged = runs(FOUR)
    ev = hc.evaluate_trec(made, judged, metrics=["AP"], collection_size=300)
    axes = [hc.plot.groups(ev, "AP"), hc.plot.average_curve({"a": ev.average_curve("a")})]
    words = " ".join(one.get_text() for ax in axes for one in ax.figure.findobj(matplotlib.text.Text))
    assert "topics" in words
    assert "group" not in words
