"""What every door has in common: how a case is judged."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from enum import Enum
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

from hitcurve.errors import HitcurveError
from tests.fuzz.slow import Slow, UnreadError

TOLERANCE = 1e-13


class Verdict(Enum):
    """How a case ended that is no fault."""

    CONFIRMED = "confirmed"
    REFUSED = "refused"


class FaultError(AssertionError):
    """An answer that nothing confirms."""


Door = Callable[[Random, Path], Verdict]


def confirm(answered: Mapping[str, float], slow: Slow | Callable[[], Slow], given: Any) -> Verdict:
    """Compare values with the slow definition.

    Raises
    ------
    FaultError
        If they differ, or the input means nothing.
    """
    try:
        right = slow if isinstance(slow, Slow) else slow()
        expected = {name: right.value(name) for name in answered}
    except UnreadError as why:
        raise FaultError(f"{dict(answered)} for input without a meaning ({why!r}): {given}") from None
    for name, value in answered.items():
        if not math.isfinite(value) or abs(Fraction(value) - expected[name]) > TOLERANCE * max(
            1.0, float(abs(expected[name]))
        ):
            raise FaultError(f"{name} is {value!r}, by definition {float(expected[name])!r}: {given}")
    return Verdict.CONFIRMED


def answer(call: Callable[[], Any]) -> tuple[Any, bool]:
    """Return what a call returns, and whether it was refused by an error of the package.

    Raises
    ------
    FaultError
        If the refusal says nothing, or too much for one sentence.
    """
    try:
        return call(), False
    except HitcurveError as error:
        text = str(error)
        if not text.strip() or "\n" in text or len(text) > 2000:
            raise FaultError(f"the refusal is no sentence: {text[:300]!r}") from error
        return error, True
