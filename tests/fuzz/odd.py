"""Values that nobody expects, and texts that are nearly right."""

from __future__ import annotations

import datetime
import re
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

NUMBERS: tuple[Any, ...] = (
    0, 1, -1, 2, 3, 0.0, -0.0, 1.0, -1.0, 0.5, 1e-300, 5e-324, -5e-324, 1e308, -1e308, 1.7976931348623157e308,
    float("inf"), float("-inf"), 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, 2**63, 2**64 - 1, -(2**63), 10**30,
    1 + 2**-52, 0.1, 0.1 + 0.2, 0.3, True, False,
    np.float16(0.1), np.float32(0.1), np.float64(0.1), np.int8(-1), np.uint8(255), np.uint64(2**64 - 1), np.bool_(True),
    Fraction(1, 3), Decimal("0.1"), Decimal("1e400"), Decimal("Infinity"),
)  # fmt: skip
MISSING: tuple[Any, ...] = (None, float("nan"), np.float32("nan"), np.datetime64("NaT", "ns"), Decimal("NaN"))
OTHERS: tuple[Any, ...] = (
    "", " ", "1", "0", "nan", "NA", "x", "yes", "no", "Yes ", "active", "inactive", "true", "FALSE", "case", "positive",
    b"1", "\x00", "\ud800", "\u202e1", "١", "1_000", "0x10", "1e3", "é", "e\u0301",
    1j, (), [1], {}, object(), datetime.date(2026, 1, 1), np.datetime64("2026-01-01"), ...,
    np.array([1, 2]), np.array([]), np.array(0.5), pd.Series([1.0, 2.0]), pd.NA, pl.Series([1, 2]), np.array(["a"]),
    NotImplemented, int, range(2),
)  # fmt: skip
_NUMBERS = re.compile(r"\d+(\.\d+)?(e[-+]?\d+)?")
TEXT = "0123456789.,;:+-eE%@()=_/*<>'\"\\ \t\n\r\x00abcxyzéß١\u202e\u2028\ufeff🙂#&|~^$!?[]{}"


def value(rng: Random) -> Any:
    """Return any value."""
    return rng.choice(rng.choices((NUMBERS, MISSING, OTHERS), (6, 1, 3))[0])


def text(rng: Random, longest: int = 12) -> str:
    """Return a text of odd characters."""
    return "".join(rng.choices(TEXT, k=rng.randrange(longest)))


def renumbered(rng: Random, given: str) -> str:
    """Return a text of which a number is another one."""
    found = list(_NUMBERS.finditer(given))
    if not found:
        return given
    at = rng.choice(found)
    other = rng.choice(
        (rng.random(), rng.uniform(0, 100), rng.randrange(12), 10 ** rng.uniform(-9, 9), rng.choice(NUMBERS))
    )
    return f"{given[: at.start()]}{other}{given[at.end() :]}"


def mutated(rng: Random, given: str, pieces: tuple[str, ...] = ()) -> str:
    """Return a text with some characters changed, left out, repeated, or pieces of other texts in it."""
    chars = list(given)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        at = rng.randrange(len(chars) + 1)
        match rng.randrange(6):
            case 0:
                chars[at : at + 1] = rng.choice(TEXT)
            case 1:
                del chars[at : at + rng.choice((1, 1, 3))]
            case 2:
                chars[at:at] = chars[max(0, at - rng.randrange(1, 8)) : at]
            case 3 if pieces:
                chars[at:at] = rng.choice(pieces)
            case 4:
                chars[at:at] = str(rng.choice(NUMBERS))
            case _:
                end = rng.randrange(len(chars) + 1)
                chars[at:end] = reversed(chars[at:end])
    return "".join(chars)


def mutated_bytes(rng: Random, given: bytes) -> bytes:
    """Return bytes with some changed, left out or repeated."""
    held = bytearray(given)
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.randrange(len(held) + 1)
        match rng.randrange(5):
            case 0 if at < len(held):
                held[at] ^= 1 << rng.randrange(8)
            case 1:
                del held[at : at + rng.choice((1, 8, 64, len(held)))]
            case 2:
                held[at:at] = held[max(0, at - 16) : at]
            case 3:
                held[at:at] = rng.randbytes(rng.randrange(1, 9))
            case _:
                held[at : at + 4] = rng.choice((b"\0" * 4, b"\xff" * 4, b"\x7f\xff\xff\xff"))
    return bytes(held)
