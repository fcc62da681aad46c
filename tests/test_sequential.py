"""Comparisons while labels arrive: boundaries, looks, bets."""

from __future__ import annotations

import copy
import itertools
import math
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from hitcurve import SequentialComparison, SequentialHits, compare, evaluate, power_analysis
from hitcurve.errors import (
    DirectionWarning,
    HitcurveWarning,
    InputError,
    InsufficientDataError,
    LengthMismatchError,
    ParameterError,
)
from hitcurve.evaluation.over_time import arrival
from hitcurve.inference.comparing.betting import evidence, evidence_of_shares, reachable
from hitcurve.inference.comparing.looks import Looks
from hitcurve.inference.intervals.boundaries import NormalMixture, OBrienFleming, crossing, taken_to_normal, taken_to_t
from tests.sampled import Sample, binormal, quietly
from tests.shell import Shell
from tests.strategies import law

LEVELS = (0.9, 0.95, 0.99)


# ---- boundaries


@pytest.mark.parametrize("labels", [3, 200, 4000])
@pytest.mark.parametrize("z", [0.0, 1.5, 4.0])
def test_the_evidence_of_the_mixture_is_an_integral(labels: int, z: float) -> None:
    """Of the likelihood ratio of a normal mean, over normal means of variance r^2."""
    a = -2 * math.log(0.05)
    r2 = (a + math.log(a + 1)) / (600 / 3)
    total = z * math.sqrt(labels)  # the sum of so many unit normal variables

    def ratio(mean: float) -> float:
        return math.exp(mean * total - labels * mean**2 / 2) * stats.norm.pdf(mean, scale=math.sqrt(r2))

    centre, width = total / labels, 12 / math.sqrt(labels)
    found, _ = integrate.quad(ratio, -3, 3, points=[centre - width, centre, centre + width], limit=500)
    assert NormalMixture(labels, 600).pvalue(z) == pytest.approx(min(1, 1 / found), rel=1e-6)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "boundary", [NormalMixture(50, 1000), NormalMixture(900, 1000), OBrienFleming(0.2), OBrienFleming(1)]
)
def test_the_p_value_at_the_limit_is_what_is_left(boundary: Any, level: float) -> None:
    assert boundary.pvalue(boundary.critical(level)) == pytest.approx(1 - level, rel=1e-9)
    p = [boundary.pvalue(z) for z in np.linspace(0, 12, 200)]
    assert all(later <= earlier for earlier, later in itertools.pairwise(p))
    assert p[0] == 1


def test_the_mixture_is_narrowest_at_a_third_of_the_horizon() -> None:
    labels = np.arange(10, 2000)
    ratio = [NormalMixture(m, 1500).critical(0.95) / math.sqrt(m) for m in labels.tolist()]
    others = [NormalMixture(500, horizon).critical(0.95) for horizon in (600, 1500, 4000)]
    assert others[1] == min(others)
    assert all(later < earlier for earlier, later in itertools.pairwise(ratio))


def test_boundaries_of_the_literature() -> None:
    """Of 5 looks at .05: O'Brien and Fleming 2.040/sqrt(share), Pocock 2.413 (Jennison and Turnbull 2000)."""
    shares = [(k + 1) / 5 for k in range(5)]
    assert sum(crossing([2.040 / math.sqrt(share) for share in shares], shares)) == pytest.approx(0.05, abs=2e-4)
    assert sum(crossing([2.413] * 5, shares)) == pytest.approx(0.05, abs=2e-4)
    # a Brownian motion leaves (-2.2414, 2.2414) by time 1 with probability .05; .8 of it are kept
    assert OBrienFleming(1).pvalue(2.24140) == pytest.approx(0.05 / 0.8, abs=1e-5)


def test_crossings_by_simulation() -> None:
    rng = np.random.default_rng(0)
    shares = [0.1, 0.25, 0.5, 0.6, 1.0]
    limits = [3.0, 2.5, 2.4, 2.2, 2.1]
    steps = np.diff(shares, prepend=0.0)
    for drift in (0.0, 2.5):
        paths = np.cumsum(rng.normal(drift * steps, np.sqrt(steps), (200_000, 5)), axis=1) / np.sqrt(shares)
        beyond = np.abs(paths) > limits
        first = np.where(beyond.any(axis=1), beyond.argmax(axis=1), 5)
        expected = np.bincount(first, minlength=6)[:5] / 200_000
        assert crossing(limits, shares, drift) == pytest.approx(expected, abs=0.005)


def test_one_look_is_one_test() -> None:
    assert crossing([1.959964], [1.0]) == pytest.approx([0.05], abs=1e-6)
    assert crossing([1.959964], [1.0], 2.8) == pytest.approx([stats.norm.sf(1.959964 - 2.8)], abs=1e-4)


@pytest.mark.parametrize("method", ["anytime", "obrien-fleming"])
def test_under_the_null_looks_reject_less_often_than_they_may(method: str) -> None:
    how = Looks(method, 1000)
    shares = [(k + 1) / 200 for k in range(200)]
    limits = [how.boundary(1000 * share, 0.95).critical(0.95) for share in shares]
    assert sum(crossing(limits, shares)) < 0.05
    price = how.price()
    assert price.width_factor == pytest.approx(limits[-1] / 1.959964, rel=1e-6)
    assert price.power < price.power_of_one
    assert 0 < price.labels < 1


def test_the_known_end_costs_less() -> None:
    anytime, known = (Looks(method, 1000).price() for method in ("anytime", "obrien-fleming"))
    assert known.width_factor < 1.2 < 1.5 < anytime.width_factor < 1.7
    assert anytime.power < known.power


@law(50)
@given(z=st.floats(0.01, 12), degrees=st.floats(3, 1e4))
def test_t_and_normal_statistics_have_one_tail(z: float, degrees: float) -> None:
    t = taken_to_t(z, degrees)
    assert t >= z
    assert taken_to_normal(t, degrees) == pytest.approx(z, rel=1e-9)
    assert stats.t.sf(t, degrees) == pytest.approx(stats.norm.sf(z), rel=1e-6)
    assert taken_to_t(z, math.inf) == z


# ---- one look


SAMPLE = binormal(40, 360, 1.6, 1.1, seed=3)


def at_a_look(sample: Sample = SAMPLE, **more: Any) -> Any:
    options: dict[str, Any] = {"metric": "ap", "method": "anytime", "horizon": 1000, **more}
    return compare(sample.y, sample.a, sample.b, **options)


@pytest.mark.parametrize("form", ["ap", "auc", "bedroc(alpha=5)"])
@pytest.mark.parametrize("null", [0.0, 0.1])
def test_a_look_by_hand(form: str, null: float) -> None:
    """STATS 8.3: the paired test's difference, error and degrees; the normal mixture, taken to t."""
    once = at_a_look(metric=form, method="delta", horizon=None, null=null)
    a = -2 * math.log(0.05)
    rho = 400 * (a + math.log(a + 1)) / (1000 / 3)
    c = math.sqrt((rho + 1) / rho * math.log((rho + 1) / 0.05**2))
    d = once.difference
    half = -stats.t.ppf(stats.norm.sf(c), d.degrees_of_freedom) * d.standard_error
    look = at_a_look(metric=form, null=null)
    assert look.difference.value == d.value
    assert look.difference.confidence_interval() == pytest.approx((d.value - half, d.value + half), rel=1e-9)
    z = stats.norm.isf(stats.t.sf(abs(d.value - null) / d.standard_error, d.degrees_of_freedom))
    expected = min(1.0, math.sqrt(rho + 1) * math.exp(-(z**2) * rho / (2 * (rho + 1))))
    assert look.pvalue == pytest.approx(expected, rel=1e-6)
    plain = d.confidence_interval()
    assert look.difference.width_factor == pytest.approx(2 * half / (plain.high - plain.low), rel=1e-9)
    known = at_a_look(metric=form, null=null, method="obrien-fleming")
    p = sum((-1) ** k * 4 * stats.norm.sf((2 * k + 1) * z * math.sqrt(0.4)) for k in range(9)) / 0.8
    assert known.pvalue == pytest.approx(min(1.0, p), abs=1e-5)


@pytest.mark.parametrize("method", ["anytime", "obrien-fleming"])
def test_a_look_says_what_it_is(method: str) -> None:
    look = at_a_look(method=method)
    assert "at all looks" in str(look)
    assert "random order" in str(look)
    assert "valid at all looks" in look.methods_text() or "O'Brien" in look.methods_text()
    assert look.to_dict()["width_factor"] == look.difference.width_factor
    assert at_a_look(method="delta", horizon=None).to_dict()["width_factor"] is None


WRONG_LOOKS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"horizon": None}, ParameterError, "needs horizon"),
    ({"method": "delta"}, ParameterError, "horizon is for"),
    ({"horizon": 1}, ParameterError, "horizon"),
    ({"horizon": 399, "method": "obrien-fleming"}, ParameterError, "400 labels are more than horizon=399"),
    ({"alternative": "greater"}, ParameterError, "two-sided"),
    ({"sample_weight": np.arange(400) % 3 + 1.0}, ParameterError, "not been validated with weights"),
    ({"clusters": np.arange(400) // 2}, ParameterError, "not been validated with clusters"),
    ({"prevalence": 0.2}, ParameterError, "not been validated with a set prevalence"),
    ({"metric": "recall@3"}, InsufficientDataError, "too few for a test over many looks"),
    ({"metric": "croc(exp, alpha=80)"}, InsufficientDataError, "depends on about"),
]


@pytest.mark.parametrize(("wrong", "kind", "words"), WRONG_LOOKS, ids=lambda x: x if isinstance(x, str) else "")
def test_where_looks_are_refused(wrong: dict[str, Any], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        at_a_look(**wrong)


def test_looks_wait_for_positives() -> None:
    few = binormal(9, 200, 1.5, 1.0, seed=1)
    with pytest.raises(InsufficientDataError, match="only 9 positives: a test needs 10 positives"):
        at_a_look(few)
    some = at_a_look(binormal(12, 200, 1.5, 1.0, seed=1))
    assert any("20 are advised" in text for text in some.cautions)
    assert not at_a_look().cautions
    assert at_a_look(horizon=100).pvalue > 0  # more labels than expected, which anytime allows


# ---- labels batch by batch


def fed(sample: Sample, ends: list[int], **options: Any) -> SequentialComparison:
    test = SequentialComparison("ap", **{"horizon": 1000, **options})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HitcurveWarning)
        for start, end in itertools.pairwise([0, *ends]):
            test.update(sample.y[start:end], sample.a[start:end], sample.b[start:end])
    return test


@law(8)
@given(
    ends=st.lists(st.integers(60, 399), min_size=1, max_size=4, unique=True),
    method=st.sampled_from(["anytime", "obrien-fleming"]),
)
def test_how_labels_were_split_does_not_matter(ends: list[int], method: str) -> None:
    """A look depends on the labels so far: what came in one batch may have come in many."""
    ends = [*sorted(ends), 400]
    few = fed(SAMPLE, ends, method=method)
    finer = fed(SAMPLE, sorted({*ends, 30, 100, 333}), method=method)
    at = {look.n_labels: look for look in finer.looks}
    for look in few.looks:
        assert at[look.n_labels].comparison == look.comparison
        assert at[look.n_labels].pvalue <= look.pvalue
    last = few.looks[-1].comparison
    assert last == at_a_look(SAMPLE, method=method) or last is None


def test_evidence_never_falls_and_intervals_never_grow() -> None:
    test = fed(binormal(60, 540, 1.9, 1.0, seed=5), list(range(50, 601, 50)))
    p = [look.pvalue for look in test.looks]
    assert all(later <= earlier for earlier, later in itertools.pairwise(p))
    intervals = [look.interval for look in test.looks if look.interval is not None]
    assert all(a.low <= b.low <= b.high <= a.high for a, b in itertools.pairwise(intervals))
    own = [look.comparison for look in test.looks if look.comparison is not None]
    assert p[-1] == min(c.pvalue for c in own)
    assert intervals[-1].low == max(c.difference.confidence_interval().low for c in own)
    assert test.decided
    assert test.looks[0].reason is not None
    assert "positives" in test.looks[0].reason


def test_the_null_is_inside_until_it_is_rejected() -> None:
    for seed in range(4):
        test = fed(binormal(60, 540, 1.9, 1.2, seed=seed), list(range(60, 601, 60)))
        for look in test.looks:
            if look.interval is not None and abs(look.pvalue - 0.05) > 1e-6:
                assert (look.interval.low <= 0 <= look.interval.high) is (look.pvalue > 0.05)


def test_a_pool_of_which_all_have_labels_is_known() -> None:
    sample = binormal(60, 340, 1.6, 1.1, seed=3)
    test = fed(sample, [320, 380, 400], horizon=400, target="pool")
    last = test.looks[-1]
    assert last.comparison is not None
    value = last.comparison.difference.value
    assert last.comparison.difference.confidence_interval() == pytest.approx((value, value))
    assert last.pvalue == 0
    nearly = test.looks[-2].comparison
    assert nearly is not None
    once = evaluate(sample.y[:380], {"first": sample.a[:380], "second": sample.b[:380]}, metrics="ap")
    error = once.compare("first", "second", "ap", method="delta").difference.standard_error
    assert nearly.difference.standard_error == pytest.approx(error * math.sqrt(1 - 380 / 400))
    early = fed(sample, [100], horizon=400, target="pool").looks[0]
    assert "a test for target='pool' needs 40 positives" in str(early.reason)
    with pytest.raises(ParameterError, match="more than horizon"):
        fed(sample, [400], horizon=399, target="pool")
    with pytest.raises(ParameterError, match="needs method='anytime'"):
        SequentialComparison("ap", horizon=400, target="pool", method="obrien-fleming")


@pytest.mark.parametrize("ties", [None, 1, 9], ids=["no ties", "tenths", "whole numbers"])
def test_the_correlation_with_the_order_is_that_of_ranks(ties: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrival, "_SORTED", 7)
    scores = np.random.default_rng(5).normal(size=300)
    scores = scores if ties is None else np.round(ties * scores, 1 if ties == 1 else 0)
    sizes = [40, 1, 159, 100]
    expected = stats.spearmanr(np.repeat(range(4), sizes), scores).statistic
    assert arrival.rank_correlation(sizes, scores) == pytest.approx(expected, abs=1e-13)
    assert arrival.rank_correlation(sizes, np.zeros(300)) == 0


def test_looks_at_subjects_that_are_all_there_are_those_of_their_batches() -> None:
    rng = np.random.default_rng(3)
    y = rng.random(2000) < 0.1
    a, b = (rng.normal(size=2000) + shift * y for shift in (1.2, 1.1))
    together, each = (SequentialComparison("ap", horizon=2000) for _ in range(2))
    together.look_at(y, a, b, 5)
    start = 0
    for end in each.schedule(5, 2000):
        each.update(y[start:end], a[start:end], b[start:end])
        start = end
        if each.decided:
            break
    assert together.to_records() == each.to_records()
    assert len(together.looks) > 1


def test_labels_in_the_order_of_a_score_are_refused() -> None:
    order = np.argsort(-SAMPLE.a)
    sorted_by_a = SAMPLE.at(order)
    with pytest.raises(InputError, match=r"order of the scores of 'first' \(rank correlation -0\.\d+"):
        fed(sorted_by_a, [100, 200, 300, 400])
    test = SequentialComparison("ap", horizon=1000)
    test.update(*(x[:100] for x in (sorted_by_a.y, sorted_by_a.a, sorted_by_a.b)))
    with pytest.raises(InputError, match="label a random sample"):
        test.update(*(x[100:200] for x in (sorted_by_a.y, sorted_by_a.a, sorted_by_a.b)))
    assert (len(test.looks), test.n_labels) == (1, 100)  # the batch was not taken
    # within a batch the order says nothing
    parts = [np.sort(part) for part in np.array_split(np.random.default_rng(0).permutation(400), 4)]
    fed(sorted_by_a.at(np.concatenate(parts)), [100, 200, 300, 400])


def test_a_drift_is_said() -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=1500)
    y = rng.permutation(1500) < 100
    drifting = scores + 2 * y + np.linspace(0, 0.6, 1500)
    test = SequentialComparison("ap", horizon=2000)
    parts = np.array_split(np.arange(1500), 4)
    for part in parts[:-1]:
        test.update(y[part], drifting[part], (scores + y)[part])
    last = parts[-1]
    with pytest.warns(HitcurveWarning, match="seem to arrive in the order"):
        test.update(y[last], drifting[last], (scores + y)[last])


def _told_of_directions(sample: Sample, ends: list[int]) -> list[tuple[int, str]]:
    """Return at which looks a direction is warned of, and how."""
    test = SequentialComparison("ap", horizon=1000)
    said = []
    for start, end in itertools.pairwise([0, *ends]):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            test.update(sample.y[start:end], sample.a[start:end], sample.b[start:end])
        said += [(len(test.looks), str(w.message)) for w in caught if issubclass(w.category, DirectionWarning)]
    return said


@pytest.mark.parametrize("shift", [0.5, 1.5])
def test_few_positives_do_not_say_that_lower_is_better(shift: float) -> None:
    """Neither before the first test, nor while one half is within the noise."""
    for seed in range(10):
        assert _told_of_directions(binormal(40, 360, shift, shift, seed=seed), [20, 60, 100, 200, 400]) == []


def test_a_score_turned_round_is_said_at_the_first_test() -> None:
    sample = binormal(40, 360, 1.5, -1.5, seed=1)
    ends = [20, 100, 200, 300, 400]
    first = next(number for number, end in enumerate(ends, 1) if sample.y[:end].sum() >= 10)
    ((look, message),) = _told_of_directions(sample, ends)
    assert look == first
    assert "AUC is below one half for 'second'" in message
    assert "'first'" not in message


@pytest.mark.parametrize(("shift", "said"), [(-1.5, 1), (0.0, 0)])
def test_directions_on_the_command_line(shell: Shell, tmp_path: Path, shift: float, said: int) -> None:
    sample = binormal(40, 360, 1.5, shift, seed=1)
    path = tmp_path / "pool.csv"
    lines = [f"{int(y)},{a},{b}" for y, a, b in zip(sample.y, sample.a, sample.b, strict=True)]
    path.write_text("\n".join(["y,a,b", *lines]))
    text = shell("compare", path, "-l", "y", "-s", "a", "-s", "b").out
    assert text.count("below one half") == said


def test_looks_in_words() -> None:
    test = SequentialComparison("ap", horizon=1000, names=("old", "new"))
    assert "no labels yet" in str(test)
    test.update(SAMPLE.y, SAMPLE.a, SAMPLE.b)
    for words in ("old - new, anytime, expects 1,000 labels", "interval at all looks", "price:", "1.58 times"):
        assert words in str(test)
    assert "1 looks, 400 labels" in repr(test)
    (record,) = test.to_records()
    assert record["labels"] == 400
    assert record["positives"] == 40
    with pytest.raises(LengthMismatchError):
        test.update(SAMPLE.y, SAMPLE.a[:10], SAMPLE.b)
    with pytest.raises(InputError, match="1 of 400 values of old are missing"):
        test.update(SAMPLE.y, np.where(np.arange(400) == 3, np.nan, SAMPLE.a), SAMPLE.b)
    assert len(test.looks) == 1


def test_a_pool_is_not_told_the_price_of_a_population() -> None:
    pool = SequentialComparison("ap", horizon=400, target="pool", names=("old", "new"))
    pool.update(SAMPLE.y, SAMPLE.a, SAMPLE.b)
    text = str(pool)
    assert "price" not in text
    assert "1.58" not in text
    assert "old - new, anytime, expects 400 labels, target: this pool of 400 subjects" in text
    assert "shrinks to a point, which is reached once all 400 subjects have labels" in text
    with pytest.raises(ParameterError, match="looks at a pool have no price"):
        _ = pool.price
    whole = SequentialComparison("ap", horizon=400)
    assert "target: population" in str(whole)
    assert f"price: {whole.price}" in str(whole)


@pytest.mark.slow
def test_equal_rankers_are_seldom_told_apart_over_many_looks() -> None:
    wrong = {"anytime": 0, "obrien-fleming": 0, "each look": 0}
    runs = 60
    for seed in range(runs):
        rng = np.random.default_rng([7, seed])
        y = rng.random(600) < 0.1
        common = rng.normal(size=600)
        a, b = (common + rng.normal(size=600) + 1.5 * y for _ in range(2))
        found = []
        for m in range(100, 601, 50):
            if not y[:m].sum() >= 10:
                continue
            ev = quietly(y[:m], {"a": a[:m], "b": b[:m]}, metrics="ap")
            found.append({name: ev.compare("a", "b", "ap", method=name, horizon=600).pvalue for name in LOOKED})
            found[-1]["each look"] = ev.compare("a", "b", "ap", method="delta").pvalue
        for name in wrong:
            wrong[name] += min(look[name] for look in found) <= 0.05
    limit = runs * (0.05 + 3 * math.sqrt(0.05 * 0.95 / runs))
    assert max(wrong["anytime"], wrong["obrien-fleming"]) <= limit
    assert wrong["each look"] > wrong["anytime"]


LOOKED = ("anytime", "obrien-fleming")


# ---- hits


@law(40)
@given(first=st.integers(0, 30), second=st.integers(0, 30))
def test_evidence_is_a_mixture_of_bets(first: int, second: int) -> None:
    """Of bets p and 1 - p on either list, over a beta distribution of p."""

    def bets(p: float) -> float:
        return float((2 * p) ** first * (2 * (1 - p)) ** second * stats.beta.pdf(p, 2, 2))

    found, _ = integrate.quad(bets, 0, 1, epsabs=0, epsrel=1e-10)
    assert evidence(first, second) == pytest.approx(found, rel=1e-8)
    assert evidence(first, second) == pytest.approx(evidence(second, first))


def test_the_game_is_fair() -> None:
    """Whatever came, the next hit leaves the stake as it is in the mean."""
    for first, second in itertools.product(range(12), repeat=2):
        after = (evidence(first + 1, second) + evidence(first, second + 1)) / 2
        assert after == pytest.approx(evidence(first, second), rel=1e-12)
    assert evidence(0, 0) == 1


def test_equal_hits_are_rejected_with_their_probability_at_most() -> None:
    """Exactly, by all paths of 40 hits."""
    alive = {(0, 0): 1.0}
    rejected = 0.0
    for _ in range(40):
        following: dict[tuple[int, int], float] = {}
        for (w, f), p in alive.items():
            for state in ((w + 1, f), (w, f + 1)):
                if evidence(*state) >= 20:
                    rejected += p / 2
                else:
                    following[state] = following.get(state, 0) + p / 2
        alive = following
    assert 0.005 < rejected <= 0.05


@law(40)
@given(shares=st.lists(st.floats(-1, 1).filter(lambda x: abs(x) > 1e-3), min_size=1, max_size=25))
def test_evidence_of_shares_is_a_mixture_of_bets(shares: list[float]) -> None:
    x = np.array(shares)

    def bets(tilt: float) -> float:
        return float(np.prod(1 + tilt * x) * stats.beta.pdf((1 + tilt) / 2, 2, 2) / 2)

    found, _ = integrate.quad(bets, -1, 1, epsabs=0, epsrel=1e-10, limit=200)
    assert evidence_of_shares(x) == pytest.approx(found, rel=1e-8)
    assert evidence_of_shares(-x) == pytest.approx(evidence_of_shares(x), rel=1e-9)
    whole = np.sign(x)
    nearly = np.append(whole[1:], whole[0] * (1 - 1e-12))  # by the integral, where signs alone have a formula
    assert evidence_of_shares(nearly) == pytest.approx(evidence_of_shares(whole), rel=1e-9)
    # fair for every share: the mean over its two signs leaves the stake
    after = [evidence_of_shares(np.append(x, sign * 0.3)) for sign in (1, -1)]
    assert np.mean(after) == pytest.approx(evidence_of_shares(x), rel=1e-9)


def test_what_can_still_be_reached() -> None:
    for first, second, a, b in itertools.product((0, 3, 8), (0, 2, 6), (0, 4), (0, 9)):
        most = max(evidence(first + i, second + j) for i in range(a + 1) for j in range(b + 1))
        shares, left = (np.repeat([1.0, -1.0], sizes) for sizes in ((first, second), (a, b)))
        assert reachable(shares, left, 20) is (most >= 20)


POOL = binormal(150, 1350, 1.9, 1.2, seed=11)


def test_only_subjects_of_one_top_list_need_a_label() -> None:
    test = SequentialHits(POOL.a, POOL.b, "recall@10%")
    tops = [set(np.argsort(-s)[:150].tolist()) for s in (POOL.a, POOL.b)]
    assert set(test.needed.tolist()) == tops[0] ^ tops[1]
    look = test.update(np.arange(1500), POOL.y)
    positives = set(np.flatnonzero(POOL.y).tolist())
    assert (look.first_only, look.second_only) == tuple(
        len((own - other) & positives) for own, other in (tops, tops[::-1])
    )
    recall = evaluate(POOL.y, POOL.scores, metrics="recall@10%")
    difference = recall["a", "recall@10%"].value - recall["b", "recall@10%"].value
    assert (look.first_only - look.second_only) / 150 == pytest.approx(difference)
    assert (look.left, look.open or test.decided) == (0, test.decided)


def test_equal_scores_at_the_cutoff_count_in_part() -> None:
    """As their expected hits: half of the tied subjects are above, so each is above by half."""
    tied = np.round(2 * POOL.a)
    test = SequentialHits(tied, POOL.b, "hits@100")
    look = test.update(np.arange(1500), POOL.y)
    ev = quietly(POOL.y, {"a": tied, "b": POOL.b}, metrics="hits@100")
    assert look.first_only - look.second_only == pytest.approx(ev["a", "hits@100"].value - ev["b", "hits@100"].value)
    assert 0 < look.first_only % 1 < 1
    assert look.pvalue == pytest.approx(min(1, 1 / look.evidence))


def test_labels_of_hits_in_any_batches() -> None:
    whole, parts = (SequentialHits(POOL.a, POOL.b, "hits@100") for _ in range(2))
    assert whole.needed.tolist() == parts.needed.tolist()
    assert whole.seed == parts.seed is not None
    last = whole.update(whole.needed, POOL.y[whole.needed])
    best = 1.0
    for place in parts.needed:
        look = parts.update([place], POOL.y[[place]])
        assert look.evidence >= best
        best = look.evidence
        assert look.evidence >= evidence(int(look.first_only), int(look.second_only))
        assert look.pvalue == pytest.approx(min(1, 1 / look.evidence))
    assert (look.first_only, look.second_only, look.left) == (last.first_only, last.second_only, 0)
    again = parts.update(parts.needed[:5], POOL.y[parts.needed[:5]])  # known labels change nothing
    assert (again.first_only, again.n_labels) == (look.first_only, look.n_labels)


def test_the_order_of_hits_is_random_and_known() -> None:
    same, other, given_rng = (
        SequentialHits(POOL.a, POOL.b, "hits@100", rng=rng) for rng in (4, 5, np.random.default_rng(4))
    )
    assert same.seed == 4
    assert given_rng.seed is None
    assert same.needed.tolist() == given_rng.needed.tolist()
    assert same.needed.tolist() != other.needed.tolist()
    assert sorted(same.needed.tolist()) == sorted(other.needed.tolist())
    turned = SequentialHits(-POOL.a, POOL.b, "hits@100", higher_is_better={"first": False}, rng=4)
    assert turned.needed.tolist() == same.needed.tolist()


def test_labels_of_one_list_first_are_refused() -> None:
    test = SequentialHits(POOL.a, POOL.b, "hits@150")
    own = np.setdiff1d(np.argsort(-POOL.a)[:150], np.argsort(-POOL.b)[:150])
    with pytest.raises(InputError, match="in the top list of 'first' alone are labelled, and 0 of"):
        test.update(own, POOL.y[own])
    assert test.looks == ()
    test.update(test.needed, POOL.y[test.needed])


WRONG_HITS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: SequentialHits(POOL.a, POOL.b, "ap"), ParameterError, "no cutoff at a rank"),
    (lambda: SequentialHits(POOL.a, POOL.b, "roc_enrichment@1%"), ParameterError, "no cutoff at a rank"),
    (lambda: SequentialHits(POOL.a, POOL.b, "precision@R"), ParameterError, "depends on the number of positives"),
    (lambda: SequentialHits(POOL.a, POOL.b, "hits@1500"), ParameterError, "whole rank from 1 to 1499"),
    (lambda: SequentialHits(POOL.a[:9], POOL.b), LengthMismatchError, "first"),
    (lambda: SequentialHits(np.append(POOL.a[1:], np.nan), POOL.b), InputError, "1 of 1500 scores of 'first'"),
    (lambda: hits().update([1500], [1]), ParameterError, "positions 0 to 1499"),
    (lambda: hits().update([-1], [1]), ParameterError, "positions 0 to 1499"),
    (lambda: hits().update([0.5], [1]), ParameterError, "whole numbers"),
    (lambda: hits().update([3, 4], [1]), LengthMismatchError, "where"),
    (lambda: hits().update([3, 3], [1, 0]), ParameterError, "subject 3 has two different labels"),
    (lambda: hits().update([3], [None]), InputError, "1 of 1 labels are missing"),
]


def hits() -> SequentialHits:
    return SequentialHits(POOL.a, POOL.b)


@pytest.mark.parametrize(("wrong", "kind", "words"), WRONG_HITS, ids=lambda x: x if isinstance(x, str) else "")
def test_what_is_no_test_of_hits(wrong: Callable[[], Any], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        wrong()


def test_hits_in_words() -> None:
    test = SequentialHits(POOL.a, POOL.b, "hits@100", names=("old", "new"))
    assert "subjects need a label" in str(test)
    assert "no labels yet" in str(test)
    test.update(test.needed, POOL.y[test.needed])
    for words in ("old only", "new only", "evidence"):
        assert words in str(test)
    assert test.to_records()[0]["left"] == 0
    same = SequentialHits(POOL.a, POOL.a)
    assert same.needed.size == 0
    assert same.update([], []).pvalue == 1
    assert "no further labels can lead to a rejection" in str(same)


# ---- on the command line


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    """A file of the sample in its order, of which the last 100 rows have no label."""
    path = tmp_path / "pool.csv"
    rows = zip(SAMPLE.y.astype(int), SAMPLE.a, SAMPLE.b, strict=True)
    lines = [f"{y if place < 300 else ''},{a!r},{b!r}" for place, (y, a, b) in enumerate(rows)]
    path.write_text("\n".join(["y,a,b", *lines]).replace("np.float64(", "").replace(")", ""))
    return path


def test_the_command_line_looks_as_python_does(shell: Shell, pool: Path) -> None:
    words = ("compare", pool, "-l", "y", "-s", "a", "-s", "b", "--missing", "drop", "--looks", "8")
    done = shell(*words, "-f", "json").json
    test = fed(SAMPLE.at(np.arange(300)), [50, 100, 150, 200, 250, 300], horizon=400, names=("a", "b"))
    assert done["looks"] == test.to_records()
    text = shell(*words).out
    assert "a - b, anytime, expects 400 labels" in text
    assert "price: " in text
    assert "target: population" in text
    of_pool = shell(*words, "--target", "pool").out
    assert "target: this pool of 400 subjects" in of_pool
    assert "price" not in of_pool
    known = shell(*words, "--method", "obrien-fleming", "--horizon", "1000", "-f", "csv").out.splitlines()
    assert len(known) == 1 + 3  # every 125 labels, and at the end
    assert "more than horizon=200" in shell(*words, "--horizon", "200", "--method", "obrien-fleming").refusal
    assert "are missing" in shell(*(word for word in words if word not in ("--missing", "drop"))).refusal
    assert "give two rankers" in shell("compare", pool, "-l", "y", "-s", "a", "--missing", "drop").refusal


@pytest.mark.parametrize(("target", "needs"), [("population", 10), ("pool", 40)])
def test_looks_without_a_test_say_why(shell: Shell, pool: Path, target: str, needs: int) -> None:
    words = ("compare", pool, "-l", "y", "-s", "a", "-s", "b", "--missing", "drop", "--looks", "16", "--target", target)
    done = shell(*words, "-f", "json").json
    without = [look for look in done["looks"] if look["difference"] is None]
    assert without
    assert without[0]["reason"].endswith("too inaccurate for many looks")
    for look in done["looks"]:
        assert (look["reason"] is None) is (look["difference"] is not None)
    text = shell(*words).out
    for said in (text, "\n".join(done["notes"])):
        assert f"needs {needs} positives" in said
        assert "note: 100 of 400 rows wait for a label" in said
        assert "dropped" not in said
    assert shell(*words, "-f", "csv").err.count("rows wait for a label") == 1


def test_a_missing_score_is_still_a_missing_value(shell: Shell, pool: Path) -> None:
    lines = pool.read_text().splitlines()
    lines[5] = ",".join([*lines[5].split(",")[:2], ""])
    pool.write_text("\n".join(lines))
    words = ("compare", pool, "-l", "y", "-s", "a", "-s", "b", "--missing", "drop")
    for said in (shell(*words).out, shell(*words, "-f", "csv").err):
        assert "note: 100 of 400 rows wait for a label" in said
        assert "warning: 1 of 400 rows were dropped for a missing value" in said


def test_the_command_line_plans_as_python_does(shell: Shell, pool: Path) -> None:
    words = ("power", pool, "-l", "y", "-s", "a", "-s", "b", "-m", "auc", "--missing", "drop", "--effect", "0.05")
    some = SAMPLE.at(np.arange(300))
    pilot = quietly(some.y, some.scores, metrics="auc")
    expected = power_analysis("auc", pilot, 0.05, power=0.8)
    assert shell(*words, "--power", "0.8", "-f", "json").json["power"] == [expected.to_record()]
    assert str(expected) in shell(*words, "--power", "0.8").out
    found = shell(*words, "--n-pos", "100", "--n-neg", "500", "-f", "json").json["power"][0]
    assert found["power"] == power_analysis("auc", pilot, 0.05, n_pos=100, n_neg=500).power
    assert "give --power for the number of subjects, or --n-pos" in shell(*words).refusal


def test_a_pilot_without_an_interval_says_why(shell: Shell, tmp_path: Path) -> None:
    y, scores = SAMPLE.y, SAMPLE.scores
    weights = 1 + np.arange(y.size) % 3
    whole = quietly(y, scores, metrics="ap")
    reasons = {
        "clusters": quietly(y, scores, metrics="ap", clusters=np.arange(y.size) // 2),
        "weights": quietly(y, scores, metrics="ap", sample_weight=weights),
        "a set prevalence": quietly(y, scores, metrics="ap", design="case-control", prevalence=0.01),
        "dropped": whole.without_data(),
    }
    for how in ({"power": 0.8}, {"n_pos": 100}):
        assert whole.power_analysis("ap", 0.1, **how).no_interval is None
        assert whole.power_analysis("ap", 0.1, **how).to_record()["no_interval"] is None
        for word, pilot in reasons.items():
            found = pilot.power_analysis("ap", 0.1, **how)
            assert (found.n_pos_interval, found.power_interval) == (None, None)
            for said in (str(found), found._repr_html_(), found.to_record()["no_interval"]):
                assert word in said
    path = tmp_path / "pilot.csv"
    lines = [f"{int(y)},{a},{b},{i // 2}" for i, (y, a, b) in enumerate(zip(y, SAMPLE.a, SAMPLE.b, strict=True))]
    path.write_text("\n".join(["y,a,b,c", *lines]))
    words = ("power", path, "-l", "y", "-s", "a", "-s", "b", "--effect", "0.1", "--power", "0.8", "--cluster", "c")
    reason = "the pilot gives no 95% interval: no bootstrap of its variance has been validated with clusters"
    assert reason in shell(*words).out
    done = shell(*words, "-f", "json").json
    assert f"note: {reason}" in done["notes"]
    assert reason.endswith(done["power"][0]["no_interval"])


def _comparison(labels: int, **options: Any) -> SequentialComparison:
    test = SequentialComparison("ap", horizon=400, **options)
    for start in range(0, labels, 100):
        part = slice(start, start + 100)
        test.update(SAMPLE.y[part], SAMPLE.a[part], SAMPLE.b[part])
    return test


def _hits(labels: int, **options: Any) -> SequentialHits:
    test = SequentialHits(SAMPLE.a, SAMPLE.b, "hits@50", **options)
    if labels:
        places = test.needed[:20]
        test.update(places, SAMPLE.y[places], pos_label=True)
    return test


@pytest.mark.parametrize("made", [_comparison, _hits])
@pytest.mark.parametrize("labels", [0, 100, 400])
def test_what_takes_labels_equals_its_own_pickle(made: Callable[..., Any], labels: int) -> None:
    test = made(labels)
    again = pickle.loads(pickle.dumps(test))
    assert again == test
    assert copy.deepcopy(test) == test
    assert made(labels) == test
    assert made(labels, names=("old", "new")) != test
    assert made(labels, confidence_level=0.9) != test
    assert made(100 if not labels else 0) != test
    assert test != "another"
    assert str(again) == str(test)
    with pytest.raises(TypeError, match="unhashable"):
        hash(test)


def test_a_comparison_goes_on_from_its_pickle() -> None:
    whole, part = _comparison(400), pickle.loads(pickle.dumps(_comparison(300)))
    assert part != whole
    part.update(SAMPLE.y[300:], SAMPLE.a[300:], SAMPLE.b[300:])
    assert part == whole
    same_labels = _comparison(0)
    same_labels.update(SAMPLE.y, SAMPLE.a, SAMPLE.b)
    assert same_labels != whole  # looked at less often
