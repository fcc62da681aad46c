"""Metrics of censored outcomes over time, with bands and the number at risk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve.counts import Array
from hitcurve.errors import ParameterError
from hitcurve.plot import sheet, words
from hitcurve.plot.looks import looks_of
from hitcurve.plot.style import DARK, FAINT, GREY, TINY, WIDTH
from hitcurve.survival import OverTime

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COVERAGE = ("simultaneous", "pointwise")
_ROOM = 0.05  # of the range of times, beside the curves
_AT_RISK = "at risk"


def over_time(
    found: OverTime,
    *,
    coverage: str = "simultaneous",
    bands: bool = True,
    rankers: str | Sequence[str] | None = None,
    legend: str = "auto",
    colors: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a metric of rankers over time, with the random baseline and the number of subjects at risk.

    Parameters
    ----------
    found : OverTime
        Of :meth:`hitcurve.SurvivalEvaluation.over_time`.
    coverage : {"simultaneous", "pointwise"}
        Whether the limits hold for all times together, or at each time for itself.
    bands : bool
        Fill the limits of each curve.
    rankers : str or sequence of str, optional
        All if absent.
    legend : {"auto", "inside", "outside", "none"}
    colors : mapping of str to color, optional
        Colours of rankers by name.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ParameterError
        If ``found`` is not a metric over time, or an argument is none of these.

    Examples
    --------
    >>> import numpy as np
    >>> from hitcurve import evaluate_survival, plot
    >>> rng = np.random.default_rng(0)
    >>> risk = rng.normal(size=400)
    >>> onset, lost = rng.exponential(size=400) * np.exp(-risk) * 10, rng.exponential(size=400) * 20
    >>> ev = evaluate_survival(np.minimum(onset, lost), onset <= lost, {"risk": risk}, horizons=5)
    >>> ax = plot.over_time(ev.over_time("ap", [1, 2, 5, 8]))
    >>> ax.get_xlabel(), ax.get_ylabel(), ax.get_legend_handles_labels()[1]
    ('time', 'ap', ['risk', 'random', '95% simultaneous limits'])
    """
    names = _chosen(found, rankers)
    _checks.choice("coverage", coverage, COVERAGE)
    _checks.choice("legend", legend, sheet.LEGENDS)
    made, ax = ax is None, sheet.single(ax, entries=len(names) + 2, legend=legend)
    looks, short = looks_of(ax, names, found.rankers, colors), words.short_names(names)
    for name in names:
        style, line = looks[name], found[name]
        if bands:
            low, high = _limits(line, coverage)
            ax.fill_between(found.times, low, high, color=style.color, alpha=FAINT, linewidth=0, gid=sheet.BAND)
        ax.plot(
            found.times,
            line.value,
            color=style.color,
            linestyle=style.dashes,
            linewidth=WIDTH,
            label=words.plain(short[name]),
            gid=sheet.RANKER,
            zorder=3,
        )
    ax.plot(found.times, found.random, linestyle=":", color=GREY, linewidth=1.2, label="random", gid=sheet.REFERENCE)
    ax.set_xlabel("time", labelpad=16)
    ax.set(ylabel=words.plain(str(found.metric)))
    _name_axes(ax, found)
    if bands:
        sheet.explain_bands(ax, [f"{100 * found.confidence_level:g}% {coverage} limits"])
    sheet.legend(ax, "", legend, widens=made)
    return ax


def difference_over_time(
    found: OverTime,
    first: str,
    second: str,
    *,
    coverage: str = "simultaneous",
    legend: str = "auto",
    ax: Axes | None = None,
) -> Axes:
    """Draw the difference of two rankers over time, first minus second, with the number of subjects at risk.

    Parameters
    ----------
    found : OverTime
    first, second : str
    coverage : {"simultaneous", "pointwise"}
    legend : {"auto", "inside", "outside", "none"}
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ParameterError
        If ``found`` is not a metric over time, or an argument is none of these.
    ColumnNotFoundError
        If there is no such ranker.
    """
    _chosen(found, None)
    _checks.choice("coverage", coverage, COVERAGE)
    _checks.choice("legend", legend, sheet.LEGENDS)
    line = found.difference(first, second)
    made, ax = ax is None, sheet.single(ax, legend=legend)
    short = words.short_names((first, second))
    low, high = _limits(line, coverage)
    ax.axhline(0, color=GREY, linewidth=0.8, zorder=1)
    ax.fill_between(found.times, low, high, color=DARK, alpha=FAINT, linewidth=0, gid=sheet.BAND)
    pair = words.plain(f"{short[first]} - {short[second]}")
    ax.plot(found.times, line.value, color=DARK, linewidth=WIDTH, label=pair, gid=sheet.RANKER, zorder=3)
    ax.set_xlabel("time", labelpad=16)
    ax.set(ylabel=words.plain(f"{found.metric} of {short[first]} - {short[second]}"))
    _name_axes(ax, found)
    sheet.explain_bands(ax, [f"{100 * found.confidence_level:g}% {coverage} limits"])
    sheet.legend(ax, "", legend, widens=made)
    return ax


def _chosen(found: OverTime, rankers: str | Sequence[str] | None) -> tuple[str, ...]:
    if not isinstance(found, OverTime):
        raise ParameterError(
            f"a figure over time needs what SurvivalEvaluation.over_time returns, got {type(found).__name__}"
        )
    if rankers is None:
        return found.rankers
    wanted = [rankers] if isinstance(rankers, str) else list(rankers)
    return tuple(_checks.named("ranker", name, found.lines) for name in wanted)


def _limits(line: Any, coverage: str) -> tuple[Array, Array]:
    return (line.band_low, line.band_high) if coverage == "simultaneous" else (line.low, line.high)


def _name_axes(ax: Axes, found: OverTime) -> None:
    """Set the range of times, and write below the ticks how many subjects are at risk there."""
    first, last = float(found.times[0]), float(found.times[-1])
    beside = _ROOM * (last - first) or 1.0
    ax.set_xlim(max(first - beside, 0.0), last + beside)
    ticks = [tick for tick in ax.get_xticks() if first <= tick <= last]
    at = ticks or [first, last]
    below: dict[str, Any] = {"annotation_clip": False, "ha": "center", "va": "top", "fontsize": TINY, "color": GREY}
    for tick in at:
        place = int(np.argmin(np.abs(found.times - tick)))
        number = rows.count(float(found.at_risk[place]))
        ax.annotate(number, (tick, 0), (0, -18), ("data", "axes fraction"), "offset points", **below)
    below["ha"] = "right"
    ax.annotate(_AT_RISK, (0, 0), (-4, -18), ("axes fraction", "axes fraction"), "offset points", **below)
    ax.set_xticks(at)
