"""Lists of 10^12: what is formed as a difference there has no digits left."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest

import hitcurve as hc
from hitcurve.counts import Counts, before
from hitcurve.errors import InputError
from hitcurve.inference.cutting.step import step_of
from hitcurve.inference.variance import half_subject
from hitcurve.inference.variance.half_subject import condensed
from hitcurve.inference.variance.influence import LONG as LONG_FROM
from hitcurve.inference.variance.influence import influence, variance_of_long, variances_of_replicates
from hitcurve.inference.variance.spread import Spread
from hitcurve.metrics.mean_gradient import Scatter
from hitcurve.refusals import refused
from hitcurve.sums import Sums
from tests.metrics_under_test import FORMS, has_gradient

N = 10**12
LONG = hc.HitTable.from_ranks([3, 17, N // 2, N - 5], n=N)
# three positives tied with a negative half way down
TIED = hc.HitTable.from_counts([0, 3, 0], [N // 2, 1, N // 2])


def worst_ap(n1: int, n0: int) -> mp.mpf:
    return mp.fsum(mp.mpf(i) / (n0 + i) for i in range(1, n1 + 1)) / n1


def test_worst_average_precision() -> None:
    assert hc.metrics.AveragePrecision().worst(LONG) == pytest.approx(float(worst_ap(4, N - 4)), rel=1e-12)


def test_ties_far_down_the_list() -> None:
    before = N // 2
    # each of the three stands at place j of the four with i of the others before it: mean over the orders
    row = mp.mpf(0)
    for j in range(1, 5):
        row += mp.mpf(3) / 4 * (1 + mp.mpf(2) * (j - 1) / 3) / (before + j)
    assert hc.metrics.AveragePrecision("expected").value(TIED) == pytest.approx(float(row / 3), rel=1e-12)


def test_davis_and_goadrich() -> None:
    alarms = [N // 2 + mp.mpf(hits) / 3 for hits in range(4)]
    points = [hits / (hits + fp) for hits, fp in enumerate(alarms)]
    area = mp.fsum((a + b) / 2 for a, b in itertools.pairwise(points))
    assert hc.metrics.PRArea("davis_goadrich").value(TIED) == pytest.approx(float(area / 3), rel=1e-12)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_a_cut_inside_a_tie_group(k: int) -> None:
    assert hc.metrics.HitsAt(N // 2 + k).value(TIED) == pytest.approx(3 * k / 4, rel=1e-12)


def slope(function: Callable[[mp.mpf], mp.mpf], at: int) -> float:
    return float(mp.diff(function, mp.mpf(at)))


def test_gradient_of_slr() -> None:
    """By the mean of log over (a, b]: its derivatives by b and a, in 50 digits."""
    with mp.workdps(50):
        gradient = hc.metrics.SLR().gradient(LONG)
        assert gradient is not None
        c = LONG.counts
        row = 5  # the positive at N / 2
        a, b = int(c.R[row - 1]), int(c.R[row])

        def mean_log(start: mp.mpf, end: mp.mpf) -> mp.mpf:
            return (mp.loggamma(end + 1) - mp.loggamma(start + 1)) / (end - start)

        # FPR before this row moves the start of this row alone (the row before holds nobody positive)
        by_start = -slope(lambda x: mean_log(x, mp.mpf(b)), a)
        expected = 4 * 0.25 * by_start * N * (1 - float(c.pi))
        assert gradient.Q[row - 1] == pytest.approx(expected, rel=1e-9)


def test_gradient_of_dcg() -> None:
    gradient = hc.metrics.DCG().gradient(LONG)
    assert gradient is not None
    c = LONG.counts
    x = N // 2
    by_start = -0.5 * np.log(2) / (x * np.log(x) ** 2)
    assert gradient.Q[4] == pytest.approx(by_start * N * (1 - float(c.pi)), rel=1e-6)


def test_saturated_bedroc_reaches_1() -> None:
    t = hc.HitTable.from_counts([90, 0], [0, 10])
    for alpha in (1e3, 1e9, 1e15):
        assert hc.metrics.BEDROC(alpha).best(t) == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize(
    "name", ["ap", "scaled_ap", "auc", "bedroc(alpha=20)", "roc(2)", "proc", "ef@20%", "slr", "ndcg"]
)
def test_context_of_replicates(name: str) -> None:
    """Random, best and worst value follow each replicate's own numbers of positives and negatives."""
    pos, neg = np.array([[3, 1, 2], [1, 0, 1], [4, 4, 9]]), np.array([[2, 5, 1], [9, 3, 2], [1, 1, 7]])
    m = hc.metric(name)
    for context in (m.random, m.best, m.worst):
        together = context(Counts(pos, neg))
        alone = [context(Counts(p, q)) for p, q in zip(pos, neg, strict=True)]
        np.testing.assert_allclose(together, alone, rtol=1e-13)


def list_of(n: int, digits: int, *, every: bool = False) -> hc.HitTable:
    rng = np.random.default_rng(n + digits)
    y = rng.random(n) < 0.4
    table = hc.HitTable.from_scores(y, np.round(rng.normal(size=n) + y, digits))
    # rows of positives alone, so that none is without
    return hc.HitTable.from_counts(table.pos[table.pos > 0], table.neg[table.pos > 0]) if every else table


DESIGNS = ("cohort", "case-control")


@pytest.mark.parametrize("form", FORMS)
def test_variance_from_moments_in_pieces(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hitcurve.metrics.mean_gradient._PIECE", 7)
    for design in DESIGNS:
        _check_in_pieces(form, design)


def _check_in_pieces(form: str, design: str) -> None:
    m = hc.metric(form)
    for table in (list_of(90, 3), list_of(140, 0), list_of(200, 1, every=True), list_of(150, 3).at_prevalence(0.1)):
        if table.assumed_prevalence is not None and m.needs_subjects:
            continue
        for lists in (table.lists, table.lists.folded(negatives_join=m.negatives_join).with_half_subject):
            c = lists.counts
            if refused(m.undefined(c), ()):
                continue
            step = step_of(m, c)
            found = variance_of_long(m, c, design, step, least=1)
            if found is None:
                assert form not in ("ap", "auc", "bedroc", "rauc", "ndcg", "dcg", "recall@10%") or c.prevalence
                continue
            expected = influence(m, c, design, step=step).variance(lists.sums)
            np.testing.assert_allclose(found, expected, 1e-10, 1e-15)


@pytest.mark.parametrize("form", FORMS)
def test_all_tables_of_the_same_data_have_one_error(form: str) -> None:
    m = hc.metric(form)
    near = 1e-12 if has_gradient(m) else 1e-8  # differences are taken by what rows hold
    for n, digits in ((173, 6), (173, 1), (301, 6)):
        rng = np.random.default_rng(n + digits)
        y = rng.random(n) < 0.15
        full = hc.HitTable.from_scores(y, np.round(rng.normal(size=n) + 1.2 * y, digits))
        by_hand = hc.HitTable.from_counts(full.pos, full.neg)
        for design in DESIGNS:
            # a cut divides one of the negatives, who is of a row of one or of a gap of many
            expected = float(Spread(m, full.collapse(), design).standard_error)
            for table in (full, by_hand):
                found = float(Spread(m, table, design).standard_error)
                assert found == pytest.approx(expected, rel=near, abs=1e-13 * m.best(full)), (table.kind, digits)


@pytest.mark.parametrize("form", FORMS)
def test_variances_of_replicates_are_those_of_each(form: str) -> None:
    for design in DESIGNS:
        _check_replicates(form, design)


def _check_replicates(form: str, design: str) -> None:
    m, rng = hc.metric(form), np.random.default_rng(8)
    pos = rng.poisson(np.tile([0.0, 1.5, 0.3, 2.5], 8), (5, 32))
    neg = rng.poisson(np.tile([4.0, 0.0, 1.0, 6.0], 8), (5, 32))
    neg[0], pos[0, 10:] = rng.poisson(3.0, 32) * (pos[0] == 0), 0
    together = variances_of_replicates(m, Counts(pos, neg), design)
    for p, q, found in zip(pos, neg, together, strict=True):
        try:
            expected = influence(m, Counts(p, q), design).variance(Sums(p, q))
        except InputError:
            assert np.isnan(found)
            continue
        np.testing.assert_allclose(found, expected, 1e-10, 1e-15)


def test_negatives_of_one_gap_are_one_value_of_their_variance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Moments of a long list are made of the rows that hold a positive, whatever is between them."""
    rng = np.random.default_rng(5)
    pos = (rng.random(1 << 18) < 0.2).astype(int)
    c = Counts(pos, 1 - pos)
    seen = []

    def counted(self: Scatter, share: Any, values: Any) -> None:
        seen.append(share.size)
        add(self, share, values)

    add = Scatter.add
    monkeypatch.setattr(Scatter, "add", counted)
    for form in ("auc", "ap", "ndcg", "bedroc(alpha=20)"):
        seen.clear()
        assert hc.metric(form).gradient_moments(c) is not None
        assert sum(seen) == 2 * pos.sum()


@pytest.mark.parametrize("values", [[0.0, 0.0], [1e9, 1e9 + 1], [3.0, -7.0, 3.5]])
def test_scatter_of_pieces_is_that_of_all(values: list[float]) -> None:
    rng = np.random.default_rng(6)
    parts = [value + rng.random(50) for value in values]
    shares = [rng.random(50) for _ in values]
    found = Scatter()
    for share, part in zip(shares, parts, strict=True):
        found.add(share, part)
    found.add_zeros(0.0)
    share, value = np.concatenate(shares), np.concatenate(parts)
    mean = np.average(value, weights=share)
    assert found.mean == pytest.approx(mean, rel=1e-14)
    assert found.squares == pytest.approx(np.sum(share * (value - mean) ** 2), rel=1e-7)


@pytest.mark.parametrize("axis", ["fpr", "rate", "rank"])
def test_values_and_intervals_of_a_long_list_share_where_its_rows_are(axis: str) -> None:
    rng = np.random.default_rng(7)
    pos, neg = rng.poisson(0.4, (2, 1 << 15))
    table = hc.HitTable.from_counts(pos, neg)
    shared, own = table.counts.span(axis), table.lists.counts.span(axis)
    assert shared[0] is own[0]
    assert shared[1] is own[1]
    short = Counts(table.lists.counts.pos, table.lists.counts.neg)
    assert all(np.array_equal(a, b) for a, b in zip(short.span(axis), own, strict=True))
    every = Counts(pos + 1, neg)
    start, end = every.span(axis)
    assert np.array_equal(end, getattr(every, axis))
    assert np.array_equal(start, before(getattr(every, axis)))


@pytest.mark.parametrize("form", ["ef@1%", "hits@900", "roc_enrichment@2%"])
def test_the_cut_of_a_long_list_is_at_the_score_of_a_positive(form: str) -> None:
    rng = np.random.default_rng(8)
    y = (rng.random(60_000) < 0.5).astype(int)
    scores = rng.normal(size=y.size) + y
    e = hc.evaluate(y, scores, metrics=form)["score", form]
    assert e.table.pos.size > e.table.lists.sums.pos.size  # rows that hold nobody are left out
    order = np.argsort(-scores)
    above = (
        np.cumsum(1 - y[order]) <= 0.02 * np.sum(1 - y)
        if "roc" in form
        else np.arange(y.size) < (900 if "900" in form else 600)
    )
    assert e.cut is not None
    assert e.cut.score == scores[order][above & (y[order] == 1)].min()


def long_list(n: int, n1: int, apart: float, digits: int = 9) -> hc.HitTable:
    rng = np.random.default_rng(n1)
    y = rng.permutation(np.arange(n) < n1)
    return hc.HitTable.from_scores(y, np.round(rng.normal(size=n) + apart * y, digits))


SMOOTH = ["ap", "auc", "croc(exp, alpha=7)", "croc(log, alpha=7)", "bedroc(alpha=20)", "rauc", "ndcg", "dcg", "slr"]


@pytest.mark.slow
@pytest.mark.parametrize("form", SMOOTH)
def test_half_a_subject_more_is_a_change_of_condensed_rows(form: str) -> None:
    """Value, variance and bounds are those of the long table, to a millionth of a standard error."""
    m = hc.metric(form)
    lists = [(long_list(210_000, 105_000, 1.0), "cohort"), (long_list(400_000, 90_000, 2.0), "cohort")]
    if m.axis != "rank":
        lists.append((long_list(210_000, 105_000, 1.0).at_prevalence(0.1), "cohort"))
    if form != "dcg":  # half a positive more changes it by too much, of a number of positives that is fixed
        lists.append((long_list(300_000, 150_000, 0.3, 4), "case-control"))
    for table, design in lists:
        spread = Spread(m, table, design)
        expected, found = half_subject._of_table(spread), half_subject._by_change(spread)
        if table.lists.sums.pos.size < LONG_FROM:  # equal scores
            assert found is None
            continue
        assert found is not None
        error = np.sqrt(expected.variance)
        assert found.value == pytest.approx(expected.value, abs=1e-6 * float(error))
        np.testing.assert_allclose(found.variance, expected.variance, 1e-6)
        assert (found.bounds is None) == (expected.bounds is None)
        if found.bounds is not None and expected.bounds is not None:
            np.testing.assert_allclose(found.bounds, expected.bounds, 1e-10)


def test_the_first_negative_stands_below_many_positives() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(250_000) < 0.8
    spread = Spread(
        hc.metric("croc(power, alpha=3)"), hc.HitTable.from_scores(y, rng.normal(size=y.size) + y), "cohort"
    )
    found = half_subject._by_change(spread)
    assert found is not None
    np.testing.assert_allclose(found.variance, half_subject._of_table(spread).variance, 1e-6)


@pytest.mark.parametrize("form", ["auc", "ap", "croc(exp, alpha=7)"])
@pytest.mark.parametrize("apart", [6.0, 40.0])
def test_lists_near_a_perfect_order_have_all_of_half_a_subject(form: str, apart: float) -> None:
    table = long_list(210_000, 105_000, apart)
    spread = Spread(hc.metric(form), table, "cohort")
    assert half_subject._by_change(spread) is None
    low, high = hc.evaluate(tables={"s": table}, metrics=form)["s", form].interval or (1.0, 1.0)
    assert low < high


@pytest.mark.parametrize(
    "form",
    ["logauc", "pauc(fpr, 0, 0.1)", "area(custom(f))", "ndcg@100000", "ef@1%", "scaled_ap", "croc(power, alpha=7)"],
)
def test_what_may_have_corners_is_worked_out_on_all_rows(form: str) -> None:
    m = hc.metrics.Area(hc.magnify.Custom(np.sqrt)) if "custom" in form else hc.metric(form)
    spread = Spread(m, long_list(210_000, 105_000, 1.0), "cohort")
    assert half_subject._by_change(spread) is None


@pytest.mark.parametrize("joined", [True, False])
@pytest.mark.parametrize("exact", [0.0, 5_000.0])
def test_condensed_rows_are_the_same_however_a_table_was_collapsed(joined: bool, exact: float) -> None:
    table = long_list(210_000, 105_000, 1.0)
    found = condensed(table.lists, 1024, exact, joined=joined)
    sums, rows = found.sums, found.sums.pos.size
    assert sums.pos.sum() == table.n_pos
    assert sums.neg.sum() == table.n_neg
    assert 700 < rows < 2200 + exact
    top = table.lists.folded(negatives_join=joined).sums
    for side, all_rows in ((sums.pos, top.pos), (sums.neg, top.neg)):
        count = 20 + int(exact / 2)
        np.testing.assert_array_equal(side[:count], all_rows[:count])
    again = condensed(table.collapse().lists, 1024, exact, joined=joined)
    assert all(np.array_equal(a, b) for a, b in zip(again.sums[:2], sums[:2], strict=True))


@pytest.mark.parametrize("rare", ["positives", "negatives"])
def test_the_ends_of_a_rare_class_are_rows_of_their_own(rare: str) -> None:
    """Between the positives above the first negative and those below it, a steep axis differs most."""
    sizes = (2_000, 208_000) if rare == "positives" else (208_000, 2_000)
    table = long_list(sum(sizes), sizes[0], 1.5)
    found = condensed(table.lists, 1024, joined=False).counts
    path = set(zip(found.H.tolist(), found.B.tolist(), strict=True))
    c = table.lists.folded(negatives_join=False).counts
    own = c.H if rare == "positives" else c.B
    rows = np.searchsorted(own, [*range(1, 33), *(own[-1] - np.arange(32.0))])
    ends = np.unique(np.concatenate([rows, rows[rows > 0] - 1]))
    assert set(zip(c.H[ends].tolist(), c.B[ends].tolist(), strict=True)) <= path


def test_columns_of_long_lists_are_kept_as_long_as_they_are_few() -> None:
    c = Counts(np.ones(1 << 15, int), np.ones(1 << 15, int))
    first = c.once("worth", "a", lambda: np.ones(1))
    c.once("worth", "b", lambda: np.ones(1))
    assert c.once("worth", "a", lambda: np.ones(1)) is first
    longer = Counts(np.ones(1 << 24, np.int8), np.ones(1 << 24, np.int8))
    longer.once("spans", "spans", lambda: np.ones(1))
    first = longer.once("worth", "a", lambda: np.ones(1))
    longer.once("worth", "b", lambda: np.ones(1))
    assert longer.once("worth", "a", lambda: np.ones(1)) is not first


@pytest.mark.parametrize("form", ["recall@0.0013", "recall@10%", "roc_enrichment@2%", "fpr@recall=0.3", "hits@7"])
def test_sums_above_a_cut_are_those_of_all_rows(form: str) -> None:
    for digits in (2, 9):
        c = long_list(3_000, 700, 1.0, digits).lists.counts
        step = step_of(hc.metric(form), c)
        assert step is not None
        share = step.share_above
        inside = np.flatnonzero((share > 0) & (share < 1))
        assert np.array_equal(np.arange(c.pos.size)[step.divided], inside)
        assert step.divides_equal(Sums(c.pos, c.neg)) == np.any((c.pos[inside] > 0) & (c.neg[inside] > 0))
        if step.axis != "recall":
            assert step.tpr == pytest.approx(np.sum(c.pos * share) / c.n1, rel=1e-14)
        if step.axis != "fpr":
            assert step.fpr == pytest.approx(np.sum(c.neg * share) / c.n0, rel=1e-14)


def test_discounts_that_are_looked_up_are_those_that_are_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(9)
    c = Counts(np.ones(2, int), np.ones(2, int))
    ranks = np.sort(np.where(rng.random(20_000) < 0.5, rng.integers(0, 100_001, 20_000), rng.random(20_000) * 1e5))
    for form in ("ndcg", "dcg@500"):
        m: Any = hc.metric(form)
        found = m._weight_slope(ranks, c)
        with monkeypatch.context() as patch:
            patch.setattr("hitcurve.metrics.rank._LOOKED_UP", ranks.size)
            np.testing.assert_array_equal(found, m._weight_slope(ranks, c))


def test_few_empty_rows_stay_in_a_very_long_list_and_say_nothing() -> None:
    rng = np.random.default_rng(9)
    y = (rng.random(400_000) < 0.5).astype(int)
    table = hc.HitTable.from_scores(y, rng.normal(size=y.size) + y).collapse()
    empty = np.count_nonzero(table.pos + table.neg == 0)
    assert empty > 10_000
    assert table.lists.counts is table.counts
    held = table.with_rows(*(side[table.pos + table.neg > 0] for side in (table.pos, table.neg)))
    for form in ("ap", "auc", "bedroc(alpha=20)", "ndcg", "rauc"):
        all_rows, fewer = (Spread(hc.metric(form), one, "cohort") for one in (table, held))
        assert half_subject._by_change(all_rows) is not None
        for of in ("value", "variance", "with_half_subject.variance"):
            found, expected = (float(operator.attrgetter(of)(spread)) for spread in (all_rows, fewer))
            assert found == pytest.approx(expected, rel=1e-12)
