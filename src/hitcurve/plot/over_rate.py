"""Curves over the rate, the share of the list that is called."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from hitcurve.curve import KINDS
from hitcurve.errors import ParameterError
from hitcurve.evaluation import Evaluation
from hitcurve.plot import sheet, words
from hitcurve.plot.draw import CurveOptions, Wanted, draw, numbers_of
from hitcurve.plot.style import COLORS, GREY, TINY
from hitcurve.rates import Point, RateDensity, RateMixture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STRIP = (0.0, -0.25, 1.0, 0.2)  # of the axes: left, bottom, width, height of the density


def hit(ev: Evaluation, **options: Unpack[CurveOptions]) -> Axes:
    """Draw hit curves: positives found over subjects called, both as shares of the list (Su, Yuan and Zhu 2015).

    Parameters
    ----------
    ev : Evaluation
    **options
        As in :class:`CurveOptions`. The number in the legend is ``ap``.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from hitcurve import evaluate, plot
    >>> ax = plot.hit(evaluate([1, 0, 1, 0], [4, 3, 2, 1], metrics="ap"))
    >>> ax.lines[0].get_ydata().tolist()
    [0.0, 0.25, 0.25, 0.5, 0.5]
    """
    return draw(ev, "hit", **options)


def accumulation(ev: Evaluation, **options: Unpack[CurveOptions]) -> Axes:
    """Draw accumulation curves: recall over the rate; also enrichment or cumulative gains curves.

    Parameters
    ----------
    ev : Evaluation
    **options
        As in :class:`CurveOptions`. The number in the legend is ``auac``.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from hitcurve import evaluate, plot
    >>> ax = plot.accumulation(evaluate([1, 0, 1, 0], [4, 3, 2, 1], metrics="auac"), log_x=True)
    >>> ax.get_xscale(), ax.get_legend_handles_labels()[1]
    ('log', ['score', 'random', 'unreachable'])
    """
    return draw(ev, "accumulation", **options)


def pac(ev: Evaluation, **options: Unpack[CurveOptions]) -> Axes:
    """Draw logarithmic accumulation curves: recall over log10 of the rate, from half a subject on.

    Parameters
    ----------
    ev : Evaluation
    **options
        As in :class:`CurveOptions`. The number in the legend is ``auac``.

    Returns
    -------
    matplotlib.axes.Axes
        Its x is log10 of the rate; the ticks are written as rates.

    Examples
    --------
    >>> from hitcurve import evaluate, plot
    >>> ax = plot.pac(evaluate([1, 0, 1, 0], [4, 3, 2, 1], metrics="auac"))
    >>> ax.get_xlabel()
    'rate (fraction of the list), logarithmic'
    """
    return draw(ev, "pac", **options)


def lift(ev: Evaluation, **options: Unpack[CurveOptions]) -> Axes:
    """Draw lift curves: recall over rate, divided by the rate.

    Parameters
    ----------
    ev : Evaluation
    **options
        As in :class:`CurveOptions`. The number in the legend is the first enrichment factor that was evaluated.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from hitcurve import evaluate, plot
    >>> ax = plot.lift(evaluate([1, 0, 1, 0], [4, 3, 2, 1], metrics="ef@50%"))
    >>> ax.get_legend_handles_labels()[1]
    ['score 1.000', 'random 1', 'unreachable']
    """
    return draw(ev, "lift", **options)


def rate_accuracy(ev: Evaluation, *, density: RateDensity | None = None, **options: Unpack[CurveOptions]) -> Axes:
    """Draw rate-accuracy curves, with the density of the rate under the axis (Millard, Flach and Higgins 2014).

    Parameters
    ----------
    ev : Evaluation
    density : RateDensity, optional
        Distribution of the fraction of the list that will be processed. The default is the density of the first metric
        that has one.
    **options
        As in :class:`CurveOptions`. The number in the legend is ``rauc`` with this density.

    Returns
    -------
    matplotlib.axes.Axes
        Of the curves; the density is its first child axes (``ax.child_axes[0]``).

    Raises
    ------
    ParameterError
        If ``density`` is none, or an option is wrong.

    Examples
    --------
    >>> from hitcurve import evaluate, plot
    >>> from hitcurve.rates import Beta
    >>> ev = evaluate([1, 0, 1, 0], [4, 3, 2, 1], metrics="rauc(beta(6, 30))")
    >>> ax = plot.rate_accuracy(ev)
    >>> ax.get_legend_handles_labels()[1], ax.child_axes[0].texts[0].get_text()
    (['score 0.9780', 'random 0.5', 'unreachable'], 'beta(6, 30)')
    """
    return _with_density(ev, "rate_accuracy", density, options)


def rate_recall(
    ev: Evaluation, *, negative: bool = False, density: RateDensity | None = None, **options: Unpack[CurveOptions]
) -> Axes:
    """Draw rate-recall curves, with the density of the rate under the axis (Millard, Flach and Higgins 2014).

    Parameters
    ----------
    ev : Evaluation
    negative : bool
        Draw the true negative rate instead of the recall of the positives.
    density : RateDensity, optional
        As in :func:`rate_accuracy`.
    **options
        As in :class:`CurveOptions`. The number in the legend is ``expected_recall`` (or ``expected_negative_recall``)
        or ``rauc`` with this density.

    Returns
    -------
    matplotlib.axes.Axes
        Of the curves; the density is its first child axes.

    Examples
    --------
    >>> from hitcurve import evaluate, plot
    >>> from hitcurve.rates import Uniform
    >>> ev = evaluate([1, 0, 1, 0], [4, 3, 2, 1], metrics="expected_recall(uniform(0, 0.5))")
    >>> ax = plot.rate_recall(ev)
    >>> ax.get_legend_handles_labels()[1]
    ['score 0.3750', 'random 0.25', 'unreachable']
    """
    return _with_density(ev, "rate_negative_recall" if negative else "rate_recall", density, options)


# ---- the density under the axis


def _with_density(ev: Evaluation, kind: str, density: RateDensity | None, options: CurveOptions) -> Axes:
    if density is not None and not isinstance(density, RateDensity):
        raise ParameterError(f"density must be a RateDensity, got {density!r}")
    known = [m for m in sheet.admitted(ev).metrics if isinstance(_density_of(m), RateDensity)]
    if density is None and known:
        density = _density_of(known[0])
    numbers: tuple[Wanted, ...] = numbers_of(KINDS[kind])
    if density is not None:
        same = [m for m in known if _density_of(m) == density]
        numbers = tuple(m for one in numbers if isinstance(one, type) for m in same if isinstance(m, one))
    ax = draw(ev, kind, numbers=numbers, **options)
    if density is not None and not ax.child_axes:
        _draw_density(ax, density)
    return ax


def _density_of(metric: Any) -> Any:
    return getattr(metric, "density", None)


def _draw_density(ax: Axes, density: RateDensity) -> None:
    """Draw the density in a strip under the axis, which takes over the name and the ticks of x."""
    strip = ax.inset_axes(_STRIP, sharex=ax)
    low, high = ax.get_xlim()
    low, high = max(low, 1e-12 if ax.get_xscale() == "log" else 0.0), min(high, 1.0)
    places = np.geomspace(low, high, 801) if ax.get_xscale() == "log" else np.linspace(low, high, 801)
    heights = np.zeros(places.size)
    for share, part in _parts(density):
        if isinstance(part, Point):
            strip.plot([part.rate] * 2, [0, 1], transform=strip.get_xaxis_transform(), color=COLORS[0], linewidth=1.5)
        else:
            slope = part.magnification().derivative(places)
            heights += share * np.where(np.isfinite(slope), slope, 0.0)
    strip.fill_between(places, 0, heights, color=COLORS[0], alpha=0.3, linewidth=0)
    strip.plot(places, heights, color=COLORS[0], linewidth=1)
    strip.set_ylim(0, max(float(heights.max()) * 1.1, 1e-12))
    strip.set_yticks([])
    strip.set_xlabel(ax.get_xlabel())
    name = words.plain(str(density))
    strip.text(0.985, 0.88, name, transform=strip.transAxes, ha="right", va="top", fontsize=TINY, color=GREY)
    ax.set_xlabel("")
    ax.tick_params(axis="x", which="both", labelbottom=False)


def _parts(density: RateDensity) -> Iterator[tuple[float, RateDensity]]:
    if not isinstance(density, RateMixture):
        yield 1.0, density
        return
    for share, part in zip(density.shares, density.densities, strict=True):
        for inner, leaf in _parts(part):
            yield share / sum(density.shares) * inner, leaf
