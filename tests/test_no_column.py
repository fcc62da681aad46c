"""What is not one value for each subject, and the sentence that says what to give instead."""

from __future__ import annotations

import gzip
import struct
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hitcurve as hc
from hitcurve import rows
from hitcurve.errors import InputError, ScoreError, UnreadableFileError
from tests.shell import Shell, shell

__all__ = ["shell"]

Y, SCORES = [1, 0, 1, 0], [0.4, 0.1, 0.3, 0.2]
OTHER = {
    "set": (set(SCORES), "in the order of the subjects, which a set does not keep"),
    "frozenset": (frozenset(SCORES), "which a frozenset does not keep"),
    "array of a set": (np.array(set(SCORES)), "which a set does not keep"),
    "values": (dict(enumerate(SCORES)).values(), "got dict_values: pass a list of them"),
    "keys": (dict.fromkeys(SCORES).keys(), "got dict_keys: pass a list of them"),
    "dict": (dict(enumerate(SCORES)), "got a dict: pass its values in the order of the subjects"),
    "bytes": (b"\x01\x00\x01\x00", "got bytes: pass list"),
    "generator": ((score for score in SCORES), "which a generator does not allow: pass a list"),
    "number": (0.5, "got 0.5: pass a list"),
}
DOORS: dict[str, Any] = {
    "y_true": lambda given: hc.evaluate(given, SCORES),
    "score": lambda given: hc.evaluate(Y, {"a": given}),
    "sample_weight": lambda given: hc.evaluate(Y, SCORES, sample_weight=given),
    "groups": lambda given: hc.evaluate(Y, SCORES, by=given),
    "clusters": lambda given: hc.evaluate(Y, SCORES, clusters=given),
    "y_score": lambda given: hc.HitTable.from_scores(Y, given),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("kind", OTHER)
def test_what_is_no_column_is_refused_with_advice(door: str, kind: str) -> None:
    given, said = OTHER[kind]
    with pytest.raises(InputError, match=said) as refused:
        DOORS[door](given)
    assert door in str(refused.value)


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (65_500, "65.5 kB"),
        (999_700, "1 MB"),
        (1_339_000_000, "1.34 GB"),
        (4e12, "4 TB"),
    ],
)
def test_sizes_have_a_unit_that_fits(number: float, said: str) -> None:
    assert rows.size(number) == said


class Tensor:
    """Values on a device: numpy cannot have them."""

    shape = (4,)

    def __len__(self) -> int:
        return 4

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise RuntimeError("call .cpu() first\nand more")


class Stream:
    """An Arrow stream that fails before its first batch."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        raise ValueError("the session is closed")


@pytest.mark.parametrize("door", DOORS)
def test_objects_that_refuse_to_be_arrays_are_refused_in_their_words(door: str) -> None:
    with pytest.raises(InputError, match=r"a column cannot be read from Tensor: call \.cpu\(\) first$"):
        DOORS[door](Tensor())


def test_streams_that_fail_are_refused_in_their_words() -> None:
    with pytest.raises(InputError, match="the Arrow stream of Stream fails: the session is closed"):
        hc.evaluate("y", "a", data=Stream())
    with pytest.raises(InputError, match="the Arrow stream of Stream fails: the session is closed"):
        hc.evaluate("y", "a", data=Stream(), bins=100)


BEYOND = [2**53 + place for place in range(12)]
WHOLE: dict[str, Any] = {
    "Decimal": list(map(Decimal, BEYOND)),
    "Fraction": list(map(Fraction, BEYOND)),
    "decimal128": pa.array(list(map(Decimal, BEYOND)), pa.decimal128(38, 0)),
    "pandas": pd.Series(list(map(Decimal, BEYOND))),
}


@pytest.mark.parametrize("kind", WHOLE)
def test_decimals_that_are_whole_are_whole_numbers(kind: str) -> None:
    found, wanted = (hc.HitTable.from_scores([0, 1] * 6, scores) for scores in (WHOLE[kind], BEYOND))
    assert found == wanted
    assert len(found.pos) == len(BEYOND)


@pytest.mark.parametrize(
    "odd",
    [
        Decimal(2**53) + Decimal("0.5"),
        Decimal(2**70),
        Decimal(f"{2**53}.0000000001"),
        *map(Decimal, ("inf", "-inf", "1e400")),
    ],
)
def test_decimals_that_64_bits_do_not_hold_are_refused(odd: Decimal) -> None:
    with pytest.raises(ScoreError, match="whole numbers of at most 64 bits"):
        hc.HitTable.from_scores([0, 1, 0, 1], [odd, Decimal(2**53), Decimal(2**53 + 1), Decimal(1)])


def test_integers_of_128_bits_are_named_in_a_query_of_polars() -> None:
    frame = pl.DataFrame({"y": [0, 1] * 6, "a": BEYOND}).with_columns(pl.col("a").cast(pl.Int128))
    assert hc.evaluate("y", "a", data=frame, metrics="auc")["a", "auc"].value == 42 / 72
    with pytest.raises(InputError, match="column 'a' is of type Int128, which Arrow does not have: cast it to Int64"):
        hc.evaluate("y", "a", data=frame.lazy(), metrics="auc")


@pytest.mark.parametrize("number", [0x50, 0x5F])
def test_zstd_may_begin_with_a_frame_that_is_passed_over(number: int, tmp_path: Path, shell: Shell) -> None:
    skipped = struct.pack("<BBBBI", number, 0x2A, 0x4D, 0x18, 4) + b"abcd"
    (tmp_path / "x.csv.zst").write_bytes(skipped + pa.compress(b"y,s\n1,3\n0,1\n1,2\n0,0\n", "zstd", asbytes=True))
    (tmp_path / "run").write_bytes(skipped + pa.compress(b"1 Q0 x 1 2.0 r\n1 Q0 y 2 1.0 r\n", "zstd", asbytes=True))
    (tmp_path / "qrels").write_text("1 0 x 1\n1 0 y 0\n")
    assert hc.evaluate("y", "s", data=str(tmp_path / "x.csv.zst"), metrics="auc")["s", "auc"].value == 1
    assert shell("trec", tmp_path / "run", tmp_path / "qrels", "-m", "AP").out


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ("y,s\n1,2\n0,1\n".encode("utf-16"), "is UTF-16 or UTF-32: save it as UTF-8"),
        (gzip.compress(b"y,s\n1,2\n0,1\n", mtime=0), "is packed twice: unpack it once"),
        (b"PK\x03\x04\x00", "is a zip archive or a spreadsheet"),
    ],
)
def test_what_is_packed_and_no_table_is_named(held: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(held))
    with pytest.raises(UnreadableFileError, match=f"^x.csv.gz {said}"):
        hc.evaluate("y", "s", data=str(tmp_path / "x.csv.gz"), metrics="auc")
