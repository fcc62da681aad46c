"""Thousands of groups: how often data are read, what is made of each group, and refusals that leave the others."""

from __future__ import annotations

import math
import pickle
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hitcurve as hc
from hitcurve._progress import ROWS
from hitcurve.errors import (
    ConstantScoreWarning,
    DirectionWarning,
    HitcurveWarning,
    InputError,
    MissingValueError,
    SaturationWarning,
    SingleClassError,
    TwoValuedScoreWarning,
    UndefinedMetricError,
    UndefinedMetricWarning,
)
from hitcurve.evaluation import Evaluation, evaluate_groups, evaluate_source
from hitcurve.evaluation.passes.two_passes import build_evaluation
from hitcurve.metrics import metrics
from hitcurve.sources import Block, Reading, Source, arrays, columns, once
from hitcurve.sources.files import FileSource
from hitcurve.sources.named import codes_of
from tests.metrics_under_test import FORMS

T = TypeVar("T")
WORDS = ["b", "a", "b", "c d ", "a\0", "a", "é", "nan", "c d "]
WITHOUT_CUT = ("ap", "auc", "croc(exp, alpha=7)", "rauc")


@dataclass
class Counting:
    """A source that counts how often it is read."""

    whole: Source
    reads: int = field(default=0)

    @property
    def rankers(self) -> tuple[str, ...]:
        return self.whole.rankers

    @property
    def reading(self) -> Reading:
        return self.whole.reading

    @property
    def notes(self) -> tuple[str, ...]:
        return self.whole.notes

    def reduce(self, map: Callable[[Block], T], combine: Callable[[T, T], T]) -> T:
        self.reads += 1
        return self.whole.reduce(map, combine)


def made(groups: int = 100, size: int = 30, seed: int = 0) -> dict[str, Any]:
    """Columns of groups with ties, five of either class at least."""
    rng = np.random.default_rng(seed)
    y = (rng.random((groups, size)) < 0.3).astype(int)
    y[:, :5], y[:, 5:10] = 1, 0
    y = y.ravel()
    return {
        "y": y,
        "a": np.round(rng.normal(size=y.size) + y, 1),
        "b": np.round(rng.normal(size=y.size) + y, 1),
        "group": np.repeat(np.arange(groups), size),
        "cluster": np.arange(y.size) // 2,
    }


def written(folder: Path, columns: dict[str, Any]) -> FileSource:
    lines = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    (folder / "t.csv").write_text("\n".join([",".join(columns), *lines]) + "\n")
    return FileSource((folder / "t.csv",), "y", ("a", "b"), Reading(), cluster="cluster", by="group")


@pytest.mark.parametrize("passes", [1, 2])
def test_a_file_is_read_once_or_twice_and_once_more_for_what_needs_its_subjects(
    passes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if passes == 2:  # it does not fit
        monkeypatch.setattr(once, "_MOST_BYTES", 1000)
    source = Counting(written(tmp_path, made(30)))
    found = evaluate_groups(source, metrics(WITHOUT_CUT), by="group")
    assert source.reads == passes
    assert found.values("a", "ap").size == 30
    assert len(found.pooled.tables) == 2
    assert source.reads == passes
    assert math.isfinite(found.mean("a", "ap").within_error)  # clusters
    found.to_dict()
    kept = found.without_data()
    assert source.reads == passes + 1
    assert kept["7"].compare("a", "b", "auc", method="delta").pvalue == pytest.approx(
        evaluate_groups(source.whole, metrics(WITHOUT_CUT), by="group")["7"].compare("a", "b", "auc").pvalue
    )
    assert pickle.loads(pickle.dumps(kept))["29", "b", "rauc"].standard_error == (
        kept["29", "b", "rauc"].standard_error
    )
    assert source.reads == passes + 1


def test_cuts_inside_gaps_take_two_passes_more_for_all_groups_together(tmp_path: Path) -> None:
    source = Counting(written(tmp_path, made(20)))
    found = evaluate_groups(source, metrics(["ap", "recall@20%"]), by="group").without_data()
    assert source.reads <= 4
    assert math.isfinite(found["3", "a", "recall@20%"].standard_error)


def test_one_list_is_read_twice_unless_it_fits_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = made(1)
    source = Counting(arrays(columns["y"], {"a": columns["a"]}))
    evaluate_source(source, metrics("ap"))
    assert source.reads == 1
    monkeypatch.setattr(once, "_MOST_BYTES", 100)
    evaluate_source(source, metrics("ap"))
    assert source.reads == 3


@pytest.mark.slow
def test_numbers_of_all_groups_are_made_without_an_object_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Evaluation] = []

    def counted(*args: Any, **options: Any) -> Evaluation:
        asked.append(build_evaluation(*args, **options))
        return asked[-1]

    monkeypatch.setattr("hitcurve.evaluation.views.build_evaluation", counted)
    columns = made(50)
    found: hc.GroupedEvaluation = hc.evaluate(
        columns["y"], {"a": columns["a"], "b": columns["b"]}, by=columns["group"], metrics=["ap", "auc"]
    )
    found.values("a", "ap")
    found.mean("b", "auc")
    found.to_frame()
    found.to_frame(per="mean")
    found.to_dict()
    found.compare("a", "b", "ap")
    str(found)
    assert len(asked) <= 1  # one, that says whether the metric was evaluated
    assert found["12"] is found["12"]
    assert len(asked) == 2


# any two of a metric, weights and a prevalence
@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("prevalence", [None, 0.02])
def test_columns_are_what_each_group_says_alone(weighted: bool, prevalence: float | None) -> None:
    columns = made(5, 24)
    kept = np.flatnonzero((columns["group"] % 2 == 0) | (np.arange(columns["y"].size) % 24 < 17))  # unlike lengths
    columns = {name: column[kept] for name, column in columns.items()}
    weight = np.random.default_rng(1).integers(1, 4, columns["y"].size) / 2 if weighted else None
    forms = FORMS[weighted ^ (prevalence is None) :: 2]
    options: dict[str, Any] = {"metrics": forms, "undefined": "nan", "prevalence": prevalence}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HitcurveWarning)
        found = hc.evaluate(columns["y"], columns["a"], by=columns["group"], sample_weight=weight, **options)
        records = found.to_dict()["groups"]
        own_records = [(name, own) for name, ev in found.groups.items() for own in ev.to_dict()["results"]]
    assert len(records) == 5 * len(forms)
    for record, (name, alone) in zip(records, own_records, strict=True):
        assert record["group"] == name
        assert set(record) - {"group"} == set(alone)
        for key, value in alone.items():
            if value is None or isinstance(value, str):
                assert record[key] == value
            else:
                assert record[key] == pytest.approx(value, rel=1e-9, abs=1e-12, nan_ok=True), (name, record, key)


def test_two_refused_lists_leave_998() -> None:
    columns = made(1000, 12)
    y, s = columns["y"].reshape(1000, 12).copy(), columns["a"].reshape(1000, 12).copy()
    y[17], y[633] = 0, 1
    call: dict[str, Any] = {"by": columns["group"], "metrics": ["ap", "auc"], "single_class": "skip"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HitcurveWarning)
        found = hc.evaluate(y.ravel(), s.ravel(), **call)
    assert len(found) == 998
    assert found.left_out == {"17": "no positives", "633": "no negatives"}
    assert not np.isnan(found.values("score", "auc")).any()
    with pytest.raises(SingleClassError, match=r"1 of 1000 groups have no positives \('17'\)"):
        hc.evaluate(y.ravel(), s.ravel(), by=columns["group"], metrics="ap")


def test_an_undefined_metric_names_its_groups() -> None:
    columns = made(1000, 12)
    s = columns["a"].reshape(1000, 12) + 10 * columns["y"].reshape(1000, 12)
    s[17], s[633] = -s[17], -s[633]  # positives last: momentum is undefined
    call: dict[str, Any] = {"by": columns["group"], "metrics": ["momentum", "auc"]}
    with pytest.warns(
        UndefinedMetricWarning, match=r"in 2 of 1000 groups \('17', '633'\): momentum of 'score' is undefined"
    ):
        found = hc.evaluate(columns["y"], s.ravel(), undefined="nan", **call)
    values = found.values("score", "momentum")
    assert np.flatnonzero(np.isnan(values)).tolist() == [17, 633]
    assert found.mean("score", "momentum").n_groups == 998
    assert [str(w) for w in found["633"].warnings if isinstance(w, UndefinedMetricWarning)]
    with pytest.raises(UndefinedMetricError, match=r"^in 2 of 1000 groups \('17', '633'\): momentum "):
        hc.evaluate(columns["y"], s.ravel(), **call)


def test_too_few_for_an_interval_leaves_the_intervals_of_others() -> None:
    columns = made(30, 24)
    y = columns["y"].reshape(30, 24).copy()
    y[4], y[4, 0] = 0, 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HitcurveWarning)
        found = hc.evaluate(y.ravel(), columns["a"], by=columns["group"], metrics="auc")
    there = [record["group"] for record in found.to_dict()["groups"] if record["low"] is not None]
    assert there == [name for name in found if name != "4"]
    assert math.isnan(found.mean("score", "auc").within_error)


def test_kinds_of_warnings_come_in_the_order_of_the_groups_that_have_them() -> None:
    columns = made(6, 12)
    s = columns["a"].reshape(6, 12).copy()
    s[2] = s[2] > 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HitcurveWarning)
        found = hc.evaluate(columns["y"], s.ravel(), by=columns["group"], metrics="auc")
    said = [w for w in found.warnings if isinstance(w, TwoValuedScoreWarning)]
    assert [str(w).partition(":")[0] for w in said] == ["in 1 of 6 groups ('2')"]
    assert [type(w) for w in found["2"].warnings][:1] == [TwoValuedScoreWarning]


def test_tables_of_several_kinds_are_evaluated_together() -> None:
    rng = np.random.default_rng(7)
    tables = {}
    for i in range(8):
        y = np.r_[np.ones(6, int), np.zeros(14, int)]
        table = hc.HitTable.from_scores(y, np.round(rng.normal(size=20) + y, 1))
        kinds = [table, table.collapse(), hc.HitTable.from_counts(table.pos, table.neg), table.at_prevalence(0.1)]
        tables[f"t{i}"] = {"a": kinds[i % 4], "b": table}
    found = hc.evaluate(tables=tables, metrics=["ap", "auc", "precision@10%"], undefined="nan")
    for name, of in tables.items():
        assert found[name].tables == of
        for ranker, form in (("a", "ap"), ("b", "auc"), ("a", "precision@10%")):
            place = list(found).index(name)
            assert found.values(ranker, form)[place] == pytest.approx(hc.metric(form).value(of[ranker]), rel=1e-14)


def test_each_warning_names_the_groups_of_which_it_is_true() -> None:
    y, by = [1, 0, 0] * 4, np.repeat(list("wxyz"), 3)
    scores = {"a": [3, 2, 1, 3, 2, 1, 1, 0, 0, 7, 7, 7], "b": [5, 5, 5, 1, 0, 0] + [3, 2, 1] * 2}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HitcurveWarning)
        found = hc.evaluate(y, scores, by=by, metrics=["auc", "momentum"], undefined="nan")
    said = {type(w): str(w) for w in found.warnings}
    two, one = said[TwoValuedScoreWarning], said[ConstantScoreWarning]
    assert two.split("; ")[0].startswith("in 1 of 4 groups ('y'): 'a' has only two values")
    assert two.split("; ")[1].startswith("in 1 of 4 groups ('x'): 'b' has only two values")
    assert "in 1 of 4 groups ('z'): 'a' is constant" in one
    assert "in 1 of 4 groups ('w'): 'b' is constant" in one
    for name in found:  # what is said of a group is what its own evaluation says
        for kind, text in ((TwoValuedScoreWarning, two), (ConstantScoreWarning, one)):
            own = [str(w) for w in found[name].warnings if type(w) is kind]
            assert all(sentence in text for sentence in own)
            assert (f"('{name}')" in text) == bool(own)


def test_reasons_that_differ_in_numbers_are_said_once_with_those_of_one_group() -> None:
    y = np.concatenate([np.r_[np.ones(k, int), np.zeros(40 - 4 * k, int)] for k in (3, 4, 5, 6, 7)])
    by = np.repeat(np.arange(5), [40 - 3 * k for k in (3, 4, 5, 6, 7)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HitcurveWarning)
        found = hc.evaluate(
            y,
            {"a": np.arange(y.size)},
            by=by,
            metrics=["bedroc(alpha=20)", "precision@20", "precision@30"],
            undefined="nan",
        )
    said = {type(w): str(w) for w in found.warnings}
    own = next(str(w) for w in found["0"].warnings if isinstance(w, SaturationWarning))
    assert said[SaturationWarning] == (
        f"in 5 of 5 groups ('0', '1', '2', '3', '4'): {own} (the numbers are those of '0')"
    )
    # metrics that differ in a number stay apart
    assert said[UndefinedMetricWarning] == (
        "in 1 of 5 groups ('4'): precision@20 of 'a' is undefined: a cutoff at rank 20 exceeds the list of 19 "
        "subjects; in 4 of 5 groups ('1', '2', '3', '4'): precision@30 of 'a' is undefined: a cutoff at rank 30 "
        "exceeds the list of 28 subjects (the numbers are those of '1')"
    )


def test_directions_are_said_of_the_groups_and_of_the_list_that_have_them() -> None:
    rng = np.random.default_rng(0)
    y, by = np.tile(np.repeat([1, 0], [15, 45]), 5), np.repeat(list("abcde"), 60)
    s = rng.normal(size=300) + 1.5 * y
    turned = np.where(by == "b", -s, s)
    with pytest.warns(DirectionWarning, match=r"in 1 of 5 groups \('b'; the lowest is 0.\d+\), and the mean"):
        hc.evaluate(y, turned, by=by, metrics="auc")
    # groups of many positives have the lower scores: no group is turned round, the list of all is
    y = np.concatenate([np.repeat([1, 0], [k, 40 - k]) for k in (30, 20, 10, 4)])
    by = np.repeat([0, 1, 2, 3], 40)
    s = rng.normal(size=160) + 1.5 * y + 4 * by
    with pytest.warns(DirectionWarning, match=r"AUC of all groups pooled is below one half for 'score' \(0.2"):
        found = hc.evaluate(y, s, by=by, metrics="auc")
    assert found.mean("score", "auc").value > 0.8


def test_the_reason_without_an_error_within_groups_names_the_groups() -> None:
    y, by = (
        np.r_[np.tile(np.repeat([1, 0], [10, 30]), 3), [1, 0, 0], [1, 0, 0]],
        np.r_[np.repeat(list("abc"), 40), list("dddeee")],
    )
    s = np.random.default_rng(1).normal(size=y.size) + 2 * y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HitcurveWarning)
        found = hc.evaluate(y, s, by=by, metrics="auc")
    (mean,) = found.to_dict()["means"]
    assert "2 of 5 have none ('d', 'e'" in mean["reason"]


# any two of these
@pytest.mark.slow
@pytest.mark.parametrize(("files", "fits", "threads"), [(1, True, 1), (1, False, 4), (2, True, 4), (2, False, 1)])
def test_groups_with_clusters_are_printed_with_few_reads(
    files: int, fits: bool, threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hitcurve._threads.processors", lambda: threads)
    if not fits:
        monkeypatch.setattr(once, "_MOST_BYTES", 1000)
    columns = made(30)
    lines = [",".join(map(str, line)) for line in zip(*columns.values(), strict=True)]
    header, names = ",".join(columns), [tmp_path / f"{i}.csv" for i in range(files)]
    for i, path in enumerate(names):
        path.write_text("\n".join([header, *lines[i::files]]) + "\n", encoding="utf-8")
    reads: list[int] = []
    more: dict[str, Any] = {"cluster": "cluster", "by": "group"}
    source = FileSource(tuple(names), "y", ("a", "b"), Reading(), **more)

    def hear(step: str, done: int, count: int) -> None:
        if step == ROWS and not done:
            reads.append(done)

    with hc.progress(hear):
        found = evaluate_groups(source, metrics(WITHOUT_CUT), by="group")
        assert len(reads) == (1 if fits else 2)
        text = str(found)
        kept = found.without_data()
        assert str(kept) == text
    assert len(reads) == (2 if fits else 3)


def test_threads_that_ask_one_evaluation_of_a_file_wait_for_each_other(tmp_path: Path) -> None:
    found = evaluate_source(written(tmp_path, made(20)), metrics(WITHOUT_CUT))
    with ThreadPoolExecutor(4) as pool:
        tests = list(pool.map(lambda _: found.compare("a", "b", "auc", method="delta").pvalue, range(8)))
    assert len(set(tests)) == 1


# ---- names of groups: made and checked once, in every kind of column


def in_frames(words: list[Any]) -> dict[str, Any]:
    """Return a column of names in every kind that holds text or codes."""
    texts = pd.Series(words, dtype=object)
    return {
        "array of objects": np.array(words, object),
        "pandas objects": texts,
        "pandas str": texts.astype("str"),
        "pandas str of Python": texts.astype(pd.StringDtype("python")),
        "pandas of Arrow": texts.astype(pd.ArrowDtype(pa.string())),
        "categories": texts.astype("category"),
        "categories in another order": texts.astype(pd.CategoricalDtype(["unused", *sorted(set(words))[::-1]])),
        "bare categories": pd.Categorical(words),
        "polars text": pl.Series(words),
        "polars categories": pl.Series(words).cast(pl.Categorical),
        "polars enumeration": pl.Series(words).cast(pl.Enum(["unused", *sorted(set(words))[::-1]])),
        "Arrow text": pa.array(words),
        "Arrow chunks": pa.chunked_array([words[:4], words[4:]]),
        "Arrow codes": pa.array(words).dictionary_encode(),
        "chunks of codes": pa.chunked_array(
            [pa.array(words[:4]).dictionary_encode(), pa.array(words[4:]).dictionary_encode()]
        ),
    }


@pytest.mark.parametrize("kind", list(in_frames(WORDS)))
def test_names_are_the_same_in_every_kind_of_column(kind: str) -> None:
    if kind in ("categories", "bare categories") and list(pd.Categorical(WORDS)) != WORDS:
        pytest.skip("this pandas takes words for equal that differ after a NUL")
    found = codes_of("groups", in_frames(WORDS)[kind])
    assert found.values.tolist() == WORDS
    assert found.names.tolist() == list(dict.fromkeys(WORDS))
    assert found.names.dtype == object


@pytest.mark.parametrize("words", [["b", "b", "b", "a ", "a ", "a "], ["b", "a ", "b", "a"], ["a", "a\0"], ["a"]])
def test_names_of_lists_and_of_arrays_of_text(words: list[str]) -> None:
    for given in (words, tuple(words), np.array(words, object)):
        assert codes_of("groups", given).values.tolist() == words
    cut = np.array(words)  # numpy has no NUL at the end of a word
    assert codes_of("groups", cut).values.tolist() == cut.tolist()
    assert codes_of("groups", cut.astype("S")).values.tolist() == cut.astype("S").tolist()


@pytest.mark.parametrize("kind", ["pandas str", "pandas of Arrow", "categories", "polars text", "Arrow text"])
def test_a_missing_name_is_refused_in_every_kind_of_column(kind: str) -> None:
    words: list[Any] = ["a", None, "b", "a", None]
    made = {
        "pandas str": pd.Series(words, dtype="str"),
        "pandas of Arrow": pd.Series(words, dtype=pd.ArrowDtype(pa.string())),
        "categories": pd.Series(words, dtype="category"),
        "polars text": pl.Series(words),
        "Arrow text": pa.array(words),
    }
    twice = {"Arrow text": pa.DictionaryArray.from_arrays([0, 1, 2, 0, 1], ["a", None, "b"])}
    for given in (made, made | twice):
        with pytest.raises(MissingValueError, match="2 of 5 groups are missing: every subject needs a group"):
            codes_of("groups", given[kind])
    with pytest.raises(MissingValueError, match="2 of 5 groups are missing"):
        codes_of("groups", np.array(words, object))


def test_other_names_are_refused_or_kept_as_before() -> None:
    for mixed in (["1", 1, "1"], [1, "1"], ["a", b"a"]):
        for given in (
            mixed,
            np.array(mixed, object),
            pd.Series(mixed, dtype=object),
            pd.Series(mixed).astype("category"),
        ):
            with pytest.raises(InputError, match="groups mix"):
                codes_of("groups", given)
    with pytest.raises(InputError, match="one value for each subject, got a list"):
        codes_of("groups", np.array([["a"], ["b", "c"]], object))
    lone = np.array(["\ud800", "a", "\ud800"], object)
    assert codes_of("groups", lone).codes.tolist() == [0, 1, 0]
    assert codes_of("groups", pd.Series(lone, dtype=object)).codes.tolist() == [0, 1, 0]
    # a dictionary with a value twice, and one that nobody has
    twice = pa.DictionaryArray.from_arrays([2, 1, 0, 2], ["x", "y", "y", "z"])
    assert codes_of("groups", twice).values.tolist() == ["y", "y", "x", "y"]
    assert codes_of("groups", twice).names.tolist() == ["y", "x"]
    days = pd.Series(pd.to_datetime(["2024-01-02", "2024-01-01", "2024-01-02"]))
    assert codes_of("groups", days.astype("category")).texts == codes_of("groups", days).texts
    numbers = pd.Series([7, 5, 7])
    assert codes_of("groups", numbers.astype("category")).texts == ("7", "5")
    assert codes_of("groups", pa.array([7, 5, 7]).dictionary_encode()).texts == ("7", "5")


def test_each_name_is_checked_once_and_not_for_each_subject() -> None:
    checked: list[int] = []
    plain = columns.names

    def counting(what: str, values: Any) -> Any:
        checked.append(len(values))
        return plain(what, values)

    many = [f"q{i % 7}" for i in range(7000)]
    for kind, column in (in_frames(many) | {"list": many, "array": np.array(many)}).items():
        checked.clear()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(columns, "names", counting)
            codes_of("groups", column)
        assert max(checked) <= 8, kind


def test_a_day_has_one_name_whatever_column_it_came_from(tmp_path: Path) -> None:
    days = ["2024-01-01"] * 4 + ["2024-01-02"] * 4
    frame = pd.DataFrame({"day": days, "y": [0, 1] * 4, "s": range(8)})
    frame.to_csv(tmp_path / "days.csv", index=False)
    typed = frame.assign(day=pd.to_datetime(frame["day"]))
    typed.to_parquet(tmp_path / "days.parquet")
    forms = [frame, typed, pl.from_pandas(typed), pl.from_pandas(typed).with_columns(pl.col("day").cast(pl.Date))]
    for data in (*forms, tmp_path / "days.csv", tmp_path / "days.parquet"):
        assert list(hc.evaluate("y", "s", data=data, by="day", metrics="auc").groups) == ["2024-01-01", "2024-01-02"]
    hours = codes_of("groups", pd.Series(pd.to_datetime(["2024-01-01 00:00", "2024-01-01 12:30"])))
    assert hours.texts == ("2024-01-01", "2024-01-01 12:30:00")
