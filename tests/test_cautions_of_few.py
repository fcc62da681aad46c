"""Cautions about what a sample cannot show: negatives that are few, a cluster that holds much, errors not observed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve.inference.estimation.cautions_of_weights import carriers
from tests.shell import Shell, shell

__all__ = ["shell"]

pytestmark = pytest.mark.filterwarnings("ignore::hitcurve.errors.SaturationWarning")


def _found(n1: int, n0: int, distance: float = 2.0, **options: Any) -> Any:
    rng = np.random.default_rng(n1)
    y = np.repeat([1, 0], [n1, n0])
    return hc.evaluate(y, {"a": rng.normal(size=n1 + n0) + distance * y}, **options)


@pytest.mark.parametrize("metric", ["ap", "ndcg", "scaled_ap", "prg_area"])
def test_few_negatives_beside_many_positives_are_cautioned(metric: str) -> None:
    said = "negatives beside"
    assert any(said in one for one in _found(570, 30, metrics=metric)["a", metric].cautions)
    for n1, n0 in ((570, 130), (120, 60)):
        assert not any(said in one for one in _found(n1, n0, metrics=metric)["a", metric].cautions)


def test_where_negatives_do_not_decide_they_may_be_few() -> None:
    found = _found(570, 30, metrics=["auc", "bedroc(alpha=20)"])
    for metric in ("auc", "bedroc(alpha=20)"):
        assert not any("negatives beside" in one for one in found["a", metric].cautions)


def _with_a_large_cluster(n: int, share: float, distances: dict[str, float]) -> tuple[Any, dict[str, Any], Any]:
    """Return labels, scores and clusters, of which one holds a share of the subjects and others six each."""
    rng = np.random.default_rng(3)
    large = round(n * share)
    clusters = np.concatenate([np.zeros(large, int), 1 + np.arange(n - large) // 6])
    y = (rng.random(n) < 0.3).astype(int)
    return y, {name: rng.normal(size=n) + by * y for name, by in distances.items()}, clusters


@pytest.mark.parametrize("share", [0.4, 0.1])
def test_a_cluster_that_holds_much_of_a_class_is_cautioned(share: float) -> None:
    y, scores, clusters = _with_a_large_cluster(400, share, {"a": 1, "b": 1})
    ev = hc.evaluate(y, scores, metrics="auc", clusters=clusters)
    largest = max(float(np.mean(clusters[y == of] == 0)) for of in (0, 1))
    groups = hc.evaluate(y, scores, metrics="auc", clusters=clusters, by=np.arange(y.size) % 6 // 3)
    for cautions in (ev["a", "auc"].cautions, ev.compare("a", "b", "auc").cautions):
        found = [one for one in cautions if "one cluster holds" in one]
        assert len(found) == (share > 0.25)
        assert all(f"holds {100 * largest:.0f}% of a class" in one for one in found)
    assert any("one cluster holds" in one for one in groups["0"]["a", "auc"].cautions) == (share > 0.25)
    assert any("one cluster holds" in one for one in groups.cautions) == (share > 0.25)


@pytest.mark.parametrize("share", [0.4, 0.1])
def test_a_heavy_cluster_is_cautioned_in_all_that_is_made_of_its_errors(share: float) -> None:
    y, scores, clusters = _with_a_large_cluster(600, share, {"a": 2, "b": 1})
    ev = hc.evaluate(y, scores, metrics="auc", clusters=clusters)
    by = np.arange(y.size) % 2
    found: dict[str, Any] = {
        "winner": ev.winner("auc"),
        "power": ev.power_analysis("auc", 0.1, power=0.8),
        "band": ev.band("a", "roc", n_resamples=100, rng=1),
        "difference": ev.difference_band("a", "b", "roc", rng=1),
        "gap": ev.gap("auc", ranker="a", by=by),
        "gap at a cut": ev.gap("tpr", ranker="a", by=by, cut="recall@20%"),
    }
    for name, one in found.items():
        said = [text for text in one.cautions if "one cluster holds" in text]
        assert len(said) == (share > 0.25), name
        assert all(text in str(one) for text in said), name


@pytest.mark.parametrize(("correlation", "mixed", "said"), [(0.9, True, True), (0.0, True, False), (0.9, False, False)])
def test_subjects_of_a_cluster_that_are_much_alike_are_cautioned(correlation: float, mixed: bool, said: bool) -> None:
    rng = np.random.default_rng(5)
    y = np.repeat([1, 0], [100, 300])
    clusters = np.concatenate([np.arange(100) % 50, (0 if mixed else 50) + np.arange(300) % (50 if mixed else 150)])
    scores = {
        name: np.sqrt(correlation) * rng.normal(size=200)[clusters]
        + np.sqrt(1 - correlation) * rng.normal(size=400)
        + 1.2 * y
        for name in "ab"
    }
    ev = hc.evaluate(y, scores, metrics=["ap", "auc"], clusters=clusters)
    groups = hc.evaluate(
        np.tile(y, 2),
        {name: np.tile(one, 2) for name, one in scores.items()},
        metrics="ap",
        clusters=np.concatenate([clusters, clusters + 1000]),
        by=np.repeat([0, 1], 400),
    )
    for found in (ev["a", "ap"], ev.compare("a", "b", "ap"), ev.winner("ap"), groups["1"]["a", "ap"], groups):
        assert any("much alike" in one for one in found.cautions) == said
    # all pairs of both classes, of which few are of one cluster
    assert not any("much alike" in one for one in ev["a", "auc"].cautions)
    if said:
        (own,) = re.findall(r"correlation ([\d.]+) of", " ".join(ev["a", "ap"].cautions))
        assert float(own) == pytest.approx(_correlation(y, ev, clusters), abs=0.0051)


def test_subjects_of_clusters_at_random_are_not_alike() -> None:
    """Net benefit at a low threshold: nearly all positives add the same, whatever their cluster."""
    rng = np.random.default_rng(5)
    y = rng.random(1000) < 0.3
    s, clusters = rng.normal(size=1000) + y, rng.integers(0, 80, 1000)
    ev = hc.evaluate(y, s, metrics=["net_benefit@5%", "max_f1", "ap"], clusters=clusters)
    assert not [text for e in ev for text in e.cautions if "much alike" in text]


def _correlation(y: Any, ev: Any, clusters: Any) -> float:
    """Return the correlation of influence values within clusters and classes, by sums over pairs of subjects."""
    values = ev.influence("a", "ap")
    pairs, more = 0.0, 0.0
    for of in (1, 0):
        own, at = values[y == of] - np.mean(values[y == of]), clusters[y == of]
        same = (at[:, None] == at) & ~np.eye(own.size, dtype=bool)
        pairs += float(np.sum(np.outer(own, own) * same)) / float(np.sum(own**2))
        more += float(same.sum()) / own.size
    return pairs / more


def test_of_the_subgroups_of_a_gap_the_heaviest_cluster_is_named() -> None:
    rng = np.random.default_rng(0)
    y = np.tile(np.repeat([1, 0], [40, 60]), 2)
    by = np.repeat(["a", "b"], 100)
    clusters = np.arange(200) // 2
    clusters[:20], clusters[100:118] = 0, 50
    (said,) = (
        text
        for text in hc.evaluate(y, rng.normal(size=200) + y, clusters=clusters).gap("auc", by=by).cautions
        if "one cluster holds" in text
    )
    assert said.startswith("in 2 of 2 subgroups ('a', 'b'): one cluster holds 50% of a class: ")
    assert said.endswith("(the numbers are those of 'a')")


def test_cautions_of_groups_say_which() -> None:
    y = np.concatenate([np.repeat([1, 0], [8, 40]), np.repeat([1, 0], [60, 90])])
    s = np.random.default_rng(2).normal(size=y.size) + y
    ev = hc.evaluate(y, s, metrics="auc", by=np.repeat(["small", "large"], [48, 150]))
    (said,) = ev.cautions
    assert said.startswith("in 1 of 2 groups ('small'): only 8 positives")
    assert ev.to_dict()["cautions"] == [said]
    many = hc.evaluate(np.tile(y[:48], 41), np.tile(s[:48], 41), metrics="auc", by=np.repeat(np.arange(41), 48))
    assert not many.cautions


@pytest.mark.parametrize("heavy", [False, True])
def test_few_heavy_subjects_are_cautioned_in_all_that_is_made_of_their_variance(heavy: bool) -> None:
    rng = np.random.default_rng(3)
    y = np.arange(1200) < 120
    scores = {name: rng.normal(size=1200) + 1.2 * y for name in "ab"}
    weights = np.exp(1.1 * rng.normal(size=1200)) if heavy else np.where(rng.random(1200) < 0.5, 1.0, 1.5)
    metrics = ["ap", "auc", "net_benefit@10%"]
    ev = hc.evaluate(y, scores, sample_weight=weights, metrics=metrics)
    both = {"a": 1.0, "b": -1.0}
    made: dict[str, Any] = {
        "comparison": ev.compare("a", "b", "ap"),
        "contrast": ev.contrast(both, "ap"),
        "contrasts": ev.contrast([both, {"a": 1.0}], ["ap", "auc"]),
        "winner": ev.winner("ap"),
        "gap": ev.gap("ap", by=np.arange(1200) % 2, ranker="a"),
        "decision": ev.decision_curve("a", [0.05, 0.1], cut="best"),
    }
    said = {
        name: [one for one in found.cautions if "subjects with large weights" in one] for name, found in made.items()
    }
    assert all(bool(texts) == heavy for texts in said.values()), said
    if not heavy:
        return
    assert said["contrasts"][0].startswith("'a - b': the variance of ap is")
    assert said["gap"][0].startswith("in 2 of 2 subgroups ('0', '1'): the variance of ap is")
    assert said["decision"][0].startswith("the variance of the net benefit at 2 thresholds from 0.05 to 0.1 is")
    fewest = min(carriers(ev[name, "ap"]._spread) for name in "ab")
    assert f"about {fewest:.2g} subjects" in said["comparison"][0]
    assert not any("large weights" in one for one in ev.compare("a", "b", "auc").cautions)


@pytest.mark.parametrize("shift", [1.0, 4.0])
@pytest.mark.parametrize("unit", [None, 20.0])
def test_hardly_a_negative_above_a_cut_is_cautioned_in_a_difference(shift: float, unit: float | None) -> None:
    """Of weights as of as many of equal weight, whatever their unit."""
    rng = np.random.default_rng(4)
    y = np.arange(1500) % 4 < 1
    scores = {"a": rng.normal(size=1500) + shift * y, "b": rng.normal(size=1500) + y}
    weights = None if unit is None else unit * np.where(rng.random(1500) < 0.2, 8.0, 1.0)
    ev = hc.evaluate(y, scores, sample_weight=weights, metrics=["recall@10%", "auc"])
    said = [one for one in ev.compare("a", "b", "recall@10%").cautions if "above the cutoff" in one]
    assert bool(said) == (shift > 2)
    assert not [one for one in ev.compare("a", "b", "auc").cautions if "above the cutoff" in one]


@pytest.mark.parametrize(("n", "said"), [(300, True), (3000, False)])
def test_few_negatives_in_the_top_that_decides_are_cautioned(n: int, said: bool) -> None:
    rng = np.random.default_rng(6)
    y = np.arange(n) % 2
    ev = hc.evaluate(y, rng.standard_t(3, n) + 2 * y, metrics=["bedroc(alpha=20)", "ap", "auc"])
    found = [one for one in ev["score", "bedroc(alpha=20)"].cautions if "in the top 5%" in one]
    assert bool(found) == said
    assert not any("in the top" in one for name in ("ap", "auc") for one in ev["score", name].cautions)


def test_what_few_subjects_of_equal_weight_decide_is_said_of_weights() -> None:
    """Of 1,000 in the top 2%, 20 rows: as many as 6 of equal weight."""
    rng = np.random.default_rng(5)
    y = np.arange(1000) % 3 < 1
    weights = np.where(rng.random(1000) < 0.03, 40.0, 1.0)
    ev = hc.evaluate(y, {name: rng.normal(size=1000) + y for name in "ab"}, sample_weight=weights, metrics="ef@2%")
    n = sum(map(float, ev["a", "ef@2%"]._spread.effective))
    assert n < 300
    (said,) = (one for one in ev.compare("a", "b", "ef@2%").cautions if "depends on about" in one)
    assert f"about {0.02 * n:.3g} subjects" in said


def test_errors_that_were_not_observed_are_left_open() -> None:
    found = _found(120, 280, 20.0, metrics=["ap", "auc"])
    (said,) = (one for one in found["a", "ap"].cautions if "no error" in one)
    share, value = map(float, re.findall(r"that ([\d.]+)% .* it is ([\d.]+)$", said)[0])
    assert share == pytest.approx(100 * (1 - 0.025 ** (1 / 280)), abs=0.05)
    # the positives one by one behind so many negatives
    k = np.arange(1, 121)
    assert value == pytest.approx(np.mean(k / (k + 280 * (1 - 0.025 ** (1 / 280)))), abs=1e-4)
    (plain,) = (one for one in found["a", "auc"].cautions if "no error" in one)
    assert plain.endswith("as a lower bound")


def test_no_bound_is_to_be_read_where_there_is_no_interval() -> None:
    found = _found(67, 273, 20.0, metrics=["ap", "prg_area"], prevalence=0.01)
    for metric in ("ap", "prg_area"):
        assert found["a", metric].interval is None
        assert not any("read the interval" in one for one in found["a", metric].cautions)


@pytest.mark.parametrize("form", ["text", "csv", "json", "markdown"])
def test_cautions_stand_beside_every_form(form: str, shell: Shell, tmp_path: Path) -> None:
    lines = "".join(f"{y},{100 * y + place % 7}\n" for place, y in enumerate([1] * 30 + [0] * 90))
    (tmp_path / "x.csv").write_text(f"y,s\n{lines}")
    found = shell("evaluate", tmp_path / "x.csv", "-l", "y", "-s", "s", "-m", "ap", "-f", form)
    assert ("no error was observed" in found.err) == (form == "csv")
    assert ("no error was observed" in found.out) == (form != "csv")


@pytest.mark.parametrize("form", ["text", "csv", "json"])
def test_cautions_of_horizons_stand_beside_every_form(form: str, shell: Shell, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    time = rng.exponential(2, 90)
    score = rng.normal(size=90) - time
    lines = "".join(f"{t},{place % 4 and 1},{s}\n" for place, (t, s) in enumerate(zip(time, score, strict=True)))
    (tmp_path / "x.csv").write_text(f"t,e,s\n{lines}")
    asked = ("--time", "t", "--event", "e", "-s", "s", "--horizon", "2", "-m", "recall@1%", "-f", form)
    found = shell("survival", tmp_path / "x.csv", *asked)
    assert ("subjects at the top" in found.err) == (form == "csv")
    assert ("subjects at the top" in found.out) == (form != "csv")


def test_what_clusters_mean_for_groups_stands_in_every_form(shell: Shell, tmp_path: Path) -> None:
    y, scores, clusters = _with_a_large_cluster(240, 0.0, {"a": 2, "b": 1})
    site = np.arange(y.size) % 3
    lines = "".join(",".join(map(str, line)) + "\n" for line in zip(y, *scores.values(), clusters, site, strict=True))
    (tmp_path / "x.csv").write_text(f"y,a,b,c,g\n{lines}")
    for form in ("text", "markdown", "latex", "json", "csv"):
        options = ("--cluster", "c", "--by", "g", "-m", "auc", "-f", form)
        found = shell("evaluate", tmp_path / "x.csv", "-l", "y", "-s", "a", "-s", "b", *options)
        assert "each cluster should lie within one group" in (found.err if form == "csv" else found.out)
        if form == "latex":
            assert found.out.count(r"\begin{tabular}") == 3  # means, all subjects, groups


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("winner", "--metric", "auc"), "best of 2 by auc"),
        (("gap", "--by", "g", "--metric", "auc", "-s", "a"), "all subgroups equal"),
        (("power", "--metric", "auc", "--effect", "0.1", "--power", "0.8"), "positives and"),
        (("compare", "--metric", "auc", "--looks", "2"), "a - b"),
        (("certify", "--recall", "50%"), "a: recall"),
    ],
)
def test_columns_are_written_with_their_notes_beside_them(
    command: tuple[str, ...], said: str, shell: Shell, tmp_path: Path
) -> None:
    y, scores, _ = _with_a_large_cluster(240, 0.0, {"a": 2, "b": 1})
    lines = "".join(f"{one},{a},{b},{i % 2}\n" for i, (one, a, b) in enumerate(zip(y, *scores.values(), strict=True)))
    (tmp_path / "x.csv").write_text(f"y,a,b,g\n{lines}")
    name, *options = command
    rankers = () if "-s" in options else ("-s", "a", "-s", "b")
    found = shell(name, tmp_path / "x.csv", "-l", "y", *rankers, *options, "-f", "csv")
    assert found.code in (0, 3), found.err
    assert said in found.err
    assert said not in found.out
