"""Intervals of NDCG, DCG and logAUC by inversion of a shifted fit, and tests of their differences."""

from __future__ import annotations

import itertools
import math
import tracemalloc
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit

import hitcurve as hc
from hitcurve import HitTable, TableStack
from hitcurve.counts import Counts
from hitcurve.errors import ParameterError
from hitcurve.inference.intervals.interval import interval, intervals
from hitcurve.inference.intervals.inversion import TABLES, Inverted, Scale, SquareAndAdd, inverted, within
from hitcurve.inference.models import KernelFit, Moments, Places, moments
from hitcurve.inference.resampling.resample import seed_of_list
from hitcurve.inference.variance.spread import Spread
from hitcurve.metrics import RankSum
from tests.sampled import binormal

FORMS = ("ndcg", "dcg", "logauc(0.001, 1)")
METRICS = {form: hc.metric(form) for form in FORMS}


def ndcg_of_ranks(ranks: Any) -> float:
    """NDCG of the ranks of the positives, term by term."""
    ideal = sum(1 / math.log2(i + 2) for i in range(len(ranks)))
    return sum(1 / math.log2(r + 1) for r in ranks) / ideal


def by_hand(table: HitTable, level: float) -> tuple[float, float]:
    """The interval of NDCG of a cohort without ties, table by table from the same random numbers."""
    c = table.counts
    n1, n = int(c.n1), int(c.n)
    rng = np.random.default_rng(seed_of_list(table.sums))
    fit = KernelFit.of(Places.of(c, rng), least_spread=0.25)
    shifts = np.linspace(-1, 1, 9)
    reach = 1.1 * max(float(np.std(fit.z, ddof=1)), 0.5) * math.sqrt(16 / n1)
    n_pos = np.clip(rng.binomial(n, n1 / n, (9, 150)), 1, n - 1)
    drawn = fit.draw(n_pos, n - n_pos, rng, shift=reach * shifts[:, None])
    values = np.empty((9, 150))
    for i, j in np.ndindex(9, 150):
        above = drawn.above[i, j, : n_pos[i, j]]
        values[i, j] = ndcg_of_ranks(above + np.arange(1, above.size + 1))
    centre = logit(values.mean(axis=1))
    # no value of these lists is that of a perfect one
    low, middle, high = np.quantile(logit(values), [0.025, 0.5, 0.975], axis=1)
    grid = np.linspace(-1, 1, 401)

    def smooth(y: Any, degree: int) -> Any:
        return np.polyval(np.polyfit(shifts, y, degree), grid)

    at = logit(ndcg_of_ranks(np.cumsum(c.pos + c.neg)[c.pos > 0]))
    factor = 1.1 * stats.t.ppf((1 + level) / 2, n1 - 1) / stats.norm.ppf(0.975)
    ends = []
    c_, m_ = np.maximum.accumulate(smooth(centre, 3)), smooth(middle - centre, 2)
    for off in (high - middle, low - middle):
        reached = np.maximum.accumulate(c_ + m_ + factor * smooth(off, 2))
        straight_on = max(at - reached[-1], 0) + min(at - reached[0], 0)
        ends.append(float(expit(np.interp(at, reached, c_) + straight_on)))
    return ends[0], ends[1]


@pytest.mark.parametrize(("n1", "n0", "seed"), [(30, 400, 1), (40, 100, 2)])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_ndcg_by_hand(n1: int, n0: int, seed: int, level: float) -> None:
    table = binormal(n1, n0, 1.0, seed=seed).table()
    found = interval(Spread(METRICS["ndcg"], table, "cohort"), level)[0]
    assert found.method == "inversion"
    assert found == pytest.approx(by_hand(table, level), rel=1e-9)


def test_the_centre_of_logauc_is_the_integral_over_the_model() -> None:
    table = binormal(20, 100, seed=3).table()
    made = inverted(Spread(METRICS["logauc(0.001, 1)"], table, "case-control"))
    rng = np.random.default_rng(seed_of_list(table.sums))
    fit = KernelFit.of(Places.of(table.counts, rng), least_spread=0.25)
    x = np.geomspace(1e-3, 1, 20_001)
    reach = 1.1 * max(float(np.std(fit.z, ddof=1)), 0.5) * math.sqrt(16 / 20)
    shifts = np.linspace(-1, 1, 9)
    exact = [np.trapezoid(KernelFit(fit.z + reach * d, fit.width).tpr(x), np.log(x)) / np.log(1e3) for d in shifts]
    cubic = np.polyval(np.polyfit(shifts, logit(exact), 3), [-1.0, 0.0, 1.0])
    assert made.centre[[0, 200, 400]] == pytest.approx(cubic, abs=2e-3)


# ---- by three moments of each model


@pytest.mark.slow
@pytest.mark.parametrize("form", ["ndcg", "dcg"])
@pytest.mark.parametrize("sampled", [True, False])
@pytest.mark.parametrize(("n1", "n0", "shift"), [(60, 900, 1.0), (120, 200, 0.5), (50, 20_000, 2.5)])
def test_the_moments_are_those_of_drawn_tables(form: str, sampled: bool, n1: int, n0: int, shift: float) -> None:
    c, metric = binormal(n1, n0, shift, seed=5).table().counts, METRICS[form]
    fit, reach, draws = KernelFit.of(Places.even(c)), 0.4, 4000
    assert metric.rank_sum is not None
    found = moments(fit, reach, 3, metric.rank_sum, n1, n1 + n0, sampled=sampled)
    rng = np.random.default_rng(6)
    for place, own in enumerate(np.linspace(-reach, reach, 3)):
        n_pos = rng.binomial(n1 + n0, n1 / (n1 + n0), draws) if sampled else np.full(draws, n1)
        values = metric.kernel(fit.draw(n_pos, n1 + n0 - n_pos, rng, shift=own).counts(negatives_join=False))
        deviation = values.std()
        assert found.mean[place] == pytest.approx(values.mean(), abs=5 * deviation / math.sqrt(draws))
        assert found.deviation[place] == pytest.approx(deviation, rel=0.06)
        assert found.skewness[place] == pytest.approx(stats.skew(values), abs=0.3)


def test_quantiles_are_those_of_the_gamma_distribution() -> None:
    for skewness in (-1.0, -0.3, 0.3, 1.0):
        exact = math.copysign(1, skewness) * stats.pearson3(abs(skewness)).ppf(
            [0.025, 0.5, 0.975][:: int(math.copysign(1, skewness))]
        )
        one = Moments(np.array([2.0]), np.array([3.0]), np.array([skewness]))
        found = [float(one.quantile(z)[0]) for z in (-1.959964, 0.0, 1.959964)]
        assert found == pytest.approx(2 + 3 * exact, abs=0.03)
    normal = Moments(np.zeros(1), np.ones(1), np.zeros(1))
    assert float(normal.quantile(1.5)[0]) == pytest.approx(1.5, abs=1e-6)


@pytest.mark.parametrize("form", ["ndcg", "dcg"])
@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_limits_by_moments_are_those_of_drawn_tables(form: str, design: str) -> None:
    table = binormal(80, 700, 1.0, seed=8).table()
    e = hc.evaluate(tables={"s": table}, metrics=form, design=design)["s", form]
    found = e.confidence_interval()
    assert (found.method, found.n_resamples, found.seed) == ("inversion", None, None)
    assert e.confidence_interval(rng=3) == found
    spread = Spread(METRICS[form], table, design)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hitcurve.inference.intervals.inversion.by_moments", lambda _: None)
        limits = [inverted(spread, seed).limits(0.95) for seed in range(10)]
    drawn = np.mean(limits, axis=0)
    assert tuple(found) == pytest.approx(tuple(drawn), abs=0.05 * float(drawn[1] - drawn[0]))


def test_skewed_lists_and_those_of_few_positives_are_drawn() -> None:
    for n1, n0, shift, tables in ((49, 900, 1.0, TABLES), (50, 900, 1.0, None), (50, 50, 3.0, TABLES)):
        made = inverted(Spread(METRICS["ndcg"], binormal(n1, n0, shift, seed=7).table(), "cohort"))
        assert made.tables == tables
        assert (made.seed is None) == (tables is None)


@dataclass(frozen=True)
class Declared(hc.Metric):
    """The nDCG with weights that somebody declared."""

    name = "declared_ndcg"
    default_interval = "inversion"
    declared: Any = field(default=None, hash=False)

    @property
    def rank_sum(self) -> Any:  # type: ignore[override]
        return self.declared

    def kernel(self, c: Any) -> Any:
        return METRICS["ndcg"].kernel(c)


class Unhashable:
    __hash__ = None  # type: ignore[assignment]

    def __call__(self, ranks: Any) -> Any:
        return discount(ranks)


def discount(ranks: Any) -> Any:
    return 1 / np.log2(ranks + 1)


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        (RankSum(lambda ranks: ranks**-0.5, of_perfect=True), "is not its kernel: with 0 of 60 positives above"),
        (RankSum(discount), "is not its kernel: with 60 of 60 positives above .*, the kernel is 1$"),
        (RankSum(np.zeros_like, of_perfect=True), "is not its kernel: .* sum to nan"),
        (RankSum(discount, math.nan), "is not its kernel: .* sum to nan"),
        (RankSum(lambda ranks: np.full(ranks.shape, np.nan), of_perfect=True), "a finite number for each rank"),
        (RankSum(lambda ranks: np.ones(()), of_perfect=True), "a finite number for each rank"),
        (RankSum(lambda ranks: discount(ranks)[:3], of_perfect=True), "a finite number for each rank"),
        (RankSum(Unhashable(), of_perfect=True), "must be hashable"),
        (RankSum(3.0, of_perfect=True), "must be a RankSum with a function"),  # type: ignore[arg-type]
        ((discount, 1.0, True), "must be a RankSum with a function"),
    ],
)
def test_weights_that_are_not_the_metric_are_refused(declared: Any, said: str) -> None:
    metric, table = Declared(declared), binormal(60, 400, seed=3).table()
    with pytest.raises(ParameterError, match=f"^rank_sum of declared_ndcg.*{said}"):
        _ = hc.evaluate(tables={"a": table}, metrics=[metric])["a", metric].interval


def test_declared_weights_give_the_interval_of_ndcg() -> None:
    table = binormal(60, 400, seed=3).table()
    metric = Declared(RankSum(lambda ranks: discount(ranks).tolist(), of_perfect=True))
    ev = hc.evaluate(tables={"a": table}, metrics=[metric, "ndcg"])
    assert ev["a", metric].interval == pytest.approx(ev["a", "ndcg"].interval, rel=1e-12)


def test_a_comparison_of_intervals_by_moments_draws_nothing() -> None:
    sample = binormal(60, 500, 1.2, 1.0, seed=13)
    test = hc.evaluate(sample.y, sample.scores, metrics="ndcg").compare("a", "b", "ndcg", rng=5, method="inversion")
    assert (test.seed, test.n_resamples) == (None, None)


# ---- laws


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_a_list_in_a_stack_is_the_list_alone(form: str, design: str) -> None:
    lists = [binormal(n1, n0, 1.2, seed=n1, levels=levels).table() for n1, n0, levels in LISTS]
    alone = [tuple(interval(Spread(METRICS[form], one, design), 0.9, "inversion")[0]) for one in lists]
    for order in ([0, 1, 2, 3], [3, 1, 0, 2]):
        stack = TableStack.from_tables({str(i): lists[i] for i in order})
        for part in stack.parts():
            ends = intervals(Spread(METRICS[form], part.lists, design), 0.9, "inversion")
            for place, low, high in zip(part.places, ends.low, ends.high, strict=True):
                assert (low, high) == pytest.approx(alone[order[place]], rel=1e-13)


LISTS = [(20, 300, None), (60, 400, None), (25, 200, 5), (12, 12, 3)]


@pytest.mark.parametrize("form", FORMS)
def test_subjects_have_no_order_and_scores_no_unit(form: str) -> None:
    sample = binormal(20, 200, seed=4)
    expected = hc.evaluate(sample.y, sample.a, metrics=form)["score", form].interval
    order = np.random.default_rng(0).permutation(sample.y.size)
    assert hc.evaluate(sample.y[order], sample.a[order], metrics=form)["score", form].interval == expected
    assert hc.evaluate(sample.y, np.exp(sample.a), metrics=form)["score", form].interval == expected


def test_the_seed_is_recorded_and_gives_the_interval_again() -> None:
    sample = binormal(20, 200, seed=5)
    e = hc.evaluate(sample.y, sample.a, metrics="ndcg")["score", "ndcg"]
    found = e.confidence_interval()
    assert found.n_resamples == TABLES
    assert found.seed is not None
    assert e.confidence_interval(rng=found.seed) == found
    assert e.confidence_interval(rng=found.seed + 1) != found
    assert e.confidence_interval(rng=np.random.default_rng(found.seed)) == found
    assert e.confidence_interval(rng=np.random.default_rng(found.seed)).seed is None


EXTREME = {
    "perfect": ([1] * 10 + [0] * 90, range(100, 0, -1)),
    "reversed": ([0] * 90 + [1] * 10, range(100, 0, -1)),
    "five": ([0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1], range(18, 0, -1)),
    "tied": ([1] * 10 + [0] * 90, [1] * 100),
    "two groups": ([1] * 8 + [0] * 4 + [1] * 2 + [0] * 86, [1] * 12 + [0] * 88),
    "nearly all positive": ([1] * 60 + [0] * 5, range(65, 0, -1)),
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
@pytest.mark.parametrize("form", [*FORMS, "logauc(0.001, 0.1)", "logauc(0.001, 1, adjusted)"])
@pytest.mark.parametrize("name", EXTREME)
@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_extreme_lists(form: str, name: str, design: str) -> None:
    y, s = EXTREME[name]
    table, m = HitTable.from_scores(y, s), hc.metric(form)
    value = m.value(table)
    ends = [interval(Spread(m, table, design), level, "inversion")[0] for level in (0.5, 0.9, 0.95, 0.99)]
    for low, high in ends:
        assert m.range[0] <= low <= value <= high <= m.range[1]
        assert low < high
    for (low, high), (lower, higher) in itertools.pairwise(ends):
        assert lower <= low
        assert high <= higher


def test_what_cannot_be_drawn_is_refused() -> None:
    sample = binormal(20, 200, seed=6)
    several: tuple[dict[str, Any], ...] = ({"sample_weight": np.arange(220) % 2 + 1}, {"clusters": np.arange(220) // 2})
    for more in several:
        ev: hc.Evaluation = hc.evaluate(sample.y, sample.a, metrics="logauc", **more)
        e = ev["score", "logauc"]
        assert e.interval_method == "half-subject"
        with pytest.raises(ParameterError, match="without weights and clusters"):
            e.confidence_interval(method="inversion")


def test_what_lies_below_the_first_negative_is_said() -> None:
    sample = binormal(30, 500, seed=7)
    ev = hc.evaluate(sample.y, sample.scores | {"b": sample.a[::-1]}, metrics=["logauc", "logauc(0.01, 1)"])
    assert any("extrapolated" in text for text in ev["a", "logauc"].cautions)
    assert not ev["a", "logauc(0.01, 1)"].cautions
    assert any("extrapolated" in text for text in ev.compare("a", "b", "logauc").cautions)


@pytest.mark.slow
@pytest.mark.parametrize(("form", "truth"), [("ndcg", 0.8127), ("logauc", 0.4394)])
def test_a_slice_of_the_simulations(form: str, truth: float) -> None:
    """Normal scores, the positives 1.5 higher: 60 samples of 20 positives and 180 negatives (see validation)."""
    rng, held = np.random.default_rng(8), 0
    for _ in range(60):
        score = np.append(rng.standard_normal(20) + 1.5, rng.standard_normal(180))
        table = HitTable.from_scores(np.arange(200) < 20, score)
        low, high = interval(Spread(hc.metric(form), table, "case-control"), 0.95)[0]
        held += low <= truth <= high
    assert held >= 54


# ---- differences


def by_square_and_add(both: SquareAndAdd, t: float) -> tuple[float, float]:
    (a, b), r = (both.first, both.second), both.correlation
    (la, ua), (lb, ub) = a.at(t, 1.05), b.at(t, 1.05)
    down = (a.value - la) ** 2 - 2 * r * (a.value - la) * (ub - b.value) + (ub - b.value) ** 2
    up = (ua - a.value) ** 2 - 2 * r * (ua - a.value) * (b.value - lb) + (b.value - lb) ** 2
    return a.value - b.value - math.sqrt(down), a.value - b.value + math.sqrt(up)


@pytest.mark.parametrize("form", FORMS)
def test_the_p_value_is_the_level_at_which_the_interval_ends_at_the_null(form: str) -> None:
    sample = binormal(30, 200, 1.6, 1.1, seed=9)
    ev = hc.evaluate(sample.y, sample.scores, metrics=form)
    # swaps are the test unless asked, or unless there is another null; the interval is by inversion
    assert ev.compare("a", "b", form).method == "swap-permutation"
    assert ev.compare("a", "b", form).difference.confidence_interval().method == "inversion"
    assert ev.compare("a", "b", form, null=0.01).method == "inversion"
    test = ev.compare("a", "b", form, method="inversion")
    assert test.difference.value > 0
    near = test.difference.confidence_interval(1 - test.pvalue).low
    assert near == pytest.approx(0, abs=1e-7)
    assert test.difference.confidence_interval().method == "inversion"
    d = test.difference
    assert d.sides is not None
    t = float(stats.t.ppf(0.975, 29))
    assert d.confidence_interval(0.95) == pytest.approx(by_square_and_add(d.sides, t), rel=1e-9)
    assert test.pvalue == pytest.approx(2 * stats.t.sf(abs(test.statistic), 29), rel=1e-6)
    # the intervals of the two are those of the evaluation
    for side, name in ((d.sides.first, "a"), (d.sides.second, "b")):
        assert side.limits(0.95) == pytest.approx(tuple(ev[name, form].confidence_interval()), rel=1e-12)
    assert ev.compare("a", "b", form, null=test.difference.value, method="inversion").pvalue == 1
    # swaps test a difference of 0 only
    assert ev.compare("a", "b", form, null=near - 0.05).method == "inversion"
    assert ev.compare("a", "b", form, null=near - 0.05).pvalue < test.pvalue


def test_the_correlation_is_that_of_the_influence_values() -> None:
    sample = binormal(30, 200, 1.6, 1.1, seed=10)
    ev = hc.evaluate(sample.y, sample.scores, metrics="ndcg")
    errors = [ev[name, "ndcg"].standard_error for name in "ab"]
    delta = ev.compare("a", "b", "ndcg", method="delta").difference.standard_error
    sides = ev.compare("a", "b", "ndcg").difference.sides
    assert sides is not None
    expected = (errors[0] ** 2 + errors[1] ** 2 - delta**2) / (2 * errors[0] * errors[1])
    assert sides.correlation == pytest.approx(expected, abs=0.03)  # class factors n/(n - 1) apart


def test_a_comparison_turned_is_its_mirror() -> None:
    sample = binormal(30, 200, 1.6, 1.1, seed=11)
    ev = hc.evaluate(sample.y, sample.scores, metrics="ndcg")
    for alternative, mirrored in (("two-sided", "two-sided"), ("greater", "less")):
        one = ev.compare("a", "b", "ndcg", alternative=alternative, method="inversion")
        other = ev.compare("b", "a", "ndcg", alternative=mirrored, method="inversion")
        assert other.pvalue == pytest.approx(one.pvalue, rel=1e-9)
        assert other.statistic == pytest.approx(-one.statistic, rel=1e-9)
        assert other.difference.confidence_interval() == pytest.approx(
            tuple(-end for end in reversed(one.difference.confidence_interval())), rel=1e-9
        )


def test_equal_rankers_do_not_differ() -> None:
    sample = binormal(30, 200, seed=12)
    ev = hc.evaluate(sample.y, {"a": sample.a, "b": np.exp(sample.a)}, metrics="ndcg")
    assert ev.compare("a", "b", "ndcg").pvalue == 1
    assert ev.compare("a", "b", "ndcg", method="inversion").pvalue == 1


def test_a_comparison_says_how_it_was_made() -> None:
    sample = binormal(30, 200, 1.6, 1.1, seed=13)
    ev = hc.evaluate(sample.y, sample.scores, metrics="ndcg")
    test = ev.compare("a", "b", "ndcg", rng=5, method="inversion")
    assert (test.seed, test.n_resamples, test.pvalue_error) == (5, TABLES, None)
    assert ev.compare("a", "b", "ndcg", method="inversion").seed is None
    assert test.to_dict()["interval_method"] == "inversion"
    assert "square-and-add" in str(test)
    assert "square-and-add" in test.methods_text()
    clustered = hc.evaluate(sample.y, sample.scores, metrics="ndcg", clusters=np.arange(230) // 2)
    assert clustered.compare("a", "b", "ndcg").method == "delta"
    with pytest.raises(ParameterError, match="clusters"):
        clustered.compare("a", "b", "ndcg", method="inversion")
    with pytest.raises(ParameterError, match="needs method='inversion' of the comparison"):
        ev.compare("a", "b", "ndcg", method="delta").difference.confidence_interval(method="inversion")


def test_near_the_best_value_two_rankers_are_told_apart() -> None:
    """Both intervals are long there: their square-and-add alone has p = .43."""
    rng = np.random.default_rng(5)
    y, common = np.repeat([1, 0], [40, 300]), 0.6 * rng.normal(size=340)
    a, b = (common + 0.8 * rng.normal(size=340) + shift * y for shift in (4, 3))
    for form in ("ndcg", "dcg"):
        test = hc.compare(y, a, b, metric=form)
        assert test.method == "swap-permutation"
        assert test.pvalue < 0.02
        low, high = test.difference.confidence_interval()
        assert low < 0 < high
        assert any("disagree about a difference of 0" in text for text in test.cautions)


@pytest.mark.slow
def test_with_few_positives_the_note_says_which_of_test_and_interval_decides() -> None:
    disagreed = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        y, common = np.repeat([1, 0], [10, 190]), rng.normal(size=200)
        a, b = (0.995 * common + 0.1 * rng.normal(size=200) + 1.2 * y for _ in range(2))
        test = hc.compare(y, a, b, metric="ap")
        low, high = test.difference.confidence_interval()
        assert test.method == "swap-permutation"
        said = [text for text in test.cautions if "disagree about a difference of 0" in text]
        assert len(said) == ((test.pvalue <= 0.05) == (low <= 0 <= high))
        if said:
            disagreed += 1
            assert "by influence values, is the more conservative" in said[0]
            assert "the p value, by swaps of the rankers, decides" in said[0]
    assert disagreed


def test_a_difference_that_nothing_explains_has_the_smallest_p_value() -> None:
    """A statistic beyond all intervals is the widest one."""
    scale = Scale(0.0, 1.0, 0.001, 0.999)
    ends = np.linspace(-1, 1, 401)
    good, bad = (
        Inverted(value, float(logit(value)), scale, ends, 0 * ends, 0 * ends, 0 * ends, 20.0) for value in (0.7, 0.3)
    )
    assert SquareAndAdd(good, bad, 0.0).statistic(0.0) > 100
    assert SquareAndAdd(bad, good, 0.0).statistic(0.0) < -100


@pytest.mark.parametrize("form", FORMS)
def test_tables_are_evaluated_in_parts(form: str) -> None:
    table = binormal(40, 900, 1.0, seed=4).table()
    spread = Spread(METRICS[form], table, "cohort")
    inverted(spread)
    tracemalloc.start()
    inverted(spread)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    columns = 8 * TABLES * 2 * 60  # both classes of all tables, a row for each positive and each gap
    assert peak < 4 * columns


def test_the_scale_of_many_lists_is_that_of_each() -> None:
    metric, n = METRICS["ndcg"], 60
    of_one = Scale.of(metric, binormal(20, 40, 1.0).table().counts)
    n_pos = np.array([[5, 20, 5], [59, 1, 20]])
    found = within(of_one, metric, n_pos, n)
    for i, k in np.ndenumerate(n_pos):
        own = of_one.within(metric, Counts(np.array([float(k)]), np.array([float(n - k)])))
        assert (found.least[i], found.most[i]) == pytest.approx((float(own.least), float(own.most)), rel=1e-14)
