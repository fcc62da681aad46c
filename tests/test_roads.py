"""One law over every road: weighted and clustered subjects have the values, errors and paired tests of memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import hitcurve as hc
from hitcurve.inference.variance import products
from hitcurve.sources import once
from hitcurve.sources.files import batches, row_groups, streams
from hitcurve.tables import merged

N = 211
_rng = np.random.default_rng(31)
Y = (_rng.random(N) < 0.3).astype(int)
FRAME = pd.DataFrame(
    {
        "y": Y,
        "a": np.round(_rng.normal(size=N) + Y, 1),
        "b": _rng.normal(size=N) + Y / 2,
        "w": _rng.choice([0.0, 0.1, 1 / 3, 1.7, 40.0], N, p=[0.05, 0.3, 0.3, 0.3, 0.05]),
        "c": [f"c{i}" for i in _rng.integers(0, 40, N)],
    }
)
TABLE = pa.Table.from_pandas(FRAME, preserve_index=False)
DESIGNS: dict[str, dict[str, Any]] = {
    "plain": {},
    "weights": {"sample_weight": "w"},
    "clusters": {"clusters": "c"},
    "weights and clusters": {"sample_weight": "w", "clusters": "c"},
}
METRICS = ["ap", "auc", "bedroc(alpha=0.3)", "ef@20%"]


def _evaluated(data: Any, **options: Any) -> Any:
    return hc.evaluate("y", ["a", "b"], data=data, metrics=METRICS, **options)


def _written(folder: Path, form: str, parts: int = 1) -> list[Path]:
    paths = []
    for place, rows in enumerate(np.array_split(np.arange(N), parts)):
        path, part = folder / f"part{place}.{form}", TABLE.take(rows)
        if form == "csv":
            part.to_pandas().to_csv(path, index=False)
        elif form == "parquet":
            pq.write_table(part, path, row_group_size=50)
        elif form == "arrow":
            feather.write_feather(part, path, chunksize=64)
        else:
            part.to_pandas().to_json(path, orient="records", lines=True, double_precision=15)
        paths.append(path)
    return paths


class Road(NamedTuple):
    """How data are given, and with which options."""

    data: Callable[[Path, int], Any]
    options: Mapping[str, Any] = MappingProxyType({})


def _database(folder: Path, _: int) -> str:
    path = folder / "rows.db"
    with closing(sqlite3.connect(path)) as connection:
        FRAME.to_sql("rows", connection, index=False, if_exists="replace")
    return f"sqlite:///{path}"


ROADS = {
    "frame": Road(lambda folder, rows: FRAME),
    "shuffled frame": Road(lambda folder, rows: FRAME.sample(frac=1, random_state=3)),
    "csv": Road(lambda folder, rows: _written(folder, "csv")),
    "parquet": Road(lambda folder, rows: _written(folder, "parquet")),
    "files": Road(lambda folder, rows: _written(folder, "parquet", 5)),
    "arrow": Road(lambda folder, rows: _written(folder, "arrow")),
    "a condition": Road(lambda folder, rows: _written(folder, "parquet"), {"where": "a > -99"}),
    "batches": Road(lambda folder, rows: TABLE.to_batches(rows)),
    "reader": Road(lambda folder, rows: pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches(rows))),
    "DuckDB": Road(lambda folder, rows: duckdb.connect().from_arrow(TABLE)),
    "SQLite": Road(_database, {"query": 'SELECT * FROM "rows"'}),
}


def _numbers(ev: Any) -> dict[str, float]:
    """Return values, errors and paired tests."""
    out = {}
    for name in METRICS:
        for ranker in ("a", "b"):
            estimate = ev[ranker, name]
            out[f"{name} of {ranker}"] = estimate.value
            out[f"error of {name} of {ranker}"] = estimate.standard_error
        test = ev.compare("a", "b", name, method="delta")
        assert test.paired
        out |= {f"difference of {name}": test.difference.value, f"its error of {name}": test.difference.standard_error}
        out[f"p of {name}"] = test.pvalue
    return out


@cache
def _of_memory(design: str) -> dict[str, float]:
    return _numbers(_evaluated(FRAME, **DESIGNS[design]))


def _small(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    """Read so many rows at a time, everywhere, and keep nothing for a second pass."""
    for module, names in (
        (batches, ("_ROWS",)),
        (row_groups, ("_ROWS", "_BLOCK", "_PIECE")),
        (products, ("_PIECE", "_LOOKED_UP")),
        (streams, ("_MOST_BYTES",)),
        (once, ("_MOST_BYTES",)),
    ):
        for name in names:
            monkeypatch.setattr(module, name, rows if name != "_MOST_BYTES" or rows < N else 1 << 28)


@pytest.mark.parametrize(
    "rows", [pytest.param(1, marks=pytest.mark.slow), 7, pytest.param(10**6, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("design", DESIGNS)
def test_every_road_has_the_numbers_of_memory(
    design: str, road: str, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = _of_memory(design)
    _small(monkeypatch, rows)
    found = _numbers(_evaluated(ROADS[road].data(tmp_path, rows), **DESIGNS[design], **ROADS[road].options))
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        assert np.isfinite(value), name
        assert found[name] == pytest.approx(value, rel=1e-12, abs=1e-14), name


@pytest.mark.parametrize("design", ["plain", "weights"])
@pytest.mark.parametrize("parts", [2, 7])
def test_merged_tables_have_the_numbers_of_memory(design: str, parts: int, tmp_path: Path) -> None:
    wanted = _evaluated(FRAME, **DESIGNS[design])
    days = {}
    for place, rows in enumerate(np.array_split(np.random.default_rng(1).permutation(N), parts)):
        own = hc.count_tables("y", ["a", "b"], data=FRAME.iloc[rows], rows="full", **DESIGNS[design])
        own.save(tmp_path / f"{place}.hit")
        days[str(place)] = hc.load_tables(tmp_path / f"{place}.hit")
    found = hc.evaluate(tables=merged(days), metrics=METRICS)
    for name in METRICS:
        for ranker in ("a", "b"):
            ours, theirs = found[ranker, name], wanted[ranker, name]
            assert ours.value == pytest.approx(theirs.value, rel=1e-12), name
            assert ours.standard_error == pytest.approx(theirs.standard_error, rel=1e-12), name
