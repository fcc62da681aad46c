"""Outputs of a screen, which are made piece by piece, are those of its records."""

from __future__ import annotations

import io
import json
import tracemalloc

import numpy as np
import pyarrow.parquet as pq
import pytest

import hitcurve as hc
from hitcurve import rows
from hitcurve.errors import MissingValueWarning
from hitcurve.report import file_of, file_of_columns
from hitcurve.screens import tabular

NAMES = ["=cmd()", 'a "quoted", name', "β\x07\n", "plain", "p0"]


@pytest.fixture
def found() -> hc.Screen:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 9))
    X[3, 2] = np.nan
    names = [*NAMES, *(f"m{i}" for i in range(4))]
    with pytest.warns(MissingValueWarning):
        return hc.screen(
            X, np.arange(40) < 15, names=names, metrics=["ap", "auc", "slr"], missing="drop", n_resamples=19
        )


@pytest.mark.parametrize("rows_at_once", [1, 4, 4096])
def test_pieces_make_the_same_text(found: hc.Screen, rows_at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tabular, "_ROWS", rows_at_once)
    sites = hc.screen(found_X(), np.arange(40) % 3 > 0, by=np.arange(40) % 2, n_resamples=9)
    for one in (found, sites):
        whole = json.dumps(one.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)
        assert one.to_json() == rows.json_text(whole) + "\n"
        assert one.to_csv() == rows.csv_text(one.to_records(), list(one.to_columns()))


def found_X() -> np.ndarray:
    return np.random.default_rng(2).normal(size=(40, 3))


def test_a_parquet_file_of_columns_is_that_of_records(found: hc.Screen) -> None:
    ours, theirs = (
        pq.read_table(io.BytesIO(text))
        for text in (file_of_columns(found.to_columns(), "parquet"), file_of(found.to_records(), "parquet"))
    )
    assert ours.schema.equals(theirs.schema)
    assert ours.equals(theirs)


@pytest.mark.slow
def test_outputs_of_many_markers_take_little_more_memory_than_their_text() -> None:
    rng = np.random.default_rng(1)
    found = hc.screen(rng.normal(size=(30, 5_000)), np.arange(30) < 15, n_resamples=19)
    found.to_columns()  # intervals are kept
    tracemalloc.start()
    text = found.to_csv()
    csv_peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.reset_peak()
    json_text = found.to_json()
    peak = tracemalloc.get_traced_memory()[1] - len(text)
    tracemalloc.stop()
    columns = 10_000 * 20 * 8
    assert csv_peak < 4 * len(text) + 4 * columns
    assert peak < 4 * len(json_text) + 4 * columns
