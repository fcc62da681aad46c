"""Values at the ends of their range, differences and errors of nothing but rounding."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hitcurve as hc
from hitcurve.errors import InputError, InsufficientDataError
from hitcurve.inference.rounding import deviation, differences
from hitcurve.metrics.special import harmonic_difference
from tests.metrics_under_test import FORMS
from tests.odd import ODD_SCORES
from tests.strategies import Ranking, each_fourth, law, rankings

pytestmark = ODD_SCORES

sizes = st.tuples(st.integers(1, 150), st.integers(1, 150))


def tables(y: object, s: object) -> list[hc.HitTable]:
    table = hc.HitTable.from_scores(y, s)
    return [table, table.collapse(), table.at_prevalence(0.1)]


@pytest.mark.slow
@each_fourth
@law(13)
@given(ranking=rankings(levels=12), far=st.sampled_from([0, 6, 12]))
def test_no_value_is_beyond_the_best_or_the_worst(ranking: Ranking, far: int, start: int) -> None:
    for table in tables(ranking.y, ranking.s + far * ranking.y):
        for form in FORMS[start::4]:
            m = hc.metric(form)
            try:
                value, ends = m.value(table), [m.worst(table), m.best(table)]
            except InputError:
                continue
            assert min(ends) <= value <= max(ends), (form, value, ends)


@pytest.mark.slow
@law(25)
@given(sizes=sizes)
def test_perfect_and_reversed_lists_have_exactly_the_best_and_the_worst_value(sizes: tuple[int, int]) -> None:
    n1, n0 = sizes
    for y, end in (([1] * n1 + [0] * n0, "best"), ([0] * n0 + [1] * n1, "worst")):
        for table in tables(y, range(n1 + n0, 0, -1)):
            for form in FORMS:
                m = hc.metric(form)
                try:
                    value, expected = m.value(table), getattr(m, end)(table)
                except InputError:
                    continue
                if end == "best" or not m.negatives_join or table.kind == "full":  # a tie group has a value of its own
                    assert value == expected, (form, end)


@pytest.mark.parametrize(
    "name", ["auc", "ap", "rauc", "ndcg", "bedroc", "croc(exp, alpha=7)", "half_auc(specific)", "scaled_ap"]
)
def test_published_cases_of_values_outside_their_range(name: str) -> None:
    m = hc.metric(name)
    for n1, n0 in ((20, 1), (1, 50), (23, 20), (49, 93)):
        assert m([1] * n1 + [0] * n0, range(n1 + n0, 0, -1)) == (0.5 if name.startswith("half") else 1.0)
    assert hc.metric("bedroc")([0] * 50 + [1], range(51, 0, -1)) == 0.0


def test_stacks_have_the_same_ends() -> None:
    lists = [([1] * 23 + [0] * 20, range(43, 0, -1)), ([0] * 20 + [1] * 23, range(43, 0, -1)), ([1, 0] * 20, [1] * 40)]
    own = {str(i): hc.HitTable.from_scores(y, s) for i, (y, s) in enumerate(lists)}
    stack = hc.TableStack.from_tables(own)
    for form in FORMS:
        m = hc.metric(form)
        for value, table in zip(m.value(stack), own.values(), strict=True):
            try:
                expected = m.value(table)
            except InputError:
                continue
            assert value == expected or abs(value / expected - 1) < 1e-13, form


def test_small_values_keep_their_digits() -> None:
    # a positive far down the list is worth next to nothing, which is not nothing
    value = hc.metric("bedroc(alpha=100)")([0] * 60 + [1] + [0] * 40, range(101, 0, -1))
    assert 0 < value < 1e-20
    assert np.isclose(np.log(value), -100 * 60.5 / 101, atol=1)


@pytest.mark.parametrize("form", FORMS)
def test_a_stack_that_holds_a_list_of_one_class(form: str) -> None:
    m = hc.metric(form)
    stack = hc.TableStack.from_scores([1, 0, 0, 1, 0, 0, 0], [5, 4, 3, 2, 1, 3, 0], [2, 2, 2, 2, 2, 1, 1])
    (part,) = [m.value(stack)]
    assert np.isnan(part[0]), form
    assert part[1] == pytest.approx(m.value(stack["2"]), rel=1e-13, abs=1e-15), form


@law(25)
@given(sizes=sizes)
def test_the_best_value_is_1_or_is_not(sizes: tuple[int, int]) -> None:
    table = hc.HitTable.from_counts([sizes[0], 0], [0, sizes[1]])
    for form in FORMS:
        m = hc.metric(form)
        if form == "expected_negative_recall(beta(6.23, 32.8))":  # below 1 by what rates above 1 - prevalence have
            continue
        try:
            best = m.best(table)
        except InputError:
            continue
        assert best == 1 or abs(best - 1) > 1e-12, form


@pytest.mark.parametrize(
    ("form", "ranks", "n", "prevalence", "expected"),  # of mpmath with 40 digits
    [
        ("bedroc(alpha=20)", [1, 5, 30], 1000, 1 - 1e-7, 0.99999613167249259),
        ("bedroc(alpha=20)", [1, 5, 30], 1000, 1 - 1e-12, 0.99999613167895296),
        ("bedroc(alpha=20)", [1, 5, 30], 1000, 1e-12, 0.84113221621823711),
        ("bedroc(alpha=1e-08)", [1, 5, 8], 10, None, 0.61904761876190476),
        ("bedroc(alpha=1e-08)", [1, 2, 3], 10, 1 - 1e-12, 1.0),
        ("bedroc(alpha=3)", [1, 5, 8], 10, 0.7, 0.73332486715037508),
    ],
)
def test_normalised_areas_keep_their_digits(
    form: str, ranks: list[int], n: int, prevalence: float | None, expected: float
) -> None:
    table = hc.HitTable.from_ranks(ranks, n)
    table = table if prevalence is None else table.at_prevalence(prevalence)
    m = hc.metric(form)
    assert m.value(table) == pytest.approx(expected, rel=4e-16)
    assert (m.worst(table), m.best(table)) == (0, 1)


@pytest.mark.parametrize("density", ["1e-05, 1000", "0.0001, 100", "0.0001, 1", "0.001, 1000", "1000, 0.001"])
def test_steep_densities_keep_their_digits(density: str) -> None:
    m = hc.metric(f"rauc(beta({density}))")
    for y in ([0, 1, 1], [0, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1, 1]):
        strict = hc.HitTable.from_scores(y, range(len(y), 0, -1))
        tied = hc.HitTable.from_scores(y, [3, 3, 1, 1, 1][: len(y)])
        for table in (strict, tied):
            ends = [m.value(side) for side in (table.worst_ties(), table.best_ties())]
            assert 0 <= ends[0] <= m.value(table) <= ends[1] <= 1
        if y in ([0, 1, 1], [0, 0, 1]):
            assert m.value(strict) == 0


def test_reversed_average_precision_is_exact() -> None:
    ap, scaled = hc.metric("ap"), hc.metric("scaled_ap")
    for n1 in range(1, 48, 2):
        for n0 in range(1, 50, 2):
            table = hc.HitTable.from_counts([0, n1], [n0, 0])
            exact = float(sum(Fraction(i, n0 + i) for i in range(1, n1 + 1)) / n1)
            assert ap.worst(table) == pytest.approx(exact, rel=4.5e-16)
            assert ap.worst(table) <= ap.random(table)
            assert scaled.worst(table) <= scaled.random(table)
    assert ap.value(hc.HitTable.from_scores([0, 0, 1], [3, 2, 1])) == 1 / 3
    assert ap.value(hc.HitTable.from_scores([0, 0, 0, 0, 1], [5, 4, 3, 2, 1])) == 0.2


def test_digamma_differences_do_not_cancel() -> None:
    from mpmath import digamma, mp

    with mp.workdps(30):
        for x, width in [(0, 1), (31, 1), (0, 1000), (31.5, 0.5), (0, 0.3), (40, 3), (10, 1e6)]:
            exact = float(digamma(x + width + 1) - digamma(x + 1))
            assert harmonic_difference(np.asarray(x), np.asarray(width)) == pytest.approx(exact, rel=5e-16)


@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
@law(6)
@given(ranking=rankings(least=12, levels=12), far=st.sampled_from([0, 6, 12]))
def test_an_interval_holds_its_value(ranking: Ranking, far: int) -> None:
    for e in hc.evaluate(
        ranking.y, ranking.s + far * ranking.y, metrics=[*FORMS, "bedroc(alpha=700)"], undefined="nan"
    ):
        if e.interval is not None:
            assert e.interval.low <= e.value <= e.interval.high, str(e.metric)


# ---- differences and errors


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
@pytest.mark.parametrize("form", FORMS)
def test_two_perfect_rankers_do_not_differ(form: str) -> None:
    rng = np.random.default_rng(3)
    y = np.arange(60) < 23
    m = hc.metric(form)
    for _ in range(3):
        scores = {"a": 5 * y + rng.random(60), "b": 5 * y + rng.random(60)}
        ev = hc.evaluate(y, scores, metrics=[m], undefined="nan")
        found = ev.compare("a", "b", m, n_resamples=200)
        assert found.difference.value == 0
        assert found.pvalue > 0.99


@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
@pytest.mark.parametrize("form", ["auc", "ap", "bedroc", "rauc", "ndcg", "croc(exp, alpha=7)", "pr_area", "scaled_ap"])
def test_nothing_varies_in_a_perfect_order(form: str) -> None:
    ev = hc.evaluate([1] * 23 + [0] * 200, range(223, 0, -1), metrics=form)
    assert [e.standard_error for e in ev] == [0]


@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
@pytest.mark.parametrize("metric", ["auc", "half_auc(sensitive)", "croc(exp, alpha=7)"])
def test_a_difference_without_an_error_is_not_certain(metric: str) -> None:
    y = [1] * 23 + [0] * 20
    ev = hc.evaluate(y, {"perfect": range(43, 0, -1), "constant": [1] * 43}, metrics=metric)
    with pytest.raises(InsufficientDataError, match="standard error of 0"):
        ev.compare("perfect", "constant", metric, method="delta")
    found = ev.compare("perfect", "constant", metric)
    assert (found.method, found.difference.standard_error) == ("swap-permutation", 0)
    assert 0 < found.pvalue <= 0.01


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
@pytest.mark.parametrize("form", FORMS)
def test_replicates_that_differ_by_rounding_do_not_vary(form: str) -> None:
    y = [1] * 5 + [0] * 15
    scores = {"perfect": range(20, 0, -1), "two": y, "constant": [0] * 20}
    ev = hc.evaluate(y, scores, metrics=form, undefined="nan")
    errors = []
    for second in ("two", "constant"):
        try:
            found = ev.compare("perfect", second, form, method="bootstrap", n_resamples=50, rng=1)
        except InputError as error:
            errors.append(str(error))
            continue
        spread = found.difference.standard_error
        assert spread > 1e-12 or (spread, found.difference.value, found.pvalue) == (0, 0, 1)
    assert all("standard error of 0" in sentence or "undefined" in sentence for sentence in errors)


def test_groups_that_all_differ_by_the_same() -> None:
    ev = hc.evaluate(
        [1, 1, 0, 0] * 6,
        {"a": [4, 3, 2, 1] * 6, "b": [4, 1, 2, 0] * 6},
        metrics="auc",
        by=np.repeat(np.arange(6), 4),
    )
    with pytest.raises(InsufficientDataError, match="standard error of 0"):
        ev.compare("a", "b", "auc", method="paired-t")
    found = ev.compare("a", "b", "auc")
    assert (found.method, found.pvalue) == ("sign-flip", 2 / 2**6)


@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
def test_groups_that_differ_by_rounding_do_not_vary() -> None:
    # precision of 1/2 at three depths of lists without an end: each rounds in its own way
    qrels = {"q1": {"d1": 1, "d2": 0, "d3": 1}, "q2": {"d1": 0, "d2": 1}, "q3": {"a": 1, "b": 0}}
    run = {"q1": {"d1": 3.0, "d4": 2.0, "d2": 1.0}, "q2": {"d1": 3.0, "d2": 2.5}, "q3": {"a": 1.0, "b": 2.0}}
    ev = hc.evaluate_trec({"x": run, "y": run}, qrels, metrics="ap(ties=expected)")
    values = [ev[topic, "x", "ap(ties=expected)"].value for topic in ev.groups]
    assert len(set(values)) > 1
    mean = ev.mean("x", "ap(ties=expected)")
    assert (mean.standard_deviation, mean.standard_error) == (0, 0)
    assert mean.interval is None


def test_differences_below_rounding_are_0_one_by_one() -> None:
    a, b = np.array([0.3, 0.1 + 0.2, 0.5]), np.array([0.1 + 0.2, 0.3, 0.4])
    assert differences(a, b).tolist() == [0, 0, 0.5 - 0.4]
    assert deviation(np.array([0.3, 0.1 + 0.2])) == 0
    assert deviation(np.array([0.3, 0.4])) == np.std([0.3, 0.4], ddof=1)
    assert deviation(np.array([1e-17, 3e-17]), 1.0) == 0


def _mean_of_beta(a: int, b: int, start: Fraction, end: Fraction) -> Fraction:
    """Return the mean of the distribution function of beta(a, b) over an interval, a polynomial, exactly."""
    n = a + b - 1
    powers: dict[int, int] = {}
    for j in range(a, n + 1):
        for i in range(n - j + 1):
            powers[j + i] = powers.get(j + i, 0) + (-1) ** i * math.comb(n, j) * math.comb(n - j, i)
    ends = (sum(Fraction(f) * x ** (k + 1) / (k + 1) for k, f in powers.items()) for x in (end, start))
    return Fraction(next(ends) - next(ends)) / (end - start)


@pytest.mark.parametrize(
    ("pos", "neg", "a", "b"),
    [
        ([5, 0, 3, 1], [0, 4, 1, 20], 2, 3),
        ([10**6, 0, 3, 1], [0, 1, 1, 2], 2, 3),
        ([10**6, 0], [1, 2], 30, 1),
        ([0, 10**4], [3, 0], 30, 1),
        ([0, 10**6], [3, 0], 8, 1),
        ([1000, 0, 1], [1, 1000, 1], 1, 12),
        ([99990, 5, 5], [1, 0, 2], 3, 3),
    ],
)
def test_spared_negatives_keep_their_digits(pos: list[int], neg: list[int], a: int, b: int) -> None:
    n, n0, above, exact = sum(pos) + sum(neg), sum(neg), 0, Fraction(0)
    for z, y in zip(pos, neg, strict=True):
        start, end = Fraction(above, n), Fraction(above + z + y, n)
        above += z + y
        exact += Fraction(y, n0) * _mean_of_beta(a, b, start, end)
    found = hc.metric(f"expected_negative_recall(beta({a}, {b}))").value(hc.HitTable.from_counts(pos, neg))
    assert found == pytest.approx(float(exact), rel=1e-13)


@pytest.mark.parametrize("form", ["ap", "ap(ties=expected)", "interpolated_ap"])
def test_a_small_value_is_no_end(form: str) -> None:
    # of two tied positives in four billion the strict reversed order has 3.75e-10, and that of weights its half
    whole = hc.HitTable.from_counts([0, 2], [4 * 10**9, 0])
    weights = hc.HitTable.from_scores([1, 0], [0, 1], sample_weight=[1e-3, 1e6])
    if form == "ap":
        assert hc.metric(form).value(whole) == pytest.approx(2 / (4e9 + 2), rel=1e-13)
    if form != "ap(ties=expected)":
        assert hc.metric(form).value(weights) == pytest.approx(1e-3 / (1e6 + 1e-3), rel=1e-13)
