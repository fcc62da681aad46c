"""Queries that have not run: the numbers of memory, few runs, and no more columns than are used."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import ibis
import numpy as np
import polars as pl
import pytest
from polars.io.plugins import register_io_source

import hitcurve as hc
from hitcurve.errors import ColumnNotFoundError, InputError, LabelError, MissingValueError, ParameterError, WeightError
from hitcurve.sources.files import lazy, streams
from hitcurve.sources.repeated import RepeatedSource

pytestmark = [  # of Ibis, which asks pandas and DuckDB for what they give up
    pytest.mark.filterwarnings("ignore:The 'future.infer_string' option:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning"),
]

RNG = np.random.default_rng(25)
N = 6000
Y = (RNG.random(N) < 0.1).astype(int)
FRAME = pl.DataFrame(
    {
        "y": Y,
        "a": (RNG.normal(size=N) + Y).round(0).clip(-1, 1),
        "b": (RNG.normal(size=N) + Y).round(0).clip(-1, 1).astype(np.float32),
        "fine": RNG.normal(size=N) + Y,
        "w": 1 + RNG.integers(0, 2, N) / 4,
        "c": RNG.integers(0, 9, N),
        "g": np.array(["x", "y", "z"])[RNG.integers(0, 3, N)],
    }
)
WHO = ("polars", "duckdb", "ibis", "ibis sqlite")
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "weights": {"sample_weight": "w"},
    "clusters": {"clusters": "c"},
    "groups": {"by": "g"},
}


class Counting:
    """A query that counts the rows that it was asked for, and by what names."""

    def __init__(self, who: str, folder: Path, frame: pl.DataFrame = FRAME) -> None:
        self.rows = 0
        self.asked: set[str] = set()
        self.data = getattr(self, f"_{who.replace(' ', '_')}")(frame, folder)

    def _polars(self, frame: pl.DataFrame, folder: Path) -> pl.LazyFrame:
        def read(names: Any, predicate: Any, rows: int | None, size: int | None) -> Iterator[pl.DataFrame]:
            self.asked |= set(names or frame.columns)
            for part in (frame if rows is None else frame.head(rows)).iter_slices(size or 500):
                self.rows += part.height
                yield part if names is None else part.select(names)

        return register_io_source(read, schema=frame.schema)

    def _see(self, y: Any) -> Any:
        self.rows += len(y)
        return y

    def _duckdb(self, frame: pl.DataFrame, folder: Path) -> Any:
        db = duckdb.connect()
        db.register("scores", frame.to_arrow())
        db.create_function("seen", self._see, ["BIGINT"], "BIGINT", type="arrow", null_handling="special")
        return db.sql("SELECT * REPLACE (seen(y) AS y) FROM scores")

    def _ibis(self, frame: pl.DataFrame, folder: Path) -> Any:
        db = ibis.duckdb.connect()
        db.con.register("scores", frame.to_arrow())
        db.con.create_function("seen", self._see, ["BIGINT"], "BIGINT", type="arrow", null_handling="special")
        db.con.execute("CREATE TEMP VIEW counted AS SELECT * REPLACE (seen(y) AS y) FROM scores")
        return db.table("counted")

    def _ibis_sqlite(self, frame: pl.DataFrame, folder: Path) -> Any:
        path = folder / "scores.db"
        with closing(sqlite3.connect(path)) as db:
            frame.to_pandas().to_sql("scores", db, index=False)
        opened = ibis.sqlite.connect(path)
        OPENED.append(opened)
        return opened.table("scores")


OPENED: list[Any] = []


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    while OPENED:
        OPENED.pop().disconnect()


def _held(who: str, frame: pl.DataFrame = FRAME) -> pl.DataFrame:
    """Return the frame with the types that the engine has."""
    return frame.with_columns(pl.col("b").cast(pl.Float64)) if who == "ibis sqlite" else frame


def _evaluated(data: Any, rankers: Any = ("a", "b"), **options: Any) -> Any:
    return hc.evaluate("y", list(rankers), data=data, metrics=["ap", "auc", "ef@10%"], **options)


@pytest.fixture
def pushed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let rows be looked at early, and batches be short."""
    monkeypatch.setattr(streams, "LOOKED_AT", 20_000)
    monkeypatch.setattr(lazy, "FEW", 4)
    monkeypatch.setattr(lazy, "_ROWS", 1000)
    monkeypatch.setattr("hitcurve.sources.repeated._ROWS", 1000)


def _same(found: Any, wanted: Any, options: str) -> None:
    for ranker in wanted.rankers if options != "groups" else ():
        if options == "weights":  # sums that round depend on their order
            np.testing.assert_allclose(found.tables[ranker].pos, wanted.tables[ranker].pos, rtol=1e-13)
        else:
            assert found.tables[ranker] == wanted.tables[ranker]
    if options == "groups":
        assert found.to_frame(backend="polars").equals(wanted.to_frame())
    else:
        ours, theirs = (ev.compare(*wanted.rankers, "ap", method="delta") for ev in (found, wanted))
        assert ours.pvalue == pytest.approx(theirs.pvalue, rel=1e-9)
    assert found.tally == wanted.tally


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("who", WHO)
def test_few_distinct_rows_are_counted_where_the_data_are(who: str, options: str, tmp_path: Path, pushed: None) -> None:
    query = Counting(who, tmp_path)
    found, wanted = _evaluated(query.data, **OPTIONS[options]), _evaluated(_held(who), **OPTIONS[options])
    assert options == "groups" or isinstance(found.source, RepeatedSource)
    distinct = FRAME.select("y", "a", "b", *OPTIONS[options].values()).unique().height
    assert any(f"counted 6,000 rows as {distinct:,} distinct ones in one query" in note for note in found.notes)
    _same(found, wanted, options)
    if who == "polars":
        assert query.asked == {"y", "a", "b", *OPTIONS[options].values()}
    if who != "ibis sqlite":  # whose rows cannot be counted from outside
        assert N <= query.rows <= 2 * N  # a part to look at, and all of them once


@pytest.mark.slow
@pytest.mark.parametrize(("options", "spilled"), [*((name, False) for name in OPTIONS), ("groups", True)])
@pytest.mark.parametrize("who", WHO)
def test_many_distinct_rows_arrive_in_batches_once(
    who: str, spilled: bool, options: str, tmp_path: Path, pushed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if spilled:
        monkeypatch.setattr(streams, "_MOST_BYTES", 30_000)
    query = Counting(who, tmp_path)
    found = _evaluated(query.data, ["a", "fine"], **OPTIONS[options])
    assert any("temporary file" in note for note in found.notes) == spilled
    _same(found, _evaluated(FRAME, ["a", "fine"], **OPTIONS[options]), options)
    assert who == "ibis sqlite" or query.rows == N


def test_rows_that_only_begin_alike_are_kept(tmp_path: Path, pushed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = FRAME.sort("a").with_columns(x=pl.when(pl.int_range(N) < 2000).then(0.0).otherwise(pl.col("fine")))
    monkeypatch.setattr(lazy, "MOST_DISTINCT", 500)
    query = Counting("duckdb", tmp_path, frame.select("y", a="x"))
    found = _evaluated(query.data, ["a"])
    assert found.tables["a"] == _evaluated(frame.select("y", a="x"), ["a"]).tables["a"]
    assert not found.notes


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("who", WHO)
def test_nan_null_zeros_and_float32_follow_the_rules_of_memory(
    who: str, many: bool, tmp_path: Path, pushed: None
) -> None:
    odd = [None, float("nan"), 0.0, -0.0, float("inf"), -float("inf")]
    if who == "ibis sqlite":
        odd.remove(odd[1])  # it has no nan
    places = np.arange(N) % 17
    values = [odd[place] if place < len(odd) else value for place, value in zip(places, FRAME["a"], strict=True)]
    column = FRAME["fine" if many else "b"].cast(pl.Float32)
    frame = FRAME.with_columns(a=pl.Series(values, dtype=pl.Float64), b=column)
    query = Counting(who, tmp_path, frame)
    for missing in ("drop", "last"):
        with pytest.warns(hc.errors.MissingValueWarning):
            found = _evaluated(query.data, missing=missing)
        with pytest.warns(hc.errors.MissingValueWarning):
            _same(found, _evaluated(_held(who, frame), missing=missing), "plain")
        assert isinstance(found.source, RepeatedSource) != many
    with pytest.raises(MissingValueError) as theirs:
        _evaluated(frame)
    with pytest.raises(MissingValueError, match=str(theirs.value)[:40]):
        _evaluated(query.data)


@pytest.mark.parametrize("many", [False, True])
def test_lower_is_better_and_words_as_labels(many: bool, tmp_path: Path, pushed: None) -> None:
    frame = FRAME.with_columns(y=pl.when(pl.col("y") == 1).then(pl.lit("ill")).otherwise(pl.lit("well")))
    given: dict[str, Any] = {"pos_label": "ill", "higher_is_better": {"a": False}}
    rankers = ["a", "fine"] if many else ["a", "b"]
    with pytest.warns(hc.errors.DirectionWarning):
        found = _evaluated(frame.lazy(), rankers, **given)
    with pytest.warns(hc.errors.DirectionWarning):
        _same(found, _evaluated(frame, rankers, **given), "plain")
    with pytest.raises(LabelError, match="give the positive label"):
        _evaluated(frame.lazy(), rankers)


def test_what_is_wrong_with_distinct_rows_is_said_without_their_places(tmp_path: Path, pushed: None) -> None:
    frame = FRAME.with_columns(w=-pl.col("w"))
    with pytest.raises(WeightError, match=r"weights must be finite and at least 0, got -1.25$"):
        _evaluated(frame.sort("w").lazy(), sample_weight="w")


def test_a_query_that_fails_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the query of DuckDB fails: .*Conversion Error"):
        _evaluated(duckdb.sql("SELECT 1 AS y, 0.5 AS a, CAST(word AS DOUBLE) AS b FROM (VALUES ('x')) AS t(word)"))
    with pytest.raises(InputError, match="the query of Polars fails"):
        _evaluated(FRAME.lazy().with_columns(a=pl.lit("x").cast(pl.Int64)))
    with pytest.raises(ColumnNotFoundError, match="did you mean 'fine'"):
        _evaluated(FRAME.lazy(), ["fines"])


def test_arrays_beside_a_query_need_its_order() -> None:
    wanted = _evaluated(FRAME, sample_weight="w")
    found = _evaluated(FRAME.lazy(), sample_weight=FRAME["w"].to_numpy())
    assert found.tables["a"] == wanted.tables["a"]
    scores = FRAME.to_arrow()
    with pytest.raises(ParameterError, match="weight is the name of a column"):
        _evaluated(duckdb.sql("SELECT * FROM scores"), sample_weight=scores["w"].to_numpy())


def test_tables_are_counted_from_a_query(pushed: None) -> None:
    counted: Callable[[Any], Any] = lambda data: hc.count_tables("y", "a", data=data, rows="full")  # noqa: E731
    assert counted(FRAME.lazy())["a"] == counted(FRAME)["a"]


@pytest.mark.filterwarnings("ignore::hitcurve.errors.TwoValuedScoreWarning")
def test_bins_of_weights_say_that_they_have_no_bracket(pushed: None) -> None:
    found, wanted = (_evaluated(data, sample_weight="w", bins=3) for data in (FRAME.lazy(), FRAME))
    assert isinstance(found.source.whole, RepeatedSource)
    assert found.notes[1:] == wanted.notes
    assert found["a", "ap"].value == pytest.approx(wanted["a", "ap"].value, rel=1e-12)
