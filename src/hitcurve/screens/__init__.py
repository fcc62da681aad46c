"""Thousands of markers against one outcome: each marker is a ranking of the same subjects."""

from __future__ import annotations

from hitcurve.screens.api import screen
from hitcurve.screens.result import Screen

__all__ = ["Screen", "screen"]
