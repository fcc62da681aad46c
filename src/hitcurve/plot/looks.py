"""Who looks how: a ranker keeps its colour, whichever others are drawn beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from hitcurve import _checks
from hitcurve.errors import ParameterError
from hitcurve.plot.style import COLORS, Look, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PLACES: WeakKeyDictionary[Any, dict[str, int]] = WeakKeyDictionary()  # of the rankers drawn on axes


def looks_of(
    ax: Axes | None, names: Iterable[str], every: Sequence[str], colors: Mapping[str, Any] | None = None
) -> dict[str, Look]:
    """Return how rankers are drawn: by their place among all of the evaluation, so that a choice keeps the colours.

    On axes that have rankers already, a new one whose place is taken goes on from the others; one of a name that was
    drawn before has its colour, with other dashes.

    Parameters
    ----------
    ax : matplotlib.axes.Axes or None
        None for a look that no other call on the same axes knows of.
    names : iterable of str
        Those to draw.
    every : sequence of str
        All rankers of the result.
    colors : mapping of str to color, optional
        Colours of matplotlib, of rankers by name.

    Raises
    ------
    ParameterError
        If colors names no ranker or no colour.
    """
    own = _checked(colors, every)
    drawn = {} if ax is None else _PLACES.setdefault(ax, {})
    out = {}
    for name in names:
        place = every.index(name)
        if name in drawn:
            place = drawn[name] + len(COLORS)
        else:
            while place in drawn.values():
                place += 1
        drawn[name] = place
        out[name] = look(place)._replace(color=own[name]) if name in own else look(place)
    return out


def _checked(colors: Mapping[str, Any] | None, every: Sequence[str]) -> dict[str, Any]:
    if colors is None:
        return {}
    from matplotlib.colors import is_color_like

    if not isinstance(colors, Mapping):
        raise ParameterError(f"colors must map rankers to colours, got {type(colors).__name__}")
    for name, color in colors.items():
        _checks.choice("a ranker of colors", name, tuple(every))
        if not is_color_like(color):
            raise ParameterError(f"colors must be colours of matplotlib, the colour of {name!r} is {color!r}")
    return dict(colors)
