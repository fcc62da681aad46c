"""The query that counts where the data are: equal to the table from memory, in every database that runs here."""

from __future__ import annotations

import importlib.util
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

import hitcurve as hc
from hitcurve.errors import (
    CountError,
    EmptyInputError,
    InputError,
    LabelError,
    MissingValueError,
    ParameterError,
    WeightError,
)
from hitcurve.queries import DIALECTS, RUN
from tests.test_data_elsewhere import postgres

__all__ = ["postgres"]
RNG = np.random.default_rng(9)
N = 2000
Y = (RNG.random(N) < 0.1).astype(int)
FRAME = pd.DataFrame(
    {
        "y": Y,
        "a": RNG.normal(size=N) + Y,
        "tied": np.round(RNG.normal(size=N) + Y, 1) + 0.0,
        "whole": RNG.integers(-3, 4, N),
        "name": np.where(Y == 1, "it's", "no"),
        'odd "`name': RNG.normal(size=N),
        "g": np.array(["x", "y", "z"])[RNG.integers(0, 3, N)],
        "half": RNG.integers(0, 9, N) / 2,
        "third": RNG.integers(1, 9, N) / 3,
    }
)
FRAME.loc[3, "tied"] = -0.0
Ask = Callable[[pd.DataFrame, str], Any]


def _duckdb(frame: pd.DataFrame, query: str) -> Any:
    with duckdb.connect() as db:
        db.register("scores", frame)
        return db.sql(query).to_arrow_table()


def _sqlite(frame: pd.DataFrame, query: str) -> Any:
    with closing(sqlite3.connect(":memory:")) as db:
        frame.to_sql("scores", db, index=False)
        return pd.read_sql(query, db)


_IN_CHDB = """
import sys
import chdb
with open("found.arrow", "wb") as file:
    file.write(chdb.query(sys.argv[1], "Arrow").bytes())
"""


def _clickhouse(frame: pd.DataFrame, query: str) -> Any:
    if importlib.util.find_spec("chdb") is None:
        # continuous integration installs it
        (pytest.fail if os.environ.get("CI") else pytest.skip)("chdb, which has ClickHouse in it, is not installed")
    query = re.sub("FROM scores\\b", "FROM file('scores.parquet', Parquet)", query)
    with TemporaryDirectory() as folder:  # in a process of its own, whose threads no other test has
        parquet.write_table(pa.Table.from_pandas(frame, preserve_index=False), Path(folder, "scores.parquet"))
        subprocess.run([sys.executable, "-c", _IN_CHDB, query], cwd=folder, check=True, timeout=240)
        return pa.ipc.open_file(Path(folder, "found.arrow").read_bytes()).read_all()


def _spark(frame: pd.DataFrame, query: str) -> Any:
    from tests.test_spark import brought, sent, session  # skips where it is not installed

    spark = session("local[2,4]")
    sent(spark, frame).createOrReplaceTempView("scores")
    return brought(spark.sql(query))


@pytest.fixture
def ask(request: pytest.FixtureRequest) -> Ask:
    dialect = request.param
    if dialect != "postgres":
        return {"duckdb": _duckdb, "sqlite": _sqlite, "clickhouse": _clickhouse, "spark": _spark}[dialect]
    address = request.getfixturevalue("postgres")

    def of_server(frame: pd.DataFrame, query: str) -> Any:
        import adbc_driver_postgresql.dbapi as driver

        with driver.connect(address) as connection, connection.cursor() as cursor:
            cursor.adbc_ingest("scores", pa.Table.from_pandas(frame, preserve_index=False), mode="replace")
            cursor.execute(query)
            return cursor.fetch_arrow_table()

    return of_server


def databases() -> pytest.MarkDecorator:
    """Ask each database: those of which each test starts much are slow."""
    of_each = [
        pytest.param(name, name, marks=[pytest.mark.slow] if name in ("clickhouse", "spark") else []) for name in RUN
    ]
    return pytest.mark.parametrize(("ask", "dialect"), of_each, indirect=["ask"])


CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "strict": ("y", "a", {}),
    "tied": ("y", "tied", {}),
    "lower": ("y", "tied", {"higher_is_better": False}),
    "whole": ("y", "whole", {}),
    "text": ("name", "a", {"positive": "it's"}),
    "odd name": ("y", 'odd "`name', {}),
}


@pytest.mark.parametrize("case", CASES)
@databases()
def test_the_query_gives_the_table_of_memory(ask: Ask, dialect: str, case: str) -> None:
    label, score, options = CASES[case]
    found = hc.HitTable.from_frame(ask(FRAME, hc.sql(label, score, dialect=dialect, **options)))
    turned = options.get("higher_is_better", True)
    wanted = hc.HitTable.from_scores(Y, FRAME[score].astype(float), higher_is_better=turned).collapse()
    assert found == wanted
    # and from files and batches, to the bit
    assert found == hc.count_tables("y", score, data=FRAME, higher_is_better=turned)[score] or score == "whole"


@pytest.mark.parametrize("score", ["a", "tied"])
@pytest.mark.parametrize("weight", ["half", "third"])
@databases()
def test_sums_of_weights_are_those_of_memory(ask: Ask, dialect: str, score: str, weight: str) -> None:
    found = hc.HitTable.from_frame(ask(FRAME, hc.sql("y", score, dialect=dialect, weight=weight)))
    wanted: Any = hc.count_tables("y", score, data=FRAME, sample_weight=weight)[score]
    np.testing.assert_array_equal(found.grid, wanted.grid)
    for ours, theirs in zip(found.sums, wanted.sums, strict=True):
        np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), rtol=1e-13)
    assert weight != "half" or found == wanted  # halves add up exactly
    by = hc.TableStack.from_frame(ask(FRAME, hc.sql("y", score, dialect=dialect, weight=weight, by="g")))
    for name in by.names:
        own = FRAME[FRAME["g"] == name]
        alone: Any = hc.count_tables("y", score, data=own, sample_weight=weight)[score]
        np.testing.assert_allclose(by[name].pos, alone.pos, rtol=1e-13)
        np.testing.assert_allclose(by[name].neg, alone.neg, rtol=1e-13)


@pytest.mark.parametrize("column", ["y", "site"])
@databases()
def test_a_label_or_a_group_that_is_nan_is_missing(ask: Ask, dialect: str, column: str) -> None:
    """As floats, which pandas makes of whole numbers with a gap. SQLite stores nan as NULL."""
    frame = pd.DataFrame({"y": FRAME["y"].astype(float), "a": FRAME["a"], "site": np.arange(N) % 3 + 0.0})
    frame.loc[[5, 9], column] = np.nan
    with pytest.raises(MissingValueError, match="2 labels, scores or groups"):
        hc.TableStack.from_frame(ask(frame, hc.sql("y", "a", dialect=dialect, by="site")))


@pytest.mark.parametrize("weight", [-1.0, np.inf, 1e-200, None], ids=["negative", "infinite", "tiny", "missing"])
@databases()
def test_weights_that_are_none_are_reported(ask: Ask, dialect: str, weight: float | None) -> None:
    frame = FRAME[["y", "a", "half"]].copy()
    frame.loc[[5, 9], "half"] = weight
    error, words = (
        (MissingValueError, "2 labels, scores, groups or w") if weight is None else (WeightError, "2 weights")
    )
    with pytest.raises(error, match=words):
        hc.HitTable.from_frame(ask(frame, hc.sql("y", "a", dialect=dialect, weight="half")))


@databases()
def test_groups(ask: Ask, dialect: str) -> None:
    found = hc.TableStack.from_frame(ask(FRAME, hc.sql("y", "tied", dialect=dialect, by="g")))
    assert found.names == ("x", "y", "z")
    for name in found.names:
        own = FRAME[FRAME["g"] == name]
        assert found[name] == hc.HitTable.from_scores(own["y"], own["tied"]).collapse()


@databases()
def test_a_query_in_parentheses_is_a_table(ask: Ask, dialect: str) -> None:
    found = ask(FRAME, hc.sql("y", "a", dialect=dialect, table="(SELECT * FROM scores WHERE whole > 0)"))
    own = FRAME[FRAME["whole"] > 0]
    assert hc.HitTable.from_frame(found) == hc.HitTable.from_scores(own["y"], own["a"]).collapse()


@pytest.mark.parametrize("gone", ["nan", "label", "score", "group", "third label"])
@databases()
def test_what_is_missing_is_reported(ask: Ask, dialect: str, gone: str) -> None:
    frame = FRAME[["y", "a", "g"]].astype({"y": "Int64"})
    if gone == "nan":
        frame.loc[[5, 9], "a"] = np.nan  # nan, or what each database takes it for
    elif gone == "third label":
        frame.loc[5, "y"] = 7
    else:
        frame.loc[[5, 9], {"label": "y", "score": "a", "group": "g"}[gone]] = None
    error, words = (LabelError, "3 labels") if gone == "third label" else (MissingValueError, "2 labels, scores or")
    with pytest.raises(error, match=words):
        hc.TableStack.from_frame(ask(frame, hc.sql("y", "a", dialect=dialect, by="g")))


def test_a_misspelt_column_of_sqlite_is_no_text(tmp_path: Path) -> None:
    wrong: tuple[dict[str, Any], ...] = (
        {"label": "yy", "score": "a"},
        {"label": "y", "score": "aa"},
        {"label": "y", "score": "a", "by": "h"},
    )
    for columns in wrong:
        with pytest.raises(Exception, match="no such column"):
            _sqlite(FRAME, hc.sql(**columns, dialect="sqlite"))


def test_text_among_the_scores_of_sqlite_is_no_zero() -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE TABLE scores (y, a)")
        db.executemany("INSERT INTO scores VALUES (?, ?)", [(1, 0.5), (0, 1), (1, "high"), (0, "0.5"), (0, b"1")])
        found = pd.read_sql(hc.sql("y", "a", dialect="sqlite"), db)
    with pytest.raises(MissingValueError, match="3 labels, scores or groups are missing, nan or no number"):
        hc.HitTable.from_frame(found)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_dialects_that_did_not_run_say_so(dialect: str) -> None:
    assert hc.sql("y", "a", dialect=dialect).startswith("WITH" if dialect in RUN else "-- not run by the tests")


HOSTILE = (
    "it's",
    'a"b',
    "a`b",
    "\\",
    "\\'",
    "a\\' OR 1=1 --",
    "'' OR ''=''",
    "`; DROP TABLE scores; --",
    "%s{}",
    "$1",
    "a\nb",
)


@pytest.mark.slow
@databases()
def test_no_sign_of_a_name_or_a_text_ends_it(ask: Ask, dialect: str) -> None:
    for text in HOSTILE:
        frame = pd.DataFrame({text: [text, "no", text, "no", "no"], "s": [5.0, 4.0, 3.0, 2.0, 1.0]})
        found = hc.HitTable.from_frame(ask(frame, hc.sql(text, "s", positive=text, dialect=dialect)))
        assert found == hc.HitTable.from_scores([1, 0, 1, 0, 0], frame["s"]).collapse(), text


@pytest.mark.parametrize(
    ("dialect", "name", "value"),
    [
        ("snowflake", r"""a'"" `\b""", r"""'a\'" `\\b'"""),
        ("spark", r"""a'" ``\b""", r"""'a\'" `\\b'"""),
        ("clickhouse", r"""a'" \`\\b""", r"""'a\'" `\\b'"""),
        ("bigquery", r"""a'" \`\\b""", r"""'a\'" `\\b'"""),
    ],
)
def test_a_backslash_is_one_of_its_own(dialect: str, name: str, value: str) -> None:
    query = hc.sql("a'\" `\\b", "s", positive="a'\" `\\b", dialect=dialect)
    mark = DIALECTS[dialect].mark
    assert f"hc_label = {value} THEN" in query
    assert f"{mark}{name}{mark} AS hc_label" in query


def test_refusals(tmp_path: Path) -> None:
    for what in ("label", "score", "table", "by"):
        with pytest.raises(ParameterError, match=f"{what} must be a name in the database, got 1"):
            hc.sql(**{"label": "y", "score": "a", what: 1})  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="dialect must be one of 'duckdb'"):
        hc.sql("y", "a", dialect="mysql")
    with pytest.raises(ParameterError, match="positive must be a label"):
        hc.sql("y", "a", positive=float("nan"))
    good = {"cell": [1, 2], "score": [0.5, None], "pos": [1, 0], "neg": [0, 3]}
    assert hc.HitTable.from_frame(good).neg.tolist() == [0, 0, 3]
    with pytest.raises(InputError, match="not the result of hitcurve"):
        hc.HitTable.from_frame(good | {"cell": [3, 2]})
    with pytest.raises(CountError, match="'pos' must hold whole numbers"):
        hc.HitTable.from_frame(good | {"pos": [1.5, 0]})
    with pytest.raises(WeightError, match="'neg' must hold sums of weights of at least 0, got -3"):
        hc.HitTable.from_frame(good | {"neg": [0, -3], "pos_squares": [1, 0], "neg_squares": [0, 3]})
    for name in ("pos", "neg"):
        with pytest.raises(CountError, match=f"{name} must be whole numbers of at least 0, got -3 in row 1"):
            hc.HitTable.from_frame(good | {name: [1, -3]})
    with pytest.raises(EmptyInputError, match="found no row"):
        hc.HitTable.from_frame({name: [] for name in good})
