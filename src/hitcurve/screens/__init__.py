"""Thousands of markers against one outcome: each marker is a ranking of the same subjects."""

from __future__ import annotations

from hitcurve.screens.api import screen
from hitcurve.screens.changes import RankChanges
from hitcurve.screens.one_vs_rest import GroupScreens, screen_one_vs_rest
from hitcurve.screens.result import Screen
from hitcurve.screens.scoring import marker_score
from hitcurve.screens.top import TopMarker, TopMarkers

__all__ = [
    "GroupScreens",
    "RankChanges",
    "Screen",
    "TopMarker",
    "TopMarkers",
    "marker_score",
    "screen",
    "screen_one_vs_rest",
]
