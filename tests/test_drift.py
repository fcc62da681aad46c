"""Changes of a metric over days: found where they are, and seldom where there is none."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve.counts import before
from hitcurve.errors import GridMismatchError, InsufficientDataError, ParameterError, SingleClassError
from hitcurve.evaluation.over_time.levels import Days, Marks, end_of, marks_of
from hitcurve.inference.cutting.step import step_of
from hitcurve.inference.variance.dependent import Clustered
from hitcurve.inference.variance.parts import parts_of
from hitcurve.inference.variance.spread import Spread
from tests.metrics_under_test import FORMS
from tests.shell import Shell, shell

__all__ = ["shell"]
Y = np.repeat([1, 0], [50, 400])


def _days(shifts: list[float], seed: int = 0) -> dict[str, hc.HitTable]:
    rng = np.random.default_rng(seed)
    return {
        f"day{place:02}": hc.HitTable.from_scores(Y, rng.normal(size=450) + shift * Y)
        for place, shift in enumerate(shifts)
    }


def test_two_changes_are_found_in_their_order() -> None:
    found = hc.drift(_days([1.5] * 6 + [0.3] * 6 + [2.5] * 6), "auc")
    assert [change.first for change in found.changes] == ["day06", "day12"]
    assert found.q_pvalue < 1e-10
    assert found.largest.pvalue <= 0.05
    assert [record["day"] for record in found.to_records() if record["changed"]] == ["day06", "day12"]
    assert hc.drift(_days([1.5] * 6 + [0.3] * 6 + [2.5] * 6), "auc") == found  # the seed is of the data


@pytest.mark.slow
def test_a_day_beside_a_changed_one_is_not_marked() -> None:
    y = np.arange(1000) < 100
    marks = []
    for seed in range(25):
        rng = np.random.default_rng(seed)
        days = {
            f"day{i}": hc.HitTable.from_scores(y, rng.normal(size=1000) + (0.5 if i == 12 else 1.6) * y)
            for i in range(20)
        }
        marks.append(hc.drift(days, "auc").marks())
    # where splits are looked at first and single days later, 4 of 25 have a third change, and more an odd day
    assert marks.count({"day12": "differs"}) >= 23, marks


def test_odd_days_and_changes_are_found_together() -> None:
    shifts = [1.5] * 4 + [0.3] + [1.5] * 4 + [2.9] + [1.5] * 4 + [0.4] * 6
    found = hc.drift(_days(shifts), "auc")
    assert found.marks() == {"day04": "differs", "day09": "differs", "day14": "change"}
    level = [day for day in range(14) if shifts[day] == 1.5]
    mean: Any = pytest.approx(np.mean(found.values[level]))
    assert (found.changes[0].before, found.levels()[0].mean) == (mean, mean)
    assert [one.others for one in found.odd_days] == [mean, mean]
    assert found.pvalue == pytest.approx(1 / 10_001)
    # two low days in a row are a level
    found = hc.drift(_days([1.5] * 6 + [0.3] * 2 + [1.5] * 6), "auc")
    assert found.marks() == {"day06": "change", "day08": "change"}
    assert found.levels()[1].days == 2
    # the last day has no later one to say whether it is alone
    assert hc.drift(_days([1.5] * 8 + [0.3]), "auc").marks() == {"day08": "change"}


def test_changes_are_significant_between_their_neighbours() -> None:
    found = hc.drift(_days([1.5] * 6 + [0.3] * 6 + [2.5] * 6), "auc")
    assert [(c.start, c.end) for c in found.changes] == [("day00", "day11"), ("day06", "day17")]
    means = [float(np.mean(found.values[6 * i : 6 * i + 6])) for i in range(3)]
    for place, change in enumerate(found.changes):
        assert (change.before, change.after) == pytest.approx((means[place], means[place + 1]))
        assert change.pvalue <= 0.05
    (one,) = hc.drift(_days([1.5] * 8 + [0.5] * 8), "auc").changes
    assert (one.first, one.start, one.end) == ("day08", "day00", "day15")


def test_the_numbers_by_hand() -> None:
    days = _days([1.5, 1.5, 0.8])
    found = hc.drift(days, "auc", confidence_level=0.9)
    each = 0.9 ** (1 / 3)
    for place, (day, table) in enumerate(days.items()):
        estimate = hc.evaluate(tables={day: table}, metrics="auc")[day, "auc"]
        interval = estimate.confidence_interval(each)
        assert (found.low[place], found.high[place]) == (interval.low, interval.high)
        assert found.values[place] == estimate.value
    of_pos, of_neg = _by_class(days)
    pooled = of_pos / 50 + of_neg / 400
    assert found.weights == pytest.approx(np.full(3, 1 / pooled))
    assert found.mean == pytest.approx(np.mean(found.values))
    assert found.q == pytest.approx(np.sum((found.values - found.mean) ** 2) / pooled)
    # Satterthwaite: 3 days of 49 and of 399 degrees of freedom
    share = of_pos / 50 / pooled
    degrees = 1 / (share**2 / 147 + (1 - share) ** 2 / 1197)
    assert found.q_degrees == pytest.approx(degrees)
    assert found.q_pvalue == pytest.approx((1 + found.q / degrees) ** (-degrees / 2))  # F of 2 degrees of freedom
    places, variance = _by_hand(found.values, pooled)
    z = []
    for split in (1, 2):
        left, right = places[:split], places[split:]
        z.append(abs(right.mean() - left.mean()) / math.sqrt(variance / left.size + variance / right.size))
    assert found.largest.statistic == pytest.approx(max(z))
    assert found.largest.first == list(days)[1 + int(np.argmax(z))]


def test_a_single_odd_day_is_named_and_marked(tmp_path: Path) -> None:
    found = hc.drift(_days([1.5] * 9 + [0.2] + [1.5] * 10, seed=2), "auc")
    (odd,) = found.odd_days
    assert (odd.day, found.changes) == ("day09", ())
    others = np.arange(20) != 9
    assert odd.others == pytest.approx(np.mean(found.values[others]))
    of_pos, of_neg = _by_class(_days([1.5] * 9 + [0.2] + [1.5] * 10, seed=2))
    places, variance = _by_hand(found.values, of_pos / 50 + of_neg / 400)
    z = abs(places[9] - places[others].mean()) / math.sqrt(variance * (1 + 1 / 19))
    assert odd.statistic == pytest.approx(z)
    assert odd.pvalue == found.pvalue == 1 / (found.draws + 1)
    assert found.levels()[0].mean == pytest.approx(odd.others)
    assert found.largest.first != "day10"
    assert [record["day"] for record in found.to_records() if record["odd"]] == ["day09"]
    assert found.marks() == {"day09": "differs"}
    days = found.sections()[0]
    assert days.header == ["day", "auc", "s.e.", "all days at once", "mark"]
    assert [row[0] for row in days.body if row[-1]] == ["day09"]
    assert [float(row[2]) for row in days.body] == pytest.approx(found.standard_errors.tolist(), rel=5e-3)
    page = hc.report(found, tmp_path / "days.html", "Days", date="2026-01-01").read_text()
    assert page.count('class="odd"') == page.count("(differs)") == 2  # charts for wide and for narrow screens
    ax = hc.plot.drift(found)
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["differs from its level"]
    assert np.asarray(ax.lines[-1].get_xdata()).tolist() == [9]
    assert "day09 differs from the other days of its level" in str(found)


def _stationary(size: int, rng: np.random.Generator) -> list[Days]:
    """Return days of one mean, whose errors follow their values as those of an AUC or of average precision do."""
    weights = np.array([100.0, 25, 400, 100, 100, 11, 100, 200])
    values = 0.7 + rng.normal(size=(size, 8)) * 0.5 / np.sqrt(weights)
    errors = np.maximum(0.5 + (values - 0.7) * rng.choice([-3, 3], (size, 1)), 0.01) / np.sqrt(weights)
    names = tuple(map(str, range(8)))
    sizes = np.repeat(weights[:, None], 2, axis=1) * 1e6
    return [
        Days(names, own, np.repeat(error[:, None] ** 2 / 2, 2, axis=1), sizes, (-math.inf, 1.0))
        for own, error in zip(values, errors, strict=True)
    ]


def test_one_level_of_changes_has_no_odd_days() -> None:
    assert hc.drift(_days([1.5] * 6 + [0.3] * 6), "auc").odd_days == ()


def _by_class(days: dict[str, hc.HitTable]) -> tuple[float, float]:
    """Return the variances of one positive and one negative of AUC: of placements, pooled over days."""
    parts: list[list[float]] = []
    for table in days.values():
        above = before(table.neg.cumsum()) + table.neg / 2  # negatives above a positive, ties by half
        below = table.pos.sum() - before(table.pos.cumsum()) - table.pos / 2
        sides = ((1 - above / table.n_neg, table.pos), (1 - below / table.n_pos, table.neg))
        parts.append([float(np.average((x - np.average(x, weights=w)) ** 2, weights=w)) for x, w in sides])
    of_pos, of_neg = np.mean(parts, axis=0)
    return of_pos * 50 / 49, of_neg * 400 / 399


def _by_hand(values: np.ndarray, pooled: float) -> tuple[np.ndarray, float]:
    """Return places of days of equal size, and their variance: arcsines with 3/8 of a subject more on either side."""
    mean = float(np.mean(values))
    n = mean * (1 - mean) / pooled
    return np.arcsin(np.sqrt((values * n + 3 / 8) / (n + 3 / 4))), 1 / (4 * n + 2)


def test_shares_beyond_a_cutoff_by_hand() -> None:
    days = _days([1.5, 1.5, 0.8])
    found = hc.drift(days, "recall@10%")
    steps = [step for table in days.values() if (step := step_of(found.metric, table.counts)) is not None]
    # of a list of which 45 are above the cutoff, where the slope of the days is the mean of their slopes
    rho = np.mean([float(step.slope) for step in steps])
    of_pos = np.mean([(1 - rho) ** 2 * step.tpr * (1 - step.tpr) for step in steps]) * 50 / 49
    of_neg = np.mean([(8 * rho) ** 2 * step.fpr * (1 - step.fpr) for step in steps]) * 400 / 399
    of_pi = np.mean([(rho / (1 / 9) * (step.tpr - step.fpr)) ** 2 for step in steps]) * (1 / 9) * (8 / 9) / 450
    pooled = of_pos / 50 + of_neg / 400 + of_pi
    assert found.weights == pytest.approx(np.full(3, 1 / pooled), rel=0.01)  # the cut is in a gap, and in part above it
    mean, end = found.mean, 45 / 50  # no order has more of the 50 positives above the cutoff
    n = mean * (end - mean) / found.weights**-1
    places = np.arcsin(np.sqrt((found.values / end * n + 3 / 8) / (n + 3 / 4)))
    z = [abs(places[1:].mean() - places[0]), abs(places[2] - places[:2].mean())]
    assert found.largest.statistic == pytest.approx(max(z) * math.sqrt((4 * n[0] + 2) / 1.5))


@pytest.mark.slow
def test_days_of_few_subjects_beyond_a_cutoff_are_no_more_unequal_than_by_chance() -> None:
    rng = np.random.default_rng(24)
    y = np.repeat([1, 0], [30, 600])

    def q() -> float:
        scores = rng.normal(size=(30, 630)) + 1.5 * y
        days = {str(day): hc.HitTable.from_scores(y, own) for day, own in enumerate(scores)}
        return hc.drift(days, "ef@5%", draws=99, rng=1).q / 29

    # of chi-squared with 29 degrees of freedom over them: 1 and 0.26 over root 60
    assert np.mean([q() for _ in range(60)]) == pytest.approx(1, abs=0.085)


def test_the_size_of_the_test() -> None:
    rng = np.random.default_rng(1)
    found = [marks_of(days, 0.05, 500, rng) for days in _stationary(1000, rng)]
    p = np.array([marks.pvalue for marks in found])
    assert abs(np.mean(p <= 0.05) - 0.05) < 3.5 * math.sqrt(0.05 * 0.95 / p.size)
    assert abs(np.mean(p <= 0.5) - 0.5) < 3.5 * math.sqrt(0.25 / p.size)
    # of all marks together
    assert [bool(marks.changes or marks.odd_days) for marks in found] == (p <= 0.05).tolist()


def test_p_values_are_those_of_the_largest_contrast() -> None:
    # contrasts of equal days, drawn here another way: the regression on a step or one day
    rng, weights = np.random.default_rng(6), np.array([1.0, 4, 2, 1, 3])
    steps = [np.arange(5) >= place for place in range(1, 5)] + [np.arange(5) == place for place in (1, 2, 3)]
    values = rng.normal(size=(20_000, 5)) / np.sqrt(weights)
    largest = np.zeros(20_000)
    for step in steps:
        centred = step - np.average(step, weights=weights)
        slope = values @ (weights * centred) / np.sqrt(np.sum(weights * centred**2))
        largest = np.maximum(largest, np.abs(slope))
    sizes = np.repeat(weights[:, None], 2, axis=1) * 1e6
    days = Days(tuple("abcde"), np.array([0, 1.4, 0.2, 0.1, 0]), 5e5 / sizes, sizes, (-math.inf, 1))

    def marks(scale: float) -> Marks:
        return marks_of(days._replace(values=days.values * scale), 1e-9, 20_000, np.random.default_rng(0))

    for scale in (0.5, 0.8, 1.0, 1.3):
        others = np.average(np.delete(days.values, 1), weights=np.delete(weights, 1)) * scale
        z = (1.4 * scale - others) / math.sqrt(1 / 4 + 1 / 7)
        assert marks(scale).pvalue == pytest.approx(np.mean(largest >= z), abs=0.015)


def test_values_at_an_end_are_days_too() -> None:
    perfect = hc.HitTable.from_scores(Y, Y + np.linspace(0, 0.1, Y.size))
    days = {**_days([2.5] * 5), "perfect": perfect}
    found = hc.drift(days, "auc")
    assert (found.values[-1], found.standard_errors[-1]) == (1.0, 0.0)
    assert math.isfinite(found.q)
    assert math.isfinite(found.largest.statistic)
    with pytest.raises(InsufficientDataError, match="standard error of auc is 0 on all days; merge days"):
        hc.drift({"a": perfect, "b": perfect}, "auc")


def _narrow(sizes: list[tuple[int, int]], seed: int) -> dict[str, hc.HitTable]:
    """Return days of positives that spread less than negatives."""
    rng, days = np.random.default_rng(seed), {}
    for place, (n1, n0) in enumerate(sizes):
        y = np.repeat([1, 0], [n1, n0])
        scores = rng.normal(size=y.size) * np.where(y, 0.5, 1.0) + 0.95 * y
        days[f"day{place:02}"] = hc.HitTable.from_scores(y, scores)
    return days


def test_unequal_days_weigh_by_the_variances_of_both_classes() -> None:
    sizes = [(20, 30), (40, 400), (60, 60), (200, 30)]
    days = _narrow(sizes, 3)
    found = hc.drift(days, "auc")
    n = np.array(sizes, float)
    parts, counted = parts_of([Spread(found.metric, table, "cohort") for table in days.values()])
    assert counted.tolist() == n.tolist()
    assert parts.sum(axis=1) == pytest.approx(found.standard_errors**2)
    of_one = np.sum(n**2 * parts * n / (n - 1), axis=0) / n.sum(axis=0)
    variance = (of_one / n).sum(axis=1)
    assert of_one[1] > 2 * of_one[0]
    assert found.weights == pytest.approx(1 / variance)
    assert found.mean == pytest.approx(np.average(found.values, weights=1 / variance))
    assert found.levels()[0].mean == found.mean
    assert found.q == pytest.approx(np.sum((found.values - found.mean) ** 2 / variance))


@pytest.mark.slow
def test_days_of_one_auc_and_many_prevalences_are_seldom_marked() -> None:
    sizes = [(100, 4900)] * 8 + [(100, 233)] * 8
    found = [hc.drift(_narrow(sizes, seed), "auc", draws=199, rng=seed) for seed in range(150)]
    # one variance of a subject of either class marks 16% of these, and Q rejects 11%
    assert np.mean([bool(one.marks()) for one in found]) < 0.105
    assert np.mean([one.q_pvalue <= 0.05 for one in found]) < 0.095


def test_the_scale_ends_at_the_best_value_unless_nearly_all_above_the_cutoff_are_hits() -> None:
    best = np.array([10.0, 9.0, 12.0])
    assert end_of(np.array([4.0, 5.0, 9.0]), best, 100.0) == 12.0
    assert end_of(np.array([9.8, 9.0, 11.0]), best, 100.0) == 100.0


def test_days_of_few_subjects_have_a_caution() -> None:
    enough = _narrow([(15, 200)] * 3, 1)
    assert hc.drift(enough, "auc").cautions == ()
    few = hc.drift({**enough, **{f"few{day}": table for day, table in _narrow([(14, 200), (40, 9)], 2).items()}}, "auc")
    (caution,) = few.cautions
    assert caution.startswith("2 days with fewer than 15 subjects of a class: ")
    assert "marked up to 12%" in caution
    assert "marked up to 30%" in hc.drift(_narrow([(14, 200)] * 3, 1), "ef@5%").cautions[0]
    assert caution in few.notes()
    assert caution in str(few)
    assert hc.drift(_narrow([(30, 100)] * 3, 1), "tpr@fpr=5%").cautions == ()
    (above,) = hc.drift(_narrow([(30, 100), (30, 99), (30, 200)], 1), "tpr@fpr=5%").cautions
    assert above.startswith("1 day with fewer than 5 negatives above the cutoff")


def test_a_level_of_perfect_days_is_one_level() -> None:
    perfect = {f"perfect{day}": hc.HitTable.from_scores(Y, Y + np.linspace(0, 0.1, Y.size)) for day in range(4)}
    found = hc.drift({**_days([0.5] * 4), **perfect}, "auc")
    assert found.marks() == {"perfect0": "change"}
    assert [level.mean for level in found.levels()][1] == 1.0


def test_unbounded_metrics_are_compared_as_they_are() -> None:
    days = _days([1.5] * 4)
    found = hc.drift(days, "dcg")
    parts, _ = parts_of([Spread(found.metric, table, "cohort") for table in days.values()])
    variance = float(parts.mean(axis=0) @ [50 / 49, 400 / 399])
    assert math.isinf(found.metric.range[1])
    assert found.q == pytest.approx(np.sum((found.values - found.values.mean()) ** 2) / variance)
    left, right = found.values[:3].mean(), found.values[3]
    first = found.days.index(found.largest.first)
    left, right = found.values[:first].mean(), found.values[first:].mean()
    z = abs(right - left) / math.sqrt(variance * (1 / first + 1 / (4 - first)))
    assert found.largest.statistic == pytest.approx(z)


def test_a_metric_whose_error_has_no_parts_has_one_variance_of_a_subject() -> None:
    days = _narrow([(20, 30), (40, 90)], 1)
    spreads = [Spread(hc.metric("auc"), table, "cohort", Clustered(0.01, 9.0)) for table in days.values()]
    parts, n = parts_of(spreads)
    assert parts.sum(axis=1) == pytest.approx([0.01, 0.01])
    assert n[:, 0] * parts[:, 0] == pytest.approx(n[:, 1] * parts[:, 1])


@pytest.mark.parametrize("form", FORMS)
def test_parts_add_up_to_the_variance(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    m = hc.metric(form)
    for design in ("cohort", "case-control"):
        for table in _narrow([(30, 300), (40, 90)], 5).values():
            spread = Spread(m, table, design)
            if m.needs_subjects and design != "cohort":
                continue
            parts, _ = parts_of([spread])
            assert parts.sum() == pytest.approx(float(spread.standard_error) ** 2, rel=1e-9), design
            with monkeypatch.context() as patch:  # a list that is long enough for moments of the gradient
                patch.setattr("hitcurve.inference.variance.influence.LONG", 1)
                again, _ = parts_of([Spread(m, table, design)])
            assert again == pytest.approx(parts, rel=1e-8)


def test_refusals() -> None:
    days = _days([1.0, 1.0])
    with pytest.raises(ParameterError, match=r"compares days, and needs at least 2, got 1: monday$"):
        hc.drift({"monday": days["day00"]}, "auc")
    with pytest.raises(ParameterError, match=r"needs at least 2, got 0$"):
        hc.drift({}, "auc")
    few = hc.HitTable.from_scores([1, 0, 1, 0, 0, 0], np.arange(6.0)[::-1])
    with pytest.raises(InsufficientDataError, match=r"few: .*merge days"):
        hc.drift({**days, "few": few}, "auc")


def test_days_of_two_directions_are_refused(tmp_path: Path, shell: Shell) -> None:
    high, low = (hc.Tables({"a": table}) for table in _days([1.5, 1.0]).values())
    turned = hc.Tables(low.tables, lower_is_better=frozenset({"a"}))
    words = "one and two do not compare: lower is better in one and higher in the other; count both in one direction"
    for first, second in ((high, turned), (turned, high)):
        with pytest.raises(GridMismatchError, match=words):
            hc.drift({"one": first, "two": second}, "auc")
    plain = replace(hc.drift({"one": high["a"], "two": low["a"]}, "auc"), ranker="a")  # type: ignore[dict-item]
    assert hc.drift({"one": high, "two": low}, "auc") == plain
    both = frozenset({"a"})
    assert hc.drift({"one": hc.Tables(high.tables, lower_is_better=both), "two": turned}, "auc") == plain
    with pytest.raises(ParameterError, match="two has 2 rankers"):
        hc.drift({"one": high, "two": hc.Tables({"a": low["a"], "b": low["a"]})}, "auc")
    stack = hc.TableStack.from_tables({"x": low["a"]})  # type: ignore[dict-item]
    with pytest.raises(ParameterError, match="two has groups"):
        hc.drift({"one": high, "two": hc.Tables({"a": stack})}, "auc")
    high.save(tmp_path / "one.hit")
    # the other ranker of the file does not matter
    hc.Tables({"a": low["a"], "b": low["a"]}, lower_is_better=frozenset({"a"})).save(tmp_path / "two.hit")
    assert words in shell("drift", tmp_path / "one.hit", tmp_path / "two.hit", "--ranker", "a").refusal
    hc.Tables({"a": low["a"], "b": low["a"]}, lower_is_better=frozenset({"b"})).save(tmp_path / "two.hit")
    assert shell("drift", tmp_path / "one.hit", tmp_path / "two.hit", "--ranker", "a").code == 0


def test_the_command(tmp_path: Path, shell: Shell) -> None:
    for day, table in _days([1.5] * 4 + [0.2] * 4).items():
        hc.Tables({"a": table, "b": table}).save(tmp_path / f"{day}.hit")
    given = ["drift", tmp_path / "day*.hit", "-m", "auc"]
    assert "has 2 rankers: choose one with --ranker (a, b)" in shell(*given).refusal
    done = shell(*given, "--ranker", "a")
    assert re.search(
        r"change on day04: 0\.\d+ from day00 until the day before, 0\.\d+ from day04 to day07, largest", done.out
    ), done
    alone = shell("drift", tmp_path / "day00.hit", "--ranker", "a").refusal
    assert re.search(r"days, and needs at least 2, got 1: .*day00\.hit; name a file of each day, or a wildcard", alone)
    assert "got 1: " in shell("drift", tmp_path / "day00*.hit", "--ranker", "a").refusal
    found = json.loads(shell(*given, "--ranker", "a", "-f", "json").out)
    assert [day["day"] for day in found["days"] if day["changed"]] == ["day04"]
    assert [change["first"] for change in found["changes"]] == ["day04"]
    assert shell(*given, "--ranker", "a", "-f", "csv").code == 0
    assert shell(*given, "--ranker", "a", "-o", tmp_path / "drift.svg").code == 0
    assert (tmp_path / "drift.svg").read_bytes().startswith(b"<?xml")
    assert "no ranker 'c'" in shell(*given, "--ranker", "c").refusal
    assert shell(*given, "--ranker", "a", "-o", tmp_path / "drift.html").code == 0
    page = (tmp_path / "drift.html").read_text()
    assert page.count("<circle") == 2 * 8
    assert "Change on day04" in page
    assert "Full circles: the first day of a new level." in page
    assert "A ring" not in page


def test_a_page_has_the_days_and_their_levels(tmp_path: Path) -> None:
    days = {name.replace("day", "<day>"): table for name, table in _days([1.5] * 6 + [0.3] * 6).items()}
    found = hc.drift(days, "auc")
    first, second = found.levels()
    assert (first.first, first.last, second.first, second.days) == ("<day>00", "<day>05", "<day>06", 6)
    assert second.mean == pytest.approx(np.mean(found.values[6:]))
    page = hc.report(found, tmp_path / "days.html", "A <year>", date="2026-01-01").read_text()
    assert "<h1>A &lt;year&gt;</h1>" in page
    assert "<day>" not in page
    assert page.count("<circle") == 2 * 12  # charts for wide and for narrow screens
    assert page.count("stroke-dasharray") == 2 * 2
    assert "Cochran" in page
    mean = f"{second.mean:.4f}"
    assert all(mean in text for text in (str(found), found.to_markdown(), found.to_latex()))
    assert json.loads(found.to_json())["levels"][1]["mean"] == second.mean
    with pytest.raises(ParameterError, match="neither a baseline nor colours"):
        hc.report(found, tmp_path / "x.html", baseline="a")


@pytest.mark.parametrize(("pos", "neg", "lacking"), [(0, 9, "positive"), (9, 0, "negative")])
def test_a_day_of_one_class_is_named(pos: int, neg: int, lacking: str) -> None:
    days = _days([1.0] * 3) | {"holiday": hc.HitTable.from_counts(pos=[pos], neg=[neg])}
    with pytest.raises(SingleClassError, match=f"^holiday: there is no {lacking} among the 9 subjects"):
        hc.drift(days, "auc")


def test_the_ranker_is_named(tmp_path: Path, shell: Shell) -> None:
    for name, table in _days([1.0] * 3).items():
        hc.Tables({"fast": table, "slow": table}).save(tmp_path / f"{name}.hit")
    asked = ("drift", tmp_path / "*.hit", "--ranker", "slow")
    assert "auc of slow on 3 days" in shell(*asked).out
    shell(*asked, "-o", tmp_path / "x.html")
    assert "slow" in (tmp_path / "x.html").read_text()
    found = hc.drift({str(day): hc.Tables({"slow": table}) for day, table in _days([1.0] * 3).items()}, "auc")
    assert hc.plot.drift(found).get_ylabel() == "auc of slow"
    assert found.to_dict()["ranker"] == "slow"
    assert hc.drift(_days([1.0] * 3), "auc").ranker is None


def test_days_of_different_rankers_are_refused(tmp_path: Path, shell: Shell) -> None:
    one, two = _days([1.5, 1.0]).values()
    named = {"one": hc.Tables({"a": one}), "two": hc.Tables({"b": two})}
    words = "one has the ranker a and two the ranker b, and drift looks at one: give tables of one ranker"
    with pytest.raises(GridMismatchError, match=words):
        hc.drift(named, "auc")
    for day, tables in named.items():
        tables.save(tmp_path / f"{day}.hit")
    files = [tmp_path / f"{day}.hit" for day in named]
    refusal = shell("drift", *files).refusal
    assert words in refusal
    assert "--ranker" in refusal
    assert "two has no ranker 'a'" in shell("drift", *files, "--ranker", "a").refusal
    # the ways out
    hc.Tables({"a": two, "b": two}).save(files[1])
    assert shell("drift", *files, "--ranker", "a").code == 0
    assert hc.drift({"one": one, "two": two}, "auc").ranker is None
    assert hc.drift({"one": named["one"], "two": two}, "auc").ranker == "a"


def test_days_with_and_without_weights_are_refused(tmp_path: Path, shell: Shell) -> None:
    rng = np.random.default_rng(3)
    scores = rng.normal(size=450) + Y
    days = {
        "one": hc.count_tables(Y, {"a": scores}),
        "two": hc.count_tables(Y, {"a": scores}, sample_weight=rng.random(450) + 0.5),
    }
    words = "one and two do not compare, since one has weights and the other has none: count both with the column of"
    with pytest.raises(GridMismatchError, match=words):
        hc.drift(days, "auc")
    assert hc.drift({"one": days["two"], "two": days["two"]}, "auc")
    for day, tables in days.items():
        tables.save(tmp_path / f"{day}.hit")
    assert words in shell("drift", tmp_path / "one.hit", tmp_path / "two.hit").refusal


def test_days_of_different_bins_have_a_caution(tmp_path: Path, shell: Shell) -> None:
    rng = np.random.default_rng(4)
    one, two = (rng.normal(size=450) + Y for _ in range(2))
    binned = hc.count_tables(Y, {"a": one}, bins=5)
    days = {
        "exact": hc.count_tables(Y, {"a": two}),
        "full": hc.count_tables(Y, {"a": two}, rows="full"),
        "same": hc.count_tables(Y, {"a": two}, grid=binned),
        "other": hc.count_tables(Y, {"a": two}, bins=5),
    }
    words = "days are not counted in the same bins"
    for name, day in days.items():
        found = hc.drift({"one": binned, name: day}, "auc").cautions
        assert [text.startswith(words) for text in found] == [True] * (name != "same"), name
    assert (
        "(1 day of 2 in bins and the others exactly)" in hc.drift({"a": binned, "b": days["full"]}, "auc").cautions[0]
    )
    assert not hc.drift({name: days[name] for name in ("exact", "full")}, "auc").cautions
    binned.save(tmp_path / "one.hit")
    days["exact"].save(tmp_path / "two.hit")
    assert words in shell("drift", tmp_path / "one.hit", tmp_path / "two.hit").out
