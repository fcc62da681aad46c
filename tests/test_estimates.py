"""Many lists at once say what each of them says by itself: values, errors, intervals, references, reasons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from hitcurve import Counts, Estimate, HitTable, Metric, metric
from hitcurve.errors import InputError, ParameterError
from hitcurve.inference import Estimates
from hitcurve.inference.variance.influence import influence
from hitcurve.metrics import register_metric
from hitcurve.sums import Lists, Sums
from tests.metrics_under_test import FORMS, has_gradient

EVERY = (*FORMS, "momentum")
DESIGNS = ("cohort", "case-control")
KINDS = ("full", "collapsed", "weighted", "assumed")


def side_by_side(tables: Sequence[HitTable], *, rows: int = 0) -> Lists:
    """Pad tables below with empty rows."""
    longest = max(rows, *(t.pos.size for t in tables))
    columns = []
    for name in ("pos", "neg", "pos_squares", "neg_squares"):
        own = [getattr(t, name) for t in tables]
        columns.append(None if own[0] is None else np.array([np.pad(x, (0, longest - x.size)) for x in own]))
    at = tables[0].assumed_prevalence
    prevalence = None if at is None else np.array([t.assumed_prevalence for t in tables], float)
    return Lists(Sums(*columns), prevalence, tables[0].has_gaps)  # type: ignore[arg-type]


def some_tables(kind: str) -> list[HitTable]:
    """Return lists of unlike length, prevalence and ties, among them one of very few positives and a perfect one."""
    rng, out = np.random.default_rng(5), []
    for n, pi, digits in ((40, 0.4, 0), (25, 0.3, 5), (90, 0.1, 1), (60, 0.5, 0), (14, 0.4, 1)):
        y = rng.random(n) < pi
        y[:5], y[5:10] = True, False
        s = np.round(rng.normal(size=n) + 1.1 * y, digits)
        if kind == "weighted":
            out.append(HitTable.from_scores(y, s, sample_weight=rng.integers(1, 4, n) / 2).collapse())
        else:
            out.append(HitTable.from_scores(y, s))
    out.append(HitTable.from_scores([1] * 6 + [0] * 12, range(18, 0, -1)))
    out.append(HitTable.from_scores([1, 0, 1] + [0] * 9, range(12, 0, -1)))  # too few positives for an interval
    if kind == "weighted":
        out = [out[0], *out[1:5]]
    if kind in ("collapsed", "assumed"):
        out = [t.collapse() for t in out]
    if kind == "assumed":
        out = [t.at_prevalence(pi) for t, pi in zip(out, (0.1, 0.3, 0.4, 0.2, 0.5, 0.15, 0.35), strict=True)]
    return out


def close(found: float, expected: float, form: str) -> None:
    # derivatives that are taken numerically carry the rounding of differences
    rel, near = (1e-10, 1e-12) if has_gradient(metric(form.partition(" of ")[0])) else (1e-7, 1e-11)
    assert found == pytest.approx(expected, rel=rel, abs=near, nan_ok=True), form


def raised(one: Estimate | None, m: Metric, table: HitTable) -> str:
    """Return why a value or a standard error cannot be had, empty where it can."""
    try:
        _ = m.value(table) if one is None else one.standard_error
    except InputError as error:
        return str(error)
    return ""


@pytest.mark.filterwarnings("ignore:.*bootstrap draws")  # of a metric that jumps
@pytest.mark.parametrize("kind", KINDS)
def test_a_stack_is_each_of_its_lists(kind: str) -> None:
    """Any two of a kind of lists, a metric and a design together."""
    tables = some_tables(kind)
    lists = side_by_side(tables, rows=120)
    for place, form in enumerate(EVERY, KINDS.index(kind)):
        design = DESIGNS[place % 2]
        m = metric(form)
        found = Estimates.of(m, lists, design=design, confidence_level=0.9)
        for i, table in enumerate(tables):
            why = raised(None, m, table)
            if why:
                assert (math.isnan(found.value[i]), found.reason[i]) == (True, why), form
                continue
            one = Estimate("a", m, m.value(table), table, design, 0.9)
            close(found.value[i], one.value, form)
            why = raised(one, m, table)
            if why:
                assert (math.isnan(found.standard_error[i]), found.reason[i]) == (True, why), form
                continue
            close(found.standard_error[i], one.standard_error, form)
            if one.interval is None:
                assert math.isnan(found.low[i])
                assert math.isnan(found.high[i])
                assert found.reason[i], form
                assert found.method[i] == ""
            else:
                close(found.low[i], one.interval.low, form)
                close(found.high[i], one.interval.high, form)
                assert (found.method[i], found.reason[i]) == (one.interval_method, ""), form


@pytest.mark.filterwarnings("ignore:.*bootstrap draws")  # of a metric that jumps
def test_full_and_collapsed_tables_of_weights_are_one() -> None:
    """What a cut leaves above it of negatives side by side has weights that a collapsed table does not know."""
    rng, y = np.random.default_rng(8), np.arange(70) % 3 == 0
    scores = (rng.normal(size=70) + y, np.round(rng.normal(size=70) + y, 1))
    tables = [HitTable.from_scores(y, s, sample_weight=rng.uniform(0.3, 3, 70)) for s in scores]
    for place, form in enumerate(EVERY):
        m, design = metric(form), DESIGNS[place % 2]
        for full in tables:
            if raised(None, m, full):
                continue
            here, there = (Estimate("a", m, m.value(t), t, design, 0.9) for t in (full, full.collapse()))
            why = raised(here, m, full)
            assert raised(there, m, full.collapse()) == why, form
            if why:
                continue
            close(here.standard_error, there.standard_error, form)
            assert here.cautions == there.cautions, form
            assert (here.interval is None) == (there.interval is None), form
            if here.interval is not None and there.interval is not None:
                close(here.interval.low, there.interval.low, form)
                close(here.interval.high, there.interval.high, form)
            stack = Estimates.of(m, side_by_side([full]), design=design, confidence_level=0.9)
            close(stack.standard_error[0], there.standard_error, form)


def test_references_of_a_stack_are_those_of_each_list() -> None:
    tables = some_tables("full")
    c = side_by_side(tables).counts
    for form in FORMS:
        m = metric(form)
        for name in ("random", "best", "worst", "random_mean"):
            together = getattr(m, name)(c)
            for i, table in enumerate(tables):
                alone = getattr(m, name)(table)
                assert (alone is None) == (together is None), form
                if alone is not None:
                    close(together[i], alone, f"{form} of {name}")
        conventions = np.broadcast_to(np.asarray(m.convention(c), object), c.shape)
        cautions = np.broadcast_to(np.asarray(m.caution(c), object), c.shape)
        for i, table in enumerate(tables):
            assert (conventions[i], cautions[i]) == (m.convention(table), m.caution(table)), form


def test_empty_rows_change_nothing() -> None:
    """Any two of a table, a metric and a design together."""
    for number, table in enumerate(some_tables("collapsed")[:3]):
        tight, loose = side_by_side([table]), side_by_side([table], rows=table.pos.size + 17)
        for place, form in enumerate(EVERY, number):
            m, design = metric(form), DESIGNS[place % 2]
            a, b = (Estimates.of(m, lists, design=design, confidence_level=0.95) for lists in (tight, loose))
            for x, y in ((a.value, b.value), (a.standard_error, b.standard_error), (a.low, b.low), (a.high, b.high)):
                close(x[0], y[0], form)
            values = [influence(m, lists.counts, design).pos[0, : table.pos.size] for lists in (tight, loose)]
            held = np.asarray(table.pos) > 0
            np.testing.assert_allclose(values[0][held], values[1][held], rtol=1e-7, atol=1e-11, err_msg=form)


@pytest.mark.filterwarnings("ignore:.*bootstrap draws")  # of a metric that jumps
def test_the_order_of_lists_changes_nothing() -> None:
    tables = some_tables("collapsed")
    for form in EVERY:
        m = metric(form)
        one = Estimates.of(m, side_by_side(tables), design="cohort", confidence_level=0.95)
        other = Estimates.of(m, side_by_side(tables[::-1]), design="cohort", confidence_level=0.95)
        np.testing.assert_array_equal(one.value, other.value[::-1], err_msg=form)
        np.testing.assert_array_equal(one.low, other.low[::-1], err_msg=form)
        assert list(one.reason) == list(other.reason[::-1])


def test_lists_that_are_refused_leave_the_others() -> None:
    good = some_tables("collapsed")[:3]
    no_positive = HitTable.from_counts([0, 0], [3, 2]).collapse()
    backwards = HitTable.from_scores([0] * 6 + [1] * 6, range(12, 0, -1)).collapse()
    tables = [good[0], no_positive, good[1], backwards, good[2]]
    found = Estimates.of(metric("momentum"), side_by_side(tables), design="cohort", confidence_level=0.95)
    assert np.isfinite(found.value).tolist() == [True, False, True, False, True]
    assert found.reason[1] == "there is no positive among the 5 subjects: both classes are needed"
    assert found.reason[3].startswith("momentum is scaled AP over scaled AUC, and the AUC here is 0, ")
    for place, table in zip((0, 2, 4), good, strict=True):
        assert found.value[place] == pytest.approx(metric("momentum").value(table), rel=1e-13)
    beyond = Estimates.of(metric("hits@30"), side_by_side(tables), design="cohort", confidence_level=0.95)
    assert beyond.reason[3] == "a cutoff at rank 30 exceeds the list of 12 subjects"


@dataclass(frozen=True)
class Own(Metric):
    """Average precision, written anew by somebody who declares what it is."""

    name: ClassVar[str] = "own_precision"
    negatives_join: ClassVar[bool] = True
    default_interval: ClassVar[str] = "tilted"

    def kernel(self, c: Counts) -> np.ndarray:
        return np.asarray(np.sum(c.p * c.precision, axis=-1))

    def row_derivatives(self, c: Counts) -> tuple[np.ndarray, np.ndarray]:
        lost = np.divide(c.pos, (c.H + c.B) ** 2, out=np.zeros(c.pos.shape), where=c.H + c.B > 0)
        gained, given = (np.cumsum((lost * x)[..., ::-1], axis=-1)[..., ::-1] for x in (c.B, c.H))
        by_pos = c.precision - self.kernel(c)[..., None] + gained
        return by_pos / c.n1[..., None], -given / c.n1[..., None]


def test_a_metric_of_somebody_else_is_tilted_by_saying_so() -> None:
    table = some_tables("full")[2]
    mine, theirs = (Estimate("a", m, m.value(table), table) for m in (Own(), metric("ap")))
    assert mine.interval_method == "tilted"
    assert mine.standard_error == pytest.approx(theirs.standard_error, rel=1e-12)
    assert mine.interval is not None
    low, high = mine.interval
    assert 0 < low < mine.value < high < 1
    # without a leave-one-out estimate nothing is shifted, so that its ends lie a little higher than those of "ap"
    assert theirs.interval is not None
    assert low >= theirs.interval.low
    assert low == pytest.approx(theirs.interval.low, abs=0.1)


@dataclass(frozen=True)
class WithoutGradient(Metric):
    """Average precision that declares tilting and has no derivatives."""

    name: ClassVar[str] = "bare_precision"
    default_interval: ClassVar[str] = "tilted"

    def kernel(self, c: Counts) -> np.ndarray:
        return np.asarray(np.sum(c.p * c.precision, axis=-1))


def test_tilting_without_a_gradient_gives_way_to_the_next_default() -> None:
    tables, m = some_tables("full"), WithoutGradient()
    one = Estimate("a", m, m.value(tables[2]), tables[2])
    assert one.interval_method == "half-subject"
    found = Estimates.of(m, side_by_side(tables), design="cohort", confidence_level=0.95)
    assert found.method[2] == "half-subject"
    assert one.interval is not None
    assert (found.low[2], found.high[2]) == pytest.approx(one.interval, rel=1e-7)


def test_tilting_without_a_gradient_is_refused_at_the_door() -> None:
    with pytest.raises(ParameterError, match="'bare_precision' is 'tilted', which needs a gradient: write row_der"):
        register_metric(WithoutGradient)


def test_a_misspelled_default_interval_is_refused_at_the_door() -> None:
    @dataclass(frozen=True)
    class Misspelled(Own):
        name: ClassVar[str] = "misspelled"
        default_interval: ClassVar[str] = "tiltedd"

    with pytest.raises(ParameterError, match="default_interval of 'misspelled' must be one of"):
        register_metric(Misspelled)
