"""Scores keep their order exactly, or are refused; extreme numbers give a value in its range, or a sentence."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hitcurve as hc
from hitcurve.errors import (
    CountError,
    GridMismatchError,
    HitcurveError,
    HitcurveWarning,
    InputError,
    InsufficientDataError,
    LabelError,
    ParameterError,
    ScoreError,
    UndefinedMetricError,
)
from hitcurve.sources.trec import read_trec_run
from hitcurve.sources.trec_given import checked_run
from tests.metrics_under_test import FORMS
from tests.shell import Shell, shell

__all__ = ["shell"]

pytestmark = pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
CLOSE = [Decimal("0.1234567890123456789"), Decimal("0.1234567890123456788")]
BIG = 2**63


def auc(y: list[int], s: Any) -> float:
    return hc.metric("auc")(y, s)


TIES: dict[str, Callable[[], Any]] = {
    "decimals": lambda: CLOSE,
    "fractions": lambda: [Fraction(10**18 + 1, 10**19), Fraction(10**18, 10**19)],
    "decimals of polars": lambda: pl.Series(CLOSE),
    "decimals of Arrow": lambda: pa.array(CLOSE),
    "signed and unsigned": lambda: [np.uint64(BIG + 1), np.uint64(BIG), np.int64(-1)],
    "whole numbers and a float": lambda: [np.int64(2**53 + 1), np.int64(2**53), 0.5],
    "128 bits": lambda: pl.Series([2**100 + 1, 2**100], dtype=pl.Int128),
    "whole numbers beyond 64 bits": lambda: [2**100 + 1, 2**100],
}


@pytest.mark.parametrize("what", TIES)
def test_scores_that_floats_would_tie_are_refused(what: str) -> None:
    scores = TIES[what]()
    with pytest.raises(ScoreError, match=r"ties|64 bits"):
        auc([1] + [0] * (len(scores) - 1), scores)


@pytest.mark.parametrize(
    "scores",
    [
        [Decimal("0.2"), Decimal("0.1")],
        [Fraction(2, 3), Fraction(1, 3)],
        pl.Series([2**62 + 1, 2**62], dtype=pl.Int128),
        pl.Series([Decimal("0.2"), Decimal("0.1")]),
        pa.array([Decimal("0.2"), Decimal("0.1")]),
        [BIG + 1, BIG],
    ],
)
def test_scores_that_floats_tell_apart_are_taken(scores: Any) -> None:
    assert auc([1, 0], scores) == 1
    assert auc([0, 1], scores) == 0


def test_decimals_with_missing_values() -> None:
    assert hc.metric("auc")([1, 0, 1], pl.Series([Decimal(2), Decimal(1), None]), missing="drop") == 1


@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
@pytest.mark.parametrize("kind", ["int64", "Int64", "uint64", "int64[pyarrow]"])
@pytest.mark.parametrize("form", [pd.Categorical, lambda *a, **b: pd.Series(pd.Categorical(*a, **b))])
def test_whole_numbers_of_categories_beside_a_missing_one_stay_exact(form: Callable[..., Any], kind: str) -> None:
    numbers = pd.array([2**53, 2**53 + 1, 2**53 + 2], dtype=kind)
    scores = form([2**53, 2**53 + 1, None, 2**53 + 2], categories=pd.Index(numbers))
    y = [1, 0, 0, 1]
    auc = {missing: hc.evaluate(y, scores, missing=missing)["score", "auc"].value for missing in ("drop", "last")}
    assert auc == {"drop": 1 / 2, "last": 3 / 4}


def test_decimals_of_files(tmp_path: Path) -> None:
    for scores, kind in ((CLOSE, pa.decimal128(38, 19)), ([Decimal("0.2"), Decimal("0.1")], pa.decimal128(38, 19))):
        path = tmp_path / "x.parquet"
        pq.write_table(pa.table({"y": [1, 0], "a": pa.array(scores, kind)}), path)
        if scores is CLOSE:
            with pytest.raises(ScoreError, match=r"'a' of x.parquet holds values of type DECIMAL\(38,19\)"):
                _of_file(path)
        else:
            assert _of_file(path) == 1


LONG = {
    "a whole number and digits far behind": ["1.0000000000000000000000000000000001", "1"],
    "digits far behind": ["0.10000000000000000000001", "0.1"],
    "beyond 2^53": ["9007199254740993.0", "9007199254740992.0"],
    "sixteen digits": ["9007199254740.993", "9007199254740.992"],
}


@pytest.mark.parametrize("case", LONG)
@pytest.mark.parametrize("form", ["csv", "jsonl", "two files", "decimal comma"])
def test_digits_of_text_are_no_ties(case: str, form: str, tmp_path: Path) -> None:
    first, second = LONG[case]
    path, other = tmp_path / f"x.{'jsonl' if form == 'jsonl' else 'csv'}", tmp_path / "other.csv"
    paths = (path, other) if form == "two files" else (path,)
    if form == "jsonl":
        path.write_text(f'{{"y": 1, "a": {first}, "b": {{"a": 7}}}}\n{{"a": {second}, "y": 0}}\n')
    elif form == "two files":
        path.write_text(f"y,a\n1,{first}\n")
        other.write_text(f"y,a\n0,{second}\n")
    elif form == "csv":
        path.write_text(f"y,a\n1,{first}\n0,{second}\n")
    else:
        first, second = first.replace(".", ","), second.replace(".", ",")
        path.write_text(f"y;a\n1;{first}\n0;{second}\n1;0,5\n")
    with pytest.raises(ScoreError, match=f"{min(first, second)[:9]}.* are equal as 64-bit floats".replace(",", ".")):
        _of_file(*paths)


@pytest.mark.parametrize("case", LONG)
def test_digits_of_runs_are_no_ties(case: str, tmp_path: Path) -> None:
    first, second = LONG[case]
    path = tmp_path / "run.txt"
    path.write_text(f"t Q0 a 1 {first} r\nt Q0 b 2 {second} r\n")
    with pytest.raises(ScoreError, match=r"run.txt, topic 't': different scores are equal as 64-bit floats"):
        read_trec_run(path)
    path.write_text(f"t Q0 a 1 {first} r\nt Q0 b 2 3.5 r\nu Q0 a 1 {second} r\n")
    assert read_trec_run(path)["t"] == {"a": float(first), "b": 3.5}


@pytest.mark.parametrize(
    "values",
    [
        ["0.1", "0.10", "1e-1", "0.10000000000000001", "1.000000000000000056e-01"],
        [repr(1 / 3), f"{1 / 3:.17g}", f"{1 / 3:.18e}"],
        ["0.1234567890123456789", "0.2"],
        ["1234567890123456.5", "0.5e-3"],
    ],
)
def test_long_numbers_that_differ_as_floats_or_are_one_are_taken(values: list[str], tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("y,a\n0,-1\n" + "".join(f"1,{value}\n" for value in values))
    assert _of_file(path) == 1


def _of_file(*paths: Path) -> float:
    from hitcurve.evaluation import evaluate_source
    from hitcurve.metrics import metrics
    from hitcurve.sources import Reading
    from hitcurve.sources.files import FileSource

    (found,) = evaluate_source(FileSource(paths, "y", ("a",), Reading()), metrics(["auc"]))
    return float(found.value)


def test_score_dictionaries_keep_their_order() -> None:
    for scores in (CLOSE, [2**53 + 1, 2**53]):
        with pytest.raises(ScoreError, match="would create ties"):
            checked_run("run", {"q": dict(zip("ab", scores, strict=True))})
    assert checked_run("run", {"q": {"a": Decimal("0.5"), "b": 1}}) == {"q": {"a": 0.5, "b": 1.0}}


def test_whole_numbers_beyond_floats_are_not_counted_on_a_grid_of_floats() -> None:
    with pytest.raises(GridMismatchError, match="beyond 2"):
        hc.HitTable.from_scores([1, 0], [2**53 + 1, 2**53], grid=[float(2**53)])


# ---- extremes

Y, S = [1, 0, 1, 0, 0, 1, 0, 0], range(8, 0, -1)
BOTH = ("1e-300", "1e160", "1e300")
EXTREME = (
    "rauc(beta(1e-05, 1000))",
    "rauc(beta(1000, 1e-5))",
    "expected_recall(beta(1e-05, 1000))",
    "expected_recall(beta(1000, 1e-5))",
    # a rate to the power of 1e160 is 0 but for rounding, and so is every order
    *(
        f"{name}({kind}, alpha={size})"
        for name in ("croc", "cac")
        for kind, sizes in {"exp": BOTH, "log": BOTH, "power": BOTH[:1], "log2power": BOTH[:1]}.items()
        for size in sizes
    ),
    "logauc(1e-300, 1)",
    "bedroc(alpha=1e300)",
    "bedroc(alpha=1e-300)",
    "rie(alpha=1e300)",
    "dcg(base=1e300)",
    "dcg(base=1.0000000000000002)",
    "roc(10000000000000000000000)",
    "roc_enrichment@1e-57%",
    "recall@1e-57%",
    "wss@1e-57%",
)


def check(form: str, table: hc.HitTable) -> None:
    """Evaluate with warnings as errors: a value between the worst and the best, or a sentence."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", HitcurveWarning)
        try:
            m = hc.metric(form)
            value, ends = m.value(table), sorted([m.worst(table), m.best(table)])
        except HitcurveError:
            return
    assert ends[0] <= value <= ends[1], form


@pytest.mark.parametrize("prevalence", [None, 1e-60, 1e-9, 0.5, 0.999, 1 - 1e-16])
def test_extreme_arguments(prevalence: float | None) -> None:
    table = hc.HitTable.from_scores(Y, S)
    for form in (*EXTREME, *FORMS):
        check(form, table if prevalence is None else table.at_prevalence(prevalence))


@pytest.mark.parametrize("form", ["bedroc(alpha=1e155)", "rie(alpha=1e76)", "roc_enrichment@1e-300"])
def test_arguments_whose_squares_are_no_floats(form: str) -> None:
    with pytest.raises(HitcurveError, match=r"must be at (most|least) 1e"):
        hc.metric(form)


def test_a_prevalence_whose_inverse_has_no_square() -> None:
    table = hc.HitTable.from_scores(Y, S)
    for ask in (
        lambda: table.at_prevalence(1e-300),
        lambda: hc.TableStack.from_tables({"a": table}).at_prevalence(1e-61),
        lambda: hc.evaluate(Y, S, metrics="auc", prevalence=1e-300),
    ):
        with pytest.raises(ParameterError, match="prevalence must be at least 1e-60"):
            ask()


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize(
    "form", ["bedroc(alpha=1e75)", "rie(alpha=1e75)", "roc_enrichment@1e-57%", "ap", "precision@R"]
)
@pytest.mark.parametrize("prevalence", [1e-60, 0.3, 1 - 1e-16])
def test_errors_and_intervals_of_extreme_arguments(form: str, prevalence: float) -> None:
    (found,) = hc.evaluate(tables={"a": hc.HitTable.from_scores(Y, S).at_prevalence(prevalence)}, metrics=form)
    with suppress(InsufficientDataError, UndefinedMetricError):
        assert found.standard_error >= 0


@pytest.mark.parametrize("size", [1e-60, 1e-18, 1e-9, 1e9, 1e18, 1e60])
def test_extreme_weights(size: float) -> None:
    for weight in (np.where(Y, 1, size), np.where(np.arange(8) % 3, 1, size), np.where(Y, size, min(1e60, 1 / size))):
        table = hc.HitTable.from_scores(Y, S, sample_weight=np.clip(weight, 1e-60, 1e60))
        for form in (*EXTREME, *FORMS):
            check(form, table)


def test_prg_area_says_why_it_is_undefined_at_a_prevalence_that_rounds_to_1() -> None:
    with pytest.raises(HitcurveError, match="prg_area is undefined where the prevalence rounds to 1"):
        hc.metric("prg_area")(Y, S, sample_weight=np.where(Y, 1e9, 1e-9))


@pytest.mark.parametrize("value", [1e300, 1e-300, np.inf, np.nan, -1.0])
def test_tables_of_extreme_counts_are_refused(value: float) -> None:
    said = "0 or between 1e-75 and 1e\\+75" if value > 0 else "at least 0 in each row"
    with pytest.raises(CountError, match=f"pos must be {said}"):
        hc.HitTable(np.array([value, 1.0]), np.array([1.0, 2.0]), "rows")


# ---- beyond the floats of all digits

_BEYOND = {
    "large": ("1e400", "1e401"),
    "large and negative": ("-1e400", "-1e401"),
    "tiny": ("1e-400", "1e-401"),
    "tiny and negative": ("-1e-400", "-1e-401"),
    "tiny and 0": ("1e-400", "0"),
    "large and infinite": ("1e400", "inf"),
    "of few digits": ("5e-324", "4e-324"),
    "in capitals": ("1E+400", "2E+400"),
}


@pytest.mark.parametrize("name", _BEYOND)
def test_written_numbers_that_no_float_tells_apart_are_no_ties(name: str, tmp_path: Path, shell: Shell) -> None:
    first, second = _BEYOND[name]
    path = tmp_path / "scores.csv"
    path.write_text(f"y,s\n1,{first}\n0,{second}\n1,3\n0,2\n", encoding="utf-8")
    refusal = shell("evaluate", path, "--label", "y", "--score", "s", "-m", "auc").refusal
    assert first in refusal
    assert second in refusal
    assert "equal as 64-bit floats" in refusal
    if second != "inf":
        path = tmp_path / "scores.jsonl"
        path.write_text(
            f'{{"y": 1, "s": {first}}}\n{{"y": 0, "s": {second}}}\n{{"y": 0, "s": 1.5}}\n', encoding="utf-8"
        )
        assert "equal as 64-bit floats" in shell("evaluate", path, "--label", "y", "--score", "s", "-m", "auc").refusal
    run, qrels = tmp_path / "a.run", tmp_path / "a.qrels"
    run.write_text(f"1 Q0 a 1 {first} t\n1 Q0 b 2 {second} t\n1 Q0 c 3 1 t\n", encoding="utf-8")
    qrels.write_text("1 0 a 1\n1 0 b 0\n1 0 c 0\n", encoding="utf-8")
    assert "equal as 64-bit floats" in shell("trec", run, qrels).refusal
    for kind in (Decimal, Fraction) if second != "inf" else (Decimal,):
        with pytest.raises(ScoreError, match=r"equal as 64-bit floats|beyond the largest float"):
            hc.metric("auc")([1, 0, 1, 0], [kind(first), kind(second), kind(3), kind(2)])


@pytest.mark.parametrize(("first", "auc"), [("1e400", 0.75), ("inf", 0.75), ("-1e400", 0.25), ("1e-400", 0.25)])
def test_one_number_beyond_the_floats_keeps_its_rank(first: str, auc: float, tmp_path: Path, shell: Shell) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(f"y,s\n1,{first}\n0,4.5\n1,3\n0,2\n", encoding="utf-8")
    given = ("--label", "y", "--score", "s", "-m", "auc", "-f", "json")
    assert shell("evaluate", path, *given).json["results"][0]["value"] == auc


@pytest.mark.parametrize(
    "scores", [[10**400, 2.5, 1, 0], [-(10**400), 2.5, 1, 0], [Fraction(10**400), Fraction(1, 2), 1, 0]]
)
def test_numbers_in_memory_beyond_the_largest_float_are_named(scores: list[Any]) -> None:
    with pytest.raises(ScoreError, match="beyond the largest float"):
        hc.metric("auc")([1, 0, 1, 0], scores)


# ---- names that are large whole numbers

LARGE = [2**63, 2**63 + 1, 2**63 + 2, 2**53, 2**53 + 1, 5]


@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
@pytest.mark.parametrize("odd_one", [5, -1, 10**30])
@pytest.mark.parametrize("kind", ["list", "tuple", "scalars of numpy", "objects", "series"])
def test_large_whole_numbers_name_groups_and_clusters_exactly(kind: str, odd_one: int) -> None:
    names = [odd_one if name == 5 else name for name in LARGE for _ in range(4)]
    small = {-1: np.int64(-1), 5: np.int64(5)}
    makers: dict[str, Callable[[], Any]] = {
        "list": lambda: names,
        "tuple": lambda: tuple(names),
        "scalars of numpy": lambda: [small[n] if n in small else n if n > 2**64 else np.uint64(n) for n in names],
        "objects": lambda: np.array(names, object),
        "series": lambda: pd.Series(names, dtype=object),
    }
    made = makers[kind]()
    y, s = [1, 0, 1, 0] * 6, np.random.default_rng(0).permutation(24)
    groups = hc.evaluate(y, s, metrics="auc", by=made)
    assert set(groups) == {str(odd_one), *map(str, LARGE[:-1])}
    words = [f"number {name}" for name in names]
    found, expected = (hc.evaluate(y, s, metrics="auc", clusters=c)["score", "auc"] for c in (made, words))
    assert found.standard_error == pytest.approx(expected.standard_error, rel=1e-13)
    assert found.degrees_of_freedom == expected.degrees_of_freedom == 5


def test_floats_beside_large_whole_numbers_are_refused_as_names() -> None:
    names: Any = [2**53, 2**53 + 1, 0.5, 7] * 6
    said = r"mix floats and whole numbers beyond 2\^53 such as 9007199254740992"
    with pytest.raises(InputError, match=said):
        hc.evaluate([1, 0, 1, 0] * 6, range(24), metrics="auc", by=names)
    with pytest.raises(InputError, match=said):
        hc.evaluate([1, 0, 1, 0] * 6, range(24), metrics="auc", clusters=names)


def test_large_labels_are_not_merged() -> None:
    with pytest.raises(LabelError, match="labels must be two classes, got more"):
        hc.metric("auc")([-1, 2**63, 2**63 + 1, -1], [1, 2, 3, 4])
