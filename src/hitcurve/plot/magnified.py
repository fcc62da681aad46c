"""Curves whose x axis is magnified, one or several magnifications side by side."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack, overload

from hitcurve import _checks
from hitcurve.errors import ParameterError
from hitcurve.evaluation import Evaluation
from hitcurve.magnify import Exponential, Magnification
from hitcurve.magnify.written import magnification_given
from hitcurve.metrics import CAC, CROC, Area
from hitcurve.plot import sheet
from hitcurve.plot.draw import CurveOptions, draw

if TYPE_CHECKING:
    from matplotlib.axes import Axes

One: TypeAlias = Magnification | str | float


@overload
def croc(  # type: ignore[overload-overlap]  # a text is no sequence of texts
    ev: Evaluation, magnification: One | None = None, **options: Unpack[CurveOptions]
) -> Axes: ...
@overload
def croc(ev: Evaluation, magnification: Iterable[One], **options: Unpack[CurveOptions]) -> sheet.AxesArray: ...
def croc(ev: Evaluation, magnification: Any = None, **options: Unpack[CurveOptions]) -> Axes | sheet.AxesArray:
    """Draw concentrated ROC curves: recall over the magnified false positive rate (Swamidass et al. 2010).

    Parameters
    ----------
    ev : Evaluation
    magnification : Magnification, str or float, or a sequence of these
        A number is the alpha of the exponential map. The default is the magnification of the first ``croc`` that was
        evaluated, or ``Exponential(7)``.
    **options
        As in :class:`CurveOptions`. The number in the legend is ``croc`` with this magnification.

    Returns
    -------
    matplotlib.axes.Axes, or an array of them
        One for each magnification of a sequence. Its x is f(FPR); the ticks are written as false positive rates.

    Raises
    ------
    ParameterError
        If the magnification is neither, or an option is wrong.

    Examples
    --------
    >>> from hitcurve import evaluate, plot
    >>> ev = evaluate([1, 0, 1, 0], [4, 3, 2, 1], metrics="croc(exp, alpha=7)")
    >>> ax = plot.croc(ev)
    >>> ax.get_xlabel(), ax.get_legend_handles_labels()[1]
    ('false positive rate, magnified by exp, alpha=7', ['score 0.5147', 'random 0.1419'])
    >>> len(plot.croc(ev, [7, 20, 80]))
    3
    """
    return _panels(ev, "croc", magnification, options)


@overload
def cac(  # type: ignore[overload-overlap]  # a text is no sequence of texts
    ev: Evaluation, magnification: One | None = None, **options: Unpack[CurveOptions]
) -> Axes: ...
@overload
def cac(ev: Evaluation, magnification: Iterable[One], **options: Unpack[CurveOptions]) -> sheet.AxesArray: ...
def cac(ev: Evaluation, magnification: Any = None, **options: Unpack[CurveOptions]) -> Axes | sheet.AxesArray:
    """Draw concentrated accumulation curves: recall over the magnified rate (Swamidass et al. 2010).

    Parameters
    ----------
    ev : Evaluation
    magnification : Magnification, str or float, or a sequence of these
        As in :func:`croc`.
    **options
        As in :class:`CurveOptions`. The number in the legend is ``cac`` with this magnification.

    Returns
    -------
    matplotlib.axes.Axes, or an array of them
        Its x is f(rate); the ticks are written as rates.

    Examples
    --------
    >>> from hitcurve import evaluate, plot
    >>> from hitcurve.magnify import Logarithmic
    >>> ev = evaluate([1, 0, 1, 0], [4, 3, 2, 1], metrics="cac(log, alpha=80)")
    >>> plot.cac(ev, Logarithmic(80)).get_legend_handles_labels()[1]
    ['score 0.3034', 'random 0.2151', 'unreachable']
    """
    return _panels(ev, "cac", magnification, options)


def _panels(ev: Evaluation, kind: str, f: Any, options: CurveOptions) -> Axes | sheet.AxesArray:
    sheet.admitted(ev)
    if f is None:
        f = _evaluated(ev, kind)
    if isinstance(f, (str, bytes)) or not isinstance(f, Iterable):
        return _panel(ev, kind, _map(f), options)
    maps = [_map(one) for one in f]
    if not maps:
        raise ParameterError("magnification must be a Magnification, a number or several of these, got none")
    names = sheet.chosen(ev, options.get("rankers"))
    axes = sheet.several(
        options.get("ax"),
        len(maps),
        (3.8, 3.6),
        share_y=True,
        legend=options.get("legend", "auto"),
        entries=[len(names) + 2] * len(maps),
    )
    for panel, one in zip(axes, maps, strict=True):
        _panel(ev, kind, one, {**options, "ax": panel})
    for panel in axes[1:]:
        panel.set_ylabel("")
    return axes


def _panel(ev: Evaluation, kind: str, f: Magnification, options: CurveOptions) -> Axes:
    along = "fpr" if kind == "croc" else "rate"
    own = CROC(f) if kind == "croc" else CAC(f)
    return draw(ev, kind, magnification=f, numbers=(own, Area(f, along=along)), **options)


def _evaluated(ev: Evaluation, kind: str) -> Magnification:
    own = CROC if kind == "croc" else CAC
    return next((m.f for m in ev.metrics if isinstance(m, own)), Exponential(7))


def _map(f: Any) -> Magnification:
    if isinstance(f, (Magnification, str)):
        return magnification_given("magnification", f)
    return Exponential(_checks.positive_number("magnification, a Magnification or the alpha of an exponential,", f))
