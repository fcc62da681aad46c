"""Comparisons do not depend on which ranker comes first, nor on the order of the subjects."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hitcurve as hc
from hitcurve import Comparison
from hitcurve.errors import HitcurveWarning, InputError
from hitcurve.groups.across import METHODS as OVER_GROUPS
from hitcurve.inference.comparing.compare import METHODS
from hitcurve.inference.pvalues import ALTERNATIVES, MIRRORED
from tests.strategies import law

Column = npt.NDArray[Any]
FORMS = ("auc", "ap", "bedroc(alpha=20)", "recall@20%", "ndcg", "precision@3")
RANKS = ("wilcoxon", "paired-wilcoxon", "unpaired-wilcoxon")  # their statistics are sums of ranks of one side


class Data(NamedTuple):
    """Labels, tied scores of two rankers, weights and clusters."""

    y: Column
    a: Column
    b: Column
    weight: Column
    cluster: Column

    def at(self, order: Column) -> Data:
        return Data(*(column[order] for column in self))


@st.composite
def samples(draw: Callable[[st.SearchStrategy[Any]], Any], *, least: int = 5, most: int = 30) -> Data:
    n1, n0 = draw(st.integers(least, most)), draw(st.integers(least, most))
    levels = draw(st.sampled_from([3, 8, 1000]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = n1 + n0
    y = np.arange(n) < n1
    a, b = (rng.integers(0, levels, n) + y * rng.integers(0, levels) for _ in range(2))
    weight = 0.1 + rng.random(n)
    return Data(y, a, b, weight, rng.integers(0, max(n // 3, 2), n))


def outcome(make: Callable[[], Comparison]) -> Comparison | str:
    """Return a comparison, or the refusal without the names of rankers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HitcurveWarning)
        try:
            return make()
        except InputError as error:
            return type(error).__name__


def numbers(found: Comparison) -> list[float]:
    return [
        found.pvalue,
        found.difference.value,
        found.difference.standard_error,
        found.difference.degrees_of_freedom,
        found.degrees_of_freedom or 0.0,
    ]


def check_mirrored(one: Comparison | str, other: Comparison | str, *, exactly: bool = True) -> None:
    if isinstance(one, str) or isinstance(other, str):
        assert one == other
        return
    # quantiles and inverted intervals of the two rankers add in another order
    close = 0.0 if exactly and one.method != "inversion" else 1e-9
    assert one.values == pytest.approx(other.values[::-1], rel=close, abs=0)
    p, value, *others = numbers(other)
    assert numbers(one) == pytest.approx([p, -value, *others], rel=close, abs=close * 1e-3, nan_ok=True)
    low, high = one.difference.confidence_interval()
    assert (-high, -low) == pytest.approx(tuple(other.difference.confidence_interval()), rel=close, abs=close)
    assert (one.method, one.seed, one.n_resamples) == (other.method, other.seed, other.n_resamples)
    assert (one.wins, one.ties, one.losses) == (other.losses, other.ties, other.wins)
    assert sorted(one.cautions) == sorted(other.cautions)
    if one.method not in RANKS:
        assert one.statistic == pytest.approx(-other.statistic, rel=close, abs=close, nan_ok=True)


@pytest.mark.parametrize("method", METHODS)
@law(25)
@given(data=samples(), form=st.sampled_from(FORMS), side=st.sampled_from(ALTERNATIVES), clustered=st.booleans())
def test_swapped_rankers_mirror_every_number(method: str, data: Data, form: str, side: str, *, clustered: bool) -> None:
    clusters = data.cluster if clustered else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HitcurveWarning)
        ev = hc.evaluate(data.y, {"a": data.a, "b": data.b}, metrics=[form], clusters=clusters)
    one = outcome(lambda: ev.compare("a", "b", form, method=method, alternative=side, n_resamples=150))
    other = outcome(lambda: ev.compare("b", "a", form, method=method, alternative=MIRRORED[side], n_resamples=150))
    check_mirrored(one, other)
    alone = outcome(
        lambda: hc.compare(
            data.y, data.a, data.b, metric=form, method=method, alternative=side, n_resamples=150, clusters=clusters
        )
    )
    turned = outcome(
        lambda: hc.compare(
            data.y,
            data.b,
            data.a,
            metric=form,
            method=method,
            alternative=MIRRORED[side],
            n_resamples=150,
            clusters=clusters,
        )
    )
    check_mirrored(alone, turned, exactly=False)


@pytest.mark.parametrize("method", OVER_GROUPS)
@law(25)
@given(
    seed=st.integers(0, 10**6),
    groups=st.sampled_from([2, 5, 20]),
    null=st.sampled_from([0.0, 0.1]),
    side=st.sampled_from(ALTERNATIVES),
)
def test_swapped_rankers_mirror_tests_over_groups(method: str, seed: int, groups: int, null: float, side: str) -> None:
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(groups), 12)
    y = np.tile(np.arange(12) % 3 == 0, groups)
    scores = {name: rng.normal(size=y.size).round(1) + y for name in "ab"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HitcurveWarning)
        ev = hc.evaluate(y, scores, by=group, metrics=["ap"])
    asked: dict[str, Any] = {"method": method, "n_resamples": 150}
    one = outcome(lambda: ev.compare("a", "b", "ap", null=null, alternative=side, **asked))
    other = outcome(lambda: ev.compare("b", "a", "ap", null=-null, alternative=MIRRORED[side], **asked))
    check_mirrored(one, other, exactly=False)
    if not isinstance(one, str) and one.n_resamples is not None:
        assert not isinstance(other, str)
        assert one.pvalue == other.pvalue


@pytest.mark.parametrize("side", ALTERNATIVES)
def test_swapped_counts_and_summaries_mirror(side: str) -> None:
    tables = {
        "a": hc.HitTable.from_counts(pos=[5, 8, 9], neg=[1, 10, 40]),
        "b": hc.HitTable.from_counts(pos=[9, 3, 7], neg=[4, 8, 30]),
    }
    ev = hc.evaluate(tables=tables, metrics=["auc", "ap"], paired=False)
    for form in ("auc", "ap"):
        one, other = (
            ev.compare("a", "b", form, alternative=side),
            ev.compare("b", "a", form, alternative=MIRRORED[side]),
        )
        check_mirrored(one, other)
    given_numbers = ((0.8, 0.1, 10), (0.7, 0.2, 12))
    one = hc.compare_from_stats(*given_numbers[0], *given_numbers[1], alternative=side)
    other = hc.compare_from_stats(*given_numbers[1], *given_numbers[0], alternative=MIRRORED[side])
    check_mirrored(one, other)


@pytest.mark.parametrize("method", METHODS)
@law(25)
@given(
    data=samples(),
    form=st.sampled_from(FORMS),
    side=st.sampled_from(ALTERNATIVES),
    clustered=st.booleans(),
    weighted=st.booleans(),
    seed=st.integers(0, 99),
)
def test_the_order_of_the_subjects_changes_nothing(
    method: str, data: Data, form: str, side: str, *, clustered: bool, weighted: bool, seed: int
) -> None:
    def compared(of: Data) -> Comparison:
        return hc.compare(
            of.y,
            of.a,
            of.b,
            metric=form,
            method=method,
            alternative=side,
            n_resamples=150,
            clusters=of.cluster if clustered else None,
            sample_weight=of.weight if weighted else None,
        )

    moved = data.at(np.random.default_rng(seed).permutation(data.y.size))
    one, other = outcome(lambda: compared(data)), outcome(lambda: compared(moved))
    if isinstance(one, str) or isinstance(other, str):
        assert one == other
        return
    assert one.values == other.values
    assert repr(numbers(one)) == repr(numbers(other))
    assert one.seed == other.seed


@law(50)
@given(data=samples(), seed=st.integers(0, 99), design=st.sampled_from(["cohort", "case-control"]))
def test_weighted_and_clustered_estimates_do_not_depend_on_the_order_of_the_subjects(
    data: Data, seed: int, design: str
) -> None:
    def found(of: Data, **more: Any) -> list[float]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HitcurveWarning)
            ev = hc.evaluate(
                of.y, {"a": of.a}, metrics=["auc", "ap", "recall@20%"], sample_weight=of.weight, design=design, **more
            )
        return [x for e in ev for x in (e.value, e.standard_error, *(e.interval or (math.nan, math.nan)))]

    moved = data.at(np.random.default_rng(seed).permutation(data.y.size))
    assert repr(found(data)) == repr(found(moved))
    cluster, own = np.arange(data.y.size) % 5, np.random.default_rng(seed).permutation(data.y.size)
    assert repr(found(data, clusters=cluster)) == repr(found(moved, clusters=cluster[own]))
