"""Tests on lists that are odd on purpose: what is to be said of their scores is not what they are about."""

from __future__ import annotations

from typing import TypeVar

import pytest

T = TypeVar("T")
_KINDS = ("DirectionWarning", "TwoValuedScoreWarning", "ConstantScoreWarning", "MissingValueWarning")
ODD_SCORES = [pytest.mark.filterwarnings(f"ignore::hitcurve.errors.{kind}") for kind in _KINDS]


def odd_scores(test: T) -> T:
    """Mark one test."""
    for mark in ODD_SCORES:
        test = mark(test)
    return test
