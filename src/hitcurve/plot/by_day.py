"""A metric by day, with the band of all days and the levels between changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hitcurve.errors import ParameterError
from hitcurve.evaluation.over_time.by_day import Drift
from hitcurve.plot import sheet, words
from hitcurve.plot.style import DARK, GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def drift(found: Drift, *, ax: Axes | None = None) -> Axes:
    """Draw a metric by day, with its simultaneous band, a line where the level changes and a ring around odd days.

    Parameters
    ----------
    found : Drift
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ParameterError
        If ``found`` is no drift.

    Examples
    --------
    >>> import hitcurve as hc
    >>> table = hc.HitTable.from_counts(pos=[10, 18, 25], neg=[1, 11, 44])
    >>> ax = hc.plot.drift(hc.drift({"monday": table, "tuesday": table}, "auc"))
    >>> ax.get_ylabel(), [text.get_text() for text in ax.get_xticklabels()]
    ('auc', ['monday', 'tuesday'])
    """
    if not isinstance(found, Drift):
        raise ParameterError(f"this figure needs a Drift, got {type(found).__name__}: make one with drift")
    ax = sheet.single(ax, (6.4, 3.6))
    place = np.arange(len(found.days))
    ax.fill_between(place, found.low, found.high, color=GREY, alpha=0.3, linewidth=0)
    ax.plot(place, found.values, color=DARK, marker="o", markersize=3)
    for change in found.changes:
        ax.axvline(found.days.index(change.first) - 0.5, color=DARK, linestyle="--", linewidth=1)
    odd = [found.days.index(one.day) for one in found.odd_days]
    if odd:
        ax.plot(
            odd,
            found.values[odd],
            "o",
            color=DARK,
            markerfacecolor="none",
            markersize=10,
            label="differs from its level",
        )
        ax.legend(frameon=False)
    step = -(-len(place) // 12)
    short = list(words.short_names(found.days).values())
    ax.set_xticks(place[::step], map(words.plain, short[::step]), rotation=30 if len(place) > 5 else 0)
    ax.set_ylabel(words.plain(found.looked_at))
    return ax
