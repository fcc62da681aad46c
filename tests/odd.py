"""Tests on lists that are odd on purpose: what is to be said of their scores is not what they are about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

_KINDS = ("DirectionWarning", "TwoValuedScoreWarning", "ConstantScoreWarning", "MissingValueWarning")
ODD_SCORES = [pytest.mark.filterwarnings(f"ignore::hitcurve.errors.{kind}") for kind in _KINDS]


def odd_scores(test: Callable[..., Any]) -> Callable[..., Any]:
    """Mark one test."""
    for mark in ODD_SCORES:
        test = mark(test)
    return test
