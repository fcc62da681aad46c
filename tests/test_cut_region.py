"""Intervals at hard cuts by the region of the ROC plane, and what else was measured to cover there."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy import special, stats
from scipy.special import betaincinv

import hitcurve as hc
from hitcurve import HitTable, TableStack
from hitcurve.counts import Counts
from hitcurve.errors import ParameterError
from hitcurve.inference.intervals import by_weight, cut_region, hard_cuts
from hitcurve.inference.intervals.interval import interval, intervals
from hitcurve.inference.intervals.region import above_upper, below_lower
from hitcurve.inference.models import Places
from hitcurve.inference.variance.spread import Spread
from hitcurve.sums import Lists, Sums
from tests.sampled import Sample, binormal

FORMS = ("recall@5%", "ef@1%", "relative_ef@10%", "precision@10", "hits@7", "precision@R", "roc_enrichment@5%")
Z = 1.959963984540054


def of(form: str, table: HitTable, design: str = "cohort", level: float = 0.95, method: str = "region") -> Any:
    return interval(Spread(hc.metric(form), table, design), level, method)[0]


def negatives_above(table: HitTable) -> Any:
    return np.repeat(np.cumsum(table.neg), table.pos.astype(int))


def roc_limit(above: Any, n0: int, x: float, q: float, *, upper: bool) -> float:
    """The limit of TPR at an FPR, threshold by threshold, with half counts."""
    n1, out = above.size, []
    for i in range(n1 + 1):
        if upper:
            z = float(below_lower(above[i - 1] if i else 0, n0, x))
            if z <= q:
                out.append(
                    1.0
                    if i == n1
                    else special.betaincinv(i + 0.5, n1 - i + 0.5, special.ndtr(math.sqrt(q * q - z * z)))
                )
        else:
            z = float(above_upper(above[i] if i < n1 else n0, n0, x))
            if z <= q:
                deviates = -math.sqrt(q * q - z * z)
                out.append(special.betaincinv(i + 0.5, n1 - i + 0.5, special.ndtr(deviates)) if i else 0.0)
    return float(max(out) if upper else min(out))


def at_rate(above: Any, n0: int, rate: float, sampled: bool) -> tuple[float, float]:
    """The limits of recall at a rate: where accumulation curves of the boundary cross it, by bisection."""
    n1 = above.size
    n, pi = n0 + n1, n1 / (n0 + n1)
    ends = []
    for upper in (False, True):
        found = []
        for angle in (0, 25, 50, 70) if sampled else (0,):
            th = math.radians(angle)
            a = pi + (-1 if upper else 1) * Z * math.sin(th) * math.sqrt(pi * (1 - pi) / n)
            low, high = 0.0, min(rate / (1 - a), 1.0)
            for _ in range(30):
                x = (low + high) / 2
                y = roc_limit(above, n0, x, Z * math.cos(th), upper=upper)
                low, high = (x, high) if a * y + (1 - a) * x < rate else (low, x)
            found.append(min((rate - (1 - a) * low) / a, 1.0))
        ends.append(max(found) if upper else min(found))
    return ends[0], ends[1]


@pytest.mark.slow
@pytest.mark.parametrize(("n1", "n0", "seed", "k"), [(12, 60, 1, 4), (30, 400, 2, 20), (20, 30, 3, 15)])
@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_recall_by_hand(n1: int, n0: int, seed: int, k: int, design: str) -> None:
    table = binormal(n1, n0, 1.5, seed=seed).table()
    rate = k / (n1 + n0)
    low, high = at_rate(negatives_above(table), n0, rate, design == "cohort")
    # between its 96 places of FPR the limit is straight
    near = 0.02 * (high - low)
    assert of(f"recall@{k}", table, design) == pytest.approx((low, high), abs=near)
    assert of(f"ef@{k}", table, design) == pytest.approx((low / rate, high / rate), abs=near / rate)
    if design == "case-control":
        # of a prevalence that is known a multiple of recall
        assert of(f"hits@{k}", table, design) == pytest.approx((n1 * low, n1 * high), abs=n1 * near)


@pytest.mark.parametrize(("n1", "n0", "seed", "k"), [(12, 60, 1, 4), (30, 400, 2, 20), (20, 30, 3, 49), (5, 60, 4, 1)])
def test_precision_by_hand(n1: int, n0: int, seed: int, k: int) -> None:
    """The union over all ranks to which the rate of the cut may belong."""
    sample = binormal(n1, n0, 1.5, seed=seed)
    y, n = sample.y[np.argsort(-sample.a)], n1 + n0
    lows, highs = [], []
    for rank in range(n + 1):
        apart = 2 * sum(a * math.log(a / b) for a, b in ((rank, k), (n - rank, n - k)) if a > 0 and b > 0)
        if (n == k and rank < n) or apart > Z**2:
            continue
        hits, p = int(y[:rank].sum()), stats.norm.sf(math.sqrt(Z**2 - apart))
        lows.append(stats.beta.ppf(p, hits + 0.5, rank - hits + 0.5) if hits else 0.0)
        highs.append(stats.beta.isf(p, hits + 0.5, rank - hits + 0.5) if hits < rank else 1.0)
    expected = np.array([min(lows), max(highs)])
    table = sample.table()
    assert of(f"precision@{k}", table) == pytest.approx(tuple(expected), rel=1e-9, abs=1e-12)
    assert of(f"hits@{k}", table) == pytest.approx(tuple(k * expected), rel=1e-9, abs=1e-12)


def test_a_cut_at_an_fpr_is_a_slice_of_the_region() -> None:
    table = binormal(25, 200, 1.5, seed=5).table()
    low, high = (roc_limit(negatives_above(table), 200, 0.05, Z, upper=upper) for upper in (False, True))
    assert of("roc_enrichment@5%", table) == pytest.approx((low / 0.05, high / 0.05), rel=1e-9)


# ---- laws

LISTS = [(20, 300, None), (8, 30, None), (25, 200, 5), (12, 12, 3)]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_a_list_in_a_stack_is_the_list_alone(form: str, design: str) -> None:
    lists = [binormal(n1, n0, 1.2, seed=n1, levels=levels).table() for n1, n0, levels in LISTS]
    for method in ("region", "auto"):
        alone = [tuple(of(form, one, design, 0.9, method)) for one in lists]
        for order in ([0, 1, 2, 3], [3, 1, 0, 2]):
            stack = TableStack.from_tables({str(i): lists[i] for i in order})
            for part in stack.parts():
                ends = intervals(Spread(hc.metric(form), part.lists, design), 0.9, method)
                for place, low, high in zip(part.places, ends.low, ends.high, strict=True):
                    assert (low, high) == pytest.approx(alone[order[place]], rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("form", FORMS)
def test_subjects_have_no_order_and_scores_no_unit(form: str) -> None:
    sample = binormal(20, 200, seed=4, levels=30)
    expected = hc.evaluate(sample.y, sample.a, metrics=form)["score", form].confidence_interval(method="region")
    order = np.random.default_rng(0).permutation(sample.y.size)
    for y, s in ((sample.y[order], sample.a[order]), (sample.y, np.exp(sample.a))):
        assert hc.evaluate(y, s, metrics=form)["score", form].confidence_interval(method="region") == expected
    assert expected.seed is not None  # of the order of ties


EXTREME = {
    "perfect": ([1] * 10 + [0] * 90, range(100, 0, -1)),
    "reversed": ([0] * 90 + [1] * 10, range(100, 0, -1)),
    "five": ([0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1], range(18, 0, -1)),
    "tied": ([1] * 10 + [0] * 90, [1] * 100),
    "two groups": ([1] * 8 + [0] * 4 + [1] * 2 + [0] * 86, [1] * 12 + [0] * 88),
}


@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", EXTREME)
@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_extreme_lists(form: str, name: str, design: str) -> None:
    table, m = HitTable.from_scores(*EXTREME[name]), hc.metric(form)
    value = m.value(table)
    for method in ("region", "auto"):
        ends = [of(form, table, design, level, method) for level in (0.5, 0.9, 0.95, 0.99)]
        for low, high in ends:
            assert m.range[0] <= low <= value + 1e-12
            assert value - 1e-12 <= high <= m.range[1]
            assert low < high
        for (low, high), (lower, higher) in itertools.pairwise(ends):
            assert lower <= low + 1e-12
            assert high <= higher + 1e-12


def test_no_slope_is_needed_where_the_list_begins_with_negatives() -> None:
    """A rank that holds one negative says little of the share of the positives that are above it."""
    y = np.array([0, 1, 1, 1, 1, 1, 1] + [0] * 40 + [1] * 4)
    table = HitTable.from_scores(y, range(y.size, 0, -1))
    assert of("recall@1", table).low == 0
    assert of("recall@1", table).high > 0.05
    # of the positives right behind the cut none may be above it in another sample
    assert of("recall@3", table).low == 0 < of("recall@3", table, method="jeffreys").low


def test_what_has_no_slice_is_refused() -> None:
    sample = binormal(20, 200, seed=6)
    several: tuple[dict[str, Any], ...] = ({"sample_weight": np.arange(220) % 2 + 1}, {"clusters": np.arange(220) // 2})
    for more in several:
        ev: hc.Evaluation = hc.evaluate(sample.y, sample.a, metrics="recall@5%", **more)
        e = ev["score", "recall@5%"]
        assert e.interval_method == "jeffreys"
        with pytest.raises(ParameterError, match="lists without weights and clusters"):
            e.confidence_interval(method="region")
    with pytest.raises(ParameterError, match="is for metrics at a cutoff"):
        of("auc", sample.table())


def test_many_cuts_of_one_list_are_each_alone() -> None:
    """The sensitivity to the budget has the intervals of the evaluation."""
    sample = binormal(30, 270, 1.5, seed=7)
    ev = hc.evaluate(sample.y, {"a": sample.a}, metrics=["recall@15", "precision@15", "hits@15", "ef@15"])
    found = ev.sensitivity("budget", [5, 15, 100])
    for name in ("recall", "precision", "hits", "ef"):
        line, e = found.of("a", name), ev["a", f"{name}@15"]
        assert (line.low[0][1], line.high[0][1]) == pytest.approx(tuple(e.confidence_interval()), rel=1e-9)
    there = hc.evaluate(sample.y, {"a": sample.a}, metrics="precision@10%", prevalence=0.3)["a", "precision@10%"]
    line = ev.sensitivity("prevalence", [0.05, 0.3]).of("a", "precision@10%")
    assert (line.low[0][1], line.high[0][1]) == pytest.approx(tuple(there.confidence_interval()), rel=1e-9)


# ---- equal scores at the cut, and weights


def test_a_cut_inside_a_group_by_hand() -> None:
    """Case-control: how much of the group is above the cut follows from the shares of both classes."""
    pos, neg = np.array([3, 10, 7]), np.array([2, 30, 168])
    table, pi, k = HitTable.from_counts(pos, neg), 20 / 220, 20
    n1, n0, r = 20, 200, k / 220
    a1, l1, a0, l0 = 3 / 21, 10.5 / 21, 2 / 201, 30.5 / 201

    def recall(a1: float, l1: float, a0: float, l0: float) -> float:
        return a1 + (r - pi * a1 - (1 - pi) * a0) / (pi * l1 + (1 - pi) * l0) * l1

    at, h = np.array([a1, l1, a0, l0]), 1e-6
    g = [(recall(*(at + h * e)) - recall(*(at - h * e))) / (2 * h) for e in np.eye(4)]
    covariance = np.zeros((4, 4))
    for place, (a, inside), n in ((0, (a1, l1), n1), (2, (a0, l0), n0)):
        covariance[place : place + 2, place : place + 2] = (
            np.diag([a, inside]) - np.outer([a, inside], [a, inside])
        ) / n
    variance = np.array(g) @ covariance @ np.array(g)
    theta, value = recall(*at), (3 + 10 * (k - 5) / 40) / n1
    size = theta * (1 - theta) / variance
    by_group = np.asarray(stats.beta.ppf([0.025, 0.975], size * value + 0.5, size * (1 - value) + 0.5))
    found = of(f"recall@{k}", table, "case-control", method="auto")
    assert found.method == "jeffreys"
    assert found.low <= by_group[0] + 1e-9
    assert found.high >= by_group[1] - 1e-9
    cohort = of(f"recall@{k}", table, "cohort", method="auto")
    # the union with the interval by influence values, which has the prevalence besides in a cohort
    assert min(abs(found.low - by_group[0]), abs(found.low - cohort.low)) < 0.05


@pytest.mark.parametrize("design", ["cohort", "case-control"])
@pytest.mark.parametrize("form", ["precision", "hits", "ef", "recall"])
def test_a_small_part_of_a_large_group_is_known_as_well_as_the_group(form: str, design: str) -> None:
    """Ten of 5,020 equal scores have the share of all: that ten are called says nothing of how well it is known."""
    table = HitTable.from_counts([30, 70], [4990, 44910])
    part, most = (of(f"{form}@{k}", table, design, method="auto") for k in (10, 5019))
    assert part.method == most.method == "jeffreys"
    unit = 5019 / 10 if form in ("hits", "recall") else 1.0
    assert part.low * unit == pytest.approx(most.low, rel=0.03)
    assert part.high * unit == pytest.approx(most.high, rel=0.03)
    # of 30 hits, by a beta of the share of the group
    by_hand = np.asarray(stats.beta.ppf([0.025, 0.975], 30.5, 4990.5)) * 5020 / 30
    value = float(hc.metric(f"{form}@10").value(table))
    if form in ("precision", "hits") and design == "cohort":
        assert tuple(part) == pytest.approx(tuple(by_hand * value), rel=1e-3)
    # all positives in the group leave doubt of how many are
    everyone = HitTable.from_counts([30, 0], [4990, 44910])
    ends = of(f"{form}@10", everyone, design, method="auto")
    assert ends.low < 0.95 * float(hc.metric(f"{form}@10").value(everyone))


@pytest.mark.parametrize("design", ["cohort", "case-control"])
@pytest.mark.parametrize(("k", "in_group"), [(5, 0.3), (100, 0.3), (5, 0.95), (100, 0.95)])
def test_intervals_within_a_large_group_cover(k: int, in_group: float, design: str) -> None:
    rng, lists, n, pi, of_neg = np.random.default_rng(5), 2000, 5000, 0.008, 0.1
    n_pos = rng.binomial(n, pi, lists) if design == "cohort" else np.full(lists, round(n * pi))
    pos, neg = rng.binomial(n_pos, in_group), rng.binomial(n - n_pos, of_neg)
    rows = Sums(np.stack([pos, n_pos - pos], axis=-1), np.stack([neg, n - n_pos - neg], axis=-1))
    share = pi * in_group / (pi * in_group + (1 - pi) * of_neg)
    truth = {f"precision@{k}": share, f"recall@{k}": k / n * share / pi, f"f1@{k}": 2 * k * share / (k + n * pi)}
    for form, true in truth.items():
        low, high = intervals(Spread(hc.metric(form), Lists(rows), design), 0.95, "jeffreys")[:2]
        assert np.mean((low <= true) & (true <= high)) >= 0.9, form


def test_weights_count_where_the_cut_is() -> None:
    """Few heavy subjects above the cut are few; light ones are many."""
    sample = binormal(100, 900, 1.5, seed=9)
    rank = stats.rankdata(-sample.a)
    equal = hc.evaluate(sample.y, sample.a, metrics="recall@10%", sample_weight=np.full(1000, 2.0))
    plain = hc.evaluate(sample.y, sample.a, metrics="recall@10%(cut=fractional)")["score", "recall@10%(cut=fractional)"]
    assert equal["score", "recall@10%"].confidence_interval(method="jeffreys") == pytest.approx(
        tuple(plain.confidence_interval(method="jeffreys")), rel=1e-9
    )
    for heavy in (rank <= 60, rank > 60):
        weight = np.where(heavy, 5.0, 1.0)
        e = hc.evaluate(sample.y, sample.a, metrics="recall@10%", sample_weight=weight)["score", "recall@10%"]
        # of subjects one by one
        numbers, spread = [], e._spread
        assert spread.step is not None
        cut = float(spread.step.place) * weight.sum()
        above = np.cumsum(weight[np.argsort(rank)])[np.argsort(np.argsort(rank))] <= cut + 1e-9
        for of_class in (sample.y, ~sample.y):
            w, inside = weight[of_class], above[of_class]
            share = w[inside].sum() / w.sum()
            near = share * (1 - share) / (np.sum(w**2 * (inside - share) ** 2) / w.sum() ** 2)
            numbers.append(sorted([math.sqrt(near * w.sum() ** 2 / np.sum(w**2)), near]))
        for found, (low, high) in zip(by_weight.sizes(spread, spread.step), numbers, strict=True):
            assert 0.98 * low <= found <= 1.02 * high


CUTS = ["recall@10%", "recall@60%", "precision@10%", "precision@60%", "ef@5%", "f1@10%", "f1@60%", "erf@10%"]
RATES = ["roc_enrichment@5%", "tpr@fpr=0.2", "fpr@tpr=80%", "precision@recall=40%", "precision@recall=80%", "wss@80%"]


@pytest.mark.parametrize("design", ["cohort", "case-control"])
@pytest.mark.parametrize("slope", [1.0, -1.0, 0.0])
@pytest.mark.parametrize("step", [True, False], ids=["two weights", "smooth"])
def test_intervals_of_long_weighted_lists_are_as_wide_as_their_errors(design: str, slope: float, step: bool) -> None:
    """Whether weights go with the scores or against them, or are chance: two roads to one width."""
    sample = binormal(2000, 18_000, 1.2, seed=4)
    by = sample.a if slope else np.random.default_rng(3).standard_normal(sample.a.size)
    weight = np.where(by > 1.2, 8.0 if slope >= 0 else 1 / 8, 1.0) if step else np.exp((slope or 1) * by / 2)
    ev = hc.evaluate(sample.y, sample.a, metrics=CUTS + RATES, sample_weight=weight, design=design)
    for form in CUTS + RATES:
        e = ev["score", form]
        assert e.interval is not None
        ratio = (e.interval.high - e.interval.low) / (2 * 1.96 * e.standard_error)
        # those of fixed rates know no slope, and profile what is there
        assert ratio == pytest.approx(1, abs=0.08 if form in CUTS else 0.3), form


# ---- a slice of the simulations


@pytest.mark.parametrize(("form", "truth"), [("recall@5%", 0.26149), ("precision@10", 0.17221)])
def test_hooks_are_covered(form: str, truth: float) -> None:
    """Two negatives of a hundred above all else: 60 samples of 20 positives (see validation)."""
    rng, held = np.random.default_rng(10), 0
    for _ in range(60):
        sample = Sample(np.arange(400) < 20, {"a": np.append(rng.standard_normal(20) + 2, rng.standard_t(3, 380))})
        table = sample.table()
        low, high = of(form, table)
        held += low <= truth <= high
    assert held >= 54


def test_a_default_interval_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def counted(*args: Any, **options: Any) -> Any:
        made.append(args)
        return interval(*args, **options)

    monkeypatch.setattr("hitcurve.inference.estimation.estimate.interval", counted)
    hc.evaluate(tables={"a": binormal(20, 300, 1.0).table()}, metrics=["auc", "ef@10%"]).to_dict()
    assert len(made) == 2


def test_cuts_of_a_list_without_ties_share_its_places_and_need_no_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> int:
        raise AssertionError("nothing is drawn")

    made, even = [], Places.even

    def counted(_: type[Places], c: Counts) -> Places:
        made.append(c)
        return even(c)

    monkeypatch.setattr(hard_cuts, "seed_of_list", refuse)
    monkeypatch.setattr(Places, "even", classmethod(counted))
    evaluation = hc.evaluate(tables={"a": binormal(20, 300, 1.0).table()}, metrics=["ef@10%", "precision@5"])
    assert [e.interval.method for e in evaluation if e.interval] == ["region", "region"]
    assert len(made) == 1


@pytest.mark.parametrize(
    ("n1", "n0", "separation", "seed"), [(3000, 5000, 1.0, 1), (400, 40_000, 0.5, 2), (900, 900, 0.0, 3)]
)
@pytest.mark.parametrize("share", [0.02, 0.2, 0.7])
def test_the_limits_of_precision_are_those_of_every_rank(
    n1: int, n0: int, separation: float, seed: int, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of many ranks only those are worked out that a formula says are the furthest."""
    table = binormal(n1, n0, separation, seed=seed).table()
    places = Places.even(table.counts)
    found = cut_region.among_first(places, share * (n1 + n0), Z)
    monkeypatch.setattr(cut_region, "_EXACT", n1 + n0)
    assert found == cut_region.among_first(places, share * (n1 + n0), Z)


def test_few_ranks_of_a_long_list_are_worked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def counted(a: Any, b: Any, p: Any) -> Any:
        asked.append(np.size(a))
        return betaincinv(a, b, p)

    monkeypatch.setattr("hitcurve._special.betaincinv", counted)
    cut_region.among_first(Places.even(binormal(2000, 20_000, 1.0, seed=4).table().counts), 4000.0, Z)
    assert max(asked) <= 64


@pytest.mark.parametrize(("n1", "n0"), [(30, 300), (400, 40_000)])
def test_a_whole_list_has_one_rank(n1: int, n0: int) -> None:
    """Precision of all is the prevalence of the sample, whose interval is that of a proportion."""
    places = Places.even(binormal(n1, n0, 1.0, seed=1).table().counts)
    low, high = cut_region.among_first(places, float(n1 + n0), Z)
    assert low == pytest.approx(stats.beta.ppf(stats.norm.sf(Z), n1 + 0.5, n0 + 0.5), rel=1e-9)
    assert high == pytest.approx(stats.beta.ppf(stats.norm.cdf(Z), n1 + 0.5, n0 + 0.5), rel=1e-9)


@pytest.mark.parametrize("form", ["recall@100%", "ef@100%", "relative_ef@100%", "precision@100%", "hits@330"])
def test_where_all_are_selected_no_positive_can_be_missed(form: str) -> None:
    """Only the prevalence is uncertain, and nothing is said of errors that were not observed."""
    table = binormal(30, 300, 1.0, seed=1).table()
    low, high = of(form, table)
    if hc.metric(form).name in ("precision", "hits"):
        assert low < Spread(hc.metric(form), table, "cohort").value < high
    else:
        assert (low, high) == (1.0, 1.0)
    estimate = hc.evaluate(tables={"a": table}, metrics=form)["a", form]
    assert not any("observed" in caution for caution in estimate.cautions)


@pytest.mark.parametrize("design", ["cohort", "case-control"])
@pytest.mark.parametrize("form", [*CUTS, *RATES, "ef@R", "erf@R", "nwss@95%", "ks", "max_f1", "net_benefit@20%"])
def test_weighted_lists_side_by_side_are_each_alone(form: str, design: str) -> None:
    rng = np.random.default_rng(0)
    pos = rng.exponential(size=(6, 40)) * (rng.random((6, 40)) < 0.6) * np.linspace(2, 0.2, 40)
    neg = rng.exponential(size=(6, 40)) * (rng.random((6, 40)) < 0.8)
    pos[0, :5] = neg[1, :6] = 0.0
    every = Sums(pos, neg, *(side**2 * rng.uniform(0.3, 1, side.shape) for side in (pos, neg)))
    side_by_side = intervals(Spread(hc.metric(form), Lists(every), design, may_draw=False), 0.95)
    for i in range(6):
        alone = intervals(Spread(hc.metric(form), Lists(every.of(i)), design, may_draw=False), 0.95)
        ends = [float(alone.low), float(alone.high)]
        assert [side_by_side.low[i], side_by_side.high[i]] == pytest.approx(ends, rel=1e-9, nan_ok=True)
