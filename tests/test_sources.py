"""Any data in, one answer out; what is said on the way; scikit-learn; the quasi-concave model."""

from __future__ import annotations

import functools
import itertools
import math
import pickle
import warnings
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import hitcurve as hc
from hitcurve import Evaluation, HitTable, QuasiConcave, errors, evaluate, metric
from hitcurve.evaluation import evaluate_source
from hitcurve.plot import CurveDisplay
from hitcurve.sources import Block, Reading, encode_labels, group_name
from hitcurve.sources.files.batches import places_of
from tests.odd import odd_scores
from tests.strategies import Floats, Ranking, law, rankings

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

Y = [1, 0, 1, 1, 0, 0, 0, 1, 0, 0]
A = [9.0, 8.0, 7.5, 7.0, 6.0, 5.0, 5.0, 4.0, 3.0, 1.0]
B = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]
C = [5.0, 1.0, 4.0, 3.0, 2.0, 2.0, 1.0, 6.0, 0.0, 0.0]  # AUC above one half: nothing is said of it
FORMS = ["ap", "auc", "ef@20%"]
COLUMNS: dict[str, Any] = {"y": Y, "a": A, "b": B}
EXPECTED = {
    (name, form): metric(form).value(HitTable.from_scores(Y, s)) for name, s in (("a", A), ("b", B)) for form in FORMS
}


def quietly(*args: Any, **more: Any) -> Evaluation:
    """Evaluate where warnings are not what is tested."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", errors.HitcurveWarning)
        found: Evaluation = evaluate(*args, **more)
        return found


def check(ev: Evaluation) -> None:
    assert {(e.ranker, str(e.metric)): e.value for e in ev} == EXPECTED


class ArrowStreamOnly:
    """What a library hands out that knows nothing but the Arrow interface."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


FRAMES: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    "mapping": dict,
    "pandas": pd.DataFrame,
    "pandas nullable": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "pandas arrow": lambda columns: pd.DataFrame(columns).convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": lambda columns: pa.table(dict(columns)),
    "chunked pyarrow": lambda columns: pa.concat_tables(
        [pa.table(dict(columns)).slice(0, 4), pa.table(dict(columns)).slice(4)]
    ),
    "arrow stream": lambda columns: ArrowStreamOnly(pa.table(dict(columns))),
}
each_frame = pytest.mark.parametrize("frame", FRAMES.values(), ids=list(FRAMES))
MAKERS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "tuple": tuple,
    "numpy": np.array,
    "object": lambda values: np.array(values, object),
    "pandas": pd.Series,
    "pandas out of order": lambda values: pd.Series(values, index=range(len(values), 0, -1)),
    "polars": pl.Series,
    "pyarrow": pa.array,
    "chunked pyarrow": lambda values: pa.chunked_array([values[:3], values[3:]]),
    "masked": lambda values: np.ma.array(values),
}


# ---- containers


@pytest.mark.parametrize("make", MAKERS.values(), ids=list(MAKERS))
def test_vectors_of_every_kind(make: Callable[[list[Any]], Any]) -> None:
    check(quietly(make(Y), {"a": make(A), "b": make(B)}, metrics=FORMS))
    assert metric("ap")(make(Y), make(A)) == EXPECTED["a", "ap"]


@each_frame
def test_frames_of_every_kind(frame: Callable[[Mapping[str, Any]], Any]) -> None:
    check(quietly("y", ["a", "b"], data=frame(COLUMNS), metrics=FORMS))
    one = quietly("y", "a", data=frame(COLUMNS), metrics="ap")
    assert one["a", "ap"].value == EXPECTED["a", "ap"]
    assert one.rankers == ("a",)


@each_frame
@pytest.mark.parametrize("words", [("Active", "inactive"), ("yes", "NO"), ("case", "control")])
def test_words_as_labels_in_frames(frame: Callable[[Mapping[str, Any]], Any], words: tuple[str, str]) -> None:
    columns = {**COLUMNS, "y": [words[0] if y else words[1] for y in Y]}
    check(quietly("y", ["a", "b"], data=frame(columns), metrics=FORMS))


@each_frame
def test_weights_by_name(frame: Callable[[Mapping[str, Any]], Any]) -> None:
    w = [1, 2, 1, 1, 3, 1, 1, 2, 1, 1]
    ev = quietly("y", ["a"], data=frame({**COLUMNS, "w": w}), sample_weight="w", metrics="ap")
    assert ev["a", "ap"].value == pytest.approx(metric("ap")(np.repeat(Y, w), np.repeat(A, w)))
    assert ev["a", "ap"].n == sum(w)


@each_frame
@odd_scores
def test_missing_values_in_frames(frame: Callable[[Mapping[str, Any]], Any]) -> None:
    a: list[float | None] = [None, *A[1:]]
    b: list[int | None] = [*B[:-1], None]
    gaps = {"y": Y, "a": a, "b": b}
    if frame is dict:
        gaps = {"y": Y, "a": np.array(a, float), "b": np.array(b, float)}
    with pytest.raises(errors.MissingValueError, match="1 of 10"):
        evaluate("y", ["a", "b"], data=frame(gaps), metrics=FORMS)
    dropped = quietly("y", ["a", "b"], data=frame(gaps), metrics=FORMS, missing="drop")
    for name, s in (("a", A), ("b", B)):
        for form in FORMS:
            assert dropped[name, form].value == metric(form)(Y[1:-1], s[1:-1])
    assert dropped.tally is not None
    assert (dropped.tally.rows, dropped.tally.dropped) == (10, 2)
    last = quietly("y", ["a", "b"], data=frame(gaps), metrics=FORMS, missing="last")
    assert last["a", "ap"].value == metric("ap")(Y, [-math.inf, *A[1:]])
    assert last["b", "auc"].value == metric("auc")(Y, [*B[:-1], -math.inf])
    assert last.tally is not None
    assert dict(last.tally.ranked_last) == {"a": 1, "b": 1}


@each_frame
@pytest.mark.parametrize("kind", ["numbers", "booleans", "words"])
def test_missing_labels_in_frames(frame: Callable[[Mapping[str, Any]], Any], kind: str) -> None:
    values = {"numbers": (1, 0), "booleans": (True, False), "words": ("yes", "no")}[kind]
    labels = [*(values[0] if y else values[1] for y in Y[:-1]), None]
    gaps = {**COLUMNS, "y": labels}
    with pytest.raises(errors.MissingValueError, match="label"):
        evaluate("y", ["a"], data=frame(gaps), metrics="ap")
    ev = quietly("y", ["a"], data=frame(gaps), metrics="ap", missing="drop")
    assert ev["a", "ap"].value == metric("ap")(Y[:-1], A[:-1])


@pytest.mark.parametrize(
    "make",
    [
        lambda s: pd.Series(s, dtype="Int64"),
        lambda s: pl.Series(s, dtype=pl.Int64),
        lambda s: pa.array(s, pa.int64()),
    ],
    ids=["pandas", "polars", "pyarrow"],
)
def test_whole_numbers_with_gaps_never_tie_by_rounding(make: Callable[[list[int | None]], Any]) -> None:
    """2^62 + 1 and 2^62 are one float64; beside a missing value they stay what they are."""
    for missing, expected in (("drop", [1, 0, 0]), ("last", [1, 0, 0, 0])):
        exact = HitTable.from_scores([1, 0, 0, 0], make([2**62 + 1, 2**62, None, 5]), missing=missing)
        assert exact.pos.tolist() == expected
    assert HitTable.from_scores([1, 0, 0], make([2**62 + 1, 2**62, 5])).pos.tolist() == [1, 0, 0]


@pytest.mark.parametrize("name", [name for name in FRAMES if name not in ("mapping", "pandas")])
def test_whole_numbers_with_gaps_never_tie_in_frames(name: str) -> None:
    """Plain pandas has lost the digits before it is asked; all others still hold them."""
    frame = FRAMES[name]({"y": [1, 0, 0, 0], "s": [2**62 + 1, 2**62, None, 5]})
    if name == "pandas nullable":
        frame = pd.DataFrame({"y": [1, 0, 0, 0], "s": pd.array([2**62 + 1, 2**62, None, 5], "Int64")})
    if name == "pandas arrow":
        column = pd.array([2**62 + 1, 2**62, None, 5], pd.ArrowDtype(pa.int64()))
        frame = pd.DataFrame({"y": [1, 0, 0, 0], "s": column})
    with pytest.warns(errors.MissingValueWarning):
        ev = evaluate("y", "s", data=frame, missing="drop", metrics="auc")
    assert ev["s", "auc"].value == 1


def test_only_the_columns_asked_for_are_read() -> None:
    columns = {**COLUMNS, "name": list("abcdefghij"), "broken": [None] * 10}
    check(quietly("y", ["a", "b"], data=pl.DataFrame(columns), metrics=FORMS))


@odd_scores
def test_numbers_of_every_width() -> None:
    for dtype in (np.float16, np.float32, np.int8, np.uint8, np.uint64, np.int64, ">f8", "<i2"):
        s = np.array(B).astype(dtype)
        assert metric("ap")(Y, s) == EXPECTED["b", "ap"]
    from decimal import Decimal
    from fractions import Fraction

    assert metric("ap")(Y, [Decimal(s) for s in B]) == EXPECTED["b", "ap"]
    assert metric("ap")(Y, np.array([Fraction(s) for s in B], object)) == EXPECTED["b", "ap"]


@pytest.mark.parametrize("seed", range(12))
def test_ties_of_short_floats_are_counted(seed: int) -> None:
    rng = np.random.default_rng(seed)  # sorting 16 bits is wrong in numpy 2.4 where many are tied
    y = rng.random(3000) < 0.2
    s = np.where(rng.random(3000) < 0.05, -rng.random(3000), -0.0) if seed % 2 else np.round(rng.normal(size=3000) + y)
    short = s.astype(np.float16)
    for rows in ("collapsed", "full"):
        own, wide = (hc.count_tables(y, {"s": values}, rows=rows)["s"] for values in (short, short.astype(float)))
        assert own.pos.tolist() == wide.pos.tolist()
        assert own.neg.tolist() == wide.neg.tolist()


def test_arrays_that_are_not_contiguous() -> None:
    wide = np.column_stack([A, B, A])
    assert metric("ap")(Y, wide[:, 0]) == EXPECTED["a", "ap"]
    assert metric("ap")(Y[::-1], np.array(A[::-1])) == EXPECTED["a", "ap"]
    assert metric("ap")(np.array(Y)[::-1], np.array(A)[::-1]) == EXPECTED["a", "ap"]


def test_input_is_not_changed() -> None:
    y, s = np.array(Y), np.array([-0.0, *A[1:]])
    kept = y.copy(), s.copy()
    for higher in (True, False):
        metric("ap")(y, s, higher_is_better=higher)
    np.testing.assert_array_equal(y, kept[0])
    np.testing.assert_array_equal(np.signbit(s), np.signbit(kept[1]))
    y[0] = 0
    s[0] = 1


# ---- labels


@pytest.mark.parametrize(
    ("positive", "negative"),
    [
        (1, 0),
        (1.0, 0.0),
        (True, False),
        (1, -1),
        (1.0, -1.0),
        (np.int8(1), np.int8(0)),
        ("active", "inactive"),
        ("Active", "inactive"),
        ("ACTIVE", "Inactive"),
        (" yes", "no "),
        ("True", "False"),
        ("Case", "CONTROL"),
        ("positive", "negative"),
    ],
)
def test_labels_beyond_doubt(positive: Any, negative: Any) -> None:
    labels = [positive if y else negative for y in Y]
    assert metric("ap")(labels, A) == EXPECTED["a", "ap"]
    assert metric("ap")(np.array(labels, object), A) == EXPECTED["a", "ap"]


@pytest.mark.parametrize(
    ("positive", "negative", "pos_label"),
    [(2, 1, 2), (0, 1, 0), ("binder", "decoy", "binder"), (2, 1, "2"), (True, False, "true"), (5.5, 1, 5.5)],
)
def test_labels_that_are_said(positive: Any, negative: Any, pos_label: Any) -> None:
    labels = [positive if y else negative for y in Y]
    assert metric("ap")(labels, A, pos_label=pos_label) == EXPECTED["a", "ap"]
    assert metric("ap")(np.array(labels, object), A, pos_label=pos_label) == EXPECTED["a", "ap"]


@pytest.mark.parametrize("pos_label", [2**53 + 1, str(2**53 + 1)])
def test_whole_numbers_beyond_the_floats_are_labels_of_their_own(pos_label: Any) -> None:
    # as a float the upper label would be the lower one, and the list upside down
    labels = [2**53 + 1 if y else 2**53 for y in Y]
    assert metric("ap")(np.array(labels), A, pos_label=pos_label) == EXPECTED["a", "ap"]
    upper = hc.count_tables("y", "a", data=pa.table({"y": labels, "a": A}), pos_label=pos_label, rows="full")
    lower = hc.count_tables("y", "a", data=pa.table({"y": labels, "a": A}), pos_label=2**53, rows="full")
    with pytest.raises(errors.GridMismatchError, match="positives in one and of negatives in the other"):
        upper + lower


@pytest.mark.parametrize("wrap", [list, tuple, deque])
def test_whole_labels_beside_floats_stay_apart(wrap: Any) -> None:
    """Numpy would make floats of them, of which 2^53 + 1 and 2^53 are one."""
    labels = wrap([2**53 + 1 if y else 2.0**53 for y in Y])
    assert metric("ap")(labels, A, pos_label=2**53 + 1) == EXPECTED["a", "ap"]
    three = wrap([2**53 + 1, 2**53, 1.0] * 2)
    for call in (lambda: metric("ap")(three, A[:6], pos_label=2**53), lambda: evaluated(three, pos_label=2**53)):
        with pytest.raises(errors.LabelError, match=r"got more: 1\.0, 9007199254740992, 9007199254740993"):
            call()


def evaluated(labels: Any, **options: Any) -> hc.Evaluation:
    found: hc.Evaluation = hc.evaluate("y", "s", data={"y": labels, "s": A[: len(labels)]}, metrics="auc", **options)
    return found


@pytest.mark.parametrize("true", [True, np.True_])
def test_a_truth_of_numpy_is_one_of_python(true: Any) -> None:
    """Numpy compares its own with no whole number beyond 64 bits."""
    large = [true if y else 2**64 for y in Y]
    for scores in (large, np.array(large, object)):
        with pytest.raises(errors.ScoreError, match="whole numbers that 64 bits cannot represent"):
            hc.HitTable.from_scores(Y, scores)
    assert metric("auc")(large, A, pos_label=True) == EXPECTED["a", "auc"]
    groups = {"by": [true, 2**64] * 4, "clusters": [true, 2**64] * 8}
    labels, falling = [1, 1, 0, 0] * 2, range(8, 0, -1)
    assert (
        hc.evaluate(labels, falling, by=groups["by"], metrics="auc").groups
        == hc.evaluate(labels, falling, by=[True, 2**64] * 4, metrics="auc").groups
    )
    clustered = hc.evaluate([1, 1, 0, 0] * 4, range(16, 0, -1), clusters=groups["clusters"], metrics="auc")
    assert clustered["score", "auc"].value == metric("auc")([1, 1, 0, 0] * 4, range(16, 0, -1))


@odd_scores
def test_boolean_labels_can_be_turned_round() -> None:
    labels = np.array(Y, bool)
    assert metric("auc")(labels, A, pos_label=False) == pytest.approx(1 - EXPECTED["a", "auc"])


def test_a_part_of_the_labels_is_enough() -> None:
    """A day without fraud is a table all the same."""
    assert HitTable.from_scores(["no", "no"], [1, 2]).n_pos == 0
    assert HitTable.from_scores(["decoy", "decoy"], [1, 2], pos_label="binder").n_pos == 0
    assert HitTable.from_scores([1, 1], [1, 2]).n_neg == 0


@law(40)
@given(r=rankings())
def test_categories_are_labels(r: Ranking) -> None:
    words = ["active" if y else "inactive" for y in r.y]
    expected = r.table
    assert HitTable.from_scores(pd.Categorical(words), r.s) == expected
    assert HitTable.from_scores(pd.Series(words, dtype="category"), r.s) == expected
    assert HitTable.from_scores(pl.Series(words, dtype=pl.Categorical), r.s) == expected


# ---- directions and missing values of several rankers


def test_directions_of_several_rankers() -> None:
    turned = {"a": [-a for a in A], "b": B}
    check(quietly(Y, turned, metrics=FORMS, higher_is_better={"a": False}))
    both = {"a": [-a for a in A], "b": [-b for b in B]}
    check(quietly(Y, both, metrics=FORMS, higher_is_better=False))


def test_dropping_leaves_paired_complete_cases() -> None:
    a, b = [math.nan, *A[1:]], [*C[:-1], math.nan]
    with pytest.warns(errors.MissingValueWarning, match="2 of 10 rows") as caught:
        ev = evaluate(Y, {"a": a, "b": b}, metrics="auc", missing="drop")
    assert len([w for w in caught if w.category is errors.MissingValueWarning]) == 1
    assert [e.n for e in ev] == [8, 8]
    assert ev.to_dict()["rows"] == {"read": 10, "dropped": 2, "ranked_last": {"a": 0, "b": 0}}


@pytest.mark.parametrize("higher", [True, False])
def test_missing_scores_that_are_last_are_tied_with_infinite_ones(higher: bool) -> None:
    worst = -np.inf if higher else np.inf
    options = {"missing": "last", "higher_is_better": higher, "metrics": "auc"}
    y, there = [1, 0, 1, 1, 0, 0], [2.0, 1.0] if higher else [1.0, 2.0]
    mixed, all_gone = (
        quietly(y, [*there, *rest], **options).tables["score"] for rest in ([worst] * 2 + [None] * 2, [None] * 4)
    )
    assert mixed == all_gone


@pytest.mark.parametrize("road", ["array", "csv"])
@pytest.mark.parametrize(
    ("scores", "options"),
    [
        ([-(2**63), -(2**63) + 1, 5, 7, 6], {"higher_is_better": False}),
        ([-(2**63), -(2**63) + 1, 5, 7, None], {"missing": "last"}),
    ],
)
def test_ranks_keep_the_order_of_whole_numbers_that_cannot_be_turned(
    scores: list[int | None], options: dict[str, Any], road: str, tmp_path: Path
) -> None:
    y = [1, 0, 1, 0, 1]

    def auc(values: list[int | None]) -> float:
        if road == "array":
            return float(quietly(y, values, **options, metrics="auc")["score", "auc"].value)
        path = tmp_path / "t.csv"
        path.write_text("y,s\n" + "".join(f"{a},{'' if b is None else b}\n" for a, b in zip(y, values, strict=True)))
        return float(quietly("y", "s", data=path, **options, metrics="auc")["s", "auc"].value)

    with pytest.raises(errors.ScoreError, match="give their ranks") as refused:
        auc(scores)
    assert "pass floats" not in str(refused.value)
    known = sorted(s for s in scores if s is not None)
    ranked = auc([None if s is None else 1 + known.index(s) for s in scores])
    sign = -1 if options.get("higher_is_better") is False else 1
    exact = [-math.inf if s is None else sign * (known.index(s)) for s in scores]
    won = [exact[i] > exact[j] for i in range(5) for j in range(5) if y[i] > y[j]]
    assert ranked == pytest.approx(sum(won) / len(won))


def test_ranking_last_is_for_each_ranker() -> None:
    a = [math.nan, math.nan, *A[2:]]
    with pytest.warns(errors.MissingValueWarning, match="2 of 'a'"):
        ev = evaluate(Y, {"a": a, "b": C}, metrics="auc", missing="last")
    assert ev["b", "auc"].value == metric("auc")(Y, C)
    assert ev["a", "auc"].value == metric("auc")(Y, [-math.inf, -math.inf, *A[2:]])
    assert [e.n for e in ev] == [10, 10]
    assert ev.tables["a"].tied == 2


@pytest.mark.parametrize("dtype", [np.float32, np.float64, object])
def test_ranking_last_in_both_directions(dtype: type) -> None:
    s: npt.NDArray[Any] = np.array([1.0, np.nan, 3.0, np.nan], dtype)
    for higher in (True, False):
        t = HitTable.from_scores([1, 0, 0, 1], s, missing="last", higher_is_better=higher)
        assert t.score is not None
        assert t.score[-1] == -math.inf
        assert (t.pos[-1], t.neg[-1]) == (1, 1)


# ---- blocks


class InParts:
    """A source that delivers its subjects a few at a time."""

    notes = ()

    def __init__(self, columns: Mapping[str, Any], reading: Reading, size: int) -> None:
        self.rankers = tuple(name for name in columns if name != "y")
        self._columns, self.reading, self._size = columns, reading, size

    def reduce(self, map: Callable[[Block], Any], combine: Callable[[Any, Any], Any]) -> Any:
        rows = len(self._columns["y"])
        parts = []
        for start in range(0, rows, self._size):
            cut = {name: values[start : start + self._size] for name, values in self._columns.items()}
            parts.append(map(self.reading.block(cut.pop("y"), cut)))
        return functools.reduce(combine, parts)


@law(25)
@given(r=rankings(), size=st.integers(1, 6), high=st.booleans(), gaps=st.sets(st.integers(0, 13), max_size=3))
def test_blocks_add_up_to_the_whole(r: Ranking, size: int, high: bool, gaps: set[int]) -> None:
    """Blocks may hold one class, one score, or nobody after missing values are dropped."""
    s: Floats = r.s.astype(np.float64)
    s[[i for i in gaps if i < s.size]] = np.nan
    words = np.where(r.y, "active", "inactive")
    columns = {"y": words, "a": s, "b": r.s}
    complete = ~np.isnan(s)
    for missing in ("drop", "last"):
        left = r.y[complete] if missing == "drop" else r.y
        if not left.any() or left.all():
            continue
        source = InParts(columns, Reading(None, {"a": high}, missing), size)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", errors.HitcurveWarning)
            parts = evaluate_source(source, (hc.metrics.AUC(), hc.metrics.AveragePrecision()))
        whole = quietly(words, {"a": s, "b": r.s}, metrics=["auc", "ap"], missing=missing, higher_is_better={"a": high})
        assert {name: t == whole.tables[name] for name, t in parts.tables.items()} == {"a": True, "b": True}
        assert [e.value for e in parts] == [e.value for e in whole]
        assert [str(w) for w in parts.warnings] == [str(w) for w in whole.warnings]
        assert parts.tally == whole.tally


def test_labels_of_all_blocks_make_the_two_classes() -> None:
    columns = {"y": [1, 1, 2, 2, 0, 0], "a": [6.0, 5, 4, 3, 2, 1]}
    with pytest.raises(errors.LabelError):
        evaluate_source(InParts(columns, Reading(), 2), (hc.metrics.AUC(),))


# ---- groups as codes

NAMED: dict[str, Callable[[list[int]], Any]] = {
    "whole numbers": np.array,
    "floats": lambda g: np.array(g) / 2,
    "words": lambda g: np.array([f"t{i}" for i in g]),
    "objects": lambda g: np.array([f"t{i}" for i in g], object),
    "days": lambda g: np.datetime64("2020-01-01") + np.array(g),
    "booleans": lambda g: np.array(g) % 2 == 0,
    "polars": lambda g: pl.Series([f"t{i}" for i in g], dtype=pl.Categorical),
    "pyarrow": lambda g: pa.array([f"t{i}" for i in g]).dictionary_encode(),
}


@law(20)
@given(groups=st.lists(st.integers(-3, 3), min_size=1, max_size=12), gaps=st.sets(st.integers(0, 11), max_size=4))
@pytest.mark.parametrize("make", NAMED.values(), ids=list(NAMED))
def test_codes_say_what_names_say(make: Callable[[list[int]], Any], groups: list[int], gaps: set[int]) -> None:
    given_names = make(groups)
    names = np.asarray(given_names).tolist()
    score = np.arange(len(groups), dtype=float)
    score[[i for i in gaps if i < score.size]] = np.nan
    left = [i for i in range(score.size) if i not in gaps]
    block = Reading(missing="drop").block([i % 2 for i in range(score.size)], {"a": score}, group=given_names)
    assert block.group is not None
    assert block.group.names[block.group.codes].tolist() == [names[i] for i in left]
    assert block.group.names.tolist() == list(dict.fromkeys(names[i] for i in left))
    expected: dict[str, list[float]] = {}
    for i in left:
        expected.setdefault(group_name(names[i]), []).append(float(i))
    assert {name: part.scores["a"].tolist() for name, part in block.groups.items()} == expected
    some = set(list(expected)[::2])
    inside = [float(i) for i in left if group_name(names[i]) in some]
    assert block.among(some).scores["a"].tolist() == inside


def test_a_label_that_occurs_in_one_block_occurs() -> None:
    columns = {"y": ["a", "b", "b", "b"], "s": [4.0, 3, 2, 1]}
    found = evaluate_source(InParts(columns, Reading("a"), 2), (hc.metrics.AUC(),), pos_label="a")
    assert found["s", "auc"].value == 1
    with pytest.raises(errors.LabelError, match="'c' does not occur"):
        evaluate_source(InParts(columns, Reading("c"), 2), (hc.metrics.AUC(),), pos_label="c")
    with pytest.raises(errors.LabelError, match="'c' does not occur"):
        HitTable.from_scores(columns["y"], columns["s"], pos_label="c")


# ---- what is said


def test_low_auc_is_said_once() -> None:
    with pytest.warns(errors.DirectionWarning) as caught:
        ev = evaluate(Y, {"a": [-a for a in A], "c": [-a for a in A], "b": A}, metrics="ap")
    assert len(caught) == 1
    assert caught[0].filename == __file__
    message = str(ev.warnings[0])
    assert "'a'" in message
    assert "'c'" in message
    assert "'b'" not in message
    assert "higher_is_better=False" in message


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ([1, 1, 1, 0, 0, 0], errors.TwoValuedScoreWarning),
        ([2.5, 2.5, -1, -1, -1, -1], errors.TwoValuedScoreWarning),
        # the positives have one score, the negatives many
        ([1, 1, 1, 0.5, 0.25, 0], None),
        ([1, 1, 1, 0.5, 0.5, 0], None),
        ([3, 2, 1, 0, 0, 0], None),
        # one value only is no decision
        ([1, 1, 1, 1, 1, 1], errors.ConstantScoreWarning),
        ([0.0, 0.0, 0.0, -0.0, -0.0, -0.0], errors.ConstantScoreWarning),
    ],
)
def test_a_decision_is_no_score(scores: list[float], said: type[Warning] | None) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ev = evaluate([1, 1, 1, 0, 0, 0], scores, metrics="ap")
    assert [w.category for w in caught] == ([said] if said else [])
    assert [type(w) for w in ev.warnings] == [w.category for w in caught]


def test_a_saturated_metric_is_said() -> None:
    with pytest.warns(errors.SaturationWarning, match="bedroc"):
        evaluate(Y, A, metrics=["bedroc(alpha=20)", "ap"])


def test_nothing_to_say_is_silence() -> None:
    ev = evaluate(Y, {"a": A}, metrics=FORMS)
    assert ev.warnings == ()


# ---- the evaluation as a value


def test_evaluation_is_a_table_of_estimates() -> None:
    ev = quietly(Y, {"a": A, "b": B}, metrics=FORMS)
    assert len(ev) == len(list(ev)) == 6
    assert ev["a", "ap"].value == ev["a", metric("ap")].value == float(ev["a", "average_precision"])
    assert {name: e.value for name, e in ev.metric("auc").items()} == {n: EXPECTED[n, "auc"] for n in "ab"}
    assert {form: e.value for form, e in ev.ranker("b").items()} == {f: EXPECTED["b", f] for f in FORMS}
    e = ev["a", "ap"]
    assert (e.n, e.n_pos, e.tied) == (10, 4, 0)
    table = HitTable.from_scores(Y, A)
    assert (e.random, e.best, e.worst) == (metric("ap").random_mean(table), 1.0, metric("ap").worst(table))
    assert metric("ap").random(table) == 0.4


def test_metrics_asked_twice_are_given_once() -> None:
    ev = quietly(Y, A, metrics=["ap", "average_precision", hc.metrics.AUC(), "auc"])
    assert [str(m) for m in ev.metrics] == ["ap", "auc"]


def test_evaluating_tables() -> None:
    check(quietly(tables={"a": HitTable.from_scores(Y, A), "b": HitTable.from_scores(Y, B)}, metrics=FORMS))


def test_scores_without_a_name() -> None:
    assert quietly(Y, A, metrics="ap").rankers == ("score",)


@law(30)
@given(r=rankings())
def test_tie_range_holds_the_expectation(r: Ranking) -> None:
    ev = quietly(r.y, r.s, metrics=["auc", "ap(ties=expected)", "dcg"])
    for e in ev:
        if e.tie_range is None:
            assert not ev.tables["score"].tied
        else:
            assert e.tie_range[0] - 1e-12 <= e.value <= e.tie_range[1] + 1e-12


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_numbers_as_a_frame(backend: str) -> None:
    ev = quietly(Y, {"a": A, "b": B}, metrics=FORMS)
    long, wide = ev.to_frame(backend=backend), ev.to_frame(backend=backend, wide=True)

    def column(frame: Any, name: str) -> list[Any]:
        return list(frame[name].to_pylist() if backend == "pyarrow" else frame[name])

    assert column(long, "value") == list(EXPECTED.values())
    assert column(long, "ranker") == ["a"] * 3 + ["b"] * 3
    assert column(wide, "ranker") == ["a", "b"]
    assert column(wide, "ef@20%") == [EXPECTED["a", "ef@20%"], EXPECTED["b", "ef@20%"]]


def test_frames_come_back_in_the_package_of_the_data() -> None:
    assert isinstance(quietly("y", "a", data=pl.DataFrame(COLUMNS), metrics="ap").to_frame(), pl.DataFrame)
    assert isinstance(quietly("y", "a", data=pl.LazyFrame(COLUMNS), metrics="ap").to_frame(), pl.DataFrame)
    assert isinstance(quietly("y", "a", data=pa.table(COLUMNS), metrics="ap").to_frame(), pa.Table)
    assert isinstance(quietly("y", "a", data=pd.DataFrame(COLUMNS), metrics="ap").to_frame(), pd.DataFrame)


def test_pickling_an_evaluation() -> None:
    ev = quietly(Y, {"a": A, "b": B}, metrics=FORMS)
    check(pickle.loads(pickle.dumps(ev)))
    bare = ev.without_data()
    assert bare.source is None
    check(pickle.loads(pickle.dumps(bare)))


# ---- scikit-learn


def test_scorer_in_a_grid_search() -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    from sklearn.metrics import average_precision_score
    from sklearn.model_selection import GridSearchCV, StratifiedKFold
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = (X[:, 0] + rng.normal(size=120) > 0.7).astype(int)
    folds = StratifiedKFold(3)
    for model, grid in (
        (linear_model.LogisticRegression(), {"C": [0.01, 1.0]}),
        # no decision_function: predict_proba, the column of the positives
        (DecisionTreeClassifier(max_depth=3, random_state=0), {"max_depth": [2, 4]}),
    ):
        search = GridSearchCV(model, grid, scoring=hc.scorer("ap"), cv=folds).fit(X, y)
        theirs = GridSearchCV(model, grid, scoring="average_precision", cv=folds).fit(X, y)
        np.testing.assert_allclose(search.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])
        assert search.best_params_ == theirs.best_params_
    fitted = linear_model.LogisticRegression().fit(X, y)
    by_hand = average_precision_score(y, fitted.decision_function(X))
    assert hc.scorer(hc.metrics.AveragePrecision())(fitted, X, y) == pytest.approx(by_hand)


def test_scorer_knows_which_label_is_positive() -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] + rng.normal(size=60) > 0, "binder", "decoy")
    model = linear_model.LogisticRegression().fit(X, y)
    score = hc.scorer("auc", pos_label="binder")(model, X, y)
    assert score == pytest.approx(metric("auc")(y == "binder", -model.decision_function(X)))
    assert score > 0.7
    with pytest.raises(errors.LabelError):
        hc.scorer("auc")(model, X, y)


def test_metrics_in_make_scorer() -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    from sklearn.metrics import make_scorer
    from sklearn.model_selection import cross_val_score

    rng = np.random.default_rng(2)
    X = rng.normal(size=(90, 2))
    y = (X[:, 0] > 0.3).astype(int)
    y[:10] = 1
    model = linear_model.LogisticRegression()
    # every metric, through its __name__ and its call
    for form in ("auc", "bedroc(alpha=20)", "ef@10%", "croc(exp, alpha=7)"):
        plain = make_scorer(metric(form), response_method="decision_function")
        assert form in repr(plain)
        ours = cross_val_score(model, X, y, scoring=hc.scorer(form), cv=3)
        np.testing.assert_array_equal(cross_val_score(model, X, y, scoring=plain, cv=3), ours)


# ---- momentum and stamina


@pytest.mark.parametrize(
    ("pos", "neg"),
    [([50, 50], [50, 850]), ([30, 20], [10, 940]), ([90, 10], [10, 90]), ([5, 95], [0, 900]), ([999, 1], [1, 8999])],
)
def test_the_model_is_recovered_from_its_own_curve(pos: list[int], neg: list[int]) -> None:
    t = HitTable.from_counts(pos, neg)
    model = hc.fit_quasi_concave(t)
    called = pos[0] + neg[0]
    assert model.alpha == pytest.approx(called / t.n, rel=1e-4)
    assert model.beta == pytest.approx(pos[0] / called, rel=1e-4)
    assert model.prevalence == t.prevalence
    assert model.residual == pytest.approx(0, abs=1e-6)
    assert model.auc == pytest.approx(hc.metrics.AUC().value(t), rel=1e-5)
    rates = np.linspace(0, 1, 21)
    np.testing.assert_allclose(model(rates), hc.hit_curve(t).at(rates), atol=1e-5)


@pytest.mark.slow
def test_the_fit_is_the_least_squares_one() -> None:
    t = HitTable.from_counts([30, 25, 20, 15, 10], [5, 40, 100, 300, 455])
    model = hc.fit_quasi_concave(t)
    curve, pi = hc.hit_curve(t), t.prevalence

    def loss(alpha: float, beta: float) -> float:
        other = QuasiConcave(alpha, beta, pi)
        kinks = sorted({0.0, 1.0, alpha, *curve.x.tolist()})
        parts = itertools.pairwise(kinks)
        return sum(quad(lambda r: float((curve.at(r) - other(r)) ** 2), a, b)[0] for a, b in parts)

    best = loss(model.alpha, model.beta)
    assert model.residual == pytest.approx(math.sqrt(best), rel=1e-6)
    for da in (-1e-3, 0, 1e-3):
        for db in (-1e-3, 0, 1e-3):
            assert best <= loss(model.alpha + da, model.beta + db) + 1e-12
    # and no other valley is deeper
    for alpha in np.linspace(0.02, 0.6, 12):
        for beta in np.linspace(pi, min(1, pi / alpha), 12):
            assert best <= loss(float(alpha), float(beta)) + 1e-9


models = st.tuples(st.floats(0.01, 0.9), st.floats(0, 1), st.floats(0.01, 0.99)).map(
    lambda p: QuasiConcave(
        alpha=p[2] * p[0] / (p[0] + p[1] * (1 - p[0])), beta=p[0] + p[1] * (1 - p[0]), prevalence=p[0]
    )
)


@law(60)
@given(model=models)
def test_areas_of_the_model_by_integration(model: QuasiConcave) -> None:
    pi, a = model.prevalence, model.alpha
    late = (pi - a * model.beta) / (1 - a)
    # int precision dTPR, precision h(t)/t, dTPR = h'(t) dt / pi
    ap = model.beta**2 * a / pi + late * quad(lambda t: float(model(t)) / t, a, 1, epsabs=1e-12)[0] / pi
    assert model.ap == pytest.approx(ap, rel=1e-8)
    area = quad(lambda t: float(model(t)), 0, 1, points=[a], epsabs=1e-12)[0] / pi
    # area under the accumulation curve: pi/2 + (1 - pi) AUC
    assert model.auc == pytest.approx((area - pi / 2) / (1 - pi), rel=1e-7)


def test_published_approximation() -> None:
    """Theorem 2: scaled AP is about beta times scaled AUC, the better the rarer the positives."""
    errors_ = []
    for pi in (0.1, 0.01, 0.001):
        model = QuasiConcave(alpha=0.5 * pi, beta=0.6, prevalence=pi)
        exact = (model.ap - pi) / (1 - pi)
        approximate = (model.approximate_ap - pi) / (1 - pi)
        assert approximate == pytest.approx(0.6 * (2 * model.auc - 1))
        errors_.append(abs(exact - approximate))
    assert errors_[0] > errors_[1] > errors_[2]


@law(40)
@given(model=models, share=st.floats(0.05, 1))
def test_momentum_is_traded_for_stamina(model: QuasiConcave, share: float) -> None:
    """Theorem 1: (beta - pi) alpha is what the AUC depends on."""
    beta = model.prevalence + share * (1 - model.prevalence)
    alpha = (model.beta - model.prevalence) * model.alpha / (beta - model.prevalence)
    if alpha > model.prevalence / beta:
        with pytest.raises(errors.ParameterError):
            model.with_same_auc(beta)
        return
    other = model.with_same_auc(beta)
    assert other.auc == pytest.approx(model.auc, abs=1e-12)
    assert other.alpha == pytest.approx(alpha)


def test_ends_of_the_model() -> None:
    flat = QuasiConcave(alpha=0.0, beta=0.2, prevalence=0.2)
    assert (flat.auc, flat.ap) == pytest.approx((0.5, 0.2))
    perfect = QuasiConcave(alpha=0.2, beta=1.0, prevalence=0.2)
    assert (perfect.auc, perfect.ap) == pytest.approx((1.0, 1.0))
    for alpha, beta, pi in ((0.1, 0.1, 0.2), (0.1, 1.1, 0.2), (0.5, 0.5, 0.2), (-0.1, 0.5, 0.2), (0.1, 0.5, 1.0)):
        with pytest.raises(errors.ParameterError):
            QuasiConcave(alpha, beta, pi)


def test_momentum_is_scaled_ap_over_scaled_auc() -> None:
    t = HitTable.from_scores(Y, A)
    ap, auc = EXPECTED["a", "ap"], EXPECTED["a", "auc"]
    assert hc.metric("momentum").value(t) == pytest.approx((ap - 0.4) / 0.6 / (2 * auc - 1))


@pytest.mark.parametrize(("pos", "neg"), [([2], [3]), ([1, 3], [4, 2])])
def test_momentum_is_refused_for_no_better_than_chance(pos: list[int], neg: list[int]) -> None:
    with pytest.raises(errors.UndefinedMetricError, match="AUC"):
        hc.metric("momentum").value(HitTable.from_counts(pos, neg))


# ---- densities of the rate


def test_elicited_density() -> None:
    """Millard et al. 2014: 2500 abstracts, 7200 minutes, 10 to 45 minutes each."""
    density = hc.rates.Beta.from_time_budget(2500, 7200, (10, 45))
    assert (density.a, density.b) == pytest.approx((6.226, 32.79), abs=0.005)
    assert density.mode == pytest.approx(0.141, abs=5e-4)
    assert density.quantile(0.025) == pytest.approx(7200 / (2500 * 45))
    assert density.quantile(0.975) == pytest.approx(7200 / (2500 * 10))


@law(40)
@given(low=st.floats(0.001, 0.9), share=st.floats(0.05, 0.9))
def test_density_with_given_quantiles(low: float, share: float) -> None:
    high = low + share * (1 - low)
    density = hc.rates.Beta.from_quantiles(low, high, coverage=0.8)
    assert density.quantile(0.1) == pytest.approx(low, rel=1e-6)
    assert density.quantile(0.9) == pytest.approx(high, rel=1e-6)


@pytest.mark.parametrize(
    "density",
    [
        hc.rates.Beta(6.23, 32.8),
        hc.rates.Uniform(0.1, 0.5),
        hc.rates.Point(0.3),
        hc.rates.RateMixture([hc.rates.Beta(2, 5), hc.rates.Point(0.5)], [3, 1]),
    ],
    ids=str,
)
def test_mean_rate_is_what_a_random_list_recalls(density: hc.rates.RateDensity) -> None:
    assert 1 - float(density.magnification().mean(0, 1)) == pytest.approx(density.mean, rel=1e-12)
    t = HitTable.from_scores(Y, A)
    assert hc.metrics.ExpectedRecall(density).random(t) == pytest.approx(density.mean, rel=1e-12)


@pytest.mark.parametrize("words", [("active", "inactive"), ("case", "control"), ("yes", "no")])
def test_scorers_know_which_class_is_positive(words: tuple[str, str]) -> None:
    """Scikit-learn alone scores the last class of the alphabet, which for the first two pairs is the negative one."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(200, 1))
    positive = x[:, 0] + rng.normal(size=200) > 0.5
    labels = np.where(positive, *words)
    linear = LogisticRegression().fit(x, labels)
    forest = RandomForestClassifier(10, random_state=0).fit(x, labels)
    assert hc.scorer("auc")(linear, x, labels) == hc.metrics.AUC()(positive, x[:, 0])
    assert hc.scorer("ap")(forest, x, labels) > 0.9
    assert hc.scorer("auc", pos_label=words[1])(linear, x, labels) == hc.metrics.AUC()(~positive, -x[:, 0])
    assert cross_val_score(LogisticRegression(), x, labels, scoring=hc.scorer("auc"), cv=3).min() > 0.5


def test_a_direction_is_true_or_false() -> None:
    with pytest.raises(errors.ParameterError, match="'low'"):
        evaluate(Y, {"a": A}, higher_is_better={"a": "low"})  # type: ignore[dict-item]


def test_rankers_have_one_name_each() -> None:
    with pytest.raises(errors.ParameterError, match="named twice"):
        evaluate("y", ["a", "a"], data=COLUMNS)
    with pytest.raises(errors.ParameterError, match="named twice"):
        evaluate(Y, {1: A, "1": A})


def test_missing_values_of_dictionaries_are_missing() -> None:
    """An Arrow dictionary holds codes: a null must not become the first word or number."""
    words = pa.array(["no", "yes", None, "yes"]).dictionary_encode()
    numbers = pa.array([4, 3, None, 1]).dictionary_encode()
    for labels, scores in ((words, [4, 3, 2, 1]), ([0, 1, 0, 1], numbers)):
        with pytest.raises(errors.MissingValueError, match="1 of 4"):
            HitTable.from_scores(labels, scores)
    with pytest.raises(errors.MissingValueError, match="1 of 4"):
        evaluate("y", "s", data=pa.table({"y": words, "s": [4, 3, 2, 1]}))


@pytest.mark.parametrize("make", [list, tuple, np.array], ids=["list", "tuple", "array"])
@odd_scores
def test_nan_among_words_is_no_word(make: Callable[[list[Any]], Any]) -> None:
    labels = make(["yes", "no", math.nan, "no"])
    with pytest.raises(errors.MissingValueError, match="1 of 4"):
        hc.metrics.AUC()(labels, [4, 3, 2, 1])
    assert hc.metrics.AUC()(labels, [4, 3, 2, 1], missing="drop") == 1


def test_masked_columns_hide_no_nan() -> None:
    labels = np.ma.array([1.0, 0.0, math.nan, 0.0], mask=[False, False, False, True])
    with pytest.raises(errors.MissingValueError, match="2 of 4"):
        hc.metrics.AUC()(labels, [4, 3, 2, 1])


def test_a_scorer_with_a_label_that_does_not_occur_gives_no_number() -> None:
    x = np.arange(40.0)[:, None]
    labels = np.where(x[:, 0] > 15, "active", "inactive")
    model = LogisticRegression().fit(x, labels)
    with pytest.raises(ValueError, match="Active"):
        hc.scorer("auc", pos_label="Active")(model, x, labels)


@pytest.mark.parametrize("make", [list, tuple, lambda names: np.array(names, object), pd.Series, pa.array])
def test_words_that_end_in_nul_are_words_of_their_own(make: Callable[[list[str]], Any]) -> None:
    names = ["a", "a", "a\0", "a\0"]
    stack = hc.TableStack.from_scores([1, 0, 1, 0], [4, 3, 2, 1], make(names))
    assert stack.names == ("a", "a\0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", errors.HitcurveWarning)
        found = evaluate([1, 0, 1, 0], {"s": [4, 3, 2, 1], "s\0": [1, 2, 3, 4]}, by=make(names), metrics=["auc"])
        frame = pd.DataFrame(found.to_frame(backend="pandas"))
    places = list(zip(frame["group"], frame["ranker"], strict=True))  # groups of pandas 2 end at the NUL
    assert sorted(places) == list(itertools.product(["a", "a\0"], ["s", "s\0"]))
    assert HitTable.from_scores(make(names), [4, 3, 2, 1], pos_label="a").n_pos == 2


def test_topics_that_end_in_nul_are_topics_of_their_own() -> None:
    qrels = {"t": {"d": 1, "d\0": 0}, "t\0": {"d": 0, "d\0": 1}}
    run = {topic: {"d": 2.0, "d\0": 1.0} for topic in qrels}
    found = hc.evaluate_trec({"r": run, "r\0": run}, qrels, metrics=["AP"])
    assert {topic: found[topic, "r\0", "AP"].value for topic in found} == {"t": 1.0, "t\0": 0.5}


# ---- subjects that have names


def _named(values: Any, names: str) -> Any:
    return pd.Series(values, index=list(names))


@pytest.mark.filterwarnings("ignore::hitcurve.errors.AlignmentWarning")
def test_columns_of_the_same_subjects_are_put_in_one_order() -> None:
    y, s = _named([1, 0, 1, 0], "abcd"), _named([2.0, 9.0, 8.0, 1.0], "dacb")  # by position the AUC is .25
    assert metric("auc")(y, s) == 1
    assert HitTable.from_scores(y, s).pos.tolist() == HitTable.from_scores([1, 0, 1, 0], [9, 1, 8, 2]).pos.tolist()
    ev = evaluate(y, {"a": s, "b": s[list("abcd")]}, metrics="auc")
    assert ev["a", "auc"].value == ev["b", "auc"].value == 1
    assert ev.notes == ("score 'a' put in the order of y_true by the index",)
    assert "put in the order" in str(ev)
    assert hc.compare(y, s, s[list("cdab")], metric="auc").difference.value == 0
    shuffled = pd.Series([1, 0, 1, 0, 0]).sample(frac=1, random_state=1)  # a permutation of 0, 1, ... is named too
    assert metric("auc")(shuffled, pd.Series([5, 1, 4, 2, 3])) == 1


@pytest.mark.filterwarnings("ignore::hitcurve.errors.AlignmentWarning")
def test_weights_groups_and_clusters_follow_the_index() -> None:
    rng = np.random.default_rng(0)
    n = 60
    y = np.arange(n) % 3 == 0
    columns = {"y": y, "s": rng.normal(size=n) + 2 * y, "w": rng.integers(1, 5, n)}
    columns |= {"g": np.arange(n) // 30, "c": np.arange(n) // 2}
    frame = pd.DataFrame(columns, index=[f"m{i}" for i in range(n)])
    moved = {name: frame[name].sample(frac=1, random_state=i) for i, name in enumerate(frame)}
    found, straight = (
        evaluate(of["y"], of["s"], sample_weight=of["w"], by=of["g"], clusters=of["c"], metrics="ap").to_dict()
        for of in (moved, frame)
    )
    assert found["groups"] == straight["groups"]
    assert found["pooled"] == straight["pooled"]
    np.testing.assert_array_equal(
        hc.learn.early_retrieval_weights(moved["s"], sample_weight=frame["w"]),
        hc.learn.early_retrieval_weights(frame["s"][moved["s"].index], sample_weight=frame["w"][moved["s"].index]),
    )
    both = {"a": frame["s"], "b": frame["w"]}
    assert hc.fuse_scores({**both, "b": moved["w"]}).tolist() == hc.fuse_scores(both).tolist()


def test_a_default_index_has_no_identity() -> None:
    y, s = [1, 0, 1, 0], [4, 3, 2, 1]
    expected = metric("auc")(y, s)
    assert metric("auc")(pd.Series(y), pd.Series(s, index=list("dcba"))) == expected
    assert metric("auc")(pd.Series(y, index=[7, 5, 3, 1]), pd.Series(s)) == expected
    assert metric("auc")(pl.Series(y), pd.Series(s, index=list("dcba"))) == expected
    assert metric("auc")(y, pd.Series(s, index=list("aabb"))) == expected


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ((_named([1, 0, 1], "abc"), _named([1, 2, 3], "abd")), r"1 of 3 labels are not in both, such as 'd'"),
        ((_named([1, 0, 1], "abc"), _named([1, 2, 3], "aac")), r"in which 'a' occurs twice"),
        (([1, 0, 1], {"a": _named([1, 2, 3], "abc"), "b": _named([1, 2, 3], "cba")}), "y_true has no index that tells"),
        ((pd.Series([1, 0, 1], index=[4, 5, 6]), pd.Series([1, 2, 3], index=[1, 2, 3])), "3 of 3 labels"),
    ],
)
def test_other_indexes_are_refused(given: Any, why: str) -> None:
    with pytest.raises(errors.InputError, match=why) as caught:
        evaluate(*given, metrics="auc")
    assert "to_numpy()" in str(caught.value)


# ---- frames whose rows have names


def _rows_and_labels() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3 == 0
    names = [f"m{i}" for i in range(90)]
    X = pd.DataFrame(rng.normal(size=(90, 2)) + 1.5 * y[:, None], index=names, columns=["u", "v"])
    return X, pd.Series(y.astype(int), index=names), pd.Series(rng.integers(1, 13, 90), index=names)


def _of_cv(X: Any, y: Any, w: Any, y_first: Any) -> Any:
    folds = cross_validate(LogisticRegression(), X, y_first, cv=3, return_estimator=True, return_indices=True)
    return hc.evaluate_cv_results(folds, X, y, metrics="auc").mean("score", "auc").value


def _of_display(X: Any, y: Any, w: Any, y_first: Any) -> Any:
    display = CurveDisplay.from_estimator(LogisticRegression().fit(X, y_first), X, y, sample_weight=w)
    return display.evaluation.tables["LogisticRegression"]


def _of_cv_display(X: Any, y: Any, w: Any, y_first: Any) -> Any:
    folds = cross_validate(LogisticRegression(), X, y_first, cv=3, return_estimator=True, return_indices=True)
    return tuple(CurveDisplay.from_cv_results(folds, X, y, sample_weight=w).evaluation.tables.values())


def _of_scorer(X: Any, y: Any, w: Any, y_first: Any) -> Any:
    return hc.scorer("ap")(LogisticRegression().fit(X, y_first), X, y, sample_weight=w)


def _of_folds(X: Any, y: Any, w: Any, y_first: Any) -> Any:
    out = hc.learn.out_of_fold(LogisticRegression(), X, y, cv=3, clusters=w, params={"sample_weight": w})
    return out.scores.tolist(), out.positive.tolist()


def _of_nested(X: Any, y: Any, w: Any, y_first: Any) -> Any:
    search = hc.learn.ModelChoice({"lr": LogisticRegression()}, metric="auc", cv=2)
    found = hc.learn.nested_cross_validation(search, X, y, metric="ap", cv=2, clusters=w, params={"sample_weight": w})
    return found.estimate.value


def _of_choice(X: Any, y: Any, w: Any, y_first: Any) -> Any:
    choice = hc.learn.ModelChoice({"lr": LogisticRegression()}, metric="auc", cv=2)
    return choice.fit(X, y, clusters=w, sample_weight=w).decision_function(X).tolist()


def _of_reweighting(X: Any, y: Any, w: Any, y_first: Any) -> Any:
    model = hc.learn.EarlyRetrievalWeights(SGDClassifier(random_state=0), max_epochs=3, patience=3)
    return model.fit(X, y, sample_weight=w).decision_function(X).tolist()


def _bits(X: Any) -> Any:
    return (X > 0.5).astype(int).assign(one=1)


def _of_svc(X: Any, y: Any, w: Any, y_first: Any) -> Any:
    return hc.learn.TanimotoSVC().fit(_bits(X), y, sample_weight=w).decision_function(_bits(X)).tolist()


def _of_voter(X: Any, y: Any, w: Any, y_first: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        voter = hc.learn.InfluenceRelevanceVoter(k=3, max_iter=2).fit(_bits(X), y, sample_weight=w)
    return voter.decision_function(_bits(X)).tolist()


def _of_ranker(X: Any, y: Any, w: Any, y_first: Any) -> Any:
    return hc.learn.SimilarityKNN(k=3).fit(_bits(X), y).decision_function(_bits(X)).tolist()


_ROWS: tuple[Callable[..., Any], ...] = (
    _of_cv,
    _of_display,
    _of_cv_display,
    _of_scorer,
    _of_folds,
    _of_nested,
    _of_choice,
    _of_reweighting,
    _of_svc,
    _of_voter,
    _of_ranker,
)


@pytest.mark.filterwarnings("ignore::hitcurve.errors.AlignmentWarning")
@pytest.mark.parametrize("door", _ROWS, ids=lambda door: door.__name__[4:])
def test_columns_follow_the_rows_of_a_frame(door: Callable[..., Any]) -> None:
    X, y, w = _rows_and_labels()
    expected = door(X, y, w, y)
    assert door(X, y.sample(frac=1, random_state=1), w.sample(frac=1, random_state=2), y) == expected
    assert door(X, y.reset_index(drop=True), w.to_numpy(), y) == expected  # a default index has no identity
    with pytest.raises(errors.InputError, match=r"X and y have different indexes .* labels are not in both"):
        door(X, y.rename(index="z{}".format), w.to_numpy(), y)


def test_order_by_the_rows_of_a_frame_is_noted() -> None:
    X, y, _ = _rows_and_labels()
    moved, note = y.sample(frac=1, random_state=1), ("y put in the order of X by the index",)
    model = LogisticRegression().fit(X, y)
    folds = cross_validate(model, X, y, cv=3, return_estimator=True, return_indices=True)
    assert hc.evaluate_cv_results(folds, X, moved, metrics="auc").notes == note
    assert CurveDisplay.from_estimator(model, X, moved).evaluation.notes == note
    assert CurveDisplay.from_cv_results(folds, X, moved).evaluation.notes[-1:] == note
    assert hc.learn.out_of_fold(model, X, moved).notes == note


def test_parts_of_a_default_index_have_no_identity() -> None:
    """scikit-learn cuts data into folds by position, and a fold of a default index is no default index."""
    X, y, w = _rows_and_labels()
    by_position = y.reset_index(drop=True)
    search = GridSearchCV(LogisticRegression(), {"C": [1.0]}, scoring=hc.scorer("ap"), cv=3, error_score="raise")
    expected = search.fit(X, y).best_score_
    assert search.fit(X, by_position).best_score_ == expected
    choice = hc.learn.ModelChoice({"lr": LogisticRegression()}, metric="auc", cv=2)
    straight, parted = (cross_val_score(choice, X, of, cv=3, error_score="raise") for of in (y, by_position))
    assert straight.tolist() == parted.tolist()
    straight, parted = (
        hc.learn.nested_cross_validation(choice, X, y, metric="ap", cv=2, clusters=of).estimate.value
        for of in (w, w.reset_index(drop=True))
    )
    assert straight == parted


# ---- what is said of scores, and where


@pytest.mark.parametrize("ask", ["metric", "compare", "evaluate", "scorer", "fuse"])
def test_warnings_point_at_the_line_of_the_caller(ask: str) -> None:
    y, low, high = [1, 0, 1, 0, 0, 0], [1.0, 2, 3, 4, 5, 6], [6.0, 5, 4, 3, 2, 1]
    x = np.array(low)[:, None]
    model = LogisticRegression().fit(x, y)
    calls: dict[str, Callable[[], Any]] = {
        "metric": lambda: metric("ap")(y, low),
        "compare": lambda: hc.compare(y, high, low, metric="auc", method="swap-permutation"),
        "evaluate": lambda: evaluate(y, low, metrics="auc"),
        "scorer": lambda: hc.scorer("auc")(model, -x, y),
        "fuse": lambda: hc.fuse_scores({"a": [1, None, 2], "b": [1, 2, 3]}, missing="last"),
    }
    with pytest.warns(errors.HitcurveWarning) as heard:
        calls[ask]()
    assert {one.filename for one in heard} == {__file__}


def test_metrics_say_what_evaluations_say() -> None:
    y = [1, 0, 1, 0, 0, 0]
    with pytest.warns(errors.DirectionWarning, match="'y_score' \\(0.1250\\)"):
        metric("ap")(y, [1, 2, 3, 4, 5, 6])
    with pytest.warns(errors.TwoValuedScoreWarning, match="only two values"):
        metric("ap")(y, [1, 0, 1, 0, 0, 0])
    with pytest.warns(errors.ConstantScoreWarning, match="is constant and ranks no subject"):
        metric("ap")(y, [1] * 6)


def test_detectors_of_outliers_are_scored_for_the_label_that_is_asked_for() -> None:
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(size=(180, 2)), rng.normal(size=(20, 2)) * 3 + 5])
    y = rng.permutation(200)
    x, y = x[y], np.where(y < 180, 1, -1)  # 1 for inliers
    model = IsolationForest(random_state=0).fit(x)
    area = metric("auc")(y == 1, model.decision_function(x))
    assert area > 0.9
    for one in (model, make_pipeline(StandardScaler(), IsolationForest(random_state=0)).fit(x)):
        assert hc.scorer("auc", pos_label=-1)(one, x, y) == pytest.approx(area, abs=0.01)
    assert hc.scorer("auc")(model, x, y) == hc.scorer("auc", pos_label=1)(model, x, y) == area
    wanted = hc.scorer("ap", pos_label=-1)
    assert wanted(model, x, y) == metric("ap")(y == -1, -model.decision_function(x))
    found = cross_validate(model, x, y, cv=KFold(3), scoring=wanted, return_estimator=True, return_indices=True)
    ev = hc.evaluate_cv_results(found, x, y, metrics="ap", pos_label=-1)
    assert ev.values("score", "ap") == pytest.approx(found["test_score"], rel=1e-12)
    with pytest.raises(errors.LabelError, match="the label 0 is neither: label inliers 1 and outliers -1"):
        hc.scorer("auc")(model, x, (y == -1).astype(int))


def test_scorers_equal_those_of_the_same_metric_and_label() -> None:
    wanted = hc.scorer("ap", pos_label="yes")
    assert wanted == hc.scorer("ap", pos_label="yes") == pickle.loads(pickle.dumps(wanted))
    assert hash(wanted) == hash(hc.scorer("ap", pos_label="yes"))
    assert wanted != hc.scorer("ap") != hc.scorer("auc")
    assert wanted.metric == metric("ap")


# ---- results as values


@functools.cache
def results() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    y, n = np.tile([1, 0, 0, 0], 60), 240
    scores = {"a": rng.normal(size=n) + y, "b": np.round(rng.normal(size=n) + y, 1)}
    forms = ["ap", "auc", "momentum"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ev = evaluate(y, scores, metrics=forms, undefined="nan")
        grouped = evaluate(y, scores, folds=np.repeat(range(4), 60), metrics=["ap", "recall@10%"])
        clustered = evaluate(y, scores, clusters=np.arange(n) // 3, metrics="ap")
        bad = evaluate(y, -scores["a"], metrics="momentum", undefined="nan")
    trec = hc.evaluate_trec({"x": {"1": {"a": 2.0, "b": 1.0}}}, {"1": {"a": 1, "b": 0}})
    curve = ev.tables["a"].curve("proc")
    _ = str(ev), str(grouped), curve.x, curve.axis, clustered["a", "ap"].interval
    return {
        "evaluation": ev,
        "groups": grouped,
        "clusters": clustered,
        "topics": trec,
        "without data": ev.without_data(),
        "groups without data": grouped.without_data(),
        "estimate": ev["a", "ap"],
        "of clusters": clustered["a", "ap"],
        "undefined": bad["score", "momentum"],
        "curve": curve,
        "average": grouped.average_curve("a"),
        "pool": grouped.average_curve("a", along="pool"),
        "comparison": ev.compare("a", "b", "ap"),
        "of groups": grouped.compare("a", "b", "ap"),
        "band": ev.band("a"),
        "difference band": ev.difference_band("a", "b"),
        "sensitivity": ev.sensitivity("alpha", [1, 1000]),
        "mean": grouped.mean("a", "ap"),
        "power": ev.power_analysis("auc", 0.05, power=0.8),
        "table": ev.tables["a"],
        "scorer": hc.scorer("ap"),
    }


def test_results_equal_their_own_pickle() -> None:
    for name, result in results().items():
        again = pickle.loads(pickle.dumps(result))
        assert again == result, name
        if name != "table":
            assert hash(again) == hash(result), name
        assert all(result != other for other in results().values() if type(other) is not type(result)), name


def test_results_of_other_numbers_differ() -> None:
    ev = results()["evaluation"]
    assert ev != quietly(Y, {"a": A, "b": B}, metrics="ap")
    assert ev["a", "ap"] != ev["b", "ap"]
    assert ev["a", "ap"] == ev["a", "ap"]
    assert ev.band("a") == ev.band("a") != ev.band("b")
    assert ev.band("a") != ev.band("a", confidence_level=0.9)
    assert ev.compare("a", "b", "ap") == ev.compare("a", "b", "ap") != ev.compare("b", "a", "ap")


def test_what_a_result_holds_cannot_be_changed() -> None:
    ev = results()["evaluation"]
    with pytest.raises(TypeError):
        ev.tables["c"] = ev.tables["a"]
    with pytest.raises(ValueError, match="read-only"):
        ev.tables["a"].pos[0] = 1
    pos, neg = np.array([2, 1]), np.array([1, 5])
    for table in (HitTable(pos, neg, "rows"), HitTable.from_counts(pos, neg)):
        pos[0] = 9
        assert table.pos.tolist() == [2, 1]
        pos[0] = 2


# ---- the order of an index is said wherever there are no notes

_PD_Y = pd.Series(np.tile([1, 0, 0], 20), index=[f"m{i}" for i in range(60)])
_PD_S = pd.Series(np.random.default_rng(0).normal(size=60) + _PD_Y.to_numpy(), index=_PD_Y.index)
_MOVED = _PD_S.sample(frac=1, random_state=0)
_BITS = pd.DataFrame(np.random.default_rng(1).integers(0, 2, (60, 16)), index=_PD_Y.index)


def _scored(moved: bool) -> Any:
    from sklearn.linear_model import LogisticRegression

    X = pd.DataFrame({"a": _PD_S, "b": _PD_S**2})
    model = LogisticRegression().fit(X, _PD_Y)
    return hc.scorer("auc")(model, X.loc[_MOVED.index] if moved else X, _PD_Y)


def _fitted(name: str, moved: bool) -> Any:
    from hitcurve import learn

    model = getattr(learn, name)()
    y = _PD_Y if moved else _PD_Y.loc[_MOVED.index]
    return model.fit(_BITS.loc[_MOVED.index], y).decision_function(_BITS)


_DOORS: dict[str, Callable[[bool], Any]] = {
    "metric": lambda moved: hc.metric("auc")(_PD_Y, _MOVED if moved else _PD_S),
    "compare": lambda moved: hc.compare(_PD_Y, _MOVED if moved else _PD_S, _PD_S**3, metric="auc").difference.value,
    "table": lambda moved: hc.HitTable.from_scores(_PD_Y, _MOVED if moved else _PD_S),
    "curve": lambda moved: hc.roc_curve(_PD_Y, _MOVED if moved else _PD_S).y.tolist(),
    "fusion": lambda moved: np.sort(hc.fuse_scores({"a": _PD_S, "b": _MOVED if moved else _PD_S})).tolist(),
    "scorer": _scored,
    **{
        name: functools.partial(lambda name, moved: _fitted(name, moved).tolist(), name)
        for name in ("MaxSimilarityRanker", "SimilarityKNN", "TanimotoSVC", "InfluenceRelevanceVoter")
    },
}


@pytest.mark.parametrize("door", _DOORS)
def test_columns_put_in_order_are_said_at_every_door(door: str) -> None:
    expected = _DOORS[door](False)  # warnings are errors here
    with pytest.warns(errors.AlignmentWarning, match=r"put in the order of .+ by the index") as heard:
        found = _DOORS[door](True)
    assert found == pytest.approx(expected) if isinstance(expected, (float, list)) else found == expected
    assert len(heard) == 1


def test_indexes_of_several_levels_are_aligned_or_refused() -> None:
    index = pd.MultiIndex.from_tuples([("ab"[i % 2], i) for i in range(60)])
    y, s = _PD_Y.set_axis(index), _PD_S.set_axis(index)
    expected = hc.evaluate(_PD_Y, _PD_S, metrics="auc")["score", "auc"].value
    found = hc.evaluate(y, s.sample(frac=1, random_state=0), metrics="auc")
    assert found["score", "auc"].value == expected
    assert found.notes == ("score 'score' put in the order of y_true by the index",)
    for other in (s.swaplevel(), _PD_S):
        with pytest.raises(errors.InputError, match="have different indexes"):
            hc.evaluate(y, other, metrics="auc")


@pytest.mark.parametrize("kind", [bool, np.int8, np.uint8, np.int64, np.uint32, np.float32, float, object])
def test_labels_0_and_1_of_every_type_are_the_same_classes(kind: Any) -> None:
    for values in ([0, 1, 1, 0], [1, 1], [0, 0]):
        labels = np.array(values).astype(kind)
        for pos_label in (None, 1, "1", True):
            positive, vocabulary = encode_labels(labels, pos_label, whole=False)
            assert positive.dtype == bool
            assert positive.tolist() == [value == 1 for value in values]
            assert vocabulary == set(values)
        positive, _ = encode_labels(labels, 0, whole=False)
        assert positive.tolist() == [value == 0 for value in values]


@pytest.mark.parametrize("kind", [bool, np.int8, np.uint8])
def test_labels_of_one_byte_take_no_memory_again(kind: Any) -> None:
    labels = np.array([0, 1, 0]).astype(kind)
    assert np.shares_memory(encode_labels(labels)[0], labels)


@pytest.mark.parametrize("labels", [bool, np.uint8, int, float])
@pytest.mark.parametrize("changed", ["the labels", "the scores of 'b'", "the weights"])
def test_columns_that_change_in_place_after_they_were_read_are_refused(labels: type, changed: str) -> None:
    rng = np.random.default_rng(5)
    y: np.ndarray[Any, Any] = (rng.random(3000) < 0.3).astype(labels)
    weights = rng.uniform(1, 2, 3000)
    a, b = rng.normal(size=(2, 3000)) + y.astype(float)
    columns = {"the labels": y, "the scores of 'b'": b, "the weights": weights}

    def p_value() -> float:
        ev = hc.evaluate(y, {"a": a, "b": b}, metrics="auc", sample_weight=weights)
        before = columns[changed].copy()
        columns[changed][:] = columns[changed][::-1].copy()
        try:
            return ev.compare("a", "b", "auc").pvalue
        finally:
            columns[changed][:] = before

    as_it_was = hc.evaluate(y.copy(), {"a": a.copy(), "b": b.copy()}, metrics="auc", sample_weight=weights.copy())
    wanted = as_it_was.compare("a", "b", "auc").pvalue
    try:
        found: object = p_value()
    except hc.errors.InputError as refusal:
        found = str(refusal).split(" changed in place")[0]
    # what was copied on the way has the old numbers
    assert found in (wanted, changed)


@pytest.mark.parametrize("kind", ["int8", "int32", "uint16"])
def test_places_in_a_dictionary_are_those_of_arrow(kind: str) -> None:
    places = pa.array([2, None, 0, 1, None, 2, 0, 0, 1, None, 2], kind)
    for start, stop in ((0, 11), (1, 9), (9, 10), (2, 4), (5, 5)):
        codes = pa.DictionaryArray.from_arrays(places, ["a", "b", "c"])[start:stop]
        expected = [3 if place is None else place for place in places[start:stop].to_pylist()]
        assert places_of(codes).tolist() == expected
