"""A few seconds of ``make fuzz``, and the faults that it found."""

from __future__ import annotations

from collections import UserList, deque
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import hitcurve as hc
from hitcurve.errors import (
    CountError,
    HitcurveError,
    InputError,
    LabelError,
    MetricParseError,
    ParameterError,
    SingleClassError,
    UnreadableFileError,
)
from tests.fuzz.__main__ import block
from tests.fuzz.doors import DOORS, SHARES
from tests.fuzz.doors.commands import judged
from tests.fuzz.doors.results import asks
from tests.shell import in_process


@pytest.mark.slow
@pytest.mark.parametrize("door", DOORS)
def test_no_case_is_a_fault(door: str, tmp_path: Path) -> None:
    result = block(door, 1, range(SHARES[door]), tmp_path)
    assert result.tally["fault"] == 0, result.faults
    assert min(result.tally["confirmed"], result.tally["refused"]) > 0


def test_a_line_may_write_over_a_file_that_others_read(tmp_path: Path) -> None:
    inputs = {"x.csv": b"y,a\n1,2\n0,1\n"}
    (tmp_path / "x.csv").write_bytes(inputs["x.csv"])
    seen: list[dict[str, bytes]] = []
    line = ["data", "mammography", "-o", "x.csv"]
    verdict = judged(Random(0), tmp_path, inputs, line, lambda _out, new, _line, _given: seen.append(new))
    assert verdict.name == "CONFIRMED"
    assert list(seen[0]) == ["x.csv"]
    assert seen[0] != inputs
    assert (tmp_path / "x.csv").read_bytes() == inputs["x.csv"]  # for the next line


def test_messages_that_quote_a_value_take_one_line() -> None:
    with pytest.raises(CountError) as error:
        hc.HitTable.from_counts([[1], [2]], [1, 2])
    assert "\n" not in str(error.value)
    options: dict[str, Any] = {"design": np.array(["x" * 5000, "y"])}
    with pytest.raises(ParameterError) as long:
        hc.evaluate([1, 0], [2, 1], **options)
    assert len(str(long.value)) < 2000


def test_ragged_columns_of_any_container_are_refused() -> None:
    for container in (list, tuple, deque):
        with pytest.raises(InputError, match="one value for each subject"):
            hc.evaluate([1, 0, 1], container([1.0, [2.0, 3.0], (4.0,)]))


SEQUENCES: tuple[Callable[[list[Any]], Any], ...] = (list, tuple, deque, UserList, lambda x: np.array(x, object))


@pytest.mark.parametrize("container", SEQUENCES)
def test_whole_numbers_that_would_be_ties_are_refused_in_any_container(container: Callable[[list[Any]], Any]) -> None:
    y, mixed = [1, 0, 0, 1, 0, 1], container([2**64 - 1, 0, 2**63, 2**63 - 1, np.float32(0.1), 0.5])
    with pytest.raises(InputError, match=r"mixes floats and whole numbers beyond 2\^53"):
        hc.evaluate(y, mixed, metrics="recall@2")
    with pytest.raises(InputError, match=r"mixes floats and whole numbers beyond 2\^53"):
        hc.evaluate("y", "s", data={"y": y, "s": mixed}, metrics="recall@2")
    whole = [2**63 - 1, -1, 0, 2**63 - 1, 2**63 - 2, 5]
    told = {str(hc.evaluate(y, kind(whole), metrics=["auc", "ap"])) for kind in (list, container)}
    assert len(told) == 1


@pytest.mark.parametrize("container", SEQUENCES[:4])
def test_names_and_words_are_the_same_in_any_sequence(container: Callable[[list[Any]], Any]) -> None:
    y, s = [1, 0, 1, 0], [4, 3, 2, 1]
    with pytest.raises(InputError, match="some would become one"):
        hc.evaluate(y, s, by=container([2**53, 2**53 + 1, 0.5, 0.5]), metrics="auc")
    for words in (["yes", "no", None, "no"], ["yes\0", "no", "yes", "no"]):
        with pytest.raises(InputError):
            hc.evaluate(container(words), s, metrics="auc")


@pytest.mark.filterwarnings("ignore::hitcurve.errors.DirectionWarning")
def test_average_precision_of_the_reversed_order_is_that_of_its_own_weights() -> None:
    heavy = [1e6, 2.0**63, 3.25, 0.5]
    found = hc.evaluate([0, 1, 1, 1], [3, 2, 1, 0], metrics=["ap", "scaled_ap"], sample_weight=heavy)
    share = 2.0**63 / (1e6 + 2.0**63)
    assert found["score", "ap"].value == pytest.approx(share, rel=1e-15, abs=0)
    tied = hc.evaluate(tables={"a": hc.HitTable.from_counts([0, 10**12], [1, 0])}, metrics="ap")
    assert tied["a", "ap"].value == pytest.approx(1 - 1e-12, rel=1e-15, abs=0)


@pytest.mark.slow
def test_json_lines_may_share_a_line(tmp_path: Path) -> None:
    objects = ['{"y": 0, "s": 0.5}', '{"y": 1, "s": 2}', '{"y": 0, "s": 2}', '{"y": 1, "s": 1}']
    told = set()
    for mark in ("\n", "", " ", "\r\n"):
        (tmp_path / "x.jsonl").write_bytes(mark.join(objects).encode())
        told.add(str(hc.evaluate("y", "s", data=str(tmp_path / "x.jsonl"), metrics=["auc", "ap"])))
    assert len(told) == 1
    for mark in (",", "x", "\u2028"):
        (tmp_path / "x.jsonl").write_text(mark.join(objects), encoding="utf-8")
        with pytest.raises(UnreadableFileError, match="JSON"):
            hc.evaluate("y", "s", data=str(tmp_path / "x.jsonl"), metrics="auc")


def test_lines_of_runs_end_at_a_line_feed_and_their_fields_at_ascii_blanks(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_bytes("1 0 d\u2028 1\n1\r0\rd1\r19223372036854775807\r\n".encode())
    assert hc.read_qrels(tmp_path / "qrels") == {"1": {"d\u2028": 1, "d1": 19223372036854775807}}
    (tmp_path / "qrels").write_bytes(b"1 0 d0 1\r1 0 d1 0\r")  # which would be one line of 8 fields
    with pytest.raises(InputError, match="line 1: 8 fields"):
        hc.read_qrels(tmp_path / "qrels")


def test_decimal_commas_are_read_where_another_character_parts_the_cells(tmp_path: Path) -> None:
    rows, told = [("y", "s"), ("1", "1,5"), ("0", "1"), ("1", "0,25"), ("0", "0")], set()
    for mark, end in ((";", "\r\n"), ("\t", "\r"), ("|", "\n")):
        (tmp_path / "x.csv").write_text(end.join(map(mark.join, rows)) + end, newline="")
        told.add(hc.evaluate("y", "s", data=str(tmp_path / "x.csv"), metrics="ap")["s", "ap"].value)
    assert told == {hc.evaluate([1, 0, 1, 0], {"s": [1.5, 1, 0.25, 0]}, metrics="ap")["s", "ap"].value}


def test_whole_numbers_of_128_bits_are_counts_and_ranks() -> None:
    values = pl.Series([1, 2], dtype=pl.Int128)
    assert hc.HitTable.from_counts(values, [1, 0]) == hc.HitTable.from_counts([1, 2], [1, 0])
    assert hc.HitTable.from_ranks(values, 5) == hc.HitTable.from_ranks([1, 2], 5)


def test_a_window_without_width_has_no_scale_of_mcclish() -> None:
    with pytest.raises(MetricParseError, match="divides by the distance"):
        hc.metric(f"pauc(fpr, {1 - 2**-53}, 1, scale=mcclish)")
    with pytest.raises(MetricParseError, match="has no width"):
        hc.metric("pauc(tpr, 0.3, 0.30000000000000004, scale=max)")


def test_more_points_than_numbers_are_refused() -> None:
    with pytest.raises(MetricParseError, match="at most 2"):
        hc.metric("interpolated_ap(points=1e300)")


def test_ranks_of_a_small_type_in_a_long_list() -> None:
    for small in (np.float16, np.float32, np.int8):
        assert hc.HitTable.from_ranks(np.array([1, 2], small), 2**62) == hc.HitTable.from_ranks([1, 2], 2**62)


def test_an_array_without_an_axis_is_no_list_of_metrics() -> None:
    with pytest.raises(InputError):
        hc.evaluate([1, 0], [2, 1], metrics=np.array(0.5))


def test_parameters_are_numbers_with_all_their_digits() -> None:
    for form in ("croc(exp, alpha=5e-324)", "bedroc(alpha=1e-310)", "magnified_area(x=exp(alpha=1e-305))"):
        with pytest.raises(MetricParseError, match="must be at least 1e-300"):
            hc.metric(form)


WORDS: dict[str, tuple[str, ...]] = {
    "evaluate": ("missing", "undefined", "single_class", "interval_method", "design"),
    "verified": ("missing",),
    "compare": ("method", "alternative", "interval"),
    "compare_all": ("method", "alternative", "interval", "adjust"),
    "of groups": ("method", "alternative", "interval"),
    "all of groups": ("method", "alternative", "interval", "adjust"),
    "average_curve": ("along", "curve"),
    "sql": ("label", "score", "table", "dialect"),
    "two samples": ("method", "alternative", "interval"),
    "of one evaluation": ("method", "alternative", "interval"),
    "made before": ("method", "alternative", "interval"),
    "censored": ("method", "alternative", "interval"),
    "summaries": ("alternative",),
}
NO_WORDS = (
    pd.Series([1, 2]), pd.DataFrame({"a": [1]}), pd.NA, pl.Series([1, 2]), np.array(["raise", "x"]),
    np.array([[1], [2]]),
    np.array("raise"), ["raise"], object(), 1, b"raise", True, float("nan"),
)  # fmt: skip


@pytest.fixture(scope="module")
def takes_words() -> dict[str, Callable[..., Any]]:
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    scores = {name: rng.normal(size=60) + y for name in "ab"}
    ev, of_groups = (hc.evaluate(y, scores, metrics="auc", by=by) for by in (None, np.arange(60) // 2 % 5))
    seen = np.where(np.arange(60) < 50, y, np.nan)
    two = hc.evaluate(y, scores, metrics="auc", paired=False)
    made = hc.evaluate(y, scores, metrics="auc")
    made.compare_ahead()
    censored = hc.evaluate_survival(rng.exponential(size=60), y, scores, horizons=1, metrics="auc")
    return {
        "evaluate": partial(hc.evaluate, y, scores, metrics="auc"),
        "verified": partial(hc.evaluate, seen, scores, metrics="auc", verification=np.full(60, 0.5)),
        "compare": partial(ev.compare, "a", "b", "auc"),
        "compare_all": partial(ev.compare_all, "auc"),
        "of groups": partial(of_groups.compare, "a", "b", "auc"),
        "all of groups": partial(of_groups.compare_all, "auc"),
        "average_curve": partial(of_groups.average_curve, "a"),
        "sql": partial(hc.sql, label="y", score="a"),
        "two samples": partial(hc.compare, (y, y), scores["a"], scores["b"], metric="auc", paired=False),
        "of one evaluation": partial(two.compare, "a", "b", "auc"),
        "made before": partial(made.compare, "a", "b", "auc"),
        "censored": partial(censored.compare, "a", "b", "auc"),
        "summaries": partial(hc.compare_from_stats, 0.8, 0.1, 5, 0.7, 0.1, 5),
    }


@pytest.mark.parametrize(("call", "word"), [(call, word) for call, words in WORDS.items() for word in words])
def test_what_is_no_word_is_no_option(call: str, word: str, takes_words: dict[str, Callable[..., Any]]) -> None:
    for value in NO_WORDS:
        with pytest.raises(InputError, match=word):
            takes_words[call](**{word: value})


@pytest.mark.parametrize("digit", ["\N{ARABIC-INDIC DIGIT ONE}", "\N{FULLWIDTH DIGIT ONE}", "0_1"])
def test_labels_are_numbers_as_files_write_them(digit: str, tmp_path: Path) -> None:
    with pytest.raises(LabelError, match="does not occur"):
        hc.evaluate([1, 0, 1, 0], {"a": [4, 3, 2, 1]}, metrics="auc", pos_label=digit)
    path = tmp_path / "t.csv"
    path.write_text("y,a\n1,4\n0,3\n1,2\n0,1\n")
    with pytest.raises(LabelError, match="does not occur"):
        hc.evaluate("y", ["a"], data=path, metrics="auc", pos_label=digit)


def test_a_number_and_its_text_are_one_label() -> None:
    for last in ("1", 1, True):
        mixed = pd.Series([1, "1", last], dtype=object)
        with pytest.raises(SingleClassError):
            hc.evaluate(mixed, {"a": [1, 2, 3]}, metrics="auc", pos_label="1")


@pytest.mark.parametrize("share", [5e-324, 1e-300, 1e-17])
def test_a_test_set_is_a_share_of_some_data(share: float) -> None:
    folds = [0, 0, 0, 0, 1, 1, 1, 1]
    with pytest.raises(ParameterError, match="too small"):
        hc.evaluate([1, 0, 1, 0] * 2, {"a": range(8)}, metrics="auc", folds=folds, test_fraction=share)


@pytest.fixture(scope="module")
def takes_numbers() -> dict[str, Callable[[Any], Any]]:
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    scores = {name: rng.normal(size=60) + y for name in "ab"}
    days = {name: hc.HitTable.from_scores(y, scores[name]) for name in "ab"}
    ev, markers = hc.evaluate(y, scores, metrics="auc"), np.stack(list(scores.values()), axis=1)
    of_cases: dict[str, Any] = {"reader": np.repeat([1, 2], 60), "case": np.tile(np.arange(60), 2)}
    read = partial(hc.evaluate_readers, np.tile(y, 2), np.concatenate(list(scores.values())), **of_cases)
    return {
        "draws": lambda number: hc.drift(days, "auc", draws=number),
        "swaps": lambda number: ev.compare("a", "b", "auc", method="swap-permutation", n_resamples=number),
        "replicates": lambda number: hc.bootstrap(days["a"], "auc", n_resamples=number).tolist(),
        "replicates of a band": lambda number: ev.band("a", "roc", method="bootstrap", n_resamples=number),
        "horizon": lambda number: ev.compare("a", "b", "auc", method="anytime", horizon=number),
        "level of a band": lambda number: ev.band("a", "roc", confidence_level=number / 240),
        "level of replicates": lambda number: hc.band(days["a"], method="bootstrap", confidence_level=number / 240),
        "prevalence": lambda number: hc.evaluate(y, scores, metrics="ap", prevalence=number / 240).to_json(),
        "prevalence of a screen": lambda number: str(hc.screen(markers, y, prevalence=number / 240)),
        "prevalence of cases": lambda number: read(metrics="ap", prevalence=number / 240),
        "overlap": lambda number: hc.average_curve(list(days.values()), overlap=number / 240),
    }


NUMBERS: tuple[Callable[[int], Any], ...] = (
    float, np.float64, np.int16, np.float16, np.longdouble, np.array, Fraction, Decimal
)  # fmt: skip


@pytest.mark.parametrize("door", [
    "draws", "swaps", "replicates", "replicates of a band", "horizon", "level of a band", "level of replicates",
    "prevalence", "prevalence of a screen", "prevalence of cases", "overlap",
])  # fmt: skip
def test_a_number_of_another_type_is_the_same_number(door: str, takes_numbers: dict[str, Callable[[Any], Any]]) -> None:
    expected = str(takes_numbers[door](120))
    for kind in NUMBERS:
        try:
            assert str(takes_numbers[door](kind(120))) == expected, kind
        except ParameterError:
            assert kind in (Fraction, Decimal, np.longdouble, np.float16)  # no whole number


@pytest.mark.parametrize("level", [5e-324, 1e-300, 1e-16, 1 - 2**-53])
def test_levels_whose_quantiles_have_no_digits_are_refused(level: float) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    scores = {name: rng.normal(size=60) + y for name in "ab"}
    days, ev = {name: hc.HitTable.from_scores(y, scores[name]) for name in "ab"}, hc.evaluate(y, scores, metrics="auc")
    calls: tuple[Callable[[], Any], ...] = (
        lambda: hc.evaluate(y, scores, metrics="ap", confidence_level=level),
        lambda: hc.drift(days, "ap", confidence_level=level),
        lambda: hc.screen(np.stack(list(scores.values()), axis=1), y, confidence_level=level),
        lambda: hc.average_curve(list(days.values()), confidence_level=level),
        lambda: ev.band("a", "roc", confidence_level=level),
        lambda: ev.winner("auc", confidence_level=level),
        lambda: ev["a", "auc"].confidence_interval(level),
        lambda: hc.power_analysis("auc", ev, 0.1, power=0.8, significance=level),
    )
    for call in calls:
        with pytest.raises(ParameterError, match=r"must lie between 1e-15 and 1 - 1e-15"):
            call()
    with pytest.raises(ParameterError, match="at least 1e-60"):
        hc.rates.Beta(2, 3).quantile(5e-324)


@pytest.mark.parametrize("n_neg", [6, 10, 11, 12, 100])
def test_a_cluster_that_holds_a_class_is_the_whole_of_it(n_neg: int) -> None:
    # shares of 1/6 each add up to a hair below 1
    y, scores = [1, 1, *[0] * n_neg], [1, 1, 0, 4, *[1] * (n_neg - 4), 0, 0]
    found = hc.evaluate(y, {"a": scores}, metrics="auc", clusters=[0, *[1] * (n_neg + 1)])
    assert found["a", "auc"].standard_error == 0


def test_words_of_numbers_in_a_screen_are_numbers_as_files_write_them() -> None:
    y, plain = [1, 0, 1, 0, 0], [3, 1, 2.5, -1, 0]
    expected = hc.screen(np.array(plain)[:, None], y, names=["a"]).to_csv()
    words, mixed = ["3", " 1", "2.5", "-1", "0e0"], [3, " 1", 2.5, "-1", 0]
    for X in (np.array(words)[:, None], np.array(words, object)[:, None], pd.DataFrame({"a": mixed}, dtype=object)):
        assert hc.screen(X, y, names=["a"]).to_csv() == expected
    for odd in ("1_0", "\N{ARABIC-INDIC DIGIT ONE}", "1e400", b"1"):
        with pytest.raises(InputError, match="must hold real numbers"):
            hc.screen(np.array([3, odd, 2, 1, 0], object)[:, None], y)
    with pytest.raises(InputError, match="equal as 64-bit floats"):
        hc.screen(np.array([str(2**53), str(2**53 + 1), "0.5", "1", "2"], object)[:, None], y)


@pytest.mark.parametrize("names", [np.array(0.5), {"a", "b"}, {"a": 1, "b": 2}, b"ab", 2])
def test_names_of_markers_are_a_list(names: Any) -> None:
    with pytest.raises(ParameterError, match="must be a list of names"):
        hc.screen(np.arange(10).reshape(5, 2), [1, 0, 1, 0, 0], names=names)


def test_an_interval_of_means_contains_their_difference() -> None:
    for mean in (5.5, 84.5, -0.1, 1 + 2**-52):
        with pytest.raises(ParameterError, match=r"values of auc lie in \[0, 1\]"):
            hc.compare_from_stats(mean, 0.1, 10, 0.5, 0.1, 10, metric="auc")
    found = hc.compare_from_stats(1, 0.1, 10, 0, 0.1, 10, metric="auc").difference
    assert found.confidence_interval().low < found.value == found.confidence_interval().high


@pytest.mark.parametrize("size", [1e-90, 1.0, 1e90])
def test_summaries_have_a_test_in_any_unit(size: float) -> None:
    in_units: list[Any] = [x * size if i % 3 < 2 else int(x) for i, x in enumerate((0.8, 0.1, 5, 0.7, 0.2, 9))]
    found, plain = hc.compare_from_stats(*in_units), hc.compare_from_stats(0.8, 0.1, 5, 0.7, 0.2, 9)
    assert found.statistic == pytest.approx(plain.statistic, rel=1e-13)
    assert found.degrees_of_freedom == pytest.approx(plain.degrees_of_freedom, rel=1e-13)


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), 1e200, 1e-200])
def test_differences_without_a_size_are_refused(number: float) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    scores = {name: rng.normal(size=60) + y for name in "ab"}
    ev, of_groups = hc.evaluate(y, scores, metrics="auc"), hc.evaluate(y, scores, metrics="auc", by=np.arange(60) // 20)
    two = hc.evaluate(y, scores, metrics="auc", paired=False)
    calls: tuple[Callable[[], Any], ...] = (
        lambda: ev.compare("a", "b", "auc", null=number),
        lambda: two.compare("a", "b", "auc", null=number),
        lambda: of_groups.compare("a", "b", "auc", null=number),
        lambda: ev.contrast({"a": 1, "b": -1}, "auc", null=number),
        lambda: ev.contrast({"a": number, "b": -1}, "auc"),
        lambda: hc.SequentialComparison("auc", horizon=100, null=number),
        lambda: hc.compare_from_stats(ev["a", "auc"], ev["b", "auc"], null=number),
        lambda: hc.compare_from_stats(number, 0.1, 10, 0.5, 0.1, 10),
        lambda: hc.compare_from_stats(0.5, abs(number), 10, 0.5, 0.1, 10),
    )
    for call in calls:
        with pytest.raises(ParameterError, match="must be 0 or between 1e-100 and 1e\\+100 in size"):
            call()


def test_a_correlation_of_six_numbers_is_refused_as_what_it_is() -> None:
    compared: Callable[..., Any] = hc.compare_from_stats
    for correlation in (pl.Series([1, 2]), np.array([0.5, 1]), "high"):
        with pytest.raises(ParameterError, match="correlation must be a number"):
            compared(0.8, 0.1, 5, 0.7, 0.1, 5, correlation=correlation)


@pytest.fixture(scope="module")
def takes_sizes() -> dict[str, Callable[[Any], Any]]:
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    scores = {name: rng.normal(size=60) + y for name in "ab"}
    ev, of_groups = hc.evaluate(y, scores, metrics="auc"), hc.evaluate(y, scores, metrics="auc", by=np.arange(60) // 20)
    censored = hc.evaluate_survival(rng.exponential(size=60), y, scores, horizons=1, metrics="auc")
    return {
        "groups of a mean": lambda size: hc.compare_from_stats(0.8, 0.1, size, 0.7, 0.1, 10),
        "positives": lambda size: ev.power_analysis("auc", 0.1, n_pos=size),
        "negatives": lambda size: ev.power_analysis("auc", 0.1, n_pos=100, n_neg=size),
        "groups": lambda size: of_groups.power_analysis("auc", 0.1, n_groups=size),
        "subjects": lambda size: censored.power_analysis("auc", 0.1, subjects=size),
        "labels": lambda size: hc.SequentialComparison("auc", horizon=size),
        "labels of one look": lambda size: ev.compare("a", "b", "auc", method="anytime", horizon=size),
        "found": lambda size: hc.stopping(found=size, unread=100, sampled=10, hits=0),
        "rank": lambda size: ev.confusion("a", k=size),
        "draws": lambda size: ev.compare("a", "b", "auc", method="bootstrap", n_resamples=size),
        "length": lambda size: hc.HitTable.from_ranks([1, 3], size),
        "cutoff": lambda size: hc.metrics.HitsAt(at=size),
        "points": lambda size: hc.metrics.InterpolatedAP(points=size),
    }


@pytest.mark.slow
@pytest.mark.parametrize("door", [
    "groups of a mean", "positives", "negatives", "groups", "subjects", "labels", "labels of one look", "found", "rank",
    "draws", "length", "cutoff", "points",
])  # fmt: skip
def test_sizes_that_nothing_has_are_refused(door: str, takes_sizes: dict[str, Callable[[Any], Any]]) -> None:
    for size in (2**62 + 1, 1.7976931348623157e308, 10**400, 10**5000, -(10**5000)):
        with pytest.raises(InputError) as error:
            takes_sizes[door](size)
        assert len(str(error.value)) < 300


ODD_ONES: tuple[Any, ...] = (
    np.array(0.5), np.array([1, 2]), pd.Series([1.0, 2.0]), pl.Series([1, 2]), pd.NA, {}, ..., Fraction(1, 3), object(),
    int,
)  # fmt: skip


@pytest.mark.parametrize(("call", "name"), [
    ("Numbers.ties", "ranker"), ("ComparedNumbers.compare", "first"), ("GroupNumbers.mean", "ranker"),
    ("SurvivalNumbers.at", "horizon"), ("ComparedNumbers.power_analysis", "rankers"),
    ("GroupedEvaluation.power_analysis", "rankers"), ("SurvivalEvaluation.power_analysis", "rankers"),
    ("LinearNumbers.covariance", "rankers"), ("LinearNumbers.covariance", "metrics"),
    ("LinearNumbers.contrast", "weights"), ("LinearNumbers.contrast", "metric"), ("average_curve", "tables"),
    ("drift", "tables"), ("superscripts", "comparisons"), ("GroupCuts.certify", "together"),
    ("Numbers.to_frame", "wide"), ("Numbers.to_frame", "backend"), ("GroupNumbers.to_frame", "backend"),
    ("Shown.to_latex", "standard_error"),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
def test_what_results_are_not_asked_is_refused(call: str, name: str) -> None:
    ask = next(ask for ask in asks() if getattr(ask.call, "__qualname__", "") == call)
    assert str(ask())
    for odd in ODD_ONES:
        with pytest.raises(HitcurveError) as error:
            ask(**{name: odd})
        assert "\n" not in str(error.value)


def test_thresholds_have_a_cost_that_is_a_number() -> None:
    y = np.arange(60) % 2
    ev = hc.evaluate(y, {"a": np.linspace(0.1, 0.9, 60)}, metrics="auc")
    for threshold in (5e-324, 1e-300):
        with pytest.raises(ParameterError, match="thresholds must be at least"):
            ev.decision_curve("a", [threshold, 0.5])


@pytest.mark.parametrize("name", ["new.hit", "new.svg", "new.pdf", "new.png"])
def test_numbers_are_not_written_in_files_named_as_others(name: str, tmp_path: Path) -> None:
    for day in "ab":
        hc.count_tables(np.arange(60) % 2, {"a": np.arange(60) % 7}).save(tmp_path / f"{day}.hit")
    for command in ("drift", "evaluate"):
        files = ["a.hit"] if command == "evaluate" else ["a.hit", "b.hit"]
        done = in_process(command, *files, "-m", "auc", "-f", "json", "-o", name, cwd=tmp_path)
        assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1), done
        assert f"contradicts --output {name}" in done.stderr
        assert not (tmp_path / name).exists()
    assert in_process("demo", "-o", name, cwd=tmp_path).returncode == 2
    assert not (tmp_path / name).exists()


def test_numbers_of_thousands_of_digits_are_refused_in_a_sentence() -> None:
    number: Any = 10**5000
    nested: Any = [[number]]
    calls: list[Callable[[], Any]] = [
        lambda: hc.evaluate([1, 0], [2, 1], metrics=[number]),
        lambda: hc.evaluate([1, 0], [2, 1], metrics=nested),
        lambda: hc.evaluate([1, 0], [2, 1], missing=number),
        lambda: hc.evaluate([1, 0], [2, 1], pos_label=number),
        lambda: hc.evaluate([1, 0, number], [2, 1, 0]),
        lambda: hc.evaluate("y", [number], data={"y": [1, 0], "s": [2, 1]}),
        lambda: hc.evaluate(number, ["s"], data={"y": [1, 0], "s": [2, 1]}),
        lambda: hc.evaluate([1, 0, 1], [3, 2, 1], metrics="auc")[number, "auc"],
        lambda: hc.HitTable.from_counts([[number]], [1]),
        lambda: hc.magnify.magnification(number),
    ]
    for call in calls:
        with pytest.raises(HitcurveError) as refused:
            call()
        assert len(str(refused.value)) < 250


def test_names_of_files_that_are_too_long(tmp_path: Path) -> None:
    name = tmp_path / ("x/" * 3000)
    table = hc.HitTable.from_scores([1, 0], [2, 1])
    for call in (table.save, hc.load_table, hc.read_qrels, hc.from_json):
        with pytest.raises(UnreadableFileError, match="its name is too long"):
            call(name)
