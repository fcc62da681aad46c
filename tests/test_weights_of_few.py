"""Weights and clusters where few subjects decide: the best value may be that of nobody."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import hitcurve as hc
from tests.sampled import quietly


def _no_skill(n: int = 1000, seed: int = 5) -> tuple[np.ndarray, np.ndarray, np.random.Generator]:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.1
    return y, rng.normal(size=n) + 0.3 * y, rng


@pytest.mark.parametrize("seed", range(8))
def test_a_best_net_benefit_that_may_be_0_has_an_interval_from_0(seed: int) -> None:
    """At odds of 9 no cut of these scores is worth its cost, whatever weights and clusters say of a few at the top."""
    y, s, rng = _no_skill(seed=seed)
    plain = quietly(y, s, metrics="net_benefit@50%")["score", "net_benefit@50%"].interval
    assert plain is not None
    for options in (
        {"sample_weight": np.exp(0.7 * rng.normal(size=y.size))},
        {"sample_weight": rng.choice([1.0, 20.0], y.size)},
        {"clusters": np.arange(y.size) // 3},
        {"clusters": np.arange(y.size) // 3, "sample_weight": rng.choice([1.0, 2.0], y.size)},
    ):
        found = quietly(y, s, metrics="net_benefit@50%", **options)["score", "net_benefit@50%"].interval
        assert found is not None
        assert found.low == 0
        assert plain.high / 2 < found.high < 20 * plain.high


@pytest.mark.parametrize("form", ["net_benefit@50%", "net_benefit@5%", "ks"])
@pytest.mark.parametrize("seed", range(8))
def test_equal_weights_and_clusters_of_one_say_what_none_say(seed: int, form: str) -> None:
    y, s, rng = _no_skill(seed=seed)
    plain = quietly(y, s, metrics=form)["score", form].interval
    assert plain is not None
    nearly = 1 + 1e-9 * rng.random(y.size)
    found = quietly(y, s, metrics=form, sample_weight=nearly)["score", form].interval
    assert found == pytest.approx(plain, rel=1e-5, abs=1e-9)
    found = quietly(y, s, metrics=form, clusters=np.arange(y.size))["score", form].interval
    assert found == pytest.approx(plain, abs=0.04 * (plain.high - plain.low))


def test_a_curve_of_best_cuts_says_the_same() -> None:
    y, s, rng = _no_skill()
    w = rng.choice([1.0, 20.0], y.size, p=[0.9, 0.1])
    ev = quietly(y, {"a": s}, metrics="net_benefit@50%", sample_weight=w)
    curve, one = ev.decision_curve("a", [0.5], cut="best"), ev["a", "net_benefit@50%"]
    assert one.interval is not None
    assert (curve.low[0], curve.high[0]) == tuple(one.interval)
    assert one.interval_method == "best-cut"
    assert any("very unequal" in text for text in curve.cautions)


def test_at_a_chosen_cut_no_more_subjects_count_than_in_the_list() -> None:
    """Positives that were audited one in twenty, of which none happens to be below the cut."""
    rng = np.random.default_rng(2)
    y = np.repeat([1, 1, 0], [150, 5, 800])
    s = np.concatenate([rng.normal(2.5, 0.5, 155), rng.normal(size=800)])
    w = np.repeat([1.0, 20.0, 1.0], [150, 5, 800])
    light = s[:155] < np.quantile(s[:155], 0.3)
    w[:155][light] = 1.0
    found = quietly(y, s, metrics="ks", sample_weight=w)["score", "ks"]
    alike = quietly(y, s, metrics="ks")["score", "ks"]
    assert found.interval is not None
    assert alike.interval is not None
    assert found.n_pos > 155
    assert found.value - found.interval.low > 1.3 * (alike.value - alike.interval.low)


def test_few_selected_light_subjects_are_no_surer_than_the_list() -> None:
    """Above the last threshold are eight subjects of weight 1, and elsewhere one in five weighs 20."""
    rng = np.random.default_rng(7)
    n = 500
    p = np.concatenate([np.full(8, 0.95), rng.uniform(0.05, 0.6, n - 8)])
    y = rng.random(n) < p
    w = np.concatenate([np.ones(8), rng.choice([1.0, 20.0], n - 8, p=[0.8, 0.2])])
    curve = quietly(y, {"a": p}, metrics="auc", sample_weight=w).decision_curve("a", [0.2, 0.9])
    worth = np.where(y[:8], 1.0, -9.0)
    by_squares = 2 * 1.96 * np.sqrt(np.sum(worth**2)) / w.sum()
    assert curve.high[1] - curve.low[1] > 1.5 * by_squares
    assert any("threshold 0.9" in text and "approximate" in text for text in curve.cautions)


def test_very_unequal_weights_have_a_word_of_caution() -> None:
    y, s, rng = _no_skill()
    said = {}
    for sigma in (0.3, 1.3):
        ev = quietly(y, s, metrics=["auc", "recall@50%"], sample_weight=np.exp(sigma * rng.normal(size=y.size)))
        said[sigma] = [any("very unequal" in text for text in e.cautions) for e in ev]
    assert said == {0.3: [False, False], 1.3: [True, True]}


@pytest.mark.parametrize(("times", "of_cases", "said"), [(20.0, 1.0, True), (20.0, 20.0, False), (3.0, 1.0, False)])
def test_heavy_subjects_that_a_class_may_lack_are_named(times: float, of_cases: float, said: bool) -> None:
    """Controls are audited one in ``times`` where scores are low; in a case-control sample all of them are heavy."""
    y, s, rng = _no_skill()
    s = s + 2 * y
    light = np.where(s > 0, 1.0, times) if of_cases == 1 else np.full(y.size, times)
    w = np.where(y == 1, 1.0, light)
    ev = quietly(y, {"a": s, "b": s + rng.normal(size=y.size)}, metrics=["auc", "recall@10%"], sample_weight=w)
    words = "weighted as some of the other class are"
    for form in ("auc", "recall@10%"):
        assert any(words in text for text in ev["a", form].cautions) == said
        assert any(words in text for text in ev.compare("a", "b", form, method="delta").cautions) == said


def test_few_subjects_of_nearly_equal_weights_lack_no_heavy_one() -> None:
    rng = np.random.default_rng(3)
    y = np.repeat([1, 0], [25, 100])
    for w in (1 + 1e-9 * rng.random(125), rng.uniform(0.5, 1.5, 125)):
        e = quietly(y, rng.random(125) + y, metrics="auc", sample_weight=w)["score", "auc"]
        assert not any("weighted as some" in text for text in e.cautions)


def test_very_unequal_weights_are_said_of_comparisons() -> None:
    y, s, rng = _no_skill()
    w = np.exp(1.3 * rng.normal(size=y.size))
    ev = quietly(y, {"a": s, "b": s + rng.normal(size=y.size)}, metrics="ap", sample_weight=w)
    assert any("very unequal" in text for text in ev.compare("a", "b", "ap", method="delta").cautions)


def test_how_unequal_weights_are_does_not_depend_on_ties(tmp_path: Path) -> None:
    """Of a table, whose rows hold several subjects, the numbers are bounds, and said as such."""
    y, s, rng = _no_skill()
    w = np.where(rng.random(y.size) < 0.05, 20.0, 1.0)
    w[np.flatnonzero(y == 0)[0]] = 600.0
    neg = w[y == 0]
    kish = f"{neg.size} negatives vary as {neg.sum() ** 2 / np.sum(neg**2):.3g} of equal weight"
    share = 100 * 600 / neg.sum()
    pd.DataFrame({"y": y, "s": np.round(s), "w": w}).to_csv(tmp_path / "x.csv", index=False)
    found: list[Any] = [quietly(y, {"s": scores}, metrics="auc", sample_weight=w) for scores in (s, np.round(s))]
    found.append(quietly("y", "s", data=tmp_path / "x.csv", metrics="auc", sample_weight="w"))
    found.append(hc.from_json(text=found[1].to_json()))
    for ev in found:
        cautions = ev["s", "auc"].cautions
        assert any(f"one negative has {share:.0f}% of the weight" in text for text in cautions)
        assert any(f"unequal, {kish}" in text for text in cautions)
    table = hc.HitTable.from_scores(y, np.round(s), sample_weight=w)
    (said,) = (
        text for text in quietly(tables={"s": table}, metrics="auc")["s", "auc"].cautions if "negative has" in text
    )
    assert "has at least" in said
    assert float(said.split("%")[0].split()[-1]) <= share


def test_few_positives_on_one_side_of_a_rate_are_named() -> None:
    """Of recall at half the list, as of work saved at a recall."""
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [100, 900])
    s, w = rng.normal(size=1000) + 3 * y, rng.choice([1.0, 4.0], 1000)
    few = quietly(y, s, metrics=["recall@50%", "recall@2%", "recall@7%"], sample_weight=w)
    texts = {str(e.metric): [text for text in e.cautions if "of equal weight rank" in text] for e in few}
    assert "below the cutoff" in texts["recall@50%"][0]
    assert not texts["recall@7%"]
    equal = quietly(y, s, metrics=["recall@50%"], sample_weight=np.full(1000, 2.0) + 1e-6 * y)
    assert not [text for e in equal for text in e.cautions if "of equal weight rank" in text]


def test_a_variance_between_few_clusters_has_quantiles_of_t() -> None:
    """Korn and Graubard: a beta of the effective number, times the square of the ratio of the t quantiles."""
    from scipy import stats

    rng = np.random.default_rng(3)
    cluster = np.repeat(np.arange(12), 25)
    y = rng.random(300) < 0.5
    s = rng.normal(size=300) + y + 0.5 * rng.normal(size=12)[cluster]
    e = quietly(y, s, metrics="tpr@fpr=30%", clusters=cluster)["score", "tpr@fpr=30%"]
    found = e.confidence_interval(method="jeffreys")
    T, variance = e.value, e.standard_error**2
    size = T * (1 - T) / variance
    size *= (stats.t.ppf(0.975, size - 1) / stats.t.ppf(0.975, e.degrees_of_freedom)) ** 2
    wanted = [float(stats.beta.ppf(p, size * T + 0.5, size * (1 - T) + 0.5)) for p in (0.025, 0.975)]
    assert [found.low, found.high] == pytest.approx(wanted, rel=0.02)


def test_few_clusters_at_a_cut_are_named() -> None:
    rng = np.random.default_rng(3)
    cluster = np.arange(400) % 40
    y = rng.random(400) < 0.3
    ev = quietly(y, rng.normal(size=400) + y, metrics=["auc", "recall@10%"], clusters=cluster)
    said = [any("40 clusters contain a positive" in text for text in e.cautions) for e in ev]
    assert said == [False, True]


@pytest.mark.parametrize("what", ["tpr", "fpr", "precision", "rate"])
def test_rates_of_subgroups_above_a_score_vary_as_without_each_cluster(what: str) -> None:
    """By hand: the square of what a subgroup's rate changes by where a cluster is left out, times (G - 1)/G."""
    rng = np.random.default_rng(11)
    sizes = rng.integers(1, 12, 40)
    cluster, n = np.repeat(np.arange(40), sizes), int(sizes.sum())
    by, y = (np.arange(40) % 2)[cluster], rng.random(n) < 0.5
    s = rng.normal(size=n) + y
    ev = quietly(y, {"a": s}, metrics="auc", clusters=cluster)
    gap = ev.gap(what, by=by, ranker="a", cut=0.7)

    def rate(kept: np.ndarray, group: int) -> float:
        own = kept & (by == group)
        of = {"tpr": own & y, "fpr": own & ~y, "precision": own & (s >= 0.7), "rate": own}[what]
        hit = {"tpr": s >= 0.7, "fpr": s >= 0.7, "precision": y, "rate": s >= 0.7}[what]
        return float(np.mean(hit[of]))

    every = np.ones(n, bool)
    for group, name in enumerate(("0", "1")):
        whole = rate(every, group)
        changes = [rate(cluster != one, group) - whole for one in range(40)]
        assert gap.subgroups[name].value == pytest.approx(whole)
        assert gap.subgroups[name].standard_error == pytest.approx(np.sqrt(39 / 40 * np.sum(np.square(changes))))
    assert any("fewer than 50 clusters" in text for text in gap.cautions)


def test_forty_to_eighty_negatives_that_decide_have_a_word_of_caution() -> None:
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], [80, 800])
    for prevalence, said in ((0.05, True), (0.1, False)):
        ev = hc.evaluate(y, rng.normal(size=880) + y, metrics="ap", design="case-control", prevalence=prevalence)
        assert any("40 to 80 of them" in text for text in ev["score", "ap"].cautions) is said


@pytest.mark.parametrize(
    "form",
    [
        "auc",
        "croc(exp, alpha=80)",
        "pauc(fpr, 0, 0.1)",
        "half_auc(specific)",
        "magnified_area(x=exp(alpha=7), y=exp(alpha=3))",
        "logauc",
        "tpr@fpr=10%",
        "ks",
    ],
)
def test_the_interval_of_a_metric_of_both_rates_does_not_follow_the_prevalence(form: str) -> None:
    rng = np.random.default_rng(3)
    y = np.repeat([1, 0], 40)
    s = rng.normal(size=80) + 1.8 * y
    found = []
    for prevalence in (None, 0.02, 0.9):
        interval = quietly(y, s, metrics=form, design="case-control", prevalence=prevalence)["score", form].interval
        assert interval is not None
        found.append(tuple(interval))
    assert found[1] == pytest.approx(found[0], rel=1e-9)
    assert found[2] == pytest.approx(found[0], rel=1e-9)


def test_weights_say_in_clusters_of_one_what_they_say_without() -> None:
    """A stratified audit: limits at the best cut, and words on very unequal weights."""
    rng = np.random.default_rng(0)
    y = rng.random(5000) < 0.1
    s = rng.normal(size=5000) + 1.3 * y
    kept = (s > 0.8) | (rng.random(5000) < 0.05)
    y, s, w = y[kept], s[kept], np.where(s > 0.8, 1.0, 20.0)[kept]
    plain, ones = (
        quietly(y, s, metrics=["auc", "ks", "net_benefit@10%"], sample_weight=w, **options)
        for options in ({}, {"clusters": np.arange(y.size)})
    )
    for e, own in zip(plain, ones, strict=True):
        assert e.interval is not None
        assert own.interval == pytest.approx(e.interval, abs=0.06 * (e.interval.high - e.interval.low))
        assert own.cautions == e.cautions
        assert any("very unequal" in text for text in own.cautions)
    crowded = quietly(y, s, metrics="ks", sample_weight=w, clusters=np.arange(y.size) // 20)["score", "ks"]
    assert any("very unequal" in text for text in crowded.cautions)


def test_a_correlation_within_clusters_of_what_hardly_varies_is_not_said() -> None:
    """At a low threshold nearly all positives are selected, and add the same but for their weights."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        y = rng.random(300) < 0.3
        s, w = rng.normal(size=300) + y, np.exp(0.5 * rng.normal(size=300))
        e = quietly(y, s, metrics="net_benefit@10%", clusters=rng.integers(0, 75, 300), sample_weight=w)
        assert not any("much alike" in text for text in e["score", "net_benefit@10%"].cautions)


def _of_any_size(clusters: int, seed: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw clusters of 1 to 50 subjects that are nearly alike."""
    rng = np.random.default_rng(seed)
    sizes = np.ceil(50 ** rng.random(clusters)).astype(int)
    own = np.repeat(np.arange(clusters), sizes)
    s = rng.normal(size=clusters)[own] + 0.3 * rng.normal(size=own.size)
    return rng.random(own.size) < 1 / (1 + np.exp(1 - s)), s, own


def test_clusters_above_a_cut_give_the_degrees_of_freedom_there() -> None:
    y, s, own = _of_any_size(150)
    ev = quietly(y, s, metrics=["precision@5%", "recall@20%", "auc"], clusters=own)
    for form, share in (("precision@5%", 0.05), ("recall@20%", 0.2)):
        held = np.bincount(own[np.argsort(-s)[: int(np.ceil(share * y.size))]])
        number = held.sum() ** 2 / np.sum(held**2)
        assert ev["score", form].degrees_of_freedom == pytest.approx(number - 1, rel=1e-9)
        said = [text for text in ev["score", form].cautions if "clusters of equal size" in text]
        assert bool(said) == (number < 20)
    assert ev["score", "auc"].degrees_of_freedom == np.unique(own[y]).size - 1


def test_the_degrees_of_freedom_at_a_cut_are_those_of_every_way() -> None:
    """Of blocks that are merged, with weights, of groups, and along a grid."""
    y, s, own = _of_any_size(150)
    w = 1.0 + (own % 7)
    blocks = pa.table({"y": y, "s": s, "c": own, "w": w}).to_batches(max_chunksize=y.size // 4)
    whole = quietly(y, {"s": s}, metrics="precision@10%", clusters=own, sample_weight=w)["s", "precision@10%"]
    merged = quietly("y", "s", data=blocks, metrics="precision@10%", clusters="c", sample_weight="w")
    assert merged["s", "precision@10%"].degrees_of_freedom == pytest.approx(whole.degrees_of_freedom, rel=1e-12)
    plain = quietly(y, {"s": s}, metrics="precision@10%", clusters=own)
    k = round(0.1 * y.size)
    found = plain.sensitivity("budget", [k]).of("s", "precision")
    at = quietly(y, {"s": s}, metrics=f"precision@{k}", clusters=own)["s", f"precision@{k}"].interval
    assert at is not None
    assert (found.low[0, 0], found.high[0, 0]) == pytest.approx(tuple(at), rel=1e-9)
    twice: Any = quietly(
        np.tile(y, 2),
        {"s": np.tile(s, 2)},
        metrics="precision@10%",
        clusters=np.tile(own, 2),
        by=np.repeat(["a", "b"], y.size),
    )
    assert twice.groups["a"]["s", "precision@10%"].degrees_of_freedom == plain["s", "precision@10%"].degrees_of_freedom


@pytest.mark.parametrize("form", ["precision@recall=50%", "tpr@fpr=5%", "fpr@tpr=80%", "wss@90%"])
def test_limits_at_another_rate_are_profiles_of_clusters(form: str) -> None:
    y, s, own = _of_any_size(300)
    e = quietly(y, s, metrics=form, clusters=own)["score", form]
    assert e.interval_method == "profile"
    alone = quietly(y, s, metrics=form)["score", form]
    assert e.interval is not None
    assert alone.interval is not None
    assert e.interval.low < alone.interval.low < alone.interval.high < e.interval.high
