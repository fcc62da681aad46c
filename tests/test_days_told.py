"""What is said of days that do not add, of databases named as files, and of files that change while they are read."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hitcurve as hc
from hitcurve.errors import UndefinedMetricError, UnreadableFileError
from hitcurve.sources import Reading
from hitcurve.sources.files import FileSource
from tests.shell import Shell, shell

__all__ = ["shell"]
Y = np.repeat([1, 0], [50, 300])
SCORES = np.random.default_rng(1).normal(size=350) + Y


def test_a_day_without_a_ranker_joins_those_that_have_it(tmp_path: Path, shell: Shell) -> None:
    both, alone, month = (tmp_path / f"{name}.hit" for name in ("both", "alone", "month"))
    hc.count_tables(Y, {"a": SCORES, "b": -SCORES}, rows="full").save(both)
    hc.count_tables(Y, {"a": SCORES}, rows="full").save(alone)
    for files in ((both, alone), (alone, both)):
        refusal = shell("merge", *files, "-o", month).refusal
        assert "tables of different rankers do not add" in refusal
        assert "hitcurve merge --ranker a" in refusal
        assert not month.exists()
    for option in ("--ranker", "--score", "-s"):
        assert shell("merge", both, alone, option, "a", "-o", month).code == 0
        assert {name: table.n for name, table in hc.load_tables(month).items()} == {"a": 700}
        month.unlink()
    assert "alone.hit has no ranker 'b'; rankers are a" in shell("merge", both, alone, "-s", "b", "-o", month).refusal
    assert "names the ranker 'a' twice" in shell("merge", both, alone, "-s", "a", "-s", "a", "-o", month).refusal
    # commands that add files choose before they add, too
    asked = ("-s", "a", "-m", "auc", "-f", "json")
    assert (
        shell("evaluate", both, alone, *asked).json["metrics"] == shell("evaluate", alone, both, *asked).json["metrics"]
    )


def test_a_database_named_as_a_file(tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with sqlite3.connect("day.db") as base:
        base.execute("CREATE TABLE scores (y, a)")
    base.close()
    columns = ("--label", "y", "--score", "a")
    words = "day.db is a database of SQLite"
    for refusal in (
        shell("table", "day.db", *columns, "-o", "day.hit").refusal,
        shell("evaluate", "day.db", *columns).refusal,
    ):
        assert words in refusal
        assert "data='sqlite:///PATH' and query=" in refusal
    with pytest.raises(UnreadableFileError, match=f"{words}.* query="):
        hc.count_tables("y", ["a"], data="day.db")
    refusal = shell("table", "sqlite:///day.db", *columns, "-o", "day.hit").refusal
    assert "'sqlite:///day.db' is an address, not a file of this machine" in refusal
    assert "Python with data='sqlite:///day.db' and query=" in refusal
    refusal = shell("table", "postgresql://me:secret@host/name", *columns, "-o", "day.hit").refusal
    assert "data='postgresql://me@host/name' and query=" in refusal
    assert "secret" not in refusal
    assert "fetch the file first" in shell("evaluate", "https://site.org/x.csv", *columns).refusal


def _grown(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"more rows to come")


def test_a_parquet_file_that_grows_while_it_is_read_is_said_to_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "day.parquet"

    def write() -> None:
        pq.write_table(pa.table({"y": Y, "a": SCORES}), path)

    write()
    source = FileSource((path,), "y", ("a",), Reading())
    assert source.bytes_at_least  # opened
    _grown(path)
    with pytest.raises(UnreadableFileError, match="changed while it was read"):
        source.reduce(lambda block: block.positive.size, lambda a, b: a + b)
    write()
    read = pq.read_schema

    def read_grown(given: Path) -> pa.Schema:
        _grown(path)
        return read(given)

    monkeypatch.setattr(pq, "read_schema", read_grown)
    with pytest.raises(UnreadableFileError, match="changed while it was read"):
        hc.count_tables("y", ["a"], data=path)
    monkeypatch.undo()
    # a file that is as it was opened is damaged
    write()
    _grown(path)
    with pytest.raises(UnreadableFileError, match="cut off, damaged or not a Parquet file"):
        hc.count_tables("y", ["a"], data=path)


def test_a_method_by_formula_is_named() -> None:
    weights = np.random.default_rng(2).random(350) + 0.5
    table = hc.HitTable.from_scores(Y, SCORES, sample_weight=weights)
    found = hc.evaluate(tables={"a": table}, metrics=["auc"])["a", "auc"]
    with pytest.raises(UndefinedMetricError, match=r"by formula \(of intervals, method='auto', 'logit' or 'wald'\)"):
        found.confidence_interval(method="percentile")
    for method in ("auto", "logit", "wald"):
        assert found.confidence_interval(method=method).low < found.value
