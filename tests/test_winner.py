"""The best of many rankers, corrected for the choice."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import hitcurve as hc
from hitcurve.errors import InsufficientDataError, ParameterError, UndefinedMetricError
from hitcurve.inference.selection.chosen import Chosen, share_below
from hitcurve.inference.selection.winner import METHODS
from hitcurve.inference.variance.logit_scale import LogitScale
from tests.metrics_under_test import FORMS
from tests.sampled import binormal, quietly
from tests.shell import in_process as run

NAMES = "abcdef"
SAMPLE = binormal(40, 300, *(1.5,) * 6, seed=3)


def evaluated() -> hc.Evaluation:
    return hc.evaluate(SAMPLE.y, SAMPLE.scores, metrics=["auc", "ap", "slr"])


def test_a_logit_scale_goes_up_and_down() -> None:
    """Of bounds above 0, of none at an end; a length is that by the derivative."""
    scale, value = LogitScale(0.2, np.array([0.9, 0.2])), 0.3
    place = scale.up(value)
    assert scale.down(place)[0] == pytest.approx(value, rel=1e-14)
    assert np.isnan(place[1])
    assert np.isnan(LogitScale(0.0, 1.0).up(np.array([0.0, 1.0, 1.5]))).all()
    rise = (scale.up(value + 1e-6) - scale.up(value - 1e-6)) / 2e-6
    assert scale.length(value, 1e-3)[0] == pytest.approx(1e-3 * rise[0], rel=1e-6)


def test_rankers_in_one_order_are_correlated_by_1() -> None:
    """To the last bit; AUC of a list turned over by -1."""
    for seed in range(8):
        sample = binormal(12, 80, 1.0, seed=seed)
        ev = quietly(sample.y, {"a": sample.a, "b": 2 * sample.a, "c": -sample.a}, metrics=["auc", "ap", "ndcg"])
        for form in ("auc", "ap", "ndcg"):
            found = ev._joint.correlations(["a", "b", "c"], hc.metric(form))
            assert found[0, 1] == 1.0
            np.testing.assert_array_equal(found, found.T)
            assert form != "auc" or found[0, 2] == pytest.approx(-1, rel=1e-12)


def test_a_truncated_normal_is_that_of_scipy() -> None:
    inf = np.inf
    for low, x, high in ((-1, 0.3, 2), (-inf, -3, 1), (2, 2.5, inf), (-30, 5, 40), (7, 8, 9)):
        assert share_below(x, low, high) == pytest.approx(stats.truncnorm.cdf(x, low, high), rel=1e-9)


@pytest.mark.slow
def test_the_chosen_of_normal_values_is_held_as_often_as_said() -> None:
    """Given that it is the largest of eight; its own interval holds it in 82% only."""
    rng, covariance = np.random.default_rng(1), 0.5 + 0.5 * np.eye(8)
    truth = np.array([0.0, 0, 0, 0, 0, 0, 0.5, 1.0])
    held, naive, too_high = 0, 0, 0
    for x in rng.multivariate_normal(truth, covariance, 1500):
        best = int(np.argmax(x))
        chosen = Chosen.of(x, covariance[:, best], best)
        low, high = (chosen.solved(share, np.inf) for share in (0.975, 0.025))
        held += low <= truth[best] <= high
        naive += abs(x[best] - truth[best]) <= 1.96
        too_high += chosen.solved(0.5, np.inf) > truth[best]
    assert held / 1500 == pytest.approx(0.95, abs=0.02)
    assert too_high / 1500 == pytest.approx(0.5, abs=0.045)
    assert naive / 1500 < 0.93


def test_a_clear_winner_is_hardly_corrected() -> None:
    sample = binormal(60, 400, 3.5, 0.5, 0.6, seed=2)
    ev = hc.evaluate(sample.y, sample.scores, metrics="auc")
    found = ev.winner("auc")
    own = ev["a", "auc"].confidence_interval(method="half-subject")
    assert found.ranker == "a"
    assert found.may_be_best == ("a",)
    assert found.chances["a"] > 0.999
    assert (found.low, found.high) == pytest.approx(own, abs=2e-3)
    assert found.corrected == pytest.approx(found.value, abs=0.01)


def test_a_winner_among_equals_is_corrected_downwards() -> None:
    ev = evaluated()
    for form in ("auc", "ap", "slr"):
        found = ev.winner(form)
        values = {name: ev[name, form].value for name in NAMES}
        assert found.value == max(values.values()) == values[found.ranker]
        assert found.corrected < found.value
        assert found.low <= found.corrected <= found.high
        assert sum(found.chances.values()) == pytest.approx(1)
        assert list(found.chances) == sorted(values, key=lambda name: -values[name])
        assert len(found.may_be_best) > 1
        assert found.to_dict() == json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert pickle.loads(pickle.dumps(found)) == found
        assert found.ranker in str(found)
        assert str(found).splitlines()[0] in found._repr_html_()


def test_a_second_close_behind_leaves_an_interval() -> None:
    """Of a tie the conditional interval is a point at the far end; what is below the value is what is left."""
    y = np.arange(18) < 6
    a = np.array([18, 17, 15, 12, 9, 5, 16, 14, 13, 11, 10, 8, 7, 6, 4, 3, 2, 1])
    b = np.array([18, 17, 16, 11, 9, 5, 15, 14, 13, 12, 10, 8, 7, 6, 4, 3, 2, 1])
    ev = hc.evaluate(y, {"a": a, "b": b}, metrics="auc")
    assert ev["a", "auc"].value == ev["b", "auc"].value
    for method in METHODS:
        found = ev.winner("auc", method=method)
        assert found.tied == ("b",)
        assert "a, 0.7639, tied with b" in str(found)
        assert found.low < found.value - 0.1
        assert found.high >= found.value
        assert found.low <= found.corrected < found.high
        assert method == "conditional" or found.low > 0.3


@pytest.mark.slow
def test_values_in_steps_are_corrected_by_half_a_step_less() -> None:
    """Recall among the first of ten equal rankers, which tie in every third sample: the interval held it in .66."""
    held, above, draws = 0, 0, 40
    for seed in range(draws):
        sample = binormal(20, 200, *(1.5,) * 10, seed=seed)
        ev = hc.evaluate(sample.y, sample.scores, metrics="recall@10%", design="case-control")
        found = ev.winner("recall@10%")
        held += found.low <= 0.4836 <= found.high
        above += found.corrected > 0.4836
    assert held >= 36
    assert above == pytest.approx(draws / 2, abs=10)


def test_the_hybrid_is_never_wider_than_its_simultaneous_part() -> None:
    ev = evaluated()
    for form in ("auc", "ap"):
        conditional, hybrid = (ev.winner(form, method=method) for method in ("conditional", "hybrid"))
        wide = ev.winner(form, method="simultaneous", confidence_level=0.995)
        assert hybrid.low >= wide.low - 1e-3
        assert hybrid.high <= wide.high + 1e-3
        assert hybrid.low >= conditional.low - 1e-3


def test_order_of_subjects_and_rankers_does_not_matter() -> None:
    order = np.random.default_rng(0).permutation(SAMPLE.y.size)
    there = evaluated().winner("auc")
    scores = {name: s[order] for name, s in SAMPLE.scores.items()}
    assert hc.evaluate(SAMPLE.y[order], scores, metrics="auc").winner("auc") == there
    turned = hc.evaluate(SAMPLE.y, dict(reversed(SAMPLE.scores.items())), metrics="auc").winner("auc")
    assert turned == there


def test_other_designs() -> None:
    clusters = np.arange(SAMPLE.y.size) // 4
    weights = 1 + np.arange(SAMPLE.y.size) % 3
    for more in ({"clusters": clusters}, {"sample_weight": weights}, {"paired": False}, {"design": "case-control"}):
        found = hc.evaluate(SAMPLE.y, SAMPLE.scores, metrics="auc", **more).winner("auc")
        assert 0.5 < found.low < found.corrected < found.high < 1
    tables = hc.datasets.mammography()
    of_counts = hc.evaluate(tables=tables, metrics="ap", paired=False).winner("ap")
    assert of_counts.ranker == "film"
    assert set(of_counts.may_be_best) == {"film", "digital"}
    dropped = evaluated().without_data().winner("auc")
    assert dropped == evaluated().winner("auc")


def test_what_has_no_winner_is_refused() -> None:
    one = hc.evaluate(SAMPLE.y, SAMPLE.scores["a"], metrics="auc")
    with pytest.raises(ValueError, match="a choice of the best needs at least 2 rankers"):
        one.winner("auc")
    with pytest.raises(ValueError, match="method"):
        evaluated().winner("auc", method="bootstrap")
    few = binormal(3, 50, 1.0, 1.0)
    with pytest.raises(ValueError, match=r"too few for an interval of auc \(at least 5 of either class\)$"):
        hc.evaluate(few.y, few.scores, metrics="auc").winner("auc")
    still = quietly(SAMPLE.y, {"a": SAMPLE.a, "flat": np.zeros(SAMPLE.y.size)}, metrics="auc")
    with pytest.raises(ValueError, match="auc of 'flat' does not vary by subject and has no error: leave 'flat' out"):
        still.winner("auc")


@pytest.mark.parametrize(
    ("form", "who"),
    [
        ("precision@5", "'a' has 5 of the positives and 0 of the negatives"),
        ("ef@1%", "'a' has 14 of the positives and 0 of the negatives"),
        ("recall@2%", "'b' has 0 of the positives and 28 of the negatives"),
    ],
)
def test_hardly_a_hit_or_a_miss_above_a_cut_is_refused(form: str, who: str) -> None:
    """A normal error on the logit scale is of hundreds there, and a correction of a perfect value was to 1e-73."""
    y = np.arange(1400) < 60
    order = np.arange(1400.0)
    a = np.where(y & (order >= 18), -1400 - order, -order)
    b = np.where(y, -700.0, -order)
    ev = quietly(y, {"a": a, "b": b}, metrics=[form])
    with pytest.raises(InsufficientDataError, match=f"{who}, too few for .* use a deeper cut, or an area such as"):
        ev.winner(form)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_the_interval_holds_its_value_and_stays_in_the_range(form: str) -> None:
    """By every metric that has one, of few positives with ties at the top."""
    sample = binormal(12, 40, 1.0, 1.2, 1.1, seed=1, levels=6)
    ev = quietly(sample.y, sample.scores, metrics=[form], design="case-control")
    if hc.metric(form).lower_is_better:
        with pytest.raises(ParameterError, match="lower is better"):
            ev.winner(form)
        return
    least, most = hc.metric(form).range
    for method in ("hybrid", "simultaneous"):
        try:
            found = ev.winner(form, method=method)
        except (InsufficientDataError, UndefinedMetricError):
            continue
        assert least <= found.low <= found.value <= found.high <= most
        assert found.low <= found.corrected <= found.high


def test_the_command_says_what_python_says(tmp_path: Path) -> None:
    columns = {"y": SAMPLE.y.astype(int), **SAMPLE.scores}
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    (tmp_path / "s.csv").write_text("\n".join(lines), encoding="utf-8")
    scores = [word for name in NAMES for word in ("--score", name)]
    given = ["winner", str(tmp_path / "s.csv"), "--label", "y", *scores, "--metric", "ap"]
    found = evaluated().winner("ap")
    assert run(*given).stdout.strip() == str(found).strip()
    assert json.loads(run(*given, "--format", "json").stdout)["winner"] == found.to_records()
    refused = run(*given[:6])
    assert refused.returncode == 2
    assert "a choice of the best needs at least 2 rankers" in refused.stderr


def test_each_ranker_has_a_record() -> None:
    found = evaluated().winner("auc")
    records = found.to_records()
    assert [record["ranker"] for record in records] == list(found.chances)
    assert [record["chance"] for record in records] == list(found.chances.values())
    assert [record["value"] for record in records if record["value"] is not None] == [found.value]


def test_equal_rankings_share_their_chance() -> None:
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], [40, 160])
    s, other = rng.normal(size=(2, 200)) + y
    found = hc.evaluate(y, {"a": s, "b": 3 * s + 1, "c": other}, metrics="auc").winner("auc")
    assert found.chances["a"] == pytest.approx(found.chances["b"], abs=1e-4)
    assert sum(found.chances.values()) == pytest.approx(1)
