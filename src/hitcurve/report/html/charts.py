"""The charts of the page, as Vega-Lite: shapes and axes; the page's script fills in the data."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

# colours, dashes and marks in the order of the figures, so that a ranker looks alike in both
_COLOURS = 7
_DASHES = ([1, 0], [7, 3], [9, 3, 2, 3], [2, 2])
_SHAPES = ("circle", "square", "diamond", "triangle-up")
_SIZE, _SMALL = 70, 36  # of marks, of few and of many rankers
_HEIGHT = 300
_INK = "currentColor"  # the colour of the text around: light, dark and printed pages need no other chart
_FONT = "system-ui, sans-serif"
_CONFIG = {
    "background": "transparent",
    "font": _FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": _INK,
        "titleColor": _INK,
        "domainColor": _INK,
        "tickColor": _INK,
        "gridColor": _INK,
        "gridOpacity": 0.12,
        "domainOpacity": 0.4,
        "tickOpacity": 0.4,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": 500,
        "labelFlush": False,
        "titlePadding": 5,
    },
}


@dataclass(frozen=True)
class Axis:
    """One axis of a chart."""

    title: str
    scale: str = "linear"
    domain: tuple[float, float] | None = (0.0, 1.0)
    format: str | None = None


def charts(
    rankers: int,
    least: Sequence[float],
    alphas: Sequence[float],
    prevalences: Sequence[float],
    budgets: Sequence[float],
) -> dict[str, dict[str, Any]]:
    """Return the charts of the page by name.

    Parameters
    ----------
    rankers : int
    least : sequence of float
        Where logarithmic axes begin: of rates, and of recall.
    alphas, prevalences, budgets : sequence of float
        Grids.
    """
    alpha = Axis("magnification \N{GREEK SMALL LETTER ALPHA}", "log", _ends(alphas))
    found = Axis("fraction of positives found")
    curves = {
        "hits": ("fraction of the list screened", found, least[0]),
        "roc": ("false positive rate", Axis("true positive rate"), least[0]),
        "pr": ("recall", Axis("precision"), least[1]),
    }
    logarithmic = {
        name: Axis(f"{x} (logarithmic)", "log", (start, 1.0), "~%") for name, (x, _, start) in curves.items()
    }
    return {
        **{name: chart(rankers, Axis(x), y) for name, (x, y, _) in curves.items()},
        **{f"{name}-log": chart(rankers, x, curves[name][1]) for name, x in logarithmic.items()},
        "croc": chart(rankers, Axis("false positive rate, magnified"), Axis("true positive rate")),
        "alpha": chart(rankers, alpha, Axis("AUC[CROC]")),
        "prevalence": chart(rankers, Axis("prevalence", "log", _ends(prevalences), "~%"), Axis("average precision")),
        "budget": chart(rankers, Axis("subjects screened", "log", _ends(budgets), "~s"), Axis("", domain=None)),
        "time": chart(rankers, logarithmic["hits"], found, shaded=True),
    }


def _ends(grid: Sequence[float]) -> tuple[float, float]:
    low, high = float(grid[0]), float(grid[-1])
    return (low, high) if low < high else (low / 2, high * 2)


def chart(rankers: int, x: Axis, y: Axis, *, shaded: bool = False) -> dict[str, Any]:
    """Return a chart of lines with bands, references and marks."""
    horizontal, vertical = _channel("x", x, ticks=6), _channel("y", y, ticks=5)
    low, high = _channel("low", y), {"field": "high"}
    colour, dash, shape = (
        _of_ranker(rankers, kind, looks)
        for kind, looks in (("ordinal", colours), ("ordinal", dashes), ("nominal", shapes))
    )
    order = {"field": "i", "type": "quantitative"}
    aside: dict[str, Any] = {"aria": False, "clip": True}
    # marks at the edge are seen whole, and rankers at one place beside each other
    free: dict[str, Any] = {"aria": False, "clip": False, "xOffset": {"expr": "datum.aside"}}
    pale = {"stroke": _INK, "strokeOpacity": 0.45, "strokeWidth": 1, "strokeDash": [4, 3]}
    layers = [
        _layer("band", "area", {**aside, "fillOpacity": 0.16}, x=horizontal, y=low, y2=high, color=colour),
        _layer(
            "refs",
            "line",
            {**aside, **pale},
            x=horizontal,
            y=vertical,
            detail={"field": "k", "type": "nominal"},
            order=order,
        ),
        _layer(
            "lines",
            "line",
            {**aside, "strokeWidth": 2, "strokeJoin": "round"},
            x=horizontal,
            y=vertical,
            color=colour,
            strokeDash=dash,
            order=order,
        ),
        _layer("here", "rule", {**aside, "stroke": _INK, "strokeOpacity": 0.5}, x=horizontal),
        _layer("marks", "rule", {**free, "strokeWidth": 2}, x=horizontal, y=low, y2=high, color=colour),
        _layer(
            "marks",
            "point",
            {**free, "filled": True, "size": _SIZE if rankers <= _COLOURS else _SMALL, "opacity": 1},
            x=horizontal,
            y=vertical,
            color=colour,
            shape=shape,
        ),
    ]
    if shaded:
        shade = _layer("shade", "rect", {**aside, "fill": _INK, "fillOpacity": 0.1}, x=horizontal, x2={"field": "x2"})
        layers.insert(0, shade)
    return {
        "layer": layers,
        "width": "container",
        "height": _HEIGHT,
        "padding": 4,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "config": _CONFIG,
        "datasets": {layer["data"]["name"]: [] for layer in layers},
    }


def _layer(data: str, mark: str, looks: dict[str, Any], **encoding: dict[str, Any]) -> dict[str, Any]:
    return {"data": {"name": data}, "mark": {"type": mark, **looks}, "encoding": encoding}


def _channel(field: str, axis: Axis, ticks: int | None = None) -> dict[str, Any]:
    """Return the channel of a field along an axis, which is drawn if its number of ticks is given."""
    drawn = {} if ticks is None else {"axis": _axis(axis, ticks)}
    return {"field": field, "type": "quantitative", "title": axis.title or None, "scale": _scale(axis), **drawn}


def _of_ranker(rankers: int, kind: str, looks: Callable[[int], Sequence[Any]]) -> dict[str, Any]:
    scale = {"domain": list(range(rankers)), "range": looks(rankers)}
    return {"field": "r", "type": kind, "scale": scale, "legend": None}


def _scale(axis: Axis) -> dict[str, Any]:
    domain = {} if axis.domain is None else {"domain": list(axis.domain), "nice": False}
    # weights may put a subject before the first one
    zero = {"clamp": True} if axis.scale == "log" else {"zero": True}
    return {"type": axis.scale, **domain, **zero}


def _axis(axis: Axis, ticks: int) -> dict[str, Any]:
    shown = {} if axis.format is None else {"format": axis.format}
    if axis.scale == "log" and axis.domain is not None:
        return {"values": _decades(*axis.domain), "labelOverlap": True, **shown}
    return {"tickCount": ticks, "labelOverlap": True, **shown}


def _decades(low: float, high: float) -> list[float]:
    """Return places of a logarithmic axis: a few in each decade if there are few."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    digits = (1, 2, 5) if last - first <= 3 else (1,)
    places = [float(f"{digit}e{power}") for power in range(first, last + 1) for digit in digits]
    return [place for place in places if low * (1 - 1e-9) <= place <= high * (1 + 1e-9)]


def colours(rankers: int) -> list[str]:
    """Return the colours of the rankers: names of the style sheet, which knows light and dark."""
    return [f"var(--ranker-{place})" for place in range(rankers)]


def shapes(rankers: int) -> list[str]:
    """Return the marker shapes of the rankers; they change together with the dashes."""
    return [_SHAPES[place // _COLOURS % len(_SHAPES)] for place in range(rankers)]


def dashes(rankers: int) -> list[Sequence[int]]:
    """Return the dashes of the rankers; rankers of one colour differ in them."""
    return [_DASHES[place // _COLOURS % len(_DASHES)] for place in range(rankers)]
