"""Data in files, databases and streams, through the functions of Python: the same numbers as from memory."""

from __future__ import annotations

import gc
import os
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
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hitcurve as hc
from hitcurve.errors import (
    ColumnNotFoundError,
    EmptyInputError,
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


PLACES: dict[str, Callable[[Path], Any]] = {
    "wildcard": lambda folder: _files(folder) and str(folder / "part*.parquet"),
    "paths": _files,
    "path": lambda folder: Path(_csv(folder)),
    "relation": lambda folder: duckdb.sql("SELECT * FROM frame", connection=_duck()),
    "reader": lambda folder: _reader(),
    "batches": lambda folder: TABLE.to_batches(33),
    "generator": lambda folder: (batch for batch in TABLE.to_batches(33)),
    "protocol": lambda folder: Stream(),
}


STREAMS = [name for name in PLACES if name not in ("wildcard", "paths", "path")]


def _duck() -> Any:
    db = duckdb.connect()
    db.register("frame", FRAME)
    return db


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize(("place", "spilled"), [*((name, False) for name in PLACES), *((s, True) for s in STREAMS)])
def test_every_place_gives_the_numbers_of_memory(
    place: str, spilled: bool, options: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if spilled:
        monkeypatch.setattr(streams, "_MOST_BYTES", 2000)
    given = OPTIONS[options]
    found, wanted = _evaluated(PLACES[place](tmp_path), **given), _evaluated(FRAME, **given)
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
    noted = any("temporary file" in note for note in found.notes)
    assert noted == spilled


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
    "paths that pass": (lambda folder: iter([folder]), {}, InputError, "got an iterable of .*Path: make it a list"),
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


def test_a_value_of_another_type_in_sqlite_is_one_sentence(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "mixed.db")) as db, db:
        db.execute("CREATE TABLE scores (y, a)")
        db.executemany("INSERT INTO scores VALUES (?, ?)", [(i % 2, i / 7) for i in range(3000)])
        db.execute("INSERT INTO scores VALUES (1, 'high')")
    with pytest.raises(InputError, match=r"the answer to the query 'SELECT y, a FROM scores' breaks off: .*"):
        hc.evaluate("y", "a", data=f"sqlite:///{tmp_path}/mixed.db", query="SELECT y, a FROM scores")


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
