"""Evaluations whose warnings are given."""

from __future__ import annotations

from typing import Protocol, TypeVar

from hitcurve._callers import warn
from hitcurve.errors import HitcurveWarning


class _Warned(Protocol):
    @property
    def warnings(self) -> tuple[HitcurveWarning, ...]: ...


W = TypeVar("W", bound=_Warned)


def warned(evaluation: W) -> W:
    """Give the warnings of an evaluation at the line that asked for it; return it."""
    for warning in evaluation.warnings:
        warn(warning)
    return evaluation
