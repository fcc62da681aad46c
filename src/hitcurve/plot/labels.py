"""Names at points, apart from each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hitcurve.counts import Array
from hitcurve.plot.style import SMALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NEAR, _STEP = 7.0, 11.0  # points: the nearest place of a name, and how much farther the next ring is
_RINGS = 8
_DOT = 12.0  # of the area of a name, what a point without a name is
_SIDES = ((1, 1), (1, -1), (-1, 1), (-1, -1), (0, 1), (0, -1))


class Mark(NamedTuple):
    """A point with a name, in the units of the axes."""

    x: float
    y: float
    text: str
    color: str


class _Box(NamedTuple):
    left: float
    bottom: float
    right: float
    top: float

    def overlap(self, other: _Box) -> float:
        across = min(self.right, other.right) - max(self.left, other.left)
        up = min(self.top, other.top) - max(self.bottom, other.bottom)
        return max(across, 0.0) * max(up, 0.0)

    def holds(self, points: Array) -> int:
        """Return how many points are inside or touch it."""
        x, y = points[:, 0], points[:, 1]
        near = (x > self.left - 2) & (x < self.right + 2) & (y > self.bottom - 2) & (y < self.top + 2)
        return int(np.count_nonzero(near))


def name_points(
    ax: Axes, marks: Sequence[Mark], lines: Sequence[Array] = (), others: Array | Sequence[Array] = ()
) -> None:
    """Write the name of each point beside it, where it covers no other name, no point, no edge and no straight line.

    If there is no such place, where it covers least.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    marks : sequence of Mark
    lines : sequence of array (2, 2)
        Ends of horizontal and vertical lines, in the units of the axes.
    others : array (m, 2)
        Points without names, in the units of the axes.
    """
    ax.get_xlim()  # limits that follow from the data are set when they are asked for
    known = [mark for mark in marks if np.isfinite(mark.x) and np.isfinite(mark.y)]
    dots = 72 / ax.figure.dpi
    frame = ax.bbox
    at = ax.transData.transform([(mark.x, mark.y) for mark in known]) * dots if known else np.empty((0, 2))
    edges = _Box(frame.x0 * dots, frame.y0 * dots, frame.x1 * dots, frame.y1 * dots)
    taken = [_Box(x - 4, y - 4, x + 4, y + 4) for x, y in at]
    dotted = ax.transData.transform(np.reshape(others, (-1, 2))) * dots
    for ends in lines:
        low, high = np.sort(ax.transData.transform(ends) * dots, axis=0)
        taken.append(_Box(*(low - 1), *(high + 1)))
    for (x, y), mark in zip(at, known, strict=True):
        label = ax.annotate(mark.text, (mark.x, mark.y), fontsize=SMALL, color=mark.color, zorder=4)
        extent = label.get_window_extent()
        width, height = extent.width * dots, extent.height * dots
        label.remove()
        best, far, least = None, False, np.inf
        for ring in range(_RINGS):
            for side, up in _SIDES:
                away = _NEAR + ring * _STEP
                left = x + side * away - (width if side < 0 else width / 2 if side == 0 else 0)
                bottom = y + up * away - (height if up < 0 else 0) - (0 if side == 0 else up * away * 0.5)
                box = _Box(left, bottom, left + width, bottom + height)
                outside = width * height - box.overlap(edges)
                cost = sum(map(box.overlap, taken)) + 3 * outside + ring * 0.5 + _DOT * box.holds(dotted)
                if cost < least - 1e-9:
                    best, far, least = box, ring > 0, cost
        if best is not None:
            taken.append(best)
            ax.annotate(
                mark.text,
                (mark.x, mark.y),
                xytext=(best.left - x, best.bottom - y),
                textcoords="offset points",
                fontsize=SMALL,
                color=mark.color,
                arrowprops={"arrowstyle": "-", "color": mark.color, "linewidth": 0.6} if far else None,
                zorder=4,
            )
