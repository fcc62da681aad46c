"""Gaps between subgroups: each ranked by itself, and all cut at one score."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from scipy import stats

import hitcurve as hc
from hitcurve.errors import (
    AlignmentWarning,
    ColumnNotFoundError,
    InputError,
    InsufficientDataError,
    LengthMismatchError,
    ParameterError,
)
from tests.sampled import quietly
from tests.shell import in_process as run

Array = npt.NDArray[Any]


def drawn(n: int, *shifts: float, seed: int = 0, share: float = 0.3) -> tuple[Array, Array, Array]:
    """Draw labels, scores and subgroups; positives of each are shifted by its own."""
    rng = np.random.default_rng(seed)
    y, group = rng.random(n) < share, rng.integers(0, len(shifts), n)
    return y, rng.normal(size=n) + y * np.array(shifts)[group], group


def delong_variance(y: Array, s: Array) -> tuple[float, float]:
    """Return AUC and the variance of DeLong, from all pairs."""
    pairs = (s[y][:, None] > s[~y]) + 0.5 * (s[y][:, None] == s[~y])
    of_pos, of_neg = pairs.mean(axis=1), pairs.mean(axis=0)
    variance = np.var(of_pos, ddof=1) / of_pos.size + np.var(of_neg, ddof=1) / of_neg.size
    return float(pairs.mean()), float(variance)


def test_pairs_are_those_of_delong_and_the_test_is_that_of_wald() -> None:
    """Subgroups are independent: the quadratic form of their covariance is a weighted sum of squares, of log odds."""
    y, s, group = drawn(700, 1.5, 1.2, 0.6)
    s = np.round(s, 1)
    gap = quietly(y, s, metrics="ap").gap("auc", by=group)
    own = [delong_variance(y[group == g], s[group == g]) for g in range(3)]
    for i, j in ((0, 1), (0, 2), (1, 2)):
        one = gap[str(i), str(j)]
        assert abs(one.value) == pytest.approx(abs(own[i][0] - own[j][0]), rel=1e-10)
        assert one.value >= 0
        assert one.standard_error == pytest.approx(np.sqrt(own[i][1] + own[j][1]), rel=1e-10)
    areas, of_areas = (np.array(column) for column in zip(*own, strict=True))
    values, variances = np.log(areas / (1 - areas)), of_areas / (areas * (1 - areas)) ** 2
    centre = np.sum(values / variances) / np.sum(1 / variances)
    assert gap.test is not None
    assert gap.test.statistic == pytest.approx(np.sum((values - centre) ** 2 / variances) / 2, rel=1e-9)
    assert gap.test.pvalue == pytest.approx(stats.f.sf(gap.test.statistic, *gap.test.degrees), rel=1e-9)
    assert gap.largest.label == "0 - 2"
    for g in range(3):
        alone = quietly(y[group == g], s[group == g], metrics="auc")["score", "auc"]
        assert gap.subgroups[str(g)].interval == alone.interval
        assert gap.subgroups[str(g)].standard_error == pytest.approx(alone.standard_error, rel=1e-12)


def test_rows_in_any_order_and_names_of_columns() -> None:
    y, s, group = drawn(300, 1.5, 0.9, seed=3)
    frame = pd.DataFrame({"y": y, "s": s, "site": np.array(["north", "south"])[group]})
    gap = hc.evaluate("y", "s", data=frame, metrics="ap").gap("ap", by="site")
    order = np.random.default_rng(0).permutation(300)
    again = hc.evaluate("y", "s", data=frame.iloc[order], metrics="ap").gap("ap", by="site")
    assert str(again) == str(gap)
    assert gap.by == "site"
    assert list(gap.subgroups) == ["north", "south"]
    assert gap.test is not None
    assert gap.test.pvalue == pytest.approx(gap.pairs[0].pvalue, rel=1e-9)  # F of one pair is its t, squared
    frame.loc[5, "s"] = np.nan
    dropped = quietly("y", "s", data=frame, metrics="ap", missing="drop").gap("ap", by="site")
    whole = hc.evaluate("y", "s", data=frame.drop(index=5), metrics="ap").gap("ap", by="site")
    assert str(dropped) == str(whole)


def slow_rates(y: Array, s: Array, group: Array, what: str, cut: Any) -> Array:
    """Return the rates of the subgroups above the cutoff of the whole list, of distinct scores."""
    if isinstance(cut, float):
        t = cut
    else:
        axis, place = cut
        along = {"rate": np.ones(y.size, bool), "fpr": ~y, "recall": y}[axis]
        t = np.sort(s[along])[::-1][int(np.ceil(place * along.sum() - 1e-9)) - 1]
    above = s >= t
    out = []
    for g in range(int(group.max()) + 1):
        own = group == g
        of = {"tpr": own & y, "fpr": own & ~y, "precision": own & above, "rate": own}[what]
        hit = {"tpr": above, "fpr": above, "precision": y, "rate": above}[what]
        out.append(np.sum(of & hit) / np.sum(of))
    return np.array(out)


@pytest.mark.parametrize(
    ("cut", "slow"),
    [("recall@20%", ("rate", 0.2)), ("tpr@fpr=10%", ("fpr", 0.1)), ("fpr@tpr=80%", ("recall", 0.8)), (0.7, 0.7)],
)
@pytest.mark.parametrize("what", ["tpr", "fpr", "precision", "rate"])
def test_rates_at_one_cut_know_the_error_of_the_cut(cut: Any, slow: Any, what: str) -> None:
    """Values are those of a slow definition, standard errors those of a bootstrap that cuts anew."""
    y, s, group = drawn(1000, 1.5, 0.8, seed=4)
    s = s + 0.4 * group
    gap = quietly(y, s, metrics="auc").gap(what, by=group, cut=cut)
    values = np.array([one.value for one in gap.subgroups.values()])
    np.testing.assert_allclose(values, slow_rates(y, s, group, what, slow), atol=0.005)
    rng = np.random.default_rng(1)
    noise = rng.normal(size=s.size) * 1e-9  # distinct scores
    again = []
    for _ in range(400):
        rows = rng.integers(0, y.size, y.size)
        again.append(slow_rates(y[rows], (s + noise)[rows], group[rows], what, slow))
    drawn_again = np.array(again)
    difference = gap["0", "1"]
    sign = 1.0 if difference.label == "0 - 1" else -1.0
    assert difference.value == pytest.approx(sign * (values[0] - values[1]), abs=1e-12)
    assert difference.standard_error == pytest.approx(np.std(drawn_again[:, 0] - drawn_again[:, 1]), rel=0.16)
    for place, one in enumerate(gap.subgroups.values()):
        assert one.standard_error == pytest.approx(np.std(drawn_again[:, place]), rel=0.16)


def test_rates_of_all_add_up_at_a_cut_by_rate() -> None:
    """The subgroups together select what the whole list does, whatever is tied at the cutoff, so it has no error."""
    y, s, group = drawn(400, 1.5, 0.8, 1.0, seed=5)
    for digits in (0, 1, 9):
        gap = quietly(y, np.round(s, digits), metrics="auc").gap("rate", by=group, cut="recall@15%")
        shares = np.bincount(group) / group.size
        assert sum(share * one.value for share, one in zip(shares, gap.subgroups.values(), strict=True)) == (
            pytest.approx(0.15, rel=1e-9)
        )


@pytest.mark.slow
@pytest.mark.parametrize("asked", [{"metric": "ap"}, {"metric": "auc"}, {"metric": "tpr", "cut": "recall@20%"}])
def test_size(asked: dict[str, Any]) -> None:
    """Three subgroups that do not differ: the test of all rejects about as often as it says, pairs together too."""
    rejected = np.zeros(2)
    draws = 60
    for seed in range(draws):
        y, s, group = drawn(450, 1.2, 1.2, 1.2, seed=100 + seed)
        gap = quietly(y, s, metrics="auc").gap(by=group, **asked)
        assert gap.test is not None
        rejected += gap.test.pvalue < 0.05, min(one.adjusted or 1.0 for one in gap.pairs) < 0.05
    # 0 and 9 or more of 60 have probabilities of 5% and 0.3% at a size of 5%
    assert np.all(rejected < 9)
    assert rejected.sum() > 0


def test_clusters_within_and_across_subgroups() -> None:
    """Each row twice has the error of the rows once; of clusters in both subgroups the difference cancels."""
    y, s, group = drawn(300, 1.4, 0.9, seed=6)
    once = quietly(y, s, metrics="ap").gap("ap", by=group)
    twice = quietly(np.tile(y, 2), np.tile(s, 2), metrics="ap", clusters=np.tile(np.arange(300), 2))
    found = twice.gap("ap", by=np.tile(group, 2))
    assert found.pairs[0].value == pytest.approx(once.pairs[0].value, rel=0.03)
    assert found.pairs[0].standard_error == pytest.approx(once.pairs[0].standard_error, rel=0.05)
    both = quietly(np.tile(y, 2), np.tile(s, 2), metrics="ap", clusters=np.tile(np.arange(300), 2))
    equal = both.gap("ap", by=np.repeat(["a", "b"], 300))
    assert equal.pairs[0].value == 0
    assert equal.pairs[0].standard_error == pytest.approx(0, abs=1e-12)
    at_cut = twice.gap("tpr", by=np.tile(group, 2), cut="recall@20%")
    alone = quietly(y, s, metrics="ap").gap("tpr", by=group, cut="recall@20%")
    assert at_cut.pairs[0].standard_error == pytest.approx(alone.pairs[0].standard_error, rel=0.05)


def test_differences_of_two_rankers_and_a_reference() -> None:
    y, s, group = drawn(400, 1.4, 0.9, 1.1, seed=7)
    other = s + np.random.default_rng(0).normal(size=s.size)
    ev = quietly(y, {"a": s, "b": other}, metrics="auc")
    gap = ev.gap("auc", by=group, ranker=("a", "b"), reference=1)
    assert [one.label for one in gap.pairs] == ["0 - 1", "2 - 1"]
    for name, one in gap.subgroups.items():
        own = group == int(name)
        test = quietly(y[own], {"a": s[own], "b": other[own]}, metrics="auc").compare("a", "b", "auc", method="delta")
        assert one.value == pytest.approx(test.difference.value, rel=1e-10)
        assert one.standard_error == pytest.approx(test.difference.standard_error, rel=1e-9)
    first, second = gap.subgroups["0"], gap.subgroups["1"]
    expected = np.hypot(first.standard_error, second.standard_error)
    assert gap["0", "1"].standard_error == pytest.approx(expected, rel=1e-9)
    assert gap.test is not None
    assert gap.test.degrees[0] == 2
    frame = gap.to_frame(backend="pandas")
    assert frame["second"].tolist() == ["1", "1"]
    assert gap.to_frame("subgroup", backend="pandas").shape == (3, 8)
    assert gap.to_dict()["pvalue"] == gap.test.pvalue


def test_prevalence_is_said_and_can_be_set() -> None:
    """Of two subgroups of one ranking by class and different prevalence, AP differs; at one prevalence it does not."""
    rng = np.random.default_rng(8)
    n = 4000
    group = rng.integers(0, 2, n)
    y = rng.random(n) < np.array([0.1, 0.5])[group]
    s = rng.normal(size=n) + y
    ev = quietly(y, s, metrics="ap")
    plain = ev.gap("ap", by=group)
    assert any("the prevalence differs" in note for note in plain.cautions)
    assert plain.pairs[0].pvalue < 1e-6
    fixed = ev.gap("ap", by=group, prevalence=0.2)
    assert fixed.pairs[0].pvalue > 0.01
    assert not fixed.cautions
    assert not ev.gap("auc", by=group).cautions


def test_subgroups_without_a_class_are_named() -> None:
    y, s, group = drawn(200, 1.4, 0.9, 1.0, 1.0, seed=9)
    y = np.where(group == 2, False, y)
    y[group == 3] = False
    y[np.flatnonzero(group == 3)[0]] = True
    gap = quietly(y, s, metrics="auc").gap("auc", by=group)
    assert list(gap.subgroups) == ["0", "1"]
    assert set(gap.left_out) == {"2", "3"}
    assert "no subject is positive" in gap.left_out["2"]
    assert "left out: '2'" in str(gap)
    assert "left out: &#x27;3&#x27;" in gap._repr_html_()
    at_cut = quietly(y, s, metrics="auc").gap("tpr", by=group, cut="recall@20%")
    assert at_cut.left_out == {"2": "no positives"}


def test_what_is_asked_wrongly_is_refused_in_a_sentence() -> None:
    y, s, group = drawn(200, 1.4, 0.9, seed=10)
    ev = quietly(y, {"a": s, "b": -s}, metrics="auc")
    of_tables = quietly(tables=ev.tables, metrics="auc")
    fixed = quietly(y, s, metrics="auc", design="case-control")
    wrong: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
        (of_tables, {"by": group, "ranker": "a"}, ParameterError, "holds none"),
        (ev, {"by": group}, ParameterError, "there are 2 rankers: name one"),
        (ev, {"by": group, "ranker": "c"}, ColumnNotFoundError, "no ranker 'c'"),
        (ev, {"by": "sex", "ranker": "a"}, ParameterError, "give the column itself"),
        (ev, {"by": group[:9], "ranker": "a"}, LengthMismatchError, "by has 9 values, and there are 200 rows"),
        (ev, {"by": np.zeros(200), "ranker": "a"}, InputError, "one subgroup, '0'"),
        (ev, {"by": np.arange(200), "ranker": "a"}, InputError, "at most 60"),
        (ev, {"by": [None, *group[1:]], "ranker": "a"}, InputError, "missing"),
        (ev, {"by": group, "ranker": "a", "reference": "x"}, ColumnNotFoundError, "no subgroup 'x'"),
        (ev, {"by": group, "ranker": "a", "prevalence": 2}, ParameterError, "prevalence"),
        (ev, {"by": group, "ranker": "a", "confidence_level": 95}, ParameterError, "confidence_level"),
        (ev, {"by": group, "ranker": "a", "cut": "recall@20%"}, ParameterError, "tpr, fpr, precision or rate"),
        (ev, {"by": group, "ranker": "a", "metric": "tpr"}, ParameterError, "needs a cutoff"),
        (ev, {"by": group, "ranker": "a", "metric": "tpr", "cut": "ap"}, ParameterError, "does not cut at a fixed"),
        (ev, {"by": group, "ranker": "a", "metric": "tpr", "cut": "max_f1"}, ParameterError, "does not cut at a fixed"),
        (ev, {"by": group, "ranker": ("a", "b"), "metric": "tpr", "cut": 0.5}, ParameterError, "of one ranker"),
        (
            ev,
            {"by": group, "ranker": "a", "metric": "tpr", "cut": 0.5, "prevalence": 0.1},
            ParameterError,
            "leave prev",
        ),
        (fixed, {"by": group, "metric": "precision", "cut": 0.5}, ParameterError, "did not sample"),
        (quietly(y, s, metrics="auc", contamination=0.1), {"by": group}, InputError, "a gap between subgroups"),
    ]
    for found, options, kind, text in wrong:
        with pytest.raises(kind, match=text):
            found.gap(**{"metric": "auc", **options})
    few = quietly([1, 0, 1, 0, 0, 0], [6, 5, 4, 3, 2, 1], metrics="auc")
    with pytest.raises(InsufficientDataError, match="at least 2 subgroups with a value"):
        few.gap("auc", by=[0, 0, 0, 1, 1, 1])


def test_the_command_prints_what_the_method_finds(tmp_path: Path) -> None:
    y, s, group = drawn(300, 1.4, 0.9, 1.2, seed=11)
    frame = pd.DataFrame({"y": y.astype(int), "s": s, "site": np.array(["a", "b", "c"])[group]})
    file = tmp_path / "scores.csv"
    frame.to_csv(file, index=False)
    ev = hc.evaluate("y", "s", data=frame, metrics="auc")
    for words, asked in (
        (["--metric", "auc"], {"metric": "auc"}),
        (["--metric", "tpr", "--cut", "recall@20%"], {"metric": "tpr", "cut": "recall@20%"}),
        (["--metric", "fpr", "--cut", "0.5"], {"metric": "fpr", "cut": 0.5}),
    ):
        found = run("gap", str(file), "--label", "y", "--score", "s", "--by", "site", "--format", "json", *words)
        gap = ev.gap(by="site", **asked)
        content = json.loads(found.stdout)
        assert content["gaps"] == [gap.to_dict()]
    for words, text in (
        (["--score", "s"], "--by COLUMN"),
        (["--score", "s", "--by", "site", "--metric", "tpr"], "needs a cutoff"),
        (["--score", "s", "--by", "site", "--reference", "d"], "no subgroup 'd'"),
    ):
        refused = run("gap", str(file), "--label", "y", *words)
        assert refused.returncode == 2
        assert text in refused.stderr


def test_subgroups_too_small_to_compare_are_left_out_and_small_ones_named() -> None:
    """Two positives above two negatives have an AUC of 1 and no error, which would be a proof of a gap."""
    y, s, group = drawn(600, 1.5, 1.2)
    y, s = np.r_[y, True, True, False, False], np.r_[s, 3.0, 2.9, -1.0, -2.0]
    names = np.r_[np.array(["a", "b"])[group], ["tiny"] * 4]
    ev = quietly(y, s, metrics="auc")
    gap = ev.gap("auc", by=names)
    assert list(gap.subgroups) == ["a", "b"]
    assert gap.left_out["tiny"] == "fewer than 5 subjects of a class"
    assert "fewer than 20" not in str(gap)

    # six positives of six above the cutoff: the rate has no error either
    names = np.where(np.isin(np.arange(y.size), np.flatnonzero(y & (s > 1))[:6]), "few", names)
    gap = ev.gap("tpr", by=names, cut=0.8)
    assert "no error was observed" in gap.left_out["few"]

    # nine positives and all of their neighbours: compared, and said to be few
    names = np.where(np.cumsum(y) <= 9, "small", "large")
    assert "fewer than 20 subjects of a class in 'small'" in str(ev.gap("auc", by=names))


@pytest.mark.parametrize("asked", [{"metric": "auc"}, {"metric": "ap"}, {"metric": "tpr", "cut": "recall@20%"}])
def test_the_test_of_all_does_not_depend_on_the_reference(asked: dict[str, Any]) -> None:
    y, s, group = drawn(500, 1.4, 0.9, 1.1, 1.0, seed=12)
    group[:120] = 0  # unlike sizes
    ev = quietly(y, s, metrics="auc")
    tests = [ev.gap(by=group, reference=one, **asked).test for one in (None, 0, 1, 3)]
    assert tests[0] is not None
    for test in tests[1:]:
        assert test is not None
        assert test.statistic == pytest.approx(tests[0].statistic, rel=1e-9)
        assert test.degrees == pytest.approx(tests[0].degrees, rel=1e-9)
        assert test.pvalue == pytest.approx(tests[0].pvalue, rel=1e-9)


def test_every_format_has_subgroups_and_pairs() -> None:
    """Names with line breaks, ampersands and formulas stay names, in one line of a table."""
    y, s, group = drawn(400, 1.4, 0.9, 1.1, seed=13)
    names = np.array(["line\nbreak", "a & b", "=1+1"], object)[group]
    gap = quietly(y, s, metrics="auc").gap("auc", by=names)
    content = list(csv.DictReader(io.StringIO(gap.to_csv())))
    assert [one["part"] for one in content] == ["subgroup"] * 3 + ["pair"] * 3
    assert {one["subgroup"] for one in content[:3]} == {"line\nbreak", "a & b", "'=1+1"}
    assert float(content[3]["difference"]) == gap.pairs[0].value
    assert json.loads(gap.to_json()) == json.loads(json.dumps(gap.to_dict()))
    assert "line break &" in gap.to_latex()
    assert r"a \& b &" in gap.to_latex()
    assert "| line break |" in gap.to_markdown()
    for text in (gap.to_text(), gap.to_html(), gap.to_latex(), gap.to_markdown()):
        assert "all subgroups equal: F" in text
        assert "largest difference" in text
    assert not any(line.startswith("break") for line in gap.to_text().splitlines())


def test_subgroups_follow_the_index_and_the_order_of_categories() -> None:
    y, s, group = drawn(300, 1.4, 0.9, 1.1, seed=14)
    index = [f"p{i}" for i in range(300)]
    by = pd.Series(np.array(["low", "mid", "top"])[group], index=index)
    plain = quietly(y, {"s": s}, metrics="auc").gap("auc", by=by.to_numpy())
    for ev in (
        quietly(pd.Series(y, index=index), {"s": s}, metrics="auc"),
        quietly("y", "s", data=pd.DataFrame({"y": y, "s": s}, index=index), metrics="auc"),
    ):
        assert ev.gap("auc", by=by).to_dict() == plain.to_dict()
        with pytest.warns(AlignmentWarning, match="by put in the order of labels by the index"):
            turned = ev.gap("auc", by=by.sample(frac=1, random_state=0))
        assert turned.to_dict() == plain.to_dict()
        with pytest.raises(InputError, match="labels and by have different indexes"):
            ev.gap("auc", by=by.set_axis([f"q{i}" for i in range(300)]))
    ev = quietly(y, s, metrics="auc")
    order = ["mid", "top", "low"]
    every: list[dict[str, Any]] = [{"metric": "auc"}, {"metric": "tpr", "cut": "recall@20%"}]
    for asked in every:
        found = ev.gap(by=pd.Categorical(by, order, ordered=True), **asked)
        assert list(found.subgroups) == order
        other = ev.gap(by=by.to_numpy(), **asked)
        for name, one in found.subgroups.items():
            assert one.value == other.subgroups[name].value
            assert one.standard_error == pytest.approx(other.subgroups[name].standard_error, rel=1e-12)
        assert found.test is not None
        assert other.test is not None
        assert found.test.pvalue == pytest.approx(other.test.pvalue, rel=1e-9)


def test_a_small_subgroup_does_not_widen_the_intervals_of_others() -> None:
    """Adjusted p values of large subgroups stay below Bonferroni's, whatever small subgroup is beside them."""
    rng = np.random.default_rng(4)
    sizes = (400, 300, 300, 20)
    group = np.repeat(np.arange(4), sizes)
    y = np.concatenate([np.arange(size) < size // 4 for size in sizes])
    s = rng.normal(size=y.size) + y * np.where(group == 0, 1.6, 1.0)
    gap = quietly(y, s, metrics="auc").gap("auc", by=group)
    for pair in (("0", "1"), ("0", "2"), ("1", "2")):
        one = gap[pair]
        assert one.adjusted is not None
        assert one.simultaneous is not None
        assert one.pvalue <= one.adjusted <= min(1.1 * len(gap.pairs) * one.pvalue, 1)
        half = (one.simultaneous[1] - one.simultaneous[0]) / 2
        assert half <= stats.norm.isf(0.025 / len(gap.pairs)) * 1.02 * one.standard_error


def test_degrees_of_the_fraction_selected_are_by_subjects() -> None:
    """A subgroup with one positive has as many degrees of freedom as one with many."""
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1], [200, 40])
    y = (rng.random(240) < 0.3) & (group == 0)
    y[-1] = True
    s = rng.normal(size=240) + y
    one = quietly(y, s, metrics="auc").gap("rate", by=group, cut=0.5)["0", "1"]
    shares = [np.mean(s[group == g] > 0.5) for g in (0, 1)]
    variances = [p * (1 - p) / n for p, n in zip(shares, (200, 40), strict=True)]
    welch = sum(variances) ** 2 / sum(v**2 / (n - 1) for v, n in zip(variances, (200, 40), strict=True))
    assert one.degrees_of_freedom == pytest.approx(welch, rel=0.02)
