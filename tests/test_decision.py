"""Decision curves: against another implementation, by hand, and what they refuse."""

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from validation import decisions
from validation.running import read

import hitcurve as hc
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import ParameterError, ScoreError, SingleClassError, UndefinedMetricError
from hitcurve.report import page
from tests.sampled import quietly
from tests.shell import Shell

Y = np.array([1, 1, 0, 1, 0, 0, 0, 0, 0, 0])
P = np.array([0.9, 0.8, 0.7, 0.4, 0.3, 0.2, 0.2, 0.1, 0.1, 0.05])
T = [0.1, 0.2, 0.4, 0.5]


def _risks(seed: int, n: int = 600) -> tuple[AnyArray, Array, Array]:
    rng = np.random.default_rng(seed)
    x, e = rng.normal(size=(2, n))
    p, q = (1 / (1 + np.exp(2 - z)) for z in (1.4 * x, x + 0.7 * e))
    return (rng.random(n) < p).astype(int), p, np.round(q, 2)


def _evaluate(*given: Any, **options: Any) -> hc.Evaluation:
    return quietly(*given, metrics="auc", **options)


# ---- values


def test_the_numbers_of_another_implementation() -> None:
    """dcurves 1.1.7 (Python), ``dca`` and ``net_intervention_avoided`` of these ten subjects."""
    curve = _evaluate(Y, {"m": P}).decision_curve("m", T)
    assert curve.net_benefit.tolist() == pytest.approx([0.2333333333, 0.2, 0.2333333333, 0.1])
    assert curve.treat_all.tolist() == pytest.approx([0.2222222222, 0.125, -0.1666666667, -0.4])
    assert curve.interventions_avoided.tolist() == pytest.approx([0.1, 0.3, 0.6, 0.5])
    assert curve.rate.tolist() == pytest.approx([0.9, 0.7, 0.4, 0.3])


def test_a_prevalence_that_is_set_weights_the_classes() -> None:
    y, p, _ = _risks(1)
    curve = _evaluate(y, {"a": p}, prevalence=0.02).decision_curve("a", [0.05, 0.2])
    for t, found, avoided in zip((0.05, 0.2), curve.net_benefit, curve.interventions_avoided, strict=True):
        tpr, fpr, w = np.mean(p[y == 1] >= t), np.mean(p[y == 0] >= t), t / (1 - t)
        assert found == pytest.approx(0.02 * tpr - w * 0.98 * fpr)
        assert avoided == pytest.approx(0.98 * (1 - fpr) - 0.02 * (1 - tpr) / w)
    assert curve.design == "case-control"
    same = _evaluate(y, {"a": p}, design="case-control").decision_curve("a", [0.05, 0.2])
    cohort = _evaluate(y, {"a": p}).decision_curve("a", [0.05, 0.2])
    assert np.array_equal(same.net_benefit, cohort.net_benefit)
    assert not np.array_equal(same.low, cohort.low)


def test_weights_are_subjects() -> None:
    y, p, q = _risks(2)
    weight = np.random.default_rng(0).integers(1, 4, y.size)
    many = np.repeat(np.arange(y.size), weight)
    weighted = _evaluate(y, {"a": p, "b": q}, sample_weight=weight)
    repeated = _evaluate(y[many], {"a": p[many], "b": q[many]})
    for name in "ab":
        a, b = (ev.decision_curve(name, T) for ev in (weighted, repeated))
        assert a.net_benefit == pytest.approx(b.net_benefit)
        # unequal weights say less than as many subjects
        assert np.all(a.high - a.low > b.high - b.low)
    pair = [ev.decision_difference("a", "b", T) for ev in (weighted, repeated)]
    assert pair[0].center.y == pytest.approx(pair[1].center.y)
    assert pair[0].mean_width > pair[1].mean_width
    one, five = (_evaluate(y, {"a": p}, sample_weight=np.full(y.size, w)) for w in (1.0, 5.0))
    assert one.decision_curve("a", T) == five.decision_curve("a", T) == _evaluate(y, {"a": p}).decision_curve("a", T)


@pytest.mark.parametrize("prevalence", [None, 0.1])
@pytest.mark.parametrize("slope", [4.0, -4.0])
def test_limits_of_weights_that_go_with_the_scores(slope: float, prevalence: float | None) -> None:
    """By hand: a net benefit is a mean of what subjects are worth, and a difference is one too."""
    y, p, q = (np.tile(x, 30) for x in _risks(6))
    w = np.exp(slope * p)
    ev = _evaluate(y, {"a": p, "b": q}, sample_weight=w, prevalence=prevalence)
    curve, pair = ev.decision_curve("a", T), ev.decision_difference("a", "b", T)
    share = np.array([w[y == 0].sum(), w[y == 1].sum()])[y]
    pi = share[y == 1][0] / w.sum() if prevalence is None else prevalence
    w = w * np.where(y == 1, pi, 1 - pi) / share
    for i, t in enumerate(T):
        for found, chosen in (
            (curve.high[i] - curve.low[i], p >= t),
            (pair.high.y[i] - pair.low.y[i], 1.0 * (p >= t) - (q >= t)),
        ):
            worth = chosen * np.where(y == 1, 1.0, -t / (1 - t))
            mean = (
                np.sum(w * worth)
                if prevalence is None
                else np.array([np.average(worth[y == k], weights=w[y == k]) for k in (0, 1)])[y]
            )
            assert found == pytest.approx(2 * 1.96 * np.sqrt(np.sum(w**2 * (worth - mean) ** 2)), rel=0.02)


def test_the_limits_of_the_design() -> None:
    """POINTS 6: five true and three false positives of twenty at w = 1/4."""
    y = np.repeat([1, 0, 1, 0], [5, 3, 3, 9])
    curve = _evaluate(y, {"a": np.repeat([0.9, 0.1], [8, 12])}).decision_curve("a", [0.2])
    assert curve.net_benefit[0] == pytest.approx(0.2125)
    assert (curve.low[0], curve.high[0]) == pytest.approx((0.0457511446, 0.4346030826), abs=5e-11)


def test_interventions_avoided_are_the_net_benefit_of_the_others() -> None:
    """Classes exchanged and scores turned: sparing negatives is finding positives at odds turned round."""
    y, p, _ = _risks(3)
    t = np.array([0.1, 0.25, 0.5])
    curve = _evaluate(y, {"a": p}).decision_curve("a", t)
    turned = _evaluate(1 - y, {"a": 1 - p}).decision_curve("a", np.sort(1 - t))
    assert curve.interventions_avoided == pytest.approx(turned.net_benefit[::-1])
    assert curve.interventions_avoided_low == pytest.approx(turned.low[::-1])
    assert curve.interventions_avoided_high == pytest.approx(turned.high[::-1])


def test_the_best_cut_is_the_metric() -> None:
    y, p, _ = _risks(4)
    ev = hc.evaluate(y, {"a": 5 * p - 2}, metrics=["net_benefit@10%", "net_benefit@30%"])
    curve = ev.decision_curve("a", [0.1, 0.3], cut="best")
    for place, text in enumerate(("net_benefit@10%", "net_benefit@30%")):
        e = ev["a", text]
        assert e.interval is not None
        assert e.cut is not None
        found = (curve.net_benefit[place], curve.low[place], curve.high[place], curve.rate[place])
        assert found == pytest.approx((e.value, *e.interval, e.cut.rate))
    calibrated = _evaluate(y, {"a": p})
    at_threshold, best = (calibrated.decision_curve("a", T, cut=cut) for cut in ("probability", "best"))
    assert np.all(best.net_benefit >= np.maximum(at_threshold.net_benefit, 0) - 1e-12)
    assert np.all(np.isnan(best.interventions_avoided_low))
    assert best.beats_both() == []


# ---- limits


def test_simultaneous_limits_hold_more() -> None:
    y, p, q = _risks(5)
    ev = _evaluate(y, {"a": p, "b": q})
    t = np.arange(1, 60) / 100
    alone, together = (ev.decision_curve("a", t, coverage=c) for c in ("pointwise", "simultaneous"))
    assert np.all((together.low <= alone.low) & (together.high >= alone.high))
    assert together.seed is not None
    assert together == ev.decision_curve("a", t, coverage="simultaneous")
    assert together != ev.decision_curve("a", t, coverage="simultaneous", rng=1)
    found = together.beats_both()
    assert found
    for low, high in found:
        inside = (t >= low) & (t <= high)
        assert np.all(together.low[inside] > 0)
        assert np.all(together.net_benefit[inside] > together.treat_all[inside])
    pair = [ev.decision_difference("a", "b", t, coverage=c) for c in ("pointwise", "simultaneous")]
    assert np.all(pair[1].high.y - pair[1].low.y > pair[0].high.y - pair[0].low.y)


def test_the_difference_of_two_is_that_of_their_curves() -> None:
    y, p, q = _risks(6)
    for options in ({}, {"prevalence": 0.05}, {"design": "case-control"}):
        ev = _evaluate(y, {"a": p, "b": q}, **options)
        band, other = ev.decision_difference("a", "b", T), ev.decision_difference("b", "a", T)
        a, b = (ev.decision_curve(name, T).net_benefit for name in "ab")
        assert band.center.y == pytest.approx(a - b)
        assert band.low.y == pytest.approx(-other.high.y)
        assert band.rankers == ("a", "b")
    same = _evaluate(y, {"a": p, "b": p}).decision_difference("a", "b", T)
    assert np.all(same.center.y == 0)
    assert np.all(same.low.y < 0)
    assert np.all(same.high.y > 0)


def test_what_the_simulation_found() -> None:
    """Coverage of 95% limits, 1,000 draws a cell: at each threshold, and of all limits together."""
    lines = read("decisions")
    assert len(lines) == 18 * 5
    assert min(float(line["lowest"]) for line in lines) >= 0.925
    assert min(float(line["mean"]) for line in lines if not line["limits"].endswith("together")) >= 0.94
    together = [float(line["lowest"]) for line in lines if line["limits"].endswith("together")]
    assert np.median(together) >= 0.95


def test_a_slice_of_the_simulation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decisions, "_LARGE", 100_000)
    found = decisions.study(("5 levels", 2000, "case-control"), 3)
    assert [line["limits"] for line in found][-1] == "difference, all together"
    assert all(line["draws"] == 3 for line in found)


# ---- where the numbers come from


def test_tables_subjects_and_files_say_the_same() -> None:
    y, p, q = _risks(7)
    q = np.round(q, 1)
    t = [0.05, 0.1, 0.2, 0.35]
    ev = _evaluate(y, {"q": q})
    want = ev.decision_curve("q", t)
    full = _evaluate(tables={"q": hc.HitTable.from_scores(y, q)})
    again = hc.from_json(text=ev.to_json(subjects=True))
    assert isinstance(again, hc.Evaluation)
    order = np.random.default_rng(0).permutation(y.size)
    for other in (full, again, _evaluate(y[order], {"q": q[order]})):
        found = other.decision_curve("q", t)
        assert np.array_equal(found.net_benefit, want.net_benefit)
        assert np.array_equal(found.low, want.low)
    # thresholds at scores of positives are known of a table that keeps no others
    kept = ev.without_data()
    grid = np.unique(q[y == 1])
    found = kept.decision_curve("q", grid[grid > 0][:3])
    assert np.array_equal(found.net_benefit, ev.decision_curve("q", grid[grid > 0][:3]).net_benefit)
    with pytest.raises(ParameterError, match=r"among .* negatives whose scores the table of 'q' does not keep"):
        _evaluate(y, {"q": p}).without_data().decision_curve("q", t)
    single = ev.decision_curve("q", p.astype(np.float32)[0].item())
    assert single.thresholds.size == 1


def test_scores_of_single_precision_reach_their_own_threshold() -> None:
    p = np.array([0.7, 0.7, 0.3, 0.1], np.float32)
    curve = _evaluate([1, 1, 0, 0], {"a": p}).decision_curve("a", [0.3, 0.7])
    assert curve.tpr.tolist() == [1.0, 1.0]
    assert curve.fpr.tolist() == [0.5, 0.0]


def test_subjects_without_a_score_are_never_selected() -> None:
    y, p = [1, 0, 1, 0, 0], [0.9, 0.4, np.nan, 0.2, np.nan]
    curve = _evaluate(y, {"a": p}, missing="last").decision_curve("a", [0.01, 0.3])
    assert curve.tpr.tolist() == [0.5, 0.5]
    assert curve.fpr.tolist() == pytest.approx([2 / 3, 1 / 3])


# ---- words and refusals


def test_scores_that_do_not_add_up_to_the_positives_are_said_so() -> None:
    y, p, _ = _risks(8, 3000)
    assert _evaluate(y, {"a": p}).decision_curve("a", T).cautions == ()
    (caution,) = _evaluate(y, {"a": np.sqrt(p)}).decision_curve("a", T).cautions
    assert "they are not calibrated" in caution
    assert caution in str(_evaluate(y, {"a": np.sqrt(p)}).decision_curve("a", T))


def test_scores_of_weighted_subjects_are_added_by_weight() -> None:
    """By hand: weights times label less score, over the root of the sum of their squares."""
    y, p, _ = _risks(8, 3000)
    w = np.random.default_rng(1).choice([1.0, 5.0], 3000)
    for scores in (p, np.sqrt(p)):
        found = _evaluate(y, {"a": scores}, sample_weight=w).decision_curve("a", T).cautions
        away = float(np.sum(w * (y - scores)) / np.sqrt(np.sum((w * (y - scores)) ** 2)))
        said = [text for text in found if "they are not calibrated" in text]
        assert (abs(away) > 3) == bool(said)
        assert not said or f"fewer, {w[y == 1].sum():,.0f} ({abs(away):.2g} standard errors)" in said[0]


def test_so_are_scores_that_are_not_of_the_prevalence_that_was_set() -> None:
    y, p, _ = _risks(8, 3000)
    share = float(np.mean(p))
    assert _evaluate(y, {"a": p}, prevalence=share).decision_curve("a", T).cautions == ()
    for low_or_high in (share / 4, min(2 * share, 0.9)):
        (caution,) = _evaluate(y, {"a": p}, prevalence=low_or_high).decision_curve("a", T).cautions
        assert "that was set the scores have a mean of" in caution
        assert "they are not calibrated" in caution


def test_records_and_frames() -> None:
    curve = _evaluate(Y, {"m": P}).decision_curve("m", T)
    records = curve.to_records()
    assert [r["threshold"] for r in records] == T
    assert curve.to_frame()["net_benefit"].to_numpy().tolist() == curve.net_benefit.tolist()
    assert json.loads(json.dumps(records)) == records
    assert str(curve).startswith("m: net benefit of scores as probabilities, cut at the threshold itself; 3 positives")


@pytest.mark.parametrize(
    ("thresholds", "why"),
    [
        ([0.0, 0.5], "strictly between 0 and 1, .*, got 0"),
        ([0.5, 1.0], "strictly between 0 and 1, .*, got 1"),
        ([math.nan], "strictly between 0 and 1, .*, got nan"),
        ([0.5, 0.2], "must ascend"),
        ([0.2, 0.2], "must ascend"),
        ([], "one number or a list"),
        ([[0.1]], "one number or a list"),
        ("many", "must be numbers"),
        (np.linspace(0.01, 0.99, 1001), "at most 1,000 thresholds, got 1,001"),
    ],
)
def test_thresholds_are_checked(thresholds: Any, why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        _evaluate(Y, {"m": P}).decision_curve("m", thresholds)


def test_what_is_no_probability_is_refused() -> None:
    with pytest.raises(ScoreError, match=r"must lie in \[0, 1\], and the scores of 'm' go from 0.1 to 1.8"):
        _evaluate(Y, {"m": 2 * P}).decision_curve("m")
    with pytest.raises(ScoreError, match="lower scores of 'm' are better"):
        _evaluate(Y, {"m": P}, higher_is_better=False).decision_curve("m")
    with pytest.raises(ScoreError, match=r"go from -inf to 0\.9"):
        _evaluate(Y, {"m": np.append(P[:-1], -np.inf)}).decision_curve("m")
    with pytest.raises(ParameterError, match="the table of 'm' has none"):
        _evaluate(tables={"m": hc.HitTable.from_counts([2, 1], [0, 7])}).decision_curve("m")
    with pytest.raises(UndefinedMetricError, match="clusters"):
        _evaluate(Y, {"m": P}, clusters=np.arange(10) // 2).decision_curve("m")
    with pytest.raises(SingleClassError):
        _evaluate([0, 0], {"m": [0.1, 0.2]}, undefined="nan", pos_label=1).decision_curve("m")
    grouped = hc.evaluate([*Y, *Y], {"m": [*P, *P]}, metrics="auc", by=np.arange(20) // 10)
    with pytest.raises(UndefinedMetricError, match="one of the groups"):
        grouped.decision_curve("m")
    ev = _evaluate(Y, {"m": P, "n": P, "z": P - 1})
    with pytest.raises(ParameterError, match="at most 200"):
        ev.decision_curve("m", np.linspace(0.1, 0.9, 201), coverage="simultaneous")
    with pytest.raises(ParameterError, match="coverage='pointwise'"):
        ev.decision_curve("m", cut="best", coverage="simultaneous")
    with pytest.raises(ParameterError, match="two rankers, got 'm' twice"):
        ev.decision_difference("m", "m")
    with pytest.raises(ScoreError, match="the scores of 'z'"):
        ev.decision_difference("m", "z")
    with pytest.raises(ParameterError, match="needs the subjects"):
        ev.without_data().decision_difference("m", "n")


# ---- the shell


def test_the_command(tmp_path: Path, shell: Shell) -> None:
    y, p, q = _risks(9)
    file = tmp_path / "risks.csv"
    file.write_text(
        "y,a,b\n" + "".join(f"{i},{j!r},{k!r}\n" for i, j, k in zip(y, p.tolist(), q.tolist(), strict=True))
    )
    given = ["decision", str(file), "--label", "y", "--score", "a", "--score", "b"]
    at = ["-t", "20%", "-t", "0.1"]
    ev = _evaluate(y, {"a": p, "b": q})
    found = shell(*given, *at, "--format", "json").json
    assert found["decision"] == [r for name in "ab" for r in ev.decision_curve(name, [0.1, 0.2]).to_records()]
    found = shell(*given, *at, "--difference", "--format", "json").json["decision"]
    assert [r["net_benefit"] for r in found] == ev.decision_difference("a", "b", [0.1, 0.2]).center.y.tolist()
    assert "the ranking cut where its net benefit is largest" in shell(*given, *at, "--best-cut").out
    assert shell(*given, "--range", "0.1", "0.3", "--format", "csv").out.count("\n") == 1 + 2 * 99
    for extra, why in (
        ([*at, "--difference", "--best-cut"], "leave out --best-cut"),
        ([*at, "--range", "0.1", "0.4"], "--threshold and --range cannot be combined"),
        (["-t", "1.5"], "strictly between 0 and 1"),
        (["-t", "many"], "--threshold must be a share"),
        (["--range", "0.4", "0.1"], "from a lower to a higher threshold"),
    ):
        assert why in shell(*given, *extra).refusal


def test_the_figure_of_the_command(tmp_path: Path, shell: Shell) -> None:
    y, p, q = _risks(9)
    file = tmp_path / "risks.csv"
    file.write_text(
        "y,a,b\n" + "".join(f"{i},{j!r},{k!r}\n" for i, j, k in zip(y, p.tolist(), q.tolist(), strict=True))
    )
    given = ["plot", "decision", str(file), "--label", "y", "--score", "a", "-o", str(tmp_path / "d.svg")]
    assert shell(*given, "--window", "0.05", "0.4", "--bands").code == 0
    assert (tmp_path / "d.svg").read_text().count("<svg")
    assert shell(*given, "--best-cut").code == 0
    for extra, why in (
        (["--by", "b"], "a decision curve is of one list"),
        (["--window", "0", "0.4"], "strictly between 0 and 1"),
        (["--magnify", "exp(7)"], "--magnify cannot be combined with decision"),
    ):
        assert why in shell(*given, *extra).refusal
    assert "--best-cut cannot be combined with roc" in shell("plot", "roc", *given[2:], "--best-cut").refusal


def test_the_figure() -> None:
    from matplotlib import pyplot

    from hitcurve import plot
    from hitcurve.plot import sheet

    y, p, q = _risks(10)
    ev = _evaluate(y, {"a": p, "b": q, "late": p}, prevalence=None)
    t = np.arange(2, 50) / 100
    ax = plot.decision(ev, t, rankers=["b", "a"], log_x=True)
    lines = sheet.marked(ax, sheet.RANKER)
    for line, name in zip(lines, "ba", strict=True):
        curve = ev.decision_curve(name, t)
        assert np.array_equal(line.get_ydata(), curve.net_benefit)
    assert ax.get_ylim()[1] > max(ev.decision_curve(name, t).high.max() for name in "ab")
    assert not sheet.marked(plot.decision(ev, t, bands=False), sheet.BAND)
    band = ev.decision_difference("a", "b", t)
    drawn = plot.decision_difference(band)
    assert np.array_equal(sheet.marked(drawn, sheet.RANKER)[0].get_ydata(), band.center.y)
    with pytest.raises(ParameterError, match="use decision_difference"):
        plot.difference_band(band)
    with pytest.raises(ParameterError, match=r"needs the band of Evaluation\.decision_difference, got one of the roc"):
        plot.decision_difference(ev.band("a", "roc"))
    pyplot.close("all")


# ---- the page


def _data_of_page(ev: hc.Evaluation) -> dict[str, Any]:
    found = re.findall(r'<script type="application/json" id="hitcurve">(.*?)</script>', page(ev), re.DOTALL)
    data: dict[str, Any] = json.loads(found[0])
    return data


@pytest.mark.slow
def test_the_page_has_decision_curves_of_probabilities_alone() -> None:
    y, p, q = _risks(11)
    ev = _evaluate(y, {"model": p, "rank": 9 * q - 3, "decision": (p > 0.2).astype(float)})
    data = _data_of_page(ev)["decision"]
    grid = [float(text) for text in data["grid"].split()]
    curve = ev.decision_curve("model", grid)
    benefit, avoided = (data["lines"][key] for key in ("net_benefit", "avoided"))
    assert [float(text) for text in benefit[0]["value"].split()] == pytest.approx(curve.net_benefit.tolist(), rel=1e-3)
    low = [float(text) for text in benefit[0]["low"][1].split()]
    assert low == pytest.approx(curve.low.tolist(), rel=1e-2, abs=1e-4)
    want = (100 * curve.interventions_avoided).tolist()
    assert [float(text) for text in avoided[0]["value"].split()] == pytest.approx(want, rel=1e-3, abs=1e-4)
    reasons = [data["reasons"][int(benefit[r]["why"].split()[0])] for r in (1, 2)]
    assert reasons == [
        "the scores are not probabilities, which lie in [0, 1] and are better the higher",
        "the scores are decisions",
    ]
    for other in (
        _evaluate(y, {"rank": 9 * q - 3}),
        _evaluate(y, {"model": p}, clusters=np.arange(y.size) // 2),
        _evaluate(tables={"model": hc.HitTable.from_scores(y, p)}),
    ):
        assert _data_of_page(other)["decision"] is None
