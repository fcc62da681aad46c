"""Whole numbers beyond 2^53: their order is kept whatever other markers, missing values or files they come with."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from scipy import sparse

import hitcurve as hc
from hitcurve.errors import HitcurveWarning, InputError
from hitcurve.screens import wide

_RNG = np.random.default_rng(1)
Y = np.repeat([1, 0], [20, 40])
BIG = _RNG.permutation(60) + (1 << 60)
OTHER = _RNG.normal(size=60)
LACKING = [*BIG[:-1].tolist(), None]

COMPLETE: dict[str, Any] = {
    "pandas": pd.DataFrame({"big": BIG, "other": OTHER}),
    "signs": pd.DataFrame({"big": BIG.astype(np.uint64), "other": OTHER, "low": -BIG}),
    "nullable": pd.DataFrame({"big": pd.array(BIG, dtype="Int64"), "other": OTHER}),
    "polars": pl.DataFrame({"big": BIG, "other": OTHER}),
    "arrow": pa.table({"big": BIG, "other": OTHER}),
    "objects": pd.DataFrame({"big": pd.Series(BIG.tolist(), dtype=object), "other": OTHER}),
}


@pytest.mark.parametrize("kind", COMPLETE)
@pytest.mark.filterwarnings("ignore::hitcurve.errors.DirectionWarning")
def test_other_markers_do_not_change_a_marker_of_whole_numbers(kind: str) -> None:
    found = hc.screen(COMPLETE[kind], Y)
    assert not found.left_out
    assert not found.duplicates
    alone = hc.screen(BIG[:, None], Y)
    for name in ("value", "standard_error", "pvalue"):
        np.testing.assert_array_equal(getattr(found, name)[:, 0], getattr(alone, name)[:, 0])
    assert found["auc"][0] == hc.metric("auc")(Y, BIG)
    assert hc.metric("auc").value(found.table("big")) == found["auc"][0]


@pytest.mark.parametrize("missing", ["drop", "last"])
@pytest.mark.parametrize("kind", ["nullable", "polars", "objects", "masked", "matrix"])
@pytest.mark.filterwarnings("ignore::hitcurve.errors.MissingValueWarning")
def test_missing_values_do_not_make_ties(kind: str, missing: str) -> None:
    given: dict[str, Any] = {
        "nullable": pd.DataFrame({"big": pd.array(LACKING, dtype="Int64")}),
        "polars": pl.DataFrame({"big": LACKING}),
        "objects": pd.DataFrame({"big": pd.Series(LACKING, dtype=object)}),
        "masked": np.ma.array(BIG[:, None], mask=np.arange(60)[:, None] == 59),
        "matrix": np.array(LACKING, object)[:, None],
    }
    found = hc.screen(given[kind], Y, missing=missing)
    order = np.argsort(np.argsort(BIG)).astype(float)
    order[-1] = np.nan
    expected = hc.screen(order[:, None], Y, missing=missing)
    np.testing.assert_array_equal(found.value, expected.value)
    assert hc.metric("auc").value(found.table(found.names[0])) == pytest.approx(found["auc"][0])


@pytest.mark.filterwarnings("ignore::hitcurve.errors.MissingValueWarning")
def test_files_keep_whole_numbers_apart(tmp_path: Path) -> None:
    order = np.argsort(np.argsort(BIG)).astype(float)
    lacking = np.where(np.arange(60) == 59, np.nan, order)
    expected = hc.screen(np.column_stack([order, lacking, OTHER]), Y, missing="drop").value
    table = pa.table({"big": BIG, "lacking": pa.array(LACKING), "other": OTHER, "y": Y})
    pyarrow.parquet.write_table(table, tmp_path / "all.parquet")
    pyarrow.feather.write_feather(table, tmp_path / "all.feather")
    for part, some in (("1", table[:30]), ("2", table[30:])):
        pyarrow.parquet.write_table(some, tmp_path / f"part{part}.parquet")
    for name in ("all.parquet", "all.feather", "part*.parquet"):
        np.testing.assert_array_equal(hc.screen(tmp_path / name, "y", missing="drop").value, expected)


def test_different_whole_numbers_are_no_duplicates() -> None:
    X = np.column_stack([BIG, BIG[::-1], BIG])
    for given in (X, sparse.csc_array(X), X.astype(np.longdouble)):
        assert hc.screen(given, Y, n_resamples=99).duplicates == {"2": "0"}


def test_decimals_that_floats_do_not_tell_apart_are_named(tmp_path: Path) -> None:
    fine = [Decimal(i) / 8 for i in range(60)]
    close = [Decimal(int(big)) / 1000 for big in BIG]
    for frame in (pl.DataFrame({"close": close, "fine": fine}), pd.DataFrame({"close": close, "fine": fine})):
        with pytest.warns(HitcurveWarning, match="equal as 64-bit floats"):
            found = hc.screen(frame, Y)
        assert found.names == ("fine",)
        assert found["auc"][0] == 0
    with pytest.raises(InputError, match="equal as 64-bit floats"):
        hc.screen(np.array([close, fine], object).T, Y)
    pyarrow.parquet.write_table(pa.table({"close": close, "fine": fine, "y": Y}), tmp_path / "decimals.parquet")
    with pytest.raises(InputError, match="marker 'close' cannot be used"):
        hc.screen(tmp_path / "decimals.parquet", "y")
    assert hc.screen(tmp_path / "decimals.parquet", "y", columns="fine").names == ("fine",)


def test_machines_without_wide_floats_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wide, "_DIGITS", 1000)
    with pytest.raises(InputError, match="no float of this machine"):
        hc.screen(COMPLETE["pandas"], Y)
    hc.screen(pd.DataFrame({"small": np.arange(60), "other": OTHER}), Y)
