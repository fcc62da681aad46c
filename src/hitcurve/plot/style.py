"""What pictures look like, once: colours that colour-blind readers tell apart, line styles for more rankers."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

Dashes: TypeAlias = Literal["-"] | tuple[int, tuple[float, ...]]

# Okabe and Ito 2008, without the yellow that white paper swallows; in the order of the page
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
_DASHES: tuple[Dashes, ...] = ("-", (0, (5, 1.5)), (0, (5, 1.5, 1, 1.5)), (0, (1, 1.2)))
_MARKERS = ("o", "s", "D", "^")

WIDTH = 1.6  # of the line of a ranker, in points
FAINT = 0.18  # opacity of a band
DARK = "0.15"  # differences, which belong to two rankers
GREY = "0.35"  # references and isometrics
LIGHT = "0.9"  # what no curve can reach
SMALL = "small"
TINY = "x-small"


class Look(NamedTuple):
    """How one ranker is drawn."""

    color: str
    dashes: Dashes
    marker: str


def look(place: int) -> Look:
    """Return the look of the ranker at a place: 7 colours, then the same with other dashes and markers."""
    turn = place // len(COLORS)
    return Look(COLORS[place % len(COLORS)], _DASHES[turn % len(_DASHES)], _MARKERS[turn % len(_MARKERS)])
