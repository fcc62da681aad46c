"""Data in files, databases and streams, through the functions of Python: the same numbers as from memory."""

from __future__ import annotations

import functools
import gc
import io
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.parquet as pq
import pytest

import hitcurve as hc
from hitcurve.errors import (
    ColumnNotFoundError,
    EmptyInputError,
    HitcurveError,
    InputError,
    ParameterError,
    UndefinedMetricError,
    UnreadableFileError,
)
from hitcurve.sources import Reading
from hitcurve.sources.files import FileSource, Join, streams

RNG = np.random.default_rng(11)
N = 500
Y = (RNG.random(N) < 0.2).astype(int)
FRAME = pd.DataFrame(
    {
        "y": Y,
        "a": RNG.normal(size=N) + Y,
        "energy": -np.round(RNG.normal(size=N) + Y, 1),
        "w": 1 + RNG.integers(0, 4, N) / 4,
        "c": RNG.integers(0, 60, N),
        "g": np.array(["x", "y", "z"])[RNG.integers(0, 3, N)],
        "t": np.where(RNG.random(N) < 0.5, "train", "test"),
    }
)
TABLE = pa.Table.from_pandas(FRAME, preserve_index=False)
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "weights": {"sample_weight": "w"},
    "clusters": {"clusters": "c"},
    "groups": {"by": "g"},
    "case-control": {"prevalence": 0.01},
}


def _evaluated(data: Any, **options: Any) -> Any:
    shared: dict[str, Any] = {"metrics": ["ap", "auc", "ef@10%"], "higher_is_better": {"energy": False}}
    return hc.evaluate("y", ["a", "energy"], data=data, **shared, **options)


def _files(folder: Path) -> list[Path]:
    paths = []
    for place, start in enumerate(range(0, N, 200)):
        paths.append(folder / f"part{place}.parquet")
        pq.write_table(TABLE.slice(start, 200), paths[-1])
    return paths


def _reader(size: int = 64) -> pa.RecordBatchReader:
    return pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches(size))


class Stream:
    """What has the protocol and nothing else."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return _reader().__arrow_c_stream__(requested_schema)


def _csv(folder: Path) -> str:
    FRAME.to_csv(folder / "all.csv", index=False)
    return str(folder / "all.csv")


def _sqlite(folder: Path) -> str:
    with closing(sqlite3.connect(folder / "scores.db")) as db:
        FRAME.to_sql("scores", db, index=False)
    return f"sqlite:///{folder}/scores.db"


# pandas before 3 reads a digit less unless it is asked for all
DIGITS: dict[str, Any] = {"float_precision": "round_trip"} if pd.__version__.startswith("2.") else {}
PLACES: dict[str, Callable[[Path], Any]] = {
    "wildcard": lambda folder: _files(folder) and str(folder / "part*.parquet"),
    "paths": _files,
    "path": lambda folder: Path(_csv(folder)),
    "relation": lambda folder: duckdb.sql("SELECT * FROM frame", connection=_duck()),
    "reader": lambda folder: _reader(),
    "batches": lambda folder: TABLE.to_batches(33),
    "generator": lambda folder: (batch for batch in TABLE.to_batches(33)),
    "protocol": lambda folder: Stream(),
    "dataset": lambda folder: _files(folder) and pads.dataset(folder, format="parquet"),
    "fragment": lambda folder: next(iter(pads.dataset(_all(folder)).get_fragments())),
    "scanner": lambda folder: pads.dataset(_all(folder)).scanner(batch_size=33),
    "chunks of pandas": lambda folder: pd.read_csv(_csv(folder), chunksize=64, **DIGITS),
    "frames of pandas": lambda folder: [FRAME.iloc[::2], FRAME.iloc[1::2]],
    "frames of Polars": lambda folder: [pl.from_arrow(TABLE.slice(0, 99)), pl.from_arrow(TABLE.slice(99))],
    "tables": lambda folder: (TABLE.slice(start, 100) for start in range(0, N, 100)),
}


STREAMS = [name for name in PLACES if name not in ("wildcard", "paths", "path")]
OF_FILES: dict[str, Callable[[Path], Any]] = {
    "glob": lambda folder: _files(folder) and folder.glob("*.parquet"),
    "iterator": lambda folder: iter(_files(folder)),
    "map": lambda folder: map(str, _files(folder)),
    "set": lambda folder: set(_files(folder)),
}


def _all(folder: Path) -> Path:
    pq.write_table(TABLE, folder / "all.parquet")
    return folder / "all.parquet"


def _duck() -> Any:
    db = duckdb.connect()
    db.register("frame", FRAME)
    return db


@functools.cache
def _in_memory(options: str) -> Any:
    return _evaluated(FRAME, **OPTIONS[options])


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize(("place", "spilled"), [*((name, False) for name in PLACES), *((s, True) for s in STREAMS)])
def test_every_place_gives_the_numbers_of_memory(
    place: str, spilled: bool, options: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if spilled:
        monkeypatch.setattr(streams, "_MOST_BYTES", 2000)
    given = OPTIONS[options]
    found, wanted = _evaluated(PLACES[place](tmp_path), **given), _in_memory(options)
    if options == "weights":  # sums that round depend on where a chunk ends
        for ranker in ("a", "energy"):
            np.testing.assert_allclose(found.tables[ranker].pos, wanted.tables[ranker].pos, rtol=1e-13)
    elif options == "groups":
        assert found.mean("a", "ap").value == wanted.mean("a", "ap").value
    else:
        assert all(found.tables[ranker] == wanted.tables[ranker] for ranker in ("a", "energy"))
    if options in ("plain", "clusters"):
        ours, theirs = (ev.compare("a", "energy", "ap", method="delta") for ev in (found, wanted))
        assert ours.paired
        assert ours.pvalue == pytest.approx(theirs.pvalue, rel=1e-9)
    notes = [note for note in found.notes if "temporary file" in note]
    assert len(notes) == spilled
    for note in notes:  # what, how large, and where
        kept = "the data are read more than once: their batches were kept in a temporary file of"
        assert re.fullmatch(f"{kept} [\\d.]+ (bytes|kB|MB) in {re.escape(tempfile.gettempdir())}", note)


@pytest.mark.parametrize("place", OF_FILES)
def test_files_may_be_iterated_over(place: str, tmp_path: Path) -> None:
    data = OF_FILES[place](tmp_path)
    found = _evaluated(data, where="t = 'test'")
    assert found.tables["a"] == _evaluated(FRAME[FRAME["t"] == "test"]).tables["a"]
    if place == "glob":  # a generator
        with pytest.raises(InputError, match="read already"):
            _evaluated(data)
    counted = hc.count_tables("y", "a", data=OF_FILES[place](tmp_path))
    assert counted["a"] == _evaluated(FRAME).tables["a"]


NO_DATA: dict[str, tuple[Callable[[Path], Any], str]] = {
    "connection of DuckDB": (
        lambda folder: _duck(),
        r"a connection of DuckDB: pass a relation, such as con",
    ),
    "connection of SQLite": (
        lambda folder: sqlite3.connect(":memory:"),
        "sqlite3's Connection: pass its address",
    ),
    "cursor of SQLite": (
        lambda folder: sqlite3.connect(":memory:").execute("SELECT 1"),
        "sqlite3's Cursor: pass its address and a query, such as data='sqlite:///scores.db', query=",
    ),
    "open file": (lambda folder: _opened(folder, "r"), r"an open file: pass its path, data='.*all\.csv'$"),
    "open binary file": (lambda folder: _opened(folder, "rb"), r"an open file: pass its path, data='.*csv'$"),
    "file in memory": (
        lambda folder: io.BytesIO(b"y,a"),
        "a file in memory: read it into a data frame, or write it to",
    ),
    "text in memory": (lambda folder: io.StringIO("y,a"), "a file in memory: read it into a data frame"),
    "bytes": (lambda folder: b"y,a\n1,2", "bytes: write them to a file and pass its path, or read them into a data"),
    "bytearray": (lambda folder: bytearray(b"y,a"), "bytearray: write them to a file"),
    "names as bytes": (lambda folder: [b"a.csv"], r"a list of bytes: decode names of files by os\.fsdecode"),
    "Parquet file": (lambda folder: pq.ParquetFile(_all(folder)), r"a ParquetFile: pass its path, or data\.read\(\)"),
    "series of pandas": (lambda folder: FRAME["a"], "one column: pass a data frame, and names of its columns"),
    "series of Polars": (lambda folder: pl.Series([1.0]), "one column: pass a data frame"),
    "array of Arrow": (lambda folder: TABLE["a"], "one column: pass a data frame"),
    "records": (lambda folder: [{"y": 1, "a": 2.0}], r"a list of dict: make a data frame of it, such as pandas\.Data"),
    "rows": (lambda folder: iter([(1, 2.0)]), r"an iterable of tuple: make a data frame of it"),
    "array": (lambda folder: np.zeros((3, 2)), r"ndarray: make a data frame of it"),
    "number": (lambda folder: 3, r"got the value 3: pass a data frame, or the path of a file$"),
    "number of numpy": (lambda folder: np.float64(2.5), r"got the value 2\.5: pass a data frame"),
    "module": (lambda folder: pl, r"got the module polars: pass a data frame, or the path of a file$"),
    "folder": (lambda folder: folder, "is a folder, not a file, in which no name ends as that of a table"),
    "folder of CSV": (lambda folder: Path(_csv(folder)).parent, r"is a folder, not a file: .*'.*\*\.csv'$"),
    "folder of folders": (lambda folder: _partitioned(folder), r"is a folder, not a file: .*'.*\*\*/\*\.csv'$"),
    "text": (lambda folder: "y,a\n1,2\n0,1\n", r"text of several lines \('y,a'\.\.\.\) names no file: write it to one"),
    "paths and more": (lambda folder: iter([folder, 3]), "an iterable of int: make a data frame"),
    "lazy groups of Polars": (
        lambda folder: pl.LazyFrame({"y": [1]}).group_by("y"),
        r"got groups \(LazyGroupBy\): pass the data frame, and by=\.\.\. for an evaluation of each group$",
    ),
    "groups of Polars": (
        lambda folder: pl.DataFrame({"y": [1]}).group_by("y"),
        r"groups \(GroupBy\): pass the data fr",
    ),
    "groups of pandas": (
        lambda folder: FRAME.groupby("y"),
        r"groups \(DataFrameGroupBy\): pass the data frame, and by",
    ),
    "groups of Arrow": (lambda folder: TABLE.group_by("y"), r"groups \(TableGroupBy\): pass the data frame, and by"),
}


def _opened(folder: Path, mode: str) -> Any:
    return Path(_csv(folder)).open(mode)


list_iterator: type = type(iter([]))


def _partitioned(folder: Path) -> Path:
    (folder / "parts" / "day=1").mkdir(parents=True)
    shutil.copy(_csv(folder), folder / "parts" / "day=1")
    return folder / "parts"


@pytest.mark.parametrize("case", NO_DATA)
def test_what_is_no_data_is_answered_by_one_sentence(case: str, tmp_path: Path) -> None:
    made, words = NO_DATA[case]
    data = made(tmp_path)
    for ask in (hc.evaluate, hc.count_tables):
        again = made(tmp_path) if isinstance(data, list_iterator) else data
        with pytest.raises(HitcurveError, match=words) as refused:
            ask("y", ["a"], data=again)
        assert len(str(refused.value).splitlines()) == 1
    if isinstance(data, sqlite3.Cursor):
        data.connection.close()
    elif hasattr(data, "close"):
        data.close()


def test_temporary_files_go_with_the_evaluation(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(streams, "_MOST_BYTES", 2000)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ev = _evaluated(_reader())
    assert [path.name for path in tmp_path.glob("hitcurve-*/*/the batches given")] == ["the batches given"]
    assert ev["a", "ap"].value == _evaluated(FRAME)["a", "ap"].value
    del ev
    assert not list(tmp_path.glob("hitcurve-*/*/the batches given"))


@pytest.mark.parametrize("place", STREAMS)
def test_limits_hold_for_streams_of_any_size(place: str, tmp_path: Path) -> None:
    found = _evaluated(PLACES[place](tmp_path), max_grid=10)
    assert any("more than 10 distinct scores (max_grid)" in note for note in found.notes)
    wanted = _evaluated(FRAME)
    for ranker in ("a", "energy"):
        assert found[ranker, "ap"].value == pytest.approx(wanted[ranker, "ap"].value, rel=1e-12)
    tables = hc.count_tables("y", ["a"], data=PLACES[place](tmp_path), max_grid=10)
    assert tables["a"].kind == "binned"


def test_a_condition_on_files(tmp_path: Path) -> None:
    found = _evaluated(_files(tmp_path), where="t = 'test'")
    wanted = _evaluated(FRAME[FRAME["t"] == "test"])
    assert found.tables["a"] == wanted.tables["a"]
    assert "rows where t = 'test'" in found.notes


def test_tables_are_counted_from_files(tmp_path: Path) -> None:
    counted = hc.count_tables("y", "a", data=_files(tmp_path), rows="full", where="t = 'test'")
    chosen = FRAME[FRAME["t"] == "test"]
    assert counted["a"] == hc.HitTable.from_scores(chosen["y"], chosen["a"])


def test_verification_from_files(tmp_path: Path) -> None:
    frame = FRAME.assign(p=0.5 + FRAME["c"] / 200, y=np.where(FRAME["c"] % 3 == 0, np.nan, FRAME["y"]))
    frame.to_parquet(tmp_path / "v.parquet")
    options: dict[str, Any] = {"metrics": "auc", "verification": "p"}
    found = hc.evaluate("y", ["a"], data=tmp_path / "v.parquet", **options)
    wanted = hc.evaluate("y", ["a"], data=frame, **options)
    assert found["a", "auc"].value == pytest.approx(wanted["a", "auc"].value, rel=1e-12)


REFUSED: dict[str, tuple[Callable[[Path], Any], dict[str, Any], type[Exception], str]] = {
    "no file": (lambda folder: folder / "no.parquet", {}, UnreadableFileError, "no file .*no.parquet"),
    "no match": (lambda folder: str(folder / "*.csv"), {}, UnreadableFileError, "no file matches"),
    "cut off": (lambda folder: _cut(folder), {}, UnreadableFileError, "cut.parquet"),
    "types differ": (
        lambda folder: _of_two_types(folder),
        {},
        InputError,
        "'a' of part1.parquet must hold real numbers",
    ),
    "column": (lambda folder: _reader(), {"clusters": "d"}, ColumnNotFoundError, "no column 'd'"),
    "array": (lambda folder: _reader(), {"clusters": [1, 2]}, ParameterError, "clusters is the name of a column"),
    "where": (lambda folder: FRAME, {"where": "t = 1"}, ParameterError, "where is a condition on the rows of files"),
    "query": (lambda folder: FRAME, {"query": "SELECT 1"}, ParameterError, "query is for the address of a database"),
    "no query": (lambda folder: "sqlite:///x.db", {}, ParameterError, "need a query"),
    "database": (lambda folder: "mysql://h/d", {"query": "x"}, ParameterError, "kind of database must be one of"),
    "web": (
        lambda folder: "https://me:word@host/a.csv",
        {},
        ParameterError,
        "'https://me@host/a.csv' are neither a file",
    ),
    "no batches": (lambda folder: iter([]), {}, InputError, "an iterable without a batch"),
    "other things": (lambda folder: iter([1, 2]), {}, InputError, "got an iterable of int"),
    "an empty list": (lambda folder: [], {}, InputError, "data is an empty list"),
    "batches differ": (lambda folder: _unlike(), {}, InputError, "batch 2 has 'y' of type float64, before int64"),
    "batch without a column": (lambda folder: _columns("a", "energy"), {}, InputError, "batch 2 has no column 'y'$"),
    "batch with a column": (
        lambda folder: _columns("y", "a", "energy", "y2"),
        {},
        InputError,
        "has a column 'y2', which",
    ),
    "batch in another order": (
        lambda folder: _columns("a", "y", "energy"),
        {},
        InputError,
        "a, y, energy, before y, a",
    ),
    "breaks off": (lambda folder: _broken(), {}, InputError, "the data break off: no more"),
}


def test_no_password_is_shown() -> None:
    with pytest.raises(ParameterError, match=r"^the address postgresql://me@h/x has a password with '@': .* %40$"):
        hc.evaluate("y", "a", data="postgresql://me:sec@ret@h/x", query="SELECT 1")
    pytest.importorskip("adbc_driver_postgresql")
    for address in ("postgresql://me:secret@127.0.0.1:1/x", "postgresql://me@127.0.0.1:1/x?password=secret"):
        with pytest.raises(UnreadableFileError, match=r"me@127\.0\.0\.1:1/x") as refused:
            hc.evaluate("y", "a", data=address, query="SELECT 1")
        assert "secret" not in str(refused.value)


def _cut(folder: Path) -> Path:
    path = _files(folder)[0]
    (folder / "cut.parquet").write_bytes(path.read_bytes()[:-100])
    return folder / "cut.parquet"


def _of_two_types(folder: Path) -> list[Path]:
    paths = _files(folder)[:2]
    pq.write_table(pa.table({"y": [0, 1], "a": ["low", "high"], "energy": [1.0, 2.0]}), paths[1])
    return paths


def _unlike() -> list[Any]:
    first = TABLE.to_batches(10)[0]
    return [first, first.set_column(0, "y", pa.array(np.zeros(10)))]


def _columns(*names: str) -> list[Any]:
    """A batch of columns y, a and energy, and one of these columns."""
    first = TABLE.to_batches(10)[0]
    columns = {"y": first["y"], "a": first["a"], "energy": first["energy"], "y2": first["y"]}
    return [pa.record_batch({name: columns[name] for name in wanted}) for wanted in (("y", "a", "energy"), names)]


def _broken() -> Any:
    def batches() -> Iterator[Any]:
        yield TABLE.to_batches(10)[0]
        raise pa.ArrowInvalid("no more")

    return pa.RecordBatchReader.from_batches(TABLE.schema, batches())


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case: str, tmp_path: Path) -> None:
    data, options, error, words = REFUSED[case]
    with pytest.raises(error, match=words):
        _evaluated(data(tmp_path), **options)


@pytest.fixture
def small_disk() -> Iterator[None]:
    """No file may grow beyond 16 kB, as on a full disk."""
    resource = pytest.importorskip("resource", reason="limits of POSIX")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        yield resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 14, hard))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def spilling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_a_stream_that_does_not_fit_on_the_disk(
    spilling: Path, small_disk: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "_MOST_BYTES", 2000)
    with pytest.raises(UnreadableFileError, match=r"cannot be kept in .*temporary: File too large \(TMPDIR"):
        _evaluated(pa.concat_tables([TABLE] * 20).to_batches(500))
    assert not list(spilling.iterdir())


@pytest.mark.slow
def test_a_join_that_does_not_fit_on_the_disk(spilling: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    n = 300_000
    ids = np.random.default_rng(0).permutation(n).astype(str)
    paths = [tmp_path / "scores.parquet", tmp_path / "labels.parquet"]
    for path, column in zip(
        paths, ({"a": np.arange(n) % 977}, {"y": (np.arange(n) % 7 == 0).astype(int)}), strict=True
    ):
        pq.write_table(pa.table({"id": ids, **column}), path)
    join = Join("id", paths[1], "refuse")
    request.getfixturevalue("small_disk")
    with pytest.raises(UnreadableFileError, match=r"scores.parquet cannot be read: there is not enough space for temp"):
        FileSource((paths[0],), "y", ("a",), Reading(), join=join, memory=16 << 20)
    gc.collect()
    assert not list(spilling.iterdir())


class Twice:
    """A stream that can be made anew."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        return _reader().__arrow_c_stream__(requested_schema)


ONCE: dict[str, Callable[[], Any]] = {
    "reader": _reader,
    "generator": lambda: (batch for batch in TABLE.to_batches(64)),
    "reader of DuckDB": lambda: duckdb.connect().from_arrow(TABLE).to_arrow_reader(64),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ONCE)
@pytest.mark.parametrize("most", [1 << 28, 2000])
def test_a_stream_that_is_read_twice_says_so(kind: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "_MOST_BYTES", most)
    data = ONCE[kind]()
    _evaluated(data)
    for _ in range(2):
        with pytest.raises(InputError, match="a stream that has been read already, and streams are read once: make"):
            _evaluated(data)
    begun = ONCE[kind]()
    with pytest.raises(ColumnNotFoundError):
        hc.evaluate("y", "no such", data=begun)
    with pytest.raises(InputError, match="read already"):  # its first batch may be gone
        _evaluated(begun)
    del data, begun
    for _ in range(5):  # others may have the place in memory of one that is gone
        assert _evaluated(ONCE[kind]())["a", "auc"] == _evaluated(FRAME)["a", "auc"]


def test_streams_that_are_empty_or_can_be_made_anew() -> None:
    ended = (batch for batch in TABLE.to_batches(64))
    assert len(list(ended)) > 1  # by other hands
    with pytest.raises(InputError, match="read already"):
        _evaluated(ended)
    reader = _reader()
    reader.read_all()
    with pytest.raises(EmptyInputError, match="a stream without rows: one that was read before has none left"):
        _evaluated(reader)
    with pytest.raises(InputError, match="an iterable without a batch, or one whose batches have been read already"):
        _evaluated(map(str, []))
    twice, batches = Twice(), TABLE.to_batches(64)
    for again in (twice, batches):
        assert _evaluated(again)["a", "auc"] == _evaluated(again)["a", "auc"]


def test_a_column_that_changes_its_type_between_files(tmp_path: Path) -> None:
    for place, scores in enumerate(([0.1, 0.2, 0.3], ["x", "y", "z"], [1, 2, 3])):
        pq.write_table(pa.table({"y": [0, 1, 0], "a": scores}), tmp_path / f"{place}.parquet")
    with pytest.raises(InputError, match=r"'a' of 1.parquet must hold real numbers, got 'x' in row 1, which is text"):
        hc.evaluate("y", "a", data=[tmp_path / "0.parquet", tmp_path / "1.parquet"])
    (tmp_path / "3.csv").write_text("y,a\n0,0.5\n1,x\n")
    for names, words in (
        (("0.parquet", "1.parquet"), "'a' of 1.parquet .* which is text; in 0.parquet it holds numbers of type DOUBLE"),
        (("1.parquet", "2.parquet"), "'a' of 1.parquet .* text; in 2.parquet it holds whole numbers of type BIGINT"),
        (
            ("2.parquet", "3.csv"),
            "'a' of 3.csv .* got 'x' in line 3 .*; in 2.parquet it holds whole numbers of type BIGINT",
        ),
    ):
        with pytest.raises(InputError, match=words):
            hc.evaluate("y", "a", data=[tmp_path / name for name in names])
    with pytest.raises(InputError, match=r"which is text$"):  # no file has numbers
        hc.evaluate("y", "a", data=tmp_path / "1.parquet")
    ev = hc.evaluate("y", "a", data=[tmp_path / "0.parquet", tmp_path / "2.parquet"], metrics="auc")
    assert ev["a", "auc"].value == 0.5  # whole numbers and floats are numbers


@pytest.mark.parametrize("place", ["path", "reader"])
def test_weighted_streams_have_no_bootstrap(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "_MOST_BYTES", 2000)
    weighted = _evaluated(PLACES[place](tmp_path), sample_weight="w")["a", "auc"]
    with pytest.raises(UndefinedMetricError, match=r"a weighted table cannot be resampled.*: use a method"):
        weighted.confidence_interval(method="percentile")
    of_stream, of_memory = (
        _evaluated(data)["a", "auc"].confidence_interval(method="percentile", rng=3)
        for data in (PLACES[place](tmp_path), FRAME)
    )
    assert of_stream == of_memory  # replicates are of cells: no data are read again


def test_a_file_given_twice_is_not_counted_twice(tmp_path: Path) -> None:
    path, other = tmp_path / "one.csv", tmp_path / "link.csv"
    path.write_text("y,a\n" + "1,3\n0,2\n1,1\n0,0\n" * 5)
    other.symlink_to(path)
    with pytest.raises(ParameterError, match=r"one\.csv is given twice: its rows would be counted twice"):
        hc.evaluate("y", "a", data=[path, path])
    with pytest.raises(ParameterError, match=r"link\.csv and .*one\.csv are the same file"):
        hc.count_tables("y", "a", data=str(tmp_path / "*.csv"))


def test_a_file_that_is_replaced_between_passes_is_noticed(tmp_path: Path) -> None:
    paths = _files(tmp_path)
    ev = _evaluated(paths)
    other = tmp_path / "other.parquet"
    shutil.copy2(paths[1], other)  # the same size and time of change
    os.replace(other, paths[1])
    with pytest.raises(UnreadableFileError, match=r"part1.parquet changed while it was read"):
        ev.compare("a", "energy", "ap", method="delta")


# ---- databases


_COLUMNS = ("y", "a", "b", "w", "c", "g")
_NUMBERS = ("b", "w")
_EVERY: dict[str, Any] = {"sample_weight": "w", "clusters": "c", "metrics": ["auc"]}
_QUERY = "SELECT * FROM scores"


def _mixed(folder: Path, column: str, row: int, value: Any, declared: str = "") -> str:
    """A table of 3,000 rows with one value of its own; the driver takes types from the first 1,024."""
    labels = [int(i % 5 == 0) for i in range(3000)]
    values: list[list[Any]] = [
        [y, 10 * y + i % 101 / 7, y + i % 11 / 3, 1 + i % 3 / 2, f"c{i % 60}", f"g{i % 3}"]
        for i, y in enumerate(labels)
    ]
    values[row - 1][_COLUMNS.index(column)] = value
    with closing(sqlite3.connect(folder / "mixed.db")) as db, db:
        db.execute(f"CREATE TABLE scores ({', '.join(f'{name} {declared}' for name in _COLUMNS)})")
        db.executemany(f"INSERT INTO scores VALUES ({', '.join('?' * len(_COLUMNS))})", values)
    return f"sqlite:///{folder}/mixed.db"


@pytest.mark.parametrize("spilled", [False, True])
@pytest.mark.parametrize("row", [1, 7, 2501])
@pytest.mark.parametrize("column", _NUMBERS)
@pytest.mark.parametrize(("value", "kind"), [("high", "text"), (b"\1", "a blob")])
def test_a_value_that_is_no_number_in_sqlite_is_named(
    column: str, row: int, value: Any, kind: str, spilled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("adbc_driver_sqlite")
    monkeypatch.setattr(streams, "_MOST_BYTES", 2000 if spilled else 1 << 28)
    data = _mixed(tmp_path, column, row, value)
    groups: dict[str, Any] = {"by": "g"}
    for of_groups in ({}, groups):
        with pytest.raises(InputError) as refused:
            hc.evaluate("y", ["a", "b"], data=data, query=_QUERY, **_EVERY, **of_groups)
        assert str(refused.value) == (
            f"column {column!r} of the answer to the query {_QUERY!r} must hold real numbers, got {value!r} in row "
            f"{row}, which is {kind}: correct it, or leave its row out by WHERE typeof({column}) IN ('integer', 'real')"
        )
    left = _QUERY + f" WHERE typeof({column}) IN ('integer', 'real')"
    assert hc.evaluate("y", ["a", "b"], data=data, query=left, **_EVERY)["a", "auc"].value > 0


@pytest.mark.parametrize("spilled", [False, True])
@pytest.mark.parametrize("row", [1, 7, 2501])
def test_whole_numbers_that_floats_beside_them_would_round_are_named(
    row: int, spilled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("adbc_driver_sqlite")
    monkeypatch.setattr(streams, "_MOST_BYTES", 2000 if spilled else 1 << 28)
    odd = 2**53 + 1
    rounded = rf"holds {odd} in row {row}, a whole number that a column with floats would round: CAST\(a AS REAL\) in"
    data = _mixed(tmp_path, "a", row, odd)
    for ask in (hc.evaluate, hc.count_tables):
        with pytest.raises(InputError, match=rounded):
            ask("y", "a", data=data, query=_QUERY)
    cast = "SELECT CAST(y AS INTEGER) AS y, CAST(a AS REAL) AS a FROM scores"
    assert hc.evaluate("y", "a", data=data, query=cast, metrics="auc")
    # that are floats are read, and so are larger numbers of a column of whole numbers
    (tmp_path / "mixed.db").unlink()
    assert hc.evaluate("y", "a", data=_mixed(tmp_path, "a", row, 2**60), query=_QUERY, metrics="auc")
    (tmp_path / "mixed.db").unlink()
    with closing(sqlite3.connect(tmp_path / "whole.db")) as db, db:
        db.execute("CREATE TABLE scores (y, a)")
        db.executemany("INSERT INTO scores VALUES (?, ?)", [(i % 5 == 0, odd - i) for i in range(1500)])
    address = f"sqlite:///{tmp_path}/whole.db"
    assert hc.evaluate("y", "a", data=address, query=_QUERY, metrics="auc").tables["a"].tied == 0


def test_names_of_groups_that_floats_would_round_are_named(tmp_path: Path) -> None:
    pytest.importorskip("adbc_driver_sqlite")
    with closing(sqlite3.connect(tmp_path / "ids.db")) as db, db:
        db.execute("CREATE TABLE scores (y, a, g)")
        rows = [(i % 5 == 0, i % 7 / 3, 2**53 + i % 2 if i else 0.5) for i in range(50)]
        db.executemany("INSERT INTO scores VALUES (?, ?, ?)", rows)
    with pytest.raises(InputError, match=r"'g' .* holds 9007199254740993 in row 2, .* CAST\(g AS TEXT\) in the query"):
        hc.evaluate("y", "a", data=f"sqlite:///{tmp_path}/ids.db", query=_QUERY, by="g")


_CAST = "SELECT CAST(y AS INTEGER) AS y, CAST(b AS REAL) AS b FROM scores"


def test_text_that_is_written_as_numbers_in_sqlite(tmp_path: Path) -> None:
    pytest.importorskip("adbc_driver_sqlite")
    address = _mixed(tmp_path, "a", 2501, "high", declared="TEXT")
    with pytest.raises(InputError, match=r"'a' .* got 'high' in row 2501, which is text: correct it"):
        hc.evaluate("y", "a", data=address, query=_QUERY)
    with pytest.raises(InputError, match=r"'b' .* '1.0' in row 1, .*: CAST\(b AS REAL\) in the query makes numbers"):
        hc.evaluate("y", "b", data=address, query=_QUERY)
    assert hc.evaluate("y", "b", data=address, query=_CAST, metrics="auc")


@pytest.mark.slow
@pytest.mark.parametrize("row", [1, 7, 2501])
@pytest.mark.parametrize("spilled", [False, True])
def test_other_faults_in_a_database_have_a_row(
    row: int, spilled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("adbc_driver_sqlite")
    monkeypatch.setattr(streams, "_MOST_BYTES", 2000 if spilled else 1 << 28)
    for column, value, words in (
        ("y", 7, "got more: 0, 1, 7"),
        ("y", None, "1 of 3000 values of label are missing"),
        ("a", None, "1 of 3000 values of score 'a' are missing"),
        ("b", None, "1 of 3000 values of score 'b' are missing"),
        ("w", -1.0, "weights must be finite and at least 0, got -1"),
        ("c", None, "missing: give an independent subject a cluster of its own"),
        ("g", None, "missing: every subject needs a group"),
    ):
        folder = tmp_path / f"{column}{value}"
        folder.mkdir()
        given = {"by": "g", **_EVERY} if column == "g" else _EVERY
        with pytest.raises(InputError) as refused:
            hc.evaluate("y", ["a", "b"], data=_mixed(folder, column, row, value), query=_QUERY, **given)
        said = str(refused.value)
        assert words in said
        assert f"in row {row} of the answer" in said


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("y", "yes", "'yes' in row 2501, which is text after whole numbers: CAST(y AS TEXT)"),
        ("y", 0.5, "0.5 in row 2501, which is a float after whole numbers: CAST(y AS TEXT)"),
        ("y", b"1", "b'1' in row 2501, which is a blob after whole numbers: CAST(y AS TEXT)"),
    ],
)
def test_a_column_of_names_that_changes_its_type_in_sqlite(column: str, value: Any, words: str, tmp_path: Path) -> None:
    pytest.importorskip("adbc_driver_sqlite")
    with pytest.raises(InputError) as refused:
        hc.evaluate("y", "a", data=_mixed(tmp_path, column, 2501, value), query=_QUERY)
    assert f"column {column!r} of the answer to the query {_QUERY!r} holds {words} in the query" in str(refused.value)


def test_fractions_after_whole_numbers_in_sqlite_name_the_cast(tmp_path: Path) -> None:
    pytest.importorskip("adbc_driver_sqlite")
    with closing(sqlite3.connect(tmp_path / "whole.db")) as db, db:
        db.execute("CREATE TABLE scores (y, 'a b')")
        db.executemany("INSERT INTO scores VALUES (?, ?)", [(i // 1500, i if i < 2000 else i / 2) for i in range(3000)])
    address = f"sqlite:///{tmp_path}/whole.db"
    with pytest.raises(InputError, match=r"1000.0 in row 2001, .* CAST\(\"a b\" AS REAL\)"):
        hc.evaluate("y", "a b", data=address, query=_QUERY)
    assert hc.evaluate("y", "a", data=address, query='SELECT y, CAST("a b" AS REAL) AS a FROM scores', metrics="auc")


def test_names_that_the_driver_of_sqlite_rounds_are_refused(tmp_path: Path) -> None:
    """It writes floats beside text with six digits, by which two clusters would be one."""
    pytest.importorskip("adbc_driver_sqlite")
    with closing(sqlite3.connect(tmp_path / "names.db")) as db, db:
        db.execute("CREATE TABLE scores (y, a, c)")
        names: list[Any] = ["x", 12345671.5, 12345672.5]
        db.executemany(
            "INSERT INTO scores VALUES (?, ?, ?)", [(i % 2, i % 2 + i / 70, names[i % 3]) for i in range(30)]
        )
        db.execute("CREATE TABLE texts (y, a, c)")
        db.executemany(
            "INSERT INTO texts VALUES (?, ?, ?)", [(i % 2, i % 2 + i / 70, f"1.00000{i % 9}e+05") for i in range(30)]
        )
    of: dict[str, Any] = {"clusters": "c", "metrics": "auc"}
    address = f"sqlite:///{tmp_path}/names.db"
    with pytest.raises(InputError, match=r"'c' .* holds 12345671.5 in row 2, .* beside text: CAST\(c AS TEXT\)"):
        hc.evaluate("y", "a", data=address, query=_QUERY, **of)
    cast = hc.evaluate("y", "a", data=address, query="SELECT y, a, CAST(c AS TEXT) AS c FROM scores", **of)
    assert cast["a", "auc"].value > 0.5
    assert hc.evaluate("y", "a", data=address, query="SELECT * FROM texts", **of)["a", "auc"].value > 0.5


def test_two_columns_of_one_name_in_an_answer(tmp_path: Path) -> None:
    pytest.importorskip("adbc_driver_sqlite")
    with pytest.raises(InputError, match=r"the data have 2 columns named 'a': rename all but one"):
        hc.evaluate("y", "a", data=_sqlite(tmp_path), query="SELECT y, a, energy AS a FROM scores")


def test_sqlite(tmp_path: Path) -> None:
    pytest.importorskip("adbc_driver_sqlite")
    address, query = _sqlite(tmp_path), "SELECT * FROM scores WHERE t = 'test'"
    found = _evaluated(address, query=query)
    assert found.tables["a"] == _evaluated(FRAME[FRAME["t"] == "test"]).tables["a"]
    with pytest.raises(ParameterError, match=r"refuses the query .*no such (table|column)"):
        _evaluated(address, query="SELECT * FROM absent")
    with pytest.raises(UnreadableFileError, match=r"no file .*four slashes"):
        _evaluated("sqlite:///no/such.db", query=query)
    assert not Path("no").exists()


_PG = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of its own in a temporary folder, as an unprivileged user, reached by a socket only."""
    pytest.importorskip("adbc_driver_postgresql")
    if not _PG:
        pytest.skip("no PostgreSQL is installed")
    folder = Path(tempfile_folder(tmp_path_factory))
    user: dict[str, Any] = {}
    if os.getuid() == 0:  # the server refuses to run as root
        shutil.chown(folder, "nobody")
        user = {"user": "nobody", "extra_groups": []}
    programs, data = _PG[-1].parent, folder / "data"

    def run(*command: str) -> None:
        subprocess.run(command, check=True, capture_output=True, cwd=folder, **user)

    run(str(programs / "initdb"), "-D", str(data), "-A", "trust", "-U", "tester", "--no-sync")
    how = f"-k {folder} -c listen_addresses='' -c fsync=off"
    run(str(programs / "pg_ctl"), "-D", str(data), "-w", "-l", str(folder / "log"), "-o", how, "start")
    try:
        yield f"postgresql://tester@/postgres?host={folder}"
    finally:
        run(str(programs / "pg_ctl"), "-D", str(data), "-m", "immediate", "stop")


def tempfile_folder(factory: pytest.TempPathFactory) -> str:
    """A short path that others may enter: sockets have names of at most 107 characters."""
    import tempfile

    return tempfile.mkdtemp(prefix="pg-", dir="/tmp" if Path("/tmp").is_dir() else factory.mktemp("pg"))


def _filled(address: str) -> None:
    import adbc_driver_postgresql.dbapi as driver

    with driver.connect(address) as connection, connection.cursor() as cursor:
        cursor.adbc_ingest("scores", TABLE, mode="replace")
        connection.commit()


def test_postgresql(postgres: str) -> None:
    _filled(postgres)
    found = _evaluated(postgres, query="SELECT * FROM scores WHERE t = 'test'", clusters="c")
    wanted = _evaluated(FRAME[FRAME["t"] == "test"], clusters="c")
    assert found.tables["a"] == wanted.tables["a"]
    assert found["a", "ap"].standard_error == pytest.approx(wanted["a", "ap"].standard_error, rel=1e-12)
    with pytest.raises(ParameterError, match=r'refuses the query .*relation "absent" does not exist'):
        _evaluated(postgres, query="SELECT * FROM absent")
    with pytest.raises(UnreadableFileError, match="cannot read postgresql://me@/none") as refused:
        _evaluated(postgres.replace("tester@/postgres", "me:secret@/none"), query="SELECT 1")
    assert "secret" not in str(refused.value)


def test_columns_of_postgresql_that_hold_no_numbers(postgres: str) -> None:
    query = (
        "SELECT i % 2 AS y, i / 7.0::float8 AS a, (i / 7.0)::numeric AS exact, "
        "CASE WHEN i = 3 THEN 'high' ELSE i::text END AS words, DATE '2026-01-31' + i AS day, "
        "'x'::bytea AS raw FROM generate_series(1, 3000) AS i"
    )
    for column, words in {
        "exact": r"got '0\.142857\d*' in row 1, which is text: CAST\(exact AS double precision\) in the query",
        "words": r"got 'high' in row 3, which is text: correct it, or leave its row out$",
        "day": r"got '2026-02-01' in row 1, which is of type date32",
        "raw": r"got b'x' in row 1, which is a blob",
    }.items():
        for of in ({"y_score": ["a", column]}, {"y_score": "a", "sample_weight": column}):
            with pytest.raises(InputError, match=rf"^column {column!r} of the answer .* {words}"):
                hc.evaluate("y", **of, data=postgres, query=query)
    with pytest.raises(InputError, match=r"label are missing: .*; the first is in row 5 of the answer$"):
        hc.evaluate(
            "z",
            "a",
            data=postgres,
            query=f"SELECT *, nullif(y, CASE WHEN a = 5 / 7.0::float8 THEN 1 END) AS z FROM ({query}) AS t",
        )
